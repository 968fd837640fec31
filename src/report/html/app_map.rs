//! The map of an explored app: kinds of screens as cards in columns from the start, the ways between them, and for each
//! kind its screen, what was never done there, and the way to it.
//!
//! The picture is plain SVG, and all else is below it, so the page serves without its script, which moves and searches
//! the picture. Places of cards and the strongest ways come from [`crate::drawing`]; other ways show once a card is
//! chosen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use super::super::coverage;
use super::super::run::Run;
use super::super::words::{counted, escape, grouped, line};
use super::phone::{self, Displays};
use super::state_map;
use super::{POLICY, STYLE, opening};
use crate::deflated;
use crate::drawing::svg::{cut, short};
use crate::drawing::{self, Drawing, Rectangle, Style};
use crate::event::{AppMap, Kind, KindWay, PathStep};
use crate::gui::{Picture, Screen};
use crate::sorted;

const MAP_STYLE: &str = include_str!("map.css");
const MAP_SCRIPT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/map.js.deflated"));

/// Size of the drawn screens; later ones are left out.
const SYMBOLS_BYTES_MAX: usize = 3_000_000;

/// Cards with a small picture of their screens: of more, only names can be read.
const PICTURED_MAX: usize = 60;

/// Kinds and ways that are drawn, more than farlead writes; and the size of what is said of kinds, from which on their
/// names alone are there.
const KINDS_MAX: usize = 500;
const WAYS_MAX: usize = 4_000;
const ARTICLES_BYTES_MAX: usize = 3_000_000;

/// Ways from a kind that are listed.
const WAYS_LISTED_MAX: usize = 30;

const MARGIN: f64 = 24.0;

/// Space between two cards of a column.
const NODE_GAP: f64 = 16.0;

/// Head of arrows, once for all pictures of a page.
const HEAD: &str = "<defs><marker id=\"m-head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"8\" markerHeight=\"8\" \
                    markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"m-head\" d=\"M0 0L10 5L0 10Z\"/></marker></defs>";

/// Width and height of a card with a picture, and of one without.
const PICTURED: (f64, f64) = (190.0, 78.0);
const PLAIN: (f64, f64) = (168.0, 48.0);

/// Width and height of the whole picture to each other, about, as of a wide window.
const ASPECT: f64 = 1.4;

/// Space between two columns, about.
const GAP: f64 = 190.0;

/// Rows that a column has at least before it is split.
const ROWS_MIN: usize = 8;

/// The map, with the screens that it shows.
pub struct Section {
    pub html: String,
    /// Drawn screens, by their numbers.
    pub symbols: BTreeMap<usize, String>,
}

/// Pictures of the screens of a map, by their numbers.
type Pictures = BTreeMap<usize, Arc<Picture>>;

/// Returns the section of the page of a run, if it has a map.
pub fn section(run: &Run) -> Option<Section> {
    let map = run.map().filter(|map| has_room(map))?;
    let symbols = symbols(map, run.screens(), run.pictures());
    let mut html = String::from("<section class=\"spec\" id=\"map\"><h2>Map</h2>");
    html += &explored(map, &symbols);
    if let Some(abstracted) = &map.abstracted {
        html += &state_map::html(abstracted, &symbols);
    }
    html += "</section>\n";
    Some(Section { html, symbols })
}

/// Returns the style and the script of the section.
pub fn parts() -> (&'static str, String) {
    (MAP_STYLE, deflated::text(MAP_SCRIPT))
}

