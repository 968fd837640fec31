//! Constants: the right sides of comparisons in atoms.

use std::fmt;
use std::ops::Range;

use super::term::{self, Term};

/// Right side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constant {
    /// `true` or `false`.
    Flag(bool),
    /// A text; for keys with a few known words, one of them.
    Text(String),
    /// The inside of `/.../`, without escapes of the slash.
    Regex(String),
    /// A number, for `<`, `<=`, `>` and `>=`.
    Number(Number),
    /// A value that is read from the step.
    Term(Term),
}

/// A decimal number, kept exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number {
    billionths: i128,
}

impl Number {
    const ONE: i128 = 1_000_000_000;

    /// Returns the number written `text`, with at most 15 digits before the point and 9 after it.
    pub fn parse(text: &str) -> Option<Number> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        // With these bounds every number fits 128 bits, and none is rounded.
        let is_digits = |text: &str, max: usize| {
            (1..=max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !is_digits(whole, 15) || !is_digits(fraction, 9) {
            return None;
        }
        let whole: i128 = whole.parse().ok()?;
        let fraction: i128 = format!("{fraction:0<9}").parse().ok()?;
        let size = whole * Number::ONE + fraction;
        Some(Number { billionths: if negative { -size } else { size } })
    }
}

impl Number {
    /// Returns the first number in `text`: digits, with a minus sign in front of them that stands alone, and with a point
    /// that has digits behind it.
    pub fn first_in(text: &str) -> Option<Number> {
        let digits = Digits::first_in(text, &['.'])?;
        let number = Number::parse(&text[digits.range])?;
        Some(if digits.is_negative { Number { billionths: -number.billionths } } else { number })
    }

    /// Returns the sum of both.
    pub fn plus(self, other: Number) -> Number {
        Number { billionths: self.billionths.saturating_add(other.billionths) }
    }

    /// Returns the difference of both.
    pub fn minus(self, other: Number) -> Number {
        Number { billionths: self.billionths.saturating_sub(other.billionths) }
    }
}

/// Digits of a number in a text.
pub(super) struct Digits {
    /// Place of the digits, with the point and without the sign.
    pub range: Range<usize>,
    /// Digits after the point.
    pub places: usize,
    /// True if a minus sign that stands alone is in front of them.
    pub is_negative: bool,
}

impl Digits {
    /// Returns the first digits in `text`, with one of `points` if it has digits behind it.
    pub fn first_in(text: &str, points: &[char]) -> Option<Digits> {
        let start = text.find(|char: char| char.is_ascii_digit())?;
        let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let whole = start + digits(&text[start..]);
        let places = text[whole..].strip_prefix(points).map_or(0, digits);
        let end = if places > 0 { whole + 1 + places } else { whole };
        // `7-5` and `A-5` have a dash in them, and `-5` a sign.
        let before = text[..start].strip_suffix('-');
        let is_negative = before.is_some_and(|before| !before.ends_with(char::is_alphanumeric));
        Some(Digits { range: start..end, places, is_negative })
    }
}

impl From<u64> for Number {
    fn from(whole: u64) -> Number {
        Number { billionths: i128::from(whole) * Number::ONE }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A division loses the sign of -0.5, so it is written apart.
        let sign = if self.billionths < 0 { "-" } else { "" };
        let size = self.billionths.abs();
        write!(out, "{sign}{}", size / Number::ONE)?;
        match size % Number::ONE {
            0 => Ok(()),
            fraction => write!(out, ".{}", format!("{fraction:09}").trim_end_matches('0')),
        }
    }
}

/// Returns the regular expression `text`; refuses one that is broken or grows too large.
///
/// Every `~ /regex/` is made here, so that a spec accepts only expressions that can be matched.
pub fn regex(text: &str) -> Result<regex::Regex, regex::Error> {
    // Room for a hundred classes of letters of any script, which take the most; a screen's text needs less.
    const SIZE_MAX: usize = 1 << 20;
    // Nesting is bounded too, because an expression may be walked by recursion.
    regex::RegexBuilder::new(text).size_limit(SIZE_MAX).nest_limit(50).build()
}

impl Constant {
    /// Returns the term, if the value is read from the step.
    pub fn term(&self) -> Option<&Term> {
        match self {
            Constant::Term(term) => Some(term),
            Constant::Flag(_) | Constant::Text(_) | Constant::Regex(_) | Constant::Number(_) => None,
        }
    }

    /// Returns the one text that the value is, if it is a term that reads nothing and has one value.
    pub(super) fn known_text(&self) -> Option<&str> {
        match self {
            Constant::Term(Term::Values(Some(values))) => match &values[..] {
                [one] => Some(one),
                _ => None,
            },
            Constant::Flag(_)
            | Constant::Text(_)
            | Constant::Regex(_)
            | Constant::Number(_)
            | Constant::Term(_) => None,
        }
    }

