//! Reads any bytes as a stored test and explains it; a valid one is written, reads back the same, and is
//! written the same.

#![no_main]

use farlead::spec::{Source, Style};
use farlead::test_case::{is_test, read, specs_alone};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = Source::from_bytes("fuzz.test.ltl", bytes.to_vec()) else { return };
    let _ = is_test(source.text());
    assert_eq!(specs_alone(&source).text().lines().count(), source.text().lines().count());
    let first = read(&source);
    assert_eq!(first.test.is_none(), first.diagnostics.errors() > 0);
    let _ = first.diagnostics.render(&source, Style::Colour);
    let Some(test) = first.test else { return };
    let written = test.to_string();
    // With shared `let`s the written text may be longer than a file may be.
    if written.len() < 100_000 {
        let again = read(&Source::new("fuzz.test.ltl", written.clone())).test;
        assert_eq!(again.as_ref(), Some(&test), "{written}");
        assert_eq!(again.map(|test| test.to_string()), Some(written));
    }
});
