//! Capture: makes the formula of a run, step by step.
//!
//! The formula names the action of each step, and the atoms of the spec that decide the residual. It has as few
//! atoms as possible such that every run that satisfies it also reaches the objective, and changes the residual
//! in the same way at the steps where the captured run changed it. A crash that the spec asks for is named, too.
//!
//! While a bound in time of the spec runs, the formula has one as well: the time that the run took from the step where it
//! began to run to the step where it ended, and some slack.

use std::collections::BTreeSet;

use super::walk::{Needed, needed};
use crate::gui::{
    Action, ActionTypes, Around, Atom, Comparison, Constant, Key, Op, Repertoire, Screen, TypedText,
    UserAction, offers, quote,
};
use crate::ltl::Unit;
use crate::spec::{BYTES_MAX, Source, Spec, SpecFile, TIME_MAX_MS, parse};
use crate::test_case::{CAPTURED_MAX, Shared, TestStep, captured_expectation, captured_name};
use crate::trace::Trace;

/// A run as a test keeps it.
#[derive(Clone, Debug)]
pub struct Captured {
    /// The steps of the run.
    pub steps: Vec<TestStep>,
    /// The formula of the run, unless it would be too long.
    pub formula: Option<Spec>,
    /// The user's actions that the formula uses.
    pub actions: Vec<UserAction>,
}

/// Share of a measured time that a bound in time has on top of it, in per cent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slack(pub u32);

impl Default for Slack {
    fn default() -> Slack {
        Slack(50)
    }
}

impl Slack {
    /// Returns the bound for a time that was measured, a multiple of the quantum, all in milliseconds.
    fn bound_ms(self, measured_ms: u64, quantum_ms: u32) -> u32 {
        /// A device that is busy with something else takes as long for anything.
        const LEAST_MS: u64 = 1000;
        let bound_ms = measured_ms + measured_ms * u64::from(self.0) / 100;
        let bound_ms = bound_ms.max(LEAST_MS).next_multiple_of(quantum_ms.into());
        // What takes longer has no bound that can be written.
        u32::try_from(bound_ms).unwrap_or(u32::MAX).min(TIME_MAX_MS)
    }
}

/// Most characters of a widget's name; a longer one is a text, and the place of the widget is used.
const DETAIL_CHARS_MAX: usize = 100;

/// Most characters of an atom with kept values that a step sees: a list may have thousands of texts at every step. The spec
/// keeps them all the same when the steps are replayed.
const SEEN_CHARS_MAX: usize = 1_000;

/// Returns the steps and the formula of `trace`, which reaches the objective of `spec`.
pub fn capture(spec: &Spec, trace: &Trace, slack: Slack) -> Captured {
    let actions = declared(spec, trace);
    let named = named(trace, &actions);
    let Needed { atoms: mut kept, is_timed } = needed(spec, trace, &named);
    for (step, kept) in trace.steps.iter().zip(&mut kept) {
        // Where the spec asks for a crash, the test asks for this one.
        if let Some(crash) = step.observation.screen.crash()
            && kept.iter().any(|(atom, _)| atom.mentions_crash())
        {
            let named = (Atom::of_crash(crash), true);
            if !kept.contains(&named) {
                kept.push(named);
            }
        }
    }
    let formula = if kept.len() <= CAPTURED_MAX {
        let bounds = bounds(spec, trace, &is_timed, slack);
        formula(spec, &named, &kept, &bounds, &actions)
    } else {
        None
    };
    Captured { steps: steps(spec, trace, kept), formula, actions }
}

/// Returns the steps of `trace` and nothing that must be seen on the way, for a run that need not reach anything.
pub fn capture_walk(spec: &Spec, trace: &Trace) -> Captured {
    let nothing = trace.steps.iter().map(|_| Vec::new()).collect();
    Captured { steps: steps(spec, trace, nothing), formula: None, actions: declared(spec, trace) }
}

/// Returns the user's actions of `spec` and `trace`: whatever prints them must declare all that it names.
fn declared(spec: &Spec, trace: &Trace) -> Vec<UserAction> {
    let mut actions = spec.actions.clone();
    for step in &trace.steps {
        if let Action::User { action, .. } = &step.action
            && !actions.contains(action)
        {
            actions.push((**action).clone());
        }
    }
    actions
}

/// Returns the steps of `trace`, which see the atoms `kept`.
fn steps(spec: &Spec, trace: &Trace, kept: Vec<Vec<(Atom, bool)>>) -> Vec<TestStep> {
    // An atom of the spec is as long as somebody wrote it.
    let is_long = |atom: &Atom| {
        let text = atom.to_string();
        text.chars().count() > SEEN_CHARS_MAX && !spec.atoms.contains_key(&text)
    };
    let steps = trace.steps.iter().zip(kept).enumerate().map(|(number, (step, kept))| {
        // The action of the step already says what its atoms would.
        let sees = kept.into_iter().filter(|(atom, _)| !atom.is_action() && !is_long(atom)).collect();
        // The widget was on the screen before the step.
        let before = number.checked_sub(1).map(|before| &trace.steps[before].observation.screen);
        let shared = before.zip(step.action.target()).map(|(screen, target)| Shared::on(screen, target));
        let around = before.and_then(|screen| Around::of(screen, &step.action));
        TestStep { action: step.action.clone(), shared: shared.unwrap_or_default(), around, sees }
    });
    steps.collect()
}

