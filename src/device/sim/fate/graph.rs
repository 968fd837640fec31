//! Models of FATE with all names resolved: nodes, transitions, and variables of one kind each.

use std::collections::{BTreeMap, BTreeSet};

use pest::unicode::{XID_CONTINUE, XID_START};

use super::dict::repeated;
use super::expression::{self, Assignment, Dialect, Node, Operator, Tree};
use super::literal::{Literal, Value};
use super::quoted::Quoted;
use crate::sorted;
use crate::text::{Diagnostic, Diagnostics, Span, Suggestions, clip, did_you_mean, too_many};

/// Most variables of a model.
const VARIABLES_MAX: usize = 300;
/// Most nodes of a model, each of which becomes a window.
const NODES_MAX: usize = 1_000;
/// Most transitions of a node: each is a widget, and a display has no room for more.
const TRANSITIONS_MAX: usize = 500;
/// Most assignments of a model.
const ASSIGNMENTS_MAX: usize = 10_000;

/// Words of guards that stand for no variable.
const RESERVED: [&str; 8] = ["True", "False", "None", "true", "false", "and", "or", "not"];

/// Model as a file has it, guards and assignments not yet read.
#[derive(Clone, Debug, Default)]
pub(super) struct Raw {
    pub variables: Vec<RawVariable>,
    /// Nodes, the start first.
    pub nodes: Vec<RawNode>,
    /// Names that stand for the typed text.
    pub inputs: Vec<String>,
}

#[derive(Clone, Debug)]
pub(super) struct RawVariable {
    pub name: Quoted,
    pub value: Literal,
}

#[derive(Clone, Debug)]
pub(super) struct RawNode {
    pub id: Quoted,
    pub transitions: Vec<RawTransition>,
}

#[derive(Clone, Debug)]
pub(super) struct RawTransition {
    pub id: i64,
    pub span: Span,
    pub which: Which,
    pub guard: Option<Quoted>,
    pub set: Option<Quoted>,
    /// Node that it leads to, with the place of that name.
    pub destination: (String, Span),
}

/// Kind of a transition's widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Button,
    Field,
    /// A field if the typed text is used, else a button.
    ByUse,
}

/// Kind of a variable's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    Text,
}

/// Model of FATE.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub variables: Vec<Variable>,
    /// Nodes, the start first.
    pub nodes: Vec<GraphNode>,
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub initial: Initial,
}

#[derive(Clone, Debug)]
pub(super) enum Initial {
    Bool(bool),
    Int(i64),
    Text(String),
}

#[derive(Clone, Debug)]
pub(super) struct GraphNode {
    pub id: String,
    pub transitions: Vec<Transition>,
}

#[derive(Clone, Debug)]
pub(super) struct Transition {
    pub id: i64,
    /// True for a field, false for a button.
    pub is_field: bool,
    pub guard: Option<Term>,
    /// Assignments, each with the number of its variable.
    pub sets: Vec<(usize, Term)>,
    /// Number of the node that it leads to.
    pub destination: usize,
}

/// Expression over variables by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Bool(bool),
    Int(i64),
    Text(String),
    Variable(usize),
    /// The typed text.
    Input,
    Not(Box<Term>),
    Binary(Operator, Box<Term>, Box<Term>),
}

/// Returns the model that `raw` describes, without its parts that have mistakes.
pub(super) fn resolve(raw: &Raw, dialect: Dialect, mistakes: &mut Diagnostics) -> Graph {
    let mut resolver = Resolver {
        dialect,
        mistakes,
        suggestions: Suggestions::default(),
        numbers: BTreeMap::new(),
        kinds: Vec::new(),
        variables: Vec::new(),
        inputs: raw.inputs.iter().map(String::as_str).collect(),
    };
    resolver.graph(raw)
}

struct Resolver<'a> {
    dialect: Dialect,
    mistakes: &'a mut Diagnostics,
    suggestions: Suggestions,
    numbers: BTreeMap<String, usize>,
    /// Kinds of the variables, by their numbers; `None` as long as it is not known.
    kinds: Vec<Option<Kind>>,
    variables: Vec<Variable>,
    inputs: BTreeSet<&'a str>,
}

/// Transition whose guard and assignments are read.
struct Parsed<'r> {
    raw: &'r RawTransition,
    guard: Option<Tree>,
    sets: Vec<Assignment>,
}

