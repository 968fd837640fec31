//! Exhaustive search on the simulator: all actions, all outcomes of chance, shortest runs first.
//!
//! This alone saves and restores the simulator's state. The search goes over pairs of that state with a phase of the
//! objective; a pair that was met before is not followed again, as it was reached by no more steps then.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Reach, reach};
use crate::abstraction::LOOKS;
use crate::device::sim::{Sim, SimOutcome, Snapshot};
use crate::device::{Device as _, DeviceError};
use crate::episode::{Catalogue, Encounter, Met, Totals};
use crate::gui::{Action, Link, Marker, Repertoire, Screen};
use crate::ltl::Interval;
use crate::objective::{Formula, Judgement, Moment, Objective, Seen, Shaping, Verdict};
use crate::situation::{Forecast, LinkId, PhaseId};
use crate::spec::Spec;
use crate::trace::{Observation, Step, Trace};

/// Most pairs of state and phase that are looked at.
const PAIRS_MAX: usize = 4_000_000;

/// Most bytes that the states of the app may take.
const STATE_BYTES_MAX: usize = 1 << 30;

/// Result of trying everything.
#[derive(Clone, Debug)]
pub struct Exhausted {
    /// Shortest run that reaches the objective.
    pub run: Option<Trace>,
    /// True if there was too much to try; then the lack of a run proves nothing.
    pub is_too_large: bool,
    /// True if someone said to stop.
    pub is_interrupted: bool,
    /// Most steps of the runs that were tried.
    pub steps_max: u32,
    /// Steps that were simulated.
    pub steps: u64,
    /// Progress of the search.
    pub reach: Reach,
}

/// Pair that was reached, and its way there. Its screen is not kept: it can be looked at again.
struct Reached {
    /// Pair before, by its number; none after the start of the app.
    before: Option<u32>,
    /// Offer of the pair before by which it was reached.
    at: u16,
    snapshot: Snapshot,
    /// Number of the set of fields that show typed text.
    marks: u32,
    phase: PhaseId,
}

/// Sets of places of fields that show typed text, numbered; the empty one is 0.
#[derive(Debug)]
struct Marks {
    sets: Vec<Vec<usize>>,
    numbers: FxHashMap<Vec<usize>, u32>,
}

impl Default for Marks {
    fn default() -> Marks {
        Marks { sets: vec![Vec::new()], numbers: [(Vec::new(), 0)].into_iter().collect() }
    }
}

impl Marks {
    fn number(&mut self, screen: &Screen) -> u32 {
        if !screen.has_typed() {
            return 0;
        }
        let places: Vec<usize> = screen.typed_at().collect();
        if let Some(&number) = self.numbers.get(&places) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(places.clone());
        self.numbers.insert(places, number);
        number
    }
}

/// Looks for a shortest run of at most `steps_max` steps that reaches the objective of `spec`.
///
/// `watch` is told the number of steps that have been looked at, and of pairs, and says whether to go on.
pub fn exhaust(
    sim: &mut Sim,
    spec: &Spec,
    repertoire: Repertoire,
    steps_max: u32,
    watch: &mut dyn FnMut(u32, usize) -> bool,
) -> Result<Exhausted, DeviceError> {
    let bounds = Bounds { steps_max, simulated_max: u64::MAX };
    let mut objective = Formula::new(spec, Shaping::Atoms);
    let starts = |sim: &mut Sim, activity: &str| sim.start_outcomes(activity);
    exhaust_from(&starts, sim, &mut objective, repertoire, bounds, watch)
}

/// Returns all outcomes of starting the app afresh with an activity, none if they are too many; the same each time.
pub type Starts<'a> = &'a dyn Fn(&mut Sim, &str) -> Result<Option<Vec<SimOutcome>>, DeviceError>;

/// Bounds of an exhaustive search.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Most steps of a run, the start included.
    pub steps_max: u32,
    /// Most steps that are simulated in all; with more to try, the search is too large.
    pub simulated_max: u64,
}

