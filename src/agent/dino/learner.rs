//! Network that learns the worths of events, and the steps that it learns from.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::graph::Generation;
use super::kept::Weights;
use super::net::{BINS, Batch, GENERATIONS, Net, Tape};
use super::words::{Text, Vectors};
use super::{DinoSettings, Variant};
use crate::agent::latest::Latest;
use crate::net::Adam;
use crate::rng::{Rng, Seed};
use crate::situation::Learning;

/// Most steps that are remembered: some 25 MB where each has 30 events behind it.
const SAMPLES_MAX: usize = 4_000;

/// Inputs of the event's own count.
const OWN: usize = 10;

/// Further numbers of an event, none of them in DinoDroid.
pub const FURTHER: usize = 19;

/// Reward that the greatest one of the run so far counts as: that of DinoDroid.
const REWARD: f64 = 5.0;

/// Range of worths that the network is taught.
const WORTHS: (f64, f64) = (-15.0, 30.0);

/// Steps of a batch whose reward is positive, the newest step aside.
const GOOD_MAX: usize = 2;

/// Event, as the network reads it.
#[derive(Clone, Debug)]
pub struct Row {
    /// Words.
    pub text: Arc<Text>,
    /// Times that it was done.
    pub times: u32,
    /// Events behind it by how often they were done.
    pub ahead: [Generation; GENERATIONS],
    /// Further numbers.
    pub further: [f32; FURTHER],
}

/// Step that is remembered.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Event that was done.
    pub row: Row,
    /// Number of events of the page.
    pub events: usize,
    /// Reward, as the objective pays it.
    pub reward: f64,
    /// Events of the next page; none where the run was over.
    pub next: Option<Arc<[Row]>>,
}

/// All that learns.
#[derive(Clone, Debug)]
pub struct Learner {
    settings: DinoSettings,
    variant: Variant,
    net: Net,
    network: Vec<f32>,
    gradient: Vec<f32>,
    adam: Adam,
    /// Network that tells the worth of what comes next, copied now and then.
    target: Vec<f32>,
    learning: Learning,
    samples: Latest<Sample>,
    /// Greatest reward so far, if any was positive.
    most: f64,
    rng: Rng,
    reader: Reader,
    tape: Tape,
}

/// Reader of rows into batches.
#[derive(Clone, Debug)]
struct Reader {
    variant: Variant,
    vectors: Vectors,
    batch: Batch,
    text_of: FxHashMap<u64, usize>,
    word_of: FxHashMap<u64, usize>,
}

impl Reader {
    fn read<'a>(&mut self, net: &Net, rows: impl IntoIterator<Item = &'a Row>) {
        self.batch.clear();
        self.text_of.clear();
        self.word_of.clear();
        for row in rows {
            let text = match self.text_of.get(&row.text.hash) {
                Some(&text) => text,
                None => {
                    let text = self.read_text(net, &row.text);
                    self.text_of.insert(row.text.hash, text);
                    text
                }
            };
            let (own, ahead) = self.variant.counts(row);
            net.push_event(text, own, ahead, &row.further, &mut self.batch);
        }
    }

    /// Adds a text, with those of its words that no other had, and returns its number.
    fn read_text(&mut self, net: &Net, text: &Text) -> usize {
        let Reader { vectors, batch, word_of, .. } = self;
        // Where a word has no numbers, a text says nothing.
        let read = if net.reads_words() { &*text.words } else { &[] };
        let words = read
            .iter()
            .map(|word| *word_of.entry(word.hash).or_insert_with(|| net.push_word(&vectors.of(word), batch)));
        let words: Vec<usize> = words.collect();
        net.push_text(words, batch)
    }
}

impl Variant {
    /// Returns the inputs for the counts of an event.
    fn counts(self, row: &Row) -> ([f32; OWN], [[f32; BINS]; GENERATIONS]) {
        match self {
            Variant::Letter => {
                ([row.times as f32; OWN], row.ahead.map(|bins| bins.map(|count| -f32::from(count))))
            }
            Variant::Quick => {
                let more_than = |times: usize| f32::from(u8::from(row.times as usize > times));
                let logarithm = |count: u8| libm::logf(1.0 + f32::from(count)) / 2.0;
                (std::array::from_fn(more_than), row.ahead.map(|bins| bins.map(logarithm)))
            }
        }
    }
}

