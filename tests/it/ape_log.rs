//! Logs of APE, read as recorded runs.

use farlead::device::{Device as _, Sim};
use farlead::gui::{Action, Direction, Repertoire, Stroke, Target, Touch, offers};
use farlead::replay::{Missing, Player};
use farlead::rng::Seed;
use farlead::spec::{Source, Style, parse};
use farlead::test_case::{Entry, is_ape_log, read_ape_log, read_entry};
use proptest::prelude::*;
use serde_json::json;

use crate::models;

const LOG: &str = include_str!("fixtures/ape/action-history.log");

/// Steps of a walk.
const STEPS: usize = 60;

/// Returns the lines of APE's log for `action`; nothing for an action that APE has not.
fn line(time: usize, action: &Action) -> Option<String> {
    let kind = match action {
        Action::Reinitialise(_) => "EVENT_CLEAN_RESTART",
        Action::Touch(Touch::Click, _) => "MODEL_CLICK",
        Action::Touch(Touch::LongClick, _) => "MODEL_LONG_CLICK",
        Action::Stroke(Stroke::Scroll, _, Direction::Down) => "MODEL_SCROLL_BOTTOM_UP",
        Action::Stroke(Stroke::Scroll, _, Direction::Up) => "MODEL_SCROLL_TOP_DOWN",
        Action::Stroke(Stroke::Scroll, _, Direction::Right) => "MODEL_SCROLL_RIGHT_LEFT",
        Action::Stroke(Stroke::Scroll, _, Direction::Left) => "MODEL_SCROLL_LEFT_RIGHT",
        back if *back == Action::BACK => "MODEL_BACK",
        _ => return None,
    };
    let mut object = json!({"actionType": kind, "throttle": 200, "timestamp": time});
    if let Action::Reinitialise(activity) = action {
        object["className"] = json!(activity);
        object["packageName"] = json!("of.the.app");
    }
    if let Some(on) = action.target() {
        let bounds = on.bounds;
        object["full"] = json!(path(on));
        object["bounds"] =
            json!(format!("{},{},{},{}", bounds.left, bounds.top, bounds.right, bounds.bottom));
    }
    Some(format!("{} {}\n", 1_562_004_106_764 + time, object.to_string().replace('/', "\\/")))
}

/// Returns the path of a widget as APE writes it: texts without quotes, and their first eight characters.
fn path(on: &Target) -> String {
    let mut indices: Vec<&str> = on.object_id.split(':').collect();
    let last = indices.pop().expect("a place has an index");
    let mut path: String =
        indices.iter().map(|index| format!("/*[@class=\"a.Group\"][@text=\"\"][@index={index}]")).collect();
    let text: String = on.text.replace('"', "").chars().take(8).collect();
    let (class, id, desc) = (&on.class, &on.id, on.desc.replace('"', ""));
    path.push_str(&format!(
        "/*[@class=\"{class}\"][@resource-id=\"{id}\"][@text=\"{text}\"][@content-desc=\"{desc}\"][@index={last}]\
         [@enabled='true'][@clickable='true']"
    ));
    path
}

#[test]
fn a_walk_that_is_written_as_ape_would_goes_the_same_way_again() {
    let spec = "never \"x\": F [text = \"no such text\"]";
    let spec = parse(&Source::new("x.ltl", spec)).file.specs.remove(0);
    for name in ["files", "notes", "chesswalk", "shop"] {
        for seed in 1..=5 {
            let (model, mut rng) = (models::model(name, &[]), Seed(seed).fork("walk"));
            let mut device = Sim::new(model.clone(), Seed(seed));
            let activity = device.app().launchable[0].clone();
            let (mut log, mut seen) = (String::new(), Vec::new());
            let mut action = Action::Reinitialise(activity);
            for step in 0..STEPS {
                let screen = device.act(&action).expect("it is offered").screen;
                seen.push(screen.identity());
                log.push_str(&line(step, &action).expect("an action of APE"));
                let all = offers(&screen, &Repertoire::default());
                let all: Vec<Action> = all.into_iter().filter(|action| line(0, action).is_some()).collect();
                action = all[rng.below(all.len())].clone();
            }
            assert!(is_ape_log(&log));
            let source = Source::new("action-history.log", log);
            let (run, diagnostics) = read_ape_log(&source);
            let run = run.unwrap_or_else(|| panic!("{}", diagnostics.render(&source, Style::Plain)));
            assert_eq!((run.actions.len(), &*run.package), (STEPS, "of.the.app"));
            let mut device = Sim::new(model, Seed(seed));
            let played =
                Player::new(&spec).play(&mut device, &run.actions, Missing::Stop).expect("a sound app");
            let again: Vec<_> =
                played.trace.steps.iter().map(|step| step.observation.screen.identity()).collect();
            let same = seen.iter().zip(&again).take_while(|(one, other)| one == other).count();
            let missing = played.missing.map(|(step, _)| run.actions[step].to_string());
            assert_eq!(same, STEPS, "{name}, seed {seed}: {missing:?}");
        }
    }
}

