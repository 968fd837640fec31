//! Memory of steps, and batches drawn from it.

use super::network::Marks;
use crate::rng::Rng;

/// Most numbers of an action.
pub const DIMENSIONS_MAX: usize = 3;

/// Screen as a network observes it.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Marks of the screen.
    pub marks: Marks,
    /// Share of the episode that is left.
    pub time: f32,
}

/// Step that is remembered.
#[derive(Clone, Debug)]
pub struct Memory {
    pub from: Observed,
    /// Numbers of the action, each from -1 to 1.
    pub action: [f32; DIMENSIONS_MAX],
    pub reward: f32,
    pub to: Observed,
    /// True if nothing follows.
    pub is_terminal: bool,
}

/// Replay buffer.
#[derive(Clone, Debug)]
pub struct Replay {
    memories: Vec<Memory>,
    /// Most memories.
    most: usize,
    /// Place of the memory that is replaced next, once there is no more room.
    oldest: usize,
    rng: Rng,
}

impl Replay {
    /// Returns an empty buffer with room for `most` steps.
    pub fn new(most: usize, rng: Rng) -> Replay {
        Replay { memories: Vec::new(), most: most.max(1), oldest: 0, rng }
    }

    /// Remembers a step; of many, the oldest is forgotten.
    pub fn remember(&mut self, memory: Memory) {
        if self.memories.len() < self.most {
            self.memories.push(memory);
        } else {
            self.memories[self.oldest] = memory;
            self.oldest = (self.oldest + 1) % self.most;
        }
    }

    /// Draws steps, with repeats; none if there are fewer in the buffer.
    pub fn draw(&mut self, count: usize, space: Space) -> Option<Batch> {
        if self.memories.len() < count {
            return None;
        }
        let mut batch = Batch::default();
        for _ in 0..count {
            let memory = &self.memories[self.rng.below(self.memories.len())];
            batch.from.push(&memory.from, space);
            batch.actions.extend_from_slice(&memory.action[..space.dimensions]);
            batch.rewards.push(memory.reward);
            batch.to.push(&memory.to, space);
            batch.goes_on.push(if memory.is_terminal { 0.0 } else { 1.0 });
        }
        Some(batch)
    }

    /// Returns the steps that are remembered.
    #[cfg(test)]
    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }
}

/// Space of observations and actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// True if the time left is observed.
    pub is_timed: bool,
    /// Numbers of an action.
    pub dimensions: usize,
    /// Length of the vector of marks in the original.
    pub marks: usize,
}

impl Space {
    /// Returns the numbers that a network observes beside marks.
    pub fn numbers(&self) -> usize {
        usize::from(self.is_timed)
    }
}

/// Observations of a batch.
#[derive(Clone, Debug, Default)]
pub struct States {
    pub marks: Vec<Marks>,
    /// Share of the episode that is left, if it is observed.
    pub times: Vec<f32>,
}

impl States {
    /// Appends an observation.
    pub fn push(&mut self, observed: &Observed, space: Space) {
        self.marks.push(observed.marks.clone());
        if space.is_timed {
            self.times.push(observed.time);
        }
    }

    /// Returns the numbers of each row, with those of its action behind.
    pub fn with(&self, actions: &[f32], dimensions: usize) -> Vec<f32> {
        if self.times.is_empty() {
            return actions.to_vec();
        }
        let rows = self.times.iter().zip(actions.chunks_exact(dimensions));
        rows.flat_map(|(time, action)| std::iter::once(*time).chain(action.iter().copied())).collect()
    }
}

/// Steps that an update learns from.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub from: States,
    pub actions: Vec<f32>,
    pub rewards: Vec<f32>,
    pub to: States,
    /// 1 for each step that something follows, else 0.
    pub goes_on: Vec<f32>,
}

impl Batch {
    /// Returns the wanted worth of each action, given that of what follows.
    pub fn wanted(&self, ahead: &[f32], discount: f32) -> Vec<f32> {
        let each = self.rewards.iter().zip(&self.goes_on).zip(ahead);
        each.map(|((reward, goes_on), ahead)| reward + goes_on * discount * ahead).collect()
    }
}
