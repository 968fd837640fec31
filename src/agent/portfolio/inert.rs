//! Actions on the device itself that do nothing in most apps: turning, waiting, the menu key, and leaving for a moment.
//!
//! Every screen offers them, so they would take most of the steps. Each is tried a few times, and from then on as often as
//! it has changed what a screen shows, with a small rest.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::gui::{Action, Screen};
use crate::rng::Rng;
use crate::situation::{ActionId, Habit, LabelingId, Scene, Situation, StateId, Transition};

/// Tries before an action counts as inert.
const TRIES_MIN: u32 = 3;
/// Least share of the steps at which an inert action may be chosen.
const SHARE_MIN: f64 = 0.04;
/// Most things to touch on a screen that offers so little that waiting is worth a try.
const FEW: usize = 1;

/// Words of screens that ask for patience.
const WAITING: [&str; 6] = ["loading", "please wait", "connecting", "searching", "one moment", "working"];

/// Tries of an action, in different states.
#[derive(Clone, Copy, Debug, Default)]
struct Tries {
    times: u32,
    /// Times that the screen showed something else afterwards.
    changed: u32,
}

/// Tries of the actions on the device.
#[derive(Clone, Debug, Default)]
pub struct Inert {
    tries: FxHashMap<LabelingId, Tries>,
    seen: FxHashSet<(StateId, ActionId)>,
}

impl Inert {
    /// Learns a step.
    pub fn learn(&mut self, transition: &Transition<'_>) {
        let from = transition.from.scene;
        let offer = from.offers[usize::from(transition.at)];
        if !is_on_device(from, transition.at) || !self.seen.insert((from.state, offer.action)) {
            return;
        }
        let tries = self.tries.entry(offer.labeling).or_default();
        tries.times += 1;
        tries.changed += u32::from(contents(from) != contents(transition.to));
    }

    /// Returns `open` without the inert actions, but for a few by chance; all of it if nothing else is there.
    pub fn leave_out(&self, situation: &Situation<'_>, open: Vec<u16>, rng: &mut Rng) -> Vec<u16> {
        let scene = situation.scene;
        let mut is_worth_trying = |at: u16| {
            let offer = scene.offers[usize::from(at)];
            let tries = self.tries.get(&offer.labeling).copied().unwrap_or_default();
            // What the objective sees of the display itself is no side effect.
            if !is_on_device(scene, at) || matches!(offer.habit, Habit::Becomes(_)) {
                return true;
            }
            if tries.times < TRIES_MIN {
                return true;
            }
            let waits = scene.actions[usize::from(at)] == Action::IDLE;
            let share = f64::from(tries.changed) / f64::from(tries.times);
            (waits && asks_to_wait(scene)) || rng.unit() < share.max(SHARE_MIN)
        };
        let kept: Vec<u16> = open.iter().copied().filter(|&at| is_worth_trying(at)).collect();
        if kept.is_empty() { open } else { kept }
    }
}

/// Returns true if the offer at `at` is an action on the device other than back.
fn is_on_device(scene: &Scene, at: u16) -> bool {
    let action = &scene.actions[usize::from(at)];
    matches!(action, Action::Device(_)) && *action != Action::BACK
}

/// Returns true if a screen says that it is not ready, or offers next to nothing.
fn asks_to_wait(scene: &Scene) -> bool {
    let Some(screen) = &scene.screen else { return false };
    let touches = scene.actions.iter().filter(|action| action.target().is_some()).count();
    touches <= FEW
        || screen.widgets().iter().filter(|widget| widget.is_visible()).any(|widget| {
            let says = |word: &&str| widget.text.to_lowercase().contains(word);
            widget.class.ends_with("ProgressBar") || WAITING.iter().any(|word| says(&word))
        })
}

/// Returns a number for what a screen shows, wherever it lies.
fn contents(scene: &Scene) -> u64 {
    let mut hasher = FxHasher::default();
    scene.activity.hash(&mut hasher);
    let widgets = scene.screen.as_deref().map_or(&[][..], Screen::widgets);
    for widget in widgets.iter().filter(|widget| widget.is_visible()) {
        (&widget.class, &widget.id, &widget.text, widget.flags).hash(&mut hasher);
    }
    hasher.finish()
}
