//! The formulas themselves: each kept once, in one normal form.
//!
//! [`Formulas`] stores the formulas and [`Formula`] is a handle to one of them, so two handles are equal
//! exactly if the formulas are spelled alike. [`super::Automaton`] computes what a formula still asks for after
//! a step.
//!
//! The normal form: constants and double negation are removed; `&` and `|` are sets, flattened, ordered by the
//! content of their members (not by the time they were made), without repeats, and constant if they hold a
//! formula and its negation. Nothing is absorbed, nothing is distributed. Two operators that are each other's
//! negation share a node: `a | b` is `!(!a & !b)`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use super::table::{Unique, hash_of};

/// A handle to a formula of one [`Formulas`].
///
/// The lowest bit is set if the node is negated, so `!` costs nothing and `!!f` is `f`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Formula(u32);

impl Formula {
    /// The formula that every trace satisfies.
    pub const TRUE: Formula = Formula(0);
    /// The formula that no trace satisfies.
    pub const FALSE: Formula = Formula(1);

    pub(super) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Returns true if the node is negated.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn negated_if(self, negate: bool) -> Formula {
        Formula(self.0 ^ u32::from(negate))
    }

    /// Returns the formula without its negation, if it has one.
    pub(super) fn bare(self) -> Formula {
        Formula(self.0 & !1)
    }
}

impl std::ops::Not for Formula {
    type Output = Formula;

    fn not(self) -> Formula {
        self.negated_if(true)
    }
}

/// An atom: the number of its name in [`Formulas::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom(pub u32);

/// A name that keeps a value from a step on: the number of its text in [`Formulas::keep_text`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Keep(pub u32);

/// Most names that the formulas of one store can keep.
pub const KEEPS_MAX: usize = 32;

/// The range of steps of a bounded operator, counted from the current one (0), both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bound {
    /// The first step that counts, or the time from which on steps count.
    pub from: u32,
    /// The last step or time that counts, [`Bound::NO_END`] if there is none.
    pub to: u32,
    /// Unit of both ends.
    pub unit: Unit,
}

/// Unit of a [`Bound`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Steps.
    Step,
    /// Milliseconds from the time of the current step.
    Time,
    /// Milliseconds from the time of the step before: the rest of a bound in time, in a residual.
    Rest,
}

impl Unit {
    /// Returns `number` of this unit as a spec names it: a time in seconds where they are whole, else in milliseconds.
    pub fn written(self, number: u32) -> String {
        match self {
            Unit::Step => number.to_string(),
            Unit::Time | Unit::Rest if number.is_multiple_of(1000) => format!("{}s", number / 1000),
            Unit::Time | Unit::Rest => format!("{number}ms"),
        }
    }
}

/// Quantum of a store that is made without one, see [`Formulas::with_quantum`].
pub const QUANTUM_MS: u32 = 100;

/// Times of a step and of the one after it, on the device's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Time of the step before.
    pub from_ms: u64,
    /// Time of the step after it.
    pub to_ms: u64,
}

impl Hash for Bound {
    // In one word: nodes are hashed at every step that is taken for the first time.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let ends = u64::from(self.from) << 32 | u64::from(self.to);
        state.write_u64(ends.rotate_left(self.unit as u32));
    }
}

impl Bound {
    /// The `to` of a bound without an end.
    pub const NO_END: u32 = u32::MAX;
    /// The range without a limit.
    pub const ANY: Bound = Bound::steps(0, Bound::NO_END);

    /// Returns a range of steps.
    pub const fn steps(from: u32, to: u32) -> Bound {
        Bound { from, to, unit: Unit::Step }
    }

    /// Returns the range of the steps at these milliseconds from the current one.
    pub const fn time(from_ms: u32, to_ms: u32) -> Bound {
        Bound { from: from_ms, to: to_ms, unit: Unit::Time }
    }

    /// Returns the bound as seen one step later; in time, before anybody knows how much later that is.
    pub(super) fn later(self) -> Bound {
        match self.unit {
            Unit::Step => {
                // A kept bound never ends at the current step (`until` sees to that), so `to` is at least 1 here.
                let to = if self.to == Bound::NO_END { self.to } else { self.to - 1 };
                Bound::steps(self.from.saturating_sub(1), to)
            }
            Unit::Time | Unit::Rest => Bound { unit: Unit::Rest, ..self },
        }
    }

    /// Returns the rest of a bound once `elapsed_ms` have passed since the step before; none if it has passed.
    fn waited(self, elapsed_ms: u32) -> Option<Bound> {
        let to = if self.to == Bound::NO_END { self.to } else { self.to.checked_sub(elapsed_ms)? };
        Some(Bound { from: self.from.saturating_sub(elapsed_ms), to, ..self })
    }

