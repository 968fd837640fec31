//! The engine against verdicts computed by other programs: see the data's own notes.

use farlead::ltl::{Automaton, Formula, Formulas, Monitor, Permanent, ResidualId};
use farlead::spec::{self, Names, Source};
use serde_json::Value;

use crate::{fixtures, shared};

fn read_label(text: &str) -> String {
    spec::read_label(text).expect("a label that can be read")
}

fn labels_of(step: &Value) -> Vec<String> {
    let labels = step.as_array().expect("labels").iter();
    labels.map(|label| read_label(label.as_str().expect("a label"))).collect()
}

struct Read {
    formulas: Formulas,
    formula: Formula,
}

fn parse(text: &str) -> Read {
    let read = spec::parse_formula(&Source::new("row", text), Names::Any);
    let formula = read.formula.unwrap_or_else(|| panic!("{text}: {:?}", read.diagnostics));
    Read { formulas: read.formulas, formula }
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row[key].as_str().unwrap_or_else(|| panic!("{key} of {row}"))
}

fn permanent(text: &str) -> Permanent {
    match text {
        "sat" => Permanent::Satisfied,
        "unsat" => Permanent::Violated,
        "open" => Permanent::Open,
        other => panic!("a verdict `{other}`"),
    }
}

fn check_vectors(file: &str, rows: &[Value]) {
    for row in rows {
        let read = parse(text(row, "formula"));
        let mut monitor = Monitor::new(&read.formulas, read.formula);
        assert_eq!(monitor.permanent(), permanent(text(row, "init")), "before {row}");
        let steps = row["trace"].as_array().expect("a trace");
        for (k, labels) in steps.iter().enumerate() {
            let labels = labels_of(labels);
            let progress = monitor.step(labels.iter().map(String::as_str));
            assert_eq!(Value::Bool(progress.satisfied), row["stop"][k], "stop at {k} of {row}");
            assert_eq!(
                progress.permanent,
                permanent(row["perm"][k].as_str().expect("a verdict")),
                "perm at {k} of {row}"
            );
        }
    }
    eprintln!("{file}: {} vectors hold", rows.len());
}

#[test]
fn vectors_of_our_own_hold() {
    let file = "ltl/vectors.jsonl";
    check_vectors(file, &fixtures::rows(file));
}

fn check_shared_vectors(file: &str) {
    let Some(rows) = shared::rows(file) else { return };
    check_vectors(file, &rows);
}

#[test]
fn every_random_vector_holds() {
    check_shared_vectors("ltl/vectors_random.jsonl");
}

#[test]
fn every_vector_of_the_patterns_holds() {
    check_shared_vectors("ltl/vectors_patterns.jsonl");
}

#[test]
fn every_vector_of_the_papers_formulas_holds() {
    check_shared_vectors("ltl/vectors_table3.jsonl");
}

fn check_cores(file: &str, rows: &[Value]) {
    for row in rows.iter().filter(|row| row["ops"].as_u64().is_some_and(|ops| ops <= 30)) {
        assert_eq!(difference(text(row, "formula"), text(row, "core")), None, "{row}");
    }
    eprintln!("{file}: {} rows read", rows.len());
}

#[test]
fn formulas_of_our_own_and_their_cores_are_equivalent() {
    let file = "ltl/cores.jsonl";
    check_cores(file, &fixtures::rows(file));
}

#[test]
fn a_formula_and_its_core_are_equivalent() {
    for file in ["ltl/vectors_random.jsonl", "ltl/families.jsonl", "ltl/spec_patterns.jsonl"] {
        let Some(rows) = shared::rows(file) else { return };
        check_cores(file, &rows);
    }
}

#[test]
fn pairs_of_our_own_are_equivalent_exactly_if_they_are_said_to_be() {
    check_pairs(&fixtures::rows("ltl/pairs.jsonl"));
}

#[test]
fn every_pair_is_equivalent_exactly_if_it_is_said_to_be() {
    let Some(rows) = shared::rows("ltl/equiv.jsonl") else { return };
    check_pairs(&rows);
}

fn check_pairs(rows: &[Value]) {
    for row in rows {
        let witness = difference(text(row, "lhs"), text(row, "rhs"));
        assert_eq!(Value::Bool(witness.is_none()), row["equivalent"], "{row}");
        if let Some(length) = witness {
            let shortest = row["witness"].as_array().expect("a distinguishing trace").len();
            assert_eq!(length as usize, shortest, "{row}");
        }
    }
    eprintln!("{} pairs hold", rows.len());
}

