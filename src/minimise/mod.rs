//! Minimising: shortens a run that passes, on apps that may answer by chance.
//!
//! [`minimise`] is delta debugging as in ND3MIN ("Minimizing GUI Event Traces", FSE 2016): it keeps parts of
//! the run alone or leaves them out, makes the parts smaller, and lets a shortened run pass if at least
//! `passes` of `runs` tries pass. A [`Schedule`] decides which shortened runs are tried in the next round of
//! parallel devices.
//!
//! The caller hands in a [`Check`], which tries shortened runs and says whether they pass. Elements of a run
//! are numbers here; the start of the app is not an element.
//!
//! ```
//! use std::convert::Infallible;
//!
//! use farlead::minimise::{Check, Settings, Trial, TrialResult, minimise};
//!
//! /// Passes if the elements 3 and 7 are kept.
//! struct Needs3And7;
//!
//! impl Check for Needs3And7 {
//!     type Error = Infallible;
//!
//!     fn round(&mut self, trials: &[Trial<'_>]) -> Result<Vec<TrialResult>, Infallible> {
//!         let passes = |trial: &Trial<'_>| [3, 7].iter().all(|at| trial.kept.iter().any(|kept| kept.at == *at));
//!         let tried = |trial: &Trial<'_>| TrialResult { passed: passes(trial), done: trial.kept.to_vec() };
//!         Ok(trials.iter().map(tried).collect())
//!     }
//! }
//!
//! let minimised = minimise(&mut Needs3And7, 10, &Settings::default()).expect("nothing can fail");
//! assert_eq!(minimised.kept.iter().map(|kept| kept.at).collect::<Vec<_>>(), [3, 7]);
//! assert!(minimised.is_one_minimal && minimised.rate.passes == minimised.rate.runs);
//! ```

mod bound;
mod candidate;
mod mdp;
mod prior;
mod records;
mod schedule;
#[cfg(test)]
mod tests;
mod work;

pub use bound::{Bounds, DISTANCE};
pub use mdp::{CANDIDATES_MAX, Policy, RUNS_MAX, WIDTH_MAX};
pub use prior::Prior;
pub use schedule::{Rule, Schedule, Tally, share_out};

use crate::rate::Rate;
use work::Work;

/// An element of a run that is kept: its place in the original and its form. Form 0 is the original one; the
/// higher the number, the simpler the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Element {
    /// Its place in the original run.
    pub at: usize,
    /// Its form, 0 for the original one.
    pub form: u16,
}

/// A shortened run to be tried once.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// The elements kept, in the order of the original.
    pub kept: &'a [Element],
    /// Number of earlier trials of this same shortened run. Chance drawn from it and from `kept` depends on
    /// nothing else, neither on the order of trials nor on threads.
    pub number: u32,
}

/// The result of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialResult {
    /// True if the run did what it must.
    pub passed: bool,
    /// The elements really done, a subsequence of those kept: an action without its widget is skipped, and
    /// nothing is done once the objective is reached. A list that is no subsequence counts as all elements
    /// kept.
    pub done: Vec<Element>,
}

/// Tries shortened runs.
pub trait Check {
    /// The reason a run could not be tried.
    type Error;

