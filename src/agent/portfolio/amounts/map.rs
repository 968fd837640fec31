//! The map: places as they look without their numbers, what can be done at each, and where it leads.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use crate::gui::{Action, DeviceAction, Flags, Numbered, Touch};
use crate::situation::{ActivityId, ClassId, LabelingId, Scene, ScreenId};

/// Number of a place.
pub type PlaceId = u32;

/// Name of an event in an activity.
pub type Name = (ActivityId, LabelingId);

/// Most places, screens whose places are kept, and events of a place.
const PLACES_MAX: usize = 2_000;
const SCREENS_MAX: usize = 20_000;
const EVENTS_MAX: usize = 60;
/// Most texts with numbers of a screen: more are a list.
const NUMBERS_MAX: usize = 40;
/// Most places that an event is known to lead to.
const LED_TO_MAX: usize = 3;
/// Most places that lead to the present one.
const STACK_MAX: usize = 20;

/// Cost of finding out what an action does, beyond its step: switches and clicks change most.
const SWITCH: u32 = 0;
const CLICK: u32 = 2;
const TOUCH: u32 = 6;
const STROKE: u32 = 4;
const TEXT: u32 = 10;
pub const DEVICE: u32 = 30;
const BACK: u32 = 40;

/// Something that can be done at a place.
#[derive(Clone, Debug)]
pub struct Event {
    pub labeling: LabelingId,
    pub class: ClassId,
    /// Cost of finding out what it does.
    pub cost: u32,
    is_back: bool,
    pub times: u32,
    /// Times that it led back to where the way had come from.
    returns: u32,
    /// True if it ever changed the screen.
    pub has_changed: bool,
    /// Places that it led to, the latest last.
    pub to: Vec<PlaceId>,
}

impl Event {
    /// Returns true if it leads back to where the way has come from.
    pub fn is_return(&self) -> bool {
        self.is_back || 2 * self.returns > self.times
    }
}

/// Place in the app.
#[derive(Clone, Debug)]
pub struct Place {
    activity: ActivityId,
    pub events: Vec<Event>,
}

/// Screen as a sight of a place.
#[derive(Clone, Debug)]
pub struct Sight {
    pub place: PlaceId,
    /// Texts with numbers, each without the number, and the number.
    pub numbers: Vec<(u64, i64)>,
}

/// Places met so far.
#[derive(Clone, Debug, Default)]
pub struct Map {
    numbers: FxHashMap<u64, PlaceId>,
    places: Vec<Place>,
    /// Places elsewhere that the events of a name led on to, the latest last.
    by_name: FxHashMap<Name, Vec<PlaceId>>,
    /// Places that lead to the present one, itself last: going back leads to the one before.
    stack: Vec<PlaceId>,
    sights: FxHashMap<ScreenId, Option<Arc<Sight>>>,
}

impl Map {
    /// Returns the places.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Returns the place of this number.
    pub fn place(&self, place: PlaceId) -> &Place {
        &self.places[place as usize]
    }

    /// Returns what `scene` shows; none before the app is started, and where there is no room.
    pub fn sight(&mut self, scene: &Scene) -> Option<Arc<Sight>> {
        if let Some(known) = self.sights.get(&scene.screen_id) {
            return known.clone();
        }
        if self.sights.len() >= SCREENS_MAX {
            self.sights.clear();
        }
        let sight = scene.screen.as_ref().and_then(|_| self.read(scene)).map(Arc::new);
        self.sights.insert(scene.screen_id, sight.clone());
        sight
    }

    fn read(&mut self, scene: &Scene) -> Option<Sight> {
        let mut hasher = FxHasher::default();
        (scene.activity, scene.frame).hash(&mut hasher);
        let mut numbers = Vec::new();
        let is_said = |flags: &Flags| !flags.has(Flags::EDITABLE);
        for widget in scene.widgets().iter().filter(|widget| widget.is_visible() && is_said(&widget.flags)) {
            match Numbered::new(&widget.text) {
                Some(Numbered { before, number, places, after }) => {
                    let mut own = FxHasher::default();
                    (scene.activity, before, places, after).hash(&mut own);
                    (before, after).hash(&mut hasher);
                    if numbers.len() < NUMBERS_MAX {
                        numbers.push((own.finish(), number));
                    }
                }
                None => widget.text.hash(&mut hasher),
            }
        }
        let next = self.places.len() as PlaceId;
        let place = match self.numbers.get(&hasher.finish()) {
            Some(&known) => known,
            None if self.places.len() >= PLACES_MAX => return None,
            None => {
                self.numbers.insert(hasher.finish(), next);
                self.places.push(Place { activity: scene.activity, events: Vec::new() });
                next
            }
        };
        let events = &mut self.places[place as usize].events;
        for (at, offer) in scene.offers.iter().enumerate() {
            if events.len() < EVENTS_MAX && events.iter().all(|event| event.labeling != offer.labeling) {
                events.push(Event {
                    labeling: offer.labeling,
                    class: offer.class,
                    cost: cost(scene, at),
                    is_back: matches!(scene.actions[at], Action::Device(DeviceAction::Back)),
                    times: 0,
                    returns: 0,
                    has_changed: false,
                    to: Vec::new(),
                });
            }
        }
        Some(Sight { place, numbers })
    }

