//! Expectations in forms that all formats share.

use crate::gui::{Comparison, Constant, Op};

/// The numbers of widgets that an expectation allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub at_least: Option<u64>,
    pub at_most: Option<u64>,
}

/// Returns the numbers that compare so with `number`, or all others; none if they are no range.
pub(super) fn range(op: Op, number: u64, holds: bool) -> Option<Range> {
    let from = |at_least| Some(Range { at_least: Some(at_least), at_most: None });
    let to = |at_most| Some(Range { at_least: None, at_most: Some(at_most) });
    match (op, holds) {
        (Op::Equal, true) | (Op::NotEqual, false) => {
            Some(Range { at_least: Some(number), at_most: Some(number) })
        }
        // All numbers but one are two ranges.
        (Op::Equal, false) | (Op::NotEqual, true) | (Op::Contains, _) => None,
        // Fewer than no widgets is no range either.
        (Op::Less, true) | (Op::AtLeast, false) => to(number.checked_sub(1)?),
        (Op::AtMost, true) | (Op::Greater, false) => to(number),
        (Op::Greater, true) | (Op::AtMost, false) => from(number + 1),
        (Op::AtLeast, true) | (Op::Less, false) => from(number),
    }
}

/// Returns true if a flag must be set, and false if it must not; none for other comparisons.
pub(super) fn flag(comparison: &Comparison) -> Option<bool> {
    match &comparison.value {
        Constant::Flag(flag) => Some(*flag == (comparison.op == Op::Equal)),
        Constant::Text(_) | Constant::Regex(_) | Constant::Number(_) | Constant::Term(_) => None,
    }
}

/// Returns the sign of a comparison of values, in languages that take two signs for *equal*.
pub(super) fn sign(op: Op) -> &'static str {
    match op {
        Op::Equal | Op::Contains => "==",
        Op::NotEqual => "!=",
        Op::Less => "<",
        Op::AtMost => "<=",
        Op::Greater => ">",
        Op::AtLeast => ">=",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::Number;

    #[test]
    fn a_range_has_the_numbers_that_compare_so() {
        for op in Op::ALL.into_iter().filter(|&op| op != Op::Contains) {
            for (number, holds) in [0, 1, 5].into_iter().flat_map(|number| [(number, true), (number, false)])
            {
                let Some(Range { at_least, at_most }) = range(op, number, holds) else { continue };
                for seen in 0..8 {
                    let is_in =
                        at_least.is_none_or(|least| seen >= least) && at_most.is_none_or(|most| seen <= most);
                    let compares = op.holds(Number::from(seen), Number::from(number)) == holds;
                    assert_eq!(is_in, compares, "{seen} {op:?} {number} {holds}");
                }
            }
        }
    }
}
