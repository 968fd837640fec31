//! Network of DinoDroid: a convolution over the words of an event, a layer for each of its counts, and three layers over
//! all of them, which give its worth.

use crate::net::{Conv, Dense, Pooled, Texts, glorot, tanh, tanh_back};
use crate::rng::Rng;

/// Most words of an event that are read.
pub const WORDS: usize = 6;

/// Bins of executions, and generations of pages behind an event.
pub const BINS: usize = 10;
pub const GENERATIONS: usize = 3;

/// Filters over words, outputs of the layer of a count, and widths of the layers over all.
const FILTERS: usize = 20;
const COUNT: usize = 10;
const FIRST: usize = 50;
const SECOND: usize = 30;

/// Layers for counts: one for those of the event itself, and one for each generation.
const BRANCHES: usize = 1 + GENERATIONS;

/// Layers, each with its place.
#[derive(Clone, Debug)]
pub struct Net {
    conv: Conv,
    branches: [Dense; BRANCHES],
    /// Numbers of an event that go to the layers over all as they are.
    further: usize,
    first: Dense,
    second: Dense,
    last: Dense,
}

/// Events as the network reads them. Many events may have the same text.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    texts: Texts,
    text_of: Vec<usize>,
    counts: [Vec<f32>; BRANCHES],
    further: Vec<f32>,
}

impl Batch {
    /// Forgets all events and texts.
    pub fn clear(&mut self) {
        self.texts.clear();
        self.text_of.clear();
        self.counts.iter_mut().for_each(Vec::clear);
        self.further.clear();
    }

    /// Returns the number of events.
    pub fn events(&self) -> usize {
        self.text_of.len()
    }
}

/// Results of the layers, and room for their gradients.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    pooled: Pooled,
    branches: [Vec<f32>; BRANCHES],
    joined: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
    /// Worths of the events, in order.
    pub worths: Vec<f32>,
    by_joined: Vec<f32>,
    by_first: Vec<f32>,
    by_second: Vec<f32>,
    by_part: Vec<f32>,
    room: Vec<f32>,
}

impl Net {
    /// Returns the layers for words of so many numbers, `own` inputs for the event's own count, and `further` numbers.
    pub const fn new(width: usize, own: usize, further: usize) -> Net {
        let conv = Conv { at: 0, width, words: WORDS, filters: FILTERS };
        let own = Dense { at: conv.end(), inputs: own, outputs: COUNT };
        let one = Dense { at: own.end(), inputs: BINS, outputs: COUNT };
        let two = Dense { at: one.end(), ..one };
        let three = Dense { at: two.end(), ..one };
        let joined = FILTERS + BRANCHES * COUNT + further;
        let first = Dense { at: three.end(), inputs: joined, outputs: FIRST };
        let second = Dense { at: first.end(), inputs: FIRST, outputs: SECOND };
        let last = Dense { at: second.end(), inputs: SECOND, outputs: 1 };
        Net { conv, branches: [own, one, two, three], further, first, second, last }
    }

    /// Returns the number of weights.
    pub const fn weights(&self) -> usize {
        self.last.end()
    }

    /// Returns true if words have numbers.
    pub const fn reads_words(&self) -> bool {
        self.conv.width > 0
    }

    /// Returns new weights, uniform as Glorot has them, without biases.
    pub fn drawn(&self, rng: &mut Rng) -> Vec<f32> {
        let mut network = vec![0.0; self.weights()];
        let mut draw = |range: std::ops::Range<usize>, inputs: usize, outputs: usize| {
            rng.fill(&mut network[range], glorot(inputs, outputs));
        };
        // A filter takes part in as many outputs as it sees words.
        draw(self.conv.weights(), 3 * self.conv.width, 3 * FILTERS);
        for layer in self.branches.iter().chain([&self.first, &self.second, &self.last]) {
            draw(layer.weights(), layer.inputs, layer.outputs);
        }
        network
    }

    /// Adds a word to `batch`, and returns its number.
    pub fn push_word(&self, numbers: &[f32], batch: &mut Batch) -> usize {
        self.conv.push_word(numbers, &mut batch.texts)
    }

    /// Appends a text of these words to `batch`, and returns its number.
    pub fn push_text(&self, words: impl IntoIterator<Item = usize>, batch: &mut Batch) -> usize {
        self.conv.push_text(words, &mut batch.texts);
        batch.texts.count() - 1
    }

    /// Appends an event with the text of this number.
    pub fn push_event(
        &self,
        text: usize,
        own: impl IntoIterator<Item = f32>,
        generations: [[f32; BINS]; GENERATIONS],
        further: &[f32],
        batch: &mut Batch,
    ) {
        batch.text_of.push(text);
        let [own_counts, behind @ ..] = &mut batch.counts;
        own_counts.extend(own);
        behind.iter_mut().zip(generations).for_each(|(counts, bins)| counts.extend(bins));
        batch.further.extend_from_slice(&further[..self.further]);
    }

