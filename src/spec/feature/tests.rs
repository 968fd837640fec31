//! Features, held against specs of the language.

use proptest::prelude::*;

use super::*;
use crate::spec::{Spec, Style, parse};

#[track_caller]
fn read_sound(text: &str) -> Vec<Spec> {
    let source = Source::new("specs/notes.feature", text);
    let parsed = parse(&source);
    let shown = parsed.diagnostics.render(&source, Style::Plain);
    assert_eq!(parsed.diagnostics.errors() + parsed.diagnostics.warnings(), 0, "{text}\n{shown}");
    parsed.file.specs
}

/// Checks that a scenario of `steps` says the same as `head: formula`.
#[track_caller]
fn check_in(before: &str, steps: &str, head: &str, formula: &str) {
    let specs = read_sound(&format!("Feature: f\n{before}Scenario: a\n{steps}\n"));
    let expected = parse(&Source::new("a.ltl", format!("{head} a: {formula}"))).file.specs;
    let (spec, expected) = (specs.last().expect("a spec"), expected.first().expect(formula));
    assert_eq!(spec, expected, "{steps}\n{spec}\n{expected}");
}

#[track_caller]
fn check(steps: &str, head: &str, formula: &str) {
    check_in("", steps, head, formula);
}

/// Checks all mistakes, as `LINE:COLUMN CODE UNDERLINED`.
#[track_caller]
fn check_mistakes(text: &str, expected: &[&str]) {
    let source = Source::new("a.feature", text);
    let parsed = parse(&source);
    let found: Vec<String> = parsed
        .diagnostics
        .iter()
        .map(|found| {
            let place = source.position(found.span.start);
            format!("{}:{} {} {}", place.line, place.column, found.code, &text[found.span.clone()])
        })
        .collect();
    assert_eq!(found, expected, "{}", parsed.diagnostics.render(&source, Style::Plain));
}

/// Returns what is said of the only mistake of a step.
#[track_caller]
fn said_of(step: &str) -> String {
    let source = Source::new("a.feature", format!("Feature: f\nScenario: a\n{step}\n"));
    let parsed = parse(&source);
    assert_eq!(parsed.diagnostics.errors(), 1, "{step}");
    parsed.diagnostics.render(&source, Style::Plain)
}

const CLICK: &str = "[actionType = click, actionDetail = \"a\"]";
const BACK: &str = "[actionType = back]";
const FINE: &str = "![crashed = true]";

#[test]
fn each_pattern_is_an_example_of_itself() {
    for pattern in SENTENCES {
        let sentence = sentence::shown(pattern.sentence);
        let (steps, formula) = match pattern.kind {
            SentenceKind::Start if pattern.formula.is_empty() => {
                (format!("Given {sentence}\nThen I see \"b\""), "F [text ~ b]".to_string())
            }
            SentenceKind::Start => (format!("Given {sentence}"), pattern.formula.to_string()),
            SentenceKind::State => {
                (format!("Given the app is started\nThen {sentence}"), format!("F {}", pattern.formula))
            }
            SentenceKind::Action => (
                format!("Given the app is started\nWhen {sentence}"),
                format!("X (({FINE} & !({0})) U ({0}))", pattern.formula),
            ),
        };
        // The action is one of a project.
        if pattern.formula.contains("= \"ACTION\"") {
            continue;
        }
        check(&steps, "possible", &formula);
    }
}

#[test]
fn an_action_of_the_users_is_done_by_its_name() {
    check("When I do \"click\"", "possible", "F [actionType = click]");
    check_mistakes("Feature: f\nScenario: a\nWhen I do \"fly\"", &["3:6 E-value I do \"fly\""]);
}

