//! Files: from text to [`SpecFile`], item by item.
//!
//! All items are parsed first, so that every declared name is known, those of broken items too. A mistake is reported
//! at its place, and not again where the name is used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pest::Parser;
use pest::iterators::Pair;

use super::ParsedFormula;
use super::atom::{AtomReader, Purpose};
use super::file::{Budget, Expectation, Spans, Spec, SpecFile, scenario_above};
use super::formula::{self, Lowered, Operands, QUANTUM_MAX_MS};
use super::grammar::{Grammar, Rule};
use super::items::{Item, ItemKind, items};
use super::mistake;
use crate::gui::{
    self, ActionType, ActionTypes, Gesture, Key, Pattern, Percent, Point, PressedKey, Term, TypedText,
    UserAction, WAIT_MS_MAX,
};
use crate::ltl::{Formula, Formulas, KEEPS_MAX, Node, QUANTUM_MS, Unit};
use crate::sorted;
use crate::text::{
    self, Declarations, Diagnostic, Diagnostics, Source, Span, Suggestions, child, clip, did_you_mean, meant,
    no_character, no_item, part, parts, span, time_unit, unquote, word_at, words,
};

/// Largest number of operators in all formulas of a file, everything written out. A file of the largest size holds as
/// many without `let`s, and they are quickly made.
const FILE_OPERATORS_MAX: u64 = 1_000_000;
/// Largest number of different brackets with a regular expression in a file. Each expression is compiled, which takes
/// up to milliseconds.
const REGEX_BRACKETS_MAX: usize = 100;
/// Largest number of a budget.
const BUDGET_MAX: u32 = 1_000_000_000;

/// Names that a formula may use without a declaration.
#[derive(Clone, Copy, Debug)]
pub enum Names<'a> {
    /// Any name is a label.
    Any,
    /// These are labels.
    Only(&'a BTreeSet<String>),
}

pub(super) fn read_file(source: &Source, given: &[UserAction]) -> (SpecFile, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    if is_too_long(source, &mut diagnostics) {
        return (SpecFile::default(), diagnostics);
    }
    let items = items(source.text(), &mut diagnostics);
    let mut reader = Reader::new(source, Names::Only(const { &BTreeSet::new() }), diagnostics);
    let file = reader.file(items, given);
    (file, reader.diagnostics.sorted())
}

/// Reads a text that declares one action and nothing else.
pub(super) fn read_declaration(source: &Source) -> (Option<UserAction>, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let mut found = Vec::new();
    if !is_too_long(source, &mut diagnostics) {
        found = items(source.text(), &mut diagnostics);
    }
    let mut reader = Reader::new(source, Names::Only(const { &BTreeSet::new() }), diagnostics);
    if let Some(other) =
        found.iter().skip(1).chain(found.first().filter(|item| item.kind != ItemKind::Action)).next()
    {
        let word = word_at(source.text(), other.span.start);
        let message = "one action is declared here, and nothing else";
        reader.diagnostics.error(|| Diagnostic::error("E-item", word, message));
    } else if let Some(item) = found.first() {
        let pair = reader.parse(item);
        reader.declare(item, pair.as_ref());
        if let Some(pair) = pair {
            reader.offset = item.span.start;
            reader.read_action(pair);
        }
    }
    let has_mistakes = reader.diagnostics.errors() > 0;
    (reader.actions.pop().filter(|_| !has_mistakes), reader.diagnostics.sorted())
}

/// Reads a formula that is a rule: atoms about actions, each plain or negated.
pub(super) fn read_rule(
    source: &Source,
    given: &[UserAction],
) -> (Option<Vec<(gui::Atom, bool)>>, Diagnostics) {
    let ParsedFormula { formulas, formula, atoms, mut diagnostics } =
        read_formula_given(source, Names::Only(const { &BTreeSet::new() }), given);
    let Some(formula) = formula else {
        let as_rule = |mut found: Diagnostic| {
            // A rule declares nothing.
            if ["E-empty", "E-unknown-name"].contains(&found.code) {
                found.help = Some("a rule is about an action, like `[actionDetail = OK]`".to_string());
            }
            found
        };
        return (None, diagnostics.iter().cloned().map(as_rule).collect());
    };
    let members = match formulas.node(formula) {
        Node::And(members) if !formula.is_negated() => formulas.members(members).to_vec(),
        _ => vec![formula],
    };
    let literal = |member: &Formula| match formulas.node(*member) {
        Node::Atom(atom) => {
            let atom = atoms.get(formulas.name(atom)).filter(|atom| atom.is_action())?;
            Some((atom.clone(), !member.is_negated()))
        }
        _ => None,
    };
    // A rule is a conjunction of atoms about one action, and nothing else.
    let rule: Option<Vec<(gui::Atom, bool)>> = members.iter().map(literal).collect();
    if rule.is_none() {
        let help = "write brackets about the action with `&` between them, and `!` before those that do not hold, as in \
                    `[actionType = click, actionDetail = OK]`; what is to be said of another action is another rule";
        let whole = 0..source.text().len();
        let message = "a rule cannot say this";
        diagnostics.error(|| Diagnostic::error("E-rule", whole, message).help(help));
    }
    (rule, diagnostics)
}

pub(super) fn read_formula(source: &Source, names: Names<'_>) -> ParsedFormula {
    read_formula_given(source, names, &[])
}

fn read_formula_given(source: &Source, names: Names<'_>, given: &[UserAction]) -> ParsedFormula {
    let mut diagnostics = Diagnostics::default();
    let mut found = Vec::new();
    if !is_too_long(source, &mut diagnostics) {
        found = items(source.text(), &mut diagnostics);
    }
    let mut reader = Reader::new(source, names, diagnostics);
    reader.note_given(given);
    let mut formula = None;
    match &found[..] {
        [] if reader.diagnostics.errors() > 0 => {}
        [] => reader.diagnostics.error(|| {
            Diagnostic::error("E-empty", 0..0, "there is no formula here")
                .help("a formula is like `F [activity ~ Main]`")
        }),
        [first, ..] => {
            if let Some(other) = found.iter().find(|item| item.kind != ItemKind::Formula) {
                let word = word_at(source.text(), other.span.start);
                let message = "only a formula may stand here, without a head or declarations";
                reader.diagnostics.error(|| Diagnostic::error("E-item", word, message));
            } else if let Some(pair) = reader.parse(first) {
                formula = reader
                    .lower(part(&pair, Rule::expression), first.span.start)
                    .map(|lowered| lowered.formula);
            }
        }
    }
    let (formulas, formula, atoms) = match formula {
        None => (Formulas::new(), None, BTreeMap::new()),
        Some(formula) => {
            let (formulas, formula, atoms) = reader.alone(formula, QUANTUM_MS);
            (formulas, Some(formula), atoms)
        }
    };
    ParsedFormula { formulas, formula, atoms, diagnostics: reader.diagnostics.sorted() }
}

fn is_too_long(source: &Source, diagnostics: &mut Diagnostics) -> bool {
    text::is_too_long(source, "a file", Some("split it into several files"), diagnostics)
}

/// Meaning of a name.
#[derive(Clone, Copy, Debug)]
enum Referent {
    Label,
    /// A `let` that is read later.
    LetAhead,
    /// A `let` with mistakes.
    LetBroken,
    /// A formula, its operators and its nesting.
    Let(Formula, u64, u64),
}

