//! The training of the table of the agent `qbe`, on the made-up apps on which constants are chosen.

use farlead::agent::{AgentInfo, Kept, QBE, Qbe, qbe};
use farlead::device::Sim;
use farlead::learned_model::LearnedModel;
use farlead::objective::Pays;
use farlead::rng::Seed;
use farlead::search::{Budget, Dictionary, Plan, explore, together};

use super::{Family, Half, Names, apps};

/// The agent while it is trained.
static TRAINED: AgentInfo = AgentInfo { make: |_| Box::new(Qbe::new(true)), ..QBE };

/// Apps of each family, steps on each, and steps of an episode.
const APPS: u64 = 2;
const STEPS: u64 = 3_000;
const EPISODE: u32 = 30;

/// Trains the table: the reward is a new activity of the episode.
pub fn train() -> qbe::Table {
    let mut kept = Vec::new();
    for family in Family::DRAWN.into_iter().chain(Family::EVERYDAY) {
        for app in apps(family, Half::Choosing, APPS, Names::Good) {
            let known = Kept::new(&TRAINED, &kept).expect("what the agent has kept");
            let seed = Seed(1 + app.number);
            let plan = Plan { seed, steps_max: EPISODE, kept: known, ..Plan::new(&TRAINED) };
            let budget = Budget {
                steps_max: STEPS,
                until_quiet: None,
                is_walk: false,
                pays: Pays::Ares,
                keeps_steps: false,
                steers: false,
            };
            let mut sim = Sim::new(app.model.clone(), seed);
            let offered = together([], &Dictionary::default());
            kept =
                explore(&mut sim, &[], offered, &plan, budget, LearnedModel::default(), &mut |_| true).kept;
        }
    }
    let text = String::from_utf8(kept).expect("lines of numbers");
    let mut table = qbe::Table::default();
    for (row, line) in table.iter_mut().zip(text.lines()) {
        for (cell, word) in row.iter_mut().zip(line.split(' ')) {
            *cell = (1_000.0_f64 * word.parse::<f64>().expect("a number")).round() as u32;
        }
    }
    table
}
