//! Faults on purpose: the failures of a real phone and of the way to it over adb, at rates that the user sets.
//!
//! Each fault has a chance of its own from the seed, drawn each time it could happen, so that the seed and the commands
//! alone decide which commands fail.

use std::time::Duration;

use crate::emulator::adbd::WireFault;
use crate::rng::{Rng, Seed};

/// Delay of a slow dump, on the clock of the host.
const SLOW: Duration = Duration::from_secs(3);

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The connection drops while a command runs, before or after its effect.
    Drop,
    /// A command's answer never comes.
    Stall,
    /// A dump of the screen takes seconds.
    SlowDump,
    /// `uiautomator` reports that the screen does not come to rest.
    NoIdle,
    /// `uiautomator` finds no window.
    NullRoot,
    /// A dump ends in the middle.
    Truncated,
    /// The phone is gone for two seconds.
    Offline,
    /// For a moment something else has the focus.
    WrongFocus,
    /// A stream is closed twice.
    DoubleClose,
}

impl Fault {
    /// All faults.
    pub const ALL: [Fault; 9] = [
        Fault::Drop,
        Fault::Stall,
        Fault::SlowDump,
        Fault::NoIdle,
        Fault::NullRoot,
        Fault::Truncated,
        Fault::Offline,
        Fault::WrongFocus,
        Fault::DoubleClose,
    ];

    /// Returns its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Fault::Drop => "drop",
            Fault::Stall => "stall",
            Fault::SlowDump => "slow-dump",
            Fault::NoIdle => "no-idle",
            Fault::NullRoot => "null-root",
            Fault::Truncated => "truncated",
            Fault::Offline => "offline",
            Fault::WrongFocus => "wrong-focus",
            Fault::DoubleClose => "double-close",
        }
    }

    /// Returns the default rate: faults that cost much time are rarer.
    fn usual_rate(self) -> f64 {
        match self {
            Fault::Drop | Fault::Stall | Fault::SlowDump | Fault::Offline => 0.01,
            Fault::NoIdle | Fault::NullRoot | Fault::Truncated | Fault::WrongFocus | Fault::DoubleClose => {
                0.05
            }
        }
    }
}

/// Reason why a list of faults is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultsError {
    /// No fault has this name.
    #[error("there is no fault `{name}`; there are {}, and `all`", names())]
    Name {
        /// Name in the list.
        name: String,
    },
    /// A rate is no number from 0 to 1.
    #[error("`{rate}` is not how often `{name}` happens; that is a number from 0 to 1, or from 0% to 100%")]
    Rate {
        /// Name of the fault.
        name: String,
        /// Rate in the list.
        rate: String,
    },
}

fn names() -> String {
    Fault::ALL.map(Fault::name).join(", ")
}

/// Faults of a phone, with their rates.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    chances: Vec<(Fault, f64, Rng)>,
    lateness: Duration,
    is_focus_wrong: bool,
}

