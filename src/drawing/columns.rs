//! Columns: the distance of each node from the starts, and the lanes of edges that pass a column.

use std::collections::{BTreeMap, VecDeque};

use super::{Edge, Node, Style};

use crate::sorted;

/// Edges that would need more lanes than this run below all columns, as lanes grow with the product of edges and columns.
const LANES_MAX: usize = 20_000;

/// Height of a loop over the top of a node.
pub const LOOP_HEIGHT: f64 = 20.0;

/// A node or a lane, as it stands in a column.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub column: usize,
    /// True for a lane; else the index of the item is that of its node.
    pub is_lane: bool,
    pub height: f64,
    /// Space kept free above and below.
    pub pad: f64,
    /// Height of a loop over its top.
    pub over: f64,
    /// Top of the item.
    pub y: f64,
}

/// One end of a segment.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub item: usize,
    /// Distance from the top of the item; none until ends are spread over the side of a node.
    pub y: Option<f64>,
}

/// A part of an edge: from one column to the next, or between two nodes of one column.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub from: End,
    pub to: End,
}

/// The kind of way an edge takes.
#[derive(Clone, Debug)]
pub enum Way {
    /// Along these segments.
    Along(Vec<usize>),
    /// From the top of a node back to the top of the same node.
    Over,
    /// Below all columns.
    Below,
}

/// A graph whose nodes and lanes stand in columns.
#[derive(Debug)]
pub struct Columns {
    /// Nodes in their own order, then lanes.
    pub items: Vec<Item>,
    /// The items of each column from the top.
    pub columns: Vec<Vec<usize>>,
    pub segments: Vec<Segment>,
    /// The segments right of each column, up to the next.
    pub gaps: Vec<Vec<usize>>,
    /// The way of each edge.
    pub ways: Vec<Way>,
    /// Pull to the middle of the picture, see [`Style`].
    pub pull: f64,
}

/// The edges for which a lane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    Own { edge: usize },
    Shared { to: usize, is_leftwards: bool, bundle: usize },
}

/// Lanes and segments that edges of a bundle may share.
#[derive(Default)]
struct Shared {
    lanes: BTreeMap<(Lane, usize), usize>,
    segments: BTreeMap<(Lane, usize, Option<u64>, usize), usize>,
}

impl Columns {
    pub fn new(nodes: &[Node], edges: &[Edge], style: &Style) -> Columns {
        let column_of = split(distances(nodes, edges), edges, style.rows_max);
        let count = column_of.iter().max().map_or(0, |last| last + 1);
        let mut columns = Columns {
            items: Vec::new(),
            columns: vec![Vec::new(); count],
            segments: Vec::new(),
            gaps: vec![Vec::new(); count],
            ways: Vec::new(),
            pull: style.pull,
        };
        let pad = style.node_gap / 2.0;
        // Nodes come first, so that an item has the index of its node.
        for (node, &column) in nodes.iter().zip(&column_of) {
            columns.push(Item { column, is_lane: false, height: node.height, pad, over: 0.0, y: 0.0 });
        }
        let mut shared = Shared::default();
        for (number, edge) in edges.iter().enumerate() {
            let way = columns.way(number, edge, style, &mut shared);
            columns.ways.push(way);
        }
        columns
    }

    fn push(&mut self, item: Item) -> usize {
        self.columns[item.column].push(self.items.len());
        self.items.push(item);
        self.items.len() - 1
    }

    fn way(&mut self, number: usize, edge: &Edge, style: &Style, shared: &mut Shared) -> Way {
        if edge.from == edge.to && edge.start_y.is_none() && edge.end_y.is_none() {
            self.items[edge.from].over = LOOP_HEIGHT;
            return Way::Over;
        }
        let (start, end) = (self.items[edge.from].column, self.items[edge.to].column);
        let is_leftwards = end < start;
        let lane = match edge.bundle {
            Some(bundle) => Lane::Shared { to: edge.to, is_leftwards, bundle },
            None => Lane::Own { edge: number },
        };
        let passed: Vec<usize> =
            if is_leftwards { (end + 1..start).rev().collect() } else { (start + 1..end).collect() };
        // A bundle that has its lanes needs no more.
        let is_there = passed.first().is_some_and(|&column| shared.lanes.contains_key(&(lane, column)));
        if !is_there && shared.lanes.len() + passed.len() > LANES_MAX {
            return Way::Below;
        }
        let mut segments = Vec::new();
        let mut from = End { item: edge.from, y: edge.start_y };
        for column in passed {
            let item = *shared.lanes.entry((lane, column)).or_insert_with(|| {
                let pad = style.lane_gap / 2.0;
                self.push(Item { column, is_lane: true, height: 0.0, pad, over: 0.0, y: 0.0 })
            });
            let to = End { item, y: Some(0.0) };
            segments.push(self.segment(lane, Segment { from, to }, shared));
            from = to;
        }
        let to = End { item: edge.to, y: edge.end_y };
        segments.push(self.segment(lane, Segment { from, to }, shared));
        Way::Along(segments)
    }