#[test]
fn words_may_be_written_in_other_ways() {
    for (sentence, formula) in [
        ("I SEE \"a\".", "[text ~ a]"),
        ("the user sees the text 'a'", "[text ~ a]"),
        ("we should see \"a\"", "[text ~ a]"),
        ("I can see “a”", "[text ~ a]"),
        ("I don't see \"a\"", "![text ~ a]"),
        ("I should not see \"a\"", "![text ~ a]"),
        ("the user can't see \"a\"", "![text ~ a]"),
        ("I should be on \"a\"", "[activity ~ a]"),
        ("I'm in \"a\"", "[activity ~ a]"),
        ("the user is on the \"a\" page", "[activity ~ a]"),
        ("\"a\" should not be checked", "[text = a, checked = false]"),
        ("I see \"say \\\"a\\\" \\ \\\\\"", "[text ~ \"say \\\"a\\\" \\\\ \\\\\"]"),
        ("I see \"a\\nb\"", "[text ~ \"a\\nb\"]"),
        ("I see \"caf\\u{e9} \\u{} \\u{110000} \\u\"", "[text ~ \"café \\\\u\\{} \\\\u\\{110000} \\\\u\"]"),
        ("I see 'a\\nb'", "[text ~ \"a\\\\nb\"]"),
        // A brace is a letter like others; terms stand in atoms alone.
        ("I see \"{count(text ~ a)}\"", "[text ~ \"\\{count(text ~ a)}\"]"),
        ("the app crashes", "[crashed = true]"),
        ("I see 12 \"a\"", "[count(text ~ a) = 12]"),
    ] {
        check(&format!("Given the app is started\nThen {sentence}"), "possible", &format!("F {formula}"));
    }
    check("When the user taps on the \"a\"", "possible", &format!("F {CLICK}"));
    check(
        "When she presses back\nWhen he clicks \"a\"",
        "possible",
        &format!("F ({BACK} & X (({FINE} & !{CLICK}) U {CLICK}))"),
    );
}

#[test]
fn atoms_stand_in_any_sentence() {
    for (sentence, formula) in [
        ("[activity ~ Main]", "[activity ~ Main]"),
        ("![text = a] & ([text = b] | G [text = c])", "![text = a] & ([text = b] | G [text = c])"),
        ("I see [text = \"a]\", class = Button]", "[text = \"a]\", class = Button]"),
        ("I do not see [text ~ /x+/]", "![text ~ /x+/]"),
        ("I see 3 [class = Row]", "[count(class = Row) = 3]"),
        ("[id = x] is checked", "[id = x, checked = true]"),
        ("the field \"f\" shows [text = a]", "[id ~ f, text = a]"),
        ("[count(text ~ a) >= 2]", "[count(text ~ a) >= 2]"),
    ] {
        check(&format!("Given the app is started\nThen {sentence}"), "possible", &format!("F ({formula})"));
    }
    check("When I click [actionDetail ~ a]", "possible", "F [actionType = click, actionDetail ~ a]");
    check(
        "When I type \"x\" into [id = y]",
        "possible",
        "F ([actionType = text, actionText = x] & ([id = y, focused = true] | [id = y, focused = true]))",
    );
}

#[test]
fn what_is_given_comes_first_and_each_when_later() {
    check("Given I am on \"a\"\nThen I see \"b\"", "possible", "F ([activity ~ a] & F [text ~ b])");
    check(
        "Given I am on \"a\"\nAnd I see \"b\"\nWhen I click \"a\"\nAnd I go back\nThen I see \"b\"\nBut I do not see \"c\"",
        "possible",
        &format!(
            "F ([activity ~ a] & [text ~ b] & X (({FINE} & !{CLICK} & !{BACK}) U ({CLICK} \
             & X (({FINE} & !{BACK}) U ({BACK} & F ([text ~ b] & ![text ~ c]))))))"
        ),
    );
}

#[test]
fn a_fresh_start_is_step_0() {
    check(
        "Given the app is freshly started\nWhen I go back\nThen I see \"b\"",
        "possible",
        &format!("X (({FINE} & !{BACK}) U ({BACK} & F [text ~ b]))"),
    );
    check("Given the app is started\nThen immediately I see \"b\"", "possible", "[text ~ b]");
    check(
        "Given the app is started\nAnd I am on \"a\"\nThen I see \"b\"",
        "possible",
        "F ([activity ~ a] & F [text ~ b])",
    );
    check(
        "Given the app is started at \"a\"\nWhen I go back",
        "possible",
        &format!("[actionType = reinitialise, actionDetail ~ a] & X (({FINE} & !{BACK}) U {BACK})"),
    );
}