    /// Works out the worths of the events of `batch`. The findings in the text of each event are multiplied by `dropout`,
    /// if there is one.
    pub fn forward(&self, network: &[f32], batch: &Batch, dropout: Option<&[f32]>, tape: &mut Tape) {
        self.conv.forward(network, &batch.texts, &mut tape.pooled);
        // As the tangent rises, that of the most is the most of the tangents.
        tanh(&mut tape.pooled.most);
        for ((layer, counts), out) in self.branches.iter().zip(&batch.counts).zip(&mut tape.branches) {
            layer.forward(network, counts, out);
        }
        tape.joined.clear();
        for (event, &text) in batch.text_of.iter().enumerate() {
            let start = tape.joined.len();
            tape.joined.extend_from_slice(&tape.pooled.most[text * FILTERS..][..FILTERS]);
            if let Some(dropout) = dropout {
                let kept = &dropout[event * FILTERS..][..FILTERS];
                tape.joined[start..].iter_mut().zip(kept).for_each(|(found, kept)| *found *= kept);
            }
            for out in &tape.branches {
                tape.joined.extend_from_slice(&out[event * COUNT..][..COUNT]);
            }
            tape.joined.extend_from_slice(&batch.further[event * self.further..][..self.further]);
        }
        self.first.forward(network, &tape.joined, &mut tape.first);
        tanh(&mut tape.first);
        self.second.forward(network, &tape.first, &mut tape.second);
        tanh(&mut tape.second);
        self.last.forward(network, &tape.second, &mut tape.worths);
    }

    /// Adds the gradient of the weights to `gradient`, given that of the worths of the same events.
    pub fn backward(
        &self,
        network: &[f32],
        batch: &Batch,
        dropout: Option<&[f32]>,
        by_worth: &[f32],
        gradient: &mut [f32],
        tape: &mut Tape,
    ) {
        let Tape { pooled, joined, first, second, by_joined, by_first, by_second, by_part, room, .. } = tape;
        self.last.backward(second, by_worth, gradient, room);
        self.last.backward_inputs(network, by_worth, by_second, room);
        tanh_back(second, by_second);
        self.second.backward(first, by_second, gradient, room);
        self.second.backward_inputs(network, by_second, by_first, room);
        tanh_back(first, by_first);
        self.first.backward(joined, by_first, gradient, room);
        self.first.backward_inputs(network, by_first, by_joined, room);
        let joined_width = self.first.inputs;
        for (nth, (layer, counts)) in self.branches.iter().zip(&batch.counts).enumerate() {
            by_part.clear();
            for row in by_joined.chunks_exact(joined_width) {
                by_part.extend_from_slice(&row[FILTERS + nth * COUNT..][..COUNT]);
            }
            layer.backward(counts, by_part, gradient, room);
        }
        by_part.clear();
        by_part.resize(pooled.most.len(), 0.0);
        for (event, (row, &text)) in by_joined.chunks_exact(joined_width).zip(&batch.text_of).enumerate() {
            let of_text = &mut by_part[text * FILTERS..][..FILTERS];
            for (nth, (sum, by)) in of_text.iter_mut().zip(row).enumerate() {
                *sum += by * dropout.map_or(1.0, |kept| kept[event * FILTERS + nth]);
            }
        }
        tanh_back(&pooled.most, by_part);
        self.conv.backward(&batch.texts, pooled, by_part, gradient, room);
    }

