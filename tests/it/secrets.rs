//! Secrets of the environment: they reach the app, and nothing that farlead writes.

use std::fs;
use std::path::Path;

use crate::cli::{Ended, command, ended};
use crate::project::Folder;

const PASSWORD: &str = "hunter2-Tr0ub4dor";
const USER: &str = "ann.otherwise";

/// A bank that echoes the password, as a text, a description, a toast and in a crash.
const BANK: &str = "\
app org.example.safe \"Safe\" 1.0
launch Main
stored user = \"\", secret = \"\"
activity Main .Main {
    own name = \"\", word = \"\"
    TextView (secret ? \"Welcome {user}, your password is {secret}!\" : \"Please log in\")
    EditText #name hint \"Name\" edits name
    EditText #word hint \"Password\" edits word password
    Button #login \"Log in\" -> { user = name; secret = word; toast \"{word} it is\" }
    Button #echo (\"Send {secret}\") desc \"sends {secret}\" when secret -> open Account
    TextView \"The letters ${{PASSWORD}}\"
}
activity Account .Account {
    TextView \"Secret {secret}\"
    Button #crash \"Crash\" -> crash \"with {secret}\\nat org.example.safe.{secret}.run(Safe.java:1)\"
}
";

const SPECS: &str = "\
possible \"greeted\" within 5 steps: F [text = \"Welcome ${USER}, your password is ${PASSWORD}!\"]
possible \"by name\" within 6 steps: F [actionType = click, actionDetail = \"Send ${PASSWORD}\"]
never \"crash\" within 7 steps, 60 episodes: F [crashed = true]
possible \"never seen\" within 4 steps, 5 episodes: F [text = \"${PASSWORD}${PASSWORD}\"]
";

const RULES: &str = "\
app = 'safe.app'
[[rule]]
type = '${USER}'
into = '[id = name]'
[[rule]]
type = '${PASSWORD}'
into = '[id = word]'
";

fn safe(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("safe.app", BANK);
    folder.write("specs/safe.ltl", SPECS);
    folder.write("farlead.toml", RULES);
    folder
}

/// Runs the program in `folder` with the secrets in its environment.
fn run(folder: &Folder, args: &[&str]) -> Ended {
    ended(command(args).current_dir(folder.path("")).env("PASSWORD", PASSWORD).env("USER", USER), "")
}

/// Adds all files below `folder` that have a secret in their name or their bytes to `found`.
fn leaks_below(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            leaks_below(&path, found);
            continue;
        }
        let bytes = fs::read(&path).expect("a file");
        if leaks(&path.display().to_string()) || leaks(&String::from_utf8_lossy(&bytes)) {
            found.push(path.display().to_string());
        }
    }
}

/// Returns true if `text` has a secret in it, as it is or as JSON, XML or a URL would write it.
fn leaks(text: &str) -> bool {
    [PASSWORD, USER, "Tr0ub4dor", "hunter2"].into_iter().any(|part| text.contains(part))
}

