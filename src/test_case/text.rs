//! Test cases as text: `.test.ltl`, readable and with one line for each part that may change.
//!
//! The grammar is `grammar/test.pest`; the specs at the end are those of any `.ltl` file. A test that is written reads
//! back the same, and is written again as the same bytes.

use std::fmt::{self, Write as _};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use pest::Parser as _;
use pest::iterators::Pair;

use super::{
    CAPTURED_END, Provenance, SetUpRun, Shared, TestCase, TestSetUp, TestStep, captured_expectation,
    captured_name,
};
use crate::gui::{
    Action, ActionType, Argument, Around, Atom, Bounds, Direction, Nth, START_TYPE, Target, ToldBy,
    TypedText, UserAction, quote,
};
use crate::ltl::{Formula, Formulas, Node};
use crate::rate::Rate;
use crate::spec::{self, Diagnostic, Diagnostics, Source, Spec};
use crate::text::{clip, stopped_at, unquote, writable_address};

/// Version of the format that is written; a later one is refused.
///
/// In a test of version 1, typed text counts, and farlead.toml names the set-up. From version 2 on, the specs say
/// the one by a clause, and the test keeps the other itself. From version 3 on, it keeps the surroundings of widgets.
pub const FORMAT: u32 = 3;

/// Versions of the format that are read.
const FORMATS: RangeInclusive<u32> = 1..=FORMAT;

/// Largest test that is read: a run of 10,000 steps on widgets with long names.
const BYTES_MAX: usize = 16 << 20;

/// Most steps of a test.
const STEPS_MAX: usize = 10_000;

/// Most set-up tests that a test keeps, as many as farlead.toml may name.
pub const SET_UP_MAX: usize = 20;

/// Most steps of all set-up tests that a test keeps.
pub const SET_UP_STEPS_MAX: usize = STEPS_MAX;

/// Word that stands alone on the line before the specs.
const SPECS: &str = "specs";

/// The parser made from `grammar/test.pest`.
mod grammar {
    // The derived enum of rules has no documentation.
    #![allow(missing_docs)]

    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/test.pest"]
    pub(super) struct Grammar;
}

use grammar::{Grammar, Rule};

/// Result of reading a test.
#[derive(Clone, Debug)]
pub struct Read {
    /// Test, if it has no mistakes.
    pub test: Option<TestCase>,
    /// All mistakes.
    pub diagnostics: Diagnostics,
}

/// Returns true if `text` is meant as a stored test: its first line says so.
pub fn is_test(text: &str) -> bool {
    head(text).is_some_and(|(_, line)| line.split_whitespace().take(2).eq(["farlead", "test"]))
}

/// Returns the first line that is neither empty nor a comment, with its start.
fn head(text: &str) -> Option<(usize, &str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            return Some((at, line));
        }
        at += line.len();
    }
    None
}

/// Returns the same source with all but its specs blanked out, so that diagnostics about specs point at their lines.
pub fn specs_alone(source: &Source) -> Source {
    let text = source.text();
    let start = specs_start(text).map_or(text.len(), |line| line.end);
    // Line breaks stay, so that lines and columns are those of the file.
    let blank: String = text[..start].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    Source::new(source.name(), blank + &text[start..])
}

/// Returns the range of the line `specs`.
fn specs_start(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim() == SPECS {
            return Some(at..at + line.len());
        }
        at += line.len();
    }
    None
}

/// Returns the test that `source` holds, and all mistakes in it.
pub fn read(source: &Source) -> Read {
    let mut diagnostics = Diagnostics::default();
    let test = read_into(source, &mut diagnostics);
    Read { test: test.filter(|_| diagnostics.errors() == 0), diagnostics }
}

