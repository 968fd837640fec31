//! Questions about the meaning of a formula: what is permanent, how far a verdict is, what a step can bring.
//!
//! All who ask share these answers. Each question has a bound on its work, counted from the residual alone. It tries the ways
//! below in this order, and each of them answers exactly or not at all; a question that none of them answers is *open*.
//!
//! - Few steps show at once that nothing is permanent.
//! - The formula is such that a verdict lasts: then it is permanent as soon as it is there.
//! - Parts that share no atom are judged one by one, see [`parts`](super::parts).
//! - A shortest violation is one of a member of a conjunction, where whatever shorter traces leave can be satisfied at once.
//! - The residuals that can follow are listed, see [`meaning`](super::meaning).
//! - A shortest run is looked for step by step, see [`unrolled`](super::unrolled).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::automaton::{Automaton, Lasting, ResidualId, TooManyResiduals};
use super::families::Passed;
use super::formula::{Formula, Formulas};
use super::labels::Labels;
use super::meaning::{
    Assumption, Class, Cube, Goal, Guard, Meaning, Permanent, Prediction, RESIDUALS_MAX, Share, TooMany,
};
use super::parts::{Profile, members, parts};
use super::progress::{Memory, Residual};
use super::unrolled::{has_run, shortest_run};

/// Fewest atoms of a residual that is probed: with fewer, computing all followers takes less time than a few
/// steps.
const PROBED_ATOMS_MIN: u64 = 30;

/// Number of steps a large formula is probed for before all its followers are computed; beyond most bounds.
const PROBED_STEPS: usize = 16;

/// Most atoms of a formula whose residuals are listed at once: other ways take longer for it.
const FEW_ATOMS: u32 = 8;

/// Cost limit of judging all parts of a formula: a tenth of a second or two.
const PARTS_WORK_MAX: u64 = 500_000;

/// Most states of a member after the same number of steps, where the members of a conjunction are judged by themselves.
const MEMBER_STATES_MAX: usize = 100;

/// Cost limit of listing residuals before another way is tried.
const LISTED_FIRST_MAX: u64 = 200_000;

/// Cost limit of looking for a shortest run.
const SOUGHT_MAX: u64 = 500_000;

/// Cost limit of listing residuals where no other way is left.
const LISTED_MAX: u64 = 1_000_000;

impl Automaton {
    #[cold]
    pub(super) fn permanent_anew(&mut self, state: ResidualId) -> Permanent {
        let judged = self.judged(state);
        // With too many residuals to explore, nothing is known to be permanent.
        let permanent = judged.unwrap_or(Permanent::Open);
        self.verdicts[state.index()].permanent = Some(permanent);
        self.states[state.index()].is_given_up = judged.is_err();
        permanent
    }

    /// Returns true if what is permanent at `state` is open only because the formula is too large to be judged.
    pub fn is_given_up(&mut self, state: ResidualId) -> bool {
        self.permanent(state);
        self.states[state.index()].is_given_up
    }

    fn judged(&mut self, state: ResidualId) -> Result<Permanent, TooManyResiduals> {
        if self.is_plainly_open(state) {
            return Ok(Permanent::Open);
        }
        let at_start = state == ResidualId::START;
        if self.has_many_atoms() {
            let lasting = self.lasting();
            match self.is_satisfied(state) {
                false if lasting.violation && !at_start => return Ok(Permanent::Violated),
                true if lasting.satisfaction && !at_start => return Ok(Permanent::Satisfied),
                _ => {}
            }
            let known = self.profiles(state).and_then(|parts| verdict_of(&parts, at_start));
            if let Some(known) = known {
                return Ok(known);
            }
        }
        self.ask(state, |meaning, formulas, class| {
            if at_start {
                meaning.verdict_at_start(formulas, class)
            } else {
                meaning.verdict(formulas, class)
            }
        })
    }

