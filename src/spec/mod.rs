//! The language of specs: text in, formulas over [`gui::Atom`] out, every mistake with its place.
//!
//! [`crate::ltl`] gives formulas their meaning, [`crate::gui`] brackets. A feature in plain words becomes text of the same
//! language, so that there is one meaning. [`judge`](fn@judge) says whether a spec makes
//! sense, [`in_words`] says it in plain words.

mod atom;
mod concern;
mod feature;
mod file;
mod formula;
mod grammar;
mod items;
mod judge;
mod load;
mod mistake;
mod read;
mod starter;
mod words;

use std::collections::BTreeMap;

use pest::Parser as _;

use crate::gui::{self, ActionTypes, UserAction};
use crate::ltl::{Formula, Formulas};
use crate::text::on_own_stack;
pub use crate::text::{
    BYTES_MAX, Diagnostic, Diagnostics, Located, NotText, Position, Severity, Source, Span, Style, printable,
    shown_path,
};
use atom::{AtomReader, Purpose};
pub use concern::ShownPlace;
pub use feature::{
    MODIFIERS, ModifierPattern, SENTENCES, SentenceKind, SentencePattern, example_of, is_feature,
    scenario_names,
};
pub use file::{Budget, Expectation, Level, Scenario, ScenarioStep, Spans, Spec, SpecFile};
pub use formula::TIME_MAX_MS;
use grammar::{Grammar, Rule};
pub use items::{ITEM_WORDS, NESTING_MAX, OPERATORS_MAX};
pub use judge::{Judgement, Linted, WitnessStep, judge, lint, lint_given};
pub(crate) use load::text_of;
pub use load::{FILE_BYTES_MAX, ReadError, read_bytes, read_text, read_text_bytes, unreadable};
pub use mistake::OPERATOR_WORDS;
pub use read::Names;
pub use starter::reach;
pub use words::{SubGoal, atom_in_words, in_words, sub_goals};

/// File of specs as it was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Items that can be judged: those without mistakes, and specs whose name another spec has.
    pub file: SpecFile,
    /// Mistakes of the file.
    pub diagnostics: Diagnostics,
}

/// Formula as it was read by itself.
#[derive(Clone, Debug)]
pub struct ParsedFormula {
    /// Store of the formula.
    pub formulas: Formulas,
    /// The formula, if it has no mistakes.
    pub formula: Option<Formula>,
    /// Brackets of the formula by their names; a name without a bracket is a label.
    pub atoms: BTreeMap<String, gui::Atom>,
    /// Mistakes of the formula.
    pub diagnostics: Diagnostics,
}

/// Returns the specs of a file and all its mistakes.
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
    parse_given(source, &[])
}

/// Parses a file of a project in which every file has the actions `given`. An action that the file declares replaces a
/// given one of its name. A file named `*.feature` is read as Gherkin.
pub fn parse_given(source: &Source, given: &[UserAction]) -> Parsed {
    on_own_stack(|| {
        let read = if is_feature(source.name()) { feature::read_file } else { read::read_file };
        let (file, diagnostics) = read(source, given);
        Parsed { file, diagnostics }
    })
}

/// Returns the action that `source` declares as a file of specs would, and all mistakes.
pub fn parse_action(source: &Source) -> (Option<UserAction>, Diagnostics) {
    on_own_stack(|| read::read_declaration(source))
}

/// Returns the atoms that the rule `source` asks of an action, each with true if it must hold, and all mistakes. The
/// actions `given` are known.
pub fn parse_rule(source: &Source, given: &[UserAction]) -> (Option<Vec<(gui::Atom, bool)>>, Diagnostics) {
    on_own_stack(|| read::read_rule(source, given))
}

/// Returns `text` in quotes, as a spec writes it.
pub fn quoted(text: &str) -> String {
    gui::quote(text)
}

/// Returns `text` in quotes, as an atom writes a value.
pub fn quoted_value(text: &str) -> String {
    gui::quote_value(text)
}

/// Returns the formula that `source` is, and all mistakes.
pub fn parse_formula(source: &Source, names: Names<'_>) -> ParsedFormula {
    on_own_stack(|| read::read_formula(source, names))
}

/// Returns the canonical name of a label as a trace writes it: `[activity~Main]` and
/// `[activity ~ Main]` are one label. `None` if it starts like an atom and is not written like one;
/// an atom of keys or values unknown here is a label by the name it has.
pub fn read_label(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with('[') {
        return Some(text.to_string());
    }
    let known = read_bracket(text)?;
    Some(known.map_or_else(|| text.to_string(), |atom| atom.to_string()))
}

/// Returns the atom that `text` is, as in a formula.
pub fn read_atom(text: &str) -> Option<gui::Atom> {
    read_bracket(text.trim())?
}

