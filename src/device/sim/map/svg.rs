//! The picture of a map: windows as boxes, their widgets and events in rows, and arrows from the rows.
//!
//! Boxes are made for their texts, which so never meet. Arrows to the same window share lanes, and its colour. Places of
//! windows and routes of arrows come from [`crate::drawing`].

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Arrow, Map};
use crate::drawing::svg::{cut, escaped, text_width};
use crate::drawing::{self, Drawing, Edge, Node, Rectangle, Style};
use crate::sorted;

/// Lines of a row; further causes are counted.
const CAUSES_SHOWN_MAX: usize = 6;

const MARGIN: f64 = 24.0;
const TITLE: f64 = 34.0;
const HEADER: f64 = 42.0;
const LINE: f64 = 15.0;
const ROW_PAD: f64 = 5.0;
const TEXT_PAD: f64 = 12.0;
const WIDTH_MIN: f64 = 120.0;
const WIDTH_MAX: f64 = 330.0;
/// Width of the sign at the end of a row that leads back.
const SIGN: f64 = 18.0;
/// Width of the sign beside a launched window.
const LAUNCH_SIGN: f64 = 30.0;
const ARROWHEAD: f64 = 8.0;

/// Width of the legend.
const LEGEND: f64 = 760.0;

const STYLE: Style = Style {
    left: MARGIN + LAUNCH_SIGN,
    top: MARGIN + TITLE,
    node_gap: 28.0,
    lane_gap: 12.0,
    head: ARROWHEAD,
    pull: 0.0,
    is_flush: true,
    rows_max: usize::MAX,
};

/// Colours dark enough for lines, and at a tenth light enough to write on.
const COLOURS: [&str; 12] = [
    "#1f6fb4", "#c2571a", "#2e8b3d", "#b3282d", "#7a4fb0", "#8a5a44", "#c0428f", "#4d6b00", "#52616b",
    "#0a8494", "#a57c00", "#5a5fd6",
];

pub fn draw(map: &Map) -> String {
    let boxes = boxes(map);
    let (arrows, drawing) = lay_out(map, &boxes);
    let colours = colours(&drawing.nodes);
    Picture { map, boxes: &boxes, arrows: &arrows, drawing: &drawing, colours }.write()
}

/// A window as a box, measured from its upper left corner.
struct Drawn {
    width: f64,
    height: f64,
    rows: Vec<Row>,
}

/// The row from which an arrow starts.
struct Row {
    arrow: usize,
    lines: Vec<String>,
    top: f64,
    height: f64,
}

impl Row {
    fn middle(&self) -> f64 {
        self.top + self.height / 2.0
    }
}

fn boxes(map: &Map) -> Vec<Drawn> {
    let mut arrows = vec![Vec::new(); map.windows.len()];
    for (number, arrow) in map.arrows.iter().enumerate() {
        arrows[arrow.from].push(number);
    }
    (0..).zip(&arrows).map(|(window, arrows)| Drawn::new(map, window, arrows)).collect()
}

impl Drawn {
    fn new(map: &Map, window: usize, arrows: &[usize]) -> Drawn {
        let mut top = HEADER;
        let mut rows = Vec::new();
        for &arrow in arrows {
            let lines = lines(&map.arrows[arrow]);
            let height = LINE * lines.len() as f64 + 2.0 * ROW_PAD;
            rows.push(Row { arrow, lines, top, height });
            top += height;
        }
        let of = &map.windows[window];
        let widest_row = rows.iter().flat_map(|row| {
            let sign = if map.arrows[row.arrow].is_end { SIGN } else { 0.0 };
            row.lines.iter().map(move |line| text_width(line, 12.0) + sign)
        });
        let widest = widest_row
            // Bold letters are up to a tenth wider.
            .chain([1.1 * text_width(&of.name, 14.0), text_width(&of.about, 11.0)])
            .fold(0.0, f64::max);
        // One more, as `cut` measures again, and rounding must not cut the widest text.
        let width = (widest + 2.0 * TEXT_PAD + 1.0).clamp(WIDTH_MIN, WIDTH_MAX);
        Drawn { width, height: top, rows }
    }
}

