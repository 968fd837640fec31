//! One run by every path: the same seed finds the same steps, selectors and formula in the embedded simulator
//! and on a simulated phone behind the real adb.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::adbd::Adb;
use crate::cli::{Ended, binary, command, ended};

/// A `farlead sim` with an app, ended when this is dropped.
pub struct Phone {
    child: Child,
    pub serial: String,
}

impl Phone {
    pub fn start(adb: &Adb, app: &str, more: &[&str]) -> Phone {
        let mut command = Command::new(binary());
        command.args(["sim", app, "--listen", "127.0.0.1:0", "--quiet"]).args(more);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the simulated phone starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let serial = line.trim().strip_prefix("listening on ").expect("where it listens").to_string();
        adb.connect_to(&serial);
        Phone { child, serial }
    }
}

impl Drop for Phone {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns an empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("identity").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Returns the tests below `folder` by their names, without their origins.
fn tests(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(here) = open.pop() {
        for entry in fs::read_dir(&here).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                open.push(entry);
            } else if entry.to_string_lossy().ends_with(".test.ltl") {
                let text = fs::read_to_string(&entry).expect("a test");
                let (_, rest) = text.split_once("\nsteps\n").expect("steps");
                let name = entry.strip_prefix(folder).expect("below").display().to_string();
                found.push((name, rest.to_string()));
            }
        }
    }
    found.sort();
    found
}

fn check(adb: Option<&Adb>, args: &[&str], out: &Path) -> Ended {
    let mut command = command(args);
    command.arg("--out").arg(out);
    if let Some(adb) = adb {
        adb.lend_to(&mut command);
    }
    ended(&mut command, "")
}

/// Checks `specs` on both, and compares the tests kept.
fn compare(adb: &Adb, specs: (&str, &str), seed: &str, phone: &[&str]) -> usize {
    compare_with(adb, specs, seed, phone, &[])
}

/// Compares with more arguments for the check on the phone.
fn compare_with(adb: &Adb, specs: (&str, &str), seed: &str, phone: &[&str], more: &[&str]) -> usize {
    let phone = Phone::start(adb, specs.1, &[&["--seed", seed], phone].concat());
    compare_at(adb, (&[specs.0], specs.1), seed, &phone.serial, more)
}

/// Compares with a phone that runs the app with the same seed, or has yet to install it.
pub fn compare_at(
    adb: &Adb,
    (specs, app): (&[&str], &str),
    seed: &str,
    serial: &str,
    more: &[&str],
) -> usize {
    // No two phones of a process have the same address.
    let name = format!("{}-{seed}-{serial}-{}", specs.concat(), more.len()).replace(['/', ':'], "-");
    let here = folder(&format!("{name}-here"));
    let there = folder(&format!("{name}-there"));
    let apk = there.join("app.apk");
    let apk = apk.to_str().expect("a path");
    assert_eq!(ended(&mut command(&["model", "pack", app, "-o", apk]), "").code, 0);
    let common = [&["check"][..], specs, &["--seed", seed, "--quiet"]].concat();
    let inside = check(None, &[&common[..], &["--app", app]].concat(), &here);
    let outside =
        check(Some(adb), &[&common[..], &["--apk", apk, "--device", serial], more].concat(), &there);
    assert_eq!(
        (inside.code, outside.code),
        (0, 0),
        "{}\n{}",
        inside.stderr,
        outside.stdout + &outside.stderr
    );
    let (expected, found) = (tests(&here), tests(&there));
    assert_eq!(expected.len(), found.len());
    for ((name, expected), (_, found)) in expected.iter().zip(&found) {
        assert_eq!(expected, found, "{name}, seed {seed}, {serial}");
    }
    expected.len()
}

#[test]
fn every_spec_is_met_by_the_same_run_through_the_real_adb() {
    let Some(adb) = Adb::start("identity") else { return };
    let chesswalk = ("specs/chesswalk", "apps/chesswalk.app");
    let notes = ("specs/notes", "apps/notes.app");
    let of_notes = compare(&adb, notes, "1", &[]);
    assert_eq!(compare(&adb, chesswalk, "1", &[]) + of_notes, 33);
    compare(&adb, notes, "7", &["--android", "7"]);
    // The simulator's keyboard is soft.
    let hard = ["--set", "sim.keyboard=hard"];
    assert_eq!(compare(&adb, notes, "1", &hard), of_notes);
    compare(&adb, ("specs/chesswalk/pause.ltl", chesswalk.1), "5", &["--android", "16"]);
}

#[test]
fn specs_are_met_by_the_same_run_through_the_server_of_uiautomator2() {
    let Some(jar) = crate::clients::u2_jar() else { return };
    let Some(adb) = Adb::start("identity-u2") else { return };
    let server = ["--u2", jar.to_str().expect("a path")];
    let notes = ("specs/notes", "apps/notes.app");
    let compared = compare_with(&adb, notes, "1", &[], &server);
    let pause = ("specs/chesswalk/pause.ltl", "apps/chesswalk.app");
    assert!(compared > 3 && compare_with(&adb, pause, "5", &["--android", "8"], &server) > 0);
    let phone = Phone::start(&adb, "apps/notes.app", &[]);
    let mut look = command(&["look", "--device", &phone.serial, server[0], server[1]]);
    adb.lend_to(&mut look);
    let ended = ended(&mut look, "");
    assert_eq!((ended.code, &*ended.stderr), (0, ""));
    assert!(ended.stdout.contains("com.android.launcher"), "{}", ended.stdout);
    let left = adb.text(&["-s", &phone.serial, "shell", "ls /data/local/tmp; uiautomator dump"]);
    assert_eq!(left, "UI hierchary dumped to: /sdcard/window_dump.xml\n");
}

