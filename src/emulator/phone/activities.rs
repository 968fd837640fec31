//! `am`, `monkey`, `ps`, `pidof` and `kill`: starts and ends of apps, and processes.

use std::fmt::Write as _;

use super::io::{Io, shown};
use super::names::{LAUNCHER, component, short_name};
use super::servers::{Automator, Server};
use super::system::{LAUNCHER_PID, Phone, SYSTEM_PID};
use super::version::AndroidVersion;
use crate::device::sim::apk::Manifest;
use crate::device::{DeviceError, Sim};

const MAIN: &str = "android.intent.action.MAIN";

/// `am`: the activity manager.
pub(super) fn am(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let Some((command, rest)) = args.split_first() else {
        io.say("Activity manager (activity) commands:\n  help\n  start-activity [-D] [-W] [-S] <INTENT>\n  force-stop <PACKAGE>");
        return 1;
    };
    match command.as_str() {
        "start" | "start-activity" => start(phone, rest, io),
        "force-stop" | "kill" | "kill-all" => {
            let package = rest.iter().rfind(|word| !word.starts_with('-')).map_or("", String::as_str);
            let is_soft = command != "force-stop";
            if package.is_empty() && command != "kill-all" {
                return io.complain("Error: Argument expected after \"force-stop\"");
            }
            // The server and its tests live in one process.
            let serves = [Automator::APPIUM, "io.appium.uiautomator2.server.test"].contains(&package);
            if let Some(Automator { pid, server: Server::Appium(_), .. }) = &phone.automator
                && serves
            {
                let pid = *pid;
                phone.end_server(pid);
            }
            if let Some(at) = phone.app(package) {
                // `kill` spares the app in front.
                if !is_soft || at != phone.current || !phone.windows().is_in_front {
                    phone.stop(at);
                }
            }
            0
        }
        "broadcast" => broadcast(phone, rest, io),
        "get-current-user" => io.answer("0"),
        "get-config" => io.answer("config: en-rUS-ldltr-v33\nabi: x86_64"),
        // Clients send these before they start; nothing here depends on them.
        "stack" | "task" | "set-debug-app" | "clear-debug-app" | "wait-for-broadcast-idle" => 0,
        "startservice" | "start-service" | "start-foreground-service" | "stopservice" => {
            io.say(&format!("Starting service: {}", rest.join(" ")));
            io.complain("Error: Not found; no service started.")
        }
        "instrument" => instrument(phone, rest, io),
        command => {
            io.complain(&format!("Unknown command: {}", shown(command)));
            255
        }
    }
}

/// Port of Appium's server.
const APPIUM_PORT: u16 = 6_790;

/// `am instrument`: starts Appium's server. Whether its packages are installed does not count: they are never run.
fn instrument(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let name = args.last().map_or("", String::as_str);
    if name != Automator::INSTRUMENTATION {
        io.say("INSTRUMENTATION_STATUS: id=ActivityManagerService");
        io.say(&format!(
            "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: ComponentInfo{{{}}}",
            shown(name)
        ));
        io.say("INSTRUMENTATION_STATUS_CODE: -1");
        return io
            .complain(&format!("android.util.AndroidException: INSTRUMENTATION_FAILED: {}", shown(name)));
    }
    match &phone.automator {
        Some(Automator { server: Server::Uiautomator2, .. }) => {
            io.say("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0");
            return 0;
        }
        // Android kills the target of an instrumentation before it starts it.
        Some(Automator { pid, server: Server::Appium(_), .. }) => {
            let pid = *pid;
            phone.end_server(pid);
        }
        None => {}
    }
    let pid = phone.take_pid();
    let server = Server::Appium(Box::default());
    phone.automator = Some(Automator { pid, port: APPIUM_PORT, toast: None, server });
    let said = format!("Start proc {pid}:{}/u0a90 for added application", Automator::APPIUM);
    phone.note('I', "ActivityManager", &said);
    if args.iter().any(|word| word == "-w") {
        phone.started_server = Some(pid);
    }
    0
}

/// The intent of a command line.
#[derive(Default)]
struct Intent {
    action: String,
    categories: Vec<String>,
    data: String,
    component: String,
    package: String,
    has_extras: bool,
    waits: bool,
    stops_first: bool,
}

