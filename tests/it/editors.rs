//! docs/editors/farlead.tmLanguage.json against the language: no word of the grammar is left without a colour.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use farlead::gui::{ActionType, Key};
use regex::Regex;
use serde_json::Value;

#[test]
fn every_word_and_operator_of_the_language_has_a_colour() {
    let patterns = patterns();
    let grammar = text_of("grammar/spec.pest");
    let literal = Regex::new(r#""((?:\\.|[^"\\])*)""#).expect("a pattern");
    let mut count = 0;
    for rule in grammar.lines().filter(|line| !line.starts_with("//")) {
        for found in literal.captures_iter(rule).map(|found| found[1].to_string()) {
            if has_meaning(&found) {
                check(&patterns, &found);
                count += 1;
            }
        }
    }
    assert!(count > 100, "only {count} words found in grammar/spec.pest");
}

#[test]
fn every_key_and_type_of_action_has_a_colour() {
    let patterns = patterns();
    for key in Key::ALL {
        check(&patterns, &format!("{} =", key.name()));
    }
    for kind in ActionType::all() {
        check(&patterns, kind.name());
    }
}

#[test]
fn comments_texts_bounds_and_numbers_have_a_colour() {
    let patterns = patterns();
    for text in [
        "# a comment",
        "let main =",
        "weak next",
        "weak until",
        "[<=5]",
        "[2..5]",
        "[≥ 3]",
        "/^Note [0-9]+$/",
        "12",
        "3.5",
        "\\u{e9}",
        "\\n",
        "56%",
        "-2.5%",
        "500ms",
        "<=",
        "farlead test",
        "steps",
    ] {
        check(&patterns, text);
    }
    for (text, part) in [("main & about", "main"), ("Fmain", "F"), ("[text = a]", "text = a")] {
        let is_whole = |pattern: &Regex| pattern.find_iter(text).any(|found| found.as_str() == part);
        assert!(!patterns.iter().any(is_whole), "`{part}` of `{text}` has a colour");
    }
}

#[test]
fn every_pattern_that_is_included_exists() {
    let grammar = grammar();
    let mut included = BTreeSet::new();
    visit(&grammar, &mut |key, text| {
        if key == "include" {
            included.insert(text.to_string());
        }
    });
    let repository = grammar["repository"].as_object().expect("a repository");
    let there: BTreeSet<String> = repository.keys().map(|name| format!("#{name}")).collect();
    assert_eq!(included, there);
}

/// Returns true for words and for signs that a formula or a comparison has; brackets and the like carry no meaning of
/// their own.
fn has_meaning(literal: &str) -> bool {
    const PUNCTUATION: [&str; 12] = ["(", ")", "[", "]", ":", ",", "/", "\\", "", "..", "-", "."];
    let is_escape = literal.starts_with('\\');
    !PUNCTUATION.contains(&literal) && !is_escape && !["#", "%", "_", "\n"].contains(&literal)
}

/// Checks that one pattern takes all of `text`.
#[track_caller]
fn check(patterns: &[Regex], text: &str) {
    let takes_all = |pattern: &Regex| pattern.find(text).is_some_and(|found| found.as_str() == text);
    assert!(
        patterns.iter().any(takes_all),
        "docs/editors/farlead.tmLanguage.json has no pattern for `{text}`"
    );
}

/// Returns all patterns of the grammar.
fn patterns() -> Vec<Regex> {
    let mut patterns = Vec::new();
    visit(&grammar(), &mut |key, text| {
        if key == "match" || key == "begin" {
            patterns.push(Regex::new(text).unwrap_or_else(|error| panic!("{text}: {error}")));
        }
    });
    assert!(!patterns.is_empty());
    patterns
}

/// Calls `see` with each text in `value` and its key.
fn visit(value: &Value, see: &mut impl FnMut(&str, &str)) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(text) => see(key, text),
                    other => visit(other, see),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|one| visit(one, see)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn grammar() -> Value {
    serde_json::from_str(&text_of("docs/editors/farlead.tmLanguage.json")).expect("JSON")
}

fn text_of(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
