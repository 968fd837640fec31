//! Set-up: stored tests that run before each episode, so that it begins where they end.
//!
//! The app is started afresh once; each test goes on from the end of the one before it, without its own start. The steps
//! of these tests are no steps of the episode. If a test does not hold, the set-up is tried again on the app started
//! afresh, as apps vary. A test that is found behind a set-up keeps the steps of the set-up. Choosing the tests is for
//! others.

use std::sync::Arc;

use crate::device::sim::{Sim, SimOutcome};
use crate::device::{App, Ask, Decorator, Device, DeviceError};
use crate::gui::{Action, UserAction};
use crate::replay::{Player, Repeater, Replay};
use crate::test_case::{SetUpRun, TestCase, TestStep};
use crate::trace::Observation;

/// Most tries of a set-up: a test that breaks in all of them does not set the app up.
const TRIES_MAX: u32 = 3;

/// Most ways of chance through a set-up that are followed.
const WAYS_MAX: usize = 1_000;

/// A test that runs before each episode.
#[derive(Clone, Debug)]
pub enum SetUpTest {
    /// A stored test, whose run comes again if it does what its spec says.
    Stored {
        /// File of the test, for people.
        name: String,
        /// The test.
        test: Box<TestCase>,
    },
    /// The steps that another test keeps, which come again if all can be done and see what they saw.
    Kept(SetUpRun),
}

impl SetUpTest {
    /// Returns the file of the test, for people.
    pub fn name(&self) -> &str {
        match self {
            SetUpTest::Stored { name, .. } | SetUpTest::Kept(SetUpRun { name, .. }) => name,
        }
    }

    /// Returns its steps.
    pub fn steps(&self) -> &[TestStep] {
        match self {
            SetUpTest::Stored { test, .. } => &test.steps,
            SetUpTest::Kept(run) => &run.steps,
        }
    }

    /// Returns the activity that it starts.
    pub fn starts(&self) -> &str {
        self.steps().first().map_or("", |start| start.action.detail())
    }

    /// Returns its steps as another test keeps them.
    fn run(&self) -> SetUpRun {
        match self {
            SetUpTest::Stored { name, test } => {
                SetUpRun { name: name.clone(), typed: test.oracle.typed, steps: test.steps.clone() }
            }
            SetUpTest::Kept(run) => run.clone(),
        }
    }
}

/// Returns `tests` as a test keeps them, and adds the user's actions in them to `actions`, those of the test.
pub fn kept(tests: &[SetUpTest], actions: &mut Vec<UserAction>) -> Vec<SetUpRun> {
    let mut runs: Vec<SetUpRun> = tests.iter().map(SetUpTest::run).collect();
    for step in runs.iter_mut().flat_map(|run| &mut run.steps) {
        let Action::User { action: own, .. } = &mut step.action else { continue };
        // The same name may be declared otherwise in two files of specs, and a test declares each name once.
        let mut named = UserAction::clone(own);
        for number in 2_u32.. {
            match actions.iter().find(|known| known.name == named.name) {
                Some(known) if *known == named => break,
                Some(_) => named.name = format!("{}_{number}", own.name),
                None => {
                    actions.push(named.clone());
                    break;
                }
            }
        }
        *own = Arc::new(named);
    }
    runs
}

/// Describes in a line the device `device`, which `tests` set up.
pub fn described<'t>(device: String, tests: impl Iterator<Item = &'t SetUpTest>) -> String {
    let names: Vec<&str> = tests.map(SetUpTest::name).collect();
    if names.is_empty() { device } else { format!("{device}, set up by {}", names.join(", ")) }
}

/// A device that sets the app up whenever it starts it.
pub struct Prepared {
    inner: Box<dyn Device>,
    app: App,
    set_up: SetUp,
}

impl Prepared {
    /// Wraps `inner`, on which `tests` run at each start; there is one at least. They start the same activity, and no other
    /// can be launched.
    pub fn new(inner: Box<dyn Device>, tests: &[SetUpTest]) -> Prepared {
        let first = tests.first().map_or("", SetUpTest::starts);
        let app = inner.app();
        let launchable = app.launchable.iter().filter(|activity| ***activity == *first).cloned().collect();
        Prepared { app: App { launchable, ..app.clone() }, inner, set_up: SetUp::new(tests) }
    }

    fn start(&mut self, activity: &str) -> Result<Observation, DeviceError> {
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
}

impl Decorator for Prepared {
    fn inner(&self) -> &dyn Device {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        &mut *self.inner
    }

    fn describe(&self) -> String {
        described(self.inner.describe(), self.set_up.tests.iter().map(|(test, _)| test))
    }

    fn app(&self) -> &App {
        &self.app
    }

