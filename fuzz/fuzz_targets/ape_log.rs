//! Reads any bytes as APE's log: what is read is a run that begins with a start, else there is a mistake with its place.

#![no_main]

use farlead::gui::Action;
use farlead::spec::{Source, Style};
use farlead::test_case::{is_ape_log, read_ape_log, read_entry};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source::new("action-history.log", text);
    let (run, diagnostics) = read_ape_log(&source);
    assert_eq!(run.is_some(), diagnostics.errors() == 0);
    assert!(diagnostics.render(&source, Style::Plain).len() < 200_000);
    for line in source.text().lines() {
        if let Err(error) = read_entry(line) {
            assert!((1..2_000).contains(&error.to_string().len()), "{error}");
        }
    }
    if let Some(run) = run {
        assert!(is_ape_log(source.text()) || source.text().lines().any(|line| read_entry(line).is_ok()));
        assert!(matches!(run.actions[0], Action::Reinitialise(_)) && run.actions.len() > 1);
    }
});
