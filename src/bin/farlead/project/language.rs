//! The parts of farlead.toml in the language of specs: actions and rules.
//!
//! The reader of specs reads them; mistakes are shown at their place in farlead.toml.

use std::ops::Range;

use farlead::gui::{Rule, UserAction};
use farlead::spec::{Diagnostic, Diagnostics, Source, Style, parse_action, parse_rule};
use serde::Deserialize;
use toml::Spanned;

use crate::Mistake;

/// Most actions of a project: nobody could tell more apart.
pub const ACTIONS_MAX: usize = 100;

/// Most rules of a project: each is checked against every action that a screen offers.
pub const RULES_MAX: usize = 100;

/// An action as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenAction {
    name: Spanned<String>,
    on: Spanned<String>,
    does: Spanned<String>,
}

/// A rule as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenRule {
    never: Option<Spanned<String>>,
    #[serde(rename = "type")]
    text: Option<Spanned<String>>,
    into: Option<Spanned<String>>,
}

/// Returns the actions and rules that are written in `source`, or all mistakes in them.
pub fn read(
    source: &Source,
    actions: &[WrittenAction],
    rules: &[Spanned<WrittenRule>],
) -> Result<(Vec<UserAction>, Vec<Rule>), Mistake> {
    let mut diagnostics = Vec::new();
    let mut known: Vec<UserAction> = Vec::new();
    for written in actions {
        if let Some(action) = action(source, written, &mut diagnostics) {
            if known.iter().any(|other| other.name == action.name) {
                let message = format!("the action `{}` is declared twice", action.name);
                diagnostics.push(Diagnostic::error(
                    "E-declared-twice",
                    inside(source, &written.name),
                    message,
                ));
            }
            known.push(action);
        }
    }
    let rules: Vec<Rule> =
        rules.iter().filter_map(|written| rule(source, written, &known, &mut diagnostics)).collect();
    let diagnostics: Diagnostics = diagnostics.into_iter().collect();
    if diagnostics.errors() == 0 {
        return Ok((known, rules));
    }
    // The text becomes the message of an error, which has no colours.
    let shown = diagnostics.render(source, Style::Plain);
    Err(Mistake::new(shown.trim_end().to_string()))
}

fn action(source: &Source, written: &WrittenAction, diagnostics: &mut Vec<Diagnostic>) -> Option<UserAction> {
    let mut text = Composed::new(source, "action ");
    text.add(&written.name);
    text.text += " on ";
    text.add(&written.on);
    text.text += ": ";
    text.add(&written.does);
    let (action, found) = parse_action(&Source::new(source.name(), text.text.clone()));
    text.tell(&found, diagnostics);
    let action = action?;
    // A name like `a on [id = b]: back #` would replace the parts behind it.
    if action.name == *written.name.get_ref() {
        return Some(action);
    }
    let message = "the name of an action is one word";
    diagnostics.push(Diagnostic::error("E-name", inside(source, &written.name), message));
    None
}

fn rule(
    source: &Source,
    written: &Spanned<WrittenRule>,
    actions: &[UserAction],
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Rule> {
    match written.get_ref() {
        WrittenRule { never: Some(never), text: None, into: None } => {
            let mut text = Composed::new(source, "");
            text.add(never);
            let (atoms, found) = parse_rule(&Source::new(source.name(), text.text.clone()), actions);
            text.tell(&found, diagnostics);
            atoms.map(Rule::Never)
        }
        WrittenRule { never: None, text: Some(typed), into: Some(into) } => {
            // What is typed into is a widget that an action is done on.
            let mut text = Composed::new(source, "action into on ");
            text.add(into);
            // An action has to do something, and waiting for no time changes nothing.
            text.text += ": wait 0s";
            let (action, found) = parse_action(&Source::new(source.name(), text.text.clone()));
            text.tell(&found, diagnostics);
            Some(Rule::Type { text: typed.get_ref().as_str().into(), into: action?.on })
        }
        WrittenRule { .. } => {
            let help = "as in `never = '[actionDetail = \"Log out\"]'`, or `type = \"abc\"` and `into = '[id = name]'`";
            let mistake =
                Diagnostic::error("E-rule", written.span(), "a rule is `never`, or `type` with `into`");
            diagnostics.push(mistake.help(help));
            None
        }
    }
}

/// A text that is put together from values, so that it can be read like a spec.
struct Composed<'a> {
    source: &'a Source,
    text: String,
    /// Range of each value in `text` and in the file; the latter is exact unless the value has escapes.
    parts: Vec<(Range<usize>, Range<usize>)>,
}

impl<'a> Composed<'a> {
    fn new(source: &'a Source, before: &str) -> Composed<'a> {
        Composed { source, text: before.to_string(), parts: Vec::new() }
    }

    fn add(&mut self, value: &Spanned<String>) {
        let start = self.text.len();
        self.text += value.get_ref();
        self.parts.push((start..self.text.len(), inside(self.source, value)));
    }

    /// Adds diagnostics of `text` at their places in the file.
    fn tell(&self, found: &Diagnostics, diagnostics: &mut Vec<Diagnostic>) {
        for diagnostic in found.iter() {
            let span = self.in_file(&diagnostic.span);
            diagnostics.push(Diagnostic { span, ..diagnostic.clone() });
        }
    }

    fn in_file(&self, span: &Range<usize>) -> Range<usize> {
        // What is between two values is said of the end of the first.
        let before = self.parts.iter().rev().find(|(here, _)| here.start <= span.start);
        let Some((here, there)) = before.or(self.parts.first()) else { return 0..0 };
        // With escapes the two ranges do not run in step, so the whole value is shown.
        if here.len() != there.len() {
            return there.clone();
        }
        let at = |place: usize| there.start + place.clamp(here.start, here.end) - here.start;
        at(span.start)..at(span.end)
    }
}

/// Returns the range of a value in the file, without its quotes if it has no escapes.
fn inside(source: &Source, value: &Spanned<String>) -> Range<usize> {
    let span = value.span();
    let written = source.text().get(span.clone()).unwrap_or_default();
    match written.find(value.get_ref().as_str()) {
        Some(at) if !value.get_ref().is_empty() => span.start + at..span.start + at + value.get_ref().len(),
        Some(_) | None => span,
    }
}
