//! What `farlead check` learned, kept in a file for the next time.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::{Ended, farlead};

const APP: &str = "apps/chesswalk.app";
const PACKAGE: &str = "cz.hejl.chesswalk";
const SETTINGS: &str = "specs/chesswalk/settings.ltl";
const HEADER: &str = "{\"farlead\":\"learned\",\"version\":1}\n";
const VALUES: &str = "{\"type\":\"click\",\"names\":[\"About\",\"\",\"\",\"\"],\"values\":[0.5,0.25]}\n";

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("learned").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn check(learned: &Path, more: &[&str]) -> Ended {
    let learned = learned.to_str().expect("a path");
    let args = ["check", SETTINGS, "--app", APP, "--only", "b", "--learned", learned];
    farlead(&[&args[..], more].concat(), "")
}

/// Nothing runs, `message` is said, and the file stays as it is.
#[track_caller]
fn refused(name: &str, content: &str, code: i32, message: &str) {
    let path = folder(name).join("learned.jsonl");
    fs::write(&path, content).expect("a file");
    let ended = check(&path, &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (code, ""), "{}", ended.stderr);
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
    assert_eq!(fs::read_to_string(&path).expect("the file"), content);
    assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("a folder").count(), 1);
}

#[test]
fn what_was_learned_is_kept_and_used() {
    let path = folder("kept").join("learned.jsonl");
    let first = check(&path, &[]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let kept = fs::read_to_string(&path).expect("what was learned");
    assert!(kept.starts_with(&format!("{HEADER}{{\"app\":\"{PACKAGE}\",\"version\":")), "{kept}");
    assert!(kept.contains("\"click\""), "{kept}");
    let again = check(&path, &[]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    // An agent that learns nothing takes nothing away.
    let before = fs::read_to_string(&path).expect("what was learned");
    assert_eq!(check(&path, &["--agent", "tree"]).code, 0);
    assert_eq!(fs::read_to_string(&path).expect("what was learned"), before);
    assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("a folder").count(), 1);
}

#[test]
fn a_file_of_the_last_release_is_read_and_extended() {
    let path = folder("old").join("learned.jsonl");
    fs::write(&path, VALUES.replace("About", "Nowhere")).expect("a file");
    let ended = check(&path, &[]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    let kept = fs::read_to_string(&path).expect("what was learned");
    assert!(kept.starts_with(HEADER) && kept.contains("Nowhere") && kept.contains("btSettings"), "{kept}");
}

#[test]
fn what_is_not_understood_is_refused_and_left_as_it_is() {
    refused("broken", "{\"type\":1}\n", 3, "learned.jsonl:1: invalid type");
    refused("second", &format!("{HEADER}{VALUES}null\n"), 3, "learned.jsonl:3: ");
    refused("later", "{\"farlead\":\"learned\",\"version\":7}\n", 3, "learned.jsonl:1: this is version 7");
    refused("spec", "possible \"x\": F [text = a]\n", 3, "was this file written by `--learned`?");
    let screen =
        "{\"screen\":0,\"seen\":{\"package\":\"p\",\"activity\":\"a\",\"widgets\":[{\"depth\":1}]}}\n";
    refused("screen", &format!("{HEADER}{screen}"), 3, "learned.jsonl:2: widget 0 has the depth 1");
}

#[test]
fn a_file_of_another_app_is_refused_and_of_another_version_used_with_a_warning() {
    let app = |package: &str| format!("{HEADER}{{\"app\":\"{package}\",\"version\":\"0.0.0\"}}\n{VALUES}");
    refused(
        "other",
        &app("org.other"),
        3,
        "was learned of the app org.other, and this is cz.hejl.chesswalk; give another file",
    );
    let path = folder("version").join("learned.jsonl");
    fs::write(&path, app(PACKAGE)).expect("a file");
    let ended = check(&path, &[]);
    assert_eq!(ended.code, 0);
    assert!(
        ended.stderr.contains("warning: ") && ended.stderr.contains("was learned of version 0.0.0"),
        "{}",
        ended.stderr
    );
    // It is of this version from now on.
    assert_eq!(check(&path, &[]).stderr, "");
}

#[test]
fn where_no_file_can_be_nothing_is_begun() {
    let folder = folder("nowhere");
    let ended = check(&folder.join("none").join("learned.jsonl"), &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (4, ""), "{}", ended.stderr);
    assert!(ended.stderr.contains("there is no folder"), "{}", ended.stderr);
    let ended = check(&folder, &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (3, ""), "{}", ended.stderr);
    assert!(ended.stderr.contains("it is no file"), "{}", ended.stderr);
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_extended() {
    let folder = folder("link");
    let (path, link) = (folder.join("learned.jsonl"), folder.join("link.jsonl"));
    fs::write(&path, VALUES).expect("a file");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    assert_eq!(check(&link, &[]).code, 0);
    assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
    assert!(fs::read_to_string(&path).expect("what was learned").starts_with(HEADER));
}
