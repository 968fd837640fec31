//! Properties and settings: `getprop`, `settings`, `wm`, `svc`, `content`, and the network commands of `cmd`.

use super::clock::EPOCH_S;
use super::io::{Io, shown};
use super::settings::NAMESPACES;
use super::system::Phone;
use super::version::AndroidVersion;
use crate::device::sim::model::Display;

/// Largest edge of a display.
const EDGE_MAX: u32 = 10_000;

/// Returns the system's properties, in the order of their names.
fn properties(phone: &mut Phone) -> Vec<(&'static str, String)> {
    let sdk = phone.version.sdk().to_string();
    let release = phone.version.release_property().to_string();
    let dpi = phone.display.dpi.to_string();
    let [name, model, device] = phone.product();
    let fingerprint = format!("farlead/{name}/{device}:{release}/SIM/1:userdebug/test-keys");
    let text = |text: &str| text.to_string();
    vec![
        ("dev.bootcomplete", text("1")),
        ("init.svc.adbd", text("running")),
        ("init.svc.bootanim", text("stopped")),
        ("persist.sys.locale", text("en-US")),
        ("persist.sys.timezone", text("UTC")),
        ("ro.boot.qemu", text("0")),
        ("ro.build.characteristics", text("default")),
        ("ro.build.date.utc", EPOCH_S.to_string()),
        ("ro.build.fingerprint", fingerprint),
        ("ro.build.id", text("SIM")),
        ("ro.build.type", text("userdebug")),
        ("ro.build.version.codename", text("REL")),
        ("ro.build.version.incremental", text("1")),
        ("ro.build.version.release", release),
        ("ro.build.version.sdk", sdk),
        ("ro.build.version.security_patch", text("2024-01-01")),
        ("ro.debuggable", text("0")),
        // A client that knows this may sleep as long as it likes.
        ("ro.farlead.time", text("virtual")),
        ("ro.product.brand", text("farlead")),
        ("ro.product.cpu.abi", text("x86_64")),
        ("ro.product.cpu.abilist", text("x86_64,arm64-v8a")),
        ("ro.product.device", device),
        ("ro.product.locale", text("en-US")),
        ("ro.product.manufacturer", text("farlead")),
        ("ro.product.model", model),
        ("ro.product.name", name),
        ("ro.secure", text("1")),
        ("ro.serialno", text("farleadsim")),
        ("ro.sf.lcd_density", dpi),
        ("sys.boot_completed", text("1")),
        ("sys.usb.state", text("adb")),
    ]
}

/// `getprop`: one property, or all of them.
pub(super) fn getprop(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let all = properties(phone);
    match args.first() {
        None => all.iter().for_each(|(name, value)| io.say(&format!("[{name}]: [{value}]"))),
        Some(wanted) => {
            let value = all.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
            io.say(value.or(args.get(1).map(String::as_str)).unwrap_or(""));
        }
    }
    0
}

/// `settings`: reads and writes the settings.
pub(super) fn settings(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let mut words: Vec<&str> = args.iter().map(String::as_str).collect();
    // There is one user.
    if let Some(at) = words.iter().position(|word| *word == "--user") {
        words.drain(at..(at + 2).min(words.len()));
    }
    let Some((command, rest)) = words.split_first() else {
        return io.complain(
            "Settings provider (settings) commands:\n  get|put|delete|list NAMESPACE [KEY] [VALUE]",
        );
    };
    let Some(space) = rest.first().filter(|space| NAMESPACES.contains(space)) else {
        let name = rest.first().copied().unwrap_or_default();
        io.complain(&format!("Invalid namespace '{}'", shown(name)));
        return if phone.version >= AndroidVersion::V8 { 255 } else { 1 };
    };
    match (*command, rest.get(1), rest.get(2)) {
        ("get", Some(key), _) => io.say(phone.settings.get(space, key).unwrap_or("null")),
        ("put", Some(key), Some(value)) => phone.set(space, key, Some(value)),
        ("delete", Some(key), _) => {
            // Android counts the row that it deletes.
            let count = usize::from(phone.settings.get(space, key).is_some());
            phone.set(space, key, None);
            io.say(&format!("Deleted {count} rows"));
        }
        ("list", _, _) => {
            for (key, value) in phone.settings.of(space) {
                io.say(&format!("{key}={value}"));
            }
        }
        _ => {
            io.complain("Bad arguments");
            return 255;
        }
    }
    0
}

