//! `farlead doctor`: finds what keeps farlead from using a device, and the command that mends it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use farlead::device::adb::{
    Adb, Answer, Client, DeviceState, Line, Listed, Options, Recorder, Recording, Replayed, SETTINGS_SWITCH,
    Server, TranscriptError, refuses_settings,
};
use farlead::device::webdriver::{Place, ServerStatus};
use farlead::device::{Device as _, DeviceUrl, Exec, Observation, Secrets};
use farlead::gui::Hierarchy;
use farlead::spec::{printable, shown_path};
use serde::Serialize;

use crate::lint::counted;
use crate::project::Project;
use crate::secrets::SecretTexts;
use crate::sources::Shell;
use crate::stdout::out;
use crate::{Exit, Mistake};

/// Longest waits for the answer to a question and for a dump of the screen.
const ASK: Duration = Duration::from_secs(10);
const DUMP: Duration = Duration::from_secs(30);

/// API level of the oldest Android whose screens are read.
const SDK_MIN: u32 = 16;

/// Settings of animations, which slow every look down.
const ANIMATIONS: [&str; 3] =
    ["window_animation_scale", "transition_animation_scale", "animator_duration_scale"];

/// Find what keeps farlead from using devices, with the command that mends it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead doctor
  farlead doctor --device emulator-5554
  farlead doctor --device http://127.0.0.1:4723   asks the server of Appium there how it is
  farlead doctor --json      one JSON object a line: {\"subject\":..,\"state\":\"ok|warning|error\",\"what\":..,\"fix\":..}
  farlead doctor --report phone.jsonl             writes what the device answers, for a bug report
  farlead doctor --device replay:phone.jsonl      examines the device of a report, without it

Exit codes: 0 nothing is in the way, or warnings alone; 4 something is.")]
pub struct DoctorArgs {
    /// Examine only this device, that of a transcript, `replay:FILE`, or the WebDriver server at an address
    #[arg(long, value_name = "SERIAL")]
    device: Option<String>,
    /// Write a report of one device to a new file: versions, all that farlead asked it, and its answers
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write JSON, one object a line
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    Ok,
    Warning,
    Error,
}

/// Something that was examined.
#[derive(Serialize)]
struct Finding {
    /// `adb`, or the serial number of a device.
    subject: String,
    state: Health,
    what: String,
    /// Advice for mending it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

/// All findings, each written as it is made.
struct Findings<'a> {
    args: &'a DoctorArgs,
    /// Secrets that a report does not get.
    secrets: Option<Arc<Secrets>>,
    /// Findings so far by their subject, for the report.
    about: BTreeMap<String, String>,
    is_ill: bool,
    has_report: bool,
}

impl Findings<'_> {
    fn say(&mut self, subject: &str, state: Health, what: String, fix: Option<String>) -> anyhow::Result<()> {
        self.is_ill |= state == Health::Error;
        self.about.insert(subject.to_string(), what.clone());
        let finding = Finding { subject: subject.to_string(), state, what, fix };
        let mut out = out();
        if self.args.json {
            writeln!(out, "{}", serde_json::to_string(&finding)?)?;
            return Ok(());
        }
        let word = match state {
            Health::Ok => "ok",
            Health::Warning => "warning",
            Health::Error => "error",
        };
        writeln!(out, "{word:<8} {}: {}", printable(subject), printable(&finding.what))?;
        if let Some(fix) = &finding.fix {
            writeln!(out, "         {fix}")?;
        }
        out.flush()?;
        Ok(())
    }

    fn ok(&mut self, subject: &str, what: impl Into<String>) -> anyhow::Result<()> {
        self.say(subject, Health::Ok, what.into(), None)
    }

    fn warn(&mut self, subject: &str, what: impl Into<String>, fix: impl Into<String>) -> anyhow::Result<()> {
        self.say(subject, Health::Warning, what.into(), Some(fix.into()))
    }

    fn fail(&mut self, subject: &str, what: impl Into<String>, fix: impl Into<String>) -> anyhow::Result<()> {
        self.say(subject, Health::Error, what.into(), Some(fix.into()))
    }
}

