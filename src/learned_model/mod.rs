//! Learned model: the screens of an app that were seen, the actions that they offer, and the transitions between them,
//! all counted.
//!
//! Exploring counts into it, step by step, and goes on from one of an earlier run. It is the file `model.json`, see
//! [`LearnedModel::read`] and [`LearnedModel::to_text`]; and what maps and reasons for gaps are made from. It names
//! actions as they are printed, and screens by their identities. Its size is bounded; what is beyond is counted and not
//! told apart by later runs.

mod diff;
mod file;
mod map;
mod reasons;
mod reducer;
mod state_map;
mod states;
mod states_file;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::gui::{Action, Flags, Identity, Outline, Screen};
use crate::sorted;

pub use diff::{Alike, Difference, Missed, ModelDiff, Side};
pub use file::VERSION;
pub use map::Mapped;
pub use reasons::Reason;
pub use reducer::Reducer;
pub use states::{
    AbstractEdge, AbstractState, AbstractWidget, Barred, Gathering, GrownTree, LearnedAbstraction, NOTES_MAX,
    NamedScreen, NamedWidget, Naming, STARTS, StateKey, TREES_MAX,
};

/// Most states that are kept.
pub const STATES_MAX: usize = 20_000;

/// Most actions of states that are kept.
pub const OFFERS_MAX: usize = 500_000;

/// Most transitions that are kept.
pub const TRANSITIONS_MAX: usize = 200_000;

/// Most bytes of what is kept: the file is small enough to be read again.
const BYTES_MAX: usize = 48 << 20;

/// Bytes of a state, of an action of it and of a transition, besides their texts.
const STATE_BYTES: usize = 400;
const OFFER_BYTES: usize = 40;
const TRANSITION_BYTES: usize = 100;

/// Most screens, actions of screens and transitions beyond those bounds that are told apart in a run, each.
const BEYOND_MAX: usize = 1_000_000;

/// Most activities, crashes and points of the curve.
const ACTIVITIES_MAX: usize = 10_000;
const FAULTS_MAX: usize = 10_000;
const CURVE_MAX: usize = 4_000;

/// Points of the curve between a number of steps and its double.
const CURVE_POINTS: u64 = 64;

/// Most characters of an action, and of the text in the name of a screen.
const LABEL_CHARS_MAX: usize = 300;
const NAME_CHARS_MAX: usize = 30;

/// Counts at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// Steps so far.
    pub steps: u64,
    /// Activities of the app so far.
    pub activities: usize,
    /// Screens so far.
    pub screens: usize,
    /// Different actions of screens that were done so far.
    pub done: usize,
    /// Transitions so far: a screen, an action and the screen after it.
    pub transitions: usize,
}

/// App that a model is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelApp {
    /// Its package.
    pub package: Arc<str>,
    /// Its version, as its makers call it.
    pub version: Arc<str>,
    /// Activities that it declares, by their full names; empty if they are not known.
    pub activities: Vec<Arc<str>>,
}

/// Crash, or lack of an answer, that was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownFault {
    /// Identity of the crash; empty if it is not known.
    pub identity: Arc<str>,
    /// True if the app did not respond, in place of crashing.
    pub is_anr: bool,
    /// Episodes that ended in it.
    pub times: u64,
    /// Number of the step, from 1, at which it was met first.
    pub first_step: u64,
}

/// Screen that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Identity: screens that share it look the same.
    pub identity: Identity,
    /// Structure without contents: states that share it are of one kind.
    pub kind: u64,
    /// Name that a person can recognise.
    pub name: Arc<str>,
    /// Package in front.
    pub package: Arc<str>,
    /// Activity in front, in full.
    pub activity: Arc<str>,
    /// Times that it was seen.
    pub seen: u64,
    /// Step at which it was seen first, from 1.
    pub first_step: u64,
    /// Identity of the crash that it shows, empty if that is not known; none if the app runs.
    pub crash: Option<Arc<str>>,
    /// True if the app does not respond.
    pub is_anr: bool,
    /// Actions that it offers.
    offers: Vec<Offer>,
    /// Number of actions whose places are known in this run, and the places unless they are in order.
    placed: usize,
    places: Option<Box<[u16]>>,
}

