//! Kept values against the pointwise meaning, on random formulas and traces.

use std::collections::BTreeMap;

use farlead::ltl::{Assumption, Formulas, Permanent, QUANTUM_MS, ResidualId, Share};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::ci;
use crate::kept_run::Run;
use crate::pointwise::{Choices, Shape, Step, Tree, holds, random_tree};
use crate::progression::{Random, automaton};

fn each_case(cases: u64, mut check: impl FnMut(&Tree, &[Step])) {
    for seed in 0..ci::cases(cases, cases / 10) {
        let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
        let shape = Shape {
            operators: 2 + random.choose(12),
            atoms: 1 + random.choose(2),
            past: random.choose(3) == 0,
            bounds: random.choose(3) == 0,
            clock: random.choose(4) == 0,
            values: true,
        };
        let tree = random_tree(&mut random, shape);
        let mut at_ms = 0;
        let steps = 1 + random.choose(8);
        let trace: Vec<Step> = (0..steps)
            .map(|_| {
                at_ms += random.choose(4) * 100;
                let mut variable = || random.choose(3) as u8;
                let variables = [variable(), variable()];
                Step { atoms: u64::from(random.choose(1 << shape.atoms)), at_ms, variables }
            })
            .collect();
        check(&tree, &trace);
    }
}

#[test]
fn a_residual_is_satisfied_exactly_where_the_trace_so_far_satisfies_the_formula() {
    let mut kept = 0;
    each_case(16_000, |tree, trace| {
        let mut run = Run::new(tree, QUANTUM_MS);
        kept += usize::from(!run.automaton.keeps().is_empty());
        for k in 0..trace.len() {
            run.step(&trace[k]);
            assert_eq!(
                run.automaton.is_satisfied(run.state),
                holds(tree, &trace[..=k], 0),
                "{tree:?} on {:?}",
                &trace[..=k]
            );
        }
    });
    assert!(kept > 1_000, "{kept}");
}

#[test]
fn what_is_permanent_and_what_is_near_is_so_whatever_the_values() {
    each_case(5_000, |tree, trace| {
        let mut run = Run::new(tree, QUANTUM_MS);
        let satisfied: Vec<bool> = (0..trace.len()).map(|k| holds(tree, &trace[..=k], 0)).collect();
        for k in 0..=trace.len() {
            let rest = &satisfied[k.saturating_sub(1)..];
            let rest = if k == 0 { &satisfied[..] } else { rest };
            match run.automaton.permanent(run.state) {
                Permanent::Satisfied => assert!(rest.iter().all(|is| *is), "{tree:?} on {trace:?} at {k}"),
                Permanent::Violated => assert!(rest.iter().all(|is| !is), "{tree:?} on {trace:?} at {k}"),
                Permanent::Open => {}
            }
            // No trace is satisfied sooner than the distance says.
            if let Ok(distance) = run.automaton.steps_to_satisfaction(run.state) {
                let first = rest.iter().position(|is| *is).map(|at| at as u32 + u32::from(k == 0));
                let too_far = |first: u32| distance.is_none_or(|distance| distance > first);
                assert!(!first.is_some_and(too_far), "{tree:?} on {trace:?} at {k}: {distance:?}");
            }
            let Some(step) = trace.get(k) else { break };
            let before = run.automaton.predict(run.state, &BTreeMap::new());
            run.step(step);
            match before.satisfied {
                Share::All => assert!(satisfied[k], "{tree:?} on {trace:?} at {k}"),
                Share::None => assert!(!satisfied[k], "{tree:?} on {trace:?} at {k}"),
                Share::Some => {}
            }
        }
    });
}

#[test]
fn a_shortest_run_is_followed_to_its_end_by_the_names_of_its_atoms() {
    let mut found = 0;
    each_case(8_000, |tree, _| {
        let mut automaton = automaton(tree);
        let Ok(Some(run)) = automaton.witness(&Formulas::new(), Assumption::NONE) else { return };
        let mut state = ResidualId::START;
        for (elapsed_ms, cube) in &run {
            let held = cube.iter().filter(|(_, holds)| *holds);
            let names: Vec<String> = held.map(|&(atom, _)| automaton.atom_name(atom).to_owned()).collect();
            let labels = automaton.labels(names.iter().map(String::as_str));
            state = automaton.step(state, &labels.after(*elapsed_ms));
            found += usize::from(names.iter().any(|name| name.ends_with(')')));
        }
        assert!(automaton.is_satisfied(state), "{tree:?}: {run:?}");
    });
    assert!(found > 5, "{found}");
}

#[test]
fn residuals_that_forget_values_go_on_alike() {
    each_case(5_000, |tree, trace| {
        let mut run = Run::new(tree, QUANTUM_MS);
        for k in 0..trace.len() {
            run.step(&trace[k]);
            run.state = run.automaton.forget(run.state);
            assert_eq!(
                run.automaton.is_satisfied(run.state),
                holds(tree, &trace[..=k], 0),
                "{tree:?} on {trace:?}"
            );
        }
    });
}
