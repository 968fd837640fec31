//! Places: screens that differ in nothing that has proven to matter.
//!
//! At first every detail matters. A detail that says something else nearly each time a screen is seen (a clock, a
//! counter, the rows of a feed) is left out from then on; one that was left out and then proves to matter is never left
//! out again.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::{Abstraction, Numbering};
use crate::situation::{ActionId, LookId, Scene, ScreenId, StateId, Transition, View};

/// Different contents, in at most twice as many looks, with which a detail is left out.
const CONTENTS_MIN: usize = 8;

/// Different contents with which a detail is noise, whatever it seems to bring about.
const CONTENTS_MAX: usize = 64;

/// The abstraction that learns which details matter.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Number of states given so far.
    count: u32,
    /// States by structure, look, and the contents that are not left out.
    by_key: FxHashMap<(u64, LookId, u64), StateId>,
    /// States of screens, as far as they were asked for.
    of_screens: FxHashMap<ScreenId, StateId>,
    screens: FxHashMap<ScreenId, Seen>,
    /// Details by structure and place in it.
    details: FxHashMap<(u64, u64), Detail>,
    /// True if a detail is left out or let in since states were numbered.
    is_stale: bool,
    /// Number of steps observed.
    steps: usize,
    /// Number of steps from which on states may be numbered anew.
    renewal: usize,
}

/// Screen as it was seen.
#[derive(Clone, Debug)]
struct Seen {
    look: LookId,
    frame: u64,
    contents: Box<[(u64, u64)]>,
}

/// Contents at one place of a structure.
#[derive(Clone, Debug, Default)]
struct Detail {
    /// Different contents, as far as they are counted.
    contents: Vec<u64>,
    /// Number of screens that have the detail.
    looks: usize,
    is_left_out: bool,
    /// True if it was left out and then proved to matter.
    matters: bool,
}

impl Places {
    /// Takes notice of a screen.
    fn see(&mut self, view: &View<'_>) {
        // A screen counts once, however often it is seen.
        if self.screens.contains_key(&view.screen_id) {
            return;
        }
        let frame = view.outline.frame;
        for &(at, content) in &view.outline.contents {
            let detail = self.details.entry((frame, at)).or_default();
            detail.looks += 1;
            // With more contents it stays noise, so further ones need not be kept.
            if detail.contents.len() < CONTENTS_MAX && !detail.contents.contains(&content) {
                detail.contents.push(content);
                let is_often_new =
                    detail.contents.len() >= CONTENTS_MIN && detail.looks <= 2 * detail.contents.len();
                if is_often_new && !detail.matters && !detail.is_left_out {
                    detail.is_left_out = true;
                    self.is_stale = true;
                }
            }
        }
        let seen = Seen { look: view.look, frame, contents: view.outline.contents[..].into() };
        self.screens.insert(view.screen_id, seen);
    }

    /// Returns the state of a screen that was seen.
    fn of(&mut self, screen: ScreenId) -> StateId {
        if let Some(&state) = self.of_screens.get(&screen) {
            return state;
        }
        let seen = &self.screens[&screen];
        let mut hasher = FxHasher::default();
        // The places are in order, so equal contents give equal hashes.
        for (at, content) in &seen.contents {
            if !self.details.get(&(seen.frame, *at)).is_some_and(|detail| detail.is_left_out) {
                (at, content).hash(&mut hasher);
            }
        }
        let next = StateId(self.count);
        let state = *self.by_key.entry((seen.frame, seen.look, hasher.finish())).or_insert(next);
        self.count += u32::from(state == next);
        self.of_screens.insert(screen, state);
        state
    }

    /// Forgets the numbers of all states.
    fn renumber(&mut self) {
        self.count = 0;
        self.by_key.clear();
        self.of_screens.clear();
        self.is_stale = false;
        // Learning anew costs as much as all steps so far, so the steps between grow with their number.
        self.renewal = self.steps + self.steps / 8 + 8;
    }
}

impl Abstraction for Places {
    fn state(&mut self, view: &View<'_>) -> StateId {
        self.see(view);
        self.of(view.screen_id)
    }

    fn actions(&mut self, _: StateId, view: &View<'_>) -> Vec<ActionId> {
        // A button whose caption counts something is still the same button.
        view.offers.iter().map(|offer| ActionId(offer.spot.0)).collect()
    }

