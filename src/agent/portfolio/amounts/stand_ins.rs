//! Stand-ins: numbers of other texts, in place of an amount that is wanted and that no screen has shown yet.
//!
//! A formula may want `Paid: 22`, which a receipt shows at the very end. The cart shows `Total: 0` long before, and a total of
//! 22 is the likeliest way to it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::situation::Want;

/// Least size of an amount that others stand in for: small numbers are often equal by chance.
const WANTED_MIN: u64 = 10;
/// Most texts that are told apart, and most of them that stand in.
const TEXTS_MAX: usize = 200;
const STAND_INS_MAX: usize = 12;

/// Numbers that a text has had.
#[derive(Clone, Copy, Debug)]
struct Told {
    first: i64,
    /// Greatest size of any.
    greatest: u64,
    /// True if it has had different ones, and stands in.
    stands_in: bool,
}

/// Texts that may stand in for an amount.
#[derive(Clone, Debug, Default)]
pub struct StandIns {
    told: BTreeMap<u64, Told>,
    /// Number of texts that stand in.
    count: usize,
}

impl StandIns {
    /// Returns true if other numbers can stand in for an amount that was never seen.
    pub fn can_replace(want: &Want) -> bool {
        want.least == want.most && want.least.unsigned_abs() >= WANTED_MIN
    }

    /// Takes in that a text has this number now; returns true if it stands in from now on.
    pub fn see(&mut self, text: u64, number: i64) -> bool {
        let size = number.unsigned_abs();
        let has_room = self.told.len() < TEXTS_MAX;
        let Some(told) = self.told.get_mut(&text) else {
            if has_room {
                self.told.insert(text, Told { first: number, greatest: size, stands_in: false });
            }
            return false;
        };
        told.greatest = told.greatest.max(size);
        let stands_in = !told.stands_in && told.first != number && self.count < STAND_INS_MAX;
        told.stands_in |= stands_in;
        self.count += usize::from(stands_in);
        stands_in
    }

    /// Returns the texts that stand in, the one with the greatest number first: what counts by ones hardly gets far.
    pub fn ranked(&self) -> Vec<u64> {
        let mut ranked: Vec<(Reverse<u64>, u64)> = self
            .told
            .iter()
            .filter(|(_, told)| told.stands_in)
            .map(|(text, told)| (Reverse(told.greatest), *text))
            .collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, text)| text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::situation::AmountId;

    #[test]
    fn what_has_changed_stands_in_and_the_greatest_comes_first() {
        let mut stand_ins = StandIns::default();
        assert!(!stand_ins.see(1, 0) && !stand_ins.see(1, 0), "it has not changed");
        assert!(stand_ins.see(1, 2) && !stand_ins.see(1, 1), "it stands in already");
        assert!(!stand_ins.see(2, -9) && stand_ins.see(2, 0));
        assert!(!stand_ins.see(3, 100));
        assert_eq!(stand_ins.ranked(), [2, 1]);
    }

    #[test]
    fn nothing_stands_in_for_a_small_number_or_for_a_range() {
        let want = |least, most| Want { amount: AmountId(0), least, most };
        assert!(StandIns::can_replace(&want(22, 22)) && StandIns::can_replace(&want(-15, -15)));
        assert!(!StandIns::can_replace(&want(9, 9)) && !StandIns::can_replace(&want(20, 30)));
    }
}
