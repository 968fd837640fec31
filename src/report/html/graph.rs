//! Graphs as pictures: nodes in columns by how far they are from the start, arrows between them.
//!
//! An arrow that passes a column has a lane in it, and so crosses no node. A label that finds no room is left out of the
//! picture; the page says it elsewhere.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use super::super::words::escape;
use super::phone::{short, wrapped};

/// Rounds of moving nodes towards those they are bound to.
const ROUNDS: usize = 8;

const MARGIN: f64 = 14.0;
const BETWEEN_NODES: f64 = 34.0;
const LANE: f64 = 16.0;
const LABEL_SIZE: f64 = 10.5;
const LETTER: f64 = LABEL_SIZE * 0.56;
/// Among more arrows than this a label is not told which it belongs to; what the run took keeps its own.
const LABELLED_MAX: usize = 40;
/// A label of more letters is cut.
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
    /// What stands beside it.
    pub label: String,
    /// What is said of it where there is room.
    pub title: String,
    /// The steps of the run that took it, if any did.
    pub steps: String,
}

impl Edge {
    fn is_taken(&self) -> bool {
        !self.steps.is_empty()
    }
}

/// Returns the picture of `nodes`, the first of which is the start; `about` says what it shows.
pub fn draw(nodes: &[Node], edges: &[Edge], about: &str) -> String {
    let mut layout = Layout::new(nodes, edges);
    layout.settle();
    Picture::new(nodes, edges, layout).svg(about)
}

/// A place in a column: a node, or the lane of an arrow that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Node(usize),
    Lane(usize),
}

struct Layout {
    /// The places of each column from top to bottom.
    columns: Vec<Vec<Place>>,
    /// The column of each node.
    column_of: Vec<usize>,
    /// The places that are bound to each other, from a column to the next.
    bonds: Vec<Vec<(Place, Place)>>,
}

impl Layout {
    fn new(nodes: &[Node], edges: &[Edge]) -> Layout {
        let column_of = distances(nodes.len(), edges);
        let count = column_of.iter().max().map_or(0, |most| most + 1);
        let mut columns = vec![Vec::new(); count];
        for (node, &column) in column_of.iter().enumerate() {
            columns[column].push(Place::Node(node));
        }
        let mut bonds = vec![Vec::new(); count];
        for (number, edge) in edges.iter().enumerate() {
            let (from, to) = ends(edge, &column_of);
            let mut before = Place::Node(from);
            for column in column_of[from] + 1..column_of[to] {
                columns[column].push(Place::Lane(number));
                bonds[column - 1].push((before, Place::Lane(number)));
                before = Place::Lane(number);
            }
            if column_of[from] < column_of[to] {
                bonds[column_of[to] - 1].push((before, Place::Node(to)));
            }
        }
        Layout { columns, column_of, bonds }
    }

    /// Orders each column by where those are that its places are bound to.
    fn settle(&mut self) {
        for round in 0..ROUNDS {
            if round % 2 == 0 {
                for column in 1..self.columns.len() {
                    self.order(column, column - 1);
                }
            } else {
                for column in (0..self.columns.len().saturating_sub(1)).rev() {
                    self.order(column, column + 1);
                }
            }
        }
    }

    fn order(&mut self, column: usize, by: usize) {
        let bonds = &self.bonds[column.min(by)];
        let height = self.columns[by].len().max(1) as f64;
        let fixed = &self.columns[by];
        let at = |place: Place| fixed.iter().position(|&other| other == place).unwrap_or(0) as f64 / height;
        let own = self.columns[column].len().max(1) as f64;
        let mut ordered: Vec<(f64, Place)> = Vec::new();
        for (now, &place) in self.columns[column].iter().enumerate() {
            let others: Vec<f64> = bonds
                .iter()
                .filter_map(|&(left, right)| match column < by {
                    true if left == place => Some(at(right)),
                    false if right == place => Some(at(left)),
                    _ => None,
                })
                .collect();
            let wish = if others.is_empty() {
                now as f64 / own
            } else {
                others.iter().sum::<f64>() / others.len() as f64
            };
            ordered.push((wish, place));
        }
        ordered.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.columns[column] = ordered.into_iter().map(|(_, place)| place).collect();
    }
}

/// How many arrows each node is away from the first; what no arrow leads to stands in the last column.
fn distances(nodes: usize, edges: &[Edge]) -> Vec<usize> {
    let mut distances: Vec<Option<usize>> = vec![None; nodes];
    let mut open = VecDeque::new();
    if let Some(first) = distances.first_mut() {
        *first = Some(0);
        open.push_back((0, 0));
    }
    let mut last = 0;
    while let Some((node, distance)) = open.pop_front() {
        last = distance;
        for edge in edges.iter().filter(|edge| edge.from == node) {
            if distances[edge.to].is_none() {
                distances[edge.to] = Some(distance + 1);
                open.push_back((edge.to, distance + 1));
            }
        }
    }
    distances.into_iter().map(|distance| distance.unwrap_or(last + 1)).collect()
}

