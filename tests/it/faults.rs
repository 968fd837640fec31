//! Specs on a phone that misbehaves: a search finds the same as without faults, or reports that the phone could
//! not be used.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use farlead::agent::PLANNER;
use farlead::device::adb::{self, Adb, Answer, Client, Line, LineError, Options};
use farlead::device::sim::model::Model;
use farlead::device::{Device, DeviceError, Sim};
use farlead::emulator::adbd::{self, Settings};
use farlead::emulator::phone::{AndroidVersion, Fault, Faults, Phone};
use farlead::rng::Seed;
use farlead::search::{Finding, Plan, search};
use farlead::spec::{Source, Spec, parse};

use crate::adb::{Direct, options, package};
use crate::adbd::Adb as RealAdb;
use crate::phone::bundled;

/// Number of searches for each fault, unless `FARLEAD_FAULT_RUNS` gives more.
const RUNS: u64 = 6;

/// The result of a search: the steps of its run, if it found one, and how long it took.
type Came = (Option<Vec<String>>, u32, u64);

fn came(device: &mut dyn Device, spec: &Spec, seed: Seed) -> Result<Came, DeviceError> {
    let steps_max = spec.budget.steps_max.unwrap_or(6);
    let plan = Plan { steps_max, episodes_max: 100, seed, ..Plan::new(&PLANNER) };
    let Finding { run, episodes, steps, .. } = search(device, spec, &plan, &mut |_| true)?;
    let actions = run.map(|run| run.steps.iter().map(|step| step.action.to_string()).collect());
    Ok((actions, episodes, steps))
}

fn specs(path: &str) -> Vec<Spec> {
    let path = format!("{}/specs/{path}.ltl", env!("CARGO_MANIFEST_DIR"));
    parse(&Source::new("spec", std::fs::read_to_string(path).expect("a spec"))).file.specs
}

/// Returns the number of searches that `FARLEAD_FAULT_RUNS` asks for, if it is set.
fn runs_asked() -> Option<u64> {
    std::env::var("FARLEAD_FAULT_RUNS").ok().and_then(|runs| runs.parse().ok())
}

/// Returns the apps with their specs.
fn apps() -> [(&'static str, Arc<Model>, Vec<Spec>); 2] {
    [
        ("notes.app", bundled("notes.app"), specs("notes/palette")),
        ("chesswalk.app", bundled("chesswalk.app"), specs("chesswalk/second_game")),
    ]
}

/// Results of searches on phones that misbehave.
#[derive(Default)]
struct Tried {
    /// Number of searches with the same result as without faults.
    same: u64,
    /// Messages of the other searches.
    said: Vec<String>,
}

impl Tried {
    /// Searches for one of `specs` with `line` to a phone that misbehaves, once for each seed.
    fn of(
        (model, specs): (&Arc<Model>, &[Spec]),
        faults: &str,
        runs: u64,
        options: &Options,
        mut line: impl FnMut(Phone) -> Box<dyn Line>,
    ) -> Tried {
        let mut tried = Tried::default();
        for seed in (1..=runs).map(Seed) {
            let spec = &specs[seed.0 as usize % specs.len()];
            let chosen = Faults::parse(faults, seed).expect("faults");
            let phone = Phone::new(model.clone(), seed, AndroidVersion::default()).with_faults(chosen);
            let opened = Adb::on(line(phone), &package(model), options.clone());
            match opened.map_err(DeviceError::from).and_then(|mut adb| came(&mut adb, spec, seed)) {
                Ok(found) => {
                    let expected = came(&mut Sim::new(model.clone(), seed), spec, seed).expect("a simulator");
                    assert_eq!(found, expected, "{faults}, seed {}, {:?}", seed.0, spec.name);
                    tried.same += 1;
                }
                Err(error) => tried.said.push(error.to_string()),
            }
        }
        tried
    }

    /// Prints the results; each error must be one of a phone that could not be used.
    fn show(&self, app: &str, faults: &str) {
        println!("{app}, {faults}: {} the same, {} errors", self.same, self.said.len());
        for line in &self.said {
            let honest = ["cannot read the screen", "ended", "no answer", "cannot be reached"];
            assert!(honest.iter().any(|part| line.contains(part)), "{app}, {faults}: {line}");
        }
    }
}

#[test]
fn a_fault_changes_no_verdict() {
    let runs = runs_asked().unwrap_or(RUNS);
    for (app, model, specs) in apps() {
        for fault in Fault::ALL.into_iter().map(Fault::name).chain(["all"]) {
            let faults = format!("{fault}=20%");
            let direct = |phone| Box::new(Direct::new(phone)) as Box<dyn Line>;
            let tried = Tried::of((&model, &specs), &faults, runs, &options(), direct);
            tried.show(app, &faults);
            // With all faults at once, some looks never become clear.
            assert!(fault == "all" || tried.same * 10 >= runs * 9, "{app}, {faults}: {:?}", tried.said);
        }
    }
}

/// The line to a phone through the real adb, which keeps the phone alive.
struct Through {
    adb: Arc<RealAdb>,
    client: Client,
    phone: adbd::Server,
}

impl Through {
    fn new(adb: &Arc<RealAdb>, phone: Phone) -> Through {
        let free = SocketAddr::from(([127, 0, 0, 1], 0));
        let phone = Arc::new(Mutex::new(phone));
        let phone = adbd::Server::start(free, phone, Settings::default()).expect("a free port");
        let serial = adb.connect(&phone);
        let server = adb::Server::new(SocketAddrV4::new(Ipv4Addr::LOCALHOST, adb.port));
        Through { adb: adb.clone(), client: Client::new(server, &serial), phone }
    }
}

impl Line for Through {
    fn serial(&self) -> &str {
        self.client.serial()
    }

    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError> {
        self.client.shell(command, within)
    }

    fn push(&mut self, bytes: Arc<[u8]>, to: &str, within: Duration) -> Result<(), LineError> {
        self.client.push(bytes, to, within)
    }

    fn recover(&mut self, within: Duration) -> Result<(), LineError> {
        self.client.recover(within)
    }
}

impl Drop for Through {
    fn drop(&mut self) {
        // Otherwise the adb server would look for the phone for ever.
        self.adb.run(&["disconnect", &self.phone.address().to_string()]);
    }
}

#[test]
fn a_fault_changes_no_verdict_through_the_real_adb() {
    // Faults that take seconds to overcome are rarer, so that most searches still come to an end.
    let often = |fault: Fault| match fault {
        Fault::Stall | Fault::SlowDump | Fault::Offline => "1%",
        Fault::Drop => "2%",
        Fault::NoIdle | Fault::NullRoot | Fault::Truncated | Fault::WrongFocus | Fault::DoubleClose => "10%",
    };
    let Some(adb) = RealAdb::start("faults").map(Arc::new) else { return };
    let runs = runs_asked().unwrap_or(2);
    // A longer answer has stalled: a simulated phone delays none by more than three seconds.
    let options =
        Options { answer: Duration::from_secs(5), pause: Duration::from_millis(20), ..Options::default() };
    let apps = apps();
    // More threads than cores, as most of the time is waiting.
    thread::scope(|scope| {
        for fault in Fault::ALL {
            let (adb, options, apps) = (&adb, &options, &apps);
            scope.spawn(move || {
                for (app, model, specs) in apps {
                    let faults = format!("{}={}", fault.name(), often(fault));
                    let through = |phone| Box::new(Through::new(adb, phone)) as Box<dyn Line>;
                    let tried = Tried::of((model, specs), &faults, runs, options, through);
                    tried.show(app, &format!("{faults} through adb"));
                }
            });
        }
    });
}