/// Action that a state offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Offer {
    label: u32,
    times: u32,
}

/// Transition from a state by one of its actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Number of the state before.
    pub from: usize,
    /// Place of the action among those of that state.
    pub at: usize,
    /// Number of the state after.
    pub to: usize,
    /// Times that it was taken.
    pub times: u64,
}

/// Start of the app that led to a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Start as it is printed.
    pub by: Arc<str>,
    /// Number of the state after.
    pub to: usize,
    /// Times that it was taken.
    pub times: u64,
}

/// Numbers of what was left out, as there was no room for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Screens.
    pub states: usize,
    /// Different actions of screens that were done.
    pub done: usize,
    /// Transitions.
    pub transitions: usize,
}

/// Step to count: an action, and the screens before and after it, with what they offer.
#[derive(Clone, Copy, Debug)]
pub struct SeenStep<'a> {
    /// Screen before it and the actions there; none before the app is started.
    pub from: Option<(&'a Screen, &'a [Action])>,
    /// Action.
    pub action: &'a Action,
    /// Place of the action among those of the screen before.
    pub at: u16,
    /// Screen after it and the actions there.
    pub to: (&'a Screen, &'a [Action]),
}

/// Returns true if the curve has a point after this number of steps, whatever the episodes: each of the first, then as many
/// between a number and its double.
fn is_point(steps: u64) -> bool {
    let octave = 1_u64 << steps.max(1).ilog2();
    steps.is_multiple_of((octave / CURVE_POINTS).max(1))
}

/// Actions as they are printed, each kept once, behind each other: there may be half a million.
#[derive(Clone, Debug, Default)]
struct Labels {
    text: String,
    /// Ends of the actions in the text.
    ends: Vec<u32>,
    /// Numbers by hash, or by one of the numbers after it where others share the hash.
    numbers: FxHashMap<u64, u32>,
}

impl Labels {
    /// Returns the number of an action, or the key that a new one has.
    fn find(&self, label: &str) -> Result<u32, u64> {
        let mut hasher = FxHasher::default();
        label.hash(&mut hasher);
        let mut key = hasher.finish();
        while let Some(&number) = self.numbers.get(&key) {
            if self.get(number) == label {
                return Ok(number);
            }
            key = key.wrapping_add(1);
        }
        Err(key)
    }

    fn known(&self, label: &str) -> Option<u32> {
        self.find(label).ok()
    }

    fn number(&mut self, label: &str) -> u32 {
        self.find(label).unwrap_or_else(|key| {
            let number = self.ends.len() as u32;
            self.text.push_str(label);
            self.ends.push(self.text.len() as u32);
            self.numbers.insert(key, number);
            number
        })
    }

    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[number] as usize]
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|number| self.get(number))
    }
}

/// News beyond the bounds, told apart in this run alone.
#[derive(Clone, Debug, Default)]
struct Beyond {
    states: FxHashSet<u64>,
    done: FxHashSet<u64>,
    transitions: FxHashSet<u64>,
}

/// Screens, actions and transitions of an app, as far as they were seen.
#[derive(Clone, Debug, Default)]
pub struct LearnedModel {
    /// App.
    pub app: ModelApp,
    /// Episodes.
    pub episodes: u32,
    /// Steps on the device, the first of each episode included.
    pub steps: u64,
    /// Time that passed on the device.
    pub device_ms: u64,
    /// Step that last brought something new: an activity, a screen, or an action.
    pub last_new: u64,
    /// Steps at which each activity of the app was seen first, from 1.
    pub activities: BTreeMap<Arc<str>, u64>,
    /// Crashes, in the order in which they were met.
    pub faults: Vec<KnownFault>,
    /// Counts after each episode that brought something new, and at the end.
    pub curve: Vec<Point>,
    /// States of the abstraction in use, if it is one that names widgets.
    pub abstraction: Option<Box<LearnedAbstraction>>,
    labels: Labels,
    states: Vec<State>,
    numbers: FxHashMap<Identity, u32>,
    starts: BTreeMap<(u32, u32), u64>,
    transitions: FxHashMap<(u32, u16, u32), u32>,
    /// Actions of all states, and those of them that were done.
    offers: usize,
    done: usize,
    /// Bytes that the file takes, at most.
    bytes: usize,
    /// Numbers of earlier runs.
    left_out: LeftOut,
    beyond: Beyond,
}

