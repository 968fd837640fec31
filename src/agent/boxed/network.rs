//! Networks of two layers of 64 between what is observed and their outputs.

use std::ops::Range;
use std::sync::Arc;

use crate::net::{Adam, Bag, Dense, Entry, glorot, relu, relu_back};
use crate::rng::Rng;

/// Width of both layers.
const WIDTH: usize = 64;

/// Most marks that a network tells apart; marks beyond are not seen.
pub const MARKS_MAX: usize = 2_000;

/// Marks of a screen, by number.
pub type Marks = Arc<[u16]>;

/// Form of a network.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Numbers that come in beside the marks.
    pub numbers: usize,
    /// Numbers that join at the second layer.
    pub late: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// Inputs that the first layer has in the original; its first weights depend on it.
    pub inputs: usize,
    /// Greatest first weight of the outputs; without it, they are like those of other layers.
    pub last: Option<f32>,
}

impl Form {
    const fn second(&self) -> Dense {
        Dense { at: 0, inputs: WIDTH + self.late, outputs: WIDTH }
    }

    const fn last(&self) -> Dense {
        Dense { at: self.second().end(), inputs: WIDTH, outputs: self.outputs }
    }

    /// Returns the places of the biases of the first layer.
    const fn biases(&self) -> Range<usize> {
        let at = self.last().end();
        at..at + WIDTH
    }

    /// Returns the first layer: the numbers, then the marks in the order in which they were first seen.
    const fn first(&self) -> Bag {
        Bag { at: self.biases().end, inputs: self.numbers + MARKS_MAX, outputs: WIDTH }
    }

    /// Returns the number of weights of a network that knows so many marks.
    const fn weights(&self, marks: usize) -> usize {
        self.first().at + (self.numbers + marks) * WIDTH
    }

    fn entries<'a>(&self, numbers: &'a [f32], marks: &'a [u16]) -> impl Iterator<Item = Entry> + 'a {
        let numbers = (0_u16..).zip(numbers).map(|(input, &value)| Entry { input, value });
        let before = self.numbers as u16;
        numbers.chain(marks.iter().map(move |mark| Entry { input: before + mark, value: 1.0 }))
    }
}

/// Network that learns, and grows with the marks that are seen.
///
/// The weights of a mark that was never seen have no effect and no gradient, so a network of fixed size would learn the
/// same.
#[derive(Clone, Debug)]
pub struct Trained {
    pub form: Form,
    pub weights: Vec<f32>,
    pub gradient: Vec<f32>,
    adam: Adam,
    rng: Rng,
}

impl Trained {
    /// Returns a network that was trained on nothing and knows no mark.
    pub fn new(form: Form, rate: f64, mut rng: Rng) -> Trained {
        let mut weights = vec![0.0; form.weights(0)];
        let (second, last) = (form.second(), form.last());
        rng.fill(&mut weights[second.weights()], glorot(second.inputs, second.outputs));
        match form.last {
            Some(most) => rng.fill(&mut weights[last.at..last.end()], most),
            None => rng.fill(&mut weights[last.weights()], glorot(last.inputs, last.outputs)),
        }
        rng.fill(&mut weights[form.first().at..], glorot(form.inputs, WIDTH));
        let (gradient, adam) = (vec![0.0; weights.len()], Adam::new(weights.len(), rate));
        Trained { form, weights, gradient, adam, rng }
    }

    /// Grows to `marks` marks.
    pub fn grow(&mut self, marks: usize) {
        let (known, weights) = (self.weights.len(), self.form.weights(marks));
        if weights > known {
            self.weights.resize(weights, 0.0);
            self.rng.fill(&mut self.weights[known..], glorot(self.form.inputs, WIDTH));
            self.gradient.resize(weights, 0.0);
            self.adam.grow(weights);
        }
    }

    /// Moves the weights against their gradient.
    pub fn step(&mut self) {
        self.adam.step(&mut self.weights, &mut self.gradient);
    }
}

/// Copies to a target what its network has grown by.
pub fn grow_target(target: &mut Vec<f32>, network: &Trained) {
    let known = target.len();
    target.extend_from_slice(&network.weights[known..]);
}

