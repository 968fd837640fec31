//! Replays on a small shop, whose model each test changes as it needs.

use std::sync::Arc;

use super::{Missing, Player, Repeater, Replay, Slack, capture, scrolled_on};
use crate::device::sim::{self, Sim};
use crate::device::{Device as _, Faulty};
use crate::gui::{Rule, Rules, TypedText};
use crate::rng::Seed;
use crate::spec::{Source, parse_rule};
use crate::test_case::{CAPTURED_MAX, TestCase, read};
use crate::trace::Trace;

const SHOP: &str = "\
app org.example.shop \"Shop\" 1.0
launch Main
session taken = 0
activity Main .Main {
    Button #about \"About us\" -> open About
    Button #items \"Items\" -> open Items
    Button #take \"Take\" -> taken += 1
    Button \"Row\" -> toast \"the first\"
    Button \"Row\" -> open Items
    View -> open About
    TextView \"Sold out\" when (taken >= 100)
}
activity About .About {
    TextView \"Made here\"
}
activity Items .Items {
    TextView \"Nothing yet\"
}
";

const ABOUT: &str = "click\nid \"org.example.shop:id/about\"\ntext \"About us\"\npath 0\n";
const ITEMS: &str = "click\nid \"org.example.shop:id/items\"\ntext \"Items\"\npath 1\n";

/// The shop with one text of its model in the place of another.
fn shop(from: &str, to: &str) -> Sim {
    assert!(SHOP.contains(from), "{from}");
    let read = sim::read(&Source::new("shop.app", SHOP.replace(from, to)));
    let model = read.model.unwrap_or_else(|| panic!("{:?}", read.diagnostics));
    Sim::new(Arc::new(model), Seed(1))
}

fn as_it_was() -> Sim {
    shop("", "")
}

/// A test that starts the shop and does `steps`, kept for `spec`.
fn test(steps: &str, spec: &str) -> TestCase {
    let start = "0 reinitialise \"org.example.shop.Main\"\n";
    let text = format!("farlead test 2\nfrom\nsteps\n{start}{steps}\nspecs\n{spec}\n");
    let found = read(&Source::new("a.test.ltl", text));
    found.test.unwrap_or_else(|| panic!("{:?}", found.diagnostics))
}

/// Returns the result of the replay, and the actions that were done.
fn replayed(mut device: Sim, test: &TestCase) -> (Replay, Trace) {
    Player::new(&test.oracle).replay(&mut device, &test.steps).expect("the model runs")
}

#[track_caller]
fn check_not_reproduced(device: Sim, test: &TestCase, step: usize, expected: &str, actual: &str) {
    let (replay, _) = replayed(device, test);
    let (expected, actual) = (expected.to_string(), actual.to_string());
    assert_eq!(replay, Replay::NotReproduced { step, expected, actual });
}

#[track_caller]
fn check_diverged(device: Sim, test: &TestCase, step: usize, expected: &str, nearest: Option<&str>) {
    let (replay, _) = replayed(device, test);
    let actual = "activity org.example.shop.Main".to_string();
    let (expected, nearest) = (expected.to_string(), nearest.map(str::to_string));
    let Replay::Diverged { nearest_at, .. } = replay else { panic!("{replay:?}") };
    assert_eq!(nearest_at.is_some(), nearest.is_some(), "the nearest widget has a place");
    assert_eq!(replay, Replay::Diverged { step, expected, actual, nearest, nearest_at });
}

fn there_and_back() -> TestCase {
    let steps = format!("1 {ABOUT}sees [activity ~ About]\n2 back\nsees [activity ~ Main]");
    test(&steps, "possible \"there and back\": X ([activity ~ About] & X [activity ~ Main])")
}

#[test]
fn a_test_that_reaches_its_goal_is_reproduced() {
    let (replay, trace) = replayed(as_it_was(), &there_and_back());
    assert_eq!((replay, trace.steps.len()), (Replay::Reproduced, 3));
    let left: Vec<&str> = trace.steps.iter().map(|step| &*step.remaining).collect();
    assert_eq!(left, ["[activity ~ About] & X [activity ~ Main]", "[activity ~ Main]", "true"]);
    assert_eq!(trace.steps[2].reward, 1.0);
    assert_eq!(
        trace.steps[1].labels.iter().map(|label| &**label).collect::<Vec<_>>(),
        ["[activity ~ About]"]
    );
}

