//! Specs on a phone that misbehaves: what is found is what is found where nothing goes wrong, or it is said that the phone
//! could not be used.

use std::sync::Arc;

use farlead::device::adb::Adb;
use farlead::device::phone::{AndroidVersion, Fault, Faults, Phone};
use farlead::device::sim::model::Model;
use farlead::device::{Device, DeviceError, Sim};
use farlead::rng::Seed;
use farlead::search::{AgentKind, Finding, Plan, search};
use farlead::spec::{Source, Spec, parse};

use crate::adb::{Direct, options, package};
use crate::phone::bundled;

/// How many searches each fault is tried in, unless `FARLEAD_FAULT_RUNS` says more.
const RUNS: u64 = 6;

/// What came of a search: the steps of its run, if it found one, and how long it took.
type Came = (Option<Vec<String>>, u32, u64);

fn came(device: &mut dyn Device, spec: &Spec, seed: Seed) -> Result<Came, DeviceError> {
    let steps_max = spec.budget.steps_max.unwrap_or(6);
    let plan = Plan { steps_max, episodes_max: 100, seed, ..Plan::new(AgentKind::Planner) };
    let Finding { run, episodes, steps, .. } = search(device, spec, &plan, &mut |_| true)?;
    let actions = run.map(|run| run.steps.iter().map(|step| step.action.to_string()).collect());
    Ok((actions, episodes, steps))
}

fn specs(path: &str) -> Vec<Spec> {
    let path = format!("{}/specs/{path}.ltl", env!("CARGO_MANIFEST_DIR"));
    parse(&Source::new("spec", std::fs::read_to_string(path).expect("a spec"))).file.specs
}

/// How often the same was found as where nothing goes wrong, and what was said the other times.
fn tried(model: &Arc<Model>, specs: &[Spec], faults: &str, runs: u64) -> (u64, Vec<String>) {
    let (mut same, mut said) = (0, Vec::new());
    for seed in (1..=runs).map(Seed) {
        let spec = &specs[seed.0 as usize % specs.len()];
        let chosen = Faults::parse(faults, seed).expect("faults");
        let phone = Phone::new(model.clone(), seed, AndroidVersion::default()).with_faults(chosen);
        let opened = Adb::on(Box::new(Direct::new(phone)), &package(model), options());
        match opened.map_err(DeviceError::from).and_then(|mut adb| came(&mut adb, spec, seed)) {
            Ok(found) => {
                let expected = came(&mut Sim::new(model.clone(), seed), spec, seed).expect("a simulator");
                assert_eq!(found, expected, "{faults}, seed {}, {:?}", seed.0, spec.name);
                same += 1;
            }
            Err(error) => said.push(error.to_string()),
        }
    }
    (same, said)
}

#[test]
fn a_fault_changes_no_verdict() {
    let runs = std::env::var("FARLEAD_FAULT_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    let apps = [("notes.app", specs("notes/palette")), ("chesswalk.app", specs("chesswalk/second_game"))];
    for (app, specs) in apps {
        let model = bundled(app);
        for fault in Fault::ALL.into_iter().map(Fault::name).chain(["all"]) {
            let (same, said) = tried(&model, &specs, &format!("{fault}=20%"), runs);
            println!("{app}, {fault}: {same} of {runs} the same, {} errors", said.len());
            // With all of them at once some looks are never clear.
            assert!(fault == "all" || same * 10 >= runs * 9, "{app}, {fault}: {said:?}");
            for line in said {
                let honest = ["cannot read the screen", "ended", "no answer", "cannot be reached"];
                assert!(honest.iter().any(|part| line.contains(part)), "{line}");
            }
        }
    }
}
