//! The meaning of a residual, independent of its spelling: which residuals can follow, and whether all or none
//! of them are satisfied.
//!
//! A residual is a boolean function of the next step: of its atoms and of the temporal formulas there, the
//! *leaves*. A step turns it into a function of the step's labels and of the leaves after it. The labels are
//! decided first, so the functions below them are exactly the residuals that can follow; no list of label sets
//! is ever written down. Each past operator adds a function: its value at the next step.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::bdd::{Bdd, Edge};
use super::formula::{Atom, Formula, Formulas, Keep, Node, bits};
use super::keep::Instances;
use super::parts::Profile;
use super::progress::remembered;
use super::table::{Multiply, Unique, hash_of};

/// The part of a verdict that no further step can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Permanent {
    /// Every extension satisfies the formula, the empty one included.
    Satisfied,
    /// No extension satisfies it.
    Violated,
    /// Some extensions satisfy it and some do not, or there are too many residuals to tell.
    Open,
}

/// Most residuals that are explored: a question is answered exactly if no more can be reached.
pub const RESIDUALS_MAX: usize = 50_000;

/// Cost limit of a verdict in conjunctions and, with [`NODES_MAX`], in nodes: a second, and 50 MB. Only formulas made to be
/// hard come near.
const WORK_MAX: u64 = 5_000_000;

/// Cost limit of the conditions of a class's followers, as cubes.
const CUBES_WORK_MAX: u64 = 20_000;

/// Cost limit of one step of a residual in conjunctions. A step that takes more leads to more than
/// [`RESIDUALS_MAX`] residuals by itself.
const STEP_WORK_MAX: u64 = 600_000;
const NODES_MAX: usize = 1_000_000;

/// Most followers kept for later questions, 40 MB; beyond that they are computed again.
const FOLLOWERS_KEPT_MAX: usize = 10_000_000;

/// Most nodes of a meaning that is spelled out as a formula.
const RESPELLED_MAX: usize = 10_000;

/// Most nodes of a guard that is written out as cubes; larger ones are not worth reading.
const GUARD_MAX: usize = 500;

/// Identity of a residual by its meaning, within one [`Meaning`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Class(u32);

impl Class {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A question was given up: too many residuals, or too much work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

/// Work that is left for a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// Cost that may still be met. What is known already costs what it cost when it was found, so that no answer depends on
    /// earlier questions.
    left: u64,
    /// Total work at which the question is given up, with the verdicts that it asks for.
    end: u64,
}

impl Allowance {
    /// Returns the cost met since it was as `self`.
    pub fn spent_to(&self, later: &Allowance) -> u64 {
        self.left - later.left
    }
}

/// What a class is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// A trace that ends there satisfies the formula.
    Satisfied,
    /// A trace that ends there does not satisfy the formula.
    Unsatisfied,
    /// The formula is violated for good.
    Violated,
}

/// Knowledge about the labels of every step: boolean formulas of atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// Holds at the first step of a trace.
    pub first: Formula,
    /// Holds at every later step.
    pub later: Formula,
}

impl Assumption {
    /// No knowledge.
    pub const NONE: Assumption = Assumption { first: Formula::TRUE, later: Formula::TRUE };
}

/// A residual as functions of the leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Functions {
    /// Index of its list of past operators.
    past: usize,
    /// The residual's own function, and behind it the remembered value of each past operator.
    all: Vec<Edge>,
}

type Values = HashMap<Formula, Edge, Multiply>;

/// The meanings of a formula's residuals.
#[derive(Clone, Debug)]
pub(super) struct Meaning {
    bdd: Bdd,
    atoms: u32,
    /// True if time passes between steps, as far as the formula shows.
    has_time: bool,
    /// Atoms with fresh values, if the formula keeps values.
    instances: Option<Arc<Instances>>,
    /// Leaves once a fresh value takes the place of a name.
    given: HashMap<(Formula, Keep, u32), Formula, Multiply>,
    /// By class: the class that it is a quantum of time later, before the next step, and the cost of finding it.
    waited: HashMap<Class, (Class, u64), Multiply>,
    /// Lists of past operators, parts before wholes, one for each combination that was asked about.
    pasts: Vec<Arc<[Formula]>>,
    leaves: Vec<Formula>,
    variable_of: HashMap<Formula, u32, Multiply>,
    /// Formulas without past operators, as functions of the leaves.
    lifted: Values,
    /// Formulas without past operators, after a step; `composed` has the nodes.
    stepped: Values,
    composed: HashMap<Edge, Edge, Multiply>,
    classes: Vec<Functions>,
    unique: Unique,
    /// By class: its followers, and the cost of finding them.
    followers: Vec<Option<(Box<[Class]>, u64)>>,
    followers_kept: usize,
    verdicts: Vec<Option<Result<Permanent, TooMany>>>,
    /// By list of past operators and function: the operators whose values it asks about.
    asks_about: HashMap<(usize, Edge), Arc<[usize]>, Multiply>,
    /// Profiles of classes, and the cost of finding them.
    profiles: HashMap<Class, (Profile, u64), Multiply>,
    /// By class: the last question that met it.
    met: Vec<u32>,
    questions: u32,
}

/// A partial label set: atom numbers with their values; other atoms do not matter.
pub type Cube = Vec<(u32, bool)>;

/// A class and the labels that lead to it.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub class: Class,
    /// One label set that leads there.
    pub way: Cube,
    /// All label sets that lead there, as alternative cubes; `None` if they are too many to read.
    pub cubes: Option<Vec<Cube>>,
}

/// A class on the way of a search.
struct Reached {
    class: Class,
    /// Index of the class before in the list of the search.
    before: usize,
    /// Time from the step to that class to this one's.
    elapsed_ms: u32,
    way: Cube,
}

/// Returns the steps from the first class of a search to the last: the time since the step before, and the labels that matter.
fn way_to_last(reached: &[Reached]) -> Vec<(u32, Cube)> {
    let mut at = reached.len() - 1;
    let mut steps = Vec::new();
    while at != 0 {
        let Reached { before, elapsed_ms, way, .. } = &reached[at];
        steps.push((*elapsed_ms, way.clone()));
        at = *before;
    }
    steps.reverse();
    steps
}

impl Meaning {
    /// Returns the meaning of residuals with the atoms that `formulas` has now. Where they have bounds in time, `has_time` is
    /// true; where they keep values, `instances` has the atoms with fresh ones.
    pub fn new(formulas: &Formulas, has_time: bool, instances: Option<Arc<Instances>>) -> Meaning {
        Meaning::of_atoms(formulas, formulas.names_len() as u32, has_time, instances)
    }

