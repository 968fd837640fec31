//! The language of app models: text in, a [`Model`] out, every mistake with its place.
//!
//! All items are cut apart and parsed first, so that every declared name is known, those of broken items too. A
//! mistake is reported at its place, and not again where the name is used. Then the names in each item are resolved.
//! A part is resolved once by itself, for its mistakes, and again at each use, for the widgets it shows there.

mod declare;
mod effect;
mod expression;
mod grammar;
mod items;
mod mistake;
mod node;
mod reach;
mod scope;
mod set;
mod window;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pest::iterators::Pair;

use super::fate;
use super::model::{Model, Procedure};
use super::state::activity_names;
use crate::sorted;
pub use crate::text::BYTES_MAX;
use crate::text::{
    Diagnostic, Diagnostics, Source, Span, Suggestions, did_you_mean, is_too_long, on_own_stack,
};
use declare::Declared;
use grammar::Rule;
use items::{Item, ItemKind, items};
use reach::Uses;
use scope::Scope;
pub use set::SetError;

/// Largest number of widgets, effects and forms around them in a model with all parts put in their places.
pub const NODES_MAX: usize = 200_000;
/// Largest number of values, names and operators in a model, counted in the same way.
pub const OPERANDS_MAX: usize = 2_000_000;
/// Deepest nesting of widgets, effects and operators with all parts put in their places.
pub const DEPTH_MAX: usize = 200;
/// Largest number of windows in a model.
pub const WINDOWS_MAX: usize = 1_000;
/// Largest number of names known at a place, besides variables.
const LOCALS_MAX: usize = 1_000;
/// Largest number of parameters, or of fields of a list: each is compared with all before it.
const PARAMETERS_MAX: usize = 100;

/// Model as it was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// Model, if the text has no errors.
    pub model: Option<Model>,
    /// Mistakes of the text.
    pub diagnostics: Diagnostics,
}

/// Returns the model that `source` describes, and all mistakes.
///
/// ```
/// use farlead::device::sim::read;
/// use farlead::spec::Source;
///
/// let text = "app org.example \"Example\" 1.0\nlaunch Main\nactivity Main .Main { TextView \"Hello\" }";
/// let read = read(&Source::new("example.app", text));
/// assert_eq!(read.diagnostics.errors(), 0);
/// assert_eq!(&*read.model.expect("no mistakes").package, "org.example");
/// ```
///
/// A model of [FATE](super::fate) is read too, as its parameters are by default.
pub fn read(source: &Source) -> Read {
    if fate::is_fate(source.text()) {
        return fate::read(source, fate::Options::default());
    }
    read_language(source)
}

/// Returns the model that `source` describes in the language of app models.
pub(super) fn read_language(source: &Source) -> Read {
    on_own_stack(|| read_here(source))
}

/// Returns true if `text` is meant as a model: one of its lines names the app, or it is a model of FATE.
pub fn is_model(text: &str) -> bool {
    let names_app = |line: &str| {
        let mut words = line.split_whitespace();
        words.next() == Some("app") && words.next().is_some_and(|package| package.contains('.'))
    };
    fate::is_fate(text) || text.lines().any(names_app)
}

fn read_here(source: &Source) -> Read {
    let mut diagnostics = Diagnostics::default();
    if is_too_long(source, "a model", None, &mut diagnostics) {
        return Read { model: None, diagnostics };
    }
    let items = items(source.text(), &mut diagnostics);
    let marked = grammar::mark_lines(source.text());
    let mut reader = Reader::new(source, &marked, diagnostics);
    let model = reader.model(&items);
    // With errors, names in the model may stand for nothing.
    let model = if reader.diagnostics.errors() == 0 { model } else { None };
    Read { model, diagnostics: reader.diagnostics.sorted() }
}

