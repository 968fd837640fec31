//! Violation: the step at which a run does what its spec forbids, in words, with the values seen there; and another crash
//! than that of the test.

use std::collections::BTreeMap;

use super::link_of;
use crate::gui::{Atom, shortfall};
use crate::ltl::{Bound, Formula, Formulas, Node};
use crate::objective::{self, Shaping};
use crate::spec::{Expectation, Spec};
use crate::test_case::TestStep;
use crate::trace::{Step, Trace};

/// Duties that are named; one step seldom violates more than two.
const DUTIES_MAX: usize = 3;

/// Atoms of a duty whose values are named.
const ATOMS_MAX: usize = 6;

/// Atoms of a duty that is written out.
const NAMES_MAX: usize = 12;

/// Returns the sentences that say where and how `run`, which violates `spec`, does so; none for a `possible`.
pub fn violation(spec: &Spec, run: &Trace) -> Vec<String> {
    let wanted = match spec.expectation {
        Expectation::Possible => return Vec::new(),
        Expectation::Never => !spec.formula,
        Expectation::Must => spec.formula,
    };
    let Some(last) = run.steps.len().checked_sub(1) else { return Vec::new() };
    // A run that violates it does what must not be.
    let wanted = Spec { formula: wanted, expectation: Expectation::Must, ..spec.clone() };
    let mut objective = objective::Formula::new(&wanted, Shaping::None);
    let before = std::iter::once(None).chain(run.steps.iter().map(|step| Some(&step.observation)));
    let links = run.steps.iter().zip(before);
    let links = links.map(|(step, before)| link_of(before, &step.action, &step.observation));
    let (duties, whole) = objective.violated_duties(links);
    let atoms: BTreeMap<String, Atom> =
        objective.atoms_with(0).into_iter().map(|(_, atom)| (atom.to_string(), atom)).collect();
    let seen = |duty: Formula| values(&atoms, run, objective.formulas(), duty);
    let mut sentences = Vec::new();
    for duty in duties.iter().take(DUTIES_MAX) {
        let since =
            if duty.since == 0 { "from the start".to_string() } else { format!("as of step {}", duty.since) };
        sentences.push(format!("{since} {}", in_words(objective.formulas(), duty.formula)));
        sentences.push(format!("at step {last}: {}", seen(duty.formula)));
    }
    if sentences.is_empty() {
        // The run as a whole is forbidden, and no part of the formula alone.
        sentences.push(format!("at step {last}: {}", seen(whole)));
    }
    sentences
}

/// Returns the sentence that names the crash of `run`, if the test of these steps names another one.
pub fn other_crash(steps: &[TestStep], run: &Trace) -> Option<String> {
    let known = steps.iter().flat_map(|step| &step.sees).filter(|(_, holds)| *holds);
    let known: Vec<&str> = known.filter_map(|(atom, _)| atom.crash()).collect();
    let shown = |step: &Step| step.observation.screen.crash().cloned();
    let (at, crash) = run.steps.iter().enumerate().rev().find_map(|(at, step)| Some((at, shown(step)?)))?;
    let kept = known.last().filter(|_| !known.contains(&&*crash))?;
    Some(format!("at step {at}: the crash is another one, `{crash}`; the test has `{kept}`"))
}

/// Returns a duty as a half sentence that follows `as of step 4`.
fn in_words(formulas: &Formulas, duty: Formula) -> String {
    let shown = |formula: Formula| formulas.display(formula).shortened(NAMES_MAX).to_string();
    match formulas.node(duty) {
        // `G f` is stored as the negation of `F !f`.
        Node::Until(Bound::ANY, Formula::TRUE, never) if duty.is_negated() => {
            if never.is_negated() {
                format!("it must always hold that {}", shown(!never))
            } else {
                format!("it must never happen that {}", shown(never))
            }
        }
        _ => format!("it must hold that {}", shown(duty)),
    }
}

/// Returns the values of the atoms of `duty` at the last step of `run`.
fn values(atoms: &BTreeMap<String, Atom>, run: &Trace, formulas: &Formulas, duty: Formula) -> String {
    let (last, before) = run.steps.split_last().expect("a violation has a step");
    let names = formulas.atoms(duty).into_iter().map(|atom| formulas.name(atom).to_string());
    let said: Vec<String> = names
        .take(ATOMS_MAX)
        .map(|name| {
            let has = |labels: &[std::sync::Arc<str>]| labels.iter().any(|label| **label == *name);
            if has(&last.labels) {
                return format!("{name} holds");
            }
            let earlier = before.iter().rposition(|step| has(&step.labels));
            let reason = match atoms.get(&name) {
                Some(Atom::Action(_)) => Some(format!("the action is {}", last.action)),
                Some(atom) => shortfall(atom, &last.observation.screen),
                None => None,
            };
            let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
            match earlier {
                Some(step) => format!("{name} held at step {step} and does not hold now{reason}"),
                None => format!("{name} does not hold{reason}"),
            }
        })
        .collect();
    said.join("; ")
}