    fn observe(&mut self, _: &Transition<'_>) -> Numbering {
        self.steps += 1;
        if !self.is_stale || self.steps < self.renewal {
            return Numbering::Same;
        }
        self.renumber();
        Numbering::Refined
    }

    fn contradict(&mut self, from: &Scene) {
        let Some(seen) = self.screens.get(&from.screen_id) else { return };
        for &(at, _) in &seen.contents {
            if let Some(detail) = self.details.get_mut(&(seen.frame, at))
                && detail.is_left_out
                && detail.contents.len() < CONTENTS_MAX
            {
                // Left out once more, it would only be contradicted again.
                (detail.is_left_out, detail.matters) = (false, true);
                self.is_stale = true;
            }
        }
    }

    fn retain(&mut self, steps: usize, is_kept: &dyn Fn(ScreenId) -> bool) {
        // Fewer steps are left to learn from, so the next renewal may come sooner.
        self.steps = steps;
        self.screens.retain(|&screen, _| is_kept(screen));
        self.renumber();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gui::Outline;
    use crate::situation::{ActivityId, Next, PhaseId, Situation};

    /// The screen at this time, with a clock and a title that is one of two.
    fn state(places: &mut Places, clock: u32) -> StateId {
        let contents = vec![(0, u64::from(clock)), (1, u64::from(clock % 2))];
        let outline = Outline { frame: 7, contents };
        let (screen_id, activity, look) = (ScreenId(clock), ActivityId(1), LookId(0));
        places.state(&View {
            screen_id,
            activity,
            look,
            sign: 0,
            outline: &outline,
            offers: &[],
            actions: &[],
            screen: None,
        })
    }

    fn seen(clocks: std::ops::Range<u32>) -> Places {
        let mut places = Places::default();
        for clock in clocks {
            state(&mut places, clock);
        }
        places
    }

    fn scene(screen: u32) -> Scene {
        let (screen_id, activity, look) = (ScreenId(screen), ActivityId(1), LookId(0));
        let (frame, slots, offers, actions) = (7, 0, Arc::default(), Arc::default());
        Scene { state: StateId(0), screen_id, activity, look, frame, slots, offers, actions, screen: None }
    }

    fn observe(places: &mut Places) -> Numbering {
        let (scene, phase) = (&scene(0), PhaseId::START);
        let from = &Situation { scene, phase, steps_left: 1, candidates: &[], preferred: &[] };
        let next = Next::Truncated;
        places.observe(&Transition { from, at: 0, reward: 0.0, elapsed_ms: None, to: scene, phase, next })
    }

    fn contradict(places: &mut Places, screen: u32) {
        places.contradict(&scene(screen));
    }

    #[test]
    fn a_detail_that_is_new_at_each_look_is_left_out_and_one_that_recurs_is_not() {
        let mut few = seen(0..7);
        assert_eq!(observe(&mut few), Numbering::Same);
        assert_ne!(state(&mut few, 0), state(&mut few, 2));
        let mut many = seen(0..8);
        assert_eq!(observe(&mut many), Numbering::Refined);
        assert_eq!(state(&mut many, 0), state(&mut many, 2));
        assert_ne!(state(&mut many, 0), state(&mut many, 1));
    }

    #[test]
    fn a_detail_that_proves_to_matter_is_let_in_again_and_stays() {
        let mut places = seen(0..12);
        assert_eq!(observe(&mut places), Numbering::Refined);
        contradict(&mut places, 3);
        // The next renewal is some steps away.
        let refined = (0..20).position(|_| observe(&mut places) == Numbering::Refined);
        assert_eq!(refined, Some(7));
        assert_ne!(state(&mut places, 0), state(&mut places, 2));
        contradict(&mut places, 3);
        assert!((0..50).all(|_| observe(&mut places) == Numbering::Same), "it was let in before");
    }

    #[test]
    fn noise_stays_left_out() {
        let mut places = seen(0..100);
        observe(&mut places);
        contradict(&mut places, 3);
        assert!((0..50).all(|_| observe(&mut places) == Numbering::Same));
        assert_eq!(state(&mut places, 0), state(&mut places, 2));
    }

    #[test]
    fn what_is_not_kept_is_seen_anew() {
        let mut places = seen(0..4);
        places.retain(1, &|screen| screen == ScreenId(3));
        assert_eq!(places.screens.len(), 1);
        assert_eq!(state(&mut places, 3), StateId(0));
    }
}
