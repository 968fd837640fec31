//! A check after exploring, and one without: steps of the check alone.

use std::sync::Arc;
use std::thread;

use farlead::agent::PLANNER;
use farlead::device::Sim;
use farlead::device::sim::model::Model;
use farlead::experience::Experience;
use farlead::gui::UserAction;
use farlead::learned_model::LearnedModel;
use farlead::objective::Pays;
use farlead::rng::Seed;
use farlead::search::{
    Budget, Dictionary, Finding, Plan, Stop, explore, in_order, mean, median, search, together,
};
use farlead::spec::Spec;

use crate::made_up::{self, Family, Half, Names};
use crate::models;

/// Steps of exploring before the check, without a spec, and of its episodes.
const STEPS: [u64; 2] = [300, 1_000];
const EPISODE: u32 = 30;

/// A formula to check, under a name that many may share.
struct Case {
    name: String,
    spec: Spec,
    actions: Arc<[UserAction]>,
    steps_max: u32,
}

/// Prints the steps of checks without and after exploring, on the paper's formulas and on made-up apps.
pub fn table(runs: u32, half: Half, families: &[Family], apps: u64) {
    println!("### Checks after exploring\n");
    println!("| formula | check alone | after 300 steps | share | after 1,000 | share |");
    println!("|---|--:|--:|--:|--:|--:|");
    let rows = models::table3();
    let mut levels: Vec<[Vec<(u64, bool)>; 3]> = vec![Default::default(); 3];
    for app in ["chesswalk", "notes"] {
        let cases: Vec<Case> = rows
            .iter()
            .filter(|row| row.app == app)
            .map(|row| Case {
                name: row.name(),
                spec: row.spec.clone(),
                actions: row.actions.clone(),
                steps_max: row.steps_max,
            })
            .collect();
        let found = checked(&models::model(app, &[]), &cases, runs);
        for (case, found) in cases.iter().zip(found) {
            line(&case.name, &found);
            let level = case.name.bytes().last().map_or(0, |level| usize::from(level - b'a'));
            levels[level].iter_mut().zip(found).for_each(|(all, more)| all.extend(more));
        }
    }
    for (level, found) in ['a', 'b', 'c'].iter().zip(&levels) {
        line(&format!("all {level}"), found);
    }
    for &family in families {
        let mut by_level: Vec<[Vec<(u64, bool)>; 3]> = vec![Default::default(); 3];
        for app in made_up::apps(family, half, apps, Names::Good) {
            let cases: Vec<Case> = app
                .asked
                .iter()
                .map(|asked| Case {
                    name: asked.level.to_string(),
                    spec: asked.spec.clone(),
                    actions: Arc::default(),
                    steps_max: asked.steps_max,
                })
                .collect();
            for (case, found) in cases.iter().zip(checked(&app.model, &cases, runs)) {
                let level = case.name.bytes().last().map_or(0, |level| usize::from(level - b'a'));
                by_level[level].iter_mut().zip(found).for_each(|(all, more)| all.extend(more));
            }
        }
        for (level, found) in ['a', 'b', 'c'].iter().zip(&by_level) {
            line(&format!("{} {level}", family.name()), found);
        }
    }
    println!();
}

/// Returns, for each case, the steps of its checks and whether they failed: alone, and after exploring so long.
fn checked(model: &Arc<Model>, cases: &[Case], runs: u32) -> Vec<[Vec<(u64, bool)>; 3]> {
    let mut all: Vec<[Vec<(u64, bool)>; 3]> = vec![Default::default(); cases.len()];
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let run = |number: usize| {
        let seed = Seed(1 + number as u64);
        let known = [0, STEPS[0], STEPS[1]].map(|steps| Arc::new(explored(model, seed, steps)));
        let check = |case: &Case| known.clone().map(|known| check(model, case, seed, known));
        cases.iter().map(check).collect::<Vec<_>>()
    };
    in_order(jobs, runs as usize, run, |_, found| {
        for (all, found) in all.iter_mut().zip(found) {
            for (all, Finding { steps, stop, .. }) in all.iter_mut().zip(found) {
                all.push((steps, stop != Stop::Found));
            }
        }
    });
    all
}

/// Returns the experience of exploring for so many steps, as a file has it.
fn explored(model: &Arc<Model>, seed: Seed, steps_max: u64) -> Experience {
    if steps_max == 0 {
        return Experience::new();
    }
    let plan = Plan { seed: Seed(1_000 + seed.0), steps_max: EPISODE, ..Plan::new(&PLANNER) };
    let budget = Budget {
        steps_max,
        until_quiet: None,
        is_walk: false,
        pays: Pays::Novelty,
        keeps_steps: true,
        steers: true,
    };
    let mut sim = Sim::new(model.clone(), plan.seed);
    let offered = together([], &Dictionary::default());
    let explored = explore(&mut sim, &[], offered, &plan, budget, LearnedModel::default(), &mut |_| true);
    explored.experience.grown_old()
}

fn check(model: &Arc<Model>, case: &Case, seed: Seed, experience: Arc<Experience>) -> Finding {
    let steps_max = case.steps_max;
    let actions = case.actions.clone();
    let plan = Plan { steps_max, actions, seed, experience, ..Plan::new(&PLANNER) };
    let mut sim = Sim::new(model.clone(), seed);
    search(&mut sim, &case.spec, &plan, &mut |_| true).expect("the model runs")
}

fn line(name: &str, found: &[Vec<(u64, bool)>; 3]) {
    let steps = |found: &[(u64, bool)]| found.iter().map(|(steps, _)| *steps).collect::<Vec<_>>();
    let cell = |found: &[(u64, bool)]| {
        let failed = found.iter().filter(|(_, failed)| *failed).count();
        let mark = if failed > 0 { format!("**{failed}** ") } else { String::new() };
        format!("{mark}{:.1} / {:.0}", mean(&steps(found)), median(&steps(found)))
    };
    let share =
        |found: &[(u64, bool)], alone: &[(u64, bool)]| 100.0 * mean(&steps(found)) / mean(&steps(alone));
    let [alone, short, long] = found;
    println!(
        "| {name} | {} | {} | {:.0} % | {} | {:.0} % |",
        cell(alone),
        cell(short),
        share(short, alone),
        cell(long),
        share(long, alone)
    );
}
