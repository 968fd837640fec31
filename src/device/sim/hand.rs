//! The simulator by hand: touched at pixels and by single keys, and looked at like a phone.
//!
//! An [`Action`](crate::gui::Action) is for agents; the gestures here are for code that presents the simulator
//! as a phone. Looking changes nothing.

use std::sync::Arc;

use super::caret::Edit;
use super::gestures::pressed;
use super::memo::Gesture;
use super::model::{Display, Model, WindowId};
use super::render::{Front, front};
use super::simulator::Sim;
use super::state::{Trouble, activity_names};
use crate::device::{Device as _, DeviceError, Observation};
use crate::gui::{Orientation, PressedKey, Screen};

/// The system's knowledge about windows and the display.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    /// Package and class of each open activity, the topmost last.
    pub activities: Vec<(Arc<str>, Arc<str>)>,
    /// True if a dialog or popup of the app is over the topmost activity.
    pub has_dialog: bool,
    /// True if the app is in front, false if the launcher is.
    pub is_in_front: bool,
    /// The system dialog over everything else: true for a crash, and the activity that was in front.
    pub system: Option<(bool, Arc<str>)>,
    /// The orientation in which the phone is held.
    pub orientation: Orientation,
    pub has_network: bool,
    pub is_lit: bool,
    pub has_keyboard: bool,
}

impl Sim {
    /// Touches a pixel for a moment.
    pub(crate) fn tap(&mut self, at: (i32, i32)) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Tap(at)])
    }

    /// Touches a pixel for a long time.
    pub(crate) fn long_tap(&mut self, at: (i32, i32)) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::LongTap(at)])
    }

    /// Moves a finger from one pixel to another.
    pub(crate) fn swipe(&mut self, from: (i32, i32), to: (i32, i32)) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Swipe(from, to)])
    }

    /// Puts `text` at the caret of the focused field.
    pub(crate) fn type_text(&mut self, text: &str) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Type(text.into())])
    }

    /// Touches a field, and then replaces the text of the focused field.
    pub(crate) fn replace_text(&mut self, at: (i32, i32), text: &str) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Tap(at), Gesture::Replace(text.into())])
    }

    /// Lets typing through again after a lost touch.
    pub(crate) fn forget_lost_touch(&mut self) {
        self.set_touch_lost(false);
    }

    /// Presses a key this many times; back, menu and home only once.
    pub(crate) fn press(&mut self, key: PressedKey, times: u32) -> Result<Observation, DeviceError> {
        self.go_from_here([pressed(key, times)])
    }

    /// Presses a key that edits the text of the focused field, this many times.
    pub(crate) fn edit(&mut self, key: Edit, times: u32) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Edit(key, times)])
    }

    /// Turns the phone.
    pub(crate) fn turn(&mut self) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Rotate])
    }

    /// Connects the phone to the network, or disconnects it.
    pub(crate) fn switch_network(&mut self) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Network])
    }

    /// Starts the app for the first time since its installation. Unlike a reset, it keeps the phone's
    /// orientation.
    pub(crate) fn start_fresh(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        let window = self.launchable(activity);
        self.start_here(window)
    }

    /// Brings the app to the front with a launchable activity, or starts it with that activity.
    pub(crate) fn bring_up(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        let window = self.launchable(activity);
        self.go_from_here([Gesture::Front(window)])
    }

    fn launchable(&self, activity: &str) -> WindowId {
        let model = self.model();
        let found = model.launchable.iter().find(|&&window| *activity_names(model, window).1 == *activity);
        found.or(model.launchable.first()).copied().unwrap_or(0)
    }

    /// Brings the launcher to the front, as the system does.
    pub(crate) fn leave(&mut self) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Leave])
    }

    /// Ends the app's process.
    pub(crate) fn kill(&mut self) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Kill])
    }

    /// Turns the display on or off.
    pub(crate) fn light(&mut self, is_lit: bool) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Light(is_lit)])
    }

    /// Lets time pass without input, after `quiet_ms` without any.
    pub(crate) fn sleep(&mut self, ms: u64, quiet_ms: u64) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Sleep { ms, quiet_ms }])
    }

    /// Resets the app to a fresh installation, and keeps the phone's orientation.
    pub(crate) fn clear(&mut self) {
        self.renew();
    }

    /// Returns the display.
    pub(crate) fn display(&self) -> Display {
        self.model().settings.display
    }

    /// Replaces the display.
    pub(crate) fn set_display(&mut self, display: Display) {
        // Others may share the model, so only a copy is changed.
        let mut model = Model::clone(self.model());
        model.settings.display = display;
        self.set_model(Arc::new(model));
    }

    /// Returns the app's clock: milliseconds since its fresh start.
    pub(crate) fn now_ms(&self) -> u64 {
        self.clock_ms()
    }

    /// Returns the current screen.
    pub(crate) fn screen(&mut self) -> Result<Arc<Screen>, DeviceError> {
        Ok(self.look()?.screen)
    }

    /// Returns the app's windows, and what else the system knows.
    pub(crate) fn windows(&self) -> Windows {
        let (model, state) = (self.model(), self.state());
        let activities = state.stack.iter().filter(|activity| !activity.is_finishing);
        let system = state
            .system
            .as_ref()
            .map(|system| (system.trouble == Trouble::Crash, activity_names(model, system.window).1));
        let has_dialog = match front(state) {
            Front::Window { instance, activity } => instance.number != activity,
            Front::System => false,
        };
        Windows {
            activities: activities.map(|one| activity_names(model, one.instance.window)).collect(),
            has_dialog,
            is_in_front: state.is_in_front && state.top().is_some(),
            system,
            orientation: state.orientation,
            has_network: state.has_network,
            is_lit: state.is_lit,
            has_keyboard: state.has_keyboard,
        }
    }
}