/// State of reading a model.
struct Reader<'a> {
    source: &'a Source,
    /// Text of the source, as the grammar wants it.
    marked: &'a str,
    diagnostics: Diagnostics,
    /// Places and codes of reported mistakes: the content of a part is read as often as the part asks for it.
    said: BTreeSet<(usize, &'static str)>,
    declared: Declared<'a>,
    uses: Uses<'a>,
    /// Kinds of the variables of the window at hand.
    own_kinds: Vec<scope::Kind>,
    requests: Vec<Arc<str>>,
    request_numbers: BTreeMap<&'a str, u32>,
    scrolls: u32,
    /// First bytes of all `crash` effects.
    crashes: BTreeSet<usize>,
    nodes: usize,
    operands: usize,
    /// True after a bound is exceeded and reported: nothing more is read.
    is_full: bool,
    suggestions: Suggestions,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source, marked: &'a str, diagnostics: Diagnostics) -> Reader<'a> {
        Reader {
            source,
            marked,
            diagnostics,
            said: BTreeSet::new(),
            declared: Declared::default(),
            uses: Uses::default(),
            own_kinds: Vec::new(),
            requests: Vec::new(),
            request_numbers: BTreeMap::new(),
            scrolls: 0,
            crashes: BTreeSet::new(),
            nodes: 0,
            operands: 0,
            is_full: false,
            suggestions: Suggestions::default(),
        }
    }

    fn model(&mut self, items: &[Item]) -> Option<Model> {
        self.declare(items);
        let globals = self.globals();
        // Parts first: their mistakes are reported here alone.
        self.check_parts();
        let procedures = self.procedures();
        let windows = self.windows();
        self.check_requests();
        // After a mistake, much would seem unused that is not.
        if self.diagnostics.errors() == 0 {
            self.warn();
        }
        let app = self.declared.app.clone()?;
        let display = self.declared.display.unwrap_or_default();
        let mut model = Model {
            name: self.source.name().to_string(),
            source: self.source.clone(),
            package: app.package,
            label: app.label,
            version: app.version,
            display,
            settings: set::settings(display),
            globals,
            fields: std::mem::take(&mut self.declared.fields),
            windows,
            procedures,
            launchable: std::mem::take(&mut self.declared.launchable),
            requests: std::mem::take(&mut self.requests),
            scrolls: self.scrolls,
            crash_sites: BTreeMap::new(),
        };
        model.crash_sites = self.crash_sites(&model);
        Some(model)
    }

    /// Returns the call in the trace of each `crash`. It stays the same while the item around it keeps its name and its
    /// earlier crashes.
    fn crash_sites(&self, model: &Model) -> BTreeMap<usize, Arc<str>> {
        let Declared { windows, parts, procedures, .. } = &self.declared;
        let package = &model.package;
        let windows = (0..).zip(windows).map(|(number, head)| {
            let is_activity = head.kind == ItemKind::Activity;
            let class = if is_activity {
                activity_names(model, number).1
            } else {
                format!("{package}.{}", head.name).into()
            };
            (head.offset, format!("{class}.crash"))
        });
        let parts = parts.iter().map(|head| (head.offset, format!("{package}.Parts.{}", head.name)));
        let procedures = procedures.iter().map(|head| (head.offset, format!("{package}.Defs.{}", head.name)));
        let items: BTreeMap<usize, String> = sorted::map(windows.chain(parts).chain(procedures));
        let mut met: BTreeMap<&str, usize> = BTreeMap::new();
        let mut sites = BTreeMap::new();
        for &at in &self.crashes {
            let (_, method) = items.range(..=at).next_back().expect("an effect is in an item");
            let number = met.entry(method).or_default();
            *number += 1;
            // No name has this sign.
            let number = if *number == 1 { String::new() } else { format!("-{number}") };
            sites.insert(at, format!("{method}{number}(model.app:{})", self.line(at)).into());
        }
        sites
    }

    fn procedures(&mut self) -> Vec<Procedure> {
        let heads = self.declared.procedures.clone();
        let read = |(number, head): (usize, &std::rc::Rc<declare::Head<'a>>)| {
            self.uses.enter(reach::Owner::Procedure(number as u32));
            let mut scope = Scope::new(head.offset, scope::Owner::Procedure);
            for &(name, _) in &head.parameters {
                scope.add(name, scope::Kind::Unknown, true);
            }
            let effects = self.block(head.body.clone(), &mut scope, 1);
            Procedure {
                name: Arc::from(head.name),
                parameters: head.parameters.len() as u32,
                locals: scope.slots_max,
                effects,
            }
        };
        heads.iter().enumerate().map(read).collect()
    }

    /// Adds an error about bytes of the text, unless the same is reported of them already.
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message).help(help));
    }

    fn report(&mut self, mistake: Diagnostic) {
        if self.said.insert((mistake.span.start, mistake.code)) {
            self.diagnostics.error(|| mistake);
        }
    }

    /// Adds an error, unless a part is put in its place: its mistakes are reported already.
    fn mistake(
        &mut self,
        scope: &Scope<'a>,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if !scope.is_quiet {
            self.error(code, span, message, help);
        }
    }

    /// Returns true, and counts the error, if there are more errors than anyone reads. Ask before a help that takes time.
    fn is_enough(&mut self, code: &'static str, span: &Span) -> bool {
        const SAID_MAX: usize = 100;
        let is_enough = self.diagnostics.errors() >= SAID_MAX;
        if is_enough {
            self.error(code, span.clone(), "", "");
        }
        is_enough
    }

    /// Returns help with the nearest `known` name, or else what `otherwise` says of the first few.
    fn near<'n>(
        &mut self,
        typed: &str,
        known: impl Iterator<Item = &'n str> + Clone,
        otherwise: impl FnOnce(&[&'n str]) -> String,
    ) -> String {
        // As many names as fit a line.
        const SHOWN_MAX: usize = 8;
        // Names are compared letter by letter, which a hostile text would make slow.
        let affordable = self.suggestions.afford(known.clone());
        did_you_mean(typed, affordable, || otherwise(&known.take(SHOWN_MAX).collect::<Vec<_>>()))
    }

    /// Returns the line of the byte at `at`.
    fn line(&self, at: usize) -> usize {
        self.source.position(at).line
    }
}

/// Returns the bytes of `pair` in the text, without blanks that the grammar skipped after it.
fn span(pair: &Pair<'_, Rule>, offset: usize) -> Span {
    let start = pair.as_span().start() + offset;
    start..start + pair.as_str().trim_end().len()
}

#[cfg(test)]
mod tests;
