//! Reads any bytes as a model of FATE, shows its mistakes, and takes a few steps in the app that it becomes.

#![no_main]

use std::sync::Arc;

use farlead::device::sim::fate::{self, Options};
use farlead::device::{Device, Sim, sim};
use farlead::gui::{Repertoire, offers};
use farlead::rng::Seed;
use farlead::spec::{Source, Style};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(source) = Source::from_bytes("fuzz.json", bytes.to_vec()) else { return };
    let _ = fate::is_fate(source.text());
    for quirks in [false, true] {
        let options = Options { quirks, ..Options::default() };
        let read = fate::read(&source, options);
        let _ = read.diagnostics.render(&source, Style::Colour);
        assert_eq!(read.model.is_some(), read.diagnostics.errors() == 0);
        for diagnostic in read.diagnostics.iter() {
            assert!(source.text().get(diagnostic.span.clone()).is_some());
            // All that is sound can be said in the language of app models.
            assert_ne!(diagnostic.code, "E-convert", "{}", diagnostic.message);
        }
        let Some(model) = read.model else { return };
        let (text, _) = fate::convert(&source, options);
        let converted = Source::new("fuzz.app", text.expect("no mistakes"));
        assert!(sim::read(&converted).model.is_some());
        let mut sim = Sim::new(Arc::new(model), Seed(1));
        let start = sim.app().launchable[0].clone();
        let repertoire = Repertoire::new(["a", ""], &[], false);
        let mut rng = Seed(1).fork("walk");
        let mut seen = sim.reset(&start).expect("a model that runs");
        for _ in 0..6 {
            let mut offered = offers(&seen.screen, &repertoire);
            seen = sim.act(&offered.swap_remove(rng.below(offered.len()))).expect("a model that runs");
        }
    }
});
