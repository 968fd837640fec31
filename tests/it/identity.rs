//! One run by every path: the same seed finds the same steps, selectors and formula in the embedded simulator and on a
//! simulated phone behind the real adb.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::adbd::Adb;
use crate::cli::{Ended, command, ended};

/// `farlead sim` with an app, as long as this lives.
struct Phone {
    child: Child,
    serial: String,
}

impl Phone {
    fn start(adb: &Adb, app: &str, more: &[&str]) -> Phone {
        let mut command = Command::new(env!("CARGO_BIN_EXE_farlead"));
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
        // One that has ended already is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("identity").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The tests below `folder` by their names, without where each comes from.
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

/// Checks `specs` on both, and compares what is kept.
fn compare(adb: &Adb, (specs, app): (&str, &str), seed: &str, phone: &[&str]) -> usize {
    let name = format!("{}-{seed}-{}", app.replace('/', "-"), phone.concat());
    let here = folder(&format!("{name}-here"));
    let there = folder(&format!("{name}-there"));
    let apk = there.join("app.apk");
    let apk = apk.to_str().expect("a path");
    assert_eq!(ended(&mut command(&["model", "pack", app, "-o", apk]), "").code, 0);
    let common = ["check", specs, "--seed", seed, "--quiet"];
    let inside = check(None, &[&common[..], &["--app", app]].concat(), &here);
    let phone = Phone::start(adb, app, &[&["--seed", seed], phone].concat());
    let outside =
        check(Some(adb), &[&common[..], &["--apk", apk, "--device", &phone.serial]].concat(), &there);
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
        assert_eq!(expected, found, "{name}, seed {seed}, {phone:?}", phone = phone.serial);
    }
    expected.len()
}

#[test]
fn every_spec_is_met_by_the_same_run_through_the_real_adb() {
    let Some(adb) = Adb::start("identity") else { return };
    let chesswalk = ("specs/chesswalk", "apps/chesswalk.app");
    let notes = ("specs/notes", "apps/notes.app");
    let compared = compare(&adb, chesswalk, "1", &[]) + compare(&adb, notes, "1", &[]);
    assert_eq!(compared, 27);
    compare(&adb, notes, "7", &["--android", "7"]);
    compare(&adb, ("specs/chesswalk/pause.ltl", chesswalk.1), "5", &["--android", "16"]);
}
