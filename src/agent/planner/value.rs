//! Values: the chance to reach the objective in the steps left, by search over the known part of the app.
//!
//! A position is a history that occurred, or a state that a run is thought to reach. The effect of an action there is
//! a mixture of its effects after the same steps, of its effects in the same state after others, of the effects of
//! its like elsewhere, of habits of most apps, and of the unknown. An unknown action could lead anywhere the
//! objective asks for.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::PlannerSettings;
use super::knowledge::{ActionSet, CoreId, Effect, Effects, Knowledge, NO_CORE, NodeId, StackId};
use crate::situation::{
    ActivityId, ClassId, Habit, LookId, Offer, Outlook, PhaseId, Standing, StateId, Subgoal,
};

// These constants were chosen on the made-up apps of the choosing half: `cargo bench --bench results -- --choosing`.

/// Chance to make each further step of progress from an unseen state.
const UNSEEN: f64 = 0.35;
/// Discount of a step.
pub const PATIENCE: f64 = 0.98;
/// Doubt in known effects, as a number of observations: of histories that look alike, of the same state, of the same
/// name.
const DOUBT_CORE: f64 = 0.1;
const DOUBT_HERE: f64 = 0.3;
const DOUBT_NAME: f64 = 0.3;
/// Doubt for each action that was never done before this one in any state and may have a hidden effect: runs test
/// actions together. A single action counts as new until it was done alone, as others may have undone its effect.
const NOVELTY: f64 = 1.0;
/// Visits with the same phase after which the chance beyond the horizon is halved: what lies too deep to be looked at
/// must not look better than what was looked at and is poor, or it is put off for ever. Without it, and with 40, 20,
/// 8, 5, 3 and 2, level a of the choosing half took 153, 121, 108, 73, 69, 80 and 98 steps on average of 8 runs (the
/// first three: of 4); level b took as many with each of these numbers, some 55, and 44 without.
const STALENESS: f64 = 5.0;
/// Most hidden effects in a row that are imagined, or there would be too many ways to look deep: with 2 the choosing
/// half took a third more time and no fewer steps.
const HIDDEN_MAX: u32 = 1;
/// Factor on the chance of a subgoal for each further atom that must change.
const CHANGE: f64 = 0.6;
/// Factor for an action whose widget shares a word with an atom that must come to hold.
const HINTED: f64 = 5.0;
/// Factor for an action that the formula does not name, where it names others.
const UNNAMED: f64 = 0.15;
/// Most chance of anything unknown.
const SUBGOAL_MAX: f64 = 0.9;
/// Share of the effects elsewhere that keep the labels.
const AWAY_WITHIN: f64 = 0.5;

/// Guess at an action that nobody has tried: nothing changes, the subgoal is met, or something else happens.
#[derive(Clone, Copy)]
struct Guess {
    stays: f64,
    wished: f64,
    away: f64,
}

/// Chances to meet a subgoal: one that takes another activity, and one that does not.
#[derive(Clone, Copy)]
struct Hope {
    moves: f64,
    changes: f64,
}

impl Hope {
    fn times(self, factor: f64) -> Hope {
        Hope { moves: self.moves * factor, changes: self.changes * factor }
    }
}

/// Chances after known effects: a screen may still show something else, but the action will hardly lead elsewhere.
const DID_NOTHING: Hope = Hope { moves: 0.1, changes: 0.2 };
const WAS_LOST: Hope = Hope { moves: 0.3, changes: 0.3 };
const DID_SOMETHING: Hope = Hope { moves: 0.06, changes: 0.3 };

const ANYTHING: Guess = Guess { stays: 0.35, wished: 0.3, away: 0.35 };
const STAYS: Guess = Guess { stays: 0.93, wished: 0.02, away: 0.05 };
const MOSTLY_STAYS: Guess = Guess { stays: 0.75, wished: 0.08, away: 0.17 };
/// Chance that the habitual effect comes.
const AS_EXPECTED: f64 = 0.85;
/// Back from the first activity leaves the app.
const LEAVES: Guess = Guess { stays: 0.1, wished: 0.05, away: 0.85 };

/// Real or imagined position of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// History that occurred.
    Known(NodeId),
    /// State, reached in a way that was never tried.
    Guessed(Whereabouts),
}

