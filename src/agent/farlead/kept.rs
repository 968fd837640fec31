//! Values of action labels as bytes: one JSON line for each labeling, after a line with the version.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::agent::KeptError;
use crate::situation::Labeling;
use crate::sorted;

/// Version of the format that is written.
const VERSION: u64 = 1;

/// Most labelings that are kept.
const LABELINGS_MAX: usize = 1_000_000;

/// Most names of an action: text, description, id and detail, and room for more.
const NAMES_MAX: usize = 16;

/// First line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    version: u64,
}

/// Line with the values of a labeling.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(rename = "type")]
    action_type: String,
    #[serde(deserialize_with = "few_names")]
    names: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    typed: Option<String>,
    values: [f64; 2],
}

/// Returns the bytes for these labelings and their values in both tables, in the order of the labelings; none for none.
pub fn write(known: impl IntoIterator<Item = (Labeling, [f64; 2])>) -> Vec<u8> {
    let known = sorted::map(known.into_iter().take(LABELINGS_MAX));
    if known.is_empty() {
        return Vec::new();
    }
    let mut text = json(&Header { version: VERSION });
    for (Labeling { action_type, names, typed }, values) in known {
        text += "\n";
        text += &json(&Line { action_type, names, typed, values });
    }
    text += "\n";
    text.into_bytes()
}

fn json(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("texts and numbers are JSON")
}

/// Returns the labelings that `bytes` hold, with their values in both tables.
pub fn read(bytes: &[u8]) -> Result<BTreeMap<Labeling, [f64; 2]>, KeptError> {
    if bytes.is_empty() {
        return Ok(BTreeMap::new());
    }
    let refused = |line: usize, message: String| KeptError { line, message };
    let text = std::str::from_utf8(bytes).map_err(|_| refused(1, "this is no text".to_string()))?;
    let mut lines = (1..).zip(text.lines());
    let (_, first) = lines.next().unwrap_or((1, ""));
    let Header { version } = parse(first).map_err(|message| refused(1, message))?;
    if version > VERSION {
        let message = format!("this is version {version}, and this farlead reads version {VERSION}");
        return Err(refused(1, message));
    }
    let mut known = BTreeMap::new();
    for (number, line) in lines {
        let Line { action_type, names, typed, values } =
            parse(line).map_err(|message| refused(number, message))?;
        known.insert(Labeling { action_type, names, typed }, values);
        if known.len() > LABELINGS_MAX {
            return Err(refused(number, format!("these are more than {LABELINGS_MAX} actions")));
        }
    }
    Ok(known)
}

/// Merges two texts: of a labeling that is in both, the newer values count.
pub fn merge(older: &[u8], newer: &[u8]) -> Vec<u8> {
    // Both were read before; a text that cannot be read holds nothing to keep.
    let mut known = read(older).unwrap_or_default();
    for (labeling, values) in read(newer).unwrap_or_default() {
        if known.len() < LABELINGS_MAX || known.contains_key(&labeling) {
            known.insert(labeling, values);
        }
    }
    write(known)
}

fn parse<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, String> {
    // The reader of the file counts the lines.
    serde_json::from_str(line).map_err(|error| error.to_string().replace(" at line 1 column", " at column"))
}

fn few_names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    deserializer.deserialize_seq(NamesVisitor)
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Vec<String>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of names")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = list.next_element()? {
            // Bounded while it is read: a line may be as long as the file.
            if names.len() == NAMES_MAX {
                return Err(de::Error::custom(format_args!("an action has at most {NAMES_MAX} names")));
            }
            names.push(name);
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labeling(name: &str) -> Labeling {
        Labeling { action_type: "click".to_string(), names: vec![name.to_string()], typed: None }
    }

    #[test]
    fn labelings_are_read_as_they_were_written() {
        let known = BTreeMap::from([(labeling("a"), [0.5, -0.25]), (labeling("b"), [1.0, 0.1])]);
        assert_eq!(read(&write(known.clone())).expect("good bytes"), known);
        assert_eq!(write([]), b"");
        assert_eq!(read(b"").expect("nothing"), BTreeMap::new());
    }

    #[test]
    fn bad_bytes_get_a_message_with_their_line() {
        let names = vec!["x"; NAMES_MAX + 1];
        let names = format!("{{\"version\":1}}\n{{\"type\":\"click\",\"names\":{names:?},\"values\":[0,0]}}");
        for (bytes, line, part) in [
            (&b"\xff"[..], 1, "no text"),
            (b"{}", 1, "missing field `version`"),
            (b"{\"version\":2}", 1, "version 2"),
            (b"{\"version\":1}\n{\"type\":\"click\"}", 2, "missing field `names`"),
            (b"{\"version\":1}\n\n", 2, "EOF"),
            (names.as_bytes(), 2, "at most 16 names"),
        ] {
            let error = read(bytes).expect_err(part);
            assert!(error.line == line && error.message.contains(part), "{error}");
        }
    }

    #[test]
    fn the_newer_values_of_a_labeling_count() {
        let (older, newer) = (
            write([(labeling("a"), [1.0, 1.0]), (labeling("b"), [2.0, 2.0])]),
            write([(labeling("b"), [3.0, 3.0]), (labeling("c"), [4.0, 4.0])]),
        );
        let merged = read(&merge(&older, &newer)).expect("good bytes");
        let values: Vec<f64> = merged.values().map(|values| values[0]).collect();
        assert_eq!(values, [1.0, 3.0, 4.0]);
    }
}
