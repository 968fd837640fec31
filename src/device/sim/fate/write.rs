//! Models of FATE in the language of app models.
//!
//! A node is an activity without a way back; a move opens the next one and ends its own, so that one activity is open at a
//! time. A button whose guard is false is there, and its click does nothing.

use std::collections::BTreeSet;

use pest::unicode::XID_START;

use super::expression::Operator;
use super::graph::{Graph, GraphNode, Initial, Term, Transition};
use crate::sorted;
use crate::text::BYTES_MAX;

/// Rows of the default height that the default display has room for, and its height in pixels.
const ROWS_MAX: usize = 15;
const HEIGHT: usize = 1920;

/// Attributes of a field that offers texts alone: no move of FATE touches a field without a text.
const TEXTS_ALONE: &str = " clickable false longclickable false";

/// Words of the language that are no names.
const WORDS: &str = "true false none or if else for in where by as with when let use on own content portrait landscape \
                     network recreated result now app display param stored session launch activity dialog popup part def";

/// Returns the model in our language; `None` if it is larger than any that is read. `hides_texts` leaves fields empty.
pub(super) fn write(graph: &Graph, name: &str, hides_texts: bool) -> Option<String> {
    let writer = Writer::new(graph, hides_texts);
    let file = file_name(name);
    let mut out = format!("app fate.{file} {} 1.0\n", quoted(&file));
    for (variable, name) in graph.variables.iter().zip(&writer.variables) {
        let value = match &variable.initial {
            Initial::Bool(bool) => bool.to_string(),
            Initial::Int(int) => int.to_string(),
            Initial::Text(text) => quoted(text),
        };
        out += &format!("stored {name} = {value}\n");
    }
    out += &format!("launch {}\n", writer.windows.first()?);
    for (number, node) in graph.nodes.iter().enumerate() {
        out += &writer.window(number, node, BYTES_MAX.checked_sub(out.len())?)?;
    }
    (out.len() <= BYTES_MAX).then_some(out)
}

/// Returns `name` as the last part of a package.
fn file_name(name: &str) -> String {
    let letter = |char: char| if char.is_ascii_alphanumeric() { char } else { '_' };
    let letters: String = name.chars().take(60).map(letter).collect();
    if letters.starts_with(|first: char| first.is_ascii_alphabetic()) {
        letters
    } else {
        format!("m{letters}")
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '{' | '}' => out.extend([char, char]),
            '\n' => out += "\\n",
            _ if char.is_control() => out += &format!("\\u{{{:x}}}", u32::from(char)),
            _ => out.push(char),
        }
    }
    out.push('"');
    out
}

/// Names that are given once each, and are no words of the language.
struct Names(BTreeSet<String>);

impl Names {
    /// Returns `wanted`, or a name like it.
    fn give(&mut self, wanted: &str) -> String {
        let starts = wanted.starts_with(|first: char| first == '_' || XID_START(first));
        let mut name = if starts { wanted.to_string() } else { format!("_{wanted}") };
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

struct Writer {
    hides_texts: bool,
    /// Names of the variables, by their numbers.
    variables: Vec<String>,
    /// Names of the windows, by the numbers of their nodes.
    windows: Vec<String>,
    /// Name of the typed text.
    input: String,
    /// Start of the names of what fields hold while they are typed into.
    typed: String,
}

/// Variable that an instance of an activity has for fields, and the model's variable that they show by it, if they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shadow {
    shown: Option<usize>,
}

impl Writer {
    fn new(graph: &Graph, hides_texts: bool) -> Writer {
        let mut names = Names(WORDS.split_whitespace().map(str::to_string).collect());
        let variables = graph.variables.iter().map(|variable| names.give(&variable.name)).collect();
        let windows = graph.nodes.iter().map(|node| names.give(&node.id)).collect();
        let input = names.give("input_text");
        // Numbers follow it, so no name may start with it.
        let mut typed = "typed".to_string();
        while names.0.iter().any(|name| name.starts_with(&typed)) {
            typed.push('_');
        }
        Writer { hides_texts, variables, windows, input, typed }
    }

    /// Returns an activity; `None` if it has more than `bytes_max` bytes.
    fn window(&self, number: usize, node: &GraphNode, bytes_max: usize) -> Option<String> {
        // Fields that show the same share a variable, so that few follow a change.
        let shadows: BTreeSet<Shadow> =
            sorted::set(node.transitions.iter().filter_map(|one| self.shadow(one)));
        let mut out = format!("\nactivity {} .{} portrait awake {{\n", self.windows[number], node.id);
        for shadow in &shadows {
            out += &format!("    own {} = {}\n", self.own(shadow), self.shown(shadow));
        }
        out += "    on back: {}\n";
        let tall = match node.transitions.len() {
            rows if rows > ROWS_MAX => format!(" tall {}", HEIGHT / rows),
            _ => String::new(),
        };
        for transition in &node.transitions {
            let id = transition.id;
            let effects = |sets: &[(usize, Term)]| self.effects(number, transition, sets, &shadows);
            out += &match (transition.is_field, self.shadow(transition)) {
                (false, _) => {
                    let effects = effects(&transition.sets);
                    format!(
                        "    Button #t{id}{tall} -> {}\n",
                        if effects.is_empty() { "{}" } else { &effects }
                    )
                }
                (true, Some(shadow)) => {
                    let (own, after) = (self.own(&shadow), self.shown(&shadow));
                    let input = &self.input;
                    let done = effects(&transition.sets);
                    let then = if done.is_empty() { done } else { parted(&done) };
                    format!(
                        "    EditText #t{id}{tall} edits {own}{TEXTS_ALONE} {{ on text: {{ let {input} = {own}; {then}{own} = {after} }} }}\n"
                    )
                }
                (true, None) => {
                    // The field itself does the first assignment.
                    let (first, rest) = transition.sets.split_first()?;
                    let effects = effects(rest);
                    let name = &self.variables[first.0];
                    let body =
                        if effects.is_empty() { effects } else { format!(" {{ on text: {effects} }}") };
                    format!("    EditText #t{id}{tall} edits {name}{TEXTS_ALONE}{body}\n")
                }
            };
            if out.len() > bytes_max {
                return None;
            }
        }
        out += "}\n";
        Some(out)
    }

