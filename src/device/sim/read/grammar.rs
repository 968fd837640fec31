//! The parser made from `grammar/app.pest`.

// The derived enum of rules has no documentation.
#![allow(missing_docs)]

/// Reads items of models by the rules of the grammar.
#[derive(pest_derive::Parser)]
#[grammar = "../grammar/app.pest"]
pub(super) struct Grammar;
