//! Devices: apps that can be looked at and acted upon.
//!
//! A device starts the app afresh, performs actions and reports the screens they settle on. What a
//! screen offers and which atoms hold on it is worked out from the screen by [`crate::gui`], so that
//! all devices agree on it. An app that crashes is an observation; an error is that we could not look.

pub mod adb;
pub mod android;
mod faulty;
mod pool;
pub mod sim;
pub(crate) mod sum;

use std::sync::Arc;

use crate::gui::Action;
pub use crate::trace::{Notice, Observation};

pub use adb::Adb;
pub use faulty::Faulty;
pub use pool::Pool;
pub use sim::Sim;

/// What is known of the app on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// Its package.
    pub package: Arc<str>,
    /// Its version, as its makers call it.
    pub version: Arc<str>,
    /// The activities that can be started from outside, in full; at least one.
    pub launchable: Vec<Arc<str>>,
}

/// Why we could not look, or not act.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The app model did something that means nothing.
    #[error("the model {model} cannot go on: {message}")]
    Model {
        /// Which model.
        model: String,
        /// What it did, and where.
        message: String,
    },
    /// A phone could not be looked at, or not acted upon.
    #[error(transparent)]
    Adb(#[from] adb::AdbError),
    /// A set-up test does not come to what it must.
    #[error("the set-up test {test} does not hold: at step {step} {why}{}", tried(*.tries))]
    SetUp {
        /// Which test.
        test: String,
        /// The step of it, from 0.
        step: usize,
        /// What was expected there, and what was seen.
        why: String,
        /// How often it was tried, each time on the app started afresh.
        tries: u32,
    },
    /// A device that fails on purpose did.
    #[error("the device failed at step {step}, as it was told to")]
    Faulty {
        /// The step, from 0.
        step: usize,
    },
    /// All devices there were are lost.
    #[error("no device is left: {why}")]
    NoneLeft {
        /// What was said of the last of them.
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
    /// Whether the device cannot be used any more, though another might be.
    pub fn is_lost(&self) -> bool {
        match self {
            // Another device would show the same.
            DeviceError::Model { .. } | DeviceError::SetUp { .. } => false,
            DeviceError::Adb(error) => error.is_lost(),
            DeviceError::Faulty { .. } | DeviceError::NoneLeft { .. } => true,
        }
    }
}

/// An app that can be looked at and acted upon.
pub trait Device {
    /// What the device is, in a few words, for people.
    fn describe(&self) -> String;

    /// The app on it.
    fn app(&self) -> &App;

    /// Starts the app afresh, as after an installation, with the launchable `activity`, and returns
    /// its first screen.
    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError>;

    /// Does `action` and returns the screen it settled on. [`Action::Reinitialise`] is a reset.
    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError>;
}
