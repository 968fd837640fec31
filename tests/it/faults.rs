//! Specs on a phone that misbehaves: what is found is what is found where nothing goes wrong, or it is said that the phone
//! could not be used.

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

/// How many searches each fault is tried in, unless `FARLEAD_FAULT_RUNS` says more.
const RUNS: u64 = 6;

/// What came of a search: the steps of its run, if it found one, and how long it took.
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

/// How many searches `FARLEAD_FAULT_RUNS` asks for, if it does.
fn runs_asked() -> Option<u64> {
    std::env::var("FARLEAD_FAULT_RUNS").ok().and_then(|runs| runs.parse().ok())
}

/// The apps that are searched, with their specs.
fn apps() -> [(&'static str, Arc<Model>, Vec<Spec>); 2] {
    [
        ("notes.app", bundled("notes.app"), specs("notes/palette")),
        ("chesswalk.app", bundled("chesswalk.app"), specs("chesswalk/second_game")),
    ]
}

/// What came of searches on phones that misbehave.
#[derive(Default)]
struct Tried {
    /// How often the same was found as where nothing goes wrong.
    same: u64,
    /// What was said the other times.
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

    /// Says how it went; each error must be one of a phone that could not be used.
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
            // With all of them at once some looks are never clear.
            assert!(fault == "all" || tried.same * 10 >= runs * 9, "{app}, {faults}: {:?}", tried.said);
        }
    }
}

/// The line to a phone through the real adb, and the phone as long as there is a line.
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
        // The server of adb would look for the phone for ever.
        self.adb.run(&["disconnect", &self.phone.address().to_string()]);
    }
}

#[test]
fn a_fault_changes_no_verdict_through_the_real_adb() {
    // What takes seconds to get over is rarer, so that most searches come to an end in spite of it.
    let often = |fault: Fault| match fault {
        Fault::Stall | Fault::SlowDump | Fault::Offline => "1%",
        Fault::Drop => "2%",
        Fault::NoIdle | Fault::NullRoot | Fault::Truncated | Fault::WrongFocus | Fault::DoubleClose => "10%",
    };
    let Some(adb) = RealAdb::start("faults").map(Arc::new) else { return };
    let runs = runs_asked().unwrap_or(2);
    // An answer that takes longer has stalled: a simulated phone holds none up for more than three seconds.
    let options =
        Options { answer: Duration::from_secs(5), pause: Duration::from_millis(20), ..Options::default() };
    let apps = apps();
    // Most of the time is waiting.
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