    /// Returns the number of factors that [`forward`](Net::forward) takes for each event.
    pub const fn dropouts() -> usize {
        FILTERS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Adam;

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

    /// Event of a test, in numbers.
    #[derive(Clone)]
    struct Event {
        words: Vec<Vec<f32>>,
        own: Vec<f32>,
        generations: [[f32; BINS]; GENERATIONS],
        further: Vec<f32>,
    }

    fn batch(net: &Net, events: &[Event]) -> Batch {
        let mut batch = Batch::default();
        for event in events {
            let words: Vec<usize> = event.words.iter().map(|word| net.push_word(word, &mut batch)).collect();
            let text = net.push_text(words, &mut batch);
            net.push_event(text, event.own.iter().copied(), event.generations, &event.further, &mut batch);
        }
        batch
    }

    /// Returns the mean squared error, and its gradient.
    fn loss(net: &Net, network: &[f32], batch: &Batch, wanted: &[f32]) -> (f64, Vec<f32>) {
        let mut tape = Tape::default();
        net.forward(network, batch, None, &mut tape);
        let errors: Vec<f32> = tape.worths.iter().zip(wanted).map(|(worth, wanted)| worth - wanted).collect();
        let loss = errors.iter().map(|error| f64::from(error * error)).sum::<f64>() / errors.len() as f64;
        let by_worth: Vec<f32> = errors.iter().map(|error| 2.0 * error / errors.len() as f32).collect();
        let mut gradient = vec![0.0; network.len()];
        net.backward(network, batch, None, &by_worth, &mut gradient, &mut tape);
        (loss, gradient)
    }

    /// Returns the outputs of a dense layer by definition.
    fn plain_dense(layer: &Dense, network: &[f64], row: &[f64]) -> Vec<f64> {
        let output = |at: usize| {
            let weight = |input: usize| network[layer.at + input * layer.outputs + at];
            let sum: f64 = row.iter().enumerate().map(|(input, number)| number * weight(input)).sum();
            sum + network[layer.biases().start + at]
        };
        (0..layer.outputs).map(output).collect()
    }

    /// Returns the worth of an event by definition, in numbers of twice the length: every filter at every word.
    fn plain_worth(net: &Net, network: &[f64], event: &Event) -> f64 {
        let Conv { width, filters, words: count, .. } = net.conv;
        let number = |word: isize, channel: usize| -> f64 {
            let word = usize::try_from(word).ok().and_then(|word| event.words.get(word));
            word.map_or(0.0, |word| word[channel].into())
        };
        let bias = net.conv.weights().end;
        let found = |at: isize, filter: usize| -> f64 {
            let mut sum = network[bias + filter];
            for tap in 0..3 {
                for channel in 0..width {
                    let weight = network[net.conv.at + (tap * width + channel) * filters + filter];
                    sum += weight * number(at + tap as isize - 1, channel);
                }
            }
            sum.tanh()
        };
        let most = |filter| (0..count as isize).map(|at| found(at, filter)).fold(f64::MIN, f64::max);
        let mut joined: Vec<f64> = (0..filters).map(most).collect();
        let long = |numbers: &[f32]| numbers.iter().map(|&number| number.into()).collect::<Vec<f64>>();
        let counts = std::iter::once(long(&event.own)).chain(event.generations.iter().map(|bins| long(bins)));
        for (layer, counts) in net.branches.iter().zip(counts) {
            joined.extend(plain_dense(layer, network, &counts));
        }
        joined.extend(long(&event.further));
        let first: Vec<f64> = plain_dense(&net.first, network, &joined).iter().map(|x| x.tanh()).collect();
        let second: Vec<f64> = plain_dense(&net.second, network, &first).iter().map(|x| x.tanh()).collect();
        plain_dense(&net.last, network, &second)[0]
    }

    fn event(lcg: &mut Lcg, words: usize, width: usize, own: usize, further: usize) -> Event {
        Event {
            words: (0..words).map(|_| lcg.numbers(width, 2.0)).collect(),
            own: lcg.numbers(own, 2.0),
            generations: [(); GENERATIONS].map(|()| [(); BINS].map(|()| 2.0 * lcg.next())),
            further: lcg.numbers(further, 2.0),
        }
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        for (width, own, further, words) in
            [(1, 1, 0, &[0, 1, 6][..]), (3, 10, 2, &[2]), (5, 10, 0, &[6, 5, 4, 3, 0]), (0, 10, 2, &[0, 0])]
        {
            let (net, mut lcg) = (Net::new(width, own, further), Lcg(7));
            let network = lcg.numbers(net.weights(), 1.0);
            let events: Vec<Event> =
                words.iter().map(|&count| event(&mut lcg, count, width, own, further)).collect();
            let wanted = lcg.numbers(events.len(), 2.0);
            let (found_loss, gradient) = loss(&net, &network, &batch(&net, &events), &wanted);
            let mut long: Vec<f64> = network.iter().map(|&weight| weight.into()).collect();
            let plain_loss = |network: &[f64]| {
                let errors = events
                    .iter()
                    .zip(&wanted)
                    .map(|(event, wanted)| (plain_worth(&net, network, event) - f64::from(*wanted)).powi(2));
                errors.sum::<f64>() / wanted.len() as f64
            };
            assert!((plain_loss(&long) - found_loss).abs() < 1e-5);
            let by = 1e-6;
            for at in 0..long.len() {
                let weight = long[at];
                long[at] = weight + by;
                let above = plain_loss(&long);
                long[at] = weight - by;
                let expected = (above - plain_loss(&long)) / (2.0 * by);
                long[at] = weight;
                let found = f64::from(gradient[at]);
                assert!((found - expected).abs() < 1e-4, "{at} of {width}: {found} and {expected}");
            }
        }
    }

    #[test]
    fn events_of_the_same_text_have_its_gradient_each() {
        let (net, mut lcg) = (Net::new(3, 10, 0), Lcg(5));
        let network = lcg.numbers(net.weights(), 1.0);
        let one = event(&mut lcg, 3, 3, 10, 0);
        let two = Event { words: one.words.clone(), ..event(&mut lcg, 3, 3, 10, 0) };
        let apart = batch(&net, &[one.clone(), two.clone()]);
        let mut shared = Batch::default();
        let words: Vec<usize> = one.words.iter().map(|word| net.push_word(word, &mut shared)).collect();
        let text = net.push_text(words, &mut shared);
        for event in [&one, &two] {
            net.push_event(text, event.own.iter().copied(), event.generations, &[], &mut shared);
        }
        let ((loss_apart, apart), (loss_shared, shared)) =
            (loss(&net, &network, &apart, &[1.0, 0.0]), loss(&net, &network, &shared, &[1.0, 0.0]));
        assert_eq!(loss_apart, loss_shared);
        assert!(apart.iter().zip(&shared).all(|(one, other)| (one - other).abs() < 1e-6));
    }

    #[test]
    fn the_network_has_the_weights_of_the_original() {
        assert_eq!(Net::new(400, 10, 0).weights(), 29_071);
    }

    #[test]
    fn odd_events_have_finite_worths() {
        let (net, mut rng) = (Net::new(4, 10, 1), crate::rng::Seed(1).fork("weights"));
        let network = net.drawn(&mut rng);
        let odd = |words: usize, number: f32| Event {
            words: vec![vec![number; 4]; words],
            own: vec![number; 10],
            generations: [[-number; BINS]; GENERATIONS],
            further: vec![number],
        };
        let events = [odd(0, 0.0), odd(1, 1e9), odd(9, -1e9), odd(6, 1e30)];
        let mut tape = Tape::default();
        net.forward(&network, &batch(&net, &events), None, &mut tape);
        assert!(tape.worths.iter().all(|worth| worth.is_finite()), "{:?}", tape.worths);
        net.forward(&network, &Batch::default(), None, &mut tape);
        assert!(tape.worths.is_empty());
    }

    #[test]
    fn the_loss_after_200_updates_is_that_of_pytorch() {
        let net = Net::new(400, 1, 0);
        let (mut weights, mut network) = (Lcg(3), vec![0.0; net.weights()]);
        let mut fill = |range: std::ops::Range<usize>, inputs: usize| {
            let numbers = weights.numbers(range.len(), 2.0 / (inputs as f32).sqrt());
            network[range].copy_from_slice(&numbers);
        };
        fill(net.conv.weights(), 3 * 400);
        for layer in net.branches.iter().chain([&net.first, &net.second, &net.last]) {
            fill(layer.weights(), layer.inputs);
        }
        let mut data = Lcg(777);
        // Those of the other two networks come first.
        for (inputs, outputs) in [(200, 30), (60, 1)] {
            data.numbers(16 * 32 * inputs, 2.0);
            data.numbers(16 * 32 * outputs, 2.0);
        }
        let (all, learned, words) = (30, 5, WORDS);
        let counts: Vec<[Vec<f32>; BRANCHES]> =
            (0..16).map(|_| [1, BINS, BINS, BINS].map(|inputs| data.numbers(all * inputs, 2.0))).collect();
        let texts: Vec<Vec<f32>> = (0..16).map(|_| data.numbers(all * words * 400, 1.0)).collect();
        let wanted: Vec<Vec<f32>> = (0..16).map(|_| data.numbers(learned, 2.0)).collect();
        let batches: Vec<Batch> = (0..16)
            .map(|nth| {
                let event = |at: usize| Event {
                    words: texts[nth][at * words * 400..][..words * 400]
                        .chunks(400)
                        .map(<[f32]>::to_vec)
                        .collect(),
                    own: counts[nth][0][at..=at].to_vec(),
                    generations: [1, 2, 3]
                        .map(|branch| counts[nth][branch][at * BINS..][..BINS].try_into().expect("ten bins")),
                    further: Vec::new(),
                };
                batch(&net, &(0..learned).map(event).collect::<Vec<_>>())
            })
            .collect();
        let mut adam = Adam::new(net.weights(), 1e-4);
        let mut last = 0.0;
        for update in 0..200 {
            let (found, mut gradient) = loss(&net, &network, &batches[update % 16], &wanted[update % 16]);
            adam.step(&mut network, &mut gradient);
            last = found;
        }
        println!("{last}");
        assert!((last - 0.06029).abs() < 1e-5, "{last}");
    }
}
