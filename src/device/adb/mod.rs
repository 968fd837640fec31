//! Real phones and emulators, reached through a server of adb.
//!
//! A step is one line of the phone's shell: what is done, and all that is looked at. Each action has a number that the
//! phone is asked to claim before it does it, so that an action whose answer never came is asked for again and never done
//! twice. A dump counts only if what is in front was the same before and after it, and if it is of that; and a screen has
//! settled when two dumps in a row agree. Else it is looked again, a bounded number of times. One that never settles, as
//! that of a clock, is taken as it was last. Where time is virtual nothing moves between two dumps, so one is enough.
//!
//! With a [`Jar`] the dumps are those of uiautomator2's server, which the phone's shell asks in the same line.
//!
//! What was changed on the phone is put back by [`Adb::restore`], and when the device is dropped.

mod app;
#[cfg(feature = "adb")]
mod client;
mod deed;
mod error;
mod kept;
mod line;
mod look;
mod script;
mod server;
#[cfg(test)]
mod tests;
mod u2;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{App, Capabilities, Device, DeviceError, Observation};
use crate::gui::{Action, Screen};

#[cfg(feature = "adb")]
pub use client::Client;
pub use error::AdbError;
pub use line::{Answer, Line, LineError};
pub use server::{Listed, Server, ServerError, State};
pub use u2::{Jar, JarError};

use app::SETTINGS;
use kept::Kept;
use look::{Glance, Looked, Unclear};
use script::{Mark, Script};

/// Which app is tested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One that is installed, by its package.
    Package(String),
    /// One that is installed first, from its APK: the base, and what it is split into.
    Apks(Vec<PathBuf>),
}

/// How the app is had afresh at the start of an episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reset {
    /// Its data are cleared, and the rights that it had are given again.
    #[default]
    Clear,
    /// It is uninstalled and installed again, which needs its APK.
    Reinstall,
    /// It is ended and started, with all that it has stored.
    Restart,
}

impl Reset {
    /// All ways.
    pub const ALL: [Reset; 3] = [Reset::Clear, Reset::Reinstall, Reset::Restart];

    /// What it is called on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Reset::Clear => "clear",
            Reset::Reinstall => "reinstall",
            Reset::Restart => "restart",
        }
    }

    /// Returns the way called `name`.
    pub fn parse(name: &str) -> Option<Reset> {
        Reset::ALL.into_iter().find(|reset| reset.name() == name)
    }
}

/// How often uiautomator2's server is started again in a look.
const RESTARTS_MAX: u32 = 2;

/// How a phone is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How the app is had afresh.
    pub reset: Reset,
    /// The server by which the phone is looked at; else `uiautomator dump` does it.
    pub u2: Option<Jar>,
    /// How long a line of the shell may take to answer, beyond what it is told to wait.
    pub answer: Duration,
    /// How often a screen is looked at until two dumps in a row agree; then it is taken as it was last if that is clear,
    /// and else given up.
    pub looks_max: u32,
    /// How long is waited between two looks, on the clock here: that of the phone goes on.
    pub pause: Duration,
    /// How long is waited for a phone that was lost, and how often in a step.
    pub recovery: Duration,
    /// See [`Options::recovery`].
    pub recoveries_max: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            reset: Reset::default(),
            u2: None,
            // Each of two dumps may wait for ten seconds until the screen is at rest, and starting an app as long.
            answer: Duration::from_secs(60),
            looks_max: 8,
            pause: Duration::from_millis(300),
            recovery: Duration::from_secs(20),
            recoveries_max: 4,
        }
    }
}

/// What a phone says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What its makers call it, like `Pixel 7`.
    pub model: String,
    /// Its version of Android, like `13`.
    pub release: String,
    /// The level of its programming interface, like 33.
    pub sdk: u32,
    /// The display in its natural way up.
    pub size: (u32, u32),
    /// How many dots it has to the inch.
    pub dpi: u32,
    /// Whether waiting takes no time there, as on a simulated phone.
    has_virtual_time: bool,
    /// The package of the launcher.
    home: Arc<str>,
    /// Whether it was connected to a network at first.
    has_network: bool,
}

/// A phone or emulator with an app on it.
pub struct Adb {
    line: Box<dyn Line>,
    options: Options,
    app: App,
    facts: Facts,
    mark: Mark,
    /// The number of the last thing that was done.
    deed: u64,
    kept: Kept,
    /// What is installed again at each start, for [`Reset::Reinstall`].
    apks: Vec<app::Apk>,
    /// The rights that are given again once the app's data are cleared.
    rights: Vec<String>,
    now: Now,
}

