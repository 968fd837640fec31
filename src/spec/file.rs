//! Specs as values, and their canonical text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::gui::{self, TypedText, UserAction, quote};
use crate::ltl::{Formula, Formulas, QUANTUM_MS, Unit};
use crate::text::Span;

/// File of specs, without the items that have mistakes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpecFile {
    /// Declared labels, in the order of the file.
    pub labels: Vec<String>,
    /// User's actions, in the order of the file.
    pub actions: Vec<UserAction>,
    /// Specs, in the order of the file.
    pub specs: Vec<Spec>,
}

/// Named formula, with what is expected of the runs of an app.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Name; no other spec of the file has it.
    pub name: String,
    /// Expectation of the runs.
    pub expectation: Expectation,
    /// Budget, as far as the spec sets one.
    pub budget: Budget,
    /// Worth of text that a run has typed.
    pub typed: TypedText,
    /// Store of the formula.
    pub formulas: Formulas,
    /// Formula of the runs that are possible, forbidden or required.
    pub formula: Formula,
    /// Brackets of the formula by their names; a name without a bracket is a label.
    pub atoms: BTreeMap<String, gui::Atom>,
    /// User's actions that the brackets mention.
    pub actions: Vec<UserAction>,
    /// First line, counted from 1.
    pub line: usize,
    /// Places of its parts in the source.
    pub spans: Spans,
    /// Scenario that it was written as, if it was written in plain words.
    pub scenario: Option<Arc<Scenario>>,
}

/// Scenario in plain words; the spec has its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    /// Name of its feature.
    pub feature: String,
    /// Tags, each with its `@`.
    pub tags: Vec<String>,
    /// Steps as they are written.
    pub steps: Vec<ScenarioStep>,
}

/// Step of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScenarioStep {
    /// Keyword and sentence.
    pub text: String,
    /// Formula of the sentence by itself; empty where it is not known any more.
    pub means: String,
}

impl Scenario {
    /// Returns the lines of the scenario `name`, the first with its name.
    pub fn lines(&self, name: &str) -> Vec<String> {
        let steps = self.steps.iter().map(|step| format!("  {}", step.text));
        std::iter::once(format!("Scenario: {}", in_a_line(name))).chain(steps).collect()
    }
}

/// Returns `text` without line breaks and the like, and without blanks at its ends.
pub(super) fn in_a_line(text: &str) -> String {
    let text: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    text.trim().to_string()
}

/// Places of a spec and its parts in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// Whole spec.
    pub item: Span,
    /// Formula.
    pub formula: Span,
    /// `within K steps`.
    pub steps: Option<Span>,
    /// `over E episodes`.
    pub episodes: Option<Span>,
    /// `typed counts`.
    pub typed: Option<Span>,
    /// `times to N`.
    pub times: Option<Span>,
}

/// Expectation of the runs of an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expectation {
    /// Some run satisfies the formula.
    Possible,
    /// No run satisfies the formula.
    Never,
    /// No run makes the formula permanently violated.
    Must,
}

impl Expectation {
    /// All expectations.
    pub const ALL: [Expectation; 3] = [Expectation::Possible, Expectation::Never, Expectation::Must];

    /// Returns the word that a spec starts with.
    pub fn word(self) -> &'static str {
        match self {
            Expectation::Possible => "possible",
            Expectation::Never => "never",
            Expectation::Must => "must",
        }
    }
}

/// Budget of a spec. The search chooses what the spec leaves out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Largest number of steps in an episode, with the start.
    pub steps_max: Option<u32>,
    /// Largest number of episodes.
    pub episodes_max: Option<u32>,
}

/// Detail in which a spec speaks of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// States alone.
    A,
    /// Types of actions too.
    B,
    /// More than the types of actions.
    C,
}

impl fmt::Display for Level {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Level::A => "a",
            Level::B => "b",
            Level::C => "c",
        })
    }
}

impl Spec {
    /// Returns the detail in which the spec speaks of actions.
    pub fn level(&self) -> Level {
        let level = |atom: &gui::Atom| match (atom.is_action_detail(), atom.is_action()) {
            (true, _) => Level::C,
            (false, true) => Level::B,
            (false, false) => Level::A,
        };
        self.atoms.values().map(level).max().unwrap_or(Level::A)
    }

