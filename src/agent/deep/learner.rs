//! Networks over offers: an actor, critics and their targets, and what they learn from remembered steps.

use std::ops::Range;
use std::sync::Arc;

use super::kept::Weights;
use super::memory::{After, MEMORY_MAX, Memory};
use super::rows::List;
use super::scorer::{Part, Tape, WEIGHTS, weights};
use super::{DeepSettings, Method};
use crate::agent::latest::Latest;
use crate::net::{Adam, follow, log_softmax};
use crate::rng::{Rng, Seed};
use crate::situation::Learning;

/// Reward that the greatest one of the run so far counts as. Those of tests are from 0.3 to 1,000.
const REWARD: f64 = 3.0;

/// Most by which a critic may be wrong at once.
const ERROR_MAX: f32 = 5.0;

/// Least and greatest logarithm of the temperature, and the first one.
const LOG_ALPHA: (f32, f32) = (-6.0, 2.0);
const LOG_ALPHA_FIRST: f32 = -1.0;

/// Scale of the actor's scores at the start: it chooses by chance.
const ACTOR_SCALE: f32 = 0.1;

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
    settings: DeepSettings,
    /// Actor of `sac`; the other methods choose what their first critic holds for best.
    actor: Option<Trained>,
    critics: Vec<Trained>,
    targets: Vec<Vec<f32>>,
    log_alpha: [f32; 1],
    alpha_adam: Adam,
    memories: Latest<Memory>,
    /// Greatest reward or loss so far.
    most: f64,
    /// True if the networks began as those of another run.
    was_kept: bool,
    learning: Learning,
    rng: Rng,
    tape: Tape,
    critic_tape: Tape,
}

/// Shares of the rows of a part, and logarithms of them.
struct Distribution {
    shares: Vec<f32>,
    logs: Vec<f32>,
}

