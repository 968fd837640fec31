//! Numbers of an event that the objective tells: how much nearer it comes by it.

use rustc_hash::FxHashMap;

use crate::situation::{ClassId, LookId, Offer, Outlook, PhaseId, Standing, Subgoal};

/// Goals of classes of actions that are kept; then they are worked out again.
const GOALS_MAX: usize = 20_000;

/// Place of a step towards the objective, as an outlook tells it.
#[derive(Clone, Copy, Debug, Default)]
struct Goal {
    /// Closeness if the screen stays as it is, and at best; both less the closeness now.
    stays: f32,
    best: f32,
    /// Share of changes on the screen that the best takes: all in one.
    ease: f32,
    /// Conditions that must come to hold for the best.
    gained: u64,
}

/// Moment at which the objective is asked.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Progress so far.
    pub phase: PhaseId,
    /// Screen as the objective sees it.
    pub look: LookId,
}

/// Goals that were asked for.
#[derive(Clone, Debug, Default)]
pub struct Goals {
    goals: FxHashMap<(PhaseId, ClassId, LookId), Goal>,
    closeness: FxHashMap<PhaseId, f32>,
}

impl Goals {
    /// Notes what `outlook` says of actions of these classes.
    pub fn look_ahead(
        &mut self,
        Place { phase, look }: Place,
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
            let mut goal = Goal { stays: closeness(outlook.standing(after)) - now, ..Goal::default() };
            if let Some(first) = subgoals.first() {
                goal.best = closeness(first.standing) - now;
                goal.ease = 1.0 / (1.0 + first.changes as f32);
                goal.gained = first.gained;
            }
            self.goals.insert((phase, class, look), goal);
        }
    }

    /// Returns the numbers of an offer; zeros where the objective was not asked.
    pub fn numbers(&self, Place { phase, look }: Place, offer: &Offer) -> [f32; 6] {
        let goal = self.goals.get(&(phase, offer.class, look)).copied().unwrap_or_default();
        let flag = |is: bool| f32::from(u8::from(is));
        [
            self.closeness.get(&phase).copied().unwrap_or_default(),
            goal.stays,
            goal.best,
            goal.ease,
            flag(offer.hints != 0),
            flag(offer.hints & goal.gained != 0),
        ]
    }
}

fn closeness(standing: Standing) -> f32 {
    match standing {
        Standing::Won => 1.0,
        Standing::Open(least) => 1.0 / (1.0 + least as f32),
        Standing::Lost => -1.0,
    }
}