impl LearnedModel {
    /// Returns the model of an app of which nothing has been seen.
    pub fn new(app: ModelApp) -> LearnedModel {
        LearnedModel { app, ..LearnedModel::default() }
    }

    /// Returns the states, by their numbers.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Returns the actions that the state numbered `state` offers, as they are printed, and how often each was done.
    pub fn offers(&self, state: usize) -> impl ExactSizeIterator<Item = (&str, u64)> {
        self.states[state].offers.iter().map(|offer| (self.labels.get(offer.label), offer.times.into()))
    }

    /// Returns the action at the place `at` among those of a state, as it is printed.
    pub fn offer(&self, state: usize, at: usize) -> &str {
        self.labels.get(self.states[state].offers[at].label)
    }

    /// Returns the transitions in the order of their states and actions.
    pub fn links(&self) -> Vec<Link> {
        let link = |(&(from, at, to), &times): (&(u32, u16, u32), &u32)| Link {
            from: from as usize,
            at: at.into(),
            to: to as usize,
            times: times.into(),
        };
        let mut links: Vec<Link> = self.transitions.iter().map(link).collect();
        links.sort_unstable_by_key(|link| (link.from, link.at, link.to));
        links
    }

    /// Returns the starts of the app, in alphabetical order.
    pub fn starts(&self) -> Vec<Start> {
        let start = |(&(label, to), &times): (&(u32, u32), &u64)| Start {
            by: self.labels.get(label).into(),
            to: to as usize,
            times,
        };
        let mut starts: Vec<Start> = self.starts.iter().map(start).collect();
        sorted::by(&mut starts, |one, other| one.by.cmp(&other.by).then(one.to.cmp(&other.to)));
        starts
    }

    /// Returns the number of a state.
    pub fn number(&self, identity: Identity) -> Option<usize> {
        self.numbers.get(&identity).map(|&number| number as usize)
    }

    /// Returns true if a crash of this identity was met.
    pub fn has_fault(&self, identity: &str, is_anr: bool) -> bool {
        self.faults.iter().any(|fault| *fault.identity == *identity && fault.is_anr == is_anr)
    }

    /// Returns the number of actions of states that were never done.
    pub fn never_done(&self) -> usize {
        self.offers - self.done
    }

    /// Returns the numbers of what there was no room for.
    pub fn left_out(&self) -> LeftOut {
        let LeftOut { states, done, transitions } = self.left_out;
        LeftOut {
            states: states + self.beyond.states.len(),
            done: done + self.beyond.done.len(),
            transitions: transitions + self.beyond.transitions.len(),
        }
    }

    /// Returns the counts after `steps`.
    pub fn point(&self, steps: u64) -> Point {
        let left_out = self.left_out();
        Point {
            steps,
            activities: self.activities.len(),
            screens: self.states.len() + left_out.states,
            done: self.done + left_out.done,
            transitions: self.transitions.len() + left_out.transitions,
        }
    }

    /// Returns the counts at the end.
    pub fn last_point(&self) -> Point {
        self.point(self.steps)
    }

    /// Adds the counts after `steps` to the curve, unless they are those of its last point.
    pub fn push_point(&mut self, steps: u64) {
        let point = self.point(steps);
        if !self.curve.last().is_some_and(|last| Point { steps, ..*last } == point) {
            if self.curve.len() >= CURVE_MAX {
                let mut at = 0;
                self.curve.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
            }
            self.curve.push(point);
        }
    }

    /// Ends the curve at `steps`.
    pub fn end_curve(&mut self, steps: u64) {
        let last = self.point(steps);
        if self.curve.last() != Some(&last) {
            self.curve.push(last);
        }
    }

    /// Takes in a step, which has this number.
    pub fn add_step(&mut self, number: u64, step: &SeenStep<'_>) {
        if self.add(number, step) {
            self.last_new = number;
        }
        if is_point(number) {
            self.push_point(number);
        }
    }

