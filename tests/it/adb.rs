//! A phone reached by adb gives what the simulator gives: the same runs on both, and the same observations.
//!
//! Most runs go straight to the simulated phone's shell, in place of a server of adb; some go through a real one, where
//! `adb` is to be had.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use farlead::device::adb::{Adb, Answer, Line, LineError, Options, Subject};
use farlead::device::adbd::{self, WireFault};
use farlead::device::phone::{AndroidVersion, Phone};
use farlead::device::sim::model::Model;
use farlead::device::{Device, Notice, Observation, Sim};
use farlead::gui::{Action, Repertoire, offers};
use farlead::rng::{Rng, Seed};

use crate::phone::{bundled, model_of};

/// The shell of a simulated phone, in place of a line to it.
#[derive(Clone)]
struct Direct {
    phone: Arc<Mutex<Phone>>,
}

impl Direct {
    fn new(phone: Phone) -> Direct {
        Direct { phone: Arc::new(Mutex::new(phone)) }
    }
}

impl Line for Direct {
    fn serial(&self) -> &str {
        "127.0.0.1:15555"
    }

    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError> {
        let mut phone = self.phone.lock().expect("a phone");
        let fault = adbd::Phone::wire_fault(&mut *phone);
        let lost = |stdout: Vec<u8>| LineError::Lost { stdout, why: None };
        match fault {
            Some(WireFault::DropBefore | WireFault::Offline) => return Err(lost(Vec::new())),
            Some(WireFault::DropAmid | WireFault::Stall | WireFault::CloseTwice) | None => {}
        }
        let ran = phone.shell(command, b"");
        match fault {
            Some(WireFault::DropAmid) => Err(lost(ran.stdout[..ran.stdout.len() / 2].to_vec())),
            Some(WireFault::Stall) => {
                Err(LineError::Silent { stdout: Vec::new(), waited_ms: within.as_millis() as u64 })
            }
            Some(WireFault::DropBefore | WireFault::Offline | WireFault::CloseTwice) | None => {
                Ok(Answer { stdout: ran.stdout, stderr: ran.stderr, code: ran.code })
            }
        }
    }

    fn push(&mut self, bytes: Arc<[u8]>, to: &str, _: Duration) -> Result<(), LineError> {
        let mut phone = self.phone.lock().expect("a phone");
        phone.write(to, 0o100_644, 0, &bytes).map_err(|error| LineError::File { why: error.to_string() })
    }

    fn recover(&mut self, _: Duration) -> Result<(), LineError> {
        Ok(())
    }
}

fn options() -> Options {
    Options { pause: Duration::ZERO, ..Options::default() }
}

fn package(model: &Model) -> Subject {
    Subject::Package(model.package.to_string())
}

/// What tells one observation from another, but for the time.
fn told(seen: &Observation) -> (String, Vec<Notice>) {
    let screen = serde_json::to_string(&*seen.screen).expect("a screen");
    (screen, seen.notices.iter().map(as_logged).collect())
}

/// A notice as the log of a phone has it: indented as Android does, and with a stack.
fn as_logged(notice: &Notice) -> Notice {
    match notice {
        Notice::Crash(trace) => {
            let lines = trace.lines().map(str::trim);
            let kept = lines.filter(|line| !line.contains("android.os.Handler.dispatchMessage"));
            Notice::Crash(kept.collect::<Vec<_>>().join("\n").into())
        }
        other => other.clone(),
    }
}

/// What is done on both, and how often.
struct Walk {
    model: Arc<Model>,
    version: AndroidVersion,
    repertoire: Repertoire,
    episodes: usize,
    steps: usize,
}

impl Walk {
    fn new(model: Arc<Model>) -> Walk {
        let repertoire = Repertoire::new(["ab", "4 2", "", "it's 100%s"], &[], true);
        Walk { model, version: AndroidVersion::default(), repertoire, episodes: 3, steps: 30 }
    }

    /// Goes the same random ways on the simulator and on `adb`.
    fn go(&self, seed: u64, adb: &mut Adb) {
        let mut sim = Sim::new(self.model.clone(), Seed(seed));
        let mut chance = Seed(seed).fork("walk");
        assert_eq!(adb.app(), sim.app());
        for episode in 0..self.episodes {
            let launchable = sim.app().launchable.clone();
            let activity = launchable[chance.below(launchable.len())].clone();
            let mut seen = sim.reset(&activity).expect("a first screen");
            let mut way = format!("seed {seed}, episode {episode}: start {activity}");
            compare(adb.reset(&activity), &seen, &way);
            for _ in 0..self.steps {
                let action = chosen(&seen, &self.repertoire, &mut chance);
                way.push_str(&format!("\n{action}"));
                seen = sim.act(&action).expect("the model goes on");
                compare(adb.act(&action), &seen, &way);
            }
        }
    }

    fn go_directly(&self, seeds: std::ops::Range<u64>) {
        for seed in seeds {
            let phone = Phone::new(self.model.clone(), Seed(seed), self.version);
            let line = Box::new(Direct::new(phone));
            let mut adb = Adb::on(line, &package(&self.model), options()).expect("a phone");
            self.go(seed, &mut adb);
        }
    }
}

fn chosen(seen: &Observation, repertoire: &Repertoire, chance: &mut Rng) -> Action {
    let offered = offers(&seen.screen, repertoire);
    offered[chance.below(offered.len())].clone()
}

#[track_caller]
fn compare(found: Result<Observation, farlead::device::DeviceError>, expected: &Observation, way: &str) {
    let found = found.unwrap_or_else(|error| panic!("{error}\nafter {way}"));
    let (found, expected) = (told(&found), told(expected));
    if found.0 != expected.0 {
        let parts = found.0.split('{').zip(expected.0.split('{'));
        let (one, other) = parts.into_iter().find(|(one, other)| one != other).unwrap_or_default();
        panic!("{one}\nin place of {other}\nafter {way}");
    }
    assert_eq!(found.1, expected.1, "after {way}");
}

#[test]
fn the_same_runs_look_the_same_by_adb_and_in_the_simulator() {
    Walk::new(bundled("notes.app")).go_directly(0..6);
    Walk::new(bundled("chesswalk.app")).go_directly(0..6);
}

#[test]
fn an_app_that_crashes_hangs_and_asks_looks_the_same() {
    Walk::new(model_of(crate::phone::LAMP)).go_directly(0..20);
}

#[test]
fn every_version_says_the_same_in_its_own_words() {
    for version in AndroidVersion::ALL {
        Walk { version, ..Walk::new(model_of(crate::phone::LAMP)) }.go_directly(0..2);
    }
}
