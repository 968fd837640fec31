//! `farlead check` and `farlead compare` as a user runs them.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use farlead::statistics::{FAILED, Observed, friedman, holm, log_rank, mann_whitney, wilcoxon};
use serde_json::Value;

use crate::cli::{Ended, command, farlead, file};

const APP: &str = "apps/chesswalk.app";
const ABOUT: &str = "specs/chesswalk/about.ltl";

fn check(args: &[&str]) -> Ended {
    farlead(&[&["check"], args].concat(), "")
}

#[track_caller]
fn refused(args: &[&str], code: i32, message: &str) {
    let ended = check(args);
    assert_eq!((ended.code, ended.stdout.as_str()), (code, ""), "{}", ended.stderr);
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
}

fn lines(ended: &Ended) -> Vec<Value> {
    ended.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn a_run_is_shown_step_by_step() {
    let ended = check(&[ABOUT, "--app", APP, "--only", "c"]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let steps: Vec<&str> = ended.stdout.lines().skip(2).collect();
    assert!(ended.stdout.starts_with("device: "), "{}", ended.stdout);
    for line in ["  0. reinitialise cz.hejl.chesswalk.MainActivity", "  1. click \"About\"", "  2. back"] {
        assert!(steps.contains(&line), "{}", ended.stdout);
    }
    let end = "  2. back
  reproduced 3 of 3
  kept in farlead-tests/specs/chesswalk/about/c.test.ltl
1 spec in 1 file: 1 passed
";
    assert!(ended.stdout.ends_with(end), "{}", ended.stdout);
}

#[test]
fn the_keyboard_changes_no_stored_test() {
    let kept = |keyboard: &str| -> Vec<(String, String)> {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("keyboard").join(keyboard);
        let _ = fs::remove_dir_all(&home);
        let out = home.to_str().expect("a path");
        let set = format!("sim.keyboard={keyboard}");
        for (specs, app) in [("specs/chesswalk", APP), ("specs/notes", "apps/notes.app")] {
            check(&[specs, "--app", app, "--set", &set, "--out", out]);
        }
        let mut files = vec![home.clone()];
        let mut kept = Vec::new();
        while let Some(path) = files.pop() {
            if path.is_dir() {
                files
                    .extend(fs::read_dir(path).expect("a folder").map(|entry| entry.expect("a file").path()));
            } else if path.extension().is_some_and(|end| end == "ltl") {
                // Only the origin of a test names the keyboard.
                let text = fs::read_to_string(&path).expect("a test");
                let text =
                    text.lines().filter(|line| !line.starts_with("    app ")).collect::<Vec<_>>().join("\n");
                kept.push((path.strip_prefix(&home).expect("inside").display().to_string(), text));
            }
        }
        kept.sort();
        kept
    };
    let (soft, hard) = (kept("soft"), kept("hard"));
    assert!(soft.len() > 20, "{}", soft.len());
    assert!(soft == hard, "{soft:?}\nin place of\n{hard:?}");
}

#[test]
fn shards_are_all_specs_and_each_once() {
    let results = |shard: &[&str]| -> Vec<String> {
        let args = [&["specs/chesswalk", "--app", APP, "--only", "b", "--agent", "random", "--json"], shard];
        let lines = lines(&check(&args.concat()));
        let results = lines.into_iter().filter(|line| line["event"] == "result");
        results.map(|line| line["file"].to_string()).collect()
    };
    let whole = results(&[]);
    let mut parts: Vec<String> =
        ["1/3", "2/3", "3/3"].iter().flat_map(|i| results(&["--shard", i])).collect();
    assert!(results(&["--shard", "2/3"]).len() < whole.len());
    parts.sort();
    assert_eq!(parts, whole);
    assert_eq!(results(&["--shard", "90/90"]), [""; 0]);
}

#[test]
fn results_are_the_same_with_any_number_of_jobs_and_as_json_too() {
    let args = ["specs/chesswalk", "--app", APP, "--only", "b"];
    let one = check(&[&args[..], &["--jobs", "1"]].concat());
    assert_eq!(one.code, 0, "{}", one.stderr);
    assert_eq!(one.stdout, check(&[&args[..], &["--jobs", "4"]].concat()).stdout);
    let json = lines(&check(&[&args[..], &["--jobs", "3", "--json"]].concat()));
    let results: Vec<&Value> = json.iter().filter(|line| line["event"] == "result").collect();
    assert_eq!(results.len(), 7);
    for result in results {
        assert_eq!(result["outcome"], "passed");
        let length = result["length"].as_u64().expect("a length") as usize;
        assert_eq!(result["actions"].as_array().map(Vec::len), Some(length));
        assert_eq!(result["residuals"][length - 1], "true");
        assert_eq!(result["actions"][0]["type"], "reinitialise");
        assert_eq!(result["seed"], 1);
        assert_eq!(result["confirmed"], serde_json::json!({"passes": 3, "runs": 3}));
        assert!(result["found"].as_u64() >= Some(length as u64));
        let test = result["test"].as_str().expect("where it is kept");
        assert!(
            test.starts_with("farlead-tests/specs/chesswalk/") && test.ends_with("/b.test.ltl"),
            "{test}"
        );
        assert!(result["steps"].as_u64() >= Some(length as u64));
    }
    assert_eq!(json[json.len() - 1]["outcomes"]["passed"], 7);
}

#[test]
fn a_search_that_finds_nothing_says_how_far_it_came_and_what_to_change() {
    let path =
        file("settings_word.ltl", "possible \"slip\" within 4 steps, 20 episodes: F [activity ~ Abuot]");
    let ended = check(&[path.to_str().expect("a path"), "--app", APP, "--no-exhaustive"]);
    assert_eq!(ended.code, 1);
    for part in [
        "possible \"slip\": not found: no run in 20 episodes, ",
        "the budget is spent",
        "came closest with at least 1 step to go: F [activity ~ Abuot]",
        "never seen true: [activity ~ Abuot]",
        "help: [activity ~ Abuot] never held: the nearest that was seen is \"About\"",
        "help: try longer: `--episodes 200`",
        "1 spec in 1 file: 1 not found",
    ] {
        assert!(ended.stdout.contains(part), "{part}\n{}", ended.stdout);
    }
}

#[test]
fn a_guard_fails_passes_or_is_untested() {
    let path = file(
        "guards.ltl",
        "never \"leaves\" within 4 steps, 100 episodes: F [activity ~ Launcher]
must \"stays\" within 4 steps, 100 episodes: G ![activity ~ About]
never \"crashes\" within 4 steps, 50 episodes: F ([activity ~ Main] & [crashed = true])
never \"unseen\" within 4 steps, 50 episodes: F ([activity ~ Nowhere] & [crashed = true])",
    );
    let ended = check(&[path.to_str().expect("a path"), "--app", APP, "--json"]);
    assert_eq!(ended.code, 1);
    let outcomes: Vec<String> = lines(&ended)
        .iter()
        .filter(|line| line["event"] == "result")
        .map(|line| line["outcome"].as_str().unwrap_or_default().to_string())
        .collect();
    assert_eq!(outcomes, ["failed", "failed", "passed", "untested"]);
    let said = check(&[path.to_str().expect("a path"), "--app", APP, "--only", "crashes"]);
    assert_eq!(said.code, 0);
    assert!(said.stdout.contains("[crashed = true] held 0 times"), "{}", said.stdout);
}

/// An app that opens after a code of three, on keys that show nothing.
const LOCK: &str = "\
app org.example.lock \"Lock\" 1.0
launch Lock
stored code = 0
activity Lock .Lock {
    TextView \"Enter the code\"
    for i in 1..4 {
        Button \"key {i}\" -> code = (code * 10 + i) % 1000; if code == 314 { open Inside }
    }
}
activity Inside .Inside { TextView \"open\" }
";

#[test]
fn on_a_model_everything_is_tried_first_where_that_is_cheap() {
    let app = file("lock.app", LOCK);
    let app = app.to_str().expect("a path");
    let specs = file("lock.ltl", "never \"open\" within 4 steps: F [activity ~ Inside]");
    let specs = specs.to_str().expect("a path");
    let record = file("lock.record", "").with_extension("test.ltl");
    let _ = std::fs::remove_file(&record);
    let recorded = record.to_str().expect("a path");
    let found = check(&[specs, "--app", app, "--update", "--record", recorded]);
    assert_eq!(found.code, 1, "{}", found.stdout);
    assert!(found.stdout.contains("found by trying everything in "), "{}", found.stdout);
    let kept = std::fs::read_to_string(&record).expect("a test");
    assert!(kept.contains("exhaustive"), "{kept}");
    // An agent of one's own choice searches alone.
    let alone = check(&[specs, "--app", app, "--agent", "planner", "--episodes", "3"]);
    assert!(alone.stdout.contains("passed: no violation in 3 episodes, "), "{}", alone.stdout);
    // The proof of a `possible` takes no episode; its run comes from the agent.
    let possible = file(
        "lock_possible.ltl",
        "possible \"early\" within 3 steps: F [activity ~ Inside]\npossible \"key\": F [actionDetail = \"key 3\"]",
    );
    let both = check(&[possible.to_str().expect("a path"), "--app", app]);
    assert!(both.stdout.contains("satisfies it, proven by trying everything in "), "{}", both.stdout);
    assert!(both.stdout.contains("found in 1 episode, "), "{}", both.stdout);
}

#[test]
fn a_guard_spends_its_budget_and_says_what_its_passing_is_worth() {
    let app = file(
        "slippery.app",
        "app org.example.slip \"Slip\" 1.0\nlaunch Main\nactivity Main .Main {\n    Button \"Go\" -> chance { 20% { crash \"gone\" } }\n}\n",
    );
    let app = app.to_str().expect("a path");
    let specs = file("slippery.ltl", "never \"crash\" within 2 steps, 300 episodes: F [crashed = true]");
    let specs = specs.to_str().expect("a path");
    for seed in ["1", "2", "3", "4", "5"] {
        let ended = check(&[specs, "--app", app, "--no-exhaustive", "--seed", seed, "--update"]);
        assert!(
            ended
                .stdout
                .contains("\"crash\": flaky: a run of 2 steps does what must never happen, found in "),
            "{}",
            ended.stdout
        );
    }
    let safe = file("safe.ltl", "never \"lost\" within 2 steps, 40 episodes: F [activity ~ Nowhere]");
    let ended = check(&[safe.to_str().expect("a path"), "--app", app, "--no-exhaustive"]);
    assert!(ended.stdout.contains("passed: no violation in 40 episodes, "), "{}", ended.stdout);
    assert!(
        ended.stdout.contains("% of the tries of an action would have been seen (95 % confidence)"),
        "{}",
        ended.stdout
    );
}

#[test]
fn a_run_that_comes_by_chance_is_looked_for_as_long_as_it_is_known_to_exist() {
    let app = file(
        "rare.app",
        "app org.example.rare \"Rare\" 1.0\nlaunch Main\nactivity Main .Main {\n    Button \"Go\" -> chance { 2% { crash \"gone\" } }\n}\n",
    );
    let app = app.to_str().expect("a path");
    let text = "possible \"crash\" within 2 steps: X ([actionDetail = Go] & [crashed = true])";
    let specs = file("rare.ltl", text);
    let specs = specs.to_str().expect("a path");
    for seed in ["1", "2", "3"] {
        let known = check(&[specs, "--app", app, "--seed", seed, "--update", "--confirm", "0"]);
        assert_eq!(known.code, 0, "{}", known.stdout);
    }
    let short = check(&[specs, "--app", app, "--episodes", "1"]);
    assert!(
        short.stdout.contains("help: trying everything has shown that there is a run"),
        "{}",
        short.stdout
    );
}

#[test]
fn trying_everything_finds_a_shortest_run_or_proves_that_there_is_none() {
    let second = "specs/chesswalk/second_game.ltl";
    let found = check(&[second, "--app", APP, "--only", "b", "--exhaustive", "--json"]);
    assert_eq!((found.code, &lines(&found)[1]["length"]), (0, &Value::from(6)), "{}", found.stderr);
    let none = check(&[second, "--app", APP, "--only", "b", "--exhaustive", "--set", "fixed=true"]);
    assert_eq!(none.code, 1);
    assert!(
        none.stdout.contains(
            "possible \"b\": failed: no run of 6 steps or fewer satisfies it, proven by trying everything"
        ),
        "{}",
        none.stdout
    );
}

#[test]
fn the_model_travels_in_an_apk() {
    let apk = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join("travelling.apk");
    fs::create_dir_all(apk.parent().expect("a folder")).expect("a folder");
    let _ = fs::remove_file(&apk);
    let apk = apk.to_str().expect("a path");
    assert_eq!(farlead(&["model", "pack", "apps/notes.app", "-o", apk], "").code, 0);
    let by_apk = check(&["specs/notes/palette.ltl", "--apk", apk, "--json"]);
    let by_model = check(&["specs/notes/palette.ltl", "--app", "apps/notes.app", "--json"]);
    let results = |ended: &Ended| -> Vec<Value> {
        lines(ended).into_iter().filter(|line| line["event"] == "result").collect()
    };
    assert_eq!((by_apk.code, results(&by_apk)), (0, results(&by_model)));
}

#[test]
fn mistakes_on_the_command_line_are_told_before_anything_runs() {
    refused(&[ABOUT], 2, "which app?");
    refused(&[ABOUT, "--app", APP, "--steps", "0"], 2, "--steps");
    refused(&[ABOUT, "--app", APP, "--episodes", "0"], 2, "--episodes");
    refused(&[ABOUT, "--app", APP, "--steps", "2"], 2, "its formula takes 3 steps at least");
    refused(&[ABOUT, "--app", APP, "--only", "z"], 2, "there is no spec `z`");
    refused(&[ABOUT, "--app", APP, "--set", "fixt=true"], 2, "fixed");
    refused(&[ABOUT, "--app", APP, "--set", "fixed"], 2, "--set fixed=true");
    refused(&[ABOUT, "--app", APP, "--timeout", "soon"], 2, "90s");
    refused(&[ABOUT, "--app", APP, "--with", "tails", "--without", "tails"], 2, "`tails`");
    refused(&[ABOUT, "--app", "apps/none.app"], 3, "apps/none.app");
    refused(&["specs/none.ltl", "--app", APP], 3, "specs/none.ltl");
    refused(&["specs/none.ltl", "--app", APP, "--only", "c"], 3, "specs/none.ltl");
    refused(&[ABOUT, "--app", APP, "--texts", "none.txt"], 3, "none.txt");
    refused(&[ABOUT, "--package", "org.example"], 4, "there is no `adb`");
    refused(&[ABOUT, "--package", "org.example", "--device", "sim"], 4, "the simulator runs models");
    refused(&[ABOUT, "--app", APP, "--device", "emulator-5554"], 2, "`farlead sim apps/chesswalk.app`");
    let empty = file("empty.app", "");
    refused(&[ABOUT, "--app", empty.to_str().expect("a path")], 3, "app");
    let zero = file("zero.ltl", "possible \"x\" within 0 steps: F [text = a]");
    let ended = check(&[zero.to_str().expect("a path"), "--app", APP]);
    assert_eq!(ended.code, 3, "{}", ended.stderr);
}

#[test]
fn a_spec_with_mistakes_does_not_keep_the_others_from_being_checked() {
    let path = file(
        "mixed.ltl",
        "possible \"no\": [screen = on] & ![screen = on]\npossible \"yes\": F [activity ~ About]",
    );
    let ended = check(&[path.to_str().expect("a path"), "--app", APP, "--json"]);
    assert_eq!(ended.code, 3);
    let results: Vec<Value> = lines(&ended).into_iter().filter(|line| line["event"] == "result").collect();
    assert_eq!((&results[0]["outcome"], &results[1]["outcome"]), (&"error".into(), &"passed".into()));
    assert!(ended.stderr.contains("no run can satisfy this formula"), "{}", ended.stderr);
}

#[test]
fn a_project_file_says_which_app() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("project-file");
    let inner = folder.join("inner");
    // An earlier run of this test may have kept something.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&inner).expect("a folder");
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join(APP);
    let spec = Path::new(env!("CARGO_MANIFEST_DIR")).join(ABOUT);
    let in_folder = |text: &str| {
        fs::write(folder.join("farlead.toml"), text).expect("a project file");
        let args = ["check", spec.to_str().expect("a path"), "--only", "c"];
        let output = command(&args).current_dir(&inner).output().expect("the binary runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    assert_eq!(in_folder(&format!("app = {app:?}\nseed = 3\n")).0, Some(0));
    let (code, message) = in_folder("app = \"x.app\"\nsede = 3\n");
    assert_eq!(code, Some(3));
    assert!(message.contains("farlead.toml:2:1: unknown field `sede`"), "{message}");
}

#[test]
fn agents_are_compared_in_a_table_the_same_with_any_number_of_jobs() {
    let csv = file("compared.csv", "");
    let args = |jobs: &'static str| {
        farlead(
            &[
                "compare",
                ABOUT,
                "--app",
                APP,
                "--agents",
                "farlead,tree,random",
                "--runs",
                "10",
                "--jobs",
                jobs,
                "--csv",
                csv.to_str().expect("a path"),
            ],
            "",
        )
    };
    let table = args("1");
    assert_eq!(table.code, 0, "{}", table.stderr);
    assert_eq!(table.stdout, args("2").stdout);
    let rows: Vec<Vec<&str>> =
        table.stdout.lines().skip(2).take(9).map(|line| line.split_whitespace().collect()).collect();
    assert!(table.stdout.contains("p corrected by Holm over the whole table (6)"), "{}", table.stdout);
    assert!(rows.iter().all(|row| row[3] == "10"), "{}", table.stdout);
    let csv = fs::read_to_string(&csv).expect("a table");
    assert_eq!(csv.lines().count(), 10, "{csv}");
    let ablated = farlead(
        &["compare", ABOUT, "--app", APP, "--agents", "farlead", "--runs", "2", "--ablate", "--json"],
        "",
    );
    let names: Vec<String> = lines(&ablated).iter().map(|row| row["agent"].to_string()).collect();
    for name in [
        "\"farlead\"",
        "\"farlead -shaping\"",
        "\"farlead -sure-actions\"",
        "\"farlead -residual\"",
        "\"farlead bare\"",
    ] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }
}

#[test]
fn a_sweep_compares_an_agent_for_each_combination_of_values() {
    let names = |agents: &str| -> Vec<String> {
        let ended = farlead(
            &["compare", ABOUT, "--app", APP, "--only", "c", "--runs", "1", "--json", "--agents", agents],
            "",
        );
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        let rows = lines(&ended).into_iter().filter(|row| row["baseline"].is_null());
        rows.map(|row| row["agent"].as_str().expect("a name").to_string()).collect()
    };
    assert_eq!(
        names("qlearning:epsilon=.6,.8;farlead:h=2,lambda=.1,.3,random"),
        [
            "qlearning:epsilon=.6",
            "qlearning:epsilon=.8",
            "farlead:h=2,lambda=.1",
            "farlead:h=2,lambda=.3",
            "random"
        ]
    );
    assert_eq!(names("qlearning:eps=.1,.2,gamma=.5,.9").len(), 4);
    for (agents, said) in [
        ("qlearning:epsilon=2", "`epsilon` of qlearning is a number from 0 to 1, and not `2`"),
        ("qlearning:epsilon=.1,tre", "`epsilon` of qlearning is a number from 0 to 1, and not `tre`"),
        ("farlead:h=1.5", "`h` of farlead is a whole number, and not `1.5`"),
        ("random:h=1", "`h=1` is no setting of random"),
        ("farlead;plannr", "planner"),
        (";", "there is no agent"),
        (
            "farlead:h=0,1,2,3,4,eta=.1,.2,.3,.4,.5,.6,.7,.8,.9,rho=1,2,3,4,5,6,7,8,alpha=.1,.2,.3,.4",
            "1000 agents",
        ),
    ] {
        let refused = farlead(&["compare", ABOUT, "--app", APP, "--agents", agents], "");
        assert_eq!(refused.code, 2, "{agents}");
        assert!(refused.stderr.contains(said), "{agents}: {}", refused.stderr);
    }
}

#[test]
fn the_page_lists_the_numbers_of_agents_as_they_are() {
    let page = include_str!("../../docs/checking.md");
    let is_row = |line: &str| {
        farlead::agent::AGENTS.iter().any(|info| line.starts_with(&format!("| {} | `", info.name)))
    };
    let rows: Vec<&str> = page.lines().filter(|line| is_row(line)).collect();
    let default = farlead::agent::Settings::default();
    let mut expected = Vec::new();
    for info in farlead::agent::AGENTS {
        for knob in info.knobs {
            let letter = if knob.letter.is_empty() { String::new() } else { format!(", `{}`", knob.letter) };
            let value = (knob.get)(&default);
            expected.push(format!("| {} | `{}`{letter} | {value} | {} |", info.name, knob.name, knob.about));
        }
    }
    assert_eq!(rows, expected);
}

#[test]
fn a_page_shows_a_comparison_without_a_script() {
    let page = file("compared.html", "");
    let path = page.to_str().expect("a path");
    let args =
        ["compare", ABOUT, "--app", APP, "--agents", "planner,random,tree", "--runs", "6", "--episodes", "3"];
    let ended = farlead(&[&args[..], &["--html", path]].concat(), "");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let html = fs::read_to_string(&page).expect("a page");
    assert!(!html.contains("<script"), "no script is needed");
    // Three specs, each with curves and boxes, and over all of them failures, means and the heat map.
    assert_eq!(html.matches("<svg class=\"chart\"").count(), 3 * 2 + 3, "{html}");
    assert_eq!(html.matches("class=\"heat ").count(), 3 * 2);
    for said in
        ["planner, random, tree on 3 specs", "% failed", "Mean steps of runs that did not fail", "A12"]
    {
        assert!(html.contains(said), "{said}");
    }
    assert_eq!(farlead(&[&args[..], &["--html", path, "--jobs", "2"]].concat(), "").code, 0);
    assert_eq!(fs::read_to_string(&page).expect("a page"), html, "the same bytes for every number of jobs");
}

#[test]
fn without_specs_agents_are_compared_by_what_they_cover() {
    let page = file("covered.html", "");
    let path = page.to_str().expect("a path");
    let args = ["compare", "--app", APP, "--also", "apps/notes.app", "--agents", "planner,random"];
    let more = ["--runs", "6", "--budget", "300", "--json"];
    let run = |jobs: &str| {
        let ended = farlead(&[&args[..], &more, &["--jobs", jobs, "--html", path]].concat(), "");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        (ended, fs::read_to_string(&page).expect("a page"))
    };
    let (ended, html) = run("1");
    let rows = lines(&ended);
    let of = |agent: &str| -> Vec<&Value> {
        rows.iter().filter(|row| row["agent"] == agent && row["baseline"].is_null()).collect()
    };
    // The same runs one by one give the same means.
    let alone = |seed: u64| -> f64 {
        let seed = seed.to_string();
        let explored = farlead(
            &["explore", "--app", APP, "--budget", "300", "--seed", &seed, "--json", "--agent", "random"],
            "",
        );
        let line = lines(&explored)
            .into_iter()
            .find(|line| !line["coverage"].is_null() || line["event"] == "explored");
        let line = line.unwrap_or_else(|| panic!("{}", explored.stdout));
        line["area_under_curve"].as_f64().or(line["coverage"]["area_under_curve"].as_f64()).expect("an area")
    };
    let mean = (1..=6).map(alone).sum::<f64>() / 6.0;
    let row = of("random")[0];
    assert!((row["area_mean"].as_f64().expect("a mean") - mean).abs() < 1e-9, "{row} {mean}");
    assert_eq!((of("planner").len(), of("random").len()), (2, 2));
    assert_eq!(html.matches("<svg class=\"chart\"").count(), 2 * 2 + 2, "{html}");
    let (again, page_again) = run("2");
    assert_eq!((again.stdout, page_again), (ended.stdout, html));
}

#[test]
fn a_spec_of_another_app_is_not_compared() {
    let notes = "specs/notes/palette.ltl";
    let strange = farlead(&["compare", notes, "--app", APP, "--only", "a", "--runs", "1"], "");
    assert_eq!(strange.code, 3, "{}{}", strange.stdout, strange.stderr);
    assert!(strange.stderr.contains("never shows [activity ~ Sketch]"), "{}", strange.stderr);
    assert!(strange.stderr.contains("none of these specs can be about"), "{}", strange.stderr);
    // Names alone tell nothing before the runs, and the atoms that never held tell it after them.
    let named =
        farlead(&["compare", notes, "--app", APP, "--only", "c", "--runs", "1", "--episodes", "20"], "");
    assert_eq!(named.code, 0, "{}", named.stderr);
    assert!(named.stdout.contains("no run met it, and [actionDetail ~ +]"), "{}", named.stdout);
}

/// Compares three agents on one spec, most runs of `random` too short to find anything.
fn compared(more: &[&str]) -> Ended {
    let args = ["compare", ABOUT, "--app", APP, "--only", "b", "--episodes", "20", "--json"];
    let agents = ["--agents", "planner,farlead,random"];
    let ended = farlead(&[&args[..], &agents, more].concat(), "");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    ended
}

#[test]
fn agents_are_tested_against_the_baseline_on_the_runs_of_each_seed() {
    const RUNS: u64 = 8;
    // Each run alone shows the numbers that the tests are made of.
    let alone = |seed: u64| {
        let rows = lines(&compared(&["--runs", "1", "--seed", &seed.to_string()]));
        let steps = |row: &Value| {
            let is_failed = row["failures"] == 1;
            (row["steps_mean"].as_f64().expect("a number"), is_failed)
        };
        [0, 1, 2].map(|agent| steps(&rows[agent]))
    };
    let runs: Vec<[(f64, bool); 3]> = (1..=RUNS).map(alone).collect();
    let failed = |agent: usize| runs.iter().filter(|run| run[agent].1).count();
    assert!(failed(0) == 0 && failed(2) > 1, "{runs:?}");
    let cost = |agent: usize| -> Vec<f64> {
        runs.iter().map(|run| if run[agent].1 { FAILED } else { run[agent].0 }).collect()
    };
    let observed = |agent: usize| -> Vec<Observed> {
        runs.iter().map(|run| Observed { time: run[agent].0, is_censored: run[agent].1 }).collect()
    };
    for (more, baseline, others) in [
        (&[][..], 0, [1, 2]),
        (&["--baseline", "random"], 2, [0, 1]),
        (&["--unpaired", "--baseline", "farlead"], 1, [0, 2]),
    ] {
        let args = [&["--runs", "8"], more].concat();
        let ended = compared(&args);
        assert_eq!(ended.stdout, compared(&[&args[..], &["--jobs", "1"]].concat()).stdout);
        let all = lines(&ended);
        assert_eq!(all[2]["failures"], failed(2));
        assert_eq!(all[2]["found"], RUNS as usize - failed(2));
        let tests = &all[3..];
        assert_eq!(tests.len(), 2, "{}", ended.stdout);
        let expected_p = others.map(|agent| {
            let pairs: Vec<(f64, f64)> = cost(agent).into_iter().zip(cost(baseline)).collect();
            let is_paired = !more.contains(&"--unpaired");
            let tested =
                if is_paired { wilcoxon(&pairs) } else { mann_whitney(&cost(agent), &cost(baseline)) };
            tested.expect("values").p
        });
        for (place, (test, agent)) in tests.iter().zip(others).enumerate() {
            let number = |key: &str| test[key].as_f64().expect("a number");
            let wins = cost(agent)
                .iter()
                .flat_map(|&one| cost(baseline).into_iter().map(move |other| (one, other)))
                .map(|(one, other)| {
                    if one < other {
                        1.0
                    } else if one == other {
                        0.5
                    } else {
                        0.0
                    }
                })
                .sum::<f64>();
            assert_eq!(number("a12"), wins / 64.0, "{test}");
            assert!(number("a12_low") <= number("a12") && number("a12") <= number("a12_high"), "{test}");
            assert_eq!(number("p"), expected_p[place], "{test}");
            assert_eq!(number("p_holm"), holm(&expected_p)[place], "{test}");
            let cut_off = log_rank(&observed(agent), &observed(baseline)).expect("a run succeeds").p;
            let has_failures = failed(agent) + failed(baseline) > 0;
            assert_eq!(test["log_rank_p"].as_f64(), has_failures.then_some(cut_off), "{test}");
            let names = ["planner", "farlead", "random"];
            let better = if number("a12") > 0.5 { names[agent] } else { names[baseline] };
            let named = (number("p_holm") < 0.05).then_some(better);
            assert_eq!(test["better"].as_str(), named, "{test}");
        }
    }
    let nobody = farlead(&["compare", ABOUT, "--app", APP, "--agents", "tree", "--baseline", "random"], "");
    assert_eq!(nobody.code, 2);
    assert!(nobody.stderr.contains("`random` is none of the compared agents: `tree`"), "{}", nobody.stderr);
}

#[test]
fn agents_are_ranked_over_five_specs_or_more() {
    let ranked = |specs: &str, jobs: &str| {
        let args =
            ["compare", specs, "--app", "apps/notes.app", "--agents", "planner,farlead,tree", "--runs", "1"];
        let ended = farlead(&[&args[..], &["--json", "--jobs", jobs]].concat(), "");
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        lines(&ended)
    };
    let all = ranked("specs/notes", "2");
    assert_eq!(all, ranked("specs/notes", "1"));
    // The median of a single run is its steps, if it did not fail.
    let rows: Vec<&Value> = all.iter().filter(|row| row["runs"] == 1 && row["file"] != "all").collect();
    let cost = |row: &&Value| if row["failures"] == 1 { Some(FAILED) } else { row["steps_mean"].as_f64() };
    let steps: Vec<f64> = rows.iter().map(|row| cost(row).expect("a number")).collect();
    let specs: Vec<Vec<f64>> = steps.chunks(3).map(<[f64]>::to_vec).collect();
    let expected = friedman(&specs).expect("five specs");
    let last = all.last().expect("a line");
    assert_eq!((&last["test"], &last["specs"]), (&"friedman".into(), &specs.len().into()));
    assert_eq!(last["p"].as_f64(), Some(expected.p));
    for (place, agent) in last["agents"].as_array().expect("agents").iter().enumerate() {
        let to_baseline = if place == 0 { None } else { expected.nemenyi(place, 0) };
        assert_eq!(agent["mean_rank"].as_f64(), Some(expected.ranks[place]), "{agent}");
        assert_eq!(agent["nemenyi_p"].as_f64(), to_baseline, "{agent}");
    }
    let few = ranked("specs/notes/palette.ltl", "2");
    assert!(few.iter().all(|row| row["test"] != "friedman"));
}

#[test]
fn what_no_screen_can_carry_is_refused_and_unread_specs_have_results_too() {
    let path = file(
        "refused.ltl",
        "label oops
action zap on [id = a]: tap 500% 50%
never \"label\": F oops
never \"action\": F [actionType = zap]
possible \"broken\": F [text = a
possible \"sound\": F [activity ~ About]",
    );
    let ended = check(&[path.to_str().expect("a path"), "--app", APP, "--json"]);
    assert_eq!(ended.code, 3);
    let mut outcomes: Vec<(String, String)> = lines(&ended)
        .iter()
        .filter(|line| line["event"] == "result")
        .map(|line| (line["spec"].to_string(), line["outcome"].to_string()))
        .collect();
    outcomes.sort();
    let expected = [("action", "error"), ("broken", "error"), ("label", "error"), ("sound", "passed")]
        .map(|(spec, outcome)| (format!("{spec:?}"), format!("{outcome:?}")));
    assert_eq!(outcomes, expected);
}

#[test]
fn time_ends_a_search_within_an_episode_too() {
    let path = file("long.ltl", "possible \"long\" within 10000000 steps, 1 episode: F [class = Nowhere]");
    let ended =
        check(&[path.to_str().expect("a path"), "--app", APP, "--timeout", "10min", "--agent", "random"]);
    assert_eq!(ended.code, 1);
    assert!(ended.stdout.contains("the time is spent"), "{}", ended.stdout);
    assert!(ended.stdout.contains("help: give it more time"), "{}", ended.stdout);
}

#[test]
fn nothing_that_was_read_is_written_over() {
    let app = file("own.app", fs::read(APP).expect("a model"));
    let app = app.to_str().expect("a path");
    let drawn = farlead(&["model", "draw", app, "--svg", app], "");
    assert_eq!(drawn.code, 2, "{}", drawn.stderr);
    let spec = file("own.ltl", "possible \"x\": F [activity ~ About]");
    let spec = spec.to_str().expect("a path");
    let compared = farlead(&["compare", spec, "--app", app, "--runs", "1", "--csv", spec], "");
    assert_eq!(compared.code, 2, "{}", compared.stderr);
    assert!(fs::read_to_string(spec).expect("the spec").starts_with("possible"));
}

#[cfg(unix)]
#[test]
fn signals_end_a_check_with_its_reports_and_codes_of_their_own() {
    let specs = file(
        "signals.ltl",
        "possible \"at once\": F [activity ~ Main]\npossible \"late\" within 30 steps: F [activity ~ Abuot]\n",
    );
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let report = specs.with_file_name(format!("signals-{signal}.xml"));
        let mut child = command(&["check", specs.to_str().expect("a path"), "--app", APP, "--no-exhaustive"])
            .args(["--episodes", "1000000", "--jobs", "1", "--junit", report.to_str().expect("a path")])
            .args(["--out", specs.with_file_name(format!("signals-{signal}")).to_str().expect("a path")])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.contains("at once")), "the first spec is decided");
        let kill = format!("kill -{signal} {}", child.id());
        assert!(Command::new("/bin/sh").args(["-c", &kill]).status().expect("a shell").success());
        let rest: Vec<String> = lines.collect();
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{signal}: {rest:#?}");
        let report = fs::read_to_string(report).expect("a report");
        assert!(report.contains("at once") && report.contains("late"), "{report}");
    }
}