/// Returns the length of a shortest trace that satisfies exactly one of two formulas.
fn difference(one: &str, other: &str) -> Option<u32> {
    let mut formulas = Formulas::new();
    let [one, other] = [one, other].map(|text| {
        let read = parse(text);
        formulas.import(&read.formulas, read.formula)
    });
    let differ = !formulas.iff(one, other);
    let mut automaton = Automaton::new(&formulas, differ);
    automaton.steps_to_satisfaction(ResidualId::START).expect("few residuals")
}

/// Returns the number of rows with a verdict before the first step, and the names of the open ones.
fn check_start_verdicts(rows: &[Value]) -> (usize, Vec<&str>) {
    let (mut counted, mut open) = (0, Vec::new());
    for row in rows {
        let Some(init) = row["init"].as_str() else { continue };
        let found = start_verdict(text(row, "formula"));
        counted += 1;
        if found != permanent(init) {
            assert_eq!(found, Permanent::Open, "{row}");
            open.push(text(row, "id"));
        }
    }
    (counted, open)
}

#[test]
fn whether_a_formula_of_our_own_can_be_satisfied_is_known_of_all() {
    let rows = fixtures::rows("ltl/verdicts.jsonl");
    assert_eq!(check_start_verdicts(&rows), (rows.len(), Vec::new()));
}

#[test]
fn whether_a_formula_can_be_satisfied_is_as_the_solvers_say() {
    let mut counted = 0;
    for file in ["declare", "dwyer55", "spec_patterns", "families", "table3"] {
        let Some(rows) = shared::rows(&format!("ltl/{file}.jsonl")) else { return };
        let (count, open) = check_start_verdicts(&rows);
        eprintln!(
            "{file}: {count} verdicts before the first step hold but for {open:?}, which are left open"
        );
        counted += count;
    }
    eprintln!("{counted} verdicts read from 5 files");
}

fn start_verdict(formula: &str) -> Permanent {
    let read = parse(formula);
    Automaton::new(&read.formulas, read.formula).permanent(ResidualId::START)
}

#[test]
fn no_formula_of_our_own_is_judged_against_what_is_known() {
    check_published(&fixtures::rows("ltl/published.jsonl"));
}

#[test]
fn no_published_formula_is_judged_against_the_solvers() {
    let Some(rows) = shared::rows("ltl/published_ltlf.jsonl") else { return };
    check_published(&rows);
}

fn check_published(rows: &[Value]) {
    let mut open = Vec::new();
    for row in rows {
        let known = ["ltlf_sat_aalta", "ltlf_sat_black"].iter().find_map(|key| row[*key].as_str());
        match (start_verdict(text(row, "formula")), known) {
            (Permanent::Violated, known) => assert_ne!(known, Some("SAT"), "{row}"),
            (Permanent::Satisfied, known) => assert_ne!(known, Some("UNSAT"), "{row}"),
            (Permanent::Open, Some("UNSAT")) => open.push(text(row, "id").to_owned()),
            (Permanent::Open, _) => {}
        }
    }
    eprintln!("{} published formulas; unsatisfiable, but left open: {open:?}", rows.len());
}

#[test]
fn worked_examples_of_our_own_have_their_residuals_and_rewards() {
    check_rewards(&fixtures::rows("ltl/rewards.jsonl"));
}

#[test]
fn the_papers_worked_example_has_its_residuals_and_rewards() {
    let Some(rows) = shared::rows("ltl/table2_golden.jsonl") else { return };
    check_rewards(&rows);
    eprintln!("{} examples read from 1 file", rows.len());
}

fn check_rewards(rows: &[Value]) {
    for row in rows {
        let read = parse(text(row, "phi0"));
        let mut monitor = Monitor::new(&read.formulas, read.formula);
        for step in row["steps"].as_array().expect("steps") {
            let labels = labels_of(&step["labels"]);
            let progress = monitor.step(labels.iter().map(String::as_str));
            let reward = step["reward"].as_f64().expect("a reward");
            assert!((progress.reward - reward).abs() < 1e-9, "{row}");
            let expected = parse(text(step, "residual"));
            let shown = expected.formulas.display(expected.formula).to_string();
            assert_eq!(monitor.residual().to_string(), shown, "{row}");
        }
    }
}

#[test]
fn patterns_of_our_own_stay_small_for_a_thousand_steps() {
    check_small(&fixtures::rows("ltl/patterns.jsonl"));
}

