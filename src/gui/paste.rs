//! Atoms that hold on a screen and of its actions, to be pasted into a spec.

use std::collections::{BTreeMap, BTreeSet};

use super::action::Action;
use super::atom::{ActionTypes, Atom, Comparison, Key, Op};
use super::constant::Constant;
use super::element::short_activity;
use super::screen::{Context, Flags, Screen, Widget};

/// Most characters of a text that is repeated in full; of a longer one, its first words are.
const CHARS_MAX: usize = 60;

/// An atom that holds on a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pasted {
    /// The atom.
    pub atom: Atom,
    /// Text that people see on its widget, where the atom does not have it.
    pub seen: Option<String>,
}

/// Returns atoms that hold on `screen`: those of the screen, then `checked`, then one for each visible widget with a
/// name, in the order of the screen; each once.
pub fn atoms_of_screen(screen: &Screen) -> Vec<Pasted> {
    let mut atoms = Vec::new();
    let mut add = |comparisons: Option<Vec<Comparison>>, seen: Option<String>| {
        // No atom can look for some hostile names.
        if let Some(atom) = comparisons.filter(|all| !all.is_empty()).and_then(|all| Atom::new(all).ok()) {
            atoms.push(Pasted { atom, seen });
        }
    };
    for (key, value) in state(screen) {
        add(comparison(key, Op::Equal, &value).map(|one| vec![one]), None);
    }
    let visible = || screen.widgets().iter().filter(|widget| widget.is_visible());
    let any = |flag: Flags| visible().any(|widget| widget.flags.has(flag));
    if any(Flags::CHECKABLE) || any(Flags::CHECKED) {
        let checked = any(Flags::CHECKED).to_string();
        add(comparison(Key::Checked, Op::Equal, &checked).map(|one| vec![one]), None);
    }
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    visible().for_each(|widget| *ids.entry(widget.id_entry()).or_default() += 1);
    for widget in visible() {
        let is_alone = ids.get(widget.id_entry()) == Some(&1);
        add(of_widget(widget, is_alone), seen_on(widget, is_alone));
    }
    // Rows of a list are often alike, and one atom finds them all.
    let mut met = BTreeSet::new();
    atoms.retain(|pasted| met.insert(pasted.atom.clone()));
    atoms
}

/// Returns the atom that finds `widget` on `screen`: by its id, its description or its text.
pub fn atom_of_widget(screen: &Screen, widget: &Widget) -> Option<Atom> {
    let is_same = |other: &&Widget| other.is_visible() && other.id_entry() == widget.id_entry();
    let is_alone = screen.widgets().iter().filter(is_same).count() == 1;
    let mut all = of_widget(widget, is_alone)?;
    // A field stays the same one whether it can be used at the moment or not.
    all.retain(|one| matches!(one.key, Key::Id | Key::Desc | Key::Text));
    Atom::new(all).ok()
}

/// Returns atoms that hold of `widget`, which is at `object_id`: one for each key that has a value there.
pub fn atoms_of_widget(widget: &Widget, object_id: &str) -> Vec<Atom> {
    let name = |key: Key, name: &str| {
        let (op, value) = shown(name);
        comparison(key, op, value).filter(|_| !name.trim().is_empty())
    };
    let is = |flag: Flags| widget.flags.has(flag).to_string();
    let named = [
        // What a password field shows is nobody's business.
        Some(Key::Text)
            .filter(|_| !widget.flags.has(Flags::PASSWORD))
            .and_then(|key| name(key, &widget.text)),
        name(Key::Desc, &widget.desc),
        name(Key::Id, widget.id_entry()),
    ];
    let id = named.iter().rev().find_map(Clone::clone);
    let states = [
        (Key::Checked, Flags::CHECKED, Flags::CHECKABLE),
        (Key::Enabled, Flags::ENABLED, Flags::default()),
        (Key::Focused, Flags::FOCUSED, Flags::FOCUSED),
        (Key::Selected, Flags::SELECTED, Flags::SELECTED),
    ];
    // A state says nothing without the widget's name.
    let states = states
        .iter()
        .filter(|(_, _, needed)| widget.flags.has(*needed))
        .filter_map(|&(key, flag, _)| Some(vec![id.clone()?, comparison(key, Op::Equal, &is(flag))?]));
    let place = comparison(Key::ObjectId, Op::Equal, object_id);
    let class = name(Key::Class, widget.class.rsplit('.').next().unwrap_or_default());
    let single = named.iter().cloned().chain([class, place]).flatten().map(|one| vec![one]);
    single.chain(states).filter_map(|all| Atom::new(all).ok()).collect()
}

/// Returns the atom that holds of `action`, with its detail, or its path in the tree where nothing else names it.
pub fn atom_of_action(action: &Action) -> Option<Atom> {
    let mut all = vec![comparison(Key::ActionType, Op::Equal, action.type_name())?];
    let detail = action.detail();
    if !detail.is_empty() {
        let (op, value) = shown(detail);
        all.extend(comparison(Key::ActionDetail, op, value));
    } else if let Some(on) = action.target() {
        all.extend(comparison(Key::ActionObjectId, Op::Equal, &on.object_id));
    }
    Atom::new(all).ok()
}