#[test]
fn actions_may_be_given_and_states_awaited() {
    check(
        "Given I click \"a\"\nAnd I am on \"b\"\nWhen I go back 2 times",
        "possible",
        &format!(
            "F ({CLICK} & F ([activity ~ b] & X (({FINE} & !{BACK}) U ({BACK} & X (({FINE} & !{BACK}) U {BACK})))))"
        ),
    );
    // The state may come at the step of the click, which comes again.
    check(
        "When I click \"a\"\nAnd I see \"b\"\nAnd I click \"a\"",
        "possible",
        &format!("F ({CLICK} & ({FINE} U ([text ~ b] & X (({FINE} & !{CLICK}) U {CLICK}))))"),
    );
    check(
        "When I click \"a\"\nThen I see \"b\"\nWhen I go back\nThen I see \"c\"",
        "possible",
        &format!(
            "F ({CLICK} & (({FINE} & !{BACK}) U ([text ~ b] & X (({FINE} & !{BACK}) U ({BACK} & F [text ~ c])))))"
        ),
    );
}

#[test]
fn a_then_says_when_it_holds() {
    let when = format!("F ({CLICK} & ");
    for (then, formula) in [
        ("Then I immediately see \"b\"", "[text ~ b])"),
        ("Then at once I see \"b\"", "[text ~ b])"),
        ("Then within 3 steps I see \"b\"", "F[<=3] [text ~ b])"),
        ("Then I see \"b\" within 1 step\nAnd I see \"c\"", "F[<=1] [text ~ b] & F [text ~ c])"),
        ("Then [text = b] within 2 steps", "F[<=2] [text = b])"),
        ("Then within 2 seconds I see \"b\"", "F[<=2s] [text ~ b])"),
        ("Then within 1 minute I do not see \"b\"", "F[<=60s] ![text ~ b])"),
        ("Then I see \"b\" within 250 ms", "F[<=250ms] [text ~ b])"),
    ] {
        check(&format!("When I click \"a\"\n{then}"), "possible", &format!("{when}{formula}"));
    }
    for (then, formula) in [
        ("Then I never see \"b\"", "F [text ~ b])"),
        ("Then I must never see \"b\"", "F [text ~ b])"),
        ("Then I must always see \"b\"", "F ![text ~ b])"),
        ("Then the app must never crash", "F [crashed = true])"),
        ("Then the app must not crash", "F [crashed = true])"),
        ("Then the app does not crash", "F [crashed = true])"),
        ("Then the app doesn't hang\nAnd I never see \"b\"", "(F [anr = true] | F [text ~ b]))"),
        ("Then the network must always be on", "F ![network = on])"),
        ("Then never [text = b]", "F [text = b])"),
    ] {
        check(&format!("When I click \"a\"\n{then}"), "never", &format!("{when}{formula}"));
    }
}

#[test]
fn what_stands_below_a_rule_holds_for_every_run() {
    let check = |steps: &str, head: &str, formula: &str| check_in("Rule: r\n", steps, head, formula);
    check("Then the app must never crash", "never", "F [crashed = true]");
    check("Then the network is on", "never", "F ![network = on]");
    check("Given I am on \"a\"\nThen I see \"b\"", "never", "F ([activity ~ a] & ![text ~ b])");
    check(
        "When I click \"a\"\nThen I see \"b\"\nAnd I never see \"c\"",
        "never",
        &format!("F ({CLICK} & (![text ~ b] | F [text ~ c]))"),
    );
    check(
        "When I click \"a\"\nThen within 2 steps I see \"b\"",
        "must",
        &format!("!F ({CLICK} & !F[<=2] [text ~ b])"),
    );
    check(
        "When I click \"a\"\nThen within 2 seconds I see \"b\"",
        "must",
        &format!("!F ({CLICK} & !F[<=2s] [text ~ b])"),
    );
    check("When I click \"a\"", "possible", &format!("F {CLICK}"));
}