fn read_into(source: &Source, diagnostics: &mut Diagnostics) -> Option<TestCase> {
    let text = source.text();
    if text.len() > BYTES_MAX {
        let message = format!("a test is at most {} MB large", BYTES_MAX >> 20);
        diagnostics.error(|| Diagnostic::error("E-size", 0..0, message));
        return None;
    }
    // Asked before the grammar, which may not even parse a later format.
    if let Some(later) = later_format(text) {
        let (span, number) = later;
        diagnostics.error(|| {
            let message =
                format!("this is a test of format {number}, and this farlead reads formats up to {FORMAT}");
            Diagnostic::error("E-format", span, message).help("install a newer farlead")
        });
        return None;
    }
    let Some(line) = specs_start(text) else {
        diagnostics.error(|| {
            Diagnostic::error("E-specs", 0..0, "there is no line `specs` with the specs after it")
                .help("the file is cut short; take it from version control again")
        });
        return None;
    };
    // The specs come first, because steps may do actions that are declared there.
    let specs = spec::parse(&specs_alone(source));
    specs.diagnostics.iter().for_each(|found| diagnostics.add(found.clone()));
    let before = match Grammar::parse(Rule::test, &text[..line.start]) {
        Ok(mut pairs) => pairs.next().expect("the rule has matched"),
        Err(error) => {
            diagnostics.error(|| misplaced(&error));
            return None;
        }
    };
    let mut reader = Reader { actions: &specs.file.actions, diagnostics };
    let mut format = FORMAT;
    let mut provenance = Provenance::default();
    let mut set_ups = Vec::new();
    let mut steps = Vec::new();
    for part in before.into_inner() {
        match part.as_rule() {
            Rule::head => format = reader.head(part),
            Rule::from => provenance = reader.provenance(part),
            Rule::setup => set_ups.push(part),
            Rule::steps => steps = reader.steps(part),
            _ => {}
        }
    }
    let set_up = reader.set_up(format, set_ups, steps.first());
    let mut specs = specs;
    if format == 1 {
        specs.file.specs.iter_mut().for_each(count_typed);
    }
    let (captured, oracle) = match <[Spec; 2]>::try_from(specs.file.specs) {
        Ok([captured, oracle]) => (Some(captured), oracle),
        // Alone, the formula that captures a run is no oracle.
        Err(mut specs) if specs.len() == 1 && !specs[0].name.ends_with(CAPTURED_END) => {
            (None, specs.remove(0))
        }
        // The other spec has mistakes, which are reported already.
        Err(specs) if specs.len() == 1 && diagnostics.errors() > 0 => return None,
        Err(_) => {
            diagnostics.error(|| {
                let message = "after `specs` come the formula of the run and the spec it was found for";
                Diagnostic::error("E-specs", line, message)
            });
            return None;
        }
    };
    if let Some(captured) = captured.as_ref().filter(|captured| !captures(captured, &oracle)) {
        let message = format!(
            "{:?} is not the formula of a run of {:?}: that is called {:?} and expects the same",
            captured.name,
            oracle.name,
            captured_name(&oracle)
        );
        diagnostics.error(|| Diagnostic::error("E-specs", captured.spans.item.clone(), message));
    }
    Some(TestCase { provenance, set_up, steps, captured, oracle, actions: specs.file.actions })
}

/// Makes typed text count for a spec that could be met by it.
fn count_typed(spec: &mut Spec) {
    if spec.atoms.values().any(Atom::reads_typed_text) {
        spec.typed = TypedText::Counts;
    }
}

/// Returns true if `captured` has the name and the expectation of a formula that captures a run of `oracle`.
fn captures(captured: &Spec, oracle: &Spec) -> bool {
    captured.name == captured_name(oracle) && captured.expectation == captured_expectation(oracle)
}

/// Returns true if `text` is a stored test in a later format than [`FORMAT`].
pub fn is_newer(text: &str) -> bool {
    later_format(text).is_some()
}

/// Returns the number of a format later than ours, with its range in the text.
fn later_format(text: &str) -> Option<(Range<usize>, &str)> {
    let (at, line) = head(text).filter(|_| is_test(text))?;
    let number = line.split_whitespace().nth(2)?;
    // A number too large for 32 bits is later than ours as well.
    let is_later = number.bytes().all(|byte| byte.is_ascii_digit())
        && number.parse::<u32>().map_or(true, |number| number > FORMAT);
    let start = at + line.find(number)?;
    is_later.then_some((start..start + number.len(), number))
}

fn misplaced(error: &pest::error::Error<Rule>) -> Diagnostic {
    let at = stopped_at(error);
    Diagnostic::error("E-test", at..at, "this is not how a test goes on here")
        .help("docs/formats.md has the form; `farlead check` writes such a file anew")
}

fn span(pair: &Pair<'_, Rule>) -> Range<usize> {
    pair.as_span().start()..pair.as_span().end()
}

