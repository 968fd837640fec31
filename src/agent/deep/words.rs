//! Words as inputs: a word is the sum of its letters in threes and of itself, each by a hash.
//!
//! So *settings* and *setting* have most inputs in common, in any language, and nothing has to be trained before.

use super::rows::Range;
use crate::gui;
use crate::net::Entry;

/// Most words of a text that count, and most letters of a word.
const WORDS_MAX: usize = 6;
const LETTERS_MAX: usize = 16;

/// Most bytes of a text that are read.
const BYTES_MAX: usize = 200;

/// Returns the FNV-1a hash of some bytes.
pub fn hash(bytes: impl IntoIterator<Item = u8>) -> u32 {
    bytes.into_iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Returns the first words of a text, in small letters.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    let letters = text.char_indices().take_while(|(at, _)| *at < BYTES_MAX).map(|(_, letter)| letter);
    let words = gui::words(letters, char::is_lowercase).into_iter().take(WORDS_MAX);
    words.map(|word| word.chars().take(LETTERS_MAX).collect())
}

/// Appends the inputs of a word in a range: their squares sum to one.
pub fn push_word(word: &str, range: Range, entries: &mut Vec<Entry>) {
    let marked: Vec<char> = std::iter::once('<').chain(word.chars()).chain(['>']).collect();
    let start = entries.len();
    let mut push = |letters: &[char]| {
        let hash = hash(letters.iter().flat_map(|letter| u32::from(*letter).to_le_bytes()));
        // The sign keeps words that share an input by chance apart.
        let value = if hash >> 31 == 0 { 1.0 } else { -1.0 };
        entries.push(Entry { value, ..range.mark(hash) });
    };
    push(&marked);
    marked.windows(3).filter(|_| marked.len() > 3).for_each(&mut push);
    let length = ((entries.len() - start) as f32).sqrt();
    entries[start..].iter_mut().for_each(|entry| entry.value /= length);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        super::words(text).collect()
    }

    #[test]
    fn words_end_at_signs_and_at_capitals() {
        assert_eq!(words("Sign up, newItem_2"), ["sign", "up", "new", "item", "2"]);
        assert_eq!(words("ÄRGER über Ç"), ["ärger", "über", "ç"]);
        assert_eq!(words(" - "), Vec::<String>::new());
        assert_eq!(words("a b c d e f g h").len(), WORDS_MAX);
        assert_eq!(words(&"x".repeat(1_000))[0].len(), LETTERS_MAX);
    }

    fn likeness(one: &str, other: &str) -> f32 {
        let vector = |word: &str| {
            let (mut entries, mut vector) = (Vec::new(), vec![0.0; 512]);
            push_word(word, Range { first: 0, count: 512 }, &mut entries);
            entries.iter().for_each(|entry| vector[usize::from(entry.input)] += entry.value);
            vector
        };
        vector(one).iter().zip(vector(other)).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn inflections_are_alike_and_other_words_are_not() {
        for (one, other) in [("setting", "settings"), ("delete", "deleted"), ("note", "notes")] {
            assert!(likeness(one, other) > 0.4, "{one} {other}: {}", likeness(one, other));
        }
        for (one, other) in [("delete", "save"), ("cart", "login"), ("ok", "back"), ("1", "2")] {
            assert!(likeness(one, other).abs() < 0.3, "{one} {other}: {}", likeness(one, other));
        }
        assert!((likeness("save", "save") - 1.0).abs() < 0.2);
    }
}
