//! Commands: the parts of a step, one list for all formats, which each prints in its own words.

use super::does;
use super::page::Page;
use crate::gui::{self, Action, DeviceAction, Direction, Gesture, Point, PressedKey, Stroke, Touch};
use crate::test_case::TestCase;

/// A part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command<'a> {
    /// Lights the display, which the step before left dark.
    Wake,
    /// Starts the app afresh.
    Start {
        activity: &'a str,
    },
    /// A short touch, in the middle if no point is named.
    Tap {
        on: &'a gui::Target,
        at: Option<Point>,
    },
    /// A touch that is held, in the middle if no point is named.
    LongTap {
        on: &'a gui::Target,
        at: Option<Point>,
    },
    /// Shows the content in this direction.
    Scroll {
        on: &'a gui::Target,
        towards: Direction,
    },
    /// A touch that moves from the middle in this direction.
    Swipe {
        on: &'a gui::Target,
        towards: Direction,
    },
    /// A touch that moves between two points of a widget.
    SwipeBetween {
        on: &'a gui::Target,
        from: Point,
        to: Point,
    },
    /// Replaces the text of a field.
    Replace {
        on: &'a gui::Target,
        text: &'a str,
    },
    /// Types into the field with the focus.
    Type {
        text: &'a str,
    },
    /// Goes back.
    Back,
    Press(PressedKey),
    Turn {
        is_landscape: bool,
    },
    SwitchAirplaneMode {
        is_on: bool,
    },
    /// Home, and back to the activity that the app was started with.
    PauseResume {
        activity: &'a str,
    },
    /// Waits until the display goes dark.
    Idle,
    Wait {
        ms: u32,
    },
}

/// Settings of the device that a test changes: they are set before it and put back after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Changes {
    pub orientation: bool,
    pub network: bool,
}

impl Changes {
    /// Returns the settings that the steps of `test` change.
    pub fn of(test: &TestCase) -> Changes {
        Changes { orientation: does(test, &Action::ROTATE), network: does(test, &Action::NETWORK) }
    }

    pub fn is_any(self) -> bool {
        self.orientation || self.network
    }
}

/// State of the device after the steps so far.
#[derive(Debug, Default)]
pub(super) struct Device<'a> {
    activity: &'a str,
    is_turned: bool,
    is_off_network: bool,
    is_dark: bool,
}

impl<'a> Device<'a> {
    /// Returns the commands that do `action` next; notes on `page` if there are none.
    pub fn commands(&mut self, page: &mut Page, action: &'a Action) -> Vec<Command<'a>> {
        // Taken before the action, which may darken the display again.
        let waking = std::mem::take(&mut self.is_dark).then_some(Command::Wake);
        let doing = self.doing(action);
        if doing.is_empty() {
            page.note("nothing does this outside farlead, so the step is left out");
        }
        waking.into_iter().chain(doing).collect()
    }

    fn doing(&mut self, action: &'a Action) -> Vec<Command<'a>> {
        match action {
            Action::Reinitialise(activity) => {
                self.activity = activity;
                vec![Command::Start { activity }]
            }
            Action::Touch(Touch::Click, on) => vec![Command::Tap { on, at: None }],
            Action::Touch(Touch::LongClick, on) => vec![Command::LongTap { on, at: None }],
            Action::Text { on, text } => vec![Command::Replace { on, text }],
            Action::Stroke(Stroke::Scroll, on, towards) => vec![Command::Scroll { on, towards: *towards }],
            Action::Stroke(Stroke::Swipe, on, towards) => vec![Command::Swipe { on, towards: *towards }],
            Action::Device(DeviceAction::Back) => vec![Command::Back],
            Action::Device(DeviceAction::Menu) => vec![Command::Press(PressedKey::Menu)],
            Action::Device(DeviceAction::Rotate) => {
                self.is_turned = !self.is_turned;
                vec![Command::Turn { is_landscape: self.is_turned }]
            }
            Action::Device(DeviceAction::Network) => {
                self.is_off_network = !self.is_off_network;
                vec![Command::SwitchAirplaneMode { is_on: self.is_off_network }]
            }
            Action::Device(DeviceAction::PauseResume) => {
                vec![Command::PauseResume { activity: self.activity }]
            }
            Action::Device(DeviceAction::Idle) => {
                self.is_dark = true;
                vec![Command::Idle]
            }
            Action::User { action, on } => action.gestures.iter().map(|gesture| of(gesture, on)).collect(),
        }
    }
}

/// Returns the command that does `gesture` on a widget.
fn of<'a>(gesture: &'a Gesture, on: &'a gui::Target) -> Command<'a> {
    match gesture {
        Gesture::Tap(at) => Command::Tap { on, at: Some(*at) },
        Gesture::LongTap(at) => Command::LongTap { on, at: Some(*at) },
        Gesture::Swipe { from, to } => Command::SwipeBetween { on, from: *from, to: *to },
        Gesture::Text(text) => Command::Type { text },
        Gesture::Key(key) => Command::Press(*key),
        Gesture::Wait { ms } => Command::Wait { ms: *ms },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gui::{Atom, UserAction};

    #[test]
    fn a_dark_display_is_lit_before_the_next_step() {
        let (idle, rotate) = (Action::IDLE, Action::ROTATE);
        let (mut device, mut page) = (Device::default(), Page::new("#"));
        let mut after = |action| device.commands(&mut page, action);
        assert_eq!(after(&idle), [Command::Idle]);
        assert_eq!(after(&idle), [Command::Wake, Command::Idle]);
        assert_eq!(after(&rotate), [Command::Wake, Command::Turn { is_landscape: true }]);
        assert_eq!(after(&rotate), [Command::Turn { is_landscape: false }]);
    }

    #[test]
    fn an_action_that_nothing_does_is_noted() {
        let nothing = UserAction { name: "rest".into(), on: Atom::Checked(true), gestures: Vec::new() };
        let action = Action::User { action: Arc::new(nothing), on: gui::Target::default() };
        let mut page = Page::new("#");
        assert_eq!(Device::default().commands(&mut page, &action), []);
        assert_eq!(page.finish().1, ["nothing does this outside farlead, so the step is left out"]);
    }
}
