//! The residuals of one formula as the states of an automaton, built only as far as steps ask for it.
//!
//! A step taken before costs one look-up. No answer depends on earlier questions: states are numbered in the
//! order in which they are met, and nothing is decided by that number.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use super::formula::{Atom, Formula, Formulas};
use super::labels::Labels;
use super::meaning::{Assumption, Class, Cube, Guard, Meaning, Permanent, Prediction, TooMany};
use super::progress::{Memory, Progression, Residual};
use super::table::{Multiply, Unique, hash_of};

/// Most atoms of a formula with a full row of followers for each state: a row has 1 KB.
const ATOMS_IN_A_ROW: u32 = 8;

const UNKNOWN: u32 = u32::MAX;

/// Fewest atoms of a residual that is probed: with fewer, computing all followers takes less time than a few
/// steps.
const PROBED_ATOMS_MIN: u64 = 30;

/// Number of steps a large formula is probed for before all its followers are computed; beyond most bounds.
const PROBED_STEPS: usize = 16;

/// Number of a residual of one [`Automaton`]: a state of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResidualId(u32);

impl ResidualId {
    /// The state before the first step.
    pub const START: ResidualId = ResidualId(0);

    /// Returns the state with this number in an automaton that has met it.
    pub fn from_number(number: u32) -> ResidualId {
        ResidualId(number)
    }

    /// Returns its number, from 0 in the order in which states were met.
    pub fn number(self) -> u32 {
        self.0
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// More residuals can be reached than the limit, see [`super::RESIDUALS_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyResiduals;

impl fmt::Display for TooManyResiduals {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "more than {} residuals can be reached", super::RESIDUALS_MAX)
    }
}

impl std::error::Error for TooManyResiduals {}

/// A formula's residuals and the steps between them.
///
/// ```
/// use farlead::ltl::{Automaton, Bound, Formulas, Permanent, ResidualId};
///
/// let mut ltl = Formulas::new();
/// let (main, about) = (ltl.atom("main"), ltl.atom("about"));
/// let formula = ltl.until(Bound::ANY, main, about);
/// let mut automaton = Automaton::new(&ltl, formula);
/// let labels = automaton.labels(["main"]);
/// let state = automaton.step(ResidualId::START, &labels);
/// assert_eq!(automaton.residual(state).to_string(), "main U about");
/// assert!(!automaton.is_satisfied(state));
/// let labels = automaton.labels([]);
/// let state = automaton.step(state, &labels);
/// assert_eq!(automaton.permanent(state), Permanent::Violated);
/// ```
#[derive(Clone, Debug)]
pub struct Automaton {
    progression: Progression,
    meaning: Meaning,
    /// Cost of all questions before the meaning was last started anew.
    work_before: u64,
    formula: Formula,
    atoms: u32,
    numbers: HashMap<Box<str>, u32, Multiply>,
    states: Vec<StateEntry>,
    /// By state: the answers needed after every step.
    verdicts: Vec<Verdict>,
    by_residual: Unique,
    /// The follower for each label set, row by row, if the formula has few atoms.
    rows: Vec<u32>,
    /// Otherwise, the steps taken, found by their relevant labels.
    steps: Vec<(ResidualId, Labels, ResidualId)>,
    by_labels: Unique,
    atoms_max: u64,
    depth_max: u32,
}

#[derive(Clone, Debug)]
struct StateEntry {
    residual: Residual,
    /// The residual as one formula, for printing and for N.
    spelled: Formula,
    /// The atoms that a step can depend on.
    relevant: Labels,
    class: Option<Class>,
}

#[derive(Clone, Copy, Debug)]
struct Verdict {
    is_satisfied: bool,
    permanent: Option<Permanent>,
}

impl Automaton {
    /// Returns the automaton of `formula`, with only the start built.
    pub fn new(formulas: &Formulas, formula: Formula) -> Automaton {
        let names: Vec<&str> = formulas.atoms(formula).into_iter().map(|atom| formulas.name(atom)).collect();
        let mut own = Formulas::new();
        // In the order of the names, so that an atom's number is its rank among them.
        for name in &names {
            own.atom(name);
        }
        let formula = own.import(formulas, formula);
        let mut automaton = Automaton::of_own(own, formula);
        automaton.numbers = names.iter().zip(0..).map(|(&name, number)| (name.into(), number)).collect();
        automaton
    }