    /// Predicts a step from `state` for which only the atoms in `known` are decided, each given by its number
    /// and its value.
    pub fn predict(&mut self, state: ResidualId, known: &BTreeMap<u32, bool>) -> Prediction {
        if let Some(of_parts) = self.predictions_of_parts(state, known) {
            let (violated, satisfied): (Vec<Share>, Vec<Share>) =
                of_parts.iter().map(|part| (part.violated, part.satisfied)).unzip();
            // One part violates the whole, and only all of them satisfy it.
            return Prediction { violated: any_of(&violated), satisfied: all_of(&satisfied) };
        }
        let mut known = Cow::Borrowed(known);
        for (atom, fresh) in self.fresh_atoms(state) {
            if let Some(&holds) = known.get(&atom) {
                known.to_mut().insert(fresh, holds);
            }
        }
        let listed = self.ask(state, |meaning, formulas, class| {
            meaning.predict(formulas, class, &known, meaning.allowance(LISTED_FIRST_MAX))
        });
        if let Ok(listed) = listed {
            return listed;
        }
        let at_end = self.ask(state, |meaning, formulas, class| {
            meaning.predict_end(formulas, class, &known, meaning.allowance(LISTED_FIRST_MAX))
        });
        // Too large to explore, so nothing may be ruled out.
        let Ok(satisfied) = at_end else { return Prediction::UNKNOWN };
        let violated = if self.lasting().violation { satisfied.of_the_others() } else { Share::Some };
        Prediction { violated, satisfied }
    }

    /// Returns the fewest steps from `state` to one at which the formula is satisfied, if there is one.
    pub fn steps_to_satisfaction(&mut self, state: ResidualId) -> Result<Option<u32>, TooManyResiduals> {
        let at_start = state == ResidualId::START;
        if let Some(parts) = self.tame_profiles(state) {
            let lengths = parts.iter().fold(!0, |all, part| all & part.lengths(at_start));
            return Ok((lengths != 0).then(|| lengths.trailing_zeros()));
        }
        self.steps_to(state, Goal::Satisfied)
    }

    /// Returns the fewest steps from `state` to one at which the formula is violated for good, if there is one.
    pub fn steps_to_violation(&mut self, state: ResidualId) -> Result<Option<u32>, TooManyResiduals> {
        let at_start = state == ResidualId::START;
        if let Some(parts) = self.tame_profiles(state) {
            return Ok(parts.iter().filter_map(|part| part.to_violation(at_start)).min());
        }
        let lasts = self.has_many_atoms() && self.lasting().violation;
        if at_start && self.has_many_atoms() && !lasts {
            let known = self.steps_to_violation_of_a_member();
            if known.is_some() {
                return Ok(known);
            }
        }
        self.steps_to(state, if lasts { Goal::Unsatisfied } else { Goal::Violated })
    }

    /// Returns a shortest trace that satisfies the formula, if there is one: for each step, the milliseconds since the step
    /// before, and the atoms that must hold and those that must not. `assumption` is in `formulas` and has only atoms of the formula.
    pub fn witness(
        &mut self,
        formulas: &Formulas,
        assumption: Assumption,
    ) -> Result<Option<Vec<(u32, Cube)>>, TooManyResiduals> {
        let own = &mut self.progression.formulas;
        let names = own.names_len();
        let assumption = Assumption {
            first: own.import(formulas, assumption.first),
            later: own.import(formulas, assumption.later),
        };
        assert_eq!(own.names_len(), names, "an assumption speaks of the formula's atoms");
        let listed = |automaton: &mut Automaton, work_max| {
            automaton.ask(ResidualId::START, |meaning, formulas, class| {
                meaning.witness(formulas, class, assumption, meaning.allowance(work_max))
            })
        };
        if let Ok(found) = listed(self, LISTED_FIRST_MAX) {
            return Ok(found);
        }
        if let Ok(run) = self.shortest_run(self.formula, assumption) {
            return Ok(Some(run.into_iter().map(|cube| (0, cube)).collect()));
        }
        listed(self, LISTED_MAX)
    }

