//! APE: which widgets are the same is learned, as a decision tree that the model of the app refines and coarsens.
//!
//! A state is a window and the set of names of its widgets. Where an action leads to several states, or stands for many
//! widgets, some names come to tell more; where that makes too many states, they tell less again. After Gu et al.,
//! *Practical GUI Testing of Android Applications via Model Abstraction and Refinement* (ICSE 2019).

mod kept;
mod lattice;
mod model;
mod noise;
mod refine;
#[cfg(test)]
mod tests;
mod tree;

use rustc_hash::FxHashMap;

use self::lattice::{Deed, Gui, NO_WIDGET, kind};
use self::model::{Key, Model, Refined, Step, Way, action};
use self::refine::Learner;
use self::tree::Named;
use super::{Abstraction, Counts, Numbering};
use crate::gui::{Action, DeviceAction};
use crate::learned_model::{NamedScreen, NamedWidget, Naming};
use crate::situation::{ActionId, ScreenId, StateId, Transition, View};

pub use refine::Change;
pub use tree::Start;

/// The abstraction that learns which widgets are the same.
#[derive(Clone, Debug)]
pub struct Ape {
    learner: Learner,
    changes: Vec<Change>,
    /// Refined states as agents know them: behind those of the learner, which change with each step.
    shown: Refined,
    numbers: FxHashMap<Key, StateId>,
    /// True if the learner's refined states are others than those shown.
    is_stale: bool,
    /// Number of steps observed.
    steps: usize,
    /// Number of steps from which on states may be numbered anew.
    renewal: usize,
    /// True if it goes on from what an earlier run has learned.
    goes_on: bool,
}

impl Ape {
    /// Returns the abstraction with this first tree.
    pub fn new(start: Start) -> Ape {
        Ape {
            learner: Learner::new(start, kind(&Action::Device(DeviceAction::Back))),
            changes: Vec::new(),
            shown: Refined::default(),
            numbers: FxHashMap::default(),
            is_stale: false,
            steps: 0,
            renewal: 0,
            goes_on: false,
        }
    }

    /// Returns the changes so far, in order of time.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Returns the number of states of the model, and of their actions that were done.
    pub fn size(&self) -> (usize, usize) {
        let states = &self.learner.model.states;
        (states.len(), states.values().map(|state| state.actions.len()).sum())
    }

    /// Returns the step of a transition between screens that were seen.
    fn step(&self, transition: &Transition<'_>) -> Option<Step> {
        let (from, to) = (transition.from.scene.screen_id, transition.to.screen_id);
        let seen = &self.learner.model.seen;
        let &deed = seen.get(&from)?.gui.deeds.get(usize::from(transition.at))?;
        seen.contains_key(&to).then_some(Step { from, deed, to })
    }

    fn show(&mut self) {
        self.shown = self.learner.model.refined.clone();
        self.numbers.clear();
        self.is_stale = false;
        // Learning anew costs as much as all steps so far, so the steps between grow with their number.
        self.renewal = self.steps + self.steps / 8 + 8;
    }
}

impl Abstraction for Ape {
    fn state(&mut self, view: &View<'_>) -> StateId {
        let model = &mut self.learner.model;
        model.see(view.screen_id, || Gui::new(view));
        let way = model.way(&self.shown, &model.seen[&view.screen_id].gui);
        number(&mut self.numbers, way.state)
    }

    fn actions(&mut self, _: StateId, view: &View<'_>) -> Vec<ActionId> {
        let model = &self.learner.model;
        actions(model, &self.shown, &model.seen[&view.screen_id].gui)
    }

    fn observe(&mut self, transition: &Transition<'_>) -> Numbering {
        if let Some(step) = self.step(transition) {
            let changes = self.learner.learn(step);
            self.is_stale |= !changes.is_empty();
            self.changes.extend(changes);
        }
        self.steps += 1;
        if !self.is_stale || self.steps < self.renewal {
            return Numbering::Same;
        }
        self.show();
        Numbering::Refined
    }

    fn recall(&mut self, transition: &Transition<'_>) -> Numbering {
        if !self.goes_on {
            return self.observe(transition);
        }
        if let Some(step) = self.step(transition) {
            self.learner.know(step);
        }
        self.steps += 1;
        Numbering::Same
    }

    fn named(&self, view: &View<'_>) -> Option<NamedScreen> {
        let Learner { model, .. } = &self.learner;
        Some(named(model, &Gui::new(view)))
    }

    fn naming(&self, abstraction: &str) -> Option<Naming> {
        Some(self.learner.naming(abstraction))
    }

    fn go_on(&mut self, from: &Naming) {
        self.learner.go_on(from);
        self.goes_on = true;
        self.show();
    }

    fn counts(&self) -> Option<Counts> {
        let is_refined = |change: &&Change| matches!(change, Change::Refined(_));
        let refinements = self.changes.iter().filter(is_refined).count();
        let (states, coarsenings) = (self.learner.model.states.len(), self.changes.len() - refinements);
        Some(Counts { states, refinements, coarsenings })
    }

    fn retain(&mut self, steps: usize, is_kept: &dyn Fn(ScreenId) -> bool) {
        // Fewer steps are left to learn from, so the next renewal may come sooner.
        self.steps = steps;
        self.learner.retain(is_kept);
        self.show();
    }
}

/// The abstraction by a first tree, which stays as it is.
#[derive(Clone, Debug)]
pub struct Frozen {
    model: Model,
    numbers: FxHashMap<Key, StateId>,
}

impl Frozen {
    /// Returns the abstraction by this tree.
    pub fn new(start: Start) -> Frozen {
        Frozen { model: Model::new(start), numbers: FxHashMap::default() }
    }
}

impl Abstraction for Frozen {
    fn state(&mut self, view: &View<'_>) -> StateId {
        let way = self.model.way(&Refined::default(), &Gui::new(view));
        number(&mut self.numbers, way.state)
    }

    fn actions(&mut self, _: StateId, view: &View<'_>) -> Vec<ActionId> {
        actions(&self.model, &Refined::default(), &Gui::new(view))
    }

    fn named(&self, view: &View<'_>) -> Option<NamedScreen> {
        Some(named(&self.model, &Gui::new(view)))
    }

    fn naming(&self, abstraction: &str) -> Option<Naming> {
        Some(Naming {
            abstraction: abstraction.into(),
            starts: self.model.forest.starts(),
            ..Naming::default()
        })
    }
}

fn number(numbers: &mut FxHashMap<Key, StateId>, state: Key) -> StateId {
    let next = StateId(numbers.len() as u32);
    *numbers.entry(state).or_insert(next)
}

/// Returns the actions behind the offers of a screen.
fn actions(model: &Model, refined: &Refined, gui: &Gui) -> Vec<ActionId> {
    let names = model.way(refined, gui).names;
    // Two of the few actions of a state hardly ever share a number; if so, an agent learns of both as one.
    gui.deeds.iter().map(|deed| ActionId(lattice::hash(&action(&names, *deed)) as u32)).collect()
}

/// Returns a screen as the model names it.
fn named(model: &Model, gui: &Gui) -> NamedScreen {
    let Way { names, state, .. } = model.way(&model.refined, gui);
    let widget = |named: &Named| NamedWidget {
        name: named.name,
        node: named.node.number(),
        reducer: model.forest.reducer(state.tree, named.node),
    };
    let action = |deed: &Deed| ((deed.widget != NO_WIDGET).then_some(deed.widget), deed.kind);
    NamedScreen {
        state: state.into(),
        widgets: names.iter().map(widget).collect(),
        actions: gui.deeds.iter().map(action).collect(),
    }
}
