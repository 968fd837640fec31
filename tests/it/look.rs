//! Screens dumped by phones: read by farlead, by an independent XML reader, and by the binary.

use std::fs;
use std::path::{Path, PathBuf};

use farlead::device::{Device as _, Sim};
use farlead::emulator::phone::{AndroidVersion, Phone};
use farlead::gui::{
    Action, Atom, Context, DumpError, Flags, Hierarchy, Labeller, Refusal, Repertoire, Screen, Touch,
    TypedText, Widget, atoms_of_screen, offers, shortfall,
};
use farlead::rng::Seed;
use farlead::spec::read_atom;
use serde_json::Value;

use crate::cli::farlead;
use crate::{fixtures, phone, shared};

/// Returns the files of a folder of recordings, sorted by name.
pub fn recordings(folder: &str) -> Vec<PathBuf> {
    shared::path(&format!("android/{folder}")).map_or_else(Vec::new, |folder| files(&folder))
}

/// Returns the dumps of our own, sorted by name.
pub fn dumps() -> Vec<PathBuf> {
    files(&fixtures::path("android/ui"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder that can be listed");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
}

/// Returns the name of a file.
pub fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("a name")
}

/// Returns the XML in a recording as another reader accepts it.
pub fn xml(bytes: &[u8]) -> Option<String> {
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => {
            let letters: Vec<u16> =
                rest.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
            String::from_utf16(&letters).expect("UTF-16")
        }
        bytes => String::from_utf8(bytes.to_vec()).ok()?,
    };
    let start = text.rfind("<hierarchy")?;
    let end = text.rfind("</hierarchy>")? + "</hierarchy>".len();
    // This recording is about a character that XML does not allow.
    Some(text[start..end].replace('\u{1}', "."))
}