/// Returns the map of an explored app as a page of HTML; none if no app was explored.
pub fn map_html(run: &Run) -> Option<String> {
    let map = run.map().filter(|map| has_room(map))?;
    let symbols = symbols(map, run.screens(), run.pictures());
    let app = run.began().map_or(String::new(), |began| format!("{} {}", began.package, began.version));
    let app = escape(&line(&app, 200));
    let mut page = opening(&format!("Map of {app}"), POLICY, "m-page", &[STYLE, MAP_STYLE]);
    page += "<svg class=\"symbols\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>";
    symbols.values().for_each(|symbol| page += symbol);
    let _ = write!(
        page,
        "</defs></svg>\n<main>\n<header class=\"top\"><p class=\"brand\">farlead explore</p><h1>Map of <bdi>{app}</bdi></h1>"
    );
    if let Some(coverage) = run.coverage() {
        let first = coverage::sentences(coverage).into_iter().next().unwrap_or_default();
        let _ = write!(page, "<p class=\"quiet\">{}</p>", escape(&first));
    }
    page += "</header>\n";
    page += &explored(map, &symbols);
    if let Some(abstracted) = &map.abstracted {
        page += &state_map::html(abstracted, &symbols);
    }
    let script = deflated::text(MAP_SCRIPT);
    let _ = write!(page, "</main>\n<script>\n\"use strict\";\n{script}</script>\n</body>\n</html>\n");
    Some(page)
}

/// Returns the map of an explored app as a file of SVG; none if no app was explored.
pub fn map_svg(run: &Run) -> Option<String> {
    map_of_screens_svg(run.map()?, run.screens(), run.pictures())
}

