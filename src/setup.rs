//! Set-up: stored tests that are done before each episode, so that it begins where they end.
//!
//! The app is started afresh once; each test goes on from where the one before it has ended, and its own start is left
//! out. What they do is no step of the episode. Where they do not hold, they are tried again on the app started afresh, as
//! apps vary. Which tests these are is for others to say.

use crate::device::sim::{Sim, SimOutcome};
use crate::device::{App, Device, DeviceError};
use crate::gui::Action;
use crate::replay::{Player, Replay};
use crate::test_case::TestCase;
use crate::trace::Observation;

/// How often a set-up is tried that chance has broken: an app that breaks it more often is not set up by it.
const TRIES_MAX: u32 = 3;

/// Chance may have so many ways through a set-up before it is too much to follow.
const WAYS_MAX: usize = 1_000;

/// A stored test that is done before each episode.
#[derive(Clone, Debug)]
pub struct SetUpTest {
    /// Where it is stored, for people.
    pub name: String,
    /// The test.
    pub test: TestCase,
}

impl SetUpTest {
    /// The activity it starts.
    pub fn starts(&self) -> &str {
        self.test.steps.first().map_or("", |start| start.action.detail())
    }
}

/// A device that is set up by `tests`, in a line, where `device` says which it is.
pub fn described<'t>(device: String, tests: impl Iterator<Item = &'t SetUpTest>) -> String {
    let names: Vec<&str> = tests.map(|test| &*test.name).collect();
    if names.is_empty() { device } else { format!("{device}, set up by {}", names.join(", ")) }
}

/// A device whose app is set up whenever it is started.
pub struct Prepared {
    inner: Box<dyn Device>,
    app: App,
    set_up: SetUp,
}

impl Prepared {
    /// Returns `inner`, on which `tests` are done at each start, one at least. They start the same activity, and no other
    /// can be launched.
    pub fn new(inner: Box<dyn Device>, tests: &[SetUpTest]) -> Prepared {
        let first = tests.first().map_or("", SetUpTest::starts);
        let app = inner.app();
        let launchable = app.launchable.iter().filter(|activity| ***activity == *first).cloned().collect();
        Prepared { app: App { launchable, ..app.clone() }, inner, set_up: SetUp::new(tests) }
    }
}

impl Device for Prepared {
    fn describe(&self) -> String {
        described(self.inner.describe(), self.set_up.tests.iter().map(|(test, _)| test))
    }

    fn app(&self) -> &App {
        &self.app
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        self.set_up.check_start(activity)?;
        let mut tries = 1;
        loop {
            let seen = self.inner.reset(activity)?;
            match self.set_up.go_on(&mut *self.inner, seen) {
                Err(DeviceError::SetUp { .. }) if tries < TRIES_MAX => tries += 1,
                Err(DeviceError::SetUp { test, step, why, .. }) => {
                    return Err(DeviceError::SetUp { test, step, why, tries });
                }
                done => return done,
            }
        }
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        match action {
            Action::Reinitialise(activity) => self.reset(activity),
            other => self.inner.act(other),
        }
    }
}

/// Tests in a row, each with who plays it.
struct SetUp {
    tests: Vec<(SetUpTest, Player)>,
}

impl SetUp {
    fn new(tests: &[SetUpTest]) -> SetUp {
        SetUp { tests: tests.iter().map(|one| (one.clone(), Player::new(&one.test.oracle))).collect() }
    }

    /// Says no to a run that starts otherwise than the tests do.
    fn check_start(&self, activity: &str) -> Result<(), DeviceError> {
        match self.tests.iter().find(|(one, _)| one.starts() != activity) {
            Some((one, _)) => Err(DeviceError::SetUp {
                test: one.name.clone(),
                step: 0,
                why: format!("it starts {}, and this run {activity}", one.starts()),
                tries: 1,
            }),
            None => Ok(()),
        }
    }

