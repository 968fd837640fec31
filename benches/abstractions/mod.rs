//! Abstractions that learn against those that stay as they are: what exploring finds on each, and how large the models get.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use farlead::abstraction::{
    APE, APE_FROZEN, APE_LISTS_FROZEN, APE_PARENT_INDEX_FROZEN, APE_RESOURCE_ID_FROZEN, APE_STOAT_FROZEN,
    AbstractionInfo, Counts, LOOKS,
};
use farlead::agent::AgentInfo;
use farlead::device::sim::model::Model;
use farlead::objective::Pays;
use farlead::rng::Seed;
use farlead::search::{Plan, in_order};
use farlead::situation::Paths;
use farlead::statistics::{area_under_curve, holm};

use crate::findings::{explored, paired};
use crate::made_up::{Family, Half, MadeUp, Names, of_each};
use crate::models;

/// Steps of a run. Episodes are so long that APE's agent itself starts the app afresh.
const STEPS: u64 = 1_000;
const EPISODE: u32 = 300;

/// The abstraction that learns, and those it is compared with.
const ABSTRACTIONS: [&AbstractionInfo; 7] = [
    &APE,
    &APE_FROZEN,
    &APE_STOAT_FROZEN,
    &APE_RESOURCE_ID_FROZEN,
    &APE_PARENT_INDEX_FROZEN,
    &APE_LISTS_FROZEN,
    &LOOKS,
];

/// Level below which a difference counts, after Holm's correction over a table.
const LEVEL: f64 = 0.05;

/// Figures that exploring is compared by.
const FIGURES: [&str; 3] = ["Activities", "Kinds of screens", "Crashes"];

/// Names of the apps of the repository: no family of made-up ones.
const OWN: [&str; 2] = ["chesswalk", "notes"];

struct App {
    family: &'static str,
    model: Arc<Model>,
    /// Activities and dialogs that its model declares.
    windows: usize,
}

/// Findings of a run.
struct Run {
    /// Figures in the mean over all steps.
    over_steps: [f64; FIGURES.len()],
    screens: usize,
    counts: Counts,
    paths: Paths,
    seconds: f64,
}

/// Runs on an app by abstraction, and for each by seed.
type Runs = Vec<Vec<Run>>;

/// Prints what `agent` finds on each abstraction, and the size of the models: on `count` made-up apps of these families, as
/// many of each as can be, and on the apps of the paper.
pub fn table(agent: &'static AgentInfo, runs: u32, half: Half, families: &[Family], count: usize) {
    let apps = apps(half, families, count);
    let found: Vec<Runs> = apps.iter().map(|app| all_runs(app, agent, runs as usize)).collect();
    println!("### Abstractions that learn and that stay, under {}\n", agent.name);
    let groups = groups(&apps);
    for (figure, name) in FIGURES.into_iter().enumerate() {
        compare(name, figure, &groups, &found);
    }
    println!(
        "| app | windows | states | screens | refined | coarsened | of the most allowed, % | paths arrived, % | \
         on looks, % | s a 1,000 steps | on looks |"
    );
    println!("|---{}", "|--:".repeat(10) + "|");
    for (name, members) in &groups {
        println!("| {name} | {} |", model(&apps, members, &found).join(" | "));
    }
    println!();
}

fn apps(half: Half, families: &[Family], count: usize) -> Vec<App> {
    let made_up = of_each(half, families, count, Names::Good);
    let made_up = made_up.into_iter().map(|MadeUp { family, text, model, .. }| App {
        family: family.name(),
        model,
        windows: windows(&text),
    });
    let own = OWN.map(|name| {
        let text = std::fs::read_to_string(format!("{}/apps/{name}.app", env!("CARGO_MANIFEST_DIR")));
        let windows = windows(&text.expect("a model"));
        App { family: name, model: models::model(name, &[]), windows }
    });
    made_up.chain(own).collect()
}

/// Returns the number of activities and dialogs that the text of a model declares.
fn windows(text: &str) -> usize {
    let is_window = |line: &&str| ["activity ", "dialog "].iter().any(|word| line.starts_with(word));
    text.lines().filter(is_window).count()
}

/// Returns the numbers of the apps of each family; those of all families come last.
fn groups(apps: &[App]) -> Vec<(&'static str, Vec<usize>)> {
    let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
    for (at, app) in apps.iter().enumerate() {
        match groups.iter_mut().find(|(family, _)| *family == app.family) {
            Some((_, members)) => members.push(at),
            None => groups.push((app.family, vec![at])),
        }
    }
    let made_up = (0..apps.len()).filter(|&at| !OWN.contains(&apps[at].family)).collect();
    groups.push(("all made-up apps", made_up));
    groups
}

fn all_runs(app: &App, agent: &'static AgentInfo, runs: usize) -> Runs {
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let mut found: Runs = ABSTRACTIONS.iter().map(|_| Vec::new()).collect();
    let run =
        |number: usize| one_run(app, agent, ABSTRACTIONS[number / runs], Seed(1 + (number % runs) as u64));
    in_order(jobs, ABSTRACTIONS.len() * runs, run, |number, run| found[number / runs].push(run));
    eprintln!("{}", app.family);
    found
}

