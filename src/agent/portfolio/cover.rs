//! Coverage: each action on each kind of page, and with each trace of the steps before, those first that were done least,
//! are near, and need little before.
//!
//! An app keeps things that it does not show: a filter that is set, a session that has ended. They count at another
//! action, so trying each action on each page is not enough. An event is an action by its name in an activity, a page the
//! structure of a screen without its contents. A trace is what the app may have kept: an activity that was left with other
//! contents than at first, or has them now; another context, like landscape; and the last two events that did more than to
//! open an activity. Coverage does each event on each page, with each trace, and with each two traces.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::gui::{Action, DeviceAction, Flags, Outline, Touch};
use crate::rng::Rng;
use crate::situation::{ActionId, ActivityId, Offer, Scene, Situation, StateId, Transition};

/// Most events that are told apart, most states that are kept, most offers of a state that are looked at, and most counts
/// of each kind.
const EVENTS_MAX: usize = 4_000;
const STATES_MAX: usize = 5_000;
const OFFERS_MAX: usize = 200;
const COUNTED_MAX: usize = 100_000;
/// Room that a row takes before it has any counts, as a number of counts.
const ROW: usize = 16;
/// Most situations that a way is looked for through, and most of their actions: an app that shows new screens for ever has no
/// near ones beyond.
const NODES_MAX: usize = 3_000;
const LOOKED_AT_MAX: usize = 40_000;
/// Most activities whose contents are remembered, the latest.
const LOOKS_MAX: usize = 4;
/// Factor on the worth of an event for each step before it. This number and those below were chosen on eight apps with
/// planted crashes other than those of `benches/crashes`, which reported.
const FARTHER: f64 = 0.8;
/// Worth of an event by its action, before anything is known of its effect.
const CLICK: f64 = 1.0;
const TEXT: f64 = 0.4;
const DEVICE: f64 = 0.2;
const TOUCH: f64 = 0.2;
const STROKE: f64 = 0.1;
/// Worth of a touch on a field, which only puts the caret there.
const FIELD: f64 = 0.1;
/// Factor on the worth of a click that has changed nothing yet: it may lack what comes before.
const WITHOUT_EFFECT: f64 = 2.0;
/// Factor on the worth of an event with at least so many kin that were done, like rows of a list, if none changed anything.
const INERT: f64 = 0.2;
const INERT_MIN: u32 = 4;
/// Worth of an event that was never done on a page, and weight of a trace that it was never done with: contents, a
/// context, and an event before.
const ON_PAGE: f64 = 3.0;
const WITH_LOOK: f64 = 0.8;
const WITH_CONTEXT: f64 = 0.3;
const AFTER_EVENT: f64 = 0.6;
/// Least factor on the last for events other than clicks.
const AFTER_OTHER: f64 = 0.4;

/// Additional worth of a click that was never done anywhere: it may lead to a part of the app that nobody has seen. The steps
/// before it count little, as what is behind it is near then: each adds this part to the divisor of the worth. Both numbers
/// were chosen on made-up apps of 20 activities, of the half for choosing.
const NEVER: f64 = 15.0;
const FARTHER_TO_NEW: f64 = 0.15;
/// Most steps of a way that is kept for a state, and most states that are looked at for such a way.
const TRAIL_MAX: usize = 60;
const TRAILS_MAX: usize = 500;

/// Factor on a bound, so that it stays one whatever is rounded.
const ROUNDED: f64 = 1.000_001;

/// Number of an event, of a page, and of an activity.
type EventId = u16;
type PageId = u16;
type PlaceId = u16;

/// Event, and its effects so far.
#[derive(Clone, Copy, Debug)]
struct Event {
    worth: f64,
    times: u32,
    /// Times that it changed the screen, and that it opened an activity for the first time in an episode.
    changed: u32,
    opened: u32,
    is_click: bool,
    is_back: bool,
    /// True if it may change what counts later: going back does not.
    is_kept: bool,
    /// Events whose names differ from its own in their digits alone, if it has any.
    kin: Option<u16>,
}

/// Events whose names differ in their digits alone.
#[derive(Clone, Copy, Debug, Default)]
struct Kin {
    /// Number of those that were done, and of those that changed the screen.
    done: u32,
    changed: u32,
}

impl Kin {
    fn is_inert(self) -> bool {
        self.done >= INERT_MIN && self.changed == 0
    }
}

