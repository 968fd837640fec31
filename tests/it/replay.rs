//! `farlead replay`, and other uses of kept tests: minimising, exporting, reporting.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use farlead::device::sim::{self, Sim};
use farlead::gui::Action;
use farlead::replay::{Missing, Player};
use farlead::rng::Seed;
use farlead::spec::Source;
use farlead::test_case::{TestCase, read};
use serde_json::Value;

use crate::cli::{Ended, command, ended};
use crate::models;

/// A folder of a test's own with a project in it.
struct Project {
    folder: PathBuf,
}

const SHOP: &str = "\
app org.example.shop \"Shop\" 1.0
launch Main
activity Main .Main {
    Button #about \"About us\" -> open About
    Button #items \"Items\" -> open Items
    Button #help \"Help\" -> open Help
}
activity About .About {
    TextView \"Made here\"
}
activity Items .Items {
    TextView \"Nothing yet\"
}
activity Help .Help {
    TextView \"None\"
}
";

const SHOP_SPECS: &str = "\
possible \"there and back\" within 4 steps:
    X ([activity ~ About] & X [activity ~ Main])

never \"items\" within 4 steps:
    F [activity ~ Items]
";

const THERE_AND_BACK: &str = "farlead-tests/specs/shop/there and back.test.ltl";
const ITEMS: &str = "farlead-tests/specs/shop/items.test.ltl";

impl Project {
    /// Returns an empty project.
    fn new(name: &str) -> Project {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replay").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let project = Project { folder };
        project.write("farlead.toml", "app = \"shop.app\"\n");
        project
    }

    /// Returns the shop, its specs, and the tests of both.
    fn shop(name: &str) -> Project {
        let project = Project::new(name);
        project.write("shop.app", SHOP);
        project.write("specs/shop.ltl", SHOP_SPECS);
        let found = project.run(&["check", "specs/shop.ltl"]);
        assert_eq!(found.code, 1, "{}{}", found.stdout, found.stderr);
        assert!(project.read(THERE_AND_BACK).contains("\"About us\""));
        assert!(project.read(ITEMS).contains("\"Items\""));
        project
    }