    /// Returns the bound, as a range of all steps if it leaves none out.
    fn plain(self) -> Bound {
        if (self.from, self.to) == (0, Bound::NO_END) { Bound::ANY } else { self }
    }

    /// Returns true if the current step is at the time 0 of the bound.
    fn counts_from_now(self) -> bool {
        self.unit != Unit::Rest
    }
}

/// The members of a conjunction: a range of the list that [`Formulas::members`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Members {
    start: u32,
    len: u32,
}

/// The operator of a formula and its parts; negations are in the handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Holds of every trace.
    True,
    /// Holds at a step that has this label.
    Atom(Atom),
    /// All of two or more formulas; negated, a disjunction.
    And(Members),
    /// The formula with a value of this step in place of the name, in its atoms. An ended trace does not satisfy it.
    Keep(Keep, Formula),
    /// Equivalence. Neither side is negated.
    Iff(Formula, Formula),
    /// The strong next: there is a next step, and it holds there. Negated, the weak next.
    Next(Formula),
    /// `left U right`; negated, the release of the negations. `true U true` is never simplified: in a residual
    /// it means that another step must come.
    Until(Bound, Formula, Formula),
    /// `left M right`: `right` holds up to and including a step with `left`. Negated, the weak
    /// until of the negations.
    StrongRelease(Bound, Formula, Formula),
    /// There is a step before this one, and the formula held there.
    Previous(Formula),
    /// `right` held now or before, and `left` ever since.
    Since(Formula, Formula),
}

/// A node, and the facts computed from its parts.
#[derive(Clone, Copy, Debug)]
struct Entry {
    node: Node,
    /// Number of atoms in the formula as printed; `u64::MAX` if they are too many to count.
    atoms: u64,
    /// Length of the longest path to a leaf.
    depth: u32,
    /// True if a trace that has ended satisfies it.
    at_end: bool,
    has_past: bool,
    /// True if some operator has a bound in time.
    has_time: bool,
    /// True if time changes it before the next step.
    waits: bool,
    /// True if some part keeps a value.
    has_keep: bool,
    /// Bits of the names that its atoms have and that are kept outside of it.
    free: u32,
}

/// A store of formulas, each kept once.
///
/// ```
/// use farlead::ltl::{Bound, Formulas};
///
/// let mut ltl = Formulas::new();
/// let (main, about) = (ltl.atom("main"), ltl.atom("about"));
/// let until = ltl.until(Bound::ANY, main, about);
/// let next = ltl.next(until);
/// assert_eq!(ltl.display(next).to_string(), "X (main U about)");
/// assert_eq!(ltl.and([main, !main, about]), farlead::ltl::Formula::FALSE);
/// ```
#[derive(Clone, Debug)]
pub struct Formulas {
    entries: Vec<Entry>,
    members: Vec<Formula>,
    unique: Unique,
    names: Vec<Box<str>>,
    keeps: Vec<Box<str>>,
    quantum_ms: u32,
}

impl Default for Formulas {
    fn default() -> Formulas {
        Formulas::new()
    }
}

impl Formulas {
    /// Returns a store that holds only the constants, with times floored to [`QUANTUM_MS`].
    pub fn new() -> Formulas {
        Formulas::with_quantum(QUANTUM_MS)
    }

    /// Returns a store that holds only the constants. Times of steps are floored to a multiple of `quantum_ms`, so that a
    /// bound in time has finitely many residuals.
    ///
    /// # Panics
    ///
    /// Panics if the quantum is 0.
    pub fn with_quantum(quantum_ms: u32) -> Formulas {
        assert!(quantum_ms > 0, "a quantum has a length");
        let top = Entry {
            node: Node::True,
            atoms: 0,
            depth: 0,
            at_end: true,
            has_past: false,
            has_time: false,
            waits: false,
            has_keep: false,
            free: 0,
        };
        let mut formulas = Formulas {
            entries: vec![top],
            members: Vec::new(),
            unique: Unique::default(),
            names: Vec::new(),
            keeps: Vec::new(),
            quantum_ms,
        };
        formulas.unique.insert(hash_of(&Node::True), 0);
        formulas
    }

    /// Returns the multiple to which times of steps are floored.
    pub fn quantum_ms(&self) -> u32 {
        self.quantum_ms
    }

    /// Returns the time from one step to the next, both times floored to the quantum.
    ///
    /// ```
    /// use farlead::ltl::{Formulas, Interval};
    ///
    /// let interval = Interval { from_ms: 190, to_ms: 420 };
    /// assert_eq!(Formulas::new().elapsed_ms(interval), 300);
    /// assert_eq!(Formulas::with_quantum(50).elapsed_ms(interval), 250);
    /// ```
    pub fn elapsed_ms(&self, interval: Interval) -> u32 {
        let quanta = |ms: u64| ms / u64::from(self.quantum_ms);
        let elapsed = quanta(interval.to_ms).saturating_sub(quanta(interval.from_ms));
        // The most that there is goes beyond any bound.
        let most = u32::MAX / self.quantum_ms;
        u32::try_from(elapsed).map_or(most, |elapsed| elapsed.min(most)) * self.quantum_ms
    }

