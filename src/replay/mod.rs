//! Replay: does the steps of a test again and compares the result.
//!
//! Widgets are found again by their names, not by their positions. The original spec decides whether the run of
//! the test came again; [`capture`] makes the formula that describes the steps themselves.

mod capture;
mod violation;
mod walk;

use std::sync::Arc;

use crate::device::{Device, DeviceError};
use crate::gui::{Action, Bounds, Labeller, Marker, Rules, Sought, Target, TypedText, seek};
use crate::objective::{Formula, Judgement, Moment, Objective as _, Seen, Shaping, Verdict};
use crate::situation::{ClassId, LookId, PhaseId};
use crate::spec::Spec;
use crate::test_case::TestStep;
use crate::trace::{Observation, Step, Trace};
pub use capture::{Captured, capture};
pub use violation::violation;

/// Does steps again and evaluates them under one spec.
#[derive(Debug)]
pub struct Player {
    objective: Formula,
    typed: TypedText,
    rules: Arc<Rules>,
    marker: Marker,
}

/// Reaction to a step whose widget is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The step cannot be done, and the replay ends.
    Stop,
    /// The step is skipped.
    Skip,
}

/// Steps that were done again.
#[derive(Clone, Debug)]
pub struct Played {
    /// The actions and observations.
    pub trace: Trace,
    /// The index of each step of `trace` among the given actions; those in between could not be done.
    pub done: Vec<usize>,
    /// True if the objective was reached, which ends the replay.
    pub is_won: bool,
    /// The step that could not be done, and the widget nearest to the one it needs.
    pub missing: Option<(usize, Option<Target>)>,
}

/// The result of replaying a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Replay {
    /// The objective was reached.
    Reproduced,
    /// All steps could be done, without reaching the objective.
    NotReproduced {
        /// The first step with an unexpected observation, else the last.
        step: usize,
        /// The expected observation.
        expected: String,
        /// The actual observation.
        actual: String,
    },
    /// A step could not be done, after only expected observations.
    Diverged {
        /// The step.
        step: usize,
        /// The recorded action.
        expected: String,
        /// The actual screen.
        actual: String,
        /// The nearest widget.
        nearest: Option<String>,
        /// The pixels that it covers.
        nearest_at: Option<Bounds>,
    },
}

impl Player {
    /// Returns a player for `spec`.
    pub fn new(spec: &Spec) -> Player {
        Player::within(spec, Arc::default())
    }

    /// Returns a player for `spec` that does nothing `rules` forbid: a forbidden step cannot be done.
    pub fn within(spec: &Spec, rules: Arc<Rules>) -> Player {
        let objective = Formula::new(spec, Shaping::Atoms);
        Player { objective, typed: spec.typed, rules, marker: Marker::default() }
    }

    /// Does `actions` on `device`, the first of which starts the app, until the objective is reached or out of
    /// reach.
    pub fn play<'a>(
        &mut self,
        device: &mut dyn Device,
        actions: impl IntoIterator<Item = &'a Action>,
        missing: Missing,
    ) -> Result<Played, DeviceError> {
        self.play_on(device, None, actions, missing)
    }

    /// Plays as [`Player::play`] does. If `is_started` has an observation, it replaces the first action's.
    fn play_on<'a>(
        &mut self,
        device: &mut dyn Device,
        mut is_started: Option<Observation>,
        actions: impl IntoIterator<Item = &'a Action>,
        missing: Missing,
    ) -> Result<Played, DeviceError> {
        let mut played = Played { trace: Trace::default(), done: Vec::new(), is_won: false, missing: None };
        let mut phase = PhaseId::START;
        for (number, recorded) in actions.into_iter().enumerate() {
            let action = match played.trace.steps.last() {
                Some(last) => match seek(&last.observation.screen, recorded) {
                    Sought::Found(action) if !self.rules.forbid(&action) => action,
                    Sought::Found(_) | Sought::Missing { .. } if missing == Missing::Skip => continue,
                    // A rule forbids the action. Its widget is there, so it is the nearest one itself.
                    Sought::Found(action) => {
                        played.missing = Some((number, action.target().cloned()));
                        break;
                    }
                    Sought::Missing { nearest } => {
                        played.missing = Some((number, nearest));
                        break;
                    }
                },
                // Before the first step there is no screen to search for a widget.
                None => recorded.clone(),
            };
            let observation = match is_started.take() {
                Some(seen) => seen,
                None => {
                    let before = played.trace.steps.last().map(|last| &last.observation.screen);
                    let seen = device.act(&action)?;
                    Observation { screen: self.marker.mark(before, &action, seen.screen), ..seen }
                }
            };
            let (step, judgement) = self.step(phase, action, observation);
            phase = judgement.next;
            played.trace.steps.push(step);
            played.done.push(number);
            match judgement.verdict {
                Verdict::Won => {
                    played.is_won = true;
                    break;
                }
                // No later step can reach the goal any more, and each takes time on a device.
                Verdict::Lost => break,
                Verdict::Open => {}
            }
        }
        Ok(played)
    }

    fn step(&mut self, phase: PhaseId, action: Action, observation: Observation) -> (Step, Judgement) {
        let (class, look, judgement) = self.judge(phase, &action, &observation);
        let step = Step {
            labels: self.objective.labels(class, look),
            remaining: self.objective.remaining(judgement.next).into(),
            reward: judgement.reward,
            action,
            observation,
            why: None,
            learned: None,
        };
        (step, judgement)
    }

    fn judge(
        &mut self,
        phase: PhaseId,
        action: &Action,
        observation: &Observation,
    ) -> (ClassId, LookId, Judgement) {
        let screen = &observation.screen;
        let (class, look) = (self.objective.class(action), self.objective.look(Some(screen)));
        // A replay is no part of a search, so nothing in it counts as new.
        let moment = Moment { action, class, seen: Seen::Recalled(screen), look, is_new: false };
        (class, look, self.objective.step(phase, &moment))
    }

    /// Returns true if `trace` reaches the objective of the spec.
    pub fn is_won(&mut self, trace: &Trace) -> bool {
        let mut phase = PhaseId::START;
        trace.steps.iter().any(|step| {
            let (_, _, judgement) = self.judge(phase, &step.action, &step.observation);
            phase = judgement.next;
            judgement.verdict == Verdict::Won
        })
    }

    /// Does the steps of a test on `device` and returns the result.
    pub fn replay(
        &mut self,
        device: &mut dyn Device,
        steps: &[TestStep],
    ) -> Result<(Replay, Trace), DeviceError> {
        let played = self.play(device, steps.iter().map(|step| &step.action), Missing::Stop)?;
        Ok((verdict(steps, &played, self.typed), played.trace))
    }

    /// Replays as [`Player::replay`] does on an app that is already started; `seen` replaces the first step's
    /// observation.
    pub fn resume(
        &mut self,
        device: &mut dyn Device,
        seen: Observation,
        steps: &[TestStep],
    ) -> Result<(Replay, Trace), DeviceError> {
        let actions = steps.iter().map(|step| &step.action);
        let played = self.play_on(device, Some(seen), actions, Missing::Stop)?;
        Ok((verdict(steps, &played, self.typed), played.trace))
    }
}

