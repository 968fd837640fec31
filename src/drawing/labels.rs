//! Labels: a place beside each edge that is free.

use super::{Edge, LabelPlace, Rectangle, Route};

use crate::sorted;

const HEIGHT: f64 = 14.0;

/// Distance of a label from the edge of the drawing: a badge around it is a little larger.
const MARGIN: f64 = 1.0;

/// Shares of the curve after which a label is tried.
const SHARES: [f64; 9] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85];

/// Distances of the middle of a label from the curve.
const SHIFTS: [f64; 4] = [-9.0, 10.0, -20.0, 21.0];

/// Distance of a label at the side of a loop or an arc from the curve.
const ASIDE: f64 = 14.0;

/// Straight lines that a curve is taken for.
const PIECES: usize = 12;

/// Points of a cubic Bézier curve; a straight line is one too.
pub type Curve = [(f64, f64); 4];

/// An edge as it is drawn.
pub struct Stem {
    pub curves: Vec<Curve>,
    /// The curve beside which the label stands.
    pub stem: Option<Curve>,
    /// Side of the curve to which labels move: left of it (-1), right of it (1), or neither.
    pub shift: f64,
}

/// Finds places for the labels of `edges`. Those with a part that is needed choose first.
pub fn place(edges: &[Edge], nodes: &[Rectangle], stems: &[Stem], routes: &mut [Route]) {
    if edges.iter().all(|edge| edge.label.is_none()) {
        return;
    }
    // Made once, because each label is compared with all edges.
    let lines: Vec<Polyline> = stems.iter().map(Polyline::new).collect();
    let mut taken = nodes.to_vec();
    let mut order: Vec<usize> = (0..edges.len()).collect();
    sorted::by_key(&mut order, |&at| edges[at].label.is_none_or(|label| label.needed == 0.0));
    for at in order {
        let (Some(label), Some(curve)) = (edges[at].label, stems[at].stem) else { continue };
        // All pairs are compared: callers label small graphs alone.
        let is_free =
            |place: &Rectangle| *place == within(*place) && !taken.iter().any(|other| place.overlaps(*other));
        let crosses = |place: &Rectangle| {
            lines.iter().enumerate().any(|(other, line)| other != at && line.crosses(*place))
        };
        let find = |width: f64| {
            let free: Vec<Rectangle> =
                candidates(curve, stems[at].shift, width).into_iter().filter(is_free).collect();
            // Over another edge a label can still be read, as it has an outline.
            free.iter().find(|place| !crosses(place)).or(free.first()).copied()
        };
        let whole = find(label.width).map(|place| LabelPlace { place, is_whole: true });
        let placed = whole.or_else(|| {
            // Without a free place it lies over something, but never beyond the edge of the drawing.
            let needed =
                || find(label.needed).unwrap_or_else(|| within(centred(along(curve, 0.5), label.needed)));
            (label.needed > 0.0).then(|| LabelPlace { place: needed(), is_whole: false })
        });
        // Later labels must keep clear of this one.
        taken.extend(placed.map(|label| label.place));
        routes[at].label = placed;
    }
}

/// Returns the places for a label of this width, the best first.
fn candidates(curve: Curve, shift: f64, width: f64) -> Vec<Rectangle> {
    let beside = shift * (width / 2.0 + ASIDE);
    let aside = SHARES.into_iter().filter(|_| shift != 0.0).map(|share| {
        let (x, y) = along(curve, share);
        centred((x + beside, y), width)
    });
    let around = SHARES.into_iter().flat_map(|share| {
        let (x, y) = along(curve, share);
        SHIFTS.map(|shift| centred((x, y + shift), width))
    });
    aside.chain(around).collect()
}

/// Returns the place moved right and down into the drawing.
fn within(place: Rectangle) -> Rectangle {
    Rectangle { x: place.x.max(MARGIN), y: place.y.max(MARGIN), ..place }
}

fn centred(middle: (f64, f64), width: f64) -> Rectangle {
    Rectangle { x: middle.0 - width / 2.0, y: middle.1 - HEIGHT / 2.0, width, height: HEIGHT }
}

/// Returns the point of a curve after this share of it.
fn along(curve: Curve, share: f64) -> (f64, f64) {
    let rest = 1.0 - share;
    // Products, as machines may round `powi` differently.
    let weights =
        [rest * rest * rest, 3.0 * rest * rest * share, 3.0 * rest * share * share, share * share * share];
    let sum = |of: fn((f64, f64)) -> f64| {
        curve.iter().zip(weights).map(|(&point, weight)| of(point) * weight).sum()
    };
    (sum(|point| point.0), sum(|point| point.1))
}

/// The curves of an edge as straight lines, and the rectangle around them.
struct Polyline {
    points: Vec<[(f64, f64); 2]>,
    around: Rectangle,
}

impl Polyline {
    fn new(stem: &Stem) -> Polyline {
        let mut points = Vec::new();
        for &curve in &stem.curves {
            // Both control points of a straight line are its ends.
            let pieces = if curve[0] == curve[1] { 1 } else { PIECES };
            let point = |piece: usize| along(curve, piece as f64 / pieces as f64);
            points.extend((0..pieces).map(|piece| [point(piece), point(piece + 1)]));
        }
        let fold = |start: f64, of: fn((f64, f64)) -> f64, pick: fn(f64, f64) -> f64| {
            points.iter().flatten().map(|&point| of(point)).fold(start, pick)
        };
        let (x, y) = (fold(f64::INFINITY, |p| p.0, f64::min), fold(f64::INFINITY, |p| p.1, f64::min));
        let (right, bottom) =
            (fold(f64::NEG_INFINITY, |p| p.0, f64::max), fold(f64::NEG_INFINITY, |p| p.1, f64::max));
        Polyline { points, around: Rectangle { x, y, width: right - x, height: bottom - y } }
    }

    fn crosses(&self, place: Rectangle) -> bool {
        meets([(self.around.x, self.around.y), (self.around.right(), self.around.bottom())], place)
            && self.points.iter().any(|&line| meets(line, place) && divides(line, place))
    }
}

/// Returns true if the rectangle around a line meets `place`.
fn meets([one, other]: [(f64, f64); 2], place: Rectangle) -> bool {
    one.0.min(other.0) <= place.right()
        && place.x <= one.0.max(other.0)
        && one.1.min(other.1) <= place.bottom()
        && place.y <= one.1.max(other.1)
}

/// Returns true if corners of `place` lie on both sides of the line, or on it.
fn divides([from, to]: [(f64, f64); 2], place: Rectangle) -> bool {
    let side = |x: f64, y: f64| (to.0 - from.0) * (y - from.1) - (to.1 - from.1) * (x - from.0);
    let (right, bottom) = (place.right(), place.bottom());
    let sides = [side(place.x, place.y), side(right, place.y), side(place.x, bottom), side(right, bottom)];
    sides.iter().any(|&side| side <= 0.0) && sides.iter().any(|&side| side >= 0.0)
}