/// The ends of an arrow, the left one first.
fn ends(edge: &Edge, column_of: &[usize]) -> (usize, usize) {
    if column_of[edge.from] <= column_of[edge.to] { (edge.from, edge.to) } else { (edge.to, edge.from) }
}

struct Picture<'a> {
    nodes: &'a [Node],
    edges: &'a [Edge],
    layout: Layout,
    /// The left edge of each column, and how wide it is.
    columns: Vec<(f64, f64)>,
    /// The middle of each place from the top, column by column.
    middles: Vec<BTreeMap<(bool, usize), f64>>,
    height: f64,
    /// Where something is written: left, top, right, bottom.
    written: Vec<[f64; 4]>,
}

/// A place as a key: nodes first.
fn key(place: Place) -> (bool, usize) {
    match place {
        Place::Node(node) => (false, node),
        Place::Lane(edge) => (true, edge),
    }
}

impl<'a> Picture<'a> {
    fn new(nodes: &'a [Node], edges: &'a [Edge], layout: Layout) -> Picture<'a> {
        let tall = |place: Place| match place {
            Place::Node(node) => nodes[node].height + BETWEEN_NODES,
            Place::Lane(_) => LANE,
        };
        let heights: Vec<f64> =
            layout.columns.iter().map(|places| places.iter().map(|&place| tall(place)).sum()).collect();
        // Arrows from a node to itself go round above.
        let goes_round = edges.iter().any(|edge| edge.from == edge.to);
        let top = if goes_round { MARGIN } else { MARGIN - BETWEEN_NODES / 2.0 };
        let height = heights.iter().copied().fold(0.0, f64::max);
        let mut left = MARGIN;
        let (mut columns, mut middles) = (Vec::new(), Vec::new());
        for (number, places) in layout.columns.iter().enumerate() {
            let width = places.iter().map(|&place| match place {
                Place::Node(node) => nodes[node].width,
                Place::Lane(_) => 0.0,
            });
            let width = width.fold(0.0, f64::max);
            columns.push((left, width));
            left += width + gap(&layout, edges, number);
            let mut y = top + (height - heights[number]) / 2.0;
            let mut of_column = BTreeMap::new();
            for &place in places {
                of_column.insert(key(place), y + tall(place) / 2.0);
                y += tall(place);
            }
            middles.push(of_column);
        }
        let height = top + height + if goes_round { 0.0 } else { MARGIN - BETWEEN_NODES / 2.0 };
        Picture { nodes, edges, layout, columns, middles, height, written: Vec::new() }
    }

    fn svg(mut self, about: &str) -> String {
        let right = self.columns.last().map_or(0.0, |(left, width)| left + width) + MARGIN + 30.0;
        let size = (short(right), short(self.height));
        let mut svg = format!(
            "<svg class=\"graph\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">",
            size.0,
            size.1,
            escape(about)
        );
        let mut drawn = String::new();
        for node in 0..self.nodes.len() {
            let (x, y) = self.corner(node);
            let Node { width, height, svg } = &self.nodes[node];
            self.written.push([x, y, x + width, y + height]);
            let _ = write!(drawn, "<g transform=\"translate({} {})\">{svg}</g>", short(x), short(y));
        }
        let mut labels = String::new();
        // What the run took lies on top, and its labels choose their places first.
        for number in 0..self.edges.len() {
            if !self.edges[number].is_taken() {
                svg += &self.arrow(number);
            }
        }
        for is_taken in [true, false] {
            for number in 0..self.edges.len() {
                if self.edges[number].is_taken() == is_taken {
                    if is_taken {
                        svg += &self.arrow(number);
                    }
                    labels += &self.label(number);
                }
            }
        }
        svg + &drawn + &labels + "</svg>"
    }

    /// The upper left corner of a node.
    fn corner(&self, node: usize) -> (f64, f64) {
        let column = self.layout.column_of[node];
        let (left, width) = self.columns[column];
        let middle = self.middles[column][&(false, node)];
        (left + (width - self.nodes[node].width) / 2.0, middle - self.nodes[node].height / 2.0)
    }

    /// Where the arrow leaves a node or comes to it, on its right or left side: spread evenly, in the order of where the
    /// arrows go.
    fn port(&self, node: usize, edge: usize, is_right: bool) -> (f64, f64) {
        let mut here: Vec<(f64, usize)> = Vec::new();
        for (number, other) in self.edges.iter().enumerate() {
            let (from, to) = ends(other, &self.layout.column_of);
            let (from_column, to_column) = (self.layout.column_of[from], self.layout.column_of[to]);
            if from_column == to_column {
                continue;
            }
            let next = if is_right && from == node {
                from_column + 1
            } else if !is_right && to == node {
                to_column - 1
            } else {
                continue;
            };
            let far = if is_right { to } else { from };
            let is_lane = self.middles[next].contains_key(&(true, number));
            let place = if is_lane { (true, number) } else { (false, far) };
            here.push((self.middles[next].get(&place).copied().unwrap_or(0.0), number));
        }
        here.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let at = here.iter().position(|&(_, number)| number == edge).unwrap_or(0);
        let (x, y) = self.corner(node);
        let Node { width, height, .. } = self.nodes[node];
        let share = (at + 1) as f64 / (here.len() + 1) as f64;
        (if is_right { x + width } else { x }, y + height * share)
    }

    /// The points an arrow goes through, from left to right; of one within a column nothing.
    fn points(&self, number: usize) -> Vec<(f64, f64)> {
        let (from, to) = ends(&self.edges[number], &self.layout.column_of);
        let (first, last) = (self.layout.column_of[from], self.layout.column_of[to]);
        if first == last {
            return Vec::new();
        }
        let mut points = vec![self.port(from, number, true)];
        for column in first + 1..last {
            let (left, width) = self.columns[column];
            let y = self.middles[column][&(true, number)];
            points.extend([(left, y), (left + width, y)]);
        }
        points.push(self.port(to, number, false));
        points
    }

    fn arrow(&self, number: usize) -> String {
        let edge = &self.edges[number];
        let points = self.points(number);
        let path = if points.is_empty() { self.round(edge) } else { through(&points) };
        let is_back = self.layout.column_of[edge.from] > self.layout.column_of[edge.to];
        let class = if edge.is_taken() { "way taken" } else { "way" };
        let head = if edge.is_taken() { "taken-head" } else { "head" };
        let end = if is_back { "start" } else { "end" };
        format!(
            "<path class=\"{class}\" d=\"{path}\" marker-{end}=\"url(#{head})\"><title>{}</title></path>",
            escape(&edge.title)
        )
    }

    /// The way from a node to one of its column, or to itself.
    fn round(&self, edge: &Edge) -> String {
        let (x, y) = self.corner(edge.from);
        let Node { width, height, .. } = self.nodes[edge.from];
        let right = x + width;
        if edge.from == edge.to {
            let (start, end) = (right - 34.0, right - 12.0);
            return format!(
                "M{0} {2}C{0} {3} {1} {3} {1} {2}",
                short(start),
                short(end),
                short(y),
                short(y - 26.0)
            );
        }
        let (other_x, other_y) = self.corner(edge.to);
        let other = &self.nodes[edge.to];
        let other_right = other_x + other.width;
        let is_down = other_y > y;
        let from_y = y + height * if is_down { 0.8 } else { 0.2 };
        let to_y = other_y + other.height * if is_down { 0.2 } else { 0.8 };
        let far = right.max(other_right) + 28.0;
        format!(
            "M{} {}C{far} {} {far} {} {} {}",
            short(right),
            short(from_y),
            short(from_y),
            short(to_y),
            short(other_right),
            short(to_y),
            far = short(far)
        )
    }

    /// What stands beside an arrow: the numbers of its steps, and its label where there is room.
    fn label(&mut self, number: usize) -> String {
        let edge = &self.edges[number];
        if self.edges.len() > LABELLED_MAX && !edge.is_taken() {
            return String::new();
        }
        let points = self.points(number);
        let (Some(&first), Some(&second)) = (points.first(), points.get(1)) else {
            return self.round_label(number);
        };
        let text = cut(&edge.label);
        let badge = if edge.is_taken() { edge.steps.chars().count() as f64 * 6.0 + 10.0 } else { 0.0 };
        let width = badge + text.chars().count() as f64 * LETTER;
        for share in [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78] {
            let (x, y) = along(first, second, share);
            for (dx, dy) in [(0.0, -7.0), (0.0, 8.0), (0.0, -18.0), (0.0, 19.0)] {
                let place = [x + dx - width / 2.0, y + dy - 7.0, x + dx + width / 2.0, y + dy + 7.0];
                if self.is_free(place) {
                    self.written.push(place);
                    return self.write_label(number, &text, place, badge);
                }
            }
        }
        if self.edges[number].is_taken() {
            // The number of a step is never left out.
            let (x, y) = along(first, second, 0.5);
            let place = [x - badge / 2.0, y - 7.0, x + badge / 2.0, y + 7.0];
            self.written.push(place);
            return self.write_label(number, "", place, badge);
        }
        String::new()
    }

    fn round_label(&mut self, number: usize) -> String {
        let edge = &self.edges[number];
        let (x, y) = self.corner(edge.from);
        let Node { width, height, .. } = self.nodes[edge.from];
        let text = cut(&edge.label);
        let badge = if edge.is_taken() { edge.steps.chars().count() as f64 * 6.0 + 10.0 } else { 0.0 };
        let wide = badge + text.chars().count() as f64 * LETTER;
        let (left, middle) = if edge.from == edge.to {
            ((x + width - 44.0 - wide).max(4.0), y - 12.0)
        } else {
            (x + width + 24.0, y + height + BETWEEN_NODES / 2.0)
        };
        let place = [left, middle - 7.0, left + wide, middle + 7.0];
        if self.is_free(place) {
            self.written.push(place);
            self.write_label(number, &text, place, badge)
        } else if edge.is_taken() {
            self.write_label(number, "", [left, middle - 7.0, left + badge, middle + 7.0], badge)
        } else {
            String::new()
        }
    }

    fn is_free(&self, place: [f64; 4]) -> bool {
        let meets = |other: &[f64; 4]| {
            place[0] < other[2] && other[0] < place[2] && place[1] < other[3] && other[1] < place[3]
        };
        place[0] >= 0.0 && place[1] >= 0.0 && place[3] <= self.height && !self.written.iter().any(meets)
    }

    fn write_label(&self, number: usize, text: &str, place: [f64; 4], badge: f64) -> String {
        let edge = &self.edges[number];
        let middle = (place[1] + place[3]) / 2.0;
        let mut svg = format!("<g><title>{}</title>", escape(&edge.title));
        if badge > 0.0 {
            let _ = write!(
                svg,
                "<rect class=\"step\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"15\" rx=\"7.5\"/>\
                 <text class=\"step-number\" x=\"{}\" y=\"{}\">{}</text>",
                short(place[0]),
                short(middle - 7.5),
                short(badge - 3.0),
                short(place[0] + (badge - 3.0) / 2.0),
                short(middle + 3.6),
                escape(&edge.steps)
            );
        }
        if !text.is_empty() {
            let _ = write!(
                svg,
                "<text class=\"by\" x=\"{}\" y=\"{}\">{}</text>",
                short(place[0] + badge),
                short(middle + 3.6),
                escape(text)
            );
        }
        svg + "</g>"
    }
}

