//! One episode: an agent, a device, an objective and an abstraction, step by step.
//!
//! Here alone they meet. The loop is the same for all agents; its additions (prediction, sure actions, restarts) are
//! switches for all of them.

mod catalogue;
mod history;
mod steps;
#[cfg(test)]
mod tests;
mod why;

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::history::{End, History, Remembered, StepOutcome};
use crate::abstraction::Numbering;
use crate::agent::Agent;
use crate::device::{Device, DeviceError};
use crate::experience::Experience;
use crate::gui::{Action, ActionRecord, Link, Marker, Screen, WAIT_MS_MAX};
use crate::learned_model::NamedScreen;
use crate::ltl::Interval;
use crate::objective::{Judgement, Moment, Objective, Seen, Verdict};
use crate::rng::{Rng, Seed};
use crate::situation::{
    Choice, Explanation, Forecast, LinkId, Next, Origin, PhaseId, Recollection, Scene, ScreenId, Situation,
    StepChange, Summary, Switches, Transition,
};
use crate::trace::{Notice, Observation, Step, Trace};
pub use catalogue::{Catalogue, Encounter, Entry, Met, Site};
pub use steps::{Steps, Taken};

/// Share of choices that are among the sure actions alone, where there are some. The rest keeps the others from being left
/// out for ever; between 0.8 and 0.95 it makes no difference that can be measured.
const SURE_SHARE: f64 = 0.9;

/// Times of a recalled step: experience keeps no clock, and an objective that reads one recalls nothing.
const RECALLED: Interval = Interval { from_ms: 0, to_ms: 0 };

/// Steps between two questions whether to go on.
const STEPS_UNASKED: u32 = 64;

/// Most choices of nothing in an episode, for each step that it may have: no agent goes on with it for ever.
const NOTHINGS_MAX: u32 = 100;

/// Most steps that an episode has room for from its start: room that grows costs more than a short episode's choices.
const STEPS_RESERVED_MAX: usize = 32;

/// End of an episode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// The objective is reached.
    Won,
    /// The objective is out of reach.
    Lost,
    /// Every action would lose.
    DeadEnd,
    /// The objective is out of reach in the steps left.
    Hopeless,
    /// The steps are spent.
    StepsSpent,
    /// The agent starts the app afresh.
    Restarted,
    /// Someone said to stop.
    Stopped,
}

impl Ending {
    /// Returns the end of the last step as a learner sees it: terminal, or cut off.
    fn end(self) -> End {
        match self {
            Ending::Won | Ending::Lost | Ending::DeadEnd | Ending::Hopeless => End::Terminal,
            Ending::StepsSpent | Ending::Restarted | Ending::Stopped => End::Truncated,
        }
    }
}

/// Episode that is over.
#[derive(Clone, Debug)]
pub struct Episode {
    /// Reason for the end.
    pub ending: Ending,
    /// Steps in order.
    pub steps: Steps,
    /// Number of steps up to the last one that led to a state never seen before.
    pub newest: u32,
    /// Knowledge of the agent at its end.
    pub summary: Summary,
}

/// Runs episodes of one objective on one device.
pub struct Stage<'a> {
    device: &'a mut dyn Device,
    objective: &'a mut dyn Objective,
    catalogue: Catalogue,
    marker: Marker,
    switches: Switches,
    steps_max: u32,
    /// Most steps of all episodes together.
    run_steps_max: u64,
    totals: Totals,
    sorted: FxHashMap<(PhaseId, ScreenId), Arc<Sorted>>,
    sorted_weight: usize,
    history: History,
    /// True if agents learn aside from any recalled run; else from those of old experience alone.
    learns_aside: bool,
    /// Source of chance while an agent learns from the past.
    recall_seed: Seed,
}

/// Parts of a stage that belong to one objective: another takes its place for some episodes.
pub struct Side<'a> {
    objective: &'a mut dyn Objective,
    catalogue: Catalogue,
    sorted: FxHashMap<(PhaseId, ScreenId), Arc<Sorted>>,
    sorted_weight: usize,
    history: History,
}

