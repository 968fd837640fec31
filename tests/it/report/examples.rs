//! Runs to report on: real searches on the apps of the repository, and one in which every text is hostile.

use std::collections::BTreeMap;
use std::sync::Arc;

use farlead::agent::{AgentInfo, FARLEAD, PLANNER, RANDOM};
use farlead::device::{Device, Sim};
use farlead::event::{
    ActionDone, AppMap, Automaton, Coverage, Event, FORMAT, Kind, KindWay, Lesson, MapEdge, MapState,
    MapTree, MapWidget, Outcome, PathCounts, PathStep, Reached, ReplayVerdict, Replayed, Residual, RunBegan,
    SpecBegan, SpecEnded, StateCounts, StateMap, StepTaken, Unreached, Way,
};
use farlead::gui::{Bounds, Context, Flags, Orientation, Screen, Widget};
use farlead::learned_model::{LearnedModel, Mapped};
use farlead::ltl;
use farlead::objective::Pays;
use farlead::rate::Rate;
use farlead::report::Run;
use farlead::search::{Budget, Dictionary, News, Plan, explore, search, together};
use farlead::spec::{Source, Spec, parse};
use farlead::trace::{Notice, Trace};

use crate::models::{simulator, source};

/// Returns a run with these events.
pub fn run(events: impl IntoIterator<Item = Event>) -> Run {
    let mut run = Run::new();
    for event in events {
        run.take(event).expect("events in their order");
    }
    run
}

/// Returns searches on ChessWalk: passed, not found, failed, untested, and an error.
pub fn chess() -> Vec<Event> {
    let mut recorder = Recorder::new("chesswalk", 1);
    for (file, only, agent) in [
        ("about", "c", &PLANNER),
        ("about", "a", &FARLEAD),
        ("settings", "b", &PLANNER),
        ("move", "c", &PLANNER),
        ("sleep", "b", &PLANNER),
        ("second_game", "b", &RANDOM),
        ("remember", "b", &FARLEAD),
    ] {
        recorder.search(&source(&format!("specs/chesswalk/{file}.ltl")), Some(only), agent);
    }
    let guards = "possible \"slip\" within 4 steps, 60 episodes: F [activity ~ Abuot]
never \"leaves the app\" within 4 steps, 100 episodes: F [activity ~ Launcher]
never \"unseen\" within 4 steps, 30 episodes: F ([activity ~ Nowhere] & [crashed = true])";
    recorder.search(&Source::new("specs/guards.ltl", guards), None, &PLANNER);
    recorder.error("specs/guards.ltl", "broken spec");
    recorder.finish(1)
}

/// Returns searches on Notes.
pub fn notes() -> Vec<Event> {
    let mut recorder = Recorder::new("notes", 2);
    for file in ["palette", "dummy_note"] {
        recorder.search(&source(&format!("specs/notes/{file}.ltl")), None, &PLANNER);
    }
    recorder.finish(0)
}

/// Writes the events of searches, as a command does.
struct Recorder {
    events: Vec<Event>,
    app: &'static str,
    seed: u64,
    screens: BTreeMap<farlead::gui::Identity, usize>,
    specs: usize,
}

impl Recorder {
    fn new(app: &'static str, seed: u64) -> Recorder {
        let device = simulator(app, &[], seed);
        let began = RunBegan {
            format: FORMAT,
            farlead: "0.1.0".to_string(),
            command: "check".to_string(),
            device: device.describe(),
            package: device.app().package.to_string(),
            version: device.app().version.to_string(),
            seed,
            shard: None,
        };
        let events = vec![Event::RunBegan(began)];
        Recorder { events, app, seed, screens: BTreeMap::new(), specs: 0 }
    }

