//! Pages: the text of an export, its comments, and the notes on what it cannot do.

use std::fmt::Write as _;

use crate::spec::printable;

/// Characters of a comment; a formula may have any length.
const COMMENT_CHARS_MAX: usize = 4_000;

/// A text as it grows.
pub(super) struct Page {
    text: String,
    notes: Vec<String>,
    /// Sign that starts a comment up to the end of its line.
    comment_sign: &'static str,
    indent: usize,
    /// Title of the current step; none before the first.
    step: Option<String>,
}

impl Page {
    pub fn new(comment_sign: &'static str) -> Page {
        Page { text: String::new(), notes: Vec::new(), comment_sign, indent: 0, step: None }
    }

    /// Sets the indent of the lines that follow, in columns.
    pub fn indent(&mut self, columns: usize) {
        self.indent = columns;
    }

    /// Writes a line, which holds no line break.
    pub fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n(' ', self.indent));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// Writes ready lines as they are.
    pub fn raw(&mut self, lines: &str) {
        self.text.push_str(lines);
    }

    /// Writes a comment. No `text` ends it early.
    pub fn comment(&mut self, text: &str) {
        let text = one_line(text, COMMENT_CHARS_MAX);
        let line = format!("{} {text}", self.comment_sign);
        self.line(line.trim_end());
    }

    /// Starts a step, whose title goes before its notes.
    pub fn step(&mut self, title: &str) {
        self.step = Some(title.to_string());
    }

    /// Adds a difference from the test, as a comment and as a note.
    pub fn note(&mut self, sentence: &str) {
        self.comment(&format!("Not as in the test: {sentence}."));
        let sentence = one_line(sentence, COMMENT_CHARS_MAX);
        self.notes.push(match &self.step {
            Some(step) => format!("{step}: {sentence}"),
            None => sentence,
        });
    }

    pub fn finish(self) -> (String, Vec<String>) {
        (self.text, self.notes)
    }
}

/// Returns `text` on one line of at most `chars_max` characters, without invisible characters.
pub(super) fn one_line(text: &str, chars_max: usize) -> String {
    let shown: String =
        printable(text).chars().map(|char| if is_unseen(char) { '�' } else { char }).collect();
    match shown.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

/// Returns true if `char` needs an escape in source code: it is invisible, moves the cursor, or reverses the writing
/// direction.
pub(super) fn is_unseen(char: char) -> bool {
    char.is_control()
        || (char.is_whitespace() && char != ' ')
        || matches!(u32::from(char),
            0xad | 0x61c | 0x180e | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfe00..=0xfe0f | 0xfeff
            | 0xfff0..=0xfffb | 0xfffe | 0xffff | 0xe0000..=0xe0fff)
        // The last two code points of each plane are no characters.
        || u32::from(char) & 0xfffe == 0xfffe
}

/// Returns `text` between quotes for a language with escapes of UTF-16, as Kotlin and JavaScript have them. The characters of
/// `special` get a backslash.
pub(super) fn quoted_utf16(text: &str, quote: char, special: &str) -> String {
    quoted_with(text, quote, special, escape_utf16)
}

/// Writes `char` as one or two escapes of UTF-16.
pub(super) fn escape_utf16(out: &mut String, char: char) {
    let mut units = [0; 2];
    for unit in char.encode_utf16(&mut units) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// Returns `text` in double quotes for a language with escapes of code points, as YAML and Python have them.
pub(super) fn quoted_code_points(text: &str) -> String {
    quoted_with(text, '"', "\"\\", |quoted, char| {
        let _ = match u32::from(char) {
            code @ 0..=0xffff => write!(quoted, "\\u{code:04x}"),
            code => write!(quoted, "\\U{code:08x}"),
        };
    })
}

fn quoted_with(text: &str, quote: char, special: &str, escape: fn(&mut String, char)) -> String {
    let mut quoted = String::from(quote);
    for char in text.chars() {
        match char {
            _ if special.contains(char) => quoted.extend(['\\', char]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ if is_unseen(char) => escape(&mut quoted, char),
            _ => quoted.push(char),
        }
    }
    quoted.push(quote);
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_escapes_from_a_comment() {
        let mut page = Page::new("//");
        page.comment("a\nrm -rf *\r\u{2028}*/ \u{202e}b\0");
        page.note("c\nd");
        let (text, notes) = page.finish();
        assert_eq!(text, "// a�rm -rf *��*/ �b�\n// Not as in the test: c�d.\n");
        assert_eq!(notes, ["c�d"]);
    }

    #[test]
    fn comments_are_bounded() {
        assert_eq!(one_line(&"ä".repeat(10_000), 3), "äää…");
    }
}
