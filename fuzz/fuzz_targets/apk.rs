//! Reads any bytes as an APK: gives its model, none, or an error; and packs any text into one.

#![no_main]

use std::io::Cursor;

use farlead::device::sim::BYTES_MAX;
use farlead::device::sim::apk::{Manifest, pack, unpack_model};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match unpack_model(Cursor::new(bytes)) {
        Ok(model) => assert!(model.is_none_or(|text| text.len() <= BYTES_MAX)),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let text = String::from_utf8_lossy(bytes);
    let manifest = Manifest {
        package: "a.b".to_string(),
        version: text.to_string(),
        version_code: 1,
        label: text.to_string(),
        launchable: vec![text.to_string()],
        activities: Vec::new(),
    };
    // Each invalid byte becomes a character of three bytes.
    let Ok(apk) = pack(&manifest, &text) else { return };
    let unpacked = unpack_model(Cursor::new(apk)).expect("what was packed");
    assert_eq!(unpacked.as_deref(), Some(&*text));
});
