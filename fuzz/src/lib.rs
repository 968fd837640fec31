//! A phone with a small app, for several targets.

use std::sync::{Arc, LazyLock};

use farlead::device::sim::model::Model;
use farlead::device::sim::read;
use farlead::emulator::phone::{AndroidVersion, Phone};
use farlead::rng::Seed;
use farlead::spec::Source;

/// An app with a field, buttons in a row, and a crash.
pub static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let text = "app a.b \"A\" 1\nlaunch Main\nactivity Main .Main {\n own t = \"\"\n EditText edits t\n \
                LinearLayout #row { Button \"x\" -> t = \"x\" Button \"y\" -> crash \"y\" }\n}";
    Arc::new(read(&Source::new("a.app", text)).model.expect("a model without mistakes"))
});

/// Returns a phone with the app in front, on which `command` has started a server.
pub fn phone_with(command: &str) -> Phone {
    let mut phone = Phone::new(MODEL.clone(), Seed(1), AndroidVersion::default());
    let ran = phone.shell(&format!("am start -n a.b/.Main; {command}"), b"");
    assert_eq!(ran.code, 0);
    phone
}
