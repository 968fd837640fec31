//! XPath 1.0 over a page source, with the functions of XPath 2.0 that clients of Appium use.
//!
//! The expression is read into a tree whose depth is bounded, and evaluated within a budget: neither a deep nor a costly
//! expression can hold the phone up. A page has elements and attributes; it has no text nodes, variables and name spaces.

use std::collections::BTreeSet;

use regex::RegexBuilder;

use super::refusal::Refusal;
use super::source::Page;

/// Deepest nesting of an expression.
const DEPTH_MAX: usize = 30;

/// Work of an expression at most: a visited node costs 16, a letter of a text 1.
const WORK_MAX: usize = 40_000_000;

/// Largest compiled pattern, in bytes.
const PATTERN_MAX: usize = 1 << 20;

/// Functions with their smallest and largest number of arguments.
const FUNCTIONS: [(&str, usize, usize); 28] = [
    ("boolean", 1, 1),
    ("ceiling", 1, 1),
    ("concat", 2, 100),
    ("contains", 2, 2),
    ("count", 1, 1),
    ("ends-with", 2, 2),
    ("exists", 1, 1),
    ("false", 0, 0),
    ("floor", 1, 1),
    ("last", 0, 0),
    ("local-name", 0, 1),
    ("lower-case", 1, 1),
    ("matches", 2, 3),
    ("name", 0, 1),
    ("normalize-space", 0, 1),
    ("not", 1, 1),
    ("number", 0, 1),
    ("position", 0, 0),
    ("round", 1, 1),
    ("starts-with", 2, 2),
    ("string", 0, 1),
    ("string-length", 0, 1),
    ("substring", 2, 3),
    ("substring-after", 2, 2),
    ("substring-before", 2, 2),
    ("translate", 3, 3),
    ("true", 0, 0),
    ("upper-case", 1, 1),
];

/// Returns the indices of the widgets that an expression finds; with a `context`, those inside that widget.
pub(super) fn find(page: &Page<'_>, text: &str, context: Option<usize>) -> Result<Vec<usize>, Refusal> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0, text };
    let expression = parser.expression()?;
    if parser.at < parser.tokens.len() {
        return Err(parser.fault());
    }
    let at = match context {
        Some(at) => page.nodes.iter().position(|node| node.at == Some(at)),
        None => None,
    };
    let mut evaluator = Evaluator { page, work: 0 };
    let here = Here { item: at.map_or(Item::ROOT, Item::element), position: 1, size: 1 };
    let Outcome::Items(items) = evaluator.value(&expression, here)? else {
        return Err(Refusal::selector(format!("the XPath expression `{}` finds no elements", shown(text))));
    };
    // The real server looks inside the context alone, even from the root.
    let range = at.map_or(0..page.nodes.len(), |at| at..page.nodes[at].end);
    let elements = items.into_iter().filter(|item| item.1 == 0).filter_map(|item| item.0.checked_sub(1));
    Ok(elements.filter(|at| range.contains(at)).filter_map(|at| page.nodes[at].at).collect())
}

fn shown(text: &str) -> &str {
    super::super::super::io::shown(text)
}

// Reading.

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Number(f64),
    Sign(&'static str),
}

fn tokens(text: &str) -> Result<Vec<Token>, Refusal> {
    // A longer sign stands before those that it starts with.
    const SIGNS: [&str; 22] = [
        "//", "::", "..", "!=", "<=", ">=", "/", ".", "@", "(", ")", "[", "]", ",", "|", "+", "-", "*", "=",
        "<", ">", ":",
    ];
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let fault =
            || Refusal::selector(format!("the XPath expression is not understood at `{}`", shown(rest)));
        let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
        let is_name = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
        let starts_number = first.is_ascii_digit()
            || (first == '.' && rest[1..].starts_with(|letter: char| letter.is_ascii_digit()));
        let len = if first == '"' || first == '\'' {
            let end = rest[1..].find(first).ok_or_else(fault)?;
            tokens.push(Token::Text(rest[1..=end].to_string()));
            end + 2
        } else if starts_number {
            let len = rest.find(|letter| !is_number(letter)).unwrap_or(rest.len());
            tokens.push(Token::Number(rest[..len].parse().map_err(|_| fault())?));
            len
        } else if first.is_alphabetic() || first == '_' {
            let len = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
            tokens.push(Token::Name(rest[..len].to_string()));
            len
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign)).ok_or_else(fault)?;
            tokens.push(Token::Sign(sign));
            sign.len()
        };
        rest = rest[len..].trim_start();
    }
    Ok(tokens)
}

