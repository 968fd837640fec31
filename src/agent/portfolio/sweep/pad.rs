//! Pads: keys that show at most how often they were pressed, and that open something in a certain order.
//!
//! Words of the keys are tried one after the other, each followed by the buttons that may take it in. A pad that takes in a
//! word by itself does so at its last key, so words of one length follow each other without a gap.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};

use super::map::{EventId, PageId};
use crate::gui::Flags;
use crate::rng::Rng;
use crate::situation::Scene;

/// Fewest and most keys of a pad.
const KEYS_MIN: usize = 3;
const KEYS_MAX: usize = 10;
/// Lengths of words in the order in which they are tried: most codes have three places or more, and longer ones take more tries
/// than an app is given.
const LENGTHS: [u32; 3] = [3, 4, 2];
/// Most words that are tried.
const WORDS_MAX: u64 = 1_500;
/// Most different answers of all keys, without marks: none, and a refusal.
const ANSWERS_MAX: usize = 2;
/// Characters that stand for a key that was pressed.
const MARKS: [char; 7] = ['*', '\u{2022}', '\u{25cf}', '\u{25cb}', '\u{b7}', '_', '-'];

/// Answer to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// Texts, if any, other than marks and its name; the number stands for them.
    Other(u64),
    /// A row of marks.
    Mark,
    /// Its name.
    Name,
}

/// Returns the answer to a click.
pub fn echo(from: &Scene, at: u16, to: &Scene) -> Echo {
    let texts = |scene: &Scene| {
        let widgets = scene.widgets().iter();
        let is_said = |flags: &Flags| !flags.has(Flags::EDITABLE) && !flags.has(Flags::CLICKABLE);
        let said = widgets.filter(|widget| widget.is_visible() && is_said(&widget.flags));
        said.map(|widget| widget.text.clone()).collect::<Vec<_>>()
    };
    // A set, as each step asks, and a screen may have thousands of texts.
    let before: FxHashSet<_> = texts(from).into_iter().collect();
    let said: Vec<_> =
        texts(to).into_iter().filter(|text| !text.is_empty() && !before.contains(text)).collect();
    let names = from.actions[usize::from(at)].target().map(|on| on.names()).unwrap_or_default();
    let is_name = |text: &str| names.iter().any(|name| !name.is_empty() && text.contains(name));
    let is_mark = |text: &str| text.chars().all(|char| char == ' ' || MARKS.contains(&char));
    if said.iter().any(|text| is_name(text)) {
        return Echo::Name;
    }
    if said.iter().any(|text| is_mark(text)) {
        return Echo::Mark;
    }
    let mut hasher = FxHasher::default();
    said.hash(&mut hasher);
    Echo::Other(hasher.finish())
}

/// Returns true if one of the names of a button is a single letter or digit.
fn is_single(names: &[&str]) -> bool {
    let is_it = |name: &&str| {
        let mut chars = name.chars();
        chars.next().is_some_and(char::is_alphanumeric) && chars.next().is_none()
    };
    names.iter().any(is_it)
}

/// Answers of a button, as far as it may be a key.
#[derive(Clone, Debug, Default)]
pub struct Key {
    /// True if one of its names is a single letter or digit.
    is_single: bool,
    has_marked: bool,
    has_said_name: bool,
    others: Vec<u64>,
}

impl Key {
    /// Returns a button with these names that was never clicked.
    pub fn new(names: &[&str]) -> Key {
        Key { is_single: is_single(names), ..Key::default() }
    }

    /// Takes in an answer.
    pub fn hear(&mut self, echo: Echo) {
        match echo {
            Echo::Mark => self.has_marked = true,
            Echo::Name => self.has_said_name = true,
            Echo::Other(number) if !self.others.contains(&number) && self.others.len() <= ANSWERS_MAX => {
                self.others.push(number);
            }
            Echo::Other(_) => {}
        }
    }

    fn may_be(&self) -> bool {
        (self.is_single || self.has_marked) && !self.has_said_name
    }
}