#[test]
fn backgrounds_come_before_the_steps() {
    let text = "Feature: f\nBackground:\n Given I am on \"a\"\nScenario: s\n Then I see \"b\"\n\
                Rule: r\nBackground:\n And I see \"x\"\nScenario: t\n Then I see \"c\"";
    check_mistakes(text, &["8:2 E-step And"]);
    let specs = read_sound(&text.replace("And I", "Given I"));
    assert_eq!(specs[0].to_string().lines().last(), Some("    F ([activity ~ a] & F [text ~ b])"));
    assert_eq!(
        specs[1].to_string().lines().last(),
        Some("    F ([activity ~ a] & ![text ~ c] & [text ~ x])")
    );
}

#[test]
fn each_row_of_examples_is_a_scenario() {
    let text = "Feature: f\nScenario Outline: <n> notes\n Then I see <n> \"<what>\"\n\
                @x\nExamples: some\n| n | what |\n| 2 | a\"b |\n| 3 | c\\|d |\n";
    let specs = read_sound(text);
    let shown: Vec<(&str, usize, String)> = specs
        .iter()
        .map(|spec| (&*spec.name, spec.line, spec.formulas.display(spec.formula).to_string()))
        .collect();
    assert_eq!(
        shown,
        [
            ("2 notes", 7, "F [count(text ~ a\"b) = 2]".to_string()),
            ("3 notes", 8, "F [count(text ~ c|d) = 3]".to_string()),
        ]
    );
    assert!(specs[0].has_tag("@x"));
    let named = read_sound(&text.replace("<n> notes", "count"));
    assert_eq!(named[0].name, "count (2, a\"b)");
    check_mistakes(&text.replace("| 3 ", ""), &["8:1 E-examples | c\\|d |"]);
    check_mistakes(
        "Feature: f\nScenario Outline: a\nThen I see \"b\"",
        &["2:1 E-examples Scenario Outline:"],
    );
}

#[test]
fn tags_go_down_to_scenarios_and_some_are_clauses() {
    let specs = read_sound(
        "@a\nFeature: f\n@b @within-20-steps\n@over-7-episodes @typed-counts @times-to-10ms # why\nScenario: s\nThen I see \"b\"\n\
         Scenario: t\nThen I see \"b\"\n",
    );
    assert!(specs[0].has_tag("@a") && specs[0].has_tag("@b") && specs[1].has_tag("@a"));
    assert!(!specs[1].is_called("@b") && specs[1].is_called("t"));
    let shown = specs[0].to_string();
    assert!(
        shown.contains("possible \"s\" within 20 steps, 7 episodes, typed counts, times to 10ms:"),
        "{shown}"
    );
}

#[test]
fn keywords_may_be_of_another_language() {
    let specs = read_sound(
        "# language: de\nFunktionalität: f\n  free text\n  Szenario: s\n    Angenommen I am on \"a\"\n    Dann I see \"b\"\n",
    );
    assert_eq!(specs[0].formulas.display(specs[0].formula).to_string(), "F ([activity ~ a] & F [text ~ b])");
    check_mistakes(
        "# language: xx\nFeature: f\nScenario: s\nThen I see \"a\"",
        &["1:1 E-language # language: xx"],
    );
}

