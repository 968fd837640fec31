//! Constants: the right sides of comparisons in atoms.

use std::fmt;

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
    /// Writes the value so that it reads back the same, after `~` if `contains` is true and else after another operator.
    pub(super) fn write(&self, out: &mut fmt::Formatter<'_>, contains: bool) -> fmt::Result {
        match self {
            Constant::Flag(flag) => write!(out, "{flag}"),
            Constant::Number(number) => write!(out, "{number}"),
            Constant::Text(text) if is_bare(text, contains) => out.write_str(text),
            Constant::Text(text) => out.write_str(&quote(text)),
            Constant::Regex(text) => write!(out, "/{}/", escape_slashes(text)),
        }
    }
}

/// Returns true if `text` reads back the same without quotes, and no `[` in it could be misread.
fn is_bare(text: &str, contains: bool) -> bool {
    let starts_otherwise = text.starts_with("!=")
        || text.starts_with(|start| "\"=~<>∼≤≥≠".contains(start))
        || (contains && text.starts_with('/'));
    // A comma or a bracket would end the value.
    let ends_early = text.chars().any(|char| ",[])".contains(char) || needs_escape(char));
    !text.is_empty() && text.trim() == text && !starts_otherwise && !ends_early
}

/// Returns `text` in quotes, with the escapes of the language.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            _ if needs_escape(char) => quoted.push_str(&format!("\\u{{{:x}}}", u32::from(char))),
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns true for characters that are invisible on a page, or that turn the letters after them around.
fn needs_escape(char: char) -> bool {
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
