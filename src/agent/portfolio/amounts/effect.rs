//! Effects: the value of an amount after an event, as far as earlier values tell.

/// Most steps of an event that are remembered.
const SEEN_MAX: usize = 8;
/// Greatest value that is counted with.
const VALUE_MAX: i64 = 1_000_000_000;

/// Effect of an event on an amount.
#[derive(Clone, Debug)]
pub struct Effect {
    /// Values before and after it, the latest last.
    seen: Vec<(i64, i64)>,
    /// Number that it adds, as far as its coming among other events tells.
    added: i64,
    /// Factor and addend for values that were not seen before it.
    rule: (i64, i64),
}

impl Effect {
    /// Returns the effect of adding `number`.
    pub fn adding(number: i64) -> Effect {
        Effect { seen: Vec::new(), added: number, rule: (1, number) }
    }

    /// Takes in the values before and after the event.
    pub fn see(&mut self, before: i64, after: i64) {
        self.seen.retain(|(known, _)| *known != before);
        if self.seen.len() == SEEN_MAX {
            self.seen.remove(0);
        }
        self.seen.push((before, after));
        self.rule = self.rule_of_seen();
    }

    /// Returns true if it never came alone.
    pub fn is_guess(&self) -> bool {
        self.seen.is_empty()
    }

    /// Returns true if it has never changed anything.
    pub fn is_none(&self) -> bool {
        self.seen.iter().all(|(before, after)| before == after) && self.added == 0
    }

    /// Returns the value after the event.
    pub fn after(&self, value: i64) -> i64 {
        if let Some(&(_, after)) = self.seen.iter().find(|(before, _)| *before == value) {
            return after;
        }
        let (factor, added) = self.rule;
        let after = value.saturating_mul(factor).saturating_add(added);
        after.clamp(-VALUE_MAX, VALUE_MAX)
    }

    /// Returns the factor and the addend that fit the most of what was seen; of several, a plain sum.
    fn rule_of_seen(&self) -> (i64, i64) {
        let mut best = (0, (1, self.added));
        let fits = |(factor, added): (i64, i64)| {
            let is_it = |(before, after): &&(i64, i64)| {
                before.checked_mul(factor).and_then(|value| value.checked_add(added)) == Some(*after)
            };
            self.seen.iter().filter(is_it).count()
        };
        // A number at its bound stays as it is, so that says least.
        let sums = self.seen.iter().map(|(before, after)| (1, after - before));
        let (still, moving): (Vec<_>, Vec<_>) = sums.partition(|(_, added)| *added == 0);
        let lines = self.seen.windows(2).filter_map(|pair| {
            let ((x, y), (other_x, other_y)) = (pair[0], pair[1]);
            let (rise, run) = (other_y - y, other_x - x);
            let factor = (rise % run == 0).then(|| rise / run)?;
            Some((factor, y.checked_sub(factor.checked_mul(x)?)?))
        });
        for rule in moving.into_iter().rev().chain(still).chain(lines) {
            let number = fits(rule);
            if number > best.0 {
                best = (number, rule);
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(values: &[(i64, i64)]) -> Effect {
        let mut effect = Effect::adding(0);
        values.iter().for_each(|&(before, after)| effect.see(before, after));
        effect
    }

    #[test]
    fn a_single_step_is_a_sum_and_two_tell_of_a_factor() {
        assert_eq!(seen(&[(3, 7)]).after(10), 14);
        assert_eq!(seen(&[(3, 6), (6, 12)]).after(12), 24, "doubled");
        assert_eq!(seen(&[(3, 1), (9, 1)]).after(50), 1, "set");
        assert_eq!(seen(&[(0, 4), (4, 44)]).after(44), 444, "a digit that is typed");
        assert_eq!(Effect::adding(-2).after(9), 7);
        assert!(
            Effect::adding(0).is_none()
                && Effect::adding(0).is_guess()
                && seen(&[(2, 2)]).is_none()
                && !seen(&[(2, 2), (3, 2)]).is_none()
        );
    }

    #[test]
    fn a_bound_is_remembered_and_is_no_rule() {
        let less = seen(&[(0, 0), (1, 0), (2, 1)]);
        assert_eq!([0, 1, 2, 7].map(|value| less.after(value)), [0, 0, 1, 6]);
    }

    #[test]
    fn no_value_overflows() {
        let most = 999_999_999_999;
        for values in [
            [(0, i64::MAX / 4), (1, i64::MIN / 4)],
            [(i64::MIN / 4, 0), (i64::MAX / 4, 1)],
            [(most, -most), (most - 1, most)],
            [(-most, most), (1 - most, -most)],
        ] {
            for value in [i64::MIN, -1, 0, 1, i64::MAX] {
                seen(&values).after(value);
            }
        }
    }
}