    /// Returns the same meaning, and nothing found so far.
    pub fn anew(&self, formulas: &Formulas) -> Meaning {
        Meaning::of_atoms(formulas, self.atoms, self.has_time, self.instances.clone())
    }

    fn of_atoms(
        formulas: &Formulas,
        atoms: u32,
        has_time: bool,
        instances: Option<Arc<Instances>>,
    ) -> Meaning {
        // The atoms of this step, and as the first leaves those of the step after, have one order: functions of
        // the one are built from functions of the other bottom up.
        let leaves: Vec<Formula> = (0..atoms).map(|number| formulas.known_atom(Atom(number))).collect();
        Meaning {
            bdd: Bdd::new(),
            atoms,
            has_time,
            instances,
            given: HashMap::default(),
            waited: HashMap::default(),
            pasts: Vec::new(),
            variable_of: leaves.iter().copied().zip(atoms..).collect(),
            leaves,
            lifted: HashMap::default(),
            stepped: HashMap::default(),
            composed: HashMap::default(),
            classes: Vec::new(),
            unique: Unique::default(),
            followers: Vec::new(),
            followers_kept: 0,
            verdicts: Vec::new(),
            asks_about: HashMap::default(),
            profiles: HashMap::default(),
            met: Vec::new(),
            questions: 0,
        }
    }

    /// Returns the class of a formula over the steps to come. `memory` has its past operators, parts before
    /// wholes, and their remembered values.
    pub fn class(
        &mut self,
        formulas: &Formulas,
        formula: Formula,
        memory: &[(Formula, Formula)],
        work_max: u64,
    ) -> Result<Class, TooMany> {
        self.bdd.allow(work_max.min(STEP_WORK_MAX));
        let mut there = Values::default();
        let mut all = Vec::with_capacity(1 + memory.len());
        for &(past, value) in memory {
            let kept = self.lift(formulas, value, &there);
            let now = self.seen_now(formulas, past, kept, &there);
            there.insert(past, now);
            all.push(kept);
        }
        all.insert(0, self.lift(formulas, formula, &there));
        let past: Vec<Formula> = memory.iter().map(|&(past, _)| past).collect();
        // A formula leads to few lists, so each is compared.
        let at = self.pasts.iter().position(|known| **known == past[..]).unwrap_or_else(|| {
            self.pasts.push(past.into());
            self.pasts.len() - 1
        });
        self.unless_exhausted()?;
        Ok(self.intern(formulas, Functions { past: at, all }))
    }

    /// Returns the class of functions after a step, with fresh values in place of the names kept at it.
    fn intern_after(&mut self, formulas: &mut Formulas, functions: Functions) -> Result<Class, TooMany> {
        let Some(instances) = self.instances.clone() else { return Ok(self.intern(formulas, functions)) };
        let Functions { past, mut all } = functions;
        let leaves_of = |meaning: &Meaning, all: &[Edge]| -> Vec<(Edge, Formula)> {
            let nodes = meaning.bdd.nodes_below(all);
            nodes.into_iter().map(|node| (node, meaning.leaf_of(node))).collect()
        };
        let free = leaves_of(self, &all).iter().fold(0, |free, &(_, leaf)| free | formulas.free(leaf));
        for keep in bits(free).map(Keep) {
            let leaves = leaves_of(self, &all);
            self.bdd.spend(leaves.len() as u64 * 10);
            let atoms = leaves.iter().flat_map(|&(_, leaf)| formulas.atoms(leaf));
            let value = instances.free_value(keep, atoms).ok_or(TooMany)?;
            let mut values: HashMap<Edge, Edge, Multiply> = [(Edge::TRUE, Edge::TRUE)].into_iter().collect();
            let of = |values: &HashMap<Edge, Edge, Multiply>, edge: Edge| {
                values[&edge.bare()].negated_if(edge.is_negated())
            };
            for (node, leaf) in leaves {
                let leaf = self.given(formulas, &instances, leaf, keep, value);
                let condition = self.leaf(leaf);
                let (high, low) = self.bdd.branches(node);
                let value = self.bdd.choose(condition, of(&values, high), of(&values, low));
                values.insert(node, value);
            }
            all.iter_mut().for_each(|function| *function = of(&values, *function));
        }
        self.unless_exhausted()?;
        Ok(self.intern(formulas, Functions { past, all }))
    }

    /// Returns `leaf` with the fresh `value` in place of the name `keep`.
    fn given(
        &mut self,
        formulas: &mut Formulas,
        instances: &Instances,
        leaf: Formula,
        keep: Keep,
        value: u32,
    ) -> Formula {
        if formulas.free(leaf) >> keep.0 & 1 == 0 {
            return leaf;
        }
        if let Some(&known) = self.given.get(&(leaf, keep, value)) {
            return known;
        }
        let given = instances.in_formula(formulas, leaf, keep, value);
        self.given.insert((leaf, keep, value), given);
        given
    }

    /// Returns the allowance of a question that may cost `work`.
    pub fn allowance(&self, work: u64) -> Allowance {
        Allowance { left: work, end: self.bdd.work() + 2 * work }
    }

    /// Returns what is permanent for a trace that has reached `root`.
    pub fn verdict(&mut self, formulas: &mut Formulas, root: Class) -> Result<Permanent, TooMany> {
        let allowance = self.allowance(WORK_MAX);
        self.verdict_within(formulas, root, &allowance)
    }