    /// Takes in the step of this number; returns true if it brought something new.
    fn add(&mut self, number: u64, step: &SeenStep<'_>) -> bool {
        let (screen, actions) = step.to;
        let mut is_new = false;
        if screen.package() == &self.app.package
            && !self.activities.contains_key(screen.activity())
            && self.activities.len() < ACTIVITIES_MAX
            && self.takes(OFFER_BYTES + json_len(screen.activity()))
        {
            self.activities.insert(screen.activity().clone(), number);
            is_new = true;
        }
        let (to, is_new_state) = self.see(screen, actions, number);
        is_new |= is_new_state;
        let Some((before, before_actions)) = step.from else {
            // A start is no action of a screen.
            if let Some(to) = to {
                let label = self.labels.number(&label(step.action));
                *self.starts.entry((label, to)).or_insert(0) += 1;
            }
            return is_new;
        };
        let known = self.numbers.get(&before.sight()).copied();
        let at = known.and_then(|from| Some((from, self.place(from, before_actions, step.at)?)));
        let Some((from, at)) = at else {
            let key = (before.sight().0, step.at);
            is_new |= insert(&mut self.beyond.done, &key);
            insert(&mut self.beyond.transitions, &(key, screen.sight().0));
            return is_new;
        };
        let offer = &mut self.states[from as usize].offers[usize::from(at)];
        is_new |= offer.times == 0;
        self.done += usize::from(offer.times == 0);
        offer.times = offer.times.saturating_add(1);
        let bytes = TRANSITION_BYTES + json_len(self.labels.get(offer.label));
        let Some(to) = to else {
            insert(&mut self.beyond.transitions, &(from, at, screen.sight().0));
            return is_new;
        };
        if let Some(times) = self.transitions.get_mut(&(from, at, to)) {
            *times = times.saturating_add(1);
        } else if self.transitions.len() < TRANSITIONS_MAX && self.takes(bytes) {
            self.transitions.insert((from, at, to), 1);
        } else {
            insert(&mut self.beyond.transitions, &(from, at, screen.sight().0));
        }
        is_new
    }

    /// Returns true if there is room for this many bytes more, which are taken then.
    fn takes(&mut self, bytes: usize) -> bool {
        let has_room = self.bytes + bytes <= BYTES_MAX;
        self.bytes += if has_room { bytes } else { 0 };
        has_room
    }

    /// Takes notice of a screen; returns its number if it is kept, and true if it is new.
    fn see(&mut self, screen: &Screen, actions: &[Action], number: u64) -> (Option<u32>, bool) {
        let identity = screen.sight();
        if let Some(&known) = self.numbers.get(&identity) {
            self.states[known as usize].seen += 1;
            self.offer_all(known, actions);
            return (Some(known), false);
        }
        let context = screen.context();
        let name: Arc<str> = name(screen).into();
        let bytes = STATE_BYTES + json_len(&name) + json_len(screen.package()) + json_len(screen.activity());
        let bytes = bytes + screen.crash().map_or(0, |crash| json_len(crash));
        if self.states.len() >= STATES_MAX || !self.takes(bytes) {
            return (None, insert(&mut self.beyond.states, &identity.0));
        }
        let state = self.states.len() as u32;
        self.states.push(State {
            identity,
            kind: kind(screen),
            name,
            package: screen.package().clone(),
            activity: screen.activity().clone(),
            seen: 1,
            first_step: number,
            crash: context.crashed.then(|| screen.crash().cloned().unwrap_or_default()),
            is_anr: context.anr,
            offers: Vec::new(),
            placed: 0,
            places: None,
        });
        self.numbers.insert(identity, state);
        self.offer_all(state, actions);
        (Some(state), true)
    }