struct Name {
    meaning: Referent,
    is_used: bool,
}

/// Clauses of the head of a spec.
struct Clauses {
    budget: Budget,
    typed: TypedText,
    quantum_ms: u32,
}

impl Default for Clauses {
    fn default() -> Clauses {
        Clauses { budget: Budget::default(), typed: TypedText::default(), quantum_ms: QUANTUM_MS }
    }
}

/// Atom of a bracket, with its mistakes and the place of the bracket.
#[derive(Clone)]
struct Bracket {
    atom: Option<gui::Atom>,
    mistakes: Vec<Diagnostic>,
    at: usize,
}

struct Reader<'a> {
    source: &'a Source,
    any_name: bool,
    diagnostics: Diagnostics,
    names: Declarations<&'a str, Name>,
    labels: Vec<String>,
    action_types: BTreeSet<String>,
    declared_actions: Declarations<&'a str, ()>,
    declared_specs: Declarations<String, ()>,
    actions: Vec<UserAction>,
    formulas: Formulas,
    atoms: BTreeMap<String, gui::Atom>,
    operators: u64,
    /// Brackets with regular expressions that are compiled.
    regex_brackets: BTreeMap<(Purpose, String), Bracket>,
    suggestions: Suggestions,
    /// First byte of the item at hand.
    offset: usize,
    /// Name of the `let` at hand.
    own_name: Option<Span>,
    /// Names that are kept at the place at hand, the last one innermost.
    kept: Vec<KeptName>,
    /// Names of the formulas of the file that keep a value, with the terms of these values.
    all_kept: BTreeMap<String, Term>,
}

/// Name that keeps a value.
struct KeptName {
    /// As it is written.
    written: String,
    /// In formulas, where each name has one term; none if its value cannot be told.
    name: Option<String>,
    term: Term,
    at: Span,
    is_used: bool,
}

impl KeptName {
    /// Returns a name whose value cannot be told: a text stands in for it, so that brackets with it have no further mistakes.
    fn broken(written: String) -> KeptName {
        KeptName { name: None, written, term: Term::Text(String::new()), at: 0..0, is_used: true }
    }
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source, names: Names<'a>, diagnostics: Diagnostics) -> Reader<'a> {
        let (any_name, labels) = match names {
            Names::Any => (true, None),
            Names::Only(labels) => (false, Some(labels)),
        };
        let mut names = Declarations::default();
        for label in labels.into_iter().flatten() {
            // Labels from outside are never reported as unused.
            names.declare(label.as_str(), 0..0, Name { meaning: Referent::Label, is_used: true });
        }
        Reader {
            source,
            any_name,
            diagnostics,
            names,
            labels: Vec::new(),
            action_types: BTreeSet::new(),
            declared_actions: Declarations::default(),
            declared_specs: Declarations::default(),
            actions: Vec::new(),
            formulas: Formulas::new(),
            atoms: BTreeMap::new(),
            operators: 0,
            kept: Vec::new(),
            all_kept: BTreeMap::new(),
            regex_brackets: BTreeMap::new(),
            suggestions: Suggestions::default(),
            offset: 0,
            own_name: None,
        }
    }

    /// Notes actions that are known without a declaration here, and returns those that no declaration replaces.
    fn note_given(&mut self, given: &[UserAction]) -> Vec<UserAction> {
        let new: Vec<UserAction> =
            given.iter().filter(|action| !self.action_types.contains(&action.name)).cloned().collect();
        self.action_types.extend(new.iter().map(|action| action.name.clone()));
        new
    }

    fn file(&mut self, items: Vec<Item>, given: &[UserAction]) -> SpecFile {
        let parsed: Vec<(Item, Option<Pair<'a, Rule>>)> = items
            .into_iter()
            .map(|item| {
                let pair = self.parse(&item);
                (item, pair)
            })
            .collect();
        for (item, pair) in &parsed {
            self.declare(item, pair.as_ref());
        }
        self.check_there_are_specs(&parsed);
        let given = self.note_given(given);
        // Actions first: a bracket anywhere in the file may name them.
        for (item, pair) in &parsed {
            if let (ItemKind::Action, Some(pair)) = (item.kind, pair) {
                self.offset = item.span.start;
                self.read_action(pair.clone());
            }
        }
        // After those of the file, which come first wherever actions are listed.
        self.actions.extend(given);
        let mut specs = Vec::new();
        for (item, pair) in parsed {
            match (item.kind, pair) {
                (ItemKind::Let, Some(pair)) => self.read_let(&item, pair),
                (ItemKind::Spec(_) | ItemKind::Formula, Some(pair)) => {
                    specs.extend(self.read_spec(&item, pair))
                }
                (ItemKind::Label | ItemKind::Action, Some(_)) => {}
                (kind, None) => {
                    if matches!(kind, ItemKind::Spec(_)) {
                        // Its name is taken all the same, or a second spec of that name would pass.
                        self.take_name_of_broken(&item);
                    }
                    self.note_names_of_broken(&item);
                }
            }
        }
        self.warn_of_unused();
        SpecFile {
            labels: std::mem::take(&mut self.labels),
            actions: std::mem::take(&mut self.actions),
            specs,
        }
    }

    fn parse(&mut self, item: &Item) -> Option<Pair<'a, Rule>> {
        let text = self.source.text();
        let word = word_at(text, item.span.start);
        if item.kind != ItemKind::Formula && &text[word.clone()] != item.kind.word() {
            // A slip in the item word: the item is read as the one that is meant.
            let mistake = no_item(word.clone(), &text[word]).help(meant(item.kind.word()));
            self.diagnostics.error(|| mistake);
        }
        if !item.is_sound {
            return None;
        }
        let rule = match item.kind {
            ItemKind::Let => Rule::let_item,
            ItemKind::Label => Rule::label_item,
            ItemKind::Action => Rule::action_item,
            ItemKind::Spec(_) => Rule::spec_item,
            ItemKind::Formula => Rule::formula,
        };
        let parsed = item.parse::<Grammar, _>(rule, text, text);
        parsed.map_err(|stop| self.diagnostics.error(|| stop.explain())).ok()
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.error(|| Diagnostic::error(code, span, message).help(help));
    }

    /// Notes the names that `item` declares, so that they are known wherever they are used.
    fn declare(&mut self, item: &Item, pair: Option<&Pair<'a, Rule>>) {
        let names: Vec<(&'a str, Span)> = match pair {
            Some(pair) => {
                parts(pair, Rule::name).map(|name| (name.as_str(), span(&name, item.span.start))).collect()
            }
            None => names_of_broken(self.source.text(), item),
        };
        for (name, span) in names {
            match item.kind {
                ItemKind::Let => self.declare_name(
                    name,
                    span,
                    if pair.is_some() { Referent::LetAhead } else { Referent::LetBroken },
                ),
                ItemKind::Label => self.declare_name(name, span, Referent::Label),
                ItemKind::Action => {
                    let is_builtin = ActionType::parse(name).is_some();
                    if is_builtin {
                        let message = format!("`{name}` is an action farlead knows already");
                        self.error("E-declared-twice", span, message, "choose another name");
                    } else if let Some(first) = self.declared_actions.first(name) {
                        let source = self.source;
                        self.diagnostics.error(|| declared_twice(source, "the action", name, span, &first));
                    } else {
                        self.declared_actions.declare(name, span, ());
                        self.action_types.insert(name.to_string());
                    }
                }
                ItemKind::Spec(_) | ItemKind::Formula => {}
            }
        }
    }

