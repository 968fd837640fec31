//! An open file: its text, the judgement of it, places as editors count them, and the words at a place.

use std::ops::Range;
use std::path::{Path, PathBuf};

use farlead::device::sim;
use farlead::spec::{Diagnostics, ITEM_WORDS, Linted, Source, SpecFile};
use serde_json::{Value, json};

use crate::project::Project;
use crate::sources::{self, Judged};

/// A file that is open in the editor.
pub struct Document {
    pub judged: Judged,
    pub project: Project,
    /// Mistake in the project's farlead.toml, which is then read as if it were empty.
    pub project_mistake: Option<String>,
    /// First byte of each line, by the line ends of the protocol.
    starts: Vec<usize>,
}

/// Name that an item declares.
pub struct Declaration {
    pub kind: DeclarationKind,
    pub name: String,
    pub name_at: Range<usize>,
    /// The whole item.
    pub item: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclarationKind {
    Let,
    Label,
    Action,
}

impl Document {
    pub fn new(uri: &str, text: String) -> Document {
        let path = path_of(uri);
        let found = match &path {
            Some(path) => Project::of_file(path),
            None => Project::find(),
        };
        let (project, project_mistake) = match found {
            Ok(project) => (project, None),
            Err(mistake) => (Project::default(), Some(format!("{mistake:#}"))),
        };
        let name = path.map_or_else(|| uri.to_string(), |path| path.display().to_string());
        let source = Source::new(name, text);
        let judged = if sim::is_model(source.text()) {
            let diagnostics = sim::read(&source).diagnostics;
            Judged { source, linted: nothing_but(diagnostics), test: None }
        } else {
            sources::judge(source, &project)
        };
        let starts = line_starts(judged.source.text());
        Document { judged, project, project_mistake, starts }
    }

    pub fn text(&self) -> &str {
        self.judged.source.text()
    }

    /// Returns the place of the byte at `at`: its line, and the UTF-16 units before it in the line.
    pub fn position(&self, at: usize) -> Value {
        let line = self.starts.partition_point(|&start| start <= at) - 1;
        let units = self.text()[self.starts[line]..at].encode_utf16().count();
        json!({ "line": line, "character": units })
    }

    pub fn range(&self, bytes: &Range<usize>) -> Value {
        json!({ "start": self.position(bytes.start), "end": self.position(bytes.end) })
    }

    /// Returns the byte at a place; one behind the end of a line or of the text is that end.
    pub fn offset(&self, line: u64, character: u64) -> usize {
        let line = usize::try_from(line).unwrap_or(usize::MAX);
        let Some(&start) = self.starts.get(line) else { return self.text().len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text().len());
        let text = self.text()[start..end].trim_end_matches(['\n', '\r']);
        let mut units = 0;
        for (at, char) in text.char_indices() {
            if units >= character {
                return start + at;
            }
            units += char.len_utf16() as u64;
        }
        start + text.len()
    }

    /// Returns the part before `at` of the line that `at` is in.
    pub fn line_before(&self, at: usize) -> &str {
        let line = self.starts.partition_point(|&start| start <= at) - 1;
        &self.text()[self.starts[line]..at]
    }

    /// Returns the place of the word that `at` is in or behind.
    pub fn word_at(&self, at: usize) -> Range<usize> {
        let text = self.text();
        let start = text[..at].trim_end_matches(is_word_char).len();
        let end = text.len() - text[at..].trim_start_matches(is_word_char).len();
        start..end
    }

    /// Returns the place of the bracket that `at` is in, with its signs.
    pub fn bracket_at(&self, at: usize) -> Option<Range<usize>> {
        let start = at - self.line_before(at).len();
        let line = &self.text()[start..];
        let line = &line[..line.find(['\n', '\r']).unwrap_or(line.len())];
        brackets(line).map(|found| start + found.start..start + found.end).find(|found| found.contains(&at))
    }

