//! Hints: the names of a widget, compared with the words that a formula's atoms look for.
//!
//! A hint is a guess: names may be missing, obfuscated, or in another language.

use super::action::{Action, Target};
use super::action_type::{DeviceAction, Touch};
use super::atom::{Atom, Comparison, Key, Op};
use super::constant::Constant;
use super::element::is_switch;

/// Least that a widget shares with an atom: a word that more widgets of the screen have than seven singles none of them out.
const SHARE_MIN: f64 = 0.14;
/// Part of the most that any widget of the screen shares below which a widget is no hint.
const CLOSE: f64 = 0.5;
/// Worth of a name that is the whole value, in words that no other widget has.
const WHOLE: f64 = 2.0;

/// Fewest letters of a word that another word may begin with; shorter ones say too little.
const PREFIX_MIN: usize = 3;

/// Finds the atoms that share a word with the names of an action's widget.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    words: Vec<Wanted>,
    /// Numbers of the atoms about `checked`.
    checked: Vec<u32>,
}

impl Hints {
    /// Returns the hints for `atoms`, each with its number; atoms that name nothing are left out.
    pub fn new<'a>(atoms: impl IntoIterator<Item = (u32, &'a Atom)>) -> Hints {
        let mut hints = Hints::default();
        for (number, atom) in atoms {
            let values = values_of(atom);
            let words: Vec<String> = values.iter().flat_map(|value| words(value)).collect();
            if !words.is_empty() {
                let values = values.iter().map(|value| value.to_lowercase()).collect();
                hints.words.push(Wanted { atom: number, values, words });
            }
            if is_about_checked(atom) {
                hints.checked.push(number);
            }
        }
        hints
    }

    /// Returns, for each of the `actions` of a screen, the atoms that share a word with the text, the description or the id
    /// of its widget, if few other widgets share as much: a rare word says more than a common one, and the whole name more
    /// than a word. A click on a switch also hints at the atoms about `checked`.
    pub fn of(&self, actions: &[Action]) -> Vec<Vec<u32>> {
        let switches =
            |action: &Action| matches!(action, Action::Touch(Touch::Click, on) if is_switch(&on.class));
        let about_checked = |action: &Action| if switches(action) { &self.checked[..] } else { &[] };
        let mut hints: Vec<Vec<u32>> = actions.iter().map(|action| about_checked(action).to_vec()).collect();
        // Without a word to look for, names need not be split.
        if self.words.is_empty() {
            return hints;
        }
        // What is typed is mostly shown once it is sent, and here that takes no button, whose name would say so.
        let can_send = actions.contains(&Action::Device(DeviceAction::Enter));
        // Actions on the same widget follow each other, so its names are split once.
        let mut widgets: Vec<Called> = Vec::new();
        let called: Vec<Option<usize>> = actions
            .iter()
            .map(|action| {
                let target = action.target()?;
                if widgets.last().is_none_or(|last| *last.object_id != *target.object_id) {
                    widgets.push(Called::new(target));
                }
                if can_send
                    && action.typed().is_some_and(|text| *text == *target.text)
                    && let Some(last) = widgets.last_mut()
                {
                    // What was typed is no name of the field.
                    last.forget(&target.text);
                }
                Some(widgets.len() - 1)
            })
            .collect();
        for wanted in &self.words {
            let shares: Vec<f64> = wanted.shares(&widgets);
            let most = shares.iter().copied().fold(0.0, f64::max);
            let spoken = wanted.texts(&called, widgets.len(), actions);
            for (((at, hints), called), action) in (0..).zip(&mut hints).zip(&called).zip(actions) {
                let share = called.map_or(0.0, |widget| shares[widget]);
                let is_typed = can_send && wanted.is_sent(action, actions);
                let is_spare =
                    action.typed().is_some() && called.is_some_and(|widget| spoken[widget] != Some(at));
                if is_typed || share >= SHARE_MIN && share >= CLOSE * most && !is_spare {
                    hints.push(wanted.atom);
                }
            }
        }
        hints
    }
}

/// Words that an atom looks for.
#[derive(Clone, Debug)]
struct Wanted {
    atom: u32,
    /// Values as a whole, in lower case.
    values: Vec<String>,
    words: Vec<String>,
}

impl Wanted {
    fn is_value(&self, text: &str) -> bool {
        self.values.contains(&text.to_lowercase())
    }

    /// Returns true if `action` types one of the values, or sends it from a field of the `actions`.
    fn is_sent(&self, action: &Action, actions: &[Action]) -> bool {
        if *action == Action::Device(DeviceAction::Enter) {
            return actions.iter().any(|other| {
                other.typed().is_some() && other.target().is_some_and(|on| self.is_value(&on.text))
            });
        }
        action.typed().is_some_and(|text| self.is_value(text))
    }

    /// Returns the place of a text for each of the widgets: one of the values, or else the first. By its name a field
    /// speaks of any text, so that one of them is enough.
    fn texts(&self, called: &[Option<usize>], widgets: usize, actions: &[Action]) -> Vec<Option<usize>> {
        let mut texts: Vec<Option<usize>> = vec![None; widgets];
        for (at, (called, action)) in called.iter().zip(actions).enumerate() {
            if let (Some(widget), Some(text)) = (*called, action.typed())
                && !text.is_empty()
                && (texts[widget].is_none() || self.is_value(text))
            {
                texts[widget] = Some(at);
            }
        }
        texts
    }

