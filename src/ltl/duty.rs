//! Duties: the parts of a formula that a trace has to keep, and the first step at which one of them is violated.

use super::automaton::{Automaton, ResidualId};
use super::formula::{Formula, Formulas, Node};
use super::labels::Labels;
use super::progress::Residual;

/// A part of a formula that the last step of a trace violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duty {
    /// The part, as a formula over the steps from [`Duty::since`] on.
    pub formula: Formula,
    /// The first step from which on the part had to hold without a break.
    pub since: usize,
}

/// Duties along a trace.
///
/// ```
/// use farlead::ltl::{Automaton, Bound, Duties, Formulas};
///
/// let mut ltl = Formulas::new();
/// let (paid, total) = (ltl.atom("paid"), ltl.atom("total"));
/// let always_total = ltl.always(Bound::ANY, total);
/// let formula = ltl.implies(paid, always_total);
/// let spec = ltl.always(Bound::ANY, formula);
/// let mut automaton = Automaton::new(&ltl, spec);
/// let mut duties = Duties::default();
/// for names in [vec![], vec!["paid", "total"], vec!["total"]] {
///     let labels = automaton.labels(names);
///     duties.step(&mut automaton, &labels);
/// }
/// let labels = automaton.labels([]);
/// duties.step(&mut automaton, &labels);
/// let violated = duties.violated(&mut automaton, &labels);
/// assert_eq!(automaton.formulas().display(violated[0].formula).to_string(), "G total");
/// assert_eq!(violated[0].since, 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Duties {
    /// State before the last step, and after it; none before the first step.
    states: Option<(ResidualId, ResidualId)>,
    steps: usize,
    /// Duties before the last step, each with the first step of its unbroken row.
    before: Vec<Duty>,
}

impl Duties {
    /// Takes a step of `automaton` with `labels`, from the start on.
    pub fn step(&mut self, automaton: &mut Automaton, labels: &Labels) {
        let state = self.states.map_or(ResidualId::START, |(_, state)| state);
        // Time passes before the step.
        let state = automaton.wait(state, labels.elapsed_ms());
        let formula = automaton.states[state.index()].residual.formula;
        let known = std::mem::take(&mut self.before);
        self.before = conjuncts(automaton.formulas(), formula)
            .into_iter()
            .map(|formula| {
                let since =
                    known.iter().find(|duty| duty.formula == formula).map_or(self.steps, |duty| duty.since);
                Duty { formula, since }
            })
            .collect();
        self.states = Some((state, automaton.step(state, &labels.clone().after(0))));
        self.steps += 1;
    }

    /// Returns the duties that the last step, which had `labels`, violates. There is none if the trace does not violate the
    /// formula permanently, or only several duties together do.
    pub fn violated(&self, automaton: &mut Automaton, labels: &Labels) -> Vec<Duty> {
        let Some((before, _)) = self.states else { return Vec::new() };
        let memory = automaton.states[before.index()].residual.memory;
        let mut duties = self.before.clone();
        duties.retain(|duty| {
            let alone = Residual { formula: duty.formula, memory };
            automaton.progression.step(alone, labels).formula == Formula::FALSE
        });
        duties
    }

    /// Returns what the last step had to keep.
    pub fn whole(&self, automaton: &Automaton) -> Formula {
        let before = self.states.map_or(ResidualId::START, |(before, _)| before);
        automaton.states[before.index()].residual.formula
    }
}

fn conjuncts(formulas: &Formulas, formula: Formula) -> Vec<Formula> {
    match formulas.node(formula) {
        Node::And(members) if !formula.is_negated() => formulas.members(members).to_vec(),
        _ => vec![formula],
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::Bound;
    use super::*;

    /// Returns the duties that the last of these steps violates, as text.
    fn violated(formulas: &Formulas, formula: Formula, steps: &[&[&str]]) -> Vec<(String, usize)> {
        let mut automaton = Automaton::new(formulas, formula);
        let (mut duties, mut labels) = (Duties::default(), Labels::default());
        for names in steps {
            labels = automaton.labels(names.iter().copied());
            duties.step(&mut automaton, &labels);
        }
        let found = duties.violated(&mut automaton, &labels).into_iter();
        found.map(|duty| (automaton.formulas().display(duty.formula).to_string(), duty.since)).collect()
    }

    #[test]
    fn a_duty_that_the_past_sets_is_found_at_the_step_that_violates_it() {
        let mut ltl = Formulas::new();
        let (crash, settings) = (ltl.atom("crash"), ltl.atom("settings"));
        let before = ltl.previous(settings);
        let both = ltl.and([crash, before]);
        let spec = ltl.always(Bound::ANY, !both);
        let shown = ltl.display(spec).to_string();
        assert_eq!(violated(&ltl, spec, &[&[], &["settings"], &["crash"]]), [(shown, 0)]);
        assert_eq!(violated(&ltl, spec, &[&["settings"], &[], &["crash"]]), []);
    }

    #[test]
    fn of_several_duties_those_that_the_step_violates_are_named() {
        let mut ltl = Formulas::new();
        let (a, b) = (ltl.atom("a"), ltl.atom("b"));
        let (always_a, always_b) = (ltl.always(Bound::ANY, a), ltl.always(Bound::ANY, b));
        let spec = ltl.and([always_a, always_b]);
        assert_eq!(violated(&ltl, spec, &[&["a", "b"], &["a"]]), [("G b".to_string(), 0)]);
    }
}
