//! Exploring: episodes without an aim of their own, in which crashes are kept, specs are watched, and what was seen is
//! counted.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::steer::{self, Steering};
use super::{Plan, agent};
use crate::abstraction::Counts;
use crate::device::{App, Device, DeviceError};
use crate::episode::{Catalogue, Ending, Stage, Taken};
use crate::experience::Experience;
use crate::gui::{Link, Repertoire, Screen};
use crate::learned_model::{Gathering, LearnedAbstraction, LearnedModel, ModelApp, Point};
use crate::ltl::Interval;
use crate::objective::{Exploration, Formula, Moment, Objective, Pays, Seen, Shaping, Verdict};
use crate::situation::{Learning, Paths, PhaseId};
use crate::spec::Spec;
use crate::trace::{Step, Trace};

/// Budget and reward of exploring.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Most steps of the whole run, the first of each episode included.
    pub steps_max: u64,
    /// Steps without anything new after which it ends, if it does.
    pub until_quiet: Option<u64>,
    /// True if it is one walk: it ends with its first episode, all steps of which are kept.
    pub is_walk: bool,
    /// Rewards.
    pub pays: Pays,
    /// True if [`Explored::model`] and, of any agent, [`Explored::experience`] are wanted; else an agent that needs
    /// experience alone has it.
    pub keeps_steps: bool,
    /// True if some episodes are steered towards the violation that came nearest, for an agent that needs experience.
    pub steers: bool,
}

/// Reason why exploring ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExploreStop {
    /// All steps are spent.
    StepsSpent,
    /// The walk is over.
    WalkEnded,
    /// Nothing new came up for a while.
    Quiet,
    /// All time is spent.
    TimeSpent,
    /// Everything that can be tried was, if the app always answers alike.
    Exhausted,
    /// Someone said to stop.
    Interrupted,
    /// The device failed.
    Failed,
}

/// Crash, or lack of an answer, that was met.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Identity of the crash; empty if it is not known.
    pub identity: Arc<str>,
    /// True if the app did not respond, in place of crashing.
    pub is_anr: bool,
    /// True if an earlier run has met it.
    pub is_known: bool,
    /// Episodes of this run that ended in it.
    pub times: u64,
    /// Number of the step, from 1, at which this run met it first.
    pub first_step: u64,
    /// Shortest run to it that was met.
    pub run: Trace,
}

/// Spec that was watched.
#[derive(Clone, Debug)]
pub struct Watched {
    /// First run that decides it: it violates a `never` or `must`, or satisfies a `possible`.
    pub run: Option<Trace>,
    /// Number of the step, from 1, at which that run came to it.
    pub first_step: u64,
    /// Fewest steps that were left at any time, whatever the app.
    pub closest: Option<u32>,
    /// Episodes that were steered towards a violation.
    pub steered: u32,
    /// Atoms, and the number of steps at which each held.
    pub held: Vec<(String, u64)>,
}

/// Findings of exploring.
#[derive(Debug)]
pub struct Explored {
    /// Reason for the end.
    pub stop: ExploreStop,
    /// Episodes of this run.
    pub episodes: u32,
    /// Steps of this run.
    pub steps: u64,
    /// Counts of all that was seen, in earlier runs too, if they were kept.
    pub model: LearnedModel,
    /// Actions of this run until each activity was seen, in order; starts of the app are no actions.
    pub reached: Vec<u64>,
    /// All actions of this run.
    pub actions: u64,
    /// Crashes of this run, in the order in which they were met.
    pub faults: Vec<Fault>,
    /// Specs, in the order in which they were given.
    pub watched: Vec<Watched>,
    /// All of the walk, if it is one.
    pub walk: Option<Trace>,
    /// All steps of this run, for those who want to know the app already, if they were kept.
    pub experience: Experience,
    /// Knowledge that the agent keeps.
    pub kept: Vec<u8>,
    /// Paths that the agent has decided on, if it decides on any.
    pub paths: Option<Paths>,
    /// Course of the learning by the steps of this run, if the agent has networks.
    pub learning: Vec<(u64, Learning)>,
    /// Size of the abstraction's model, if it learns one.
    pub counts: Option<Counts>,
    /// Error of the device that ended it, if one did; what was seen before counts.
    pub failure: Option<DeviceError>,
}

impl Explored {
    /// Returns the counts at the end.
    pub fn last(&self) -> Point {
        self.model.curve.last().copied().unwrap_or_default()
    }
}

