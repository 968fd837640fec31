//! Real phones and emulators, reached through an adb server.
//!
//! A step is one command for the phone's shell: the action, and everything that is looked at. Each action has a
//! number that the phone is asked to claim before doing it. If the answer never comes, the same is asked again,
//! and the action is never done twice. A dump counts only if the same window was in front before and after it,
//! and if it shows that window. A screen has settled when two dumps in a row agree. Otherwise it is looked at
//! again, a bounded number of times; a screen that never settles, like that of a clock, is taken as it was
//! last. With virtual time nothing moves between two dumps, so one is enough.
//!
//! With a [`Jar`] the dumps come from uiautomator2's server, which the phone's shell asks within the same
//! command.
//!
//! Changes to the phone are undone by [`Adb::restore`], and when the device is dropped.

mod app;
mod changes;
#[cfg(feature = "adb")]
mod client;
mod error;
mod gestures;
#[cfg(feature = "adb")]
mod glimpse;
mod hand;
mod line;
mod look;
mod patience;
mod script;
mod server;
mod stroke;
#[cfg(test)]
mod tests;
mod transcript;
mod u2;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::android::glance::{Glance, Looked, Movers};
use super::android::prompt::{Press, Prompts};
use super::android::settle::{Keyboard, Settles, settle};
use super::{App, Capabilities, Device, DeviceError, Hand, Observation};
use crate::gui::{Action, Pixels, Screen};

#[cfg(feature = "adb")]
pub use client::Client;
pub use error::{AdbError, SETTINGS_SWITCH, refuses_settings};
#[cfg(feature = "adb")]
pub use glimpse::glimpse;
pub use line::{Answer, Line, LineError, Stream};
pub use server::{DeviceState, Listed, Server, ServerError};
pub use transcript::{Order, Recorder, Recording, Replayed, TranscriptError};
pub use u2::{Jar, JarError};

use app::SETTINGS;
#[cfg(feature = "webdriver")]
pub(in crate::device) use app::{declared, read_apks};
use changes::Changes;
use gestures::HIDE_KEYBOARD;
use hand::PhoneHand;
use look::Unclear;
use patience::Patience;
use script::{Mark, Script};

/// The app under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// An installed app, by its package.
    Package(String),
    /// An app to install first from its APKs: the base, and its splits.
    Apks(Vec<PathBuf>),
}

/// The way to reset the app at the start of an episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reset {
    /// Clears its data, and grants its permissions again.
    #[default]
    Clear,
    /// Uninstalls and installs it, which needs its APK.
    Reinstall,
    /// Stops and starts it, and keeps its stored data.
    Restart,
}

impl Reset {
    /// All ways.
    pub const ALL: [Reset; 3] = [Reset::Clear, Reset::Reinstall, Reset::Restart];

    /// Returns its name on the command line.
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

/// The command that answers with a picture of the display.
const SCREENCAP: &str = "screencap -p";

/// Most time for a picture.
const PICTURE_WITHIN: Duration = Duration::from_secs(10);

/// Most restarts of uiautomator2's server in a look.
const RESTARTS_MAX: u32 = 2;

/// Settings for the use of a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The way to reset the app.
    pub reset: Reset,
    /// The server for looking at the phone; without it, `uiautomator dump` is used.
    pub u2: Option<Jar>,
    /// The prompts of the system that are answered.
    pub prompts: Prompts,
    /// Most time allowed for the answer to a shell command, beyond the waiting that the command asks for. A command whose
    /// kind was answered before gets ten times the longest of these times, and at least ten seconds.
    pub answer: Duration,
    /// Time allowed for the first answer of a phone, all tries included: a phone that says nothing at first will hardly
    /// say more later.
    pub first_answer: Duration,
    /// Most looks at a screen until two dumps in a row agree. After that, the last dump is used if it is clear;
    /// otherwise the look fails.
    pub looks_max: u32,
    /// Pause between two looks, on this computer's clock: meanwhile the phone goes on.
    pub pause: Duration,
    /// Time to wait for a lost phone; [`Options::recoveries_max`] limits how often in a step.
    pub recovery: Duration,
    /// Most recoveries of a lost phone in a step.
    pub recoveries_max: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            reset: Reset::default(),
            u2: None,
            prompts: Prompts::default(),
            // Each of two dumps may wait ten seconds for the screen to come to rest, and starting an app takes
            // as long.
            answer: Duration::from_secs(60),
            first_answer: Duration::from_secs(15),
            looks_max: 8,
            pause: Duration::from_millis(300),
            recovery: Duration::from_secs(20),
            recoveries_max: 4,
        }
    }
}

