//! The parser made from `grammar/app.pest`.

// The derived enum of rules has no documentation.
#![allow(missing_docs)]

use super::items::is_word_char;

/// Reads items of models by the rules of the grammar.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/app.pest"]
pub(super) struct Grammar;

/// What the grammar knows a `when` by that begins a line; it has as many bytes.
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
