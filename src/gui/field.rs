//! Fields of forms: the texts that fit them best, by what a field is called.
//!
//! A guess like a [hint](super::hint): names may be missing or in another language.

use std::sync::Arc;

use super::hint::words;
use super::offer::BUILTIN_TEXTS;
use super::screen::{Flags, Widget};
use crate::sorted;

/// Kind of text that a field asks for by its words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Address,
    Number,
    Sentence,
    Other,
}

/// Words of fields, each with the kind of text that they ask for.
const KINDS: [(Kind, &[&str]); 3] = [
    (Kind::Address, &["mail", "email"]),
    (
        Kind::Number,
        &[
            "age", "amount", "cents", "code", "count", "day", "height", "hour", "minutes", "month", "number",
            "phone", "pin", "price", "quantity", "size", "sum", "tel", "total", "weight", "year", "zip",
        ],
    ),
    (
        Kind::Sentence,
        &["body", "comment", "complaint", "content", "description", "feedback", "message", "note", "review"],
    ),
];

/// Returns the places of `texts` by how well they fit `field`, the best first: the `samples` that its page gives for it come before
/// all others.
pub fn by_fit(field: &Widget, samples: &[&Arc<str>], texts: &[Arc<str>]) -> Vec<usize> {
    let kind = kind(field);
    // Texts of the formula and of the user come first in a repertoire; plain ones of farlead's own take turns with them.
    let (mut own, mut others) = (0, 0);
    let keys: Vec<(u8, usize, bool)> = texts
        .iter()
        .map(|text| {
            if let Some(place) = samples.iter().position(|sample| *sample == text) {
                return (0, place, false);
            }
            let turn = if is_own(text) { &mut own } else { &mut others };
            *turn += 1;
            (misfit(kind, text), samples.len() + *turn, !is_own(text))
        })
        .collect();
    let mut places: Vec<usize> = (0..texts.len()).collect();
    sorted::by_key(&mut places, |&at| keys[at]);
    places
}

/// Returns the degree by which `texts` do not fit `field`, each; those of the same degree fit as well. The `samples` of its page fit.
pub fn misfits(field: &Widget, samples: &[&Arc<str>], texts: &[Arc<str>]) -> Vec<u8> {
    let kind = kind(field);
    texts.iter().map(|text| if samples.contains(&text) { 0 } else { misfit(kind, text) }).collect()
}

fn misfit(kind: Kind, text: &str) -> u8 {
    match kind_of(text) {
        None => 3,
        Some(of_text) if of_text == kind => 0,
        Some(Kind::Other) => 1,
        Some(_) if !is_own(text) => 1,
        Some(_) => 2,
    }
}

fn is_own(text: &str) -> bool {
    BUILTIN_TEXTS.contains(&text)
}

fn kind(field: &Widget) -> Kind {
    let names = [&*field.text, &*field.desc, field.id_entry()];
    let called: Vec<String> = names.iter().flat_map(|name| words(name)).collect();
    let asks = |(_, words): &&(Kind, &[&str])| called.iter().any(|word| words.contains(&&**word));
    let is_secret = field.flags.has(Flags::PASSWORD);
    match KINDS.iter().find(asks) {
        Some(&(kind, _)) if !is_secret => kind,
        Some(_) | None => Kind::Other,
    }
}

/// Returns the kind of a text; none if it is empty.
fn kind_of(text: &str) -> Option<Kind> {
    if text.is_empty() {
        None
    } else if text.contains('@') && !text.contains(' ') {
        Some(Kind::Address)
    } else if text.parse::<f64>().is_ok() {
        Some(Kind::Number)
    } else if text.split(' ').count() > 2 {
        Some(Kind::Sentence)
    } else {
        Some(Kind::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_gets_the_texts_of_its_kind_first_and_the_empty_one_last() {
        let texts: Vec<Arc<str>> = ["anna"].into_iter().chain(BUILTIN_TEXTS).map(Arc::from).collect();
        let best = |called: &str| {
            let field = Widget { text: called.into(), ..Widget::default() };
            let order = by_fit(&field, &[], &texts);
            assert_eq!(order.last(), Some(&4), "{called}");
            let mut all = order.clone();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..texts.len()), "each once");
            texts[order[0]].to_string()
        };
        assert_eq!(best("E-mail"), "name@example.com");
        assert_eq!(best("Your age"), "42");
        assert_eq!(best("Message"), "a few words, and 1 more");
        assert_eq!(best("Name"), "abc");
        let name = Widget { text: "Name".into(), ..Widget::default() };
        assert_eq!(by_fit(&name, &[], &texts)[..2], [1, 0], "farlead's own and the spec's take turns");
    }
}