/// `wm`: size, density and rotation of the display.
pub(super) fn wm(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let now = phone.sim().display();
    match words[..] {
        ["size"] => {
            let Display { width, height, .. } = phone.display;
            io.say(&format!("Physical size: {width}x{height}"));
            if (now.width, now.height) != (width, height) {
                io.say(&format!("Override size: {}x{}", now.width, now.height));
            }
        }
        ["size", size] => {
            let edge = |word: &str| word.parse().ok().filter(|edge| (100..=EDGE_MAX).contains(edge));
            // `reset` goes back to the display of the model.
            let wanted = match size.split_once('x') {
                _ if size == "reset" => Some((phone.display.width, phone.display.height)),
                Some((width, height)) => edge(width).zip(edge(height)),
                None => None,
            };
            let Some((width, height)) = wanted else {
                return io.complain(&format!("Error: bad size '{}'", shown(size)));
            };
            phone.sim().set_display(Display { width, height, ..now });
            // Another size may have another natural orientation.
            phone.hold_as_set();
        }
        ["density"] => {
            io.say(&format!("Physical density: {}", phone.display.dpi));
            if now.dpi != phone.display.dpi {
                io.say(&format!("Override density: {}", now.dpi));
            }
        }
        ["density", density] => {
            let wanted = if density == "reset" { Some(phone.display.dpi) } else { density.parse().ok() };
            // Android refuses less than 72.
            let Some(dpi) = wanted.filter(|dpi| (72..=2_000).contains(dpi)) else {
                return io.complain(&format!("Error: bad number {}", shown(density)));
            };
            phone.sim().set_display(Display { dpi, ..now });
        }
        ["user-rotation", "lock"] => phone.lock_rotation("0"),
        ["user-rotation", "lock", rotation] | ["set-user-rotation", "lock", rotation] => {
            phone.lock_rotation(rotation);
        }
        ["user-rotation" | "set-user-rotation", "free"] => {
            phone.set("system", "accelerometer_rotation", Some("1"))
        }
        ["dismiss-keyguard"] => {}
        _ => {
            let command = words.first().copied().unwrap_or_default();
            io.complain(&format!("Unknown command: {}", shown(command)));
            return 255;
        }
    }
    0
}

/// `ime`: the input method; there is one.
pub(super) fn ime(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    const ONLY: &str = "com.android.inputmethod.latin/.LatinIME";
    let id = args.iter().skip(1).rfind(|word| !word.starts_with('-')).map_or("", String::as_str);
    let is_known =
        [ONLY, "com.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"].contains(&id);
    // Up to Android 9 the user is not named.
    let user = if phone.version >= AndroidVersion::V10 { " for user #0" } else { "" };
    match args.first().map_or("", String::as_str) {
        "list" if args.iter().any(|word| word == "-s") => io.answer(ONLY),
        "list" => io.answer(&format!(
            "{ONLY}:\n  mId={ONLY} mSettingsActivityName=null mIsVrOnly=false mSupportsSwitchingToNextInputMethod=true\n  \
             mIsDefaultResId=0x7f050000\n  Service:\n    packageName=com.android.inputmethod.latin"
        )),
        "enable" if is_known => io.answer(&format!("Input method {id}: already enabled{user}")),
        "disable" if is_known => io.answer(&format!("Input method {id}: now disabled{user}")),
        "set" if is_known => {
            phone.set("secure", "default_input_method", Some(ONLY));
            io.answer(&format!("Input method {id} selected{user}"))
        }
        "enable" => io.complain(&format!("Unknown input method {} cannot be enabled{user}", shown(id))),
        "disable" => io.complain(&format!("Unknown input method {} cannot be disabled{user}", shown(id))),
        "set" => io.complain(&format!("Unknown input method {} cannot be selected{user}", shown(id))),
        "reset" => {
            phone.set("secure", "default_input_method", Some(ONLY));
            io.answer(&format!("Reset current and enabled IMEs{user}\n  Newly selected IME: {ONLY}"))
        }
        command => {
            io.complain(&format!("Unknown command: {}", shown(command)));
            255
        }
    }
}

