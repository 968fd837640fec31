//! Hints: the names of a widget, compared with the words that a formula's atoms look for.
//!
//! A hint is a guess: names may be missing, obfuscated, or in another language.

use super::action::Action;
use super::action_type::Touch;
use super::atom::{Atom, Comparison, Key, Op};
use super::constant::Constant;
use super::habit::is_switch;

/// Fewest letters of a word that another word may begin with; shorter ones say too little.
const PREFIX_MIN: usize = 3;

/// Finds the atoms that share a word with the names of an action's widget.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// Numbers of atoms, each with its words.
    words: Vec<(u32, Vec<String>)>,
    /// Numbers of the atoms about `checked`.
    checked: Vec<u32>,
}

impl Hints {
    /// Returns the hints for `atoms`, each with its number; atoms that name nothing are left out.
    pub fn new<'a>(atoms: impl IntoIterator<Item = (u32, &'a Atom)>) -> Hints {
        let mut hints = Hints::default();
        for (number, atom) in atoms {
            let words = words_of(atom);
            if !words.is_empty() {
                hints.words.push((number, words));
            }
            if is_about_checked(atom) {
                hints.checked.push(number);
            }
        }
        hints
    }

    /// Returns the atoms that share a word with the text, the description or the id of the widget of `action`; for a
    /// click on a switch also the atoms about `checked`.
    pub fn of<'a>(&'a self, action: &Action) -> impl Iterator<Item = u32> + use<'a> {
        let names = action.target().map(|target| target.names()).unwrap_or_default();
        // Long texts are there to be read; nobody taps them by their words.
        const LETTERS_MAX: usize = 60;
        let called: Vec<String> = match &self.words[..] {
            // Without a word to look for, names need not be split.
            [] => Vec::new(),
            _ => names.iter().filter(|name| name.len() <= LETTERS_MAX).flat_map(|name| words(name)).collect(),
        };
        let shares = move |(_, wanted): &&(u32, Vec<String>)| {
            wanted.iter().any(|word| called.iter().any(|other| are_kin(word, other)))
        };
        let switches = matches!(action, Action::Touch(Touch::Click, on) if is_switch(&on.class));
        let checked = self.checked.iter().filter(move |_| switches);
        self.words.iter().filter(shares).map(|(number, _)| number).chain(checked).copied()
    }
}

fn is_about_checked(atom: &Atom) -> bool {
    match atom {
        Atom::Checked(_) => true,
        Atom::Widget(all) | Atom::Count { of: all, .. } => {
            all.iter().any(|comparison| comparison.key == Key::Checked)
        }
        Atom::State(_) | Atom::Action(_) => false,
    }
}

fn words_of(atom: &Atom) -> Vec<String> {
    let (Atom::Widget(all) | Atom::State(all) | Atom::Count { of: all, .. }) = atom else {
        return Vec::new();
    };
    // Other operators and values rule a name out or describe it, and give no word to look for.
    let named = all.iter().filter_map(|Comparison { key, op, value }| match (key, op, value) {
        (
            Key::Activity | Key::Text | Key::Desc | Key::Id | Key::Class,
            Op::Equal | Op::Contains,
            Constant::Text(text),
        ) => Some(text.as_str()),
        _ => None,
    });
    named.flat_map(words).collect()
}

/// Returns the words of a name, in lower case: `btn_color_selector`, `NewGameActivity` and `New game` have several.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_small = false;
    for char in name.chars() {
        let starts_anew = char.is_uppercase() && was_small;
        if (starts_anew || !char.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if char.is_alphanumeric() {
            let word = words.last_mut().expect("there is one at least");
            word.extend(char.to_lowercase());
        }
        was_small = char.is_lowercase() || char.is_numeric();
    }
    // Most activities and widgets have these in their names.
    words.retain(|word| word.len() > 1 && !["activity", "btn", "button", "the", "id"].contains(&&**word));
    words
}

/// Returns true if two words are one, or one begins with the other, as `setting` and `settings`.
fn are_kin(one: &str, two: &str) -> bool {
    let (short, long) = if one.len() < two.len() { (one, two) } else { (two, one) };
    short == long || (short.len() >= PREFIX_MIN && long.starts_with(short))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Target, Widget};

    #[test]
    fn names_are_taken_apart_where_people_put_them_together() {
        for (name, expected) in [
            ("NewGameActivity", &["new", "game"][..]),
            ("btn_color_selector", &["color", "selector"]),
            ("Play Offline", &["play", "offline"]),
            (".OfflineGame2", &["offline", "game2"]),
            ("+", &[]),
            ("", &[]),
        ] {
            assert_eq!(words(name), expected, "{name}");
        }
    }

    #[test]
    fn an_action_hints_at_the_atoms_that_share_a_word_with_its_widget() {
        let atom = |key, text: &str| {
            Atom::State(vec![Comparison { key, op: Op::Contains, value: Constant::Text(text.into()) }])
        };
        let atoms = [atom(Key::Activity, "SettingsActivity"), atom(Key::Activity, "Main")];
        let hints = Hints::new((0..).zip(&atoms));
        let widget = Widget { text: "Open setting".into(), ..Widget::default() };
        let click = Action::click(Target::new(&widget, "0"));
        assert_eq!(hints.of(&click).collect::<Vec<_>>(), [0]);
        assert_eq!(hints.of(&Action::BACK).count(), 0);
    }
}
