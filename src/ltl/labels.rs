//! The labels of a step as numbers, read by progression and looked up by automata.

/// The atoms that hold at a step, by their numbers in an [`Automaton`](super::Automaton).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Labels {
    pub(super) low: u64,
    /// Bits of the atoms from 64 on, without trailing zero words; none if there are none. Few formulas have so many atoms, and
    /// labels are moved and compared often, so this is one pointer.
    #[expect(clippy::box_collection, reason = "a list in place is three words")]
    high: Option<Box<Vec<u64>>>,
    /// Time since the step before, floored to the quantum.
    elapsed_ms: u32,
    /// Values that the step gives to kept names, see [`Automaton::bind`](super::Automaton::bind); 0 if they are not known.
    binding: u32,
}

impl FromIterator<u32> for Labels {
    fn from_iter<I: IntoIterator<Item = u32>>(atoms: I) -> Labels {
        let mut labels = Labels::default();
        atoms.into_iter().for_each(|atom| labels.insert(atom));
        labels
    }
}

impl Labels {
    /// Returns the labels of a formula of at most 64 atoms: bit *n* is set if atom *n* holds.
    #[inline]
    pub const fn from_bits(bits: u64) -> Labels {
        Labels { low: bits, high: None, elapsed_ms: 0, binding: 0 }
    }

    /// Returns the same labels, of a step that is this long after the one before; see
    /// [`Formulas::elapsed_ms`](super::Formulas::elapsed_ms).
    #[must_use]
    pub fn after(self, elapsed_ms: u32) -> Labels {
        Labels { elapsed_ms, ..self }
    }

    /// Returns the same labels, of a step that gives these values to kept names; see
    /// [`Automaton::bind`](super::Automaton::bind).
    #[must_use]
    pub fn with_binding(self, binding: u32) -> Labels {
        Labels { binding, ..self }
    }

    /// Returns the number of the values that the step gives to kept names; 0 if they are not known.
    pub fn binding(&self) -> u32 {
        self.binding
    }

    /// Returns the time since the step before.
    #[inline]
    pub fn elapsed_ms(&self) -> u32 {
        self.elapsed_ms
    }

    /// Adds the atom with the number `atom`.
    pub fn insert(&mut self, atom: u32) {
        if atom < 64 {
            self.low |= 1 << atom;
            return;
        }
        // The first 64 atoms are in `low`.
        let word = atom as usize / 64 - 1;
        let high = self.high.get_or_insert_default();
        if high.len() <= word {
            high.resize(word + 1, 0);
        }
        high[word] |= 1 << (atom % 64);
    }

    /// Returns true if the atom with the number `atom` is in the set.
    pub fn contains(&self, atom: u32) -> bool {
        if atom < 64 {
            self.low >> atom & 1 == 1
        } else {
            self.high().get(atom as usize / 64 - 1).is_some_and(|word| word >> (atom % 64) & 1 == 1)
        }
    }

    fn high(&self) -> &[u64] {
        self.high.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Returns the first 64 atoms as bits: bit *n* is set if atom *n* holds.
    pub fn bits(&self) -> u64 {
        self.low
    }

    /// Returns true if all atoms of the set are among the first 64.
    pub(super) fn is_low(&self) -> bool {
        self.high.is_none()
    }

    /// Returns the labels that are in either set.
    #[inline]
    #[must_use]
    pub fn union(&self, other: &Labels) -> Labels {
        let low = self.low | other.low;
        // Of the labels of an action and of a screen, one knows the time and the values.
        let elapsed_ms = self.elapsed_ms.max(other.elapsed_ms);
        let binding = self.binding.max(other.binding);
        let high =
            if self.is_low() && other.is_low() { None } else { Some(Box::new(self.high_union(other))) };
        Labels { low, high, elapsed_ms, binding }
    }

    #[cold]
    fn high_union(&self, other: &Labels) -> Vec<u64> {
        let (one, other) = (self.high(), other.high());
        // The longer list is the one that is copied, because `zip` ends with the shorter.
        let (long, short) = if one.len() < other.len() { (other, one) } else { (one, other) };
        let mut union = long.to_vec();
        union.iter_mut().zip(short).for_each(|(word, other)| *word |= other);
        union
    }

    /// Iterates over the atom numbers in the set, from the lowest.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        std::iter::once(&self.low).chain(self.high()).zip(0_u32..).flat_map(|(&word, at)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(at * 64 + bit)
            })
        })
    }

    /// Returns the labels that are in both sets; the values of `self`, if those of `other` count.
    pub(super) fn shared_with(&self, other: &Labels) -> Labels {
        let mut high: Vec<u64> = self.high().iter().zip(other.high()).map(|(a, b)| a & b).collect();
        // Sets are compared and hashed as lists of words, so equal sets must have equal lists.
        while high.last() == Some(&0) {
            high.pop();
        }
        let high = if high.is_empty() { None } else { Some(Box::new(high)) };
        let binding = if other.binding == 0 { 0 } else { self.binding };
        Labels { low: self.low & other.low, high, elapsed_ms: 0, binding }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_has_the_labels_of_both_in_order() {
        let (one, two) = (Labels::from_iter([3, 70]), Labels::from_iter([5, 64, 200]));
        assert_eq!(one.union(&two).iter().collect::<Vec<_>>(), [3, 5, 64, 70, 200]);
        assert_eq!(one.union(&two), two.union(&one));
        assert_eq!(Labels::default().iter().count(), 0);
    }
}
