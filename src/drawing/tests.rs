//! Laws of every drawing: nodes, edges and labels keep apart.

use proptest::prelude::*;

use super::columns::{Columns, distances};
use super::{Drawing, Edge, Label, Node, Rectangle, Style, draw, order};

const CENTRED: Style = Style {
    left: 14.0,
    top: 14.0,
    node_gap: 34.0,
    lane_gap: 16.0,
    head: 0.0,
    pull: 0.1,
    is_flush: false,
    rows_max: usize::MAX,
};
const FLUSH: Style = Style { head: 8.0, pull: 0.0, is_flush: true, ..CENTRED };
const SPLIT: Style = Style { rows_max: 2, ..CENTRED };

fn node(width: f64, is_start: bool) -> Node {
    Node { width, height: 40.0, is_start }
}

/// The first node is the start.
fn nodes(count: usize) -> Vec<Node> {
    (0..count).map(|at| node(60.0 + 35.0 * (at % 3) as f64, at == 0)).collect()
}

fn edge(from: usize, to: usize) -> Edge {
    Edge { from, to, start_y: None, end_y: None, bundle: None, label: None }
}

fn edges(ends: &[(usize, usize)]) -> Vec<Edge> {
    ends.iter().map(|&(from, to)| edge(from, to)).collect()
}

/// The points of a path, close to each other.
fn points(path: &str) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let starts = path.match_indices(|char: char| char.is_ascii_uppercase()).map(|(at, _)| at);
    let ends = starts.clone().skip(1).chain([path.len()]);
    for (start, end) in starts.zip(ends) {
        let numbers: Vec<f64> =
            path[start + 1..end].split(' ').map(|number| number.parse().expect("a number")).collect();
        let at = points.last().copied().unwrap_or_default();
        let curve = match (&path[start..=start], &*numbers) {
            ("M", &[x, y]) => [(x, y); 4],
            ("H", &[x]) => [at, at, (x, at.1), (x, at.1)],
            ("V", &[y]) => [at, at, (at.0, y), (at.0, y)],
            ("C", &[a, b, c, d, x, y]) => [at, (a, b), (c, d), (x, y)],
            other => panic!("{other:?} in {path}"),
        };
        points.extend((0..=40).map(|step| {
            let (t, rest) = (f64::from(step) / 40.0, 1.0 - f64::from(step) / 40.0);
            let weights = [rest * rest * rest, 3.0 * rest * rest * t, 3.0 * rest * t * t, t * t * t];
            let sum = |of: fn(&(f64, f64)) -> f64| {
                curve.iter().zip(weights).map(|(point, weight)| of(point) * weight).sum()
            };
            (sum(|point| point.0), sum(|point| point.1))
        }));
    }
    points
}

fn is_within((x, y): (f64, f64), node: Rectangle) -> bool {
    // Numbers in paths have one digit after the point.
    let slack = 0.2;
    node.x + slack < x && x < node.right() - slack && node.y + slack < y && y < node.bottom() - slack
}

#[track_caller]
fn check_apart(nodes: &[Node], edges: &[Edge], style: &Style) -> Drawing {
    let drawing = draw(nodes, edges, style);
    assert_eq!((drawing.nodes.len(), drawing.routes.len()), (nodes.len(), edges.len()));
    for (at, one) in drawing.nodes.iter().enumerate() {
        assert!(one.x >= style.left && one.y >= style.top && one.width > nodes[at].width - 0.001, "{one:?}");
        assert!(one.right() <= drawing.right && one.bottom() <= drawing.bottom);
        for other in &drawing.nodes[..at] {
            let is_beside = one.right() < other.x || other.right() < one.x;
            let gap = (one.y - other.bottom()).max(other.y - one.bottom());
            assert!(is_beside || gap >= style.node_gap - 0.001, "{one:?} {other:?}");
        }
    }
    for (edge, route) in edges.iter().zip(&drawing.routes) {
        assert!(!route.path.is_empty() || edge.bundle.is_some());
        for point in points(&route.path) {
            for node in &drawing.nodes {
                assert!(!is_within(point, *node), "{point:?} of {edge:?} in {node:?}: {}", route.path);
            }
            assert!(point.0 <= drawing.right + 0.1 && point.1 <= drawing.bottom + 0.1);
        }
    }
    let labels: Vec<Rectangle> = drawing
        .routes
        .iter()
        .filter_map(|route| route.label.filter(|label| label.is_whole))
        .map(|label| label.place)
        .collect();
    for (at, label) in labels.iter().enumerate() {
        assert!(label.x >= 0.0 && label.y >= 0.0);
        assert!(!drawing.nodes.iter().chain(&labels[..at]).any(|other| label.overlaps(*other)));
    }
    drawing
}

#[test]
fn nothing_and_little_are_drawn() {
    assert!(check_apart(&[], &[], &CENTRED).nodes.is_empty());
    check_apart(&nodes(1), &edges(&[(0, 0)]), &CENTRED);
    check_apart(&nodes(1), &[Edge { start_y: Some(30.0), end_y: Some(10.0), ..edge(0, 0) }], &FLUSH);
}

#[test]
fn columns_are_distances_from_the_starts() {
    let ends = edges(&[(0, 1), (1, 2), (1, 3), (3, 1), (3, 2), (3, 4), (2, 5), (6, 1), (7, 6)]);
    let mut nodes = nodes(8);
    // Nothing leads from the start to 6 and 7, and 6 is the first of them.
    assert_eq!(distances(&nodes, &ends), [0, 1, 2, 2, 3, 3, 0, 0]);
    nodes[7].is_start = true;
    assert_eq!(distances(&nodes, &ends), [0, 1, 2, 2, 3, 3, 1, 0]);
}

