//! Deep agents of ARES and FATE to the letter: networks that emit the numbers of a box, a widget, a text, and with ARES a
//! way to touch it.
//!
//! [`numbered`](super::numbered) says what a number means; a number beyond what the screen offers means nothing. A network
//! observes a screen as a vector of marks. With ARES these are its activity and its widgets, in the order in which they
//! were first seen, up to 2,000, and the share of the episode that is left; with FATE its activity and a block for it, one
//! mark a widget. FATE knows all activities beforehand; here a mark gets its input when it is first seen, and a network
//! learns the same. Rewards are made smaller by a factor; the originals learn them as they are.

mod deterministic;
#[cfg(test)]
mod gradients;
mod learner;
mod network;
mod replay;
mod sac;
mod settings;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::learner::{Kind, Learner, Schedule};
use self::network::{MARKS_MAX, Marks};
use self::replay::{DIMENSIONS_MAX, Memory, Observed, Space};
pub use self::settings::{BoxDdpg, BoxSac, BoxTd3, BoxedSettings};
use super::Agent;
use super::groups::OfScreens;
use super::numbered::{Layout, Letter, Shape};
use crate::rng::{Rng, Seed};
use crate::situation::{
    Choice, Explanation, Next, Origin, Outlook, Recollection, Scene, Situation, Transition,
};

/// Greatest size of a reward once it is made smaller.
const REWARD_MAX: f64 = 1e6;

/// Number of inputs that FATE's models have, on average.
const FATE_MARKS: usize = 49;

/// Inputs of marks, in the order in which they were first seen.
#[derive(Clone, Debug, Default)]
struct Inputs {
    of: FxHashMap<u64, u16>,
}