    /// Returns the index of `segment`, which edges on the same lane have once.
    fn segment(&mut self, lane: Lane, segment: Segment, shared: &mut Shared) -> usize {
        // Floating-point numbers have no total order, but their bits do.
        let key = (lane, segment.from.item, segment.from.y.map(f64::to_bits), segment.to.item);
        *shared.segments.entry(key).or_insert_with(|| {
            let (from, to) = (self.items[segment.from.item].column, self.items[segment.to.item].column);
            // A segment within a column lies in no gap.
            if from != to {
                self.gaps[from.min(to)].push(self.segments.len());
            }
            self.segments.push(segment);
            self.segments.len() - 1
        })
    }

    /// Returns the height of an end in the picture; the middle of a node stands for ends that are not spread yet.
    pub fn height(&self, end: End) -> f64 {
        let item = &self.items[end.item];
        item.y + end.y.unwrap_or(item.height / 2.0)
    }

    /// Returns the ends of a segment, that in the left column first.
    pub fn left_first(&self, segment: usize) -> (End, End) {
        let Segment { from, to } = self.segments[segment];
        if self.items[from.item].column <= self.items[to.item].column { (from, to) } else { (to, from) }
    }
}

/// Returns the columns of nodes at these distances, with at most `rows_max` nodes in each. Nodes with an edge to the
/// right stand nearest to it; those with the same node before them stay together.
fn split(distances: Vec<usize>, edges: &[Edge], rows_max: usize) -> Vec<usize> {
    let mut leads_on = vec![false; distances.len()];
    let mut before = vec![usize::MAX; distances.len()];
    for edge in edges.iter().filter(|edge| distances[edge.to] > distances[edge.from]) {
        leads_on[edge.from] = true;
        before[edge.to] = before[edge.to].min(edge.from);
    }
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); distances.iter().max().map_or(0, |last| last + 1)];
    for (node, &distance) in distances.iter().enumerate() {
        layers[distance].push(node);
    }
    let mut columns = distances;
    let mut next = 0;
    for mut layer in layers {
        let parts = layer.len().div_ceil(rows_max.max(1)).max(1);
        sorted::by_key(&mut layer, |&node| {
            (parts > 1 && leads_on[node], if parts > 1 { before[node] } else { 0 }, node)
        });
        // Even columns look better than a short last one.
        let rows = layer.len().div_ceil(parts).max(1);
        for (at, node) in layer.into_iter().enumerate() {
            columns[node] = next + at / rows;
        }
        next += parts;
    }
    columns
}

/// Returns for each node the number of edges from the nearest start. A node that no start leads to is a start itself.
pub fn distances(nodes: &[Node], edges: &[Edge]) -> Vec<usize> {
    let mut next = vec![Vec::new(); nodes.len()];
    for edge in edges {
        next[edge.from].push(edge.to);
    }
    let mut distances = vec![None; nodes.len()];
    let mut starts: Vec<usize> = (0..nodes.len()).filter(|&node| nodes[node].is_start).collect();
    // Goes over all nodes once in total, as those before it have a distance.
    let mut rest = 0..nodes.len();
    while !starts.is_empty() {
        let mut open: VecDeque<(usize, usize)> = starts.drain(..).map(|start| (start, 0)).collect();
        for &(start, distance) in &open {
            distances[start] = Some(distance);
        }
        while let Some((node, distance)) = open.pop_front() {
            for &to in &next[node] {
                if distances[to].is_none() {
                    distances[to] = Some(distance + 1);
                    open.push_back((to, distance + 1));
                }
            }
        }
        starts.extend(rest.find(|&node| distances[node].is_none()));
    }
    distances.into_iter().map(|distance| distance.unwrap_or(0)).collect()
}
