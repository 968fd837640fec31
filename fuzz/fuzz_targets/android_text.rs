//! Reads any text as output of `dumpsys`, `wm` and `logcat` and as an answer of uiautomator2's server: it has a
//! meaning or none, and the same one every time.

#![no_main]

use farlead::device::android::focus::focus;
use farlead::device::android::log::{dropped, entries, identity, troubles};
use farlead::device::android::{display, keyboard, power, rpc};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let found = focus(&text);
    assert_eq!(focus(&text), found);
    assert!(found.is_none_or(|found| !found.package.is_empty() && !found.package.contains(['/', ' '])));
    assert!(display::rotation(&text).is_none_or(|turns| turns < 4));
    assert!(display::size(&text).is_none_or(|(width, height)| width > 0 && height > 0));
    let _ = (display::display(&text), display::density(&text));
    let _ = (power::is_lit(&text), power::is_locked(&text), keyboard::is_shown(&text));
    let result = rpc::result::<String>(bytes);
    assert_eq!(rpc::result::<String>(bytes), result);
    assert!(result.map_or(true, |result| result.len() <= bytes.len()));
    let lines = text.lines().count();
    assert!(entries(&text).count() <= lines);
    let troubles = troubles(&text);
    assert!(troubles.len() <= lines);
    for trouble in troubles.iter().chain(&dropped(&text)) {
        assert!(trouble.trace.len() <= text.len() + 100);
        let known = identity(trouble, "org.notes");
        assert!(known.is_none_or(|known| (1..=600).contains(&known.chars().count())));
    }
});
