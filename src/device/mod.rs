//! Devices: apps that can be looked at and acted upon.
//!
//! A device starts the app afresh, performs actions and reports the screens they settle on. [`crate::gui`] works out from
//! a screen which actions it offers and which atoms hold on it, so that all devices agree. An app that crashes is an
//! observation; an error says that the device could not look or act.

pub mod adb;
pub mod android;
mod decorator;
mod exec;
mod faulty;
mod hand;
mod open;
mod pictured;
mod pool;
mod running;
mod secret;
pub mod sim;
pub(crate) mod sum;
pub mod webdriver;

use std::error::Error;
use std::sync::Arc;

pub use crate::gui::Capabilities;
use crate::gui::{Action, Pixels};
pub use crate::trace::{Notice, Observation};

pub use adb::Adb;
pub use decorator::{Ask, Decorator};
pub use exec::{Exec, ExecError};
pub use faulty::Faulty;
pub use hand::{Following, Hand, HandGesture, HandKey, HandNews, Place, Tell};
pub use open::{
    AppSource, Attached, BrokenModel, Cause, DeviceUrl, LoadedModel, OpenError, Opened, Parameter, Request,
    carried_model, load_model, open, open_to_look,
};
pub use pictured::{Album, Pictured};
pub use pool::{BoxedDevice, Maker, Pool};
pub use secret::{Reference, Sealed, Secrets, references};
pub use sim::Sim;

pub use crate::text::writable_address;

/// An app on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// Name of its package.
    pub package: Arc<str>,
    /// Version, as the app's makers call it.
    pub version: Arc<str>,
    /// Activities that can be started from outside, by their full names; at least one.
    pub launchable: Vec<Arc<str>>,
    /// All activities that it declares, by their full names; empty if they are not known.
    pub activities: Vec<Arc<str>>,
}

/// Reason why a device could not look or act.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The app model did something without a meaning.
    #[error("the model {model} cannot go on: {message}")]
    Model {
        /// Name of the model.
        model: String,
        /// The model's mistake, with its place.
        message: String,
    },
    /// The device cannot be used or relied on any more, though another might be.
    #[error(transparent)]
    Lost {
        /// Reason in the words of this kind of device.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The device answers and cannot do the action; another of its kind could not either.
    #[error(transparent)]
    Refused {
        /// Reason in the words of this kind of device.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A set-up test did not hold.
    #[error("the set-up test {test} does not hold: at step {step} {why}{}", tried(*.tries))]
    SetUp {
        /// Name of the test.
        test: String,
        /// Number of its step, from 0.
        step: usize,
        /// The step's expectation, and the screen in its place.
        why: String,
        /// Number of tries, each on the app started afresh.
        tries: u32,
    },
    /// A device that fails on purpose failed.
    #[error("the device failed at step {step}, as it was told to")]
    Faulty {
        /// Number of the step, from 0.
        step: usize,
    },
    /// All devices are lost.
    #[error("no device is left: {why}")]
    NoneLeft {
        /// Error of the device that was lost last.
        why: String,
    },
}

fn tried(tries: u32) -> String {
    if tries > 1 {
        format!("; it was tried {tries} times, each on the app started afresh")
    } else {
        String::new()
    }
}

impl DeviceError {
    /// Returns true if the device cannot be used any more, though another might be.
    pub fn is_lost(&self) -> bool {
        match self {
            // Another device would show the same.
            DeviceError::Model { .. } | DeviceError::SetUp { .. } | DeviceError::Refused { .. } => false,
            DeviceError::Lost { .. } | DeviceError::Faulty { .. } | DeviceError::NoneLeft { .. } => true,
        }
    }
}

/// Returns the first line of what a program says, cut where it is long and without what would steer a terminal.
fn said(text: &str) -> String {
    const CHARS_MAX: usize = 300;
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().filter(|char| !char.is_control()).take(CHARS_MAX).collect()
}

/// An app that can be looked at and acted upon.
pub trait Device {
    /// Describes the device in a few words, for people.
    fn describe(&self) -> String;

    /// Returns the app on the device.
    fn app(&self) -> &App;

    /// Returns the kinds of action that the device has; screens offer no others.
    fn capabilities(&self) -> Capabilities;

    /// Returns the screen that the device shows, without acting; before the first reset that is whatever is in front.
    fn look(&mut self) -> Result<Observation, DeviceError>;

    /// Says if a soft keyboard that comes up stays; otherwise it is put away before the screen is looked at. A device
    /// without one does nothing.
    fn keep_keyboard(&mut self, keeps: bool);

    /// Returns a picture of the screen that was observed last, with passwords blacked out; `None` on a device that has
    /// none, or where the app forbids it.
    fn picture(&mut self) -> Option<Pixels>;

    /// Returns the hand of a person on the device; `None` where nobody could follow one.
    fn hand(&self) -> Option<Box<dyn Hand>>;

    /// Starts the app afresh, as after an installation, with the launchable `activity`, and returns
    /// its first screen.
    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError>;

    /// Does `action` and returns the screen it settled on. [`Action::Reinitialise`] is a reset.
    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError>;
}
