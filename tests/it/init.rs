//! `farlead init` and `farlead completions`: they write valid and whole files, and never replace existing ones.

use std::fs;
use std::path::Path;

use yaml_rust2::YamlLoader;

use crate::cli::{Ended, command, ended, farlead};
use crate::fixtures::{self, BinaryManifest};
use crate::models;
use crate::project::Folder;

const FILES: [&str; 5] = [
    "farlead.toml",
    "specs/first.ltl",
    "specs/first.feature",
    ".github/workflows/farlead.yml",
    "specs/reach.ltl",
];

/// Returns a folder with an app of the repository in it.
fn with_app(name: &str, app: &str) -> Folder {
    let folder = Folder::new(&format!("init-{name}"));
    folder.write(&format!("{app}.app"), models::source(&format!("apps/{app}.app")).text());
    folder
}

/// Returns all paths below a folder.
fn files_below(path: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(path).expect("a folder") {
        let path = entry.expect("an entry").path();
        found.push(path.display().to_string());
        if path.is_dir() {
            found.extend(files_below(&path));
        }
    }
    found.sort();
    found
}

#[test]
fn what_it_writes_is_met_by_the_apps_of_the_repository() {
    for (app, activities) in [("chesswalk", 6), ("notes", 11)] {
        let folder = with_app(app, app);
        let model = format!("{app}.app");
        let written = folder.done(0, &["init", "--app", &model]);
        for file in FILES {
            assert!(written.stdout.contains(&format!("{file}: ")), "{}", written.stdout);
        }
        assert!(written.stdout.ends_with("next: `farlead check specs`\n"), "{}", written.stdout);
        assert_eq!(folder.read("specs/reach.ltl").matches("possible \"reach ").count(), activities);
        folder.done(0, &["lint", "specs", "--strict"]);
        let checked = folder.done(0, &["check", "specs", "--quiet"]);
        assert_eq!(checked.stdout.lines().count(), activities + 3, "{}", checked.stdout);
        folder.done(0, &["replay", "farlead-tests"]);
    }
}

#[test]
fn an_apk_that_carries_a_model_has_its_activities() {
    let folder = with_app("apk", "chesswalk");
    folder.done(0, &["model", "pack", "chesswalk.app", "-o", "chess.apk"]);
    let written = folder.done(0, &["init", "deep/project", "--apk", "chess.apk"]);
    assert!(written.stdout.contains("next in deep/project: `farlead check specs`"), "{}", written.stdout);
    assert!(folder.read("deep/project/farlead.toml").contains("\napk = \"../../chess.apk\"\n"));
    assert!(folder.read("deep/project/specs/reach.ltl").contains("[activity = cz.hejl.chesswalk.About]"));
}

#[test]
fn without_an_app_it_says_where_to_name_it() {
    let folder = Folder::new("init-bare");
    let written = folder.done(0, &["init"]);
    assert!(written.stdout.contains("name the app in farlead.toml"), "{}", written.stdout);
    assert!(!folder.path("specs/reach.ltl").exists());
    folder.done(0, &["lint", "specs", "--strict"]);
    // Everything commented out is valid once the comment sign is removed.
    let commented = folder.read("farlead.toml");
    let settings: Vec<&str> = commented
        .lines()
        .map(|line| line.strip_prefix("# ").unwrap_or(line))
        .filter(|line| line.starts_with("[[") || line.contains(" = "))
        .filter(|line| !line.starts_with("devices"))
        .collect();
    assert_eq!(settings.len(), 13, "{settings:?}");
    folder.write("farlead.toml", &settings.join("\n"));
    folder.done(0, &["lint", "specs", "--strict"]);
    let first = folder.read("specs/first.ltl");
    let specs: String = first.lines().map(|line| format!("{}\n", uncommented(line))).collect();
    assert_eq!(specs.lines().filter(|line| line.starts_with("possible ")).count(), 3);
    folder.write("specs/first.ltl", &specs);
    folder.done(0, &["lint", "specs", "--strict"]);
}

/// Returns the line of a spec without its `#`, if it has one.
fn uncommented(line: &str) -> &str {
    let bare = line.strip_prefix("# ").unwrap_or_default();
    let is_item = ["possible \"", "let "].iter().any(|word| bare.starts_with(word));
    if is_item { bare } else { line }
}