/// `svc`: switches Wi-Fi and mobile data.
pub(super) fn svc(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let on = |word: &str| if word == "enable" { "1" } else { "0" };
    match words[..] {
        ["wifi", word @ ("enable" | "disable")] => phone.set("global", "wifi_on", Some(on(word))),
        ["data", word @ ("enable" | "disable")] => phone.set("global", "mobile_data", Some(on(word))),
        ["power", "stayon", _] | ["bluetooth" | "nfc" | "usb", ..] => return 0,
        _ => {
            io.complain("Available commands:\n    help     Show information about the subcommands\n    power\n    data\n    wifi");
            return 1;
        }
    }
    phone.connect_as_set();
    0
}

/// `cmd connectivity`: airplane mode.
pub(super) fn connectivity(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    // The command came with Android 11.
    let is_there = phone.version >= AndroidVersion::V11;
    match words[..] {
        ["airplane-mode"] if is_there => {
            let is_on = phone.settings.get("global", "airplane_mode_on") == Some("1");
            io.say(if is_on { "enabled" } else { "disabled" });
            0
        }
        ["airplane-mode", word @ ("enable" | "disable")] if is_there => {
            phone.set("global", "airplane_mode_on", Some(if word == "enable" { "1" } else { "0" }));
            phone.connect_as_set();
            0
        }
        _ => {
            io.complain(&format!("Unknown command: {}", shown(words.first().copied().unwrap_or_default())));
            255
        }
    }
}

/// `cmd wifi`: Wi-Fi.
pub(super) fn wifi(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["set-wifi-enabled", word @ ("enabled" | "disabled")] => {
            phone.set("global", "wifi_on", Some(if word == "enabled" { "1" } else { "0" }));
            phone.connect_as_set();
            0
        }
        ["status"] => {
            let is_on = phone.settings.get("global", "wifi_on") == Some("1");
            io.say(if is_on { "Wifi is enabled" } else { "Wifi is disabled" });
            0
        }
        _ => {
            io.complain(&format!("Unknown command: {}", shown(words.first().copied().unwrap_or_default())));
            255
        }
    }
}

/// `content`: the settings as a content provider.
pub(super) fn content(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let value = |option: &str| {
        let at = args.iter().position(|word| word == option)?;
        args.get(at + 1).cloned()
    };
    let uri = value("--uri").unwrap_or_default();
    let command = args.first().map_or("", String::as_str);
    let space = uri.strip_prefix("content://settings/").filter(|space| NAMESPACES.contains(space));
    let Some(space) = space else {
        return io.complain(&format!(
            "Error while accessing provider:{}\njava.lang.IllegalStateException: Could not find provider: {}",
            shown(uri.trim_start_matches("content://").split('/').next().unwrap_or_default()),
            shown(uri.trim_start_matches("content://").split('/').next().unwrap_or_default()),
        ));
    };
    match command {
        "insert" => {
            // `--bind name:s:user_rotation`: name, type and value of a column.
            let bound = |name: &str| {
                let prefix = format!("{name}:");
                let found = args.iter().find_map(|word| word.strip_prefix(&prefix));
                found.and_then(|rest| rest.split_once(':')).map(|(_, value)| value.to_string())
            };
            if let (Some(name), Some(value)) = (bound("name"), bound("value")) {
                phone.set(space, &name, Some(&value));
            }
        }
        "query" => {
            let rows: Vec<String> = phone
                .settings
                .of(space)
                .enumerate()
                .map(|(row, (key, value))| format!("Row: {row} _id={row}, name={key}, value={value}"))
                .collect();
            io.say(&rows.join("\n"));
        }
        _ => return io.complain("[ERROR] Unsupported operation"),
    }
    0
}
