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
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, residual) in automaton.residuals.iter().enumerate() {
        // Two residuals may be spelled alike; the first comes earlier.
        numbers.entry(&residual.text).or_insert(number);
    }
    let ways: BTreeSet<(usize, usize)> = sorted::set(automaton.ways.iter().map(|way| (way.from, way.to)));
    let mut taken = Taken::new();
    let mut now = 0;
    for (number, residual) in left.enumerate() {
        match numbers.get(residual) {
            Some(&next) if ways.contains(&(now, next)) => {
                taken.entry((now, next)).or_default().push(number);
                now = next;
            }
            // From here on the residuals of the run are none of the drawn ones.
            _ => return Followed { taken, lost: Some(number), now },
        }
    }
    Followed { taken, lost: None, now }
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
