//! Deep agents over offers: a network scores each offer by what it says, by what was done, and by what the formula says.
//!
//! The methods are those of ARES, with a list of offers in place of numbers that mean something else on each screen.
//! `sac` is discrete SAC (Christodoulou, 2019), its entropy relative to the choice of [`Random`](super::Random): an agent
//! that knows nothing chooses like that one, and texts for a field outweigh no buttons beside it. `ddpg` and `td3` keep the
//! critics of DDPG and TD3; a list is short, so the best offer is found by scoring each, and no actor has to propose one.

mod counts;
mod kept;
mod learner;
mod memory;
mod rows;
mod scorer;
#[cfg(test)]
mod tests;
mod words;

use std::sync::Arc;

use self::counts::Counts;
use self::kept::Weights;
use self::learner::Learner;
use self::memory::{After, Memory};
use self::rows::{List, Now, Rows};
use super::{Agent, KeptError};
use crate::rng::{Rng, Seed};
use crate::situation::{
    Choice, Explanation, Labelings, Learning, Next, Origin, Outlook, PhaseId, Recollection, Scene, Situation,
    Standing, Summary, Transition,
};

/// Method by which networks learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Soft actor-critic.
    Sac,
    /// One critic.
    Ddpg,
    /// The lesser of two critics.
    Td3,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Method::Sac => "sac",
            Method::Ddpg => "ddpg",
            Method::Td3 => "td3",
        }
    }

    fn has_actor(self) -> bool {
        self == Method::Sac
    }

    fn critics(self) -> usize {
        match self {
            Method::Ddpg => 1,
            Method::Sac | Method::Td3 => 2,
        }
    }

    fn networks(self) -> usize {
        self.critics() + usize::from(self.has_actor())
    }
}

/// Numbers of a deep agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeepSettings {
    /// Learning rate of all networks.
    pub rate: f64,
    /// Discount of a reward one step later.
    pub discount: f64,
    /// Entropy that the temperature of `sac` is tuned for, as a share of that of a random choice.
    pub entropy: f64,
    /// Share of random choices of `ddpg` and `td3`.
    pub exploration: f64,
    /// Greatest noise on the scores by which `td3` finds the best offer of a target.
    pub noise: f64,
    /// Share of the way by which targets follow.
    pub tau: f64,
    /// Updates from one move of the targets to the next.
    pub delay: u32,
    /// Transitions of an update.
    pub batch: u32,
    /// Steps from one update to the next.
    pub every: u32,
    /// Most other residuals under which each step is learned, too.
    pub residuals: u32,
}

impl DeepSettings {
    /// Numbers of `sac`, measured on made-up apps. Other residuals made it fail more often on the formulas of ChessWalk.
    pub const SAC: DeepSettings = DeepSettings {
        rate: 2e-3,
        discount: 0.7,
        entropy: 0.6,
        exploration: 0.0,
        noise: 0.0,
        tau: 0.01,
        delay: 1,
        batch: 32,
        every: 2,
        residuals: 0,
    };

    /// Numbers of `ddpg`. With half as many random choices it does not get anywhere before the first reward.
    pub const DDPG: DeepSettings = DeepSettings { exploration: 0.4, residuals: 8, ..DeepSettings::SAC };

    /// Numbers of `td3`.
    pub const TD3: DeepSettings = DeepSettings { noise: 0.2, delay: 2, ..DeepSettings::DDPG };
}

/// Choice that was made, as it is remembered.
#[derive(Clone, Debug)]
struct Made {
    list: Arc<List>,
    row: usize,
    phase: PhaseId,
}

/// Step that is over, to be learned under other residuals as soon as the formula can be asked.
#[derive(Clone, Debug)]
struct Past {
    made: Made,
    /// Choice after the step.
    next: Arc<List>,
}

/// Chooses among offers by networks that learn.
#[derive(Clone, Debug)]
pub struct Deep {
    method: Method,
    settings: DeepSettings,
    counts: Counts,
    rows: Rows,
    /// Networks of another run, to start from.
    kept: Option<Weights>,
    learner: Option<Box<Learner>>,
    last: Option<Made>,
    /// Step whose next choice is not known yet.
    open: Option<(Made, f64)>,
    past: Option<Past>,
    /// Phases of the latest choices, each once, the latest last.
    phases: Vec<PhaseId>,
    steps: u64,
    /// True while steps of the past are counted anew.
    is_recalling: bool,
}

impl Deep {
    /// Returns an agent that has learned nothing yet.
    pub fn new(method: Method, settings: DeepSettings) -> Deep {
        Deep {
            method,
            settings,
            counts: Counts::default(),
            rows: Rows::default(),
            kept: None,
            learner: None,
            last: None,
            open: None,
            past: None,
            phases: Vec::new(),
            steps: 0,
            is_recalling: false,
        }
    }

