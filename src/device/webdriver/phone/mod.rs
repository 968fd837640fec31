//! Android phones behind a server of Appium, with its UiAutomator2 driver.
//!
//! A step is several requests: the gestures, and then the page source, the activity in front, the keyboard and the log. A
//! screen has settled when two sources in a row agree; otherwise it is looked at again, a bounded number of times. With
//! virtual time nothing moves between two sources, so one is enough. The same seed finds the same runs as through adb: the
//! same pixels are touched, and the same code makes a screen of what is read.
//!
//! No command for the phone's shell is sent, as servers allow none unless they are told to.

mod act;
mod error;
mod look;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;

use super::PhoneFacts;
use super::client::{Server, Session};
use super::gestures::{Field, object};
use super::web::Options;
use crate::device::adb::{Reset, is_over_network};
use crate::device::android::app::{class, complaint};
use crate::device::android::glance::Movers;
use crate::device::android::prompt::Prompts;
use crate::device::android::settle::{Keyboard, settle};
use crate::device::{App, Capabilities, Device, DeviceError, Hand, Observation};
use crate::gui::{Action, DeviceAction, Pixels, Screen};

pub use error::PhoneError;

/// Time for which a session is kept without a command, in seconds: a search may think for long, or wait for another device.
const IDLE_SESSION_S: u64 = 3_600;

/// Most levels of a tree. Trees in recordings have up to 21, and the driver's default is 70.
const DEPTH_MAX: u32 = 200;

/// From Android 11 on airplane mode may be switched from outside.
const SDK_OF_AIRPLANE_MODE: u32 = 30;

/// Time for an installation: the phone compiles the app.
const INSTALL: Duration = Duration::from_secs(300);

/// The app under test on a phone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhoneApp {
    /// Its package.
    pub package: String,
    /// Its version; empty if it is not known.
    pub version: String,
    /// Activities that start it, in full; none if the driver is to find the one.
    pub launchable: Vec<String>,
    /// Activities that it declares, in full; none if they are not known.
    pub activities: Vec<Arc<str>>,
    /// APKs to install, on the machine of the server: the base, and its splits.
    pub apks: Vec<PathBuf>,
}

/// Settings for the use of a phone behind Appium.
#[derive(Clone, Debug)]
pub struct PhoneOptions {
    /// The server and its capabilities.
    pub server: Options,
    /// The way to reset the app.
    pub reset: Reset,
    /// The prompts of the system that are answered.
    pub prompts: Prompts,
    /// Most looks at a screen until two sources in a row agree.
    pub looks_max: u32,
    /// Pause between two looks.
    pub pause: Duration,
}

impl Default for PhoneOptions {
    fn default() -> PhoneOptions {
        PhoneOptions {
            server: Options::default(),
            reset: Reset::default(),
            prompts: Prompts::default(),
            looks_max: 8,
            pause: Duration::from_millis(300),
        }
    }
}

/// A phone behind a server of Appium, with an app on it.
pub struct Phone {
    session: Session,
    /// Address of the server, without user and key.
    at: String,
    options: PhoneOptions,
    facts: PhoneFacts,
    app: App,
    /// APKs to install again at each start, as the server reads them; for [`Reset::Reinstall`].
    apks: Vec<String>,
    /// Permissions that were granted at first.
    granted: Vec<String>,
    /// Those of them that clearing revokes; none before the first clearing.
    revoked: Option<Vec<String>>,
    /// True if it was connected to a network at first.
    had_network: bool,
    /// Package of the launcher; empty before the first start.
    home: String,
    movers: Movers,
    keyboard: Keyboard,
    log: look::Log,
    began: Instant,
    now: Now,
}

/// The present state of the phone, as far as known.
#[derive(Debug, Default)]
struct Now {
    /// Activity that the app was started with.
    launched: String,
    /// The last screen seen.
    screen: Option<Arc<Screen>>,
    is_turned: bool,
    is_off_network: bool,
    /// True if the display is lit; `None` if it may have gone dark since.
    is_lit: Option<bool>,
    /// True if it is connected; `None` if that may have changed since.
    has_network: Option<bool>,
    /// Activity in front as the driver named it last, and its package.
    in_front: Option<(String, String)>,
    /// The phone's clock when the app was started.
    started_ms: u64,
    /// Number of the log's notices since then that are already known.
    log_known: usize,
}

