//! Notices of an app in the log: its toasts, crashes and hangs, in their order.

use std::sync::Arc;

use super::log::{Kind, entries, identity, troubles};
use crate::device::Notice;
use crate::sorted;

/// A notice in the log, and the identity of its crash.
pub(in crate::device) struct Noted {
    pub notice: Notice,
    pub crash: Option<Arc<str>>,
}

/// Returns the notices about an app behind the first `known` ones, and the number of all.
pub(in crate::device) fn noted(log: &str, package: &str, known: usize) -> (Vec<Noted>, usize) {
    let all = all_noted(log, package);
    let len = all.len();
    // The log may have lost its oldest lines meanwhile.
    let known = if known > len { 0 } else { known };
    (all.into_iter().skip(known).collect(), len)
}

/// Returns the number of notices about an app in a log.
pub(in crate::device) fn log_len(log: &str, package: &str) -> usize {
    all_noted(log, package).len()
}

fn all_noted(log: &str, package: &str) -> Vec<Noted> {
    let toasts = entries(log).filter(|entry| entry.tag == Some("Toast") && !is_of_vendor(entry.message));
    let toast = |text: &str| Noted { notice: Notice::Toast(text.into()), crash: None };
    let mut all: Vec<(String, Noted)> =
        toasts.map(|entry| (entry.time.to_string(), toast(entry.message))).collect();
    for trouble in troubles(log).into_iter().filter(|trouble| trouble.is_of(package)) {
        let crash = identity(&trouble, package).map(Into::into);
        let notice = match trouble.kind {
            Kind::Java | Kind::Native | Kind::Died => Notice::Crash(trouble.trace.into()),
            Kind::Anr => Notice::Anr(trouble.message.into()),
        };
        all.push((trouble.time, Noted { notice, crash }));
    }
    // The sort is stable: at the same time toasts come first, because a crashed app shows none.
    sorted::by(&mut all, |(one, _), (other, _)| one.cmp(other));
    all.into_iter().map(|(_, noted)| noted).collect()
}

/// Returns true if a line under the tag `Toast` is about a toast, not its text.
fn is_of_vendor(message: &str) -> bool {
    message.starts_with("show: ") || message.contains("caller =")
}
