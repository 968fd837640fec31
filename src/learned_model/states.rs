//! Abstract states: the screens that an abstraction takes for the same, the names of their widgets, the edges between
//! them, and the decision trees behind the names.
//!
//! They follow from the counts of the model and from the names that the abstraction gives to screens at the end of a run.
//! [`Naming`] is all that the next run needs to go on with the abstraction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{LearnedModel, Offer, Reducer, TRANSITIONS_MAX, cut, label};
use crate::gui::{Action, Screen, Target, short_class};
use crate::sorted;

/// Most trees, and most refinements.
pub const TREES_MAX: usize = 2_000;
/// Most notes of each kind on states.
pub const NOTES_MAX: usize = 50_000;

/// Most reducers of a note.
const REDUCERS_MAX: usize = 32;

/// Most widgets of all states.
pub(super) const WIDGETS_MAX: usize = 200_000;

/// Most characters of a widget as it is printed.
const LIKE_CHARS_MAX: usize = 80;

/// Abstract state, told apart from all others: the tree that names its widgets, and a hash of the set of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateKey {
    /// Number of the tree; 0 is the first one.
    pub tree: u32,
    /// Hash of the window and the names on it.
    pub names: u64,
}

/// Classes of widgets that the first tree tells apart: others, those that take actions, other rows of lists, and rows that
/// take actions. The nodes of a tree begin with one for each.
pub const STARTS: usize = 4;

/// Decision tree that grew from another by one branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrownTree {
    /// Number of the tree that it grew from.
    pub from: u32,
    /// Node that the branch begins at.
    pub at: u16,
    /// Name of the widgets that it leads further.
    pub selector: u64,
    /// Reducer of its new node.
    pub reducer: Reducer,
    /// Widget that it led further, as people know it.
    pub like: Option<Arc<str>>,
}

/// Reducers that made too many states of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Barred {
    /// State that was refined.
    pub state: StateKey,
    /// Node of its tree.
    pub at: u16,
    /// Name of the widgets, if that tells them from others of the node.
    pub selector: Option<u64>,
    /// Reducers.
    pub reducers: Vec<Reducer>,
}

/// Knowledge of an abstraction that names widgets by decision trees: all that another run needs to go on with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Naming {
    /// Name of the abstraction.
    pub abstraction: Arc<str>,
    /// Reducers of the first tree, by its nodes.
    pub starts: [Reducer; STARTS],
    /// Further trees, each from one before it; the first has the number 1.
    pub trees: Vec<GrownTree>,
    /// Refined states, and the tree of the screens of each.
    pub refined: Vec<(StateKey, u32)>,
    /// Refinements so far, those that were taken back too.
    pub refinements: usize,
    /// Reducers that made too many states.
    pub barred: Vec<Barred>,
    /// Actions whose outcomes nothing explains: the state, the name of the widget, the kind of the action.
    pub unexplained: Vec<(StateKey, u64, u32)>,
    /// Widgets of a name that nothing tells apart.
    pub unsplit: Vec<(StateKey, u64)>,
    /// Places whose texts are noise.
    pub noise: Vec<u64>,
}

/// Widget as an abstraction names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedWidget {
    /// Name.
    pub name: u64,
    /// Node of the tree that gives it.
    pub node: u16,
    /// Reducer of that node.
    pub reducer: Reducer,
}

/// Screen as an abstraction names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedScreen {
    /// State.
    pub state: StateKey,
    /// Names of all widgets.
    pub widgets: Vec<NamedWidget>,
    /// Place of the widget of each action, none for one on the device, and the kind of the action.
    pub actions: Vec<(Option<u32>, u32)>,
}

/// Widgets of one name in an abstract state, which take actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractWidget {
    /// Name.
    pub name: u64,
    /// Reducer that names them.
    pub by: Reducer,
    /// One of them, as people know it.
    pub like: Arc<str>,
    /// Types of their actions.
    pub does: Vec<Arc<str>>,
    /// Most of them on a screen.
    pub count: u32,
}