    fn search(&mut self, source: &Source, only: Option<&str>, agent: &'static AgentInfo) {
        let file = parse(source).file;
        for spec in file.specs.iter().filter(|spec| only.is_none_or(|only| spec.name == only)) {
            let plan = Plan {
                steps_max: spec.budget.steps_max.unwrap_or(6),
                episodes_max: spec.budget.episodes_max.unwrap_or(100),
                actions: file.actions.clone().into(),
                ..Plan::new(agent)
            };
            self.begin(source, spec, &plan);
            self.search_one(spec, &plan);
        }
    }

    fn begin(&mut self, source: &Source, spec: &Spec, plan: &Plan) {
        self.events.push(Event::SpecBegan(SpecBegan {
            spec: self.specs,
            file: source.name().to_string(),
            line: spec.line,
            name: spec.name.clone(),
            expectation: spec.expectation.word().to_string(),
            formula: spec.formulas.display(spec.formula).to_string(),
            agent: plan.agent.name.to_string(),
            steps_max: plan.steps_max,
            episodes_max: plan.episodes_max,
            automaton: automaton(spec),
            set_up: Vec::new(),
            scenario: Vec::new(),
        }));
        self.specs += 1;
    }

    fn search_one(&mut self, spec: &Spec, plan: &Plan) {
        let number = self.specs - 1;
        let mut device: Sim = simulator(self.app, &[], self.seed);
        let mut map = BTreeMap::new();
        let finding = search(&mut device, spec, plan, &mut |news| {
            if let News::EpisodeEnded { episode, steps, closest, trace, .. } = news {
                let (episode, steps, closest) = (*episode, *steps, *closest);
                self.follow(&trace(), &mut map);
                self.events.push(Event::EpisodeEnded { spec: number, episode, steps, closest });
            }
            true
        });
        let finding = finding.expect("no model fails here");
        let held: Vec<u64> = finding.reach.report.held.iter().map(|(_, times)| *times).collect();
        let found = finding.run.is_some();
        let outcome = Outcome::of(spec.expectation, found, false, &held);
        let steps = finding.run.as_ref().map_or(&[][..], |run| &run.steps);
        let run: Vec<StepTaken> = steps
            .iter()
            .map(|step| StepTaken::new(step, self.screens[&step.observation.screen.identity()]))
            .collect();
        let is_met = outcome == Outcome::Passed;
        let ended = SpecEnded {
            spec: number,
            episodes: finding.episodes,
            steps: finding.steps,
            device_ms: finding.device_ms,
            found_steps: found.then_some(run.len() + 1),
            confirmed: found.then_some(Rate { passes: 3, runs: 3 }),
            test: (found && is_met).then(|| format!("farlead-tests/x/{}.test.ltl", spec.name)),
            reach: Some(reached(&finding.reach)),
            advice: if found { Vec::new() } else { vec!["try longer: `--episodes 600`".to_string()] },
            run,
            map: map.into_iter().map(|((from, to, by), times)| Way { from, to, by, times }).collect(),
            ..SpecEnded::new(
                outcome,
                format!("episodes: {}, steps: {}", finding.episodes, finding.steps),
                u8::from(!is_met),
            )
        };
        self.events.push(Event::SpecEnded(Box::new(ended)));
    }

    fn follow(&mut self, trace: &Trace, map: &mut BTreeMap<(usize, usize, String), u64>) {
        let mut before = None;
        for step in &trace.steps {
            let here = self.screen(&step.observation.screen);
            if let Some(before) = before {
                *map.entry((before, here, step.action.to_string())).or_insert(0) += 1;
            }
            before = Some(here);
        }
    }

    fn screen(&mut self, seen: &Arc<Screen>) -> usize {
        let next = self.screens.len();
        let number = *self.screens.entry(seen.identity()).or_insert(next);
        if number == next {
            self.events.push(Event::ScreenMet { screen: next, seen: seen.clone() });
        }
        number
    }

    fn error(&mut self, file: &str, name: &str) {
        self.events.push(Event::SpecBegan(SpecBegan {
            spec: self.specs,
            file: file.to_string(),
            line: 9,
            name: name.to_string(),
            expectation: "must".to_string(),
            ..SpecBegan::default()
        }));
        let ended =
            SpecEnded { spec: self.specs, ..SpecEnded::new(Outcome::Error, "the spec has mistakes", 3) };
        self.events.push(Event::SpecEnded(Box::new(ended)));
        self.specs += 1;
    }

