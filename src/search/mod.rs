//! Search: episode after episode until a spec is decided or its budget is spent.

mod compare;
mod exhaustive;
mod jobs;
mod repertoire;

use std::sync::Arc;

use crate::agent::{
    Agent, Farlead, FarleadSettings, Knowledge, Planner, PlannerSettings, QLearning, Random, Tree,
};
use crate::device::{Device, DeviceError};
use crate::episode::{Catalogue, Ending, Labeling, Stage, Switches, Totals};
use crate::experience::Experience;
use crate::gui::{Action, Atom, Comparison, Constant, Key, Op, Repertoire, Rules, UserAction, nearest};
use crate::reward::{Goal, Shaping};
use crate::rng::Seed;
use crate::spec::Spec;
use crate::trace::Trace;
pub use compare::{Contender, Rounds, Tally, Task, compare, mean, median};
pub use exhaustive::{Exhausted, Starts, exhaust, exhaust_from};
pub use jobs::{in_order, waves};
pub use repertoire::repertoire;

/// The most episodes of a search, unless someone says how many.
pub const EPISODES_MAX: u32 = 500;

/// Who searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are those of the agents")]
pub enum AgentKind {
    Planner,
    Farlead,
    Tree,
    QLearning,
    Random,
}

impl AgentKind {
    /// All kinds.
    pub const ALL: [AgentKind; 5] =
        [AgentKind::Planner, AgentKind::Farlead, AgentKind::Tree, AgentKind::QLearning, AgentKind::Random];

    /// The agent as a command line names it.
    pub fn name(self) -> &'static str {
        match self {
            AgentKind::Planner => "planner",
            AgentKind::Farlead => "farlead",
            AgentKind::Tree => "tree",
            AgentKind::QLearning => "qlearning",
            AgentKind::Random => "random",
        }
    }

    /// Whether it wants screens taken apart, which takes time that others would rather spend on steps.
    pub fn looks_closely(self) -> bool {
        match self {
            AgentKind::Planner => true,
            AgentKind::Farlead | AgentKind::Tree | AgentKind::QLearning | AgentKind::Random => false,
        }
    }

    /// Whether it learns from what was done and seen elsewhere; to keep that takes time that others would rather spend on
    /// steps.
    pub fn recalls(self) -> bool {
        match self {
            AgentKind::Planner => true,
            AgentKind::Farlead | AgentKind::Tree | AgentKind::QLearning | AgentKind::Random => false,
        }
    }

    /// What is added to the loop for this agent, unless someone says otherwise: all of it, as `cargo bench --bench
    /// defaults` shows on made-up apps.
    pub fn switches(self) -> Switches {
        let all = Switches {
            shaping: Shaping::Atoms,
            prediction: true,
            sure_actions: true,
            restart_hopeless: true,
        };
        match self {
            // It weighs by itself what cannot lose against what may win.
            AgentKind::Planner => Switches { sure_actions: false, ..all },
            AgentKind::Farlead | AgentKind::Tree | AgentKind::QLearning => all,
            // What others are measured against knows nothing of the formula.
            AgentKind::Random => {
                Switches { prediction: false, sure_actions: false, restart_hopeless: false, ..all }
            }
        }
    }
}

/// How a spec is searched for.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Who searches.
    pub agent: AgentKind,
    /// How, if it is [`AgentKind::Farlead`].
    pub farlead: FarleadSettings,
    /// How, if it is [`AgentKind::Planner`].
    pub planner: PlannerSettings,
    /// What is added to the loop.
    pub switches: Switches,
    /// The most steps of an episode, the start included; at least 1.
    pub steps_max: u32,
    /// The most episodes; at least 1.
    pub episodes_max: u32,
    /// How long it may take on the device's clock.
    pub timeout_ms: Option<u64>,
    /// Where chance comes from.
    pub seed: Seed,
    /// The actions of the user's, those too that the spec does not speak of.
    pub actions: Arc<[UserAction]>,
    /// What is typed besides what the spec says.
    pub texts: Vec<String>,
    /// What is never done, and what is typed where.
    pub rules: Arc<Rules>,
    /// Whether whoever watches is told the steps of each episode.
    pub tells_steps: bool,
    /// What was learned on another run.
    pub learned: Vec<(Labeling, [f64; 2])>,
    /// What was done and seen before, for other specs or on another run; for agents that [recall](AgentKind::recalls) it.
    pub experience: Arc<Experience>,
}

