//! Messages about a run that is led by hand: requests, and views as answers.

use serde::{Deserialize, Serialize};

/// Longest name, atom or text of a request, in characters.
pub const CHARS_MAX: usize = 10_000;

/// Request about the run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// Shows the run and the screen.
    View,
    /// Starts the app afresh, which begins a new run.
    Start {
        /// Launchable activity [default: the first].
        #[serde(default)]
        activity: Option<String>,
    },
    /// Does an action that the screen offers.
    Act {
        /// Number of the screen that the sender has seen.
        screen: u64,
        /// Number of the offer.
        offer: usize,
        /// Text to type, if the offer types.
        #[serde(default)]
        text: Option<String>,
        /// True if it is done in place of the next step of the test that is walked through.
        #[serde(default)]
        instead: bool,
    },
    /// Looks at the screen again, which may have changed by itself.
    Look,
    /// Does the run again up to a step.
    BackTo {
        /// Number of the step, from 0.
        step: usize,
    },
    /// Does a run again that was left by stepping back.
    Branch {
        /// Number of the branch, from 0.
        number: usize,
    },
    /// Forgets a run that was left by stepping back.
    ForgetBranch {
        /// Number of the branch, from 0.
        number: usize,
    },
    /// Lists the atoms that hold of a widget of the screen.
    Widget {
        /// Number of the screen that the sender has seen.
        screen: u64,
        /// Place of the widget in the tree.
        at: usize,
    },
    /// Expects something of a step.
    Expect {
        /// Number of the step, from 0.
        step: usize,
        /// Atom, like `[text = "OK"]`.
        atom: String,
        /// True if the atom is to hold.
        #[serde(default = "yes")]
        holds: bool,
        /// Steps that the expectation is about.
        #[serde(default)]
        when: When,
    },
    /// Takes an expectation back.
    Forget {
        /// Number of the expectation, from 0.
        number: usize,
    },
    /// Gives the value that a term has at a step a name, to compare later ones with.
    Remember {
        /// Number of the step, from 0.
        step: usize,
        /// Name of the value.
        name: String,
        /// Term, like `text(id = title)`.
        term: String,
    },
    /// Takes back a value that is remembered.
    ForgetValue {
        /// Number of the value, from 0.
        number: usize,
    },
    /// Names the run and its specs.
    Name {
        /// Name.
        name: String,
    },
    /// Does the next step of the test that is walked through.
    NextOfTest,
    /// Leaves out the next step of the test.
    LeaveOut,
    /// Writes the test with the steps of the run in place of its own.
    Mended,
}

impl Request {
    /// Returns true if the run or what is known of it may be another afterwards.
    pub fn changes(&self) -> bool {
        match self {
            Request::Start { .. }
            | Request::Act { .. }
            | Request::Look
            | Request::BackTo { .. }
            | Request::Branch { .. }
            | Request::ForgetBranch { .. }
            | Request::Expect { .. }
            | Request::Forget { .. }
            | Request::Remember { .. }
            | Request::ForgetValue { .. }
            | Request::Name { .. }
            | Request::NextOfTest
            | Request::LeaveOut => true,
            Request::View | Request::Widget { .. } | Request::Mended => false,
        }
    }
}

fn yes() -> bool {
    true
}

/// Steps that an expectation is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// The step itself.
    #[default]
    Now,
    /// The step and all after it.
    FromNowOn,
    /// No step of any run: what is expected must not happen.
    Never,
}

/// Form of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Level a: screens alone, so any way there will do.
    A,
    /// Level b: also types of actions.
    B,
    /// Level c: the actions themselves.
    C,
    /// Given, When, Then.
    Scenario,
}

/// Answer to a request about the run.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Reply {
    /// The run and the screen.
    View(Box<View>),
    /// Atoms of a widget.
    Atoms {
        /// The likeliest first.
        atoms: Vec<SaidAtom>,
        /// Values that can be remembered.
        terms: Vec<SaidTerm>,
    },
    /// A stored test.
    Test {
        /// Text as it goes into a file.
        text: String,
    },
}

/// Atom in signs and in words.
#[derive(Clone, Debug, Serialize)]
pub struct SaidAtom {
    /// Atom as it is written.
    pub atom: String,
    /// Atom in words.
    pub words: String,
}

/// Term with its value.
#[derive(Clone, Debug, Serialize)]
pub struct SaidTerm {
    /// Term as it is written.
    pub term: String,
    /// Its value on the screen, for people.
    pub value: String,
}

/// Value that is remembered.
#[derive(Clone, Debug, Serialize)]
pub struct SaidValue {
    /// Step that it is of, from 0.
    pub step: usize,
    /// Its name.
    pub name: String,
    /// Term as it is written.
    pub term: String,
    /// Its value, for people.
    pub value: String,
}

/// The run and the screen.
#[derive(Clone, Debug, Serialize)]
pub struct View {
    /// Description of the app and its device.
    pub device: String,
    /// True while a command uses the device.
    pub is_away: bool,
    /// Activities that can be started.
    pub launchable: Vec<String>,
    /// Steps of the run.
    pub steps: Vec<SaidStep>,
    /// Screen after the last step; none before the first.
    pub screen: Option<SaidScreen>,
    /// Expectations.
    pub expected: Vec<SaidExpectation>,
    /// Values that are remembered.
    pub remembered: Vec<SaidValue>,
    /// Name of the run and of its specs.
    pub name: String,
    /// Runs that were left by stepping back.
    pub branches: Vec<SaidBranch>,
    /// Test that is walked through.
    pub test: Option<SaidTest>,
}

