//! Terms: values that are read from a step while it is judged, as `{count(class = Row)}` in an atom.

use std::fmt;

use super::atom::{Comparison, Key, Kind};
use super::constant::{Number, escaped, quote};
use super::linked::TermTest;
use super::pattern::Pattern;
use super::typed::TypedText;

/// Value that is read from a step. `P` describes widgets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term<P = Pattern> {
    /// List of a key's values over the visible widgets of a pattern, in the order of the tree.
    Each(Key, Box<P>),
    /// Number of the visible widgets of a pattern.
    Count(Box<P>),
    /// Value of the screen or of the action.
    Of(Key),
    /// Number as it is.
    Number(Number),
    /// Text as it is, as a part of a longer one.
    Text(String),
    /// Texts behind each other.
    Joined(Vec<Term<P>>),
    /// Sum of two numbers.
    Sum(Box<Term<P>>, Box<Term<P>>),
    /// Difference of two numbers.
    Difference(Box<Term<P>>, Box<Term<P>>),
    /// Text without blanks at its ends.
    Trimmed(Box<Term<P>>),
    /// First number in a text.
    FirstNumber(Box<Term<P>>),
    /// Value one step before.
    Before(Box<Term<P>>),
    /// Value that a name keeps, with the term of that value.
    Kept(String, Box<Term<P>>),
    /// Values as they were kept; none if there was no value.
    Values(Option<Vec<String>>),
}

impl<P> Term<P> {
    /// Returns the parts of the term.
    fn parts(&self) -> Vec<&Term<P>> {
        match self {
            Term::Each(..)
            | Term::Count(_)
            | Term::Of(_)
            | Term::Number(_)
            | Term::Text(_)
            | Term::Values(_) => Vec::new(),
            Term::Joined(all) => all.iter().collect(),
            Term::Sum(left, right) | Term::Difference(left, right) => vec![left, right],
            Term::Trimmed(of) | Term::FirstNumber(of) | Term::Before(of) | Term::Kept(_, of) => vec![of],
        }
    }

    /// Returns true if `is_so` is true of the term or of a part of it.
    pub fn has(&self, is_so: &dyn Fn(&Term<P>) -> bool) -> bool {
        is_so(self) || self.parts().into_iter().any(|part| part.has(is_so))
    }

    /// Returns the same term with other descriptions of widgets.
    pub fn map<Q>(&self, with: &dyn Fn(&P) -> Q) -> Term<Q> {
        let boxed = |term: &Term<P>| Box::new(term.map(with));
        match self {
            Term::Each(key, of) => Term::Each(*key, Box::new(with(of))),
            Term::Count(of) => Term::Count(Box::new(with(of))),
            Term::Of(key) => Term::Of(*key),
            Term::Number(number) => Term::Number(*number),
            Term::Text(text) => Term::Text(text.clone()),
            Term::Joined(all) => Term::Joined(all.iter().map(|part| part.map(with)).collect()),
            Term::Sum(left, right) => Term::Sum(boxed(left), boxed(right)),
            Term::Difference(left, right) => Term::Difference(boxed(left), boxed(right)),
            Term::Trimmed(of) => Term::Trimmed(boxed(of)),
            Term::FirstNumber(of) => Term::FirstNumber(boxed(of)),
            Term::Before(of) => Term::Before(boxed(of)),
            Term::Kept(name, of) => Term::Kept(name.clone(), boxed(of)),
            Term::Values(values) => Term::Values(values.clone()),
        }
    }
}

impl Term {
    /// Returns true if a value depends on more than the screen after the step.
    pub fn reads_more_than_the_screen(&self) -> bool {
        self.has(&|part| match part {
            Term::Before(_) | Term::Kept(..) => true,
            Term::Of(key) => key.kind() == Kind::Action,
            Term::Each(_, of) | Term::Count(of) => {
                let mut is_so = false;
                of.for_each(&mut |one| {
                    is_so |= one.value.term().is_some_and(Term::reads_more_than_the_screen);
                });
                is_so
            }
            _ => false,
        })
    }

