//! The map of abstract states: each as a small card, edges by their strength, for each state its widgets with the reducers
//! that name them, and the decision trees.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::words::{counted, escape, grouped, line};
use super::app_map::{Graph, parts_of_name, thickness, tools, view};
use crate::drawing::Rectangle;
use crate::drawing::svg::{cut, short};
use crate::event::{MapEdge, MapState, MapTree, StateMap};

/// Width and height of a card, and the space between two columns, about.
const SIZE: (f64, f64) = (112.0, 26.0);
const GAP: f64 = 90.0;

/// Size of what is said of states, from which on their names alone are there.
const ARTICLES_BYTES_MAX: usize = 3_000_000;

/// Edges from a state, and states of a tree, that are listed.
const EDGES_LISTED_MAX: usize = 30;
const STATES_LISTED_MAX: usize = 12;

/// Trees that are listed, and how deep their lists go: browsers draw no more.
const TREES_MAX: usize = 500;
const DEPTH_MAX: usize = 30;

/// Returns the section of the map; `symbols` are drawn screens by their numbers.
pub fn html(map: &StateMap, symbols: &BTreeMap<usize, String>) -> String {
    let screens = map.states.iter().fold(0_u64, |sum, state| sum.saturating_add(state.screens));
    let mut html = format!(
        "<div class=\"m-states\" id=\"states\"><h2>States</h2><p class=\"quiet\">{} of {}, as <code>{}</code> tells them apart. An edge is as \
         thick as its action led there often; it is dashed if the action leads elsewhere as well.</p>",
        counted(map.states.len() as u64, "state"),
        counted(screens, "screen"),
        escape(&line(&map.abstraction, 60))
    );
    for (count, what) in [(map.states_left_out, "state"), (map.edges_left_out, "edge")] {
        if count > 0 {
            let _ = write!(html, "<p class=\"quiet\">{} found no room here.</p>", counted(count, what));
        }
    }
    let is_weak = map.edges.iter().any(|edge| !edge.strong);
    let weak = if is_weak { "<li><i class=\"weak\"></i>leads elsewhere as well</li>" } else { "" };
    let _ = write!(
        html,
        "<div class=\"m-explored\" data-prefix=\"state\"><ul class=\"m-legend\">{weak}</ul>{}{}<div class=\"m-panel\"><p class=\"m-hint\">Choose a \
         state to see its widgets and the reducer that names each.</p>",
        tools("state", "all edges"),
        view("map of states", &picture(map))
    );
    let mut articles = String::new();
    for (number, state) in map.states.iter().enumerate() {
        let is_whole = articles.len() < ARTICLES_BYTES_MAX;
        articles += &article(map, number, state, symbols, is_whole);
    }
    html + &articles + "</div></div></div>" + &trees(map) + "</div>"
}

fn picture(map: &StateMap) -> String {
    let laid = Graph {
        starts: map.states.iter().map(|state| state.start).collect(),
        paths: map.states.iter().map(|state| &state.path[..]).collect(),
        arrows: map.edges.iter().map(|edge| (edge.from, edge.to, edge.hits)).collect(),
        size: SIZE,
        gap: GAP,
    }
    .lay_out();
    let mut svg = laid.opening("states and the edges between them", "");
    let most = map.edges.iter().map(|edge| edge.hits).max().unwrap_or(1);
    // Faint edges lie below the others.
    for is_shown in [false, true] {
        for (at, edge) in map.edges.iter().enumerate() {
            let (path, always) = laid.path(at, edge.from, edge.to);
            if always != is_shown {
                continue;
            }
            let more = if is_shown { "" } else { " m-more" };
            let weak = if edge.strong { "" } else { " m-weak" };
            let crash = if map.states[edge.to].crash { " m-to-crash" } else { "" };
            let _ = write!(
                svg,
                "<path class=\"m-way{more}{weak}{crash}\" data-from=\"{}\" data-to=\"{}\" stroke-width=\"{}\" d=\"{path}\" \
                 marker-end=\"url(#m-head)\"><title>{}</title></path>",
                edge.from,
                edge.to,
                short(thickness(edge.hits, most)),
                escape(&said(edge))
            );
        }
    }
    for (number, (state, place)) in map.states.iter().zip(&laid.drawing.nodes).enumerate() {
        svg += &card(number, state, *place);
    }
    svg + "</svg>"
}

