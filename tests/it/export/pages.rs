//! Stored tests of pages as tests for Playwright: parsed by node, and run by Playwright in Chromium.

use super::*;
use crate::browser::{farlead, guarded, has_chrome, served, served_without_faults};
use crate::clients::npm_folder;
use crate::{ci, cli};

fn element(class: &str, id: &str, text: &str, desc: &str) -> farlead::gui::Target {
    widget("0:0:1", class, id, text, desc, Bounds::new(100, 100, 300, 200))
}

/// Returns a test of a page that starts at `/todos.html` and has these steps.
pub(super) fn of_page(steps: Vec<TestStep>) -> TestCase {
    let mut test = test_of(steps);
    test.steps.insert(0, step(Action::Reinitialise("/todos.html".into()), &[]));
    test.provenance.package = "http://localhost:8000".into();
    test
}

fn on_dialog(id: &str, path: &str) -> farlead::gui::Target {
    widget(path, "button button", id, "", "", Bounds::new(0, 0, 100, 60))
}

/// Returns one action of each type that a browser has, two of them on a dialog.
fn page_actions() -> Vec<Action> {
    let mut actions = vec![
        Action::click(element("button button", "", "Send", "")),
        Action::click(element("input checkbox toggle", "", "", "")),
        Action::click(element("option option", "", "France", "")),
        Action::Touch(Touch::LongClick, element("li listitem", "", "Milk", "")),
        Action::Touch(Touch::DoubleClick, element("label -", "", "Milk", "")),
        Action::Touch(Touch::Hover, element("li listitem", "view", "View", "")),
        Action::Text { on: element("input textbox new", "", "", "What?"), text: "it's ${x} `y`".into() },
        Action::Text { on: element("input spinbutton", "age", "", ""), text: "abc".into() },
        Action::BACK,
        user(all_gestures()),
    ];
    actions.extend(["enter", "escape", "forward", "reload", "resize"].map(of_device));
    actions.extend(
        Direction::ALL.map(|towards| Action::Stroke(Stroke::Scroll, element("html -", "", "", ""), towards)),
    );
    actions.push(Action::Stroke(Stroke::Swipe, element("input slider", "", "5", "Volume"), Direction::Right));
    actions
}

fn of_device(name: &str) -> Action {
    match farlead::gui::ActionType::parse(name) {
        Some(farlead::gui::ActionType::Device(action)) => Action::Device(action),
        other => panic!("{name} is {other:?}"),
    }
}

/// Returns the test whose export is compared as a whole.
pub(super) fn todos() -> TestCase {
    let shared = Shared {
        text: Some(Nth { number: 2, of: 2 }),
        all: Some(Nth { number: 2, of: 2 }),
        ..Shared::default()
    };
    let asks = element("button button", "", "Clear all", "");
    let mut steps: Vec<TestStep> = vec![
        step(
            Action::Text {
                on: element("input textbox new", "", "", "What needs to be done?"),
                text: "it's 5".into(),
            },
            &[],
        ),
        step(
            of_device("enter"),
            &[("[text = \"it's 5\", in(class = todo-list)]", true), ("[crashed = true]", false)],
        ),
        step(
            Action::Touch(Touch::Hover, element("li listitem", "", "it's 5", "")),
            &[("[id = count, text = 1]", true), ("[count(tag = li, in(class = todo-list)) >= 2]", false)],
        ),
        TestStep { shared, ..step(Action::click(element("button button destroy", "", "×", "Delete")), &[]) },
        step(Action::click(asks), &[("[text = \"Are you sure?\"]", true)]),
        step(Action::click(on_dialog("dialog-ok", "0:2")), &[("[activity = /todos.html#/active]", true)]),
        step(
            Action::BACK,
            &[("[role = radio, name = Basic, checked = true]", true), ("[anr = true]", false)],
        ),
    ];
    steps.extend(page_actions().into_iter().map(|action| step(action, &[])));
    let mut test = of_page(steps);
    test.provenance.spec = "specs/todos.ltl".into();
    test.captured = None;
    test.oracle = spec("possible \"keeps 'one' item\" within 7 steps: F [id = count, text = 1]");
    test
}

