//! Layered graphs: nodes in columns by their distance from the starts, smooth edges between the columns, and labels.
//!
//! [`draw`] finds places for sizes it is handed and writes the path of each edge as SVG. Appearance, texts and colours are
//! the caller's; [`svg`] helps to write them.
//!
//! Nodes never overlap, and no edge runs through a node: an edge that passes a column has a lane in it. Labels overlap
//! neither nodes nor each other; a label that finds no room is left out, except for its part that is needed.

pub mod chart;
mod columns;
mod labels;
mod order;
mod route;
pub mod svg;

use columns::Columns;

/// A node of a graph.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub width: f64,
    pub height: f64,
    /// True if it stands in the first column.
    pub is_start: bool,
}

/// An edge between two nodes, given by their indices.
#[derive(Clone, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    /// Distance of its start from the top of `from`; without one, edges spread evenly over the side.
    pub start_y: Option<f64>,
    /// Distance of its end from the top of `to`; without one, edges spread evenly over the side.
    pub end_y: Option<f64>,
    /// Edges to the same node with the same bundle share their lanes.
    pub bundle: Option<usize>,
    pub label: Option<Label>,
}

/// The size of a label beside an edge.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// Width of the whole label.
    pub width: f64,
    /// Width of its needed part, which is drawn even where there is no room; 0 for none.
    pub needed: f64,
}

/// Distances that differ from drawing to drawing.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Space to the left of the first column.
    pub left: f64,
    /// Space above the highest node.
    pub top: f64,
    /// Space between two nodes of a column.
    pub node_gap: f64,
    /// Space between two lanes of a column.
    pub lane_gap: f64,
    /// Length of an arrowhead that the caller draws; paths end where it begins.
    pub head: f64,
    /// Pull of each node to the middle of the picture, against 1 of each of its edges. Without it, edges are straighter;
    /// with it, the picture is less high.
    pub pull: f64,
    /// True if all nodes of a column are made as wide as the widest; else each is centred.
    pub is_flush: bool,
    /// Most nodes of a column: of more at the same distance, those without a way on stand in columns before the others.
    pub rows_max: usize,
}

/// Places and paths, measured from the upper left corner of the picture.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Right end of all that is drawn.
    pub right: f64,
    /// Lower end of all that is drawn.
    pub bottom: f64,
    /// The place of each node.
    pub nodes: Vec<Rectangle>,
    /// The route of each edge.
    pub routes: Vec<Route>,
}

/// An upright rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Rectangle {
    fn right(self) -> f64 {
        self.x + self.width
    }

    fn bottom(self) -> f64 {
        self.y + self.height
    }

    fn overlaps(self, other: Rectangle) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }
}

/// The drawn form of an edge.
#[derive(Clone, Debug)]
pub struct Route {
    /// Path data of SVG, from the start to the end. Parts that an earlier edge of the bundle drew are left out.
    pub path: String,
    /// Tip of the arrowhead, on the side of the node.
    pub tip: (f64, f64),
    /// True if the arrowhead points to the left.
    pub is_leftwards: bool,
    pub label: Option<LabelPlace>,
}

/// The place of a label.
#[derive(Clone, Copy, Debug)]
pub struct LabelPlace {
    pub place: Rectangle,
    /// True if there is room for the whole label, false if for its needed part alone.
    pub is_whole: bool,
}

/// Returns the drawing of a graph. The same graph gives the same drawing.
pub fn draw(nodes: &[Node], edges: &[Edge], style: &Style) -> Drawing {
    let mut columns = Columns::new(nodes, edges, style);
    order::settle(&mut columns);
    route::draw(columns, nodes, edges, style)
}

#[cfg(test)]
mod tests;