/// What is known of the phone as it is now.
#[derive(Clone, Debug, Default)]
struct Now {
    /// The activity that the app was started with.
    launched: Arc<str>,
    /// What was seen last.
    screen: Option<Arc<Screen>>,
    is_turned: bool,
    is_off_network: bool,
    /// The phone's clock when the app was started.
    started_ms: u64,
    /// From when on the log is read, and how much of it was known already.
    log_since: String,
    log_known: usize,
}

impl Adb {
    /// Opens the device `serial` of `server`, which runs, and has the app ready on it.
    #[cfg(feature = "adb")]
    pub fn open(server: &Server, serial: &str, subject: &Subject, options: Options) -> Result<Adb, AdbError> {
        Adb::on(Box::new(Client::new(server.clone(), serial)), subject, options)
    }

    /// Opens the device at the other end of `line`, and has the app ready on it.
    pub fn on(line: Box<dyn Line>, subject: &Subject, options: Options) -> Result<Adb, AdbError> {
        let mut adb = Adb::unknown(line, options);
        adb.learn_facts(&SETTINGS)?;
        adb.set_up_app(subject)?;
        adb.prepare(&SETTINGS)?;
        adb.set_up_server()?;
        Ok(adb)
    }

    /// Opens the device at the other end of `line` to look at whatever it shows: nothing is installed, started or set.
    /// No app can be started on it.
    pub fn to_look(line: Box<dyn Line>, options: Options) -> Result<Adb, AdbError> {
        let mut adb = Adb::unknown(line, options);
        adb.learn_facts(&[])?;
        adb.prepare(&[])?;
        adb.set_up_server()?;
        Ok(adb)
    }

    fn unknown(line: Box<dyn Line>, options: Options) -> Adb {
        Adb {
            line,
            options,
            app: App { package: "".into(), version: "".into(), launchable: Vec::new() },
            facts: Facts {
                model: String::new(),
                release: String::new(),
                sdk: 0,
                size: (0, 0),
                dpi: 0,
                has_virtual_time: false,
                home: "".into(),
                has_network: true,
            },
            mark: Mark::new(),
            deed: 0,
            kept: Kept::default(),
            apks: Vec::new(),
            rights: Vec::new(),
            now: Now::default(),
        }
    }

    /// The serial number of the device.
    pub fn serial(&self) -> &str {
        self.line.serial()
    }

    /// What the phone says of itself.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Puts back what was changed on the phone, and leaves nothing there; once is enough.
    pub fn restore(&mut self) -> Result<(), AdbError> {
        let Some(script) = self.kept.take_back(&self.folder()) else { return Ok(()) };
        self.ask("putting the settings back", &script).map(|_| ())
    }

    /// The folder on the phone in which what is under way is noted.
    fn folder(&self) -> String {
        // The mark starts as all folders do.
        format!("/data/local/tmp/{}", self.mark.word())
    }

    fn error(&self, doing: &str, source: LineError) -> AdbError {
        AdbError::Line { serial: self.line.serial().to_string(), doing: doing.to_string(), source }
    }

    /// Asks for something that may be asked for any number of times.
    fn ask(&mut self, doing: &str, command: &str) -> Result<Answer, AdbError> {
        self.ask_within(doing, command, self.options.answer)
    }

    fn ask_within(&mut self, doing: &str, command: &str, within: Duration) -> Result<Answer, AdbError> {
        let mut recoveries = 0;
        loop {
            match self.line.shell(command, within) {
                Ok(answer) => return Ok(answer),
                Err(error) if error.is_passing() && recoveries < self.options.recoveries_max => {
                    recoveries += 1;
                    self.recover(doing)?;
                }
                Err(error) => return Err(self.error(doing, error)),
            }
        }
    }

    fn recover(&mut self, doing: &str) -> Result<(), AdbError> {
        self.line.recover(self.options.recovery).map_err(|source| self.error(doing, source))
    }

    /// Writes a file on the phone.
    fn push(&mut self, doing: &str, bytes: &Arc<[u8]>, to: &str) -> Result<(), AdbError> {
        // A slow cable carries a megabyte in a second.
        let within = self.options.answer + Duration::from_secs(bytes.len() as u64 >> 20);
        let mut recoveries = 0;
        loop {
            match self.line.push(bytes.clone(), to, within) {
                Ok(()) => return Ok(()),
                Err(error) if error.is_passing() && recoveries < self.options.recoveries_max => {
                    recoveries += 1;
                    self.recover(doing)?;
                }
                Err(error) => return Err(self.error(doing, error)),
            }
        }
    }

