//! One episode: an agent, a device and a goal, step by step.
//!
//! Here alone they meet. The loop is the same for all agents; what is added to it (prediction, sure actions, giving up
//! what is hopeless) is a switch for all of them.

mod catalogue;
mod why;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::agent::{
    self, Agent, ClassId, Lesson, LookId, Outlook, Reason, Remark, ResidualId, ScreenId, Situation,
};
use crate::device::{Device, DeviceError};
use crate::experience::Experience;
use crate::gui::{Action, ActionRecord, Screen};
use crate::ltl::{Labels, State};
use crate::reward::{ActionClass, Forecast, Goal, Look, Shaping, Standing, Verdict};
use crate::rng::Rng;
use crate::trace::{Observation, Step, Trace};
pub use catalogue::{Catalogue, Entry, Labeling, Place};

/// How often a choice is among the sure actions alone, where there are some. The rest keeps the others from being left
/// out for ever; between 0.8 and 0.95 it makes no difference that can be measured.
const SURE_SHARE: f64 = 0.9;

/// So many steps are taken before it is asked again whether to go on.
const STEPS_UNASKED: usize = 64;

/// What is added to the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// What residuals that change are worth.
    pub shaping: Shaping,
    /// Whether actions that lose by their labels are left out, and one that wins is taken.
    pub prediction: bool,
    /// Whether actions that cannot lose by their labels are preferred.
    pub sure_actions: bool,
    /// Whether an episode ends as soon as the goal needs more steps than it has left.
    pub restart_hopeless: bool,
}

/// How an episode ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// The goal is reached.
    Won,
    /// It cannot be reached any more.
    Lost,
    /// Every action would lose.
    DeadEnd,
    /// It could not be reached in the steps left.
    Hopeless,
    /// The steps are spent.
    StepsSpent,
    /// Someone said to stop.
    Stopped,
}

/// What the goal says of steps that were not taken yet, in an agent's numbers.
struct Ahead<'a>(&'a mut Goal);

impl Outlook for Ahead<'_> {
    fn after(&mut self, residual: ResidualId, class: ClassId, look: LookId) -> ResidualId {
        self.0.step_to(State::from_number(residual), ActionClass(class), Look(look)).number()
    }

    fn standing(&mut self, residual: ResidualId) -> agent::Standing {
        standing(self.0.standing(State::from_number(residual)))
    }

    fn classes(&self) -> ClassId {
        self.0.classes()
    }

    fn wishes(&mut self, residual: ResidualId, class: ClassId, look: LookId, wishes: &mut Vec<agent::Wish>) {
        let known = self.0.wishes(State::from_number(residual), ActionClass(class), Look(look));
        wishes.extend(known.iter().map(|wish| agent::Wish {
            residual: wish.state.number(),
            standing: standing(wish.standing),
            gained: wish.gained,
            changes: wish.changes,
            moves: wish.moves,
        }));
    }
}

fn standing(known: Standing) -> agent::Standing {
    match (known.verdict, known.distance) {
        (Verdict::Won, _) => agent::Standing::Won,
        (Verdict::Open, Some(distance)) => agent::Standing::Open(distance),
        (Verdict::Lost, _) | (Verdict::Open, None) => agent::Standing::Lost,
    }
}

/// What is to be learned from a step to the screen `to`, of which `residual` is left.
fn lesson(to: &Entry, residual: State, reward: f64, ending: Option<Ending>) -> Lesson<'_> {
    Lesson {
        // Not in time is as bad as not at all.
        reward: if ending == Some(Ending::Hopeless) { -1.0 } else { reward },
        scene: to.scene(),
        residual: residual.number(),
        ends: ending.is_some(),
    }
}

/// An episode that is over.
#[derive(Clone, Debug)]
pub struct Episode {
    /// How it ended.
    pub ending: Ending,
    /// What was done and seen.
    pub steps: Vec<Taken>,
}