/// Atoms that a page can answer, beside those of phones.
const PAGE_ATOMS: [&str; 16] = [
    "[tag = li, class = done, class != gone]",
    "[tag != li, class ~ do]",
    "[role = tooltip]",
    "[role = region, id ~ main]",
    "[role = button, name = Send]",
    "[role = button, name ~ /^S/]",
    "[tag = button, name = Delete]",
    "[name ~ Delete]",
    "[class = toggle, checked = true]",
    "[class = edit, focused = true, enabled = true]",
    "[tag = option, selected != true]",
    "[class = todo-list, has(tag = li, text = a)]",
    "[tag = li, in(class = todo-list), in(id = main), beside(class = done)]",
    "[text ~ items, class = count]",
    "[count(tag = li, in(class = todo-list)) < 2]",
    "[count(text = a, tag = li) != 2]",
];

/// Returns the code of an export without the types, which JavaScript does not have.
fn javascript(source: &str) -> String {
    let mut code = source.to_string();
    for types in [
        ", type Locator",
        ", type Page",
        ": Page | Locator",
        ": Locator",
        ": Page",
        ": string | RegExp",
        ": string | undefined",
        ": string",
        ": number[]",
        ": number",
        ": Error[]",
        " as HTMLInputElement & HTMLSelectElement",
    ] {
        code = code.replace(types, "");
    }
    code
}

/// Parses modules, whose files it is given, and runs none of them.
const PARSE_MODULES: &str = "const fs = require('fs'), vm = require('vm');
for (const identifier of process.argv.slice(1)) new vm.SourceTextModule(fs.readFileSync(identifier, 'utf8'), { identifier });";

/// Checks that node can parse the exports, which are written below the folder `name`.
pub(super) fn check_typescript(name: &str, sources: &[String]) {
    let folder = folder(name);
    let mut command = Command::new("node");
    command.args(["--experimental-vm-modules", "--no-warnings", "-e", PARSE_MODULES]);
    for (number, source) in sources.iter().enumerate() {
        let file = folder.join(format!("test_{number}.mjs"));
        fs::write(&file, javascript(source)).expect("a file for a test");
        command.arg(file);
    }
    let Ok(output) = command.output() else { return ci::skip("node is not there") };
    assert!(output.status.success(), "{}\n{sources:?}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_action_and_atom_of_a_page_is_said_or_noted() {
    let bare = export(&of_page(vec![step(of_device("reload"), &[])]), Target::Playwright).text;
    let mut all = Vec::new();
    for action in page_actions() {
        let with = export(&of_page(vec![step(action.clone(), &[])]), Target::Playwright).text;
        assert!(with != bare || action == of_device("reload"), "nothing is said of {action}");
        all.push(step(action, &[]));
    }
    for text in PAGE_ATOMS.iter().chain(&ALL_ATOMS).filter(|text| !text.contains("action")) {
        for holds in [true, false] {
            let exported =
                export(&of_page(vec![step(of_device("reload"), &[(text, holds)])]), Target::Playwright);
            assert!(
                exported.text.lines().count() > bare.lines().count(),
                "nothing is said of {text} {holds}"
            );
            let is_noted = ["objectID", "scrollable", "id != ", "screen", "anr", "[crash "]
                .iter()
                .any(|part| text.contains(part));
            assert_eq!(!exported.notes.is_empty(), is_noted, "{text}: {:?}", exported.notes);
        }
        all.push(step(of_device("reload"), &[(text, true), (text, false)]));
    }
    check_typescript("actions-of-pages", &[export(&of_page(all), Target::Playwright).text]);
}

#[test]
fn a_dialog_is_answered_by_the_step_that_opens_it() {
    let opens = || Action::click(element("button button", "", "Asks", ""));
    let typed = Action::Text { on: on_dialog("dialog-field", "0:1"), text: "Ann".into() };
    let click = |id: &str, path: &str| Action::click(on_dialog(id, path));
    for (answers, expected) in [
        (vec![click("dialog-ok", "0:2")], Some("dialog.accept()")),
        (vec![click("dialog-cancel", "0:3")], Some("dialog.dismiss()")),
        (vec![typed.clone(), click("dialog-ok", "0:2")], Some("dialog.accept('Ann')")),
        (vec![typed], Some("dialog.dismiss()")),
        // An element of the page with such an id.
        (vec![click("dialog-ok", "0:0:2")], None),
    ] {
        let steps = std::iter::once(opens()).chain(answers).map(|action| step(action, &[])).collect();
        let text = export(&of_page(steps), Target::Playwright).text;
        let found = text.lines().find(|line| line.contains("await dialog.")).map(|line| line.trim());
        assert_eq!(found, expected.map(|answer| format!("await {answer};")).as_deref(), "{text}");
    }
}

#[test]
fn a_test_is_refused_by_tools_for_other_devices() {
    for to in Target::ALL {
        let refused = |test: &TestCase| farlead::export::export(test, to).err();
        let is_of = |error: Option<ExportError>| match error {
            None => "taken",
            Some(ExportError::OfPage { .. }) => "of page",
            Some(ExportError::OfPhone { .. }) => "of phone",
        };
        let expected = if to.is_for_pages() { ["taken", "of phone"] } else { ["of page", "taken"] };
        assert_eq!([is_of(refused(&todos())), is_of(refused(&notes()))], expected, "{to:?}");
    }
}

#[test]
fn a_page_keeps_hostile_texts_in_their_quotes() {
    let mut sources = Vec::new();
    for hostile in HOSTILE {
        let value = Constant::Text(hostile.to_string());
        let comparison = |key| farlead::gui::Comparison { key, op: Op::Equal, value: value.clone() };
        use farlead::gui::Key;
        let sees =
            [Key::Text, Key::Id, Key::Class, Key::Name, Key::Role, Key::Activity].map(|key| match key {
                Key::Activity => (Atom::State(vec![comparison(key)]), true),
                _ => (Atom::Widget(vec![comparison(key)]), true),
            });
        let on = |class: &str, text: &str, desc: &str| element(class, "", text, desc);
        let mut steps: Vec<TestStep> = [
            Action::click(on("button button", hostile, "")),
            Action::click(on("option option", hostile, "")),
            Action::click(on(&format!("div - {}", hostile.replace(char::is_whitespace, "")), "", "")),
            Action::Text { on: on("input textbox", "", hostile), text: hostile.into() },
        ]
        .into_iter()
        .map(|action| step(action, &[]))
        .collect();
        steps[0].sees = sees.to_vec();
        sources.push(export(&of_page(steps), Target::Playwright).text);
    }
    check_typescript("texts-of-pages", &sources);
}

// ---- Playwright itself -----------------------------------------------------------------------------------------------

const PLAYWRIGHT: &str = "@playwright/test@1.65.1";

/// Settings of Playwright: the browser of this machine, and short waits.
#[cfg(unix)]
const CONFIG: &str = "module.exports = {
  timeout: 15000,
  expect: { timeout: 3000 },
  workers: 2,
  fullyParallel: true,
  reporter: [['json', { outputFile: process.env.REPORT }]],
  use: { actionTimeout: 5000, launchOptions: { executablePath: process.env.CHROMIUM_PATH, args: ['--no-sandbox'] } },
};
";

