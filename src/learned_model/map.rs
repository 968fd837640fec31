//! The map of a learned model: its screens, or kinds of screens where there are many, the ways between them, and the
//! shortest path to each.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::reasons::Gaps;
use super::{LearnedModel, Link, State, cut};
use crate::event::{AppMap, Kind, KindWay, PathStep};
use crate::sorted;

/// Screens that are drawn one by one. Of more, people want to see the kinds.
const SCREENS_MAX: usize = 40;

/// Most kinds and ways on a map.
pub(super) const KINDS_MAX: usize = 400;
pub(super) const WAYS_MAX: usize = 3_000;

/// Most steps of a path, and most actions never done, that a kind lists.
pub(super) const PATH_MAX: usize = 60;
const NEVER_DONE_MAX: usize = 12;

/// Most characters of an action on a map.
pub(super) const ACTION_CHARS_MAX: usize = 120;

/// Map, and the states of each of its kinds.
#[derive(Clone, Debug, Default)]
pub struct Mapped {
    /// Map, without the numbers of drawn screens.
    pub map: AppMap,
    /// States of each kind, by their numbers, the first seen first.
    pub states: Vec<Vec<usize>>,
    /// Screens of each abstract state on the map, by their numbers among the states of the model, the representative first.
    pub screens: Vec<Vec<usize>>,
}

impl Mapped {
    /// Returns the map with the numbers that `number_of` has for a screen of some states.
    pub fn with_screens(self, mut number_of: impl FnMut(&[usize]) -> Option<usize>) -> AppMap {
        let Mapped { mut map, states, screens } = self;
        for (kind, states) in map.kinds.iter_mut().zip(&states) {
            kind.screen = number_of(states);
        }
        let abstracted = map.abstracted.iter_mut().flat_map(|abstracted| &mut abstracted.states);
        for (state, screens) in abstracted.zip(&screens) {
            state.screen = number_of(screens);
        }
        map
    }
}

/// States by kind.
pub(super) struct Kinds {
    /// Kind of each state.
    pub of: Vec<usize>,
    /// States of each kind.
    pub states: Vec<Vec<usize>>,
}

impl Kinds {
    /// Returns the states of `model` by their structure, or each as a kind of its own.
    pub fn new(model: &LearnedModel, is_each: bool) -> Kinds {
        let mut numbers = BTreeMap::new();
        let (mut of, mut states) = (Vec::new(), Vec::<Vec<usize>>::new());
        for (number, state) in model.states().iter().enumerate() {
            let next = states.len();
            // Crashes of different identities are of different kinds, as the kind says.
            let key = if is_each { (0, number) } else { (state.kind, 0) };
            let kind = *numbers.entry(key).or_insert(next);
            if kind == next {
                states.push(Vec::new());
            }
            of.push(kind);
            states[kind].push(number);
        }
        Kinds { of, states }
    }
}