fn one_run(app: &App, agent: &'static AgentInfo, abstraction: &'static AbstractionInfo, seed: Seed) -> Run {
    let plan = Plan { seed, steps_max: EPISODE, abstraction, ..Plan::new(agent) };
    let begun = Instant::now();
    let explored = explored(&app.model, &plan, STEPS, Pays::Novelty);
    let seconds = begun.elapsed().as_secs_f64();
    let (mut activities, mut kinds): (BTreeMap<&str, u64>, BTreeMap<u64, u64>) = Default::default();
    let model = &explored.model;
    // States are in the order in which they were seen first.
    for state in model.states().iter().filter(|state| state.package == model.app.package) {
        activities.entry(&state.activity).or_insert(state.first_step);
        kinds.entry(state.kind).or_insert(state.first_step);
    }
    // The curve has STEPS - 1 counts, and so one width less.
    let mean = |found: Vec<u64>| area_under_curve(found, STEPS) / (STEPS - 2) as f64;
    let over_steps = [
        mean(activities.into_values().collect()),
        mean(kinds.into_values().collect()),
        mean(explored.faults.iter().map(|fault| fault.first_step).collect()),
    ];
    Run {
        over_steps,
        screens: explored.last().screens,
        counts: explored.counts.unwrap_or_default(),
        paths: explored.paths.unwrap_or_default(),
        seconds,
    }
}

/// Prints a figure on all abstractions, with `+` or `-` behind it where it is above or below that on the one that learns.
/// Runs are paired by app and seed, those on all apps by app.
fn compare(name: &str, figure: usize, groups: &[(&str, Vec<usize>)], found: &[Runs]) {
    let value =
        |app: usize, abstraction: usize, seed: usize| found[app][abstraction][seed].over_steps[figure];
    let seeds = found[0][0].len();
    let mean = |app: usize, abstraction: usize| {
        (0..seeds).map(|seed| value(app, abstraction, seed)).sum::<f64>() / seeds as f64
    };
    let values = |name: &str, members: &[usize], abstraction: usize| -> Vec<f64> {
        match name.starts_with("all") {
            true => members.iter().map(|&app| mean(app, abstraction)).collect(),
            false => {
                let each = members.iter().flat_map(|&app| (0..seeds).map(move |seed| (app, seed)));
                each.map(|(app, seed)| value(app, abstraction, seed)).collect()
            }
        }
    };
    let is_any = |members: &[usize]| {
        members.iter().any(|&app| (0..ABSTRACTIONS.len()).any(|abstraction| mean(app, abstraction) > 0.0))
    };
    let groups: Vec<&(&str, Vec<usize>)> = groups.iter().filter(|(_, members)| is_any(members)).collect();
    let tested = groups.iter().flat_map(|(name, members)| {
        let first = values(name, members, 0);
        (1..ABSTRACTIONS.len()).map(move |abstraction| paired(&first, &values(name, members, abstraction)))
    });
    let tested: Vec<_> = tested.collect();
    let corrected = holm(&tested.iter().map(|tested| tested.p).collect::<Vec<f64>>());
    let names: Vec<String> = ABSTRACTIONS.iter().map(|info| format!("`{}`", info.name)).collect();
    println!("| {name} | {} |\n|---{}|", names.join(" | "), "|--:".repeat(ABSTRACTIONS.len()));
    for (row, (name, members)) in groups.iter().enumerate() {
        let cells = (0..ABSTRACTIONS.len()).map(|abstraction| {
            let all = values(name, members, abstraction);
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let mark = match abstraction.checked_sub(1).map(|at| row * (ABSTRACTIONS.len() - 1) + at) {
                Some(at) if corrected[at] < LEVEL && tested[at].first.is_gt() => " -",
                Some(at) if corrected[at] < LEVEL => " +",
                Some(_) | None => "",
            };
            format!("{mean:.2}{mark}")
        });
        println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
    println!();
}

/// Returns the cells on the size of the models of some apps, and on paths and times with and without learning.
fn model(apps: &[App], members: &[usize], found: &[Runs]) -> Vec<String> {
    let of = |abstraction: usize| members.iter().flat_map(move |&app| &found[app][abstraction]);
    let mean = |abstraction: usize, value: fn(&Run) -> f64| {
        of(abstraction).map(value).sum::<f64>() / of(abstraction).count() as f64
    };
    let arrived = |abstraction: usize| {
        let sum = |value: fn(&Paths) -> u64| of(abstraction).map(|run| value(&run.paths)).sum::<u64>();
        match sum(|paths| paths.arrived + paths.missed) {
            0 => "-".to_string(),
            all => format!("{:.1}", 100.0 * sum(|paths| paths.arrived) as f64 / all as f64),
        }
    };
    // Each state may be refined and coarsened once for each reducer without `ANCESTOR`.
    let share = |run: &Run| {
        let Counts { states, refinements, coarsenings } = run.counts;
        100.0 * (refinements + coarsenings) as f64 / (2 * 16 * states.max(1)) as f64
    };
    let most_changes = of(0).map(share).fold(0.0, f64::max);
    let windows = members.iter().map(|&app| apps[app].windows).sum::<usize>() as f64 / members.len() as f64;
    let looks = ABSTRACTIONS.len() - 1;
    vec![
        format!("{windows:.1}"),
        format!("{:.1}", mean(0, |run| run.counts.states as f64)),
        format!("{:.1}", mean(looks, |run| run.screens as f64)),
        format!("{:.1}", mean(0, |run| run.counts.refinements as f64)),
        format!("{:.1}", mean(0, |run| run.counts.coarsenings as f64)),
        format!("{most_changes:.1}"),
        arrived(0),
        arrived(looks),
        format!("{:.3}", mean(0, |run| run.seconds) * 1_000.0 / STEPS as f64),
        format!("{:.3}", mean(looks, |run| run.seconds) * 1_000.0 / STEPS as f64),
    ]
}
