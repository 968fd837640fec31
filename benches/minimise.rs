//! The cost of minimising: the tables of docs/results.md.
//!
//! `cargo bench --bench minimise` prints them in Markdown; after `--`, `--runs 10` uses more runs of each app.
//! All figures other than times are the same on every machine.

use std::convert::Infallible;
use std::time::Instant;

use farlead::minimise::{
    Additions, Check, Element, Policy, Prior, Rule, Schedule, Settings, Tally, Trial, TrialResult, minimise,
    share_out,
};
use farlead::rng::{Rng, Seed};

#[path = "../tests/it/minimise/app.rs"]
mod app;

use app::{Leads, runs, true_rate};

const LENGTH: usize = 500;
const WIDTHS: [usize; 3] = [1, 4, 16];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let after = |name: &str| args.iter().skip_while(|arg| *arg != name).nth(1);
    let count = after("--runs").map_or(4, |count| count.parse().expect("a number"));
    // `cargo test --benches` only checks that it starts.
    let (count, percents) =
        if args.iter().any(|arg| arg == "--test") { (1, vec![0]) } else { (count, vec![0, 10, 30]) };
    let mut apps: Vec<(u32, Vec<Leads>)> =
        percents.into_iter().map(|percent| (percent, runs(percent, LENGTH, count))).collect();
    calls();
    schedules(&mut apps);
    additions(&mut apps);
    overhead();
}

/// Prints the rounds of single decisions: candidates drawn from the prior, until one passes or none can.
fn calls() {
    println!("### Rounds until one of n candidates passes or none can\n");
    println!("| n, M | {} |", Schedule::ALL.map(Schedule::name).join(" | "));
    println!("| --- | --- | --- | --- | --- |");
    let (rule, prior) = (Rule { passes: 9, runs: 10 }, Prior::default());
    for (candidates, width) in [(2, 1), (2, 4), (4, 1), (4, 4), (4, 16), (16, 4), (16, 16)] {
        let policy = Policy::new(candidates, width, rule, &prior);
        let cells = Schedule::ALL.map(|schedule| {
            let policy = policy.as_ref().filter(|_| schedule == Schedule::Mdp);
            if schedule == Schedule::Mdp && policy.is_none() {
                return "as heuristic".to_string();
            }
            // The same chance for all schedules, so that they decide about the same candidates.
            let mut rng = Seed(1).fork("calls");
            let rounds: u32 = (0..4_000)
                .map(|_| {
                    let chances: Vec<f64> = (0..candidates).map(|_| draw(&prior, &mut rng)).collect();
                    call(&chances, width as u32, rule, &mut rng, |tallies| match policy {
                        Some(policy) => policy.choose(tallies),
                        None => share_out(schedule, tallies, rule, width as u32),
                    })
                })
                .sum();
            format!("{:.2}", f64::from(rounds) / 4_000.0)
        });
        println!("| {candidates}, {width} | {} |", cells.join(" | "));
    }
    println!();
}

fn draw(prior: &Prior, rng: &mut Rng) -> f64 {
    let mut left = rng.unit();
    let mut is_it = |weight: f64| {
        left -= weight;
        left < 0.0
    };
    prior.weights().find(|&(_, weight)| is_it(weight)).map_or(1.0, |(chance, _)| chance)
}

fn call(chances: &[f64], width: u32, rule: Rule, rng: &mut Rng, share: impl Fn(&[Tally]) -> Vec<u32>) -> u32 {
    let mut open: Vec<(f64, Tally)> = chances.iter().map(|&chance| (chance, Tally::default())).collect();
    let mut rounds = 0;
    while !open.is_empty() && open.iter().all(|(_, tally)| tally.verdict(rule).is_none()) {
        rounds += 1;
        let tallies: Vec<Tally> = open.iter().map(|&(_, tally)| tally).collect();
        let shares = share(&tallies);
        debug_assert!(shares.iter().sum::<u32>() <= width);
        for ((chance, tally), runs) in open.iter_mut().zip(shares) {
            for _ in 0..runs {
                if rng.unit() < *chance { tally.passes += 1 } else { tally.fails += 1 }
            }
        }
        open.retain(|(_, tally)| tally.verdict(rule) != Some(false));
    }
    rounds
}