struct Reader<'a> {
    actions: &'a [UserAction],
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn mistake(&mut self, code: &'static str, span: Range<usize>, message: impl Into<String>) {
        self.diagnostics.error(|| Diagnostic::error(code, span, message));
    }

    fn number<T: std::str::FromStr + Default>(&mut self, pair: &Pair<'_, Rule>) -> T {
        // Reading goes on after a mistake, so that all mistakes are reported at once.
        pair.as_str().parse().unwrap_or_else(|_| {
            self.mistake("E-number", span(pair), format!("`{}` is out of range", clip(pair.as_str())));
            T::default()
        })
    }

    fn text(&mut self, pair: &Pair<'_, Rule>) -> String {
        unquote(pair.as_str()).unwrap_or_else(|escape| {
            self.mistake("E-escape", span(pair), format!("`{}` is no character", clip(&escape)));
            String::new()
        })
    }

    /// Returns the format; a later one was refused before.
    fn head(&mut self, head: Pair<'_, Rule>) -> u32 {
        let number = head.into_inner().next().expect("a head has a number");
        let format = self.number::<u32>(&number);
        if !FORMATS.contains(&format) {
            let (first, last) = (FORMATS.start(), FORMATS.end());
            self.mistake("E-format", span(&number), format!("the formats are {first} to {last}"));
        }
        format
    }

    fn provenance(&mut self, from: Pair<'_, Rule>) -> Provenance {
        let mut provenance = Provenance::default();
        let mut seen: Vec<String> = Vec::new();
        for entry in from.into_inner() {
            let mut parts = entry.into_inner();
            let key = parts.next().expect("an entry has a key");
            let values: Vec<Pair<'_, Rule>> = parts.collect();
            if seen.iter().any(|other| other == key.as_str()) {
                self.mistake("E-twice", span(&key), format!("`{}` is said twice", key.as_str()));
            }
            seen.push(key.as_str().to_string());
            self.entry(&mut provenance, &key, &values);
        }
        provenance
    }

    fn entry(&mut self, provenance: &mut Provenance, key: &Pair<'_, Rule>, values: &[Pair<'_, Rule>]) {
        let rules: Vec<Rule> = values.iter().map(Pair::as_rule).collect();
        match (key.as_str(), &rules[..]) {
            ("farlead", [Rule::quoted]) => provenance.farlead = self.text(&values[0]),
            ("package", [Rule::quoted]) => provenance.package = self.text(&values[0]),
            ("version", [Rule::quoted]) => provenance.version = self.text(&values[0]),
            ("device", [Rule::quoted]) => provenance.device = self.text(&values[0]),
            ("spec", [Rule::quoted]) => provenance.spec = self.text(&values[0]),
            ("agent", [Rule::quoted]) => provenance.agent = self.text(&values[0]),
            ("app", all) if all.iter().all(|rule| *rule == Rule::quoted) => {
                // A test that somebody has edited may have a user and a key, which no command writes again.
                let written = |value: &Pair<'_, Rule>| writable_address(&self.text(value)).into_owned();
                provenance.app = values.iter().map(written).collect();
            }
            ("seed", [Rule::number]) => provenance.seed = self.number(&values[0]),
            ("episodes", [Rule::number]) => provenance.episodes = self.number(&values[0]),
            ("steps", [Rule::number]) => provenance.steps = self.number(&values[0]),
            ("found", [Rule::number]) => provenance.found_steps = self.number(&values[0]),
            ("confirmed", [Rule::of]) => {
                let numbers: Vec<Pair<'_, Rule>> = values[0].clone().into_inner().collect();
                provenance.confirmed =
                    Rate { passes: self.number(&numbers[0]), runs: self.number(&numbers[1]) };
                if provenance.confirmed.passes > provenance.confirmed.runs {
                    self.mistake("E-number", span(&values[0]), "more of them passed than were tried");
                }
            }
            // A known key comes here only with a value of another form.
            (known, _) if KEYS.contains(&known) => {
                self.mistake("E-value", span(key), format!("this is no value of `{known}`"));
            }
            (other, _) => {
                let message = format!("`{}` is not known; there is {}", clip(other), KEYS.join(", "));
                self.mistake("E-key", span(key), message);
            }
        }
    }

    fn steps(&mut self, steps: Pair<'_, Rule>) -> Vec<TestStep> {
        let whole = span(&steps);
        let pairs: Vec<Pair<'_, Rule>> = steps.into_inner().collect();
        if pairs.is_empty() {
            self.mistake("E-steps", whole.start..whole.start, "a test has a step at least, its start");
        }
        if pairs.len() > STEPS_MAX {
            self.mistake("E-steps", whole, format!("a test has at most {STEPS_MAX} steps"));
            return Vec::new();
        }
        pairs.into_iter().enumerate().filter_map(|(number, step)| self.step(number, step)).collect()
    }

    /// Returns the set-up of a test whose own steps begin with `start`.
    fn set_up(&mut self, format: u32, parts: Vec<Pair<'_, Rule>>, start: Option<&TestStep>) -> TestSetUp {
        let Some(first) = parts.first() else {
            return if format == 1 { TestSetUp::OfProject } else { TestSetUp::Own(Vec::new()) };
        };
        let at = span(first).start..span(first).start;
        if format == 1 {
            let message = "a test of format 1 keeps no set-up";
            self.diagnostics.error(|| {
                Diagnostic::error("E-setup", at, message).help("begin the file with `farlead test 2`")
            });
            return TestSetUp::OfProject;
        }
        if parts.len() > SET_UP_MAX {
            self.mistake("E-setup", at, format!("a test keeps at most {SET_UP_MAX} set-up tests"));
            return TestSetUp::OfProject;
        }
        let is_only = parts.len() == 1;
        let mut runs: Vec<SetUpRun> = Vec::new();
        for part in parts {
            let whole = span(&part).start..span(&part).start;
            let mut inner = part.into_inner().filter(|part| part.as_rule() != Rule::setup_word).peekable();
            let named = inner.next().expect("a set-up says what it is");
            if named.as_rule() == Rule::project {
                if !is_only {
                    self.mistake(
                        "E-setup",
                        span(&named),
                        "`setup project` stands alone, without set-up tests",
                    );
                }
                return TestSetUp::OfProject;
            }
            let name = self.text(&named);
            let counts = inner.next_if(|part| part.as_rule() == Rule::counts);
            let typed = counts.map_or(TypedText::IsNoEvidence, |_| TypedText::Counts);
            let steps: Vec<Pair<'_, Rule>> = inner.collect();
            let all = runs.iter().map(|run| run.steps.len()).sum::<usize>() + steps.len();
            if all > SET_UP_STEPS_MAX {
                let message =
                    format!("the set-up tests of a test have at most {SET_UP_STEPS_MAX} steps in all");
                self.mistake("E-setup", whole, message);
                return TestSetUp::OfProject;
            }
            let steps: Vec<TestStep> =
                steps.into_iter().enumerate().filter_map(|(number, step)| self.step(number, step)).collect();
            // They go on from each other, so the app is started once, with one activity.
            match (steps.first(), start) {
                (None, _) => self.mistake("E-setup", whole, "a set-up test has a step at least, its start"),
                (Some(first), Some(start)) if first.action != start.action => {
                    let (own, other) = (first.action.detail(), start.action.detail());
                    let message = format!("the set-up test starts {own:?}, and the test starts {other:?}");
                    self.mistake("E-setup", whole, message);
                }
                (Some(_), _) => {}
            }
            runs.push(SetUpRun { name, typed, steps });
        }
        TestSetUp::Own(runs)
    }

    fn step(&mut self, number: usize, step: Pair<'_, Rule>) -> Option<TestStep> {
        let mut parts = step.into_inner().peekable();
        let written = parts.next().expect("a step has a number");
        // Compared as text, so that `01` is a mistake: a test that is read must be written again as the same
        // bytes.
        if written.as_str() != number.to_string() {
            let message = format!("steps are numbered from 0; this is step {number}");
            self.mistake("E-steps", span(&written), message);
        }
        let word = parts.next().expect("a step has a type");
        let argument = parts.next_if(|part| part.as_rule() != Rule::part);
        let mut on = None;
        let mut shared = Shared::default();
        let (mut beside, mut told): (Option<Arc<str>>, Option<(ToldBy, bool)>) = (None, None);
        let mut sees = Vec::new();
        for part in parts {
            let part = part.into_inner().next().expect("a part says something");
            match part.as_rule() {
                Rule::shared => {
                    // Only an action on a widget has names to share.
                    on.get_or_insert_with(Target::default);
                    self.shared(&mut shared, part);
                }
                Rule::beside => {
                    let text = part.into_inner().next().expect("words are in quotes");
                    beside = Some(self.text(&text).into());
                }
                Rule::told => told = Some(self.told(part)),
                Rule::sees => sees.extend(self.sees(part)),
                _ => self.fingerprint(on.get_or_insert_with(Target::default), part),
            }
        }
        let action = self.action(number, &word, argument.as_ref(), on)?;
        let around = match (beside, told) {
            (Some(beside), Some((told_by, has_own_words))) if action.target().is_some() => {
                Some(Around { beside, told_by, has_own_words })
            }
            (None, None) => None,
            _ => {
                let message = "a step on a widget has both `beside` and `told by`, or neither";
                self.mistake("E-around", span(&word), message);
                None
            }
        };
        Some(TestStep { action, shared, around, sees })
    }

    /// Returns the part that tells a widget from others, and true if its words do too.
    fn told(&mut self, told: Pair<'_, Rule>) -> (ToldBy, bool) {
        let mut parts = told.into_inner();
        let part = parts.next().expect("it is told by a part");
        let told_by = match (part.as_rule(), part.as_str()) {
            (Rule::told_place, _) => ToldBy::Place(self.nth(&part.into_inner().next().expect("a place"))),
            (_, "id") => ToldBy::Id,
            (_, "names") => ToldBy::Names,
            _ => ToldBy::Beside,
        };
        (told_by, parts.next().is_some())
    }

    /// Returns a place among several, from `2 of 3`.
    fn nth(&mut self, of: &Pair<'_, Rule>) -> Nth {
        let numbers: Vec<u32> = of.clone().into_inner().map(|number| self.number(&number)).collect();
        let nth = Nth { number: numbers[0], of: numbers[1] };
        if nth.of < 2 || !(1..=nth.of).contains(&nth.number) {
            self.mistake("E-number", span(of), "this is no place among two widgets or more");
        }
        nth
    }

    fn shared(&mut self, shared: &mut Shared, part: Pair<'_, Rule>) {
        let parts: Vec<Pair<'_, Rule>> = part.into_inner().collect();
        let nth = self.nth(&parts[1]);
        let place = match parts[0].as_str() {
            "id" => &mut shared.id,
            "text" => &mut shared.text,
            "desc" => &mut shared.desc,
            _ => &mut shared.all,
        };
        *place = Some(nth);
    }

    fn sees(&mut self, sees: Pair<'_, Rule>) -> Option<(Atom, bool)> {
        let mut parts: Vec<Pair<'_, Rule>> = sees.into_inner().collect();
        let written = parts.pop().expect("what is seen is an atom");
        match spec::read_atom(written.as_str()) {
            // Before the atom there can only be a `!`, which denies it.
            Some(atom) => Some((atom, parts.is_empty())),
            None => {
                let message = format!("`{}` is no atom", clip(written.as_str()));
                self.mistake("E-atom", span(&written), message);
                None
            }
        }
    }

    fn fingerprint(&mut self, on: &mut Target, part: Pair<'_, Rule>) {
        let rule = part.as_rule();
        let parts: Vec<Pair<'_, Rule>> = part.into_inner().collect();
        match rule {
            Rule::path => on.object_id = parts[0].as_str().into(),
            Rule::bounds => {
                let edges: Vec<i32> = parts.iter().map(|edge| self.number(edge)).collect();
                on.bounds = Bounds::new(edges[0], edges[1], edges[2], edges[3]);
            }
            _ => {
                let text: Arc<str> = self.text(&parts[1]).into();
                match parts[0].as_str() {
                    "id" => on.id = text,
                    "desc" => on.desc = text,
                    "text" => on.text = text,
                    "below" => on.below = text,
                    _ => on.class = text,
                }
            }
        }
    }

    fn action(
        &mut self,
        number: usize,
        word: &Pair<'_, Rule>,
        argument: Option<&Pair<'_, Rule>>,
        on: Option<Target>,
    ) -> Option<Action> {
        let name = word.as_str();
        let text = argument.filter(|pair| pair.as_rule() == Rule::quoted).map(|pair| self.text(pair));
        let towards = argument
            .and_then(|pair| Direction::ALL.into_iter().find(|direction| direction.name() == pair.as_str()));
        let action = match (ActionType::parse(name), text, towards, on) {
            (Some(ActionType::Start), Some(activity), None, None) => Action::Reinitialise(activity.into()),
            (Some(ActionType::Touch(touch)), None, None, Some(on)) => Action::Touch(touch, on),
            (Some(ActionType::Text), Some(text), None, Some(on)) => Action::Text { on, text: text.into() },
            (Some(ActionType::Stroke(stroke)), None, Some(towards), Some(on)) => {
                Action::Stroke(stroke, on, towards)
            }
            (Some(ActionType::Device(action)), None, None, None) => Action::Device(action),
            (None, None, None, Some(on)) if self.actions.iter().any(|action| action.name == name) => {
                let action = self.actions.iter().find(|action| action.name == name)?;
                Action::User { action: Arc::new(action.clone()), on }
            }
            _ => {
                let message = format!("`{}` is no action like this", clip(name));
                self.diagnostics.error(|| {
                    Diagnostic::error("E-action", span(word), message).help(
                        "a click is `1 click` with the lines of its widget, a text `2 text \"abc\"`, a scroll `3 scroll down`; an \
                         action of your own is declared after `specs`",
                    )
                });
                return None;
            }
        };
        if (number == 0) != matches!(action, Action::Reinitialise(_)) {
            let message = format!("step 0, and no other, is `{START_TYPE}`");
            self.mistake("E-action", span(word), message);
        }
        Some(action)
    }
}