impl Intent {
    fn read(args: &[String]) -> Intent {
        let mut intent = Intent::default();
        let mut rest = args.iter();
        while let Some(word) = rest.next() {
            let mut value = || rest.next().cloned().unwrap_or_default();
            match word.as_str() {
                "-W" => intent.waits = true,
                "-S" => intent.stops_first = true,
                "-a" => intent.action = value(),
                "-c" => intent.categories.push(value()),
                "-d" => intent.data = value(),
                "-n" => intent.component = value(),
                "-p" => intent.package = value(),
                "-f" | "-t" | "-R" | "--user" | "--display" | "--windowingMode" | "--activityType" => {
                    drop(value())
                }
                "--esn" => {
                    intent.has_extras = true;
                    value();
                }
                word if word.starts_with("--e") || word == "-e" => {
                    intent.has_extras = true;
                    value();
                    value();
                }
                word if word.starts_with('-') => {}
                word if word.contains(':') => intent.data = word.to_string(),
                word if word.contains('/') => intent.component = word.to_string(),
                word => intent.package = word.to_string(),
            }
        }
        intent
    }

    fn shown(&self) -> String {
        let mut text = "Intent {".to_string();
        let mut part = |name: &str, value: &str| {
            let _ = write!(text, " {name}={}", shown(value));
        };
        let action = if self.action.is_empty() && self.component.is_empty() { MAIN } else { &self.action };
        if !action.is_empty() {
            part("act", action);
        }
        if !self.categories.is_empty() {
            part("cat", &format!("[{}]", self.categories.join(",")));
        }
        if !self.data.is_empty() {
            part("dat", &self.data);
        }
        if !self.package.is_empty() {
            part("pkg", &self.package);
        }
        if let Some((package, class)) = component(&self.component) {
            part("cmp", &short_name(&package, &class));
        }
        text.push_str(if self.has_extras { " (has extras) }" } else { " }" });
        text
    }
}

/// Result of a start.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Cold,
    Warm,
    Hot,
    /// The activity was in front already.
    Delivered,
}

fn start(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let intent = Intent::read(args);
    // Up to Android 10 a failed start has exit code 0.
    let fails_with = u8::from(phone.version >= AndroidVersion::V11);
    // Clients leave an app through its launcher's category, or by the launcher's name.
    let is_home = intent.categories.iter().any(|name| name == "android.intent.category.HOME");
    if is_home || component(&intent.component).is_some_and(|(package, _)| package == LAUNCHER.0) {
        io.say(&format!("Starting: {}", intent.shown()));
        let done = phone.act(Sim::leave);
        return failed(done, io);
    }
    let found = component(&intent.component).or_else(|| resolve(phone, &intent));
    if intent.stops_first
        && let Some((package, _)) = &found
    {
        // Android prints this even if the app does not run.
        io.say(&format!("Stopping: {package}"));
        if let Some(at) = phone.app(package).filter(|&at| phone.apps[at].sim.is_some()) {
            phone.stop(at);
        }
    }
    io.say(&format!("Starting: {}", intent.shown()));
    // `Starting` is printed before the activity is looked up, as readers expect.
    let Some((package, class)) = found else {
        io.complain(&format!("Error: Activity not started, unable to resolve {}", intent.shown()));
        return fails_with;
    };
    if let Some(at) = phone.app(&package).filter(|_| package == Automator::HELPER) {
        let pid = phone.apps[at].pid.unwrap_or_else(|| phone.take_pid());
        phone.apps[at].pid = Some(pid);
        return 0;
    }
    match at_of(phone, &package, &class) {
        Ok(at) => {
            let name = short_name(&package, &class);
            if let Err(error) = begin(phone, at, &class).map(|start| tell(phone, start, &intent, &name, io)) {
                return io.complain(&error.to_string());
            }
            0
        }
        Err(missing) => {
            if missing == Missing::NotExported {
                io.complain(&format!(
                    "java.lang.SecurityException: Permission Denial: starting {} from null (pid=5000, uid=2000) not \
                     exported from uid 10100",
                    intent.shown()
                ));
            } else {
                io.complain("Error type 3");
                io.complain(&format!(
                    "Error: Activity class {{{}/{}}} does not exist.",
                    shown(&package),
                    shown(&class)
                ));
            }
            fails_with
        }
    }
}

fn failed(done: Result<(), DeviceError>, io: &mut Io) -> u8 {
    done.err().map_or(0, |error| io.complain(&error.to_string()))
}

/// Reason why no app has an activity that can be started from outside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Unknown,
    /// The app has the activity, and keeps it to itself.
    NotExported,
}

/// Returns the index of the app with this activity, if it can be started from outside.
fn at_of(phone: &Phone, package: &str, class: &str) -> Result<usize, Missing> {
    let at = phone.app(package).ok_or(Missing::Unknown)?;
    let app = &phone.apps[at];
    if app.launchable().iter().any(|name| **name == *class) {
        return Ok(at);
    }
    let manifest = app.model.as_ref().map(|model| Manifest::of(model));
    let is_known = manifest.is_some_and(|manifest| manifest.activities.iter().any(|name| name == class));
    Err(if is_known { Missing::NotExported } else { Missing::Unknown })
}

