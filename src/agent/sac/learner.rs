//! Actor, critics and their targets, and the memory that they learn from.

use std::ops::Range;
use std::sync::Arc;

use super::SacSettings;
use super::rows::List;
use super::scorer::{Part, Tape, WEIGHTS, weights};
use crate::net::{Adam, follow, log_softmax};
use crate::rng::{Rng, Seed};

/// Most steps that are remembered: some 20 MB where each has 30 offers.
const MEMORY_MAX: usize = 4_000;

/// Reward that the greatest one of the run so far counts as. Those of tests are from 0.3 to 1,000.
const REWARD: f64 = 3.0;

/// Most by which a critic may be wrong at once.
const ERROR_MAX: f32 = 5.0;

/// Least and greatest logarithm of the temperature, and the first one.
const LOG_ALPHA: (f32, f32) = (-6.0, 2.0);
const LOG_ALPHA_FIRST: f32 = -1.0;

/// Scale of the actor's scores at the start: it chooses by chance.
const ACTOR_SCALE: f32 = 0.1;

/// Step that is remembered.
#[derive(Clone, Debug)]
pub struct Memory {
    pub list: Arc<List>,
    /// Row of the choice.
    pub row: usize,
    pub reward: f64,
    pub after: After,
}

/// Continuation of a step.
#[derive(Clone, Debug)]
pub enum After {
    /// The next choice.
    Choice(Arc<List>),
    /// None.
    End,
}

/// Network that learns.
#[derive(Clone, Debug)]
struct Trained {
    weights: Vec<f32>,
    gradient: Vec<f32>,
    adam: Adam,
}

impl Trained {
    fn new(scale: f32, rate: f64, rng: &mut Rng) -> Trained {
        let adam = Adam::new(WEIGHTS, rate);
        Trained { weights: weights(scale, rng), gradient: vec![0.0; WEIGHTS], adam }
    }

    fn step(&mut self) {
        self.adam.step(&mut self.weights, &mut self.gradient);
    }
}

/// All that learns.
#[derive(Clone, Debug)]
pub struct Learner {
    settings: SacSettings,
    actor: Trained,
    critics: [Trained; 2],
    targets: [Vec<f32>; 2],
    log_alpha: [f32; 1],
    alpha_adam: Adam,
    memory: Vec<Memory>,
    /// Place of the memory that is replaced next, once there is no more room.
    oldest: usize,
    /// Greatest reward or loss so far.
    most: f64,
    rng: Rng,
    tape: Tape,
    critic_tape: Tape,
}

/// Shares of the rows of a part, and logarithms of them.
struct Policy {
    shares: Vec<f32>,
    logs: Vec<f32>,
}

impl Policy {
    fn new(list: &List, scores: &[f32]) -> Policy {
        let sums: Vec<f32> = list.rows.iter().zip(scores).map(|(row, score)| row.log_prior + score).collect();
        let logs = log_softmax(&sums);
        Policy { shares: logs.iter().map(|&log| libm::expf(log)).collect(), logs }
    }

    /// Returns the entropy relative to a choice by the priors, at most 0.
    fn entropy(&self, list: &List) -> f32 {
        let each = self.shares.iter().zip(&self.logs).zip(&list.rows);
        each.map(|((share, log), row)| share * (row.log_prior - log)).sum()
    }
}

/// Returns the entropy of a choice by the priors.
fn most_entropy(list: &List) -> f32 {
    list.rows.iter().map(|row| -row.log_prior * libm::expf(row.log_prior)).sum()
}

impl Learner {
    /// Returns networks that were trained on nothing.
    pub fn new(settings: &SacSettings, seed: Seed) -> Learner {
        let mut rng = seed.fork("weights");
        let actor = Trained::new(ACTOR_SCALE, settings.rate, &mut rng);
        let critics = [(); 2].map(|()| Trained::new(1.0, settings.rate, &mut rng));
        Learner {
            settings: *settings,
            actor,
            targets: [critics[0].weights.clone(), critics[1].weights.clone()],
            critics,
            log_alpha: [LOG_ALPHA_FIRST],
            alpha_adam: Adam::new(1, settings.rate),
            memory: Vec::new(),
            oldest: 0,
            most: 0.0,
            rng: seed.fork("replay"),
            tape: Tape::default(),
            critic_tape: Tape::default(),
        }
    }

    /// Draws a row by the policy.
    pub fn draw(&mut self, list: &Arc<List>, rng: &mut Rng) -> usize {
        self.tape.forward(&self.actor.weights, &[Part { list: list.clone(), only: None }]);
        let Policy { shares, .. } = Policy::new(list, &self.tape.scores);
        let mut left = rng.unit() as f32;
        for (row, share) in shares.iter().enumerate() {
            left -= share;
            if left < 0.0 {
                return row;
            }
        }
        // The shares may sum to a little less than one.
        shares.len() - 1
    }

