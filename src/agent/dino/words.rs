//! Words of events, and their vectors: a pure function of the word, so that nothing has to be trained or loaded before.
//!
//! A vector is the sum of random ones, by a hash each, for the word and its parts of three to five letters: *note* and
//! *notes* are alike. Words of the same concept have another one in common: *OK*, *yes* and *confirm* are alike too.

use std::sync::Arc;

use super::net::WORDS;
use crate::gui;
use crate::recent::Recent;

/// Most letters of a word.
const LETTERS_MAX: usize = 16;

/// Most letters of a text that are read.
const TEXT_MAX: usize = 200;

/// Words whose vectors are kept in each half of their table: 6 MB where each has 400 numbers.
const VECTORS_HALF: usize = 2_000;

/// Root of the mean square of a vector's numbers: that of numbers drawn from -0.25 to 0.25, as unknown words have them.
const ROOT_MEAN_SQUARE: f32 = 0.144;

/// Concepts of user interfaces, each with words for it. Endings of words are left out.
const CONCEPTS: [&[&str]; 26] = [
    &["ok", "okay", "yes", "confirm", "accept", "agree", "apply", "done", "allow", "sure"],
    &["cancel", "no", "dismiss", "deny", "decline", "reject", "abort", "never", "disagree"],
    &["back", "previous", "return", "up", "prev"],
    &["next", "continue", "forward", "proceed", "go", "skip", "later"],
    &["exit", "quit", "close", "leave", "finish", "end"],
    &["save", "store", "keep", "submit", "commit"],
    &["delete", "remove", "clear", "erase", "discard", "trash", "bin", "uninstall"],
    &["add", "new", "create", "insert", "plus", "compose", "write"],
    &["edit", "change", "modify", "rename", "update"],
    &["settings", "preferences", "options", "configure", "config", "setup", "prefs"],
    &["about", "info", "information", "details", "version", "licence", "license", "credits"],
    &["help", "support", "faq", "guide", "tutorial", "manual", "hint", "tips"],
    &["search", "find", "query", "lookup", "filter"],
    &["share", "send", "export", "email", "mail", "forward"],
    &["import", "load", "open", "upload", "browse", "file", "folder", "document"],
    &["login", "signin", "logon", "account", "user", "profile", "register", "signup", "username"],
    &["logout", "signout", "logoff"],
    &["password", "pin", "passcode", "code", "secret", "unlock"],
    &["play", "start", "begin", "run", "resume", "launch"],
    &["stop", "pause", "halt"],
    &["undo", "redo", "reset", "restore", "revert", "restart", "refresh", "reload", "retry", "sync"],
    &["list", "all", "items", "overview", "index", "contents", "category", "categories"],
    &["sort", "order", "arrange", "group"],
    &["menu", "more", "overflow", "navigate", "drawer"],
    &["home", "main", "dashboard", "welcome"],
    &["buy", "cart", "checkout", "order", "pay", "price", "basket", "shop", "purchase"],
];

/// Word of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Number that another word hardly has.
    pub hash: u64,
    letters: Box<str>,
}

/// Words of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Number that other words hardly have.
    pub hash: u64,
    /// The words, in order.
    pub words: Box<[Word]>,
}

impl Text {
    /// Returns the first words of a text on a screen: signs that end sentences are words, too.
    pub fn of_text(text: &str) -> Text {
        let mut words: Vec<String> = Vec::new();
        let mut is_open = false;
        for letter in text.chars().take(TEXT_MAX) {
            let is_part = letter.is_alphanumeric() || letter == '_' || letter == '\'';
            if is_part && !is_open || matches!(letter, '.' | ',' | '!' | '?' | ';') {
                words.push(String::new());
            }
            if is_part || matches!(letter, '.' | ',' | '!' | '?' | ';') {
                words.last_mut().expect("one was pushed").extend(letter.to_lowercase());
            }
            is_open = is_part;
        }
        Text::new(words)
    }

    /// Returns the first words of a name in code, which ends words at signs and capitals.
    pub fn of_name(name: &str) -> Text {
        Text::new(gui::words(name.chars().take(TEXT_MAX), char::is_lowercase))
    }

    fn new(words: Vec<String>) -> Text {
        let word = |word: String| {
            let letters: String = word.chars().take(LETTERS_MAX).collect();
            Word { hash: hash(letters.bytes()), letters: letters.into() }
        };
        let words: Box<[Word]> = words.into_iter().take(WORDS).map(word).collect();
        Text { hash: hash(words.iter().flat_map(|word| word.hash.to_le_bytes())), words }
    }

    /// Returns true if it has no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Returns the FNV-1a hash of some bytes.
pub fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Vectors of words, each worked out when it is asked for.
#[derive(Clone, Debug)]
pub struct Vectors {
    /// Numbers of a vector.
    width: usize,
    known: Recent<u64, Arc<[f32]>>,
}

impl Vectors {
    /// Returns vectors of `width` numbers.
    pub fn new(width: usize) -> Vectors {
        Vectors { width, known: Recent::new(VECTORS_HALF) }
    }

