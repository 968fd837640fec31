//! Traces: the steps of a run, as values and as recorded elsewhere.
//!
//! A recorded line is the list of the step's label names, or an object that has them as `labels`, and may have the step's time
//! as `at`. The names have no meaning here; nothing is inferred from them.

mod blocks;
mod lines;

use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::gui::{Action, Picture, Screen};
pub use lines::{Label, Line, Lines, ShortLabel, ShortLabels};

/// Screen, time and notices once an action has settled.
#[derive(Clone, Debug)]
pub struct Observation {
    /// Screen. A device may give the same `Arc` again, which saves work on it.
    pub screen: Arc<Screen>,
    /// Time on the device's clock, in milliseconds since the app was started afresh.
    pub at_ms: u64,
    /// Notices that came up meanwhile and are no part of the screen.
    pub notices: Arc<[Notice]>,
    /// Picture of the screen, if one was asked for and taken.
    pub picture: Option<Arc<Picture>>,
}

/// An event of the app while an action settled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// A text that was shown for a moment.
    Toast(Arc<str>),
    /// The app crashed: its stack trace.
    Crash(Arc<str>),
    /// The app did not respond: the reason, as far as it is known.
    Anr(Arc<str>),
    /// The device answered a prompt of the system: the prompt and the answer.
    Prompt(Arc<str>),
    /// Letters that stayed in a field when a text was to take the place of all: those letters.
    Field(Arc<str>),
}

/// An action and its observation, with their labels.
#[derive(Clone, Debug)]
pub struct Step {
    /// Action.
    pub action: Action,
    /// Observation after the action.
    pub observation: Observation,
    /// Conditions of the objective that hold at the step: of a formula, its atoms, in the order of their names.
    pub labels: Vec<Arc<str>>,
    /// Rest of the objective after the step: of a formula, its residual.
    pub remaining: Arc<str>,
    /// Reward of the step.
    pub reward: f64,
    /// Agent's reason for the action, if it has one.
    pub why: Option<Arc<str>>,
    /// News that the agent learned from the step, if it has any.
    pub learned: Option<Arc<str>>,
}

/// Steps in a row; the first starts the app.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The steps.
    pub steps: Vec<Step>,
}

/// Longest line that is read: 4 MB, far more than a screen of 5,000 widgets takes.
pub const LINE_MAX: usize = 4_000_000;

/// A line of a trace that is not a step.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The line is too long.
    #[error("the line is longer than {LINE_MAX} bytes")]
    Long,
    /// The line is not text.
    #[error("the line is not UTF-8: byte {at} is out of place")]
    Text {
        /// Place of the byte, from 1.
        at: usize,
    },
    /// The line is not a step.
    #[error("{message}; a step is a list of label names, as in `[\"main\"]`, or `{{\"labels\": [..]}}`")]
    Step {
        /// Message of the JSON reader.
        message: String,
    },
}

/// A step as a line of a trace records it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Time in milliseconds, if the line has one.
    pub at_ms: Option<u64>,
    /// Names of its labels.
    pub labels: Vec<String>,
    /// Values of the names that the formula keeps; none where a name has no value.
    pub kept: BTreeMap<String, Option<Vec<String>>>,
}

/// Value of a kept name, as a line writes it.
#[derive(Deserialize)]
#[serde(untagged)]
enum KeptValue {
    Text(String),
    Number(serde_json::Number),
    List(Vec<String>),
}

impl KeptValue {
    fn values(self) -> Vec<String> {
        match self {
            KeptValue::Text(text) => vec![text],
            KeptValue::Number(number) => vec![number.to_string()],
            KeptValue::List(all) => all,
        }
    }
}

