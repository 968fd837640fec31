//! The app on a phone: installs it, and reads its package, version and activities.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::changes::Changes;
use super::changes::{FOLDERS, NOTE};
use super::script::{Parts, Script, quote};
use super::server::shown;
use super::{Adb, AdbError, Facts, Reset, Subject, look, refuses_settings};
use crate::device::App;
use crate::device::android::app::{LAUNCHER, MAIN, class};
use crate::device::android::display;
use crate::device::android::focus::focus;
use crate::device::android::manifest::{Manifest, ManifestError};
use crate::text::shown_path;

/// Time allowed for an installation: the phone compiles the app.
const INSTALL: Duration = Duration::from_secs(300);

/// Most bytes of an APK.
const APK_BYTES_MAX: u64 = 2 << 30;

/// A setting: its namespace, its name, and its value during a run.
pub(super) type Setting = (&'static str, &'static str, &'static str);

/// Settings during a run, so that screens come to rest and stay lit, and the phone keeps its orientation.
pub(super) const SETTINGS: [Setting; 7] = [
    ("system", "accelerometer_rotation", "0"),
    ("system", "user_rotation", "0"),
    ("system", "screen_off_timeout", "1800000"),
    // Otherwise a phone on a cable would never go dark.
    ("global", "stay_on_while_plugged_in", "0"),
    ("global", "window_animation_scale", "0"),
    ("global", "transition_animation_scale", "0"),
    ("global", "animator_duration_scale", "0"),
];

/// An APK, ready to be installed.
#[derive(Clone)]
pub(in crate::device) struct Apk {
    name: String,
    bytes: Arc<[u8]>,
}

impl Adb {
    /// Reads the facts about the phone.
    pub(super) fn learn_facts(&mut self, settings: &[Setting]) -> Result<(), AdbError> {
        let mark = self.mark.clone();
        let mut script = Script::new(&mark);
        // A run that was killed could not undo its changes, but has left a note of how to.
        script.part(
            "left",
            &format!(
                "for note in {FOLDERS}*/{NOTE}; do [ -f \"$note\" ] && sh \"$note\"; done >/dev/null 2>&1"
            ),
        );
        for (name, property) in [
            ("model", "ro.product.model"),
            ("release", "ro.build.version.release"),
            ("sdk", "ro.build.version.sdk"),
            ("time", "ro.farlead.time"),
        ] {
            script.part(name, &format!("getprop {property}"));
        }
        // Before Android 5 there is no such command, and one user.
        script.part("user", "am get-current-user 2>/dev/null");
        script.part("size", "wm size").part("density", "wm density").part("network", look::NETWORK);
        for (space, name, _) in settings {
            script.part(name, &format!("settings get {space} {name} 2>/dev/null"));
        }
        // A device opened for looking changes nothing, so it does not go home.
        let goes_home = if settings.is_empty() { "" } else { "; input keyevent 224; input keyevent 3" };
        script.part(
            "home",
            &format!(
                "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.HOME \
                 2>/dev/null{goes_home}"
            ),
        );
        // The version is known only from the same answer, so both forms are asked for.
        script.part("front", &format!("{}; {}", look::windows(0), look::windows(u32::MAX)));
        let answer = self.ask_first("asking what it is", &script.finish())?;
        let parts = mark.parts(&answer.stdout);
        let value = |name: &str| shown(parts.text(name).lines().next().unwrap_or_default());
        self.facts = Facts {
            model: value("model"),
            release: value("release"),
            sdk: value("sdk").parse().unwrap_or(0),
            size: display::size(&parts.text("size")).unwrap_or_default(),
            dpi: display::density(&parts.text("density")).unwrap_or_default(),
            has_virtual_time: value("time") == "virtual",
            has_network: look::has_network(&parts.text("network")).unwrap_or(true),
            home: home(&parts.text("home"), &parts.text("front")),
            user: value("user").parse().unwrap_or(0),
        };
        self.changes = Changes::of_user(&self.facts.user_flag());
        if self.facts.user == 0 {
            note_settings(&mut self.changes, settings, &parts);
            return Ok(());
        }
        // The answer has the settings of the first user; each user has its own.
        let flag = self.facts.user_flag();
        let mut script = Script::new(&mark);
        for (space, name, _) in settings {
            script.part(name, &format!("settings get{flag} {space} {name} 2>/dev/null"));
        }
        let answer = self.ask("asking for its settings", &script.finish())?;
        note_settings(&mut self.changes, settings, &mark.parts(&answer.stdout));
        Ok(())
    }

    /// Changes the settings, and creates the folder for the state of tasks.
    pub(super) fn prepare(&mut self, settings: &[Setting]) -> Result<(), AdbError> {
        // Noted before they exist, so that the note on the phone names them too.
        self.changes.folder();
        if self.options.u2.is_some() {
            self.changes.server();
        }
        let folder = self.folder();
        let puts: Vec<String> = settings
            .iter()
            .map(|(space, name, value)| {
                format!("echo {SETTING}{name}\n{} 2>&1", self.facts.put_setting(space, name, value))
            })
            .collect();
        // The note is written before the changes, so that a run killed at any moment can be undone.
        let note = self.changes.note(&folder);
        let script =
            format!("mkdir -p {folder}/0\n{note}\n{}\n[ -d {folder}/0 ] && echo yes", puts.join("\n"));
        let answer = self.ask("preparing it", &script)?;
        let said = String::from_utf8_lossy(&answer.stdout);
        if said.lines().any(|line| line.trim() == "yes") {
            self.refused = refused(&said, settings);
            return Ok(());
        }
        let said = [answer.stdout, answer.stderr].concat();
        Err(AdbError::Impossible {
            serial: self.serial().to_string(),
            action: "write to /data/local/tmp".to_string(),
            why: shown(&String::from_utf8_lossy(&said)),
        })
    }

    /// Installs the app if APKs are given, and reads which activities can be started.
    pub(super) fn set_up_app(&mut self, subject: &Subject) -> Result<(), AdbError> {
        let (package, activities) = match subject {
            // Without its manifest it is not known which activities an app declares.
            Subject::Package(package) => (package.clone(), Vec::new()),
            Subject::Apks(paths) => {
                let (manifest, apks) = read_apks(paths)?;
                self.apks = apks;
                self.install()?;
                (manifest.package.clone(), declared(manifest))
            }
        };
        if self.apks.is_empty() && self.options.reset == Reset::Reinstall {
            return Err(AdbError::Impossible {
                serial: self.serial().to_string(),
                action: "--reset reinstall".to_string(),
                why: "there is no APK to install; give it with --apk".to_string(),
            });
        }
        self.learn_app(&package, activities)
    }

    /// Installs the APKs over an existing installation.
    fn install(&mut self) -> Result<(), AdbError> {
        let folder = "/data/local/tmp";
        let apks = self.apks.clone();
        // The mark in the names tells them from files that other runs have left.
        let paths: Vec<String> =
            (0..apks.len()).map(|at| format!("{folder}/{}-{at}.apk", self.mark.word())).collect();
        for (apk, path) in apks.iter().zip(&paths) {
            self.push("pushing an APK", &apk.bytes, path)?;
        }
        // From Android 6 on, permissions are granted apart from the installation.
        let grants = if self.facts.sdk >= 23 { " -g" } else { "" };
        // `-r` replaces an installed version, and `-t` admits builds that are for tests only.
        let options = format!("-r{grants} -t");
        // Some versions print the failure to standard error, so both outputs are read.
        let script = match &paths[..] {
            [only] => format!("pm install {options} {only} 2>&1"),
            _ => self.session(&options, &apks, &paths)?,
        };
        let removed = paths.join(" ");
        let answer = self.ask_within("installing", &format!("{script}; rm -f {removed}"), INSTALL)?;
        let said = String::from_utf8_lossy(&answer.stdout).into_owned();
        let is_success =
            |line: &str| line.trim() == "Success" || line.trim().starts_with("Success: installed");
        if said.lines().any(is_success) {
            return Ok(());
        }
        let names: Vec<&str> = apks.iter().map(|apk| apk.name.as_str()).collect();
        let failure = said.lines().find(|line| line.contains("Failure") || line.contains("Error"));
        Err(AdbError::Install {
            serial: self.serial().to_string(),
            what: names.join(", "),
            said: shown(failure.unwrap_or(&said)),
        })
    }

    /// Opens an installation session, and returns the commands that install an app in several parts.
    fn session(&mut self, options: &str, apks: &[Apk], paths: &[String]) -> Result<String, AdbError> {
        let total: usize = apks.iter().map(|apk| apk.bytes.len()).sum();
        let answer = self.ask("installing", &format!("pm install-create {options} -S {total} 2>&1"))?;
        let said = String::from_utf8_lossy(&answer.stdout).into_owned();
        // `Success: created install session [1234]`
        let number =
            said.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(number, _)| number);
        let number =
            number.filter(|number| number.parse::<u32>().is_ok()).ok_or_else(|| AdbError::Install {
                serial: self.serial().to_string(),
                what: "an app in parts".to_string(),
                said: shown(&said),
            })?;
        let mut script = String::new();
        for (at, (apk, path)) in apks.iter().zip(paths).enumerate() {
            let length = apk.bytes.len();
            // Discarded, because the success of a part would be read as the success of the whole.
            script.push_str(&format!(
                "pm install-write -S {length} {number} {at}.apk {path} >/dev/null 2>&1\n"
            ));
        }
        script.push_str(&format!("pm install-commit {number} 2>&1"));
        Ok(script)
    }

    /// Installs the app anew, as for the first time.
    pub(super) fn reinstall(&mut self) -> Result<(), AdbError> {
        let package = quote(&self.app.package);
        // For all users, as the installation is; the answer is not read: a command that is repeated finds nothing to remove.
        self.ask_within("uninstalling", &format!("pm uninstall {package} 2>&1"), INSTALL)?;
        self.install()
    }

    /// Reads version, activities and permissions of an installed app.
    fn learn_app(&mut self, package: &str, activities: Vec<Arc<str>>) -> Result<(), AdbError> {
        let mark = self.mark.clone();
        let (word, flag) = (quote(package), self.facts.user_flag());
        let script = Script::new(&mark)
            .part("path", &format!("pm path{flag} {word} 2>/dev/null"))
            .part("dump", &format!("dumpsys package {word} 2>/dev/null"))
            .part(
                "resolved",
                &format!(
                    "cmd package resolve-activity --brief{flag} -a {MAIN} -c {LAUNCHER} {word} 2>/dev/null"
                ),
            )
            .finish();
        let answer = self.ask("asking for the app", &script)?;
        let parts = mark.parts(&answer.stdout);
        let (serial, name) = (self.serial().to_string(), package.to_string());
        if !parts.text("path").contains("package:") {
            return Err(AdbError::NotInstalled { serial, package: name });
        }
        let dump = parts.text("dump");
        // The dump lists all of them, the resolver at most one.
        let mut launchable = launchable(&dump, package);
        if launchable.is_empty() {
            // The component stands in the last line, after a line about the match.
            launchable.extend(parts.text("resolved").lines().rev().find_map(|line| class(line, package)));
        }
        if launchable.is_empty() {
            return Err(AdbError::NoActivity { serial, package: name });
        }
        let version = dump.lines().find_map(|line| line.trim().strip_prefix("versionName="));
        self.app = App {
            package: package.into(),
            version: version.map(shown).unwrap_or_default().into(),
            launchable: launchable.into_iter().map(Arc::from).collect(),
            activities,
        };
        self.permissions = permissions(&dump, self.facts.user);
        Ok(())
    }
}

