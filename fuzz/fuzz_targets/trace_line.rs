//! Reads any bytes as a line of a recorded trace, and its labels as atoms.

#![no_main]

use farlead::{spec, trace};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match trace::read_line(bytes) {
        Ok(step) => {
            for label in step.labels {
                if let Some(name) = spec::read_label(&label) {
                    assert_eq!(spec::read_label(&name).as_ref(), Some(&name), "a name is its own name");
                }
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