    /// Returns how much each widget shares with the atom.
    fn shares(&self, widgets: &[Called<'_>]) -> Vec<f64> {
        let mut shares = vec![0.0; widgets.len()];
        for word in &self.words {
            let has = |widget: &Called<'_>| widget.words.iter().any(|other| are_kin(word, other));
            let with: Vec<usize> = (0..widgets.len()).filter(|&at| has(&widgets[at])).collect();
            with.iter().for_each(|&at| shares[at] += 1.0 / with.len() as f64);
        }
        for (share, widget) in shares.iter_mut().zip(widgets) {
            if widget.names.iter().any(|name| self.values.contains(name)) {
                *share += WHOLE;
            }
        }
        shares
    }
}

/// Names of a widget.
struct Called<'a> {
    object_id: &'a str,
    /// In lower case.
    names: Vec<String>,
    words: Vec<String>,
}

impl<'a> Called<'a> {
    fn forget(&mut self, text: &str) {
        let text = text.to_lowercase();
        self.names.retain(|name| *name != text);
        for word in words(&text) {
            self.words.retain(|other| *other != word);
        }
    }

    fn new(target: &'a Target) -> Called<'a> {
        // Long texts are there to be read; nobody taps them by their words.
        const LETTERS_MAX: usize = 60;
        let names = target.names().into_iter().filter(|name| !name.is_empty() && name.len() <= LETTERS_MAX);
        Called {
            object_id: &target.object_id,
            names: names.clone().map(str::to_lowercase).collect(),
            words: names.flat_map(words).collect(),
        }
    }
}

fn is_about_checked(atom: &Atom) -> bool {
    match atom {
        Atom::Checked(_) => true,
        Atom::Widget(_) | Atom::Count { .. } | Atom::Placed(_) | Atom::Compared { .. } => {
            atom.mentions(Key::Checked)
        }
        Atom::State(_) | Atom::Action(_) => false,
    }
}

/// Returns the names that an atom looks for.
fn values_of(atom: &Atom) -> Vec<&str> {
    if matches!(atom, Atom::Action(_)) {
        return Vec::new();
    }
    // Other operators and values rule a name out or describe it, and give no word to look for.
    let named =
        atom.comparisons().into_iter().filter_map(|Comparison { key, op, value }| match (key, op, value) {
            (
                Key::Activity | Key::Text | Key::Desc | Key::Id | Key::Class,
                Op::Equal | Op::Contains,
                Constant::Text(text),
            ) => Some(text.as_str()),
            _ => None,
        });
    named.collect()
}

/// Returns the words of a name, in lower case: `btn_color_selector`, `NewGameActivity` and `New game` have several.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = super::words(name.chars(), |char| char.is_lowercase() || char.is_numeric());
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
        let click = Action::click(Target::new(&widget, "0", "".into()));
        assert_eq!(hints.of(&[click, Action::BACK]), [vec![0], vec![]]);
    }

    #[test]
    fn the_name_of_a_field_speaks_of_one_text_that_is_typed_into_it() {
        let value = Constant::Text("City Rome".into());
        let atom = Atom::State(vec![Comparison { key: Key::Text, op: Op::Equal, value }]);
        let field = Widget { desc: "City".into(), ..Widget::default() };
        let on = Target::new(&field, "0", "".into());
        let hinted = |texts: &[&str]| -> Vec<bool> {
            let typed = texts.iter().map(|text| Action::Text { on: on.clone(), text: (*text).into() });
            let actions: Vec<Action> = std::iter::once(Action::click(on.clone())).chain(typed).collect();
            Hints::new([(0, &atom)]).of(&actions).iter().map(|hints| !hints.is_empty()).collect()
        };
        assert_eq!(hinted(&["", "abc", "42"]), [true, false, true, false]);
        assert_eq!(hinted(&["abc", "city rome", "42"]), [true, false, true, false]);
    }

    #[test]
    fn a_rare_word_says_more_than_a_common_one_and_the_whole_name_most() {
        let atom = Atom::State(vec![Comparison {
            key: Key::Text,
            op: Op::Equal,
            value: Constant::Text("Item 25".into()),
        }]);
        let hints = Hints::new([(0, &atom)]);
        let hinted = |names: &[&str]| -> Vec<bool> {
            let click = |(at, name): (usize, &&str)| {
                let widget = Widget { text: (*name).into(), ..Widget::default() };
                Action::click(Target::new(&widget, &at.to_string(), "".into()))
            };
            let actions: Vec<Action> = names.iter().enumerate().map(click).collect();
            hints.of(&actions).iter().map(|hints| !hints.is_empty()).collect()
        };
        assert_eq!(hinted(&["Items", "About"]), [true, false]);
        let list: Vec<String> = (1..=10).map(|n| format!("Item {n}")).collect();
        let list: Vec<&str> = list.iter().map(String::as_str).collect();
        assert_eq!(hinted(&list), [false; 10], "all share a word, and none stands out");
        assert_eq!(hinted(&["Item 24", "Item 25", "Old item 25"]), [false, true, false]);
    }
}
