//! A formula followed along one trace, in memory that does not grow with it.

use std::collections::BTreeSet;

use super::automaton::{Automaton, ResidualId};
use super::display::Display;
use super::formula::{Formula, Formulas, Interval};
use super::labels::Labels;
use super::meaning::Permanent;

/// The effect of a step on a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// True if the trace satisfies the formula should it end here.
    pub satisfied: bool,
    /// The part of the verdict that no further step can change.
    pub permanent: Permanent,
    /// The shaped reward of the step, see [`reward`].
    pub reward: f64,
    /// N: number of atoms in the residual as printed, `u64::MAX` if they are too many to count.
    pub atom_count: u64,
}

/// A trace so far, and the residual of a formula after it.
///
/// ```
/// use farlead::ltl::{Bound, Formulas, Monitor};
///
/// let mut ltl = Formulas::new();
/// let crash = ltl.atom("crash");
/// let never = ltl.always(Bound::ANY, !crash);
/// let mut monitor = Monitor::new(&ltl, never);
/// assert!(monitor.step(["start"]).satisfied);
/// assert!(!monitor.step(["crash"]).satisfied);
/// assert_eq!(monitor.residual().to_string(), "false");
/// monitor.restart();
/// assert!(monitor.step(["start"]).satisfied);
/// ```
#[derive(Clone, Debug)]
pub struct Monitor {
    automaton: Automaton,
    state: ResidualId,
    renumberings: u32,
    /// Time of the last step that had one.
    at_ms: u64,
}

impl Monitor {
    /// Returns a monitor of `formula` before the first step.
    pub fn new(formulas: &Formulas, formula: Formula) -> Monitor {
        let automaton = Automaton::new(formulas, formula);
        Monitor { automaton, state: ResidualId::START, renumberings: 0, at_ms: 0 }
    }

    /// Goes back to before the first step, for another trace. What is known of the formula stays.
    pub fn restart(&mut self) {
        (self.state, self.at_ms) = (ResidualId::START, 0);
    }

    /// Returns true if the formula has a bound in time, so that the times of steps matter.
    pub fn has_time(&self) -> bool {
        self.automaton.has_time()
    }

    /// Returns the automaton that is followed, for a step that keeps values: until the step is taken, its numbers stay.
    pub fn automaton(&mut self) -> &mut Automaton {
        self.forget_if_large();
        &mut self.automaton
    }

    /// Returns the labels called `names`, of a step that gives the values of `binding` to kept names; see
    /// [`Automaton::bind`]. An atom holds if its name has, with these values in it.
    pub fn labels_with<'a>(&mut self, names: impl IntoIterator<Item = &'a str>, binding: u32) -> Labels {
        let names: BTreeSet<&str> = names.into_iter().collect();
        let own = 0..self.automaton.atoms().count() as u32;
        let others = self.automaton.atoms_with_values().chain(self.automaton.atoms_with_names());
        let holds = |&number: &u32| names.contains(self.automaton.name_with_values(number, binding));
        own.chain(others).filter(holds).collect::<Labels>().with_binding(binding)
    }

    /// Returns the labels called `names`; names outside the formula make no difference.
    pub fn labels<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Labels {
        self.automaton.labels(names)
    }

    /// Takes a step with the labels called `names`.
    pub fn step<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> Progress {
        let labels = self.automaton.labels(names);
        self.step_labels(&labels)
    }

    /// Takes a step with `labels` at this time, in milliseconds since the start of the trace.
    pub fn step_at(&mut self, at_ms: u64, labels: Labels) -> Progress {
        let interval = Interval { from_ms: self.at_ms, to_ms: at_ms };
        let elapsed_ms = self.automaton.told_apart_ms(interval);
        self.at_ms = at_ms;
        self.step_labels(&labels.after(elapsed_ms))
    }

    /// Takes a step with `labels`, numbered as in the monitor's automaton.
    pub fn step_labels(&mut self, labels: &Labels) -> Progress {
        // Numbers of values are those of an automaton that has forgotten nothing since.
        if labels.binding() == 0 {
            self.forget_if_large();
        }
        let before = self.automaton.atom_count(self.state);
        self.state = self.automaton.step(self.state, labels);
        let satisfied = self.automaton.is_satisfied(self.state);
        let permanent = self.automaton.permanent(self.state);
        let atom_count = self.automaton.atom_count(self.state);
        let reward = reward(satisfied, permanent, before, atom_count);
        Progress { satisfied, permanent, reward, atom_count }
    }

    /// Forgets what is known of the formula once it is much: a trace may be endless, and the memory of the monitor must not
    /// grow with it.
    fn forget_if_large(&mut self) {
        if self.automaton.is_large() {
            self.state = self.automaton.forget(self.state);
            self.renumberings += 1;
        }
    }

    /// Returns what is permanent: before the first step, over all traces that have a step; later, as returned
    /// by the last step.
    pub fn permanent(&mut self) -> Permanent {
        self.automaton.permanent(self.state)
    }

    /// Returns true if what is permanent is open only because the formula is too large to be judged.
    pub fn is_given_up(&mut self) -> bool {
        self.automaton.is_given_up(self.state)
    }

    /// Returns the state of the automaton: a number of the residual, good until [`Monitor::renumberings`] grows.
    pub fn state(&self) -> ResidualId {
        self.state
    }

    /// Returns how often states got other numbers, as a long trace had met too many.
    pub fn renumberings(&self) -> u32 {
        self.renumberings
    }

    /// Returns the residual of the formula.
    pub fn residual(&self) -> Display<'_> {
        self.automaton.residual(self.state)
    }
}

/// Returns the paper's shaped reward for a step from a residual of `before` atoms to one of `after`: 1 if the
/// formula is satisfied, -1 if it is violated for good, else the relative change in the number of atoms.
///
/// ```
/// use farlead::ltl::{Permanent, reward};
///
/// assert_eq!(reward(false, Permanent::Open, 4, 2), 1.0 / 3.0);
/// ```
pub fn reward(satisfied: bool, permanent: Permanent, before: u64, after: u64) -> f64 {
    if satisfied {
        1.0
    } else if permanent == Permanent::Violated {
        -1.0
    } else if before == after {
        // Two counts of 0 would divide 0 by 0 below.
        0.0
    } else {
        let (before, after) = (before as f64, after as f64);
        (after - before).abs() / (after + before)
    }
}
