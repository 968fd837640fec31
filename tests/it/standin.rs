//! A stand-in for a phone, whose shell is a real one: mksh with toybox's tools, as Android has them.
//!
//! The shell of `farlead sim` was written here, so a command line that it alone understands would pass unnoticed. On the
//! stand-in, quotes, pipes, redirections, conditions and exit codes mean what mksh makes of them; `grep`, `cat`, `mkdir` and
//! their kin are toybox's. Not real are:
//!
//! - the tools of Android (`am`, `input`, `dumpsys`, ..): they are scripts that ask this process, where either the simulated
//!   phone answers, each tool alone and its words quoted, or recordings do;
//! - the time: `sleep` and `date` follow the clock of whoever answers;
//! - the folders `/data/local/tmp` and `/sdcard`, which are below a folder of the test: their names are replaced in command
//!   lines, in scripts that are pushed, and in outputs. Other paths are those of this computer;
//! - the wire, which is that of `farlead sim`, with the real adb at its other end.
//!
//! Without mksh or toybox the tests are skipped; in CI both must be there. `FARLEAD_STANDIN=all` runs all bundled specs.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use farlead::device::adb::{Adb, Line, Options, Subject};
use farlead::device::android::focus::focus;
use farlead::device::sim::model::Model;
use farlead::device::{Device as _, Notice};
use farlead::emulator::adbd::{Backend as _, Ran, Server, Settings};
use farlead::emulator::phone::{AndroidVersion, Phone};
use farlead::gui::{Action, Hierarchy, Repertoire, Touch, offers};
use farlead::rng::Seed;
use proptest::prelude::*;

use crate::adb::{Walk, options, package, set};
use crate::adbd::Adb as RealAdb;
use crate::cli::{Ended, command, ended};
use crate::phone::{LAMP, bundled, model_of};
use crate::project::Folder;
use crate::{identity, shared};

mod recorded;
mod shell;

use recorded::{PANTRY, Recorded};
use shell::{Android, StandIn};

impl Android for Phone {
    fn product(&self) -> [String; 3] {
        Phone::product(self)
    }

    fn run(&mut self, words: &[String], root: &Path) -> Ran {
        let quoted: Vec<String> =
            words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
        let line = match words {
            [clock] if clock == "clock" => "date +%s".to_string(),
            _ => quoted.join(" "),
        };
        // Files are the shell's, so a tool gets those that it names, and its own are taken over.
        let named =
            words.iter().filter(|word| word.starts_with("/data/local/tmp/") || word.starts_with("/sdcard/"));
        let named: Vec<&String> = named.collect();
        for path in &named {
            let real = root.join(path.trim_start_matches('/'));
            if let Ok(bytes) = fs::read(&real) {
                self.write(path, 0o644, 0, &bytes).expect("the simulated phone takes it");
            } else if let Some((folder, _)) =
                path.rsplit_once('/').filter(|_| real.parent().is_some_and(Path::exists))
            {
                self.shell(&format!("mkdir -p {folder}"), b"");
            }
        }
        let ran = self.shell(&line, b"");
        for path in named {
            if let Ok(bytes) = self.read(path) {
                fs::write(root.join(path.trim_start_matches('/')), &bytes).expect("a file");
                self.shell(&format!("rm -f {path}"), b"");
            }
        }
        ran
    }

    fn uptime(&mut self) -> String {
        String::from_utf8(self.shell("cat /proc/uptime", b"").stdout).expect("a text")
    }
}

/// Returns a stand-in whose tools are those of the simulated phone.
fn simulated(model: &Arc<Model>, seed: u64, version: AndroidVersion) -> Option<StandIn> {
    StandIn::new(Arc::new(Mutex::new(Phone::new(model.clone(), Seed(seed), version))))
}

/// Returns a stand-in that answers from recordings, and the recordings.
fn recorded(recorded: Recorded) -> Option<(StandIn, Arc<Mutex<Recorded>>)> {
    let recorded = Arc::new(Mutex::new(recorded));
    Some((StandIn::new(recorded.clone())?, recorded))
}