#[test]
fn a_column_has_no_more_nodes_than_it_may_and_those_that_lead_on_stand_last() {
    let mut ends: Vec<(usize, usize)> = (1..=40).map(|to| (0, to)).collect();
    ends.extend((41..60).map(|to| (to % 5 + 1, to)));
    let style = Style { rows_max: 7, ..FLUSH };
    let drawing = check_apart(&nodes(60), &edges(&ends), &style);
    let mut rows = std::collections::BTreeMap::new();
    drawing.nodes.iter().for_each(|node| *rows.entry(node.x as i64).or_insert(0) += 1);
    // The start, forty in six columns, and nineteen in three.
    assert_eq!((rows.len(), rows.values().max()), (10, Some(&7)));
    assert!(ends.iter().all(|&(from, to)| drawing.nodes[from].right() < drawing.nodes[to].x));
    let last = (1..=40).map(|at| drawing.nodes[at].x).fold(0.0, f64::max);
    assert!((1..=5).all(|at| drawing.nodes[at].x == last));
}

#[test]
fn edges_cross_no_more_than_they_must() {
    let crossings = |ends: &[(usize, usize)]| {
        let mut columns = Columns::new(&nodes(7), &edges(ends), &CENTRED);
        order::settle(&mut columns);
        order::crossings(&columns)
    };
    assert_eq!(crossings(&[(0, 1), (0, 2), (0, 3), (3, 4), (2, 5), (1, 6)]), 0);
    // All of two columns with all of the other.
    assert_eq!(crossings(&[(0, 1), (0, 2), (1, 3), (1, 4), (2, 3), (2, 4)]), 1);
}

#[test]
fn an_edge_that_goes_back_passes_columns_between_their_nodes() {
    let ends = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (4, 5), (5, 6), (6, 0)];
    let drawing = check_apart(&nodes(7), &edges(&ends), &CENTRED);
    assert!(drawing.routes[3].is_leftwards && !drawing.routes[0].is_leftwards);
    let node = drawing.nodes[0];
    assert_eq!(drawing.routes[3].tip.0, node.right());
}

#[test]
fn edges_of_a_bundle_share_a_lane() {
    let bundled = |from| Edge { end_y: Some(10.0), bundle: Some(0), ..edge(from, 0) };
    let mut edges = edges(&[(0, 1), (1, 2), (2, 3), (2, 4)]);
    edges.extend([bundled(3), bundled(4)]);
    let drawing = check_apart(&nodes(5), &edges, &FLUSH);
    let ends = |at: usize| points(&drawing.routes[at].path).last().copied().expect("a point");
    assert_eq!(drawing.routes[4].tip, drawing.routes[5].tip);
    assert_eq!(ends(4).0, drawing.routes[4].tip.0 + FLUSH.head);
    // The second ends where it comes to the lane.
    assert_eq!(ends(5).0, drawing.nodes[2].right());
}

#[test]
fn the_needed_part_of_a_label_is_always_drawn() {
    let label = |needed| Some(Label { width: 5_000.0, needed });
    let edges: Vec<Edge> =
        (0..60).map(|at| Edge { label: label(f64::from(at % 2) * 20.0), ..edge(0, 1) }).collect();
    let drawing = check_apart(&nodes(2), &edges, &CENTRED);
    for (edge, route) in edges.iter().zip(&drawing.routes) {
        let is_needed = edge.label.is_some_and(|label| label.needed > 0.0);
        assert!(route.label.is_some() || !is_needed);
    }
}

#[test]
fn edges_without_lanes_run_below() {
    let count = 400;
    let mut ends: Vec<(usize, usize)> = (1..count).map(|at| (at - 1, at)).collect();
    ends.extend((0..count / 2).map(|at| (count - 1 - at, at)));
    // Lanes for all of these would be 40,000.
    let drawing = draw(&nodes(count), &edges(&ends), &CENTRED);
    let below: Vec<_> = drawing.routes.iter().filter(|route| route.path.contains('V')).collect();
    assert!(!below.is_empty() && below.len() < count / 2, "{}", below.len());
    let lowest = drawing.nodes.iter().map(|node| node.bottom()).fold(0.0, f64::max);
    for points in below.into_iter().map(|route| points(&route.path)) {
        assert!(points.iter().any(|point| lowest < point.1 && point.1 < drawing.bottom + 0.1));
        assert!(!drawing.nodes.iter().any(|node| points.iter().any(|&point| is_within(point, *node))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn graphs_of_any_shape_are_drawn_apart(
        ends in prop::collection::vec((0..9_usize, 0..9_usize, 0..4_usize, 0..120_u32), 0..40),
        starts in 1..3_usize,
        style in prop::sample::select(vec![CENTRED, FLUSH, SPLIT]),
    ) {
        let nodes: Vec<Node> = nodes(9).into_iter().enumerate().map(|(at, node)| Node { is_start: at < starts, ..node }).collect();
        let edges: Vec<Edge> = ends
            .into_iter()
            .map(|(from, to, kind, width)| Edge {
                start_y: (kind == 1).then_some(30.0),
                end_y: (kind == 1).then_some(12.0),
                bundle: (kind == 1).then_some(0),
                label: (kind > 1).then_some(Label { width: f64::from(width), needed: if kind == 3 { 12.0 } else { 0.0 } }),
                ..edge(from, to)
            })
            .collect();
        let drawing = check_apart(&nodes, &edges, &style);
        prop_assert_eq!(format!("{drawing:?}"), format!("{:?}", draw(&nodes, &edges, &style)));
    }
}
