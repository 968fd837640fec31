//! A text with a name, and its lines.

use std::path::Path;

use super::{Diagnostic, Span};

/// Text of a file or of an argument, with its name in messages.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    /// First byte of each line.
    lines: Vec<usize>,
}

/// Bytes that are not UTF-8, see [`Source::from_bytes`].
#[derive(Clone, Debug)]
pub struct NotText {
    /// The bytes as text, with `�` in place of broken ones.
    pub source: Source,
    /// The mistake and its place in `source`.
    pub diagnostic: Diagnostic,
}

/// Place in a text as people count: from 1, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line of the text.
    pub line: usize,
    /// Character of the line.
    pub column: usize,
}

impl Source {
    /// Returns `text` under a name, which is the path of a file if it is from one.
    ///
    /// A byte order mark is left out.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let mut text: String = text.into();
        if text.starts_with('\u{feff}') {
            // Some editors write this mark, and no grammar here knows it.
            text.remove(0);
        }
        let mut lines = vec![0];
        lines.extend(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1));
        Source { name: name.into(), text, lines }
    }

    /// Returns the text that `bytes` are in UTF-8.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Source, Box<NotText>> {
        let name = name.into();
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(name, text)),
            Err(error) => {
                let mut start = error.utf8_error().valid_up_to();
                let byte = error.as_bytes()[start];
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                // `Source::new` leaves the mark out, so that all places move.
                if text.starts_with('\u{feff}') {
                    start -= '\u{feff}'.len_utf8();
                }
                let source = Source::new(name, text);
                // One sign stands for the broken bytes, so it is the place to underline.
                let span = start..start + char::REPLACEMENT_CHARACTER.len_utf8();
                let message = format!("the byte 0x{byte:02x} is not UTF-8");
                let diagnostic =
                    Diagnostic::error("E-encoding", span, message).help("save the file as UTF-8");
                Err(Box::new(NotText { source, diagnostic }))
            }
        }
    }

    /// Returns the name of the source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name of the file without its folders and its last ending.
    pub fn stem(&self) -> &str {
        let path = Path::new(&self.name);
        path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(&self.name)
    }

    /// Returns the line and column of the byte at `at`.
    pub fn position(&self, at: usize) -> Position {
        let line = self.line_index(at);
        let start = self.lines[line];
        Position { line: line + 1, column: self.text[start..at].chars().count() + 1 }
    }

    /// Returns the bytes of the line that the byte at `at` is in, without its end.
    pub(super) fn line_around(&self, at: usize) -> Span {
        let line = self.line_index(at);
        let start = self.lines[line];
        let end = self.lines.get(line + 1).map_or(self.text.len(), |&next| next - 1);
        // Files from Windows end their lines with both signs.
        let end = if self.text[start..end].ends_with('\r') { end - 1 } else { end };
        start..end
    }

    fn line_index(&self, at: usize) -> usize {
        // The first line starts at 0, so at least one line is before.
        self.lines.partition_point(|&start| start <= at) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_end_at_newlines() {
        let source = Source::new("a.ltl", "\u{feff}ä b\r\nc");
        assert_eq!(source.position(3), Position { line: 1, column: 3 });
        assert_eq!(source.position(6), Position { line: 2, column: 1 });
        assert_eq!(source.line_around(4), 0..4);
        assert_eq!(source.position(7), Position { line: 2, column: 2 });
    }

    #[test]
    fn the_first_byte_that_is_no_text_is_shown() {
        for bytes in [&b"a\nb \xff c"[..], b"\xef\xbb\xbfa\nb \xe2\x82"] {
            let not_text = Source::from_bytes("x/bad.ltl", bytes.to_vec()).expect_err("not text");
            let at = not_text.diagnostic.span.start;
            assert_eq!(not_text.source.position(at), Position { line: 2, column: 3 });
        }
    }

    #[test]
    fn the_stem_is_the_file_name_without_its_ending() {
        assert_eq!(Source::new("specs/notes/palette.ltl", "").stem(), "palette");
        assert_eq!(Source::new("-e", "").stem(), "-e");
    }
}
