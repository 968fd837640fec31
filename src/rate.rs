//! Rates: how often something happened, with the confidence interval of its probability.

use serde::{Deserialize, Serialize};

/// A number of passes among a number of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Number of runs that passed.
    pub passes: u32,
    /// Number of runs.
    pub runs: u32,
}

impl Rate {
    /// Returns true if there were runs and all passed.
    pub fn is_full(self) -> bool {
        self.runs > 0 && self.passes == self.runs
    }

    /// Returns the 95 % interval of the probability behind the rate, see [`wilson`].
    pub fn interval(self) -> (f64, f64) {
        wilson(self.passes, self.runs)
    }
}

/// Returns Wilson's 95 % interval for the probability behind `passes` of `runs`: from 0 to 1 if there were no
/// runs.
///
/// ```
/// let (low, high) = farlead::rate::wilson(10, 10);
/// assert_eq!((format!("{low:.3}"), high), ("0.722".to_string(), 1.0));
/// ```
pub fn wilson(passes: u32, runs: u32) -> (f64, f64) {
    // Of a normal distribution, 95 % lie within this many standard deviations of the mean.
    const Z: f64 = 1.959_963_984_540_054;
    if runs == 0 {
        return (0.0, 1.0);
    }
    let (runs, passes) = (f64::from(runs), f64::from(passes.min(runs)));
    let (rate, of_all) = (passes / runs, Z * Z / runs);
    let middle = rate + of_all / 2.0;
    let half = (of_all * (rate * (1.0 - rate) + of_all / 4.0)).sqrt();
    // At the ends the exact bound is 0 or 1, which rounding would miss.
    let low = if passes == 0.0 { 0.0 } else { (middle - half) / (1.0 + of_all) };
    let high = if passes == runs { 1.0 } else { (middle + half) / (1.0 + of_all) };
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_interval_are_where_the_rate_is_just_within_the_normal_deviation() {
        for (passes, runs) in [(1, 10), (9, 10), (5, 7), (99, 100), (1, 1_000)] {
            let (low, high) = wilson(passes, runs);
            let rate = f64::from(passes) / f64::from(runs);
            for end in [low, high] {
                let deviation = (end * (1.0 - end) / f64::from(runs)).sqrt();
                assert!(
                    ((rate - end).abs() / deviation - 1.959_964).abs() < 1e-5,
                    "{passes} of {runs}: {end}"
                );
            }
            assert!(low < rate && rate < high);
        }
    }

    #[test]
    fn no_runs_say_nothing_and_all_passes_leave_the_upper_end_open() {
        assert_eq!(wilson(0, 0), (0.0, 1.0));
        assert_eq!(wilson(0, 5).0, 0.0);
        assert_eq!(wilson(5, 5).1, 1.0);
        assert!(wilson(20, 20).0 > wilson(10, 10).0);
    }
}
