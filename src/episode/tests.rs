//! Episodes with an agent, an objective and a device that are each broken on purpose.

use std::sync::Arc;

use super::*;
use crate::abstraction::{LOOKS, PLACES};
use crate::agent::RANDOM;
use crate::device::{App, Capabilities, Faulty, Hand};
use crate::gui::{Bounds, Context, Flags, Pixels, Repertoire, Widget};
use crate::objective::{Exploration, Formula, Pays, Report, Shaping};
use crate::situation::{Choice, ClassId, LinkId, LookId, Outlook, PhaseId};
use crate::spec::{Source, parse};

/// Rooms in a row: `on` leads to the next. A clock shows the number of steps so far.
struct Corridor {
    app: App,
    room: u64,
    steps: u64,
}

impl Corridor {
    fn new() -> Corridor {
        let app = App {
            package: "org.corridor".into(),
            version: "1".into(),
            launchable: vec!["org.corridor.Room".into()],
            activities: Vec::new(),
        };
        Corridor { app, room: 0, steps: 0 }
    }

    fn seen(&mut self) -> Observation {
        self.steps += 1;
        let label = |text: String, top: i32| Widget {
            text: text.into(),
            bounds: Bounds::new(0, top, 9, top + 9),
            ..Widget::default()
        };
        let button =
            Widget { flags: Flags::CLICKABLE.set(Flags::ENABLED, true), ..label("on".to_string(), 0) };
        let widgets =
            vec![button, label(format!("room {}", self.room), 20), label(format!("{}", self.steps), 40)];
        let screen = Screen::new("org.corridor", "org.corridor.Room", Context::default(), widgets);
        Observation {
            screen: Arc::new(screen),
            at_ms: self.room * 500 + 100,
            notices: Arc::new([]),
            picture: None,
        }
    }
}

impl Device for Corridor {
    fn describe(&self) -> String {
        "a corridor".to_string()
    }

    fn app(&self) -> &App {
        &self.app
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::PHONE
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        Ok(self.seen())
    }

    fn keep_keyboard(&mut self, _: bool) {}

    fn picture(&mut self) -> Option<Pixels> {
        None
    }

    fn hand(&self) -> Option<Box<dyn Hand>> {
        None
    }

    fn reset(&mut self, _: &str) -> Result<Observation, DeviceError> {
        self.room = 0;
        Ok(self.seen())
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        self.room += u64::from(action.detail() == "on");
        Ok(self.seen())
    }
}

/// Agent that takes the first candidate, and writes down all that it is told.
#[derive(Default)]
struct Scribe {
    told: Vec<String>,
}

impl Agent for Scribe {
    fn begin(&mut self) {
        self.told.push("begin".to_string());
    }

    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, _: &mut Rng) -> Choice {
        Choice::Offer(situation.preferred[0])
    }

    fn note(&mut self, _: &Situation<'_>, taken: u16, origin: Origin) {
        self.told.push(format!("note {taken} {origin:?}"));
    }

    fn learn(&mut self, transition: &Transition<'_>, _: &mut Rng) -> Explanation {
        let Transition { from, reward, elapsed_ms, .. } = transition;
        let next = match transition.next {
            Next::Choice(next) => {
                format!("choice of {} with {} left", next.candidates.len(), next.steps_left)
            }
            other => format!("{other:?}"),
        };
        let action = &from.scene.actions[usize::from(transition.at)];
        let widget = from.scene.widget(transition.at);
        assert_eq!(widget.map(|widget| &widget.text), action.target().map(|target| &target.text));
        self.told.push(format!("{action}: {reward}, {elapsed_ms:?}, {next}"));
        Explanation::default()
    }

    fn learn_aside(&mut self, transition: &Transition<'_>) {
        self.told.push(format!("aside: {}", transition.from.scene.actions[usize::from(transition.at)]));
    }

    fn end(&mut self, origin: Origin) -> Summary {
        self.told.push(format!("end {origin:?}"));
        Summary::default()
    }

    fn forget(&mut self, recollection: Recollection) {
        self.told.push(format!("forget {recollection:?}"));
    }
}

fn formula(text: &str) -> Formula {
    let parsed = parse(&Source::new("a.ltl", text));
    assert_eq!(parsed.diagnostics.errors(), 0, "{text}");
    Formula::new(&parsed.file.specs[0], Shaping::Atoms)
}

