//! The file in which `farlead check` keeps what it has learned.

use farlead::agent::FARLEAD;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::{Ended, farlead};

const APP: &str = "apps/chesswalk.app";
const PACKAGE: &str = "cz.hejl.chesswalk";
const SETTINGS: &str = "specs/chesswalk/settings.ltl";
const HEADER: &str = "{\"farlead\":\"learned\",\"version\":2}\n";
const VALUES: &str = "{\"type\":\"click\",\"names\":[\"About\",\"\",\"\",\"\"],\"values\":[0.5,0.25]}\n";

/// Returns an empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("learned").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn check(learned: &Path, more: &[&str]) -> Ended {
    let learned = learned.to_str().expect("a path");
    let args = ["check", SETTINGS, "--app", APP, "--only", "b", "--learned", learned];
    // Most of these tests are about what the farlead agent keeps, and it is not the default.
    let agent = if more.contains(&"--agent") { &[][..] } else { &["--agent", "farlead"] };
    farlead(&[&args[..], agent, more].concat(), "")
}

/// Checks that nothing runs, that `message` is printed, and that the file stays unchanged.
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
    assert!(kept.contains("{\"agent\":\"farlead\",\"kept\":\""), "{kept}");
    let again = check(&path, &[]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    // An agent that learns nothing removes nothing.
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
    assert!(kept.starts_with(HEADER), "{kept}");
    // The agent `farlead` keeps lines, which the file has in Base64.
    let learned = farlead::learned::Learned::read(&kept).expect("a file of now");
    let kept = String::from_utf8_lossy(learned.kept(&FARLEAD).bytes()).into_owned();
    assert!(kept.contains("Nowhere") && kept.contains("btSettings"), "{kept}");
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
    // From now on the file is of this version.
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

/// Runs the planner on all specs of an app, with JSON output.
fn planned(more: &[&str]) -> Ended {
    let args = ["check", "specs/chesswalk", "--app", APP, "--agent", "planner", "--json"];
    farlead(&[&args[..], more].concat(), "")
}

/// Returns the outcomes of specs, and the total of steps.
fn results(ended: &Ended) -> (Vec<String>, u64) {
    let lines = ended.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
    let results: Vec<Value> = lines.filter(|line: &Value| line["event"] == "result").collect();
    let outcomes = results.iter().map(|result| result["outcome"].as_str().unwrap_or_default().to_string());
    (outcomes.collect(), results.iter().filter_map(|result| result["steps"].as_u64()).sum())
}

#[test]
fn what_is_done_for_one_spec_serves_the_others_the_same_with_any_number_of_jobs() {
    let one = planned(&["--jobs", "1"]);
    assert_eq!(one.code, 0, "{}", one.stderr);
    assert_eq!(one.stdout, planned(&["--jobs", "4"]).stdout);
    let (outcomes, together) = results(&one);
    assert_eq!(outcomes, ["passed"; 19]);
    let mut alone = 0;
    for name in ["about", "move", "pause", "remember", "second_game", "settings", "sleep"] {
        for only in ["a", "b", "c"] {
            let spec = format!("specs/chesswalk/{name}.ltl");
            let args = ["check", &spec, "--app", APP, "--agent", "planner", "--json", "--only", only];
            alone += results(&farlead(&args, "")).1;
        }
    }
    assert!(together < alone, "{together} steps together, {alone} alone");
}

#[test]
fn what_was_done_is_kept_for_the_next_run_and_no_other_agent_or_spec_loses_it() {
    let path = folder("experience").join("learned.jsonl");
    let learned = path.to_str().expect("a path");
    let first = planned(&["--learned", learned]);
    let second = planned(&["--learned", learned, "--jobs", "3"]);
    let ((outcomes, steps), (again, steps_again)) = (results(&first), results(&second));
    assert_eq!((&outcomes, outcomes.len()), (&again, 19), "{}", second.stderr);
    // Every way is known by now.
    assert!(steps_again < steps, "{steps_again} steps after {steps}");
    let kept = fs::read_to_string(&path).expect("what was learned");
    let steps = |text: &str| text.lines().filter(|line| line.starts_with("{\"step\":")).count();
    // A user action is kept too, even by a check of specs that do not declare it.
    assert!(steps(&kept) > 15 && kept.contains("{\"type\":\"chessmove\",\"on\":"), "{kept}");
    assert_eq!(check(&path, &["--agent", "farlead"]).code, 0);
    let after = fs::read_to_string(&path).expect("what was learned");
    assert_eq!(steps(&after), steps(&kept));
    assert!(after.contains("\"chessmove\"") && after.contains("{\"agent\":\"farlead\",\"kept\":"), "{after}");
}

/// Checks the specs in `folder` on `app` with the planner, by their names there.
fn planned_on(folder: &Path, app: &str, more: &[&str]) -> Ended {
    let model = folder.join("test.app");
    fs::write(&model, app).expect("a file");
    let (specs, model) = (folder.to_str().expect("a path"), model.to_str().expect("a path"));
    farlead(&[&["check", specs, "--app", model][..], more].concat(), "")
}

#[test]
fn an_action_of_the_same_name_that_does_something_else_is_another() {
    let folder = folder("pokes");
    let app = "app org.poke \"Poke\" 1
        launch Main
        activity Main .Main {
            own t = 0, x = 0
            TextView \"t {t}\"
            TextView \"x {x}\"
            Row #pad { Button \"left\" -> t = 1 Button \"right\" -> x = 7 }
        }";
    for (name, at, spec) in [
        ("a", "10% 50%", "possible \"left\" within 3 steps: F [text = \"t 9\"]"),
        ("b", "90% 50%", "never \"right\" within 3 steps: F ([text ~ \"x 7\"] & [actionType = poke])"),
    ] {
        let text = format!("action poke on [id ~ pad]: tap {at}\n{spec}\n");
        fs::write(folder.join(format!("{name}.ltl")), text).expect("a file");
    }
    for seed in 1..=8 {
        let seed = seed.to_string();
        let ended = planned_on(&folder, app, &["--quiet", "--seed", &seed]);
        assert!(ended.stdout.contains("never \"right\": failed"), "{}{}", ended.stdout, ended.stderr);
    }
}

#[test]
fn what_was_learned_of_an_app_that_has_changed_is_said_and_replaced() {
    let folder = folder("changed");
    let spec = "possible \"in\" within 3 steps: X X [activity ~ Inside]\n";
    fs::write(folder.join("in.ltl"), spec).expect("a file");
    let app = |one: &str, two: &str| {
        format!(
            "app org.swap \"Swap\" 1
            launch Main
            activity Main .Main {{ Button \"one\" -> open {one} Button \"two\" -> open {two} }}
            activity Inside .Inside {{ TextView \"inside\" }}
            activity Out .Out {{ TextView \"out\" Button \"on\" -> open Inside }}"
        )
    };
    let learned = folder.join("learned.jsonl");
    let args = ["--learned", learned.to_str().expect("a path")];
    let first = planned_on(&folder, &app("Out", "Main"), &args);
    assert_eq!(first.code, 0, "{}{}", first.stdout, first.stderr);
    let second = planned_on(&folder, &app("Main", "Out"), &args);
    assert_eq!(second.code, 0, "{}{}", second.stdout, second.stderr);
    assert!(
        second.stderr.contains("the app answers otherwise than when it was learned"),
        "{}",
        second.stderr
    );
    let third = planned_on(&folder, &app("Main", "Out"), &args);
    assert_eq!(third.code, 0, "{}", third.stdout);
    assert!(third.stderr.is_empty(), "{}", third.stderr);
}

#[test]
fn a_run_that_was_removed_is_named_and_nothing_is_made_in_its_place() {
    let runs = folder("removed").join(".farlead").join("runs");
    fs::create_dir_all(&runs).expect("a folder");
    for gone in ["7", "7/model.json"] {
        let ended = check(&runs.join(gone), &[]);
        assert_eq!((ended.code, ended.stdout.as_str()), (4, ""), "{}", ended.stderr);
        assert!(ended.stderr.contains("farlead removes the oldest runs"), "{}", ended.stderr);
        assert_eq!(fs::read_dir(&runs).expect("the folder").count(), 0);
    }
}
