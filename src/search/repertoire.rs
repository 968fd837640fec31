//! Offers that a spec adds to those of screens.

use std::sync::Arc;

use crate::gui::{Atom, BUILTIN_TEXTS, Comparison, Constant, Key, Op, Repertoire, UserAction};
use crate::spec::Spec;

/// Texts to type besides those that a spec names.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    /// The texts.
    pub texts: Vec<String>,
    /// True if no built-in text is typed; then a text that comes twice counts twice.
    pub is_all: bool,
}

/// Returns the additions of `spec` with the texts of a dictionary, see [`repertoire`].
pub fn repertoire_with(spec: &Spec, actions: &[UserAction], dictionary: &Dictionary) -> Repertoire {
    let texts = dictionary.texts.iter().map(String::as_str);
    let mut offered = repertoire(spec, actions, texts.clone());
    if dictionary.is_all {
        let constants: Vec<Arc<str>> = constants(spec).map(Arc::from).collect();
        let others = texts.map(Arc::from).filter(|text| !constants.contains(text));
        offered.texts = Repertoire::new(constants.iter().map(|text| &**text), &[], false).texts;
        offered.texts.extend(others);
    }
    offered
}

/// Returns the additions of `spec`: its own constants as texts, then `texts` of the user's, then the built-in ones;
/// the user's `actions`; and the network, if the spec speaks of it.
pub fn repertoire<'a>(
    spec: &'a Spec,
    actions: &[UserAction],
    texts: impl IntoIterator<Item = &'a str>,
) -> Repertoire {
    let is_about_typing = is_about_typing(spec);
    let network = spec.atoms.values().any(|atom| {
        let is_asked = atom.mentions(Key::Network);
        is_asked || (atom.mentions_action_type("network") && !atom.mentions_action_type("click"))
    });
    // A rule on a field leaves out all other texts, except those that the spec asks for by name.
    let asked = spec.atoms.values().flat_map(Atom::comparisons).filter_map(|comparison| match comparison {
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
    Repertoire {
        asked,
        ..Repertoire::new(constants(spec).chain(texts).chain(BUILTIN_TEXTS), actions, network)
    }
}

/// Returns the texts that atoms of `spec` name.
fn constants(spec: &Spec) -> impl Iterator<Item = &str> {
    let is_about_typing = is_about_typing(spec);
    spec.atoms.values().flat_map(Atom::comparisons).filter_map(move |comparison| {
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
    })
}

fn is_about_typing(spec: &Spec) -> bool {
    spec.atoms.values().any(|atom| atom.mentions_action_type("text") && names_text(atom))
}

/// Returns the additions of several specs together, each with the actions that its file declares, and the texts of a
/// dictionary; without any spec these texts alone.
pub fn together<'a>(
    specs: impl IntoIterator<Item = (&'a Spec, &'a [UserAction])>,
    dictionary: &Dictionary,
) -> Repertoire {
    let texts = dictionary.texts.iter().map(String::as_str);
    let mut all = Repertoire::new(texts.clone().chain(BUILTIN_TEXTS), &[], false);
    if dictionary.is_all {
        all.texts = texts.map(Arc::from).collect();
    }
    for (spec, actions) in specs {
        let Repertoire { texts, asked, user_actions, network, .. } =
            repertoire_with(spec, actions, dictionary);
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