/// Runs an episode of `steps_max` steps at most towards `objective`, and returns its ending and what the agent is told.
fn run(objective: &mut dyn Objective, steps_max: u32) -> (Ending, Vec<String>) {
    let (mut device, mut scribe) = (Corridor::new(), Scribe::default());
    let catalogue = Catalogue::new(&device.app.clone(), Repertoire::default(), &LOOKS, false);
    let switches = Switches { prediction: true, sure_actions: false, restart_hopeless: true };
    let mut stage = Stage::new(&mut device, objective, catalogue, switches, steps_max, Seed(1));
    let mut rng = Seed(1).fork("test");
    let episode = stage.run(&mut scribe, &mut rng, &mut |_| true).expect("no device fails here");
    (episode.ending, scribe.told)
}

#[track_caller]
fn check(formula_text: &str, steps_max: u32, ending: Ending, last: &str) {
    let (found, told) = run(&mut formula(formula_text), steps_max);
    assert_eq!((found, told[told.len() - 2].as_str()), (ending, last), "{told:?}");
}

#[test]
fn the_last_transition_says_why_nothing_follows() {
    check("F [text = room 1]", 3, Ending::Won, r#"click "on": 1, Some(500), Terminal"#);
    check("G ![text = room 1]", 3, Ending::Won, "reinitialise org.corridor.Room: 1, Some(100), Terminal");
    check("X G ![text = room 1]", 3, Ending::Lost, r#"click "on": -1, Some(500), Terminal"#);
    check("F [text = room 5]", 2, Ending::StepsSpent, r#"click "on": 0, Some(500), Truncated"#);
    // Too late is as bad as never.
    let late = "reinitialise org.corridor.Room: -1, Some(100), Terminal";
    check("X X X [text = room 3]", 3, Ending::Hopeless, late);
    let dead = "reinitialise org.corridor.Room: 0, Some(100), DeadEnd";
    check("X ([actionType = scroll] & F [text = room 1])", 3, Ending::DeadEnd, dead);
}

#[test]
fn a_transition_has_the_next_choice_and_a_winner_is_noted() {
    let (ending, told) = run(&mut formula("X X [actionDetail = on]"), 5);
    assert_eq!(ending, Ending::Won);
    let expected = [
        "begin",
        "reinitialise org.corridor.Room: 0, Some(100), choice of 6 with 4 left",
        r#"click "on": 0, Some(500), choice of 1 with 3 left"#,
        "note 0 Device",
        r#"click "on": 1, Some(500), Terminal"#,
        "end Device",
    ];
    assert_eq!(told, expected);
}

/// Objective without labels or outlook, which is reached when the device's clock says so.
struct Late {
    ms: u64,
}

impl Objective for Late {
    fn look(&mut self, _: Option<&Screen>, _: LinkId) -> LookId {
        LookId(0)
    }

    fn class(&mut self, _: &Action) -> ClassId {
        ClassId(0)
    }

    fn step(&mut self, from: PhaseId, moment: &Moment<'_>) -> Judgement {
        let ms = from.0 + moment.seen.elapsed_ms().unwrap_or(0) as u32;
        let verdict = if u64::from(ms) >= self.ms { Verdict::Won } else { Verdict::Open };
        Judgement { next: PhaseId(ms), verdict, reward: 0.5, distance: Some(1) }
    }

    fn clock_period_ms(&self) -> Option<u64> {
        Some(u64::MAX)
    }

    fn labels(&self, _: PhaseId, _: ClassId, _: LookId) -> Vec<Arc<str>> {
        Vec::new()
    }

    fn conditions(&self) -> &[Arc<str>] {
        &[]
    }

    fn remaining(&self, phase: PhaseId) -> String {
        format!("{} ms", self.ms.saturating_sub(phase.0.into()))
    }

    fn closest(&self) -> Option<u32> {
        None
    }

    fn report(&self, _: &dyn Fn(crate::gui::Key) -> std::collections::BTreeSet<String>) -> Report {
        Report::default()
    }
}

#[test]
fn an_objective_of_anyones_own_is_pursued_and_sees_the_time_of_each_step() {
    let (ending, told) = run(&mut Late { ms: 1_100 }, 9);
    assert_eq!(ending, Ending::Won);
    assert_eq!(told.iter().filter(|line| line.contains("0.5")).count(), 3, "{told:?}");
}

#[test]
fn a_device_that_fails_ends_the_episode_with_its_error() {
    let mut device = Faulty::new(Corridor::new(), 2);
    let catalogue = Catalogue::new(&device.app().clone(), Repertoire::default(), &LOOKS, false);
    let mut objective = formula("F [text = room 9]");
    let mut stage = Stage::new(&mut device, &mut objective, catalogue, RANDOM.switches, 9, Seed(1));
    let error = stage.run(&mut Scribe::default(), &mut Seed(1).fork("test"), &mut |_| true);
    assert_eq!(error.expect_err("it fails").to_string(), "the device failed at step 2, as it was told to");
}

#[test]
fn an_abstraction_that_is_refined_has_the_agent_learn_all_steps_anew() {
    let (mut device, mut scribe) = (Corridor::new(), Scribe::default());
    let catalogue = Catalogue::new(&device.app.clone(), Repertoire::default(), &PLACES, false);
    let mut objective = formula("F [text = room 99]");
    let mut stage = Stage::new(&mut device, &mut objective, catalogue, RANDOM.switches, 4, Seed(1));
    let mut rng = Seed(1).fork("test");
    for _ in 0..3 {
        stage.run(&mut scribe, &mut rng, &mut |_| true).expect("no device fails here");
    }
    // With the eighth look at the clock it is known for noise.
    let at = scribe.told.iter().position(|line| line == "forget Whole").expect("it is refined");
    let learned = |lines: &[String]| lines.iter().filter(|line| line.contains("reinitialise")).count();
    assert_eq!(learned(&scribe.told[..at]), 2);
    assert_eq!(scribe.told[at + 1], "begin");
    assert_eq!(scribe.told[at + 2], "note 0 Experience");
    // Both episodes once more, and then the third.
    assert_eq!(learned(&scribe.told[at..]), 3);
    assert!(scribe.told[at..].contains(&"end Experience".to_string()));
}

/// Agent that starts the app, and then chooses nothing as often as it is told to before each action.
struct Idler {
    nothings: u32,
    is_free: bool,
    idled: u32,
    rewards: Vec<f64>,
}

impl Agent for Idler {
    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, _: &mut Rng) -> Choice {
        if situation.scene.screen.is_some() && self.idled < self.nothings {
            self.idled += 1;
            return Choice::Nothing { is_free: self.is_free };
        }
        self.idled = 0;
        Choice::Offer(situation.preferred[0])
    }

    fn learn_nothing(&mut self, _: &Situation<'_>, reward: f64) {
        self.rewards.push(reward);
    }
}

/// Runs an episode of at most 9 steps, of a run of at most `run_steps_max`; returns its end, the numbers of its steps, all
/// steps of the run, and the steps of the device.
fn idle(nothings: u32, is_free: bool, run_steps_max: u64) -> (Ending, Vec<u32>, u64, u64) {
    let mut device = Corridor::new();
    let catalogue = Catalogue::new(&device.app.clone(), Repertoire::default(), &LOOKS, false);
    let mut objective = Exploration::new("org.corridor".into(), Pays::Fate);
    let mut stage = Stage::new(&mut device, &mut objective, catalogue, RANDOM.switches, 9, Seed(1));
    stage.set_run_steps_max(run_steps_max);
    let mut agent = Idler { nothings, is_free, idled: 0, rewards: Vec::new() };
    let episode = stage.run(&mut agent, &mut Seed(1).fork("test"), &mut |_| true).expect("nothing fails");
    assert!(agent.rewards.iter().all(|&reward| reward == -30.0));
    let steps = stage.totals().steps;
    assert_eq!(steps, agent.rewards.len() as u64 + episode.steps.len() as u64);
    let numbers = stage.rows(&episode).flat_map(|row| row.iter().map(Taken::number).collect::<Vec<_>>());
    (episode.ending, numbers.collect(), steps, device.steps)
}

#[test]
fn a_choice_of_nothing_costs_a_step_and_does_nothing() {
    let spent = Ending::StepsSpent;
    assert_eq!(idle(0, false, u64::MAX), (spent, (1..10).collect(), 9, 9));
    assert_eq!(idle(2, false, u64::MAX), (spent, vec![1, 4, 7], 9, 3));
    // Free ones leave the episode all its steps, and cost the run as many.
    let numbers = (0..9).map(|step| 1 + 3 * step).collect();
    assert_eq!(idle(2, true, u64::MAX), (spent, numbers, 25, 9));
    assert_eq!(idle(2, true, 7), (spent, vec![1, 4, 7], 7, 3));
    assert_eq!(idle(2, true, 6), (spent, vec![1, 4], 6, 2));
}

#[test]
fn an_agent_that_always_chooses_nothing_comes_to_an_end() {
    assert_eq!(idle(u32::MAX, false, u64::MAX), (Ending::StepsSpent, vec![1], 9, 1));
    assert_eq!(idle(u32::MAX, true, u64::MAX), (Ending::StepsSpent, vec![1], 901, 1));
    assert_eq!(idle(u32::MAX, true, 40), (Ending::StepsSpent, vec![1], 40, 1));
}

#[test]
fn steps_that_were_packed_come_back_as_they_were_taken() {
    struct Told {
        before: Option<Arc<Screen>>,
        action: Action,
        place: u16,
        after: Arc<Screen>,
        actions: Arc<[Action]>,
        phase: PhaseId,
        reward: f64,
    }

    /// Takes the first candidate, now and then the last, and keeps what it is told of each step.
    #[derive(Default)]
    struct Witness {
        steps: Vec<Told>,
    }
    impl Agent for Witness {
        fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, _: &mut Rng) -> Choice {
            let preferred = situation.preferred;
            Choice::Offer(preferred[if self.steps.len() % 7 == 6 { preferred.len() - 1 } else { 0 }])
        }

        fn learn(&mut self, transition: &Transition<'_>, _: &mut Rng) -> Explanation {
            let Transition { from, at, reward, to, phase, .. } = transition;
            let action = from.scene.actions[usize::from(*at)].clone();
            let after = to.screen.clone().expect("a step leads to a screen");
            self.steps.push(Told {
                before: from.scene.screen.clone(),
                action,
                place: *at,
                after,
                actions: to.actions.clone(),
                phase: *phase,
                reward: *reward,
            });
            Explanation::default()
        }
    }

    let mut device = Corridor::new();
    let catalogue = Catalogue::new(&device.app.clone(), Repertoire::default(), &LOOKS, false);
    let mut objective = formula("F ([text = room 1] & F [text = room 9000])");
    let switches = Switches { prediction: false, sure_actions: false, restart_hopeless: false };
    let mut stage = Stage::new(&mut device, &mut objective, catalogue, switches, 20_000, Seed(1));
    let mut witness = Witness::default();
    let episode = stage.run(&mut witness, &mut Seed(1).fork("test"), &mut |_| true).expect("nothing fails");
    assert_eq!(episode.ending, Ending::Won);
    assert_eq!(episode.steps.len(), witness.steps.len());
    let rows: Vec<_> = stage.rows(&episode).collect();
    assert!(rows.iter().filter(|row| matches!(row, Cow::Owned(_))).count() >= 2, "{} rows", rows.len());
    let taken: Vec<&Taken> = rows.iter().flat_map(|row| &**row).collect();
    let trace = stage.trace(&episode);
    for (at, told) in witness.steps.iter().enumerate() {
        let Told { before, action, place, after, actions, phase, reward } = told;
        let (step, seen) = (&trace.steps[at], taken[at].seen());
        assert_eq!((&step.action, step.reward, &step.observation.screen), (action, *reward, after));
        assert_eq!(*step.remaining, *stage.objective().remaining(*phase));
        let from = at.checked_sub(1).map_or(PhaseId::START, |before| taken[before].phase);
        let labels = stage.objective().labels(from, taken[at].class, taken[at].to.look);
        assert_eq!(step.labels, labels);
        assert_eq!((seen.action, seen.at, taken[at].number()), (action, *place, at as u32 + 1));
        assert_eq!(seen.from.map(|(screen, _)| screen), before.as_deref());
        assert_eq!((seen.to.0, seen.to.1), (&**after, &**actions));
        // The device's clock is the number of rooms, half a second each.
        let room = step.observation.screen.widgets()[1].text.trim_start_matches("room ").parse::<u64>();
        assert_eq!(step.observation.at_ms, room.expect("a number") * 500 + 100);
    }
}

/// Chooses nothing before each second action, and waits after each choice.
#[derive(Default)]
struct Patient {
    choices: u32,
}

impl Agent for Patient {
    fn throttle_ms(&self) -> u32 {
        400_000
    }

    fn choose(&mut self, situation: &Situation<'_>, _: Option<&mut dyn Outlook>, _: &mut Rng) -> Choice {
        self.choices += 1;
        match self.choices % 3 {
            2 => Choice::Nothing { is_free: true },
            _ => Choice::Offer(situation.preferred[0]),
        }
    }
}

#[test]
fn time_passes_on_the_device_after_each_choice() {
    let text =
        "app org.late \"Late\" 1\nlaunch Main\nactivity Main .Main { own n = 0 Button \"on\" -> n += 1 }";
    let model = crate::device::sim::read(&Source::new("late.app", text)).model.expect("no mistakes");
    let mut device = crate::device::Sim::new(Arc::new(model), Seed(1));
    let catalogue = Catalogue::new(&device.app().clone(), Repertoire::default(), &LOOKS, false);
    let mut objective = formula("F [text = nowhere]");
    let mut stage = Stage::new(&mut device, &mut objective, catalogue, RANDOM.switches, 4, Seed(1));
    let rng = &mut Seed(1).fork("test");
    let episode = stage.run(&mut Patient::default(), rng, &mut |_| true).expect("nothing fails");
    let seen = |taken: &Taken| (taken.number(), taken.observation().at_ms);
    let times: Vec<(u32, u64)> =
        stage.rows(&episode).flat_map(|row| row.iter().map(seen).collect::<Vec<_>>()).collect();
    let [start, touch] = [times[0].1, 500];
    // Two waits pass where nothing was chosen between two actions: 800 s, which takes two waits of a device. The display is
    // dark by then, and the touch lights it first.
    let [_, first, second, third] = times[..] else { panic!("{times:?}") };
    let within = |(_, at): (u32, u64), waits: u64, touches: u64| {
        let least = start + waits * 400_000 + touches * touch;
        (least..least + 10_000).contains(&at)
    };
    assert!(within(first, 2, 1) && within(second, 3, 2) && within(third, 5, 3), "{times:?}");
    assert_eq!(times.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 3, 4, 6]);
}