impl Event {
    fn new(action: &Action, is_on_field: bool, kin: Option<u16>) -> Event {
        let worth = match action {
            Action::Touch(..) if is_on_field => FIELD,
            // A page says which of its elements wait for two clicks, and enter sends a text as a button does.
            Action::Touch(Touch::Click | Touch::DoubleClick, _)
            | Action::Device(DeviceAction::Enter)
            | Action::User { .. } => CLICK,
            Action::Text { .. } => TEXT,
            Action::Device(_) => DEVICE,
            Action::Touch(_, _) => TOUCH,
            Action::Stroke(..) => STROKE,
            Action::Reinitialise(_) => 0.0,
        };
        let is_back = matches!(action, Action::Device(DeviceAction::Back));
        let is_kept = match action {
            Action::Device(_) => !is_back,
            Action::Touch(..) | Action::User { .. } | Action::Text { .. } => true,
            Action::Stroke(..) | Action::Reinitialise(_) => false,
        };
        let is_click = match action {
            Action::Touch(Touch::Click | Touch::DoubleClick, _) => !is_on_field,
            Action::Device(DeviceAction::Enter) => true,
            Action::Touch(..)
            | Action::Text { .. }
            | Action::Stroke(..)
            | Action::Device(_)
            | Action::User { .. }
            | Action::Reinitialise(_) => false,
        };
        Event { worth, times: 0, changed: 0, opened: 0, is_click, is_back, is_kept, kin }
    }

    fn worth(&self, kins: &[Kin]) -> f64 {
        if self.kin.is_some_and(|kin| kins[usize::from(kin)].is_inert()) {
            return INERT * self.worth;
        }
        let is_without_effect = self.is_click && self.times > 0 && self.changed == 0;
        self.worth * if is_without_effect { WITHOUT_EFFECT } else { 1.0 }
    }

    fn is_new_click(&self) -> bool {
        self.is_click && self.times == 0
    }

    /// Returns the additional worth of a click of this worth that was never done, so many steps away; 0 for other events.
    fn worth_of_new(&self, worth: f64, steps: u32) -> f64 {
        if self.is_new_click() { NEVER * worth / (1.0 + FARTHER_TO_NEW * f64::from(steps)) } else { 0.0 }
    }

    /// Returns the weight of the event as a trace; 0 if it mostly opens activities, as far as is known.
    fn weight(&self) -> f64 {
        if !self.is_kept || self.times > 0 && 2 * self.opened >= self.times {
            return 0.0;
        }
        AFTER_EVENT * if self.is_click { 1.0 } else { self.worth.max(AFTER_OTHER) }
    }
}

/// Something that the app may have kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Trace {
    /// Contents of an activity.
    Look(u32),
    /// Context of the screen.
    Context(u64),
    /// Event of the last two.
    Event(EventId),
}

/// Activities that were left with other contents than at first, the latest first.
type Looks = [Option<(PlaceId, StateId)>; LOOKS_MAX];

/// Returns what `looks` are after an event in `state`.
fn looks_after(looks: &Looks, state: StateId, known: &Known) -> Looks {
    let others = looks.iter().flatten().copied().filter(|&(place, _)| place != known.place);
    let this = (known.rank > 0).then_some((known.place, state));
    let mut after = [None; LOOKS_MAX];
    for (slot, look) in after.iter_mut().zip(this.into_iter().chain(others)) {
        *slot = Some(look);
    }
    after
}

/// The last two events that did more than to open an activity, each in 16 bits as its number and one, the latest lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Past(u32);

impl Past {
    /// Returns the past after an event of this weight as a trace.
    fn after(self, event: EventId, weight: f64) -> Past {
        if weight > 0.0 { Past(self.0 << 16 | (u32::from(event) + 1)) } else { self }
    }

    /// Returns the events, the latest first.
    fn events(self) -> impl Iterator<Item = EventId> {
        [self.0 & 0xffff, self.0 >> 16].into_iter().filter(|&one| one > 0).map(|one| (one - 1) as EventId)
    }
}

/// Steps of an episode, as far as they leave traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Memory {
    looks: Looks,
    past: Past,
}

impl Memory {
    /// Returns the memory after an `event` of this weight in `state`.
    fn after(self, event: EventId, weight: f64, state: StateId, known: &Known) -> Memory {
        Memory { looks: looks_after(&self.looks, state, known), past: self.past.after(event, weight) }
    }
}

/// Times that events were done, from the least number of an event that was.
#[derive(Clone, Debug, Default)]
struct Row {
    base: EventId,
    times: Vec<u32>,
}

impl Row {
    /// Returns the length of the row once it also has `event`.
    fn len_with(&self, event: EventId) -> usize {
        let end = usize::from(self.base) + self.times.len();
        end.max(usize::from(event) + 1) - usize::from(self.base.min(event))
    }

    fn of(&self, event: EventId) -> u32 {
        self.times.get(usize::from(event.wrapping_sub(self.base))).copied().unwrap_or(0)
    }

    /// Counts `event` once more.
    fn count(&mut self, event: EventId) {
        if self.times.is_empty() {
            self.base = event;
        }
        if event < self.base {
            let mut longer = vec![0; usize::from(self.base - event)];
            longer.append(&mut self.times);
            (self.base, self.times) = (event, longer);
        }
        let at = usize::from(event - self.base);
        if at >= self.times.len() {
            self.times.resize(at + 1, 0);
        }
        self.times[at] += 1;
    }
}

/// Rows of counts by what they are of.
#[derive(Clone, Debug)]
struct Rows<K> {
    rows: FxHashMap<K, Row>,
    /// Room that is taken.
    room: usize,
}