/// Returns a new folder for tests of Playwright.
#[cfg(unix)]
fn playground(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Writes the kept test as one of Playwright.
#[cfg(unix)]
fn write_for_playwright(test: &Path, file: &Path) {
    let (test, file) = (test.to_str().expect("letters"), file.to_str().expect("letters"));
    let ended = farlead(&["export", test, "--to", "playwright", "-o", file]);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
}

/// Runs the exported tests in `folder`; returns the names of those that passed and of those that failed.
#[cfg(unix)]
fn played(folder: &Path, npm: &str, variables: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    fs::write(folder.join("playwright.config.js"), CONFIG).expect("a file");
    let modules = folder.join("node_modules");
    if !modules.exists() {
        std::os::unix::fs::symlink(Path::new(npm).join("node_modules"), modules).expect("a link");
    }
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".to_string());
    let report = folder.join("report.json");
    let mut command = Command::new("node");
    command.arg(Path::new(npm).join("node_modules/@playwright/test/cli.js")).arg("test").current_dir(folder);
    command
        .env("REPORT", &report)
        .env("CHROMIUM_PATH", ci::program(&chromium).expect("a browser in the path"));
    command.env_remove("BASE_URL").envs(variables.iter().copied());
    let output = command.output().expect("node");
    let said = [output.stdout, output.stderr].concat();
    let report =
        fs::read(&report).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&said)));
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    let (mut passed, mut failed) = (Vec::new(), Vec::new());
    for suite in report["suites"].as_array().expect("suites") {
        for spec in suite["specs"].as_array().expect("specs") {
            let name = spec["title"].as_str().expect("a title").to_string();
            if spec["ok"] == true { passed.push(name) } else { failed.push(name) }
        }
    }
    passed.sort();
    failed.sort();
    (passed, failed)
}