    /// Returns the vector of a word.
    pub fn of(&mut self, word: &Word) -> Arc<[f32]> {
        let Vectors { width, known } = self;
        known.get_or_insert_with(word.hash, || vector(&word.letters, *width).into(), drop).clone()
    }
}

/// Returns the vector of a word.
fn vector(word: &str, width: usize) -> Vec<f32> {
    let marked: Vec<char> = std::iter::once('<').chain(word.chars()).chain(['>']).collect();
    let mut sum = vec![0.0; width];
    let mut add = |letters: &[char]| add_random(letters, &mut sum);
    add(&marked);
    for length in 3..=5.min(marked.len() - 1) {
        marked.windows(length).for_each(&mut add);
    }
    normalise(&mut sum);
    if let Some(concept) = concept(word) {
        let mut other = vec![0.0; width];
        add_random(&['=', char::from(b'a' + concept as u8)], &mut other);
        normalise(&mut other);
        sum.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
        normalise(&mut sum);
    }
    let length = ROOT_MEAN_SQUARE * (width as f32).sqrt();
    sum.iter_mut().for_each(|number| *number *= length);
    sum
}

/// Adds the random vector of some letters to `sum`.
fn add_random(letters: &[char], sum: &mut [f32]) {
    let mut state = hash(letters.iter().flat_map(|&letter| u32::from(letter).to_le_bytes()));
    for number in sum {
        // Steele and others' SplitMix64: each state gives 64 bits on its own.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        *number += (bits >> 40) as f32 / 8_388_608.0 - 1.0;
    }
}

/// Gives a vector the length one, if it has any.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
}

/// Returns the number of the concept that a word stands for.
fn concept(word: &str) -> Option<usize> {
    let of = |word: &str| CONCEPTS.iter().position(|words| words.contains(&word));
    let endings = ["s", "ed", "d", "ing", "es"];
    let stems = endings.iter().filter_map(|ending| word.strip_suffix(ending)).filter(|stem| stem.len() > 2);
    of(word).or_else(|| stems.into_iter().find_map(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &Text) -> Vec<&str> {
        text.words.iter().map(|word| &*word.letters).collect()
    }

    #[test]
    fn words_are_those_of_the_original() {
        assert_eq!(
            words(&Text::of_text("Don't save? (No, never_mind)")),
            ["don't", "save", "?", "no", ",", "never_mind"]
        );
        assert_eq!(words(&Text::of_text("a...b")), ["a", ".", ".", ".", "b"]);
        assert_eq!(words(&Text::of_name("btn_saveAs2")), ["btn", "save", "as2"]);
        assert!(Text::of_text(" - ").is_empty());
        assert_eq!(words(&Text::of_text("a b c d e f g h")).len(), WORDS);
        assert_eq!(words(&Text::of_text(&"x".repeat(1_000)))[0].len(), LETTERS_MAX);
    }

    fn likeness(one: &str, other: &str, width: usize) -> f32 {
        let [one, other] = [one, other].map(|word| {
            let mut vector = vector(word, width);
            normalise(&mut vector);
            vector
        });
        one.iter().zip(&other).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn inflections_and_words_of_a_concept_are_alike_and_others_are_not() {
        for width in [64, 400] {
            for (one, other) in [
                ("note", "notes"),
                ("setting", "settings"),
                ("ok", "yes"),
                ("delete", "clear"),
                ("save", "saved"),
            ] {
                assert!(likeness(one, other, width) > 0.35, "{one} {other}: {}", likeness(one, other, width));
            }
            for (one, other) in [("delete", "save"), ("cart", "login"), ("ok", "back"), ("x", "y")] {
                assert!(
                    likeness(one, other, width).abs() < 0.35,
                    "{one} {other}: {}",
                    likeness(one, other, width)
                );
            }
        }
    }

    #[test]
    fn vectors_are_a_pure_function_of_the_word() {
        let mut vectors = Vectors::new(64);
        let mut of = |text: &str| -> Vec<Arc<[f32]>> {
            Text::of_text(text).words.iter().map(|word| vectors.of(word)).collect()
        };
        let first = of("Save as");
        (0..3 * VECTORS_HALF).for_each(|nth| drop(of(&nth.to_string())));
        assert_eq!(of("save AS"), first);
        let others = of("\u{10ffff} ü");
        assert!(vectors.known.values().count() <= 2 * VECTORS_HALF);
        for word in first.iter().chain(&others) {
            let square = word.iter().map(|number| number * number).sum::<f32>() / word.len() as f32;
            assert!((square.sqrt() - ROOT_MEAN_SQUARE).abs() < 1e-3, "{square}");
        }
    }
}
