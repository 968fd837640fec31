//! The picture of a formula: its residuals, the steps between them, and the way of the run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::super::words::{counted, escape, len, line};
use super::graph::{self, Edge, Node};
use super::phone::wrapped;
use super::{STYLE, markers};
use crate::drawing::svg::short;
use crate::event::{Automaton, StepTaken};
use crate::sorted;

/// Residuals of a picture: nobody reads a larger one.
const NODES_MAX: usize = 40;

/// Ways in the list below the picture.
const WAYS_MAX: usize = 200;

const COLUMNS: usize = 26;
const SIZE: f64 = 11.0;
const LETTER: f64 = SIZE * 0.61;

/// The steps that took each way between two residuals.
type Taken = BTreeMap<(usize, usize), Vec<usize>>;

/// Returns the picture of `automaton` with the way that `run` took, and a list of its ways.
pub fn section(automaton: Option<&Automaton>, run: &[StepTaken]) -> String {
    let Some(automaton) = automaton else {
        return "<p class=\"quiet\">The formula may ask for too much to be drawn.</p>".to_string();
    };
    let Followed { taken, lost, .. } = followed(automaton, run.iter().map(|step| &*step.residual));
    let mut html = String::new();
    if automaton.residuals.len() <= NODES_MAX {
        html += &picture(automaton, &taken);
    } else {
        let residuals = counted(len(&automaton.residuals), "residual");
        let _ =
            write!(html, "<p class=\"quiet\">There are {residuals}, more than can be read in a picture.</p>");
    }
    if let (false, Some(first)) = (run.is_empty(), lost) {
        let _ = write!(
            html,
            "<p class=\"quiet\">From step {first} on the run is not followed here: what is left then is spelled otherwise.</p>"
        );
    }
    html += &list(automaton);
    html
}

/// Returns the picture alone of `automaton`, with the way of a run that leaves `left` after its steps, and the residual where
/// it is now; none if the picture is too large.
pub fn automaton_svg<'l>(automaton: &Automaton, left: impl Iterator<Item = &'l str>) -> Option<String> {
    if automaton.residuals.len() > NODES_MAX {
        return None;
    }
    let Followed { taken, now, .. } = followed(automaton, left);
    let (svg, _) = drawn(automaton, &taken, Some(now));
    let head = format!("><style><![CDATA[{STYLE}]]></style><defs>{}</defs>", markers());
    let svg = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    Some(svg.replacen('>', &head, 1))
}

/// The way of a run through an automaton.
struct Followed {
    taken: Taken,
    /// First step that no way fits.
    lost: Option<usize>,
    /// Residual after the last step that one fits.
    now: usize,
}

fn followed<'l>(automaton: &Automaton, left: impl Iterator<Item = &'l str>) -> Followed {
    let patterns: Vec<Vec<String>> =
        automaton.residuals.iter().map(|residual| pattern(&residual.text)).collect();
    let ways: BTreeSet<(usize, usize)> = sorted::set(automaton.ways.iter().map(|way| (way.from, way.to)));
    let mut taken = Taken::new();
    let mut now = 0;
    for (number, residual) in left.enumerate() {
        // Two residuals may be spelled alike; the first comes earlier.
        let nexts = || ways.range((now, 0)..=(now, usize::MAX)).map(|&(_, next)| next);
        let same = nexts().find(|&next| automaton.residuals[next].text == residual);
        let untimed = untimed(residual);
        let Some(next) = same.or_else(|| nexts().find(|&next| fits(&untimed, &patterns[next]))) else {
            // From here on the residuals of the run are none of the drawn ones.
            return Followed { taken, lost: Some(number), now };
        };
        taken.entry((now, next)).or_default().push(number);
        now = next;
    }
    Followed { taken, lost: None, now }
}

/// Returns the parts of a drawn residual that stand in that of a run as well, in their order: a run has values where the
/// drawing has names of kept ones, as in `[text = {x}] (x 1)`, and less time left.
fn pattern(drawn: &str) -> Vec<String> {
    let drawn = untimed(drawn);
    let mut rest = &*drawn;
    let mut parts = vec![String::new()];
    while let Some((atom, numbered)) = rest.split_once("] (") {
        // The name and the number of a value, and those of further ones.
        let Some((_, mut after)) = numbered.split_once(')').filter(|(value, _)| is_value(value)) else {
            push(&mut parts, &format!("{atom}] ("));
            rest = numbered;
            continue;
        };
        while let Some((_, further)) = after
            .strip_prefix(" (")
            .and_then(|further| further.split_once(')'))
            .filter(|(value, _)| is_value(value))
        {
            after = further;
        }
        let start = atom.rfind('[').unwrap_or(0);
        push(&mut parts, &atom[..start]);
        let mut within = &atom[start..];
        while let Some((before, (_, behind))) =
            within.split_once('{').and_then(|(before, term)| Some((before, term.split_once('}')?)))
        {
            push(&mut parts, before);
            parts.push(String::new());
            within = behind;
        }
        push(&mut parts, &format!("{within}]"));
        rest = after;
    }
    push(&mut parts, rest);
    parts
}