/// Does the same as [`exhaust`] within `bounds`, where runs begin with what `starts` returns. An `objective` that has served
/// for this before knows what follows its formula, which takes seconds to work out for a large one.
pub fn exhaust_from(
    starts: Starts<'_>,
    sim: &mut Sim,
    objective: &mut Formula,
    repertoire: Repertoire,
    bounds: Bounds,
    watch: &mut dyn FnMut(u32, usize) -> bool,
) -> Result<Exhausted, DeviceError> {
    let (mut repertoire, mut left) = (repertoire, bounds.simulated_max);
    let mut found: Option<Exhausted> = None;
    // That the clock matters is known once it has been read, and a code once it was shown; what was left out before must be
    // looked at again then.
    loop {
        let by_clock = sim.has_read_clock();
        objective.count_anew();
        let bounds = Bounds { simulated_max: left, ..bounds };
        let (exhausted, codes) = sweep(starts, sim, objective, repertoire.clone(), bounds, by_clock, watch)?;
        let is_told_more = sim.has_read_clock() != by_clock || codes.len() > repertoire.codes.len();
        let exhausted = match found {
            // This time there was too much to try.
            Some(found) if exhausted.run.is_none() => found,
            Some(_) | None => exhausted,
        };
        if exhausted.is_interrupted || exhausted.is_too_large || !is_told_more {
            return Ok(exhausted);
        }
        repertoire.codes = codes;
        left = left.saturating_sub(exhausted.steps);
        found = exhausted.run.is_some().then_some(exhausted);
    }
}

/// Looks once; states that differ in their time alone are the same, unless `by_clock`. Returns the codes to offer besides.
fn sweep(
    starts: Starts<'_>,
    sim: &mut Sim,
    objective: &mut dyn Objective,
    repertoire: Repertoire,
    bounds: Bounds,
    by_clock: bool,
    watch: &mut dyn FnMut(u32, usize) -> bool,
) -> Result<(Exhausted, Vec<Arc<str>>), DeviceError> {
    let catalogue = Catalogue::new(sim.app(), repertoire, &LOOKS, false);
    let clock_period_ms = if by_clock { Some(u64::MAX) } else { objective.clock_period_ms() };
    let by_marks = objective.heeds_typed();
    let mut sweep = Sweep {
        starts,
        sim,
        totals: Totals::default(),
        objective,
        catalogue,
        reached: Vec::new(),
        met: FxHashSet::default(),
        by_marks,
        marks: Marks::default(),
        marker: Marker::default(),
        clock_period_ms,
        is_too_large: false,
        bounds,
    };
    let mut is_interrupted = false;
    let mut found = sweep.start()?;
    let mut is_too_large = sweep.is_too_large();
    let (mut first, mut depth) = (0, 1);
    while found.is_none()
        && first < sweep.reached.len()
        && depth < bounds.steps_max
        && !is_too_large
        && !is_interrupted
    {
        // All pairs of one depth come before those of the next, so the first run found is a shortest one.
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
    let reach = reach(sweep.objective, &sweep.catalogue, &sweep.totals);
    let steps = sweep.totals.steps;
    sweep.catalogue.learn_codes();
    let exhausted =
        Exhausted { run, is_too_large, is_interrupted, steps_max: bounds.steps_max, steps, reach };
    Ok((exhausted, sweep.catalogue.codes().to_vec()))
}

struct Sweep<'a> {
    starts: Starts<'a>,
    sim: &'a mut Sim,
    objective: &'a mut dyn Objective,
    catalogue: Catalogue,
    reached: Vec<Reached>,
    met: FxHashSet<(u32, u32, u64, PhaseId)>,
    /// True if the objective tells typed text apart; without, marks would only multiply the pairs.
    by_marks: bool,
    marks: Marks,
    marker: Marker,
    /// Period of the clock in which states differ by their time.
    clock_period_ms: Option<u64>,
    /// True if an action had too many outcomes to follow.
    is_too_large: bool,
    bounds: Bounds,
    totals: Totals,
}

/// Offer of a pair: the pair by its number, its phase, its time, its screen, and the place of the offer.
#[derive(Clone, Copy)]
struct Choice<'a> {
    before: Option<u32>,
    phase: PhaseId,
    at_ms: u64,
    from: &'a Encounter,
    at: u16,
}

