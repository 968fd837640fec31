//! Traces: the steps of a run, as values and as recorded elsewhere.
//!
//! A recorded line is the list of the step's label names, or an object that has them as `labels`, and may have the step's time
//! as `at`. The names have no meaning here; nothing is inferred from them.

use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::gui::{Action, Picture, Screen};

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

/// Reads a line of plain labels, and calls `see` with each: a list of texts without escapes, or an object that has one as
/// `labels`, its time as `at`, and else only texts and whole numbers. Returns the time, or none for any other line and once
/// `see` returns false; [`read_line`] says what such a line is. Nothing is copied, so that ever-new lines take little time.
///
/// ```
/// let mut seen = Vec::new();
/// let step = farlead::trace::read_plain_line(br#"{"at": 1250, "labels": ["a", "b"]}"#, &mut |label| {
///     seen.push(label);
///     true
/// });
/// assert_eq!((step, &seen[..]), (Some(Some(1250)), &[&b"a"[..], b"b"][..]));
/// ```
pub fn read_plain_line<'a>(line: &'a [u8], see: &mut dyn FnMut(&'a [u8]) -> bool) -> Option<Option<u64>> {
    if line.len() > LINE_MAX {
        return None;
    }
    let mut plain = Plain { rest: line };
    let mut at_ms = None;
    match plain.sign()? {
        b'[' => plain.labels(see)?,
        b'{' => {
            let mut has_labels = false;
            loop {
                let key = if plain.sign()? == b'"' { plain.text()? } else { return None };
                match (key, plain.sign()?) {
                    (b"at", b':') if at_ms.is_none() => at_ms = Some(plain.number()?),
                    (b"labels", b':') if !has_labels && plain.sign()? == b'[' => {
                        plain.labels(see)?;
                        has_labels = true;
                    }
                    (b"at" | b"labels" | b"keep", _) => return None,
                    (key, b':') if key.is_ascii() => plain.skip()?,
                    _ => return None,
                }
                match plain.sign()? {
                    b',' => {}
                    b'}' if has_labels => break,
                    _ => return None,
                }
            }
        }
        _ => return None,
    }
    plain.skip_spaces();
    plain.rest.is_empty().then_some(at_ms)
}

/// Returns the time of a line that begins with it, and the line from the comma behind it on; none for any other line.
///
/// Lines that differ in nothing else have one rest, and the rest of a step begins with no bracket as other steps do.
pub fn cut_time(line: &[u8]) -> Option<(u64, &[u8])> {
    let mut plain = Plain { rest: line };
    let is_at = plain.sign()? == b'{' && plain.sign()? == b'"' && plain.text()? == b"at";
    let at_ms = if is_at && plain.sign()? == b':' { plain.number()? } else { return None };
    plain.skip_spaces();
    plain.rest.starts_with(b",").then_some((at_ms, plain.rest))
}

/// Returns the number of bytes before the first quote, backslash or control character. Eight are looked at in one go: lines are
/// mostly labels.
fn plain_len(bytes: &[u8]) -> Option<usize> {
    const EACH: u64 = u64::MAX / 255;
    // The lowest bit that is set is at the first byte below `limit`; borrows reach only bytes above it.
    let below = |word: u64, limit: u8| word.wrapping_sub(EACH * u64::from(limit)) & !word & EACH << 7;
    let equal = |word: u64, byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    let (words, _) = bytes.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let stops = equal(word, b'"') | equal(word, b'\\') | below(word, b' ');
        if stops != 0 {
            return Some(at * 8 + stops.trailing_zeros() as usize / 8);
        }
    }
    let done = words.len() * 8;
    let stops = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < b' ';
    Some(done + bytes[done..].iter().position(stops)?)
}

/// Rest of a line of plain labels.
struct Plain<'a> {
    rest: &'a [u8],
}

impl<'a> Plain<'a> {
    /// Steps over what JSON takes for spaces.
    fn skip_spaces(&mut self) {
        let is_space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        let spaces = self.rest.iter().take_while(is_space).count();
        self.rest = &self.rest[spaces..];
    }

    /// Returns the next byte that is no space.
    fn sign(&mut self) -> Option<u8> {
        self.skip_spaces();
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    /// Returns the text up to the next quote, if it has no escape and no control character.
    fn text(&mut self) -> Option<&'a [u8]> {
        let (text, rest) = self.rest.split_at(plain_len(self.rest)?);
        self.rest = rest.strip_prefix(b"\"")?;
        Some(text)
    }