impl Plan {
    /// Returns how `agent` searches unless someone says otherwise: 500 episodes of 1 step, from the first seed.
    pub fn new(agent: AgentKind) -> Plan {
        Plan {
            agent,
            farlead: FarleadSettings::default(),
            planner: PlannerSettings::default(),
            switches: agent.switches(),
            steps_max: 1,
            episodes_max: EPISODES_MAX,
            timeout_ms: None,
            seed: Seed::default(),
            actions: Arc::default(),
            texts: Vec::new(),
            rules: Arc::default(),
            tells_steps: false,
            learned: Vec::new(),
            experience: Arc::default(),
        }
    }

    /// Returns what is offered for `spec` beyond what screens say by themselves.
    pub fn offered(&self, spec: &Spec) -> Repertoire {
        let texts = self.texts.iter().map(String::as_str);
        Repertoire { rules: self.rules.clone(), ..repertoire(spec, &self.actions, texts) }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// The goal was reached.
    Found,
    /// There is nothing left to try, if the app always answers alike.
    Exhausted,
    /// All episodes are spent.
    EpisodesSpent,
    /// All time is spent.
    TimeSpent,
    /// Someone said so.
    Interrupted,
}

/// What happens while a spec is searched for, told as it happens.
#[derive(Clone, Debug)]
pub enum News {
    /// An episode goes on.
    Working {
        /// Which, from 1.
        episode: u32,
        /// The steps on the device in the episodes before.
        steps: u64,
    },
    /// An episode is over.
    EpisodeEnded {
        /// Which, from 1.
        episode: u32,
        /// The steps on the device so far, in all episodes.
        steps: u64,
        /// The fewest steps that were left to the goal so far, whatever the app.
        closest: Option<u32>,
        /// Its steps, if they were asked for.
        trace: Option<Trace>,
    },
}

/// What a search has come to.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Why it ended.
    pub stop: Stop,
    /// The episodes it took.
    pub episodes: u32,
    /// The steps on the device it took, the first of each episode included.
    pub steps: u64,
    /// The time that passed on the device.
    pub device_ms: u64,
    /// The run that reached the goal.
    pub run: Option<Trace>,
    /// How far it came.
    pub reach: Reach,
    /// What was learned that can be of use next time.
    pub learned: Vec<(Labeling, [f64; 2])>,
    /// What was done and seen, if the agent [recalls](AgentKind::recalls) such; without what was known before.
    pub experience: Experience,
    /// Whether the app answered otherwise than on the run that what was known before is of.
    pub is_outdated: bool,
}

/// How far a search came.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// The formula's atoms, and at how many steps each held.
    pub held: Vec<(String, u64)>,
    /// Of atoms that never held, what was seen where they look.
    pub hints: Vec<(String, String)>,
    /// The residual that was closest to the goal, and how many steps it would take from there at least.
    pub closest: Option<(String, u32)>,
    /// How many screens were met.
    pub screens: usize,
    /// How often the app was started, and how often it crashed doing so.
    pub starts: u64,
    /// See [`Reach::starts`].
    pub starts_crashed: u64,
    /// The actions that were offered and never tried.
    pub never_tried: Vec<Action>,
    /// How often the app answered otherwise than before to the same actions since its start.
    pub surprises: u64,
}

