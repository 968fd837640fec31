//! Stored tests in other tools' formats: read back by each tool's rules; the script for adb also runs.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use farlead::export::{ExportError, Exported, Target};
use farlead::gui::{
    Action, Atom, Bounds, Constant, Direction, Gesture, Nth, Op, Percent, Point, PressedKey, Stroke, Touch,
    UserAction,
};
use farlead::rate::Rate;
use farlead::spec::{Source, Spec, parse};
use farlead::test_case::{Provenance, Shared, TestCase, TestSetUp, TestStep};
use proptest::collection::vec;
use proptest::prelude::*;
use yaml_rust2::{Yaml, YamlLoader};

use crate::ci;

mod pages;

use pages::{check_typescript, of_page, todos};

/// Texts that break out of quotes, comments and patterns if they can.
const HOSTILE: [&str; 22] = [
    "it's \"quoted\"",
    "a: b # c",
    "- item",
    "${output.x}",
    "\\${1+1}",
    "a ${'b'} ${c",
    "$HOME `id` $(id)",
    "'; touch pwned; '",
    "\\",
    "\\\\n \\u{41} \\x41",
    "line\nbreak\r\n\tand tab",
    "</node>\"/><node text=\"",
    "&amp; &lt; &#65;",
    "a.b*c[d]{2}(e)|f^$?+",
    "\\Q.\\E",
    "50% %s %%s",
    "*/ /* // #",
    "\u{202e}turned\u{2066}",
    "\0\u{1b}[31m\u{85}\u{2028}",
    "äß 日本 😀 \u{10ffff}",
    "  spaces  ",
    "~ null true 1e3 !!x @a %b",
];

/// Returns the test in a format that takes it.
fn export(test: &TestCase, to: Target) -> Exported {
    farlead::export::export(test, to).expect("a format for such tests")
}

/// The formats for tests of apps on phones.
fn for_phones() -> impl Iterator<Item = Target> {
    Target::ALL.into_iter().filter(|to| !to.is_for_pages())
}

// ---- Test cases by hand ----------------------------------------------------------------------------------------------

fn spec(text: &str) -> Spec {
    let parsed = parse(&Source::new("s.ltl", text));
    assert_eq!(parsed.diagnostics.errors(), 0, "{text}");
    parsed.file.specs.into_iter().next().expect("a spec")
}

/// Returns the atom with this text.
fn atom(text: &str) -> Atom {
    spec(&format!("possible: X {text}")).atoms.into_values().next().expect("an atom")
}

fn widget(
    object_id: &str,
    class: &str,
    id: &str,
    text: &str,
    desc: &str,
    bounds: Bounds,
) -> farlead::gui::Target {
    farlead::gui::Target {
        object_id: object_id.into(),
        class: class.into(),
        id: id.into(),
        text: text.into(),
        desc: desc.into(),
        below: "".into(),
        bounds,
        is_cut: false,
    }
}

fn button(text: &str) -> farlead::gui::Target {
    widget("0:1", "android.widget.Button", "", text, "", Bounds::new(0, 100, 200, 200))
}

fn step(action: Action, sees: &[(&str, bool)]) -> TestStep {
    let sees = sees.iter().map(|(text, holds)| (atom(text), *holds)).collect();
    TestStep { action, shared: Shared::default(), around: None, sees }
}

/// Returns the same step on a widget whose id others of its screen have too.
fn on_row(step: TestStep, number: u32) -> TestStep {
    let id = Some(Nth { number, of: 3 });
    TestStep { shared: Shared { id, ..Shared::default() }, ..step }
}

fn test_of(steps: Vec<TestStep>) -> TestCase {
    TestCase {
        provenance: Provenance { package: "org.notes".into(), ..Provenance::default() },
        set_up: TestSetUp::Own(Vec::new()),
        steps,
        captured: Some(spec("possible \"captured\": X [text = a]")),
        oracle: spec("possible \"oracle\": X [text = a]"),
        actions: Vec::new(),
    }
}

fn start() -> TestStep {
    step(Action::Reinitialise("org.notes.Main".into()), &[])
}

/// Returns a test that starts the app and does this action.
fn test_with(action: Action, sees: &[(&str, bool)]) -> TestCase {
    test_of(vec![start(), step(action, sees)])
}

fn point(x: &str, y: &str) -> Point {
    Point { x: Percent::parse(x).expect("a percentage"), y: Percent::parse(y).expect("a percentage") }
}

fn user(gestures: Vec<Gesture>) -> Action {
    let action = UserAction { name: "move".into(), on: atom("[id ~ board]"), gestures };
    let on = widget("0:2", "org.notes.Board", "org.notes:id/board", "", "", Bounds::new(0, 200, 400, 600));
    Action::User { action: Arc::new(action), on }
}

fn all_gestures() -> Vec<Gesture> {
    let mut gestures = vec![
        Gesture::Tap(point("56", "80")),
        Gesture::LongTap(point("12.5", "0")),
        Gesture::Swipe { from: point("10", "20"), to: point("90", "100") },
        Gesture::Text("e4".into()),
        Gesture::Wait { ms: 1500 },
    ];
    gestures.extend(PressedKey::ALL.map(Gesture::Key));
    gestures
}

/// Returns one action of each type, and scrolls and swipes in each direction.
fn all_actions() -> Vec<Action> {
    let mut actions = vec![
        Action::Reinitialise("org.notes.Main".into()),
        Action::click(button("OK")),
        Action::Touch(Touch::LongClick, button("OK")),
        Action::Text { on: button("Name"), text: "a few words".into() },
        Action::BACK,
        Action::MENU,
        Action::ROTATE,
        Action::NETWORK,
        Action::PAUSE_RESUME,
        Action::IDLE,
        user(all_gestures()),
    ];
    for towards in Direction::ALL {
        actions.push(Action::Stroke(Stroke::Scroll, button("List"), towards));
        actions.push(Action::Stroke(Stroke::Swipe, button("Slider"), towards));
    }
    actions
}

/// Atoms of each kind, with each key and each operator.
const ALL_ATOMS: [&str; 52] = [
    "[text = OK]",
    "[text != OK]",
    "[text ~ OK]",
    "[text ~ /^O+K?$/]",
    "[text ~ /(?i)ok/]",
    "[text < 5]",
    "[text <= 5.5]",
    "[text > -5]",
    "[text >= 5]",
    "[text = \"\"]",
    "[text ~ O, text ~ K]",
    "[text = OK, desc = fine]",
    "[desc = fine]",
    "[desc ~ fine]",
    "[id = save]",
    "[id = \"org.notes:id/save\"]",
    "[id != save]",
    "[id ~ save]",
    "[objectID = 0:1]",
    "[class = Button]",
    "[class = android.widget.Button]",
    "[class != Button]",
    "[class ~ Button]",
    "[text = OK, checked = true]",
    "[text = OK, enabled = false]",
    "[text = OK, focused != true]",
    "[text = OK, selected = true]",
    "[text = OK, scrollable = true]",
    "[text = OK, password = true]",
    "[password = true]",
    "[count(text ~ Note) >= 2]",
    "[count(text ~ Note) > 2]",
    "[count(text ~ Note) <= 2]",
    "[count(text ~ Note) < 2]",
    "[count(text ~ Note) = 2]",
    "[count(text ~ Note) != 2]",
    "[count(class = Button) >= 1]",
    "[count(text ~ Note) >= 0]",
    "[checked = true]",
    "[checked = false]",
    "[activity ~ Main]",
    "[activity != Main]",
    "[package = org.notes]",
    "[screen = on]",
    "[orientation = portrait]",
    "[network != on]",
    "[crashed = true]",
    "[crash = \"a.B at c.D.e < c.D.f\"]",
    "[crash != a.B]",
    "[anr = false]",
    "[activity ~ Main, screen = on]",
    "[actionType = click]",
];