/// Returns the map of an app with these screens as a file of SVG; none if it has too many parts.
pub fn map_of_screens_svg(map: &AppMap, screens: &[Arc<Screen>], pictures: &Pictures) -> Option<String> {
    if !has_room(map) {
        return None;
    }
    let is_small = map.kinds.len() <= PICTURED_MAX;
    let symbols = if is_small { symbols(map, screens, pictures) } else { BTreeMap::new() };
    let shown: String = symbols.values().map(String::as_str).collect();
    let picture =
        picture(map, &symbols, false, &format!("<style><![CDATA[\n{STYLE}{MAP_STYLE}]]></style>{shown}"));
    Some(format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{picture}\n"))
}

/// Returns true if a map can be drawn.
fn has_room(map: &AppMap) -> bool {
    let has_room = |nodes: usize, arrows: usize| nodes <= KINDS_MAX && arrows <= WAYS_MAX;
    let states = map.abstracted.as_ref();
    has_room(map.kinds.len(), map.ways.len())
        && states.is_none_or(|states| has_room(states.states.len(), states.edges.len()))
}

/// Returns the screens of the map, drawn, as far as there is room.
fn symbols(map: &AppMap, screens: &[Arc<Screen>], pictures: &Pictures) -> BTreeMap<usize, String> {
    let of_states = map.abstracted.iter().flat_map(|abstracted| &abstracted.states);
    let of_states: Vec<usize> = of_states.filter_map(|state| state.screen).collect();
    let numbers = || map.kinds.iter().filter_map(|kind| kind.screen).chain(of_states.iter().copied());
    let displays =
        Displays::of(numbers().map(|screen| &*screens[screen]), pictures.values().map(|picture| &**picture));
    let (mut symbols, mut bytes) = (BTreeMap::new(), 0);
    for number in numbers() {
        if symbols.contains_key(&number) {
            continue;
        }
        let screen = &screens[number];
        let picture = pictures.get(&number).map(|picture| &**picture);
        let symbol = phone::symbol(number, screen, picture, displays.canvas(screen));
        if bytes + symbol.len() <= SYMBOLS_BYTES_MAX {
            bytes += symbol.len();
            symbols.insert(number, symbol);
        }
    }
    symbols
}

/// Returns the picture with its tools, and the kinds below it.
fn explored(map: &AppMap, symbols: &BTreeMap<usize, String>) -> String {
    let is_of = |(is_there, class, text): (bool, &str, &str)| {
        if is_there { format!("<li><i class=\"{class}\"></i>{text}</li>") } else { String::new() }
    };
    let any = |is: fn(&Kind) -> bool| map.kinds.iter().any(is);
    let legend: String = [
        (any(|kind| kind.start), "start", "the app starts here"),
        (any(|kind| kind.crash), "crash", "the app has crashed"),
        (any(|kind| kind.never_left && !kind.crash), "hollow", "nothing was done there"),
        (any(|kind| kind.outside), "outside", "another app"),
    ]
    .into_iter()
    .map(is_of)
    .collect();
    let screens = map.kinds.iter().fold(0_u64, |sum, kind| sum.saturating_add(kind.screens));
    let mut html = String::from("<div class=\"m-explored\" data-prefix=\"kind\">");
    let _ = write!(html, "<p class=\"quiet\">{}", counted(screens, "screen"));
    if screens > map.kinds.len() as u64 {
        let _ = write!(
            html,
            " of {}: screens that are built alike are one card, with their number",
            counted(map.kinds.len() as u64, "kind")
        );
    }
    html += ". A thick arrow was taken often.</p>";
    for (count, what) in [(map.kinds_left_out, "kind of screens"), (map.ways_left_out, "way")] {
        if count > 0 {
            let what = if count == 1 {
                what.to_string()
            } else {
                what.replacen("kind", "kinds", 1).replacen("way", "ways", 1)
            };
            let _ = write!(html, "<p class=\"quiet\">{} {what} found no room here.</p>", grouped(count));
        }
    }
    let _ = write!(
        html,
        "<ul class=\"m-legend\">{legend}</ul>{}{}<div class=\"m-panel\"><p class=\"m-hint\">Choose a screen to see it, the way to it, and \
         what was never done there. Drag or use the arrow keys to move, + and − to zoom, 0 to see all.</p>",
        tools("screen", "all ways"),
        view("map of screens", &picture(map, symbols, true, ""))
    );
    let mut articles = String::new();
    for (number, kind) in map.kinds.iter().enumerate() {
        let is_whole = articles.len() < ARTICLES_BYTES_MAX;
        articles += &article(map, number, kind, symbols, is_whole);
    }
    html + &articles + "</div></div></div>"
}

/// Returns the tools of a picture: to find a `what`, to zoom, and to show all arrows.
pub fn tools(what: &str, all: &str) -> String {
    format!(
        "<div class=\"m-tools\" hidden><input type=\"search\" class=\"m-find\" placeholder=\"Find a {what}\" aria-label=\"find a {what} by its name\">\
         <button type=\"button\" class=\"m-in\" aria-label=\"larger\">+</button>\
         <button type=\"button\" class=\"m-out\" aria-label=\"smaller\">−</button>\
         <button type=\"button\" class=\"m-fit\">All</button>\
         <label><input type=\"checkbox\" class=\"m-ways\"> {all}</label>\
         <output class=\"m-said-count\"></output></div>"
    )
}

/// Returns the frame that a picture moves in, open to what stands beside it.
pub fn view(label: &str, picture: &str) -> String {
    format!(
        "<div class=\"m-sides\"><div class=\"m-view\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">{picture}</div>"
    )
}

/// Returns the parts of a name: the activity, and what the screen says.
pub fn parts_of_name(name: &str) -> (&str, &str) {
    name.split_once(' ').unwrap_or((name, ""))
}

/// Returns the class of a card.
fn class(kind: &Kind) -> String {
    let flags = [
        (kind.start, " m-start"),
        (kind.outside, " m-outside"),
        (kind.never_left, " m-hollow"),
        (kind.crash, " m-crash"),
    ];
    flags.into_iter().filter(|(is_there, _)| *is_there).map(|(_, class)| class).collect()
}

/// Returns the picture, with `defined` at its start; cards may be links to what is said of their kinds.
fn picture(map: &AppMap, symbols: &BTreeMap<usize, String>, is_linked: bool, defined: &str) -> String {
    let is_pictured = map.kinds.len() <= PICTURED_MAX;
    let laid = Graph {
        starts: map.kinds.iter().map(|kind| kind.start).collect(),
        paths: map.kinds.iter().map(|kind| &kind.path[..]).collect(),
        arrows: map.ways.iter().map(|way| (way.from, way.to, way.times)).collect(),
        size: if is_pictured { PICTURED } else { PLAIN },
        gap: GAP,
    }
    .lay_out();
    let mut svg = laid.opening("screens and the ways between them", &format!("{defined}{HEAD}"));
    let most = map.ways.iter().map(|way| way.times).max().unwrap_or(1);
    // Faint ways lie below the others.
    for is_shown in [false, true] {
        for (at, way) in map.ways.iter().enumerate() {
            let (path, always) = laid.path(at, way.from, way.to);
            if always != is_shown {
                continue;
            }
            let width = thickness(way.times, most);
            let more = if is_shown { "" } else { " m-more" };
            let crash = if map.kinds[way.to].crash { " m-to-crash" } else { "" };
            let _ = write!(
                svg,
                "<path class=\"m-way{more}{crash}\" data-from=\"{}\" data-to=\"{}\" stroke-width=\"{}\" d=\"{path}\" \
                 marker-end=\"url(#m-head)\"><title>{}</title></path>",
                way.from,
                way.to,
                short(width),
                escape(&said(way))
            );
        }
    }
    for (number, (kind, place)) in map.kinds.iter().zip(&laid.drawing.nodes).enumerate() {
        let link = if is_linked { format!(" href=\"#kind-{number}\"") } else { String::new() };
        svg += &card(number, kind, &link, *place, is_pictured, symbols);
    }
    svg + "</svg>"
}

/// Returns a way in words.
fn said(way: &KindWay) -> String {
    let others = match way.others {
        0 => String::new(),
        others => format!(" and {}", counted(others, "other action")),
    };
    format!("{}{others}, {}", line(&way.by, 120), counted(way.times, "time"))
}

fn card(
    number: usize,
    kind: &Kind,
    link: &str,
    place: Rectangle,
    is_pictured: bool,
    symbols: &BTreeMap<usize, String>,
) -> String {
    let (activity, text) = parts_of_name(&kind.name);
    let name = line(&kind.name, 200);
    let mut svg = format!(
        "<a class=\"m-card{}\"{link} data-kind=\"{number}\" data-text=\"{}\"><title>{}</title>\
         <rect class=\"m-box\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"9\"/>",
        class(kind),
        escape(&line(&format!("{} {}", kind.name, kind.activity), 300).to_lowercase()),
        escape(&format!("{name}, {}", counted(kind.screens, "screen"))),
        short(place.x),
        short(place.y),
        short(place.width),
        short(place.height)
    );
    let drawn = kind.screen.filter(|screen| is_pictured && symbols.contains_key(screen));
    let pad = 10.0;
    let (mut x, mut room) = (place.x + pad, place.width - 2.0 * pad);
    if let Some(screen) = drawn {
        let (width, height) = (42.0, place.height - 12.0);
        let _ = write!(
            svg,
            "<use href=\"#screen-{screen}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            short(place.x + 7.0),
            short(place.y + 6.0),
            short(width),
            short(height)
        );
        x += width + 4.0;
        room -= width + 4.0;
    }
    let many = if kind.screens > 1 { format!("{} screens, ", grouped(kind.screens)) } else { String::new() };
    let seen = format!("{many}{}×", grouped(kind.seen));
    let lines = match (is_pictured, text.is_empty()) {
        (true, _) => vec![
            ("m-name", activity, 12.0, 24.0),
            ("m-said", text, 11.0, 42.0),
            ("m-count", &seen, 10.0, 62.0),
        ],
        (false, true) => vec![("m-name", activity, 12.0, 21.0), ("m-count", &seen, 10.0, 37.0)],
        (false, false) => vec![("m-name", activity, 12.0, 19.0), ("m-said", text, 11.0, 36.0)],
    };
    for (class, text, size, down) in lines.into_iter().filter(|(_, text, ..)| !text.is_empty()) {
        let shown = cut(&line(text, 120), room, size);
        let (x, y) = (short(x), short(place.y + down));
        let _ = write!(svg, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escape(&shown));
    }
    if !is_pictured && kind.screens > 1 {
        let _ = write!(
            svg,
            "<text class=\"m-count\" text-anchor=\"end\" x=\"{}\" y=\"{}\">×{}</text>",
            short(place.x + place.width - 5.0),
            short(place.y + place.height - 4.0),
            grouped(kind.screens)
        );
    }
    svg + "</a>"
}

/// Graph to lay out: cards, and arrows between them.
pub struct Graph<'a> {
    /// True for the cards where the app starts.
    pub starts: Vec<bool>,
    /// Path to each card.
    pub paths: Vec<&'a [PathStep]>,
    /// Arrows: the cards at their ends, and how strong they are.
    pub arrows: Vec<(usize, usize, u64)>,
    /// Width and height of a card.
    pub size: (f64, f64),
    /// Space between two columns, about.
    pub gap: f64,
}

