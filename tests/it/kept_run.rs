//! Random formulas that keep values, followed by the engine.

use farlead::ltl::{Automaton, Formulas, Interval, Labels, ResidualId};

use crate::pointwise::{Step, Tree, formula};

/// A trace that is followed with an automaton, where values take the place of names in the names of atoms.
pub struct Run {
    pub automaton: Automaton,
    pub state: ResidualId,
    at_ms: u32,
}

impl Run {
    pub fn new(tree: &Tree, quantum_ms: u32) -> Run {
        let mut formulas = Formulas::with_quantum(quantum_ms);
        let formula = formula(tree, &mut formulas);
        Run { automaton: Automaton::new(&formulas, formula), state: ResidualId::START, at_ms: 0 }
    }

    fn labels(&mut self, step: &Step) -> Labels {
        let keeps: Vec<String> = self.automaton.keeps().iter().map(|text| text.to_string()).collect();
        let value_of = |text: &String| {
            let (_, variable) = text.split_once('=').expect("a variable");
            step.variables[variable.parse::<usize>().expect("its number")].to_string()
        };
        let values: Vec<String> = keeps.iter().map(value_of).collect();
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        let rename =
            &mut |name: &str, keep: usize| name.replace(&format!("{{{}}}", keeps[keep]), &values[keep]);
        let binding = self.automaton.bind(&texts, rename);
        let count = self.automaton.atoms().count() as u32;
        let others = self.automaton.atoms_with_values().chain(self.automaton.atoms_with_names());
        let numbers: Vec<u32> = (0..count).chain(others).collect();
        let holds = |&number: &u32| {
            let name = self.automaton.name_with_values(number, binding);
            match name.strip_prefix('=') {
                Some(sum) => {
                    let parts = sum.split('+').map(|part| part.parse::<u8>().expect("a value"));
                    parts.sum::<u8>() == step.variables[0]
                }
                None => step.atoms >> (name.as_bytes()[0] - b'a') & 1 == 1,
            }
        };
        let labels: Labels = numbers.into_iter().filter(holds).collect();
        let interval = Interval { from_ms: self.at_ms.into(), to_ms: step.at_ms.into() };
        self.at_ms = step.at_ms;
        labels.after(self.automaton.told_apart_ms(interval)).with_binding(binding)
    }

    pub fn step(&mut self, step: &Step) {
        let labels = self.labels(step);
        self.state = self.automaton.step(self.state, &labels);
    }
}
