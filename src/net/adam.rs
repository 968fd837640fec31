//! The optimiser Adam, and networks that follow another slowly.

use super::wide::wide;

/// Decay of the two moments, and the least divisor, as in PyTorch.
const DECAY_FIRST: f64 = 0.9;
const DECAY_SECOND: f64 = 0.999;
const EPSILON: f32 = 1e-8;

/// Optimiser of a network.
#[derive(Clone, Debug)]
pub struct Adam {
    rate: f64,
    first: Vec<f32>,
    second: Vec<f32>,
    /// Powers of both decays.
    left: (f64, f64),
}

impl Adam {
    /// Returns an optimiser of so many weights, with the learning rate `rate`.
    pub fn new(weights: usize, rate: f64) -> Adam {
        Adam { rate, first: vec![0.0; weights], second: vec![0.0; weights], left: (1.0, 1.0) }
    }

    /// Makes room for a network that has grown to so many weights.
    pub fn grow(&mut self, weights: usize) {
        self.first.resize(weights, 0.0);
        self.second.resize(weights, 0.0);
    }

    /// Moves `network` against `gradient`, and clears that.
    pub fn step(&mut self, network: &mut [f32], gradient: &mut [f32]) {
        self.left = (self.left.0 * DECAY_FIRST, self.left.1 * DECAY_SECOND);
        let pace = (self.rate / (1.0 - self.left.0)) as f32;
        let scale = (1.0 / (1.0 - self.left.1).sqrt()) as f32;
        let (decay_first, decay_second) = (DECAY_FIRST as f32, DECAY_SECOND as f32);
        let (rest_first, rest_second) = ((1.0 - DECAY_FIRST) as f32, (1.0 - DECAY_SECOND) as f32);
        let moments = self.first.iter_mut().zip(&mut self.second);
        wide(
            #[inline(always)]
            || {
                for ((weight, gradient), (first, second)) in network.iter_mut().zip(gradient).zip(moments) {
                    *first = decay_first * *first + rest_first * *gradient;
                    *second = decay_second * *second + rest_second * (*gradient * *gradient);
                    *weight -= pace * *first / (second.sqrt() * scale + EPSILON);
                    *gradient = 0.0;
                }
            },
        );
    }
}

/// Moves `follower` towards `network` by the share `tau` of the way.
pub fn follow(follower: &mut [f32], network: &[f32], tau: f32) {
    wide(
        #[inline(always)]
        || {
            for (follower, weight) in follower.iter_mut().zip(network) {
                *follower += tau * (*weight - *follower);
            }
        },
    );
}