    /// Returns the verdict of `root`, asked for by a question with the allowance `outer`.
    fn verdict_within(
        &mut self,
        formulas: &mut Formulas,
        root: Class,
        outer: &Allowance,
    ) -> Result<Permanent, TooMany> {
        if let Some(known) = self.verdicts[root.index()] {
            return known;
        }
        let mut allowance = Allowance { left: WORK_MAX, end: outer.end };
        let (mut satisfied, mut violated) = (false, false);
        let mut reached = self.begin(root);
        let mut next = 0;
        let answer = loop {
            let Some(&class) = reached.get(next) else {
                break Ok(if satisfied { Permanent::Satisfied } else { Permanent::Violated });
            };
            next += 1;
            if self.is_satisfied(class) {
                satisfied = true
            } else {
                violated = true
            }
            // From here an open residual can be reached, so the root is open too.
            if satisfied && violated || self.verdicts[class.index()] == Some(Ok(Permanent::Open)) {
                break Ok(Permanent::Open);
            }
            // Time may pass before the next step.
            match self.wait_for_ends(formulas, class, &mut reached, &mut allowance) {
                Ok((can_end_well, can_end_badly)) => {
                    (satisfied, violated) = (satisfied | can_end_well, violated | can_end_badly);
                }
                Err(TooMany) => break Err(TooMany),
            }
            if satisfied && violated {
                break Ok(Permanent::Open);
            }
            if self.followers[class.index()].is_some() {
                let found = self.followers_within(formulas, class, &mut allowance);
                if let Err(TooMany) = found.and_then(|found| self.extend(found, &mut reached)) {
                    break Err(TooMany);
                }
                continue;
            }
            // The ends of all followers are seen before any of them is made.
            let found = self.after_step(formulas, class, &mut allowance).and_then(|functions| {
                let (can_end_well, can_end_badly) = self.ends(functions[0], &BTreeMap::new());
                (satisfied, violated) = (satisfied | can_end_well, violated | can_end_badly);
                if satisfied && violated {
                    return Ok(());
                }
                let found = self.followers_of(formulas, class, &functions, &mut allowance)?;
                self.extend(found, &mut reached)
            });
            if let Err(TooMany) = found {
                break Err(TooMany);
            }
            if satisfied && violated {
                break Ok(Permanent::Open);
            }
        };
        match answer {
            Ok(Permanent::Open) => {}
            // All or none: every residual that was reached has the same verdict.
            Ok(Permanent::Satisfied | Permanent::Violated) => {
                for class in reached {
                    self.verdicts[class.index()] = Some(answer);
                }
            }
            // Given up because of other questions, it may be answered on its own.
            Err(TooMany) if self.bdd.work() > outer.end => return answer,
            Err(TooMany) => {}
        }
        self.verdicts[root.index()] = Some(answer);
        answer
    }

    /// Adds to `reached` what `class` is as time passes before the next step, and returns true if such a step can end a trace
    /// well, and if one can end it badly.
    ///
    /// A bound in time may decide late, and there are many ways to take steps until then: so one step at each time is looked
    /// at before any other.
    fn wait_for_ends(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        reached: &mut Vec<Class>,
        allowance: &mut Allowance,
    ) -> Result<(bool, bool), TooMany> {
        let mut ends = (false, false);
        let mut last = class;
        while self.has_time && ends != (true, true) {
            let waited = self.waited(formulas, last, allowance)?;
            // What was met before has been waited for.
            if self.met[waited.index()] == self.questions {
                break;
            }
            self.extend(vec![waited], reached)?;
            let functions = self.after_step(formulas, waited, allowance)?;
            let (can_end_well, can_end_badly) = self.ends(functions[0], &BTreeMap::new());
            ends = (ends.0 | can_end_well, ends.1 | can_end_badly);
            last = waited;
        }
        Ok(ends)
    }

    /// Returns what is permanent before the first step, over all traces that have one.
    pub fn verdict_at_start(&mut self, formulas: &mut Formulas, start: Class) -> Result<Permanent, TooMany> {
        let mut allowance = self.allowance(WORK_MAX);
        if self.followers[start.index()].is_none() {
            let functions = self.after_step(formulas, start, &mut allowance)?;
            if self.ends(functions[0], &BTreeMap::new()) == (true, true) {
                return Ok(Permanent::Open);
            }
            self.followers_of(formulas, start, &functions, &mut allowance)?;
        }
        let followers = self.followers_within(formulas, start, &mut allowance)?;
        let mut verdicts: Vec<Permanent> = Vec::new();
        for follower in followers {
            verdicts.push(self.verdict_within(formulas, follower, &allowance)?);
            verdicts.dedup();
            if verdicts.len() > 1 || verdicts[0] == Permanent::Open {
                return Ok(Permanent::Open);
            }
        }
        Ok(verdicts.first().copied().unwrap_or(Permanent::Open))
    }

    /// Returns true if a trace that ends here satisfies the formula.
    pub fn is_satisfied(&self, class: Class) -> bool {
        self.bdd.value_at_none(self.classes[class.index()].all[0])
    }

    /// Returns the fewest further steps to a class that meets `goal`, if there is one; `from` itself counts if
    /// `may_be_now`.
    pub fn distance(
        &mut self,
        formulas: &mut Formulas,
        from: Class,
        may_be_now: bool,
        goal: Goal,
        mut allowance: Allowance,
    ) -> Result<Option<u32>, TooMany> {
        if may_be_now && self.meets(formulas, from, goal, &allowance)? {
            return Ok(Some(0));
        }
        // The first class is not marked as seen: a path may lead back to it.
        let mut reached = 0;
        let mut seen = BTreeSet::new();
        let mut waiting = BTreeSet::new();
        let mut layer = vec![from];
        for steps in 1.. {
            let mut following = Vec::new();
            let mut next = 0;
            while let Some(&class) = layer.get(next) {
                next += 1;
                // Time may pass before the step.
                if self.has_time {
                    let waited = self.waited(formulas, class, &mut allowance)?;
                    layer.extend((waited != class && waiting.insert(waited)).then_some(waited));
                }
                for follower in self.followers_within(formulas, class, &mut allowance)? {
                    if seen.insert(follower) {
                        if self.meets(formulas, follower, goal, &allowance)? {
                            return Ok(Some(steps));
                        }
                        following.push(follower);
                    }
                }
            }
            if following.is_empty() {
                return Ok(None);
            }
            reached += following.len();
            if reached > RESIDUALS_MAX {
                return Err(TooMany);
            }
            layer = following;
        }
        unreachable!("there are fewer layers than numbers")
    }

    fn meets(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        goal: Goal,
        allowance: &Allowance,
    ) -> Result<bool, TooMany> {
        Ok(match goal {
            Goal::Satisfied => self.is_satisfied(class),
            Goal::Unsatisfied => !self.is_satisfied(class),
            Goal::Violated => self.verdict_within(formulas, class, allowance)? == Permanent::Violated,
        })
    }