    /// Returns the whole automaton with states of equal meaning merged, or `None` if it has more than
    /// `states_max`, takes too much work, or keeps too many values at a time. With a clock, states that differ by the time that
    /// is left are merged too.
    pub fn graph(&mut self, states_max: usize) -> Option<Graph> {
        if self.has_time {
            return self.graph_of_families(states_max);
        }
        let mut graph = Graph { states: vec![ResidualId::START], edges: Vec::new() };
        self.keep_meaning_in_bounds();
        let (begin, meaning) = (self.work(), self.work_before);
        let mut of_class = BTreeMap::from([(self.class_of_state(ResidualId::START).ok()?, 0)]);
        let mut next = 0;
        while next < graph.states.len() {
            let guards = self.guards(graph.states[next], states_max).ok()?;
            // Classes are numbers of one meaning.
            if self.work_before != meaning || self.work() - begin > LISTED_MAX {
                return None;
            }
            for Guard { class, way, cubes } in guards {
                // States of a class behave alike, so the first one met stands for all.
                let to = match of_class.get(&class) {
                    Some(&to) => to,
                    None => {
                        graph.states.push(self.step(graph.states[next], &labels_of(&way)));
                        of_class.insert(class, graph.states.len() - 1);
                        graph.states.len() - 1
                    }
                };
                graph.edges.push(GraphEdge { from: next, to, cubes, passed: None, begins_anew: false });
            }
            if graph.states.len() > states_max {
                return None;
            }
            next += 1;
        }
        Some(graph)
    }

    /// Returns the states that can follow `state` at once, before any time passes, merged by meaning, each with the labels
    /// of a step that leads there.
    pub fn followers(&mut self, state: ResidualId) -> Result<Vec<Follower>, TooManyResiduals> {
        let guards = self.guards(state, RESIDUALS_MAX)?;
        let followers = guards.into_iter().map(|Guard { way, cubes, .. }| {
            let labels = labels_of(&way);
            let every_atom = || (0..self.atoms).map(|atom| (atom, labels.contains(atom))).collect();
            let cubes = cubes.unwrap_or_else(|| vec![every_atom()]);
            Follower { state: self.step(state, &labels), cubes }
        });
        Ok(followers.collect())
    }

    pub(super) fn guards(
        &mut self,
        state: ResidualId,
        followers_max: usize,
    ) -> Result<Vec<Guard>, TooManyResiduals> {
        let mut guards = self.ask(state, |meaning, formulas, class| {
            meaning.guards(formulas, class, followers_max, meaning.allowance(LISTED_MAX))
        })?;
        let values: BTreeMap<u32, u32> =
            self.fresh_atoms(state).into_iter().map(|(atom, fresh)| (fresh, atom)).collect();
        let rename = |cube: &mut Cube| {
            cube.iter_mut().for_each(|(atom, _)| *atom = values.get(atom).copied().unwrap_or(*atom))
        };
        for Guard { way, cubes, .. } in guards.iter_mut().filter(|_| !values.is_empty()) {
            rename(way);
            cubes.iter_mut().flatten().for_each(rename);
        }
        Ok(guards)
    }

    /// Returns the atoms with values in `state`, each with the one that has fresh values in their place.
    fn fresh_atoms(&self, state: ResidualId) -> Vec<(u32, u32)> {
        let Some(kept) = &self.kept else { return Vec::new() };
        let atoms = self.progression.atoms(self.states[state.index()].residual);
        let fresh = kept.instances.fresh_for(&atoms).unwrap_or_default();
        let number = |formula: Formula| self.progression.formulas.atom_of(formula).0;
        fresh.into_iter().map(|(atom, fresh)| (atom.0, number(fresh))).collect()
    }

