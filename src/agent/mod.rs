//! Agents: who picks the next action.
//!
//! An agent sees numbers: which screen this is, what is left of the formula, which actions there are. It learns from
//! rewards. Devices and formulas are met in an [episode](crate::episode) alone, which gives every agent the same.

mod farlead;
mod qlearning;
mod random;
mod tree;

use crate::rng::Rng;

pub use farlead::{Farlead, FarleadSettings, Knowledge};
pub use qlearning::QLearning;
pub use random::Random;
pub use tree::Tree;

/// A screen by its looks; the one before the app is started has a number too.
pub type ScreenId = u32;
/// An action by its type, the widget it is done on, what that is called, and what is typed.
pub type ActionId = u32;
/// An action by its type, what its widget is called, and what is typed: wherever it is offered.
pub type LabelingId = u32;
/// What is left of the formula.
pub type ResidualId = u32;

/// An action that a screen offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Which action it is.
    pub action: ActionId,
    /// What it has in common with such actions elsewhere.
    pub labeling: LabelingId,
}

/// What an agent knows when it has to choose.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// What is seen.
    pub screen: ScreenId,
    /// What is left of the formula.
    pub residual: ResidualId,
    /// How many steps the episode has left, this one included.
    pub steps_left: u32,
    /// What the screen offers; the same screen always offers the same, in the same order.
    pub offers: &'a [Offer],
    /// The places in `offers` that may be chosen, in their order; at least one. The others lose, as their labels say.
    pub candidates: &'a [u16],
    /// The candidates to choose from this time; at least one.
    pub preferred: &'a [u16],
}

/// What came of an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lesson {
    /// What it was worth.
    pub reward: f64,
    /// What was seen then.
    pub screen: ScreenId,
    /// What is left of the formula then.
    pub residual: ResidualId,
    /// Whether the episode ends here; if not, there is another choice.
    pub ends: bool,
}

/// Someone who picks actions.
pub trait Agent: Send {
    /// An episode begins.
    fn begin(&mut self) {}

    /// Returns one of the preferred candidates: a place in the offers.
    fn choose(&mut self, situation: &Situation<'_>, rng: &mut Rng) -> u16;

    /// Takes notice of what came of the last choice, also if it was taken by the [episode](crate::episode) itself.
    fn learn(&mut self, lesson: &Lesson, rng: &mut Rng);

    /// Another choice than the one asked for was made: this place in the offers.
    fn note(&mut self, situation: &Situation<'_>, taken: u16);

    /// The last choice led to where every action loses, as their labels say.
    fn learn_dead_end(&mut self, rng: &mut Rng);

    /// The episode is over; what was begun is brought to its end.
    fn end(&mut self) {}

    /// Whether everything that could be tried has been, if the app always answers alike.
    fn is_exhausted(&self) -> bool {
        false
    }

    /// What it has learned that can be of use next time.
    fn knowledge(&self) -> Knowledge {
        Knowledge::default()
    }
}
