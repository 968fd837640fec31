//! Mistakes with their places, as people and programs read them.

use std::fmt::Write as _;
use std::path::Path;

use unicode_width::UnicodeWidthChar;

use super::{Position, Source, Span};
use crate::sorted;

/// Weight of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The item cannot be used.
    Error,
    /// The item can be used, but may not mean what it seems to.
    Warning,
}

impl Severity {
    /// Returns the word that people read.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// Mistake in a text, or doubt about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Weight of a mistake.
    pub severity: Severity,
    /// Name of the kind of mistake, the same in every version, like `E-unknown-name`.
    pub code: &'static str,
    /// Bytes of the text that are wrong; empty where something is missing.
    pub span: Span,
    /// The mistake, in a sentence without a full stop.
    pub message: String,
    /// Advice that mends the mistake.
    pub help: Option<String>,
}

/// Diagnostic with its place in lines and columns, for other programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Name of the source.
    pub file: String,
    /// First character.
    pub start: Position,
    /// First character after the mistake.
    pub end: Position,
    /// As in [`Diagnostic`].
    pub severity: Severity,
    /// As in [`Diagnostic`].
    pub code: &'static str,
    /// As in [`Diagnostic`].
    pub message: String,
    /// As in [`Diagnostic`].
    pub help: Option<String>,
}

/// Style in which a diagnostic is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Letters alone.
    Plain,
    /// Letters in the colours of a terminal.
    Colour,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Style::Plain => text.to_string(),
            Style::Colour => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

impl Diagnostic {
    /// Returns an error about the bytes of `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, code, span, message: message.into(), help: None }
    }

    /// Returns a warning about the bytes of `span`.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// Returns the diagnostic with `help` for people to mend it.
    pub fn help(self, help: impl Into<String>) -> Diagnostic {
        Diagnostic { help: Some(help.into()), ..self }
    }

    /// Returns the diagnostic with its place in `source`.
    pub fn located(&self, source: &Source) -> Located {
        Located {
            file: source.name().to_string(),
            start: source.position(self.span.start),
            end: source.position(self.span.end),
            severity: self.severity,
            code: self.code,
            message: self.message.clone(),
            help: self.help.clone(),
        }
    }

    /// Returns the diagnostic as people read it: the place, the line, a caret below it, and help.
    pub fn render(&self, source: &Source, style: Style) -> String {
        let Position { line, column } = source.position(self.span.start);
        let colour = match self.severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
        };
        let severity = style.paint(colour, &format!("{}:", self.severity.name()));
        // A name may hold characters that steer a terminal.
        let place = style.paint("1", &format!("{}:{line}:{column}:", printable(source.name())));
        let message = style.paint("1", &printable(&self.message));
        let mut out = format!("{place} {severity} {message}\n");
        let excerpt = Excerpt::new(source, &self.span);
        // Carets below a blank line would point at nothing.
        if !excerpt.text.trim().is_empty() {
            let number = line.to_string();
            let indent = " ".repeat(number.len());
            let bar = style.paint("34", "|");
            let caret = style.paint(colour, &"^".repeat(excerpt.carets));
            let before = " ".repeat(excerpt.before);
            let _ = writeln!(out, " {} {bar} {}", style.paint("34", &number), excerpt.text);
            let _ = writeln!(out, " {indent} {bar} {before}{caret}");
        }
        if let Some(help) = &self.help {
            let _ = writeln!(out, " {} {}", style.paint("1;36", "help:"), printable(help));
        }
        out
    }
}

/// Part of a line that is shown, and the carets below it.
struct Excerpt {
    text: String,
    /// Columns of a terminal before the first caret.
    before: usize,
    carets: usize,
}