/// A stand-in behind the real adb.
struct Wired {
    /// None once it is to end.
    server: Option<Server>,
    phone: StandIn,
    serial: String,
}

impl Wired {
    fn start(adb: &RealAdb, phone: StandIn) -> Wired {
        let free = SocketAddr::from(([127, 0, 0, 1], 0));
        let served = Arc::new(Mutex::new(phone.clone()));
        let server = Server::start(free, served, Settings::default()).expect("a free port");
        let serial = adb.connect(&server);
        Wired { server: Some(server), phone, serial }
    }
}

impl Drop for Wired {
    fn drop(&mut self) {
        drop(self.server.take());
        // The thread of a connection may outlive the test, and then the process would leave the folder behind.
        self.phone.end();
    }
}

fn with(adb: &RealAdb, args: &[&str]) -> Ended {
    let mut command = command(args);
    adb.lend_to(&mut command);
    ended(&mut command, "")
}

#[test]
fn the_same_runs_look_the_same_in_a_real_shell() {
    for (model, version) in [
        (bundled("notes.app"), AndroidVersion::V13),
        (model_of(LAMP), AndroidVersion::V7),
        (model_of(LAMP), AndroidVersion::V16),
    ] {
        let Some(phone) = simulated(&model, 3, version) else { return };
        let walk = Walk { version, episodes: 2, steps: 10, ..Walk::new(model) };
        let mut adb = Adb::on(Box::new(phone), &package(&walk.model), options()).expect("a phone");
        assert_eq!(walk.go(3, &mut adb).1, [""; 0]);
    }
}

#[test]
fn specs_are_met_by_the_same_run_on_the_stand_in_with_either_keyboard() {
    let Some(adb) = RealAdb::start("standin") else { return };
    let (chesswalk, notes) = ("apps/chesswalk.app", "apps/notes.app");
    let few: &[(&[&str], &str)] = &[
        (&["specs/chesswalk/about.ltl", "--only", "c"], chesswalk),
        (&["specs/chesswalk/pause.ltl"], chesswalk),
        (&["specs/notes/dummy_note.ltl", "--only", "b_back"], notes),
    ];
    let all: &[(&[&str], &str)] = &[(&["specs/chesswalk"], chesswalk), (&["specs/notes"], notes)];
    let is_all = std::env::var("FARLEAD_STANDIN").is_ok_and(|which| which == "all");
    let (asked, expected) = if is_all { (all, 27) } else { (few, 3) };
    for keyboard in ["soft", "hard"] {
        let mut compared = 0;
        for &(specs, app) in asked {
            let model = set(&bundled(app.trim_start_matches("apps/")), &[("sim.keyboard", keyboard)]);
            let Some(phone) = simulated(&model, 1, AndroidVersion::V13) else { return };
            let phone = Wired::start(&adb, phone);
            // The simulator's keyboard is soft, so the tests of all four are the same.
            compared += identity::compare_at(&adb, (specs, app), "1", &phone.serial, &[]);
        }
        assert_eq!(compared, expected, "{keyboard}");
    }
}

#[test]
fn a_keyboard_comes_up_on_the_stand_in_where_it_is_soft() {
    for (keyboard, is_soft) in [("soft", true), ("hard", false)] {
        let model = set(&model_of(LAMP), &[("sim.keyboard", keyboard)]);
        let Some(phone) = simulated(&model, 1, AndroidVersion::V13) else { return };
        let mut adb = Adb::on(Box::new(phone), &package(&model), options()).expect("a phone");
        adb.keep_keyboard(true);
        let seen = adb.reset("org.lamp.Main").expect("a screen");
        let typed = offers(&seen.screen, &Repertoire::new(["a"], &[], false));
        let typed = typed.iter().find(|action| matches!(action, Action::Text { .. })).expect("a field");
        let seen = adb.act(typed).expect("a screen");
        assert_eq!(seen.screen.context().keyboard, is_soft, "{keyboard}");
    }
}