/// Returns the events that are keys of a pad, of those with these answers; none if they are none.
pub fn keys<'a>(events: impl Iterator<Item = (EventId, &'a Key)>) -> Vec<EventId> {
    let (mut keys, mut answers) = (Vec::new(), Vec::new());
    for (event, key) in events.filter(|(_, key)| key.may_be()) {
        keys.push(event);
        answers.extend(key.others.iter().copied());
    }
    answers.sort_unstable();
    answers.dedup();
    let is_pad = (KEYS_MIN..=KEYS_MAX).contains(&keys.len()) && answers.len() <= ANSWERS_MAX;
    if is_pad { keys } else { Vec::new() }
}

/// Words that were tried on the keys of a page.
#[derive(Clone, Debug, Default)]
pub struct Pad {
    keys: Vec<EventId>,
    /// The keys in the order in which they take part in words.
    order: Vec<EventId>,
    /// Number of the next word.
    next: u64,
    /// Clicks that have led on, and the page that they led to.
    pub accepted: Option<(Vec<EventId>, PageId)>,
}

impl Pad {
    /// Sets the keys; words begin anew if there are others than before.
    pub fn set_keys(&mut self, keys: Vec<EventId>) {
        if self.keys != keys {
            (self.next, self.order) = (0, keys.clone());
            self.keys = keys;
        }
    }

    /// Returns the next word of `keys`; none if all were tried.
    pub fn word(&self, keys: &[EventId]) -> Option<Vec<EventId>> {
        // A page that was not looked at lately may have others.
        let (order, next) = if self.keys == keys { (&self.order[..], self.next) } else { (keys, 0) };
        let number = order.len() as u64;
        if number == 0 || next >= WORDS_MAX {
            return None;
        }
        let mut left = next;
        for length in LENGTHS {
            let words = number.pow(length);
            if left < words {
                let digit = |place: u32| order[(left / number.pow(place) % number) as usize];
                return Some((0..length).rev().map(digit).collect());
            }
            left -= words;
        }
        None
    }

    /// Notes that the next word was refused.
    pub fn refuse(&mut self) {
        self.next += 1;
    }

    /// Puts the keys into an order of chance, before the first word.
    pub fn shuffle(&mut self, rng: &mut Rng) {
        if self.next == 0 {
            rng.shuffle(&mut self.order);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_tried_once_and_those_of_three_keys_first() {
        let mut pad = Pad::default();
        let keys = vec![4, 6, 9];
        pad.set_keys(keys.clone());
        let mut words = Vec::new();
        while let Some(word) = pad.word(&keys) {
            words.push(word);
            pad.refuse();
        }
        assert_eq!(words.len(), 27 + 81 + 9);
        assert!(words[..27].iter().all(|word| word.len() == 3));
        assert_eq!(words.iter().collect::<FxHashSet<_>>().len(), words.len());
    }

    #[test]
    fn keys_say_nothing_or_the_same() {
        let key = |is_single, echoes: &[Echo]| {
            let mut key = Key { is_single, ..Key::default() };
            echoes.iter().for_each(|&echo| key.hear(echo));
            key
        };
        let found = |all: &[Key]| keys((0..).zip(all)).len();
        let (silent, marked) = (key(true, &[Echo::Other(0)]), key(false, &[Echo::Mark, Echo::Other(5)]));
        assert_eq!(found(&vec![silent.clone(); 4]), 4);
        assert_eq!(found(&vec![marked; 3]), 3, "marks are enough");
        assert_eq!(found(&vec![key(false, &[Echo::Other(0)]); 4]), 0, "any buttons");
        assert_eq!(found(&vec![key(true, &[Echo::Name]); 4]), 0, "a calculator");
        let walks = [1, 2, 3].map(|place| key(true, &[Echo::Other(place)]));
        assert_eq!(found(&walks), 0, "each says something else");
        assert_eq!(found(&[silent.clone(), silent]), 0, "two are no pad");
    }
}