/// An app whose button keeps a text for three seconds, unless it was clicked before: the first timer ends the text as well.
const TIMER: &str = r#"app org.example.timer "Timer" 1.0
launch Main
session lit = false
activity Main .Main {
    Button "Start" -> lit = true; after 3s { lit = false }
    Button "Wait" -> wait 100ms
    when lit { TextView "Running" }
}
"#;

const TIMED: &str = r#"let start = [actionType = click, actionDetail = Start]
let wait = [actionType = click, actionDetail = Wait]
let running = [text = Running]
possible "some time" within 8 steps: F (start & X (wait U[1s..2900ms] (wait & running)))
possible "longer" within 8 steps: F (start & X (wait U[3100ms..9s] (wait & running)))
must "it is over in time" within 8 steps: G (start -> (!wait R[3100ms..9s] !running))
must "it stays on" within 8 steps: G (start -> (!wait R[<=2500ms] running))
possible "by itself" within 4 steps: F (start & F[<=2s] running & F[60s..90s] ([actionType = idle] & ![text = Running]))
possible "at one time" within 4 steps, times to 60s: F (start & F[<=0s] wait)
possible "at one finer time" within 4 steps, times to 1ms: F (start & F[<=0s] wait)
"#;

/// Checks that a search finds what is possible in time, that trying everything agrees and proves the rest, and that a stored
/// run comes again.
#[test]
fn bounds_in_time_are_kept_by_search_proof_and_replay() {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("timed");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).expect("a folder");
    let path = |name: &str| home.join(name).to_str().expect("a path").to_string();
    fs::write(path("timer.app"), TIMER).expect("a file");
    fs::write(path("timer.ltl"), TIMED).expect("a file");
    let (app, spec, out, proven) = (path("timer.app"), path("timer.ltl"), path("kept"), path("proven"));
    let heads = |ended: &Ended| -> Vec<String> {
        let ends = |line: &&str| line.contains("timer.ltl:");
        ended
            .stdout
            .lines()
            .filter(ends)
            .map(|line| line.split(": ").skip(1).collect::<Vec<_>>().join(": "))
            .collect()
    };
    let searched = check(&[&spec, "--app", &app, "--out", &out, "--no-exhaustive"]);
    let tried = check(&[&spec, "--app", &app, "--out", &proven, "--exhaustive"]);
    let verdicts =
        |ended: &Ended| -> Vec<bool> { heads(ended).iter().map(|line| line.contains("passed")).collect() };
    assert_eq!(
        verdicts(&tried),
        [true, false, true, false, true, true, false],
        "{}{}",
        tried.stdout,
        tried.stderr
    );
    assert_eq!(verdicts(&searched), verdicts(&tried), "{}{}", searched.stdout, searched.stderr);
    assert!(heads(&tried)[1].contains("no run of 8 steps or fewer satisfies it"), "{}", tried.stdout);
    // The text was on for a second and some, and half of it more is allowed.
    let kept = text_below(Path::new(&out), "some time.test.ltl");
    assert!(kept.contains(" & (F[<="), "{kept}");
    let kept = text_below(Path::new(&out), "at one time.test.ltl");
    assert_eq!(kept.matches("steps, times to 60s:").count(), 2, "{kept}");
    assert!(kept.contains(" & (F[<=60s] ["), "{kept}");
    let again = farlead(&["replay", &out], "");
    // The violation comes again.
    let last = again.stdout.lines().last().unwrap_or_default();
    assert!(last == "4 specs in 4 files: 3 passed, 1 failed", "{}{}", again.stdout, again.stderr);
}

