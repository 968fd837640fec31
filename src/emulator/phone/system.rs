//! The phone's system: the apps on it, the one in front, its clock, and its log.
//!
//! Everything else in this folder acts upon this state, and this file knows none of it. Looking changes nothing, and
//! time passes by actions and sleep alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::clock::EPOCH_S;
use super::faults::Faults;
use super::files::{FileError, Files, Stat, resolved};
use super::kernel::{Finger, Form, Readers};
use super::log::{Buffer, Entry, Log};
use super::names::{LAUNCHER, short_name};
use super::servers::{Automator, Server};
use super::settings::Settings;
use super::version::AndroidVersion;
use crate::device::sim::Windows;
use crate::device::sim::model::{Display, Model};
use crate::device::{Device, DeviceError, Notice, Observation, Sim};
use crate::emulator::adbd::Ran;
use crate::gui::Screen;
use crate::rng::Seed;

/// User id of the first app that is installed.
const FIRST_UID: u32 = 10_100;

/// Distance between the pids of two processes: a phone starts others in between.
const PID_STEP: u32 = 37;

/// Pid of the system's own process.
pub(super) const SYSTEM_PID: u32 = 1_666;

/// Pid of the launcher.
pub(super) const LAUNCHER_PID: u32 = 2_000;

/// Last output of `am instrument -w` whose process was killed.
const CRASHED: &str = "INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n";

/// An installed app.
#[derive(Clone, Debug)]
pub(super) struct App {
    pub package: Arc<str>,
    pub version: Arc<str>,
    pub version_code: u32,
    /// 0 once the app was uninstalled.
    pub uid: u32,
    /// The running model; an app without one is listed and does nothing.
    pub sim: Option<Sim>,
    pub model: Option<Arc<Model>>,
    /// True until the first start after the app was installed or cleared.
    pub is_fresh: bool,
    pub pid: Option<u32>,
    pub is_of_system: bool,
}

impl App {
    /// Returns the activities that can be started from outside, in full.
    pub fn launchable(&self) -> Vec<Arc<str>> {
        self.sim.as_ref().map(|sim| sim.app().launchable.clone()).unwrap_or_default()
    }
}

/// An installation under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    /// The files so far; one of them must be an APK with a model.
    pub parts: Vec<Arc<[u8]>>,
}

/// A simulated phone with an app on it.
///
/// ```
/// use std::sync::Arc;
///
/// use farlead::device::sim::read;
/// use farlead::emulator::phone::{AndroidVersion, Phone};
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
    pub(super) version: AndroidVersion,
    pub(super) seed: Seed,
    pub(super) apps: Vec<App>,
    /// Index of the app in front, or behind the launcher; it always has a model.
    pub(super) current: usize,
    pub(super) files: Files,
    pub(super) settings: Settings,
    pub(super) log: Log,
    pub(super) sessions: BTreeMap<u32, Session>,
    pub(super) next_session: u32,
    next_pid: u32,
    /// Time since it was switched on.
    pub(super) uptime_ms: u64,
    /// Time since the last touch.
    quiet_ms: u64,
    /// The display of the model, before any `wm` command.
    pub(super) display: Display,
    /// Position of the finger, while it is down.
    pub(super) finger: Option<(i32, i32)>,
    pub(super) automator: Option<Automator>,
    /// Pid of the server that the last command started, until its stream takes it.
    pub(super) started_server: Option<u32>,
    /// The commands that run on and read events of the touch screen.
    pub(super) readers: Readers,
    /// The finger that events of the touch screen tell of.
    pub(super) hand: Finger,
    /// Pid, last output and status of the server that ended last.
    ended_server: Option<(u32, Ran)>,
    pub(super) clipboard: Option<String>,
    pub(super) faults: Faults,
    /// True if its adb has no features: no `cmd`, and no exit codes on the wire.
    pub(super) is_adb_old: bool,
}

impl Phone {
    /// Returns a phone on which the app of `model` is installed, with the launcher in front.
    ///
    /// Its chance depends on the seed and on the actions, never on looks.
    pub fn new(model: Arc<Model>, seed: Seed, version: AndroidVersion) -> Phone {
        let display = model.settings.display;
        let mut phone = Phone {
            version,
            seed,
            apps: Vec::new(),
            current: 0,
            files: Files::new(EPOCH_S),
            settings: Settings::default(),
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
            readers: Readers::default(),
            hand: Finger::default(),
            ended_server: None,
            clipboard: None,
            faults: Faults::default(),
            is_adb_old: false,
        };
        phone.install_system();
        // No command reads this APK back, but for its size and its first bytes.
        phone.install_model(model, Arc::from(&b"PK"[..]));
        phone.current = phone.apps.len() - 1;
        phone.note_start_of_launcher();
        phone
    }