    /// Remembers a step; of many, the oldest is forgotten.
    pub fn remember(&mut self, memory: Memory) {
        self.most = self.most.max(memory.reward.abs());
        if self.memory.len() < MEMORY_MAX {
            self.memory.push(memory);
        } else {
            self.memory[self.oldest] = memory;
            self.oldest = (self.oldest + 1) % MEMORY_MAX;
        }
    }

    /// Returns the steps that are remembered.
    #[cfg(test)]
    pub fn memory(&self) -> &[Memory] {
        &self.memory
    }

    /// Returns true if all weights are finite.
    #[cfg(test)]
    pub fn is_finite(&self) -> bool {
        let networks = [&self.actor.weights, &self.critics[0].weights, &self.critics[1].weights];
        networks.into_iter().flatten().all(|weight| weight.is_finite())
    }

    /// Learns from some steps of the memory, once there are enough.
    pub fn update(&mut self) {
        let batch = self.settings.batch as usize;
        if self.memory.len() < batch {
            return;
        }
        let drawn: Vec<usize> = (0..batch).map(|_| self.rng.below(self.memory.len())).collect();
        let wanted = self.wanted(&drawn);
        self.learn_worth(&drawn, &wanted);
        self.learn_policy(&drawn);
        let tau = self.settings.tau as f32;
        for (target, critic) in self.targets.iter_mut().zip(&self.critics) {
            follow(target, &critic.weights, tau);
        }
    }

    fn alpha(&self) -> f32 {
        libm::expf(self.log_alpha[0])
    }

    /// Returns the worth of the choices of these memories, as rewards and targets tell it.
    fn wanted(&mut self, drawn: &[usize]) -> Vec<f32> {
        let next = |&at: &usize| match &self.memory[at].after {
            After::Choice(list) => Some(Part { list: list.clone(), only: None }),
            After::End => None,
        };
        let parts: Vec<Part> = drawn.iter().filter_map(next).collect();
        self.tape.forward(&self.actor.weights, &parts);
        let worths = least(&mut self.critic_tape, &self.targets, &parts);
        let (alpha, discount) = (self.alpha(), self.settings.discount as f32);
        let mut ahead = spans(&parts).map(|(list, span)| {
            let Policy { shares, logs } = Policy::new(list, &self.tape.scores[span.clone()]);
            let each = shares.iter().zip(logs).zip(&list.rows).zip(&worths[span]);
            each.map(|(((share, log), row), worth)| share * (worth - alpha * (log - row.log_prior))).sum()
        });
        let scale = if self.most > 0.0 { REWARD / self.most } else { 1.0 };
        let wanted = |&at: &usize| {
            let Memory { reward, after, .. } = &self.memory[at];
            let ahead: f32 = match after {
                After::Choice(_) => ahead.next().unwrap_or_default(),
                After::End => 0.0,
            };
            (reward * scale) as f32 + discount * ahead
        };
        drawn.iter().map(wanted).collect()
    }

    /// Moves the critics towards what is wanted of the choices of these memories.
    fn learn_worth(&mut self, drawn: &[usize], wanted: &[f32]) {
        let chosen = |&at: &usize| {
            let Memory { list, row, .. } = &self.memory[at];
            Part { list: list.clone(), only: Some(*row) }
        };
        let parts: Vec<Part> = drawn.iter().map(chosen).collect();
        let count = wanted.len() as f32;
        for critic in &mut self.critics {
            self.critic_tape.forward(&critic.weights, &parts);
            let errors = self.critic_tape.scores.iter().zip(wanted);
            let by_score: Vec<f32> = errors
                .map(|(score, wanted)| 2.0 * (score - wanted).clamp(-ERROR_MAX, ERROR_MAX) / count)
                .collect();
            self.critic_tape.backward(&critic.weights, &parts, &by_score, &mut critic.gradient);
            critic.step();
        }
    }