    /// Returns the variable of its own that a field needs: where text may be refused or is used in another way than to be
    /// put into one variable.
    fn shadow(&self, transition: &Transition) -> Option<Shadow> {
        if !transition.is_field {
            return None;
        }
        let shown =
            transition.sets.iter().find(|(_, value)| *value == Term::Input).map(|&(variable, _)| variable);
        let is_plain = match transition.sets.split_first() {
            Some(((_, Term::Input), rest)) => rest.iter().all(|(_, value)| !value.uses_input()),
            Some(_) | None => false,
        };
        if is_plain && transition.guard.is_none() && !self.hides_texts {
            return None;
        }
        Some(Shadow { shown: shown.filter(|_| !self.hides_texts) })
    }

    /// Returns the name of a field's own variable.
    fn own(&self, shadow: &Shadow) -> String {
        let number = shadow.shown.map_or(String::new(), |variable| variable.to_string());
        format!("{}{number}", self.typed)
    }

    /// Returns what a field's own variable holds while nothing is typed.
    fn shown(&self, shadow: &Shadow) -> &str {
        shadow.shown.map_or("\"\"", |variable| &self.variables[variable])
    }

    /// Returns what a transition of the node `number` does: the assignments `sets`, and the move.
    fn effects(
        &self,
        number: usize,
        transition: &Transition,
        sets: &[(usize, Term)],
        shadows: &BTreeSet<Shadow>,
    ) -> String {
        let mut effects: Vec<String> = sets
            .iter()
            .map(|(variable, value)| format!("{} = {}", self.variables[*variable], self.term(value, 0)))
            .collect();
        if transition.destination == number {
            // Fields that show what has changed follow it; elsewhere they are made anew.
            let changed: BTreeSet<usize> = sorted::set(transition.sets.iter().map(|&(variable, _)| variable));
            let is_changed =
                |shadow: &&Shadow| shadow.shown.is_some_and(|variable| changed.contains(&variable));
            // A field sets its own variable in any case, after all else.
            let own = self.shadow(transition);
            for shadow in shadows.iter().filter(is_changed).filter(|shadow| Some(**shadow) != own) {
                effects.push(format!("{} = {}", self.own(shadow), self.shown(shadow)));
            }
        } else {
            effects.push(format!("open {}", self.windows[transition.destination]));
            effects.push("finish".to_string());
        }
        match &transition.guard {
            _ if effects.is_empty() => String::new(),
            Some(guard) => format!("if {} {{ {} }}", self.term(guard, 0), effects.join("; ")),
            None => effects.join("; "),
        }
    }

    /// Writes a term where operators that bind less tightly than `level` need brackets.
    fn term(&self, term: &Term, level: u8) -> String {
        match term {
            Term::Bool(bool) => bool.to_string(),
            Term::Int(int) if *int < 0 => format!("({int})"),
            Term::Int(int) => int.to_string(),
            Term::Text(text) => quoted(text),
            Term::Variable(variable) => self.variables[*variable].clone(),
            Term::Input => self.input.clone(),
            Term::Not(operand) => format!("!{}", self.term(operand, 9)),
            Term::Binary(operator, left, right) => {
                let (sign, own, right_level) = match operator {
                    Operator::Or => ("||", 1, 1),
                    Operator::And => ("&&", 2, 2),
                    Operator::Equal => ("==", 3, 4),
                    Operator::NotEqual => ("!=", 3, 4),
                    Operator::Less => ("<", 3, 4),
                    Operator::AtMost => ("<=", 3, 4),
                    Operator::Greater => (">", 3, 4),
                    Operator::AtLeast => (">=", 3, 4),
                    Operator::Add => ("+", 5, 6),
                    Operator::Subtract => ("-", 5, 6),
                };
                // Two comparisons in a row would compare a result.
                let left_level = if own == 3 { 4 } else { own };
                let written =
                    format!("{} {sign} {}", self.term(left, left_level), self.term(right, right_level));
                if own < level { format!("({written})") } else { written }
            }
        }
    }
}

/// Returns `effects` with what parts them from the next effect.
fn parted(effects: &str) -> String {
    if effects.ends_with('}') { format!("{effects} ") } else { format!("{effects}; ") }
}
