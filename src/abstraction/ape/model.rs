//! Model: abstract states and transitions, and the screens and steps they are made of.
//!
//! Everything abstract follows from the kept screens, the kept steps in order of time, and the states that are refined; so
//! it can be worked out anew whenever a tree changes, and nothing is done on the device for it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::lattice::{Deed, Gui, hash};
use super::noise::Texts;
use super::tree::{Forest, Named, Start, TreeId};
use crate::learned_model::StateKey;
use crate::situation::ScreenId;
use crate::sorted;

/// State: the window and the set of names on its screens, by the tree that names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub tree: TreeId,
    names: u64,
}

impl From<Key> for StateKey {
    fn from(Key { tree: TreeId(tree), names }: Key) -> StateKey {
        StateKey { tree, names }
    }
}

impl From<StateKey> for Key {
    fn from(StateKey { tree, names }: StateKey) -> Key {
        Key { tree: TreeId(tree), names }
    }
}

/// States that are refined, and the trees of their screens.
pub type Refined = FxHashMap<Key, TreeId>;

/// Action of a state: the name of its widget, 0 for none, and its kind.
pub type Action = (u64, u32);

/// Screens and steps, and the states and transitions they make.
#[derive(Clone, Debug)]
pub struct Model {
    pub forest: Forest,
    pub refined: Refined,
    pub texts: Texts,
    pub seen: FxHashMap<ScreenId, Seen>,
    /// Steps in order of time, each once.
    pub steps: Vec<Step>,
    known_steps: FxHashMap<Step, u32>,
    pub states: BTreeMap<Key, State>,
    /// Number of states that screens of a refined state have come to.
    below: FxHashMap<Key, usize>,
    /// Number of states of a window.
    windows: FxHashMap<u64, usize>,
}

/// Screen that was seen.
#[derive(Clone, Debug)]
pub struct Seen {
    pub gui: Gui,
    /// Names of its widgets, by the tree of its state.
    pub names: Vec<Named>,
    pub state: Key,
    /// True if no action on it is left to be split, by these names.
    pub is_settled: bool,
    /// Steps from it, and to it.
    pub out: Vec<u32>,
    into: Vec<u32>,
}

/// Step from a screen to a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    pub from: ScreenId,
    pub deed: Deed,
    pub to: ScreenId,
}

/// Abstract state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub window: u64,
    /// States that were refined on the way to this one, from the first tree on.
    pub above: Vec<Key>,
    pub screens: BTreeSet<ScreenId>,
    pub actions: BTreeMap<Action, Targets>,
}

/// Outcomes of an action.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// States, and the latest step to each.
    pub states: BTreeMap<Key, u32>,
    /// Number of states when the action was last looked at for a cause of its many outcomes.
    pub examined: usize,
}

/// Way of a screen through the refined states.
#[derive(Clone, Debug)]
pub struct Way {
    pub names: Vec<Named>,
    pub above: Vec<Key>,
    pub state: Key,
}

impl Model {
    /// Returns a model without screens.
    pub fn new(start: Start) -> Model {
        Model {
            forest: Forest::new(start),
            refined: Refined::default(),
            texts: Texts::default(),
            seen: FxHashMap::default(),
            steps: Vec::new(),
            known_steps: FxHashMap::default(),
            states: BTreeMap::new(),
            below: FxHashMap::default(),
            windows: FxHashMap::default(),
        }
    }

    /// Returns the way of a screen to its state, by these refined states.
    pub fn way(&self, refined: &Refined, gui: &Gui) -> Way {
        let (mut tree, mut above) = (TreeId::FIRST, Vec::new());
        loop {
            let names = self.forest.names(tree, None, gui);
            let state = key(tree, gui, &names);
            // A tree has a greater number than the one before, so this comes to an end.
            let Some(&next) = refined.get(&state) else { return Way { names, above, state } };
            above.push(state);
            tree = next;
        }
    }

    /// Takes in a screen, which `gui` makes if it is new.
    pub fn see(&mut self, screen: ScreenId, gui: impl FnOnce() -> Gui) {
        if self.seen.contains_key(&screen) {
            return;
        }
        let gui = gui();
        self.texts.see(&gui);
        let way = self.way(&self.refined, &gui);
        let (names, state, out, into) = (Vec::new(), way.state, Vec::new(), Vec::new());
        let seen = Seen { gui, names, state, is_settled: false, out, into };
        self.seen.insert(screen, seen);
        self.put(screen, way);
    }

    fn put(&mut self, screen: ScreenId, way: Way) {
        let seen = self.seen.get_mut(&screen).expect("a screen that was seen");
        let (below, windows) = (&mut self.below, &mut self.windows);
        let state = self.states.entry(way.state).or_insert_with(|| {
            way.above.iter().for_each(|above| *below.entry(*above).or_default() += 1);
            *windows.entry(seen.gui.window).or_default() += 1;
            State { window: seen.gui.window, above: way.above, ..State::default() }
        });
        state.screens.insert(screen);
        (seen.state, seen.names, seen.is_settled) = (way.state, way.names, false);
    }