/// Returns a test with every action and atom.
fn everything() -> TestCase {
    let mut steps: Vec<TestStep> = all_actions().into_iter().map(|action| step(action, &[])).collect();
    for text in ALL_ATOMS {
        steps.push(step(Action::BACK, &[(text, true), (text, false)]));
    }
    test_of(steps)
}

/// Returns the test whose exports are compared as a whole.
fn notes() -> TestCase {
    let row = |at: &str, text: &str, top: i32| {
        let bounds = Bounds::new(0, top, 480, top + 72);
        widget(at, "android.widget.TextView", "org.notes:id/row", text, "", bounds)
    };
    let field = widget(
        "0:0:1",
        "android.widget.EditText",
        "org.notes:id/name",
        "Name",
        "",
        Bounds::new(16, 120, 464, 180),
    );
    let plus = widget("0:3", "android.widget.ImageButton", "", "", "", Bounds::new(400, 700, 464, 764));
    let steps = vec![
        step(Action::Reinitialise("org.notes.ui.Main".into()), &[("[activity ~ Main]", true)]),
        step(Action::click(plus), &[("[activity ~ Edit]", true)]),
        step(Action::Text { on: field, text: "50% off, it's $5".into() }, &[]),
        step(Action::BACK, &[("[text ~ /^Note [0-9]+$/]", false), ("[count(id = row) >= 2]", true)]),
        on_row(step(Action::Touch(Touch::LongClick, row("0:1:0", "one", 100)), &[]), 1),
        on_row(
            step(
                Action::click(row("0:1:1", "two", 172)),
                &[("[checked = true]", true), ("[crashed = true]", false)],
            ),
            2,
        ),
        step(Action::ROTATE, &[("[text = \"50% off, it's $5\"]", true)]),
    ];
    let provenance = Provenance {
        farlead: "0.1.0".into(),
        package: "org.notes".into(),
        version: "1.0.1".into(),
        app: vec!["--app".into(), "apps/notes.app".into()],
        device: "simulator, 480x800".into(),
        spec: "specs/notes/keep.ltl".into(),
        agent: "planner".into(),
        seed: 7,
        episodes: 3,
        steps: 21,
        found_steps: 9,
        confirmed: Rate { passes: 3, runs: 3 },
    };
    TestCase {
        provenance,
        set_up: TestSetUp::Own(Vec::new()),
        steps,
        captured: Some(spec("possible \"captured\": X [text ~ off] & X X [actionType = back]")),
        oracle: spec(
            "possible \"keeps what was written\" within 7 steps: F ([text ~ off] & ![crashed = true])",
        ),
        actions: Vec::new(),
    }
}

/// Compares `text` with the file of this name; with FARLEAD_BLESS set, writes the file.
fn check_snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/export").join(name);
    if std::env::var_os("FARLEAD_BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for snapshots");
        fs::write(&path, text).expect("a snapshot that can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "{name} is not as it was kept; FARLEAD_BLESS=1 keeps this one:\n{text}");
}

#[test]
fn any_crash_counts_where_a_test_names_one() {
    let named = "[crash = a.B at c.D.e]";
    let of = |sees: &[(&str, bool)]| test_of(vec![step(Action::BACK, sees)]);
    for (sees, checks) in [
        (&[(named, true)][..], 1),
        (&[("[crashed = true]", true), (named, true)], 1),
        (&[(named, false)], 0),
        (&[("[crash != a.B]", true)], 0),
    ] {
        let exported = export(&of(sees), Target::Adb);
        assert_eq!(exported.text.matches("state_is crashed = true").count(), checks, "{sees:?}");
        assert!(exported.text.contains("any crash counts where the test names one"), "{}", exported.text);
        let exported = export(&of(sees), Target::UiAutomator);
        assert_eq!(exported.text.matches("    hasCrashed()").count(), checks, "{sees:?}\n{}", exported.text);
    }
}

// ---- All formats -----------------------------------------------------------------------------------------------------

#[test]
fn whole_exports_are_as_they_were_kept() {
    for (to, test) in for_phones().map(|to| (to, notes())).chain([(Target::Playwright, todos())]) {
        let Exported { text, notes } = export(&test, to);
        assert_eq!(export(&test, to).text, text, "the same test gives the same bytes");
        check_snapshot(&to.file_name(&test), &text);
        for note in notes {
            let sentence = note.split_once(": ").map_or(&*note, |(_, sentence)| sentence);
            assert!(text.contains(sentence), "a note stands in the text too: {note}");
        }
    }
}

#[test]
fn every_action_and_every_atom_is_said_or_noted() {
    for to in for_phones() {
        let bare = export(&test_of(vec![start(), step(Action::BACK, &[])]), to);
        for action in all_actions() {
            let with = export(&test_with(action.clone(), &[]), to);
            assert!(with.text != bare.text || action == Action::BACK, "{to:?} says nothing of {action}");
        }
        for text in ALL_ATOMS.iter().filter(|text| !text.contains("action")) {
            for holds in [true, false] {
                let with = export(&test_with(Action::BACK, &[(text, holds)]), to);
                let is_said = with.text.lines().count() > bare.text.lines().count();
                // A count of at least none is always true, so it is left out.
                assert!(is_said || text.contains(">= 0"), "{to:?} says nothing of {text} {holds}");
            }
        }
        // Going back has lines of its own.
        let bare = export(&test_of(vec![start(), step(Action::MENU, &[])]), to);
        for gesture in all_gestures() {
            let with = export(&test_with(user(vec![gesture.clone()]), &[]), to);
            assert!(
                with.text.lines().count() > bare.text.lines().count() - 2,
                "{to:?} says nothing of {gesture}"
            );
        }
    }
}

#[test]
fn what_adb_and_ui_automator_cannot_say_is_little() {
    let noted = |to: Target, text: &str, holds: bool| {
        !export(&test_with(Action::BACK, &[(text, holds)]), to).notes.is_empty()
    };
    for text in ALL_ATOMS {
        for holds in [true, false] {
            let unsaid = ["(?i)", "[crash "].iter().any(|part| text.contains(part));
            assert_eq!(noted(Target::Adb, text, holds), unsaid, "{text}");
            let unsaid = ["(?i)", "[crash ", "objectID", "password"].iter().any(|part| text.contains(part));
            assert_eq!(noted(Target::UiAutomator, text, holds), unsaid, "{text}");
        }
    }
}

