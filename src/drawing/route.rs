//! Routes: the ends of edges on the sides of nodes, and the curves between columns.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::columns::{Columns, End, LOOP_HEIGHT, Way};
use super::labels::{self, Curve, Stem};
use super::svg::short;
use super::{Drawing, Edge, Node, Rectangle, Route, Style};

use crate::sorted;

/// Least space between two columns; labels need more.
const GAP_MIN: f64 = 80.0;

/// Space left and right of the widest label between two columns.
const LABEL_GAP: f64 = 64.0;

/// Space that each edge adds between two columns, so that many do not become steep.
const EDGE_GAP: f64 = 4.0;

/// Space that all edges together add at most.
const EDGES_GAP_MAX: f64 = 120.0;

/// Least space between a curve within a column and the next column.
const ARC_GAP: f64 = 24.0;

/// Distance of the ends of a loop from the right side of its node.
const LOOP_ENDS: (f64, f64) = (34.0, 12.0);

/// Tracks below all columns, which edges without lanes take in turn.
const TRACKS: usize = 8;

/// Space between two tracks.
const TRACK_GAP: f64 = 6.0;

/// Returns the drawing of a graph whose columns are settled.
pub fn draw(mut columns: Columns, nodes: &[Node], edges: &[Edge], style: &Style) -> Drawing {
    for item in &mut columns.items {
        item.y += style.top;
    }
    spread_ends(&mut columns);
    let router = Router::new(&columns, nodes, edges, style);
    let lowest = columns.items.iter().map(|item| item.y + item.height).fold(style.top, f64::max);
    let mut is_drawn = vec![false; columns.segments.len()];
    let mut routes = Vec::new();
    let mut stems = Vec::new();
    for (at, edge) in edges.iter().enumerate() {
        let (pen, is_leftwards, shift) = match &columns.ways[at] {
            Way::Along(segments) => router.along(edge, segments, &mut is_drawn),
            Way::Over => router.over(edge),
            // Two tracks stay free, so that no line touches the lowest node.
            Way::Below => router.below(edge, lowest + TRACK_GAP * (at % TRACKS + 2) as f64),
        };
        routes.push(Route { path: pen.path, tip: pen.tip, is_leftwards, label: None });
        stems.push(Stem { curves: pen.curves, stem: pen.stem, shift });
    }
    labels::place(edges, &router.nodes, &stems, &mut routes);
    let labels = || routes.iter().filter_map(|route| route.label.map(|label| label.place));
    let ends = stems.iter().flat_map(|stem| &stem.curves).flatten();
    let right = router.nodes.iter().copied().chain(labels()).map(Rectangle::right);
    let bottom = router.nodes.iter().copied().chain(labels()).map(Rectangle::bottom);
    Drawing {
        right: right.chain(ends.clone().map(|point| point.0)).fold(style.left, f64::max),
        bottom: bottom.chain(ends.map(|point| point.1)).fold(style.top, f64::max),
        nodes: router.nodes.clone(),
        routes,
    }
}

/// An end of a segment on the side of a node.
struct Port {
    segment: usize,
    is_start: bool,
    /// Place on the side by the kind of segment: up within the column, to another column, down within the column.
    rank: u8,
    /// Place among those of its rank, from the top.
    height: f64,
}

/// Spreads the ends of edges evenly over the sides of nodes, in the order of their other ends.
fn spread_ends(columns: &mut Columns) {
    let mut sides: BTreeMap<(usize, bool), Vec<Port>> = BTreeMap::new();
    for (number, segment) in columns.segments.iter().enumerate() {
        let ends = [(segment.from, segment.to, true), (segment.to, segment.from, false)];
        // Ends that have a height of their own keep it.
        for (end, other, is_start) in ends.into_iter().filter(|(end, ..)| end.y.is_none()) {
            let column = |end: End| columns.items[end.item].column;
            let far = columns.height(other);
            // Curves within a column enclose each other: the longest has its ends nearest to the middle.
            let (rank, height) = match column(end) == column(other) {
                true if far < columns.height(end) => (0, -far),
                true => (2, -far),
                false => (1, far),
            };
            let is_right = column(other) >= column(end);
            let ports = sides.entry((end.item, is_right)).or_default();
            ports.push(Port { segment: number, is_start, rank, height });
        }
    }
    for ((item, _), mut ports) in sides {
        sorted::by(&mut ports, |one, other| {
            let by_height = one.rank.cmp(&other.rank).then(one.height.total_cmp(&other.height));
            by_height.then((one.segment, one.is_start).cmp(&(other.segment, other.is_start)))
        });
        // One share more than there are ends, so that none is at a corner.
        let share = columns.items[item].height / (ports.len() + 1) as f64;
        for (place, port) in ports.into_iter().enumerate() {
            let segment = &mut columns.segments[port.segment];
            let end = if port.is_start { &mut segment.from } else { &mut segment.to };
            end.y = Some(share * (place + 1) as f64);
        }
    }
}

