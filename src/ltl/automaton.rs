//! The residuals of one formula as the states of an automaton, built only as far as steps ask for it.
//!
//! A step taken before costs one look-up. No answer depends on earlier questions: states are numbered in the
//! order in which they are met, and nothing is decided by that number.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use super::formula::{Atom, Formula, Formulas, Interval, Keep, bits};
use super::keep::{Instances, Kept};
use super::labels::Labels;
use super::meaning::{Class, Meaning, Permanent};
use super::progress::{Memory, Progression, Residual};
use super::table::{Multiply, Unique, hash_of};

/// Most atoms of a formula with a full row of followers for each state: a row has 1 KB.
const ATOMS_IN_A_ROW: u32 = 8;

/// Most atoms of a formula with a row of blocks for each state; a row has at most 1 KB, and so has a block.
const ATOMS_IN_BLOCKS: u32 = 16;

/// Labels that choose the entry of a table, and those of a block.
const TABLE_BITS: u32 = 8;
const TABLE_LEN: usize = 1 << TABLE_BITS;

/// States whose followers are kept by label set as well, and bits of a word that each of them has.
const STATES_IN_A_WORD: u32 = 8;
const FOLLOWER_BITS: u32 = 4;
const FOLLOWERS_MAX: u32 = (1 << FOLLOWER_BITS) - 1;

/// Steps by blocks for each label set until followers are kept by label set: that takes at most 256 KB, too much for a short run.
/// By then blocks with equal followers are one as a rule.
const STEPS_BY_BLOCKS: u32 = 8;

/// Most different blocks of a state that stay in the first cache, and most atoms of a formula whose followers by label set do.
const BLOCKS_IN_CACHE: usize = 32;
const ATOMS_IN_CACHE: u32 = 12;

/// Block without a known follower.
const NO_BLOCK: u32 = 0;

/// Most atoms that a step from a state can depend on for it to have tables; with more, most of their entries stay empty.
const ATOMS_IN_TABLES: u32 = 20;

/// Most entries of all tables of followers of larger formulas: 64 MB.
const TABLE_ENTRIES_MAX: usize = 1 << 24;

const UNKNOWN: u32 = u32::MAX;

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

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A question was given up: more residuals can be reached than the limit, see [`super::RESIDUALS_MAX`], or it takes too much
/// work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyResiduals;

impl fmt::Display for TooManyResiduals {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "more than {} residuals can be reached, or they take too much work", super::RESIDUALS_MAX)
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
    pub(super) progression: Progression,
    pub(super) meaning: Meaning,
    /// Cost of all questions before the meaning was last started anew.
    pub(super) work_before: u64,
    pub(super) formula: Formula,
    pub(super) atoms: u32,
    lookup: Lookup,
    /// True if the formula has a bound in time.
    pub(super) has_time: bool,
    /// Values in place of kept names; none if the formula keeps none.
    pub(super) kept: Option<Box<Kept>>,
    /// Longest time that makes a difference.
    longest_ms: u32,
    /// Residuals once some time has passed.
    waits: HashMap<(ResidualId, u32), ResidualId, Multiply>,
    numbers: HashMap<Box<str>, u32, Multiply>,
    pub(super) states: Vec<StateEntry>,
    /// By state: the answers needed after every step.
    pub(super) verdicts: Vec<Verdict>,
    /// By state: the number of its atoms.
    atom_counts: Vec<u64>,
    by_residual: Unique,
    /// The follower for each label set, row by row; empty if states have no rows of followers.
    rows: Vec<u32>,
    /// The block for each set of the labels beyond the first eight, row by row, as its place in `tables`; empty if states have
    /// no rows of blocks.
    blocks: Vec<u32>,
    /// Place of the state, and of the labels, in the number of an entry of `rows` or `blocks`.
    row_shift: u32,
    row_mask: usize,
    /// Otherwise, by state: how its follower is looked up in `tables`.
    ways: Vec<Ways>,
    /// Tables of 256 entries, each the number of the next table or of the follower; blocks are tables of followers.
    tables: Vec<u32>,
    /// By block: the number of its followers that are known.
    known_in_block: Vec<u16>,
    /// Blocks of which all followers are known, by these: alike ones are one, so that those in use stay in a cache.
    full_blocks: Unique,
    free_blocks: Vec<u32>,
    /// By label set: the followers of the first eight states, four bits for each, which are the follower's number and one more, and
    /// 0 for an unknown one; empty until many steps were taken by blocks.
    followers: Vec<u32>,
    /// Steps by blocks so far; [`UNKNOWN`] if nobody counts them, as followers are never kept by label set.
    steps_by_blocks: u32,
    /// The steps taken with labels beyond the tables, found by the relevant ones.
    steps: Vec<(ResidualId, Labels, ResidualId)>,
    by_labels: Unique,
    atoms_max: u64,
    depth_max: u32,
    /// True if a trace that violates the formula violates it for good, and if one that satisfies it does; worked out once
    /// somebody asks.
    pub(super) lasting: Option<Lasting>,
}

