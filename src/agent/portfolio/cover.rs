//! Coverage: each action on each kind of page, and after others in the same episode, those first that were done least, are
//! near, and need little before.
//!
//! An app keeps things that it does not show: a filter that is set, a session that has ended. Some actions change them, and
//! they count at another action, so trying each action on each page is not enough. An event is an action by its name in an
//! activity, a page the structure of a screen without its contents. Of the events before, the last two count that did more
//! than to open a page.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gui::{Action, DeviceAction, Touch};
use crate::rng::Rng;
use crate::situation::{ActionId, ActivityId, LabelingId, Offer, Scene, Situation, StateId, Transition};

/// Most events that are told apart, most states that are kept, most offers of a state that are looked at, and most events
/// of pages that are counted.
const EVENTS_MAX: usize = 400;
const STATES_MAX: usize = 5_000;
const OFFERS_MAX: usize = 200;
const COUNTED_MAX: usize = 100_000;
/// Most states on the way to anything: an app that shows new screens for ever has no near ones beyond.
const LOOKED_AT_MAX: usize = 150;
/// Factor on the worth of a pair for each step that it takes.
const FARTHER: f64 = 0.8;
/// Chance of another action on the way to a target that was set before, which may be what was missing.
const ASIDE: f64 = 0.5;
/// Worth of a click that has changed nothing yet, beside one that has: it may lack what comes before.
const WITHOUT_EFFECT: f64 = 4.0;
/// Factor on the worth of an event for each one before it that counts: little that an app keeps takes many actions.
const IN_PAST: f64 = 0.6;
/// Worth of an event that was never done on a page, beside one that was never done after some past.
const ON_PAGE: f64 = 3.0;
/// Most events that are done first on the way to another.
const FIRSTS_MAX: usize = 64;

/// Number of an event.
type EventId = u16;

/// Event, and its effects so far.
#[derive(Clone, Copy, Debug)]
struct Event {
    /// Worth to be done, before anything is known of its effect.
    worth: f64,
    times: u32,
    /// Times that it changed the screen, and that it opened another activity.
    changed: u32,
    opened: u32,
    is_click: bool,
    /// True if it may change what counts later: going back does not.
    is_kept: bool,
}

impl Event {
    fn new(action: &Action) -> Event {
        let worth = match action {
            Action::Touch(Touch::Click, _) | Action::User { .. } => 1.0,
            Action::Text { .. } => 0.4,
            Action::Device(_) => 0.3,
            Action::Touch(_, _) => 0.2,
            Action::Stroke(..) => 0.1,
            Action::Reinitialise(_) => 0.0,
        };
        let is_kept = match action {
            Action::Device(device) => *device != DeviceAction::Back,
            Action::Touch(..) | Action::User { .. } | Action::Text { .. } => true,
            Action::Stroke(..) | Action::Reinitialise(_) => false,
        };
        let is_click = matches!(action, Action::Touch(Touch::Click, _));
        Event { worth, times: 0, changed: 0, opened: 0, is_click, is_kept }
    }

    fn worth(&self) -> f64 {
        let is_without_effect = self.is_click && self.times > 0 && self.changed == 0;
        self.worth * if is_without_effect { WITHOUT_EFFECT } else { 1.0 }
    }

    /// Returns the factor on the worth of what follows it; 0 if it only opens pages, as far as is known.
    fn in_past(&self) -> f64 {
        if !self.is_kept || self.times > 0 && self.opened == self.times {
            return 0.0;
        }
        IN_PAST * if self.is_click { 1.0 } else { self.worth.max(0.4) }
    }
}

/// Aim of the next steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Target {
    /// An event on a page.
    OnPage(u64, EventId),
    /// An event, after another unless that is done already.
    After(Option<EventId>, EventId),
}

/// The last two events that did more than to open a page, the latest first.
type Past = [Option<EventId>; 2];

/// State that was acted in.
#[derive(Clone, Debug)]
struct Known {
    page: u64,
    /// Actions with their events.
    actions: Arc<[(ActionId, EventId)]>,
}

/// Times that things were done so far, and the known ways between states.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    numbers: FxHashMap<(ActivityId, LabelingId), EventId>,
    events: Vec<Event>,
    /// States that were acted in.
    states: FxHashMap<StateId, Known>,
    /// State that an action led to the last time.
    outcomes: FxHashMap<(StateId, ActionId), StateId>,
    on_pages: FxHashMap<(u64, EventId), u32>,
    after: FxHashMap<(Past, EventId), u32>,
    /// Times that a target was set: it may not be reached as it was thought to be.
    set: FxHashMap<Target, u32>,
    past: Past,
    /// Activities of this episode.
    visited: Vec<ActivityId>,
    target: Option<Target>,
}

