//! The prior: a distribution of pass probabilities, assumed of a candidate before it is tried.

use super::schedule::Tally;

/// Number of steps between the probabilities told apart: 0, 0.05, ... 1.
const STEPS: usize = 20;

/// Weight of the initial prior, as a number of candidates seen.
const STRENGTH: f64 = 10.0;

/// A distribution over the probability with which a candidate passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Prior {
    /// The weight of each probability `at / STEPS`; all add up to 1.
    weights: [f64; STEPS + 1],
}

impl Default for Prior {
    /// Returns the distribution of the candidates in `benches/minimise.rs`: most never pass, some always, few
    /// in between.
    fn default() -> Prior {
        let mut weights = [0.01; STEPS + 1];
        weights[0] = 0.66;
        weights[STEPS] = 0.15;
        Prior { weights }.normalised()
    }
}

impl Prior {
    /// Returns the prior that gives `weights` to probabilities evenly spread from 0 to 1, the last weight to 1.
    /// Negative weights, infinite ones and NaN count as 0; if all are 0, all probabilities are equally likely.
    pub fn new(weights: &[f64]) -> Prior {
        let mut prior = Prior { weights: [0.0; STEPS + 1] };
        for (at, &weight) in weights.iter().enumerate() {
            // A single weight is that of 1.
            let place = (at * STEPS).checked_div(weights.len() - 1).unwrap_or(STEPS);
            prior.weights[place] += if weight.is_finite() { weight.max(0.0) } else { 0.0 };
        }
        if prior.weights.iter().all(|&weight| weight == 0.0) {
            prior.weights = [1.0; STEPS + 1];
        }
        prior.normalised()
    }

    /// Iterates over the probabilities with their weights, which add up to 1.
    pub fn weights(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.weights.iter().enumerate().map(|(at, &weight)| (at as f64 / STEPS as f64, weight))
    }

    /// Returns the likelihood of one given order of these passes and fails.
    pub fn likelihood(&self, tally: Tally) -> f64 {
        self.weights().map(|(p, weight)| weight * tally.likelihood(p)).sum()
    }

    /// Returns the prior updated with `seen`, the sum of what each decided candidate says about its
    /// probability.
    pub(super) fn learned(&self, seen: &Seen) -> Prior {
        let mut prior = self.clone();
        for (weight, seen) in prior.weights.iter_mut().zip(&seen.weights) {
            *weight = *weight * STRENGTH + seen;
        }
        prior.normalised()
    }

    fn normalised(mut self) -> Prior {
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|weight| *weight /= sum);
        self
    }
}

/// Sum of the posterior distributions of decided candidates.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    weights: [f64; STEPS + 1],
    /// Number of candidates added.
    pub count: u64,
}

impl Seen {
    pub fn add(&mut self, prior: &Prior, tally: Tally) {
        let all = prior.likelihood(tally);
        // A tally that the prior calls impossible has no posterior.
        if all > 0.0 {
            for (seen, (p, weight)) in self.weights.iter_mut().zip(prior.weights()) {
                *seen += weight * tally.likelihood(p) / all;
            }
            self.count += 1;
        }
    }
}

impl Tally {
    /// Returns the likelihood of one given order of these passes and fails, if each passes with probability `p`.
    pub(super) fn likelihood(self, p: f64) -> f64 {
        power(p, self.passes) * power(1.0 - p, self.fails)
    }
}

/// Raises `base` to `exponent` by multiplication alone, so that the last bit is the same on every machine.
fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(prior: &Prior) -> f64 {
        prior.weights().map(|(_, weight)| weight).sum()
    }

    #[test]
    fn weights_add_up_to_one_whatever_is_given() {
        for weights in [&[][..], &[1.0], &[1.0, 2.0, 3.0], &[0.0, 0.0], &[f64::NAN, -1.0], &[0.1; 100]] {
            assert!((sum(&Prior::new(weights)) - 1.0).abs() < 1e-12, "{weights:?}");
        }
        assert!((sum(&Prior::default()) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_last_weight_is_that_of_certainty() {
        let prior = Prior::new(&[0.0, 0.0, 1.0]);
        assert_eq!(prior.likelihood(Tally { passes: 5, fails: 0 }), 1.0);
        assert_eq!(prior.likelihood(Tally { passes: 5, fails: 1 }), 0.0);
    }

    #[test]
    fn what_is_seen_often_becomes_likely() {
        let prior = Prior::default();
        let mut seen = Seen::default();
        (0..200).for_each(|_| seen.add(&prior, Tally { passes: 5, fails: 5 }));
        let learned = prior.learned(&seen);
        let half = Tally { passes: 3, fails: 3 };
        assert!(learned.likelihood(half) > 2.0 * prior.likelihood(half));
        assert!((sum(&learned) - 1.0).abs() < 1e-12);
    }
}
