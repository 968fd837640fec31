//! FATE's agents on its models: the area under the curve of activities, beside what is published.
//!
//! The models have no licence and are read where they are: in the folder that `FARLEAD_FATE` names, else in
//! `../shared/data/fate` beside the repository.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use farlead::agent::{AgentInfo, FATE_QLEARNING, FATE_RANDOM, QLearningSettings, Settings};
use farlead::device::Sim;
use farlead::device::sim::{fate, model::Model};
use farlead::learned_model::LearnedModel;
use farlead::objective::Pays;
use farlead::rng::Seed;
use farlead::search::{Budget, Dictionary, Explored, Plan, explore, in_order, together};
use farlead::spec::Source;
use farlead::statistics::area_under_curve;

/// Actions of a run, and of an episode.
pub const ACTIONS: u64 = 4_000;
pub const EPISODE: u32 = 300;

/// Configuration of the paper: its name, the file, the number of the last text, and for each agent the mean area of
/// 1,000 runs and the number of those that saw every activity, by an independent program.
pub struct Configuration {
    pub name: &'static str,
    pub file: &'static str,
    pub strings: u32,
    published: [(f64, u32); 3],
}

const fn of(
    name: &'static str,
    file: &'static str,
    strings: u32,
    published: [(f64, u32); 3],
) -> Configuration {
    Configuration { name, file, strings, published }
}

/// The 16 configurations of the paper.
#[rustfmt::skip]
pub const CONFIGURATIONS: [Configuration; 16] = [
    of("Player", "settings", 20, [(88_608.0, 1000), (86_179.0, 996), (87_344.0, 999)]),
    of("Social 20", "social_graph", 20, [(19_858.0, 657), (21_157.0, 732), (19_919.0, 665)]),
    of("Social 40", "social_graph", 40, [(9_997.0, 264), (9_267.0, 254), (9_525.0, 239)]),
    of("Social 80", "social_graph", 80, [(5_938.0, 85), (5_472.0, 69), (5_770.0, 79)]),
    of("Social aug. 5", "social_graph_mod_5", 20, [(12_916.0, 383), (12_867.0, 416), (13_507.0, 423)]),
    of("Social aug. 10", "social_graph_mod_10", 20, [(10_143.0, 273), (9_526.0, 291), (10_355.0, 303)]),
    of("Bank 20", "bank", 20, [(24_137.0, 8), (24_832.0, 0), (24_240.0, 2)]),
    of("Bank 40", "bank", 40, [(11_441.0, 0), (10_584.0, 0), (11_398.0, 0)]),
    of("Bank 80", "bank", 80, [(6_407.0, 0), (6_110.0, 0), (6_250.0, 0)]),
    of("Bank aug. 5", "bank_mod_5", 20, [(15_355.0, 1), (15_061.0, 0), (15_963.0, 2)]),
    of("Bank aug. 10", "bank_mod_10", 20, [(11_659.0, 0), (10_888.0, 0), (11_879.0, 1)]),
    of("Market 20", "market_place", 20, [(20_401.0, 263), (18_361.0, 137), (19_407.0, 203)]),
    of("Market 40", "market_place", 40, [(17_565.0, 85), (16_640.0, 46), (16_818.0, 55)]),
    of("Market 80", "market_place", 80, [(16_409.0, 27), (16_094.0, 7), (16_240.0, 20)]),
    of("Market aug. 5", "market_place_mod_5", 20, [(19_970.0, 240), (17_267.0, 85), (18_253.0, 136)]),
    of("Market aug. 10", "market_place_mod_10", 20, [(19_238.0, 198), (16_778.0, 52), (17_398.0, 84)]),
];

