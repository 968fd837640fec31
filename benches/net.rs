//! Time of a training step of two networks, with the layers of the program and with plain triple loops.
//!
//! Both take the same batches of 32 to a squared error and its gradient, and Adam moves the weights. The networks are those
//! of the published times: A from 200 inputs through 64 and 64 to 30 outputs, B from 60 through 64 and 64 to one.

use divan::Bencher;

#[allow(dead_code, unused_imports, reason = "the program uses more of it")]
#[path = "../src/net/mod.rs"]
mod net;

use net::{Adam, Dense, relu, relu_back};

fn main() {
    divan::main();
}

const A: &[usize] = &[200, 64, 64, 30];
const B: &[usize] = &[60, 64, 64, 1];
const BATCH: usize = 32;

/// Kernel of the products of a training step.
trait Products {
    fn forward(layer: &Dense, network: &[f32], rows: &[f32], out: &mut Vec<f32>);
    fn backward(layer: &Dense, rows: &[f32], by_output: &[f32], gradient: &mut [f32], room: &mut Vec<f32>);
    fn backward_inputs(
        layer: &Dense,
        network: &[f32],
        by_output: &[f32],
        by_input: &mut Vec<f32>,
        room: &mut Vec<f32>,
    );
}

struct Program;

impl Products for Program {
    fn forward(layer: &Dense, network: &[f32], rows: &[f32], out: &mut Vec<f32>) {
        layer.forward(network, rows, out);
    }

    fn backward(layer: &Dense, rows: &[f32], by_output: &[f32], gradient: &mut [f32], room: &mut Vec<f32>) {
        layer.backward(rows, by_output, gradient, room);
    }

    fn backward_inputs(
        layer: &Dense,
        network: &[f32],
        by_output: &[f32],
        by_input: &mut Vec<f32>,
        room: &mut Vec<f32>,
    ) {
        layer.backward_inputs(network, by_output, by_input, room);
    }
}

struct Plain;

impl Products for Plain {
    fn forward(layer: &Dense, network: &[f32], rows: &[f32], out: &mut Vec<f32>) {
        let Dense { inputs, outputs, .. } = *layer;
        let (weights, biases) = (&network[layer.weights()], &network[layer.biases()]);
        out.clear();
        for row in rows.chunks(inputs) {
            for output in 0..outputs {
                let mut sum = biases[output];
                for input in 0..inputs {
                    sum += row[input] * weights[input * outputs + output];
                }
                out.push(sum);
            }
        }
    }

    fn backward(layer: &Dense, rows: &[f32], by_output: &[f32], gradient: &mut [f32], _: &mut Vec<f32>) {
        let Dense { inputs, outputs, .. } = *layer;
        for (row, by_output) in rows.chunks(inputs).zip(by_output.chunks(outputs)) {
            for input in 0..inputs {
                for output in 0..outputs {
                    gradient[layer.at + input * outputs + output] += row[input] * by_output[output];
                }
            }
            for output in 0..outputs {
                gradient[layer.biases().start + output] += by_output[output];
            }
        }
    }

    fn backward_inputs(
        layer: &Dense,
        network: &[f32],
        by_output: &[f32],
        by_input: &mut Vec<f32>,
        _: &mut Vec<f32>,
    ) {
        let Dense { inputs, outputs, .. } = *layer;
        let weights = &network[layer.weights()];
        by_input.clear();
        for by_output in by_output.chunks(outputs) {
            for input in 0..inputs {
                let mut sum = 0.0;
                for output in 0..outputs {
                    sum += by_output[output] * weights[input * outputs + output];
                }
                by_input.push(sum);
            }
        }
    }
}

/// Network, its batches, and room for a step.
struct Training {
    layers: Vec<Dense>,
    network: Vec<f32>,
    gradient: Vec<f32>,
    adam: Adam,
    batches: Vec<(Vec<f32>, Vec<f32>)>,
    /// Rows before each layer, and the results.
    results: Vec<Vec<f32>>,
    by_output: Vec<f32>,
    by_input: Vec<f32>,
    room: Vec<f32>,
    steps: usize,
}

impl Training {
    fn new(widths: &[usize]) -> Training {
        let mut state = 777_u32;
        let mut numbers = |count: usize, times: f32| -> Vec<f32> {
            let draw = |_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((state >> 8) as f32 / 16_777_216.0 - 0.5) * times
            };
            (0..count).map(draw).collect()
        };
        let (mut layers, mut network, mut at) = (Vec::new(), Vec::new(), 0);
        for pair in widths.windows(2) {
            let layer = Dense { at, inputs: pair[0], outputs: pair[1] };
            network.extend(numbers(pair[0] * pair[1], 2.0 / (pair[0] as f32).sqrt()));
            network.resize(layer.end(), 0.0);
            at = layer.end();
            layers.push(layer);
        }
        let outputs = widths[widths.len() - 1];
        let batches =
            (0..16).map(|_| (numbers(BATCH * widths[0], 2.0), numbers(BATCH * outputs, 2.0))).collect();
        Training {
            gradient: vec![0.0; network.len()],
            adam: Adam::new(network.len(), 3e-4),
            results: vec![Vec::new(); widths.len()],
            by_output: Vec::new(),
            by_input: Vec::new(),
            room: Vec::new(),
            steps: 0,
            layers,
            network,
            batches,
        }
    }

    fn step<P: Products>(&mut self) -> f32 {
        let (rows, wanted) = &self.batches[self.steps % self.batches.len()];
        self.steps += 1;
        self.results[0].clone_from(rows);
        let depth = self.layers.len();
        for (nth, layer) in self.layers.iter().enumerate() {
            let (before, after) = self.results.split_at_mut(nth + 1);
            P::forward(layer, &self.network, &before[nth], &mut after[0]);
            if nth + 1 < depth {
                relu(&mut after[0]);
            }
        }
        let scale = 2.0 / wanted.len() as f32;
        let errors = self.results[depth].iter().zip(wanted).map(|(result, wanted)| result - wanted);
        self.by_output.clear();
        self.by_output.extend(errors.map(|error| scale * error));
        let loss = self.by_output.iter().map(|by| by * by).sum();
        for (nth, layer) in self.layers.iter().enumerate().rev() {
            P::backward(layer, &self.results[nth], &self.by_output, &mut self.gradient, &mut self.room);
            if nth > 0 {
                P::backward_inputs(layer, &self.network, &self.by_output, &mut self.by_input, &mut self.room);
                relu_back(&self.results[nth], &mut self.by_input);
                std::mem::swap(&mut self.by_output, &mut self.by_input);
            }
        }
        self.adam.step(&mut self.network, &mut self.gradient);
        loss
    }
}

#[divan::bench(args = [A, B], types = [Program, Plain])]
fn training_step<P: Products>(bencher: Bencher<'_, '_>, widths: &[usize]) {
    let mut training = Training::new(widths);
    bencher.bench_local(|| training.step::<P>());
}