    /// Calls `see` with each text of a list, behind its bracket.
    fn labels(&mut self, see: &mut dyn FnMut(&'a [u8]) -> bool) -> Option<()> {
        let mut sign = self.sign()?;
        if sign == b']' {
            return Some(());
        }
        loop {
            if sign != b'"' || !see(self.text()?) {
                return None;
            }
            match self.sign()? {
                b',' => sign = self.sign()?,
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// Steps over a text in ASCII or a whole number.
    fn skip(&mut self) -> Option<()> {
        self.skip_spaces();
        if let Some(rest) = self.rest.strip_prefix(b"\"") {
            self.rest = rest;
            return self.text()?.is_ascii().then_some(());
        }
        self.number().map(|_| ())
    }

    /// Returns a whole number, written as JSON has it.
    fn number(&mut self) -> Option<u64> {
        // More digits may be too large a number.
        const DIGITS_MAX: usize = 19;
        self.skip_spaces();
        let len = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.rest.split_at(len);
        if digits.is_empty() || len > DIGITS_MAX || digits[0] == b'0' && len > 1 {
            return None;
        }
        self.rest = rest;
        Some(digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
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
    fn a_line_of_plain_labels_is_the_step_that_any_reader_finds() {
        let lines = [
            r#"["a", "[text ~ b]"]"#,
            " [ ]\r",
            r#"{"at":1250,"labels":["a"]}"#,
            r#"{ "labels" : [ "a" , "ä" ] , "at" : 0 }"#,
            r#"{"at":9999999999999999999,"labels":[]}"#,
            r#"{"step": 3, "labels": ["a"], "app": "x", "step": 4}"#,
        ];
        for line in lines {
            let mut labels = Vec::new();
            let at_ms = read_plain_line(line.as_bytes(), &mut |label| {
                labels.push(String::from_utf8(label.to_vec()).unwrap());
                true
            });
            let step = read_line(line.as_bytes()).unwrap();
            assert_eq!((at_ms, labels), (Some(step.at_ms), step.labels), "{line}");
        }
        let others = [
            r#"["\u0061"]"#,
            "[\"a\tb\"]",
            r#"["a",]"#,
            r#"["a"] 1"#,
            "[\x0c]",
            "[] \x0c",
            r#"["a""#,
            r#"[1]"#,
            r#"{"at":1}"#,
            r#"{"at":01,"labels":[]}"#,
            r#"{"at":1.0,"labels":[]}"#,
            r#"{"at":-1,"labels":[]}"#,
            r#"{"at":1,"at":1,"labels":[]}"#,
            r#"{"labels":[],"labels":[]}"#,
            r#"{"labels":[],"step":-1}"#,
            r#"{"labels":[],"step":1.0}"#,
            r#"{"labels":[],"app":"\n"}"#,
            r#"{"labels":[],"keep":1}"#,
            r#"{"labels":[],}"#,
            "{}",
            "",
        ];
        for line in others {
            assert_eq!(read_plain_line(line.as_bytes(), &mut |_| true), None, "{line}");
        }
        assert_eq!(read_plain_line(br#"["a"]"#, &mut |label| label != b"a"), None);
    }

    #[test]
    fn a_text_ends_at_the_same_byte_wherever_it_begins() {
        let stops = |&byte: &u8| byte == b'"' || byte == b'\\' || byte < b' ';
        for stop in 0..=u8::MAX {
            for at in 0..20 {
                let mut bytes = [b"a!#[]^\x7f\x80\xff\x20", &[b'z'; 20][..]].concat();
                (bytes[at], bytes[at + 3]) = (stop, b'\\');
                assert_eq!(plain_len(&bytes), bytes.iter().position(stops), "{bytes:?}");
            }
        }
        assert_eq!(plain_len(&[b'a'; 20]), None);
    }

    #[test]
    fn a_time_in_front_is_cut_off() {
        assert_eq!(cut_time(br#"{"at":12,"labels":[]}"#), Some((12, &br#","labels":[]}"#[..])));
        assert_eq!(cut_time(br#"{ "at" : 12 , "x":1}"#), Some((12, &br#", "x":1}"#[..])));
        for line in [&br#"{"at":12}"#[..], br#"{"labels":[],"at":12}"#, br#"["at",12,"#, br#"{"at":1.5,"#] {
            assert_eq!(cut_time(line), None);
        }
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