    /// Returns the phone with faults.
    pub fn with_faults(mut self, faults: Faults) -> Phone {
        self.faults = faults;
        self
    }

    /// Returns the phone with an adb from before features: without `cmd`, and without exit codes on the wire.
    pub fn with_old_adb(mut self) -> Phone {
        self.is_adb_old = true;
        self
    }

    /// Returns the facts of the file at `path`, if there is one.
    pub fn stat(&self, path: &str) -> Option<Stat> {
        self.files.stat(&resolved("/", path))
    }

    /// Returns the files in a folder with their names, in the order of names.
    pub fn list(&self, path: &str) -> Result<Vec<(String, Stat)>, FileError> {
        self.files.list(&resolved("/", path))
    }

    /// Returns the bytes of a file.
    pub fn read(&self, path: &str) -> Result<Arc<[u8]>, FileError> {
        self.files.read(&resolved("/", path))
    }

    /// Writes a file with the rights `mode`, and the folders that it needs.
    pub fn write(&mut self, path: &str, mode: u32, mtime: u64, bytes: &[u8]) -> Result<(), FileError> {
        let path = resolved("/", path);
        self.files.make_folders_for(&path, self.now_s());
        self.files.write(&path, mode, mtime, bytes.into())
    }

    /// Switches the phone off and on: processes end, stored data stays.
    pub fn reboot(&mut self) {
        for at in 0..self.apps.len() {
            self.stop(at);
        }
        if !self.windows().is_lit {
            self.set_lit(true);
        }
        // Android keeps its log in memory alone.
        self.log.clear(|_| true);
        self.automator = None;
        self.readers.clear();
        (self.finger, self.hand) = (None, Finger::default());
        self.clipboard = None;
        // A reboot takes half a minute of virtual time.
        self.uptime_ms += 30_000;
        self.quiet_ms = 0;
        self.note_start_of_launcher();
    }

    /// Notes the first app that Android starts.
    fn note_start_of_launcher(&mut self) {
        let said = format!("Start proc {LAUNCHER_PID}:{}/u0a20 for activity", LAUNCHER.0);
        self.note('I', "ActivityManager", &said);
    }

    /// Returns `ro.product.name`, `ro.product.model` and `ro.product.device`.
    pub fn product(&self) -> [String; 3] {
        ["farlead_sim".to_string(), "Farlead Sim".to_string(), "sim".to_string()]
    }

    /// Returns its version of Android.
    pub fn version(&self) -> AndroidVersion {
        self.version
    }

    /// Returns the seconds since 1970.
    pub(super) fn now_s(&self) -> u64 {
        EPOCH_S + self.uptime_ms / 1000
    }

    /// Returns the model in front or behind the launcher.
    pub(super) fn sim(&mut self) -> &mut Sim {
        let sim = self.apps.get_mut(self.current).and_then(|app| app.sim.as_mut());
        sim.expect("the app in front has a model")
    }

    pub(super) fn windows(&self) -> Windows {
        let sim = self.apps.get(self.current).and_then(|app| app.sim.as_ref());
        sim.expect("the app in front has a model").windows()
    }

    /// Returns true unless the app behind the launcher was uninstalled.
    pub(super) fn is_current_installed(&self) -> bool {
        self.apps.get(self.current).is_some_and(|app| app.uid != 0)
    }

    /// Returns the screen; an uninstalled app leaves the empty launcher.
    pub(super) fn screen(&mut self) -> Result<Arc<Screen>, DeviceError> {
        let screen = self.sim().screen()?;
        if self.is_current_installed() {
            return Ok(screen);
        }
        // The launcher's icon is the way into the app, so it goes with the app.
        let root = screen.widgets().iter().take(1).cloned().collect();
        Ok(Arc::new(screen.with_widgets(root)))
    }

    /// Returns width and height of the display as it is turned.
    pub(super) fn shown_size(&mut self) -> (u32, u32) {
        let shown = self.screen().map_or(self.windows().orientation, |screen| screen.context().orientation);
        self.sim().display().size(shown)
    }

