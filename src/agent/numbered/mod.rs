//! Agents that emit numbers, to the letter of ARES and FATE: a widget, a text, and with ARES a way to touch it.
//!
//! A number beyond what the screen offers means nothing; in both programs it costs a step of the run and none of the
//! episode. The numbers of the widgets are their places, so they move
//! wherever a list grows; that is part of what these agents reproduce.

mod layout;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::layout::CELLS_MAX;
pub use self::layout::Letter;
pub(super) use self::layout::{Layout, Shape};
use super::groups::OfScreens;
use super::{Agent, QLearningSettings};
use crate::rng::Rng;
use crate::situation::{
    Choice, Explanation, Next, Origin, Outlook, Recollection, Scene, Situation, Transition,
};

/// Random choice or Q-learning over numbers.
#[derive(Clone, Debug)]
pub struct Numbered {
    letter: Letter,
    /// Number of texts that may be typed: each widget has as many numbers, even a button.
    texts: usize,
    screens: OfScreens<Layout>,
    /// Q-learning; none of the random agent.
    table: Option<Table>,
    /// Last choice: the observation, the shape of its numbers, and their place in a row.
    last: Option<(u64, Shape, usize)>,
}

impl Numbered {
    /// Returns the random agent.
    pub fn random(letter: Letter, texts: usize) -> Numbered {
        Numbered { letter, texts: texts.max(1), screens: OfScreens::default(), table: None, last: None }
    }

    /// Returns the agent that learns by Q-learning.
    pub fn qlearning(letter: Letter, texts: usize, settings: QLearningSettings) -> Numbered {
        let table = Table { settings, rows: FxHashMap::default(), cells: 0 };
        Numbered { table: Some(table), ..Numbered::random(letter, texts) }
    }

    fn layout(&mut self, scene: &Scene) -> Arc<Layout> {
        let (letter, texts) = (self.letter, self.texts);
        self.screens.get(scene, |scene| Layout::new(letter, texts, scene))
    }

    /// Learns the reward of the last choice, after which `ahead` is the value of what follows.
    fn reward(&mut self, reward: f64, ahead: f64) {
        if let (Some(table), Some((observation, shape, place))) = (&mut self.table, self.last) {
            table.learn(observation, shape, place, reward, ahead);
        }
    }
}

impl Agent for Numbered {
    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, rng: &mut Rng) -> Choice {
        let Situation { scene, preferred, .. } = *situation;
        // The start has no numbers.
        self.last = None;
        if scene.screen.is_none() {
            return Choice::Offer(preferred[0]);
        }
        let layout = self.layout(scene);
        let shape = layout.shape;
        let place = match &mut self.table {
            Some(table) if rng.unit() >= table.settings.exploration => {
                table.row(layout.observation, shape).best
            }
            Some(_) | None => shape.draw(rng),
        };
        self.last = Some((layout.observation, shape, place));
        layout.choice(place, situation)
    }

    fn note(&mut self, situation: &Situation<'_>, taken: u16, _: Origin) {
        let layout = self.layout(situation.scene);
        let place = (0..layout.shape.cells()).find(|&place| layout.meaning(place) == Some(taken));
        self.last = place.map(|place| (layout.observation, layout.shape, place));
    }

    fn learn(&mut self, transition: &Transition<'_>, _: &mut Rng) -> Explanation {
        if self.table.is_none() || self.last.is_none() {
            return Explanation::default();
        }
        let ahead = match transition.next {
            // A limit of steps is no end of what the app can do.
            Next::Choice(_) | Next::Truncated | Next::Unknown => {
                let layout = self.layout(transition.to);
                let table = self.table.as_mut().expect("it learns");
                table.row(layout.observation, layout.shape).largest()
            }
            Next::DeadEnd | Next::Terminal => 0.0,
        };
        self.reward(transition.reward, ahead);
        Explanation::default()
    }

    fn learn_nothing(&mut self, _: &Situation<'_>, reward: f64) {
        if let (Some(table), Some((observation, shape, _))) = (&mut self.table, self.last) {
            let ahead = table.row(observation, shape).largest();
            self.reward(reward, ahead);
        }
    }

    fn forget(&mut self, _: Recollection) {
        self.last = None;
        if let Some(table) = &mut self.table {
            table.clear();
        }
    }
}

