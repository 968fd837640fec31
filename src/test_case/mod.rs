//! Test cases: a kept run.
//!
//! A test case has the steps to replay, the formula that captures them, and the spec that the run was found for, which
//! decides if a replay passes. `text` reads and writes it, `ape_log` makes one from a log of APE; [`crate::replay`] replays
//! its steps.

mod ape_log;
mod text;

use std::sync::Arc;

use crate::gui::{Action, Around, Atom, Nth, Screen, Target, TypedText, UserAction, Widget};
use crate::rate::Rate;
use crate::spec::{Expectation, Spec};
pub use ape_log::{APE_LOG, Entry, LogError, LoggedRun, is_ape_log, read_ape_log, read_entry};
pub use text::{FORMAT, Read, SET_UP_MAX, SET_UP_STEPS_MAX, is_newer, is_test, read, specs_alone};

/// Most steps of a run that is kept with a formula.
pub const CAPTURED_MAX: usize = 100;

/// A run that is kept as a test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCase {
    /// Origin of the test.
    pub provenance: Provenance,
    /// Set-up of the app before the steps.
    pub set_up: TestSetUp,
    /// Steps; the first starts the app.
    pub steps: Vec<TestStep>,
    /// Formula that captures the run, step by step: the action, and the atoms that must hold then. A run of more than
    /// [`CAPTURED_MAX`] steps has none, as nobody would read it.
    pub captured: Option<Spec>,
    /// Spec that the run was found for: the oracle.
    pub oracle: Spec,
    /// User's actions that occur in steps, set-up and formulas.
    pub actions: Vec<UserAction>,
}

/// End of the name of a formula that captures a run.
const CAPTURED_END: &str = ", as found";

/// Returns the name of the formula that captures a run found for `oracle`.
pub fn captured_name(oracle: &Spec) -> String {
    format!("{}{CAPTURED_END}", oracle.name)
}

/// Returns the expectation of the formula that captures a run found for `oracle`.
pub fn captured_expectation(oracle: &Spec) -> Expectation {
    match oracle.expectation {
        Expectation::Possible => Expectation::Possible,
        // The run is a counterexample, which must not come again.
        Expectation::Never | Expectation::Must => Expectation::Never,
    }
}

/// A step of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestStep {
    /// Action. Its widget is as it was then: names, class and place tell it from others.
    pub action: Action,
    /// Names of its widget that others on the same screen have too.
    pub shared: Shared,
    /// Surroundings of its widget; none for an action without a widget, and in tests of formats 1 and 2.
    pub around: Option<Around>,
    /// Atoms of the oracle that decide its residual after the step, each with true if it holds.
    pub sees: Vec<(Atom, bool)>,
}

/// Names of a widget that several widgets of its screen have, each with the place of the widget among those in the order
/// of the tree; `None` for a name of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Among those with its id.
    pub id: Option<Nth>,
    /// Among those with its text as text or description, in either case; for a widget without a name, among those with the
    /// words in it.
    pub text: Option<Nth>,
    /// Among those with its description as text or description, in either case.
    pub desc: Option<Nth>,
    /// Among those with all its names: id, text and description.
    pub all: Option<Nth>,
}

impl Shared {
    /// Returns the names that `target` shares with other visible widgets of `screen`.
    pub fn on(screen: &Screen, target: &Target) -> Shared {
        let mut widgets: Vec<(&Widget, Kin)> = Vec::new();
        let prefix = format!("{}:", target.object_id);
        screen.for_each_object(|at, _, object_id| {
            let widget = &screen.widgets()[at];
            let kin = match object_id {
                own if *own == *target.object_id => Kin::Own,
                inner if inner.starts_with(&prefix) => Kin::Inner,
                _ => Kin::Other,
            };
            if kin == Kin::Own || widget.is_visible() {
                widgets.push((widget, kin));
            }
        });
        let nth = |kin: Kin, has: &dyn Fn(&Widget) -> bool| {
            let alike: Vec<Kin> =
                widgets.iter().filter(|(widget, _)| has(widget)).map(|(_, kin)| *kin).collect();
            let number = alike.iter().position(|one| *one == kin)? as u32 + 1;
            (alike.len() > 1).then_some(Nth { number, of: alike.len() as u32 })
        };
        // Some tools look for a text in descriptions as well, and in either case.
        let says = |widget: &Widget, name: &str| {
            [&widget.text, &widget.desc].into_iter().any(|text| text.to_lowercase() == name.to_lowercase())
        };
        let named = |kin: Kin, name: &str| {
            if name.is_empty() { None } else { nth(kin, &|widget| says(widget, name)) }
        };
        let Target { id, text, desc, .. } = target;
        Shared {
            id: if id.is_empty() { None } else { nth(Kin::Own, &|widget| widget.id == *id) },
            // A widget without a name is found by the words in it.
            text: match target.words_below() {
                Some(words) => named(Kin::Inner, words),
                None => named(Kin::Own, text),
            },
            desc: named(Kin::Own, desc),
            all: nth(Kin::Own, &|widget| widget.id == *id && widget.text == *text && widget.desc == *desc),
        }
    }
}

