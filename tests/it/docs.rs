//! docs/language.md matches the language, and the examples of docs/formats.md are valid.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use farlead::gui::{ActionRecord, Key, Screen};
use farlead::learned::Learned;
use farlead::learned_model::LearnedModel;
use farlead::spec::{MODIFIERS, Names, SENTENCES, Source, parse_formula};

/// The rules of the grammar that are spellings of operators.
const OPERATORS: [&str; 20] = [
    "not",
    "next",
    "weak_next",
    "eventually",
    "always",
    "previous",
    "once",
    "historically",
    "until",
    "release",
    "weak_until",
    "strong_release",
    "since",
    "and",
    "or",
    "implies",
    "iff",
    "then",
    "true_word",
    "false_word",
];

#[test]
fn every_operator_of_the_page_is_read() {
    for row in table(&page(), "## Operators") {
        for spelling in quoted(&row[1]) {
            let is_read = ["OP", "OP f", "f OP g"].iter().any(|form| {
                let source = Source::new("page", form.replace("OP", &spelling));
                parse_formula(&source, Names::Any).formula.is_some()
            });
            assert!(is_read, "docs/language.md describes `{spelling}`, which is no operator");
        }
    }
}

#[test]
fn every_operator_of_the_grammar_is_on_the_page() {
    let rows = table(&page(), "## Operators");
    let described: BTreeSet<String> = rows
        .iter()
        .flat_map(|row| quoted(&row[1]))
        .flat_map(|spelling| spelling.split(' ').map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let grammar = text_of("grammar/spec.pest");
    for rule in OPERATORS {
        let line = grammar
            .lines()
            .find(|line| line.split('=').next().is_some_and(|name| name.trim() == rule))
            .unwrap_or_else(|| panic!("grammar/spec.pest has no rule `{rule}`"));
        for spelling in line.split('"').skip(1).step_by(2) {
            assert!(described.contains(spelling), "docs/language.md does not describe `{spelling}`");
        }
    }
    assert!(described.contains("next:"), "docs/language.md does not describe `next:`");
}

#[test]
fn the_keys_of_the_page_are_those_of_the_language() {
    let rows = table(&page(), "## Atoms");
    let described: Vec<String> = rows.iter().flat_map(|row| quoted(&row[0])).collect();
    check_same("a key", &described, Key::ALL.map(|key| key.name()));
}

#[test]
fn the_sentences_of_the_page_are_those_of_features() {
    let described: Vec<[String; 3]> = table(&page(), "### Sentences")
        .into_iter()
        .map(|row| row.try_into().unwrap_or_else(|row| panic!("{row:?}")))
        .collect();
    let known = SENTENCES.iter().map(|pattern| {
        let formula = if pattern.formula.is_empty() { "step 0" } else { &format!("`{}`", pattern.formula) };
        [format!("`{}`", pattern.sentence), pattern.kind.name().to_string(), formula.to_string()]
    });
    assert_eq!(described, known.collect::<Vec<_>>());
    let words =
        "These words stand before a sentence, behind it, or behind its subject (`I never see \"TEXT\"`):";
    let known = MODIFIERS
        .iter()
        .map(|known| vec![format!("`{}`", known.words), known.of.to_string(), known.meaning.to_string()]);
    assert_eq!(table(&page(), words), known.collect::<Vec<_>>());
}

#[test]
fn the_json_of_the_page_on_formats_is_read() {
    let page = text_of("docs/formats.md");
    let blocks: Vec<&str> =
        page.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    let [screen, actions, learned, model] = blocks[..] else {
        panic!("docs/formats.md has {} examples", blocks.len())
    };
    let screen: Screen = serde_json::from_str(screen).expect("a screen");
    assert_eq!(screen.object_id(1), "0:0");
    for action in actions.lines() {
        serde_json::from_str::<ActionRecord>(action).unwrap_or_else(|error| panic!("{action}: {error}"));
    }
    assert_eq!(Learned::read(learned).expect("what was learned").to_text(), learned);
    assert_eq!(LearnedModel::read(model).expect("a learned model").to_text(), model);
}

#[test]
fn a_table_is_read_cell_by_cell() {
    let page = "## One\n\n| a | b |\n|---|---|\n| `x` | `\\|`, `or` |\n\n| `no` | more |\n## Two\n";
    let rows = table(page, "## One");
    assert_eq!(rows, [["`x`", "`|`, `or`"]]);
    assert_eq!(quoted(&rows[0][1]), ["|", "or"]);
}

#[track_caller]
fn check_same<'a>(what: &str, described: &[String], known: impl IntoIterator<Item = &'a str>) {
    let page: BTreeSet<&str> = described.iter().map(String::as_str).collect();
    let language: BTreeSet<&str> = known.into_iter().collect();
    let unknown: Vec<_> = page.difference(&language).collect();
    let missing: Vec<_> = language.difference(&page).collect();
    assert!(unknown.is_empty(), "docs/language.md describes what is not {what}: {unknown:?}");
    assert!(missing.is_empty(), "docs/language.md does not describe {missing:?}, each {what}");
    assert_eq!(described.len(), page.len(), "docs/language.md describes {what} twice: {described:?}");
}

fn page() -> String {
    text_of("docs/language.md")
}

fn text_of(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the cells of the first table below `heading`, row by row, without its head.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let rows: Vec<Vec<String>> = page
        .lines()
        .skip_while(|line| *line != heading)
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(cells)
        .collect();
    assert!(!rows.is_empty(), "no table below `{heading}`");
    rows
}

/// Returns the cells of a row; `\|` is a bar within a cell.
fn cells(row: &str) -> Vec<String> {
    // No page contains this letter.
    const BAR: &str = "\u{0}";
    let row = row.replace("\\|", BAR);
    let inner = row.trim().trim_start_matches('|').trim_end_matches('|');
    inner.split('|').map(|cell| cell.trim().replace(BAR, "|")).collect()
}

/// Returns the texts between backticks, in order.
fn quoted(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_string).collect()
}
