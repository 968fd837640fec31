//! `farlead explore` as a user runs it: crashes that are kept, specs that are watched, and coverage.

use std::fs;

use serde_json::Value;

use crate::cli::Ended;
use crate::project::Folder;

/// An app that crashes where a form is saved with an empty field, three pages deep.
const CRASHY: &str = include_str!("../../benches/crashes/save.app");

/// Runs `farlead` with these words in `folder`.
fn farlead(folder: &Folder, words: &str) -> Ended {
    folder.run(&words.split(' ').collect::<Vec<_>>())
}

/// Returns a folder called `name` with the app.
fn crashy(name: &str) -> Folder {
    let folder = Folder::new(&format!("explore-{name}"));
    folder.write("crashy.app", CRASHY);
    folder
}

/// Returns the paths of stored tests of crashes in `folder`.
fn crash_tests(folder: &Folder) -> Vec<String> {
    let found = fs::read_dir(folder.path("farlead-tests/crashes")).expect("the folder of crashes");
    let mut names: Vec<String> =
        found.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    names.sort();
    names
}

#[test]
fn a_crash_is_kept_as_a_short_test_that_fails_as_long_as_it_comes_again() {
    // All hundred seeds take half a minute: `FARLEAD_EXPLORE=all` runs them.
    let seeds = if std::env::var("FARLEAD_EXPLORE").is_ok_and(|which| which == "all") { 100 } else { 8 };
    for seed in 1..=seeds {
        let folder = crashy(&format!("seed-{seed}"));
        let explored = farlead(&folder, &format!("explore --app crashy.app --budget 2000 --seed {seed}"));
        assert_eq!(explored.code, 6, "seed {seed}: {}", explored.stdout);
        let tests = crash_tests(&folder);
        let [test] = &tests[..] else { panic!("seed {seed}: {tests:?}") };
        let text = fs::read_to_string(folder.path("farlead-tests/crashes").join(test)).expect("a test");
        assert!(text.contains("    4 click"), "seed {seed}: five steps, the start included\n{text}");
        assert!(!text.contains("    5 "), "seed {seed}: {text}");
        let replayed = farlead(&folder, "replay --times 20 farlead-tests");
        assert_eq!(replayed.code, 1, "seed {seed}: {}", replayed.stdout);
        assert!(replayed.stdout.contains("20 of 20"), "{}", replayed.stdout);
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let run = |name: &str| {
        let folder = crashy(name);
        let explored = farlead(&folder, "explore --app crashy.app --budget 500 --seed 3 --json");
        let tests = crash_tests(&folder);
        (explored.stdout, tests)
    };
    assert_eq!(run("once"), run("again"));
}

#[test]
fn specs_are_watched_in_all_episodes_and_their_runs_are_kept() {
    let folder = crashy("watched");
    folder.write(
        "specs.ltl",
        "never \"help is never read on\": F [text = \"Help 3\"]\n\
         must \"no fourth page\": G ![text = \"Fourth page\"]\n\
         possible \"a form\": F [activity ~ Form]\n\
         never \"no crash\": F [crashed = true]\n",
    );
    let explored = farlead(&folder, "explore specs.ltl --app crashy.app --budget 2000");
    // A spec that asks for crashes judges them.
    assert_eq!(explored.code, 1, "{}", explored.stdout);
    for line in [
        "never \"help is never read on\": failed: a run violates it, first at step",
        "must \"no fourth page\": passed: no violation in 2000 steps of exploring",
        "possible \"a form\": passed: a run came up at step",
        "never \"no crash\": failed: a run violates it",
        "activities: 5 of 5",
    ] {
        assert!(explored.stdout.contains(line), "{line:?} is not in\n{}", explored.stdout);
    }
    let replayed = farlead(&folder, "replay farlead-tests/specs");
    assert!(replayed.stdout.contains("possible \"a form\": passed"), "{}", replayed.stdout);
}

#[test]
fn specs_that_round_times_otherwise_are_watched_in_the_same_episodes() {
    let folder = Folder::new("explore-times");
    folder.write(
        "two.app",
        "app org.two \"Two\" 1\nlaunch Main\nactivity Main .Main { Button \"one\" -> wait 1s\n Button \"two\" -> wait 1s }\n",
    );
    folder.write(
        "times.ltl",
        "let both = F ([actionDetail = one] & F[<=0s] [actionDetail = two])\n\
         possible \"at one time\" times to 60s: both\n\
         never \"at one time, finely\" times to 10ms: both\n",
    );
    let explored = farlead(&folder, "explore times.ltl --app two.app --budget 300");
    assert_eq!(explored.code, 0, "{}", explored.stdout);
    assert!(explored.stdout.contains("\"at one time\": passed: a run came up"), "{}", explored.stdout);
    assert!(explored.stdout.contains("\"at one time, finely\": passed: no violation"), "{}", explored.stdout);
}

#[test]
fn it_ends_when_nothing_new_comes_up_and_what_it_learned_serves_check() {
    let folder = Folder::new("explore-quiet");
    folder.write(
        "still.app",
        "app org.still \"Still\" 1\nlaunch Main\nactivity Main .Main { Button \"on\" -> open Next }\n\
         activity Next .Next { TextView \"there\" }\nactivity Far .Far { TextView \"far\" }\n",
    );
    let explored = farlead(&folder, "explore --app still.app --until-quiet 300 --learned still.learned");
    assert_eq!(explored.code, 0, "{}", explored.stdout);
    assert!(explored.stdout.contains("nothing new came up for 300 steps"), "{}", explored.stdout);
    assert!(explored.stdout.contains("activities: 2 of 3; never seen: Far"), "{}", explored.stdout);
    assert!(explored.stdout.ends_with("no crash was found\n"), "{}", explored.stdout);
    folder.write("there.ltl", "possible \"there\" within 3 steps: F [text = there]\n");
    let checked = farlead(&folder, "check there.ltl --app still.app --learned still.learned --no-exhaustive");
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    assert!(checked.stdout.contains("found in 1 episode, 2 steps"), "{}", checked.stdout);
}

#[test]
fn a_guard_that_passes_says_how_much_was_explored_for_it() {
    let folder = crashy("guard");
    folder.write(
        "guard.ltl",
        "never \"a tenth page of help\" within 5 steps, 40 episodes: F [text = \"Help 10\"]\n",
    );
    let checked = farlead(&folder, "check guard.ltl --app crashy.app --no-exhaustive");
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    let line = checked.stdout.lines().find(|line| line.contains("explored for it: ")).expect("the line");
    assert!(line.contains(" screens; ") && line.contains(" never tried; "), "{line}");
}

#[test]
fn every_agent_explores_by_every_reward() {
    for agent in ["planner", "farlead", "tree", "qlearning", "random"] {
        for reward in ["novelty", "ares"] {
            let folder = crashy(&format!("{agent}-{reward}"));
            let words =
                format!("explore --app crashy.app --budget 600 --agent {agent} --reward {reward} --quiet");
            let explored = farlead(&folder, &words);
            assert!([0, 6].contains(&explored.code), "{agent}, {reward}: {}", explored.stdout);
            assert!(
                explored.stdout.starts_with(&format!("explored by {agent}: 600 steps in ")),
                "{}",
                explored.stdout
            );
        }
    }
}

/// Returns what is in a file of the run with this number.
fn of_run(folder: &Folder, run: u32, file: &str) -> String {
    fs::read_to_string(folder.path(&format!(".farlead/runs/{run:04}/{file}"))).expect("a file of the run")
}

fn model(folder: &Folder, run: u32) -> Value {
    serde_json::from_str(&of_run(folder, run, "model.json")).expect("a learned model")
}

#[test]
fn a_run_goes_on_where_another_stopped_and_knows_all_that_it_knew() {
    let folder = crashy("from");
    let first = farlead(&folder, "explore --app crashy.app --budget 600");
    assert_eq!(first.code, 6, "{}", first.stdout);
    let kept = fs::read(folder.path("farlead-tests/crashes").join(&crash_tests(&folder)[0])).expect("a test");
    let second = farlead(&folder, "explore --app crashy.app --budget 300 --from .farlead/runs/0001");
    assert_eq!(second.code, 6, "{}", second.stdout);
    assert!(
        second.stdout.contains("900 steps in ") && second.stdout.contains("; 600 steps in earlier runs; ")
    );
    // The crash is known: it is said that it came again, and its test stays as it is.
    assert!(second.stdout.contains("the app crashed again "), "{}", second.stdout);
    assert!(!second.stdout.contains("reproduced"), "{}", second.stdout);
    let still =
        fs::read(folder.path("farlead-tests/crashes").join(&crash_tests(&folder)[0])).expect("a test");
    assert!(crash_tests(&folder).len() == 1 && still == kept);
    let (before, after) = (model(&folder, 1), model(&folder, 2));
    assert_eq!((&before["run"]["steps"], &after["run"]["steps"]), (&600.into(), &900.into()));
    let states = |model: &Value| model["states"].as_array().expect("states").clone();
    for (one, other) in states(&before).iter().zip(states(&after)) {
        assert_eq!((&one["id"], &one["step"], &one["name"]), (&other["id"], &other["step"], &other["name"]));
        assert!(one["seen"].as_u64() <= other["seen"].as_u64());
    }
    assert!(states(&before).len() <= states(&after).len());
    let curve = |model: &Value| model["curve"].as_array().expect("a curve").clone();
    assert!(curve(&after).starts_with(&curve(&before)));
    // A crash whose test is gone is kept again.
    fs::remove_dir_all(folder.path("farlead-tests")).expect("the tests");
    let third =
        farlead(&folder, "explore --app crashy.app --budget 300 --from .farlead/runs/0002/model.json");
    assert!(third.stdout.contains("reproduced 3 of 3"), "{}", third.stdout);
    assert_eq!(crash_tests(&folder).len(), 1);
}

#[test]
fn a_run_goes_on_with_the_abstraction_that_another_has_learned() {
    let folder = Folder::new("explore-abstraction");
    folder.write("files.app", include_str!("../../apps/files.app"));
    let explore = |words: &str| {
        let ended = farlead(&folder, &format!("explore --app files.app {words}"));
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
        ended
    };
    explore("--agent ape --budget 600");
    explore("--agent ape --budget 1 --from .farlead/runs/0001");
    explore("--agent ape --budget 600 --from .farlead/runs/0002");
    let [one, same, more] = [1, 2, 3].map(|run| model(&folder, run)["abstraction"].clone());
    assert!(one["trees"].as_array().is_some_and(|trees| !trees.is_empty()), "{one}");
    assert_eq!(one, same, "a run of one step learns nothing");
    let trees = |abstraction: &Value| abstraction["trees"].as_array().expect("trees").len();
    assert!(trees(&more) >= trees(&one));
    let by = |tree: &Value| (tree["from"].clone(), tree["selector"].clone(), tree["by"].clone());
    for (old, tree) in
        one["trees"].as_array().into_iter().flatten().zip(more["trees"].as_array().expect("trees"))
    {
        assert_eq!(by(old), by(tree));
    }
    let map = of_run(&folder, 1, "map.html");
    let states = one["states"].as_array().expect("states").len();
    assert_eq!(map.matches("id=\"state-").count(), states);
    assert!(map.contains("TYPE + TEXT") && map.contains("Decision trees"), "{map}");
    // Another abstraction learns its own states.
    let other = explore("--agent ape --abstraction ape:stoat --budget 60 --from .farlead/runs/0001");
    assert!(
        other.stderr.contains("that run used --abstraction ape, and this one uses ape:stoat"),
        "{}",
        other.stderr
    );
    assert_eq!(model(&folder, 4)["abstraction"]["name"], "ape:stoat");
    let plain = explore("--agent random --budget 60 --from .farlead/runs/0001");
    assert!(plain.stderr.contains("this one uses looks: its states are learned anew"), "{}", plain.stderr);
    assert_eq!(model(&folder, 5)["abstraction"], Value::Null);
    // What no run has written is refused.
    let good = of_run(&folder, 1, "model.json");
    for (from, to, message) in [
        (
            "\"tree\":1,\"from\":0",
            "\"tree\":1,\"from\":1",
            "tree 1 grows from tree 1, which is not before it",
        ),
        ("\"acting\":\"TYPE\"", "\"acting\":\"KIND\"", "there is no reducer `KIND`"),
        ("\"hits\":", "\"hits\":-", "invalid value"),
    ] {
        assert!(good.contains(from), "{from}");
        folder.write("broken.json", &good.replacen(from, to, 1));
        let refused = farlead(&folder, "explore --app files.app --agent ape --from broken.json");
        assert_eq!((refused.code, refused.stdout.as_str()), (3, ""), "{from}: {}", refused.stderr);
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
}

#[test]
fn what_a_run_leaves_is_the_same_bytes_and_serves_a_check() {
    let left = |name: &str| {
        let folder = crashy(name);
        farlead(&folder, "explore --app crashy.app --budget 500");
        farlead(&folder, "explore --app crashy.app --budget 300 --from .farlead/runs/0001 --seed 5");
        ["model.json", "model.learned", "map.html", "map.svg"].map(|file| of_run(&folder, 2, file))
    };
    assert!(left("left") == left("left-again"), "a file differs");
    let folder = crashy("serves");
    farlead(&folder, "explore --app crashy.app --budget 600");
    folder.write("form.ltl", "possible \"a form\" within 6 steps: F [activity ~ Form]\n");
    for path in [".farlead/runs/0001", ".farlead/runs/0001/model.json"] {
        let checked =
            farlead(&folder, &format!("check form.ltl --app crashy.app --no-exhaustive --learned {path}"));
        assert_eq!(checked.code, 0, "{}", checked.stderr);
        assert!(checked.stdout.contains("found in 1 episode, "), "{path}: {}", checked.stdout);
    }
    let left: Vec<_> = fs::read_dir(folder.path(".farlead/runs/0001")).expect("the folder").collect();
    assert_eq!(left.len(), 7, "nothing else is written there: {left:?}");
}

#[test]
fn a_run_that_cannot_be_gone_on_from_is_refused_with_one_message() {
    let folder = crashy("refused");
    farlead(&folder, "explore --app crashy.app --budget 60 --quiet");
    let good = of_run(&folder, 1, "model.json");
    folder.write(
        "other.app",
        "app org.other \"Other\" 1\nlaunch Main\nactivity Main .Main { Button \"on\" -> finish }\n",
    );
    for (name, content, message) in [
        ("later.json", good.replace("\"version\":2,", "\"version\":9,"), "this is version 9 of the format"),
        ("broken.json", good[..good.len() / 2].to_string(), "was this file written by `farlead explore`?"),
        ("deep.json", "[".repeat(1_000_000), "was this file written by `farlead explore`?"),
        ("text.json", "hello".to_string(), "was this file written by `farlead explore`?"),
    ] {
        folder.write(name, &content);
        let refused = farlead(&folder, &format!("explore --app crashy.app --from {name}"));
        assert_eq!((refused.code, refused.stdout.as_str()), (3, ""), "{name}: {}", refused.stderr);
        assert!(refused.stderr.contains(message) && refused.stderr.contains(name), "{}", refused.stderr);
        assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    }
    for (words, message) in [
        (
            "--app other.app --from .farlead/runs/0001",
            "was learned of the app org.crash.save, and this is org.other",
        ),
        (
            "--app crashy.app --from .farlead/runs/0007",
            "cannot read .farlead/runs/0007: there is no such file",
        ),
        ("--app crashy.app --from .farlead", "cannot read .farlead/model.json: there is no such file"),
    ] {
        let refused = farlead(&folder, &format!("explore {words}"));
        assert_eq!((refused.code, refused.stdout.as_str()), (3, ""), "{words}: {}", refused.stderr);
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
}

#[test]
fn what_was_never_reached_has_a_reason_in_every_report() {
    let folder = Folder::new("explore-reasons");
    folder.write(
        "login.app",
        "app org.login \"Login\" 1\nlaunch Main\nactivity Main .Main {\n    own typed = \"\"\n    EditText #name hint \"Name\" edits typed\n    \
         Button \"Log in\" -> if typed == \"sesame 417\" { open Inside }\n}\nactivity Inside .Inside { TextView \"in\" }\n",
    );
    let words = "explore --app login.app --budget 400 --html a.html --markdown a.md";
    let explored = farlead(&folder, words);
    let because = "needs a text that was never accepted: click \"Log in\" on Main";
    assert!(explored.stdout.contains(&format!("Inside, most likely: {because}")), "{}", explored.stdout);
    let json = farlead(&folder, "explore --app login.app --budget 400 --json");
    let line: Value = serde_json::from_str(json.stdout.lines().next().expect("a line")).expect("JSON");
    assert_eq!(line["unreached"][0]["activity"], "org.login.Inside");
    assert_eq!(line["unreached"][0]["reason"], "needs_text");
    let html = fs::read_to_string(folder.path("a.html")).expect("a report");
    assert!(html.contains("needs a text that was never accepted: click &quot;Log in&quot; on Main"));
    let markdown = fs::read_to_string(folder.path("a.md")).expect("a report");
    assert!(
        markdown.contains("| `org.login.Inside` |  | needs a text that was never accepted"),
        "{markdown}"
    );
}

#[test]
fn a_recorded_walk_is_a_test_that_becomes_short_for_any_formula() {
    let folder = crashy("walk");
    folder.write("calm.app", include_str!("../../apps/chesswalk.app"));
    let walk = "explore --app calm.app --agent random --budget 300 --seed 2 --record walk.test.ltl";
    let recorded = farlead(&folder, walk);
    assert!(recorded.stdout.contains("the walk is in walk.test.ltl"), "{}", recorded.stdout);
    assert!(recorded.stdout.contains("in 1 episode"), "{}", recorded.stdout);
    let text = fs::read_to_string(folder.path("walk.test.ltl")).expect("a walk");
    let taken = recorded.stdout.split(" steps in ").next().and_then(|text| text.rsplit(' ').next());
    let last = taken.and_then(|steps| steps.parse::<usize>().ok()).expect("a number of steps") - 1;
    assert!(text.contains(&format!("\n    {last} ")) && !text.contains(&format!("\n    {} ", last + 1)));
    // Nothing that the user has is overwritten.
    assert_eq!(farlead(&folder, walk).code, 2);
    let formula = "F [activity ~ About]";
    let minimised = |more: &[&str]| {
        let words = ["minimize", "walk.test.ltl", "--for", formula];
        folder.run(&[&words[..], more].concat())
    };
    let short = minimised(&["-o", "about.test.ltl"]);
    assert_eq!(short.code, 0, "{}{}", short.stdout, short.stderr);
    for said in
        [&format!("shrunk from {} steps to ", last + 1), "1-minimal", "c / p1 / p2 of ND3MIN: 10 of 10 /"]
    {
        assert!(short.stdout.contains(said), "{said}: {}", short.stdout);
    }
    assert_eq!(farlead(&folder, "replay --times 5 about.test.ltl").code, 0);
    // ND3MIN as published comes to a run that is minimal too, in more runs.
    let runs = |ended: &Ended| {
        let line = ended.stdout.lines().find(|line| line.contains(" rounds")).expect("the runs");
        line.split_whitespace().next().and_then(|runs| runs.parse::<u32>().ok()).expect("a number")
    };
    let plain = minimised(&["--plain"]);
    assert!(plain.stdout.contains("1-minimal") && runs(&plain) > runs(&short), "{}", plain.stdout);
    let wrong = folder.run(&["minimize", "walk.test.ltl", "--for", "F [activty ~ About]"]);
    assert!(wrong.code == 3 && wrong.stderr.contains("did you mean `activity`"), "{}", wrong.stderr);
    let two = folder.run(&["minimize", "walk.test.ltl", "--for", "F a possible \"b\": F b"]);
    assert!(two.code == 2 || two.code == 3, "{}", two.stderr);
}

#[test]
fn a_walk_that_ends_in_a_crash_becomes_short_for_the_crash() {
    let folder = crashy("crashed-walk");
    let recorded =
        farlead(&folder, "explore --app crashy.app --agent random --budget 5000 --record walk.test.ltl");
    assert_eq!(recorded.code, 6, "{}", recorded.stdout);
    let short = farlead(&folder, "minimize walk.test.ltl");
    assert!(short.stdout.contains(" to 5\n"), "{}", short.stdout);
}