/// Distance of the control points of a curve within a column from it.
fn arc_out(from_y: f64, to_y: f64) -> f64 {
    24.0 + (from_y - to_y).abs().min(450.0) / 9.0
}

/// A path as it grows.
struct Pen {
    path: String,
    at: Option<(f64, f64)>,
    curves: Vec<Curve>,
    /// The first curve, where a label stands.
    stem: Option<Curve>,
    tip: (f64, f64),
}

impl Pen {
    fn new() -> Pen {
        Pen { path: String::new(), at: None, curves: Vec::new(), stem: None, tip: (0.0, 0.0) }
    }

    /// Starts at `to`, or goes there in a straight line that is horizontal or vertical.
    fn line_to(&mut self, to: (f64, f64)) {
        let _ = match self.at {
            None => write!(self.path, "M{} {}", short(to.0), short(to.1)),
            // A line of no length would only make the path longer.
            Some(at) if at == to => Ok(()),
            Some(at) if at.1 == to.1 => write!(self.path, "H{}", short(to.0)),
            Some(_) => write!(self.path, "V{}", short(to.1)),
        };
        if let Some(at) = self.at {
            self.curves.push([at, at, to, to]);
        }
        self.at = Some(to);
    }

    fn curve_to(&mut self, one: (f64, f64), other: (f64, f64), to: (f64, f64)) {
        let at = self.at.expect("a curve starts somewhere");
        self.path.push('C');
        for (place, point) in [one, other, to].into_iter().enumerate() {
            let space = if place > 0 { " " } else { "" };
            let _ = write!(self.path, "{space}{} {}", short(point.0), short(point.1));
        }
        let curve = [at, one, other, to];
        self.stem.get_or_insert(curve);
        self.curves.push(curve);
        self.at = Some(to);
    }
}

struct Router<'a> {
    columns: &'a Columns,
    style: &'a Style,
    nodes: Vec<Rectangle>,
    /// Left and right end of each column.
    extents: Vec<(f64, f64)>,
}