    /// Returns the formula that holds at a step labelled `name`.
    pub fn atom(&mut self, name: &str) -> Formula {
        self.atom_with(name, 0)
    }

    /// Returns the formula that holds at a step labelled `name`, a name with kept ones in it: those of these texts.
    pub fn atom_of_kept(&mut self, name: &str, texts: &[&str]) -> Formula {
        let free = texts.iter().fold(0, |free, text| free | 1 << self.keep_of(text).0);
        self.atom_with(name, free)
    }

    pub(super) fn atom_with(&mut self, name: &str, free: u32) -> Formula {
        let known = self.unique.find(
            hash_of(name),
            |index| matches!(self.entries[index as usize].node, Node::Atom(atom) if self.name(atom) == name),
        );
        if let Some(index) = known {
            return Formula(index << 1);
        }
        let atom = Atom(self.names.len() as u32);
        self.names.push(name.into());
        let formula = self.push(hash_of(name), Node::Atom(atom));
        self.entries[formula.index()].free = free;
        formula
    }

    /// Returns `f` with a value of the step in place of a kept name. `text` names it and the term of its value; it is
    /// the same for two keeps exactly if both are.
    ///
    /// # Panics
    ///
    /// Panics if the store has [`KEEPS_MAX`] other texts.
    pub fn keep(&mut self, text: &str, f: Formula) -> Formula {
        let keep = self.keep_of(text);
        self.kept(keep, f)
    }

    pub(super) fn kept(&mut self, keep: Keep, f: Formula) -> Formula {
        if f.bare() == Formula::TRUE {
            return f;
        }
        // Like any other node that speaks of a step, it does not hold of an ended trace.
        let negate = self.at_end(f);
        self.intern(Node::Keep(keep, f.negated_if(negate))).negated_if(negate)
    }

    fn keep_of(&mut self, text: &str) -> Keep {
        let at = self.keeps.iter().position(|known| **known == *text).unwrap_or_else(|| {
            assert!(self.keeps.len() < KEEPS_MAX, "at most {KEEPS_MAX} names are kept");
            self.keeps.push(text.into());
            self.keeps.len() - 1
        });
        Keep(at as u32)
    }

    /// Returns the text of a kept name.
    pub fn keep_text(&self, keep: Keep) -> &str {
        &self.keeps[keep.0 as usize]
    }

    /// Returns all kept names, by their numbers.
    pub(super) fn keeps(&self) -> &[Box<str>] {
        &self.keeps
    }

