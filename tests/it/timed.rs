//! Bounds in time against the pointwise meaning, on random formulas and timed traces.

use std::collections::BTreeMap;

use farlead::ltl::{
    Assumption, Automaton, Bound, Formulas, Interval, Labels, Monitor, Permanent, ResidualId,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::ci;
use crate::pointwise::{Choices, Shape, Step, Tree, floored, holds, random_tree};
use crate::progression::{Random, automaton_in, share};

/// Longest time between two steps, beyond every bound of a random formula.
const LONGEST_MS: u32 = 800;

/// Quanta of random formulas. With few, all times up to the longest bound can be tried.
const QUANTA_MS: [u32; 8] = [1, 7, 30, 50, 100, 130, 250, 1000];
const FEW_MS: [u32; 4] = [50, 100, 130, 1000];

/// Random formula with its quantum, and a timed trace.
struct Case {
    tree: Tree,
    quantum_ms: u32,
    trace: Vec<Step>,
}

impl Case {
    fn automaton(&self) -> Automaton {
        automaton_in(&self.tree, Formulas::with_quantum(self.quantum_ms))
    }

    /// Returns true if the first steps of the trace satisfy the formula by its definition.
    fn holds(&self, steps: usize) -> bool {
        holds(&self.tree, &floored(&self.trace[..steps], self.quantum_ms), 0)
    }

    /// Returns the labels of step `k` of the trace.
    fn labels(&self, automaton: &Automaton, k: usize) -> Labels {
        let has = |atom: u8| self.trace[k].atoms >> atom & 1 == 1;
        let names: Vec<String> =
            (0..8).filter(|&atom| has(atom)).map(|atom| char::from(b'a' + atom).to_string()).collect();
        let from_ms = if k == 0 { 0 } else { self.trace[k - 1].at_ms };
        let interval = Interval { from_ms: from_ms.into(), to_ms: self.trace[k].at_ms.into() };
        automaton.labels(names.iter().map(String::as_str)).after(automaton.told_apart_ms(interval))
    }

    /// Returns the labels of each step that can come next, and each time that may pass before it.
    fn all_labels(&self, automaton: &Automaton) -> Vec<Labels> {
        let atoms = automaton.atoms().count();
        let times = (0..=LONGEST_MS.div_ceil(self.quantum_ms)).map(|quanta| quanta * self.quantum_ms);
        times.flat_map(|ms| (0..1u64 << atoms).map(move |bits| Labels::from_bits(bits).after(ms))).collect()
    }

    fn shown(&self, steps: usize) -> String {
        format!("{:?} to {} ms on {:?}", self.tree, self.quantum_ms, &self.trace[..steps])
    }
}

fn each_case(seeds: u64, operators_max: u32, quanta_ms: &[u32], mut check: impl FnMut(&Case)) {
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
        let quantum_ms = quanta_ms[random.choose(quanta_ms.len() as u32) as usize];
        let mut at_ms = 0;
        let trace: Vec<Step> = (0..1 + random.choose(7))
            .map(|_| {
                at_ms += random.choose(4) * 100 + random.choose(2) * random.choose(100);
                Step { atoms: u64::from(random.choose(1 << shape.atoms)), at_ms, variables: [0; 2] }
            })
            .collect();
        check(&Case { tree, quantum_ms, trace });
    }
}

#[test]
fn a_residual_is_satisfied_exactly_where_the_timed_trace_so_far_satisfies_the_formula() {
    each_case(10_000, 9, &QUANTA_MS, |case| {
        let mut automaton = case.automaton();
        let mut state = ResidualId::START;
        for k in 0..case.trace.len() {
            state = automaton.step(state, &case.labels(&automaton, k));
            assert_eq!(automaton.is_satisfied(state), case.holds(k + 1), "{}", case.shown(k + 1));
        }
    });
}

/// Checks what is permanent, the fewest steps to a verdict, and predictions, by a search that tries every step and every time.
#[test]
fn what_can_follow_is_that_of_every_way_time_may_pass() {
    let mut settled = [0; 2];
    each_case(ci::cases(2_000, 600), 5, &FEW_MS, |case| {
        let mut automaton = case.automaton();
        let every = case.all_labels(&automaton);
        let mut state = ResidualId::START;
        for k in 0..case.trace.len() {
            // Residuals that mean the same may be spelled in ever-new ways.
            let Some(reached) = distances(&mut automaton, state, &every) else { break };
            let at_start = state == ResidualId::START;
            let expected = match reached {
                [Some(_), None] => Permanent::Satisfied,
                [None, Some(_)] => Permanent::Violated,
                _ => Permanent::Open,
            };
            assert_eq!(automaton.permanent(state), expected, "{}", case.shown(k));
            assert_eq!(automaton.steps_to_satisfaction(state), Ok(reached[0]), "{}", case.shown(k));
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
                assert_eq!(prediction.violated, share(&violated), "{}", case.shown(k));
                assert_eq!(prediction.satisfied, share(&satisfied), "{}", case.shown(k));
            }
            state = automaton.step(state, &case.labels(&automaton, k));
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
    let (mut found, mut left_open) = (0, 0);
    each_case(ci::cases(2_000, 600), 5, &QUANTA_MS, |case| {
        let tree = &case.tree;
        let mut automaton = case.automaton();
        let steps = automaton.steps_to_satisfaction(ResidualId::START);
        // With a short quantum, times beyond times have more residuals than are looked at.
        let run = match automaton.witness(&Formulas::new(), Assumption::NONE) {
            Ok(run) => run,
            Err(error) => {
                assert_eq!(steps, Err(error), "{tree:?}");
                left_open += 1;
                return;
            }
        };
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
    assert!(found > 300 && left_open < found / 20, "{found} found, {left_open} left open");
}

#[test]
fn forgetting_changes_no_answer_about_time() {
    each_case(1_000, 9, &QUANTA_MS, |case| {
        let tree = &case.tree;
        let (mut plain, mut forgetful) = (case.automaton(), case.automaton());
        let (mut state, mut other) = (ResidualId::START, ResidualId::START);
        for k in 0..case.trace.len() {
            other = forgetful.forget(other);
            state = plain.step(state, &case.labels(&plain, k));
            other = forgetful.step(other, &case.labels(&forgetful, k));
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
