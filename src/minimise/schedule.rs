//! Which candidates are run how often in the next round of parallel runs.

use std::cmp::Reverse;

/// How the runs of a round are shared out among candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Schedule {
    /// In turn, one run each, until the round is full.
    RoundRobin,
    /// All runs of the first that it may still need, then of the next.
    Greedy,
    /// Those that pass more often than not are confirmed, those untried are tried, those that fail discarded.
    Heuristic,
    /// That with the fewest rounds on average, as far as it can be worked out; beyond that [`Schedule::Heuristic`].
    Mdp,
}

impl Schedule {
    /// All of them.
    pub const ALL: [Schedule; 4] =
        [Schedule::RoundRobin, Schedule::Greedy, Schedule::Heuristic, Schedule::Mdp];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Schedule::RoundRobin => "round-robin",
            Schedule::Greedy => "greedy",
            Schedule::Heuristic => "heuristic",
            Schedule::Mdp => "mdp",
        }
    }
}

/// When a candidate passes: in at least `passes` of `runs` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// ST of the paper, between 1 and `runs`.
    pub passes: u32,
    /// NR of the paper.
    pub runs: u32,
}

impl Rule {
    /// How many fails rule a candidate out.
    pub fn fails(self) -> u32 {
        self.runs - self.passes + 1
    }
}

/// How a candidate fared so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tally {
    /// How many runs passed.
    pub passes: u32,
    /// How many did not.
    pub fails: u32,
}

impl Tally {
    /// How many runs there were.
    pub fn runs(self) -> u32 {
        self.passes + self.fails
    }

    /// Whether the candidate passes, once that is out of doubt: whatever the runs to come bring. Of more runs than the
    /// rule asks for, the same share must have passed.
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

    /// How many runs it may have yet.
    pub(super) fn left(self, rule: Rule) -> u32 {
        rule.runs.saturating_sub(self.runs())
    }
}

/// Returns how often each of the undecided candidates is run in a round of `width` runs. [`Schedule::Mdp`] is as
/// [`Schedule::Heuristic`] here: what is best of all is for a [`Policy`](super::Policy) to say.
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

    /// The paper's heuristic, and candidates that were not tried yet between those it confirms and those it discards:
    /// one of them may pass, and all must be tried before none does.
    fn by_promise(&mut self) {
        let width = self.free;
        let is_tried = |tally: &Tally| tally.runs() > 0;
        let is_likely = |tally: &Tally| is_tried(tally) && tally.passes > tally.fails;
        let mut likely: Vec<usize> =
            (0..self.tallies.len()).filter(|&at| is_likely(&self.tallies[at])).collect();
        // By shares of passes, without dividing: equal ones stay equal on every machine.
        likely.sort_by(|&one, &other| {
            let (one, other) = (self.tallies[one], self.tallies[other]);
            let share = |of: Tally, beside: Tally| u64::from(of.passes) * u64::from(beside.runs());
            share(other, one).cmp(&share(one, other)).then(other.passes.cmp(&one.passes))
        });
        let mut put_off = Vec::new();
        for at in likely {
            let tally = self.tallies[at];
            let lacking = (self.rule.passes - tally.passes) * tally.runs();
            let expected = lacking.div_ceil(tally.passes).min(tally.left(self.rule));
            // What fits the next round whole need not be torn in this one.
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
        unlikely.sort_by_key(|&at| Reverse(self.tallies[at].passes * 1_000 / self.tallies[at].runs()));
        for at in unlikely {
            let tally = self.tallies[at];
            let lacking = (self.rule.fails() - tally.fails) * tally.runs();
            self.add(at, lacking.div_ceil(tally.fails));
        }
        self.in_turn(|_| true);
    }
}
