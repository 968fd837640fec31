//! Reads any bytes as lines of a recorded trace, and their labels as atoms; the fast reader of plain lines agrees.

#![no_main]

use farlead::{spec, trace};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = trace::Lines::new(bytes);
    while let Some(line) = lines.next().expect("bytes in memory are read") {
        let mut plain = Vec::new();
        let at_ms = line.read_plain(|label| {
            assert!(label.short().is_none_or(|short| trace::ShortLabel::of(label.text()) == Some(short)));
            // Labels that are no texts are never known.
            plain.push(String::from_utf8_lossy(label.text()).into_owned());
            std::str::from_utf8(label.text()).is_ok()
        });
        match trace::read_line(line.text()) {
            Ok(step) => {
                assert!(at_ms.is_none_or(|at_ms| (at_ms, &plain) == (step.at_ms, &step.labels)));
                for label in step.labels {
                    if let Some(name) = spec::read_label(&label) {
                        assert_eq!(spec::read_label(&name).as_ref(), Some(&name), "a name is its own name");
                    }
                }
            }
            Err(error) => assert!(at_ms.is_none() && !error.to_string().is_empty()),
        }
    }
});
