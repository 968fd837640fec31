//! Scripts for the shell of a phone, in parts whose answers can be told apart.
//!
//! Starting a command over adb takes longer than most commands themselves, so a whole step is one script: the
//! action and everything that is looked at. A mark that no app can know precedes the answer of each part.

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::BufRead as _;

/// A script in the making.
pub(super) struct Script<'m> {
    mark: &'m Mark,
    text: String,
}

/// A random word that precedes the answer of each part.
#[derive(Clone, Debug)]
pub(super) struct Mark(String);

impl Mark {
    /// Returns a new mark, unlike any before.
    pub fn new() -> Mark {
        // The hash of nothing depends only on its keys, which the system draws. No result of a run depends on
        // it.
        Mark(format!("farlead-{:016x}", RandomState::new().build_hasher().finish()))
    }

    /// Returns the mark as a word.
    pub fn word(&self) -> &str {
        &self.0
    }

    /// Splits an answer into its parts; a part that has not begun is missing.
    pub fn parts<'a>(&self, answer: &'a [u8]) -> Parts<'a> {
        let mut parts = Vec::new();
        let mut name: Option<&str> = None;
        let mut start = 0;
        let mut at = 0;
        while at < answer.len() {
            let mut rest = &answer[at..];
            // Reading from memory never fails.
            let length = rest.skip_until(b'\n').unwrap_or(0);
            let next = at + length.max(1);
            let is_whole = answer[next - 1] == b'\n';
            let end = if is_whole { next - 1 } else { next };
            let line = answer[at..end].strip_suffix(b"\r").unwrap_or(&answer[at..end]);
            // A line without a line break may be a part's name that was cut off.
            if let Some(named) = line.strip_prefix(self.0.as_bytes()).filter(|_| is_whole) {
                if let Some(name) = name {
                    parts.push((name, &answer[start..at]));
                }
                name = std::str::from_utf8(named).ok().map(str::trim);
                start = next;
            }
            at = next;
        }
        if let Some(name) = name {
            parts.push((name, &answer[start..]));
        }
        Parts { parts }
    }
}

impl<'m> Script<'m> {
    pub fn new(mark: &'m Mark) -> Script<'m> {
        Script { mark, text: String::new() }
    }

    /// Adds a part, whose answer is called `name`.
    pub fn part(&mut self, name: &str, commands: &str) -> &mut Script<'m> {
        // The output before it may not end in a line break.
        let _ = writeln!(self.text, "echo; echo '{} {name}'\n{commands}", self.mark.0);
        self
    }

    /// Returns the script, which ends with a mark of its own.
    pub fn finish(&mut self) -> String {
        self.part("end", ":");
        std::mem::take(&mut self.text)
    }
}

/// The parts of an answer, in order.
pub(super) struct Parts<'a> {
    parts: Vec<(&'a str, &'a [u8])>,
}

impl<'a> Parts<'a> {
    /// Returns the output of a part, empty if the part is missing.
    pub fn bytes(&self, name: &str) -> &'a [u8] {
        let found = self.parts.iter().find(|(other, _)| *other == name);
        // The line break before the next mark does not belong to the part.
        found.map_or(&[], |(_, bytes)| bytes.strip_suffix(b"\n").unwrap_or(bytes))
    }

    /// Returns the output of a part as text; invalid bytes become `�`.
    pub fn text(&self, name: &str) -> String {
        // Up to Android 6, the shell ends its lines with a carriage return as well.
        String::from_utf8_lossy(self.bytes(name)).replace('\r', "")
    }

    /// Returns true if a part has begun, and so everything before it has ended.
    pub fn has(&self, name: &str) -> bool {
        self.parts.iter().any(|(other, _)| *other == name)
    }
}

/// Quotes `text` as one word of a shell.
pub(super) fn quote(text: &str) -> String {
    let is_bare = |char: char| char.is_ascii_alphanumeric() || "._-/:=".contains(char);
    if !text.is_empty() && text.chars().all(is_bare) {
        return text.to_string();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart_whatever_they_print() {
        let mark = Mark("m".into());
        let parts = mark.parts(b"noise\n\nm a\nfirst\nno mark is here: m b\n\nm b\r\n\nm c\nno end\nm d");
        assert_eq!(parts.text("a"), "first\nno mark is here: m b\n");
        assert_eq!(parts.text("b"), "");
        // The last name may be cut off.
        assert_eq!(parts.text("c"), "no end\nm d");
        assert!(!parts.has("d") && parts.has("b"));
        assert_eq!(parts.text("z"), "");
    }

    #[test]
    fn a_script_marks_its_parts_and_its_end() {
        let mark = Mark("m".into());
        let script = Script::new(&mark).part("a", "one").part("b", "two").finish();
        assert_eq!(script, "echo; echo 'm a'\none\necho; echo 'm b'\ntwo\necho; echo 'm end'\n:\n");
    }

    #[test]
    fn marks_differ() {
        assert_ne!(Mark::new().0, Mark::new().0);
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quote("a.b/C"), "a.b/C");
        assert_eq!(quote("it's $x"), r"'it'\''s $x'");
        assert_eq!(quote(""), "''");
    }
}
