//! A table with a bound: the entries that were used longest ago are forgotten. And a set of numbers in little room.
//!
//! An app may show new screens for ever, and what is known of each is kept by its number. Such a table has two halves:
//! once the newer one is full, the older one is forgotten and the newer one takes its place. What is used comes to the
//! newer half, so forgetting depends on the order of use alone, and an app that fits the newer half loses nothing.

use std::hash::Hash;
use std::mem;

use rustc_hash::FxHashMap;

/// A table of at most twice as many entries as one half holds.
#[derive(Clone, Debug)]
pub struct Recent<K, V> {
    newer: FxHashMap<K, V>,
    older: FxHashMap<K, V>,
    half: usize,
}

impl<K: Eq + Hash, V> Recent<K, V> {
    /// Returns an empty table whose halves hold at most `half` entries each.
    pub fn new(half: usize) -> Recent<K, V> {
        Recent { newer: FxHashMap::default(), older: FxHashMap::default(), half: half.max(1) }
    }

    /// Returns the value of `key`, without using it.
    pub fn peek(&self, key: &K) -> Option<&V> {
        self.newer.get(key).or_else(|| self.older.get(key))
    }

    /// Returns the value of `key`, which `make` makes if there is none. Hands what is forgotten for it to `drop`.
    pub fn get_or_insert_with(
        &mut self,
        key: K,
        make: impl FnOnce() -> V,
        drop: impl FnMut((K, V)),
    ) -> &mut V {
        if self.newer.len() >= self.half && !self.newer.contains_key(&key) {
            // The key may be in the half that goes.
            let known = self.older.remove_entry(&key);
            let newer = mem::take(&mut self.newer);
            mem::replace(&mut self.older, newer).into_iter().for_each(drop);
            self.newer.extend(known);
        }
        let older = &mut self.older;
        match self.newer.entry(key) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(free) => {
                let value = older.remove(free.key()).unwrap_or_else(make);
                free.insert(value)
            }
        }
    }

    /// Iterates over all values, in no order that means anything.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.newer.values().chain(self.older.values())
    }

    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.newer.clear();
        self.older.clear();
    }
}

/// Set of numbers that are given one after the other, a bit each.
#[derive(Clone, Debug, Default)]
pub struct NumberSet {
    bits: Vec<u64>,
    count: usize,
}

impl NumberSet {
    /// Inserts a number; returns true if it is new.
    pub fn insert(&mut self, number: u32) -> bool {
        let (at, bit) = (number as usize / 64, 1 << (number % 64));
        if self.bits.len() <= at {
            self.bits.resize(at + 1, 0);
        }
        let is_new = self.bits[at] & bit == 0;
        self.bits[at] |= bit;
        self.count += usize::from(is_new);
        is_new
    }

    /// Returns true if the number is in the set.
    pub fn contains(&self, number: u32) -> bool {
        self.bits.get(number as usize / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
    }

    /// Returns the number of its members.
    pub fn len(&self) -> usize {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_latest_keys_are_known_and_no_more_than_two_halves(
            half in 1_usize..6,
            keys in prop::collection::vec(0_u8..20, 0..100),
        ) {
            let mut table = Recent::new(half);
            let (mut all, mut dropped) = (0, 0);
            for (at, &key) in keys.iter().enumerate() {
                *table.get_or_insert_with(key, || { all += 1; at }, |_| dropped += 1) = at;
                // The distinct keys that were used last, as many as a half holds.
                let mut latest: Vec<u8> = Vec::new();
                for &key in keys[..=at].iter().rev() {
                    if latest.len() == half { break }
                    if !latest.contains(&key) { latest.push(key) }
                }
                for key in latest {
                    let last = keys[..=at].iter().rposition(|&other| other == key);
                    prop_assert_eq!(table.peek(&key), last.as_ref());
                }
                prop_assert!(table.values().count() <= 2 * half);
                prop_assert_eq!(table.values().count() + dropped, all);
            }
        }
    }
}
