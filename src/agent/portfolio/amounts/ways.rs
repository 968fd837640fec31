//! Ways from the present place, with what lies behind each place on them.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::map::{Event, Map, PlaceId};

/// Place on a way, with what lies behind it.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    pub place: PlaceId,
    /// Spot that going back leads to.
    behind: Option<usize>,
    pub steps: u32,
    /// First step of the way here; none at its start.
    pub first: Option<u16>,
}

/// Ways from the present place.
pub struct Ways<'a> {
    map: &'a Map,
    spots: Vec<Spot>,
    start: usize,
    /// Pairs of places, and true if the second is elsewhere.
    elsewhere: FxHashMap<(PlaceId, PlaceId), bool>,
}

impl<'a> Ways<'a> {
    /// Returns the present place, with those behind it.
    pub fn new(map: &'a Map, here: PlaceId) -> Ways<'a> {
        let mut spots: Vec<Spot> = Vec::new();
        for &place in map.behind().iter().chain([&here]) {
            let behind = spots.len().checked_sub(1);
            spots.push(Spot { place, behind, steps: 0, first: None });
        }
        let start = spots.len() - 1;
        Ways { map, spots, start, elsewhere: FxHashMap::default() }
    }

    /// Returns the spot of the present place.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns the spot of this number.
    pub fn spot(&self, spot: usize) -> Spot {
        self.spots[spot]
    }

    /// Returns true if `to` is [elsewhere](Map::is_elsewhere).
    pub fn is_elsewhere(&mut self, from: PlaceId, to: PlaceId) -> bool {
        let map = self.map;
        *self.elsewhere.entry((from, to)).or_insert_with(|| map.is_elsewhere(from, to))
    }

    /// Returns true if one of `spots` is elsewhere.
    pub fn leads_on(&mut self, from: PlaceId, spots: Range<usize>) -> bool {
        spots.into_iter().any(|to| self.is_elsewhere(from, self.spots[to].place))
    }

    /// Returns the spots after an event, the likeliest last, on a way that begins with `first`.
    pub fn after(&mut self, from: usize, event: &Event, first: u16) -> Range<usize> {
        let Spot { place, behind, steps, .. } = self.spots[from];
        let (steps, first, next) = (steps + 1, Some(first), self.spots.len());
        if event.is_return() {
            self.spots.extend(behind.map(|behind| Spot { steps, first, ..self.spots[behind] }));
        } else {
            for &to in self.map.led_to(place, event) {
                let behind = if self.is_elsewhere(place, to) { Some(from) } else { behind };
                self.spots.push(Spot { place: to, behind, steps, first });
            }
        }
        next..self.spots.len()
    }

    /// Returns the number of steps from a spot to a place that shows an amount, which lie `far` from each place by what leads
    /// on.
    pub fn distance(&self, spot: usize, far: &[Option<u32>]) -> Option<u32> {
        let (mut at, mut back, mut least) = (Some(spot), 0, None::<u32>);
        while let Some(spot) = at {
            let steps = far[self.spots[spot].place as usize].map(|steps| steps + back);
            least = least.into_iter().chain(steps).min();
            (at, back) = (self.spots[spot].behind, back + 1);
        }
        least
    }
}