impl Distribution {
    fn new(list: &List, scores: &[f32]) -> Distribution {
        let sums: Vec<f32> = list.rows.iter().zip(scores).map(|(row, score)| row.log_prior + score).collect();
        let logs = log_softmax(&sums);
        Distribution { shares: logs.iter().map(|&log| libm::expf(log)).collect(), logs }
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
    /// Returns networks that were trained on nothing, or what was `kept` of others.
    pub fn new(method: Method, settings: &DeepSettings, kept: Option<&Weights>, seed: Seed) -> Learner {
        let mut rng = seed.fork("weights");
        let mut actor = method.has_actor().then(|| Trained::new(ACTOR_SCALE, settings.rate, &mut rng));
        let mut critics: Vec<Trained> =
            (0..method.critics()).map(|_| Trained::new(1.0, settings.rate, &mut rng)).collect();
        let mut most = 0.0;
        if let Some(kept) = kept {
            let networks = actor.iter_mut().chain(&mut critics);
            networks.zip(&kept.networks).for_each(|(network, kept)| network.weights.clone_from(kept));
            most = kept.most;
        }
        Learner {
            settings: *settings,
            actor,
            targets: critics.iter().map(|critic| critic.weights.clone()).collect(),
            critics,
            // Another app is another thing: the temperature of the last one would hold on to what was good there.
            log_alpha: [LOG_ALPHA_FIRST],
            alpha_adam: Adam::new(1, settings.rate),
            memories: Latest::new(MEMORY_MAX),
            most,
            was_kept: kept.is_some(),
            learning: Learning::default(),
            rng: seed.fork("replay"),
            tape: Tape::default(),
            critic_tape: Tape::default(),
        }
    }

    /// Returns what another run may start from.
    pub fn weights(&self) -> Weights {
        Weights { networks: self.networks().cloned().collect(), most: self.most }
    }

    /// Returns the actor, if there is one, and the critics.
    fn networks(&self) -> impl Iterator<Item = &Vec<f32>> {
        self.actor.iter().chain(&self.critics).map(|network| &network.weights)
    }

    /// Returns how learning goes.
    pub fn learning(&self) -> Learning {
        self.learning
    }

    /// Chooses a row.
    pub fn draw(&mut self, list: &Arc<List>, rng: &mut Rng) -> usize {
        let part = [Part { list: list.clone(), only: None }];
        if let Some(actor) = &self.actor {
            self.tape.forward(&actor.weights, &part);
            return drawn(&Distribution::new(list, &self.tape.scores).shares, rng);
        }
        let is_untrained = self.learning.updates == 0 && !self.was_kept;
        if is_untrained || rng.unit() < self.settings.exploration {
            return drawn(&priors(list), rng);
        }
        self.critic_tape.forward(&self.critics[0].weights, &part);
        first_largest(self.critic_tape.scores.iter().copied())
    }

    /// Remembers a step; of many, the oldest is forgotten.
    pub fn remember(&mut self, memory: Memory) {
        self.most = self.most.max(memory.reward.abs());
        self.memories.push(memory);
    }

    /// Returns the steps that are remembered.
    #[cfg(test)]
    pub fn memories(&self) -> &[Memory] {
        self.memories.all()
    }

    /// Returns true if all weights are finite.
    #[cfg(test)]
    pub fn is_finite(&self) -> bool {
        self.networks().flatten().all(|weight| weight.is_finite())
    }

    /// Learns from some steps of the memory, once there are enough.
    pub fn update(&mut self) {
        let (all, batch) = (self.memories.all(), self.settings.batch as usize);
        if all.len() < batch {
            return;
        }
        let drawn: Vec<Memory> = (0..batch).map(|_| all[self.rng.below(all.len())].clone()).collect();
        let wanted = self.wanted(&drawn);
        self.learn_worth(&drawn, &wanted);
        self.learn_policy(&drawn);
        if self.learning.updates.is_multiple_of(self.settings.delay.max(1).into()) {
            let tau = self.settings.tau as f32;
            for (target, critic) in self.targets.iter_mut().zip(&self.critics) {
                follow(target, &critic.weights, tau);
            }
        }
    }

    fn alpha(&self) -> f32 {
        libm::expf(self.log_alpha[0])
    }

    /// Returns the worth of the choices of these memories, as rewards and targets tell it.
    fn wanted(&mut self, drawn: &[Memory]) -> Vec<f32> {
        let next = |memory: &Memory| match &memory.after {
            After::Choice(list) => Some(Part { list: list.clone(), only: None }),
            After::End => None,
        };
        let parts: Vec<Part> = drawn.iter().filter_map(next).collect();
        let ahead =
            if self.actor.is_some() { self.ahead_by_policy(&parts) } else { self.ahead_at_best(&parts) };
        let mut ahead = ahead.into_iter();
        let scale = if self.most > 0.0 { REWARD / self.most } else { 1.0 };
        let discount = self.settings.discount as f32;
        let wanted = |Memory { reward, after, .. }: &Memory| {
            let ahead: f32 = match after {
                After::Choice(_) => ahead.next().unwrap_or_default(),
                After::End => 0.0,
            };
            (reward * scale) as f32 + discount * ahead
        };
        drawn.iter().map(wanted).collect()
    }

    /// Returns what the policy can expect of each choice, entropy included.
    fn ahead_by_policy(&mut self, parts: &[Part]) -> Vec<f32> {
        let actor = self.actor.as_ref().expect("it has a policy");
        self.tape.forward(&actor.weights, parts);
        let worths = least(&mut self.critic_tape, &self.targets, parts);
        let alpha = self.alpha();
        let ahead = |(list, span): (&List, Range<usize>)| {
            let Distribution { shares, logs } = Distribution::new(list, &self.tape.scores[span.clone()]);
            let each = shares.iter().zip(logs).zip(&list.rows).zip(&worths[span]);
            each.map(|(((share, log), row), worth)| share * (worth - alpha * (log - row.log_prior))).sum()
        };
        spans(parts).map(ahead).collect()
    }

    /// Returns the worth of what the first target holds for best at each choice. With noise, offers of nearly the same
    /// worth take turns, so no error of a single one is learned.
    fn ahead_at_best(&mut self, parts: &[Part]) -> Vec<f32> {
        self.critic_tape.forward(&self.targets[0], parts);
        let first = self.critic_tape.scores.clone();
        let worths = least(&mut self.critic_tape, &self.targets, parts);
        let noise = self.settings.noise as f32;
        let (rng, mut ahead) = (&mut self.rng, Vec::with_capacity(parts.len()));
        for (_, span) in spans(parts) {
            let noisy = first[span.clone()].iter().map(|score| {
                let by = if noise > 0.0 { (2.0 * rng.unit() as f32 - 1.0) * noise } else { 0.0 };
                score + by
            });
            ahead.push(worths[span.start + first_largest(noisy)]);
        }
        ahead
    }

    /// Moves the critics towards what is wanted of the choices of these memories.
    fn learn_worth(&mut self, drawn: &[Memory], wanted: &[f32]) {
        let chosen = |Memory { list, row, .. }: &Memory| Part { list: list.clone(), only: Some(*row) };
        let parts: Vec<Part> = drawn.iter().map(chosen).collect();
        let count = wanted.len() as f32;
        for critic in &mut self.critics {
            self.critic_tape.forward(&critic.weights, &parts);
            let errors = self.critic_tape.scores.iter().zip(wanted).map(|(score, wanted)| score - wanted);
            let by_score: Vec<f32> =
                errors.map(|error| 2.0 * error.clamp(-ERROR_MAX, ERROR_MAX) / count).collect();
            self.critic_tape.backward(&critic.weights, &parts, &by_score, &mut critic.gradient);
            critic.step();
        }
        let errors = self.critic_tape.scores.iter().zip(wanted).map(|(score, wanted)| score - wanted);
        let loss = errors.map(|error| f64::from(error * error)).sum::<f64>() / f64::from(count);
        self.learning.add_update(loss);
    }

    /// Moves the actor, if there is one, towards what the critics hold for good, and the temperature towards the wanted entropy.
    fn learn_policy(&mut self, drawn: &[Memory]) {
        let alpha = self.alpha();
        let Some(actor) = &mut self.actor else { return };
        let all = |memory: &Memory| Part { list: memory.list.clone(), only: None };
        let parts: Vec<Part> = drawn.iter().map(all).filter(|part| part.list.rows.len() > 1).collect();
        if parts.is_empty() {
            return;
        }
        let critics: Vec<&[f32]> = self.critics.iter().map(|critic| &critic.weights[..]).collect();
        let worths = least(&mut self.critic_tape, &critics, &parts);
        self.tape.forward(&actor.weights, &parts);
        let count = parts.len() as f32;
        let (mut by_score, mut by_log_alpha) = (Vec::with_capacity(worths.len()), 0.0);
        let mut share_of_most = 0.0;
        for (list, span) in spans(&parts) {
            let policy = Distribution::new(list, &self.tape.scores[span.clone()]);
            let each = policy.logs.iter().zip(&list.rows).zip(&worths[span]);
            let losses: Vec<f32> =
                each.map(|((log, row), worth)| alpha * (log - row.log_prior) - worth).collect();
            by_score.extend(by_scores(&policy.shares, &losses).map(|by_score| by_score / count));
            let (entropy, most) = (policy.entropy(list), most_entropy(list));
            by_log_alpha += (entropy - (self.settings.entropy as f32 - 1.0) * most) / count;
            share_of_most += (1.0 + entropy / most) / count;
        }
        self.tape.backward(&actor.weights, &parts, &by_score, &mut actor.gradient);
        actor.step();
        self.alpha_adam.step(&mut self.log_alpha, &mut [by_log_alpha]);
        self.log_alpha[0] = self.log_alpha[0].clamp(LOG_ALPHA.0, LOG_ALPHA.1);
        self.learning.add_entropy(share_of_most.into());
    }
}

/// Returns the probabilities of the rows where nothing is known.
fn priors(list: &List) -> Vec<f32> {
    list.rows.iter().map(|row| libm::expf(row.log_prior)).collect()
}

/// Draws a place by its share.
fn drawn(shares: &[f32], rng: &mut Rng) -> usize {
    let mut left = rng.unit() as f32;
    for (place, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return place;
        }
    }
    // The shares may sum to a little less than one.
    shares.len() - 1
}

/// Returns the place of the largest score, the first of these.
fn first_largest(scores: impl Iterator<Item = f32>) -> usize {
    let (mut best, mut largest) = (0, f32::NEG_INFINITY);
    for (place, score) in scores.enumerate() {
        if score > largest {
            (best, largest) = (place, score);
        }
    }
    best
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

/// Returns the least of the scores of some networks, at least one.
fn least<N: AsRef<[f32]>>(tape: &mut Tape, networks: &[N], parts: &[Part]) -> Vec<f32> {
    let mut scores: Vec<f32> = Vec::new();
    for network in networks {
        tape.forward(network.as_ref(), parts);
        match scores.is_empty() {
            true => scores.clone_from(&tape.scores),
            false => scores.iter_mut().zip(&tape.scores).for_each(|(one, other)| *one = one.min(*other)),
        }
    }
    scores
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
