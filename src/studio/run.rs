//! The run so far: what was done and seen, what is expected of it, and the specs that are written and judged by that.
//!
//! No device is in it, so it goes on to answer while one does not.

use std::sync::Arc;

use super::message::{Form, JudgedSpec, JudgedStep, SaidExpectation, When};
use super::remembered::Remembered;
use super::{Refusal, draft};
use crate::gui::{Action, Around, Atom, Labeller, TypedText, UserAction, shortfall};
use crate::replay::{Judged, Player, Slack, capture};
use crate::spec::{Expectation, Source, Spec, SpecFile, atom_in_words, parse_given};
use crate::trace::{Observation, Trace};

/// Name of a run that nobody has named.
const NAME: &str = "my first spec";

/// Run that is led by hand. Clones share its steps, so a clone costs little.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its name, and that of its specs.
    pub(super) name: String,
    pub(super) steps: Vec<Arc<LedStep>>,
    pub(super) expected: Vec<Expected>,
    pub(super) remembered: Vec<Remembered>,
    /// Slack of the bounds in time of what is written.
    pub(super) slack: Slack,
    /// Actions of the project's own, which specs may name.
    given: Arc<[UserAction]>,
}

/// Step that was done.
#[derive(Clone, Debug)]
pub(super) struct LedStep {
    pub action: Action,
    pub around: Option<Around>,
    pub observation: Observation,
    /// Number of the picture of its screen.
    pub picture: usize,
    /// Step of the test that it does, if a test is walked through.
    pub of: Option<usize>,
    /// True if it only brings the widget of the next step of the test into view.
    pub is_scrolled_on: bool,
}

/// Expectation of a step.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub step: usize,
    pub atom: Atom,
    pub holds: bool,
    pub when: When,
}

impl Expected {
    pub fn written(&self) -> String {
        format!("{}{}", if self.holds { "" } else { "!" }, self.atom)
    }
}

impl Run {
    /// Returns a run in which nothing has been done; specs may name the actions that are `given`.
    pub(super) fn new(given: Arc<[UserAction]>) -> Run {
        Run {
            name: NAME.to_string(),
            steps: Vec::new(),
            expected: Vec::new(),
            remembered: Vec::new(),
            slack: Slack::default(),
            given,
        }
    }

    /// Begins another run of this name, and returns this one.
    pub(super) fn begin(&mut self) -> Run {
        let fresh = Run { name: self.name.clone(), slack: self.slack, ..Run::new(self.given.clone()) };
        std::mem::replace(self, fresh)
    }

    /// Returns the last step, to be changed.
    pub(super) fn last_mut(&mut self) -> Option<&mut LedStep> {
        self.steps.last_mut().map(Arc::make_mut)
    }

    /// Writes the spec of the run.
    pub fn draft(&self, form: Form) -> String {
        let exact = if form == Form::C { self.exact() } else { None };
        self.drafted(form, exact)
    }

    /// Returns the specs in the `text` of a file, or a refusal if it has mistakes.
    pub fn specs(&self, file: &str, text: &str) -> Result<Vec<Spec>, Refusal> {
        let parsed = parse_given(&Source::new(file, text.to_string()), &self.given);
        if parsed.diagnostics.errors() > 0 { Err(Refusal::Specs) } else { Ok(parsed.file.specs) }
    }

    /// Judges the run by a spec.
    pub fn judge(&self, spec: &Spec) -> JudgedSpec {
        let judged = self.judged(spec);
        JudgedSpec {
            name: spec.name.clone(),
            expectation: spec.expectation.word(),
            at: judged.last().filter(|last| last.is_won).map(|_| judged.len() - 1),
            steps: judged
                .into_iter()
                .map(|Judged { step, .. }| JudgedStep {
                    labels: step.labels.iter().map(ToString::to_string).collect(),
                    left: step.remaining.to_string(),
                })
                .collect(),
        }
    }

    /// Returns the name of the run, which is never empty.
    fn name(&self) -> &str {
        if self.name.is_empty() { "run" } else { &self.name }
    }

    fn drafted(&self, form: Form, exact: Option<String>) -> String {
        let values = self.used_values();
        // Only the formula of a run of any actions keeps values; the others have them as they were.
        let (expected, values) = match form {
            Form::A | Form::B => (self.expected.clone(), &values[..]),
            Form::C | Form::Scenario => (self.closed_expected(), &[][..]),
        };
        draft::text(self.name(), form, &self.steps, (&expected, values), exact)
    }

    /// Returns the formula of exactly these steps, if they do what is expected of them.
    fn exact(&self) -> Option<String> {
        let drafted = self.drafted(Form::A, None);
        let spec = self
            .specs("", &drafted)
            .ok()?
            .into_iter()
            .find(|spec| spec.expectation == Expectation::Possible)?;
        let judged = self.judged(&spec);
        let last = judged.last()?;
        // A formula that is met before the end would leave out the steps behind.
        if judged.len() < self.steps.len() || !last.is_won {
            return None;
        }
        let trace = Trace { steps: judged.into_iter().map(|one| one.step).collect() };
        let mut exact = capture(&spec, &trace, self.slack).formula?;
        exact.name = self.name().to_string();
        let file = SpecFile { specs: vec![exact], ..Default::default() };
        Some(file.to_string())
    }

    /// Plays the run back to a spec.
    pub(super) fn judged(&self, spec: &Spec) -> Vec<Judged> {
        let steps = self.steps.iter().map(|step| (step.action.clone(), step.observation.clone()));
        Player::new(spec).judge_all(steps)
    }

    pub(super) fn said_expectation(&self, one: &Expected) -> SaidExpectation {
        let atom = self.closed(&one.atom);
        let holds_at = |step: usize| {
            let before = step.checked_sub(1).map(|before| &*self.steps[before].observation.screen);
            let LedStep { action, observation, .. } = &*self.steps[step];
            let labeller = Labeller::new([(0, &atom)], TypedText::default());
            !labeller.of_step(before, action, &observation.screen).is_empty()
        };
        let broken = match one.when {
            // Doing a run again may end before its last step.
            When::Now | When::FromNowOn if one.step >= self.steps.len() => Some(one.step),
            When::Now => Some(one.step).filter(|&step| holds_at(step) != one.holds),
            When::FromNowOn => (one.step..self.steps.len()).find(|&step| holds_at(step) != one.holds),
            When::Never => (0..self.steps.len()).find(|&step| holds_at(step) == one.holds),
        };
        let why = match broken {
            None => String::new(),
            Some(step) if step >= self.steps.len() => format!("the run ends before step {step}"),
            Some(step) => {
                let screen = &self.steps[step].observation.screen;
                let why = if one.holds && one.when != When::Never { shortfall(&atom, screen) } else { None };
                let is_typed = screen.has_typed() && one.holds && one.when != When::Never && why.is_none();
                match why {
                    Some(why) => format!("step {step}: {why}"),
                    None if is_typed => format!("step {step}: text that the run typed is no evidence"),
                    None => {
                        format!("step {step}: it {}", if holds_at(step) { "holds" } else { "does not hold" })
                    }
                }
            }
        };
        SaidExpectation {
            step: one.step,
            atom: one.atom.to_string(),
            words: atom_in_words(&one.atom),
            holds: one.holds,
            when: one.when,
            is_met: broken.is_none(),
            why,
        }
    }
}
