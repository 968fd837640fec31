//! Graph: the states of an app, their actions, and the transitions that these have led to.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::acts::{Act, Acts};
use super::priority::{Kind, Standing};
use crate::situation::{ActionId, ActivityId, LabelingId, Offer, Scene, ScreenId, StateId};

/// Most actions and transitions of all states, some 60 MB; beyond, all are forgotten.
const WEIGHT_MAX: usize = 1_000_000;

/// Most outcomes of an action that are told apart: the first ones.
const EDGES_MAX: usize = 64;

/// Times that an action is done, whatever the number of its widgets, until it is saturated.
const SATURATED: u32 = 2;

/// Lead of hits over misses from which on a transition is strong.
const LEAD: u32 = 2;

/// Most actions on widgets of a dialog.
const DIALOG_MAX: usize = 3;

/// Place of a state in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At(pub u32);

/// Outcome of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub to: At,
    /// Times that the action led there, and times that it did not, those before the first included: what an action has
    /// led to once in ten times is nothing to count on.
    pub hits: u32,
    pub misses: u32,
    /// Name of the offer that led there last.
    by: LabelingId,
}

impl Edge {
    /// Returns true if an offer has the name of the one that led there last.
    pub fn is_by_name(&self, offer: &Offer) -> bool {
        self.by == offer.labeling
    }

    /// Returns true if the action can be counted on to lead there.
    pub fn is_strong(&self) -> bool {
        self.misses == 0 || self.hits >= self.misses.saturating_add(LEAD)
    }
}

/// Action of a state.
#[derive(Clone, Debug)]
pub struct Known {
    pub id: ActionId,
    pub kind: Kind,
    is_on_widget: bool,
    /// Most widgets that it stood for.
    pub widgets: u32,
    pub visits: u32,
    /// True if it could not be chosen when the state was met last: that screen did not offer it, or the objective ruled it
    /// out.
    pub is_shut: bool,
    pub edges: Vec<Edge>,
}

impl Known {
    fn new(act: &Act) -> Known {
        Known {
            id: act.id,
            kind: act.kind,
            is_on_widget: act.is_on_widget,
            widgets: 0,
            visits: 0,
            is_shut: false,
            edges: Vec::new(),
        }
    }

    /// Returns true if it was done often enough.
    pub fn is_saturated(&self) -> bool {
        self.is_shut || self.visits >= self.widgets.clamp(1, SATURATED)
    }

    /// Returns true if it can be done and never was.
    pub fn is_open(&self) -> bool {
        self.visits == 0 && !self.is_shut
    }
}

/// State.
#[derive(Clone, Debug)]
pub struct State {
    pub activity: ActivityId,
    pub visits: u32,
    /// True if the app has started with it.
    pub is_entry: bool,
    /// True if a path to it has led elsewhere, and it was not met since.
    pub is_detached: bool,
    /// Actions by slot.
    actions: Vec<Option<Known>>,
    /// Number of its actions that are not saturated, and of those but the key back that are open.
    unsaturated: u32,
    open: u32,
    /// Screen that it was seen as last, if nothing was ruled out there.
    last: Option<ScreenId>,
}

impl State {
    /// Iterates over its actions and their slots.
    pub fn acts(&self) -> impl Iterator<Item = (u16, &Known)> {
        (0..).zip(&self.actions).filter_map(|(slot, known)| Some((slot, known.as_ref()?)))
    }

    /// Returns the action in a slot.
    pub fn act(&self, slot: u16) -> Option<&Known> {
        self.actions.get(usize::from(slot))?.as_ref()
    }

    /// Changes an action, and counts anew.
    fn change(&mut self, slot: u16, change: impl FnOnce(&mut Known)) {
        let Some(Some(known)) = self.actions.get_mut(usize::from(slot)) else { return };
        let counts = |known: &Known| {
            (u32::from(!known.is_saturated()), u32::from(known.is_open() && known.kind != Kind::Back))
        };
        let before = counts(known);
        change(known);
        let after = counts(known);
        self.unsaturated = self.unsaturated + after.0 - before.0;
        self.open = self.open + after.1 - before.1;
    }

    /// Returns true if all of its actions are saturated.
    pub fn is_saturated(&self) -> bool {
        self.unsaturated == 0
    }

    /// Returns true if it has few actions on widgets.
    pub fn is_dialog(&self) -> bool {
        self.acts().filter(|(_, known)| known.is_on_widget).count() <= DIALOG_MAX
    }

    /// Returns true if it has an action that was never done, and that is none of `offered`.
    pub fn is_greedy(&self, offered: &FxHashSet<ActionId>) -> bool {
        let is_new =
            |known: &Known| known.is_open() && known.kind != Kind::Back && !offered.contains(&known.id);
        self.is_open() && self.acts().any(|(_, known)| is_new(known))
    }

    /// Returns true if it has an action that was never done.
    pub fn is_open(&self) -> bool {
        self.open > 0
    }
}

/// Counts of an activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Activity {
    pub visits: u64,
    pub states: u32,
    /// Actions of its states, and those of them that were done.
    pub actions: u32,
    pub done: u32,
}

/// States, actions and transitions.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub states: Vec<State>,
    places: FxHashMap<StateId, At>,
    pub activities: BTreeMap<ActivityId, Activity>,
    /// Number of states and transitions that were ever new.
    pub changes: u64,
    weight: usize,
}

impl Graph {
    /// Returns the state at a place.
    pub fn state(&self, At(at): At) -> &State {
        &self.states[at as usize]
    }

    fn state_mut(&mut self, At(at): At) -> &mut State {
        &mut self.states[at as usize]
    }