    fn finish(mut self, exit: u8) -> Vec<Event> {
        self.events.push(Event::RunEnded { exit });
        self.events
    }
}

fn reached(reach: &farlead::search::Reach) -> Reached {
    Reached {
        held: reach.report.held.clone(),
        hints: reach.report.hints.clone(),
        closest: reach.report.closest.clone(),
        screens: reach.screens,
        starts: reach.starts,
        starts_crashed: reach.starts_crashed,
        never_tried: reach.never_tried.iter().take(20).map(ToString::to_string).collect(),
        never_tried_count: reach.never_tried.len(),
        tried_count: 0,
        tries_median: 0,
        surprises: reach.surprises,
        quiet: reach.quiet.map(|quiet| (quiet, 7)),
    }
}

fn automaton(spec: &Spec) -> Option<Automaton> {
    let mut automaton = ltl::Automaton::new(&spec.formulas, spec.formula);
    let names: Vec<String> = automaton.atoms().map(str::to_string).collect();
    let graph = automaton.graph(30)?;
    let residuals = graph
        .states
        .iter()
        .map(|&state| Residual {
            text: automaton.residual(state).to_string(),
            satisfied: automaton.is_satisfied(state),
        })
        .collect();
    let literal =
        |&(atom, holds): &(u32, bool)| format!("{}{}", if holds { "" } else { "!" }, names[atom as usize]);
    let cube = |cube: &Vec<(u32, bool)>| match &cube[..] {
        [] => "anything".to_string(),
        all => all.iter().map(literal).collect::<Vec<_>>().join(" & "),
    };
    let ways = graph
        .edges
        .iter()
        .map(|edge| {
            let cubes = edge.cubes.as_deref().unwrap_or_default();
            let by = cubes.iter().map(cube).collect::<Vec<_>>().join(" | ");
            Way { from: edge.from, to: edge.to, by, times: 0 }
        })
        .collect();
    Some(Automaton { residuals, ways })
}

/// A text that breaks any reader that takes it for something else.
pub const HOSTILE: &str = "]]></script></title><b onclick='alert(1)'>\"&amp;%0A|`~~~\u{202e}\u{0}\u{7}\u{1b}[31m\r\n::error::x\u{fffe}$x$ {{1}} ${2} שלום 😀";

/// Returns a run in which every text is hostile, numbers are extreme, and everything fails.
pub fn hostile() -> Vec<Event> {
    let long = HOSTILE.repeat(200);
    let mut events = vec![Event::RunBegan(RunBegan {
        format: FORMAT,
        farlead: HOSTILE.to_string(),
        command: HOSTILE.to_string(),
        device: long.clone(),
        package: HOSTILE.to_string(),
        version: HOSTILE.to_string(),
        seed: u64::MAX,
        shard: None,
    })];
    let contexts = [
        Context { screen_on: false, ..Context::default() },
        Context { crashed: true, orientation: Orientation::Landscape, ..Context::default() },
        Context { anr: true, network: false, ..Context::default() },
    ];
    for (screen, context) in contexts.into_iter().enumerate() {
        let seen = Arc::new(Screen::new(HOSTILE, HOSTILE, context, hostile_widgets(screen, &long)));
        events.push(Event::ScreenMet { screen, seen });
    }
    let outcomes = [
        Outcome::Passed,
        Outcome::Failed,
        Outcome::NotFound,
        Outcome::Diverged,
        Outcome::Untested,
        Outcome::Flaky,
        Outcome::Error,
    ];
    for (number, outcome) in outcomes.into_iter().enumerate() {
        events.push(hostile_spec(number, &long));
        for episode in [1, 2, u32::MAX] {
            let closest = (number > 2).then_some(u32::MAX - episode);
            events.push(Event::EpisodeEnded { spec: number, episode, steps: u64::MAX, closest });
        }
        events.push(Event::SpecEnded(Box::new(hostile_end(number, outcome, &long))));
    }
    events.push(Event::Explored(Box::new(hostile_coverage(&long))));
    events.push(Event::Mapped(Box::new(hostile_map(&long))));
    events.push(hostile_spec(outcomes.len(), &long));
    events
}