#[test]
fn a_scenario_keeps_its_steps_as_they_are_written() {
    let text = "Feature: Notes\n@x\nScenario: \"a\" # b\n  Given  I am on \"a\"  \n  Then I see \"b\"\n";
    let spec = read_sound(text).remove(0);
    assert_eq!((spec.line, &*spec.name), (3, "\"a\" # b"));
    assert_eq!(&text[spec.spans.formula.clone()], "I am on \"a\"  \n  Then I see \"b\"");
    let shown = spec.to_string();
    assert!(
        shown.starts_with(
            "# Feature: Notes\n# @x\n# Scenario: \"a\" # b\n#   Given I am on \"a\"\n#   Then I see \"b\"\npossible "
        ),
        "{shown}"
    );
    let again = parse(&Source::new("a.ltl", &*shown)).file.specs.remove(0);
    assert_eq!(again.to_string(), shown);
    assert!(again.has_tag("@x"));
}

#[test]
fn mistakes_have_their_places() {
    check_mistakes("", &["1:1 E-empty "]);
    check_mistakes("Feature: f\n", &["2:1 E-empty "]);
    check_mistakes("Scenario: s\nThen I see \"a\"", &["1:1 E-feature Scenario:"]);
    check_mistakes("Feature: f\nScenario: s\n", &["2:11 E-empty s"]);
    check_mistakes("Feature: f\nScenaro: s\nThen I see \"a\"", &["2:1 E-feature Scenaro", "3:1 E-step Then"]);
    check_mistakes("Feature: f\nScenario: s\nWhne I go back\nThen I see \"a\"", &["3:1 E-step Whne"]);
    check_mistakes(
        "Feature: f\nScenario: s\nWhen I go back\nThne I see \"a\"\nx",
        &["4:1 E-step Thne", "5:1 E-step x"],
    );
    check_mistakes("Feature: f\nScenario: s\nAnd I go back", &["3:1 E-step And"]);
    check_mistakes(
        "Feature: f\nScenario: s\nWhen I clik \"OK\"\nAnd I see [activty ~ a]\nThen I see \"b",
        &["3:8 E-sentence clik", "5:12 E-quote \""],
    );
    check_mistakes("Feature: f\nScenario: s\nWhen I see [activty ~ a]", &["3:13 E-unknown-key activty"]);
    check_mistakes("Feature: f\nScenario: s\nThen ([text = a] & ", &["3:6 E-bracket ("]);
    check_mistakes("Feature: f\nScenario: s\nThen [text = a", &["3:6 E-bracket ["]);
    check_mistakes("Feature: f\nScenario: s\nThen [text = a] [text = b]", &["3:17 E-syntax ["]);
    check_mistakes("Feature: f\nScenario: s\nThen I go back", &["3:6 E-step I go back"]);
    check_mistakes(
        "Feature: f\nScenario: s\nThen I see \"a\"\nAnd I never see \"b\"",
        &["4:5 E-step I never see \"b\""],
    );
    check_mistakes(
        "Feature: f\nScenario: s\nThen I see \"a\"\nScenario: s\nThen I see \"a\"",
        &["4:11 E-declared-twice s"],
    );
    check_mistakes(
        "Feature: f\nScenario: s\nThen I see \"a\"\n\"\"\"\nWhen x\n\"\"\"\n| a |\n@t",
        &["4:1 E-step \"\"\"", "7:1 E-examples | a |", "8:1 E-tag @t"],
    );
    check_mistakes(
        "Feature: f\nScenario: s\nThen I see \"a\" within 2000 minutes",
        &["3:23 E-sentence 2000 minutes"],
    );
    check_mistakes(
        "Feature: f\nScenario: s\nThen I see \"a\" 2 times",
        &["3:6 E-sentence I see \"a\" 2 times"],
    );
    check_mistakes("Feature: f\nScenario: s\nThen", &["3:5 E-sentence "]);
    check_mistakes("Feature: f\n@within-0-steps\nScenario: s\nThen I see \"a\"", &["3:11 E-budget s"]);
    check_mistakes("Feature: f\n@times-to-2min\nScenario: s\nThen I see \"a\"", &[]);
    check_mistakes("Feature: f\n@times-to-61s\nScenario: s\nThen I see \"a\"", &["3:11 E-budget s"]);
}

