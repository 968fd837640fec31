//! Features: specs in plain words, as Gherkin has them, without definitions of steps.
//!
//! `document` reads the lines, `sentence` each sentence, `shape` joins the sentences of a scenario to a formula in the text
//! of `.ltl` files. The reader of those gives it its meaning, so that there is one; mistakes go back to their sentences.

mod document;
mod keywords;
mod sentence;
mod shape;

use std::path::Path;
use std::sync::Arc;

use super::file::{Scenario, ScenarioStep, Spans, SpecFile, in_a_line};
use super::read;
use crate::gui::{UserAction, quote};
use crate::text::{BYTES_MAX, Diagnostic, Diagnostics, Source, Span, clip, is_too_long};
use document::{Document, Row, Step, StepKind};
pub use sentence::{
    MODIFIERS, ModifierPattern, SENTENCES, SentenceKind, SentencePattern, shown as example_of,
};
use sentence::{Meaning, Piece};
use shape::shape;

/// Most steps of a scenario, with those of backgrounds and each repetition. Each adds a level or two to its formula.
const STEPS_MAX: usize = 100;

/// Returns true if the file `name` holds a feature.
pub fn is_feature(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("feature"))
}

/// Returns the names that scenarios of the feature `source` are written with; that of the file for those without.
pub fn scenario_names(source: &Source) -> Vec<String> {
    let document = document::read(source, &mut Diagnostics::default());
    let name = |scenario: &document::Scenario| match &source.text()[scenario.name.clone()] {
        "" => source.stem().to_string(),
        name => name.to_string(),
    };
    document.scenarios.iter().map(name).collect()
}

/// Returns the specs of the feature `source`, one for each scenario, and all mistakes.
pub(super) fn read_file(source: &Source, given: &[UserAction]) -> (SpecFile, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    if is_too_long(source, "a file", Some("split it into several files"), &mut diagnostics) {
        return (SpecFile::default(), diagnostics);
    }
    let document = document::read(source, &mut diagnostics);
    let mut translator = Translator {
        source,
        feature: in_a_line(&source.text()[document.name.clone()]),
        written: Written::default(),
        scenarios: Vec::new(),
        diagnostics,
        is_full: false,
    };
    translator.document(&document);
    let Translator { written, scenarios, mut diagnostics, .. } = translator;
    if scenarios.is_empty() {
        if diagnostics.errors() == 0 {
            diagnostics.error(|| {
                let end = source.text().len();
                Diagnostic::error("E-empty", end..end, "there is no scenario here")
                    .help("a scenario is like `Scenario: NAME`, and its steps below it")
            });
        }
        return (SpecFile::default(), diagnostics.sorted());
    }
    let text = Source::new(source.name(), &*written.text);
    let (mut file, found) = read::read_file(&text, given);
    diagnostics.join(found, |span| written.place(span));
    for spec in &mut file.specs {
        let at = scenarios.partition_point(|one| one.start <= spec.spans.item.start);
        let one = &scenarios[at - 1];
        let place = |span| written.place(span);
        spec.line = source.position(one.spans.item.start).line;
        spec.spans = Spans {
            typed: spec.spans.typed.take().map(place),
            times: spec.spans.times.take().map(place),
            ..one.spans.clone()
        };
        spec.scenario = Some(one.scenario.clone());
    }
    (file, diagnostics.sorted())
}

/// Text in the language of `.ltl` files, with the place that each part is from.
#[derive(Debug, Default)]
struct Written {
    text: String,
    /// First byte of each part, its place in the source, and true if it stands there as it is.
    parts: Vec<(usize, Span, bool)>,
}

impl Written {
    /// Adds `text`, which is from the place `from`.
    fn push(&mut self, text: &str, from: &Span) {
        self.parts.push((self.text.len(), from.clone(), false));
        self.text.push_str(text);
    }

    fn push_piece(&mut self, piece: &Piece) {
        let mut at = 0;
        for (range, start) in &piece.same {
            self.push(&piece.text[at..range.start], &piece.whole);
            self.parts.push((self.text.len(), *start..start + range.len(), true));
            self.text.push_str(&piece.text[range.clone()]);
            at = range.end;
        }
        self.push(&piece.text[at..], &piece.whole);
    }

    /// Returns the place in the source of a range of the text.
    fn place(&self, span: Span) -> Span {
        let part = |at: usize| {
            let after = self.parts.partition_point(|&(start, ..)| start <= at);
            &self.parts[after.saturating_sub(1)]
        };
        let (start, from, is_same) = part(span.start);
        if !is_same {
            return from.clone();
        }
        let at = (from.start + (span.start - start)).min(from.end);
        let end = (from.start + (span.end - start)).min(from.end);
        at..end.max(at)
    }
}

