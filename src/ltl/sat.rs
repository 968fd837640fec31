//! Satisfiability of clauses, within a bound on work: search that learns a clause from each conflict.
//!
//! Two literals of each clause are watched, so only clauses that may matter are looked at. The clause learned is that of the
//! first unique implication point (Marques-Silva and Sakallah 1999); variables of recent conflicts are decided first.

use std::collections::BinaryHeap;

/// A variable, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Literal(u32);

impl Literal {
    pub const TRUE: Literal = Literal(0);
    pub const FALSE: Literal = Literal(1);

    fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn index(self) -> usize {
        self.0 as usize
    }

    fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn negated_if(self, negate: bool) -> Literal {
        Literal(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        self.negated_if(true)
    }
}

/// The work allowed was not enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooHard;

/// Clauses, and the search for values of their variables.
#[derive(Debug)]
pub(super) struct Solver {
    clauses: Vec<Box<[Literal]>>,
    /// By literal: the clauses that watch it, whose first two literals are the watched ones.
    watchers: Vec<Vec<u32>>,
    variables: Vec<Variable>,
    /// Literals that hold, in the order in which they came to hold.
    trail: Vec<Literal>,
    /// Length of the trail before each decision.
    decisions: Vec<usize>,
    /// Number of literals of the trail whose clauses have been looked at.
    propagated: usize,
    /// Variables to decide, the latest in a conflict first; entries may be out of date.
    queue: BinaryHeap<(u64, u32)>,
    conflicts: u64,
    is_refuted: bool,
    work: u64,
}

#[derive(Clone, Copy, Debug)]
struct Variable {
    value: Option<bool>,
    /// Value that it had last.
    last: bool,
    /// Number of decisions before it got its value.
    level: u32,
    /// Clause that forced the value.
    reason: Option<u32>,
    /// Number of the last conflict that it had a part in.
    conflict: u64,
    is_seen: bool,
}

impl Solver {
    pub fn new() -> Solver {
        let mut solver = Solver {
            clauses: Vec::new(),
            watchers: Vec::new(),
            variables: Vec::new(),
            trail: Vec::new(),
            decisions: Vec::new(),
            propagated: 0,
            queue: BinaryHeap::new(),
            conflicts: 0,
            is_refuted: false,
            work: 0,
        };
        let top = solver.variable();
        solver.hold(top, None);
        solver
    }

    /// Returns a new variable.
    pub fn variable(&mut self) -> Literal {
        let number = self.variables.len() as u32;
        let fresh =
            Variable { value: None, last: false, level: 0, reason: None, conflict: 0, is_seen: false };
        self.variables.push(fresh);
        self.watchers.extend([Vec::new(), Vec::new()]);
        self.queue.push((0, number));
        Literal(number << 1)
    }

    /// Adds the clause that one of `literals` holds; all clauses come before the search.
    pub fn add(&mut self, literals: &[Literal]) {
        let value = |literal: &Literal| self.value(*literal);
        if literals.iter().any(|literal| value(literal) == Some(true)) {
            return;
        }
        let left: Box<[Literal]> =
            literals.iter().copied().filter(|literal| self.value(*literal).is_none()).collect();
        self.work += literals.len() as u64;
        match left[..] {
            [] => self.is_refuted = true,
            [one] => self.hold(one, None),
            [_, _, ..] => {
                self.watch(left);
            }
        }
    }