fn lines(arrow: &Arrow) -> Vec<String> {
    let more = arrow.by.len().saturating_sub(CAUSES_SHOWN_MAX);
    // `and 1 more` would take the room of that cause.
    let shown = if more > 1 { CAUSES_SHOWN_MAX } else { arrow.by.len() };
    let mut lines = arrow.by[..shown].to_vec();
    if shown < arrow.by.len() {
        lines.push(format!("and {} more", arrow.by.len() - shown));
    }
    lines
}

/// Returns the arrows that lead to a known window, and the drawing with these as its edges.
fn lay_out(map: &Map, boxes: &[Drawn]) -> (Vec<usize>, Drawing) {
    let nodes: Vec<Node> = boxes
        .iter()
        .zip(&map.windows)
        .map(|(&Drawn { width, height, .. }, window)| Node { width, height, is_start: window.is_launchable })
        .collect();
    let (mut arrows, mut edges) = (Vec::new(), Vec::new());
    for row in boxes.iter().flat_map(|drawn| &drawn.rows) {
        let arrow = &map.arrows[row.arrow];
        if let Some(to) = arrow.to {
            arrows.push(row.arrow);
            edges.push(Edge {
                from: arrow.from,
                to,
                start_y: Some(row.middle()),
                end_y: Some(HEADER / 2.0),
                // Ends are dashed, so the two kinds share no lane.
                bundle: Some(usize::from(arrow.is_end)),
                label: None,
            });
        }
    }
    (arrows, drawing::draw(&nodes, &edges, &STYLE))
}

/// Returns the colours of windows: neighbours in a column differ.
fn colours(places: &[Rectangle]) -> Vec<&'static str> {
    let mut in_order: Vec<usize> = (0..places.len()).collect();
    sorted::by(&mut in_order, |&one, &other| {
        let (one, other) = (places[one], places[other]);
        one.x.total_cmp(&other.x).then(one.y.total_cmp(&other.y))
    });
    let mut colours = vec![COLOURS[0]; places.len()];
    for (window, colour) in in_order.into_iter().zip(COLOURS.iter().cycle()) {
        colours[window] = colour;
    }
    colours
}

struct Picture<'a> {
    map: &'a Map,
    boxes: &'a [Drawn],
    /// The arrow of each edge of the drawing.
    arrows: &'a [usize],
    drawing: &'a Drawing,
    colours: Vec<&'static str>,
}