    /// Builds the automaton; `formulas` must hold only the names of `formula`, in the order of their numbers.
    fn of_own(formulas: Formulas, formula: Formula) -> Automaton {
        // Far beyond formulas that people write or read; from here on a shorter spelling is better.
        let atoms_max = formulas.atom_count(formula).saturating_mul(4).saturating_add(10_000);
        let depth_max = formulas.depth(formula).saturating_mul(4).saturating_add(1_000);
        let atoms = formulas.names_len() as u32;
        let progression = Progression::new(formulas);
        let mut automaton = Automaton {
            meaning: Meaning::new(&progression.formulas),
            work_before: 0,
            progression,
            formula,
            atoms,
            numbers: HashMap::default(),
            states: Vec::new(),
            verdicts: Vec::new(),
            by_residual: Unique::default(),
            rows: Vec::new(),
            steps: Vec::new(),
            by_labels: Unique::default(),
            atoms_max,
            depth_max,
        };
        // The start is no residual: a trace has at least one step, so the value at the end does not count for
        // it.
        automaton.add(Residual { formula, memory: Memory::NONE });
        automaton
    }

    /// Iterates over the formula's atoms in the order of their numbers, which is that of their names.
    pub fn atoms(&self) -> impl Iterator<Item = &str> {
        (0..self.atoms).map(|number| self.progression.formulas.name(Atom(number)))
    }

    /// Returns the labels called `names`; names outside the formula make no difference.
    #[inline]
    pub fn labels<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Labels {
        let mut labels = Labels::default();
        for name in names {
            if let Some(&number) = self.numbers.get(name) {
                labels.insert(number);
            }
        }
        labels
    }

    /// Returns the state after a step from `state` with `labels`.
    #[inline]
    pub fn step(&mut self, state: ResidualId, labels: &Labels) -> ResidualId {
        // Most steps were taken before, so this comes first.
        if self.atoms <= ATOMS_IN_A_ROW {
            let next = self.rows[self.place_in_row(state, labels.low)];
            if next != UNKNOWN {
                return ResidualId(next);
            }
        }
        self.step_anew(state, labels)
    }

    /// Returns true if a trace that ends here satisfies the formula; for the start, if the empty trace does.
    #[inline]
    pub fn is_satisfied(&self, state: ResidualId) -> bool {
        self.verdicts[state.index()].is_satisfied
    }

    /// Returns what is permanent for a trace that has reached `state`.
    #[inline]
    pub fn permanent(&mut self, state: ResidualId) -> Permanent {
        match self.verdicts[state.index()].permanent {
            Some(known) => known,
            None => self.permanent_anew(state),
        }
    }

    #[cold]
    fn permanent_anew(&mut self, state: ResidualId) -> Permanent {
        if self.is_plainly_open(state) {
            self.verdicts[state.index()].permanent = Some(Permanent::Open);
            return Permanent::Open;
        }
        let verdict = self.ask(state, |meaning, formulas, class| {
            if state == ResidualId::START {
                meaning.verdict_at_start(formulas, class)
            } else {
                Ok(meaning.verdict(formulas, class))
            }
        });
        // With too many residuals to explore, nothing is known to be permanent.
        let permanent = verdict.unwrap_or(Permanent::Open);
        self.verdicts[state.index()].permanent = Some(permanent);
        permanent
    }

    /// Returns N: the number of atoms in the residual as printed, `u64::MAX` if they are too many to count.
    pub fn atom_count(&self, state: ResidualId) -> u64 {
        self.progression.formulas.atom_count(self.states[state.index()].spelled)
    }