impl<'a> Side<'a> {
    /// Returns the side of `objective`.
    pub fn new(objective: &'a mut dyn Objective, catalogue: Catalogue) -> Side<'a> {
        let history = History::default();
        Side { objective, catalogue, sorted: FxHashMap::default(), sorted_weight: 0, history }
    }

    /// Forgets all screens, for those of the empty `catalogue`.
    pub fn forget(&mut self, catalogue: Catalogue) {
        self.catalogue = catalogue;
        self.sorted = FxHashMap::default();
        self.sorted_weight = 0;
        self.history = History::default();
    }
}

/// Offers of a screen, by the forecasts in a phase.
#[derive(Debug, Default)]
struct Sorted {
    /// Offers that do not lose.
    candidates: Vec<u16>,
    /// Offers that are preferred; none if that is all or none of the candidates.
    sure: Vec<u16>,
    /// Offer that wins.
    winner: Option<u16>,
}

impl Sorted {
    fn situation<'a>(
        &'a self,
        scene: &'a Scene,
        phase: PhaseId,
        steps_left: u32,
        is_sure_alone: bool,
    ) -> Situation<'a> {
        let candidates = &self.candidates[..];
        let preferred = if is_sure_alone { &self.sure } else { candidates };
        Situation { scene, phase, steps_left, candidates, preferred }
    }
}

/// Most candidates that are kept, some 20 MB; then they are sorted again.
const SORTED_MAX: usize = 5_000_000;

/// Counts of all episodes so far.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Steps on the device, the first of each episode and choices of nothing included.
    pub steps: u64,
    /// Time that passed on the device.
    pub device_ms: u64,
    /// Starts of the app.
    pub starts: u64,
    /// Starts at which it crashed.
    pub starts_crashed: u64,
}

