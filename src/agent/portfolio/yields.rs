//! Yields of actions: how often each has brought something new, by its name and by its type.
//!
//! Every screen offers to turn the device, to wait, to press long; in most apps that does nothing, and would take most of
//! the steps.

use rustc_hash::FxHashMap;

use crate::gui::{Action, ActionType};
use crate::rng::Rng;
use crate::situation::{Habit, LabelingId, Scene, Situation};

/// Number of tries that the yield of the type counts for, beside those of the action itself.
const BY_TYPE: f64 = 1.0;
/// Least yield: everything is tried again now and then. A touch may have a hidden effect, and a text one later; what changes
/// nothing in most apps hardly has one.
const YIELD_MIN: f64 = 0.1;
const YIELD_MIN_OF_HABIT: f64 = 0.02;
/// Tries of a type before it is left out of random walks, and least share of those that are not.
const TRIES_MIN: u32 = 6;
const SHARE_MIN: f64 = 0.04;
const SHARE_MIN_OF_TYPING: f64 = 0.3;
/// Most things to touch on a screen that offers so little that waiting is worth a try.
const FEW: usize = 1;

/// Words of screens that ask for patience.
const WAITING: [&str; 6] = ["loading", "please wait", "connecting", "searching", "one moment", "working"];

/// First tries of an action in a state.
#[derive(Clone, Copy, Debug, Default)]
struct Tries {
    times: u32,
    /// Times that they brought something new.
    news: u32,
}

impl Tries {
    fn add(&mut self, is_new: bool) {
        self.times += 1;
        self.news += u32::from(is_new);
    }
}

/// Yields so far.
#[derive(Clone, Debug, Default)]
pub struct Yields {
    by_name: FxHashMap<LabelingId, Tries>,
    by_type: FxHashMap<Option<ActionType>, Tries>,
}

impl Yields {
    /// Learns the first try of an action in a state.
    pub fn learn(&mut self, action: &Action, labeling: LabelingId, is_new: bool) {
        self.by_name.entry(labeling).or_default().add(is_new);
        self.by_type.entry(action.builtin_type()).or_default().add(is_new);
    }

    /// Returns the chance that the offer at `at` brings something new.
    pub fn of(&self, scene: &Scene, at: u16) -> f64 {
        let action = &scene.actions[usize::from(at)];
        if is_asked_for(scene, at) {
            return 1.0;
        }
        let own = self.by_name.get(&scene.offers[usize::from(at)].labeling).copied().unwrap_or_default();
        let of_type = self.of_type(action);
        let worth = (f64::from(own.news) + BY_TYPE * of_type) / (f64::from(own.times) + BY_TYPE);
        let may_hide = scene.offers[usize::from(at)].habit == Habit::Any || is_typing(action);
        worth.max(if may_hide { YIELD_MIN } else { YIELD_MIN_OF_HABIT })
    }

    /// Returns the share of first tries of actions of this type that brought something new; 1 before the first.
    fn of_type(&self, action: &Action) -> f64 {
        let tries = self.by_type.get(&action.builtin_type()).copied().unwrap_or_default();
        f64::from(1 + tries.news) / f64::from(1 + tries.times)
    }

    /// Returns `open` without the actions whose type hardly brings anything new in this app, but for a few by chance; all
    /// of it if nothing else is there.
    pub fn leave_out(&self, situation: &Situation<'_>, open: Vec<u16>, rng: &mut Rng) -> Vec<u16> {
        let scene = situation.scene;
        let most = open.iter().map(|&at| self.of_type(&scene.actions[usize::from(at)])).fold(0.0, f64::max);
        let mut is_kept = |at: u16| {
            let action = &scene.actions[usize::from(at)];
            let tries = self.by_type.get(&action.builtin_type()).map_or(0, |tries| tries.times);
            let least = if is_typing(action) { SHARE_MIN_OF_TYPING } else { SHARE_MIN };
            let share = (self.of_type(action) / most).max(least);
            tries < TRIES_MIN || is_asked_for(scene, at) || rng.unit() < share
        };
        let kept: Vec<u16> = open.iter().copied().filter(|&at| is_kept(at)).collect();
        if kept.is_empty() { open } else { kept }
    }
}

/// Returns true if the action types a text: a field shows it, which is no news, and what it is good for comes later.
pub(super) fn is_typing(action: &Action) -> bool {
    matches!(action, Action::Text { .. })
}

/// Returns true if the objective sees what the action does to the device, or if it waits where the screen asks for that.
fn is_asked_for(scene: &Scene, at: u16) -> bool {
    let action = &scene.actions[usize::from(at)];
    let is_seen = matches!(scene.offers[usize::from(at)].habit, Habit::Becomes(_));
    matches!(action, Action::Device(_)) && (is_seen || *action == Action::IDLE && asks_to_wait(scene))
}

/// Returns true if a screen says that it is not ready, or offers next to nothing.
fn asks_to_wait(scene: &Scene) -> bool {
    let Some(screen) = &scene.screen else { return false };
    let touches = scene.actions.iter().filter(|action| action.target().is_some()).take(FEW + 1).count();
    let mut widgets = screen.widgets().iter().filter(|widget| widget.is_visible());
    touches <= FEW
        || widgets.any(|widget| {
            let text = widget.text.to_lowercase();
            widget.class.ends_with("ProgressBar") || WAITING.iter().any(|word| text.contains(word))
        })
}