impl Sweep<'_> {
    fn start(&mut self) -> Result<Option<u32>, DeviceError> {
        let from = self.catalogue.start(self.objective);
        for (at, action) in (0..).zip(from.entry.site.actions.iter()) {
            let Action::Reinitialise(activity) = action else { continue };
            let choice = Choice { before: None, phase: PhaseId::START, at_ms: 0, from: &from, at };
            if self.loses(choice) {
                continue;
            }
            // The other starts may still win. Without a win the search ends, as it can prove nothing more.
            let Some(outcomes) = (self.starts)(self.sim, activity)? else {
                self.is_too_large = true;
                continue;
            };
            let has_crashed = |outcome: &&SimOutcome| outcome.observation.screen.context().crashed;
            self.totals.starts += outcomes.len() as u64;
            self.totals.starts_crashed += outcomes.iter().filter(has_crashed).count() as u64;
            if let Some(found) = self.reach_all(choice, outcomes, 1) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Tries every action of the pair with this number, which took `depth` steps; returns one that reaches the objective.
    fn follow(&mut self, number: u32, depth: u32) -> Result<Option<u32>, DeviceError> {
        let Reached { snapshot, marks, phase, .. } = self.reached[number as usize];
        let from = self.encounter(snapshot, marks)?;
        for (at, action) in (0..).zip(from.entry.site.actions.iter()) {
            let choice = Choice { before: Some(number), phase, at_ms: snapshot.at_ms, from: &from, at };
            if self.loses(choice) {
                continue;
            }
            self.sim.restore(snapshot);
            let Some(outcomes) = self.sim.outcomes(action)? else {
                self.is_too_large = true;
                continue;
            };
            if let Some(found) = self.reach_all(choice, outcomes, depth + 1) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn loses(&mut self, choice: Choice<'_>) -> bool {
        let class = choice.from.entry.offers[usize::from(choice.at)].class;
        self.objective.forecast(choice.phase, class) == Forecast::Loses
    }

    fn reach_all(&mut self, choice: Choice<'_>, outcomes: Vec<SimOutcome>, depth: u32) -> Option<u32> {
        self.catalogue.note_tried(&choice.from.entry, choice.at);
        for SimOutcome { after, observation, .. } in outcomes {
            let observation = self.marked(choice, observation);
            let marks = if self.by_marks { self.marks.number(&observation.screen) } else { 0 };
            let link = self.link(choice, &observation);
            let Met { encounter: to, is_new } = self.catalogue.see(&observation.screen, link, self.objective);
            let elapsed_ms = observation.at_ms.saturating_sub(choice.at_ms);
            let judgement = self.judge(choice, (&to, is_new), Seen::Now(&observation, elapsed_ms));
            self.totals.steps += 1;
            let is_won = judgement.verdict == Verdict::Won;
            let left = self.bounds.steps_max - depth;
            // No run through a pair that is too far from the goal fits the steps that are left.
            let is_alive =
                judgement.verdict == Verdict::Open && judgement.distance.is_some_and(|least| least <= left);
            // A pair that wins ends the search, so it need not be new.
            if !is_won && (!is_alive || !self.is_new(after, marks, judgement.next)) {
                continue;
            }
            let number = self.reached.len() as u32;
            let Choice { before, at, .. } = choice;
            self.reached.push(Reached { before, at, snapshot: after, marks, phase: judgement.next });
            if is_won {
                return Some(number);
            }
        }
        None
    }

    /// Returns the observation after `choice` with marks on the fields that show typed text.
    fn marked(&mut self, choice: Choice<'_>, seen: Observation) -> Observation {
        let Choice { from, at, .. } = choice;
        let action = &from.entry.site.actions[usize::from(at)];
        let screen = self.marker.mark(from.entry.site.screen.as_ref(), action, seen.screen);
        Observation { screen, ..seen }
    }

    fn link(&mut self, choice: Choice<'_>, seen: &Observation) -> LinkId {
        let site = &choice.from.entry.site;
        let (before, action) = (site.screen.as_deref(), Some(&site.actions[usize::from(choice.at)]));
        let interval = Interval { from_ms: choice.at_ms, to_ms: seen.at_ms };
        self.objective.link(Link { before, action, after: &seen.screen }, interval)
    }

    fn judge(&mut self, choice: Choice<'_>, (to, is_new): (&Encounter, bool), seen: Seen<'_>) -> Judgement {
        let at = usize::from(choice.at);
        let (action, class) = (&choice.from.entry.site.actions[at], choice.from.entry.offers[at].class);
        let moment = Moment { action, class, seen, look: to.entry.site.look, is_new };
        self.objective.step(choice.phase, &moment)
    }

    fn is_too_large(&self) -> bool {
        self.is_too_large
            || self.reached.len() > PAIRS_MAX
            || self.sim.saved_bytes() > STATE_BYTES_MAX
            || self.totals.steps > self.bounds.simulated_max
    }

    /// Returns true if a pair is met for the first time.
    ///
    /// Here alone is decided whether states that differ in their time alone are the same. Where neither the app nor the
    /// objective reads the clock, they are: what can follow them is the same, and telling them apart would keep the search
    /// from ever ending. Where one of them does, a proof that merged them would be wrong, as a run that comes later may
    /// still do what an earlier one cannot. To a bound in time, only how far the clock is from its next quantum matters:
    /// the rest of the bound is part of the phase.
    fn is_new(&mut self, after: Snapshot, marks: u32, phase: PhaseId) -> bool {
        let at_ms = self.clock_period_ms.map_or(0, |period_ms| after.at_ms % period_ms);
        self.met.insert((after.state, marks, at_ms, phase))
    }

    fn encounter(&mut self, snapshot: Snapshot, marks: u32) -> Result<Arc<Encounter>, DeviceError> {
        let screen = self.sim.screen_at(snapshot)?;
        let screen = self.marker.marked(screen, self.marks.sets[marks as usize].clone());
        // What a screen offers does not depend on the step before.
        Ok(self.catalogue.see(&screen, LinkId::default(), self.objective).encounter)
    }

    /// Returns the run that led to the pair with this number, each of its steps taken again.
    fn trace(&mut self, number: u32) -> Result<Trace, DeviceError> {
        let mut way = vec![number];
        while let Some(before) = self.reached[way[way.len() - 1] as usize].before {
            way.push(before);
        }
        let mut trace = Trace::default();
        let mut from = (PhaseId::START, self.catalogue.start(self.objective), None);
        for number in way.into_iter().rev() {
            let Reached { at, snapshot, marks, phase, .. } = self.reached[number as usize];
            let (before, encounter, saved) = from;
            let action = &encounter.entry.site.actions[usize::from(at)];
            let outcomes = match (action, saved) {
                (Action::Reinitialise(activity), _) => (self.starts)(self.sim, activity)?,
                (action, Some(saved)) => {
                    self.sim.restore(saved);
                    self.sim.outcomes(action)?
                }
                (_, None) => None,
            };
            let at_ms = saved.map_or(0, |saved| saved.at_ms);
            let choice = Choice { before: None, phase: before, at_ms, from: &encounter, at };
            // Chance may give several outcomes; the run had the one that led to the kept state.
            let again = outcomes.into_iter().flatten().filter(|outcome| outcome.after == snapshot);
            let observation: Observation = again
                .map(|outcome| self.marked(choice, outcome.observation))
                .collect::<Vec<_>>()
                .into_iter()
                .find(|seen| !self.by_marks || self.marks.number(&seen.screen) == marks)
                .expect("what came up before comes up again");
            let link = self.link(choice, &observation);
            let after = self.catalogue.see(&observation.screen, link, self.objective).encounter;
            // The step was counted when it was found.
            let judgement = self.judge(choice, (&after, false), Seen::Recalled(&observation.screen));
            trace.steps.push(Step {
                action: action.clone(),
                labels: self.objective.labels(
                    before,
                    encounter.entry.offers[usize::from(at)].class,
                    after.entry.site.look,
                ),
                observation,
                remaining: self.objective.remaining(phase).into(),
                reward: judgement.reward,
                why: None,
                learned: None,
            });
            from = (phase, after, Some(snapshot));
        }
        Ok(trace)
    }
}