#[test]
#[cfg(unix)]
fn exported_tests_of_pages_pass_where_they_were_found_and_fail_without_the_fault() {
    let Some(npm) = npm_folder(&[PLAYWRIGHT]) else { return };
    if !has_chrome() {
        return;
    }
    let folder = playground("playwright");
    let out = folder.join("out");
    let origin = served();
    let spec = cli::file(
        "exported.ltl",
        "possible \"adds one\" within 6 steps: F [text = abc, in(class = todo-list)]
possible \"removes one\" within 8 steps: F ([class = todo-list, has(tag = li)] & X F [count(tag = li, in(class = todo-list)) = 0])
",
    );
    let spec = spec.display().to_string();
    let dates = cli::file(
        "exported-dates.ltl",
        "possible \"a date and a time\" within 6 steps, typed counts: F ([role = date, text = \"2001-02-03\"] & [role = time, text = \"20:30\"])\n",
    );
    let dates = dates.display().to_string();
    for (verb, spec, url, more) in [
        ("check", &*spec, format!("{origin}/todos.html"), &[][..]),
        ("check", &*dates, format!("{origin}/widgets.html"), &[]),
        ("explore", "tests/pages/menus.ltl", format!("{origin}/menus.html?fault=2"), &["--budget", "24"]),
        ("explore", "tests/pages/forms.ltl", format!("{origin}/forms.html?fault=2"), &["--budget", "60"]),
    ] {
        let mut args = vec![
            verb,
            spec,
            "--url",
            &url,
            "--seed",
            "1",
            "--no-screenshots",
            "--out",
            out.to_str().expect("letters"),
        ];
        args.extend(more);
        let ended = farlead(&args);
        assert!([0, 1, 5, 6].contains(&ended.code), "{}{}", ended.stdout, ended.stderr);
    }
    let mut count = 0;
    for test in crate::clients::tests_in(&out) {
        count += 1;
        write_for_playwright(&test, &folder.join(format!("{count}.spec.ts")));
    }
    let (passed, failed) = played(&folder, &npm, &[]);
    assert!(failed.is_empty() && passed.len() == count, "{passed:?} {failed:?}");
    assert!(passed.contains(&"a date and a time".to_string()), "{passed:?}");
    let broken = ["02 a click outside closes", "02 who does not agree gets a message"];
    assert!(broken.iter().all(|name| passed.contains(&(*name).to_string())), "{passed:?}");
    let (passed, failed) = played(&folder, &npm, &[("BASE_URL", &served_without_faults())]);
    assert_eq!(failed, broken, "{passed:?}");
    let _ = fs::remove_dir_all(folder);
}

#[test]
#[cfg(unix)]
fn an_exported_test_reads_the_user_and_the_key_of_its_page() {
    let Some(npm) = npm_folder(&[PLAYWRIGHT]) else { return };
    if !has_chrome() {
        return;
    }
    let folder = playground("guarded-export");
    let out = folder.join("out");
    let origin = guarded("anna:k3y/@");
    let url = origin.replacen("://", "://anna:k3y%2F%40@", 1);
    let spec = cli::file("guarded-export.ltl", "possible \"in\": F [text = In]\n");
    let (spec, out_text) = (spec.display().to_string(), out.display().to_string());
    let checked = farlead(&["check", &spec, "--url", &url, "--out", &out_text]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    let tests = crate::clients::tests_in(&out);
    let file = folder.join("in.spec.ts");
    write_for_playwright(&tests[0], &file);
    let exported = fs::read_to_string(&file).expect("a file");
    assert!(exported.contains("set PAGE_USER and PAGE_KEY in the environment"), "{exported}");
    assert!(!exported.contains("k3y"), "{exported}");
    let known = [("PAGE_USER", "anna"), ("PAGE_KEY", "k3y/@")];
    assert_eq!(played(&folder, &npm, &known), (vec!["in".to_string()], vec![]));
    assert_eq!(played(&folder, &npm, &[("PAGE_USER", "anna"), ("PAGE_KEY", "no")]).0, [""; 0]);
    // What the address names is read as it is named.
    let kept = fs::read_to_string(&tests[0]).expect("a file");
    fs::write(&tests[0], kept.replace("***", "a%6Ena:${NOTES_KEY}")).expect("a file");
    fs::remove_file(&file).expect("a file");
    write_for_playwright(&tests[0], &file);
    let known = [("NOTES_KEY", "k3y/@")];
    assert_eq!(played(&folder, &npm, &known), (vec!["in".to_string()], vec![]));
    let _ = fs::remove_dir_all(folder);
}