    /// Takes in a step between two screens that were seen.
    pub fn add(&mut self, step: Step) {
        let next = self.steps.len() as u32;
        let at = *self.known_steps.entry(step).or_insert(next);
        if at == next {
            self.steps.push(step);
            let link =
                |seen: &mut Seen, is_out: bool| if is_out { &mut seen.out } else { &mut seen.into }.push(at);
            self.seen.get_mut(&step.from).into_iter().for_each(|seen| link(seen, true));
            self.seen.get_mut(&step.to).into_iter().for_each(|seen| link(seen, false));
            self.join(at);
        }
    }

    /// Adds a kept step to the actions of its state.
    fn join(&mut self, at: u32) {
        let step = self.steps[at as usize];
        let (from, to) = (self.seen[&step.from].state, self.seen[&step.to].state);
        let action = self.action(&step);
        if let Some(state) = self.states.get_mut(&from) {
            state.actions.entry(action).or_default().states.insert(to, at);
        }
    }

    /// Returns the action of the state behind a step.
    pub fn action(&self, step: &Step) -> Action {
        self.seen[&step.from].action(step.deed)
    }

    /// Has a state's screens named by another tree, or by its own again.
    pub fn refine(&mut self, state: Key, tree: Option<TreeId>) {
        let below = self.below(state);
        match tree {
            Some(tree) => self.refined.insert(state, tree),
            None => self.refined.remove(&state),
        };
        self.rebuild(&below);
    }

    /// Notes that no action on a screen is left to be split.
    pub fn settle(&mut self, screen: ScreenId) {
        self.seen.entry(screen).and_modify(|seen| seen.is_settled = true);
    }

    /// Returns the states that screens of `state` have come to.
    pub fn below(&self, state: Key) -> Vec<Key> {
        let is_below = |(key, one): &(&Key, &State)| **key == state || one.above.contains(&state);
        self.states.iter().filter(is_below).map(|(key, _)| *key).collect()
    }

    /// Returns the number of states that screens of a refined state have come to.
    pub fn states_below(&self, state: Key) -> usize {
        self.below.get(&state).copied().unwrap_or(0)
    }

    /// Returns the number of states of a window.
    pub fn states_of(&self, window: u64) -> usize {
        self.windows.get(&window).copied().unwrap_or(0)
    }

    /// Works out these states anew, and the transitions to them.
    fn rebuild(&mut self, states: &[Key]) {
        let mut changed: BTreeSet<Key> = sorted::set(states.iter().copied());
        let gone: Vec<State> = states.iter().filter_map(|key| self.states.remove(key)).collect();
        for state in &gone {
            self.windows.entry(state.window).and_modify(|count| *count -= 1);
            for above in &state.above {
                self.below.entry(*above).and_modify(|count| *count -= 1);
            }
        }
        let screens: BTreeSet<ScreenId> = sorted::set(gone.into_iter().flat_map(|state| state.screens));
        for &screen in &screens {
            let way = self.way(&self.refined, &self.seen[&screen].gui);
            changed.insert(way.state);
            self.put(screen, way);
        }
        for screen in &screens {
            let sources = self.seen[screen].into.iter().map(|&at| self.steps[at as usize].from);
            changed.extend(sources.map(|from| self.seen[&from].state));
        }
        let mut again: BTreeSet<u32> = BTreeSet::new();
        for key in changed {
            let Some(state) = self.states.get_mut(&key) else { continue };
            state.actions.clear();
            again.extend(state.screens.iter().flat_map(|screen| &self.seen[screen].out));
        }
        again.into_iter().for_each(|at| self.join(at));
    }

    /// Forgets all screens but those that `is_kept`, with the steps from and to them.
    pub fn retain(&mut self, is_kept: &dyn Fn(ScreenId) -> bool) {
        let steps = std::mem::take(&mut self.steps);
        self.known_steps.clear();
        self.states.clear();
        self.below.clear();
        self.windows.clear();
        let mut seen: Vec<(ScreenId, Seen)> = std::mem::take(&mut self.seen).into_iter().collect();
        sorted::by_key(&mut seen, |(screen, _)| *screen);
        for (screen, seen) in seen.into_iter().filter(|(screen, _)| is_kept(*screen)) {
            let way = self.way(&self.refined, &seen.gui);
            self.seen.insert(screen, Seen { out: Vec::new(), into: Vec::new(), ..seen });
            self.put(screen, way);
        }
        for step in steps {
            if self.seen.contains_key(&step.from) && self.seen.contains_key(&step.to) {
                self.add(step);
            }
        }
    }
}

impl Seen {
    /// Returns the action of its state that a deed is.
    pub fn action(&self, deed: Deed) -> Action {
        action(&self.names, deed)
    }
}

/// Returns the action behind a deed on a screen whose widgets have these names.
pub fn action(names: &[Named], deed: Deed) -> Action {
    (names.get(deed.widget as usize).map_or(0, |named| named.name), deed.kind)
}

/// Returns the state of a screen whose widgets have these names.
pub fn key(tree: TreeId, gui: &Gui, names: &[Named]) -> Key {
    let visible = gui.parts.iter().zip(names).filter(|(part, _)| part.is_visible);
    let mut set: Vec<u64> = visible.map(|(_, named)| named.name).collect();
    set.sort_unstable();
    set.dedup();
    Key { tree, names: hash(&(gui.window, set)) }
}
