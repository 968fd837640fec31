//! Soft actor-critic over a box, as in Stable Baselines 2: a gaussian actor that is squashed, two critics, and the worth
//! of screens with its target.

use super::network::{Form, Rows, Tape, Trained, grow_target};
use super::replay::{Batch, Observations, Observed, Space};
use super::settings::BoxSac;
use crate::net::{Adam, follow};
use crate::rng::{Rng, Seed};

/// Bounds of the logarithm of the standard deviation.
const LOG_DEVIATION: (f32, f32) = (-20.0, 2.0);

/// Least divisor of the squashed density.
const EPSILON: f32 = 1e-6;

/// Half the logarithm of 2 pi.
const HALF_LOG_TAU: f32 = 0.918_938_5;

/// Actor, critics, worth of screens, and temperature.
#[derive(Clone, Debug)]
pub struct Sac {
    settings: BoxSac,
    space: Space,
    pub actor: Trained,
    pub critics: [Trained; 2],
    pub value: Trained,
    pub target: Vec<f32>,
    /// Steps before the target moved last.
    followed: u64,
    log_alpha: [f32; 1],
    pub by_log_alpha: [f32; 1],
    alpha_adam: Adam,
    noise: Rng,
    tape: Tape,
    critic_tape: Tape,
}

/// Actions that the actor draws, and what their gradients take.
struct Drawn {
    actions: Vec<f32>,
    noise: Vec<f32>,
    /// Logarithm of the density of each row.
    logs: Vec<f32>,
    /// Deviation of each number; 0 where it is at a bound and does not move.
    moving: Vec<f32>,
}

impl Drawn {
    /// Draws with `noise` from the means and the logarithms of deviations in each row of `outputs`.
    fn new(outputs: &[f32], noise: Vec<f32>, dimensions: usize) -> Drawn {
        let mut drawn = Drawn { actions: Vec::new(), noise, logs: Vec::new(), moving: Vec::new() };
        for (row, noise) in outputs.chunks_exact(2 * dimensions).zip(drawn.noise.chunks_exact(dimensions)) {
            let (means, log_deviations) = row.split_at(dimensions);
            let mut log = 0.0;
            for ((mean, log_deviation), noise) in means.iter().zip(log_deviations).zip(noise) {
                let (least, most) = LOG_DEVIATION;
                let is_free = (least..=most).contains(log_deviation);
                let log_deviation = log_deviation.clamp(least, most);
                let deviation = libm::expf(log_deviation);
                let action = libm::tanhf(mean + deviation * noise);
                log -= 0.5 * noise * noise + log_deviation + HALF_LOG_TAU;
                log -= libm::logf(1.0 - action * action + EPSILON);
                drawn.actions.push(action);
                drawn.moving.push(if is_free { deviation } else { 0.0 });
            }
            drawn.logs.push(log);
        }
        drawn
    }

    /// Returns the gradient of the mean of alpha log pi - Q by the actor's outputs, given that of Q by the actions.
    fn by_outputs(&self, alpha: f32, by_action: &[f32], dimensions: usize) -> Vec<f32> {
        let rows = self.logs.len() as f32;
        let mut found = Vec::with_capacity(2 * self.actions.len());
        for start in (0..self.actions.len()).step_by(dimensions) {
            let places = start..start + dimensions;
            let by_mean: Vec<f32> = places
                .clone()
                .map(|at| {
                    let action = self.actions[at];
                    let slope = 1.0 - action * action;
                    let by_log = 2.0 * action * slope / (slope + EPSILON);
                    (alpha * by_log - by_action[at] * slope) / rows
                })
                .collect();
            found.extend_from_slice(&by_mean);
            found.extend(places.zip(by_mean).map(|(at, by_mean)| match self.moving[at] {
                0.0 => 0.0,
                deviation => by_mean * deviation * self.noise[at] - alpha / rows,
            }));
        }
        found
    }
}

impl Sac {
    /// Returns networks that were trained on nothing.
    pub fn new(settings: &BoxSac, space: Space, seed: Seed) -> Sac {
        let dimensions = space.dimensions;
        let network = |name: &str, form: Form| Trained::new(form, settings.rate, seed.fork(name));
        let value = network("value", space.form(0, 1));
        Sac {
            actor: network("actor", space.form(0, 2 * dimensions)),
            critics: ["critic 1", "critic 2"].map(|name| network(name, space.form(dimensions, 1))),
            target: value.weights.clone(),
            value,
            followed: 0,
            log_alpha: [0.0],
            by_log_alpha: [0.0],
            alpha_adam: Adam::new(1, settings.rate),
            noise: seed.fork("noise"),
            tape: Tape::default(),
            critic_tape: Tape::default(),
            settings: *settings,
            space,
        }
    }

    /// Returns all networks that learn.
    pub fn networks(&mut self) -> impl Iterator<Item = &mut Trained> {
        self.critics.iter_mut().chain([&mut self.actor, &mut self.value])
    }