#[test]
fn an_unknown_sentence_gets_the_nearest_pattern() {
    for (step, near) in [
        ("When I clik \"OK\"", "I click \"NAME\""),
        ("When I click OK", "I click \"NAME\""),
        ("Then I sea \"a\"", "I see \"TEXT\""),
        ("When I type \"a\" in to \"b\"", "I type \"TEXT\" into \"FIELD\""),
        ("When I go bak", "I go back"),
        ("Given I'm near the \"Main\" screen", "I am on \"ACTIVITY\""),
    ] {
        let said = said_of(step);
        assert!(said.contains(&format!("did you mean `{near}`?")), "{said}");
    }
    assert!(!said_of("When all the birds sing in the trees").contains("did you mean"));
}

#[test]
fn large_features_are_refused_in_bounded_time() {
    let steps = "When I go back\n".repeat(101);
    check_mistakes(&format!("Feature: f\nScenario: s\n{steps}"), &["2:11 E-too-large s"]);
    let shared = format!("Feature: f\nBackground:\n{}", "Given I click \"a\"\n".repeat(90));
    let many: String = (0..20_000).map(|number| format!("Scenario: {number}\nThen I see \"a\"\n")).collect();
    let source = Source::new("a.feature", shared + &many);
    assert!(parse(&source).diagnostics.iter().any(|found| found.code == "E-too-large"));
    let rows = "| x |\n".repeat(100_000);
    let text = format!(
        "Feature: f\nScenario Outline: s\nThen I see \"{}<a>\"\nExamples:\n| a |\n{rows}",
        "y".repeat(900)
    );
    assert!(parse(&Source::new("a.feature", text)).diagnostics.errors() > 0);
    for line in [
        "@a ",
        "# language: de\n",
        "Rule: a\n",
        "Background:\nGiven x\n",
        "\"\"\"\n",
        "| a ",
        "When I sea \"a\"\n",
        "<",
        "*\n",
        "Then [text ~ /a/]\n",
    ] {
        let source = Source::new(
            "a.feature",
            format!("Feature: f\nScenario: s\n{}", line.repeat(600_000 / line.len())),
        );
        parse(&source).diagnostics.render(&source, Style::Colour);
    }
}

proptest! {
    #[test]
    fn any_lines_are_answered(lines in prop::collection::vec(line(), 0..30)) {
        let text = lines.concat();
        let source = Source::new("a.feature", &*text);
        let parsed = parse(&source);
        for diagnostic in parsed.diagnostics.iter() {
            prop_assert!(source.text().get(diagnostic.span.clone()).is_some(), "{diagnostic:?} {text:?}");
            diagnostic.located(&source);
        }
        // Each spec is written as one of the language that says the same.
        for spec in &parsed.file.specs {
            let again = parse(&Source::new("a.ltl", spec.to_string())).file.specs.remove(0);
            prop_assert_eq!(again.to_string(), spec.to_string());
            prop_assert_eq!(&again, spec);
        }
    }
}

fn line() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "Feature: f\n",
        "Scenario: s\n",
        "Scenario: t\n",
        "Rule: r\n",
        "Background:\n",
        "Scenario Outline: o <a>\n",
        "Examples:\n",
        "| a | b |\n",
        "| \"x\" | 3 |\n",
        "@tag\n",
        "Given ",
        "When ",
        "Then ",
        "And ",
        "But ",
        "* ",
        "\n",
        "I click \"a\"\n",
        "I see \"a\"\n",
        "I see <b> \"<a>\"\n",
        "never ",
        "within 2 steps ",
        "[text = a]\n",
        "![text ~ \"]\"]\n",
        "(",
        ")",
        "[",
        "\"",
        "'",
        "I type \"a\" into [id = b]\n",
        "the app is started\n",
        "the app must never crash\n",
        "twice\n",
        "I go back 3 times\n",
        "ä ",
        "\u{202e}",
        "#",
        "\"\"\"\n",
        "\r\n",
        "\t",
        ",",
        ".",
        "\\",
    ]);
    prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat())
}