    /// Returns other runs, of the two apps of the repository.
    fn of_two_apps(name: &str) -> Project {
        let project = Project::new(name);
        for app in ["chesswalk", "notes"] {
            project.write(&format!("{app}.app"), models::source(&format!("apps/{app}.app")).text());
        }
        for (app, file) in
            [("chesswalk", "about"), ("chesswalk", "move"), ("chesswalk", "settings"), ("notes", "palette")]
        {
            let path = format!("specs/{file}.ltl");
            project.write(&path, models::source(&format!("specs/{app}/{file}.ltl")).text());
            let found = project.run(&["check", &path, "--app", &format!("{app}.app")]);
            assert_eq!(found.code, 0, "{}{}", found.stdout, found.stderr);
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    #[track_caller]
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn test(&self, name: &str) -> TestCase {
        read(&Source::new(name, self.read(name))).test.expect("a sound test")
    }

    fn run(&self, args: &[&str]) -> Ended {
        self.run_in(".", args)
    }

    fn run_in(&self, folder: &str, args: &[&str]) -> Ended {
        ended(command(args).current_dir(self.path(folder)), "")
    }

    /// Replays the test of this name on a changed shop.
    #[track_caller]
    fn on_another(&self, test: &str, from: &str, to: &str) -> Ended {
        assert!(SHOP.contains(from), "{from}");
        self.write("shop.app", &SHOP.replace(from, to));
        self.run(&["replay", test])
    }
}

#[track_caller]
fn said(ended: &Ended, code: i32, parts: &[&str]) {
    assert_eq!(ended.code, code, "{}{}", ended.stdout, ended.stderr);
    for part in parts {
        assert!(ended.stdout.contains(part), "{part}\n{}", ended.stdout);
    }
}

fn events(ended: &Ended, name: &str) -> Vec<Value> {
    let lines = ended.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
    lines.filter(|line: &Value| line["event"] == name).collect()
}

/// Returns the files of the replayed tests.
fn files(ended: &Ended) -> Vec<String> {
    events(ended, "result")
        .iter()
        .map(|result| result["file"].as_str().unwrap_or_default().to_string())
        .collect()
}

#[test]
fn a_test_passes_on_the_app_it_was_found_on() {
    let shop = Project::shop("holds");
    let passed = shop.run(&["replay", THERE_AND_BACK]);
    said(
        &passed,
        0,
        &["device: ", "possible \"there and back\": passed: reproduced 1 of 1\n1 spec in 1 file: 1 passed"],
    );
    said(
        &shop.run(&["replay", THERE_AND_BACK, "--times", "5"]),
        0,
        &["passed: reproduced 5 of 5 (95 % interval 57 to 100 %)"],
    );
    // The steps of a test that passed are in its file, so they are shown to those who ask.
    let verbose = shop.run(&["replay", THERE_AND_BACK, "-v"]);
    said(&verbose, 0, &["  1. click \"About us\"\n     reward "]);
}

#[test]
fn a_test_named_beside_its_folder_is_replayed_once() {
    let shop = Project::shop("beside");
    let ended = shop.run(&["replay", "farlead-tests", THERE_AND_BACK, ITEMS, "--json"]);
    assert_eq!(files(&ended).len(), 2, "{}{}", ended.stdout, ended.stderr);
}

#[test]
fn a_file_that_cannot_be_read_is_not_replaced_by_a_test() {
    let shop = Project::shop("foreign");
    fs::write(shop.path(ITEMS), b"\xff\xfe mine").expect("a file");
    let ended = shop.run(&["check", "specs/shop.ltl", "--update"]);
    assert_eq!(fs::read(shop.path(ITEMS)).expect("a file"), b"\xff\xfe mine");
    assert_eq!(ended.code, 4, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stderr.contains("this test is not kept"), "{}", ended.stderr);
}

#[test]
fn a_test_fails_where_a_button_leads_elsewhere() {
    let shop = Project::shop("breaks");
    let failed = shop.on_another(THERE_AND_BACK, "-> open About", "-> open Items");
    said(
        &failed,
        1,
        &[
            "failed: step 1 differs; reproduced 0 of 1",
            "> 1. click \"About us\"\n",
            "\n  expected: [activity ~ About]\n  actual: activity org.example.shop.Items\n",
            "1 spec in 1 file: 1 failed",
        ],
    );
}

#[test]
fn a_test_diverges_where_a_button_is_gone_and_the_nearest_is_named() {
    let shop = Project::shop("diverges");
    let gone = shop.on_another(THERE_AND_BACK, "    Button #about \"About us\" -> open About\n", "");
    said(
        &gone,
        5,
        &[
            "diverged: step 1 could not be done; reproduced 0 of 1",
            "> 1. click \"About us\"\n  expected: click \"About us\"\n  actual: activity org.example.shop.Main\n",
            "1 spec in 1 file: 1 diverged",
            "help: look for another way to the same: `farlead check",
        ],
    );
    // The button in its place is the nearest, as no widget has its name.
    assert!(gone.stdout.contains("  nearest: \"Items\"\n"), "{}", gone.stdout);
    let renamed = shop.on_another(THERE_AND_BACK, "#about \"About us\"", "#imprint \"About ous\"");
    said(&renamed, 5, &["  nearest: \"About ous\"\n"]);
    // Its id is enough to find it, whatever its text.
    said(&shop.on_another(THERE_AND_BACK, "\"About us\"", "\"Imprint\""), 0, &["passed"]);
    // A button that takes no clicks is itself the nearest.
    let disabled = shop.on_another(THERE_AND_BACK, "\"About us\"", "\"About us\" disabled");
    said(&disabled, 5, &["  nearest: \"About us\", which takes no click now\n"]);
}

#[test]
fn a_test_of_an_app_that_crashes_says_so() {
    let shop = Project::shop("crashes");
    let failed = shop.on_another(THERE_AND_BACK, "-> open About", "-> crash \"no disk\"");
    said(&failed, 6, &["failed: step 1 differs", "the app has crashed"]);
}

#[test]
fn a_test_of_a_crash_names_it_and_a_replay_says_if_another_came() {
    let crashy = |what: &str| {
        format!(
            "app org.example.shop \"Shop\" 1.0\nlaunch Main\nsession n = 7\nactivity Main .Main {{ Button \"Go\" -> {what} }}\n"
        )
    };
    let project = Project::new("crash");
    project.write("shop.app", &crashy("crash \"a.First: row {n}\""));
    project.write("specs/shop.ltl", "never \"no crash\" within 4 steps: F [crashed = true]\n");
    let found = project.run(&["check", "specs/shop.ltl"]);
    said(&found, 1, &["\"no crash\": failed: a run of 2 steps", "a crash: a.First: row 7"]);
    let test = "farlead-tests/specs/shop/no crash.test.ltl";
    let text = project.read(test);
    let crash = "[crash = a.First at org.example.shop.Main.crash]";
    assert!(text.contains(&format!("sees {crash}")) && text.contains(&format!("& {crash}")), "{text}");
    assert!(project.test(test).steps[1].sees.iter().any(|(atom, _)| atom.crash().is_some()));
    let replay = |what: &str| {
        project.write("shop.app", &crashy(what));
        project.run(&["replay", test])
    };
    for same in ["crash \"a.First: {n}\"", "{ n = 8; crash \"a.First\" }"] {
        let came = replay(same);
        said(&came, 1, &["failed: the violation came again; reproduced 1 of 1\n"]);
        assert!(!came.stdout.contains("another"), "{}", came.stdout);
    }
    let other = replay("crash \"a.Second\"");
    let sentence = "at step 1: the crash is another one, `a.Second at org.example.shop.Main.crash`; the test has \
                    `a.First at org.example.shop.Main.crash`";
    said(&other, 1, &["reproduced 1 of 1; another crash than that of the test\n", sentence]);
    let short = project.run(&["minimize", test]);
    said(&short, 1, &["the run ends in another crash than that of the test, 20 times tried"]);
    let explained = project.run(&["replay", test, "--json"]);
    assert_eq!(events(&explained, "result")[0]["exit"], 1, "{}", explained.stdout);
    said(&replay("toast \"{n}\""), 0, &["passed: the violation did not come again"]);
}

#[test]
fn a_spec_of_one_crash_asks_for_crashes() {
    let project = Project::new("one-crash");
    let model = "app org.example.shop \"Shop\" 1.0\nlaunch Main\nactivity Main .Main {\n    Button \"One\" -> crash \"a.One\"\n    \
                 Button \"Two\" -> open Next\n}\nactivity Next .Next { Button \"Fall\" -> crash \"a.Two\" }\n";
    project.write("shop.app", model);
    let specs = "possible \"the second\" within 4 steps: F [crash ~ Next.crash]\nnever \"a third\" within 4 steps: F [crash ~ Third]\n";
    project.write("specs/shop.ltl", specs);
    // No exit code 6: the crash was asked for.
    let found = project.run(&["check", "specs/shop.ltl"]);
    said(&found, 0, &["\"the second\": passed: a run of 3 steps", "\"a third\": passed"]);
    let test = "farlead-tests/specs/shop/the second.test.ltl";
    said(&project.run(&["replay", test, "--times", "3"]), 0, &["reproduced 3 of 3"]);
    project.write("shop.app", &model.replace("crash \"a.Two\"", "open Main"));
    said(&project.run(&["replay", test]), 1, &["[crash ~ Next.crash]"]);
    project.write("shop.app", &model.replace("open Next", "crash \"a.Other\""));
    said(
        &project.run(&["replay", test]),
        5,
        &["the app has crashed: a.Other at org.example.shop.Main.crash-2"],
    );
}

#[test]
fn a_test_whose_run_comes_again_now_and_then_is_flaky() {
    let shop = Project::shop("flaky");
    let flaky = shop.run(&["replay", THERE_AND_BACK, "--set", "sim.lose=30", "--times", "20", "--json"]);
    let result = &events(&flaky, "result")[0];
    assert_eq!((flaky.code, &result["outcome"]), (5, &"flaky".into()), "{}", flaky.stdout);
    let rate = &result["replay"]["rate"];
    assert_eq!(rate["runs"], 20);
    assert!((1..20).contains(&rate["passes"].as_u64().expect("a number")), "{rate}");
    let text = shop.run(&["replay", THERE_AND_BACK, "--set", "sim.lose=30", "--times", "20"]);
    said(&text, 5, &[&format!("flaky: reproduced {} of 20 (95 % interval ", rate["passes"])]);
}

#[test]
fn a_run_that_does_not_come_again_each_time_is_kept_as_flaky() {
    let shop = Project::shop("confirm");
    let mut rates = BTreeSet::new();
    for seed in 1..=8 {
        let (seed, out) = (seed.to_string(), format!("out-{seed}"));
        let args = ["check", "specs/shop.ltl", "--only", "there and back", "--set", "sim.lose=30", "--json"];
        let more = ["--no-minimize", "--confirm", "10", "--seed", &seed, "--out", &out];
        let ended = shop.run(&[&args[..], &more].concat());
        let result = &events(&ended, "result")[0];
        let rate = shop.test(&format!("{out}/{THERE_AND_BACK}")).provenance.confirmed;
        assert_eq!(result["confirmed"], serde_json::json!({"passes": rate.passes, "runs": 10}));
        let expected = if rate.is_full() { (0, "passed") } else { (5, "flaky") };
        assert_eq!((ended.code, result["outcome"].as_str()), (expected.0, Some(expected.1)));
        rates.insert(rate.passes);
    }
    assert!(rates.len() > 1, "{rates:?}");
}

#[test]
fn until_failure_ends_with_the_first_run_that_does_not_come_again() {
    let shop = Project::shop("until-failure");
    let all = shop.run(&["replay", THERE_AND_BACK, "--times", "7", "--until-failure"]);
    said(&all, 0, &["passed: reproduced 7 of 7"]);
    let mut lengths = BTreeSet::new();
    for seed in 1..=10 {
        let args =
            ["replay", THERE_AND_BACK, "--set", "sim.lose=15", "--times", "200", "--until-failure", "--json"];
        let ended = shop.run(&[&args[..], &["--seed", &seed.to_string()]].concat());
        let rate = &events(&ended, "result")[0]["replay"]["rate"];
        let (passes, runs) = (rate["passes"].as_u64(), rate["runs"].as_u64());
        assert_eq!(passes.map(|passes| passes + 1), runs, "{}", ended.stdout);
        lengths.insert(runs);
        assert!(if passes > Some(0) { ended.code == 5 } else { [1, 5].contains(&ended.code) });
    }
    assert!(lengths.len() > 2, "{lengths:?}");
}

#[test]
fn a_run_that_comes_again_in_a_retry_is_flaky_and_no_failure() {
    let shop = Project::shop("retries");
    let (mut passed, mut flaky, mut failed) = (0, 0, 0);
    for seed in 1..=20 {
        let seed = seed.to_string();
        let args = ["replay", THERE_AND_BACK, "--set", "sim.lose=40", "--json", "--seed", &seed];
        let once = shop.run(&args);
        let again = shop.run(&[&args[..], &["--retries", "2"]].concat());
        let rate = &events(&again, "result")[0]["replay"]["rate"];
        let (passes, runs) = (rate["passes"].as_u64().expect("passes"), rate["runs"].as_u64().expect("runs"));
        match (once.code, passes) {
            (0, _) => {
                passed += 1;
                assert_eq!((again.code, passes, runs), (0, 1, 1));
            }
            (_, 0) => {
                failed += 1;
                assert_eq!((again.code, runs), (once.code, 3));
            }
            (_, _) => {
                flaky += 1;
                assert_eq!((again.code, passes), (5, 1));
                assert!((2..=3).contains(&runs), "{runs}");
            }
        }
    }
    assert!(passed > 0 && flaky > 0 && failed > 0, "{passed} passed, {flaky} flaky, {failed} failed");
}

#[test]
fn shards_are_all_tests_and_each_once() {
    let project = Project::of_two_apps("shards");
    let whole = files(&project.run(&["replay", "farlead-tests", "--json"]));
    assert_eq!(whole.len(), 13);
    assert!(whole.is_sorted(), "{whole:?}");
    for shards in [1, 2, 3, 5, 13, 20] {
        let mut parts = Vec::new();
        for shard in 1..=shards {
            let ended =
                project.run(&["replay", "farlead-tests", "--json", "--shard", &format!("{shard}/{shards}")]);
            assert_eq!(ended.code, 0, "{}", ended.stderr);
            let part = files(&ended);
            let even = whole.len() / shards;
            assert!((even..=even + 1).contains(&part.len()), "{part:?}");
            parts.extend(part);
        }
        parts.sort();
        assert_eq!(parts, whole, "{shards} shards");
    }
    for wrong in ["0/2", "3/2", "1", "a/b", "1/0", "-1/2"] {
        let shard = format!("--shard={wrong}");
        assert_eq!(project.run(&["replay", "farlead-tests", &shard]).code, 2, "{wrong}");
    }
}

#[test]
fn any_number_of_jobs_gives_the_same_bytes() {
    let project = Project::of_two_apps("jobs");
    let args = ["replay", "farlead-tests", "--set", "sim.lose=20", "--times", "4", "--retries", "1"];
    let mut told = BTreeSet::new();
    for jobs in ["1", "2", "7"] {
        for form in [&[][..], &["--json"]] {
            let ended = project.run(&[&args[..], form, &["--jobs", jobs, "--out", jobs]].concat());
            assert_eq!(ended.code, 5, "{}", ended.stderr);
            told.insert(ended.stdout);
        }
        let run = |number: &str| project.read(&format!("{jobs}/.farlead/runs/{number}/events.jsonl"));
        assert_eq!(run("0001"), run("0002"));
        told.insert(run("0001"));
    }
    assert_eq!(told.len(), 3, "a text, lines of JSON, and events");
}

#[test]
fn a_filter_goes_by_the_path_and_by_the_name_of_the_spec() {
    let shop = Project::shop("filter");
    let chosen = |filter: &str| files(&shop.run(&["replay", "farlead-tests", "--json", "--filter", filter]));
    assert_eq!(chosen("there"), [THERE_AND_BACK]);
    assert_eq!(chosen("shop/items"), [ITEMS]);
    assert_eq!(chosen("shop").len(), 2);
    let none = shop.run(&["replay", "farlead-tests", "--filter", "no such test"]);
    assert_eq!((none.code, &*none.stdout), (2, ""), "{}", none.stderr);
}

#[test]
fn fail_fast_begins_no_test_after_one_that_went_wrong() {
    let shop = Project::shop("fail-fast");
    // Sorted by name, the forbidden run comes first, and it happens again.
    let all = shop.run(&["replay", "farlead-tests", "--json"]);
    assert_eq!((all.code, files(&all)), (1, vec![ITEMS.to_string(), THERE_AND_BACK.to_string()]));
    for jobs in ["1", "4"] {
        let fast = shop.run(&["replay", "farlead-tests", "--json", "--fail-fast", "--jobs", jobs]);
        assert_eq!((fast.code, files(&fast)), (1, vec![ITEMS.to_string()]));
        assert!(fast.stderr.contains("1 test was not replayed"), "{}", fast.stderr);
    }
}

#[test]
fn a_violation_that_comes_again_fails_and_one_that_does_not_passes() {
    let shop = Project::shop("never");
    said(
        &shop.run(&["replay", ITEMS]),
        1,
        &["failed: the violation came again; reproduced 1 of 1", "from the start it must never happen that"],
    );
    let gone = shop.on_another(ITEMS, "-> open Items", "-> open Help");
    said(&gone, 0, &["never \"items\": passed: the violation did not come again; reproduced 0 of 1"]);
    let cannot = shop.on_another(ITEMS, "    Button #items \"Items\" -> open Items\n", "");
    said(&cannot, 5, &["diverged: step 1 could not be done"]);
}

#[test]
fn a_test_that_is_kept_is_replaced_only_by_those_who_say_so() {
    let shop = Project::shop("update");
    let kept = shop.read(THERE_AND_BACK);
    // The same run from another seed gives the same test.
    let same = shop.run(&["check", "specs/shop.ltl", "--seed", "9"]);
    assert_eq!((same.code, &*same.stderr), (1, ""));
    assert_eq!(shop.read(THERE_AND_BACK), kept);
    let check = ["check", "specs/shop.ltl", "--only", "there and back", "--quiet"];
    let before = shop.run(&check);
    shop.write("shop.app", &SHOP.replace("#about \"About us\"", "#imprint \"Imprint\""));
    let other = shop.run(&check);
    let has_passed =
        |ended: &Ended| ended.stdout.starts_with("specs/shop.ltl:1: possible \"there and back\": passed: ");
    assert!(
        (before.code, other.code) == (0, 0) && has_passed(&before) && has_passed(&other),
        "{}",
        other.stdout
    );
    for line in ["`--update` replaces it", "-        text \"About us\"", "+        text \"Imprint\""] {
        assert!(other.stderr.contains(line), "{line}\n{}", other.stderr);
    }
    assert_eq!(shop.read(THERE_AND_BACK), kept);
    // That does not mend the test: it diverges as before, and from then on it is fine.
    assert_eq!(shop.run(&["replay", THERE_AND_BACK]).code, 5);
    let updated = shop.run(&[&check[..], &["--update"]].concat());
    assert_eq!((updated.code, &updated.stdout, &*updated.stderr), (0, &other.stdout, ""));
    assert!(shop.read(THERE_AND_BACK).contains("\"Imprint\""));
    assert_eq!(shop.run(&["replay", THERE_AND_BACK]).code, 0);
    // A test broken by hand stays too.
    let broken = shop.read(THERE_AND_BACK).replace("steps\n", "stesp\n");
    shop.write(THERE_AND_BACK, &broken);
    let found = shop.run(&check);
    assert_eq!((found.code, shop.read(THERE_AND_BACK)), (0, broken));
    assert!(found.stderr.contains("`--update` replaces it"), "{}", found.stderr);
    // A file written by a later farlead stays, whatever the options.
    shop.write(THERE_AND_BACK, "farlead test 4\n");
    let later = shop.run(&[&check[..], &["--update"]].concat());
    assert_eq!((later.code, &*shop.read(THERE_AND_BACK)), (4, "farlead test 4\n"), "{}", later.stderr);
}

#[test]
fn a_test_is_found_anew_by_its_formula_and_else_by_its_spec() {
    let shop = Project::shop("anew");
    said(
        &shop.run(&["check", THERE_AND_BACK]),
        0,
        &["passed: a run of 3 steps, found in 1 episode, 3 steps"],
    );
    shop.write("shop.app", &SHOP.replace("\"About us\"", "\"Imprint\""));
    let kept = shop.read(THERE_AND_BACK);
    let elsewhere = shop.run(&["check", THERE_AND_BACK]);
    said(
        &elsewhere,
        0,
        &["passed: the run of the test did not come again; another: a run of 3 steps, found in"],
    );
    assert!(elsewhere.stderr.contains("+        text \"Imprint\""), "{}", elsewhere.stderr);
    assert_eq!(shop.read(THERE_AND_BACK), kept);
    shop.write("shop.app", &SHOP.replace("-> open About", ""));
    said(
        &shop.run(&["check", THERE_AND_BACK]),
        1,
        &[
            "not found: the run of the test did not come again, and no other was found: no run of 4 steps or fewer",
        ],
    );
}

#[test]
fn tests_are_used_from_any_folder_of_a_project() {
    let shop = Project::shop("folders");
    fs::create_dir_all(shop.path("inner/most")).expect("a folder");
    let from_root = shop.run(&["replay", "farlead-tests", "--json"]);
    let inner = shop.run_in("inner/most", &["replay", "../../farlead-tests", "--json"]);
    assert_eq!((inner.code, files(&inner).len()), (from_root.code, 2), "{}", inner.stderr);
    // Tests found from a subfolder are kept in the folder of the project.
    fs::remove_dir_all(shop.path("farlead-tests")).expect("a folder");
    let found = shop.run_in("inner", &["check", "../specs/shop.ltl"]);
    said(&found, 1, &["kept in farlead-tests/specs/shop/items.test.ltl"]);
    assert_eq!(shop.test(ITEMS).provenance.app, ["--app", "shop.app"]);
    assert_eq!(shop.run_in("inner", &["replay", "../farlead-tests/specs"]).code, 1);
    assert!(!shop.path("inner/farlead-tests").exists() && !shop.path("inner/.farlead").exists());
}

#[test]
fn tests_that_cannot_be_read_do_not_keep_others_from_being_replayed() {
    let shop = Project::shop("unread");
    let later = shop.read(THERE_AND_BACK).replacen("test 3", "test 4", 1);
    shop.write("farlead-tests/a.test.ltl", &later);
    shop.write("farlead-tests/b.test.ltl", "possible \"x\": F [text = a]\n");
    shop.write("farlead-tests/c.ltl", "no test at all");
    let ended = shop.run(&["replay", "farlead-tests", "--filter", "there", "--json"]);
    assert_eq!((ended.code, files(&ended)), (3, vec![THERE_AND_BACK.to_string()]), "{}", ended.stderr);
    for part in [
        "a.test.ltl:1:14: error: this is a test of format 4, and this farlead reads formats up to 3",
        "b.test.ltl is no stored test: its first line is not `farlead test 3`",
    ] {
        assert!(ended.stderr.contains(part), "{part}\n{}", ended.stderr);
    }
    assert!(!ended.stderr.contains("c.ltl is"), "{}", ended.stderr);
    // Specs inside a test with mistakes do not count without it.
    let checked = shop.run(&["check", "farlead-tests/a.test.ltl", "--json"]);
    assert_eq!((checked.code, events(&checked, "start").len()), (3, 0), "{}", checked.stdout);
    assert!(!shop.path("farlead-tests/farlead-tests").exists());
    let none = shop.run(&["replay", "specs"]);
    assert_eq!(none.code, 2, "{}", none.stderr);
    assert_eq!(shop.run(&["replay", "farlead-tests/none.test.ltl"]).code, 3);
    let app_gone = shop.test(THERE_AND_BACK).to_string().replace("shop.app", "gone.app");
    shop.write("gone.test.ltl", &app_gone);
    said(&shop.run(&["replay", "gone.test.ltl"]), 3, &["error: cannot read "]);
}

#[cfg(unix)]
#[test]
fn names_of_files_that_steer_a_terminal_are_shown_harmlessly() {
    let shop = Project::shop("hostile");
    let name = "a\u{1b}[31m\u{202e}<b>\n'$(x)' & \"c\".test.ltl";
    shop.write(name, &shop.read(THERE_AND_BACK));
    let is_harmless =
        |text: &str| !text.chars().any(|char| (char.is_control() && char != '\n') || char == '\u{202e}');
    for (from, to) in
        [("Made here", "Made here"), ("-> open About", "-> open Items"), ("#about \"About us\"", "#x \"y\"")]
    {
        for form in [&[][..], &["--json"], &["--github"]] {
            shop.write("shop.app", &SHOP.replace(from, to));
            let ended = shop.run(&[&["replay", name, "--times", "2"], form].concat());
            assert!(is_harmless(&ended.stderr), "{}", ended.stderr);
            let is_json = form == ["--json"];
            assert!(is_json || is_harmless(&ended.stdout), "{:?}", ended.stdout);
        }
    }
    shop.write(name, "farlead test 4\n");
    for command in
        [&["replay", name][..], &["minimize", name], &["export", name, "--to", "adb"], &["check", name]]
    {
        let ended = shop.run(command);
        assert_eq!((ended.code, is_harmless(&ended.stderr)), (3, true), "{}", ended.stderr);
    }
}

/// Returns true if the test's steps without the one at `left_out` reach the goal.
fn reaches_without(test: &TestCase, app: &str, left_out: Option<usize>) -> bool {
    let mut device = Sim::new(models::model(app, &[]), Seed(1));
    let actions: Vec<&Action> = test
        .steps
        .iter()
        .enumerate()
        .filter(|(at, _)| Some(*at) != left_out)
        .map(|(_, step)| &step.action)
        .collect();
    let mut player = Player::new(&test.oracle);
    player.play(&mut device, actions, Missing::Skip).expect("the model runs").is_won
}

/// Goals of random runs with some hundred steps, each with the seed of such a run.
const WALKS: [(&str, &str, &str); 3] = [
    (
        "chesswalk",
        "1",
        "F ([activity ~ About] & X F ([activity ~ Login] & X F ([activity ~ NewGame] & X F ([activity ~ Settings] & X F [activity ~ About]))))",
    ),
    (
        "chesswalk",
        "1",
        "F ([text ~ Logging in] & X F ([activity ~ OfflineGame] & X F ([orientation = landscape] & X F ([activity ~ Main] & [orientation = portrait]))))",
    ),
    ("notes", "4", "F ([activity ~ Sketch] & X F [text ~ Note 2])"),
];

#[test]
fn a_random_run_is_made_so_short_that_every_step_of_it_counts() {
    let project = Project::new("random");
    for app in ["chesswalk", "notes"] {
        project.write(&format!("{app}.app"), models::source(&format!("apps/{app}.app")).text());
    }
    let mut lengths = Vec::new();
    for (number, (app, seed, formula)) in WALKS.into_iter().enumerate() {
        let (spec, model) = (format!("{number}.ltl"), format!("{app}.app"));
        project.write(&spec, &format!("possible \"walk\": {formula}"));
        let (raw, short) = (format!("{number}.raw"), format!("{number}.short"));
        let search = ["check", &spec, "--app", &model, "--agent", "random", "--steps", "500", "--seed", seed];
        let found = project.run(&[&search[..], &["--no-minimize", "--record", &raw]].concat());
        assert_eq!(found.code, 0, "{}{}", found.stdout, found.stderr);
        let recorded = project.test(&raw);
        assert_eq!(recorded.provenance.confirmed.runs, 0);
        assert!(reaches_without(&recorded, app, None));
        let before = project.read(&raw);
        let shown = project.run(&["minimize", &raw, "-o", &short, "--jobs", "3"]);
        said(&shown, 0, &["1-minimal: it fails without any one of its steps", "reproduced 3 of 3"]);
        assert_eq!(project.read(&raw), before);
        let test = project.test(&short);
        assert!(reaches_without(&test, app, None));
        for at in 1..test.steps.len() {
            assert!(!reaches_without(&test, app, Some(at)), "{formula} without step {at}:\n{test}");
        }
        assert_eq!(test.provenance.found_steps, recorded.steps.len());
        assert_eq!(project.run(&["replay", &short]).code, 0);
        lengths.push((recorded.steps.len(), test.steps.len()));
        // No file is overwritten by accident, and any number of jobs gives the same run.
        assert_eq!(project.run(&["minimize", &raw, "-o", &short]).code, 2);
        assert_eq!(project.run(&["minimize", &raw, "--jobs", "1"]).stdout, shown.stdout);
    }
    assert!(lengths.iter().all(|(long, short)| *long >= 18 * short), "{lengths:?}");
    eprintln!("steps before and after: {lengths:?}");
}

#[test]
fn a_recorded_run_needs_a_file_of_its_own_and_one_spec() {
    let shop = Project::shop("record");
    let record = |args: &[&str]| shop.run(&[&["check", "specs/shop.ltl", "--record"], args].concat());
    assert_eq!(record(&["raw.test.ltl"]).code, 2);
    assert_eq!(record(&["shop.app", "--only", "items"]).code, 2);
    assert_eq!(shop.read("shop.app"), SHOP);
    assert_eq!(record(&["raw.test.ltl", "--only", "items"]).code, 1);
    assert_eq!(shop.run(&["replay", "raw.test.ltl"]).code, 1);
}

/// Checks that `report` on the newest run in `folder` prints what was printed when the run was made.
#[track_caller]
fn is_reported_alike(project: &Project, number: &str, args: &[&str], said_then: &Ended) {
    let run = format!(".farlead/runs/{number}");
    let again = project.run(&[&["report", &run], args].concat());
    assert_eq!((again.code, &*again.stderr), (0, ""));
    assert_eq!(again.stdout, said_then.stdout, "run {number} {args:?}");
}

#[test]
fn a_report_of_a_run_says_what_was_said_when_it_was_made() {
    let shop = Project::shop("report");
    let mut number = 1;
    let commands: [&[&str]; 5] = [
        &["check", "specs/shop.ltl"],
        &["replay", "farlead-tests", "--times", "3"],
        &["replay", "farlead-tests", "--times", "9", "--set", "sim.lose=25"],
        &["check", "specs/shop.ltl", "--exhaustive"],
        &["check", "farlead-tests"],
    ];
    for command in commands {
        for form in [&[][..], &["--json"], &["--quiet"], &["--color", "always"]] {
            number += 1;
            let then = shop.run(&[command, form].concat());
            is_reported_alike(&shop, &format!("{number:04}"), form, &then);
        }
    }
}

#[test]
fn a_report_of_tests_of_two_apps_says_what_was_said_too() {
    let project = Project::of_two_apps("report-two");
    for (number, form) in [("0005", &[][..]), ("0006", &["--json"])] {
        let then = project.run(&[&["replay", "farlead-tests"], form].concat());
        assert_eq!(then.code, 0, "{}", then.stderr);
        is_reported_alike(&project, number, form, &then);
    }
}

#[test]
fn reports_are_made_live_as_they_are_made_later() {
    let shop = Project::shop("reports");
    let files = ["now.xml", "now.html", "now.md"];
    let args = ["--junit", files[0], "--html", files[1], "--markdown", files[2]];
    let now = shop.run(&[&["replay", "farlead-tests"], &args[..]].concat());
    assert_eq!(now.code, 1, "{}", now.stderr);
    let later = ["later.xml", "later.html", "later.md"];
    let args = ["--junit", later[0], "--html", later[1], "--markdown", later[2]];
    assert_eq!(shop.run(&[&["report", ".farlead/runs/0002"], &args[..]].concat()).code, 0);
    for (now, later) in files.into_iter().zip(later) {
        assert!(shop.read(now).len() > 100, "{now}");
        assert_eq!(shop.read(now), shop.read(later));
    }
    // A report never replaces the file it was made from.
    let kept = shop.read(ITEMS);
    assert_eq!(shop.run(&["replay", ITEMS, "--junit", ITEMS]).code, 2);
    assert_eq!(shop.read(ITEMS), kept);
}

#[test]
fn runs_are_kept_up_to_a_number() {
    let shop = Project::shop("runs");
    for _ in 0..4 {
        assert_eq!(shop.run(&["replay", THERE_AND_BACK, "--keep", "3"]).code, 0);
    }
    let mut names: Vec<String> = fs::read_dir(shop.path(".farlead/runs"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["0003", "0004", "0005"]);
    assert_eq!(shop.run(&["report", ".farlead/runs/0001"]).code, 3);
    assert_eq!(shop.run(&["replay", THERE_AND_BACK, "--keep", "0"]).code, 2);
}

#[test]
fn a_test_is_exported_for_each_tool_there_is() {
    let shop = Project::shop("export");
    for (tool, part) in [
        ("maestro", "appId: \"org.example.shop\""),
        ("uiautomator", "import "),
        ("adb", "#!/bin/sh"),
        ("appium", "def test_"),
    ] {
        let ended = shop.run(&["export", THERE_AND_BACK, "--to", tool]);
        said(&ended, 0, &[part]);
        let file = shop.run(&["export", THERE_AND_BACK, "--to", tool, "-o", tool]);
        assert_eq!((file.code, &*file.stdout), (0, ""));
        assert_eq!(shop.read(tool), ended.stdout);
        assert_eq!(shop.run(&["export", THERE_AND_BACK, "--to", tool, "-o", tool]).code, 2);
        assert_eq!(shop.run(&["export", THERE_AND_BACK, "--to", tool, "-o", tool, "--update"]).code, 0);
    }
    let page = shop.run(&["export", THERE_AND_BACK, "--to", "playwright"]);
    assert_eq!((page.code, &*page.stdout), (2, ""));
    let why = "found in an app on a phone, org.example.shop, and playwright drives pages: export it with `--to` and one of \
               maestro, uiautomator, adb, appium";
    assert!(page.stderr.contains(why), "{}", page.stderr);
    assert_eq!(shop.run(&["export", THERE_AND_BACK, "--to", "selenium"]).code, 2);
    assert_eq!(shop.run(&["export", "specs/shop.ltl", "--to", "adb"]).code, 3);
    let own = shop.read(ITEMS);
    assert_eq!(shop.run(&["export", ITEMS, "--to", "adb", "-o", ITEMS, "--update"]).code, 2);
    assert_eq!(shop.read(ITEMS), own);
}

#[test]
fn the_model_of_these_tests_is_sound() {
    let source = Source::new("shop.app", SHOP);
    assert!(sim::read(&source).model.is_some());
}

#[test]
fn a_test_that_names_another_file_as_its_app_shows_nothing_of_it() {
    let shop = Project::shop("no-model");
    fs::write(shop.path("secret.txt"), "hidden = 4711\n").expect("a file");
    let text = shop.read(THERE_AND_BACK);
    let named = text.replacen("shop.app", "secret.txt", 1);
    assert_ne!(text, named, "the test names its app");
    fs::write(shop.path(THERE_AND_BACK), named).expect("a file");
    let ended = shop.run(&["replay", THERE_AND_BACK]);
    assert_eq!(ended.code, 3);
    let all = [ended.stdout, ended.stderr].concat();
    assert!(all.contains("is no model of an app") && !all.contains("4711"), "{all}");
}

#[test]
fn a_scroll_goes_on_until_the_row_of_the_next_step_is_in_view_and_reports_show_it() {
    let rows = Project::new("rows");
    rows.write(
        "shop.app",
        "app org.example.rows \"Rows\" 1.0\ndisplay 480x800 240dpi\nparam before = 9\nlaunch Main\nactivity Main .Main {\n    \
         ListView #list scrolls {\n        for i in 1..before { TextView \"Row {i}\" tall 100 }\n        \
         Button \"Goal\" tall 100 -> open Found\n        for i in 1..9 { TextView \"Later {i}\" tall 100 }\n    }\n}\n\
         activity Found .Found { TextView \"Found\" }\n",
    );
    rows.write("specs/rows.ltl", "possible \"goal\" within 8 steps:\n    F [activity ~ Found]\n");
    assert_eq!(rows.run(&["check", "specs/rows.ltl"]).code, 0);
    let test = "farlead-tests/specs/rows/goal.test.ltl";
    let steps: Vec<String> = rows.test(test).steps.iter().map(|step| step.action.to_string()).collect();
    assert_eq!(steps[1..], ["scroll down on #list", "click \"Goal\""]);
    let replayed = |before: &str, expected: i32, parts: &[&str]| {
        let ended = rows.run(&["replay", test, "--set", before, "-v", "--json"]);
        assert_eq!(ended.code, expected, "{}{}", ended.stdout, ended.stderr);
        for part in parts {
            assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
        }
        ended.stdout.matches("the widget of the next step was not in view").count()
    };
    assert_eq!(replayed("before=9", 0, &["reproduced 1 of 1\""]), 0);
    // The button begins at 3,000, and a scroll takes 640: three scrolls more bring it into view.
    assert_eq!(replayed("before=30", 0, &["reproduced 1 of 1; 3 scrolls more than recorded"]), 3);
    // Ten scrolls more reach down to 7,840, and twelve more show that the way back ends.
    let lost = &["step 24 could not be done", "\"outcome\":\"diverged\"", "22 scrolls more than recorded"];
    assert_eq!(replayed("before=90", 5, lost), 22);
}