/// Start of the line before the answer to a change of a setting; the setting's name follows.
const SETTING: &str = "farlead-setting:";

/// Notes the settings as they are in the parts of an answer.
fn note_settings(changes: &mut Changes, settings: &[Setting], parts: &Parts<'_>) {
    for &(space, name, _) in settings {
        let said = parts.text(name);
        changes.setting(space, name, said.lines().next().unwrap_or("null").trim());
    }
}

/// Returns the settings whose change was refused.
fn refused(said: &str, settings: &[Setting]) -> Vec<&'static str> {
    let answer = |name: &str| {
        let (_, rest) = said.split_once(&format!("{SETTING}{name}"))?;
        Some(rest.split(SETTING).next().unwrap_or(rest))
    };
    let names = settings.iter().map(|(_, name, _)| *name);
    names.filter(|name| answer(name).is_some_and(refuses_settings)).collect()
}

/// Returns the package of the launcher: the resolved home app, or else the one in front after the home key.
fn home(resolved: &str, front: &str) -> Arc<str> {
    let named = resolved.lines().rev().find_map(|line| {
        let (package, _) = line.trim().split_once('/')?;
        // With several launchers and no choice made, the system resolves to its own chooser.
        (package != "android" && !package.contains(' ')).then(|| package.to_string())
    });
    let package = named.or_else(|| focus(front).map(|focus| focus.package));
    package.unwrap_or_default().into()
}