/// Tables in which followers are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lookup {
    /// In a row of the state: the formula has few atoms, and keeps no value.
    Rows,
    /// In a block that a row of the state names: it has more atoms.
    Blocks,
    /// By the atoms that matter to the state.
    Ways,
}

impl Lookup {
    fn of(atoms: u32, has_keep: bool) -> Lookup {
        if has_keep || atoms > ATOMS_IN_BLOCKS {
            Lookup::Ways
        } else if atoms > ATOMS_IN_A_ROW {
            Lookup::Blocks
        } else {
            Lookup::Rows
        }
    }

    /// Returns the number of labels that choose the entry of a row.
    fn row_bits(self, atoms: u32) -> u32 {
        match self {
            Lookup::Rows => atoms,
            Lookup::Blocks => atoms - TABLE_BITS,
            Lookup::Ways => 0,
        }
    }
}

/// Verdicts that stay as they are, whatever steps come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lasting {
    pub violation: bool,
    pub satisfaction: bool,
}

/// Tables on the way to the follower of a state: up to eight labels at a time give the entry of one.
#[derive(Clone, Copy, Debug)]
struct Ways {
    /// First table, [`UNKNOWN`] until there is one.
    table: u32,
    /// First label of each eight.
    shifts: [u8; 8],
    /// Labels of each eight that matter.
    masks: [u8; 8],
    /// Number of tables on the way; 0 if too many labels matter, or some beyond the first 64, or kept values.
    len: u8,
}

impl Ways {
    fn new(relevant: &Labels) -> Ways {
        let mut ways = Ways { table: UNKNOWN, shifts: [0; 8], masks: [0; 8], len: 0 };
        let is_large = !relevant.is_low() || relevant.low.count_ones() > ATOMS_IN_TABLES;
        if is_large || relevant.binding() != 0 {
            return ways;
        }
        // The last table has the last eight labels, so that it is full and there are few of it.
        let mut left = relevant.low;
        // A state that no label changes has one table, too.
        while left != 0 || ways.len == 0 {
            let shift = left.checked_ilog2().unwrap_or(0).saturating_sub(TABLE_BITS - 1);
            ways.shifts[usize::from(ways.len)] = shift as u8;
            ways.masks[usize::from(ways.len)] = (left >> shift) as u8;
            ways.len += 1;
            left &= (1 << shift) - 1;
        }
        ways.shifts[..usize::from(ways.len)].reverse();
        ways.masks[..usize::from(ways.len)].reverse();
        ways
    }

    /// Returns the follower for these labels, [`UNKNOWN`] if it is in none of `tables`.
    #[inline]
    fn follow(&self, tables: &[u32], bits: u64) -> u32 {
        let mut next = self.table;
        for entry in self.entries(bits) {
            if next == UNKNOWN {
                break;
            }
            next = tables[place_in_table(next, entry)];
        }
        next
    }

    /// Returns, table by table, the entry for these labels.
    #[inline]
    fn entries(&self, bits: u64) -> impl Iterator<Item = u64> {
        let tables = self.shifts.iter().zip(&self.masks).take(usize::from(self.len));
        tables.map(move |(&shift, &mask)| bits >> shift & u64::from(mask))
    }
}

#[derive(Clone, Debug)]
pub(super) struct StateEntry {
    pub(super) residual: Residual,
    /// The residual as one formula, for printing and for N.
    pub(super) spelled: Formula,
    /// The atoms that a step can depend on.
    relevant: Labels,
    pub(super) class: Option<Class>,
    /// Its independent parts; none if it is one whole.
    pub(super) parts: Option<Arc<[Class]>>,
    /// True if the question about what is permanent was given up.
    pub(super) is_given_up: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    is_satisfied: bool,
    pub(super) permanent: Option<Permanent>,
}

