//! Each command as a user sees it: stdout, stderr, exit code and files, byte for byte, on the bundled specs and
//! apps.
//!
//! A case of [`cases`] is a few lines of a small shell. They run in a folder of their own with copies of
//! `specs` and `apps`, and the transcript is compared with `snapshots/NAME.snap`. After an intended change,
//! write the transcripts again and read the difference:
//!
//! ```sh
//! INSTA_UPDATE=always cargo test --test it snapshots:: && git diff tests/it/snapshots
//! ```
//!
//! A case without a snapshot fails, and so does a snapshot without a case.

mod cases;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::cli::{command, ended};
use crate::project::Folder;
use cases::Case;

/// Runs the cases of a group and compares all transcripts before it fails.
fn check(group: &[Case]) {
    let wrong: Vec<&str> = group.iter().filter(|case| !is_as_recorded(case)).map(|case| case.name).collect();
    assert!(wrong.is_empty(), "these transcripts are not as recorded; the differences are above: {wrong:?}");
}

fn is_as_recorded(case: &Case) -> bool {
    let transcript = Room::new(case).transcript(case.script);
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let compare = || settings.bind(|| insta::assert_snapshot!(case.name, transcript));
    catch_unwind(AssertUnwindSafe(compare)).is_ok()
}

#[test]
fn help_is_as_recorded() {
    check(cases::HELP);
}

#[test]
fn check_by_the_planner_is_as_recorded() {
    check(cases::CHECK_PLANNER);
}

#[test]
fn check_by_other_agents_is_as_recorded() {
    check(cases::CHECK_AGENTS);
}

#[test]
fn every_outcome_of_check_is_as_recorded() {
    check(cases::CHECK_OUTCOMES);
}

#[test]
fn reports_are_as_recorded() {
    check(cases::REPORTS);
}

#[test]
fn stored_tests_are_replayed_shortened_and_exported_as_recorded() {
    check(cases::STORED);
}

#[test]
fn explore_is_as_recorded() {
    check(cases::EXPLORE);
}

#[test]
fn compare_is_as_recorded() {
    check(cases::COMPARE);
}

#[test]
fn lint_explain_and_monitor_are_as_recorded() {
    check(cases::SPECS);
}

#[test]
fn look_and_model_are_as_recorded() {
    check(cases::MODELS);
}

#[test]
fn init_completions_and_devices_are_as_recorded() {
    check(cases::PROJECT);
}

#[test]
fn mistakes_of_users_are_answered_as_recorded() {
    check(cases::MISTAKES);
}

#[test]
fn every_snapshot_has_a_case_and_every_command_a_snapshot() {
    let names: Vec<&str> = cases::all().map(|case| case.name).collect();
    let distinct: BTreeSet<String> = names.iter().map(|name| format!("{name}.snap")).collect();
    assert_eq!(distinct.len(), names.len(), "two cases share a name");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots");
    let entries = fs::read_dir(folder).expect("the snapshots");
    let files = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("letters"));
    let recorded: BTreeSet<String> = files.filter(|name| name.ends_with(".snap")).collect();
    let unmatched: Vec<&String> = recorded.symmetric_difference(&distinct).collect();
    assert!(unmatched.is_empty(), "these have no case, or no snapshot: {unmatched:?}");

    let help = ended(&mut command(&["--help"]), "").stdout;
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for name in listed.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        let start = format!("farlead {name} ");
        let is_run = |case: &Case| {
            case.script.lines().any(|line| {
                let line = format!("{} ", line.trim());
                line.starts_with(&start) && !line.contains(" --help ")
            })
        };
        assert!(cases::all().any(is_run), "no case runs `farlead {name}`");
    }
}

/// The folder of a running case.
struct Room {
    folder: Folder,
}

impl Room {
    fn new(case: &Case) -> Room {
        let folder = Folder::new(&format!("snapshots/{}", case.name));
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for below in ["specs/chesswalk", "specs/notes", "apps"] {
            for entry in fs::read_dir(root.join(below)).expect(below) {
                let name = entry.expect("an entry").file_name().into_string().expect("a name in letters");
                let path = format!("{below}/{name}");
                folder.write(&path, &fs::read_to_string(root.join(&path)).expect("a text"));
            }
        }
        for (name, text) in case.files {
            folder.write(name, text);
        }
        Room { folder }
    }

