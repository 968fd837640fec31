//! Hash tables of numbers; the things they stand for are kept once, in a list elsewhere.
//!
//! Hash-consing is built on [`Unique`]. The hash is not random, which is safe because no table is ever
//! iterated: the same input gives the same bytes.

use std::hash::{BuildHasher, Hash, Hasher};

const EMPTY: u32 = u32::MAX;

/// A set of list indexes, found by the hash and equality of the listed items.
#[derive(Clone, Debug, Default)]
pub(super) struct Unique {
    /// Each index with the upper half of its hash, so growing and most misses read nothing else.
    slots: Vec<(u32, u32)>,
    len: usize,
}

impl Unique {
    /// Returns the index for which `is_it` is true among those with this hash.
    pub fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let tag = tag(hash);
        let mut at = tag as usize & mask;
        loop {
            let (index, seen) = self.slots[at];
            if index == EMPTY {
                return None;
            }
            if seen == tag && is_it(index) {
                return Some(index);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds `index`, which must not be in the set yet.
    pub fn insert(&mut self, hash: u64, index: u32) {
        // At most three quarters full: a search ends at an empty slot, and there must be one.
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        self.place(tag(hash), index);
        self.len += 1;
    }

    fn grow(&mut self) {
        // A power of two, so that a mask turns a hash into a slot.
        let size = (self.slots.len() * 2).max(32);
        let old = std::mem::replace(&mut self.slots, vec![(EMPTY, 0); size]);
        for (index, tag) in old {
            if index != EMPTY {
                self.place(tag, index);
            }
        }
    }

    fn place(&mut self, tag: u32, index: u32) {
        let mask = self.slots.len() - 1;
        let mut at = tag as usize & mask;
        while self.slots[at].0 != EMPTY {
            at = (at + 1) & mask;
        }
        self.slots[at] = (index, tag);
    }
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// Returns the hash of `key` by [`Multiply`].
pub(super) fn hash_of(key: &(impl Hash + ?Sized)) -> u64 {
    Multiply.hash_one(key)
}

/// A fast hash for short keys: rotate, xor, multiply, eight bytes at a time.
///
/// Keys come from one user's specs and traces, and sizes are bounded before anything is hashed. So the hash
/// need not withstand collisions made on purpose; their cost is linear.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Multiply;

impl BuildHasher for Multiply {
    type Hasher = MultiplyHasher;

    fn build_hasher(&self) -> MultiplyHasher {
        MultiplyHasher(0)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct MultiplyHasher(u64);

impl MultiplyHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        // The constant is 2^64 divided by the golden ratio, made odd.
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for MultiplyHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((word, tail)) = rest.split_first_chunk::<8>() {
            self.add(u64::from_le_bytes(*word));
            rest = tail;
        }
        if let Some((word, tail)) = rest.split_first_chunk::<4>() {
            self.add(u64::from(u32::from_le_bytes(*word)));
            rest = tail;
        }
        for &byte in rest {
            self.add(u64::from(byte));
        }
    }

    #[inline]
    fn write_u8(&mut self, word: u8) {
        self.add(u64::from(word));
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // The tables use the upper half; one more round spreads the last word over all of it.
        (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_inserted_is_found_again_and_nothing_else() {
        let words: Vec<String> = (0..1000).map(|n| format!("word {n}")).collect();
        let mut set = Unique::default();
        for (index, word) in words.iter().enumerate().step_by(2) {
            set.insert(hash_of(word), index as u32);
        }
        for (index, word) in words.iter().enumerate() {
            let found = set.find(hash_of(word), |at| &words[at as usize] == word);
            assert_eq!(found, (index % 2 == 0).then_some(index as u32));
        }
    }
}
