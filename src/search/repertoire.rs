//! Offers that a spec adds to those of screens.

use crate::gui::{Atom, BUILTIN_TEXTS, Comparison, Constant, Key, Op, Repertoire, UserAction};
use crate::spec::Spec;

/// Returns the additions of `spec`: its own constants as texts, then `texts` of the user's, then the built-in ones;
/// the user's `actions`; and the network, if the spec speaks of it.
pub fn repertoire<'a>(
    spec: &'a Spec,
    actions: &[UserAction],
    texts: impl IntoIterator<Item = &'a str>,
) -> Repertoire {
    let is_about_typing =
        spec.atoms.values().any(|atom| atom.mentions_action_type("text") && names_text(atom));
    let constants = spec.atoms.values().flat_map(comparisons).filter_map(|comparison| {
        // The detail is a typed text for the type `text` alone; for others it is a name or a direction.
        let is_typed = match comparison.key {
            Key::Text | Key::ActionText => true,
            Key::ActionDetail => is_about_typing,
            _ => false,
        };
        match (&comparison.value, comparison.op) {
            (Constant::Text(text), Op::Equal | Op::Contains) if is_typed => Some(text.as_str()),
            _ => None,
        }
    });
    let network = spec.atoms.values().any(|atom| {
        let is_asked = comparisons(atom).iter().any(|comparison| comparison.key == Key::Network);
        is_asked || (atom.mentions_action_type("network") && !atom.mentions_action_type("click"))
    });
    // A rule on a field leaves out all other texts, except those that the spec asks for by name.
    let asked = spec.atoms.values().flat_map(comparisons).filter_map(|comparison| match comparison {
        Comparison { key: Key::ActionText, op: Op::Equal | Op::Contains, value: Constant::Text(text) } => {
            Some(text)
        }
        Comparison { key: Key::ActionDetail, op: Op::Equal | Op::Contains, value: Constant::Text(text) }
            if is_about_typing =>
        {
            Some(text)
        }
        _ => None,
    });
    let asked = asked.map(|text| text.as_str().into()).collect();
    Repertoire { asked, ..Repertoire::new(constants.chain(texts).chain(BUILTIN_TEXTS), actions, network) }
}

/// Returns the additions of several specs together, each with the actions that its file declares; without any spec those of
/// the user's texts.
pub fn together<'a>(
    specs: impl IntoIterator<Item = (&'a Spec, &'a [UserAction])>,
    texts: &[String],
) -> Repertoire {
    let mut all = Repertoire::new(texts.iter().map(String::as_str).chain(BUILTIN_TEXTS), &[], false);
    for (spec, actions) in specs {
        let Repertoire { texts, asked, user_actions, network, .. } = repertoire(spec, actions, []);
        add(&mut all.texts, texts);
        add(&mut all.asked, asked);
        let is_known = |name: &str| all.user_actions.iter().any(|(known, _)| known.name == name);
        let new: Vec<_> = user_actions.into_iter().filter(|(action, _)| !is_known(&action.name)).collect();
        all.user_actions.extend(new);
        all.network |= network;
    }
    all
}

fn add<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}

/// Returns true if the atom asks for the type `text` itself, and not for any type but another.
fn names_text(atom: &Atom) -> bool {
    !atom.mentions_action_type("click")
}

fn comparisons(atom: &Atom) -> &[Comparison] {
    match atom {
        Atom::Widget(all) | Atom::State(all) | Atom::Action(all) | Atom::Count { of: all, .. } => all,
        Atom::Checked(_) => &[],
    }
}
