//! Texts that are new at nearly each look: they tell screens apart, and never explain anything.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::lattice::Gui;

/// Looks at a place that are counted, and looks with a new text among them that make it noise.
const LOOKS_MAX: u32 = 16;
const NEWS_MAX: u32 = 8;

/// Most texts of a place that are told apart, and most places; further places never count as noise.
const TEXTS_MAX: usize = 256;
const PLACES_MAX: usize = 100_000;

/// Texts by the place of their widgets; all rows of a list are one place.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    places: FxHashMap<u64, Place>,
}

#[derive(Clone, Debug, Default)]
struct Place {
    /// Screens that had it.
    looks: u32,
    /// Screens that showed a new text there.
    news: u32,
    texts: Vec<u64>,
}

impl Texts {
    /// Takes notice of a screen that was never seen before.
    pub fn see(&mut self, gui: &Gui) {
        // Rows share a place, and the screen is one look at it.
        let mut seen: BTreeMap<u64, bool> = BTreeMap::new();
        for part in gui.parts.iter().filter(|part| part.has_text) {
            if self.places.len() >= PLACES_MAX && !self.places.contains_key(&part.place) {
                continue;
            }
            let place = self.places.entry(part.place).or_default();
            if place.looks < LOOKS_MAX {
                let is_new = !place.texts.contains(&part.text);
                *seen.entry(part.place).or_default() |= is_new;
                if is_new && place.texts.len() < TEXTS_MAX {
                    place.texts.push(part.text);
                }
            }
        }
        for (place, is_new) in seen {
            let Some(place) = self.places.get_mut(&place) else { continue };
            place.looks += 1;
            place.news += u32::from(is_new);
            if place.looks == LOOKS_MAX {
                place.texts = Vec::new();
            }
        }
    }

    /// Returns the places whose texts are noise, in order.
    pub fn noise(&self) -> Vec<u64> {
        let is_noise = |place: &u64| self.is_noise(*place);
        let mut noise: Vec<u64> = self.places.keys().copied().filter(is_noise).collect();
        noise.sort_unstable();
        noise
    }

    /// Takes notice that the texts at this place are noise.
    pub fn know(&mut self, noise: u64) {
        self.places.insert(noise, Place { looks: LOOKS_MAX, news: NEWS_MAX, texts: Vec::new() });
    }

    /// Returns true if the texts at this place are noise.
    pub fn is_noise(&self, place: u64) -> bool {
        self.places.get(&place).is_some_and(|place| place.news >= NEWS_MAX)
    }
}
