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
use super::formula::{Atom, Formula, Formulas, Node};
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

/// Cost limit of a question in conjunctions and, with [`NODES_MAX`], in nodes: a second, and 50 MB. Only formulas made to be
/// hard come near.
const WORK_MAX: u64 = 5_000_000;

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
    followers: Vec<Option<Box<[Class]>>>,
    followers_kept: usize,
    verdicts: Vec<Option<Permanent>>,
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

impl Meaning {
    /// Returns the meaning of residuals in `formulas`, which must get no further atoms.
    pub fn new(formulas: &Formulas) -> Meaning {
        // The atoms of this step, and as the first leaves those of the step after, have one order: functions of
        // the one are built from functions of the other bottom up.
        let atoms = formulas.names_len() as u32;
        let leaves: Vec<Formula> = (0..atoms).map(|number| formulas.known_atom(Atom(number))).collect();
        Meaning {
            bdd: Bdd::new(),
            atoms,
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
    ) -> Result<Class, TooMany> {
        self.bdd.allow(STEP_WORK_MAX);
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

    /// Returns what is permanent for a trace that has reached `root`.
    pub fn verdict(&mut self, formulas: &mut Formulas, root: Class) -> Permanent {
        if let Some(known) = self.verdicts[root.index()] {
            return known;
        }
        let start = self.bdd.work();
        let (mut satisfied, mut violated) = (false, false);
        let mut reached = self.begin(root);
        let mut next = 0;
        let answer = loop {
            let Some(&class) = reached.get(next) else {
                break if satisfied { Permanent::Satisfied } else { Permanent::Violated };
            };
            next += 1;
            if self.is_satisfied(class) {
                satisfied = true
            } else {
                violated = true
            }
            // From here an open residual can be reached, so the root is open too.
            if satisfied && violated || self.verdicts[class.index()] == Some(Permanent::Open) {
                break Permanent::Open;
            }
            if self.extend(formulas, class, &mut reached, start).is_err() {
                break Permanent::Open;
            }
        };
        if answer != Permanent::Open {
            // All or none: every residual that was reached has the same verdict.
            for class in reached {
                self.verdicts[class.index()] = Some(answer);
            }
        }
        self.verdicts[root.index()] = Some(answer);
        answer
    }

    /// Returns what is permanent before the first step, over all traces that have one.
    pub fn verdict_at_start(&mut self, formulas: &mut Formulas, start: Class) -> Result<Permanent, TooMany> {
        let followers = self.followers(formulas, start)?;
        let mut verdicts: Vec<Permanent> = Vec::new();
        for follower in followers {
            verdicts.push(self.verdict(formulas, follower));
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

    /// Returns the fewest further steps to a class that `is_goal`, if there is one; `from` itself counts if
    /// `may_be_now`.
    pub fn distance(
        &mut self,
        formulas: &mut Formulas,
        from: Class,
        may_be_now: bool,
        mut is_goal: impl FnMut(&mut Meaning, &mut Formulas, Class) -> bool,
    ) -> Result<Option<u32>, TooMany> {
        let start = self.bdd.work();
        if may_be_now && is_goal(self, formulas, from) {
            return Ok(Some(0));
        }
        // The first class is not marked as seen: a path may lead back to it.
        let mut reached = Vec::new();
        let mut seen = BTreeSet::new();
        let mut layer = vec![from];
        for steps in 1.. {
            let mut following = Vec::new();
            for class in layer {
                for follower in self.followers_within(formulas, class, start)? {
                    if seen.insert(follower) {
                        if is_goal(self, formulas, follower) {
                            return Ok(Some(steps));
                        }
                        following.push(follower);
                    }
                }
            }
            if following.is_empty() {
                return Ok(None);
            }
            reached.extend_from_slice(&following);
            if reached.len() > RESIDUALS_MAX {
                return Err(TooMany);
            }
            layer = following;
        }
        unreachable!("there are fewer layers than numbers")
    }

    /// Returns a shortest trace from `start` that satisfies the formula under `assumption`: for each step, the
    /// labels that matter.
    pub fn witness(
        &mut self,
        formulas: &mut Formulas,
        start: Class,
        assumption: Assumption,
    ) -> Result<Option<Vec<Cube>>, TooMany> {
        let begin = self.bdd.work();
        // Each class with the index, in this list, of its predecessor.
        let mut reached: Vec<(Class, usize, Cube)> = vec![(start, 0, Cube::new())];
        let mut seen = BTreeSet::new();
        let mut next = 0;
        while next < reached.len() {
            let class = reached[next].0;
            let granted = if next == 0 { assumption.first } else { assumption.later };
            for (follower, cube) in self.followers_under(formulas, class, granted)? {
                if !seen.insert(follower) {
                    continue;
                }
                reached.push((follower, next, cube));
                // Classes are reached in the order of their distance, so the first one found is nearest.
                if self.is_satisfied(follower) {
                    let mut at = reached.len() - 1;
                    let mut cubes = Vec::new();
                    while at != 0 {
                        let (_, from, cube) = &reached[at];
                        cubes.push(cube.clone());
                        at = *from;
                    }
                    cubes.reverse();
                    return Ok(Some(cubes));
                }
            }
            self.check_cost(reached.len(), begin)?;
            next += 1;
        }
        Ok(None)
    }

    /// Returns the classes one step after `class`, in the order of their first label sets.
    pub fn followers(&mut self, formulas: &mut Formulas, class: Class) -> Result<Vec<Class>, TooMany> {
        let start = self.bdd.work();
        self.followers_within(formulas, class, start)
    }

    /// Returns the classes one step after `class`, with the labels that lead there.
    pub fn guards(&mut self, formulas: &mut Formulas, class: Class) -> Result<Vec<Guard>, TooMany> {
        let functions = self.after_step(formulas, class)?;
        let past = self.classes[class.index()].past;
        let mut found = Vec::new();
        self.for_each_follower(&functions, &BTreeMap::new(), |_, functions, way| {
            found.push((functions.to_vec(), way.clone()));
        })?;
        let mut guards: BTreeMap<Class, (Edge, Cube)> = BTreeMap::new();
        for (targets, way) in found {
            let mut guard = Edge::TRUE;
            for (&function, &target) in functions.iter().zip(&targets) {
                let leads_there = self.guard(function, target);
                guard = self.bdd.and(guard, leads_there);
            }
            // Different functions may be one class, because `intern` forgets needless values.
            let class = self.intern(formulas, Functions { past, all: targets });
            let (so_far, _) = guards.entry(class).or_insert((Edge::FALSE, way));
            *so_far = self.bdd.or(*so_far, guard);
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
    ) -> Result<Prediction, TooMany> {
        let functions = self.after_step(formulas, class)?;
        let past = self.classes[class.index()].past;
        let mut followers = Vec::new();
        self.for_each_follower(&functions, known, |meaning, functions, _| {
            followers.push(meaning.intern(formulas, Functions { past, all: functions.to_vec() }));
        })?;
        let violated: Vec<bool> =
            followers.iter().map(|&class| self.verdict(formulas, class) == Permanent::Violated).collect();
        let satisfied = followers.iter().map(|&class| self.is_satisfied(class));
        Ok(Prediction { violated: Share::of(violated), satisfied: Share::of(satisfied) })
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

    fn begin(&mut self, root: Class) -> Vec<Class> {
        // A new number makes all older marks stale, and none has to be cleared.
        self.questions += 1;
        self.met[root.index()] = self.questions;
        vec![root]
    }

    fn extend(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        reached: &mut Vec<Class>,
        start: u64,
    ) -> Result<(), TooMany> {
        for follower in self.followers_within(formulas, class, start)? {
            if self.met[follower.index()] != self.questions {
                self.met[follower.index()] = self.questions;
                reached.push(follower);
            }
        }
        self.check_cost(reached.len(), start)
    }

    fn check_cost(&self, reached: usize, start: u64) -> Result<(), TooMany> {
        let fine =
            reached <= RESIDUALS_MAX && self.bdd.work() - start <= WORK_MAX && self.bdd.len() <= NODES_MAX;
        if fine { Ok(()) } else { Err(TooMany) }
    }

    fn followers_within(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        start: u64,
    ) -> Result<Vec<Class>, TooMany> {
        if let Some(known) = &self.followers[class.index()] {
            return Ok(known.to_vec());
        }
        // Known followers cost nothing, so the cost is checked only here.
        self.check_cost(0, start)?;
        let functions = self.after_step(formulas, class)?;
        let past = self.classes[class.index()].past;
        let mut found = Vec::new();
        self.for_each_follower(&functions, &BTreeMap::new(), |meaning, functions, _| {
            found.push(meaning.intern(formulas, Functions { past, all: functions.to_vec() }));
        })?;
        // Different functions may be one class, because `intern` forgets needless values.
        let mut seen = BTreeSet::new();
        found.retain(|&class| seen.insert(class));
        if self.followers_kept + found.len() <= FOLLOWERS_KEPT_MAX {
            self.followers_kept += found.len();
            self.followers[class.index()] = Some(found.clone().into_boxed_slice());
        }
        Ok(found)
    }

    fn followers_under(
        &mut self,
        formulas: &mut Formulas,
        class: Class,
        granted: Formula,
    ) -> Result<Vec<(Class, Cube)>, TooMany> {
        let functions = self.after_step(formulas, class)?;
        let past = self.classes[class.index()].past;
        let mut found = Vec::new();
        if granted == Formula::TRUE {
            self.for_each_follower(&functions, &BTreeMap::new(), |meaning, functions, cube| {
                found.push((
                    meaning.intern(formulas, Functions { past, all: functions.to_vec() }),
                    cube.clone(),
                ));
            })?;
            return Ok(found);
        }
        let granted = self.step(formulas, granted, &mut Step::default());
        // The assumption comes first: it is true where the labels are allowed.
        let functions: Vec<Edge> = std::iter::once(granted).chain(functions.iter().copied()).collect();
        self.for_each_follower(&functions, &BTreeMap::new(), |meaning, functions, cube| {
            if functions[0] == Edge::TRUE {
                found.push((
                    meaning.intern(formulas, Functions { past, all: functions[1..].to_vec() }),
                    cube.clone(),
                ));
            }
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
    fn forget_needless(&self, formulas: &Formulas, functions: &mut Functions) {
        let past = Arc::clone(&self.pasts[functions.past]);
        if past.is_empty() {
            return;
        }
        let mut needed = BTreeSet::new();
        let mut open = vec![functions.all[0]];
        while let Some(function) = open.pop() {
            for node in self.bdd.nodes_below(&[function]) {
                let leaf = self.leaf_of(node);
                if formulas.has_past(leaf) {
                    for part in formulas.parts(leaf) {
                        // Parts are listed by ascending handles, so the list is sorted.
                        if let Ok(at) = past.binary_search(&part)
                            && needed.insert(at)
                        {
                            open.push(functions.all[at + 1]);
                        }
                    }
                }
            }
        }
        for (at, function) in functions.all[1..].iter_mut().enumerate() {
            if !needed.contains(&at) {
                *function = Edge::FALSE;
            }
        }
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
                Node::Atom(_) | Node::Next(_) | Node::Until(..) | Node::StrongRelease(..) => self.leaf(part),
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
    fn after_step(&mut self, formulas: &mut Formulas, class: Class) -> Result<Vec<Edge>, TooMany> {
        self.bdd.allow(STEP_WORK_MAX);
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
            let value = self.step_node(formulas, node, step);
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

    fn step_node(&mut self, formulas: &mut Formulas, node: Node, step: &Step) -> Edge {
        let of = |meaning: &Meaning, f: Formula| meaning.after(step, f).expect("parts before wholes");
        match node {
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
            Node::Next(f) => self.required_there(formulas, f, step),
            Node::Until(bound, a, b) => {
                let now = if bound.from == 0 { of(self, b) } else { Edge::FALSE };
                let later = formulas.until(bound.later(), a, b);
                let later = self.required_there(formulas, later, step);
                let rest = self.bdd.and(of(self, a), later);
                self.bdd.or(now, rest)
            }
            Node::StrongRelease(bound, a, b) => {
                let now = if bound.from == 0 { of(self, b) } else { Edge::TRUE };
                let later = formulas.strong_release(bound.later(), a, b);
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
        mut visit: impl FnMut(&mut Meaning, &[Edge], &Cube),
    ) -> Result<(), TooMany> {
        let mut visited = 0;
        let mut seen: HashSet<Vec<Edge>, Multiply> = HashSet::default();
        let mut open: Vec<(Vec<Edge>, Cube)> = vec![(functions.to_vec(), Cube::new())];
        while let Some((functions, cube)) = open.pop() {
            let variable = functions.iter().map(|&f| self.bdd.variable(f)).min().unwrap_or(u32::MAX);
            // Long lists take time even where nothing is conjoined.
            self.bdd.spend(functions.len() as u64);
            if variable >= self.atoms {
                visited += 1;
                if visited > RESIDUALS_MAX {
                    return Err(TooMany);
                }
                visit(self, &functions, &cube);
                continue;
            }
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
                    let mut cube = cube.clone();
                    cube.push((variable, value));
                    open.push((branch, cube));
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
        Some(self.cover(guard, guard).0)
    }

    /// Returns cubes that hold wherever `least` does and nowhere `most` does not, and their function. Cubes
    /// without the first variable come last and cover what the others leave (Minato 1992).
    fn cover(&mut self, least: Edge, most: Edge) -> (Vec<Cube>, Edge) {
        if least == Edge::FALSE {
            return (Vec::new(), Edge::FALSE);
        }
        if most == Edge::TRUE {
            return (vec![Cube::new()], Edge::TRUE);
        }
        let variable = self.bdd.variable(least).min(self.bdd.variable(most));
        let (least_high, least_low) = self.bdd.branches_at(least, variable);
        let (most_high, most_low) = self.bdd.branches_at(most, variable);
        let only_low = self.bdd.and(least_low, !most_high);
        let (low_cubes, low) = self.cover(only_low, most_low);
        let only_high = self.bdd.and(least_high, !most_low);
        let (high_cubes, high) = self.cover(only_high, most_high);
        let (rest_low, rest_high) = (self.bdd.and(least_low, !low), self.bdd.and(least_high, !high));
        let rest = self.bdd.or(rest_low, rest_high);
        let both = self.bdd.and(most_low, most_high);
        let (free_cubes, free) = self.cover(rest, both);
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
        (cubes, function)
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
    fn of(values: impl IntoIterator<Item = bool>) -> Share {
        let (mut any, mut all) = (false, true);
        for value in values {
            any |= value;
            all &= value;
        }
        match (any, all) {
            (true, true) => Share::All,
            (true, false) => Share::Some,
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
