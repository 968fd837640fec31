//! Waiting bytes, counted: all connections together hold no more than a budget.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Limit of the bytes that wait at once, over all connections of a server.
#[derive(Debug)]
pub struct Budget {
    bytes_max: usize,
    bytes: AtomicUsize,
}

impl Budget {
    /// Returns an unused budget.
    pub fn new(bytes_max: usize) -> Arc<Budget> {
        Arc::new(Budget { bytes_max, bytes: AtomicUsize::new(0) })
    }

    /// Returns the number of waiting bytes.
    pub fn used(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the limit.
    pub fn bytes_max(&self) -> usize {
        self.bytes_max
    }

    fn charge(&self, bytes: usize) -> Result<(), Full> {
        // One step for test and charge: connections run in threads of their own.
        let grown = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.bytes_max);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, grown).map(drop).map_err(|_| Full)
    }

    fn release(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// The error that the budget has no room left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// Bytes that arrived and are not used yet, first in, first out.
#[derive(Debug)]
pub(super) struct Held {
    bytes: Vec<u8>,
    /// Number of used bytes at the front; they still count, as they still take room.
    start: usize,
    budget: Arc<Budget>,
}

impl Held {
    /// Returns an empty queue.
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

    /// Appends all of `bytes`, or none of them.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.budget.charge(bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Removes at most `len` bytes from the front and returns them.
    pub(super) fn take(&mut self, len: usize) -> Vec<u8> {
        let taken = self.bytes()[..len.min(self.len())].to_vec();
        self.skip(taken.len());
        taken
    }

    /// Drops at most `len` bytes from the front.
    pub(super) fn skip(&mut self, len: usize) {
        self.start += len.min(self.len());
        if self.is_empty() {
            self.clear();
        } else if self.start > self.bytes.len() / 2 {
            // Only once half of the bytes are used, so that each byte is moved once or twice.
            self.bytes.drain(..self.start);
            self.budget.release(self.start);
            self.start = 0;
        }
    }

    /// Drops all bytes.
    pub(super) fn clear(&mut self) {
        self.budget.release(self.bytes.len());
        // A new vector, as `clear` would keep the room that was just given back.
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
