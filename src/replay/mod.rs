//! Replay: does the steps of a test again and compares the result.
//!
//! Widgets are found again by their names, not by their positions. The original spec decides whether the run of
//! the test came again; [`capture`] makes the formula that describes the steps themselves.

mod capture;
mod scroll;
mod violation;
mod walk;

use std::sync::Arc;

use crate::device::{Device, DeviceError};
use crate::gui::{
    Action, Around, Bounds, Gap, Labeller, Link, Marker, Near, Rules, Screen, Sought, TypedText, quote, seek,
};
use crate::ltl::Interval;
use crate::objective::{Formula, Judgement, Moment, Objective as _, Seen, Shaping, Verdict};
use crate::situation::{ClassId, LookId, PhaseId};
use crate::spec::Spec;
use crate::test_case::TestStep;
use crate::trace::{Observation, Step, Trace};
pub use capture::{Captured, Slack, capture, capture_walk};
use scroll::SCROLLED_ON;
pub use scroll::scrolled_on;
pub(crate) use scroll::{may_scroll_on, scroll_on};
pub use violation::{other_crash, violation};

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
    /// If the step before is a scroll, it goes on until the widget is in view; else the replay ends.
    ScrollOn,
    /// The step is skipped.
    Skip,
}

/// Steps that were done again.
#[derive(Clone, Debug)]
pub struct Played {
    /// The actions and observations.
    pub trace: Trace,
    /// The index of each step of `trace` among the given actions; those in between could not be done. A scroll that went on
    /// has several steps.
    pub done: Vec<usize>,
    /// True if the objective was reached, which ends the replay.
    pub is_won: bool,
    /// The step that could not be done, and the widget nearest to the one it needs.
    pub missing: Option<(usize, Option<Near>)>,
}

