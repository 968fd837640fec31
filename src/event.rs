//! Events: the course of a `check` or a `replay`, as plain values in a row.
//!
//! All reports are made from events, during a run or long after it: a run's folder holds them as JSON lines. Events
//! hold residuals, atoms and actions as they are printed, so that a reader needs nothing else.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::gui::{Action, Bounds, Picture, Screen};
use crate::rate::Rate;
use crate::spec::Expectation;
use crate::trace::{Notice, Step};

/// Version of the format of events; a later one is refused.
pub const FORMAT: u32 = 4;

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Event {
    /// The run of a command began; always the first event.
    RunBegan(RunBegan),
    /// A new screen was met. Screens are numbered from 0.
    ScreenMet {
        /// Number of the screen.
        screen: usize,
        /// Screen.
        seen: Arc<Screen>,
    },
    /// A picture of a screen was taken.
    ScreenPictured {
        /// Number of the screen.
        screen: usize,
        /// Picture.
        picture: Arc<Picture>,
    },
    /// Work on a spec, or on a stored test, began. Specs are numbered from 0.
    SpecBegan(SpecBegan),
    /// An episode of the search for a spec ended.
    EpisodeEnded {
        /// Number of the spec.
        spec: usize,
        /// Number of the episode, from 1.
        episode: u32,
        /// Steps on the device so far.
        steps: u64,
        /// Fewest steps from a residual so far to the goal, whatever the app does.
        closest: Option<u32>,
    },
    /// A spec is decided.
    SpecEnded(Box<SpecEnded>),
    /// The app was explored.
    Explored(Box<Coverage>),
    /// The app was explored: its screens, kind by kind, and the ways between them.
    Mapped(Box<AppMap>),
    /// A spec has another outcome than in the run of the same command before.
    SpecChanged {
        /// Number of the spec.
        spec: usize,
        /// Outcome before, as machines read it.
        was: String,
    },
    /// The run of the command ended; always the last event.
    RunEnded {
        /// Exit code.
        exit: u8,
    },
}

/// Run of a command.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunBegan {
    /// Format of the events, see [`FORMAT`].
    pub format: u32,
    /// Version of farlead.
    pub farlead: String,
    /// Command: `check`, `replay` or `explore`.
    pub command: String,
    /// Device, in a few words.
    pub device: String,
    /// Package of the app.
    pub package: String,
    /// Version of the app.
    pub version: String,
    /// Seed of the run.
    pub seed: u64,
    /// Part of a larger run that this one is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
}

/// Part of a run that several machines share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Number of the part, from 1.
    pub part: usize,
    /// Number of parts.
    pub of: usize,
}

impl Shard {
    /// Reads a shard like `1/4`.
    pub fn parse(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((part, of)) if 1 <= part && part <= of => Ok(Shard { part, of }),
            Some(_) | None => Err("it is like 1/4, the first of four parts".to_string()),
        }
    }

    /// Returns this part of `all`: every n-th of them, so that neighbours, which often take as long, are spread.
    pub fn take<T>(self, all: Vec<T>) -> Vec<T> {
        // Machines agree on the parts without a word between them, as the order is the same on all.
        let own = |(at, one)| (at % self.of == self.part - 1).then_some(one);
        all.into_iter().enumerate().filter_map(own).collect()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.part, self.of)
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        Shard::parse(&text)
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

/// Spec, and the budget of its search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecBegan {
    /// Number of the spec.
    pub spec: usize,
    /// File of the spec, as the user has named it.
    pub file: String,
    /// Line in the file where it starts, from 1.
    pub line: usize,
    /// Name.
    pub name: String,
    /// Expectation: `possible`, `never` or `must`.
    pub expectation: String,
    /// Formula.
    pub formula: String,
    /// Agent of the search; empty where there is no search.
    pub agent: String,
    /// Most steps of an episode, the start included.
    pub steps_max: u32,
    /// Most episodes; 0 where there is no search.
    pub episodes_max: u32,
    /// Residuals that the formula can reach, if they are few enough to be drawn.
    pub automaton: Option<Automaton>,
    /// Actions that set the app up before each run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_up: Vec<String>,
    /// Steps of the scenario that the spec was written as, in plain words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenario: Vec<String>,
}

