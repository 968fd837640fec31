//! Regular expressions of Java, with which Maestro and UI Automator match whole texts.

use crate::gui::{Constant, Op};

/// A regular expression that a whole text must match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub text: String,
    /// True if it surely means the same in Java and in farlead.
    pub is_sure: bool,
}

/// Returns the pattern of the texts for which a comparison holds, where `.` is any character; none for numbers.
pub(super) fn pattern(op: Op, value: &Constant) -> Option<Pattern> {
    let sure = |text: String| Some(Pattern { text, is_sure: true });
    match (op, value) {
        (Op::Equal, Constant::Text(text)) => sure(literal(text)),
        // A pattern matches whole texts and knows no `not`, so it looks ahead up to the end.
        (Op::NotEqual, Constant::Text(text)) => sure(format!("(?!{}\\z).*", literal(text))),
        (Op::Contains, Constant::Text(text)) => sure(format!(".*{}.*", literal(text))),
        (Op::Contains, Constant::Regex(regex)) => {
            Some(Pattern { text: format!(".*{}.*", embedded(regex)), is_sure: is_plain(regex) })
        }
        (
            Op::Equal | Op::NotEqual | Op::Contains | Op::Less | Op::AtMost | Op::Greater | Op::AtLeast,
            Constant::Flag(_)
            | Constant::Text(_)
            | Constant::Regex(_)
            | Constant::Number(_)
            | Constant::Term(_),
        ) => None,
    }
}

/// Returns `regex` as a group with the rules of farlead: classes cover Unicode, and `.` stops at a line break.
pub(super) fn embedded(regex: &str) -> String {
    format!("(?U-ims:{regex})")
}

/// Returns the expression that matches `text` and nothing else.
pub(super) fn literal(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        if "\\.[]{}()*+-?^$|#&".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// Returns true if `regex` has no syntax beyond that of all kinds of regular expressions.
pub(super) fn is_plain(regex: &str) -> bool {
    let mut chars = regex.chars().peekable();
    let mut in_class = false;
    while let Some(char) = chars.next() {
        let next = chars.peek().copied();
        match char {
            '\\' => match chars.next() {
                Some(escaped) if escaped.is_ascii_punctuation() || "dDwWsSnrt".contains(escaped) => {}
                Some('b' | 'B') if !in_class && chars.peek() != Some(&'{') => {}
                Some(_) | None => return false,
            },
            '[' if in_class => return false,
            '[' => {
                in_class = true;
                // Kinds differ in the bracket that closes such a class.
                if next == Some(']') || next == Some('^') && chars.clone().nth(1) == Some(']') {
                    return false;
                }
            }
            ']' => in_class = false,
            // In some kinds a doubled sign is an operation on classes.
            '&' | '~' | '-' if in_class && next == Some(char) => return false,
            // Flags, names and look-around differ from kind to kind.
            '(' if !in_class && next == Some('?') && chars.clone().nth(1) != Some(':') => return false,
            _ => {}
        }
    }
    !in_class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_matched_as_they_are() {
        assert_eq!(literal("a.b*c"), "a\\.b\\*c");
        // Maestro reads `${...}` as JavaScript, and this is none.
        assert_eq!(literal("${x}"), "\\$\\{x\\}");
    }

    #[test]
    fn a_comparison_has_the_pattern_of_what_meets_it() {
        let text = || Constant::Text("a.b".to_string());
        let is_so = |op, value: Constant, expected: &str, is_sure| {
            let expected = Pattern { text: expected.to_string(), is_sure };
            assert_eq!(pattern(op, &value), Some(expected));
        };
        is_so(Op::Equal, text(), "a\\.b", true);
        is_so(Op::NotEqual, text(), "(?!a\\.b\\z).*", true);
        is_so(Op::Contains, text(), ".*a\\.b.*", true);
        is_so(Op::Contains, Constant::Regex("^a+$".to_string()), ".*(?U-ims:^a+$).*", true);
        is_so(Op::Contains, Constant::Regex("(?i)a".to_string()), ".*(?U-ims:(?i)a).*", false);
        assert_eq!(pattern(Op::Less, &Constant::Number(5.into())), None);
    }

    #[test]
    fn what_only_some_regular_expressions_know_is_told_apart() {
        for plain in ["", "a", "^Note [0-9]+$", "(?:a|b)*?", r"\d\w\.\b", "[^a-z]", r"[\]]", "a{2,3}", "a&&b"]
        {
            assert!(is_plain(plain), "{plain}");
        }
        for odd in
            ["(?i)a", "(?P<n>a)", r"\p{L}", "[a&&b]", "[[:alpha:]]", "[]a]", r"\x41", r"\b{start}", "[a--b]"]
        {
            assert!(!is_plain(odd), "{odd}");
        }
    }
}
