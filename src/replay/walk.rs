//! Walk: the atoms of a spec that a run cannot do without.
//!
//! An atom that is left open may hold or not, so a run has many ways through the residuals of the spec. All of them must
//! be won, and change the residual where the run changed it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::capture::is_told;
use super::link_of;
use crate::gui::Atom;
use crate::ltl::Labels;
use crate::objective::{Formula, Objective as _, Shaping, Verdict};
use crate::situation::{ClassId, PhaseId};
use crate::sorted;
use crate::spec::Spec;
use crate::trace::Trace;

/// Most atoms left open at a step: each doubles the label sets to check.
const OPEN_MAX: usize = 8;

/// Most steps through residuals for one run, a microsecond each. Where open atoms multiply the residuals, the atoms that
/// are not decided by then are kept.
const WORK_MAX: u32 = 1_000_000;

/// Most of them for one atom, so that one that is hard to decide leaves enough for the others.
const ATOM_WORK_MAX: u32 = 50_000;

/// Atoms and times that the steps of a run need.
pub(super) struct Needed {
    /// By step: the atoms that it needs, with their values.
    pub atoms: Vec<Vec<(Atom, bool)>>,
    /// By step: true if a bound in time runs after it.
    pub is_timed: Vec<bool>,
}

/// Returns what each step of `trace` needs for `spec`; `named` names the actions.
pub(super) fn needed(spec: &Spec, trace: &Trace, named: &[Atom]) -> Needed {
    let mut walk = Walk::new(spec, trace, named);
    walk.leave_out();
    let is_timed = walk.phases[1..].iter().map(|&phase| walk.objective.is_timed(phase)).collect();
    Needed { atoms: (0..walk.kept.len()).map(|step| walk.atoms(step)).collect(), is_timed }
}

/// A question was given up: it took too many steps.
struct TooMuch;

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
    /// By step: no label, the time since the step before, and the values for kept names.
    links: Vec<Labels>,
    /// By step: true for phases before it from which all ways are won.
    wins: Vec<FxHashMap<PhaseId, bool>>,
    /// Work left in all, and for the present question.
    left: u32,
    left_now: u32,
}

/// Phase before a step, with the label sets of that step that are still to be followed.
struct Branch {
    phase: PhaseId,
    sets: Vec<Labels>,
}

impl Walk {
    fn new(spec: &Spec, trace: &Trace, named: &[Atom]) -> Walk {
        let mut objective = Formula::new(spec, Shaping::Atoms);
        let (mut classes, mut phases, mut kept, mut open) =
            (Vec::new(), vec![PhaseId::START], Vec::new(), Vec::new());
        let (mut before, mut links) = (None, Vec::new());
        for (step, named) in trace.steps.iter().zip(named) {
            let class = objective.class(&step.action);
            let (link, interval) = link_of(before, &step.action, &step.observation);
            let on_screen = objective.labels_after(link, interval);
            before = Some(&step.observation);
            links.push(Labels::default().after(on_screen.elapsed_ms()).with_binding(on_screen.binding()));
            let of_action: BTreeSet<u32> = objective.action_labels(class).iter().collect();
            let held: BTreeSet<u32> = on_screen.iter().chain(of_action.iter().copied()).collect();
            phases.push(objective.after_labels(phases[phases.len() - 1], class, &on_screen));
            let open_now: Vec<u32> = objective
                .atoms_with(on_screen.binding())
                .into_iter()
                .filter(|(_, atom)| !atom.is_action() || !is_told(named, atom))
                .map(|(number, _)| number)
                .collect();
            // Labels that follow from the action's name hold in any case; the others may be left open.
            let told = of_action.into_iter().filter(|atom| !open_now.contains(atom)).collect();
            classes.push(objective.class_with(told));
            kept.push(sorted::map(open_now.iter().map(|&atom| (atom, held.contains(&atom)))));
            open.push(open_now);
        }
        let (left, left_now) = (WORK_MAX, WORK_MAX);
        Walk { objective, classes, phases, kept, open, links, wins: Vec::new(), left, left_now }
    }

