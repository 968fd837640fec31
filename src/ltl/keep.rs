//! Kept values: the atoms that come of others as a value takes the place of a kept name.
//!
//! At the step that keeps a value, an atom with the name in it is judged like any other. After the step, the value takes
//! the place of the name, so residuals are shared by value. A question about what can follow knows no values: there each
//! of them is one of a few *fresh* ones, and residuals are the same up to the choice of these.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::formula::{Atom, Formula, Formulas, Keep, bits};
use super::table::Multiply;

/// Most fresh values of one name in a residual; a question that needs more is given up.
const FRESH_MAX: u32 = 4;

/// Most atoms with fresh values, where more than one of them is not needed.
const FRESH_ATOMS_MAX: usize = 400;

/// Values that an atom was given, each with the name whose place it took.
type Given = Vec<(Keep, u32)>;

/// Values of a binding, with the number of atoms with names there were then.
type BindingKey = (Box<[Box<str>]>, usize);

/// Replacements of atoms, name by name.
type Binding = Vec<(Keep, BTreeMap<Atom, Formula>)>;

/// Atoms with values in place of kept names. Values are numbered, the fresh ones first.
#[derive(Clone, Debug, Default)]
pub(super) struct Instances {
    /// By atom that was given values: the atom of the formula it came of, and the values.
    origins: BTreeMap<Atom, (Atom, Given)>,
    by_origin: BTreeMap<(Atom, Given), Formula>,
    fresh: u32,
}

impl Instances {
    /// Adds the atoms with fresh values to `formulas`, which has the atoms of one formula.
    pub fn with_fresh(formulas: &mut Formulas) -> Instances {
        let own = formulas.names_len();
        let mut fresh = FRESH_MAX;
        loop {
            let mut instances = Instances { fresh, ..Instances::default() };
            let mut trial = formulas.clone();
            if instances.add_fresh(&mut trial, own) || fresh == 1 {
                *formulas = trial;
                return instances;
            }
            fresh /= 2;
        }
    }

    /// Adds all atoms with fresh values; returns false if there are too many.
    fn add_fresh(&mut self, formulas: &mut Formulas, own: usize) -> bool {
        let mut next = 0;
        while next < formulas.names_len() {
            let atom = Atom(next as u32);
            for keep in bits(formulas.free(formulas.known_atom(atom))).map(Keep) {
                for value in 0..self.fresh {
                    let name = fresh_name(formulas, atom, keep, value);
                    self.give(formulas, atom, keep, value, &name);
                }
            }
            if formulas.names_len() > own + FRESH_ATOMS_MAX {
                return false;
            }
            next += 1;
        }
        true
    }

    /// Returns the atom that `atom` is with `value` in place of the name `keep`, called `name` if it is new.
    pub fn give(
        &mut self,
        formulas: &mut Formulas,
        atom: Atom,
        keep: Keep,
        value: u32,
        name: &str,
    ) -> Formula {
        let key = self.with_value(atom, keep, value);
        if let Some(&known) = self.by_origin.get(&key) {
            return known;
        }
        let before = formulas.names_len();
        let free = formulas.free(formulas.known_atom(atom)) & !(1 << keep.0);
        let given = formulas.atom_with(name, free);
        // An atom that was there before keeps its origin.
        if formulas.names_len() > before {
            self.origins.insert(Atom(before as u32), key.clone());
        }
        self.by_origin.insert(key, given);
        given
    }

    /// Returns the atom that `atom` is with the fresh `value` in place of the name `keep`.
    pub fn give_fresh(&mut self, formulas: &mut Formulas, atom: Atom, keep: Keep, value: u32) -> Formula {
        let name = fresh_name(formulas, atom, keep, value);
        self.give(formulas, atom, keep, value, &name)
    }

    fn with_value(&self, atom: Atom, keep: Keep, value: u32) -> (Atom, Given) {
        let (base, mut given) = self.origins.get(&atom).cloned().unwrap_or((atom, Given::new()));
        given.push((keep, value));
        given.sort_unstable();
        (base, given)
    }

    /// Returns the first fresh value of `keep` that no atom of `atoms` has; none if all are taken.
    pub fn free_value(&self, keep: Keep, atoms: impl IntoIterator<Item = Atom>) -> Option<u32> {
        let mut taken = BTreeSet::new();
        for atom in atoms {
            let given = self.origins.get(&atom).map_or(&[][..], |(_, given)| given);
            taken.extend(given.iter().filter(|(of, _)| *of == keep).map(|&(_, value)| value));
        }
        (0..self.fresh).find(|value| !taken.contains(value))
    }

    /// Returns the atoms with fresh values that stand for those of `atoms` with values of any kind; none if there are more
    /// values than fresh ones.
    pub fn fresh_for(&self, atoms: &[Atom]) -> Option<BTreeMap<Atom, Formula>> {
        let mut fresh: BTreeMap<(Keep, u32), u32> = BTreeMap::new();
        let mut taken: BTreeMap<Keep, u32> = BTreeMap::new();
        let mut found = BTreeMap::new();
        for atom in atoms {
            let Some((base, given)) = self.origins.get(atom) else { continue };
            let mut renamed = Given::new();
            for &(keep, value) in given {
                let next = taken.entry(keep).or_default();
                let value = *fresh.entry((keep, value)).or_insert_with(|| {
                    *next += 1;
                    *next - 1
                });
                if value >= self.fresh {
                    return None;
                }
                renamed.push((keep, value));
            }
            renamed.sort_unstable();
            found.insert(*atom, *self.by_origin.get(&(*base, renamed))?);
        }
        Some(found)
    }

