//! Survey: each click at each place, for clicks that lead to ever other places, as those of a maze do.
//!
//! A place is an activity and the texts that it shows beside those of its buttons and fields: a room of a castle, the state
//! of a game. A click whose like, by its name, has led to several places is worth trying at each place; one that leads nowhere, or
//! to the same place from everywhere, is not. An episode goes to the nearest place with such a click that was never done there.

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::latest::Taken;
use crate::gui::{Action, Flags, Touch};
use crate::rng::Rng;
use crate::situation::{ActivityId, LabelingId, Scene, ScreenId, Situation};

/// Most places, screens whose places are kept, clicks of a place, and names of clicks.
const PLACES_MAX: usize = 3_000;
const SCREENS_MAX: usize = 20_000;
const CLICKS_MAX: usize = 40;
const NAMES_MAX: usize = 20_000;
/// Places at which clicks of a name are done before they are judged, and to which they have led if they lead to ever other ones.
const AT_MIN: usize = 3;
const TO_MIN: usize = 3;
/// Names of such clicks before there is something to survey: one alone is a counter or a pager.
const RESTLESS_MIN: usize = 2;
/// Most episodes that it rests once it has found nothing to do.
const RESTS_MAX: u32 = 64;

/// Number of a place.
type PlaceId = u32;

/// Name of a click in an activity.
type Name = (ActivityId, LabelingId);

/// Click at a place.
#[derive(Clone, Copy, Debug)]
struct Click {
    labeling: LabelingId,
    /// Place that it led to the last time, if it was done.
    to: Option<PlaceId>,
}

/// Place, and the clicks that it offers.
#[derive(Clone, Debug)]
struct Place {
    activity: ActivityId,
    clicks: Vec<Click>,
}

/// Effects of the clicks of a name, wherever they were done.
#[derive(Clone, Debug, Default)]
struct Effects {
    /// Places at which they were done, and other places to which they have led: no more of them than count.
    at: Vec<PlaceId>,
    to: Vec<PlaceId>,
}

impl Effects {
    fn add(&mut self, at: PlaceId, to: PlaceId) {
        if self.at.len() < AT_MIN && !self.at.contains(&at) {
            self.at.push(at);
        }
        if at != to && self.to.len() < TO_MIN && !self.to.contains(&to) {
            self.to.push(to);
        }
    }

    /// Returns true if they lead to ever other places.
    fn is_restless(&self) -> bool {
        self.to.len() >= TO_MIN
    }

    /// Returns true if they may be worth trying at another place.
    fn is_open(&self) -> bool {
        self.is_restless() || self.at.len() < AT_MIN
    }
}

/// The member that surveys.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Numbers of places by what they show.
    numbers: FxHashMap<u64, PlaceId>,
    places: Vec<Place>,
    /// Places of screens.
    screens: FxHashMap<ScreenId, Option<PlaceId>>,
    effects: FxHashMap<Name, Effects>,
    /// Number of names that lead to ever other places.
    restless: usize,
    /// True if there was something to do in this episode.
    has_found: bool,
    /// Episodes in a row without, and those that are left to rest.
    idle: u32,
    rests: u32,
}

impl Survey {
    /// Returns true if there are clicks to survey.
    pub fn has_work(&self) -> bool {
        self.rests == 0 && self.restless >= RESTLESS_MIN
    }

    /// Ends an episode, which was its own or another member's.
    pub fn end(&mut self, is_own: bool) {
        self.rests = self.rests.saturating_sub(1);
        if std::mem::take(&mut self.has_found) {
            self.idle = 0;
        } else if is_own {
            self.idle += 1;
            self.rests = (1 << self.idle.min(10)).min(RESTS_MAX);
        }
    }

    /// Learns a step.
    pub fn learn(&mut self, Taken { from, at, to, .. }: &Taken) {
        let Some(here) = self.place(from) else { return };
        let labeling = from.offers[usize::from(*at)].labeling;
        let there = self.place(to).unwrap_or(here);
        let Place { activity, clicks } = &mut self.places[here as usize];
        let Some(click) = clicks.iter_mut().find(|click| click.labeling == labeling) else { return };
        click.to = Some(there);
        let name = (*activity, labeling);
        if self.effects.len() >= NAMES_MAX && !self.effects.contains_key(&name) {
            return;
        }
        let effects = self.effects.entry(name).or_default();
        let was_restless = effects.is_restless();
        effects.add(here, there);
        self.restless += usize::from(!was_restless && effects.is_restless());
    }

