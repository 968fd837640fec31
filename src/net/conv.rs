//! Convolution over the words of texts, and the most that each of its filters finds in a text.

use std::ops::Range;

use super::matrix::{add_product, transpose};

/// Words that a filter sees at a time: one, and its two neighbours.
const SEEN: usize = 3;

/// Filters over texts of at most `words` words; a shorter text ends in words of zeros.
///
/// As there are zeros around a text too, a filter sees each of its words in the middle once. The weights of the filters lie
/// by the place of a word (before, in the middle, behind), then number by number of the word, and their biases last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conv {
    /// Place of the first weight among those of the network.
    pub at: usize,
    /// Numbers of a word.
    pub width: usize,
    /// Number of words of a text.
    pub words: usize,
    /// Number of filters.
    pub filters: usize,
}

/// Some texts, and the words that they are made of.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// Numbers of the words, each once.
    words: Vec<f32>,
    /// Words of the texts, one after the other, and the end of each text.
    places: Vec<usize>,
    ends: Vec<usize>,
}

impl Texts {
    /// Forgets all texts and words.
    pub fn clear(&mut self) {
        self.words.clear();
        self.places.clear();
        self.ends.clear();
    }

    /// Returns the number of texts.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Returns the words of each text.
    fn all(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.places[start..end])
    }
}

/// Findings of the filters: the most in each text, and the place where it was.
#[derive(Clone, Debug, Default)]
pub struct Pooled {
    /// Findings, text by text.
    pub most: Vec<f32>,
    at: Vec<usize>,
    /// Part of each word in what a filter finds, by the place of the word.
    parts: [Vec<f32>; SEEN],
    by_parts: [Vec<f32>; SEEN],
}

impl Conv {
    /// Returns the places of its weights.
    pub const fn weights(&self) -> Range<usize> {
        self.at..self.at + SEEN * self.width * self.filters
    }

    /// Returns the place behind its last bias, where the next layer begins.
    pub const fn end(&self) -> usize {
        self.biases().end
    }

    /// Returns the places of its biases.
    pub const fn biases(&self) -> Range<usize> {
        let start = self.weights().end;
        start..start + self.filters
    }

    /// Returns the places of the weights for words at a place that a filter sees.
    const fn weights_at(&self, place: usize) -> Range<usize> {
        let count = self.width * self.filters;
        self.at + place * count..self.at + (place + 1) * count
    }

    /// Adds a word to those that texts are made of, and returns its place. Words must have numbers.
    pub fn push_word(&self, numbers: &[f32], texts: &mut Texts) -> usize {
        texts.words.extend_from_slice(&numbers[..self.width]);
        self.count(texts) - 1
    }

    /// Returns the number of words that texts are made of, which is none where a word has no numbers.
    fn count(&self, texts: &Texts) -> usize {
        texts.words.len().checked_div(self.width).unwrap_or(0)
    }

    /// Appends a text of these words; those beyond what the filters take are left out.
    pub fn push_text(&self, words: impl IntoIterator<Item = usize>, texts: &mut Texts) {
        texts.places.extend(words.into_iter().take(self.words));
        texts.ends.push(texts.places.len());
    }

    /// Returns the number of places of a text where its filters may find different things: beyond it they see zeros alone.
    fn places(&self, text: &[usize]) -> usize {
        if text.is_empty() { 1 } else { (text.len() + 2).min(self.words) }
    }

    /// Writes the most that each filter finds in each of the texts to `pooled`.
    pub fn forward(&self, network: &[f32], texts: &Texts, pooled: &mut Pooled) {
        let Pooled { most, at, parts, .. } = pooled;
        for (place, parts) in parts.iter_mut().enumerate() {
            parts.clear();
            parts.resize(self.count(texts) * self.filters, 0.0);
            let weights = &network[self.weights_at(place)];
            add_product(&texts.words, weights, self.width, self.filters, parts);
        }
        most.clear();
        at.clear();
        let biases = &network[self.biases()];
        let mut found = vec![0.0; self.filters];
        for text in texts.all() {
            let start = most.len();
            for middle in 0..self.places(text) {
                found.copy_from_slice(biases);
                for (word, place) in seen(text, middle) {
                    let part = &parts[place][word * self.filters..][..self.filters];
                    found.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
                }
                if middle == 0 {
                    most.extend_from_slice(&found);
                    at.resize(start + self.filters, 0);
                    continue;
                }
                let best = most[start..].iter_mut().zip(&mut at[start..]);
                for ((most, at), found) in best.zip(&found) {
                    if *found > *most {
                        (*most, *at) = (*found, middle);
                    }
                }
            }
        }
    }

    /// Adds the gradient of its weights to `gradient`, which lies as the network does, given that of its findings.
    pub fn backward(
        &self,
        texts: &Texts,
        pooled: &mut Pooled,
        by_most: &[f32],
        gradient: &mut [f32],
        room: &mut Vec<f32>,
    ) {
        let Pooled { at, parts, by_parts, .. } = pooled;
        for (by_part, part) in by_parts.iter_mut().zip(parts) {
            by_part.clear();
            by_part.resize(part.len(), 0.0);
        }
        let of_texts = by_most.chunks_exact(self.filters).zip(at.chunks_exact(self.filters));
        for (text, (by_most, at)) in texts.all().zip(of_texts) {
            for (filter, (by_most, &middle)) in by_most.iter().zip(at).enumerate() {
                gradient[self.biases().start + filter] += by_most;
                for (word, place) in seen(text, middle) {
                    by_parts[place][word * self.filters + filter] += by_most;
                }
            }
        }
        transpose(&texts.words, self.width, room);
        let count = self.count(texts);
        for (place, by_part) in by_parts.iter().enumerate() {
            add_product(room, by_part, count, self.filters, &mut gradient[self.weights_at(place)]);
        }
    }
}

/// Returns the words that a filter sees of a text, each with its place.
fn seen(text: &[usize], middle: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..SEEN).filter_map(move |place| {
        let at = (middle + place).checked_sub(1)?;
        text.get(at).map(|&word| (word, place))
    })
}
