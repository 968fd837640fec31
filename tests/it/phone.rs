//! The simulated phone, used as clients use one: by shell commands and their answers.

use std::path::Path;
use std::sync::Arc;

use farlead::device::sim::apk::{Manifest, pack};
use farlead::device::sim::model::Model;
use farlead::device::sim::{self, Sim};
use farlead::device::{Device as _, Observation};
use farlead::emulator::phone::{AndroidVersion, Phone};
use farlead::gui::{
    Action, DeviceAction, Direction, Flags, Orientation, Repertoire, Screen, Stroke, Touch, offers,
};
use farlead::rng::{Rng, Seed};
use farlead::spec::Source;
use proptest::prelude::*;

mod answers;
mod appium;
mod shell;

/// The flags of a node of a dump, by the names of their attributes.
pub const FLAGS: [(&str, Flags); 9] = [
    ("clickable", Flags::CLICKABLE),
    ("long-clickable", Flags::LONG_CLICKABLE),
    ("checkable", Flags::CHECKABLE),
    ("checked", Flags::CHECKED),
    ("enabled", Flags::ENABLED),
    ("focused", Flags::FOCUSED),
    ("selected", Flags::SELECTED),
    ("password", Flags::PASSWORD),
    ("scrollable", Flags::SCROLLABLE),
];

/// An app in which most things can be tried.
pub const LAMP: &str = r#"app org.lamp "Lamp" 1.5
launch Main
stored kept = "nothing"
activity Main .Main {
    own lit = false
    own typed = ""
    Button #switch (lit ? "off" : "on") -> lit = !lit
    EditText #field edits typed hint "name"
    Button "keep" -> kept = typed
    TextView "kept: {kept}"
    Button "crash" -> crash "java.lang.IllegalStateException: broken\nat org.lamp.Main.onClick(Main.java:7)"
    Button "hang" -> anr "Input dispatching timed out"
    Button "ask" -> show Ask
    Button "next" -> open Second
}
activity Second .deep.Second { TextView "second & <last> \"one\"" }
dialog Ask { TextView "sure?" Button "yes" -> close }
"#;

pub fn model_of(text: &str) -> Arc<Model> {
    let source = Source::new("test.app", text);
    let read = sim::read(&source);
    let said = read.diagnostics.render(&source, farlead::spec::Style::Plain);
    Arc::new(read.model.unwrap_or_else(|| panic!("{said}")))
}

pub fn bundled(name: &str) -> Arc<Model> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("apps").join(name);
    model_of(&std::fs::read_to_string(path).expect("a readable model"))
}

pub fn lamp(version: AndroidVersion) -> Phone {
    Phone::new(model_of(LAMP), Seed(1), version)
}

/// Returns the answer to a shell line, which must not complain.
#[track_caller]
fn said(phone: &mut Phone, line: &str) -> String {
    let ran = phone.shell(line, b"");
    assert_eq!(String::from_utf8_lossy(&ran.stderr), "", "{line}");
    String::from_utf8(ran.stdout).expect("a text")
}

/// A node of a dump, from an independent XML reader.
struct Node {
    depth: usize,
    index: usize,
    values: Vec<(String, String)>,
}

impl Node {
    fn value(&self, name: &str) -> &str {
        &self.values.iter().find(|(other, _)| other == name).expect("all have it").1
    }

    fn centre(&self) -> (i32, i32) {
        let numbers: Vec<i32> = self
            .value("bounds")
            .split(|letter: char| !letter.is_ascii_digit() && letter != '-')
            .filter_map(|number| number.parse().ok())
            .collect();
        ((numbers[0] + numbers[2]).div_euclid(2), (numbers[1] + numbers[3]).div_euclid(2))
    }
}

fn dump(phone: &mut Phone) -> (u32, Vec<Node>) {
    let said = said(phone, "uiautomator dump /dev/tty");
    let xml = said.strip_suffix("UI hierchary dumped to: /dev/tty\n").expect("the message at the end");
    let document = roxmltree::Document::parse(xml).unwrap_or_else(|error| panic!("{error}: {xml}"));
    let rotation = document.root_element().attribute("rotation").expect("a rotation");
    let nodes = document
        .descendants()
        .filter(|node| node.has_tag_name("node"))
        .map(|node| Node {
            depth: node.ancestors().filter(|around| around.has_tag_name("node")).count() - 1,
            index: node.attribute("index").and_then(|index| index.parse().ok()).expect("a number"),
            values: node.attributes().map(|one| (one.name().to_string(), one.value().to_string())).collect(),
        })
        .collect();
    (rotation.parse().expect("a number"), nodes)
}