    /// Learns that an event led from one place to another; returns true if it left the place for good: another activity, or
    /// one where little of the same can be done.
    pub fn learn(&mut self, from: PlaceId, labeling: LabelingId, to: PlaceId, is_changed: bool) -> bool {
        let has_moved = self.is_elsewhere(from, to);
        let name = self.name(from, labeling);
        if self.stack.last() != Some(&from) {
            self.stack = vec![from];
        }
        let known = self.stack.iter().rposition(|&place| !self.is_elsewhere(place, to));
        let is_return = has_moved && known.is_some_and(|at| at + 2 == self.stack.len());
        if let Some(at) = known {
            self.stack.truncate(at);
        }
        self.stack.push(to);
        if self.stack.len() > STACK_MAX {
            self.stack.remove(0);
        }
        let event = self.places[from as usize].events.iter_mut().find(|event| event.labeling == labeling);
        if let Some(event) = event {
            event.times += 1;
            event.returns += u32::from(is_return);
            event.has_changed |= is_changed;
            lead(&mut event.to, to);
            if has_moved && !is_return {
                lead(self.by_name.entry(name).or_default(), to);
            }
        }
        has_moved
    }

    /// Begins an episode.
    pub fn begin(&mut self) {
        self.stack.clear();
    }

    /// Returns the places that lead to the present one, without itself, the latest last.
    pub fn behind(&self) -> &[PlaceId] {
        self.stack.split_last().map_or(&[], |(_, behind)| behind)
    }

    /// Returns the name of an event.
    pub fn name(&self, place: PlaceId, labeling: LabelingId) -> Name {
        (self.place(place).activity, labeling)
    }

    /// Returns the event of this name at `place`, if it can be done there.
    pub fn event(&self, place: PlaceId, (activity, labeling): Name) -> Option<&Event> {
        let Place { activity: own, events } = self.place(place);
        events.iter().find(|event| *own == activity && event.labeling == labeling)
    }

    /// Returns the places that an event of `place` led to, the latest last; if it was never done there, those that its like
    /// led to. What leads back leads to none for certain.
    pub fn led_to<'a>(&'a self, place: PlaceId, event: &'a Event) -> &'a [PlaceId] {
        if event.is_return() {
            return &[];
        }
        if event.times > 0 {
            return &event.to;
        }
        self.by_name.get(&self.name(place, event.labeling)).map_or(&[], |places| places)
    }

    /// Returns true if `to` is another activity than `from`, or shares less than half of the events.
    pub fn is_elsewhere(&self, from: PlaceId, to: PlaceId) -> bool {
        if from == to {
            return false;
        }
        let (from, to) = (self.place(from), self.place(to));
        let has =
            |place: &Place, labeling: LabelingId| place.events.iter().any(|event| event.labeling == labeling);
        let shared = from.events.iter().filter(|event| has(to, event.labeling)).count();
        from.activity != to.activity || 2 * shared < from.events.len()
    }
}

fn cost(scene: &Scene, at: usize) -> u32 {
    let is_on = |flag: Flags| scene.widget(at as u16).is_some_and(|widget| widget.flags.has(flag));
    match &scene.actions[at] {
        // A touch on a field only puts the caret there.
        Action::Touch(Touch::Click, _) if is_on(Flags::EDITABLE) => TEXT,
        Action::Touch(Touch::Click, _) if is_on(Flags::CHECKABLE) => SWITCH,
        Action::Touch(Touch::Click, _) | Action::User { .. } => CLICK,
        Action::Touch(..) => TOUCH,
        Action::Stroke(..) => STROKE,
        Action::Text { .. } => TEXT,
        Action::Device(DeviceAction::Back) => BACK,
        Action::Device(_) | Action::Reinitialise(_) => DEVICE,
    }
}

/// Notes that something led to `place`.
fn lead(places: &mut Vec<PlaceId>, place: PlaceId) {
    places.retain(|known| *known != place);
    places.push(place);
    if places.len() > LED_TO_MAX {
        places.remove(0);
    }
}
