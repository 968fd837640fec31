//! Reads any JSON as what Appium says of a phone and of its log: gives facts in short words, and lines that were there.

#![no_main]

use farlead::device::android::log::troubles;
use farlead::device::webdriver::{PhoneFacts, PhoneLog};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(answer) = serde_json::from_slice(bytes) else { return };
    let PhoneFacts { model, release, serial, activity, .. } = PhoneFacts::read(&answer);
    for word in [model, release, serial, activity] {
        assert!(word.chars().count() <= 300 && !word.contains('\n'));
    }
    let mut log = PhoneLog::default();
    log.read(&answer);
    let (marks, len) = (log.marks, log.lines.len());
    troubles(&log.lines);
    // The same answer again says the same again.
    log.read(&answer);
    assert_eq!((log.marks, log.lines.len()), (2 * marks, 2 * len));
});