/// News of exploring while it goes on.
#[derive(Clone, Copy)]
pub struct ExploreNews<'a> {
    /// Counts so far.
    pub point: Point,
    /// Episodes so far.
    pub episodes: u32,
    /// Crashes so far.
    pub crashes: usize,
    /// Course of the learning, if the agent has networks.
    pub learning: Option<Learning>,
    /// More about it at the end of an episode.
    pub ended: Option<EpisodeNews<'a>>,
}

/// News at the end of an episode of exploring.
#[derive(Clone, Copy)]
pub struct EpisodeNews<'a> {
    /// Returns the steps of the episode; making them takes as long as a few steps.
    pub trace: &'a dyn Fn() -> Trace,
    /// Counts of all that was seen so far.
    pub model: &'a LearnedModel,
    /// All steps so far, if they are kept.
    pub experience: &'a Experience,
}

/// Most points of the course of the learning; then every other one is dropped.
const LEARNING_MAX: usize = 512;

/// Course of the learning, thinned out as it grows.
#[derive(Debug, Default)]
struct Lessons {
    points: Vec<(u64, Learning)>,
    /// Episodes from one point to the next, less one, and those since the last point.
    skipped: u32,
    since: u32,
}

impl Lessons {
    fn add(&mut self, steps: u64, learning: Option<Learning>) {
        let Some(learning) = learning.filter(|learning| learning.updates > 0) else { return };
        if self.since < self.skipped {
            self.since += 1;
            return;
        }
        self.since = 0;
        self.points.push((steps, learning));
        if self.points.len() >= LEARNING_MAX {
            let mut nth = 0;
            self.points.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            self.skipped = 2 * self.skipped + 1;
        }
    }
}

/// A spec while it is watched.
struct Watch {
    formula: Formula,
    found: Option<(Trace, u64)>,
    /// Phase and time after the last step of the episode; none once the episode has decided the formula.
    open: Option<(PhaseId, u64)>,
    /// Screen after the last step of the episode.
    before: Option<Arc<Screen>>,
    /// Steps of the episode up to the one that is a run to keep, and the number of that one.
    just_found: Option<(usize, u64)>,
}

impl Watch {
    fn new(spec: &Spec) -> Watch {
        Watch {
            formula: Formula::new(spec, Shaping::None),
            found: None,
            open: None,
            before: None,
            just_found: None,
        }
    }

    fn begin(&mut self) {
        self.open = Some((PhaseId::START, 0));
        self.before = None;
    }

    /// Follows the episode to the step `taken`, which has this place, and this number in all.
    fn follow(&mut self, taken: &Taken, place: usize, number: u64) {
        let Some((phase, before_ms)) = self.open else { return };
        let (action, observation) = (taken.action(), taken.observation());
        let elapsed_ms = observation.at_ms.saturating_sub(before_ms);
        let after = &observation.screen;
        let before = self.before.replace(after.clone());
        let interval = Interval { from_ms: before_ms, to_ms: observation.at_ms };
        let before = before.as_deref();
        let link = self.formula.link(Link { before, action: Some(action), after }, interval);
        let (class, look) = (self.formula.class(action), self.formula.look(Some(after), link));
        let seen = Seen::Now(observation, elapsed_ms);
        let moment = Moment { action, class, seen, look, is_new: false };
        let judgement = self.formula.step(phase, &moment);
        self.open = match judgement.verdict {
            Verdict::Open => Some((judgement.next, observation.at_ms)),
            Verdict::Won | Verdict::Lost => None,
        };
        if judgement.verdict == Verdict::Won && self.found.is_none() {
            self.just_found = Some((place + 1, number));
        }
    }

    /// Keeps the run that the episode has brought, if it has.
    fn keep(&mut self, trace: impl FnOnce() -> Trace) {
        if let Some((length, number)) = self.just_found.take() {
            let mut run = trace();
            run.steps.truncate(length);
            self.found = Some((run, number));
        }
    }
}

/// Activities of this run, as they come up.
#[derive(Default)]
struct Reached {
    activities: BTreeSet<Arc<str>>,
    after: Vec<u64>,
    starts: u64,
}

