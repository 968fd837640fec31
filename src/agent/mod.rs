//! Agents: who picks the next action.
//!
//! An agent sees numbers: which screen this is, what is left of the formula, which actions there are. It learns from
//! rewards. Devices and formulas are met in an [episode](crate::episode) alone, which gives every agent the same.

mod farlead;
mod planner;
mod qlearning;
mod random;
mod tree;

use std::sync::Arc;

use crate::rng::Rng;

pub use farlead::{Farlead, FarleadSettings, Knowledge};
pub use planner::{Planner, PlannerSettings};
pub use qlearning::QLearning;
pub use random::Random;
pub use tree::Tree;

/// A screen by its looks; the one before the app is started has a number too.
pub type ScreenId = u32;
/// Screens of the same activity.
pub type ActivityId = u32;
/// Screens on which the same atoms of the formula hold.
pub type LookId = u32;
/// An action by its type, the widget it is done on, what that is called, and what is typed.
pub type ActionId = u32;
/// An action by its type, what its widget is called, and what is typed: wherever it is offered.
pub type LabelingId = u32;
/// An action by its type, where in the tree its widget is, and what is typed: whatever that is called.
pub type SpotId = u32;
/// Actions of which the same atoms of the formula hold.
pub type ClassId = u32;
/// What is left of the formula.
pub type ResidualId = u32;

/// An action that a screen offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Which action it is.
    pub action: ActionId,
    /// What it has in common with actions of the same name.
    pub labeling: LabelingId,
    /// What it has in common with actions in the same place.
    pub spot: SpotId,
    /// What the formula says of it.
    pub class: ClassId,
    /// Whether its widget is called something.
    pub has_name: bool,
    /// The atoms, of the first 64, that share a word with what its widget is called.
    pub hints: u64,
    /// What it does in most apps.
    pub habit: Habit,
}

/// What an action does in most apps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Habit {
    /// Anything.
    Any,
    /// The screen stays as it is.
    Stays,
    /// It stays as it is, as far as anybody can tell before.
    MostlyStays,
    /// What was seen before comes back.
    Back,
    /// The screen stays, and these are its labels then.
    Becomes(LookId),
}

/// A screen in numbers.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Which it is.
    pub screen: ScreenId,
    /// Of which activity.
    pub activity: ActivityId,
    /// Which atoms hold on it.
    pub look: LookId,
    /// How it is built, see [`Outline`](crate::gui::Outline).
    pub frame: u64,
    /// Where something is said on it, and what; empty for agents that do not [look closely](crate::search::AgentKind::looks_closely).
    pub contents: &'a [(u64, u64)],
    /// What it offers; the same screen always offers the same, in the same order.
    pub offers: &'a Arc<[Offer]>,
}

/// What an agent knows when it has to choose.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// What is seen.
    pub scene: Scene<'a>,
    /// What is left of the formula.
    pub residual: ResidualId,
    /// How many steps the episode has left, this one included.
    pub steps_left: u32,
    /// The places in the offers that may be chosen, in their order; at least one. The others lose, as their labels say.
    pub candidates: &'a [u16],
    /// The candidates to choose from this time; at least one.
    pub preferred: &'a [u16],
}

/// What came of an action.
#[derive(Clone, Copy, Debug)]
pub struct Lesson<'a> {
    /// What it was worth.
    pub reward: f64,
    /// What was seen then.
    pub scene: Scene<'a>,
    /// What is left of the formula then.
    pub residual: ResidualId,
    /// Whether the episode ends here; if not, there is another choice.
    pub ends: bool,
}

/// How a run stands by what is left of the formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The goal is reached.
    Won,
    /// It can still be reached, in so many steps at least.
    Open(u32),
    /// It cannot be reached any more.
    Lost,
}

/// What a step could lead to at best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// What would be left of the formula then.
    pub residual: ResidualId,
    /// How the run would stand.
    pub standing: Standing,
    /// The atoms, of the first 64, that would have to come to hold.
    pub gained: u64,
    /// How many atoms would have to change.
    pub changes: u32,
    /// Whether it takes another activity.
    pub moves: bool,
}

/// Why an agent chose what it chose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reason {
    /// What the guess rests on.
    pub ground: Ground,
    /// The chance to reach the goal in the steps left, as it is guessed.
    pub chance: f64,
    /// Among how many it was chosen.
    pub choices: usize,
    /// The atoms, of the first 64, that it may bring, as what its widget is called says.
    pub hinted: u64,
}

/// What is known of an action before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// Its labels alone reach the goal.
    Wins,
    /// It was done so often in this very run.
    Walked(u32),
    /// It was done in runs that differ from this one in nothing that was seen.
    AlikeRuns(u32),
    /// It was done in the same place in so many other runs.
    OtherRuns(u32),
    /// Its like was done in so many other places of the activity.
    OtherPlaces(u32),
    /// It is known what such actions do in most apps.
    Habit(Habit),
    /// Nothing.
    Unknown,
    /// All was tried: it is asked whether the app still answers alike.
    Again,
}

/// What came of a step that was not known before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A screen never seen.
    NewScreen,
    /// In this run it led to a screen seen before.
    NewWay,
    /// In this run it changed nothing.
    Stays,
    /// In this run it changed nothing but what has proven not to matter.
    Details,
    /// It did what it did before in this very run.
    AsKnown,
    /// It did something else than before in this very run: the app does not always answer alike.
    Otherwise,
}

/// What a formula says of steps that were not taken yet.
pub trait Outlook {
    /// Returns what is left of `residual` after a step by an action of `class` to a screen of `look`.
    fn after(&mut self, residual: ResidualId, class: ClassId, look: LookId) -> ResidualId;

    /// Returns how a run stands of which `residual` is left.
    fn standing(&mut self, residual: ResidualId) -> Standing;

    /// How many classes of actions were met so far; they are numbered from 0.
    fn classes(&self) -> ClassId;

    /// Appends what a step by an action of `class` from a screen of `look` could lead to at best, the nearest to the
    /// goal first.
    fn wishes(&mut self, residual: ResidualId, class: ClassId, look: LookId, wishes: &mut Vec<Wish>);
}

/// Someone who picks actions.
pub trait Agent: Send {
    /// An episode begins.
    fn begin(&mut self) {}

    /// Returns one of the candidates, one of the preferred if it makes no difference: a place in the offers.
    fn choose(&mut self, situation: &Situation<'_>, outlook: &mut dyn Outlook, rng: &mut Rng) -> u16;

    /// Takes notice of what came of the last choice, also if it was taken by the [episode](crate::episode) itself.
    fn learn(&mut self, lesson: &Lesson<'_>, rng: &mut Rng);

    /// Another choice than the one asked for was made: this place in the offers.
    fn note(&mut self, situation: &Situation<'_>, taken: u16);

    /// The last choice led to where every action loses, as their labels say.
    fn learn_dead_end(&mut self, rng: &mut Rng);

    /// The episode is over; what was begun is brought to its end.
    fn end(&mut self) {}

    /// Why the last choice was made, if it was weighed.
    fn reason(&self) -> Option<Reason> {
        None
    }

    /// What the last lesson taught, if it is kept.
    fn remark(&self) -> Option<Remark> {
        None
    }

    /// How often the app answered otherwise than before to the same actions since its start, as far as was noticed.
    fn surprises(&self) -> u64 {
        0
    }

    /// Whether everything that could be tried has been, if the app always answers alike.
    fn is_exhausted(&self) -> bool {
        false
    }

    /// What it has learned that can be of use next time.
    fn knowledge(&self) -> Knowledge {
        Knowledge::default()
    }
}