    /// Returns true if all clauses can hold together, and leaves such values; gives up after `work_max` looks at clauses.
    pub fn solve(&mut self, work_max: u64) -> Result<bool, TooHard> {
        let mut until_restart = RESTART_AFTER;
        let mut conflicts = 0;
        loop {
            if self.is_refuted {
                return Ok(false);
            }
            if self.work > work_max {
                return Err(TooHard);
            }
            if let Some(conflict) = self.propagate() {
                if self.decisions.is_empty() {
                    self.is_refuted = true;
                    continue;
                }
                let (learned, level) = self.learn(conflict);
                self.undo(level);
                let forced = learned[0];
                let reason = (learned.len() > 1).then(|| self.watch(learned.into()));
                self.hold(forced, reason);
                conflicts += 1;
                continue;
            }
            if conflicts >= until_restart {
                // A search that is stuck starts anew with the clauses it has learned.
                conflicts = 0;
                until_restart += until_restart / 2;
                self.undo(0);
                continue;
            }
            let Some(variable) = self.undecided() else { return Ok(true) };
            self.decisions.push(self.trail.len());
            let literal = Literal(variable << 1).negated_if(!self.variables[variable as usize].last);
            self.hold(literal, None);
        }
    }

    /// Returns the value of `literal`, if it has one.
    pub fn value(&self, literal: Literal) -> Option<bool> {
        self.variables[literal.variable()].value.map(|value| value != literal.is_negated())
    }

    /// Returns the number of looks at clauses so far.
    pub fn work(&self) -> u64 {
        self.work
    }

    fn watch(&mut self, clause: Box<[Literal]>) -> u32 {
        let number = self.clauses.len() as u32;
        for literal in &clause[..2] {
            self.watchers[literal.index()].push(number);
        }
        self.clauses.push(clause);
        number
    }

    fn hold(&mut self, literal: Literal, reason: Option<u32>) {
        let level = self.decisions.len() as u32;
        let variable = &mut self.variables[literal.variable()];
        variable.value = Some(!literal.is_negated());
        variable.last = !literal.is_negated();
        (variable.level, variable.reason) = (level, reason);
        self.trail.push(literal);
    }