/// Searches for a run that decides `spec` on `device`.
///
/// `watch` is told of each episode, and says whether to go on.
pub fn search(
    device: &mut dyn Device,
    spec: &Spec,
    plan: &Plan,
    watch: &mut dyn FnMut(&News) -> bool,
) -> Result<Finding, DeviceError> {
    let mut catalogue = Catalogue::new(device.app(), plan.offered(spec), plan.agent.looks_closely());
    let knowledge = recalled(&plan.learned, &mut catalogue);
    let mut agent = agent(plan, &knowledge);
    let mut stage = Stage::new(device, Goal::new(spec), catalogue, plan.switches, plan.steps_max);
    let mut experience = Experience::new();
    // What was tried on another run may come out otherwise by now.
    let mut is_in_doubt = plan.agent.recalls() && plan.experience.is_old();
    if plan.agent.recalls() {
        stage.recall(&mut *agent, &plan.experience, &mut plan.seed.fork("recall"));
    }
    let mut surprises = agent.surprises();
    let mut is_outdated = false;
    let mut rng = plan.seed.fork("agent");
    let mut episodes = 0;
    let mut run = None;
    let stop = loop {
        let (steps, device_ms) = (stage.totals().steps, stage.totals().device_ms);
        let is_late = |ms: u64| plan.timeout_ms.is_some_and(|most| ms >= most);
        let episode = stage.run(&mut *agent, &mut rng, &mut |at_ms| {
            watch(&News::Working { episode: episodes + 1, steps })
                && !is_late(device_ms.saturating_add(at_ms))
        })?;
        episodes += 1;
        if plan.agent.recalls() {
            experience.add(episode.steps.iter().map(|taken| (taken.action(), &taken.observation().screen)));
        }
        let totals = stage.totals();
        let closest = totals.closest.map(|(distance, _, _)| distance);
        let trace = plan.tells_steps.then(|| stage.trace(&episode));
        let goes_on = watch(&News::EpisodeEnded { episode: episodes, steps: totals.steps, closest, trace });
        let is_exhausted =
            (agent.is_exhausted() && !stage.catalogue().has_left_out()) || episode.steps.is_empty();
        // An app that was always steady answers otherwise now: it is not the app any more that was learned.
        let has_changed = is_in_doubt && surprises == 0 && agent.surprises() > 0;
        is_outdated |= has_changed;
        if episode.ending == Ending::Won {
            run = Some(stage.trace(&episode));
            break Stop::Found;
        } else if episode.ending == Ending::Stopped {
            break if is_late(totals.device_ms) { Stop::TimeSpent } else { Stop::Interrupted };
        } else if is_exhausted && !is_in_doubt {
            break Stop::Exhausted;
        } else if episodes >= plan.episodes_max {
            break Stop::EpisodesSpent;
        } else if is_late(totals.device_ms) {
            break Stop::TimeSpent;
        } else if !goes_on {
            break Stop::Interrupted;
        } else if is_exhausted || has_changed {
            // What was tried then is for nobody to know but who starts anew, with what was seen by now.
            is_in_doubt = false;
            agent = self::agent(plan, &knowledge);
            stage.recall(&mut *agent, &experience, &mut plan.seed.fork("recall"));
            surprises = 0;
        }
    };
    let learned = stage.catalogue().labelings();
    let learned = agent
        .knowledge()
        .labelings
        .into_iter()
        .map(|(labeling, known)| (learned[labeling as usize].clone(), known))
        .collect();
    let totals = stage.totals();
    Ok(Finding {
        stop,
        episodes,
        steps: totals.steps,
        device_ms: totals.device_ms,
        run,
        reach: Reach {
            surprises: agent.surprises().saturating_sub(surprises),
            ..reach(spec, stage.goal(), stage.catalogue(), totals)
        },
        learned,
        experience,
        is_outdated,
    })
}

fn recalled(learned: &[(Labeling, [f64; 2])], catalogue: &mut Catalogue) -> Knowledge {
    let labelings =
        learned.iter().map(|(labeling, known)| (catalogue.remember(labeling.clone()), *known)).collect();
    Knowledge { labelings }
}

fn agent(plan: &Plan, knowledge: &Knowledge) -> Box<dyn Agent> {
    match plan.agent {
        AgentKind::Planner => Box::new(Planner::new(plan.planner)),
        AgentKind::Farlead => Box::new(Farlead::new(plan.farlead, knowledge)),
        AgentKind::Tree => Box::new(Tree::default()),
        AgentKind::QLearning => Box::new(QLearning::default()),
        AgentKind::Random => Box::new(Random),
    }
}

/// Returns how far was come, of which `totals` were counted.
fn reach(spec: &Spec, goal: &Goal, catalogue: &Catalogue, totals: &Totals) -> Reach {
    let atoms = goal.atoms().iter().map(|atom| atom.to_string());
    let held: Vec<(String, u64)> = atoms.zip(totals.held.iter().copied()).collect();
    Reach {
        hints: hints(spec, &held, catalogue),
        held,
        closest: totals.closest.map(|(distance, _, state)| (goal.residual(state), distance)),
        screens: catalogue.screens(),
        starts: totals.starts,
        starts_crashed: totals.starts_crashed,
        never_tried: catalogue.never_tried().into_iter().cloned().collect(),
        surprises: 0,
    }
}