    /// Returns the labels of the formula in the order of their names. Brackets are no labels.
    pub fn labels(&self) -> BTreeSet<&str> {
        let atoms = self.formulas.atoms(self.formula);
        atoms
            .into_iter()
            .map(|atom| self.formulas.name(atom))
            .filter(|&name| !self.atoms.contains_key(name))
            .collect()
    }

    /// Returns true if `tag`, with its `@`, is one of its scenario.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.scenario.as_ref().is_some_and(|scenario| scenario.tags.iter().any(|own| own == tag))
    }

    /// Returns true if `name` is its name, or a tag of its scenario.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.has_tag(name)
    }

    /// Returns the clause that says how times are rounded, unless the spec leaves it out.
    pub fn times_clause(&self) -> Option<String> {
        let quantum_ms = self.formulas.quantum_ms();
        (quantum_ms != QUANTUM_MS).then(|| format!("times to {}", Unit::Time.written(quantum_ms)))
    }

    fn write_item(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scenario) = &self.scenario {
            write_scenario(out, scenario, &self.name)?;
        }
        write!(out, "{} {}", self.expectation.word(), quote(&self.name))?;
        let steps = self.budget.steps_max.map(|steps_max| format!(" within {steps_max} steps"));
        let episodes = self.budget.episodes_max.map(|episodes_max| format!(" {episodes_max} episodes"));
        let typed = (self.typed == TypedText::Counts).then(|| " typed counts".to_string());
        let times = self.times_clause().map(|clause| format!(" {clause}"));
        // A comma stands between two clauses alone.
        let clauses: Vec<String> = [steps, episodes, typed, times].into_iter().flatten().collect();
        write!(out, "{}", clauses.join(","))?;
        writeln!(out, ":\n    {}", self.formulas.display(self.formula))
    }
}

/// Specs are equal if they say the same, wherever they stand.
impl PartialEq for Spec {
    fn eq(&self, other: &Spec) -> bool {
        let says_the_same = |other: &Spec| {
            // Handles are comparable in one store alone.
            let mut mine = self.formulas.clone();
            mine.import(&other.formulas, other.formula) == self.formula
        };
        self.name == other.name
            && self.expectation == other.expectation
            && self.budget == other.budget
            && self.typed == other.typed
            && self.formulas.quantum_ms() == other.formulas.quantum_ms()
            && self.atoms == other.atoms
            && self.actions == other.actions
            && says_the_same(other)
    }
}

/// Writes a file with this spec alone and the declarations it needs.
impl fmt::Display for Spec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_declarations(out, self.labels(), &self.actions)?;
        self.write_item(out)
    }
}

/// Writes a file that reads as the same value.
impl fmt::Display for SpecFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_declarations(out, self.labels.iter().map(String::as_str), &self.actions)?;
        for (at, spec) in self.specs.iter().enumerate() {
            if at > 0 {
                writeln!(out)?;
            }
            spec.write_item(out)?;
        }
        Ok(())
    }
}

/// Writes the scenario of the spec `name` as comments, from which [`scenario_above`] reads it.
fn write_scenario(out: &mut fmt::Formatter<'_>, scenario: &Scenario, name: &str) -> fmt::Result {
    writeln!(out, "{}", format!("# {FEATURE} {}", scenario.feature).trim_end())?;
    if !scenario.tags.is_empty() {
        writeln!(out, "# {}", scenario.tags.join(" "))?;
    }
    scenario.lines(name).into_iter().try_for_each(|line| writeln!(out, "# {line}"))
}

const FEATURE: &str = "Feature:";

/// Returns the scenario that the comments right above the item at `start` of `text` are, if they are one.
pub(super) fn scenario_above(text: &str, start: usize) -> Option<Scenario> {
    let mut above: Vec<&str> =
        text[..start].rsplit('\n').skip(1).map_while(|line| line.trim_end().strip_prefix("# ")).collect();
    above.reverse();
    let first = above.iter().rposition(|line| line.starts_with(FEATURE))?;
    let mut lines = above[first..].iter().copied();
    let feature = lines.next()?.strip_prefix(FEATURE)?.trim_start().to_string();
    let mut scenario = Scenario { feature, ..Scenario::default() };
    let mut head = lines.next()?;
    if head.starts_with('@') {
        scenario.tags = head.split(' ').map(str::to_string).collect();
        head = lines.next()?;
    }
    head.strip_prefix("Scenario:")?;
    for line in lines {
        let text = line.strip_prefix("  ")?.to_string();
        scenario.steps.push(ScenarioStep { text, means: String::new() });
    }
    Some(scenario)
}

