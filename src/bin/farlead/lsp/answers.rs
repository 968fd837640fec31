//! Answers about an open file: its mistakes, explanations, declarations and specs.

use farlead::spec::{self, Severity, Spec};
use serde_json::{Value, json};

use super::document::{DeclarationKind, Document};
use crate::explain;

/// Most characters of an explanation: an editor shows it beside the text.
const HOVER_CHARS_MAX: usize = 4_000;

/// Returns the findings of `farlead lint`.
pub fn diagnostics(document: &Document) -> Vec<Value> {
    let found = document.judged.linted.diagnostics.iter().map(|found| {
        let severity = match found.severity {
            Severity::Error => 1,
            Severity::Warning => 2,
        };
        let help = found.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        json!({
            "range": document.range(&found.span),
            "severity": severity,
            "code": found.code,
            "source": "farlead",
            "message": format!("{}{help}", found.message),
        })
    });
    let project = document.project_mistake.iter().map(|mistake| {
        json!({
            "range": document.range(&(0..0)),
            "severity": 1,
            "source": "farlead",
            "message": mistake,
        })
    });
    project.chain(found).collect()
}

/// Returns what `farlead explain` says of the bracket, the name or the spec at `at`.
pub fn hover(document: &Document, at: usize) -> Value {
    let text = document.text();
    if let Some(bracket) = document.bracket_at(at)
        && let Some(atom) = spec::read_atom(&text[bracket.clone()])
    {
        let explained = format!("{}\n{}", block(&atom.to_string()), plain(&spec::atom_in_words(&atom)));
        return shown(document, &explained, &bracket);
    }
    let word = document.word_at(at);
    if let Some(declared) = document.declarations().into_iter().find(|one| one.name == text[word.clone()]) {
        let what = match declared.kind {
            DeclarationKind::Let => "",
            DeclarationKind::Label => "\na label of yours, which a recorded trace may carry",
            DeclarationKind::Action => "\nan action of your own, and its type",
        };
        return shown(document, &format!("{}{what}", block(&text[declared.item])), &word);
    }
    let specs = document.judged.linted.file.specs.iter().zip(&document.judged.linted.judgements);
    for (one, judgement) in specs {
        if one.spans.item.contains(&at) {
            let mut explained = Vec::new();
            // Writing to memory does not fail.
            if explain::explain(&mut explained, one, judgement).is_ok() {
                let explained = String::from_utf8_lossy(&explained).into_owned();
                return shown(document, &block(&explained), &one.spans.item);
            }
        }
    }
    Value::Null
}

fn shown(document: &Document, markdown: &str, at: &std::ops::Range<usize>) -> Value {
    json!({ "contents": { "kind": "markdown", "value": markdown }, "range": document.range(at) })
}

/// Returns `text` as Markdown that shows it letter by letter.
fn block(text: &str) -> String {
    let mut text: String = match text.char_indices().nth(HOVER_CHARS_MAX) {
        Some((end, _)) => format!("{}\n…", &text[..end]),
        None => text.to_string(),
    };
    text.truncate(text.trim_end().len());
    // A fence is longer than any row of its sign inside.
    let mut fence = "```".to_string();
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}text\n{text}\n{fence}")
}

/// Returns `text` as Markdown without a meaning of its signs.
fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        // Backticks stay: they mark values here, as they do in Markdown.
        if "\\*_{}[]<>#+-.!|~".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// Returns the place of the declaration of the name at `at`.
pub fn definition(document: &Document, uri: &str, at: usize) -> Value {
    let word = document.word_at(at);
    let name = &document.text()[word];
    let declared = document.declarations().into_iter().find(|one| one.name == name);
    declared.map_or(Value::Null, |one| json!({ "uri": uri, "range": document.range(&one.name_at) }))
}

/// Returns the specs of the file.
pub fn symbols(document: &Document) -> Vec<Value> {
    // A function is the nearest of the protocol's kinds.
    const FUNCTION: u32 = 12;
    let symbol = |one: &Spec| {
        let item = &one.spans.item;
        let text = &document.text()[item.clone()];
        let head = item.start..item.start + text.find(['\n', '\r']).unwrap_or(text.len());
        json!({
            "name": if one.name.is_empty() { one.expectation.word() } else { &one.name },
            "detail": one.expectation.word(),
            "kind": FUNCTION,
            "range": document.range(item),
            "selectionRange": document.range(&head),
        })
    };
    document.judged.linted.file.specs.iter().map(symbol).collect()
}
