//! Exhaustive search on the simulator: all actions, all outcomes of chance, shortest runs first.
//!
//! This alone saves and restores the simulator's state. A run is looked for over pairs of that state with what is left
//! of the formula; a pair that was met is met again in vain, as it was reached by no more steps before.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Reach, reach};
use crate::device::sim::{Sim, SimOutcome, Snapshot};
use crate::device::{Device as _, DeviceError};
use crate::episode::{Catalogue, Entry, Totals};
use crate::gui::{Action, Repertoire};
use crate::ltl::State;
use crate::reward::{Forecast, Goal, Shaping, Verdict};
use crate::spec::Spec;
use crate::trace::{Step, Trace};

/// So many pairs of app and residual are looked at.
const PAIRS_MAX: usize = 4_000_000;

/// So much may be kept of the states of the app.
const STATE_BYTES_MAX: usize = 1 << 30;

/// What was found by trying everything.
#[derive(Clone, Debug)]
pub struct Exhausted {
    /// A shortest run that reaches the goal.
    pub run: Option<Trace>,
    /// Whether there was too much to try, so that without a run nothing is proven.
    pub is_too_large: bool,
    /// Whether someone said to stop.
    pub is_interrupted: bool,
    /// The steps that were simulated.
    pub steps: u64,
    /// How far it came.
    pub reach: Reach,
}

/// A pair that was reached, and how. Of its screen nothing is kept: it can be looked at again.
struct Reached {
    /// The pair before, by its number; of those after the start of the app, none.
    before: Option<u32>,
    /// The offer of the pair before by which it was reached.
    at: u16,
    snapshot: Snapshot,
    state: State,
}

/// Looks for a shortest run of at most `steps_max` steps that reaches the goal of `spec`.
///
/// `watch` is told how many steps have been looked at, and by how many pairs, and says whether to go on.
pub fn exhaust(
    sim: &mut Sim,
    spec: &Spec,
    repertoire: Repertoire,
    steps_max: u32,
    watch: &mut dyn FnMut(u32, usize) -> bool,
) -> Result<Exhausted, DeviceError> {
    exhaust_from(&|sim, activity| sim.start_outcomes(activity), sim, spec, repertoire, steps_max, watch)
}

/// Returns all that starting the app afresh with an activity may lead to, nothing if that is too much; the same each time.
pub type Starts<'a> = &'a dyn Fn(&mut Sim, &str) -> Result<Option<Vec<SimOutcome>>, DeviceError>;

/// As [`exhaust`], where runs begin with what `starts` says.
pub fn exhaust_from(
    starts: Starts<'_>,
    sim: &mut Sim,
    spec: &Spec,
    repertoire: Repertoire,
    steps_max: u32,
    watch: &mut dyn FnMut(u32, usize) -> bool,
) -> Result<Exhausted, DeviceError> {
    // That the clock matters is known once it has been read; what was left out before must be looked at again then.
    loop {
        let by_clock = sim.has_read_clock();
        let exhausted = sweep(starts, sim, spec, repertoire.clone(), steps_max, by_clock, watch)?;
        if exhausted.is_interrupted || sim.has_read_clock() == by_clock {
            return Ok(exhausted);
        }
    }
}

/// Looks once; states that differ in their time alone are the same, unless `by_clock`.
fn sweep(
    starts: Starts<'_>,
    sim: &mut Sim,
    spec: &Spec,
    repertoire: Repertoire,
    steps_max: u32,
    by_clock: bool,
    watch: &mut dyn FnMut(u32, usize) -> bool,
) -> Result<Exhausted, DeviceError> {
    let goal = Goal::new(spec);
    let catalogue = Catalogue::new(sim.app(), repertoire, false);
    let mut sweep = Sweep {
        starts,
        sim,
        totals: Totals::new(&goal),
        goal,
        catalogue,
        reached: Vec::new(),
        met: FxHashSet::default(),
        by_clock,
        is_too_large: false,
        steps_max,
    };
    let mut is_interrupted = false;
    let mut found = sweep.start()?;
    let mut is_too_large = sweep.is_too_large();
    let (mut first, mut depth) = (0, 1);
    while found.is_none()
        && first < sweep.reached.len()
        && depth < steps_max
        && !is_too_large
        && !is_interrupted
    {
        let last = sweep.reached.len();
        for number in first..last {
            found = sweep.follow(number as u32, depth)?;
            is_too_large = sweep.is_too_large();
            is_interrupted = number % 1024 == 0 && !watch(depth, sweep.reached.len());
            if found.is_some() || is_too_large || is_interrupted {
                break;
            }
        }
        first = last;
        depth += 1;
    }
    let run = found.map(|number| sweep.trace(number)).transpose()?;
    let reach = reach(spec, &sweep.goal, &sweep.catalogue, &sweep.totals);
    Ok(Exhausted { run, is_too_large, is_interrupted, steps: sweep.totals.steps, reach })
}

struct Sweep<'a> {
    starts: Starts<'a>,
    sim: &'a mut Sim,
    goal: Goal,
    catalogue: Catalogue,
    reached: Vec<Reached>,
    met: FxHashSet<(u32, u64, State)>,
    by_clock: bool,
    /// Whether an action had too many outcomes to follow.
    is_too_large: bool,
    steps_max: u32,
    totals: Totals,
}

