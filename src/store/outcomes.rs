//! Outcomes of a run in a small file of its own, so that the run after it can say what has changed.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::file::{WriteError, write};
use super::runs::Runs;

use crate::sorted;

/// The file of outcomes in the folder of a run.
const OUTCOMES_FILE: &str = "outcomes.json";

/// Largest file that is read; a million specs take less.
const BYTES_MAX: u64 = 256_000_000;

/// Runs that are looked through for one of the same command.
const RUNS_MAX: usize = 20;

/// The outcomes of the specs of a run, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    specs: Vec<Entry>,
}

/// A spec and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    file: String,
    spec: String,
    outcome: String,
}

/// The file: the command, and the outcomes of its specs.
#[derive(Serialize, Deserialize)]
struct Kept {
    command: String,
    specs: Vec<Entry>,
}

impl Outcomes {
    /// Returns the outcomes of `specs`: the file of each, its name, and its outcome as machines read it.
    pub fn new<'a>(specs: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> Outcomes {
        let entry = |(file, spec, outcome): (&str, &str, &str)| Entry {
            file: file.to_string(),
            spec: spec.to_string(),
            outcome: outcome.to_string(),
        };
        Outcomes { specs: specs.into_iter().map(entry).collect() }
    }

    /// Writes the outcomes of `command` to the folder of its run.
    pub fn write(&self, folder: &Path, command: &str) -> Result<(), WriteError> {
        let kept = Kept { command: command.to_string(), specs: self.specs.clone() };
        let text = serde_json::to_string(&kept).expect("texts can be written") + "\n";
        write(&folder.join(OUTCOMES_FILE), text.as_bytes())
    }

    /// Returns the numbers of the specs that have another outcome than in `before`, each with that outcome.
    pub fn changed_from(&self, before: &Outcomes) -> Vec<(usize, String)> {
        let key = |entry: &Entry| (entry.file.clone(), entry.spec.clone());
        let known = sorted::map(before.specs.iter().map(|entry| (key(entry), &*entry.outcome)));
        let changed = self.specs.iter().enumerate().filter_map(|(number, entry)| {
            let was = *known.get(&key(entry))?;
            (was != entry.outcome).then(|| (number, was.to_string()))
        });
        changed.collect()
    }
}

impl Runs {
    /// Returns the outcomes of the last run of `command` before the one in `folder`; none of a run that is not known.
    pub fn outcomes_before(&self, folder: &Path, command: &str) -> Outcomes {
        let Ok(mut runs) = self.list() else { return Outcomes::default() };
        runs.retain(|run| run != folder);
        let earlier = runs.iter().rev().take(RUNS_MAX);
        let kept = earlier.filter_map(|folder| read(folder)).find(|kept| kept.command == command);
        Outcomes { specs: kept.map_or_else(Vec::new, |kept| kept.specs) }
    }
}

/// Reads the outcomes in `folder`; a file that is missing or damaged has none.
fn read(folder: &Path) -> Option<Kept> {
    let path = folder.join(OUTCOMES_FILE);
    let is_small = fs::metadata(&path).ok()?.len() <= BYTES_MAX;
    let text = is_small.then(|| fs::read_to_string(&path).ok())??;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(all: &[(&str, &str)]) -> Outcomes {
        Outcomes::new(all.iter().map(|&(spec, outcome)| ("a.ltl", spec, outcome)))
    }

    #[test]
    fn specs_are_compared_by_their_names_and_new_ones_with_nothing() {
        let before = outcomes(&[("a", "passed"), ("b", "failed"), ("gone", "failed")]);
        let now = outcomes(&[("new", "failed"), ("b", "passed"), ("a", "passed")]);
        assert_eq!(now.changed_from(&before), [(1, "failed".to_string())]);
        assert_eq!(now.changed_from(&Outcomes::default()), []);
    }
}
