//! The parser made from `grammar/app.pest`.

// The derived enum of rules has no documentation.
#![allow(missing_docs)]

use crate::text::is_word_char;

/// Parser of items of models, by the rules of the grammar.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/words.pest"]
#[grammar = "../grammar/app.pest"]
pub(super) struct Grammar;

/// Mark of a `when` that begins a line, with as many bytes: the grammar skips blanks and sees no lines.
pub(super) const LINE_WHEN: &str = "\u{1}hen";

/// Returns `text` with each `when` that begins a line marked.
pub(super) fn mark_lines(text: &str) -> String {
    let mut marked = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (blanks, rest) = line.split_at(line.len() - line.trim_start().len());
        marked.push_str(blanks);
        match rest.strip_prefix("when").filter(|rest| !rest.starts_with(is_word_char)) {
            Some(rest) => marked.extend([LINE_WHEN, rest]),
            None => marked.push_str(rest),
        }
    }
    marked
}
