//! Goals of actions: how much nearer the objective comes by a class of actions, as its outlook tells it.

use rustc_hash::FxHashMap;

use crate::situation::{ClassId, LookId, Outlook, PhaseId, Standing, Subgoal};

/// Goals of classes of actions that are kept; then they are worked out again.
const GOALS_MAX: usize = 20_000;

/// Place of a step towards the objective.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Goal {
    /// Closeness if the screen stays as it is, and at best; both less the closeness now.
    pub stays: f32,
    pub best: f32,
    /// Share of changes on the screen that the best takes: all in one.
    pub ease: f32,
    /// Conditions that must come to hold for the best.
    pub gained: u64,
    /// True if the best takes another activity.
    pub moves: bool,
    /// True if no screen saves the run after such an action.
    pub loses: bool,
}

/// Goals that were asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Goals {
    goals: FxHashMap<(PhaseId, ClassId, LookId), Goal>,
    closeness: FxHashMap<PhaseId, f32>,
}

impl Goals {
    /// Notes what `outlook` says of actions of these classes, on a screen of `look`.
    pub fn look_ahead(
        &mut self,
        phase: PhaseId,
        look: LookId,
        classes: impl Iterator<Item = ClassId>,
        outlook: &mut dyn Outlook,
    ) {
        if self.goals.len() >= GOALS_MAX || self.closeness.len() >= GOALS_MAX {
            self.goals.clear();
            self.closeness.clear();
        }
        let now = closeness(outlook.standing(phase));
        self.closeness.insert(phase, now);
        let mut subgoals: Vec<Subgoal> = Vec::new();
        for class in classes {
            if self.goals.contains_key(&(phase, class, look)) {
                continue;
            }
            let after = outlook.after(phase, class, look);
            subgoals.clear();
            outlook.subgoals(phase, class, look, &mut subgoals);
            let standing = outlook.standing(after);
            let mut goal = Goal { stays: closeness(standing) - now, ..Goal::default() };
            match subgoals.first() {
                Some(first) => {
                    goal.best = closeness(first.standing) - now;
                    goal.ease = 1.0 / (1.0 + first.changes as f32);
                    goal.gained = first.gained;
                    goal.moves = first.moves;
                }
                None => goal.loses = standing == Standing::Lost,
            }
            self.goals.insert((phase, class, look), goal);
        }
    }

    /// Returns the goal of a class of actions; one of zeros where the objective was not asked.
    pub fn of(&self, phase: PhaseId, class: ClassId, look: LookId) -> Goal {
        self.goals.get(&(phase, class, look)).copied().unwrap_or_default()
    }

    /// Returns the closeness to the objective in `phase`; 0 where it was not asked.
    pub fn closeness(&self, phase: PhaseId) -> f32 {
        self.closeness.get(&phase).copied().unwrap_or_default()
    }
}

fn closeness(standing: Standing) -> f32 {
    match standing {
        Standing::Won => 1.0,
        Standing::Open(least) => 1.0 / (1.0 + least as f32),
        Standing::Lost => -1.0,
    }
}