    /// Returns the names that the file declares, in its order.
    pub fn declarations(&self) -> Vec<Declaration> {
        let mut found = Vec::new();
        for item in self.items() {
            let text = &self.text()[item.clone()];
            let word = first_word(text);
            let kind = match word {
                "let" => DeclarationKind::Let,
                "label" => DeclarationKind::Label,
                "action" => DeclarationKind::Action,
                _ => continue,
            };
            let mut at = item.start + word.len();
            // One `label` declares several names, with commas between them.
            for part in text[word.len()..].split(',') {
                let blank = part.len() - part.trim_start().len();
                let name = first_word(part.trim_start());
                let start = at + blank;
                if !name.is_empty() {
                    let name_at = start..start + name.len();
                    found.push(Declaration { kind, name: name.to_string(), name_at, item: item.clone() });
                }
                if kind != DeclarationKind::Label {
                    break;
                }
                at += part.len() + 1;
            }
        }
        found
    }

    /// Returns the places of the items, without blank lines and comments at their ends.
    fn items(&self) -> Vec<Range<usize>> {
        let mut items: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        for line in self.text().split_inclusive('\n') {
            let indent = line.len() - line.trim_start().len();
            let content = line.trim();
            if ITEM_WORDS.contains(&first_word(content)) {
                items.push(at + indent..at + indent + content.len());
            } else if let (Some(item), false) =
                (items.last_mut(), content.is_empty() || content.starts_with('#'))
            {
                item.end = at + indent + content.len();
            }
            at += line.len();
        }
        items
    }
}

fn nothing_but(diagnostics: Diagnostics) -> Linted {
    Linted { file: SpecFile::default(), diagnostics, judgements: Vec::new() }
}

fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = (0..bytes.len()).filter(|&at| match bytes[at] {
        b'\n' => true,
        // Both signs together end one line.
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    std::iter::once(0).chain(ends.map(|at| at + 1)).collect()
}

pub fn is_word_char(char: char) -> bool {
    char == '_' || char.is_alphanumeric()
}

pub fn first_word(text: &str) -> &str {
    &text[..text.find(|char| !is_word_char(char)).unwrap_or(text.len())]
}

/// Returns the brackets of a line that are closed there.
fn brackets(line: &str) -> impl Iterator<Item = Range<usize>> {
    let mut found = Vec::new();
    let mut open = None;
    for (at, char, is_plain) in marked(line) {
        match char {
            '[' if is_plain && open.is_none() => open = Some(at),
            ']' if is_plain => found.extend(open.take().map(|start| start..at + 1)),
            _ => {}
        }
    }
    found.into_iter()
}

/// Returns the characters of a line before its comment, each with true if it is outside of texts and regular expressions.
pub fn marked(line: &str) -> Vec<(usize, char, bool)> {
    let mut found = Vec::new();
    let (mut closing, mut is_escaped, mut in_bracket, mut before) = (None, false, false, ' ');
    for (at, char) in line.char_indices() {
        if let Some(sign) = closing {
            found.push((at, char, false));
            if char == sign && !is_escaped {
                closing = None;
            }
            is_escaped = char == '\\' && !is_escaped;
            continue;
        }
        match char {
            '#' if !in_bracket => break,
            '"' => closing = Some('"'),
            // Elsewhere a slash is a letter like any other.
            '/' if in_bracket && "~∼".contains(before) => closing = Some('/'),
            '[' => in_bracket = true,
            ']' => in_bracket = false,
            _ => {}
        }
        found.push((at, char, closing.is_none()));
        if !char.is_whitespace() {
            before = char;
        }
    }
    found
}

/// Returns the path that a `file:` address names.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    // What stands before the first slash is a machine, this one if it is empty.
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut at = 0;
    while let Some(&byte) = path.as_bytes().get(at) {
        let code = path.get(at + 1..at + 3).and_then(|code| u8::from_str_radix(code, 16).ok());
        match code.filter(|_| byte == b'%') {
            Some(byte) => {
                bytes.push(byte);
                at += 3;
            }
            None => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/C:/specs` is `C:/specs`.
    let is_drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    Some(Path::new(if is_drive { &path[1..] } else { &path }).to_path_buf())
}
