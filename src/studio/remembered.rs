//! Values that a person lets the run remember: a text or a number of one step, with which later ones are compared.

use std::collections::BTreeSet;

use super::message::{Reply, SaidAtom, SaidTerm, SaidValue};
use super::run::{Expected, Run};
use super::{Refusal, Studio, counted, known, said_atom, short_enough};
use crate::gui::{self, Atom, Key, Link, Number, Pattern, Reading, Screen, Term, TypedText, Widget};
use crate::spec::{Expectation, printable, read_atom};

/// Most values that a run remembers: a file may keep no more.
const VALUES_MAX: usize = 32;

/// Most letters of a value that is shown.
const SHOWN_MAX: usize = 200;

/// Value of a step with a name.
#[derive(Clone, Debug)]
pub(super) struct Remembered {
    pub step: usize,
    pub name: String,
    pub term: Term,
}

/// Values of a term; none if it has no value.
type Values = Option<Vec<String>>;

impl Run {
    /// Gives the value that `term` has at a step a name.
    pub(super) fn remember(&mut self, step: usize, name: &str, term: &str) -> Result<(), Refusal> {
        known("step", step, self.steps.len())?;
        let (name, text) = (short_enough(name)?.trim(), short_enough(term)?);
        if self.remembered.iter().any(|one| one.name == name) {
            return Err(Refusal::Named(name.to_string()));
        }
        if self.remembered.len() >= VALUES_MAX {
            return Err(Refusal::Full { what: "values", most: VALUES_MAX });
        }
        // The language says itself what a name and a term are.
        let atom = self.only_atom(&format!("keep {name} = {text}: F [text = {{{name}}}]"));
        let term = atom.and_then(|atom| atom.kept().get(name).map(|&term| term.clone()));
        let unread =
            || Refusal::Term { name: printable(name).to_string(), term: printable(text).to_string() };
        self.remembered.push(Remembered { step, name: name.to_string(), term: term.ok_or_else(unread)? });
        self.remembered.sort_by_key(|one| one.step);
        Ok(())
    }

    /// Takes a value back that nothing is compared with.
    pub(super) fn forget_value(&mut self, number: usize) -> Result<(), Refusal> {
        known("value", number, self.remembered.len())?;
        let name = &self.remembered[number].name;
        if self.expected.iter().any(|one| one.atom.kept().contains_key(&**name)) {
            return Err(Refusal::Compared(name.clone()));
        }
        self.remembered.remove(number);
        Ok(())
    }

    /// Returns the atom that `text` is, which may have the names of values that are remembered up to a step.
    pub(super) fn atom_at(&self, step: usize, text: &str) -> Option<Atom> {
        if let Some(atom) = read_atom(text) {
            return Some(atom);
        }
        let before = self.remembered.iter().filter(|one| one.step <= step);
        let keeps: String = before.map(|one| format!("keep {} = {}: ", one.name, one.term)).collect();
        let text = text.trim();
        if keeps.is_empty() || !text.starts_with('[') || !text.ends_with(']') {
            return None;
        }
        self.only_atom(&format!("{keeps}F {text}"))
    }

    /// Returns the atom of a formula that has no other.
    fn only_atom(&self, formula: &str) -> Option<Atom> {
        let text = format!("{} \"x\":\n    {formula}\n", Expectation::Possible.word());
        let specs = self.specs("", &text).ok()?;
        let [only] = &specs[..] else { return None };
        only.atoms.values().next().filter(|_| only.atoms.len() == 1).cloned()
    }

    /// Returns the value of a term at a step.
    fn value_at(&self, step: usize, term: &Term) -> Values {
        let led = self.steps.get(step)?;
        let before = step.checked_sub(1).map(|before| &*self.steps[before].observation.screen);
        let link = Link { before, action: Some(&led.action), after: &led.observation.screen };
        Reading::new(term, TypedText::default()).values(link)
    }

    /// Returns the atom with the values in place of their names.
    pub(super) fn closed(&self, atom: &Atom) -> Atom {
        self.remembered
            .iter()
            .fold(atom.clone(), |atom, one| atom.with_kept(&one.name, &self.value_at(one.step, &one.term)))
    }

    /// Returns the values that later expectations are compared with.
    pub(super) fn used_values(&self) -> Vec<Remembered> {
        let names: BTreeSet<&str> =
            self.expected.iter().flat_map(|one| one.atom.kept().into_keys()).collect();
        self.remembered.iter().filter(|one| names.contains(&*one.name)).cloned().collect()
    }

