//! Names that widgets lend each other: the words below a widget, and those beside it.
//!
//! A button of today's toolkits is often a bare node that takes clicks, and its words are on nodes in it. Screen readers
//! read these as its name, and so do specs and stored tests.

use std::cell::OnceCell;
use std::sync::Arc;

use super::screen::{Flags, Screen, Widget};

/// Most characters of lent words; longer ones end with `…`.
const CHARS_MAX: usize = 100;

/// Between two texts, as screen readers pause there.
pub(super) const BETWEEN: &str = ", ";

/// The tree of a screen, to look words up in.
#[derive(Debug)]
pub(super) struct Naming<'a> {
    widgets: &'a [Widget],
    /// Made on first use, as most widgets that take actions are leaves.
    tree: OnceCell<Tree>,
    nothing: Arc<str>,
}

#[derive(Debug)]
struct Tree {
    /// By widget: the end of its subtree.
    ends: Vec<u32>,
    /// By widget: the widget it lies in; its own number at the top.
    parents: Vec<u32>,
    /// Widgets that say something beside others, in their order.
    speaking: Vec<u32>,
}

impl<'a> Naming<'a> {
    pub fn new(screen: &'a Screen) -> Naming<'a> {
        Naming { widgets: screen.widgets(), tree: OnceCell::new(), nothing: Arc::default() }
    }

    /// Returns the words of the widgets in the widget at `at`, without those that take actions themselves: these are the
    /// names of others.
    pub fn below(&self, at: usize) -> Arc<str> {
        let is_leaf = self.widgets.get(at + 1).is_none_or(|next| next.depth <= self.widgets[at].depth);
        if is_leaf {
            return self.nothing.clone();
        }
        let tree = self.tree();
        let mut words = Words::default();
        let (mut next, end) = (at + 1, tree.ends[at] as usize);
        while next < end && !words.is_full {
            let widget = &self.widgets[next];
            if widget.takes_actions() {
                next = tree.ends[next] as usize;
                continue;
            }
            if widget.is_visible() && !widget.flags.has(Flags::PASSWORD) {
                words.add(&[&widget.text, &widget.desc]);
            }
            next += 1;
        }
        words.finish(&self.nothing)
    }

    /// Returns the words nearest to the widget at `at` and outside of it: those of its row, else those of what the row lies
    /// in, up to the whole screen.
    pub fn beside(&self, at: usize) -> Arc<str> {
        let tree = self.tree();
        // Speaking widgets are in the order of the tree, so those of a subtree follow each other.
        let rank = |at: u32| tree.speaking.partition_point(|&one| one < at);
        let own = rank(at as u32)..rank(tree.ends[at]);
        let mut row = at as u32;
        loop {
            let parent = tree.parents[row as usize];
            // Above the top nodes there is the screen with all of them.
            let is_top = parent == row;
            let around =
                if is_top { 0..tree.speaking.len() } else { rank(parent)..rank(tree.ends[parent as usize]) };
            if around.len() > own.len() || is_top {
                let mut words = Words::default();
                let others = around.filter(|at| !own.contains(at)).map(|at| tree.speaking[at] as usize);
                for widget in others.map(|at| &self.widgets[at]) {
                    words.add(&[said(widget), &widget.desc]);
                    if words.is_full {
                        break;
                    }
                }
                return words.finish(&self.nothing);
            }
            row = parent;
        }
    }

    fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| {
            let count = self.widgets.len();
            let mut tree =
                Tree { ends: vec![count as u32; count], parents: Vec::new(), speaking: Vec::new() };
            // Widgets that the present one lies in, by depth.
            let mut open: Vec<u32> = Vec::new();
            for (at, widget) in (0..).zip(self.widgets) {
                for closed in open.drain(usize::from(widget.depth).min(open.len())..) {
                    tree.ends[closed as usize] = at;
                }
                tree.parents.push(open.last().copied().unwrap_or(at));
                open.push(at);
                if widget.is_visible()
                    && [said(widget), &widget.desc].iter().any(|text| !text.trim().is_empty())
                {
                    tree.speaking.push(at);
                }
            }
            tree
        })
    }
}

/// Returns the text of a widget, unless a user may have typed it.
fn said(widget: &Widget) -> &str {
    let is_typed = [Flags::EDITABLE, Flags::PASSWORD].into_iter().any(|flag| widget.flags.has(flag));
    if is_typed { "" } else { &widget.text }
}

/// Texts in a row, until they are long enough.
#[derive(Default)]
struct Words {
    text: String,
    chars: usize,
    is_full: bool,
}

impl Words {
    /// Adds the texts of a widget, the same one once.
    fn add(&mut self, texts: &[&str; 2]) {
        let [text, desc] = texts.map(str::trim);
        for text in [text, if desc == text { "" } else { desc }] {
            if text.is_empty() || self.is_full {
                continue;
            }
            let between = if self.text.is_empty() { "" } else { BETWEEN };
            for char in between.chars().chain(text.chars()) {
                if self.chars == CHARS_MAX - 1 {
                    self.is_full = true;
                    self.text.push('…');
                    return;
                }
                self.text.push(char);
                self.chars += 1;
            }
        }
    }

    fn finish(self, nothing: &Arc<str>) -> Arc<str> {
        if self.text.is_empty() { nothing.clone() } else { self.text.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Bounds, Context};

    fn widget(depth: u16, text: &str, flags: Flags) -> Widget {
        Widget { depth, text: text.into(), bounds: Bounds::new(0, 0, 9, 9), flags, ..Widget::default() }
    }

    fn screen(widgets: Vec<Widget>) -> Screen {
        Screen::new("p", "p.A", Context::default(), widgets)
    }

    fn rows() -> Screen {
        let plain = Flags::default();
        screen(vec![
            widget(0, "Basket", plain),
            widget(0, "", plain),
            widget(1, "", Flags::CLICKABLE),
            widget(2, "Milk", plain),
            widget(2, "1 l", plain),
            widget(2, "", Flags::CLICKABLE),
            widget(3, "+", plain),
            widget(1, "", Flags::CLICKABLE),
            Widget { desc: "Bread".into(), ..widget(2, "Bread", plain) },
            widget(2, "", Flags::CLICKABLE),
            widget(2, "brown", Flags::EDITABLE),
        ])
    }

    #[test]
    fn a_row_is_called_by_what_is_in_it_and_takes_no_action() {
        let screen = rows();
        let naming = Naming::new(&screen);
        let below: Vec<Arc<str>> = [2, 5, 7, 9, 4].into_iter().map(|at| naming.below(at)).collect();
        assert_eq!(below.iter().map(|text| &**text).collect::<Vec<_>>(), ["Milk, 1 l", "+", "Bread", "", ""]);
    }

    #[test]
    fn the_words_beside_a_widget_are_those_of_its_row_and_not_its_own() {
        let screen = rows();
        let naming = Naming::new(&screen);
        assert_eq!(&*naming.beside(5), "Milk, 1 l");
        assert_eq!(&*naming.beside(9), "Bread");
        assert_eq!(&*naming.beside(2), "Bread");
        assert_eq!(&*naming.beside(1), "Basket");
        assert_eq!(&*naming.beside(0), "Milk, 1 l, +, Bread");
    }

    #[test]
    fn long_words_are_cut() {
        let screen =
            screen(vec![widget(0, "", Flags::CLICKABLE), widget(1, &"long ".repeat(90), Flags::default())]);
        let below = Naming::new(&screen).below(0);
        assert_eq!(below.chars().count(), CHARS_MAX);
        assert!(below.ends_with('…'));
    }
}