#[test]
fn the_run_of_a_log_is_the_one_that_crashes() {
    let (run, diagnostics) = read_ape_log(&Source::new("action-history.log", LOG));
    let run = run.expect("a sound log");
    let said: Vec<String> = run.actions.iter().map(Action::to_string).collect();
    assert_eq!(run.package, "org.example.jars");
    assert_eq!(
        said,
        [
            "reinitialise org.example.jars.ShelfActivity",
            "click \"Add a ja\"",
            "click \"Name\"",
            "text \"Plum\" into \"Name\"",
            "click \"Keep\"",
            "click \"Plum\"",
            "click \"Best bef\"",
            "click \"Blackber\"",
            "back",
            "click \"Add a ja\"",
            "click \"Keep\"",
        ]
    );
    assert!(run.crash.is_some_and(|trace| trace.contains("at org.example.jars.Form.keep(Form.java:31)")));
    let warnings: Vec<&str> = diagnostics.iter().map(|warning| &*warning.message).collect();
    assert_eq!(
        warnings,
        [
            "left out, as random events at coordinates cannot be done again: 1 line",
            "APE started the app 3 times: this is lines 6 to 17, the first that crashes of 3 runs"
        ]
    );
}

#[test]
fn a_log_without_a_crash_is_its_longest_run_and_may_break_off() {
    let lines: Vec<&str> = LOG.lines().collect();
    let without: String = lines[..16].iter().map(|line| format!("{line}\n")).collect();
    let read = |text: &str| read_ape_log(&Source::new("a.log", text)).0.map(|run| run.actions.len());
    assert_eq!(read(&without), Some(11), "the second of two runs");
    assert_eq!(read(&without[..without.len() - 9]), Some(10), "the last line is torn");
    let first: String = lines[1..5].iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(read(&first), Some(4), "a log may begin after the start");
}

#[test]
fn what_is_no_log_of_ape_gets_a_message_with_its_place() {
    let fault = |text: &str| -> String {
        let source = Source::new("a.log", text);
        let (run, diagnostics) = read_ape_log(&source);
        assert!(run.is_none(), "{text}");
        diagnostics.render(&source, Style::Plain)
    };
    let back = "1 {\"actionType\":\"MODEL_BACK\"}\n";
    for (line, message) in [
        ("2 {\"actionType\":\"MODEL_BACK\"", "the JSON of this line cannot be read: EOF"),
        ("2 {}", "missing field `actionType`"),
        ("2 {\"actionType\":\"MODEL_FLY\"}", "`MODEL_FLY` is no action of APE"),
        ("2 {\"actionType\":\"MODEL_CLICK\"}", "this action needs a widget, as `full` or `target`"),
        (
            "2 {\"actionType\":\"MODEL_CLICK\",\"target\":\"//x\"}",
            "no path of a widget as APE writes it: `//x`",
        ),
        ("2 {\"actionType\":\"MODEL_CLICK\",\"full\":\"/*[@a=\\\"b\"}", "no path of a widget"),
        (
            "2 {\"actionType\":\"MODEL_CLICK\",\"full\":\"/*\",\"bounds\":\"1,2,3\"}",
            "`1,2,3` are no bounds; they are `left,top,right,bottom`",
        ),
        ("MODEL_BACK", "a line of APE's log is `<milliseconds> <JSON object>`"),
    ] {
        let said = fault(&format!("{back}{line}\n{back}"));
        assert!(said.starts_with("a.log:2:1: error: ") && said.contains(message), "{said}");
    }
    assert!(fault("1 {\"actionType\":\"EVENT_NOP\"}\n").contains("no action that can be done again"));
    assert!(fault(&back.repeat(10_000)).contains("a run has at most 10000 steps"));
    let deep =
        format!("1 {{\"actionType\":\"FUZZ\",\"events\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(read_entry(&deep), Ok(Entry::Nothing { is_fuzz: true }), "what is left out is not read");
    assert!(read_entry(&format!("1 {{\"actionType\":\"{}\"}}", "x".repeat(2 << 20))).is_err());
    assert!(!is_ape_log("[\"main\"]") && !is_ape_log("farlead test 3") && !is_ape_log(""));
}

proptest! {
    /// Pieces of lines in any order: a run, or a mistake.
    #[test]
    fn whatever_a_log_holds_there_is_a_run_or_a_mistake(
        pieces in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    "1 {", "\"actionType\":\"MODEL_CLICK\"", "\"FUZZ\"", ",", "\"full\":\"/*[@text=\\\"", "\\\"]", "]", "\"}",
                    "[@index=", "99999999999", "\"bounds\":\"0,0,", "9\"", "//*", "\n", "}\n", "2 {\"actionType\":\"MODEL_BACK\"}\n",
                    "3 {\"actionType\":\"EVENT_START\"}\n", "4 {\"actionType\":\"PHANTOM_CRASH\",\"crash\":{}}\n",
                ]).prop_map(str::to_string),
                any::<char>().prop_map(String::from),
            ],
            0..40,
        ),
    ) {
        let source = Source::new("a.log", pieces.concat());
        let (run, diagnostics) = read_ape_log(&source);
        prop_assert_eq!(run.is_some(), diagnostics.errors() == 0);
        prop_assert!(run.is_none_or(|run| run.actions.len() > 1));
        prop_assert!(diagnostics.render(&source, Style::Plain).len() < 100_000);
    }
}