    /// Returns a shortest trace from `start` that satisfies the formula under `assumption`: for each step, the time since
    /// the one before, and the labels that matter.
    pub fn witness(
        &mut self,
        formulas: &mut Formulas,
        start: Class,
        assumption: Assumption,
        mut allowance: Allowance,
    ) -> Result<Option<Vec<(u32, Cube)>>, TooMany> {
        let mut reached = vec![Reached { class: start, before: 0, elapsed_ms: 0, way: Cube::new() }];
        let mut seen = BTreeSet::new();
        let mut waiting = BTreeSet::new();
        let mut next = 0;
        while next < reached.len() {
            let mut class = reached[next].class;
            let granted = if next == 0 { assumption.first } else { assumption.later };
            let mut elapsed_ms = 0;
            loop {
                for (follower, cube) in self.followers_under(formulas, class, granted, &mut allowance)? {
                    if !seen.insert(follower) {
                        continue;
                    }
                    reached.push(Reached { class: follower, before: next, elapsed_ms, way: cube });
                    // Classes are reached in the order of their distance, so the first one found is nearest.
                    if self.is_satisfied(follower) {
                        return Ok(Some(way_to_last(&reached)));
                    }
                }
                if !self.has_time {
                    break;
                }
                let waited = self.waited(formulas, class, &mut allowance)?;
                if waited == class || !waiting.insert(waited) {
                    break;
                }
                class = waited;
                elapsed_ms += formulas.quantum_ms();
            }
            if reached.len() > RESIDUALS_MAX {
                return Err(TooMany);
            }
            next += 1;
        }
        Ok(None)
    }

    /// Returns the classes one step after `class`, with the labels that lead there.
    pub fn guards(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        followers_max: usize,
        mut allowance: Allowance,
    ) -> Result<Vec<Guard>, TooMany> {
        let functions = self.after_step(formulas, class, &mut allowance)?;
        let past = self.classes[class.index()].past;
        let mut found = Vec::new();
        self.for_each_follower(&functions, &BTreeMap::new(), &mut allowance, |_, functions, way| {
            found.push((functions.to_vec(), way.clone()));
            if found.len() > followers_max { Err(TooMany) } else { Ok(()) }
        })?;
        self.bdd.allow(allowance.left);
        let mut guards: BTreeMap<Class, (Edge, Cube)> = BTreeMap::new();
        for (targets, way) in found {
            let mut guard = Edge::TRUE;
            for (&function, &target) in functions.iter().zip(&targets) {
                let leads_there = self.guard(function, target);
                guard = self.bdd.and(guard, leads_there);
            }
            // Different functions may be one class, because `intern` forgets needless values.
            let class = self.intern_after(formulas, Functions { past, all: targets })?;
            let (so_far, _) = guards.entry(class).or_insert((Edge::FALSE, way));
            *so_far = self.bdd.or(*so_far, guard);
            self.unless_exhausted()?;
        }
        Ok(guards
            .into_iter()
            .map(|(class, (guard, way))| Guard { class, way, cubes: self.cubes(guard) })
            .collect())
    }

    /// Predicts a step whose labels agree with `known`: for none, some or all of these label sets, is the
    /// formula violated for good, and is it satisfied?
    pub fn predict(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        known: &BTreeMap<u32, bool>,
        mut allowance: Allowance,
    ) -> Result<Prediction, TooMany> {
        let mut followers = Vec::new();
        let later = self.all_waited(formulas, class, &mut allowance)?;
        for class in std::iter::once(class).chain(later) {
            let functions = self.after_step(formulas, class, &mut allowance)?;
            let past = self.classes[class.index()].past;
            self.for_each_follower(&functions, known, &mut allowance, |meaning, functions, _| {
                followers.push(meaning.intern_after(formulas, Functions { past, all: functions.to_vec() })?);
                Ok(())
            })?;
        }
        let (mut violated, mut satisfied) = (Tally::default(), Tally::default());
        for &class in &followers {
            violated.add(self.meets(formulas, class, Goal::Violated, &allowance)?);
            satisfied.add(self.is_satisfied(class));
        }
        Ok(Prediction { violated: violated.share(), satisfied: satisfied.share() })
    }

    /// Predicts a step whose labels agree with `known`: with none, some or all of these label sets, does the trace satisfy the
    /// formula? However many classes can follow, none of them is made.
    pub fn predict_end(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        known: &BTreeMap<u32, bool>,
        mut allowance: Allowance,
    ) -> Result<Share, TooMany> {
        let (mut can_end_well, mut can_end_badly) = (false, false);
        let later = self.all_waited(formulas, class, &mut allowance)?;
        for class in std::iter::once(class).chain(later) {
            let functions = self.after_step(formulas, class, &mut allowance)?;
            let (well, badly) = self.ends(functions[0], known);
            (can_end_well, can_end_badly) = (can_end_well | well, can_end_badly | badly);
        }
        Ok(match (can_end_well, can_end_badly) {
            (true, false) => Share::All,
            (false, true) => Share::None,
            (_, _) => Share::Some,
        })
    }

    /// Returns the classes that `class` can be before the next step as time passes, besides itself.
    pub fn all_waited(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        allowance: &mut Allowance,
    ) -> Result<Vec<Class>, TooMany> {
        let (mut all, mut last) = (Vec::new(), class);
        while self.has_time {
            let waited = self.waited(formulas, last, allowance)?;
            if waited == last {
                break;
            }
            all.push(waited);
            last = waited;
        }
        Ok(all)
    }

    /// Returns the class that `class` is a quantum of time later, before the next step.
    fn waited(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        allowance: &mut Allowance,
    ) -> Result<Class, TooMany> {
        if let Some(&(known, cost)) = self.waited.get(&class) {
            self.charge(allowance, cost)?;
            return Ok(known);
        }
        self.bdd.allow(STEP_WORK_MAX.min(allowance.left));
        let Functions { past, all } = self.classes[class.index()].clone();
        let mut values: HashMap<Edge, Edge, Multiply> = [(Edge::TRUE, Edge::TRUE)].into_iter().collect();
        let of = |values: &HashMap<Edge, Edge, Multiply>, edge: Edge| {
            values[&edge.bare()].negated_if(edge.is_negated())
        };
        let nodes = self.bdd.nodes_below(&all);
        let cost = nodes.len() as u64 + 1;
        for node in nodes {
            let leaf = self.leaf_of(node);
            let condition = if formulas.waits(leaf) {
                let waited = formulas.waited(formulas.node(leaf), formulas.quantum_ms());
                self.lift(formulas, waited, &Values::default())
            } else {
                self.leaf(leaf)
            };
            let (high, low) = self.bdd.branches(node);
            let value = self.bdd.choose(condition, of(&values, high), of(&values, low));
            values.insert(node, value);
        }
        self.unless_exhausted()?;
        let all = all.into_iter().map(|function| of(&values, function)).collect();
        let waited = self.intern(formulas, Functions { past, all });
        self.waited.insert(class, (waited, cost));
        self.charge(allowance, cost)?;
        Ok(waited)
    }