/// An expression. Chains of operators are lists, so that a long one is not deep.
enum Expression {
    Any(Vec<Expression>),
    All(Vec<Expression>),
    /// The first operand, and operators with their second one.
    Chain(Box<Expression>, Vec<(&'static str, Expression)>),
    Negative(Box<Expression>),
    Union(Vec<Expression>),
    Path(Box<Path>),
    Text(String),
    Number(f64),
    Call(&'static str, Vec<Expression>),
}

struct Path {
    start: Start,
    steps: Vec<Step>,
}

enum Start {
    Root,
    Here,
    /// The items of an expression that pass the predicates.
    Of(Expression, Vec<Expression>),
}

struct Step {
    axis: Axis,
    /// Name of the tag or attribute; none for all of them.
    name: Option<String>,
    predicates: Vec<Expression>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Parent,
    Preceding,
    PrecedingSibling,
    Itself,
    /// The node test `text()`, which finds nothing in a page.
    Nothing,
}

const AXES: [(&str, Axis); 12] = [
    ("ancestor", Axis::Ancestor),
    ("ancestor-or-self", Axis::AncestorOrSelf),
    ("attribute", Axis::Attribute),
    ("child", Axis::Child),
    ("descendant", Axis::Descendant),
    ("descendant-or-self", Axis::DescendantOrSelf),
    ("following", Axis::Following),
    ("following-sibling", Axis::FollowingSibling),
    ("parent", Axis::Parent),
    ("preceding", Axis::Preceding),
    ("preceding-sibling", Axis::PrecedingSibling),
    ("self", Axis::Itself),
];

/// Operators between two operands, the loosest first; those of a row bind alike.
const OPERATORS: [&[&str]; 4] = [&["=", "!="], &["<", "<=", ">", ">="], &["+", "-"], &["*", "div", "mod"]];

struct Parser<'t> {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    text: &'t str,
}

impl Parser<'_> {
    fn fault(&self) -> Refusal {
        let what = match self.tokens.get(self.at) {
            Some(Token::Name(name)) => shown(name).to_string(),
            Some(Token::Text(text)) => format!("'{}'", shown(text)),
            Some(Token::Number(number)) => number.to_string(),
            Some(Token::Sign(sign)) => sign.to_string(),
            None => "its end".to_string(),
        };
        Refusal::selector(format!("the XPath expression `{}` is not understood at {what}", shown(self.text)))
    }

    fn is(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.tokens.get(self.at + ahead), Some(Token::Sign(other)) if *other == sign)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_there = self.is(0, sign);
        self.at += usize::from(is_there);
        is_there
    }

    fn wants(&mut self, sign: &str) -> Result<(), Refusal> {
        if self.takes(sign) { Ok(()) } else { Err(self.fault()) }
    }