/// Returns the activity of an intent that names none: the first of its package.
fn resolve(phone: &Phone, intent: &Intent) -> Option<(String, String)> {
    let package = if intent.package.is_empty() { &intent.component } else { &intent.package };
    // Without a component, only the launcher's own intent leads to an activity here.
    let is_main = matches!(intent.action.as_str(), "" | MAIN);
    let at = phone.app(package).filter(|_| is_main && intent.data.is_empty())?;
    let class = phone.apps[at].launchable().first()?.to_string();
    Some((package.clone(), class))
}

/// Starts an activity, or brings it to the front.
fn begin(phone: &mut Phone, at: usize, class: &str) -> Result<Start, DeviceError> {
    // Switched first, because the windows asked for below are those of the current app.
    phone.switch_to(at);
    let windows = phone.windows();
    let is_running = !windows.activities.is_empty();
    let has_process = phone.apps[at].pid.is_some();
    let is_on_top = windows.is_in_front && windows.activities.last().is_some_and(|(_, top)| **top == *class);
    let is_fresh = phone.apps[at].is_fresh && !is_running && windows.system.is_none();
    let name = short_name(&phone.apps[at].package, class);
    phone.note('I', "ActivityTaskManager", &format!("START u0 {{cmp={name}}} from uid 2000"));
    // The activity on top gets the intent and does nothing with it.
    if is_on_top {
        return Ok(Start::Delivered);
    }
    // The first start after an installation is a reset of the model, but for how the phone is held.
    if is_fresh {
        phone.act(|sim: &mut Sim| sim.start_fresh(class))?;
        phone.apps[at].is_fresh = false;
    } else {
        phone.act(|sim: &mut Sim| sim.bring_up(class))?;
    }
    phone.note('I', "ActivityTaskManager", &format!("Displayed {name}: +500ms"));
    Ok(match (is_running, has_process) {
        (true, _) => Start::Hot,
        (false, true) => Start::Warm,
        (false, false) => Start::Cold,
    })
}

fn tell(phone: &Phone, start: Start, intent: &Intent, name: &str, io: &mut Io) {
    match start {
        Start::Hot => {
            io.complain("Warning: Activity not started, its current task has been brought to the front");
        }
        Start::Delivered => {
            io.complain(
                "Warning: Activity not started, intent has been delivered to currently running top-most instance.",
            );
        }
        Start::Cold | Start::Warm => {}
    }
    if !intent.waits {
        return;
    }
    io.say("Status: ok");
    if phone.version >= AndroidVersion::V10 {
        let state = match start {
            Start::Cold => "COLD",
            Start::Warm => "WARM",
            Start::Hot => "HOT",
            Start::Delivered => "UNKNOWN (0)",
        };
        io.say(&format!("LaunchState: {state}"));
    }
    io.say(&format!("Activity: {name}"));
    // Virtual time has no duration of a start; any plausible one will do.
    let ms = if start == Start::Delivered { 0 } else { 500 };
    if phone.version <= AndroidVersion::V9 {
        io.say(&format!("ThisTime: {ms}"));
    }
    io.say(&format!("TotalTime: {ms}"));
    io.say(&format!("WaitTime: {}", ms + 3));
    io.say("Complete");
}

fn broadcast(phone: &Phone, args: &[String], io: &mut Io) -> u8 {
    let intent = Intent::read(args);
    let flags = if phone.version >= AndroidVersion::V8 { " flg=0x400000" } else { "" };
    let shown = intent.shown();
    io.say(&format!("Broadcasting: {}{flags} }}", shown.trim_end_matches(" }")));
    // A protected broadcast: clients must find another way to the network.
    if intent.action == "android.intent.action.AIRPLANE_MODE" {
        return io.complain(
            "java.lang.SecurityException: Permission Denial: not allowed to send broadcast \
             android.intent.action.AIRPLANE_MODE from pid=5000, uid=2000",
        );
    }
    io.say("Broadcast completed: result=0");
    0
}

