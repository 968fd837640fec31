//! Places: screens that are taken for the same, by what has proven to matter on them.
//!
//! At first every detail matters. What says something else nearly each time a screen is seen (a clock, a counter, the
//! rows of a feed) is left out from then on; what was left out and is then found to matter is never left out again.
//! How an abstraction is chosen is for this file alone to say.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use crate::agent::{ActivityId, LookId, Offer, Scene, ScreenId};

/// Screens that are taken for the same.
pub type PlaceId = u32;

/// What says as many different things as this in at most twice as many looks is left out.
const CONTENTS_MIN: usize = 8;

/// What says as many different things as this is noise, whatever it seems to bring about.
const CONTENTS_MAX: usize = 64;

/// What is known of screens and of what they have in common.
#[derive(Clone, Debug, Default)]
pub struct Places {
    list: Vec<Place>,
    by_key: FxHashMap<(u64, LookId, u64), PlaceId>,
    /// The places of screens, as far as they were asked for.
    of_screens: FxHashMap<ScreenId, PlaceId>,
    screens: FxHashMap<ScreenId, Seen>,
    /// By frame and place in it.
    details: FxHashMap<(u64, u64), Detail>,
    weight: usize,
}

/// A place.
#[derive(Clone, Debug)]
pub struct Place {
    /// The activity.
    pub activity: ActivityId,
    /// Which atoms hold there.
    pub look: LookId,
    /// How it is built.
    pub frame: u64,
    /// What was offered there when it was seen first.
    pub offers: Arc<[Offer]>,
}

/// A screen as it was seen.
#[derive(Clone, Debug)]
struct Seen {
    activity: ActivityId,
    look: LookId,
    frame: u64,
    contents: Box<[(u64, u64)]>,
    offers: Arc<[Offer]>,
}

/// What is said in one place of a frame.
#[derive(Clone, Debug, Default)]
struct Detail {
    /// The different things, as far as they are counted.
    contents: Vec<u64>,
    /// On how many screens.
    looks: usize,
    is_left_out: bool,
    /// It has proven to matter.
    matters: bool,
}

impl Places {
    /// Takes notice of a screen; says whether something is left out since, so that places have other numbers.
    pub fn see(&mut self, scene: &Scene<'_>) -> bool {
        if self.has_seen(scene.screen) {
            return false;
        }
        let mut has_changed = false;
        for &(at, content) in scene.contents {
            let detail = self.details.entry((scene.frame, at)).or_default();
            detail.looks += 1;
            if detail.contents.len() < CONTENTS_MAX && !detail.contents.contains(&content) {
                detail.contents.push(content);
                let is_often_new =
                    detail.contents.len() >= CONTENTS_MIN && detail.looks <= 2 * detail.contents.len();
                if is_often_new && !detail.matters && !detail.is_left_out {
                    detail.is_left_out = true;
                    has_changed = true;
                }
            }
        }
        let seen = Seen {
            activity: scene.activity,
            look: scene.look,
            frame: scene.frame,
            contents: scene.contents.into(),
            offers: scene.offers.clone(),
        };
        self.weight += seen.weight();
        self.screens.insert(scene.screen, seen);
        has_changed
    }

    /// Whether a screen was seen.
    pub fn has_seen(&self, screen: ScreenId) -> bool {
        self.screens.contains_key(&screen)
    }

    /// Something left out at `screen` may have made a difference; says whether it is let in again, so that places have
    /// other numbers.
    pub fn doubt(&mut self, screen: ScreenId) -> bool {
        let Some(seen) = self.screens.get(&screen) else { return false };
        let mut has_changed = false;
        for &(at, _) in &seen.contents {
            if let Some(detail) = self.details.get_mut(&(seen.frame, at))
                && detail.is_left_out
                && detail.contents.len() < CONTENTS_MAX
            {
                (detail.is_left_out, detail.matters) = (false, true);
                has_changed = true;
            }
        }
        has_changed
    }

    /// Forgets all numbers of places, and what was seen of screens other than those that `is_kept`.
    pub fn renumber(&mut self, is_kept: impl Fn(ScreenId) -> bool) {
        self.list.clear();
        self.by_key.clear();
        self.of_screens.clear();
        self.screens.retain(|&screen, _| is_kept(screen));
        self.weight = self.screens.values().map(Seen::weight).sum();
    }

    /// Returns the place of a screen that was seen.
    pub fn of(&mut self, screen: ScreenId) -> PlaceId {
        if let Some(&place) = self.of_screens.get(&screen) {
            return place;
        }
        let seen = &self.screens[&screen];
        let mut hasher = FxHasher::default();
        for (at, content) in &seen.contents {
            if !self.details.get(&(seen.frame, *at)).is_some_and(|detail| detail.is_left_out) {
                (at, content).hash(&mut hasher);
            }
        }
        let next = self.list.len() as PlaceId;
        let place = *self.by_key.entry((seen.frame, seen.look, hasher.finish())).or_insert(next);
        if place == next {
            let Seen { activity, look, frame, ref offers, .. } = *seen;
            self.list.push(Place { activity, look, frame, offers: offers.clone() });
        }
        self.of_screens.insert(screen, place);
        place
    }

    /// What is known of a place.
    pub fn get(&self, place: PlaceId) -> &Place {
        &self.list[place as usize]
    }

    /// The offer at `at` of a screen that was seen.
    pub fn offer(&self, screen: ScreenId, at: u16) -> Option<Offer> {
        self.screens.get(&screen)?.offers.get(usize::from(at)).copied()
    }

    /// How much is kept of screens: details and offers.
    pub fn weight(&self) -> usize {
        self.weight
    }
}

impl Seen {
    fn weight(&self) -> usize {
        8 + self.contents.len() + 3 * self.offers.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A screen with a clock and a title, in this order.
    fn scene<'a>(screen: ScreenId, contents: &'a [(u64, u64)], offers: &'a Arc<[Offer]>) -> Scene<'a> {
        Scene { screen, activity: 1, look: 0, frame: 7, contents, offers }
    }

    /// Sees screens of which the clock says the number, and the title one of two.
    fn places(clocks: std::ops::Range<u32>) -> (Places, bool) {
        let offers: Arc<[Offer]> = Arc::new([]);
        let mut places = Places::default();
        let mut has_changed = false;
        for clock in clocks {
            let contents = [(0, u64::from(clock)), (1, u64::from(clock % 2))];
            has_changed |= places.see(&scene(clock, &contents, &offers));
        }
        (places, has_changed)
    }

    #[test]
    fn what_is_new_at_each_look_is_left_out_and_what_recurs_is_not() {
        let (mut few, has_changed) = places(0..7);
        assert!(!has_changed && few.of(0) != few.of(2));
        let (mut many, has_changed) = places(0..8);
        assert!(has_changed);
        assert_eq!(many.of(0), many.of(2));
        assert_ne!(many.of(0), many.of(1));
    }

    #[test]
    fn what_was_left_out_and_matters_is_let_in_again_unless_it_is_noise() {
        let (mut places, _) = places(0..12);
        assert!(places.doubt(3));
        places.renumber(|_| true);
        assert_ne!(places.of(0), places.of(2));
        assert!(!places.doubt(3), "it was let in before");
    }

    #[test]
    fn noise_stays_left_out() {
        let (mut places, _) = places(0..100);
        assert!(!places.doubt(3));
        assert_eq!(places.of(0), places.of(2));
    }
}