#[test]
fn a_flaky_run_and_labels_are_noted_for_the_whole() {
    let mut test = test_with(Action::BACK, &[]);
    test.provenance.confirmed = Rate { passes: 2, runs: 3 };
    test.oracle = spec("label paid\npossible \"x\": F paid");
    for to in Target::ALL {
        let origin = if to.is_for_pages() { "http://a" } else { "org.notes" };
        test.provenance.package = origin.into();
        let notes = export(&test, to).notes;
        assert!(notes[0].contains("2 of 3"), "{notes:?}");
        assert!(notes[1].contains("paid"), "{notes:?}");
    }
}

#[test]
fn hostile_names_stay_on_the_line_of_their_comment() {
    let (mut programs, mut pages) = (Vec::new(), Vec::new());
    for hostile in HOSTILE {
        let mut test = notes();
        test.provenance = Provenance {
            farlead: hostile.into(),
            package: hostile.into(),
            version: hostile.into(),
            app: vec![hostile.into()],
            device: hostile.into(),
            spec: hostile.into(),
            agent: hostile.into(),
            ..Provenance::default()
        };
        test.oracle.name = hostile.into();
        test.steps[0].action = Action::Reinitialise(hostile.into());
        let lines = notes_lines(&test);
        assert_eq!(lines, notes_lines(&notes()), "{hostile:?}");
        let flow = export(&test, Target::Maestro).text;
        YamlLoader::load_from_str(&flow).unwrap_or_else(|error| panic!("{hostile:?}: {error}\n{flow}"));
        check_kotlin(&export(&test, Target::UiAutomator).text);
        check_script(&export(&test, Target::Adb).text);
        programs.push(export(&test, Target::Appium).text);
        let mut page = todos();
        page.provenance = Provenance { package: "http://a".into(), ..test.provenance };
        page.oracle.name = hostile.into();
        page.steps[0].action = Action::Reinitialise(hostile.into());
        pages.push(export(&page, Target::Playwright).text);
    }
    check_python("python-comments", &programs);
    check_typescript("comments-of-pages", &pages);
}

/// Returns the number of lines of code in each export.
fn notes_lines(test: &TestCase) -> Vec<usize> {
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with(['#', '/']);
    for_phones().map(|to| export(test, to).text.lines().filter(is_code).count()).collect()
}

#[test]
fn files_are_named_after_their_spec() {
    let mut test = notes();
    assert_eq!(Target::Maestro.file_name(&test), "keeps-what-was-written-test.yaml");
    assert_eq!(Target::UiAutomator.file_name(&test), "KeepsWhatWasWrittenTest.kt");
    assert_eq!(Target::Appium.file_name(&test), "test_keeps_what_was_written.py");
    assert_eq!(Target::Playwright.file_name(&test), "keeps-what-was-written.spec.ts");
    for (name, expected) in
        [("../x", "XTest.kt"), ("", "SpecTest.kt"), ("1st", "Spec1stTest.kt"), ("test", "TestTest.kt")]
    {
        test.oracle.name = name.into();
        assert_eq!(Target::UiAutomator.file_name(&test), expected);
        check_kotlin(&export(&test, Target::UiAutomator).text);
    }
    for to in Target::ALL {
        assert_eq!(Target::parse(to.name()), Some(to));
    }
}

#[test]
fn the_page_on_exports_says_how_each_action_is_expressed() {
    let page = include_str!("../../docs/exporting.md");
    for action_type in farlead::gui::ActionType::all().map(farlead::gui::ActionType::name) {
        let is_said = page.lines().any(|line| {
            let cell = line.trim_start_matches('|').split('|').next().unwrap_or_default();
            line.starts_with('|') && cell.contains(&format!("`{action_type}`"))
        });
        assert!(is_said, "docs/exporting.md does not say how `{action_type}` is expressed");
    }
}

// ---- Maestro ---------------------------------------------------------------------------------------------------------

/// The commands of a flow, and the keys that each takes, from docs.maestro.dev; `*` stands for a single value.
const COMMANDS: [(&str, &[&str]); 15] = [
    ("launchApp", &["appId", "clearState", "stopApp"]),
    ("tapOn", &["id", "text", "index", "point"]),
    ("longPressOn", &["id", "text", "index", "point"]),
    ("eraseText", &["*"]),
    ("inputText", &["*"]),
    ("hideKeyboard", &[]),
    ("pressKey", &["*"]),
    ("back", &[]),
    ("setOrientation", &["*"]),
    ("setAirplaneMode", &["*"]),
    ("swipe", &["from", "direction", "start", "end"]),
    ("waitForAnimationToEnd", &["timeout"]),
    ("assertVisible", &SELECTOR),
    ("assertNotVisible", &SELECTOR),
    ("scroll", &[]),
];

const SELECTOR: [&str; 7] = ["id", "text", "index", "checked", "enabled", "focused", "selected"];

/// The values that commands with a single value take.
const VALUES: [(&str, &[&str]); 3] = [
    (
        "pressKey",
        &[
            "Back",
            "Enter",
            "Home",
            "Remote Menu",
            "Tab",
            "Backspace",
            "Power",
            "Lock",
            "Remote Dpad Up",
            "Remote Dpad Down",
            "Remote Dpad Left",
            "Remote Dpad Right",
        ],
    ),
    ("setOrientation", &["PORTRAIT", "LANDSCAPE_LEFT"]),
    ("setAirplaneMode", &["enabled", "disabled"]),
];

/// Returns the commands of a flow: names and arguments.
fn commands(flow: &str) -> Vec<(String, Yaml)> {
    let documents = YamlLoader::load_from_str(flow).unwrap_or_else(|error| panic!("{error}\n{flow}"));
    let [head, steps] = &documents[..] else { panic!("{} documents:\n{flow}", documents.len()) };
    assert!(head["appId"].as_str().is_some());
    let steps = steps.as_vec().expect("a list of commands").iter();
    let hooks = head["onFlowComplete"].as_vec().into_iter().flatten();
    steps.chain(hooks).map(command).collect()
}

fn command(yaml: &Yaml) -> (String, Yaml) {
    match yaml {
        Yaml::String(name) => (name.clone(), Yaml::Null),
        Yaml::Hash(hash) => {
            assert_eq!(hash.len(), 1, "{yaml:?}");
            let (name, arguments) = hash.iter().next().expect("a command");
            (name.as_str().expect("a name").to_string(), arguments.clone())
        }
        other => panic!("{other:?} is no command"),
    }
}