#[test]
fn widgets_are_found_where_they_have_moved_to() {
    let moved = shop("    Button #about", "    TextView \"New\"\n    Button #about");
    assert_eq!(replayed(moved, &there_and_back()).0, Replay::Reproduced);
    // The id is enough, whatever the button says now.
    assert_eq!(replayed(shop("About us", "Imprint"), &there_and_back()).0, Replay::Reproduced);
}

#[test]
fn nothing_is_done_once_the_goal_is_reached() {
    let test = test(&format!("1 {ABOUT}2 back"), "possible \"about\": F [activity ~ About]");
    let mut device = Faulty::new(as_it_was(), 2);
    let (replay, trace) = Player::new(&test.oracle).replay(&mut device, &test.steps).expect("no third step");
    assert_eq!((replay, trace.steps.len()), (Replay::Reproduced, 2));
}

#[test]
fn nothing_is_done_once_the_goal_is_out_of_reach() {
    let test = test(&format!("1 {ITEMS}2 back"), "possible \"about\": X [activity ~ About]");
    let mut device = Faulty::new(as_it_was(), 2);
    let (replay, _) = Player::new(&test.oracle).replay(&mut device, &test.steps).expect("no third step");
    let expected = "the goal is reached".to_string();
    let actual = "activity org.example.shop.Items; what is left is false".to_string();
    assert_eq!(replay, Replay::NotReproduced { step: 1, expected, actual });
}

#[test]
fn a_test_breaks_at_the_first_step_that_sees_something_else() {
    let elsewhere = || shop("-> open About", "-> open Items");
    check_not_reproduced(
        elsewhere(),
        &there_and_back(),
        1,
        "[activity ~ About]",
        "activity org.example.shop.Items",
    );
    let sees = "sees ![text = Nothing yet]\nsees [text = Made here]\n";
    let twice =
        test(&format!("1 {ABOUT}{sees}2 back\nsees ![activity ~ Main]"), "possible \"x\": F [text = x]");
    let expected = "![text = Nothing yet] & [text = Made here]";
    check_not_reproduced(elsewhere(), &twice, 1, expected, "activity org.example.shop.Items");
    check_not_reproduced(as_it_was(), &twice, 2, "![activity ~ Main]", "activity org.example.shop.Main");
}

#[test]
fn a_test_whose_every_step_is_as_it_was_and_whose_goal_is_not_reached_breaks_at_its_last() {
    let test = test(&format!("1 {ABOUT}2 back"), "possible \"x\": F [text = Sold out]");
    let actual = "activity org.example.shop.Main; what is left is F [text = Sold out]";
    check_not_reproduced(as_it_was(), &test, 2, "the goal is reached", actual);
}

#[test]
fn what_keeps_the_app_from_going_on_is_said() {
    let crash = shop("-> open About", "-> crash \"no disk\"");
    let actual = "activity org.example.shop.Main, the app has crashed: org.example.shop.Main.crash";
    check_not_reproduced(crash, &there_and_back(), 1, "[activity ~ About]", actual);
    let hang = shop("-> open About", "-> anr \"no disk\"");
    let actual = "activity org.example.shop.Main, the app does not respond";
    check_not_reproduced(hang, &there_and_back(), 1, "[activity ~ About]", actual);
    let idle = test("1 idle\nsees [activity ~ About]", "possible \"x\": F [activity ~ About]");
    let actual = "activity org.example.shop.Main, the display is off";
    check_not_reproduced(as_it_was(), &idle, 1, "[activity ~ About]", actual);
}

#[test]
fn a_test_diverges_where_its_widget_is_gone_and_names_the_nearest() {
    let gone = || shop("    Button #about \"About us\" -> open About\n", "");
    check_diverged(gone(), &there_and_back(), 1, "click \"About us\"", None);
    let renamed = shop("#about \"About us\"", "#imprint \"About ous\"");
    check_diverged(renamed, &there_and_back(), 1, "click \"About us\"", Some("\"About ous\""));
    let disabled = shop("\"About us\"", "\"About us\" disabled");
    let nearest = "\"About us\", which takes no click now";
    check_diverged(disabled, &there_and_back(), 1, "click \"About us\"", Some(nearest));
}

#[test]
fn what_was_seen_otherwise_comes_before_what_cannot_be_done() {
    let steps =
        format!("1 {ABOUT}sees [text = Made there]\n2 click\nid \"org.example.shop:id/gone\"\ntext \"Gone\"");
    let test = test(&steps, "possible \"x\": F [text = x]");
    check_not_reproduced(as_it_was(), &test, 1, "[text = Made there]", "activity org.example.shop.About");
}

