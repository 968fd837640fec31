//! The tables of commands: each name with the function that runs it. No other file knows them all.

use super::files::base_name;
use super::io::{Input, Io, STDIN_MAX, shown};
use super::system::Phone;
use super::version::AndroidVersion;
use super::{activities, automator, dump, dumpsys, input, logcat, packages};
use super::{picture, settings_tools, text_tools, tools, touch_screen};
use crate::device::sum::{md5, sha256};
use crate::emulator::adbd::Ran;

/// A command: takes its arguments and streams, and returns its exit code.
type Run = fn(&mut Phone, &[String], &mut Io) -> u8;

/// The programs of the phone.
const PROGRAMS: [(&str, Run); 72] = [
    ("[", tools::bracket),
    ("am", activities::am),
    // No model asks what an app may do.
    ("appops", tools::succeed),
    ("base64", tools::base64_tool),
    ("basename", tools::basename),
    ("bugreport", |_, args, io| tools::bugreport("bugreport", args, io)),
    ("bugreportz", |_, args, io| tools::bugreport("bugreportz", args, io)),
    ("cat", tools::cat),
    ("chmod", tools::chmod),
    ("cmd", cmd),
    ("content", settings_tools::content),
    ("cp", |phone, args, io| tools::copy(phone, "cp", args, io)),
    ("cut", text_tools::cut),
    ("date", tools::date),
    ("dd", tools::dd),
    ("df", tools::df),
    ("dirname", tools::dirname),
    ("dumpsys", dumpsys::dumpsys),
    ("echo", tools::echo),
    ("egrep", |phone, args, io| text_tools::grep(phone, "egrep", args, io)),
    ("env", tools::env),
    ("false", tools::fail),
    ("fgrep", |phone, args, io| text_tools::grep(phone, "fgrep", args, io)),
    ("find", tools::find),
    ("getevent", touch_screen::getevent),
    ("getprop", settings_tools::getprop),
    ("grep", |phone, args, io| text_tools::grep(phone, "grep", args, io)),
    ("head", |phone, args, io| text_tools::ends(phone, "head", args, io)),
    ("id", tools::id),
    ("ime", settings_tools::ime),
    ("input", input::input),
    ("kill", activities::kill),
    ("log", logcat::log),
    ("logcat", logcat::logcat),
    ("ls", tools::ls),
    ("md5sum", |phone, args, io| tools::sum(phone, ("md5sum", md5), args, io)),
    ("mkdir", tools::mkdir),
    ("monkey", activities::monkey),
    ("mv", |phone, args, io| tools::copy(phone, "mv", args, io)),
    ("nc", automator::nc),
    ("pidof", activities::pidof),
    ("pm", packages::pm),
    ("printenv", tools::env),
    ("printf", tools::printf),
    ("ps", activities::ps),
    ("pwd", tools::pwd),
    ("rm", |phone, args, io| tools::rm(phone, "rm", args, io)),
    ("rmdir", |phone, args, io| tools::rm(phone, "rmdir", args, io)),
    ("screencap", picture::screencap),
    ("sed", text_tools::sed),
    ("sendevent", touch_screen::sendevent),
    ("seq", tools::seq),
    ("service", service_list),
    // Properties of a user build are read-only.
    ("setprop", tools::succeed),
    ("settings", settings_tools::settings),
    ("sha256sum", |phone, args, io| tools::sum(phone, ("sha256sum", sha256), args, io)),
    ("sort", |_, args, io| text_tools::sorted("sort", args, io)),
    ("stat", tools::stat),
    ("svc", settings_tools::svc),
    ("sync", tools::succeed),
    ("tail", |phone, args, io| text_tools::ends(phone, "tail", args, io)),
    ("test", tools::test),
    ("touch", tools::touch),
    ("tr", text_tools::tr),
    ("true", tools::succeed),
    ("uiautomator", dump::uiautomator),
    ("uname", tools::uname),
    ("uniq", |_, args, io| text_tools::sorted("uniq", args, io)),
    ("uptime", tools::uptime),
    ("wc", text_tools::wc),
    ("whoami", tools::whoami),
    ("wm", settings_tools::wm),
];

/// Programs that the shell runs itself, as they run other commands or need its state.
const OF_THE_SHELL: [&str; 9] =
    ["app_process", "app_process32", "app_process64", "sh", "sleep", "timeout", "toybox", "which", "xargs"];

