//! A phone as it looks from a shell: what adb's services answer, in the formats of an Android version.
//!
//! An app model runs on it in the simulator. Touches and keys reach the app through pixels and the focus, as
//! a finger does, and nothing else reaches it; looking changes nothing. Time is virtual: it passes by what is
//! done and by `sleep`, whose answer is immediate. How the bytes travel is for others.

mod activities;
mod arithmetic;
mod automator;
mod base64;
mod commands;
mod dump;
mod dumpsys;
mod faults;
mod files;
mod font;
mod input;
mod io;
mod log;
mod manifest;
mod packages;
mod picture;
mod settings;
mod shell;
mod syntax;
mod text_tools;
mod tools;
mod version;
mod wire;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::device::sim::Windows;
use crate::device::sim::model::{Display, Model};
use crate::device::{Device, DeviceError, Notice, Observation, Sim};
use crate::gui::Screen;
use crate::rng::Seed;

pub use super::adbd::Ran;
pub use faults::{Fault, Faults, FaultsError};
pub use files::{FileError, Stat};
pub use version::AndroidVersion;

use automator::Automator;
use files::{Files, resolved};
use io::{Input, Io};
use log::{Entry, Log};
use packages::Session;

/// When the phone was switched on: the first second of 2024, so that the same is answered every time.
const EPOCH_S: u64 = 1_704_067_200;

/// How many bytes a request of the phone's own takes at most: an APK or a pushed file.
const STDIN_MAX: usize = 256 << 20;

/// Who the shell is.
const SHELL_UID: u32 = 2000;

/// The user's number of the first app that is installed.
const FIRST_UID: u32 = 10_100;

/// A picture of the display: four bytes a pixel, red, green, blue and how opaque it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Framebuffer {
    /// How many pixels a row has.
    pub width: u32,
    /// How many rows there are.
    pub height: u32,
    /// The rows, from the top.
    pub rgba: Vec<u8>,
}

/// An app that is installed.
#[derive(Clone, Debug)]
struct App {
    package: Arc<str>,
    version: Arc<str>,
    version_code: u32,
    uid: u32,
    /// What runs it; an app of others is listed and does nothing.
    sim: Option<Sim>,
    model: Option<Arc<Model>>,
    /// Whether it has not been started since it was installed or cleared.
    is_fresh: bool,
    /// Its process, if it has one.
    pid: Option<u32>,
    is_of_system: bool,
}

/// A phone with an app on it.
///
/// ```
/// use std::sync::Arc;
///
/// use farlead::emulator::phone::{AndroidVersion, Phone};
/// use farlead::device::sim::read;
/// use farlead::rng::Seed;
/// use farlead::spec::Source;
///
/// let text = "app org.example \"Example\" 1.0\nlaunch Main\nactivity Main .Main { Button \"Go\" }";
/// let model = read(&Source::new("example.app", text)).model.expect("no mistakes");
/// let mut phone = Phone::new(Arc::new(model), Seed(1), AndroidVersion::default());
/// let ran = phone.shell("am start -W -n org.example/.Main && uiautomator dump /dev/tty", b"");
/// assert!(String::from_utf8_lossy(&ran.stdout).contains("text=\"Go\""));
/// ```
#[derive(Clone, Debug)]
pub struct Phone {
    version: AndroidVersion,
    seed: Seed,
    apps: Vec<App>,
    /// Which of the apps that run is in front, or was when the launcher came; one is always there.
    current: usize,
    files: Files,
    settings: BTreeMap<(String, String), String>,
    log: Log,
    sessions: BTreeMap<u32, Session>,
    next_session: u32,
    next_pid: u32,
    /// How long it has been on.
    uptime_ms: u64,
    /// How long nobody has touched it.
    quiet_ms: u64,
    /// What the display is without being told otherwise.
    display: Display,
    /// Where a finger is down.
    finger: Option<(i32, i32)>,
    /// The server of uiautomator2, while it runs.
    automator: Option<Automator>,
    /// The server that the last command has started, until its stream takes it.
    started_server: Option<u32>,
    /// What was copied.
    clip: Option<String>,
    faults: Faults,
    is_adb_old: bool,
}