/// Places of cards, and routes of the arrows that always show, by the numbers of the arrows.
pub struct Laid {
    pub drawing: Drawing,
    pub routes: BTreeMap<usize, usize>,
}

impl Graph<'_> {
    /// Returns the places of its cards.
    pub fn lay_out(&self) -> Laid {
        let (trunk, (width, height)) = (self.trunk(), self.size);
        let node = |&is_start: &bool| drawing::Node { width, height, is_start };
        let nodes: Vec<drawing::Node> = self.starts.iter().map(node).collect();
        let edges: Vec<drawing::Edge> = trunk
            .iter()
            .map(|&arrow| {
                let (from, to, _) = self.arrows[arrow];
                drawing::Edge { from, to, start_y: None, end_y: None, bundle: None, label: None }
            })
            .collect();
        let (column, row) = (width + self.gap, height + NODE_GAP);
        // As many rows as give the picture its shape, if all columns were full.
        let rows = (nodes.len() as f64 * column / (ASPECT * row)).sqrt().ceil() as usize;
        let style = Style {
            left: MARGIN,
            top: MARGIN,
            node_gap: NODE_GAP,
            lane_gap: 8.0,
            head: 0.0,
            pull: 0.3,
            is_flush: false,
            rows_max: rows.max(ROWS_MIN),
        };
        let drawing = drawing::draw(&nodes, &edges, &style);
        Laid {
            drawing,
            routes: sorted::map(trunk.into_iter().enumerate().map(|(route, arrow)| (arrow, route))),
        }
    }

    /// Returns the arrows that always show: the last step of the path to each card, and as many as a fifth of these of the
    /// strongest others that lead away from the start.
    fn trunk(&self) -> Vec<usize> {
        let arrows = self.arrows.iter().enumerate();
        let at = sorted::map(arrows.map(|(at, &(from, to, _))| ((from, to), at)));
        let mut kept = BTreeSet::new();
        for (number, path) in self.paths.iter().enumerate() {
            // A path may go through several screens of the last card.
            let mut steps = path.iter().rev().filter_map(|step| step.to);
            let before = steps.find(|&step| step != number);
            kept.extend(before.and_then(|before| at.get(&(before, number))));
        }
        let depth = |card: usize| self.paths[card].len();
        let mut others: Vec<usize> = (0..self.arrows.len())
            .filter(|arrow| !kept.contains(arrow))
            .filter(|&arrow| depth(self.arrows[arrow].0) < depth(self.arrows[arrow].1))
            .collect();
        sorted::by_key(&mut others, |&arrow| (std::cmp::Reverse(self.arrows[arrow].2), arrow));
        let room = kept.len() / 5;
        kept.extend(others.into_iter().take(room));
        kept.into_iter().collect()
    }
}

