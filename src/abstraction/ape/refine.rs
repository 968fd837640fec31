//! Refinement and coarsening: the changes of the trees that steps give reason to.
//!
//! Constants and their order are those of APE's program, as far as it differs from the paper.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::lattice::Gui;
use super::model::{Action, Key, Model, State, Step, action, key};
use super::tree::{Branch, Node, Start, TreeId};
use crate::learned_model::{Reducer, TREES_MAX};
use crate::situation::ScreenId;
use crate::sorted;

/// Most widgets that an action stands for before it is refined: alpha.
const WIDGETS_MAX: usize = 3;

/// Most states that the screens of one state are refined into: beta, for trees whose reducers leave much out.
const STATES_BELOW_MAX: usize = 8;

/// Most names of a state that is refined for its outcomes, and most states of its window.
const NAMES_MAX: usize = 20;
const STATES_MAX: usize = 10;

/// Number of outcomes that no refinement explains, from which on an action is left as it is.
const OUTCOMES_MAX: usize = 3;

/// Most screens of a state that are named to count what a refinement would make of it: the latest.
const SCREENS_COUNTED_MAX: usize = 64;

/// Most widgets of a screen that is looked at for refinements, and most actions of it that are looked at for being split:
/// more than any app shows, so that none takes long.
const WIDGETS_LOOKED_AT_MAX: usize = 5_000;
const SPLITS_TRIED_MAX: usize = 20;

/// Most refinements of a run and of those that it goes on from.
const REFINEMENTS_MAX: usize = TREES_MAX;

/// Change of the abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Widgets are named by this reducer.
    Refined(Reducer),
    /// Widgets are no longer named by this reducer.
    Coarsened(Reducer),
}

/// Model that is refined and coarsened as steps are taken in.
#[derive(Clone, Debug)]
pub struct Learner {
    pub model: Model,
    pub(super) refinements: usize,
    /// Kind of the action back: what it leads to depends on the past.
    back: u32,
    /// Reducers that made too many states of one, by the group of widgets they named.
    pub(super) barred: FxHashMap<(Key, Group), Vec<Reducer>>,
    /// Actions whose outcomes nothing explains.
    pub(super) unexplained: FxHashSet<(Key, Action)>,
    /// Actions for many widgets that nothing tells apart.
    pub(super) unsplit: FxHashSet<(Key, u64)>,
}

/// Widgets that behave alike as far as refinement goes: those of a branch, which once shared a name, or else of a name.
type Group = (Node, Option<u64>);

/// Refinement that parts two steps, by its worth: the fewest states, the fewest actions, then the coarsest.
type Cure = (usize, usize, u32, Reducer, Branch);

impl Learner {
    /// Returns a learner that has seen nothing. `back` is the kind of the action back.
    pub fn new(start: Start, back: u32) -> Learner {
        Learner {
            model: Model::new(start),
            refinements: 0,
            back,
            barred: FxHashMap::default(),
            unexplained: FxHashSet::default(),
            unsplit: FxHashSet::default(),
        }
    }

    /// Forgets all screens but those that `is_kept`; trees stay.
    pub fn retain(&mut self, is_kept: &dyn Fn(ScreenId) -> bool) {
        self.model.retain(is_kept);
        // States that no screen leads to may never come back.
        let Model { states, refined, .. } = &self.model;
        let is_known = |state: &Key| states.contains_key(state) || refined.contains_key(state);
        self.barred.retain(|(state, _), _| is_known(state));
        self.unexplained.retain(|(state, _)| is_known(state));
        self.unsplit.retain(|(state, _)| is_known(state));
    }

    /// Takes in a step between screens that were seen; returns the changes it gave reason to.
    pub fn learn(&mut self, step: Step) -> Vec<Change> {
        let mut changes = Vec::new();
        self.model.add(step);
        self.refine_actions(step.to, &mut changes);
        self.coarsen(step.to, &mut changes);
        self.refine_state(&step, &mut changes);
        changes
    }

