//! Simple agents on a screen of their own: shares of their choices, and what their numbers mean.

use std::sync::Arc;

use super::*;
use crate::gui::{
    Action, BUILTIN_TEXTS, Bounds, Capabilities, Context, Flags, Orientation, Repertoire, Screen, Touch,
    Widget, offers,
};
use crate::rng::Seed;
use crate::situation::{ActivityId, LookId, Next, Offer, PhaseId, Scene, ScreenId, StateId};

/// A field, a button that takes long clicks too, a list, and a button above it, on a display of 1080 by 1920 pixels.
fn form() -> Vec<Widget> {
    let touched = Flags::ENABLED.set(Flags::CLICKABLE, true);
    let widget = |id: &str, class: &str, bounds, flags| Widget {
        id: format!("p:id/{id}").into(),
        class: format!("android.widget.{class}").into(),
        bounds,
        flags,
        ..Widget::default()
    };
    vec![
        widget("field", "EditText", Bounds::new(0, 0, 1080, 192), touched.set(Flags::EDITABLE, true)),
        widget("held", "Button", Bounds::new(0, 192, 1080, 384), touched.set(Flags::LONG_CLICKABLE, true)),
        widget(
            "list",
            "ListView",
            Bounds::new(0, 960, 1080, 1920),
            Flags::ENABLED.set(Flags::SCROLLABLE, true),
        ),
        widget("above", "Button", Bounds::new(0, 1152, 1080, 1344), touched.set(Flags::FOCUSED, true)),
    ]
}

/// Returns settings with few updates of large networks, as tests run without vector instructions.
pub(crate) fn quick() -> Settings {
    let mut settings = Settings::default();
    for boxed in [&mut settings.ares, &mut settings.fate] {
        (boxed.ddpg.nb_train_steps, boxed.td3.gradient_steps) = (2, 2);
    }
    settings
}

/// Returns a button with this name, in the row `at`.
pub(super) fn button(name: &str, at: usize) -> Widget {
    Widget {
        class: "android.widget.Button".into(),
        text: name.into(),
        bounds: Bounds::new(0, at as i32, 100, at as i32 + 1),
        flags: Flags::ENABLED.set(Flags::CLICKABLE, true),
        ..Widget::default()
    }
}

/// Returns buttons with these names, one below the other.
pub(super) fn buttons(names: impl IntoIterator<Item = String>) -> Vec<Widget> {
    names.into_iter().enumerate().map(|(at, name)| button(&name, at)).collect()
}

/// Twenty buttons, of which one leads on.
pub(super) const NAMES: [&str; 20] = [
    "Save", "Delete", "Open", "Close", "Share", "Sort", "Search", "Help", "About", "Settings", "Undo",
    "Redo", "Copy", "Paste", "Rename", "Send", "Print", "Export", "Import", "Refresh",
];

pub(super) fn scene(number: u32, widgets: Vec<Widget>) -> Scene {
    let screen = Screen::new(
        "p",
        "p.A",
        Context { orientation: Orientation::Portrait, ..Context::default() },
        widgets,
    );
    let repertoire =
        Repertoire { capabilities: Capabilities::PHONE, ..Repertoire::new(BUILTIN_TEXTS, &[], true) };
    let actions = offers(&screen, &repertoire);
    Scene {
        state: StateId(number),
        screen_id: ScreenId(number),
        activity: ActivityId(0),
        look: LookId(0),
        frame: 0,
        slots: actions.len() as u16,
        offers: (0..actions.len() as u16).map(Offer::numbered).collect(),
        actions: actions.into(),
        screen: Some(Arc::new(screen)),
    }
}