/// A step with its labels and the rest of the objective.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The step.
    pub step: Step,
    /// True if the run up to here reaches the objective.
    pub is_won: bool,
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
        self.play_on(device, None, actions.into_iter().map(|action| (action, None)), missing)
    }

    /// Plays as [`Player::play`] does, each action on the widget with its surroundings, if these are known. If `is_started`
    /// has an observation, it replaces the first action's.
    fn play_on<'a>(
        &mut self,
        device: &mut dyn Device,
        mut is_started: Option<Observation>,
        actions: impl IntoIterator<Item = (&'a Action, Option<&'a Around>)>,
        missing: Missing,
    ) -> Result<Played, DeviceError> {
        let mut played = Played { trace: Trace::default(), done: Vec::new(), is_won: false, missing: None };
        let mut phase = PhaseId::START;
        for (number, (recorded, around)) in actions.into_iter().enumerate() {
            let action = match played.trace.steps.last() {
                Some(last) => {
                    let (screen, before) = (last.observation.screen.clone(), last.action.clone());
                    let mut sought = seek(&screen, recorded, around);
                    if missing == Missing::ScrollOn {
                        let mut verdict = Verdict::Open;
                        let wanted = |screen: &Screen| seek(screen, recorded, around);
                        sought = scroll_on(screen, &before, sought, wanted, |action| {
                            if self.rules.forbid(&action) {
                                return Ok(None);
                            }
                            (phase, verdict) =
                                self.perform(device, phase, &mut played, (number - 1, action), None)?;
                            let step = played.trace.steps.last_mut().expect("a step was done");
                            step.why = Some(SCROLLED_ON.into());
                            let is_open = verdict == Verdict::Open;
                            Ok(is_open.then(|| step.observation.screen.clone()))
                        })?;
                        match verdict {
                            Verdict::Won => break,
                            // The recorded run had no such step, so the way there is lost, and not the goal.
                            Verdict::Lost => {
                                played.missing = Some((number, None));
                                break;
                            }
                            Verdict::Open => {}
                        }
                    }
                    match sought {
                        Sought::Found(action) if !self.rules.forbid(&action) => action,
                        Sought::Found(_) | Sought::Missing(_) if missing == Missing::Skip => continue,
                        // A rule forbids the action. Its widget is there, so it is the nearest one itself.
                        Sought::Found(action) => {
                            let near = action.target().map(|on| Near { on: on.clone(), gap: Gap::TakesNone });
                            played.missing = Some((number, near));
                            break;
                        }
                        Sought::Missing(near) => {
                            played.missing = Some((number, near));
                            break;
                        }
                    }
                }
                // Before the first step there is no screen to search for a widget.
                None => recorded.clone(),
            };
            let (next, verdict) =
                self.perform(device, phase, &mut played, (number, action), is_started.take())?;
            phase = next;
            // After `Lost` no later step can reach the goal any more, and each takes time on a device.
            if verdict != Verdict::Open {
                break;
            }
        }
        Ok(played)
    }

    /// Does the action of a number and adds its step to `played`; returns the phase and the verdict after it. If `seen` has
    /// an observation, the action was done already.
    fn perform(
        &mut self,
        device: &mut dyn Device,
        phase: PhaseId,
        played: &mut Played,
        (number, action): (usize, Action),
        seen: Option<Observation>,
    ) -> Result<(PhaseId, Verdict), DeviceError> {
        let observation = match seen {
            Some(seen) => seen,
            None => {
                let before = played.trace.steps.last().map(|last| &last.observation.screen);
                let seen = device.act(&action)?;
                Observation { screen: self.marker.mark(before, &action, seen.screen), ..seen }
            }
        };
        let before = played.trace.steps.last().map(|last| last.observation.clone());
        let (step, judgement) = self.step(phase, before.as_ref(), action, observation);
        played.trace.steps.push(step);
        played.done.push(number);
        played.is_won = judgement.verdict == Verdict::Won;
        Ok((judgement.next, judgement.verdict))
    }

    fn step(
        &mut self,
        phase: PhaseId,
        before: Option<&Observation>,
        action: Action,
        observation: Observation,
    ) -> (Step, Judgement) {
        let (class, look, judgement) = self.judge(phase, before, &action, &observation);
        let step = Step {
            labels: self.objective.labels(phase, class, look),
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
        before: Option<&Observation>,
        action: &Action,
        observation: &Observation,
    ) -> (ClassId, LookId, Judgement) {
        let screen = &observation.screen;
        let (link, interval) = link_of(before, action, observation);
        let link = self.objective.link(link, interval);
        let (class, look) = (self.objective.class(action), self.objective.look(Some(screen), link));
        // A replay is no part of a search, so nothing in it counts as new.
        let moment = Moment { action, class, seen: Seen::Recalled(screen), look, is_new: false };
        (class, look, self.objective.step(phase, &moment))
    }

    /// Judges steps that somebody has done, up to the first that reaches the objective.
    pub fn judge_all(&mut self, steps: impl IntoIterator<Item = (Action, Observation)>) -> Vec<Judged> {
        let mut phase = PhaseId::START;
        let mut judged: Vec<Judged> = Vec::new();
        for (action, observation) in steps {
            let before = judged.last().map(|last| last.step.observation.clone());
            let (step, judgement) = self.step(phase, before.as_ref(), action, observation);
            phase = judgement.next;
            let is_won = judgement.verdict == Verdict::Won;
            judged.push(Judged { step, is_won });
            if is_won {
                break;
            }
        }
        judged
    }

    /// Returns true if `trace` reaches the objective of the spec.
    pub fn is_won(&mut self, trace: &Trace) -> bool {
        let (mut phase, mut before) = (PhaseId::START, None);
        trace.steps.iter().any(|step| {
            let (_, _, judgement) = self.judge(phase, before, &step.action, &step.observation);
            (phase, before) = (judgement.next, Some(&step.observation));
            judgement.verdict == Verdict::Won
        })
    }

    /// Does the steps of a test on `device` and returns the result.
    pub fn replay(
        &mut self,
        device: &mut dyn Device,
        steps: &[TestStep],
    ) -> Result<(Replay, Trace), DeviceError> {
        let played = self.play_on(device, None, with_surroundings(steps), Missing::ScrollOn)?;
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
        let played = self.play_on(device, Some(seen), with_surroundings(steps), Missing::ScrollOn)?;
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
        let Some(mut done) = steps.first().map(|step| step.action.clone()) else {
            return Ok((Replay::Reproduced, seen));
        };
        for (number, step) in steps.iter().enumerate() {
            let mut before: Option<Arc<Screen>> = None;
            // The first step names the start, which has happened.
            if number > 0 {
                let mut act = |before: &mut Observation, action: Action| {
                    let after = device.act(&action)?;
                    let screen = self.marker.mark(Some(&before.screen), &action, after.screen);
                    *before = Observation { screen, ..after };
                    Ok(before.screen.clone())
                };
                let wanted = |screen: &Screen| seek(screen, &step.action, step.around.as_ref());
                let (screen, sought) = (seen.screen.clone(), wanted(&seen.screen));
                let sought =
                    scroll_on(screen, &done, sought, wanted, |action| act(&mut seen, action).map(Some))?;
                done = match sought {
                    Sought::Found(action) => action,
                    Sought::Missing(near) => return Ok((diverged(number, step, near.as_ref(), &seen), seen)),
                };
                before = Some(seen.screen.clone());
                act(&mut seen, done.clone())?;
            }
            if let Some(expected) = unseen(step, (before.as_deref(), &done, &seen), self.typed) {
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
    let otherwise = steps.iter().enumerate().find_map(|(number, test)| {
        // Of a scroll that went on, the last step counts: the recorded screen may have come into view by then.
        let at = played.done.iter().rposition(|&done| done == number)?;
        let step = &played.trace.steps[at];
        let before = at.checked_sub(1).map(|before| &*played.trace.steps[before].observation.screen);
        let expected = unseen(test, (before, &step.action, &step.observation), typed)?;
        Some(Replay::NotReproduced { step: at, expected, actual: screen_text(&step.observation) })
    });
    if let Some(different) = otherwise {
        return different;
    }
    let last = played.trace.steps.last().expect("a test has a step at least, its start");
    match &played.missing {
        // Steps are counted in the replay, which may have more scrolls than the test.
        Some((number, near)) => {
            diverged(played.trace.steps.len(), &steps[*number], near.as_ref(), &last.observation)
        }
        None => Replay::NotReproduced {
            // Every step went as expected, so none is to blame more than the last.
            step: played.trace.steps.len() - 1,
            expected: "the goal is reached".to_string(),
            actual: format!("{}; what is left is {}", screen_text(&last.observation), last.remaining),
        },
    }
}

/// Returns the actions of `steps` with the surroundings of their widgets.
fn with_surroundings(steps: &[TestStep]) -> impl Iterator<Item = (&Action, Option<&Around>)> {
    steps.iter().map(|step| (&step.action, step.around.as_ref()))
}

/// Returns the divergence at `step`, whose widget is not on the screen of `seen`.
fn diverged(number: usize, step: &TestStep, near: Option<&Near>, seen: &Observation) -> Replay {
    let Gone { expected, nearest, nearest_at } = Gone::of(step, near);
    Replay::Diverged { step: number, expected, actual: screen_text(seen), nearest, nearest_at }
}

/// A step that cannot be done, in words.
#[derive(Clone, Debug)]
pub(crate) struct Gone {
    /// The recorded action.
    pub expected: String,
    /// The nearest widget.
    pub nearest: Option<String>,
    /// The pixels that it covers.
    pub nearest_at: Option<Bounds>,
}

impl Gone {
    /// Describes `step`, whose widget is not there; `near` is the nearest one.
    pub fn of(step: &TestStep, near: Option<&Near>) -> Gone {
        let mut expected = step.action.to_string();
        if let (Some(Near { gap: Gap::Beside(_), .. }), Some(around)) = (near, &step.around) {
            expected.push_str(&beside(&around.beside));
        }
        let nearest = near.map(|Near { on, gap }| match gap {
            Gap::Other => on.to_string(),
            Gap::TakesNone => format!("{on}, which takes no {} now", step.action.type_name()),
            Gap::Beside(words) => format!("{on}{}", beside(words)),
            Gap::Several => format!("{on}, and nothing tells it from others like it"),
        });
        Gone { expected, nearest, nearest_at: near.map(|near| near.on.bounds) }
    }
}

fn beside(words: &str) -> String {
    if words.is_empty() {
        ", without words beside it".to_string()
    } else {
        format!(" beside {}", quote(words))
    }
}

/// Returns the atoms of `test` that do not have their recorded value at a step, if there are any.
pub(crate) fn unseen(
    test: &TestStep,
    (before, action, seen): (Option<&Screen>, &Action, &Observation),
    typed: TypedText,
) -> Option<String> {
    let labeller =
        Labeller::new(test.sees.iter().enumerate().map(|(number, (atom, _))| (number as u32, atom)), typed);
    let held = labeller.of_step(before, action, &seen.screen);
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
    let crash = screen.crash().map_or(String::new(), |crash| format!(": {crash}"));
    format!("activity {activity}{state}{crash}")
}

/// Returns the link of a step from what was seen `before` to the screen of `seen`, and the times of the two.
fn link_of<'a>(
    before: Option<&'a Observation>,
    action: &'a Action,
    seen: &'a Observation,
) -> (Link<'a>, Interval) {
    let interval =
        before.map_or(Interval::default(), |before| Interval { from_ms: before.at_ms, to_ms: seen.at_ms });
    let before = before.map(|before| &*before.screen);
    (Link { before, action: Some(action), after: &seen.screen }, interval)
}

#[cfg(test)]
mod tests;
