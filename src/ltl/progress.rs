//! Progression: computes what a formula still asks for once a step has been seen.
//!
//! [`Progression::step`] expands, restricts to the step's labels and advances, as one operation.
//! It reads no screen: the same residual and labels give the same answer.
//!
//! The past is remembered beside the formula: for each past operator that still occurs in it, its value at the
//! next step. That value is a formula if the operator has a future operator inside (`Y F a`), and otherwise a
//! constant.

use std::collections::BTreeMap;

use super::formula::{Atom, Formula, Formulas, Keep, Node, changed};
use super::labels::Labels;
use super::table::{Unique, hash_of};

/// The rest of a formula after some steps: a formula over the steps to come, and the past values it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Residual {
    pub formula: Formula,
    pub memory: Memory,
}

/// The value of each past operator at the next step, see [`Progression::recall`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Memory(u32);

impl Memory {
    /// The memory of an empty past: no past operator holds.
    pub const NONE: Memory = Memory(0);
}

/// Formulas, their memories, and the working space for a step.
#[derive(Clone, Debug)]
pub(super) struct Progression {
    pub formulas: Formulas,
    memories: Vec<Box<[(Formula, Formula)]>>,
    unique_memories: Unique,
    /// By node: the round of its last computation, and the result.
    done: Vec<(u32, Formula)>,
    round: u32,
    open: Vec<Formula>,
    /// By node: the last search for atoms that met it.
    looked_at: Vec<u32>,
    looks: u32,
}

impl Progression {
    pub fn new(formulas: Formulas) -> Progression {
        let mut unique_memories = Unique::default();
        let none: Box<[(Formula, Formula)]> = Box::default();
        unique_memories.insert(hash_of(&none), 0);
        Progression {
            formulas,
            memories: vec![none],
            unique_memories,
            done: Vec::new(),
            round: 0,
            open: Vec::new(),
            looked_at: Vec::new(),
            looks: 0,
        }
    }

    /// Returns what is left of `residual` after a step at which exactly the atoms in `labels` hold.
    pub fn step(&mut self, residual: Residual, labels: &Labels) -> Residual {
        // Makes all of `done` stale without clearing it.
        self.round += 1;
        let formula = self.progress(residual.formula, residual.memory, labels);
        // Without past operators there is nothing to remember, and few formulas have any.
        if !self.formulas.has_past(formula) {
            return Residual { formula, memory: Memory::NONE };
        }
        let kept = self.past_parts(formula);
        let mut memory = Vec::new();
        for past in kept {
            memory.push((past, self.progress(remembered(&self.formulas, past), residual.memory, labels)));
        }
        self.settle(formula, memory)
    }

    /// Returns what is left of `residual` once `elapsed_ms` have passed since its last step, before the next.
    pub fn wait(&mut self, residual: Residual, elapsed_ms: u32) -> Residual {
        if elapsed_ms == 0 || !self.formulas.has_time(residual.formula) {
            return residual;
        }
        let formula = self.waited(residual.formula, elapsed_ms);
        let mut memory = self.needed(formula, residual.memory);
        memory.iter_mut().for_each(|(_, value)| *value = self.waited(*value, elapsed_ms));
        self.settle(formula, memory)
    }

    /// Returns `formula` with less left of its bounds in time.
    fn waited(&mut self, formula: Formula, elapsed_ms: u32) -> Formula {
        if !self.formulas.waits(formula) {
            return formula;
        }
        self.formulas.mapped(formula, |formulas, part, of| match formulas.node(part) {
            _ if !formulas.waits(part) => part,
            Node::And(_) | Node::Iff(..) => formulas.rebuilt(part, of),
            node @ (Node::True
            | Node::Atom(_)
            | Node::Keep(..)
            | Node::Next(_)
            | Node::Until(..)
            | Node::StrongRelease(..)
            | Node::Previous(_)
            | Node::Since(..)) => formulas.waited(node, elapsed_ms),
        })
    }

    /// Returns the value at the next step of `past`, a `Y` or an `S` without negation.
    pub fn recall(&self, memory: Memory, past: Formula) -> Formula {
        let list = &self.memories[memory.0 as usize];
        list.binary_search_by_key(&past, |&(of, _)| of).map_or(Formula::FALSE, |at| list[at].1)
    }

    /// Returns the past operators in `formula`, parts before wholes.
    pub fn past_parts(&self, formula: Formula) -> Vec<Formula> {
        let mut parts = self.formulas.parts(formula);
        parts.retain(|&part| matches!(self.formulas.node(part), Node::Previous(_) | Node::Since(..)));
        parts
    }