impl<'a> Resolver<'a> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.mistakes.error(|| Diagnostic::error(code, span, message).help(help));
    }

    fn graph(&mut self, raw: &Raw) -> Graph {
        if !self.is_small(raw) {
            return Graph::default();
        }
        self.declare(raw);
        let nodes = raw.nodes.iter().enumerate().rev();
        let ids = sorted::map(nodes.map(|(number, node)| (node.id.text(), number)));
        self.check_nodes(raw);
        let parsed: Vec<Vec<Parsed<'_>>> = raw
            .nodes
            .iter()
            .map(|node| node.transitions.iter().filter_map(|one| self.parse(one)).collect())
            .collect();
        if parsed.iter().flatten().map(|one| one.sets.len()).sum::<usize>() > ASSIGNMENTS_MAX {
            self.mistakes.error(|| too_many(0..0, "a model", ASSIGNMENTS_MAX, "assignments"));
            return Graph::default();
        }
        self.infer(&parsed);
        let mut nodes = Vec::new();
        for (node, transitions) in raw.nodes.iter().zip(&parsed) {
            let transitions = transitions.iter().filter_map(|one| self.transition(one, &ids)).collect();
            nodes.push(GraphNode { id: node.id.text().to_string(), transitions });
        }
        if self.mistakes.errors() == 0 {
            self.warn(raw, &nodes);
        }
        Graph { variables: std::mem::take(&mut self.variables), nodes }
    }

    fn is_small(&mut self, raw: &Raw) -> bool {
        if raw.nodes.is_empty() {
            // A node with a mistake has been reported, and is none here.
            if self.mistakes.errors() == 0 {
                self.error(
                    "E-missing",
                    0..0,
                    "the model has no node",
                    "the first of its \"nodes\" is the start",
                );
            }
            return false;
        }
        for (count, max, parts) in
            [(raw.nodes.len(), NODES_MAX, "nodes"), (raw.variables.len(), VARIABLES_MAX, "variables")]
        {
            if count > max {
                self.mistakes.error(|| too_many(0..0, "a model", max, parts));
                return false;
            }
        }
        true
    }

    fn check_nodes(&mut self, raw: &Raw) {
        for id in repeated(raw.nodes.iter().map(|node| &node.id)) {
            self.error(
                "E-duplicate",
                id.span(),
                format!("the node `{}` is there already", clip(id.text())),
                "give one of them another name",
            );
        }
        for RawNode { id, transitions } in &raw.nodes {
            // It becomes the name of an activity.
            if id.text().is_empty() || !id.text().chars().all(XID_CONTINUE) {
                let message = format!("`{}` is no name of a node", clip(id.text()));
                self.error(
                    "E-name",
                    id.span(),
                    message,
                    "a name has letters, digits and `_`, like `manage_money`",
                );
            }
            if transitions.len() > TRANSITIONS_MAX {
                self.mistakes.error(|| too_many(id.span(), "a node", TRANSITIONS_MAX, "transitions"));
            }
            let mut seen = BTreeSet::new();
            for one in transitions {
                if !seen.insert(one.id) {
                    let message = format!("this node has a transition {} already", one.id);
                    self.error(
                        "E-duplicate",
                        one.span.clone(),
                        message,
                        "number the transitions of a node from 0",
                    );
                }
            }
        }
    }

    fn declare(&mut self, raw: &Raw) {
        for name in repeated(raw.variables.iter().map(|variable| &variable.name)) {
            let message = format!("the variable `{}` is there already", clip(name.text()));
            self.error("E-duplicate", name.span(), message, "leave one out");
        }
        for RawVariable { name, value } in &raw.variables {
            if self.numbers.contains_key(name.text()) {
                continue;
            }
            let (kind, initial) = match &value.value {
                Value::Bool(bool) => (Kind::Bool, Initial::Bool(*bool)),
                Value::Int(int) => (Kind::Int, Initial::Int(*int)),
                Value::Text(text) => (Kind::Text, Initial::Text(text.text().to_string())),
                Value::None | Value::List(_) | Value::Dict(_) => {
                    let message = format!("{} stands where a variable's value is needed", value.value.kind());
                    let place = value.span.start..value.span.start + 1;
                    self.error("E-value", place, message, "it is True, False, a whole number or a text");
                    continue;
                }
            };
            if !is_name(name.text()) || self.inputs.contains(name.text()) {
                let message = format!("`{}` is no name of a variable", clip(name.text()));
                let help = match self.inputs.contains(name.text()) {
                    true => "this name stands for what is typed; give the variable another one",
                    false => {
                        "a name has letters, digits and `_`, starts with no digit, and is no word of guards"
                    }
                };
                self.error("E-name", name.span(), message, help);
                continue;
            }
            self.add(name.text(), Some(kind), initial);
        }
    }

    fn add(&mut self, name: &str, kind: Option<Kind>, initial: Initial) {
        self.numbers.insert(name.to_string(), self.variables.len());
        self.kinds.push(kind);
        self.variables.push(Variable { name: name.to_string(), initial });
    }

    fn parse<'r>(&mut self, raw: &'r RawTransition) -> Option<Parsed<'r>> {
        let guard = raw.guard.as_ref().map(|guard| expression::guard(guard, self.dialect)).transpose();
        let sets = raw.set.as_ref().map(|set| expression::assignments(set, self.dialect)).transpose();
        match (guard, sets) {
            (Ok(guard), Ok(sets)) => Some(Parsed { raw, guard, sets: sets.unwrap_or_default() }),
            (guard, sets) => {
                for mistake in [guard.err(), sets.err()].into_iter().flatten() {
                    self.mistakes.error(|| mistake);
                }
                None
            }
        }
    }

    /// Makes variables of the names that are set and not declared, and finds out their kinds.
    fn infer(&mut self, parsed: &[Vec<Parsed<'_>>]) {
        let sets: Vec<&Assignment> = parsed.iter().flatten().flat_map(|one| &one.sets).collect();
        for set in &sets {
            if self.numbers.contains_key(&set.name) || self.variables.len() == VARIABLES_MAX {
                continue;
            }
            // An input or a constant cannot be set, which is said where it is.
            if !self.inputs.contains(set.name.as_str()) && is_name(&set.name) {
                self.add(&set.name, None, Initial::Text(String::new()));
            }
        }
        // A variable may get its kind from another one that does so too.
        loop {
            let mut is_news = false;
            for set in &sets {
                let Some(&number) = self.numbers.get(&set.name) else { continue };
                if self.kinds[number].is_none()
                    && let Some(kind) = self.kind_of(&set.value)
                {
                    self.kinds[number] = Some(kind);
                    is_news = true;
                }
            }
            if !is_news {
                break;
            }
        }
        // Until it is set, a new variable is false, 0 or empty.
        for (variable, kind) in self.variables.iter_mut().zip(&self.kinds) {
            if let (Initial::Text(text), Some(kind)) = (&variable.initial, kind)
                && text.is_empty()
            {
                variable.initial = match kind {
                    Kind::Bool => Initial::Bool(false),
                    Kind::Int => Initial::Int(0),
                    Kind::Text => continue,
                };
            }
        }
    }

    /// Returns the kind of an expression as its outermost operator or name tells it.
    fn kind_of(&self, tree: &Tree) -> Option<Kind> {
        match &tree.node {
            Node::Bool(_) | Node::Not(_) => Some(Kind::Bool),
            Node::Int(_) | Node::Binary(Operator::Add | Operator::Subtract, ..) => Some(Kind::Int),
            Node::Binary(..) => Some(Kind::Bool),
            Node::Text(_) => Some(Kind::Text),
            Node::Name(name) if self.inputs.contains(name.as_str()) => Some(Kind::Text),
            Node::Name(name) => self.kinds[*self.numbers.get(name)?],
        }
    }

    fn transition(&mut self, parsed: &Parsed<'_>, ids: &BTreeMap<&str, usize>) -> Option<Transition> {
        let Parsed { raw, guard, sets } = parsed;
        let guard = guard.as_ref().map(|guard| self.term(guard, Some(Kind::Bool)));
        let sets: Vec<Option<(usize, Term)>> = sets.iter().map(|set| self.set(set)).collect();
        let (name, place) = &raw.destination;
        let destination = ids.get(name.as_str()).copied();
        if destination.is_none() {
            let known = self.suggestions.afford(ids.keys().copied());
            let help = did_you_mean(name, known, || "it is the \"node_id\" of one of the nodes".to_string());
            self.error("E-unknown-node", place.clone(), format!("there is no node `{}`", clip(name)), help);
        }
        // A part with a mistake is reported, and the model is not used.
        let guard = match guard {
            Some(guard) => Some(guard?),
            None => None,
        };
        let sets: Vec<(usize, Term)> = sets.into_iter().collect::<Option<_>>()?;
        let uses_input = sets.iter().map(|(_, value)| value).chain(&guard).any(Term::uses_input);
        if uses_input && raw.which == Which::Button {
            let message = "a button has no typed text to set or to ask for";
            self.error("E-input", raw.span.clone(), message, "give the transition the type \"editText\"");
            return None;
        }
        let is_field = raw.which == Which::Field || (raw.which == Which::ByUse && uses_input);
        Some(Transition { id: raw.id, is_field, guard, sets, destination: destination? })
    }

    fn set(&mut self, set: &Assignment) -> Option<(usize, Term)> {
        let Some(&number) = self.numbers.get(&set.name) else {
            let message = format!("`{}` cannot be set", clip(&set.name));
            let help = match self.inputs.contains(set.name.as_str()) {
                true => "it is what was typed".to_string(),
                false => format!("a variable has another name, and a model has {VARIABLES_MAX} at most"),
            };
            self.error("E-set", set.span.clone(), message, help);
            return None;
        };
        let kind = self.kinds[number];
        if kind.is_none() {
            let message = format!("the kind of `{}` is not known", clip(&set.name));
            self.error("E-kind", set.span.clone(), message, "declare it with its first value");
            return None;
        }
        Some((number, self.term(&set.value, kind)?))
    }

    /// Returns the term of `tree`, whose kind is to be `wanted`.
    fn term(&mut self, tree: &Tree, wanted: Option<Kind>) -> Option<Term> {
        let term = match &tree.node {
            Node::Bool(bool) => Term::Bool(*bool),
            Node::Int(int) => Term::Int(*int),
            Node::Text(text) => Term::Text(text.clone()),
            Node::Name(name) if self.inputs.contains(name.as_str()) => Term::Input,
            Node::Name(name) => Term::Variable(self.number(name, &tree.span)?),
            Node::Not(operand) => Term::Not(Box::new(self.term(operand, Some(Kind::Bool))?)),
            Node::Binary(operator, left, right) => {
                let side = match operator {
                    Operator::Or | Operator::And => Some(Kind::Bool),
                    Operator::Equal | Operator::NotEqual => None,
                    Operator::Less | Operator::AtMost | Operator::Greater | Operator::AtLeast => {
                        Some(Kind::Int)
                    }
                    Operator::Add | Operator::Subtract => Some(Kind::Int),
                };
                let left = self.term(left, side);
                let right = self.term(right, side);
                Term::Binary(*operator, Box::new(left?), Box::new(right?))
            }
        };
        let kind = self.kind_of(tree)?;
        if let Some(wanted) = wanted.filter(|&wanted| wanted != kind) {
            let message = format!("this is {}, and {} is needed", kind.name(), wanted.name());
            self.error("E-kind", tree.span.clone(), message, wanted.help());
            return None;
        }
        if let Node::Binary(Operator::Equal | Operator::NotEqual, left, right) = &tree.node {
            let (left, right) = (self.kind_of(left)?, self.kind_of(right)?);
            if left != right {
                let message = format!("{} is never {}", left.name(), right.name());
                self.error("E-kind", tree.span.clone(), message, "compare values of one kind");
                return None;
            }
        }
        Some(term)
    }

    fn number(&mut self, name: &str, span: &Span) -> Option<usize> {
        if let Some(&number) = self.numbers.get(name) {
            return Some(number);
        }
        let known = self.suggestions.afford(self.numbers.keys().map(String::as_str));
        let declared = match self.dialect {
            Dialect::Python => "declare it among the \"global_vars\", or set it somewhere",
            Dialect::Ptolemy => "make it a parameter of the modal model, or set it somewhere",
        };
        let help = did_you_mean(name, known, || declared.to_string());
        self.error("E-unknown-name", span.clone(), format!("there is no variable `{}`", clip(name)), help);
        None
    }

    /// Warns of nodes that no way leads to, whatever the guards.
    fn warn(&mut self, raw: &Raw, nodes: &[GraphNode]) {
        let mut is_reached = vec![false; nodes.len()];
        let mut rest = vec![0];
        while let Some(number) = rest.pop() {
            if !std::mem::replace(&mut is_reached[number], true) {
                rest.extend(nodes[number].transitions.iter().map(|one| one.destination));
            }
        }
        for (node, _) in raw.nodes.iter().zip(is_reached).filter(|(_, is_reached)| !is_reached) {
            let message = format!("no way leads to the node `{}`", clip(node.id.text()));
            self.mistakes.warning(|| {
                Diagnostic::warning("W-unreachable", node.id.span(), message)
                    .help("make it the \"destination\" of a transition, or remove it")
            });
        }
    }
}

fn is_name(name: &str) -> bool {
    let starts = name.chars().next().is_some_and(|first| first == '_' || XID_START(first));
    starts && name.chars().all(XID_CONTINUE) && !RESERVED.contains(&name)
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Bool => "a condition",
            Kind::Int => "a number",
            Kind::Text => "a text",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Kind::Bool => "put brackets around both sides of `&`; a condition is like `x == 1`",
            Kind::Int => "numbers alone are added, and compared by size",
            Kind::Text => "a text stands in quotes",
        }
    }
}

impl Term {
    /// Returns true if the typed text is part of it.
    pub fn uses_input(&self) -> bool {
        match self {
            Term::Input => true,
            Term::Bool(_) | Term::Int(_) | Term::Text(_) | Term::Variable(_) => false,
            Term::Not(operand) => operand.uses_input(),
            Term::Binary(_, left, right) => left.uses_input() || right.uses_input(),
        }
    }
}
