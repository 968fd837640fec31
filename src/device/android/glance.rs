//! A glance: a dump of a phone's screen with the window in front, whether two of them show the same, and the screen they
//! are.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::focus::Focus;
use super::notices::Noted;
use super::prompt::Press;
use crate::device::{Notice, Observation};
use crate::gui::{Context, Hierarchy, Screen, Widget};

/// The result of a look.
pub(in crate::device) struct Looked {
    pub screen: Screen,
    /// The button to press, if a prompt of the system is in front.
    pub press: Option<Press>,
    /// The phone's clock.
    pub at_ms: u64,
    /// The new notices in the log.
    pub notices: Vec<Notice>,
    /// Number of notices in the log so far.
    pub log_len: usize,
}

impl Looked {
    /// Remembers the screen in `last`, and returns the observation at a phone whose app was started at `started_ms`.
    pub fn observed(self, last: &mut Option<Arc<Screen>>, started_ms: u64) -> Observation {
        let Looked { screen, at_ms, notices, .. } = self;
        // Sharing an unchanged screen lets others recognise it without comparing.
        let screen = match last.take() {
            Some(before) if *before == screen => before,
            Some(_) | None => Arc::new(screen),
        };
        *last = Some(screen.clone());
        let at_ms = at_ms.saturating_sub(started_ms);
        Observation { screen, at_ms, notices: notices.into(), picture: None }
    }
}

/// State of a phone around its widgets.
pub(in crate::device) struct Around {
    /// True if the display is lit.
    pub is_lit: bool,
    /// True if the display is wider than high by nature.
    pub is_wide: bool,
    /// True if the phone is connected to a network.
    pub has_network: bool,
    /// True if the keyboard is shown.
    pub has_keyboard: bool,
}

/// A clear dump: the window in front did not change during it, and the dump shows that window.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::device) struct Glance {
    pub in_front: Focus,
    pub package: Arc<str>,
    pub hierarchy: Hierarchy,
}

impl Glance {
    /// Returns the glance at this window and this dump, or the reason that the dump shows another window.
    pub fn new(in_front: Focus, hierarchy: Hierarchy) -> Result<Glance, String> {
        // A dump may start with another window, and parts of a window may be of other apps: dialogs of Play services, cars.
        let has_it = hierarchy.packages.iter().any(|package| **package == *in_front.package);
        let package: Arc<str> = if has_it || hierarchy.packages.is_empty() {
            in_front.package.as_str().into()
        } else {
            // A window that is no activity, such as a system dialog, has no package in its title.
            match &in_front.window {
                Some(window) if !window.contains('/') => hierarchy.package.clone(),
                Some(_) | None => {
                    let Focus { package, .. } = in_front;
                    return Err(format!(
                        "`{package}` is in front, and the dump is of `{}`",
                        hierarchy.package
                    ));
                }
            }
        };
        Ok(Glance { in_front, package, hierarchy })
    }

    /// Returns the screen, with what is `around` it and was `noted` since the screen `before`; `app` is the package under
    /// test.
    pub fn into_screen(self, around: &Around, noted: &[Noted], app: &str, before: Option<&Screen>) -> Screen {
        let Glance { in_front, package, hierarchy } = self;
        // The bounds in a dump refer to the display as rotated by the stated angle from its natural orientation.
        let turned = hierarchy.orientation();
        let is_own = |process: &str| process.split(':').next() == Some(app);
        let dialog = in_front.dialog.as_ref().filter(|dialog| is_own(&dialog.process));
        // Newer systems show no dialog after a crash.
        let has_crashed = noted.iter().any(|noted| matches!(noted.notice, Notice::Crash(_)));
        let context = Context {
            screen_on: around.is_lit,
            orientation: if around.is_wide { turned.turned() } else { turned },
            network: around.has_network,
            crashed: dialog.is_some_and(|dialog| dialog.is_crash) || has_crashed,
            anr: dialog.is_some_and(|dialog| !dialog.is_crash),
            keyboard: around.has_keyboard,
        };
        let crash = noted.iter().rev().find_map(|noted| noted.crash.clone());
        // A dialog stays for some steps, and its crash is noted at the first.
        let crash = crash.or_else(|| before?.crash().cloned()).filter(|_| context.crashed);
        hierarchy.into_screen(package, in_front.activity.as_str(), context).with_crash(crash)
    }

    /// Returns the places of the texts that differ, if nothing else does, and if none of them is on a widget that takes
    /// actions. The digits of a clock count as the same.
    pub fn moved_since(&self, before: &Glance) -> Option<BTreeSet<usize>> {
        let Glance { in_front, package, hierarchy } = before;
        let (one, two) = (&self.hierarchy, hierarchy);
        let is_same_window = self.in_front == *in_front && self.package == *package;
        if !is_same_window
            || (one.rotation, &one.packages) != (two.rotation, &two.packages)
            || one.widgets.len() != two.widgets.len()
        {
            return None;
        }
        let mut moved = BTreeSet::new();
        for (at, (one, two)) in one.widgets.iter().zip(&two.widgets).enumerate() {
            if one == two {
                continue;
            }
            // A text of another length takes another place.
            let Widget { text, desc, bounds, .. } = one.clone();
            if one.takes_actions() || (Widget { text, desc, bounds, ..two.clone() }) != *one {
                return None;
            }
            let is_clock = one.bounds == two.bounds
                && differ_in_digits(&one.text, &two.text)
                && differ_in_digits(&one.desc, &two.desc);
            if !is_clock {
                moved.insert(at);
            }
        }
        Some(moved)
    }

    /// Returns a number that screens of one shape share, whatever their texts.
    pub fn shape(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (&*self.in_front.activity, &*self.package).hash(&mut hasher);
        for widget in &self.hierarchy.widgets {
            (widget.depth, &*widget.class, &*widget.id, widget.flags).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Returns true if two texts are the same once each digit counts as any other.
fn differ_in_digits(one: &str, two: &str) -> bool {
    let digit = |letter: char| if letter.is_ascii_digit() { '0' } else { letter };
    one.chars().map(digit).eq(two.chars().map(digit))
}

/// Places of texts that move by themselves, by the shape of their screen.
#[derive(Debug, Default)]
pub(in crate::device) struct Movers {
    places: BTreeMap<u64, BTreeSet<usize>>,
}

/// Most shapes of screens whose moving texts are remembered.
const SHAPES_MAX: usize = 1_000;

impl Movers {
    /// Returns true if `now` shows what `before` did, but for texts that are known to move; others are known from now on.
    pub fn agree(&mut self, before: &Glance, now: &Glance) -> bool {
        let Some(moved) = now.moved_since(before) else { return false };
        if moved.is_empty() {
            return true;
        }
        if self.places.len() == SHAPES_MAX {
            self.places.clear();
        }
        let known = self.places.entry(now.shape()).or_default();
        let are_known = moved.is_subset(known);
        known.extend(moved);
        are_known
    }
}
