//! Exploring: episodes without an aim of their own, in which crashes are kept, specs are watched, and what was seen is
//! counted.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Plan, agent};
use crate::device::{Device, DeviceError};
use crate::episode::{Catalogue, Ending, Episode, Stage};
use crate::experience::Experience;
use crate::gui::{Action, Repertoire};
use crate::objective::{Exploration, Formula, Moment, Objective, Pays, Seen, Shaping, Verdict};
use crate::situation::{PhaseId, ScreenId};
use crate::spec::Spec;
use crate::trace::Trace;

/// Most screens, actions of screens and transitions that are told apart, each.
const TOLD_APART_MAX: usize = 1_000_000;

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
    /// True if [`Explored::experience`] is wanted of any agent, and not just of those that need it.
    pub keeps_steps: bool,
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
    /// Episodes that ended in it.
    pub times: u64,
    /// Number of the step, from 1, at which it was met first.
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
    /// Atoms, and the number of steps at which each held.
    pub held: Vec<(String, u64)>,
}

/// Counts at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// Steps so far.
    pub steps: u64,
    /// Activities of the app so far.
    pub activities: usize,
    /// Screens so far.
    pub screens: usize,
    /// Different actions of screens that were done so far.
    pub done: usize,
    /// Transitions so far: a screen, an action and the screen after it.
    pub transitions: usize,
}

/// Findings of exploring.
#[derive(Debug)]
pub struct Explored {
    /// Reason for the end.
    pub stop: ExploreStop,
    /// Episodes.
    pub episodes: u32,
    /// Time that passed on the device.
    pub device_ms: u64,
    /// Counts after each episode that brought something new, and at the end.
    pub curve: Vec<Point>,
    /// Steps at which each activity of the app was seen first, from 1.
    pub activities: BTreeMap<Arc<str>, u64>,
    /// Actions until each of them was seen, in order; starts of the app are no actions.
    pub reached: Vec<u64>,
    /// All actions of the run.
    pub actions: u64,
    /// Actions that were offered and never done, screen by screen.
    pub never_done: Vec<Action>,
    /// Step that last brought something new: an activity, a screen, or an action.
    pub last_new: u64,
    /// Crashes, in the order in which they were met.
    pub faults: Vec<Fault>,
    /// Specs, in the order in which they were given.
    pub watched: Vec<Watched>,
    /// All of the walk, if it is one.
    pub walk: Option<Trace>,
    /// All steps, for those who want to know the app already, if they were kept.
    pub experience: Experience,
    /// Knowledge that the agent keeps.
    pub kept: Vec<u8>,
    /// Error of the device that ended it, if one did; what was seen before counts.
    pub failure: Option<DeviceError>,
}

impl Explored {
    /// Returns the counts at the end.
    pub fn last(&self) -> Point {
        self.curve.last().copied().unwrap_or_default()
    }
}

/// News of exploring while it goes on: counts, episodes, and crashes so far.
pub type ExploreNews = (Point, u32, usize);

/// A spec while it is watched.
struct Watch {
    formula: Formula,
    found: Option<(Trace, u64)>,
}

impl Watch {
    /// Follows `trace`, whose steps have these numbers.
    fn follow(&mut self, trace: &Trace, numbers: &dyn Fn(usize) -> u64) {
        let (mut phase, mut before_ms) = (PhaseId::START, 0);
        for (place, step) in trace.steps.iter().enumerate() {
            let observation = &step.observation;
            let elapsed_ms = observation.at_ms.saturating_sub(before_ms);
            before_ms = observation.at_ms;
            let (class, look) =
                (self.formula.class(&step.action), self.formula.look(Some(&observation.screen)));
            let seen = Seen::Now(observation, elapsed_ms);
            let moment = Moment { action: &step.action, class, seen, look, is_new: false };
            let judgement = self.formula.step(phase, &moment);
            phase = judgement.next;
            match judgement.verdict {
                Verdict::Won => {
                    if self.found.is_none() {
                        let steps = trace.steps[..=place].to_vec();
                        self.found = Some((Trace { steps }, numbers(place)));
                    }
                    return;
                }
                Verdict::Lost => return,
                Verdict::Open => {}
            }
        }
    }
}

/// Counts of what was seen.
#[derive(Default)]
struct Counts {
    activities: BTreeMap<Arc<str>, u64>,
    reached: Vec<u64>,
    starts: u64,
    screens: FxHashSet<ScreenId>,
    /// Actions of screens, and the same with the screens after them.
    done: FxHashSet<(ScreenId, u16)>,
    transitions: FxHashSet<((ScreenId, u16), ScreenId)>,
    last_new: u64,
    curve: Vec<Point>,
}

impl Counts {
    fn add(&mut self, package: &str, episode: &Episode, before: u64) {
        self.starts += u64::from(!episode.steps.is_empty());
        for (place, taken) in episode.steps.iter().enumerate() {
            let number = before + u64::from(taken.number());
            let screen = &taken.observation().screen;
            let mut is_new = false;
            if **screen.package() == *package && !self.activities.contains_key(screen.activity()) {
                self.activities.insert(screen.activity().clone(), number);
                self.reached.push(number.saturating_sub(self.starts));
                is_new = true;
            }
            is_new |= insert(&mut self.screens, taken.screen_id());
            let choice = taken.choice();
            // A start is no action of a screen.
            if place > 0 {
                is_new |= insert(&mut self.done, choice);
                insert(&mut self.transitions, (choice, taken.screen_id()));
            }
            if is_new {
                self.last_new = number;
            }
        }
    }

    fn point(&self, steps: u64) -> Point {
        Point {
            steps,
            activities: self.activities.len(),
            screens: self.screens.len(),
            done: self.done.len(),
            transitions: self.transitions.len(),
        }
    }
}