/// An app that keeps a number and gives it back, but for one more if 3 is shown.
const STORE: &str = r#"app org.example.store "Store" 1.0
launch Main
session shown = 0, saved = 0
activity Main .Main {
    TextView "{shown}" #shown
    Button "More" -> shown += 1
    Button "Save" -> saved = shown
    Button "Load" -> if shown == 3 { shown = saved + 1 } else { shown = saved }
}
"#;

const KEPT: &str = r#"let more = [actionType = click, actionDetail = More]
let save = [actionType = click, actionDetail = Save]
let load = [actionType = click, actionDetail = Load]
let shown = [id = shown]
possible "back again" within 6 steps:
    F (save & ![text(shown) = 0] & keep n = text(shown): X (![text(shown) = {n}] & F (load & [text(shown) = {n}])))
never "another number" within 7 steps: F (save & keep n = text(shown): X (!save U (load & [text(shown) != {n}])))
never "two more" within 6 steps: F (save & keep n = text(shown): X (!save U (load & [text(shown) = {n + 2}])))
must "one more" within 6 steps: G N (more -> keep n = prev text(shown): [text(shown) = {n + 1}])
possible "twice two" within 7 steps:
    F keep n = text(shown): F ([text(shown) = {n + 2}] & keep m = text(shown): F (![text(shown) = {m}] & [text(shown) = {n + m}]))
