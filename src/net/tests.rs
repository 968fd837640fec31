//! Gradients against finite differences, and losses against those of PyTorch.

use super::*;

/// Linear congruential generator of the reference losses.
struct Lcg(u32);

impl Lcg {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 16_777_216.0 - 0.5
    }

    fn numbers(&mut self, count: usize, times: f32) -> Vec<f32> {
        (0..count).map(|_| self.next() * times).collect()
    }
}

/// Dense layers with ReLU between them.
struct Layers {
    layers: Vec<Dense>,
    network: Vec<f32>,
}

impl Layers {
    fn new(widths: &[usize], seed: u32) -> Layers {
        let (mut layers, mut at, mut network, mut lcg) = (Vec::new(), 0, Vec::new(), Lcg(seed));
        for pair in widths.windows(2) {
            let layer = Dense { at, inputs: pair[0], outputs: pair[1] };
            network.extend(lcg.numbers(pair[0] * pair[1], 2.0 / (pair[0] as f32).sqrt()));
            network.resize(layer.end(), 0.0);
            at = layer.end();
            layers.push(layer);
        }
        Layers { layers, network }
    }

    /// Returns the rows before each layer, and the results.
    fn forward(&self, rows: &[f32]) -> Vec<Vec<f32>> {
        let mut all = vec![rows.to_vec()];
        for (nth, layer) in self.layers.iter().enumerate() {
            let mut out = Vec::new();
            layer.forward(&self.network, &all[nth], &mut out);
            if nth + 1 < self.layers.len() {
                relu(&mut out);
            }
            all.push(out);
        }
        all
    }

    /// Returns the mean of the squared errors, its gradient, and that of the rows.
    fn loss(&self, rows: &[f32], wanted: &[f32]) -> (f64, Vec<f32>, Vec<f32>) {
        let all = self.forward(rows);
        let results = &all[self.layers.len()];
        let errors: Vec<f32> = results.iter().zip(wanted).map(|(result, wanted)| result - wanted).collect();
        let loss = errors.iter().map(|error| f64::from(error * error)).sum::<f64>() / errors.len() as f64;
        let mut gradient = vec![0.0; self.network.len()];
        let mut by_output: Vec<f32> = errors.iter().map(|error| 2.0 * error / errors.len() as f32).collect();
        let (mut by_input, mut room) = (Vec::new(), Vec::new());
        for (nth, layer) in self.layers.iter().enumerate().rev() {
            layer.backward(&all[nth], &by_output, &mut gradient, &mut room);
            layer.backward_inputs(&self.network, &by_output, &mut by_input, &mut room);
            if nth > 0 {
                relu_back(&all[nth], &mut by_input);
            }
            std::mem::swap(&mut by_output, &mut by_input);
        }
        (loss, gradient, by_output)
    }
}

/// Returns the same loss by definition, in numbers of twice the length.
fn plain_loss(net: &Layers, network: &[f64], rows: &[f64], wanted: &[f32]) -> f64 {
    let mut all: Vec<Vec<f64>> = rows.chunks(net.layers[0].inputs).map(<[f64]>::to_vec).collect();
    for (nth, layer) in net.layers.iter().enumerate() {
        let output = |row: &[f64], at: usize| {
            let weight = |input: usize| network[layer.at + input * layer.outputs + at];
            let sum: f64 = row.iter().enumerate().map(|(input, number)| number * weight(input)).sum();
            let sum = sum + network[layer.biases().start + at];
            if nth + 1 < net.layers.len() { sum.max(0.0) } else { sum }
        };
        all = all.iter().map(|row| (0..layer.outputs).map(|at| output(row, at)).collect()).collect();
    }
    let errors = all.iter().flatten().zip(wanted).map(|(result, wanted)| result - f64::from(*wanted));
    errors.map(|error| error * error).sum::<f64>() / wanted.len() as f64
}

#[test]
fn gradients_of_dense_layers_are_those_of_finite_differences() {
    for batch in [1, 5] {
        for widths in [[1, 3, 1], [3, 17, 20], [20, 33, 3], [17, 1, 33]] {
            let (mut net, mut lcg) = (Layers::new(&widths, 7), Lcg(9));
            let biases: Vec<usize> = net.layers.iter().flat_map(Dense::biases).collect();
            biases.into_iter().for_each(|at| net.network[at] = lcg.next());
            let rows = lcg.numbers(batch * widths[0], 2.0);
            let wanted = lcg.numbers(batch * widths[2], 2.0);
            let (loss, gradient, by_row) = net.loss(&rows, &wanted);
            let [mut network, mut rows] = [&net.network, &rows]
                .map(|all| -> Vec<f64> { all.iter().map(|&number| number.into()).collect() });
            assert!((plain_loss(&net, &network, &rows, &wanted) - loss).abs() < 1e-5);
            let by = 1e-6;
            for at in 0..gradient.len() + by_row.len() {
                let mut loss = |by: f64| {
                    match at.checked_sub(gradient.len()) {
                        None => network[at] += by,
                        Some(at) => rows[at] += by,
                    }
                    plain_loss(&net, &network, &rows, &wanted)
                };
                let (above, below) = (loss(by), loss(-2.0 * by));
                loss(by);
                let (expected, found) =
                    ((above - below) / (2.0 * by), gradient.iter().chain(&by_row).nth(at));
                let found = f64::from(*found.expect("a gradient"));
                assert!((found - expected).abs() < 1e-4, "{at} of {widths:?}: {found} and {expected}");
            }
        }
    }
}

