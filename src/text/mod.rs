//! Text that people write, as all languages here read it: places in it, items, mistakes.
//!
//! A language adds its grammar, the words that start its items, and what its items mean: [`crate::spec`] reads specs,
//! [`crate::device::sim`] app models. Text is cut into items first, each item is parsed by itself, and each mistake
//! is explained from the place where the grammar stopped.

mod diagnostic;
mod item;
mod mistake;
mod names;
mod pairs;
mod source;
mod stop;
mod word;

use std::ops::Range;

pub(crate) use diagnostic::clip;
pub use diagnostic::{Diagnostic, Diagnostics, Located, Severity, Style, printable, shown_path};
pub use item::BYTES_MAX;
pub(crate) use item::{Item, is_too_long};
pub(crate) use mistake::{
    crossed, meant, no_character, no_item, too_deep, too_many, unclosed, unclosed_quote,
};
pub(crate) use names::{Declarations, Suggestions, did_you_mean};
pub(crate) use pairs::{child, part, parts, span};
pub use source::{NotText, Position, Source};
pub(crate) use stop::{Stop, is_rule, stopped_at};
pub(crate) use word::{first_word, is_word_char, last_word, time_unit, unescape, unquote, word_at, words};

/// Bytes of a text.
pub type Span = Range<usize>;

/// Runs `work` where there is room for the deepest nesting that is allowed, whatever room the caller has.
pub(crate) fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    // Many times what the deepest formula takes in a build without optimisation, some 4 MB.
    const STACK_BYTES: usize = 64 << 20;
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("spec".to_string()).stack_size(STACK_BYTES);
        let thread = builder.spawn_scoped(scope, work).expect("there is room for a thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