impl Picture<'_> {
    fn write(&self) -> String {
        let heading = format!("{}   {}", self.map.title, self.map.package);
        let text_end = MARGIN + text_width(&heading, 18.0).max(LEGEND);
        let width = self.drawing.right.max(text_end) + 2.0 * MARGIN;
        let height = self.drawing.bottom + 2.0 * MARGIN;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"DejaVu Sans, Verdana, Arial, sans-serif\">\n"
        );
        let _ = writeln!(svg, "<title>{}</title>", escaped(&heading));
        let _ = writeln!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{:.1}\" font-size=\"18\" font-weight=\"bold\" fill=\"#222\">{}\
             <tspan dx=\"12\" font-size=\"12\" font-weight=\"normal\" fill=\"#666\">{}</tspan></text>",
            MARGIN + 14.0,
            escaped(&self.map.title),
            escaped(&self.map.package)
        );
        self.write_arrows(&mut svg);
        for (window, place) in self.drawing.nodes.iter().enumerate() {
            self.write_window(&mut svg, window, *place);
        }
        self.write_legend(&mut svg, height - 16.0);
        svg.push_str("</svg>\n");
        svg
    }

    fn write_arrows(&self, svg: &mut String) {
        let mut heads = BTreeMap::new();
        // Ends go below the others, which matter more.
        for is_end in [true, false] {
            for (&number, route) in self.arrows.iter().zip(&self.drawing.routes) {
                let arrow = &self.map.arrows[number];
                if arrow.is_end != is_end {
                    continue;
                }
                let to = arrow.to.expect("an arrow that is drawn leads somewhere");
                let name = |window: usize| escaped(&self.map.windows[window].name);
                let _ = writeln!(
                    svg,
                    "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}><title>{} → {}: {}</title></path>",
                    route.path,
                    self.colours[to],
                    if is_end { "1" } else { "1.5" },
                    if is_end { " stroke-dasharray=\"4 3\" stroke-opacity=\"0.75\"" } else { "" },
                    name(arrow.from),
                    name(to),
                    escaped(&arrow.by.join(", "))
                );
                // Arrows of a bundle share their head.
                heads.insert((to, route.is_leftwards), route.tip);
            }
        }
        for ((to, is_leftwards), (x, y)) in heads {
            let back = if is_leftwards { x + ARROWHEAD + 1.0 } else { x - ARROWHEAD - 1.0 };
            let colour = self.colours[to];
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {y:.1}L{back:.1} {:.1}V{:.1}Z\" fill=\"{colour}\"/>",
                y - 4.5,
                y + 4.5
            );
        }
    }

    fn write_window(&self, svg: &mut String, window: usize, place: Rectangle) {
        let Rectangle { x, y, width: wide, height } = place;
        let of = &self.map.windows[window];
        let drawn = &self.boxes[window];
        let colour = self.colours[window];
        let round = if of.is_activity { 2 } else { 14 };
        let dashes = if of.is_reachable { "" } else { " stroke-dasharray=\"6 4\"" };
        let border = if of.is_launchable { "2.5" } else { "1.3" };
        let _ = writeln!(svg, "<g>");
        // White comes first, so that arrows do not show through the colour.
        for (fill, opacity) in [("white", ""), (colour, " fill-opacity=\"0.08\"")] {
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{height:.1}\" rx=\"{round}\" \
                 fill=\"{fill}\"{opacity} stroke=\"{colour}\" stroke-width=\"{border}\"{dashes}/>"
            );
        }
        if of.is_launchable {
            let middle = y + HEADER / 2.0;
            let _ = writeln!(
                svg,
                "<circle cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"5\" fill=\"#222\"/>\
                 <path d=\"M{:.1} {middle:.1}H{:.1}M{x:.1} {middle:.1}l-9 -4.5v9z\" stroke=\"#222\" fill=\"#222\"/>",
                x - 28.0,
                x - 28.0,
                x - 8.0
            );
        }
        let texts_wide = wide - 2.0 * TEXT_PAD;
        let _ = writeln!(
            svg,
            "<text x=\"{0:.1}\" y=\"{1:.1}\" font-size=\"14\" font-weight=\"bold\" fill=\"#222\">{2}</text>\
             <text x=\"{0:.1}\" y=\"{3:.1}\" font-size=\"11\" fill=\"#666\">{4}</text>",
            x + TEXT_PAD,
            y + 18.0,
            escaped(&cut(&of.name, texts_wide / 1.1, 14.0)),
            y + 33.0,
            escaped(&cut(&of.about, texts_wide, 11.0))
        );
        for row in &drawn.rows {
            let arrow = &self.map.arrows[row.arrow];
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.1} {:.1}h{wide:.1}\" stroke=\"{colour}\" stroke-opacity=\"0.35\"/>",
                y + row.top
            );
            let fill = if arrow.is_end { "#666" } else { "#222" };
            let room = if arrow.is_end { texts_wide - SIGN } else { texts_wide };
            for (at, line) in row.lines.iter().enumerate() {
                let _ = writeln!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" fill=\"{fill}\">{}</text>",
                    x + TEXT_PAD,
                    y + row.top + ROW_PAD + LINE * (at as f64 + 0.78),
                    escaped(&cut(line, room, 12.0))
                );
            }
            if arrow.is_end {
                // An arrow that turns back.
                let _ = writeln!(
                    svg,
                    "<path d=\"M{:.1} {:.1}h4a3.5 3.5 0 0 1 0 7h-9m3 -3l-3 3l3 3\" fill=\"none\" stroke=\"#666\"/>",
                    x + wide - TEXT_PAD - 6.0,
                    y + row.middle() - 4.0
                );
            }
        }
        let _ = writeln!(svg, "</g>");
    }

    fn write_legend(&self, svg: &mut String, y: f64) {
        let mut x = MARGIN;
        let middle = y - 4.0;
        let mut entry = |sign: &str, sign_wide: f64, text: &str| {
            let _ = writeln!(
                svg,
                "<g transform=\"translate({x:.1} {middle:.1})\" fill=\"none\" stroke=\"#666\">{sign}</g>\
                 <text x=\"{:.1}\" y=\"{y:.1}\" font-size=\"11\" fill=\"#666\">{text}</text>",
                x + sign_wide + 6.0
            );
            x += sign_wide + 6.0 + text_width(text, 11.0) + 22.0;
        };
        entry("<circle cx=\"5\" cy=\"0\" r=\"4\" fill=\"#666\"/>", 10.0, "launched");
        entry("<rect x=\"0\" y=\"-6\" width=\"18\" height=\"12\"/>", 18.0, "activity");
        entry("<rect x=\"0\" y=\"-6\" width=\"18\" height=\"12\" rx=\"5\"/>", 18.0, "dialog, popup");
        entry("<path d=\"M0 0h24\" stroke-width=\"1.5\"/>", 24.0, "opens");
        entry("<path d=\"M0 0h24\" stroke-dasharray=\"4 3\"/>", 24.0, "ends");
        entry("<path d=\"M6 -4h4a3.5 3.5 0 0 1 0 7h-9m3 -3l-3 3l3 3\"/>", 14.0, "ends, and leads back");
        if self.map.windows.iter().any(|window| !window.is_reachable) {
            entry(
                "<rect x=\"0\" y=\"-6\" width=\"18\" height=\"12\" stroke-dasharray=\"4 3\"/>",
                18.0,
                "never opened",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Map, MapWindow};
    use super::*;

    /// Reads `Main -> About by A, B`; a star marks what is launched, a dash before it an end.
    fn map(text: &str) -> Map {
        let mut map = Map { title: "Test 1".into(), package: "a.b".into(), windows: vec![], arrows: vec![] };
        let window = |name: &str, windows: &mut Vec<MapWindow>| {
            let (name, is_launchable) = name.strip_suffix('*').map_or((name, false), |name| (name, true));
            windows.iter().position(|window| window.name == name).unwrap_or_else(|| {
                let is_activity = name.starts_with(char::is_uppercase);
                let about = if is_activity { format!(".{name}Activity") } else { "dialog".to_string() };
                windows.push(MapWindow {
                    name: name.into(),
                    about,
                    is_activity,
                    is_launchable,
                    is_reachable: true,
                });
                windows.len() - 1
            })
        };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (ends, by) = line.split_once(": ").expect("what it is by");
            let (from, to, is_end) = match ends.split_once(" -> ") {
                Some((from, to)) => (from, to, false),
                None => {
                    let (from, to) = ends.split_once(" -< ").expect("an arrow");
                    (from, to, true)
                }
            };
            let from = window(from, &mut map.windows);
            let to = if to == "?" { None } else { Some(window(to, &mut map.windows)) };
            map.arrows.push(Arrow { from, to, is_end, by: by.split(", ").map(str::to_string).collect() });
        }
        map
    }

    /// A window of each kind, arrows of each kind, and one that nothing leads to.
    const MAP: &str = "
        Splash* -> Main: on create
        Main -> About: “About”, on menu
        Main -> welcome: on create
        welcome -< Main: “OK”
        welcome -> Help: “View Help”
        Help -> About: “Who & why <us>”
        Help -> Main: “Up”
        About -> Main: “Up”
        About -< ?: “Close”
        Help -> Help: “Again”
        About -> Page: “https://a.example/a/very/long/address/of/a/page/that/does/not/fit/into/a/box”
        Lost -> Main: “Up”
    ";

    /// Each window has room for its texts, and the picture is well-formed; that nothing overlaps is for [`drawing`] to see to.
    #[track_caller]
    fn check_drawn(map: &Map) {
        let boxes = boxes(map);
        let (arrows, drawing) = lay_out(map, &boxes);
        assert_eq!(drawing.nodes.len(), map.windows.len());
        for (drawn, place) in boxes.iter().zip(&drawing.nodes) {
            assert!(place.height == drawn.height && place.width > drawn.width - 0.001, "{place:?}");
        }
        assert_eq!(arrows.len(), map.arrows.iter().filter(|arrow| arrow.to.is_some()).count());
        check_well_formed(&draw(map));
    }

    /// Looks at tags, attributes and entities; this is no parser of all XML.
    #[track_caller]
    fn check_well_formed(xml: &str) {
        let mut open = Vec::new();
        let mut rest = xml;
        while let Some(start) = rest.find('<') {
            check_text(&rest[..start]);
            let end = start + rest[start..].find('>').expect("a tag that ends");
            let tag = &rest[start + 1..end];
            rest = &rest[end + 1..];
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
                continue;
            }
            let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
            let name = tag.split(' ').next().expect("a name");
            let mut attributes = tag[name.len()..].trim_start();
            while !attributes.is_empty() {
                let (attribute, more) = attributes.split_once("=\"").expect("a value in quotes");
                assert!(
                    attribute.chars().all(|char| char.is_ascii_alphanumeric() || char == '-'),
                    "{attribute}"
                );
                let (value, more) = more.split_once('"').expect("a value that ends");
                check_text(value);
                attributes = more.trim_start();
            }
            if !is_empty {
                open.push(name);
            }
        }
        assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
    }

    #[track_caller]
    fn check_text(text: &str) {
        assert!(!text.contains(['<', '>']), "{text}");
        assert!(!text.chars().any(|char| char.is_control() && char != '\n'), "{text:?}");
        for (_, after) in text.match_indices('&').map(|(at, _)| text.split_at(at)) {
            let is_known = ["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|entity| after.starts_with(entity));
            assert!(is_known, "{after}");
        }
    }

    #[test]
    fn little_and_nothing_are_drawn_too() {
        check_drawn(&map(MAP));
        check_drawn(&map("A* -> A: “again”"));
        check_drawn(&Map { windows: Vec::new(), arrows: Vec::new(), ..map(MAP) });
    }

    #[test]
    fn texts_are_escaped_and_cut() {
        let mut map = map(MAP);
        map.title = "<b>&\"\u{0}\u{1b}\u{ffff}'".to_string();
        map.windows[1].name = "日本語".repeat(40);
        let svg = draw(&map);
        check_well_formed(&svg);
        assert!(svg.contains("&lt;b&gt;&amp;&quot;\u{fffd}\u{fffd}\u{fffd}'"));
        assert!(svg.contains("“Who &amp; why &lt;us&gt;”"));
        assert!(svg.contains("“https://a.example/a/very/long/address/of/a/pa…</text>"));
    }

    #[test]
    fn the_same_map_gives_the_same_picture() {
        assert_eq!(draw(&map(MAP)), draw(&map(MAP)));
    }

    proptest! {
        #[test]
        fn maps_of_any_shape_are_drawn(
            count in 1_usize..12,
            arrows in proptest::collection::vec((0_usize..12, 0_usize..13, any::<bool>(), ".{0,50}"), 0..40),
        ) {
            let mut map = map(MAP);
            map.windows = (0..count)
                .map(|at| MapWindow {
                    name: format!("W{at}"),
                    about: "dialog".to_string(),
                    is_activity: at % 2 == 0,
                    is_launchable: at % 5 == 0,
                    is_reachable: true,
                })
                .collect();
            map.arrows = arrows
                .into_iter()
                .map(|(from, to, is_end, by)| Arrow {
                    from: from % count,
                    to: (to != 12).then_some(to % count),
                    is_end,
                    by: vec![by],
                })
                .collect();
            check_drawn(&map);
        }
    }
}