/// Adds `text` to the last of `parts`.
fn push(parts: &mut [String], text: &str) {
    if let Some(last) = parts.last_mut() {
        last.push_str(text);
    }
}

/// Returns true if `text` is the name of a kept value with a number, like `x 1`.
fn is_value(text: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|char| char.is_alphanumeric() || char == '_');
    text.split_once(' ').is_some_and(|(name, number)| is_name(name) && number.parse::<u32>().is_ok())
}

/// Returns true if `text` has these parts in their order, the first at its start and the last at its end.
fn fits(text: &str, parts: &[String]) -> bool {
    let [first, middle @ .., last] = parts else { return parts.first().is_some_and(|only| only == text) };
    let Some(mut rest) = text.strip_prefix(&**first) else { return false };
    for part in middle {
        let Some(at) = rest.find(&**part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(&**last)
}

/// Returns the text of a residual without the times of its bounds, like `F[s] [text = a]`.
fn untimed(text: &str) -> String {
    let mut untimed = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, bracket) = rest.split_at(at);
        untimed.push_str(before);
        let end = bracket.find(']').map_or(bracket.len(), |end| end + 1);
        let is_bound = before.ends_with(|char: char| "FGURWM".contains(char));
        let is_time = |char: char| char.is_ascii_digit() || "[]<=>.ms".contains(char);
        let bound = &bracket[..end];
        if is_bound && bound.contains('s') && bound.chars().all(is_time) {
            untimed.push_str("[s]");
        } else {
            untimed.push_str(bound);
        }
        rest = &bracket[end..];
    }
    untimed + rest
}

fn picture(automaton: &Automaton, taken: &Taken) -> String {
    let (svg, has_all) = drawn(automaton, taken, None);
    let mut html = String::from(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"what is still asked for\">",
    );
    html += &svg;
    html += "</div>";
    html += "<p class=\"quiet\">A box with two lines is satisfied if the run ends there.";
    if !has_all {
        html += " A step without an arrow violates the formula for good.";
    }
    if automaton.residuals.iter().any(|residual| untimed(&residual.text) != residual.text) {
        html += " Residuals that differ by the time that is left are one, with the most that can be left; times at its arrows \
                 are for that one.";
    }
    html += "</p>";
    html
}

/// Returns the drawing, on which the residual `now` stands out, and true if it has all residuals.
fn drawn(automaton: &Automaton, taken: &Taken, now: Option<usize>) -> (String, bool) {
    // Most steps of most formulas violate them: an arrow for each of these would hide the others.
    let is_lost = |number: usize| number > 0 && automaton.residuals[number].text == "false";
    let kept: Vec<usize> = (0..automaton.residuals.len())
        .filter(|&number| !is_lost(number) || taken.keys().any(|&(_, to)| to == number))
        .collect();
    let place: BTreeMap<usize, usize> =
        sorted::map(kept.iter().enumerate().map(|(at, &number)| (number, at)));
    let nodes: Vec<Node> = kept.iter().map(|&number| node(automaton, number, now == Some(number))).collect();
    // Arrows between the same two residuals would lie on each other, so they are drawn as one.
    let mut edges: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    for way in &automaton.ways {
        if let (Some(&from), Some(&to)) = (place.get(&way.from), place.get(&way.to)) {
            edges.entry((from, to)).or_default().push(&way.by);
        }
    }
    let edges: Vec<Edge> = edges
        .into_iter()
        .map(|((from, to), by)| {
            let by = line(&by.join(" | "), 400);
            let steps = taken.get(&(kept[from], kept[to]));
            Edge {
                from,
                to,
                label: by.clone(),
                title: by,
                steps: steps.map_or(String::new(), |all| numbers(all)),
            }
        })
        .collect();
    let svg = graph::draw(&nodes, &edges, "the residuals of the formula and the steps between them");
    (svg, kept.len() == automaton.residuals.len())
}

/// Returns `1,2,5…`.
pub fn numbers(steps: &[usize]) -> String {
    const SHOWN_MAX: usize = 4;
    let shown: Vec<String> = steps.iter().take(SHOWN_MAX).map(usize::to_string).collect();
    shown.join(",") + if steps.len() > SHOWN_MAX { "…" } else { "" }
}