    /// Takes an operator: a sign, or a name where no operand can stand.
    fn operator(&mut self, wanted: &[&'static str]) -> Option<&'static str> {
        let found = match self.tokens.get(self.at)? {
            Token::Name(name) => wanted.iter().find(|operator| *operator == name),
            Token::Sign(sign) => wanted.iter().find(|operator| *operator == sign),
            Token::Text(_) | Token::Number(_) => None,
        };
        self.at += usize::from(found.is_some());
        found.copied()
    }

    fn expression(&mut self) -> Result<Expression, Refusal> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Refusal::selector("the XPath expression is nested too deeply"));
        }
        let mut any = vec![self.all()?];
        while self.operator(&["or"]).is_some() {
            any.push(self.all()?);
        }
        self.depth -= 1;
        Ok(if any.len() == 1 { any.swap_remove(0) } else { Expression::Any(any) })
    }

    fn all(&mut self) -> Result<Expression, Refusal> {
        let mut all = vec![self.chain(0)?];
        while self.operator(&["and"]).is_some() {
            all.push(self.chain(0)?);
        }
        Ok(if all.len() == 1 { all.swap_remove(0) } else { Expression::All(all) })
    }

    fn chain(&mut self, row: usize) -> Result<Expression, Refusal> {
        let Some(operators) = OPERATORS.get(row) else { return self.negative() };
        let first = self.chain(row + 1)?;
        let mut rest = Vec::new();
        while let Some(operator) = self.operator(operators) {
            rest.push((operator, self.chain(row + 1)?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Chain(Box::new(first), rest) })
    }

    fn negative(&mut self) -> Result<Expression, Refusal> {
        let mut is_negative = false;
        let mut signs = 0;
        while self.takes("-") {
            is_negative = !is_negative;
            signs += 1;
        }
        let mut union = vec![self.path()?];
        while self.takes("|") {
            union.push(self.path()?);
        }
        let value = if union.len() == 1 { union.swap_remove(0) } else { Expression::Union(union) };
        Ok(match (signs, is_negative) {
            (0, _) => value,
            (_, true) => Expression::Negative(Box::new(value)),
            // Two signs make a number of what is none.
            (_, false) => Expression::Call("number", vec![value]),
        })
    }

    fn path(&mut self) -> Result<Expression, Refusal> {
        let mut steps = Vec::new();
        let start = match self.tokens.get(self.at).cloned() {
            Some(Token::Sign("/")) => {
                self.at += 1;
                if self.starts_step() {
                    steps.push(self.step()?);
                }
                Start::Root
            }
            Some(Token::Sign("//")) => Start::Root,
            _ if self.starts_step() => {
                steps.push(self.step()?);
                Start::Here
            }
            _ => {
                let primary = self.primary()?;
                let predicates = self.predicates()?;
                if predicates.is_empty() && !self.is(0, "/") && !self.is(0, "//") {
                    return Ok(primary);
                }
                Start::Of(primary, predicates)
            }
        };
        loop {
            if self.takes("//") {
                steps.push(Step { axis: Axis::DescendantOrSelf, name: None, predicates: Vec::new() });
            } else if !self.takes("/") {
                break;
            }
            steps.push(self.step()?);
        }
        Ok(Expression::Path(Box::new(Path { start, steps })))
    }

    fn starts_step(&self) -> bool {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) => [".", "..", "@", "*"].contains(sign),
            // A name before a bracket is a function, but for the tests of a node.
            Some(Token::Name(name)) => !self.is(1, "(") || ["node", "text"].contains(&name.as_str()),
            Some(Token::Text(_) | Token::Number(_)) | None => false,
        }
    }

    fn step(&mut self) -> Result<Step, Refusal> {
        let plain = |axis| Step { axis, name: None, predicates: Vec::new() };
        if self.takes("..") {
            return Ok(Step { predicates: self.predicates()?, ..plain(Axis::Parent) });
        }
        if self.takes(".") {
            return Ok(Step { predicates: self.predicates()?, ..plain(Axis::Itself) });
        }
        let mut axis = Axis::Child;
        if self.takes("@") {
            axis = Axis::Attribute;
        } else if self.is(1, "::") {
            let Some(Token::Name(name)) = self.tokens.get(self.at) else { return Err(self.fault()) };
            let found = AXES.iter().find(|(other, _)| other == name);
            axis = found.ok_or_else(|| self.fault())?.1;
            self.at += 2;
        }
        let name = match self.tokens.get(self.at).cloned() {
            Some(Token::Sign("*")) => {
                self.at += 1;
                None
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                if self.takes("(") {
                    self.wants(")")?;
                    if name == "text" {
                        axis = Axis::Nothing;
                    } else if name != "node" {
                        return Err(self.fault());
                    }
                    None
                } else {
                    Some(name)
                }
            }
            _ => return Err(self.fault()),
        };
        Ok(Step { axis, name, predicates: self.predicates()? })
    }

    fn predicates(&mut self) -> Result<Vec<Expression>, Refusal> {
        let mut predicates = Vec::new();
        while self.takes("[") {
            predicates.push(self.expression()?);
            self.wants("]")?;
        }
        Ok(predicates)
    }

    fn primary(&mut self) -> Result<Expression, Refusal> {
        match self.tokens.get(self.at).cloned() {
            Some(Token::Text(text)) => {
                self.at += 1;
                Ok(Expression::Text(text))
            }
            Some(Token::Number(number)) => {
                self.at += 1;
                Ok(Expression::Number(number))
            }
            Some(Token::Sign("(")) => {
                self.at += 1;
                let inner = self.expression()?;
                self.wants(")")?;
                Ok(inner)
            }
            Some(Token::Name(name)) => {
                let known = FUNCTIONS.iter().find(|(other, ..)| *other == name);
                let (name, least, most) = *known.ok_or_else(|| {
                    Refusal::selector(format!("XPath has no function `{}` here", shown(&name)))
                })?;
                self.at += 1;
                self.wants("(")?;
                let mut arguments = Vec::new();
                while !self.takes(")") {
                    if !arguments.is_empty() {
                        self.wants(",")?;
                    }
                    arguments.push(self.expression()?);
                }
                if !(least..=most).contains(&arguments.len()) {
                    return Err(Refusal::selector(format!("the function `{name}` takes other arguments")));
                }
                Ok(Expression::Call(name, arguments))
            }
            Some(Token::Sign(_)) | None => Err(self.fault()),
        }
    }
}

