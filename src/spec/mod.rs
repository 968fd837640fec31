//! The language of specs: text in, formulas over [`gui::Atom`] out, every mistake with its place.
//!
//! What a formula means is for [`crate::ltl`], what a bracket means for [`crate::gui`]; whether a spec
//! makes sense is for lint.

mod atom;
mod diagnostic;
mod file;
mod formula;
mod grammar;
mod items;
mod judge;
mod mistake;
mod read;
mod source;
mod words;

use std::collections::BTreeMap;

use pest::Parser as _;

use crate::gui::{self, ActionTypes};
use crate::ltl::{Formula, Formulas};
use atom::{AtomReader, Purpose};
pub use diagnostic::{Diagnostic, Diagnostics, Located, Severity, Style};
pub use file::{Budget, Expectation, Level, Place, Spec, SpecFile};
use grammar::{Grammar, Rule};
pub use items::{BYTES_MAX, NESTING_MAX, OPERATORS_MAX};
pub use judge::{Judgement, Linted, judge, lint};
pub use read::Names;
pub use source::{NotText, Position, Source};
pub use words::{SubGoal, atom_in_words, in_words, sub_goals};

/// What was read of a file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The items without mistakes.
    pub file: SpecFile,
    /// The mistakes of the others.
    pub diagnostics: Diagnostics,
}

/// What was read of a formula by itself.
#[derive(Clone, Debug)]
pub struct ParsedFormula {
    /// Where the formula lives.
    pub formulas: Formulas,
    /// The formula, if it has no mistakes.
    pub formula: Option<Formula>,
    /// The brackets of the formula by their names in it; the names that are missing here are labels.
    pub atoms: BTreeMap<String, gui::Atom>,
    /// The mistakes.
    pub diagnostics: Diagnostics,
}

/// Returns the specs of a file, and all mistakes in it.
///
/// ```
/// use farlead::spec::{Source, parse};
///
/// let text = "let main = [activity ~ Main]\nnever \"leave\": F !main";
/// let parsed = parse(&Source::new("leave.ltl", text));
/// assert_eq!(parsed.diagnostics.errors(), 0);
/// let spec = &parsed.file.specs[0];
/// assert_eq!(spec.to_string(), "never \"leave\":\n    F ![activity ~ Main]\n");
/// ```
pub fn parse(source: &Source) -> Parsed {
    on_own_stack(|| {
        let (file, diagnostics) = read::read_file(source);
        Parsed { file, diagnostics }
    })
}

/// Returns the formula that `source` is, and all mistakes in it.
pub fn parse_formula(source: &Source, names: Names<'_>) -> ParsedFormula {
    on_own_stack(|| read::read_formula(source, names))
}

/// Returns the canonical name of a label as a trace writes it: `[activity~Main]` and
/// `[activity ~ Main]` are one label.
///
/// What cannot be read as an atom is a label by the name it has.
pub fn read_label(text: &str) -> String {
    let text = text.trim();
    // The most a spec can say in a bracket, and then it has nothing else.
    if !text.starts_with('[') || text.len() > BYTES_MAX {
        return text.to_string();
    }
    let atom = Grammar::parse(Rule::trace_label, text).ok().and_then(|mut pairs| {
        let atom = pairs.next()?.into_inner().next()?;
        AtomReader { offset: 0, types: ActionTypes::Any, mistakes: Vec::new() }.read(atom, Purpose::Formula)
    });
    atom.map_or_else(|| text.to_string(), |atom| atom.to_string())
}

/// Runs `work` where there is room for the deepest nesting that is allowed, whatever room the caller has.
fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    // The deepest formula takes a tenth of it in a build without optimisation.
    const STACK_BYTES: usize = 256 << 20;
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("spec".to_string()).stack_size(STACK_BYTES);
        let thread = builder.spawn_scoped(scope, work).expect("there is room for a thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