/// Keys of the origin of a test, in the order in which they are written.
const KEYS: [&str; 12] = [
    "farlead",
    "package",
    "version",
    "app",
    "device",
    "spec",
    "agent",
    "seed",
    "episodes",
    "steps",
    "found",
    "confirmed",
];

/// Printed as [`read`] reads it.
impl fmt::Display for TestCase {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "farlead test {FORMAT}")?;
        writeln!(out, "# Do its steps again with `farlead replay`, find it anew with `farlead check`.")?;
        writeln!(out, "\nfrom\n{}", self.provenance)?;
        match &self.set_up {
            TestSetUp::OfProject => writeln!(out, "setup project\n")?,
            TestSetUp::Own(runs) => {
                for SetUpRun { name, typed, steps } in runs {
                    let typed = if *typed == TypedText::Counts { " typed counts" } else { "" };
                    writeln!(out, "setup {}{typed}", quote(name))?;
                    for (number, step) in steps.iter().enumerate() {
                        write_step(out, number, step)?;
                    }
                    writeln!(out)?;
                }
            }
        }
        writeln!(out, "steps")?;
        for (number, step) in self.steps.iter().enumerate() {
            write_step(out, number, step)?;
        }
        writeln!(out, "\n{SPECS}\n")?;
        for action in &self.actions {
            writeln!(out, "{action}")?;
        }
        if !self.actions.is_empty() {
            writeln!(out)?;
        }
        if let Some(captured) = &self.captured {
            writeln!(out, "{}", in_steps(captured))?;
        }
        // The actions stand before both specs, so neither repeats them.
        let oracle = Spec { actions: Vec::new(), ..self.oracle.clone() };
        write!(out, "{oracle}")
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = [
            ("farlead", &self.farlead),
            ("package", &self.package),
            ("version", &self.version),
            ("device", &self.device),
            ("spec", &self.spec),
            ("agent", &self.agent),
        ];
        for (key, text) in texts {
            writeln!(out, "    {key} {}", quote(text))?;
            // The arguments stand behind the version, in the order of `KEYS`.
            if key == "version" {
                let app: String = self.app.iter().map(|part| format!(" {}", quote(part))).collect();
                writeln!(out, "    app{app}")?;
            }
        }
        writeln!(out, "    seed {}\n    episodes {}\n    steps {}", self.seed, self.episodes, self.steps)?;
        let Rate { passes, runs } = self.confirmed;
        writeln!(out, "    found {}\n    confirmed {passes} of {runs}", self.found_steps)
    }
}