impl Cover {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.past = Past::default();
        self.visited.clear();
        self.target = None;
    }

    /// Takes in a step.
    pub fn learn(&mut self, transition: &Transition<'_>) {
        let scene = transition.from.scene;
        let Offer { action, labeling, .. } = scene.offers[usize::from(transition.at)];
        self.note(scene);
        let Some(&event) = self.numbers.get(&(scene.activity, labeling)) else { return };
        // Ways are looked for from states that are kept alone.
        if self.states.contains_key(&scene.state) {
            self.outcomes.insert((scene.state, action), transition.to.state);
        }
        let is_opened = !self.visited.contains(&transition.to.activity);
        if is_opened {
            self.visited.push(transition.to.activity);
        }
        let known = &mut self.events[usize::from(event)];
        known.times += 1;
        known.changed += u32::from(transition.to.state != scene.state);
        known.opened += u32::from(is_opened);
        let is_kept = known.is_kept;
        if self.on_pages.len() < COUNTED_MAX {
            *self.on_pages.entry((scene.frame, event)).or_insert(0) += 1;
        }
        if self.after.len() < COUNTED_MAX {
            for past in [[self.past[0], None], self.past] {
                *self.after.entry((past, event)).or_insert(0) += 1;
            }
        }
        if is_kept && !is_opened {
            self.past = [Some(event), self.past[0]];
        }
        self.target = match self.target {
            Some(Target::OnPage(page, sought)) if (page, sought) == (scene.frame, event) => None,
            Some(Target::After(Some(first), second)) if first == event => Some(Target::After(None, second)),
            Some(Target::After(None, second)) if second == event => None,
            target => target,
        };
    }

    /// Takes in the offers of `scene`, as far as there is room.
    fn note(&mut self, scene: &Scene) {
        if self.states.contains_key(&scene.state) || self.states.len() >= STATES_MAX {
            return;
        }
        let mut actions = Vec::new();
        for (offer, action) in scene.offers.iter().zip(scene.actions.iter()).take(OFFERS_MAX) {
            let next = self.events.len();
            let event = match self.numbers.get(&(scene.activity, offer.labeling)) {
                Some(&known) => known,
                None if next < EVENTS_MAX => {
                    self.numbers.insert((scene.activity, offer.labeling), next as EventId);
                    self.events.push(Event::new(action));
                    next as EventId
                }
                None => continue,
            };
            actions.push((offer.action, event));
        }
        // Of ways that are as long, one that changes nothing else.
        actions.sort_by_key(|(_, event)| self.event(*event).is_kept);
        self.states.insert(scene.state, Known { page: scene.frame, actions: actions.into() });
    }

    /// Returns the next choice, a step to what was done least; none if nothing can be done in the steps left.
    pub fn next(&mut self, situation: &Situation<'_>, rng: &mut Rng) -> Option<u16> {
        let (scene, steps) = (situation.scene, situation.steps_left);
        self.note(scene);
        let way = self.target.and_then(|target| self.way(scene.state, target, steps));
        let (length, action) = way.or_else(|| {
            self.aim(scene.state, steps, rng);
            self.way(scene.state, self.target?, steps)
        })?;
        let is_again =
            self.target.is_some_and(|target| self.set.get(&target).is_some_and(|&times| times > 1));
        if is_again
            && length < steps
            && rng.unit() < ASIDE
            && let Some(at) = self.aside(situation, rng)
        {
            return Some(at);
        }
        let is_it = |at: &&u16| scene.offers[usize::from(**at)].action == action;
        situation.candidates.iter().find(is_it).copied()
    }

    /// Returns a candidate that is known to change the page, and to open no other.
    fn aside(&self, situation: &Situation<'_>, rng: &mut Rng) -> Option<u16> {
        let scene = situation.scene;
        let is_aside = |at: &u16| {
            let labeling = scene.offers[usize::from(*at)].labeling;
            let event = self.numbers.get(&(scene.activity, labeling)).map(|&event| self.event(event));
            event.is_some_and(|event| event.is_kept && event.changed > 0 && event.opened == 0)
        };
        let all: Vec<u16> = situation.candidates.iter().copied().filter(is_aside).collect();
        (!all.is_empty()).then(|| all[rng.below(all.len())])
    }

    /// Returns the length of the way from `from` to `target`, and its first action; none if that takes more than `steps`.
    fn way(&self, from: StateId, target: Target, steps: u32) -> Option<(u32, ActionId)> {
        let reached = self.reach(from, steps);
        let (found, rest) = match target {
            Target::OnPage(page, event) => (reached.on_pages.get(&(page, event))?, 0),
            Target::After(None, second) => (reached.events.get(&second)?, 0),
            Target::After(Some(first), second) => {
                let found = reached.events.get(&first)?;
                let then = self.outcomes.get(&(found.state, found.action))?;
                let left = steps.checked_sub(found.distance + 1)?;
                (found, self.reach(*then, left).events.get(&second)?.distance + 1)
            }
        };
        let length = found.distance + 1 + rest;
        (length <= steps).then_some((length, found.first))
    }

    /// Sets the target of the most worth that can be done from `from` in so many steps; of several, any.
    fn aim(&mut self, from: StateId, steps: u32, rng: &mut Rng) {
        let (mut best, mut equals) = (0.0, Vec::new());
        let mut weigh = |worth: f64, length: u32, target: Target| {
            let set = f64::from(1 + self.set.get(&target).copied().unwrap_or(0));
            let worth = worth * power(FARTHER, length) / set;
            if worth > best {
                best = worth;
                equals.clear();
            }
            if worth >= best && worth > 0.0 {
                equals.push(target);
            }
        };
        let reached = self.reach(from, steps);
        for ((page, event), found) in sorted(&reached.on_pages) {
            let worth = ON_PAGE * self.event(event).worth() * rarity(self.on_pages.get(&(page, event)));
            weigh(worth, found.distance + 1, Target::OnPage(page, event));
        }
        let mut firsts = 0;
        let mut known: FxHashMap<StateId, Vec<(EventId, Found)>> = FxHashMap::default();
        for (first, found) in sorted(&reached.events) {
            weigh(self.worth_after(self.past, first), found.distance + 1, Target::After(None, first));
            let Some(then) = self.outcomes.get(&(found.state, found.action)) else { continue };
            let Some(left) = steps.checked_sub(found.distance + 1) else { continue };
            if self.event(first).in_past() <= 0.0 || firsts >= FIRSTS_MAX {
                continue;
            }
            firsts += 1;
            let past = [Some(first), self.past[0]];
            for (second, then) in
                known.entry(*then).or_insert_with(|| sorted(&self.reach(*then, steps).events))
            {
                if then.distance < left {
                    let length = found.distance + then.distance + 2;
                    weigh(self.worth_after(past, *second), length, Target::After(Some(first), *second));
                }
            }
        }
        self.target = (!equals.is_empty()).then(|| equals[rng.below(equals.len())]);
        if let Some(target) = self.target
            && self.set.len() < COUNTED_MAX
        {
            *self.set.entry(target).or_insert(0) += 1;
        }
    }

    fn event(&self, event: EventId) -> &Event {
        &self.events[usize::from(event)]
    }

    /// Returns the worth of an event after this past.
    fn worth_after(&self, past: Past, event: EventId) -> f64 {
        let (mut factor, mut worth) = (1.0, 0.0);
        for (at, &one) in past.iter().enumerate() {
            let Some(one) = one else { break };
            factor *= self.event(one).in_past();
            let past = if at == 0 { [past[0], None] } else { past };
            worth += factor * rarity(self.after.get(&(past, event)));
        }
        worth * self.event(event).worth()
    }

    /// Returns the events that can be done within `steps` from `from` on known ways, each where it is nearest.
    fn reach(&self, from: StateId, steps: u32) -> Reach {
        let mut reach = Reach::default();
        let mut seen = FxHashSet::from_iter([from]);
        let mut waiting: VecDeque<(StateId, u32, Option<ActionId>)> = VecDeque::from([(from, 0, None)]);
        while let Some((state, distance, first)) = waiting.pop_front() {
            if distance >= steps {
                break;
            }
            let Some(known) = self.states.get(&state) else { continue };
            for &(action, event) in known.actions.iter() {
                let first = first.unwrap_or(action);
                let found = Found { state, action, distance, first };
                reach.events.entry(event).or_insert(found);
                reach.on_pages.entry((known.page, event)).or_insert(found);
                if let Some(&next) = self.outcomes.get(&(state, action))
                    && seen.len() < LOOKED_AT_MAX
                    && seen.insert(next)
                {
                    waiting.push_back((next, distance + 1, Some(first)));
                }
            }
        }
        reach
    }
}

