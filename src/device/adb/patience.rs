//! Patience: how long a command is waited for, from what commands of its kind took before.
//!
//! Only this computer's clock is concerned; no result depends on it.

use std::collections::BTreeMap;
use std::time::Duration;

/// Least time for an answer: a busy phone stops for seconds now and then.
const LEAST: Duration = Duration::from_secs(10);

/// Factor on the longest time that a command of a kind ever took.
const FACTOR: u32 = 10;

/// The longest time that each kind of command took.
#[derive(Clone, Debug, Default)]
pub(super) struct Patience {
    longest: BTreeMap<&'static str, Duration>,
}

impl Patience {
    /// Returns the time for the next command of a kind, `most` for the first.
    pub fn limit(&self, kind: &str, most: Duration) -> Duration {
        let limit = self.longest.get(kind).map(|longest| (*longest * FACTOR).max(LEAST));
        limit.map_or(most, |limit| limit.min(most))
    }

    /// Notes that a command of a kind was answered after this time.
    pub fn took(&mut self, kind: &'static str, time: Duration) {
        let longest = self.longest.entry(kind).or_default();
        *longest = time.max(*longest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_waited_for_ten_times_as_long_as_its_kind_ever_took() {
        let seconds = Duration::from_secs;
        let mut patience = Patience::default();
        assert_eq!(patience.limit("look", seconds(60)), seconds(60));
        for (took, expected) in [(seconds(0), 10), (seconds(2), 20), (seconds(1), 20), (seconds(9), 60)] {
            patience.took("look", took);
            assert_eq!(patience.limit("look", seconds(60)), seconds(expected));
        }
        assert_eq!(patience.limit("start", seconds(60)), seconds(60));
        // A caller who has less time gets no more.
        assert_eq!(patience.limit("look", seconds(5)), seconds(5));
    }
}