fn hostile_coverage(long: &str) -> Coverage {
    let unreached = |is_activity: bool| Unreached {
        activity: is_activity.then(|| long.to_string()),
        action: (!is_activity).then(|| long.to_string()),
        on: (!is_activity).then(|| HOSTILE.to_string()),
        reason: HOSTILE.to_string(),
        because: long.to_string(),
    };
    Coverage {
        agent: HOSTILE.to_string(),
        why: long.to_string(),
        episodes: u32::MAX,
        steps: u64::MAX,
        earlier_steps: u64::MAX,
        device_ms: u64::MAX,
        activities: vec![(HOSTILE.to_string(), u64::MAX), (long.to_string(), 0)],
        area_under_curve: 5_120.5,
        unseen: Some(vec![HOSTILE.to_string(), long.to_string()]),
        screens: usize::MAX,
        transitions: usize::MAX,
        done: usize::MAX,
        never_done_count: usize::MAX,
        never_done: vec![HOSTILE.to_string(); 9],
        last_new: u64::MAX,
        paths: Some(PathCounts { decided: u64::MAX, arrived: u64::MAX, missed: 0 }),
        states: Some(StateCounts { count: u64::MAX, refined: 0, coarsened: u64::MAX }),
        learning: vec![
            Lesson { steps: 0, loss: f64::MAX, entropy: Some(-1.0) },
            Lesson { steps: u64::MAX, loss: 0.0, entropy: Some(f64::MAX) },
        ],
        unreached: vec![unreached(true), unreached(false), Unreached::default()],
        reasons: vec![(HOSTILE.to_string(), u64::MAX), ("budget_short".to_string(), 0)],
        curve: vec![[u64::MAX; 5], [0; 5]],
    }
}

/// Returns a map of all screens, of a screen that is not kept, and of ways in all directions with any number of times.
fn hostile_map(long: &str) -> AppMap {
    let kind = |number: usize| Kind {
        name: if number == 0 { long.to_string() } else { HOSTILE.to_string() },
        activity: HOSTILE.to_string(),
        screen: (number < 3).then_some(number),
        screens: u64::MAX,
        seen: u64::MAX,
        step: u64::MAX,
        start: number == 1,
        crash: number == 2,
        outside: number == 3,
        never_left: number > 1,
        path: vec![
            PathStep { by: long.to_string(), to: Some((number + 1) % 4) },
            PathStep { by: HOSTILE.to_string(), to: None },
        ],
        offered: 0,
        done: u64::MAX,
        never_done: vec![(HOSTILE.to_string(), long.to_string())],
    };
    let way = |(from, to): (usize, usize)| KindWay {
        from,
        to,
        by: HOSTILE.to_string(),
        others: u64::MAX,
        times: if from > to { u64::MAX } else { 0 },
    };
    AppMap {
        kinds: (0..4).map(kind).collect(),
        // In no order, with one that is there twice.
        ways: [(3, 1), (0, 1), (1, 0), (2, 2), (1, 3), (0, 1)].map(way).to_vec(),
        kinds_left_out: u64::MAX,
        ways_left_out: 1,
        abstracted: Some(Box::new(hostile_states(long))),
    }
}