impl Automaton {
    /// Returns the automaton of `formula`, with only the start built.
    pub fn new(formulas: &Formulas, formula: Formula) -> Automaton {
        let atoms = formulas.atoms(formula);
        let mut own = Formulas::with_quantum(formulas.quantum_ms());
        // In the order of the names, so that an atom's number is its rank among them.
        for &atom in &atoms {
            own.import_atom(formulas, atom);
        }
        let formula = own.import(formulas, formula);
        let mut automaton = Automaton::of_own(own, formula);
        // Those with fresh values too, as a witness names them.
        let names = 0..automaton.progression.formulas.names_len() as u32;
        automaton.numbers = names.map(|number| (automaton.atom_name(number).into(), number)).collect();
        automaton
    }

    /// Builds the automaton; `formulas` must hold only the names of `formula`, in the order of their numbers.
    fn of_own(mut formulas: Formulas, formula: Formula) -> Automaton {
        // Far beyond formulas that people write or read; from here on a shorter spelling is better.
        let atoms_max = formulas.atom_count(formula).saturating_mul(4).saturating_add(10_000);
        let depth_max = formulas.depth(formula).saturating_mul(4).saturating_add(1_000);
        let atoms = formulas.names_len() as u32;
        let has_time = formulas.has_time(formula);
        let quantum_ms = formulas.quantum_ms();
        let longest_ms = formulas.times_ms(formula).into_iter().max().unwrap_or(0);
        let longest = longest_ms.div_ceil(quantum_ms) + 1;
        let longest_ms = longest.saturating_mul(quantum_ms);
        let has_keep = formulas.has_keep(formula);
        let fresh = if has_keep { Instances::with_fresh(&mut formulas) } else { Instances::default() };
        let progression = Progression::new(formulas);
        let kept = has_keep.then(|| Box::new(Kept::new(&progression.formulas, atoms, fresh.clone())));
        let lookup = Lookup::of(atoms, has_keep);
        let row_bits = lookup.row_bits(atoms);
        let mut automaton = Automaton {
            meaning: Meaning::new(&progression.formulas, has_time, has_keep.then(|| Arc::new(fresh))),
            lookup,
            row_shift: row_bits,
            row_mask: (1 << row_bits) - 1,
            kept,
            has_time,
            longest_ms,
            waits: HashMap::default(),
            work_before: 0,
            progression,
            formula,
            atoms,
            numbers: HashMap::default(),
            states: Vec::new(),
            verdicts: Vec::new(),
            atom_counts: Vec::new(),
            by_residual: Unique::default(),
            rows: Vec::new(),
            blocks: Vec::new(),
            ways: Vec::new(),
            tables: Vec::new(),
            known_in_block: Vec::new(),
            full_blocks: Unique::default(),
            free_blocks: Vec::new(),
            followers: Vec::new(),
            steps_by_blocks: if lookup == Lookup::Blocks { 0 } else { UNKNOWN },
            steps: Vec::new(),
            by_labels: Unique::default(),
            atoms_max,
            depth_max,
            lasting: None,
        };
        if lookup == Lookup::Blocks {
            let no_block = automaton.new_block();
            debug_assert_eq!(no_block, NO_BLOCK);
        }
        // The start is no residual: a trace has at least one step, so the value at the end does not count for
        // it.
        automaton.add(Residual { formula, memory: Memory::NONE });
        automaton
    }

    /// Iterates over the formula's atoms in the order of their numbers, which is that of their names.
    pub fn atoms(&self) -> impl Iterator<Item = &str> {
        (0..self.atoms).map(|number| self.progression.formulas.name(Atom(number)))
    }

    /// Returns the labels called `names`, those of a [`witness`](Automaton::witness) too; other names make no difference.
    #[inline]
    pub fn labels<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Labels {
        let (mut low, mut labels) = (0, Labels::default());
        for name in names {
            match self.numbers.get(name) {
                // Bits in a register, while labels would be in memory.
                Some(&number) if number < 64 => low |= 1 << number,
                Some(&number) => labels.insert(number),
                None => {}
            }
        }
        labels.low = low;
        labels
    }

    /// Returns the state after a step from `state` with `labels`.
    #[inline]
    pub fn step(&mut self, state: ResidualId, labels: &Labels) -> ResidualId {
        let state = if labels.elapsed_ms() == 0 { state } else { self.wait(state, labels.elapsed_ms()) };
        // Most steps were taken before, so this comes first. Without rows there is no place to be found.
        let Some(&next) = self.rows.get(self.place_in_row(state, labels.low)) else {
            return self.step_by_tables(state, labels);
        };
        if next != UNKNOWN { ResidualId(next) } else { self.step_anew(state, labels) }
    }

