//! Text that people write, as all languages here read it: places in it, items, mistakes.
//!
//! A language adds its grammar, the words that start its items, and what its items mean: [`crate::spec`] reads specs,
//! [`crate::device::sim`] app models. Text is cut into items first, each item is parsed by itself, and each mistake
//! is explained from the place where the grammar stopped.

mod address;
mod diagnostic;
mod item;
mod mistake;
mod names;
mod pairs;
mod source;
mod stop;
mod word;

use std::cell::Cell;
use std::ops::Range;
use std::thread::{Scope, ScopedJoinHandle};

#[cfg(feature = "webdriver")]
pub(crate) use address::key_of;
pub use address::{HIDDEN, writable_address};
pub(crate) use address::{secret_of, variable_of, without_secret, without_what_may_be_secret};
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

/// Room for the deepest nesting that is allowed: many times what the deepest formula takes in a build without
/// optimisation, some 4 MB. A system gives memory to the part alone that is used.
const STACK_BYTES: usize = 64 << 20;

thread_local! {
    /// True on threads with that room.
    static HAS_ROOM: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` where there is room for the deepest nesting that is allowed, whatever room the caller has.
pub(crate) fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    // A thread for each of a thousand small texts costs more than reading them.
    if HAS_ROOM.get() {
        return work();
    }
    let (mut work, mut result) = (Some(work), None);
    do_on_own_stack(&mut || result = work.take().map(|work| work()));
    result.expect("the work is done")
}

// Starting a thread is much code, and here there is one copy of it for all kinds of work.
fn do_on_own_stack(work: &mut (dyn FnMut() + Send)) {
    std::thread::scope(|scope| {
        let thread = spawn_with_room(scope, "spec", work);
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
}

/// Runs `work` on a new thread with room for the deepest nesting that is allowed.
pub(crate) fn spawn_with_room<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() + Send + 'scope,
) -> ScopedJoinHandle<'scope, ()> {
    let builder = std::thread::Builder::new().name(name.to_string()).stack_size(STACK_BYTES);
    let with_room = move || {
        HAS_ROOM.set(true);
        work();
    };
    builder.spawn_scoped(scope, with_room).expect("there is room for a thread")
}
