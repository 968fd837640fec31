//! Names that a text declares, and the known names nearest to unknown ones.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use super::{Span, meant};
use crate::gui::nearest;
use crate::sorted;

/// Names, each with the place of its first declaration.
pub(crate) struct Declarations<K, T>(BTreeMap<K, (Span, T)>);

impl<K, T> Default for Declarations<K, T> {
    fn default() -> Declarations<K, T> {
        Declarations(BTreeMap::new())
    }
}

impl<K: Ord + Borrow<str>, T> Declarations<K, T> {
    /// Notes that `name` is declared at `span`. Declared again, a name keeps its first meaning.
    pub fn declare(&mut self, name: K, span: Span, meaning: T) {
        self.0.entry(name).or_insert((span, meaning));
    }

    /// Returns the place where `name` is declared first.
    pub fn first(&self, name: &str) -> Option<Span> {
        self.0.get(name).map(|(span, _)| span.clone())
    }

    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.get(name).map(|(_, meaning)| meaning)
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut T> {
        self.0.get_mut(name).map(|(_, meaning)| meaning)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.keys().map(K::borrow)
    }

    /// Returns the names with their places and meanings in the order of the text.
    pub fn in_order(&self) -> Vec<(&str, &Span, &T)> {
        let mut all: Vec<(&str, &Span, &T)> =
            self.0.iter().map(|(name, (span, meaning))| (name.borrow(), span, meaning)).collect();
        // The map has them in the order of their names.
        sorted::by_key(&mut all, |(_, span, _)| span.start);
        all
    }
}

/// Bound on the known names that are compared with unknown ones, over a whole text.
///
/// A hostile text has many names and uses as many that are unknown.
pub(crate) struct Suggestions {
    left: usize,
}

impl Default for Suggestions {
    fn default() -> Suggestions {
        Suggestions { left: 200_000 }
    }
}

impl Suggestions {
    /// Returns the first of the `known` names, as many as may still be compared, and counts them.
    pub fn afford<I: Iterator + Clone>(&mut self, known: I) -> std::iter::Take<I> {
        // Counted beforehand, as the caller may stop early or go through the names twice.
        let looked_at = known.clone().take(self.left).count();
        self.left -= looked_at;
        known.take(looked_at)
    }
}

/// Returns help with the `known` word nearest to `typed`, or else what `otherwise` says.
pub(crate) fn did_you_mean<'a>(
    typed: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    nearest(typed, known).map_or_else(otherwise, meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_declaration_of_a_name_counts() {
        let mut names = Declarations::default();
        names.declare("b", 5..6, 1);
        names.declare("a", 8..9, 2);
        names.declare("b", 20..21, 3);
        assert_eq!((names.first("b"), names.get("b")), (Some(5..6), Some(&1)));
        assert_eq!(names.first("c"), None);
        assert_eq!(names.in_order().iter().map(|(name, ..)| *name).collect::<Vec<_>>(), ["b", "a"]);
    }

    #[test]
    fn known_names_are_compared_until_there_were_enough() {
        let mut suggestions = Suggestions { left: 3 };
        assert_eq!(suggestions.afford(["a", "b"].into_iter()).count(), 2);
        assert_eq!(suggestions.afford(["c", "d"].into_iter()).collect::<Vec<_>>(), ["c"]);
        assert_eq!(suggestions.afford(["e"].into_iter()).count(), 0);
    }
}
