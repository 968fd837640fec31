//! Network that gives each offer a score: the same weights for every row.

use std::sync::Arc;

use super::rows::{INPUTS, List, Range, Row};
use crate::net::{Bag, Dense, relu, relu_back};
use crate::rng::Rng;

/// Widths of the two layers between inputs and score.
const FIRST: usize = 32;
const SECOND: usize = 32;

const BAG: Bag = Bag { at: 0, inputs: INPUTS, outputs: FIRST };
const MIDDLE: Dense = Dense { at: BAG.end(), inputs: FIRST, outputs: SECOND };
const LAST: Dense = Dense { at: MIDDLE.end(), inputs: SECOND, outputs: 1 };

/// Number of weights.
pub const WEIGHTS: usize = LAST.end();

/// Greatest weight of an input at the start; most rows have some twenty.
const BAG_WEIGHT: f32 = 0.1;

/// Returns new weights; scores are smaller by the factor `scale`.
pub fn weights(scale: f32, rng: &mut Rng) -> Vec<f32> {
    let mut network = vec![0.0; WEIGHTS];
    rng.fill(&mut network[..MIDDLE.at], BAG_WEIGHT);
    for (layer, scale) in [(MIDDLE, 1.0), (LAST, scale)] {
        let most = scale / (layer.inputs as f32).sqrt();
        rng.fill(&mut network[layer.weights()], most);
    }
    network
}

/// Clears the weights of some inputs.
pub fn without(network: &mut [f32], inputs: Range) {
    for input in inputs.first..inputs.first + inputs.count {
        network[BAG.of(input)].fill(0.0);
    }
}

/// Rows of a list that are scored: all of them, or the one that was chosen.
#[derive(Clone, Debug)]
pub struct Part {
    /// The list.
    pub list: Arc<List>,
    /// The one row; all of them if there is none.
    pub only: Option<usize>,
}

impl Part {
    fn rows(&self) -> &[Row] {
        match self.only {
            Some(at) => &self.list.rows[at..at + 1],
            None => &self.list.rows,
        }
    }
}

/// Results of the layers, and room for their gradients.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    first: Vec<f32>,
    second: Vec<f32>,
    /// Scores, row by row.
    pub scores: Vec<f32>,
    by_first: Vec<f32>,
    by_second: Vec<f32>,
    room: Vec<f32>,
}

impl Tape {
    /// Scores the rows of some parts, one after the other.
    pub fn forward(&mut self, network: &[f32], parts: &[Part]) {
        self.first.clear();
        for part in parts {
            let mut common = [0.0; FIRST];
            BAG.forward(network, part.list.common.iter().copied(), &mut common);
            for row in part.rows() {
                let start = self.first.len();
                self.first.extend_from_slice(&common);
                BAG.forward(network, row.entries(), &mut self.first[start..]);
            }
        }
        relu(&mut self.first);
        MIDDLE.forward(network, &self.first, &mut self.second);
        relu(&mut self.second);
        LAST.forward(network, &self.second, &mut self.scores);
    }

    /// Adds the gradient of the weights, given that of the scores of the same parts.
    pub fn backward(&mut self, network: &[f32], parts: &[Part], by_score: &[f32], gradient: &mut [f32]) {
        LAST.backward(&self.second, by_score, gradient, &mut self.room);
        LAST.backward_inputs(network, by_score, &mut self.by_second, &mut self.room);
        relu_back(&self.second, &mut self.by_second);
        MIDDLE.backward(&self.first, &self.by_second, gradient, &mut self.room);
        MIDDLE.backward_inputs(network, &self.by_second, &mut self.by_first, &mut self.room);
        relu_back(&self.first, &mut self.by_first);
        let mut by_row = self.by_first.chunks_exact(FIRST);
        for part in parts {
            let mut common = [0.0; FIRST];
            for (row, by_row) in part.rows().iter().zip(by_row.by_ref()) {
                BAG.backward(row.entries(), by_row, gradient);
                common.iter_mut().zip(by_row).for_each(|(sum, by_row)| *sum += by_row);
            }
            BAG.backward(part.list.common.iter().copied(), &common, gradient);
        }
    }
}
