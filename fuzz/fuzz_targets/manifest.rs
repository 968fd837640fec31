//! Reads any bytes as an APK, as a manifest in binary XML, and as the table of resources of a valid manifest.

#![no_main]

use std::io::Cursor;

use farlead::device::android::manifest::Manifest;
use libfuzzer_sys::fuzz_target;

/// The manifest of an app packed by farlead.
const SOUND: &[u8] = include_bytes!("../corpus/manifest/sound");

fuzz_target!(|bytes: &[u8]| {
    for read in [Manifest::read(Cursor::new(bytes)), Manifest::of_binary(bytes, bytes)] {
        match read {
            Ok(manifest) => {
                assert!(!manifest.package.is_empty());
                assert!(manifest.launchable.iter().all(|one| manifest.activities.contains(one)));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let manifest = Manifest::of_binary(SOUND, bytes).expect("sound but for its table");
    assert_eq!(manifest.launchable.len(), 1);
});
