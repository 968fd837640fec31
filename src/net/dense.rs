//! Dense layers, and what lies between them.

use std::ops::Range;

use super::matrix::{add_product, transpose};

/// Dense layer: a matrix of weights, input by input, and a bias for each output behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dense {
    /// Place of the first weight among those of the network.
    pub at: usize,
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
}

impl Dense {
    /// Returns the place behind its last bias, where the next layer begins.
    pub const fn end(&self) -> usize {
        self.biases().end
    }

    /// Returns the places of its weights.
    pub const fn weights(&self) -> Range<usize> {
        self.at..self.at + self.inputs * self.outputs
    }

    /// Returns the places of its biases.
    pub const fn biases(&self) -> Range<usize> {
        let start = self.weights().end;
        start..start + self.outputs
    }

    /// Writes the outputs for each row of `rows` to `out`.
    pub fn forward(&self, network: &[f32], rows: &[f32], out: &mut Vec<f32>) {
        let biases = &network[self.biases()];
        out.clear();
        for _ in 0..rows.len() / self.inputs {
            out.extend_from_slice(biases);
        }
        add_product(rows, &network[self.weights()], self.inputs, self.outputs, out);
    }

    /// Adds the gradient of its weights to `gradient`, which lies as the network does, given that of its outputs.
    pub fn backward(&self, rows: &[f32], by_output: &[f32], gradient: &mut [f32], room: &mut Vec<f32>) {
        let biases = &mut gradient[self.biases()];
        for row in by_output.chunks_exact(self.outputs) {
            biases.iter_mut().zip(row).for_each(|(bias, by_output)| *bias += by_output);
        }
        transpose(rows, self.inputs, room);
        let count = rows.len() / self.inputs;
        add_product(room, by_output, count, self.outputs, &mut gradient[self.weights()]);
    }

    /// Writes the gradient of its inputs to `by_input`, given that of its outputs.
    pub fn backward_inputs(
        &self,
        network: &[f32],
        by_output: &[f32],
        by_input: &mut Vec<f32>,
        room: &mut Vec<f32>,
    ) {
        transpose(&network[self.weights()], self.outputs, room);
        by_input.clear();
        by_input.resize(by_output.len() / self.outputs * self.inputs, 0.0);
        add_product(by_output, room, self.outputs, self.inputs, by_input);
    }
}

/// Returns the greatest weight that a layer with so many inputs and outputs has at the start, after Glorot and Bengio.
pub fn glorot(inputs: usize, outputs: usize) -> f32 {
    (6.0 / (inputs + outputs) as f32).sqrt()
}

/// Cuts negative numbers off.
pub fn relu(numbers: &mut [f32]) {
    for number in numbers {
        *number = if *number > 0.0 { *number } else { 0.0 };
    }
}

/// Clears the gradient where [`relu`] has cut its results off.
pub fn relu_back(results: &[f32], gradient: &mut [f32]) {
    for (result, gradient) in results.iter().zip(gradient) {
        *gradient = if *result > 0.0 { *gradient } else { 0.0 };
    }
}