impl Laid {
    /// Returns the path of an arrow between two cards, and true if it always shows.
    pub fn path(&self, arrow: usize, from: usize, to: usize) -> (String, bool) {
        match self.routes.get(&arrow) {
            Some(&route) => (self.drawing.routes[route].path.clone(), true),
            None => (direct(self.drawing.nodes[from], self.drawing.nodes[to]), false),
        }
    }

    /// Returns the start of the picture: its size, and what is `defined`.
    pub fn opening(&self, label: &str, defined: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"m-map\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"group\" \
             aria-label=\"{label}\">{defined}",
            short(self.drawing.right + MARGIN),
            short(self.drawing.bottom + MARGIN)
        )
    }
}

/// Returns the width of an arrow that was taken so often, where the most are `most`.
pub fn thickness(times: u64, most: u64) -> f64 {
    1.0 + 4.0 * (times.max(1) as f64).ln() / (most.max(2) as f64).ln()
}

/// Returns a curve straight from one card to another, whatever lies between.
fn direct(from: Rectangle, to: Rectangle) -> String {
    let (from_y, to_y) = (from.y + from.height / 2.0, to.y + to.height / 2.0);
    let (start, end, bend) = if to.x > from.x + from.width {
        (from.x + from.width, to.x, (to.x - from.x - from.width) / 2.0)
    } else if to.x + to.width < from.x {
        (from.x, to.x + to.width, (to.x + to.width - from.x) / 2.0)
    } else {
        // In the same column, out to the right and back.
        let out = from.x.max(to.x) + from.width.max(to.width) + 46.0;
        let (start, end) = (from.x + from.width, to.x + to.width);
        let [start, out, end] = [start, out, end].map(short);
        let [from_y, to_y] = [from_y, to_y].map(short);
        return format!("M{start} {from_y}C{out} {from_y} {out} {to_y} {end} {to_y}");
    };
    let [one, other] = [start + bend, end - bend].map(short);
    let [start, end, from_y, to_y] = [start, end, from_y, to_y].map(short);
    format!("M{start} {from_y}C{one} {from_y} {other} {to_y} {end} {to_y}")
}

