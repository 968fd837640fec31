//! The binary as a user runs it: its output and exit codes.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The result of a run of the program.
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Returns the program with these arguments, in the folder of the repository. `check` and `replay` keep tests
/// and runs there, unless `--out` or a current folder of the test's own redirects them. It finds no adb,
/// whatever this machine has.
pub fn command(args: &[&str]) -> Command {
    command_of(&binary(), args)
}

/// Returns the binary under test: that in `FARLEAD_TEST_BINARY`, such as a release build, which searches in half the time, or
/// else the one that is built with the tests.
pub fn binary() -> PathBuf {
    named().unwrap_or_else(|| env!("CARGO_BIN_EXE_farlead").into())
}

/// Returns the binary in `FARLEAD_TEST_BINARY`.
fn named() -> Option<PathBuf> {
    std::env::var_os("FARLEAD_TEST_BINARY").map(PathBuf::from)
}

/// True if the binary under test speaks to `https://`. One in `FARLEAD_TEST_BINARY` has the features that are default.
pub fn has_https() -> bool {
    cfg!(feature = "https") && named().is_none()
}

/// Returns `program`, a farlead, with these arguments, like [`command`].
pub fn command_of(program: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).env_remove("NO_COLOR").current_dir(env!("CARGO_MANIFEST_DIR"));
    for name in ["ANDROID_HOME", "ANDROID_SDK_ROOT", "ANDROID_SERIAL", "ADB_SERVER_SOCKET"] {
        command.env_remove(name);
    }
    // No server listens on the first of all ports.
    command.env("PATH", "").env("ANDROID_ADB_SERVER_PORT", "1");
    command
}

/// Returns true if a command keeps tests or runs in the folder of the project.
fn keeps(args: &[&str]) -> bool {
    matches!(args.first(), Some(&"check" | &"replay")) && !args.contains(&"--help")
}

/// Returns the path of a folder that was never used before.
fn out_folder() -> PathBuf {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let name = format!("{}-{}", process::id(), CALLS.fetch_add(1, Ordering::Relaxed));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("out").join(name);
    // The system reuses process numbers some day.
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Runs the program to its end. Tests and runs that it would keep in the repository go to a folder of this
/// call's own.
pub fn farlead(args: &[&str], stdin: &str) -> Ended {
    let mut command = command(args);
    let folder = (keeps(args) && !args.contains(&"--out")).then(out_folder);
    if let Some(folder) = &folder {
        command.arg("--out").arg(folder);
    }
    let ended = ended(&mut command, stdin);
    if let Some(folder) = folder {
        // A refused command has made no folder.
        let _ = fs::remove_dir_all(folder);
    }
    ended
}

/// Runs `command` to its end.
pub fn ended(command: &mut Command, stdin: &str) -> Ended {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // A program that does not read its input may have ended by now.
    let _ = child.stdin.take().expect("a standard input").write_all(stdin.as_bytes());
    let output = child.wait_with_output().expect("the binary ends");
    Ended {
        code: output.status.code().expect("an exit code"),
        stdout: String::from_utf8(output.stdout).expect("text on stdout"),
        stderr: String::from_utf8(output.stderr).expect("text on stderr"),
    }
}

/// Writes a file of this test's own.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli");
    fs::create_dir_all(&folder).expect("a folder for tests");
    let path = folder.join(name);
    fs::write(&path, content).expect("a file for a test");
    path
}

fn lint(name: &str, content: impl AsRef<[u8]>, more: &[&str]) -> Ended {
    let path = file(name, content);
    let args: Vec<&str> =
        ["lint", path.to_str().expect("a path in letters")].into_iter().chain(more.iter().copied()).collect();
    let mut ended = farlead(&args, "");
    let folder = format!("{}/", path.parent().expect("a folder").display());
    ended.stdout = ended.stdout.replace(&folder, "");
    ended
}

