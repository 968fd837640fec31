//! Texts and regular expressions of JavaScript, in which Playwright's tests are written.

use super::java::is_plain;
use super::page::{is_unseen, quoted_utf16};

/// Returns `text` as a string of JavaScript.
pub(super) fn quoted(text: &str) -> String {
    quoted_utf16(text, '\'', "'\\")
}

/// Returns the expression that matches where `regex` does, as a literal; none if it may mean something else, or nothing.
pub(super) fn regex(regex: &str) -> Option<String> {
    let (flags, regex) = match regex.strip_prefix("(?i)") {
        Some(rest) => ("i", rest),
        None => ("", regex),
    };
    (is_plain(regex) && is_read(regex)).then(|| format!("/{}/{flags}", inside(regex)))
}

/// Returns the expression that matches a text with `part` in it, as a literal.
pub(super) fn containing(part: &str) -> String {
    format!("/{}/", inside(&literal(part)))
}

/// Returns the expression that matches `text` and nothing else but blanks around it, as a literal.
pub(super) fn whole(text: &str) -> String {
    format!("/^\\s*{}\\s*$/", inside(&literal(text)))
}

fn literal(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        if "\\.[]{}()*+?^$|".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// Returns `regex` with what would end a literal escaped, and with no open quotes for whoever reads the code.
fn inside(regex: &str) -> String {
    let mut safe = String::new();
    let mut is_escaped = false;
    for char in regex.chars() {
        let (quote, break_) = (['/', '\'', '"', '`'].contains(&char), is_unseen(char));
        if break_ && is_escaped {
            safe.pop();
        }
        if char == '\n' {
            safe.push_str("\\n");
        } else if break_ {
            super::page::escape_utf16(&mut safe, char);
        } else {
            if quote && !is_escaped {
                safe.push('\\');
            }
            safe.push(char);
        }
        is_escaped = char == '\\' && !is_escaped;
    }
    // `//` would be a comment.
    if safe.is_empty() { "(?:)".to_string() } else { safe }
}

/// Returns true if JavaScript reads a plain expression: nothing is repeated twice, and counts are digits.
pub(super) fn is_read(regex: &str) -> bool {
    let mut chars = regex.chars().peekable();
    let mut in_class = false;
    // True after what can be repeated.
    let mut is_item = false;
    while let Some(char) = chars.next() {
        match char {
            '\\' => is_item = !matches!(chars.next(), Some('b' | 'B')) || in_class,
            ']' => (in_class, is_item) = (false, true),
            _ if in_class => {}
            '[' => in_class = true,
            '(' => {
                if chars.next_if_eq(&'?').is_some() {
                    chars.next();
                }
                is_item = false;
            }
            '^' | '$' | '|' => is_item = false,
            '*' | '+' | '?' | '{' => {
                if char == '{' {
                    let count: String = chars.by_ref().take_while(|char| *char != '}').collect();
                    let is_count = count.starts_with(|first: char| first.is_ascii_digit())
                        && count.chars().all(|char| char.is_ascii_digit() || char == ',');
                    if !is_count {
                        return false;
                    }
                }
                if !is_item {
                    return false;
                }
                // Lazy.
                chars.next_if_eq(&'?');
                is_item = false;
            }
            _ => is_item = true,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_where_they_should() {
        assert_eq!(quoted("it's ${x} \\ `y`\n\u{2028}"), "'it\\'s ${x} \\\\ `y`\\n\\u2028'");
        assert_eq!(containing("a/b's (1)"), r"/a\/b\'s \(1\)/");
        assert_eq!(whole("a\u{2028}"), r"/^\s*a\u2028\s*$/");
        assert_eq!(containing(""), "/(?:)/");
    }

    #[test]
    fn only_expressions_that_mean_the_same_are_taken() {
        for (given, expected) in [
            ("^O+K?$", "/^O+K?$/"),
            ("(?i)ok", "/ok/i"),
            ("a/b", "/a\\/b/"),
            ("a\\/b", "/a\\/b/"),
            ("a{2,3}?", "/a{2,3}?/"),
        ] {
            assert_eq!(regex(given).as_deref(), Some(expected));
        }
        for odd in ["a**", "^*", "\\b+", "a{2}{3}", "a{,3}", "(?P<n>a)", "a+??", "\\p{L}"] {
            assert_eq!(regex(odd), None, "{odd}");
        }
    }
}
