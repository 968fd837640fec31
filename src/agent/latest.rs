//! The latest of many things: a list with a bound, in which a new one takes the place of the oldest.

/// List of at most so many things, in no order.
#[derive(Clone, Debug)]
pub(super) struct Latest<T> {
    all: Vec<T>,
    most: usize,
    /// Place of the one that is replaced next, once there is no more room.
    oldest: usize,
}

impl<T> Latest<T> {
    /// Returns an empty list with room for `most`.
    pub fn new(most: usize) -> Latest<T> {
        Latest { all: Vec::new(), most: most.max(1), oldest: 0 }
    }

    /// Adds one; without room, the oldest is forgotten.
    pub fn push(&mut self, one: T) {
        if self.all.len() < self.most {
            self.all.push(one);
        } else {
            self.all[self.oldest] = one;
            self.oldest = (self.oldest + 1) % self.most;
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.all.clear();
        self.oldest = 0;
    }

    /// Returns all.
    pub fn all(&self) -> &[T] {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_makes_room() {
        let mut latest = Latest::new(3);
        (0..7).for_each(|one| latest.push(one));
        let mut all = latest.all().to_vec();
        all.sort_unstable();
        assert_eq!(all, [4, 5, 6]);
        latest.clear();
        latest.push(9);
        assert_eq!(latest.all(), [9]);
    }
}
