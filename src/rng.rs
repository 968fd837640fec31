//! Chance: every random number comes from one seed and a name.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// The source of all chance, printed in reports and kept in test cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(pub u64);

impl Default for Seed {
    fn default() -> Seed {
        Seed(1)
    }
}

impl Seed {
    /// Returns a seed for the part of the program called `name`, derived as in [`Seed::fork`].
    pub fn derived(self, name: &str) -> Seed {
        Seed(self.fork(name).inner.next_u64())
    }

    /// Returns the generator for the part of the program called `name`: the numbers of one part never depend on
    /// how many another has drawn.
    pub fn fork(self, name: &str) -> Rng {
        let mut bytes = [0; 32];
        let (seed, rest) = bytes.split_at_mut(8);
        seed.copy_from_slice(&self.0.to_le_bytes());
        // FNV-1a, four times with different starts: different names give different bytes.
        for (start, chunk) in rest.chunks_mut(8).enumerate() {
            let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325 ^ start as u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            chunk.copy_from_slice(&hash.to_le_bytes());
        }
        Rng { inner: ChaCha8Rng::from_seed(bytes) }
    }
}

/// A random number generator that gives the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Rng {
    inner: ChaCha8Rng,
}

impl Rng {
    /// Returns a number in 0.0..1.0, one of 2^53 equally likely ones.
    pub fn unit(&mut self) -> f64 {
        (self.inner.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number below `end`, all equally likely; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        // The bias of this shortcut is below 2^-32 for any `end` that fits a memory.
        ((u128::from(self.inner.next_u64()) * end as u128) >> 64) as usize
    }

    /// Returns the place of one of `weights`, each as likely as its share of their sum; 0 if there is none.
    pub fn by_weight(&mut self, weights: impl IntoIterator<Item = f64>) -> usize {
        let mut sum = 0.0;
        let sums: Vec<f64> = weights
            .into_iter()
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        let drawn = self.unit() * sum;
        sums.partition_point(|&sum| sum <= drawn).min(sums.len().saturating_sub(1))
    }

    /// Fills `numbers` with numbers between `-most` and `most`, all equally likely.
    pub fn fill(&mut self, numbers: &mut [f32], most: f32) {
        numbers.iter_mut().for_each(|number| *number = (2.0 * self.unit() as f32 - 1.0) * most);
    }

    /// Moves `count` of the items to the front, each as likely, in an order of chance.
    pub fn draw_to_front<T>(&mut self, items: &mut [T], count: usize) {
        for at in 0..count.min(items.len()) {
            let other = at + self.below(items.len() - at);
            items.swap(at, other);
        }
    }

    /// Keeps `most` of the items if there are more, each as likely.
    pub fn keep_some<T>(&mut self, items: &mut Vec<T>, most: usize) {
        if items.len() > most {
            self.draw_to_front(items, most);
            items.truncate(most);
        }
    }

    /// Brings the items into an order of chance.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }

    /// Returns `true` with probability one half.
    pub fn coin(&mut self) -> bool {
        self.inner.next_u32() & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_chances_of_their_own() {
        let draw = |seed: u64, name: &str| Seed(seed).fork(name).below(1 << 40);
        assert_eq!(draw(1, "agent"), draw(1, "agent"));
        assert_ne!(draw(1, "agent"), draw(1, "simulator"));
        assert_ne!(draw(1, "agent"), draw(2, "agent"));
    }

    #[test]
    fn the_numbers_are_the_same_on_every_machine() {
        let mut rng = Seed(1).fork("agent");
        let drawn: Vec<usize> = (0..6).map(|_| rng.below(1000)).collect();
        assert_eq!(drawn, [969, 547, 129, 193, 905, 292]);
    }

    #[test]
    fn each_item_is_drawn_as_often_and_none_is_lost() {
        let mut rng = Seed(3).fork("test");
        let (mut kept, mut first) = ([0; 5], [0; 5]);
        for _ in 0..3_000 {
            let mut items = vec![0, 1, 2, 3, 4];
            rng.keep_some(&mut items, 2);
            assert_eq!(items.len(), 2);
            items.iter().for_each(|&item: &usize| kept[item] += 1);
            let mut items = [0, 1, 2, 3, 4];
            rng.shuffle(&mut items);
            first[items[0]] += 1;
            items.sort_unstable();
            assert_eq!(items, [0, 1, 2, 3, 4]);
        }
        assert!(kept.iter().all(|times| (1_080..1_320).contains(times)), "{kept:?}");
        assert!(first.iter().all(|times| (510..690).contains(times)), "{first:?}");
        let mut few = vec![7, 8];
        rng.keep_some(&mut few, 2);
        rng.draw_to_front(&mut few[..0], 5);
        assert_eq!(few, [7, 8], "few stay as they are");
    }

    #[test]
    fn a_place_is_drawn_as_often_as_its_weight_says() {
        let mut rng = Seed(5).fork("test");
        let mut drawn = [0; 4];
        (0..4_000).for_each(|_| drawn[rng.by_weight([1.0, 0.0, 2.0, 1.0])] += 1);
        assert!(drawn[1] == 0 && (900..1_100).contains(&drawn[0]), "{drawn:?}");
        assert!((1_900..2_100).contains(&drawn[2]), "{drawn:?}");
        assert_eq!((rng.by_weight([]), rng.by_weight([0.0])), (0, 0));
    }

    #[test]
    fn every_number_below_the_end_comes_up() {
        let mut rng = Seed(7).fork("test");
        let mut seen = [false; 10];
        (0..500).for_each(|_| seen[rng.below(10)] = true);
        assert_eq!(seen, [true; 10]);
        assert_eq!(rng.below(0), 0);
        assert!((0..500).all(|_| (0.0..1.0).contains(&rng.unit())));
    }
}