/// Returns an edge in words.
fn said(edge: &MapEdge) -> String {
    let others = match edge.others {
        0 => String::new(),
        others => format!(" and {}", counted(others, "other action")),
    };
    let missed =
        if edge.misses > 0 { format!(", elsewhere {}", grouped(edge.misses)) } else { String::new() };
    format!("{}{others}, {}{missed}", line(&edge.by, 120), counted(edge.hits, "time"))
}

fn card(number: usize, state: &MapState, place: Rectangle) -> String {
    let flags = [(state.start, " m-start"), (state.outside, " m-outside"), (state.crash, " m-crash")];
    let class: String = flags.into_iter().filter(|(is_there, _)| *is_there).map(|(_, class)| class).collect();
    let (activity, text) = parts_of_name(&state.name);
    // States of one activity are told apart by what they say.
    let name = if text.is_empty() { activity } else { text };
    let name = cut(&line(name, 120), place.width - 12.0, 10.0);
    let tip = format!("{}, {}", line(&state.name, 200), counted(state.screens, "screen"));
    format!(
        "<a class=\"m-card{class}\" href=\"#state-{number}\" data-kind=\"{number}\" data-text=\"{}\"><title>{}</title>\
         <rect class=\"m-box\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"7\"/><text class=\"m-count\" x=\"{}\" y=\"{}\">{}</text></a>",
        escape(&line(&format!("{} {}", state.name, state.activity), 300).to_lowercase()),
        escape(&tip),
        short(place.x),
        short(place.y),
        short(place.width),
        short(place.height),
        short(place.x + 6.0),
        short(place.y + 17.0),
        escape(&name)
    )
}

fn link(map: &StateMap, state: usize) -> String {
    format!("<a href=\"#state-{state}\"><bdi>{}</bdi></a>", escape(&line(&map.states[state].name, 100)))
}

/// Returns all about a state: its representative screen, its widgets, the way to it, and where it leads.
fn article(
    map: &StateMap,
    number: usize,
    state: &MapState,
    symbols: &BTreeMap<usize, String>,
    is_whole: bool,
) -> String {
    let path: Vec<String> = state.path.iter().filter_map(|step| step.to).map(|to| to.to_string()).collect();
    let mut html = format!(
        "<article class=\"m-kind\" id=\"state-{number}\" data-path=\"{}\"><h3><bdi>{}</bdi></h3><p class=\"quiet\"><bdi>{}</bdi><br/>{}, seen \
         {}, first at step {}; named by tree {}</p>",
        path.join(" "),
        escape(&line(&state.name, 200)),
        escape(&line(&state.activity, 200)),
        counted(state.screens, "screen"),
        counted(state.seen, "time"),
        grouped(state.step),
        grouped(state.tree.into())
    );
    if !is_whole {
        return html + "</article>";
    }
    if !state.widgets.is_empty() {
        html += "<table class=\"m-names\"><thead><tr><th>Widgets</th><th>Named by</th><th>Take</th></tr></thead><tbody>";
        for widget in &state.widgets {
            let many = if widget.count > 1 { format!(" ×{}", grouped(widget.count)) } else { String::new() };
            let _ = write!(
                html,
                "<tr><td><bdi>{}</bdi>{many}</td><td class=\"m-by\">{}</td><td>{}</td></tr>",
                escape(&line(&widget.like, 100)),
                escape(&line(&widget.by, 60)),
                escape(&line(&widget.does.join(", "), 100))
            );
        }
        html += "</tbody></table>";
        if state.widgets_left_out > 0 {
            let _ = write!(html, "<p class=\"quiet\">and {} more</p>", grouped(state.widgets_left_out));
        }
    }
    if let Some(screen) = state.screen.filter(|screen| symbols.contains_key(screen)) {
        let _ = write!(
            html,
            "<svg class=\"m-phone\" viewBox=\"0 0 250 420\" role=\"img\" aria-label=\"the representative screen, drawn\"><use \
             href=\"#screen-{screen}\" width=\"250\" height=\"420\"/></svg>"
        );
    }
    let first = map.edges.partition_point(|edge| edge.from < number);
    let edges: Vec<&MapEdge> = map.edges[first..].iter().take_while(|edge| edge.from == number).collect();
    if !edges.is_empty() {
        let _ = write!(html, "<h4>Leads to {}</h4><ul>", counted(edges.len() as u64, "state"));
        for edge in edges.iter().take(EDGES_LISTED_MAX) {
            let to = link(map, edge.to);
            let _ = write!(html, "<li>{to}<small><code>{}</code></small></li>", escape(&said(edge)));
        }
        html += "</ul>";
    }
    html + "</article>"
}