/// Residuals of a formula, and the transitions between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Automaton {
    /// Residuals; the first is the formula itself.
    pub residuals: Vec<Residual>,
    /// Transitions, in the order of the residuals that they leave.
    pub ways: Vec<Way>,
}

/// Residual of a formula.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Residual {
    /// Residual as it is printed.
    pub text: String,
    /// True if a run that ends here satisfies the formula.
    pub satisfied: bool,
}

/// A transition between two residuals or screens, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Way {
    /// Number that it leaves.
    pub from: usize,
    /// Number that it leads to.
    pub to: usize,
    /// Labels of a step, or an action.
    pub by: String,
    /// Times that it was taken, where that is counted.
    #[serde(default)]
    pub times: u64,
}

/// Coverage of an app by exploring it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Agent that explored.
    pub agent: String,
    /// Reason for the end, in words.
    pub why: String,
    /// Episodes.
    pub episodes: u32,
    /// Steps on the device, the first of each episode included.
    pub steps: u64,
    /// Steps of them in earlier runs, which this one goes on from.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub earlier_steps: u64,
    /// Time that passed on the device, in milliseconds.
    pub device_ms: u64,
    /// Activities of the app that were seen, each with the step at which it was seen first, from 1.
    pub activities: Vec<(String, u64)>,
    /// Area under the curve of activities over actions, as FATE measures it: starts of the app are no actions.
    #[serde(default)]
    pub area_under_curve: f64,
    /// Activities that the app declares and that were not seen; none if it is not known which there are.
    pub unseen: Option<Vec<String>>,
    /// Screens that were met.
    pub screens: usize,
    /// Transitions that were seen: a screen, an action, and the screen after it.
    pub transitions: usize,
    /// Actions of screens that were done.
    pub done: usize,
    /// Actions of screens that were offered and never done, as far as screens are kept.
    pub never_done_count: usize,
    /// Some of them.
    pub never_done: Vec<String>,
    /// Step that last brought something new.
    pub last_new: u64,
    /// Paths of this run, of an agent that decides on paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<PathCounts>,
    /// States of the abstraction, of one that learns which screens are alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<StateCounts>,
    /// Course of the learning, of an agent with networks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learning: Vec<Lesson>,
    /// Activities that were never seen, and actions that were never done on any screen of their activity, with their
    /// likeliest reasons, as far as there is room.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreached: Vec<Unreached>,
    /// Reasons, each with the number of actions that were never done on any screen of their activity for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<(String, u64)>,
    /// Steps, activities, screens, actions done and transitions, as they grew.
    pub curve: Vec<[u64; 5]>,
}

/// Learning of networks at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// Steps so far.
    pub steps: u64,
    /// Mean of the squared errors of a critic.
    pub loss: f64,
    /// Entropy of the policy as a share of that of a random choice, if there is a policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
}

/// Paths that an agent has decided on before it took them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathCounts {
    /// Paths; some were cut off, as the episode ended or states got other numbers.
    pub decided: u64,
    /// Paths that ended where they should.
    pub arrived: u64,
    /// Paths that led elsewhere.
    pub missed: u64,
}

/// States that an abstraction has learned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateCounts {
    /// States.
    pub count: u64,
    /// Times that it came to tell more apart.
    pub refined: u64,
    /// Times that this was taken back.
    pub coarsened: u64,
}

/// Activity that was never seen, or action that was never done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unreached {
    /// Activity, in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity: Option<String>,
    /// Action as it is printed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Screens that offer the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Likeliest reason, as machines read it.
    pub reason: String,
    /// The same in words, with what was seen.
    pub because: String,
}