fn node(automaton: &Automaton, number: usize, is_now: bool) -> Node {
    let residual = &automaton.residuals[number];
    let text = line(&residual.text, 400);
    let rows = wrapped(&text, COLUMNS, 4);
    let letters = rows.iter().map(|row| row.chars().count()).max().unwrap_or(0).max(4);
    let (width, height) = (letters as f64 * LETTER + 34.0, rows.len() as f64 * SIZE * 1.3 + 16.0);
    let class = match &*residual.text {
        "true" => "node good",
        "false" => "node lost",
        _ => "node",
    };
    let mut svg = format!("<title>{}</title>", escape(&text));
    let _ = write!(
        svg,
        "<rect class=\"{class}{}\" width=\"{}\" height=\"{}\" rx=\"7\"/>",
        if is_now { " now" } else { "" },
        short(width),
        short(height)
    );
    if residual.satisfied {
        // A second line inside the first, as accepting states of automata are drawn.
        let _ = write!(
            svg,
            "<rect class=\"{class} inner\" x=\"3\" y=\"3\" width=\"{}\" height=\"{}\" rx=\"5\"/>",
            short(width - 6.0),
            short(height - 6.0)
        );
    }
    let _ = write!(
        svg,
        "<text class=\"node-number\" x=\"8\" y=\"{}\">{number}</text>",
        short(height / 2.0 + 3.5)
    );
    for (at, row) in rows.iter().enumerate() {
        let _ = write!(
            svg,
            "<text class=\"code\" x=\"24\" y=\"{}\">{}</text>",
            short(8.0 + SIZE * (1.3 * at as f64 + 1.0)),
            escape(row)
        );
    }
    Node { width, height, svg }
}

/// Returns all ways as a list, for labels without room in the picture and for screen readers.
fn list(automaton: &Automaton) -> String {
    let mut html = format!(
        "<details class=\"inner\"><summary>{} and {} as a list</summary><ol class=\"residuals\" start=\"0\">",
        counted(len(&automaton.residuals), "residual"),
        counted(len(&automaton.ways), "way")
    );
    // The limit is for the ways of all residuals together.
    let mut left = WAYS_MAX;
    for (number, residual) in automaton.residuals.iter().enumerate().take(WAYS_MAX) {
        let sign = if residual.satisfied { " <span class=\"tag\">satisfied</span>" } else { "" };
        let _ = write!(html, "<li><code>{}</code>{sign}<ul>", escape(&line(&residual.text, 400)));
        for way in automaton.ways.iter().filter(|way| way.from == number).take(left) {
            left -= 1;
            let _ = write!(html, "<li>to {} by <code>{}</code></li>", way.to, escape(&line(&way.by, 400)));
        }
        html += "</ul></li>";
    }
    html += "</ol>";
    if left == 0 {
        html += "<p class=\"quiet\">Further ways are left out.</p>";
    }
    html += "</details>";
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Residual, Way};

    /// Returns the way of a run that leaves `left` through an automaton of these residuals, each of which leads to all.
    fn way(residuals: &[&str], left: &[&str]) -> Vec<usize> {
        let way = |from, to| Way { from, to, by: String::new(), times: 0 };
        let all = 0..residuals.len();
        let automaton = Automaton {
            residuals: residuals
                .iter()
                .map(|text| Residual { text: text.to_string(), satisfied: false })
                .collect(),
            ways: all.clone().flat_map(|from| all.clone().map(move |to| way(from, to))).collect(),
        };
        let now = |steps: usize| followed(&automaton, left[..steps].iter().copied()).now;
        (1..=left.len()).map(now).collect()
    }

    #[test]
    fn a_run_is_followed_with_less_time_left_and_with_values() {
        let drawn = ["start", "F[<=2s] [text = a]", "F[<=2s] [text = b]", "true"];
        let left = ["F[<=1700ms] [text = a]", "F[<=0s] [text = b]", "true"];
        assert_eq!(way(&drawn, &left), [1, 2, 3]);
        let drawn = ["start", "F ([text = {x}] (x 1) & [id = {y}] (y 1))", "F [desc = {x + 1}] (x 1) (y 2)"];
        let left = ["F ([text = \"a)\"] & [id = b])", "F [desc = 4]", "F [desc = 4] & [id = c]"];
        assert_eq!(way(&drawn, &left), [1, 2, 2]);
        // Only what stands in place of values and times may differ.
        assert_eq!(way(&["start", "F[<=2s] a", "F[<=2] a"], &["F[<=1] a", "G[<=1s] a"]), [0, 0]);
    }
}
