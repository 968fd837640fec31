//! The lines of a feature: parts, steps, tags and tables, every line read once.

use std::ops::Range;
use std::sync::Arc;

use super::keywords::{Keyword, LANGUAGES, Language};
use super::sentence;
use crate::gui::nearest;
use crate::text::{Diagnostic, Diagnostics, Source, Span, clip, meant};

/// Most letters of a step, and of the name of a part.
const CHARS_MAX: usize = 1_000;
/// Most tags of a scenario, with those of its feature and rule.
const TAGS_MAX: usize = 50;

/// Kind of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepKind {
    Given,
    When,
    Then,
}

/// Step as it is written.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub kind: StepKind,
    /// Keyword as it is written.
    pub keyword: Span,
    /// Sentence after the keyword.
    pub sentence: Span,
}

/// Scenario or outline as it is written.
#[derive(Debug)]
pub(super) struct Scenario {
    pub name: Span,
    /// Keyword, where a name is missing.
    pub keyword: Span,
    pub tags: Arc<[String]>,
    /// Rule that it belongs to.
    pub rule: Option<usize>,
    /// Steps of the background of its rule; those of the feature come before.
    pub steps: Vec<Step>,
    pub examples: Vec<Examples>,
    /// True if it says that it is an outline.
    pub is_outline: bool,
}

/// Table of examples.
#[derive(Debug)]
pub(super) struct Examples {
    pub keyword: Span,
    pub tags: Arc<[String]>,
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
}

/// Row of a table of examples.
#[derive(Debug)]
pub(super) struct Row {
    pub span: Span,
    pub cells: Vec<String>,
}

/// Rule: its name, and the steps of its background.
#[derive(Debug)]
pub(super) struct RulePart {
    pub name: Span,
    pub background: Vec<Step>,
}

/// Feature as it is written.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub name: Span,
    pub background: Vec<Step>,
    pub rules: Vec<RulePart>,
    pub scenarios: Vec<Scenario>,
}

/// Part of a file that lines belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Before the feature.
    Nothing,
    Feature,
    Rule,
    Background,
    Scenario,
    Examples,
}

/// Reads the lines of `source`.
pub(super) fn read(source: &Source, diagnostics: &mut Diagnostics) -> Document {
    let mut reader = Reader {
        text: source.text(),
        diagnostics,
        language: &LANGUAGES[0],
        document: Document::default(),
        part: Part::Nothing,
        tags: Vec::new(),
        tags_at: None,
        feature_tags: Arc::default(),
        rule_tags: Arc::default(),
        kind: None,
        has_steps: false,
        fence: None,
    };
    let mut at = 0;
    for line in source.text().split_inclusive('\n') {
        let start = at + (line.len() - line.trim_start().len());
        let trimmed = line.trim();
        reader.line(start..start + trimmed.len());
        at += line.len();
    }
    reader.end();
    reader.document
}

struct Reader<'a> {
    text: &'a str,
    diagnostics: &'a mut Diagnostics,
    language: &'static Language,
    document: Document,
    part: Part,
    /// Tags for the part that comes.
    tags: Vec<String>,
    tags_at: Option<Span>,
    feature_tags: Arc<[String]>,
    rule_tags: Arc<[String]>,
    /// Kind of the step before.
    kind: Option<StepKind>,
    /// True after the first step of the part, where free text ends.
    has_steps: bool,
    /// Sign that ends the text in the next lines.
    fence: Option<&'static str>,
}