/// Rows of inputs.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Marks of each row.
    pub marks: &'a [Marks],
    /// Numbers of all rows.
    pub numbers: &'a [f32],
    /// Late numbers of all rows.
    pub late: &'a [f32],
}

impl<'a> Rows<'a> {
    fn each(&self, form: &Form) -> impl Iterator<Item = (&'a [u16], &'a [f32])> + use<'a> {
        let (width, numbers) = (form.numbers, self.numbers);
        let of = move |nth: usize| &numbers[nth * width..(nth + 1) * width];
        self.marks.iter().enumerate().map(move |(nth, marks)| (&**marks, of(nth)))
    }
}

/// Results of the layers, and room for their gradients.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    /// Results of the first layer, each row with its late numbers.
    first: Vec<f32>,
    second: Vec<f32>,
    /// Outputs, row by row.
    pub outputs: Vec<f32>,
    by_first: Vec<f32>,
    by_second: Vec<f32>,
    room: Vec<f32>,
}

impl Tape {
    /// Works the outputs of some rows out.
    pub fn forward(&mut self, form: &Form, network: &[f32], rows: Rows<'_>) {
        let (bag, biases) = (form.first(), &network[form.biases()]);
        self.first.clear();
        let mut late = rows.late.chunks_exact(form.late.max(1));
        for (marks, numbers) in rows.each(form) {
            let start = self.first.len();
            self.first.extend_from_slice(biases);
            let row = &mut self.first[start..];
            bag.forward(network, form.entries(numbers, marks), row);
            relu(row);
            self.first.extend_from_slice(late.next().unwrap_or_default());
        }
        form.second().forward(network, &self.first, &mut self.second);
        relu(&mut self.second);
        form.last().forward(network, &self.second, &mut self.outputs);
    }

    /// Works the gradient of the results of the first layer out, given that of the outputs.
    fn back_to_first(&mut self, form: &Form, network: &[f32], by_output: &[f32]) {
        form.last().backward_inputs(network, by_output, &mut self.by_second, &mut self.room);
        relu_back(&self.second, &mut self.by_second);
        form.second().backward_inputs(network, &self.by_second, &mut self.by_first, &mut self.room);
        let width = WIDTH + form.late;
        for (row, by_row) in self.first.chunks_exact(width).zip(self.by_first.chunks_exact_mut(width)) {
            relu_back(&row[..WIDTH], &mut by_row[..WIDTH]);
        }
    }

    /// Adds the gradient of the weights, given that of the outputs of the same rows.
    pub fn backward(&mut self, network: &mut Trained, rows: Rows<'_>, by_output: &[f32]) {
        let Trained { form, weights, gradient, .. } = network;
        self.back_to_first(form, weights, by_output);
        form.last().backward(&self.second, by_output, gradient, &mut self.room);
        form.second().backward(&self.first, &self.by_second, gradient, &mut self.room);
        let bag = form.first();
        for ((marks, numbers), by_row) in rows.each(form).zip(self.by_first.chunks_exact(WIDTH + form.late)) {
            let by_row = &by_row[..WIDTH];
            gradient[form.biases()].iter_mut().zip(by_row).for_each(|(bias, by_row)| *bias += by_row);
            bag.backward(form.entries(numbers, marks), by_row, gradient);
        }
    }

    /// Returns the gradient of the last `count` numbers of each row, or of the late ones, given that of the outputs.
    pub fn backward_numbers(
        &mut self,
        form: &Form,
        network: &[f32],
        by_output: &[f32],
        count: usize,
    ) -> Vec<f32> {
        self.back_to_first(form, network, by_output);
        let mut found = Vec::with_capacity(by_output.len() * count);
        for by_row in self.by_first.chunks_exact(WIDTH + form.late) {
            let (by_row, by_late) = by_row.split_at(WIDTH);
            if form.late > 0 {
                found.extend_from_slice(by_late);
                continue;
            }
            for number in form.numbers - count..form.numbers {
                let start = form.first().at + number * WIDTH;
                let weights = &network[start..start + WIDTH];
                found.push(weights.iter().zip(by_row).map(|(weight, by)| weight * by).sum());
            }
        }
        found
    }
}
