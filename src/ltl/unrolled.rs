//! Shortest runs of formulas with too many residuals to list: the steps of a run as clauses.
//!
//! A run of `k` steps satisfies a formula exactly if the clauses for `k` can hold together. Lengths are tried from the
//! shortest, so a run that is found is a shortest one. Residuals play no part, however many there are.

use std::collections::HashMap;

use super::formula::{Atom, Formula, Formulas, Node};
use super::meaning::{Assumption, Cube, TooMany};
use super::sat::{Literal, Solver};
use super::table::Multiply;

/// Longest run that is looked for.
const STEPS_MAX: u32 = 200;

/// Looks at clauses that cost as much as one conjunction of a decision diagram.
const LOOKS_A_UNIT: u64 = 8;

/// Returns the fewest steps of a run that satisfies `formula` under `assumption`, with the atoms of each step; gives up beyond
/// [`STEPS_MAX`] steps, or after `work_max`. Adds the work done to `work`.
///
/// It never tells that there is no run.
pub(super) fn shortest_run(
    formulas: &mut Formulas,
    formula: Formula,
    assumption: Assumption,
    work_max: u64,
    work: &mut u64,
) -> Result<Vec<Cube>, TooMany> {
    run(formulas, formula, assumption, &mut (1..=STEPS_MAX), work_max, work)
}

/// Returns true if some run satisfies `formula`; false tells nothing. Lengths are doubled, so this takes less than to find a
/// shortest run.
pub(super) fn has_run(formulas: &mut Formulas, formula: Formula, work_max: u64, work: &mut u64) -> bool {
    let mut lengths =
        std::iter::successors(Some(1), |steps| Some(steps * 2)).take_while(|steps| *steps <= STEPS_MAX);
    run(formulas, formula, Assumption::NONE, &mut lengths, work_max, work).is_ok()
}

fn run(
    formulas: &mut Formulas,
    formula: Formula,
    assumption: Assumption,
    lengths: &mut dyn Iterator<Item = u32>,
    work_max: u64,
    work: &mut u64,
) -> Result<Vec<Cube>, TooMany> {
    let mut looks = 0;
    let looks_max = work_max * LOOKS_A_UNIT;
    let mut found = Err(TooMany);
    for steps in lengths {
        let mut unrolled = Unrolled {
            formulas,
            solver: Solver::new(),
            steps,
            literals: HashMap::default(),
            spent: 0,
            spent_max: looks_max - looks,
        };
        let is_satisfied = unrolled.can_satisfy(formula, assumption);
        looks += unrolled.cost();
        match is_satisfied {
            Ok(true) => {
                found = Ok(unrolled.cubes());
                break;
            }
            Ok(false) if looks < looks_max => {}
            Ok(false) | Err(TooMany) => break,
        }
    }
    *work += looks.min(looks_max) / LOOKS_A_UNIT;
    found
}

/// Clauses that say what runs of a number of steps satisfy.
struct Unrolled<'a> {
    formulas: &'a mut Formulas,
    solver: Solver,
    steps: u32,
    /// The value of a formula without its negation, at a step.
    literals: HashMap<(Formula, u32), Literal, Multiply>,
    /// Cost of writing the clauses.
    spent: u64,
    spent_max: u64,
}