#[test]
fn a_server_is_a_file_that_is_known_and_for_devices_alone() {
    let there = folder("u2-refused");
    let file = there.join("u2.jar");
    fs::write(&file, "another").expect("a file");
    let file = file.to_str().expect("a path");
    let spec = "specs/notes/palette.ltl";
    for args in [&["check", spec, "--package", "org.example", "--u2", file][..], &["look", "--u2", file]] {
        let refused = ended(&mut command(args), "");
        assert_eq!((refused.code, &*refused.stdout), (3, ""));
        assert!(refused.stderr.contains(&format!("{file} is no u2.jar that is known here: its SHA-256 is ")));
        assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    }
    let app = ["--app", "apps/notes.app", "--u2", file];
    for args in [&["check", spec][..], &["look"]] {
        let refused = ended(&mut command(&[args, &app[..]].concat()), "");
        assert_eq!((refused.code, &*refused.stdout), (2, ""));
        let expected =
            format!("`--u2 {file}` is for looking at a device, and this app runs in the simulator");
        assert!(refused.stderr.contains(&expected), "{}", refused.stderr);
    }
}

/// Returns the packed notes app, and the tests that the simulator finds for its specs.
fn notes(name: &str) -> (PathBuf, Vec<(String, String)>) {
    let here = folder(name);
    let apk = here.join("app.apk");
    let packed = ["model", "pack", "apps/notes.app", "-o", apk.to_str().expect("a path")];
    assert_eq!(ended(&mut command(&packed), "").code, 0);
    let inside = check(None, &["check", "specs/notes", "--app", "apps/notes.app", "--quiet"], &here);
    assert_eq!(inside.code, 0, "{}", inside.stderr);
    (apk, tests(&here))
}

/// Returns what the device at `serial` was asked to do in the only run below `folder`.
fn asked_of(folder: &Path, serial: &str) -> Vec<String> {
    let path = folder.join(".farlead/runs/0001/devices").join(serial.replace(':', "_")).join("steps.jsonl");
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_string).collect()
}

#[test]
fn several_devices_share_the_work_and_find_the_same() {
    let Some(adb) = Adb::start("several") else { return };
    let (apk, expected) = notes("several-here");
    let there = folder("several-there");
    let phones = [(); 2].map(|()| Phone::start(&adb, "apps/notes.app", &[]));
    let [one, other] = [&phones[0].serial, &phones[1].serial];
    let apk = apk.to_str().expect("a path");
    let args = ["check", "specs/notes", "--apk", apk, "--device", one, "--device", other, "--jobs", "2"];
    let ended = check(Some(&adb), &args, &there);
    assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains(&format!("({one}); ")), "{}", ended.stdout);
    assert_eq!(tests(&there), expected);
    for serial in [one, other] {
        let asked = asked_of(&there, serial);
        assert!(asked.len() > 10, "{asked:?}");
        assert!(asked[0].contains("\"action\":\"reinitialise "), "{asked:?}");
    }
}

#[test]
fn the_work_of_a_device_that_is_lost_is_done_on_another() {
    let Some(adb) = Adb::start("lost") else { return };
    let (apk, expected) = notes("lost-here");
    let there = folder("lost-there");
    let (stays, goes) =
        (Phone::start(&adb, "apps/notes.app", &[]), Phone::start(&adb, "apps/notes.app", &[]));
    let apk = apk.to_str().expect("a path");
    let args = ["check", "specs/notes", "--apk", apk, "--device", &stays.serial, "--device", &goes.serial];
    let mut command = command(&[&args[..], &["--jobs", "2", "--out"]].concat());
    adb.lend_to(command.arg(&there));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let lost = goes.serial.clone();
    // The device disappears as soon as it was asked to do something.
    while asked_of(&there, &lost).is_empty() && child.try_wait().expect("a child").is_none() {
        thread::sleep(Duration::from_millis(2));
    }
    drop(goes);
    let ended = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(0), "{}{said}", String::from_utf8_lossy(&ended.stdout));
    assert!(said.contains(&lost) && said.contains("another device goes on with"), "{said}");
    assert_eq!(tests(&there), expected);
}

#[test]
fn where_the_only_device_is_lost_that_is_an_error_of_the_environment() {
    let Some(adb) = Adb::start("gone") else { return };
    let (apk, _) = notes("gone-here");
    let there = folder("gone-there");
    let phone = Phone::start(&adb, "apps/notes.app", &["--faults", "offline=1"]);
    let args = ["check", "specs/notes/palette.ltl", "--apk", apk.to_str().expect("a path")];
    let ended = check(Some(&adb), &[&args[..], &["--device", &phone.serial]].concat(), &there);
    assert_eq!((ended.code, ended.stdout.as_str()), (4, ""), "{}", ended.stderr);
    assert!(ended.stderr.contains(&phone.serial), "{}", ended.stderr);
    // A line may come before it that says what farlead waits for.
    let said = ended.stderr.lines().filter(|line| !line.ends_with("waiting for the device to answer"));
    assert_eq!(said.count(), 1, "{}", ended.stderr);
}
