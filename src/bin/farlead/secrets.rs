//! Secrets that farlead.toml, specs and stored tests name as `${NAME}`, read from the environment.

use std::collections::BTreeMap;
use std::env::{self, VarError};
use std::path::Path;
use std::sync::Arc;

use farlead::device::{Secrets, references};
use farlead::gui::{Action, Atom, Comparison, Constant, Gesture, UserAction};
use farlead::spec::{Source, Spec, shown_path};
use farlead::test_case::{SetUpRun, TestCase, TestSetUp, TestStep};

use crate::Mistake;
use crate::project::{Project, Texts};
use crate::sources;

/// Texts of a run that may name secrets, each with its place.
#[derive(Default)]
pub struct SecretTexts {
    texts: Vec<(String, String)>,
}

impl SecretTexts {
    /// Returns the texts of farlead.toml: those that are typed, and those of actions and rules.
    pub fn of(project: &Project) -> anyhow::Result<SecretTexts> {
        let mut texts = SecretTexts::default();
        let Some(source) = &project.source else { return Ok(texts) };
        // It has been read once, so it can be read again.
        let table: toml::Table = toml::from_str(source.text())?;
        for key in ["texts", "action", "rule"] {
            // A path of a file is no text.
            if let Some(value) = table.get(key).filter(|value| !value.is_str()) {
                texts.add_value(source, value);
            }
        }
        if let Some(Texts::File(path)) = &project.texts {
            texts.add_dictionary(path)?;
        }
        Ok(texts)
    }

    /// Returns the texts of a stored test.
    pub fn of_test(source: &Source, test: &TestCase) -> SecretTexts {
        let mut texts = SecretTexts::default();
        texts.add_test(source, test);
        texts
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: SecretTexts) {
        self.texts.extend(other.texts);
    }

    fn add_value(&mut self, source: &Source, value: &toml::Value) {
        match value {
            toml::Value::String(text) => self.add(source, text),
            toml::Value::Array(all) => all.iter().for_each(|value| self.add_value(source, value)),
            toml::Value::Table(all) => all.values().for_each(|value| self.add_value(source, value)),
            toml::Value::Integer(_)
            | toml::Value::Float(_)
            | toml::Value::Boolean(_)
            | toml::Value::Datetime(_) => {}
        }
    }

    /// Adds a file with a text a line.
    pub fn add_dictionary(&mut self, path: &Path) -> anyhow::Result<()> {
        let source = sources::read_text(path)?;
        source.text().lines().for_each(|line| self.add(&source, line));
        Ok(())
    }

    /// Adds specs from `source`.
    pub fn add_specs<'s>(&mut self, source: &Source, specs: impl IntoIterator<Item = &'s Spec>) {
        for spec in specs {
            spec.atoms.values().for_each(|atom| self.add_atom(source, atom));
            self.add_actions(source, &spec.actions);
        }
    }

    /// Adds a stored test from `source`. In one of format 1 a reference is letters.
    pub fn add_test(&mut self, source: &Source, test: &TestCase) {
        let TestSetUp::Own(runs) = &test.set_up else { return };
        self.add_specs(source, test.captured.iter().chain([&test.oracle]));
        self.add_actions(source, &test.actions);
        self.add_steps(source, &test.steps);
        runs.iter().for_each(|SetUpRun { steps, .. }| self.add_steps(source, steps));
    }

    fn add_steps(&mut self, source: &Source, steps: &[TestStep]) {
        for TestStep { action, sees, .. } in steps {
            if let Action::Text { text, .. } = action {
                self.add(source, text);
            }
            if let Some(target) = action.target() {
                [&target.text, &target.desc].into_iter().for_each(|name| self.add(source, name));
            }
            sees.iter().for_each(|(atom, _)| self.add_atom(source, atom));
        }
    }

    fn add_actions(&mut self, source: &Source, actions: &[UserAction]) {
        for UserAction { on, gestures, .. } in actions {
            self.add_atom(source, on);
            for gesture in gestures {
                if let Gesture::Text(text) = gesture {
                    self.add(source, text);
                }
            }
        }
    }

    fn add_atom(&mut self, source: &Source, atom: &Atom) {
        for Comparison { value, .. } in atom.comparisons() {
            if let Constant::Text(text) = value {
                self.add(source, text);
            }
        }
    }

    fn add(&mut self, source: &Source, text: &str) {
        // A text may be written with escapes, but a reference in it is written as it is.
        let sought = references(text).first().map(|found| format!("${{{}}}", found.name));
        let at = source.text().find(sought.as_deref().unwrap_or(text)).unwrap_or_default();
        let place = source.position(at);
        let name = shown_path(source.name().as_ref());
        self.texts.push((text.to_string(), format!("{name}:{}:{}", place.line, place.column)));
    }

    /// Reads the secrets that the texts name from the environment; `None` if they name none.
    pub fn read(&self) -> Result<Option<Arc<Secrets>>, Mistake> {
        let mut named: BTreeMap<String, Option<String>> = BTreeMap::new();
        for (text, place) in &self.texts {
            for found in references(text) {
                let value = named.entry(found.name.to_string()).or_default();
                if !found.is_escaped && value.is_none() {
                    *value = Some(variable(found.name, place)?);
                }
            }
        }
        if named.is_empty() {
            return Ok(None);
        }
        let secrets = Secrets::new(named);
        // Compared with screens that show the name, a text with the value would never fit; and it is in a file.
        for (text, place) in &self.texts {
            if let Some(name) = secrets.name_in(text) {
                let message = format!(
                    "{place}: the value of ${{{name}}} stands in a text here; write ${{{name}}} in its place"
                );
                return Err(Mistake::new(message));
            }
        }
        Ok(Some(Arc::new(secrets)))
    }
}

/// Returns the value of a variable that is named at `place`.
fn variable(name: &str, place: &str) -> Result<String, Mistake> {
    let why = match env::var(name) {
        Ok(value) if !value.is_empty() => return Ok(value),
        Ok(_) => "is empty",
        Err(VarError::NotPresent) => "is not set",
        Err(VarError::NotUnicode(_)) => "is no UTF-8",
    };
    let message = format!(
        "{place}: the environment variable {name} {why}; set it, as in `export {name}=...`, or write `\\${{{name}}}` if the \
         letters themselves are meant"
    );
    Err(Mistake::new(message))
}