impl Unrolled<'_> {
    fn can_satisfy(&mut self, formula: Formula, assumption: Assumption) -> Result<bool, TooMany> {
        for step in 0..self.steps {
            let granted = if step == 0 { assumption.first } else { assumption.later };
            let granted = self.literal(granted, step)?;
            self.solver.add(&[granted]);
        }
        let whole = self.literal(formula, 0)?;
        self.solver.add(&[whole]);
        self.solver.solve(self.spent_max.saturating_sub(self.spent)).map_err(|_| TooMany)
    }

    fn cost(&self) -> u64 {
        self.spent + self.solver.work()
    }

    /// Returns the atoms that the clauses speak of, with their values, after a search that found values.
    fn cubes(&self) -> Vec<Cube> {
        let mut cubes = vec![Cube::new(); self.steps as usize];
        for atom in 0..self.formulas.names_len() as u32 {
            let formula = self.formulas.known_atom(Atom(atom));
            for (step, cube) in (0..).zip(&mut cubes) {
                let known = self.literals.get(&(formula, step));
                if let Some(value) = known.and_then(|&literal| self.solver.value(literal)) {
                    cube.push((atom, value));
                }
            }
        }
        cubes
    }

    /// Returns the value of `formula` at a step. Uses a list of open formulas instead of recursion: they may be nested deeper
    /// than any stack.
    fn literal(&mut self, formula: Formula, step: u32) -> Result<Literal, TooMany> {
        let mut open = vec![(formula.bare(), step)];
        while let Some(&(part, step)) = open.last() {
            if self.literals.contains_key(&(part, step)) {
                open.pop();
                continue;
            }
            let needed = self.needed(part, step);
            self.spent += 1 + needed.len() as u64;
            if self.spent > self.spent_max {
                return Err(TooMany);
            }
            let before = open.len();
            open.extend(
                needed
                    .iter()
                    .map(|&(f, at)| (f.bare(), at))
                    .filter(|needed| !self.literals.contains_key(needed)),
            );
            if open.len() == before {
                let value = self.value(part, step);
                self.literals.insert((part, step), value);
                open.pop();
            }
        }
        Ok(self.known(formula, step))
    }

    fn known(&self, formula: Formula, step: u32) -> Literal {
        self.literals[&(formula.bare(), step)].negated_if(formula.is_negated())
    }

    /// Returns the values that the value of `part` at a step depends on.
    fn needed(&mut self, part: Formula, step: u32) -> Vec<(Formula, u32)> {
        let has_next = step + 1 < self.steps;
        match self.formulas.node(part) {
            Node::True | Node::Atom(_) => Vec::new(),
            Node::And(members) => self.formulas.members(members).iter().map(|&f| (f, step)).collect(),
            // Nobody asks about a formula that keeps a value: the atoms of two steps would be taken for one.
            Node::Keep(_, f) => vec![(f, step)],
            Node::Iff(a, b) => vec![(a, step), (b, step)],
            Node::Next(f) => has_next.then_some((f, step + 1)).into_iter().collect(),
            Node::Until(bound, a, b) | Node::StrongRelease(bound, a, b) => {
                let mut needed = vec![(a, step)];
                // The right side counts only from the start of the bound on.
                needed.extend((bound.from == 0).then_some((b, step)));
                needed.extend(has_next.then(|| (self.formulas.later(part), step + 1)));
                needed
            }
            Node::Previous(f) => step.checked_sub(1).map(|before| (f, before)).into_iter().collect(),
            Node::Since(a, b) => {
                let mut needed = vec![(a, step), (b, step)];
                needed.extend(step.checked_sub(1).map(|before| (part, before)));
                needed
            }
        }
    }

    fn value(&mut self, part: Formula, step: u32) -> Literal {
        let has_next = step + 1 < self.steps;
        match self.formulas.node(part) {
            Node::True => Literal::TRUE,
            Node::Atom(_) => self.solver.variable(),
            Node::And(members) => {
                let all = self.formulas.members(members).iter().map(|&f| self.known(f, step)).collect();
                self.and(all)
            }
            Node::Keep(_, f) => self.known(f, step),
            Node::Iff(a, b) => {
                let (a, b) = (self.known(a, step), self.known(b, step));
                let both = self.and(vec![a, b]);
                let neither = self.and(vec![!a, !b]);
                !self.and(vec![!both, !neither])
            }
            Node::Next(f) if has_next => self.known(f, step + 1),
            Node::Next(_) => Literal::FALSE,
            node @ (Node::Until(bound, a, b) | Node::StrongRelease(bound, a, b)) => {
                let later = if has_next {
                    let later = self.formulas.later(part);
                    self.known(later, step + 1)
                } else {
                    Literal::FALSE
                };
                let left = self.known(a, step);
                let right = (bound.from == 0).then(|| self.known(b, step));
                if matches!(node, Node::Until(..)) {
                    let rest = self.and(vec![left, later]);
                    !self.and(vec![!right.unwrap_or(Literal::FALSE), !rest])
                } else {
                    let rest = !self.and(vec![!left, !later]);
                    self.and(vec![right.unwrap_or(Literal::TRUE), rest])
                }
            }
            Node::Previous(f) => step.checked_sub(1).map_or(Literal::FALSE, |before| self.known(f, before)),
            Node::Since(a, b) => {
                let held = step.checked_sub(1).map_or(Literal::FALSE, |before| self.known(part, before));
                let (left, right) = (self.known(a, step), self.known(b, step));
                let still = self.and(vec![left, held]);
                !self.and(vec![!right, !still])
            }
        }
    }

    fn and(&mut self, mut all: Vec<Literal>) -> Literal {
        all.sort_unstable();
        all.dedup();
        all.retain(|&literal| literal != Literal::TRUE);
        // A literal sorts next to its negation.
        if all.contains(&Literal::FALSE) || all.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Literal::FALSE;
        }
        match all[..] {
            [] => Literal::TRUE,
            [one] => one,
            [_, _, ..] => {
                let whole = self.solver.variable();
                all.iter().for_each(|&literal| self.solver.add(&[!whole, literal]));
                let mut clause: Vec<Literal> = all.iter().map(|&literal| !literal).collect();
                clause.push(whole);
                self.solver.add(&clause);
                whole
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::automaton::{Automaton, ResidualId};
    use super::super::formula::Bound;
    use super::super::random::choose;
    use super::*;

    fn random(formulas: &mut Formulas, state: &mut u64, operators: u64) -> Formula {
        if operators == 0 {
            return formulas.atom(["a", "b", "c"][choose(state, 3) as usize]);
        }
        let bound = Bound::steps(choose(state, 3) as u32, 2 + choose(state, 3) as u32);
        let bound = if choose(state, 3) == 0 { bound } else { Bound::ANY };
        let kind = choose(state, 11);
        let left = if kind < 4 { operators - 1 } else { choose(state, operators) };
        let f = random(formulas, state, left);
        if kind < 4 {
            return match kind {
                0 => !f,
                1 => formulas.next(f),
                2 => formulas.previous(f),
                _ => formulas.always(bound, f),
            };
        }
        let g = random(formulas, state, operators - 1 - left);
        match kind {
            4 | 5 => formulas.and([f, g]),
            6 => formulas.or([f, g]),
            7 => formulas.iff(f, g),
            8 => formulas.until(bound, f, g),
            9 => formulas.strong_release(bound, f, g),
            _ => formulas.since(f, g),
        }
    }

    /// Checks the lengths of runs, and the runs, against the residuals of random formulas.
    #[test]
    fn a_shortest_run_is_as_long_as_the_way_to_a_satisfied_residual_and_satisfies() {
        let mut state = 7;
        let mut found = 0;
        for round in 0..2_000 {
            let mut formulas = Formulas::new();
            let formula = random(&mut formulas, &mut state, 1 + round % 10);
            let mut automaton = Automaton::new(&formulas, formula);
            let expected = automaton.steps_to_satisfaction(ResidualId::START).expect("a small formula");
            let mut work = 0;
            let run = shortest_run(&mut formulas, formula, Assumption::NONE, 3_000, &mut work);
            assert!(work <= 3_000, "{work}");
            match expected {
                None => assert_eq!(run, Err(TooMany)),
                Some(steps) => {
                    let run = run.expect("a short run");
                    assert_eq!(run.len(), steps as usize, "{}", formulas.display(formula));
                    let mut state = ResidualId::START;
                    for cube in &run {
                        let held = cube.iter().filter(|(_, holds)| *holds);
                        let names = held.map(|&(atom, _)| formulas.name(Atom(atom)));
                        let labels = automaton.labels(names);
                        state = automaton.step(state, &labels);
                    }
                    assert!(automaton.is_satisfied(state), "{}: {run:?}", formulas.display(formula));
                    found += 1;
                }
            }
        }
        assert!(found > 1_500, "{found}");
    }
}
