//! A phone that answers from recordings: screens by their dumps, and where a tap on each leads.
//!
//! It is made of answers as real phones gave them, and knows nothing of the simulator.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use farlead::emulator::adbd::Ran;

use super::shell::Android;

/// The app of the recordings here.
pub const PANTRY: &str = "org.example.pantry";

/// The keys that are known.
const BACK: &str = "4";
const HOME: &str = "3";

/// Screens and their dumps, as `uiautomator` writes them. `@TYPED@` stands for what was typed.
const SCREENS: [(&str, &str); 4] = [
    ("launcher", include_str!("launcher.xml")),
    ("list", include_str!("list.xml")),
    ("add", include_str!("add.xml")),
    ("added", include_str!("added.xml")),
];

/// The app's screens, the id of a node on each or a key, and the screen that it leads to.
const WAYS: [(&str, &str, &str); 6] = [
    ("list", "add", "add"),
    ("add", "save", "added"),
    ("add", BACK, "list"),
    ("added", "add", "add"),
    ("added", BACK, "launcher"),
    ("list", BACK, "launcher"),
];

/// The phone.
pub struct Recorded {
    pub properties: BTreeMap<&'static str, &'static str>,
    /// Values by namespace and name.
    pub settings: BTreeMap<(String, String), String>,
    pub screen: &'static str,
    pub is_keyboard_up: bool,
    pub typed: String,
    /// Dump in place of the screen's.
    pub dump: Option<Vec<u8>>,
    /// Answer to `dumpsys window` in place of the screen's.
    pub windows: Option<Vec<u8>>,
    /// Log once the app has started.
    pub log: Vec<u8>,
    pub package: String,
    pub is_started: bool,
    pub uptime_ms: u64,
    /// Words of each command, in their order.
    pub asked: Vec<Vec<String>>,
    /// Commands that were answered as unknown.
    pub unknown: Vec<String>,
}

impl Recorded {
    pub fn new() -> Recorded {
        // As recorded from an emulator of Android 13.
        let properties = [
            ("ro.product.name", "sdk_gphone64_x86_64"),
            ("ro.product.model", "sdk_gphone64_x86_64"),
            ("ro.product.device", "emu64xa"),
            ("ro.build.version.release", "13"),
            ("ro.build.version.sdk", "33"),
            ("sys.boot_completed", "1"),
        ];
        Recorded {
            properties: properties.into(),
            settings: BTreeMap::new(),
            screen: "launcher",
            is_keyboard_up: false,
            typed: String::new(),
            dump: None,
            windows: None,
            log: Vec::new(),
            package: PANTRY.to_string(),
            is_started: false,
            uptime_ms: 86_000,
            asked: Vec::new(),
            unknown: Vec::new(),
        }
    }

    fn dump(&self) -> Vec<u8> {
        if let Some(dump) = &self.dump {
            return dump.clone();
        }
        let (_, dump) = SCREENS.iter().find(|(name, _)| *name == self.screen).expect("a screen");
        let typed = self.typed.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        dump.trim_end().replace("@TYPED@", &typed).into_bytes()
    }

    /// Returns the id of the smallest clickable node at a pixel, without its package.
    fn id_at(&self, x: i32, y: i32) -> Option<String> {
        let dump = String::from_utf8(self.dump()).ok()?;
        let document = roxmltree::Document::parse(&dump).ok()?;
        let mut hit = Vec::new();
        for node in document.descendants().filter(|node| node.attribute("clickable") == Some("true")) {
            let bounds = node.attribute("bounds")?.split(['[', ']', ',']);
            let numbers: Vec<i32> = bounds.filter_map(|number| number.parse().ok()).collect();
            let [left, top, right, bottom] = numbers[..] else { return None };
            if (left..right).contains(&x) && (top..bottom).contains(&y) {
                let (_, id) = node.attribute("resource-id")?.split_once('/')?;
                hit.push(((right - left) * (bottom - top), id.to_string()));
            }
        }
        hit.into_iter().min().map(|(_, id)| id)
    }

    fn go(&mut self, by: &str) {
        let way = WAYS.iter().find(|(from, name, _)| *from == self.screen && *name == by);
        if let Some((_, _, to)) = way {
            self.screen = to;
        }
        self.is_keyboard_up = by == "name";
    }

    fn input(&mut self, words: &[&str]) {
        match words {
            ["tap", x, y] => {
                let (Ok(x), Ok(y)) = (x.parse(), y.parse()) else { return };
                if let Some(id) = self.id_at(x, y) {
                    self.go(&id);
                }
            }
            ["text", text] if self.is_keyboard_up => self.typed.push_str(&text.replace("%s", " ")),
            ["keyevent", keys @ ..] => keys.iter().for_each(|key| self.key(key)),
            _ => {}
        }
    }

    fn key(&mut self, key: &str) {
        match key {
            BACK if self.is_keyboard_up => self.is_keyboard_up = false,
            HOME => self.screen = "launcher",
            // The cursor is at the end.
            "67" if self.is_keyboard_up => {
                self.typed.pop();
            }
            BACK => self.go(BACK),
            _ => {}
        }
    }

    fn settings(&mut self, words: &[&str]) -> String {
        let key = |space: &str, name: &str| (space.to_string(), name.to_string());
        match words {
            ["get", space, name] => {
                let value = self.settings.get(&key(space, name));
                format!("{}\n", value.map_or("null", String::as_str))
            }
            ["put", space, name, value] => {
                self.settings.insert(key(space, name), value.to_string());
                String::new()
            }
            ["delete", space, name] => {
                let removed = self.settings.remove(&key(space, name)).map_or(0, |_| 1);
                format!("Deleted {removed} rows\n")
            }
            _ => String::new(),
        }
    }