/// Compares the hierarchy with the one that another reader finds, attribute by attribute.
fn compare(hierarchy: &Hierarchy, xml: &str, file: &str) {
    let options = roxmltree::ParsingOptions { nodes_limit: 1_000_000, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(xml, options)
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    let nodes: Vec<_> = document.descendants().filter(|node| node.has_tag_name("node")).collect();
    assert_eq!(hierarchy.widgets.len(), nodes.len(), "{file}");
    let rotation = document.root_element().attribute("rotation").unwrap_or("0");
    assert_eq!(hierarchy.rotation.to_string(), rotation, "{file}");
    for (widget, node) in hierarchy.widgets.iter().zip(nodes) {
        let value = |name: &str| node.attribute(name).unwrap_or_default();
        let depth = node.ancestors().skip(1).filter(|around| around.has_tag_name("node")).count();
        assert_eq!(usize::from(widget.depth), depth, "{file}");
        assert_eq!(&*widget.text, value("text"), "{file}");
        assert_eq!(&*widget.desc, value("content-desc"), "{file}");
        assert_eq!(&*widget.id, value("resource-id"), "{file}");
        assert_eq!(&*widget.class, value("class"), "{file}");
        assert_eq!(widget.bounds.to_string(), value("bounds"), "{file}");
        for (name, flag) in phone::FLAGS {
            assert_eq!(widget.flags.has(flag), value(name) == "true", "{file}: {name}");
        }
        assert_eq!(widget.flags.has(Flags::EDITABLE), value("class").contains("EditText"), "{file}");
    }
}

#[test]
fn dumps_of_our_own_are_read_as_another_reader_reads_them() {
    assert_eq!(check_files(&dumps()), 10);
}

#[test]
fn recordings_are_read_as_another_reader_reads_them() {
    let read = check_files(&[recordings("ui"), recordings("ui_derived")].concat());
    assert!(read == 0 || read > 25, "{read} recordings");
}

/// Returns the number of files that hold a hierarchy.
fn check_files(files: &[PathBuf]) -> usize {
    let mut read = 0;
    for path in files {
        let (file, bytes) = (name(path), fs::read(path).expect("a readable file"));
        let found = Hierarchy::read(&bytes);
        let is_broken =
            ["truncated", "missing", "err_", "exception_only"].iter().any(|word| file.contains(word));
        if is_broken {
            assert!(found.is_err(), "{file}");
            continue;
        }
        let hierarchy = found.unwrap_or_else(|error| panic!("{file}: {error}"));
        if file != "empty_hierarchy.xml" {
            assert!(!hierarchy.package.is_empty(), "{file}");
            compare(&hierarchy, &xml(&bytes).expect("XML"), file);
        }
        read += 1;
    }
    eprintln!("{read} hierarchies read from {} files", files.len());
    read
}

#[test]
fn broken_dumps_of_our_own_are_told_apart() {
    check_broken(|file| Some(fixtures::path(&format!("android/ui/{file}"))), "exception_only.txt");
}

#[test]
fn broken_recordings_are_told_apart() {
    let path = |file: &str| {
        let folder = if file.starts_with("devtty") { "ui" } else { "ui_derived" };
        shared::path(&format!("android/{folder}/{file}"))
    };
    check_broken(path, "devtty_exception_only.txt");
}

fn check_broken(path: impl Fn(&str) -> Option<PathBuf>, exception: &str) {
    let dump = |file: &str| {
        let bytes = fs::read(path(file)?).expect("a readable file");
        Some(Hierarchy::read(&bytes).expect_err(file))
    };
    for file in
        ["truncated_in_attribute_name.xml", "truncated_inside_utf8_char.xml", "missing_hierarchy_end_tag.xml"]
    {
        let Some(error) = dump(file) else { return };
        assert!(matches!(error, DumpError::Truncated { .. }), "{file}: {error}");
    }
    for (file, expected) in [
        ("err_idle.txt", Refusal::NotIdle),
        ("err_null_root.txt", Refusal::NoWindow),
        (exception, Refusal::Exception),
    ] {
        let error = dump(file).expect("it is there");
        assert!(
            matches!(&error, DumpError::Refused { refusal, .. } if *refusal == expected),
            "{file}: {error}"
        );
    }
}

/// Checks that a phone's dump shows what the simulator observed, widget by widget.
#[track_caller]
fn check_dump(phone: &mut Phone, screen: &Screen, said: &str) {
    let dump = phone.shell("uiautomator dump /dev/tty", b"").stdout;
    let hierarchy = Hierarchy::read(&dump).unwrap_or_else(|error| panic!("{said}: {error}"));
    assert_eq!(hierarchy.orientation(), screen.context().orientation, "{said}");
    let read = hierarchy.into_screen(screen.package().clone(), screen.activity().clone(), screen.context());
    for (found, expected) in read.widgets().iter().zip(screen.widgets()) {
        assert_eq!(found, expected, "{said}");
    }
    assert_eq!(read, *screen, "{said}");
}

#[test]
fn the_dump_of_a_screen_is_the_screen() {
    let mut compared = 0;
    for app in ["notes.app", "chesswalk.app"] {
        for seed in 0..4 {
            let model = phone::bundled(app);
            let mut sim = Sim::new(model.clone(), Seed(seed));
            let launchable = sim.app().launchable.clone();
            let mut phone = Phone::new(model, Seed(seed), AndroidVersion::ALL[seed as usize]);
            let (package, activity) = (sim.app().package.clone(), launchable[0].clone());
            phone.shell(&format!("am start -W -n {package}/{activity}"), b"");
            let mut screen = sim.reset(&activity).expect("a start").screen;
            check_dump(&mut phone, &screen, app);
            let mut rng = Seed(seed).fork("look");
            for _ in 0..25 {
                let clicks: Vec<Action> = offers(&screen, &Repertoire::default())
                    .into_iter()
                    .filter(|action| matches!(action, Action::Touch(Touch::Click, _)))
                    .collect();
                if clicks.is_empty() || screen.package() != &package {
                    break;
                }
                let action = &clicks[rng.below(clicks.len())];
                let (x, y) = action.target().expect("a target").bounds.centre();
                phone.shell(&format!("input tap {x} {y}"), b"");
                screen = sim.act(action).expect("an act").screen;
                check_dump(&mut phone, &screen, &format!("{app}, seed {seed}: {action}"));
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared} screens");
}

#[test]
fn every_atom_that_is_said_of_a_dump_of_our_own_holds() {
    check_atoms(&dumps());
}

#[test]
fn every_atom_that_is_said_of_a_recording_holds() {
    check_atoms(&recordings("ui"));
}

fn check_atoms(files: &[PathBuf]) {
    let mut read = 0;
    for path in files {
        let Ok(hierarchy) = Hierarchy::read(&fs::read(path).expect("a readable file")) else { continue };
        read += 1;
        let screen = hierarchy.into_screen("a.b", "a.b.Main", Context::default());
        let atoms: Vec<Atom> = atoms_of_screen(&screen).into_iter().map(|pasted| pasted.atom).collect();
        assert_eq!(
            Labeller::new((0..).zip(&atoms), TypedText::Counts).on_screen(&screen).len(),
            atoms.len(),
            "{}",
            name(path)
        );
        for atom in &atoms {
            assert_eq!(shortfall(atom, &screen), None, "{atom}");
            let written = atom.to_string();
            assert_eq!(read_atom(&written).as_ref(), Some(atom), "{written} is pasted as something else");
        }
    }
    eprintln!("{read} hierarchies read from {} files", files.len());
}

#[test]
fn why_an_atom_does_not_hold_is_said() {
    let bounds = farlead::gui::Bounds::new(0, 0, 9, 9);
    let widget = |text: &str, flags: Flags| Widget { text: text.into(), flags, bounds, ..Widget::default() };
    let hidden = Widget { bounds: Default::default(), ..widget("hidden", Flags::ENABLED) };
    let widgets = vec![widget("Wi-Fi", Flags::CHECKABLE), widget("Sound", Flags::ENABLED), hidden];
    let screen = Screen::new("a.b", "a.b.Main", Context::default(), widgets);
    for (atom, expected) in [
        ("[activity ~ About, orientation = portrait]", "activity is a.b.Main"),
        ("[network = off]", "network is on"),
        ("[text = WiFi]", "no visible widget has text = WiFi; there is \"Wi-Fi\""),
        ("[text = Nothing]", "no visible widget has text = Nothing"),
        ("[text ~ /x+/]", "no visible widget has text ~ /x+/"),
        (
            "[text = Sound, enabled = false]",
            "each of these is met by some visible widget, and no widget meets all",
        ),
        ("[text = hidden]", "the widget that meets it is not visible"),
        ("[count(text ~ i) >= 2]", "there are 1"),
        ("[checked = true]", "no visible widget is checked"),
    ] {
        let read = read_atom(atom).expect(atom);
        assert_eq!(shortfall(&read, &screen).as_deref(), Some(expected), "{atom}");
    }
    for atom in ["[text = Sound]", "[checked = false]", "[actionType = click]"] {
        assert_eq!(shortfall(&read_atom(atom).expect(atom), &screen), None, "{atom}");
    }
}

const DUMP: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="1">
<node index="0" text="" class="android.widget.FrameLayout" package="org.notes" enabled="true" bounds="[0,0][90,40]">
<node index="0" text="Save &lt;it&gt;" resource-id="org.notes:id/save" class="android.widget.Button" package="org.notes"
 clickable="true" enabled="true" bounds="[1,2][30,40]" /><node text="gone" clickable="true" bounds="[0,0][0,0]" /></node>
</hierarchy>UI hierchary dumped to: /dev/tty"#;

#[test]
fn a_dump_is_looked_at_as_json() {
    let ended = farlead(&["look", "--dump", "-", "--json"], DUMP);
    assert_eq!((ended.code, &*ended.stderr), (0, ""));
    let found: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let keys: Vec<&str> = found.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, ["actions", "activity", "labels", "package", "widgets"]);
    assert_eq!((&found["package"], &found["activity"]), (&"org.notes".into(), &"".into()));
    assert_eq!(found["widgets"], 3);
    let click = serde_json::json!({"type": "click", "detail": "Save <it>", "objectID": "0:0", "bounds": [1, 2, 30, 40]});
    assert_eq!(found["actions"][0], click);
    let back = serde_json::json!({"type": "back", "detail": "", "objectID": "", "bounds": [0, 0, 0, 0]});
    assert_eq!(found["actions"][1], back);
    let labels = ["[package = org.notes]", "[orientation = landscape]", "[id = save]"];
    assert_eq!(found["labels"], serde_json::json!(labels));
}

#[test]
fn a_dump_is_looked_at_as_text() {
    let ended = farlead(&["look", "--dump", "-"], DUMP);
    let expected = "\
org.notes: 3 widgets, 2 of them visible

Atoms that hold
  [package = org.notes]
  [orientation = landscape]
  [id = save]  # \"Save <it>\"

Actions
  [actionType = click, actionDetail = Save <it>]  # on \"Save <it>\", objectID 0:0, at [1,2][30,40]
  [actionType = back]
  [actionType = menu]
  [actionType = rotate]
  [actionType = network]
  [actionType = pauseresume]
  [actionType = idle]
";
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, expected, ""));
}