impl Phone {
    /// Opens a session with a phone at the server at `address`, and makes the app ready on it.
    pub fn open(address: &str, app: &PhoneApp, options: PhoneOptions) -> Result<Phone, PhoneError> {
        let mut wanted = vec![
            ("appium:appPackage", Value::from(&*app.package)),
            ("appium:autoGrantPermissions", true.into()),
        ];
        if let Some(activity) = app.launchable.first() {
            wanted.push(("appium:appActivity", Value::from(&**activity)));
        }
        let mut phone = Phone::begin(address, &wanted, options)?;
        phone.apks = match phone.options.server.capabilities.get("appium:app").and_then(Value::as_str) {
            // The session has installed it, and the server knows where it lies.
            Some(app) => vec![app.to_string()],
            None => {
                let apks: Vec<String> = app.apks.iter().map(|path| path.display().to_string()).collect();
                phone.install(&apks)?;
                apks
            }
        };
        if phone.apks.is_empty() && phone.options.reset == Reset::Reinstall {
            return Err(PhoneError::NoApk);
        }
        // The session names one activity, and the manifest all of them.
        let named = phone.launchable(&app.package);
        let is_known = named.iter().all(|name| app.launchable.contains(name));
        let launchable = if is_known { app.launchable.clone() } else { named };
        if launchable.is_empty() {
            return Err(PhoneError::NoActivity { at: phone.at.clone(), package: app.package.clone() });
        }
        phone.app = App {
            package: app.package.as_str().into(),
            version: app.version.as_str().into(),
            launchable: launchable.into_iter().map(Arc::from).collect(),
            activities: app.activities.clone(),
        };
        phone.granted = phone.permissions()?;
        phone.had_network = phone.is_connected()?;
        phone.now.is_off_network = !phone.had_network;
        Ok(phone)
    }

    /// Opens a session for looking only: nothing of an app is installed, started or set.
    pub fn to_look(address: &str, options: PhoneOptions) -> Result<Phone, PhoneError> {
        Phone::begin(address, &[("appium:skipUnlock", true.into())], options)
    }

