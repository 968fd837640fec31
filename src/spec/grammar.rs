//! The parser made from `grammar/spec.pest`.

// The derived enum of rules has no documentation.
#![allow(missing_docs)]

use std::ops::Range;

use pest::iterators::Pair;

/// Reads text by the rules of the grammar.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/spec.pest"]
pub(super) struct Grammar;

/// Returns the bytes of `pair` in a text in which what was parsed starts at `offset`.
pub(super) fn span(pair: &Pair<'_, Rule>, offset: usize) -> Range<usize> {
    let span = pair.as_span();
    span.start() + offset..span.end() + offset
}