/// Returns a map of states with any texts and numbers, and of trees that grow from each other in any order.
fn hostile_states(long: &str) -> StateMap {
    let widget = |count| MapWidget {
        like: long.to_string(),
        by: HOSTILE.to_string(),
        does: vec![HOSTILE.to_string(), long.to_string()],
        count,
    };
    let state = |number: usize| MapState {
        name: if number == 0 { long.to_string() } else { HOSTILE.to_string() },
        activity: HOSTILE.to_string(),
        screen: (number < 3).then_some(number),
        screens: u64::MAX,
        seen: u64::MAX,
        step: u64::MAX,
        start: number == 1,
        crash: number == 2,
        outside: number == 3,
        tree: [0, 2, u32::MAX, 7][number],
        widgets: vec![widget(0), widget(u64::MAX)],
        widgets_left_out: u64::MAX,
        path: vec![PathStep { by: long.to_string(), to: Some((number + 1) % 4) }],
    };
    let edge = |(from, to): (usize, usize)| MapEdge {
        from,
        to,
        by: HOSTILE.to_string(),
        others: u64::MAX,
        hits: if from > to { u64::MAX } else { 0 },
        misses: u64::MAX,
        strong: from == 1,
    };
    let tree = |(tree, from)| MapTree {
        tree,
        from,
        like: (tree == 2).then(|| HOSTILE.to_string()),
        before: HOSTILE.to_string(),
        by: long.to_string(),
    };
    StateMap {
        abstraction: HOSTILE.to_string(),
        starts: vec![HOSTILE.to_string(); 9],
        trees: [(0, 0), (2, 0), (1, 2), (u32::MAX, 2), (5, u32::MAX)].map(tree).to_vec(),
        states: (0..4).map(state).collect(),
        edges: [(3, 1), (0, 1), (1, 0), (2, 2), (0, 1)].map(edge).to_vec(),
        states_left_out: u64::MAX,
        edges_left_out: 1,
    }
}

/// Returns what exploring the shop has seen: its coverage and its map.
pub fn explored() -> Vec<Event> {
    let mut recorder = Recorder::new("shop", 1);
    let plan = Plan { steps_max: 30, ..Plan::new(&PLANNER) };
    let budget = Budget {
        steps_max: 1_500,
        until_quiet: None,
        is_walk: false,
        pays: Pays::Novelty,
        keeps_steps: true,
        steers: true,
    };
    let repertoire = together([], &Dictionary::default());
    let from = LearnedModel::default();
    let explored =
        explore(&mut simulator(recorder.app, &[], 1), &[], repertoire, &plan, budget, from, &mut |_| true);
    let model = &explored.model;
    let (unreached, reasons) = model.unreached();
    let last = model.last_point();
    let Mapped { mut map, states, .. } = model.map();
    for (kind, states) in map.kinds.iter_mut().zip(states) {
        let identity = model.states()[states[0]].identity;
        let link = explored.experience.links().find(|link| link.screen.identity() == identity);
        kind.screen = link.map(|link| recorder.screen(link.screen));
    }
    recorder.events.push(Event::Explored(Box::new(Coverage {
        agent: "planner".to_string(),
        why: "the steps are spent".to_string(),
        episodes: model.episodes,
        steps: model.steps,
        activities: model.activities.iter().map(|(name, step)| (name.to_string(), *step)).collect(),
        screens: last.screens,
        transitions: last.transitions,
        done: last.done,
        never_done_count: model.never_done(),
        unreached,
        reasons,
        ..Coverage::default()
    })));
    recorder.events.push(Event::Mapped(Box::new(map)));
    recorder.error("crashes", "a crash");
    recorder.finish(3)
}

fn hostile_widgets(number: usize, long: &str) -> Vec<Widget> {
    let rectangles = [
        Bounds::new(0, 0, 480, 800),
        Bounds::new(i32::MIN, i32::MIN, i32::MAX, i32::MAX),
        Bounds::new(10, 700, 200, 780),
        Bounds::new(300, 20, 20, 10),
        Bounds::new(0, 100, 480, 102),
    ];
    let classes = ["android.widget.Button", "", HOSTILE, "android.widget.EditText", "a.CheckBox"];
    let all = Flags::CHECKED.set(Flags::CHECKABLE, true).set(Flags::FOCUSED, true);
    (0..40)
        .map(|at| Widget {
            depth: at % 4,
            class: classes[usize::from(at) % classes.len()].into(),
            id: HOSTILE.into(),
            text: if at % 3 == 0 { long.into() } else { HOSTILE.into() },
            desc: HOSTILE.into(),
            bounds: rectangles[(usize::from(at) + number) % rectangles.len()],
            flags: all.set(Flags::PASSWORD, at % 7 == 0).set(Flags::ENABLED, at % 2 == 0),
        })
        .collect()
}