impl<'a> Router<'a> {
    fn new(columns: &'a Columns, nodes: &[Node], edges: &[Edge], style: &'a Style) -> Router<'a> {
        let mut widths = vec![0.0_f64; columns.columns.len()];
        for (node, item) in nodes.iter().zip(&columns.items) {
            widths[item.column] = widths[item.column].max(node.width);
        }
        let mut x = style.left;
        let mut extents = Vec::new();
        for (width, gap) in widths.iter().zip(gaps(columns, edges)) {
            extents.push((x, x + width));
            x += width + gap;
        }
        let place = |(node, item): (&Node, &super::columns::Item)| {
            let (left, right) = extents[item.column];
            let width = if style.is_flush { right - left } else { node.width };
            Rectangle { x: left + (right - left - width) / 2.0, y: item.y, width, height: node.height }
        };
        let nodes = nodes.iter().zip(&columns.items).map(place).collect();
        Router { columns, style, nodes, extents }
    }

    fn column(&self, end: End) -> usize {
        self.columns.items[end.item].column
    }

    /// Returns the left and the right side of a node; of a lane those of its column.
    fn sides(&self, end: End) -> (f64, f64) {
        match self.nodes.get(end.item) {
            Some(node) => (node.x, node.right()),
            None => self.extents[self.column(end)],
        }
    }

    /// Draws an edge through its segments, as far as no edge before it did.
    fn along(&self, edge: &Edge, segments: &[usize], is_drawn: &mut [bool]) -> (Pen, bool, f64) {
        let mut pen = Pen::new();
        let mut is_leftwards = false;
        for &at in segments {
            let segment = self.columns.segments[at];
            let (from, to) = (self.column(segment.from), self.column(segment.to));
            // An edge within a column leaves and comes on the right.
            is_leftwards = to <= from;
            // What follows is drawn in mirrored coordinates, in which all edges but these go to the right.
            let side = if is_leftwards { -1.0 } else { 1.0 };
            let near = |(left, right): (f64, f64)| if is_leftwards { -right } else { left };
            let far = |(left, right): (f64, f64)| if is_leftwards { -left } else { right };
            let (from_y, to_y) = (self.columns.height(segment.from), self.columns.height(segment.to));
            let tip = near(self.sides(segment.to));
            let is_last = segment.to.item == edge.to;
            pen.tip = (tip * side, to_y);
            if std::mem::replace(&mut is_drawn[at], true) {
                // An earlier edge of the bundle has drawn it; only the tip was still to be found.
                continue;
            }
            let end = if is_last { tip - self.style.head } else { tip };
            if from == to {
                let (start, right) = (self.sides(segment.from).1, self.extents[from].1);
                let out = right + arc_out(from_y, to_y);
                let end = self.sides(segment.to).1 + self.style.head;
                pen.line_to((start, from_y));
                pen.line_to((right, from_y));
                pen.curve_to((out, from_y), (out, to_y), (end.max(right), to_y));
                pen.line_to((end, to_y));
                continue;
            }
            let start = match self.columns.items[segment.from.item].is_lane {
                true => near(self.extents[from]),
                false => far(self.sides(segment.from)),
            };
            // A narrow node is reached by a straight line from the side of its column, past wider nodes.
            let (x1, x2) = (far(self.extents[from]), near(self.extents[to]).min(end));
            let bend = (x2 - x1) / 2.0;
            pen.line_to((start * side, from_y));
            pen.line_to((x1 * side, from_y));
            pen.curve_to(((x1 + bend) * side, from_y), ((x2 - bend) * side, to_y), (x2 * side, to_y));
            pen.line_to((end * side, to_y));
        }
        let is_beside = self.columns.items[edge.from].column == self.columns.items[edge.to].column;
        (pen, is_leftwards, if is_beside { 1.0 } else { 0.0 })
    }

    /// Draws a loop over the top of a node.
    fn over(&self, edge: &Edge) -> (Pen, bool, f64) {
        let node = self.nodes[edge.from];
        let ends = (LOOP_ENDS.0.min(node.width * 0.75), LOOP_ENDS.1.min(node.width * 0.25));
        let (start, end) = (node.right() - ends.0, node.right() - ends.1);
        // A curve comes as near as three quarters to the height of its control points.
        let high = node.y - LOOP_HEIGHT / 0.75;
        let mut pen = Pen::new();
        pen.line_to((start, node.y));
        pen.curve_to((start, high), (end, high), (end, node.y));
        pen.tip = (end, node.y);
        (pen, false, -1.0)
    }

    /// Draws an edge for which there are no lanes: down, along `y`, and up to its node.
    fn below(&self, edge: &Edge, y: f64) -> (Pen, bool, f64) {
        let (from, to) = (self.nodes[edge.from], self.nodes[edge.to]);
        let spread = GAP_MIN / 4.0;
        let out = self.extents[self.columns.items[edge.from].column].1 + spread;
        let back = self.extents[self.columns.items[edge.to].column].1 + spread;
        let mut pen = Pen::new();
        let start_y = from.y + edge.start_y.unwrap_or(from.height / 2.0);
        let end_y = to.y + edge.end_y.unwrap_or(to.height / 2.0);
        let points = [
            (from.right(), start_y),
            (out, start_y),
            (out, y),
            (back, y),
            (back, end_y),
            (to.right() + self.style.head, end_y),
        ];
        points.into_iter().for_each(|point| pen.line_to(point));
        pen.tip = (to.right(), end_y);
        // It comes to its node from the right, so the arrowhead points to the left.
        (pen, true, 0.0)
    }
}

/// Returns the space right of each column.
fn gaps(columns: &Columns, edges: &[Edge]) -> Vec<f64> {
    let crowd = |gap: &Vec<usize>| (EDGE_GAP * gap.len() as f64).min(EDGES_GAP_MAX);
    let mut labels = vec![0.0_f64; columns.columns.len()];
    let mut arcs = vec![0.0_f64; columns.columns.len()];
    for (edge, way) in edges.iter().zip(&columns.ways) {
        let Way::Along(segments) = way else { continue };
        let segment = columns.segments[segments[0]];
        let (from, to) = (columns.items[segment.from.item].column, columns.items[segment.to.item].column);
        let width = edge.label.map_or(0.0, |label| label.width);
        if from == to {
            let reach = 0.75 * arc_out(columns.height(segment.from), columns.height(segment.to));
            arcs[from] = arcs[from].max(reach + width + ARC_GAP);
        } else {
            // A label stands beside the first segment.
            let gap = &mut labels[from.min(to)];
            *gap = gap.max(width);
        }
    }
    let gaps = columns.gaps.iter().zip(labels).zip(arcs);
    gaps.map(|((gap, label), arc)| ((LABEL_GAP + label).max(GAP_MIN) + crowd(gap)).max(arc)).collect()
}
