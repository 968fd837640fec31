//! Actions as the gestures of a hand: touches and keys in a row, as farlead does them on a phone.
//!
//! On a phone behind adb the same gestures come one by one, so they do here too: each takes its own time and
//! chance, and a run looks the same on both.

use super::memo::Gesture;
use super::render::{Front, front};
use super::state::State;
use crate::gui::{self, Action, DeviceAction, PressedKey, Stroke, Touch};

/// Duration of [`DeviceAction::Idle`]: longer than the display stays lit.
pub(super) const IDLE_MS: u64 = 70_000;

/// Passes each gesture of `action`, in order, to `next`. `state` is the phone's state before; an action that
/// starts the app has no gestures.
pub(super) fn each<E>(
    action: &Action,
    state: &State,
    mut next: impl FnMut(Gesture) -> Result<(), E>,
) -> Result<(), E> {
    // A touch on a dark display at most lights it. An idle leaves it dark.
    if !state.is_lit && *action != Action::IDLE {
        next(Gesture::Light(true))?;
    }
    match action {
        Action::Reinitialise(_) => Ok(()),
        Action::Touch(Touch::Click, on) => next(Gesture::Tap(on.bounds.centre())),
        Action::Touch(Touch::LongClick, on) => next(Gesture::LongTap(on.bounds.centre())),
        Action::Touch(Touch::DoubleClick, on) => {
            next(Gesture::Tap(on.bounds.centre()))?;
            next(Gesture::Tap(on.bounds.centre()))
        }
        Action::Text { on, text } => {
            next(Gesture::Tap(on.bounds.centre()))?;
            next(Gesture::Replace(text.clone()))
        }
        Action::Stroke(Stroke::Scroll, on, towards) => {
            // To scroll towards a side, the finger moves to the opposite one.
            let (start, end) = towards.across(on.bounds);
            next(Gesture::Swipe(end, start))
        }
        Action::Stroke(Stroke::Swipe, on, towards) => {
            next(Gesture::Swipe(on.bounds.centre(), towards.across(on.bounds).1))
        }
        Action::Device(DeviceAction::Back) => {
            // The action leaves the screen, and a keyboard would take the first press.
            if state.has_keyboard {
                next(Gesture::HideKeyboard)?;
            }
            next(Gesture::Back)
        }
        Action::Device(DeviceAction::Menu) => next(Gesture::Menu),
        Action::Device(DeviceAction::Rotate) => next(Gesture::Rotate),
        Action::Device(DeviceAction::Network) => next(Gesture::Network),
        Action::Device(DeviceAction::PauseResume) => match front(state) {
            // Outside the app there is nothing to pause, and a start would be another action.
            Front::Window { .. } => {
                next(Gesture::Home)?;
                next(Gesture::Front(state.launched))
            }
            Front::System => Ok(()),
        },
        Action::Device(DeviceAction::Idle) => next(Gesture::Sleep { ms: IDLE_MS, quiet_ms: 0 }),
        Action::Device(DeviceAction::Enter) => next(pressed(PressedKey::Enter, 1)),
        // A phone has neither a mouse nor a window, and no key for these.
        Action::Touch(Touch::Hover, _)
        | Action::Device(
            DeviceAction::Forward | DeviceAction::Reload | DeviceAction::Resize | DeviceAction::Escape,
        ) => Ok(()),
        Action::User { action, on } => {
            let mut quiet_ms = 0;
            for gesture in &action.gestures {
                let gesture = match gesture {
                    gui::Gesture::Tap(at) => Gesture::Tap(at.on(on.bounds)),
                    gui::Gesture::LongTap(at) => Gesture::LongTap(at.on(on.bounds)),
                    gui::Gesture::Swipe { from, to } => Gesture::Swipe(from.on(on.bounds), to.on(on.bounds)),
                    gui::Gesture::Text(text) => Gesture::Type(text.as_str().into()),
                    gui::Gesture::Key(key) => pressed(*key, 1),
                    gui::Gesture::Wait { ms } => {
                        let ms = u64::from(*ms);
                        next(Gesture::Sleep { ms, quiet_ms })?;
                        // Waits in a row add up until the display goes dark.
                        quiet_ms += ms;
                        continue;
                    }
                };
                quiet_ms = 0;
                next(gesture)?;
            }
            Ok(())
        }
    }
}

/// Returns the gesture that presses a key this many times; back, menu and home only once.
pub(super) fn pressed(key: PressedKey, times: u32) -> Gesture {
    match key {
        PressedKey::Back => Gesture::Back,
        PressedKey::Menu => Gesture::Menu,
        PressedKey::Home => Gesture::Home,
        PressedKey::Delete
        | PressedKey::Enter
        | PressedKey::Tab
        | PressedKey::Search
        | PressedKey::Escape
        | PressedKey::Up
        | PressedKey::Down
        | PressedKey::Left
        | PressedKey::Right => Gesture::Key(key, times),
    }
}