    /// Returns the atoms kept at `step`, with its values in place of kept names.
    fn atoms(&self, step: usize) -> Vec<(Atom, bool)> {
        let mut atoms = Vec::new();
        for (number, atom) in self.objective.atoms_with(self.links[step].binding()) {
            let Some(&holds) = self.kept[step].get(&number) else { continue };
            // Two atoms may be one with the values of this step.
            if !atoms.iter().any(|(known, _)| *known == atom) {
                atoms.push((atom, holds));
            }
        }
        atoms
    }

    /// Drops atoms that are not needed: first false ones, as true ones say more; at late steps before early
    /// ones.
    fn leave_out(&mut self) {
        for holds in [false, true] {
            // The last step comes first: what is possible before a step does not change until its turn, and what is known
            // of the steps behind it does not change after theirs.
            let Ok(before) = self.before() else { return };
            self.wins = vec![FxHashMap::default(); self.kept.len() + 1];
            for step in (0..self.kept.len()).rev() {
                let atoms: Vec<u32> = self.kept[step]
                    .iter()
                    .filter(|(_, held)| **held == holds)
                    .map(|(&atom, _)| atom)
                    .collect();
                for atom in atoms {
                    self.kept[step].remove(&atom);
                    if !self.is_enough(step, &before[step]).unwrap_or(false) {
                        self.kept[step].insert(atom, holds);
                    }
                }
            }
        }
    }

    /// Returns the phases possible before each step.
    fn before(&mut self) -> Result<Vec<BTreeSet<PhaseId>>, TooMuch> {
        self.left_now = self.left;
        let mut before = vec![BTreeSet::from([PhaseId::START])];
        for step in 0..self.kept.len() {
            let after = self.after(&before[step], step)?;
            before.push(after);
        }
        Ok(before)
    }