    fn declare_name(&mut self, name: &'a str, span: Span, meaning: Referent) {
        if let Some(first) = self.names.first(name) {
            let source = self.source;
            self.diagnostics.error(|| declared_twice(source, "the name", name, span, &first));
            return;
        }
        if let Referent::Label = meaning {
            self.labels.push(name.to_string());
        }
        self.names.declare(name, span, Name { meaning, is_used: false });
    }

    fn check_there_are_specs(&mut self, parsed: &[(Item, Option<Pair<'a, Rule>>)]) {
        let is_spec = |item: &Item| matches!(item.kind, ItemKind::Spec(_) | ItemKind::Formula);
        let mut specs = parsed.iter().filter(|(item, _)| is_spec(item));
        match specs.next() {
            // A broken item may have been meant as a spec.
            None if parsed.iter().all(|(_, pair)| pair.is_some()) => {
                let end = parsed.last().map_or(0, |(item, _)| item.span.end);
                let help = "a spec is like `possible \"reach Main\": F [activity ~ Main]`";
                self.error("E-empty", end..end, "there is no spec here", help);
            }
            Some((first, Some(_))) if first.kind == ItemKind::Formula && specs.next().is_some() => {
                let at = first.span.start..first.span.start;
                let message = "a formula without a head is the only one of its file";
                self.error("E-item", at, message, "write `possible \"NAME\":` before it");
            }
            Some(_) | None => {}
        }
    }

    fn read_let(&mut self, item: &Item, pair: Pair<'a, Rule>) {
        let name = part(&pair, Rule::name);
        let at = span(&name, item.span.start);
        self.own_name = Some(at.clone());
        let lowered = self.lower(part(&pair, Rule::expression), item.span.start);
        self.own_name = None;
        let meaning = match lowered {
            Some(lowered) => {
                let (formula, operators, nesting) = lowered.used_by_name();
                Referent::Let(formula, operators, nesting)
            }
            None => Referent::LetBroken,
        };
        // Of two declarations, the first counts.
        if self.names.first(name.as_str()) == Some(at)
            && let Some(known) = self.names.get_mut(name.as_str())
        {
            known.meaning = meaning;
        }
    }

    fn read_spec(&mut self, item: &Item, pair: Pair<'a, Rule>) -> Option<Spec> {
        self.offset = item.span.start;
        let start = item.span.start;
        let mut name = Some(self.source.stem().to_string());
        let mut name_span = None;
        let mut clauses = Some(Clauses::default());
        let mut spans = Spans { item: item.span.clone(), ..Spans::default() };
        let mut lowered = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::spec_name => {
                    name_span = Some(span(&part, start));
                    name = self.spec_name(part);
                }
                Rule::budget => clauses = self.clauses(part, &mut spans),
                Rule::expression => {
                    spans.formula = span(&part, start);
                    lowered = self.lower(part, start);
                }
                _ => {}
            }
        }
        let name = name?;
        self.take_spec_name(item, &name, name_span);
        // In a store of its own: a search does not carry the formulas of other specs.
        let lowered = lowered?;
        let Clauses { budget, typed, quantum_ms } = clauses?;
        let (formulas, formula, atoms) = self.alone(lowered.formula, quantum_ms);
        // A spec carries the actions that it needs, so that it can be written and read alone.
        let is_meant =
            |action: &&UserAction| atoms.values().any(|atom| atom.mentions_action_type(&action.name));
        Some(Spec {
            name,
            expectation: match item.kind {
                ItemKind::Spec(expectation) => expectation,
                // A formula without a head is to be reached.
                _ => Expectation::Possible,
            },
            budget,
            typed,
            actions: self.actions.iter().filter(is_meant).cloned().collect(),
            formulas,
            formula,
            atoms,
            line: self.source.position(start).line,
            spans,
            scenario: scenario_above(self.source.text(), start).map(Arc::new),
        })
    }

    /// Notes that `item` has `name`, which is written at `at`, or else is the name of the file.
    fn take_spec_name(&mut self, item: &Item, name: &str, at: Option<Span>) {
        // `check_there_are_specs` reports a formula without a head that is not alone.
        if item.kind == ItemKind::Formula {
            return;
        }
        let is_written = at.is_some();
        // A name that is that of the file is nowhere in the text: the item word is underlined.
        let at = at.unwrap_or_else(|| word_at(self.source.text(), item.span.start));
        let Some(first) = self.declared_specs.first(name) else {
            return self.declared_specs.declare(name.to_string(), at, ());
        };
        let source = self.source;
        self.diagnostics.error(|| {
            let mistake = declared_twice(source, "the spec", name, at, &first);
            if is_written {
                return mistake;
            }
            let place = mistake.help.clone().unwrap_or_default();
            mistake.help(format!("give it a name, like `{} \"NAME\":`; {place}", item.kind.word()))
        });
    }

    /// Notes the name of a spec with mistakes in its formula, if its head has none.
    fn take_name_of_broken(&mut self, item: &Item) {
        let text = &self.source.text()[item.span.clone()];
        // The head by itself, as the grammar gives nothing of an item that it cannot read.
        let Some(head) = Grammar::parse(Rule::spec_head, text).ok().and_then(|mut pairs| pairs.next()) else {
            return;
        };
        self.offset = item.span.start;
        let written = child(&head, Rule::spec_name);
        let at = written.as_ref().map(|name| span(name, item.span.start));
        let name = match written {
            Some(written) => self.spec_name(written),
            None => Some(self.source.stem().to_string()),
        };
        if let Some(name) = name {
            self.take_spec_name(item, &name, at);
        }
    }

    fn spec_name(&mut self, name: Pair<'a, Rule>) -> Option<String> {
        let at = span(&name, self.offset);
        let inside = name.into_inner().next().expect("a name has an inside");
        if inside.as_rule() != Rule::quoted {
            return Some(inside.as_str().to_string());
        }
        match unquote(inside.as_str()) {
            Ok(name) if name.trim().is_empty() => {
                let help = "leave the quotes out to name it after the file";
                self.error("E-name", at, "the name of a spec has letters in it", help);
                None
            }
            Ok(name) => Some(name),
            Err(escape) => {
                self.diagnostics.error(|| no_character(&escape, at));
                None
            }
        }
    }

