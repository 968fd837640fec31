//! The map of abstract states: the states, the edges between them, the shortest path to each, and the decision trees that
//! name their widgets.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::map::{ACTION_CHARS_MAX, KINDS_MAX, Names, PATH_MAX, WAYS_MAX};
use super::states::{AbstractEdge, AbstractState, LearnedAbstraction};
use super::{LearnedModel, Reducer, cut};
use crate::event::{MapEdge, MapState, MapTree, MapWidget, PathStep, StateMap};
use crate::sorted;

/// Most widgets of a state that the map lists.
const WIDGETS_MAX: usize = 40;

/// Step to a state on the shortest path: the edge that leads there, none for a start of the app.
type Before<'a> = Option<&'a AbstractEdge>;

impl LearnedModel {
    /// Returns the map of abstract states, and the screens of each, if the abstraction in use names widgets.
    pub(super) fn state_map(&self) -> Option<(StateMap, Vec<Vec<usize>>)> {
        let abstraction = self.abstraction.as_deref()?;
        let LearnedAbstraction { naming, states, edges, .. } = abstraction;
        let starts: BTreeSet<usize> = sorted::set(self.starts().iter().map(|start| start.to));
        let is_start = |state: &AbstractState| state.screens.iter().any(|screen| starts.contains(screen));
        let before = paths(states.iter().map(is_start), edges);
        let kept = self.kept_states(states, &before);
        let place: BTreeMap<usize, usize> =
            sorted::map(kept.iter().enumerate().map(|(at, &state)| (state, at)));
        let mut names = Names::default();
        let mut of_state = |&number: &usize| {
            let state = &states[number];
            let screens = || state.screens.iter().map(|&screen| &self.states()[screen]);
            let first = &self.states()[state.screens[0]];
            let widgets: Vec<MapWidget> = state
                .widgets
                .iter()
                .take(WIDGETS_MAX)
                .map(|widget| MapWidget {
                    like: widget.like.to_string(),
                    by: widget.by.to_string(),
                    does: widget.does.iter().map(ToString::to_string).collect(),
                    count: widget.count.into(),
                })
                .collect();
            let path = path(&before, number).into_iter().take(PATH_MAX);
            MapState {
                name: names.unlike_others(first),
                activity: first.activity.to_string(),
                screen: None,
                screens: state.screens.len() as u64,
                seen: screens().fold(0, |sum: u64, screen| sum.saturating_add(screen.seen)),
                step: first.first_step,
                start: is_start(state),
                crash: screens().any(|screen| screen.crash.is_some() || screen.is_anr),
                outside: first.package != self.app.package,
                tree: state.key.tree,
                widgets_left_out: (state.widgets.len() - widgets.len()) as u64,
                widgets,
                path: path
                    .map(|(by, to)| PathStep {
                        by: cut(by.to_string(), ACTION_CHARS_MAX),
                        to: place.get(&to).copied(),
                    })
                    .collect(),
            }
        };
        let all: Vec<MapState> = kept.iter().map(&mut of_state).collect();
        let (edges, edges_left_out) = map_edges(edges, &place, &all);
        let used: BTreeSet<u32> = all.iter().flat_map(|state| naming.lineage(state.tree)).collect();
        let trees = used.into_iter().filter_map(|number| Some((number, naming.tree(number)?)));
        let trees = trees.map(|(number, tree)| MapTree {
            tree: number,
            from: tree.from,
            like: tree.like.as_ref().map(ToString::to_string),
            before: naming.before(tree).to_string(),
            by: tree.reducer.to_string(),
        });
        let map = StateMap {
            abstraction: naming.abstraction.to_string(),
            starts: naming.starts.iter().map(Reducer::to_string).collect(),
            trees: trees.collect(),
            states_left_out: (states.len() - all.len()) as u64,
            states: all,
            edges,
            edges_left_out,
        };
        Some((map, kept.into_iter().map(|state| states[state].screens.clone()).collect()))
    }

