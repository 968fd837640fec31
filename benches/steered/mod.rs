//! Exploring with specs, with and without steering: steps until each violation, and what was covered.

use std::sync::Arc;
use std::thread;

use farlead::agent::PLANNER;
use farlead::device::Sim;
use farlead::device::sim::model::Model;
use farlead::gui::Repertoire;
use farlead::learned_model::{LearnedModel, Point};
use farlead::objective::Pays;
use farlead::rng::Seed;
use farlead::search::{
    Budget, Dictionary, Explored, Plan, explore, in_order, mean, median, repertoire_with, together,
};
use farlead::spec::{Expectation, Spec};

use crate::made_up::{self, Family, Half, Names};
use crate::models;

/// Steps of a run, and of an episode.
const STEPS: u64 = 2_000;
const EPISODE: u32 = 30;

/// Returns the offers for specs beyond those that screens make by themselves.
type Offered<'a> = dyn Fn(&[&Spec]) -> Repertoire + Sync + 'a;

/// App, and the specs that are watched on it, each under a name that many may share.
struct Case<'a> {
    model: Arc<Model>,
    specs: Vec<(String, Spec)>,
    repertoire: Box<Offered<'a>>,
}

/// Findings under a name: steps until a violation, or all of them, and the number of those that were not found.
#[derive(Clone, Default)]
struct Found {
    steps: Vec<u64>,
    missed: usize,
}

/// Prints the formulas of the paper as violations, and those of made-up apps.
pub fn table(runs: u32, half: Half, families: &[Family], apps: u64) {
    println!("### Steered towards violations\n");
    println!("| violation | steered | not steered |");
    println!("|---|--:|--:|");
    let rows = models::table3();
    let mut covered = Vec::new();
    for app in ["chesswalk", "notes"] {
        // What the lower levels name besides would lead those above them.
        for level in ['a', 'b', 'c'] {
            let of_app: Vec<&models::Row> =
                rows.iter().filter(|row| row.app == app && row.level == level).collect();
            let actions: Vec<_> = of_app.iter().map(|row| row.actions.clone()).collect();
            let specs = of_app.iter().map(|row| (row.name(), never(&row.spec))).collect();
            let repertoire = move |specs: &[&Spec]| {
                let all = specs.iter().copied().zip(actions.iter().map(|actions| &actions[..]));
                together(all, &Dictionary::default())
            };
            let case = Case { model: models::model(app, &[]), specs, repertoire: Box::new(repertoire) };
            covered.push((format!("{app}, {level}"), print(&[case], runs)));
        }
    }
    for &family in families {
        for level in ['a', 'b'] {
            let cases: Vec<Case<'_>> = made_up::apps(family, half, apps, Names::Good)
                .into_iter()
                .map(|app| {
                    let asked = app.asked.iter().filter(|asked| asked.level == level);
                    let name = format!("{} {level}", family.name());
                    Case {
                        model: app.model.clone(),
                        specs: asked.map(|asked| (name.clone(), never(&asked.spec))).collect(),
                        repertoire: Box::new(|specs: &[&Spec]| {
                            repertoire_with(specs[0], &[], &Dictionary::default())
                        }),
                    }
                })
                .collect();
            covered.push((format!("{} {level}", family.name()), print(&cases, runs)));
        }
    }
    println!("\n| app | screens | | transitions | | actions done | | activities | |");
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for (name, [with, without]) in covered {
        let count = |points: &[Point], of: fn(&Point) -> usize| {
            format!("{:.1}", points.iter().map(|point| of(point) as f64).sum::<f64>() / points.len() as f64)
        };
        let pair = |of: fn(&Point) -> usize| format!("{} | {}", count(&with, of), count(&without, of));
        println!(
            "| {name} | {} | {} | {} | {} |",
            pair(|point| point.screens),
            pair(|point| point.transitions),
            pair(|point| point.done),
            pair(|point| point.activities)
        );
    }
    println!();
}

/// Returns the spec that its formula is never satisfied.
fn never(spec: &Spec) -> Spec {
    Spec { expectation: Expectation::Never, ..spec.clone() }
}

/// Prints a line for each name of specs, and returns the counts at the ends of the runs, with steering and without.
fn print(cases: &[Case<'_>], runs: u32) -> [Vec<Point>; 2] {
    let mut points = [Vec::new(), Vec::new()];
    let mut names: Vec<String> = Vec::new();
    let mut found: Vec<[Found; 2]> = Vec::new();
    for case in cases {
        for (way, steers) in [true, false].into_iter().enumerate() {
            let run = |number: usize| explored(case, Seed(1 + number as u64), steers);
            let jobs = thread::available_parallelism().map_or(1, usize::from);
            in_order(jobs, runs as usize, run, |_, explored| {
                points[way].push(explored.last());
                for ((name, _), watched) in case.specs.iter().zip(&explored.watched) {
                    let at = names.iter().position(|known| known == name).unwrap_or_else(|| {
                        names.push(name.clone());
                        found.push(Default::default());
                        names.len() - 1
                    });
                    let found = &mut found[at][way];
                    found.missed += usize::from(watched.run.is_none());
                    found.steps.push(if watched.run.is_some() { watched.first_step } else { STEPS });
                }
            });
        }
    }
    for (name, found) in names.iter().zip(&found) {
        let cell = |found: &Found| {
            let missed = if found.missed > 0 { format!("**{}** ", found.missed) } else { String::new() };
            format!("{missed}{:.1} / {:.0}", mean(&found.steps), median(&found.steps))
        };
        println!("| {name} | {} | {} |", cell(&found[0]), cell(&found[1]));
    }
    points
}

fn explored(case: &Case<'_>, seed: Seed, steers: bool) -> Explored {
    let plan = Plan { seed, steps_max: EPISODE, ..Plan::new(&PLANNER) };
    let budget = Budget {
        steps_max: STEPS,
        until_quiet: None,
        is_walk: false,
        pays: Pays::Novelty,
        keeps_steps: true,
        steers,
    };
    let specs: Vec<&Spec> = case.specs.iter().map(|(_, spec)| spec).collect();
    let mut sim = Sim::new(case.model.clone(), seed);
    let repertoire = (case.repertoire)(&specs);
    explore(&mut sim, &specs, repertoire, &plan, budget, LearnedModel::default(), &mut |_| true)
}
