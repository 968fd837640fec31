//! Specs as values: what a file of them says, and how that is written again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use crate::gui::{self, UserAction, quote};
use crate::ltl::{Formula, Formulas};

/// What a file of specs says, without the items that have mistakes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpecFile {
    /// The labels that are declared, in the order of the file.
    pub labels: Vec<String>,
    /// The user's actions, in the order of the file.
    pub actions: Vec<UserAction>,
    /// The specs, in the order of the file.
    pub specs: Vec<Spec>,
}

/// A formula with a name, and what is expected of the runs of an app.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its name; no other spec of the file has it.
    pub name: String,
    /// What is expected.
    pub expectation: Expectation,
    /// How much may be spent on it, as far as it says so.
    pub budget: Budget,
    /// Where its formula lives.
    pub formulas: Formulas,
    /// Its formula.
    pub formula: Formula,
    /// The brackets of the formula by their names in it; the names that are missing here are labels.
    pub atoms: BTreeMap<String, gui::Atom>,
    /// The actions of the user's that the brackets speak of.
    pub actions: Vec<UserAction>,
    /// The line it starts in, from 1.
    pub line: usize,
    /// Where its parts stand in the source.
    pub place: Place,
}

/// Where a spec and its parts stand in the source, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The whole.
    pub item: Range<usize>,
    /// The formula.
    pub formula: Range<usize>,
    /// `within K steps`.
    pub steps: Option<Range<usize>>,
    /// `over E episodes`.
    pub episodes: Option<Range<usize>>,
}

/// What is expected of the runs of an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expectation {
    /// Some run satisfies the formula.
    Possible,
    /// No run satisfies the formula.
    Never,
    /// No run makes the formula permanently violated.
    Must,
}

impl Expectation {
    /// All expectations.
    pub const ALL: [Expectation; 3] = [Expectation::Possible, Expectation::Never, Expectation::Must];

    /// The word a spec starts with.
    pub fn word(self) -> &'static str {
        match self {
            Expectation::Possible => "possible",
            Expectation::Never => "never",
            Expectation::Must => "must",
        }
    }
}

/// How much may be spent on a spec; what is not said is for the search to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The most steps of an episode, the start included.
    pub steps_max: Option<u32>,
    /// The most episodes.
    pub episodes_max: Option<u32>,
}

/// How much a spec says about actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing: states alone.
    A,
    /// Their types too.
    B,
    /// More than their types.
    C,
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Level::A => "a",
            Level::B => "b",
            Level::C => "c",
        })
    }
}

impl Spec {
    /// Returns how much the spec says about actions.
    pub fn level(&self) -> Level {
        let level = |atom: &gui::Atom| match (atom.is_action_detail(), atom.is_action()) {
            (true, _) => Level::C,
            (false, true) => Level::B,
            (false, false) => Level::A,
        };
        self.atoms.values().map(level).max().unwrap_or(Level::A)
    }

    /// Returns the labels of the formula that are no brackets, in the order of their names.
    pub fn labels(&self) -> BTreeSet<&str> {
        let atoms = self.formulas.atoms(self.formula);
        atoms
            .into_iter()
            .map(|atom| self.formulas.name(atom))
            .filter(|&name| !self.atoms.contains_key(name))
            .collect()
    }

    fn write_item(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {}", self.expectation.word(), quote(&self.name))?;
        if let Some(steps_max) = self.budget.steps_max {
            write!(out, " within {steps_max} steps")?;
        }
        if let Some(episodes_max) = self.budget.episodes_max {
            let comma = if self.budget.steps_max.is_some() { "," } else { "" };
            write!(out, "{comma} {episodes_max} episodes")?;
        }
        writeln!(out, ":\n    {}", self.formulas.display(self.formula))
    }
}

/// Equal are specs that say the same, wherever they stand.
impl PartialEq for Spec {
    fn eq(&self, other: &Spec) -> bool {
        let says_the_same = |other: &Spec| {
            let mut mine = self.formulas.clone();
            mine.import(&other.formulas, other.formula) == self.formula
        };
        self.name == other.name
            && self.expectation == other.expectation
            && self.budget == other.budget
            && self.atoms == other.atoms
            && self.actions == other.actions
            && says_the_same(other)
    }
}

/// Written as a file with this spec alone, and the declarations it needs.
impl fmt::Display for Spec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_declarations(out, self.labels(), &self.actions)?;
        self.write_item(out)
    }
}

/// Written as a file that is read as the same.
impl fmt::Display for SpecFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_declarations(out, self.labels.iter().map(String::as_str), &self.actions)?;
        for (at, spec) in self.specs.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            spec.write_item(out)?;
        }
        Ok(())
    }
}

fn write_declarations<'a>(
    out: &mut fmt::Formatter<'_>,
    labels: impl IntoIterator<Item = &'a str>,
    actions: &[UserAction],
) -> fmt::Result {
    let labels: Vec<&str> = labels.into_iter().collect();
    if !labels.is_empty() {
        writeln!(out, "label {}", labels.join(", "))?;
    }
    for action in actions {
        writeln!(out, "{action}")?;
    }
    if !labels.is_empty() || !actions.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}
