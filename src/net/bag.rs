//! Layers whose inputs are nearly all zero: words and marks by number.

use std::ops::Range;

/// Input that is not zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Number of the input.
    pub input: u16,
    /// Value of the input.
    pub value: f32,
}

/// Layer without biases whose weights lie input by input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bag {
    /// Place of the first weight among those of the network.
    pub at: usize,
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
}

impl Bag {
    /// Returns the place behind its last weight, where the next layer begins.
    pub const fn end(&self) -> usize {
        self.at + self.inputs * self.outputs
    }

    /// Returns the places of the weights of an input.
    pub fn of(&self, input: u16) -> Range<usize> {
        let start = self.at + usize::from(input) * self.outputs;
        start..start + self.outputs
    }

    /// Adds the outputs for some entries to `out`.
    pub fn forward(&self, network: &[f32], entries: impl IntoIterator<Item = Entry>, out: &mut [f32]) {
        for Entry { input, value } in entries {
            let weights = &network[self.of(input)];
            out.iter_mut().zip(weights).for_each(|(out, weight)| *out += value * weight);
        }
    }

    /// Adds the gradient of its weights to `gradient`, which lies as the network does, given that of its outputs.
    pub fn backward(
        &self,
        entries: impl IntoIterator<Item = Entry>,
        by_output: &[f32],
        gradient: &mut [f32],
    ) {
        for Entry { input, value } in entries {
            let weights = &mut gradient[self.of(input)];
            weights.iter_mut().zip(by_output).for_each(|(weight, by_output)| *weight += value * by_output);
        }
    }
}
