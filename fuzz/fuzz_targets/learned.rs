//! Reads any bytes as what was learned of an app; a valid file is written and reads back the same.

#![no_main]

use farlead::learned::Learned;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let lines = text.lines().count();
    match Learned::read(text) {
        Ok(learned) => {
            let written = learned.to_text();
            let again = Learned::read(&written).expect("what was written");
            assert_eq!(again.app, learned.app);
            assert_eq!(again.experience.steps(), learned.experience.steps());
            assert_eq!(again.experience.runs().count(), learned.experience.runs().count());
            assert_eq!(again.to_text(), written);
        }
        Err(mistake) => {
            assert!((1..=lines).contains(&mistake.line));
            assert!(!mistake.message.is_empty());
        }
    }
});
