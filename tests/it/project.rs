//! farlead.toml: effects of its set-up, rules, actions and texts on the commands, and its mistakes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use farlead::device::sim::{self, Sim};
use farlead::device::{Device, DeviceError, Faulty};
use farlead::gui::Action;
use farlead::rng::Seed;
use farlead::setup::{Prepared, SetUpTest, kept, prepared_outcomes};
use farlead::spec::Source;
use farlead::test_case::{SetUpRun, TestCase, TestSetUp, read};
use serde_json::Value;

use crate::cli::{Ended, command, ended};

/// A folder of a test's own.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Returns an empty folder.
    pub fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("project").join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Folder { path }
    }

    /// Returns the path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Writes a file in it.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Returns the text of a file in it.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs the program there.
    pub fn run(&self, args: &[&str]) -> Ended {
        ended(command(args).current_dir(&self.path), "")
    }

    /// Runs the program there, which must end with `code`.
    #[track_caller]
    pub fn done(&self, code: i32, args: &[&str]) -> Ended {
        let ended = self.run(args);
        assert_eq!(ended.code, code, "{args:?}\n{}{}", ended.stdout, ended.stderr);
        ended
    }
}

const BANK: &str = "\
app org.example.bank \"Bank\" 1.0
launch Main
launch Help
stored user = \"\"
activity Main .Main {
    own name = \"\"
    TextView (user ? \"Hello {user}\" : \"Please log in\")
    EditText #name hint \"Name\" edits name
    Button #login \"Log in\" -> { user = name }
    Button #account \"Account\" when user -> open Account
    Button #logout \"Log out\" when user -> { user = \"\" }
}
activity Account .Account {
    TextView \"Balance\"
}
activity Help .Help {
    TextView \"Help\"
}
";

const LOGIN: &str = "possible \"log in\" within 3 steps: F [class = TextView, text = \"Hello ann\"]\n";
const ACCOUNT: &str = "possible \"account\" within 3 steps: F [activity ~ Account]\n";
const LOGGED_IN: &str = "farlead-tests/specs/login/log in.test.ltl";
const AT_ACCOUNT: &str = "farlead-tests/specs/account/account.test.ltl";
const SET_UP: &str =
    "app = \"bank.app\"\ntexts = [\"ann\"]\nsetup = [\"farlead-tests/specs/login/log in.test.ltl\"]\n";
const NEVER_OUT: &str = "[[rule]]\nnever = '[actionDetail = \"Log out\"]'\n";

/// Returns a bank, where one must log in, with the test that does it.
fn set_up(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("bank.app", BANK);
    folder.write("specs/login.ltl", LOGIN);
    folder.write("specs/account.ltl", ACCOUNT);
    folder.write("farlead.toml", "app = \"bank.app\"\ntexts = [\"ann\"]\n");
    folder.done(0, &["check", "specs/login.ltl"]);
    assert!(folder.read(LOGGED_IN).contains("text \"ann\""));
    folder.write("farlead.toml", SET_UP);
    folder
}

#[track_caller]
fn says(ended: &Ended, parts: &[&str]) {
    let all = format!("{}{}", ended.stdout, ended.stderr);
    for part in parts {
        assert!(all.contains(part), "{part}\n{all}");
    }
}

#[test]
fn a_set_up_is_no_part_of_the_run_and_is_named() {
    let folder = set_up("named");
    // Without the set-up, three steps are too few.
    folder.done(1, &["check", "specs/account.ltl", "--no-setup", "--episodes", "50"]);
    let found = folder.done(0, &["check", "specs/account.ltl", "--junit", "r.xml", "--html", "r.html"]);
    says(&found, &["a run of 2 steps", "set up by farlead-tests/specs/login/log in.test.ltl"]);
    let kept = read(&Source::new("kept", folder.read(AT_ACCOUNT))).test.expect("a sound test");
    let steps: Vec<String> = kept.steps.iter().map(|step| step.action.to_string()).collect();
    assert_eq!(steps, ["reinitialise org.example.bank.Main", "click \"Account\""]);
    assert!(kept.provenance.device.ends_with("set up by farlead-tests/specs/login/log in.test.ltl"));
    for report in ["r.xml", "r.html"] {
        assert!(folder.read(report).contains("set up by"), "{report}");
    }
}

#[test]
fn what_was_found_under_a_set_up_is_found_again_replayed_and_made_short() {
    let folder = set_up("again");
    folder.done(0, &["check", "specs/account.ltl"]);
    says(&folder.done(0, &["check", AT_ACCOUNT]), &["a run of 2 steps, found in 1 episode, 2 steps"]);
    says(
        &folder.done(0, &["replay", AT_ACCOUNT, "--times", "3"]),
        &["passed: reproduced 3 of 3", "set up by"],
    );
    says(&folder.done(0, &["minimize", AT_ACCOUNT]), &["not shrunk: 2 steps", "1-minimal"]);
    // Without the set-up that it starts from, the test cannot be done.
    folder.done(5, &["replay", AT_ACCOUNT, "--no-setup"]);
    folder.done(1, &["minimize", AT_ACCOUNT, "--no-setup"]);
}

/// An app that is busy for two seconds after a click.
const BUSY: &str = "\
app org.example.busy \"Busy\" 1.0
launch Main
activity Main .Main {
    Button \"Go\" -> { wait 2s; open Done }
    Button \"Slower\" -> wait 4s
}
activity Done .Done {
    TextView \"Done\"
}
";

#[test]
fn bounds_in_time_have_the_slack_of_the_project() {
    let folder = Folder::new("slack");
    folder.write("busy.app", BUSY);
    folder.write("specs/soon.ltl", "possible \"soon\" within 4 steps: F[<=20s] [activity ~ Done]\n");
    folder.write("farlead.toml", "app = \"busy.app\"\nslack = 3\n");
    folder.done(0, &["check", "specs/soon.ltl"]);
    let test = "farlead-tests/specs/soon/soon.test.ltl";
    let bound = |folder: &Folder| {
        let text = folder.read(test);
        let at = text.find("F[<=").unwrap_or_else(|| panic!("{text}"));
        text[at..].split(']').next().expect("an end").to_string()
    };
    let wide = bound(&folder);
    folder.write("farlead.toml", "app = \"busy.app\"\nslack = 0\n");
    folder.done(0, &["minimize", test, "--update"]);
    let narrow = bound(&folder);
    folder.write("farlead.toml", "app = \"busy.app\"\nslack = 3\n");
    folder.done(0, &["minimize", test, "--update"]);
    assert_eq!(bound(&folder), wide);
    assert_ne!(narrow, wide);
}

#[test]
fn a_test_that_sets_up_is_not_set_up_by_itself() {
    let folder = set_up("itself");
    folder.done(0, &["check", "specs/account.ltl"]);
    let before = folder.read(LOGGED_IN);
    let all = folder.done(0, &["check", "specs"]);
    says(&all, &["2 passed"]);
    assert!(!all.stderr.contains("differs"), "{}", all.stderr);
    assert_eq!(folder.read(LOGGED_IN), before);
    says(&folder.done(0, &["replay", "farlead-tests"]), &["2 passed", "set up by"]);
    says(&folder.done(0, &["check", "farlead-tests"]), &["2 passed"]);
}

#[test]
fn set_ups_go_on_from_each_other() {
    let folder = set_up("several");
    folder.done(0, &["check", "specs/account.ltl"]);
    let two = format!("app = \"bank.app\"\nsetup = [{LOGGED_IN:?}, {AT_ACCOUNT:?}]\n");
    folder.write("farlead.toml", &two);
    folder.write("specs/balance.ltl", "possible \"balance\" within 1 step: [text = Balance]\n");
    let found = folder.done(0, &["check", "specs/balance.ltl"]);
    says(&found, &["a run of 1 step", "log in.test.ltl, farlead-tests/specs/account/account.test.ltl"]);
    // Each of the two tests needs only the set-ups before it.
    says(&folder.done(0, &["replay", LOGGED_IN, AT_ACCOUNT]), &["2 passed"]);
}

#[test]
fn a_set_up_that_does_not_hold_is_an_error_that_says_where() {
    let folder = set_up("broken");
    folder.done(0, &["check", "specs/account.ltl"]);
    let hello = "Hello {user}";
    folder.write("bank.app", &BANK.replace(hello, "Hi {user}"));
    let parts = [
        "the set-up test farlead-tests/specs/login/log in.test.ltl does not hold: at step 2 ",
        "[text = Hello ann, class = TextView]",
    ];
    for args in [
        &["check", "specs/account.ltl"][..],
        &["check", "specs/account.ltl", "--exhaustive"],
        &["replay", AT_ACCOUNT],
        &["minimize", AT_ACCOUNT],
        &["compare", "specs/account.ltl", "--runs", "2", "--agents", "planner"],
    ] {
        says(&folder.done(4, args), &parts);
    }
    let checked = folder.run(&["check", "specs/account.ltl"]);
    says(&checked, &["see where it fails: `farlead replay 'farlead-tests/specs/login/log in.test.ltl'`"]);
    folder.done(1, &["replay", LOGGED_IN]);
    // The button is gone altogether.
    folder.write("bank.app", &BANK.replace("Button #login \"Log in\"", "Button #enter \"Enter\""));
    let gone = folder.done(4, &["check", "specs/account.ltl"]);
    says(&gone, &["at step 2 click \"Log in\" cannot be done, and there is activity org.example.bank.Main"]);
    // The set-up only serves tests that start the same activity.
    folder.write("bank.app", BANK);
    folder.write("specs/help.ltl", "possible \"help\": [activity ~ Help]\n");
    folder.done(0, &["check", "specs/help.ltl", "--no-setup"]);
    let help = "farlead-tests/specs/help/help.test.ltl";
    folder.write(help, &folder.read(help).replace("farlead test 3", "farlead test 1"));
    let other = folder.done(4, &["replay", help]);
    says(&other, &["at step 0 it starts org.example.bank.Main, and this run org.example.bank.Help"]);
    // No run of the search starts there, so the spec is not met, without an error.
    folder.done(1, &["check", "specs/help.ltl", "--steps", "2", "--episodes", "20"]);
}

#[test]
fn a_test_runs_with_the_set_up_that_it_keeps_whatever_farlead_toml_names_later() {
    let folder = set_up("keeps");
    folder.done(0, &["check", "specs/account.ltl"]);
    let text = folder.read(AT_ACCOUNT);
    let test = read(&Source::new("kept", text.clone())).test.expect("a sound test");
    let TestSetUp::Own(runs) = &test.set_up else { panic!("{text}") };
    let steps: Vec<String> = runs[0].steps.iter().map(|step| step.action.to_string()).collect();
    assert_eq!((&*runs[0].name, steps.len(), runs.len()), (LOGGED_IN, 3, 1), "{steps:?}");
    let again = |differs: &str| {
        for args in [&["replay", AT_ACCOUNT][..], &["check", AT_ACCOUNT], &["minimize", AT_ACCOUNT]] {
            let done = folder.done(0, args);
            let warned = format!("farlead: warning: {AT_ACCOUNT}: {differs}");
            assert_eq!(
                done.stderr.matches("warning").count(),
                usize::from(!differs.is_empty()),
                "{}",
                done.stderr
            );
            assert!(differs.is_empty() || done.stderr.contains(&warned), "{warned}\n{}", done.stderr);
        }
    };
    again("");
    folder.write("farlead.toml", "app = \"bank.app\"\n");
    again(&format!(
        "it keeps the set-up by {LOGGED_IN}, and farlead.toml names none; the test runs with its own; `farlead check \
         --update specs/account.ltl` finds it with that of farlead.toml\n"
    ));
    // The same log-in of another name.
    folder.write("farlead.toml", &SET_UP.replace("ann", "bob"));
    folder.write(
        LOGGED_IN,
        &folder.read(LOGGED_IN).replace("\"ann\"", "\"bob\"").replace("Hello ann", "Hello bob"),
    );
    again(&format!(
        "step 1 of its set-up by {LOGGED_IN} is text \"ann\" into \"Name\", and that of {LOGGED_IN} in farlead.toml is text \
         \"bob\" into \"Name\"; "
    ));
    // Nothing that a test needs lies in another file.
    fs::remove_file(folder.path(LOGGED_IN)).expect("it was there");
    folder.write("farlead.toml", "app = \"bank.app\"\n");
    folder.done(0, &["replay", AT_ACCOUNT, "--times", "3"]);
    folder.write("bank.app", &BANK.replace("Hello {user}", "Hi {user}"));
    let broken = folder.done(4, &["replay", AT_ACCOUNT]);
    says(&broken, &["does not hold: at step 2 [text = Hello ann, class = TextView] was expected"]);
    assert!(!broken.stdout.contains("see where it fails"), "{}", broken.stdout);
    folder.write("bank.app", &BANK.replace("#login \"Log in\"", "#enter \"Enter\""));
    says(&folder.done(4, &["replay", AT_ACCOUNT]), &["at step 2 click \"Log in\" cannot be done"]);
}

#[test]
fn a_test_without_set_up_runs_without_once_farlead_toml_names_one() {
    let folder = set_up("later");
    folder.write("farlead.toml", "app = \"bank.app\"\ntexts = [\"ann\"]\n");
    folder.write("specs/out.ltl", "possible \"out\" within 1 step: [text = \"Please log in\"]\n");
    folder.done(0, &["check", "specs/out.ltl"]);
    folder.write("farlead.toml", SET_UP);
    let out = "farlead-tests/specs/out/out.test.ltl";
    let held = folder.done(0, &["replay", out]);
    says(&held, &[&format!("{out}: it keeps no set-up, and farlead.toml names {LOGGED_IN}; ")]);
    folder.done(0, &["check", out]);
    // Format 1 had no set-up of its own, so that of farlead.toml comes first, and the result names the cause.
    folder.write(out, &folder.read(out).replace("farlead test 3", "farlead test 1"));
    let broke = folder.done(1, &["replay", out]);
    says(&broke, &["the test keeps no set-up of its own, so that of farlead.toml came first", "--no-setup"]);
    folder.done(0, &["replay", out, "--no-setup"]);
}

#[test]
fn a_test_of_format_1_keeps_its_set_up_when_it_is_written_again() {
    let folder = set_up("format-1");
    folder.done(0, &["check", "specs/account.ltl"]);
    let text = folder.read(AT_ACCOUNT);
    let (start, end) = (text.find("setup ").expect("a set-up"), text.find("\nsteps\n").expect("steps"));
    let old = format!("{}{}", &text[..start], &text[end + 1..]).replace("farlead test 3", "farlead test 1");
    folder.write(AT_ACCOUNT, &old);
    folder.done(0, &["replay", AT_ACCOUNT]);
    folder.done(0, &["minimize", AT_ACCOUNT, "--update"]);
    let set_up = |text: &str| read(&Source::new("kept", text)).test.expect("a sound test").set_up;
    assert_eq!(set_up(&old), TestSetUp::OfProject);
    assert_eq!(set_up(&folder.read(AT_ACCOUNT)), set_up(&text));
    // Whoever wants the set-up of farlead.toml, whatever it is, says so.
    let project = format!("{}setup project\n\n{}", &text[..start], &text[end + 1..]);
    assert_eq!(set_up(&project), TestSetUp::OfProject);
    for (mistaken, message) in [
        (text.replace("farlead test 3", "farlead test 1"), "a test of format 1 keeps no set-up"),
        (text.replace("\nsteps\n", "\nsetup project\nsteps\n"), "`setup project` stands alone"),
        (text.replace("\nsteps\n", "\nsetup \"empty\"\nsteps\n"), "a set-up test has a step at least"),
        (
            text.replacen(".Main\"", ".Help\"", 1),
            "the set-up test starts \"org.example.bank.Help\", and the test",
        ),
        (
            text.replace("\nsteps\n", &format!("\n{}steps\n", &text[start..end].repeat(20))),
            "at most 20 set-up tests",
        ),
    ] {
        folder.write("mistaken.test.ltl", &mistaken);
        says(&folder.done(3, &["replay", "mistaken.test.ltl"]), &[message]);
    }
}

#[test]
fn actions_of_a_set_up_that_share_a_name_with_others_get_a_name_of_their_own() {
    let test = |taps: &str| {
        let text = format!(
            "farlead test 1\nfrom\nsteps\n 0 reinitialise \"a.Main\"\n 1 zap\n  id \"b\"\n  path 0\nspecs\naction zap on \
             [id = b]: {taps}\npossible \"a\": [actionType = zap]\n"
        );
        read(&Source::new("a.test.ltl", text)).test.expect("a sound test")
    };
    let own = test("tap 1% 1%");
    let mut actions = own.actions.clone();
    let others = [stored("one", test("tap 2% 2%")), stored("two", own), stored("three", test("tap 2% 2%"))];
    let runs = kept(&others, &mut actions);
    let names: Vec<&str> = runs.iter().map(|run: &SetUpRun| run.steps[1].action.type_name()).collect();
    assert_eq!(names, ["zap_2", "zap", "zap_2"]);
    assert_eq!(actions.iter().map(|action| &*action.name).collect::<Vec<_>>(), ["zap", "zap_2"]);
}

#[test]
fn a_set_up_that_cannot_be_meant_is_a_mistake_in_its_place() {
    let folder = set_up("mistaken");
    folder.write("farlead.toml", "app = \"bank.app\"\nsetup = [\n    \"none.test.ltl\",\n]\n");
    let missing = folder.done(3, &["check", "specs/account.ltl"]);
    says(&missing, &["farlead.toml:3:5: there is no set-up test none.test.ltl", "--no-setup"]);
    // The replay of another test needs it too.
    folder.done(3, &["replay", LOGGED_IN]);
    folder.write("none.test.ltl", "possible \"a\": true\n");
    says(
        &folder.done(3, &["check", "specs/account.ltl"]),
        &["farlead.toml:3:5: none.test.ltl is no stored test"],
    );
    folder.write("none.test.ltl", &folder.read(LOGGED_IN).replace("2 click", "3 click"));
    says(
        &folder.done(3, &["check", "specs/account.ltl"]),
        &["none.test.ltl:28:5: error", "farlead.toml:3:5: the set-up test none.test.ltl has mistakes"],
    );
    folder.write(
        "none.test.ltl",
        &folder.read(LOGGED_IN).replace("package \"org.example.bank\"", "package \"org.other\""),
    );
    says(
        &folder.done(3, &["check", "specs/account.ltl"]),
        &["the set-up test none.test.ltl is of the app org.other, and this is org.example.bank"],
    );
    let elsewhere = folder.read(LOGGED_IN).replace("org.example.bank.Main", "org.example.bank.Help");
    folder.write("none.test.ltl", &elsewhere);
    folder
        .write("farlead.toml", &format!("app = \"bank.app\"\nsetup = [{LOGGED_IN:?}, \"none.test.ltl\"]\n"));
    says(
        &folder.done(3, &["check", "specs/account.ltl"]),
        &["none.test.ltl starts org.example.bank.Help, and farlead-tests/specs/login/log in.test.ltl starts"],
    );
    folder.write("farlead.toml", "app = \"bank.app\"\nsetup = [\"none.test.ltl\"]\n");
    folder.write("none.test.ltl", &elsewhere.replace("bank.Help", "bank.Gone"));
    says(
        &folder.done(3, &["check", "specs/account.ltl"]),
        &["starts org.example.bank.Gone, which org.example.bank does not launch"],
    );
}

#[test]
fn everything_is_tried_behind_a_set_up_too() {
    let folder = set_up("exhaustive");
    let found = folder.done(0, &["check", "specs/account.ltl", "--exhaustive"]);
    says(&found, &["a run of 2 steps", "no run is shorter"]);
    folder.write("specs/login.ltl", "possible \"out\" within 1 step: [text = \"Please log in\"]\n");
    folder.done(1, &["check", "specs/login.ltl", "--exhaustive"]);
    folder.done(0, &["check", "specs/login.ltl", "--exhaustive", "--no-setup"]);
}

#[test]
fn with_a_set_up_results_are_the_same_with_any_number_of_jobs() {
    let folder = set_up("jobs");
    folder.write("specs/more.ltl", "possible \"a\" within 3 steps: F [text = Balance]\nnever \"b\" within 4 steps, 20 episodes: F [crashed = true]\npossible \"c\" within 4 steps, 20 episodes: F [text = \"Hello bob\"]\n");
    let run = |jobs: &str, out: &str| {
        let ended = folder.run(&["check", "specs", "--jobs", jobs, "--out", out, "--json"]);
        (ended.code, ended.stdout)
    };
    assert_eq!(run("1", "one"), run("4", "four"));
}

/// A way into a bank that asks twice by chance.
const CHANCE: &str = "\
app org.example.dice \"Dice\" 1.0
launch Main
stored thrown = 0
activity Main .Main {
    Button #throw \"Throw\" -> chance { 50% { thrown = 1 } 25% { thrown = 2 } else { thrown = 3 } }
    TextView (thrown ? \"You have {thrown}\" : \"Throw first\")
}
";

fn stored(name: &str, test: TestCase) -> SetUpTest {
    SetUpTest::Stored { name: name.to_string(), test: Box::new(test) }
}

fn dice(test: &str) -> (Sim, Vec<SetUpTest>) {
    let model = sim::read(&Source::new("dice.app", CHANCE)).model.expect("a sound model");
    let text = format!(
        "farlead test 1\nfrom\n package \"org.example.dice\"\nsteps\n 0 reinitialise \"org.example.dice.Main\"\n 1 click\n  id \
         \"org.example.dice:id/throw\"\n  path 0\nspecs\npossible \"thrown\": {test}\n"
    );
    let test = read(&Source::new("throw.test.ltl", text)).test.expect("a sound test");
    (Sim::new(Arc::new(model), Seed(1)), vec![stored("throw.test.ltl", test)])
}

#[test]
fn all_that_chance_makes_of_a_set_up_is_known() {
    let (mut dice, tests) = dice("F [text ~ have]");
    let outcomes = prepared_outcomes(&mut dice, "org.example.dice.Main", &tests);
    let outcomes = outcomes.expect("it holds").expect("it is little");
    let mut found: Vec<(String, f64)> = outcomes
        .iter()
        .map(|outcome| (outcome.observation.screen.widgets()[1].text.to_string(), outcome.probability))
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    let expected = [("You have 1", 0.5), ("You have 2", 0.25), ("You have 3", 0.25)];
    assert_eq!(found, expected.map(|(text, chance)| (text.to_string(), chance)));
}

#[test]
fn a_set_up_that_chance_can_break_is_no_set_up_for_trying_everything() {
    let (mut dice, tests) = dice("F [text ~ /1|2/]");
    let error =
        prepared_outcomes(&mut dice, "org.example.dice.Main", &tests).expect_err("a third of it fails");
    let message = error.to_string();
    assert!(message.starts_with("the set-up test throw.test.ltl does not hold: at step 1 "), "{message}");
}

#[test]
fn a_device_that_is_set_up_counts_no_step_and_passes_errors_on() {
    let (dice, tests) = dice("F [text ~ have]");
    let mut device = Prepared::new(Box::new(dice.clone()), &tests);
    assert!(device.describe().ends_with(", set up by throw.test.ltl"));
    for _ in 0..20 {
        let seen = device.act(&Action::Reinitialise("org.example.dice.Main".into())).expect("it holds");
        assert!(seen.screen.widgets()[1].text.starts_with("You have"));
    }
    // The second step done is the one of the set-up.
    let mut device = Prepared::new(Box::new(Faulty::new(dice, 1)), &tests);
    let error = device.reset("org.example.dice.Main").expect_err("it fails there");
    assert!(matches!(error, DeviceError::Faulty { step: 1 }), "{error}");
}

/// Returns a bank whose log-in fails at this percentage, whatever is typed.
fn lucky_bank(percent: u32) -> (Sim, Vec<SetUpTest>) {
    let text = format!(
        "app org.example.luck \"Luck\" 1.0\nlaunch Main\nactivity Main .Main {{\n    own is_in = false\n    Button #login \
         \"Log in\" -> chance {{ {percent}% {{ toast \"no luck\" }} else {{ is_in = true }} }}\n    TextView (is_in ? \
         \"Welcome\" : \"Please log in\")\n}}\n"
    );
    let model = sim::read(&Source::new("luck.app", text)).model.expect("a sound model");
    let test = "farlead test 1\nfrom\n package \"org.example.luck\"\nsteps\n 0 reinitialise \"org.example.luck.Main\"\n 1 click\n  \
                id \"org.example.luck:id/login\"\n  path 0\nspecs\npossible \"in\": F [text = Welcome]\n";
    let test = read(&Source::new("in.test.ltl", test)).test.expect("a sound test");
    (Sim::new(Arc::new(model), Seed(1)), vec![stored("in.test.ltl", test)])
}

#[test]
fn a_set_up_that_fails_by_chance_is_tried_again_three_times_in_all() {
    let (bank, tests) = lucky_bank(40);
    let mut device = Prepared::new(Box::new(bank), &tests);
    let (mut done, mut failed) = (0, 0);
    for _ in 0..1_000 {
        match device.reset("org.example.luck.Main") {
            Ok(seen) => {
                assert_eq!(&*seen.screen.widgets()[1].text, "Welcome");
                done += 1;
            }
            Err(error) => {
                let message = error.to_string();
                assert!(
                    message.starts_with("the set-up test in.test.ltl does not hold: at step 1 "),
                    "{message}"
                );
                assert!(
                    message.ends_with("; it was tried 3 times, each on the app started afresh"),
                    "{message}"
                );
                failed += 1;
            }
        }
    }
    // All three tries fail with probability 0.4 * 0.4 * 0.4; with a single try about 400 would fail.
    assert!((30..=110).contains(&failed), "{failed} of {}", done + failed);
}

#[test]
fn a_set_up_that_fails_now_and_then_stops_no_search() {
    let folder = set_up("luck");
    folder.done(0, &["check", "specs/account.ltl"]);
    let before = "-> { user = name }";
    let slips = |percent: u32| {
        let after = format!("-> {{ chance {{ {percent}% {{ toast \"again\" }} else {{ user = name }} }} }}");
        folder.write("bank.app", &BANK.replace(before, &after));
    };
    slips(10);
    folder.done(0, &["check", "specs/account.ltl"]);
    folder.done(0, &["replay", AT_ACCOUNT, "--times", "20"]);
    slips(100);
    let never = folder.done(4, &["check", "specs/account.ltl"]);
    says(&never, &["does not hold: at step 2 ", "; it was tried 3 times, each on the app started afresh"]);
}

#[test]
fn an_export_says_that_the_set_up_is_missing_in_it() {
    let folder = set_up("exported");
    folder.done(0, &["check", "specs/account.ltl"]);
    let warning = "farlead: warning: what is exported does not set the app up, as the test has it done by \
                   farlead-tests/specs/login/log in.test.ltl: export that too, and put its steps behind the start of the app";
    for to in ["maestro", "uiautomator", "adb"] {
        let exported = folder.done(0, &["export", AT_ACCOUNT, "--to", to]);
        assert_eq!(exported.stderr.matches(warning).count(), 1, "{to}: {}", exported.stderr);
        assert!(!exported.stdout.contains("\"ann\""), "{to}: {}", exported.stdout);
        // The test that is the set-up needs no set-up itself.
        assert!(
            !folder.done(0, &["export", LOGGED_IN, "--to", to]).stderr.contains("set the app up"),
            "{to}"
        );
    }
    // What farlead.toml says later changes nothing for a test that keeps its set-up.
    folder.write("farlead.toml", "app = \"bank.app\"\n");
    says(&folder.done(0, &["export", AT_ACCOUNT, "--to", "adb"]), &[warning]);
    folder.write("farlead.toml", SET_UP);
    let text = folder.read(AT_ACCOUNT);
    let at = text.find("setup ").expect("a set-up");
    let end = text.find("\nsteps\n").expect("steps") + 1;
    folder.write(AT_ACCOUNT, &format!("{}setup project\n{}", &text[..at], &text[end..]));
    let of_project = warning.replace("as the test has it done", "as farlead.toml has it done");
    says(&folder.done(0, &["export", AT_ACCOUNT, "--to", "adb"]), &[&of_project]);
    folder.write("farlead.toml", "app = \"bank.app\"\n");
    assert!(!folder.done(0, &["export", AT_ACCOUNT, "--to", "adb"]).stderr.contains("set the app up"));
}

#[test]
fn one_device_is_looked_at() {
    let folder = Folder::new("look");
    folder.write("farlead.toml", "seed = 1\n");
    let several = folder.done(2, &["look", "--device", "one", "--device", "two"]);
    let expected = "farlead: one device is looked at, and `--device` names one, two; say which, like `farlead look --device one`\n";
    assert_eq!((&*several.stdout, &*several.stderr), ("", expected));
    folder.write("farlead.toml", "devices = [\"one\", \"two\"]\n");
    says(
        &folder.done(2, &["look"]),
        &["one device is looked at, and farlead.toml names one, two; say which"],
    );
}

#[test]
fn what_a_rule_forbids_is_never_done() {
    let folder = set_up("rules");
    folder.write(
        "specs/out.ltl",
        "possible \"out\" within 3 steps, 200 episodes: F ([actionDetail = \"Log out\"] & X true)\n",
    );
    folder.done(0, &["check", "specs/out.ltl", "--exhaustive"]);
    folder.write("farlead.toml", &format!("{SET_UP}{NEVER_OUT}"));
    let left_out = "actions that the rules of farlead.toml forbid were not tried";
    for agent in ["planner", "farlead", "tree", "qlearning", "random"] {
        says(&folder.done(1, &["check", "specs/out.ltl", "--agent", agent]), &[left_out]);
    }
    says(
        &folder.done(1, &["check", "specs/out.ltl", "--exhaustive"]),
        &["proven by trying everything", left_out],
    );
    // A kept run is replayed as it is.
    says(&folder.done(0, &["replay", "farlead-tests/specs/out/out.test.ltl"]), &["1 passed"]);
    folder.done(0, &["minimize", "farlead-tests/specs/out/out.test.ltl"]);
    let compared = folder.done(0, &["compare", "specs/out.ltl", "--agents", "tree", "--runs", "2", "--json"]);
    let row: Value = serde_json::from_str(&compared.stdout).expect("a row");
    assert_eq!(row["failures"], 2);
    // The same with a step that no rule forbids.
    folder.done(0, &["check", "specs/account.ltl"]);
}

#[test]
fn a_field_with_a_rule_takes_its_text() {
    let folder = Folder::new("typed");
    folder.write("bank.app", BANK);
    folder.write(
        "specs/a.ltl",
        "possible \"eve\" within 4 steps: F [text ~ Hello] & G !([actionType = text] & ![actionText = eve])\n",
    );
    folder.write(
        "specs/b.ltl",
        "possible \"any\" 300 episodes: F ([text ~ Hello] & ![text = \"Hello eve\"])\n",
    );
    folder.write(
        "specs/c.ltl",
        "possible \"asked\" within 4 steps: F [actionText = bob] & F [text = \"Hello bob\"]\n",
    );
    folder.write("farlead.toml", "app = \"bank.app\"\n[[rule]]\ntype = \"eve\"\ninto = '[id = name]'\n");
    folder.done(0, &["check", "specs/a.ltl"]);
    says(
        &folder.done(1, &["check", "specs/b.ltl", "--exhaustive", "--steps", "5"]),
        &["proven by trying everything"],
    );
    // The text that a spec asks for is typed.
    folder.done(0, &["check", "specs/c.ltl"]);
    folder.done(0, &["replay", "farlead-tests"]);
    folder.done(0, &["check", "farlead-tests"]);
}

#[test]
fn texts_may_stand_in_the_file_itself() {
    let folder = Folder::new("texts");
    folder.write("bank.app", BANK);
    folder.write("a.ltl", "possible \"zoe\" within 3 steps: F [text ~ /^Hello zoe/]\n");
    folder.write("farlead.toml", "app = \"bank.app\"\ntexts = [\"zoe # 1\"]\n");
    folder.done(0, &["check", "a.ltl"]);
    folder.write("words.txt", "zoe 2\n");
    folder.write("farlead.toml", "app = \"bank.app\"\ntexts = \"words.txt\"\n");
    folder.done(0, &["check", "a.ltl", "--update"]);
    assert!(folder.read("farlead-tests/a/zoe.test.ltl").contains("\"zoe 2\""));
}

const PEEK: &str = "[[action]]\nname = \"peek\"\non = '[text = Account]'\ndoes = 'tap 50% 50%'\n";

#[test]
fn an_action_of_the_project_is_known_to_all_its_specs() {
    let folder = set_up("actions");
    folder.write("specs/peek.ltl", "possible \"peek\" within 2 steps: F [actionType = peek]\n");
    for command in ["lint", "explain", "check"] {
        says(&folder.done(3, &[command, "specs/peek.ltl"]), &["there is no action type `peek`"]);
    }
    folder.write("farlead.toml", &format!("{SET_UP}{PEEK}"));
    folder.done(0, &["lint", "specs/peek.ltl", "--strict"]);
    folder.done(0, &["explain", "specs/peek.ltl"]);
    folder.done(0, &["check", "specs/peek.ltl"]);
    // The test contains everything it needs.
    let kept = folder.read("farlead-tests/specs/peek/peek.test.ltl");
    assert!(kept.contains("action peek on [text = Account]: tap 50% 50%"), "{kept}");
    folder.write("farlead.toml", SET_UP);
    folder.done(0, &["replay", "farlead-tests/specs/peek"]);
    // A file's own action takes precedence over the project's.
    folder.write("farlead.toml", &format!("{SET_UP}{PEEK}"));
    let own = "action peek on [text = \"Log out\"]: tap 1% 1%\n";
    folder
        .write("specs/peek.ltl", &format!("{own}possible \"peek\" within 2 steps: F [actionType = peek]\n"));
    folder.done(0, &["check", "specs/peek.ltl", "--update"]);
    assert!(folder.read("farlead-tests/specs/peek/peek.test.ltl").contains("[text = Log out]: tap 1% 1%"));
}

#[test]
fn a_rule_may_name_an_action_of_the_project() {
    let folder = set_up("action-rule");
    folder.write("specs/peek.ltl", "possible \"peek\" within 3 steps: F [actionType = peek]\n");
    folder.write("farlead.toml", &format!("{SET_UP}{PEEK}[[rule]]\nnever = '[actionType = peek]'\n"));
    says(&folder.done(1, &["check", "specs/peek.ltl", "--exhaustive"]), &["proven by trying everything"]);
}

/// Checks that a file with `text` is refused with a message that contains `parts`.
#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let folder = Folder::new(&format!("refused-{}", text.len()));
    folder.write("a.ltl", "possible \"a\": F [text = b]\n");
    folder.write("farlead.toml", text);
    let ended = folder.done(3, &["lint", "a.ltl"]);
    assert_eq!(ended.stdout, "");
    says(&ended, parts);
}

#[test]
fn mistakes_are_shown_where_they_stand_all_at_once() {
    refused("aps = \"x\"\n", &["farlead.toml:1:1: unknown field `aps`"]);
    refused("setup = \"a.test.ltl\"\n", &["farlead.toml:1:9: invalid type"]);
    refused("texts = 3\n", &["farlead.toml:1:9: `texts` is the path of a file or a list of texts"]);
    refused("device = \"a\"\ndevices = [\"b\"]\n", &["`device` and `devices` say the same thing"]);
    refused("[[action]]\nname = \"a\"\n", &["farlead.toml:1:1: missing field `on`"]);
    refused("[[rule]]\nnevr = \"\"\n", &["farlead.toml:2:1: unknown field `nevr`"]);
    refused(
        "[[action]]\nname = \"a\"\non = \"[idd = x]\"\ndoes = \"tap 101% 1%\"\n[[rule]]\nnever = '[actionType = clik]'\n",
        &[
            "farlead.toml:3:8: error: there is no key `idd`",
            "farlead.toml:4:13: error: `101` is no percentage",
            "farlead.toml:6:24: error: there is no action type `clik`",
            "did you mean `click`?",
        ],
    );
    for (rule, at) in [
        ("never = 'F [actionType = click]'", "2:10: error: a rule cannot say this"),
        ("never = '[activity = Main]'", "2:10: error: a rule cannot say this"),
        ("never = '[actionType = back] | [actionType = menu]'", "2:10: error: a rule cannot say this"),
        ("never = 'true'", "2:10: error: a rule cannot say this"),
        ("never = ''", "2:9: error: there is no formula here"),
        ("never = \"[actionText = \\\"a\\nb\"", "2:9: error: this quote is never closed"),
        ("type = 'a'", "1:1: error: a rule is `never`, or `type` with `into`"),
        ("never = '[actionType = back]'\ntype = 'a'", "1:1: error: a rule is `never`"),
        ("type = 'a'\ninto = '[activity = b]'", "3:9: error: only widgets are meant here"),
    ] {
        refused(&format!("[[rule]]\n{rule}\n"), &[&format!("farlead.toml:{at}")]);
    }
    for (name, on, at) in [
        ("a b", "[id = x]", "2:11: error: after the name of an action comes `on` and a widget"),
        ("click", "[id = x]", "2:9: error: `click` is an action farlead knows already"),
        ("a", "[id = x]: tap 1% 1%\\naction b on [id = x]", "error: one action is declared here"),
        ("a on [id = x]: text \\\"", "\\\", wait 1s", "error: a `,` is missing between gestures"),
    ] {
        refused(
            &format!("[[action]]\nname = \"{name}\"\non = \"{on}\"\ndoes = \"tap 1% 1%\"\n"),
            &["farlead.toml:", at],
        );
    }
    let twice = "[[action]]\nname = \"a\"\non = \"[id = x]\"\ndoes = \"tap 1% 1%\"\n".repeat(2);
    refused(&twice, &["farlead.toml:6:9: error: the action `a` is declared twice"]);
}

#[test]
fn a_project_file_is_bounded() {
    refused(
        &"[[rule]]\nnever = '[actionType = back]'\n".repeat(101),
        &["`rule` has 101 entries, and 100 are the most"],
    );
    refused(
        &format!("setup = [{}]\n", "\"a\",".repeat(21)),
        &["`setup` has 21 entries, and 20 are the most"],
    );
    refused(&format!("texts = [{}]\n", "\"a\",".repeat(1_001)), &["`texts` has 1001 entries"]);
    refused(&"#".repeat((1 << 20) + 1), &["it is larger than 1 MB"]);
    refused(&format!("set = {}", "[".repeat(100_000)), &["farlead.toml:1:"]);
    refused(&format!("[[rule]]\nnever = '{}'\n", "(".repeat(100_000)), &["farlead.toml:2:"]);
}

#[test]
fn rules_that_leave_no_start_are_refused() {
    let folder = set_up("no-start");
    folder.write("farlead.toml", "app = \"bank.app\"\n[[rule]]\nnever = '[actionType != click]'\n");
    says(
        &folder.done(3, &["check", "specs/account.ltl"]),
        &["leave nothing to start the app with", "org.example.bank.Main, org.example.bank.Help"],
    );
    // One of two is enough.
    folder.write(
        "farlead.toml",
        "app = \"bank.app\"\n[[rule]]\nnever = '[actionType = reinitialise, actionDetail ~ Help]'\n",
    );
    folder.write("specs/help.ltl", "possible \"help\" within 1 step: [activity ~ Help]\n");
    says(&folder.done(1, &["check", "specs/help.ltl", "--exhaustive"]), &["proven by trying everything"]);
}

#[test]
fn a_limit_on_the_wall_clock_ends_a_search_that_would_not_end_and_keeps_what_was_found() {
    let folder = set_up("wall");
    folder.write("specs/never.ltl", "possible \"nowhere\": F [id = nowhere]\n");
    let endless = ["--agent", "random", "--episodes", "4000000000", "--wall-timeout", "200ms"];
    // Without the limit this would take years.
    let args = [&["check", "specs/never.ltl", "--junit", "r.xml"][..], &endless].concat();
    says(&folder.done(1, &args), &["not found: stopped by --wall-timeout after "]);
    assert!(folder.read("r.xml").contains("stopped by --wall-timeout"));
    let replayed = folder.done(1, &["replay", LOGGED_IN, "--times", "1000000", "--wall-timeout", "200ms"]);
    says(&replayed, &["passed: reproduced "]);
    folder.done(2, &["check", "specs", "--wall-timeout", "soon"]);
}

#[test]
fn the_device_of_the_project_is_the_one_in_use() {
    let folder = set_up("device");
    folder.write("farlead.toml", "app = \"bank.app\"\ntexts = [\"ann\"]\ndevice = \"sim\"\n");
    folder.done(0, &["check", "specs/login.ltl"]);
    folder.write("farlead.toml", "app = \"bank.app\"\ntexts = [\"ann\"]\ndevices = [\"no-such-device\"]\n");
    says(&folder.done(2, &["check", "specs/login.ltl"]), &["no-such-device"]);
    folder.done(0, &["check", "specs/login.ltl", "--device", "sim"]);
}

#[test]
fn prompts_are_read_and_what_cannot_be_meant_is_a_mistake_in_its_place() {
    let folder = Folder::new("prompts");
    folder.write("bank.app", BANK);
    let with =
        |prompt: &str| folder.write("farlead.toml", &format!("app = \"bank.app\"\n[[prompt]]\n{prompt}\n"));
    for prompt in [
        "leave = true",
        "package = \"a.b\"\nleave = true",
        "package = \"a.b\"\nsays = \"Connect\"\npress = \"OK\"",
    ] {
        with(prompt);
        folder.done(0, &["look"]);
    }
    for prompt in [
        "",
        "press = \"OK\"",
        "package = \"a.b\"",
        "package = \"\"\npress = \"OK\"",
        "press = \"OK\"\nleave = true",
    ] {
        with(prompt);
        says(
            &folder.done(3, &["look"]),
            &["farlead.toml:2:1: a prompt has `package = \"..\"` and `press = \"..\"`, or `leave = true`"],
        );
    }
    with("button = \"OK\"");
    says(&folder.done(3, &["look"]), &["farlead.toml:3:1: unknown field `button`"]);
}