impl Reached {
    /// Takes in a step after `before` steps of other episodes; the first of its episode if it is a start.
    fn add(&mut self, package: &str, taken: &Taken, is_start: bool, before: u64) {
        self.starts += u64::from(is_start);
        let screen = &taken.observation().screen;
        if **screen.package() == *package && !self.activities.contains(screen.activity()) {
            self.activities.insert(screen.activity().clone());
            self.after.push((before + u64::from(taken.number())).saturating_sub(self.starts));
        }
    }
}

/// Explores the app on `device` by the agent of `plan`, in episodes of at most the plan's steps, and watches `specs`. It
/// goes on from `model`, whose numbers count on. An agent that needs experience has some of the episodes steered towards
/// violations.
///
/// `watch` is told of each episode, and says whether to go on.
pub fn explore(
    device: &mut dyn Device,
    specs: &[&Spec],
    repertoire: Repertoire,
    plan: &Plan,
    budget: Budget,
    mut model: LearnedModel,
    watch: &mut dyn FnMut(&ExploreNews<'_>) -> bool,
) -> Explored {
    let needs = plan.agent.needs;
    let app = device.app().clone();
    let App { package, version, activities, .. } = app.clone();
    let repertoire = Repertoire { capabilities: device.capabilities(), ..repertoire };
    let blank = || Catalogue::new(&app, repertoire.clone(), plan.abstraction, needs.details);
    let mut catalogue = blank();
    if let Some(learned) = &model.abstraction {
        catalogue.go_on(&learned.naming);
    }
    let is_steered = budget.steers && needs.experience && !budget.is_walk;
    let mut aims: Vec<(usize, Formula)> = (0..)
        .zip(specs.iter().filter(|_| is_steered))
        .filter_map(|(at, spec)| Some((at, steer::aim(spec)?)))
        .collect();
    let mut steering = Steering::new(aims.iter_mut().map(|(at, formula)| (*at, formula)), plan, &blank);
    let mut objective = Exploration::new(package.clone(), budget.pays).watching(specs.iter().copied());
    // An earlier run may have known the activities from elsewhere.
    let activities =
        if activities.is_empty() { std::mem::take(&mut model.app.activities) } else { activities };
    model.app = ModelApp { package: package.clone(), version, activities };
    let mut stage = Stage::new(device, &mut objective, catalogue, plan.switches, plan.steps_max, plan.seed);
    stage.set_run_steps_max(budget.steps_max);
    stage.learn_aside();
    let mut agent = agent(plan, budget.steps_max, stage.catalogue_mut());
    if needs.experience {
        stage.recall(&mut *agent, &plan.experience);
    }
    // The same chance would take the same steps again.
    let mut rng = match model.steps {
        0 => plan.seed.fork("agent"),
        steps => plan.seed.fork(&format!("agent after {steps} steps")),
    };
    let mut watched: Vec<Watch> = specs.iter().map(|spec| Watch::new(spec)).collect();
    let (mut faults, mut experience): (Vec<Fault>, _) = (Vec::new(), Experience::new());
    let (earlier_steps, earlier_episodes, earlier_ms) = (model.steps, model.episodes, model.device_ms);
    let earlier_faults = model.faults.clone();
    let (mut episodes, mut failure, mut walk, mut reached) = (0, None, None, Reached::default());
    let mut learning = Lessons::default();
    let stop = loop {
        let before = stage.totals().steps;
        let left = budget.steps_max.saturating_sub(before);
        stage.set_steps_max(plan.steps_max.min(u32::try_from(left).unwrap_or(u32::MAX)).max(1));
        let device_ms = stage.totals().device_ms;
        let is_late = |ms: u64| plan.timeout_ms.is_some_and(|most| ms >= most);
        let news = ExploreNews {
            point: model.point(before),
            episodes,
            crashes: faults.len(),
            learning: agent.learning(),
            ended: None,
        };
        let mut goes_on = |at_ms: u64| watch(&news) && !is_late(device_ms.saturating_add(at_ms));
        let course = steering.next(&|spec: usize| {
            let Watch { formula, found, .. } = &watched[spec];
            // Before the first step nothing tells specs apart.
            found.is_none().then(|| formula.closest().unwrap_or(1))
        });
        let run = match course {
            Some(course) => {
                let past = (plan, &experience);
                steering.take(course, &mut stage, past, &blank, |stage, guide, rng| {
                    // Its steps are numbered by the course's own catalogue.
                    let episode = stage.run(guide, rng, &mut goes_on)?;
                    let episode = stage.unpacked(episode);
                    let trace = plain(stage.trace(&episode));
                    Ok((episode, Some(trace)))
                })
            }
            None => stage.run(&mut *agent, &mut rng, &mut goes_on).map(|episode| (episode, None)),
        };
        let (episode, steered) = match run {
            Ok(episode) => episode,
            Err(error) => {
                failure = Some(error);
                break ExploreStop::Failed;
            }
        };
        episodes += 1;
        let keeps_experience = needs.experience || budget.keeps_steps;
        let mut history = experience.begin();
        watched.iter_mut().for_each(Watch::begin);
        let before_found = watched.iter().filter(|watch| watch.found.is_some()).count();
        let (mut place, mut is_faulty) = (0, false);
        for row in stage.rows(&episode) {
            for taken in &*row {
                let number = earlier_steps + before + u64::from(taken.number());
                reached.add(&package, taken, place == 0, before);
                if budget.keeps_steps {
                    model.add_step(number, &taken.seen());
                }
                if keeps_experience {
                    experience.go_on(&mut history, taken.action(), &taken.observation().screen);
                }
                watched.iter_mut().for_each(|watch| watch.follow(taken, place, number));
                place += 1;
                is_faulty = is_fault(&taken.observation().screen);
            }
        }
        experience.finish(history);
        let trace = || steered.clone().unwrap_or_else(|| stage.trace(&episode));
        watched.iter_mut().for_each(|watch| watch.keep(trace));
        if is_faulty {
            let is_known = |identity: &str, is_anr| {
                earlier_faults.iter().any(|fault| *fault.identity == *identity && fault.is_anr == is_anr)
            };
            add(&mut faults, trace(), earlier_steps + stage.totals().steps, &is_known);
        }
        if budget.is_walk {
            walk = Some(trace());
        }
        let found = watched.iter().filter(|watch| watch.found.is_some()).count();
        steering.learn(course, &stage, &episode, found > before_found);
        if course.is_some() {
            let mut led = Experience::new();
            steer::remember(&mut led, &stage, &episode);
            stage.recall(&mut *agent, &led);
        }
        let totals = stage.totals().clone();
        model.push_point(earlier_steps + totals.steps);
        learning.add(totals.steps, agent.learning());
        let goes_on = watch(&ExploreNews {
            point: model.point(totals.steps),
            episodes,
            crashes: faults.len(),
            learning: agent.learning(),
            ended: Some(EpisodeNews {
                trace: &|| steered.clone().unwrap_or_else(|| stage.trace(&episode)),
                model: &model,
                experience: &experience,
            }),
        });
        let has_codes = needs.experience && stage.learn_codes();
        // A run that goes on from a quiet one gets its own time to find something.
        let quiet_since = model.last_new.saturating_sub(earlier_steps);
        let is_quiet = budget.until_quiet.is_some_and(|steps| totals.steps - quiet_since >= steps);
        if episode.ending == Ending::Stopped {
            break if is_late(totals.device_ms) { ExploreStop::TimeSpent } else { ExploreStop::Interrupted };
        } else if course.is_none() && episode.steps.is_empty() && episode.ending == Ending::DeadEnd {
            break ExploreStop::Exhausted;
        } else if totals.steps >= budget.steps_max {
            break ExploreStop::StepsSpent;
        } else if budget.is_walk {
            break ExploreStop::WalkEnded;
        } else if is_late(totals.device_ms) {
            break ExploreStop::TimeSpent;
        } else if !goes_on {
            break ExploreStop::Interrupted;
        } else if is_quiet {
            break ExploreStop::Quiet;
        } else if has_codes {
            stage.start_over();
            agent = self::agent(plan, budget.steps_max, stage.catalogue_mut());
            stage.recall(&mut *agent, &plan.experience);
            stage.recall(&mut *agent, &experience);
        }
    };
    let (steps, device_ms) = (stage.totals().steps, stage.totals().device_ms);
    model.steps = earlier_steps + steps;
    model.episodes = earlier_episodes.saturating_add(episodes);
    model.device_ms = earlier_ms.saturating_add(device_ms);
    model.end_curve(model.steps);
    for Fault { identity, is_anr, times, first_step, .. } in &faults {
        model.add_fault(identity, *is_anr, *times, *first_step);
    }
    let (kept, counts) = (agent.save(stage.catalogue()), stage.catalogue().counts());
    model.abstraction = abstraction(&mut stage, &model, [&*plan.experience, &experience]);
    let catalogue = stage.catalogue();
    let watched = watched
        .into_iter()
        .enumerate()
        .map(|(at, Watch { formula, found, .. })| {
            let report = formula.report(&|key| catalogue.words(key));
            let (run, first_step) = found.map_or((None, 0), |(run, step)| (Some(run), step));
            let steered = steering.episodes(at);
            Watched { run, first_step, closest: formula.closest(), steered, held: report.held }
        })
        .collect();
    Explored {
        stop,
        failure,
        episodes,
        steps,
        model,
        actions: steps.saturating_sub(reached.starts),
        reached: reached.after,
        faults,
        watched,
        walk,
        experience,
        kept,
        learning: learning.points,
        counts,
        paths: agent.paths(),
    }
}

/// Returns the abstract states of all screens of these experiences, if the abstraction names widgets.
fn abstraction(
    stage: &mut Stage<'_>,
    model: &LearnedModel,
    experiences: [&Experience; 2],
) -> Option<Box<LearnedAbstraction>> {
    let mut gathering = Gathering::new(stage.catalogue().naming()?);
    let mut seen = BTreeSet::new();
    for screen in experiences.into_iter().flat_map(Experience::links).map(|link| link.screen) {
        let is_new = seen.insert(screen.sight());
        if let Some((site, named)) = is_new.then(|| stage.named(screen)).flatten() {
            gathering.add(model, screen, &site.actions, &named);
        }
    }
    Some(Box::new(gathering.finish(model)))
}

/// Returns true if the app crashed or does not respond.
fn is_fault(screen: &Screen) -> bool {
    screen.context().crashed || screen.context().anr
}

/// Returns the trace of an episode that was steered as one that explored has it, which no formula has judged.
fn plain(trace: Trace) -> Trace {
    let step = |step: Step| Step { labels: Vec::new(), remaining: "true".into(), reward: 0.0, ..step };
    Trace { steps: trace.steps.into_iter().map(step).collect() }
}

/// Adds a run that ends in a crash, or in a lack of an answer, at the step `number`.
fn add(faults: &mut Vec<Fault>, run: Trace, number: u64, is_known: &dyn Fn(&str, bool) -> bool) {
    let Some(last) = run.steps.last() else { return };
    let screen = &last.observation.screen;
    let (identity, is_anr) = (screen.crash().cloned().unwrap_or_default(), !screen.context().crashed);
    match faults.iter_mut().find(|fault| fault.identity == identity && fault.is_anr == is_anr) {
        Some(known) => {
            known.times += 1;
            if run.steps.len() < known.run.steps.len() {
                known.run = run;
            }
        }
        None => {
            let is_known = is_known(&identity, is_anr);
            faults.push(Fault { identity, is_anr, is_known, times: 1, first_step: number, run });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::tests::quick;
    use crate::agent::{AGENTS, PLANNER};
    use crate::device::sim::{Sim, read};
    use crate::device::{Faulty, sim};
    use crate::rng::Seed;
    use crate::search::{Dictionary, together};
    use crate::spec::Source;

    /// An app that crashes where a form is saved with an empty field.
    fn crashy() -> Sim {
        let text = include_str!("../../benches/crashes/save.app");
        let model: Option<sim::model::Model> = read(&Source::new("save.app", text)).model;
        Sim::new(Arc::new(model.expect("a model without mistakes")), Seed(1))
    }

    fn explored(
        device: &mut dyn Device,
        agent: &'static crate::agent::AgentInfo,
        steps_max: u64,
    ) -> Explored {
        explored_from(device, agent, steps_max, LearnedModel::default(), Experience::new())
    }

    fn explored_from(
        device: &mut dyn Device,
        agent: &'static crate::agent::AgentInfo,
        steps_max: u64,
        from: LearnedModel,
        experience: Experience,
    ) -> Explored {
        let experience = Arc::new(experience);
        let plan = Plan { steps_max: 30, experience, settings: quick(), ..Plan::new(agent) };
        let budget = Budget {
            steps_max,
            until_quiet: None,
            is_walk: false,
            pays: Pays::Novelty,
            keeps_steps: true,
            steers: true,
        };
        explore(device, &[], together([], &Dictionary::default()), &plan, budget, from, &mut |_| true)
    }

    #[test]
    fn it_takes_the_steps_that_it_is_given() {
        for agent in AGENTS {
            for steps in [1, 10, 137] {
                let explored = explored(&mut crashy(), agent, steps);
                assert_eq!(explored.last().steps, steps, "{}", agent.name);
                assert_eq!(explored.stop, ExploreStop::StepsSpent);
            }
        }
    }

    #[test]
    fn what_was_found_before_the_device_failed_is_kept() {
        let whole = explored(&mut crashy(), &PLANNER, 400);
        let first = whole.faults.first().expect("a crash").first_step;
        let failed = explored(&mut Faulty::new(crashy(), first as usize + 5), &PLANNER, 400);
        assert_eq!(failed.stop, ExploreStop::Failed);
        assert!(failed.failure.is_some());
        assert_eq!(failed.faults.first().map(|fault| fault.first_step), Some(first));
    }

    #[test]
    fn counts_only_grow() {
        let explored = explored(&mut crashy(), &PLANNER, 500);
        let grows = |pair: &[Point]| {
            let [before, after] = pair else { return true };
            before.steps < after.steps
                && before.activities <= after.activities
                && before.screens <= after.screens
                && before.done <= after.done
                && before.transitions <= after.transitions
        };
        let curve = &explored.model.curve;
        assert!(curve.windows(2).all(grows), "{curve:?}");
        assert!(explored.model.last_new <= 500);
    }

    /// Counts written straight from the steps, which share nothing with the model.
    #[test]
    fn a_model_counts_what_the_steps_of_all_episodes_were() {
        use std::collections::BTreeMap;
        for agent in AGENTS {
            let explored = explored(&mut crashy(), agent, 300);
            let (mut seen, mut ways, mut starts) = (BTreeMap::new(), BTreeMap::new(), 0_u64);
            for run in explored.experience.runs() {
                for _ in 0..run.times {
                    let mut before = None;
                    for (record, screen) in &run.steps {
                        *seen.entry(screen.sight()).or_insert(0_u64) += 1;
                        match before {
                            Some(before) => {
                                let way = (before, record.to_string(), screen.sight());
                                *ways.entry(way).or_insert(0_u64) += 1;
                            }
                            None => starts += 1,
                        }
                        before = Some(screen.sight());
                    }
                }
            }
            let model = &explored.model;
            let of_model = model.states().iter().map(|state| (state.identity, state.seen)).collect();
            assert_eq!(seen, of_model, "{}", agent.name);
            let mut of_model = BTreeMap::new();
            for link in model.links() {
                let [from, to] = [link.from, link.to].map(|state| model.states()[state].identity);
                *of_model.entry((from, model.offer(link.from, link.at).to_string(), to)).or_insert(0) +=
                    link.times;
            }
            assert_eq!(ways, of_model, "{}", agent.name);
            assert_eq!(starts, model.starts().iter().map(|start| start.times).sum::<u64>());
            let done = (0..model.states().len()).flat_map(|state| model.offers(state));
            assert_eq!(model.last_point().done, done.filter(|(_, times)| *times > 0).count());
        }
    }

    /// Explores the shop for 600 steps and watches these specs.
    fn steered(specs: &[&str], steers: bool, seed: u64) -> Explored {
        steered_for(600, specs, steers, seed)
    }

    fn steered_for(steps_max: u64, specs: &[&str], steers: bool, seed: u64) -> Explored {
        let text = include_str!("../../apps/shop.app");
        let model: Option<sim::model::Model> = read(&Source::new("shop.app", text)).model;
        let mut shop = Sim::new(Arc::new(model.expect("a model without mistakes")), Seed(seed));
        let text = specs.iter().map(|spec| format!("never {spec}\n")).collect::<String>();
        let file = crate::spec::parse(&Source::new("never.ltl", &*text)).file;
        let specs: Vec<&Spec> = file.specs.iter().collect();
        let plan = Plan { steps_max: 30, seed: Seed(seed), ..Plan::new(&PLANNER) };
        let (pays, is_walk) = (Pays::Novelty, false);
        let budget = Budget { steps_max, until_quiet: None, is_walk, pays, keeps_steps: true, steers };
        let repertoire = together(specs.iter().map(|&spec| (spec, &[][..])), &Dictionary::default());
        explore(&mut shop, &specs, repertoire, &plan, budget, LearnedModel::default(), &mut |_| true)
    }

    #[test]
    fn without_a_direction_nothing_is_steered() {
        let aimless = r#""no crash": F [crashed = true]"#;
        for specs in [&[][..], &[aimless]] {
            let (one, other) = (steered(specs, true, 1), steered(specs, false, 1));
            assert_eq!(one.model.to_text(), other.model.to_text());
            assert!(one.watched.iter().all(|watched| watched.steered == 0));
        }
    }

    #[test]
    fn a_third_of_the_episodes_at_most_is_steered_and_all_are_counted() {
        let absent: Vec<String> = (0..6)
            .map(|number| format!(r#""{number}": F ([activity ~ List] & X F [text = "absent {number}"])"#))
            .collect();
        let specs: Vec<&str> = absent.iter().map(String::as_str).collect();
        for seed in 1..=2 {
            let explored = steered(&specs, true, seed);
            let led: u32 = explored.watched.iter().map(|watched| watched.steered).sum();
            assert!(led > 0 && 3 * led <= explored.episodes, "{led} of {}", explored.episodes);
            let taken = explored.watched.iter().filter(|watched| watched.steered > 0).count();
            assert!(taken > 4, "more specs have turns than know the app at a time: {taken}");
            let seen: u64 = explored.model.states().iter().map(|state| state.seen).sum();
            assert_eq!((explored.steps, seen), (600, 600));
            assert_eq!(explored.experience.steps(), 600);
            if seed == 1 {
                let again = steered(&specs, true, seed);
                assert_eq!(again.model.to_text(), explored.model.to_text());
            }
        }
    }

    /// The spec is violated by a row of actions in order, which exploring comes upon by chance alone.
    #[test]
    fn steering_finds_what_lies_deep_sooner() {
        let deep = r#""deep": F ([activity ~ Settings] & X F ([activity ~ Search] & X F ([activity ~ Settings] & X F [activity ~ Search])))"#;
        let found = |steers| {
            let is_found = |seed| steered_for(300, &[deep], steers, seed).watched[0].run.is_some();
            (1..=20).filter(|&seed| is_found(seed)).count()
        };
        let (with, without) = (found(true), found(false));
        assert!(with >= without + 8, "{with} of 20 with steering, {without} without");
        let found = steered(&[deep], true, 1);
        let run = found.watched[0].run.as_ref().expect("a violation");
        assert!(run.steps.iter().all(|step| step.labels.is_empty()));
    }

    /// The law: a run that goes on from another knows all that the other knew, and more.
    #[test]
    fn going_on_keeps_what_was_known_and_counts_on() {
        for agent in AGENTS {
            for (first, second) in [(1, 40), (60, 120), (120, 1)] {
                let one = explored(&mut crashy(), agent, first);
                let text = one.model.to_text();
                let read = LearnedModel::read(&text).expect("what was written");
                assert_eq!(read.to_text(), text, "{}", agent.name);
                let experience = one.experience.clone().grown_old();
                let both = explored_from(&mut crashy(), agent, second, read.clone(), experience.clone());
                assert_eq!((both.steps, both.model.steps), (second, first + second));
                assert_eq!(both.model.episodes, one.episodes + both.episodes);
                assert!(both.model.last_new >= one.model.last_new);
                assert!(both.model.curve.starts_with(&one.model.curve), "{}", agent.name);
                for (number, state) in one.model.states().iter().enumerate() {
                    let later = &both.model.states()[number];
                    assert!(later.identity == state.identity && later.seen >= state.seen);
                    assert_eq!(later.first_step, state.first_step);
                    for ((label, times), (same, more)) in
                        one.model.offers(number).zip(both.model.offers(number))
                    {
                        assert!(label == same && more >= times, "{label}, {same}");
                    }
                }
                let links = both.model.links();
                for link in one.model.links() {
                    let is_it = |later: &&crate::learned_model::Link| {
                        (later.from, later.at, later.to) == (link.from, link.at, link.to)
                    };
                    assert!(links.iter().find(is_it).is_some_and(|later| later.times >= link.times));
                }
                for fault in &one.model.faults {
                    assert!(both.model.has_fault(&fault.identity, fault.is_anr));
                }
                assert!(
                    both.faults.iter().all(|fault| {
                        fault.is_known == one.model.has_fault(&fault.identity, fault.is_anr)
                    })
                );
                let again = explored_from(&mut crashy(), agent, second, read, experience);
                assert_eq!(again.model.to_text(), both.model.to_text(), "{}", agent.name);
            }
        }
    }

    /// Explores an app by `agent` on an abstraction.
    fn abstracted(
        text: &str,
        (agent, abstraction): (
            &'static crate::agent::AgentInfo,
            &'static crate::abstraction::AbstractionInfo,
        ),
        steps_max: u64,
        from: LearnedModel,
        experience: Experience,
    ) -> Explored {
        let model: Option<sim::model::Model> = read(&Source::new("some.app", text)).model;
        let mut device = Sim::new(Arc::new(model.expect("a model without mistakes")), Seed(1));
        let plan = Plan { steps_max: 40, experience: Arc::new(experience), abstraction, ..Plan::new(agent) };
        let (pays, is_walk) = (Pays::Novelty, false);
        let budget = Budget { steps_max, until_quiet: None, is_walk, pays, keeps_steps: true, steers: true };
        explore(&mut device, &[], together([], &Dictionary::default()), &plan, budget, from, &mut |_| true)
    }

    const APPS: [&str; 3] = [
        include_str!("../../apps/files.app"),
        include_str!("../../apps/tally.app"),
        include_str!("../../apps/shop.app"),
    ];

    /// The law: going on from a model, the same screens have the same states as at the end of the run that saved it.
    #[test]
    fn going_on_keeps_the_states_of_all_screens() {
        use crate::abstraction::{APE, APE_FROZEN, APE_STOAT};
        use crate::agent;
        let mut refined = 0;
        for text in APPS {
            for by in
                [(&agent::APE, &APE), (&agent::APE, &APE_STOAT), (&PLANNER, &APE), (&agent::APE, &APE_FROZEN)]
            {
                let one = abstracted(text, by, 500, LearnedModel::default(), Experience::new());
                let read = LearnedModel::read(&one.model.to_text()).expect("what was written");
                let first = one.model.abstraction.expect("states");
                assert_eq!(read.abstraction.as_deref(), Some(&*first));
                refined += first.naming.refined.len();
                let both = abstracted(text, by, 1, read, one.experience.grown_old());
                let second = both.model.abstraction.expect("states");
                assert_eq!(second.naming, first.naming, "{}", by.1.name);
                let of = |abstraction: &LearnedAbstraction| -> BTreeSet<_> {
                    let states = abstraction.states.iter();
                    states.flat_map(|state| state.screens.iter().map(|&screen| (screen, state.key))).collect()
                };
                assert!(of(&second).is_superset(&of(&first)), "{}", by.1.name);
                assert!(of(&second).len() <= of(&first).len() + 1);
            }
        }
        assert!(refined > 5, "{refined}");
    }

    /// Counts written straight from the steps.
    #[test]
    fn edges_count_how_often_an_abstract_action_led_there_and_elsewhere() {
        use std::collections::BTreeMap;
        for text in APPS {
            let by = (&crate::agent::APE, &crate::abstraction::APE);
            let explored = abstracted(text, by, 500, LearnedModel::default(), Experience::new());
            let abstraction = explored.model.abstraction.as_deref().expect("states");
            let mut state_of = BTreeMap::new();
            for (number, state) in abstraction.states.iter().enumerate() {
                assert!(state.screens.is_sorted());
                for &screen in &state.screens {
                    let identity = explored.model.states()[screen].identity;
                    assert_eq!(state_of.insert(identity, number), None, "a screen has one state");
                }
            }
            let mut taken: BTreeMap<(usize, usize), u64> = BTreeMap::new();
            for run in explored.experience.runs() {
                let states: Vec<usize> =
                    run.steps.iter().map(|(_, screen)| state_of[&screen.sight()]).collect();
                for pair in states.windows(2) {
                    *taken.entry((pair[0], pair[1])).or_default() += u64::from(run.times);
                }
            }
            let mut hits: BTreeMap<(usize, usize), u64> = BTreeMap::new();
            for edge in &abstraction.edges {
                *hits.entry((edge.from, edge.to)).or_default() += edge.hits;
                let is_same = |other: &&crate::learned_model::AbstractEdge| {
                    (other.from, other.widget, &other.by) == (edge.from, edge.widget, &edge.by)
                };
                let elsewhere = abstraction.edges.iter().filter(is_same).filter(|other| other.to != edge.to);
                assert_eq!(edge.misses, elsewhere.map(|other| other.hits).sum::<u64>(), "{edge:?}");
            }
            assert_eq!(hits, taken);
        }
    }
}
