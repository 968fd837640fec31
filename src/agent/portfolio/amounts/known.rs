//! Knowledge of an amount: its value, and the effects of events on it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::effect::Effect;
use super::map::{Name, PlaceId};

/// Most steps that are taken to see the value at the start of an episode.
const LOOKS_MAX: u32 = 40;
/// Most suspects at once.
const SUSPECTS_MAX: usize = 20;
/// Most events that are kept until the amount is shown, effects, and texts that are compared with it.
const SINCE_MAX: usize = 200;
const EFFECTS_MAX: usize = 10_000;
const COMPARED_MAX: usize = 1_000;
/// Least size of an amount that another number is thought to be the same as: small numbers are often equal by chance.
const SAME_MIN: u64 = 2;

/// Event at a place, and its name in the activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    pub place: PlaceId,
    pub name: Name,
}

/// Event of an episode, and whether it left its place for another one.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub event: At,
    pub has_moved: bool,
}

/// Knowledge of an amount.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Value at the start of an episode.
    base: Option<i64>,
    effects: FxHashMap<At, Effect>,
    /// Latest effect of events with this name, wherever they are in the activity.
    by_name: FxHashMap<Name, Effect>,
    /// Places that show it, or another number that has been the same.
    pub places: FxHashSet<PlaceId>,
    /// Places that show it, each with the [span](crate::gui::ShownAmount::span) of its row.
    pub seen_at: FxHashMap<PlaceId, i64>,
    /// Other texts with numbers: true while their number was the same whenever both were told.
    same: FxHashMap<u64, bool>,
    /// Events of which one has an effect that is not known.
    pub suspects: FxHashSet<At>,
    /// Steps that were taken to see the value at the start of an episode.
    pub looks: u32,
    /// Value when it was shown the last time in this episode, and the events since.
    value: Option<i64>,
    pub since: Vec<Done>,
}

impl Known {
    /// Begins an episode.
    pub fn begin(&mut self) {
        self.value = self.base;
        self.since.clear();
    }

    fn effect(&self, event: At) -> Option<&Effect> {
        self.effects.get(&event).or_else(|| self.by_name.get(&event.name))
    }

    /// Adds an event of the episode.
    pub fn add(&mut self, done: Done) {
        if self.since.len() < SINCE_MAX {
            self.since.push(done);
        } else {
            // What came since is not told any more.
            self.value = None;
        }
    }

    /// Returns true if it is known what the event has done to the amount.
    pub fn is_known(&self, done: &Done) -> bool {
        self.effect(done.event).is_some() || done.has_moved && !self.suspects.contains(&done.event)
    }

    /// Returns the value after the event; what is not known changes nothing.
    pub fn after(&self, event: At, value: i64) -> i64 {
        self.effect(event).map_or(value, |effect| effect.after(value))
    }

    /// Returns the value now, as far as the effects since the last sight are known.
    pub fn estimate(&self) -> Option<i64> {
        let value = self.value?;
        Some(self.since.iter().fold(value, |value, done| self.after(done.event, value)))
    }

    /// Returns true if the value at the start of an episode can be found out now.
    pub fn wants_base(&self) -> bool {
        let is_unchanged = self.since.iter().all(|done| self.is_known(done));
        self.base.is_none() && self.value.is_none() && is_unchanged && self.looks < LOOKS_MAX
    }

    /// Notes the effect of an event; returns true if none was known.
    fn note(&mut self, event: At, effect: Effect) -> bool {
        self.suspects.remove(&event);
        if self.effects.len() >= EFFECTS_MAX {
            return false;
        }
        self.by_name.insert(event.name, effect.clone());
        self.effects.insert(event, effect).is_none()
    }

    /// Takes in that the amount is `value` now; returns true if that tells of an effect for the first time.
    pub fn settle(&mut self, value: i64) -> bool {
        let since = std::mem::take(&mut self.since);
        let (mut unknown, mut number) = distinct(since.iter().filter(|done| !self.is_known(done)));
        let before = self.value.replace(value);
        let Some(before) = before else {
            if unknown.is_empty()
                && since.len() < SINCE_MAX
                && since.iter().all(|done| self.effect(done.event).is_none_or(Effect::is_none))
            {
                self.base = Some(value);
            }
            return false;
        };
        if let [Done { event, has_moved }] = since[..] {
            if has_moved && before == value {
                return false;
            }
            let mut effect = self.effects.get(&event).cloned().unwrap_or_else(|| Effect::adding(0));
            effect.see(before, value);
            return self.note(event, effect);
        }
        let expected = since.iter().fold(before, |value, done| self.after(done.event, value));
        if expected == value {
            // What was done twice may have undone itself.
            let times = |name: Name| since.iter().filter(|done| done.event.name == name).count();
            unknown.retain(|event| times(event.name) == 1);
            let note = |is_new: bool, event: At| self.note(event, Effect::adding(0)) || is_new;
            return unknown.into_iter().fold(false, note);
        }
        if unknown.is_empty() {
            let mut guessed: Vec<At> = since.iter().map(|done| done.event).collect();
            guessed.retain(|event| self.effect(*event).is_some_and(Effect::is_guess));
            if !guessed.is_empty() {
                // One of the guesses was wrong.
                for event in guessed.into_iter().take(SUSPECTS_MAX - self.suspects.len()) {
                    self.effects.remove(&event);
                    self.by_name.remove(&event.name);
                    self.suspects.insert(event);
                }
                return false;
            }
            // What leads elsewhere may do more than that.
            (unknown, number) = distinct(since.iter().filter(|done| self.effect(done.event).is_none()));
        }
        let gap = value - expected;
        match &unknown[..] {
            [one] if gap % number as i64 == 0 => self.note(*one, Effect::adding(gap / number as i64)),
            several if self.suspects.len() + several.len() <= SUSPECTS_MAX => {
                let before = self.suspects.len();
                self.suspects.extend(several);
                self.suspects.len() > before
            }
            _ => false,
        }
    }

    /// Takes in that another text had `number` when the amount was `value`, and nothing had changed in between.
    pub fn compare(&mut self, text: u64, number: i64, value: i64) {
        let has_room = self.same.len() < COMPARED_MAX;
        match self.same.get_mut(&text) {
            Some(is_same) => *is_same &= number == value,
            None if has_room && (value.unsigned_abs() >= SAME_MIN || number != value) => {
                self.same.insert(text, number == value);
            }
            None => {}
        }
    }

    /// Returns true if the number of this text has been the same as the amount.
    pub fn is_same(&self, text: u64) -> bool {
        self.same.get(&text) == Some(&true)
    }

    /// Returns how far the search for what changes the amount has come: something is suspected, nothing is known, or something
    /// is known to.
    pub fn progress(&self) -> u8 {
        match (self.suspects.is_empty(), self.by_name.values().all(Effect::is_none)) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        }
    }

    /// Returns true if the effect of an event with this name is known.
    pub fn has_like(&self, event: At) -> bool {
        self.by_name.contains_key(&event.name)
    }

    /// Returns true if nothing is known of the event's effect.
    pub fn is_open(&self, event: At) -> bool {
        match self.effects.get(&event) {
            Some(_) => false,
            None => self.by_name.get(&event.name).is_none_or(|effect| !effect.is_none()),
        }
    }
}

/// Returns the events without repetition, in order, and their number with it.
fn distinct<'a>(events: impl Iterator<Item = &'a Done>) -> (Vec<At>, usize) {
    let mut events: Vec<At> = events.map(|done| done.event).collect();
    let number = events.len();
    events.sort_unstable();
    events.dedup();
    (events, number)
}
