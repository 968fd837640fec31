//! The app models and specs of the repository, for tests.

use std::path::Path;
use std::sync::Arc;

use farlead::device::Sim;
use farlead::device::sim::{self, model::Model};
use farlead::gui::UserAction;
use farlead::rng::Seed;
use farlead::spec::{Source, Spec, parse};

/// Reads a file of the repository.
pub fn source(path: &str) -> Source {
    let full = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    Source::new(path, std::fs::read_to_string(full).expect(path))
}

/// Returns the model at `apps/NAME.app`, with these parameters.
pub fn model(name: &str, set: &[(&str, &str)]) -> Arc<Model> {
    let source = source(&format!("apps/{name}.app"));
    let read = sim::read(&source);
    let mut model = read.model.unwrap_or_else(|| {
        panic!("{}", read.diagnostics.render(&source, farlead::spec::Style::Plain));
    });
    for (name, value) in set {
        model.set(name, value).expect("a parameter of the model");
    }
    Arc::new(model)
}

/// Returns a simulator of a model.
pub fn simulator(name: &str, set: &[(&str, &str)], seed: u64) -> Sim {
    Sim::new(model(name, set), Seed(seed))
}

/// A formula of the paper's table: its letter, its level, its app, and its limit of steps.
pub struct Row {
    pub letter: char,
    pub level: char,
    pub app: &'static str,
    pub steps_max: u32,
    pub spec: Spec,
    pub actions: Arc<[UserAction]>,
}

impl Row {
    pub fn name(&self) -> String {
        format!("{}.{}", self.letter, self.level)
    }
}

/// Returns the 25 formulas of the paper's table; C and D have no details, so their `b` counts as `c` too.
pub fn table3() -> Vec<Row> {
    let files = [
        ('A', "chesswalk", "about", 4),
        ('B', "chesswalk", "settings", 4),
        ('C', "chesswalk", "pause", 4),
        ('D', "chesswalk", "sleep", 4),
        ('E', "chesswalk", "remember", 6),
        ('F', "chesswalk", "move", 4),
        ('G', "chesswalk", "second_game", 6),
        ('H', "notes", "palette", 6),
        ('I', "notes", "dummy_note", 6),
    ];
    let mut rows = Vec::new();
    for (letter, app, file, steps_max) in files {
        let parsed = parse(&source(&format!("specs/{app}/{file}.ltl")));
        for spec in parsed.file.specs.iter().filter(|spec| spec.name.len() == 1) {
            assert_eq!(spec.budget.steps_max, Some(steps_max), "{letter}.{}", spec.name);
            let level = spec.name.chars().next().expect("a letter");
            let actions: Arc<[UserAction]> = parsed.file.actions.clone().into();
            let row =
                |level| Row { letter, level, app, steps_max, spec: spec.clone(), actions: actions.clone() };
            rows.push(row(level));
            if matches!((letter, level), ('C' | 'D', 'b')) {
                rows.push(row('c'));
            }
        }
    }
    assert_eq!(rows.len(), 25);
    rows
}