impl Excerpt {
    fn new(source: &Source, span: &Span) -> Excerpt {
        // A line and its number fit a terminal; half of the line before the caret shows where one is.
        const WIDTH_MAX: usize = 100;
        const BEFORE_MAX: usize = 50;
        let line = source.line_around(span.start);
        let text = source.text();
        let start = span.start.min(line.end);
        // A span may reach into later lines, and only its first line is shown.
        let end = span.end.clamp(start, line.end);

        let mut shown_before = Vec::new();
        let mut before = 0;
        let mut cut_before = false;
        // From the caret to the left, so that a cut loses the start of the line.
        for char in text[line.start..start].chars().rev() {
            let (piece, width) = cell(char);
            if before + width > BEFORE_MAX {
                cut_before = true;
                break;
            }
            before += width;
            shown_before.push(piece);
        }
        let mut shown = String::new();
        if cut_before {
            shown.push('…');
            before += 1;
        }
        shown.extend(shown_before.into_iter().rev());
        let mut width = before;
        let mut carets = 0;
        for (at, char) in text[start..line.end].char_indices() {
            let (piece, cells) = cell(char);
            if width + cells > WIDTH_MAX {
                shown.push('…');
                break;
            }
            width += cells;
            shown.push_str(&piece);
            if start + at < end {
                carets += cells;
            }
        }
        // An empty span, where something is missing, has a caret too.
        Excerpt { text: shown, before, carets: carets.max(1) }
    }
}

/// Returns `text`, cut to a length that a message can repeat.
pub(crate) fn clip(text: &str) -> String {
    shorten(text, 60)
}

fn shorten(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// Returns the character as it is shown, and the columns it takes.
fn cell(char: char) -> (String, usize) {
    match char {
        // Terminals differ in the width of a tab, and the caret must stay below its letter.
        '\t' => ("    ".to_string(), 4),
        _ if is_unseen(char) => ("�".to_string(), 1),
        _ => (char.to_string(), char.width().unwrap_or(0)),
    }
}

/// Returns `text` without characters that steer a terminal or turn letters around.
pub fn printable(text: &str) -> String {
    text.chars().map(|char| if is_unseen(char) { '�' } else { char }).collect()
}

/// Returns `path` as messages show it: a name may hold characters that steer a terminal.
pub fn shown_path(path: &Path) -> String {
    printable(&path.display().to_string())
}

fn is_unseen(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// Mistakes of a text. A hostile text may have any number of them.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Diagnostics {
    /// Nobody reads more than this of a kind; the rest is counted.
    const KEPT_MAX: usize = 100;
    /// A message repeats the text, which may be long.
    const CHARS_MAX: usize = 400;

    /// Returns the first hundred errors and the first hundred warnings, in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.kept.iter()
    }

    /// Returns the number of errors, with those that are not kept.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Returns the number of warnings, with those that are not kept.
    pub fn warnings(&self) -> usize {
        self.warnings
    }

    /// Returns all diagnostics as people read them, and the number of those left out.
    pub fn render(&self, source: &Source, style: Style) -> String {
        let mut out: String = self.kept.iter().map(|diagnostic| diagnostic.render(source, style)).collect();
        match self.errors + self.warnings - self.kept.len() {
            0 => {}
            more => {
                let _ = writeln!(out, "{}: and {more} more", printable(source.name()));
            }
        }
        out
    }

    /// Adds the error that `make` returns. Once there are enough, it counts the error and does not call `make`.
    pub(crate) fn error(&mut self, make: impl FnOnce() -> Diagnostic) {
        self.errors += 1;
        if self.errors <= Diagnostics::KEPT_MAX {
            self.keep(make());
        }
    }

    /// Adds a warning, as [`Diagnostics::error`] does.
    pub(crate) fn warning(&mut self, make: impl FnOnce() -> Diagnostic) {
        self.warnings += 1;
        if self.warnings <= Diagnostics::KEPT_MAX {
            self.keep(make());
        }
    }

    /// Adds a diagnostic that is made already.
    pub(crate) fn add(&mut self, diagnostic: Diagnostic) {
        match diagnostic.severity {
            Severity::Error => self.error(|| diagnostic),
            Severity::Warning => self.warning(|| diagnostic),
        }
    }

    /// Adds the diagnostics of another text, whose places `place` finds in this one.
    pub(crate) fn join(&mut self, other: Diagnostics, place: impl Fn(Span) -> Span) {
        let Diagnostics { kept, errors, warnings } = other;
        let (errors, warnings) = (self.errors + errors, self.warnings + warnings);
        kept.into_iter().for_each(|found| self.add(Diagnostic { span: place(found.span.clone()), ..found }));
        (self.errors, self.warnings) = (errors, warnings);
    }

    fn keep(&mut self, made: Diagnostic) {
        self.kept.push(Diagnostic {
            message: shorten(&made.message, Diagnostics::CHARS_MAX),
            help: made.help.map(|help| shorten(&help, Diagnostics::CHARS_MAX)),
            ..made
        });
    }

    /// Returns the diagnostics in the order of the text.
    pub(crate) fn sorted(mut self) -> Diagnostics {
        // Errors before warnings at the same place.
        sorted::by_key(&mut self.kept, |diagnostic| (diagnostic.span.start, diagnostic.severity));
        self
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        diagnostics.add(diagnostic);
        diagnostics
    }
}

