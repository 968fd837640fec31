//! Capture: makes the formula of a run, step by step.
//!
//! The formula names the action of each step, and the atoms of the spec that decide the residual. It has as few
//! atoms as possible such that every run that satisfies it also reaches the objective, and changes the residual
//! in the same way at the steps where the captured run changed it.

use std::collections::{BTreeMap, BTreeSet};

use crate::gui::{
    Action, ActionTypes, Around, Atom, Comparison, Constant, Key, Op, Repertoire, Screen, TypedText,
    UserAction, offers, quote,
};
use crate::ltl::Labels;
use crate::objective::{Formula, Objective as _, Shaping, Verdict};
use crate::situation::{ClassId, PhaseId};
use crate::spec::{Source, Spec, SpecFile, parse};
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

/// Most atoms left open at a step: each doubles the label sets to check.
const OPEN_MAX: usize = 8;

/// Most characters of a widget's name; a longer one is a text, and the place of the widget is used.
const DETAIL_CHARS_MAX: usize = 100;

/// Returns the steps and the formula of `trace`, which reaches the objective of `spec`.
pub fn capture(spec: &Spec, trace: &Trace) -> Captured {
    let mut actions = spec.actions.clone();
    // The spec that is printed must declare every user action that it names.
    for step in &trace.steps {
        if let Action::User { action, .. } = &step.action
            && !actions.contains(action)
        {
            actions.push((**action).clone());
        }
    }
    let named = named(trace, &actions);
    let mut walk = Walk::new(spec, trace, &named);
    walk.leave_out();
    let kept: Vec<Vec<(Atom, bool)>> = walk.kept.iter().map(|kept| walk.atoms(spec, kept)).collect();
    let formula = (kept.len() <= CAPTURED_MAX).then(|| formula(spec, &named, &kept, &actions));
    let steps = trace.steps.iter().zip(kept).enumerate().map(|(number, (step, kept))| {
        // The action of the step already says what its atoms would.
        let sees = kept.into_iter().filter(|(atom, _)| !atom.is_action()).collect();
        // The widget was on the screen before the step.
        let before = number.checked_sub(1).map(|before| &trace.steps[before].observation.screen);
        let shared = before.zip(step.action.target()).map(|(screen, target)| Shared::on(screen, target));
        let around = before.and_then(|screen| Around::of(screen, &step.action));
        TestStep { action: step.action.clone(), shared: shared.unwrap_or_default(), around, sees }
    });
    Captured { steps: steps.collect(), formula, actions }
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

/// A run under its objective, with the labels that are kept.
struct Walk {
    objective: Formula,
    /// By step: the labels of the action that follow from its name.
    classes: Vec<ClassId>,
    phases: Vec<PhaseId>,
    /// By step: the atoms that are kept, with their values.
    kept: Vec<BTreeMap<u32, bool>>,
    /// By step: all atoms that may be kept. These are the atoms about the screen, and those about the action
    /// that its name leaves open, because they may refer to another of its names or to its place.
    open: Vec<Vec<u32>>,
}

impl Walk {
    fn new(spec: &Spec, trace: &Trace, named: &[Atom]) -> Walk {
        let mut objective = Formula::new(spec, Shaping::Atoms);
        let known: Vec<(u32, &Atom)> = (0..)
            .zip(objective.conditions())
            .filter_map(|(number, name)| Some((number, spec.atoms.get(&**name)?)))
            .collect();
        let (mut classes, mut phases, mut kept, mut open) =
            (Vec::new(), vec![PhaseId::START], Vec::new(), Vec::new());
        for (step, named) in trace.steps.iter().zip(named) {
            let class = objective.class(&step.action);
            let on_screen = objective.screen_labels(&step.observation.screen);
            let of_action: BTreeSet<u32> = objective.action_labels(class).iter().collect();
            let held: BTreeSet<u32> = on_screen.iter().chain(of_action.iter().copied()).collect();
            phases.push(objective.after_labels(phases[phases.len() - 1], class, &on_screen));
            let open_now: Vec<u32> = known
                .iter()
                .filter(|(_, atom)| !atom.is_action() || !is_told(named, atom))
                .map(|&(number, _)| number)
                .collect();
            // Labels that follow from the action's name hold in any case; the others may be left open.
            let told = of_action.into_iter().filter(|atom| !open_now.contains(atom)).collect();
            classes.push(objective.class_with(told));
            kept.push(open_now.iter().map(|&atom| (atom, held.contains(&atom))).collect());
            open.push(open_now);
        }
        Walk { objective, classes, phases, kept, open }
    }

    /// Returns the atoms kept at a step as atoms of `spec`.
    fn atoms(&self, spec: &Spec, kept: &BTreeMap<u32, bool>) -> Vec<(Atom, bool)> {
        let atom = |number: u32| spec.atoms.get(&*self.objective.conditions()[number as usize]).cloned();
        kept.iter().filter_map(|(&number, &holds)| Some((atom(number)?, holds))).collect()
    }

    /// Drops atoms that are not needed: first false ones, as true ones say more; at late steps before early
    /// ones.
    fn leave_out(&mut self) {
        for holds in [false, true] {
            for step in (0..self.kept.len()).rev() {
                let atoms: Vec<u32> = self.kept[step]
                    .iter()
                    .filter(|(_, held)| **held == holds)
                    .map(|(&atom, _)| atom)
                    .collect();
                for atom in atoms {
                    self.kept[step].remove(&atom);
                    if !self.is_enough(step) {
                        self.kept[step].insert(atom, holds);
                    }
                }
            }
        }
    }

    /// Returns true if the kept atoms are enough after one was dropped at `step`.
    fn is_enough(&mut self, step: usize) -> bool {
        if self.open[step].len() - self.kept[step].len() > OPEN_MAX {
            return false;
        }
        let (before, after) = (self.phases[step], self.phases[step + 1]);
        // At this step the residual must change as it did, unless the run is won there.
        if before != after {
            let could_be = self.after(&BTreeSet::from([before]), step);
            if !could_be.into_iter().all(|phase| phase == after || self.is_won(phase)) {
                return false;
            }
        }
        // An atom that is dropped here may let a later step fail, so the whole run is checked.
        let mut phases = BTreeSet::from([PhaseId::START]);
        for step in 0..self.kept.len() {
            phases = self.after(&phases, step);
        }
        phases.into_iter().all(|phase| self.is_won(phase))
    }

    fn is_won(&mut self, phase: PhaseId) -> bool {
        self.objective.assess(phase).verdict == Verdict::Won
    }

    /// Returns the states possible after `step`, given only the kept atoms; a won state stays won.
    fn after(&mut self, phases: &BTreeSet<PhaseId>, step: usize) -> BTreeSet<PhaseId> {
        let open: Vec<u32> =
            self.open[step].iter().copied().filter(|atom| !self.kept[step].contains_key(atom)).collect();
        let fixed: Vec<u32> =
            self.kept[step].iter().filter(|(_, holds)| **holds).map(|(&atom, _)| atom).collect();
        let mut after = BTreeSet::new();
        // Every set of the open atoms may hold.
        for chosen in 0..1_u32 << open.len() {
            let some = (0..).zip(&open).filter(|(bit, _)| chosen >> bit & 1 == 1).map(|(_, &atom)| atom);
            let labels: Labels = fixed.iter().copied().chain(some).collect();
            // These labels exclude each other, so no run has them at one step.
            if self.objective.is_impossible(&labels) {
                continue;
            }
            for &phase in phases {
                let next = if self.is_won(phase) {
                    phase
                } else {
                    self.objective.after_labels(phase, self.classes[step], &labels)
                };
                after.insert(next);
            }
        }
        after
    }
}

/// Returns the spec that describes these steps and no others.
fn formula(spec: &Spec, named: &[Atom], kept: &[Vec<(Atom, bool)>], actions: &[UserAction]) -> Spec {
    let lines: Vec<String> = named
        .iter()
        .zip(kept)
        .map(|(action, kept)| {
            let kept = kept.iter().map(|(atom, holds)| format!("{}{atom}", if *holds { "" } else { "!" }));
            std::iter::once(action.to_string()).chain(kept).collect::<Vec<_>>().join(" & ")
        })
        .collect();
    let name = quote(&captured_name(spec));
    let declarations = SpecFile { actions: actions.to_vec(), ..SpecFile::default() };
    let typed = if spec.typed == TypedText::Counts { ", typed counts" } else { "" };
    let text = format!(
        "{declarations}{} {name} within {} steps{typed}:\n    {}\n",
        captured_expectation(spec).word(),
        lines.len(),
        lines.join(" then\n    ")
    );
    let mut parsed = parse(&Source::new("captured", text));
    parsed.file.specs.pop().expect("what is printed of a formula is read as one")
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
fn is_told(named: &Atom, atom: &Atom) -> bool {
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