    fn clauses(&mut self, budget: Pair<'a, Rule>, spans: &mut Spans) -> Option<Clauses> {
        let mut read = Clauses::default();
        // All clauses are read after a mistake in one, for the mistakes in each.
        let mut is_fine = true;
        for clause in budget.into_inner() {
            let at = span(&clause, self.offset);
            let clause = clause.into_inner().next().expect("a clause is of a kind");
            if clause.as_rule() == Rule::typed {
                if spans.typed.is_some() {
                    is_fine = false;
                    let problem = "`typed counts` is said twice";
                    self.diagnostics.error(|| Diagnostic::error("E-budget", at, problem));
                    continue;
                }
                (read.typed, spans.typed) = (TypedText::Counts, Some(at));
                continue;
            }
            if clause.as_rule() == Rule::times {
                let quantum_ms = self.quantum_ms(&clause, &at, spans.times.is_some());
                is_fine &= quantum_ms.is_some();
                if let Some(quantum_ms) = quantum_ms {
                    (read.quantum_ms, spans.times) = (quantum_ms, Some(at));
                }
                continue;
            }
            let (what, limit, known) = match clause.as_rule() {
                Rule::within => ("steps", &mut read.budget.steps_max, &mut spans.steps),
                _ => ("episodes", &mut read.budget.episodes_max, &mut spans.episodes),
            };
            let digits = part(&clause, Rule::digits);
            let number = digits.as_str().parse().ok().filter(|number| (1..=BUDGET_MAX).contains(number));
            let problem = if known.is_some() {
                Some(format!("the number of {what} is given twice"))
            } else if number.is_none() {
                Some(format!("the number of {what} goes from 1 to {BUDGET_MAX}"))
            } else {
                None
            };
            if let Some(problem) = problem {
                is_fine = false;
                self.diagnostics.error(|| Diagnostic::error("E-budget", at, problem));
                continue;
            }
            (*limit, *known) = (number, Some(at));
        }
        is_fine.then_some(read)
    }

    /// Reads the multiple to which a clause at `at` has times rounded down. `is_again` is true if another one has said it.
    fn quantum_ms(&mut self, clause: &Pair<'a, Rule>, at: &Span, is_again: bool) -> Option<u32> {
        if is_again {
            let problem = "`times to` is said twice";
            self.diagnostics.error(|| Diagnostic::error("E-budget", at.clone(), problem));
            return None;
        }
        let written = part(clause, Rule::duration).as_str();
        let ms = time_unit(written)
            .and_then(|(number, unit_ms)| number.parse::<u64>().ok()?.checked_mul(unit_ms)?.try_into().ok());
        let ms = ms.filter(|ms| (1..=QUANTUM_MAX_MS).contains(ms));
        if ms.is_none() {
            let most = Unit::Time.written(QUANTUM_MAX_MS);
            let problem = format!("times are rounded down to `1ms` at least and `{most}` at most");
            self.error("E-budget", at.clone(), problem, "it is like `times to 10ms`");
        }
        ms
    }