/// Abstract state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractState {
    /// Key.
    pub key: StateKey,
    /// Numbers of its screens among the states of the model, the representative first.
    pub screens: Vec<usize>,
    /// Widgets that take actions.
    pub widgets: Vec<AbstractWidget>,
}

/// Edge between two abstract states: an abstract action, and one of the states it has led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractEdge {
    /// Number of the state before.
    pub from: usize,
    /// Number of the widget among those of that state; none for an action on the device.
    pub widget: Option<usize>,
    /// The action that was done most often among those it stands for.
    pub by: Arc<str>,
    /// Number of the state after.
    pub to: usize,
    /// Times that the action led there.
    pub hits: u64,
    /// Times that it led elsewhere.
    pub misses: u64,
}

impl AbstractEdge {
    /// Returns true if the action can be relied upon to lead there: it never led elsewhere, or far less often.
    pub fn is_strong(&self) -> bool {
        self.misses == 0 || self.hits >= self.misses.saturating_add(2)
    }
}

/// Abstraction at the end of a run: its states, and the knowledge behind them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LearnedAbstraction {
    /// Knowledge.
    pub naming: Naming,
    /// States, in the order in which their screens were seen first.
    pub states: Vec<AbstractState>,
    /// Edges, in the order of the states and widgets they leave.
    pub edges: Vec<AbstractEdge>,
    /// Widgets and edges that there was no room for.
    pub left_out: usize,
}

impl Naming {
    /// Returns the trees from the first one after the start to that of this number.
    pub fn lineage(&self, tree: u32) -> Vec<u32> {
        let (mut lineage, mut at) = (Vec::new(), tree);
        while let Some(grown) = self.tree(at) {
            lineage.push(at);
            at = grown.from;
        }
        lineage.reverse();
        lineage
    }

    /// Returns a tree; none for the first one.
    pub fn tree(&self, number: u32) -> Option<&GrownTree> {
        (number as usize).checked_sub(1).and_then(|at| self.trees.get(at))
    }

    /// Returns the reducer of a node of the tree with this lineage.
    fn reducer(&self, lineage: &[u32], node: u16) -> Option<Reducer> {
        match usize::from(node).checked_sub(STARTS) {
            None => Some(self.starts[usize::from(node)]),
            Some(at) => self.tree(*lineage.get(at)?).map(|tree| tree.reducer),
        }
    }

    /// Returns the reducer that widgets had before the branch of a tree.
    pub fn before(&self, tree: &GrownTree) -> Reducer {
        self.reducer(&self.lineage(tree.from), tree.at).unwrap_or_default()
    }

    /// Returns the reason why no run has left this knowledge, if it is so.
    pub(super) fn mistake(&self) -> Option<String> {
        let Naming { trees, refined, barred, unexplained, unsplit, noise, .. } = self;
        let counts = [trees.len(), refined.len(), self.refinements];
        if counts.into_iter().any(|count| count > TREES_MAX) {
            return Some(format!(
                "an abstraction has at most {TREES_MAX} trees, refined states and refinements"
            ));
        }
        let counts = [barred.len(), unexplained.len(), unsplit.len(), noise.len()];
        let is_long = |one: &Barred| one.reducers.len() > REDUCERS_MAX;
        if counts.into_iter().any(|count| count > NOTES_MAX) || barred.iter().any(is_long) {
            return Some(format!("an abstraction has at most {NOTES_MAX} notes of a kind"));
        }
        let (mut depths, mut grown): (Vec<usize>, _) = (vec![0], BTreeSet::new());
        for (number, tree) in (1..).zip(trees) {
            let Some(&depth) = depths.get(tree.from as usize) else {
                return Some(format!("tree {number} grows from tree {}, which is not before it", tree.from));
            };
            depths.push(depth + 1);
            // A lineage may be as long as there are trees, so the nodes are counted first.
            let is_there = usize::from(tree.at) < STARTS + depth;
            if !is_there || !tree.reducer.is_finer(self.before(tree)) {
                return Some(format!("tree {number} has a branch that does not refine a node"));
            }
            if !grown.insert((tree.from, tree.at, tree.selector, tree.reducer)) {
                return Some(format!("tree {number} is one before it"));
            }
        }
        let has = |key: &StateKey| (key.tree as usize) < depths.len();
        for (state, to) in refined {
            if self.tree(*to).is_none_or(|tree| tree.from != state.tree) {
                return Some(format!("tree {to} did not grow from tree {}, which it refines", state.tree));
            }
        }
        let keys: BTreeSet<StateKey> = sorted::set(refined.iter().map(|(state, _)| *state));
        if keys.len() < refined.len() {
            return Some("a state is refined twice".to_string());
        }
        let noted = barred.iter().map(|one| &one.state).chain(unexplained.iter().map(|(state, ..)| state));
        let mut noted = noted.chain(unsplit.iter().map(|(state, _)| state));
        (!noted.all(has)).then(|| "a note is on a state of a tree that is not there".to_string())
    }
}