/// The services that `cmd` and `abb` reach.
const SERVICES: [(&str, Run); 9] = [
    ("activity", activities::am),
    ("connectivity", settings_tools::connectivity),
    ("input", input::input),
    ("input_method", settings_tools::ime),
    // The simulator has no notifications that a listener could hear.
    ("notification", tools::succeed),
    ("package", packages::pm),
    ("settings", settings_tools::settings),
    ("wifi", settings_tools::wifi),
    ("window", settings_tools::wm),
];

/// Returns true if the command runs a Java class.
pub(super) fn starts_classes(name: &str) -> bool {
    matches!(
        name.strip_prefix("/system/bin/").unwrap_or(name),
        "app_process" | "app_process32" | "app_process64"
    )
}

/// Returns true if a version has a command of this name.
pub(super) fn is_known(name: &str, version: AndroidVersion) -> bool {
    // Android has `nc` from version 8 on.
    let is_too_new = name == "nc" && version < AndroidVersion::V8;
    !is_too_new && (PROGRAMS.iter().any(|(other, _)| *other == name) || OF_THE_SHELL.contains(&name))
}

/// Runs a command, given by its name or its path.
pub(super) fn run(phone: &mut Phone, name: &str, args: &[String], io: &mut Io) -> u8 {
    let is_path = name.contains('/');
    let bare = base_name(name);
    // Clients call tools by these paths, too.
    let is_tool = ["/system/bin", "/system/xbin", "/vendor/bin", "/bin"]
        .iter()
        .any(|folder| name.strip_prefix(folder).is_some_and(|rest| rest == format!("/{bare}")));
    if (is_path && !is_tool) || !is_known(bare, phone.version) {
        return unknown(phone, name, io);
    }
    match PROGRAMS.iter().find(|(other, _)| *other == bare) {
        Some((_, run)) => run(phone, args, io),
        // The shell takes its own programs by their bare names; by a path they would need a shell within this one.
        None => io.complain(&format!("toybox: Unknown command {}", shown(bare))).max(127),
    }
}

fn unknown(phone: &Phone, name: &str, io: &mut Io) -> u8 {
    let said = if phone.version >= AndroidVersion::V10 { "inaccessible or not found" } else { "not found" };
    io.complain(&format!("/system/bin/sh: {}: {said}", shown(name)));
    127
}

impl Phone {
    /// Calls a service of the system by its name and arguments, without a shell.
    pub fn abb<S: AsRef<str>>(&mut self, args: &[S], stdin: &[u8]) -> Ran {
        let words: Vec<String> = args.iter().map(|arg| arg.as_ref().to_string()).collect();
        // Bounded here, because no shell stands between.
        let mut io = Io::new(Input::new(&stdin[..stdin.len().min(STDIN_MAX)]), "/".to_string());
        let code = service(self, &words, &mut io);
        Ran { stdout: io.out, stderr: io.err, code }
    }
}

/// Runs a command of a service, as `cmd` and `abb` call it.
fn service(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let Some((name, rest)) = args.split_first() else {
        return io.complain("cmd: No service specified; use -l to list all services");
    };
    if name == "-l" {
        return service_list(phone, &["list".to_string()], io);
    }
    match SERVICES.iter().find(|(other, _)| other == name) {
        Some((_, run)) => run(phone, rest, io),
        None => {
            io.complain(&format!("cmd: Can't find service: {}", shown(name)));
            // This is the status of the real `cmd`.
            20
        }
    }
}

fn cmd(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    // `-w` waits until the service is there, and here it always is.
    let options = args.iter().take_while(|word| *word == "-w").count();
    service(phone, &args[options..], io)
}

/// `service`: the list of services, those without commands included.
fn service_list(_phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    const LISTED: [&str; 10] = [
        "activity",
        "connectivity",
        "display",
        "input",
        "input_method",
        "package",
        "power",
        "settings",
        "wifi",
        "window",
    ];
    match args.first().map(String::as_str) {
        Some("list") => {
            io.say(&format!("Found {} services:", LISTED.len()));
            for (at, name) in LISTED.iter().enumerate() {
                io.say(&format!("{at}\t{name}: []"));
            }
            0
        }
        Some("check") => {
            let name = args.get(1).map_or("", String::as_str);
            let is_there = LISTED.contains(&name);
            io.say(&format!("Service {}: {}", shown(name), if is_there { "found" } else { "not found" }));
            0
        }
        _ => io.complain("service: No such command"),
    }
}
