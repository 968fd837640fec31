//! What the grammar could not read, in words: what is wrong there, and what would be right.

use std::ops::Range;

use pest::error::{Error, ErrorVariant, InputLocation};

use super::grammar::Rule;
use super::items::{Item, ItemKind, is_word_char};
use crate::gui::nearest;
use crate::spec::{Diagnostic, clip};

/// Returns what is wrong with `item` of `text`, of which the grammar has said `error`.
pub(super) fn explain(error: &Error<Rule>, text: &str, item: &Item, kind: ItemKind) -> Diagnostic {
    let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.clone(),
        ErrorVariant::CustomError { .. } => Vec::new(),
    };
    let start = item.span.start;
    Mistake { text: &text[item.span.clone()], kind, start, at, expected }.explain()
}

struct Mistake<'a> {
    /// The item.
    text: &'a str,
    kind: ItemKind,
    /// Where the item starts in the source.
    start: usize,
    /// The first byte of the item that could not be read.
    at: usize,
    /// The rules that could have gone on there.
    expected: Vec<Rule>,
}

impl<'a> Mistake<'a> {
    fn explain(&self) -> Diagnostic {
        let found = self.found();
        let message = match found {
            "" => "something is missing at the end".to_string(),
            found => format!("`{}` cannot stand here", clip(found)),
        };
        let help = format!("expected {:?}; {} {:?}", self.expected, self.kind.example(), nearest(found, []));
        Diagnostic::error("E-syntax", self.span(self.at..self.at + found.len()), message).help(help)
    }

    fn span(&self, span: Range<usize>) -> Range<usize> {
        span.start + self.start..span.end + self.start
    }

    /// What could not be read as a whole: a word, a sign, or nothing at the end.
    fn found(&self) -> &'a str {
        let rest = &self.text[self.at..];
        let word = &rest[..rest.find(|char| !is_word_char(char)).unwrap_or(rest.len())];
        match (word, rest.chars().next()) {
            ("", Some(sign)) => &rest[..sign.len_utf8()],
            (word, _) => word,
        }
    }
}