    /// Returns `residual` as one formula of the language, read as if the next step were the first.
    pub fn spell_out(&mut self, residual: Residual) -> Formula {
        if residual.memory == Memory::NONE {
            return residual.formula;
        }
        // There from the start, because a part that recalls nothing needs the constant.
        let mut spelled = BTreeMap::from([(Formula::TRUE, Formula::TRUE)]);
        let mut open = vec![residual.formula.bare()];
        while let Some(&part) = open.last() {
            let node = self.formulas.node(part);
            let recalled = match node {
                Node::Previous(_) | Node::Since(..) => self.recall(residual.memory, part),
                _ => Formula::FALSE,
            };
            let before = open.len();
            let mut need = |f: Formula| {
                if !spelled.contains_key(&f.bare()) {
                    open.push(f.bare());
                }
            };
            self.formulas.for_each_part(node, &mut need);
            need(recalled);
            if open.len() > before {
                continue;
            }
            let value = self.rebuild(part, recalled, |f: Formula| changed(&spelled, f));
            spelled.insert(part, value);
            open.pop();
        }
        changed(&spelled, residual.formula)
    }

    /// Returns the atoms that the next step can depend on, and true if a value is kept at it.
    pub fn atoms_now(&mut self, residual: Residual) -> (Vec<Atom>, bool) {
        // Marks by number, so that nothing needs to be cleared between searches.
        self.looks += 1;
        self.looked_at.resize(self.formulas.len(), 0);
        let mut open = vec![residual.formula];
        // The values kept for past operators depend on the step too, wherever the operators stand.
        if self.formulas.has_past(residual.formula) {
            let past = self.past_parts(residual.formula);
            open.extend(past.into_iter().map(|past| remembered(&self.formulas, past)));
        }
        let (mut atoms, mut is_kept) = (Vec::new(), false);
        while let Some(part) = open.pop() {
            let look = std::mem::replace(&mut self.looked_at[part.index()], self.looks);
            if look == self.looks {
                continue;
            }
            match self.formulas.node(part) {
                // The operand of a next speaks of the step after this one.
                Node::True | Node::Next(_) => {}
                Node::Atom(atom) => atoms.push(atom),
                Node::Keep(_, f) => {
                    is_kept = true;
                    open.push(f);
                }
                Node::Previous(_) => open.push(self.recall(residual.memory, part.bare())),
                Node::Since(a, b) => open.extend([a, b, self.recall(residual.memory, part.bare())]),
                node @ (Node::And(_) | Node::Iff(..) | Node::Until(..) | Node::StrongRelease(..)) => {
                    self.formulas.for_each_part(node, |f| open.push(f));
                }
            }
        }
        (atoms, is_kept)
    }

    /// Returns `residual` with other atoms in place of those in `atoms`, but for those below a keep of the name `keep`.
    pub fn with_atoms(
        &mut self,
        residual: Residual,
        keep: Option<Keep>,
        atoms: &BTreeMap<Atom, Formula>,
    ) -> Residual {
        // No past operator has a kept name, so all of them stay as they are spelled.
        let mut memory = self.needed(residual.formula, residual.memory);
        memory.iter_mut().for_each(|(_, value)| *value = self.formulas.replaced(*value, keep, atoms));
        let formula = self.formulas.replaced(residual.formula, keep, atoms);
        self.settle(formula, memory)
    }

    /// Returns the bits of the names of `residual` that stand for a value of the step before.
    pub fn free(&self, residual: Residual) -> u32 {
        let memory = &self.memories[residual.memory.0 as usize];
        let of_memory = memory.iter().fold(0, |free, &(_, value)| free | self.formulas.free(value));
        self.formulas.free(residual.formula) | of_memory
    }

