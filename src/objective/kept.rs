//! Kept values of a formula: what they are at each step, and the atoms that come of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::gui::{Atom, Link, Reading, Term, TypedText};
use crate::ltl::Automaton;

/// Values of a term at a step; none if it has no value.
type Values = Option<Vec<String>>;

/// Most atoms with values that are remembered of a trace.
const ATOMS_MAX: usize = 1 << 16;

/// Values in place of kept names, for one automaton.
///
/// Names are bound to values at each step, as screens show them or as a trace has them.
#[derive(Clone, Debug)]
pub struct KeptValues {
    typed: TypedText,
    /// Kept names by their numbers, each with the reading of its value.
    names: Vec<(String, Reading)>,
    /// Atoms with names or values in them, by the names that the automaton has for them.
    atoms: BTreeMap<String, Atom>,
    /// Numbers of the atoms that still have a name in them.
    named: BTreeSet<u32>,
    looked_for: Vec<(u32, Atom)>,
    /// Number of atoms of residuals that were met: with values, and with names.
    met: (usize, usize),
}

impl KeptValues {
    /// Returns the values of `automaton`, whose atoms are `known`.
    pub fn new(automaton: &Automaton, known: &[(u32, &Atom)], typed: TypedText) -> KeptValues {
        let mut terms: BTreeMap<String, (String, &Term)> = BTreeMap::new();
        for (name, term) in known.iter().flat_map(|(_, atom)| atom.kept()) {
            terms.insert(format!("{name} = {term}"), (name.to_string(), term));
        }
        let reading = |text: &str| match terms.get(text) {
            Some((name, term)) => (name.clone(), Reading::new(term, typed)),
            // No atom has it, so its value does not matter.
            None => {
                (text.split(' ').next().unwrap_or(text).to_string(), Reading::new(&Term::Values(None), typed))
            }
        };
        let named = known.iter().filter(|(_, atom)| !atom.kept().is_empty());
        KeptValues {
            typed,
            names: automaton.keeps().iter().map(|text| reading(text)).collect(),
            atoms: named.clone().map(|(_, atom)| (atom.to_string(), (*atom).clone())).collect(),
            named: named.map(|&(number, _)| number).collect(),
            looked_for: Vec::new(),
            met: (0, automaton.atoms_with_names().count()),
        }
    }

    /// Returns the atom of this name, if a name or a value is in it.
    pub(super) fn atom(&self, name: &str) -> Option<&Atom> {
        self.atoms.get(name)
    }

    /// Returns what typed text is worth.
    pub(super) fn typed(&self) -> TypedText {
        self.typed
    }

    /// Returns the kept names, by their numbers.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(|(name, _)| &**name)
    }

    /// Returns true if the atom with this number still has a name in it.
    pub(super) fn has_name(&self, number: u32) -> bool {
        self.named.contains(&number)
    }

    /// Returns the number of the values that a step gives to the names, see [`Automaton::bind`].
    pub(super) fn bind(&mut self, automaton: &mut Automaton, link: Link<'_>) -> u32 {
        if self.names.is_empty() {
            return 0;
        }
        let values: Vec<Values> = self.names.iter().map(|(_, reading)| reading.values(link)).collect();
        self.bound(automaton, &values)
    }

    /// Returns the number of these values of a trace, one for each of [`KeptValues::names`]. What holds with them is told by
    /// names alone, so that the memory does not grow with an endless trace.
    pub fn bind_to(&mut self, automaton: &mut Automaton, values: &[Values]) -> u32 {
        if self.atoms.len() > ATOMS_MAX {
            self.atoms.retain(|_, atom| !atom.kept().is_empty());
        }
        self.bound(automaton, values)
    }

    fn bound(&mut self, automaton: &mut Automaton, values: &[Values]) -> u32 {
        let texts: Vec<String> = values.iter().map(|values| format!("{values:?}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (names, atoms) = (&self.names, &mut self.atoms);
        automaton.bind(&texts, &mut |name, keep| {
            let Some(atom) = atoms.get(name) else { return name.to_string() };
            let given = atom.with_kept(&names[keep].0, &values[keep]);
            let name = given.to_string();
            atoms.entry(name.clone()).or_insert(given);
            name
        })
    }

    /// Returns the atoms besides those of the formula that are looked for, with their numbers.
    pub(super) fn looked_for(&self) -> &[(u32, Atom)] {
        &self.looked_for
    }

    /// Adds the atoms that residuals of `automaton` have met since the last call to those that are looked for, and returns how
    /// many there were before.
    pub(super) fn look_for_more(&mut self, automaton: &Automaton) -> usize {
        let before = self.looked_for.len();
        if self.names.is_empty() {
            return before;
        }
        let (with_values, with_names) = self.met;
        let with_values = automaton.atoms_with_values().skip(with_values);
        let with_names: Vec<u32> = automaton.atoms_with_names().skip(with_names).collect();
        self.named.extend(&with_names);
        let new: BTreeSet<u32> = with_values.chain(with_names).collect();
        self.met = (automaton.atoms_with_values().len(), automaton.atoms_with_names().count());
        for number in new {
            let is_known = self.looked_for.iter().any(|(known, _)| *known == number);
            if let Some(atom) = self.atoms.get(automaton.atom_name(number)).filter(|_| !is_known) {
                self.looked_for.push((number, atom.clone()));
            }
        }
        before
    }
}