/// Imagined position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Whereabouts {
    place: StateId,
    stack: StackId,
    look: LookId,
    core: CoreId,
    done: ActionSet,
}

/// Outcomes of a step for the objective.
#[derive(Clone, Debug)]
struct Prospect {
    stays: PhaseId,
    blank: PhaseId,
    subgoals: Vec<Subgoal>,
    /// True if the formula names other actions and not this one.
    is_unnamed: bool,
}

/// Memory from one decision to the next.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    prospects: FxHashMap<(PhaseId, ClassId, LookId), u32>,
    list: Vec<Prospect>,
    values: FxHashMap<(Position, PhaseId, u32), f64>,
    /// Depths of decisions, by the steps left; none where there was no decision yet.
    depths: Vec<Option<Depth>>,
    /// Visits of each activity in each phase.
    visits: FxHashMap<(ActivityId, PhaseId), u32>,
}

/// Depth of the next decision with a certain number of steps left.
#[derive(Clone, Copy, Debug)]
struct Depth {
    /// Steps that the plan looks ahead.
    steps: u32,
    /// Decisions until a deeper one is tried.
    wait: u32,
    /// Decisions that were waited for the last time.
    pause: u32,
}

impl Depth {
    /// Takes notice that a decision at this depth was within its budget, after one that was deeper if it `has_failed`, and
    /// took `little` of it.
    fn settle(&mut self, steps: u32, has_failed: bool, is_little: bool) {
        if has_failed {
            self.pause = (2 * self.pause).clamp(1, PAUSE_MAX);
            self.wait = self.pause;
        } else if self.wait > 0 {
            self.wait -= 1;
        } else if !is_little {
            self.pause = 0;
        }
        self.steps = steps + u32::from(is_little && self.wait == 0 && !has_failed);
    }
}

impl Memory {
    /// Counts a visit of an activity in a phase.
    pub fn visit(&mut self, activity: ActivityId, phase: PhaseId) {
        *self.visits.entry((activity, phase)).or_insert(0) += 1;
    }

    /// Returns the share of the hope beyond the horizon that is left after all visits in vain.
    pub fn freshness(&self, activity: ActivityId, phase: PhaseId) -> f64 {
        let visits = self.visits.get(&(activity, phase)).copied().unwrap_or(0);
        STALENESS / (STALENESS + f64::from(visits))
    }
}

/// Most prospects that are kept; then they are worked out again.
const PROSPECTS_MAX: usize = 100_000;

/// Depth of the deepest plan: anything beyond is a guess in any case, and each step takes some of the stack.
const DEPTH_MAX: u32 = 40;

/// Part of the budget below which the next decision looks one step deeper: each step multiplies the ways. Trying it
/// at each decision took twice the time, for no fewer steps.
const LITTLE: u32 = 2;

/// Most decisions until a deeper one is tried again: a deeper one that runs out of budget has cost all of it for nothing.
const PAUSE_MAX: u32 = 16;

/// Most classes of actions that are asked to tell whether the formula names any.
const CLASSES_MAX: u32 = 64;

/// Valuation for one decision.
pub struct Valuation<'a> {
    pub settings: PlannerSettings,
    pub knowledge: &'a mut Knowledge,
    pub outlook: &'a mut dyn Outlook,
    pub memory: &'a mut Memory,
    /// Look of a screen on which nothing holds.
    pub blank: LookId,
    /// True if a known effect may turn out otherwise, though it never did.
    doubts: bool,
    /// Steps left at which the search stops.
    horizon: u32,
    /// Actions that may still be looked at.
    budget: u32,
    /// True if a search at this depth that runs out of budget is repeated at a smaller one.
    repeats: bool,
    /// Actions with hidden effects so far.
    done: ActionSet,
}