impl Phone {
    /// Returns a phone on which the app of `model` is installed, with the launcher in front.
    ///
    /// Its chance depends on the seed and on what is done, never on looks.
    pub fn new(model: Arc<Model>, seed: Seed, version: AndroidVersion) -> Phone {
        let display = model.settings.display;
        let mut phone = Phone {
            version,
            seed,
            apps: Vec::new(),
            current: 0,
            files: Files::new(EPOCH_S),
            settings: settings::initial(),
            log: Log::default(),
            sessions: BTreeMap::new(),
            next_session: 1_234,
            next_pid: 4_000,
            uptime_ms: 0,
            quiet_ms: 0,
            display,
            finger: None,
            automator: None,
            started_server: None,
            clip: None,
            faults: Faults::default(),
            is_adb_old: false,
        };
        phone.install_system();
        phone.install_model(model, Arc::from(&b"PK"[..]));
        phone.current = phone.apps.len() - 1;
        phone
    }

    /// Returns the phone with things that go wrong.
    pub fn with_faults(mut self, faults: Faults) -> Phone {
        self.faults = faults;
        self
    }

    /// Returns the phone with an adb of before features: without `cmd`, and without exit codes on the wire.
    pub fn with_old_adb(mut self) -> Phone {
        self.is_adb_old = true;
        self
    }

    /// Runs a line of the shell. An empty one stands for the lines of `stdin`.
    pub fn shell(&mut self, line: &str, stdin: &[u8]) -> Ran {
        self.run(line, stdin, false)
    }

    /// Runs a line of the shell where both its streams lead to one place: all is in `stdout`, in its order.
    pub fn shell_joined(&mut self, line: &str, stdin: &[u8]) -> Ran {
        self.run(line, stdin, true)
    }

    fn run(&mut self, line: &str, stdin: &[u8], is_joined: bool) -> Ran {
        let stdin = &stdin[..stdin.len().min(STDIN_MAX)];
        self.sim().forget_lost_touch();
        if line.trim().is_empty() {
            return shell::run(self, &String::from_utf8_lossy(stdin), &[], is_joined);
        }
        shell::run(self, line, stdin, is_joined)
    }

    /// Calls a service of the system by its name and arguments, without a shell.
    pub fn abb<S: AsRef<str>>(&mut self, args: &[S], stdin: &[u8]) -> Ran {
        let words: Vec<String> = args.iter().map(|arg| arg.as_ref().to_string()).collect();
        let mut io = Io::new(Input::new(&stdin[..stdin.len().min(STDIN_MAX)]), "/".to_string());
        let code = commands::service(self, &words, &mut io);
        Ran { stdout: io.out, stderr: io.err, code }
    }

    /// What is known of the file at `path`; nothing if there is none.
    pub fn stat(&self, path: &str) -> Option<Stat> {
        self.files.stat(&resolved("/", path))
    }

    /// The files in a folder with their names, in their order.
    pub fn list(&self, path: &str) -> Result<Vec<(String, Stat)>, FileError> {
        self.files.list(&resolved("/", path))
    }

    /// The bytes of a file.
    pub fn read(&self, path: &str) -> Result<Arc<[u8]>, FileError> {
        self.files.read(&resolved("/", path))
    }

    /// Writes a file with the rights `mode`, and the folders that it needs.
    pub fn write(&mut self, path: &str, mode: u32, mtime: u64, bytes: &[u8]) -> Result<(), FileError> {
        let path = resolved("/", path);
        self.files.make_folders_for(&path, self.now_s());
        self.files.write(&path, mode, mtime, bytes.into())
    }

    /// What the display shows.
    pub fn framebuffer(&mut self) -> Framebuffer {
        let windows = self.windows();
        let display = self.shown_size();
        let screen = self.screen().ok();
        picture::draw(screen.as_deref().filter(|_| windows.is_lit), display)
    }

    /// Switches the phone off and on: apps are ended, what they have stored stays.
    pub fn reboot(&mut self) {
        for at in 0..self.apps.len() {
            self.stop(at);
        }
        if !self.windows().is_lit {
            self.light(true);
        }
        self.log.clear(|_| true);
        self.automator = None;
        self.finger = None;
        self.clip = None;
        self.uptime_ms += 30_000;
        self.quiet_ms = 0;
    }

