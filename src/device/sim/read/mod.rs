//! The language of app models: text in, a [`Model`] out, every mistake with its place.
//!
//! All items are cut apart and parsed first, so that every declared name is known, those of broken items too:
//! a mistake is reported where it was made and not again where the name is used. Then each is worked out with
//! its names resolved. A part is worked out once by itself, for its mistakes, and again wherever it is used,
//! for what it shows there.

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

use super::model::{Model, Place, Procedure};
use crate::gui::nearest;
use crate::spec::{self, Diagnostic, Diagnostics, Source};
use declare::Declared;
use grammar::Rule;
pub use items::BYTES_MAX;
use items::{Item, items};
use reach::Uses;
use scope::Scope;
pub use set::SetError;

/// The most widgets, effects and what holds them that a model may have once its parts are put in their places.
pub const NODES_MAX: usize = 200_000;
/// The most values, names and operators that a model may have, counted in the same way.
pub const OPERANDS_MAX: usize = 2_000_000;
/// The deepest that widgets, effects and operators may stand in each other once parts are put in their places.
pub const DEPTH_MAX: usize = 200;
/// The most windows a model may have.
pub const WINDOWS_MAX: usize = 1_000;
/// The most names that may be known at a place besides variables.
const LOCALS_MAX: usize = 1_000;
/// The most parameters, or fields of a list: they are found as quickly as they are read.
const PARAMETERS_MAX: usize = 100;
/// How many known names are looked at for the nearest to unknown ones, over the whole model.
const SUGGESTIONS_MAX: usize = 200_000;

/// What was read of a model.
#[derive(Clone, Debug)]
pub struct Read {
    /// The model, if it has no errors.
    pub model: Option<Model>,
    /// All mistakes.
    pub diagnostics: Diagnostics,
}

/// Returns the model that `source` is, and all mistakes in it.
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
pub fn read(source: &Source) -> Read {
    spec::on_own_stack(|| read_here(source))
}

fn read_here(source: &Source) -> Read {
    let mut diagnostics = Diagnostics::default();
    if source.text().len() > BYTES_MAX {
        let message = format!("a model may have {BYTES_MAX} bytes, and this has more");
        diagnostics.error(|| Diagnostic::error("E-too-large", 0..0, message));
        return Read { model: None, diagnostics };
    }
    let items = items(source.text(), &mut diagnostics);
    let marked = grammar::mark_lines(source.text());
    let mut reader = Reader::new(source, &marked, diagnostics);
    let model = reader.model(&items);
    let model = if reader.diagnostics.errors() == 0 { model } else { None };
    Read { model, diagnostics: reader.diagnostics.sorted() }
}

/// What reading a model has come to.
struct Reader<'a> {
    source: &'a Source,
    /// Its text, as the grammar wants it.
    marked: &'a str,
    diagnostics: Diagnostics,
    /// What was said already: a part's content is worked out as often as the part asks for it.
    said: BTreeSet<(usize, &'static str)>,
    declared: Declared<'a>,
    uses: Uses<'a>,
    /// What is known of the variables of the window at hand.
    own_kinds: Vec<scope::Kind>,
    requests: Vec<Arc<str>>,
    request_numbers: BTreeMap<&'a str, u32>,
    scrolls: u32,
    nodes: usize,
    operands: usize,
    /// More than is bearable was met, and said: nothing more is worked out.
    is_full: bool,
    suggestions_left: usize,
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
            nodes: 0,
            operands: 0,
            is_full: false,
            suggestions_left: SUGGESTIONS_MAX,
        }
    }

    fn model(&mut self, items: &[Item]) -> Option<Model> {
        self.declare(items);
        let globals = self.globals();
        self.check_parts();
        let procedures = self.procedures();
        let windows = self.windows();
        self.check_requests();
        if self.diagnostics.errors() == 0 {
            self.warn();
        }
        let app = self.declared.app.clone()?;
        let display = self.declared.display.unwrap_or_default();
        Some(Model {
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
        })
    }

    fn procedures(&mut self) -> Vec<Procedure> {
        let heads = self.declared.procedures.clone();
        let read = |(number, head): (usize, &std::rc::Rc<declare::ProcedureHead<'a>>)| {
            self.uses.enter(reach::Owner::Procedure(number as u32));
            let mut scope = Scope::new(head.offset, scope::Owner::Procedure);
            for &(name, _) in &head.parameters {
                scope.add(name, scope::Kind::Unknown, true);
            }
            let effects = self.block(head.block.clone(), &mut scope, 1);
            Procedure {
                name: Arc::from(head.name),
                parameters: head.parameters.len() as u32,
                locals: scope.slots_max,
                effects,
            }
        };
        heads.iter().enumerate().map(read).collect()
    }

    /// Adds an error about bytes of the text, unless it was said of them before.
    fn error(
        &mut self,
        code: &'static str,
        span: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.said.insert((span.start, code)) {
            self.diagnostics.error(|| Diagnostic::error(code, span, message).help(help));
        }
    }

    /// As [`Reader::error`], but where a part is put in its place: there its mistakes were said before.
    fn mistake(
        &mut self,
        scope: &Scope<'a>,
        code: &'static str,
        span: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if !scope.is_quiet {
            self.error(code, span, message, help);
        }
    }

    /// Says whether so many mistakes are known that nobody reads another one, which is counted alone. What takes
    /// time to be said asks first.
    fn is_enough(&mut self, code: &'static str, span: &Place) -> bool {
        const SAID_MAX: usize = 100;
        let is_enough = self.diagnostics.errors() >= SAID_MAX;
        if is_enough {
            self.error(code, span.clone(), "", "");
        }
        is_enough
    }

    /// Returns `did you mean ...` if a known name is near, or else what `otherwise` says.
    fn near<'n>(
        &mut self,
        typed: &str,
        known: impl Iterator<Item = &'n str> + Clone,
        otherwise: impl FnOnce(&[&'n str]) -> String,
    ) -> String {
        let looked_at = known.clone().take(self.suggestions_left).count();
        self.suggestions_left -= looked_at;
        if let Some(near) = nearest(typed, known.clone().take(looked_at)) {
            return format!("did you mean `{near}`?");
        }
        // What fits a line; the rest is to be looked up.
        const SHOWN_MAX: usize = 8;
        otherwise(&known.take(SHOWN_MAX).collect::<Vec<_>>())
    }

    /// The line of the text in which the byte at `at` is.
    fn line(&self, at: usize) -> usize {
        self.source.position(at).line
    }
}

/// The bytes of `pair` in the text, without the blanks that the grammar may have skipped after it.
fn span(pair: &Pair<'_, Rule>, offset: usize) -> Place {
    let start = pair.as_span().start() + offset;
    start..start + pair.as_str().trim_end().len()
}

/// The first of the pairs in `pair` that a rule gave.
fn child<'a>(pair: &Pair<'a, Rule>, rule: Rule) -> Option<Pair<'a, Rule>> {
    pair.clone().into_inner().find(|inner| inner.as_rule() == rule)
}

#[cfg(test)]
mod tests;
