//! Reads any bytes as a policy; a valid file is written and reads back the same.

#![no_main]

use farlead::policy::Policy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Policy::read(text) {
        Ok(policy) => {
            let written = policy.to_text();
            assert_eq!(Policy::read(&written).expect("what was written").to_text(), written);
        }
        Err(mistake) => {
            assert!((1..=3).contains(&mistake.line));
            assert!(!mistake.message.is_empty());
        }
    }
});
