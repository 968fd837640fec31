//! Reads any JSON as what a browser says of its page: gives a screen that can be labelled and acted on, or the mistake.

#![no_main]

use farlead::device::webdriver::PageScreen;
use farlead::gui::{Atom, Labeller, Repertoire, Screen, TypedText, atoms_of_screen, offers};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(answer) = serde_json::from_slice(bytes) else { return };
    let page = match PageScreen::read(answer) {
        Ok(page) => page,
        Err(error) => {
            assert!(error.to_string().len() < 2_000);
            return;
        }
    };
    let screen = page.screen;
    offers(&screen, &Repertoire::default());
    let atoms: Vec<Atom> = atoms_of_screen(&screen).into_iter().map(|pasted| pasted.atom).collect();
    assert_eq!(Labeller::new((0..).zip(&atoms), TypedText::Counts).on_screen(&screen).len(), atoms.len());
    // A screen that is written reads back the same.
    let written = serde_json::to_string(&screen).expect("a screen can be written");
    assert_eq!(serde_json::from_str::<Screen>(&written).expect("what was written"), *screen);
});