#[test]
fn what_is_missing_is_passed_over_if_that_is_asked_for() {
    let gone = "click\nid \"org.example.shop:id/gone\"\ntext \"Gone\"\n";
    let test = test(&format!("1 {gone}2 {ABOUT}"), "possible \"x\": F [activity ~ About]");
    let actions = || test.steps.iter().map(|step| &step.action);
    let mut player = Player::new(&test.oracle);
    let over = player.play(&mut as_it_was(), actions(), Missing::Skip).expect("the model runs");
    assert_eq!((over.done, over.is_won, over.missing), (vec![0, 2], true, None));
    let ends = player.play(&mut as_it_was(), actions(), Missing::Stop).expect("the model runs");
    assert_eq!((ends.done, ends.is_won), (vec![0], false));
    assert_eq!(ends.missing.map(|(step, _)| step), Some(1));
}

#[test]
fn what_rules_forbid_cannot_be_done() {
    let source = Source::new("rule", "[actionType = click, actionDetail = About us]");
    let never = parse_rule(&source, &[]).0.expect("a rule");
    let rules = Arc::new(Rules::new(&[Rule::Never(never)]));
    let test = there_and_back();
    let mut player = Player::within(&test.oracle, rules);
    let (replay, trace) = player.replay(&mut as_it_was(), &test.steps).expect("the model runs");
    assert!(matches!(&replay, Replay::Diverged { step: 1, .. }), "{replay:?}");
    assert_eq!(trace.steps.len(), 1);
    let actions = test.steps.iter().map(|step| &step.action);
    let over = player.play(&mut as_it_was(), actions, Missing::Skip).expect("the model runs");
    assert_eq!(over.done, [0, 2]);
}

#[test]
fn a_device_that_fails_is_an_error_and_no_verdict() {
    let test = there_and_back();
    for step in 0..3 {
        let mut device = Faulty::new(as_it_was(), step);
        let error = Player::new(&test.oracle).replay(&mut device, &test.steps).expect_err("a failure");
        assert_eq!(error.to_string(), format!("the device failed at step {step}, as it was told to"));
    }
}

#[test]
fn an_app_that_is_started_already_is_not_started_again() {
    let test = there_and_back();
    let mut started = as_it_was();
    let seen = started.reset("org.example.shop.Main").expect("a start");
    // Its first action is the click: a start would come to a second one.
    let mut device = Faulty::new(started, 2);
    let (replay, trace) =
        Player::new(&test.oracle).resume(&mut device, seen.clone(), &test.steps).expect("two actions");
    assert_eq!((replay, trace.steps.len()), (Replay::Reproduced, 3));
    assert_eq!(trace.steps[0].observation.screen, seen.screen);
}

#[test]
fn a_trace_is_won_exactly_if_it_was_won_when_it_was_played() {
    let test = there_and_back();
    let (_, mut trace) = replayed(as_it_was(), &test);
    let mut player = Player::new(&test.oracle);
    assert!(player.is_won(&trace));
    trace.steps.pop();
    assert!(!player.is_won(&trace));
    let (_, other) = replayed(shop("-> open About", "-> open Items"), &test);
    assert!(!player.is_won(&other));
}

/// The start of each formula of a run of the shop.
const STARTED: &str = "[actionType = reinitialise, actionDetail = org.example.shop.Main] & X ";

/// The formula that captures the run of a test; the run satisfies it.
#[track_caller]
fn captured(test: &TestCase) -> String {
    let (replay, trace) = replayed(as_it_was(), test);
    assert_eq!(replay, Replay::Reproduced);
    let formula = capture(&test.oracle, &trace, Slack::default())
        .formula
        .expect("a run as short as this has a formula");
    assert!(Player::new(&formula).is_won(&trace), "{formula}");
    let shown = formula.to_string();
    let (_, formula) = shown.split_once("steps:").expect("a budget");
    formula.trim().to_string()
}

#[test]
fn a_formula_names_what_was_done_and_what_decided_something() {
    let steps = format!("1 {ABOUT}2 back");
    let spec = "possible \"x\": X ([activity ~ About] & ![text = Sold out] & X [activity ~ Main])";
    assert_eq!(
        captured(&test(&steps, spec)),
        format!(
            "{STARTED}([actionType = click, actionDetail = About us] & [activity ~ About] & ![text = Sold out] & X ([actionType = back] & [activity ~ Main]))"
        ),
    );
}