    // Not in line, because the steps of smaller formulas take longer with more code beside them.
    #[inline(never)]
    fn step_by_tables(&mut self, state: ResidualId, labels: &Labels) -> ResidualId {
        let may_be_kept = self.steps_by_blocks != UNKNOWN && state.0 < STATES_IN_A_WORD;
        if may_be_kept && let Some(followers) = self.followers.get(self.place_of_followers(labels.low)) {
            // Only a shift waits for the step before, so the processor looks up the next label sets meanwhile.
            let next = followers >> (state.0 * FOLLOWER_BITS) & FOLLOWERS_MAX;
            if next != 0 {
                return ResidualId(next - 1);
            }
        }
        let next = if let Some(&block) = self.block(state, labels.low) {
            // The labels come first: only what is added last waits for the look-up before.
            self.tables[labels.low as usize & (TABLE_LEN - 1)..][block as usize]
        } else {
            self.ways[state.index()].follow(&self.tables, labels.low)
        };
        if next == UNKNOWN {
            return self.step_anew(state, labels);
        }
        if may_be_kept {
            return self.keep_by_labels(state, labels.low, next);
        }
        ResidualId(next)
    }

    /// Returns the state that `state` is once `elapsed_ms` have passed, before the next step.
    pub(super) fn wait(&mut self, state: ResidualId, elapsed_ms: u32) -> ResidualId {
        let elapsed_ms = self.shortened_ms(elapsed_ms);
        if elapsed_ms == 0 || state == ResidualId::START {
            return state;
        }
        if let Some(&known) = self.waits.get(&(state, elapsed_ms)) {
            return known;
        }
        let residual = self.progression.wait(self.states[state.index()].residual, elapsed_ms);
        let waited = self.state_of(residual);
        self.waits.insert((state, elapsed_ms), waited);
        waited
    }

    /// Returns the time between two steps as far as the formula tells times apart: the shortest floored one that means the
    /// same to it.
    pub fn told_apart_ms(&self, interval: Interval) -> u32 {
        if self.has_time { self.shortened_ms(self.progression.formulas.elapsed_ms(interval)) } else { 0 }
    }

    fn shortened_ms(&self, elapsed_ms: u32) -> u32 {
        if self.has_time { elapsed_ms.min(self.longest_ms) } else { 0 }
    }

    /// Returns true if the residual has the rest of a bound in time.
    pub fn is_timed(&self, state: ResidualId) -> bool {
        let formula = self.states[state.index()].residual.formula;
        state != ResidualId::START && self.progression.formulas.waits(formula)
    }

    /// Returns true if the formula has a bound in time.
    pub fn has_time(&self) -> bool {
        self.has_time
    }

    /// Returns the texts of the kept names, by their numbers.
    pub fn keeps(&self) -> &[Box<str>] {
        self.progression.formulas.keeps()
    }

    /// Returns the number of the values that a step gives to kept names, one for each name, for
    /// [`Labels::with_binding`]. `rename` returns the name of an atom once the value takes the place of a kept name, given by
    /// its number; it returns the same name whenever it is asked, and equal names exactly for what is equal.
    pub fn bind(&mut self, values: &[&str], rename: &mut dyn FnMut(&str, usize) -> String) -> u32 {
        self.kept.as_mut().map_or(0, |kept| kept.bind(&mut self.progression.formulas, values, rename))
    }

    /// Returns the atoms that residuals have besides those of the formula, as values took the place of kept names: their
    /// numbers, in the order in which they were met.
    pub fn atoms_with_values(&self) -> impl ExactSizeIterator<Item = u32> {
        self.kept.as_ref().map_or(&[][..], |kept| &kept.met).iter().map(|atom| atom.0)
    }

    /// Returns the atoms that still have kept names in them: their numbers.
    pub fn atoms_with_names(&self) -> impl Iterator<Item = u32> {
        self.kept.as_ref().map_or(&[][..], |kept| kept.named()).iter().map(|atom| atom.0)
    }

    /// Returns true if the residual at `state` has this atom.
    pub fn asks_for(&self, state: ResidualId, atom: u32) -> bool {
        self.progression.atoms(self.states[state.index()].residual).contains(&Atom(atom))
    }

    /// Returns the store of the formula and its residuals.
    pub fn formulas(&self) -> &Formulas {
        &self.progression.formulas
    }

    /// Returns the name of the atom with this number.
    pub fn atom_name(&self, number: u32) -> &str {
        self.progression.formulas.name(Atom(number))
    }

