//! What was learned of actions, kept in a file for the next check.

use std::path::Path;

use farlead::episode::Labeling;
use serde::{Deserialize, Serialize};

use crate::Mistake;
use crate::sources;

/// What actions are worth, wherever they are offered.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// By what the actions are called, and the values of both tables.
    pub labelings: Vec<(Labeling, [f64; 2])>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(rename = "type")]
    action_type: String,
    names: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    typed: Option<String>,
    values: [f64; 2],
}

impl Learned {
    /// Returns what the file at `path` holds, nothing if there is none yet.
    pub fn read(path: &Path) -> anyhow::Result<Learned> {
        if !path.exists() {
            return Ok(Learned::default());
        }
        let source = sources::read_text(path)?;
        let mut labelings = Vec::new();
        for (number, text) in (1..).zip(source.text().lines()) {
            let line: Line = serde_json::from_str(text).map_err(|error| {
                let error = error.to_string().replace(" at line 1 column", " at column");
                Mistake::new(format!(
                    "{}:{number}: {error}; was this file written by `--learned`?",
                    path.display()
                ))
            })?;
            let Line { action_type, names, typed, values } = line;
            labelings.push((Labeling { action_type, names, typed }, values));
        }
        Ok(Learned { labelings })
    }

    /// Adds what `other` holds; of actions that both know, what `other` says counts.
    pub fn add(&mut self, other: Learned) {
        let mut all: std::collections::BTreeMap<Labeling, [f64; 2]> =
            std::mem::take(&mut self.labelings).into_iter().collect();
        all.extend(other.labelings);
        self.labelings = all.into_iter().collect();
    }

    /// Returns the text of the file.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut text = String::new();
        for (Labeling { action_type, names, typed }, values) in &self.labelings {
            let line = Line {
                action_type: action_type.clone(),
                names: names.clone(),
                typed: typed.clone(),
                values: *values,
            };
            text += &serde_json::to_string(&line)?;
            text.push('\n');
        }
        Ok(text)
    }
}
