//! Schedules: divide the next round of parallel runs among the candidates.

use std::cmp::Reverse;

use crate::sorted;

/// A way to divide the runs of a round among candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Schedule {
    /// One run each in turn, until the round is full.
    RoundRobin,
    /// All runs that the first candidate may still need, then those of the next.
    Greedy,
    /// Confirms candidates that pass more often than not, tries untried ones, discards failing ones.
    Heuristic,
    /// The optimal schedule, with the fewest expected rounds, if small enough to compute; otherwise
    /// [`Schedule::Heuristic`].
    Mdp,
}

impl Schedule {
    /// All schedules.
    pub const ALL: [Schedule; 4] =
        [Schedule::RoundRobin, Schedule::Greedy, Schedule::Heuristic, Schedule::Mdp];

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Schedule::RoundRobin => "round-robin",
            Schedule::Greedy => "greedy",
            Schedule::Heuristic => "heuristic",
            Schedule::Mdp => "mdp",
        }
    }
}

/// The rule by which a candidate passes: at least `passes` of `runs` runs pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// Passes needed, between 1 and `runs`; ST of the paper.
    pub passes: u32,
    /// Runs in all; NR of the paper.
    pub runs: u32,
}

impl Rule {
    /// Returns the number of fails that rule a candidate out.
    pub fn fails(self) -> u32 {
        self.runs - self.passes + 1
    }
}

/// The results of a candidate so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tally {
    /// Runs that passed.
    pub passes: u32,
    /// Runs that failed.
    pub fails: u32,
}

impl Tally {
    /// Returns the number of runs.
    pub fn runs(self) -> u32 {
        self.passes + self.fails
    }

    /// Returns whether the candidate passes, once no further run can change that. If there are more runs than
    /// the rule asks for, the same share must have passed.
    pub fn verdict(self, rule: Rule) -> Option<bool> {
        if self.runs() > rule.runs {
            let share = u64::from(self.passes) * u64::from(rule.runs);
            return Some(share >= u64::from(rule.passes) * u64::from(self.runs()));
        }
        if self.passes >= rule.passes {
            Some(true)
        } else if self.fails >= rule.fails() {
            Some(false)
        } else {
            None
        }
    }

    /// Returns the number of runs it may still have.
    pub(super) fn left(self, rule: Rule) -> u32 {
        rule.runs.saturating_sub(self.runs())
    }
}

/// Returns the number of runs of each undecided candidate in a round of `width` runs. Here [`Schedule::Mdp`]
/// equals [`Schedule::Heuristic`]; a [`Policy`](super::Policy) computes the optimum.
///
/// ```
/// use farlead::minimise::{Rule, Schedule, Tally, share_out};
///
/// let seen = [Tally { passes: 0, fails: 1 }, Tally { passes: 1, fails: 0 }];
/// let rule = Rule { passes: 2, runs: 3 };
/// assert_eq!(share_out(Schedule::Greedy, &seen, rule, 3), [2, 1]);
/// assert_eq!(share_out(Schedule::RoundRobin, &seen, rule, 1), [1, 0]);
/// assert_eq!(share_out(Schedule::Heuristic, &seen, rule, 1), [0, 1]);
/// ```
pub fn share_out(schedule: Schedule, tallies: &[Tally], rule: Rule, width: u32) -> Vec<u32> {
    let mut round = Round { tallies, rule, free: width, runs: vec![0; tallies.len()] };
    match schedule {
        Schedule::RoundRobin => round.in_turn(|_| true),
        Schedule::Greedy => (0..tallies.len()).for_each(|at| round.add(at, u32::MAX)),
        Schedule::Heuristic | Schedule::Mdp => round.by_promise(),
    }
    round.runs
}

struct Round<'a> {
    tallies: &'a [Tally],
    rule: Rule,
    free: u32,
    runs: Vec<u32>,
}

impl Round<'_> {
    fn add(&mut self, at: usize, runs: u32) {
        let runs = runs.min(self.tallies[at].left(self.rule) - self.runs[at]).min(self.free);
        self.runs[at] += runs;
        self.free -= runs;
    }

    fn in_turn(&mut self, is_meant: impl Fn(usize) -> bool) {
        loop {
            let free = self.free;
            (0..self.tallies.len()).filter(|&at| is_meant(at)).for_each(|at| self.add(at, 1));
            if self.free == 0 || self.free == free {
                return;
            }
        }
    }

    /// Applies the paper's heuristic. Untried candidates come between those it confirms and those it discards:
    /// one of them may pass, and all must be tried before the search can end without one.
    fn by_promise(&mut self) {
        let width = self.free;
        let is_tried = |tally: &Tally| tally.runs() > 0;
        let is_likely = |tally: &Tally| is_tried(tally) && tally.passes > tally.fails;
        let mut likely: Vec<usize> =
            (0..self.tallies.len()).filter(|&at| is_likely(&self.tallies[at])).collect();
        // Shares of passes are compared without dividing, so that equal ones are equal on every machine.
        sorted::by(&mut likely, |&one, &other| {
            let (one, other) = (self.tallies[one], self.tallies[other]);
            let share = |of: Tally, beside: Tally| u64::from(of.passes) * u64::from(beside.runs());
            share(other, one).cmp(&share(one, other)).then(other.passes.cmp(&one.passes))
        });
        let mut put_off = Vec::new();
        for at in likely {
            let tally = self.tallies[at];
            // At its share of passes so far, this many runs bring the passes it lacks.
            let lacking = (self.rule.passes - tally.passes) * tally.runs();
            let expected = lacking.div_ceil(tally.passes).min(tally.left(self.rule));
            // A candidate that fits the next round whole is not split over this one.
            if expected > self.free && expected <= width {
                put_off.push(at);
            } else {
                self.add(at, expected);
            }
        }
        self.in_turn(|at| put_off.contains(&at));
        for at in (0..self.tallies.len()).filter(|&at| !is_tried(&self.tallies[at])).collect::<Vec<_>>() {
            self.add(at, 1);
        }
        let unlikely = |tally: &Tally| is_tried(tally) && !is_likely(tally);
        let mut unlikely: Vec<usize> =
            (0..self.tallies.len()).filter(|&at| unlikely(&self.tallies[at])).collect();
        // In thousandths: integers sort the same on every machine.
        sorted::by_key(&mut unlikely, |&at| {
            Reverse(self.tallies[at].passes * 1_000 / self.tallies[at].runs())
        });
        for at in unlikely {
            let tally = self.tallies[at];
            let lacking = (self.rule.fails() - tally.fails) * tally.runs();
            self.add(at, lacking.div_ceil(tally.fails));
        }
        // The round is paid for: no device stays idle while an undecided candidate may still run.
        self.in_turn(|_| true);
    }
}