impl<'a> Stage<'a> {
    /// Returns a stage for episodes of at most `steps_max` steps.
    pub fn new(
        device: &'a mut dyn Device,
        objective: &'a mut dyn Objective,
        catalogue: Catalogue,
        switches: Switches,
        steps_max: u32,
        recall_seed: Seed,
    ) -> Stage<'a> {
        Stage {
            device,
            objective,
            catalogue,
            marker: Marker::default(),
            switches,
            steps_max,
            run_steps_max: u64::MAX,
            totals: Totals::default(),
            sorted: FxHashMap::default(),
            sorted_weight: 0,
            history: History::default(),
            learns_aside: false,
            recall_seed,
        }
    }

    /// Returns the counts so far.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Returns the objective.
    pub fn objective(&self) -> &dyn Objective {
        self.objective
    }

    /// Returns the screens met so far.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Returns the screens met so far, to number what an agent has kept.
    pub fn catalogue_mut(&mut self) -> &mut Catalogue {
        &mut self.catalogue
    }

    /// Runs an episode from the start of the app to its end, or until `goes_on` says no, which is asked now and then,
    /// given the time on the device since the start.
    pub fn run(
        &mut self,
        agent: &mut dyn Agent,
        rng: &mut Rng,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Episode, DeviceError> {
        let room = (self.steps_max as usize).min(STEPS_RESERVED_MAX);
        let steps = Steps::new(room, self.catalogue.made());
        let mut episode = Episode { ending: Ending::DeadEnd, steps, newest: 0, summary: Summary::default() };
        let (mut phase, mut here) = (PhaseId::START, self.catalogue.start(self.objective));
        let mut sorted = self.sorted(&here.entry, phase);
        let mut now_ms = 0;
        // Steps that count for the episode, and all choices.
        let (mut spent, mut number) = (0, 0_u32);
        // True if the app crashed at its start, once it was started.
        let mut first_crashed = None;
        let mut wait_ms = 0;
        agent.begin();
        self.begin_history();
        while !sorted.candidates.is_empty() {
            let steps_left = self.steps_max - spent;
            number = number.saturating_add(1);
            let is_asked = number.is_multiple_of(STEPS_UNASKED);
            let is_sure_alone = !sorted.sure.is_empty() && rng.unit() < SURE_SHARE;
            let situation = sorted.situation(&here.scene, phase, steps_left, is_sure_alone);
            let choice = match sorted.winner {
                Some(at) => {
                    agent.note(&situation, at, Origin::Device);
                    Choice::Offer(at)
                }
                None => agent.choose(&situation, self.objective.outlook(), rng),
            };
            let throttle_ms = u64::from(agent.throttle_ms());
            let at = match choice {
                Choice::Offer(at) => at,
                Choice::Restart => {
                    self.totals.steps += u64::from(episode.steps.is_empty());
                    episode.ending = Ending::Restarted;
                    break;
                }
                Choice::Nothing { is_free } => {
                    agent.learn_nothing(&situation, self.objective.reward_of_nothing());
                    self.totals.steps += 1;
                    wait_ms += throttle_ms;
                    spent += u32::from(!is_free);
                    let nothings = number - episode.steps.len() as u32;
                    let is_spent = spent == self.steps_max
                        || self.is_run_spent()
                        || nothings / NOTHINGS_MAX >= self.steps_max;
                    if is_spent {
                        episode.ending = Ending::StepsSpent;
                        break;
                    }
                    if is_asked && !goes_on(now_ms) {
                        episode.ending = Ending::Stopped;
                        break;
                    }
                    continue;
                }
            };
            spent += 1;
            let observation = self.act(&here.entry, at, wait_ms)?;
            wait_ms = throttle_ms;
            first_crashed.get_or_insert(observation.screen.context().crashed);
            let elapsed_ms = observation.at_ms.saturating_sub(now_ms);
            let interval = Interval { from_ms: now_ms, to_ms: observation.at_ms };
            now_ms = observation.at_ms;
            let link = self.link(&here.entry, at, &observation.screen, interval);
            let Met { encounter: to, is_new } = self.catalogue.see(&observation.screen, link, self.objective);
            let seen = Seen::Now(&observation, elapsed_ms);
            let judgement = self.judge(phase, &here.entry, at, (&to.entry, is_new), seen);
            let is_stopped = is_asked && !goes_on(now_ms);
            let steps_after = if self.is_run_spent() { 0 } else { steps_left - 1 };
            let ending = match self.ending(&judgement, steps_after) {
                ending @ Some(Ending::Won | Ending::Lost) => ending,
                _ if is_stopped => Some(Ending::Stopped),
                ending => ending,
            };
            let end = ending.map_or(End::Goes, Ending::end);
            let reward = reward(&judgement, ending);
            let outcome =
                StepOutcome { at, reward, elapsed_ms: Some(elapsed_ms), phase: judgement.next, end };
            let next = self.next(&to, outcome);
            let lesson = Lesson { from: &situation, here: &here, to: &to, outcome, next: next.as_deref() };
            let (explanation, is_renumbered) = self.teach(agent, lesson, false, rng);
            let explanation = explanation.reason.is_some().then(|| Box::new(explanation));
            let next_here = if is_renumbered { self.catalogue.encounter(&to.entry) } else { to.clone() };
            let from = std::mem::replace(&mut here, next_here);
            phase = judgement.next;
            let taken = Taken {
                from: from.entry.site.clone(),
                at,
                class: from.entry.offers[usize::from(at)].class,
                number,
                observation,
                to: to.entry.site.clone(),
                phase,
                reward: judgement.reward,
                explanation,
            };
            episode.steps.push(taken, self.catalogue.made());
            if is_new {
                episode.newest = episode.steps.len() as u32;
            }
            if let Some(next) = next {
                sorted = next;
            }
            if let Some(ending) = ending {
                episode.ending = ending;
                break;
            }
        }
        episode.summary = agent.end(Origin::Device);
        if let Some(crashed) = first_crashed {
            self.totals.starts += 1;
            self.totals.starts_crashed += u64::from(crashed);
        }
        self.totals.device_ms += now_ms;
        Ok(episode)
    }

    /// Goes through the episodes of `experience` once more without the device, so that `agent` learns their worth for
    /// this objective. Nothing is counted, and a run that reaches the objective is learned like any other.
    pub fn recall(&mut self, agent: &mut dyn Agent, experience: &Experience) -> Summary {
        let mut rng = self.recall_seed.fork("recall");
        let mut summary = Summary::default();
        // Experience keeps no clock, so an objective that reads one would learn that the app answers otherwise than it does.
        if self.objective.clock_period_ms().is_some() {
            return summary;
        }
        for run in experience.runs() {
            // The number of times tells how likely an outcome is.
            for _ in 0..run.times {
                summary = self.recall_run(agent, &run.steps, experience.is_old(), &mut rng);
            }
        }
        summary
    }

    /// Goes through `steps` as far as this objective and the offers here allow.
    fn recall_run(
        &mut self,
        agent: &mut dyn Agent,
        steps: &[(&ActionRecord, &Arc<Screen>)],
        is_old: bool,
        rng: &mut Rng,
    ) -> Summary {
        let (mut phase, mut here) = (PhaseId::START, self.catalogue.start(self.objective));
        let mut sorted = self.sorted(&here.entry, phase);
        let mut steps_left = self.steps_max;
        agent.begin();
        self.begin_history();
        let mut rest = steps.iter();
        for (deed, screen) in rest.by_ref() {
            let is_done = |at: &&u16| deed.is(&here.entry.site.actions[usize::from(**at)]);
            let Some(&at) = sorted.candidates.iter().find(is_done) else { break };
            // An old file may be from a time without marks.
            let marked = is_old.then(|| {
                let action = &here.entry.site.actions[usize::from(at)];
                self.marker.mark(here.entry.site.screen.as_ref(), action, (*screen).clone())
            });
            let screen = marked.as_ref().unwrap_or(screen);
            let situation = sorted.situation(&here.scene, phase, steps_left, false);
            agent.note(&situation, at, Origin::Experience);
            // Another run's screens and trials are no claims of this one.
            let link = self.link(&here.entry, at, screen, RECALLED);
            let Met { encounter: to, is_new } = if is_old {
                self.catalogue.recall(screen, link, self.objective)
            } else {
                self.catalogue.note_tried(&here.entry, at);
                self.catalogue.see(screen, link, self.objective)
            };
            let judgement = self.judge(phase, &here.entry, at, (&to.entry, is_new), Seen::Recalled(screen));
            steps_left -= 1;
            let ending = self.ending(&judgement, steps_left);
            let end = match ending {
                // A way to the objective is still to be gone; any other end leaves nothing to try behind it.
                Some(Ending::Won) => End::Unknown,
                Some(ending) => ending.end(),
                None => End::Goes,
            };
            let reward = reward(&judgement, ending);
            let outcome = StepOutcome { at, reward, elapsed_ms: None, phase: judgement.next, end };
            let next = self.next(&to, outcome);
            let lesson = Lesson { from: &situation, here: &here, to: &to, outcome, next: next.as_deref() };
            let (_, is_renumbered) = self.teach(agent, lesson, is_old, rng);
            if ending.is_some() {
                break;
            }
            here = if is_renumbered { self.catalogue.encounter(&to.entry) } else { to };
            phase = judgement.next;
            if let Some(next) = next {
                sorted = next;
            }
        }
        let summary = agent.end(Origin::Experience);
        let learned = steps.len() - rest.len();
        if learned > 0 && (is_old || self.learns_aside) {
            self.recall_rest(agent, &steps[learned - 1..], is_old);
        }
        summary
    }

    /// Has `agent` learn, aside, all steps of a run but the first, which no run of this search comes to in the same way: it
    /// has too few steps, or the objective is decided before.
    fn recall_rest(&mut self, agent: &mut dyn Agent, steps: &[(&ActionRecord, &Arc<Screen>)], is_old: bool) {
        let mut before: Option<Arc<Encounter>> = None;
        for (deed, screen) in steps {
            let at = before.as_ref().and_then(|here| {
                let actions = &here.entry.site.actions;
                actions.iter().position(|action| deed.is(action)).map(|at| (here.clone(), at))
            });
            let marked = at.as_ref().filter(|_| is_old).map(|(here, at)| {
                let site = &here.entry.site;
                self.marker.mark(site.screen.as_ref(), &site.actions[*at], (*screen).clone())
            });
            let screen = marked.as_ref().unwrap_or(screen);
            let link = match &at {
                Some((here, at)) => self.link(&here.entry, *at as u16, screen, RECALLED),
                None => LinkId::default(),
            };
            let to = self.catalogue.relearn(screen, link, self.objective);
            if let Some((here, at)) = at {
                let candidates: Vec<u16> = (0..here.entry.offers.len() as u16).collect();
                let (scene, candidates) = (&here.scene, &candidates[..]);
                let (phase, steps_left) = (PhaseId::START, 1);
                let from = &Situation { scene, phase, steps_left, candidates, preferred: candidates };
                agent.learn_aside(&Transition {
                    from,
                    at: at as u16,
                    reward: 0.0,
                    elapsed_ms: None,
                    to: &to.scene,
                    phase,
                    next: Next::Unknown,
                });
            }
            before = Some(to);
        }
    }

    /// Exchanges what belongs to the objective for `side`. Device and totals stay.
    pub fn exchange(&mut self, side: &mut Side<'a>) {
        std::mem::swap(&mut self.objective, &mut side.objective);
        std::mem::swap(&mut self.catalogue, &mut side.catalogue);
        std::mem::swap(&mut self.sorted, &mut side.sorted);
        std::mem::swap(&mut self.sorted_weight, &mut side.sorted_weight);
        std::mem::swap(&mut self.history, &mut side.history);
    }

    /// Has agents learn aside from every recalled run, as of old experience. A search for one spec does not:
    /// one of the cookbook failed after it.
    pub fn learn_aside(&mut self) {
        self.learns_aside = true;
    }

    /// Sets the most steps of an episode.
    pub fn set_steps_max(&mut self, steps_max: u32) {
        self.steps_max = steps_max;
    }

    /// Sets the most steps of all episodes together; an episode ends with the last one.
    pub fn set_run_steps_max(&mut self, steps_max: u64) {
        self.run_steps_max = steps_max;
    }

    /// Returns a screen with its actions as the abstraction names it now, if it names widgets.
    pub fn named(&mut self, screen: &Arc<Screen>) -> Option<(Arc<Site>, NamedScreen)> {
        self.catalogue.named(screen, self.objective)
    }

    /// Starts over for a new agent: the abstraction knows nothing either, but for what an earlier run has learned.
    pub fn start_over(&mut self) {
        self.history.clear();
        self.catalogue.abstract_anew();
    }

    /// Offers the codes that the app has shown to every field; returns true if some are new. Then agents must start over.
    pub fn learn_codes(&mut self) -> bool {
        let is_any = self.catalogue.learn_codes();
        if is_any {
            self.sorted.clear();
            self.sorted_weight = 0;
        }
        is_any
    }

    /// Returns the link of a step by the action at `at` of `from` to the screen `after`, at the times of `interval`.
    #[inline]
    fn link(&mut self, from: &Entry, at: u16, after: &Screen, interval: Interval) -> LinkId {
        let (before, action) = (from.site.screen.as_deref(), &from.site.actions[usize::from(at)]);
        self.objective.link(Link { before, action: Some(action), after }, interval)
    }

    /// Judges the step by the offer at `at` of `from` to a screen, which may be of a new state.
    #[inline]
    fn judge(
        &mut self,
        phase: PhaseId,
        from: &Entry,
        at: u16,
        (to, is_new): (&Entry, bool),
        seen: Seen<'_>,
    ) -> Judgement {
        let at = usize::from(at);
        let (action, class) = (&from.site.actions[at], from.offers[at].class);
        self.objective.step(phase, &Moment { action, class, seen, look: to.site.look, is_new })
    }

    /// Returns true if no step is left for any episode.
    fn is_run_spent(&self) -> bool {
        self.totals.steps >= self.run_steps_max
    }

    /// Returns how a run ends that is judged so with this many steps left; none if it goes on.
    fn ending(&self, judgement: &Judgement, steps_left: u32) -> Option<Ending> {
        let is_out_of_reach = || judgement.distance.is_none_or(|least| least > steps_left);
        match judgement.verdict {
            Verdict::Won => Some(Ending::Won),
            Verdict::Lost => Some(Ending::Lost),
            Verdict::Open if steps_left == 0 => Some(Ending::StepsSpent),
            Verdict::Open if self.switches.restart_hopeless && is_out_of_reach() => Some(Ending::Hopeless),
            Verdict::Open => None,
        }
    }

    /// Returns the sorted offers after a step, if another follows.
    #[inline]
    fn next(&mut self, to: &Encounter, outcome: StepOutcome) -> Option<Arc<Sorted>> {
        match outcome.end {
            End::Goes => Some(self.sorted(&to.entry, outcome.phase)),
            End::Terminal | End::Truncated | End::Unknown => None,
        }
    }

    /// Has `agent` learn a step, of an earlier run if it `is_old`, and the abstraction look at it. Returns the explanation of
    /// the agent, and true if states have other numbers since.
    #[inline]
    fn teach(
        &mut self,
        agent: &mut dyn Agent,
        lesson: Lesson<'_>,
        is_old: bool,
        rng: &mut Rng,
    ) -> (Explanation, bool) {
        if !self.catalogue.can_refine() {
            return (lesson.tell(|transition| agent.learn(transition, rng)), false);
        }
        let has_dropped = self.history.push(Remembered {
            from: lesson.here.entry.site.screen.clone().map(|screen| (screen, lesson.here.entry.link)),
            phase_before: lesson.from.phase,
            to: (
                lesson.to.entry.site.id,
                lesson.to.entry.site.screen.clone().expect("a step leads to a screen"),
                lesson.to.entry.link,
            ),
            steps_left: lesson.from.steps_left - 1,
            outcome: lesson.outcome,
        });
        if has_dropped {
            let history = &self.history;
            self.catalogue.retain(history.steps(), &|screen| history.has(screen));
            return (self.learn_anew(agent, Recollection::Partial), true);
        }
        let numbering = lesson.tell(|transition| match is_old {
            true => self.catalogue.observe_old(transition),
            false => self.catalogue.observe(transition),
        });
        if numbering == Numbering::Refined {
            return (self.learn_anew(agent, Recollection::Whole), true);
        }
        let explanation = lesson.tell(|transition| agent.learn(transition, rng));
        if explanation.change == Some(StepChange::Otherwise) {
            self.catalogue.contradict(lesson.from.scene);
        }
        (explanation, false)
    }

    /// Has `agent` forget, and learn the steps so far once more, as states have other numbers. Returns the explanation of
    /// the last step.
    fn learn_anew(&mut self, agent: &mut dyn Agent, recollection: Recollection) -> Explanation {
        let mut rng = self.recall_seed.fork("recall");
        let mut last = Explanation::default();
        agent.forget(recollection);
        for number in 0..self.history.episodes() {
            if self.history.is_cut(number) {
                agent.begin_amid();
            } else {
                agent.begin();
            }
            for step in 0..self.history.episode(number).len() {
                let Remembered { from, phase_before, to, steps_left, outcome } =
                    self.history.episode(number)[step].clone();
                let here = match &from {
                    Some((screen, link)) => self.catalogue.relearn(screen, *link, self.objective),
                    None => self.catalogue.start(self.objective),
                };
                let to = self.catalogue.relearn(&to.1, to.2, self.objective);
                self.catalogue.note_met(&to);
                let (sorted, next) = (self.sorted(&here.entry, phase_before), self.next(&to, outcome));
                let situation = sorted.situation(&here.scene, phase_before, steps_left + 1, false);
                agent.note(&situation, outcome.at, Origin::Experience);
                let lesson =
                    Lesson { from: &situation, here: &here, to: &to, outcome, next: next.as_deref() };
                last = lesson.tell(|transition| agent.learn(transition, &mut rng));
            }
            // The current episode, which is the last one, goes on.
            if number + 1 < self.history.episodes() {
                agent.end(Origin::Experience);
            }
        }
        last
    }

    /// Begins an episode of the history, if one is kept.
    fn begin_history(&mut self) {
        if self.catalogue.can_refine() {
            self.history.begin();
        }
    }

    /// Returns the offers of `entry`, by their forecasts in `phase`.
    #[inline]
    fn sorted(&mut self, entry: &Entry, phase: PhaseId) -> Arc<Sorted> {
        // Without forecasts the offers are the same in all phases.
        let phase = if self.switches.prediction { phase } else { PhaseId::START };
        match self.sorted.get(&(phase, entry.site.id)) {
            Some(sorted) => sorted.clone(),
            None => self.sorted_anew(entry, phase),
        }
    }

    #[cold]
    fn sorted_anew(&mut self, entry: &Entry, phase: PhaseId) -> Arc<Sorted> {
        let mut sorted = Sorted::default();
        for (at, offer) in (0..).zip(entry.offers.iter()) {
            let forecast = if self.switches.prediction {
                self.objective.forecast(phase, offer.class)
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
        self.sorted.insert((phase, entry.site.id), sorted.clone());
        sorted
    }

    /// Does the action at `at` among those of `entry`, after a wait.
    fn act(&mut self, entry: &Entry, at: u16, wait_ms: u64) -> Result<Observation, DeviceError> {
        let action = &entry.site.actions[usize::from(at)];
        let seen = match action {
            Action::Reinitialise(activity) => self.device.reset(activity)?,
            action if wait_ms > 0 => self.act_after(wait_ms, action)?,
            action => self.device.act(action)?,
        };
        let screen = self.marker.mark(entry.site.screen.as_ref(), action, seen.screen);
        let observation = Observation { screen, ..seen };
        self.catalogue.note_tried(entry, at);
        self.totals.steps += 1;
        Ok(observation)
    }

    /// Lets time pass on the device, and then does `action`, unless the app crashes meanwhile.
    fn act_after(&mut self, mut wait_ms: u64, action: &Action) -> Result<Observation, DeviceError> {
        let mut notices: Vec<Notice> = Vec::new();
        while wait_ms > 0 {
            let ms = wait_ms.min(u64::from(WAIT_MS_MAX));
            wait_ms -= ms;
            let seen = self.device.act(&Action::wait(ms as u32))?;
            notices.extend(seen.notices.iter().cloned());
            let context = seen.screen.context();
            if context.crashed || context.anr {
                return Ok(Observation { notices: notices.into(), ..seen });
            }
        }
        let seen = self.device.act(action)?;
        notices.extend(seen.notices.iter().cloned());
        Ok(Observation { notices: notices.into(), ..seen })
    }

    /// Iterates over the steps of an episode in rows, in order; only until new codes are learned.
    pub fn rows<'s>(&'s self, episode: &'s Episode) -> impl Iterator<Item = Cow<'s, [Taken]>> {
        episode.steps.rows(&self.catalogue)
    }

    /// Returns an episode with all its steps unpacked, which read the same whatever the stage is set for.
    pub fn unpacked(&self, mut episode: Episode) -> Episode {
        episode.steps.unpack(&self.catalogue);
        episode
    }

    /// Returns an episode as a trace; only until new codes are learned.
    pub fn trace(&self, episode: &Episode) -> Trace {
        let mut steps = Vec::with_capacity(episode.steps.len());
        let mut from = PhaseId::START;
        for row in self.rows(episode) {
            for taken in row.iter() {
                steps.push(self.step(from, taken));
                from = taken.phase;
            }
        }
        Trace { steps }
    }

    fn step(&self, from: PhaseId, taken: &Taken) -> Step {
        let explanation = taken.explanation.as_deref();
        let reason = explanation.and_then(|explanation| explanation.reason);
        let change = explanation.and_then(|explanation| explanation.change);
        Step {
            action: taken.action().clone(),
            observation: taken.observation.clone(),
            labels: self.objective.labels(from, taken.class, taken.to.look),
            remaining: self.objective.remaining(taken.phase).into(),
            reward: taken.reward,
            why: reason.map(|reason| why::reason(&reason, self.objective.conditions()).into()),
            learned: change.map(|change| why::change(change).into()),
        }
    }
}

/// Returns the reward of a step: too late is as bad as never.
fn reward(judgement: &Judgement, ending: Option<Ending>) -> f64 {
    if ending == Some(Ending::Hopeless) { -1.0 } else { judgement.reward }
}

/// Step to learn from.
#[derive(Clone, Copy)]
struct Lesson<'a> {
    from: &'a Situation<'a>,
    here: &'a Encounter,
    to: &'a Encounter,
    outcome: StepOutcome,
    /// Offers after the step, if another choice follows.
    next: Option<&'a Sorted>,
}

impl Lesson<'_> {
    /// Calls `learn` with the step as a transition.
    #[inline]
    fn tell<T>(self, learn: impl FnOnce(&Transition<'_>) -> T) -> T {
        let Lesson { from, outcome: StepOutcome { at, reward, elapsed_ms, phase, end }, next, .. } = self;
        let to = &self.to.scene;
        let choice = next.map(|next| next.situation(to, phase, from.steps_left - 1, false));
        let next = match (end, &choice) {
            (End::Goes, Some(choice)) if !choice.candidates.is_empty() => Next::Choice(choice),
            (End::Goes, Some(_) | None) => Next::DeadEnd,
            (End::Terminal, _) => Next::Terminal,
            (End::Truncated, _) => Next::Truncated,
            (End::Unknown, _) => Next::Unknown,
        };
        learn(&Transition { from, at, reward, elapsed_ms, to, phase, next })
    }
}
