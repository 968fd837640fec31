//! Soft actor-critic over offers: a network scores each offer by what it says and by what was done, and two others learn
//! the worth of it.
//!
//! After discrete SAC (Christodoulou, 2019) with a list of offers in place of a fixed set of actions. Entropy is relative
//! to the choice of [`Random`](super::Random): an agent that knows nothing chooses like that one, and texts for a field
//! outweigh no buttons beside it.

mod counts;
mod learner;
mod rows;
mod scorer;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use self::counts::Counts;
use self::learner::{After, Learner, Memory};
use self::rows::{List, Now, Rows};
use super::Agent;
use crate::rng::{Rng, Seed};
use crate::situation::{
    Choice, Explanation, Next, Origin, Outlook, Recollection, Scene, Situation, Summary, Transition,
};

/// Numbers of SAC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SacSettings {
    /// Learning rate of all networks.
    pub rate: f64,
    /// Discount of a reward one step later.
    pub discount: f64,
    /// Entropy that the temperature is tuned for, as a share of that of a random choice.
    pub entropy: f64,
    /// Share of the way by which the targets follow at each update.
    pub tau: f64,
    /// Transitions of an update.
    pub batch: u32,
    /// Steps from one update to the next.
    pub every: u32,
}

impl Default for SacSettings {
    fn default() -> SacSettings {
        SacSettings { rate: 2e-3, discount: 0.7, entropy: 0.6, tau: 0.01, batch: 32, every: 2 }
    }
}

/// Choice that was made, as it is remembered.
#[derive(Clone, Debug)]
struct Made {
    list: Arc<List>,
    row: usize,
}

/// Chooses by a policy that learns, and keeps trying.
#[derive(Clone, Debug)]
pub struct Sac {
    settings: SacSettings,
    counts: Counts,
    rows: Rows,
    learner: Option<Box<Learner>>,
    last: Option<Made>,
    /// Step whose next choice is not known yet.
    open: Option<(Made, f64)>,
    steps: u64,
    /// True while steps of the past are counted anew.
    is_recalling: bool,
}

impl Sac {
    /// Returns an agent that has learned nothing yet.
    pub fn new(settings: SacSettings) -> Sac {
        Sac {
            settings,
            counts: Counts::default(),
            rows: Rows::default(),
            learner: None,
            last: None,
            open: None,
            steps: 0,
            is_recalling: false,
        }
    }

    /// Notes a choice, which follows the step before.
    fn make(&mut self, list: Arc<List>, row: usize, rng: &mut Rng) {
        let (list, row) = List::thinned(list, row, rng);
        self.remember(After::Choice(list.clone()));
        self.last = Some(Made { list, row });
    }

    /// Remembers the open step with what came after it.
    fn remember(&mut self, after: After) {
        if let (Some((Made { list, row }, reward)), Some(learner)) = (self.open.take(), &mut self.learner) {
            learner.remember(Memory { list, row, reward, after });
        }
    }

    /// Returns the list of all offers of a scene, at most those that a choice weighs.
    fn list_of(&mut self, now: Now<'_>, rng: &mut Rng) -> Option<Arc<List>> {
        let places: Vec<u16> = (0..now.scene.offers.len() as u16).collect();
        if places.is_empty() {
            return None;
        }
        let (list, _) = self.rows.list(now, &places, &self.counts, None, rng);
        Some(List::thinned(list, 0, rng).0)
    }
}

fn now<'a>(situation: &Situation<'a>) -> Now<'a> {
    Now { scene: situation.scene, phase: situation.phase, steps_left: situation.steps_left }
}

impl Agent for Sac {
    fn begin(&mut self) {
        self.counts.begin();
        (self.last, self.open) = (None, None);
    }

    fn choose(
        &mut self,
        situation: &Situation<'_>,
        outlook: Option<&mut dyn Outlook>,
        rng: &mut Rng,
    ) -> Choice {
        self.is_recalling = false;
        let (list, places) = self.rows.list(now(situation), situation.preferred, &self.counts, outlook, rng);
        let learner = self.learner.get_or_insert_with(|| {
            let seed = Seed(rng.below(usize::MAX) as u64);
            Box::new(Learner::new(&self.settings, seed))
        });
        let row = learner.draw(&list, rng);
        self.make(list, row, rng);
        Choice::Offer(places[row])
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16, origin: Origin) {
        if origin == Origin::Device {
            self.is_recalling = false;
            let list = Arc::new(self.rows.of_winner(now(situation), taken, &self.counts));
            self.remember(After::Choice(list.clone()));
            self.last = Some(Made { list, row: 0 });
        }
    }

    fn learn(&mut self, transition: &Transition<'_>, rng: &mut Rng) -> Explanation {
        let Scene { offers, .. } = transition.from.scene;
        self.counts.add(transition.from.scene, &offers[usize::from(transition.at)], transition.to);
        if self.is_recalling {
            return Explanation::default();
        }
        let Some(last) = self.last.take().filter(|_| transition.reward.is_finite()) else {
            return Explanation::default();
        };
        self.open = Some((last, transition.reward));
        match &transition.next {
            Next::Choice(_) => {}
            Next::DeadEnd | Next::Terminal => self.remember(After::End),
            Next::Truncated => {
                // The app would go on.
                let steps_left = transition.from.steps_left;
                let now = Now { scene: transition.to, phase: transition.phase, steps_left };
                match self.list_of(now, rng) {
                    Some(list) => self.remember(After::Choice(list)),
                    None => self.remember(After::End),
                }
            }
            Next::Unknown => self.open = None,
        }
        self.steps += 1;
        if let Some(learner) = &mut self.learner
            && self.steps.is_multiple_of(self.settings.every.into())
        {
            learner.update();
        }
        Explanation::default()
    }

    fn end(&mut self, origin: Origin) -> Summary {
        self.is_recalling &= origin == Origin::Experience;
        Summary::default()
    }

    fn forget(&mut self, _: Recollection) {
        // Rows say nothing of numbers of states, so what was learned stays.
        self.counts = Counts::default();
        (self.last, self.open) = (None, None);
        self.is_recalling = true;
    }
}