    /// Returns the name that an atom of the formula, or of a residual, has with the values of `binding` in place of all kept
    /// names.
    pub fn name_with_values(&self, number: u32, binding: u32) -> &str {
        let formulas = &self.progression.formulas;
        let mut atom = Atom(number);
        for (_, atoms) in self.kept.iter().filter_map(|kept| kept.binding(binding)).flatten() {
            atom = atoms.get(&atom).map_or(atom, |&given| formulas.atom_of(given));
        }
        formulas.name(atom)
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

    /// Returns N: the number of atoms in the residual as printed, `u64::MAX` if they are too many to count.
    #[inline]
    pub fn atom_count(&self, state: ResidualId) -> u64 {
        self.atom_counts[state.index()]
    }

    /// Returns the residual of the formula as it is written in a spec.
    pub fn residual(&self, state: ResidualId) -> super::Display<'_> {
        self.progression.formulas.display(self.states[state.index()].spelled)
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
        self.progression.formulas.len() > 1 << 19
            || self.states.len() > 1 << 17
            || self.steps.len() > 1 << 18
            || self.waits.len() > 1 << 18
            || self.kept.as_ref().is_some_and(|kept| kept.is_large())
    }

    /// Forgets all states but the start and `kept`, and returns the new handle of `kept`. Answers stay the
    /// same.
    pub fn forget(&mut self, kept: ResidualId) -> ResidualId {
        let residual = self.states[kept.index()].residual;
        let old = &self.progression;
        let mut formulas = Formulas::with_quantum(old.formulas.quantum_ms());
        // All names again, in their order: the atoms keep their numbers, so labels stay valid.
        for number in 0..self.atoms {
            formulas.import_atom(&old.formulas, Atom(number));
        }
        let formula = formulas.import(&old.formulas, self.formula);
        let mut fresh = Automaton::of_own(formulas, formula);
        fresh.numbers = std::mem::take(&mut self.numbers);
        if kept == ResidualId::START {
            *self = fresh;
            return kept;
        }
        if let (Some(values), Some(kept)) = (&self.kept, &mut fresh.kept) {
            kept.take_over(&mut fresh.progression.formulas, values, &old.formulas, &old.atoms(residual));
        }
        let (left, memory) = old.moved(residual, &mut fresh.progression.formulas);
        let residual = fresh.progression.settle(left, memory);
        let state = fresh.add(residual);
        *self = fresh;
        state
    }

    #[inline]
    fn place_in_row(&self, state: ResidualId, bits: u64) -> usize {
        (state.index() << self.row_shift) | (bits as usize & self.row_mask)
    }

    /// Returns the block of `state` for these labels, if states have rows of blocks.
    #[inline]
    fn block(&self, state: ResidualId, bits: u64) -> Option<&u32> {
        let of_labels = self.blocks.get((bits >> TABLE_BITS) as usize & self.row_mask..)?;
        of_labels.get(state.index() << self.row_shift)
    }

    /// Returns the place of a label set in `followers`; none has it while they are empty.
    #[inline]
    fn place_of_followers(&self, bits: u64) -> usize {
        bits as usize & self.followers.len().wrapping_sub(1)
    }

    /// Keeps the follower of one of the first states by the labels `bits`, if many steps were taken by blocks, and returns it.
    #[inline(never)]
    fn keep_by_labels(&mut self, state: ResidualId, bits: u64, follower: u32) -> ResidualId {
        if self.followers.is_empty() {
            self.steps_by_blocks += 1;
            if self.steps_by_blocks < STEPS_BY_BLOCKS << self.atoms {
                return ResidualId(follower);
            }
            let has_others = self.states.len() > STATES_IN_A_WORD as usize;
            if has_others || self.atoms > ATOMS_IN_CACHE && self.has_alike_blocks(state) {
                self.steps_by_blocks = UNKNOWN;
                return ResidualId(follower);
            }
            self.followers = vec![0; 1 << self.atoms];
        }
        if follower < FOLLOWERS_MAX {
            let place = self.place_of_followers(bits);
            self.followers[place] |= (follower + 1) << (state.0 * FOLLOWER_BITS);
        }
        ResidualId(follower)
    }

    /// Returns true if `state` has so few different blocks that they stay in the first cache.
    fn has_alike_blocks(&self, state: ResidualId) -> bool {
        let row = &self.blocks[self.place_in_row(state, 0)..=self.place_in_row(state, u64::MAX)];
        row.iter().collect::<BTreeSet<_>>().len() <= BLOCKS_IN_CACHE
    }