    /// Returns the term with `values` in place of the name `kept`, worked out as far as it reads nothing else.
    pub fn with_kept(&self, kept: &str, values: &Option<Vec<String>>) -> Term {
        let given = |term: &Term| term.with_kept(kept, values);
        let boxed = |term: &Term| Box::new(given(term));
        let term = match self {
            Term::Kept(name, _) if name == kept => Term::Values(values.clone()),
            Term::Each(key, of) => Term::Each(*key, Box::new(of.with_kept(kept, values))),
            Term::Count(of) => Term::Count(Box::new(of.with_kept(kept, values))),
            Term::Joined(all) => Term::Joined(all.iter().map(given).collect()),
            Term::Sum(left, right) => Term::Sum(boxed(left), boxed(right)),
            Term::Difference(left, right) => Term::Difference(boxed(left), boxed(right)),
            Term::Trimmed(of) => Term::Trimmed(boxed(of)),
            Term::FirstNumber(of) => Term::FirstNumber(boxed(of)),
            // A term whose value is kept has no kept name.
            Term::Kept(..)
            | Term::Of(_)
            | Term::Number(_)
            | Term::Text(_)
            | Term::Before(_)
            | Term::Values(_) => self.clone(),
        };
        let is_known = |part: &&Term| matches!(part, Term::Values(_) | Term::Text(_) | Term::Number(_));
        let parts = term.parts();
        if parts.is_empty() || !parts.iter().all(is_known) {
            return term;
        }
        Term::Values(TermTest::new(&term, TypedText::Counts).known_values())
    }

    /// Calls `see` with each kept name in the term, and with the term whose value it keeps.
    pub fn for_each_kept<'a>(&'a self, see: &mut dyn FnMut(&'a str, &'a Term)) {
        match self {
            Term::Kept(name, of) => see(name, of),
            Term::Each(_, of) | Term::Count(of) => of.for_each_kept(see),
            _ => self.parts().into_iter().for_each(|part| part.for_each_kept(see)),
        }
    }

    /// Returns the number of parts, patterns included.
    pub fn size(&self) -> usize {
        let own = match self {
            Term::Each(_, of) | Term::Count(of) => of.size(),
            _ => 0,
        };
        1 + own + self.parts().into_iter().map(Term::size).sum::<usize>()
    }

    /// Calls `see` with each comparison of the patterns.
    pub fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Comparison)) {
        match self {
            Term::Each(_, of) | Term::Count(of) => of.for_each(see),
            _ => self.parts().into_iter().for_each(|part| part.for_each(see)),
        }
    }

    /// Calls `see` with each key whose value is read.
    pub fn for_each_key(&self, see: &mut dyn FnMut(Key)) {
        match self {
            Term::Each(key, _) | Term::Of(key) => see(*key),
            _ => {}
        }
        self.parts().into_iter().for_each(|part| part.for_each_key(see));
    }

    /// Writes the term as a part of another one, in brackets if it needs them there.
    fn write_part(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Sum(..) | Term::Difference(..) => write!(out, "({self})"),
            _ => write!(out, "{self}"),
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Each(key, of) => write!(out, "{}({of:#})", key.name()),
            Term::Count(of) => write!(out, "count({of:#})"),
            Term::Of(key) => out.write_str(key.name()),
            Term::Number(number) => write!(out, "{number}"),
            // These two stand in a value alone, which writes them.
            Term::Text(text) => out.write_str(text),
            Term::Joined(all) => all.iter().try_for_each(|part| write!(out, "{part}")),
            Term::Sum(left, right) => {
                write!(out, "{left} + ")?;
                right.write_part(out)
            }
            Term::Difference(left, right) => {
                write!(out, "{left} - ")?;
                right.write_part(out)
            }
            Term::Trimmed(of) => write!(out, "trim({of})"),
            Term::FirstNumber(of) => write!(out, "number({of})"),
            Term::Before(of) => {
                out.write_str("prev ")?;
                of.write_part(out)
            }
            Term::Kept(name, _) => out.write_str(name),
            Term::Values(None) => out.write_str("nothing"),
            Term::Values(Some(values)) => {
                let quoted: Vec<String> = values.iter().map(|value| quote(value)).collect();
                write!(out, "list({})", quoted.join(", "))
            }
        }
    }
}

/// Writes `term` as a value.
pub(super) fn write_value(term: &Term, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Term::Joined(all) = term else { return write!(out, "{{{term}}}") };
    out.write_str("\"")?;
    for part in all {
        match part {
            Term::Text(text) => out.write_str(&escaped(text, true))?,
            part => write!(out, "{{{part}}}")?,
        }
    }
    out.write_str("\"")
}
