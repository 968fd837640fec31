//! Sizes of effects: the share of pairs in which one sample is larger.

use super::are_ranked;
use crate::rng::Rng;

/// Size of an effect, by Vargha and Delaney's bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are those of the literature")]
pub enum Size {
    Negligible,
    Small,
    Medium,
    Large,
}

impl Size {
    /// Returns the size of an effect of this [`a12`], whichever side it favours.
    pub fn of(a12: f64) -> Size {
        match a12.max(1.0 - a12) {
            large if large >= 0.71 => Size::Large,
            medium if medium >= 0.64 => Size::Medium,
            small if small >= 0.56 => Size::Small,
            _ => Size::Negligible,
        }
    }

    /// Returns its letter in tables.
    pub fn letter(self) -> char {
        match self {
            Size::Negligible => 'N',
            Size::Small => 'S',
            Size::Medium => 'M',
            Size::Large => 'L',
        }
    }
}

/// Returns the probability that a value of `one` is larger than a value of `other`, ties counted half; `None` if a sample is
/// empty.
///
/// ```
/// use farlead::statistics::{Size, a12};
///
/// let probability = a12(&[3.0, 4.0], &[1.0, 3.0]).expect("values");
/// assert_eq!((probability, Size::of(probability).letter()), (0.875, 'L'));
/// ```
pub fn a12(one: &[f64], other: &[f64]) -> Option<f64> {
    if one.is_empty() || other.is_empty() || !are_ranked(one) || !are_ranked(other) {
        return None;
    }
    let mut sorted = other.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(won(one, &sorted) / (one.len() as f64 * sorted.len() as f64))
}

/// Returns the number of pairs in which the value of `one` is larger, ties counted half.
fn won(one: &[f64], sorted: &[f64]) -> f64 {
    let pairs = |&value: &f64| {
        let below = sorted.partition_point(|other| *other < value);
        let not_above = sorted.partition_point(|other| *other <= value);
        (below + not_above) as f64 / 2.0
    };
    one.iter().map(pairs).sum()
}

/// Returns the 95 % interval of [`a12`] from its values for `draws` samples drawn from each.
pub fn a12_interval(one: &[f64], other: &[f64], draws: usize, rng: &mut Rng) -> Option<(f64, f64)> {
    a12(one, other)?;
    let mut drawn =
        |sample: &[f64]| -> Vec<f64> { sample.iter().map(|_| sample[rng.below(sample.len())]).collect() };
    let mut all = Vec::with_capacity(draws);
    for _ in 0..draws.max(1) {
        let (one, mut other) = (drawn(one), drawn(other));
        other.sort_by(f64::total_cmp);
        all.push(won(&one, &other) / (one.len() as f64 * other.len() as f64));
    }
    all.sort_by(f64::total_cmp);
    // A fortieth of all lies outside at each end.
    let out = all.len() / 40;
    Some((all[out], all[all.len() - 1 - out]))
}