/// Returns the step that `line` records.
///
/// ```
/// let step = farlead::trace::read_line(br#"{"at": 1250, "labels": ["[activity ~ Main]", "checked"]}"#)?;
/// assert_eq!(step.labels, ["[activity ~ Main]", "checked"]);
/// assert_eq!(step.at_ms, Some(1250));
/// # Ok::<(), farlead::trace::LineError>(())
/// ```
pub fn read_line(line: &[u8]) -> Result<Recorded, LineError> {
    if line.len() > LINE_MAX {
        return Err(LineError::Long);
    }
    let text = std::str::from_utf8(line).map_err(|error| LineError::Text { at: error.valid_up_to() + 1 })?;
    match serde_json::from_str(text) {
        Ok(step) => Ok(step),
        Err(error) => Err(LineError::Step { message: without_line(&error.to_string()) }),
    }
}

/// Removes the line, which is always 1: the caller knows the line in the file.
fn without_line(message: &str) -> String {
    message.replace(" at line 1 column", " at column")
}

impl<'de> Deserialize<'de> for Recorded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Recorded, D::Error> {
        deserializer.deserialize_any(RecordedVisitor)
    }
}

struct RecordedVisitor;

impl<'de> Visitor<'de> for RecordedVisitor {
    type Value = Recorded;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the labels of a step")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Recorded, A::Error> {
        let mut labels = Vec::new();
        while let Some(label) = list.next_element()? {
            labels.push(label);
        }
        Ok(Recorded { labels, ..Recorded::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Recorded, A::Error> {
        let (mut at_ms, mut labels, mut kept) = (None, None, None);
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "labels" if labels.replace(map.next_value::<Vec<String>>()?).is_some() => {
                    return Err(de::Error::duplicate_field("labels"));
                }
                "at" if at_ms.replace(map.next_value::<u64>()?).is_some() => {
                    return Err(de::Error::duplicate_field("at"));
                }
                "keep"
                    if kept.replace(map.next_value::<BTreeMap<String, Option<KeptValue>>>()?).is_some() =>
                {
                    return Err(de::Error::duplicate_field("keep"));
                }
                "labels" | "at" | "keep" => {}
                // Other tools record more about a step.
                _ => {
                    map.next_value::<de::IgnoredAny>()?;
                }
            }
        }
        let labels = labels.ok_or_else(|| de::Error::missing_field("labels"))?;
        let kept = kept.unwrap_or_default().into_iter();
        let kept = kept.map(|(name, value)| (name, value.map(KeptValue::values))).collect();
        Ok(Recorded { at_ms, labels, kept })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Result<&[&str], &str>) {
        match (read_line(line.as_bytes()), expected) {
            (Ok(step), Ok(expected)) => assert_eq!(step.labels, expected),
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
            (found, expected) => panic!("{found:?} in place of {expected:?}"),
        }
    }

    #[test]
    fn both_forms_of_a_step_are_read() {
        check(r#"["a", "[text ~ b]"]"#, Ok(&["a", "[text ~ b]"]));
        check("[]", Ok(&[]));
        check(r#"{"step": 3, "labels": ["a"], "screen": {"deep": [1]}}"#, Ok(&["a"]));
    }

    #[test]
    fn what_is_no_step_is_named() {
        check("", Err("EOF"));
        check(r#"["a""#, Err("EOF"));
        check("[1]", Err("expected a string"));
        check(r#""a""#, Err("expected the labels of a step"));
        check(r#"{"label": []}"#, Err("missing field `labels`"));
        check(r#"{"labels": [], "labels": []}"#, Err("duplicate field"));
        check(r#"{"at": 1, "labels": [], "at": 2}"#, Err("duplicate field"));
        check(r#"{"at": -1, "labels": []}"#, Err("expected u64"));
        check(&"[".repeat(100_000), Err("expected a string"));
        check(&format!("{{\"screen\":{}", "[".repeat(100_000)), Err("EOF"));
    }

    #[test]
    fn bytes_that_are_no_text_are_named_by_their_place() {
        let error = read_line(b"[\"\xff\"]").unwrap_err();
        assert_eq!(error.to_string(), "the line is not UTF-8: byte 3 is out of place");
    }
}
