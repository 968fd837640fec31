//! Counts of what was done: in a state, under a name, and behind an action.

use rustc_hash::FxHashSet;

use crate::recent::Recent;
use crate::situation::{LabelingId, Offer, Scene, StateId};

/// States with counts in each half of their table: 32 MB where each has 100 actions.
const STATES_HALF: usize = 20_000;

/// Names with counts in each half of their table: some 3 MB.
const NAMES_HALF: usize = 100_000;

/// Most actions of an episode that are told apart from the others.
const EPISODE_MAX: usize = 10_000;

/// Actions of pages some steps ahead, by how often they were done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ahead {
    /// Number of those never done.
    pub never: f32,
    /// Number of those done once.
    pub once: f32,
    /// Number of all.
    pub all: f32,
}

impl Ahead {
    fn add(&mut self, other: Ahead) {
        self.never += other.never;
        self.once += other.once;
        self.all += other.all;
    }
}

/// Counts of an action in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Done {
    times: u32,
    /// State that it led to last.
    to: StateId,
}

/// Counts of a state.
#[derive(Clone, Debug, Default)]
struct Place {
    /// Actions by slot.
    done: Vec<Done>,
    visits: u32,
    /// Its own actions, those of the pages behind it, and those behind these, as they were when it was left last.
    generations: [Ahead; 3],
}

/// Knowledge of an action before it is done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// Times it was done in the state.
    pub times: u32,
    /// Times anything of its name was done.
    pub of_name: u32,
    /// True if it was done in this episode, in this state or anywhere under its name.
    pub in_episode: [bool; 2],
    /// Actions one, two and three steps ahead of it; none if nobody knows where it leads.
    pub ahead: Option<[Ahead; 3]>,
    /// True if it led back to the same state.
    pub stays: bool,
}

/// Counts of a run.
#[derive(Clone, Debug)]
pub struct Counts {
    places: Recent<StateId, Place>,
    names: Recent<LabelingId, u32>,
    /// Actions of the episode.
    episode: FxHashSet<(StateId, u16)>,
    episode_names: FxHashSet<LabelingId>,
}

impl Default for Counts {
    fn default() -> Counts {
        Counts {
            places: Recent::new(STATES_HALF),
            names: Recent::new(NAMES_HALF),
            episode: FxHashSet::default(),
            episode_names: FxHashSet::default(),
        }
    }
}

impl Counts {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.episode.clear();
        self.episode_names.clear();
    }

    /// Returns the times that a state was left.
    pub fn visits(&self, state: StateId) -> u32 {
        self.places.peek(&state).map_or(0, |place| place.visits)
    }

    /// Returns what is known of an offer of a state.
    pub fn known(&self, state: StateId, offer: &Offer) -> Known {
        let place = self.places.peek(&state);
        let done = place.and_then(|place| place.done.get(usize::from(offer.slot))).copied();
        let done = done.filter(|done| done.times > 0);
        Known {
            times: done.map_or(0, |done| done.times),
            of_name: self.names.peek(&offer.labeling).copied().unwrap_or(0),
            in_episode: [
                self.episode.contains(&(state, offer.slot)),
                self.episode_names.contains(&offer.labeling),
            ],
            ahead: done.and_then(|done| self.places.peek(&done.to)).map(|place| place.generations),
            stays: done.is_some_and(|done| done.to == state),
        }
    }

    /// Counts a step by an offer of `from` to the state `to`.
    pub fn add(&mut self, from: &Scene, offer: &Offer, to: &Scene) {
        let (state, slot) = (from.state, usize::from(offer.slot));
        let name = self.names.get_or_insert_with(offer.labeling, || 0, drop);
        *name = name.saturating_add(1);
        if self.episode.len() < EPISODE_MAX {
            self.episode.insert((state, offer.slot));
            self.episode_names.insert(offer.labeling);
        }
        self.note(to);
        self.note(from);
        let place = self.places.get_or_insert_with(state, Place::default, drop);
        place.visits = place.visits.saturating_add(1);
        let done = &mut place.done[slot];
        *done = Done { times: done.times.saturating_add(1), to: to.state };
        self.sum_up(state);
    }

    /// Makes a place for a state, with room for all its actions.
    fn note(&mut self, scene: &Scene) {
        let place = self.places.get_or_insert_with(scene.state, Place::default, drop);
        let slots = usize::from(scene.slots);
        if place.done.len() < slots {
            place.done.resize(slots, Done { times: 0, to: StateId::NONE });
            place.generations[0] = own(&place.done);
        }
    }

    /// Works out the generations of a state anew.
    fn sum_up(&mut self, state: StateId) {
        let Some(place) = self.places.peek(&state) else { return };
        let mut generations = [own(&place.done), Ahead::default(), Ahead::default()];
        let mut last = StateId::NONE;
        for done in place.done.iter().filter(|done| done.times > 0 && done.to != state) {
            // Neighbours that lead to the same page count once.
            if done.to != last {
                let behind = self.places.peek(&done.to).map(|place| place.generations).unwrap_or_default();
                generations[1].add(behind[0]);
                generations[2].add(behind[1]);
            }
            last = done.to;
        }
        self.places.get_or_insert_with(state, Place::default, drop).generations = generations;
    }
}

fn own(done: &[Done]) -> Ahead {
    let count = |times: u32| done.iter().filter(|done| done.times == times).count() as f32;
    Ahead { never: count(0), once: count(1), all: done.len() as f32 }
}
