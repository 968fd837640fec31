//! The log of APE's actions, `action-history.log`, as a run to do again.
//!
//! A line is `<milliseconds> <JSON>` and holds an action and its widget, as an XPath with the widget's names. The log has
//! no screens, so nothing in it says what a step saw; [`crate::gui::seek`] finds the widgets by their names and places.

use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;

use super::{Provenance, Shared, TestCase, TestSetUp, TestStep};
use crate::gui::{Action, Bounds, Direction, Stroke, Target, Touch};
use crate::spec::{Diagnostic, Diagnostics, Source, Spec};
use crate::text::clip;

/// Place of a log's spec, which is in no file.
pub const APE_LOG: &str = "action-history.log";

/// Most steps of a run; the same as of a stored test.
const STEPS_MAX: usize = 10_000;

/// Largest log that is read: 10,000 steps in deep trees.
const BYTES_MAX: usize = 64 << 20;

/// Most bytes of a line; the path of a widget has about 300 for each widget around it.
const LINE_MAX: usize = 1 << 20;

/// Content of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// APE started the app with this activity, and kept or cleared what it had stored.
    Start {
        /// Package of the app.
        package: String,
        /// Activity in full.
        activity: String,
    },
    /// Steps of a run: an action, and the text that APE typed after it.
    Steps(Vec<Action>),
    /// The app crashed, with this trace, which may be empty.
    Crash(String),
    /// Nothing that can be done again: random events at coordinates, or a pause.
    Nothing {
        /// True for events that may have changed something.
        is_fuzz: bool,
    },
}

/// Run that a log holds.
#[derive(Clone, Debug)]
pub struct LoggedRun {
    /// Package of the app, if the log names it.
    pub package: String,
    /// Actions, the first of which starts the app; its activity is empty if the log names none.
    pub actions: Vec<Action>,
    /// Trace of the crash that ended the run, if one did.
    pub crash: Option<String>,
}

impl LoggedRun {
    /// Returns the run as a test for `oracle`.
    pub fn into_test(self, oracle: Spec) -> TestCase {
        let step = |action| TestStep { action, shared: Shared::default(), around: None, sees: Vec::new() };
        TestCase {
            provenance: Provenance {
                package: self.package,
                spec: APE_LOG.to_string(),
                agent: "ape".to_string(),
                found_steps: self.actions.len(),
                ..Provenance::default()
            },
            set_up: TestSetUp::Own(Vec::new()),
            steps: self.actions.into_iter().map(step).collect(),
            captured: None,
            oracle,
            actions: Vec::new(),
        }
    }
}

/// Mistake in a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// It is too long.
    #[error("a line of APE's log has at most {} MB", LINE_MAX >> 20)]
    Long,
    /// It does not begin as a line does.
    #[error("a line of APE's log is `<milliseconds> <JSON object>`")]
    Form,
    /// Its object is no JSON, or lacks something.
    #[error("the JSON of this line cannot be read: {0}")]
    Json(String),
    /// Its action is none of APE's.
    #[error("`{0}` is no action of APE")]
    Action(String),
    /// Its action needs a widget.
    #[error("this action needs a widget, as `full` or `target`")]
    Widget,
    /// The path of its widget is none.
    #[error("this is no path of a widget as APE writes it: `{0}`")]
    Path(String),
    /// Its edges are none.
    #[error("`{0}` are no bounds; they are `left,top,right,bottom`")]
    Bounds(String),
}

/// Object of a line. Forks of APE add keys, which change no action.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    action_type: String,
    #[serde(default)]
    target: String,
    #[serde(default)]
    full: String,
    #[serde(default)]
    bounds: String,
    #[serde(default)]
    input_text: Option<String>,
    #[serde(default)]
    package_name: String,
    #[serde(default)]
    class_name: String,
    #[serde(default)]
    crash: Option<Crash>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Crash {
    #[serde(default)]
    stack_trace: String,
}

/// Returns true if `text` is meant as a log of APE: so its first line begins.
pub fn is_ape_log(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| object(line).is_some())
}

/// Returns the object of a line.
fn object(line: &str) -> Option<&str> {
    let (time, object) = line.trim().split_once(' ')?;
    let object = object.trim_start();
    let is_time = !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit());
    (is_time && object.starts_with('{')).then_some(object)
}

