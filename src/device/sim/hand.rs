//! The simulator in the hand: touched at pixels and by single keys, and looked at as a phone is.
//!
//! An [`Action`](crate::gui::Action) is what an agent does; here is what a person's finger does, for those
//! who show the simulator as a phone. Looking changes nothing.

use std::sync::Arc;

use super::gestures::pressed;
use super::memo::Gesture;
use super::model::{Display, Model, WindowId};
use super::render::{Front, front};
use super::simulator::Sim;
use super::state::{Trouble, activity_names};
use crate::device::{DeviceError, Observation};
use crate::gui::{Orientation, PressedKey, Screen};

/// What is on the display and behind it, as the system knows it.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    /// Package and class of each activity of the app, the topmost last.
    pub activities: Vec<(Arc<str>, Arc<str>)>,
    /// Whether a dialog or popup of the app is over the topmost.
    pub has_dialog: bool,
    /// Whether the app is in front, and not the launcher.
    pub is_in_front: bool,
    /// The dialog of the system, if one is over all: whether it is that of a crash, and the activity it came up in.
    pub system: Option<(bool, Arc<str>)>,
    /// How the phone is held, and how the display is turned.
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

    /// Touches a pixel for long.
    pub(crate) fn long_tap(&mut self, at: (i32, i32)) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::LongTap(at)])
    }

    /// Moves a finger from a pixel to another.
    pub(crate) fn swipe(&mut self, from: (i32, i32), to: (i32, i32)) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Swipe(from, to)])
    }

    /// Types into the field that has the focus, behind what is in it.
    pub(crate) fn type_text(&mut self, text: &str) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Type(text.into())])
    }

    /// Touches a field, and puts `text` in place of what is in the one that has the focus then.
    pub(crate) fn replace_text(&mut self, at: (i32, i32), text: &str) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Tap(at), Gesture::Replace(text.into())])
    }

    /// From now on what is typed does not belong to a touch that was lost.
    pub(crate) fn forget_lost_touch(&mut self) {
        self.set_touch_lost(false);
    }

    /// Presses a key so many times; back, menu and home once.
    pub(crate) fn press(&mut self, key: PressedKey, times: u32) -> Result<Observation, DeviceError> {
        self.go_from_here([pressed(key, times)])
    }

    /// Turns the phone.
    pub(crate) fn turn(&mut self) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Rotate])
    }

    /// Connects the phone to the network, or takes it off.
    pub(crate) fn switch_network(&mut self) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Network])
    }

    /// Starts the app for the first time since its installation, as a reset does but for how the phone is held.
    pub(crate) fn start_fresh(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        let window = self.launchable(activity);
        self.start_here(window)
    }

    /// Brings the app to the front with a launchable activity, or starts it with that.
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

    /// Lights the display, or puts it out.
    pub(crate) fn light(&mut self, is_lit: bool) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Light(is_lit)])
    }

    /// Lets time pass in which nobody does anything, after `quiet_ms` of the same.
    pub(crate) fn sleep(&mut self, ms: u64, quiet_ms: u64) -> Result<Observation, DeviceError> {
        self.go_from_here([Gesture::Sleep { ms, quiet_ms }])
    }

    /// Has the app as after an installation, and leaves the phone as it is held.
    pub(crate) fn clear(&mut self) {
        self.renew();
    }

    /// The display there is.
    pub(crate) fn display(&self) -> Display {
        self.model().settings.display
    }

    /// Puts another display in place of the one there is.
    pub(crate) fn set_display(&mut self, display: Display) {
        let mut model = Model::clone(self.model());
        model.settings.display = display;
        self.set_model(Arc::new(model));
    }

    /// The app's clock, in milliseconds since it was started afresh.
    pub(crate) fn now_ms(&self) -> u64 {
        self.clock_ms()
    }

    /// What is seen.
    pub(crate) fn screen(&mut self) -> Result<Arc<Screen>, DeviceError> {
        self.look_here()
    }

    /// The app's windows, and what else the system knows of itself.
    pub(crate) fn windows(&self) -> Windows {
        let (model, state) = (self.model(), self.state());
        let activities = state.stack.iter().filter(|activity| !activity.is_finishing);
        let system = state
            .system
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