#[test]
fn a_flow_has_documented_commands_alone() {
    for (name, arguments) in commands(&export(&everything(), Target::Maestro).text) {
        let (_, keys) = COMMANDS.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name}"));
        match &arguments {
            Yaml::Null => assert!(keys.is_empty() || name == "eraseText", "{name} takes something"),
            Yaml::Hash(hash) => {
                for (key, value) in hash {
                    let key = key.as_str().expect("a key");
                    assert!(keys.contains(&key), "{name} has no {key}");
                    let is_right = match key {
                        "clearState" | "stopApp" | "checked" | "enabled" | "focused" | "selected" => {
                            value.as_bool().is_some()
                        }
                        "timeout" | "index" => value.as_i64().is_some_and(|number| number >= 0),
                        "from" => value.as_hash().is_some(),
                        "direction" => {
                            ["UP", "DOWN", "LEFT", "RIGHT"].contains(&value.as_str().unwrap_or_default())
                        }
                        "point" | "start" | "end" => is_point(value.as_str().unwrap_or_default()),
                        _ => value.as_str().is_some(),
                    };
                    assert!(is_right, "{name}: {key}: {value:?}");
                }
            }
            value => {
                assert_eq!(*keys, ["*"], "{name}: {value:?}");
                if let Some((_, values)) = VALUES.iter().find(|(known, _)| *known == name) {
                    assert!(values.contains(&value.as_str().expect("a text")), "{name}: {value:?}");
                }
            }
        }
    }
}

#[test]
fn a_button_that_has_moved_is_one_button_and_a_row_like_others_has_a_number() {
    let at = |object_id: &str, top: i32| {
        let bounds = Bounds::new(0, top, 480, top + 72);
        Action::click(widget(object_id, "android.widget.Button", "", "Add", "", bounds))
    };
    let test = test_of(vec![start(), step(at("0:1:1", 100), &[]), step(at("0:1:2", 172), &[])]);
    let flow = export(&test, Target::Maestro);
    let taps = |flow: &str| -> Vec<Yaml> {
        commands(flow).into_iter().filter(|(name, _)| name == "tapOn").map(|(_, on)| on).collect()
    };
    assert!(
        taps(&flow.text).iter().all(|on| on["text"].as_str() == Some("Add") && on["point"].is_badvalue())
    );
    let class = export(&test, Target::UiAutomator).text;
    assert_eq!(class.matches("widget(By.text(\"Add\")).click()").count(), 2, "{class}");
    // Two widgets of one screen that have all names in common are told apart by their number.
    let nth = |number| Some(Nth { number, of: 2 });
    let like = |number, action| TestStep {
        shared: Shared { text: nth(number), all: nth(number), ..Shared::default() },
        ..step(action, &[])
    };
    let test = test_of(vec![start(), like(1, at("0:1:1", 100)), like(2, at("0:1:2", 172))]);
    let flow = export(&test, Target::Maestro);
    let indices: Vec<_> = taps(&flow.text).iter().map(|on| on["index"].as_i64()).collect();
    assert_eq!(indices, [Some(0), Some(1)]);
    assert!(flow.notes.iter().any(|note| note.contains("number 2, as Maestro counts")), "{:?}", flow.notes);
    let class = export(&test, Target::UiAutomator).text;
    assert!(class.contains("widgetAmong(By.text(\"Add\"), 1).click()"), "{class}");
    // Format 1 says nothing of the screen, so names that two places share are no names.
    let old = TestCase { set_up: TestSetUp::OfProject, ..test };
    let points =
        taps(&export(&old, Target::Maestro).text).iter().filter(|on| !on["point"].is_badvalue()).count();
    assert_eq!(points, 2);
}

/// Returns true for a point: two whole numbers, both or neither of them percentages.
fn is_point(text: &str) -> bool {
    let parts: Vec<&str> = text.split(',').collect();
    let numbers = parts.iter().all(|part| part.trim_end_matches('%').parse::<u32>().is_ok());
    parts.len() == 2 && numbers && parts[0].ends_with('%') == parts[1].ends_with('%')
}

/// Evaluates a text as Maestro does before using it: runs scripts, and removes a backslash before one.
fn evaluate(text: &str) -> String {
    let script = regex::Regex::new(r"(\\?)\$\{([^$]*)\}").expect("an expression");
    let run = |found: &regex::Captures<'_>| {
        if found[1].is_empty() { literal_of_javascript(&found[2]) } else { found[0][1..].to_string() }
    };
    script.replace_all(text, run).into_owned()
}

/// Returns the value of a JavaScript string in single quotes, which is like one of JSON in double quotes.
fn literal_of_javascript(script: &str) -> String {
    let inner = script.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let inner = inner.unwrap_or_else(|| panic!("Maestro would run {script}"));
    serde_json::from_str(&format!("\"{}\"", inner.replace('"', "\\\""))).expect("a text of JavaScript")
}

#[test]
fn what_is_typed_comes_out_of_a_flow_as_it_was() {
    for hostile in HOSTILE.into_iter().chain(["", "\n", "\\\\${x}", "a\\${x}\\${y}"]) {
        let test = test_with(Action::Text { on: button("Name"), text: hostile.into() }, &[]);
        let mut typed = String::new();
        for (name, arguments) in commands(&export(&test, Target::Maestro).text) {
            match &*name {
                "inputText" => typed.push_str(&evaluate(arguments.as_str().expect("a text"))),
                "pressKey" => typed.push('\n'),
                _ => {}
            }
        }
        assert_eq!(typed, hostile);
    }
}

/// Returns true if the pattern given to Maestro matches a text. Translates the parts of Java's syntax that Rust
/// lacks.
fn matches_in_java(pattern: &str, text: &str) -> bool {
    let evaluated = evaluate(pattern);
    assert_eq!(evaluated, pattern, "Maestro would run something");
    let negated = evaluated.strip_prefix("(?-i)").unwrap_or(&evaluated);
    if let Some((other, _)) = negated.strip_prefix("(?!").and_then(|rest| rest.split_once("\\z).*")) {
        return !regex::Regex::new(&format!("^(?:{other})$")).expect("an expression").is_match(text);
    }
    let pattern = evaluated.replace("(?U-ims:", "(?-ims:");
    // In Maestro `.` also matches line breaks.
    regex::Regex::new(&format!("(?s)^(?:{pattern})$"))
        .unwrap_or_else(|error| panic!("{pattern}: {error}"))
        .is_match(text)
}

#[test]
fn a_flow_finds_hostile_texts_and_no_others() {
    for hostile in HOSTILE {
        let value = Constant::Text(hostile.to_string());
        for (op, similar) in [(Op::Equal, false), (Op::Contains, true), (Op::NotEqual, true)] {
            let comparison =
                farlead::gui::Comparison { key: farlead::gui::Key::Text, op, value: value.clone() };
            let sees = vec![(Atom::Widget(vec![comparison]), true)];
            let test = test_of(vec![TestStep {
                action: Action::click(button(hostile)),
                shared: Shared::default(),
                around: None,
                sees,
            }]);
            for (name, arguments) in commands(&export(&test, Target::Maestro).text) {
                let Some(pattern) = arguments["text"].as_str() else { continue };
                let similar = if name == "tapOn" { false } else { similar };
                let same = name == "tapOn" || op != Op::NotEqual;
                assert_eq!(matches_in_java(pattern, hostile), same, "{name} {pattern:?}");
                assert_eq!(matches_in_java(pattern, &format!("x{hostile}x")), similar, "{name} {pattern:?}");
            }
        }
    }
}

