//! The map of screens: the screens met for a spec, the ways between them, and the way of the run.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;

use super::super::words::{counted, escape, grouped, len, line};
use super::automaton::numbers;
use super::graph::{self, Edge, Node};
use super::phone::{Displays, wrapped};
use crate::drawing::svg::short;
use crate::event::{SpecEnded, Way};
use crate::gui::Screen;
use crate::sorted;

/// Screens of a map: nobody reads a larger one.
const SCREENS_MAX: usize = 18;

/// Ways in the list below the map.
const WAYS_MAX: usize = 150;

/// Steps of the run that are followed.
const STEPS_MAX: usize = 1_000;

/// Width of a screen, with its frame.
const WIDTH: f64 = 84.0;

/// The ways from one screen to another.
#[derive(Default)]
struct Link<'a> {
    by: Vec<(&'a str, u64)>,
    steps: Vec<usize>,
}

/// Returns the map of the screens met for a spec, and adds those it draws to `drawn`.
pub fn section(
    ended: &SpecEnded,
    screens: &[Arc<Screen>],
    displays: Displays,
    drawn: &mut BTreeSet<usize>,
) -> String {
    let links = links(ended);
    if links.is_empty() {
        return "<p class=\"quiet\">No ways between screens were reported.</p>".to_string();
    }
    let all: BTreeSet<usize> = sorted::set(links.keys().flat_map(|&(from, to)| [from, to]));
    let kept = chosen(ended, &links, &all);
    let place: BTreeMap<usize, usize> =
        sorted::map(kept.iter().enumerate().map(|(at, &number)| (number, at)));
    let nodes: Vec<Node> = kept.iter().map(|&number| node(number, &screens[number], displays)).collect();
    drawn.extend(&kept);
    let edges: Vec<Edge> = links
        .iter()
        // Most actions stay on a screen: an arrow for each of these would hide the others. The run keeps its own.
        .filter(|&(&(from, to), link)| from != to || !link.steps.is_empty())
        .filter_map(|(&(from, to), link)| Some(edge(*place.get(&from)?, *place.get(&to)?, link)))
        .collect();
    let mut html =
        String::from("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"map of screens\">");
    html += &graph::draw(&nodes, &edges, "screens and the ways between them");
    html += "</div>";
    let left_out = all.len() - kept.len();
    if left_out > 0 {
        let _ = write!(
            html,
            "<p class=\"quiet\">{} more {} left out of the picture.</p>",
            counted(left_out as u64, "screen"),
            if left_out == 1 { "is" } else { "are" }
        );
    }
    html += &list(&ended.map);
    html
}

/// Returns the ways of the map and of the run, grouped by their two screens.
fn links(ended: &SpecEnded) -> BTreeMap<(usize, usize), Link<'_>> {
    let mut links: BTreeMap<(usize, usize), Link<'_>> = BTreeMap::new();
    for way in &ended.map {
        links.entry((way.from, way.to)).or_default().by.push((&way.by, way.times));
    }
    for (number, two) in ended.run.windows(2).take(STEPS_MAX).enumerate() {
        let link = links.entry((two[0].screen, two[1].screen)).or_default();
        // A way belongs to the step that it leads to, as in the timeline.
        link.steps.push(number + 1);
        // The action of the run comes first, as the first alone is named beside the arrow.
        let by = &*two[1].action.shown;
        let at = link.by.iter().position(|(other, _)| *other == by).unwrap_or(link.by.len());
        if at == link.by.len() {
            link.by.push((by, 0));
        }
        link.by.swap(0, at);
    }
    links
}

/// Returns the screens to draw: those of the run, then those nearest to its start.
fn chosen(
    ended: &SpecEnded,
    links: &BTreeMap<(usize, usize), Link<'_>>,
    all: &BTreeSet<usize>,
) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    let add = |kept: &mut Vec<usize>, number: usize| {
        if kept.len() < SCREENS_MAX && all.contains(&number) && !kept.contains(&number) {
            kept.push(number);
        }
    };
    // The first screen kept is the start of the drawing.
    ended.run.iter().for_each(|step| add(&mut kept, step.screen));
    // A search without a run has only its map.
    let start = ended.run.first().map(|step| step.screen).or(ended.map.first().map(|way| way.from));
    let mut open: VecDeque<usize> = start.into_iter().collect();
    let mut met: BTreeSet<usize> = sorted::set(open.iter().copied());
    while let Some(here) = open.pop_front() {
        add(&mut kept, here);
        for (&(_, to), _) in links.range((here, 0)..=(here, usize::MAX)) {
            if met.insert(to) {
                open.push_back(to);
            }
        }
    }
    // Screens that no known way leads to come last, if there is room.
    all.iter().for_each(|&number| add(&mut kept, number));
    kept
}

fn edge(from: usize, to: usize, link: &Link<'_>) -> Edge {
    const NAMED_MAX: usize = 12;
    let said = |&(by, times): &(&str, u64)| match times {
        // One time is not worth a number, and a way of the run alone has a count of 0.
        0 | 1 => line(by, 60),
        _ => format!("{} ×{}", line(by, 60), grouped(times)),
    };
    let first = link.by.first().map_or(String::new(), |(by, _)| line(by, 40));
    let more = if link.by.len() > 1 { format!(" +{}", link.by.len() - 1) } else { String::new() };
    // Cut the name alone: the number of the others has to stay.
    let name = wrapped(&first, 22_usize.saturating_sub(more.len()), 1).join("");
    let named: Vec<String> = link.by.iter().take(NAMED_MAX).map(said).collect();
    let rest = link.by.len().saturating_sub(NAMED_MAX);
    let rest = if rest > 0 { format!(", and {rest} more") } else { String::new() };
    Edge {
        from,
        to,
        label: name + &more,
        title: named.join(", ") + &rest,
        steps: if link.steps.is_empty() { String::new() } else { numbers(&link.steps) },
    }
}

fn node(number: usize, screen: &Screen, displays: Displays) -> Node {
    let canvas = displays.canvas(screen);
    let height = canvas.height() / canvas.width() * WIDTH;
    let activity = crate::gui::short_activity(screen.activity());
    let name = wrapped(&line(activity, 60), 15, 1).join("");
    let mut svg = format!("<title>screen {number}: {}</title>", escape(&line(screen.activity(), 200)));
    let _ = write!(
        svg,
        "<use href=\"#screen-{number}\" width=\"{}\" height=\"{}\"/>\
         <text class=\"caption\" x=\"{}\" y=\"{}\">{number} {}</text>",
        short(WIDTH),
        short(height),
        short(WIDTH / 2.0),
        short(height + 13.0),
        escape(&name)
    );
    // The caption stands below the screen.
    Node { width: WIDTH, height: height + 16.0, svg }
}

/// Returns the ways as a list, for labels without room in the picture and for screen readers.
fn list(map: &[Way]) -> String {
    let mut html =
        format!("<details class=\"inner\"><summary>{} as a list</summary><ul>", counted(len(map), "way"));
    for Way { from, to, by, times } in map.iter().take(WAYS_MAX) {
        let _ = write!(
            html,
            "<li>{from} → {to} by <code>{}</code>, {}</li>",
            escape(&line(by, 200)),
            counted(*times, "time")
        );
    }
    html += "</ul>";
    if map.len() > WAYS_MAX {
        let _ = write!(
            html,
            "<p class=\"quiet\">{} more are left out.</p>",
            counted((map.len() - WAYS_MAX) as u64, "way")
        );
    }
    html += "</details>";
    html
}