fn hostile_spec(spec: usize, long: &str) -> Event {
    let ways = [(0, 1), (1, 0), (1, 1), (2, 1), (0, 1)].map(|(from, to)| Way {
        from,
        to,
        by: long.to_string(),
        times: u64::MAX,
    });
    let residuals = (0..3).map(|at| Residual { text: format!("{at}{long}"), satisfied: at == 1 }).collect();
    Event::SpecBegan(SpecBegan {
        spec,
        file: format!("../{HOSTILE}"),
        line: usize::MAX,
        name: HOSTILE.to_string(),
        expectation: HOSTILE.to_string(),
        formula: long.to_string(),
        agent: HOSTILE.to_string(),
        steps_max: u32::MAX,
        episodes_max: u32::MAX,
        automaton: (spec.is_multiple_of(2)).then(|| Automaton { residuals, ways: ways.into() }),
        set_up: vec![HOSTILE.to_string(), long.to_string()],
        scenario: Vec::new(),
    })
}

fn hostile_end(spec: usize, outcome: Outcome, long: &str) -> SpecEnded {
    let step = |at: usize| StepTaken {
        action: ActionDone {
            action_type: if at.is_multiple_of(2) { "scroll".into() } else { HOSTILE.into() },
            detail: if at.is_multiple_of(2) { "up".into() } else { HOSTILE.into() },
            object_id: Some(HOSTILE.into()),
            bounds: [
                None,
                Some(Bounds::new(10, 10, 50, 50)),
                Some(Bounds::new(i32::MIN, i32::MIN, i32::MAX, i32::MAX)),
            ][at % 3],
            shown: long.to_string(),
        },
        screen: at % 3,
        at_ms: u64::MAX,
        notices: vec![Notice::Toast(HOSTILE.into()), Notice::Crash(long.into()), Notice::Anr("".into())],
        labels: vec![HOSTILE.into(); 3],
        residual: format!("{}{long}", at % 3).into(),
        reward: [f64::NAN, f64::NEG_INFINITY, -1.0, 1e300][at % 4],
        why: Some(long.into()),
        learned: Some(HOSTILE.into()),
    };
    SpecEnded {
        spec,
        advice: vec![HOSTILE.to_string(); 3],
        episodes: u32::MAX,
        steps: u64::MAX,
        device_ms: u64::MAX,
        run: (0..7).map(step).collect(),
        violation: vec![HOSTILE.to_string(), long.to_string()],
        found_steps: Some(usize::MAX),
        confirmed: Some(Rate { passes: u32::MAX, runs: 0 }),
        test: Some(HOSTILE.to_string()),
        replay: Some(Replayed {
            rate: Rate { passes: 1, runs: 3 },
            verdict: ReplayVerdict::Diverged,
            step: Some(usize::MAX),
            expected: Some(HOSTILE.to_string()),
            actual: Some(long.to_string()),
            nearest: Some(HOSTILE.to_string()),
            nearest_at: Some(Bounds::new(i32::MIN, i32::MIN, i32::MAX, i32::MAX)),
        }),
        reach: Some(Reached {
            held: vec![(HOSTILE.to_string(), 0), (HOSTILE.to_string(), u64::MAX)],
            hints: vec![(HOSTILE.to_string(), HOSTILE.to_string())],
            closest: Some((long.to_string(), u32::MAX)),
            screens: usize::MAX,
            starts: u64::MAX,
            starts_crashed: 1,
            never_tried: vec![HOSTILE.to_string(); 5],
            never_tried_count: usize::MAX,
            tried_count: usize::MAX,
            tries_median: u32::MAX,
            surprises: u64::MAX,
            quiet: Some((u32::MAX, 0)),
        }),
        map: [(0, 1), (1, 2), (2, 2), (2, 0), (0, 1)]
            .map(|(from, to)| Way { from, to, by: long.to_string(), times: u64::MAX })
            .into(),
        ..SpecEnded::new(outcome, long, 1)
    }
}

