//! The agent on screens of its own: its events, its counts, what it learns, and how much of it.

use super::graph::Generation;
use super::*;
use crate::agent::tests::{NAMES, button, buttons, scene};
use crate::gui::{Bounds, Flags, Widget};

/// Small networks, as tests run without vector instructions.
fn small(variant: Variant) -> Dino {
    match variant {
        Variant::Letter => Dino::letter(DinoSettings { width: 16, epochs: 4, ..DinoSettings::LETTER }, 0),
        Variant::Quick => {
            Dino::quick(DinoSettings { width: 16, batch: 8, first: 0, ..DinoSettings::QUICK }, 0)
        }
    }
}

const VARIANTS: [Variant; 2] = [Variant::Letter, Variant::Quick];

/// Step of a test: chooses, and learns from what comes of it. Another choice follows a fresh start.
fn step(agent: &mut Dino, scene: &Scene, rng: &mut Rng, reward: impl Fn(u16) -> f64, ends: bool) -> u16 {
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation =
        Situation { scene, phase: PhaseId::START, steps_left: 9, candidates: &all, preferred: &all };
    let at = loop {
        match agent.choose(&situation, None, rng) {
            Choice::Offer(at) => break at,
            Choice::Restart => {
                agent.end(Origin::Device);
                agent.begin();
                let start = Scene { screen: None, ..scene.clone() };
                let from = Situation { scene: &start, ..situation };
                let Choice::Offer(at) = agent.choose(&from, None, rng) else { panic!("it starts the app") };
                let (phase, next) = (PhaseId::START, Next::Choice(&situation));
                let started =
                    Transition { from: &from, at, reward: 0.0, elapsed_ms: None, to: scene, phase, next };
                agent.learn(&started, rng);
            }
            Choice::Nothing { .. } => panic!("it chooses always"),
        }
    };
    let reward = reward(at);
    let next = if ends { Next::Terminal } else { Next::Choice(&situation) };
    let is_over = next.ends();
    let phase = PhaseId::START;
    agent.learn(&Transition { from: &situation, at, reward, elapsed_ms: None, to: scene, phase, next }, rng);
    if is_over {
        agent.end(Origin::Device);
        agent.begin();
    }
    at
}

#[test]
fn it_learns_the_one_button_of_twenty_that_leads_on() {
    let scene = scene(1, buttons(NAMES.map(String::from)));
    let (mut agent, mut rng) = (small(Variant::Quick), Seed(1).fork("agent"));
    agent.begin();
    let mut taken = |count: u32| {
        (0..count)
            .filter(|_| step(&mut agent, &scene, &mut rng, |at| f64::from(u8::from(at == 7)), false) == 7)
            .count()
    };
    taken(400);
    let of_last = taken(200);
    assert!(of_last > 100, "{of_last} of 200 choices among {} offers", scene.offers.len());
}

#[test]
fn the_same_seed_makes_the_same_choices_on_every_machine() {
    let scene = scene(1, buttons(NAMES.map(String::from)));
    let run = |variant, seed: u64| -> Vec<u16> {
        let (mut agent, mut rng) = (small(variant), Seed(seed).fork("agent"));
        (0..120)
            .map(|_| step(&mut agent, &scene, &mut rng, |at| f64::from(u8::from(at == 3)), false))
            .collect()
    };
    let sum = |taken: &[u16]| hash(taken.iter().flat_map(|at| at.to_le_bytes()));
    for variant in VARIANTS {
        assert_eq!(run(variant, 1), run(variant, 1));
        assert_ne!(run(variant, 1), run(variant, 2));
    }
    let sums = VARIANTS.map(|variant| sum(&run(variant, 1)));
    assert_eq!(
        sums,
        [13_396_470_813_551_799_147, 1_644_997_762_674_277_760],
        "choices depend on every bit of the weights"
    );
}