    fn ask(&mut self, ask: Ask<'_>) -> Result<Observation, DeviceError> {
        match ask {
            Ask::Reset(activity) => self.start(activity),
            Ask::Act(Action::Reinitialise(activity)) => self.start(activity),
            other => other.of(&mut *self.inner),
        }
    }
}

/// Tests in a row, each with its player.
struct SetUp {
    tests: Vec<(SetUpTest, Performer)>,
}

/// Does the steps of a set-up test, and judges them.
enum Performer {
    Player(Box<Player>),
    Repeater(Repeater),
}

impl Performer {
    fn new(one: &SetUpTest) -> Performer {
        match one {
            SetUpTest::Stored { test, .. } => Performer::Player(Box::new(Player::new(&test.oracle))),
            SetUpTest::Kept(run) => Performer::Repeater(Repeater::new(run.typed)),
        }
    }

    /// Goes on from `seen`; returns the last observation if the test holds.
    fn resume(
        &mut self,
        device: &mut dyn Device,
        seen: Observation,
        steps: &[TestStep],
    ) -> Result<(Replay, Observation), DeviceError> {
        match self {
            Performer::Player(player) => {
                let (replay, trace) = player.resume(device, seen.clone(), steps)?;
                Ok((replay, trace.steps.into_iter().next_back().map_or(seen, |step| step.observation)))
            }
            Performer::Repeater(repeater) => repeater.resume(device, seen, steps),
        }
    }
}

impl SetUp {
    fn new(tests: &[SetUpTest]) -> SetUp {
        SetUp { tests: tests.iter().map(|one| (one.clone(), Performer::new(one))).collect() }
    }

    /// Refuses a run that starts with another activity than the tests.
    fn check_start(&self, activity: &str) -> Result<(), DeviceError> {
        match self.tests.iter().find(|(one, _)| one.starts() != activity) {
            Some((one, _)) => Err(DeviceError::SetUp {
                test: one.name().to_string(),
                step: 0,
                why: format!("it starts {}, and this run {activity}", one.starts()),
                tries: 1,
            }),
            None => Ok(()),
        }
    }

    /// Runs all tests on an app that was started and shows `seen`; returns the last observation.
    fn go_on(&mut self, device: &mut dyn Device, mut seen: Observation) -> Result<Observation, DeviceError> {
        for (one, performer) in &mut self.tests {
            let (replay, last) = performer.resume(device, seen, one.steps())?;
            seen = last;
            let (step, why) = match replay {
                Replay::Reproduced => continue,
                Replay::NotReproduced { step, expected, actual } => {
                    (step, format!("{expected} was expected, and there is {actual}"))
                }
                Replay::Diverged { step, expected, actual, nearest, .. } => {
                    let nearest =
                        nearest.map_or(String::new(), |nearest| format!("; the nearest is {nearest}"));
                    (step, format!("{expected} cannot be done, and there is {actual}{nearest}"))
                }
            };
            return Err(DeviceError::SetUp { test: one.name().to_string(), step, why, tries: 1 });
        }
        Ok(seen)
    }
}

/// Returns all outcomes of starting the app afresh with `activity` and setting it up by `tests`; `None` if chance has too
/// many ways.
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
        // The tests have marked the text that they typed.
        let observation = done?;
        let outcome = SimOutcome { observation, ..way.last.take().expect("it has been started") };
        let is_same = |known: &&mut SimOutcome| {
            known.after == outcome.after
                && known.observation.screen.identity() == outcome.observation.screen.identity()
        };
        match all.iter_mut().find(is_same) {
            Some(known) => known.probability += outcome.probability,
            None => all.push(outcome),
        }
        if !way.turn() {
            return Ok(Some(all));
        }
    }
    Ok(None)
}

/// A simulator that goes through all ways of chance, one after the other.
struct Way<'a> {
    sim: &'a mut Sim,
    /// Number of choices on this way so far.
    at: usize,
    /// Index of the outcome that is chosen at each step, and number of outcomes there.
    choices: Vec<(usize, usize)>,
    last: Option<SimOutcome>,
    /// True if chance had too many ways at a step.
    is_too_much: bool,
}

impl Way<'_> {
    /// Turns to the next way; returns false if there is none.
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
            // The caller sees the flag first, and never this error.
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

impl Decorator for Way<'_> {
    fn inner(&self) -> &dyn Device {
        self.sim
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        self.sim
    }

    fn ask(&mut self, ask: Ask<'_>) -> Result<Observation, DeviceError> {
        let outcomes = match ask {
            Ask::Look => return self.sim.look(),
            Ask::Reset(activity) => self.sim.start_outcomes(activity)?,
            Ask::Act(action) => self.sim.outcomes(action)?,
        };
        self.choose(outcomes)
    }
}