fn cut(label: &str) -> String {
    wrapped(label, LABEL_COLUMNS, 1).into_iter().next().unwrap_or_default()
}

/// How wide the space right of a column is: labels stand there.
fn gap(layout: &Layout, edges: &[Edge], column: usize) -> f64 {
    let crosses = |edge: &&Edge| {
        let (from, to) = ends(edge, &layout.column_of);
        layout.column_of[from] <= column && column < layout.column_of[to].max(layout.column_of[from] + 1)
    };
    let starts = |edge: &&Edge| {
        let (from, _) = ends(edge, &layout.column_of);
        layout.column_of[from] == column
    };
    let letters = edges.iter().filter(starts).map(|edge| cut(&edge.label).chars().count()).max().unwrap_or(0);
    let crowd = edges.iter().filter(crosses).count().min(12);
    (letters as f64 * LETTER + 64.0).max(70.0) + crowd as f64 * 3.0
}

/// A smooth line through points: bent from one of a pair to the other, straight between pairs.
fn through(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for pair in points.chunks_exact(2) {
        let (from, to) = (pair[0], pair[1]);
        let bend = (to.0 - from.0) * 0.5;
        let _ = write!(
            path,
            "{}{} {}C{} {} {} {} {} {}",
            if path.is_empty() { 'M' } else { 'L' },
            short(from.0),
            short(from.1),
            short(from.0 + bend),
            short(from.1),
            short(to.0 - bend),
            short(to.1),
            short(to.0),
            short(to.1)
        );
    }
    path
}

/// The point of the bent line between two points after this share of it.
fn along(from: (f64, f64), to: (f64, f64), share: f64) -> (f64, f64) {
    let bend = (to.0 - from.0) * 0.5;
    let at = |a: f64, b: f64, c: f64, d: f64| {
        let rest = 1.0 - share;
        rest.powi(3) * a + 3.0 * rest.powi(2) * share * b + 3.0 * rest * share.powi(2) * c + share.powi(3) * d
    };
    (at(from.0, from.0 + bend, to.0 - bend, to.0), at(from.1, from.1, to.1, to.1))
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