/// Returns all about a kind: its screen, the way to it, what was never done there, and where it leads.
fn article(
    map: &AppMap,
    number: usize,
    kind: &Kind,
    symbols: &BTreeMap<usize, String>,
    is_whole: bool,
) -> String {
    let path: Vec<String> = kind.path.iter().filter_map(|step| step.to).map(|to| to.to_string()).collect();
    let mut html = format!(
        "<article class=\"m-kind\" id=\"kind-{number}\" data-path=\"{}\"><h3><bdi>{}</bdi></h3><p class=\"quiet\"><bdi>{}</bdi><br/>{}, \
         seen {}, first at step {}</p>",
        path.join(" "),
        escape(&line(&kind.name, 200)),
        escape(&line(&kind.activity, 200)),
        counted(kind.screens, "screen"),
        counted(kind.seen, "time"),
        grouped(kind.step)
    );
    if !is_whole {
        return html + "</article>";
    }
    if let Some(screen) = kind.screen.filter(|screen| symbols.contains_key(screen)) {
        let _ = write!(
            html,
            "<svg class=\"m-phone\" viewBox=\"0 0 250 420\" role=\"img\" aria-label=\"the screen, drawn\"><use href=\"#screen-{screen}\" \
             width=\"250\" height=\"420\"/></svg>"
        );
    }
    let link = |to: usize| {
        format!("<a href=\"#kind-{to}\"><bdi>{}</bdi></a>", escape(&line(&map.kinds[to].name, 100)))
    };
    if !kind.path.is_empty() {
        html += "<h4>Path to here</h4><ol>";
        for step in &kind.path {
            let to = step
                .to
                .filter(|&to| to != number)
                .map_or(String::new(), |to| format!("<small>→ {}</small>", link(to)));
            let _ = write!(html, "<li><code>{}</code>{to}</li>", escape(&line(&step.by, 200)));
        }
        html += "</ol>";
    }
    let _ = write!(html, "<h4>Done here: {} of {}</h4>", grouped(kind.done), counted(kind.offered, "action"));
    if !kind.never_done.is_empty() {
        html += "<p class=\"quiet\">Never done:</p><ul>";
        for (action, reason) in &kind.never_done {
            let _ = write!(
                html,
                "<li><code>{}</code><small>{}</small></li>",
                escape(&line(action, 200)),
                escape(&line(reason, 300))
            );
        }
        html += "</ul>";
        let rest = (kind.offered - kind.done.min(kind.offered)).saturating_sub(kind.never_done.len() as u64);
        if rest > 0 {
            let _ = write!(html, "<p class=\"quiet\">and {} more</p>", grouped(rest));
        }
    }
    let first = map.ways.partition_point(|way| way.from < number);
    let ways: Vec<&KindWay> = map.ways[first..].iter().take_while(|way| way.from == number).collect();
    if !ways.is_empty() {
        let _ =
            write!(html, "<details><summary>Leads to {}</summary><ul>", counted(ways.len() as u64, "kind"));
        for way in ways.iter().take(WAYS_LISTED_MAX) {
            let _ =
                write!(html, "<li>{}<small><code>{}</code></small></li>", link(way.to), escape(&said(way)));
        }
        html += "</ul></details>";
    }
    html + "</article>"
}

