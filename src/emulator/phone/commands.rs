//! Which commands there are, and who does what they say.

use super::io::Io;
use super::shell::{base_name, shown};
use super::{AndroidVersion, Phone, activities, automator, dump, dumpsys, input, log, packages};
use super::{picture, settings, text_tools, tools};

/// The commands that are programs, or stand for themselves in the shell.
const KNOWN: [&str; 65] = [
    "[",
    "am",
    "base64",
    "bugreport",
    "bugreportz",
    "cat",
    "chmod",
    "cmd",
    "content",
    "cp",
    "cut",
    "date",
    "dd",
    "df",
    "dirname",
    "basename",
    "dumpsys",
    "echo",
    "env",
    "false",
    "find",
    "getprop",
    "grep",
    "egrep",
    "fgrep",
    "head",
    "id",
    "input",
    "kill",
    "logcat",
    "log",
    "ls",
    "md5sum",
    "mkdir",
    "monkey",
    "mv",
    "nc",
    "pidof",
    "pm",
    "printf",
    "ps",
    "pwd",
    "rm",
    "rmdir",
    "screencap",
    "sed",
    "seq",
    "service",
    "settings",
    "setprop",
    "sh",
    "sha256sum",
    "sleep",
    "sort",
    "stat",
    "svc",
    "sync",
    "tail",
    "test",
    "touch",
    "tr",
    "uiautomator",
    "uname",
    "wc",
    "wm",
];

/// Whether a command runs a class of Java, by what is set around it.
pub(super) fn starts_classes(name: &str) -> bool {
    matches!(
        name.strip_prefix("/system/bin/").unwrap_or(name),
        "app_process" | "app_process32" | "app_process64"
    )
}

/// Whether a version has a command of this name.
pub(super) fn is_known(name: &str, version: AndroidVersion) -> bool {
    let others = [
        "true",
        "uniq",
        "uptime",
        "which",
        "whoami",
        "xargs",
        "timeout",
        "toybox",
        "printenv",
        "app_process",
        "app_process32",
        "app_process64",
    ];
    let is_too_new = name == "nc" && version < AndroidVersion::V8;
    !is_too_new && (KNOWN.contains(&name) || others.contains(&name))
}

/// Runs a command, given by its name or its path.
pub(super) fn run(phone: &mut Phone, name: &str, args: &[String], io: &mut Io) -> u8 {
    let is_path = name.contains('/');
    let bare = base_name(name);
    let is_tool = ["/system/bin", "/system/xbin", "/vendor/bin", "/bin"]
        .iter()
        .any(|folder| name.strip_prefix(folder).is_some_and(|rest| rest == format!("/{bare}")));
    if (is_path && !is_tool) || !is_known(bare, phone.version) {
        return unknown(phone, name, io);
    }
    match bare {
        "am" => activities::am(phone, args, io),
        "monkey" => activities::monkey(phone, args, io),
        "pm" => packages::pm(phone, args, io),
        "input" => input::input(phone, args, io),
        "uiautomator" => dump::uiautomator(phone, args, io),
        "dumpsys" => dumpsys::dumpsys(phone, args, io),
        "logcat" => log::logcat(phone, args, io),
        "log" => log::log(phone, args, io),
        "screencap" => picture::screencap(phone, args, io),
        "getprop" => settings::getprop(phone, args, io),
        "setprop" => 0,
        "settings" => settings::settings(phone, args, io),
        "wm" => settings::wm(phone, args, io),
        "svc" => settings::svc(phone, args, io),
        "content" => settings::content(phone, args, io),
        "cmd" => cmd(phone, args, io),
        "service" => service_list(args, io),
        "nc" => automator::nc(phone, args, io),
        "pidof" => activities::pidof(phone, args, io),
        "ps" => activities::ps(phone, args, io),
        "kill" => kill(phone, args, io),
        "bugreport" | "bugreportz" => refuse_bugreport(bare, args, io),
        "grep" | "egrep" | "fgrep" | "sed" | "cut" | "tr" | "sort" | "uniq" | "head" | "tail" | "wc" => {
            text_tools::run(phone, bare, args, io)
        }
        _ => tools::run(phone, bare, args, io),
    }
}

/// Ends a process, which must be the shell's own.
fn kill(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let mut pids = args.iter().filter_map(|word| word.parse().ok());
    if pids.next().is_some_and(|pid| phone.end_server(pid)) {
        return 0;
    }
    io.complain("/system/bin/sh: kill: Operation not permitted")
}

fn unknown(phone: &Phone, name: &str, io: &mut Io) -> u8 {
    let said = if phone.version >= AndroidVersion::V10 { "inaccessible or not found" } else { "not found" };
    io.complain(&format!("/system/bin/sh: {}: {said}", shown(name)));
    127
}

/// A command of a service, as `cmd` and the bridge of adb call it.
pub(super) fn service(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let Some((name, rest)) = args.split_first() else {
        return io.complain("cmd: No service specified; use -l to list all services");
    };
    match name.as_str() {
        "package" => packages::pm(phone, rest, io),
        "activity" => activities::am(phone, rest, io),
        "input" => input::input(phone, rest, io),
        "settings" => settings::settings(phone, rest, io),
        "window" => settings::wm(phone, rest, io),
        "connectivity" => settings::connectivity(phone, rest, io),
        "wifi" => settings::wifi(phone, rest, io),
        "-l" => service_list(&["list".to_string()], io),
        name => {
            io.complain(&format!("cmd: Can't find service: {}", shown(name)));
            20
        }
    }
}

fn cmd(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let options = args.iter().take_while(|word| *word == "-w").count();
    service(phone, &args[options..], io)
}

fn service_list(args: &[String], io: &mut Io) -> u8 {
    const SERVICES: [&str; 9] =
        ["activity", "connectivity", "display", "input", "package", "power", "settings", "wifi", "window"];
    match args.first().map(String::as_str) {
        Some("list") => {
            io.say(&format!("Found {} services:", SERVICES.len()));
            for (at, name) in SERVICES.iter().enumerate() {
                io.say(&format!("{at}\t{name}: []"));
            }
            0
        }
        Some("check") => {
            let name = args.get(1).map_or("", String::as_str);
            let is_there = SERVICES.contains(&name);
            io.say(&format!("Service {}: {}", shown(name), if is_there { "found" } else { "not found" }));
            0
        }
        _ => io.complain("service: No such command"),
    }
}

fn refuse_bugreport(name: &str, args: &[String], io: &mut Io) -> u8 {
    if name == "bugreportz" && args.first().is_some_and(|word| word == "-v") {
        io.complain("1.1");
        return 0;
    }
    io.say("FAIL: a simulated phone writes no reports of bugs");
    1
}