/// Does steps again without a spec: they hold if all can be done and see what they saw.
#[derive(Debug)]
pub struct Repeater {
    typed: TypedText,
    marker: Marker,
}

impl Repeater {
    /// Returns a repeater that counts typed text as `typed` says.
    pub fn new(typed: TypedText) -> Repeater {
        Repeater { typed, marker: Marker::default() }
    }

    /// Does `steps` on an app that is already started and shows `seen`; returns the last observation too.
    pub fn resume(
        &mut self,
        device: &mut dyn Device,
        mut seen: Observation,
        steps: &[TestStep],
    ) -> Result<(Replay, Observation), DeviceError> {
        for (number, step) in steps.iter().enumerate() {
            // The first step names the start, which has happened.
            if number > 0 {
                let action = match seek(&seen.screen, &step.action) {
                    Sought::Found(action) => action,
                    Sought::Missing { nearest } => {
                        let diverged = Replay::Diverged {
                            step: number,
                            expected: step.action.to_string(),
                            actual: screen_text(&seen),
                            nearest: nearest.as_ref().map(|nearest| near(nearest, &step.action)),
                            nearest_at: nearest.as_ref().map(|nearest| nearest.bounds),
                        };
                        return Ok((diverged, seen));
                    }
                };
                let after = device.act(&action)?;
                seen = Observation {
                    screen: self.marker.mark(Some(&seen.screen), &action, after.screen),
                    ..after
                };
            }
            if let Some(expected) = unseen(step, &seen, self.typed) {
                let different = Replay::NotReproduced { step: number, expected, actual: screen_text(&seen) };
                return Ok((different, seen));
            }
        }
        Ok((Replay::Reproduced, seen))
    }
}

fn verdict(steps: &[TestStep], played: &Played, typed: TypedText) -> Replay {
    if played.is_won {
        return Replay::Reproduced;
    }
    // An unexpected observation explains more than a missing widget after it, so it comes first.
    let otherwise = steps.iter().zip(&played.trace.steps).enumerate().find_map(|(number, (test, step))| {
        let expected = unseen(test, &step.observation, typed)?;
        Some(Replay::NotReproduced { step: number, expected, actual: screen_text(&step.observation) })
    });
    if let Some(different) = otherwise {
        return different;
    }
    let last = played.trace.steps.last().expect("a test has a step at least, its start");
    match &played.missing {
        Some((number, nearest)) => Replay::Diverged {
            step: *number,
            expected: steps[*number].action.to_string(),
            actual: screen_text(&last.observation),
            nearest: nearest.as_ref().map(|nearest| near(nearest, &steps[*number].action)),
            nearest_at: nearest.as_ref().map(|nearest| nearest.bounds),
        },
        None => Replay::NotReproduced {
            // Every step went as expected, so none is to blame more than the last.
            step: played.trace.steps.len() - 1,
            expected: "the goal is reached".to_string(),
            actual: format!("{}; what is left is {}", screen_text(&last.observation), last.remaining),
        },
    }
}

/// Describes the nearest widget; if it is the one meant, says why it does not fit.
fn near(nearest: &Target, action: &Action) -> String {
    let is_meant = action.target().is_some_and(|recorded| recorded.names() == nearest.names());
    if is_meant {
        format!("{nearest}, which takes no {} now", action.type_name())
    } else {
        nearest.to_string()
    }
}

/// Returns the atoms of `test` that do not have their recorded value in `observation`, if there are any.
fn unseen(test: &TestStep, observation: &Observation, typed: TypedText) -> Option<String> {
    let labeller =
        Labeller::new(test.sees.iter().enumerate().map(|(number, (atom, _))| (number as u32, atom)), typed);
    let held = labeller.on_screen(&observation.screen);
    let wrong = (0..).zip(&test.sees).filter(|(number, (_, holds))| held.contains(number) != *holds);
    let wrong: Vec<String> =
        wrong.map(|(_, (atom, holds))| format!("{}{atom}", if *holds { "" } else { "!" })).collect();
    (!wrong.is_empty()).then(|| wrong.join(" & "))
}

/// Describes a screen in a few words.
fn screen_text(observation: &Observation) -> String {
    let screen = &observation.screen;
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
