//! Plain Q-learning over states: values of (state, action), carried back one step at a time.

use super::Agent;
use crate::recent::Recent;
use crate::rng::Rng;
use crate::situation::{
    Choice, Explanation, Next, Offer, Outlook, Recollection, Situation, StateId, Transition,
};

/// Numbers of Q-learning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QLearningSettings {
    /// Learning rate.
    pub rate: f64,
    /// Discount of a reward one step later.
    pub discount: f64,
    /// Exploration rate: the share of choices in which any candidate is as likely.
    pub exploration: f64,
}

impl QLearningSettings {
    /// Numbers of ARES and FATE, in the second study of the paper.
    pub const ARES: QLearningSettings = QLearningSettings { rate: 0.628, discount: 0.9, exploration: 0.8 };
}

impl Default for QLearningSettings {
    /// Returns the numbers of textbooks.
    fn default() -> QLearningSettings {
        QLearningSettings { rate: 0.5, discount: 0.9, exploration: 0.1 }
    }
}

/// Q-learning as in textbooks, its table keyed by states alone.
#[derive(Clone, Debug)]
pub struct QLearning {
    settings: QLearningSettings,
    /// Values by state, one for each slot met so far.
    values: Recent<StateId, Vec<f64>>,
}

/// States with values in each half of their table: 20 MB where each has 50 actions.
const STATES_HALF: usize = 50_000;

impl QLearning {
    /// Returns an agent that has learned nothing yet.
    pub fn new(settings: QLearningSettings) -> QLearning {
        QLearning { settings, values: Recent::new(STATES_HALF) }
    }
}

/// Returns the values of a state, by slot; none of a state that was never left.
fn row(values: &Recent<StateId, Vec<f64>>, state: StateId) -> &[f64] {
    values.peek(&state).map_or(&[], Vec::as_slice)
}

/// Returns the value of the offer at `at`; an action never done is worth nothing yet.
fn value(row: &[f64], offers: &[Offer], at: u16) -> f64 {
    row.get(usize::from(offers[usize::from(at)].slot)).copied().unwrap_or(0.0)
}

impl Agent for QLearning {
    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> Choice {
        let Situation { scene, preferred: candidates, .. } = *situation;
        if rng.unit() < self.settings.exploration {
            return Choice::Offer(candidates[rng.below(candidates.len())]);
        }
        let row = row(&self.values, scene.state);
        let value = |at: u16| value(row, &scene.offers, at);
        let (mut best, mut equals) = (f64::MIN, 0);
        for &at in candidates {
            let value = value(at);
            if value > best {
                (best, equals) = (value, 1);
            } else if value == best {
                equals += 1;
            }
        }
        let nth = rng.below(equals);
        let mut equals = candidates.iter().filter(|&&at| value(at) == best);
        Choice::Offer(equals.nth(nth).copied().expect("one of them is the best"))
    }

    fn learn(&mut self, transition: &Transition<'_>, _: &mut Rng) -> Explanation {
        // Only actions that can be chosen next count: the value 0 of one that is ruled out would hide that all others
        // are worth less.
        let ahead = match &transition.next {
            Next::Choice(next) => {
                let row = row(&self.values, next.scene.state);
                let values = next.candidates.iter().map(|&at| value(row, &next.scene.offers, at));
                values.fold(f64::MIN, f64::max)
            }
            Next::DeadEnd | Next::Terminal | Next::Truncated | Next::Unknown => 0.0,
        };
        let Situation { scene, .. } = *transition.from;
        let QLearningSettings { rate, discount, .. } = self.settings;
        let slot = usize::from(scene.offers[usize::from(transition.at)].slot);
        let row = self.values.get_or_insert_with(scene.state, Vec::new, drop);
        if row.len() <= slot {
            row.resize(usize::from(scene.slots), 0.0);
        }
        let value = &mut row[slot];
        *value += rate * (transition.reward + discount * ahead - *value);
        if matches!(transition.next, Next::DeadEnd) {
            *value += rate * (-1.0 - *value);
        }
        Explanation::default()
    }

    fn forget(&mut self, _: Recollection) {
        self.values.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rng::Seed;
    use crate::situation::{ActivityId, LookId, PhaseId, Scene, ScreenId};

    fn offers(count: u16) -> Arc<[Offer]> {
        (0..count).map(Offer::numbered).collect()
    }

    fn scene(state: u32) -> Scene {
        Scene {
            state: StateId(state),
            screen_id: ScreenId(state),
            activity: ActivityId(0),
            look: LookId(0),
            frame: 0,
            slots: 2,
            offers: offers(2),
            actions: Arc::default(),
            screen: None,
        }
    }

    fn situation<'a>(scene: &'a Scene, candidates: &'a [u16]) -> Situation<'a> {
        Situation { scene, phase: PhaseId::START, steps_left: 9, candidates, preferred: candidates }
    }

    #[test]
    fn an_action_that_is_ruled_out_hides_no_negative_value() {
        let (scenes, mut agent) = ([scene(1), scene(2)], QLearning::new(QLearningSettings::default()));
        // In state 2 the offer 1 is ruled out, and the offer 0 leads to a reward of -1.
        let (first, second) = (situation(&scenes[0], &[0, 1]), situation(&scenes[1], &[0]));
        let mut learn = |from: Situation<'_>, reward: f64, next: Next<'_>| {
            let transition = Transition {
                from: &from,
                at: 0,
                reward,
                elapsed_ms: None,
                to: second.scene,
                phase: PhaseId::START,
                next,
            };
            agent.learn(&transition, &mut Seed(1).fork("test"));
        };
        learn(second, -1.0, Next::Terminal);
        learn(first, 0.0, Next::Choice(&second));
        let value = row(&agent.values, StateId(1))[0];
        assert_eq!(value, -(0.5 * 0.9 * 0.5), "with the maximum over all offers it was 0");
    }
}