    /// Adds the actions that a state offers, as far as they are new.
    fn offer_all(&mut self, state: u32, actions: &[Action]) {
        // The same screen offers the same, but for texts that are learned on the way and make its actions more.
        if self.states[state as usize].placed == actions.len() {
            return;
        }
        // Actions on two widgets may be printed alike; these are told apart by their order.
        let mut free: FxHashMap<u32, Vec<u16>> = FxHashMap::default();
        let known = &self.states[state as usize].offers;
        for (at, offer) in known.iter().enumerate().rev() {
            free.entry(offer.label).or_default().push(at as u16);
        }
        let mut places = Vec::with_capacity(actions.len());
        for action in actions {
            let label = label(action);
            let known = self.labels.known(&label).and_then(|label| free.get_mut(&label)?.pop());
            let place = match known {
                Some(place) => place,
                None => {
                    let bytes = OFFER_BYTES + json_len(&label);
                    let place = self.states[state as usize].offers.len();
                    if self.offers >= OFFERS_MAX || place >= usize::from(u16::MAX) || !self.takes(bytes) {
                        u16::MAX
                    } else {
                        self.offers += 1;
                        let label = self.labels.number(&label);
                        self.states[state as usize].offers.push(Offer { label, times: 0 });
                        place as u16
                    }
                }
            };
            places.push(place);
        }
        let is_in_order = places.iter().enumerate().all(|(at, &place)| usize::from(place) == at);
        let known = &mut self.states[state as usize];
        known.placed = actions.len();
        known.places = (!is_in_order).then(|| places.into());
    }

    /// Returns the place among the actions of a state of that at `at` among `actions`; none if it has no room.
    fn place(&mut self, state: u32, actions: &[Action], at: u16) -> Option<u16> {
        self.offer_all(state, actions);
        let place = match &self.states[state as usize].places {
            Some(places) => *places.get(usize::from(at))?,
            None => at,
        };
        (usize::from(place) < self.states[state as usize].offers.len()).then_some(place)
    }

    /// Adds `times` episodes that ended in a crash, first at step `first_step`.
    pub fn add_fault(&mut self, identity: &Arc<str>, is_anr: bool, times: u64, first_step: u64) {
        let is_it = |fault: &&mut KnownFault| fault.identity == *identity && fault.is_anr == is_anr;
        if let Some(known) = self.faults.iter_mut().find(is_it) {
            known.times += times;
        } else if self.faults.len() < FAULTS_MAX && self.takes(STATE_BYTES + json_len(identity)) {
            self.faults.push(KnownFault { identity: identity.clone(), is_anr, times, first_step });
        }
    }
}

/// Adds a hash of `one` to `all` as long as there is room; returns true if it is new.
fn insert(all: &mut FxHashSet<u64>, one: &impl Hash) -> bool {
    let mut hasher = FxHasher::default();
    one.hash(&mut hasher);
    all.len() < BEYOND_MAX && all.insert(hasher.finish())
}

/// Returns the most bytes that `text` takes in the file.
fn json_len(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' => 2,
        0..32 => 6,
        _ => 1,
    };
    text.bytes().map(escaped).sum::<usize>() + 2
}

/// Returns an action as it is printed, cut after [`LABEL_CHARS_MAX`].
fn label(action: &Action) -> String {
    cut(action.to_string(), LABEL_CHARS_MAX)
}

fn cut(mut text: String, chars_max: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(chars_max) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Returns the structure of a screen, whichever way the display is turned, and whatever surrounds the app.
fn kind(screen: &Screen) -> u64 {
    let usual = screen.context().usual();
    if screen.context() == usual {
        Outline::new(screen).frame
    } else {
        Outline::new(&screen.in_context(usual)).frame
    }
}

/// Returns a name that a person recognises a screen by: its activity, and the first text on it that nobody has typed.
fn name(screen: &Screen) -> String {
    let activity = crate::gui::short_activity(screen.activity());
    let activity = cut(activity.to_string(), 60);
    let context = screen.context();
    if context.crashed || context.anr {
        let what = if context.crashed { "crashed" } else { "no answer" };
        return format!("{activity} ({what})");
    }
    let shown =
        || screen.widgets().iter().filter(|widget| widget.is_visible() && !widget.flags.has(Flags::TYPED));
    // Descriptions are mostly of buttons that many screens share.
    let texts = shown().map(|widget| &widget.text).chain(shown().map(|widget| &widget.desc));
    let mut texts = texts.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    match texts.find(|text| !text.is_empty()) {
        Some(said) => format!("{activity} “{}”", cut(said, NAME_CHARS_MAX)),
        None => activity,
    }
}
