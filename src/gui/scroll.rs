//! Scrolls: the directions in which a widget scrolls.
//!
//! Android's dump says that a widget scrolls, but not which way. Some classes scroll one way only. Of other classes, the
//! children tell: a list places them beside each other or below each other. Where nothing tells, all four directions
//! are offered, because a direction that is left out hides content from every agent.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::action::Direction;
use super::element::{Element, short_class};
use super::screen::{Bounds, Flags, Widget};

/// Directions of a widget whose content lies sideways.
const SIDEWAYS: &[Direction] = &[Direction::Left, Direction::Right];

/// Directions of a widget whose content lies downwards.
const DOWNWARDS: &[Direction] = &[Direction::Up, Direction::Down];

/// Classes of Android and its libraries, without their packages, that scroll up and down only.
const DOWNWARDS_CLASSES: [&str; 6] =
    ["ScrollView", "NestedScrollView", "ListView", "ExpandableListView", "GridView", "VerticalGridView"];

/// No widget.
const NONE: usize = usize::MAX;

/// Directions of the widgets of one screen.
pub(super) struct Scrolls<'a> {
    widgets: &'a [Widget],
    /// The next sibling of each widget, or [`NONE`]; empty until a widget's children are asked for.
    next: Vec<usize>,
}

impl<'a> Scrolls<'a> {
    /// Returns the directions of these widgets, which are those of a screen.
    pub fn new(widgets: &'a [Widget]) -> Scrolls<'a> {
        Scrolls { widgets, next: Vec::new() }
    }

    /// Returns the directions in which the widget at `at` scrolls, as far as the screen tells.
    pub fn directions(&mut self, at: usize) -> &'static [Direction] {
        let widget = &self.widgets[at];
        if widget.flags.has(Flags::SIDEWAYS) {
            return SIDEWAYS;
        }
        if let Some(directions) = by_class(&widget.class) {
            return directions;
        }
        if self.next.is_empty() {
            self.next = next_siblings(self.widgets);
        }
        let mut children = self.visible_children(at);
        // A child that fills the widget may hold the whole content. A child that scrolls says nothing about the widget
        // around it; ending there also visits no widget twice.
        let mut is_direct = true;
        while let [only] = children[..]
            && self.widgets[only].bounds.intersection(widget.bounds) == widget.bounds
            && !self.widgets[only].flags.has(Flags::SCROLLABLE)
        {
            children = self.visible_children(only);
            is_direct = false;
        }
        let bounds: Vec<Bounds> = children.iter().map(|&child| self.widgets[child].bounds).collect();
        match (follow_sideways(&bounds), follow_downwards(&bounds)) {
            (true, false) => SIDEWAYS,
            // Below a child that fills the widget this is no evidence: the child may be the page of a pager, which
            // goes sideways while the contents of its pages lie downwards.
            (false, true) if is_direct => DOWNWARDS,
            (true, true) | (false, _) => &Direction::ALL,
        }
    }

    fn visible_children(&self, at: usize) -> Vec<usize> {
        let has_child = self.widgets.get(at + 1).is_some_and(|next| next.depth > self.widgets[at].depth);
        let first = if has_child { at + 1 } else { NONE };
        let all = std::iter::successors(Some(first), |&child| self.next.get(child).copied());
        all.take_while(|&child| child != NONE).filter(|&child| self.widgets[child].is_visible()).collect()
    }
}

/// Returns the directions of a class that scrolls one way only.
fn by_class(class: &str) -> Option<&'static [Direction]> {
    // A page says it where an element scrolls to its sides.
    if Element::of(class).is_some() {
        return Some(DOWNWARDS);
    }
    let name = short_class(class);
    // `HorizontalScrollView` and `HorizontalGridView`, and subclasses that are named after them.
    if name.contains("Horizontal") || name.ends_with("ViewPager") || name.ends_with("Gallery") {
        Some(SIDEWAYS)
    } else if DOWNWARDS_CLASSES.contains(&name) {
        Some(DOWNWARDS)
    } else {
        None
    }
}

/// Returns the next sibling of each widget, or [`NONE`].
fn next_siblings(widgets: &[Widget]) -> Vec<usize> {
    let mut next = vec![NONE; widgets.len()];
    // The last widget met at each depth, as long as its parent is the present one.
    let mut last: Vec<usize> = Vec::new();
    for (at, widget) in widgets.iter().enumerate() {
        let depth = usize::from(widget.depth);
        if let Some(&before) = last.get(depth) {
            next[before] = at;
        }
        last.truncate(depth);
        last.push(at);
    }
    next
}