/// Stored test that is walked through.
#[derive(Clone, Debug, Serialize)]
pub struct SaidTest {
    /// Its file.
    pub file: String,
    /// Name of its spec.
    pub name: String,
    /// `possible`, `never` or `must`.
    pub expectation: &'static str,
    /// Its steps.
    pub steps: Vec<SaidTestStep>,
    /// Number of the next step; none behind the last.
    pub next: Option<usize>,
    /// Reason why the next step cannot be done; empty if it can.
    pub why: String,
    /// Pixels of the nearest widget then: left, top, right, bottom.
    pub nearest_at: Option<[i32; 4]>,
    /// True if the run does something otherwise than the test.
    pub is_changed: bool,
    /// True if the run does what the spec speaks of: for `possible` what is wanted, else a violation.
    pub is_reached: bool,
    /// Rest of the formula after the run.
    pub left: String,
}

/// Step of a stored test that is walked through.
#[derive(Clone, Debug, Serialize)]
pub struct SaidTestStep {
    /// Action as it is printed.
    pub action: String,
    /// Type of the action.
    #[serde(rename = "type")]
    pub action_type: String,
    /// Pixels of its widget when the test was found: left, top, right, bottom.
    pub on: Option<[i32; 4]>,
    /// Atoms that held after it.
    pub sees: Vec<String>,
    /// Step of the run that does it; none if it is not done.
    pub step: Option<usize>,
    /// Atoms that should hold after it and do not; may be empty.
    pub differs: String,
    /// True if it is left out.
    pub is_left_out: bool,
}

/// Run that was left by stepping back.
#[derive(Clone, Debug, Serialize)]
pub struct SaidBranch {
    /// Its name.
    pub name: String,
    /// Its number of steps.
    pub steps: usize,
    /// Its last action.
    pub last: String,
}

/// Step of the run.
#[derive(Clone, Debug, Serialize)]
pub struct SaidStep {
    /// Action as it is printed.
    pub action: String,
    /// Number of the picture of the screen after it.
    pub picture: usize,
    /// Activity in front, in short.
    pub activity: String,
    /// Time since the start, in milliseconds.
    pub at_ms: u64,
    /// True if the app has crashed.
    pub crashed: bool,
    /// Notices that came up meanwhile, in words.
    pub notices: Vec<String>,
    /// Pixels of the screen before it that the action was done on: left, top, right, bottom.
    pub on: Option<[i32; 4]>,
}

/// Screen.
#[derive(Clone, Debug, Serialize)]
pub struct SaidScreen {
    /// Number; a request about another screen is late.
    pub number: u64,
    /// Package in front.
    pub package: String,
    /// Activity in front.
    pub activity: String,
    /// Width of the display, in pixels.
    pub width: u32,
    /// Height of the display, in pixels.
    pub height: u32,
    /// Visible widgets, in the order of the tree.
    pub widgets: Vec<SaidWidget>,
    /// Actions that can be done.
    pub offers: Vec<SaidOffer>,
    /// Actions that could be done if no rule forbade them.
    pub forbidden: Vec<SaidForbidden>,
    /// Atoms that hold, as `farlead look` lists them.
    pub atoms: Vec<SaidAtom>,
}

/// Widget.
#[derive(Clone, Debug, Serialize)]
pub struct SaidWidget {
    /// Place in the tree.
    pub at: usize,
    /// Depth in the tree.
    pub depth: u16,
    /// Class in short.
    pub class: String,
    /// Name that a person would use; may be empty.
    pub name: String,
    /// Entry name of its id; may be empty.
    pub id: String,
    /// Pixels: left, top, right, bottom.
    pub bounds: [i32; 4],
    /// Numbers of the offers on it.
    pub offers: Vec<usize>,
    /// True if it is a checked one.
    pub checked: bool,
    /// False if it cannot be used.
    pub enabled: bool,
}

/// Action that can be done.
#[derive(Clone, Debug, Serialize)]
pub struct SaidOffer {
    /// Type, as `actionType` compares it.
    #[serde(rename = "type")]
    pub action_type: String,
    /// Action as it is printed; without the text of one that types.
    pub label: String,
    /// Atom that holds of the action, whatever it types; none if nothing names it.
    pub atom: Option<String>,
    /// True if it types a text, which the request may say.
    pub types: bool,
}

/// Action that a rule forbids.
#[derive(Clone, Debug, Serialize)]
pub struct SaidForbidden {
    /// Place of its widget in the tree; none for an action on the device.
    pub at: Option<usize>,
    /// Type, as `actionType` compares it.
    #[serde(rename = "type")]
    pub action_type: String,
    /// Action as it is printed; without the text of one that types.
    pub label: String,
    /// Atoms of the rule, as farlead.toml has them.
    pub rule: String,
}

/// Expectation.
#[derive(Clone, Debug, Serialize)]
pub struct SaidExpectation {
    /// Step that it is about, from 0.
    pub step: usize,
    /// Atom as it is written.
    pub atom: String,
    /// Atom in words.
    pub words: String,
    /// True if the atom is to hold.
    pub holds: bool,
    /// Steps that it is about.
    pub when: When,
    /// True if the run does so.
    pub is_met: bool,
    /// The reason if not; may be empty.
    pub why: String,
}

/// Judgement of the run by a spec.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedSpec {
    /// Name of the spec.
    pub name: String,
    /// `possible`, `never` or `must`.
    pub expectation: &'static str,
    /// Step at which the run has what the spec speaks of: for `possible` its run, else a violation.
    pub at: Option<usize>,
    /// Steps up to there.
    pub steps: Vec<JudgedStep>,
}

/// Judgement of a step.
#[derive(Clone, Debug, Serialize)]
pub struct JudgedStep {
    /// Atoms that hold.
    pub labels: Vec<String>,
    /// Rest of the formula.
    pub left: String,
}
