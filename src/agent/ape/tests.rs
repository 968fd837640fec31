//! Laws of the graph and of its paths, against slower definitions.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::gui::{Action, Context, Flags, Screen, Target, Touch, Widget};
use crate::rng::Seed;
use crate::situation::{ClassId, Habit, LabelingId, LookId, Offer, PhaseId, SpotId, StateId};

fn on(object_id: &str) -> Target {
    Target { object_id: object_id.into(), ..Target::default() }
}

/// A screen of a state with these actions, whose names are their numbers; 0 is the key back.
fn scene(state: u32, activity: u32, names: &[u32]) -> Scene {
    let offer = |slot: usize| Offer {
        action: ActionId(names[slot]),
        slot: slot as u16,
        labeling: LabelingId(0),
        spot: SpotId(0),
        class: ClassId(0),
        has_name: true,
        hints: 0,
        habit: Habit::Any,
    };
    let action = |name: &u32| match name {
        0 => Action::BACK,
        name => Action::click(on(&name.to_string())),
    };
    Scene {
        state: StateId(state),
        screen_id: ScreenId(state),
        activity: ActivityId(activity),
        look: LookId(0),
        frame: 0,
        slots: names.len() as u16,
        offers: (0..names.len()).map(offer).collect(),
        actions: names.iter().map(action).collect(),
        screen: None,
    }
}

const ACTIONS: u16 = 4;

/// Any graph: states in activities, and steps between them.
fn steps() -> impl Strategy<Value = Vec<(u32, u16, u32)>> {
    prop::collection::vec((0_u32..7, 0..ACTIONS, 0_u32..7), 0..60)
}

fn seen(graph: &mut Graph, state: u32, shut: Option<u16>) -> At {
    // The states have some names in common.
    let scene = scene(state, state / 2, &[0, 1, 2 + state % 3, 10 + state]);
    let acts = Acts::new(&scene);
    let is_open = |at: u16| Some(at) != shut;
    graph.see(&scene, &acts, shut.is_some().then_some(&is_open))
}

/// Returns the graph of these steps, in which every third screen has an action that is ruled out.
fn graph(steps: &[(u32, u16, u32)]) -> Graph {
    let mut graph = Graph::default();
    for (nth, &(from, slot, to)) in steps.iter().enumerate() {
        let from = seen(&mut graph, from, None);
        let to = seen(&mut graph, to, (nth % 3 == 0).then_some(nth as u16 % ACTIONS));
        graph.learn(from, slot, &Offer::numbered(slot), to);
    }
    graph
}

