//! The default agent on FATE's models, read cleanly: the area under the curve of activities, beside that of an oracle which
//! knows the credentials and walks to the nearest activity that was not seen.
//!
//! The models have no licence and are read where they are: in the folder that `FARLEAD_FATE` names, else in
//! `../shared/data/fate` beside the repository.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use farlead::agent::PLANNER;
use farlead::device::Sim;
use farlead::device::sim::fate;
use farlead::learned_model::LearnedModel;
use farlead::objective::Pays;
use farlead::rng::Seed;
use farlead::search::{Budget, Dictionary, Explored, Plan, explore, in_order, together};
use farlead::spec::Source;

/// Steps of a run and of an episode, starts included.
const STEPS: u64 = 4_000;
const EPISODE: u32 = 300;

/// Names of the configurations, their files, the number of the last text, and the area of the oracle.
const CONFIGURATIONS: [(&str, &str, u32, f64); 16] = [
    ("Player", "settings", 20, 91_522.0),
    ("Social 20", "social_graph", 20, 39_914.0),
    ("Social 40", "social_graph", 40, 39_914.0),
    ("Social 80", "social_graph", 80, 39_914.0),
    ("Bank 20", "bank", 20, 63_733.0),
    ("Bank 40", "bank", 40, 63_733.0),
    ("Bank 80", "bank", 80, 63_733.0),
    ("Market 20", "market_place", 20, 47_854.0),
    ("Market 40", "market_place", 40, 47_854.0),
    ("Market 80", "market_place", 80, 47_854.0),
    ("Social, 5 dead buttons", "social_graph_mod_5", 20, 39_914.0),
    ("Bank, 5", "bank_mod_5", 20, 63_733.0),
    ("Market, 5", "market_place_mod_5", 20, 47_854.0),
    ("Social, 10 dead buttons", "social_graph_mod_10", 20, 39_914.0),
    ("Bank, 10", "bank_mod_10", 20, 63_733.0),
    ("Market, 10", "market_place_mod_10", 20, 47_854.0),
];

/// Prints the mean area over so many runs of each configuration.
pub fn table(runs: u32) {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/fate");
    let folder = std::env::var_os("FARLEAD_FATE").map_or(beside, PathBuf::from);
    if !folder.join("bank.json").exists() {
        eprintln!("skipped: FATE's models are not in {}; FARLEAD_FATE names their folder", folder.display());
        return;
    }
    println!("### FATE's models, read cleanly\n");
    println!("| model | planner | of the oracle | least of a run | runs that saw all |");
    println!("|---|--:|--:|--:|--:|");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a readable file");
    for (name, file, strings, oracle) in CONFIGURATIONS {
        let options = fate::Options { strings, distinct: true, quirks: false };
        let file = format!("{file}.json");
        let model = fate::read(&Source::new(&file, read(&file)), options).model;
        let model = Arc::new(model.expect("a model without mistakes"));
        let texts = Dictionary { texts: options.texts(&read(fate::DICTIONARY)), is_all: true };
        let run = |number: usize| {
            let seed = Seed(1 + number as u64);
            let plan = Plan { seed, steps_max: EPISODE, ..Plan::new(&PLANNER) };
            let budget = Budget {
                steps_max: STEPS,
                until_quiet: None,
                is_walk: false,
                pays: Pays::Novelty,
                keeps_steps: true,
                steers: true,
            };
            let mut sim = Sim::new(model.clone(), seed);
            explore(&mut sim, &[], together([], &texts), &plan, budget, LearnedModel::default(), &mut |_| {
                true
            })
        };
        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let (mut areas, mut whole) = (Vec::new(), 0);
        in_order(jobs, runs as usize, run, |_, explored| {
            whole += u32::from(explored.model.activities.len() == model.windows.len());
            areas.push(area(&explored));
        });
        let mean = areas.iter().sum::<f64>() / areas.len() as f64;
        let least = areas.iter().copied().fold(f64::MAX, f64::min);
        let share = |area: f64| format!("{:.1} %", 100.0 * area / oracle);
        println!("| {name} | {mean:.0} | {} | {} | {whole} |", share(mean), share(least));
    }
    println!();
}

/// Returns the area under the curve of activities, by the trapezoid rule over the first 3,999 values after each step.
fn area(explored: &Explored) -> f64 {
    let after = |step: u64| explored.model.activities.values().filter(|&&first| first <= step).count() as f64;
    (1..STEPS - 1).map(|step| (after(step) + after(step + 1)) / 2.0).sum()
}
