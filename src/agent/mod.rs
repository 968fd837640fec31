//! Agents: the choice of the next action, and what is learned from its outcome.
//!
//! An agent sees [situations](crate::situation) and learns from transitions between them. Devices, formulas and
//! abstractions are met in an [episode](crate::episode) alone, which treats every agent alike.

mod ape;
mod boxed;
mod deep;
mod dino;
mod farlead;
mod goals;
mod groups;
mod knob;
mod latest;
mod least;
mod monkey;
mod numbered;
mod planner;
mod portfolio;
pub mod qbe;
mod qlearning;
mod random;
mod table;
#[cfg(test)]
pub(crate) mod tests;
mod tree;
mod weights;

use crate::rng::Rng;
use crate::situation::{
    Choice, Explanation, Labelings, Learning, Origin, Outlook, Paths, Recollection, Situation, Summary,
    Transition,
};

pub use ape::{Ape, ApeSettings};
pub use boxed::{BoxDdpg, BoxSac, BoxTd3, Boxed, BoxedSettings};
pub use deep::{Deep, DeepSettings, Method};
pub use dino::{Dino, DinoSettings};
pub use farlead::{Farlead, FarleadSettings};
pub use knob::Knob;
pub use least::Least;
pub use monkey::Monkey;
pub use numbered::{Letter, Numbered};
pub use planner::{Planner, PlannerSettings};
pub use portfolio::{Member, Members, Portfolio};
pub use qbe::Qbe;
pub use qlearning::{QLearning, QLearningSettings};
pub use random::Random;
pub use table::{
    AGENTS, APE, ARES_DDPG, ARES_QLEARNING, ARES_RANDOM, ARES_SAC, ARES_TD3, AgentInfo, DDPG, DINO, DINO2,
    FARLEAD, FATE_DDPG, FATE_QLEARNING, FATE_RANDOM, FATE_SAC, FATE_TD3, Kept, LEAST, MONKEY, Needs, PLANNER,
    QBE, QLEARNING, RANDOM, SAC, Settings, TD3, TREE, find, newest,
};
pub use tree::Tree;

/// Chooser of actions.
///
/// The least an agent does is to choose; all else has a default that does nothing.
pub trait Agent: Send {
    /// Begins an episode.
    fn begin(&mut self) {}

    /// Begins a recalled episode whose first steps are forgotten, so it is not at the start of the app.
    fn begin_amid(&mut self) {
        self.begin();
    }

    /// Returns one of the candidates, of the preferred ones if it makes no difference, or nothing. `outlook` is the
    /// objective's model of steps to come, if it has one.
    fn choose(
        &mut self,
        situation: &Situation<'_>,
        outlook: Option<&mut dyn Outlook>,
        rng: &mut Rng,
    ) -> Choice;

    /// Returns the time that passes on the device after each of its choices.
    fn throttle_ms(&self) -> u32 {
        0
    }

    /// Takes notice that another made the choice `taken`: the episode, or whoever acted in the experience.
    fn note(&mut self, _situation: &Situation<'_>, _taken: u16, _origin: Origin) {}

    /// Learns from the outcome of the last choice, and explains both if it can.
    fn learn(&mut self, _transition: &Transition<'_>, _rng: &mut Rng) -> Explanation {
        Explanation::default()
    }

    /// Learns the effect of a recalled step that no run of this search can come to in the same way. Its phase and reward say
    /// nothing, and `begin`, `note` and `end` are not called for it.
    fn learn_aside(&mut self, _transition: &Transition<'_>) {}

    /// Learns the reward of a choice of nothing: the situation is as before.
    fn learn_nothing(&mut self, _situation: &Situation<'_>, _reward: f64) {}

    /// Ends an episode. Rates that decrease with episodes stay as they are if it was recalled.
    fn end(&mut self, _origin: Origin) -> Summary {
        Summary::default()
    }

    /// Returns the counts of the paths that it has decided on, if it decides on any.
    fn paths(&self) -> Option<Paths> {
        None
    }

    /// Returns how its networks learn, if it has some.
    fn learning(&self) -> Option<Learning> {
        None
    }

    /// Forgets all that was learned of states and their actions, as they have other numbers now; `recollection` of the
    /// past follows as transitions.
    fn forget(&mut self, _recollection: Recollection) {}

    /// Returns what is of use in the next search, as bytes that [`load`](Agent::load) reads.
    fn save(&self, _labelings: &dyn Labelings) -> Vec<u8> {
        Vec::new()
    }

    /// Takes in what an agent of its kind has saved. The bytes come from outside: whatever they are, the answer is a
    /// message at worst.
    fn load(&mut self, kept: &[u8], _labelings: &mut dyn Labelings) -> Result<(), KeptError> {
        match kept {
            [] => Ok(()),
            [..] => Err(KeptError { line: 1, message: "this agent keeps nothing".to_string() }),
        }
    }
}

/// Mistake in what an agent has kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of what the agent has kept: {message}")]
pub struct KeptError {
    /// Line, from 1; 1 for an agent that keeps no lines.
    pub line: usize,
    /// Reason to refuse it.
    pub message: String,
}
