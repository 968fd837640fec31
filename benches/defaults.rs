//! The evidence for the agents' defaults: made-up apps, and each agent with each of its switches.
//!
//! `cargo bench --bench defaults` prints failures and mean steps at the three levels of formulas, on the small
//! apps of [`made_up`] that are reserved for choosing.

use std::sync::Arc;

use farlead::agent::{AGENTS, FARLEAD, FarleadSettings, RANDOM, Settings};
use farlead::device::{Device, Sim};
use farlead::rng::Seed;
use farlead::search::{Contender, EPISODES_MAX, Plan, Rounds, Tally, Task, compare, mean};

use farlead::situation::Switches;
use made_up::{Family, Half, MadeUp, Names};

mod made_up;

const APPS: u64 = 24;
const RUNS: u32 = 10;

fn main() {
    // `cargo test --benches` only checks that it starts.
    let apps = if std::env::args().any(|arg| arg == "--test") { 1 } else { APPS };
    let contenders = contenders();
    let mut totals = vec![[(); 3].map(|()| Tally::default()); contenders.len()];
    for made_up in made_up::apps(Family::Small, Half::Choosing, apps, Names::Good) {
        let of_app = run(&made_up, &contenders);
        for (total, of_levels) in totals.iter_mut().zip(of_app) {
            total.iter_mut().zip(of_levels).for_each(|(total, tally)| total.add(&tally));
        }
    }
    println!("{:40} {:>20} {:>20} {:>20}", "failures, mean steps", "a", "b", "c");
    for (contender, levels) in contenders.iter().zip(&totals) {
        let cell = |tally: &Tally| format!("{} {:.1}", tally.failures(), mean(&tally.steps));
        let [a, b, c] = levels.each_ref().map(cell);
        println!("{:40} {a:>20} {b:>20} {c:>20}", contender.name);
    }
}

fn contenders() -> Vec<Contender> {
    let mut contenders = Vec::new();
    for agent in AGENTS {
        for (name, sure_actions, restart_hopeless) in [
            ("", false, false),
            (" +sure-actions", true, false),
            (" +restart", false, true),
            (" +both", true, true),
        ] {
            let mut settings = vec![("", FarleadSettings::FEW_FAILURES)];
            if agent.name == FARLEAD.name {
                settings.push((" few-steps", FarleadSettings::FEW_STEPS));
                settings.push((" -tails", FarleadSettings { tail: 0, ..FarleadSettings::FEW_FAILURES }));
            }
            for (setting, farlead) in settings {
                let switches =
                    Switches { prediction: agent.name != RANDOM.name, sure_actions, restart_hopeless };
                let settings = Settings { farlead, ..Settings::default() };
                let plan = Plan { settings, switches, ..Plan::new(agent) };
                contenders.push(Contender { name: format!("{}{setting}{name}", agent.name), plan });
            }
        }
    }
    contenders
}

/// Returns the tally of each contender at each level.
fn run(made_up: &MadeUp, contenders: &[Contender]) -> Vec<[Tally; 3]> {
    let none = Arc::default();
    let tasks: Vec<Task<'_>> = made_up
        .asked
        .iter()
        .map(|asked| Task {
            spec: &asked.spec,
            actions: &none,
            steps_max: asked.steps_max,
            episodes_max: EPISODES_MAX,
        })
        .collect();
    let device = |seed| -> Box<dyn Device> { Box::new(Sim::new(made_up.model.clone(), seed)) };
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let tallies = compare(
        &tasks,
        contenders,
        Rounds { runs: RUNS, seed: Seed(1), jobs },
        &device,
        &|| false,
        &mut |_| (),
    );
    let tallies = tallies.expect("the model runs").expect("nobody stops it");
    (0..contenders.len()).map(|at| [0, 1, 2].map(|level: usize| tallies[level][at].clone())).collect()
}