/// Abstract state while its screens are taken in.
#[derive(Default)]
struct Gathered {
    screens: Vec<usize>,
    widgets: BTreeMap<u64, AbstractWidget>,
}

/// Abstract action: the name of its widget, none for the device, and its kind.
type Deed = (Option<u64>, u32);

/// States of an abstraction while screens are taken in.
#[derive(Default)]
pub struct Gathering {
    naming: Naming,
    states: BTreeMap<StateKey, Gathered>,
    /// State of each screen, and the abstract action at each place of its actions, as far as they are known.
    of: BTreeMap<usize, (StateKey, Vec<Option<Deed>>)>,
}

impl Gathering {
    /// Returns a gathering without screens for an abstraction of this knowledge.
    pub fn new(naming: Naming) -> Gathering {
        Gathering { naming, ..Gathering::default() }
    }

    /// Takes in a screen of `model` that offers these actions.
    pub fn add(&mut self, model: &LearnedModel, screen: &Screen, actions: &[Action], named: &NamedScreen) {
        let Some(number) = model.number(screen.sight()) else { return };
        if self.of.contains_key(&number) {
            return;
        }
        let state = self.states.entry(named.state).or_default();
        state.screens.push(number);
        let lineage = self.naming.lineage(named.state.tree);
        let mut widgets: BTreeMap<u64, BTreeSet<u32>> = BTreeMap::new();
        let places = model.places(number, actions);
        let mut deeds = vec![None; model.offers(number).len()];
        for ((action, (widget, kind)), place) in actions.iter().zip(&named.actions).zip(places) {
            let told = widget.and_then(|at| Some((at, named.widgets.get(at as usize)?)));
            if let Some(deed) = place.and_then(|place| deeds.get_mut(place)) {
                *deed = Some((told.map(|(_, told)| told.name), *kind));
            }
            let (Some((at, told)), Some(target)) = (told, action.target()) else { continue };
            widgets.entry(told.name).or_default().insert(at);
            let widget = state.widgets.entry(told.name).or_insert_with(|| AbstractWidget {
                name: told.name,
                by: told.reducer,
                like: like(&target.class, &target.to_string()).into(),
                does: Vec::new(),
                count: 0,
            });
            if !widget.does.iter().any(|known| **known == *action.type_name()) {
                widget.does.push(action.type_name().into());
            }
        }
        for (widget, told) in screen.widgets().iter().zip(&named.widgets) {
            // It has come by all branches that lead to its node.
            let mut node = usize::from(told.node);
            while let Some(tree) = node.checked_sub(STARTS).and_then(|at| lineage.get(at)) {
                let tree = &mut self.naming.trees[*tree as usize - 1];
                let target = || Target::new(widget, "", Arc::default());
                tree.like.get_or_insert_with(|| like(&widget.class, &target().to_string()).into());
                node = usize::from(tree.at);
            }
        }
        for (name, all) in widgets {
            let most = all.len() as u32;
            state.widgets.entry(name).and_modify(|widget| widget.count = widget.count.max(most));
        }
        self.of.insert(number, (named.state, deeds));
    }

