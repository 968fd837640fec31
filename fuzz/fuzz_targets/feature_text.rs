//! Reads any bytes as a feature in plain words, judges it; each spec of a valid one is printed and reads back the same.

#![no_main]

use farlead::spec::{self, Source, Style};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = Source::from_bytes("fuzz.feature", bytes.to_vec()) else { return };
    let linted = spec::lint(&source);
    let _ = linted.diagnostics.render(&source, Style::Colour);
    let _ = spec::scenario_names(&source);
    for found in &linted.file.specs {
        let printed = found.to_string();
        let again = spec::parse(&Source::new("fuzz.ltl", printed.clone()));
        assert_eq!(Some(found), again.file.specs.first(), "{printed}");
        assert_eq!(printed, again.file.specs[0].to_string());
    }
});
