//! Gestures in the words of WebDriver: the actions of pointers and keys.

use serde_json::{Value, json};

/// Returns the keyboard as a source of actions.
pub(super) fn keyboard(actions: Vec<Value>) -> Value {
    json!({ "type": "key", "id": "keyboard", "actions": actions })
}

/// Returns a move to a point of the display, at once.
pub(super) fn moved(x: i32, y: i32) -> Value {
    json!({ "type": "pointerMove", "x": x.max(0), "y": y.max(0), "duration": 0, "origin": "viewport" })
}

/// Returns a press of the mouse's left button, or of a finger.
pub(super) fn down() -> Value {
    json!({ "type": "pointerDown", "button": 0 })
}

/// Returns its release.
pub(super) fn up() -> Value {
    json!({ "type": "pointerUp", "button": 0 })
}

/// Returns a wait of a source.
pub(super) fn pause(ms: u32) -> Value {
    json!({ "type": "pause", "duration": ms })
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
    let value = char.to_string();
    vec![json!({ "type": "keyDown", "value": value }), json!({ "type": "keyUp", "value": value })]
}
