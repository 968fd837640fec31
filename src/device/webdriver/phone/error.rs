//! Errors of a phone behind a server of Appium.

use crate::device::DeviceError;
use crate::device::webdriver::WebDriverError;

/// The reason there is no phone behind a server of Appium, or it could not be used.
#[derive(Debug, thiserror::Error)]
pub enum PhoneError {
    /// The server gave no session, answers no more, or refuses a command.
    #[error(transparent)]
    Server(WebDriverError),
    /// The session has ended.
    #[error(
        "the server at {at} has ended the session: it was stopped or restarted, or ends sessions after a time; its log says more"
    )]
    Ended {
        /// Address of the server.
        at: String,
    },
    /// The app has no activity that can be started.
    #[error(
        "the session at {at} names no activity that a launcher starts for `{package}`; give its APK with --apk, or \
         `appium:appActivity` in a file of --capabilities"
    )]
    NoActivity {
        /// Address of the server.
        at: String,
        /// The app's package.
        package: String,
    },
    /// An APK is to be installed at each start, and there is none.
    #[error("`--reset reinstall` needs the APK to install; give it with --apk")]
    NoApk,
    /// The app was not installed.
    #[error(
        "the server at {at} did not install `{apk}`: {why}; it reads the file on its own machine, so an APK must lie there under \
         the same path, or be named by an address in `appium:app` of a file of --capabilities"
    )]
    Install {
        /// Address of the server.
        at: String,
        /// Path or address of the APK.
        apk: String,
        /// The reason.
        why: String,
    },
    /// An activity could not be started.
    #[error("the phone at {at} did not start `{activity}`: {said}")]
    Start {
        /// Address of the server.
        at: String,
        /// The activity.
        activity: String,
        /// The phone's message.
        said: String,
    },
    /// The lock screen asks for something.
    #[error("the phone at {at} is locked; unlock it, and let it have no PIN as long as it is used for tests")]
    Locked {
        /// Address of the server.
        at: String,
    },
    /// The screen could not be read in any of the looks.
    #[error("cannot read the screen of the phone at {at}, {looks} looks long: {why}")]
    Screen {
        /// Address of the server.
        at: String,
        /// Number of looks.
        looks: u32,
        /// The reason at the last look.
        why: String,
    },
    /// A phone has no such action.
    #[error("a phone behind Appium cannot do `{action}`")]
    NoAction {
        /// The action.
        action: String,
    },
}

impl From<WebDriverError> for PhoneError {
    fn from(error: WebDriverError) -> PhoneError {
        match error {
            WebDriverError::Failed { at, error, .. } if error == ENDED => PhoneError::Ended { at },
            error => PhoneError::Server(error),
        }
    }
}

impl From<PhoneError> for DeviceError {
    fn from(error: PhoneError) -> DeviceError {
        let is_lost = match &error {
            // A command that the driver lacks is missing on each of its phones.
            PhoneError::Server(error) => !LACKING.iter().any(|kind| error.is(kind)),
            PhoneError::Ended { .. } | PhoneError::Locked { .. } | PhoneError::Screen { .. } => true,
            PhoneError::NoActivity { .. }
            | PhoneError::NoApk
            | PhoneError::Install { .. }
            | PhoneError::Start { .. }
            | PhoneError::NoAction { .. } => false,
        };
        let source = error.into();
        if is_lost { DeviceError::Lost { source } } else { DeviceError::Refused { source } }
    }
}

/// Kind of the error of a session that has ended.
pub(super) const ENDED: &str = "invalid session id";

/// Kinds of errors by which a server says that it does not know a command.
const LACKING: [&str; 3] = ["unknown command", "unknown method", "unsupported operation"];
