//! Bounds on a minimised run, as the paper on ND3MIN reports them beside its tables.

use super::{Prior, Rule, Tally};
use crate::rate::Rate;

/// Distance below the required share of passes that the first bound allows; the errors of decisions add up, so the share
/// itself is not to be had.
pub const DISTANCE: f64 = 0.05;

/// Probabilities that a minimised run is what it is taken for, if candidates pass as often as the prior says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Share of tries below which the first bound does not look.
    pub share: f64,
    /// Probability that the run passes in this share of tries at least; p1 of the paper.
    pub passes: f64,
    /// Probability that without any one of its steps it passes in less than the required share; p2 of the paper.
    pub is_minimal: f64,
}

impl Bounds {
    /// Returns the bounds for a run of `length` elements that `rule` decided, and that passed as `rate` says in tries that
    /// decided nothing.
    pub(super) fn new(prior: &Prior, rule: Rule, rate: Rate, length: usize) -> Bounds {
        let required = f64::from(rule.passes) / f64::from(rule.runs);
        // A hair below, as the probabilities of the prior have no exact binary form.
        let share = required - DISTANCE;
        let is_at_least = |p: f64, least: f64| p >= least - 1e-9;
        let seen = Tally { passes: rate.passes, fails: rate.runs - rate.passes };
        let (mut all, mut good) = (0.0, 0.0);
        let (mut refused, mut refused_rightly) = (0.0, 0.0);
        for (p, weight) in prior.weights() {
            let likely = weight * seen.likelihood(p);
            all += likely;
            good += if is_at_least(p, share) { likely } else { 0.0 };
            let likely = weight * (1.0 - at_least(p, rule));
            refused += likely;
            refused_rightly += if is_at_least(p, required) { 0.0 } else { likely };
        }
        // What the prior calls impossible has no posterior.
        let ratio = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let one = ratio(refused_rightly, refused);
        Bounds { share, passes: ratio(good, all), is_minimal: (0..length).fold(1.0, |all, _| all * one) }
    }
}

/// Returns the probability that a candidate which passes with probability `p` is accepted under `rule`.
fn at_least(p: f64, rule: Rule) -> f64 {
    let mut ways = 1.0;
    let mut sum = 0.0;
    for fails in 0..=rule.runs {
        let passes = rule.runs - fails;
        if passes < rule.passes {
            break;
        }
        sum += ways * Tally { passes, fails }.likelihood(p);
        ways = ways * f64::from(passes) / f64::from(fails + 1);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule { passes: 9, runs: 10 };

    #[test]
    fn acceptance_is_the_tail_of_the_binomial_distribution() {
        // 10 * 0.9^9 * 0.1 + 0.9^10, and the same at one half.
        assert!((at_least(0.9, RULE) - 0.736_098_930_1).abs() < 1e-9);
        assert!((at_least(0.5, RULE) - 11.0 / 1_024.0).abs() < 1e-12);
        assert_eq!((at_least(0.0, RULE), at_least(1.0, RULE)), (0.0, 1.0));
    }

    #[test]
    fn two_possibilities_are_weighed_by_the_rule_of_bayes() {
        // Candidates pass always, or half the time, each as likely.
        let prior = Prior::new(&[0.0, 1.0, 1.0]);
        let bounds = Bounds::new(&prior, RULE, Rate { passes: 10, runs: 10 }, 3);
        assert!((bounds.passes - 1_024.0 / 1_025.0).abs() < 1e-12);
        // One that always passes is never refused, so whatever was refused passes half the time.
        assert_eq!(bounds.is_minimal, 1.0);
        let bounds = Bounds::new(&prior, RULE, Rate { passes: 9, runs: 10 }, 3);
        assert_eq!(bounds.passes, 0.0);
    }

    #[test]
    fn more_steps_leave_more_room_for_a_mistake() {
        let bounds = |length| Bounds::new(&Prior::default(), RULE, Rate { passes: 10, runs: 10 }, length);
        let (short, long) = (bounds(1).is_minimal, bounds(10).is_minimal);
        assert!(long < short && short < 1.0 && (short.powi(10) - long).abs() < 1e-12);
        assert_eq!(bounds(0).is_minimal, 1.0);
    }
}