impl<K> Default for Rows<K> {
    fn default() -> Rows<K> {
        Rows { rows: FxHashMap::default(), room: 0 }
    }
}

impl<K: Eq + Hash> Rows<K> {
    fn row(&self, key: K) -> Option<&Row> {
        self.rows.get(&key)
    }

    /// Counts `event` once more with `key`, as far as there is room.
    fn count(&mut self, key: K, event: EventId) {
        let known = self.rows.get(&key);
        let more = known.map_or(ROW + 1, |row| row.len_with(event) - row.times.len());
        if self.room + more <= ROW * COUNTED_MAX {
            self.room += more;
            self.rows.entry(key).or_default().count(event);
        }
    }
}

/// Counts that add to the worth of an event in a situation, each with its weight.
type Terms<'a> = Vec<(f64, Option<&'a Row>)>;

/// Looks that came up while a way was searched, each with a number: many situations have the same.
#[derive(Default)]
struct Left {
    all: Vec<Looks>,
    numbers: FxHashMap<Looks, u32>,
}

impl Left {
    fn number(&mut self, looks: Looks) -> u32 {
        *self.numbers.entry(looks).or_insert_with(|| {
            self.all.push(looks);
            self.all.len() as u32 - 1
        })
    }
}

/// State that was acted in.
#[derive(Clone, Debug)]
struct Known {
    page: PageId,
    place: PlaceId,
    /// Number of the contents, and their place among those of the activity: 0 are the first.
    look: u32,
    rank: u16,
    /// Context, if it is not the usual one.
    context: Option<u64>,
    actions: Vec<Deed>,
    /// Fewest steps by which an episode came here from its start; none if there were too many, and at the start itself.
    trail: Box<[Leg]>,
}

/// Action of a state.
#[derive(Clone, Copy, Debug)]
struct Deed {
    action: ActionId,
    event: EventId,
    /// State that it led to the last time.
    to: Option<StateId>,
}

/// Activity.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// State that it was first seen in.
    first: StateId,
    /// Number of its contents.
    looks: u16,
}

/// Step of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Leg {
    state: StateId,
    event: EventId,
}

/// Situation that was looked at for a way.
#[derive(Clone, Copy, Debug)]
struct Node {
    state: StateId,
    /// Number of the looks, and the past.
    looks: u32,
    past: Past,
    steps: u32,
    /// Factor on the worth of what can be done here.
    promise: f64,
    /// Node before, and the event there.
    before: Option<(u32, EventId)>,
}

/// Event that a node offers.
#[derive(Clone, Copy, Debug)]
struct Found {
    at: u32,
    event: EventId,
    sought: u64,
    is_new: bool,
}

/// Event of the most worth so far; of several, any.
#[derive(Debug, Default)]
struct Best {
    worth: f64,
    equals: usize,
    found: Option<Found>,
}

impl Best {
    fn see(&mut self, found: Found, worth: f64, rng: &mut Rng) {
        if worth > self.worth {
            (self.worth, self.equals) = (worth, 0);
        }
        if worth >= self.worth && worth > 0.0 {
            self.equals += 1;
            if rng.below(self.equals) == 0 {
                self.found = Some(found);
            }
        }
    }
}

/// Aim of the next steps.
#[derive(Clone, Debug, Default)]
struct Aim {
    /// Steps still to come, the next last.
    way: Vec<Leg>,
    /// Number of the last event, with that of its state and memory unless it was never done.
    sought: u64,
    /// True if the last event was never done: it is worth as much in any state of its activity.
    is_new: bool,
    /// True if the last action of the way was chosen, and not yet learned from.
    is_last: bool,
}

/// Times that things were done so far, and the known ways between states.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    events: Vec<Event>,
    event_numbers: FxHashMap<u64, EventId>,
    kins: Vec<Kin>,
    kin_numbers: FxHashMap<u64, u16>,
    page_numbers: FxHashMap<u64, PageId>,
    places: Vec<Place>,
    place_numbers: FxHashMap<ActivityId, PlaceId>,
    /// Numbers of contents, and their place among those of the activity.
    looks: FxHashMap<(PlaceId, u64), (u32, u16)>,
    /// States that were acted in.
    states: FxHashMap<StateId, Known>,
    /// State that an event of a page led to the last time, and an event of any page.
    of_pages: FxHashMap<(PageId, EventId), StateId>,
    of_events: FxHashMap<EventId, StateId>,
    /// Times of events on a page, with a trace, and with two.
    on_pages: Rows<PageId>,
    with: Rows<Trace>,
    with_two: Rows<(Trace, Trace)>,
    /// Times that a way did not lead to what was sought.
    missed: FxHashMap<u64, u32>,
    memory: Memory,
    /// Activities of this episode.
    visited: Vec<ActivityId>,
    aim: Aim,
    /// Steps of this episode, at most one more than are kept.
    trail: Vec<Leg>,
}