#[cfg(test)]
mod tests {
    use super::super::super::run::tests::{began, run};
    use super::*;
    use crate::event::{Event, MapEdge, MapState, MapTree, MapWidget, StateMap};

    fn large(kinds: usize, ways: usize) -> AppMap {
        let long = "<&>".repeat(40);
        let kind = |number: usize| Kind {
            name: format!("{long} {number}"),
            start: number == 0,
            path: (0..60).map(|at| PathStep { by: long.clone(), to: Some((number + at) % kinds) }).collect(),
            never_done: vec![(long.clone(), long.clone()); 12],
            ..Kind::default()
        };
        let way = |at: usize| KindWay {
            from: at % kinds,
            to: (at * 7 + 1) % kinds,
            by: long.clone(),
            times: 1 + at as u64,
            ..KindWay::default()
        };
        let state = |number: usize| MapState {
            name: format!("{long} {number}"),
            start: number == 0,
            tree: number as u32,
            widgets: vec![MapWidget { like: long.clone(), by: long.clone(), ..MapWidget::default() }; 40],
            path: (0..60).map(|at| PathStep { by: long.clone(), to: Some((number + at) % kinds) }).collect(),
            ..MapState::default()
        };
        let edge = |at: usize| {
            let KindWay { from, to, by, times, .. } = way(at);
            MapEdge { from, to, by, hits: times, misses: 1, ..MapEdge::default() }
        };
        let tree = |number: u32| MapTree {
            tree: number + 1,
            from: number,
            like: Some(long.clone()),
            before: long.clone(),
            by: long.clone(),
        };
        let abstracted = StateMap {
            states: (0..kinds).map(state).collect(),
            edges: (0..ways).map(edge).collect(),
            trees: (0..2_000).map(tree).collect(),
            ..StateMap::default()
        };
        AppMap {
            kinds: (0..kinds).map(kind).collect(),
            ways: (0..ways).map(way).collect(),
            abstracted: Some(Box::new(abstracted)),
            ..AppMap::default()
        }
    }

    #[test]
    fn the_largest_map_leaves_room_on_the_page_and_a_larger_one_is_not_drawn() {
        let section = |map: AppMap| section(&run([began(), Event::Mapped(Box::new(map))]));
        let most = section(large(KINDS_MAX, WAYS_MAX)).expect("a map");
        assert!(most.html.len() < 16_000_000, "{}", most.html.len());
        assert_eq!(most.html.matches("<article").count(), 2 * KINDS_MAX);
        assert_eq!(most.html.matches("<path class=\"m-way").count(), 2 * WAYS_MAX);
        assert!(section(large(KINDS_MAX + 1, 1)).is_none());
        assert!(section(AppMap::default()).is_some());
    }
}
