//! The schedule with the fewest expected rounds, computed as a Markov decision process (MDP).
//!
//! A state holds the results of all candidates: passes and fails of each. Candidates are interchangeable, so
//! states are sorted; all candidates that are out are equal; and once one passes, the process ends. A round
//! only adds runs, so the states form layers by their number of runs, and a layer depends only on later ones:
//! one pass backwards is enough, in place of an iteration.

use super::prior::Prior;
use super::schedule::{Rule, Tally};

use crate::sorted;

/// Most candidates for which a policy is computed.
pub const CANDIDATES_MAX: usize = 4;
/// Most runs in a round for which a policy is computed.
pub const WIDTH_MAX: usize = 4;
/// Most runs of a candidate for which a policy is computed.
pub const RUNS_MAX: u32 = 10;

/// The best choice in each state of a number of candidates.
///
/// ```
/// use farlead::minimise::{Policy, Prior, Rule, Tally};
///
/// let policy = Policy::new(2, 2, Rule { passes: 2, runs: 3 }, &Prior::default()).expect("it is small enough");
/// let seen = [Tally { passes: 0, fails: 1 }, Tally { passes: 1, fails: 0 }];
/// assert_eq!(policy.choose(&seen), [0, 2]);
/// ```
#[derive(Clone, Debug)]
pub struct Policy {
    rule: Rule,
    candidates: usize,
    /// Expected rounds, by the rank of the state.
    rounds: Vec<f64>,
    choices: Vec<Shares>,
}

/// Number of runs of each candidate of a state.
type Shares = [u8; CANDIDATES_MAX];

/// A state of the process: the symbols of its candidates, ascending. A symbol encodes passes and fails, or
/// *out*.
type MdpState = [u16; CANDIDATES_MAX];

/// The outcomes of a number of runs: each with its probability and the symbol after it, none if the candidate
/// passes.
type Outcomes = Vec<(f64, Option<u16>)>;

impl Policy {
    /// Computes the policy for a number of candidates and `width` runs in a round; returns `None` beyond the
    /// bounds.
    pub fn new(candidates: usize, width: usize, rule: Rule, prior: &Prior) -> Option<Policy> {
        let is_within = (1..=CANDIDATES_MAX).contains(&candidates)
            && (1..=WIDTH_MAX).contains(&width)
            && rule.runs <= RUNS_MAX
            && (1..=rule.runs).contains(&rule.passes);
        is_within.then(|| Solver::new(candidates, width, rule, prior).solve())
    }

    /// Returns the expected number of rounds from the start.
    pub fn expected_rounds(&self) -> f64 {
        self.rounds[rank(&[0; CANDIDATES_MAX][..self.candidates])]
    }

    /// Returns the expected number of rounds still to come.
    pub fn expected_rounds_from(&self, tallies: &[Tally]) -> f64 {
        let (state, _) = self.state(tallies);
        self.rounds[rank(&state[..self.candidates])]
    }

    /// Returns the number of runs of each candidate in the next round. None of the candidates may have passed,
    /// and there may be at most as many as the policy was computed for.
    pub fn choose(&self, tallies: &[Tally]) -> Vec<u32> {
        let (state, order) = self.state(tallies);
        let shares = self.choices[rank(&state[..self.candidates])];
        let mut runs = vec![0; tallies.len()];
        for (share, at) in shares.iter().zip(order) {
            runs[at] = u32::from(*share);
        }
        runs
    }

    /// Returns the sorted state of these candidates, padded with *out*, and the candidate at each place of it.
    fn state(&self, tallies: &[Tally]) -> (MdpState, Vec<usize>) {
        assert!(tallies.len() <= self.candidates, "worked out for {} candidates", self.candidates);
        let mut order: Vec<usize> = (0..tallies.len()).collect();
        sorted::by_key(&mut order, |&at| symbol(self.rule, tallies[at]));
        let mut state = [out(self.rule); CANDIDATES_MAX];
        for (place, &at) in state.iter_mut().zip(&order) {
            *place = symbol(self.rule, tallies[at]).expect("no candidate has passed");
        }
        (state, order)
    }
}

/// Returns the symbol of a candidate with these results, or `None` if it passes.
fn symbol(rule: Rule, tally: Tally) -> Option<u16> {
    if tally.passes >= rule.passes {
        None
    } else if tally.fails >= rule.fails() {
        Some(out(rule))
    } else {
        Some((tally.passes * rule.fails() + tally.fails) as u16)
    }
}

fn out(rule: Rule) -> u16 {
    (rule.passes * rule.fails()) as u16
}

fn tally(rule: Rule, symbol: u16) -> Tally {
    Tally { passes: u32::from(symbol) / rule.fails(), fails: u32::from(symbol) % rule.fails() }
}

