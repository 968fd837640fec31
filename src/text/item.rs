//! Items: the parts of a text that are parsed by themselves.

use pest::iterators::Pair;
use pest::{Parser, RuleType};

use super::{Diagnostic, Diagnostics, Source, Span, Stop, too_many};

/// The longest text that is read, in bytes.
pub const BYTES_MAX: usize = 1_000_000;

/// Part of a text that is parsed by itself.
#[derive(Clone, Debug)]
pub(crate) struct Item<K> {
    pub kind: K,
    /// From the first to the last character that is neither blank nor in a comment.
    pub span: Span,
    /// True if its brackets match and it is not too large; if not, the mistake is reported.
    pub is_sound: bool,
}

impl<K: Copy> Item<K> {
    /// Parses the item by `rule` of the grammar `G`, or returns where the grammar stopped.
    ///
    /// `parsed` is the text as the grammar wants it, `written` as people see it; both have the same bytes in the same
    /// places.
    pub fn parse<'a, G: Parser<R>, R: RuleType>(
        &self,
        rule: R,
        parsed: &'a str,
        written: &'a str,
    ) -> Result<Pair<'a, R>, Stop<'a, R, K>> {
        match G::parse(rule, &parsed[self.span.clone()]) {
            Ok(mut pairs) => Ok(pairs.next().expect("a rule gives a pair")),
            Err(error) => Err(Stop::new(error, written, self)),
        }
    }
}

/// Returns true if `source`, a `whole` like "a file", is too long to be read, and reports that.
pub(crate) fn is_too_long(
    source: &Source,
    whole: &str,
    help: Option<&str>,
    diagnostics: &mut Diagnostics,
) -> bool {
    let is_too_long = source.text().len() > BYTES_MAX;
    if is_too_long {
        let mistake = too_many(0..0, whole, BYTES_MAX, "bytes");
        diagnostics.error(|| Diagnostic { help: help.map(str::to_string), ..mistake });
    }
    is_too_long
}