#[test]
fn textbook_patterns_stay_small_for_a_thousand_steps() {
    let Some(rows) = shared::rows("ltl/dwyer55.jsonl") else { return };
    check_small(&rows);
    eprintln!("{} patterns read from 1 file", rows.len());
}

fn check_small(rows: &[Value]) {
    for row in rows {
        let read = parse(text(row, "formula"));
        let mut automaton = Automaton::new(&read.formulas, read.formula);
        let names: Vec<String> = automaton.atoms().map(str::to_owned).collect();
        let mut state = ResidualId::START;
        for step in 0..1000usize {
            let held = names.iter().enumerate().filter(|(at, _)| (step >> at) % 3 == 0);
            let labels = automaton.labels(held.map(|(_, name)| &**name));
            state = automaton.step(state, &labels);
        }
        assert!(automaton.atom_count(state) < 100_000, "{row}");
        assert!(!automaton.is_large(), "{row}");
    }
}

/// Checks section 5 of the notes on the paper's formulas: N at the start and after each step of the sequences
/// of its section 4, with the rewards.
#[test]
fn every_atom_count_and_reward_of_the_papers_formulas_is_exact() {
    let Some(path) = shared::path("apps/table3.md") else { return };
    let notes = std::fs::read_to_string(path).expect("readable notes");
    assert_eq!(check_counts(&notes), 25);
    eprintln!("25 formulas read from 1 file");
}

#[test]
fn every_atom_count_and_reward_of_formulas_of_our_own_is_exact() {
    assert_eq!(check_counts(&fixtures::text("ltl/counts.md")), 2);
}

/// Returns the number of formulas in the notes that have numbers.
fn check_counts(notes: &str) -> usize {
    let mut counted = 0;
    for (name, start, counts, rewards) in numbers(notes) {
        let formula = notes
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name}  ")))
            .unwrap_or_else(|| panic!("the formula {name}"));
        let read = parse(formula);
        assert_eq!(read.formulas.atom_count(read.formula), start, "N of {name} at the start");
        let mut monitor = Monitor::new(&read.formulas, read.formula);
        for (k, labels) in sequence(&name).into_iter().enumerate() {
            let labels: Vec<String> = labels.into_iter().map(read_label).collect();
            let progress = monitor.step(labels.iter().map(String::as_str));
            assert_eq!(progress.atom_count, counts[k], "N of {name} after {k}: {}", monitor.residual());
            assert!((progress.reward - rewards[k]).abs() < 1e-12, "reward of {name} at {k}");
            assert_eq!(progress.satisfied, k + 1 == counts.len(), "{name} at {k}");
        }
        counted += 1;
    }
    counted
}

type Numbers = (String, u64, Vec<u64>, Vec<f64>);

fn numbers(notes: &str) -> Vec<Numbers> {
    let rows = notes.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, start, counts, rewards] = cells[..] else { return None };
        let start = start.parse().ok()?;
        let counts = counts.split(", ").map(|count| count.parse().ok()).collect::<Option<Vec<u64>>>()?;
        let rewards = rewards.split(", ").map(fraction).collect();
        Some((name.to_owned(), start, counts, rewards))
    });
    rows.collect()
}

fn fraction(text: &str) -> f64 {
    match text.split_once('/') {
        Some((above, below)) => {
            above.parse::<f64>().expect("a number") / below.parse::<f64>().expect("a number")
        }
        None => text.parse().expect("a number"),
    }
}