/// `monkey`: starts an app, as clients use it.
pub(super) fn monkey(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let mut package = None;
    let mut rest = args.iter();
    let mut events = None;
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-p" => package = rest.next().cloned(),
            "-c" | "-s" | "--throttle" | "--pct-syskeys" => _ = rest.next(),
            word if word.starts_with('-') => {}
            word => events = word.parse::<u64>().ok(),
        }
    }
    let Some(events) = events else { return io.complain("** Error: Count not specified") };
    let class = package.as_deref().and_then(|package| {
        let at = phone.app(package)?;
        phone.apps[at].launchable().first().map(|class| (at, class.clone()))
    });
    let shown_as = package.as_deref().map(shown).unwrap_or_default();
    io.say(&format!("  bash arg: -p\n  bash arg: {shown_as}"));
    let Some((at, class)) = class else {
        io.say("** No activities found to run, monkey aborted.");
        return 252;
    };
    // Random events would touch places that no finger aims at; clients use the command to start an app.
    if events > 1 {
        io.say("** a simulated phone injects no more than the event that starts an app");
    }
    if let Err(error) = begin(phone, at, &class) {
        return io.complain(&error.to_string());
    }
    io.say(
        "Events injected: 1\n## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)",
    );
    0
}

/// Returns the processes with their users, pids and names.
fn processes(phone: &Phone) -> Vec<(String, u32, String)> {
    let system = [
        ("root", 1, "init"),
        ("shell", 420, "adbd"),
        ("system", SYSTEM_PID, "system_server"),
        ("u0_a10", 1_900, "com.android.systemui"),
        ("u0_a20", LAUNCHER_PID, LAUNCHER.0),
    ];
    let mut all: Vec<(String, u32, String)> =
        system.iter().map(|(user, pid, name)| (user.to_string(), *pid, name.to_string())).collect();
    for app in phone.apps.iter().filter(|app| app.uid != 0) {
        if let Some(pid) = app.pid {
            all.push((format!("u0_a{}", app.uid % 10_000), pid, app.package.to_string()));
        }
    }
    if let Some(automator) = &phone.automator {
        let (user, name) = automator.process();
        all.push((user.to_string(), automator.pid, name.to_string()));
    }
    all
}

/// `pidof`: the pids of processes by their names.
pub(super) fn pidof(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let names: Vec<&str> = args.iter().filter(|word| !word.starts_with('-')).map(String::as_str).collect();
    let found: Vec<String> = processes(phone)
        .into_iter()
        .filter(|(_, _, name)| names.contains(&name.as_str()))
        .map(|(_, pid, _)| pid.to_string())
        .collect();
    if found.is_empty() {
        return 1;
    }
    io.answer(&found.join(" "))
}

/// `ps`: the list of processes.
pub(super) fn ps(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    if args.iter().any(|word| word == "--help") && phone.version > AndroidVersion::V7 {
        return io.answer(
            "usage: ps [-AadefLlnwZ] [-k FIELD,] [-o FIELD[=DISPLAYNAME],] [-p PID,] [-t TTY,]\n\nList processes.\n\n\
             -A\tAll\n-o\tShow FIELDs instead of defaults, each with optional :size and/or =title",
        );
    }
    let columns = args
        .iter()
        .position(|word| word == "-o")
        .and_then(|at| args.get(at + 1))
        .map(|names| names.split(',').map(str::to_ascii_uppercase).collect::<Vec<String>>());
    // Up to Android 7 `ps` lists all processes; later only the shell's, unless options ask for all.
    let is_all = phone.version == AndroidVersion::V7
        || args.iter().any(|word| word.starts_with('-') && word.contains(['A', 'e']));
    let heading = ["USER", "PID", "PPID", "VSZ", "RSS", "WCHAN", "ADDR", "S", "NAME"];
    let line = |values: [&str; 9]| match &columns {
        None => format!(
            "{:<15} {:>5} {:>5} {:>10} {:>6} {:<16} {:>10} {} {}",
            values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8]
        ),
        Some(columns) => {
            let value =
                |name: &String| heading.iter().position(|other| other == name).map_or("", |at| values[at]);
            columns.iter().map(value).collect::<Vec<&str>>().join(" ")
        }
    };
    io.say(&line(heading));
    for (user, pid, name) in processes(phone) {
        if is_all || user == "shell" {
            io.say(&line([&user, &pid.to_string(), "1", "1234567", "65432", "0", "0", "S", &name]));
        }
    }
    if !is_all || columns.is_none() {
        io.say(&line(["shell", "5000", "420", "12345", "2345", "0", "0", "R", "ps"]));
    }
    0
}

/// `kill`: ends a server that the shell started; no other process is the shell's own.
pub(super) fn kill(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let mut pids = args.iter().filter_map(|word| word.parse().ok());
    if pids.next().is_some_and(|pid| phone.end_server(pid)) {
        return 0;
    }
    io.complain("/system/bin/sh: kill: Operation not permitted")
}