/// Returns replays: among them one that diverges, one that crashes, and one that is flaky.
pub fn replays() -> Vec<Event> {
    let mut events = vec![Event::RunBegan(RunBegan {
        format: FORMAT,
        farlead: "0.1.0".to_string(),
        command: "replay".to_string(),
        device: "Pixel 7, Android 14 (emulator-5554)".to_string(),
        package: "org.example.shop".to_string(),
        version: "3.2".to_string(),
        seed: 1,
        shard: None,
    })];
    let crash = Context { crashed: true, network: false, ..Context::default() };
    let anr = Context { anr: true, ..Context::default() };
    for (screen, (context, is_asleep)) in
        [(Context::default(), true), (Context::default(), false), (crash, false), (anr, false)]
            .into_iter()
            .enumerate()
    {
        let widgets = if screen < 2 { shop(is_asleep) } else { dialog() };
        let seen = Arc::new(Screen::new("org.example.shop", "org.example.shop.Checkout", context, widgets));
        events.push(Event::ScreenMet { screen, seen });
    }
    let replay = |verdict, passes, step| {
        Some(Replayed {
            rate: Rate { passes, runs: 3 },
            verdict,
            step,
            expected: Some("click \"Pay now\"".to_string()),
            actual: Some("no widget of that name is on the screen".to_string()),
            nearest: Some("button \"Pay\" at [60,1500][1020,1620]".to_string()),
            nearest_at: Some(Bounds::new(60, 1_500, 1_020, 1_620)),
        })
    };
    for (spec, (name, outcome, exit, replay)) in [
        ("pays", Outcome::Diverged, 5, replay(ReplayVerdict::Diverged, 0, Some(3))),
        ("pays twice", Outcome::Flaky, 5, replay(ReplayVerdict::NotReproduced, 2, Some(4))),
        ("goes back", Outcome::Passed, 6, None),
    ]
    .into_iter()
    .enumerate()
    {
        events.push(Event::SpecBegan(SpecBegan {
            spec,
            file: format!("farlead-tests/shop/{name}.test.ltl"),
            line: 12,
            name: name.to_string(),
            expectation: "possible".to_string(),
            formula: "F ([text ~ \"Thank you\"] & X [activity ~ Orders])".to_string(),
            ..SpecBegan::default()
        }));
        let ended = SpecEnded {
            spec,
            device_ms: 8_200,
            run: shopping(),
            test: Some(format!("farlead-tests/shop/{name}.test.ltl")),
            replay,
            advice: vec!["find the run anew: `farlead check farlead-tests/shop`".to_string()],
            ..SpecEnded::new(outcome, "step 3 could not be done", exit)
        };
        events.push(Event::SpecEnded(Box::new(ended)));
    }
    events.push(Event::SpecChanged { spec: 0, was: "passed".to_string() });
    events.push(Event::SpecChanged { spec: 1, was: "passed".to_string() });
    events.push(Event::RunEnded { exit: 5 });
    events
}