impl Cover {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.memory = Memory::default();
        self.visited.clear();
        self.aim = Aim::default();
        self.trail.clear();
    }

    /// Takes the first steps of the episode that has begun for forgotten: no way begins here.
    pub fn begin_amid(&mut self) {
        self.trail = vec![Leg { state: StateId::NONE, event: 0 }; TRAIL_MAX + 1];
    }

    /// Takes in a step.
    pub fn learn(&mut self, transition: &Transition<'_>) {
        let scene = transition.from.scene;
        let action = scene.offers[usize::from(transition.at)].action;
        self.note(scene);
        self.note(transition.to);
        let Some(known) = self.states.get_mut(&scene.state) else { return };
        let Some(deed) = known.actions.iter_mut().find(|deed| deed.action == action) else { return };
        deed.to = Some(transition.to.state);
        let (page, event) = (known.page, deed.event);
        let Some(known) = self.states.get(&scene.state) else { return };
        let is_sought = match self.aim.is_new {
            true => self.aim.sought == number(&event),
            false => self.aim.sought == number(&(number(&(scene.state, self.memory)), event)),
        };
        if std::mem::take(&mut self.aim.is_last) && !is_sought {
            count(&mut self.missed, self.aim.sought);
        }
        self.of_pages.insert((page, event), transition.to.state);
        self.of_events.insert(event, transition.to.state);
        let traces = self.traces(known, &self.memory);
        self.on_pages.count(page, event);
        for (at, &(one, _)) in traces.iter().enumerate() {
            self.with.count(one, event);
            for &(other, _) in &traces[at + 1..] {
                self.with_two.count((one.min(other), one.max(other)), event);
            }
        }
        let is_opened = !self.visited.contains(&transition.to.activity);
        if is_opened {
            self.visited.push(transition.to.activity);
        }
        let done = &mut self.events[usize::from(event)];
        let has_changed = transition.to.state != scene.state;
        if let Some(kin) = done.kin {
            let kin = &mut self.kins[usize::from(kin)];
            kin.done += u32::from(done.times == 0);
            kin.changed += u32::from(has_changed && done.changed == 0);
        }
        done.times += 1;
        done.changed += u32::from(has_changed);
        done.opened += u32::from(is_opened);
        self.memory = self.memory.after(event, done.weight(), scene.state, known);
        if self.trail.len() > TRAIL_MAX {
            return;
        }
        self.trail.push(Leg { state: scene.state, event });
        if let Some(to) = self.states.get_mut(&transition.to.state)
            && self.trail.len() <= TRAIL_MAX
            && (to.trail.is_empty() || self.trail.len() < to.trail.len())
        {
            to.trail = self.trail[..].into();
        }
    }

    /// Takes in the offers of `scene`, as far as there is room.
    fn note(&mut self, scene: &Scene) {
        if self.states.contains_key(&scene.state) || self.states.len() >= STATES_MAX {
            return;
        }
        let mut actions = Vec::new();
        for (at, offer) in scene.offers.iter().enumerate().take(OFFERS_MAX) {
            let action = &scene.actions[at];
            let is_on_field = scene.widget(at as u16).is_some_and(|widget| widget.flags.has(Flags::EDITABLE));
            let key = name(scene, action, offer, is_on_field);
            let next = self.events.len();
            let event = match self.event_numbers.get(&key) {
                Some(&known) => known,
                None if next < EVENTS_MAX => {
                    self.event_numbers.insert(key, next as EventId);
                    let kin = kin(action).filter(|_| !is_on_field).map(|key| {
                        let next = self.kins.len() as u16;
                        *self.kin_numbers.entry(key).or_insert(next)
                    });
                    if kin.is_some_and(|kin| usize::from(kin) == self.kins.len()) {
                        self.kins.push(Kin::default());
                    }
                    self.events.push(Event::new(action, is_on_field, kin));
                    next as EventId
                }
                None => continue,
            };
            actions.push(Deed { action: offer.action, event, to: None });
        }
        let Seen { structure, contents, context } = Seen::new(scene);
        let next = self.page_numbers.len() as PageId;
        let page = *self.page_numbers.entry(structure).or_insert(next);
        let next = self.places.len() as PlaceId;
        let place = *self.place_numbers.entry(scene.activity).or_insert(next);
        if place == next {
            self.places.push(Place { first: scene.state, looks: 0 });
        }
        let here = &mut self.places[usize::from(place)];
        let next = self.looks.len() as u32;
        let (look, rank) = *self.looks.entry((place, number(&(structure, contents)))).or_insert_with(|| {
            here.looks += 1;
            (next, here.looks - 1)
        });
        let known = Known { page, place, look, rank, context, actions, trail: Box::default() };
        self.states.insert(scene.state, known);
    }

    /// Returns the next choice, a step to what was done least; none if nothing can be done in the steps left.
    pub fn next(&mut self, situation: &Situation<'_>, rng: &mut Rng) -> Option<u16> {
        let scene = situation.scene;
        self.note(scene);
        let mut action = self.action_on_way(scene.state);
        if action.is_none() {
            if !self.aim.way.is_empty() {
                count(&mut self.missed, self.aim.sought);
            }
            self.aim = self.look(scene.state, situation.steps_left, rng);
            action = self.action_on_way(scene.state);
        }
        self.aim.way.pop()?;
        self.aim.is_last = self.aim.way.is_empty();
        let is_it = |at: &&u16| Some(scene.offers[usize::from(**at)].action) == action;
        situation.candidates.iter().find(is_it).copied()
    }

    /// Returns the action by which the way goes on in `state`, if it does.
    fn action_on_way(&self, state: StateId) -> Option<ActionId> {
        let leg = self.aim.way.last()?;
        let (known, expected) = (self.states.get(&state)?, self.states.get(&leg.state)?);
        let is_on_way = state == leg.state || self.aim.is_new && known.place == expected.place;
        let deed = known.actions.iter().find(|deed| deed.event == leg.event)?;
        is_on_way.then_some(deed.action)
    }

    /// Looks for the event of the most worth that can be done from `from` in so many steps; of several, any.
    fn look(&self, from: StateId, steps: u32, rng: &mut Rng) -> Aim {
        let mut left = Left::default();
        let Memory { looks, past } = self.memory;
        let looks = left.number(looks);
        let mut nodes = vec![Node { state: from, looks, past, steps: 0, promise: 1.0, before: None }];
        let mut seen = FxHashSet::from_iter([(from, looks, past)]);
        let mut best = Best::default();
        let (mut next, mut looked_at) = (0, 0);
        while let Some(&node) = nodes.get(next) {
            let at = next as u32;
            next += 1;
            let Some(known) = self.states.get(&node.state) else { continue };
            looked_at += known.actions.len();
            if looked_at > LOOKED_AT_MAX {
                break;
            }
            let memory = Memory { looks: left.all[node.looks as usize], past: node.past };
            let looks = left.number(looks_after(&memory.looks, node.state, known));
            let situation = number(&(node.state, memory));
            let terms = self.terms(known, &memory);
            let most = ROUNDED * terms.iter().map(|&(weight, _)| weight).sum::<f64>();
            let on_page = self.on_pages.row(known.page);
            for deed in &known.actions {
                let event = deed.event;
                let on_page = ON_PAGE * rarity(times(on_page, event));
                let done = &self.events[usize::from(event)];
                let own = done.worth(&self.kins);
                let of_new = done.worth_of_new(own, node.steps);
                let bound = node.promise * (on_page + most) * own + of_new;
                // What cannot be best needs no exact worth.
                if bound >= best.worth && bound > 0.0 {
                    let is_new = done.times == 0;
                    let sought = if is_new { number(&event) } else { number(&(situation, event)) };
                    let worth = node.promise * (rarity_of(event, on_page, &terms) * own) + of_new;
                    best.see(Found { at, event, sought, is_new }, worth / self.misses(sought), rng);
                }
                if node.steps + 1 >= steps || nodes.len() >= NODES_MAX {
                    continue;
                }
                let Some(to) = self.outcome(known, deed, &memory.looks) else { continue };
                let past = node.past.after(event, self.events[usize::from(event)].weight());
                if seen.insert((to, looks, past)) {
                    let (steps, promise) = (node.steps + 1, node.promise * FARTHER);
                    nodes.push(Node { state: to, looks, past, steps, promise, before: Some((at, event)) });
                }
            }
        }
        let near = nodes.len();
        if self.events.iter().any(Event::is_new_click) {
            let looked_at = nodes[..next].iter().map(|node| node.state).collect();
            self.look_far(from, steps, looked_at, &mut nodes, &mut best, rng);
        }
        let Some(Found { mut at, event, sought, is_new }) = best.found else { return Aim::default() };
        let is_far = at as usize >= near;
        let mut way = vec![Leg { state: nodes[at as usize].state, event }];
        while let Some((before, event)) = nodes[at as usize].before {
            way.push(Leg { state: nodes[before as usize].state, event });
            at = before;
        }
        let first = nodes[at as usize].state;
        if is_far && first != from {
            way.extend(self.states[&first].trail[self.trail.len()..].iter().rev());
        }
        Aim { way, sought, is_new, is_last: false }
    }

    /// Looks for clicks that were never done in states other than those that were `looked_at`: on the first way that leads to
    /// such a state, or on the way of an earlier episode. Adds nodes for these ways.
    fn look_far(
        &self,
        from: StateId,
        steps: u32,
        mut looked_at: FxHashSet<StateId>,
        nodes: &mut Vec<Node>,
        best: &mut Best,
        rng: &mut Rng,
    ) {
        // What was left behind does not count on these ways.
        let node = |state, steps, before| {
            let (looks, past, promise) = (0, Past::default(), 0.0);
            Node { state, looks, past, steps, promise, before }
        };
        let mut next = nodes.len();
        nodes.push(node(from, 0, None));
        let mut reached = FxHashSet::from_iter([from]);
        let mut others = self.on_trails(steps);
        let mut actions = 0;
        loop {
            let Some(&Node { state, steps: taken, .. }) = nodes.get(next) else {
                let Some((steps, state)) = others.next() else { break };
                if reached.insert(state) {
                    nodes.push(node(state, steps, None));
                }
                continue;
            };
            let at = next as u32;
            next += 1;
            let Some(known) = self.states.get(&state) else { continue };
            actions += known.actions.len();
            if actions > LOOKED_AT_MAX {
                break;
            }
            let is_other = looked_at.insert(state);
            for &Deed { event, to, .. } in &known.actions {
                let done = &self.events[usize::from(event)];
                let worth = done.worth_of_new(done.worth(&self.kins), taken);
                if is_other && worth > 0.0 {
                    let sought = number(&event);
                    best.see(Found { at, event, sought, is_new: true }, worth / self.misses(sought), rng);
                }
                if taken + 1 < steps
                    && let Some(to) = to
                    && reached.insert(to)
                {
                    nodes.push(node(to, taken + 1, Some((at, event))));
                }
            }
        }
    }

    /// Returns the states to which an earlier episode came in so many steps, after those of this episode so far, with the
    /// number of steps that are left; the nearest first.
    fn on_trails(&self, steps: u32) -> impl Iterator<Item = (u32, StateId)> + use<> {
        let begun = self.trail.len();
        let goes_on = |trail: &[Leg]| {
            let mut so_far = trail.iter().zip(&self.trail);
            (begun + 1..begun + steps as usize).contains(&trail.len())
                && so_far.all(|(one, other)| one.event == other.event)
        };
        let all = self.states.iter().filter(|(_, known)| goes_on(&known.trail));
        let mut all: Vec<(u32, StateId)> =
            all.map(|(&state, known)| ((known.trail.len() - begun) as u32, state)).collect();
        all.sort_unstable();
        all.into_iter().take(TRAILS_MAX)
    }

    /// Returns the divisor of a worth by the ways that did not lead to what was sought.
    fn misses(&self, sought: u64) -> f64 {
        f64::from(1 + self.missed.get(&sought).copied().unwrap_or(0))
    }

    /// Returns the state that an action leads to, as far as can be told.
    fn outcome(&self, known: &Known, deed: &Deed, looks: &Looks) -> Option<StateId> {
        let event = deed.event;
        if deed.to.is_some() {
            return deed.to;
        }
        let of_page = self.of_pages.get(&(known.page, event));
        if !self.events[usize::from(event)].is_back {
            // Another content of the same page is a content that nobody has seen.
            return of_page.copied().filter(|to| self.states.get(to).is_some_and(|to| to.page != known.page));
        }
        // The activity before comes back as it was left.
        let place = self.states.get(of_page.or_else(|| self.of_events.get(&event))?)?.place;
        let left = looks.iter().flatten().find(|(one, _)| *one == place);
        Some(left.map_or(self.places[usize::from(place)].first, |(_, state)| *state))
    }

    /// Returns what the app may have kept in a state, with weights.
    fn traces(&self, known: &Known, memory: &Memory) -> Vec<(Trace, f64)> {
        let others = memory.looks.iter().flatten().filter(|(place, _)| *place != known.place);
        let others = others.filter_map(|(_, state)| self.states.get(state));
        let looks = std::iter::once(known).chain(others).filter(|known| known.rank > 0);
        // The more contents an activity has had, the less another one tells. Roots have the same bits on every machine.
        let looks =
            looks.map(|known| (Trace::Look(known.look), WITH_LOOK / f64::from(known.rank).sqrt().sqrt()));
        let context = known.context.map(|context| (Trace::Context(context), WITH_CONTEXT));
        let mut factor = 1.0;
        let past = memory.past.events().map(|event| {
            factor *= self.events[usize::from(event)].weight();
            (Trace::Event(event), factor)
        });
        looks.chain(context).chain(past).collect()
    }

    /// Returns the counts with each trace of a state and with each two.
    fn terms(&self, known: &Known, memory: &Memory) -> Terms<'_> {
        let traces = self.traces(known, memory);
        let mut terms = Vec::with_capacity(traces.len() * (traces.len() + 1) / 2);
        for (at, &(one, weight)) in traces.iter().enumerate() {
            terms.push((weight, self.with.row(one)));
            for &(other, second) in &traces[at + 1..] {
                terms.push((weight * second, self.with_two.row((one.min(other), one.max(other)))));
            }
        }
        terms
    }
}