impl<'a> Reader<'a> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.error(|| Diagnostic::error(code, span, message).help(help));
    }

    fn line(&mut self, span: Span) {
        let line = &self.text[span.clone()];
        if let Some(fence) = self.fence {
            if line.starts_with(fence) {
                self.fence = None;
            }
            return;
        }
        if line.is_empty() {
            return;
        }
        if let Some(comment) = line.strip_prefix('#') {
            return self.comment(comment, span);
        }
        if line.starts_with('@') {
            return self.tag_line(span);
        }
        if let Some(fence) = ["\"\"\"", "```"].into_iter().find(|fence| line.starts_with(fence)) {
            self.fence = Some(fence);
            let help = "write the text into the sentence, in quotes";
            return self.error("E-step", span, "farlead reads no text below a step", help);
        }
        if line.starts_with('|') {
            return self.row(span);
        }
        match self.language.keyword(line) {
            Some((keyword, end)) if keyword.is_step() => self.step(keyword, span, end),
            Some((keyword, end)) => self.part(keyword, span, end),
            None => self.free_text(span),
        }
    }

    fn comment(&mut self, comment: &str, span: Span) {
        let Some(code) = comment.trim().strip_prefix("language") else { return };
        let Some(code) = code.trim_start().strip_prefix(':').map(str::trim) else { return };
        if self.part != Part::Nothing {
            return;
        }
        match LANGUAGES.iter().find(|language| language.code.eq_ignore_ascii_case(code)) {
            Some(language) => self.language = language,
            None => {
                let codes = LANGUAGES.each_ref().map(|language| language.code).join(" ");
                let message = format!("farlead does not know the keywords of the language `{}`", clip(code));
                self.error("E-language", span, message, format!("it knows those of {codes}"));
            }
        }
    }

    fn tag_line(&mut self, span: Span) {
        let line = &self.text[span.clone()];
        for word in line.split_whitespace() {
            if word.starts_with('#') {
                break;
            }
            let tag = word.trim_start_matches('@');
            if !word.starts_with('@') || tag.is_empty() || word.len() > 100 {
                let message = format!("`{}` is no tag", clip(word));
                return self.error("E-tag", span, message, "a tag is like `@smoke`, a word after `@`");
            }
            self.tags.push(word.to_string());
        }
        if self.tags.len() > TAGS_MAX {
            let message = format!("a scenario has at most {TAGS_MAX} tags");
            self.tags.truncate(TAGS_MAX);
            self.error("E-too-large", span.clone(), message, "leave some out");
        }
        self.tags_at.get_or_insert(span);
    }

    /// Returns the tags of the part that starts, after those of the parts that it is in.
    fn take_tags(&mut self, outer: &[String]) -> Arc<[String]> {
        self.tags_at = None;
        let own = std::mem::take(&mut self.tags);
        let mut all: Vec<String> = outer.to_vec();
        for tag in own {
            if !all.contains(&tag) {
                all.push(tag);
            }
        }
        all.truncate(TAGS_MAX);
        all.into()
    }

    fn part(&mut self, keyword: Keyword, span: Span, end: usize) {
        let rest = &self.text[span.start + end..span.end];
        let start = span.end - rest.trim_start().len();
        let name = start..span.end;
        let at = span.start..span.start + end;
        if self.text[name.clone()].chars().count() > CHARS_MAX {
            let message = format!("a name has at most {CHARS_MAX} letters");
            self.error("E-too-large", name.clone(), message, "put the rest on lines of its own below");
        }
        if self.part == Part::Nothing && keyword != Keyword::Feature {
            let word = self.language.word(Keyword::Feature);
            let message = format!("a file starts with `{word}:`");
            self.error("E-feature", at.clone(), message, format!("write `{word}: NAME` before it"));
        }
        self.has_steps = false;
        self.kind = None;
        match keyword {
            Keyword::Feature => {
                if self.part != Part::Nothing {
                    let message = "a file has one feature";
                    return self.error("E-feature", at, message, "put the second into a file of its own");
                }
                self.part = Part::Feature;
                self.document.name = name;
                self.feature_tags = self.take_tags(&[]);
            }
            Keyword::Rule => {
                self.part = Part::Rule;
                let outer = self.feature_tags.clone();
                self.rule_tags = self.take_tags(&outer);
                self.document.rules.push(RulePart { name, background: Vec::new() });
            }
            Keyword::Background => {
                let comes_late = match self.document.rules.last() {
                    None => !self.document.scenarios.is_empty() || !self.document.background.is_empty(),
                    Some(rule) => {
                        let number = self.document.rules.len() - 1;
                        !rule.background.is_empty()
                            || self.document.scenarios.last().is_some_and(|one| one.rule == Some(number))
                    }
                };
                self.part = Part::Background;
                if comes_late {
                    let message = "a background comes once, before all scenarios";
                    self.error("E-feature", at, message, "move its steps up");
                }
            }
            Keyword::Scenario | Keyword::Outline => {
                self.part = Part::Scenario;
                let rule = self.document.rules.len().checked_sub(1);
                let outer = if rule.is_some() { self.rule_tags.clone() } else { self.feature_tags.clone() };
                let tags = self.take_tags(&outer);
                self.document.scenarios.push(Scenario {
                    name,
                    keyword: at,
                    tags,
                    rule,
                    steps: Vec::new(),
                    examples: Vec::new(),
                    is_outline: keyword == Keyword::Outline,
                });
            }
            Keyword::Examples => {
                let Some(scenario) = self
                    .document
                    .scenarios
                    .last()
                    .filter(|_| matches!(self.part, Part::Scenario | Part::Examples))
                else {
                    let message = "these examples belong to no scenario";
                    return self.error("E-examples", at, message, "put them below the steps of one");
                };
                let outer = scenario.tags.clone();
                let tags = self.take_tags(&outer);
                self.part = Part::Examples;
                let examples = Examples { keyword: at, tags, columns: Vec::new(), rows: Vec::new() };
                self.document.scenarios.last_mut().expect("asked above").examples.push(examples);
            }
            Keyword::Given | Keyword::When | Keyword::Then | Keyword::And => {
                unreachable!("a step is no part")
            }
        }
    }

    fn step(&mut self, keyword: Keyword, span: Span, end: usize) {
        let at = span.start..span.start + end;
        let kind = match keyword {
            Keyword::Given => Some(StepKind::Given),
            Keyword::When => Some(StepKind::When),
            Keyword::Then => Some(StepKind::Then),
            _ => self.kind,
        };
        let rest = &self.text[span.start + end..span.end];
        let sentence = span.end - rest.trim_start().len()..span.end;
        let steps = match self.part {
            Part::Scenario => &mut self.document.scenarios.last_mut().expect("a scenario is open").steps,
            Part::Background => match self.document.rules.last_mut() {
                Some(rule) => &mut rule.background,
                None => &mut self.document.background,
            },
            // Free text of a feature may start with any word.
            Part::Nothing | Part::Feature | Part::Rule | Part::Examples => {
                if sentence::is_known(&self.text[sentence]) {
                    let word = self.language.word(Keyword::Scenario);
                    let message = "this step belongs to no scenario";
                    self.error("E-step", at, message, format!("write `{word}: NAME` before it"));
                }
                return;
            }
        };
        let is_first = kind.is_none();
        let kind = kind.unwrap_or(StepKind::Given);
        self.kind = Some(kind);
        self.has_steps = true;
        if self.text[sentence.clone()].chars().count() > CHARS_MAX {
            let message = format!("a step has at most {CHARS_MAX} letters");
            // A step without a sentence stays, so that the scenario is not read without it.
            steps.push(Step { kind, keyword: at, sentence: sentence.end..sentence.end });
            return self.error("E-too-large", sentence, message, "say it in several steps");
        }
        steps.push(Step { kind, keyword: at.clone(), sentence });
        if is_first {
            let message =
                format!("`{}` goes on with a step, and there is none before", &self.text[at.clone()]);
            let help = format!("start with `{}`", self.language.word(Keyword::Given));
            self.error("E-step", at, message, help);
        }
    }

    fn free_text(&mut self, span: Span) {
        let line = &self.text[span.clone()];
        let first = line.split(char::is_whitespace).next().unwrap_or(line);
        let first_at = span.start..span.start + first.len();
        let near_step = || nearest(first, self.language.starts(true));
        if self.has_steps {
            let near = near_step();
            let message = "a step starts with a keyword";
            let help = near.map_or_else(
                || {
                    let word = |keyword| self.language.word(keyword);
                    format!(
                        "the keywords are `{}`, `{}`, `{}` and `{}`",
                        word(Keyword::Given),
                        word(Keyword::When),
                        word(Keyword::Then),
                        word(Keyword::And)
                    )
                },
                meant,
            );
            return self.error("E-step", first_at, message, help);
        }
        // Free text is read by people alone, but a slip in a keyword must not lose a step or a scenario.
        let head = line.split(':').next().unwrap_or(line).trim_end();
        let is_head = line[head.len()..].trim_start().starts_with(':');
        if let Some(near) = nearest(head, self.language.starts(false)).filter(|_| is_head) {
            let message = format!("`{}` is no keyword", clip(head));
            let at = span.start..span.start + head.len();
            return self.error("E-feature", at, message, meant(near));
        }
        let is_sentence = matches!(self.part, Part::Background | Part::Scenario)
            && sentence::is_known(line[first.len()..].trim_start());
        if is_sentence && let Some(near) = near_step() {
            let message = format!("`{}` is no keyword", clip(first));
            return self.error("E-step", first_at, message, meant(near));
        }
        if self.part == Part::Nothing {
            let word = self.language.word(Keyword::Feature);
            let message = format!("a file starts with `{word}:`");
            // Once is enough: what follows is free text.
            self.part = Part::Feature;
            self.error("E-feature", first_at, message, format!("write `{word}: NAME` before it"));
        }
    }

    fn row(&mut self, span: Span) {
        let cells = cells(&self.text[span.clone()]);
        let examples = match self.part {
            Part::Examples => self.document.scenarios.last_mut().and_then(|one| one.examples.last_mut()),
            Part::Nothing | Part::Feature | Part::Rule | Part::Background | Part::Scenario => None,
        };
        let Some(examples) = examples else {
            if self.part != Part::Scenario && self.part != Part::Background {
                return;
            }
            let help = format!("write `{}:` before it", self.language.word(Keyword::Examples));
            return self.error("E-examples", span, "a table stands below `Examples` alone", help);
        };
        if examples.columns.is_empty() {
            let double = cells.iter().enumerate().find(|(at, cell)| cells[..*at].contains(cell));
            if let Some((_, cell)) = double {
                let message = format!("two columns are called `{}`", clip(cell));
                return self.error("E-examples", span, message, "give each a name of its own");
            }
            examples.columns = cells;
            return;
        }
        let (known, found) = (examples.columns.len(), cells.len());
        if found != known {
            let message = format!("this row has {found} cells, and the first has {known}");
            return self.error("E-examples", span, message, "a `|` within a cell is written `\\|`");
        }
        examples.rows.push(Row { span, cells });
    }

    fn end(&mut self) {
        if let Some(at) = self.tags_at.take() {
            let help = "put them on the line before a scenario";
            self.error("E-tag", at, "these tags belong to nothing", help);
        }
    }
}

