//! Test cases: a kept run.
//!
//! A test case has the steps to replay, the formula that captures them, and the spec that the run was found for, which
//! decides if a replay passes. `text` reads and writes it; [`crate::replay`] replays its steps.

mod text;

use crate::gui::{Action, Atom, UserAction};
use crate::rate::Rate;
use crate::spec::{Expectation, Spec};
pub use text::{FORMAT, Read, is_newer, is_test, read, specs_alone};

/// Most steps of a run that is kept with a formula.
pub const CAPTURED_MAX: usize = 100;

/// A run that is kept as a test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCase {
    /// Origin of the test.
    pub provenance: Provenance,
    /// Steps; the first starts the app.
    pub steps: Vec<TestStep>,
    /// Formula that captures the run, step by step: the action, and the atoms that must hold then. A run of more than
    /// [`CAPTURED_MAX`] steps has none, as nobody would read it.
    pub captured: Option<Spec>,
    /// Spec that the run was found for: the oracle.
    pub oracle: Spec,
    /// User's actions that occur in steps and formulas.
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
    /// Atoms of the oracle that decide its residual after the step, each with true if it holds.
    pub sees: Vec<(Atom, bool)>,
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
    /// Returns true if both are the same test, whatever their origin.
    pub fn is_same(&self, other: &TestCase) -> bool {
        // Each part is named, so that a new one is not forgotten here.
        let TestCase { provenance: _, steps, captured, oracle, actions } = other;
        self.steps == *steps
            && self.captured == *captured
            && self.oracle == *oracle
            && self.actions == *actions
    }
}
