//! Codes: words that an app shows in one place and asks for in another, such as an invitation or a first password.
//!
//! A guess like a [hint](super::hint): what a code looks like differs from app to app.

use super::hint::words;
use super::screen::{Flags, Screen};

/// Least and most letters of a code.
const LETTERS_MIN: usize = 4;
const LETTERS_MAX: usize = 40;
/// Least digits of a code that nothing else tells: one digit is a version or a number of things, as in *GPLv3*.
const DIGITS_MIN: usize = 2;

/// Words that announce a code of any letters.
const ANNOUNCING: [&str; 10] =
    ["account", "code", "coupon", "key", "password", "pin", "token", "user", "username", "voucher"];

/// Calls `each` with the codes that the visible texts of a screen show.
///
/// A code is a word with digits, an address, a text in quotes, or the word after a colon or after *is* where the text
/// speaks of a code. Fields and buttons show none: they show what is typed, and what a click does.
pub fn for_each_code(screen: &Screen, each: &mut dyn FnMut(&str)) {
    let passive = screen.widgets().iter().filter(|widget| {
        widget.is_visible() && !widget.flags.has(Flags::EDITABLE) && !widget.flags.has(Flags::CLICKABLE)
    });
    for text in passive.flat_map(|widget| [&*widget.text, &*widget.desc]).filter(|text| !text.is_empty()) {
        for_each_in(text, each);
    }
}

fn for_each_in(text: &str, each: &mut dyn FnMut(&str)) {
    let mut offer = |word: &str| {
        let letters = word.chars().count();
        if (LETTERS_MIN..=LETTERS_MAX).contains(&letters) {
            each(word);
        }
    };
    for (open, close) in [('"', '"'), ('\u{201c}', '\u{201d}'), ('\u{201e}', '\u{201c}')] {
        let quoted = text.split_once(open).and_then(|(_, rest)| rest.split_once(close));
        if let Some((quoted, _)) = quoted {
            offer(quoted);
        }
    }
    let is_announced = || words(text).iter().any(|word| ANNOUNCING.contains(&&**word));
    let mut is_next = false;
    for raw in text.split_whitespace() {
        let word = raw.trim_matches(|char: char| !char.is_alphanumeric());
        if is_address(word) || is_numbered(word) || (is_next && is_announced()) {
            offer(word);
        }
        is_next = raw.ends_with(':') || raw.eq_ignore_ascii_case("is");
    }
}

fn is_address(word: &str) -> bool {
    word.split_once('@').is_some_and(|(who, at)| !who.is_empty() && at.contains('.'))
}

/// Returns true for a word with digits that is no time, date, price or share.
fn is_numbered(word: &str) -> bool {
    let is_plain = |char: char| char.is_alphanumeric() || char == '-';
    let is_date = word.split('-').filter(|part| part.parse::<u32>().is_ok()).count() > 2;
    word.chars().filter(char::is_ascii_digit).count() >= DIGITS_MIN && word.chars().all(is_plain) && !is_date
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Bounds, Context, Widget};

    fn codes(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for_each_in(text, &mut |code| found.push(code.to_string()));
        found
    }

    #[test]
    fn codes_are_told_from_other_words() {
        for (text, code) in [
            ("Your code: K7Q2", "K7Q2"),
            ("Invitation 481516", "481516"),
            ("Send it to ann@example.com.", "ann@example.com"),
            ("Type \"open sesame\" at the door", "open sesame"),
            ("The password is sesame!", "sesame"),
            ("Coupon: SPRING", "SPRING"),
        ] {
            assert_eq!(codes(text), [code], "{text}");
        }
        for text in [
            "",
            "3 notes",
            "GPLv3",
            "12:30",
            "9.99",
            "2026-11-23",
            "Total: none",
            "Password is",
            "100%",
            "\"",
            ": x",
        ] {
            assert_eq!(codes(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn fields_and_buttons_show_no_codes() {
        let shown = |flags: &[Flags]| {
            let flags = flags.iter().fold(Flags::default(), |all, &flag| all.set(flag, true));
            let bounds = Bounds { left: 0, top: 0, right: 9, bottom: 9 };
            let widget = Widget { text: "K7Q2".into(), bounds, flags, ..Widget::default() };
            let mut found = 0;
            for_each_code(&Screen::new("p", "p.A", Context::default(), vec![widget]), &mut |_| found += 1);
            found
        };
        assert_eq!((shown(&[]), shown(&[Flags::EDITABLE]), shown(&[Flags::CLICKABLE])), (1, 0, 0));
    }
}