#[test]
fn a_package_is_named_as_it_is() {
    let folder = Folder::new("init-package");
    folder.done(0, &["init", "--package", "a\"b\\c\u{1b}"]);
    assert!(folder.read("farlead.toml").contains("package = \"a\\\"b\\\\c\\u001B\"\n"));
    folder.done(0, &["lint", "specs"]);
}

#[test]
fn nothing_is_replaced_and_nothing_is_written_in_part() {
    for there in FILES {
        let folder = with_app("there", "chesswalk");
        folder.write(there, "mine\n");
        let before = files_below(&folder.path(""));
        let refused = folder.done(3, &["init", "--app", "chesswalk.app"]);
        assert!(refused.stderr.contains(&format!("{there} is there already")), "{}", refused.stderr);
        assert_eq!((folder.read(there).as_str(), files_below(&folder.path(""))), ("mine\n", before));
    }
    // One folder that cannot be created, after others were.
    let folder = with_app("part", "chesswalk");
    folder.write(".github", "a file\n");
    let before = files_below(&folder.path(""));
    folder.done(4, &["init", "--app", "chesswalk.app"]);
    assert_eq!(files_below(&folder.path("")), before);
    let refused = folder.done(3, &["init", "new", "--app", "none.app"]);
    assert!(refused.stderr.contains("none.app"), "{}", refused.stderr);
    assert!(!folder.path("new").exists());
    // A second run must not overwrite anything.
    folder.done(0, &["init", "new", "--app", "chesswalk.app"]);
    let refused = folder.done(3, &["init", "new", "--app", "chesswalk.app"]);
    assert!(refused.stderr.contains("new/farlead.toml, new/specs/first.ltl"), "{}", refused.stderr);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_there() {
    let folder = Folder::new("init-link");
    std::os::unix::fs::symlink("elsewhere", folder.path("farlead.toml")).expect("a link");
    folder.done(3, &["init"]);
    assert!(!folder.path("elsewhere").exists());
}

#[test]
fn the_commands_of_the_workflow_are_those_there_are() {
    let folder = with_app("workflow", "chesswalk");
    folder.done(0, &["init", "--app", "chesswalk.app"]);
    let workflow = &YamlLoader::load_from_str(&folder.read(FILES[3])).expect("YAML")[0];
    let steps = workflow["jobs"]["farlead"]["steps"].as_vec().expect("steps");
    let commands: Vec<&str> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
    assert_eq!(commands.len(), 4);
    // The first command installs farlead. Replays need kept tests, which the check makes.
    for command in [commands[1], commands[3], commands[2]] {
        let args: Vec<&str> =
            command.strip_prefix("farlead ").expect("a command of ours").split(' ').collect();
        folder.done(0, &args);
    }
}

#[test]
fn every_shell_gets_the_commands_there_are() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = farlead(&["completions", shell], "");
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
        for word in ["check", "replay", "init", "until-failure", "no-setup"] {
            assert!(ended.stdout.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(farlead(&["completions", "tcsh"], "").code, 2);
}

#[test]
fn an_apk_of_our_own_has_a_spec_for_each_of_its_activities() {
    let folder = Folder::new("init-own");
    fs::write(folder.path("shelf.apk"), fixtures::apk(&BinaryManifest::default())).expect("a file");
    folder.done(0, &["init", "--apk", "shelf.apk"]);
    folder.done(0, &["lint", "specs", "--strict"]);
    let specs = folder.read("specs/reach.ltl");
    for class in ["org.example.shelf.Main", "org.example.shelf.deep.Row"] {
        assert!(specs.contains(&format!("[activity = {class}]")), "{specs}");
    }
    let split = BinaryManifest { split: "config.en", ..BinaryManifest::default() };
    fs::write(folder.path("split.apk"), fixtures::apk(&split)).expect("a file");
    folder.done(3, &["init", "split", "--apk", "split.apk"]);
}

#[test]
fn an_apk_of_others_has_a_spec_for_each_of_its_activities() {
    let Some(apks) = crate::shared::path("android/apk") else { return };
    let mut count = 0;
    for apk in files_below(&apks).into_iter().filter(|file| file.ends_with(".apk")) {
        let folder = Folder::new("init-others");
        let written = folder.run(&["init", "--apk", &apk]);
        assert!([0, 3].contains(&written.code), "{apk}: {}", written.stderr);
        if written.code == 0 && folder.path("specs/reach.ltl").exists() {
            folder.done(0, &["lint", "specs", "--strict"]);
            count += 1;
        }
    }
    eprintln!("{count} APKs with activities read");
}

/// An app behind a log-in, which two switches together crash.
const CLUB: &str = "\
app org.example.club \"Club\" 1.0
launch Login
stored dark = false
stored sync = false
activity Login .LoginActivity {
    own kept mail = \"\"
    own kept pass = \"\"
    own kept message = \"\"
    TextView #message (message) when message
    EditText #email hint \"E-mail\" edits mail
    EditText #password hint \"Password\" password edits pass
    Button #help \"Help\" -> message = \"Ask the secretary\"
    Button #login \"Log in\" -> {
        if mail == \"ann@club\" && pass == \"opensesame\" { open Home; finish } else { message = \"Wrong\" }
    }
}
activity Home .HomeActivity {
    Button #members \"Members\" -> toast \"none\"
    Button #settings \"Settings\" -> open Settings
}
activity Settings .SettingsActivity {
    Switch #dark \"Dark\" checked dark -> dark = !dark
    Switch #sync \"Sync\" checked sync -> { sync = !sync; if sync && dark { crash \"both\" } }
}
";

/// Runs the program with the credentials of the club in its environment.
fn as_member(folder: &Folder, args: &[&str]) -> Ended {
    let mut command = command(args);
    ended(
        command
            .current_dir(folder.path(""))
            .env("LOGIN_USER", "ann@club")
            .env("LOGIN_PASSWORD", "opensesame"),
        "",
    )
}

#[test]
fn behind_a_log_in_that_init_has_found_the_starter_guard_finds_a_crash() {
    let folder = Folder::new("init-login");
    folder.write("club.app", CLUB);
    let written = folder.done(0, &["init", "--app", "club.app"]);
    assert!(written.stdout.contains("setup/login.ltl: "), "{}", written.stdout);
    assert!(written.stdout.contains("LoginActivity asks for a log-in"), "{}", written.stdout);
    folder.done(0, &["lint", "specs", "setup", "--strict"]);
    // Without the credentials the guard sees nothing of the app, and passes.
    folder.done(0, &["check", "specs/first.ltl", "--episodes", "20"]);
    // The rules, with the `#` taken away, log in; the test of that is the set-up.
    let settings = folder.read("farlead.toml");
    let (start, rules) = settings.split_once("# The log-in screen ").expect("what is said of the log-in");
    let open = |line: &str| {
        line.strip_prefix("# ")
            .filter(|bare| bare.starts_with("[[") || bare.contains(" = "))
            .map(str::to_string)
    };
    let rules: Vec<String> = rules.lines().filter_map(open).collect();
    assert_eq!(rules.len(), 6, "{rules:?}");
    folder.write("farlead.toml", &format!("{start}\n{}\n", rules.join("\n")));
    let logged_in = as_member(&folder, &["check", "setup/login.ltl"]);
    assert_eq!(logged_in.code, 0, "{}{}", logged_in.stdout, logged_in.stderr);
    let set_up = "setup = [\"farlead-tests/setup/login/log in.test.ltl\"]";
    let with_set_up = folder.read("farlead.toml").replace(&format!("# {set_up}"), set_up);
    folder.write("farlead.toml", &with_set_up);
    for args in
        [&["check", "specs/first.ltl"][..], &["check", "specs/first.ltl", "--no-exhaustive", "--update"]]
    {
        let guarded = as_member(&folder, args);
        assert_eq!(guarded.code, 1, "{}{}", guarded.stdout, guarded.stderr);
        for part in ["never \"a crash\": failed: ", "click \"Dark\"", "click \"Sync\"", "a crash: both"] {
            assert!(guarded.stdout.contains(part), "{part}\n{}", guarded.stdout);
        }
    }
}
