//! Sorting in little code: what the standard library does by some 7 kB of code for each type and order, done by one copy.
//!
//! For places where no search spends its time: each comparison is a call, and elements are moved once more. Sorts are
//! stable, as those of the standard library are.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Sorts `items` by `order`, as the method `sort_by` does.
pub fn by<T>(items: &mut [T], mut order: impl FnMut(&T, &T) -> Ordering) {
    let mut place = places(items.len(), &mut |one, other| order(&items[one], &items[other]));
    for at in 0..items.len() {
        // Each swap brings an item to its place for good.
        while place[at] != at {
            let to = place[at];
            items.swap(at, to);
            place.swap(at, to);
        }
    }
}

/// Sorts `items` by `key`, as the method `sort_by_key` does.
pub fn by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    by(items, |one, other| key(one).cmp(&key(other)));
}

/// Returns the entries as a map; of entries with the same key the last one stays. The method `collect` sorts them first.
pub fn map<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(entries);
    map
}

/// Returns the items as a set; the method `collect` sorts them first.
pub fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}

/// Returns for each of `count` items its place in the `order`.
fn places(count: usize, order: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..count).collect();
    sorted.sort_by(|&one, &other| order(one, other));
    let mut places = vec![0; count];
    for (place, at) in sorted.into_iter().enumerate() {
        places[at] = place;
    }
    places
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn random_items(rng: &mut ChaCha8Rng) -> Vec<(u8, usize)> {
        let count = rng.random_range(0..60);
        (0..count).map(|at| (rng.random_range(0..20), at)).collect()
    }

    #[test]
    fn items_are_sorted_as_the_standard_library_sorts_them() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..500 {
            let items = random_items(&mut rng);
            let (mut expected, mut by_key, mut by_order) = (items.clone(), items.clone(), items);
            expected.sort_by_key(|&(key, _)| key);
            super::by_key(&mut by_key, |&(key, _)| key);
            by(&mut by_order, |one, other| one.0.cmp(&other.0));
            assert_eq!((&by_key, &by_order), (&expected, &expected));
        }
    }

    #[test]
    fn maps_and_sets_are_those_of_the_standard_library() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..500 {
            let items = random_items(&mut rng);
            assert_eq!(map(items.clone()), items.iter().copied().collect());
            assert_eq!(set(items.clone()), items.into_iter().collect());
        }
    }
}
