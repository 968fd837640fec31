//! Capture: the formula of a run, step by step.
//!
//! At each step it names what was done, and the atoms of the spec that decide what is left of it: as few as are needed so
//! that whatever run satisfies the formula reaches what the spec's own run has reached, at the steps that changed what
//! is left by the very same change.

use std::collections::{BTreeMap, BTreeSet};

use crate::gui::{
    Action, ActionTypes, Atom, Comparison, Constant, Key, Op, Repertoire, Screen, UserAction, offers, quote,
};
use crate::ltl::{Labels, State};
use crate::reward::{ActionClass, Goal, Verdict};
use crate::spec::{Source, Spec, SpecFile, parse};
use crate::test_case::{CAPTURED_MAX, TestStep, captured_expectation, captured_name};
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
    let named = named(trace, &actions);
    let mut walk = Walk::new(spec, trace, &named);
    walk.leave_out();
    let kept: Vec<Vec<(Atom, bool)>> = walk.kept.iter().map(|kept| walk.atoms(spec, kept)).collect();
    let formula = (kept.len() <= CAPTURED_MAX).then(|| formula(spec, &named, &kept, &actions));
    let steps = trace.steps.iter().zip(kept).map(|(step, kept)| {
        // What is done is said by the action itself.
        let sees = kept.into_iter().filter(|(atom, _)| !atom.is_action()).collect();
        TestStep { action: step.action.clone(), sees }
    });
    Captured { steps: steps.collect(), formula, actions }
}

/// The atoms that name the actions of `trace`.
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

/// A run under its goal, and what is kept of its labels.
struct Walk {
    goal: Goal,
    /// At each step, the labels of the action that follow from its name.
    classes: Vec<ActionClass>,
    states: Vec<State>,
    /// The atoms, and whether each holds, that are kept at each step.
    kept: Vec<BTreeMap<u32, bool>>,
    /// All atoms that may be kept at each step: those about the screen, and of those about the action the ones that its
    /// name leaves open, as another of its names or its place may be meant.
    open: Vec<Vec<u32>>,
}

impl Walk {
    fn new(spec: &Spec, trace: &Trace, named: &[Atom]) -> Walk {
        let mut goal = Goal::new(spec);
        let known: Vec<(u32, &Atom)> = (0..)
            .zip(goal.atoms())
            .filter_map(|(number, name)| Some((number, spec.atoms.get(&**name)?)))
            .collect();
        let (mut classes, mut states, mut kept, mut open) =
            (Vec::new(), vec![State::START], Vec::new(), Vec::new());
        for (step, named) in trace.steps.iter().zip(named) {
            let class = goal.action_class(&step.action);
            let on_screen = goal.screen_labels(&step.observation.screen);
            let of_action: BTreeSet<u32> = goal.action_labels(class).iter().collect();
            let held: BTreeSet<u32> = on_screen.iter().chain(of_action.iter().copied()).collect();
            states.push(goal.step(states[states.len() - 1], class, &on_screen));
            let open_now: Vec<u32> = known
                .iter()
                .filter(|(_, atom)| !atom.is_action() || !is_told(named, atom))
                .map(|&(number, _)| number)
                .collect();
            let told = of_action.into_iter().filter(|atom| !open_now.contains(atom)).collect();
            classes.push(goal.class_with(told));
            kept.push(open_now.iter().map(|&atom| (atom, held.contains(&atom))).collect());
            open.push(open_now);
        }
        Walk { goal, classes, states, kept, open }
    }

    /// What is kept at a step, as atoms of `spec`.
    fn atoms(&self, spec: &Spec, kept: &BTreeMap<u32, bool>) -> Vec<(Atom, bool)> {
        let atom = |number: u32| spec.atoms.get(&*self.goal.atoms()[number as usize]).cloned();
        kept.iter().filter_map(|(&number, &holds)| Some((atom(number)?, holds))).collect()
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
        if self.open[step].len() - self.kept[step].len() > OPEN_MAX {
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
            self.open[step].iter().copied().filter(|atom| !self.kept[step].contains_key(atom)).collect();
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
    let text = format!(
        "{declarations}{} {name} within {} steps:\n    {}\n",
        captured_expectation(spec).word(),
        lines.len(),
        lines.join(" then\n    ")
    );
    let mut parsed = parse(&Source::new("captured", text));
    parsed.file.specs.pop().expect("what is printed of a formula is read as one")
}

/// The atom that holds of `action` and of no other on the screen it was done on.
fn action_atom(action: &Action, before: Option<&Screen>, declared: &BTreeSet<String>) -> Atom {
    let compare = |key: Key, text: &str| {
        Comparison::new(key, Op::Equal, Constant::Text(text.to_string()), ActionTypes::Declared(declared))
            .ok()
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

/// Whether it follows from the name of an action whether `atom` holds of it.
fn is_told(named: &Atom, atom: &Atom) -> bool {
    let (Atom::Action(known), Atom::Action(asked)) = (named, atom) else { return false };
    let follows = |asked: &Comparison| known.iter().any(|known| follows(known, asked));
    named.excludes(atom) || asked.iter().all(follows)
}

/// Whether whatever action passes `known` passes `asked`.
fn follows(known: &Comparison, asked: &Comparison) -> bool {
    let (Constant::Text(text), Constant::Text(part)) = (&known.value, &asked.value) else {
        return known == asked;
    };
    let is_about_it = known.key == asked.key && known.op == Op::Equal;
    match asked.op {
        Op::Contains => is_about_it && text.contains(part.as_str()),
        // Of several names another may be the one that must not be.
        Op::NotEqual => is_about_it && asked.key == Key::ActionType && text != part,
        Op::Equal | Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => known == asked,
    }
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