fn write_declarations<'a>(
    out: &mut fmt::Formatter<'_>,
    labels: impl IntoIterator<Item = &'a str>,
    actions: &[UserAction],
) -> fmt::Result {
    let labels: Vec<&str> = labels.into_iter().collect();
    if !labels.is_empty() {
        writeln!(out, "label {}", labels.join(", "))?;
    }
    for action in actions {
        writeln!(out, "{action}")?;
    }
    // A blank line between declarations and specs.
    if !labels.is_empty() || !actions.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gui::quote_value;
    use crate::spec::{Source, Style, parse};

    #[track_caller]
    fn read(text: &str) -> SpecFile {
        let source = Source::new("a.ltl", text);
        let parsed = parse(&source);
        assert_eq!(
            parsed.diagnostics.errors(),
            0,
            "{text}\n{}",
            parsed.diagnostics.render(&source, Style::Plain)
        );
        parsed.file
    }

    #[test]
    fn a_spec_alone_is_written_with_the_declarations_it_needs() {
        let file = read(
            "label a, b\naction c on [id = d]: wait 1s\naction e on [id = d]: wait 1s\n\
             must f: F a\nnever \"g h\" 5 episodes: F ([actionType != c] & b)",
        );
        assert_eq!(file.specs[0].to_string(), "label a\n\nmust \"f\":\n    F a\n");
        assert_eq!(
            file.specs[1].to_string(),
            "label b\naction c on [id = d]: wait 1s\n\nnever \"g h\" 5 episodes:\n    F ([actionType != c] & b)\n"
        );
        let typed = read("must f typed counts over 3 episodes: G [text = a]\npossible typed: F [text = a]");
        assert_eq!(typed.specs[0].to_string(), "must \"f\" 3 episodes, typed counts:\n    G [text = a]\n");
        assert_eq!(typed.specs[1].to_string(), "possible \"typed\":\n    F [text = a]\n");
        let timed =
            read("must f times to 1000ms, over 3 episodes: G [text = a]\npossible times: F [text = a]");
        assert_eq!(timed.specs[0].to_string(), "must \"f\" 3 episodes, times to 1s:\n    G [text = a]\n");
        assert_eq!(timed.specs[0].formulas.quantum_ms(), 1000);
        assert_eq!(timed.specs[1].to_string(), "possible \"times\":\n    F [text = a]\n");
        assert_eq!(timed.specs[1].formulas.quantum_ms(), 100);
        assert_eq!(read(&file.to_string()), file);
    }

    #[test]
    fn specs_are_equal_if_they_say_the_same() {
        let spec = |text: &str| read(text).specs.remove(0);
        let one = spec("let m = [activity~M]\nnever \"a\": F (m & [text = b])");
        assert_eq!(one, spec("never a: # why\n true U ([text=b] & [activity ~ M])"));
        assert_ne!(one, spec("never a: F ([text = b] | [activity ~ M])"));
        assert_ne!(one, spec("must a: F ([text = b] & [activity ~ M])"));
        assert_ne!(one, spec("never b: F ([text = b] & [activity ~ M])"));
        assert_ne!(one, spec("never a 5 episodes: F ([text = b] & [activity ~ M])"));
        assert_ne!(one, spec("never a typed counts: F ([text = b] & [activity ~ M])"));
        assert_ne!(one, spec("never a times to 10ms: F ([text = b] & [activity ~ M])"));
    }

    /// Texts with every sign that is special somewhere in the language.
    fn text() -> impl Strategy<Value = String> {
        let odd = prop::sample::select(vec![
            '"', '\\', '\n', '\t', '\r', ',', ']', '[', ')', '(', '#', '/', '~', '=', '!', '<', '∼', '≠',
            ' ', 'a', 'ä', '5', '-', '\u{202e}', '\u{feff}', '\u{a0}', '日', '&', '\0',
        ]);
        prop_oneof![
            "[a-z]{1,5}",
            prop::collection::vec(odd, 0..8).prop_map(String::from_iter),
            any::<String>(),
        ]
    }

    fn comparison(keys: &'static [&'static str]) -> impl Strategy<Value = String> {
        (prop::sample::select(keys), prop::sample::select(vec!["=", "!=", "~"]), text())
            .prop_map(|(key, op, text)| format!("{key} {op} {}", quote_value(&text)))
    }

    fn joined(keys: &'static [&'static str]) -> impl Strategy<Value = String> {
        prop::collection::vec(comparison(keys), 1..4).prop_map(|all| all.join(", "))
    }

    const WIDGET_KEYS: &[&str] = &["text", "desc", "id", "objectID", "class"];

    fn atom() -> impl Strategy<Value = String> {
        let regex = prop::sample::select(vec!["a.*b", "\\/", "\"\\]", "[\\/]", "^#,\\)$", "\\\\"]);
        let fixed = prop::sample::select(vec![
            "[checked = true]",
            "[checked != false]",
            "[checked = true, enabled = false]",
            "[screen != off, orientation = portrait]",
            "[network = on]",
            "[crashed = true]",
            "[actionType = click, actionDetail ~ x]",
            "[actionType ~ /^c/]",
            "[actionType != mine]",
            "[actionText <= -02.50]",
            "[text > 5, text < 7.125]",
        ]);
        prop_oneof![
            fixed.prop_map(str::to_string),
            joined(WIDGET_KEYS).prop_map(|inside| format!("[{inside}]")),
            joined(&["package", "activity"]).prop_map(|inside| format!("[{inside}]")),
            joined(&["actionDetail", "actionText", "actionObjectID"])
                .prop_map(|inside| format!("[{inside}]")),
            (joined(WIDGET_KEYS), prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="]), 0..20u8)
                .prop_map(|(inside, op, number)| format!("[count({inside}) {op} {number}]")),
            regex.prop_map(|regex| format!("[desc ~ /{regex}/]")),
        ]
    }

    fn formula() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            4 => prop::sample::select(vec!["ready", "done_2", "größe"]).prop_map(str::to_string),
            4 => atom(),
            1 => prop::sample::select(vec!["true", "false"]).prop_map(str::to_string),
        ];
        let bound = prop::sample::select(vec!["", "", "[<=2]", "[>=1]", "[=3]", "[1..4]"]);
        leaf.prop_recursive(5, 40, 2, move |inner| {
            let prefix = prop::sample::select(vec!["!", "X", "N", "Y", "next:"]);
            let bounded = prop::sample::select(vec!["F", "G", "O", "H", "eventually", "□"]);
            let infix = prop::sample::select(vec!["&", "|", "->", "<->", "then", "∧"]);
            let until = prop::sample::select(vec!["U", "R", "W", "M", "S", "until", "weak until"]);
            prop_oneof![
                (prefix, inner.clone()).prop_map(|(prefix, f)| format!("({prefix} ({f}))")),
                (bounded, bound.clone(), inner.clone())
                    .prop_map(|(op, bound, f)| format!("{op}{bound} ({f})")),
                (inner.clone(), infix, inner.clone()).prop_map(|(f, op, g)| format!("({f} {op} {g})")),
                (inner.clone(), until, bound.clone(), inner)
                    .prop_map(|(f, op, bound, g)| format!("(({f}) {op}{bound} ({g}))")),
            ]
        })
    }

    fn spec() -> impl Strategy<Value = String> {
        let budget = prop::sample::select(vec![
            "",
            "within 4 steps",
            "7 episodes",
            "over 7 episodes, within 1 step",
            "typed counts",
            "typed counts, 7 episodes within 4 steps",
            "times to 10ms",
            "within 4 steps, times to 2s",
        ]);
        (prop::sample::select(vec!["possible", "never", "must"]), text(), budget, formula()).prop_map(
            |(expectation, name, budget, formula)| {
                format!("{expectation} {} {budget}:\n  {formula}\n", quote(&format!("a{name}")))
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_the_same(specs in prop::collection::vec(spec(), 1..4)) {
            let mut text = "label ready, done_2, größe\n\
                            action mine on [checked = true]: tap 1.5% 2%, text \"\\n#\"\n".to_string();
            for (at, spec) in specs.iter().enumerate() {
                // Names differ by their first letters.
                text.push_str(&spec.replacen("\"a", &format!("\"{at}a"), 1));
            }
            let file = read(&text);
            prop_assert_eq!(file.specs.len(), specs.len());
            let written = file.to_string();
            let again = read(&written);
            prop_assert_eq!(&again, &file);
            prop_assert_eq!(again.to_string(), written);
            for spec in &file.specs {
                let alone = read(&spec.to_string());
                prop_assert_eq!(&alone.specs[0], spec);
                prop_assert_eq!(alone.to_string(), spec.to_string());
            }
        }
    }
}