    /// Returns the expectations with the values in place of their names.
    pub(super) fn closed_expected(&self) -> Vec<Expected> {
        let closed = |one: &Expected| Expected { atom: self.closed(&one.atom), ..one.clone() };
        self.expected.iter().map(closed).collect()
    }

    /// Forgets the values behind a step.
    pub(super) fn forget_values_behind(&mut self, step: usize) {
        self.remembered.retain(|one| one.step <= step);
    }

    /// Returns atoms that compare the terms of a widget with the values that are remembered, where the two have something to
    /// do with each other.
    fn compared(&self, terms: &[Term], widget: &Widget) -> Vec<Atom> {
        let step = self.steps.len() - 1;
        let mut texts = Vec::new();
        for one in &self.remembered {
            let (name, then) = (&one.name, self.value_at(one.step, &one.term));
            for term in terms {
                let now = self.value_at(step, term);
                if *term == one.term || (now == then && now.is_some()) {
                    texts.push(format!("[{term} = {{{name}}}]"));
                }
                let Some((now, then)) = number(&now).zip(number(&then)).filter(|_| *term == one.term) else {
                    continue;
                };
                let (sign, more) = if now > then { ('+', now - then) } else { ('-', then - now) };
                if more > 0 {
                    texts.push(format!("[{term} = {{{name} {sign} {more}}}]"));
                }
            }
            if then.as_deref().is_some_and(|then| then == [widget.text.to_string()]) {
                texts.push(format!("[{} = {{{name}}}]", Key::Text.name()));
            }
        }
        texts.iter().filter_map(|text| self.atom_at(step, text)).collect()
    }

    pub(super) fn said_value(&self, one: &Remembered) -> SaidValue {
        SaidValue {
            step: one.step,
            name: one.name.clone(),
            term: one.term.to_string(),
            value: said_values(&self.value_at(one.step, &one.term)),
        }
    }
}

impl Studio {
    /// Returns the atoms that hold of a widget, and its values that can be remembered.
    pub(super) fn atoms_of(&self, screen: u64, at: usize) -> Result<Reply, Refusal> {
        self.check_screen(screen)?;
        let last = self.run.steps.last().ok_or(Refusal::Late)?;
        let screen = &last.observation.screen;
        known("widget", at, screen.widgets().len())?;
        let widget = &screen.widgets()[at];
        let single = gui::atoms_of_widget(widget, &screen.object_id(at));
        let terms: Vec<Term> = single.iter().flat_map(|atom| terms_of(atom, screen)).collect();
        // Whoever has remembered a value wants to compare it.
        let mut atoms = self.run.compared(&terms, widget);
        let best = gui::atom_of_widget(screen, widget);
        let counts: Vec<Atom> = single.iter().filter_map(|atom| counted(atom, screen)).collect();
        for atom in best.into_iter().chain(single).chain(counts) {
            if !atoms.contains(&atom) {
                atoms.push(atom);
            }
        }
        let step = self.run.steps.len() - 1;
        let said_term = |term: &Term| {
            // There is nothing in an empty text to compare with.
            let value =
                self.run.value_at(step, term).filter(|all| all.iter().any(|one| !one.trim().is_empty()))?;
            Some(SaidTerm { term: term.to_string(), value: said_values(&Some(value)) })
        };
        Ok(Reply::Atoms {
            atoms: atoms.iter().map(said_atom).collect::<Vec<SaidAtom>>(),
            terms: terms.iter().filter_map(said_term).collect(),
        })
    }
}

/// Returns the terms for the widgets that `atom` holds of: their texts, if they are told by something else, and their number,
/// if there are several.
fn terms_of(atom: &Atom, screen: &Screen) -> Vec<Term> {
    let Atom::Widget(of) = atom else { return Vec::new() };
    let [only] = &of[..] else { return Vec::new() };
    let pattern = || Box::new(Pattern { comparisons: of.clone(), places: Vec::new() });
    let is_told_otherwise = matches!(only.key, Key::Id | Key::Class | Key::Desc);
    let text = is_told_otherwise.then(|| Term::Each(Key::Text, pattern()));
    let count = counted(atom, screen).map(|_| Term::Count(pattern()));
    text.into_iter().chain(count).collect()
}

/// Returns a whole number.
fn number(values: &Values) -> Option<i64> {
    let [only] = values.as_deref()? else { return None };
    // Farther apart than this is no count.
    Number::parse(only)?.to_string().parse().ok().filter(|number: &i64| number.abs() < 1 << 40)
}

fn said_values(values: &Values) -> String {
    let said = match values.as_deref() {
        None => "nothing".to_string(),
        Some([one]) => one.clone(),
        Some(all) => all.join(", "),
    };
    printable(&said).to_string().chars().take(SHOWN_MAX).collect()
}
