//! Reads any bytes as a learned model; a valid one is written and reads back the same, and differs in nothing from itself.

#![no_main]

use farlead::abstraction::{Abstraction, Ape, Start};
use farlead::learned_model::{LearnedModel, ModelDiff, Naming};
use farlead::report::{model_diff_html, model_diff_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match LearnedModel::read(text) {
        Ok(model) => {
            let written = model.to_text();
            let again = LearnedModel::read(&written).expect("what was written");
            assert_eq!(again.last_point(), model.last_point());
            assert_eq!(again.to_text(), written);
            let diff = ModelDiff::new(&model, &again);
            assert!(diff.lost.is_empty() && diff.changed.is_empty() && diff.gained.is_empty());
            let _ = model.map();
            if let Some(learned) = &model.abstraction {
                let mut ape = Ape::new(Start::Ape);
                ape.go_on(&learned.naming);
                let kept = ape.naming("ape").expect("an abstraction that names widgets");
                let sizes = |naming: &Naming| (naming.trees.len(), naming.refined.len());
                assert_eq!(sizes(&kept), sizes(&learned.naming));
            }
            // Against nothing, all of it may be missing.
            let diff = ModelDiff::new(&model, &LearnedModel::default());
            assert!(!model_diff_text(&diff).is_empty() && !model_diff_html(&diff).is_empty());
        }
        Err(message) => assert!(!message.is_empty()),
    }
});
