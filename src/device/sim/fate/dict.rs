//! FATE's dictionaries: which keys there are, and what stands at each.

use std::collections::BTreeSet;

use super::graph::{Raw, RawNode, RawTransition, RawVariable, Which};
use super::literal::{Literal, Value};
use super::quoted::Quoted;
use crate::gui::nearest;
use crate::text::{Diagnostic, Diagnostics, Span, clip, meant};

/// Returns the model in `literal`, without its parts that have mistakes, which go to `mistakes`.
pub(super) fn raw(literal: Literal, mistakes: &mut Diagnostics) -> Raw {
    let mut raw = Raw { inputs: vec!["input_text".to_string()], ..Raw::default() };
    let Some([variables, nodes]) = entries(literal, "a model", ["global_vars", "nodes"], mistakes) else {
        return raw;
    };
    for variable in list(variables, "global_vars", mistakes) {
        let Some([name, value]) = entries(variable, "a variable", ["name", "value"], mistakes) else {
            continue;
        };
        if let Some(name) = text(name, "name", mistakes) {
            raw.variables.push(RawVariable { name, value });
        }
    }
    for node in list(nodes, "nodes", mistakes) {
        let Some([id, transitions]) = entries(node, "a node", ["node_id", "transitions"], mistakes) else {
            continue;
        };
        let read = list(transitions, "transitions", mistakes).into_iter();
        let transitions = read.filter_map(|one| transition(one, mistakes)).collect();
        if let Some(id) = text(id, "node_id", mistakes) {
            raw.nodes.push(RawNode { id, transitions });
        }
    }
    raw
}

fn transition(literal: Literal, mistakes: &mut Diagnostics) -> Option<RawTransition> {
    let keys = ["transition_id", "type", "active", "guard", "set", "destination"];
    let [id, which, active, guard, set, destination] = entries(literal, "a transition", keys, mistakes)?;
    let span = id.span.clone();
    let id = match id.value {
        Value::Int(id) if id >= 0 => Some(id),
        _ => wrong(&id, "transition_id", "a number from 0 on, like 3", mistakes),
    };
    let which = match &which.value {
        Value::Text(text) if text.text() == "button" => Some(Which::Button),
        Value::Text(text) if text.text() == "editText" => Some(Which::Field),
        _ => wrong(&which, "type", "\"button\" or \"editText\"", mistakes),
    };
    // FATE keeps it and reads it nowhere.
    let active = match active.value {
        Value::Bool(_) => Some(()),
        _ => wrong(&active, "active", "True or False", mistakes),
    };
    let guard = optional(guard, "guard", mistakes);
    let set = optional(set, "set", mistakes);
    let destination = text(destination, "destination", mistakes)?;
    active?;
    let destination = (destination.text().to_string(), destination.span());
    Some(RawTransition { id: id?, span, which: which?, guard: guard?, set: set?, destination })
}

/// Returns the values of these keys of a dictionary. Each is there once, and no other.
fn entries<const N: usize>(
    literal: Literal,
    what: &str,
    keys: [&'static str; N],
    mistakes: &mut Diagnostics,
) -> Option<[Literal; N]> {
    let Value::Dict(entries) = literal.value else {
        return wrong(&literal, what, &format!("a dictionary with {}", quoted(&keys)), mistakes);
    };
    let mut found: [Option<Literal>; N] = std::array::from_fn(|_| None);
    let mut is_sound = true;
    for (key, value) in entries {
        match keys.iter().position(|known| *known == key.text()) {
            Some(at) if found[at].is_none() => found[at] = Some(value),
            at => {
                is_sound = false;
                mistakes.error(|| unknown_key(&key, at.is_some(), what, &keys));
            }
        }
    }
    let missing: Vec<&str> =
        keys.iter().zip(&found).filter(|(_, value)| value.is_none()).map(|(key, _)| *key).collect();
    if !missing.is_empty() {
        // The bracket alone: the dictionary may have many lines.
        let place = literal.span.start..literal.span.start + 1;
        let message = format!("{what} has no {}", quoted(&missing));
        mistakes.error(|| {
            Diagnostic::error("E-missing", place, message).help(format!("{what} has {}", quoted(&keys)))
        });
        return None;
    }
    let values =
        found.map(|value| value.unwrap_or(Literal { value: Value::None, span: literal.span.clone() }));
    is_sound.then_some(values)
}

fn unknown_key(key: &Quoted, is_known: bool, what: &str, keys: &[&str]) -> Diagnostic {
    if is_known {
        return Diagnostic::error(
            "E-duplicate",
            key.span(),
            format!("`{}` is there already", clip(key.text())),
        )
        .help("leave one out");
    }
    let near = nearest(key.text(), keys.iter().copied());
    Diagnostic::error("E-key", key.span(), format!("{what} has no `{}`", clip(key.text())))
        .help(near.map_or_else(|| format!("{what} has {}", quoted(keys)), meant))
}

fn quoted(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("\"{key}\"")).collect::<Vec<_>>().join(", ")
}

fn wrong<T>(literal: &Literal, what: &str, wanted: &str, mistakes: &mut Diagnostics) -> Option<T> {
    let span: Span = match literal.value {
        Value::Dict(_) | Value::List(_) => literal.span.start..literal.span.start + 1,
        _ => literal.span.clone(),
    };
    let message = format!("{} stands where {what} is needed", literal.value.kind());
    mistakes.error(|| Diagnostic::error("E-value", span, message).help(format!("it is {wanted}")));
    None
}

fn list(literal: Literal, key: &str, mistakes: &mut Diagnostics) -> Vec<Literal> {
    match literal.value {
        Value::List(all) => all,
        _ => wrong(&literal, key, "a list: `[...]`", mistakes).unwrap_or_default(),
    }
}

fn text(literal: Literal, key: &str, mistakes: &mut Diagnostics) -> Option<Quoted> {
    match literal.value {
        Value::Text(text) => Some(text),
        _ => wrong(&literal, key, "a text in quotes", mistakes),
    }
}

/// Returns the text, `Some(None)` if there is none, and `None` after a mistake.
fn optional(literal: Literal, key: &str, mistakes: &mut Diagnostics) -> Option<Option<Quoted>> {
    match literal.value {
        Value::None => Some(None),
        Value::Text(text) => Some(Some(text).filter(|text| !text.text().trim().is_empty())),
        _ => wrong(&literal, key, "a text in quotes, or None", mistakes),
    }
}

/// Returns the names that come more than once.
pub(super) fn repeated<'a>(names: impl Iterator<Item = &'a Quoted>) -> Vec<&'a Quoted> {
    let mut seen = BTreeSet::new();
    names.filter(|name| !seen.insert(name.text().to_string())).collect()
}