impl Inputs {
    /// Returns the inputs of the marks of a screen; a mark beyond the bound has none.
    fn get(&mut self, marks: &[u64]) -> Marks {
        let mut found = Vec::with_capacity(marks.len());
        for mark in marks {
            let next = self.of.len();
            if next < MARKS_MAX {
                found.push(*self.of.entry(*mark).or_insert(next as u16));
            } else {
                found.extend(self.of.get(mark));
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into()
    }
}

/// Screen in numbers.
#[derive(Clone, Debug)]
struct Seen {
    layout: Layout,
    marks: Marks,
}

/// Choice that was made: what was observed, and the numbers of the action from -1 to 1.
#[derive(Clone, Debug)]
struct Made {
    from: Observed,
    action: [f32; DIMENSIONS_MAX],
}

/// Chooses by numbers that networks emit.
#[derive(Clone, Debug)]
pub struct Boxed {
    letter: Letter,
    texts: usize,
    kind: Kind,
    screens: OfScreens<Seen>,
    inputs: Inputs,
    learner: Option<Box<Learner>>,
    last: Option<Made>,
    /// Choices so far, without starts of the app.
    steps: u64,
    /// Steps that the episode had left at its first choice.
    episode_steps: u32,
}

impl Boxed {
    /// Returns soft actor-critic that has learned nothing yet.
    pub fn sac(letter: Letter, texts: usize, settings: BoxSac) -> Boxed {
        Boxed::new(letter, texts, Kind::Sac(settings))
    }

    /// Returns DDPG that has learned nothing yet.
    pub fn ddpg(letter: Letter, texts: usize, settings: BoxDdpg) -> Boxed {
        Boxed::new(letter, texts, Kind::Ddpg(settings))
    }

    /// Returns TD3 that has learned nothing yet.
    pub fn td3(letter: Letter, texts: usize, settings: BoxTd3) -> Boxed {
        Boxed::new(letter, texts, Kind::Td3(settings))
    }

    fn new(letter: Letter, texts: usize, kind: Kind) -> Boxed {
        Boxed {
            letter,
            texts: texts.max(1),
            kind,
            screens: OfScreens::default(),
            inputs: Inputs::default(),
            learner: None,
            last: None,
            steps: 0,
            episode_steps: 0,
        }
    }

    fn space(&self) -> Space {
        match self.letter {
            Letter::Ares => Space { is_timed: true, dimensions: 3, marks: MARKS_MAX },
            Letter::Fate => Space { is_timed: false, dimensions: 2, marks: FATE_MARKS },
        }
    }

    fn seen(&mut self, scene: &Scene) -> Arc<Seen> {
        let (letter, texts, inputs) = (self.letter, self.texts, &mut self.inputs);
        let seen = self.screens.get(scene, |scene| {
            let layout = Layout::new(letter, texts, scene);
            let marks = inputs.get(&layout.marks);
            Seen { layout, marks }
        });
        if let Some(learner) = &mut self.learner {
            learner.grow(self.inputs.of.len());
        }
        seen
    }

    fn observed(&self, seen: &Seen, steps_left: u32) -> Observed {
        let time = f64::from(steps_left) / f64::from(self.episode_steps.max(1));
        Observed { marks: seen.marks.clone(), time: time.min(1.0) as f32 }
    }

    /// Remembers the last choice with what came of it, and learns where an update is due.
    fn remember(&mut self, reward: f64, to: Observed, is_terminal: bool) {
        let space = self.space();
        let Some(Made { from, action }) = self.last.take() else { return };
        let Some(learner) = &mut self.learner else { return };
        self.steps += 1;
        if reward.is_finite() {
            let scaled = reward * self.kind.schedule().scale;
            let reward = scaled.clamp(-REWARD_MAX, REWARD_MAX) as f32;
            learner.replay.remember(Memory { from, action, reward, to, is_terminal });
        }
        learner.update(&self.kind, space, self.steps);
    }
}

/// Returns the index below `count` that a number from -1 to 1 stands for: scaled to the last index, and cut off.
fn index(number: f32, count: usize) -> usize {
    let last = count - 1;
    // The cast makes 0 of anything below.
    ((0.5 * (number + 1.0) * last as f32) as usize).min(last)
}

/// Returns the number from -1 to 1 of an index below `count`.
fn number(index: usize, count: usize) -> f32 {
    match count - 1 {
        0 => -1.0,
        last => 2.0 * index as f32 / last as f32 - 1.0,
    }
}

/// Returns the number of each part of a choice.
fn numbers(shape: Shape, place: usize) -> [f32; DIMENSIONS_MAX] {
    let Shape { firsts, texts, ways } = shape;
    let [first, text, way] = shape.parts(place);
    [number(first, firsts), number(text, texts), number(way, ways)]
}

impl Agent for Boxed {
    fn begin(&mut self) {
        (self.last, self.episode_steps) = (None, 0);
    }

    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> Choice {
        let Situation { scene, preferred, steps_left, .. } = *situation;
        self.last = None;
        // The start has no numbers.
        if scene.screen.is_none() {
            return Choice::Offer(preferred[0]);
        }
        let (kind, space) = (self.kind, self.space());
        if self.learner.is_none() {
            let seed = Seed(rng.below(usize::MAX) as u64);
            self.learner = Some(Box::new(Learner::new(&kind, space, seed)));
        }
        self.episode_steps = self.episode_steps.max(steps_left);
        let seen = self.seen(scene);
        let from = self.observed(&seen, steps_left);
        let Schedule { starts, random, .. } = kind.schedule();
        let shape = seen.layout.shape;
        let (action, place) = if self.steps < starts.into() || rng.unit() < random {
            let place = shape.draw(rng);
            (numbers(shape, place), place)
        } else {
            let learner = self.learner.as_mut().expect("it was made above");
            let mut action = [-1.0; DIMENSIONS_MAX];
            let emitted = learner.act(&from, rng);
            action[..emitted.len()].copy_from_slice(&emitted);
            let Shape { firsts, texts, ways } = shape;
            let [first, text, way] = action;
            (action, shape.place(index(first, firsts), index(text, texts), index(way, ways)))
        };
        self.last = Some(Made { from, action });
        seen.layout.choice(place, situation)
    }

    fn learn(&mut self, transition: &Transition<'_>, _: &mut Rng) -> Explanation {
        let is_terminal = match transition.next {
            // A limit of steps is no end of what the app can do.
            Next::Choice(_) | Next::Truncated | Next::Unknown => false,
            Next::DeadEnd | Next::Terminal => true,
        };
        if self.last.is_some() {
            let seen = self.seen(transition.to);
            let to = self.observed(&seen, transition.from.steps_left.saturating_sub(1));
            self.remember(transition.reward, to, is_terminal);
        }
        Explanation::default()
    }

    fn learn_nothing(&mut self, _: &Situation<'_>, reward: f64) {
        if let Some(Made { from, .. }) = &self.last {
            let to = from.clone();
            self.remember(reward, to, false);
        }
    }

    fn note(&mut self, _: &Situation<'_>, _: u16, _: Origin) {
        // The networks learn their own choices alone.
        self.last = None;
    }

    fn forget(&mut self, _: Recollection) {
        // Marks are of activities and widgets, which keep their numbers.
        self.last = None;
    }
}
