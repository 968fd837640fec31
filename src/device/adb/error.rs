//! Errors of looking at a phone or acting on it.

use std::fmt;

use super::LineError;
use super::server::{DeviceState, Listed, ServerError};
use crate::device::DeviceError;

/// The reason there is no phone, or it could not be used.
#[derive(Debug, thiserror::Error)]
pub enum AdbError {
    /// The adb server does not answer.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// No device is connected.
    #[error(
        "no device is connected; plug one in with USB debugging allowed, start an emulator, or `adb connect HOST:PORT`"
    )]
    NoDevice,
    /// Several devices are connected, and none is chosen.
    #[error("{} devices are connected: {}; name one with --device or ANDROID_SERIAL", .0.len(), Serials(.0))]
    Several(Vec<Listed>),
    /// The chosen device is not connected.
    #[error("there is no device `{serial}`; {}{}", Others(others), connect_hint(serial))]
    Unknown {
        /// Serial number of the chosen device.
        serial: String,
        /// The connected devices.
        others: Vec<Listed>,
    },
    /// The device is connected, but cannot be used.
    #[error("device `{serial}` {}", what_to_do(state))]
    Unusable {
        /// Serial number of the device.
        serial: String,
        /// The state of its connection.
        state: DeviceState,
    },
    /// A command gave no answer.
    #[error("`{serial}`, {doing}: {source}")]
    Line {
        /// Serial number of the device.
        serial: String,
        /// The operation that was under way.
        doing: String,
        /// The error of the line.
        source: LineError,
    },
    /// The connection ended in the middle of an action.
    #[error(
        "the connection to `{serial}` ended in the middle of `{action}`; whether that was done nobody knows, so the \
         run ends here"
    )]
    Uncertain {
        /// Serial number of the device.
        serial: String,
        /// The action.
        action: String,
        /// The error of the line.
        source: LineError,
    },
    /// The screen could not be read in any of the looks.
    #[error("cannot read the screen of `{serial}`, {looks} looks long: {why}")]
    Screen {
        /// Serial number of the device.
        serial: String,
        /// Number of looks.
        looks: u32,
        /// The reason at the last look.
        why: String,
    },
    /// uiautomator2's server does not run.
    #[error(
        "`{serial}` does not run the server of u2.jar: {said}; without --u2 it is looked at by `uiautomator dump`"
    )]
    NoServer {
        /// Serial number of the device.
        serial: String,
        /// The server's message.
        said: String,
    },
    /// Another program is looking at the screen.
    #[error(
        "another program uses uiautomator on `{serial}`, and one may at a time; end it (a script of uiautomator2, Appium), or \
         restart the device"
    )]
    Taken {
        /// Serial number of the device.
        serial: String,
    },
    /// The lock screen asks for something.
    #[error("`{serial}` is locked; unlock it, and let it have no PIN as long as it is used for tests")]
    Locked {
        /// Serial number of the device.
        serial: String,
    },
    /// The device has no touch screen that tells of touches.
    #[error(
        "`{serial}` has no touch screen that can be read, so touches on it are not followed; `adb shell getevent -lp` lists what \
         it has"
    )]
    NoTouchScreen {
        /// Serial number of the device.
        serial: String,
    },
    /// The app is not installed.
    #[error("`{package}` is not installed on `{serial}`; give its APK, or install it with `adb install`")]
    NotInstalled {
        /// Serial number of the device.
        serial: String,
        /// The app's package.
        package: String,
    },
    /// The app has no activity that can be started.
    #[error("`{package}` on `{serial}` has no activity that a launcher starts")]
    NoActivity {
        /// Serial number of the device.
        serial: String,
        /// The app's package.
        package: String,
    },
    /// An APK cannot be read.
    #[error("cannot read {path}: {why}")]
    Apk {
        /// Path of the file.
        path: String,
        /// The reason.
        why: String,
    },
    /// An APK was not installed.
    #[error("`{serial}` did not install {what}: {said}{}", install_hint(said))]
    Install {
        /// Serial number of the device.
        serial: String,
        /// The files.
        what: String,
        /// The device's message.
        said: String,
    },
    /// The app's data could not be cleared.
    #[error(
        "`{serial}` did not clear `{package}`: {said}; --reset restart starts it anew with what it has stored"
    )]
    Clear {
        /// Serial number of the device.
        serial: String,
        /// The app's package.
        package: String,
        /// The device's message.
        said: String,
    },
    /// An activity could not be started.
    #[error("`{serial}` did not start `{activity}`: {said}")]
    Start {
        /// Serial number of the device.
        serial: String,
        /// The activity.
        activity: String,
        /// The device's message.
        said: String,
    },
    /// An action cannot be done on this device.
    #[error("`{action}` cannot be done on `{serial}`: {why}")]
    Impossible {
        /// Serial number of the device.
        serial: String,
        /// The action.
        action: String,
        /// The reason.
        why: String,
    },
    /// The device refused an action.
    #[error("`{serial}` did not do `{action}`: {said}{}", action_hint(said))]
    Action {
        /// Serial number of the device.
        serial: String,
        /// The action.
        action: String,
        /// The device's message.
        said: String,
    },
}