fn shopping() -> Vec<StepTaken> {
    let step = |action_type: &str, detail: &str, bounds, screen, notices, residual: &str| StepTaken {
        action: ActionDone {
            action_type: action_type.into(),
            detail: detail.into(),
            object_id: None,
            bounds,
            shown: format!("{action_type} {detail}").trim().to_string(),
        },
        screen,
        at_ms: 1_300 * screen as u64 + 700,
        notices,
        labels: vec!["[activity ~ Checkout]".into()],
        residual: residual.into(),
        reward: -0.25,
        why: None,
        learned: None,
    };
    let stack = "java.lang.IllegalStateException: total < 0\n\tat org.example.shop.Cart.total(Cart.kt:41)\n\tat org.example.shop.Checkout.pay(Checkout.kt:112)";
    let list = Some(Bounds::new(0, 700, 1080, 1400));
    let pay = Some(Bounds::new(60, 1500, 1020, 1620));
    let whole = "F ([text ~ \"Thank you\"] & X [activity ~ Orders])";
    vec![
        step("reinitialise", "org.example.shop.Checkout", None, 0, Vec::new(), whole),
        step("scroll", "down", list, 1, vec![Notice::Toast("2 articles left".into())], whole),
        step("longclick", "\"Pay\"", pay, 3, vec![Notice::Anr("Input dispatching timed out".into())], whole),
        step(
            "swipe",
            "left",
            list,
            2,
            vec![Notice::Crash(stack.into())],
            "[activity ~ Orders] | F ([text ~ \"Thank you\"] & X [activity ~ Orders])",
        ),
        step("back", "", None, 1, Vec::new(), "false"),
    ]
}

fn shop(is_asleep: bool) -> Vec<Widget> {
    let mut widgets = Vec::new();
    let mut add = |depth, class: &str, text: &str, at: [i32; 4], flags: Flags| {
        let bounds = Bounds::new(at[0], at[1], at[2], at[3]);
        let class = format!("android.widget.{class}").into();
        widgets.push(Widget { depth, class, text: text.into(), bounds, flags, ..Widget::default() });
    };
    let on = Flags::ENABLED.set(Flags::CLICKABLE, true);
    let check = on.set(Flags::CHECKABLE, true);
    add(0, "FrameLayout", "", [0, 0, 1080, 2160], Flags::ENABLED);
    add(1, "TextView", "Your basket", [60, 120, 1020, 220], Flags::ENABLED);
    add(1, "EditText", "Rue de l'Église 4, 75015 Paris", [60, 260, 1020, 380], on.set(Flags::FOCUSED, true));
    add(1, "EditText", "hunter2", [60, 400, 1020, 520], on.set(Flags::PASSWORD, true));
    add(1, "CheckBox", "Gift wrap", [60, 540, 540, 640], check.set(Flags::CHECKED, true));
    add(1, "Switch", "Express", [560, 540, 1020, 640], check.set(Flags::CHECKED, is_asleep));
    add(1, "RecyclerView", "", [0, 700, 1080, 1400], Flags::ENABLED.set(Flags::SCROLLABLE, true));
    for row in 0..4 {
        let (top, bottom) = (700 + row * 170, 860 + row * 170);
        add(2, "LinearLayout", "", [20, top, 1060, bottom], on);
        add(3, "ImageView", "", [40, top + 10, 180, bottom - 10], Flags::ENABLED);
        add(
            3,
            "TextView",
            "A pair of woollen socks, size 42, delivered on Thursday",
            [200, top + 10, 900, bottom - 10],
            Flags::ENABLED,
        );
        add(3, "RadioButton", "", [940, top + 20, 1040, bottom - 20], check.set(Flags::CHECKED, row == 1));
    }
    add(1, "Button", "Pay", [60, 1500, 1020, 1620], if is_asleep { Flags::CLICKABLE } else { on });
    add(1, "ProgressBar", "", [60, 1660, 1020, 1700], Flags::ENABLED);
    widgets
}

fn dialog() -> Vec<Widget> {
    let widget = |depth, class: &str, text: &str, bounds| Widget {
        depth,
        class: format!("android.widget.{class}").into(),
        text: text.into(),
        bounds,
        flags: Flags::ENABLED,
        ..Widget::default()
    };
    vec![
        widget(0, "FrameLayout", "", Bounds::new(90, 800, 990, 1300)),
        widget(1, "TextView", "Shop keeps stopping", Bounds::new(140, 850, 940, 960)),
        widget(1, "Button", "Close app", Bounds::new(140, 1140, 940, 1260)),
    ]
}