    /// Grows to `marks` marks.
    pub fn grow(&mut self, marks: usize) {
        self.networks().for_each(|network| network.grow(marks));
        grow_target(&mut self.target, &self.value);
    }

    /// Returns an action drawn from the policy.
    pub fn act(&mut self, observed: &Observed, rng: &mut Rng) -> Vec<f32> {
        let one = Observations::one(observed, self.space);
        let dimensions = self.space.dimensions;
        let noise = (0..dimensions).map(|_| normal(rng)).collect();
        self.tape.forward(&self.actor.form, &self.actor.weights, one.rows());
        Drawn::new(&self.tape.outputs, noise, dimensions).actions
    }

    /// Learns from some steps, `steps` after the start.
    pub fn update(&mut self, batch: &Batch, steps: u64) {
        let noise = batch.actions.iter().map(|_| normal(&mut self.noise)).collect();
        self.gradients(batch, noise);
        self.actor.step();
        self.critics.iter_mut().for_each(Trained::step);
        self.value.step();
        self.alpha_adam.step(&mut self.log_alpha, &mut self.by_log_alpha);
        if steps >= self.followed + u64::from(self.settings.target_update) {
            self.followed = steps;
            follow(&mut self.target, &self.value.weights, self.settings.tau as f32);
        }
    }

    fn alpha(&self) -> f32 {
        libm::expf(self.log_alpha[0])
    }

    /// Works all gradients out, before anything moves.
    pub fn gradients(&mut self, batch: &Batch, noise: Vec<f32>) {
        let (dimensions, count) = (self.space.dimensions, batch.rewards.len() as f32);
        let (from, alpha) = (&batch.from, self.alpha());
        self.tape.forward(&self.actor.form, &self.actor.weights, from.distinct.rows());
        let outputs = from.spread(&self.tape.outputs, 2 * dimensions);
        let drawn = Drawn::new(&outputs, noise, dimensions);

        // The worth of drawn actions: the actor ascends the first critic's, screens are worth the lesser.
        let numbers = from.all.with(&drawn.actions, dimensions);
        let rows = Rows { numbers: &numbers, ..from.all.rows() };
        let [one, other] = &self.critics;
        self.critic_tape.forward(&other.form, &other.weights, rows);
        let mut worths = self.critic_tape.outputs.clone();
        self.critic_tape.forward(&one.form, &one.weights, rows);
        let of_one = &self.critic_tape.outputs;
        worths.iter_mut().zip(of_one).for_each(|(worth, of_one)| *worth = worth.min(*of_one));
        let ones = vec![1.0; worths.len()];
        let by_action = self.critic_tape.backward_numbers(&one.form, &one.weights, &ones, dimensions);
        let by_output = from.gathered(&drawn.by_outputs(alpha, &by_action, dimensions), 2 * dimensions);
        self.tape.backward(&mut self.actor, from.distinct.rows(), &by_output);

        let wanted_entropy = -(self.settings.entropy as f32) * dimensions as f32;
        self.by_log_alpha = [-drawn.logs.iter().map(|log| log + wanted_entropy).sum::<f32>() / count];

        self.tape.forward(&self.value.form, &self.target, batch.to.distinct.rows());
        let ahead = batch.to.spread(&self.tape.outputs, 1);
        let wanted = batch.wanted(&ahead, self.settings.discount as f32);
        let numbers = from.all.with(&batch.actions, dimensions);
        let rows = Rows { numbers: &numbers, ..from.all.rows() };
        for critic in &mut self.critics {
            self.tape.forward(&critic.form, &critic.weights, rows);
            let by_output = errors(&self.tape.outputs, &wanted, 1.0);
            self.tape.backward(critic, rows, &by_output);
        }

        self.tape.forward(&self.value.form, &self.value.weights, from.distinct.rows());
        let soft: Vec<f32> = worths.iter().zip(&drawn.logs).map(|(worth, log)| worth - alpha * log).collect();
        let by_output = errors(&from.spread(&self.tape.outputs, 1), &soft, 1.0);
        self.tape.backward(&mut self.value, from.distinct.rows(), &from.gathered(&by_output, 1));
    }
}

/// Returns the gradient of `half` times half the mean of the squared errors.
pub fn errors(outputs: &[f32], wanted: &[f32], half: f32) -> Vec<f32> {
    let count = outputs.len() as f32;
    outputs.iter().zip(wanted).map(|(output, wanted)| half * (output - wanted) / count).collect()
}

/// Draws a number of the standard normal distribution.
pub fn normal(rng: &mut Rng) -> f32 {
    // Box and Muller.
    let radius = (-2.0 * libm::log(1.0 - rng.unit())).sqrt();
    (radius * libm::cos(std::f64::consts::TAU * rng.unit())) as f32
}