    fn read_action(&mut self, pair: Pair<'a, Rule>) {
        let mut name = None;
        let mut on = None;
        let mut gestures = Some(Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some((part.as_str(), span(&part, self.offset))),
                Rule::atom => on = self.bracket(part, Purpose::Widget),
                Rule::gesture => {
                    let gesture = self.gesture(part);
                    // One mistake spoils the action, and the other gestures are still read.
                    gestures = gestures.zip(gesture).map(|(mut all, gesture)| {
                        all.push(gesture);
                        all
                    });
                }
                _ => {}
            }
        }
        let (name, at) = name.expect("the grammar gives a name");
        // Of two actions of a name, the first counts.
        let is_first = self.declared_actions.first(name) == Some(at);
        if let (true, Some(on), Some(gestures)) = (is_first, on, gestures) {
            self.actions.push(UserAction { name: name.to_string(), on, gestures });
        }
    }

    fn gesture(&mut self, gesture: Pair<'a, Rule>) -> Option<Gesture> {
        let gesture = gesture.into_inner().next().expect("a gesture is of a kind");
        let rule = gesture.as_rule();
        let mut parts = gesture.into_inner().filter(|part| {
            matches!(part.as_rule(), Rule::point | Rule::quoted | Rule::word | Rule::duration)
        });
        let mut part = || parts.next().expect("the grammar gives the parts of a gesture");
        match rule {
            Rule::tap => self.point(part()).map(Gesture::Tap),
            Rule::long_tap => self.point(part()).map(Gesture::LongTap),
            Rule::swipe => {
                // Both are read before one of them fails, for the mistakes in each.
                let (from, to) = (self.point(part()), self.point(part()));
                Some(Gesture::Swipe { from: from?, to: to? })
            }
            Rule::type_text => {
                let quoted = part();
                match unquote(quoted.as_str()) {
                    Ok(text) => Some(Gesture::Text(text)),
                    Err(escape) => {
                        let at = span(&quoted, self.offset);
                        self.diagnostics.error(|| no_character(&escape, at));
                        None
                    }
                }
            }
            Rule::key_press => self.key(part()),
            _ => self.wait(part()),
        }
    }

    fn key(&mut self, word: Pair<'a, Rule>) -> Option<Gesture> {
        let key = PressedKey::parse(word.as_str());
        if key.is_none() {
            let at = span(&word, self.offset);
            let keys = PressedKey::ALL.map(PressedKey::name);
            let help = did_you_mean(word.as_str(), keys, || format!("keys are {}", keys.join(" ")));
            self.error("E-gesture", at, format!("there is no key `{}`", clip(word.as_str())), help);
        }
        key.map(Gesture::Key)
    }

    fn wait(&mut self, duration: Pair<'a, Rule>) -> Option<Gesture> {
        let written = duration.as_str();
        let ms = time_unit(written)
            .and_then(|(number, unit_ms)| {
                u32::try_from(number.parse::<u64>().ok()?.checked_mul(unit_ms)?).ok()
            })
            .filter(|&ms| ms <= WAIT_MS_MAX);
        if ms.is_none() {
            let at = span(&duration, self.offset);
            let message = format!("`{}` is no time to wait", clip(written));
            self.error("E-gesture", at, message, "a wait is like `300ms` or `2s`, up to `600s`");
        }
        Some(Gesture::Wait { ms: ms? })
    }

    fn point(&mut self, point: Pair<'a, Rule>) -> Option<Point> {
        let percents: Vec<Option<Percent>> = point
            .into_inner()
            .map(|percent| {
                let at = span(&percent, self.offset);
                let decimal = percent.into_inner().next().expect("a percentage is a number");
                let read = Percent::parse(decimal.as_str());
                if read.is_none() {
                    let message = format!("`{}` is no percentage of a widget", clip(decimal.as_str()));
                    let help = "it goes from 0% to 100%, with at most three digits after the point";
                    self.error("E-gesture", at, message, help);
                }
                read
            })
            .collect();
        Some(Point { x: percents[0]?, y: percents[1]? })
    }

    fn bracket(&mut self, atom: Pair<'_, Rule>, purpose: Purpose) -> Option<gui::Atom> {
        let at = span(&atom, self.offset);
        let key = (purpose, atom.as_str().to_string());
        // Only regular expressions take long to read again.
        let has_regex = atom.clone().into_inner().flatten().any(|part| part.as_rule() == Rule::regex);
        // What a kept name stands for depends on the place of the bracket.
        let is_same_everywhere = has_regex && self.kept.is_empty();
        // The same bracket again: its mistakes move to its new place.
        if is_same_everywhere && let Some(known) = self.regex_brackets.get(&key) {
            let known = known.clone();
            for mistake in known.mistakes {
                let span = mistake.span.start - known.at + at.start..mistake.span.end - known.at + at.start;
                self.diagnostics.add(Diagnostic { span, ..mistake });
            }
            return known.atom;
        }
        if has_regex && self.regex_brackets.len() == REGEX_BRACKETS_MAX {
            let message = format!(
                "a file may have {REGEX_BRACKETS_MAX} different brackets with a regular expression, and this is one more"
            );
            self.error("E-too-large", at, message, "split it into several files, or look for a text");
            return None;
        }
        let (read, names, mistakes) = self.with_atom_reader(|reader| reader.read(atom, purpose));
        // A name may be declared further down, so that the same bracket means something there.
        if is_same_everywhere && names.is_empty() {
            let bracket = Bracket { atom: read.clone(), mistakes: mistakes.clone(), at: at.start };
            // Brackets with mistakes are kept too: compiling them again takes as long.
            self.regex_brackets.insert(key, bracket);
        }
        let used: Vec<&str> = read.iter().flat_map(|atom| atom.kept().into_keys()).collect();
        // A bracket with a mistake may have meant any of them.
        for kept in self
            .kept
            .iter_mut()
            .filter(|kept| read.is_none() || kept.name.as_deref().is_some_and(|name| used.contains(&name)))
        {
            kept.is_used = true;
        }
        self.report_of_brackets(names, mistakes);
        read
    }

    /// Reads with a reader of brackets; returns what it read, the names in it with their places, and the mistakes.
    fn with_atom_reader<T>(
        &self,
        read: impl FnOnce(&mut AtomReader<'_>) -> T,
    ) -> (T, Vec<(String, Span)>, Vec<Diagnostic>) {
        let types = if self.any_name { ActionTypes::Any } else { ActionTypes::Declared(&self.action_types) };
        let widgets = |name: &str| self.widgets(name);
        let kept = |name: &str| self.kept_term(name);
        let mut reader = AtomReader {
            offset: self.offset,
            types,
            widgets: &widgets,
            kept: &kept,
            kept_names: self.kept.iter().map(|kept| &*kept.written).collect(),
            names: Vec::new(),
            mistakes: Vec::new(),
        };
        let read = read(&mut reader);
        let AtomReader { names, mistakes, .. } = reader;
        (read, names, mistakes)
    }

    /// Reports the mistakes of brackets, and the names in them that stand for no widgets.
    fn report_of_brackets(&mut self, names: Vec<(String, Span)>, mistakes: Vec<Diagnostic>) {
        for mistake in mistakes {
            self.diagnostics.add(mistake);
        }
        for (name, at) in names {
            if self.name(&name, at.clone()).is_some() && self.widgets(&name).is_none() {
                let message = format!("`{}` stands for no widgets", clip(&name));
                let help = "a name that stands for widgets is a `let` of one bracket about them";
                self.error("E-term", at, message, help);
            }
        }
    }

    /// Returns the term of a name that is kept at the place at hand.
    fn kept_term(&self, name: &str) -> Option<Term> {
        let kept = self.kept.iter().rev().find(|kept| kept.written == name)?;
        Some(match &kept.name {
            Some(name) => Term::Kept(name.clone(), Box::new(kept.term.clone())),
            None => kept.term.clone(),
        })
    }

    /// Reads the term of a value that is kept.
    fn term_to_keep(&mut self, sum: Pair<'_, Rule>) -> Option<Term> {
        let at = span(&sum, self.offset);
        let (term, names, mistakes) = self.with_atom_reader(|reader| reader.term_of(sum));
        self.report_of_brackets(names, mistakes);
        let term = term?;
        let mut used = BTreeSet::new();
        term.for_each_kept(&mut |name, _| _ = used.insert(name.to_string()));
        if !used.is_empty() {
            self.kept
                .iter_mut()
                .for_each(|kept| kept.is_used |= kept.name.as_ref().is_some_and(|name| used.contains(name)));
            let help =
                "keep what the screen or the action shows, and put the names together where they are used";
            self.error("E-keep", at, "the value to keep is made of another kept value", help);
            return None;
        }
        Some(term)
    }

    /// Returns the name of a kept value in formulas: one name has one term there.
    fn name_of_kept(&self, written: &str, term: &Term) -> String {
        let numbered = (2..).map(|number| format!("{written}{number}"));
        let mut names = std::iter::once(written.to_string()).chain(numbered);
        let fits = |name: &String| self.all_kept.get(name).is_none_or(|known| known == term);
        names.find(fits).expect("there are as many names as numbers")
    }

    /// Returns the widgets that a name stands for: it is a `let` of one bracket about them.
    fn widgets(&self, name: &str) -> Option<Pattern> {
        let Referent::Let(formula, ..) = self.names.get(name)?.meaning else { return None };
        match self.formulas.node(formula) {
            Node::Atom(atom) if !formula.is_negated() => {
                self.atoms.get(self.formulas.name(atom)).and_then(Pattern::of)
            }
            _ => None,
        }
    }

    fn lower(&mut self, expression: Pair<'a, Rule>, offset: usize) -> Option<Lowered> {
        self.offset = offset;
        let at = span(&expression, offset);
        // Over the bound, formulas are still read for their mistakes.
        let may_make = self.operators <= FILE_OPERATORS_MAX;
        let lowered = formula::lower(expression, self.source.text(), offset, self, may_make)?;
        self.operators += lowered.operators;
        if self.operators > FILE_OPERATORS_MAX {
            self.diagnostics.error(|| {
                let message = format!("the formulas of a file may have {FILE_OPERATORS_MAX} operators together, and with this one they have more");
                Diagnostic::error("E-too-large", at, message).help("a `let` counts wherever it is used; split the file")
            });
            return None;
        }
        Some(lowered)
    }

    /// Returns the formula in a store of its own, with the atoms of its brackets.
    fn alone(&self, formula: Formula, quantum_ms: u32) -> (Formulas, Formula, BTreeMap<String, gui::Atom>) {
        let mut formulas = Formulas::with_quantum(quantum_ms);
        let formula = formulas.import(&self.formulas, formula);
        let names = formulas.atoms(formula).into_iter().map(|atom| formulas.name(atom));
        let atoms =
            sorted::map(names.filter_map(|name| Some((name.to_string(), self.atoms.get(name)?.clone()))));
        (formulas, formula, atoms)
    }

    /// Marks the names in a broken item as used.
    fn note_names_of_broken(&mut self, item: &Item) {
        for word in words(&self.source.text()[item.span.clone()]) {
            if let Some(name) = self.names.get_mut(word) {
                name.is_used = true;
            }
        }
    }

    fn warn_of_unused(&mut self) {
        for (word, span, name) in self.names.in_order().into_iter().filter(|(.., name)| !name.is_used) {
            let word = clip(word);
            let message = match name.meaning {
                Referent::Label => format!("the label `{word}` is not used"),
                Referent::LetAhead | Referent::Let(..) => format!("`{word}` is not used"),
                // Its mistakes come first.
                Referent::LetBroken => continue,
            };
            self.diagnostics.warning(|| Diagnostic::warning("W-unused", span.clone(), message));
        }
    }

    fn unknown_name(&mut self, name: &str, at: Span) -> Diagnostic {
        let unknown = Diagnostic::error("E-unknown-name", at, format!("there is no `{}`", clip(name)));
        if let Some(key) = gui::Key::ALL.iter().find(|key| key.name() == name) {
            return unknown.help(format!("a comparison stands in brackets: `[{} = ...]`", key.name()));
        }
        let names = self.suggestions.afford(self.names.names());
        let known = names.chain(mistake::OPERATOR_WORDS).chain(["true", "false"]);
        unknown.help(did_you_mean(name, known, || {
            format!("declare it: `let {0} = [activity ~ ...]`, or `label {0}`", clip(name))
        }))
    }
}

