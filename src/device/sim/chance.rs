//! Chance: drawn from the seed, or taken from a script that goes through all outcomes.

use crate::rng::Rng;

/// The source of chance for an action.
#[derive(Debug)]
pub(super) enum Chance<'a> {
    /// Drawn from the seed.
    Drawn(&'a mut Rng),
    /// Taken from a script, which grows with each new choice.
    Scripted(&'a mut Script),
    /// No chance: nothing may be drawn.
    Absent,
}

/// The choices of one outcome, and the alternatives still to visit.
#[derive(Debug, Default)]
pub(super) struct Script {
    choices: Vec<Choice>,
    at: usize,
    probability: f64,
}

#[derive(Debug)]
struct Choice {
    /// The choice taken, and its probability.
    taken: (usize, f64),
    /// The alternatives with their probabilities, the next one last.
    rest: Vec<(usize, f64)>,
}

/// The alternatives of a choice.
#[derive(Clone, Copy, Debug)]
pub(super) enum Odds<'a> {
    /// This many, equally likely.
    Even(usize),
    /// One for each share, likely in proportion to it.
    Shares(&'a [u32]),
}

impl Odds<'_> {
    fn of(self, choice: usize) -> f64 {
        match self {
            Odds::Even(count) => 1.0 / count as f64,
            Odds::Shares(shares) => {
                f64::from(shares[choice]) / shares.iter().map(|&share| f64::from(share)).sum::<f64>()
            }
        }
    }

    /// Returns the alternatives that can come up.
    fn possible(self) -> Vec<usize> {
        match self {
            Odds::Even(count) => (0..count).collect(),
            // A share of 0 never comes up, so it is no outcome.
            Odds::Shares(shares) => (0..shares.len()).filter(|&choice| shares[choice] > 0).collect(),
        }
    }

    /// Returns the only alternative that can come up, if there is just one.
    pub fn only(self) -> Option<usize> {
        match self {
            Odds::Even(count) => (count < 2).then_some(0),
            Odds::Shares(shares) => {
                let mut possible = (0..shares.len()).filter(|&choice| shares[choice] > 0);
                let first = possible.next().unwrap_or(0);
                possible.next().is_none().then_some(first)
            }
        }
    }
}

impl Chance<'_> {
    /// Borrows it for a while.
    pub fn lend(&mut self) -> Chance<'_> {
        match self {
            Chance::Drawn(rng) => Chance::Drawn(rng),
            Chance::Scripted(script) => Chance::Scripted(script),
            Chance::Absent => Chance::Absent,
        }
    }

    /// Returns the alternative that comes up, or `None` without a source of chance.
    pub fn draw(&mut self, odds: Odds<'_>) -> Option<usize> {
        match self {
            Chance::Absent => None,
            Chance::Scripted(script) => Some(script.draw(odds)),
            Chance::Drawn(rng) => Some(match odds {
                Odds::Even(count) => rng.below(count),
                Odds::Shares(shares) => {
                    // Wider numbers, because many shares may add up to more than 32 bits.
                    let total = shares.iter().map(|&share| share as usize).sum();
                    let mut left = rng.below(total);
                    let is_it = |&share: &u32| {
                        let is_it = left < share as usize;
                        left = left.saturating_sub(share as usize);
                        is_it
                    };
                    shares.iter().position(is_it).unwrap_or(0)
                }
            }),
        }
    }
}

impl Script {
    /// Goes back to the first choice.
    pub fn rewind(&mut self) {
        self.at = 0;
        self.probability = 1.0;
    }

    /// Returns the probability of the choices taken since the start.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// Goes to the next outcome; returns false if there is none.
    pub fn advance(&mut self) -> bool {
        while let Some(choice) = self.choices.last_mut() {
            if let Some(next) = choice.rest.pop() {
                choice.taken = next;
                return true;
            }
            self.choices.pop();
        }
        false
    }

    fn draw(&mut self, odds: Odds<'_>) -> usize {
        if self.at == self.choices.len() {
            // In reverse, because the next alternative is popped from the end.
            let mut rest: Vec<_> =
                odds.possible().into_iter().rev().map(|choice| (choice, odds.of(choice))).collect();
            let taken = rest.pop().unwrap_or((0, 1.0));
            self.choices.push(Choice { taken, rest });
        }
        let (choice, probability) = self.choices[self.at].taken;
        self.at += 1;
        self.probability *= probability;
        choice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_goes_through_every_outcome_once() {
        let mut script = Script::default();
        let mut seen = Vec::new();
        loop {
            script.rewind();
            let mut chance = Chance::Scripted(&mut script);
            let first = chance.draw(Odds::Shares(&[25, 0, 75])).expect("a script");
            let second = if first == 0 { chance.draw(Odds::Even(2)).expect("a script") } else { 9 };
            seen.push((first, second, script.probability()));
            if !script.advance() {
                break;
            }
        }
        assert_eq!(seen, [(0, 0, 0.125), (0, 1, 0.125), (2, 9, 0.75)]);
    }
}