pub fn run(args: &DoctorArgs, _: &Shell) -> anyhow::Result<Exit> {
    let secrets = match &args.report {
        Some(_) => SecretTexts::of(&Project::find()?)?.read()?,
        None => None,
    };
    let mut found = Findings { args, secrets, about: BTreeMap::new(), is_ill: false, has_report: false };
    match args.device.as_deref().map(DeviceUrl::parse) {
        // A transcript needs no adb.
        Some(DeviceUrl::Replay(path, order)) => {
            let line = Replayed::in_order(&path, order).map_err(refused)?;
            examine(&mut found, line)?;
        }
        Some(DeviceUrl::Browser(place)) => look_at_browser(&mut found, &place)?,
        Some(DeviceUrl::Program(command)) => match Exec::start(&command) {
            Ok(device) => found.ok("program", format!("{} shows {}", command, device.app().package))?,
            Err(error) => {
                let fix = "docs/devices-exec.md says what a program answers".to_string();
                found.say("program", Health::Error, error.to_string(), Some(fix))?;
            }
        },
        Some(DeviceUrl::Simulator | DeviceUrl::Serial(_)) | None => {
            look_at_adb(&mut found)?;
            // Without a server there is nothing to ask about devices.
            if let Some(server) = look_at_server(&mut found)? {
                look_at_devices(&mut found, &server)?;
            }
        }
    }
    if args.report.is_some() && !found.has_report {
        found.fail("report", "there is none: no device was asked", "mend the errors above, and try again")?;
    }
    Ok(if found.is_ill { Exit::Environment } else { Exit::Passed })
}

fn refused(error: TranscriptError) -> Mistake {
    Mistake::new(error.to_string())
}

/// Examines a device that can be asked, and writes the report if one is wanted.
fn examine(found: &mut Findings<'_>, mut line: impl Line + 'static) -> anyhow::Result<()> {
    let Some(path) = found.args.report.clone() else { return look_inside(found, &mut line) };
    let mut about = found.about.clone();
    about.insert("farlead".to_string(), env!("CARGO_PKG_VERSION").to_string());
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    about.insert("system".to_string(), system);
    let recording = Recording { path: path.clone(), secrets: found.secrets.clone() };
    let mut line = Recorder::about(line, &recording, about).map_err(refused)?;
    found.has_report = true;
    look_inside(found, &mut line)?;
    let serial = line.serial().to_string();
    // A look asks more than was asked so far, so that it can be repeated from the report.
    let seen =
        Adb::to_look(Box::new(line), Options::default()).map_err(Into::into).and_then(|mut adb| adb.look());
    match seen {
        Ok(Observation { screen, .. }) => {
            found.ok(&serial, format!("`farlead look` sees `{}`", screen.activity()))?;
        }
        Err(error) => {
            found.warn(&serial, format!("`farlead look` fails: {error}"), "the report has what it asked")?;
        }
    }
    let holds = format!(
        "{} has the versions of farlead, adb and this system, all that farlead asked the device, and its answers",
        shown_path(&path)
    );
    found.say("report", Health::Ok, holds, Some(TO_CHECK.to_string()))
}

const TO_CHECK: &str = "read it before you send it: it has the texts of the screen, names of apps, the serial number, and crashes in \
                        the device's log; farlead cuts only the secrets that farlead.toml names";

fn look_at_adb(found: &mut Findings<'_>) -> anyhow::Result<()> {
    match Command::new("adb").arg("version").output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let line = |start: &str| said.lines().find(|line| line.starts_with(start)).unwrap_or_default();
            let parts = [line("Android Debug Bridge"), line("Version")];
            let said = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
            found.ok("adb", said)
        }
        // Only a warning: a running server works without the program.
        Err(error) => found.warn(
            "adb",
            format!("the program cannot be run: {error}"),
            "install Android's platform-tools (Debian: `apt install adb`), and put adb into PATH",
        ),
    }
}