    /// Returns true if the kept atoms are enough after one was dropped at `step`, with these phases `possible` before it.
    fn is_enough(&mut self, step: usize, possible: &BTreeSet<PhaseId>) -> Result<bool, TooMuch> {
        if self.open[step].len() - self.kept[step].len() > OPEN_MAX {
            return Ok(false);
        }
        self.left_now = self.left.min(ATOM_WORK_MAX);
        let (before, after) = (self.phases[step], self.phases[step + 1]);
        // At this step the residual must change as it did, unless the run is won there.
        if before != after {
            let could_be = self.after(&BTreeSet::from([before]), step)?;
            if !could_be.into_iter().all(|phase| phase == after || self.is_won(phase)) {
                return Ok(false);
            }
        }
        // An atom that is dropped here may let a later step fail, so all ways are followed to their ends.
        for phase in self.after(possible, step)? {
            if !self.wins(phase, step + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if all ways that lead on from `phase` before `step` are won.
    fn wins(&mut self, phase: PhaseId, step: usize) -> Result<bool, TooMuch> {
        let branch = |walk: &Walk, phase: PhaseId, step: usize| Branch { phase, sets: walk.label_sets(step) };
        let mut answer = self.known(phase, step);
        // A run may have more steps than a call stack has room for.
        let mut branches: Vec<Branch> =
            answer.is_none().then(|| branch(self, phase, step)).into_iter().collect();
        while !branches.is_empty() {
            let step = step + branches.len() - 1;
            let last = branches.last_mut().expect("it is not empty");
            match last.sets.pop() {
                Some(labels) if answer != Some(false) => {
                    let next = self.follow(last.phase, step, &labels)?;
                    answer = self.known(next, step + 1);
                    if answer.is_none() {
                        branches.push(branch(self, next, step + 1));
                    }
                }
                Some(_) | None => {
                    // One way that is not won is enough; without any left, all are won.
                    let is_won = answer != Some(false);
                    self.wins[step].insert(last.phase, is_won);
                    answer = Some(is_won);
                    branches.pop();
                }
            }
        }
        Ok(answer == Some(true))
    }

    /// Returns true if all ways on from `phase` before `step` are won, as far as that is known.
    fn known(&mut self, phase: PhaseId, step: usize) -> Option<bool> {
        let is_won = self.is_won(phase);
        // A won phase stays won.
        if is_won || step == self.kept.len() { Some(is_won) } else { self.wins[step].get(&phase).copied() }
    }

    fn is_won(&mut self, phase: PhaseId) -> bool {
        self.objective.assess(phase).verdict == Verdict::Won
    }

    /// Returns the phases possible after `step`, given only the kept atoms; a won phase stays won.
    fn after(&mut self, phases: &BTreeSet<PhaseId>, step: usize) -> Result<BTreeSet<PhaseId>, TooMuch> {
        let mut after = BTreeSet::new();
        for labels in self.label_sets(step) {
            for &phase in phases {
                let next = if self.is_won(phase) { phase } else { self.follow(phase, step, &labels)? };
                after.insert(next);
            }
        }
        Ok(after)
    }

    /// Returns the phase after a step with `labels` on its screen, and takes it off the work left.
    fn follow(&mut self, phase: PhaseId, step: usize, labels: &Labels) -> Result<PhaseId, TooMuch> {
        self.left_now = self.left_now.checked_sub(1).ok_or(TooMuch)?;
        self.left -= 1;
        Ok(self.objective.after_labels(phase, self.classes[step], labels))
    }

    /// Returns the sets of labels that may hold at `step`, given only the kept atoms.
    fn label_sets(&self, step: usize) -> Vec<Labels> {
        let open: Vec<u32> =
            self.open[step].iter().copied().filter(|atom| !self.kept[step].contains_key(atom)).collect();
        let fixed: Vec<u32> =
            self.kept[step].iter().filter(|(_, holds)| **holds).map(|(&atom, _)| atom).collect();
        // Every set of the open atoms may hold.
        (0..1_u32 << open.len())
            .map(|chosen| {
                let some = (0..).zip(&open).filter(|(bit, _)| chosen >> bit & 1 == 1).map(|(_, &atom)| atom);
                let labels: Labels = fixed.iter().copied().chain(some).collect();
                labels.union(&self.links[step])
            })
            // These labels exclude each other, so no run has them at one step.
            .filter(|labels| !self.objective.is_impossible(labels))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gui::{Action, Bounds, Context, Screen, Widget};
    use crate::spec::{Source, parse};
    use crate::trace::{Observation, Step};

    /// Returns a run through screens that show these words, a widget each.
    fn run(screens: &[String]) -> Trace {
        let widget =
            |word: &str| Widget { text: word.into(), bounds: Bounds::new(0, 0, 10, 10), ..Widget::default() };
        let steps = screens.iter().map(|shown| {
            let widgets = shown.split_whitespace().map(widget).collect();
            let screen = Screen::new("p", "p.A", Context::default(), widgets);
            Step {
                action: Action::IDLE,
                observation: Observation {
                    screen: screen.into(),
                    at_ms: 0,
                    notices: [].into(),
                    picture: None,
                },
                labels: Vec::new(),
                remaining: "".into(),
                reward: 0.0,
                why: None,
                learned: None,
            }
        });
        Trace { steps: steps.collect() }
    }

    fn spec(formula: &str) -> Spec {
        let mut text = format!("possible \"x\": {formula}");
        for letter in ["a", "b", "c"] {
            text = text.replace(&letter.to_uppercase(), &format!("[text = {letter}]"));
        }
        parse(&Source::new("x.ltl", text)).file.specs.remove(0)
    }

    /// Returns the walk of a run that the spec does not win before its end, if it wins then.
    fn walk(spec: &Spec, trace: &Trace) -> Option<Walk> {
        let idle =
            parse(&Source::new("idle.ltl", "possible \"x\": [actionType = idle]")).file.specs.remove(0);
        let named: Vec<Atom> = trace.steps.iter().flat_map(|_| idle.atoms.values().cloned()).collect();
        let mut walk = Walk::new(spec, trace, &named);
        let won = (0..walk.phases.len()).position(|at| walk.is_won(walk.phases[at]));
        (won == Some(trace.steps.len())).then_some(walk)
    }

    /// Does what [`Walk::leave_out`] does by following all ways at once, from the start and for each atom anew.
    fn leave_out_slowly(walk: &mut Walk) {
        let after = |walk: &mut Walk, phases, step| walk.after(&phases, step).unwrap_or_default();
        for holds in [false, true] {
            for step in (0..walk.kept.len()).rev() {
                for (atom, held) in walk.kept[step].clone() {
                    if held != holds {
                        continue;
                    }
                    walk.kept[step].remove(&atom);
                    walk.left_now = WORK_MAX;
                    walk.left = WORK_MAX;
                    let (before, next) = (walk.phases[step], walk.phases[step + 1]);
                    let changed = after(walk, BTreeSet::from([before]), step);
                    let is_same = changed.into_iter().all(|phase| phase == next || walk.is_won(phase));
                    let mut all = BTreeSet::from([PhaseId::START]);
                    for step in 0..walk.kept.len() {
                        all = after(walk, all, step);
                    }
                    let wins = all.into_iter().all(|phase| walk.is_won(phase));
                    if !(wins && (before == next || is_same)) {
                        walk.kept[step].insert(atom, holds);
                    }
                }
            }
        }
    }

    /// Formulas of which `A`, `B` and `C` are the atoms.
    fn formulas() -> impl Strategy<Value = String> {
        prop_oneof![Just("A"), Just("B"), Just("C")].prop_map(str::to_string).prop_recursive(
            4,
            16,
            2,
            |part| {
                let two = (part.clone(), part.clone());
                prop_oneof![
                    (prop_oneof![Just("!"), Just("X "), Just("F "), Just("G "), Just("Y ")], part)
                        .prop_map(|(operator, of)| format!("{operator}({of})")),
                    (prop_oneof![Just("&"), Just("|"), Just("U"), Just("S")], two)
                        .prop_map(|(operator, (one, two))| format!("(({one}) {operator} ({two}))")),
                ]
            },
        )
    }

    proptest! {
        #[test]
        fn the_atoms_kept_are_those_that_a_slower_definition_keeps(
            formula in formulas(),
            screens in prop::collection::vec("(a )?(b )?(c )?", 1..6),
        ) {
            let (spec, trace) = (spec(&formula), run(&screens));
            // A run ends as soon as it is won.
            let walks = (1..=screens.len()).find_map(|steps| {
                let trace = Trace { steps: trace.steps[..steps].to_vec() };
                Some((walk(&spec, &trace)?, walk(&spec, &trace)?))
            });
            let Some((mut one, mut other)) = walks else { return Ok(()) };
            one.leave_out();
            leave_out_slowly(&mut other);
            prop_assert_eq!(one.kept, other.kept);
        }
    }

    #[test]
    fn a_run_with_too_many_ways_to_follow_keeps_what_it_needs() {
        let part = |nth: u32| format!("F ([text = p{nth}] & X X X X [text = q{nth}])");
        let text = format!("possible \"x\": {}", (0..7).map(part).collect::<Vec<_>>().join(" | "));
        let spec = parse(&Source::new("x.ltl", text)).file.specs.remove(0);
        let mut screens = vec![String::new(); 29];
        (screens[24], screens[28]) = ("p0".to_string(), "q0".to_string());
        let trace = run(&screens);
        let mut walk = walk(&spec, &trace).expect("the last screen wins");
        walk.leave_out();
        let kept = |step: usize| walk.kept[step].values().filter(|holds| **holds).count();
        assert_eq!((kept(24), kept(28)), (1, 1));
        assert!(walk.kept.iter().map(BTreeMap::len).sum::<usize>() < 29 * 14, "some are left out");
    }
}