/// Returns the keys of a screen as a whole, with their values on this one.
fn state(screen: &Screen) -> Vec<(Key, String)> {
    let Context { screen_on, orientation, network, crashed, anr, keyboard } = screen.context();
    let on = |is_on: bool| if is_on { "on" } else { "off" }.to_string();
    // The short name of a class is enough in an atom, and easier to read.
    let class = short_activity(screen.activity());
    [
        (Key::Package, screen.package().to_string()),
        (Key::Activity, class.to_string()),
        (Key::Screen, on(screen_on)),
        (Key::Orientation, orientation.name().to_string()),
        (Key::Network, on(network)),
        (Key::Crashed, crashed.to_string()),
        (Key::Crash, screen.crash().map_or(String::new(), |crash| crash.to_string())),
        (Key::Anr, anr.to_string()),
        // farlead puts it away, so only a keyboard that is there is worth a line.
        (Key::Keyboard, if keyboard { "true" } else { "" }.to_string()),
        (Key::Console, screen.console().map_or(String::new(), |console| console.to_string())),
        (Key::Status, screen.status().map_or(String::new(), |status| status.to_string())),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .collect()
}

/// Returns comparisons for the names of a widget, its `checked`, and its `enabled` if it is off. `is_alone` says that no
/// other widget has its id.
fn of_widget(widget: &Widget, is_alone: bool) -> Option<Vec<Comparison>> {
    // An id survives another language and another text; where several widgets share it, the text tells them apart.
    let mut all: Vec<Comparison> = comparison(Key::Id, Op::Equal, widget.id_entry())
        .filter(|_| !widget.id_entry().trim().is_empty())
        .into_iter()
        .collect();
    if all.is_empty() || !is_alone {
        let names = [(Key::Desc, &*widget.desc), (Key::Text, &*widget.text)];
        let name = names.into_iter().find(|(_, name)| !name.trim().is_empty());
        all.extend(name.and_then(|(key, name)| {
            let (op, value) = shown(name);
            comparison(key, op, value)
        }));
    }
    if all.is_empty() {
        return None;
    }
    // Of a widget that cannot be checked, the value says nothing.
    if widget.flags.has(Flags::CHECKABLE) {
        let checked = widget.flags.has(Flags::CHECKED).to_string();
        all.extend(comparison(Key::Checked, Op::Equal, &checked));
    }
    // Most widgets are enabled, so only the exception is worth a word.
    if !widget.flags.has(Flags::ENABLED) {
        all.extend(comparison(Key::Enabled, Op::Equal, "false"));
    }
    Some(all)
}

/// Returns the text that people see on a widget that its atom names by the id alone.
fn seen_on(widget: &Widget, is_alone: bool) -> Option<String> {
    let is_by_id = is_alone && !widget.id_entry().trim().is_empty();
    let names = [&*widget.text, &*widget.desc];
    let name = names.into_iter().find(|name| !name.trim().is_empty() && !widget.flags.has(Flags::PASSWORD));
    name.filter(|_| is_by_id).map(|name| shown(name).1.to_string())
}

/// Returns the comparison that finds a text: by all of a short one, by the start of the first line of a long one.
fn shown(text: &str) -> (Op, &str) {
    if text.chars().count() <= CHARS_MAX && !text.contains('\n') {
        return (Op::Equal, text);
    }
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let end = line.char_indices().nth(CHARS_MAX).map_or(line.len(), |(end, _)| end);
    (Op::Contains, &line[..end])
}

fn comparison(key: Key, op: Op, value: &str) -> Option<Comparison> {
    Comparison::new(key, op, Constant::Text(value.to_string()), ActionTypes::Any).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Bounds, Labeller, Repertoire, TypedText, offers};

    fn screen() -> Screen {
        let flags = Flags::ENABLED.set(Flags::CLICKABLE, true);
        let bounds = Bounds::new(0, 0, 9, 9);
        let widget = |text: &str, id: &str, flags: Flags| Widget {
            text: text.into(),
            id: id.into(),
            bounds,
            flags,
            ..Widget::default()
        };
        let widgets = vec![
            widget("Save", "a.b:id/save", flags),
            widget("Wi-Fi", "", flags.set(Flags::CHECKABLE, true)),
            widget("", "a.b:id/other", Flags::CLICKABLE),
            widget(&"long [text] ".repeat(9), "", flags),
            widget("two\nlines", "", flags),
            widget("Save", "", flags),
            Widget { bounds: Bounds::default(), ..widget("hidden", "", flags) },
            widget("", "", flags),
            widget("Milk", "a.b:id/row", flags),
            widget("Bread", "a.b:id/row", flags),
        ];
        Screen::new("a.b", "a.b.Main", Context::default(), widgets)
    }

    #[test]
    fn atoms_say_what_is_seen() {
        let said: Vec<String> = atoms_of_screen(&screen())
            .into_iter()
            .map(|Pasted { atom, seen }| seen.map_or(atom.to_string(), |seen| format!("{atom}  # {seen}")))
            .collect();
        let expected = [
            "[package = a.b]",
            "[activity = Main]",
            "[screen = on]",
            "[orientation = portrait]",
            "[network = on]",
            "[crashed = false]",
            "[anr = false]",
            "[checked = false]",
            "[id = save]  # Save",
            "[text = Wi-Fi, checked = false]",
            "[id = other, enabled = false]",
            "[text ~ \"long [text] long [text] long [text] long [text] long [text] \"]",
            "[text ~ two]",
            "[text = Save]",
            "[text = Milk, id = row]",
            "[text = Bread, id = row]",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn all_that_is_said_holds() {
        let screen = screen();
        let atoms: Vec<Atom> = atoms_of_screen(&screen).into_iter().map(|pasted| pasted.atom).collect();
        let numbered = (0..).zip(&atoms);
        assert_eq!(Labeller::new(numbered, TypedText::Counts).on_screen(&screen).len(), atoms.len());
        for action in offers(&screen, &Repertoire::default()) {
            let atom = atom_of_action(&action).expect("a type at least");
            assert_eq!(Labeller::new([(0, &atom)], TypedText::Counts).of_action(&action).len(), 1, "{atom}");
        }
    }
}