impl Learner {
    /// Returns a network that was trained on nothing.
    pub fn new(settings: &DinoSettings, variant: Variant, seed: Seed) -> Learner {
        let net = net(settings, variant);
        let network = net.drawn(&mut seed.fork("weights"));
        Learner {
            settings: *settings,
            variant,
            gradient: vec![0.0; net.weights()],
            adam: Adam::new(net.weights(), settings.rate),
            target: network.clone(),
            network,
            net,
            learning: Learning::default(),
            samples: Latest::new(SAMPLES_MAX),
            most: 0.0,
            rng: seed.fork("replay"),
            reader: Reader {
                variant,
                vectors: Vectors::new(settings.width as usize),
                batch: Batch::default(),
                text_of: FxHashMap::default(),
                word_of: FxHashMap::default(),
            },
            tape: Tape::default(),
        }
    }

    /// Returns the worths of some events.
    pub fn worths<'a>(&mut self, rows: impl IntoIterator<Item = &'a Row>) -> &[f32] {
        self.reader.read(&self.net, rows);
        self.net.forward(&self.network, &self.reader.batch, None, &mut self.tape);
        &self.tape.worths
    }

    /// Takes over weights of the same shape.
    pub fn start_from(&mut self, kept: &Weights) {
        self.network.copy_from_slice(&kept.network);
        self.target.copy_from_slice(&kept.network);
        self.most = kept.most;
    }

    /// Returns the weights.
    pub fn weights(&self) -> Weights {
        Weights { network: self.network.clone(), most: self.most }
    }

    /// Returns how the network learns.
    pub fn learning(&self) -> Learning {
        self.learning
    }

    /// Forgets all steps.
    pub fn forget(&mut self) {
        self.samples.clear();
    }

    /// Remembers a new step, and learns from steps if it is time; of many, the oldest is forgotten.
    pub fn learn(&mut self, sample: Sample, is_time: bool) {
        self.most = self.most.max(sample.reward);
        if !is_time {
            return self.samples.push(sample);
        }
        match self.variant {
            Variant::Letter => {
                let drawn = self.drawn_alike(&sample);
                let samples: Vec<Sample> = std::iter::once(sample.clone())
                    .chain(drawn.iter().map(|&at| self.samples.all()[at].clone()))
                    .collect();
                self.samples.push(sample);
                self.fit(&samples);
            }
            Variant::Quick => {
                self.samples.push(sample.clone());
                let batch = self.settings.batch as usize;
                let all = self.samples.all();
                if all.len() >= batch {
                    let mut samples = vec![sample];
                    while samples.len() < batch {
                        samples.push(all[self.rng.below(all.len())].clone());
                    }
                    self.fit(&samples);
                }
            }
        }
    }

    /// Returns the places of some steps from pages with as many events as that of `newest`: a few with a positive reward,
    /// and others.
    fn drawn_alike(&mut self, newest: &Sample) -> Vec<usize> {
        let (mut good, mut others) = (Vec::new(), Vec::new());
        for (at, sample) in
            self.samples.all().iter().enumerate().filter(|(_, one)| one.events == newest.events)
        {
            if sample.reward > 0.0 { good.push(at) } else { others.push(at) }
        }
        let room = (self.settings.batch as usize).saturating_sub(1);
        draw(&mut good, GOOD_MAX.min(room), &mut self.rng);
        draw(&mut others, room - good.len(), &mut self.rng);
        good.extend(others);
        good
    }

    /// Returns the worths that the network is taught of these steps.
    fn wanted(&mut self, samples: &[Sample]) -> Vec<f32> {
        let next = || samples.iter().filter_map(|sample| sample.next.as_deref());
        let counts: Vec<usize> = next().map(<[Row]>::len).collect();
        let worths = self.worths(next().flatten()).to_vec();
        let mut ahead = Vec::with_capacity(counts.len());
        let mut start = 0;
        for count in counts {
            ahead.push(start + first_best(&worths[start..start + count]));
            start += count;
        }
        let ahead: Vec<f32> = match self.settings.copy {
            0 => ahead.into_iter().map(|at| worths[at]).collect(),
            // The one network says which event is the best, and the other what it is worth.
            _ => {
                let rows: Vec<&Row> = next().flatten().collect();
                self.reader.read(&self.net, ahead.into_iter().map(|at| rows[at]));
                self.net.forward(&self.target, &self.reader.batch, None, &mut self.tape);
                self.tape.worths.clone()
            }
        };
        let scale = if self.most > 0.0 { REWARD / self.most } else { 1.0 };
        let mut ahead = ahead.into_iter();
        let wanted = |sample: &Sample| {
            let ahead = sample.next.as_ref().and_then(|_| ahead.next()).map_or(0.0, f64::from);
            (sample.reward * scale + self.settings.discount * ahead).clamp(WORTHS.0, WORTHS.1) as f32
        };
        samples.iter().map(wanted).collect()
    }

    /// Moves the network towards what is wanted of these steps.
    fn fit(&mut self, samples: &[Sample]) {
        let wanted = self.wanted(samples);
        self.reader.read(&self.net, samples.iter().map(|sample| &sample.row));
        let count = self.reader.batch.events();
        let (mut kept, mut first_errors) = (Vec::new(), Vec::new());
        for epoch in 0..self.settings.epochs {
            let share = 1.0 - self.settings.dropout;
            if share < 1.0 {
                kept.clear();
                kept.extend(
                    (0..count * Net::dropouts())
                        .map(|_| if self.rng.unit() < share { (1.0 / share) as f32 } else { 0.0 }),
                );
            }
            let dropout = (share < 1.0).then_some(&kept[..]);
            self.net.forward(&self.network, &self.reader.batch, dropout, &mut self.tape);
            let huber = self.settings.huber as f32;
            let errors: Vec<f32> =
                self.tape.worths.iter().zip(&wanted).map(|(worth, wanted)| worth - wanted).collect();
            let by_error = |error: &f32| 2.0 * error.clamp(-huber, huber) / count as f32;
            let by_worth: Vec<f32> = errors.iter().map(by_error).collect();
            if epoch == 0 {
                first_errors = errors;
            }
            let Learner { net, network, gradient, reader, tape, .. } = self;
            net.backward(network, &reader.batch, dropout, &by_worth, gradient, tape);
            self.adam.step(&mut self.network, &mut self.gradient);
        }
        let loss = mean(first_errors.iter().map(|error| f64::from(error * error)));
        self.learning.add_update(loss);
        if self.settings.copy > 0 && self.learning.updates.is_multiple_of(self.settings.copy.into()) {
            self.target.copy_from_slice(&self.network);
        }
    }

    /// Returns the number of steps that are remembered.
    #[cfg(test)]
    pub fn samples(&self) -> usize {
        self.samples.all().len()
    }

    /// Returns, for each step that is remembered, whether the run was over with it.
    #[cfg(test)]
    pub fn ends(&self) -> Vec<bool> {
        self.samples.all().iter().map(|sample| sample.next.is_none()).collect()
    }

    /// Returns true if all weights are finite.
    #[cfg(test)]
    pub fn is_finite(&self) -> bool {
        self.network.iter().all(|weight| weight.is_finite())
    }
}

/// Returns the network of a variant.
pub fn net(settings: &DinoSettings, variant: Variant) -> Net {
    let further = match variant {
        Variant::Letter => 0,
        Variant::Quick => FURTHER,
    };
    Net::new(settings.width as usize, OWN, further)
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len().max(1) as f64;
    numbers.sum::<f64>() / count
}

/// Keeps at most `count` of the places, each as likely.
fn draw(places: &mut Vec<usize>, count: usize, rng: &mut Rng) {
    rng.draw_to_front(places, count);
    places.truncate(count);
}

/// Returns the place of the greatest number, the first of several; 0 of none.
pub fn first_best(numbers: &[f32]) -> usize {
    let mut best = 0;
    for (at, number) in numbers.iter().enumerate() {
        if *number > numbers[best] {
            best = at;
        }
    }
    best
}
