//! Replay: the steps of a test done again, and what comes of them.
//!
//! The widgets of a test are found again by what they are called, and not by where they were. What the steps must come to
//! is for the spec to say that the run was found for; a formula that captures them is made by [`capture`].

mod capture;

use std::sync::Arc;

use crate::device::{Device, DeviceError};
use crate::gui::{Action, Labeller, Rules, Sought, Target, seek};
use crate::ltl::State;
use crate::reward::{Goal, Shaping, Verdict};
use crate::spec::Spec;
use crate::test_case::TestStep;
use crate::trace::{Observation, Step, Trace};
pub use capture::{Captured, capture};

/// Does steps again, and knows what they come to for one spec.
#[derive(Debug)]
pub struct Player {
    goal: Goal,
    rules: Arc<Rules>,
}

/// What to do about a widget that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The step cannot be done, and that is the end.
    Ends,
    /// The step is passed over.
    IsPassedOver,
}

/// Steps that were done again.
#[derive(Clone, Debug)]
pub struct Played {
    /// What was done and seen.
    pub trace: Trace,
    /// Which of the steps that were to be done this is; steps in between could not be done.
    pub done: Vec<usize>,
    /// Whether the goal was reached; then nothing more was done.
    pub is_won: bool,
    /// The step that could not be done, and the widget that comes nearest to the one it is done on.
    pub missing: Option<(usize, Option<Target>)>,
}

/// How a replay of a test went.
#[derive(Clone, Debug, PartialEq)]
pub enum Replay {
    /// It came to what it must.
    Held,
    /// All of it could be done, and it came to something else.
    Broke {
        /// The first step at which something else was seen, else the last.
        step: usize,
        /// What was to be seen, or not.
        expected: String,
        /// What was seen.
        actual: String,
    },
    /// A step could not be done, and nothing before it was otherwise than it must.
    Diverged {
        /// The step.
        step: usize,
        /// What was to be done.
        expected: String,
        /// What was there.
        actual: String,
        /// The widget that comes nearest.
        nearest: Option<String>,
    },
}

impl Player {
    /// Returns who plays for `spec`.
    pub fn new(spec: &Spec) -> Player {
        Player::within(spec, Arc::default())
    }

    /// Returns who plays for `spec` and does nothing that `rules` forbid: such a step cannot be done.
    pub fn within(spec: &Spec, rules: Arc<Rules>) -> Player {
        Player { goal: Goal::new(spec), rules }
    }

    /// Does `actions` on `device`, the first of which starts the app, until the goal is reached or cannot be any more.
    pub fn play<'a>(
        &mut self,
        device: &mut dyn Device,
        actions: impl IntoIterator<Item = &'a Action>,
        missing: Missing,
    ) -> Result<Played, DeviceError> {
        self.play_on(device, None, actions, missing)
    }

    /// As [`Player::play`]; if the app `is_started`, what is seen of it stands for what the first action shows.
    fn play_on<'a>(
        &mut self,
        device: &mut dyn Device,
        mut is_started: Option<Observation>,
        actions: impl IntoIterator<Item = &'a Action>,
        missing: Missing,
    ) -> Result<Played, DeviceError> {
        let mut played = Played { trace: Trace::default(), done: Vec::new(), is_won: false, missing: None };
        let mut state = State::START;
        for (number, recorded) in actions.into_iter().enumerate() {
            let action = match played.trace.steps.last() {
                Some(last) => match seek(&last.observation.screen, recorded) {
                    Sought::Found(action) if !self.rules.forbid(&action) => action,
                    Sought::Found(_) | Sought::Missing { .. } if missing == Missing::IsPassedOver => continue,
                    Sought::Found(action) => {
                        played.missing = Some((number, action.target().cloned()));
                        break;
                    }
                    Sought::Missing { nearest } => {
                        played.missing = Some((number, nearest));
                        break;
                    }
                },
                None => recorded.clone(),
            };
            let observation = match is_started.take() {
                Some(seen) => seen,
                None => device.act(&action)?,
            };
            let (step, after) = self.step(state, action, observation);
            state = after;
            played.trace.steps.push(step);
            played.done.push(number);
            match self.goal.standing(state).verdict {
                Verdict::Won => {
                    played.is_won = true;
                    break;
                }
                Verdict::Lost => break,
                Verdict::Open => {}
            }
        }
        Ok(played)
    }

    fn step(&mut self, state: State, action: Action, observation: Observation) -> (Step, State) {
        let class = self.goal.action_class(&action);
        let on_screen = self.goal.screen_labels(&observation.screen);
        let after = self.goal.step(state, class, &on_screen);
        let labels = self.goal.action_labels(class).union(&on_screen);
        let step = Step {
            labels: labels.iter().map(|atom| self.goal.atoms()[atom as usize].clone()).collect(),
            residual: self.goal.residual(after).into(),
            reward: self.goal.reward(state, after, Shaping::Atoms),
            action,
            observation,
            why: None,
            learned: None,
        };
        (step, after)
    }

    /// Whether `trace` reaches what the spec asks for.
    pub fn is_won(&mut self, trace: &Trace) -> bool {
        let mut state = State::START;
        trace.steps.iter().any(|step| {
            let class = self.goal.action_class(&step.action);
            let labels = self.goal.screen_labels(&step.observation.screen);
            state = self.goal.step(state, class, &labels);
            self.goal.standing(state).verdict == Verdict::Won
        })
    }

    /// Does the steps of a test on `device`, and says how that went.
    pub fn replay(
        &mut self,
        device: &mut dyn Device,
        steps: &[TestStep],
    ) -> Result<(Replay, Trace), DeviceError> {
        let played = self.play(device, steps.iter().map(|step| &step.action), Missing::Ends)?;
        Ok((verdict(steps, &played), played.trace))
    }

    /// As [`Player::replay`], on an app that is started already: `seen` of it stands for what the first step shows.
    pub fn resume(
        &mut self,
        device: &mut dyn Device,
        seen: Observation,
        steps: &[TestStep],
    ) -> Result<(Replay, Trace), DeviceError> {
        let actions = steps.iter().map(|step| &step.action);
        let played = self.play_on(device, Some(seen), actions, Missing::Ends)?;
        Ok((verdict(steps, &played), played.trace))
    }
}

