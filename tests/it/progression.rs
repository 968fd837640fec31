//! Progression against the pointwise meaning, on random formulas and traces.

use std::collections::BTreeMap;

use farlead::ltl::{
    Automaton, Bound, Formula, Formulas, Labels, Monitor, Permanent, ResidualId, Share, TooManyResiduals,
};
use farlead::spec::{self, Names, Source};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::ci;
use crate::pointwise::{Choices, Shape, Step, Tree, formula, holds, random_tree};

/// Choices by chance.
pub struct Random(pub ChaCha8Rng);

impl Choices for Random {
    fn choose(&mut self, count: u32) -> u32 {
        self.0.random_range(0..count)
    }
}

fn each_case(mut check: impl FnMut(&Tree, &[u64])) {
    for seed in 0..ci::cases(16_000, 4_000) {
        let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
        let shape = Shape {
            operators: 1 + random.choose(12),
            atoms: 1 + random.choose(4),
            past: random.choose(2) == 0,
            bounds: random.choose(3) == 0,
            clock: false,
            values: false,
        };
        let tree = random_tree(&mut random, shape);
        let trace: Vec<u64> =
            (0..1 + random.choose(9)).map(|_| u64::from(random.choose(1 << shape.atoms))).collect();
        check(&tree, &trace);
    }
}

/// Returns steps without a clock, each given by its atoms.
fn untimed(trace: &[u64]) -> Vec<Step> {
    trace.iter().map(|&atoms| Step { atoms, at_ms: 0, variables: [0; 2] }).collect()
}

/// Returns the automaton of `tree`.
pub fn automaton(tree: &Tree) -> Automaton {
    automaton_in(tree, Formulas::new())
}

/// Returns the automaton of `tree` as a formula of `formulas`.
pub fn automaton_in(tree: &Tree, mut formulas: Formulas) -> Automaton {
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
        let mut state = ResidualId::START;
        for k in 0..trace.len() {
            state = automaton.step(state, &labels(&automaton, trace[k]));
            assert_eq!(
                automaton.is_satisfied(state),
                holds(tree, &untimed(&trace[..=k]), 0),
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
        let mut state = ResidualId::START;
        let mut settled: Option<bool> = match automaton.permanent(state) {
            Permanent::Satisfied => Some(true),
            Permanent::Violated => Some(false),
            Permanent::Open => None,
        };
        for k in 0..trace.len() {
            state = automaton.step(state, &labels(&automaton, trace[k]));
            let now = holds(tree, &untimed(&trace[..=k]), 0);
            assert!(settled.is_none_or(|was| was == now), "{tree:?} on {:?}", &trace[..=k]);
            let verdict = automaton.permanent(state);
            settled = match verdict {
                Permanent::Satisfied => Some(true),
                Permanent::Violated => Some(false),
                Permanent::Open => None,
            };
            assert!(settled.is_none_or(|is| is == now), "{tree:?} on {:?}", &trace[..=k]);
            // Open means that both verdicts can still be reached, as a search over residuals must find.
            if verdict == Permanent::Open {
                assert!(
                    reaches(&mut automaton, state, true) && reaches(&mut automaton, state, false),
                    "{tree:?}"
                );
            }
        }
    });
}