    /// What it is by `ro.product.name`, `ro.product.model` and `ro.product.device`.
    pub fn product(&self) -> [String; 3] {
        ["farlead_sim".to_string(), "Farlead Sim".to_string(), "sim".to_string()]
    }

    /// Which Android it has.
    pub fn version(&self) -> AndroidVersion {
        self.version
    }

    /// The seconds since 1970.
    fn now_s(&self) -> u64 {
        EPOCH_S + self.uptime_ms / 1000
    }

    /// The app that is in front or behind the launcher; it runs.
    fn sim(&mut self) -> &mut Sim {
        let sim = self.apps.get_mut(self.current).and_then(|app| app.sim.as_mut());
        sim.expect("the app in front has a model")
    }

    fn windows(&self) -> Windows {
        let sim = self.apps.get(self.current).and_then(|app| app.sim.as_ref());
        sim.expect("the app in front has a model").windows()
    }

    /// Whether the app whose icon the launcher shows is still there.
    fn is_current_installed(&self) -> bool {
        self.apps.get(self.current).is_some_and(|app| app.uid != 0)
    }

    /// What is seen; of an app that was taken away the launcher shows nothing.
    fn screen(&mut self) -> Result<Arc<Screen>, DeviceError> {
        let screen = self.sim().screen()?;
        if self.is_current_installed() {
            return Ok(screen);
        }
        let root = screen.widgets().iter().take(1).cloned().collect();
        let (package, activity) = (screen.package().clone(), screen.activity().clone());
        Ok(Arc::new(Screen::new(package, activity, screen.context(), root)))
    }

    /// The display as it is turned.
    fn shown_size(&mut self) -> (u32, u32) {
        let shown = self.screen().map_or(self.windows().orientation, |screen| screen.context().orientation);
        self.sim().display().size(shown)
    }

    /// By how many quarter turns what is seen is turned.
    fn rotation(&mut self) -> u32 {
        let by_nature = self.sim().display().by_nature();
        let shown = self.screen().map_or(by_nature, |screen| screen.context().orientation);
        let wanted =
            self.setting("system", "user_rotation").and_then(|value| value.parse().ok()).unwrap_or(0);
        match (shown != by_nature, wanted) {
            (true, 3) => 3,
            (true, _) => 1,
            (false, 2) if self.setting("system", "accelerometer_rotation") == Some("0") => 2,
            (false, _) => 0,
        }
    }

    /// Does something to the app in front, and takes in what comes of it: time, and what is logged.
    fn act(
        &mut self,
        act: impl FnOnce(&mut Sim) -> Result<Observation, DeviceError>,
    ) -> Result<(), DeviceError> {
        let before_ms = self.now_of_app();
        let seen = act(self.sim());
        self.quiet_ms = 0;
        self.take_in(before_ms, seen)
    }

    fn now_of_app(&mut self) -> u64 {
        self.sim().now_ms()
    }

    fn take_in(&mut self, before_ms: u64, seen: Result<Observation, DeviceError>) -> Result<(), DeviceError> {
        let seen = match seen {
            Ok(seen) => seen,
            Err(error) => {
                self.note('E', "farlead", &error.to_string());
                return Err(error);
            }
        };
        self.uptime_ms += seen.at_ms.saturating_sub(before_ms);
        self.note_process();
        for notice in seen.notices.iter() {
            match notice {
                Notice::Toast(text) => {
                    self.note('I', "Toast", text);
                    self.automator.iter_mut().for_each(|automator| automator.hear_toast(text));
                }
                Notice::Crash(trace) => self.note_crash(trace),
                Notice::Anr(reason) => self.note_anr(reason),
            }
        }
        Ok(())
    }