/// Facts that a phone reports about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The makers' name for it, like `Pixel 7`.
    pub model: String,
    /// Version of Android, like `13`.
    pub release: String,
    /// Its API level, like 33.
    pub sdk: u32,
    /// Width and height of the display in its natural orientation.
    pub size: (u32, u32),
    /// Dots per inch of the display.
    pub dpi: u32,
    /// True if waiting takes no time there, as on a simulated phone.
    has_virtual_time: bool,
    /// Package of the launcher.
    home: Arc<str>,
    /// True if it was connected to a network at first.
    has_network: bool,
    /// Number of the user in front; 0 unless the phone has several.
    user: u32,
}

impl Facts {
    /// Returns the flag that names the user in front, with a blank before it; empty for the first user, whom all commands
    /// mean without it.
    fn user_flag(&self) -> String {
        if self.user == 0 { String::new() } else { format!(" --user {}", self.user) }
    }

    /// Returns the command that changes a setting.
    fn put_setting(&self, space: &str, name: &str, value: impl std::fmt::Display) -> String {
        format!("settings put{} {space} {name} {value}", self.user_flag())
    }
}

/// A phone or emulator with an app on it.
pub struct Adb {
    line: Box<dyn Line>,
    options: Options,
    app: App,
    facts: Facts,
    mark: Mark,
    /// Number of the last task.
    task: u64,
    changes: Changes,
    /// APKs to install again at each start, for [`Reset::Reinstall`].
    apks: Vec<app::Apk>,
    /// Permissions to grant again after the app's data are cleared.
    permissions: Vec<String>,
    movers: Movers,
    keyboard: Keyboard,
    /// True if the phone has once left the question for a picture unanswered.
    takes_no_pictures: bool,
    /// Settings that the phone refuses to change.
    refused: Vec<&'static str>,
    patience: Patience,
    now: Now,
}

/// The present state of the phone, as far as known.
#[derive(Clone, Debug, Default)]
struct Now {
    /// Activity that the app was started with.
    launched: Arc<str>,
    /// The last screen seen.
    screen: Option<Arc<Screen>>,
    is_turned: bool,
    is_off_network: bool,
    /// The phone's clock when the app was started.
    started_ms: u64,
    /// Time from which on the log is read.
    log_since: String,
    /// Number of the log's notices since then that are already known.
    log_known: usize,
}

impl Adb {
    /// Opens the device `serial` of a running `server`, and makes the app ready on it.
    #[cfg(feature = "adb")]
    pub fn open(server: &Server, serial: &str, subject: &Subject, options: Options) -> Result<Adb, AdbError> {
        Adb::on(Box::new(Client::new(server.clone(), serial)), subject, options)
    }

    /// Opens the device at the other end of `line`, and makes the app ready on it.
    pub fn on(line: Box<dyn Line>, subject: &Subject, options: Options) -> Result<Adb, AdbError> {
        let mut adb = Adb::unknown(line, options);
        // The facts come first, because later commands depend on the version.
        adb.learn_facts(&SETTINGS)?;
        adb.set_up_app(subject)?;
        // The settings change after the app is found, so that a missing app leaves the phone as it was.
        adb.prepare(&SETTINGS)?;
        adb.set_up_server()?;
        Ok(adb)
    }