#[test]
fn any_number_of_offers_is_weighed_within_bounds() {
    for variant in VARIANTS {
        for count in [0, 1, 2, 200, 5_000] {
            let scene = scene(1, buttons((0..count).map(|number| format!("row {number}"))));
            let (mut agent, mut rng) = (small(variant), Seed(1).fork("agent"));
            for nth in 0..40 {
                let taken = step(&mut agent, &scene, &mut rng, |_| 0.0, nth % 9 == 8);
                assert!(usize::from(taken) < scene.offers.len());
            }
            assert!(agent.learner.expect("it has learned").is_finite());
        }
    }
}

#[test]
fn rewards_of_any_size_leave_the_network_finite() {
    let scene = scene(1, buttons(NAMES.map(String::from)));
    for variant in VARIANTS {
        for size in [1e-300, 1.0, 1e300] {
            let (mut agent, mut rng) = (small(variant), Seed(1).fork("agent"));
            for nth in 0..100 {
                let reward = |at: u16| if at.is_multiple_of(2) { -size } else { 1.0 / size };
                step(&mut agent, &scene, &mut rng, reward, nth % 7 == 0);
            }
            assert!(agent.learner.expect("it has learned").is_finite(), "{size}");
        }
    }
}

/// Returns the names and the places of the events of a screen.
fn events_of(scene: &Scene, splits: bool) -> Vec<(u64, Vec<u16>)> {
    let events = Events::new(splits).of(scene);
    events.iter().map(|event| (event.vertex, event.places.to_vec())).collect()
}

#[test]
fn all_texts_of_a_field_are_one_event() {
    let mut field = button("", 0);
    field.class = "android.widget.EditText".into();
    field.id = "p:id/field".into();
    field.flags = field.flags.set(Flags::EDITABLE, true);
    let scene = scene(1, vec![field, button("Next", 1)]);
    let events = events_of(&scene, false);
    let texts = |at: &u16| scene.actions[usize::from(*at)].typed().is_some();
    assert!(scene.actions.iter().filter(|action| action.typed().is_some()).count() > 1);
    assert_eq!(events.iter().filter(|(_, places)| places.iter().any(texts)).count(), 1);
    let mut all: Vec<u16> = events.iter().flat_map(|(_, places)| places.iter().copied()).collect();
    all.sort_unstable();
    assert_eq!(all, (0..scene.offers.len() as u16).collect::<Vec<_>>());
}

#[test]
fn an_event_is_the_same_on_another_page_of_the_activity_and_not_in_another_dialog() {
    let vertices = |number: u32, widgets: Vec<Widget>, name: &str| -> Vec<u64> {
        let scene = scene(number, widgets);
        let named = |places: &[u16]| {
            scene.actions[usize::from(places[0])].target().is_some_and(|target| *target.text == *name)
        };
        let events = events_of(&scene, false).into_iter();
        events.filter(|(_, places)| named(places)).map(|(vertex, _)| vertex).collect()
    };
    let page = |names: &[&str]| buttons(names.iter().map(ToString::to_string));
    let one = vertices(1, page(&["Save", "Open"]), "Save");
    assert_eq!(one, vertices(2, page(&["Row 1", "Row 2", "Save"]), "Save"));
    assert_ne!(one, vertices(3, page(&["Open", "Help"]), "Open"));
    // Rows with the same text are events of their own.
    let rows = vertices(4, page(&["Save", "Save"]), "Save");
    assert!(rows.len() == 2 && rows[0] == one[0] && rows[1] != one[0]);
    let dialog = |title: &str| {
        let says = Widget { flags: Flags::ENABLED, bounds: Bounds::new(50, 0, 90, 9), ..button(title, 0) };
        vertices(5, vec![says, button("OK", 20)], "OK")
    };
    assert_eq!(dialog("Delete it?"), dialog("Delete it?"));
    assert_ne!(dialog("Delete it?"), dialog("Rate us"));
}