#[test]
fn lint_says_every_mistake_of_a_file_with_its_place() {
    let ended = lint(
        "mistakes.ltl",
        "\
let main = [activity ~ Main]

possible \"undeclared\": mian U main
possible \"key\": F [activty = Main]
possible \"bracket\": F [activity = Main
possible \"mixed\": main U main R main
never \"fine\": F [crashed = true]
possible \"short\" within 2 steps: X X X main
possible \"kinds\": F [activity ~ Main, text ~ OK]
",
        &[],
    );
    assert_eq!(ended.code, 3);
    assert_eq!(
        ended.stdout,
        "\
mistakes.ltl:3:24: error: there is no `mian`
 3 | possible \"undeclared\": mian U main
   |                        ^^^^
 help: did you mean `main`?
mistakes.ltl:4:20: error: there is no key `activty`
 4 | possible \"key\": F [activty = Main]
   |                    ^^^^^^^
 help: did you mean `activity`?
mistakes.ltl:5:23: error: this `[` is never closed
 5 | possible \"bracket\": F [activity = Main
   |                       ^
 help: close it with `]`
mistakes.ltl:6:19: error: `U` and `R` bind alike, so that this can be read in two ways
 6 | possible \"mixed\": main U main R main
   |                   ^^^^^^^^^^^^^^^^^^
 help: write `(main U main) R main` or `main U (main R main)`
mistakes.ltl:8:18: error: no run of 2 steps satisfies this formula: the shortest has 4
 8 | possible \"short\" within 2 steps: X X X main
   |                  ^^^^^^^^^^^^^^
 help: write `within 4 steps` or more; the start counts as one
mistakes.ltl:9:21: error: one bracket is about one thing: the screen, a widget, or the action
 9 | possible \"kinds\": F [activity ~ Main, text ~ OK]
   |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
 help: write [activity ~ Main] & [text ~ OK]
mistakes.ltl:7: never \"fine\": level a, 1 atom, shortest witness 1 step
mistakes.ltl:8: possible \"short\": level a, 1 atom, shortest witness 4 steps, within 2 steps
2 specs in 1 file: 6 mistakes, 0 warnings
"
    );
}