/// Map of an app: its screens, or kinds of screens, and the ways between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppMap {
    /// Kinds of screens, in the order in which they were seen first.
    pub kinds: Vec<Kind>,
    /// Ways between different kinds, in their order.
    pub ways: Vec<KindWay>,
    /// Kinds that there was no room for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub kinds_left_out: u64,
    /// Ways that there was no room for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ways_left_out: u64,
    /// Abstract states, if the abstraction in use names widgets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub abstracted: Option<Box<StateMap>>,
}

/// Map of abstract states, with the decision trees that name their widgets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateMap {
    /// Name of the abstraction.
    pub abstraction: String,
    /// Reducers of the first tree: of other widgets, of those that take actions, of other rows, of rows that take actions.
    pub starts: Vec<String>,
    /// Trees that states on the map have, and those they grew from, in the order of their numbers.
    pub trees: Vec<MapTree>,
    /// States, in the order in which they were seen first.
    pub states: Vec<MapState>,
    /// Edges between different states, in their order.
    pub edges: Vec<MapEdge>,
    /// States that there was no room for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub states_left_out: u64,
    /// Edges that there was no room for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub edges_left_out: u64,
}

/// Decision tree: another one, and one branch more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapTree {
    /// Number; 0 is the first tree, which is not listed.
    pub tree: u32,
    /// Number of the tree that it grew from.
    pub from: u32,
    /// Widget that is named by more, if one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// Reducer that named it before.
    pub before: String,
    /// Reducer that names it.
    pub by: String,
}

/// Abstract state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapState {
    /// Name that a person can recognise.
    pub name: String,
    /// Activity, in full.
    pub activity: String,
    /// Number of its representative screen, if that is kept.
    pub screen: Option<usize>,
    /// Number of its screens.
    pub screens: u64,
    /// Times that one of them was seen.
    pub seen: u64,
    /// Step at which one was seen first, from 1.
    pub step: u64,
    /// True if the app starts here.
    #[serde(default, skip_serializing_if = "is_false")]
    pub start: bool,
    /// True if the app has crashed or does not respond.
    #[serde(default, skip_serializing_if = "is_false")]
    pub crash: bool,
    /// True if it belongs to another app.
    #[serde(default, skip_serializing_if = "is_false")]
    pub outside: bool,
    /// Number of the tree that names its widgets.
    pub tree: u32,
    /// Widgets that take actions.
    pub widgets: Vec<MapWidget>,
    /// Number of widgets that there was no room for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub widgets_left_out: u64,
    /// Shortest known way to it from the start of the app: the actions, and the states after them.
    pub path: Vec<PathStep>,
}

/// Widgets that share a name in an abstract state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapWidget {
    /// One of them.
    pub like: String,
    /// Reducer that names them.
    pub by: String,
    /// Types of their actions.
    pub does: Vec<String>,
    /// Most of them on a screen.
    pub count: u64,
}

/// Edge from one abstract state to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapEdge {
    /// Number of the state that it leaves.
    pub from: usize,
    /// Number of the state that it leads to.
    pub to: usize,
    /// Action that led there most often.
    pub by: String,
    /// Number of other actions that lead there too.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u64,
    /// Times that one of them led there.
    pub hits: u64,
    /// Times that one of them led elsewhere.
    pub misses: u64,
    /// True if one of them can be relied upon.
    #[serde(default, skip_serializing_if = "is_false")]
    pub strong: bool,
}

/// Screens of one structure, whatever they say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kind {
    /// Name that a person can recognise.
    pub name: String,
    /// Activity, in full.
    pub activity: String,
    /// Number of one of its screens, if that is kept.
    pub screen: Option<usize>,
    /// Number of its screens.
    pub screens: u64,
    /// Times that one of them was seen.
    pub seen: u64,
    /// Step at which one was seen first, from 1.
    pub step: u64,
    /// True if the app starts here.
    #[serde(default, skip_serializing_if = "is_false")]
    pub start: bool,
    /// True if the app has crashed or does not respond.
    #[serde(default, skip_serializing_if = "is_false")]
    pub crash: bool,
    /// True if it belongs to another app.
    #[serde(default, skip_serializing_if = "is_false")]
    pub outside: bool,
    /// True if no action was ever done there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub never_left: bool,
    /// Shortest known way to it from the start of the app: the actions, and the kinds after them.
    pub path: Vec<PathStep>,
    /// Number of different actions that its screens offer.
    pub offered: u64,
    /// Number of these that were done.
    pub done: u64,
    /// Some of those that were never done, each with the reason.
    pub never_done: Vec<(String, String)>,
}