/// Screen as coverage sees it.
struct Seen {
    /// Structure and contents, whatever the context is.
    structure: u64,
    contents: u64,
    /// Context, if it is not the usual one.
    context: Option<u64>,
}

impl Seen {
    fn new(scene: &Scene) -> Seen {
        let Some(screen) = &scene.screen else {
            return Seen { structure: scene.frame, contents: 0, context: None };
        };
        let context = screen.context();
        let usual = context.usual();
        let outline = Outline::new(&screen.in_context(usual));
        Seen {
            structure: outline.frame,
            contents: number(&outline.contents),
            context: (context != usual).then(|| number(&context)),
        }
    }
}

/// Returns the worth of an offer by its action, before anything is known of its effect.
pub fn worth(scene: &Scene, at: u16) -> f64 {
    let is_on_field = scene.widget(at).is_some_and(|widget| widget.flags.has(Flags::EDITABLE));
    Event::new(&scene.actions[usize::from(at)], is_on_field, None).worth
}

/// Returns the number of an event. A field goes by its place, as its name is what was typed into it.
fn name(scene: &Scene, action: &Action, offer: &Offer, is_on_field: bool) -> u64 {
    match action {
        Action::Text { on, text, .. } => number(&(scene.activity, "text", &*on.object_id, &**text)),
        Action::Touch(touch, on) if is_on_field => number(&(scene.activity, *touch, &*on.object_id)),
        _ => number(&(scene.activity, offer.labeling)),
    }
}