    /// Opens the device at the other end of `line` for looking only: installs, starts and sets nothing. No app
    /// can be started on it.
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
            app: App {
                package: "".into(),
                version: "".into(),
                launchable: Vec::new(),
                activities: Vec::new(),
            },
            facts: Facts {
                model: String::new(),
                release: String::new(),
                sdk: 0,
                size: (0, 0),
                dpi: 0,
                has_virtual_time: false,
                home: "".into(),
                has_network: true,
                user: 0,
            },
            mark: Mark::new(),
            task: 0,
            changes: Changes::default(),
            apks: Vec::new(),
            permissions: Vec::new(),
            movers: Movers::default(),
            keyboard: Keyboard::default(),
            takes_no_pictures: false,
            refused: Vec::new(),
            patience: Patience::default(),
            now: Now::default(),
        }
    }

    /// Returns the serial number of the device.
    pub fn serial(&self) -> &str {
        self.line.serial()
    }

    /// Returns the facts that the phone reports about itself.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns warnings for the user before the first run, each a sentence.
    pub fn warnings(&self) -> Vec<String> {
        if self.refused.is_empty() {
            return Vec::new();
        }
        let (serial, names) = (self.serial(), self.refused.join("`, `"));
        vec![format!(
            "`{serial}` refuses to change `{names}`, so its screens may move, turn or go dark; {SETTINGS_SWITCH}"
        )]
    }

    /// Undoes all changes to the phone. Calling it again does nothing.
    pub fn restore(&mut self) -> Result<(), AdbError> {
        let Some(script) = self.changes.take_back(&self.folder()) else { return Ok(()) };
        self.ask("putting the settings back", &script).map(|_| ())
    }

    /// Returns the folder on the phone for the state of tasks.
    fn folder(&self) -> String {
        // The mark starts with `farlead-`, as the folders of all runs do.
        format!("/data/local/tmp/{}", self.mark.word())
    }

    fn error(&self, doing: &str, source: LineError) -> AdbError {
        AdbError::Line { serial: self.line.serial().to_string(), doing: doing.to_string(), source }
    }

    /// Runs a command that may safely run more than once.
    fn ask(&mut self, doing: &'static str, command: &str) -> Result<Answer, AdbError> {
        let within = self.patience.limit(doing, self.options.answer);
        self.ask_again(doing, command, within, self.options.answer)
    }

    fn ask_within(
        &mut self,
        doing: &'static str,
        command: &str,
        within: Duration,
    ) -> Result<Answer, AdbError> {
        self.ask_again(doing, command, within, within)
    }

    /// Runs a command until there is an answer, within `first` at the first try and within `later` at each other.
    fn ask_again(
        &mut self,
        doing: &'static str,
        command: &str,
        first: Duration,
        later: Duration,
    ) -> Result<Answer, AdbError> {
        let mut recoveries = 0;
        let mut within = first;
        loop {
            let begun = Instant::now();
            match self.line.shell(command, within) {
                Ok(answer) => {
                    self.patience.took(doing, begun.elapsed());
                    return Ok(answer);
                }
                Err(error) if error.is_passing() && recoveries < self.options.recoveries_max => {
                    recoveries += 1;
                    // A command that is slow and not stalled needs the time that it did not get.
                    within = later;
                    self.recover(doing)?;
                }
                Err(error) => return Err(self.error(doing, error)),
            }
        }
    }

    /// Asks a phone for the first time, which costs a dead one no more than [`Options::first_answer`].
    fn ask_first(&mut self, doing: &str, command: &str) -> Result<Answer, AdbError> {
        let whole = self.options.first_answer.min(self.options.answer);
        let begun = Instant::now();
        let (mut recoveries, mut silences) = (0, 0);
        loop {
            let error = match self.line.shell(command, whole / 2) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            silences += u32::from(matches!(error, LineError::Silent { .. }));
            // One answer may be lost on its way; after two of them nobody is there.
            let is_worth_it = error.is_passing() && silences < 2 && begun.elapsed() < whole;
            if !is_worth_it || recoveries >= self.options.recoveries_max {
                return Err(self.error(doing, error));
            }
            recoveries += 1;
            let within = self.options.recovery.min(whole / 2);
            self.line.recover(within).map_err(|source| self.error(doing, source))?;
        }
    }

    fn recover(&mut self, doing: &str) -> Result<(), AdbError> {
        self.line.recover(self.options.recovery).map_err(|source| self.error(doing, source))
    }

    /// Writes a file on the phone.
    fn push(&mut self, doing: &str, bytes: &Arc<[u8]>, to: &str) -> Result<(), AdbError> {
        // A slow cable carries about a megabyte per second.
        let within = self.options.answer + Duration::from_secs(bytes.len() as u64 >> 20);
        // A file pushed twice is the same file, so a push may be repeated.
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

    /// Completes `script` with the commands of a look.
    fn with_look(&self, script: Script<'_>) -> String {
        // With virtual time, nothing moves between two dumps.
        self.with_glances(script, if self.facts.has_virtual_time { 1 } else { 2 })
    }

    fn with_glances(&self, mut script: Script<'_>, glances: usize) -> String {
        let has_server = self.options.u2.is_some();
        look::add_look(&mut script, &self.folder(), &self.facts, &self.now.log_since, has_server, glances);
        script.finish()
    }

    /// Looks until the screen has settled; `first` is an answer that already contains a look.
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
                    (Ok(before), Ok(now)) => self.movers.agree(before, now) || self.facts.has_virtual_time,
                    (Err(_), Ok(_)) => self.facts.has_virtual_time,
                    (Ok(_) | Err(_), Err(_)) => false,
                };
                last = glance;
            }
            match last {
                // A screen that never settles is taken as it was last.
                Ok(glance) if has_settled || look == looks_max => {
                    return Ok(look::looked(
                        &parts,
                        glance,
                        &self.app.package,
                        &self.facts,
                        &self.options.prompts,
                        &self.now,
                    ));
                }
                Err(Unclear { why, is_server_over: true }) => {
                    // Starting the server lights the display, which would change a dark screen.
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

    /// Looks until the screen has settled, answers the prompts of the system in front of the app, and puts the keyboard away;
    /// `first` is an answer that already contains a look.
    fn settle(&mut self, first: Option<Vec<u8>>) -> Result<Observation, AdbError> {
        let looked = self.look_until_settled(first)?;
        settle(self, looked)
    }

    fn look_once(&mut self, line: String) -> Result<Vec<u8>, AdbError> {
        Ok(self.ask("looking at its screen", &line)?.stdout)
    }
}

impl Settles for Adb {
    type Error = AdbError;

    fn press(&mut self, press: &Press) -> Result<Looked, AdbError> {
        let Press { at: (x, y), shown } = press;
        let look = self.do_command(&format!("press {shown}"), format!("input tap {x} {y}"))?;
        self.look_until_settled(look)
    }

    fn hide_keyboard(&mut self) -> Result<Looked, AdbError> {
        let look = self.do_command("put the keyboard away", HIDE_KEYBOARD.to_string())?;
        self.look_until_settled(look)
    }

    fn keyboard(&mut self) -> &mut Keyboard {
        &mut self.keyboard
    }

    fn observed(&mut self, looked: Looked) -> Observation {
        self.now.log_known = looked.log_len;
        looked.observed(&mut self.now.screen, self.now.started_ms)
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
        Capabilities::PHONE
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        let looked = self.look_until_settled(None)?;
        Ok(self.observed(looked))
    }

    fn keep_keyboard(&mut self, keeps: bool) {
        self.keyboard.is_kept = keeps;
    }

    fn picture(&mut self) -> Option<Pixels> {
        let screen = self.now.screen.clone()?;
        if self.takes_no_pictures || !screen.context().screen_on {
            return None;
        }
        let png = match self.line.exec(SCREENCAP, PICTURE_WITHIN) {
            Ok(png) => png,
            // A phone that takes so long for one would take as long for each.
            Err(LineError::Silent { .. }) => {
                self.takes_no_pictures = true;
                return None;
            }
            Err(_) => return None,
        };
        Some(Pixels::read(&png, self.facts.size)?.without_passwords(&screen))
    }

    fn hand(&self) -> Option<Box<dyn Hand>> {
        let line = self.line.another()?;
        Some(Box::new(PhoneHand::new(line, self.facts.clone())))
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        Ok(self.start_afresh(activity)?)
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        let Action::Reinitialise(activity) = action else { return Ok(self.perform(action)?) };
        Ok(self.start_afresh(activity)?)
    }
}

impl Drop for Adb {
    fn drop(&mut self) {
        // Nobody can receive an error here; a device that is gone gets only a short time.
        if let Some(script) = self.changes.take_back(&self.folder()) {
            let _ = self.line.shell(&script, self.options.answer.min(Duration::from_secs(10)));
        }
    }
}

/// Returns true if a serial number is the address of a device that adb reaches over a network.
fn is_address(serial: &str) -> bool {
    serial.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
}

/// Returns true if the phone of this serial number is reached over the network that it is on. An emulator on this computer is
/// reached past its own network.
pub(in crate::device) fn is_over_network(serial: &str) -> bool {
    let is_near = ["127.", "localhost:", "[::1]:"].iter().any(|start| serial.starts_with(start));
    (is_address(serial) && !is_near) || serial.contains("._adb")
}
