//! Tests by rank: of pairs, and of two samples.

use std::cmp::Ordering;

use super::normal::beyond;
use super::{Tested, are_ranked, ranks, tie_term};

/// Most pairs that are counted exactly, and most values of each sample.
const EXACT_MAX: usize = 25;

/// Tests whether the differences within pairs lie around 0, as Wilcoxon does by the ranks of their sizes: exactly up to 25
/// pairs that differ, beyond by the normal distribution, corrected for ties. Returns `None` without a pair.
///
/// The statistic is the smaller of the two sums of ranks. Pairs without a difference are left out.
///
/// ```
/// let pairs = [(1.0, 4.0), (2.0, 6.0), (3.0, 8.0), (4.0, 10.0), (5.0, 7.0)];
/// assert_eq!(farlead::statistics::wilcoxon(&pairs).expect("pairs").p, 0.0625);
/// ```
pub fn wilcoxon(pairs: &[(f64, f64)]) -> Option<Tested> {
    let all: Vec<f64> = pairs.iter().flat_map(|&(one, other)| [one, other]).collect();
    if pairs.is_empty() || !are_ranked(&all) {
        return None;
    }
    // Two failures are alike, though the difference of two infinities is no number.
    let differing = pairs.iter().filter(|(one, other)| one != other);
    let differences: Vec<f64> = differing.map(|(one, other)| one - other).collect();
    if differences.is_empty() {
        return Some(Tested { statistic: 0.0, p: 1.0, is_exact: true, first: Ordering::Equal });
    }
    let sizes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
    let (ranks, ties) = ranks(&sizes);
    let positive: f64 =
        ranks.iter().zip(&differences).filter(|&(_, &by)| by > 0.0).map(|(rank, _)| rank).sum();
    let count = differences.len() as f64;
    let total = count * (count + 1.0) / 2.0;
    let statistic = positive.min(total - positive);
    let first = positive.total_cmp(&(total / 2.0));
    if differences.len() <= EXACT_MAX {
        let p = 2.0 * signed_at_most(&ranks, statistic);
        return Some(Tested { statistic, p: p.min(1.0), is_exact: true, first });
    }
    let variance = (count * (count + 1.0) * (2.0 * count + 1.0) - tie_term(&ties) / 2.0) / 24.0;
    let z = (positive - total / 2.0) / libm::sqrt(variance);
    Some(Tested { statistic, p: beyond(z), is_exact: false, first })
}

/// Returns the share of all choices of signs whose sum of positive ranks is at most `sum`.
fn signed_at_most(ranks: &[f64], sum: f64) -> f64 {
    // Ranks of ties may have halves, so twice the ranks are whole.
    let doubled: Vec<usize> = ranks.iter().map(|rank| (2.0 * rank) as usize).collect();
    let mut ways = vec![0u64; doubled.iter().sum::<usize>() + 1];
    ways[0] = 1;
    let mut top = 0;
    for rank in doubled {
        top += rank;
        for at in (rank..=top).rev() {
            ways[at] += ways[at - rank];
        }
    }
    let few: u64 = ways[..=(2.0 * sum) as usize].iter().sum();
    let all: u64 = ways.iter().sum();
    few as f64 / all as f64
}

/// Tests whether values of one sample tend to be larger than those of the other, as Mann and Whitney do: exactly up to 25
/// values each without ties, else by the normal distribution, corrected for ties and for steps. Returns `None` if a sample
/// is empty.
///
/// The statistic is the number of pairs in which the first is larger, ties counted half.
pub fn mann_whitney(one: &[f64], other: &[f64]) -> Option<Tested> {
    let all: Vec<f64> = one.iter().chain(other).copied().collect();
    if one.is_empty() || other.is_empty() || !are_ranked(&all) {
        return None;
    }
    let (ranks, ties) = ranks(&all);
    let (n, m) = (one.len() as f64, other.len() as f64);
    let sum: f64 = ranks[..one.len()].iter().sum();
    let statistic = sum - n * (n + 1.0) / 2.0;
    let larger = statistic.max(n * m - statistic);
    let first = statistic.total_cmp(&(n * m / 2.0));
    let has_ties = ties.iter().any(|&tied| tied > 1);
    if !has_ties && one.len() <= EXACT_MAX && other.len() <= EXACT_MAX {
        let p = 2.0 * larger_at_least(one.len(), other.len(), larger as usize);
        return Some(Tested { statistic, p: p.min(1.0), is_exact: true, first });
    }
    let all = n + m;
    let variance = n * m / 12.0 * (all + 1.0 - tie_term(&ties) / (all * (all - 1.0)));
    // Equal values have no spread, and no difference.
    let z = if variance > 0.0 { ((larger - n * m / 2.0 - 0.5) / libm::sqrt(variance)).max(0.0) } else { 0.0 };
    Some(Tested { statistic, p: beyond(z), is_exact: false, first })
}

/// Returns the share of all orders of `n` and `m` values in which at least `pairs` pairs have the first larger.
fn larger_at_least(n: usize, m: usize, pairs: usize) -> f64 {
    // `ways[k][u]`: choices of k of the values so far, by the pairs that they win. Counts stay below 2^53.
    let mut ways = vec![vec![0.0f64; n * m + 1]; n + 1];
    ways[0][0] = 1.0;
    for value in 0..n + m {
        for chosen in (1..=n.min(value + 1)).rev() {
            // A chosen value is above those before it that were not chosen.
            let won = value + 1 - chosen;
            if won > m {
                continue;
            }
            let (fewer, these) = ways.split_at_mut(chosen);
            for pairs in won..=n * m {
                these[0][pairs] += fewer[chosen - 1][pairs - won];
            }
        }
    }
    let all: f64 = ways[n].iter().sum();
    ways[n][pairs..].iter().sum::<f64>() / all
}