    /// Returns the number of quarter turns of the screen.
    pub(super) fn rotation(&mut self) -> u32 {
        let by_nature = self.sim().display().by_nature();
        let shown = self.screen().map_or(by_nature, |screen| screen.context().orientation);
        let wanted =
            self.settings.get("system", "user_rotation").and_then(|value| value.parse().ok()).unwrap_or(0);
        // The simulator knows upright and turned; the settings tell left from right, and upside down.
        match (shown != by_nature, wanted) {
            (true, 3) => 3,
            (true, _) => 1,
            (false, 2) if self.settings.get("system", "accelerometer_rotation") == Some("0") => 2,
            (false, _) => 0,
        }
    }

    /// Applies `act` to the app in front, and takes note of the time that passes and of the notices.
    pub(super) fn act(
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
        // Each app's clock starts with the app, so the phone's clock adds up their differences.
        self.uptime_ms += seen.at_ms.saturating_sub(before_ms);
        self.note_process();
        for notice in seen.notices.iter() {
            match notice {
                Notice::Toast(text) => {
                    self.note('I', "Toast", text);
                    if let Some(automator) = &mut self.automator {
                        automator.toast = Some(text.to_string());
                    }
                }
                Notice::Crash(trace) => self.note_crash(trace),
                Notice::Anr(reason) => self.note_anr(reason),
                // Devices answer prompts, and no app does.
                Notice::Prompt(_) | Notice::Field(_) => {}
            }
        }
        Ok(())
    }

    /// Takes the next pid.
    pub(super) fn take_pid(&mut self) -> u32 {
        let pid = self.next_pid;
        self.next_pid += PID_STEP;
        pid
    }

    /// Gives the app in front a process, if it has started.
    fn note_process(&mut self) {
        // A process starts with the first activity in front, whatever brought it there.
        let is_there = self.windows().is_in_front;
        let pid = self.next_pid;
        let Some(app) = self.apps.get_mut(self.current) else { return };
        if is_there && app.pid.is_none() {
            app.pid = Some(pid);
            app.is_fresh = false;
            let said = format!("Start proc {pid}:{}/u0a{} for activity", app.package, app.uid % 10_000);
            self.take_pid();
            self.note('I', "ActivityManager", &said);
        }
    }

    fn note_crash(&mut self, trace: &str) {
        let next_pid = self.take_pid();
        let Some(app) = self.apps.get_mut(self.current) else { return };
        let (package, pid) = (app.package.clone(), app.pid.take().unwrap_or(next_pid));
        let message = format!("FATAL EXCEPTION: main\nProcess: {package}, PID: {pid}\n{trace}");
        let entry = Entry { at_ms: self.uptime_ms, pid, level: 'E', tag: "AndroidRuntime".into(), message };
        // Readers look in either buffer, and Android writes both.
        self.log.add(Buffer::Crash, entry.clone());
        self.log.add(Buffer::Main, entry);
        self.note('I', "ActivityManager", &format!("Process {package} (pid {pid}) has died: fore TOP"));
    }

    fn note_anr(&mut self, reason: &str) {
        let class = self.windows().system.map(|(_, class)| class).unwrap_or_default();
        let Some(app) = self.apps.get(self.current) else { return };
        let (package, pid) = (app.package.clone(), app.pid.unwrap_or(self.next_pid));
        let reason = if reason.is_empty() { "Input dispatching timed out" } else { reason };
        let said =
            format!("ANR in {package} ({})\nPID: {pid}\nReason: {reason}", short_name(&package, &class));
        self.note('E', "ActivityManager", &said);
    }

    /// Writes to the system's log.
    pub(super) fn note(&mut self, level: char, tag: &str, message: &str) {
        let (tag, message) = (tag.into(), message.to_string());
        self.log.add(Buffer::System, Entry { at_ms: self.uptime_ms, pid: SYSTEM_PID, level, tag, message });
    }

    /// Lets time pass without a touch.
    pub(super) fn sleep(&mut self, ms: u64) -> Result<(), DeviceError> {
        let before_ms = self.now_of_app();
        let quiet_ms = self.quiet_ms;
        let seen = self.sim().sleep(ms, quiet_ms);
        // Sleeping is no touch, so the time until the display goes dark runs on.
        self.quiet_ms = self.quiet_ms.saturating_add(ms);
        self.take_in(before_ms, seen)
    }