    /// Makes a script of all that is looked at, behind what `script` has already.
    fn with_look(&self, script: Script<'_>) -> String {
        // Where time is virtual, nothing moves unless something is done.
        self.with_glances(script, if self.facts.has_virtual_time { 1 } else { 2 })
    }

    fn with_glances(&self, mut script: Script<'_>, glances: usize) -> String {
        let has_server = self.options.u2.is_some();
        look::add_look(&mut script, &self.folder(), &self.facts, &self.now.log_since, has_server, glances);
        script.finish()
    }

    /// Looks until what is seen has settled; `first` is an answer that has a look in it already.
    fn look_until_settled(&mut self, first: Option<Vec<u8>>) -> Result<Looked, AdbError> {
        let mark = self.mark.clone();
        let looks_max = self.options.looks_max.max(1);
        let mut answer = first;
        let mut last: Result<Glance, Unclear> = Err(Unclear::new("nothing was seen"));
        let mut restarts = 0;
        for look in 1..=looks_max {
            let stdout = match answer.take() {
                Some(stdout) => stdout,
                None if look == 1 => self.look_once(self.with_look(Script::new(&mark)))?,
                None => {
                    std::thread::sleep(self.options.pause);
                    self.look_once(self.with_glances(Script::new(&mark), 1))?
                }
            };
            let parts = mark.parts(&stdout);
            let mut has_settled = false;
            for glance in look::glances(&parts, self.options.u2.is_some()) {
                has_settled = match (&last, &glance) {
                    (Ok(before), Ok(now)) => before == now || self.facts.has_virtual_time,
                    (Err(_), Ok(_)) => self.facts.has_virtual_time,
                    (Ok(_) | Err(_), Err(_)) => false,
                };
                last = glance;
            }
            match last {
                // What never comes to rest is as it was last.
                Ok(glance) if has_settled || look == looks_max => {
                    return Ok(look::looked(&parts, glance, &self.app.package, &self.facts, &self.now));
                }
                Err(Unclear { why, is_server_over: true }) => {
                    if restarts == RESTARTS_MAX || look::is_dark(&parts) {
                        return Err(self.no_server(why));
                    }
                    restarts += 1;
                    self.start_server()?;
                    last = Err(Unclear::new(why));
                }
                Ok(_) | Err(_) => {}
            }
        }
        let why = last.err().map(|unclear| unclear.why).unwrap_or_default();
        Err(AdbError::Screen { serial: self.line.serial().to_string(), looks: looks_max, why })
    }

    fn look_once(&mut self, line: String) -> Result<Vec<u8>, AdbError> {
        Ok(self.ask("looking at its screen", &line)?.stdout)
    }

    /// Notes what was seen, and says it.
    fn observed(&mut self, looked: Looked) -> Observation {
        let Looked { screen, at_ms, notices, log_len } = looked;
        self.now.log_known = log_len;
        // One that is known already saves others reading it.
        let screen = match self.now.screen.take() {
            Some(before) if *before == screen => before,
            Some(_) | None => Arc::new(screen),
        };
        self.now.screen = Some(screen.clone());
        Observation { screen, at_ms: at_ms.saturating_sub(self.now.started_ms), notices: notices.into() }
    }
}

impl Device for Adb {
    fn describe(&self) -> String {
        let Facts { model, release, .. } = &self.facts;
        format!("{model}, Android {release} ({})", self.line.serial())
    }

    fn app(&self) -> &App {
        &self.app
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::ALL
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        let looked = self.look_until_settled(None)?;
        Ok(self.observed(looked))
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        Ok(self.start_afresh(activity)?)
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        match action {
            Action::Reinitialise(activity) => Ok(self.start_afresh(activity)?),
            Action::Click(_)
            | Action::LongClick(_)
            | Action::Text { .. }
            | Action::Scroll { .. }
            | Action::Swipe { .. }
            | Action::Back
            | Action::Menu
            | Action::Rotate
            | Action::Network
            | Action::PauseResume
            | Action::Idle
            | Action::User { .. } => Ok(self.perform(action)?),
        }
    }
}

impl Drop for Adb {
    fn drop(&mut self) {
        // Nobody is left to be told; a device that is gone is not waited for.
        if let Some(script) = self.kept.take_back(&self.folder()) {
            let _ = self.line.shell(&script, self.options.answer.min(Duration::from_secs(10)));
        }
    }
}

/// Whether a serial number is the address of a device, which adb reaches over a network.
fn is_address(serial: &str) -> bool {
    serial.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
}