fn write_step(out: &mut fmt::Formatter<'_>, number: usize, step: &TestStep) -> fmt::Result {
    let action = &step.action;
    write!(out, "    {number} {}", action.type_name())?;
    match action.argument() {
        Argument::Activity(text) | Argument::Text(text) => write!(out, " {}", quote(text))?,
        Argument::Towards(towards) => write!(out, " {}", towards.name())?,
        Argument::None | Argument::Own(_) => {}
    }
    writeln!(out)?;
    if let Some(Target { object_id, class, id, text, desc, below, bounds, is_cut: _ }) = action.target() {
        let names = [("id", id), ("desc", desc), ("text", text), ("below", below), ("class", class)];
        for (key, value) in names {
            if !value.is_empty() {
                writeln!(out, "        {key} {}", quote(value))?;
            }
        }
        // A test that was edited by hand may have none.
        if !object_id.is_empty() {
            writeln!(out, "        path {object_id}")?;
        }
        let Bounds { left, top, right, bottom } = bounds;
        writeln!(out, "        bounds {left},{top} {right},{bottom}")?;
        let Shared { id, text, desc, all } = step.shared;
        for (key, nth) in [("id", id), ("desc", desc), ("text", text), ("all", all)] {
            if let Some(Nth { number, of }) = nth {
                writeln!(out, "        shared {key} {number} of {of}")?;
            }
        }
    }
    if let Some(Around { beside, told_by, has_own_words }) = &step.around {
        let part = match told_by {
            ToldBy::Id => "id".to_string(),
            ToldBy::Names => "names".to_string(),
            ToldBy::Beside => "beside".to_string(),
            ToldBy::Place(Nth { number, of }) => format!("place {number} of {of}"),
        };
        let words = if *has_own_words { " and words" } else { "" };
        writeln!(out, "        beside {}\n        told by {part}{words}", quote(beside))?;
    }
    for (atom, holds) in &step.sees {
        writeln!(out, "        sees {}{atom}", if *holds { "" } else { "!" })?;
    }
    Ok(())
}