/// Generations by definition: sets of pages, and every event of each.
fn plain_generations(
    pages: &[Vec<u64>],
    steps: &[(u64, usize)],
    event: u64,
) -> [Generation; net::GENERATIONS] {
    let led = |event: u64| -> std::collections::BTreeSet<usize> {
        steps.iter().filter(|(done, _)| *done == event).map(|(_, to)| *to).collect()
    };
    let mut behind = led(event);
    [(); net::GENERATIONS].map(|()| {
        let mut bins = [0_usize; net::BINS];
        for event in behind.iter().flat_map(|&page| &pages[page]) {
            let times = steps.iter().filter(|(done, _)| done == event).count();
            bins[times.min(net::BINS - 1)] += 1;
        }
        behind = behind.iter().flat_map(|&page| &pages[page]).flat_map(|&event| led(event)).collect();
        bins.map(|count| count.min(50) as u8)
    })
}

#[test]
fn what_lies_behind_an_event_is_as_defined() {
    let mut rng = Seed(3).fork("test");
    for _ in 0..60 {
        let count = 1 + rng.below(7);
        // Some events are on several pages.
        let pages: Vec<Vec<u64>> = (0..count)
            .map(|page| {
                (0..rng.below(7)).map(|nth| if nth == 0 { 0 } else { (10 * page + nth) as u64 }).collect()
            })
            .collect();
        let mut graph = Graph::default();
        for (page, events) in pages.iter().enumerate() {
            graph.meet(StateId(page as u32), events.iter().copied(), [].into_iter());
        }
        let mut steps = Vec::new();
        for _ in 0..rng.below(60) {
            let events = &pages[rng.below(count)];
            if let Some(&event) = events.get(rng.below(events.len())) {
                let to = rng.below(count);
                steps.push((event, to));
                graph.count(StateId(0), event, StateId(to as u32));
            }
        }
        let mut ahead = graph.ahead();
        for &event in pages.iter().flatten() {
            assert_eq!(
                ahead.of(event),
                plain_generations(&pages, &steps, event),
                "{pages:?} {steps:?} {event}"
            );
        }
    }
}

#[test]
fn the_nearest_event_that_was_never_done_is_found_and_those_of_the_system_do_not_count() {
    let mut graph = Graph::default();
    // Event 10 leads from page 0 to page 1, 11 on to page 2, where 12 was done and 13 was not. 20 leads to page 3, which has
    // only an event of the system that was never done, and 30 back to page 0.
    let pages: [(&[u64], &[u64]); 4] = [(&[10, 20], &[99]), (&[11], &[99]), (&[12, 13], &[]), (&[30], &[98])];
    for (number, (of_app, of_system)) in (0..).zip(pages) {
        graph.meet(StateId(number), of_app.iter().copied(), of_system.iter().copied());
    }
    for (from, event, to) in [(0, 10, 1), (1, 11, 2), (2, 12, 2), (0, 20, 3), (3, 30, 0)] {
        graph.count(StateId(from), event, StateId(to));
    }
    let mut ahead = graph.ahead();
    let distances = [13, 12, 11, 10, 30, 20].map(|event| ahead.distance(event));
    assert_eq!(distances, [Some(0), Some(1), Some(1), Some(2), Some(3), Some(4)]);
    graph.count(StateId(2), 13, StateId(2));
    assert_eq!(graph.ahead().distance(10), None);
}

#[test]
fn counts_begin_anew_with_each_phase_and_weights_stay() {
    let scene = scene(1, buttons(NAMES.map(String::from)));
    let settings = DinoSettings { width: 16, epochs: 1, first: 5, ..DinoSettings::LETTER };
    let (mut agent, mut rng) = (Dino::letter(settings, 90), Seed(1).fork("agent"));
    let sum = |agent: &Dino| -> u32 {
        let events = Events::new(false).of(&scene);
        events.iter().map(|event| agent.graph.times(event.vertex)).sum()
    };
    let mut most = 0;
    for _ in 0..90 {
        step(&mut agent, &scene, &mut rng, |_| -2.0, false);
        let (counted, steps) = (sum(&agent), agent.steps % 30);
        assert!(u64::from(counted) <= steps, "{counted} after {steps}");
        assert!(agent.learner.as_ref().expect("it has chosen").samples() as u64 <= steps);
        most = most.max(counted);
    }
    assert!(most > 20, "{most}");
}