#[test]
fn no_file_and_no_stream_has_a_secret_whatever_the_app_echoes() {
    let folder = safe("secrets");
    let tests = "farlead-tests/specs/safe";
    let (greeted, by_name) = (&*format!("{tests}/greeted.test.ltl"), &*format!("{tests}/by name.test.ltl"));
    let commands: [&[&str]; 16] = [
        &["check", "specs", "-v"],
        &["check", "specs", "--json", "--update"],
        &[
            "check",
            "specs",
            "--agent",
            "farlead",
            "--no-exhaustive",
            "-v",
            "--update",
            "--learned",
            "learned",
        ],
        &["check", "specs", "--only", "greeted", "--exhaustive", "--update"],
        &[
            "check",
            "specs",
            "--agent",
            "planner",
            "--record",
            "raw.test.ltl",
            "--only",
            "by name",
            "--update",
        ],
        &["check", "specs", "--junit", "1.xml", "--html", "1.html", "--markdown", "1.md"],
        &["check", greeted, "-v"],
        &["replay", "farlead-tests", "--junit", "2.xml", "--html", "2.html", "--markdown", "2.md"],
        &["replay", "farlead-tests", "--json", "--times", "2"],
        &["minimize", by_name, "--update"],
        &["compare", "specs", "--runs", "2", "--agents", "planner,random", "--csv", "c.csv"],
        &["export", greeted, "--to", "maestro", "-o", "flow.yaml"],
        &["export", greeted, "--to", "uiautomator", "-o", "Flow.kt"],
        &["export", greeted, "--to", "adb", "-o", "flow.sh"],
        &["look", "--against", "specs/safe.ltl"],
        &["report", ".farlead/runs/0001", "--html", "3.html", "--json"],
    ];
    for args in commands {
        let ended = run(&folder, args);
        assert!(!leaks(&ended.stdout) && !leaks(&ended.stderr), "{args:?}\n{}{}", ended.stdout, ended.stderr);
        assert!(
            ended.code != 2 && ended.code != 3 && ended.code != 70,
            "{args:?}\n{}{}",
            ended.stdout,
            ended.stderr
        );
    }
    let mut found = Vec::new();
    leaks_below(&folder.path(""), &mut found);
    assert_eq!(found, [""; 0]);
    // The app did get the values, and the test names them.
    let text = folder.read(greeted);
    for part in ["text \"${PASSWORD}\"", "text \"${USER}\"", "your password is ${PASSWORD}!"] {
        assert!(text.contains(part), "{text}");
    }
    // Another value does as well: the test holds nothing of the first.
    let other = ended(
        command(&["replay", greeted])
            .current_dir(folder.path(""))
            .env("PASSWORD", "correct horse")
            .env("USER", "bob"),
        "",
    );
    assert_eq!(other.code, 0, "{}{}", other.stdout, other.stderr);
}

#[test]
fn a_secret_that_is_missing_or_stands_in_a_file_is_one_mistake_at_its_place() {
    let folder = safe("secrets-missing");
    let with = |user: Option<&str>| {
        let mut command = command(&["check", "specs"]);
        command.current_dir(folder.path("")).env_remove("USER").env("PASSWORD", PASSWORD);
        user.map(|user| command.env("USER", user));
        ended(&mut command, "")
    };
    for (user, why) in [(None, "is not set"), (Some(""), "is empty")] {
        let refused = with(user);
        let expected = format!(
            "farlead: farlead.toml:3:9: the environment variable USER {why}; set it, as in `export USER=...`, or write \
             `\\${{USER}}` if the letters themselves are meant\n"
        );
        assert_eq!((refused.code, &*refused.stderr), (3, &*expected));
    }
    folder.write("specs/more.ltl", &format!("possible \"a\": [text = \"{PASSWORD}\"]\n"));
    let refused = with(Some(USER));
    assert_eq!(refused.code, 3);
    assert!(!leaks(&refused.stderr), "{}", refused.stderr);
    let expected =
        "specs/more.ltl:1:24: the value of ${PASSWORD} stands in a text here; write ${PASSWORD} in its place";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    // Without a device nothing needs a value.
    let linted =
        ended(command(&["lint", "specs/safe.ltl"]).current_dir(folder.path("")).env_remove("USER"), "");
    assert_eq!(linted.code, 0, "{}", linted.stderr);
}

#[test]
fn a_backslash_makes_letters_of_a_reference() {
    let folder = safe("secrets-letters");
    folder.write(
        "specs/safe.ltl",
        "possible \"letters\" within 1 step: [text = \"The letters \\\\${PASSWORD}\"]\n",
    );
    let found = run(&folder, &["check", "specs"]);
    assert_eq!(found.code, 0, "{}{}", found.stdout, found.stderr);
    // With no reference anywhere, the letters are letters in every text.
    folder.write("farlead.toml", "app = 'safe.app'\n");
    assert_eq!(run(&folder, &["check", "specs", "--update"]).code, 0);
}
