//! Capture: the formula of a run, step by step.
//!
//! At each step it names what was done, and the atoms of the spec that decide what is left of it: as few as are needed so
//! that whatever run satisfies the formula reaches what the spec's own run has reached, at the steps that changed what
//! is left by the very same change.

use std::collections::{BTreeMap, BTreeSet};

use crate::gui::{
    Action, ActionTypes, Atom, Comparison, Key, Op, Repertoire, Screen, UserAction, Value, offers, quote,
};
use crate::ltl::{Labels, State};
use crate::reward::{ActionClass, Goal, Verdict};
use crate::spec::{Expectation, Source, Spec, SpecFile, parse};
use crate::test_case::{CAPTURED_MAX, TestStep};
use crate::trace::Trace;

/// A run as a test keeps it.
#[derive(Clone, Debug)]
pub struct Captured {
    /// Its steps.
    pub steps: Vec<TestStep>,
    /// Its formula, unless it is too long for one.
    pub formula: Option<Spec>,
    /// The actions of the user's it speaks of.
    pub actions: Vec<UserAction>,
}

/// So many atoms of a step may be left open: each doubles what is looked at.
const OPEN_MAX: usize = 8;

/// A longer name of a widget is no name but a text; its place is used.
const DETAIL_CHARS_MAX: usize = 100;

/// Returns what is to be kept of `trace`, which reaches what `spec` asks for.
pub fn capture(spec: &Spec, trace: &Trace) -> Captured {
    let mut actions = spec.actions.clone();
    for step in &trace.steps {
        if let Action::User { action, .. } = &step.action
            && !actions.contains(action)
        {
            actions.push((**action).clone());
        }
    }
    let mut walk = Walk::new(spec, trace);
    walk.leave_out();
    let steps: Vec<TestStep> = trace
        .steps
        .iter()
        .zip(&walk.kept)
        .map(|(step, kept)| {
            let named = kept.iter().filter_map(|(&atom, &holds)| {
                Some((spec.atoms.get(&*walk.goal.atoms()[atom as usize])?.clone(), holds))
            });
            TestStep { action: step.action.clone(), sees: named.collect() }
        })
        .collect();
    let formula = (steps.len() <= CAPTURED_MAX).then(|| formula(spec, trace, &steps, &actions));
    Captured { steps, formula, actions }
}

/// A run under its goal, and what is kept of its labels.
struct Walk {
    goal: Goal,
    classes: Vec<ActionClass>,
    states: Vec<State>,
    /// The atoms about the screen, and whether each holds, that are kept at each step.
    kept: Vec<BTreeMap<u32, bool>>,
    /// All atoms about screens.
    atoms: Vec<u32>,
}

impl Walk {
    fn new(spec: &Spec, trace: &Trace) -> Walk {
        let mut goal = Goal::new(spec);
        let is_of_screen = |number: &u32| {
            let name = &goal.atoms()[*number as usize];
            spec.atoms.get(&**name).is_some_and(|atom| !atom.is_action())
        };
        let atoms: Vec<u32> = (0..goal.atoms().len() as u32).filter(is_of_screen).collect();
        let (mut classes, mut states, mut kept) = (Vec::new(), vec![State::START], Vec::new());
        for step in &trace.steps {
            let class = goal.action_class(&step.action);
            let labels = goal.screen_labels(&step.observation.screen);
            let held: BTreeSet<u32> = labels.iter().collect();
            states.push(goal.step(states[states.len() - 1], class, &labels));
            classes.push(class);
            kept.push(atoms.iter().map(|&atom| (atom, held.contains(&atom))).collect());
        }
        Walk { goal, classes, states, kept, atoms }
    }

    /// Leaves out what is not needed: first what does not hold, as what does says more; late steps before early ones.
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

