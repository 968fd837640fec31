//! Records of shortened runs: the results of each whenever it was tried.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::FxBuildHasher;

use super::schedule::{Rule, Tally};
use super::{Element, TrialResult};

/// Most shortened runs remembered; at some 100 bytes each this stays below 100 MB.
const RECORDS_MAX: usize = 1 << 20;

/// Most elements remembered as done, 64 MB: many long passing runs would take more.
const DONE_MAX: usize = 1 << 22;

/// The identity of a shortened run, a hash: ten thousand elements fit 16 bytes, and in a million runs two are
/// confused with probability 10^-26.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(u64, u64);

impl Key {
    pub fn of(kept: &[Element]) -> Key {
        let half = |salt: u64| {
            let mut hasher = DefaultHasher::new();
            salt.hash(&mut hasher);
            kept.hash(&mut hasher);
            hasher.finish()
        };
        Key(half(1), half(2))
    }
}

#[derive(Clone, Debug, Default)]
struct Record {
    tally: Tally,
    /// The first run: whether it passed, and the hash of what it did.
    first: Option<(bool, Key)>,
    done: Done,
    /// True if it passed by luck once and must not pass again.
    is_banned: bool,
}

impl Record {
    fn forget_done(&mut self) {
        if let Done::Same(_) = self.done {
            self.done = Done::Various;
        }
    }
}

/// The elements done in runs that passed.
#[derive(Clone, Debug, Default)]
enum Done {
    #[default]
    Nothing,
    /// The same elements in all of them.
    Same(Box<[Element]>),
    Various,
}

#[derive(Debug, Default)]
pub(super) struct Records {
    records: HashMap<Key, Record, FxBuildHasher>,
    /// Verdicts that follow for shortened runs not tried themselves; used as long as the app has never varied.
    implied: HashMap<Key, bool, FxBuildHasher>,
    /// Number of elements remembered as done, with repetitions.
    done: usize,
    /// Start of trial numbers: no forgotten shortened run was tried more often than this.
    numbers_from: u32,
}

impl Records {
    pub fn tally(&self, key: Key) -> Tally {
        self.records.get(&key).map_or(Tally::default(), |record| record.tally)
    }

    /// Returns the number of the next trial, from which its chance is drawn.
    pub fn number(&self, key: Key) -> u32 {
        self.numbers_from + self.tally(key).runs()
    }

    /// Returns true or false once `rule` decides that it passes or fails.
    pub fn verdict(&self, key: Key, rule: Rule) -> Option<bool> {
        if self.is_banned(key) {
            return Some(false);
        }
        let verdict = self.records.get(&key).and_then(|record| record.tally.verdict(rule));
        // A verdict implied by another run is worth one run, and no more.
        verdict.or_else(|| if rule.runs == 1 { self.implied.get(&key).copied() } else { None })
    }

    /// Returns the elements done by its passing runs, if these were the same in all of them.
    pub fn done(&self, key: Key) -> Option<&[Element]> {
        match &self.records.get(&key)?.done {
            Done::Same(done) => Some(done),
            Done::Nothing | Done::Various => None,
        }
    }

    /// Records a run. Returns true if it differs from the first one of the same elements.
    pub fn add(&mut self, key: Key, tried: &TrialResult) -> bool {
        if self.records.len() >= RECORDS_MAX && !self.records.contains_key(&key) {
            self.forget();
        }
        if tried.passed {
            self.done += tried.done.len();
            if self.done > DONE_MAX {
                self.records.values_mut().for_each(Record::forget_done);
                self.done = tried.done.len();
            }
        }
        let record = self.records.entry(key).or_default();
        if tried.passed {
            record.tally.passes += 1;
            record.done = match std::mem::take(&mut record.done) {
                Done::Nothing => Done::Same(tried.done.clone().into()),
                Done::Same(done) if *done == *tried.done => Done::Same(done),
                Done::Same(_) | Done::Various => Done::Various,
            };
        } else {
            record.tally.fails += 1;
        }
        let seen = (tried.passed, Key::of(&tried.done));
        *record.first.get_or_insert(seen) != seen
    }

