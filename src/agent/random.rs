//! The agent that learns nothing: what every other one must be better than.

use super::{Agent, Lesson, Outlook, Situation};
use crate::rng::Rng;

/// Takes any of the preferred candidates, each as likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl Agent for Random {
    fn choose(&mut self, situation: &Situation<'_>, _: &mut dyn Outlook, rng: &mut Rng) -> u16 {
        situation.preferred[rng.below(situation.preferred.len())]
    }

    fn learn(&mut self, _: &Lesson<'_>, _: &mut Rng) {}

    fn note(&mut self, _: &Situation<'_>, _: u16) {}

    fn learn_dead_end(&mut self, _: &mut Rng) {}
}