fn schedules(apps: &mut [(u32, Vec<Leads>)]) {
    for (title, additions) in [("ND3MIN", Additions::NONE), ("All additions", Additions::ALL)] {
        println!("### {title}: {LENGTH} random actions\n");
        println!("| dialog, M | {} |", Schedule::ALL.map(Schedule::name).join(" | "));
        println!("| --- | --- | --- | --- | --- |");
        for (percent, of_app) in &mut *apps {
            for width in WIDTHS {
                let cells = Schedule::ALL.map(|schedule| {
                    cell(of_app, &Settings { schedule, width, additions, ..Settings::default() })
                });
                println!("| {percent} %, {width} | {} |", cells.join(" | "));
            }
        }
        println!();
    }
}

fn additions(apps: &mut [(u32, Vec<Leads>)]) {
    let all = Additions::ALL;
    let settings = [
        ("all", all),
        ("without one run", Additions { one_run: false, ..all }),
        ("without done", Additions { done: false, ..all }),
        ("without likelier", Additions { likelier: false, ..all }),
        ("without merged", Additions { merged: false, ..all }),
        ("without stretches", Additions { stretches: false, ..all }),
        ("without steps back", Additions { steps_back: false, ..all }),
        ("none", Additions::NONE),
    ];
    println!("### What each addition is worth, M = 4\n");
    let titles: Vec<String> = apps.iter().map(|(percent, _)| format!("dialog {percent} %")).collect();
    println!("| additions | {} |", titles.join(" | "));
    println!("| --- |{}", " --- |".repeat(titles.len()));
    for (name, additions) in settings {
        let settings = Settings { width: 4, additions, ..Settings::default() };
        let cells: Vec<String> = apps.iter_mut().map(|(_, of_app)| cell(of_app, &settings)).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
    println!();
}

/// Returns mean rounds, mean runs, mean final length, and the mean rate of the result in runs that decided
/// nothing.
fn cell(of_app: &mut [Leads], settings: &Settings) -> String {
    let count = of_app.len() as f64;
    let (mut rounds, mut runs, mut length, mut rate) = (0, 0, 0, 0.0);
    for leads in of_app {
        let found = minimise(leads, LENGTH, settings).expect("the model runs");
        rounds += found.rounds;
        runs += found.runs;
        length += found.kept.len();
        rate += true_rate(leads, &found.kept, 300);
    }
    let mean = |sum: f64| sum / count;
    let (rounds, runs, length) = (mean(rounds as f64), mean(runs as f64), mean(length as f64));
    format!("{rounds:.0} / {runs:.0} / {length:.1} / {:.2}", mean(rate))
}

/// Passes if all these elements are kept, and takes no time.
struct Needs {
    needed: Vec<usize>,
}

impl Check for Needs {
    type Error = Infallible;

    fn round(&mut self, trials: &[Trial<'_>]) -> Result<Vec<TrialResult>, Infallible> {
        let has = |kept: &[Element], at: &usize| kept.binary_search_by_key(at, |kept| kept.at).is_ok();
        let tried = |trial: &Trial<'_>| {
            let passed = self.needed.iter().all(|at| has(trial.kept, at));
            TrialResult { passed, done: trial.kept.to_vec() }
        };
        Ok(trials.iter().map(tried).collect())
    }
}

fn overhead() {
    println!("### Time of its own\n");
    println!("| elements | needed | runs | µs |");
    println!("| --- | --- | --- | --- |");
    for (length, needed) in [(5, 4), (10, 5), (500, 5), (10_000, 10)] {
        let needed: Vec<usize> = (0..needed).map(|at| at * length / needed + length / needed / 2).collect();
        let count = needed.len();
        let mut check = Needs { needed };
        let (begun, mut times, mut runs) = (Instant::now(), 0, 0);
        while begun.elapsed().as_secs_f64() < 0.3 {
            let Ok(found) = minimise(&mut check, length, &Settings::default());
            runs = found.runs;
            times += 1;
        }
        println!(
            "| {length} | {count} | {runs} | {:.0} |",
            begun.elapsed().as_secs_f64() * 1e6 / f64::from(times)
        );
    }
    println!("\n| policy of `mdp`: n, M, ST of NR | ms |\n| --- | --- |");
    for (candidates, width, passes) in [(2, 4, 9), (4, 1, 9), (4, 4, 9), (4, 4, 5)] {
        let begun = Instant::now();
        let policy = Policy::new(candidates, width, Rule { passes, runs: 10 }, &Prior::default());
        assert!(policy.is_some());
        println!("| {candidates}, {width}, {passes} of 10 | {:.1} |", begun.elapsed().as_secs_f64() * 1e3);
    }
}
