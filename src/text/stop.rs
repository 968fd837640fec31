//! The place where a grammar stopped, from which each language explains what is wrong.

use pest::error::{Error, ErrorVariant, InputLocation};
use pest::{Parser, RuleType};

use super::{Diagnostic, Item, Span, first_word, is_word_char, last_word};

/// Place in an item where its grammar could not go on.
pub(crate) struct Stop<'a, R, K> {
    /// The whole text.
    pub file: &'a str,
    /// The item.
    pub text: &'a str,
    pub kind: K,
    /// Start of the item in the whole text.
    pub start: usize,
    /// First byte of the item that could not be read.
    pub at: usize,
    /// Rules that could have gone on there.
    pub expected: Vec<R>,
}

impl<'a, R: RuleType, K: Copy> Stop<'a, R, K> {
    pub fn new(error: Error<R>, file: &'a str, item: &Item<K>) -> Stop<'a, R, K> {
        let at = stopped_at(&error);
        let expected = match error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives,
            // No grammar here makes one.
            ErrorVariant::CustomError { .. } => Vec::new(),
        };
        let (text, start) = (&file[item.span.clone()], item.span.start);
        Stop { file, text, kind: item.kind, start, at, expected }
    }

    pub fn expects(&self, rule: R) -> bool {
        self.expected.contains(&rule)
    }

    /// Returns the item from where it could not be read.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns the item up to the last sign that could be read.
    pub fn before(&self) -> &'a str {
        self.text[..self.at].trim_end()
    }

    /// Returns the word that could not be read, empty if there is none.
    pub fn word(&self) -> &'a str {
        first_word(self.rest())
    }

    /// Returns the word before what could not be read, empty if there is none.
    pub fn word_before(&self) -> &'a str {
        last_word(self.before())
    }

    /// Returns the word or else the sign that could not be read, empty at the end.
    pub fn found(&self) -> &'a str {
        let rest = self.rest();
        match (self.word(), rest.chars().next()) {
            ("", Some(sign)) => &rest[..sign.len_utf8()],
            (word, _) => word,
        }
    }

    /// Returns the word or else the sign before what could not be read, empty at the start.
    pub fn previous(&self) -> &'a str {
        let before = self.before();
        match before.char_indices().next_back() {
            Some((at, sign)) if !is_word_char(sign) => &before[at..],
            Some(_) | None => self.word_before(),
        }
    }

    /// Returns an error about bytes of the item.
    pub fn error(&self, code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, span.start + self.start..span.end + self.start, message)
    }

    /// Returns an error about what could not be read.
    pub fn here(&self, message: impl Into<String>) -> Diagnostic {
        self.error("E-syntax", self.at..self.at + self.found().len(), message)
    }

    /// Returns the error for an operator at `at` that another language has, where ours is written differently.
    pub fn elsewhere(&self, at: usize, theirs: &str, ours: &str) -> Diagnostic {
        self.error("E-operator", at..at + theirs.len(), format!("there is no operator `{theirs}`"))
            .help(format!("write `{ours}`"))
    }
}

/// Returns the first byte that the grammar could not read.
pub(crate) fn stopped_at<R>(error: &Error<R>) -> usize {
    let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
    at
}

/// Returns true if `rule` of the grammar `G` reads the whole of `word`.
pub(crate) fn is_rule<G: Parser<R>, R: RuleType>(rule: R, word: &str) -> bool {
    // A rule may read the start of a word alone.
    G::parse(rule, word).is_ok_and(|pairs| pairs.as_str() == word)
}
