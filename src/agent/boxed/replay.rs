//! Memory of steps, and batches drawn from it.

use super::network::{Form, Marks, Rows};
use crate::agent::latest::Latest;
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
    memories: Latest<Memory>,
    rng: Rng,
}

impl Replay {
    /// Returns an empty buffer with room for `most` steps.
    pub fn new(most: usize, rng: Rng) -> Replay {
        Replay { memories: Latest::new(most), rng }
    }

    /// Remembers a step; of many, the oldest is forgotten.
    pub fn remember(&mut self, memory: Memory) {
        self.memories.push(memory);
    }

    /// Draws steps, with repeats; none if there are fewer in the buffer.
    pub fn draw(&mut self, count: usize, space: Space) -> Option<Batch> {
        let memories = self.memories.all();
        if memories.len() < count {
            return None;
        }
        let mut batch = Batch::default();
        for _ in 0..count {
            let memory = &memories[self.rng.below(memories.len())];
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
        self.memories.all()
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
    /// Returns the form of a network that reads so many numbers of actions beside what is observed.
    pub fn form(self, actions: usize, outputs: usize) -> Form {
        let numbers = self.numbers() + actions;
        Form { numbers, late: 0, outputs, inputs: self.marks + numbers, last: None }
    }

    /// Returns the numbers that a network observes beside marks.
    pub fn numbers(&self) -> usize {
        usize::from(self.is_timed)
    }
}

/// Observations as inputs of a network.
#[derive(Clone, Debug, Default)]
pub struct Observations {
    pub marks: Vec<Marks>,
    /// Share of the episode that is left, if it is observed.
    pub times: Vec<f32>,
}

impl Observations {
    /// Returns the only observation.
    pub fn one(observed: &Observed, space: Space) -> Observations {
        let mut one = Observations::default();
        one.push(observed, space);
        one
    }

    fn push(&mut self, observed: &Observed, space: Space) {
        self.marks.push(observed.marks.clone());
        if space.is_timed {
            self.times.push(observed.time);
        }
    }

    /// Returns the rows of a network that reads nothing else.
    pub fn rows(&self) -> Rows<'_> {
        Rows { marks: &self.marks, numbers: &self.times, late: &[] }
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

/// Observations of a batch, each also once: what depends on nothing else is worked out once for all that are equal.
#[derive(Clone, Debug, Default)]
pub struct States {
    pub all: Observations,
    /// Those that differ.
    pub distinct: Observations,
    /// Place of each among those that differ.
    places: Vec<usize>,
}

impl States {
    /// Appends an observation.
    pub fn push(&mut self, observed: &Observed, space: Space) {
        self.all.push(observed, space);
        let Observations { marks, times } = &self.distinct;
        let is_equal = |at: &usize| {
            times.get(*at).is_none_or(|time| *time == observed.time) && marks[*at] == observed.marks
        };
        let known = (0..marks.len()).find(is_equal);
        self.places.push(known.unwrap_or(marks.len()));
        if known.is_none() {
            self.distinct.push(observed, space);
        }
    }

    /// Returns the numbers of all, given those of the ones that differ, `width` each.
    pub fn spread(&self, numbers: &[f32], width: usize) -> Vec<f32> {
        self.places.iter().flat_map(|at| &numbers[at * width..(at + 1) * width]).copied().collect()
    }

    /// Returns the sums of the numbers of those that are equal, given those of all, `width` each.
    pub fn gathered(&self, numbers: &[f32], width: usize) -> Vec<f32> {
        let mut sums = vec![0.0; self.distinct.marks.len() * width];
        for (at, numbers) in self.places.iter().zip(numbers.chunks_exact(width)) {
            let sums = &mut sums[at * width..(at + 1) * width];
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
        sums
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