proptest! {
    #[test]
    fn transitions_are_counted_by_their_definition(steps in steps()) {
        let graph = graph(&steps);
        let mut counts: BTreeMap<(u32, u16), Vec<u32>> = BTreeMap::new();
        for &(from, slot, to) in &steps {
            counts.entry((from, slot)).or_default().push(to);
        }
        let place = |state: u32| {
            let mut order: Vec<u32> = Vec::new();
            for one in steps.iter().flat_map(|&(from, _, to)| [from, to]) {
                if !order.contains(&one) {
                    order.push(one);
                }
            }
            At(order.iter().position(|one| *one == state).expect("it was met") as u32)
        };
        for ((from, slot), outcomes) in &counts {
            let known = graph.state(place(*from)).act(*slot).expect("it was done");
            prop_assert_eq!(known.visits as usize, outcomes.len());
            let told: BTreeMap<At, (u32, u32)> =
                known.edges.iter().map(|edge| (edge.to, (edge.hits, edge.misses))).collect();
            for to in outcomes.iter().collect::<BTreeSet<_>>() {
                let hits = outcomes.iter().filter(|one| *one == to).count() as u32;
                let misses = outcomes.len() as u32 - hits;
                prop_assert_eq!(told[&place(*to)], (hits, misses));
            }
        }
        for (at, state) in (0..).map(At).zip(&graph.states) {
            let visits = steps.iter().filter(|&&(_, _, to)| place(to) == at).count();
            prop_assert_eq!(state.visits as usize, visits);
            prop_assert_eq!(state.is_saturated(), state.acts().all(|(_, known)| known.is_saturated()));
            let is_open = |known: &graph::Known| known.is_open() && known.kind != priority::Kind::Back;
            prop_assert_eq!(state.is_open(), state.acts().any(|(_, known)| is_open(known)));
        }
        for (activity, counts) in &graph.activities {
            let of = || graph.states.iter().filter(|state| state.activity == *activity);
            prop_assert_eq!(counts.states as usize, of().count());
            prop_assert_eq!(counts.visits, of().map(|state| u64::from(state.visits)).sum::<u64>());
            let acts = || of().flat_map(|state| state.acts());
            prop_assert_eq!(counts.actions as usize, acts().count());
            prop_assert_eq!(counts.done as usize, acts().filter(|(_, known)| known.visits > 0).count());
        }
    }

    #[test]
    fn paths_are_strong_and_as_short_as_can_be(
        steps in steps(),
        from in 0_u32..7,
        targets in prop::collection::btree_set(0_u32..7, 0..4),
        shut in 0..ACTIONS,
        steps_max in 0_u32..5,
        along in prop::sample::select(vec![Along::All, Along::Forward, Along::Back]),
    ) {
        let graph = graph(&steps);
        prop_assume!((from as usize) < graph.states.len());
        let from = At(from);
        let is_target = |at: At| targets.contains(&at.0);
        let can = |at: At, slot: u16, known: &graph::Known| {
            let is_back = known.kind == priority::Kind::Back;
            let is_along = match along {
                Along::All => true,
                Along::Forward => !is_back,
                Along::Back => is_back,
            };
            is_along && if at == from { slot != shut } else { !known.is_shut }
        };
        // By the definition: all that can be reached in so many steps, one more at a time.
        let mut reached = BTreeSet::from([from]);
        let mut length = None;
        for steps in 1..=steps_max {
            let next: Vec<At> = reached
                .iter()
                .flat_map(|&at| graph.state(at).acts().map(move |(slot, known)| (at, slot, known)))
                .filter(|&(at, slot, known)| can(at, slot, known))
                .flat_map(|(_, _, known)| &known.edges)
                .filter(|edge| edge.misses == 0 || edge.hits >= edge.misses + 2)
                .map(|edge| edge.to)
                .collect();
            reached.extend(next);
            if length.is_none() && reached.iter().any(|&at| at != from && is_target(at)) {
                length = Some(steps);
            }
        }
        let is_first = |slot: u16, _: &Edge| slot != shut;
        let path = shortest(&graph, Search { from, is_first: &is_first, along, steps_max }, &is_target);
        prop_assert_eq!(path.as_ref().map(|hops| hops.len() as u32), length);
        if let Some(hops) = path {
            prop_assert!(is_target(hops[hops.len() - 1].to));
            prop_assert_eq!(hops[0].from, from);
            prop_assert!(hops.windows(2).all(|pair| pair[0].to == pair[1].from));
            for hop in &hops {
                let known = graph.state(hop.from).act(hop.slot).expect("it is known");
                prop_assert!(can(hop.from, hop.slot, known));
                prop_assert!(known.edges.iter().any(|edge| edge.to == hop.to && edge.is_strong()));
            }
        }
    }
}

#[test]
fn a_state_is_greedy_as_seen_from_one_that_does_not_offer_what_is_open_there() {
    let graph = graph(&[(0, 1, 1)]);
    let names = |names: &[u32]| names.iter().copied().map(ActionId).collect::<FxHashSet<ActionId>>();
    let state = graph.state(At(1));
    assert!(state.is_greedy(&names(&[1, 2])));
    assert!(!state.is_greedy(&names(&[1, 3, 11])), "back does not count");
}

#[test]
fn an_activity_is_trivial_if_it_was_hardly_visited_and_few_of_its_actions_were_done() {
    let mut graph = Graph::default();
    let [a, b, c, d] = [0, 2, 4, 6].map(|state| seen(&mut graph, state, None));
    // With three activities, none is.
    for _ in 0..9 {
        graph.learn(a, 1, &Offer::numbered(1), b);
        graph.learn(b, 1, &Offer::numbered(1), a);
    }
    graph.learn(a, 2, &Offer::numbered(2), c);
    assert_eq!(graph.trivial_activities(), [ActivityId(2), ActivityId(3)]);
    // All of its actions were done.
    (0..ACTIONS).for_each(|slot| graph.learn(d, slot, &Offer::numbered(slot), a));
    assert_eq!(graph.trivial_activities(), [ActivityId(2)]);
    let mut three = Graph::default();
    for state in [0, 2, 4] {
        seen(&mut three, state, None);
    }
    assert_eq!(three.trivial_activities(), []);
}