#[test]
fn widgets_that_share_a_name_or_have_none_are_named_by_their_places() {
    let row = "1 click\ntext \"Row\"\nclass \"android.widget.Button\"\npath 4\n";
    assert_eq!(
        captured(&test(row, "possible \"x\": F [activity ~ Items]")),
        format!(
            "{STARTED}([actionType = click, actionDetail = Row, actionObjectID = 4] & [activity ~ Items])"
        ),
    );
    let view = "1 click\nclass \"android.view.View\"\npath 5\n";
    assert_eq!(
        captured(&test(view, "possible \"x\": F [activity ~ About]")),
        format!("{STARTED}([actionType = click, actionObjectID = 5] & [activity ~ About])"),
    );
}

#[test]
fn actions_that_a_file_declares_come_with_the_formula() {
    let steps = "1 shove\nid \"org.example.shop:id/items\"\ntext \"Items\"\npath 1\n";
    let spec = "action shove on [id ~ items]: tap 50% 50%\npossible \"x\": F [activity ~ Items]";
    let test = test(steps, spec);
    assert_eq!(
        captured(&test),
        format!("{STARTED}([actionType = shove, actionDetail = Items] & [activity ~ Items])"),
    );
    let (_, trace) = replayed(as_it_was(), &test);
    assert_eq!(capture(&test.oracle, &trace, Slack::default()).actions, test.actions);
}

#[test]
fn a_run_that_nobody_would_read_has_steps_and_no_formula() {
    let take = |step| format!("{step} click\nid \"org.example.shop:id/take\"\ntext \"Take\"\npath 2\n");
    let steps: String = (1..=CAPTURED_MAX).map(take).collect();
    let test = test(&steps, "possible \"x\": F [text = Sold out]");
    let (replay, trace) = replayed(as_it_was(), &test);
    assert_eq!((replay, trace.steps.len()), (Replay::Reproduced, CAPTURED_MAX + 1));
    let captured = capture(&test.oracle, &trace, Slack::default());
    assert_eq!((captured.steps.len(), captured.formula), (CAPTURED_MAX + 1, None));
    let seen: Vec<usize> = captured.steps.iter().map(|step| step.sees.len()).collect();
    assert_eq!((seen[..CAPTURED_MAX].iter().sum::<usize>(), seen[CAPTURED_MAX]), (0, 1));
}