impl Sweep<'_> {
    fn start(&mut self) -> Result<Option<u32>, DeviceError> {
        let entry = self.catalogue.start(&mut self.goal);
        for (at, offer) in (0..).zip(&entry.offers) {
            let Action::Reinitialise(activity) = &offer.action else { continue };
            if self.goal.forecast(State::START, offer.class) == Forecast::Loses {
                continue;
            }
            let Some(outcomes) = (self.starts)(self.sim, activity)? else {
                self.is_too_large = true;
                continue;
            };
            let has_crashed = |outcome: &&SimOutcome| outcome.observation.screen.context().crashed;
            self.totals.starts += outcomes.len() as u64;
            self.totals.starts_crashed += outcomes.iter().filter(has_crashed).count() as u64;
            if let Some(found) = self.reach_all(None, State::START, &entry, at, outcomes, 1) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Tries every action of the pair with this number, which took `depth` steps; returns one that reaches the goal.
    fn follow(&mut self, number: u32, depth: u32) -> Result<Option<u32>, DeviceError> {
        let Reached { snapshot, state, .. } = self.reached[number as usize];
        let entry = self.entry(snapshot)?;
        for (at, offer) in (0..).zip(&entry.offers) {
            if self.goal.forecast(state, offer.class) == Forecast::Loses {
                continue;
            }
            self.sim.restore(snapshot);
            let Some(outcomes) = self.sim.outcomes(&offer.action)? else {
                self.is_too_large = true;
                continue;
            };
            if let Some(found) = self.reach_all(Some(number), state, &entry, at, outcomes, depth + 1) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn reach_all(
        &mut self,
        before: Option<u32>,
        state: State,
        from: &Arc<Entry>,
        at: u16,
        outcomes: Vec<SimOutcome>,
        depth: u32,
    ) -> Option<u32> {
        let class = from.offers[usize::from(at)].class;
        self.catalogue.note_tried(from, at);
        for SimOutcome { after, observation, .. } in outcomes {
            let entry = self.catalogue.see(&observation.screen, &mut self.goal);
            let next = self.goal.step(state, class, &entry.labels);
            self.totals.count(&mut self.goal, class, &entry.labels, next);
            let standing = self.goal.standing(next);
            let is_won = standing.verdict == Verdict::Won;
            let left = self.steps_max - depth;
            let is_alive =
                standing.verdict == Verdict::Open && standing.distance.is_some_and(|least| least <= left);
            if !is_won && (!is_alive || !self.is_new(after, next)) {
                continue;
            }
            let number = self.reached.len() as u32;
            let reached = Reached { before, at, snapshot: after, state: next };
            self.reached.push(reached);
            if is_won {
                return Some(number);
            }
        }
        None
    }

    fn is_too_large(&self) -> bool {
        self.is_too_large || self.reached.len() > PAIRS_MAX || self.sim.saved_bytes() > STATE_BYTES_MAX
    }

    fn is_new(&mut self, after: Snapshot, state: State) -> bool {
        let at_ms = if self.by_clock { after.at_ms } else { 0 };
        self.met.insert((after.state, at_ms, state))
    }

    fn entry(&mut self, snapshot: Snapshot) -> Result<Arc<Entry>, DeviceError> {
        let screen = self.sim.look(snapshot)?;
        Ok(self.catalogue.see(&screen, &mut self.goal))
    }

    /// Returns the run that led to the pair with this number, each of its steps taken again.
    fn trace(&mut self, number: u32) -> Result<Trace, DeviceError> {
        let mut way = vec![number];
        while let Some(before) = self.reached[way[way.len() - 1] as usize].before {
            way.push(before);
        }
        let mut trace = Trace::default();
        let mut from = (State::START, self.catalogue.start(&mut self.goal), None);
        for number in way.into_iter().rev() {
            let Reached { at, snapshot, state, .. } = self.reached[number as usize];
            let (before, entry, saved) = from;
            let offer = &entry.offers[usize::from(at)];
            let outcomes = match (&offer.action, saved) {
                (Action::Reinitialise(activity), _) => (self.starts)(self.sim, activity)?,
                (action, Some(saved)) => {
                    self.sim.restore(saved);
                    self.sim.outcomes(action)?
                }
                (_, None) => None,
            };
            let again = outcomes.into_iter().flatten().find(|outcome| outcome.after == snapshot);
            let observation = again.expect("what came up before comes up again").observation;
            let after = self.catalogue.see(&observation.screen, &mut self.goal);
            let labels = self.goal.action_labels(offer.class).union(&after.labels);
            trace.steps.push(Step {
                action: offer.action.clone(),
                observation,
                labels: labels.iter().map(|atom| self.goal.atoms()[atom as usize].clone()).collect(),
                residual: self.goal.residual(state).into(),
                reward: self.goal.reward(before, state, Shaping::Atoms),
                why: None,
                learned: None,
            });
            from = (state, after, Some(snapshot));
        }
        Ok(trace)
    }
}
