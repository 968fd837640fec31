//! Reads any bytes as the transcript of a phone and plays it, strictly and with the nearest answers: whatever is asked gets
//! an answer or a message.

#![no_main]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use farlead::device::adb::{Adb, Line, Options, Order, Replayed, Subject};
use farlead::device::{Device as _, DeviceError};
use farlead::gui::{Repertoire, offers};
use libfuzzer_sys::fuzz_target;

/// Most of the actions offered on a screen that are done.
const ACTIONS_MAX: usize = 3;

/// Processes that run at a time have a file each.
static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("farlead-transcript-{}", std::process::id())));

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(&*FILE, bytes).expect("a temporary file");
    for order in [Order::Strict, Order::Nearest] {
        let open = || Replayed::in_order(Path::new(&*FILE), order);
        match open() {
            Ok(line) => ask(line),
            Err(error) => {
                check(&error);
                continue;
            }
        }
        if let Err(error) = play(open().expect("as before")) {
            check(&error);
        }
    }
});

fn check(error: &impl std::fmt::Display) {
    let said = error.to_string();
    assert!((1..20_000).contains(&said.len()), "{said}");
}

/// Asks as no device does, in any order.
fn ask(mut line: Replayed) {
    let within = Duration::from_secs(1);
    for command in
        ["wm size", "input tap 1 2", "logcat -T '0' -d; input text abc", "", "farlead-0123456789abcdef"]
    {
        if let Err(error) = line.shell(command, within) {
            check(&error);
        }
    }
    for done in [line.push([].into(), "/data/local/tmp/a", within), line.recover(within)] {
        if let Err(error) = done {
            check(&error);
        }
    }
}

/// Starts the app of the corpus, and does a few actions.
fn play(line: Replayed) -> Result<(), DeviceError> {
    // Nobody waits for a phone.
    let options = Options { pause: Duration::ZERO, ..Options::default() };
    let mut adb = Adb::on(Box::new(line), &Subject::Package("a.b".to_string()), options)?;
    let activity = adb.app().launchable.first().cloned().unwrap_or_default();
    let seen = adb.reset(&activity)?;
    for action in offers(&seen.screen, &Repertoire::new(["ab"], &[], false)).iter().take(ACTIONS_MAX) {
        adb.act(action)?;
    }
    adb.look()?;
    adb.picture();
    Ok(())
}
