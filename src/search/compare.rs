//! Comparison of agents on the same specs with the same seeds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::explore::{Budget, explore};
use super::jobs::in_order;
use super::{Dictionary, Plan, Stop, search, together};
use crate::device::{Device, DeviceError};
use crate::gui::{Repertoire, UserAction};
use crate::learned_model::{LearnedModel, Point};
use crate::rng::Seed;
use crate::spec::Spec;

/// Plan of a search under a name.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Name in tables.
    pub name: String,
    /// Plan; each run sets budget and seed.
    pub plan: Plan,
}

/// Spec with the budget of each run.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Spec to decide.
    pub spec: &'a Spec,
    /// Actions that its file declares.
    pub actions: &'a Arc<[UserAction]>,
    /// Most steps of an episode.
    pub steps_max: u32,
    /// Most episodes of a run.
    pub episodes_max: u32,
}

/// Tally of all runs of a contender on a spec.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// True for each run that did not reach the objective, in the order of the seeds.
    pub failed: Vec<bool>,
    /// Episodes of each run.
    pub episodes: Vec<u64>,
    /// Steps on the device of each run.
    pub steps: Vec<u64>,
    /// Time that passed on the device in each run.
    pub device_ms: Vec<u64>,
    /// Conditions of the spec, and the number of steps of all runs at which each held.
    pub held: BTreeMap<String, u64>,
}

impl Tally {
    /// Adds the runs of `other`.
    pub fn add(&mut self, other: &Tally) {
        self.failed.extend(&other.failed);
        self.episodes.extend(&other.episodes);
        self.steps.extend(&other.steps);
        self.device_ms.extend(&other.device_ms);
        self.held.extend(other.held.clone());
    }

    /// Returns the number of runs that did not reach the objective.
    pub fn failures(&self) -> u32 {
        self.failed.iter().map(|&is_failed| u32::from(is_failed)).sum()
    }

    /// Returns the number of runs that reached it in their first episode.
    pub fn found_at_once(&self) -> usize {
        self.failed
            .iter()
            .zip(&self.episodes)
            .filter(|&(&is_failed, &episodes)| !is_failed && episodes == 1)
            .count()
    }
}

/// Returns the mean of `numbers`, 0 of none.
pub fn mean(numbers: &[u64]) -> f64 {
    if numbers.is_empty() { 0.0 } else { numbers.iter().sum::<u64>() as f64 / numbers.len() as f64 }
}

/// Returns the median of `numbers`: of an even number the mean of the two in the middle, 0 of none.
pub fn median(numbers: &[u64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        len if len % 2 == 1 => sorted[half] as f64,
        _ => (sorted[half - 1] + sorted[half]) as f64 / 2.0,
    }
}

/// Runs of each contender on each task.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// Number of runs.
    pub runs: u32,
    /// First seed.
    pub seed: Seed,
    /// Most threads; tallies do not depend on their number.
    pub jobs: usize,
}

/// News of a comparison while it goes on.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// Number of runs that are done.
    pub done: usize,
    /// Number of all runs.
    pub whole: usize,
    /// Task and contender, by their places, whose last run this was, and their tally.
    pub ended: Option<(usize, usize, &'a Tally)>,
}

/// Runs each contender on each task, and returns their tallies, task by task, or nothing once `is_stopped`. `device`
/// makes a device for a seed; `watch` is told of each run, in their order.
pub fn compare(
    tasks: &[Task<'_>],
    contenders: &[Contender],
    rounds: Rounds,
    device: &(dyn Fn(Seed) -> Box<dyn Device> + Sync),
    is_stopped: &(dyn Fn() -> bool + Sync),
    watch: &mut dyn FnMut(&Compared<'_>),
) -> Result<Option<Vec<Vec<Tally>>>, DeviceError> {
    let count = contenders.len();
    let mut tallies = vec![vec![Tally::default(); count]; tasks.len()];
    let run_one = |cell: usize, seed: Seed, goes_on: &dyn Fn() -> bool| {
        let (task, contender) = (&tasks[cell / count], &contenders[cell % count]);
        let plan = Plan {
            seed,
            actions: task.actions.clone(),
            steps_max: task.steps_max,
            episodes_max: task.episodes_max,
            ..contender.plan.clone()
        };
        search(&mut *device(seed), task.spec, &plan, &mut |_| goes_on())
    };
    let whole = tasks.len() * count * rounds.runs as usize;
    let is_whole = each_run(tasks.len() * count, rounds, is_stopped, &run_one, &mut |number, finding| {
        let (task, contender) =
            (number / rounds.runs as usize / count, number / rounds.runs as usize % count);
        let tally = &mut tallies[task][contender];
        if let Some(finding) = finding {
            tally.failed.push(finding.stop != Stop::Found);
            tally.episodes.push(u64::from(finding.episodes));
            tally.steps.push(finding.steps);
            tally.device_ms.push(finding.device_ms);
            for (name, times) in finding.reach.report.held {
                *tally.held.entry(name).or_default() += times;
            }
        }
        let is_ended = tally.steps.len() == rounds.runs as usize;
        let ended = is_ended.then_some((task, contender, &*tally));
        watch(&Compared { done: number + 1, whole, ended });
    })?;
    Ok(is_whole.then_some(tallies))
}

/// App to explore.
pub struct Venture<'a> {
    /// Makes a device for a seed.
    pub device: &'a (dyn Fn(Seed) -> Box<dyn Device> + Sync),
    /// Texts that are typed.
    pub texts: Dictionary,
}

/// Run of exploring, in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Covered {
    /// Actions until each activity was seen, in order; starts of the app are no actions.
    pub reached: Vec<u64>,
    /// All actions of the run.
    pub actions: u64,
    /// Counts at the end.
    pub last: Point,
    /// Different crashes, and lacks of an answer.
    pub faults: usize,
    /// Time that passed on the device.
    pub device_ms: u64,
}