    /// Lights the display, or puts it out.
    pub(super) fn set_lit(&mut self, is_lit: bool) {
        // An app that is paused may fail; the log has its error.
        let _ = self.act(|sim| sim.light(is_lit));
    }

    /// Changes a setting, and the phone with it.
    pub(super) fn set(&mut self, namespace: &str, key: &str, value: Option<&str>) {
        let is_set = self.settings.set(namespace, key, value);
        if is_set && matches!(key, "accelerometer_rotation" | "user_rotation") {
            self.hold_as_set();
        }
    }

    /// Holds the phone as the settings say: upright, unless the sensor is off and another rotation is set.
    pub(super) fn hold_as_set(&mut self) {
        let is_sensed = self.settings.get("system", "accelerometer_rotation") != Some("0");
        let is_turned = matches!(self.settings.get("system", "user_rotation"), Some("1" | "3")) && !is_sensed;
        let by_nature = self.sim().display().by_nature();
        let wanted = if is_turned { by_nature.turned() } else { by_nature };
        if self.windows().orientation != wanted {
            let _ = self.act(Sim::turn);
        }
    }

    /// Turns the sensor off and sets a rotation in its place.
    pub(super) fn lock_rotation(&mut self, rotation: &str) {
        self.set("system", "user_rotation", Some(rotation));
        self.set("system", "accelerometer_rotation", Some("0"));
    }

    /// Connects the phone to a network, unless it is in airplane mode or both of its radios are off.
    pub(super) fn connect_as_set(&mut self) {
        let is_off = |key: &str| self.settings.get("global", key) == Some("0");
        let has_none = is_off("wifi_on") && is_off("mobile_data");
        let is_there = self.settings.get("global", "airplane_mode_on") != Some("1") && !has_none;
        if self.windows().has_network != is_there {
            let _ = self.act(Sim::switch_network);
        }
    }

    /// Ends the process of an app and closes its windows.
    pub(super) fn stop(&mut self, at: usize) {
        let is_current = at == self.current;
        let Some(app) = self.apps.get_mut(at) else { return };
        app.pid = None;
        if is_current {
            // The end of a process is no touch, so the display's timeout goes on.
            let quiet_ms = self.quiet_ms;
            let _ = self.act(Sim::kill);
            self.quiet_ms = quiet_ms;
        } else if let Some(sim) = &mut app.sim {
            let _ = sim.kill();
        }
    }

    /// Returns the index of an installed app.
    pub(super) fn app(&self, package: &str) -> Option<usize> {
        self.apps.iter().position(|app| *app.package == *package && app.uid != 0)
    }

    /// Returns the class that the launcher starts of a package, if it is installed.
    pub(super) fn main_class(&self, package: &str) -> Option<Arc<str>> {
        self.apps[self.app(package)?].launchable().first().cloned()
    }

    /// Makes another app the current one; the way the phone is held and lit stays.
    pub(super) fn switch_to(&mut self, at: usize) {
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
        // Each app's simulator has a phone of its own; the new one is brought to the state of the old.
        if now.orientation != before.orientation {
            let _ = self.act(Sim::turn);
        }
        if now.has_network != before.has_network {
            let _ = self.act(Sim::switch_network);
        }
        if now.is_lit != before.is_lit {
            self.set_lit(before.is_lit);
        }
    }

    fn install_system(&mut self) {
        for (at, package) in
            ["android", LAUNCHER.0, "com.android.settings", "com.android.systemui"].iter().enumerate()
        {
            self.apps.push(App {
                package: (*package).into(),
                version: self.version.release().into(),
                version_code: self.version.sdk(),
                uid: 1_000 + at as u32,
                sim: None,
                model: None,
                is_fresh: false,
                pid: None,
                is_of_system: true,
            });
        }
    }

    /// Installs the app of a model, in place of another of the same package.
    pub(super) fn install_model(&mut self, model: Arc<Model>, apk: Arc<[u8]>) {
        let mut sim = Sim::new(model.clone(), self.seed);
        // The display is the phone's, whatever the model says, once there is a phone.
        if self.apps.get(self.current).is_some_and(|app| app.sim.is_some()) {
            let display = self.sim().display();
            sim.set_display(display);
        }
        let (package, version) = (model.package.clone(), model.version.clone());
        let app = self.new_app(package, version, 1);
        self.put_app(App { sim: Some(sim), model: Some(model), ..app }, apk);
    }