    /// Returns true if some label set that agrees with `known` makes `function` true at the end, and if one makes it false.
    fn ends(&mut self, function: Edge, known: &BTreeMap<u32, bool>) -> (bool, bool) {
        let (mut can_be_true, mut can_be_false) = (false, false);
        let mut seen: HashSet<Edge, Multiply> = HashSet::default();
        let mut open = vec![function];
        while let Some(edge) = open.pop() {
            self.bdd.spend(1);
            let variable = self.bdd.variable(edge);
            if variable >= self.atoms {
                if self.bdd.value_at_none(edge) {
                    can_be_true = true
                } else {
                    can_be_false = true
                }
                if can_be_true && can_be_false {
                    break;
                }
                continue;
            }
            let (high, low) = self.bdd.branches(edge);
            for (branch, value) in [(high, true), (low, false)] {
                if known.get(&variable).is_none_or(|&is| is == value) && seen.insert(branch) {
                    open.push(branch);
                }
            }
        }
        (can_be_true, can_be_false)
    }

    /// Returns `formula` spelled by its meaning alone, or `None` if that is too large.
    pub fn respell(&mut self, formulas: &mut Formulas, formula: Formula) -> Option<Formula> {
        self.bdd.allow(STEP_WORK_MAX);
        // No past operator is left at the top, and inside a leaf they stay as they are.
        let function = self.lift(formulas, formula, &Values::default());
        let nodes = self.bdd.nodes_below(&[function]);
        if self.is_exhausted() || nodes.len() > RESPELLED_MAX {
            return None;
        }
        let mut spelled: BTreeMap<Edge, Formula> = BTreeMap::from([(Edge::TRUE, Formula::TRUE)]);
        for node in nodes {
            let of = |edge: Edge| spelled[&edge.bare()].negated_if(edge.is_negated());
            let leaf = self.leaf_of(node);
            let (high, low) = self.bdd.branches(node);
            let (high, low) = (of(high), of(low));
            let yes = formulas.and([leaf, high]);
            let no = formulas.and([!leaf, low]);
            let value = formulas.or([yes, no]);
            spelled.insert(node, value);
        }
        Some(spelled[&function.bare()].negated_if(function.is_negated()))
    }

    /// Returns the cost of all questions so far.
    pub fn work(&self) -> u64 {
        self.bdd.work()
    }

    /// Returns true if a question was given up half way because of its cost.
    pub fn is_exhausted(&self) -> bool {
        self.bdd.is_exhausted()
    }

    /// Returns true if the meaning should start anew, because it is large, or must, because a question was
    /// given up half way and left unreliable results.
    pub fn is_full(&self) -> bool {
        // A third, so that the next question has room for its own nodes.
        self.is_exhausted() || self.bdd.len() > NODES_MAX / 3 || self.classes.len() > 20 * RESIDUALS_MAX
    }

    /// Returns the profile of `class`, if it is known, and the cost of finding it.
    pub fn known_profile(&self, class: Class) -> Option<(Profile, u64)> {
        self.profiles.get(&class).copied()
    }

    pub fn keep_profile(&mut self, class: Class, profile: Profile, cost: u64) {
        self.profiles.insert(class, (profile, cost));
    }

    fn begin(&mut self, root: Class) -> Vec<Class> {
        // A new number makes all older marks stale, and none has to be cleared.
        self.questions += 1;
        self.met[root.index()] = self.questions;
        vec![root]
    }

    /// Adds the classes of `found` that this question has not met.
    fn extend(&mut self, found: Vec<Class>, reached: &mut Vec<Class>) -> Result<(), TooMany> {
        for follower in found {
            if self.met[follower.index()] != self.questions {
                self.met[follower.index()] = self.questions;
                reached.push(follower);
            }
        }
        if reached.len() <= RESIDUALS_MAX { Ok(()) } else { Err(TooMany) }
    }

    /// Takes `cost` off the allowance.
    pub fn charge(&self, allowance: &mut Allowance, cost: u64) -> Result<(), TooMany> {
        allowance.left = allowance.left.saturating_sub(cost);
        let fine = allowance.left > 0 && self.bdd.work() <= allowance.end && self.bdd.len() <= NODES_MAX;
        if fine { Ok(()) } else { Err(TooMany) }
    }

    /// Returns the classes one step after `class`, in the order of their first label sets.
    pub fn followers_within(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        allowance: &mut Allowance,
    ) -> Result<Vec<Class>, TooMany> {
        if let Some((known, cost)) = &self.followers[class.index()] {
            let known = known.to_vec();
            self.charge(allowance, *cost)?;
            return Ok(known);
        }
        let functions = self.after_step(formulas, class, allowance)?;
        self.followers_of(formulas, class, &functions, allowance)
    }

    /// Returns the classes one step after `class`, which `functions` are after a step.
    fn followers_of(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        functions: &[Edge],
        allowance: &mut Allowance,
    ) -> Result<Vec<Class>, TooMany> {
        let past = self.classes[class.index()].past;
        let mut found = Vec::new();
        let before = allowance.left;
        self.for_each_follower(functions, &BTreeMap::new(), allowance, |meaning, functions, _| {
            found.push(meaning.intern_after(formulas, Functions { past, all: functions.to_vec() })?);
            Ok(())
        })?;
        // Different functions may be one class, because `intern` forgets needless values of the past.
        if functions.len() > 1 || self.instances.is_some() {
            let mut seen = BTreeSet::new();
            found.retain(|&class| seen.insert(class));
        }
        if self.followers_kept + found.len() <= FOLLOWERS_KEPT_MAX {
            self.followers_kept += found.len();
            let cost = before - allowance.left;
            self.followers[class.index()] = Some((found.clone().into_boxed_slice(), cost));
        }
        Ok(found)
    }