/// Taps the widget with this text.
#[track_caller]
pub fn tap(phone: &mut Phone, text: &str) {
    let (_, nodes) = dump(phone);
    let found = nodes.iter().find(|node| node.value("text") == text);
    let (x, y) = found.unwrap_or_else(|| panic!("no `{text}`")).centre();
    said(phone, &format!("input tap {x} {y}"));
}

fn texts(phone: &mut Phone) -> Vec<String> {
    let (_, nodes) = dump(phone);
    nodes.iter().map(|node| node.value("text").to_string()).filter(|text| !text.is_empty()).collect()
}

/// Compares a dump with the screen of a simulator after the same actions, widget by widget.
#[track_caller]
fn compare(phone: &mut Phone, screen: &Screen, said: &str) {
    let (rotation, nodes) = dump(phone);
    assert_eq!(rotation == 1, screen.context().orientation == Orientation::Landscape, "{said}");
    assert_eq!(nodes.len(), screen.widgets().len(), "{said}");
    let mut object_ids = Vec::new();
    screen.for_each_object(|_, _, object_id| object_ids.push(object_id.to_string()));
    for ((node, widget), object_id) in nodes.iter().zip(screen.widgets()).zip(object_ids) {
        assert_eq!(node.depth, usize::from(widget.depth), "{said}");
        assert_eq!(node.index.to_string(), object_id.rsplit(':').next().expect("a place"), "{said}");
        let expected = [
            ("text", widget.text.to_string()),
            ("resource-id", widget.id.to_string()),
            ("class", widget.class.to_string()),
            ("content-desc", widget.desc.to_string()),
            ("package", screen.package().to_string()),
            ("bounds", widget.bounds.to_string()),
        ];
        for (name, value) in expected {
            assert_eq!(node.value(name), value, "{said}");
        }
        for (name, flag) in FLAGS {
            assert_eq!(node.value(name), widget.flags.has(flag).to_string(), "{said}: {name}");
        }
    }
}

/// Returns an action as shell lines, or `None` for an action that no finger does.
fn lines(action: &Action, is_upright: bool, launch: &str) -> Option<Vec<String>> {
    let tap = |at: (i32, i32)| format!("input tap {} {}", at.0, at.1);
    Some(match action {
        Action::Touch(Touch::Click, on) => vec![tap(on.bounds.centre())],
        Action::Touch(Touch::LongClick, on) => {
            let (x, y) = on.bounds.centre();
            vec![format!("input swipe {x} {y} {x} {y} 1000")]
        }
        Action::Text { on, text } => {
            // A tap may put the caret between lines, so both sides of it are erased.
            let erased = format!("input keyevent 123{}{}", " 67".repeat(60), " 112".repeat(60));
            let mut all = vec![tap(on.bounds.centre()), erased];
            if !text.is_empty() {
                all.push(format!("input text '{}'", text.replace(' ', "%s")));
            }
            all
        }
        Action::Stroke(Stroke::Scroll, on, towards) => {
            let (x, y) = on.bounds.centre();
            let part = |length: u32| (u64::from(length) * 4 / 5) as i32;
            let (width, height) = (part(on.bounds.width()), part(on.bounds.height()));
            let (left, top) = (x - width / 2, y - height / 2);
            let (from, to) = match towards {
                Direction::Down => ((x, top + height), (x, top)),
                Direction::Up => ((x, top), (x, top + height)),
                Direction::Right => ((left + width, y), (left, y)),
                Direction::Left => ((left, y), (left + width, y)),
            };
            vec![format!("input swipe {} {} {} {}", from.0, from.1, to.0, to.1)]
        }
        Action::Device(DeviceAction::Back) => vec!["input keyevent 4".into()],
        Action::Device(DeviceAction::Menu) => vec!["input keyevent KEYCODE_MENU".into()],
        Action::Device(DeviceAction::Rotate) => vec![format!(
            "settings put system accelerometer_rotation 0; settings put system user_rotation {}",
            u8::from(is_upright)
        )],
        Action::Device(DeviceAction::PauseResume) => {
            vec!["input keyevent 3".into(), format!("am start -n {launch} 2>/dev/null")]
        }
        Action::Device(DeviceAction::Idle) => vec!["sleep 70".into()],
        Action::Touch(Touch::DoubleClick, on) => vec![tap(on.bounds.centre()), tap(on.bounds.centre())],
        Action::Device(DeviceAction::Enter) => vec!["input keyevent 66".into()],
        Action::Reinitialise(_)
        | Action::Touch(Touch::Hover, _)
        | Action::Stroke(Stroke::Swipe, ..)
        | Action::Device(
            DeviceAction::Network
            | DeviceAction::Forward
            | DeviceAction::Reload
            | DeviceAction::Resize
            | DeviceAction::Escape,
        )
        | Action::User { .. } => {
            return None;
        }
    })
}