/// Table of Q-learning: a row for each observation.
#[derive(Clone, Debug)]
struct Table {
    settings: QLearningSettings,
    rows: FxHashMap<u64, Row>,
    /// Number of values in all rows.
    cells: usize,
}

/// Values of the numbers of an observation, 0 at first.
#[derive(Clone, Debug)]
struct Row {
    shape: Shape,
    values: Vec<f64>,
    /// Place of the first of the largest values.
    best: usize,
}

impl Row {
    fn largest(&self) -> f64 {
        self.values[self.best]
    }

    fn set(&mut self, place: usize, value: f64) {
        let old = std::mem::replace(&mut self.values[place], value);
        let largest = self.values[self.best];
        if place == self.best {
            if value < old {
                self.best = first_largest(&self.values);
            }
        } else if value > largest || (value == largest && place < self.best) {
            self.best = place;
        }
    }
}

fn first_largest(values: &[f64]) -> usize {
    let mut best = 0;
    for (place, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = place;
        }
    }
    best
}

impl Table {
    /// Returns the row of an observation, which is new if its numbers have another shape than before.
    fn row(&mut self, observation: u64, shape: Shape) -> &mut Row {
        let cells = shape.cells();
        if !self.rows.get(&observation).is_some_and(|row| row.shape == shape) {
            self.cells += cells;
            if self.cells > CELLS_MAX {
                self.rows.clear();
                self.cells = cells;
            }
            self.rows.insert(observation, Row { shape, values: vec![0.0; cells], best: 0 });
        }
        self.rows.get_mut(&observation).expect("it is there by now")
    }

    fn learn(&mut self, observation: u64, shape: Shape, place: usize, reward: f64, ahead: f64) {
        let QLearningSettings { discount, rate, .. } = self.settings;
        let row = self.row(observation, shape);
        let value = row.values[place];
        row.set(place, value + rate * (reward + discount * ahead - value));
    }

    fn clear(&mut self) {
        self.rows.clear();
        self.cells = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Seed;

    #[test]
    fn the_best_of_a_row_is_the_first_of_the_largest_after_any_change() {
        let mut rng = Seed(5).fork("test");
        let shape = Shape { firsts: 3, texts: 4, ways: 1 };
        let mut row = Row { shape, values: vec![0.0; shape.cells()], best: 0 };
        for _ in 0..5_000 {
            // Few values, so that many are equal.
            row.set(rng.below(shape.cells()), rng.below(4) as f64 - 2.0);
            let largest = row.values.iter().copied().fold(f64::MIN, f64::max);
            assert_eq!(row.values.iter().position(|&value| value == largest), Some(row.best));
        }
    }

    #[test]
    fn every_number_comes_up_those_that_mean_nothing_included() {
        let mut rng = Seed(5).fork("test");
        let shape = Shape { firsts: 3, texts: 2, ways: 2 };
        let mut seen = vec![0; shape.cells()];
        (0..12_000).for_each(|_| seen[shape.draw(&mut rng)] += 1);
        assert!(seen.iter().all(|times| (800..1_200).contains(times)), "{seen:?}");
    }

    #[test]
    fn a_table_has_a_bound() {
        let settings = QLearningSettings::ARES;
        let mut table = Table { settings, rows: FxHashMap::default(), cells: 0 };
        let shape = Shape { firsts: 1_000, texts: 1_000, ways: 1 };
        for observation in 0..30 {
            table.row(observation, shape);
            let cells: usize = table.rows.values().map(|row| row.values.len()).sum();
            assert!(cells == table.cells && cells <= CELLS_MAX, "{cells}");
        }
    }
}