/// Adds `one` to `all` as long as there is room; returns true if it is new.
fn insert<T: Eq + Hash>(all: &mut FxHashSet<T>, one: T) -> bool {
    all.len() < TOLD_APART_MAX && all.insert(one)
}

/// Explores the app on `device` by the agent of `plan`, in episodes of at most the plan's steps, and watches `specs`.
///
/// `watch` is told of each episode, and says whether to go on.
pub fn explore(
    device: &mut dyn Device,
    specs: &[&Spec],
    repertoire: Repertoire,
    plan: &Plan,
    budget: Budget,
    watch: &mut dyn FnMut(&ExploreNews) -> bool,
) -> Explored {
    let needs = plan.agent.needs;
    let package = device.app().package.clone();
    let repertoire = Repertoire { capabilities: device.capabilities(), ..repertoire };
    let catalogue = Catalogue::new(device.app(), repertoire, plan.abstraction, needs.details);
    let mut objective = Exploration::new(package.clone(), budget.pays);
    let mut stage = Stage::new(device, &mut objective, catalogue, plan.switches, plan.steps_max, plan.seed);
    stage.set_run_steps_max(budget.steps_max);
    let mut agent = agent(plan, stage.catalogue_mut());
    if needs.experience {
        stage.recall(&mut *agent, &plan.experience);
    }
    let mut rng = plan.seed.fork("agent");
    let mut watched: Vec<Watch> =
        specs.iter().map(|spec| Watch { formula: Formula::new(spec, Shaping::None), found: None }).collect();
    let (mut counts, mut faults, mut experience) = (Counts::default(), Vec::new(), Experience::new());
    let (mut episodes, mut failure, mut walk) = (0, None, None);
    let stop = loop {
        let before = stage.totals().steps;
        let left = budget.steps_max.saturating_sub(before);
        stage.set_steps_max(plan.steps_max.min(u32::try_from(left).unwrap_or(u32::MAX)).max(1));
        let device_ms = stage.totals().device_ms;
        let is_late = |ms: u64| plan.timeout_ms.is_some_and(|most| ms >= most);
        let news = (counts.point(before), episodes, faults.len());
        let run = stage.run(&mut *agent, &mut rng, &mut |at_ms| {
            watch(&news) && !is_late(device_ms.saturating_add(at_ms))
        });
        let episode = match run {
            Ok(episode) => episode,
            Err(error) => {
                failure = Some(error);
                break ExploreStop::Failed;
            }
        };
        episodes += 1;
        counts.add(&package, &episode, before);
        let is_faulty = episode.ending == Ending::Won;
        if is_faulty || budget.is_walk || !watched.is_empty() {
            let trace = stage.trace(&episode);
            if budget.is_walk {
                walk = Some(trace.clone());
            }
            watched.iter_mut().for_each(|watch| {
                watch.follow(&trace, &|place| before + u64::from(episode.steps[place].number()))
            });
            if is_faulty {
                add(&mut faults, trace, stage.totals().steps);
            }
        }
        if needs.experience || budget.keeps_steps {
            experience.add(episode.steps.iter().map(|taken| (taken.action(), &taken.observation().screen)));
        }
        let has_codes = needs.experience && stage.learn_codes();
        let totals = stage.totals();
        let point = counts.point(totals.steps);
        let is_same = |last: &Point| Point { steps: point.steps, ..*last } == point;
        if !counts.curve.last().is_some_and(is_same) {
            counts.curve.push(point);
        }
        let goes_on = watch(&(point, episodes, faults.len()));
        let is_quiet =
            budget.until_quiet.is_some_and(|steps| totals.steps.saturating_sub(counts.last_new) >= steps);
        if episode.ending == Ending::Stopped {
            break if is_late(totals.device_ms) { ExploreStop::TimeSpent } else { ExploreStop::Interrupted };
        } else if episode.steps.is_empty() && episode.ending == Ending::DeadEnd {
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
            agent = self::agent(plan, stage.catalogue_mut());
            stage.recall(&mut *agent, &plan.experience);
            stage.recall(&mut *agent, &experience);
        }
    };
    let (steps, device_ms) = (stage.totals().steps, stage.totals().device_ms);
    let last = counts.point(steps);
    if counts.curve.last() != Some(&last) {
        counts.curve.push(last);
    }
    let catalogue = stage.catalogue();
    let never_done = catalogue.never_tried().into_iter().cloned().collect();
    let watched = watched
        .into_iter()
        .map(|Watch { formula, found }| {
            let report = formula.report(&|key| catalogue.words(key));
            let (run, first_step) = found.map_or((None, 0), |(run, step)| (Some(run), step));
            Watched { run, first_step, closest: formula.closest(), held: report.held }
        })
        .collect();
    Explored {
        stop,
        failure,
        episodes,
        device_ms,
        never_done,
        last_new: counts.last_new,
        faults,
        watched,
        walk,
        experience,
        kept: agent.save(stage.catalogue()),
        actions: steps.saturating_sub(counts.starts),
        reached: counts.reached,
        activities: counts.activities,
        curve: counts.curve,
    }
}

/// Adds a run that ends in a crash, or in a lack of an answer, at the step `number`.
fn add(faults: &mut Vec<Fault>, run: Trace, number: u64) {
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
        None => faults.push(Fault { identity, is_anr, times: 1, first_step: number, run }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let plan = Plan { steps_max: 30, ..Plan::new(agent) };
        let budget =
            Budget { steps_max, until_quiet: None, is_walk: false, pays: Pays::Novelty, keeps_steps: true };
        explore(device, &[], together([], &Dictionary::default()), &plan, budget, &mut |_| true)
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
        assert!(explored.curve.windows(2).all(grows), "{:?}", explored.curve);
        assert!(explored.last_new <= 500);
    }
}