    fn steps_to(&mut self, state: ResidualId, goal: Goal) -> Result<Option<u32>, TooManyResiduals> {
        // The empty trace does not count, so the start itself is no goal.
        let may_be_now = state != ResidualId::START;
        let listed = |automaton: &mut Automaton, work_max| {
            automaton.ask(state, |meaning, formulas, class| {
                meaning.distance(formulas, class, may_be_now, goal, meaning.allowance(work_max))
            })
        };
        if let Ok(found) = listed(self, LISTED_FIRST_MAX) {
            return Ok(found);
        }
        let spelled = self.states[state.index()].spelled;
        let sought = match goal {
            Goal::Satisfied => Some(spelled),
            Goal::Unsatisfied => Some(!spelled),
            Goal::Violated => self.lasting().violation.then_some(!spelled),
        };
        if let Some(sought) = sought {
            if may_be_now && self.progression.formulas.at_end(sought) {
                return Ok(Some(0));
            }
            if let Ok(run) = self.shortest_run(sought, Assumption::NONE) {
                return Ok(Some(run.len() as u32));
            }
        }
        listed(self, LISTED_MAX)
    }

    /// Returns the fewest steps after which a member of the conjunction is violated for good, if no fewer steps violate the
    /// whole for good; none if that is not known.
    ///
    /// The members may share atoms. A trace that is shorter leaves of each member one of the residuals that it can have then. So if
    /// some run satisfies all these residuals of all members at once, then every shorter trace can go on well.
    fn steps_to_violation_of_a_member(&mut self) -> Option<u32> {
        let members = members(&mut self.progression.formulas, self.formula);
        if members.len() < 2 || self.has_time {
            return None;
        }
        let mut automata = Vec::with_capacity(members.len());
        let mut least: Option<u32> = None;
        let begin = self.work_before;
        for member in members {
            let mut automaton = Automaton::new(&self.progression.formulas, member);
            let steps = automaton.steps_to_violation(ResidualId::START);
            self.work_before += automaton.work();
            if self.work_before - begin > PARTS_WORK_MAX {
                return None;
            }
            least = least.into_iter().chain(steps.ok()?).min();
            automata.push(automaton);
        }
        let mut left = Vec::new();
        for automaton in &mut automata {
            for state in automaton.states_after(least? - 1)? {
                let spelled = automaton.states[state.index()].spelled;
                left.push(self.progression.formulas.import(&automaton.progression.formulas, spelled));
            }
        }
        let all_left = self.progression.formulas.and(left);
        let goes_on = least == Some(1)
            || self.progression.formulas.at_end(all_left)
            || has_run(&mut self.progression.formulas, all_left, SOUGHT_MAX, &mut self.work_before);
        least.filter(|_| goes_on)
    }

    /// Returns the states after this number of steps from the start, merged by meaning; none if they are too many.
    fn states_after(&mut self, steps: u32) -> Option<BTreeSet<ResidualId>> {
        let mut states = BTreeSet::from([ResidualId::START]);
        for _ in 0..steps {
            let mut next = BTreeSet::new();
            for state in states {
                next.extend(self.followers(state).ok()?.into_iter().map(|follower| follower.state));
            }
            if next.len() > MEMBER_STATES_MAX {
                return None;
            }
            states = next;
        }
        Some(states)
    }

    fn shortest_run(&mut self, formula: Formula, assumption: Assumption) -> Result<Vec<Cube>, TooMany> {
        // Clauses speak neither of time nor of values.
        if self.has_time || self.kept.is_some() {
            return Err(TooMany);
        }
        shortest_run(&mut self.progression.formulas, formula, assumption, SOUGHT_MAX, &mut self.work_before)
    }

    /// Returns true if listing residuals may not be the fastest way, and if there is another.
    fn has_many_atoms(&self) -> bool {
        self.atoms > FEW_ATOMS && self.kept.is_none()
    }

    fn lasting(&mut self) -> Lasting {
        let formulas = &self.progression.formulas;
        *self.lasting.get_or_insert_with(|| Lasting {
            violation: formulas.is_safe(self.formula),
            satisfaction: formulas.is_safe(!self.formula),
        })
    }

    fn predictions_of_parts(
        &mut self,
        state: ResidualId,
        known: &BTreeMap<u32, bool>,
    ) -> Option<Vec<Prediction>> {
        self.tame_profiles(state)?;
        let classes = self.parts(state).ok()?;
        let formulas = &mut self.progression.formulas;
        let mut predictions = Vec::with_capacity(classes.len());
        let allowance = self.meaning.allowance(PARTS_WORK_MAX / classes.len() as u64);
        for &class in classes.iter() {
            predictions.push(self.meaning.predict(formulas, class, known, allowance).ok()?);
        }
        Some(predictions)
    }