/// Returns the number of the kin of an action, if its name has digits.
fn kin(action: &Action) -> Option<u64> {
    let target = action.target()?;
    let mut hasher = FxHasher::default();
    (action.type_name(), &*target.class).hash(&mut hasher);
    let mut has_digits = false;
    for name in target.names() {
        for part in name.split(|letter: char| letter.is_ascii_digit()).filter(|part| !part.is_empty()) {
            part.hash(&mut hasher);
        }
        has_digits |= name.contains(|letter: char| letter.is_ascii_digit());
    }
    has_digits.then(|| hasher.finish())
}

/// Returns the times of an event in a row.
fn times(row: Option<&Row>, event: EventId) -> u32 {
    row.map_or(0, |row| row.of(event))
}

/// Returns the worth of an event by its counts: that on its page, and one for each term.
fn rarity_of(event: EventId, on_page: f64, terms: &Terms<'_>) -> f64 {
    terms.iter().fold(on_page, |worth, &(weight, row)| worth + weight * rarity(times(row, event)))
}

/// Counts `key` once more, as far as there is room.
fn count<K: Eq + Hash>(counts: &mut FxHashMap<K, u32>, key: K) {
    if counts.len() < COUNTED_MAX {
        *counts.entry(key).or_insert(0) += 1;
    }
}