    /// Returns true if so much is known that all must be forgotten.
    pub fn is_full(&self) -> bool {
        self.weight > WEIGHT_MAX
    }

    /// Takes in a screen, of whose offers `is_open` tells those that can be chosen; returns the place of its state.
    pub fn see(&mut self, scene: &Scene, acts: &Acts, is_open: Option<&dyn Fn(u16) -> bool>) -> At {
        let next = At(self.states.len() as u32);
        let at = *self.places.entry(scene.state).or_insert(next);
        let activity = self.activities.entry(scene.activity).or_default();
        if at == next {
            activity.states += 1;
            self.changes += 1;
            self.weight += 4;
            self.states.push(State {
                activity: scene.activity,
                visits: 0,
                is_entry: false,
                is_detached: false,
                actions: Vec::new(),
                unsaturated: 0,
                open: 0,
                last: None,
            });
        }
        let state = &mut self.states[at.0 as usize];
        if is_open.is_none() && state.last == Some(scene.screen_id) {
            return at;
        }
        state.last = is_open.is_none().then_some(scene.screen_id);
        for slot in 0..state.actions.len() as u16 {
            state.change(slot, |known| known.is_shut = true);
        }
        for act in &acts.all {
            let slot = usize::from(act.slot);
            if state.actions.len() <= slot {
                self.weight += slot + 1 - state.actions.len();
                state.actions.resize(slot + 1, None);
            }
            if state.actions[slot].is_none() {
                let known = Known::new(act);
                activity.actions += 1;
                state.unsaturated += 1;
                state.open += u32::from(known.kind != Kind::Back);
                state.actions[slot] = Some(known);
            }
            state.change(act.slot, |known| {
                known.widgets = known.widgets.max(act.ways.len() as u32);
                known.is_shut = is_open.is_some_and(|is_open| !act.has_any(is_open));
            });
        }
        at
    }

    /// Takes in a step: `offer`, one of the action in `slot` of `from`, has led to `to`.
    pub fn learn(&mut self, from: At, slot: u16, offer: &Offer, to: At) {
        let met = self.state_mut(to);
        met.visits = met.visits.saturating_add(1);
        met.is_detached = false;
        let activity = met.activity;
        self.activities.entry(activity).or_default().visits += 1;
        let (state, mut is_first, mut is_new) = (&mut self.states[from.0 as usize], false, false);
        state.change(slot, |known| {
            known.visits = known.visits.saturating_add(1);
            is_first = known.visits == 1;
            for edge in &mut known.edges {
                if edge.to == to {
                    edge.hits = edge.hits.saturating_add(1);
                    edge.by = offer.labeling;
                } else {
                    edge.misses = edge.misses.saturating_add(1);
                }
            }
            is_new = known.edges.len() < EDGES_MAX && known.edges.iter().all(|edge| edge.to != to);
            if is_new {
                known.edges.push(Edge { to, hits: 1, misses: known.visits - 1, by: offer.labeling });
            }
        });
        self.activities.entry(state.activity).or_default().done += u32::from(is_first);
        self.changes += u64::from(is_new);
        self.weight += usize::from(is_new);
    }

    /// Notes that the app starts with a state.
    pub fn note_entry(&mut self, at: At) {
        self.state_mut(at).is_entry = true;
    }

    /// Leaves a state out of paths until it is met by chance.
    pub fn detach(&mut self, at: At) {
        self.state_mut(at).is_detached = true;
    }

    /// Returns what the priority of an action depends on.
    pub fn standing(&self, from: At, slot: u16, widgets: u32) -> Standing {
        let state = self.state(from);
        let Some(known) = state.act(slot) else { return Standing::default() };
        let mut standing = Standing {
            kind: known.kind,
            widgets,
            is_visited: known.visits > 0,
            is_saturated: known.is_saturated(),
            ..Standing::default()
        };
        for edge in &known.edges {
            let to = self.state(edge.to);
            if to.is_saturated() {
                standing.to_saturated += 1;
            } else if to.activity == state.activity {
                standing.to_open_alike += 1;
            }
            standing.weak += u32::from(!edge.is_strong() && known.edges.len() > 1);
        }
        standing
    }

    /// Returns the activities that were hardly visited, and few of whose actions were done.
    pub fn trivial_activities(&self) -> Vec<ActivityId> {
        /// Fewest activities that are known before any of them counts as hardly visited.
        const KNOWN_MIN: usize = 4;
        /// States from which on an activity is large, and the shares of its actions that are few.
        const LARGE: u32 = 5;
        const FEW_OF_SMALL: f64 = 0.8;
        const FEW_OF_LARGE: f64 = 0.5;
        if self.activities.len() < KNOWN_MIN {
            return Vec::new();
        }
        let mut visits: Vec<u64> = self.activities.values().map(|activity| activity.visits).collect();
        visits.sort_unstable();
        let middle = visits.len() / 2;
        let median = match visits.len() % 2 {
            0 => (visits[middle - 1] + visits[middle]) as f64 / 2.0,
            _ => visits[middle] as f64,
        };
        let mean = visits.iter().sum::<u64>() as f64 / visits.len() as f64;
        let is_trivial = |activity: &Activity| {
            let few = if activity.states < LARGE { FEW_OF_SMALL } else { FEW_OF_LARGE };
            activity.visits as f64 <= median.max(mean)
                && f64::from(activity.done) <= few * f64::from(activity.actions)
        };
        let trivial = self.activities.iter().filter(|(_, activity)| is_trivial(activity));
        trivial.map(|(&id, _)| id).collect()
    }
}