/// Relation of a widget to that of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kin {
    Own,
    /// It lies in that of the step.
    Inner,
    Other,
}

/// Set-up of a test: the steps that run on the started app before the test's own.
#[derive(Clone, Debug, PartialEq)]
pub enum TestSetUp {
    /// The set-up tests that farlead.toml names when the test runs; so for a test of format 1.
    OfProject,
    /// These runs, one after the other; without any, the test runs on the app as it starts.
    Own(Vec<SetUpRun>),
}

/// A set-up test as another test keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct SetUpRun {
    /// File of the set-up test, for people.
    pub name: String,
    /// Worth of typed text to the atoms that its steps see.
    pub typed: TypedText,
    /// Steps; the first names the activity that was started.
    pub steps: Vec<TestStep>,
}

impl SetUpRun {
    /// Returns true if both do and see the same, whatever their files are called.
    pub fn is_same(&self, other: &SetUpRun) -> bool {
        let SetUpRun { name: _, typed, steps } = other;
        self.typed == *typed && self.steps == *steps
    }
}

impl TestSetUp {
    /// Returns true if both do the same; the set-up of farlead.toml may be any.
    fn is_same(&self, other: &TestSetUp) -> bool {
        match (self, other) {
            (TestSetUp::Own(one), TestSetUp::Own(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_same(other))
            }
            (TestSetUp::OfProject, _) | (_, TestSetUp::OfProject) => true,
        }
    }
}

/// Origin of a test case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Version of farlead that found the run.
    pub farlead: String,
    /// Package of the app.
    pub package: String,
    /// Version of the app.
    pub version: String,
    /// Arguments that run the app again, as in `--app apps/notes.app --set fixed=true`, each on its own.
    pub app: Vec<String>,
    /// Device, in a few words.
    pub device: String,
    /// File of the spec.
    pub spec: String,
    /// Agent of the search.
    pub agent: String,
    /// Seed of the search.
    pub seed: u64,
    /// Episodes of the search.
    pub episodes: u32,
    /// Steps of the search on the device.
    pub steps: u64,
    /// Steps of the run before it was minimised.
    pub found_steps: usize,
    /// Replays of the run that passed, of those tried; 0 of 0 if none was tried.
    pub confirmed: Rate,
}

impl Provenance {
    /// Returns true if some replay of the run has failed.
    pub fn is_flaky(&self) -> bool {
        self.confirmed.runs > 0 && !self.confirmed.is_full()
    }
}

impl TestCase {
    /// Returns true if it is a log of APE as it was read; a test made of it has the version of the farlead that made it.
    pub fn is_ape_log(&self) -> bool {
        self.provenance.spec == APE_LOG && self.provenance.farlead.is_empty()
    }

    /// Starts a run that names no activity, or one that cannot be launched, with the first of `launchable`: a log of APE
    /// may begin after the start, or name an alias.
    pub fn start_with(&mut self, launchable: &[Arc<str>]) {
        let Some(TestStep { action: Action::Reinitialise(activity), .. }) = self.steps.first_mut() else {
            return;
        };
        if let Some(first) = launchable.first().filter(|_| !launchable.contains(activity)) {
            *activity = first.clone();
        }
    }

    /// Returns the number of the first step that goes to its widget by the place alone: an older farlead kept no
    /// surroundings, and the widget has no name.
    pub fn step_by_place(&self) -> Option<usize> {
        let is_nameless =
            |on: &Target| on.id.is_empty() && on.names().iter().all(|name| name.trim().is_empty());
        let is_by_place =
            |step: &TestStep| step.around.is_none() && step.action.target().is_some_and(is_nameless);
        self.steps.iter().position(is_by_place)
    }

    /// Returns true if both are the same test, whatever their origin.
    pub fn is_same(&self, other: &TestCase) -> bool {
        // Each part is named, so that a new one is not forgotten here.
        let TestCase { provenance: _, set_up, steps, captured, oracle, actions } = other;
        self.set_up.is_same(set_up)
            && self.steps == *steps
            && self.captured == *captured
            && self.oracle == *oracle
            && self.actions == *actions
    }
}