/// Number of choices of each action, by its words, of nothing as `nothing`, in 30,000 choices.
fn choices(agent: &mut dyn Agent, scene: &Scene) -> Vec<(String, u32)> {
    let candidates: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation = Situation {
        scene,
        phase: PhaseId::START,
        steps_left: 9,
        candidates: &candidates,
        preferred: &candidates,
    };
    let mut rng = Seed(1).fork("test");
    let mut times = std::collections::BTreeMap::new();
    for _ in 0..30_000 {
        let name = match agent.choose(&situation, None, &mut rng) {
            Choice::Offer(at) => scene.actions[usize::from(at)].to_string(),
            Choice::Nothing { .. } => "nothing".to_string(),
            Choice::Restart => "restart".to_string(),
        };
        *times.entry(name).or_insert(0) += 1;
    }
    times.into_iter().collect()
}

/// Checks that each action comes up in its share of the choices, given by the start of its words, within 1.5 %.
#[track_caller]
fn check(agent: &mut dyn Agent, scene: &Scene, shares: &[(&str, f64)]) {
    let choices = choices(agent, scene);
    for (start, share) in shares {
        let of_start = choices.iter().filter(|(name, _)| name.starts_with(start));
        let found = f64::from(of_start.map(|(_, times)| times).sum::<u32>()) / 30_000.0;
        assert!((found - share).abs() < 0.015, "{start}: {found} in place of {share}: {choices:?}");
    }
    let named = |name: &String| shares.iter().any(|(start, _)| name.starts_with(start));
    assert!(choices.iter().all(|(name, _)| named(name)), "{choices:?}");
}

#[test]
fn random_chooses_a_widget_then_a_kind_then_a_text() {
    // Four widgets and six actions on the device.
    let each = 0.1;
    check(
        &mut Random::default(),
        &scene(1, form()),
        &[
            ("click #field", each / 2.0),
            ("text", each / 2.0),
            ("click #held", each / 2.0),
            ("longclick #held", each / 2.0),
            ("scroll", each),
            ("click #above", each),
            ("back", each),
            ("menu", each),
            ("rotate", each),
            ("network", each),
            ("pauseresume", each),
            ("idle", each),
        ],
    );
}

#[test]
fn random_keeps_to_what_is_preferred() {
    let scene = scene(1, form());
    let preferred: Vec<u16> = (0..scene.offers.len() as u16).filter(|at| at % 3 == 0).collect();
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation = Situation {
        scene: &scene,
        phase: PhaseId::START,
        steps_left: 9,
        candidates: &all,
        preferred: &preferred,
    };
    let (mut agent, mut rng) = (Random::default(), Seed(1).fork("test"));
    for _ in 0..500 {
        let Choice::Offer(at) = agent.choose(&situation, None, &mut rng) else { panic!("it chooses always") };
        assert!(preferred.contains(&at));
    }
}

#[test]
fn least_does_everything_once_before_anything_twice() {
    let scene = scene(1, form());
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation =
        Situation { scene: &scene, phase: PhaseId::START, steps_left: 9, candidates: &all, preferred: &all };
    let (mut agent, mut rng, mut times) = (Least::default(), Seed(1).fork("test"), vec![0; all.len()]);
    for step in 0..3 * all.len() {
        let Choice::Offer(at) = agent.choose(&situation, None, &mut rng) else { panic!("it chooses always") };
        assert_eq!(times[usize::from(at)], step / all.len());
        times[usize::from(at)] += 1;
        let transition = Transition {
            from: &situation,
            at,
            reward: 0.0,
            elapsed_ms: None,
            to: &scene,
            phase: PhaseId::START,
            next: Next::Choice(&situation),
        };
        agent.learn(&transition, &mut rng);
    }
}