    /// Notes a choice, which follows the step before.
    fn make(&mut self, made: Made) {
        if let Some((before, _)) = &self.open {
            self.past = Some(Past { made: before.clone(), next: made.list.clone() });
        }
        self.remember(After::Choice(made.list.clone()));
        self.last = Some(made);
    }

    /// Remembers the open step with what came after it.
    fn remember(&mut self, after: After) {
        if let (Some((Made { list, row, .. }, reward)), Some(learner)) = (self.open.take(), &mut self.learner)
        {
            learner.remember(Memory { list, row, reward, after });
        }
    }

    /// Remembers the past step as it would have been in other phases of the formula, which is known without the device.
    fn remember_in_other_phases(&mut self, outlook: &mut dyn Outlook) {
        let (Some(Past { made, next }), Some(learner)) = (self.past.take(), &mut self.learner) else {
            return;
        };
        let class = made.list.rows[made.row].class;
        for &phase in self.phases.iter().filter(|&&phase| phase != made.phase) {
            let after = outlook.after(phase, class, next.look);
            let reward = outlook.reward(phase, after);
            let Some((list, row)) = self.rows.in_phase(&made.list, Some(made.row), phase, outlook) else {
                continue;
            };
            let after = match outlook.standing(after) {
                Standing::Open(_) => self.rows.in_phase(&next, None, after, outlook),
                Standing::Won | Standing::Lost => None,
            };
            let after = after.map_or(After::End, |(list, _)| After::Choice(list));
            learner.remember(Memory { list, row, reward, after });
        }
    }

    /// Notes the phase of a choice.
    fn note_phase(&mut self, phase: PhaseId) {
        let most = self.settings.residuals as usize;
        if most > 0 && self.phases.last() != Some(&phase) {
            self.phases.retain(|known| *known != phase);
            self.phases.push(phase);
            // Its own phase is no other.
            let many = self.phases.len().saturating_sub(most + 1);
            self.phases.drain(..many);
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

impl Agent for Deep {
    fn begin(&mut self) {
        self.counts.begin();
        (self.last, self.open) = (None, None);
    }

    fn choose(
        &mut self,
        situation: &Situation<'_>,
        mut outlook: Option<&mut dyn Outlook>,
        rng: &mut Rng,
    ) -> Choice {
        self.is_recalling = false;
        let phase = situation.phase;
        let seen = outlook.as_mut().map(|outlook| &mut **outlook as &mut dyn Outlook);
        let (list, places) = self.rows.list(now(situation), situation.preferred, &self.counts, seen, rng);
        let learner = self.learner.get_or_insert_with(|| {
            let seed = Seed(rng.below(usize::MAX) as u64);
            Box::new(Learner::new(self.method, &self.settings, self.kept.as_ref(), seed))
        });
        let row = learner.draw(&list, rng);
        let place = places[row];
        let (list, row) = List::thinned(list, row, rng);
        // A step that ended an episode is past already.
        self.make(Made { list, row, phase });
        if let Some(outlook) = outlook {
            self.remember_in_other_phases(outlook);
            self.note_phase(phase);
        }
        Choice::Offer(place)
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16, origin: Origin) {
        if origin == Origin::Device {
            self.is_recalling = false;
            let list = Arc::new(self.rows.of_winner(now(situation), taken, &self.counts));
            self.make(Made { list, row: 0, phase: situation.phase });
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
        let next = match &transition.next {
            Next::Choice(_) | Next::Unknown => None,
            Next::DeadEnd | Next::Terminal | Next::Truncated => {
                let steps_left = transition.from.steps_left;
                self.list_of(Now { scene: transition.to, phase: transition.phase, steps_left }, rng)
            }
        };
        if let (Some((made, _)), Some(next)) = (&self.open, &next) {
            self.past = Some(Past { made: made.clone(), next: next.clone() });
        }
        match (&transition.next, next) {
            (Next::Choice(_), _) => {}
            (Next::Unknown, _) => self.open = None,
            // The app would go on.
            (Next::Truncated, Some(list)) => self.remember(After::Choice(list)),
            (Next::DeadEnd | Next::Terminal | Next::Truncated, _) => self.remember(After::End),
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

    fn learning(&self) -> Option<Learning> {
        self.learner.as_ref().map(|learner| learner.learning())
    }

    fn forget(&mut self, _: Recollection) {
        // Rows say nothing of numbers of states, so what was learned stays.
        self.counts = Counts::default();
        (self.last, self.open, self.past) = (None, None, None);
        self.is_recalling = true;
    }

    fn save(&self, _: &dyn Labelings) -> Vec<u8> {
        match &self.learner {
            Some(learner) => kept::write(self.method, &learner.weights()),
            None => self.kept.as_ref().map_or_else(Vec::new, |kept| kept::write(self.method, kept)),
        }
    }

    fn load(&mut self, kept: &[u8], _: &mut dyn Labelings) -> Result<(), KeptError> {
        self.kept = if kept.is_empty() { None } else { Some(kept::read(self.method, kept)?) };
        Ok(())
    }
}