/// Collects diagnostics in the order of the text.
impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(all: I) -> Diagnostics {
        let mut diagnostics = Diagnostics::default();
        all.into_iter().for_each(|diagnostic| diagnostics.add(diagnostic));
        diagnostics.sorted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, span: Span, expected: &str) {
        let source = Source::new("a.ltl", text);
        let diagnostic = Diagnostic::error("E-test", span, "it is wrong").help("do it right");
        assert_eq!(diagnostic.render(&source, Style::Plain), expected);
    }

    #[test]
    fn the_place_is_shown_with_its_line_and_underlined() {
        check(
            "a\nb mian\n",
            4..8,
            "a.ltl:2:3: error: it is wrong\n 2 | b mian\n   |   ^^^^\n help: do it right\n",
        );
    }

    #[test]
    fn what_is_missing_gets_one_caret() {
        check("a U", 3..3, "a.ltl:1:4: error: it is wrong\n 1 | a U\n   |    ^\n help: do it right\n");
        check("", 0..0, "a.ltl:1:1: error: it is wrong\n help: do it right\n");
    }

    #[test]
    fn carets_stand_below_tabs_and_wide_and_combining_letters() {
        check(
            "\t日本e\u{301} x",
            11..12,
            "a.ltl:1:7: error: it is wrong\n 1 |     日本e\u{301} x\n   |           ^\n help: do it right\n",
        );
        check("日本", 0..6, "a.ltl:1:1: error: it is wrong\n 1 | 日本\n   | ^^^^\n help: do it right\n");
    }

    #[test]
    fn a_terminal_is_not_steered_by_what_is_shown() {
        let source = Source::new("\u{1b}]0;x", "\u{1b}[2J x");
        let shown = Diagnostic::error("E-test", 0..1, "`\u{1b}[2J`").render(&source, Style::Plain);
        assert!(!shown.contains('\u{1b}'));
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let text = "a & ".repeat(1000);
        let source = Source::new("a.ltl", &*text);
        let shown = Diagnostic::error("E-test", 2000..2001, "it is wrong").render(&source, Style::Plain);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].contains("| …") && lines[1].ends_with('…') && lines[1].chars().count() < 120);
        let caret = lines[2].chars().position(|char| char == '^').expect("a caret");
        assert_eq!(lines[1].chars().nth(caret), Some('a'));
    }

    #[test]
    fn colours_are_added_on_request_alone() {
        let source = Source::new("a.ltl", "a");
        let diagnostic = Diagnostic::warning("W-test", 0..1, "look");
        assert!(diagnostic.render(&source, Style::Colour).contains("\u{1b}[1;33mwarning:\u{1b}[0m"));
        assert!(!diagnostic.render(&source, Style::Plain).contains('\u{1b}'));
    }

    #[test]
    fn a_diagnostic_is_located_for_other_programs() {
        let source = Source::new("a.ltl", "a\nb c");
        let located = Diagnostic::error("E-test", 2..5, "it is wrong").located(&source);
        assert_eq!(
            (located.start, located.end),
            (Position { line: 2, column: 1 }, Position { line: 2, column: 4 })
        );
    }

    #[test]
    fn a_hundred_of_a_kind_are_kept_and_the_rest_counted() {
        let mut all = Diagnostics::default();
        for at in (0..250).rev() {
            all.error(|| Diagnostic::error("E-test", at..at, "it is wrong"));
        }
        all.warning(|| Diagnostic::warning("W-test", 3..3, "look"));
        let all = all.sorted();
        assert_eq!((all.iter().count(), all.errors(), all.warnings()), (101, 250, 1));
        assert!(all.iter().is_sorted_by_key(|diagnostic| diagnostic.span.start));
        let source = Source::new("a.ltl", " ".repeat(250));
        assert!(all.render(&source, Style::Plain).ends_with("a.ltl: and 150 more\n"));
    }
}