    #[cold]
    fn step_anew(&mut self, state: ResidualId, labels: &Labels) -> ResidualId {
        // Label sets that differ in other atoms lead to the same state, so they share one computed step.
        let mattering = labels.shared_with(&self.states[state.index()].relevant);
        let has_room = self.tables.len() < TABLE_ENTRIES_MAX;
        match self.lookup {
            Lookup::Rows => {
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
            Lookup::Blocks if has_room => return self.step_in_block(state, labels, &mattering),
            Lookup::Ways if has_room && self.ways[state.index()].len > 0 => {
                let next = self.follow(state, &mattering);
                self.enter(state, mattering.low, next);
                return next;
            }
            Lookup::Blocks | Lookup::Ways => {}
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

    /// Enters the follower of `state` by the labels `bits` into the tables.
    fn enter(&mut self, state: ResidualId, bits: u64, follower: ResidualId) {
        let ways = self.ways[state.index()];
        if ways.table == UNKNOWN {
            self.ways[state.index()].table = self.new_table();
        }
        let mut table = self.ways[state.index()].table;
        let mut entries = ways.entries(bits).peekable();
        while let Some(entry) = entries.next() {
            let at = place_in_table(table, entry);
            if entries.peek().is_none() {
                self.tables[at] = follower.0;
            } else if self.tables[at] == UNKNOWN {
                self.tables[at] = self.new_table();
            }
            table = self.tables[at];
        }
    }

    fn new_table(&mut self) -> u32 {
        let number = self.tables.len() / TABLE_LEN;
        self.tables.resize(self.tables.len() + TABLE_LEN, UNKNOWN);
        number as u32
    }

    /// Takes a step from a state with a row of blocks.
    fn step_in_block(&mut self, state: ResidualId, labels: &Labels, mattering: &Labels) -> ResidualId {
        let place = self.place_in_row(state, mattering.low >> TABLE_BITS);
        if self.blocks[place] == NO_BLOCK {
            self.blocks[place] = self.new_block();
        }
        let known = self.tables[place_in_block(self.blocks[place], mattering.low)];
        let next = if known == UNKNOWN { self.follow(state, mattering) } else { ResidualId(known) };
        // Labels that differ in other atoms share the block, and there each has its entry.
        let asked = self.place_in_row(state, labels.low >> TABLE_BITS);
        self.blocks[asked] = self.blocks[place];
        for bits in [mattering.low, labels.low] {
            let at = place_in_block(self.blocks[place], bits);
            if self.tables[at] == UNKNOWN {
                self.tables[at] = next.0;
                self.count_in_block(state, self.blocks[place]);
            }
        }
        next
    }

    /// Counts one more follower of a block of `state`. Once all are known, another block may have the same.
    fn count_in_block(&mut self, state: ResidualId, block: u32) {
        let known = &mut self.known_in_block[block as usize / TABLE_LEN];
        *known += 1;
        if usize::from(*known) < TABLE_LEN {
            return;
        }
        let entries = |block: u32| &self.tables[block as usize..][..TABLE_LEN];
        let hash = hash_of(entries(block));
        let Some(same) = self.full_blocks.find(hash, |other| entries(other) == entries(block)) else {
            self.full_blocks.insert(hash, block);
            return;
        };
        // No other state has come to a block that was not full.
        let row = self.place_in_row(state, 0)..=self.place_in_row(state, u64::MAX);
        self.blocks[row].iter_mut().filter(|named| **named == block).for_each(|named| *named = same);
        self.free_blocks.push(block);
    }

    fn new_block(&mut self) -> u32 {
        if let Some(free) = self.free_blocks.pop() {
            self.tables[free as usize..][..TABLE_LEN].fill(UNKNOWN);
            self.known_in_block[free as usize / TABLE_LEN] = 0;
            return free;
        }
        self.known_in_block.push(0);
        self.new_table() << TABLE_BITS
    }

    fn follow(&mut self, state: ResidualId, labels: &Labels) -> ResidualId {
        let residual = self.states[state.index()].residual;
        let residual = self.progression.step(residual, labels);
        let residual = self.with_values(residual, labels.binding());
        self.state_of(residual)
    }

    /// Returns the residual of a step with its values in place of kept names: those of `binding`, or fresh ones.
    fn with_values(&mut self, residual: Residual, binding: u32) -> Residual {
        let Some(kept) = &mut self.kept else { return residual };
        let free = self.progression.free(residual);
        let mut residual = residual;
        if let Some(binding) = kept.binding(binding) {
            for (keep, atoms) in binding.iter().filter(|(keep, _)| free >> keep.0 & 1 == 1) {
                residual = self.progression.with_atoms(residual, Some(*keep), atoms);
            }
            return residual;
        }
        for keep in bits(free).map(Keep) {
            let all = self.progression.atoms(residual);
            // Where all are taken, questions have been given up before, and nobody comes here.
            let value = kept.instances.free_value(keep, all.iter().copied()).unwrap_or(0);
            let mut atoms = BTreeMap::new();
            for atom in all {
                let formulas = &mut self.progression.formulas;
                if formulas.free(formulas.known_atom(atom)) >> keep.0 & 1 == 1 {
                    atoms.insert(atom, kept.instances.give_fresh(formulas, atom, keep, value));
                }
            }
            residual = self.progression.with_atoms(residual, Some(keep), &atoms);
        }
        residual
    }

    /// Notes the atoms of `residual` that have been given values.
    fn meet_atoms(&mut self, residual: Residual) {
        let Some(kept) = &mut self.kept else { return };
        for atom in self.progression.atoms(residual) {
            let has_values = kept
                .instances
                .given(atom)
                .is_some_and(|(_, given)| given.iter().any(|&(_, value)| value >= kept.instances.fresh()));
            if has_values && kept.is_met.insert(atom) {
                kept.met.push(atom);
            }
        }
    }

    pub(super) fn state_of(&mut self, residual: Residual) -> ResidualId {
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
        self.meet_atoms(residual);
        let (atoms, is_kept) = self.progression.atoms_now(residual);
        // Where a value is kept, it is part of what a step depends on.
        let mut relevant = Labels::default().with_binding(is_kept.into());
        for atom in atoms {
            relevant.insert(atom.0);
        }
        let is_satisfied = self.progression.formulas.at_end(residual.formula);
        let state = ResidualId(self.states.len() as u32);
        self.states.push(StateEntry {
            residual,
            spelled,
            relevant,
            class: None,
            parts: None,
            is_given_up: false,
        });
        self.verdicts.push(Verdict { is_satisfied, permanent: None });
        self.atom_counts.push(self.progression.formulas.atom_count(spelled));
        // A follower with the same residual is a state of its own: the value at the end counts for it, but not
        // for the start.
        if state != ResidualId::START {
            self.by_residual.insert(hash_of(&residual), state.0);
        }
        let row_end = self.states.len() << self.row_shift;
        match self.lookup {
            Lookup::Rows => self.rows.resize(row_end, UNKNOWN),
            Lookup::Blocks => self.blocks.resize(row_end, NO_BLOCK),
            Lookup::Ways => self.ways.push(Ways::new(&self.states[state.index()].relevant)),
        }
        state
    }
}

/// Returns the place of an entry of a table in the list of all tables: the first eight of `bits` choose it.
#[inline]
fn place_in_table(table: u32, bits: u64) -> usize {
    (table as usize) << TABLE_BITS | (bits as usize & (TABLE_LEN - 1))
}

/// Returns the place of an entry of a block, which is known by its own place.
#[inline]
fn place_in_block(block: u32, bits: u64) -> usize {
    block as usize | (bits as usize & (TABLE_LEN - 1))
}

#[cfg(test)]
mod tests {
    use super::super::formula::Bound;
    use super::*;

    /// Follows `G F (a0 & a1 | a1 & a2 | ...)` over `pairs` atoms, and beside it `others` atoms that decide nothing after the
    /// first step, and checks that a step satisfies it exactly if it has a pair.
    fn check(pairs: usize, others: usize, steps: u64) {
        let mut ltl = Formulas::new();
        let names: Vec<Formula> = (0..pairs + others).map(|n| ltl.atom(&format!("a{n:02}"))).collect();
        let any: Vec<Formula> = names[..pairs].windows(2).map(|two| ltl.and([two[0], two[1]])).collect();
        let any = ltl.or(any);
        let comes = ltl.eventually(Bound::ANY, any);
        let mut formula = ltl.always(Bound::ANY, comes);
        if others > 0 {
            let all = ltl.and(names[pairs..].iter().copied());
            formula = ltl.and([!all, formula]);
        }
        let mut automaton = Automaton::new(&ltl, formula);
        let mut state = ResidualId::START;
        let mut random = 1_u64;
        for step in 0..steps {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut letter = random >> 32 & ((1 << (pairs + others)) - 1);
            if step == 0 {
                letter = 0;
            }
            state = automaton.step(state, &Labels::from_bits(letter));
            let low = letter & ((1 << pairs) - 1);
            assert_eq!(automaton.is_satisfied(state), low & low >> 1 != 0, "{letter:b} at {step}");
        }
    }

    #[test]
    fn steps_with_many_atoms_are_looked_up_where_they_were_entered() {
        for pairs in [8, 9, 10, 16, 17, 20, 21] {
            check(pairs, 0, 40_000);
        }
        // Most labels make no difference after the first step.
        for (pairs, others) in [(9, 3), (3, 13), (12, 12), (2, 28)] {
            check(pairs, others, 40_000);
        }
    }

    #[test]
    fn steps_between_many_states_with_many_atoms_are_looked_up_where_they_were_entered() {
        // 9 atoms ask and one answers, within 1 to 300 steps. At first the answer comes at once; so there are few states, and more
        // later: the first eight and others, up to number 15 and beyond.
        for within in [1, 2, 3, 4, 5, 20, 300] {
            let mut ltl = Formulas::new();
            let names: Vec<Formula> = (0..9).map(|n| ltl.atom(&format!("a{n}"))).collect();
            let (asked, answered) = (ltl.or(names), ltl.atom("b"));
            let comes = ltl.eventually(Bound::steps(0, within), answered);
            let rule = ltl.implies(asked, comes);
            let formula = ltl.always(Bound::ANY, rule);
            let mut automaton = Automaton::new(&ltl, formula);
            let (mut state, mut waits) = (ResidualId::START, None);
            let mut random = 1_u64;
            for step in 0..60_000 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let letter = match random >> 32 & 511 {
                    _ if step < 20_000 && waits.is_some() => 1 << 9,
                    // An answer after half as many steps as are allowed, in the mean.
                    any if any % u64::from(within) < 2 => 1 << 9,
                    any => any,
                };
                state = automaton.step(state, &Labels::from_bits(letter));
                waits = match waits {
                    _ if letter >> 9 & 1 == 1 => None,
                    Some(steps) => Some(steps + 1),
                    None => (letter != 0).then_some(0),
                };
                assert_eq!(automaton.is_satisfied(state), waits.is_none(), "{letter:b} at {step}");
                if waits.is_some_and(|steps| steps >= within) {
                    assert_eq!(automaton.permanent(state), Permanent::Violated, "at {step}");
                    (state, waits) = (ResidualId::START, None);
                }
            }
        }
    }

    #[test]
    fn steps_with_many_atoms_and_no_alike_blocks_are_looked_up_where_they_were_entered() {
        let mut ltl = Formulas::new();
        let pairs: Vec<Formula> = (0..7)
            .map(|n| {
                let [a, b] = ["a", "b"].map(|side| ltl.atom(&format!("{side}{n}")));
                ltl.iff(a, b)
            })
            .collect();
        let equal = ltl.and(pairs);
        let comes = ltl.eventually(Bound::ANY, equal);
        let formula = ltl.always(Bound::ANY, comes);
        let mut automaton = Automaton::new(&ltl, formula);
        let mut state = ResidualId::START;
        let mut random = 1_u64;
        for step in 0..200_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let letter = random >> 32 & ((1 << 14) - 1);
            state = automaton.step(state, &Labels::from_bits(letter));
            assert_eq!(automaton.is_satisfied(state), letter >> 7 == letter & 0x7f, "{letter:b} at {step}");
        }
    }

    #[test]
    fn blocks_with_equal_followers_are_one() {
        let mut ltl = Formulas::new();
        let names: Vec<Formula> = (0..10).map(|n| ltl.atom(&format!("a{n}"))).collect();
        let any = ltl.or(names);
        let comes = ltl.eventually(Bound::ANY, any);
        let formula = ltl.always(Bound::ANY, comes);
        let mut automaton = Automaton::new(&ltl, formula);
        let mut state = ResidualId::START;
        for letter in (0..3 << 10).chain(0..3 << 10) {
            state = automaton.step(state, &Labels::from_bits(letter & 0x3ff));
        }
        // With a label among the last two all lead to one state, and else one leads to another. The blocks of the start and of
        // that other state are not full.
        let in_use = automaton.known_in_block.len() - 1 - automaton.free_blocks.len();
        let named: BTreeSet<&u32> = automaton.blocks.iter().filter(|&&block| block != NO_BLOCK).collect();
        assert_eq!((in_use, named.len()), (4, 4));
    }
}