fn look_at_browser(found: &mut Findings<'_>, place: &Place) -> anyhow::Result<()> {
    let browser = match place {
        Place::Here(browser) => browser,
        Place::At(address) => return look_at_web_driver(found, address),
    };
    let driver = browser.driver();
    match Command::new(driver).arg("--version").output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            found.ok(driver, said.lines().next().unwrap_or_default().to_string())
        }
        Err(error) => {
            let what = format!("the program cannot be run: {error}");
            found.say(driver, Health::Error, what, Some(browser.advice().to_string()))
        }
    }
}

/// Examines a WebDriver server, which may be one of browsers or of phones.
fn look_at_web_driver(found: &mut Findings<'_>, address: &str) -> anyhow::Result<()> {
    const FIX: &str =
        "start it, like `npx appium` or `chromedriver --port=4444`; docs/appium.md and docs/web.md say more";
    match ServerStatus::ask(address) {
        Ok(ServerStatus { is_ready, version, message, slots }) => {
            let named = if version.is_empty() { String::new() } else { format!(", version {version}") };
            let said = if message.is_empty() { String::new() } else { format!(": {message}") };
            let room = slots.map_or(String::new(), |slots| format!("; {}", counted(slots, "slot")));
            let what = format!("answers{named}{said}{room}");
            if is_ready {
                return found.ok("server", what);
            }
            found.warn("server", what, "it begins no session now: end another one, or wait")
        }
        Err(error) => found.fail("server", error.to_string(), FIX),
    }
}

fn look_at_server(found: &mut Findings<'_>) -> anyhow::Result<Option<Server>> {
    let server = Server::running(|name| std::env::var(name).ok());
    match server.and_then(|server| Ok((server.version()?, server))) {
        Ok((version, server)) => {
            found.ok("adb server", format!("version {version}, at {}", server.address()))?;
            Ok(Some(server))
        }
        Err(error) => {
            let fix =
                "`adb start-server` says more; ANDROID_ADB_SERVER_PORT and ADB_SERVER_SOCKET say where it is";
            found.fail("adb server", error.to_string(), fix)?;
            Ok(None)
        }
    }
}

fn look_at_devices(found: &mut Findings<'_>, server: &Server) -> anyhow::Result<()> {
    let listed = match server.devices() {
        Ok(listed) => listed,
        Err(error) => return found.fail("adb server", error.to_string(), "`adb kill-server`, and try again"),
    };
    let meant = |one: &&Listed| found.args.device.as_ref().is_none_or(|serial| *serial == one.serial);
    let meant: Vec<&Listed> = listed.iter().filter(meant).collect();
    if meant.is_empty() {
        let (what, fix) = match &found.args.device {
            Some(serial) => {
                (format!("there is no `{serial}`"), format!("`adb connect {serial}`, or plug it in"))
            }
            None => ("none is connected".to_string(), NO_DEVICE.to_string()),
        };
        return found.fail("devices", what, fix);
    }
    if found.args.report.is_some() && meant.len() > 1 {
        let serials: Vec<&str> = meant.iter().map(|one| &*one.serial).collect();
        let what =
            format!("a report is of one device, and {} are connected: {}", meant.len(), serials.join(", "));
        return found.fail("devices", what, "name one with --device");
    }
    for one in meant {
        look_at(found, server, one)?;
    }
    Ok(())
}

const NO_DEVICE: &str = "plug one in with USB debugging allowed (Settings, Developer options), start an emulator, or `adb connect \
                         HOST:PORT`; a simulated one: `farlead sim apps/notes.app`";

