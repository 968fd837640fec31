//! Runs that were cut off: their cost is at least their budget.

use super::Tested;
use super::normal::beyond;
use crate::sorted;

/// A run that was watched for some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// Steps until it reached its objective, or until it was cut off.
    pub time: f64,
    /// True if it was cut off.
    pub is_censored: bool,
}

/// Tests whether runs of two kinds reach their objective at the same pace, as the log-rank test does. Returns `None` if a
/// sample is empty, a time is no number, or nothing tells the two apart, as where no run reached it.
///
/// The statistic is in standard deviations, above 0 if the first reach it more often than expected.
pub fn log_rank(one: &[Observed], other: &[Observed]) -> Option<Tested> {
    let all: Vec<(Observed, bool)> =
        one.iter().map(|run| (*run, true)).chain(other.iter().map(|run| (*run, false))).collect();
    if one.is_empty() || other.is_empty() || all.iter().any(|(run, _)| run.time.is_nan()) {
        return None;
    }
    let mut ordered = all;
    sorted::by(&mut ordered, |(one, _), (other, _)| one.time.total_cmp(&other.time));
    let (mut at_risk, mut at_risk_first) = (ordered.len() as f64, one.len() as f64);
    let (mut excess, mut variance) = (0.0, 0.0);
    let mut rest = &ordered[..];
    while let Some((first, _)) = rest.first() {
        let now = rest.iter().take_while(|(run, _)| run.time == first.time).count();
        let (these, later) = rest.split_at(now);
        // A run that is cut off at this time could still have reached it.
        let reached = these.iter().filter(|(run, _)| !run.is_censored).count() as f64;
        let reached_first =
            these.iter().filter(|(run, is_first)| *is_first && !run.is_censored).count() as f64;
        if reached > 0.0 {
            let share = at_risk_first / at_risk;
            excess += reached_first - reached * share;
            if at_risk > 1.0 {
                variance += reached * share * (1.0 - share) * (at_risk - reached) / (at_risk - 1.0);
            }
        }
        at_risk -= now as f64;
        at_risk_first -= these.iter().filter(|(_, is_first)| *is_first).count() as f64;
        rest = later;
    }
    if variance <= 0.0 {
        return None;
    }
    let z = excess / libm::sqrt(variance);
    // Those that reach it more often than expected take less time.
    Some(Tested { statistic: z, p: beyond(z), is_exact: false, first: 0.0f64.total_cmp(&z) })
}