fn number(of: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

/// Returns the worth of what was done so often.
fn rarity(times: u32) -> f64 {
    let count = f64::from(1 + times);
    1.0 / (count * count)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gui::{Bounds, Target};
    use crate::rng::Seed;
    use crate::situation::{Next, PhaseId};

    fn click(name: &str) -> Action {
        let target = Target { text: name.into(), bounds: Bounds::new(0, 0, 9, 9), ..Target::default() };
        Action::Touch(Touch::Click, target)
    }

    /// Screen `state` of `activity`, which offers the actions `first` and `second`, and to go back.
    fn scene(state: u32, activity: u32) -> Scene {
        let actions: Arc<[Action]> =
            [click("first"), click("second"), Action::Device(DeviceAction::Back)].into();
        Scene {
            state: StateId(state),
            screen_id: Default::default(),
            activity: ActivityId(activity),
            look: Default::default(),
            frame: u64::from(state),
            slots: 3,
            offers: (0..3).map(Offer::numbered).collect(),
            actions,
            screen: None,
        }
    }

    /// Situation on `scene`, where all three actions can be taken.
    fn situation(scene: &Scene, steps_left: u32) -> Situation<'_> {
        let (candidates, preferred) = (&[0, 1, 2], &[0, 1, 2]);
        Situation { scene, phase: PhaseId::START, steps_left, candidates, preferred }
    }

    /// Has `cover` learn a step.
    fn learn(cover: &mut Cover, from: &Scene, choice: u16, to: &Scene) {
        let (from, phase, next) = (&situation(from, 1), PhaseId::START, Next::Truncated);
        cover.learn(&Transition { from, at: choice, reward: 0.0, elapsed_ms: None, to, phase, next });
    }

    /// Lets `cover` choose `steps` steps on screens where `first` of the first leads to the second, whence `back` leads
    /// back, and `second` there leads to other contents and from these. Returns the choices.
    fn walk(cover: &mut Cover, steps: u32, rng: &mut Rng) -> Vec<(u32, u16)> {
        cover.begin();
        let (mut at, mut walked) = (scene(1, 1), Vec::new());
        for steps_left in (1..=steps).rev() {
            let choice = cover.next(&situation(&at, steps_left), rng).expect("something can be done");
            walked.push((at.state.0, choice));
            let to = match (at.state.0, choice) {
                (1, 0) | (3, 1) => scene(2, 2),
                (2, 1) => scene(3, 2),
                (2 | 3, 2) => scene(1, 1),
                (1, _) => scene(1, 1),
                (state, _) => scene(state, 2),
            };
            learn(cover, &at, choice, &to);
            at = to;
        }
        walked
    }

    #[test]
    fn a_click_never_done_is_reached_by_the_way_of_an_earlier_episode_where_states_show_none() {
        let (mut cover, mut rng) = (Cover::default(), Seed(1).fork("test"));
        let (hall, room) = (scene(1, 1), scene(2, 2));
        // `first` unlocks the door without showing it, and `second` opens the door once it is unlocked.
        cover.begin();
        learn(&mut cover, &hall, 0, &hall);
        learn(&mut cover, &hall, 1, &room);
        cover.begin();
        [1, 2].iter().for_each(|&choice| learn(&mut cover, &hall, choice, &hall));
        cover.begin();
        for expected in [0, 1] {
            let choice = cover.next(&situation(&hall, 5), &mut rng).expect("something can be done");
            assert_eq!(choice, expected);
            learn(&mut cover, &hall, choice, if choice == 0 { &hall } else { &room });
        }
        let choice = cover.next(&situation(&room, 3), &mut rng).expect("something can be done");
        assert!(choice < 2, "a click in the room comes before going back");
    }

    #[test]
    fn no_way_begins_where_the_first_steps_are_forgotten() {
        let (mut cover, hall, room) = (Cover::default(), scene(1, 1), scene(2, 2));
        cover.begin_amid();
        learn(&mut cover, &hall, 1, &room);
        assert!(cover.states[&room.state].trail.is_empty());
        cover.begin();
        learn(&mut cover, &hall, 1, &room);
        assert_eq!(cover.states[&room.state].trail.len(), 1);
        // Longer ways take the place of no shorter one.
        cover.begin();
        (0..TRAIL_MAX + 5).for_each(|_| learn(&mut cover, &hall, 0, &hall));
        learn(&mut cover, &hall, 1, &room);
        assert_eq!((cover.states[&room.state].trail.len(), cover.trail.len()), (1, TRAIL_MAX + 1));
    }

    #[test]
    fn names_that_differ_in_digits_are_kin_and_inert_if_several_have_changed_nothing() {
        let of = |name: &str| kin(&click(name));
        assert!(of("News 1 of 6").is_some());
        assert_eq!(of("News 1 of 6"), of("News 23 of 6"));
        assert_ne!(of("News 1 of 6"), of("News 1 in 6"));
        assert_eq!(of("Save"), None);
        let mut event = Event::new(&click("News 1 of 6"), false, Some(0));
        event.times = 1;
        let worth = |done, changed| event.worth(&[Kin { done, changed }]);
        assert_eq!(worth(INERT_MIN - 1, 0), WITHOUT_EFFECT * CLICK);
        assert_eq!(worth(INERT_MIN, 0), INERT * CLICK);
        assert_eq!(worth(INERT_MIN, 1), WITHOUT_EFFECT * CLICK);
    }

    #[test]
    fn rows_count_what_a_list_of_all_events_has() {
        const EVENTS: EventId = 400;
        let mut rng = Seed(1).fork("test");
        let mut rows: Rows<PageId> = Rows::default();
        let mut all: Vec<(PageId, EventId)> = Vec::new();
        for _ in 0..3_000 {
            let (page, event) = (rng.below(3) as PageId, rng.below(EVENTS.into()) as EventId);
            rows.count(page, event);
            all.push((page, event));
        }
        for (page, event) in (0..4).flat_map(|page| (0..EVENTS).map(move |event| (page, event))) {
            let times = all.iter().filter(|&&one| one == (page, event)).count() as u32;
            assert_eq!(super::times(rows.row(page), event), times, "{event} on {page}");
        }
        let room: usize = rows.rows.values().map(|row| ROW + row.times.len()).sum();
        assert_eq!(rows.room, room);
    }

    #[test]
    fn every_action_of_every_page_is_done_soon_and_then_with_what_was_left_elsewhere() {
        let (mut cover, mut rng) = (Cover::default(), Seed(1).fork("test"));
        let all: Vec<Vec<(u32, u16)>> = (0..40).map(|_| walk(&mut cover, 4, &mut rng)).collect();
        let early: FxHashSet<(u32, u16)> = all[..12].iter().flatten().copied().collect();
        assert_eq!(early.len(), 9, "three screens have three actions: {all:?}");
        // The second activity was left with other contents, which may count at `second` of the first.
        let is_with_trace =
            |walk: &Vec<(u32, u16)>| walk.windows(3).any(|steps| steps == [(2, 1), (3, 2), (1, 1)]);
        assert!(all.iter().any(is_with_trace), "{all:?}");
    }

    #[test]
    fn an_activity_is_remembered_while_its_contents_are_not_those_from_the_start() {
        let mut known = Known {
            page: 0,
            place: 1,
            look: 0,
            rank: 0,
            context: None,
            actions: Vec::new(),
            trail: Box::default(),
        };
        let other = Known { place: 2, rank: 3, ..known.clone() };
        let left = |memory: Memory, state, known: &Known| memory.after(0, 0.0, StateId(state), known);
        let memory = left(Memory::default(), 5, &known);
        assert_eq!(memory, Memory::default());
        known.rank = 1;
        let memory = left(left(memory, 6, &known), 7, &other);
        assert_eq!(memory.looks[..3], [Some((2, StateId(7))), Some((1, StateId(6))), None]);
        known.rank = 0;
        assert_eq!(left(memory, 5, &known).looks[..2], [Some((2, StateId(7))), None]);
    }
}