impl AdbError {
    /// Returns true if the device is unusable or unreliable from now on, though another might work.
    pub fn is_lost(&self) -> bool {
        match self {
            AdbError::Server(_)
            | AdbError::NoDevice
            | AdbError::Several(_)
            | AdbError::Unknown { .. }
            | AdbError::Unusable { .. }
            | AdbError::NoServer { .. }
            | AdbError::Taken { .. }
            | AdbError::Locked { .. }
            | AdbError::Line { .. }
            | AdbError::Uncertain { .. }
            | AdbError::Screen { .. } => true,
            // The cause is the app, its files or the request, so another device would do no better.
            AdbError::NoTouchScreen { .. }
            | AdbError::NotInstalled { .. }
            | AdbError::NoActivity { .. }
            | AdbError::Apk { .. }
            | AdbError::Install { .. }
            | AdbError::Clear { .. }
            | AdbError::Start { .. }
            | AdbError::Impossible { .. }
            | AdbError::Action { .. } => false,
        }
    }
}

impl From<AdbError> for DeviceError {
    fn from(error: AdbError) -> DeviceError {
        let is_lost = error.is_lost();
        let source = Box::new(error);
        if is_lost { DeviceError::Lost { source } } else { DeviceError::Refused { source } }
    }
}

/// Serial numbers separated by commas.
struct Serials<'l>(&'l [Listed]);

impl fmt::Display for Serials<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, listed) in self.0.iter().enumerate() {
            write!(out, "{}{}", if at > 0 { ", " } else { "" }, listed.serial)?;
        }
        Ok(())
    }
}

struct Others<'l>(&'l [Listed]);

impl fmt::Display for Others<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return out.write_str("none is connected");
        }
        write!(out, "connected: {}", Serials(self.0))
    }
}

fn connect_hint(serial: &str) -> String {
    // Only a device with an address can be connected by hand.
    match serial.rsplit_once(':').map(|(_, port)| port.parse::<u16>()) {
        Some(Ok(_)) => format!("; try `adb connect {serial}`"),
        Some(Err(_)) | None => String::new(),
    }
}

fn what_to_do(state: &DeviceState) -> String {
    match state {
        DeviceState::Device => "can be used".to_string(),
        DeviceState::Offline => "is offline; replug it, or `adb reconnect offline`".to_string(),
        DeviceState::Unauthorized => {
            "does not allow this computer yet; unlock it and allow USB debugging in its dialog".to_string()
        }
        DeviceState::Authorizing | DeviceState::Connecting => {
            "is being connected; try again in a moment".to_string()
        }
        DeviceState::NoPermissions => {
            "may not be opened by this user; add udev rules for it (`adb devices` has a link), and replug it"
                .to_string()
        }
        DeviceState::Other(state) => {
            format!("is in the state `{state}`; start Android on it, as `adb reboot` does")
        }
    }
}

/// The switch without which phones of some makers refuse changes of settings, and touches.
pub const SETTINGS_SWITCH: &str = "in its developer options, switch on \"USB debugging (Security settings)\" (Xiaomi) or \"Disable \
                                   permission monitoring\" (Oppo, realme, OnePlus)";

/// Returns true if the answer to a change of a setting is that the shell may not change it.
pub fn refuses_settings(said: &str) -> bool {
    ["SecurityException", "WRITE_SECURE_SETTINGS", "WRITE_SETTINGS"].iter().any(|word| said.contains(word))
}

/// Returns advice for Android's error about a touch or a key.
fn action_hint(said: &str) -> String {
    if said.contains("INJECT_EVENTS") { format!("; {SETTINGS_SWITCH}") } else { String::new() }
}

/// Returns advice for Android's error about an installation.
fn install_hint(said: &str) -> &'static str {
    const HINTS: [(&str, &str); 6] = [
        (
            "UPDATE_INCOMPATIBLE",
            "; another build of it is installed, signed with another key: uninstall that first",
        ),
        ("VERSION_DOWNGRADE", "; a newer version is installed: uninstall that first"),
        ("NO_MATCHING_ABIS", "; the APK is for other processors"),
        ("OLDER_SDK", "; the APK needs a newer Android"),
        ("INSUFFICIENT_STORAGE", "; the device is full"),
        ("USER_RESTRICTED", "; allow \"install via USB\" in the developer options"),
    ];
    HINTS.iter().find(|(code, _)| said.contains(code)).map_or("", |(_, hint)| hint)
}
