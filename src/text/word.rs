//! Words, texts in quotes and times, as all grammars here have them.

use super::Span;

/// Returns true if a name or a word of a language may go on with `char`.
pub(crate) fn is_word_char(char: char) -> bool {
    char == '_' || char.is_alphanumeric()
}

/// Returns the word that `text` starts with, empty if there is none.
pub(crate) fn first_word(text: &str) -> &str {
    &text[..text.find(|char| !is_word_char(char)).unwrap_or(text.len())]
}

/// Returns the word that `text` ends with, empty if there is none.
pub(crate) fn last_word(text: &str) -> &str {
    &text[text.trim_end_matches(is_word_char).len()..]
}

/// Returns the bytes of the word that starts at `at`.
pub(crate) fn word_at(text: &str, at: usize) -> Span {
    at..at + first_word(&text[at..]).len()
}

/// Returns the words of `text`, whatever stands between them.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char| !is_word_char(char)).filter(|word| !word.is_empty())
}

/// Returns what `written`, which is in quotes as a grammar has it, stands for, or the first escape in it that stands for no
/// character.
pub(crate) fn unquote(written: &str) -> Result<String, String> {
    // The quotes at both ends have one byte each.
    let inner = &written[1..written.len() - 1];
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        // The grammar has checked the form of every escape.
        let len = match rest.as_bytes()[at + 1] {
            b'u' => rest[at..].find('}').expect("the grammar has closed it") + 1,
            _ => 2,
        };
        let (escape, after) = rest[at..].split_at(len);
        text.push(unescape(escape).ok_or_else(|| escape.to_string())?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

/// Returns the character that `escape` stands for, if it stands for one.
pub(crate) fn unescape(escape: &str) -> Option<char> {
    match escape.as_bytes()[1] {
        b'n' => Some('\n'),
        // Half of a surrogate pair has a number and is no character.
        b'u' => char::from_u32(u32::from_str_radix(&escape[3..escape.len() - 1], 16).ok()?),
        // Every other escape stands for its own sign.
        same => Some(char::from(same)),
    }
}

/// Splits a time like `300ms` or `2s` into its number and the milliseconds of its unit, if there is that unit.
pub(crate) fn time_unit(written: &str) -> Option<(&str, u64)> {
    let digits = written.len() - written.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    match written.split_at(digits) {
        (number, "ms") => Some((number, 1)),
        (number, "s") => Some((number, 1000)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_at_both_ends_of_a_text() {
        for (text, first, last) in [
            ("größe_2 = b", "größe_2", "b"),
            ("(a", "", "a"),
            ("a日", "a日", "a日"),
            ("→", "", ""),
            ("", "", ""),
        ] {
            assert_eq!((first_word(text), last_word(text)), (first, last), "{text}");
        }
        assert_eq!(words("let a,\n b-c").collect::<Vec<_>>(), ["let", "a", "b", "c"]);
        assert_eq!(word_at("let a", 4), 4..5);
    }

    #[test]
    fn a_text_in_quotes_stands_for_its_characters() {
        assert_eq!(unquote(r#""a\n\\\"\u{e9}""#).as_deref(), Ok("a\n\\\"é"));
        assert_eq!(unquote(r#""a\u{d800}b""#), Err(r"\u{d800}".to_string()));
    }

    #[test]
    fn a_time_has_a_known_unit() {
        for (written, expected) in [
            ("300ms", Some(("300", 1))),
            ("2s", Some(("2", 1000))),
            ("s", Some(("", 1000))),
            ("3", None),
            ("3min", None),
        ] {
            assert_eq!(time_unit(written), expected, "{written}");
        }
    }
}