    /// Runs the lines of a script and returns each with all its output.
    fn transcript(&self, script: &str) -> String {
        let mut transcript = String::new();
        for line in script.lines().map(str::trim).filter(|line| !line.is_empty()) {
            writeln!(transcript, "$ {line}").expect("room for a line");
            transcript.push_str(&self.run(line));
        }
        redacted(&transcript)
    }

    /// Runs one line.
    ///
    /// - `farlead ARGS < IN > OUT` runs the program; `<` and `>` may be left out;
    /// - `cat FILE` shows a file, `sum FILE` its length and its sum, `head FILE` its first lines;
    /// - `ls FOLDER` lists all files below a folder;
    /// - `edit FILE FROM TO` puts a text in the place of another.
    fn run(&self, line: &str) -> String {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["farlead", args @ ..] => self.farlead(args),
            ["cat", file] => shown(&self.folder.read(file)),
            ["head", file] => {
                self.folder.read(file).lines().take(12).map(|line| line.to_string() + "\n").collect()
            }
            ["sum", file] => self.sum(file),
            ["ls", folder] => self.list(folder),
            ["edit", file, from, to] => {
                let text = self.folder.read(file);
                assert!(text.contains(from), "{file} has no `{from}`:\n{text}");
                self.folder.write(file, &text.replace(from, to));
                String::new()
            }
            _ => panic!("this shell does not know `{line}`"),
        }
    }

    fn farlead(&self, args: &[&str]) -> String {
        let mut args = args.to_vec();
        let mut redirected = |sign: &str| {
            let at = args.iter().position(|arg| *arg == sign)?;
            let file = args[at + 1];
            args.drain(at..at + 2);
            Some(file)
        };
        let (input, output) = (redirected("<"), redirected(">"));
        let mut command = command(&args);
        // Help fills the terminal's width, and nothing else in the environment may show.
        for name in ["COLUMNS", "LINES", "TERM", "CLICOLOR", "CLICOLOR_FORCE", "CI", "RUST_BACKTRACE"] {
            command.env_remove(name);
        }
        let stdin = input.map(|file| self.folder.read(file)).unwrap_or_default();
        let ended = ended(command.current_dir(self.folder.path("")), &stdin);
        let mut said = String::new();
        match output {
            Some(file) => self.folder.write(file, &ended.stdout),
            None => said.push_str(&shown(&ended.stdout)),
        }
        if !ended.stderr.is_empty() {
            writeln!(said, "[stderr]\n{}", shown(&ended.stderr).trim_end_matches('\n'))
                .expect("room for a line");
        }
        writeln!(said, "[exit {}]", ended.code).expect("room for a line");
        said
    }

    fn sum(&self, file: &str) -> String {
        let bytes = fs::read(self.folder.path(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        // Texts are compared without the version.
        let bytes = String::from_utf8(bytes)
            .map_or_else(|error| error.into_bytes(), |text| redacted(&text).into_bytes());
        let hex: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{} bytes, SHA-256 {hex}\n", bytes.len())
    }

    fn list(&self, folder: &str) -> String {
        let mut files = Vec::new();
        let mut folders = vec![folder.to_string()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(self.folder.path(&folder)).expect("a folder") {
                let entry = entry.expect("an entry");
                let path = format!("{folder}/{}", entry.file_name().to_str().expect("a name in letters"));
                if entry.path().is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files.iter().map(|file| format!("{file}\n")).collect()
    }
}

/// Splits a line into words; quotes keep one together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, after) = match first {
            '\'' => rest[1..].split_once('\'').unwrap_or_else(|| panic!("no second quote: {line}")),
            _ => rest.split_once(' ').unwrap_or((rest, "")),
        };
        words.push(word.to_string());
        rest = after.trim_start();
    }
    words
}

/// Returns a text with control characters spelled out, and with a mark if its last line has no line break.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    for char in text.chars() {
        if char.is_control() && char != '\n' { shown.extend(char.escape_default()) } else { shown.push(char) }
    }
    if !shown.is_empty() && !shown.ends_with('\n') {
        shown.push_str("\n[no end of line]\n");
    }
    shown
}

/// Returns a text without the version of farlead, which changes with each release.
fn redacted(text: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let quoted = text.replace(&format!("\"{version}\""), "\"VERSION\"");
    quoted.replace(&format!("farlead {version}"), "farlead VERSION")
}