/// Returns the activities that can come to the front: an alias shows the activity that it stands for.
pub(in crate::device) fn declared(manifest: Manifest) -> Vec<Arc<str>> {
    let Manifest { activities, aliases, .. } = manifest;
    activities.into_iter().filter(|name| !aliases.contains(name)).map(Arc::from).collect()
}

/// Reads the base APK and its splits, and returns the manifest of the base.
pub(in crate::device) fn read_apks(paths: &[std::path::PathBuf]) -> Result<(Manifest, Vec<Apk>), AdbError> {
    let mut base = None;
    let mut apks = Vec::new();
    for path in paths {
        let apk = read_apk(path)?;
        match Manifest::read(std::io::Cursor::new(&apk.bytes[..])) {
            Ok(manifest) => base = Some(manifest),
            // Beside a base a split is expected; alone it cannot be started.
            Err(ManifestError::Split { .. }) if paths.len() > 1 => {}
            Err(error) => {
                return Err(AdbError::Apk { path: shown_path(path), why: error.to_string() });
            }
        }
        apks.push(apk);
    }
    let base = base.ok_or_else(|| AdbError::Apk {
        path: paths.first().map(|path| shown_path(path)).unwrap_or_default(),
        why: "there is no base APK among them".to_string(),
    })?;
    Ok((base, apks))
}

