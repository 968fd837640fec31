//! The parser made from `grammar/spec.pest`.

// The derived enum of rules has no documentation.
#![allow(missing_docs)]

/// Parser of items of specs, by the rules of the grammar.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/words.pest"]
#[grammar = "../grammar/spec.pest"]
pub(super) struct Grammar;
