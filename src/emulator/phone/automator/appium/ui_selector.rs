//! `-android uiautomator`: expressions of `UiSelector` and `UiScrollable`, as a client writes them in Java.

use serde_json::{Value, json};

use super::super::super::system::Phone;
use super::super::gestures::{self, Axis, Way};
use super::super::selector::Selector;
use super::elements::places;
use super::refusal::Refusal;

/// Deepest nesting of expressions, and longest chain of methods.
const DEPTH_MAX: usize = 20;

/// `new Class(argument).method(arguments)...`
struct Expression {
    class: String,
    argument: Option<Box<Argument>>,
    calls: Vec<(String, Vec<Argument>)>,
}

enum Argument {
    /// A text, a number, true or false.
    Value(Value),
    Expression(Expression),
}

/// Returns the indices of the widgets that an expression finds, inside the `context`. Of several expressions with
/// semicolons between them the first that finds something counts.
pub(super) fn find(phone: &mut Phone, text: &str, context: Option<usize>) -> Result<Vec<usize>, Refusal> {
    for expression in Parser::read(text)? {
        let selector = match expression.class.as_str() {
            "UiSelector" => selector(&expression)?,
            "UiScrollable" => scrolled(phone, &expression)?,
            class => {
                return Err(Refusal::selector(format!("`{class}` is no UiSelector and no UiScrollable")));
            }
        };
        let found = places(phone, &selector, context)?;
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// Scrolls the first scrollable until a locator finds an element.
pub(super) fn scroll_to(phone: &mut Phone, strategy: &str, text: &str) -> Result<(), Refusal> {
    let target = match strategy {
        "accessibility id" => Selector::of_fields(&[("description", json!(text))])?,
        "class name" => Selector::of_fields(&[("className", json!(text))])?,
        "-android uiautomator" => match &Parser::read(text)?[..] {
            [only] => selector(only)?,
            _ => return Err(Refusal::selector("one UiSelector is expected")),
        },
        _ => {
            return Err(Refusal::argument(
                "a scroll takes `accessibility id`, `class name` or `-android uiautomator`",
            ));
        }
    };
    let scrollable = Selector::of_fields(&[("scrollable", json!(true))])?;
    let is_there = gestures::scroll_until(phone, &scrollable, Axis::Vertical, &target)?;
    if is_there { Ok(()) } else { Err(Refusal::element()) }
}

/// Returns the selector of a `UiSelector`.
fn selector(expression: &Expression) -> Result<Selector, Refusal> {
    Ok(Selector::read(&fields(expression)?)?)
}

/// Returns the fields of a `UiSelector`, in the form of uiautomator2.
fn fields(expression: &Expression) -> Result<Value, Refusal> {
    if expression.class != "UiSelector" || expression.argument.is_some() {
        return Err(Refusal::selector("a UiSelector is expected: new UiSelector().text(\"Save\")"));
    }
    let (mut own, mut relations, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (method, arguments) in &expression.calls {
        match (method.as_str(), &arguments[..]) {
            ("childSelector", [Argument::Expression(child)]) => {
                relations.push(json!("child"));
                others.push(fields(child)?);
            }
            ("fromParent", [Argument::Expression(sibling)]) => {
                relations.push(json!("sibling"));
                others.push(fields(sibling)?);
            }
            (method, [Argument::Value(value)]) => own.push((method, value.clone())),
            // Without an argument, a property is meant to be there.
            (method, []) => own.push((method, json!(true))),
            _ => return Err(Refusal::selector(format!("`{method}` takes other arguments"))),
        }
    }
    let mut fields = Selector::fields(&own).ok_or_else(|| {
        let names: Vec<&str> = own.iter().map(|(name, _)| *name).collect();
        Refusal::selector(format!("UiSelector has not all of these methods: {}", names.join(", ")))
    })?;
    fields["childOrSibling"] = Value::Array(relations);
    fields["childOrSiblingSelector"] = Value::Array(others);
    Ok(fields)
}

/// Scrolls as a `UiScrollable` says, and returns the selector of what it leads to.
fn scrolled(phone: &mut Phone, expression: &Expression) -> Result<Selector, Refusal> {
    let Some(Argument::Expression(container)) = expression.argument.as_deref() else {
        return Err(Refusal::selector("a UiScrollable needs a UiSelector"));
    };
    let (container, mut axis, mut target) = (fields(container)?, Axis::Vertical, None);
    let scrollable = Selector::read(&container)?;
    for (method, arguments) in &expression.calls {
        let wanted = match (method.as_str(), &arguments[..]) {
            ("setAsHorizontalList", []) => {
                axis = Axis::Horizontal;
                continue;
            }
            ("setAsVerticalList", []) => {
                axis = Axis::Vertical;
                continue;
            }
            ("setMaxSearchSwipes" | "setSwipeDeadZonePercentage", _) => continue,
            ("scrollForward" | "flingForward" | "scrollBackward" | "flingBackward", _) => {
                let way = if method.ends_with("Forward") { Way::Forward } else { Way::Backward };
                let found = scrollable.wanted(phone)?;
                gestures::scroll_once(phone, &found, axis, way)?;
                continue;
            }
            ("scrollToEnd" | "flingToEnd", _) => {
                gestures::scroll_far(phone, &scrollable, axis, Way::Forward)?;
                continue;
            }
            ("scrollToBeginning" | "flingToBeginning", _) => {
                gestures::scroll_far(phone, &scrollable, axis, Way::Backward)?;
                continue;
            }
            ("scrollIntoView", [Argument::Expression(wanted)]) => fields(wanted)?,
            ("scrollTextIntoView", [Argument::Value(text)]) => {
                Selector::fields(&[("text", text.clone())]).unwrap_or_default()
            }
            ("scrollDescriptionIntoView", [Argument::Value(text)]) => {
                Selector::fields(&[("description", text.clone())]).unwrap_or_default()
            }
            ("getChildByText", [Argument::Expression(child), Argument::Value(text), ..]) => {
                let mut wanted = fields(child)?;
                let named = Selector::fields(&[("text", text.clone())]).unwrap_or_default();
                // The child is the one in which the text is, or has it itself.
                if Selector::read(&wanted)?.find(phone)?.is_some_and(|found| found.text().is_empty()) {
                    wanted["childOrSibling"] = json!(["child"]);
                    wanted["childOrSiblingSelector"] = json!([named]);
                    wanted
                } else {
                    named
                }
            }
            _ => {
                return Err(Refusal::selector(format!(
                    "UiScrollable has no method `{method}` with these arguments"
                )));
            }
        };
        let wanted = Selector::read(&wanted)?;
        // A container that is not there does not matter if the element is.
        if wanted.find(phone)?.is_none() && scrollable.find(phone)?.is_some() {
            gestures::scroll_until(phone, &scrollable, axis, &wanted)?;
        }
        target = Some(wanted);
    }
    target.ok_or_else(|| {
        Refusal::selector("Last method called on a UiScrollable object must return a UiObject object")
    })
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Parser<'t> {
    /// Reads expressions with semicolons between them.
    fn read(text: &'t str) -> Result<Vec<Expression>, Refusal> {
        let mut parser = Parser { rest: text.trim(), depth: 0 };
        let mut expressions = Vec::new();
        while !parser.rest.is_empty() {
            expressions.push(parser.expression()?);
            if !parser.takes(";") && !parser.rest.is_empty() {
                return Err(parser.fault("the end or `;`"));
            }
        }
        if expressions.is_empty() { Err(parser.fault("`new UiSelector()`")) } else { Ok(expressions) }
    }

    fn fault(&self, wanted: &str) -> Refusal {
        let rest = super::super::super::io::shown(self.rest);
        Refusal::selector(format!("{wanted} is expected at `{rest}`"))
    }

    fn takes(&mut self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word);
        if let Some(rest) = rest {
            self.rest = rest.trim_start();
        }
        rest.is_some()
    }

    fn wants(&mut self, word: &str) -> Result<(), Refusal> {
        if self.takes(word) { Ok(()) } else { Err(self.fault(&format!("`{word}`"))) }
    }

    fn name(&mut self) -> Result<String, Refusal> {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = self.rest.find(|letter| !is_name(letter)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(self.fault("a name"));
        }
        self.rest = rest.trim_start();
        Ok(name.to_string())
    }

    fn expression(&mut self) -> Result<Expression, Refusal> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Refusal::selector("the expressions are nested too deeply"));
        }
        let mut class = self.name()?;
        // `new` may be left out.
        if class == "new" {
            class = self.name()?;
        }
        let mut arguments = self.arguments()?;
        let argument = arguments.pop().map(Box::new);
        if !arguments.is_empty() {
            return Err(self.fault("one argument"));
        }
        let mut calls = Vec::new();
        while self.takes(".") {
            let method = self.name()?;
            calls.push((method, self.arguments()?));
            if calls.len() > 2 * DEPTH_MAX {
                return Err(Refusal::selector("the chain of methods is too long"));
            }
        }
        self.depth -= 1;
        Ok(Expression { class, argument, calls })
    }

    fn arguments(&mut self) -> Result<Vec<Argument>, Refusal> {
        self.wants("(")?;
        let mut arguments = Vec::new();
        if self.takes(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.argument()?);
            if self.takes(")") {
                return Ok(arguments);
            }
            self.wants(",")?;
        }
    }

    fn argument(&mut self) -> Result<Argument, Refusal> {
        let first = self.rest.chars().next().ok_or_else(|| self.fault("an argument"))?;
        if first == '"' {
            return Ok(Argument::Value(Value::String(self.text()?)));
        }
        if first == '-' || first.is_ascii_digit() {
            let is_number = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-';
            let end = self.rest.find(|letter| !is_number(letter)).unwrap_or(self.rest.len());
            let (number, rest) = self.rest.split_at(end);
            let whole = number.parse::<i64>().map(Value::from);
            let value = whole.or_else(|_| number.parse::<f64>().map(Value::from));
            let value = value.map_err(|_| self.fault("a number"))?;
            self.rest = rest.trim_start();
            return Ok(Argument::Value(value));
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.takes(word) {
                return Ok(Argument::Value(json!(value)));
            }
        }
        Ok(Argument::Expression(self.expression()?))
    }

    fn text(&mut self) -> Result<String, Refusal> {
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.rest = self.rest[at + 1..].trim_start();
                    return Ok(text);
                }
                '\\' => match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, letter)) => text.push(letter),
                    None => break,
                },
                letter => text.push(letter),
            }
        }
        Err(self.fault("a text in quotes"))
    }
}
