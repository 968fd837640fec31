//! Agents that emit numbers, against a slow loop written from the rules of FATE alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use farlead::agent::{FATE_QLEARNING, FATE_RANDOM, QLearningSettings, Settings};
use farlead::device::Sim;
use farlead::device::sim::fate::{self, Options};
use farlead::learned_model::LearnedModel;
use farlead::objective::Pays;
use farlead::rng::Seed;
use farlead::search::{Budget, Dictionary, Plan, explore, together};
use farlead::spec::Source;

use crate::fate::{Slow, models};

const ACTIONS: u64 = 4_000;
const EPISODE: u32 = 300;

/// The first study's exploration rate, discount and learning rate.
const LEARNER: QLearningSettings = QLearningSettings { exploration: 0.6, discount: 0.9, rate: 0.628 };

/// Returns the actions until each activity was seen, by the rules: an episode begins in the first activity and restores no
/// variable; an index beyond the widgets costs an action and none of the episode's; a new activity of the episode pays
/// 1,000, an index that means nothing -30, staying -1 until the first move, all else nothing.
fn slow_run(
    model: &serde_json::Value,
    texts: &[String],
    learner: Option<QLearningSettings>,
    seed: u64,
) -> Vec<u64> {
    let mut app = Slow::new(model.clone(), true);
    let mut rng = Seed(seed).fork("agent");
    let mut table: BTreeMap<String, Vec<Vec<f64>>> = BTreeMap::new();
    let mut seen = BTreeSet::from([app.id().to_string()]);
    let (mut reached, mut actions) = (vec![0], 0);
    while actions < ACTIONS {
        app.reset();
        let mut of_episode = BTreeSet::from([app.id().to_string()]);
        let (mut done, mut has_moved) = (0, false);
        while done < EPISODE && actions < ACTIONS {
            actions += 1;
            let here = app.id().to_string();
            let widgets = app.transitions().len();
            let new = || vec![vec![0.0; texts.len()]; widgets + 1];
            let row = table.entry(here.clone()).or_insert_with(new);
            let explores = learner.is_none_or(|numbers| rng.unit() < numbers.exploration);
            let (widget, text) = if explores {
                (rng.below(widgets + 1), rng.below(texts.len()))
            } else {
                let all = (0..=widgets).flat_map(|widget| (0..texts.len()).map(move |text| (widget, text)));
                let largest = row.iter().flatten().copied().fold(f64::MIN, f64::max);
                all.clone().find(|&(widget, text)| row[widget][text] == largest).expect("one is the largest")
            };
            let reward = if widget == widgets {
                -30.0
            } else {
                done += 1;
                let is_field = app.transitions()[widget]["type"] == "editText";
                app.step(widget, if is_field { &texts[text] } else { "" });
                let there = app.id().to_string();
                if seen.insert(there.clone()) {
                    reached.push(actions);
                }
                let is_move = there != here;
                let reward = match (of_episode.insert(there), is_move || has_moved) {
                    (true, _) => 1_000.0,
                    (false, true) => 0.0,
                    (false, false) => -1.0,
                };
                has_moved |= is_move;
                reward
            };
            if let Some(QLearningSettings { discount, rate, .. }) = learner {
                let there = app.id().to_string();
                let widgets = app.transitions().len();
                let next = table.entry(there).or_insert_with(|| vec![vec![0.0; texts.len()]; widgets + 1]);
                let ahead = next.iter().flatten().copied().fold(f64::MIN, f64::max);
                let value = &mut table.get_mut(&here).expect("it was chosen from")[widget][text];
                *value += rate * (reward + discount * ahead - *value);
            }
        }
    }
    reached
}

/// Returns the same by farlead's simulator, loop and agents.
fn run(path: &Path, texts: &[String], learner: Option<QLearningSettings>, seed: u64) -> Vec<u64> {
    let text = fs::read_to_string(path).expect("a model");
    let options = Options { quirks: true, ..Options::default() };
    let model = fate::read(&Source::new(path.display().to_string(), text), options).model;
    let agent = if learner.is_some() { &FATE_QLEARNING } else { &FATE_RANDOM };
    let settings = Settings { numbered: learner.unwrap_or_default(), ..Settings::default() };
    let plan = Plan { settings, seed: Seed(seed), steps_max: EPISODE + 1, ..Plan::new(agent) };
    let starts = ACTIONS.div_ceil(u64::from(EPISODE));
    let budget = Budget {
        steps_max: ACTIONS + starts,
        until_quiet: None,
        is_walk: false,
        pays: Pays::Fate,
        keeps_steps: false,
        steers: true,
    };
    let mut sim = Sim::new(Arc::new(model.expect("a model without mistakes")), Seed(seed));
    let offered = together([], &Dictionary { texts: texts.to_vec(), is_all: true });
    let explored = explore(&mut sim, &[], offered, &plan, budget, LearnedModel::default(), &mut |_| true);
    explored.reached.into_iter().filter(|&actions| actions <= ACTIONS).collect()
}

#[test]
fn agents_of_fate_do_what_its_rules_say_step_by_step() {
    for (path, _) in models() {
        let dictionary = fs::read_to_string(path.with_file_name(fate::DICTIONARY)).expect("a dictionary");
        // Each line is as likely, those that come twice too.
        let texts = Options { distinct: false, ..Options::default() }.texts(&dictionary);
        let model = serde_json::from_str(&fs::read_to_string(&path).expect("a model")).expect("JSON");
        for learner in [None, Some(LEARNER)] {
            for seed in 1..4 {
                let slow = slow_run(&model, &texts, learner, seed);
                assert_eq!(run(&path, &texts, learner, seed), slow, "{} {learner:?} {seed}", path.display());
            }
        }
    }
}