#[test]
fn the_monkey_mostly_does_nothing() {
    let key = |keys: f64| 0.13 * keys / 288.0;
    // A touch: a tenth of the display each for the field, the first button, and the one above the list. A motion begins
    // on the list half of the time, and goes up or down more often than not, as the display is upright.
    let click = 0.15 * 0.1;
    let shares = [
        ("click #field", click),
        ("click #held", click),
        ("click #above", click + 0.15 / 2.0 + key(1.0)),
        ("scroll", 0.1 * 0.5 * 0.72),
        ("menu", 0.15 / 2.0 + key(1.0)),
        ("back", 0.02 / 8.0 + key(1.0)),
        ("pauseresume", 0.02 / 8.0 + key(1.0)),
    ];
    let done: f64 = shares.iter().map(|(_, share)| share).sum();
    let all: Vec<(&str, f64)> = shares.into_iter().chain([("nothing", 1.0 - done)]).collect();
    check(&mut Monkey::new(0), &scene(1, form()), &all);
}

#[test]
fn numbers_of_fate_are_widgets_and_texts() {
    // Five numbers: four widgets, and one that means nothing.
    let texts = BUILTIN_TEXTS.len();
    check(
        &mut Numbered::random(Letter::Fate, texts),
        &scene(1, form()),
        &[("text", 0.2), ("click #held", 0.2), ("scroll", 0.2), ("click #above", 0.2), ("nothing", 0.2)],
    );
    // A number of a text that no field takes means nothing either.
    let shares =
        [("text", 0.1), ("click #held", 0.2), ("scroll", 0.2), ("click #above", 0.2), ("nothing", 0.3)];
    check(&mut Numbered::random(Letter::Fate, 2 * texts), &scene(1, form()), &shares);
}

#[test]
fn numbers_of_ares_are_the_device_widgets_texts_and_ways() {
    let each = 1.0 / 8.0;
    check(
        &mut Numbered::random(Letter::Ares, BUILTIN_TEXTS.len()),
        &scene(1, form()),
        &[
            ("network", each),
            ("rotate", each),
            ("menu", each),
            ("text", each),
            ("click #held", each / 2.0),
            ("longclick #held", each / 2.0),
            ("scroll up", each / 2.0),
            ("scroll down", each / 2.0),
            ("click #above", each),
            ("nothing", each),
        ],
    );
}

#[test]
fn a_screen_without_offers_has_one_number_that_means_nothing() {
    for letter in [Letter::Ares, Letter::Fate] {
        let mut empty = scene(1, Vec::new());
        let actions = empty.actions.iter().filter(|action| **action == Action::BACK).cloned();
        empty.actions = actions.collect();
        empty.offers = empty.offers[..1].into();
        check(&mut Numbered::random(letter, 0), &empty, &[("nothing", 1.0)]);
        let mut learner = Numbered::qlearning(letter, 0, QLearningSettings::ARES);
        check(&mut learner, &empty, &[("nothing", 1.0)]);
    }
}

#[test]
fn a_noted_action_is_learned_under_its_number() {
    let scene = scene(1, form());
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation =
        Situation { scene: &scene, phase: PhaseId::START, steps_left: 9, candidates: &all, preferred: &all };
    for letter in [Letter::Ares, Letter::Fate] {
        let settings = QLearningSettings { exploration: 0.0, ..QLearningSettings::ARES };
        let (mut agent, mut rng) = (Numbered::qlearning(letter, 5, settings), Seed(1).fork("test"));
        let is_held = |action: &Action| action.to_string() == "click #held";
        let held = scene.actions.iter().position(is_held).expect("it is offered") as u16;
        assert!(matches!(scene.actions[usize::from(held)], Action::Touch(Touch::Click, _)));
        agent.note(&situation, held, Origin::Experience);
        let transition = Transition {
            from: &situation,
            at: held,
            reward: 1.0,
            elapsed_ms: None,
            to: &scene,
            phase: PhaseId::START,
            next: Next::Terminal,
        };
        agent.learn(&transition, &mut rng);
        assert_eq!(agent.choose(&situation, None, &mut rng), Choice::Offer(held));
        // A choice of nothing makes it worse.
        agent.learn_nothing(&situation, -50.0);
        assert_ne!(agent.choose(&situation, None, &mut rng), Choice::Offer(held));
    }
}