/// Returns a spec as text, its formula with each step on a line of its own.
fn in_steps(spec: &Spec) -> String {
    // The actions are written before, once for both specs.
    let plain = Spec { actions: Vec::new(), ..spec.clone() }.to_string();
    let head_end = plain.find('\n').map_or(plain.len(), |at| at + 1);
    let mut text = plain[..head_end].to_string();
    let mut formula = spec.formula;
    // A loop, as the formula is as deep as the run is long.
    while let Some((now, next)) = now_and_next(&spec.formulas, formula) {
        let _ = writeln!(text, "    {now} then");
        formula = next;
    }
    let _ = writeln!(text, "    {}", flat(&spec.formulas, formula));
    text
}

/// Returns the parts of `now & X next`.
fn now_and_next(formulas: &Formulas, formula: Formula) -> Option<(String, Formula)> {
    let members = match formulas.node(formula) {
        Node::And(members) if !formula.is_negated() => formulas.members(members).to_vec(),
        _ => return None,
    };
    let next = |member: &Formula| match formulas.node(*member) {
        Node::Next(next) if !member.is_negated() => Some(next),
        _ => None,
    };
    let nexts: Vec<Formula> = members.iter().filter_map(next).collect();
    // With two of them there would be no single formula to go on with.
    let [next_step] = nexts[..] else { return None };
    let now: Vec<String> = members
        .iter()
        .filter(|member| next(member).is_none())
        .map(|member| bracketed(formulas, *member))
        .collect();
    Some((now.join(" & "), next_step))
}

/// Returns a formula as it may stand beside `then` without brackets.
fn flat(formulas: &Formulas, formula: Formula) -> String {
    match formulas.node(formula) {
        Node::And(members) if !formula.is_negated() => {
            let parts: Vec<String> =
                formulas.members(members).iter().map(|member| bracketed(formulas, *member)).collect();
            parts.join(" & ")
        }
        _ => bracketed(formulas, formula),
    }
}

/// Returns a member of a conjunction, in brackets unless it is an atom or its negation.
fn bracketed(formulas: &Formulas, formula: Formula) -> String {
    let text = formulas.display(formula).to_string();
    match formulas.node(formula) {
        Node::Atom(_) | Node::True => text,
        _ => format!("({text})"),
    }
}