#[test]
fn a_regular_expression_with_a_dollar_before_a_brace_is_no_script() {
    for (regex, text, other) in
        [(r"a\${2}b", "a$$b", "a$b"), (r"[\${x}]", "{", "y"), (r"[${x}]", "$", "y"), (r"a${1}", "ba", "ab")]
    {
        let test = test_with(Action::BACK, &[(&format!("[text ~ /{regex}/]"), true)]);
        let commands = commands(&export(&test, Target::Maestro).text);
        let pattern = commands.last().expect("a command").1["text"].as_str().expect("a pattern").to_string();
        assert!(matches_in_java(&pattern, text), "{pattern}");
        assert!(!matches_in_java(&pattern, other), "{pattern}");
    }
}

#[test]
fn scrolling_down_moves_the_finger_up() {
    let on = button("List");
    let scroll = test_with(Action::Stroke(Stroke::Scroll, on.clone(), Direction::Down), &[]);
    let commands = commands(&export(&scroll, Target::Maestro).text);
    assert_eq!(commands[1].1["direction"].as_str(), Some("UP"));
    assert!(export(&scroll, Target::UiAutomator).text.contains(".scroll(Direction.DOWN, 0.8f)"));
    assert!(export(&scroll, Target::Adb).text.contains("\nstroke 50000 90000 50000 10000\n"));
}

// ---- UI Automator ----------------------------------------------------------------------------------------------------

/// Splits a Kotlin file into its code, without comments and strings, and the values of its strings.
fn kotlin(source: &str) -> (String, Vec<String>) {
    let (mut code, mut texts) = (String::new(), Vec::new());
    let mut rest = source;
    while let Some(char) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if rest.starts_with("/*") {
            rest = &rest[rest.find("*/").expect("the end of a comment") + 2..];
        } else if let Some(raw) = rest.strip_prefix("\"\"\"") {
            rest = &raw[raw.find("\"\"\"").expect("the end of a text") + 3..];
        } else if char == '"' {
            let (text, len) = kotlin_text(rest);
            texts.push(text);
            rest = &rest[len..];
            code.push_str("\"\"");
        } else if let Some(end) = (char == '\'').then(|| rest[1..].find('\'')).flatten() {
            rest = &rest[end + 2..];
        } else {
            code.push(char);
            rest = &rest[char.len_utf8()..];
        }
    }
    (code, texts)
}

/// Returns the value of the string that starts here, and its length in the source.
fn kotlin_text(source: &str) -> (String, usize) {
    let mut units: Vec<u16> = Vec::new();
    let mut chars = source.char_indices().skip(1);
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return (String::from_utf16(&units).expect("whole letters"), at + 1),
            '\\' => match chars.next().expect("an escape").1 {
                'n' => units.push(u16::from(b'\n')),
                't' => units.push(u16::from(b'\t')),
                'u' => {
                    let code: String = chars.by_ref().take(4).map(|(_, digit)| digit).collect();
                    units.push(u16::from_str_radix(&code, 16).expect("four digits"));
                }
                char @ ('"' | '\\' | '$') => units.push(char as u16),
                char => panic!("Kotlin has no escape \\{char}"),
            },
            '\n' => panic!("a text ends at the end of its line"),
            _ => units.extend(char.encode_utf16(&mut [0; 2]).iter()),
        }
    }
    panic!("a text without end: {source}")
}