/// The law: each recalled step is learned once, as far as the steps and the formula allow like one of this search, and
/// aside from there on.
#[test]
fn all_steps_of_a_recalled_run_are_learned_once() {
    let mut device = Corridor::new();
    let mut objective = formula("F [text = room 99]");
    let catalogue = || Catalogue::new(&Corridor::new().app, Repertoire::default(), &LOOKS, false);
    let mut stage = Stage::new(&mut device, &mut objective, catalogue(), RANDOM.switches, 9, Seed(1));
    let episode = stage.run(&mut Scribe::default(), &mut Seed(1).fork("test"), &mut |_| true).expect("a run");
    let mut experience = Experience::new();
    let steps = stage.trace(&episode).steps;
    experience.add(steps.iter().map(|step| (&step.action, &step.observation.screen)));
    let experience = experience.grown_old();
    for (text, steps_max, of_search) in
        [("F [text = room 99]", 9, 9), ("F [text = room 99]", 4, 4), ("F [text = room 1]", 9, 2)]
    {
        let (mut device, mut objective, mut scribe) = (Corridor::new(), formula(text), Scribe::default());
        let mut stage =
            Stage::new(&mut device, &mut objective, catalogue(), RANDOM.switches, steps_max, Seed(1));
        stage.recall(&mut scribe, &experience);
        let aside: Vec<&str> = scribe.told.iter().filter_map(|line| line.strip_prefix("aside: ")).collect();
        let done: Vec<String> = steps.iter().map(|step| step.action.to_string()).collect();
        assert_eq!(aside, done[of_search..], "{text}, {steps_max}");
        assert_eq!(scribe.told.iter().filter(|line| line.starts_with("note")).count(), of_search);
        assert_eq!((stage.totals().steps, device.steps), (0, 0));
    }
}