    /// Returns the conjunction of `all`.
    pub fn and(&mut self, all: impl IntoIterator<Item = Formula>) -> Formula {
        let mut members = Vec::new();
        for formula in all {
            if formula == Formula::FALSE {
                return Formula::FALSE;
            }
            if formula == Formula::TRUE {
                continue;
            }
            match self.node(formula) {
                Node::And(inner) if !formula.is_negated() => members.extend_from_slice(self.members(inner)),
                _ => members.push(formula),
            }
        }
        members.sort_unstable_by(|&a, &b| self.compare(a, b));
        members.dedup();
        // A formula sorts next to its negation, so comparing neighbours finds every such pair.
        if members.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Formula::FALSE;
        }
        self.drop_needless_more(&mut members);
        match members[..] {
            [] => Formula::TRUE,
            [one] => one,
            [_, _, ..] => self.conjunction(&members),
        }
    }

    /// Returns the disjunction of `any`.
    pub fn or(&mut self, any: impl IntoIterator<Item = Formula>) -> Formula {
        !self.and(any.into_iter().map(|formula| !formula))
    }

    /// Returns `a -> b`, which is `!a | b`.
    pub fn implies(&mut self, a: Formula, b: Formula) -> Formula {
        self.or([!a, b])
    }

    /// Returns `a <-> b`.
    pub fn iff(&mut self, a: Formula, b: Formula) -> Formula {
        // `!a <-> b` is `!(a <-> b)`: with the negation outside, both share a node.
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (a.bare(), b.bare());
        let both = match self.compare(a, b) {
            Ordering::Equal => Formula::TRUE,
            _ if a == Formula::TRUE => b,
            _ if b == Formula::TRUE => a,
            Ordering::Less => self.intern(Node::Iff(a, b)),
            Ordering::Greater => self.intern(Node::Iff(b, a)),
        };
        both.negated_if(negate)
    }

    /// Returns `X f`: there is a next step, and `f` holds there.
    pub fn next(&mut self, f: Formula) -> Formula {
        // `X true` stays, because it asks for another step.
        if f == Formula::FALSE { f } else { self.intern(Node::Next(f)) }
    }

    /// Returns `N f`: if there is a next step, `f` holds there.
    pub fn weak_next(&mut self, f: Formula) -> Formula {
        !self.next(!f)
    }

    /// Returns `left U right`: `right` holds at a step within `bound`, and `left` until then.
    pub fn until(&mut self, bound: Bound, left: Formula, right: Formula) -> Formula {
        let bound = bound.plain();
        // What is left of a bound in time says nothing of the next step before its time is known.
        let is_here = bound.counts_from_now();
        let starts_now = bound.from == 0;
        let ends_now = bound.to == 0 && bound.unit == Unit::Step;
        // Before its range begins, an until still asks for `left`.
        if bound.to < bound.from
            || right == Formula::FALSE
            || (left == Formula::FALSE && !starts_now && is_here)
        {
            Formula::FALSE
        } else if starts_now && is_here && (left == Formula::FALSE || ends_now) {
            self.at_a_step(right)
        // Not `true`: an ended trace has no step left at which `right` could hold.
        } else if starts_now && is_here && right == Formula::TRUE {
            self.more()
        } else {
            self.intern(Node::Until(bound, left, right))
        }
    }

    /// Returns `left R right`: `right` holds up to and including a step with `left`, or to the end.
    pub fn release(&mut self, bound: Bound, left: Formula, right: Formula) -> Formula {
        !self.until(bound, !left, !right)
    }

    /// Returns `left M right`: like the release, and the step with `left` must come.
    pub fn strong_release(&mut self, bound: Bound, left: Formula, right: Formula) -> Formula {
        let bound = bound.plain();
        let is_here = bound.counts_from_now();
        let starts_now = bound.from == 0;
        if left == Formula::FALSE || (right == Formula::FALSE && starts_now) {
            Formula::FALSE
        } else if right == Formula::TRUE {
            // Then only the step with `left` is asked for.
            self.eventually(Bound { from: 0, ..bound }, left)
        } else if starts_now && is_here && left == Formula::TRUE {
            self.at_a_step(right)
        } else if left == Formula::TRUE && is_here {
            self.more()
        } else if bound.to == 0 && bound.unit == Unit::Step {
            let both = self.and([left, right]);
            self.at_a_step(both)
        } else {
            self.intern(Node::StrongRelease(bound, left, right))
        }
    }

    /// Returns `left W right`: like the until, or `left` holds as long as the bound or the trace lasts.
    pub fn weak_until(&mut self, bound: Bound, left: Formula, right: Formula) -> Formula {
        !self.strong_release(bound, !left, !right)
    }

    /// Returns `F f`: `f` holds at a step within `bound`.
    pub fn eventually(&mut self, bound: Bound, f: Formula) -> Formula {
        self.until(bound, Formula::TRUE, f)
    }

    /// Returns `G f`: `f` holds at every step within `bound` that the trace has.
    pub fn always(&mut self, bound: Bound, f: Formula) -> Formula {
        !self.eventually(bound, !f)
    }

    /// Returns `Y f`: there is a step before, and `f` held there.
    pub fn previous(&mut self, f: Formula) -> Formula {
        // `Y true` stays, because it does not hold at the first step.
        if f == Formula::FALSE { f } else { self.intern(Node::Previous(f)) }
    }

    /// Returns `left S right`: `right` held now or before, and `left` at every step since.
    pub fn since(&mut self, left: Formula, right: Formula) -> Formula {
        // With `left` false, only a `right` at this very step counts.
        if right == Formula::FALSE || right == Formula::TRUE || left == Formula::FALSE {
            right
        } else {
            self.intern(Node::Since(left, right))
        }
    }

    /// Returns `O f`: `f` held now or before.
    pub fn once(&mut self, f: Formula) -> Formula {
        self.since(Formula::TRUE, f)
    }

    /// Returns `H f`: `f` holds now and held at every step before.
    pub fn historically(&mut self, f: Formula) -> Formula {
        !self.once(!f)
    }

    /// Returns the operator and parts of `formula`, without its negation.
    pub fn node(&self, formula: Formula) -> Node {
        self.entries[formula.index()].node
    }

    /// Returns the members of a conjunction, in their order.
    pub fn members(&self, members: Members) -> &[Formula] {
        &self.members[members.start as usize..][..members.len as usize]
    }

    /// Returns the name of `atom`.
    pub fn name(&self, atom: Atom) -> &str {
        &self.names[atom.0 as usize]
    }

    /// Returns the formula that is just `atom`.
    pub(super) fn known_atom(&self, atom: Atom) -> Formula {
        let known = self
            .unique
            .find(hash_of(self.name(atom)), |index| self.entries[index as usize].node == Node::Atom(atom));
        Formula(known.expect("an atom of this place") << 1)
    }

    /// Returns the atom that `formula` is.
    pub(super) fn atom_of(&self, formula: Formula) -> Atom {
        let Node::Atom(atom) = self.node(formula) else { unreachable!("the formula is an atom") };
        atom
    }

    /// Returns the number of names; atoms are numbered below it.
    pub(super) fn names_len(&self) -> usize {
        self.names.len()
    }

    /// Returns N, the number of atoms in `formula` as printed; `u64::MAX` if there are more.
    pub fn atom_count(&self, formula: Formula) -> u64 {
        self.entries[formula.index()].atoms
    }

    /// Returns true if a trace that has ended satisfies `formula`.
    pub(super) fn at_end(&self, formula: Formula) -> bool {
        self.entries[formula.index()].at_end != formula.is_negated()
    }

    pub(super) fn has_past(&self, formula: Formula) -> bool {
        self.entries[formula.index()].has_past
    }

    /// Returns true if some operator of `formula` has a bound in time.
    pub fn has_time(&self, formula: Formula) -> bool {
        self.entries[formula.index()].has_time
    }

    /// Returns true if time changes `formula` before the next step: it has a rest of a bound in time.
    pub(super) fn waits(&self, formula: Formula) -> bool {
        self.entries[formula.index()].waits
    }

    /// Returns the times that the bounds of `formula` name, in milliseconds.
    pub fn times_ms(&self, formula: Formula) -> Vec<u32> {
        if !self.has_time(formula) {
            return Vec::new();
        }
        let ends = self.parts(formula).into_iter().flat_map(|part| match self.node(part) {
            Node::Until(bound, ..) | Node::StrongRelease(bound, ..) if bound.unit != Unit::Step => {
                vec![bound.from, bound.to]
            }
            _ => Vec::new(),
        });
        ends.filter(|&end| end != Bound::NO_END).collect()
    }

    /// Returns an until or its kin with the rest of a bound in time, `elapsed_ms` later and before the next step.
    pub(super) fn waited(&mut self, node: Node, elapsed_ms: u32) -> Formula {
        self.rebound(node, |bound| bound.waited(elapsed_ms))
    }

    /// Returns true if some part of `formula` keeps a value.
    pub fn has_keep(&self, formula: Formula) -> bool {
        self.entries[formula.index()].has_keep
    }

    /// Returns true if `formula` has a kept name that it does not keep itself.
    pub fn names_kept(&self, formula: Formula) -> bool {
        self.free(formula) != 0
    }

    /// Returns the bits of the names that `formula` has and does not keep itself.
    pub(super) fn free(&self, formula: Formula) -> u32 {
        self.entries[formula.index()].free
    }

    pub(super) fn depth(&self, formula: Formula) -> u32 {
        self.entries[formula.index()].depth
    }

    /// Returns the number of nodes kept.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Calls `visit` with each direct part of a node.
    pub(super) fn for_each_part(&self, node: Node, mut visit: impl FnMut(Formula)) {
        match node {
            Node::True | Node::Atom(_) => {}
            Node::And(members) => self.members(members).iter().copied().for_each(visit),
            Node::Next(f) | Node::Previous(f) | Node::Keep(_, f) => visit(f),
            Node::Iff(a, b) | Node::Until(_, a, b) | Node::StrongRelease(_, a, b) | Node::Since(a, b) => {
                visit(a);
                visit(b);
            }
        }
    }

    /// Returns `formula` and all formulas below it, parts before wholes, without their negations.
    pub fn parts(&self, formula: Formula) -> Vec<Formula> {
        let mut seen = BTreeSet::from([formula.bare()]);
        let mut open = vec![formula.bare()];
        while let Some(next) = open.pop() {
            self.for_each_part(self.node(next), |part| {
                if seen.insert(part.bare()) {
                    open.push(part.bare());
                }
            });
        }
        // A node is made after its parts, so ascending handles give parts before wholes.
        seen.into_iter().collect()
    }

    /// Returns the atoms of `formula`, in the order of their names.
    pub fn atoms(&self, formula: Formula) -> Vec<Atom> {
        let mut atoms: Vec<Atom> = self
            .parts(formula)
            .into_iter()
            .filter_map(|part| if let Node::Atom(atom) = self.node(part) { Some(atom) } else { None })
            .collect();
        // Numbers depend on the order in which atoms were made, names do not.
        atoms.sort_by(|&a, &b| self.name(a).cmp(self.name(b)));
        atoms
    }

    /// Returns `formula` of `other` as a formula of this store.
    pub fn import(&mut self, other: &Formulas, formula: Formula) -> Formula {
        let parts = other.parts(formula);
        let mut mine: Vec<Formula> = Vec::with_capacity(parts.len());
        for &part in &parts {
            let of = |f: Formula| -> Formula {
                // Parts come before wholes, so the parts of this node are built already, and they are in order.
                let at = parts.binary_search(&f.bare()).expect("a part is among the parts");
                mine[at].negated_if(f.is_negated())
            };
            let built = match other.node(part) {
                Node::Atom(atom) => self.import_atom(other, atom),
                Node::Keep(keep, f) => self.keep(other.keep_text(keep), of(f)),
                Node::And(members) => {
                    let members: Vec<Formula> = other.members(members).iter().map(|&f| of(f)).collect();
                    self.and(members)
                }
                node @ (Node::True
                | Node::Iff(..)
                | Node::Next(_)
                | Node::Until(..)
                | Node::StrongRelease(..)
                | Node::Previous(_)
                | Node::Since(..)) => self.built(node, of),
            };
            mine.push(built);
        }
        mine.last().expect("a formula is a part of itself").negated_if(formula.is_negated())
    }

    /// Returns the atom of `other` as one of this store.
    pub(super) fn import_atom(&mut self, other: &Formulas, atom: Atom) -> Formula {
        let keeps =
            bits(other.free(other.known_atom(atom))).map(|at| self.keep_of(other.keep_text(Keep(at))));
        let free = keeps.fold(0, |free, keep| free | 1 << keep.0);
        self.atom_with(other.name(atom), free)
    }

    /// Returns `part` rebuilt from other parts, without its negation.
    pub(super) fn rebuilt(&mut self, part: Formula, of: impl Fn(Formula) -> Formula) -> Formula {
        if let Node::Atom(_) = self.node(part) { part.bare() } else { self.built(self.node(part), of) }
    }

    /// Returns the formula of `node`, whose members are in this store, with other parts.
    fn built(&mut self, node: Node, of: impl Fn(Formula) -> Formula) -> Formula {
        match node {
            Node::True => Formula::TRUE,
            Node::Atom(_) => unreachable!("an atom has no parts"),
            Node::And(members) => {
                let members: Vec<Formula> = self.members(members).iter().map(|&f| of(f)).collect();
                self.and(members)
            }
            Node::Keep(keep, f) => self.kept(keep, of(f)),
            Node::Iff(a, b) => self.iff(of(a), of(b)),
            Node::Next(f) => self.next(of(f)),
            Node::Until(bound, a, b) => self.until(bound, of(a), of(b)),
            Node::StrongRelease(bound, a, b) => self.strong_release(bound, of(a), of(b)),
            Node::Previous(f) => self.previous(of(f)),
            Node::Since(a, b) => self.since(of(a), of(b)),
        }
    }

    /// Returns `formula` with other atoms in place of those in `atoms`, but for those below a keep of the name `keep`, and
    /// for those of past operators: no kept name stands in them.
    pub(super) fn replaced(
        &mut self,
        formula: Formula,
        keep: Option<Keep>,
        atoms: &BTreeMap<Atom, Formula>,
    ) -> Formula {
        self.mapped(formula, |formulas, part, of| {
            let is_bound = keep.is_some_and(|keep| formulas.free(part) >> keep.0 & 1 == 0);
            match formulas.node(part) {
                _ if is_bound => part,
                Node::Atom(atom) => atoms.get(&atom).copied().unwrap_or(part),
                Node::Previous(_) | Node::Since(..) => part,
                Node::True
                | Node::And(_)
                | Node::Keep(..)
                | Node::Iff(..)
                | Node::Next(_)
                | Node::Until(..)
                | Node::StrongRelease(..) => formulas.rebuilt(part, of),
            }
        })
    }

    /// Returns `formula` with what `with` makes of each part, without its negation, in its place; it is given what was made of
    /// the parts within.
    pub(super) fn mapped(
        &mut self,
        formula: Formula,
        mut with: impl FnMut(&mut Formulas, Formula, &dyn Fn(Formula) -> Formula) -> Formula,
    ) -> Formula {
        let mut all = BTreeMap::new();
        for part in self.parts(formula) {
            let value = with(self, part, &|within| changed(&all, within));
            all.insert(part, value);
        }
        changed(&all, formula)
    }

    /// Returns true for a strong release, the bound, and both sides of an until or a strong release; none for any other formula.
    pub(super) fn bounded(&self, formula: Formula) -> Option<(bool, Bound, Formula, Formula)> {
        match self.node(formula) {
            Node::Until(bound, a, b) => Some((false, bound, a, b)),
            Node::StrongRelease(bound, a, b) => Some((true, bound, a, b)),
            Node::True
            | Node::Atom(_)
            | Node::And(_)
            | Node::Keep(..)
            | Node::Iff(..)
            | Node::Next(_)
            | Node::Previous(_)
            | Node::Since(..) => None,
        }
    }

    /// Compares two formulas by content, so the order is the same in every store.
    pub fn compare(&self, a: Formula, b: Formula) -> Ordering {
        let (mut a, mut b) = (a, b);
        // A loop, because formulas may nest deeper than any stack.
        loop {
            // Negations count last, so a formula sorts next to its own negation.
            if a.bare() == b.bare() {
                return a.is_negated().cmp(&b.is_negated());
            }
            let (left, right) = (self.node(a), self.node(b));
            let by_kind = kind(left).cmp(&kind(right));
            if by_kind != Ordering::Equal {
                return by_kind;
            }
            // Each formula is kept once: parts with different handles differ, so following one pair of them
            // decides.
            let decided = match (left, right) {
                (Node::Atom(x), Node::Atom(y)) => Err(self.name(x).cmp(self.name(y))),
                (Node::And(x), Node::And(y)) => {
                    let (x, y) = (self.members(x), self.members(y));
                    first_difference(x.iter().zip(y)).ok_or(x.len().cmp(&y.len()))
                }
                (Node::Keep(m, x), Node::Keep(n, y)) => {
                    if x == y {
                        Err(self.keep_text(m).cmp(self.keep_text(n)))
                    } else {
                        Ok((x, y))
                    }
                }
                (Node::Next(x), Node::Next(y)) | (Node::Previous(x), Node::Previous(y)) => Ok((x, y)),
                (Node::Iff(x, v), Node::Iff(y, w)) | (Node::Since(x, v), Node::Since(y, w)) => {
                    Ok(if x == y { (v, w) } else { (x, y) })
                }
                (Node::Until(m, x, v), Node::Until(n, y, w))
                | (Node::StrongRelease(m, x, v), Node::StrongRelease(n, y, w)) => {
                    if (x, v) == (y, w) {
                        Err(m.cmp(&n))
                    } else {
                        Ok(if x == y { (v, w) } else { (x, y) })
                    }
                }
                _ => unreachable!("nodes of one kind"),
            };
            match decided {
                Ok((x, y)) => (a, b) = (x, y),
                Err(ordering) => return ordering,
            }
        }
    }

    /// Returns `true U true`: another step comes.
    pub(super) fn more(&mut self) -> Formula {
        self.intern(Node::Until(Bound::ANY, Formula::TRUE, Formula::TRUE))
    }

    /// Returns `f` for a step that must exist.
    pub(super) fn at_a_step(&mut self, f: Formula) -> Formula {
        if self.at_end(f) {
            let more = self.more();
            self.and([f, more])
        } else {
            f
        }
    }

    /// Returns an until or its kin as seen one step later; at the end of its bound, only what it asks for
    /// there.
    pub(super) fn later(&mut self, until: Formula) -> Formula {
        let node = self.node(until);
        // Most have no bound, and stay as they are.
        if let Node::Until(bound, ..) | Node::StrongRelease(bound, ..) = node
            && bound.later() == bound
        {
            return until.bare();
        }
        self.rebound(node, |bound| Some(bound.later()))
    }

    /// Returns an until or its kin with another bound; false if there is none.
    fn rebound(&mut self, node: Node, change: impl FnOnce(Bound) -> Option<Bound>) -> Formula {
        match node {
            Node::Until(bound, a, b) => change(bound).map_or(Formula::FALSE, |bound| self.until(bound, a, b)),
            Node::StrongRelease(bound, a, b) => {
                change(bound).map_or(Formula::FALSE, |bound| self.strong_release(bound, a, b))
            }
            Node::True
            | Node::Atom(_)
            | Node::And(_)
            | Node::Keep(..)
            | Node::Iff(..)
            | Node::Next(_)
            | Node::Previous(_)
            | Node::Since(..) => unreachable!("not an until"),
        }
    }

    /// Returns true if every trace that violates `formula` violates it for good, as its operators show: none of them asks for
    /// a step to come.
    pub(super) fn is_safe(&self, formula: Formula) -> bool {
        let mut seen = BTreeSet::from([formula]);
        let mut open = vec![formula];
        while let Some(formula) = open.pop() {
            let negate = formula.is_negated();
            let mut see = |part: Formula| {
                if seen.insert(part) {
                    open.push(part);
                }
            };
            match self.node(formula) {
                Node::True | Node::Atom(_) => {}
                Node::Next(_) | Node::Until(..) | Node::StrongRelease(..) if !negate => return false,
                node @ (Node::And(_)
                | Node::Keep(..)
                | Node::Next(_)
                | Node::Until(..)
                | Node::StrongRelease(..)) => {
                    self.for_each_part(node, |part| see(part.negated_if(negate)));
                }
                // Both values of a part count, and in the past only what the steps so far decide.
                node @ (Node::Iff(..) | Node::Previous(_) | Node::Since(..)) => {
                    self.for_each_part(node, |part| {
                        see(part);
                        see(!part);
                    });
                }
            }
        }
        true
    }

    /// Removes `true U true` from a conjunction that implies it: a member that is false at the end of the trace
    /// already demands another step. If no other step may come, only the value at the end is left.
    fn drop_needless_more(&mut self, members: &mut Vec<Formula>) {
        let is_more =
            |formula: Formula| self.node(formula) == Node::Until(Bound::ANY, Formula::TRUE, Formula::TRUE);
        let Some(at) = members.iter().position(|&member| is_more(member)) else { return };
        let more = members.remove(at);
        let holds_at_end = members.iter().all(|&member| self.at_end(member));
        if more.is_negated() {
            *members = if holds_at_end { vec![more] } else { vec![Formula::FALSE] };
        } else if holds_at_end {
            // Back at its place, so that the members stay in order.
            members.insert(at, more);
        }
    }

    fn conjunction(&mut self, members: &[Formula]) -> Formula {
        // Members have no place in the store yet, so their content is hashed.
        let hash = hash_of(members);
        let known = self.unique.find(
            hash,
            |index| matches!(self.entries[index as usize].node, Node::And(kept) if self.members(kept) == members),
        );
        if let Some(index) = known {
            return Formula(index << 1);
        }
        let start = self.members.len() as u32;
        self.members.extend_from_slice(members);
        self.push(hash, Node::And(Members { start, len: members.len() as u32 }))
    }

    fn intern(&mut self, node: Node) -> Formula {
        let hash = hash_of(&node);
        match self.unique.find(hash, |index| self.entries[index as usize].node == node) {
            Some(index) => Formula(index << 1),
            None => self.push(hash, node),
        }
    }

    fn push(&mut self, hash: u64, node: Node) -> Formula {
        let index = self.entries.len() as u32;
        let (mut atoms, mut depth, mut has_past) = (0u64, 0, false);
        let (mut has_time, mut waits) = (false, false);
        let (mut has_keep, mut free) = (false, 0);
        self.for_each_part(node, |part| {
            let part = &self.entries[part.index()];
            atoms = atoms.saturating_add(part.atoms);
            depth = depth.max(part.depth + 1);
            has_past |= part.has_past;
            has_time |= part.has_time;
            waits |= part.waits;
            has_keep |= part.has_keep;
            free |= part.free;
        });
        match node {
            Node::Until(bound, ..) | Node::StrongRelease(bound, ..) => {
                has_time |= bound.unit != Unit::Step;
                waits = bound.unit == Unit::Rest;
            }
            Node::Keep(keep, _) => {
                (has_keep, free, waits) = (true, free & !(1 << keep.0), false);
            }
            // A set changes with its members; what speaks of other steps does not.
            Node::And(_) | Node::Iff(..) => {}
            Node::True | Node::Atom(_) | Node::Next(_) | Node::Previous(_) | Node::Since(..) => waits = false,
        }
        // An ended trace satisfies no node that needs a step; it may satisfy the node's negation.
        let at_end = match node {
            Node::True => true,
            Node::And(members) => self.members(members).iter().all(|&member| self.at_end(member)),
            Node::Iff(a, b) => self.at_end(a) == self.at_end(b),
            Node::Atom(_)
            | Node::Keep(..)
            | Node::Next(_)
            | Node::Until(..)
            | Node::StrongRelease(..)
            | Node::Previous(_)
            | Node::Since(..) => false,
        };
        atoms += u64::from(matches!(node, Node::Atom(_)));
        has_past |= matches!(node, Node::Previous(_) | Node::Since(..));
        self.entries.push(Entry { node, atoms, depth, at_end, has_past, has_time, waits, has_keep, free });
        self.unique.insert(hash, index);
        Formula(index << 1)
    }
}

/// Returns the rank of a node's kind in a set: operators about the present sort before those about later steps.
fn kind(node: Node) -> u8 {
    match node {
        Node::True => 0,
        Node::Atom(_) => 1,
        Node::Previous(_) => 2,
        Node::Since(..) => 3,
        Node::Iff(..) => 4,
        Node::And(_) => 5,
        Node::Keep(..) => 6,
        Node::Next(_) => 7,
        Node::Until(..) => 8,
        Node::StrongRelease(..) => 9,
    }
}

/// Iterates over the places of the bits of `set`.
pub(super) fn bits(set: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS).filter(move |at| set >> at & 1 == 1)
}

fn first_difference<'a>(
    mut pairs: impl Iterator<Item = (&'a Formula, &'a Formula)>,
) -> Option<(Formula, Formula)> {
    pairs.find(|(x, y)| x != y).map(|(&x, &y)| (x, y))
}

/// Returns the formula that replaced `formula`.
pub(super) fn changed(all: &BTreeMap<Formula, Formula>, formula: Formula) -> Formula {
    all[&formula.bare()].negated_if(formula.is_negated())
}