#[track_caller]
fn check_judged(content: &str, code: i32, found: &[&str]) {
    let ended = lint(
        &format!("judged-{:x}.ltl", content.len() * 31 + usize::from(content.as_bytes()[0])),
        content,
        &["--json"],
    );
    let codes: Vec<String> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object a line"))
        .filter_map(|event| event["code"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(codes, found, "{content}");
    assert_eq!(ended.code, code, "{content}");
}

#[test]
fn a_spec_that_can_only_fail_is_a_mistake_and_one_that_can_only_pass_a_warning() {
    let contradiction = "F [screen = on] & G ![screen = on]";
    check_judged(&format!("possible \"p\": {contradiction}"), 3, &["E-unsatisfiable"]);
    check_judged(&format!("never \"n\": {contradiction}"), 0, &["W-cannot-fail"]);
    check_judged(&format!("must \"mm\": {contradiction}"), 3, &["E-cannot-pass"]);
    check_judged(&format!("must \"m\": !({contradiction})"), 0, &["W-cannot-fail"]);
    check_judged(&format!("never \"nn\": !({contradiction})"), 3, &["E-cannot-pass"]);
    check_judged("possible \"at once\": [screen = on] | ![screen = on]", 0, &["W-true-at-start"]);
    // Only its meaning shows the mistake: each step demands a next one.
    check_judged("possible \"endless\": G X true", 3, &["E-unsatisfiable"]);
}

#[test]
fn what_is_surely_not_meant_is_a_warning() {
    check_judged("must \"m\": G ([screen = on] -> F [screen = off])", 0, &["W-unbounded-eventuality"]);
    check_judged("possible \"p\" typed counts: F [text ~ Hello]", 0, &["W-typed-text"]);
    check_judged("possible \"p\" typed counts: F [id = a, text ~ Hello]", 0, &["W-typed-text"]);
    check_judged("possible \"p\" typed counts: F ([text ~ Hello] & [activity ~ Main])", 0, &[]);
    check_judged("possible \"p\" typed counts: F [text ~ /Hello/]", 0, &[]);
    check_judged("possible \"p\": F [text ~ Hello]", 0, &[]);
    check_judged(
        "must \"m\": G ![crashed = true] & G ([screen = on] -> F [screen = off])",
        0,
        &["W-unbounded-eventuality"],
    );
    check_judged("must \"m\": G ([screen = on] -> F[<=3] [screen = off])", 0, &[]);
    check_judged("must \"m\" times to 10ms: G ([screen = on] -> F[<=3] [screen = off])", 0, &["W-times"]);
    check_judged("must \"m\" times to 10ms: G ([screen = on] -> F[<=30ms] [screen = off])", 0, &[]);
    check_judged("must \"m\" times to 10ms: G ([screen = on] -> F[<=5ms] [screen = off])", 0, &["W-times"]);
    check_judged("must \"m\": G ([screen = on] -> F[<=50ms] [screen = off])", 0, &["W-times"]);
    check_judged("must \"m\": G ([screen = on] -> F[<=0s] [screen = off])", 0, &[]);
    check_judged(
        "possible \"p\": F ([actionType = click] & [actionType = back])",
        0,
        &["W-contradictory-labels"],
    );
    check_judged("possible \"p\": X [screen = on] & [actionType = click]", 0, &["W-action-at-start"]);
    check_judged("possible \"p\": X F [actionType = reinitialise]", 0, &["W-start-later"]);
    check_judged("possible \"p\": F [text = a, text = b]", 0, &["W-never-holds"]);
    check_judged("possible \"p\": F [text != OK]", 0, &["W-some-other-widget"]);
    check_judged("possible \"p\": X [screen = off] U [screen = on]", 0, &["W-prefix-before-until"]);
}

#[test]
fn strict_makes_warnings_count() {
    let content = "possible \"p\": F [text != OK]\n";
    assert_eq!(lint("lenient.ltl", content, &[]).code, 0);
    assert_eq!(lint("strict.ltl", content, &["--strict"]).code, 3);
}

#[test]
fn lint_as_json_has_a_line_for_each_thing_it_says() {
    let ended = lint(
        "events.ltl",
        "never \"a\" within 5 steps: F [crashed = true]\npossible \"b\": [\n",
        &["--json"],
    );
    assert_eq!(ended.code, 3);
    assert_eq!(
        ended.stdout.lines().collect::<Vec<_>>(),
        [
            r#"{"event":"diagnostic","file":"events.ltl","line":2,"column":15,"end_line":2,"end_column":16,"severity":"error","code":"E-bracket","message":"this `[` is never closed","help":"close it with `]`"}"#,
            r#"{"event":"spec","file":"events.ltl","line":1,"name":"a","expectation":"never","level":"a","atoms":1,"shortest":1,"within":5,"episodes":null}"#,
            r#"{"event":"summary","files":1,"specs":1,"errors":1,"warnings":0}"#,
        ]
    );
}

#[test]
fn the_specs_of_the_repository_have_no_mistakes() {
    let ended = farlead(&["lint", "specs"], "");
    assert_eq!((ended.code, &*ended.stderr), (0, ""));
    assert!(ended.stdout.ends_with("103 specs in 22 files: 0 mistakes, 0 warnings\n"), "{}", ended.stdout);
}

#[test]
fn lint_as_json_names_what_it_cannot_read_and_counts_what_it_leaves_out() {
    let ended = farlead(&["lint", "no-such.ltl", "--json"], "");
    assert_eq!(ended.code, 3);
    assert!(ended.stdout.starts_with(r#"{"event":"unreadable","file":"no-such.ltl","#), "{}", ended.stdout);
    let many = "never \"x\": a\n".repeat(300);
    let ended = lint("many.ltl", many, &["--json"]);
    assert!(ended.stdout.contains(r#"{"event":"more","file":"many.ltl","diagnostics":"#), "{}", ended.stdout);
}

#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others() {
    let good = file("good.ltl", "F [crashed = true]");
    let ended = farlead(&["lint", "no-such.ltl", good.to_str().expect("a path in letters")], "");
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.starts_with("farlead: cannot read no-such.ltl: "), "{}", ended.stderr);
    assert!(ended.stdout.contains("possible \"good\""), "{}", ended.stdout);
}

#[test]
fn bytes_that_are_no_text_are_a_mistake_with_a_place() {
    let ended = lint("latin.ltl", b"# gr\xfc\xdfe\nF [text = a]\n", &[]);
    assert_eq!(ended.code, 3);
    assert!(ended.stdout.starts_with("latin.ltl:1:5: error: the byte 0xfc is not UTF-8"), "{}", ended.stdout);
}

#[test]
fn explain_says_a_spec_in_words() {
    let ended = farlead(&["explain", "specs/chesswalk/about.ltl", "--only", "a"], "");
    assert_eq!((ended.code, &*ended.stderr), (0, ""));
    assert_eq!(
        ended.stdout,
        "\
possible \"a\": some run satisfies
  X ([activity ~ Main] U ([activity ~ About] & X ([activity ~ About] U [activity ~ Main])))

In words
  At the first step, the start of the app:
    there is a next step, and there:
      at some step:
        all of these hold:
          - [activity ~ About]
          - there is a next step, and there:
              at some step: [activity ~ Main]
              and at every step before it: [activity ~ About]
      and at every step before it: [activity ~ Main]

Sub-goals
  1. [activity ~ About] (some time, meanwhile [activity ~ Main])
  2. [activity ~ Main] (some time, meanwhile [activity ~ About])

Atoms
  [activity ~ About]: the activity in front contains `About`
  [activity ~ Main]: the activity in front contains `Main`

Level a, an automaton of 6 states

A shortest witness, 3 steps
  0. anything
     leaves [activity ~ Main] U ([activity ~ About] & X ([activity ~ About] U [activity ~ Main]))
  1. [activity ~ About]
     leaves [activity ~ About] U [activity ~ Main]
  2. [activity ~ Main]
     leaves true
"
    );
}

#[test]
fn explain_is_short_about_what_is_long() {
    let nested = format!("possible \"n\": {}true{}", "F ([text = a] & X ".repeat(200), ")".repeat(200));
    let chain = format!("possible \"c\": {}[text = a]", "X ".repeat(9_000));
    for (name, content) in [("nested.ltl", nested), ("chain.ltl", chain)] {
        let path = file(name, content);
        let ended = farlead(&["explain", path.to_str().expect("a path in letters")], "");
        assert_eq!((ended.code, &*ended.stderr), (0, ""));
        assert!(ended.stdout.len() < 200_000, "{name}: {} bytes", ended.stdout.len());
        assert!(ended.stdout.contains("  and "), "{name}");
    }
}

#[test]
fn explain_draws_the_automaton_for_graphviz() {
    let ended = farlead(&["explain", "specs/chesswalk/pause.ltl", "--dot"], "");
    assert_eq!((ended.code, &*ended.stderr), (0, ""));
    assert!(ended.stdout.starts_with("digraph \"b\" {\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("0 -> 1 [label=\"anything\"];"), "{}", ended.stdout);
    assert_eq!(farlead(&["explain", "specs/chesswalk/pause.ltl", "--only", "z"], "").code, 2);
}

#[test]
fn explain_shows_what_each_step_of_a_witness_leaves_where_values_are_kept() {
    let specs = file(
        "witness.ltl",
        "possible \"again\": keep x = text(id = count): X F ([text = {x}] & X [desc = {x}])\n",
    );
    let ended = farlead(&["explain", &specs.display().to_string()], "");
    let expected = "
A shortest witness, 3 steps
  0. anything
     leaves F ([text = {x}] (x 1) & X [desc = {x}] (x 1))
  1. [text = {x}] (x 1)
     leaves [desc = {x}] (x 1) | F ([text = {x}] (x 1) & X [desc = {x}] (x 1))
  2. [desc = {x}] (x 1)
     leaves true
";
    assert!(ended.stdout.ends_with(expected), "{}", ended.stdout);
}

#[test]
fn explain_draws_bounds_in_time_and_kept_values() {
    let specs = file(
        "drawn.ltl",
        "possible \"soon\": F[<=2s] [text = a]
possible \"again\": keep x = text(id = count): X F [text = {x}]
possible \"stays\": G ([text = a] -> G[<=2s] [text = b])
possible \"each\": G keep x = text(id = count): F [text = {x}]\n",
    );
    let specs = specs.display().to_string();
    let draw = |name: &str| farlead(&["explain", &specs, "--only", name, "--dot", "--quiet"], "");
    let soon = draw("soon").stdout;
    for line in [
        "0 [label=\"F[<=2s] [text = a]\"];",
        "0 -> 0 [label=\"at most 2s later: ![text = a]\"];",
        "0 -> 1 [label=\"at most 2s later: [text = a]\"];",
        "states that differ by the time that is left are one, with the most that can be left; times are for that one\";",
    ] {
        assert!(soon.contains(line), "{soon}");
    }
    let again = draw("again").stdout;
    assert!(again.contains("1 -> 2 [label=\"[text = {x}] (x 1)\"];"), "{again}");
    assert!(!again.contains("time that is left"), "{again}");
    let stays = draw("stays").stdout;
    let both = "at most 2s later: ![text = a] & [text = b]\\ntime begins anew by [text = a] & [text = b]";
    assert!(stays.contains(&format!("2 -> 2 [label=\"{both}\"];")), "{stays}");
    let each = draw("each");
    assert_eq!((each.code, &*each.stdout), (2, ""));
    assert!(
        each.stderr.contains("the automaton of `each` keeps too many values at a time"),
        "{}",
        each.stderr
    );
}

const THERE_AND_BACK: &str = "X (main U (about & X (about U main)))";

#[test]
fn monitor_answers_each_step() {
    let trace = "[\"main\"]\n{\"labels\":[\"about\"]}\n\n[\"main\"]\n";
    let ended = farlead(&["monitor", "-e", THERE_AND_BACK, "--trace", "-", "--json"], trace);
    assert_eq!((ended.code, &*ended.stderr), (0, ""));
    assert_eq!(
        ended.stdout.lines().collect::<Vec<_>>(),
        [
            r#"{"step":0,"satisfied":false,"permanent":"open","reward":0.0,"atoms":4,"residual":"main U (about & X (about U main))"}"#,
            r#"{"step":1,"satisfied":false,"permanent":"open","reward":0.3333333333333333,"atoms":2,"residual":"about U main"}"#,
            r#"{"step":2,"satisfied":true,"permanent":"sat","reward":1.0,"atoms":0,"residual":"true"}"#,
        ]
    );
}

#[test]
fn monitor_follows_the_times_of_a_trace() {
    let trace =
        "{\"at\":150,\"labels\":[\"a\"]}\n{\"at\":2149,\"labels\":[]}\n{\"at\":2250,\"labels\":[\"b\"]}\n";
    let ended = |formula: &str, trace: &str| farlead(&["monitor", "-e", formula, "--trace", "-"], trace);
    // The times are 100, 2100 and 2200, so `b` comes after 2100 ms.
    assert_eq!(ended("F[<=2s] b", trace).code, 1);
    let passed = ended("F[<=2100ms] b", trace);
    assert_eq!(passed.code, 0, "{}", passed.stderr);
    assert!(
        passed.stdout.lines().nth(1).is_some_and(|line| line.ends_with("F[<=100ms] b")),
        "{}",
        passed.stdout
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let finely = folder.join("finely.ltl");
    fs::write(&finely, "possible times to 1ms: F[=2s] true\npossible \"coarsely\": F[=2s] true\n")
        .expect("a file");
    let finely = finely.to_str().expect("a path");
    let of_spec = |name: &str| farlead(&["monitor", finely, "--only", name, "--trace", "-"], trace).code;
    assert_eq!((of_spec("finely"), of_spec("coarsely")), (1, 0));
    let without = ended("F[<=2s] b", "[\"a\"]\n");
    assert_eq!(without.code, 3);
    assert!(without.stderr.contains("each step needs its time"), "{}", without.stderr);
    let back = ended("F[<=2s] b", "{\"at\":200,\"labels\":[]}\n{\"at\":100,\"labels\":[]}\n");
    assert_eq!(back.code, 3);
    assert!(back.stderr.contains("the time goes back from 200 ms to 100 ms"), "{}", back.stderr);
}

#[test]
fn monitor_keeps_the_values_of_a_trace() {
    let trace = r#"{"labels": ["save"], "keep": {"t": "Note 1"}}
{"labels": ["[text=Note 2]"], "keep": {"t": null}}
{"labels": ["[text = Note 1]"], "keep": {"t": ["a", "b"]}}
"#;
    let ended = |formula: &str, trace: &str| farlead(&["monitor", "-e", formula, "--trace", "-"], trace);
    let kept = "F (save & keep t = text(id = title): X F [text = {t}])";
    let passed = ended(kept, trace);
    assert_eq!(passed.code, 0, "{}{}", passed.stdout, passed.stderr);
    let residuals: Vec<bool> =
        passed.stdout.lines().map(|line| line.contains("F [text = Note 1] | ")).collect();
    assert_eq!(residuals, [true, true, false, false], "{}", passed.stdout);
    // The first of the two values is the one that comes again.
    let other = kept.replace("F [text", "F ![text");
    assert_eq!(ended(&other, trace).code, 0);
    let never = kept.replace("[text = {t}]", "[text = \"{t}!\"]");
    assert_eq!(ended(&never, trace).code, 1);
    let without = ended(kept, "[\"save\"]\n");
    assert_eq!(without.code, 3);
    assert!(without.stderr.contains("the formula keeps `t`"), "{}", without.stderr);
}

#[test]
fn monitor_ends_as_the_trace_does() {
    let code = |formula: &str, trace: &str| farlead(&["monitor", "-e", formula, "--trace", "-"], trace).code;
    assert_eq!(code("F about", "[\"main\"]\n"), 1);
    assert_eq!(code("G !crash", "[\"main\"]\n[]\n"), 0);
    assert_eq!(code("G !crash", "[\"crash\"]\n[]\n"), 1);
    // Without a step there is no trace.
    assert_eq!(code("true", ""), 3);
    assert_eq!(code("true", "\n\n"), 3);
    assert_eq!(code("a U", "[]\n"), 3);
    // Something that looks like an atom and is none would give a wrong answer later.
    assert_eq!(code("F [text = OK]", "[\"[text = OK\"]\n"), 3);
    assert_eq!(code("F a", "\u{feff}[\"a\"]\n"), 0);
}

#[test]
fn an_unreadable_line_comes_after_the_answers_before_it() {
    let trace = "[\"main\"]\n[\"about\"\n[\"main\"]\n";
    let ended = farlead(&["monitor", "-e", THERE_AND_BACK, "--trace", "-", "--json"], trace);
    assert_eq!(ended.code, 3);
    assert_eq!(ended.stdout.lines().count(), 1);
    assert!(ended.stderr.starts_with("farlead: standard input:2: "), "{}", ended.stderr);
}

#[test]
fn a_trace_that_cannot_be_read_is_named() {
    for trace in ["no-such.jsonl", "specs"] {
        let ended = farlead(&["monitor", "-e", "a", "--trace", trace], "");
        assert_eq!(ended.code, 3);
        assert!(ended.stderr.starts_with(&format!("farlead: cannot read {trace}: ")), "{}", ended.stderr);
    }
}

#[test]
fn labels_are_compared_as_atoms_whatever_their_spelling() {
    let trace = "[\"[checked=true,text = \\\"Wi-Fi\\\"]\"]\n";
    let formula = "[text = Wi-Fi, checked = true]";
    assert_eq!(farlead(&["monitor", "-e", formula, "--trace", "-"], trace).code, 0);
}

#[test]
fn monitor_takes_the_expectation_of_a_spec_into_account() {
    let path =
        file("never.ltl", "never \"crash\": F [crashed = true]\nmust \"calm\": G[<=1] ![crashed = true]\n");
    let path = path.to_str().expect("a path in letters");
    let code =
        |only: &str, trace: &str| farlead(&["monitor", path, "--only", only, "--trace", "-"], trace).code;
    assert_eq!(code("crash", "[]\n[]\n"), 0);
    assert_eq!(code("crash", "[]\n[\"[crashed = true]\"]\n"), 1);
    assert_eq!(code("calm", "[]\n[]\n[\"[crashed = true]\"]\n"), 0);
    assert_eq!(code("calm", "[]\n[\"[crashed = true]\"]\n"), 1);
    // Nothing says which of the two is meant.
    let ended = farlead(&["monitor", path, "--trace", "-"], "[]\n");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("`crash`, `calm`"), "{}", ended.stderr);
}

#[test]
fn each_answer_goes_out_before_the_next_line_comes() {
    let mut child = command(&["monitor", "-e", "F b", "--trace", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a standard input");
    let mut stdout = BufReader::new(child.stdout.take().expect("a standard output"));
    // A line that has come in part holds back no answer.
    for (step, lines) in ["[\"a\"]\n", "[\"a\"]\n[\"", "a\"]\n"].iter().enumerate() {
        stdin.write_all(lines.as_bytes()).expect("a line goes in");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("an answer comes out");
        assert!(answer.starts_with(&format!("{{\"step\":{step},")), "{answer}");
    }
    drop(stdin);
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let once = || farlead(&["explain", "specs/chesswalk/second_game.ltl"], "").stdout;
    assert_eq!(once(), once());
}

#[test]
fn a_command_line_that_makes_no_sense_ends_with_2() {
    for args in
        [&["lint"][..], &["monitor", "-e", "a"], &["no-such-command"], &["lint", "--colour", "specs"], &[]]
    {
        let ended = farlead(args, "");
        assert_eq!((ended.code, &*ended.stdout), (2, ""), "{args:?}");
        assert!(!ended.stderr.is_empty());
    }
    for args in
        [&["--help"][..], &["lint", "--help"], &["explain", "--help"], &["monitor", "--help"], &["--version"]]
    {
        let ended = farlead(args, "");
        assert_eq!((ended.code, &*ended.stderr), (0, ""), "{args:?}");
        assert!(args[0] == "--version" || ended.stdout.contains("Examples:"), "{args:?}");
    }
}

#[test]
fn colours_are_for_those_who_ask() {
    let plain = lint("plain.ltl", "possible \"p\": [", &[]).stdout;
    assert!(!plain.contains('\u{1b}'));
    let coloured = lint("coloured.ltl", "possible \"p\": [", &["--color", "always"]).stdout;
    assert!(coloured.contains("\u{1b}[1;31m"));
}

#[test]
fn a_reader_that_goes_away_changes_no_exit_code() {
    let spec = file("pipes.ltl", "must \"x: F [text = a]\n".repeat(2_000));
    let model = file("pipes.app", "app 7");
    let (spec, model) = (spec.to_str().expect("a path"), model.to_str().expect("a path"));
    for (args, code) in [
        (&["lint", spec, "--json"][..], 3),
        (&["model", "check", model], 3),
        (&["explain", "specs/chesswalk/about.ltl"], 0),
        (&["monitor", "-e", "G a", "--trace", "-"], 1),
        (&["devices"], 4),
        (&["doctor"], 4),
        (&["completions", "bash"], 0),
    ] {
        let mut child = command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        drop(child.stdout.take());
        let mut input = child.stdin.take().expect("a pipe");
        // A command that reads nothing has ended before this.
        let _ = input.write_all(b"{\"labels\":[\"b\"]}\n");
        drop(input);
        assert_eq!(child.wait().expect("it ends").code(), Some(code), "{args:?}");
    }
}

#[test]
fn a_file_that_is_no_text_to_read_is_refused_before_it_is_read() {
    let large = file("large.ltl", "");
    fs::File::options()
        .write(true)
        .open(&large)
        .and_then(|file| file.set_len(65 << 20))
        .expect("a large file");
    let large = large.to_str().expect("a path");
    for command in [&["lint"][..], &["model", "check"]] {
        let ended = farlead(&[command, &[large]].concat(), "");
        assert_eq!(ended.code, 3);
        assert!(ended.stderr.contains("large.ltl: it is larger than 64 MB"), "{}", ended.stderr);
        #[cfg(unix)]
        {
            let ended = farlead(&[command, &["/dev/zero"]].concat(), "");
            assert_eq!(ended.code, 3);
            assert!(ended.stderr.contains("it is a device of the system, and no file"), "{}", ended.stderr);
        }
    }
}

#[test]
fn the_nearest_file_is_named_for_one_that_is_not_there() {
    for (path, says) in [
        ("specs/notes/pallete.ltl", "there is no such file; did you mean specs/notes/palette.ltl?\n"),
        ("specs/nothing/palette.ltl", "there is no such folder\n"),
        ("specs/notes/quite-another.ltl", "there is no such file\n"),
    ] {
        let ended = farlead(&["check", path, "--app", "apps/notes.app"], "");
        assert_eq!(ended.code, 3);
        assert_eq!(ended.stderr, format!("farlead: cannot read {path}: {says}"));
    }
}

#[test]
fn a_model_among_the_specs_is_called_one() {
    let ended = farlead(&["check", "apps/notes.app"], "");
    assert_eq!(ended.code, 3);
    assert!(ended.stderr.contains("`farlead check SPEC --app apps/notes.app`"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("error:"), "its lines are no formulas: {}", ended.stderr);
}

#[cfg(unix)]
#[test]
fn the_name_of_a_file_writes_no_line_of_its_own() {
    let odd = file("a\n::error::b.ltl", "possible \"x\" within 4 steps: F [activity ~ Main]\n");
    let (odd, gone) = (odd.to_str().expect("a path"), "gone\n::error::c.ltl");
    for args in [
        &["lint", odd, gone][..],
        &["lint", "--json", odd, gone],
        &["check", odd, "--app", "apps/notes.app"],
        &["check", gone, "--app", gone],
        &["explain", odd],
        &["explain", gone],
        &["model", "check", odd, gone],
        &["replay", odd, gone],
        &["minimize", gone],
        &["export", gone, "--to", "adb"],
        &["monitor", gone, "--trace", gone],
        &["report", gone],
    ] {
        let ended = farlead(args, "");
        for line in ended.stdout.lines().chain(ended.stderr.lines()) {
            assert!(!line.starts_with("::error"), "{args:?}: {line}");
        }
    }
}
