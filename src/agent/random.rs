//! Random choice: the baseline that every other agent must beat.

use super::Agent;
use crate::rng::Rng;
use crate::situation::{Outlook, Situation};

/// Chooses among the preferred candidates, each as likely.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl Agent for Random {
    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> u16 {
        situation.preferred[rng.below(situation.preferred.len())]
    }
}