/// Returns the names that a broken item would declare, as far as they can be seen.
fn names_of_broken<'a>(text: &'a str, item: &Item) -> Vec<(&'a str, Span)> {
    let names_max = match item.kind {
        ItemKind::Let | ItemKind::Action => 1,
        ItemKind::Label => usize::MAX,
        ItemKind::Spec(_) | ItemKind::Formula => 0,
    };
    let mut names = Vec::new();
    let mut at = word_at(text, item.span.start).end;
    while names.len() < names_max {
        let rest = &text[at..item.span.end];
        let gap =
            rest.len() - rest.trim_start_matches(|char: char| char.is_whitespace() || char == ',').len();
        // A line after a complete list may have been meant as another item.
        if !names.is_empty() && rest[..gap].contains('\n') && !rest[..gap].contains(',') {
            break;
        }
        at += gap;
        let word = word_at(&text[..item.span.end], at);
        if word.is_empty() {
            break;
        }
        at = word.end;
        names.push((&text[word.clone()], word));
    }
    names
}

fn declared_twice(source: &Source, what: &str, name: &str, span: Span, first: &Span) -> Diagnostic {
    let place = source.position(first.start);
    Diagnostic::error("E-declared-twice", span, format!("{what} `{}` is declared twice", clip(name)))
        .help(format!("the first is at {}:{}:{}", source.name(), place.line, place.column))
}