/// Returns the atoms that name the actions of `trace`.
fn named(trace: &Trace, actions: &[UserAction]) -> Vec<Atom> {
    let declared = actions.iter().map(|action| action.name.clone()).collect();
    let mut before: Option<&Screen> = None;
    let atoms = trace.steps.iter().map(|step| {
        let atom = action_atom(&step.action, before, &declared);
        before = Some(&step.observation.screen);
        atom
    });
    atoms.collect()
}

/// Returns the bounds in time of a run of `spec`: the first step that each counts from, the last, and the milliseconds between.
/// `is_timed` tells of each step whether a bound runs after it.
fn bounds(spec: &Spec, trace: &Trace, is_timed: &[bool], slack: Slack) -> Vec<(usize, usize, u32)> {
    let at_ms = |step: usize| trace.steps[step].observation.at_ms;
    let last = trace.steps.len().saturating_sub(1);
    let mut bounds = Vec::new();
    let mut from = 0;
    while let Some(start) = (from..last).find(|&step| is_timed[step]) {
        let end = (start + 1..last).find(|&step| !is_timed[step]).unwrap_or(last);
        let measured_ms = at_ms(end).saturating_sub(at_ms(start));
        bounds.push((start, end, slack.bound_ms(measured_ms, spec.formulas.quantum_ms())));
        from = end;
    }
    bounds
}

/// Returns the spec that describes these steps and no others; none if kept values make it longer than a file may be.
fn formula(
    spec: &Spec,
    named: &[Atom],
    kept: &[Vec<(Atom, bool)>],
    bounds: &[(usize, usize, u32)],
    actions: &[UserAction],
) -> Option<Spec> {
    let mut lines: Vec<String> = named
        .iter()
        .zip(kept)
        .map(|(action, kept)| {
            let kept = kept.iter().map(|(atom, holds)| format!("{}{atom}", if *holds { "" } else { "!" }));
            std::iter::once(action.to_string()).chain(kept).collect::<Vec<_>>().join(" & ")
        })
        .collect();
    let plain = lines.clone();
    for &(start, end, most_ms) in bounds {
        lines[start].push_str(&format!(" & F[<={}] ({})", Unit::Time.written(most_ms), plain[end]));
    }
    let name = quote(&captured_name(spec));
    let declarations = SpecFile { actions: actions.to_vec(), ..SpecFile::default() };
    let typed = if spec.typed == TypedText::Counts { ", typed counts" } else { "" };
    let times = spec.times_clause().map_or(String::new(), |clause| format!(", {clause}"));
    let text = format!(
        "{declarations}{} {name} within {} steps{typed}{times}:\n    {}\n",
        captured_expectation(spec).word(),
        lines.len(),
        lines.join(" then\n    ")
    );
    if text.len() > BYTES_MAX {
        return None;
    }
    let mut parsed = parse(&Source::new("captured", text));
    Some(parsed.file.specs.pop().expect("what is printed of a formula is read as one"))
}

/// Returns an atom that holds for `action` and for no other action on the screen it was done on.
fn action_atom(action: &Action, before: Option<&Screen>, declared: &BTreeSet<String>) -> Atom {
    let compare = |key: Key, text: &str| {
        Comparison::new(key, Op::Equal, Constant::Text(text.to_string()), ActionTypes::Declared(declared))
            .ok()
    };
    let detail = action.detail();
    let is_named = !detail.trim().is_empty() && detail.chars().count() <= DETAIL_CHARS_MAX;
    // The place is only needed if the name does not identify the widget.
    let is_only = is_named && before.is_none_or(|screen| alike(screen, action) <= 1);
    let place = action.target().filter(|_| !is_only).map(|target| &*target.object_id);
    let comparisons = [
        compare(Key::ActionType, action.type_name()),
        Some(detail).filter(|_| is_named).and_then(|detail| compare(Key::ActionDetail, detail)),
        place.and_then(|place| compare(Key::ActionObjectId, place)),
    ];
    Atom::new(comparisons.into_iter().flatten().collect()).expect("all of it is about one action")
}

/// Returns true if the name of an action decides whether `atom` holds for it.
pub(super) fn is_told(named: &Atom, atom: &Atom) -> bool {
    let (Atom::Action(known), Atom::Action(asked)) = (named, atom) else { return false };
    let follows = |asked: &Comparison| known.iter().any(|known| follows(known, asked));
    named.excludes(atom) || asked.iter().all(follows)
}

/// Returns true if every action that passes `known` passes `asked`.
fn follows(known: &Comparison, asked: &Comparison) -> bool {
    let (Constant::Text(text), Constant::Text(part)) = (&known.value, &asked.value) else {
        return known == asked;
    };
    let is_about_it = known.key == asked.key && known.op == Op::Equal;
    match asked.op {
        Op::Contains => is_about_it && text.contains(part.as_str()),
        // An action may have several details, and another of them may be the excluded one; it has only one
        // type.
        Op::NotEqual => is_about_it && asked.key == Key::ActionType && text != part,
        Op::Equal | Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => known == asked,
    }
}

/// Counts the actions on `screen` that have the type and the detail of `action`.
fn alike(screen: &Screen, action: &Action) -> usize {
    let own = match action {
        Action::User { action, .. } => std::slice::from_ref(&**action),
        _ => &[],
    };
    let detail = action.detail();
    let all = offers(screen, &Repertoire::new(action.typed(), own, false));
    all.iter()
        .filter(|offer| offer.type_name() == action.type_name() && offer.details().contains(&detail))
        .count()
}