    /// Returns the atoms of `residual`.
    pub fn atoms(&self, residual: Residual) -> Vec<Atom> {
        let memory = &self.memories[residual.memory.0 as usize];
        let mut atoms = self.formulas.atoms(residual.formula);
        memory.iter().for_each(|&(_, value)| atoms.extend(self.formulas.atoms(value)));
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// Returns `residual` as a formula and a memory of `formulas`; the caller settles them there.
    pub fn moved(&self, residual: Residual, formulas: &mut Formulas) -> (Formula, Vec<(Formula, Formula)>) {
        let formula = formulas.import(&self.formulas, residual.formula);
        let memory = self.memories[residual.memory.0 as usize].iter().map(|&(past, value)| {
            (formulas.import(&self.formulas, past), formulas.import(&self.formulas, value))
        });
        (formula, memory.collect())
    }

    /// Returns `formula` with the part of `memory` that it needs.
    pub fn with_memory(&mut self, formula: Formula, memory: Memory) -> Residual {
        let memory = self.needed(formula, memory);
        self.settle(formula, memory)
    }

    /// Returns the past operators of `formula`, parts before wholes, each with its value in `memory`.
    pub fn needed(&self, formula: Formula, memory: Memory) -> Vec<(Formula, Formula)> {
        let kept = if self.formulas.has_past(formula) { self.past_parts(formula) } else { Vec::new() };
        kept.into_iter().map(|past| (past, self.recall(memory, past))).collect()
    }

    /// Computes `root` and all its parts. Uses a list of open formulas instead of recursion: a residual may be
    /// nested deeper than any stack.
    fn progress(&mut self, root: Formula, memory: Memory, labels: &Labels) -> Formula {
        self.open.push(root.bare());
        while let Some(&formula) = self.open.last() {
            if self.done(formula).is_some() {
                self.open.pop();
                continue;
            }
            let before = self.open.len();
            self.open_needs(formula, memory);
            if self.open.len() > before {
                continue;
            }
            let value = self.progress_node(formula, memory, labels);
            // Computing a value may have made new nodes.
            if self.done.len() <= formula.index() {
                self.done.resize(self.formulas.len(), (0, Formula::FALSE));
            }
            self.done[formula.index()] = (self.round, value);
            self.open.pop();
        }
        self.done(root).expect("worked out just now")
    }

    fn done(&self, formula: Formula) -> Option<Formula> {
        let &(round, value) = self.done.get(formula.index())?;
        (round == self.round).then(|| value.negated_if(formula.is_negated()))
    }

    /// Adds the parts of `formula` that are not computed yet to the list of open formulas.
    fn open_needs(&mut self, formula: Formula, memory: Memory) {
        match self.formulas.node(formula) {
            Node::True | Node::Atom(_) => {}
            Node::And(members) => {
                for at in 0..self.formulas.members(members).len() {
                    self.open_one(self.formulas.members(members)[at]);
                }
            }
            Node::Keep(_, f) => self.open_one(f),
            Node::Iff(a, b) => [a, b].into_iter().for_each(|f| self.open_one(f)),
            Node::Next(f) => self.open_past_at_top(f),
            Node::Until(bound, a, b) | Node::StrongRelease(bound, a, b) => {
                self.open_one(a);
                // The right side counts only from the start of the bound on.
                if bound.from == 0 {
                    self.open_one(b);
                }
                let later = self.formulas.later(formula);
                self.open_past_at_top(later);
            }
            Node::Previous(_) => self.open_one(self.recall(memory, formula)),
            Node::Since(a, b) => {
                [a, b, self.recall(memory, formula)].into_iter().for_each(|f| self.open_one(f));
            }
        }
    }

    fn open_one(&mut self, formula: Formula) {
        if self.done(formula).is_none() {
            self.open.push(formula.bare());
        }
    }

    fn open_past_at_top(&mut self, formula: Formula) {
        if !self.formulas.has_past(formula) {
            return;
        }
        match self.formulas.node(formula) {
            Node::True
            | Node::Atom(_)
            | Node::Keep(..)
            | Node::Next(_)
            | Node::Until(..)
            | Node::StrongRelease(..) => {}
            Node::And(members) => {
                for at in 0..self.formulas.members(members).len() {
                    self.open_past_at_top(self.formulas.members(members)[at]);
                }
            }
            Node::Iff(a, b) => [a, b].into_iter().for_each(|f| self.open_past_at_top(f)),
            Node::Previous(f) => self.open_one(f),
            Node::Since(a, b) => {
                [a, b].into_iter().for_each(|f| self.open_past_at_top(f));
                self.open_one(formula);
            }
        }
    }

    fn progress_node(&mut self, formula: Formula, memory: Memory, labels: &Labels) -> Formula {
        match self.formulas.node(formula) {
            Node::True => Formula::TRUE,
            Node::Atom(atom) => {
                if labels.contains(atom.0) {
                    Formula::TRUE
                } else {
                    Formula::FALSE
                }
            }
            Node::And(members) => {
                let values: Vec<Formula> =
                    self.formulas.members(members).iter().map(|&f| self.value(f)).collect();
                self.formulas.and(values)
            }
            Node::Iff(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.formulas.iff(a, b)
            }
            // Its atoms have been judged with the value of this step.
            Node::Keep(_, f) => self.value(f),
            Node::Next(f) => self.required_there(f),
            Node::Until(bound, a, b) => {
                // Before its range begins, the right side cannot satisfy it.
                let now = if bound.from == 0 { self.value(b) } else { Formula::FALSE };
                let later = self.formulas.later(formula);
                let later = self.required_there(later);
                let rest = self.formulas.and([self.value(a), later]);
                self.formulas.or([now, rest])
            }
            Node::StrongRelease(bound, a, b) => {
                // Before its range begins, the right side is not asked for.
                let now = if bound.from == 0 { self.value(b) } else { Formula::TRUE };
                let later = self.formulas.later(formula);
                let later = self.required_there(later);
                let rest = self.formulas.or([self.value(a), later]);
                self.formulas.and([now, rest])
            }
            Node::Previous(_) => self.value(self.recall(memory, formula)),
            Node::Since(a, b) => {
                let held = self.value(self.recall(memory, formula));
                let still = self.formulas.and([self.value(a), held]);
                self.formulas.or([self.value(b), still])
            }
        }
    }

    fn value(&self, formula: Formula) -> Formula {
        self.done(formula).expect("what is needed is worked out first")
    }

    /// Returns `formula` as a demand on the next step, which must exist.
    fn required_there(&mut self, formula: Formula) -> Formula {
        let keep =
            |progression: &Progression, past| progression.value(remembered(&progression.formulas, past));
        let there = self.seen_from_there(formula, &keep);
        self.formulas.at_a_step(there)
    }

    /// Returns `formula` as seen from the next step, where the values of its past operators are known. `keep`
    /// gives the value kept of a past operator from the step before.
    fn seen_from_there(
        &mut self,
        formula: Formula,
        keep: &impl Fn(&Progression, Formula) -> Formula,
    ) -> Formula {
        if !self.formulas.has_past(formula) {
            return formula;
        }
        let seen = match self.formulas.node(formula) {
            Node::True
            | Node::Atom(_)
            | Node::Keep(..)
            | Node::Next(_)
            | Node::Until(..)
            | Node::StrongRelease(..) => formula.bare(),
            Node::And(members) => {
                let members = self.formulas.members(members).to_vec();
                let members: Vec<Formula> =
                    members.into_iter().map(|f| self.seen_from_there(f, keep)).collect();
                self.formulas.and(members)
            }
            Node::Iff(a, b) => {
                let (a, b) = (self.seen_from_there(a, keep), self.seen_from_there(b, keep));
                self.formulas.iff(a, b)
            }
            Node::Previous(_) => keep(self, formula.bare()),
            Node::Since(a, b) => {
                let (left, right) = (self.seen_from_there(a, keep), self.seen_from_there(b, keep));
                let still = self.formulas.and([left, keep(self, formula.bare())]);
                self.formulas.or([right, still])
            }
        };
        seen.negated_if(formula.is_negated())
    }

    /// Stores `memory`, and replaces each `O f` that has become true by `true`: it stays true for ever.
    pub fn settle(&mut self, formula: Formula, memory: Vec<(Formula, Formula)>) -> Residual {
        let (mut formula, mut memory) = (formula, memory);
        loop {
            let settled: Vec<Formula> = memory
                .iter()
                .filter(|&&(past, value)| value == Formula::TRUE && is_once(&self.formulas, past))
                .map(|&(past, _)| past)
                .collect();
            if settled.is_empty() {
                break;
            }
            // Replacing one operator can make another true, so repeat until nothing changes.
            let before = (formula, memory.clone());
            formula = self.with_true(formula, &settled, &before.1);
            memory.iter_mut().for_each(|(_, value)| *value = self.with_true(*value, &settled, &before.1));
            let kept = self.past_parts(formula);
            memory.retain(|(past, _)| kept.contains(past));
            if (formula, &memory) == (before.0, &before.1) {
                break;
            }
        }
        Residual { formula, memory: self.remember(memory) }
    }

    /// Returns `formula` with each of `settled` replaced by `true`. Other past operators keep their spelling,
    /// to which their remembered values belong.
    ///
    /// An until with a side that became `true` may leave a past operator at the top. There, the operator's
    /// value at the next step in `memory` replaces it.
    fn with_true(&mut self, formula: Formula, settled: &[Formula], memory: &[(Formula, Formula)]) -> Formula {
        let keep = |_: &Progression, past| {
            // An operator without an entry recalls as false.
            memory.iter().find(|(of, _)| *of == past).map_or(Formula::FALSE, |&(_, value)| value)
        };
        let (mut inside, mut at_top) = (BTreeMap::new(), BTreeMap::new());
        for part in self.formulas.parts(formula) {
            let of_inside = |f: Formula| changed(&inside, f);
            let value = match self.formulas.node(part) {
                _ if settled.contains(&part) => Formula::TRUE,
                Node::Previous(_) | Node::Since(..) => part,
                Node::True
                | Node::Atom(_)
                | Node::And(_)
                | Node::Keep(..)
                | Node::Iff(..)
                | Node::Next(_)
                | Node::Until(..)
                | Node::StrongRelease(..) => self.rebuild(part, Formula::FALSE, of_inside),
            };
            inside.insert(part, value);
            let value = match self.formulas.node(part) {
                Node::And(_) | Node::Iff(..) => {
                    self.rebuild(part, Formula::FALSE, |f: Formula| changed(&at_top, f))
                }
                Node::Until(..) | Node::StrongRelease(..) => {
                    let there = self.seen_from_there(value, &keep);
                    self.formulas.at_a_step(there)
                }
                // What an ended trace did not satisfy, it does not satisfy now.
                Node::Keep(..) => self.formulas.at_a_step(value),
                Node::True | Node::Atom(_) | Node::Next(_) | Node::Previous(_) | Node::Since(..) => value,
            };
            at_top.insert(part, value);
        }
        changed(&at_top, formula)
    }

    /// Returns `part` rebuilt from other parts; `recalled` is the remembered value of a past operator.
    fn rebuild(&mut self, part: Formula, recalled: Formula, of: impl Fn(Formula) -> Formula) -> Formula {
        let formulas = &mut self.formulas;
        match formulas.node(part) {
            Node::True
            | Node::Atom(_)
            | Node::And(_)
            | Node::Keep(..)
            | Node::Iff(..)
            | Node::Next(_)
            | Node::Until(..)
            | Node::StrongRelease(..) => formulas.rebuilt(part, of),
            // The dual of `Y` is true at the first step, just where the remembered `true` counts.
            Node::Previous(f) if recalled == Formula::TRUE => !formulas.previous(!of(f)),
            Node::Previous(f) => {
                let before = formulas.previous(of(f));
                let remembered = at_the_first_step(formulas, recalled, &of);
                formulas.or([before, remembered])
            }
            Node::Since(a, b) => {
                let (a, b) = (of(a), of(b));
                let remembered = at_the_first_step(formulas, recalled, &of);
                let still = formulas.and([a, remembered]);
                let right = formulas.or([b, still]);
                formulas.since(a, right)
            }
        }
    }

    fn remember(&mut self, mut memory: Vec<(Formula, Formula)>) -> Memory {
        // An operator without an entry recalls as false: left out, equal memories have equal lists.
        memory.retain(|&(_, value)| value != Formula::FALSE);
        // `recall` searches by bisection.
        memory.sort_unstable();
        let memory = memory.into_boxed_slice();
        let hash = hash_of(&memory);
        if let Some(index) = self.unique_memories.find(hash, |index| self.memories[index as usize] == memory)
        {
            return Memory(index);
        }
        let index = self.memories.len() as u32;
        self.memories.push(memory);
        self.unique_memories.insert(hash, index);
        Memory(index)
    }
}

/// Returns true if `past` is `O f`, which stays true once it is true.
fn is_once(formulas: &Formulas, past: Formula) -> bool {
    matches!(formulas.node(past), Node::Since(Formula::TRUE, _))
}

/// Returns the formula whose value at this step a past operator needs at the next.
pub(super) fn remembered(formulas: &Formulas, past: Formula) -> Formula {
    match formulas.node(past) {
        Node::Previous(f) => f,
        Node::Since(..) => past,
        Node::True
        | Node::Atom(_)
        | Node::And(_)
        | Node::Keep(..)
        | Node::Iff(..)
        | Node::Next(_)
        | Node::Until(..)
        | Node::StrongRelease(..) => unreachable!("not a past operator"),
    }
}

/// Returns `recalled` as a demand on the first step alone.
fn at_the_first_step(formulas: &mut Formulas, recalled: Formula, of: impl Fn(Formula) -> Formula) -> Formula {
    if recalled == Formula::FALSE {
        return recalled;
    }
    let later = formulas.previous(Formula::TRUE);
    formulas.and([!later, of(recalled)])
}