impl LearnedModel {
    /// Returns the map of the model.
    pub fn map(&self) -> Mapped {
        let kinds = Kinds::new(self, self.states().len() <= SCREENS_MAX);
        let links = self.links();
        let paths = Paths::new(self, &links);
        let gaps = Gaps::new(self, &kinds, &links);
        let kept = self.kept_kinds(&kinds, &paths);
        let place: BTreeMap<usize, usize> =
            sorted::map(kept.iter().enumerate().map(|(at, &kind)| (kind, at)));
        let mut names = Names::default();
        let of_kind = |&kind: &usize| {
            let states = &kinds.states[kind];
            let first = &self.states()[states[0]];
            let nearest = states.iter().copied().min_by_key(|&state| (paths.length(state), state));
            let path = nearest.map_or(Vec::new(), |state| paths.to(self, state));
            let path = path
                .into_iter()
                .take(PATH_MAX)
                .map(|(by, state)| PathStep { by: by.to_string(), to: place.get(&kinds.of[state]).copied() });
            let never = gaps.never_done(kind);
            Kind {
                name: names.unlike_others(first),
                activity: first.activity.to_string(),
                screen: None,
                screens: states.len() as u64,
                seen: states.iter().map(|&state| self.states()[state].seen).sum(),
                step: first.first_step,
                start: false,
                crash: first.crash.is_some() || first.is_anr,
                outside: first.package != self.app.package,
                never_left: states.iter().all(|&state| self.offers(state).all(|(_, times)| times == 0)),
                path: path.collect(),
                offered: gaps.offered(kind),
                done: gaps.offered(kind) - never.len() as u64,
                never_done: never
                    .iter()
                    .take(NEVER_DONE_MAX)
                    .map(|gap| (cut(gap.action.to_string(), ACTION_CHARS_MAX), gap.reason.to_string()))
                    .collect(),
            }
        };
        let mut all: Vec<Kind> = kept.iter().map(of_kind).collect();
        for start in self.starts() {
            if let Some(&at) = place.get(&kinds.of[start.to]) {
                all[at].start = true;
            }
        }
        let (ways, ways_left_out) = self.ways(&kinds, &links, &place, &all);
        let (abstracted, screens) = self.state_map().unzip();
        let map = AppMap {
            kinds_left_out: (kinds.states.len() - kept.len()) as u64,
            kinds: all,
            ways,
            ways_left_out,
            abstracted: abstracted.map(Box::new),
        };
        let states = kept.into_iter().map(|kind| kinds.states[kind].clone()).collect();
        Mapped { map, states, screens: screens.unwrap_or_default() }
    }

    /// Returns the kinds that have room on the map, in the order of their numbers: crashes and the most seen, each with
    /// the kinds on the path to it.
    fn kept_kinds(&self, kinds: &Kinds, paths: &Paths) -> Vec<usize> {
        let mut all: Vec<usize> = (0..kinds.states.len()).collect();
        let weight = |of: &Vec<usize>| {
            let states = of.iter().map(|&state| &self.states()[state]);
            let (mut seen, mut is_crash) = (0_u64, false);
            for state in states {
                seen = seen.saturating_add(state.seen);
                is_crash |= state.crash.is_some() || state.is_anr;
            }
            std::cmp::Reverse((is_crash, seen))
        };
        let weights: Vec<_> = kinds.states.iter().map(weight).collect();
        sorted::by_key(&mut all, |&kind| weights[kind]);
        let mut kept = BTreeSet::new();
        for kind in all {
            let path = paths.to(self, paths.nearest(&kinds.states[kind]));
            let more: BTreeSet<usize> =
                sorted::set(path.into_iter().map(|(_, state)| kinds.of[state]).chain([kind]));
            if kept.union(&more).count() <= KINDS_MAX {
                kept.extend(more);
            }
        }
        kept.into_iter().collect()
    }

    /// Returns the ways between the kinds at these places, and the number of those without room.
    fn ways(
        &self,
        kinds: &Kinds,
        links: &[Link],
        place: &BTreeMap<usize, usize>,
        all: &[Kind],
    ) -> (Vec<KindWay>, u64) {
        let mut by: BTreeMap<(usize, usize), BTreeMap<&str, u64>> = BTreeMap::new();
        for link in links {
            let ends = (place.get(&kinds.of[link.from]), place.get(&kinds.of[link.to]));
            // Most actions stay on a screen: an arrow for each would hide the others.
            if let (Some(&from), Some(&to)) = ends
                && from != to
            {
                *by.entry((from, to)).or_default().entry(self.offer(link.from, link.at)).or_insert(0) +=
                    link.times;
            }
        }
        let of_paths: BTreeSet<(usize, usize)> = sorted::set(
            all.iter().flat_map(|kind| kind.path.windows(2)).filter_map(|two| Some((two[0].to?, two[1].to?))),
        );
        let mut ways: Vec<(bool, KindWay)> = by
            .into_iter()
            .map(|((from, to), by)| {
                let (most, _) = by
                    .iter()
                    .max_by_key(|(name, times)| (**times, std::cmp::Reverse(**name)))
                    .expect("a way");
                let times = by.values().fold(0_u64, |sum, &times| sum.saturating_add(times));
                let way = KindWay {
                    from,
                    to,
                    by: cut(most.to_string(), ACTION_CHARS_MAX),
                    others: by.len() as u64 - 1,
                    times,
                };
                (of_paths.contains(&(from, to)), way)
            })
            .collect();
        // Ways of paths have room first, then those that were taken most often.
        sorted::by_key(&mut ways, |(is_of_path, way)| {
            (!is_of_path, std::cmp::Reverse(way.times), way.from, way.to)
        });
        let left_out = ways.len().saturating_sub(WAYS_MAX) as u64;
        ways.truncate(WAYS_MAX);
        let mut ways: Vec<KindWay> = ways.into_iter().map(|(_, way)| way).collect();
        sorted::by_key(&mut ways, |way| (way.from, way.to));
        (ways, left_out)
    }
}