    /// Returns the states that have room on the map, in the order of their numbers: crashes and the most seen, each with
    /// the states on the path to it.
    fn kept_states(&self, states: &[AbstractState], before: &[Option<Before<'_>>]) -> Vec<usize> {
        let mut all: Vec<usize> = (0..states.len()).collect();
        let weight = |state: &AbstractState| {
            let screens = || state.screens.iter().map(|&screen| &self.states()[screen]);
            let seen = screens().fold(0, |sum: u64, screen| sum.saturating_add(screen.seen));
            let is_crash = screens().any(|screen| screen.crash.is_some() || screen.is_anr);
            std::cmp::Reverse((is_crash, seen))
        };
        let weights: Vec<_> = states.iter().map(weight).collect();
        sorted::by_key(&mut all, |&state| weights[state]);
        let mut kept = BTreeSet::new();
        for state in all {
            let more: BTreeSet<usize> =
                sorted::set(path(before, state).into_iter().map(|(_, state)| state).chain([state]));
            if kept.union(&more).count() <= KINDS_MAX {
                kept.extend(more);
            }
        }
        kept.into_iter().collect()
    }
}

/// Returns for each state the last step of the shortest path to it from a start; none if no way is known.
fn paths<'a>(starts: impl Iterator<Item = bool>, edges: &'a [AbstractEdge]) -> Vec<Option<Before<'a>>> {
    let mut before: Vec<Option<Before<'_>>> = starts.map(|is_start| is_start.then_some(None)).collect();
    let mut open: VecDeque<usize> = (0..before.len()).filter(|&state| before[state].is_some()).collect();
    while let Some(here) = open.pop_front() {
        let first = edges.partition_point(|edge| edge.from < here);
        let mut leaving: Vec<&AbstractEdge> =
            edges[first..].iter().take_while(|edge| edge.from == here).collect();
        // Of ways of the same length, the surest.
        sorted::by_key(&mut leaving, |edge| (!edge.is_strong(), std::cmp::Reverse(edge.hits)));
        for edge in leaving {
            if before[edge.to].is_none() {
                before[edge.to] = Some(Some(edge));
                open.push_back(edge.to);
            }
        }
    }
    before
}

/// Returns the actions to a state from where the app starts, with the states after them.
fn path<'a>(before: &[Option<Before<'a>>], state: usize) -> Vec<(&'a str, usize)> {
    let (mut path, mut at) = (Vec::new(), state);
    while let Some(Some(edge)) = before[at] {
        path.push((&*edge.by, at));
        at = edge.from;
    }
    if before[at].is_some() {
        path.push(("start", at));
    }
    path.reverse();
    path
}

/// Returns the edges between the states at these places, and the number of those without room.
fn map_edges(
    edges: &[AbstractEdge],
    place: &BTreeMap<usize, usize>,
    all: &[MapState],
) -> (Vec<MapEdge>, u64) {
    let mut between: BTreeMap<(usize, usize), Vec<&AbstractEdge>> = BTreeMap::new();
    for edge in edges {
        // Most actions stay in a state: an arrow for each would hide the others.
        if let (Some(&from), Some(&to)) = (place.get(&edge.from), place.get(&edge.to))
            && from != to
        {
            between.entry((from, to)).or_default().push(edge);
        }
    }
    let of_paths: BTreeSet<(usize, usize)> = sorted::set(
        all.iter().flat_map(|state| state.path.windows(2)).filter_map(|two| Some((two[0].to?, two[1].to?))),
    );
    let edge = |((from, to), all): ((usize, usize), Vec<&AbstractEdge>)| {
        let sum =
            |of: fn(&AbstractEdge) -> u64| all.iter().fold(0, |sum: u64, edge| sum.saturating_add(of(edge)));
        let most = all.iter().max_by_key(|edge| (edge.hits, std::cmp::Reverse(&edge.by)));
        let edge = MapEdge {
            from,
            to,
            by: most.map_or(String::new(), |edge| cut(edge.by.to_string(), ACTION_CHARS_MAX)),
            others: all.len() as u64 - 1,
            hits: sum(|edge| edge.hits),
            misses: sum(|edge| edge.misses),
            strong: all.iter().any(|edge| edge.is_strong()),
        };
        (of_paths.contains(&(from, to)), edge)
    };
    let mut edges: Vec<(bool, MapEdge)> = between.into_iter().map(edge).collect();
    // Edges of paths have room first, then the strong ones, then those that were hit most often.
    sorted::by_key(&mut edges, |(is_of_path, edge)| {
        (!is_of_path, !edge.strong, std::cmp::Reverse(edge.hits), edge.from, edge.to)
    });
    let left_out = edges.len().saturating_sub(WAYS_MAX) as u64;
    edges.truncate(WAYS_MAX);
    let mut edges: Vec<MapEdge> = edges.into_iter().map(|(_, edge)| edge).collect();
    sorted::by_key(&mut edges, |edge| (edge.from, edge.to));
    (edges, left_out)
}