#[test]
fn an_app_is_looked_at_on_the_simulator() {
    let ended = farlead(&["look", "--app", "apps/notes.app", "--json"], "");
    let found: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let labels: Vec<&str> =
        found["labels"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert!(
        labels.contains(&"[screen = on]") && labels.iter().any(|label| label.starts_with("[activity = "))
    );
    assert!(found["widgets"].as_u64() > Some(3), "{found}");
    assert_eq!(farlead(&["look", "--app", "apps/notes.app", "--json"], "").stdout, ended.stdout);
}

#[test]
fn a_screen_is_held_against_a_spec() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("look");
    fs::create_dir_all(&folder).expect("a folder for tests");
    let spec = folder.join("a.ltl");
    let text = "possible \"a\": F ([text ~ Save] & [text = Svae] & [activity ~ Main] & [actionType = click] & [actionType = longclick])";
    fs::write(&spec, text).expect("a file for a test");
    let spec = spec.to_str().expect("a path of letters");
    let ended = farlead(&["look", "--dump", "-", "--against", spec], DUMP);
    let expected = "\
a
  yes [actionType = click]: of 1 action here
  no  [actionType = longclick]: no action here is like this
  ?   [activity ~ Main]: a saved hierarchy does not say it
  no  [text = Svae]: no visible widget has text = Svae
  yes [text ~ Save]
";
    assert_eq!((ended.code, &*ended.stdout, &*ended.stderr), (0, expected, ""));
    let ended = farlead(&["look", "--dump", "-", "--against", spec, "--json"], DUMP);
    let found: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(
        found["against"][2],
        serde_json::json!({"spec": "a", "atom": "[activity ~ Main]", "holds": null, "why": "a saved hierarchy does not say it"})
    );
}