/// Checks what can be checked of a Kotlin file without its compiler.
fn check_kotlin(source: &str) {
    let (code, _) = kotlin(source);
    let mut open = Vec::new();
    for char in code.chars() {
        match char {
            '(' | '{' | '[' => open.push(char),
            ')' | '}' | ']' => {
                let expected = [('(', ')'), ('{', '}'), ('[', ']')].into_iter().find(|(_, end)| *end == char);
                assert_eq!(open.pop(), expected.map(|(start, _)| start), "{source}");
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "{source}");
    let has_word = |text: &str, word: &str| {
        text.split(|char: char| !char.is_alphanumeric() && char != '_').any(|other| other == word)
    };
    let (imports, rest): (Vec<&str>, Vec<&str>) = code.lines().partition(|line| line.starts_with("import "));
    let rest = rest.join("\n");
    for import in &imports {
        let name = import.rsplit('.').next().expect("a name");
        // Names of the library may be used in its strings, as templates.
        assert!(has_word(&rest, name), "{import} is not used");
    }
    for name in KOTLIN_NAMES {
        let is_imported = imports.iter().any(|import| import.ends_with(&format!(".{name}")));
        assert_eq!(has_word(&rest, name), is_imported, "{name} is used or imported:\n{source}");
    }
    for called in rest.split("private fun ").skip(1) {
        let name = called.split('(').next().expect("a name").rsplit('.').next().expect("a name");
        assert!(rest.matches(&format!("{name}(")).count() > 1, "{name} is not called");
    }
}

/// Names that Kotlin only finds with an import.
const KOTLIN_NAMES: [&str; 16] = [
    "After",
    "AndroidJUnit4",
    "BigDecimal",
    "By",
    "BySelector",
    "Direction",
    "InstrumentationRegistry",
    "KeyEvent",
    "Pattern",
    "RunWith",
    "SystemClock",
    "Test",
    "UiDevice",
    "UiObject2",
    "Until",
    "assertTrue",
];

#[test]
fn kotlin_is_balanced_and_imports_what_it_uses() {
    check_kotlin(&export(&everything(), Target::UiAutomator).text);
    for action in all_actions() {
        check_kotlin(&export(&test_with(action, &[]), Target::UiAutomator).text);
    }
    for text in ALL_ATOMS {
        for holds in [true, false] {
            check_kotlin(&export(&test_with(Action::BACK, &[(text, holds)]), Target::UiAutomator).text);
        }
    }
}

#[test]
fn texts_come_out_of_kotlin_as_they_were() {
    for hostile in HOSTILE {
        let test = test_with(Action::Text { on: button(hostile), text: hostile.into() }, &[]);
        let source = export(&test, Target::UiAutomator).text;
        let texts = kotlin(&source).1;
        assert!(texts.iter().filter(|text| *text == hostile).count() >= 2, "{hostile:?}:\n{source}");
        assert!(!source.chars().any(|char| char.is_control() && char != '\n'), "{hostile:?}");
        check_kotlin(&source);
    }
}

// ---- adb -------------------------------------------------------------------------------------------------------------

/// Runs a shell with this standard input.
fn sh(args: &[&str], stdin: &str, path: Option<&str>) -> Output {
    let mut command = Command::new("sh");
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(path) = path {
        command.env("PATH", path);
    }
    let mut child = command.spawn().expect("a shell");
    child.stdin.take().expect("an input").write_all(stdin.as_bytes()).expect("a shell that reads");
    child.wait_with_output().expect("a shell that ends")
}

/// Checks that the shell can parse the script.
fn check_script(script: &str) {
    let output = sh(&["-n"], script, None);
    assert!(output.status.success(), "{}\n{script}", String::from_utf8_lossy(&output.stderr));
}

/// Checks that Python can parse the programs, which are written below the folder `name`.
fn check_python(name: &str, programs: &[String]) {
    let folder = folder(name);
    let mut command = Command::new("python3");
    command.args([
        "-c",
        "import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name, encoding='utf-8').read(), name)",
    ]);
    for (number, program) in programs.iter().enumerate() {
        let file = folder.join(format!("test_{number}.py"));
        fs::write(&file, program).expect("a file for a test");
        command.arg(file);
    }
    let Ok(output) = command.output() else { return ci::skip("python3 is not there") };
    assert!(output.status.success(), "{}\n{programs:?}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn programs_are_read_by_python() {
    let mut programs =
        vec![export(&everything(), Target::Appium).text, export(&notes(), Target::Appium).text];
    for hostile in HOSTILE {
        let action = Action::Text { on: button(hostile), text: hostile.into() };
        programs.push(export(&test_with(action, &[]), Target::Appium).text);
    }
    check_python("python", &programs);
}

#[test]
fn what_appium_cannot_say_is_little() {
    for text in ALL_ATOMS {
        for holds in [true, false] {
            let notes = export(&test_with(Action::BACK, &[(text, holds)]), Target::Appium).notes;
            let is_unsaid = ["(?i)", "[crash ", "screen", "anr"].iter().any(|part| text.contains(part));
            assert_eq!(!notes.is_empty(), is_unsaid, "{text}: {notes:?}");
        }
    }
}

#[test]
fn scripts_are_read_by_a_shell_and_have_nothing_to_find_fault_with() {
    let mut scripts = vec![export(&everything(), Target::Adb).text, export(&notes(), Target::Adb).text];
    scripts.extend(all_actions().into_iter().map(|action| export(&test_with(action, &[]), Target::Adb).text));
    for hostile in HOSTILE {
        let action = Action::Text { on: button(hostile), text: hostile.into() };
        scripts.push(export(&test_with(action, &[]), Target::Adb).text);
    }
    for script in &scripts {
        check_script(script);
    }
    if Command::new("shellcheck").arg("--version").output().is_err() {
        ci::skip("shellcheck is not there");
        return;
    }
    let mut command = Command::new("shellcheck");
    for (number, script) in scripts.iter().enumerate() {
        let path = folder("shellcheck").join(format!("test_{number}.sh"));
        fs::write(&path, script).expect("a file for a test");
        command.arg(path);
    }
    let output = command.output().expect("shellcheck");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Returns the path of a folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export").join(name);
    fs::create_dir_all(&folder).expect("a folder for tests");
    folder
}

/// An adb that shows one fixed screen, logs its commands, and quotes words as a device's shell does.
const FAKE_ADB: &str = r#"#!/bin/sh
here=${0%/*}
if [ "$1" = exec-out ]; then
    if [ -e "$here/moving" ]; then
        rm "$here/moving"
        echo 'ERROR: could not get idle state.'
    else
        cat "$here/screen.xml"
        printf 'UI hierchary dumped to: /dev/tty'
    fi
    exit
fi
[ "$1" = shell ] || exit 9
shift
eval "set -- $*"
case $1 in
input)
    for word; do printf '<%s>' "$word"; done >>"$here/log"
    echo >>"$here/log"
    ;;
pm) echo Success ;;
am) echo 'Status: ok' ;;
dumpsys) cat "$here/$2.txt" ;;
settings | logcat | cmd | getprop) cat "$here/$1.txt" 2>/dev/null || : ;;
esac
"#;

/// A device as the fake adb shows it.
struct Fake {
    folder: PathBuf,
}

impl Fake {
    fn new(name: &str, nodes: &str) -> Fake {
        let folder = folder(name);
        fs::write(folder.join("adb"), FAKE_ADB).expect("a file for a test");
        sh(
            &["-c", "chmod +x \"$1\"", "sh", folder.join("adb").to_str().expect("a path in letters")],
            "",
            None,
        );
        let tree = format!(
            "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">{nodes}</hierarchy>"
        );
        let fake = Fake { folder };
        let _ = fs::remove_file(fake.folder.join("log"));
        fake.set("screen.xml", &tree);
        let window = "  init=480x800 240dpi cur=480x800 app=480x690\n  mFocusedApp=ActivityRecord{1f u0 org.notes/.Main t12}\n";
        fake.set("window.txt", window);
        fake.set("power.txt", "  mWakefulness=Awake\n");
        fake.set("settings.txt", "0\n");
        fake.set("input_method.txt", "  mShowRequested=false mInputShown=false\n");
        fake.set("logcat.txt", "--------- beginning of crash\n");
        fake
    }

    fn set(&self, file: &str, content: &str) {
        fs::write(self.folder.join(file), content).expect("a file for a test");
    }

    /// Runs the script of `test`; returns its exit code, its error message, and the input it gave.
    fn run(&self, test: &TestCase) -> (i32, String, String) {
        let script = export(test, Target::Adb).text;
        self.set("script.sh", &script);
        let path = format!("{}:{}", self.folder.display(), std::env::var("PATH").expect("a path"));
        let file = self.folder.join("script.sh");
        let mut command = Command::new("sh");
        command.arg(&file).env("PATH", path).env("FARLEAD_TRIES", "2").env("FARLEAD_IDLE_S", "0");
        let output = command.current_dir(&self.folder).output().expect("a shell");
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let errors = String::from_utf8(output.stderr).expect("text on stderr");
        (output.status.code().expect("an exit code"), errors, log)
    }
}

/// Returns a node as `uiautomator dump` writes it.
fn node(class: &str, id: &str, text: &str, more: &str, bounds: &str, inside: &str) -> String {
    let entities = |text: &str| {
        let mut out = String::new();
        for char in text.chars() {
            match char {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '"' => out.push_str("&quot;"),
                '\n' | '\r' | '\t' => out.push_str(&format!("&#{};", u32::from(char))),
                // Older versions of Android write these as two surrogates.
                _ if u32::from(char) > 0xffff => {
                    for unit in char.encode_utf16(&mut [0; 2]).iter() {
                        out.push_str(&format!("&#{unit};"));
                    }
                }
                _ => out.push(char),
            }
        }
        out
    };
    let (id, text) = (entities(id), entities(text));
    let end = if inside.is_empty() { " />".to_string() } else { format!(">{inside}</node>") };
    format!(
        "<node index=\"0\" text=\"{text}\" resource-id=\"{id}\" class=\"{class}\" package=\"org.notes\" \
         content-desc=\"\" enabled=\"true\" {more} bounds=\"{bounds}\"{end}"
    )
}

fn notes_screen() -> String {
    let rows = [
        node("android.widget.TextView", "org.notes:id/row", "one", "", "[0,100][480,172]", ""),
        node(
            "android.widget.TextView",
            "org.notes:id/row",
            "two",
            "checkable=\"true\" checked=\"true\"",
            "[0,172][480,244]",
            "",
        ),
        node("android.widget.TextView", "org.notes:id/row", "50% off, it's $5", "", "[0,244][480,316]", ""),
        node("android.widget.TextView", "org.notes:id/row", "unseen", "", "[0,0][0,0]", ""),
    ];
    let parts = [
        node("android.widget.EditText", "org.notes:id/name", "Name", "", "[16,20][464,80]", ""),
        node("android.widget.ListView", "", "", "scrollable=\"true\"", "[0,100][480,700]", &rows.concat()),
        node("android.view.View", "", "", "", "[0,700][400,764]", ""),
        node("android.widget.ImageButton", "", "", "", "[400,700][464,764]", ""),
    ];
    node("android.widget.FrameLayout", "", "", "", "[0,0][480,800]", &parts.concat())
}

#[test]
fn a_script_does_the_steps_and_checks_what_must_be_seen() {
    let fake = Fake::new("all-well", &notes_screen());
    fake.set("input_method.txt", "  mShowRequested=true mInputShown=true\n");
    let mut test = notes();
    // This screen never changes.
    test.steps[1].sees.clear();
    test.steps[3].sees =
        vec![(atom("[text ~ /^Note [0-9]+$/]"), false), (atom("[count(id = row) = 3]"), true)];
    let (code, errors, log) = fake.run(&test);
    assert_eq!((code, &*errors), (0, ""), "{log}");
    let expected = "<input><keyevent><224>\n\
        <input><tap><432><732>\n\
        <input><tap><240><50>\n\
        <input><keyevent><123>\n\
        <input><keyevent><67><67><67><67><67><67><67><67><67><67>\n\
        <input><keyevent><112><112><112><112><112><112><112><112><112><112>\n\
        <input><text><50%%soff,%sit's%s$5>\n\
        <input><keyevent><4>\n\
        <input><keyevent><4>\n\
        <input><swipe><240><136><240><136><1000>\n\
        <input><tap><240><208>\n";
    assert_eq!(log, expected);
}

#[test]
fn a_script_waits_for_a_screen_that_moves() {
    let fake = Fake::new("moving", &notes_screen());
    fake.set("moving", "");
    let (code, errors, log) = fake.run(&test_with(Action::click(button("two")), &[]));
    assert_eq!((code, &*errors, &*log), (0, "", "<input><keyevent><224>\n<input><tap><240><208>\n"));
}

#[test]
fn a_script_fails_at_the_step_and_says_what_it_expected() {
    let fake = Fake::new("fails", &notes_screen());
    let missing = fake.run(&test_with(Action::click(button("three")), &[]));
    assert_eq!(missing.0, 1);
    assert!(
        missing.1.starts_with("failed at step 1, click \"three\": no such widget: text = three"),
        "{}",
        missing.1
    );
    let unmet = fake.run(&test_with(Action::BACK, &[("[text = three]", true)]));
    assert_eq!(unmet.0, 1);
    assert_eq!(unmet.1, "failed at step 1, back: expected yes, for: [text = three]\n");
    fake.set("screen.xml", "null root node returned");
    let unseen = fake.run(&test_with(Action::BACK, &[("[text = three]", false)]));
    assert_eq!(unseen.0, 1, "what cannot be seen is not known to be away");
}

#[test]
fn a_script_knows_every_atom() {
    let fake = Fake::new("atoms", &notes_screen());
    for (text, holds) in [
        ("[text = one]", true),
        ("[text = On]", false),
        ("[text = unseen]", false),
        ("[text ~ off]", true),
        ("[text ~ /^t.o$/]", true),
        ("[text ~ /\\d+% o(?:ff|n),/]", true),
        ("[text ~ /^o+$/]", false),
        ("[text > 5]", false),
        ("[id = row]", true),
        ("[id = \"org.notes:id/row\"]", true),
        ("[id = ro]", false),
        ("[id != row]", true),
        ("[class = ListView, scrollable = true]", true),
        ("[class = ListView, scrollable != true]", false),
        ("[objectID = 0:1:1, text = two]", true),
        ("[objectID = 0:1:3]", false),
        ("[text = two, checked = true]", true),
        ("[text = one, checked = true]", false),
        ("[password = true]", false),
        ("[count(id = row) = 3]", true),
        ("[count(id = row) != 3]", false),
        ("[count(id = row) < 3]", false),
        ("[checked = true]", true),
        ("[checked = false]", false),
        ("[activity = Main]", true),
        ("[activity = .Main]", true),
        ("[activity = org.notes.Main]", true),
        ("[activity = \"org.notes/.Main\"]", true),
        ("[activity = Mai]", false),
        ("[activity != Main]", false),
        ("[activity != About]", true),
        ("[activity ~ /^M/]", true),
        ("[package = org.notes]", true),
        ("[package ~ other]", false),
        ("[screen = on]", true),
        ("[orientation = portrait]", true),
        ("[orientation != portrait]", false),
        ("[network = on]", true),
        ("[crashed = true]", false),
        ("[anr = true]", false),
        ("[activity ~ Main, screen = off]", false),
    ] {
        let (code, errors, _) = fake.run(&test_of(vec![step(Action::BACK, &[(text, holds)])]));
        assert_eq!(code, 0, "{text} {holds}: {errors}");
        let (code, ..) = fake_once(&fake, &test_of(vec![step(Action::BACK, &[(text, !holds)])]));
        assert_eq!(code, 1, "{text} {holds}");
    }
    fake.set("logcat.txt", "E AndroidRuntime: Process: org.notes, PID: 3\n");
    fake.set(
        "window.txt",
        "mCurrentFocus=Window{1 u0 Application Not Responding: org.notes}\n cur=800x480 app\n",
    );
    fake.set("power.txt", "mWakefulness=Asleep\n");
    fake.set("settings.txt", "1\n");
    for text in
        ["[crashed = true]", "[anr = true]", "[orientation = landscape]", "[screen = off]", "[network = off]"]
    {
        let (code, errors, _) = fake.run(&test_of(vec![step(Action::BACK, &[(text, true)])]));
        assert_eq!(code, 0, "{text}: {errors}");
    }
}

/// Runs without a second try, which would take a second.
fn fake_once(fake: &Fake, test: &TestCase) -> (i32, String) {
    let script = export(test, Target::Adb).text.replace("${FARLEAD_TRIES:-20}", "1");
    fake.set("once.sh", &script);
    let path = format!("{}:{}", fake.folder.display(), std::env::var("PATH").expect("a path"));
    let output =
        Command::new("sh").arg(fake.folder.join("once.sh")).env("PATH", path).output().expect("a shell");
    (output.status.code().expect("an exit code"), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_script_does_every_action() {
    let fake = Fake::new("actions", &{
        let parts = [
            node("android.widget.Button", "", "OK", "", "[0,100][200,200]", ""),
            node("org.notes.Board", "org.notes:id/board", "", "", "[0,200][400,600]", ""),
        ];
        node("android.widget.FrameLayout", "", "", "", "[0,0][480,800]", &parts.concat())
    });
    let steps = vec![
        step(Action::ROTATE, &[]),
        step(Action::NETWORK, &[]),
        step(Action::IDLE, &[]),
        step(user(all_gestures()), &[]),
        step(Action::Stroke(Stroke::Swipe, button("OK"), Direction::Right), &[]),
        step(Action::Stroke(Stroke::Scroll, button("OK"), Direction::Down), &[]),
    ];
    let (code, errors, log) = fake.run(&test_of(steps));
    assert_eq!((code, &*errors), (0, ""));
    let expected = "<input><keyevent><223>\n\
        <input><keyevent><224>\n\
        <input><tap><224><520>\n\
        <input><swipe><50><200><50><200><1000>\n\
        <input><swipe><40><280><360><599><300>\n\
        <input><text><e4>\n\
        <input><keyevent><4>\n<input><keyevent><66>\n<input><keyevent><3>\n<input><keyevent><82>\n\
        <input><keyevent><61>\n<input><keyevent><67>\n<input><keyevent><84>\n\
        <input><keyevent><111>\n<input><keyevent><19>\n<input><keyevent><20>\n<input><keyevent><21>\n\
        <input><keyevent><22>\n\
        <input><motionevent><DOWN><100><150>\n\
        <input><motionevent><MOVE><116><150>\n<input><motionevent><MOVE><136><150>\n\
        <input><motionevent><MOVE><156><150>\n<input><motionevent><MOVE><170><150>\n\
        <input><motionevent><MOVE><176><150>\n<input><motionevent><MOVE><179><150>\n\
        <input><motionevent><MOVE><180><150>\n<input><motionevent><UP><180><150>\n\
        <input><motionevent><DOWN><100><190>\n\
        <input><motionevent><MOVE><100><174>\n<input><motionevent><MOVE><100><154>\n\
        <input><motionevent><MOVE><100><134>\n<input><motionevent><MOVE><100><120>\n\
        <input><motionevent><MOVE><100><114>\n<input><motionevent><MOVE><100><111>\n\
        <input><motionevent><MOVE><100><110>\n<input><motionevent><UP><100><110>\n";
    assert_eq!(log, expected);
}

#[test]
fn a_script_swipes_slowly_where_events_take_too_long() {
    let fake = Fake::new("old", &node("android.widget.Button", "", "OK", "", "[0,100][200,200]", ""));
    for version in ["29\n", "16\r\n"] {
        fake.set("log", "");
        fake.set("getprop.txt", version);
        let scroll = Action::Stroke(Stroke::Scroll, button("OK"), Direction::Left);
        let (code, errors, log) = fake.run(&test_with(scroll, &[]));
        assert_eq!((code, &*errors), (0, ""), "{version:?}");
        assert_eq!(log, "<input><keyevent><224>\n<input><swipe><20><150><180><150><1500>\n", "{version:?}");
    }
}

#[test]
fn a_script_finds_hostile_texts_and_runs_none_of_them() {
    for hostile in HOSTILE.into_iter().filter(|text| !text.contains(['\0', '\u{10ffff}'])) {
        let parts = [
            node("android.widget.Button", "", &format!("{hostile}x"), "", "[0,0][100,100]", ""),
            node("android.widget.Button", "", hostile, "", "[0,100][100,300]", ""),
        ];
        let fake =
            Fake::new("hostile", &node("android.view.View", "", "", "", "[0,0][480,800]", &parts.concat()));
        let value = Constant::Text(hostile.to_string());
        let comparison = farlead::gui::Comparison { key: farlead::gui::Key::Text, op: Op::Equal, value };
        let sees = vec![(Atom::Count { of: vec![comparison], op: Op::Equal, number: 1 }, true)];
        let text: Arc<str> = hostile.into();
        let test = test_of(vec![
            TestStep {
                action: Action::click(button(hostile)),
                shared: Shared::default(),
                around: None,
                sees,
            },
            step(Action::Text { on: button(hostile), text }, &[]),
        ]);
        let (code, errors, log) = fake.run(&test);
        assert_eq!(code, 0, "{hostile:?}: {errors}");
        assert!(log.starts_with("<input><tap><50><200>\n"), "{hostile:?}: {log}");
        let mut typed = String::new();
        for line in log.lines() {
            if let Some(text) = line.strip_prefix("<input><text><") {
                // As `input` decodes it.
                typed.push_str(&text.strip_suffix('>').expect("an end").replace("%s", " "));
            }
        }
        let expected: String = hostile.chars().filter(|char| (' '..='~').contains(char)).collect();
        assert_eq!(typed, expected);
        assert!(!fake.folder.join("pwned").exists(), "{hostile:?} was run");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_widget_of_any_name_is_found_by_the_script(text in "[ -~äß日😀\u{202e}\n]{1,60}") {
        prop_assume!(!text.trim().is_empty());
        let fake = Fake::new("any", &node("android.widget.Button", "", &text, "", "[0,100][100,300]", ""));
        let (code, errors, log) = fake.run(&test_of(vec![step(Action::click(button(&text)), &[])]));
        prop_assert_eq!(code, 0, "{}", errors);
        prop_assert_eq!(log, "<input><tap><50><200>\n");
    }
}

proptest! {
    // Eight tests a case, as starting Python and node takes the time.
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn any_test_is_exported_so_that_it_can_be_read(
        texts in vec((any::<[String; 5]>(), any::<(i32, i32, i32, i32)>()), 8)
    ) {
        let (mut programs, mut pages) = (Vec::new(), Vec::new());
        for ([id, text, desc, typed, name], bounds) in texts {
            let bounds = Bounds::new(bounds.0, bounds.1, bounds.2, bounds.3);
            let on = widget("0:1", &name, &id, &text, &desc, bounds);
            let mut test = test_of(vec![start()]);
            for action in [
                Action::Text { on: on.clone(), text: typed.as_str().into() },
                Action::Stroke(Stroke::Swipe, on.clone(), Direction::Left),
            ] {
                test.steps.push(step(action, &[]));
            }
            test.oracle.name = name;
            commands(&export(&test, Target::Maestro).text);
            check_kotlin(&export(&test, Target::UiAutomator).text);
            check_script(&export(&test, Target::Adb).text);
            programs.push(export(&test, Target::Appium).text);
            let page = TestCase { oracle: test.oracle, ..of_page(test.steps) };
            pages.push(export(&page, Target::Playwright).text);
        }
        check_python("python-of-any", &programs);
        check_typescript("pages-of-any", &pages);
    }
}