/// Lets each contender explore each app, and returns their runs, app by app, or nothing once `is_stopped`. `watch` is told
/// the number of runs that are done, and that of all.
pub fn compare_exploring(
    ventures: &[Venture<'_>],
    contenders: &[Contender],
    rounds: Rounds,
    budget: Budget,
    is_stopped: &(dyn Fn() -> bool + Sync),
    watch: &mut dyn FnMut(usize, usize),
) -> Result<Option<Vec<Vec<Vec<Covered>>>>, DeviceError> {
    let count = contenders.len();
    let mut all = vec![vec![Vec::new(); count]; ventures.len()];
    let run_one = |cell: usize, seed: Seed, goes_on: &dyn Fn() -> bool| {
        let (venture, contender) = (&ventures[cell / count], &contenders[cell % count]);
        let plan = Plan { seed, texts: venture.texts.clone(), ..contender.plan.clone() };
        let mut device = (venture.device)(seed);
        let repertoire = Repertoire { rules: plan.rules.clone(), ..together([], &venture.texts) };
        let begun = LearnedModel::default();
        let explored = explore(&mut *device, &[], repertoire, &plan, budget, begun, &mut |_| goes_on());
        match explored.failure {
            Some(error) => Err(error),
            None => Ok(Covered {
                last: explored.last(),
                reached: explored.reached,
                actions: explored.actions,
                faults: explored.faults.len(),
                device_ms: explored.model.device_ms,
            }),
        }
    };
    let (cells, runs) = (ventures.len() * count, rounds.runs as usize);
    let is_whole = each_run(cells, rounds, is_stopped, &run_one, &mut |number, covered| {
        let cell = number / runs;
        all[cell / count][cell % count].extend(covered);
        watch(number + 1, cells * runs);
    })?;
    Ok(is_whole.then_some(all))
}

/// Does a run of a cell with a seed, as long as it may go on.
type RunOne<'a, T> = dyn Fn(usize, Seed, &dyn Fn() -> bool) -> Result<T, DeviceError> + Sync + 'a;

/// Does `run_one` for each run of each cell, and hands its result to `take` with its number, in their order; returns true if
/// nobody stopped it.
fn each_run<T: Send>(
    cells: usize,
    Rounds { runs, seed, jobs }: Rounds,
    is_stopped: &(dyn Fn() -> bool + Sync),
    run_one: &RunOne<'_, T>,
    take: &mut dyn FnMut(usize, Option<T>),
) -> Result<bool, DeviceError> {
    let runs = runs as usize;
    // Rows with gaps cannot be compared, so one failure ends all runs.
    let failed_once = AtomicBool::new(false);
    let ends = || is_stopped() || failed_once.load(Ordering::Relaxed);
    let work = |number: usize| {
        if ends() {
            return None;
        }
        // Run n of every contender has the same seed, so that none is luckier than another.
        let seed = Seed(seed.0.wrapping_add((number % runs) as u64));
        Some(run_one(number / runs, seed, &|| !ends()))
    };
    let mut failed = None;
    in_order(jobs, cells * runs, work, |number, done| {
        let done = match done {
            Some(Ok(done)) => Some(done),
            // The first in the order of the runs, so that the message does not depend on threads.
            Some(Err(error)) => {
                failed = failed.take().or(Some(error));
                None
            }
            None => None,
        };
        failed_once.fetch_or(failed.is_some(), Ordering::Relaxed);
        take(number, done);
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(!is_stopped()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between_the_two_in_the_middle() {
        for (numbers, expected) in
            [(&[][..], 0.0), (&[7][..], 7.0), (&[9, 1, 5][..], 5.0), (&[4, 1, 9, 5][..], 4.5)]
        {
            assert_eq!(median(numbers), expected);
        }
        assert_eq!(mean(&[1, 2]), 1.5);
    }
}