// Evaluation.

/// A node of the page, in document order: the document is 0, element *n* is *n* + 1; its attributes count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Item(usize, usize);

impl Item {
    const ROOT: Item = Item(0, 0);

    fn element(at: usize) -> Item {
        Item(at + 1, 0)
    }
}

/// Context of an evaluation.
#[derive(Clone, Copy)]
struct Here {
    item: Item,
    position: usize,
    size: usize,
}

enum Outcome {
    Items(Vec<Item>),
    Text(String),
    Number(f64),
    Flag(bool),
}

struct Evaluator<'p> {
    page: &'p Page<'p>,
    work: usize,
}

impl Evaluator<'_> {
    fn spend(&mut self, work: usize) -> Result<(), Refusal> {
        self.work = self.work.saturating_add(work);
        if self.work > WORK_MAX {
            Err(Refusal::selector("the XPath expression takes too long"))
        } else {
            Ok(())
        }
    }

    fn value(&mut self, expression: &Expression, here: Here) -> Result<Outcome, Refusal> {
        self.spend(16)?;
        Ok(match expression {
            Expression::Any(all) => {
                for operand in all {
                    if self.flag(operand, here)? {
                        return Ok(Outcome::Flag(true));
                    }
                }
                Outcome::Flag(false)
            }
            Expression::All(all) => {
                for operand in all {
                    if !self.flag(operand, here)? {
                        return Ok(Outcome::Flag(false));
                    }
                }
                Outcome::Flag(true)
            }
            Expression::Chain(first, rest) => {
                let mut value = self.value(first, here)?;
                for (operator, operand) in rest {
                    let other = self.value(operand, here)?;
                    value = self.operate(value, operator, other)?;
                }
                value
            }
            Expression::Negative(value) => Outcome::Number(-self.number_of(value, here)?),
            Expression::Union(all) => {
                let mut items = BTreeSet::new();
                for operand in all {
                    items.extend(self.items(operand, here)?);
                }
                Outcome::Items(items.into_iter().collect())
            }
            Expression::Path(path) => Outcome::Items(self.path(path, here)?),
            Expression::Text(text) => {
                self.spend(text.len())?;
                Outcome::Text(text.clone())
            }
            Expression::Number(number) => Outcome::Number(*number),
            Expression::Call(name, arguments) => self.call(name, arguments, here)?,
        })
    }

    fn items(&mut self, expression: &Expression, here: Here) -> Result<Vec<Item>, Refusal> {
        match self.value(expression, here)? {
            Outcome::Items(items) => Ok(items),
            Outcome::Text(_) | Outcome::Number(_) | Outcome::Flag(_) => {
                Err(Refusal::selector("elements are expected in the XPath expression, and a value is there"))
            }
        }
    }

    fn flag(&mut self, expression: &Expression, here: Here) -> Result<bool, Refusal> {
        Ok(match self.value(expression, here)? {
            Outcome::Items(items) => !items.is_empty(),
            Outcome::Text(text) => !text.is_empty(),
            Outcome::Number(number) => number != 0.0 && !number.is_nan(),
            Outcome::Flag(flag) => flag,
        })
    }

    fn text_of(&mut self, expression: &Expression, here: Here) -> Result<String, Refusal> {
        let value = self.value(expression, here)?;
        self.text(value)
    }

    fn text(&mut self, value: Outcome) -> Result<String, Refusal> {
        let text = match value {
            Outcome::Items(items) => items.first().map(|item| self.text_at(*item)).unwrap_or_default(),
            Outcome::Text(text) => text,
            // Rust writes a whole number without its fraction, as XPath does.
            Outcome::Number(number) => number.to_string(),
            Outcome::Flag(flag) => flag.to_string(),
        };
        self.spend(text.len())?;
        Ok(text)
    }

    fn number_of(&mut self, expression: &Expression, here: Here) -> Result<f64, Refusal> {
        let value = self.value(expression, here)?;
        self.number(value)
    }

    fn number(&mut self, value: Outcome) -> Result<f64, Refusal> {
        Ok(match value {
            Outcome::Number(number) => number,
            Outcome::Flag(flag) => f64::from(u8::from(flag)),
            other => self.text(other)?.trim().parse().unwrap_or(f64::NAN),
        })
    }

    /// Returns the text of a node: the value of an attribute; an element has no text of its own.
    fn text_at(&self, item: Item) -> String {
        let attribute = item.0.checked_sub(1).zip(item.1.checked_sub(1));
        let value = attribute.and_then(|(at, number)| self.page.attribute(at, self.page.names(at)[number]));
        value.map(|value| value.into_owned()).unwrap_or_default()
    }

    fn name_at(&self, item: Item) -> String {
        match (item.0.checked_sub(1), item.1.checked_sub(1)) {
            (None, _) => String::new(),
            (Some(at), None) => self.page.tag(at).into_owned(),
            (Some(at), Some(number)) => self.page.names(at)[number].to_string(),
        }
    }

    fn operate(&mut self, left: Outcome, operator: &str, right: Outcome) -> Result<Outcome, Refusal> {
        let math = |operation: fn(f64, f64) -> f64, this: &mut Self, left, right| {
            Ok(Outcome::Number(operation(this.number(left)?, this.number(right)?)))
        };
        match operator {
            "+" => math(|a, b| a + b, self, left, right),
            "-" => math(|a, b| a - b, self, left, right),
            "*" => math(|a, b| a * b, self, left, right),
            "div" => math(|a, b| a / b, self, left, right),
            "mod" => math(|a, b| a % b, self, left, right),
            operator => Ok(Outcome::Flag(self.compare(left, operator, right)?)),
        }
    }

    /// Compares two values; of nodes, any one that holds suffices.
    fn compare(&mut self, left: Outcome, operator: &str, right: Outcome) -> Result<bool, Refusal> {
        if let Outcome::Flag(_) = left {
            return self.compare_plain(left, operator, right);
        }
        match (left, right) {
            (Outcome::Items(items), Outcome::Flag(flag)) => {
                self.compare_plain(Outcome::Flag(!items.is_empty()), operator, Outcome::Flag(flag))
            }
            (Outcome::Items(items), right) => {
                let rights: Vec<String> = match right {
                    Outcome::Items(others) => others.iter().map(|item| self.text_at(*item)).collect(),
                    Outcome::Number(number) => {
                        return self.any(&items, |this, text| {
                            this.compare_plain(Outcome::Text(text), operator, Outcome::Number(number))
                        });
                    }
                    other => vec![self.text(other)?],
                };
                self.any(&items, |this, text| {
                    for right in &rights {
                        this.spend(right.len() + 16)?;
                        if this.compare_plain(
                            Outcome::Text(text.clone()),
                            operator,
                            Outcome::Text(right.clone()),
                        )? {
                            return Ok(true);
                        }
                    }
                    Ok(false)
                })
            }
            (left, Outcome::Items(items)) => {
                // The same comparison from the other side.
                let mirrored = match operator {
                    "<" => ">",
                    "<=" => ">=",
                    ">" => "<",
                    ">=" => "<=",
                    operator => operator,
                };
                self.compare(Outcome::Items(items), mirrored, left)
            }
            (left, right) => self.compare_plain(left, operator, right),
        }
    }

    fn any(
        &mut self,
        items: &[Item],
        mut holds: impl FnMut(&mut Self, String) -> Result<bool, Refusal>,
    ) -> Result<bool, Refusal> {
        for item in items {
            let text = self.text_at(*item);
            self.spend(text.len() + 16)?;
            if holds(self, text)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Compares two values that are no nodes, or a flag with nodes.
    fn compare_plain(&mut self, left: Outcome, operator: &str, right: Outcome) -> Result<bool, Refusal> {
        let truth = |value: &Outcome| match value {
            Outcome::Items(items) => !items.is_empty(),
            Outcome::Text(text) => !text.is_empty(),
            Outcome::Number(number) => *number != 0.0 && !number.is_nan(),
            Outcome::Flag(flag) => *flag,
        };
        if !["=", "!="].contains(&operator) {
            let (left, right) = (self.number(left)?, self.number(right)?);
            return Ok(match operator {
                "<" => left < right,
                "<=" => left <= right,
                ">" => left > right,
                _ => left >= right,
            });
        }
        let is_equal = match (&left, &right) {
            (Outcome::Flag(_), _) | (_, Outcome::Flag(_)) => truth(&left) == truth(&right),
            (Outcome::Number(_), _) | (_, Outcome::Number(_)) => self.number(left)? == self.number(right)?,
            _ => self.text(left)? == self.text(right)?,
        };
        Ok(is_equal == (operator == "="))
    }

    fn path(&mut self, path: &Path, here: Here) -> Result<Vec<Item>, Refusal> {
        let mut items = match &path.start {
            Start::Root => vec![Item::ROOT],
            Start::Here => vec![here.item],
            Start::Of(expression, predicates) => {
                let items = self.items(expression, here)?;
                self.filtered(items, predicates)?
            }
        };
        for step in &path.steps {
            let mut next = Vec::new();
            for item in items {
                let along = self.along(item, step)?;
                next.extend(self.filtered(along, &step.predicates)?);
            }
            // In document order, each once.
            next.sort_unstable();
            next.dedup();
            items = next;
        }
        Ok(items)
    }

    /// Drops the items for which a predicate fails; their order gives their positions.
    fn filtered(&mut self, mut items: Vec<Item>, predicates: &[Expression]) -> Result<Vec<Item>, Refusal> {
        for predicate in predicates {
            let size = items.len();
            let mut left = Vec::new();
            for (index, item) in items.into_iter().enumerate() {
                let here = Here { item, position: index + 1, size };
                let passes = match self.value(predicate, here)? {
                    Outcome::Number(number) => number == here.position as f64,
                    Outcome::Items(items) => !items.is_empty(),
                    Outcome::Text(text) => !text.is_empty(),
                    Outcome::Flag(flag) => flag,
                };
                if passes {
                    left.push(item);
                }
            }
            items = left;
        }
        Ok(items)
    }

    /// Returns the nodes along the axis of a step that have its name, the nearest first.
    fn along(&mut self, item: Item, step: &Step) -> Result<Vec<Item>, Refusal> {
        let items = self.on_axis(item, step.axis);
        self.spend(items.len() * 16)?;
        let Some(name) = &step.name else {
            // `*` is a test for elements, but on the axis of attributes.
            return Ok(items);
        };
        let is_meant = |item: &Item| match (item.0.checked_sub(1), item.1.checked_sub(1)) {
            (None, _) => false,
            (Some(at), None) => self.page.tag(at) == **name,
            (Some(at), Some(number)) => self.page.names(at)[number] == *name,
        };
        Ok(items.into_iter().filter(is_meant).collect())
    }

    fn on_axis(&self, item: Item, axis: Axis) -> Vec<Item> {
        let nodes = &self.page.nodes;
        let element = item.0.checked_sub(1);
        let is_attribute = item.1 > 0;
        let parent = match (element, is_attribute) {
            (None, _) => None,
            (Some(_), true) => Some(Item(item.0, 0)),
            (Some(0), false) => Some(Item::ROOT),
            (Some(at), false) => Some(Item::element(nodes[at].parent)),
        };
        let above = || {
            std::iter::successors(parent, |above| match above.0 {
                0 => None,
                1 => Some(Item::ROOT),
                at => Some(Item::element(nodes[at - 1].parent)),
            })
        };
        let range = |range: std::ops::Range<usize>| range.map(Item::element);
        let inside = match element {
            None => 0..nodes.len(),
            Some(_) if is_attribute => 0..0,
            Some(at) => at + 1..nodes[at].end,
        };
        // The children in a range: each begins where the one before it ends.
        let children = |within: std::ops::Range<usize>| {
            let first = within.clone().next();
            std::iter::successors(first, move |at| Some(nodes[*at].end).filter(|end| *end < within.end))
        };
        let siblings = match (parent, is_attribute) {
            (Some(Item(0, _)), false) => 0..nodes.len(),
            (Some(Item(at, _)), false) => at..nodes[at - 1].end,
            _ => 0..0,
        };
        match axis {
            Axis::Itself => vec![item],
            Axis::Parent => parent.into_iter().collect(),
            Axis::Ancestor => above().collect(),
            Axis::AncestorOrSelf => std::iter::once(item).chain(above()).collect(),
            Axis::Child => children(inside).map(Item::element).collect(),
            Axis::Descendant => range(inside).collect(),
            Axis::DescendantOrSelf => std::iter::once(item).chain(range(inside)).collect(),
            Axis::FollowingSibling => {
                children(siblings).map(Item::element).filter(|other| *other > item).collect()
            }
            Axis::PrecedingSibling => {
                let mut before: Vec<Item> =
                    children(siblings).map(Item::element).filter(|other| *other < item).collect();
                before.reverse();
                before
            }
            Axis::Following => {
                element.map_or_else(Vec::new, |at| range(nodes[at].end..nodes.len()).collect())
            }
            Axis::Preceding => {
                let at = element.unwrap_or(0);
                let ends_before = |other: &usize| nodes[*other].end <= at;
                (0..at).rev().filter(ends_before).map(Item::element).collect()
            }
            Axis::Attribute => match element {
                Some(at) if !is_attribute => {
                    let names = self.page.names(at).iter().enumerate();
                    let there = names.filter(|(_, name)| self.page.attribute(at, name).is_some());
                    there.map(|(number, _)| Item(at + 1, number + 1)).collect()
                }
                _ => Vec::new(),
            },
            Axis::Nothing => Vec::new(),
        }
    }

    fn call(&mut self, name: &str, arguments: &[Expression], here: Here) -> Result<Outcome, Refusal> {
        // Many functions take the present node where they have no argument.
        let itself = Outcome::Items(vec![here.item]);
        let first = match arguments.first() {
            _ if matches!(name, "position" | "last" | "true" | "false") => itself,
            Some(first) => self.value(first, here)?,
            None => itself,
        };
        let text = |this: &mut Self, at: usize| match arguments.get(at) {
            Some(argument) => this.text_of(argument, here),
            None => Ok(String::new()),
        };
        Ok(match name {
            "position" => Outcome::Number(here.position as f64),
            "last" => Outcome::Number(here.size as f64),
            "true" => Outcome::Flag(true),
            "false" => Outcome::Flag(false),
            "count" | "exists" => {
                let Outcome::Items(items) = first else {
                    return Err(Refusal::selector(format!("the function `{name}` takes elements")));
                };
                if name == "count" {
                    Outcome::Number(items.len() as f64)
                } else {
                    Outcome::Flag(!items.is_empty())
                }
            }
            "name" | "local-name" => {
                let Outcome::Items(items) = first else {
                    return Err(Refusal::selector(format!("the function `{name}` takes elements")));
                };
                Outcome::Text(items.first().map(|item| self.name_at(*item)).unwrap_or_default())
            }
            "boolean" | "not" => {
                let is_true = self.compare_plain(first, "=", Outcome::Flag(true))?;
                Outcome::Flag(is_true == (name == "boolean"))
            }
            "number" => Outcome::Number(self.number(first)?),
            "floor" => Outcome::Number(self.number(first)?.floor()),
            "ceiling" => Outcome::Number(self.number(first)?.ceil()),
            "round" => Outcome::Number((self.number(first)? + 0.5).floor()),
            _ => {
                let first = self.text(first)?;
                match name {
                    "string" => Outcome::Text(first),
                    "concat" => {
                        let mut joined = first;
                        for argument in &arguments[1..] {
                            joined.push_str(&self.text_of(argument, here)?);
                        }
                        Outcome::Text(joined)
                    }
                    "contains" => Outcome::Flag(first.contains(&text(self, 1)?)),
                    "starts-with" => Outcome::Flag(first.starts_with(&text(self, 1)?)),
                    "ends-with" => Outcome::Flag(first.ends_with(&text(self, 1)?)),
                    "matches" => {
                        let (pattern, flags) = (text(self, 1)?, text(self, 2)?);
                        Outcome::Flag(self.fits(&first, &pattern, &flags)?)
                    }
                    "substring-before" => {
                        let found = text(self, 1)?;
                        Outcome::Text(first.split_once(&found).map_or("", |(before, _)| before).to_string())
                    }
                    "substring-after" => {
                        let found = text(self, 1)?;
                        Outcome::Text(first.split_once(&found).map_or("", |(_, after)| after).to_string())
                    }
                    "substring" => {
                        let start = self.number_of(&arguments[1], here)?.round();
                        let end = match arguments.get(2) {
                            Some(length) => start + self.number_of(length, here)?.round(),
                            None => f64::INFINITY,
                        };
                        let is_in = |(at, _): &(usize, char)| (start..end).contains(&(*at as f64 + 1.0));
                        Outcome::Text(
                            first.chars().enumerate().filter(is_in).map(|(_, letter)| letter).collect(),
                        )
                    }
                    "string-length" => Outcome::Number(first.chars().count() as f64),
                    "normalize-space" => {
                        Outcome::Text(first.split_ascii_whitespace().collect::<Vec<&str>>().join(" "))
                    }
                    "translate" => {
                        let from: Vec<char> = text(self, 1)?.chars().collect();
                        let to: Vec<char> = text(self, 2)?.chars().collect();
                        self.spend(first.len().saturating_mul(from.len()))?;
                        let change = |letter: char| match from.iter().position(|other| *other == letter) {
                            Some(at) => to.get(at).copied(),
                            None => Some(letter),
                        };
                        Outcome::Text(first.chars().filter_map(change).collect())
                    }
                    "lower-case" => Outcome::Text(first.to_lowercase()),
                    _ => Outcome::Text(first.to_uppercase()),
                }
            }
        })
    }

    fn fits(&mut self, text: &str, pattern: &str, flags: &str) -> Result<bool, Refusal> {
        // Compiling costs more than matching, and happens again for each node.
        self.spend(pattern.len().saturating_mul(100).saturating_add(text.len()))?;
        let pattern = RegexBuilder::new(pattern)
            .case_insensitive(flags.contains('i'))
            .dot_matches_new_line(flags.contains('s'))
            .multi_line(flags.contains('m'))
            .size_limit(PATTERN_MAX)
            .build()
            .map_err(|error| Refusal::selector(error.to_string()))?;
        Ok(pattern.is_match(text))
    }
}
