//! Reads any bytes as a spec file, judges and explains it; a valid one is printed and reads back the same.

#![no_main]

use farlead::spec::{self, Source, Style};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let source = match Source::from_bytes("fuzz.ltl", bytes.to_vec()) {
        Ok(source) => source,
        Err(not_text) => {
            assert!(!not_text.diagnostic.render(&not_text.source, Style::Plain).is_empty());
            return;
        }
    };
    let linted = spec::lint(&source);
    let _ = linted.diagnostics.render(&source, Style::Colour);
    for found in &linted.file.specs {
        let _ = spec::in_words(&found.formulas, found.formula);
        let _ = spec::sub_goals(&found.formulas, found.formula);
    }
    let printed = linted.file.to_string();
    // With shared `let`s the printed text may be longer than a file may be.
    if !linted.file.specs.is_empty() && printed.len() < 100_000 {
        let again = spec::parse(&Source::new("fuzz.ltl", printed.clone()));
        assert_eq!(linted.file.specs, again.file.specs, "{printed}");
    }
});
