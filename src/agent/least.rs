//! The action that was done least: exploration without any estimate.

use super::Agent;
use crate::recent::Recent;
use crate::rng::Rng;
use crate::situation::{Choice, Explanation, Offer, Outlook, Recollection, Situation, StateId, Transition};

/// States with counts in each half of their table: 20 MB where each has 100 actions.
const STATES_HALF: usize = 50_000;

/// Chooses the action that was done least in the state, and by chance where several were.
#[derive(Clone, Debug)]
pub struct Least {
    /// Times by state, one number for each slot met so far.
    times: Recent<StateId, Vec<u32>>,
}

impl Default for Least {
    fn default() -> Least {
        Least { times: Recent::new(STATES_HALF) }
    }
}

impl Agent for Least {
    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> Choice {
        let Situation { scene, preferred, .. } = *situation;
        let row = self.times.peek(&scene.state).map_or(&[][..], Vec::as_slice);
        let times = |at: u16| times(row, &scene.offers[usize::from(at)]);
        let least = preferred.iter().map(|&at| times(at)).min().unwrap_or(0);
        let equals = || preferred.iter().copied().filter(|&at| times(at) == least);
        let nth = rng.below(equals().count());
        Choice::Offer(equals().nth(nth).expect("one of them was done least"))
    }

    fn learn(&mut self, transition: &Transition<'_>, _: &mut Rng) -> Explanation {
        let scene = transition.from.scene;
        let slot = usize::from(scene.offers[usize::from(transition.at)].slot);
        let row = self.times.get_or_insert_with(scene.state, Vec::new, drop);
        if row.len() <= slot {
            row.resize(usize::from(scene.slots), 0);
        }
        row[slot] = row[slot].saturating_add(1);
        Explanation::default()
    }

    fn forget(&mut self, _: Recollection) {
        self.times.clear();
    }
}

fn times(row: &[u32], offer: &Offer) -> u32 {
    row.get(usize::from(offer.slot)).copied().unwrap_or(0)
}