/// Returns the atom of a bracket; the inner `None` stands for a bracket with unknown keys or values.
fn read_bracket(text: &str) -> Option<Option<gui::Atom>> {
    // No file has room for a longer bracket.
    if text.len() > BYTES_MAX {
        return None;
    }
    let atom = Grammar::parse(Rule::trace_label, text).ok()?.next()?.into_inner().next()?;
    // A trace may have types of actions that no file declares.
    let mut reader = AtomReader {
        offset: 0,
        types: ActionTypes::Any,
        widgets: &|_| None,
        kept: &|_| None,
        kept_names: Vec::new(),
        names: Vec::new(),
        mistakes: Vec::new(),
    };
    Some(reader.read(atom, Purpose::Formula))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_of_a_trace_have_one_name() {
        for (text, expected) in [
            ("[activity~Main]", "[activity ~ Main]"),
            (" [checked=true,text=a] ", "[text = a, checked = true]"),
            ("[actionType=chessmove]", "[actionType = chessmove]"),
            ("ready", "ready"),
            (" ready ", "ready"),
            ("[unknown = a]", "[unknown = a]"),
            ("not a name", "not a name"),
            ("", ""),
        ] {
            assert_eq!(read_label(text).as_deref(), Some(expected));
        }
        for broken in ["[text = a", "[text = a] b", "[", "[]"] {
            assert_eq!(read_label(broken), None);
        }
    }

    #[test]
    fn hostile_files_are_answered() {
        let sizes = |piece: &str| piece.repeat(300_000 / piece.len());
        for piece in [
            "(",
            "[",
            "\"",
            ")",
            "]",
            "X ",
            "!",
            "/",
            "#",
            "\n",
            "[text ~ /",
            "let a = (\n",
            "let\n",
            "label ",
            "<-> ",
            "next:",
            "a then ",
            "possible\n",
            "never \"",
            "\u{202e}",
            "\0",
            "日",
            "F[",
            "count(",
            "\\",
            "a ",
            "[a=b],",
            "action a on ",
        ] {
            let text = sizes(piece);
            let source = Source::new("a.ltl", &*text);
            let parsed = parse(&source);
            assert!(parsed.diagnostics.errors() > 0, "{piece}");
            assert!(parsed.diagnostics.render(&source, Style::Colour).len() < 200_000, "{piece}");
            read_label(&text);
            read_label(&format!("[{text}]"));
        }
    }

    /// Checks that every diagnostic lies in the text and can be shown.
    fn check_shown(text: &str) {
        let source = Source::new("a.ltl", text);
        for diagnostics in [parse(&source).diagnostics, parse_formula(&source, Names::Any).diagnostics] {
            for diagnostic in diagnostics.iter() {
                assert!(source.text().get(diagnostic.span.clone()).is_some(), "{diagnostic:?} {text:?}");
                diagnostic.located(&source);
            }
            diagnostics.render(&source, Style::Colour);
        }
        read_label(text);
    }

    fn token() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "let ",
            "label ",
            "action ",
            "possible ",
            "never ",
            "must ",
            "\n",
            "\r\n",
            "a",
            "b ",
            "main",
            "\"",
            "\"x\"",
            "(",
            ")",
            "[",
            "]",
            "[text = a]",
            "[text",
            " ~ ",
            " = ",
            "==",
            "!=",
            "/",
            "\\",
            "\\u{",
            "}",
            ",",
            ":",
            "#",
            "F",
            "G[",
            "<=5]",
            "2..5]",
            "[<=3]",
            "U ",
            " until ",
            " then ",
            "next",
            "next:",
            "weak ",
            "not ",
            "!",
            "&",
            "|",
            "->",
            "<->",
            "=>",
            "true ",
            "within ",
            "4 ",
            "steps",
            "over",
            "episodes",
            "on ",
            "tap ",
            "1% ",
            "text \"a\"",
            "count(",
            "O[<=9]",
            "S[1..2]",
            "日",
            "ä",
            "\u{feff}",
            "\t",
            "○",
            "𝒰",
            "⊤",
            "10s",
            "activity",
            "actionType",
            "checked",
            ".",
            "-",
            "_",
        ])
    }

    proptest! {
        #[test]
        fn any_text_is_answered(text in any::<String>()) {
            check_shown(&text);
        }

        #[test]
        fn any_tokens_are_answered(tokens in prop::collection::vec(token(), 0..40)) {
            check_shown(&tokens.concat());
        }

        #[test]
        fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            match Source::from_bytes("a.ltl", bytes) {
                Ok(source) => check_shown(source.text()),
                Err(not_text) => {
                    not_text.diagnostic.render(&not_text.source, Style::Plain);
                }
            }
        }
    }
}