    pub fn imply(&mut self, key: Key, passed: bool) {
        if self.implied.len() < RECORDS_MAX {
            self.implied.insert(key, passed);
        }
    }

    /// Drops implied verdicts: on an app that varies, no run says anything about another.
    pub fn drop_implied(&mut self) {
        self.implied.clear();
    }

    pub fn is_banned(&self, key: Key) -> bool {
        self.records.get(&key).is_some_and(|record| record.is_banned)
    }

    pub fn ban(&mut self, key: Key) {
        self.records.entry(key).or_default().is_banned = true;
    }

    fn forget(&mut self) {
        let most = self.records.values().map(|record| record.tally.runs()).max().unwrap_or(0);
        // Numbers continue above all used ones, so that no new trial repeats the chance of an old one.
        self.numbers_from = self.numbers_from.saturating_add(most);
        self.records.retain(|_, record| record.is_banned);
        // If bans alone filled the table, each new record would forget all others.
        if self.records.len() >= RECORDS_MAX / 2 {
            self.records.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(at: &[usize]) -> Vec<Element> {
        at.iter().map(|&at| Element { at, form: 0 }).collect()
    }

    fn tried(passed: bool, at: &[usize]) -> TrialResult {
        TrialResult { passed, done: kept(at) }
    }

    #[test]
    fn runs_that_do_something_else_differ() {
        let mut records = Records::default();
        let key = Key::of(&kept(&[1, 2, 3]));
        assert!(!records.add(key, &tried(true, &[1, 2])));
        assert!(!records.add(key, &tried(true, &[1, 2])));
        assert_eq!(records.done(key), Some(&*kept(&[1, 2])));
        assert!(records.add(key, &tried(true, &[1, 3])));
        assert_eq!(records.done(key), None);
        assert!(records.add(key, &tried(false, &[1, 2])));
        assert_eq!(records.number(key), 4);
    }

    #[test]
    fn what_follows_stands_for_one_run() {
        let mut records = Records::default();
        let key = Key::of(&kept(&[1]));
        records.imply(key, false);
        assert_eq!(records.verdict(key, Rule { passes: 1, runs: 1 }), Some(false));
        assert_eq!(records.verdict(key, Rule { passes: 1, runs: 2 }), None);
        records.drop_implied();
        assert_eq!(records.verdict(key, Rule { passes: 1, runs: 1 }), None);
    }

    #[test]
    fn what_was_forgotten_is_not_tried_under_an_old_number() {
        let mut records = Records::default();
        let key = Key::of(&kept(&[1]));
        (0..3).for_each(|_| _ = records.add(key, &tried(true, &[1])));
        records.forget();
        assert_eq!((records.tally(key), records.number(key)), (Tally::default(), 3));
    }

    #[test]
    fn what_was_done_in_long_runs_is_forgotten_in_time() {
        let mut records = Records::default();
        let all: Vec<usize> = (0..DONE_MAX / 4 + 1).collect();
        let keys: Vec<Key> = (0..5).map(|at| Key::of(&kept(&[at]))).collect();
        keys.iter().for_each(|&key| _ = records.add(key, &tried(true, &all)));
        let remembered: Vec<bool> = keys.iter().map(|&key| records.done(key).is_some()).collect();
        assert_eq!(remembered, [false, false, false, true, true]);
        assert_eq!(records.tally(keys[0]), Tally { passes: 1, fails: 0 });
    }

    #[test]
    fn what_is_banned_stays_out() {
        let mut records = Records::default();
        let key = Key::of(&kept(&[1]));
        records.ban(key);
        (0..3).for_each(|_| _ = records.add(key, &tried(true, &[1])));
        assert_eq!(records.verdict(key, Rule { passes: 3, runs: 3 }), Some(false));
    }
}
