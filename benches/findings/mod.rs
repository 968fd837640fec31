//! Findings of agents that explore a made-up app without specs, and how those of one are compared with those of another.

use std::sync::Arc;

use farlead::device::{Sim, sim::model::Model};
use farlead::learned_model::LearnedModel;
use farlead::objective::Pays;
use farlead::search::{Budget, Dictionary, Explored, Plan, explore, together};
use farlead::statistics::{Tested, wilcoxon};

/// Returns the rewards of the agent of this name: those of its program where it is one to the letter, else the default ones.
pub fn pays(name: &str) -> Pays {
    match name.split('-').next() {
        Some("ares") => Pays::Ares,
        Some("fate") => Pays::Fate,
        Some("dino") => Pays::Dino,
        Some(_) | None => Pays::Novelty,
    }
}

/// Explores the app of this model by a plan, for so many steps.
pub fn explored(model: &Arc<Model>, plan: &Plan, steps_max: u64, pays: Pays) -> Explored {
    let budget =
        Budget { steps_max, until_quiet: None, is_walk: false, pays, keeps_steps: true, steers: false };
    let mut sim = Sim::new(model.clone(), plan.seed);
    let (known, offered) = (LearnedModel::default(), together([], &Dictionary::default()));
    explore(&mut sim, &[], offered, plan, budget, known, &mut |_| true)
}

/// Returns the mean of numbers; 0 of none.
pub fn mean(all: &[f64]) -> f64 {
    all.iter().sum::<f64>() / all.len().max(1) as f64
}

/// Returns the share of `all` things that a run found within some steps, in percent; `firsts` has the step of each.
pub fn share(firsts: impl IntoIterator<Item = u64>, all: usize, steps: u64) -> f64 {
    let found = firsts.into_iter().filter(|&first| first <= steps).count();
    100.0 * found as f64 / all as f64
}

/// Tests two samples whose values belong together by their places.
pub fn paired(one: &[f64], other: &[f64]) -> Tested {
    let pairs: Vec<(f64, f64)> = one.iter().copied().zip(other.iter().copied()).collect();
    wilcoxon(&pairs).expect("at least a pair")
}
