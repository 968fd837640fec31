//! Statistics of comparisons: tests by rank, corrections for many tests, sizes of effects, and runs that were cut off.
//!
//! A failed run is [`FAILED`]: it ranks above all others, tied with other failed runs, and has no made-up number. All sums go
//! in one order, and `libm` gives the same last bit on every machine, so a table has the same bytes everywhere.

use std::cmp::Ordering;

use crate::sorted;

mod area;
mod effect;
mod many;
mod normal;
mod rank;
mod survival;

pub use area::area_under_curve;
pub use effect::{Size, a12, a12_interval};
pub use many::{Friedman, friedman, holm};
pub use rank::{mann_whitney, wilcoxon};
pub use survival::{Observed, log_rank};

/// Value of a run that did not come to its end.
pub const FAILED: f64 = f64::INFINITY;

/// Result of a test with two sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tested {
    /// Measure of the test.
    pub statistic: f64,
    /// Probability of a statistic as far from the middle, if there is no difference.
    pub p: f64,
    /// True if the probability is counted, and not that of a normal distribution.
    pub is_exact: bool,
    /// `Greater` if the values of the first sample tend to be larger.
    pub first: Ordering,
}

/// Returns the ranks of `values` from 1, and for each group of ties its size; those that are tied share the middle of their
/// places.
fn ranks(values: &[f64]) -> (Vec<f64>, Vec<usize>) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    sorted::by(&mut order, |&one, &other| values[one].total_cmp(&values[other]));
    let (mut ranks, mut ties) = (vec![0.0; values.len()], Vec::new());
    let mut start = 0;
    while start < order.len() {
        let value = values[order[start]];
        let tied = order[start..].iter().take_while(|&&at| values[at] == value).count();
        // Of the places from start + 1 to start + tied.
        let rank = (2 * start + tied + 1) as f64 / 2.0;
        order[start..start + tied].iter().for_each(|&at| ranks[at] = rank);
        ties.push(tied);
        start += tied;
    }
    (ranks, ties)
}

/// Returns the sum of t^3 - t over groups of ties, by which a variance is corrected.
fn tie_term(ties: &[usize]) -> f64 {
    ties.iter().map(|&tied| tied as f64).map(|tied| tied * tied * tied - tied).sum()
}

/// Returns true if no value is `NaN`, which has no rank.
fn are_ranked(values: &[f64]) -> bool {
    values.iter().all(|value| !value.is_nan())
}
