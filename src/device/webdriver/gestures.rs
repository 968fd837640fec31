//! Gestures in the words of WebDriver: the actions of pointers and keys.

use serde_json::Value;

/// A name and its value in an object.
pub(super) type Field<'f> = (&'f str, Value);

/// Returns an object of these fields. The macro for one has code for each field wherever it stands.
#[inline(never)]
pub(super) fn object(fields: &[Field<'_>]) -> Value {
    Value::Object(fields.iter().map(|(name, value)| (name.to_string(), value.clone())).collect())
}

/// Returns the keyboard as a source of actions.
pub(super) fn keyboard(actions: Vec<Value>) -> Value {
    object(&[("type", "key".into()), ("id", "keyboard".into()), ("actions", actions.into())])
}

/// Returns a move to a point of the display, at once.
pub(super) fn moved(x: i32, y: i32) -> Value {
    moved_in((x, y), 0)
}

/// Returns a move to a point of the display within this time.
#[inline(never)]
pub(super) fn moved_in((x, y): (i32, i32), ms: u32) -> Value {
    object(&[
        ("type", "pointerMove".into()),
        ("x", x.max(0).into()),
        ("y", y.max(0).into()),
        ("duration", ms.into()),
        ("origin", "viewport".into()),
    ])
}

/// Returns a press of the mouse's left button, or of a finger.
pub(super) fn down() -> Value {
    object(&[("type", "pointerDown".into()), ("button", 0.into())])
}

/// Returns its release.
pub(super) fn up() -> Value {
    object(&[("type", "pointerUp".into()), ("button", 0.into())])
}

/// Returns a wait of a source.
pub(super) fn pause(ms: u32) -> Value {
    object(&[("type", "pause".into()), ("duration", ms.into())])
}

/// Returns a press and its release.
pub(super) fn click() -> Vec<Value> {
    vec![down(), up()]
}

/// Returns the presses that type `text`.
pub(super) fn typed(text: &str) -> Vec<Value> {
    text.chars().flat_map(|char| pressed(if char == '\n' { '\u{e006}' } else { char })).collect()
}

/// Returns the press of a key and its release.
pub(super) fn pressed(char: char) -> Vec<Value> {
    let key = |kind: &str| object(&[("type", kind.into()), ("value", char.to_string().into())]);
    vec![key("keyDown"), key("keyUp")]
}
