//! Bytes that wait, counted: all connections together hold no more than a budget.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many bytes may wait at once, over all connections of a server.
#[derive(Debug)]
pub struct Budget {
    bytes_max: usize,
    bytes: AtomicUsize,
}

impl Budget {
    /// Returns a budget of which nothing is used.
    pub fn new(bytes_max: usize) -> Arc<Budget> {
        Arc::new(Budget { bytes_max, bytes: AtomicUsize::new(0) })
    }

    /// How many bytes wait.
    pub fn used(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The most bytes that may wait.
    pub fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    fn charge(&self, bytes: usize) -> Result<(), Full> {
        let grown = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.bytes_max);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown).map(drop).map_err(|_| Full)
    }

    fn release(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// There is no room for more bytes to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// Bytes that came and were not used yet, first in, first out.
#[derive(Debug)]
pub(super) struct Held {
    bytes: Vec<u8>,
    /// Those before it are used up; they still count, as they still take room.
    start: usize,
    budget: Arc<Budget>,
}

impl Held {
    /// Returns a place that holds nothing.
    pub(super) fn new(budget: &Arc<Budget>) -> Held {
        Held { bytes: Vec::new(), start: 0, budget: budget.clone() }
    }

    pub(super) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Adds all of `bytes`, or none of them.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.budget.charge(bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Takes at most `len` bytes off the front.
    pub(super) fn take(&mut self, len: usize) -> Vec<u8> {
        let taken = self.bytes()[..len.min(self.len())].to_vec();
        self.skip(taken.len());
        taken
    }

    /// Drops at most `len` bytes off the front.
    pub(super) fn skip(&mut self, len: usize) {
        self.start += len.min(self.len());
        if self.is_empty() {
            self.clear();
        } else if self.start > self.bytes.len() / 2 {
            // Moved at most as often as half of them are used up, so each byte is moved once or twice.
            self.bytes.drain(..self.start);
            self.budget.release(self.start);
            self.start = 0;
        }
    }

    /// Drops all.
    pub(super) fn clear(&mut self) {
        self.budget.release(self.bytes.len());
        self.bytes = Vec::new();
        self.start = 0;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_comes_out_in_order_and_is_counted() {
        let budget = Budget::new(10);
        let mut held = Held::new(&budget);
        held.add(b"abcdef").expect("room");
        assert_eq!(held.take(2), b"ab");
        held.add(b"ghij").expect("room");
        assert_eq!(held.add(b"kl"), Err(Full));
        assert_eq!(held.take(100), b"cdefghij");
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn what_is_dropped_gives_its_room_back() {
        let budget = Budget::new(4);
        let mut held = Held::new(&budget);
        held.add(b"abcd").expect("room");
        assert_eq!(Held::new(&budget).add(b"e"), Err(Full));
        drop(held);
        assert_eq!(Held::new(&budget).add(b"e"), Ok(()));
    }
}