/// Returns the cells of the row `line`.
fn cells(line: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut cell = String::new();
    let mut chars = line.chars().skip(1);
    while let Some(char) = chars.next() {
        match char {
            '|' => cells.push(std::mem::take(&mut cell).trim().to_string()),
            '\\' => match chars.next() {
                Some('n') => cell.push('\n'),
                Some(escaped @ ('|' | '\\')) => cell.push(escaped),
                Some(other) => cell.extend(['\\', other]),
                None => cell.push('\\'),
            },
            other => cell.push(other),
        }
    }
    // A row may lack its last bar.
    if !cell.trim().is_empty() {
        cells.push(cell.trim().to_string());
    }
    cells
}

/// Returns `text` with each `<NAME>` of a column replaced by its cell, and true if there was one. Within quotes, signs of the
/// cell that would end them are escaped.
pub(super) fn filled(text: &str, columns: &[String], cells: &[String]) -> (String, bool) {
    let mut out = String::new();
    let mut quote = None;
    let mut is_changed = false;
    let mut at = 0;
    while let Some(char) = text[at..].chars().next() {
        let name: Option<Range<usize>> = match char {
            '<' => text[at..].find('>').map(|end| at + 1..at + end),
            _ => None,
        };
        let known = name.and_then(|name| {
            let column = columns.iter().position(|column| *column == text[name.clone()])?;
            Some((&cells[column], name.end + 1))
        });
        if let Some((cell, after)) = known {
            match quote {
                Some('"') => out.push_str(&cell.replace('\\', "\\\\").replace('"', "\\\"")),
                Some(_) | None => out.push_str(cell),
            }
            is_changed = true;
            at = after;
            continue;
        }
        if char == '"' && !out.ends_with('\\') {
            quote = if quote == Some('"') { None } else { Some('"') };
        }
        out.push(char);
        at += char.len_utf8();
    }
    (out, is_changed)
}