/// A step of an episode, as it is kept while most episodes are thrown away.
#[derive(Clone, Debug)]
pub struct Taken {
    from: Arc<Entry>,
    at: u16,
    observation: Observation,
    to: Arc<Entry>,
    state: State,
    reward: f64,
    /// Why it was taken, and what it has taught; few agents say.
    why: Option<Box<(Reason, Option<Remark>)>>,
}

impl Taken {
    /// What was done.
    pub fn action(&self) -> &Action {
        &self.from.offers[usize::from(self.at)].action
    }

    /// What was seen then.
    pub fn observation(&self) -> &Observation {
        &self.observation
    }

    /// What is left of the formula then.
    pub fn state(&self) -> State {
        self.state
    }
}

/// Runs episodes of one spec on one device.
pub struct Stage<'a> {
    device: &'a mut dyn Device,
    goal: Goal,
    catalogue: Catalogue,
    switches: Switches,
    steps_max: u32,
    totals: Totals,
    sorted: FxHashMap<(State, ScreenId), Arc<Sorted>>,
    sorted_weight: usize,
}

/// The offers of a screen by what their labels say where this is left of the formula.
#[derive(Debug, Default)]
struct Sorted {
    /// Those that do not lose.
    candidates: Vec<u16>,
    /// Those that are preferred; none if that is all or none of the candidates.
    sure: Vec<u16>,
    /// One that wins.
    winner: Option<u16>,
}

/// So many candidates are kept, some 20 MB; then they are sorted again.
const SORTED_MAX: usize = 5_000_000;

/// What was seen so far in all episodes.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Steps on the device, the first of each episode included.
    pub steps: u64,
    /// How often each atom held, by its number.
    pub held: Vec<u64>,
    /// The residual that was closest to the goal: its distance, its N, and itself.
    pub closest: Option<(u32, u64, State)>,
    /// How much time passed on the device.
    pub device_ms: u64,
    /// How often the app was started, and how often it crashed doing so.
    pub starts: u64,
    /// See [`Totals::starts`].
    pub starts_crashed: u64,
}

impl Totals {
    /// Returns the totals of `goal` before the first step.
    pub fn new(goal: &Goal) -> Totals {
        Totals { held: vec![0; goal.atoms().len()], ..Totals::default() }
    }

    /// Counts a step by an action of `class` to a screen with `screen_labels`, after which `state` is left.
    pub fn count(&mut self, goal: &mut Goal, class: ActionClass, screen_labels: &Labels, state: State) {
        self.steps += 1;
        for atom in goal.action_labels(class).iter().chain(screen_labels.iter()) {
            self.held[atom as usize] += 1;
        }
        let standing = goal.standing(state);
        if let (Some(distance), Verdict::Open | Verdict::Won) = (standing.distance, standing.verdict)
            && self.closest.is_none_or(|(least, atoms, _)| (distance, standing.atoms) < (least, atoms))
        {
            self.closest = Some((distance, standing.atoms, state));
        }
    }
}

