//! Progression against the pointwise meaning, on random formulas and traces.

use std::collections::BTreeMap;

use farlead::ltl::{Automaton, Formulas, Labels, Permanent, Share, State};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::pointwise::{Choices, Shape, Tree, formula, holds, random_tree};

struct Random(ChaCha8Rng);

impl Choices for Random {
    fn choose(&mut self, count: u32) -> u32 {
        self.0.random_range(0..count)
    }
}

/// A hundred thousand where that takes seconds: with optimisation.
const CASES: u64 = if cfg!(debug_assertions) { 4_000 } else { 100_000 };

fn each_case(mut check: impl FnMut(&Tree, &[u64])) {
    for seed in 0..CASES {
        let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
        let shape = Shape {
            operators: 1 + random.choose(12),
            atoms: 1 + random.choose(4),
            past: random.choose(2) == 0,
            bounds: random.choose(3) == 0,
        };
        let tree = random_tree(&mut random, shape);
        let trace: Vec<u64> =
            (0..1 + random.choose(9)).map(|_| u64::from(random.choose(1 << shape.atoms))).collect();
        check(&tree, &trace);
    }
}

fn automaton(tree: &Tree) -> Automaton {
    let mut formulas = Formulas::new();
    let formula = formula(tree, &mut formulas);
    Automaton::new(&formulas, formula)
}

fn labels(automaton: &Automaton, step: u64) -> Labels {
    let names: Vec<String> =
        (0..8).filter(|atom| step >> atom & 1 == 1).map(|atom| char::from(b'a' + atom).to_string()).collect();
    automaton.labels(names.iter().map(String::as_str))
}

#[test]
fn a_residual_is_satisfied_exactly_where_the_trace_so_far_satisfies_the_formula() {
    each_case(|tree, trace| {
        let mut automaton = automaton(tree);
        let mut state = State::START;
        for k in 0..trace.len() {
            state = automaton.step(state, &labels(&automaton, trace[k]));
            assert_eq!(
                automaton.is_satisfied(state),
                holds(tree, &trace[..=k], 0),
                "{tree:?} on {:?}",
                &trace[..=k]
            );
        }
    });
}

#[test]
fn a_permanent_verdict_is_that_of_every_extension() {
    each_case(|tree, trace| {
        let mut automaton = automaton(tree);
        let mut state = State::START;
        let mut settled: Option<bool> = match automaton.permanent(state) {
            Permanent::Satisfied => Some(true),
            Permanent::Violated => Some(false),
            Permanent::Open => None,
        };
        for k in 0..trace.len() {
            state = automaton.step(state, &labels(&automaton, trace[k]));
            let now = holds(tree, &trace[..=k], 0);
            assert!(settled.is_none_or(|was| was == now), "{tree:?} on {:?}", &trace[..=k]);
            let verdict = automaton.permanent(state);
            settled = match verdict {
                Permanent::Satisfied => Some(true),
                Permanent::Violated => Some(false),
                Permanent::Open => None,
            };
            assert!(settled.is_none_or(|is| is == now), "{tree:?} on {:?}", &trace[..=k]);
            // Open: some way on leads to either, which a search over residuals by hand must find.
            if verdict == Permanent::Open {
                assert!(
                    reaches(&mut automaton, state, true) && reaches(&mut automaton, state, false),
                    "{tree:?}"
                );
            }
        }
    });
}

/// Whether a state that is satisfied, or one that is not, can be reached: all label sets tried.
fn reaches(automaton: &mut Automaton, from: State, satisfied: bool) -> bool {
    let atoms = automaton.atoms().count();
    let mut met = vec![from];
    let mut next = 0;
    while next < met.len() {
        let state = met[next];
        if automaton.is_satisfied(state) == satisfied {
            return true;
        }
        for bits in 0..1u64 << atoms {
            let follower = automaton.step(state, &Labels::from_bits(bits));
            if !met.contains(&follower) {
                met.push(follower);
            }
        }
        next += 1;
    }
    false
}

#[test]
fn forgetting_changes_no_answer() {
    each_case(|tree, trace| {
        let (mut plain, mut forgetful) = (automaton(tree), automaton(tree));
        let (mut state, mut other) = (State::START, State::START);
        for &step in trace {
            other = forgetful.forget(other);
            state = plain.step(state, &labels(&plain, step));
            other = forgetful.step(other, &labels(&forgetful, step));
            assert_eq!(plain.residual(state).to_string(), forgetful.residual(other).to_string(), "{tree:?}");
            assert_eq!(plain.atom_count(state), forgetful.atom_count(other));
            assert_eq!(plain.is_satisfied(state), forgetful.is_satisfied(other));
            assert_eq!(plain.permanent(state), forgetful.permanent(other), "{tree:?}");
        }
    });
}

#[test]
fn a_prediction_says_of_all_completions_what_each_of_them_does() {
    each_case(|tree, trace| {
        let mut automaton = automaton(tree);
        let mut state = State::START;
        for &step in &trace[1..] {
            state = automaton.step(state, &labels(&automaton, step));
        }
        let atoms = automaton.atoms().count() as u32;
        let known: BTreeMap<u32, bool> =
            (0..atoms).filter(|atom| trace[0] >> atom & 1 == 1).map(|atom| (atom, atom % 2 == 0)).collect();
        let (mut violated, mut satisfied) = (Vec::new(), Vec::new());
        for bits in 0..1u64 << atoms {
            if known.iter().all(|(atom, holds)| (bits >> atom & 1 == 1) == *holds) {
                let next = automaton.step(state, &Labels::from_bits(bits));
                violated.push(automaton.permanent(next) == Permanent::Violated);
                satisfied.push(automaton.is_satisfied(next));
            }
        }
        let prediction = automaton.predict(state, &known);
        assert_eq!(prediction.violated, share(&violated), "{tree:?}");
        assert_eq!(prediction.satisfied, share(&satisfied), "{tree:?}");
    });
}

fn share(values: &[bool]) -> Share {
    match values.iter().filter(|&&value| value).count() {
        0 => Share::None,
        count if count == values.len() => Share::All,
        _ => Share::Some,
    }
}
