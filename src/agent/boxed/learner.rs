//! Networks of an agent with their memory, and the times at which they learn.

use super::deterministic::Deterministic;
use super::replay::{Observed, Replay, Space};
use super::sac::Sac;
use super::settings::{BoxDdpg, BoxSac, BoxTd3};
use crate::rng::{Rng, Seed};

/// Kind of learning, with its numbers.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Sac(BoxSac),
    Ddpg(BoxDdpg),
    Td3(BoxTd3),
}

/// Numbers that every kind has.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// Steps at the start whose numbers are drawn at random.
    pub starts: u32,
    /// Share of steps whose numbers are drawn at random.
    pub random: f64,
    /// Steps from some updates to the next.
    pub every: u32,
    /// Number of updates at a time.
    pub updates: u32,
    /// Steps of an update.
    pub batch: u32,
    /// Most steps that are remembered.
    pub buffer: u32,
    /// Factor of rewards.
    pub scale: f64,
}

impl Kind {
    /// Returns the numbers that every kind has.
    pub fn schedule(&self) -> Schedule {
        match *self {
            Kind::Sac(BoxSac { starts, train_freq, batch, buffer, scale, .. }) => {
                Schedule { starts, random: 0.0, every: train_freq, updates: 1, batch, buffer, scale }
            }
            Kind::Ddpg(settings) => Schedule {
                starts: 0,
                random: settings.random_exploration,
                every: settings.nb_rollout_steps,
                updates: settings.nb_train_steps,
                batch: settings.batch,
                buffer: settings.buffer,
                scale: settings.scale,
            },
            Kind::Td3(settings) => Schedule {
                starts: settings.starts,
                random: settings.random_exploration,
                every: settings.train_freq,
                updates: settings.gradient_steps,
                batch: settings.batch,
                buffer: settings.buffer,
                scale: settings.scale,
            },
        }
    }
}

/// Networks that learn.
#[derive(Clone, Debug)]
pub enum Networks {
    Sac(Box<Sac>),
    Deterministic(Box<Deterministic>),
}

/// All that learns, once there is a choice.
#[derive(Clone, Debug)]
pub struct Learner {
    pub networks: Networks,
    pub replay: Replay,
    /// Number of updates so far.
    updates: u64,
}

impl Learner {
    /// Returns networks that were trained on nothing.
    pub fn new(kind: &Kind, space: Space, seed: Seed) -> Learner {
        let networks = match kind {
            Kind::Sac(settings) => Networks::Sac(Box::new(Sac::new(settings, space, seed))),
            Kind::Ddpg(settings) => {
                Networks::Deterministic(Box::new(Deterministic::ddpg(settings, space, seed)))
            }
            Kind::Td3(settings) => {
                Networks::Deterministic(Box::new(Deterministic::td3(settings, space, seed)))
            }
        };
        let replay = Replay::new(kind.schedule().buffer as usize, seed.fork("replay"));
        Learner { networks, replay, updates: 0 }
    }

    /// Grows to `marks` marks.
    pub fn grow(&mut self, marks: usize) {
        match &mut self.networks {
            Networks::Sac(sac) => sac.grow(marks),
            Networks::Deterministic(deterministic) => deterministic.grow(marks),
        }
    }

    /// Returns an action of the policy.
    pub fn act(&mut self, observed: &Observed, rng: &mut Rng) -> Vec<f32> {
        match &mut self.networks {
            Networks::Sac(sac) => sac.act(observed, rng),
            Networks::Deterministic(deterministic) => deterministic.act(observed),
        }
    }

    /// Learns after so many steps.
    pub fn update(&mut self, kind: &Kind, space: Space, steps: u64) {
        let Schedule { starts, every, updates, batch, .. } = kind.schedule();
        if !steps.is_multiple_of(every.into()) || steps < starts.into() {
            return;
        }
        for _ in 0..updates {
            let Some(batch) = self.replay.draw(batch as usize, space) else { return };
            match &mut self.networks {
                Networks::Sac(sac) => sac.update(&batch, steps),
                Networks::Deterministic(networks) => networks.update(&batch, self.updates),
            }
            self.updates += 1;
        }
    }
}