impl<'a> Stage<'a> {
    /// Returns a stage for episodes of at most `steps_max` steps.
    pub fn new(
        device: &'a mut dyn Device,
        goal: Goal,
        catalogue: Catalogue,
        switches: Switches,
        steps_max: u32,
    ) -> Stage<'a> {
        let totals = Totals::new(&goal);
        Stage {
            device,
            goal,
            catalogue,
            switches,
            steps_max,
            totals,
            sorted: FxHashMap::default(),
            sorted_weight: 0,
        }
    }

    /// What was seen so far.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// What is asked for.
    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// What screens were met, and what was tried on them.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Runs an episode from the start of the app to its end, or until `goes_on` says no, which is asked now and then,
    /// given the time on the device since the start.
    pub fn run(
        &mut self,
        agent: &mut dyn Agent,
        rng: &mut Rng,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Episode, DeviceError> {
        let mut episode = Episode { ending: Ending::StepsSpent, steps: Vec::new() };
        let (mut state, mut entry) = (State::START, self.catalogue.start(&mut self.goal));
        agent.begin();
        loop {
            let steps_left = self.steps_max - episode.steps.len() as u32;
            let Sorted { candidates, sure, winner } = &*self.sorted(&entry, state);
            if candidates.is_empty() {
                agent.learn_dead_end(rng);
                episode.ending = Ending::DeadEnd;
                break;
            }
            let is_sure_alone = !sure.is_empty() && rng.unit() < SURE_SHARE;
            let situation = Situation {
                scene: entry.scene(),
                residual: state.number(),
                steps_left,
                candidates,
                preferred: if is_sure_alone { sure } else { candidates },
            };
            let at = match *winner {
                Some(at) => {
                    agent.note(&situation, at);
                    at
                }
                None => agent.choose(&situation, &mut Ahead(&mut self.goal), rng),
            };
            let mut taken = self.take(state, &entry, at)?;
            let is_asked = (episode.steps.len() + 1).is_multiple_of(STEPS_UNASKED);
            let is_stopped = is_asked && !goes_on(taken.observation.at_ms);
            let ending = match self.ending(taken.state, steps_left - 1) {
                ending @ Some(Ending::Won | Ending::Lost) => ending,
                _ if is_stopped => Some(Ending::Stopped),
                ending => ending,
            };
            let lesson = lesson(&taken.to, taken.state, taken.reward, ending);
            agent.learn(&lesson, rng);
            taken.why = agent.reason().map(|reason| Box::new((reason, agent.remark())));
            (state, entry) = (taken.state, taken.to.clone());
            episode.steps.push(taken);
            if let Some(ending) = ending {
                episode.ending = ending;
                break;
            }
        }
        agent.end();
        if let Some(first) = episode.steps.first() {
            self.totals.starts += 1;
            self.totals.starts_crashed += u64::from(first.observation.screen.context().crashed);
        }
        self.totals.device_ms += episode.steps.last().map_or(0, |taken| taken.observation.at_ms);
        Ok(episode)
    }

    /// Goes through the episodes of `experience` once more without the device, so that `agent` learns from them what they
    /// are worth here. Nothing is counted, and a run that reaches the goal is a lesson like any other.
    pub fn recall(&mut self, agent: &mut dyn Agent, experience: &Experience, rng: &mut Rng) {
        for run in experience.runs() {
            // How often each went so says how likely it is.
            for _ in 0..run.times {
                self.recall_run(agent, &run.steps, experience.is_old(), rng);
            }
        }
    }

    /// Goes through `steps` as far as this goal and what is offered here allow.
    fn recall_run(
        &mut self,
        agent: &mut dyn Agent,
        steps: &[(&ActionRecord, &Arc<Screen>)],
        is_old: bool,
        rng: &mut Rng,
    ) {
        let (mut state, mut entry) = (State::START, self.catalogue.start(&mut self.goal));
        let mut steps = steps.iter();
        let mut steps_left = self.steps_max;
        agent.begin();
        loop {
            let Sorted { candidates, .. } = &*self.sorted(&entry, state);
            if candidates.is_empty() {
                agent.learn_dead_end(rng);
                break;
            }
            let Some((deed, screen)) = steps.next() else { break };
            let is_done = |at: &&u16| deed.is(&entry.offers[usize::from(**at)].action);
            let Some(&at) = candidates.iter().find(is_done) else { break };
            let situation = Situation {
                scene: entry.scene(),
                residual: state.number(),
                steps_left,
                candidates,
                preferred: candidates,
            };
            agent.note(&situation, at);
            // What was tried and seen on another run is nothing to claim on this one.
            let to = if is_old {
                self.catalogue.recall(screen, &mut self.goal)
            } else {
                self.catalogue.note_tried(&entry, at);
                self.catalogue.see(screen, &mut self.goal)
            };
            let (after, reward) = self.worth(state, entry.offers[usize::from(at)].class, &to);
            steps_left -= 1;
            let ending = self.ending(after, steps_left);
            let mut lesson = lesson(&to, after, reward, ending);
            // A way to the goal is still to be gone; any other end leaves nothing to try behind it.
            lesson.ends &= ending != Some(Ending::Won);
            agent.learn(&lesson, rng);
            if ending.is_some() {
                break;
            }
            (state, entry) = (after, to);
        }
        agent.end();
    }

    /// How a run ends of which `state` is left after a step, with so many more to take; nothing if it goes on.
    fn ending(&mut self, state: State, steps_left: u32) -> Option<Ending> {
        let standing = self.goal.standing(state);
        let is_out_of_reach = || standing.distance.is_none_or(|least| least > steps_left);
        match standing.verdict {
            Verdict::Won => Some(Ending::Won),
            Verdict::Lost => Some(Ending::Lost),
            Verdict::Open if steps_left == 0 => Some(Ending::StepsSpent),
            Verdict::Open if self.switches.restart_hopeless && is_out_of_reach() => Some(Ending::Hopeless),
            Verdict::Open => None,
        }
    }

    /// What is left of `state` after a step by an action of `class` to the screen `to`, and what the step was worth.
    fn worth(&mut self, state: State, class: ActionClass, to: &Entry) -> (State, f64) {
        let after = self.goal.step(state, class, &to.labels);
        (after, self.goal.reward(state, after, self.switches.shaping))
    }

    /// Sorts the offers of `entry` by what their labels say.
    #[inline]
    fn sorted(&mut self, entry: &Entry, state: State) -> Arc<Sorted> {
        match self.sorted.get(&(state, entry.id)) {
            Some(sorted) => sorted.clone(),
            None => self.sorted_anew(entry, state),
        }
    }

    #[cold]
    fn sorted_anew(&mut self, entry: &Entry, state: State) -> Arc<Sorted> {
        let mut sorted = Sorted::default();
        for (at, offer) in (0..).zip(&entry.offers) {
            let forecast = if self.switches.prediction {
                self.goal.forecast(state, offer.class)
            } else {
                Forecast::Open
            };
            match forecast {
                Forecast::Loses => continue,
                Forecast::Wins => sorted.winner = sorted.winner.or(Some(at)),
                Forecast::Sure => sorted.sure.push(at),
                Forecast::Open => {}
            }
            sorted.candidates.push(at);
        }
        if !self.switches.sure_actions || sorted.sure.len() == sorted.candidates.len() {
            sorted.sure.clear();
        }
        self.sorted_weight += 16 + sorted.candidates.len() + sorted.sure.len();
        if self.sorted_weight >= SORTED_MAX {
            self.sorted.clear();
            self.sorted_weight = 0;
        }
        let sorted = Arc::new(sorted);
        self.sorted.insert((state, entry.id), sorted.clone());
        sorted
    }

    /// Does the action at `at` among those of `entry`.
    fn take(&mut self, state: State, entry: &Arc<Entry>, at: u16) -> Result<Taken, DeviceError> {
        let offer = &entry.offers[usize::from(at)];
        let observation = match &offer.action {
            Action::Reinitialise(activity) => self.device.reset(activity)?,
            action => self.device.act(action)?,
        };
        self.catalogue.note_tried(entry, at);
        let to = self.catalogue.see(&observation.screen, &mut self.goal);
        let (after, reward) = self.worth(state, offer.class, &to);
        self.totals.count(&mut self.goal, offer.class, &to.labels, after);
        Ok(Taken { from: entry.clone(), at, observation, to, state: after, reward, why: None })
    }

    /// Returns an episode as a trace.
    pub fn trace(&self, episode: &Episode) -> Trace {
        let name = |atom: u32| self.goal.atoms()[atom as usize].clone();
        let steps = episode.steps.iter().map(|taken| {
            let class = taken.from.offers[usize::from(taken.at)].class;
            let labels = self.goal.action_labels(class).union(&taken.to.labels);
            Step {
                action: taken.action().clone(),
                observation: taken.observation.clone(),
                labels: labels.iter().map(name).collect(),
                residual: self.goal.residual(taken.state).into(),
                reward: taken.reward,
                why: taken.why.as_ref().map(|why| why::reason(&why.0, self.goal.atoms()).into()),
                learned: taken.why.as_ref().and_then(|why| why.1).map(|remark| why::remark(remark).into()),
            }
        });
        Trace { steps: steps.collect() }
    }
}
