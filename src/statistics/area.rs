//! Area under the curve of what was found so far, as FATE compares agents.

/// Returns the area under the curve of a count over `steps` steps. The count is read after each step; `found` has the number
/// of steps before each thing was found, 0 for what was there at the start.
///
/// It is the trapezoid rule of FATE: over the counts after the steps 1 to `steps`, without the last, one apart.
///
/// ```
/// use farlead::statistics::area_under_curve;
///
/// // One thing from the start, another one from the third step on: 1, 1, 2, 2 and one more count that is left out.
/// assert_eq!(area_under_curve([0, 3], 5), 4.5);
/// ```
pub fn area_under_curve(found: impl IntoIterator<Item = u64>, steps: u64) -> f64 {
    let Some(last) = steps.checked_sub(1) else { return 0.0 };
    let halves = found.into_iter().map(|step| match step.max(1) {
        first if first > last => 0,
        1 => 2 * (last - 1),
        // It rises in the middle between two counts.
        first => 2 * (last - first) + 1,
    });
    halves.fold(0.0, |area, halves| area + halves as f64) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    /// The same from its definition: counts after each step, and the trapezoid rule.
    fn slow(found: &[u64], steps: u64) -> f64 {
        let count = |step: u64| found.iter().filter(|&&first| first <= step).count() as f64;
        let counts: Vec<f64> = (1..steps).map(count).collect();
        counts.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).sum()
    }

    #[test]
    fn it_is_the_trapezoid_rule() {
        let mut rng = Seed(1).fork("test");
        for _ in 0..2_000 {
            let steps = rng.below(40) as u64;
            let found: Vec<u64> = (0..rng.below(8)).map(|_| rng.below(45) as u64).collect();
            assert_eq!(
                area_under_curve(found.iter().copied(), steps),
                slow(&found, steps),
                "{found:?} {steps}"
            );
        }
    }

    #[test]
    fn the_ceilings_of_fates_models_come_out() {
        for (activities, ceiling) in
            [(1, 3_998.0), (23, 91_954.0), (10, 39_980.0), (16, 63_968.0), (12, 47_976.0)]
        {
            assert_eq!(area_under_curve(vec![0; activities], 4_000), ceiling);
        }
    }
}