fn read_apk(path: &Path) -> Result<Apk, AdbError> {
    let failed = |why: String| AdbError::Apk { path: shown_path(path), why };
    let length = fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
    // Checked before reading, so that a huge file does not fill the memory.
    if length > APK_BYTES_MAX {
        return Err(failed(format!("it has more than {} GB", APK_BYTES_MAX >> 30)));
    }
    let bytes = fs::read(path).map_err(|error| failed(error.to_string()))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Apk { name: shown(&name), bytes: bytes.into() })
}

/// Returns the classes of a package that a launcher starts, from `dumpsys package`.
fn launchable(dump: &str, package: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut current = None;
    for line in dump.lines().map(str::trim) {
        // `1f2e3d4 org.notes/.Main filter 5a6b7c8`
        if let Some(name) = line.split_whitespace().nth(1).filter(|_| line.contains(" filter ")) {
            current = class(name, package);
        }
        let is_launcher = line.starts_with("Category:")
            && (line.contains(".LAUNCHER\"") || line.contains(".LEANBACK_LAUNCHER\""));
        // Taken out, because one filter may have both categories.
        if is_launcher && let Some(class) = current.take().filter(|class| !found.contains(class)) {
            found.push(class);
        }
        // The tables of filters are over, and the rest of the dump may be long.
        if line == "Packages:" {
            break;
        }
    }
    found
}

/// Returns the permissions granted to a user at installation, which clearing the app's data revokes.
fn permissions(dump: &str, user: u32) -> Vec<String> {
    // Each user has a list; old versions have one list, for all.
    let start = format!("User {user}:");
    let of_user = dump.find(&format!("\n    {start}")).map_or(dump, |at| &dump[at..]);
    // Clearing revokes only these; permissions that need no consent stay granted.
    let lines = of_user.lines().map(str::trim).skip_while(|line| *line != "runtime permissions:").skip(1);
    let granted = lines.take_while(|line| line.contains(": granted="));
    granted
        .filter(|line| line.contains("granted=true"))
        .filter_map(|line| line.split_once(':').map(|(name, _)| name.to_string()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:\n        \
        1f2e org.notes/.Main filter 5a6b\n          Action: \"android.intent.action.MAIN\"\n          \
        Category: \"android.intent.category.LAUNCHER\"\n        2f2e org.notes/.Hidden filter 5a6c\n          \
        Action: \"android.intent.action.MAIN\"\n        3f2e org.notes/org.tv.Main filter 5a6d\n          \
        Category: \"android.intent.category.LEANBACK_LAUNCHER\"\n\nPackages:\n  Package [org.notes] (1a2b):\n    \
        versionName=1.2\n    User 0:\n      runtime permissions:\n        \
        android.permission.CAMERA: granted=true, flags=[ USER_SET ]\n        \
        android.permission.READ_CONTACTS: granted=false\n      enabledComponents:\n";

    #[test]
    fn what_a_launcher_starts_is_read_from_the_phone() {
        assert_eq!(launchable(DUMP, "org.notes"), ["org.notes.Main", "org.tv.Main"]);
        assert!(launchable(DUMP, "org.other").is_empty());
    }

    #[test]
    fn a_setting_whose_change_is_refused_is_known_by_its_answer() {
        let said = "farlead-setting:accelerometer_rotation\n\nfarlead-setting:user_rotation\nException occurred while executing \
            'put':\njava.lang.SecurityException: Permission denial\nfarlead-setting:window_animation_scale\n\
            com.android.X: You need android.permission.WRITE_SECURE_SETTINGS\nyes\n";
        assert_eq!(refused(said, &SETTINGS), ["user_rotation", "window_animation_scale"]);
        assert!(refused("yes\n", &SETTINGS).is_empty());
    }

    #[test]
    fn the_permissions_that_are_granted_are_known() {
        assert_eq!(permissions(DUMP, 0), ["android.permission.CAMERA"]);
        assert!(permissions("", 0).is_empty());
        let of_two = DUMP.replace(
            "      enabled",
            "    User 10: installed=true\n      runtime permissions:\n        \
            android.permission.READ_SMS: granted=true\n      enabled",
        );
        assert_eq!(permissions(&of_two, 0), ["android.permission.CAMERA"]);
        assert_eq!(permissions(&of_two, 10), ["android.permission.READ_SMS"]);
    }
}