/// Returns true if a satisfied state, or an unsatisfied one, can be reached; tries all label sets.
fn reaches(automaton: &mut Automaton, from: ResidualId, satisfied: bool) -> bool {
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
fn a_residual_as_printed_means_what_is_left() {
    each_case(|tree, trace| {
        let mut automaton = automaton(tree);
        let mut state = ResidualId::START;
        for &step in trace {
            state = automaton.step(state, &labels(&automaton, step));
        }
        let text = automaton.residual(state).to_string();
        let read = spec::parse_formula(&Source::new("residual", &*text), Names::Any);
        let formula = read.formula.expect("a residual can be read back");
        let mut again = Automaton::new(&read.formulas, formula);
        let mut ahead = ResidualId::START;
        for &step in trace {
            state = automaton.step(state, &labels(&automaton, step));
            ahead = again.step(ahead, &labels(&again, step));
            assert_eq!(automaton.is_satisfied(state), again.is_satisfied(ahead), "{tree:?} left {text}");
        }
    });
}

#[test]
fn forgetting_changes_no_answer() {
    each_case(|tree, trace| {
        let (mut plain, mut forgetful) = (automaton(tree), automaton(tree));
        let (mut state, mut other) = (ResidualId::START, ResidualId::START);
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
        let mut state = ResidualId::START;
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

/// Returns for how many of `values` it is true.
pub fn share(values: &[bool]) -> Share {
    match values.iter().filter(|&&value| value).count() {
        0 => Share::None,
        count if count == values.len() => Share::All,
        _ => Share::Some,
    }
}

/// Returns the automaton of `F (a & a0) & F (a & a1) & ...`, which has as many residuals as there are subsets of the atoms.
fn all_of(count: u32, and_never_the_first: bool) -> Automaton {
    let mut formulas = Formulas::new();
    let shared = formulas.atom("a");
    let atoms: Vec<Formula> = (0..count).map(|n| formulas.atom(&format!("a{n:04}"))).collect();
    let mut parts: Vec<Formula> = Vec::new();
    for &atom in &atoms {
        let both = formulas.and([atom, shared]);
        parts.push(formulas.eventually(Bound::ANY, both));
    }
    if and_never_the_first {
        // Spelled so that no normal form sees the contradiction.
        let next = formulas.weak_next(!atoms[0]);
        let never = formulas.always(Bound::ANY, next);
        parts.extend([never, !atoms[0]]);
    }
    let formula = formulas.and(parts);
    Automaton::new(&formulas, formula)
}

#[test]
fn a_verdict_is_exact_up_to_fifty_thousand_residuals_and_open_beyond() {
    assert_eq!(all_of(10, true).permanent(ResidualId::START), Permanent::Violated);
    assert_eq!(all_of(13, true).permanent(ResidualId::START), Permanent::Violated);
    assert_eq!(all_of(18, true).permanent(ResidualId::START), Permanent::Open);
    assert_eq!(all_of(40, true).permanent(ResidualId::START), Permanent::Open);
    assert_eq!(all_of(40, true).steps_to_satisfaction(ResidualId::START), Err(TooManyResiduals));
    assert_eq!(all_of(10, false).permanent(ResidualId::START), Permanent::Open);
    assert_eq!(all_of(10, false).steps_to_satisfaction(ResidualId::START), Ok(Some(1)));
    // A shortest run is found without its residuals.
    assert_eq!(all_of(40, false).steps_to_satisfaction(ResidualId::START), Ok(Some(1)));
}

#[test]
fn thousands_of_atoms_and_operators_are_followed_without_a_deep_stack() {
    let mut automaton = all_of(3_000, false);
    let names: Vec<String> = automaton.atoms().map(str::to_owned).collect();
    let mut state = ResidualId::START;
    for chunk in names.chunks(1_000) {
        let labels = automaton.labels(chunk.iter().map(String::as_str).chain(["a"]));
        state = automaton.step(state, &labels);
    }
    assert_eq!(automaton.residual(state).to_string(), "true");

    let mut formulas = Formulas::new();
    let (a, b) = (formulas.atom("a"), formulas.atom("b"));
    let mut chain = b;
    for n in 0..10_000 {
        chain = if n % 2 == 0 { formulas.until(Bound::ANY, a, chain) } else { !formulas.next(chain) };
    }
    let mut automaton = Automaton::new(&formulas, chain);
    let mut state = ResidualId::START;
    for bits in [1, 1, 3, 0, 2] {
        state = automaton.step(state, &Labels::from_bits(bits));
    }
    assert!(automaton.residual(state).to_string().len() > 1_000);
}

/// Checks that `(F a) U (F b)` leaves a longer formula at every step, as nothing is absorbed.
#[test]
fn a_residual_that_would_grow_for_ever_is_spelled_shorter_in_the_end() {
    let mut formulas = Formulas::new();
    let (a, b) = (formulas.atom("a"), formulas.atom("b"));
    let (fa, fb) = (formulas.eventually(Bound::ANY, a), formulas.eventually(Bound::ANY, b));
    let formula = formulas.until(Bound::ANY, fa, fb);
    let mut monitor = Monitor::new(&formulas, formula);
    let mut largest = 0;
    for _ in 0..100_000 {
        largest = largest.max(monitor.step([]).atom_count);
    }
    assert!((1_000..50_000).contains(&largest), "{largest}");
    assert_eq!(monitor.permanent(), Permanent::Open);
    assert!(monitor.step(["b"]).satisfied);
}
