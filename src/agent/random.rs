//! Random choice: the baseline that every other agent must beat.

use super::Agent;
use super::groups::{Group, GroupsOfScreens};
use crate::rng::Rng;
use crate::situation::{Choice, Outlook, Situation};

/// Chooses among the preferred candidates: a widget first, then a kind of action, then its text or direction, each as
/// likely. An action on no widget counts as a widget.
///
/// Chance over all candidates would hardly ever press a button beside a field, which takes many texts.
#[derive(Clone, Debug, Default)]
pub struct Random {
    groups: GroupsOfScreens,
}

impl Agent for Random {
    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> Choice {
        let Situation { scene, preferred, .. } = *situation;
        draw(&self.groups.get(scene, preferred), rng)
    }
}

fn draw(groups: &[Group], rng: &mut Rng) -> Choice {
    let kinds = &groups[rng.below(groups.len())].kinds;
    let kind = &kinds[rng.below(kinds.len())];
    Choice::Offer(kind[rng.below(kind.len())])
}