    /// Returns `formula` with the fresh `value` in place of the name `keep`; all its atoms have fresh values alone.
    pub fn in_formula(&self, formulas: &mut Formulas, formula: Formula, keep: Keep, value: u32) -> Formula {
        let mut atoms = BTreeMap::new();
        for atom in formulas.atoms(formula) {
            if let Some(&given) = self.by_origin.get(&self.with_value(atom, keep, value)) {
                atoms.insert(atom, given);
            }
        }
        formulas.replaced(formula, Some(keep), &atoms)
    }

    /// Returns the number of fresh values of each name; other values have greater numbers.
    pub fn fresh(&self) -> u32 {
        self.fresh
    }

    /// Returns the values that `atom` was given.
    pub fn given(&self, atom: Atom) -> Option<&(Atom, Vec<(Keep, u32)>)> {
        self.origins.get(&atom)
    }
}

fn fresh_name(formulas: &Formulas, atom: Atom, keep: Keep, value: u32) -> String {
    let text = formulas.keep_text(keep);
    let name = text.split(' ').next().unwrap_or(text);
    format!("{} ({name} {})", formulas.name(atom), value + 1)
}

/// Values that an automaton has met in place of kept names.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub instances: Instances,
    values: HashMap<(Keep, Box<str>), u32, Multiply>,
    /// Replacements that steps with some values lead to.
    bindings: Vec<Binding>,
    by_values: HashMap<BindingKey, u32, Multiply>,
    /// Atoms that still have names in them.
    named: Vec<Atom>,
    /// Atoms of residuals that have been given values, in the order in which they were met.
    pub met: Vec<Atom>,
    pub is_met: BTreeSet<Atom>,
}

impl Kept {
    /// Returns the values of a formula that keeps some; `own` is the number of its atoms.
    pub fn new(formulas: &Formulas, own: u32, instances: Instances) -> Kept {
        let named = (0..own).map(Atom).filter(|&atom| formulas.free(formulas.known_atom(atom)) != 0);
        Kept {
            named: named.collect(),
            instances,
            values: HashMap::default(),
            bindings: Vec::new(),
            by_values: HashMap::default(),
            met: Vec::new(),
            is_met: BTreeSet::new(),
        }
    }

    /// Returns the number of the binding of these values, one for each kept name. `rename` gives the name of an atom once
    /// the value takes the place of a kept name, by its number.
    pub fn bind(
        &mut self,
        formulas: &mut Formulas,
        values: &[&str],
        rename: &mut dyn FnMut(&str, usize) -> String,
    ) -> u32 {
        let key = (values.iter().map(|&value| value.into()).collect(), self.named.len());
        if let Some(&known) = self.by_values.get(&key) {
            return known;
        }
        // An atom that gets its first value here may get another one of this step later.
        let binding = loop {
            let named = self.named.len();
            let binding = self.binding_of(formulas, values, rename);
            if self.named.len() == named {
                break binding;
            }
        };
        self.bindings.push(binding);
        // 0 stands for values that are not known.
        let number = self.bindings.len() as u32;
        self.by_values.insert((key.0, self.named.len()), number);
        number
    }

    fn binding_of(
        &mut self,
        formulas: &mut Formulas,
        values: &[&str],
        rename: &mut dyn FnMut(&str, usize) -> String,
    ) -> Binding {
        let mut binding = Binding::new();
        for (at, &value) in values.iter().enumerate() {
            let keep = Keep(at as u32);
            let fresh = self.instances.fresh() + self.values.len() as u32;
            let number = *self.values.entry((keep, value.into())).or_insert(fresh);
            let mut atoms = BTreeMap::new();
            for next in 0..self.named.len() {
                let atom = self.named[next];
                if formulas.free(formulas.known_atom(atom)) >> keep.0 & 1 == 0 {
                    continue;
                }
                let name = rename(formulas.name(atom), at);
                let before = formulas.names_len();
                let given = self.instances.give(formulas, atom, keep, number, &name);
                if formulas.names_len() > before && formulas.free(given) != 0 {
                    self.named.push(Atom(before as u32));
                }
                atoms.insert(atom, given);
            }
            binding.push((keep, atoms));
        }
        binding
    }

    /// Takes over from `other` the values of `atoms`, all names in them new to `formulas`.
    pub fn take_over(&mut self, formulas: &mut Formulas, other: &Kept, names: &Formulas, atoms: &[Atom]) {
        let texts: HashMap<u32, &str, Multiply> =
            other.values.iter().map(|((_, text), &number)| (number, &**text)).collect();
        for &atom in atoms {
            let Some((base, given)) = other.instances.given(atom) else { continue };
            let free = names.free(names.known_atom(atom));
            let before = formulas.names_len();
            let taken = formulas.atom_with(names.name(atom), free);
            let mut renumbered = Given::new();
            for &(keep, value) in given {
                let fresh = self.instances.fresh() + self.values.len() as u32;
                let value = match texts.get(&value) {
                    Some(&text) => *self.values.entry((keep, text.into())).or_insert(fresh),
                    None => value,
                };
                renumbered.push((keep, value));
            }
            if formulas.names_len() > before {
                self.instances.origins.insert(Atom(before as u32), (*base, renumbered.clone()));
                if free != 0 {
                    self.named.push(Atom(before as u32));
                }
            }
            self.instances.by_origin.insert((*base, renumbered), taken);
        }
    }

    /// Returns the replacements of a binding; none for 0, where the values are not known.
    pub fn binding(&self, number: u32) -> Option<&Binding> {
        Some(&self.bindings[number.checked_sub(1)? as usize])
    }

    /// Returns the atoms that still have names in them.
    pub fn named(&self) -> &[Atom] {
        &self.named
    }

    /// Returns true if so many values were met that an endless run should forget some.
    pub fn is_large(&self) -> bool {
        self.bindings.len() > 1 << 14
    }
}