/// For atoms that never held and ask for a word, the nearest that was seen where they look, or all activities.
fn hints(spec: &Spec, held: &[(String, u64)], catalogue: &Catalogue) -> Vec<(String, String)> {
    // A list of more is not read.
    const ACTIVITIES_MAX: usize = 8;
    let unseen = held.iter().filter(|(_, times)| *times == 0);
    unseen
        .filter_map(|(name, _)| {
            let (Atom::State(all) | Atom::Widget(all) | Atom::Action(all)) = spec.atoms.get(name)? else {
                return None;
            };
            let [Comparison { key, op: Op::Equal | Op::Contains, value: Constant::Text(text) }] = &all[..]
            else {
                return None;
            };
            let words = catalogue.words(*key);
            let hint = match nearest(text, words.iter().map(String::as_str)) {
                Some(near) => format!("the nearest that was seen is {near:?}"),
                None if *key == Key::Activity && !words.is_empty() => {
                    let some: Vec<String> = words.iter().take(ACTIVITIES_MAX).cloned().collect();
                    format!("the activities seen are {}", some.join(", "))
                }
                None => return None,
            };
            Some((name.clone(), hint))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::device::{App, Faulty, Observation};
    use crate::event::Outcome;
    use crate::gui::{Bounds, Context, Flags, Screen, Widget};
    use crate::spec::{Expectation, Source, parse};

    /// Rooms in a row: `on` leads to the next, `off` to the first, and nothing else does anything.
    struct Corridor {
        app: App,
        room: usize,
        /// From the last one `on` leads nowhere.
        last: usize,
        steps: u64,
    }

    impl Corridor {
        fn new() -> Corridor {
            let app = App {
                package: "org.corridor".into(),
                version: "1".into(),
                launchable: vec!["org.corridor.Room".into()],
            };
            Corridor { app, room: 0, last: usize::MAX, steps: 0 }
        }

        fn look(&mut self) -> Observation {
            self.steps += 1;
            let button = |text: &str, left: i32| Widget {
                text: text.into(),
                bounds: Bounds::new(left, 0, left + 10, 10),
                flags: Flags::CLICKABLE.set(Flags::ENABLED, true),
                ..Widget::default()
            };
            let sign = Widget {
                text: format!("room {}", self.room).into(),
                bounds: Bounds::new(0, 20, 9, 29),
                ..Widget::default()
            };
            let widgets = vec![button("on", 0), button("off", 10), sign];
            let screen = Screen::new("org.corridor", "org.corridor.Room", Context::default(), widgets);
            Observation { screen: Arc::new(screen), at_ms: self.steps * 500, notices: Arc::new([]) }
        }
    }

    impl Device for Corridor {
        fn describe(&self) -> String {
            "a corridor".to_string()
        }

        fn app(&self) -> &App {
            &self.app
        }

        fn reset(&mut self, _: &str) -> Result<Observation, DeviceError> {
            self.room = 0;
            Ok(self.look())
        }

        fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
            match action.detail() {
                "on" => self.room = self.last.min(self.room + 1),
                "off" => self.room = 0,
                _ => {}
            }
            Ok(self.look())
        }
    }

    fn spec(text: &str) -> Spec {
        let mut parsed = parse(&Source::new("a.ltl", text));
        assert_eq!(parsed.diagnostics.errors(), 0, "{text}");
        parsed.file.specs.remove(0)
    }

    fn plan(agent: AgentKind, steps_max: u32, episodes_max: u32) -> Plan {
        Plan { steps_max, episodes_max, ..Plan::new(agent) }
    }

    fn found(text: &str, plan: &Plan) -> Finding {
        search(&mut Corridor::new(), &spec(text), plan, &mut |_| true).expect("no device fails here")
    }

    #[test]
    fn every_agent_finds_what_is_two_rooms_away() {
        for agent in AgentKind::ALL {
            let finding = found("F [text = room 2]", &plan(agent, 4, 500));
            assert_eq!(finding.stop, Stop::Found, "{}", agent.name());
            let run = finding.run.expect("a run");
            let last = run.steps.last().expect("a step");
            assert_eq!((&*last.residual, last.reward), ("true", 1.0));
            assert!(run.steps.len() <= 4 && finding.steps >= 3);
        }
    }

    #[test]
    fn what_the_formula_says_of_actions_is_known_before_they_are_done() {
        let text =
            "X([actionDetail = on] & X([actionDetail = on] & X([actionDetail = off] & [text = room 0])))";
        for agent in [AgentKind::Farlead, AgentKind::Tree, AgentKind::QLearning] {
            let finding = found(text, &plan(agent, 4, 500));
            assert_eq!((finding.episodes, finding.steps), (1, 4), "{}", agent.name());
        }
    }

    #[test]
    fn tree_search_says_when_there_is_nothing_left_to_try() {
        let finding = found("F [text = room 3]", &plan(AgentKind::Tree, 3, 500));
        // The distance is 1 at most, so no episode is hopeless: 7 actions, twice.
        assert_eq!((finding.stop, finding.episodes, finding.steps), (Stop::Exhausted, 49, 147));
        assert_eq!(finding.reach.closest, Some(("F [text = room 3]".to_string(), 1)));
        // Room 2 is met at the last step alone.
        assert_eq!(finding.reach.never_tried.len(), 7);
    }

    #[test]
    fn a_must_is_searched_for_what_violates_it() {
        let finding = found("must \"stay\": G ![text = room 2]", &plan(AgentKind::Farlead, 4, 500));
        assert_eq!(finding.stop, Stop::Found);
        let held = [0, 5, 9];
        assert_eq!(Outcome::of(Expectation::Must, true, false, &held), Outcome::Broken);
        assert_eq!(Outcome::of(Expectation::Must, false, false, &held), Outcome::Met);
        assert_eq!(Outcome::of(Expectation::Never, false, false, &[0, 0]), Outcome::Untested);
        assert_eq!(Outcome::of(Expectation::Possible, false, true, &held), Outcome::Impossible);
    }

    #[test]
    fn the_same_seed_gives_the_same_search() {
        for agent in AgentKind::ALL {
            let once = format!("{:?}", found("F [text = room 3]", &plan(agent, 5, 50)));
            assert_eq!(once, format!("{:?}", found("F [text = room 3]", &plan(agent, 5, 50))));
        }
    }

    #[test]
    fn a_device_that_fails_ends_the_search_and_time_and_people_do() {
        let spec = spec("F [text = room 9]");
        let mut plan = plan(AgentKind::Random, 4, 500);
        let mut faulty = Faulty::new(Corridor::new(), 10);
        let failed = search(&mut faulty, &spec, &plan, &mut |_| true).expect_err("it fails");
        assert_eq!(failed.to_string(), "the device failed at step 10, as it was told to");
        let stopped = search(&mut Corridor::new(), &spec, &plan, &mut |_| false).expect("no failure");
        assert_eq!((stopped.stop, stopped.episodes), (Stop::Interrupted, 1));
        plan.timeout_ms = Some(3_000);
        let late = search(&mut Corridor::new(), &spec, &plan, &mut |_| true).expect("no failure");
        assert_eq!(late.stop, Stop::TimeSpent);
    }

    /// What was done and seen by tree search in `episodes` after what it recalled of `known`, or in fewer if nothing is
    /// left to try then; what was counted; and how many actions were never tried.
    fn tree_after(
        known: &Experience,
        text: &str,
        steps_max: u32,
        episodes: u64,
    ) -> (Experience, Totals, usize) {
        let mut device = Corridor::new();
        let spec = spec(text);
        let catalogue = Catalogue::new(device.app(), repertoire(&spec, &[], []), false);
        let switches = AgentKind::Tree.switches();
        let mut stage = Stage::new(&mut device, Goal::new(&spec), catalogue, switches, steps_max);
        let (mut tree, mut rng) = (Tree::default(), Seed(1).fork("test"));
        stage.recall(&mut tree, known, &mut rng);
        let mut experience = Experience::new();
        while !tree.is_exhausted() && stage.totals().starts < episodes {
            let episode = stage.run(&mut tree, &mut rng, &mut |_| true).expect("no device fails here");
            experience.add(episode.steps.iter().map(|taken| (taken.action(), &taken.observation().screen)));
        }
        (experience, stage.totals().clone(), stage.catalogue().never_tried().len())
    }

    #[test]
    fn what_was_done_for_one_spec_is_known_to_another() {
        let nothing = Experience::new();
        let (ten, ..) = tree_after(&nothing, "F [text = room 9]", 3, 10);
        let (mut all, totals, _) = tree_after(&ten, "F [text = room 8]", 3, u64::MAX);
        // There are 49 runs of three steps, and none of the first ten is done again.
        assert_eq!((totals.starts, totals.steps, all.runs().count()), (39, 117, 39));
        all.merge(&ten);
        assert_eq!((all.runs().count(), all.steps()), (49, 147));
        // All is known now, and nothing of that counts as done again.
        let (more, totals, never_tried) = tree_after(&all, "F [text = room 7]", 3, u64::MAX);
        assert!(more.is_empty());
        assert_eq!((totals.steps, totals.starts, totals.closest), (0, 0, None));
        // Room 2 is met at the last step alone.
        assert_eq!(never_tried, 7);
        // Where fewer steps are left than were taken, the rest of a run is passed over.
        assert_eq!(tree_after(&all, "F [text = room 7]", 2, u64::MAX).1.steps, 0);
    }

    #[test]
    fn a_known_way_to_the_goal_is_still_to_be_gone() {
        let (experience, ..) = tree_after(&Experience::new(), "F [text = room 9]", 3, u64::MAX);
        // Runs with `off` lose here. Of the others those are left that reach the goal: `on`, and five others before it.
        let text = "(G ![actionDetail = off]) & F [text = room 1]";
        let (_, totals, _) = tree_after(&experience, text, 3, u64::MAX);
        assert_eq!((totals.starts, totals.steps), (6, 17));
        let finding = found(text, &Plan { experience: experience.into(), ..plan(AgentKind::Planner, 3, 5) });
        assert_eq!((finding.stop, finding.episodes, finding.steps), (Stop::Found, 1, 2));
    }

    #[test]
    fn what_has_changed_since_is_found() {
        // On another run the corridor had one room less.
        let mut shorter = Corridor { last: 2, ..Corridor::new() };
        let plan = plan(AgentKind::Planner, 4, 1_000);
        let goal = "F [text = room 3]";
        let before = search(&mut shorter, &spec(goal), &plan, &mut |_| true).expect("no device fails here");
        assert_eq!(before.stop, Stop::Exhausted);
        for seed in 1..=5 {
            let experience = before.experience.clone().grown_old().into();
            let plan = Plan { experience, seed: Seed(seed), ..plan.clone() };
            assert_eq!(found(goal, &plan).stop, Stop::Found);
        }
    }

    #[test]
    fn nothing_is_ruled_out_by_what_another_run_has_tried() {
        let plan = plan(AgentKind::Planner, 3, 500);
        let goal = "F [text = room 9]";
        let first = found(goal, &plan);
        let after = |experience: Experience| {
            let finding = found(goal, &Plan { experience: experience.into(), ..plan.clone() });
            assert_eq!(finding.stop, Stop::Exhausted);
            finding.episodes
        };
        // What was tried in this very run is believed, once some of it has been confirmed.
        assert!(after(first.experience.clone()) < first.episodes / 4);
        assert!(after(first.experience.grown_old()) > first.episodes);
    }

    #[test]
    fn only_an_agent_that_recalls_keeps_what_was_done() {
        for agent in AgentKind::ALL {
            let finding = found("F [text = room 2]", &plan(agent, 4, 5));
            assert_eq!(finding.experience.is_empty(), !agent.recalls(), "{}", agent.name());
        }
    }

    #[test]
    fn what_was_learned_of_labels_is_used_the_next_time() {
        let text = "F [text = room 3]";
        let mut plan = plan(AgentKind::Farlead, 5, 500);
        let finding = found(text, &plan);
        let on = finding.learned.iter().find(|(labeling, _)| labeling.names.iter().any(|name| name == "on"));
        assert!(on.expect("it clicked there").1[0] > 0.0);
        plan.learned = finding.learned;
        assert!(found(text, &plan).steps <= finding.steps);
    }
}