    /// Installs an app without a model, which does nothing.
    pub(super) fn install_empty(
        &mut self,
        package: Arc<str>,
        version: Arc<str>,
        version_code: u32,
        apk: Arc<[u8]>,
    ) {
        let app = self.new_app(package, version, version_code);
        self.put_app(app, apk);
    }

    fn new_app(&self, package: Arc<str>, version: Arc<str>, version_code: u32) -> App {
        App {
            package,
            version,
            version_code,
            uid: FIRST_UID + self.apps.len() as u32,
            sim: None,
            model: None,
            is_fresh: true,
            pid: None,
            is_of_system: false,
        }
    }

    fn put_app(&mut self, mut app: App, apk: Arc<[u8]>) {
        let path = apk_path(&app.package);
        self.files.install(&path, self.now_s(), apk);
        let Some(at) = self.apps.iter().position(|other| other.package == app.package) else {
            self.apps.push(app);
            return;
        };
        let is_current = at == self.current && self.apps[at].sim.is_some() && app.sim.is_some();
        let before = is_current.then(|| self.windows());
        // An update keeps the user id; an uninstalled app comes back with a new one.
        if self.apps[at].uid != 0 {
            app.uid = self.apps[at].uid;
        }
        self.apps[at] = app;
        // The new app's simulator is brought to the state of the phone.
        if let Some(before) = before {
            let now = self.windows();
            if now.orientation != before.orientation {
                let _ = self.act(Sim::turn);
            }
            if now.has_network != before.has_network {
                let _ = self.act(Sim::switch_network);
            }
            if !before.is_lit {
                self.set_lit(false);
            }
        }
    }

    /// Takes the server that the last command started, if it started one.
    pub(super) fn take_server(&mut self) -> Option<u32> {
        self.started_server.take()
    }

    /// Keeps a command running that reads events of the touch screen, until its stream ends.
    pub(super) fn start_reader(&mut self, form: Form) {
        let pid = self.take_pid();
        self.readers.start(pid, form);
        self.started_server = Some(pid);
    }

    /// Takes what a running command has to print.
    pub(super) fn server_output(&mut self, pid: u32) -> Vec<u8> {
        self.readers.take(pid)
    }

    /// Ends the server with this pid; returns true if it was running.
    pub(super) fn end_server(&mut self, pid: u32) -> bool {
        let automator = self.automator.as_ref().filter(|automator| automator.pid == pid);
        let last = match automator.map(|automator| &automator.server) {
            Some(Server::Uiautomator2) => {
                Ran { stderr: b"Terminated \n".to_vec(), code: 143, ..Ran::default() }
            }
            Some(Server::Appium(_)) => Ran { stdout: CRASHED.into(), ..Ran::default() },
            None => return self.readers.end(pid),
        };
        self.stop_automator(last);
        true
    }

    /// Ends the server that looks at the screen; `last` is the last output of its command.
    pub(super) fn stop_automator(&mut self, last: Ran) {
        if let Some(automator) = self.automator.take() {
            self.ended_server = Some((automator.pid, last));
        }
    }

    /// Returns the last output of a server that has ended; nothing while it runs.
    pub(super) fn ended_server(&mut self, pid: u32) -> Option<Ran> {
        let runs = self.automator.as_ref().is_some_and(|automator| automator.pid == pid);
        if runs || self.readers.runs(pid) {
            return None;
        }
        self.readers.end(pid);
        let last = self.ended_server.take_if(|(ended, _)| *ended == pid);
        Some(last.map(|(_, last)| last).unwrap_or_default())
    }

    /// Returns the words that the server was started with, if `path` is `cmdline` of its process.
    pub(super) fn command_line(&self, path: &str) -> Option<Vec<u8>> {
        let pid: u32 = path.strip_prefix("/proc/")?.strip_suffix("/cmdline")?.parse().ok()?;
        let automator = self.automator.as_ref().filter(|automator| automator.pid == pid)?;
        Some(match automator.server {
            Server::Uiautomator2 => {
                format!("app_process\0/\0{}\0-p\0{}\0", Automator::CLASS, automator.port).into_bytes()
            }
            Server::Appium(_) => format!("{}\0", Automator::APPIUM).into_bytes(),
        })
    }
}

/// Returns the path of a package's APK.
pub(super) fn apk_path(package: &str) -> String {
    format!("/data/app/{package}-1/base.apk")
}