/// Returns true if two of `bounds` share rows of pixels, and one lies beside the other.
fn follow_sideways(bounds: &[Bounds]) -> bool {
    let mut from_the_top = bounds.to_vec();
    from_the_top.sort_unstable_by_key(|bounds| bounds.top);
    // Those above the present one, the nearest right edge first, and the farthest left edge first. One that ends above
    // the present one ends above all later ones too, so it is removed for good; this keeps the time below that of a sort.
    let mut by_right: BinaryHeap<(Reverse<i32>, i32)> = BinaryHeap::new();
    let mut by_left: BinaryHeap<(i32, i32)> = BinaryHeap::new();
    for present in from_the_top {
        while by_right.peek().is_some_and(|&(_, bottom)| bottom <= present.top) {
            by_right.pop();
        }
        while by_left.peek().is_some_and(|&(_, bottom)| bottom <= present.top) {
            by_left.pop();
        }
        let is_right_of = by_right.peek().is_some_and(|&(Reverse(right), _)| right <= present.left);
        let is_left_of = by_left.peek().is_some_and(|&(left, _)| present.right <= left);
        if is_right_of || is_left_of {
            return true;
        }
        by_right.push((Reverse(present.right), present.bottom));
        by_left.push((present.left, present.bottom));
    }
    false
}

