//! Models of FATE, a framework that compares agents for Android on models of apps, read as app models.
//!
//! A file is a dictionary of Python or JSON, or MoML, the XML of Ptolemy. [`read`] turns it into the language of app models
//! and that into a [`Model`](super::model::Model), so one simulator runs both, and [`convert`] writes it down. The reward
//! of FATE, and its actions that mean nothing, are for whoever explores.

mod dict;
mod expression;
mod graph;
mod literal;
mod moml;
mod quoted;
mod write;

use super::read::{self, Read, SetError};
use crate::gui::nearest;
use crate::text::{Diagnostic, Diagnostics, Source, is_too_long, on_own_stack};
use expression::Dialect;
use graph::Graph;

/// Parameters of models of FATE, besides those of every model.
pub const PARAMETERS: [&str; 3] = ["fate.strings", "fate.distinct", "fate.quirks"];

/// Name of the file beside a model that has its dictionary, a text a line.
pub const DICTIONARY: &str = "strings.txt";

/// Parameters of models of FATE, as they are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Number of the last line of the dictionary that is typed; the first line is number 0.
    pub strings: u32,
    /// True if a text that is in several lines counts once.
    pub distinct: bool,
    /// True for the behaviour of the original program: a fresh start keeps all variables, and fields show no text.
    pub quirks: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { strings: 20, distinct: true, quirks: false }
    }
}

impl Options {
    /// Returns true if `name` is meant as a parameter of these.
    pub fn is_named(name: &str) -> bool {
        name.starts_with("fate.")
    }

    /// Sets a parameter.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetError> {
        let refused = |takes: &str| SetError::Value {
            name: name.to_string(),
            value: value.to_string(),
            takes: takes.to_string(),
        };
        let switch = || value.parse().map_err(|_| refused("`true` and `false`"));
        match name {
            "fate.strings" => self.strings = value.parse().map_err(|_| refused("whole numbers from 0 on"))?,
            "fate.distinct" => self.distinct = switch()?,
            "fate.quirks" => self.quirks = switch()?,
            _ => {
                let nearest = nearest(name, PARAMETERS).map(str::to_string);
                let known = PARAMETERS.map(str::to_string).to_vec();
                return Err(SetError::Unknown { name: name.to_string(), nearest, known });
            }
        }
        Ok(())
    }

    /// Returns the texts to type from a dictionary with a text a line.
    pub fn texts(&self, dictionary: &str) -> Vec<String> {
        let reachable = usize::try_from(self.strings).unwrap_or(usize::MAX).saturating_add(1);
        let mut texts: Vec<String> = Vec::new();
        for line in dictionary.lines().take(reachable.min(LINES_MAX)) {
            // Lines are few, so each is compared with all before it.
            if !self.distinct || texts.iter().all(|text| text != line) {
                texts.push(line.to_string());
            }
        }
        texts
    }
}

/// Most lines of a dictionary that are read.
const LINES_MAX: usize = 1_000;

/// Returns true if `text` is meant as a model of FATE: a dictionary, or XML.
pub fn is_fate(text: &str) -> bool {
    let text = &text[literal::blanks(text)..];
    let text = &text[literal::assigned_name(text).unwrap_or(0)..];
    text.trim_start().starts_with(['{', '<'])
}

/// Returns the app model of the model of FATE that `source` is, and all mistakes in it.
///
/// ```
/// use farlead::device::sim::fate::{self, Options};
/// use farlead::spec::Source;
///
/// let text = "{'global_vars': [], 'nodes': [{'node_id': 'home', 'transitions': []}]}";
/// let read = fate::read(&Source::new("example.py", text), Options::default());
/// assert_eq!(&*read.model.expect("no mistakes").package, "fate.example");
/// ```
pub fn read(source: &Source, options: Options) -> Read {
    let (text, mut diagnostics) = convert(source, options);
    let Some(text) = text else { return Read { model: None, diagnostics } };
    // Places of faults while it runs are in this text.
    let name = format!("{} in the language of app models", source.name());
    let converted = Source::new(name, text);
    let read = read::read_language(&converted);
    let Some(mut model) = read.model else {
        let first = read.diagnostics.iter().next().map_or("", |mistake| &mistake.message);
        let message = format!("this cannot be said in the language of app models: {first}");
        diagnostics.error(|| Diagnostic::error("E-convert", 0..0, message));
        return Read { model: None, diagnostics };
    };
    model.name = source.name().to_string();
    model.settings.keeps_stored = options.quirks;
    // FATE has no actions of the system.
    model.settings.has_device_actions = false;
    Read { model: Some(model), diagnostics }
}

/// Returns the model of FATE that `source` is in the language of app models, and all mistakes in it.
///
/// Only where `sim.actions=screen` is set are no actions of the device offered. With quirks, a fresh start keeps all variables
/// only where `sim.reset=restart` is set.
pub fn convert(source: &Source, options: Options) -> (Option<String>, Diagnostics) {
    on_own_stack(|| {
        let mut diagnostics = Diagnostics::default();
        let graph = graph_of(source, &mut diagnostics);
        let Some(graph) = graph.filter(|_| diagnostics.errors() == 0) else {
            return (None, diagnostics.sorted());
        };
        let text = write::write(&graph, source.stem(), options.quirks);
        if text.is_none() {
            let message = "the model is too large for the language of app models";
            diagnostics.error(|| {
                Diagnostic::error("E-too-large", 0..0, message).help("leave out some of its nodes")
            });
        }
        (text, diagnostics.sorted())
    })
}

fn graph_of(source: &Source, diagnostics: &mut Diagnostics) -> Option<Graph> {
    if is_too_long(source, "a model", None, diagnostics) {
        return None;
    }
    let text = source.text();
    let read = if text.trim_start().starts_with('<') {
        moml::read(text).map(|raw| (raw, Dialect::Ptolemy))
    } else {
        literal::read(text).map(|literal| (dict::raw(literal, diagnostics), Dialect::Python))
    };
    match read {
        Ok((raw, dialect)) => Some(graph::resolve(&raw, dialect, diagnostics)),
        Err(mistake) => {
            diagnostics.error(|| mistake);
            None
        }
    }
}

#[cfg(test)]
mod tests;