/// Reads a line.
pub fn read_entry(line: &str) -> Result<Entry, LogError> {
    if line.len() > LINE_MAX {
        return Err(LogError::Long);
    }
    let object = object(line).ok_or(LogError::Form)?;
    let line: Line = serde_json::from_str(object).map_err(|error| LogError::Json(error.to_string()))?;
    let touch = |touch| {
        let on = line.on()?;
        let typed =
            line.input_text.as_ref().map(|text| Action::Text { on: on.clone(), text: (**text).into() });
        Ok(Entry::Steps([Some(Action::Touch(touch, on)), typed].into_iter().flatten().collect()))
    };
    // APE names the way of the finger, which is the opposite of what comes into view.
    let scroll = |towards| Ok(Entry::Steps(vec![Action::Stroke(Stroke::Scroll, line.on()?, towards)]));
    match &*line.action_type {
        "EVENT_START" | "EVENT_RESTART" | "EVENT_CLEAN_RESTART" => {
            Ok(Entry::Start { package: line.package_name, activity: line.class_name })
        }
        "PHANTOM_CRASH" => Ok(Entry::Crash(line.crash.map(|crash| crash.stack_trace).unwrap_or_default())),
        "FUZZ" => Ok(Entry::Nothing { is_fuzz: true }),
        "EVENT_NOP" => Ok(Entry::Nothing { is_fuzz: false }),
        "EVENT_ACTIVATE" => Ok(Entry::Steps(vec![Action::PAUSE_RESUME])),
        "MODEL_BACK" => Ok(Entry::Steps(vec![Action::BACK])),
        "MODEL_CLICK" => touch(Touch::Click),
        "MODEL_LONG_CLICK" => touch(Touch::LongClick),
        "MODEL_SCROLL_BOTTOM_UP" => scroll(Direction::Down),
        "MODEL_SCROLL_TOP_DOWN" => scroll(Direction::Up),
        "MODEL_SCROLL_RIGHT_LEFT" => scroll(Direction::Right),
        "MODEL_SCROLL_LEFT_RIGHT" => scroll(Direction::Left),
        other => Err(LogError::Action(clip(other))),
    }
}

impl Line {
    /// Returns the widget.
    fn on(&self) -> Result<Target, LogError> {
        let path = [&self.full, &self.target].into_iter().find(|path| !path.is_empty());
        let mut on = target(path.ok_or(LogError::Widget)?)?;
        if !self.bounds.is_empty() {
            let bad = || LogError::Bounds(clip(&self.bounds));
            let edges: Result<Vec<i32>, _> = self.bounds.split(',').map(|edge| edge.trim().parse()).collect();
            let [left, top, right, bottom] = edges.map_err(|_| bad())?[..] else { return Err(bad()) };
            on.bounds = Bounds::new(left, top, right, bottom);
        }
        Ok(on)
    }
}

/// Returns the widget of a path: `/*[@class="a.B"][@index=0]/*[@text="OK"][@index=2]`, or `//*[@resource-id="a:id/b"]`. Its
/// place is known if every step of the path has an index.
fn target(path: &str) -> Result<Target, LogError> {
    let mut place = String::new();
    // From anywhere in the tree, an index is no place.
    let mut is_placed = !path.starts_with("//");
    let mut rest = path.trim();
    let bad = |rest: &str| LogError::Path(clip(rest));
    loop {
        rest = rest.trim_start_matches('/').strip_prefix('*').ok_or_else(|| bad(rest))?;
        let mut on = Target { is_cut: true, ..Target::default() };
        let mut index = None;
        while let Some(test) = rest.strip_prefix("[@") {
            let (name, after) = test.split_once('=').ok_or_else(|| bad(rest))?;
            let quote = after.chars().next().filter(|char| matches!(char, '"' | '\''));
            let (value, after) = match quote {
                // The text itself may hold a bracket, so only a quote ends it.
                Some(quote) => after[1..]
                    .split_once(quote)
                    .and_then(|(value, after)| Some((value, after.strip_prefix(']')?))),
                None => after.split_once(']'),
            }
            .ok_or_else(|| bad(rest))?;
            match name {
                "class" => on.class = value.into(),
                "resource-id" => on.id = value.into(),
                "text" => on.text = value.into(),
                "content-desc" => on.desc = value.into(),
                "index" => index = value.parse::<u32>().ok(),
                // What it can do follows from the action.
                _ => {}
            }
            rest = after;
        }
        match index {
            Some(index) if is_placed => {
                let between = if place.is_empty() { "" } else { ":" };
                place.push_str(&format!("{between}{index}"));
            }
            Some(_) | None => is_placed = false,
        }
        if rest.is_empty() {
            if is_placed {
                on.object_id = place.into();
            }
            return Ok(on);
        }
        if !rest.starts_with('/') {
            return Err(bad(rest));
        }
    }
}