impl Operands for Reader<'_> {
    fn name(&mut self, name: &str, at: Span) -> Option<(Formula, u64, u64)> {
        let Some(known) = self.names.get_mut(name) else {
            if self.any_name {
                return Some((self.formulas.atom(name), 0, 0));
            }
            // Taken out, as the help is worked out with the reader, and only if the error is kept.
            let mut diagnostics = std::mem::take(&mut self.diagnostics);
            diagnostics.error(|| self.unknown_name(name, at));
            self.diagnostics = diagnostics;
            return None;
        };
        // A use before the `let` is a mistake, and still a use.
        known.is_used = true;
        match known.meaning {
            Referent::Label => Some((self.formulas.atom(name), 0, 0)),
            Referent::Let(formula, operators, nesting) => Some((formula, operators, nesting)),
            Referent::LetBroken => None,
            Referent::LetAhead => {
                let declared = self.names.first(name).expect("a name is declared");
                let is_own = self.own_name.as_ref() == Some(&declared);
                let line = self.source.position(declared.start).line;
                let message = if is_own {
                    format!("`{}` is used in its own `let`", clip(name))
                } else {
                    format!("`{}` is used before its `let` in line {line}", clip(name))
                };
                let help = if is_own { "say it with an operator, like F or U" } else { "move its `let` up" };
                self.error("E-later-name", at, message, help);
                None
            }
        }
    }

    fn atom(&mut self, atom: Pair<'_, Rule>) -> Option<Formula> {
        let read = self.bracket(atom, Purpose::Formula)?;
        let name = read.to_string();
        let texts: Vec<String> =
            read.kept().into_iter().map(|(name, term)| format!("{name} = {term}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let formula = self.formulas.atom_of_kept(&name, &texts);
        self.atoms.entry(name).or_insert(read);
        Some(formula)
    }

    fn open_keep(&mut self, keep: Pair<'_, Rule>) -> Option<String> {
        let mut parts = keep.into_inner();
        let name = parts.find(|part| part.as_rule() == Rule::name).expect("a name");
        let (written, at) = (name.as_str().to_string(), span(&name, self.offset));
        let term = parts.find(|part| part.as_rule() == Rule::sum).and_then(|sum| self.term_to_keep(sum));
        let is_taken = Key::parse(&written).is_ok()
            || ["count", "trim", "number", "list", "nothing", "prev", "in", "has", "beside", "keep"]
                .contains(&&*written);
        if is_taken {
            let message = format!("`{}` is a word of the language", clip(&written));
            self.error("E-reserved", at.clone(), message, "keep the value by another name");
        }
        let Some(term) = term else {
            self.kept.push(KeptName::broken(written));
            return None;
        };
        let name = self.name_of_kept(&written, &term);
        if !self.all_kept.contains_key(&name) && self.all_kept.len() == KEEPS_MAX {
            let message = format!("a file may keep {KEEPS_MAX} different values, and this is one more");
            self.error("E-too-large", at, message, "split the file");
            self.kept.push(KeptName::broken(written));
            return None;
        }
        self.all_kept.insert(name.clone(), term.clone());
        let text = format!("{name} = {term}");
        self.kept.push(KeptName { written, name: Some(name), term, at, is_used: false });
        (!is_taken).then_some(text)
    }

    fn close_keep(&mut self) -> Option<Diagnostic> {
        let KeptName { written, at, .. } = self.kept.pop().filter(|kept| !kept.is_used)?;
        let message = format!("`{}` is kept and not used", clip(&written));
        Some(
            Diagnostic::warning("W-unused", at, message)
                .help(format!("use it as a value: `{{{}}}`", clip(&written))),
        )
    }

    fn formulas(&mut self) -> &mut Formulas {
        &mut self.formulas
    }

    fn add(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.add(diagnostic);
    }
}

#[cfg(test)]
mod tests {
    use crate::gui::{Atom, UserAction};
    use crate::spec::{Budget, Expectation, Level, Names, Source, Spec, Style, parse, parse_formula};

    #[track_caller]
    fn specs(text: &str) -> Vec<Spec> {
        let source = Source::new("specs/palette.ltl", text);
        let parsed = parse(&source);
        assert_eq!(parsed.diagnostics.errors(), 0, "{}", parsed.diagnostics.render(&source, Style::Plain));
        parsed.file.specs
    }

    /// Checks all mistakes, as `LINE:COLUMN CODE UNDERLINED`.
    #[track_caller]
    fn check_mistakes(text: &str, expected: &[&str]) {
        let source = Source::new("a.ltl", text);
        let parsed = parse(&source);
        let found: Vec<String> = parsed
            .diagnostics
            .iter()
            .map(|found| {
                let place = source.position(found.span.start);
                format!(
                    "{}:{} {} {}",
                    place.line,
                    place.column,
                    found.code,
                    &source.text()[found.span.clone()]
                )
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_file_is_read_into_its_specs() {
        let text = "\u{feff}# comments with #\r\n\
            let main  = [activity ~ Main]\r\n\
            let about = [activity ~ About]\r\n\
            \r\n\
            possible \"go to About and come back\" within 4 steps, 500 episodes:\r\n\
            \tnext: main until about then about until main # the end\r\n\
            \r\n\
            never \"a crash from the settings\": F ([crashed = true] & Y [activity ~ Settings])\r\n";
        let specs = specs(text);
        assert_eq!(
            specs[0].to_string(),
            "possible \"go to About and come back\" within 4 steps, 500 episodes:\n    \
             X ([activity ~ Main] U ([activity ~ About] & X ([activity ~ About] U [activity ~ Main])))\n"
        );
        assert_eq!((specs[0].line, specs[1].line), (5, 8));
        assert_eq!(specs[1].expectation, Expectation::Never);
        assert_eq!(specs[0].atoms.len(), 2);
        let source = Source::new("a.ltl", text);
        let steps = specs[0].spans.steps.clone().expect("a clause");
        assert_eq!(&source.text()[steps], "within 4 steps");
        assert!(source.text()[specs[0].spans.formula.clone()].starts_with("next: main"));
    }

    #[test]
    fn a_formula_alone_is_a_possible_spec_named_after_the_file() {
        let specs = specs("# why\nF [activity ~ Main]\n  & true\n");
        assert_eq!((specs[0].name.as_str(), specs[0].expectation), ("palette", Expectation::Possible));
        assert_eq!(specs[0].line, 2);
    }

    #[test]
    fn a_head_may_leave_out_its_name_and_its_budget() {
        let names: Vec<String> = specs("never: [text = a]\nmust be: true\npossible \"c\\\"d\": true")
            .into_iter()
            .map(|spec| spec.name)
            .collect();
        assert_eq!(names, ["palette", "be", "c\"d"]);
        for (head, steps_max, episodes_max) in [
            ("", None, None),
            ("within 4 steps", Some(4), None),
            ("within 1 step over 1 episode", Some(1), Some(1)),
            ("500 episodes, within 4 steps", Some(4), Some(500)),
            ("over 500 episodes", None, Some(500)),
        ] {
            let specs = specs(&format!("possible \"a\" {head}: true"));
            assert_eq!(specs[0].budget, Budget { steps_max, episodes_max }, "{head}");
        }
    }

    #[test]
    fn a_budget_must_be_bearable() {
        check_mistakes("never within 0 steps: true", &["1:7 E-budget within 0 steps"]);
        check_mistakes("never 0 episodes: true", &["1:7 E-budget 0 episodes"]);
        check_mistakes("never within 1000000001 steps: true", &["1:7 E-budget within 1000000001 steps"]);
        check_mistakes(
            "never within 99999999999999999999 steps: true",
            &["1:7 E-budget within 99999999999999999999 steps"],
        );
        check_mistakes("never within 4 steps, within 5 steps: true", &["1:23 E-budget within 5 steps"]);
        check_mistakes("never 4 episodes over 4 episodes: true", &["1:18 E-budget over 4 episodes"]);
        check_mistakes("never typed counts, typed counts: true", &["1:21 E-budget typed counts"]);
        check_mistakes("never times to 5ms, times to 10ms: true", &["1:21 E-budget times to 10ms"]);
        for length in ["0ms", "61s", "60001ms", "5min", "99999999999999999999s"] {
            let clause = format!("times to {length}");
            check_mistakes(&format!("never {clause}: true"), &[&format!("1:7 E-budget {clause}")]);
        }
    }

    #[test]
    fn a_file_must_hold_a_spec() {
        check_mistakes("", &["1:1 E-empty "]);
        check_mistakes("# nothing\n\n", &["1:1 E-empty "]);
        check_mistakes("label a\n", &["1:7 W-unused a", "1:8 E-empty "]);
    }

    #[test]
    fn a_formula_without_a_head_is_the_only_one() {
        check_mistakes("true\nnever \"b\": true", &["1:1 E-item "]);
        assert_eq!(specs("F a\nlabel a").len(), 1);
    }

    #[test]
    fn all_mistakes_of_a_file_come_in_one_run() {
        check_mistakes(
            "let a = (b\n\
             possible \"x\": mian U [activty = a, checked = maybe] & O[<=1s] hm\n\
             never \"y\" within 0 steps: a &\n\
             must \"z\": a\n\
             label b, main\n\
             never \"w\": b & main",
            &[
                "1:9 E-bracket (",
                "2:15 E-unknown-name mian",
                "2:23 E-unknown-key activty",
                "2:46 E-value maybe",
                "2:55 E-time-bound O",
                "2:63 E-unknown-name hm",
                "3:30 E-syntax ",
            ],
        );
        let parsed = parse(&Source::new("a.ltl", "never \"a\": (\nnever \"b\": true\nnever \"c\": x"));
        assert_eq!(parsed.file.specs.iter().map(|spec| spec.name.as_str()).collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn a_mistake_in_a_let_is_not_reported_where_it_is_used() {
        check_mistakes("let a = [txet = a]\nlet b = a & a\nnever: b", &["1:10 E-unknown-key txet"]);
        check_mistakes("let a = [text = a\nnever: a", &["1:9 E-bracket ["]);
        check_mistakes("let a [text = a]\nnever: a", &["1:7 E-syntax ["]);
        check_mistakes("label a b\nnever: a & b", &["1:9 E-syntax b"]);
        check_mistakes("action a on [id = b]\nnever: [actionType = a]", &["1:21 E-syntax "]);
    }

    #[test]
    fn a_slip_in_an_item_word_hides_no_other_mistake() {
        check_mistakes(
            "possible e5: F ([text = a]\nposible e6: F abuot\nlabel b\nposible e7: F b",
            &["1:16 E-bracket (", "2:1 E-item posible", "2:15 E-unknown-name abuot", "4:1 E-item posible"],
        );
        let parsed = parse(&Source::new("a.ltl", "possible a: true\nmsut \"b\": true"));
        let read: Vec<_> = parsed.file.specs.iter().map(|spec| (&*spec.name, spec.expectation)).collect();
        assert_eq!(read, [("a", Expectation::Possible), ("b", Expectation::Must)]);
        check_mistakes("label a\nF a", &["2:1 E-item F"]);
        let source = Source::new("a.ltl", "impossible a: true");
        let shown = parse(&source).diagnostics.render(&source, Style::Plain);
        assert!(shown.contains("help: did you mean `never`?"), "{shown}");
    }

    #[test]
    fn an_unknown_name_gets_the_nearest() {
        let source = Source::new("a.ltl", "let main = true\nnever: mian & F main\nmust \"b\": F text");
        let shown = parse(&source).diagnostics.render(&source, Style::Plain);
        assert!(shown.contains("a.ltl:2:8: error: there is no `mian`\n"), "{shown}");
        assert!(shown.contains("help: did you mean `main`?"), "{shown}");
        for (written, meant) in [("TRUE", "true"), ("True", "true"), ("FALSE", "false")] {
            let source = Source::new("a.ltl", format!("must: F {written}"));
            let shown = parse(&source).diagnostics.render(&source, Style::Plain);
            assert!(shown.contains(&format!("help: did you mean `{meant}`?")), "{shown}");
        }
        assert!(shown.contains("help: a comparison stands in brackets: `[text = ...]`"), "{shown}");
    }

    #[test]
    fn a_name_is_declared_once_and_the_first_place_is_shown() {
        let source = Source::new("a.ltl", "label a\nlet a = true\nnever: a");
        let shown = parse(&source).diagnostics.render(&source, Style::Plain);
        assert!(shown.starts_with("a.ltl:2:5: error: the name `a` is declared twice"), "{shown}");
        assert!(shown.contains("help: the first is at a.ltl:1:7"), "{shown}");
        check_mistakes("never \"a\": true\nmust a: true", &["2:6 E-declared-twice a"]);
        check_mistakes("never: true\nmust: true", &["2:1 E-declared-twice must"]);
        let source = Source::new("a.ltl", "never: true\nmust: true");
        let shown = parse(&source).diagnostics.render(&source, Style::Plain);
        assert!(
            shown.contains("help: give it a name, like `must \"NAME\":`; the first is at a.ltl:1:1"),
            "{shown}"
        );
        check_mistakes(
            "action a on [id = b]: wait 1s\naction a on [id = c]: wait 1s\naction back on [id = b]: wait 1s\nnever: true",
            &["2:8 E-declared-twice a", "3:8 E-declared-twice back"],
        );
        check_mistakes("label a, a\nnever: a", &["1:10 E-declared-twice a"]);
    }

    #[test]
    fn a_spec_with_a_name_that_is_taken_is_read_all_the_same() {
        let parsed = parse(&Source::new("a.ltl", "never a: true\nmust a: F [text = b]"));
        assert_eq!((parsed.diagnostics.errors(), parsed.file.specs.len()), (1, 2));
        check_mistakes("never a: true\nmust a: b", &["2:6 E-declared-twice a", "2:9 E-unknown-name b"]);
        check_mistakes("never a: true &\nmust a: true", &["1:16 E-syntax ", "2:6 E-declared-twice a"]);
        check_mistakes(
            "never a: (\nmust a: true |",
            &["1:10 E-bracket (", "2:6 E-declared-twice a", "2:15 E-syntax "],
        );
    }

    #[test]
    fn a_formula_without_a_head_takes_no_name() {
        check_mistakes("true\nnever a: true", &["1:1 E-item "]);
    }

    #[test]
    fn a_let_uses_earlier_ones_alone() {
        check_mistakes("let a = b\nlet b = true\nnever: a & b", &["1:9 E-later-name b"]);
        check_mistakes("let a = F a\nnever: a", &["1:11 E-later-name a"]);
        check_mistakes("never: a\nlet a = true", &["1:8 E-later-name a"]);
        assert_eq!(specs("let a = true\nlet b = a\nnever: b U [text = c]").len(), 1);
        assert_eq!(specs("never: a\nlabel a").len(), 1);
    }

    #[test]
    fn what_is_declared_and_not_used_is_doubted() {
        check_mistakes(
            "let a = true\nlabel b, c\nlet d = a\nnever: b",
            &["2:10 W-unused c", "3:5 W-unused d"],
        );
        check_mistakes("let a = true\nnever: a & (b", &["2:12 E-bracket ("]);
    }

    #[test]
    fn a_user_action_is_read() {
        let text = "action chessmove on [id ~ ChessBoard]: tap 56% 81%, longtap 56.50% 56%,\n  swipe 0% 0% to 100% 100%,\
                    text \"e4\\n\", key enter, wait 300ms, wait 2s\n\
                    never: [actionType = chessmove] & [actionType ~ chess]";
        let spec = &specs(text)[0];
        let [UserAction { name, on, gestures }] = &spec.actions[..] else { panic!("one action") };
        assert_eq!((name.as_str(), gestures.len()), ("chessmove", 7));
        assert!(matches!(on, Atom::Widget(_)));
        assert_eq!(
            spec.actions[0].to_string(),
            "action chessmove on [id ~ ChessBoard]: tap 56% 81%, longtap 56.5% 56%, swipe 0% 0% to 100% 100%, \
             text \"e4\\n\", key enter, wait 300ms, wait 2s"
        );
        assert!(matches!(
            &specs("action a on [checked = true]: tap 1% 1%\nnever: [actionType = a]")[0].actions[0].on,
            Atom::Widget(_)
        ));
    }

    #[test]
    fn a_gesture_must_make_sense() {
        check_mistakes(
            "action a on [id = b]: tap 101% 5%, tap 1.2345% -1%, key entr, wait 601s, wait 5m\nnever: true",
            &[
                "1:27 E-gesture 101%",
                "1:40 E-gesture 1.2345%",
                "1:48 E-gesture -1%",
                "1:57 E-gesture entr",
                "1:68 E-gesture 601s",
                "1:79 E-gesture 5m",
            ],
        );
        check_mistakes(
            "action a on [activity = b]: wait 1s\nnever: true",
            &["1:13 E-mixed-atom [activity = b]"],
        );
        check_mistakes(
            "action a on [count(id = b) > 1]: wait 1s\nnever: true",
            &["1:13 E-mixed-atom [count(id = b) > 1]"],
        );
    }

    #[test]
    fn the_level_says_how_much_of_the_action_is_named() {
        for (formula, level) in [
            ("[activity ~ Main]", Level::A),
            ("label", Level::A),
            ("[activity ~ Main] & [actionType = click]", Level::B),
            ("[actionType = click, actionDetail ~ About]", Level::C),
            ("[actionObjectID = 0:1]", Level::C),
            // Of the paper, A.a to A.c.
            (
                "X([activity ~ Main] U ([activity ~ About] & X([activity ~ About] U [activity ~ Main])))",
                Level::A,
            ),
            (
                "X(([activity ~ Main] & [actionType = click]) U \
                 ([activity ~ About] & X([actionType = back] U [activity ~ Main])))",
                Level::B,
            ),
            (
                "X((([actionType = click] & [actionDetail ~ About]) & [activity ~ About]) \
                 & X([actionType = back] U [activity ~ Main]))",
                Level::C,
            ),
        ] {
            let formula = formula.replace("label", "c");
            assert_eq!(specs(&format!("label c\nnever: F {formula}"))[0].level(), level, "{formula}");
        }
    }

    #[test]
    fn a_formula_by_itself_takes_any_name_if_it_is_told_to() {
        let source = Source::new("-e", "a U [activity~Main]");
        let read = parse_formula(&source, Names::Any);
        assert_eq!(
            read.formulas.display(read.formula.expect("a formula")).to_string(),
            "a U [activity ~ Main]"
        );
        assert_eq!(read.atoms.keys().collect::<Vec<_>>(), ["[activity ~ Main]"]);
        let labels = ["b".to_string()].into();
        assert_eq!(parse_formula(&source, Names::Only(&labels)).diagnostics.errors(), 1);
        assert!(parse_formula(&Source::new("-e", "b"), Names::Only(&labels)).formula.is_some());
        for wrong in ["", "# a", "possible: a", "a\nlet b = c", "(a"] {
            let read = parse_formula(&Source::new("-e", wrong), Names::Any);
            assert!(read.formula.is_none() && read.diagnostics.errors() == 1, "{wrong}");
        }
    }

    #[test]
    fn a_file_beyond_a_million_bytes_is_not_read() {
        check_mistakes(&"never: a\n".repeat(120_000), &["1:1 E-too-large "]);
    }

    #[test]
    fn the_regular_expressions_of_a_file_are_bounded() {
        let text: String = (0..150).map(|at| format!("never \"{at}\": [text ~ /a{at}/]\n")).collect();
        let parsed = parse(&Source::new("a.ltl", text));
        assert_eq!((parsed.diagnostics.errors(), parsed.file.specs.len()), (50, 100));
        let text: String = (0..150).map(|at| format!("never \"{at}\": [text ~ /a/]\n")).collect();
        assert_eq!(parse(&Source::new("a.ltl", text)).diagnostics.errors(), 0);
        check_mistakes(
            "never \"a\": [text ~ /(/]\nnever \"b\": F [text ~ /(/]",
            &["1:20 E-regex /(/", "2:22 E-regex /(/"],
        );
    }

    #[test]
    fn the_formulas_of_a_file_are_bounded_together() {
        let text = format!(
            "let a = {}[text = a]\n{}",
            "X ".repeat(9_000),
            (0..200).map(|at| format!("never \"{at}\": a\n")).collect::<String>()
        );
        let parsed = parse(&Source::new("a.ltl", text));
        assert_eq!((parsed.diagnostics.errors(), parsed.file.specs.len()), (1, 110));
    }
}