/// Walks the same random ways on the phone and on the simulator, and compares every screen.
fn go_the_same_ways(app: &str, walks: u64) -> usize {
    // Fingers and keys alone leave the keyboard up, and actions put it away.
    let mut model = Model::clone(&bundled(app));
    model.set("sim.keyboard", "hard").expect("a setting");
    let model = Arc::new(model);
    let mut clicks = 0;
    for walk in 0..walks {
        let mut chance = Seed(walk).fork("walk");
        let mut sim = Sim::new(model.clone(), Seed(walk));
        let mut phone = Phone::new(model.clone(), Seed(walk), AndroidVersion::default());
        let activity = sim.app().launchable[0].clone();
        let launch = format!("{}/{activity}", model.package);
        let mut seen = sim.reset(&activity).expect("a first screen");
        said(&mut phone, &format!("am start -W -n {launch}"));
        compare(&mut phone, &seen.screen, "the first screen");
        let repertoire = Repertoire::new(["ab", "4 2", ""], &[], false);
        let mut is_upright = true;
        for step in 0..40 {
            let Some(action) = chosen(&seen, &repertoire, &mut chance) else { continue };
            let Some(made) = lines(&action, is_upright, &launch) else { continue };
            is_upright ^= action == Action::ROTATE;
            if !seen.screen.context().screen_on {
                said(&mut phone, "input keyevent WAKEUP");
            }
            made.iter().for_each(|line| {
                said(&mut phone, line);
            });
            clicks += usize::from(matches!(action, Action::Touch(Touch::Click, _)));
            seen = sim.act(&action).expect("the model goes on");
            compare(&mut phone, &seen.screen, &format!("walk {walk}, step {step}: {action} by {made:?}"));
        }
    }
    clicks
}

fn chosen(seen: &Observation, repertoire: &Repertoire, chance: &mut Rng) -> Option<Action> {
    let offered = offers(&seen.screen, repertoire);
    let action = offered[chance.below(offered.len())].clone();
    // From the launcher the app comes back by its icon alone.
    let is_away = ["com.android.launcher", "android"].contains(&&**seen.screen.package());
    (!is_away || action != Action::PAUSE_RESUME).then_some(action)
}

#[test]
fn what_is_done_by_pixels_and_keys_is_what_actions_do() {
    assert!(go_the_same_ways("notes.app", 12) > 100);
    assert!(go_the_same_ways("chesswalk.app", 12) > 100);
}

#[test]
fn every_offered_widget_of_every_screen_met_answers_to_a_tap_as_to_a_click() {
    for app in ["notes.app", "chesswalk.app"] {
        let model = bundled(app);
        let mut met = std::collections::BTreeSet::new();
        let mut chance = Seed(9).fork("walk");
        let repertoire = Repertoire::new(["ab"], &[], false);
        let mut sim = Sim::new(model.clone(), Seed(1));
        let activity = sim.app().launchable[0].clone();
        let mut way = vec![format!("am start -n {}/{activity}", model.package)];
        let mut seen = sim.reset(&activity).expect("a first screen");
        for _ in 0..150 {
            let offered = offers(&seen.screen, &Repertoire::default());
            let clicks: Vec<&Action> =
                offered.iter().filter(|action| matches!(action, Action::Touch(Touch::Click, _))).collect();
            if met.insert(seen.screen.identity()) {
                let mut phone = Phone::new(model.clone(), Seed(1), AndroidVersion::default());
                way.iter().for_each(|line| {
                    said(&mut phone, line);
                });
                for click in &clicks {
                    let (mut there, mut here) = (sim.clone(), phone.clone());
                    let after = there.act(click).expect("the model goes on");
                    said(&mut here, &lines(click, true, "").expect("a tap")[0]);
                    compare(&mut here, &after.screen, &click.to_string());
                }
            }
            let Some(action) = chosen(&seen, &repertoire, &mut chance) else { continue };
            // On a rotated or dark phone, a tap would do something else.
            let is_plain = !matches!(action, Action::ROTATE | Action::IDLE | Action::BACK);
            if let Some(lines) =
                lines(&action, true, "").filter(|_| is_plain && action != Action::PAUSE_RESUME)
            {
                way.extend(lines);
                seen = sim.act(&action).expect("the model goes on");
            }
        }
        assert!(met.len() > 5, "{app}: {}", met.len());
    }
}