    fn begin(address: &str, wanted: &[Field<'_>], options: PhoneOptions) -> Result<Phone, PhoneError> {
        let mut capabilities = object(&[
            ("platformName", "Android".into()),
            ("appium:automationName", "UiAutomator2".into()),
            // Each episode starts the app afresh, so the session leaves it alone.
            ("appium:noReset", true.into()),
            ("appium:autoLaunch", false.into()),
            ("appium:newCommandTimeout", IDLE_SESSION_S.into()),
            ("appium:disableWindowAnimation", true.into()),
            ("appium:logcatFilterSpecs", look::filters().into()),
            ("appium:settings[waitForIdleTimeout]", (options.server.rest.as_millis() as u64).into()),
            ("appium:settings[snapshotMaxDepth]", DEPTH_MAX.into()),
        ]);
        if let Value::Object(known) = &mut capabilities {
            for more in [&object(wanted), &options.server.capabilities] {
                known.extend(more.as_object().cloned().unwrap_or_default());
            }
        }
        // A hub keeps a request until it has a phone.
        let server = Server::new(address, options.server.answer.max(options.server.queue));
        let (mut session, has) = server.begin_within(&capabilities, options.server.patience)?;
        session.answer_within(options.server.answer.max(INSTALL));
        let mut phone = Phone {
            session,
            at: server.shown(),
            options,
            facts: PhoneFacts::read(&has),
            app: App {
                package: "".into(),
                version: "".into(),
                launchable: Vec::new(),
                activities: Vec::new(),
            },
            apks: Vec::new(),
            granted: Vec::new(),
            revoked: None,
            had_network: true,
            home: String::new(),
            movers: Movers::default(),
            keyboard: Keyboard::default(),
            log: look::Log::default(),
            began: Instant::now(),
            now: Now::default(),
        };
        // The size is that of the display as it is held, and bounds are told by its nature.
        if phone.mark()?["z"].as_u64().is_some_and(|degrees| degrees % 180 == 90) {
            phone.facts.size = (phone.facts.size.1, phone.facts.size.0);
        }
        // What the log has from before is not about this run.
        phone.read_log()?;
        phone.log.forget();
        Ok(phone)
    }

    /// Returns the activities that the session says start the app.
    fn launchable(&self, package: &str) -> Vec<String> {
        let named = &*self.facts.activity;
        let component = if named.contains('/') { named.to_string() } else { format!("{package}/{named}") };
        class(&component, package).into_iter().collect()
    }

    /// Calls a command of Appium's own.
    fn mobile(&self, command: &str, arguments: &[Field<'_>]) -> Result<Value, PhoneError> {
        let arguments = vec![object(arguments)];
        let body = object(&[("script", format!("mobile: {command}").into()), ("args", arguments.into())]);
        Ok(self.session.post("/execute/sync", &body)?)
    }

    fn install(&self, apks: &[String]) -> Result<(), PhoneError> {
        let installed = match apks {
            [] => return Ok(()),
            [apk] => {
                let how = [
                    ("appPath", Value::from(&**apk)),
                    ("replace", true.into()),
                    ("grantPermissions", true.into()),
                    ("allowTestPackages", true.into()),
                    ("timeout", (INSTALL.as_millis() as u64).into()),
                ];
                self.mobile("installApp", &how)
            }
            apks => {
                let options =
                    object(&[("grantPermissions", true.into()), ("allowTestPackages", true.into())]);
                self.mobile("installMultipleApks", &[("apks", apks.into()), ("options", options)])
            }
        };
        match installed {
            Err(PhoneError::Server(error)) if error.is("unknown error") => {
                Err(PhoneError::Install { at: self.at.clone(), apk: apks.join("`, `"), why: error.message() })
            }
            other => other.map(drop),
        }
    }

    /// Returns the permissions that are granted to the app.
    fn permissions(&self) -> Result<Vec<String>, PhoneError> {
        let of_app = [("type", "granted".into()), ("appPackage", Value::from(&*self.app.package))];
        let granted = self.mobile("getPermissions", &of_app)?;
        let granted = granted.as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(granted.map(str::to_string).collect())
    }

    /// Clears the data of the app, and grants again what that revokes.
    fn clear(&mut self) -> Result<(), PhoneError> {
        let package = self.app.package.clone();
        self.mobile("clearApp", &[("appId", Value::from(&*package))])?;
        let revoked = match &self.revoked {
            Some(revoked) => revoked.clone(),
            None => {
                let left = self.permissions()?;
                self.granted.iter().filter(|name| !left.contains(name)).cloned().collect()
            }
        };
        if !revoked.is_empty() {
            let grant = [
                ("permissions", revoked.clone().into()),
                ("appPackage", Value::from(&*package)),
                ("action", "grant".into()),
            ];
            self.mobile("changePermissions", &grant)?;
        }
        self.revoked = Some(revoked);
        Ok(())
    }

    /// Starts the app afresh and returns its first screen.
    fn start_afresh(&mut self, activity: &str) -> Result<Observation, PhoneError> {
        let refused =
            |at: &str, said: String| PhoneError::Start { at: at.into(), activity: activity.into(), said };
        if !self.app.launchable.iter().any(|name| **name == *activity) {
            return Err(refused(&self.at, format!("there is `{}`", self.app.launchable.join("`, `"))));
        }
        let package = self.app.package.clone();
        if self.options.reset == Reset::Reinstall {
            // An app that is not there any more needs no removal.
            self.mobile("removeApp", &[("appId", Value::from(&*package))])?;
            self.install(&self.apks)?;
        }
        // If the start fails, the old screen must not count as the present one.
        self.now.screen = None;
        self.mobile("terminateApp", &[("appId", Value::from(&*package)), ("timeout", 0.into())])?;
        if self.options.reset == Reset::Clear {
            self.clear()?;
        }
        self.wake()?;
        self.turn(0)?;
        self.reconnect()?;
        self.press(act::HOME)?;
        if self.home.is_empty() {
            let package = self.session.get("/appium/device/current_package")?;
            self.home = package.as_str().unwrap_or_default().to_string();
        }
        // Read before the start, so that a crash during the start is seen.
        self.read_log()?;
        self.log.forget();
        self.now = Now {
            launched: activity.to_string(),
            is_lit: self.now.is_lit,
            is_off_network: !self.had_network,
            started_ms: self.clock_ms(),
            ..Now::default()
        };
        match self.launch(activity) {
            Ok(said) => {
                if let Some(said) = complaint(&said) {
                    return Err(refused(&self.at, crate::device::said(said)));
                }
            }
            // `am` ends with an error where there is no such activity, and says so.
            Err(PhoneError::Server(error)) if error.is("unknown error") => {
                return Err(refused(&self.at, error.message()));
            }
            Err(error) => return Err(error),
        }
        self.settled()
    }

    /// Puts the network back as it was at first.
    fn reconnect(&mut self) -> Result<(), PhoneError> {
        if self.now.is_off_network == self.had_network {
            self.connect(self.had_network)?;
            self.now.is_off_network = !self.had_network;
        }
        Ok(())
    }

    fn settled(&mut self) -> Result<Observation, PhoneError> {
        let looked = self.look_until_settled()?;
        settle(self, looked)
    }

    /// Returns warnings for the user before the first run, each a sentence.
    pub fn warnings(&self) -> Vec<String> {
        let at = &self.at;
        match self.log.is_there() {
            true => Vec::new(),
            false => vec![format!(
                "the session at {at} gives no log of the phone, so crashes are known by their dialogs alone; \
                 `appium:skipLogcatCapture` must not be set"
            )],
        }
    }

    /// Returns the actions of phones that this one can do.
    fn kinds(&self) -> Capabilities {
        let PhoneFacts { serial, sdk, .. } = &self.facts;
        // Older phones let nobody outside switch their data, but emulators do; and a phone that is reached over its network would
        // be lost without it.
        let is_switchable = *sdk >= SDK_OF_AIRPLANE_MODE || serial.starts_with("emulator-");
        if is_switchable && !is_over_network(serial) {
            return Capabilities::PHONE;
        }
        Capabilities::PHONE.without(DeviceAction::Network)
    }
}

impl Device for Phone {
    fn describe(&self) -> String {
        let PhoneFacts { model, release, serial, .. } = &self.facts;
        format!("{model}, Android {release} ({serial} at {})", self.at)
    }

    fn app(&self) -> &App {
        &self.app
    }

    fn capabilities(&self) -> Capabilities {
        self.kinds()
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        // Whatever has been done to the phone meanwhile is not known.
        (self.now.is_lit, self.now.has_network) = (None, None);
        let looked = self.look_until_settled()?;
        Ok(self.remember(looked))
    }

    fn keep_keyboard(&mut self, keeps: bool) {
        self.keyboard.is_kept = keeps;
    }

    fn picture(&mut self) -> Option<Pixels> {
        let screen = self.now.screen.clone().filter(|screen| screen.context().screen_on)?;
        // Without a size nobody knows where a password is.
        if self.facts.size.0 == 0 {
            return None;
        }
        let answer = self.session.get("/screenshot").ok()?;
        let png = BASE64.decode(answer.as_str()?).ok()?;
        Some(Pixels::read(&png, self.facts.size)?.without_passwords(&screen))
    }

    fn hand(&self) -> Option<Box<dyn Hand>> {
        None
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        Ok(self.start_afresh(activity)?)
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        if let Action::Reinitialise(activity) = action {
            return Ok(self.start_afresh(activity)?);
        }
        self.perform(action)?;
        Ok(self.settled()?)
    }
}

impl Drop for Phone {
    fn drop(&mut self) {
        // Nobody can receive an error here.
        let _ = self.reconnect();
        if self.now.is_turned {
            let _ = self.turn(0);
        }
    }
}