impl<'a> Valuation<'a> {
    pub fn new(
        settings: PlannerSettings,
        knowledge: &'a mut Knowledge,
        outlook: &'a mut dyn Outlook,
        memory: &'a mut Memory,
        blank: LookId,
    ) -> Valuation<'a> {
        if memory.list.len() > PROSPECTS_MAX {
            *memory = Memory::default();
        }
        let doubts = knowledge.is_tried_out();
        let done = knowledge.node(knowledge.at()).done;
        Valuation {
            settings,
            knowledge,
            outlook,
            memory,
            blank,
            doubts,
            horizon: 0,
            budget: 0,
            repeats: false,
            done,
        }
    }

    /// Returns the value of each offer at `candidates` in the current history with `steps` left. For each of several
    /// depths, at most `budget` actions are looked at.
    pub fn worths(
        &mut self,
        offers: &[Offer],
        candidates: &[u16],
        phase: PhaseId,
        steps: u32,
        budget: u32,
    ) -> Vec<f64> {
        let position = Position::Known(self.knowledge.at());
        let stacks = self.knowledge.stacks();
        // A depth that was too much at this point of the last episode is too much now, as a rule.
        let nth = steps.min(DEPTH_MAX) as usize;
        if self.memory.depths.len() <= nth {
            self.memory.depths.resize(nth + 1, None);
        }
        // The decision before, with more steps left, tells what the first one here can afford.
        let before = self.memory.depths.get(nth + 1).copied().flatten();
        let first = Depth { steps: before.map_or(DEPTH_MAX, |before| before.steps), wait: 0, pause: 0 };
        let mut known = self.memory.depths[nth].unwrap_or(first);
        let deepest = steps.min(DEPTH_MAX).min(known.steps);
        let mut depth = deepest;
        loop {
            self.memory.values.clear();
            self.horizon = steps - depth;
            self.budget = budget;
            self.repeats = depth > 1;
            let worths: Vec<f64> = candidates
                .iter()
                .map(|&at| self.worth(position, &offers[usize::from(at)], phase, steps))
                .collect();
            self.knowledge.forget_stacks(stacks);
            // Values from different depths cannot be compared.
            if !self.is_in_vain() {
                let is_little = budget - self.budget < budget / LITTLE;
                known.settle(depth, depth < deepest, is_little);
                self.memory.depths[nth] = Some(known);
                return worths;
            }
            depth -= (depth / 4).max(1);
        }
    }

    /// Returns true if the values take all steps that are left into account.
    pub fn is_whole(&self) -> bool {
        self.horizon == 0 && self.budget > 0
    }

    /// Returns true if the values of this depth will not be used.
    fn is_in_vain(&self) -> bool {
        self.budget == 0 && self.repeats
    }

    fn value(&mut self, position: Position, phase: PhaseId, steps: u32) -> f64 {
        let least = match self.outlook.standing(phase) {
            Standing::Won => return 1.0,
            Standing::Lost => return 0.0,
            Standing::Open(least) => least,
        };
        if least > steps || steps == 0 {
            return 0.0;
        }
        if steps < self.horizon || self.budget == 0 {
            let activity = self.knowledge.state(self.whereabouts(position).place).activity;
            return unseen(least) * self.memory.freshness(activity, phase);
        }
        if let Some(&known) = self.memory.values.get(&(position, phase, steps)) {
            return known;
        }
        let Whereabouts { place, .. } = self.whereabouts(position);
        let offers = self.knowledge.state(place).offers.clone();
        let mut best: f64 = 0.0;
        // Unknown actions that the objective cannot tell apart have the same value.
        let mut untried: Vec<((ClassId, u64, Habit), f64)> = Vec::new();
        for offer in offers.iter() {
            let likes = (offer.class, offer.hints, offer.habit);
            let worth = if self.is_tried(position, place, offer) {
                self.worth(position, offer, phase, steps)
            } else if let Some(&(_, worth)) = untried.iter().find(|(other, _)| *other == likes) {
                worth
            } else {
                let worth = self.worth(position, offer, phase, steps);
                untried.push((likes, worth));
                worth
            };
            best = best.max(worth);
        }
        let value = best * PATIENCE;
        self.memory.values.insert((position, phase, steps), value);
        value
    }

    fn whereabouts(&self, position: Position) -> Whereabouts {
        match position {
            Position::Known(node) => {
                let node = self.knowledge.node(node);
                let look = self.knowledge.state(node.place).look;
                Whereabouts { place: node.place, stack: node.stack, look, core: node.core, done: node.done }
            }
            Position::Guessed(whereabouts) => whereabouts,
        }
    }

    fn is_tried(&self, position: Position, place: StateId, offer: &Offer) -> bool {
        (match position {
            Position::Known(node) => self.knowledge.edge(node, offer.action).is_some(),
            Position::Guessed(_) => false,
        }) || self.knowledge.here_or_by_name(place, offer, self.settings.sharing).is_some()
    }

    /// Returns the chance to reach the objective after this action.
    fn worth(&mut self, position: Position, offer: &Offer, phase: PhaseId, steps: u32) -> f64 {
        self.budget = self.budget.saturating_sub(1);
        if self.is_in_vain() {
            return 0.0;
        }
        let (mut left, mut worth) = (1.0, 0.0);
        if let Position::Known(node) = position
            && let Some(edge) = self.knowledge.edge(node, offer.action)
        {
            if edge.is_used_up && self.knowledge.conflicts == 0 && !self.doubts {
                return 0.0;
            }
            let different = edge.outcomes.len();
            let times: u32 = edge.outcomes.iter().map(|(_, times)| times).sum();
            let doubt = if self.doubts { 1.0 } else { self.knowledge.unsteadiness() };
            let sure = f64::from(times) / (f64::from(times) + doubt);
            for nth in 0..different {
                let edge = self.knowledge.edge(node, offer.action).expect("it was there before");
                let (next, count) = edge.outcomes[nth];
                let look = self.knowledge.state(self.knowledge.node(next).place).look;
                let chance = left * sure * f64::from(count) / f64::from(times);
                worth += chance * self.value_after(offer, phase, look, Position::Known(next), steps);
            }
            left *= 1.0 - sure;
            if left <= 0.0 {
                return worth;
            }
        }
        let whereabouts = self.whereabouts(position);
        let Whereabouts { place, core, done, .. } = whereabouts;
        let activity = self.knowledge.state(place).activity;
        let unsteadiness = self.knowledge.unsteadiness();
        let named = self.knowledge.by_name(activity, offer);
        // An earlier try of the action itself is not new.
        let own = self.knowledge.mark(activity, offer, false);
        let others = done & !own;
        let before = named.map_or(0, |tried| if others.is_power_of_two() { tried.alone } else { tried.done });
        let novelty = NOVELTY * f64::from((others & !before).count_ones());
        let with_doubt = |tried: &Arc<Effects>, doubt: f64| (tried.clone(), doubt + unsteadiness + novelty);
        let alike = self.knowledge.by_core(core, offer).map(|tried| with_doubt(tried, DOUBT_CORE));
        let here = self.knowledge.here(place, offer).map(|tried| with_doubt(tried, DOUBT_HERE));
        let named = named.filter(|_| self.settings.sharing);
        let other = here.or_else(|| named.map(|tried| with_doubt(tried, DOUBT_NAME)));
        let (first, last) = match (alike, other) {
            (Some(first), last) => (Some(first), last),
            (None, last) => (last, None),
        };
        let Some((tried, doubt)) = first else {
            return worth + left * self.untried(whereabouts, offer, phase, steps);
        };
        let sure = tried.sure(doubt);
        let (first_left, last_left) = match &last {
            Some((last, doubt)) => (left * sure, left * (1.0 - sure) * (1.0 - last.sure(*doubt))),
            None => (left, left * (1.0 - sure)),
        };
        // Either a known effect comes again, or else the subgoal may be met.
        let (first_worth, hope) = self.as_tried(&tried, whereabouts, offer, phase, steps);
        worth += first_left * first_worth;
        match last {
            Some((last, _)) => {
                let (last_worth, hope) = self.as_tried(&last, whereabouts, offer, phase, steps);
                worth + (left - first_left) * last_worth + last_left * hope
            }
            None => worth + last_left * hope,
        }
    }

    /// Returns the value of the action if its effects come again, and the gain if its subgoal is met instead.
    fn as_tried(
        &mut self,
        tried: &Effects,
        whereabouts: Whereabouts,
        offer: &Offer,
        phase: PhaseId,
        steps: u32,
    ) -> (f64, f64) {
        let times = f64::from(tried.times());
        let Whereabouts { place: from, stack, core, done, .. } = whereabouts;
        let activity = self.knowledge.state(from).activity;
        let (hidden, shown) =
            (self.done_after(done, activity, offer, false), self.done_after(done, activity, offer, true));
        let (mut worth, mut hope) = (0.0, 0.0);
        // An app that does not always answer alike may just have lost the action.
        let did_nothing = if self.knowledge.conflicts == 0 { DID_NOTHING } else { WAS_LOST };
        let did_nothing = match self.habit(offer) {
            Habit::Any | Habit::Back | Habit::Becomes(_) => did_nothing,
            Habit::MostlyStays => did_nothing.times(MOSTLY_STAYS.wished / ANYTHING.wished),
            Habit::Stays => did_nothing.times(STAYS.wished / ANYTHING.wished),
        };
        for &(outcome, count) in &tried.results {
            let (next, guess) = match outcome {
                Effect::Same => (Whereabouts { done: hidden, ..whereabouts }, did_nothing),
                Effect::Look(look) => {
                    (Whereabouts { look, core: NO_CORE, done: shown, ..whereabouts }, did_nothing)
                }
                Effect::Behind => match self.knowledge.behind(stack) {
                    Some((stack, place)) => (self.at(place, stack, NO_CORE, done), DID_SOMETHING),
                    None => continue,
                },
                Effect::To(place) => {
                    let stack = self.knowledge.stack_at(stack, place);
                    let core = self.knowledge.core_after(core, offer, place);
                    let stays = self.knowledge.state(place).activity == activity;
                    let done = if stays { shown } else { done };
                    (self.at(place, stack, core, done), DID_SOMETHING)
                }
            };
            let share = f64::from(count) / times;
            let value = self.value_at(offer, phase, next, steps);
            let number = self.prospect(phase, offer.class, next.look);
            let (chance, wished) = self.subgoal(number, guess, offer, steps);
            worth += share * value;
            hope += share * chance * (wished - value).max(0.0);
        }
        (worth, hope)
    }

    /// Returns the chance to meet a subgoal, and the value then.
    fn subgoal(&self, number: usize, guess: Hope, offer: &Offer, steps: u32) -> (f64, f64) {
        let Prospect { ref subgoals, is_unnamed, .. } = self.memory.list[number];
        let is_unnamed = is_unnamed && self.settings.naming;
        let hints = if self.settings.names && !is_unnamed { offer.hints } else { 0 };
        let (mut chance, mut worth) = (0.0, 0.0);
        for subgoal in subgoals {
            let likely = if subgoal.moves { guess.moves } else { guess.changes }
                * power(CHANGE, subgoal.changes.saturating_sub(1))
                * if subgoal.gained & hints != 0 { HINTED } else { 1.0 }
                * if is_unnamed { UNNAMED } else { 1.0 };
            let likely = likely.min(SUBGOAL_MAX);
            let then = match subgoal.standing {
                Standing::Won => 1.0,
                Standing::Open(least) if least < steps => unseen(least),
                Standing::Open(_) | Standing::Lost => 0.0,
            };
            if likely * then > chance * worth {
                (chance, worth) = (likely, then);
            }
        }
        (chance, worth)
    }

    fn habit(&self, offer: &Offer) -> Habit {
        if self.settings.habits { offer.habit } else { Habit::Any }
    }

    /// Returns the actions done after one that stays in the activity.
    fn done_after(&self, done: ActionSet, activity: ActivityId, offer: &Offer, shows: bool) -> ActionSet {
        let is_enough = (done & !self.done).count_ones() >= HIDDEN_MAX;
        if is_enough { done } else { done | self.knowledge.mark(activity, offer, shows) }
    }

    fn at(&self, place: StateId, stack: StackId, core: CoreId, done: ActionSet) -> Whereabouts {
        Whereabouts { place, stack, look: self.knowledge.state(place).look, core, done }
    }

    fn value_at(&mut self, offer: &Offer, phase: PhaseId, next: Whereabouts, steps: u32) -> f64 {
        self.value_after(offer, phase, next.look, Position::Guessed(next), steps)
    }

    fn value_after(
        &mut self,
        offer: &Offer,
        phase: PhaseId,
        look: LookId,
        next: Position,
        steps: u32,
    ) -> f64 {
        let phase = self.outlook.after(phase, offer.class, look);
        self.value(next, phase, steps - 1)
    }

    /// Returns the value of an action that nobody has tried.
    fn untried(&mut self, here: Whereabouts, offer: &Offer, phase: PhaseId, steps: u32) -> f64 {
        let Whereabouts { stack, look, .. } = here;
        let behind = self.knowledge.behind(stack);
        let (expected, guess) = match self.habit(offer) {
            Habit::Any => (None, ANYTHING),
            Habit::Stays => (None, STAYS),
            Habit::MostlyStays => (None, MOSTLY_STAYS),
            Habit::Becomes(look) => (Some(Whereabouts { look, core: NO_CORE, ..here }), ANYTHING),
            Habit::Back => match behind {
                Some((stack, place)) => (Some(self.at(place, stack, NO_CORE, here.done)), ANYTHING),
                None => (None, LEAVES),
            },
        };
        let (mut worth, mut left) = (0.0, 1.0);
        if let Some(next) = expected {
            worth += AS_EXPECTED * self.value_at(offer, phase, next, steps);
            left -= AS_EXPECTED;
        }
        let number = self.prospect(phase, offer.class, look);
        let Prospect { stays, blank, .. } = self.memory.list[number];
        let hope = Hope { moves: guess.wished, changes: guess.wished };
        let (chance, wished) = self.subgoal(number, hope, offer, steps);
        worth += left * chance * wished;
        if chance > 0.0 && !self.settings.survival {
            return worth;
        }
        left *= 1.0 - chance;
        let activity = self.knowledge.state(here.place).activity;
        let here = Whereabouts { done: self.done_after(here.done, activity, offer, false), ..here };
        let stays_on = self.value(Position::Guessed(here), stays, steps - 1);
        let within = self.unseen_after(stays, steps - 1);
        let beyond = self.unseen_after(blank, steps - 1);
        let Guess { stays, away, .. } = guess;
        let elsewhere = AWAY_WITHIN * within + (1.0 - AWAY_WITHIN) * beyond;
        worth + left * (stays * stays_on + away * elsewhere) / (stays + away)
    }

    fn unseen_after(&mut self, phase: PhaseId, steps: u32) -> f64 {
        match self.outlook.standing(phase) {
            Standing::Won => 1.0,
            Standing::Open(least) if least <= steps => unseen(least),
            Standing::Open(_) | Standing::Lost => 0.0,
        }
    }

    fn prospect(&mut self, phase: PhaseId, class: ClassId, look: LookId) -> usize {
        if let Some(&known) = self.memory.prospects.get(&(phase, class, look)) {
            return known as usize;
        }
        let lives = |standing: Standing| standing != Standing::Lost;
        let stays = self.outlook.after(phase, class, look);
        let blank = self.outlook.after(phase, class, self.blank);
        let mut subgoals = Vec::new();
        self.outlook.subgoals(phase, class, look, &mut subgoals);
        // A subgoal without a change is none.
        subgoals.retain(|subgoal| subgoal.changes > 0);
        let is_unnamed = !lives(self.outlook.standing(stays)) && {
            let classes = self.outlook.classes().min(CLASSES_MAX);
            (0..classes).any(|other| {
                let after = self.outlook.after(phase, ClassId(other), look);
                lives(self.outlook.standing(after))
            })
        };
        let number = self.memory.list.len();
        self.memory.list.push(Prospect { stays, blank, subgoals, is_unnamed });
        self.memory.prospects.insert((phase, class, look), number as u32);
        number
    }
}

/// Returns the chance to reach the objective from an unseen state, at least `least` steps away.
pub fn unseen(least: u32) -> f64 {
    power(UNSEEN, least)
}

fn power(base: f64, times: u32) -> f64 {
    // Repeated multiplication gives the same bits on every machine; beyond 64 factors nothing is left.
    (0..times.min(64)).fold(1.0, |product, _| product * base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subgoal_not_met_is_hoped_for_less_each_time() {
        let mut memory = Memory::default();
        let (activity, phase) = (ActivityId(1), PhaseId(2));
        assert_eq!(memory.freshness(activity, phase), 1.0);
        for _ in 0..STALENESS as u32 {
            let before = memory.freshness(activity, phase);
            memory.visit(activity, phase);
            assert!(memory.freshness(activity, phase) < before);
        }
        assert_eq!(memory.freshness(activity, phase), 0.5);
        let others = (memory.freshness(activity, PhaseId(3)), memory.freshness(ActivityId(2), phase));
        assert_eq!(others, (1.0, 1.0), "something else, and elsewhere");
    }
}