    /// Returns the residual of the formula as it is written in a spec.
    pub fn residual(&self, state: ResidualId) -> super::Display<'_> {
        self.progression.formulas.display(self.states[state.index()].spelled)
    }

    /// Predicts a step from `state` for which only the atoms in `known` are decided, each given by its number
    /// and its value.
    pub fn predict(&mut self, state: ResidualId, known: &BTreeMap<u32, bool>) -> Prediction {
        self.ask(state, |meaning, formulas, class| meaning.predict(formulas, class, known))
            // Too large to explore, so nothing may be ruled out.
            .unwrap_or(Prediction::UNKNOWN)
    }

    /// Returns the fewest steps from `state` to one at which the formula is satisfied, if there is one.
    pub fn steps_to_satisfaction(&mut self, state: ResidualId) -> Result<Option<u32>, TooManyResiduals> {
        self.ask(state, |meaning, formulas, class| {
            // The empty trace does not count, so the start itself is no goal.
            meaning.distance(formulas, class, state != ResidualId::START, |meaning, _, class| {
                meaning.is_satisfied(class)
            })
        })
    }

    /// Returns the fewest steps from `state` to one at which the formula is violated for good, if there is one.
    pub fn steps_to_violation(&mut self, state: ResidualId) -> Result<Option<u32>, TooManyResiduals> {
        self.ask(state, |meaning, formulas, class| {
            meaning.distance(formulas, class, state != ResidualId::START, |meaning, formulas, class| {
                meaning.verdict(formulas, class) == Permanent::Violated
            })
        })
    }

    /// Returns a shortest trace that satisfies the formula, if there is one: for each step, the atoms that must
    /// hold and those that must not. `assumption` is in `formulas` and has only atoms of the formula.
    pub fn witness(
        &mut self,
        formulas: &Formulas,
        assumption: Assumption,
    ) -> Result<Option<Vec<Cube>>, TooManyResiduals> {
        let own = &mut self.progression.formulas;
        let assumption = Assumption {
            first: own.import(formulas, assumption.first),
            later: own.import(formulas, assumption.later),
        };
        assert_eq!(own.names_len(), self.atoms as usize, "an assumption speaks of the formula's atoms");
        self.ask(ResidualId::START, |meaning, formulas, class| meaning.witness(formulas, class, assumption))
    }

    /// Returns the whole automaton with states of equal meaning merged, or `None` if it has more than
    /// `states_max`.
    pub fn graph(&mut self, states_max: usize) -> Option<Graph> {
        let mut of_class: BTreeMap<Class, usize> = BTreeMap::new();
        let mut graph = Graph { states: vec![ResidualId::START], edges: Vec::new() };
        let mut next = 0;
        while next < graph.states.len() {
            for Guard { class, way, cubes } in self.guards(graph.states[next]).ok()? {
                // States of a class behave alike, so the first one met stands for all.
                let to = match of_class.get(&class) {
                    Some(&to) => to,
                    None => {
                        graph.states.push(self.step(graph.states[next], &labels_of(&way)));
                        of_class.insert(class, graph.states.len() - 1);
                        graph.states.len() - 1
                    }
                };
                graph.edges.push(GraphEdge { from: next, to, cubes });
            }
            if graph.states.len() > states_max {
                return None;
            }
            next += 1;
        }
        Some(graph)
    }

    /// Returns the states that can follow `state`, merged by meaning, each with the labels of a step that leads
    /// there.
    pub fn followers(&mut self, state: ResidualId) -> Result<Vec<Follower>, TooManyResiduals> {
        let guards = self.guards(state)?;
        let followers = guards.into_iter().map(|Guard { way, cubes, .. }| {
            let labels = labels_of(&way);
            let every_atom = || (0..self.atoms).map(|atom| (atom, labels.contains(atom))).collect();
            let cubes = cubes.unwrap_or_else(|| vec![every_atom()]);
            Follower { state: self.step(state, &labels), cubes }
        });
        Ok(followers.collect())
    }

    fn guards(&mut self, state: ResidualId) -> Result<Vec<Guard>, TooManyResiduals> {
        self.ask(state, |meaning, formulas, class| meaning.guards(formulas, class))
    }

    /// Returns the number of states met so far, the start included.
    pub fn states_met(&self) -> usize {
        self.states.len()
    }

    /// Returns the cost of all questions about followers so far: some hundred nanoseconds a unit.
    pub fn work(&self) -> u64 {
        self.work_before + self.meaning.work()
    }

    /// Returns true if the automaton has grown so large that an endless run should call [`Automaton::forget`].
    pub fn is_large(&self) -> bool {
        // Below 100 MB in total.
        self.progression.formulas.len() > 1 << 19 || self.states.len() > 1 << 17 || self.steps.len() > 1 << 18
    }

    /// Forgets all states but the start and `kept`, and returns the new handle of `kept`. Answers stay the
    /// same.
    pub fn forget(&mut self, kept: ResidualId) -> ResidualId {
        let residual = self.states[kept.index()].residual;
        let old = &self.progression;
        let mut formulas = Formulas::new();
        // All names again, in their order: the atoms keep their numbers, so labels stay valid.
        for name in self.atoms() {
            formulas.atom(name);
        }
        let formula = formulas.import(&old.formulas, self.formula);
        let (left, memory) = old.moved(residual, &mut formulas);
        let mut fresh = Automaton::of_own(formulas, formula);
        fresh.numbers = std::mem::take(&mut self.numbers);
        if kept == ResidualId::START {
            *self = fresh;
            return kept;
        }
        let residual = fresh.progression.settle(left, memory);
        let state = fresh.add(residual);
        *self = fresh;
        state
    }

    /// Returns true if two short probes show that nothing is permanent: steps without any label, and with every
    /// one. On a large formula this is much faster than computing all followers.
    fn is_plainly_open(&mut self, state: ResidualId) -> bool {
        if self.atom_count(state) < PROBED_ATOMS_MIN {
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

    #[inline]
    fn place_in_row(&self, state: ResidualId, bits: u64) -> usize {
        (state.index() << self.atoms) | (bits as usize & ((1 << self.atoms) - 1))
    }

    #[cold]
    fn step_anew(&mut self, state: ResidualId, labels: &Labels) -> ResidualId {
        // Label sets that differ in other atoms lead to the same state, so they share one computed step.
        let mattering = labels.shared_with(&self.states[state.index()].relevant);
        if self.atoms <= ATOMS_IN_A_ROW {
            let place = self.place_in_row(state, mattering.low);
            if self.rows[place] == UNKNOWN {
                self.rows[place] = self.follow(state, &mattering).0;
            }
            let next = self.rows[place];
            let asked = self.place_in_row(state, labels.low);
            // Kept under the labels as they came as well, so that next time one look-up is enough.
            self.rows[asked] = next;
            return ResidualId(next);
        }
        let hash = hash_of(&(state, &mattering));
        let known = self.by_labels.find(hash, |index| {
            let (from, by, _) = &self.steps[index as usize];
            *from == state && *by == mattering
        });
        if let Some(index) = known {
            return self.steps[index as usize].2;
        }
        let next = self.follow(state, &mattering);
        self.by_labels.insert(hash, self.steps.len() as u32);
        self.steps.push((state, mattering, next));
        next
    }

    fn follow(&mut self, state: ResidualId, labels: &Labels) -> ResidualId {
        let residual = self.states[state.index()].residual;
        let residual = self.progression.step(residual, labels);
        let residual = self.shortened(residual);
        let hash = hash_of(&residual);
        let known = self.by_residual.find(hash, |index| self.states[index as usize].residual == residual);
        known.map_or_else(|| self.add(residual), ResidualId)
    }

    /// Returns a residual that has grown out of all proportion respelled by its meaning; others unchanged.
    fn shortened(&mut self, residual: Residual) -> Residual {
        let formulas = &self.progression.formulas;
        let (atoms, depth) = (formulas.atom_count(residual.formula), formulas.depth(residual.formula));
        if atoms <= self.atoms_max && depth <= self.depth_max {
            return residual;
        }
        self.keep_meaning_in_bounds();
        let formulas = &mut self.progression.formulas;
        match self.meaning.respell(formulas, residual.formula) {
            Some(short) if formulas.atom_count(short) < atoms || formulas.depth(short) < depth => {
                self.progression.with_memory(short, residual.memory)
            }
            Some(_) | None => residual,
        }
    }

    fn add(&mut self, residual: Residual) -> ResidualId {
        let spelled = self.progression.spell_out(residual);
        let mut relevant = Labels::default();
        for atom in self.progression.atoms_now(residual) {
            relevant.insert(atom.0);
        }
        let is_satisfied = self.progression.formulas.at_end(residual.formula);
        let state = ResidualId(self.states.len() as u32);
        self.states.push(StateEntry { residual, spelled, relevant, class: None });
        self.verdicts.push(Verdict { is_satisfied, permanent: None });
        // A follower with the same residual is a state of its own: the value at the end counts for it, but not
        // for the start.
        if state != ResidualId::START {
            self.by_residual.insert(hash_of(&residual), state.0);
        }
        if self.atoms <= ATOMS_IN_A_ROW {
            self.rows.resize(self.states.len() << self.atoms, UNKNOWN);
        }
        state
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

    fn class(&mut self, state: ResidualId) -> Result<Class, TooMany> {
        if let Some(known) = self.states[state.index()].class {
            return Ok(known);
        }
        let Residual { formula, memory } = self.states[state.index()].residual;
        let past = if self.progression.formulas.has_past(formula) {
            self.progression.past_parts(formula)
        } else {
            Vec::new()
        };
        let memory: Vec<(Formula, Formula)> =
            past.into_iter().map(|past| (past, self.progression.recall(memory, past))).collect();
        let class = self.meaning.class(&self.progression.formulas, formula, &memory)?;
        self.states[state.index()].class = Some(class);
        Ok(class)
    }

    fn keep_meaning_in_bounds(&mut self) {
        if self.meaning.is_full() {
            self.work_before += self.meaning.work();
            self.meaning = Meaning::new(&self.progression.formulas);
            // Classes are numbers of the old meaning.
            self.states.iter_mut().for_each(|state| state.class = None);
        }
    }
}

fn labels_of(way: &[(u32, bool)]) -> Labels {
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
    /// The start first, then in the order in which states are met.
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
}