/// Returns the labels of the shortest sequence of section 4 for `name`, as the two apps show them.
fn sequence(name: &str) -> Vec<Vec<&'static str>> {
    let click = |detail: &'static str, more: &[&'static str]| {
        let mut labels = vec!["[actionType = click]", detail];
        labels.extend(more);
        labels
    };
    let main = "[activity ~ Main]";
    let about = "[activity ~ About]";
    let settings = "[activity ~ Settings]";
    let (new, offline, moved) = ("[activity ~ New]", "[activity ~ Offline]", "[text ~ moved]");
    let (checked, unchecked) = ("[checked = true]", "[checked = false]");
    match &name[..1] {
        "A" => vec![vec![main], click("[actionDetail ~ About]", &[about]), vec!["[actionType = back]", main]],
        "B" => vec![
            vec![main],
            click("[actionDetail ~ Settings]", &[settings, checked]),
            vec!["[actionType = back]", main],
        ],
        "C" => vec![vec![main], vec!["[actionType = pauseresume]", main]],
        "D" => vec![vec![main], vec!["[actionType = idle]", "[screen = off]", main]],
        "E" => vec![
            vec![main],
            click("[actionDetail ~ Settings]", &[settings, checked]),
            click("[actionObjectID = 0:0:0:0:0]", &[settings, unchecked]),
            vec!["[actionType = back]", main],
            click("[actionDetail ~ Settings]", &[settings, unchecked]),
        ],
        "F" => vec![
            vec![main],
            click("[actionDetail ~ Offline]", &["[actionDetail ~ Play]", new]),
            click("[actionDetail ~ Play]", &[offline]),
            vec!["[actionType = chessmove]", offline, moved],
        ],
        "G" => vec![
            vec![main],
            click("[actionDetail ~ Offline]", &["[actionDetail ~ Play]", new]),
            click("[actionDetail ~ Play]", &[offline]),
            vec!["[actionType = chessmove]", offline, moved],
            click("[actionDetail ~ New]", &[new]),
            click("[actionDetail ~ Play]", &[offline, moved]),
        ],
        "H" => vec![
            vec![main, "[text ~ OK]"],
            click("[actionDetail ~ OK]", &[main]),
            click("[actionDetail ~ +]", &[main, "[text ~ sketch]", "[text ~ New text]"]),
            click("[actionDetail ~ sketch]", &["[activity ~ Sketch]"]),
            click("[actionDetail ~ colorSelector]", &["[activity ~ Sketch]", "[objectID ~ 18]"]),
        ],
        "I" => vec![
            vec![main, "[text ~ OK]"],
            click("[actionDetail ~ OK]", &[main]),
            click("[actionDetail ~ +]", &[main, "[text ~ New text]"]),
            click("[actionDetail ~ text]", &["[activity ~ TextNote]"]),
            vec!["[actionType = back]", main, "[text ~ Note 1]"],
        ],
        other => panic!("no sequence for {other}"),
    }
}

/// Laws of the logic, each as an equivalence of random formulas.
#[test]
fn the_laws_of_the_logic_hold() {
    for (one, other) in [
        ("!X p", "N !p"),
        ("!(p U q)", "!p R !q"),
        ("!(p W q)", "!p M !q"),
        ("!(p & q)", "!p | !q"),
        ("!F p", "G !p"),
        ("p U q", "q | p & X (p U q)"),
        ("p R q", "q & (p | N (p R q))"),
        ("p W q", "q | p & N (p W q)"),
        ("p M q", "q & (p | X (p M q))"),
        ("G p", "p & N G p"),
        ("F p", "p | X F p"),
        ("p S q", "q | p & Y (p S q)"),
        ("O p", "p | Y O p"),
        ("!H p", "O !p"),
        ("X (p | q)", "X p | X q"),
        ("X (p & q)", "X p & X q"),
        ("N (p & q)", "N p & N q"),
        ("F (p | q)", "F p | F q"),
        ("G (p & q)", "G p & G q"),
        ("(p & q) U r", "(p U r) & (q U r)"),
        ("p U (q | r)", "(p U q) | (p U r)"),
        ("X Y p", "p & X true"),
        ("N !Y p", "!p | !X true"),
        ("F (p & Y q)", "F (q & X p)"),
        ("F (p & O q)", "F (q & F p)"),
        ("G (p -> O q)", "!p W q"),
        ("F[2..3] p", "X X (p | X p)"),
        ("G[<=2] p", "p & N (p & N p)"),
        ("p U[<=1] q", "q | p & X q"),
        ("p R[<=1] q", "q & (p | N q)"),
    ] {
        assert_eq!(difference(one, other), None, "{one} is {other}");
    }
}

#[test]
fn a_formula_of_our_own_and_its_negation_are_never_both_satisfied() {
    check_contradiction(&fixtures::text("ltl/counts.md"), "G.x  ");
}

#[test]
fn a_formula_and_its_negation_are_never_both_satisfied() {
    let Some(path) = shared::path("apps/table3.md") else { return };
    check_contradiction(&std::fs::read_to_string(path).expect("readable notes"), "G.b  ");
    eprintln!("1 formula read from 1 file");
}

fn check_contradiction(notes: &str, name: &str) {
    let formula = notes.lines().find_map(|line| line.strip_prefix(name)).expect("the formula");
    let both = parse(&format!("({formula}) & !({formula})"));
    assert_eq!(both.formula, Formula::FALSE);
    // Spelled so that no normal form sees it.
    let hidden = parse(&format!("({formula}) & !X true U ({formula}) & !F[<=0] ({formula})"));
    let mut automaton = Automaton::new(&hidden.formulas, hidden.formula);
    assert_ne!(automaton.permanent(ResidualId::START), Permanent::Satisfied);
}