    fn followers_under(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        granted: Formula,
        allowance: &mut Allowance,
    ) -> Result<Vec<(Class, Cube)>, TooMany> {
        let functions = self.after_step(formulas, class, allowance)?;
        let past = self.classes[class.index()].past;
        let mut found = Vec::new();
        if granted == Formula::TRUE {
            self.for_each_follower(&functions, &BTreeMap::new(), allowance, |meaning, functions, cube| {
                found.push((
                    meaning.intern_after(formulas, Functions { past, all: functions.to_vec() })?,
                    cube.clone(),
                ));
                Ok(())
            })?;
            return Ok(found);
        }
        self.bdd.allow(allowance.left.min(STEP_WORK_MAX));
        let granted = self.step(formulas, granted, &mut Step::default());
        self.unless_exhausted()?;
        // The assumption comes first: it is true where the labels are allowed.
        let functions: Vec<Edge> = std::iter::once(granted).chain(functions.iter().copied()).collect();
        self.for_each_follower(&functions, &BTreeMap::new(), allowance, |meaning, functions, cube| {
            if functions[0] == Edge::TRUE {
                found.push((
                    meaning.intern_after(formulas, Functions { past, all: functions[1..].to_vec() })?,
                    cube.clone(),
                ));
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn intern(&mut self, formulas: &Formulas, mut functions: Functions) -> Class {
        self.forget_needless(formulas, &mut functions);
        let hash = hash_of(&functions);
        if let Some(index) = self.unique.find(hash, |index| self.classes[index as usize] == functions) {
            return Class(index);
        }
        let index = self.classes.len() as u32;
        self.classes.push(functions);
        self.unique.insert(hash, index);
        self.followers.push(None);
        self.verdicts.push(None);
        self.met.push(0);
        Class(index)
    }

    /// Sets the values of past operators that nothing asks about any more to false, so that such residuals are
    /// equal.
    fn forget_needless(&mut self, formulas: &Formulas, functions: &mut Functions) {
        let past = Arc::clone(&self.pasts[functions.past]);
        if past.is_empty() {
            return;
        }
        let mut needed = vec![false; past.len()];
        let mut open = vec![functions.all[0]];
        while let Some(function) = open.pop() {
            for &at in self.asked_about(formulas, functions.past, function).iter() {
                if !std::mem::replace(&mut needed[at], true) {
                    open.push(functions.all[at + 1]);
                }
            }
        }
        for (function, needed) in functions.all[1..].iter_mut().zip(needed) {
            if !needed {
                *function = Edge::FALSE;
            }
        }
    }

    /// Returns the places of the past operators in the leaves of `function`.
    fn asked_about(&mut self, formulas: &Formulas, list: usize, function: Edge) -> Arc<[usize]> {
        if let Some(known) = self.asks_about.get(&(list, function.bare())) {
            return Arc::clone(known);
        }
        let past = Arc::clone(&self.pasts[list]);
        let mut asked = BTreeSet::new();
        let nodes = self.bdd.nodes_below(&[function]);
        let mut cost = nodes.len();
        for leaf in nodes.into_iter().map(|node| self.leaf_of(node)).collect::<BTreeSet<Formula>>() {
            if formulas.has_past(leaf) {
                let parts = formulas.parts(leaf);
                cost += parts.len();
                // Parts are listed by ascending handles, so the list is sorted.
                asked.extend(parts.iter().filter_map(|part| past.binary_search(part).ok()));
            }
        }
        self.bdd.spend(cost as u64);
        let asked: Arc<[usize]> = asked.into_iter().collect();
        self.asks_about.insert((list, function.bare()), Arc::clone(&asked));
        asked
    }

    /// Returns `formula` as a function of the leaves, given the values of its past operators.
    fn lift(&mut self, formulas: &Formulas, formula: Formula, past: &Values) -> Edge {
        let mut here = Values::default();
        let mut open = vec![formula.bare()];
        while let Some(&part) = open.last() {
            if self.lifted.contains_key(&part) || here.contains_key(&part) {
                open.pop();
                continue;
            }
            let known = |f: Formula| {
                let found = self.lifted.get(&f.bare()).or_else(|| here.get(&f.bare()));
                found.map(|edge| edge.negated_if(f.is_negated()))
            };
            let node = formulas.node(part);
            if let Node::And(_) | Node::Iff(..) = node {
                let before = open.len();
                formulas.for_each_part(node, |f| {
                    if known(f).is_none() {
                        open.push(f.bare());
                    }
                });
                if open.len() > before {
                    // Leaves are numbered as they are met, and this keeps to the order of the members.
                    open[before..].reverse();
                    continue;
                }
            }
            let value = match node {
                Node::True => Edge::TRUE,
                Node::And(members) => {
                    let values: Vec<Edge> =
                        formulas.members(members).iter().map(|&f| known(f).expect("lifted first")).collect();
                    self.conjoin(values)
                }
                Node::Iff(a, b) => {
                    let (a, b) = (known(a).expect("lifted first"), known(b).expect("lifted first"));
                    self.bdd.iff(a, b)
                }
                Node::Previous(_) | Node::Since(..) => past[&part],
                Node::Atom(_)
                | Node::Keep(..)
                | Node::Next(_)
                | Node::Until(..)
                | Node::StrongRelease(..) => self.leaf(part),
            };
            // With past operators the value depends on `past`, so it is good for this call alone.
            if formulas.has_past(part) {
                here.insert(part, value);
            } else {
                self.lifted.insert(part, value);
            }
            open.pop();
        }
        let found = self.lifted.get(&formula.bare()).or_else(|| here.get(&formula.bare()));
        found.expect("lifted just now").negated_if(formula.is_negated())
    }

    fn leaf(&mut self, formula: Formula) -> Edge {
        let variable = *self.variable_of.entry(formula).or_insert_with(|| {
            self.leaves.push(formula);
            self.atoms + self.leaves.len() as u32 - 1
        });
        self.bdd.literal(variable)
    }

    /// Conjoins `functions`, those lowest in the variable order first: they are small, and their results recur.
    fn conjoin(&mut self, mut functions: Vec<Edge>) -> Edge {
        functions.sort_by_key(|&f| std::cmp::Reverse(self.bdd.variable(f)));
        functions.into_iter().fold(Edge::TRUE, |all, f| self.bdd.and(all, f))
    }

    /// Returns the functions of `class` after a step: of the step's atoms, and of the leaves after it.
    fn after_step(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        allowance: &mut Allowance,
    ) -> Result<Vec<Edge>, TooMany> {
        let before = self.bdd.work();
        self.bdd.allow(STEP_WORK_MAX.min(allowance.left));
        let functions = self.classes[class.index()].clone();
        let past = Arc::clone(&self.pasts[functions.past]);
        let mut step = Step { has_past: !past.is_empty(), ..Step::default() };
        let mut kept_of = Vec::with_capacity(past.len());
        for (&past, &before) in past.iter().zip(&functions.all[1..]) {
            let held = self.compose(formulas, before, &mut step);
            let now = match formulas.node(past) {
                Node::Since(a, b) => {
                    let (left, right) =
                        (self.step(formulas, a, &mut step), self.step(formulas, b, &mut step));
                    let still = self.bdd.and(left, held);
                    self.bdd.or(right, still)
                }
                _ => held,
            };
            step.now.insert(past, now);
            let kept = self.step(formulas, remembered(formulas, past), &mut step);
            kept_of.push(kept);
            let there = self.seen_now(formulas, past, kept, &step.there);
            step.there.insert(past, there);
        }
        let mut after = vec![self.compose(formulas, functions.all[0], &mut step)];
        after.extend(kept_of);
        self.unless_exhausted()?;
        self.charge(allowance, self.bdd.work() - before)?;
        Ok(after)
    }

    fn unless_exhausted(&self) -> Result<(), TooMany> {
        if self.bdd.is_exhausted() { Err(TooMany) } else { Ok(()) }
    }

    /// Returns the value of a past operator, given the value kept from the step before and the values of the
    /// operators within it.
    fn seen_now(&mut self, formulas: &Formulas, past: Formula, kept: Edge, now: &Values) -> Edge {
        match formulas.node(past) {
            Node::Since(a, b) => {
                let (left, right) = (self.lift(formulas, a, now), self.lift(formulas, b, now));
                let still = self.bdd.and(left, kept);
                self.bdd.or(right, still)
            }
            _ => kept,
        }
    }

    /// Returns `formula` as a demand on the next step, which must exist.
    fn required_there(&mut self, formulas: &mut Formulas, formula: Formula, step: &Step) -> Edge {
        if !formulas.has_past(formula) {
            let required = formulas.at_a_step(formula);
            return self.lift(formulas, required, &step.there);
        }
        // A past operator does not hold at the end, but the value that replaces it may: so demand another step
        // outright.
        let there = self.lift(formulas, formula, &step.there);
        let more = formulas.more();
        let more = self.lift(formulas, more, &step.there);
        self.bdd.and(there, more)
    }

    fn leaf_of(&self, node: Edge) -> Formula {
        self.leaves[(self.bdd.variable(node) - self.atoms) as usize]
    }

    /// Returns a function of the leaves as it is after a step.
    fn compose(&mut self, formulas: &mut Formulas, function: Edge, step: &mut Step) -> Edge {
        let of = |meaning: &Meaning, step: &Step, edge: Edge| -> Option<Edge> {
            if edge.is_constant() {
                return Some(edge);
            }
            let found = meaning.composed.get(&edge.bare()).or_else(|| step.composed.get(&edge.bare()));
            found.map(|known| known.negated_if(edge.is_negated()))
        };
        if let Some(known) = of(self, step, function) {
            return known;
        }
        for node in self.bdd.nodes_below(&[function]) {
            if of(self, step, node).is_some() {
                continue;
            }
            let leaf = self.leaf_of(node);
            let condition = self.step(formulas, leaf, step);
            let (high, low) = self.bdd.branches(node);
            let then = of(self, step, high).expect("parts before wholes");
            let otherwise = of(self, step, low).expect("parts before wholes");
            let value = self.bdd.choose(condition, then, otherwise);
            // Without past operators the result is the same for every class, so it is kept for later steps.
            if !step.has_past {
                self.composed.insert(node, value);
            } else {
                step.composed.insert(node, value);
            }
        }
        of(self, step, function).expect("composed just now")
    }

    /// Returns a formula as it is after a step.
    fn step(&mut self, formulas: &mut Formulas, formula: Formula, step: &mut Step) -> Edge {
        let mut open = vec![formula.bare()];
        while let Some(&part) = open.last() {
            if self.after(step, part).is_some() {
                open.pop();
                continue;
            }
            let node = formulas.node(part);
            let before = open.len();
            // The part of a `Next` is about the step after, so it is not needed at this one.
            if !matches!(node, Node::Next(_)) {
                formulas.for_each_part(node, |f| {
                    if self.after(step, f).is_none() {
                        open.push(f.bare());
                    }
                });
            }
            if open.len() > before {
                continue;
            }
            let value = self.step_node(formulas, part, step);
            // With past operators the value depends on the class, so it is good for this step alone.
            if formulas.has_past(part) {
                step.now.insert(part, value);
            } else {
                self.stepped.insert(part, value);
            }
            open.pop();
        }
        self.after(step, formula).expect("worked out just now")
    }

    fn after(&self, step: &Step, formula: Formula) -> Option<Edge> {
        let found = self.stepped.get(&formula.bare()).or_else(|| step.now.get(&formula.bare()));
        found.map(|edge| edge.negated_if(formula.is_negated()))
    }

    fn step_node(&mut self, formulas: &mut Formulas, part: Formula, step: &Step) -> Edge {
        let of = |meaning: &Meaning, f: Formula| meaning.after(step, f).expect("parts before wholes");
        match formulas.node(part) {
            Node::True => Edge::TRUE,
            Node::Atom(atom) => self.bdd.literal(atom.0),
            Node::And(members) => {
                let values = formulas.members(members).iter().map(|&f| of(self, f)).collect();
                self.conjoin(values)
            }
            Node::Iff(a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                self.bdd.iff(a, b)
            }
            // Its atoms have been judged with the value of this step.
            Node::Keep(_, f) => of(self, f),
            Node::Next(f) => self.required_there(formulas, f, step),
            Node::Until(bound, a, b) => {
                let now = if bound.from == 0 { of(self, b) } else { Edge::FALSE };
                let later = formulas.later(part);
                let later = self.required_there(formulas, later, step);
                let rest = self.bdd.and(of(self, a), later);
                self.bdd.or(now, rest)
            }
            Node::StrongRelease(bound, a, b) => {
                let now = if bound.from == 0 { of(self, b) } else { Edge::TRUE };
                let later = formulas.later(part);
                let later = self.required_there(formulas, later, step);
                let rest = self.bdd.or(of(self, a), later);
                self.bdd.and(now, rest)
            }
            Node::Previous(_) | Node::Since(..) => unreachable!("past operators are worked out first"),
        }
    }

    /// Calls `visit` with each list of functions that the atoms, restricted to `known`, can lead to, and with a
    /// cube that leads there.
    fn for_each_follower(
        &mut self,
        functions: &[Edge],
        known: &BTreeMap<u32, bool>,
        allowance: &mut Allowance,
        mut visit: impl FnMut(&mut Meaning, &[Edge], &Cube) -> Result<(), TooMany>,
    ) -> Result<(), TooMany> {
        let mut visited = 0;
        let mut seen: HashSet<Vec<Edge>, Multiply> = HashSet::default();
        let mut open: Vec<(Vec<Edge>, Cube)> = vec![(functions.to_vec(), Cube::new())];
        while let Some((functions, mut cube)) = open.pop() {
            let before = self.bdd.work();
            let variable = functions.iter().map(|&f| self.bdd.variable(f)).min().unwrap_or(u32::MAX);
            // Long lists take time even where nothing is conjoined.
            self.bdd.spend(functions.len() as u64);
            if variable >= self.atoms {
                visited += 1;
                if visited > RESIDUALS_MAX {
                    return Err(TooMany);
                }
                visit(self, &functions, &cube)?;
                self.charge(allowance, self.bdd.work() - before)?;
                continue;
            }
            self.charge(allowance, self.bdd.work() - before)?;
            for value in [true, false] {
                if known.get(&variable).is_some_and(|&is| is != value) {
                    continue;
                }
                let branch: Vec<Edge> = functions
                    .iter()
                    .map(|&f| {
                        let (high, low) = self.bdd.branches_at(f, variable);
                        if value { high } else { low }
                    })
                    .collect();
                // Label sets with the same functions lead to the same residuals, so one of them is enough.
                if seen.insert(branch.clone()) {
                    // The second branch is the last that needs the list.
                    let mut longer = if value { cube.clone() } else { std::mem::take(&mut cube) };
                    longer.push((variable, value));
                    open.push((branch, longer));
                }
            }
        }
        Ok(())
    }

    /// Returns the condition on the atoms under which `function` leads to `target`.
    fn guard(&mut self, function: Edge, target: Edge) -> Edge {
        let mut guards: HashMap<Edge, Edge, Multiply> = HashMap::default();
        let mut open = vec![function];
        while let Some(&edge) = open.last() {
            self.bdd.spend(1);
            let variable = self.bdd.variable(edge);
            if variable >= self.atoms {
                guards.insert(edge, if edge == target { Edge::TRUE } else { Edge::FALSE });
                open.pop();
                continue;
            }
            let (high, low) = self.bdd.branches(edge);
            match (guards.get(&high), guards.get(&low)) {
                (Some(&then), Some(&otherwise)) => {
                    let guard = self.bdd.node(variable, then, otherwise);
                    guards.insert(edge, guard);
                    open.pop();
                }
                (known_high, _) => open.push(if known_high.is_none() { high } else { low }),
            }
        }
        guards[&function]
    }

    /// Returns `guard` as a short list of cubes; it holds exactly where one of them does.
    fn cubes(&mut self, guard: Edge) -> Option<Vec<Cube>> {
        if self.bdd.nodes_below(&[guard]).len() > GUARD_MAX {
            return None;
        }
        let end = self.bdd.work() + CUBES_WORK_MAX;
        self.cover(guard, guard, end).map(|(cubes, _)| cubes)
    }

    /// Returns cubes that hold wherever `least` does and nowhere `most` does not, and their function. Cubes
    /// without the first variable come last and cover what the others leave (Minato 1992). Returns `None` once all work comes to
    /// `end`.
    fn cover(&mut self, least: Edge, most: Edge, end: u64) -> Option<(Vec<Cube>, Edge)> {
        if least == Edge::FALSE {
            return Some((Vec::new(), Edge::FALSE));
        }
        if most == Edge::TRUE {
            return Some((vec![Cube::new()], Edge::TRUE));
        }
        self.bdd.spend(1);
        if self.bdd.work() > end {
            return None;
        }
        let variable = self.bdd.variable(least).min(self.bdd.variable(most));
        let (least_high, least_low) = self.bdd.branches_at(least, variable);
        let (most_high, most_low) = self.bdd.branches_at(most, variable);
        let only_low = self.bdd.and(least_low, !most_high);
        let (low_cubes, low) = self.cover(only_low, most_low, end)?;
        let only_high = self.bdd.and(least_high, !most_low);
        let (high_cubes, high) = self.cover(only_high, most_high, end)?;
        let (rest_low, rest_high) = (self.bdd.and(least_low, !low), self.bdd.and(least_high, !high));
        let rest = self.bdd.or(rest_low, rest_high);
        let both = self.bdd.and(most_low, most_high);
        let (free_cubes, free) = self.cover(rest, both, end)?;
        let with = |cubes: Vec<Cube>, value| {
            cubes.into_iter().map(move |cube| {
                let mut longer = vec![(variable, value)];
                longer.extend(cube);
                longer
            })
        };
        let mut cubes: Vec<Cube> = with(high_cubes, true).chain(with(low_cubes, false)).collect();
        cubes.extend(free_cubes);
        let literal = self.bdd.literal(variable);
        let split = self.bdd.choose(literal, high, low);
        let function = self.bdd.or(split, free);
        Some((cubes, function))
    }
}

/// Working space for one step.
#[derive(Debug, Default)]
struct Step {
    /// Values at the step of formulas with past operators, as functions of its atoms and the leaves after it.
    now: Values,
    composed: HashMap<Edge, Edge, Multiply>,
    /// Values of past operators at the step after.
    there: Values,
    has_past: bool,
}

/// The share of some label sets that has a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// None of them.
    None,
    /// Some, but not all.
    Some,
    /// All of them.
    All,
}

impl Share {
    /// Returns the share that has the property not.
    pub(super) fn of_the_others(self) -> Share {
        match self {
            Share::None => Share::All,
            Share::Some => Share::Some,
            Share::All => Share::None,
        }
    }
}

/// Values of a property of label sets: true if some have it, and if some have it not.
#[derive(Default)]
struct Tally {
    with: bool,
    without: bool,
}

impl Tally {
    fn add(&mut self, has_it: bool) {
        self.with |= has_it;
        self.without |= !has_it;
    }

    fn share(&self) -> Share {
        match (self.with, self.without) {
            (true, false) => Share::All,
            (true, true) => Share::Some,
            (false, _) => Share::None,
        }
    }
}

/// Prediction for a step with only some labels known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// Label sets after which the formula is violated for good.
    pub violated: Share,
    /// Label sets with which the trace up to and including the step satisfies the formula.
    pub satisfied: Share,
}

impl Prediction {
    /// The prediction where there is too much to explore: it rules nothing out.
    pub(super) const UNKNOWN: Prediction = Prediction { violated: Share::Some, satisfied: Share::Some };
}
