//! Mistakes that can be made in every language here.

use std::fmt::Display;

use super::{Diagnostic, Span, clip};

/// Returns the help that names the nearest word.
pub(crate) fn meant(near: &str) -> String {
    format!("did you mean `{near}`?")
}

/// Returns the error for a `whole`, like "a file", that has more than `max` of its `parts`.
pub(crate) fn too_many(span: Span, whole: &str, max: impl Display, parts: &str) -> Diagnostic {
    Diagnostic::error("E-too-large", span, format!("{whole} may have {max} {parts}, and this has more"))
}

/// Returns the error for what is nested more than `max` deep.
pub(crate) fn too_deep(span: Span, what: &str, max: impl Display) -> Diagnostic {
    Diagnostic::error("E-too-deep", span, format!("{what} may be nested {max} deep, and this is deeper"))
}

/// Returns the error for a word that stands where an item starts, and starts none.
pub(crate) fn no_item(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error("E-item", span, format!("no item starts with `{}`", clip(word)))
}

/// Returns the error for the bracket `open` at `at`, which `close` would close.
pub(crate) fn unclosed(at: usize, open: &str, close: &str) -> Diagnostic {
    Diagnostic::error("E-bracket", at..at + 1, format!("this `{open}` is never closed"))
        .help(format!("close it with `{close}`"))
}

/// Returns the error for the bracket `open` at `at` which meets `found` where `close` is needed.
pub(crate) fn crossed(at: usize, open: &str, found: char, close: &str) -> Diagnostic {
    let message = format!("this `{open}` meets a `{found}` where `{close}` is needed");
    Diagnostic::error("E-bracket", at..at + 1, message).help(format!("close it with `{close}`"))
}

/// Returns the error for a quote at `at` that is open at the end of its line; `escapes` says how to write what cannot
/// stand in a text.
pub(crate) fn unclosed_quote(at: usize, escapes: &str) -> Diagnostic {
    Diagnostic::error("E-quote", at..at + 1, "this quote is never closed")
        .help(format!("close it with `\"` in the same line; {escapes}"))
}

/// Returns the error for `\u{...}` with a number that is no character's.
pub(crate) fn no_character(escape: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E-escape", span, format!("`{}` is no character", clip(escape)))
        .help("characters go from \\u{0} to \\u{10ffff}, without d800 to dfff")
}