    /// Takes in a step between screens that were seen, which an earlier run has learned from.
    pub fn know(&mut self, step: Step) {
        self.model.add(step);
        let (state, action) = (self.model.seen[&step.from].state, self.model.action(&step));
        let actions = self.model.states.get_mut(&state).map(|state| &mut state.actions);
        if let Some(targets) = actions.and_then(|actions| actions.get_mut(&action)) {
            targets.examined = targets.states.len();
        }
    }

    /// Refines the actions on a screen that stand for many widgets.
    fn refine_actions(&mut self, screen: ScreenId, changes: &mut Vec<Change>) {
        while self.refinements < REFINEMENTS_MAX && !self.model.seen[&screen].is_settled {
            match self.split(screen) {
                Some((state, branch)) => self.refine(state, branch, changes),
                None => self.model.settle(screen),
            }
        }
    }

    /// Returns a branch that splits an action for many widgets of a screen.
    fn split(&mut self, screen: ScreenId) -> Option<(Key, Branch)> {
        let seen = &self.model.seen[&screen];
        if seen.gui.parts.len() > WIDGETS_LOOKED_AT_MAX {
            return None;
        }
        let mut widgets: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (at, (part, named)) in seen.gui.parts.iter().zip(&seen.names).enumerate() {
            if part.is_visible && part.actions != 0 {
                widgets.entry(named.name).or_default().push(at);
            }
        }
        let state = seen.state;
        let is_open = |(name, widgets): &(u64, Vec<usize>)| {
            widgets.len() > WIDGETS_MAX && !self.unsplit.contains(&(state, *name))
        };
        let open: Vec<(u64, Vec<usize>)> = widgets.into_iter().filter(is_open).collect();
        for (name, widgets) in open.into_iter().take(SPLITS_TRIED_MAX) {
            let at = seen.names[widgets[0]].node;
            for reducer in self.model.forest.reducer(state.tree, at).finer() {
                let branch = Branch { at, selector: name, reducer };
                if self.is_barred(state, &branch, [&seen.gui]) {
                    continue;
                }
                let names = self.model.forest.names(state.tree, Some(&branch), &seen.gui);
                if widgets.iter().any(|&widget| names[widget].name != names[widgets[0]].name) {
                    return Some((state, branch));
                }
            }
            self.unsplit.insert((state, name));
        }
        None
    }

