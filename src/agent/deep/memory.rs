//! Steps that are remembered, for networks to learn from more than once.

use std::sync::Arc;

use super::rows::List;
use crate::rng::Rng;

/// Most steps that are remembered: some 20 MB where each has 30 offers.
const MEMORY_MAX: usize = 4_000;

/// Step that is remembered.
#[derive(Clone, Debug)]
pub struct Memory {
    pub list: Arc<List>,
    /// Row of the choice.
    pub row: usize,
    pub reward: f64,
    pub after: After,
}

/// Continuation of a step.
#[derive(Clone, Debug)]
pub enum After {
    /// The next choice.
    Choice(Arc<List>),
    /// None.
    End,
}

/// Steps, the oldest of which are forgotten.
#[derive(Clone, Debug, Default)]
pub struct Memories {
    all: Vec<Memory>,
    /// Place of the memory that is replaced next, once there is no more room.
    oldest: usize,
}

impl Memories {
    /// Remembers a step.
    pub fn push(&mut self, memory: Memory) {
        if self.all.len() < MEMORY_MAX {
            self.all.push(memory);
        } else {
            self.all[self.oldest] = memory;
            self.oldest = (self.oldest + 1) % MEMORY_MAX;
        }
    }

    /// Draws so many of them, each as likely; none if there are fewer.
    pub fn draw(&self, count: usize, rng: &mut Rng) -> Option<Vec<Memory>> {
        let mut one = || self.all[rng.below(self.all.len())].clone();
        (self.all.len() >= count).then(|| (0..count).map(|_| one()).collect())
    }

    /// Returns all of them.
    #[cfg(test)]
    pub fn all(&self) -> &[Memory] {
        &self.all
    }
}