/// Returns the number of an ascending state among all of its length: the sum of binomials that counts those
/// before it.
fn rank(state: &[u16]) -> usize {
    state.iter().enumerate().map(|(at, &symbol)| choose(usize::from(symbol) + at, at + 1)).sum()
}

fn choose(of: usize, many: usize) -> usize {
    // Every partial product is a binomial itself, so each division is exact.
    (0..many).fold(1, |product, at| product * (of - at.min(of)) / (at + 1))
}

struct Solver {
    rule: Rule,
    candidates: usize,
    width: u8,
    /// By symbol and number of runs.
    outcomes: Vec<[Outcomes; WIDTH_MAX + 1]>,
    rounds: Vec<f64>,
    choices: Vec<Shares>,
}

impl Solver {
    fn new(candidates: usize, width: usize, rule: Rule, prior: &Prior) -> Solver {
        let states = choose(usize::from(out(rule)) + candidates, candidates);
        let outcomes = (0..=out(rule))
            .map(|symbol| std::array::from_fn(|runs| outcomes(rule, symbol, runs as u32, prior)))
            .collect();
        let (rounds, choices) = (vec![0.0; states], vec![Shares::default(); states]);
        Solver { rule, candidates, width: width as u8, outcomes, rounds, choices }
    }

    fn solve(mut self) -> Policy {
        let mut states = self.states();
        // Rounds only add runs, and *out* counts as all runs: in this order, every state comes after those it
        // can lead to.
        sorted::by_key(&mut states, |state| std::cmp::Reverse(self.layer(state)));
        for state in states {
            let place = rank(&state[..self.candidates]);
            if state[0] != out(self.rule) {
                (self.rounds[place], self.choices[place]) = self.best(&state);
            }
        }
        Policy { rule: self.rule, candidates: self.candidates, rounds: self.rounds, choices: self.choices }
    }

    /// Returns all ascending states.
    fn states(&self) -> Vec<MdpState> {
        let mut states = vec![[out(self.rule); CANDIDATES_MAX]];
        for at in (0..self.candidates).rev() {
            let below = |state: MdpState| {
                let top = if at + 1 < self.candidates { state[at + 1] } else { out(self.rule) };
                (0..=top).map(move |symbol| {
                    let mut state = state;
                    state[at] = symbol;
                    state
                })
            };
            states = states.into_iter().flat_map(below).collect();
        }
        states
    }

    fn layer(&self, state: &MdpState) -> u32 {
        let runs = |symbol: u16| {
            if symbol == out(self.rule) { self.rule.runs } else { tally(self.rule, symbol).runs() }
        };
        state[..self.candidates].iter().map(|&symbol| runs(symbol)).sum()
    }

    /// Returns the fewest expected rounds, and the first division of a round that reaches them. A round is
    /// filled as far as candidates have runs left, because each run adds information.
    fn best(&self, state: &MdpState) -> (f64, Shares) {
        let left = |symbol: u16| {
            if symbol == out(self.rule) { 0 } else { tally(self.rule, symbol).left(self.rule) as u8 }
        };
        let left: Vec<u8> = state[..self.candidates].iter().map(|&symbol| left(symbol)).collect();
        let full = left.iter().map(|&left| u32::from(left)).sum::<u32>().min(u32::from(self.width)) as u8;
        let mut best = (f64::INFINITY, Shares::default());
        self.share(state, &left, full, 0, &mut Shares::default(), &mut best);
        (1.0 + best.0, best.1)
    }

    fn share(
        &self,
        state: &MdpState,
        left: &[u8],
        free: u8,
        at: usize,
        shares: &mut Shares,
        best: &mut (f64, Shares),
    ) {
        if at == self.candidates {
            if free == 0 {
                let rounds = self.expect(state, shares, 0, 1.0, &mut [0; CANDIDATES_MAX]);
                // Adding the same numbers in another order changes the last bits.
                if rounds < best.0 - 1e-12 {
                    *best = (rounds, *shares);
                }
            }
            return;
        }
        // Of equal candidates, the first gets most: any other division is a permutation of this one.
        let most = if at > 0 && state[at] == state[at - 1] { shares[at - 1] } else { free };
        for share in (0..=most.min(left[at]).min(free)).rev() {
            shares[at] = share;
            self.share(state, left, free - share, at + 1, shares, best);
        }
        shares[at] = 0;
    }

