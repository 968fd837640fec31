//! Outlines: the structure and the contents of a screen, as numbers.
//!
//! Two looks at the same place of an app often differ in a clock, a counter or the rows of a list. With an outline, an
//! agent that sees numbers alone can find out which contents matter.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::screen::{Flags, Orientation, Screen, Widget};

/// Structure and contents of a screen. The numbers depend on the screen alone, the same on every machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Structure: activity, context, and the tree of classes, ids and flags, the rows of a list as one.
    pub frame: u64,
    /// Places with a content and the contents there, each place once, in the order of their numbers.
    pub contents: Vec<(u64, u64)>,
}

impl Outline {
    /// Returns the outline of `screen`.
    pub fn new(screen: &Screen) -> Outline {
        let context = screen.context();
        let mut frame = vec![hash(&(
            &**screen.package(),
            &**screen.activity(),
            context.screen_on,
            context.orientation == Orientation::Landscape,
            (context.network, context.crashed, context.anr),
        ))];
        if context.keyboard {
            frame.push(hash(&"keyboard"));
        }
        if let Some(crash) = screen.crash() {
            frame.push(hash(&("crash", &**crash)));
        }
        // For each ancestor of this node: the hash that names its place, and true if it is a list.
        let mut way: Vec<(u64, bool)> = Vec::new();
        // Number of children that each of them had so far.
        let mut children: Vec<u32> = vec![0];
        let mut parts: Vec<u64> = Vec::new();
        let mut said: Vec<(u64, u64)> = Vec::new();
        for widget in screen.widgets() {
            let depth = usize::from(widget.depth);
            way.truncate(depth);
            children.truncate(depth + 1);
            let (above, in_list) = way.last().copied().unwrap_or_default();
            // All rows of a list share one place, so that scrolling leaves the structure as it is.
            let nth = if in_list { 0 } else { children[depth] };
            children[depth] += 1;
            children.push(0);
            let place = hash(&(above, nth, &*widget.class, &*widget.id));
            way.push((place, is_list(widget)));
            let flags = [Flags::CLICKABLE, Flags::LONG_CLICKABLE, Flags::ENABLED, Flags::EDITABLE];
            let built = flags.map(|flag| widget.flags.has(flag));
            parts.push(hash(&(place, built, widget.is_visible())));
            // These change as the app is used, so they belong to the contents and not to the structure.
            let state = [Flags::CHECKED, Flags::FOCUSED, Flags::SELECTED].map(|flag| widget.flags.has(flag));
            if !(widget.text.is_empty() && widget.desc.is_empty()) || state.contains(&true) {
                said.push((place, hash(&(&*widget.text, &*widget.desc, state))));
            }
        }
        // A list with more rows of the same kinds has the same structure.
        parts.sort_unstable();
        parts.dedup();
        frame.extend(parts);
        said.sort_by_key(|&(place, _)| place);
        let contents = said
            .chunk_by(|one, two| one.0 == two.0)
            .map(|all| match all {
                [one] => *one,
                _ => (all[0].0, hash(&all)),
            })
            .collect();
        Outline { frame: hash(&frame), contents }
    }
}

fn is_list(widget: &Widget) -> bool {
    ["RecyclerView", "ListView", "GridView", "ViewPager"].iter().any(|end| widget.class.ends_with(end))
}

fn hash(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::Context;

    fn list(rows: &[&str]) -> Outline {
        let list = Widget { class: "android.widget.ListView".into(), ..Widget::default() };
        let row = |text: &&str| Widget { depth: 1, text: (*text).into(), ..Widget::default() };
        let widgets = std::iter::once(list).chain(rows.iter().map(row)).collect();
        Outline::new(&Screen::new("p", "p.A", Context::default(), widgets))
    }

    #[test]
    fn rows_of_a_list_are_contents_and_not_frame() {
        let (one, two, three) = (list(&["a", "b"]), list(&["a", "c"]), list(&["a", "b", "c"]));
        assert!(one.frame == two.frame && two.frame == three.frame);
        assert_eq!(one.contents.len(), 1);
        assert!(one.contents != two.contents && one.contents != three.contents);
        assert_ne!(list(&[]).frame, one.frame);
    }

    #[test]
    fn what_is_built_otherwise_has_another_frame() {
        let screen = |class: &str| {
            let widget = Widget { class: class.into(), text: "a".into(), ..Widget::default() };
            Outline::new(&Screen::new("p", "p.A", Context::default(), vec![widget]))
        };
        assert_ne!(screen("a.Button").frame, screen("a.TextView").frame);
    }
}
