//! Properties and settings: `getprop`, `settings`, `wm`, `svc`, `content` and what `cmd` says of the network.

use std::collections::BTreeMap;

use super::io::Io;
use super::shell::shown;
use super::{AndroidVersion, Phone};
use crate::device::Sim;
use crate::device::sim::model::Display;

const SPACES: [&str; 3] = ["system", "secure", "global"];

/// How many settings there are at most, and how long a value is.
const SETTINGS_MAX: usize = 1_000;
const VALUE_MAX: usize = 10_000;

/// The largest edge of a display.
const EDGE_MAX: u32 = 10_000;

/// What is set on a phone that nobody has touched.
pub(super) fn initial() -> BTreeMap<(String, String), String> {
    [
        ("system", "accelerometer_rotation", "1"),
        ("system", "font_scale", "1.0"),
        ("system", "screen_brightness", "102"),
        ("system", "screen_off_timeout", "60000"),
        ("system", "user_rotation", "0"),
        ("secure", "android_id", "0123456789abcdef"),
        ("secure", "default_input_method", "com.android.inputmethod.latin/.LatinIME"),
        ("secure", "enabled_input_methods", "com.android.inputmethod.latin/.LatinIME"),
        ("secure", "show_ime_with_hard_keyboard", "0"),
        ("global", "adb_enabled", "1"),
        ("global", "airplane_mode_on", "0"),
        ("global", "animator_duration_scale", "1"),
        ("global", "device_name", "Farlead Sim"),
        ("global", "transition_animation_scale", "1"),
        ("global", "wifi_on", "1"),
        ("global", "window_animation_scale", "1"),
    ]
    .into_iter()
    .map(|(space, key, value)| ((space.to_string(), key.to_string()), value.to_string()))
    .collect()
}

impl Phone {
    /// The value of a setting.
    pub(super) fn setting(&self, space: &str, key: &str) -> Option<&str> {
        self.settings.get(&(space.to_string(), key.to_string())).map(String::as_str)
    }

    /// Changes a setting, and does what follows from it.
    pub(super) fn set(&mut self, space: &str, key: &str, value: Option<&str>) {
        let place = (space.to_string(), key.to_string());
        match value {
            None => drop(self.settings.remove(&place)),
            Some(_) if self.settings.len() >= SETTINGS_MAX && !self.settings.contains_key(&place) => return,
            Some(value) => {
                let value = super::io::cut(value, VALUE_MAX).to_string();
                self.settings.insert(place, value);
            }
        }
        if matches!(key, "accelerometer_rotation" | "user_rotation") {
            self.hold_as_set();
        }
    }

    /// Holds the phone as the settings say: as it is by nature, unless the sensor is off and another rotation is set.
    fn hold_as_set(&mut self) {
        let is_sensed = self.setting("system", "accelerometer_rotation") != Some("0");
        let is_turned = matches!(self.setting("system", "user_rotation"), Some("1" | "3")) && !is_sensed;
        let by_nature = self.sim().display().by_nature();
        let wanted = if is_turned { by_nature.turned() } else { by_nature };
        if self.windows().orientation != wanted {
            let _ = self.act(Sim::turn);
        }
    }

    fn set_airplane_mode(&mut self, is_on: bool) {
        self.set("global", "airplane_mode_on", Some(if is_on { "1" } else { "0" }));
        self.set_network();
    }

    /// There is a network unless the phone is in a plane, or both its ways are off.
    fn set_network(&mut self) {
        let is_off = |key: &str| self.setting("global", key) == Some("0");
        let has_none = is_off("wifi_on") && is_off("mobile_data");
        let is_there = self.setting("global", "airplane_mode_on") != Some("1") && !has_none;
        if self.windows().has_network != is_there {
            let _ = self.act(Sim::switch_network);
        }
    }
}

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
        ("ro.build.date.utc", super::EPOCH_S.to_string()),
        ("ro.build.fingerprint", fingerprint),
        ("ro.build.id", text("SIM")),
        ("ro.build.type", text("userdebug")),
        ("ro.build.version.codename", text("REL")),
        ("ro.build.version.incremental", text("1")),
        ("ro.build.version.release", release),
        ("ro.build.version.sdk", sdk),
        ("ro.build.version.security_patch", text("2024-01-01")),
        ("ro.debuggable", text("0")),
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