    fn expect(&self, state: &MdpState, shares: &Shares, at: usize, likely: f64, next: &mut MdpState) -> f64 {
        if at == self.candidates {
            let mut sorted = *next;
            let sorted = &mut sorted[..self.candidates];
            sorted.sort_unstable();
            return likely * self.rounds[rank(sorted)];
        }
        let mut rounds = 0.0;
        for &(probability, symbol) in &self.outcomes[usize::from(state[at])][usize::from(shares[at])] {
            if let Some(symbol) = symbol {
                next[at] = symbol;
                rounds += self.expect(state, shares, at + 1, likely * probability, next);
            }
        }
        rounds
    }
}

/// Returns the possible outcomes of `runs` further runs.
fn outcomes(rule: Rule, from: u16, runs: u32, prior: &Prior) -> Outcomes {
    if from == out(rule) || runs > tally(rule, from).left(rule) {
        return vec![(1.0, Some(from))];
    }
    let before = tally(rule, from);
    let all = prior.likelihood(before);
    let after = |passes: u32| Tally { passes: before.passes + passes, fails: before.fails + runs - passes };
    (0..=runs)
        .map(|passes| {
            let orders = choose(runs as usize, passes as usize) as f64;
            // The prior may call impossible what was seen all the same; then every outcome is equally likely.
            let likely =
                if all > 0.0 { prior.likelihood(after(passes)) / all } else { 1.0 / (1 << runs) as f64 };
            (orders * likely, symbol(rule, after(passes)))
        })
        .filter(|&(probability, _)| probability > 0.0)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::schedule::{Schedule, share_out};
    use super::*;
    use crate::rng::Seed;

    /// Returns the fewest expected rounds straight from the definition: every division of a round, full or not,
    /// and every outcome of each single run.
    fn fewest(tallies: &mut Vec<Tally>, width: u32, rule: Rule, prior: &Prior) -> f64 {
        if is_over(tallies, rule) {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        let mut shares = vec![0; tallies.len()];
        while next(&mut shares, width) {
            let is_allowed = |(tally, &share): (&Tally, &u32)| {
                share <= tally.left(rule) && (share == 0 || tally.verdict(rule).is_none())
            };
            if shares.iter().sum::<u32>() <= width && tallies.iter().zip(&shares).all(is_allowed) {
                let runs: Vec<usize> =
                    (0..shares.len()).flat_map(|at| vec![at; shares[at] as usize]).collect();
                best = best.min(
                    1.0 + after(tallies, &runs, prior, &mut |tallies| fewest(tallies, width, rule, prior)),
                );
            }
        }
        best
    }

    fn is_over(tallies: &[Tally], rule: Rule) -> bool {
        let mut verdicts = tallies.iter().map(|tally| tally.verdict(rule));
        verdicts.clone().any(|verdict| verdict == Some(true))
            || verdicts.all(|verdict| verdict == Some(false))
    }

    /// Counts up in the base `width + 1`; returns false at the end.
    fn next(shares: &mut [u32], width: u32) -> bool {
        for share in shares {
            if *share < width {
                *share += 1;
                return true;
            }
            *share = 0;
        }
        false
    }

    /// Returns the mean over the outcomes of these runs, taken one after another.
    fn after(
        tallies: &mut Vec<Tally>,
        runs: &[usize],
        prior: &Prior,
        then: &mut dyn FnMut(&mut Vec<Tally>) -> f64,
    ) -> f64 {
        let Some((&at, rest)) = runs.split_first() else { return then(tallies) };
        let before = tallies[at];
        let passed = Tally { passes: before.passes + 1, ..before };
        let failed = Tally { fails: before.fails + 1, ..before };
        let likely = prior.likelihood(passed) / prior.likelihood(before);
        let mut sum = 0.0;
        for (likely, tally) in [(likely, passed), (1.0 - likely, failed)] {
            if likely > 0.0 {
                tallies[at] = tally;
                sum += likely * after(tallies, rest, prior, then);
            }
        }
        tallies[at] = before;
        sum
    }

    /// Returns the expected rounds of any schedule.
    fn of_schedule(
        tallies: Vec<Tally>,
        rule: Rule,
        prior: &Prior,
        share: &dyn Fn(&[Tally]) -> Vec<u32>,
        known: &mut BTreeMap<Vec<Tally>, f64>,
    ) -> f64 {
        if is_over(&tallies, rule) {
            return 0.0;
        }
        if let Some(&rounds) = known.get(&tallies) {
            return rounds;
        }
        let open: Vec<usize> = (0..tallies.len()).filter(|&at| tallies[at].verdict(rule).is_none()).collect();
        let shares = share(&open.iter().map(|&at| tallies[at]).collect::<Vec<_>>());
        let runs: Vec<usize> =
            open.iter().zip(shares).flat_map(|(&at, share)| vec![at; share as usize]).collect();
        let mut now = tallies.clone();
        let rounds = 1.0
            + after(&mut now, &runs, prior, &mut |next| of_schedule(next.clone(), rule, prior, share, known));
        known.insert(tallies, rounds);
        rounds
    }

    fn priors() -> [Prior; 3] {
        [Prior::default(), Prior::new(&[1.0; 21]), Prior::new(&[1.0, 2.0, 0.0, 1.0])]
    }

    #[test]
    fn it_takes_the_fewest_rounds_that_any_way_to_share_them_out_does() {
        for prior in priors() {
            for (candidates, width, passes, runs) in [
                (1, 2, 2, 3),
                (2, 1, 2, 3),
                (2, 2, 2, 3),
                (2, 3, 1, 2),
                (3, 1, 1, 2),
                (3, 2, 2, 2),
                (2, 2, 3, 4),
                (3, 3, 1, 2),
            ] {
                let rule = Rule { passes, runs };
                let policy = Policy::new(candidates, width, rule, &prior).expect("within bounds");
                let fewest = fewest(&mut vec![Tally::default(); candidates], width as u32, rule, &prior);
                let rounds = policy.expected_rounds();
                assert!(
                    (rounds - fewest).abs() < 1e-9,
                    "{candidates} {width} {rule:?}: {rounds}, not {fewest}"
                );
                let start = vec![Tally::default(); candidates];
                let followed =
                    of_schedule(start, rule, &prior, &|tallies| policy.choose(tallies), &mut BTreeMap::new());
                assert!(
                    (rounds - followed).abs() < 1e-9,
                    "{candidates} {width} {rule:?}: followed it takes {followed}"
                );
            }
        }
    }

    #[test]
    fn no_other_schedule_takes_fewer_rounds() {
        let prior = Prior::default();
        for (candidates, width) in [(1, 1), (2, 2), (2, 4), (3, 4), (4, 2), (4, 4)] {
            let rule = Rule { passes: 4, runs: 5 };
            let fewest =
                Policy::new(candidates, width, rule, &prior).expect("within bounds").expected_rounds();
            for schedule in [Schedule::RoundRobin, Schedule::Greedy, Schedule::Heuristic] {
                let share = |tallies: &[Tally]| share_out(schedule, tallies, rule, width as u32);
                let start = vec![Tally::default(); candidates];
                let rounds = of_schedule(start, rule, &prior, &share, &mut BTreeMap::new());
                assert!(rounds > fewest - 1e-9, "{} takes {rounds}, and {fewest} are best", schedule.name());
            }
        }
    }

    #[test]
    fn drawn_candidates_take_as_many_rounds_as_expected() {
        let prior = Prior::new(&[3.0, 1.0, 1.0, 1.0, 2.0]);
        let rule = Rule { passes: 4, runs: 6 };
        let policy = Policy::new(3, 3, rule, &prior).expect("within bounds");
        let mut rng = Seed(1).fork("drawn");
        const TIMES: u32 = 20_000;
        let mut rounds = 0;
        for _ in 0..TIMES {
            let mut draw = || {
                let mut left = rng.unit();
                let is_it = |(_, weight): &(f64, f64)| {
                    left -= weight;
                    left < 0.0
                };
                prior.weights().find(is_it).map_or(1.0, |(p, _)| p)
            };
            let chances = [draw(), draw(), draw()];
            let mut tallies = [Tally::default(); 3];
            while !is_over(&tallies, rule) {
                rounds += 1;
                for (at, runs) in policy.choose(&tallies).into_iter().enumerate() {
                    assert!(runs <= tallies[at].left(rule));
                    for _ in 0..runs {
                        if rng.unit() < chances[at] {
                            tallies[at].passes += 1
                        } else {
                            tallies[at].fails += 1
                        }
                    }
                }
            }
        }
        let mean = f64::from(rounds) / f64::from(TIMES);
        assert!((mean - policy.expected_rounds()).abs() < 0.05, "{mean}, not {}", policy.expected_rounds());
    }

    #[test]
    fn a_state_has_a_number_of_its_own() {
        let solver = Solver::new(3, 2, Rule { passes: 2, runs: 3 }, &Prior::default());
        let mut ranks: Vec<usize> = solver.states().iter().map(|state| rank(&state[..3])).collect();
        ranks.sort_unstable();
        assert_eq!(ranks, (0..solver.rounds.len()).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_too_large_is_not_worked_out() {
        let policy = |candidates, width, runs| {
            Policy::new(candidates, width, Rule { passes: 1, runs }, &Prior::default())
        };
        assert!(policy(5, 1, 1).is_none() && policy(1, 5, 1).is_none() && policy(1, 1, 11).is_none());
        assert!(policy(0, 1, 1).is_none() && policy(1, 0, 1).is_none());
        assert!(policy(4, 4, 2).is_some());
    }
}