/// Returns the worth of what was done so often.
fn rarity(count: Option<&u32>) -> f64 {
    let count = f64::from(1 + count.copied().unwrap_or(0));
    1.0 / (count * count)
}

/// Place where an event can be done.
#[derive(Clone, Copy, Debug)]
struct Found {
    state: StateId,
    action: ActionId,
    /// Steps before it.
    distance: u32,
    /// First action of the way, itself if it is there.
    first: ActionId,
}

/// Events within reach, each where it is nearest, on any page and on each.
#[derive(Clone, Debug, Default)]
struct Reach {
    events: FxHashMap<EventId, Found>,
    on_pages: FxHashMap<(u64, EventId), Found>,
}

/// Returns the entries of `found` in the order of their keys.
fn sorted<K: Copy + Ord>(found: &FxHashMap<K, Found>) -> Vec<(K, Found)> {
    let mut all: Vec<(K, Found)> = found.iter().map(|(key, found)| (*key, *found)).collect();
    all.sort_unstable_by_key(|(key, _)| *key);
    all
}

/// Powers by multiplication have the same bits on every machine.
fn power(base: f64, times: u32) -> f64 {
    (0..times.min(64)).fold(1.0, |product, _| product * base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Bounds, Target};
    use crate::rng::Seed;
    use crate::situation::{Habit, Next, PhaseId};

    /// Screen `state`, which offers the actions `first` and `second`, and to go back.
    fn scene(state: u32) -> Scene {
        let click = |name: &str| {
            let target = Target { text: name.into(), bounds: Bounds::new(0, 0, 9, 9), ..Target::default() };
            Action::Touch(Touch::Click, target)
        };
        let actions: Arc<[Action]> =
            [click("first"), click("second"), Action::Device(DeviceAction::Back)].into();
        let offer = |at: u32| Offer {
            action: ActionId(at),
            slot: at as u16,
            labeling: LabelingId(at),
            spot: Default::default(),
            class: Default::default(),
            has_name: true,
            hints: 0,
            habit: Habit::Any,
        };
        Scene {
            state: StateId(state),
            screen_id: Default::default(),
            activity: ActivityId(state),
            look: Default::default(),
            frame: u64::from(state),
            slots: 3,
            offers: (0..3).map(offer).collect(),
            actions,
            screen: None,
        }
    }

    /// Lets `cover` choose `steps` steps on screens where `first` of the first leads to the second, whence `back` leads
    /// back; returns the choices.
    fn walk(cover: &mut Cover, steps: u32, rng: &mut Rng) -> Vec<(u32, u16)> {
        cover.begin();
        let (mut at, mut walked) = (scene(1), Vec::new());
        for steps_left in (1..=steps).rev() {
            let candidates = [0, 1, 2];
            let situation = Situation {
                scene: &at,
                phase: PhaseId::START,
                steps_left,
                candidates: &candidates,
                preferred: &candidates,
            };
            let choice = cover.next(&situation, rng).expect("something can be done");
            walked.push((at.state.0, choice));
            let to = match (at.state.0, choice) {
                (1, 0) => scene(2),
                (2, 2) => scene(1),
                (state, _) => scene(state),
            };
            let next = Next::Truncated;
            let phase = PhaseId::START;
            cover.learn(&Transition {
                from: &situation,
                at: choice,
                reward: 0.0,
                elapsed_ms: None,
                to: &to,
                phase,
                next,
            });
            at = to;
        }
        walked
    }

    #[test]
    fn every_action_of_every_page_is_done_soon_and_then_one_page_after_the_other() {
        let (mut cover, mut rng) = (Cover::default(), Seed(1).fork("test"));
        let all: Vec<Vec<(u32, u16)>> = (0..40).map(|_| walk(&mut cover, 4, &mut rng)).collect();
        let early: FxHashSet<(u32, u16)> = all[..6].iter().flatten().copied().collect();
        assert_eq!(early.len(), 6, "both pages have three actions: {all:?}");
        // What was done on the second page counts on the first.
        let is_pair = |walk: &Vec<(u32, u16)>| {
            let done = |what| walk.iter().position(|one| *one == what);
            matches!((done((2, 1)), done((1, 1))), (Some(one), Some(other)) if one < other)
        };
        assert!(all.iter().any(is_pair), "{all:?}");
    }
}