    /// Returns the states, and the edges that the transitions of `model` make.
    pub fn finish(self, model: &LearnedModel) -> LearnedAbstraction {
        let Gathering { naming, states, of } = self;
        let mut all: Vec<(StateKey, Gathered)> = states.into_iter().collect();
        all.iter_mut().for_each(|(_, state)| state.screens.sort_unstable());
        sorted::by_key(&mut all, |(_, state)| state.screens[0]);
        let numbers: FxHashMap<StateKey, usize> = (0..).zip(&all).map(|(at, (key, _))| (*key, at)).collect();
        let state = |(key, Gathered { screens, widgets }): (StateKey, Gathered)| {
            let mut widgets: Vec<AbstractWidget> = widgets.into_values().collect();
            // Names are hashes, whose order means nothing to people.
            sorted::by(&mut widgets, |one, other| one.like.cmp(&other.like).then(one.name.cmp(&other.name)));
            AbstractState { key, screens, widgets }
        };
        let mut states: Vec<AbstractState> = all.into_iter().map(state).collect();
        let (mut room, mut left_out) = (WIDGETS_MAX, 0);
        for state in &mut states {
            left_out += state.widgets.len().saturating_sub(room);
            state.widgets.truncate(room);
            room -= state.widgets.len();
        }
        let mut outcomes: BTreeMap<(usize, Deed), Outcomes<'_>> = BTreeMap::new();
        for link in model.links() {
            let (Some((from, deeds)), Some((to, _))) = (of.get(&link.from), of.get(&link.to)) else {
                continue;
            };
            let Some(deed) = deeds.get(link.at).copied().flatten() else { continue };
            let outcome = outcomes.entry((numbers[from], deed)).or_default();
            *outcome.times.entry(numbers[to]).or_default() += link.times;
            *outcome.by.entry(model.offer(link.from, link.at)).or_default() += link.times;
        }
        let mut edges = Vec::new();
        for ((from, (name, _)), Outcomes { times, by }) in outcomes {
            let all: u64 = times.values().sum();
            let most = by.iter().max_by_key(|(by, times)| (**times, std::cmp::Reverse(**by)));
            let by: Arc<str> = most.map_or("", |(by, _)| *by).into();
            let widgets = &states[from].widgets;
            let widget = name.and_then(|name| widgets.iter().position(|widget| widget.name == name));
            edges.extend(times.into_iter().map(|(to, hits)| AbstractEdge {
                from,
                widget,
                by: by.clone(),
                to,
                hits,
                misses: all - hits,
            }));
        }
        sorted::by(&mut edges, |one, other| edge_order(one).cmp(&edge_order(other)));
        left_out += edges.len().saturating_sub(TRANSITIONS_MAX);
        edges.truncate(TRANSITIONS_MAX);
        LearnedAbstraction { naming, states, edges, left_out }
    }
}

/// Outcomes of an abstract action: how often it led to each state, and how often each action was done for it.
#[derive(Default)]
struct Outcomes<'a> {
    times: BTreeMap<usize, u64>,
    by: BTreeMap<&'a str, u64>,
}

fn edge_order(edge: &AbstractEdge) -> (usize, Option<usize>, &str, usize) {
    (edge.from, edge.widget, &edge.by, edge.to)
}

/// Returns a widget as people know it: its class, and the name that it is printed by.
fn like(class: &str, name: &str) -> String {
    let class = short_class(class);
    let like = if class.is_empty() || name.starts_with(class) {
        name.to_string()
    } else {
        format!("{class} {name}")
    };
    cut(like.trim_end().to_string(), LIKE_CHARS_MAX)
}

impl LearnedModel {
    /// Returns the place of each of these actions among those that a state is known to offer.
    fn places(&self, state: usize, actions: &[Action]) -> Vec<Option<usize>> {
        let mut free: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (at, Offer { label, .. }) in self.states()[state].offers.iter().enumerate().rev() {
            free.entry(*label).or_default().push(at);
        }
        let place = |action| self.labels.known(&label(action)).and_then(|label| free.get_mut(&label)?.pop());
        actions.iter().map(place).collect()
    }
}
