//! Runs that a signal ends: what was found is kept, and nothing that farlead started is left.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::browser::{browsers, served};
use crate::cli::{Ended, command};
use crate::project::Folder;

/// Time for some steps after a run has said what its device is.
const SOME_STEPS: Duration = Duration::from_millis(1_500);

/// Folder for the files of browsers, which want a short path; it is removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn new() -> Temporary {
        let folder = std::env::temp_dir().join(format!("web{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Temporary(folder)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn signal(name: &str, child: &Child) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status();
    assert!(sent.is_ok_and(|status| status.success()), "the program runs");
}

/// Runs `explore` until it is at work, and has `end` end it.
fn ended_by(args: &[&str], out: &Folder, temporary: &Path, end: impl FnOnce(&Child)) -> Ended {
    let mut command = command(&[&["explore", "--budget", "1000000000", "--no-minimize"], args].concat());
    command
        .arg("--out")
        .arg(out.path(""))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("TMPDIR", temporary);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("farlead runs");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut stderr = child.stderr.take().expect("a pipe");
    let errors = thread::spawn(move || {
        let mut text = String::new();
        stderr.read_to_string(&mut text).map(|_| text)
    });
    let mut said = String::new();
    stdout.read_line(&mut said).expect("the line about the device");
    thread::sleep(SOME_STEPS);
    end(&child);
    stdout.read_to_string(&mut said).expect("all that it says");
    let code = child.wait().expect("it ends").code();
    let code = code.unwrap_or_else(|| panic!("a signal has ended it: {said}"));
    Ended { code, stdout: said, stderr: errors.join().expect("a reader").expect("text") }
}

#[test]
fn a_signal_that_comes_twice_at_once_is_one_and_keeps_what_was_found() {
    let out = Folder::new("interrupted");
    // As `timeout` sends it, to the program and to its group.
    let twice = |child: &Child| ["TERM", "TERM"].iter().for_each(|name| signal(name, child));
    let ended = ended_by(&["--app", "apps/notes.app"], &out, &std::env::temp_dir(), twice);
    assert_eq!(ended.code, 143, "{}", ended.stderr);
    assert!(ended.stdout.contains("; interrupted\n"), "{}", ended.stdout);
    assert!(out.path(".farlead/runs/0001/model.json").is_file(), "{}", ended.stdout);
}

#[test]
fn a_run_on_a_page_that_a_signal_ends_leaves_no_browser_and_no_file() {
    let (files, out) = (Temporary::new(), Folder::new("interrupted-on-a-page"));
    let url = format!("{}/todos.html", served());
    for browser in browsers() {
        for (name, code) in [("INT", 130), ("TERM", 143)] {
            let args = ["--url", &url, "--device", browser.name()];
            let ended = ended_by(&args, &out, &files.0, |child| signal(name, child));
            assert_eq!(ended.code, code, "{}", ended.stderr);
            assert!(ended.stdout.contains("; interrupted\n"), "{}", ended.stdout);
            let left: Vec<_> = fs::read_dir(&files.0).expect("the folder").collect();
            assert!(left.is_empty(), "{left:?}");
            let running = Command::new("ps").args(["-eo", "args"]).output().expect("a list of programs");
            let running = String::from_utf8_lossy(&running.stdout).into_owned();
            let folder = files.0.display().to_string();
            assert!(!running.lines().any(|line| line.contains(&folder)), "{running}");
        }
    }
}
