//! A formula as something to reach: each step turned into a verdict and a reward.
//!
//! The screens and actions that lead there are for an [episode](crate::episode) to bring. What is worked out here of
//! labels and residuals is worked out once.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::gui::{Action, Labeller, Screen};
use crate::ltl::{Automaton, Labels, Permanent, Share, State, reward};
use crate::spec::{Expectation, Spec};

/// What a run is to reach for a spec.
#[derive(Clone, Debug)]
pub struct Goal {
    automaton: Automaton,
    atoms: Vec<Arc<str>>,
    labeller: Labeller,
    is_violation: bool,
    standings: Vec<Option<Standing>>,
    /// The distinct sets of action labels.
    classes: Vec<Labels>,
    class_of: FxHashMap<Labels, ActionClass>,
    forecasts: FxHashMap<(State, ActionClass), Forecast>,
}

/// Actions that have the same labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionClass(u32);

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The goal is reached.
    Won,
    /// It can still be reached.
    Open,
    /// It cannot be reached any more.
    Lost,
}

/// What is known of a residual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How a run that has come to it stands.
    pub verdict: Verdict,
    /// N, the number of its atoms.
    pub atoms: u64,
    /// The fewest steps from here to the goal, whatever the app, 0 if there are too many residuals to tell; `None` if
    /// there is no way.
    pub distance: Option<u32>,
}

/// What an action's labels alone say of the step it will make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forecast {
    /// It reaches the goal.
    Wins,
    /// It does not lose.
    Sure,
    /// Anything.
    Open,
    /// It loses.
    Loses,
}

impl Goal {
    /// Returns what runs are to reach for `spec`: to satisfy its formula, or to violate it for good if it is a `must`.
    pub fn new(spec: &Spec) -> Goal {
        let automaton = Automaton::new(&spec.formulas, spec.formula);
        let atoms: Vec<Arc<str>> = automaton.atoms().map(Into::into).collect();
        let known =
            (0_u32..).zip(&atoms).filter_map(|(number, name)| Some((number, spec.atoms.get(&**name)?)));
        Goal {
            labeller: Labeller::new(known),
            automaton,
            atoms,
            is_violation: spec.expectation == Expectation::Must,
            standings: Vec::new(),
            classes: Vec::new(),
            class_of: FxHashMap::default(),
            forecasts: FxHashMap::default(),
        }
    }

    /// The names of the formula's atoms, by their numbers.
    pub fn atoms(&self) -> &[Arc<str>] {
        &self.atoms
    }

    /// Returns the labels of `screen`.
    pub fn screen_labels(&self, screen: &Screen) -> Labels {
        self.labeller.on_screen(screen).into_iter().collect()
    }

    /// Returns the class of `action`.
    pub fn action_class(&mut self, action: &Action) -> ActionClass {
        let labels: Labels = self.labeller.of_action(action).into_iter().collect();
        if let Some(&known) = self.class_of.get(&labels) {
            return known;
        }
        let class = ActionClass(self.classes.len() as u32);
        self.classes.push(labels.clone());
        self.class_of.insert(labels, class);
        class
    }

    /// The labels of the actions of `class`.
    pub fn action_labels(&self, class: ActionClass) -> &Labels {
        &self.classes[class.0 as usize]
    }

    /// Returns what is left of `state` after a step by an action of `class` to a screen with `screen_labels`.
    #[inline]
    pub fn step(&mut self, state: State, class: ActionClass, screen_labels: &Labels) -> State {
        let labels = self.classes[class.0 as usize].union(screen_labels);
        self.automaton.step(state, &labels)
    }

    /// Returns what is known of `state`.
    #[inline]
    pub fn standing(&mut self, state: State) -> Standing {
        match self.standings.get(state.number() as usize) {
            Some(Some(known)) => *known,
            Some(None) | None => self.standing_anew(state),
        }
    }

    #[cold]
    fn standing_anew(&mut self, state: State) -> Standing {
        let can_ask = self.can_ask();
        let permanent = if can_ask { self.automaton.permanent(state) } else { Permanent::Open };
        let verdict = match (self.is_violation, permanent) {
            (false, Permanent::Violated) | (true, Permanent::Satisfied) => Verdict::Lost,
            (true, Permanent::Violated) => Verdict::Won,
            // Before the first step there is no trace that could satisfy anything.
            (false, _) if state != State::START && self.automaton.is_satisfied(state) => Verdict::Won,
            (false, Permanent::Satisfied | Permanent::Open) | (true, Permanent::Open) => Verdict::Open,
        };
        let distance = match self.is_violation {
            _ if !can_ask => Ok(Some(0)),
            true => self.automaton.steps_to_violation(state),
            false => self.automaton.steps_to_satisfaction(state),
        };
        let atoms = self.automaton.atom_count(state);
        let standing = Standing { verdict, atoms, distance: distance.unwrap_or(Some(0)) };
        let place = state.number() as usize;
        if self.standings.len() <= place {
            self.standings.resize(place + 1, None);
        }
        self.standings[place] = Some(standing);
        standing
    }

    /// Returns what a step from `before` to `after` is worth; unless it is `shaped`, only the end is worth anything.
    #[inline]
    pub fn reward(&mut self, before: State, after: State, shaped: bool) -> f64 {
        let from = self.standing(before).atoms;
        let to = self.standing(after);
        match to.verdict {
            Verdict::Won => 1.0,
            Verdict::Lost => -1.0,
            Verdict::Open if shaped => reward(false, Permanent::Open, from, to.atoms),
            Verdict::Open => 0.0,
        }
    }

    /// Returns what the labels of `class` alone say of a step from `state`.
    #[inline]
    pub fn forecast(&mut self, state: State, class: ActionClass) -> Forecast {
        match self.forecasts.get(&(state, class)) {
            Some(&known) => known,
            None => self.forecast_anew(state, class),
        }
    }

    #[cold]
    fn forecast_anew(&mut self, state: State, class: ActionClass) -> Forecast {
        let labels = &self.classes[class.0 as usize];
        let known: BTreeMap<u32, bool> =
            self.labeller.action_atoms().map(|atom| (atom, labels.contains(atom))).collect();
        if !self.can_ask() {
            return Forecast::Open;
        }
        let prediction = self.automaton.predict(state, &known);
        let forecast = if self.is_violation {
            // That no step can lose is not known of a formula that is to be violated: what is satisfied at a step may
            // be violated at the next.
            match prediction.violated {
                Share::All => Forecast::Wins,
                Share::Some | Share::None => Forecast::Open,
            }
        } else {
            match (prediction.violated, prediction.satisfied) {
                (_, Share::All) => Forecast::Wins,
                (Share::All, _) => Forecast::Loses,
                (Share::None, _) => Forecast::Sure,
                (Share::Some, _) => Forecast::Open,
            }
        };
        self.forecasts.insert((state, class), forecast);
        forecast
    }

    /// Whether there is still work to spend on what can follow; without, whatever is not plain stays open.
    fn can_ask(&self) -> bool {
        // Some seconds; no formula that a person writes comes near.
        const WORK_MAX: u64 = 5_000_000;
        self.automaton.work() < WORK_MAX
    }

    /// Returns what is left of the formula in `state`, as it is written in a spec.
    pub fn residual(&self, state: State) -> String {
        self.automaton.residual(state).to_string()
    }
}