    /// Returns the profiles of the parts of `state`, if all of them are tame.
    fn tame_profiles(&mut self, state: ResidualId) -> Option<Vec<Profile>> {
        if !self.has_many_atoms() {
            return None;
        }
        let profiles = self.profiles(state)?.into_iter();
        profiles.map(|profile| profile.filter(Profile::is_tame)).collect()
    }

    /// Returns the profile of each part of `state` that is not too large, if there are several parts.
    fn profiles(&mut self, state: ResidualId) -> Option<Vec<Option<Profile>>> {
        self.keep_meaning_in_bounds();
        let classes = self.parts(state).ok()?;
        if classes.is_empty() {
            return None;
        }
        let mut left = self.meaning.allowance(PARTS_WORK_MAX);
        let mut profiles = Vec::with_capacity(classes.len());
        for &class in classes.iter() {
            let profile = self.meaning.profile(&mut self.progression.formulas, class, &mut left);
            // After a computation gave up, its results mean nothing.
            if self.meaning.is_exhausted() {
                return None;
            }
            profiles.push(profile.ok());
        }
        Some(profiles)
    }

    /// Returns the classes of the parts of `state`; none if it is one whole.
    fn parts(&mut self, state: ResidualId) -> Result<Arc<[Class]>, TooMany> {
        if let Some(known) = &self.states[state.index()].parts {
            return Ok(Arc::clone(known));
        }
        let Residual { formula, memory } = self.states[state.index()].residual;
        let parts = parts(&mut self.progression.formulas, formula);
        let work_max = PARTS_WORK_MAX / (parts.len() as u64 + 1);
        let mut classes = Vec::with_capacity(parts.len());
        for part in parts {
            classes.push(self.class_of(part, memory, work_max)?);
        }
        let classes: Arc<[Class]> = classes.into();
        self.states[state.index()].parts = Some(Arc::clone(&classes));
        Ok(classes)
    }

    /// Returns true if two short probes show that nothing is permanent: steps without any label, and with every
    /// one. On a large formula this is much faster than computing all followers.
    fn is_plainly_open(&mut self, state: ResidualId) -> bool {
        if self.kept.is_some() || !self.has_many_atoms() && self.atom_count(state) < PROBED_ATOMS_MIN {
            return false;
        }
        let all = (0..self.atoms).fold(Labels::default(), |mut labels, atom| {
            labels.insert(atom);
            labels
        });
        let start = self.states[state.index()].residual;
        let (mut satisfied, mut violated) = (false, false);
        let mut see = |automaton: &Automaton, residual: Residual| {
            if automaton.progression.formulas.at_end(residual.formula) {
                satisfied = true
            } else {
                violated = true
            }
            satisfied && violated
        };
        // The empty trace does not count, so the start itself is not looked at.
        if state != ResidualId::START && see(self, start) {
            return true;
        }
        for labels in [Labels::default(), all] {
            let mut residual = start;
            for _ in 0..PROBED_STEPS {
                residual = self.progression.step(residual, &labels);
                if see(self, residual) {
                    return true;
                }
            }
        }
        false
    }

    /// Asks `question` about the meaning of `state`.
    fn ask<T>(
        &mut self,
        state: ResidualId,
        question: impl FnOnce(&mut Meaning, &mut Formulas, Class) -> Result<T, TooMany>,
    ) -> Result<T, TooManyResiduals> {
        self.keep_meaning_in_bounds();
        let answer = self
            .class(state)
            .and_then(|class| question(&mut self.meaning, &mut self.progression.formulas, class));
        // After a computation gave up, its results mean nothing.
        if self.meaning.is_exhausted() {
            return Err(TooManyResiduals);
        }
        answer.map_err(|TooMany| TooManyResiduals)
    }