    /// Returns the place of `scene`; none before the app is started, and where there is no room.
    fn place(&mut self, scene: &Scene) -> Option<PlaceId> {
        if let Some(&known) = self.screens.get(&scene.screen_id) {
            return known;
        }
        if self.screens.len() >= SCREENS_MAX {
            self.screens.clear();
        }
        let place = scene.screen.is_some().then(|| self.read(scene)).flatten();
        self.screens.insert(scene.screen_id, place);
        place
    }

    fn read(&mut self, scene: &Scene) -> Option<PlaceId> {
        let mut hasher = FxHasher::default();
        scene.activity.hash(&mut hasher);
        let touched = [Flags::CLICKABLE, Flags::EDITABLE, Flags::LONG_CLICKABLE];
        let is_said = |flags: &Flags| touched.iter().all(|flag| !flags.has(*flag));
        for widget in scene.widgets().iter().filter(|widget| widget.is_visible() && is_said(&widget.flags)) {
            widget.text.hash(&mut hasher);
        }
        let next = self.places.len() as PlaceId;
        let place = match self.numbers.get(&hasher.finish()) {
            Some(&known) => known,
            None if self.places.len() >= PLACES_MAX => return None,
            None => {
                self.numbers.insert(hasher.finish(), next);
                self.places.push(Place { activity: scene.activity, clicks: Vec::new() });
                next
            }
        };
        let clicks = &mut self.places[place as usize].clicks;
        for (at, offer) in scene.offers.iter().enumerate() {
            let is_field = || scene.widget(at as u16).is_some_and(|widget| widget.flags.has(Flags::EDITABLE));
            let is_click = matches!(scene.actions[at], Action::Touch(Touch::Click, _)) && !is_field();
            if is_click
                && clicks.len() < CLICKS_MAX
                && clicks.iter().all(|click| click.labeling != offer.labeling)
            {
                clicks.push(Click { labeling: offer.labeling, to: None });
            }
        }
        Some(place)
    }

    /// Returns the next choice of those that are `open`: the first step to the nearest click that was never done at its place;
    /// none if there is none in the steps left.
    pub fn next(&mut self, situation: &Situation<'_>, open: &[u16], rng: &mut Rng) -> Option<u16> {
        let scene = situation.scene;
        let here = self.place(scene)?;
        let offer = |labeling: LabelingId| {
            open.iter().copied().find(|&at| scene.offers[usize::from(at)].labeling == labeling)
        };
        let mut seen = FxHashSet::from_iter([here]);
        let mut waiting: VecDeque<(PlaceId, u32, Option<u16>)> = VecDeque::from([(here, 0, None)]);
        let mut found: Vec<(bool, u16)> = Vec::new();
        let mut nearest = u32::MAX;
        while let Some((place, steps, first)) = waiting.pop_front() {
            if steps >= situation.steps_left || steps > nearest {
                break;
            }
            let Place { activity, clicks } = &self.places[place as usize];
            for click in clicks {
                let Some(first) = first.or_else(|| offer(click.labeling)) else { continue };
                let effects = self.effects.get(&(*activity, click.labeling));
                match click.to {
                    None if effects.is_none_or(Effects::is_open) => {
                        nearest = steps;
                        found.push((effects.is_some_and(Effects::is_restless), first));
                    }
                    Some(to) if to != place && seen.insert(to) => {
                        waiting.push_back((to, steps + 1, Some(first)));
                    }
                    None | Some(_) => {}
                }
            }
        }
        // What is known to lead to ever other places comes first.
        let best = found.iter().map(|(is_restless, _)| *is_restless).max()?;
        let equals: Vec<u16> = found.iter().filter(|(is, _)| *is == best).map(|(_, first)| *first).collect();
        self.has_found = true;
        Some(equals[rng.below(equals.len())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clicks_that_lead_nowhere_or_to_one_place_are_closed_soon() {
        let after = |steps: &[(PlaceId, PlaceId)]| {
            let mut effects = Effects::default();
            steps.iter().for_each(|&(at, to)| effects.add(at, to));
            (effects.is_open(), effects.is_restless())
        };
        assert_eq!(after(&[]), (true, false));
        assert_eq!(after(&[(1, 1), (1, 1), (1, 1), (2, 2)]), (true, false));
        assert_eq!(after(&[(1, 1), (2, 2), (3, 3)]), (false, false), "it leads nowhere");
        assert_eq!(
            after(&[(1, 9), (2, 9), (3, 9)]),
            (false, false),
            "it leads to the same place from everywhere"
        );
        assert_eq!(after(&[(1, 2), (2, 3), (3, 4)]), (true, true));
        assert_eq!(after(&[(1, 2), (2, 3), (3, 3), (4, 5)]), (true, true), "and a wall");
    }
}