#[test]
fn a_step_sees_no_kept_list_that_nobody_would_read() {
    let seen = |rows: usize| -> String {
        let text = format!(
            "app org.example.list \"List\" 1.0\ndisplay 480x800 240dpi\nlaunch Main\nactivity Main .Main {{\n    Button \"More\" -> open \
             Other\n    for i in 1..{rows} {{ TextView \"Row {{i}} of the list\" tall 10 }}\n}}\nactivity Other .Other {{ Button \"None\" }}\n"
        );
        let read = sim::read(&Source::new("list.app", text));
        let model = read.model.unwrap_or_else(|| panic!("{:?}", read.diagnostics));
        let spec =
            "possible \"x\": F (keep all = text(class ~ TextView): X [text(class ~ TextView) != {all}])";
        let steps = "0 reinitialise \"org.example.list.Main\"\n1 click\ntext \"More\"\npath 0\n";
        let text = format!("farlead test 2\nfrom\nsteps\n{steps}\nspecs\n{spec}\n");
        let test = self::read(&Source::new("a.test.ltl", text)).test.expect("no mistakes");
        let (replay, trace) = replayed(Sim::new(Arc::new(model), Seed(1)), &test);
        assert_eq!(replay, Replay::Reproduced);
        let captured = capture(&test.oracle, &trace, Slack::default());
        captured.steps[1].sees.iter().map(|(atom, _)| atom.to_string()).collect()
    };
    assert_eq!(seen(2), r#"[text(class ~ TextView) != {list("Row 1 of the list", "Row 2 of the list")}]"#);
    assert_eq!(seen(100), "");
}

/// A list of 40 rows, each of this height, on a display of 800 pixels; each opens another screen.
fn rows(tall: u32) -> Sim {
    let text = format!(
        "app org.example.rows \"Rows\" 1.0\ndisplay 480x800 240dpi\nlaunch Main\nactivity Main .Main {{\n    ListView #list scrolls {{ for i in \
         1..40 {{ Button \"Row {{i}}\" tall {tall} -> open Found }} }}\n}}\nactivity Found .Found {{ TextView \"Found\" }}\n"
    );
    let read = sim::read(&Source::new("rows.app", text));
    Sim::new(Arc::new(read.model.unwrap_or_else(|| panic!("{:?}", read.diagnostics))), Seed(1))
}

/// A test that scrolls the list down once, and touches a row.
fn test_of_row(row: u32, spec: &str) -> TestCase {
    let start = "0 reinitialise \"org.example.rows.Main\"\n";
    let steps = format!(
        "1 scroll down\nid \"org.example.rows:id/list\"\npath 0\n2 click\ntext \"Row {row}\"\npath 0:4\n"
    );
    let found = read(&Source::new(
        "a.test.ltl",
        format!("farlead test 2\nfrom\nsteps\n{start}{steps}specs\n{spec}\n"),
    ));
    found.test.unwrap_or_else(|| panic!("{:?}", found.diagnostics))
}

const FOUND: &str = "possible \"found\": F [activity ~ Found]";

/// Returns the result of the replay, and the actions that were done after the start.
fn replayed_row(tall: u32, row: u32, spec: &str) -> (Replay, Vec<String>, usize) {
    let (replay, trace) = replayed(rows(tall), &test_of_row(row, spec));
    let actions = trace.steps[1..].iter().map(|step| step.action.to_string()).collect();
    (replay, actions, scrolled_on(&trace))
}

#[test]
fn a_scroll_goes_on_until_the_widget_of_the_next_step_is_in_view() {
    let down = "scroll down on #list";
    let (replay, actions, more) = replayed_row(100, 12, FOUND);
    assert_eq!((replay, more), (Replay::Reproduced, 0));
    assert_eq!(actions, [down, "click \"Row 12\""]);
    // Row 12 begins at 3,300, and a scroll takes 640.
    let (replay, actions, more) = replayed_row(300, 12, FOUND);
    assert_eq!((replay, more), (Replay::Reproduced, 3));
    assert_eq!(actions, [down, down, down, down, "click \"Row 12\""]);
}

#[test]
fn a_scroll_that_has_gone_too_far_goes_back_from_the_end() {
    // The rows take 1,200, so a scroll goes to the end, and row 12 ends at 360, above the 400 that is out of sight.
    let (replay, actions, more) = replayed_row(30, 12, FOUND);
    assert_eq!((replay, more), (Replay::Reproduced, 2));
    let (down, up) = ("scroll down on #list", "scroll up on #list");
    assert_eq!(actions, [down, down, up, "click \"Row 12\""]);
}

#[test]
fn a_scroll_goes_on_only_so_far() {
    for (tall, most) in [(30, 4), (300, 1 + 10 + 12), (700, 1 + 10 + 12)] {
        let (replay, actions, more) = replayed_row(tall, 99, FOUND);
        let Replay::Diverged { step, expected, .. } = replay else { panic!("{replay:?}") };
        // All that was done counts, and the step that could not be done comes after it.
        assert_eq!((actions.len(), more, step), (most, most - 1, most + 1), "{tall}");
        assert_eq!(expected, "click \"Row 99\"");
    }
}

#[test]
fn nothing_is_scrolled_for_a_widget_after_another_action() {
    let steps = format!("1 {ITEMS}2 {ABOUT}");
    let (replay, trace) = replayed(as_it_was(), &test(&steps, "possible \"x\": F [text = x]"));
    assert!(matches!(replay, Replay::Diverged { step: 2, .. }), "{replay:?}");
    assert_eq!((trace.steps.len(), scrolled_on(&trace)), (2, 0));
}

#[test]
fn a_scroll_that_goes_on_counts_in_the_formula() {
    let soon = "possible \"soon\": X X [activity ~ Found]";
    assert_eq!(replayed_row(100, 12, soon).0, Replay::Reproduced);
    let (replay, actions, _) = replayed_row(300, 12, soon);
    // The third step was to open the row; one more scroll there, and the formula is lost.
    assert!(matches!(replay, Replay::Diverged { step: 3, nearest: None, .. }), "{replay:?}");
    assert_eq!(actions.len(), 2);
}

#[test]
fn the_formula_sees_all_that_a_scroll_shows_as_it_goes_on() {
    let never = "never \"row 8\": F [text = \"Row 8\"]";
    let (replay, actions, _) = replayed_row(300, 12, never);
    assert_eq!((replay, actions.len()), (Replay::Reproduced, 3));
}

#[test]
fn a_scroll_of_a_set_up_goes_on_too() {
    let steps = test_of_row(12, FOUND).steps;
    for (tall, row_is_there) in [(30, true), (100, true), (300, true), (9_000, false)] {
        let mut device = rows(tall);
        let seen = device.reset("org.example.rows.Main").expect("a start");
        let (replay, last) =
            Repeater::new(TypedText::IsNoEvidence).resume(&mut device, seen, &steps).expect("the model runs");
        assert_eq!(replay == Replay::Reproduced, row_is_there, "{tall}: {replay:?}");
        assert_eq!(last.screen.activity().ends_with("Found"), row_is_there, "{tall}");
    }
}