/// Returns the three agents under their names.
pub fn agents() -> [(&'static str, Plan); 3] {
    let plan = |agent: &'static AgentInfo, exploration| {
        let numbered = QLearningSettings { exploration, ..QLearningSettings::ARES };
        let settings = Settings { numbered, ..Settings::default() };
        Plan { settings, steps_max: EPISODE + 1, ..Plan::new(agent) }
    };
    [
        ("fate-random", plan(&FATE_RANDOM, 1.0)),
        ("fate-qlearning .6", plan(&FATE_QLEARNING, 0.6)),
        ("fate-qlearning .8", plan(&FATE_QLEARNING, 0.8)),
    ]
}

/// Returns the folder of FATE's models, or says on stderr that it is missing.
pub fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/fate");
    let folder = std::env::var_os("FARLEAD_FATE").map_or(beside, PathBuf::from);
    if folder.join("bank.json").exists() {
        return Some(folder);
    }
    eprintln!("skipped: FATE's models are not in {}; FARLEAD_FATE names their folder", folder.display());
    None
}

/// App of a configuration, and the texts that are typed into it.
pub struct Task {
    model: Arc<Model>,
    texts: Dictionary,
    pub activities: usize,
}

impl Task {
    /// Reads the model of a configuration with FATE's quirks and all lines of its dictionary.
    pub fn new(folder: &Path, configuration: &Configuration) -> Task {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a readable file");
        let options = fate::Options { strings: configuration.strings, distinct: false, quirks: true };
        let name = format!("{}.json", configuration.file);
        let model = fate::read(&Source::new(&name, read(&name)), options).model;
        let model = Arc::new(model.expect("a model without mistakes"));
        let texts = Dictionary { texts: options.texts(&read(fate::DICTIONARY)), is_all: true };
        Task { activities: model.windows.len(), model, texts }
    }

    /// Explores the app in a run of 4,000 actions.
    ///
    /// FATE's reset is no step, and a start of farlead is one: an episode has one more step here, and a run as many more
    /// as it has episodes. Those after the 4,000th action count for nothing.
    pub fn run(&self, plan: &Plan, seed: Seed) -> Explored {
        let starts = ACTIONS.div_ceil(u64::from(EPISODE));
        let budget = Budget {
            steps_max: ACTIONS + starts,
            until_quiet: None,
            is_walk: false,
            pays: Pays::Fate,
            keeps_steps: false,
            steers: true,
        };
        let plan = Plan { seed, ..plan.clone() };
        let mut sim = Sim::new(self.model.clone(), seed);
        explore(&mut sim, &[], together([], &self.texts), &plan, budget, LearnedModel::default(), &mut |_| {
            true
        })
    }
}

/// Areas under the curve of the runs of an agent, and the number of those that saw every activity.
pub fn measure(task: &Task, plan: &Plan, runs: u32) -> (Vec<f64>, u32) {
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let (mut areas, mut whole) = (Vec::new(), 0);
    let run = |number: usize| {
        let explored = task.run(plan, Seed(1 + number as u64));
        let found = explored.reached.iter().filter(|&&actions| actions <= ACTIONS).count();
        (area_under_curve(explored.reached.iter().copied(), ACTIONS), found == task.activities)
    };
    in_order(jobs, runs as usize, run, |_, (area, is_whole)| {
        areas.push(area);
        whole += u32::from(is_whole);
    });
    (areas, whole)
}

/// Returns the mean and its standard error.
pub fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

/// Prints the table of published areas beside those of farlead, with their difference in its standard errors.
pub fn table(runs: u32) {
    let Some(folder) = folder() else { return };
    let agents = agents();
    println!("### FATE's agents on its models\n");
    let row = |name: &str, cells: Vec<String>| println!("| {name} | {} |", cells.join(" | "));
    row("model", agents.iter().map(|(name, _)| name.to_string()).collect());
    row("---", agents.iter().map(|_| "---".to_string()).collect());
    let mut farthest: f64 = 0.0;
    for configuration in &CONFIGURATIONS {
        let task = Task::new(&folder, configuration);
        let cells = agents.iter().zip(configuration.published).map(|((_, plan), (published, whole))| {
            let (areas, seen) = measure(&task, plan, runs);
            let (mean, error) = mean_and_error(&areas);
            // The published mean is of 1,000 runs that vary as much.
            let error_of_published = error * (f64::from(runs) / 1_000.0).sqrt();
            let difference = (mean - published) / error.hypot(error_of_published);
            farthest = farthest.max(difference.abs());
            format!("{mean:.0} ({seen}) / {published:.0} ({whole}), {difference:+.1}")
        });
        row(configuration.name, cells.collect());
        eprintln!("fate: {} is done", configuration.name);
    }
    println!("\nThe farthest is {farthest:.1} standard errors away.\n");
}

