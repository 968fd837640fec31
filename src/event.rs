//! Events: what happens while specs are checked and tests are replayed, as plain values in a row.
//!
//! All reports are made from them, while a run goes on or long after: a run's folder holds them as JSON lines. They speak
//! in the words of people (residuals, atoms, actions as they are printed), so that a reader needs nothing else.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::gui::{Action, Bounds, Screen};
use crate::rate::Rate;
use crate::spec::Expectation;
use crate::trace::{Notice, Step};

/// The version of the form in which events are written; a later one is refused.
pub const FORMAT: u32 = 1;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// A run of a command began; the first of all.
    RunBegan(RunBegan),
    /// A screen that was not seen before; the first has the number 0, and so on.
    ScreenMet {
        /// Its number.
        screen: usize,
        /// What was seen.
        seen: Arc<Screen>,
    },
    /// Work on a spec, or on a stored test, began; the first has the number 0, and so on.
    SpecBegan(SpecBegan),
    /// An episode of the search for a spec is over.
    EpisodeEnded {
        /// The number of the spec.
        spec: usize,
        /// Which episode, from 1.
        episode: u32,
        /// The steps on the device so far.
        steps: u64,
        /// The fewest steps that were left to the goal so far, whatever the app.
        closest: Option<u32>,
    },
    /// A spec is decided.
    SpecEnded(Box<SpecEnded>),
    /// The run of the command is over; the last of all.
    RunEnded {
        /// The exit code.
        exit: u8,
    },
}

/// What runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunBegan {
    /// See [`FORMAT`].
    pub format: u32,
    /// The version of farlead.
    pub farlead: String,
    /// The command: `check` or `replay`.
    pub command: String,
    /// The device, in a few words.
    pub device: String,
    /// The package of the app.
    pub package: String,
    /// The version of the app.
    pub version: String,
    /// Where chance comes from.
    pub seed: u64,
}

/// What is asked of the app.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecBegan {
    /// Its number.
    pub spec: usize,
    /// The file it is from, as the user has named it.
    pub file: String,
    /// The line there it starts in, from 1.
    pub line: usize,
    /// Its name.
    pub name: String,
    /// What is expected: `possible`, `never` or `must`.
    pub expectation: String,
    /// Its formula.
    pub formula: String,
    /// Who searches; empty where nobody does.
    pub agent: String,
    /// The most steps of an episode, the start included.
    pub steps_max: u32,
    /// The most episodes; 0 where nobody searches.
    pub episodes_max: u32,
    /// What the formula may still ask for, if that is little enough to be drawn.
    pub automaton: Option<Automaton>,
}

/// The residuals of a formula, and the ways between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Automaton {
    /// The start first.
    pub residuals: Vec<Residual>,
    /// In the order of where they come from.
    pub ways: Vec<Way>,
}

/// What a formula still asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Residual {
    /// As it is printed.
    pub text: String,
    /// Whether a run that ends here satisfies the formula.
    pub satisfied: bool,
}

/// A way between two things that have numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Way {
    /// Where it comes from.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// By what: the labels of a step, or an action.
    pub by: String,
    /// How often it was taken, where that is counted.
    #[serde(default)]
    pub times: u64,
}

/// What became of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// As the spec expects.
    Met,
    /// A run does what must not be.
    Broken,
    /// No run was found; there may be one.
    GaveUp,
    /// There is no run.
    Impossible,
    /// Nothing forbidden was found, but little of what the spec guards against was ever seen.
    Untested,
    /// Now it is met, now it is not.
    Flaky,
    /// It could not be looked.
    Error,
}

impl Outcome {
    /// The outcome as reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Met => "met",
            Outcome::Broken => "broken",
            Outcome::GaveUp => "gave_up",
            Outcome::Impossible => "impossible",
            Outcome::Untested => "untested",
            Outcome::Flaky => "flaky",
            Outcome::Error => "error",
        }
    }

    /// Returns what became of a spec that expects this and was looked at as far as was asked for: by whether a run was
    /// found, whether it is known that there is none, and how often each atom held.
    pub fn of(expectation: Expectation, found: bool, is_proven: bool, held: &[u64]) -> Outcome {
        match (expectation, found) {
            (Expectation::Possible, true) => Outcome::Met,
            (Expectation::Possible, false) if is_proven => Outcome::Impossible,
            (Expectation::Possible, false) => Outcome::GaveUp,
            (Expectation::Never | Expectation::Must, true) => Outcome::Broken,
            // One atom may be what the spec guards against.
            (Expectation::Never | Expectation::Must, false) if !is_proven && unseen(held) >= 2 => {
                Outcome::Untested
            }
            (Expectation::Never | Expectation::Must, false) => Outcome::Met,
        }
    }
}

fn unseen(held: &[u64]) -> usize {
    held.iter().filter(|&&times| times == 0).count()
}