/// A screen with two fields, the second of which takes no clicks and has the focus, and a button.
fn form() -> Scene {
    let widget =
        |at: u16, flags: Flags| Widget { id: format!("p:id/{at}").into(), flags, ..Widget::default() };
    let flags = Flags::ENABLED.set(Flags::EDITABLE, true);
    let widgets = vec![
        widget(0, flags.set(Flags::CLICKABLE, true)),
        widget(1, flags.set(Flags::FOCUSED, true)),
        widget(2, Flags::ENABLED.set(Flags::CLICKABLE, true)),
    ];
    let screen = Screen::new("p", "p.A", Context::default(), widgets);
    let mut objects = Vec::new();
    screen.for_each_object(|_, _, object_id| objects.push(object_id.to_string()));
    let text = |at: usize, text: &str| Action::Text { on: on(&objects[at]), text: text.into() };
    let click = |at: usize| Action::click(on(&objects[at]));
    let actions = vec![
        text(0, "a"),
        text(0, "b"),
        click(0),
        text(1, "a"),
        text(1, "b"),
        click(2),
        Action::Touch(Touch::LongClick, on(&objects[2])),
        Action::BACK,
    ];
    let mut scene = scene(1, 1, &[1, 2, 3, 4, 5, 6, 7, 0]);
    scene.actions = actions.into();
    scene.screen = Some(Arc::new(screen));
    scene
}

#[test]
fn a_text_is_what_a_click_on_its_field_comes_to() {
    let acts = Acts::new(&form());
    assert_eq!(acts.slots, [2, 2, 2, 3, 3, 5, 6, 7]);
    let ways: Vec<(u16, usize)> =
        acts.all.iter().map(|act| (act.slot, act.ways.iter().map(|way| way.texts.len()).sum())).collect();
    assert_eq!(ways, [(2, 2), (5, 0), (6, 0), (7, 0), (3, 2)]);
    assert!(acts.get(3).is_some_and(|act| act.ways[0].waits_for_text));
    assert!(acts.get(2).is_some_and(|act| !act.ways[0].waits_for_text));
    let (mut rng, mut times) = (Seed(1).fork("test"), [0_u32; 8]);
    let act = acts.get(2).expect("the first field");
    (0..10_000).for_each(|_| {
        let drawn = act.draw(&|_| true, 0.8, &mut rng).expect("it is open");
        times[usize::from(drawn)] += 1;
    });
    assert!(times[0].abs_diff(4_000) < 250 && times[1].abs_diff(4_000) < 250, "{times:?}");
    assert!(times[2].abs_diff(2_000) < 250, "{times:?}");
    assert_eq!(act.draw(&|at| at == 2, 1.0, &mut rng), Some(2), "the text is ruled out");
    assert_eq!(act.draw(&|at| at > 2, 0.8, &mut rng), None);
}

#[test]
fn a_field_with_the_focus_gets_a_text_in_its_share() {
    let (scene, mut rng) = (form(), Seed(1).fork("test"));
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation = at(&scene, &all);
    let mut typed = 0;
    for _ in 0..2_000 {
        let mut agent = Ape::new(ApeSettings::default());
        let choice = agent.choose(&situation, None, &mut rng);
        let is_by_focus = agent.reason.is_some_and(|reason| reason.evidence == Evidence::Rule(Rule::Text));
        assert!(!is_by_focus || [Choice::Offer(3), Choice::Offer(4)].contains(&choice));
        typed += i32::from(is_by_focus);
    }
    assert!((typed - 1_600).abs() < 110, "{typed}");
}

/// Does the action at `at`, which leads to the same screen, this many times, or until the agent starts the app afresh.
fn stay(agent: &mut Ape, scene: &Scene, times: u32) -> u32 {
    let all: Vec<u16> = (0..scene.offers.len() as u16).collect();
    let situation =
        Situation { scene, phase: PhaseId::START, steps_left: 999, candidates: &all, preferred: &all };
    let mut rng = Seed(2).fork("test");
    agent.begin();
    for step in 0..times {
        let Choice::Offer(at) = agent.choose(&situation, None, &mut rng) else { return step };
        let next = Next::Choice(&situation);
        let (reward, elapsed_ms, phase) = (0.0, None, PhaseId::START);
        let transition = Transition { from: &situation, at, reward, elapsed_ms, to: scene, phase, next };
        agent.learn(&transition, &mut rng);
    }
    times
}

