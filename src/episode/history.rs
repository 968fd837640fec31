//! The steps of this search so far, in order of time, for an agent to learn anew from.
//!
//! It is kept only where an abstraction may number its states anew, and it is bounded: the oldest episodes go first, and
//! then the first steps of the current one.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::experience;
use crate::gui::Screen;
use crate::situation::{LinkId, PhaseId, ScreenId};

/// Most steps of all episodes: learning them anew takes some tens of milliseconds.
const STEPS_MAX: usize = 100_000;

/// Most widgets on the screens of all episodes, some 50 MB, and most bytes of their texts.
const WIDGETS_MAX: usize = 300_000;
const BYTES_MAX: usize = 32 << 20;

/// Step, as far as a transition can be made of it again.
#[derive(Clone, Debug)]
pub struct Remembered {
    /// Screen before; none before the app is started. All else that follows from a screen takes twice its room.
    pub from: Option<(Arc<Screen>, LinkId)>,
    pub phase_before: PhaseId,
    pub to: (ScreenId, Arc<Screen>, LinkId),
    /// Steps that the episode had left after this one.
    pub steps_left: u32,
    pub outcome: StepOutcome,
}

/// Outcome of an action.
#[derive(Clone, Copy, Debug)]
pub struct StepOutcome {
    /// Place of the action among the offers.
    pub at: u16,
    pub reward: f64,
    pub elapsed_ms: Option<u64>,
    /// Phase after the step.
    pub phase: PhaseId,
    pub end: End,
}

/// Continuation after a step, without the situation it may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Another choice follows, or every action loses there.
    Goes,
    /// The objective is reached or out of reach.
    Terminal,
    /// The episode was cut off.
    Truncated,
    /// The recollection ended.
    Unknown,
}

/// Bounded row of episodes.
#[derive(Debug, Default)]
pub struct History {
    episodes: VecDeque<Vec<Remembered>>,
    /// True if the first steps of the oldest episode are gone.
    is_cut: bool,
    steps: usize,
    /// Widgets and bytes of each screen, and how many steps lead to it.
    screens: FxHashMap<ScreenId, ((usize, usize), usize)>,
    widgets: usize,
    bytes: usize,
}

impl History {
    /// Begins an episode.
    pub fn begin(&mut self) {
        if self.episodes.back().is_none_or(|episode| !episode.is_empty()) {
            self.episodes.push_back(Vec::new());
        }
    }

    /// Adds a step to the episode. Returns true if the oldest steps had to go for it.
    pub fn push(&mut self, step: Remembered) -> bool {
        let size = experience::size(&step.to.1);
        let (_, times) = self.screens.entry(step.to.0).or_insert((size, 0));
        *times += 1;
        if *times == 1 {
            (self.widgets, self.bytes) = (self.widgets + size.0, self.bytes + size.1);
        }
        self.steps += 1;
        self.episodes.back_mut().expect("an episode has begun").push(step);
        if self.steps <= STEPS_MAX && self.widgets <= WIDGETS_MAX && self.bytes <= BYTES_MAX {
            return false;
        }
        // Half of all goes at once: what follows costs as much as learning all that is left.
        let (steps, widgets, bytes) = (self.steps / 2, self.widgets / 2, self.bytes / 2);
        let is_over = |this: &History| this.steps > steps || this.widgets > widgets || this.bytes > bytes;
        while self.episodes.len() > 1 && is_over(self) {
            let oldest = self.episodes.pop_front().unwrap_or_default();
            oldest.iter().for_each(|step| self.drop_step(step.to.0));
            self.is_cut = false;
        }
        let mut current = self.episodes.pop_back().unwrap_or_default();
        let mut dropped = 0;
        while dropped + 1 < current.len() && is_over(self) {
            self.drop_step(current[dropped].to.0);
            dropped += 1;
        }
        self.is_cut |= dropped > 0;
        current.drain(..dropped);
        self.episodes.push_back(current);
        true
    }

    fn drop_step(&mut self, screen: ScreenId) {
        self.steps -= 1;
        if let Some(((widgets, bytes), times)) = self.screens.get_mut(&screen) {
            *times -= 1;
            if *times == 0 {
                self.widgets -= *widgets;
                self.bytes -= *bytes;
                self.screens.remove(&screen);
            }
        }
    }

    /// Returns the number of steps.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Returns true if a step leads to `screen`, or starts there.
    pub fn has(&self, screen: ScreenId) -> bool {
        screen == ScreenId::default() || self.screens.contains_key(&screen)
    }

    /// Returns true if the first steps of an episode are gone.
    pub fn is_cut(&self, number: usize) -> bool {
        self.is_cut && number == 0
    }

    /// Returns the number of episodes, the current one included.
    pub fn episodes(&self) -> usize {
        self.episodes.len()
    }

    /// Returns the steps of an episode.
    pub fn episode(&self, number: usize) -> &[Remembered] {
        &self.episodes[number]
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = History::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::Context;

    fn step(number: usize) -> Remembered {
        let outcome =
            StepOutcome { at: 0, reward: 0.0, elapsed_ms: None, phase: PhaseId::START, end: End::Goes };
        let screen = Screen::new("p", "p.A", Context::default(), Vec::new());
        let to = (ScreenId(number as u32), Arc::new(screen), LinkId::default());
        Remembered { from: None, phase_before: PhaseId::START, to, steps_left: 0, outcome }
    }

    #[test]
    fn one_long_episode_loses_its_first_steps() {
        let mut history = History::default();
        history.begin();
        for number in 1..=STEPS_MAX {
            assert!(!history.push(step(number)), "{number}");
        }
        assert!(history.push(step(STEPS_MAX + 1)));
        assert_eq!((history.episodes(), history.steps()), (1, STEPS_MAX / 2));
        assert_eq!(history.episode(0).len(), history.steps());
        assert!(
            history.is_cut(0) && !history.has(ScreenId(1)) && history.has(ScreenId(STEPS_MAX as u32 + 1))
        );
        // Once it is not the current one, it goes as a whole.
        history.begin();
        for number in 1..=STEPS_MAX / 2 + 1 {
            history.push(step(2 * STEPS_MAX + number));
        }
        assert_eq!((history.episodes(), history.is_cut(0)), (1, true));
        history.begin();
        for number in 0..STEPS_MAX / 2 {
            history.push(step(number));
        }
        history.begin();
        for number in 0..STEPS_MAX / 2 {
            history.push(step(number));
        }
        assert!(!history.is_cut(0));
        let steps: usize = (0..history.episodes()).map(|number| history.episode(number).len()).sum();
        assert_eq!(history.steps(), steps);
    }

    #[test]
    fn short_episodes_go_whole() {
        let mut history = History::default();
        for number in 0..=STEPS_MAX {
            if number.is_multiple_of(10) {
                history.begin();
            }
            history.push(step(number));
        }
        assert!(history.steps() <= STEPS_MAX / 2 && !history.is_cut(0));
        assert_eq!(history.episode(0)[0].to.0.0 % 10, 0);
    }
}