    /// Whether what is kept is enough, after something was left out at `step`.
    fn is_enough(&mut self, step: usize) -> bool {
        if self.atoms.len() - self.kept[step].len() > OPEN_MAX {
            return false;
        }
        let (before, after) = (self.states[step], self.states[step + 1]);
        if before != after {
            let could_be = self.after(&BTreeSet::from([before]), step);
            if !could_be.into_iter().all(|state| state == after || self.is_won(state)) {
                return false;
            }
        }
        let mut states = BTreeSet::from([State::START]);
        for step in 0..self.kept.len() {
            states = self.after(&states, step);
        }
        states.into_iter().all(|state| self.is_won(state))
    }

    fn is_won(&mut self, state: State) -> bool {
        self.goal.standing(state).verdict == Verdict::Won
    }

    /// What could be left after `step`, by all that is not kept there; what is won stays so.
    fn after(&mut self, states: &BTreeSet<State>, step: usize) -> BTreeSet<State> {
        let open: Vec<u32> =
            self.atoms.iter().copied().filter(|atom| !self.kept[step].contains_key(atom)).collect();
        let fixed: Vec<u32> =
            self.kept[step].iter().filter(|(_, holds)| **holds).map(|(&atom, _)| atom).collect();
        let mut after = BTreeSet::new();
        for chosen in 0..1_u32 << open.len() {
            let some = (0..).zip(&open).filter(|(bit, _)| chosen >> bit & 1 == 1).map(|(_, &atom)| atom);
            let labels: Labels = fixed.iter().copied().chain(some).collect();
            if self.goal.is_impossible(&labels) {
                continue;
            }
            for &state in states {
                let next = if self.is_won(state) {
                    state
                } else {
                    self.goal.step(state, self.classes[step], &labels)
                };
                after.insert(next);
            }
        }
        after
    }
}

/// The spec that describes these steps and no others.
fn formula(spec: &Spec, trace: &Trace, steps: &[TestStep], actions: &[UserAction]) -> Spec {
    let declared = actions.iter().map(|action| action.name.clone()).collect();
    let mut lines = Vec::new();
    let mut before: Option<&Screen> = None;
    for (step, taken) in steps.iter().zip(&trace.steps) {
        let mut parts = vec![action_atom(&step.action, before, &declared).to_string()];
        parts
            .extend(step.sees.iter().map(|(atom, holds)| format!("{}{atom}", if *holds { "" } else { "!" })));
        lines.push(parts.join(" & "));
        before = Some(&taken.observation.screen);
    }
    let word = match spec.expectation {
        Expectation::Possible => Expectation::Possible,
        // The run is one that must not be.
        Expectation::Never | Expectation::Must => Expectation::Never,
    };
    let name = quote(&format!("{}, as found", spec.name));
    let declarations = SpecFile { actions: actions.to_vec(), ..SpecFile::default() };
    let text = format!(
        "{declarations}{} {name} within {} steps:\n    {}\n",
        word.word(),
        steps.len(),
        lines.join(" then\n    ")
    );
    let mut parsed = parse(&Source::new("captured", text));
    parsed.file.specs.pop().expect("what is printed of a formula is read as one")
}

/// The atom that holds of `action` and of no other on the screen it was done on.
fn action_atom(action: &Action, before: Option<&Screen>, declared: &BTreeSet<String>) -> Atom {
    let compare = |key: Key, text: &str| {
        Comparison::new(key, Op::Equal, Value::Text(text.to_string()), ActionTypes::Declared(declared)).ok()
    };
    let detail = action.detail();
    let is_named = !detail.trim().is_empty() && detail.chars().count() <= DETAIL_CHARS_MAX;
    let is_only = is_named && before.is_none_or(|screen| alike(screen, action) <= 1);
    let place = action.target().filter(|_| !is_only).map(|target| &*target.object_id);
    let comparisons = [
        compare(Key::ActionType, action.type_name()),
        Some(detail).filter(|_| is_named).and_then(|detail| compare(Key::ActionDetail, detail)),
        place.and_then(|place| compare(Key::ActionObjectId, place)),
    ];
    Atom::new(comparisons.into_iter().flatten().collect()).expect("all of it is about one action")
}

/// How many actions of the type of `action` have its detail on `screen`.
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
