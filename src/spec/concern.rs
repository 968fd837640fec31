//! Concern: tells whether a spec can be about an app at all.

use std::collections::BTreeSet;

use super::Spec;
use crate::gui::{Atom, Context, Key, Labeller, Screen};
use crate::ltl::{Automaton, Bound, Permanent, ResidualId};

/// Place that an app may show: a package and an activity, in full.
pub type ShownPlace = (String, String);

impl Spec {
    /// Returns the atoms about an activity or a package that hold at none of `places`, which are all that an app may show,
    /// if no run can satisfy the formula without them; none if the spec may concern the app.
    pub fn strange_atoms(&self, places: &[ShownPlace]) -> Vec<&str> {
        let is_about_places = |atom: &&Atom| match atom {
            Atom::State(all) => all
                .iter()
                .all(|one| [Key::Activity, Key::Package].contains(&one.key) && one.value.term().is_none()),
            Atom::Widget(_)
            | Atom::Count { .. }
            | Atom::Action(_)
            | Atom::Checked(_)
            | Atom::Placed(_)
            | Atom::Compared { .. } => false,
        };
        let known = || (0..).zip(self.atoms.values()).filter(|(_, atom)| is_about_places(atom));
        let labeller = Labeller::new(known(), self.typed);
        let mut holds = BTreeSet::new();
        for (package, activity) in places {
            let screen = Screen::new(package.as_str(), activity.as_str(), Context::default(), Vec::new());
            holds.extend(labeller.on_screen(&screen));
        }
        let names: Vec<&str> = self.atoms.keys().map(String::as_str).collect();
        let strange: Vec<&str> = known()
            .filter(|(number, _)| !holds.contains(number))
            .map(|(number, _)| names[number as usize])
            .collect();
        if strange.is_empty() {
            return strange;
        }
        let mut formulas = self.formulas.clone();
        let mut all = vec![self.formula];
        for name in &strange {
            let atom = formulas.atom(name);
            let never = !atom;
            all.push(formulas.always(Bound::ANY, never));
        }
        let without = formulas.and(all);
        let mut automaton = Automaton::new(&formulas, without);
        match automaton.permanent(ResidualId::START) {
            Permanent::Violated => strange,
            Permanent::Satisfied | Permanent::Open => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::spec::{Source, parse};

    #[test]
    fn a_spec_concerns_an_app_unless_no_run_of_it_could_do_what_it_asks() {
        let places =
            [("org.a".to_string(), "org.a.Main".to_string()), ("org.a".into(), "org.a.About".into())];
        for (formula, strange) in [
            ("F [activity ~ About]", 0),
            ("F [activity ~ Sketch]", 1),
            ("F ([activity ~ Main] & X [activity ~ Sketch])", 1),
            // Another way is left.
            ("F ([activity ~ About] | [activity ~ Sketch])", 0),
            ("F [text ~ OK]", 0),
            ("G ![activity ~ Sketch]", 0),
            ("F [package = org.b]", 1),
            ("F [package = org.a]", 0),
            ("[activity = org.a.Main] U [activity ~ /Sk.*h/]", 1),
        ] {
            let parsed = parse(&Source::new("a.ltl", format!("possible \"a\": {formula}")));
            let spec = &parsed.file.specs.first().unwrap_or_else(|| panic!("{formula}"));
            assert_eq!(spec.strange_atoms(&places).len(), strange, "{formula}");
        }
    }
}
