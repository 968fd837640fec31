//! Turns any bytes into a formula and a trace, and compares progression with the pointwise meaning.

#![no_main]

#[path = "../../tests/it/pointwise.rs"]
mod pointwise;

#[path = "../../tests/it/kept_run.rs"]
mod kept_run;

use farlead::ltl::Permanent;
use kept_run::Run;
use libfuzzer_sys::fuzz_target;
use pointwise::{Choices, Shape, Step, floored, holds, random_tree};

/// The input as choices; at its end, always the first one.
struct Bytes<'a>(std::slice::Iter<'a, u8>);

impl Choices for Bytes<'_> {
    fn choose(&mut self, count: u32) -> u32 {
        u32::from(self.0.next().copied().unwrap_or(0)) % count
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Bytes(bytes.iter());
    let shape = Shape {
        operators: choices.choose(16),
        atoms: 1 + choices.choose(4),
        past: choices.choose(2) == 0,
        bounds: choices.choose(2) == 0,
        clock: choices.choose(2) == 0,
        values: choices.choose(2) == 0,
    };
    let tree = random_tree(&mut choices, shape);
    let mut at_ms = 0;
    let trace: Vec<Step> = (0..1 + choices.choose(9))
        .map(|_| {
            at_ms += choices.choose(8) * 50;
            let variables = [choices.choose(3) as u8, choices.choose(3) as u8];
            Step { atoms: u64::from(choices.choose(16)), at_ms, variables }
        })
        .collect();
    let quantum_ms = [100, 50, 30, 250][choices.choose(4) as usize];
    let mut run = Run::new(&tree, quantum_ms);
    let floored = floored(&trace, quantum_ms);
    let mut settled = None;
    for (k, step) in trace.iter().enumerate() {
        run.step(step);
        let expected = holds(&tree, &floored[..=k], 0);
        assert_eq!(run.automaton.is_satisfied(run.state), expected, "{tree:?} on {:?}", &trace[..=k]);
        assert!(settled.is_none_or(|settled| settled == expected), "{tree:?} on {:?}", &trace[..=k]);
        settled = match run.automaton.permanent(run.state) {
            Permanent::Satisfied => Some(true),
            Permanent::Violated => Some(false),
            Permanent::Open => None,
        };
        assert!(settled.is_none_or(|settled| settled == expected), "{tree:?} on {:?}", &trace[..=k]);
    }
});