    /// Tries all of `trials`, in parallel if possible, and answers each once, in their order.
    fn round(&mut self, trials: &[Trial<'_>]) -> Result<Vec<TrialResult>, Self::Error>;

    /// Returns true to go on. Asked before each round; if false, minimising ends with the result so far.
    fn goes_on(&mut self) -> bool {
        true
    }

    /// Returns the number of simpler forms of the element at `at`; they are numbered from 1.
    fn forms(&self, at: usize) -> u16 {
        let _ = at;
        0
    }
}

/// Settings of [`minimise`].
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The schedule of the runs of a round.
    pub schedule: Schedule,
    /// Most runs in a round, at least 1; M of the paper.
    pub width: usize,
    /// Most runs of a shortened run until it is decided, 1 to 1,000; NR of the paper.
    pub runs: u32,
    /// Passes needed among them, 1 to `runs`; ST of the paper.
    pub passes: u32,
    /// Number of fresh runs behind the final rate.
    pub final_runs: u32,
    /// Expectation about shortened runs before they are tried, used by the schedule `mdp`.
    pub prior: Prior,
    /// True if the prior learns from the runs seen.
    pub learns_prior: bool,
    /// Additions to ND3MIN.
    pub additions: Additions,
}

impl Default for Settings {
    /// Returns settings for one device: at least 9 of 10 runs pass; all additions.
    fn default() -> Settings {
        Settings {
            schedule: Schedule::Heuristic,
            width: 1,
            runs: 10,
            passes: 9,
            final_runs: 10,
            prior: Prior::default(),
            learns_prior: true,
            additions: Additions::ALL,
        }
    }
}

/// Additions to ND3MIN, each of which can be left out to measure it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Additions {
    /// One run decides, as long as no run ever differed from another of the same elements.
    pub one_run: bool,
    /// Leaves out elements that all passing runs skipped alike.
    pub done: bool,
    /// Tries shortened runs first that are likelier to pass.
    pub likelier: bool,
    /// Leaves out all parts together that can be left out one by one.
    pub merged: bool,
    /// Tries a short run without each stretch of it.
    pub stretches: bool,
    /// Takes back a shortened run that passed by luck.
    pub steps_back: bool,
}

impl Additions {
    /// All additions.
    pub const ALL: Additions = Additions {
        one_run: true,
        done: true,
        likelier: true,
        merged: true,
        stretches: true,
        steps_back: true,
    };
    /// No additions: ND3MIN as published.
    pub const NONE: Additions = Additions {
        one_run: false,
        done: false,
        likelier: false,
        merged: false,
        stretches: false,
        steps_back: false,
    };
}

/// The result of [`minimise`]: the run that is left, and the evidence for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimised {
    /// The elements kept; all if the original did not pass.
    pub kept: Vec<Element>,
    /// Rate of the original when it was tried first.
    pub original: Rate,
    /// True if that rate was enough. If not, nothing was shortened.
    pub has_original_passed: bool,
    /// Rate of the kept run in fresh runs that decided nothing before; no runs if it never came to that.
    pub rate: Rate,
    /// Number of rounds of parallel runs in all.
    pub rounds: u64,
    /// Number of runs in all.
    pub runs: u64,
    /// True if no single element can be left out, as decided by the full number of runs.
    pub is_one_minimal: bool,
    /// True if two runs of the same elements ever differed, in passing or in what they did.
    pub has_varied: bool,
    /// True if the check stopped it before its end.
    pub is_interrupted: bool,
    /// Number of times a shortened run that had passed by luck was taken back.
    pub steps_back: u32,
    /// The rounds that the schedule `mdp` left to the heuristic, if any.
    pub beyond_mdp: Option<BeyondMdp>,
    /// The prior after learning.
    pub prior: Prior,
}

impl Minimised {
    /// Returns the bounds of ND3MIN on this result; none unless it is 1-minimal and was tried again.
    pub fn bounds(&self, settings: &Settings) -> Option<Bounds> {
        let rule = Rule { passes: settings.passes, runs: settings.runs };
        (self.is_one_minimal && self.rate.runs > 0)
            .then(|| Bounds::new(&self.prior, rule, self.rate, self.kept.len()))
    }
}

/// A decision too large for the schedule `mdp`: more than [`CANDIDATES_MAX`] candidates, [`WIDTH_MAX`] devices
/// or [`RUNS_MAX`] runs of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeyondMdp {
    /// Most candidates open at once.
    pub candidates: usize,
    /// Runs in a round.
    pub width: usize,
    /// Most runs of a candidate.
    pub runs: u32,
    /// Number of rounds left to the heuristic.
    pub rounds: u64,
}

/// Shortens a run of `length` elements by trying shortened runs with `check`.
///
/// The same answers of `check` give the same result. Memory is bounded: decisions about a million shortened
/// runs are remembered; after that, older ones are forgotten.
///
/// # Errors
///
/// Returns the first error of `check`, and no result.
pub fn minimise<C: Check>(check: &mut C, length: usize, settings: &Settings) -> Result<Minimised, C::Error> {
    Work::new(check, length, settings).run()
}
