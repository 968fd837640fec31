//! Reads each line of any text as a request to the studio, and does it on a small app: an answer or an error, never a panic, and
//! a view afterwards. The run is judged by a line that is no request, and drafted in the end. A text that begins with `walk` is
//! one of requests while a stored test is walked through, whose first widget is gone.

#![no_main]

use std::sync::{Arc, LazyLock};

use farlead::device::Sim;
use farlead::device::sim::{self, model::Model};
use farlead::gui::{BUILTIN_TEXTS, Repertoire};
use farlead::rng::Seed;
use farlead::spec::Source;
use farlead::studio::{Form, Reply, Request, Studio};
use farlead::test_case::{self, TestCase};
use libfuzzer_sys::fuzz_target;

const APP: &str = r#"app org.example "Example" 1.0
launch Main
activity Main .Main {
    own name = ""
    EditText #name {}
    Button #next "Next" -> open Other
}
activity Other .Other { TextView #text "Other" }
"#;

static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let read = sim::read(&Source::new("example.app", APP.to_string()));
    Arc::new(read.model.unwrap_or_else(|| panic!("{:?}", read.diagnostics)))
});

const TEST: &str = r#"farlead test 3
from
    farlead "0.1.0"
    package "org.example"

steps
    0 reinitialise "org.example.Main"
    1 click
        id "org.example:id/begin"
        text "Begin"
        class "android.widget.Button"
        path 1
        bounds 0,126 1080,252
        beside ""
        told by id and words
        sees [text = Other]

specs

possible "other": F [text = Other]
"#;

static WALKED: LazyLock<TestCase> = LazyLock::new(|| {
    let read = test_case::read(&Source::new("other.test.ltl", TEST.to_string()));
    read.test.unwrap_or_else(|| panic!("{:?}", read.diagnostics))
});

/// Most requests of an input: more would only take longer.
const REQUESTS_MAX: usize = 60;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let device = || Box::new(Sim::new(MODEL.clone(), Seed(1)));
    let mut studio = Studio::new(device(), Repertoire::new(BUILTIN_TEXTS, &[], true));
    if text.starts_with("walk") {
        studio.walk_through(device(), "other.test.ltl", WALKED.clone()).expect("the app starts");
    }
    for line in text.lines().take(REQUESTS_MAX) {
        let Ok(request) = serde_json::from_str::<Request>(line) else {
            let specs = studio.run().specs("", line).unwrap_or_default();
            specs.iter().for_each(|spec| drop(studio.run().judge(spec)));
            continue;
        };
        if let Err(refusal) = studio.answer(request) {
            assert!(!refusal.to_string().is_empty());
        }
        let Ok(Reply::View(view)) = studio.answer(Request::View) else { panic!("a view") };
        let pictures = studio.pictures();
        for step in &view.steps {
            assert!(pictures.svg(step.picture).is_some());
        }
    }
    for form in [Form::A, Form::B, Form::C, Form::Scenario] {
        assert!(!studio.run().draft(form).is_empty());
    }
});