/// Names of kinds, each with a number if it is that of another too.
#[derive(Default)]
pub(super) struct Names {
    taken: BTreeMap<Arc<str>, usize>,
}

impl Names {
    pub fn unlike_others(&mut self, state: &State) -> String {
        let times = self.taken.entry(state.name.clone()).or_insert(0);
        *times += 1;
        match *times {
            1 => state.name.to_string(),
            times => format!("{} {times}", state.name),
        }
    }
}

/// Shortest paths from the starts of the app to each state.
pub(super) struct Paths {
    /// Action and state before each state, and the length of the way; none for states that nothing is known to lead to.
    before: Vec<Option<(Before, usize)>>,
}

#[derive(Clone, Debug)]
enum Before {
    Start(Arc<str>),
    Link(Link),
}

impl Paths {
    pub fn new(model: &LearnedModel, links: &[Link]) -> Paths {
        let mut before: Vec<Option<(Before, usize)>> = vec![None; model.states().len()];
        let mut open = VecDeque::new();
        for start in model.starts() {
            if before[start.to].is_none() {
                before[start.to] = Some((Before::Start(start.by), 1));
                open.push_back(start.to);
            }
        }
        while let Some(here) = open.pop_front() {
            let length = before[here].as_ref().map_or(0, |(_, length)| *length);
            let first = links.partition_point(|link| link.from < here);
            let mut leaving: Vec<&Link> =
                links[first..].iter().take_while(|link| link.from == here).collect();
            // Of ways of the same length, the one that was taken most often is the surest.
            sorted::by_key(&mut leaving, |link| (std::cmp::Reverse(link.times), link.at, link.to));
            for link in leaving {
                if before[link.to].is_none() {
                    before[link.to] = Some((Before::Link(*link), length + 1));
                    open.push_back(link.to);
                }
            }
        }
        Paths { before }
    }

    /// Returns the number of steps to a state, many if no way is known.
    fn length(&self, state: usize) -> usize {
        self.before[state].as_ref().map_or(usize::MAX, |(_, length)| *length)
    }

    /// Returns the state of a kind that is nearest to a start.
    fn nearest(&self, states: &[usize]) -> usize {
        let nearest = states.iter().copied().min_by_key(|&state| (self.length(state), state));
        nearest.expect("a kind has a state")
    }

    /// Returns the actions to a state with the states after them.
    fn to(&self, model: &LearnedModel, state: usize) -> Vec<(Arc<str>, usize)> {
        let (mut path, mut at) = (Vec::new(), state);
        while let Some((before, _)) = &self.before[at] {
            match before {
                Before::Start(by) => {
                    path.push((by.clone(), at));
                    break;
                }
                Before::Link(link) => {
                    path.push((model.offer(link.from, link.at).into(), at));
                    at = link.from;
                }
            }
        }
        path.reverse();
        path
    }
}