/// Returns the decision trees: the rules of the first one, and each further one below that which it grew from.
fn trees(map: &StateMap) -> String {
    let mut below: BTreeMap<u32, Vec<&MapTree>> = BTreeMap::new();
    for tree in map.trees.iter().take(TREES_MAX) {
        below.entry(tree.from).or_default().push(tree);
    }
    let mut states: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (number, state) in map.states.iter().enumerate() {
        states.entry(state.tree).or_default().push(number);
    }
    let mut html = String::from(
        "<details class=\"m-trees\" open><summary>Decision trees</summary><p class=\"quiet\">A tree names widgets by what its reducers keep \
         of them. A state that is refined gets a tree with one branch more.</p><ul><li>tree 0: ",
    );
    let of = ["others by", "widgets that take actions by", "other rows by", "rows that take actions by"];
    let starts = of.into_iter().zip(&map.starts);
    let starts: Vec<String> = starts
        .map(|(of, by)| format!("{of} <span class=\"m-by\">{}</span>", escape(&line(by, 60))))
        .collect();
    html += &starts.join(", ");
    html += &named(map, &states, 0);
    grown(map, &below, &states, (0, 0), &mut html);
    html += "</li></ul>";
    if map.trees.len() > TREES_MAX {
        let more = (map.trees.len() - TREES_MAX) as u64;
        let _ = write!(html, "<p class=\"quiet\">{} found no room here.</p>", counted(more, "tree"));
    }
    html + "</details>"
}

/// Adds the trees that grew from another, which lies `depth` deep.
fn grown(
    map: &StateMap,
    below: &BTreeMap<u32, Vec<&MapTree>>,
    states: &BTreeMap<u32, Vec<usize>>,
    (from, depth): (u32, usize),
    html: &mut String,
) {
    // Numbers may come from a file: a tree grows from one before it.
    let mut trees = below.get(&from).into_iter().flatten().filter(|tree| tree.tree > from).peekable();
    if trees.peek().is_none() || depth >= DEPTH_MAX {
        return;
    }
    *html += "<ul>";
    for tree in trees {
        let like = match &tree.like {
            Some(like) => format!("widgets like <bdi>{}</bdi>", escape(&line(like, 100))),
            None => "some widgets".to_string(),
        };
        let _ = write!(
            html,
            "<li>tree {}: {like} by <span class=\"m-by\">{}</span>, not by <span class=\"m-by\">{}</span>{}",
            grouped(tree.tree.into()),
            escape(&line(&tree.by, 60)),
            escape(&line(&tree.before, 60)),
            named(map, states, tree.tree)
        );
        grown(map, below, states, (tree.tree, depth + 1), html);
        *html += "</li>";
    }
    *html += "</ul>";
}

/// Returns the states that a tree names.
fn named(map: &StateMap, states: &BTreeMap<u32, Vec<usize>>, tree: u32) -> String {
    let Some(states) = states.get(&tree) else { return String::new() };
    let links: Vec<String> = states.iter().take(STATES_LISTED_MAX).map(|&state| link(map, state)).collect();
    let more = match states.len().saturating_sub(STATES_LISTED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("<br/><small>{}: {}{more}</small>", counted(states.len() as u64, "state"), links.join(", "))
}