/// Scenario whose spec is written.
struct Translated {
    /// First byte in the written text.
    start: usize,
    spans: Spans,
    scenario: Arc<Scenario>,
}

struct Translator<'a> {
    source: &'a Source,
    feature: String,
    written: Written,
    scenarios: Vec<Translated>,
    diagnostics: Diagnostics,
    /// True once the written text has no room for more.
    is_full: bool,
}

/// Row of examples with its columns.
#[derive(Clone, Copy)]
struct Filling<'a> {
    columns: &'a [String],
    row: &'a Row,
}

impl<'a> Translator<'a> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.error(|| Diagnostic::error(code, span, message).help(help));
    }

    fn document(&mut self, document: &Document) {
        for scenario in &document.scenarios {
            if scenario.is_outline && scenario.examples.is_empty() {
                let help = "write `Examples:` below its steps, with a table";
                self.error("E-examples", scenario.keyword.clone(), "this outline has no examples", help);
                continue;
            }
            if scenario.examples.is_empty() {
                self.scenario(document, scenario, &scenario.tags, None);
                continue;
            }
            for examples in &scenario.examples {
                if examples.rows.is_empty() {
                    let help = "the first row names the columns, and each of the others is a scenario";
                    self.error("E-examples", examples.keyword.clone(), "these examples have no rows", help);
                }
                for row in &examples.rows {
                    let filling = Filling { columns: &examples.columns, row };
                    self.scenario(document, scenario, &examples.tags, Some(filling));
                }
            }
        }
    }

    fn scenario(
        &mut self,
        document: &Document,
        scenario: &document::Scenario,
        tags: &[String],
        filling: Option<Filling<'_>>,
    ) {
        if self.is_full {
            return;
        }
        let rule = scenario.rule.map(|number| &document.rules[number]);
        let background = rule.map(|rule| &rule.background).into_iter().flatten();
        let steps: Vec<&Step> =
            document.background.iter().chain(background).chain(&scenario.steps).take(STEPS_MAX + 1).collect();
        let name_at = if scenario.name.is_empty() { scenario.keyword.clone() } else { scenario.name.clone() };
        if scenario.steps.is_empty() {
            let help = "write what is done and seen, like `When I click \"OK\"`";
            return self.error("E-empty", name_at, "this scenario has no steps", help);
        }
        let mut meanings = Vec::new();
        let mut written_steps = Vec::new();
        let mut is_sound = true;
        for step in steps {
            let (sentence, is_filled) = self.filled(&step.sentence, filling);
            let from = step.sentence.clone();
            let place = |span: Span| {
                if is_filled { from.clone() } else { span.start + from.start..span.end + from.start }
            };
            let meaning = sentence::read(&sentence, &place, !is_filled, &mut self.diagnostics);
            is_sound &= meaning.is_some();
            let Some(meaning) = meaning else { continue };
            let keyword = &self.source.text()[step.keyword.clone()];
            written_steps.push(ScenarioStep {
                text: in_a_line(&format!("{keyword} {sentence}")),
                means: meaning.piece.text.clone(),
            });
            meanings.push((step.kind, meaning));
        }
        let times: usize = meanings.iter().map(|(_, meaning)| meaning.times as usize).sum();
        if times > STEPS_MAX {
            let message = format!("a scenario has at most {STEPS_MAX} steps");
            return self.error("E-too-large", name_at, message, "split it into several scenarios");
        }
        if !is_sound || !self.fits(&meanings, rule.is_some()) {
            return;
        }
        let name = self.name(scenario, filling);
        let start = self.written.text.len();
        let (expectation, parts) = shape(&meanings, rule.is_some());
        self.written.push(expectation.word(), &name_at);
        if !name.trim().is_empty() {
            self.written.push(&format!(" {}", quote(&name)), &name_at);
        }
        for tag in tags {
            if let Some(clause) = clause(tag) {
                self.written.push(&clause, &name_at);
            }
        }
        self.written.push(":\n    ", &name_at);
        let steps_at = meanings[0].1.piece.whole.start..meanings[meanings.len() - 1].1.piece.whole.end;
        for part in &parts {
            match part {
                shape::Part::Sign(text) => self.written.push(text, &steps_at),
                shape::Part::Piece(piece) => self.written.push_piece(piece),
            }
        }
        self.written.push("\n", &steps_at);
        if self.written.text.len() > BYTES_MAX {
            self.written.text.truncate(start);
            self.written.parts.retain(|&(at, ..)| at < start);
            self.is_full = true;
            let message = format!("the formulas of a file have at most {BYTES_MAX} bytes together");
            return self.error("E-too-large", name_at, message, "split it into several files");
        }
        // A row of examples is a scenario of its own.
        let item = filling.map_or_else(
            || scenario.keyword.start..scenario.steps.last().map_or(name_at.end, |step| step.sentence.end),
            |filling| filling.row.span.clone(),
        );
        let first = scenario.steps[0].sentence.start;
        let formula = first..scenario.steps[scenario.steps.len() - 1].sentence.end;
        self.scenarios.push(Translated {
            start,
            spans: Spans { item, formula, ..Spans::default() },
            scenario: Arc::new(Scenario {
                // A feature or a rule without a name leaves no mark.
                feature: [
                    Some(self.feature.clone()),
                    rule.map(|rule| in_a_line(&self.source.text()[rule.name.clone()])),
                ]
                .into_iter()
                .flatten()
                .filter(|name| !name.is_empty())
                .collect::<Vec<_>>()
                .join(" / "),
                tags: tags.to_vec(),
                steps: written_steps,
            }),
        });
    }

    /// Returns the text at `span` with the cells of a row, and true if it has any.
    fn filled(&self, span: &Span, filling: Option<Filling<'_>>) -> (String, bool) {
        let text = &self.source.text()[span.clone()];
        let Some(Filling { columns, row }) = filling else { return (text.to_string(), false) };
        document::filled(text, columns, &row.cells)
    }

    /// Returns the name of a scenario: with the cells of its row, named in it or behind it.
    fn name(&self, scenario: &document::Scenario, filling: Option<Filling<'_>>) -> String {
        let (name, is_filled) = self.filled(&scenario.name, filling);
        match filling {
            Some(Filling { row, .. }) if !is_filled => {
                format!("{name} ({})", clip(&row.cells.join(", "))).trim_start().to_string()
            }
            _ => name,
        }
    }

    /// Returns true if the steps make a scenario together.
    fn fits(&mut self, meanings: &[(StepKind, Meaning)], is_rule: bool) -> bool {
        let is_guard =
            |meaning: &Meaning| matches!(meaning.when, sentence::When::Always | sentence::When::Never);
        let last_act = meanings.iter().rposition(|(kind, _)| *kind != StepKind::Then);
        let mut once = None;
        let mut guard = None;
        for (at, (kind, meaning)) in meanings.iter().enumerate() {
            let whole = meaning.piece.whole.clone();
            let has_time = meaning.when != sentence::When::Eventually;
            match (kind, meaning.kind) {
                (_, SentenceKind::Start) if at > 0 => {
                    let help = "leave it out here: each run starts the app afresh, once";
                    self.error("E-sentence", whole, "the app is started at the beginning alone", help);
                    return false;
                }
                (StepKind::Then, SentenceKind::Start | SentenceKind::Action) => {
                    let help = "write it as a `When`";
                    self.error("E-step", whole, "a `Then` says what is seen, and not what is done", help);
                    return false;
                }
                (StepKind::Given | StepKind::When, _) if has_time => {
                    let message = "only a `Then` says when it holds";
                    self.error("E-step", whole, message, "leave the words out, or write it as a `Then`");
                    return false;
                }
                (StepKind::Then, SentenceKind::State) if last_act.is_some_and(|last| at < last) => {
                    if has_time {
                        let message = "only the last `Then`s say when they hold";
                        let help = "put what comes after it into a scenario of its own";
                        self.error("E-step", whole, message, help);
                        return false;
                    }
                }
                (StepKind::Then, SentenceKind::State) if is_guard(meaning) => guard = Some(whole),
                (StepKind::Then, SentenceKind::State) => once = Some(whole),
                (StepKind::Given | StepKind::When, _) => {}
            }
        }
        if !is_rule
            && once.is_some()
            && let Some(whole) = guard
        {
            let message = "a scenario says what some run shows, or what no run may show";
            let help = "put this into a scenario of its own, or both below a `Rule`";
            self.error("E-step", whole, message, help);
            return false;
        }
        true
    }
}

/// Returns the clause of a spec that a tag stands for: `@within-20-steps`, `@over-50-episodes`, `@typed-counts`,
/// `@times-to-10ms`.
fn clause(tag: &str) -> Option<String> {
    if tag == "@typed-counts" {
        return Some(" typed counts".to_string());
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = tag.split('-').collect();
    match parts[..] {
        ["@within", number, unit @ ("step" | "steps")]
        | ["@over", number, unit @ ("episode" | "episodes")]
            if is_number(number) =>
        {
            Some(format!(" {} {number} {unit}", &parts[0][1..]))
        }
        ["@times", "to", time]
            if time.strip_suffix("ms").or(time.strip_suffix('s')).is_some_and(is_number) =>
        {
            Some(format!(" times to {time}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
