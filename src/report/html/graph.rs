//! Graphs in the page: the look of nodes, arrows and labels. Their places come from [`crate::drawing`].
//!
//! A label that finds no room is left out of the picture; the page says it elsewhere.

use std::fmt::Write as _;

use super::super::words::escape;
use super::phone::wrapped;
use crate::drawing::svg::{short, text_width};
use crate::drawing::{self, Label, LabelPlace, Rectangle, Style};

const MARGIN: f64 = 14.0;
const STYLE: Style = Style {
    left: MARGIN,
    top: MARGIN,
    node_gap: 34.0,
    lane_gap: 16.0,
    head: 0.0,
    pull: 0.1,
    is_flush: false,
    rows_max: usize::MAX,
};

/// Font size of labels, as in the style sheet of the page.
const LABEL_SIZE: f64 = 10.5;

/// Arrows of a graph whose labels are all drawn. Among more arrows nobody sees to which of them a label belongs, so those
/// of the run alone keep theirs.
const LABELLED_MAX: usize = 40;

/// Columns of a label; longer ones are cut.
const LABEL_COLUMNS: usize = 26;

/// A node, drawn from its upper left corner.
pub struct Node {
    pub width: f64,
    pub height: f64,
    pub svg: String,
}

/// An arrow between nodes.
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// Text beside the arrow.
    pub label: String,
    /// Longer text, which shows under the mouse.
    pub title: String,
    /// Steps of the run that took it; empty if none did.
    pub steps: String,
}

impl Edge {
    fn is_taken(&self) -> bool {
        !self.steps.is_empty()
    }

    /// Returns the width of the badge with the numbers of its steps.
    fn badge(&self) -> f64 {
        if self.is_taken() { self.steps.chars().count() as f64 * 6.0 + 10.0 } else { 0.0 }
    }

    fn label(&self) -> String {
        wrapped(&self.label, LABEL_COLUMNS, 1).into_iter().next().unwrap_or_default()
    }
}

/// Returns the picture of a graph that starts at the first of `nodes`; `about` describes it for screen readers.
pub fn draw(nodes: &[Node], edges: &[Edge], about: &str) -> String {
    let drawing = drawing::draw(&shapes(nodes), &ways(edges), &STYLE);
    let mut svg = format!(
        "<svg class=\"graph\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">",
        short(drawing.right + MARGIN),
        short(drawing.bottom + MARGIN),
        escape(about)
    );
    // Arrows of the run lie on top.
    for is_taken in [false, true] {
        for (edge, route) in edges.iter().zip(&drawing.routes).filter(|(edge, _)| edge.is_taken() == is_taken)
        {
            let (class, head) = if is_taken { ("way taken", "taken-head") } else { ("way", "head") };
            let _ = write!(
                svg,
                "<path class=\"{class}\" d=\"{}\" marker-end=\"url(#{head})\"><title>{}</title></path>",
                route.path,
                escape(&edge.title)
            );
        }
    }
    for (node, Rectangle { x, y, .. }) in nodes.iter().zip(&drawing.nodes) {
        let _ = write!(svg, "<g transform=\"translate({} {})\">{}</g>", short(*x), short(*y), node.svg);
    }
    // Labels come last, so that no arrow strikes them out.
    for (edge, route) in edges.iter().zip(&drawing.routes) {
        svg.extend(route.label.map(|label| label_svg(edge, label)));
    }
    svg + "</svg>"
}

fn shapes(nodes: &[Node]) -> Vec<drawing::Node> {
    let shape = |(at, &Node { width, height, .. }): (usize, &Node)| drawing::Node {
        width,
        height,
        is_start: at == 0,
    };
    nodes.iter().enumerate().map(shape).collect()
}

fn ways(edges: &[Edge]) -> Vec<drawing::Edge> {
    let way = |edge: &Edge| {
        let needed = edge.badge();
        let width = needed + text_width(&edge.label(), LABEL_SIZE);
        let is_labelled = edge.is_taken() || edges.len() <= LABELLED_MAX;
        drawing::Edge {
            from: edge.from,
            to: edge.to,
            start_y: None,
            end_y: None,
            // Arrows that share a lane would share what shows under the mouse.
            bundle: None,
            label: is_labelled.then_some(Label { width, needed }),
        }
    };
    edges.iter().map(way).collect()
}

fn label_svg(edge: &Edge, LabelPlace { place, is_whole }: LabelPlace) -> String {
    let middle = place.y + place.height / 2.0;
    let badge = edge.badge();
    let mut svg = format!("<g><title>{}</title>", escape(&edge.title));
    if edge.is_taken() {
        let _ = write!(
            svg,
            "<rect class=\"step\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"15\" rx=\"7.5\"/>\
             <text class=\"step-number\" x=\"{}\" y=\"{}\">{}</text>",
            short(place.x),
            short(middle - 7.5),
            short(badge - 3.0),
            short(place.x + (badge - 3.0) / 2.0),
            short(middle + 3.6),
            escape(&edge.steps)
        );
    }
    if is_whole && !edge.label.is_empty() {
        let _ = write!(
            svg,
            "<text class=\"by\" x=\"{}\" y=\"{}\">{}</text>",
            short(place.x + badge),
            short(middle + 3.6),
            escape(&edge.label())
        );
    }
    svg + "</g>"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drawn(nodes: usize, edges: &[(usize, usize)]) -> String {
        let nodes: Vec<Node> = (0..nodes)
            .map(|at| Node { width: 60.0, height: 30.0, svg: format!("<text>n{at}</text>") })
            .collect();
        let edges: Vec<Edge> = edges
            .iter()
            .map(|&(from, to)| Edge {
                from,
                to,
                label: format!("{from} to {to}"),
                title: "<&>".to_string(),
                steps: if from == 0 { "1".to_string() } else { String::new() },
            })
            .collect();
        draw(&nodes, &edges, "a graph")
    }

    #[test]
    fn every_node_and_every_arrow_is_drawn() {
        let edges = [(0, 1), (1, 2), (2, 0), (0, 3), (0, 2), (3, 3), (1, 3), (3, 1), (2, 4), (5, 0)];
        let svg = drawn(6, &edges);
        assert_eq!(svg.matches("<path class=\"way").count(), edges.len());
        assert_eq!(svg.matches("<text>n").count(), 6);
        assert!(svg.matches("class=\"step-number\"").count() == 3 && !svg.contains("NaN"), "{svg}");
        assert!(!svg.contains("<&>"));
        assert_eq!(svg, drawn(6, &edges));
    }

    #[test]
    fn little_and_nothing_are_drawn_too() {
        assert!(drawn(1, &[(0, 0)]).contains("class=\"way taken\""));
        assert!(drawn(0, &[]).starts_with("<svg"));
    }

    #[test]
    fn a_label_without_a_free_place_stays_in_the_picture() {
        let edges = [
            (3, 5),
            (0, 4),
            (0, 2),
            (0, 4),
            (2, 0),
            (0, 4),
            (5, 6),
            (1, 2),
            (4, 0),
            (1, 2),
            (1, 3),
            (7, 5),
            (3, 1),
        ];
        let svg = drawn(9, &edges);
        assert!(!svg.contains("=\"-"), "{svg}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn graphs_of_any_shape_are_drawn_whole(edges in prop::collection::vec((0..9_usize, 0..9_usize), 0..60)) {
            let svg = drawn(9, &edges);
            prop_assert_eq!(svg.matches("<path class=\"way").count(), edges.len());
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("=\"-"));
        }
    }
}