#[test]
fn what_is_no_dump_ends_with_its_place_or_with_what_the_device_said() {
    for (dump, expected) in [
        (
            "<hierarchy>\n<node text='a",
            "standard input: the dump is cut off at line 2, column 14, before `</hierarchy>`; take it again",
        ),
        (
            "<hierarchy><node></hierarchy>",
            "standard input: line 1, column 18 of the dump: `</hierarchy>` where `</node>` was to come",
        ),
        (
            "ERROR: could not get idle state.\n",
            "standard input: the screen does not come to rest: the device says `ERROR: could not get idle state.`",
        ),
        ("", "standard input: the dump is empty; take it again"),
        (
            "\u{1b}[31m<html>",
            "standard input: there is no `<hierarchy>` in the dump, which starts with `\u{fffd}[31m<html>`",
        ),
    ] {
        let ended = farlead(&["look", "--dump", "-"], dump);
        assert_eq!(
            (ended.code, &*ended.stdout, ended.stderr),
            (3, "", format!("farlead: {expected}\n")),
            "{dump}"
        );
    }
    assert_eq!(farlead(&["look", "--dump", "none.xml"], "").code, 3);
    assert_eq!(farlead(&["look", "--dump", "-", "--app", "apps/notes.app"], "").code, 2);
}
