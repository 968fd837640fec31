//! Many tests at once: Holm's correction, and Friedman's test over tasks with Nemenyi's differences.

use super::normal::{chi_squared_above, range_above};
use super::{are_ranked, ranks, tie_term};
use crate::sorted;

/// Fewest tasks over which agents are compared: with fewer, Friedman's approximation says nothing.
const FRIEDMAN_TASKS_MIN: usize = 5;

/// Returns the probabilities of a family of tests, corrected by Holm, in the same order.
///
/// ```
/// assert_eq!(farlead::statistics::holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
/// ```
pub fn holm(family: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..family.len()).collect();
    sorted::by(&mut order, |&one, &other| family[one].total_cmp(&family[other]));
    let mut corrected = vec![0.0; family.len()];
    let mut largest = 0.0f64;
    for (place, at) in order.into_iter().enumerate() {
        // As many hypotheses as have not been decided yet.
        largest = largest.max((family.len() - place) as f64 * family[at]).min(1.0);
        corrected[at] = largest;
    }
    corrected
}

/// Comparison of agents over tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct Friedman {
    /// Friedman's statistic, corrected for ties.
    pub statistic: f64,
    /// Its probability, if all agents are alike.
    pub p: f64,
    /// Mean rank of each agent; the smallest value of a task has rank 1.
    pub ranks: Vec<f64>,
    tasks: usize,
}

/// Compares agents over tasks, each row with a value for every agent. Returns `None` with fewer than five tasks or two agents,
/// or if rows differ in length.
pub fn friedman(tasks: &[Vec<f64>]) -> Option<Friedman> {
    let agents = tasks.first()?.len();
    let is_whole = tasks.iter().all(|row| row.len() == agents && are_ranked(row));
    if tasks.len() < FRIEDMAN_TASKS_MIN || agents < 2 || !is_whole {
        return None;
    }
    let (mut sums, mut tied) = (vec![0.0; agents], 0.0);
    for row in tasks {
        let (ranks, ties) = ranks(row);
        sums.iter_mut().zip(ranks).for_each(|(sum, rank)| *sum += rank);
        tied += tie_term(&ties);
    }
    let (n, k) = (tasks.len() as f64, agents as f64);
    let correction = 1.0 - tied / (n * k * (k * k - 1.0));
    let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
    let spread = 12.0 / (n * k * (k + 1.0)) * squares - 3.0 * n * (k + 1.0);
    // Where all are tied in every app, nothing tells them apart.
    let statistic = if correction > 0.0 { spread / correction } else { 0.0 };
    let ranks = sums.iter().map(|sum| sum / n).collect();
    Some(Friedman { statistic, p: chi_squared_above(statistic, agents - 1), ranks, tasks: tasks.len() })
}

impl Friedman {
    /// Returns Nemenyi's probability that two agents, by their places, are alike.
    pub fn nemenyi(&self, one: usize, other: usize) -> Option<f64> {
        let (one, other) = (self.ranks.get(one)?, self.ranks.get(other)?);
        let (n, k) = (self.tasks as f64, self.ranks.len() as f64);
        let deviation = libm::sqrt(k * (k + 1.0) / (12.0 * n));
        Some(range_above((one - other).abs() / deviation, self.ranks.len()))
    }
}