impl Faults {
    /// Reads a list like `drop=2%,null-root`, in which `all` stands for every fault; later ones win.
    pub fn parse(list: &str, seed: Seed) -> Result<Faults, FaultsError> {
        let mut faults = Faults::default();
        for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let (name, rate) = match word.split_once('=') {
                Some((name, rate)) => (name.trim(), Some(rate.trim())),
                None => (word, None),
            };
            let meant: Vec<Fault> =
                Fault::ALL.into_iter().filter(|fault| name == "all" || name == fault.name()).collect();
            if meant.is_empty() {
                return Err(FaultsError::Name { name: name.to_string() });
            }
            let rate = rate.map(|rate| rate_of(name, rate)).transpose()?;
            for fault in meant {
                // `all=1%,drop=0` means all but drops: the later rate holds.
                faults.chances.retain(|(other, ..)| *other != fault);
                let rng = seed.fork(&format!("fault {}", fault.name()));
                faults.chances.push((fault, rate.unwrap_or(fault.usual_rate()), rng));
            }
        }
        Ok(faults)
    }

    /// Draws a fault; returns true if it strikes this time.
    pub(super) fn strikes(&mut self, fault: Fault) -> bool {
        let chance = self.chances.iter_mut().find(|(other, ..)| *other == fault);
        chance.is_some_and(|(_, rate, rng)| rng.unit() < *rate)
    }

    /// Draws a slow dump, and delays its answer if it strikes.
    pub(super) fn slow_down(&mut self) {
        if self.strikes(Fault::SlowDump) {
            self.lateness += SLOW;
        }
    }

    /// Draws a wrong focus for the next answer.
    pub(super) fn draw_focus(&mut self) {
        self.is_focus_wrong = self.strikes(Fault::WrongFocus);
    }

    /// Returns true if the answer reports a wrong focus.
    pub(super) fn is_focus_wrong(&self) -> bool {
        self.is_focus_wrong
    }

    pub(super) fn take_lateness(&mut self) -> Duration {
        std::mem::take(&mut self.lateness)
    }

    pub(super) fn on_wire(&mut self) -> Option<WireFault> {
        // All four are drawn, so that the chance of one does not depend on how often another strikes.
        let [drops, stalls, is_offline, closes_twice] =
            [Fault::Drop, Fault::Stall, Fault::Offline, Fault::DoubleClose].map(|fault| self.strikes(fault));
        // Before or after the effect is a coin of the drop's own chance.
        let dropped = self.chances.iter_mut().find(|(fault, ..)| *fault == Fault::Drop);
        // At most one strikes a command, the most destructive first.
        match () {
            () if drops && dropped.is_some_and(|(_, _, rng)| rng.coin()) => Some(WireFault::DropBefore),
            () if drops => Some(WireFault::DropAmid),
            () if stalls => Some(WireFault::Stall),
            () if is_offline => Some(WireFault::Offline),
            () if closes_twice => Some(WireFault::CloseTwice),
            () => None,
        }
    }
}

fn rate_of(name: &str, rate: &str) -> Result<f64, FaultsError> {
    let number = match rate.strip_suffix('%') {
        Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
        None => rate.parse(),
    };
    number
        .ok()
        .filter(|rate| (0.0..=1.0).contains(rate))
        .ok_or_else(|| FaultsError::Rate { name: name.to_string(), rate: rate.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(list: &str) -> Faults {
        Faults::parse(list, Seed(1)).expect("a list of faults")
    }

    #[test]
    fn a_fault_strikes_as_often_as_was_asked() {
        let mut faults = faults("null-root=25%,no-idle=0,truncated=1");
        let mut count = |fault| (0..10_000).filter(|_| faults.strikes(fault)).count();
        assert!((2_300..2_700).contains(&count(Fault::NullRoot)));
        assert_eq!([Fault::NoIdle, Fault::Truncated, Fault::WrongFocus].map(&mut count), [0, 10_000, 0]);
    }

    #[test]
    fn one_fault_does_not_change_when_another_strikes() {
        let mut alone = faults("stall=10%");
        let mut among = faults("all=10%");
        for _ in 0..1_000 {
            assert_eq!(alone.strikes(Fault::Stall), among.strikes(Fault::Stall));
            among.strikes(Fault::Drop);
        }
    }

    #[test]
    fn a_list_that_makes_no_sense_is_refused() {
        let said = |list: &str| Faults::parse(list, Seed(1)).expect_err("no sense").to_string();
        assert!(said("nullroot").starts_with("there is no fault `nullroot`; there are drop, stall,"));
        for rate in ["2", "-1%", "x", "nan", "", "101%"] {
            assert!(said(&format!("drop={rate}")).starts_with(&format!("`{rate}` is not how often `drop`")));
        }
        assert!(Faults::parse(" , ", Seed(1)).is_ok());
    }
}