#[test]
fn exported_scripts_are_understood_by_a_real_shell() {
    let Some(adb) = RealAdb::start("standin-export") else { return };
    let Some(phone) = simulated(&bundled("notes.app"), 1, AndroidVersion::V13) else { return };
    let phone = Wired::start(&adb, phone);
    let tests = crate::clients::stored_tests("notes", &adb.home.join("notes"));
    assert!(!tests.is_empty());
    for test in tests.iter().take(2) {
        let ran = crate::clients::run_script(&adb, &phone.serial, test);
        assert_eq!(ran, (Some(0), String::new()), "{}", test.display());
    }
}

#[test]
fn a_real_shell_puts_back_what_was_changed_even_after_a_kill() {
    let model = model_of(LAMP);
    let Some(phone) = simulated(&model, 1, AndroidVersion::V13) else { return };
    phone.said("settings delete global animator_duration_scale");
    let state =
        "settings list system; settings list global; ls -a /data/local/tmp; cmd connectivity airplane-mode";
    let before = phone.said(state);
    for is_killed in [false, true] {
        let open = || Adb::on(Box::new(phone.clone()), &package(&model), options()).expect("a phone");
        let mut adb = open();
        adb.reset("org.lamp.Main").expect("a screen");
        for action in [Action::ROTATE, Action::NETWORK, Action::IDLE] {
            adb.act(&action).expect("a screen");
        }
        assert_ne!(phone.said(state), before);
        if is_killed {
            // A killed process has no time to put anything back.
            std::mem::forget(adb);
            drop(open());
        } else {
            drop(adb);
        }
        assert_eq!(phone.said(state), before, "killed: {is_killed}");
    }
    // The forgotten device still holds it.
    phone.end();
}

#[test]
fn a_command_too_long_for_an_old_adb_is_run_from_a_file() {
    let model = model_of(LAMP);
    let Some(phone) = simulated(&model, 1, AndroidVersion::V7) else { return };
    let mut adb = Adb::on(Box::new(phone), &package(&model), options()).expect("a phone");
    let seen = adb.reset("org.lamp.Main").expect("a screen");
    let text = "all of \"it\" & 100%s 'quoted' $HOME `x` \\ \\n <b> ".repeat(40);
    let typed = offers(&seen.screen, &Repertoire::new([text.as_str()], &[], false));
    let typed = typed.iter().find(|action| matches!(action, Action::Text { .. })).expect("a field");
    let seen = adb.act(typed).expect("a screen");
    assert!(seen.screen.widgets().iter().any(|widget| *widget.text == *text));
}

/// Types texts into the field of the recorded app, and returns those that have reached `input`.
fn typed(texts: &[String]) -> Option<Vec<String>> {
    let (phone, recorded) = recorded(Recorded::new())?;
    let mut adb = Adb::on(Box::new(phone), &Subject::Package(PANTRY.into()), options()).expect("a phone");
    let activity = adb.app().launchable[0].clone();
    let seen = adb.reset(&activity).expect("a screen");
    let add = offers(&seen.screen, &Repertoire::default())
        .into_iter()
        .find(|action| matches!(action, Action::Touch(Touch::Click, on) if &*on.text == "Add"));
    let mut seen = adb.act(&add.expect("a button")).expect("a screen");
    let mut arrived = Vec::new();
    for text in texts {
        let offered = offers(&seen.screen, &Repertoire::new([text.as_str()], &[], false));
        let action = offered
            .into_iter()
            .find(|action| matches!(action, Action::Text { text: own, .. } if **own == **text));
        seen = adb.act(&action.expect("a field")).expect("a screen");
        arrived.push(recorded.lock().expect("no panic").typed.clone());
    }
    assert_eq!(recorded.lock().expect("no panic").unknown, [""; 0]);
    Some(arrived)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, ..ProptestConfig::default() })]

    #[test]
    fn a_text_comes_to_input_letter_by_letter(texts in prop::collection::vec("[ -~]{1,30}", 1..5)) {
        let Some(arrived) = typed(&texts) else { return Ok(()) };
        prop_assert_eq!(arrived, texts);
    }
}

