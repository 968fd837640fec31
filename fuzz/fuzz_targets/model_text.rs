//! Reads any bytes as an app model, shows its mistakes, and sets its parameters.

#![no_main]

use farlead::device::sim;
use farlead::spec::{Source, Style};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = Source::from_bytes("fuzz.app", bytes.to_vec()) else { return };
    let read = sim::read(&source);
    let _ = read.diagnostics.render(&source, Style::Colour);
    assert_eq!(read.model.is_some(), read.diagnostics.errors() == 0);
    for diagnostic in read.diagnostics.iter() {
        assert!(source.text().get(diagnostic.span.clone()).is_some());
    }
    let Some(mut model) = read.model else { return };
    assert!(!model.launchable.is_empty());
    let names: Vec<String> = model.globals.iter().map(|global| global.name.to_string()).collect();
    for name in names {
        for value in ["true", "3", "a"] {
            let _ = model.set(&name, value);
        }
    }
});
