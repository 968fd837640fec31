//! The agent of APE on small apps: each of its rules where just that one gives the choice, its paths, and its restarts.

use std::collections::BTreeSet;
use std::sync::Arc;

use farlead::agent::{APE, Settings};
use farlead::device::{Sim, sim};
use farlead::learned_model::LearnedModel;
use farlead::objective::Pays;
use farlead::rng::Seed;
use farlead::search::{Budget, Dictionary, Explored, Plan, explore, together};
use farlead::spec::Source;
use farlead::trace::{Step, Trace};

use crate::ape::{APPS, REORDERED};
use crate::models;

/// Returns what exploring for this many steps comes to.
pub fn explored(model: Arc<sim::model::Model>, plan: &Plan, steps: u64, is_walk: bool) -> Explored {
    let mut device = Sim::new(model, plan.seed);
    let budget = Budget {
        steps_max: steps,
        until_quiet: None,
        is_walk,
        pays: Pays::Novelty,
        keeps_steps: true,
        steers: false,
    };
    let repertoire = together([], &Dictionary::default());
    explore(&mut device, &[], repertoire, plan, budget, LearnedModel::default(), &mut |_| true)
}

fn read(text: &str) -> Arc<sim::model::Model> {
    let read = sim::read(&Source::new("test.app", text));
    read.model.expect("a model without mistakes").into()
}

/// Returns a walk of so many steps.
fn walk(text: &str, steps: u32, seed: u64) -> Trace {
    let plan = Plan { steps_max: steps, seed: Seed(seed), ..Plan::new(&APE) };
    explored(read(text), &plan, steps.into(), true).walk.expect("it is one")
}

fn why(step: &Step) -> &str {
    step.why.as_deref().unwrap_or_default()
}

fn activity(step: &Step) -> &str {
    step.observation.screen.activity().rsplit('.').next().unwrap_or_default()
}

/// Returns the steps that a rule gave, by the start of its words, each with all steps before it, in some walks.
fn given(text: &str, steps: u32, rule: &str) -> Vec<(Vec<Step>, Step)> {
    let mut all = Vec::new();
    for seed in 1..=5 {
        let Trace { steps } = walk(text, steps, seed);
        let at = (0..steps.len()).filter(|&at| why(&steps[at]).starts_with(rule));
        all.extend(at.map(|at| (steps[..at].to_vec(), steps[at].clone())));
    }
    assert!(!all.is_empty(), "no step because it {rule}");
    all
}

/// Two pages that lead to each other; the second has more to do.
const PAIR: &str = r#"app org.example.pair "Pair" 1.0
    launch Main
    activity Main .Main {
        own n = 0
        Button #go "Go" -> open Page
        for i in 1..3 { CheckBox "box {i}" -> n += 1 }
    }
    activity Page .Page {
        own seen = 0
        Button #home "Home" -> finish
        ImageButton #one desc "one" -> seen += 1
        ImageView #two desc "two" -> seen += 1
        RadioButton #three "three" -> seen += 1
    }"#;