    /// Writes the value so that it reads back the same, after `~` if `contains` is true and else after another operator.
    ///
    /// The alternate form (`{:#}`) is that within the braces of a term.
    pub(super) fn write(&self, out: &mut fmt::Formatter<'_>, contains: bool) -> fmt::Result {
        match self {
            Constant::Flag(flag) => write!(out, "{flag}"),
            Constant::Number(number) => write!(out, "{number}"),
            Constant::Text(text) if is_bare(text, contains, out.alternate()) => out.write_str(text),
            Constant::Text(text) => out.write_str(&quote_value(text)),
            Constant::Regex(text) => write!(out, "/{}/", escape_slashes(text)),
            Constant::Term(term) => term::write_value(term, out),
        }
    }
}

/// Returns true if `text` reads back the same without quotes, and no `[` in it could be misread.
fn is_bare(text: &str, contains: bool, is_in_braces: bool) -> bool {
    let starts_otherwise = text.starts_with("!=")
        || text.starts_with(|start| "\"=~<>∼≤≥≠".contains(start))
        || (contains && text.starts_with('/'));
    // A comma or a bracket would end the value.
    let ends_early = text.chars().any(|char| ",[])".contains(char) || needs_escape(char));
    // A brace ends the term; a quote or an expression, as in `~ /a/`, would hide its end.
    let ends_braces = is_in_braces && text.contains(['}', '"', '~']);
    let has_term = text.match_indices('{').any(|(at, _)| opens_term(text, at));
    !text.is_empty() && text.trim() == text && !starts_otherwise && !ends_early && !ends_braces && !has_term
}

/// Returns `text` in quotes, with the escapes of the language.
pub fn quote(text: &str) -> String {
    format!("\"{}\"", escaped(text, false))
}

/// Returns `text` in quotes, as the value of an atom.
pub fn quote_value(text: &str) -> String {
    format!("\"{}\"", escaped(text, true))
}

/// Returns `text` as it stands between quotes; in a value, a brace that would open a term is escaped too.
pub(super) fn escaped(text: &str, is_value: bool) -> String {
    let mut written = String::new();
    for (at, char) in text.char_indices() {
        match char {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '{' if is_value && opens_term(text, at) => written.push_str("\\{"),
            _ if needs_escape(char) => written.push_str(&format!("\\u{{{:x}}}", u32::from(char))),
            _ => written.push(char),
        }
    }
    written
}

/// Returns true if the brace at `at` opens a term; that of `${NAME}` opens the name of a variable of the environment.
pub(crate) fn opens_term(text: &str, at: usize) -> bool {
    let is_letter = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let rest = &text[at + 1..];
    let after = rest.trim_start_matches(is_letter);
    let is_name = after.starts_with('}')
        && after.len() < rest.len()
        && !rest.starts_with(|char: char| char.is_ascii_digit());
    !(text[..at].ends_with('$') && is_name)
}

/// Returns true for characters that are invisible on a page, or that turn the letters after them around.
pub(super) fn needs_escape(char: char) -> bool {
    char.is_control()
        || (char.is_whitespace() && char != ' ')
        || matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn escape_slashes(regex: &str) -> String {
    let mut escaped = String::new();
    let mut chars = regex.chars();
    while let Some(char) = chars.next() {
        match char {
            '/' => escaped.push_str("\\/"),
            // The character after a backslash belongs to it, even a slash.
            '\\' => {
                escaped.push(char);
                escaped.extend(chars.next());
            }
            _ => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_and_have_one_spelling() {
        for (text, expected) in [
            ("5", "5"),
            ("05.50", "5.5"),
            ("-0.25", "-0.25"),
            ("-0", "0"),
            ("999999999999999.999999999", "999999999999999.999999999"),
        ] {
            assert_eq!(Number::parse(text).expect(text).to_string(), expected);
        }
        for text in ["", "-", ".5", "5.", "1e3", "1234567890123456", "0.0000000001", "five", "+1", "١"] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_ordered_by_size() {
        let number = |text| Number::parse(text).expect(text);
        assert!(
            number("-1") < number("-0.5") && number("2") < number("10") && number("1.5") == number("1.50")
        );
    }

    #[test]
    fn a_regular_expression_of_any_size_is_answered_soon() {
        assert!(regex("a.*b").is_ok());
        assert!(regex("(").is_err());
        assert!(regex(r"\w{1000}").is_err());
        assert!(regex(&"(".repeat(10_000)).is_err());
    }
}