pub(super) fn settings(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let mut words: Vec<&str> = args.iter().map(String::as_str).collect();
    if let Some(at) = words.iter().position(|word| *word == "--user") {
        words.drain(at..(at + 2).min(words.len()));
    }
    let Some((command, rest)) = words.split_first() else {
        return io.complain(
            "Settings provider (settings) commands:\n  get|put|delete|list NAMESPACE [KEY] [VALUE]",
        );
    };
    let Some(space) = rest.first().filter(|space| SPACES.contains(space)) else {
        let name = rest.first().copied().unwrap_or_default();
        io.complain(&format!("Invalid namespace '{}'", shown(name)));
        return if phone.version >= AndroidVersion::V8 { 255 } else { 1 };
    };
    match (*command, rest.get(1), rest.get(2)) {
        ("get", Some(key), _) => io.say(phone.setting(space, key).unwrap_or("null")),
        ("put", Some(key), Some(value)) => phone.set(space, key, Some(value)),
        ("delete", Some(key), _) => {
            let count = usize::from(phone.setting(space, key).is_some());
            phone.set(space, key, None);
            io.say(&format!("Deleted {count} rows"));
        }
        ("list", _, _) => {
            for ((other, key), value) in &phone.settings {
                if other == space {
                    io.say(&format!("{key}={value}"));
                }
            }
        }
        _ => {
            io.complain("Bad arguments");
            return 255;
        }
    }
    0
}

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
            let wanted = match size.split_once('x') {
                _ if size == "reset" => Some((phone.display.width, phone.display.height)),
                Some((width, height)) => edge(width).zip(edge(height)),
                None => None,
            };
            let Some((width, height)) = wanted else {
                return io.complain(&format!("Error: bad size '{}'", shown(size)));
            };
            phone.sim().set_display(Display { width, height, ..now });
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
            let Some(dpi) = wanted.filter(|dpi| (72..=2_000).contains(dpi)) else {
                return io.complain(&format!("Error: bad number {}", shown(density)));
            };
            phone.sim().set_display(Display { dpi, ..now });
        }
        ["user-rotation", "lock"] => lock_rotation(phone, "0"),
        ["user-rotation", "lock", rotation] | ["set-user-rotation", "lock", rotation] => {
            lock_rotation(phone, rotation);
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

pub(super) fn lock_rotation(phone: &mut Phone, rotation: &str) {
    phone.set("system", "user_rotation", Some(rotation));
    phone.set("system", "accelerometer_rotation", Some("0"));
}

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
    phone.set_network();
    0
}

pub(super) fn connectivity(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    // The command came with Android 11.
    let is_there = phone.version >= AndroidVersion::V11;
    match words[..] {
        ["airplane-mode"] if is_there => {
            let is_on = phone.setting("global", "airplane_mode_on") == Some("1");
            io.say(if is_on { "enabled" } else { "disabled" });
            0
        }
        ["airplane-mode", word @ ("enable" | "disable")] if is_there => {
            phone.set_airplane_mode(word == "enable");
            0
        }
        _ => {
            io.complain(&format!("Unknown command: {}", shown(words.first().copied().unwrap_or_default())));
            255
        }
    }
}

pub(super) fn wifi(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["set-wifi-enabled", word @ ("enabled" | "disabled")] => {
            phone.set("global", "wifi_on", Some(if word == "enabled" { "1" } else { "0" }));
            phone.set_network();
            0
        }
        ["status"] => {
            let is_on = phone.setting("global", "wifi_on") == Some("1");
            io.say(if is_on { "Wifi is enabled" } else { "Wifi is disabled" });
            0
        }
        _ => {
            io.complain(&format!("Unknown command: {}", shown(words.first().copied().unwrap_or_default())));
            255
        }
    }
}

pub(super) fn content(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let value = |option: &str| {
        let at = args.iter().position(|word| word == option)?;
        args.get(at + 1).cloned()
    };
    let uri = value("--uri").unwrap_or_default();
    let command = args.first().map_or("", String::as_str);
    let space = uri.strip_prefix("content://settings/").filter(|space| SPACES.contains(space));
    let Some(space) = space else {
        return io.complain(&format!(
            "Error while accessing provider:{}\njava.lang.IllegalStateException: Could not find provider: {}",
            shown(uri.trim_start_matches("content://").split('/').next().unwrap_or_default()),
            shown(uri.trim_start_matches("content://").split('/').next().unwrap_or_default()),
        ));
    };
    match command {
        "insert" => {
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
                .iter()
                .filter(|((other, _), _)| other == space)
                .enumerate()
                .map(|(row, ((_, key), value))| format!("Row: {row} _id={row}, name={key}, value={value}"))
                .collect();
            io.say(&rows.join("\n"));
        }
        _ => return io.complain("[ERROR] Unsupported operation"),
    }
    0
}