/// Run that is being read.
#[derive(Default)]
struct Part {
    lines: Range<usize>,
    activity: Arc<str>,
    steps: Vec<Action>,
    crash: Option<String>,
}

impl Part {
    /// Adds a step; beyond the most, the run is refused anyway.
    fn push(&mut self, step: Action) {
        if self.steps.len() <= STEPS_MAX {
            self.steps.push(step);
        }
    }

    /// Returns true if it is a better choice than an earlier one.
    fn is_better(&self, earlier: Option<&Part>) -> bool {
        !self.steps.is_empty()
            && earlier.is_none_or(|earlier| {
                (self.crash.is_some(), self.steps.len()) > (earlier.crash.is_some(), earlier.steps.len())
                    && earlier.crash.is_none()
            })
    }
}

/// Returns the run that `source` holds, and all mistakes in it. APE starts the app again and again; of several runs this is
/// the one with the first crash, else the longest.
pub fn read_ape_log(source: &Source) -> (Option<LoggedRun>, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let text = source.text();
    if text.len() > BYTES_MAX {
        let message = format!("a log of APE is at most {} MB large", BYTES_MAX >> 20);
        diagnostics.error(|| Diagnostic::error("E-log", 0..0, message));
        return (None, diagnostics);
    }
    let mut package = String::new();
    let (mut best, mut part): (Option<Part>, Part) = (None, Part { lines: 1..1, ..Part::default() });
    let (mut at, mut runs, mut fuzzed, mut first_fuzz) = (0, 0, 0, None);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let span = at..at + line.trim_end().len();
        at += line.len();
        if line.trim().is_empty() {
            continue;
        }
        match read_entry(line) {
            Ok(Entry::Start { package: named, activity }) => {
                if package.is_empty() {
                    package = named;
                }
                let next = Part { lines: number..number, activity: activity.into(), ..Part::default() };
                let done = std::mem::replace(&mut part, next);
                runs += usize::from(!done.steps.is_empty());
                if done.is_better(best.as_ref()) {
                    best = Some(done);
                }
            }
            Ok(_) if part.crash.is_some() => {}
            Ok(Entry::Steps(steps)) => {
                steps.into_iter().for_each(|step| part.push(step));
                part.lines.end = number;
            }
            Ok(Entry::Crash(trace)) => {
                part.crash = Some(trace);
                part.lines.end = number;
            }
            Ok(Entry::Nothing { is_fuzz }) => {
                if is_fuzz {
                    fuzzed += 1;
                    first_fuzz.get_or_insert(span);
                }
            }
            // APE may have been killed while it wrote.
            Err(_) if !line.ends_with('\n') && number > 1 => {
                let message = "the log breaks off here; this line is left out";
                diagnostics.warning(|| Diagnostic::warning("W-log", span, message));
            }
            Err(error) => {
                let help = "the file is APE's `action-history.log`, with a line for each action; a damaged line can be \
                            taken out";
                diagnostics.error(|| Diagnostic::error("E-log", span, error.to_string()).help(help));
            }
        }
    }
    runs += usize::from(!part.steps.is_empty());
    if part.is_better(best.as_ref()) {
        best = Some(part);
    }
    let Some(part) = best else {
        if diagnostics.errors() == 0 {
            let message = "this log of APE has no action that can be done again";
            diagnostics.error(|| Diagnostic::error("E-log", 0..0, message));
        }
        return (None, diagnostics);
    };
    if part.steps.len() >= STEPS_MAX {
        let message = format!("a run has at most {STEPS_MAX} steps with its start, and this log's has more");
        diagnostics.error(|| Diagnostic::error("E-log", 0..0, message));
    }
    if let Some(span) = first_fuzz {
        let lines = if fuzzed == 1 { "1 line".to_string() } else { format!("{fuzzed} lines") };
        let message = format!("left out, as random events at coordinates cannot be done again: {lines}");
        diagnostics.warning(|| Diagnostic::warning("W-log", span, message));
    }
    if runs > 1 {
        let why = if part.crash.is_some() { "the first that crashes" } else { "the longest" };
        let Range { start, end } = part.lines;
        let message =
            format!("APE started the app {runs} times: this is lines {start} to {end}, {why} of {runs} runs");
        let help = "for another run, make a file of its lines alone";
        diagnostics.warning(|| Diagnostic::warning("W-log", 0..0, message).help(help));
    }
    let start = Action::Reinitialise(part.activity);
    let actions = std::iter::once(start).chain(part.steps).collect();
    let run = LoggedRun { package, actions, crash: part.crash };
    (Some(run).filter(|_| diagnostics.errors() == 0), diagnostics)
}
