//! Test cases: a run that was found, as it is kept.
//!
//! A test case has the steps to do again, the formula that captures them, and the spec the run was found for, which says
//! whether doing them again still does what it must. How it is written and read is in `text`; doing its steps is for
//! [`crate::replay`].

mod text;

use crate::gui::{Action, Atom, UserAction};
use crate::rate::Rate;
use crate::spec::{Expectation, Spec};
pub use text::{FORMAT, Read, is_newer, is_test, read, specs_alone};

/// A run of more steps is kept without a formula.
pub const CAPTURED_MAX: usize = 100;

/// A run that is kept as a test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestCase {
    /// Where it comes from.
    pub provenance: Provenance,
    /// What is done; the first starts the app.
    pub steps: Vec<TestStep>,
    /// The formula that captures the run, step by step: it names what is done, and what must be seen then. A run of
    /// more than [`CAPTURED_MAX`] steps has none, as nobody would read it.
    pub captured: Option<Spec>,
    /// What the run was found for: the oracle.
    pub oracle: Spec,
    /// The actions of the user's that steps and formulas speak of.
    pub actions: Vec<UserAction>,
}

/// How the names of the formulas of runs end.
const CAPTURED_END: &str = ", as found";

/// Returns what the formula of a run that was found for `oracle` is called.
pub fn captured_name(oracle: &Spec) -> String {
    format!("{}{CAPTURED_END}", oracle.name)
}

/// Returns what is expected of the formula of a run that was found for `oracle`.
pub fn captured_expectation(oracle: &Spec) -> Expectation {
    match oracle.expectation {
        Expectation::Possible => Expectation::Possible,
        // The run is one that must not be.
        Expectation::Never | Expectation::Must => Expectation::Never,
    }
}

/// A step of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestStep {
    /// What is done. The widget it is done on is as it was then: its names, class and place tell it from others.
    pub action: Action,
    /// The atoms of the oracle that decide what is left of it after the step, and whether each holds.
    pub sees: Vec<(Atom, bool)>,
}

/// Where a test case comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The version of farlead that found it.
    pub farlead: String,
    /// The package of the app.
    pub package: String,
    /// The version of the app.
    pub version: String,
    /// What to type so that the app runs again: `--app apps/notes.app --set fixed=true` as one argument each.
    pub app: Vec<String>,
    /// The device, in a few words.
    pub device: String,
    /// The file of the spec.
    pub spec: String,
    /// Who searched.
    pub agent: String,
    /// Where chance came from.
    pub seed: u64,
    /// The episodes of the search.
    pub episodes: u32,
    /// The steps of the search on the device.
    pub steps: u64,
    /// How many steps the run had before it was made short.
    pub found_steps: usize,
    /// How often the run did it again, of how often it was tried; nothing if it was not.
    pub confirmed: Rate,
}

impl Provenance {
    /// Whether the run is known not to do it each time.
    pub fn is_flaky(&self) -> bool {
        self.confirmed.runs > 0 && !self.confirmed.is_full()
    }
}

impl TestCase {
    /// Whether both are the same test, wherever they come from.
    pub fn is_same(&self, other: &TestCase) -> bool {
        let TestCase { provenance: _, steps, captured, oracle, actions } = other;
        self.steps == *steps
            && self.captured == *captured
            && self.oracle == *oracle
            && self.actions == *actions
    }
}
