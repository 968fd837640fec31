//! Convolution over the words of texts, and the most that each of its filters finds in a text.

use std::ops::Range;

use super::Dense;

/// Words that a filter sees at a time: one, and its two neighbours.
const SEEN: usize = 3;

/// Filters over texts of at most `words` words; a shorter text ends in words of zeros.
///
/// As there are zeros around a text too, a filter sees each of the words in the middle once. The weights of a filter lie
/// word by word, then number by number of the word.
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

/// Windows of some texts: what the filters see, row by row.
#[derive(Clone, Debug, Default)]
pub struct Windows {
    numbers: Vec<f32>,
    /// Rows of each text.
    of_text: Vec<Range<usize>>,
}

impl Windows {
    /// Forgets all texts.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.of_text.clear();
    }

    /// Returns the number of texts.
    pub fn texts(&self) -> usize {
        self.of_text.len()
    }
}

/// Findings of the filters: the most in each text, and the window where it was.
#[derive(Clone, Debug, Default)]
pub struct Pooled {
    /// Findings, text by text.
    pub most: Vec<f32>,
    at: Vec<u32>,
    each: Vec<f32>,
    by_each: Vec<f32>,
}

impl Conv {
    /// Returns the layer that gives the findings in a window.
    const fn dense(&self) -> Dense {
        Dense { at: self.at, inputs: SEEN * self.width, outputs: self.filters }
    }

    /// Returns the place behind its last bias, where the next layer begins.
    pub const fn end(&self) -> usize {
        self.dense().end()
    }

    /// Returns the places of its weights.
    pub const fn weights(&self) -> Range<usize> {
        self.dense().weights()
    }

    /// Appends a text to `windows`; words beyond those that the filters take are left out.
    pub fn push_text<'a>(&self, text: impl IntoIterator<Item = &'a [f32]>, windows: &mut Windows) {
        let words: Vec<&[f32]> = text.into_iter().take(self.words).collect();
        // Where a filter sees zeros alone it finds the same everywhere, so one such window stands for all.
        let count = if words.is_empty() { 1 } else { (words.len() + 2).min(self.words) };
        let first = windows.numbers.len() / (SEEN * self.width);
        for at in 0..count {
            for word in at..at + SEEN {
                let start = windows.numbers.len();
                match word.checked_sub(1).and_then(|word| words.get(word)) {
                    Some(word) => windows.numbers.extend_from_slice(word),
                    None => windows.numbers.resize(start + self.width, 0.0),
                }
            }
        }
        windows.of_text.push(first..first + count);
    }

    /// Writes the most that each filter finds in each of the texts of `windows` to `pooled`.
    pub fn forward(&self, network: &[f32], windows: &Windows, pooled: &mut Pooled) {
        self.dense().forward(network, &windows.numbers, &mut pooled.each);
        pooled.most.clear();
        pooled.at.clear();
        for rows in &windows.of_text {
            let start = pooled.most.len();
            pooled.most.extend_from_slice(&pooled.each[rows.start * self.filters..][..self.filters]);
            pooled.at.resize(start + self.filters, rows.start as u32);
            for row in rows.clone().skip(1) {
                let found = &pooled.each[row * self.filters..][..self.filters];
                let most = pooled.most[start..].iter_mut().zip(&mut pooled.at[start..]);
                for ((most, at), found) in most.zip(found) {
                    if *found > *most {
                        (*most, *at) = (*found, row as u32);
                    }
                }
            }
        }
    }

    /// Adds the gradient of its weights to `gradient`, which lies as the network does, given that of its findings.
    pub fn backward(
        &self,
        windows: &Windows,
        pooled: &mut Pooled,
        by_most: &[f32],
        gradient: &mut [f32],
        room: &mut Vec<f32>,
    ) {
        pooled.by_each.clear();
        pooled.by_each.resize(pooled.each.len(), 0.0);
        for (nth, (by_most, at)) in by_most.iter().zip(&pooled.at).enumerate() {
            pooled.by_each[*at as usize * self.filters + nth % self.filters] = *by_most;
        }
        self.dense().backward(&windows.numbers, &pooled.by_each, gradient, room);
    }
}
