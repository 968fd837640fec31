//! Errors of WebDriver: their HTTP status, their code, and a message.

use super::super::failure::Failure;
use crate::device::DeviceError;

/// Reason why a request has no value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    /// Status line of the HTTP answer, without its version.
    pub status: &'static str,
    /// Code of W3C's WebDriver.
    pub error: &'static str,
    pub message: String,
}

const NOT_FOUND: &str = "404 Not Found";
const BAD: &str = "400 Bad Request";
const BROKEN: &str = "500 Internal Server Error";

impl Refusal {
    fn new(status: &'static str, error: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { status, error, message: message.into() }
    }

    pub fn argument(message: impl Into<String>) -> Refusal {
        Refusal::new(BAD, "invalid argument", message)
    }

    pub fn selector(message: impl Into<String>) -> Refusal {
        Refusal::new(BAD, "invalid selector", message)
    }

    pub fn element_state(message: impl Into<String>) -> Refusal {
        Refusal::new(BAD, "invalid element state", message)
    }

    pub fn unknown(message: impl Into<String>) -> Refusal {
        Refusal::new(BROKEN, "unknown error", message)
    }

    pub fn command(method: &str, path: &str) -> Refusal {
        let message = format!("the server of the simulated phone does not know {method} {path}");
        Refusal::new(NOT_FOUND, "unknown command", message)
    }

    pub fn session() -> Refusal {
        Refusal::new(NOT_FOUND, "invalid session id", "the session identified by it is not known")
    }

    pub fn alert() -> Refusal {
        Refusal::new(NOT_FOUND, "no such alert", "there is no dialog with buttons on the screen")
    }

    pub fn element() -> Refusal {
        let message = "An element could not be located on the page using the given search parameters";
        Refusal::new(NOT_FOUND, "no such element", message)
    }

    pub fn stale(id: &str) -> Refusal {
        let message = format!("The element '{id}' is not linked to the same object in DOM anymore");
        Refusal::new(NOT_FOUND, "stale element reference", message)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        match failure {
            Failure::Method => Refusal::unknown("there is no such method"),
            Failure::Params => Refusal::selector("a method of the selector has an argument of another type"),
            Failure::Thrown("androidx.test.uiautomator.UiObjectNotFoundException", _) => Refusal::element(),
            Failure::Thrown(class, message) => Refusal::selector(format!("{class}: {message}")),
        }
    }
}

impl From<DeviceError> for Refusal {
    fn from(error: DeviceError) -> Refusal {
        Refusal::unknown(error.to_string())
    }
}