/// Step of a path on a map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathStep {
    /// Action as it is printed.
    pub by: String,
    /// Number of the kind after it; none if it has no room on the map.
    pub to: Option<usize>,
}

/// Way from one kind of screens to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindWay {
    /// Number of the kind that it leaves.
    pub from: usize,
    /// Number of the kind that it leads to.
    pub to: usize,
    /// Action that was taken most often.
    pub by: String,
    /// Number of other actions that lead there too.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u64,
    /// Times that it was taken.
    pub times: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_false(is_there: &bool) -> bool {
    !*is_there
}

/// Outcome of a spec or of a stored test.
///
/// Runs of format 1 have other words, which are read for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The app does as the spec expects.
    #[serde(alias = "met")]
    Passed,
    /// A run violates the spec, or it is proven that no run satisfies it.
    #[serde(alias = "broken", alias = "impossible")]
    Failed,
    /// A step of a stored test could not be done.
    Diverged,
    /// No run was found, but there may be one.
    #[serde(alias = "gave_up")]
    NotFound,
    /// No forbidden run was found, but too many atoms of the spec never held.
    Untested,
    /// Replays of the same run differ.
    Flaky,
    /// The device could not be used.
    Error,
}

impl Outcome {
    /// Returns the outcome as machines read it.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Diverged => "diverged",
            Outcome::NotFound => "not_found",
            Outcome::Untested => "untested",
            Outcome::Flaky => "flaky",
            Outcome::Error => "error",
        }
    }

    /// Returns the outcome of a spec after a whole search: `found` says that a run was found, `is_proven` that there is
    /// none, and `held` how often each condition held.
    pub fn of(expectation: Expectation, found: bool, is_proven: bool, held: &[u64]) -> Outcome {
        match (expectation, found) {
            (Expectation::Possible, true) => Outcome::Passed,
            (Expectation::Possible, false) if is_proven => Outcome::Failed,
            (Expectation::Possible, false) => Outcome::NotFound,
            (Expectation::Never | Expectation::Must, true) => Outcome::Failed,
            // A single atom that never held may be the very one that the spec forbids. A proof changes nothing: a
            // misspelt atom is easily proven never to hold.
            (Expectation::Never | Expectation::Must, false) if unseen(held) >= 2 => Outcome::Untested,
            (Expectation::Never | Expectation::Must, false) => Outcome::Passed,
        }
    }
}

fn unseen(held: &[u64]) -> usize {
    held.iter().filter(|&&times| times == 0).count()
}

/// Outcome of a spec, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecEnded {
    /// Number of the spec.
    pub spec: usize,
    /// Outcome.
    pub outcome: Outcome,
    /// Reason for the outcome, a sentence without its start.
    pub why: String,
    /// Exit code of this spec alone.
    pub exit: u8,
    /// Advice to the user.
    pub advice: Vec<String>,
    /// Episodes of the search.
    pub episodes: u32,
    /// Steps of the search on the device, the first of each episode included.
    pub steps: u64,
    /// Time that passed on the device, in milliseconds.
    pub device_ms: u64,
    /// Run that decides the outcome, if there is one.
    pub run: Vec<StepTaken>,
    /// Violation of a `never` or `must` by that run: the step, and the values there, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violation: Vec<String>,
    /// Steps of that run before it was minimised.
    pub found_steps: Option<usize>,
    /// Replays of that run that passed, of those tried.
    pub confirmed: Option<Rate>,
    /// Path of the test that the run is kept as, from the folder of the project.
    pub test: Option<String>,
    /// Result of replaying a stored test.
    pub replay: Option<Replayed>,
    /// Progress of the search.
    pub reach: Option<Reached>,
    /// Transitions between the screens that were met for the spec, as far as there is room.
    pub map: Vec<Way>,
}

