//! The pairs that a grammar gives.

use pest::RuleType;
use pest::iterators::Pair;

use super::Span;

/// Returns the bytes of `pair` in a text in which what was parsed starts at `offset`.
pub(crate) fn span<R: RuleType>(pair: &Pair<'_, R>, offset: usize) -> Span {
    let span = pair.as_span();
    span.start() + offset..span.end() + offset
}

/// Returns the first pair in `pair` that is of `rule`.
pub(crate) fn child<'a, R: RuleType>(pair: &Pair<'a, R>, rule: R) -> Option<Pair<'a, R>> {
    parts(pair, rule).next()
}

/// Returns the pairs in `pair` that are of `rule`.
pub(crate) fn parts<'a, R: RuleType>(
    pair: &Pair<'a, R>,
    rule: R,
) -> impl Iterator<Item = Pair<'a, R>> + use<'a, R> {
    pair.clone().into_inner().filter(move |inner| inner.as_rule() == rule)
}

/// Returns the pair of `rule` that the grammar puts into each pair like `pair`.
pub(crate) fn part<'a, R: RuleType>(pair: &Pair<'a, R>, rule: R) -> Pair<'a, R> {
    child(pair, rule).unwrap_or_else(|| unreachable!("the grammar gives {:?} a {rule:?}", pair.as_rule()))
}
