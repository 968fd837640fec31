//! The default agent on FATE's models, read cleanly: the area under the curve of activities, beside that of an oracle which
//! knows the credentials and walks to the nearest activity that was not seen.
//!
//! The models have no licence and are read where they are: in the folder that `FARLEAD_FATE` names, else in
//! `../shared/data/fate` beside the repository.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use farlead::agent::{AgentInfo, PLANNER, RANDOM};
use farlead::device::Sim;
use farlead::device::sim::fate;
use farlead::learned_model::LearnedModel;
use farlead::objective::Pays;
use farlead::rng::Seed;
use farlead::search::{Budget, Dictionary, Explored, Plan, explore, in_order, together};
use farlead::spec::Source;
use farlead::statistics::area_under_curve;

use crate::fate::mean_and_error;

/// Steps of a run and of an episode, starts included.
const STEPS: u64 = 4_000;
const EPISODE: u32 = 300;

/// Names of the configurations, their files, the number of the last text, the area of the oracle, and that of a random
/// widget and then a random text, by an independent program of FATE's rules, 100 runs.
const CONFIGURATIONS: [(&str, &str, u32, f64, f64); 16] = [
    ("Player", "settings", 20, 91_522.0, 89_670.0),
    ("Social 20", "social_graph", 20, 39_914.0, 33_912.0),
    ("Social 40", "social_graph", 40, 39_914.0, 31_004.0),
    ("Social 80", "social_graph", 80, 39_914.0, 31_004.0),
    ("Bank 20", "bank", 20, 63_733.0, 44_485.0),
    ("Bank 40", "bank", 40, 63_733.0, 39_076.0),
    ("Bank 80", "bank", 80, 63_733.0, 39_076.0),
    ("Market 20", "market_place", 20, 47_854.0, 28_083.0),
    ("Market 40", "market_place", 40, 47_854.0, 27_738.0),
    ("Market 80", "market_place", 80, 47_854.0, 27_738.0),
    ("Social, 5 dead buttons", "social_graph_mod_5", 20, 39_914.0, 21_978.0),
    ("Bank, 5", "bank_mod_5", 20, 63_733.0, 26_716.0),
    ("Market, 5", "market_place_mod_5", 20, 47_854.0, 25_587.0),
    ("Social, 10 dead buttons", "social_graph_mod_10", 20, 39_914.0, 19_353.0),
    ("Bank, 10", "bank_mod_10", 20, 63_733.0, 23_203.0),
    ("Market, 10", "market_place_mod_10", 20, 47_854.0, 22_379.0),
];

/// Prints the mean area over so many runs of each configuration; `is_wanted` leaves one of the two agents out.
pub fn table(runs: u32, is_wanted: &dyn Fn(&AgentInfo) -> bool) {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/fate");
    let folder = std::env::var_os("FARLEAD_FATE").map_or(beside, PathBuf::from);
    if !folder.join("bank.json").exists() {
        eprintln!("skipped: FATE's models are not in {}; FARLEAD_FATE names their folder", folder.display());
        return;
    }
    println!("### FATE's models, read cleanly\n");
    println!(
        "| model | planner | of the oracle | least of a run | runs that saw all | random / elsewhere, standard errors |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a readable file");
    for (name, file, strings, oracle, of_random) in CONFIGURATIONS {
        let options = fate::Options { strings, distinct: true, quirks: false };
        let file = format!("{file}.json");
        let model = fate::read(&Source::new(&file, read(&file)), options).model;
        let model = Arc::new(model.expect("a model without mistakes"));
        let texts = Dictionary { texts: options.texts(&read(fate::DICTIONARY)), is_all: true };
        // A start is a step, and none elsewhere: chance gets as many more.
        let starts = STEPS.div_ceil(u64::from(EPISODE));
        let run = |number: usize, agent: &'static AgentInfo, starts: u64| {
            let seed = Seed(1 + number as u64);
            let plan = Plan { seed, steps_max: EPISODE + u32::from(starts > 0), ..Plan::new(agent) };
            let budget = Budget {
                steps_max: STEPS + starts,
                until_quiet: None,
                is_walk: false,
                pays: Pays::Novelty,
                keeps_steps: starts == 0,
                steers: true,
            };
            let mut sim = Sim::new(model.clone(), seed);
            explore(&mut sim, &[], together([], &texts), &plan, budget, LearnedModel::default(), &mut |_| {
                true
            })
        };
        let jobs = thread::available_parallelism().map_or(1, usize::from);
        let (mut areas, mut whole) = (Vec::new(), 0);
        let runs_of = |agent| if is_wanted(agent) { runs as usize } else { 0 };
        in_order(
            jobs,
            runs_of(&PLANNER),
            |number| run(number, &PLANNER, 0),
            |_, explored| {
                whole += u32::from(explored.model.activities.len() == model.windows.len());
                areas.push(area(&explored));
            },
        );
        let share = |area: f64| format!("{:.1} %", 100.0 * area / oracle);
        let of_planner = if areas.is_empty() {
            " | | | ".to_string()
        } else {
            let mean = areas.iter().sum::<f64>() / areas.len() as f64;
            let least = areas.iter().copied().fold(f64::MAX, f64::min);
            format!("{mean:.0} | {} | {} | {whole}", share(mean), share(least))
        };
        let mut of_chance: Vec<f64> = Vec::new();
        in_order(
            jobs,
            runs_of(&RANDOM),
            |number| run(number, &RANDOM, starts),
            |_, explored| {
                of_chance.push(area_under_curve(explored.reached.iter().copied(), STEPS));
            },
        );
        let of_random = if of_chance.is_empty() {
            String::new()
        } else {
            let (chance, error) = mean_and_error(&of_chance);
            let difference = (chance - of_random) / error.hypot(error * (f64::from(runs) / 100.0).sqrt());
            format!("{chance:.0} / {of_random:.0}, {difference:+.1}")
        };
        println!("| {name} | {of_planner} | {of_random} |");
    }
    println!();
}

/// Returns the area under the curve of activities, by the trapezoid rule over the first 3,999 values after each step.
fn area(explored: &Explored) -> f64 {
    let after = |step: u64| explored.model.activities.values().filter(|&&first| first <= step).count() as f64;
    (1..STEPS - 1).map(|step| (after(step) + after(step + 1)) / 2.0).sum()
}
