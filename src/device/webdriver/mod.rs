//! Web pages and phones through WebDriver: the protocol of browsers, of Appium, of Selenium Grid and of clouds.
//!
//! A page is a screen: its package is the origin, its activity the path and the hash, its widgets are the elements. Each step is
//! two requests: the gestures, and one script that waits until the page rests and returns all that it shows.

mod answers;
#[cfg(feature = "webdriver")]
mod bidi;
mod browser;
#[cfg(feature = "webdriver")]
mod client;
#[cfg(feature = "webdriver")]
mod driver;
#[cfg(feature = "webdriver")]
mod gestures;
mod page;
#[cfg(feature = "webdriver")]
mod phone;
#[cfg(feature = "webdriver")]
mod web;

use std::time::Duration;

use super::DeviceError;

pub use answers::{PhoneFacts, PhoneLog};
pub use browser::{Browser, Place};
#[cfg(feature = "webdriver")]
pub use client::ServerStatus;
pub(crate) use page::{DIALOG_CANCEL, DIALOG_FIELD, DIALOG_OK};
pub use page::{PageError, PageScreen, PageUrl, UserAndKey};
#[cfg(feature = "webdriver")]
pub use phone::{Phone, PhoneApp, PhoneError, PhoneOptions};
#[cfg(feature = "webdriver")]
pub use web::{CapabilitiesError, Options, Web};

/// The reason there is no browser, or it could not be used.
#[derive(Debug, thiserror::Error)]
pub enum WebDriverError {
    /// The driver of a browser cannot be started.
    #[error("cannot start {}, the driver of {}: {why}; {}", browser.driver(), browser.name(), browser.advice())]
    NoDriver {
        /// The browser.
        browser: Browser,
        /// The reason.
        why: String,
    },
    /// The server does not answer.
    #[error("no answer from the WebDriver server at {at}: {why}")]
    Unreachable {
        /// Address of the server.
        at: String,
        /// The reason.
        why: String,
    },
    /// The address wants encryption, and this program has none.
    #[error(
        "{at} needs encryption, which this farlead is built without; build it with `cargo install --path . --features https`, or give it the `http://` address of a proxy on this machine"
    )]
    NoEncryption {
        /// Address of the server.
        at: String,
    },
    /// The answer is none of WebDriver.
    #[error("{at} is no WebDriver server, or answers oddly: {what}")]
    Garbled {
        /// Address of the server.
        at: String,
        /// Its answer.
        what: String,
    },
    /// The server refuses.
    #[error("the WebDriver server at {at} says: {error}{}", after_colon(message))]
    Failed {
        /// Address of the server.
        at: String,
        /// Kind of error, in the words of the protocol.
        error: String,
        /// Message of the server.
        message: String,
    },
    /// No session began.
    #[error("no session began within {} s at the WebDriver server at {at}; wanted was {wanted}; the last answer: {why}", .waited.as_secs())]
    NoSession {
        /// Address of the server.
        at: String,
        /// Time waited.
        waited: Duration,
        /// Capabilities that were wanted.
        wanted: String,
        /// The last answer.
        why: String,
    },
    /// The WebSocket of a session cannot be reached.
    #[error(
        "cannot reach the WebSocket of the browser at {at}: {why}; `\"webSocketUrl\": false` in the file of `--capabilities` does without it"
    )]
    NoSocket {
        /// Address of the socket.
        at: String,
        /// The reason.
        why: String,
    },
    /// The page could not be read.
    #[error("cannot read the page: {0}")]
    Page(#[from] PageError),
    /// The browser has no such action.
    #[error("a browser cannot do `{action}`")]
    NoAction {
        /// The action.
        action: String,
    },
}

impl WebDriverError {
    /// Returns true if the server names this kind of error.
    fn is(&self, kind: &str) -> bool {
        matches!(self, WebDriverError::Failed { error, .. } if error == kind)
    }

    /// Returns the server's own words, or else the whole message.
    fn message(&self) -> String {
        match self {
            WebDriverError::Failed { message, .. } if !message.is_empty() => message.clone(),
            other => other.to_string(),
        }
    }
}

impl From<WebDriverError> for DeviceError {
    fn from(error: WebDriverError) -> DeviceError {
        match error {
            WebDriverError::NoAction { .. } => DeviceError::Refused { source: error.into() },
            WebDriverError::NoDriver { .. }
            | WebDriverError::Unreachable { .. }
            | WebDriverError::NoEncryption { .. }
            | WebDriverError::Garbled { .. }
            | WebDriverError::Failed { .. }
            | WebDriverError::NoSession { .. }
            | WebDriverError::NoSocket { .. }
            | WebDriverError::Page(_) => DeviceError::Lost { source: error.into() },
        }
    }
}

fn after_colon(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}