/// Prints the time of the runs that the paper compares its agents by, and the speed of the loop beside one in Python.
pub fn speed(runs: u32) {
    let Some(folder) = folder() else { return };
    let agents = agents();
    let tasks: Vec<Task> = CONFIGURATIONS.iter().map(|one| Task::new(&folder, one)).collect();
    let begun = Instant::now();
    for task in &tasks {
        agents.iter().for_each(|(_, plan)| drop(measure(task, plan, runs)));
    }
    let (seconds, jobs) =
        (begun.elapsed().as_secs_f64(), thread::available_parallelism().map_or(1, usize::from));
    let steps = tasks.len() as f64 * agents.len() as f64 * f64::from(runs) * ACTIONS as f64;
    println!("### Speed on FATE's models\n");
    println!("{:.1} million steps in {seconds:.1} s on {jobs} cores\n", steps / 1e6);
    println!("Thousand steps a second on one core; the last column is their ratio.\n");
    println!("| agent, model | farlead | Python | |\n| --- | --- | --- | --- |");
    // The loop in Python explores in 80 % of its choices.
    for ((name, plan), in_python) in [(&agents[0], "random"), (&agents[2], "qlearning")] {
        let mut shares = [0.0, 0.0];
        for (task, configuration) in tasks.iter().zip(&CONFIGURATIONS) {
            let own = own_rate(task, plan);
            let Some((other, kind)) = python_rate(&folder, configuration, in_python) else { return };
            let (name_of_model, ratio) = (configuration.name, own / other);
            println!(
                "| {name}, {name_of_model} | {:.0} | {:.1} {kind} | {ratio:.1} |",
                own / 1e3,
                other / 1e3
            );
            (shares[0], shares[1]) = (shares[0] + 1.0 / own, shares[1] + 1.0 / other);
        }
        // As many steps on each model.
        let [own, other] = shares.map(|seconds| tasks.len() as f64 / seconds);
        println!("| {name}, all | {:.0} | {:.1} | {:.1} |", own / 1e3, other / 1e3, own / other);
    }
    println!();
}

/// Runs of an agent whose time is taken.
const TIMED_RUNS: u64 = 10;

fn own_rate(task: &Task, plan: &Plan) -> f64 {
    let begun = Instant::now();
    (1..=TIMED_RUNS).for_each(|seed| drop(task.run(plan, Seed(seed))));
    (TIMED_RUNS * ACTIONS) as f64 / begun.elapsed().as_secs_f64()
}

/// Returns the steps a second of the loop in Python and the kind of loop, if there is Python; `FARLEAD_PYTHON` names one.
fn python_rate(folder: &Path, configuration: &Configuration, agent: &str) -> Option<(f64, String)> {
    let python = std::env::var_os("FARLEAD_PYTHON").unwrap_or_else(|| "python3".into());
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/fate/loop.py");
    let output = Command::new(python)
        .arg(program)
        .arg(folder.join(format!("{}.json", configuration.file)))
        .arg(folder.join(fate::DICTIONARY))
        .args([&configuration.strings.to_string(), agent, &TIMED_RUNS.to_string()])
        .output();
    let said = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    let rate = said.and_then(|said| {
        let said = String::from_utf8(said).ok()?;
        let (rate, kind) = said.trim().split_once(' ')?;
        Some((rate.parse().ok()?, kind.to_string()))
    });
    if rate.is_none() {
        eprintln!("skipped: Python does not run benches/fate/loop.py");
    }
    rate
}
