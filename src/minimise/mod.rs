//! Minimising: a run that does what it must made short, on apps that may answer by chance.
//!
//! [`minimise`] is delta debugging as in ND3MIN ("Minimizing GUI Event Traces", FSE 2016): parts of the run are kept
//! alone or left out, the parts become smaller, and a shortened run passes if at least `passes` of `runs` tries do. Which
//! of several shortened runs are tried in the next round of parallel devices is for a [`Schedule`] to say.
//!
//! What is tried and when it passes is for the caller: it hands in a [`Check`]. Elements of a run are numbers here, and
//! the start of the app is none of them.
//!
//! ```
//! use std::convert::Infallible;
//!
//! use farlead::minimise::{Check, Settings, Trial, Tried, minimise};
//!
//! /// Passes where the elements 3 and 7 are left.
//! struct Needs3And7;
//!
//! impl Check for Needs3And7 {
//!     type Error = Infallible;
//!
//!     fn round(&mut self, trials: &[Trial<'_>]) -> Result<Vec<Tried>, Infallible> {
//!         let passes = |trial: &Trial<'_>| [3, 7].iter().all(|at| trial.kept.iter().any(|kept| kept.at == *at));
//!         let tried = |trial: &Trial<'_>| Tried { passed: passes(trial), done: trial.kept.to_vec() };
//!         Ok(trials.iter().map(tried).collect())
//!     }
//! }
//!
//! let minimised = minimise(&mut Needs3And7, 10, &Settings::default()).expect("nothing can fail");
//! assert_eq!(minimised.kept.iter().map(|kept| kept.at).collect::<Vec<_>>(), [3, 7]);
//! assert!(minimised.is_one_minimal && minimised.rate.passes == minimised.rate.runs);
//! ```

mod candidate;
mod mdp;
mod prior;
mod records;
mod schedule;
#[cfg(test)]
mod tests;
mod work;

pub use mdp::{CANDIDATES_MAX, Policy, RUNS_MAX, WIDTH_MAX};
pub use prior::Prior;
pub use schedule::{Rule, Schedule, Tally, share_out};

use crate::rate::Rate;
use work::Work;

/// An element of a run that is kept: which of the original ones, and in which form: 0 is as it was, and the higher the
/// number, the simpler the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kept {
    /// Its place in the original run.
    pub at: usize,
    /// Its form.
    pub form: u16,
}

/// A shortened run that is to be tried once.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// What is left, in the order of the original.
    pub kept: &'a [Kept],
    /// How often this very one was tried before: chance that is drawn by it and by what is kept depends on nothing else,
    /// neither the order of trials nor threads.
    pub number: u32,
}

/// What came of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Whether it did what it must.
    pub passed: bool,
    /// What was really done, a subsequence of what was to be: an action whose widget is not there is passed over, and
    /// nothing is done once the goal is reached. What is no subsequence counts as all of it.
    pub done: Vec<Kept>,
}

/// Where shortened runs are tried.
pub trait Check {
    /// Why a run could not be tried.
    type Error;

    /// Tries all of `trials`, in parallel if it can, and answers in their order, once each.
    fn round(&mut self, trials: &[Trial<'_>]) -> Result<Vec<Tried>, Self::Error>;

    /// Whether to go on: asked before each round. Otherwise what is known by then is returned.
    fn goes_on(&mut self) -> bool {
        true
    }

    /// In how many simpler forms the element at `at` can be tried; they are 1 to that number.
    fn forms(&self, at: usize) -> u16 {
        let _ = at;
        0
    }
}

/// How a run is minimised.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How the runs of a round are shared out.
    pub schedule: Schedule,
    /// How many runs a round has at most; M of the paper, at least 1.
    pub width: usize,
    /// How many runs a shortened run has at most until it is decided; NR of the paper, 1 to 1,000.
    pub runs: u32,
    /// How many of them must pass; ST of the paper, 1 to `runs`.
    pub passes: u32,
    /// How many runs the final statement rests on.
    pub final_runs: u32,
    /// What is thought of shortened runs before they are tried; the schedule `mdp` goes by it.
    pub prior: Prior,
    /// Whether the prior takes in what is seen.
    pub learns_prior: bool,
    /// What is added to ND3MIN.
    pub additions: Additions,
}

impl Default for Settings {
    /// One device; at least 9 of 10 runs pass; all additions.
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

/// What is added to ND3MIN, each to be left out for measuring it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Additions {
    /// As long as no run ever differed from another of the same, one decides.
    pub one_run: bool,
    /// What is passed over in the same way by all runs that pass is left out.
    pub done: bool,
    /// Shortened runs that are likelier to pass come first.
    pub likelier: bool,
    /// What can be left out each for itself is left out together.
    pub merged: bool,
    /// What is short by then is tried without each stretch of it.
    pub stretches: bool,
    /// A shortened run that passed by luck is taken back.
    pub steps_back: bool,
}

impl Additions {
    /// All of them.
    pub const ALL: Additions = Additions {
        one_run: true,
        done: true,
        likelier: true,
        merged: true,
        stretches: true,
        steps_back: true,
    };
    /// None of them: ND3MIN as published.
    pub const NONE: Additions = Additions {
        one_run: false,
        done: false,
        likelier: false,
        merged: false,
        stretches: false,
        steps_back: false,
    };
}

/// What is left of a run, and how sure that is.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimised {
    /// What is kept; all if the original did not pass.
    pub kept: Vec<Kept>,
    /// How the original fared when it was tried first.
    pub original: Rate,
    /// Whether that was enough. If not, nothing was tried to be left out.
    pub has_original_passed: bool,
    /// How what is kept fared in fresh runs, on which nothing was decided before: no runs if it came not to that.
    pub rate: Rate,
    /// How many rounds of parallel runs there were, all included.
    pub rounds: u64,
    /// How many runs.
    pub runs: u64,
    /// Whether without any single element it was decided to fail, by as many runs as that takes.
    pub is_one_minimal: bool,
    /// Whether two runs of the same ever differed, in whether they passed or in what they did.
    pub has_varied: bool,
    /// Whether it was stopped before its end.
    pub is_interrupted: bool,
    /// How often something that passed by luck was taken back.
    pub steps_back: u32,
    /// What the schedule `mdp` left to the heuristic, if anything: the most candidates at once, and the bounds it has.
    pub beyond_mdp: Option<BeyondMdp>,
    /// What is thought of shortened runs now.
    pub prior: Prior,
}

/// What was too large for the schedule `mdp`: more than [`CANDIDATES_MAX`] candidates, [`WIDTH_MAX`] devices or
/// [`RUNS_MAX`] runs of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeyondMdp {
    /// The most candidates that stood to choice.
    pub candidates: usize,
    /// Runs of a round.
    pub width: usize,
    /// Runs of a candidate.
    pub runs: u32,
    /// How many rounds were left to the heuristic.
    pub rounds: u64,
}

/// Makes a run of `length` elements short by trying shortened runs with `check`.
///
/// The same answers of `check` give the same result. Memory stays bounded: what was decided of a million shortened runs
/// is remembered, and older decisions are forgotten then.
///
/// # Errors
///
/// Those of `check`; nothing is returned then.
pub fn minimise<C: Check>(check: &mut C, length: usize, settings: &Settings) -> Result<Minimised, C::Error> {
    Work::new(check, length, settings).run()
}