impl SpecEnded {
    /// Returns the end of a spec with its outcome and nothing else.
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
            violation: Vec::new(),
            found_steps: None,
            confirmed: None,
            test: None,
            replay: None,
            reach: None,
            map: Vec::new(),
        }
    }
}

/// Result of replaying a stored test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replayed {
    /// Replays in which the run came again, of those tried.
    pub rate: Rate,
    /// Verdict of the first replay whose run did not come again, else of the last.
    pub verdict: ReplayVerdict,
    /// Step that differs or could not be done.
    pub step: Option<usize>,
    /// Expectation there.
    pub expected: Option<String>,
    /// Observation there.
    pub actual: Option<String>,
    /// Widget nearest to the one that was not found.
    pub nearest: Option<String>,
    /// Pixels that it covers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest_at: Option<Bounds>,
}

/// Verdict of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplayVerdict {
    /// The run of the test came again.
    #[serde(alias = "held")]
    Reproduced,
    /// All steps could be done, with another result.
    #[serde(alias = "broke")]
    NotReproduced,
    /// A step could not be done.
    Diverged,
}

impl ReplayVerdict {
    /// Returns the verdict as reports name it.
    pub fn name(self) -> &'static str {
        match self {
            ReplayVerdict::Reproduced => "reproduced",
            ReplayVerdict::NotReproduced => "not reproduced",
            ReplayVerdict::Diverged => "diverged",
        }
    }
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepTaken {
    /// Action.
    pub action: ActionDone,
    /// Number of the screen that it led to.
    pub screen: usize,
    /// Time on the device's clock, in milliseconds since the app was started afresh.
    pub at_ms: u64,
    /// Notices that came up meanwhile and are no part of the screen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// Atoms of the formula that hold at the step.
    pub labels: Vec<Arc<str>>,
    /// Residual of the formula after the step.
    pub residual: Arc<str>,
    /// Reward of the step.
    pub reward: f64,
    /// Agent's reason for the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Arc<str>>,
    /// News that the agent learned from the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Arc<str>>,
}

impl StepTaken {
    /// Returns `step`, which led to the screen numbered `screen`.
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

/// An action as reports have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionDone {
    /// Action type.
    #[serde(rename = "type")]
    pub action_type: Arc<str>,
    /// First of its details; may be empty.
    pub detail: Arc<str>,
    /// Path in the tree of its widget.
    #[serde(rename = "objectID")]
    pub object_id: Option<Arc<str>>,
    /// Pixels that the widget covered.
    pub bounds: Option<Bounds>,
    /// The whole action as it is printed.
    pub shown: String,
}

impl ActionDone {
    /// Returns `action` as reports have it.
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

/// Progress of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reached {
    /// Atoms of the formula, each with the number of steps at which it held.
    pub held: Vec<(String, u64)>,
    /// Atoms that never held, each with what was seen where it looks.
    pub hints: Vec<(String, String)>,
    /// Residual closest to the goal, and the fewest steps from it to the goal.
    pub closest: Option<(String, u32)>,
    /// Screens that were met.
    pub screens: usize,
    /// Starts of the app.
    pub starts: u64,
    /// Starts of the app that crashed.
    pub starts_crashed: u64,
    /// Some of the actions that were offered and never tried.
    pub never_tried: Vec<String>,
    /// Number of the actions that were offered and never tried.
    pub never_tried_count: usize,
    /// Number of the actions that were tried, for a `never` or `must` that no run decided.
    #[serde(default)]
    pub tried_count: usize,
    /// Number of times that half of these were tried at least; 0 where nothing was tried.
    #[serde(default)]
    pub tries_median: u32,
    /// Steps at which the app answered otherwise than before to the same actions since its start.
    pub surprises: u64,
    /// Episodes since the last one that met a new screen, of all episodes of the search; none if an agent did not search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<(u32, u32)>,
}