fn verdict(steps: &[TestStep], played: &Played) -> Replay {
    if played.is_won {
        return Replay::Held;
    }
    let otherwise = steps.iter().zip(&played.trace.steps).enumerate().find_map(|(number, (test, step))| {
        let expected = unseen(test, step)?;
        Some(Replay::Broke { step: number, expected, actual: seen(step) })
    });
    if let Some(broke) = otherwise {
        return broke;
    }
    let last = played.trace.steps.last().expect("a test has a step at least, its start");
    match &played.missing {
        Some((number, nearest)) => Replay::Diverged {
            step: *number,
            expected: steps[*number].action.to_string(),
            actual: seen(last),
            nearest: nearest.as_ref().map(|nearest| near(nearest, &steps[*number].action)),
        },
        None => Replay::Broke {
            step: played.trace.steps.len() - 1,
            expected: "the goal is reached".to_string(),
            actual: format!("{}; what is left is {}", seen(last), last.residual),
        },
    }
}

/// The widget that comes nearest; if it is the one that is meant, what is wrong with it.
fn near(nearest: &Target, action: &Action) -> String {
    let is_meant = action.target().is_some_and(|recorded| recorded.names() == nearest.names());
    if is_meant {
        format!("{nearest}, which takes no {} now", action.type_name())
    } else {
        nearest.to_string()
    }
}

/// What was to be seen at a step and was not, or the other way round.
fn unseen(test: &TestStep, step: &Step) -> Option<String> {
    let labeller =
        Labeller::new(test.sees.iter().enumerate().map(|(number, (atom, _))| (number as u32, atom)));
    let held = labeller.on_screen(&step.observation.screen);
    let wrong = (0..).zip(&test.sees).filter(|(number, (_, holds))| held.contains(number) != *holds);
    let wrong: Vec<String> =
        wrong.map(|(_, (atom, holds))| format!("{}{atom}", if *holds { "" } else { "!" })).collect();
    (!wrong.is_empty()).then(|| wrong.join(" & "))
}

/// What a screen is, in a few words.
fn seen(step: &Step) -> String {
    let screen = &step.observation.screen;
    let context = screen.context();
    let activity: Arc<str> = screen.activity().clone();
    let state = match () {
        () if context.crashed => ", the app has crashed",
        () if context.anr => ", the app does not respond",
        () if !context.screen_on => ", the display is off",
        () => "",
    };
    format!("activity {activity}{state}")
}

#[cfg(test)]
mod tests;