    /// Returns the meaning of `state`.
    pub(super) fn class_of_state(&mut self, state: ResidualId) -> Result<Class, TooManyResiduals> {
        let class = self.class(state);
        if self.meaning.is_exhausted() {
            return Err(TooManyResiduals);
        }
        class.map_err(|TooMany| TooManyResiduals)
    }

    fn class(&mut self, state: ResidualId) -> Result<Class, TooMany> {
        if let Some(known) = self.states[state.index()].class {
            return Ok(known);
        }
        let Residual { formula, memory } = self.states[state.index()].residual;
        let class = self.class_of(formula, memory, LISTED_MAX)?;
        self.states[state.index()].class = Some(class);
        Ok(class)
    }

    fn class_of(&mut self, formula: Formula, memory: Memory, work_max: u64) -> Result<Class, TooMany> {
        let mut residual = Residual { formula, memory };
        if let Some(kept) = &self.kept {
            let fresh = kept.instances.fresh_for(&self.progression.atoms(residual)).ok_or(TooMany)?;
            residual = self.progression.with_atoms(residual, None, &fresh);
        }
        let memory = self.progression.needed(residual.formula, residual.memory);
        self.meaning.class(&self.progression.formulas, residual.formula, &memory, work_max)
    }

    pub(super) fn keep_meaning_in_bounds(&mut self) {
        if self.meaning.is_full() {
            self.work_before += self.meaning.work();
            self.meaning = self.meaning.anew(&self.progression.formulas);
            // Classes are numbers of the old meaning.
            self.states.iter_mut().for_each(|state| (state.class, state.parts) = (None, None));
        }
    }
}

/// Returns what is permanent for a conjunction of parts that share no atom, as far as the known profiles tell.
fn verdict_of(parts: &[Option<Profile>], at_start: bool) -> Option<Permanent> {
    if parts.iter().flatten().any(|part| part.is_violated(at_start)) {
        return Some(Permanent::Violated);
    }
    let parts: Option<Vec<Profile>> = parts.iter().copied().collect();
    let parts = parts?;
    if parts.iter().all(|part| part.is_sure(at_start)) {
        return Some(Permanent::Satisfied);
    }
    // A long trace satisfies all of them, and another violates one.
    parts.iter().all(Profile::is_tame).then_some(Permanent::Open)
}

fn any_of(shares: &[Share]) -> Share {
    if shares.contains(&Share::All) {
        Share::All
    } else if shares.contains(&Share::Some) {
        Share::Some
    } else {
        Share::None
    }
}

fn all_of(shares: &[Share]) -> Share {
    let others: Vec<Share> = shares.iter().map(|share| share.of_the_others()).collect();
    any_of(&others).of_the_others()
}

pub(super) fn labels_of(way: &[(u32, bool)]) -> Labels {
    way.iter().filter(|(_, holds)| *holds).map(|&(atom, _)| atom).collect()
}

/// A state that can follow another.
#[derive(Clone, Debug)]
pub struct Follower {
    /// The state, or one of the same meaning.
    pub state: ResidualId,
    /// Labels of a step that leads there: the atoms of one of these cubes, each with its value. If there are
    /// too many to read, just one of them.
    pub cubes: Vec<Cube>,
}

/// A whole automaton, see [`Automaton::graph`].
#[derive(Clone, Debug)]
pub struct Graph {
    /// The start first, or the state that it is drawn as, as both behave alike; then in the order in which states are met.
    pub states: Vec<ResidualId>,
    /// In the order of their `from`.
    pub edges: Vec<GraphEdge>,
}

/// The steps from one state of a [`Graph`] to another.
#[derive(Clone, Debug)]
pub struct GraphEdge {
    /// Index of the state it leaves.
    pub from: usize,
    /// Index of the state it leads to.
    pub to: usize,
    /// Labels of the step: the atoms of one of these cubes, each with its value. `None` if there are too many
    /// to read.
    pub cubes: Option<Vec<Cube>>,
    /// Time that passes before the step, where that matters.
    pub passed: Option<Passed>,
    /// True if all the time that can be left is left again after the step. Another edge may have the steps between the same
    /// states, at the same times, that leave less; it comes before this one.
    pub begins_anew: bool,
}
