//! Speed of reading and judging specs, and of reading lines of a trace.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use farlead::spec::{Names, Source, lint, parse, parse_formula, read_label};
use farlead::trace::read_line;

fn main() {
    divan::main();
}

/// Specs of the repository, by the paper's letters.
const FILES: [(&str, &str); 3] = [
    ("A", include_str!("../specs/chesswalk/about.ltl")),
    ("E", include_str!("../specs/chesswalk/remember.ltl")),
    ("G", include_str!("../specs/chesswalk/second_game.ltl")),
];

fn source(name: &str) -> Source {
    let (_, text) = FILES.iter().find(|(known, _)| *known == name).expect("a file of the list");
    Source::new(name, *text)
}

/// Measures reading a file of three specs, including the thread it is read on.
#[divan::bench(args = ["A", "E", "G"])]
fn read_file(bencher: Bencher, name: &str) {
    let source = source(name);
    bencher.counter(BytesCount::new(source.text().len())).bench_local(|| parse(&source));
}

/// Measures the same, and judging each spec: satisfiability, shortest witness, possible steps of an app.
#[divan::bench(args = ["A", "E", "G"])]
fn lint_file(bencher: Bencher, name: &str) {
    let source = source(name);
    bencher.bench_local(|| lint(&source));
}

/// Measures reading a chain of this many operators.
#[divan::bench(args = [10, 100, 1_000, 9_999])]
fn read_chain(bencher: Bencher, operators: usize) {
    let text = format!("{}[activity ~ Main]", "[text ~ OK] U ".repeat(operators));
    let source = Source::new("chain", text);
    bencher.counter(ItemsCount::new(operators)).bench_local(|| parse_formula(&source, Names::Any));
}

/// Measures reading the name of an atom as written in a trace.
#[divan::bench]
fn label() -> Option<String> {
    read_label(divan::black_box("[activity~Main]"))
}

/// Measures reading a step of a recorded trace.
#[divan::bench]
fn trace_line() -> usize {
    let line = br#"{"labels": ["[activity ~ Main]", "[actionType = click]", "[text ~ moved]"]}"#;
    read_line(divan::black_box(line)).map_or(0, |step| step.labels.len())
}