    /// Returns true if the branch made too many states before, or names widgets by texts that are noise.
    fn is_barred<'a>(&self, state: Key, branch: &Branch, guis: impl IntoIterator<Item = &'a Gui>) -> bool {
        let barred = self.barred.get(&(state, group(branch)));
        if barred.is_some_and(|all| all.iter().any(|&one| branch.reducer.has(one))) {
            return true;
        }
        let forest = &self.model.forest;
        let is_by_text =
            branch.reducer.has(Reducer::TEXT) && !forest.reducer(state.tree, branch.at).has(Reducer::TEXT);
        is_by_text
            && guis.into_iter().any(|gui| {
                let names = forest.names(state.tree, None, gui);
                let mut named =
                    gui.parts.iter().zip(names).filter(|(_, named)| named.name == branch.selector);
                named.any(|(part, _)| self.model.texts.is_noise(part.place))
            })
    }

    fn refine(&mut self, state: Key, branch: Branch, changes: &mut Vec<Change>) {
        let tree = self.model.forest.grow(state.tree, branch);
        self.model.refine(state, Some(tree));
        self.refinements += 1;
        changes.push(Change::Refined(branch.reducer));
    }

    /// Goes back to the tree before where refinements have made too many states of one.
    fn coarsen(&mut self, screen: ScreenId, changes: &mut Vec<Change>) {
        while let Some((state, branch)) = self.exploded(screen) {
            self.bar(state, branch);
            self.model.refine(state, None);
            changes.push(Change::Coarsened(branch.reducer));
        }
    }

    /// Returns the state on the way of a screen at which the finest reducer came in, and the branch with it, if a state on
    /// that way has become too many.
    fn exploded(&self, screen: ScreenId) -> Option<(Key, Branch)> {
        let Model { forest, states, refined, seen, .. } = &self.model;
        let state = seen[&screen].state;
        let State { above, window, .. } = &states[&state];
        let finest = forest.primitives(state.tree);
        let most = STATES_BELOW_MAX.min(2 << 5_u32.saturating_sub(finest));
        let is_many = above.iter().any(|state| self.model.states_below(*state) > most);
        if !is_many || self.refined_states(*window) <= STATES_BELOW_MAX {
            return None;
        }
        let cause = *above.iter().find(|state| forest.primitives(refined[state]) == finest)?;
        let (_, branch) = forest.growth(refined[&cause])?;
        Some((cause, branch))
    }

    /// Returns the number of states of a window that refinements made.
    fn refined_states(&self, window: u64) -> usize {
        let is_made = |state: &&State| state.window == window && !state.above.is_empty();
        self.model.states.values().filter(is_made).count()
    }

    fn bar(&mut self, state: Key, branch: Branch) {
        self.barred.entry((state, group(&branch))).or_default().push(branch.reducer);
    }

    /// Refines the state before a step whose action leads to several states, so that the cause shows.
    fn refine_state(&mut self, step: &Step, changes: &mut Vec<Change>) {
        let Step { from, deed, to } = *step;
        let (seen, outcome) = (&self.model.seen[&from], self.model.seen[&to].state);
        let (state, action) = (seen.state, seen.action(deed));
        let case = (state, action);
        // Nothing is to be seen before the app is started, and back leads to what was seen before.
        if seen.gui.parts.is_empty() || deed.kind == self.back || self.unexplained.contains(&case) {
            return;
        }
        let actions = self.model.states.get_mut(&state).map(|state| &mut state.actions);
        let Some(targets) = actions.and_then(|actions| actions.get_mut(&action)) else { return };
        let outcomes = targets.states.len();
        if outcomes < 2 || std::mem::replace(&mut targets.examined, outcomes) >= outcomes {
            return;
        }
        let other = targets.states.iter().filter(|(state, _)| **state != outcome).map(|(_, &at)| at).max();
        let Some(other) = other.map(|at| self.model.steps[at as usize]) else { return };
        let pair = [step, &other];
        let is_long =
            pair.iter().any(|step| self.model.seen[&step.from].gui.parts.len() > WIDGETS_LOOKED_AT_MAX);
        if is_long || self.is_large(state) || self.refinements >= REFINEMENTS_MAX {
            return;
        }
        if self.is_chance(step) {
            self.unexplained.insert(case);
            return;
        }
        if let Some((.., branch)) = self.cure(state, pair, None) {
            self.refine(state, branch, changes);
        } else if let Some((above, last, branch)) = self.replacement(state, pair) {
            self.bar(above, last);
            self.refine(above, branch, changes);
        } else if outcomes >= OUTCOMES_MAX {
            self.unexplained.insert(case);
        }
    }

    /// Returns true if the same action on the very same screen has led to another state.
    fn is_chance(&self, step: &Step) -> bool {
        let Model { seen, steps, .. } = &self.model;
        let mut out = seen[&step.from].out.iter().map(|&at| &steps[at as usize]);
        out.any(|one| one.deed == step.deed && seen[&one.to].state != seen[&step.to].state)
    }

    /// Returns true if a state has too many names, or its window too many states, to be refined for its outcomes.
    fn is_large(&self, state: Key) -> bool {
        let Model { states, seen, .. } = &self.model;
        let one = &states[&state];
        // All screens of a state have the same names.
        let first = one.screens.first().map(|screen| &seen[screen]);
        let names = sorted::set(first.into_iter().flat_map(|seen| &seen.names).map(|named| named.name));
        names.len() > NAMES_MAX || self.model.states_of(one.window) >= STATES_MAX
    }

    /// Returns the best branch that parts two steps from `state`: their screens become two states, or their actions two
    /// actions. It takes the place of a branch, if given, whose reducer is neither finer nor coarser.
    fn cure(&self, state: Key, pair: [&Step; 2], instead: Option<Branch>) -> Option<Cure> {
        let Model { forest, seen, .. } = &self.model;
        let guis = pair.map(|step| &seen[&step.from].gui);
        let named = guis.map(|gui| forest.names(state.tree, None, gui));
        let all: BTreeSet<(Node, u64)> = match instead {
            Some(branch) => sorted::set([(branch.at, branch.selector)]),
            None => sorted::set(named.iter().flatten().map(|named| (named.node, named.name))),
        };
        let screens = self.latest(state);
        let mut best: Option<Cure> = None;
        for (at, selector) in all {
            let mut cures: Vec<Reducer> = Vec::new();
            for reducer in forest.reducer(state.tree, at).finer() {
                // A finer one parts the same two, and more.
                let is_like = |old: Branch| reducer.has(old.reducer) || old.reducer.has(reducer);
                if cures.iter().any(|&cure| reducer.has(cure)) || instead.is_some_and(is_like) {
                    continue;
                }
                let branch = Branch { at, selector, reducer };
                if self.parts(state.tree, &branch, pair) && !self.is_barred(state, &branch, guis) {
                    cures.push(reducer);
                    let (states, actions) = self.count(state.tree, &branch, &screens);
                    let cure = (states, actions, reducer.primitives(), reducer, branch);
                    if best.is_none_or(|best| cure < best) {
                        best = Some(cure);
                    }
                }
            }
        }
        best
    }

    fn parts(&self, tree: TreeId, branch: &Branch, [one, two]: [&Step; 2]) -> bool {
        let told = |step: &Step| {
            let gui = &self.model.seen[&step.from].gui;
            let names = self.model.forest.names(tree, Some(branch), gui);
            (key(tree, gui, &names), action(&names, step.deed))
        };
        told(one) != told(two)
    }

    /// Returns the latest screens that have come to `state` or to what it was refined to.
    fn latest(&self, state: Key) -> Vec<ScreenId> {
        let states = &self.model.states;
        let below = self.model.below(state);
        let mut screens: Vec<ScreenId> = below.iter().flat_map(|key| &states[key].screens).copied().collect();
        sorted::by(&mut screens, |one, two| two.cmp(one));
        screens.truncate(SCREENS_COUNTED_MAX);
        screens
    }

    /// Returns the number of states and of actions that a branch would make of these screens.
    fn count(&self, tree: TreeId, branch: &Branch, screens: &[ScreenId]) -> (usize, usize) {
        let mut states: FxHashMap<Key, FxHashSet<u64>> = FxHashMap::default();
        for screen in screens {
            let gui = &self.model.seen[screen].gui;
            let names = self.model.forest.names(tree, Some(branch), gui);
            let taking = gui.parts.iter().zip(&names).filter(|(part, _)| part.actions != 0);
            let taking = taking.map(|(_, named)| named.name);
            states.entry(key(tree, gui, &names)).or_default().extend(taking);
        }
        (states.len(), states.values().map(FxHashSet::len).sum())
    }

    /// Returns the state above, the last branch, and one in its place that parts two steps.
    fn replacement(&self, state: Key, pair: [&Step; 2]) -> Option<(Key, Branch, Branch)> {
        let above = *self.model.states[&state].above.last()?;
        let (_, last) = self.model.forest.growth(state.tree)?;
        let (.., branch) = self.cure(above, pair, Some(last))?;
        Some((above, last, branch))
    }
}

fn group(branch: &Branch) -> Group {
    (branch.at, branch.at.is_start().then_some(branch.selector))
}
