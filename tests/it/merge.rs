//! `farlead merge`: runs of several machines as one, with their tests and their exit code.

use std::fs;

use crate::project::Folder;

/// Agent that takes nothing from one spec to the next, so that it does not matter which machine checks what.
const CHECK: [&str; 6] = ["check", "specs", "--agent", "farlead", "--confirm", "1"];

const APP: &str = "app org.example.rooms \"Rooms\" 1.0
launch Main
activity Main .Main {
    own count = 0
    TextView \"{count} rooms\"
    Button \"Add\" -> count = count + 1
    Button \"Map\" -> open Map
}
activity Map .Map {
    TextView \"Here\"
}
";

const SPECS: [(&str, &str); 3] = [
    (
        "a.ltl",
        "possible \"one\" within 4 steps: F [text = \"1 rooms\"]\npossible \"two\" within 5 steps: F [text = \"2 rooms\"]\n",
    ),
    (
        "b.ltl",
        "possible \"map\" within 4 steps: F [activity ~ Map]\nnever \"lost\" within 3 steps, 20 episodes: F ([activity ~ Map] & [text = There])\n",
    ),
    (
        "c.ltl",
        "possible \"there\" within 4 steps, 9 episodes: F [text = There]\npossible \"here\" within 4 steps: F [text = Here]\n",
    ),
];

/// Returns a project whose specs were checked by one machine, and by two others in two parts.
fn checked(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("rooms.app", APP);
    folder.write("farlead.toml", "app = \"rooms.app\"\n");
    for (file, text) in SPECS {
        folder.write(&format!("specs/{file}"), text);
    }
    for (out, more) in [("one", &[][..]), ("first", &["--shard", "1/2"]), ("second", &["--shard", "2/2"])] {
        folder.run(&[&CHECK[..], &["--out", out], more].concat());
    }
    folder
}

#[test]
fn parts_that_are_merged_are_the_run_of_one_machine() {
    let folder = checked("merge-alike");
    let reports = ["--junit", "one.xml", "--html", "one.html"];
    let one = folder.run(&[&["report", "one/.farlead/runs/0001"], &reports[..]].concat());
    let reports = ["--junit", "all.xml", "--html", "all.html", "--out", "all"];
    let all = folder.done(1, &[&["merge", "second", "first"], &reports[..]].concat());
    assert_eq!((all.stdout, &*all.stderr), (one.stdout, ""));
    for kind in ["xml", "html"] {
        assert_eq!(folder.read(&format!("all.{kind}")), folder.read(&format!("one.{kind}")), "{kind}");
    }
    let mut tests = 0;
    for (folder_of, name) in [("a", "one"), ("a", "two"), ("b", "map"), ("c", "here")] {
        let test = format!("farlead-tests/specs/{folder_of}/{name}.test.ltl");
        assert_eq!(folder.read(&format!("all/{test}")), folder.read(&format!("one/{test}")), "{test}");
        tests += 1;
    }
    assert_eq!(tests, 4);
    // What was merged is a run like any other, and can be merged again.
    let again = folder.done(1, &["merge", "all/.farlead/runs/0001", "--out", "again", "--json"]);
    let json = folder.run(&["report", "one/.farlead/runs/0001", "--json"]);
    assert_eq!(again.stdout, json.stdout);
}

#[test]
fn what_is_missing_is_said_and_is_no_success() {
    let folder = checked("merge-missing");
    let part = folder.done(4, &["merge", "second", "--out", "part"]);
    assert!(part.stderr.contains("shard 1/2 is missing, and so are its specs"), "{}", part.stderr);
    for (name, message) in [("nowhere", "there is no run in it"), ("specs", "there is no run in it")] {
        let refused = folder.done(3, &["merge", "first", name, "--out", "part"]);
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
    }
    // The machine of the second part was lost, and another one did its work again.
    let events = "second/.farlead/runs/0001/events.jsonl";
    let whole = folder.read(events);
    let cut: Vec<&str> = whole.lines().take(4).collect();
    folder.write("lost/events.jsonl", &(cut.join("\n") + "\n"));
    let cut_short = folder.done(4, &["merge", "first", "lost", "--out", "cut"]);
    assert!(cut_short.stderr.contains("a run was cut short"), "{}", cut_short.stderr);
    let mended = folder.run(&["merge", "lost", "second", "first", "--out", "mended"]);
    assert!(mended.stderr.contains("lost: another run of shard 2/2 has more results"), "{}", mended.stderr);
    assert_eq!(mended.stdout, folder.run(&["report", "one/.farlead/runs/0001"]).stdout);
}

#[test]
fn no_test_takes_the_place_of_another_one_unasked() {
    let folder = checked("merge-tests");
    let test = "farlead-tests/specs/a/one.test.ltl";
    let longer =
        ["check", "specs/a.ltl", "--only", "one", "--agent", "random", "--seed", "6", "--no-minimize"];
    folder.done(0, &longer);
    let own = folder.read(test);
    assert_ne!(own.matches("\n      click").count(), 1, "this run is to differ: {own}");
    folder.write("farlead-tests/specs/b/map.test.ltl", "a note of my own");
    let kept = folder.run(&["merge", "first", "second"]);
    assert!(kept.stderr.contains("the run differs from the one kept in farlead-tests/specs/a/one.test.ltl"));
    assert_eq!(kept.code, 1, "{}", kept.stderr);
    assert_eq!(folder.read(test), own);
    assert_eq!(folder.read("farlead-tests/specs/b/map.test.ltl"), "a note of my own");
    folder.run(&["merge", "first", "second", "--update"]);
    assert_eq!(folder.read(test), folder.read(&format!("one/{test}")));
    fs::remove_file(folder.path("farlead-tests/specs/b/map.test.ltl")).expect("the note");
    assert_eq!(folder.run(&["merge", "first", "second"]).code, 1);
    assert_eq!(folder.run(&["replay", "farlead-tests"]).code, 0);
}