#[test]
fn texts_with_every_mark_of_a_shell_come_to_input_as_they_are() {
    let texts = [
        "it's \"quoted\"",
        "$HOME ${x} $(id) `id`",
        "a;b&&c||d|e&",
        "* ? [a-z] ~ {a,b}",
        "\\n \\\\ \\c \\0101",
        "<in >out 2>&1",
        "-n",
        "--",
        "#no comment",
        "!!",
        "100%s and %d",
        "  two  blanks  ",
        "'",
        "\\",
    ]
    .map(str::to_string);
    let Some(arrived) = typed(&texts) else { return };
    assert_eq!(arrived, texts);
}

#[test]
fn a_recorded_phone_is_examined_looked_at_checked_and_replayed() {
    let Some(adb) = RealAdb::start("standin-pantry") else { return };
    let Some((phone, recorded)) = recorded(Recorded::new()) else { return };
    let phone = Wired::start(&adb, phone);
    let doctor = with(&adb, &["doctor", "--device", &phone.serial]);
    assert_eq!(doctor.code, 0, "{}{}", doctor.stdout, doctor.stderr);
    assert!(doctor.stdout.contains("Android 13 (API 33)"), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("its screen is read: 3 widgets"), "{}", doctor.stdout);
    let look = with(&adb, &["look", "--device", &phone.serial]);
    assert!(
        look.code == 0 && look.stdout.contains("com.google.android.apps.nexuslauncher"),
        "{}",
        look.stdout
    );
    let folder = Folder::new("standin");
    folder.write(
        "pantry.ltl",
        "possible \"adds\" within 6 steps, 30 episodes: F ([actionType = click] & [text = \"rye's <1>\"])\n",
    );
    let path = folder.path("pantry.ltl");
    let (spec, out) = (path.to_str().expect("a path"), folder.path("out"));
    let out = out.to_str().expect("a path");
    let device = ["--package", PANTRY, "--device", &phone.serial];
    let checked = with(&adb, &[&["check", spec, "--seed", "1", "--out", out][..], &device].concat());
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stdout.contains("text \"rye's <1>\""), "{}", checked.stdout);
    let mut tests = Vec::new();
    let mut open = vec![folder.path("out")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            match entry.is_dir() {
                true => open.push(entry),
                false if entry.to_string_lossy().ends_with(".test.ltl") => tests.push(entry),
                false => {}
            }
        }
    }
    let test = tests[0].to_str().expect("a path");
    let replayed = with(&adb, &[&["replay", test, "--out", out][..], &device].concat());
    assert_eq!(replayed.code, 0, "{}{}", replayed.stdout, replayed.stderr);
    let recorded = recorded.lock().expect("no panic");
    assert_eq!(recorded.unknown, [""; 0]);
    assert!(recorded.settings.is_empty(), "{:?}", recorded.settings);
}

/// Returns a stand-in that shows `dump`, with its first package in front.
fn showing(dump: Vec<u8>) -> Option<(StandIn, String)> {
    let text = String::from_utf8_lossy(&dump).into_owned();
    let (_, after) = text.split_once(" package=\"")?;
    let package = after.split('"').next()?.to_string();
    let windows = format!(
        "  mCurrentFocus=Window{{8d6b2e u0 {package}/{package}.Main}}\n  mFocusedApp=ActivityRecord{{5e u0 {package}/.Main t1}}\n"
    );
    let phone = Recorded { dump: Some(dump), windows: Some(windows.into_bytes()), ..Recorded::new() };
    Some((recorded(phone)?.0, package))
}