/// What became of a spec, and how that is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecEnded {
    /// Its number.
    pub spec: usize,
    /// What became of it.
    pub outcome: Outcome,
    /// How that is known, in a sentence without its start.
    pub why: String,
    /// The exit code if this were all.
    pub exit: u8,
    /// What the user may do about it.
    pub advice: Vec<String>,
    /// The episodes of the search.
    pub episodes: u32,
    /// The steps of the search on the device, the first of each episode included.
    pub steps: u64,
    /// The time that passed on the device.
    pub device_ms: u64,
    /// The run that decides it, if there is one.
    pub run: Vec<StepTaken>,
    /// How many steps that run had before it was made short.
    pub found_steps: Option<usize>,
    /// How often that run did it again, of how often it was tried.
    pub confirmed: Option<Rate>,
    /// Where the run is kept as a test, from the folder of the project.
    pub test: Option<String>,
    /// How a replay of a stored test went.
    pub replay: Option<Replayed>,
    /// How far the search came.
    pub reach: Option<Reached>,
    /// The screens that were met for it, and how one leads to another, as far as there is room.
    pub map: Vec<Way>,
}

impl SpecEnded {
    /// Returns an end of which no more is known than its outcome.
    pub fn new(outcome: Outcome, why: impl Into<String>, exit: u8) -> SpecEnded {
        SpecEnded {
            spec: 0,
            outcome,
            why: why.into(),
            exit,
            advice: Vec::new(),
            episodes: 0,
            steps: 0,
            device_ms: 0,
            run: Vec::new(),
            found_steps: None,
            confirmed: None,
            test: None,
            replay: None,
            reach: None,
            map: Vec::new(),
        }
    }
}

/// How replays of a stored test went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replayed {
    /// How often it held.
    pub rate: Rate,
    /// How the first that did not hold went, else the last.
    pub verdict: ReplayVerdict,
    /// The step at which it broke or diverged.
    pub step: Option<usize>,
    /// What was expected there.
    pub expected: Option<String>,
    /// What was there in its place.
    pub actual: Option<String>,
    /// The widget that comes nearest to the one that was not found.
    pub nearest: Option<String>,
}

/// How a replay went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayVerdict {
    /// It did what the test says.
    Held,
    /// All of it could be done, and something else came of it.
    Broke,
    /// A step could not be done.
    Diverged,
}

impl ReplayVerdict {
    /// The verdict as reports name it.
    pub fn name(self) -> &'static str {
        match self {
            ReplayVerdict::Held => "held",
            ReplayVerdict::Broke => "broke",
            ReplayVerdict::Diverged => "diverged",
        }
    }
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepTaken {
    /// What was done.
    pub action: ActionDone,
    /// The number of the screen it led to.
    pub screen: usize,
    /// The device's clock, in milliseconds since the app was started afresh.
    pub at_ms: u64,
    /// What came up and is no part of the screen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// The formula's atoms that hold at the step.
    pub labels: Vec<Arc<str>>,
    /// What the formula still asks for.
    pub residual: Arc<str>,
    /// What the step was worth.
    pub reward: f64,
    /// Why it was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Arc<str>>,
    /// What came of it that was not known before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Arc<str>>,
}

impl StepTaken {
    /// Returns `step`, which led to the screen of this number.
    pub fn new(step: &Step, screen: usize) -> StepTaken {
        StepTaken {
            action: ActionDone::new(&step.action),
            screen,
            at_ms: step.observation.at_ms,
            notices: step.observation.notices.to_vec(),
            labels: step.labels.clone(),
            residual: step.remaining.clone(),
            reward: step.reward,
            why: step.why.clone(),
            learned: step.learned.clone(),
        }
    }
}

/// An action as reports say it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionDone {
    /// Its type.
    #[serde(rename = "type")]
    pub action_type: Arc<str>,
    /// The first of its details; may be empty.
    pub detail: Arc<str>,
    /// The place in the tree of the widget it was done on.
    #[serde(rename = "objectID")]
    pub object_id: Option<Arc<str>>,
    /// Where that widget was.
    pub bounds: Option<Bounds>,
    /// The whole of it as it is printed.
    pub shown: String,
}

impl ActionDone {
    /// Returns `action` as reports say it.
    pub fn new(action: &Action) -> ActionDone {
        let target = action.target();
        ActionDone {
            action_type: action.type_name().into(),
            detail: action.detail().into(),
            object_id: target.map(|target| target.object_id.clone()),
            bounds: target.map(|target| target.bounds),
            shown: action.to_string(),
        }
    }
}

/// How far a search came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reached {
    /// The formula's atoms, and at how many steps each held.
    pub held: Vec<(String, u64)>,
    /// Of atoms that never held, what was seen where they look.
    pub hints: Vec<(String, String)>,
    /// The residual that was closest to the goal, and how many steps it would take from there at least.
    pub closest: Option<(String, u32)>,
    /// How many screens were met.
    pub screens: usize,
    /// How often the app was started, and how often it crashed doing so.
    pub starts: u64,
    /// See [`Reached::starts`].
    pub starts_crashed: u64,
    /// Some of the actions that were offered and never tried.
    pub never_tried: Vec<String>,
    /// How many there are of them in all.
    pub never_tried_count: usize,
    /// How often the app answered otherwise than before to the same actions since its start.
    pub surprises: u64,
}
