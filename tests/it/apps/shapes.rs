//! The made-up apps in the shapes of today's toolkits: what their widgets say and what they leave to others, and the bugs
//! that their specs find.

use std::collections::BTreeSet;
use std::path::Path;

use farlead::device::Device as _;
use farlead::gui::{Action, Direction, Flags, Stroke, Target};
use serde_json::Value;

use super::{Phone, start};
use crate::cli::{command, ended};
use crate::project::Folder;

#[test]
fn the_buttons_of_compose_are_called_by_the_words_in_them() {
    let mut phone = start("wayfare.app", &[], &[]);
    let row = "7:15, Lisbon, 19 €";
    // The prompt is Android's, so its buttons have names and ids.
    for steps in
        [&[][..], &["Menu"], &["Trips"], &["Lisbon, Today"], &["Back", "Menu", "Settings"], &["Help"]]
    {
        phone.steps(steps);
        check_buttons(&phone);
    }
    phone.steps(&["back", "back", row]);
    check_buttons(&phone);
    phone.step("Remind me");
    assert!(phone.has("permission_deny_button") && phone.has_text("Don’t allow"), "{}", phone.shown());
}

/// Checks that the widgets to click have no name of their own but words in them, all but the scrims beside sheets and
/// drawers, and that no widget has an id but Android's container of each app.
#[track_caller]
fn check_buttons(phone: &Phone) {
    let clicked = clicked(phone);
    let lends = |on: &Target| on.desc.is_empty() && !on.below.is_empty();
    let is_called = |on: &Target| lends(on) || on.desc.starts_with("Close ");
    let is_bare = |on: &Target| on.text.is_empty() && on.id.is_empty() && is_called(on);
    assert!(clicked.iter().all(is_bare) && clicked.iter().any(lends), "{}", phone.shown());
    check_ids(phone);
}

#[track_caller]
fn check_ids(phone: &Phone) {
    let ids: BTreeSet<&str> = phone.screen().widgets().iter().map(|widget| &*widget.id).collect();
    assert_eq!(ids, BTreeSet::from(["", "android:id/content"]), "{}", phone.shown());
}

#[test]
fn a_flutter_app_says_all_by_descriptions() {
    let mut phone = start("tally.app", &[], &[]);
    for steps in [
        &[][..],
        &["Walk\n0 of 1"],
        &["Delete"],
        &["back", "back", "Week\nTab 2 of 3"],
        &["Settings\nTab 3 of 3"],
        &["Archive"],
        &["back", "Today\nTab 1 of 3", "New habit"],
    ] {
        phone.steps(steps);
        assert!(phone.texts().is_empty(), "{}", phone.shown());
        let clicked = clicked(&phone);
        assert!(clicked.iter().all(|on| !on.desc.is_empty()) && !clicked.is_empty(), "{}", phone.shown());
        check_ids(&phone);
    }
}

fn clicked(phone: &Phone) -> Vec<Target> {
    let offers = phone.offers();
    offers.iter().filter(|action| action.type_name() == "click").filter_map(Action::target).cloned().collect()
}

#[test]
fn lists_lie_both_ways() {
    for (app, last, towards) in [
        ("wayfare.app", "Sunday", Direction::Right),
        ("wayfare.app", "No more trains", Direction::Down),
        ("tally.app", "13 days ago", Direction::Right),
    ] {
        let mut phone = start(app, &[], &[]);
        assert!(!phone.has(last), "{last} on\n{}", phone.shown());
        for _ in 0..5 {
            let is_it =
                |action: &Action| matches!(action, Action::Stroke(Stroke::Scroll, _, way) if *way == towards);
            let scroll = phone.offered(is_it, towards.name());
            phone.act(&scroll);
        }
        assert!(phone.has(last), "no {last} on\n{}", phone.shown());
    }
}

#[test]
fn a_message_goes_by_itself_and_the_keyboard_comes_with_a_field() {
    let mut phone = start("wayfare.app", &[], &[]);
    phone.steps(&["7:15, Lisbon, 19 €", "Remind me", "Allow"]);
    assert!(phone.has_text("Reminder set"));
    for _ in 0..9 {
        phone.act(&Action::MENU);
    }
    assert!(!phone.has_text("Reminder set"));
    let field = phone.screen().widgets().iter().find(|widget| widget.flags.has(Flags::EDITABLE));
    assert_eq!(field.map(|field| &*field.text), Some(""));
    phone.sim.keep_keyboard(true);
    assert!(phone.step("Where to?").screen().context().keyboard);
}

#[test]
fn the_specs_of_wayfare_find_its_bugs() {
    check_specs(
        "wayfare",
        &[
            ("added for another day", "fixed_day"),
            ("another day than the chip's", "fixed_sunday"),
            ("another trip comes back", "fixed_undo"),
            ("a reminder without the permission", "fixed_reminder"),
            ("the keyboard over the trains", "fixed_keyboard"),
        ],
    );
}

#[test]
fn the_specs_of_tally_find_its_bugs() {
    check_specs(
        "tally",
        &[
            ("a habit without a name", "fixed_name"),
            ("no week", "fixed_goal"),
            ("the archive is counted", "fixed_archive"),
            ("the line counts the list", "fixed_archive"),
            ("two days in one", "fixed_streak"),
        ],
    );
}

/// Checks that of the specs of an app these alone fail, each by a run that its parameter and no other corrects, and that they
/// pass on the app without its bugs.
#[track_caller]
fn check_specs(app: &str, bugs: &[(&str, &str)]) {
    let out = Folder::new(&format!("shapes/{app}"));
    let to = |below: &str| out.path(below).to_str().expect("a path in letters").to_string();
    let (specs, model) = (format!("specs/{app}"), format!("apps/{app}.app"));
    let check = ["check", &specs, "--app", &model, "--out", &to("made")];
    let violations: BTreeSet<String> = bugs.iter().map(|(spec, _)| (*spec).to_string()).collect();
    assert_eq!(failed(&check, &[]), violations);
    let kept = to("made/farlead-tests");
    for (spec, parameter) in bugs {
        let mut others = failed(&["replay", &kept], &["--set", &format!("{parameter}=true")]);
        others.retain(|name| violations.contains(name));
        let is_another = |name: &&String| !bugs.contains(&(name.as_str(), *parameter));
        let expected: BTreeSet<String> = violations.iter().filter(is_another).cloned().collect();
        assert_eq!(others, expected, "{parameter}");
        let corrected = ["check", &specs, "--app", &model, "--out", &to("fixed"), "--set", "fixed=true"];
        assert!(failed(&corrected, &["--only", spec]).is_empty(), "{spec}");
    }
}

/// Runs a command, and returns the names of the specs that failed.
fn failed(args: &[&str], more: &[&str]) -> BTreeSet<String> {
    let args = [args, more, &["--json"]].concat();
    let ended = ended(command(&args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR"))), "");
    let events: Vec<Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let results: Vec<&Value> = events.iter().filter(|event| event["event"] == "result").collect();
    assert!(!results.is_empty(), "{}", ended.stderr);
    let failed = results.iter().filter(|result| result["outcome"] != "passed");
    failed.map(|result| result["spec"].as_str().expect("a name").to_string()).collect()
}
