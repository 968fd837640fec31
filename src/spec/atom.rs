//! Brackets: from the pairs of the grammar to [`gui::Atom`].

use std::ops::Range;

use pest::iterators::Pair;

use super::diagnostic::{Diagnostic, clip};
use super::grammar::{Rule, span};
use crate::gui::{ActionTypes, Atom, Comparison, Key, Mistake, Op, Part, Value};

/// Returns the text between quotes, or the first escape in it that stands for no character.
pub(super) fn unquote(quoted: &Pair<'_, Rule>) -> Result<String, String> {
    let written = quoted.as_str();
    let inner = &written[1..written.len() - 1];
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let (char, len) = match escape.as_bytes()[0] {
            b'n' => ('\n', 1),
            b'u' => {
                let end = escape.find('}').expect("the grammar has closed it");
                let code = u32::from_str_radix(&escape[2..end], 16).expect("the grammar has seen digits");
                let char = char::from_u32(code).ok_or_else(|| format!("\\{}", &escape[..=end]))?;
                (char, end + 1)
            }
            same => (char::from(same), 1),
        };
        text.push(char);
        rest = &escape[len..];
    }
    text.push_str(rest);
    Ok(text)
}

/// What a bracket stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A part of a formula.
    Formula,
    /// The widget an action is done on.
    Widget,
}

/// Reads brackets, and says what is wrong with them.
pub(super) struct AtomReader<'a> {
    /// Where in the source the parsed text starts.
    pub offset: usize,
    pub types: ActionTypes<'a>,
    pub mistakes: Vec<Diagnostic>,
}

impl AtomReader<'_> {
    /// Returns the atom of a bracket, or nothing if it has mistakes.
    pub fn read(&mut self, atom: Pair<'_, Rule>, purpose: Purpose) -> Option<Atom> {
        let whole = span(&atom, self.offset);
        let inside = atom.into_inner().next().expect("a bracket has an inside");
        let made = match (inside.as_rule(), purpose) {
            (Rule::count, Purpose::Widget) => {
                let mistake = Diagnostic::error(
                    "E-mixed-atom",
                    whole.clone(),
                    "an action is done on one widget, and this counts them",
                )
                .help("leave out `count` and its comparison");
                self.mistakes.push(mistake);
                return None;
            }
            (Rule::count, Purpose::Formula) => {
                let mut parts = inside.into_inner().filter(|part| part.as_rule() != Rule::count_close);
                let mut part = || parts.next().expect("a count has three parts");
                let (of, relation, value) = (part(), part(), part());
                let of = self.comparisons(of);
                let (op_span, value_span) = (span(&relation, self.offset), span(&value, self.offset));
                let value = self.value(value);
                let made = Atom::count(of?, operator(&relation), &value?);
                return made.map_err(|mistake| self.mistake(mistake, whole, op_span, value_span)).ok();
            }
            (_, purpose) => {
                let comparisons = self.comparisons(inside)?;
                match purpose {
                    Purpose::Formula => Atom::new(comparisons),
                    Purpose::Widget => Atom::widget(comparisons),
                }
            }
        };
        made.map_err(|mistake| self.mistake(mistake, whole.clone(), whole.clone(), whole.clone())).ok()
    }

    fn mistake(&mut self, mistake: Mistake, whole: Range<usize>, op: Range<usize>, value: Range<usize>) {
        let span = match mistake.part {
            Part::Key | Part::Whole => whole,
            Part::Op => op,
            Part::Value => value,
        };
        self.mistakes.push(Diagnostic::error(mistake.code, span, mistake.message).help(mistake.help));
    }

    /// All of them, or nothing if one has a mistake; each is looked at.
    fn comparisons(&mut self, comparisons: Pair<'_, Rule>) -> Option<Vec<Comparison>> {
        let all: Vec<Option<Comparison>> = comparisons
            .into_inner()
            .filter(|part| part.as_rule() == Rule::comparison)
            .map(|comparison| self.comparison(comparison))
            .collect();
        all.into_iter().collect()
    }

    fn comparison(&mut self, comparison: Pair<'_, Rule>) -> Option<Comparison> {
        let mut parts = comparison.into_inner();
        let mut part = || parts.next().expect("a comparison has three parts");
        let (key, relation, value) = (part(), part(), part());
        let key_span = span(&key, self.offset);
        let (op_span, value_span) = (span(&relation, self.offset), span(&value, self.offset));
        let op = operator(&relation);
        let value = self.value(value);
        let made = Key::parse(key.as_str())
            .and_then(|key| value.map(|value| Comparison::new(key, op, value, self.types)).transpose());
        made.unwrap_or_else(|mistake| {
            self.mistake(mistake, key_span, op_span, value_span);
            None
        })
    }

    fn value(&mut self, value: Pair<'_, Rule>) -> Option<Value> {
        let whole = span(&value, self.offset);
        let inside = match value.as_rule() {
            Rule::regex => value,
            _ => value.into_inner().next().expect("a value has an inside"),
        };
        match inside.as_rule() {
            Rule::regex => {
                let written = inside.as_str();
                Some(Value::Regex(unescape_slashes(&written[1..written.len() - 1])))
            }
            Rule::quoted => match unquote(&inside) {
                Ok(text) => Some(Value::Text(text)),
                Err(escape) => {
                    self.mistakes.push(no_character(&escape, whole));
                    None
                }
            },
            _ => {
                let text = inside.as_str().trim();
                if text.contains('[') {
                    let shown = clip(text);
                    let message = format!("the value goes on to the `]` and is `{shown}`");
                    self.mistakes.push(
                        Diagnostic::warning("W-bracket-in-value", whole, message)
                            .help("if that is meant, put it in quotes; if not, a `]` is missing in it"),
                    );
                }
                Some(Value::Text(text.to_string()))
            }
        }
    }
}

/// The error for `\u{...}` with a number that is no character's.
pub(super) fn no_character(escape: &str, span: Range<usize>) -> Diagnostic {
    Diagnostic::error("E-escape", span, format!("`{}` is no character", clip(escape)))
        .help("characters go from \\u{0} to \\u{10ffff}, without d800 to dfff")
}

fn operator(relation: &Pair<'_, Rule>) -> Op {
    Op::parse(relation.as_str()).expect("the grammar knows the operators")
}

fn unescape_slashes(written: &str) -> String {
    let mut text = String::with_capacity(written.len());
    let mut chars = written.chars();
    while let Some(char) = chars.next() {
        match (char, chars.clone().next()) {
            ('\\', Some('/')) => {}
            ('\\', Some(escaped)) => {
                chars.next();
                text.extend([char, escaped]);
            }
            _ => text.push(char),
        }
    }
    text
}