    /// Gives the app in front a process, if it has come to life.
    fn note_process(&mut self) {
        let is_there = self.windows().is_in_front;
        let pid = self.next_pid;
        let Some(app) = self.apps.get_mut(self.current) else { return };
        if is_there && app.pid.is_none() {
            app.pid = Some(pid);
            app.is_fresh = false;
            let said = format!("Start proc {pid}:{}/u0a{} for activity", app.package, app.uid % 10_000);
            self.next_pid += 37;
            self.note('I', "ActivityManager", &said);
        }
    }

    fn note_crash(&mut self, trace: &str) {
        let pid = self.next_pid;
        let Some(app) = self.apps.get_mut(self.current) else { return };
        let (package, pid) = (app.package.clone(), app.pid.take().unwrap_or(pid));
        self.next_pid += 37;
        let message =
            format!("FATAL EXCEPTION: main\nProcess: {package}, PID: {pid}\n{}", log::traced(trace));
        let entry = Entry { at_ms: self.uptime_ms, pid, level: 'E', tag: "AndroidRuntime".into(), message };
        self.log.add(log::Buffer::Crash, entry.clone());
        self.log.add(log::Buffer::Main, entry);
        self.note('I', "ActivityManager", &format!("Process {package} (pid {pid}) has died: fore TOP"));
    }

    fn note_anr(&mut self, reason: &str) {
        let class = self.windows().system.map(|(_, class)| class).unwrap_or_default();
        let Some(app) = self.apps.get(self.current) else { return };
        let (package, pid) = (app.package.clone(), app.pid.unwrap_or(self.next_pid));
        let reason = if reason.is_empty() { "Input dispatching timed out" } else { reason };
        let said = format!(
            "ANR in {package} ({})\nPID: {pid}\nReason: {reason}",
            dumpsys::short_name(&package, &class)
        );
        self.note('E', "ActivityManager", &said);
    }

    /// Writes to the log of the system.
    fn note(&mut self, level: char, tag: &str, message: &str) {
        let entry =
            Entry { at_ms: self.uptime_ms, pid: 1_666, level, tag: tag.into(), message: message.to_string() };
        self.log.add(log::Buffer::System, entry);
    }

    /// Lets time pass in which nobody touches the phone.
    fn sleep(&mut self, ms: u64) -> Result<(), DeviceError> {
        let before_ms = self.now_of_app();
        let quiet_ms = self.quiet_ms;
        let seen = self.sim().sleep(ms, quiet_ms);
        self.quiet_ms = self.quiet_ms.saturating_add(ms);
        self.take_in(before_ms, seen)
    }

    /// Lights the display, or puts it out.
    fn light(&mut self, is_lit: bool) {
        // What an app does when it is paused may go wrong; the log says so.
        let _ = self.act(|sim| sim.light(is_lit));
    }

    /// Ends the process of an app and takes its windows away.
    fn stop(&mut self, at: usize) {
        let is_current = at == self.current;
        let Some(app) = self.apps.get_mut(at) else { return };
        app.pid = None;
        if is_current {
            let quiet_ms = self.quiet_ms;
            let _ = self.act(Sim::kill);
            self.quiet_ms = quiet_ms;
        } else if let Some(sim) = &mut app.sim {
            let _ = sim.kill();
        }
    }

    /// The place of the app with a package among those that are installed.
    fn app(&self, package: &str) -> Option<usize> {
        self.apps.iter().position(|app| *app.package == *package && app.uid != 0)
    }

    /// Has another app in front, or ready to be.
    fn switch_to(&mut self, at: usize) {
        if at == self.current || self.apps.get(at).is_none_or(|app| app.sim.is_none()) {
            return;
        }
        let before = self.windows();
        let display = self.sim().display();
        if before.is_in_front {
            let _ = self.act(Sim::leave);
        }
        self.current = at;
        self.sim().set_display(display);
        let now = self.windows();
        if now.orientation != before.orientation {
            let _ = self.act(Sim::turn);
        }
        if now.has_network != before.has_network {
            let _ = self.act(Sim::switch_network);
        }
        if now.is_lit != before.is_lit {
            self.light(before.is_lit);
        }
    }
}

/// The activities of an app that can be started from outside, in full.
fn launchable(app: &App) -> Vec<Arc<str>> {
    app.sim.as_ref().map(|sim| sim.app().launchable.clone()).unwrap_or_default()
}
