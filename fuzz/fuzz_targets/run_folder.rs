//! Reads any bytes as the events of a run; valid events are written and read back the same, and can be merged with others.

#![no_main]

use std::path::Path;

use farlead::event::Event;
use farlead::report::Run;
use farlead::store::{ReadError, join, read_from};
use libfuzzer_sys::fuzz_target;

fn read(bytes: &[u8]) -> Result<Vec<Event>, ReadError> {
    read_from(bytes, Path::new("events.jsonl"))?.collect()
}

fuzz_target!(|bytes: &[u8]| match read(bytes) {
    Ok(events) => {
        let line = |event| serde_json::to_string(event).expect("texts and numbers are JSON") + "\n";
        let written: String = events.iter().map(line).collect();
        assert_eq!(read(written.as_bytes()).expect("what was written"), events);
        let mut run = Run::new();
        for event in join(vec![events.clone(), events]).events {
            run.take(event).expect("events of a run");
        }
    }
    Err(error) => {
        let lines = bytes.split(|&byte| byte == b'\n').count();
        assert!(!matches!(error, ReadError::Line { line, .. } if line == 0 || line > lines));
        assert!((1..1_000).contains(&error.to_string().chars().count()));
    }
});