"#;

/// Checks that a search finds what is possible with kept values, that trying everything agrees and proves the rest, and that a
/// stored run comes again.
#[test]
fn kept_values_are_the_same_in_search_proof_and_replay() {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("keeps");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).expect("a folder");
    let path = |name: &str| home.join(name).to_str().expect("a path").to_string();
    fs::write(path("store.app"), STORE).expect("a file");
    fs::write(path("store.ltl"), KEPT).expect("a file");
    let (app, spec, out, proven) = (path("store.app"), path("store.ltl"), path("kept"), path("proven"));
    let searched = check(&[&spec, "--app", &app, "--out", &out, "--no-exhaustive"]);
    let tried = check(&[&spec, "--app", &app, "--out", &proven, "--exhaustive"]);
    let verdicts = |ended: &Ended| -> Vec<bool> {
        let heads = ended.stdout.lines().filter(|line| line.contains("store.ltl:"));
        heads.map(|line| line.contains(": passed")).collect()
    };
    assert_eq!(verdicts(&tried), [true, false, true, true, true], "{}{}", tried.stdout, tried.stderr);
    assert_eq!(verdicts(&searched), verdicts(&tried), "{}{}", searched.stdout, searched.stderr);
    assert!(
        tried.stdout.contains("no run of 6 steps or fewer does what must never happen"),
        "{}",
        tried.stdout
    );
    // What was kept is shown as it was.
    assert!(tried.stdout.contains("[text(id = shown) != 3] holds"), "{}", tried.stdout);
    for folder in [&out, &proven] {
        let again = farlead(&["replay", folder], "");
        let last = again.stdout.lines().last().unwrap_or_default();
        assert!(last == "3 specs in 3 files: 2 passed, 1 failed", "{}{}", again.stdout, again.stderr);
    }
}

/// Returns the text of the file `name` in the folder or below it.
fn text_below(folder: &Path, name: &str) -> String {
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for file in fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path()) {
            if file.is_dir() {
                open.push(file);
            } else if file.ends_with(name) {
                return fs::read_to_string(file).expect("a readable file");
            }
        }
    }
    panic!("{} has no {name}", folder.display());
}