fn look_at(found: &mut Findings<'_>, server: &Server, listed: &Listed) -> anyhow::Result<()> {
    let serial = &listed.serial;
    let fix = match &listed.state {
        DeviceState::Device => return examine(found, Client::new(server.clone(), serial)),
        DeviceState::Offline => format!("replug it, or `adb -s {serial} reconnect`"),
        DeviceState::Unauthorized => "unlock it, and allow USB debugging in its dialog".to_string(),
        DeviceState::Authorizing | DeviceState::Connecting => "try again in a moment".to_string(),
        DeviceState::NoPermissions => {
            "add udev rules for it (Debian: `apt install android-sdk-platform-tools-common`), and replug it"
                .to_string()
        }
        DeviceState::Other(_) => format!("`adb -s {serial} reboot` starts Android on it"),
    };
    found.fail(serial, format!("its state is `{}`", listed.state), fix)
}

fn look_inside(found: &mut Findings<'_>, line: &mut dyn Line) -> anyhow::Result<()> {
    let serial = line.serial().to_string();
    let mut questions =
        "getprop ro.build.version.release; getprop ro.build.version.sdk; getprop sys.boot_completed"
            .to_string();
    for name in ANIMATIONS {
        questions.push_str(&format!("; settings get global {name}"));
    }
    // Only a change shows that changes are refused; this one is of a setting that nobody reads.
    questions
        .push_str("; settings put global farlead_probe 1 2>&1; settings delete global farlead_probe 2>&1");
    // All questions in one round trip, whose time is a finding too.
    let begun = Instant::now();
    let answer = match line.shell(&questions, ASK) {
        Ok(answer) => text(&answer),
        Err(error) => return found.fail(&serial, error.to_string(), format!("`adb -s {serial} reconnect`")),
    };
    let round_trip = begun.elapsed();
    let mut lines = answer.lines().map(str::trim);
    let mut next = || lines.next().unwrap_or_default();
    let (release, sdk, is_booted) = (next(), next(), next() == "1");
    match sdk.parse::<u32>() {
        Ok(level) if level < SDK_MIN => found.fail(
            &serial,
            format!("Android {release} (API {sdk})"),
            "its screens cannot be read; Android 4.1 is the oldest",
        )?,
        Ok(_) => found
            .ok(&serial, format!("Android {release} (API {sdk}), {} ms a command", round_trip.as_millis()))?,
        Err(_) => found.warn(
            &serial,
            "it does not say its version",
            format!("`adb -s {serial} shell getprop` should"),
        )?,
    }
    if !is_booted {
        found.warn(
            &serial,
            "it has not booted yet",
            format!("`adb -s {serial} wait-for-device`, and wait for its launcher"),
        )?;
    }
    // A setting that nobody has touched answers `null`, and the animation is on.
    let moves = ANIMATIONS.into_iter().filter(|_| !matches!(next(), "0" | "0.0")).count() > 0;
    let said = if moves {
        "animations are on; farlead switches them off while it runs"
    } else {
        "animations are off"
    };
    found.ok(&serial, said)?;
    if refuses_settings(&answer) {
        found.warn(&serial, "it refuses changes of settings, and touches may fail, too", SETTINGS_SWITCH)?;
    }
    look_at_screen(found, line, &serial)
}

/// Examines whether the device gives a dump of its screen, and how long that takes.
fn look_at_screen(found: &mut Findings<'_>, line: &mut dyn Line, serial: &str) -> anyhow::Result<()> {
    let begun = Instant::now();
    let dump = match line.shell("uiautomator dump /dev/tty", DUMP) {
        Ok(answer) => [answer.stdout, answer.stderr].concat(),
        Err(error) => {
            return found.fail(serial, format!("no dump of its screen: {error}"), "restart the device");
        }
    };
    let took = begun.elapsed().as_millis();
    match Hierarchy::read(&dump) {
        Ok(read) => found.ok(serial, format!("its screen is read: {} widgets in {took} ms", read.widgets.len())),
        Err(error) => found.fail(
            serial,
            format!("its screen cannot be read: {error}"),
            "wake and unlock it; stop videos, animations, and other programs that read its screen (Appium, uiautomator2)",
        ),
    }
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.stdout).into_owned()
}