#[test]
fn a_bag_is_a_dense_layer_whose_inputs_are_nearly_all_zero() {
    let (dense, bag) = (Dense { at: 3, inputs: 9, outputs: 5 }, Bag { at: 3, inputs: 9, outputs: 5 });
    let mut lcg = Lcg(4);
    let network = lcg.numbers(dense.end(), 1.0);
    let entries = [(7, 0.5), (0, -1.5), (7, 1.0)].map(|(input, value)| Entry { input, value });
    let mut row = vec![0.0; 9];
    entries.iter().for_each(|entry| row[usize::from(entry.input)] += entry.value);
    let (mut expected, mut found) = (Vec::new(), network[dense.biases()].to_vec());
    dense.forward(&network, &row, &mut expected);
    bag.forward(&network, entries, &mut found);
    let close =
        |one: &[f32], other: &[f32]| one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-6);
    assert!(close(&expected, &found), "{expected:?} {found:?}");
    let by_output = lcg.numbers(5, 1.0);
    let [mut expected, mut found] = [(); 2].map(|()| vec![0.0; network.len()]);
    dense.backward(&row, &by_output, &mut expected, &mut Vec::new());
    bag.backward(entries, &by_output, &mut found);
    assert!(close(&expected[dense.weights()], &found[dense.weights()]), "{expected:?} {found:?}");
    assert_eq!(bag.end(), dense.biases().start);
}

/// Returns the sum of each product by definition, in the order of its terms.
fn plain_product(left: &[f32], right: &[f32], inner: usize, columns: usize, out: &mut [f32]) {
    for (r, out) in out.chunks_mut(columns).enumerate() {
        for (c, out) in out.iter_mut().enumerate() {
            for k in 0..inner {
                *out += left[r * inner + k] * right[k * columns + c];
            }
        }
    }
}

#[test]
fn products_have_the_bits_of_a_plain_triple_loop() {
    let mut lcg = Lcg(11);
    for (rows, inner, columns) in
        [(1, 1, 1), (3, 17, 20), (5, 33, 3), (9, 20, 17), (32, 64, 30), (4, 0, 8), (0, 3, 3)]
    {
        let (left, right) = (lcg.numbers(rows * inner, 1.0), lcg.numbers(inner * columns, 1.0));
        let mut found = lcg.numbers(rows * columns, 1.0);
        let mut expected = found.clone();
        matrix::add_product(&left, &right, inner, columns, &mut found);
        plain_product(&left, &right, inner, columns, &mut expected);
        let bits = |all: &[f32]| all.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(&expected), "{rows} {inner} {columns}");
    }
}

#[test]
fn a_softmax_sums_to_one_however_large_its_scores() {
    for scores in [vec![0.0], vec![1.0, 2.0, 3.0], vec![-1e30, 1e30], vec![88.0; 300]] {
        let logs = log_softmax(&scores);
        let sum: f64 = logs.iter().map(|&log| f64::from(log).exp()).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{scores:?}: {sum}");
    }
}

/// Returns the loss before update `updates` of a net that learns 16 batches in turn.
fn trained(widths: &[usize], seed: u32, data: &mut Lcg, updates: usize) -> f64 {
    let (mut net, batch) = (Layers::new(widths, seed), 32);
    let (inputs, outputs) = (widths[0], widths[widths.len() - 1]);
    let rows: Vec<Vec<f32>> = (0..16).map(|_| data.numbers(batch * inputs, 2.0)).collect();
    let wanted: Vec<Vec<f32>> = (0..16).map(|_| data.numbers(batch * outputs, 2.0)).collect();
    let mut adam = Adam::new(net.network.len(), 3e-4);
    let mut last = 0.0;
    for update in 0..updates {
        let (loss, mut gradient, _) = net.loss(&rows[update % 16], &wanted[update % 16]);
        adam.step(&mut net.network, &mut gradient);
        last = loss;
    }
    last
}

#[test]
fn losses_after_200_updates_are_those_of_pytorch() {
    let mut data = Lcg(777);
    let a = trained(&[200, 64, 64, 30], 1, &mut data, 200);
    let b = trained(&[60, 64, 64, 1], 2, &mut data, 200);
    println!("{a} {b}");
    assert!((a - 0.30819).abs() < 1e-5 && (b - 0.34826).abs() < 1e-5, "{a} {b}");
}