#[test]
fn the_first_steps_do_everything_once() {
    let scene = scene(1, buttons(NAMES.map(String::from)));
    let (mut agent, mut rng) =
        (Dino::letter(DinoSettings { width: 16, ..DinoSettings::LETTER }, 0), Seed(2).fork("agent"));
    let mut taken = Vec::new();
    while agent.steps < 20 {
        let at = step(&mut agent, &scene, &mut rng, |_| -2.0, false);
        let name = scene.actions[usize::from(at)].type_name();
        if !["rotate", "network", "pauseresume", "idle"].contains(&name) {
            taken.push(at);
        }
    }
    let count = taken.len();
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(taken.len(), count);
    // Two steps are of the system, and a fresh start may have taken one.
    assert!((17..=18).contains(&count), "{count}");
}

#[test]
fn an_end_is_told_from_a_cut_and_what_was_learned_outlives_other_numbers() {
    let scene = scene(1, buttons(["one", "two"].map(String::from)));
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation =
        Situation { scene: &scene, phase: PhaseId::START, steps_left: 1, candidates: &all, preferred: &all };
    let learned = |reward: f64, next: Next<'_>| {
        let (mut agent, mut rng) = (small(Variant::Quick), Seed(1).fork("agent"));
        let phase = PhaseId::START;
        let Choice::Offer(at) = agent.choose(&situation, None, &mut rng) else { panic!("a choice") };
        let transition =
            Transition { from: &situation, at, reward, elapsed_ms: None, to: &scene, phase, next };
        agent.learn(&transition, &mut rng);
        agent.end(Origin::Device);
        agent.begin();
        agent.forget(Recollection::Whole);
        // A step of the past is counted, and not remembered twice.
        agent.note(&situation, 1, Origin::Experience);
        agent.learn(&Transition { at: 1, next: Next::Choice(&situation), ..transition }, &mut rng);
        let event = events_of(&scene, true).into_iter().find(|(_, places)| places.contains(&1));
        assert_eq!(agent.graph.times(event.expect("an event").0), 1);
        agent.learner.expect("it has chosen").ends()
    };
    assert_eq!(learned(0.0, Next::Terminal), [true]);
    assert_eq!(learned(0.0, Next::DeadEnd), [true]);
    assert_eq!(learned(0.0, Next::Truncated), [false], "the app would go on");
    // Nobody knows what comes next, or what the reward is.
    assert!(learned(0.0, Next::Unknown).is_empty());
    assert!(learned(f64::NAN, Next::Terminal).is_empty());
}

/// Returns the worth of an event that was done so often, with this many events behind it that were done never and once, in
/// each generation.
fn worth(agent: &mut Dino, times: u32, behind: [(u8, u8); net::GENERATIONS]) -> f32 {
    let ahead = behind.map(|(never, once)| {
        let mut bins = [0; net::BINS];
        (bins[0], bins[1]) = (never, once);
        bins
    });
    let mut further = [0.0; FURTHER];
    // A click, not done in the episode, with half of it left.
    (further[1], further[2], further[10]) = (0.3, 1.0 / (1.0 + times as f32).sqrt(), 1.0);
    let row = Row { text: Arc::new(Text::of_text("")), times, ahead, further };
    agent.learner.as_mut().expect("it has learned").worths([&row])[0]
}