    /// Does all tests on an app that has been started and shows what is `seen`; returns what is seen then.
    fn go_on(&mut self, device: &mut dyn Device, mut seen: Observation) -> Result<Observation, DeviceError> {
        for (one, player) in &mut self.tests {
            let (replay, trace) = player.resume(device, seen.clone(), &one.test.steps)?;
            let (step, why) = match replay {
                Replay::Held => {
                    seen = trace.steps.into_iter().next_back().map_or(seen, |step| step.observation);
                    continue;
                }
                Replay::Broke { step, expected, actual } => {
                    (step, format!("{expected} was expected, and there is {actual}"))
                }
                Replay::Diverged { step, expected, actual, nearest } => {
                    let nearest =
                        nearest.map_or(String::new(), |nearest| format!("; the nearest is {nearest}"));
                    (step, format!("{expected} cannot be done, and there is {actual}{nearest}"))
                }
            };
            return Err(DeviceError::SetUp { test: one.name.clone(), step, why, tries: 1 });
        }
        Ok(seen)
    }
}

/// Returns all that starting the app afresh with `activity` and setting it up by `tests` may lead to; `None` if chance has
/// too many ways.
pub fn prepared_outcomes(
    sim: &mut Sim,
    activity: &str,
    tests: &[SetUpTest],
) -> Result<Option<Vec<SimOutcome>>, DeviceError> {
    let mut set_up = SetUp::new(tests);
    set_up.check_start(activity)?;
    let mut all: Vec<SimOutcome> = Vec::new();
    let mut way = Way { sim, at: 0, choices: Vec::new(), last: None, is_too_much: false };
    for _ in 0..WAYS_MAX {
        way.at = 0;
        way.last = None;
        let done = way.reset(activity).and_then(|seen| set_up.go_on(&mut way, seen));
        if way.is_too_much {
            return Ok(None);
        }
        done?;
        let outcome = way.last.take().expect("it has been started");
        match all.iter_mut().find(|known| known.after == outcome.after) {
            Some(known) => known.probability += outcome.probability,
            None => all.push(outcome),
        }
        if !way.turn() {
            return Ok(Some(all));
        }
    }
    Ok(None)
}

/// A simulator on which chance is chosen: the ways it may go come one after the other.
struct Way<'a> {
    sim: &'a mut Sim,
    /// How many choices were made on this way.
    at: usize,
    /// Which outcome is chosen at each step, and of how many.
    choices: Vec<(usize, usize)>,
    last: Option<SimOutcome>,
    /// Whether chance had too many ways at a step.
    is_too_much: bool,
}

impl Way<'_> {
    /// Turns to the next way; whether there is one.
    fn turn(&mut self) -> bool {
        while let Some((chosen, of)) = self.choices.pop() {
            if chosen + 1 < of {
                self.choices.push((chosen + 1, of));
                return true;
            }
        }
        false
    }

    fn choose(&mut self, outcomes: Option<Vec<SimOutcome>>) -> Result<Observation, DeviceError> {
        let Some(mut outcomes) = outcomes else {
            self.is_too_much = true;
            // Nobody asks what is seen on a way that is not followed.
            return Err(DeviceError::Faulty { step: self.at });
        };
        if self.choices.len() == self.at {
            self.choices.push((0, outcomes.len()));
        }
        let mut outcome = outcomes.swap_remove(self.choices[self.at].0);
        self.at += 1;
        outcome.probability *= self.last.as_ref().map_or(1.0, |last| last.probability);
        self.sim.restore(outcome.after);
        let seen = outcome.observation.clone();
        self.last = Some(outcome);
        Ok(seen)
    }
}

impl Device for Way<'_> {
    fn describe(&self) -> String {
        self.sim.describe()
    }

    fn app(&self) -> &App {
        self.sim.app()
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        let outcomes = self.sim.start_outcomes(activity)?;
        self.choose(outcomes)
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        let outcomes = self.sim.outcomes(action)?;
        self.choose(outcomes)
    }
}
