//! Objectives: the verdict and the reward of each step.
//!
//! An objective sees screens and actions and answers in numbers; it knows neither the agent that is rewarded nor the
//! device. Three are here: a [`Formula`] to satisfy, [`Activities`] to reach, and [`Exploration`].

mod activities;
mod exploration;
mod formula;
mod kept;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::gui::{Action, Key, Link, Screen};
use crate::ltl::Interval;
use crate::situation::{ClassId, Forecast, LinkId, LookId, Origin, Outlook, PhaseId};
use crate::trace::Observation;

pub use activities::Activities;
pub use exploration::{Exploration, Pays};
pub use formula::{Assessment, Formula, Shaping};
pub use kept::KeptValues;

/// Aim of a run, which turns each step into a verdict and a reward.
///
/// Phases are numbered from [`PhaseId::START`]; a phase says everything about the steps so far that later verdicts and
/// rewards depend on.
pub trait Objective {
    /// Returns the number of all that the objective sees of a step and neither its action nor the screen after it shows.
    /// `interval` has the times of the screen before and of the screen after.
    fn link(&mut self, _link: Link<'_>, _interval: Interval) -> LinkId {
        LinkId::default()
    }

    /// Returns the number of `screen`, with its `link` to the step before, among those that are the same to this objective;
    /// without a screen, the number of the time before the app is started.
    fn look(&mut self, screen: Option<&Screen>, link: LinkId) -> LookId;

    /// Returns the mark of a look; looks that differ have different ones. It is the number of the look, unless the
    /// objective knows one that is the same in every run.
    fn sign(&self, look: LookId) -> u64 {
        look.0.into()
    }

    /// Returns the number of `action` among those that are the same to this objective.
    fn class(&mut self, action: &Action) -> ClassId;

    /// Judges a step that starts in the phase `from`.
    fn step(&mut self, from: PhaseId, moment: &Moment<'_>) -> Judgement;

    /// Returns the reward of a step in which the agent chose nothing that the screen offers.
    fn reward_of_nothing(&self) -> f64 {
        0.0
    }

    /// Returns what the class of an action alone foretells of a step.
    fn forecast(&mut self, _from: PhaseId, _class: ClassId) -> Forecast {
        Forecast::Open
    }

    /// Returns a model of steps nobody has taken yet, if this objective can look ahead.
    fn outlook(&mut self) -> Option<&mut dyn Outlook> {
        None
    }

    /// Returns, for each of the `actions` of a screen, the conditions, of the first 64, that share words with its widget
    /// and with few others.
    fn hints(&self, actions: &[Action]) -> Vec<u64> {
        vec![0; actions.len()]
    }

    /// Returns true if a condition reads `key`.
    fn reads(&self, _key: Key) -> bool {
        false
    }

    /// Returns true if a verdict depends on which texts the run itself has typed.
    fn heeds_typed(&self) -> bool {
        false
    }

    /// Returns the period of the device's clock on which verdicts depend: times that differ by a multiple of it lead to the
    /// same verdicts. None if no verdict depends on the time.
    fn clock_period_ms(&self) -> Option<u64> {
        None
    }

    /// Returns the names of the conditions that hold at a step from the phase `from`, by an action of `class` to a screen of
    /// `look`.
    fn labels(&self, from: PhaseId, class: ClassId, look: LookId) -> Vec<Arc<str>>;

    /// Returns the names of all conditions, by their numbers.
    fn conditions(&self) -> &[Arc<str>];

    /// Returns the rest of the objective in `phase`, in words.
    fn remaining(&self, phase: PhaseId) -> String;

    /// Returns the fewest steps that were left at any time so far, whatever the app.
    fn closest(&self) -> Option<u32>;

    /// Reports how far the steps on the device came. `words` returns the words seen where a key looks.
    fn report(&self, words: &dyn Fn(Key) -> BTreeSet<String>) -> Report;
}

/// Step to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Action of the step.
    pub action: &'a Action,
    /// Class of the action.
    pub class: ClassId,
    /// Screen after the step, its time, and its notices; a recalled step has the screen alone.
    pub seen: Seen<'a>,
    /// Look of that screen.
    pub look: LookId,
    /// True if the abstract state of the screen is met for the first time.
    pub is_new: bool,
}

/// Screen after a step, with as much as is known of it.
#[derive(Clone, Copy, Debug)]
pub enum Seen<'a> {
    /// Seen on the device now, this long after the step before.
    Now(&'a Observation, u64),
    /// Recalled; experience keeps neither clock nor notices.
    Recalled(&'a Screen),
}

impl Seen<'_> {
    /// Returns the screen.
    pub fn screen(&self) -> &Screen {
        match self {
            Seen::Now(observation, _) => &observation.screen,
            Seen::Recalled(screen) => screen,
        }
    }

    /// Returns the time that passed on the device's clock, if it is known.
    pub fn elapsed_ms(&self) -> Option<u64> {
        match self {
            Seen::Now(_, elapsed_ms) => Some(*elapsed_ms),
            Seen::Recalled(_) => None,
        }
    }

    /// Returns the source of the step.
    pub fn origin(&self) -> Origin {
        match self {
            Seen::Now(..) => Origin::Device,
            Seen::Recalled(_) => Origin::Experience,
        }
    }
}

/// Judgement of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Phase after the step.
    pub next: PhaseId,
    /// Verdict on the run so far.
    pub verdict: Verdict,
    /// Reward of the step.
    pub reward: f64,
    /// Fewest steps left, whatever the app; none if there is no way.
    pub distance: Option<u32>,
}

/// Verdict on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The objective is reached.
    Won,
    /// The objective can still be reached.
    Open,
    /// The objective is out of reach.
    Lost,
}

/// Report of how far a search came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Conditions, and the number of steps at which each held.
    pub held: Vec<(String, u64)>,
    /// Conditions that never held, each with the words seen where it looks.
    pub hints: Vec<(String, String)>,
    /// Rest of the objective where it was closest, and the fewest steps left there.
    pub closest: Option<(String, u32)>,
}
