//! Why an agent chose what it chose, and what it learned from it, in words.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::agent::{Ground, Habit, Reason, Remark};

/// Says why an action was chosen; `atoms` are the names of the formula's.
pub fn reason(reason: &Reason, atoms: &[Arc<str>]) -> String {
    let Reason { ground, chance, choices, hinted } = *reason;
    let times = |times: u32, what: &str| match times {
        1 => format!("{times} {what}"),
        _ => format!("{times} {what}s"),
    };
    let mut text = match ground {
        Ground::Wins => return "its labels alone reach the goal".to_string(),
        Ground::Walked(1) => "known: done once after the same steps".to_string(),
        Ground::Walked(times) => format!("known: done {times} times after the same steps"),
        Ground::AlikeRuns(runs) => format!("known: done in {} that looked the same", times(runs, "run")),
        Ground::OtherRuns(runs) => format!("known on this screen from {}", times(runs, "other run")),
        Ground::OtherPlaces(places) => {
            format!("unknown here, known from {} of the activity", times(places, "other screen"))
        }
        Ground::Habit(Habit::Back) => "unknown: it leads back in most apps".to_string(),
        Ground::Habit(Habit::Becomes(_)) => "unknown: what it changes in most apps is known".to_string(),
        Ground::Habit(Habit::Stays | Habit::MostlyStays | Habit::Any) => {
            "unknown: in most apps the screen stays as it is".to_string()
        }
        Ground::Unknown => "unknown: it could lead anywhere".to_string(),
        Ground::Again => "all was tried: done again, to see whether the app answers alike".to_string(),
    };
    let hinted: Vec<&str> = (0_u32..)
        .zip(atoms)
        .take(64)
        .filter(|(n, _)| hinted >> n & 1 == 1)
        .map(|(_, atom)| &**atom)
        .collect();
    if let (Ground::Unknown | Ground::Habit(_) | Ground::OtherPlaces(_), [first, ..]) = (ground, &hinted[..])
    {
        let _ = write!(text, ", its name speaks of {first}");
    }
    let _ = match choices {
        1 => write!(text, "; the only choice, chance {chance:.3}"),
        _ => write!(text, "; best of {choices}, chance {chance:.3}"),
    };
    text
}

/// Says what a step has taught.
pub fn remark(remark: Remark) -> &'static str {
    match remark {
        Remark::NewScreen => "a screen never seen before",
        Remark::NewWay => "a screen seen before, by a new way",
        Remark::Stays => "nothing changes",
        Remark::Details => "nothing changes but details that have not mattered so far",
        Remark::AsKnown => "as it was known",
        Remark::Otherwise => "not as before: the app does not always answer alike",
    }
}
