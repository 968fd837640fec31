//! Activities to reach, all of them in one run.
//!
//! The phase is the set of activities reached so far. Like a formula's, it says everything that later verdicts depend on,
//! so that every agent can pursue it, the planner with its model of steps to come included.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Judgement, Moment, Objective, Report, Verdict};
use crate::gui::{Action, Atom, Comparison, Constant, Hints, Key, Op, Screen};
use crate::ltl::Labels;
use crate::situation::{ClassId, LinkId, LookId, Origin, Outlook, PhaseId, Standing, Subgoal};
use crate::sorted;

/// Reward of a step to a state never met before that reaches no new activity: a direction where there is no other.
const NEW_STATE_REWARD: f64 = 0.1;

/// All actions are the same to this objective.
const CLASS: ClassId = ClassId(0);

/// Look of every screen of another activity, and of the time before the app is started.
const ELSEWHERE: LookId = LookId(0);

/// Objective that is reached by a run which has seen each of some activities.
#[derive(Clone, Debug)]
pub struct Activities {
    /// Names in full, in order; the look of the activity at `n` is `n + 1`.
    targets: Vec<Arc<str>>,
    /// The same as atoms, as they are written in a spec.
    conditions: Vec<Arc<str>>,
    hints: Hints,
    /// Sets of places in `targets`, by phase.
    reached: Vec<BTreeSet<u32>>,
    phase_of: BTreeMap<BTreeSet<u32>, PhaseId>,
    /// Number of steps on the device at which each was seen.
    held: Vec<u64>,
    /// Phase with the fewest activities left on the device.
    closest: Option<PhaseId>,
}

impl Activities {
    /// Returns the objective to reach each of `targets`, activities in full; nothing left to reach is reached at the
    /// first step.
    pub fn new(targets: impl IntoIterator<Item = Arc<str>>) -> Activities {
        let targets: Vec<Arc<str>> = sorted::set(targets).into_iter().collect();
        let atoms: Vec<Atom> = targets
            .iter()
            .map(|name| {
                let value = Constant::Text(name.to_string());
                Atom::State(vec![Comparison { key: Key::Activity, op: Op::Equal, value }])
            })
            .collect();
        Activities {
            conditions: atoms.iter().map(|atom| atom.to_string().into()).collect(),
            hints: Hints::new((0..).zip(&atoms)),
            reached: vec![BTreeSet::new()],
            phase_of: BTreeMap::from([(BTreeSet::new(), PhaseId::START)]),
            held: vec![0; targets.len()],
            closest: None,
            targets,
        }
    }

    /// Returns the place in `targets` that `look` stands for.
    fn target(look: LookId) -> Option<u32> {
        look.0.checked_sub(1)
    }

    fn left(&self, phase: PhaseId) -> u32 {
        (self.targets.len() - self.reached[phase.index()].len()) as u32
    }

    /// Returns the phase after a step to a screen of `look`.
    fn after_look(&mut self, phase: PhaseId, look: LookId) -> PhaseId {
        let Some(target) = Activities::target(look) else { return phase };
        let mut reached = self.reached[phase.index()].clone();
        if !reached.insert(target) {
            return phase;
        }
        let next = PhaseId(self.reached.len() as u32);
        let phase = *self.phase_of.entry(reached.clone()).or_insert(next);
        if phase == next {
            self.reached.push(reached);
        }
        phase
    }
}

impl Objective for Activities {
    fn look(&mut self, screen: Option<&Screen>, _: LinkId) -> LookId {
        let at = screen.and_then(|screen| self.targets.binary_search(screen.activity()).ok());
        at.map_or(ELSEWHERE, |at| LookId(at as u32 + 1))
    }

    fn class(&mut self, _: &Action) -> ClassId {
        CLASS
    }

    fn step(&mut self, from: PhaseId, moment: &Moment<'_>) -> Judgement {
        let next = self.after_look(from, moment.look);
        if moment.seen.origin() == Origin::Device {
            if let Some(target) = Activities::target(moment.look) {
                self.held[target as usize] += 1;
            }
            if self.closest.is_none_or(|closest| self.left(next) < self.left(closest)) {
                self.closest = Some(next);
            }
        }
        let left = self.left(next);
        let reward = match self.reward(from, next) {
            0.0 if moment.is_new => NEW_STATE_REWARD,
            reward => reward,
        };
        let verdict = if left == 0 { Verdict::Won } else { Verdict::Open };
        // One step reaches one activity at most.
        Judgement { next, verdict, reward, distance: Some(left) }
    }

    fn outlook(&mut self) -> Option<&mut dyn Outlook> {
        Some(self)
    }

    fn hints(&self, actions: &[Action]) -> Vec<u64> {
        let bits = |hints: Vec<u32>| hints.into_iter().collect::<Labels>().bits();
        self.hints.of(actions).into_iter().map(bits).collect()
    }

    fn reads(&self, key: Key) -> bool {
        key == Key::Activity
    }

    fn labels(&self, _: PhaseId, _: ClassId, look: LookId) -> Vec<Arc<str>> {
        Activities::target(look).map(|at| self.conditions[at as usize].clone()).into_iter().collect()
    }

