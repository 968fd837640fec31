//! Reads any bytes as a learned model; a valid one is written and reads back the same.

#![no_main]

use farlead::learned_model::LearnedModel;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match LearnedModel::read(text) {
        Ok(model) => {
            let written = model.to_text();
            let again = LearnedModel::read(&written).expect("what was written");
            assert_eq!(again.last_point(), model.last_point());
            assert_eq!(again.to_text(), written);
        }
        Err(message) => assert!(!message.is_empty()),
    }
});