#[test]
fn the_app_is_started_afresh_where_nothing_changes() {
    let scene = form();
    let settings = ApeSettings::default();
    // 50 steps in the same state; the first of them came to it.
    assert_eq!(stay(&mut Ape::new(settings), &scene, 999), 50);
    // 100 steps without a new transition, once all actions were done; texts for the focused field come between them.
    let quiet = stay(&mut Ape::new(ApeSettings { still: 1_000, ..settings }), &scene, 999);
    assert!((100..160).contains(&quiet), "{quiet}");
    let patient = ApeSettings { still: 1_000, quiet: 1_000, ..settings };
    let mut agent = Ape::new(patient);
    let lives: BTreeSet<u32> = (0..3).map(|_| stay(&mut agent, &scene, 999)).collect();
    assert!(lives.iter().all(|life| (100..=300).contains(life)), "{lives:?}");
}

/// A situation with these offers.
fn at<'s>(scene: &'s Scene, offers: &'s [u16]) -> Situation<'s> {
    Situation { scene, phase: PhaseId::START, steps_left: 9, candidates: offers, preferred: offers }
}

#[test]
fn a_path_begins_with_what_led_on_once_only_from_a_widget_of_the_same_name() {
    // Four rows are one action of a list; a row opens a page, which has a button that was never done.
    let list = |first: u16| {
        let row = |row: u16| Offer { action: ActionId(1), slot: 0, ..Offer::numbered(row) };
        let mut list = scene(0, 0, &[1, 1, 1, 1]);
        list.screen_id = ScreenId(first.into());
        list.offers = (first..first + 4).map(row).collect();
        list
    };
    let (old, new, page) = (list(0), list(10), scene(2, 1, &[5, 6]));
    let all = [0, 1, 2, 3];
    let (here, there) = (at(&old, &all), at(&page, &all[..2]));
    let mut rng = Seed(1).fork("test");
    let mut agent = Ape::new(ApeSettings { texts: 0.0, ..ApeSettings::default() });
    let mut is_on_path = |agent: &mut Ape, scene: &Scene| {
        agent.walk = None;
        agent.choose(&at(scene, &all), None, &mut rng);
        agent.reason.is_some_and(|reason| reason.evidence == Evidence::Rule(Rule::Forward))
    };
    let next = Next::Choice(&there);
    let (reward, elapsed_ms, phase) = (0.0, None, PhaseId::START);
    let opens = Transition { from: &here, at: 1, reward, elapsed_ms, to: &page, phase, next };
    agent.learn(&opens, &mut Seed(2).fork("test"));
    assert!(is_on_path(&mut agent, &old));
    assert!(!is_on_path(&mut agent, &new), "no row has the name of the one that led on");
    agent.learn(&opens, &mut Seed(2).fork("test"));
    assert!(is_on_path(&mut agent, &new), "it has led on twice");
}

#[test]
fn a_path_begins_with_back_only_where_that_leads_to_the_activity_behind() {
    // Back has led from a page to a list. Now another list lies behind the page.
    let (list, other, page) = (scene(0, 0, &[1, 0]), scene(4, 2, &[7, 0]), scene(2, 1, &[5, 0]));
    let all = [0, 1];
    let (list, other, page) = (at(&list, &all), at(&other, &all), at(&page, &all));
    let mut agent = Ape::new(ApeSettings::default());
    let go = |agent: &mut Ape, from: &Situation<'_>, at: u16, to: &Situation<'_>| {
        let (next, phase) = (Next::Choice(to), PhaseId::START);
        let step = Transition { from, at, reward: 0.0, elapsed_ms: None, to: to.scene, phase, next };
        agent.learn(&step, &mut Seed(2).fork("test"));
    };
    go(&mut agent, &page, 1, &list);
    for (behind, is_first) in [(&list, true), (&other, false)] {
        agent.begin();
        go(&mut agent, &page, 0, behind);
        go(&mut agent, behind, 0, &page);
        let place = agent.see(&page);
        let acts = agent.acts(page.scene);
        let back = agent.graph.state(place).act(1).expect("the key back");
        let edge = *back.edges.first().expect("it was pressed");
        let here = Here {
            at: place,
            activity: page.scene.activity,
            offers: &page.scene.offers,
            acts: &acts,
            open: Vec::new(),
            is_candidate: &|_| true,
            steps_left: 9,
        };
        assert_eq!(agent.is_first(&here, 1, &edge), is_first);
    }
}
