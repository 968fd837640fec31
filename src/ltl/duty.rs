//! Duties: the parts of a formula that a trace has to keep, and the first step at which one of them is violated.

use super::formula::{Formula, Formulas, Node};
use super::labels::Labels;
use super::progress::{Memory, Progression, Residual};

/// A part of a formula that the last step of a trace violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duty {
    /// The part, as a formula over the steps from [`Duty::since`] on.
    pub formula: Formula,
    /// The first step from which on the part had to hold without a break.
    pub since: usize,
}

/// Returns the duties of `formula` that the last of `steps` violates, each step given by the time since the one before, and
/// the names of its labels.
///
/// The duties are formulas of `formulas`, which grows by the residuals of the trace. There is none if the trace does not
/// violate the formula permanently, or only several duties together do.
///
/// ```
/// use farlead::ltl::{Bound, Formulas, violated_duties};
///
/// let mut ltl = Formulas::new();
/// let (paid, total) = (ltl.atom("paid"), ltl.atom("total"));
/// let always_total = ltl.always(Bound::ANY, total);
/// let formula = ltl.implies(paid, always_total);
/// let spec = ltl.always(Bound::ANY, formula);
/// let duties = violated_duties(
///     &mut ltl,
///     spec,
///     &[(0, vec![]), (0, vec!["paid", "total"]), (0, vec!["total"]), (0, vec![])],
/// );
/// assert_eq!((duties[0].formula, duties[0].since), (always_total, 2));
/// ```
pub fn violated_duties(formulas: &mut Formulas, formula: Formula, steps: &[(u32, Vec<&str>)]) -> Vec<Duty> {
    let mut progression = Progression::new(formulas.clone());
    let mut residual = Residual { formula, memory: Memory::NONE };
    // The duties before the step that comes next, each with the first step of its unbroken row.
    let mut duties: Vec<Duty> = Vec::new();
    for (number, (elapsed_ms, names)) in steps.iter().enumerate() {
        residual = progression.wait(residual, *elapsed_ms);
        let known = std::mem::take(&mut duties);
        duties = conjuncts(&progression.formulas, residual.formula)
            .into_iter()
            .map(|formula| {
                let since =
                    known.iter().find(|duty| duty.formula == formula).map_or(number, |duty| duty.since);
                Duty { formula, since }
            })
            .collect();
        let labels = labels_of(&progression.formulas, residual.formula, names);
        if number + 1 == steps.len() {
            let memory = residual.memory;
            duties.retain(|duty| {
                let alone = Residual { formula: duty.formula, memory };
                progression.step(alone, &labels).formula == Formula::FALSE
            });
        } else {
            residual = progression.step(residual, &labels);
        }
    }
    *formulas = progression.formulas;
    duties
}

fn conjuncts(formulas: &Formulas, formula: Formula) -> Vec<Formula> {
    match formulas.node(formula) {
        Node::And(members) if !formula.is_negated() => formulas.members(members).to_vec(),
        _ => vec![formula],
    }
}

fn labels_of(formulas: &Formulas, formula: Formula, names: &[&str]) -> Labels {
    let atoms = formulas.atoms(formula).into_iter();
    atoms.filter(|&atom| names.contains(&formulas.name(atom))).map(|atom| atom.0).collect()
}

#[cfg(test)]
mod tests {
    use super::super::formula::Bound;
    use super::*;

    #[test]
    fn a_duty_that_the_past_sets_is_found_at_the_step_that_violates_it() {
        let mut ltl = Formulas::new();
        let (crash, settings) = (ltl.atom("crash"), ltl.atom("settings"));
        let before = ltl.previous(settings);
        let both = ltl.and([crash, before]);
        let spec = ltl.always(Bound::ANY, !both);
        let duties =
            violated_duties(&mut ltl, spec, &[(0, vec![]), (0, vec!["settings"]), (0, vec!["crash"])]);
        assert_eq!(duties, [Duty { formula: spec, since: 0 }]);
        assert_eq!(
            violated_duties(&mut ltl, spec, &[(0, vec!["settings"]), (0, vec![]), (0, vec!["crash"])]),
            []
        );
    }

    #[test]
    fn of_several_duties_those_that_the_step_violates_are_named() {
        let mut ltl = Formulas::new();
        let (a, b) = (ltl.atom("a"), ltl.atom("b"));
        let (always_a, always_b) = (ltl.always(Bound::ANY, a), ltl.always(Bound::ANY, b));
        let spec = ltl.and([always_a, always_b]);
        let duties = violated_duties(&mut ltl, spec, &[(0, vec!["a", "b"]), (0, vec!["a"])]);
        assert_eq!(duties, [Duty { formula: always_b, since: 0 }]);
    }
}