/// Returns true if two of `bounds` share columns of pixels, and one lies below the other.
fn follow_downwards(bounds: &[Bounds]) -> bool {
    let turned: Vec<Bounds> =
        bounds.iter().map(|at| Bounds::new(at.top, at.left, at.bottom, at.right)).collect();
    follow_sideways(&turned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gui::{Context, Screen};

    /// Left, top, right and bottom edge.
    type Edges = (i32, i32, i32, i32);

    /// Widget at a depth, of a class, with bounds; it scrolls if `scrolls`.
    fn widget(depth: u16, class: &str, (left, top, right, bottom): Edges, scrolls: bool) -> Widget {
        Widget {
            depth,
            class: class.into(),
            bounds: Bounds::new(left, top, right, bottom),
            flags: Flags::ENABLED.set(Flags::SCROLLABLE, scrolls),
            ..Widget::default()
        }
    }

    /// Checks the directions of the first widget, which scrolls and covers 100 by 100 pixels, around these.
    #[track_caller]
    fn check(class: &str, inside: &[(u16, Edges)], expected: &[Direction]) {
        let mut widgets = vec![widget(0, class, (0, 0, 100, 100), true)];
        widgets
            .extend(inside.iter().map(|&(depth, bounds)| widget(depth, "android.view.View", bounds, false)));
        assert_eq!(Scrolls::new(&widgets).directions(0), expected, "{class} {inside:?}");
    }

    const VIEW: &str = "android.view.View";
    const RECYCLER: &str = "androidx.recyclerview.widget.RecyclerView";
    const ALL: &[Direction] = &Direction::ALL;

    #[test]
    fn a_list_scrolls_the_way_its_children_follow_each_other() {
        for class in [VIEW, RECYCLER] {
            check(class, &[(1, (0, 0, 40, 90)), (1, (40, 10, 80, 95)), (1, (80, 0, 100, 90))], SIDEWAYS);
            check(class, &[(1, (0, 0, 100, 40)), (1, (0, 40, 100, 80))], DOWNWARDS);
            // Children of a row, or of a background behind it, say nothing.
            check(
                class,
                &[(1, (0, 0, 90, 40)), (2, (0, 0, 9, 40)), (2, (20, 0, 40, 40)), (1, (0, 40, 90, 80))],
                DOWNWARDS,
            );
            check(class, &[(1, (0, 0, 40, 90)), (1, (0, 0, 100, 100)), (1, (50, 0, 90, 90))], SIDEWAYS);
        }
    }

    #[test]
    fn messages_to_the_left_and_to_the_right_still_lie_downwards() {
        check(VIEW, &[(1, (0, 0, 40, 20)), (1, (60, 20, 100, 40)), (1, (0, 40, 40, 60))], DOWNWARDS);
    }

    #[test]
    fn a_grid_scrolls_all_ways_unless_its_class_says_more() {
        let grid = [(1, (0, 0, 50, 50)), (1, (50, 0, 100, 50)), (1, (0, 50, 50, 100))];
        check(VIEW, &grid, ALL);
        check("android.widget.GridView", &grid, DOWNWARDS);
        check("androidx.leanback.widget.HorizontalGridView", &grid, SIDEWAYS);
    }

    #[test]
    fn a_class_that_scrolls_one_way_does_so_whatever_is_in_it() {
        // Two columns side by side, each longer than what is seen of it.
        let columns = [(1, (0, 0, 50, 100)), (1, (50, 0, 100, 100))];
        check("android.widget.ScrollView", &columns, DOWNWARDS);
        check("androidx.core.widget.NestedScrollView", &[], DOWNWARDS);
        let rows = [(1, (0, 0, 100, 50)), (1, (0, 50, 100, 100))];
        check("android.widget.HorizontalScrollView", &rows, SIDEWAYS);
        check("androidx.viewpager.widget.ViewPager", &rows, SIDEWAYS);
        check("org.example.TwoWayScrollView", &[], ALL);
        check("horizontal.Horizontal.View", &[], ALL);
    }

    #[test]
    fn what_fills_a_list_is_looked_into() {
        let row = [(1, (0, 0, 100, 100)), (2, (0, 0, 100, 100)), (3, (0, 0, 40, 100)), (3, (40, 0, 80, 100))];
        check(VIEW, &row, SIDEWAYS);
        // The page of a pager fills it too, and its contents lie downwards.
        check(RECYCLER, &[(1, (0, 0, 100, 100)), (2, (0, 0, 100, 40)), (2, (0, 40, 100, 80))], ALL);
        // The one row of a list, whose parts lie beside each other.
        check(RECYCLER, &[(1, (0, 0, 100, 20)), (2, (0, 0, 40, 20)), (2, (40, 0, 80, 20))], ALL);
    }

    #[test]
    fn nothing_is_known_of_a_list_without_visible_children() {
        check(VIEW, &[], ALL);
        check(VIEW, &[(1, (0, 0, 40, 100))], ALL);
        check(VIEW, &[(1, (0, 0, 40, 40)), (1, (50, 0, 50, 40)), (1, (0, 50, 40, 50))], ALL);
    }

    #[test]
    fn a_list_in_a_list_says_nothing_about_the_one_around_it() {
        let whole = (0, 0, 100, 100);
        let widgets = [
            widget(0, VIEW, whole, true),
            widget(1, VIEW, whole, true),
            widget(2, VIEW, (0, 0, 40, 100), false),
            widget(2, VIEW, (40, 0, 80, 100), false),
        ];
        let mut scrolls = Scrolls::new(&widgets);
        assert_eq!(scrolls.directions(0), ALL);
        assert_eq!(scrolls.directions(1), SIDEWAYS);
    }

    #[test]
    fn large_and_deep_screens_take_no_longer_than_a_look_at_each_widget() {
        // Each scrolls and fills the one before; quadratic time would take minutes.
        let nested = (0..=u16::MAX).map(|depth| widget(depth, VIEW, (0, 0, 100, 100), depth % 2 == 0));
        let row = (0..34_000).map(|at| widget(1, VIEW, (at, at % 7, at + 1, 100), false));
        let widgets: Vec<Widget> = nested.chain(row).collect();
        let screen = Screen::new("p", "p.A", Context::default(), widgets);
        let mut scrolls = Scrolls::new(screen.widgets());
        assert_eq!(scrolls.directions(0), SIDEWAYS);
        let all = (2..=usize::from(u16::MAX)).step_by(2);
        assert!(all.clone().all(|at| scrolls.directions(at) == ALL), "of {} none tells", all.count());
    }

    /// Returns true if one of two rectangles lies beside the other, written straight from the meaning.
    fn lie_beside(one: Bounds, other: Bounds) -> bool {
        let shares_rows = (one.top..one.bottom).any(|row| (other.top..other.bottom).contains(&row));
        shares_rows && (one.right <= other.left || other.right <= one.left)
    }

    fn lie_below(one: Bounds, other: Bounds) -> bool {
        let shares_columns = (one.left..one.right).any(|column| (other.left..other.right).contains(&column));
        shares_columns && (one.bottom <= other.top || other.bottom <= one.top)
    }

    fn any_pair(bounds: &[Bounds], holds: impl Fn(Bounds, Bounds) -> bool) -> bool {
        bounds.iter().enumerate().any(|(at, &one)| bounds[..at].iter().any(|&other| holds(one, other)))
    }

    proptest! {
        #[test]
        fn the_pairs_of_children_decide(
            rectangles in prop::collection::vec((0..20_i32, 0..20_i32, 0..9_i32, 0..9_i32), 0..9),
        ) {
            let bounds: Vec<Bounds> = rectangles
                .iter()
                .map(|&(left, top, width, height)| Bounds::new(left, top, left + width, top + height))
                .collect();
            let mut widgets = vec![widget(0, VIEW, (0, 0, 200, 200), true)];
            widgets.extend(bounds.iter().map(|&bounds| Widget { bounds, ..widget(1, VIEW, (0, 0, 0, 0), false) }));
            let seen: Vec<Bounds> = bounds.into_iter().filter(|bounds| !bounds.is_empty()).collect();
            let expected = match (any_pair(&seen, lie_beside), any_pair(&seen, lie_below)) {
                (true, false) => SIDEWAYS,
                (false, true) => DOWNWARDS,
                _ => ALL,
            };
            prop_assert_eq!(Scrolls::new(&widgets).directions(0), expected);
        }
    }
}
