//! Runs any text as lines of the phone's shell, with any bytes as their input: the phone gives the same answer
//! every time.

#![no_main]

use farlead::emulator::adbd::Backend as _;
use farlead::emulator::phone::{AndroidVersion, Phone};
use farlead::rng::Seed;
use farlead_fuzz::MODEL;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let version = AndroidVersion::ALL[usize::from(*first) % AndroidVersion::ALL.len()];
    let end = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
    let line = String::from_utf8_lossy(&rest[..end]);
    let mut phone = Phone::new(MODEL.clone(), Seed(1), version);
    let mut other = phone.clone();
    let ran = phone.shell(&line, &rest[end..]);
    assert_eq!(other.shell(&line, &rest[end..]), ran);
    assert!(ran.stdout.len() <= 16 << 20 && ran.stderr.len() <= 16 << 20);
    // Only one program at a time may read the screen.
    if let Some(server) = phone.take_server() {
        phone.end_server(server);
    }
    let dump = phone.shell("uiautomator dump /dev/tty", b"");
    assert!(dump.stdout.ends_with(b"</hierarchy>UI hierchary dumped to: /dev/tty\n"));
});