/// Six pages in a row, which have the same buttons.
const ROW: &str = r#"app org.example.row "Row" 1.0
    launch A
    activity A .A { Button #next "next" -> open B  Button #same "same" -> {} }
    activity B .B { Button #next "next" -> open C  Button #same "same" -> {} }
    activity C .C { Button #next "next" -> open D  Button #same "same" -> {} }
    activity D .D { Button #next "next" -> open E  Button #same "same" -> {} }
    activity E .E { Button #next "next" -> open F  Button #same "same" -> {} }
    activity F .F { Button #same "same" -> {} }"#;

#[test]
fn what_was_never_done_here_is_done_first() {
    // Each page of this app is a state, upright and turned, lit and dark.
    let place = |step: &Step| {
        let context = step.observation.screen.context();
        (activity(step).to_string(), context.orientation, context.screen_on)
    };
    for (before, step) in given(WHEEL, 60, "never done here") {
        let place_before = before.last().map(place);
        let here = before.windows(2).filter(|pair| Some(place(&pair[0])) == place_before);
        let again = here.filter(|pair| pair[1].action == step.action).count();
        assert_eq!(again, 0, "{} on {place_before:?}", step.action);
    }
}

#[test]
fn a_connected_part_is_explored_before_it_is_left() {
    let all = given(PAIR, 40, "goes on to explore");
    for (before, step) in &all {
        let [.., from, _] = &before[..] else { panic!("it came from a screen") };
        assert_eq!(activity(step), activity(from), "it goes back to where it came from");
        assert!([r#"click "Go""#, r#"click "Home""#].contains(&&*step.action.to_string()), "{}", step.action);
    }
    // The page is gone back to before all boxes of the first one were tried.
    let is_box = |step: &&Step| step.action.to_string().contains("box");
    assert!(all.iter().any(|(before, _)| before.iter().filter(is_box).count() < 2));
}

#[test]
fn a_path_leads_to_what_was_never_done_and_is_walked_to_its_end() {
    let mut lengths = BTreeSet::new();
    for (before, step) in given(WHEEL, 120, "begins a path to what was never done") {
        assert_ne!(step.action.to_string(), "back", "it goes forward");
        lengths.insert(before.len());
    }
    for (before, _) in given(WHEEL, 120, "goes on along its path") {
        let last = why(before.last().expect("a step before"));
        let rules = ["begins a path", "goes on", "goes back, as nothing"];
        assert!(rules.iter().any(|rule| last.starts_with(rule)), "{last}");
    }
}

/// A wheel of pages without a way back, of which each has something of its own.
const WHEEL: &str = r#"app org.example.wheel "Wheel" 1.0
    launch A
    activity A .A { Button #on "on" -> open B  CheckBox #a1 "1" -> open D  CheckBox #a2 "2" -> {} }
    activity B .B { Button #on "on" -> open C  Switch #b1 "1" -> open A  Switch #b2 "2" -> open A }
    activity C .C { Button #on "on" -> open D  ImageButton #c1 desc "1" -> open A  ImageButton #c2 desc "2" -> open A }
    activity D .D { Button #on "on" -> open A  RadioButton #d1 "1" -> open B  RadioButton #d2 "2" -> open B }"#;

#[test]
fn an_activity_that_was_hardly_visited_is_gone_to_and_back_to() {
    // Its pages offer the same names, so none is a target of the rules before.
    let back = given(ROW, 60, "goes back to an activity");
    assert!(back.iter().all(|(_, step)| step.action.to_string() == "back"));
    for (before, _) in given(ROW, 200, "begins a path to an activity") {
        let activities: BTreeSet<&str> = before.iter().map(activity).collect();
        assert!(activities.len() > 3, "{activities:?}");
    }
}

#[test]
fn where_nothing_is_new_it_goes_back() {
    let text = r#"app org.example.deep "Deep" 1.0
        launch A
        activity A .A { Button #next "next" -> open B }
        activity B .B { Button #next "next" -> open C }
        activity C .C { TextView "the end" }"#;
    let all = given(text, 60, "goes back, as nothing else");
    assert!(all.iter().all(|(_, step)| step.action.to_string() == "back"));
}

#[test]
fn where_all_was_done_the_least_is_done_again_and_now_and_then_any() {
    let text = r#"app org.example.still "Still" 1.0
        launch A
        activity A .A { on back: {}  Button #one "one" -> {}  Button #two "two" -> {} }"#;
    let least = given(text, 49, "done least here").len();
    let plan = Plan {
        steps_max: 49,
        settings: {
            let mut settings = Settings::default();
            settings.ape.epsilon = 1.0;
            settings
        },
        ..Plan::new(&APE)
    };
    let walked = explored(read(text), &plan, 49, true).walk.expect("it is one");
    let by_priority = walked.steps.iter().filter(|step| why(step).starts_with("by its priority")).count();
    assert!(least > 60 && by_priority > 20, "{least}, {by_priority}");
}

#[test]
fn paths_end_where_they_should_though_screens_are_new_at_each_look() {
    let files = ("files", models::model("files", &[]));
    let apps = APPS.map(|(name, text)| (name, read(text)));
    for (name, model) in apps.into_iter().chain([files, ("reordered", read(REORDERED))]) {
        let (mut arrived, mut missed) = (0, 0);
        for seed in 1..=5 {
            let plan = Plan { steps_max: 30, seed: Seed(seed), ..Plan::new(&APE) };
            let paths = explored(model.clone(), &plan, 2_000, false).paths.expect("it counts them");
            assert!(paths.arrived + paths.missed <= paths.decided);
            (arrived, missed) = (arrived + paths.arrived, missed + paths.missed);
        }
        println!("{name}: {arrived} paths ended where they should, {missed} elsewhere");
        assert!(arrived >= 300 && arrived >= 9 * missed, "{name}: {arrived} and {missed}");
    }
}

#[test]
fn an_episode_ends_where_nothing_changes_for_long() {
    let text = r#"app org.example.still "Still" 1.0
        launch A
        activity A .A { on back: {}  Button #one "one" -> {} }"#;
    let plan = Plan { steps_max: 400, ..Plan::new(&APE) };
    let explored = explored(read(text), &plan, 1_000, false);
    assert_eq!(explored.steps, 1_000);
    assert!((8..=25).contains(&explored.episodes), "{} episodes", explored.episodes);
}