    fn windows(&self) -> Vec<u8> {
        if let Some(windows) = &self.windows {
            return windows.clone();
        }
        let component = match self.screen {
            "launcher" => "com.google.android.apps.nexuslauncher/.NexusLauncherActivity".to_string(),
            "add" => format!("{PANTRY}/.AddActivity"),
            _ => format!("{PANTRY}/.MainActivity"),
        };
        let (package, class) = component.split_once('/').expect("a component");
        format!(
            "WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n  Display: mDisplayId=0\n    init=1080x1920 \
             420dpi cur=1080x1920 app=1080x1794 rng=1080x1017-1794x1731\n  mCurrentFocus=Window{{8d6b2e u0 \
             {package}/{package}{class}}}\n  mFocusedApp=ActivityRecord{{5ee8a29 u0 {component}}} t12}}\n"
        )
        .into_bytes()
    }

    fn package(&self) -> String {
        let package = &self.package;
        format!(
            "Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:\n        7c9f \
             {package}/.MainActivity filter 5a6b\n          Action: \"android.intent.action.MAIN\"\n          \
             Category: \"android.intent.category.LAUNCHER\"\n\nPackages:\n  Package [{package}] (1a2b):\n    \
             versionName=2.0\n    User 0: ceDataInode=98 installed=true\n      runtime permissions:\n        \
             android.permission.CAMERA: granted=true, flags=[ USER_SET ]\n"
        )
    }

    fn answer(&mut self, words: &[&str], root: &Path) -> Option<Vec<u8>> {
        let text = |text: &str| Some(text.as_bytes().to_vec());
        match words {
            ["clock"] => Some(format!("{}\n", 1_700_000_000 + self.uptime_ms / 1_000).into_bytes()),
            ["sleep", time] => {
                let seconds: f64 = time.parse().ok()?;
                self.uptime_ms += (seconds * 1_000.0) as u64;
                text("")
            }
            ["getprop", name] => Some(format!("{}\n", self.properties.get(name).unwrap_or(&"")).into_bytes()),
            ["am", "get-current-user"] => text("0\n"),
            ["am", "force-stop", _] => {
                (self.screen, self.is_keyboard_up) = ("launcher", false);
                text("")
            }
            ["am", "start", .., "-n", component] => {
                (self.screen, self.is_started) = ("list", true);
                Some(format!("Starting: Intent {{ cmp={component} }}\nStatus: ok\nComplete\n").into_bytes())
            }
            ["wm", "size"] => text("Physical size: 1080x1920\n"),
            ["wm", "density"] => text("Physical density: 420\n"),
            ["wm", "dismiss-keyguard"] => text(""),
            ["settings", rest @ ..] => Some(self.settings(rest).into_bytes()),
            ["input", rest @ ..] => {
                self.input(rest);
                text("")
            }
            ["cmd", "package", "resolve-activity", ..] => {
                text("priority=0\ncom.google.android.apps.nexuslauncher/.NexusLauncherActivity\n")
            }
            ["cmd", "connectivity", "airplane-mode", _] => text(""),
            ["dumpsys", "window", "policy"] => text("    KeyguardServiceDelegate\n      showing=false\n"),
            ["dumpsys", "window", ..] => Some(self.windows()),
            ["dumpsys", "power"] => text("POWER MANAGER (dumpsys power)\n  mWakefulness=Awake\n"),
            ["dumpsys", "input_method"] => {
                let is_up = self.is_keyboard_up;
                Some(format!("  mShowRequested={is_up}\n  mInputShown={is_up}\n").into_bytes())
            }
            ["dumpsys", "package", package] if *package == self.package => Some(self.package().into_bytes()),
            ["pm", "path", package] if *package == self.package => text("package:/data/app/base.apk\n"),
            ["pm", "path" | "grant", ..] => text(""),
            // There is no recorded picture, and a window that forbids them gives none either.
            ["screencap", "-p"] => text(""),
            ["pm", "clear", _] => {
                self.typed.clear();
                text("Success\n")
            }
            ["logcat", ..] if self.is_started => Some(self.log.clone()),
            ["logcat", ..] => text("--------- beginning of main\n"),
            ["uiautomator", "dump", "/dev/tty"] => {
                Some([&self.dump()[..], b"UI hierchary dumped to: /dev/tty\n"].concat())
            }
            ["uiautomator", "dump", path] => {
                fs::write(root.join(path.trim_start_matches('/')), self.dump()).ok()?;
                Some(format!("UI hierchary dumped to: {path}\n").into_bytes())
            }
            _ => None,
        }
    }
}

impl Android for Recorded {
    fn product(&self) -> [String; 3] {
        ["ro.product.name", "ro.product.model", "ro.product.device"]
            .map(|name| self.properties[name].to_string())
    }

    fn run(&mut self, words: &[String], root: &Path) -> Ran {
        self.asked.push(words.to_vec());
        // Each command takes a while.
        self.uptime_ms += 7;
        let bare: Vec<&str> = words.iter().map(String::as_str).collect();
        match self.answer(&bare, root) {
            Some(stdout) => Ran { stdout, ..Ran::default() },
            None => {
                self.unknown.push(words.join(" "));
                Ran {
                    stderr: format!("{}: unknown here\n", words.join(" ")).into_bytes(),
                    code: 1,
                    ..Ran::default()
                }
            }
        }
    }

    fn uptime(&mut self) -> String {
        format!("{}.{:02} 100.00\n", self.uptime_ms / 1_000, self.uptime_ms % 1_000 / 10)
    }
}