#[test]
fn a_recorded_dump_comes_through_a_real_shell_as_it_was_recorded() {
    let mut dumps: Vec<_> = [Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/standin")].into();
    dumps.extend(["android/ui", "android/ui_derived"].into_iter().filter_map(shared::path));
    let mut files: Vec<_> = dumps
        .iter()
        .flat_map(|folder| {
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
        })
        .filter(|path| path.extension().is_some_and(|end| end == "xml" || end == "txt"))
        .collect();
    files.sort();
    let mut shown = 0;
    for path in files {
        let dump = fs::read(&path).expect("a dump");
        let Ok(direct) = Hierarchy::read(&dump) else { continue };
        let Some((phone, _)) = showing(dump) else { continue };
        let options = Options { looks_max: 2, ..options() };
        let seen = Adb::to_look(Box::new(phone), options)
            .and_then(|mut adb| adb.look().map_err(|error| panic!("{}: {error}", path.display())));
        let seen = seen.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let directly = direct.into_screen("", "", seen.screen.context());
        assert_eq!(seen.screen.widgets(), directly.widgets(), "{}", path.display());
        shown += 1;
    }
    assert!(shown >= 4, "{shown}");
}

#[test]
fn a_recorded_focus_and_a_recorded_log_come_through_a_real_shell() {
    let Some(dumpsys) = shared::path("android/dumpsys") else { return };
    for name in [
        "window_windows_api29.txt",
        "window_windows_api31.txt",
        "window_windows_api33.txt",
        "window_windows_api36.txt",
    ] {
        let text = fs::read(dumpsys.join(name)).expect("a recording");
        let in_front = focus(&String::from_utf8_lossy(&text)).expect("something in front");
        let package = &in_front.package;
        let dump = format!(
            "<hierarchy rotation=\"0\"><node index=\"0\" text=\"a\" class=\"android.view.View\" package=\"{package}\" \
             content-desc=\"\" bounds=\"[0,0][9,9]\" /></hierarchy>"
        );
        let phone = Recorded { dump: Some(dump.into_bytes()), windows: Some(text), ..Recorded::new() };
        let Some((phone, _)) = recorded(phone) else { return };
        let mut adb = Adb::to_look(Box::new(phone), options()).expect("a phone");
        let seen = adb.look().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(&**seen.screen.activity(), in_front.activity, "{name}");
    }
    let log = fs::read(shared::path("android/logcat/android_runtime_crash.txt").expect("beside it"))
        .expect("a log");
    let text = String::from_utf8_lossy(&log).into_owned();
    let (_, process) = text.split_once("Process: ").expect("a crash");
    let package = process.split([',', '\n']).next().expect("a name").trim().to_string();
    let phone = Recorded { log, package: package.clone(), ..Recorded::new() };
    let Some((phone, _)) = recorded(phone) else { return };
    let mut adb = Adb::on(Box::new(phone), &Subject::Package(package), options()).expect("a phone");
    let activity = adb.app().launchable[0].clone();
    let seen = adb.reset(&activity).expect("a screen");
    assert!(seen.screen.context().crashed);
    assert!(matches!(&seen.notices[..], [Notice::Crash(_), ..]), "{:?}", seen.notices);
}

#[test]
fn a_real_shell_keeps_outputs_apart_and_gives_the_last_code() {
    let Some((mut phone, recorded)) = recorded(Recorded::new()) else { return };
    let within = std::time::Duration::from_secs(10);
    let mut ran = |line: &str| {
        let answer = Line::shell(&mut phone, line, within).expect("an answer");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&answer.stdout), text(&answer.stderr), answer.code)
    };
    assert_eq!(ran("echo a; echo b >&2; (exit 7)"), ("a\n".into(), "b\n".into(), 7));
    assert_eq!(ran("wm size | wc -l; wm nonsense"), ("1\n".into(), "wm nonsense: unknown here\n".into(), 1));
    assert_eq!(ran("cd /data/local/tmp && pwd").0, "/data/local/tmp\n");
    assert_eq!(ran("dumpsys power | grep -q Awake && echo yes").0, "yes\n");
    assert_eq!(recorded.lock().expect("no panic").unknown, ["wm nonsense"]);
}
