//! Plain Q-learning over screens: values of (screen, action), carried back one step at a time.

use rustc_hash::FxHashMap;

use super::{Agent, Lesson, Outlook, ScreenId, Situation};
use crate::rng::Rng;

/// How much of the difference is learned at a step.
const RATE: f64 = 0.5;
/// What a reward one step later is worth.
const DISCOUNT: f64 = 0.9;
/// How often any candidate is taken.
const EXPLORATION: f64 = 0.1;

/// Q-learning as in textbooks, its table keyed by screens alone.
#[derive(Clone, Debug, Default)]
pub struct QLearning {
    values: FxHashMap<ScreenId, Vec<f64>>,
    last: Option<(ScreenId, u16)>,
}

impl QLearning {
    fn row(&mut self, situation: &Situation<'_>) -> &mut Vec<f64> {
        self.values.entry(situation.scene.screen).or_insert_with(|| vec![0.0; situation.scene.offers.len()])
    }
}

impl Agent for QLearning {
    fn begin(&mut self) {
        self.last = None;
    }

    fn choose(&mut self, situation: &Situation<'_>, _: &mut dyn Outlook, rng: &mut Rng) -> u16 {
        let row = self.row(situation);
        let candidates = situation.preferred;
        let chosen = if rng.unit() < EXPLORATION {
            candidates[rng.below(candidates.len())]
        } else {
            let best = candidates.iter().map(|&at| row[usize::from(at)]).fold(f64::MIN, f64::max);
            let equals = candidates.iter().filter(|&&at| row[usize::from(at)] == best);
            let nth = rng.below(equals.clone().count());
            equals.clone().nth(nth).copied().expect("one of them is the best")
        };
        self.last = Some((situation.scene.screen, chosen));
        chosen
    }

    fn learn(&mut self, lesson: &Lesson<'_>, _: &mut Rng) {
        let Some((screen, at)) = self.last else { return };
        let ahead = match self.values.get(&lesson.scene.screen) {
            Some(row) if !lesson.ends => row.iter().copied().fold(f64::MIN, f64::max),
            Some(_) | None => 0.0,
        };
        if let Some(value) = self.values.get_mut(&screen).and_then(|row| row.get_mut(usize::from(at))) {
            *value += RATE * (lesson.reward + DISCOUNT * ahead - *value);
        }
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16) {
        self.row(situation);
        self.last = Some((situation.scene.screen, taken));
    }

    fn learn_dead_end(&mut self, _: &mut Rng) {
        let Some((screen, at)) = self.last else { return };
        if let Some(value) = self.values.get_mut(&screen).and_then(|row| row.get_mut(usize::from(at))) {
            *value += RATE * (-1.0 - *value);
        }
    }
}
