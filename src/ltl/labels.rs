//! The labels of a step, as numbers: what progression reads and automata look up.

/// The atoms that hold at a step, by their numbers in one [`Automaton`](super::Automaton).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Labels {
    pub(super) low: u64,
    /// Of the atoms from 64 on; as short as can be.
    high: Vec<u64>,
}

impl Labels {
    /// The labels of a formula of at most 64 atoms: bit *n* says whether atom *n* holds.
    #[inline]
    pub const fn from_bits(bits: u64) -> Labels {
        Labels { low: bits, high: Vec::new() }
    }

    /// Adds the atom with the number `atom`.
    pub fn insert(&mut self, atom: u32) {
        if atom < 64 {
            self.low |= 1 << atom;
            return;
        }
        let word = atom as usize / 64 - 1;
        if self.high.len() <= word {
            self.high.resize(word + 1, 0);
        }
        self.high[word] |= 1 << (atom % 64);
    }

    /// Says whether the atom with the number `atom` is there.
    pub fn contains(&self, atom: u32) -> bool {
        if atom < 64 {
            self.low >> atom & 1 == 1
        } else {
            self.high.get(atom as usize / 64 - 1).is_some_and(|word| word >> (atom % 64) & 1 == 1)
        }
    }

    /// The labels that are in both.
    pub(super) fn shared_with(&self, other: &Labels) -> Labels {
        let mut high: Vec<u64> = self.high.iter().zip(&other.high).map(|(a, b)| a & b).collect();
        while high.last() == Some(&0) {
            high.pop();
        }
        Labels { low: self.low & other.low, high }
    }
}