    fn conditions(&self) -> &[Arc<str>] {
        &self.conditions
    }

    fn remaining(&self, phase: PhaseId) -> String {
        let reached = &self.reached[phase.index()];
        let left = (0..).zip(&self.targets).filter(|(at, _)| !reached.contains(at));
        let left: Vec<&str> = left.map(|(_, name)| &**name).collect();
        if left.is_empty() { "nothing".to_string() } else { left.join(", ") }
    }

    fn closest(&self) -> Option<u32> {
        self.closest.map(|phase| self.left(phase))
    }

    fn report(&self, _: &dyn Fn(Key) -> BTreeSet<String>) -> Report {
        let names = self.conditions.iter().map(|name| name.to_string());
        Report {
            held: names.zip(self.held.iter().copied()).collect(),
            hints: Vec::new(),
            closest: self.closest.map(|phase| (self.remaining(phase), self.left(phase))),
        }
    }
}

impl Outlook for Activities {
    fn after(&mut self, phase: PhaseId, _: ClassId, look: LookId) -> PhaseId {
        self.after_look(phase, look)
    }

    fn standing(&mut self, phase: PhaseId) -> Standing {
        match self.left(phase) {
            // Before the first step nothing is reached, whatever is asked for.
            0 if phase != PhaseId::START => Standing::Won,
            left => Standing::Open(left.max(1)),
        }
    }

    fn reward(&mut self, from: PhaseId, to: PhaseId) -> f64 {
        match (self.left(from), self.left(to)) {
            (_, 0) => 1.0,
            (before, left) if left < before => 1.0 / f64::from(before + left),
            _ => 0.0,
        }
    }

    fn classes(&self) -> u32 {
        1
    }

    fn subgoals(&mut self, phase: PhaseId, _: ClassId, _: LookId, subgoals: &mut Vec<Subgoal>) {
        for target in 0..self.targets.len() as u32 {
            let next = self.after_look(phase, LookId(target + 1));
            if next == phase {
                continue;
            }
            let standing = self.standing(next);
            let gained = 1_u64.checked_shl(target).unwrap_or(0);
            subgoals.push(Subgoal { phase: next, standing, gained, changes: 1, moves: true });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Context, DeviceAction};
    use crate::objective::Seen;

    fn step(objective: &mut Activities, from: PhaseId, activity: &str, is_new: bool) -> Judgement {
        let screen = Screen::new("p", activity, Context::default(), Vec::new());
        let (action, look) =
            (Action::Device(DeviceAction::Back), objective.look(Some(&screen), LinkId::default()));
        let class = objective.class(&action);
        objective.step(from, &Moment { action: &action, class, seen: Seen::Recalled(&screen), look, is_new })
    }

    fn two() -> Activities {
        Activities::new(["p.B".into(), "p.A".into(), "p.A".into()])
    }

    #[test]
    fn it_is_reached_once_each_activity_was_seen_in_any_order() {
        for order in [["p.A", "p.B"], ["p.B", "p.A"]] {
            let mut objective = two();
            let first = step(&mut objective, PhaseId::START, order[0], true);
            assert_eq!((first.verdict, first.distance), (Verdict::Open, Some(1)));
            assert_eq!(objective.remaining(first.next), order[1]);
            let again = step(&mut objective, first.next, order[0], false);
            assert_eq!((again.next, again.reward), (first.next, 0.0));
            let last = step(&mut objective, first.next, order[1], true);
            assert_eq!((last.verdict, last.reward, last.distance), (Verdict::Won, 1.0, Some(0)));
            assert_eq!(objective.remaining(last.next), "nothing");
        }
    }

    #[test]
    fn a_new_activity_is_worth_more_than_a_new_state_and_that_more_than_nothing() {
        let mut objective = two();
        let rewards = [("p.A", true), ("p.C", true), ("p.C", false)]
            .map(|(activity, is_new)| step(&mut objective, PhaseId::START, activity, is_new).reward);
        assert_eq!(rewards, [1.0 / 3.0, NEW_STATE_REWARD, 0.0]);
    }

    #[test]
    fn its_outlook_agrees_with_its_steps() {
        let mut objective = two();
        let first = step(&mut objective, PhaseId::START, "p.A", true).next;
        let mut subgoals = Vec::new();
        objective.subgoals(first, CLASS, ELSEWHERE, &mut subgoals);
        let won = step(&mut objective, first, "p.B", true).next;
        let [subgoal] = subgoals[..] else { panic!("one activity is left: {subgoals:?}") };
        assert_eq!((subgoal.phase, subgoal.standing, subgoal.gained), (won, Standing::Won, 0b10));
        assert_eq!(objective.standing(PhaseId::START), Standing::Open(2));
    }

    #[test]
    fn nothing_recalled_counts() {
        let mut objective = two();
        step(&mut objective, PhaseId::START, "p.A", true);
        let report = objective.report(&|_| BTreeSet::new());
        assert_eq!((report.closest, objective.closest()), (None, None));
        assert!(report.held.iter().all(|(_, times)| *times == 0));
    }
}
