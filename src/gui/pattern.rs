//! Patterns: widgets that are described by themselves and by the widgets around them.

use std::fmt;

use super::atom::{Atom, Comparison, Joined, Mistake};
use super::term::Term;
use crate::sorted;

/// Widgets that meet all of some comparisons, and that have other widgets around them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    /// Comparisons that the widget itself meets.
    pub comparisons: Vec<Comparison>,
    /// Widgets around it; at least one of each must be there.
    pub places: Vec<(Relation, Pattern)>,
}

/// Place of another widget in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// Above it: a parent, its parent, and so on.
    In,
    /// Below it, however deep.
    Has,
    /// Below the same parent.
    Beside,
}

impl Relation {
    /// All relations, in the order in which a pattern prints them.
    pub const ALL: [Relation; 3] = [Relation::In, Relation::Has, Relation::Beside];

    /// Returns the relation as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Relation::In => "in",
            Relation::Has => "has",
            Relation::Beside => "beside",
        }
    }

    /// Returns the relation written `name`.
    pub fn parse(name: &str) -> Option<Relation> {
        Relation::ALL.into_iter().find(|relation| relation.name() == name)
    }
}

impl Pattern {
    /// Returns the pattern in its one order, or the mistake in it.
    pub fn new(
        comparisons: Vec<Comparison>,
        mut places: Vec<(Relation, Pattern)>,
    ) -> Result<Pattern, Mistake> {
        let comparisons = match comparisons.is_empty() {
            true => comparisons,
            false => {
                let Atom::Widget(all) = Atom::widget(comparisons)? else {
                    unreachable!("a widget atom was asked for")
                };
                all
            }
        };
        sorted::by(&mut places, Ord::cmp);
        places.dedup();
        Ok(Pattern { comparisons, places })
    }

    /// Returns the widgets that `atom` asks for, if it asks for widgets.
    pub fn of(atom: &Atom) -> Option<Pattern> {
        match atom {
            Atom::Widget(all) => Some(Pattern { comparisons: all.clone(), places: Vec::new() }),
            Atom::Placed(pattern) => Some(pattern.clone()),
            Atom::Checked(is_checked) => {
                Some(Pattern { comparisons: vec![Comparison::checked(*is_checked)], places: Vec::new() })
            }
            Atom::Count { .. } | Atom::State(_) | Atom::Action(_) | Atom::Compared { .. } => None,
        }
    }

    /// Returns the number of comparisons and places, those of places included.
    pub fn size(&self) -> usize {
        let of_terms = self.comparisons.iter().filter_map(|one| one.value.term()).map(Term::size);
        let of_places = self.places.iter().map(|(_, pattern)| 1 + pattern.size());
        self.comparisons.len() + of_terms.sum::<usize>() + of_places.sum::<usize>()
    }

    /// Calls `see` with each comparison, those of places and of terms included.
    pub fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Comparison)) {
        self.comparisons.iter().for_each(|one| one.for_each(see));
        self.places.iter().for_each(|(_, pattern)| pattern.for_each(see));
    }

    /// Returns the pattern with `values` in place of the name `kept`.
    pub(super) fn with_kept(&self, kept: &str, values: &Option<Vec<String>>) -> Pattern {
        Pattern {
            comparisons: self.comparisons.iter().map(|one| one.with_kept(kept, values)).collect(),
            places: self
                .places
                .iter()
                .map(|(relation, place)| (*relation, place.with_kept(kept, values)))
                .collect(),
        }
    }

    /// Calls `see` with each kept name in it, and with the term whose value it keeps.
    pub(super) fn for_each_kept<'a>(&'a self, see: &mut dyn FnMut(&'a str, &'a Term)) {
        let terms = self.comparisons.iter().filter_map(|one| one.value.term());
        terms.for_each(|term| term.for_each_kept(see));
        self.places.iter().for_each(|(_, place)| place.for_each_kept(see));
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        Joined(&self.comparisons).fmt(out)?;
        for (at, (relation, pattern)) in self.places.iter().enumerate() {
            let comma = if at > 0 || !self.comparisons.is_empty() { ", " } else { "" };
            write!(out, "{comma}{}(", relation.name())?;
            pattern.fmt(out)?;
            out.write_str(")")?;
        }
        Ok(())
    }
}
