//! Turns any bytes into a formula and a trace, and compares progression with the pointwise meaning.

#![no_main]

#[path = "../../tests/it/pointwise.rs"]
mod pointwise;

use farlead::ltl::{Formulas, Monitor, Permanent, QUANTUM_MS};
use libfuzzer_sys::fuzz_target;
use pointwise::{Choices, Shape, Step, formula, holds, random_tree};

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
    };
    let tree = random_tree(&mut choices, shape);
    let mut at_ms = 0;
    let trace: Vec<Step> = (0..1 + choices.choose(9))
        .map(|_| {
            at_ms += choices.choose(4) * QUANTUM_MS;
            Step { atoms: u64::from(choices.choose(16)), at_ms }
        })
        .collect();
    let mut formulas = Formulas::new();
    let formula = formula(&tree, &mut formulas);
    let mut monitor = Monitor::new(&formulas, formula);
    let mut settled = None;
    for (k, step) in trace.iter().enumerate() {
        let names = ["a", "b", "c", "d"].into_iter().enumerate().filter(|(atom, _)| step.atoms >> atom & 1 == 1);
        let labels = monitor.labels(names.map(|(_, name)| name));
        let progress = monitor.step_at(step.at_ms.into(), labels);
        let expected = holds(&tree, &trace[..=k], 0);
        assert_eq!(progress.satisfied, expected, "{tree:?} on {:?}", &trace[..=k]);
        assert!(settled.is_none_or(|settled| settled == expected), "{tree:?} on {:?}", &trace[..=k]);
        settled = match progress.permanent {
            Permanent::Satisfied => Some(true),
            Permanent::Violated => Some(false),
            Permanent::Open => None,
        };
        assert!(settled.is_none_or(|settled| settled == expected), "{tree:?} on {:?}", &trace[..=k]);
    }
});
