//! Bounds in time against the pointwise meaning, on random formulas and timed traces.

use std::collections::BTreeMap;

use farlead::ltl::{
    Assumption, Automaton, Bound, Formulas, Labels, Monitor, Permanent, QUANTUM_MS, ResidualId, elapsed_ms,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::ci;
use crate::pointwise::{Choices, Shape, Step, Tree, holds, random_tree};
use crate::progression::{Random, automaton, share};

/// Longest time between two steps, beyond every bound of a random formula.
const LONGEST_MS: u32 = 800;

fn each_case(seeds: u64, operators_max: u32, mut check: impl FnMut(&Tree, &[Step])) {
    for seed in 0..seeds {
        let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
        let shape = Shape {
            operators: 1 + random.choose(operators_max),
            atoms: 1 + random.choose(2),
            past: random.choose(3) == 0,
            bounds: true,
            clock: true,
            values: false,
        };
        let tree = random_tree(&mut random, shape);
        let mut at_ms = 0;
        let trace: Vec<Step> = (0..1 + random.choose(7))
            .map(|_| {
                at_ms += random.choose(4) * QUANTUM_MS;
                Step { atoms: u64::from(random.choose(1 << shape.atoms)), at_ms, variables: [0; 2] }
            })
            .collect();
        check(&tree, &trace);
    }
}

/// Returns the labels of step `k` of a trace.
fn labels(automaton: &Automaton, trace: &[Step], k: usize) -> Labels {
    let has = |atom: u8| trace[k].atoms >> atom & 1 == 1;
    let names: Vec<String> =
        (0..8).filter(|&atom| has(atom)).map(|atom| char::from(b'a' + atom).to_string()).collect();
    let before_ms = if k == 0 { 0 } else { trace[k - 1].at_ms };
    let elapsed = elapsed_ms(before_ms.into(), trace[k].at_ms.into());
    automaton.labels(names.iter().map(String::as_str)).after(elapsed)
}

/// Returns the labels of each step that can come next, and each time that may pass before it.
fn all_labels(automaton: &Automaton) -> Vec<Labels> {
    let atoms = automaton.atoms().count();
    let times = (0..=LONGEST_MS / QUANTUM_MS).map(|quanta| quanta * QUANTUM_MS);
    times.flat_map(|ms| (0..1u64 << atoms).map(move |bits| Labels::from_bits(bits).after(ms))).collect()
}

#[test]
fn a_residual_is_satisfied_exactly_where_the_timed_trace_so_far_satisfies_the_formula() {
    each_case(ci::cases(30_000, 10_000), 9, |tree, trace| {
        let mut automaton = automaton(tree);
        let mut state = ResidualId::START;
        for k in 0..trace.len() {
            state = automaton.step(state, &labels(&automaton, trace, k));
            let expected = holds(tree, &trace[..=k], 0);
            assert_eq!(automaton.is_satisfied(state), expected, "{tree:?} on {:?}", &trace[..=k]);
        }
    });
}

/// Checks what is permanent, the fewest steps to a verdict, and predictions, by a search that tries every step and every time.
#[test]
fn what_can_follow_is_that_of_every_way_time_may_pass() {
    let mut settled = [0; 2];
    each_case(ci::cases(4_000, 600), 5, |tree, trace| {
        let mut automaton = automaton(tree);
        let every = all_labels(&automaton);
        let mut state = ResidualId::START;
        for k in 0..trace.len() {
            // Residuals that mean the same may be spelled in ever-new ways.
            let Some(reached) = distances(&mut automaton, state, &every) else { break };
            let at_start = state == ResidualId::START;
            let expected = match reached {
                [Some(_), None] => Permanent::Satisfied,
                [None, Some(_)] => Permanent::Violated,
                _ => Permanent::Open,
            };
            assert_eq!(automaton.permanent(state), expected, "{tree:?} on {:?}", &trace[..k]);
            assert_eq!(
                automaton.steps_to_satisfaction(state),
                Ok(reached[0]),
                "{tree:?} on {:?}",
                &trace[..k]
            );
            match expected {
                Permanent::Satisfied if !at_start => settled[0] += 1,
                Permanent::Violated if !at_start => settled[1] += 1,
                _ => {}
            }
            let (mut violated, mut satisfied) = (Vec::new(), Vec::new());
            for labels in every.iter().filter(|labels| labels.contains(0)) {
                let next = automaton.step(state, labels);
                violated.push(automaton.permanent(next) == Permanent::Violated);
                satisfied.push(automaton.is_satisfied(next));
            }
            if automaton.atoms().count() > 0 {
                let prediction = automaton.predict(state, &BTreeMap::from([(0, true)]));
                assert_eq!(prediction.violated, share(&violated), "{tree:?} on {:?}", &trace[..k]);
                assert_eq!(prediction.satisfied, share(&satisfied), "{tree:?} on {:?}", &trace[..k]);
            }
            state = automaton.step(state, &labels(&automaton, trace, k));
        }
    });
    assert!(settled.iter().all(|&count| count > 100), "{settled:?}");
}

/// Returns the fewest steps to a satisfied state and to one that is not, none if there are too many states; the start itself
/// does not count.
fn distances(automaton: &mut Automaton, from: ResidualId, every: &[Labels]) -> Option<[Option<u32>; 2]> {
    let mut found = [None; 2];
    let mut met = vec![from];
    let (mut first, mut steps) = (0, 0);
    while first < met.len() {
        let last = met.len();
        for at in first..last {
            let state = met[at];
            if state != ResidualId::START {
                found[usize::from(!automaton.is_satisfied(state))].get_or_insert(steps);
            }
            if found[0].is_some() && found[1].is_some() {
                return Some(found);
            }
            if met.len() > 300 {
                return None;
            }
            for labels in every {
                let next = automaton.step(state, labels);
                if !met.contains(&next) {
                    met.push(next);
                }
            }
        }
        first = last;
        steps += 1;
    }
    Some(found)
}

#[test]
fn a_shortest_run_satisfies_the_formula_at_its_times() {
    let mut found = 0;
    each_case(ci::cases(4_000, 600), 5, |tree, _| {
        let mut automaton = automaton(tree);
        let steps = automaton.steps_to_satisfaction(ResidualId::START);
        let run = automaton.witness(&Formulas::new(), Assumption::NONE).expect("a small formula");
        assert_eq!(Ok(run.as_ref().map(|run| run.len() as u32)), steps, "{tree:?}");
        let names: Vec<String> = automaton.atoms().map(str::to_owned).collect();
        let mut at_ms = 0;
        let trace: Vec<Step> = run
            .into_iter()
            .flatten()
            .map(|(elapsed, cube)| {
                at_ms += elapsed;
                let held = cube.iter().filter(|(_, holds)| *holds);
                let atoms = held.map(|&(atom, _)| 1 << (names[atom as usize].as_bytes()[0] - b'a')).sum();
                Step { atoms, at_ms, variables: [0; 2] }
            })
            .collect();
        if !trace.is_empty() {
            assert!(holds(tree, &trace, 0), "{tree:?}: {trace:?}");
            found += 1;
        }
    });
    assert!(found > 300, "{found}");
}

#[test]
fn forgetting_changes_no_answer_about_time() {
    each_case(ci::cases(20_000, 1_000), 9, |tree, trace| {
        let (mut plain, mut forgetful) = (automaton(tree), automaton(tree));
        let (mut state, mut other) = (ResidualId::START, ResidualId::START);
        for k in 0..trace.len() {
            other = forgetful.forget(other);
            state = plain.step(state, &labels(&plain, trace, k));
            other = forgetful.step(other, &labels(&forgetful, trace, k));
            assert_eq!(plain.residual(state).to_string(), forgetful.residual(other).to_string(), "{tree:?}");
            assert_eq!(plain.is_satisfied(state), forgetful.is_satisfied(other));
            assert_eq!(plain.permanent(state), forgetful.permanent(other), "{tree:?}");
        }
    });
}

#[test]
fn a_minute_is_judged_and_an_hour_is_followed() {
    let mut formulas = Formulas::new();
    let (dark, lit) = (formulas.atom("dark"), formulas.atom("lit"));
    let soon = formulas.eventually(Bound::time(0, 60_000), dark);
    let stays = formulas.always(Bound::time(0, 60_000), lit);
    let (both, apart) = (formulas.and([dark, lit]), formulas.always(Bound::ANY, lit));
    let never_both = formulas.always(Bound::ANY, !both);
    let contradiction = formulas.and([soon, stays, never_both, apart]);
    assert_eq!(Automaton::new(&formulas, contradiction).permanent(ResidualId::START), Permanent::Violated);

    let hour = formulas.eventually(Bound::time(0, 3_600_000), dark);
    let mut monitor = Monitor::new(&formulas, hour);
    let labels = monitor.labels([]);
    assert!(!monitor.step_at(0, labels.clone()).satisfied);
    assert_eq!(monitor.step_at(3_600_000, labels.clone()).permanent, Permanent::Open);
    assert_eq!(monitor.residual().to_string(), "F[<=0s] dark");
    assert_eq!(monitor.step_at(3_600_100, labels).permanent, Permanent::Violated);
}