    /// Gives values to all literals that clauses force; returns a clause that cannot hold any more, if there is one.
    fn propagate(&mut self) -> Option<u32> {
        while let Some(&held) = self.trail.get(self.propagated) {
            self.propagated += 1;
            let failed = !held;
            let mut watching = std::mem::take(&mut self.watchers[failed.index()]);
            let mut kept = 0;
            let mut conflict = None;
            for at in 0..watching.len() {
                let number = watching[at];
                watching[kept] = number;
                kept += 1;
                if conflict.is_some() {
                    continue;
                }
                self.work += 1;
                let clause = &mut self.clauses[number as usize];
                if clause[0] == failed {
                    clause.swap(0, 1);
                }
                let first = clause[0];
                let value = |literal: Literal| {
                    self.variables[literal.variable()].value.map(|value| value != literal.is_negated())
                };
                if value(first) == Some(true) {
                    continue;
                }
                let other = (2..clause.len()).find(|&at| value(clause[at]) != Some(false));
                self.work += other.unwrap_or(clause.len()) as u64 / 4;
                if let Some(other) = other {
                    clause.swap(1, other);
                    self.watchers[clause[1].index()].push(number);
                    kept -= 1;
                } else if value(first) == Some(false) {
                    conflict = Some(number);
                } else {
                    self.hold(first, Some(number));
                }
            }
            watching.truncate(kept);
            self.watchers[failed.index()] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Returns a clause that follows from the others and forbids the conflict, and the number of decisions to which it says
    /// something new: its first literal.
    fn learn(&mut self, conflict: u32) -> (Vec<Literal>, usize) {
        self.conflicts += 1;
        let now = self.decisions.len() as u32;
        let mut learned = vec![Literal::TRUE];
        let (mut open, mut at, mut clause) = (0, self.trail.len(), conflict);
        let mut resolved: Option<Literal> = None;
        let mut seen = Vec::new();
        loop {
            self.work += self.clauses[clause as usize].len() as u64 / 4 + 1;
            for &literal in &self.clauses[clause as usize] {
                let variable = &mut self.variables[literal.variable()];
                if Some(literal) == resolved || variable.is_seen || variable.level == 0 {
                    continue;
                }
                (variable.is_seen, variable.conflict) = (true, self.conflicts);
                seen.push(literal.variable());
                if variable.level == now {
                    open += 1;
                } else {
                    learned.push(literal);
                }
            }
            let literal = loop {
                at -= 1;
                if self.variables[self.trail[at].variable()].is_seen {
                    break self.trail[at];
                }
            };
            open -= 1;
            if open == 0 {
                learned[0] = !literal;
                break;
            }
            clause = self.variables[literal.variable()].reason.expect("only the decision has none");
            resolved = Some(literal);
        }
        for variable in seen {
            self.variables[variable].is_seen = false;
        }
        let level = |literal: &Literal| self.variables[literal.variable()].level;
        let latest = (1..learned.len()).max_by_key(|&at| level(&learned[at]));
        let back_to = latest.map_or(0, |at| {
            // The second literal is watched, so it must be the one that loses its value first.
            learned.swap(1, at);
            level(&learned[1]) as usize
        });
        (learned, back_to)
    }

    fn undo(&mut self, decisions: usize) {
        let Some(&length) = self.decisions.get(decisions) else { return };
        for literal in self.trail.drain(length..) {
            let variable = &mut self.variables[literal.variable()];
            variable.value = None;
            self.queue.push((variable.conflict, literal.variable() as u32));
        }
        self.decisions.truncate(decisions);
        self.propagated = length;
    }

    fn undecided(&mut self) -> Option<u32> {
        while let Some((conflict, number)) = self.queue.pop() {
            let variable = self.variables[number as usize];
            self.work += 1;
            if variable.value.is_none() && variable.conflict == conflict {
                return Some(number);
            }
        }
        None
    }
}

/// Conflicts before the search first starts anew.
const RESTART_AFTER: u64 = 100;

#[cfg(test)]
mod tests {
    use super::super::random::choose;
    use super::*;

    /// Checks that random clauses of ten variables are satisfiable exactly if one of the 1,024 assignments meets them all.
    #[test]
    fn clauses_are_satisfiable_exactly_if_some_assignment_meets_them() {
        let mut random = 1;
        let mut counts = [0, 0];
        for round in 0..400 {
            let mut solver = Solver::new();
            let variables: Vec<Literal> = (0..10).map(|_| solver.variable()).collect();
            let mut clauses: Vec<Vec<(usize, bool)>> = Vec::new();
            for _ in 0..30 + round % 30 {
                let clause =
                    (0..3).map(|_| (choose(&mut random, 10) as usize, choose(&mut random, 2) == 0)).collect();
                clauses.push(clause);
            }
            for clause in &clauses {
                let mut literals: Vec<Literal> =
                    clause.iter().map(|&(at, negate)| variables[at].negated_if(negate)).collect();
                literals.sort();
                literals.dedup();
                if !literals.windows(2).any(|pair| pair[0] == !pair[1]) {
                    solver.add(&literals);
                }
            }
            let meets =
                |bits: u32| clauses.iter().all(|all| all.iter().any(|&(at, no)| (bits >> at & 1 == 1) != no));
            let expected = (0..1024).any(meets);
            assert_eq!(solver.solve(u64::MAX), Ok(expected));
            counts[usize::from(expected)] += 1;
            if expected {
                let bits =
                    (0..10).filter(|&at| solver.value(variables[at]) == Some(true)).map(|at| 1 << at).sum();
                assert!(meets(bits));
            }
        }
        assert!(counts[0] > 50 && counts[1] > 50, "{counts:?}");
    }

    #[test]
    fn more_pigeons_than_holes_are_given_up_within_the_work_allowed() {
        let mut solver = Solver::new();
        let holes = 12;
        let sits: Vec<Vec<Literal>> =
            (0..=holes).map(|_| (0..holes).map(|_| solver.variable()).collect()).collect();
        sits.iter().for_each(|pigeon| solver.add(pigeon));
        for (at, one) in sits.iter().enumerate() {
            for other in &sits[..at] {
                (0..holes).for_each(|hole| solver.add(&[!one[hole], !other[hole]]));
            }
        }
        assert_eq!(solver.solve(100_000), Err(TooHard));
        assert!(solver.work() < 200_000);
    }
}