    /// Moves the actor towards what the critics hold for good, and the temperature towards the wanted entropy.
    fn learn_policy(&mut self, drawn: &[usize]) {
        let all = |&at: &usize| Part { list: self.memory[at].list.clone(), only: None };
        let parts: Vec<Part> = drawn.iter().map(all).filter(|part| part.list.rows.len() > 1).collect();
        if parts.is_empty() {
            return;
        }
        let [one, other] = &self.critics;
        let worths = least(&mut self.critic_tape, &[&one.weights, &other.weights], &parts);
        self.tape.forward(&self.actor.weights, &parts);
        let (alpha, count) = (self.alpha(), parts.len() as f32);
        let (mut by_score, mut by_log_alpha) = (Vec::with_capacity(worths.len()), 0.0);
        for (list, span) in spans(&parts) {
            let policy = Policy::new(list, &self.tape.scores[span.clone()]);
            let each = policy.logs.iter().zip(&list.rows).zip(&worths[span]);
            let losses: Vec<f32> =
                each.map(|((log, row), worth)| alpha * (log - row.log_prior) - worth).collect();
            by_score.extend(by_scores(&policy.shares, &losses).map(|by_score| by_score / count));
            let wanted = (self.settings.entropy as f32 - 1.0) * most_entropy(list);
            by_log_alpha += (policy.entropy(list) - wanted) / count;
        }
        self.tape.backward(&self.actor.weights, &parts, &by_score, &mut self.actor.gradient);
        self.actor.step();
        self.alpha_adam.step(&mut self.log_alpha, &mut [by_log_alpha]);
        self.log_alpha[0] = self.log_alpha[0].clamp(LOG_ALPHA.0, LOG_ALPHA.1);
    }
}

/// Returns the gradient of the mean loss by the scores, given the share and the loss of each row, where the loss of a row
/// grows with the logarithm of its share.
fn by_scores<'a>(shares: &'a [f32], losses: &'a [f32]) -> impl Iterator<Item = f32> + 'a {
    let mean: f32 = shares.iter().zip(losses).map(|(share, loss)| share * loss).sum();
    shares.iter().zip(losses).map(move |(share, loss)| share * (loss - mean))
}

/// Returns the lists of some parts, each with the places of its scores.
fn spans(parts: &[Part]) -> impl Iterator<Item = (&List, Range<usize>)> {
    let mut end = 0;
    parts.iter().map(move |part| {
        let start = end;
        end += part.list.rows.len();
        (&*part.list, start..end)
    })
}

/// Returns the lesser of the scores of two networks.
fn least<N: AsRef<[f32]>>(tape: &mut Tape, networks: &[N; 2], parts: &[Part]) -> Vec<f32> {
    let [one, other] = networks;
    tape.forward(one.as_ref(), parts);
    let scores = tape.scores.clone();
    tape.forward(other.as_ref(), parts);
    scores.iter().zip(&tape.scores).map(|(one, other)| one.min(*other)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the mean loss at these scores by definition.
    fn mean_loss(scores: &[f64], priors: &[f64], worths: &[f64], alpha: f64) -> f64 {
        let weights: Vec<f64> = scores.iter().zip(priors).map(|(score, prior)| prior * score.exp()).collect();
        let sum: f64 = weights.iter().sum();
        let loss = |at: usize| {
            let share = weights[at] / sum;
            share * (alpha * (share / priors[at]).ln() - worths[at])
        };
        (0..scores.len()).map(loss).sum()
    }

    #[test]
    fn the_gradient_of_the_policy_is_that_of_finite_differences() {
        let mut rng = Seed(1).fork("test");
        for count in [1, 2, 5, 30] {
            let mut draw = |from: f64, to: f64| -> Vec<f64> {
                (0..count).map(|_| from + (to - from) * rng.unit()).collect()
            };
            let (scores, worths) = (draw(-2.0, 2.0), draw(-1.0, 3.0));
            let priors = draw(0.1, 1.0);
            let sum: f64 = priors.iter().sum();
            let priors: Vec<f64> = priors.iter().map(|prior| prior / sum).collect();
            let alpha = 0.3;
            let sums: Vec<f32> = scores.iter().zip(&priors).map(|(s, p)| (s + p.ln()) as f32).collect();
            let logs = log_softmax(&sums);
            let shares: Vec<f32> = logs.iter().map(|&log| libm::expf(log)).collect();
            let each = logs.iter().zip(&priors).zip(&worths);
            let losses: Vec<f32> = each
                .map(|((log, prior), worth)| (alpha * (f64::from(*log) - prior.ln()) - worth) as f32)
                .collect();
            for (at, found) in by_scores(&shares, &losses).enumerate() {
                let at_least = |by: f64| {
                    let mut moved = scores.clone();
                    moved[at] += by;
                    mean_loss(&moved, &priors, &worths, alpha)
                };
                let expected = (at_least(1e-5) - at_least(-1e-5)) / 2e-5;
                assert!((f64::from(found) - expected).abs() < 1e-4, "{count} {at}: {found} and {expected}");
            }
        }
    }
}