#[test]
fn without_numbers_of_a_word_all_texts_are_worth_the_same() {
    let scene = scene(1, buttons(NAMES.map(String::from)));
    for (width, differ) in [(0, false), (16, true)] {
        let settings = DinoSettings { width, batch: 8, first: 0, ..DinoSettings::QUICK };
        let (mut agent, mut rng) = (Dino::quick(settings, 0), Seed(1).fork("agent"));
        for _ in 0..50 {
            step(&mut agent, &scene, &mut rng, f64::from, false);
        }
        let row = |text: &str| Row {
            text: Arc::new(Text::of_text(text)),
            times: 1,
            ahead: [[0; net::BINS]; net::GENERATIONS],
            further: [0.0; FURTHER],
        };
        let learner = agent.learner.as_mut().expect("it has learned");
        assert!(learner.is_finite());
        let worths = learner.worths([&row("Save"), &row("Open the door"), &row("")]).to_vec();
        assert_eq!(
            worths.windows(2).any(|pair| pair[0].to_bits() != pair[1].to_bits()),
            differ,
            "{worths:?}"
        );
    }
}

#[test]
fn worths_are_in_the_orders_of_the_paper() {
    // Apps of 12 pages with six buttons each, of which some lead on; each is explored for a while, and weights stay.
    const PAGES: usize = 12;
    let pages: Vec<Scene> = (0..PAGES)
        .map(|page| scene(page as u32, buttons((0..6).map(|nth| format!("{page} {nth}")))))
        .collect();
    let settings = DinoSettings { width: 4, batch: 16, first: 10, ..DinoSettings::QUICK };
    let (mut agent, mut rng) = (Dino::quick(settings, 0), Seed(1).fork("agent"));
    for app in 0..8_usize {
        let mut page = 0;
        let mut done = std::collections::BTreeSet::new();
        agent.graph = Graph::default();
        agent.begin();
        for nth in 0..150 {
            let here = &pages[page];
            let all: Vec<u16> = (0..here.offers.len() as u16).collect();
            let situation = Situation {
                scene: here,
                phase: PhaseId::START,
                steps_left: 15,
                candidates: &all,
                preferred: &all,
            };
            let Choice::Offer(at) = agent.choose(&situation, None, &mut rng) else { panic!("a choice") };
            let target = here.actions[usize::from(at)].target().map(|target| target.text.clone());
            let is_new = done
                .insert(target.clone().unwrap_or_else(|| here.actions[usize::from(at)].type_name().into()));
            if target.is_some() && (usize::from(at) + page + app).is_multiple_of(2) {
                page = (page * 5 + usize::from(at) * 3 + app) % PAGES;
            }
            let to = &pages[page];
            let after = Situation { scene: to, ..situation };
            let next = if nth % 30 == 29 { Next::Truncated } else { Next::Choice(&after) };
            let reward = if is_new { 5.0 } else { -2.0 };
            let (phase, elapsed_ms) = (PhaseId::START, None);
            agent.learn(&Transition { from: &situation, at, reward, elapsed_ms, to, phase, next }, &mut rng);
            if nth % 30 == 29 {
                agent.end(Origin::Device);
                agent.begin();
                page = 0;
            }
        }
    }
    let mut of = |times: u32, behind: [(u8, u8); net::GENERATIONS]| worth(&mut agent, times, behind);
    let never = of(0, [(0, 0); 3]);
    let few = [(1, 1), (1, 1), (1, 1)];
    println!("never done {never}");
    for behind in [
        few,
        [(6, 1), (1, 1), (1, 1)],
        [(1, 1), (6, 1), (1, 1)],
        [(1, 1), (1, 1), (6, 1)],
        [(1, 6), (1, 1), (1, 1)],
    ] {
        println!("{behind:?}: {:?}", [1, 2, 3, 4, 5].map(|times| of(times, behind)));
    }
    for times in 1..=5 {
        assert!(never > of(times, [(6, 1), (1, 1), (1, 1)]), "what was never done is worth the most");
        assert!(of(times, [(6, 1), (1, 1), (1, 1)]) > of(times, few), "{times}");
    }
    assert!(of(1, few) > of(5, few), "what was done more is worth less");
}
