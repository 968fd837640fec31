//! MoML, the XML of Ptolemy: a flat modal model as nodes and transitions.
//!
//! Entities of the class `State` are nodes, relations of the class `Transition` are transitions, and links say from which
//! state to which. Parameters of the modal model are its variables, and its ports bring in what is typed. All else says
//! how the model is drawn.

use std::collections::BTreeMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::graph::{Raw, RawNode, RawTransition, RawVariable, Which};
use super::literal::{self, Literal, Value};
use super::quoted::Quoted;
use crate::text::{Diagnostic, Span, clip, too_deep};

/// Deepest nesting of elements; Ptolemy's own libraries in a model need twelve.
const DEPTH_MAX: usize = 64;

/// Reads the modal model in `text`.
pub(super) fn read(text: &str) -> Result<Raw, Diagnostic> {
    let mut model = Modal::default();
    let mut open: Vec<Element> = Vec::new();
    let mut reader = Reader::from_str(text);
    loop {
        let at = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| {
            let at = (reader.error_position() as usize).min(text.len());
            Diagnostic::error("E-xml", near(text, at), format!("this is no XML: {error}"))
                .help("save the model from Ptolemy again")
        })?;
        match event {
            Event::Start(tag) | Event::Empty(tag) if open.len() == DEPTH_MAX => {
                let end = at + 1 + tag.len();
                return Err(too_deep(near(text, at).start..end.min(text.len()), "elements", DEPTH_MAX));
            }
            Event::Start(tag) => {
                let element = Element::read(&tag, text, at)?;
                model.take(&element, &open)?;
                open.push(element);
            }
            Event::Empty(tag) => model.take(&Element::read(&tag, text, at)?, &open)?,
            Event::End(_) => {
                open.pop();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    if let Some(element) = open.last() {
        let message = format!("`<{}>` is never closed", clip(&element.tag));
        return Err(Diagnostic::error("E-xml", element.span.clone(), message).help("the file may be cut off"));
    }
    model.into_raw(text)
}

/// Returns an empty place near `at` that does not split a character.
fn near(text: &str, at: usize) -> Span {
    let at = (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    at..at
}

/// Start of an element, with the attributes that matter.
#[derive(Clone, Debug)]
struct Element {
    tag: String,
    span: Span,
    name: Quoted,
    class: String,
    value: Option<Quoted>,
    port: Option<Quoted>,
    relation: Option<Quoted>,
}

impl Element {
    fn read(tag: &BytesStart<'_>, text: &str, at: usize) -> Result<Element, Diagnostic> {
        let start = near(text, at).start;
        let end = (at + tag.len() + 2).min(text.len());
        let span = start..near(text, end).start;
        let mut element = Element {
            tag: tag.name().as_ref().to_string(),
            name: Quoted::new(start).at(span.clone()),
            span: span.clone(),
            class: String::new(),
            value: None,
            port: None,
            relation: None,
        };
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| {
                Diagnostic::error("E-xml", span.clone(), format!("this is no XML: {error}"))
                    .help("save the model from Ptolemy again")
            })?;
            // The reader copies nothing, so a value lies in the text itself.
            let place = (attribute.value.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
            let value = || unescaped(text, place..place + attribute.value.len());
            match attribute.key.as_ref() {
                "name" => element.name = value()?,
                "class" => element.class = value()?.text().to_string(),
                "value" => element.value = Some(value()?),
                "port" => element.port = Some(value()?),
                "relation" => element.relation = Some(value()?),
                _ => {}
            }
        }
        Ok(element)
    }

    /// Returns true if it is of the class of this last word.
    fn is_a(&self, class: &str) -> bool {
        self.class.rsplit('.').next() == Some(class)
    }
}

/// Returns the text at `span` with its entities as characters.
fn unescaped(text: &str, span: Span) -> Result<Quoted, Diagnostic> {
    let mut quoted = Quoted::new(span.start);
    let mut at = span.start;
    while let Some(char) = text.get(at..span.end).and_then(|rest| rest.chars().next()) {
        let mut end = at + char.len_utf8();
        let mut meant = char;
        if char == '&' {
            let rest = &text[at..span.end];
            let semicolon = rest.find(';').unwrap_or(0);
            end = at + semicolon + 1;
            let name = rest.get(1..semicolon).unwrap_or("");
            meant = entity(name).ok_or_else(|| {
                let message = format!("`&{}` is no character that XML knows", clip(name));
                Diagnostic::error("E-xml", at..end, message).help("`&` itself is written `&amp;`")
            })?;
        }
        quoted.push(meant, at, end);
        at = end;
    }
    Ok(quoted.at(span))
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}

#[derive(Default)]
struct Modal {
    /// Entities around the states, by their places: a flat model has its states in one of them.
    around: Option<usize>,
    states: Vec<RawNode>,
    initial: Option<(usize, Span)>,
    variables: Vec<RawVariable>,
    inputs: Vec<String>,
    transitions: Vec<Transition>,
    /// Links of states to relations.
    links: Vec<Link>,
}

struct Transition {
    name: Quoted,
    guard: Option<Quoted>,
    set: Option<Quoted>,
}

struct Link {
    port: Quoted,
    relation: Quoted,
}

impl Modal {
    /// Takes in an element that stands in those of `open`.
    fn take(&mut self, element: &Element, open: &[Element]) -> Result<(), Diagnostic> {
        let Some(around) = open.last() else { return Ok(()) };
        // Libraries and icons stand in properties, and have entities of their own.
        let is_of_model = |within: &[Element]| within.iter().all(|element| element.tag == "entity");
        match (element.tag.as_str(), around.tag.as_str()) {
            ("entity", _) if element.is_a("State") && is_of_model(open) => self.state(element, around)?,
            ("relation", _) if element.is_a("Transition") && is_of_model(open) => {
                self.transitions.push(Transition { name: element.name.clone(), guard: None, set: None });
            }
            ("link", _) if is_of_model(open) => {
                if let (Some(port), Some(relation)) = (&element.port, &element.relation) {
                    self.links.push(Link { port: port.clone(), relation: relation.clone() });
                }
            }
            ("port", "entity") if is_modal(around) && is_of_model(open) => {
                self.inputs.push(element.name.text().to_string());
            }
            ("property", "entity") if is_of_model(open) => self.property(element, around)?,
            ("property", "relation") if around.is_a("Transition") => {
                let set = element.value.clone().filter(|value| !value.text().trim().is_empty());
                if let Some(transition) = self.transitions.last_mut() {
                    match element.name.text() {
                        "guardExpression" => transition.guard = set,
                        "setActions" => transition.set = set,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn state(&mut self, element: &Element, around: &Element) -> Result<(), Diagnostic> {
        let first = *self.around.get_or_insert(around.span.start);
        if first != around.span.start {
            let message = "this state stands in another entity than the states before it";
            return Err(Diagnostic::error("E-moml", element.span.clone(), message)
                .help("only flat models are read; give each refinement a file of its own"));
        }
        self.states.push(RawNode { id: element.name.clone(), transitions: Vec::new() });
        Ok(())
    }

    fn property(&mut self, element: &Element, around: &Element) -> Result<(), Diagnostic> {
        let Some(value) = &element.value else { return Ok(()) };
        if around.is_a("State") && element.name.text() == "isInitialState" && value.text().trim() == "true" {
            let state = self.states.len().saturating_sub(1);
            if self.initial.is_some() {
                return Err(Diagnostic::error(
                    "E-moml",
                    element.span.clone(),
                    "a second state is the initial one",
                )
                .help("a model starts in one state; leave `isInitialState` out of the other"));
            }
            self.initial = Some((state, element.span.clone()));
        } else if is_modal(around) && element.is_a("Parameter") && !element.name.text().starts_with('_') {
            // Ptolemy has many kinds of values; what is none of ours can be no variable.
            if let Ok(Literal { value: read @ (Value::Bool(_) | Value::Int(_) | Value::Text(_)), .. }) =
                literal::read(value.text())
            {
                let value = Literal { value: read, span: value.span() };
                self.variables.push(RawVariable { name: element.name.clone(), value });
            }
        }
        Ok(())
    }

    fn into_raw(mut self, text: &str) -> Result<Raw, Diagnostic> {
        if self.states.is_empty() {
            let end = text.find('\n').unwrap_or(text.len());
            return Err(Diagnostic::error("E-moml", 0..end, "there is no state in this XML").help(
                "a model is a modal model of Ptolemy, whose states are entities of the class `State`",
            ));
        }
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        for (number, state) in self.states.iter().enumerate() {
            numbers.entry(state.id.text().to_string()).or_insert(number);
        }
        let mut ends: BTreeMap<&str, [Option<(usize, Quoted)>; 2]> = BTreeMap::new();
        for Link { port, relation } in &self.links {
            let Some((state, end)) = port.text().rsplit_once('.') else { continue };
            let end = match end {
                "outgoingPort" => 0,
                "incomingPort" => 1,
                _ => continue,
            };
            let Some(&number) = numbers.get(state) else { continue };
            let place = &mut ends.entry(relation.text()).or_default()[end];
            if place.is_some() {
                let message = format!("`{}` has two {}", clip(relation.text()), ["sources", "targets"][end]);
                return Err(Diagnostic::error("E-moml", relation.span(), message)
                    .help("a transition leads from one state to one; give the other a relation of its own"));
            }
            *place = Some((number, port.clone()));
        }
        for Transition { name, guard, set } in std::mem::take(&mut self.transitions) {
            let [from, to] = ends.remove(name.text()).unwrap_or_default();
            let (Some((from, _)), Some((to, link))) = (from, to) else {
                let message = format!("`{}` leads from no state, or to none", clip(name.text()));
                return Err(Diagnostic::error("E-moml", name.span(), message)
                    .help("link it to the `outgoingPort` of a state and to the `incomingPort` of one"));
            };
            let destination = self.states[to].id.text().to_string();
            let transitions = &mut self.states[from].transitions;
            transitions.push(RawTransition {
                id: transitions.len() as i64,
                span: name.span(),
                which: Which::ByUse,
                guard,
                set,
                destination: (destination, link.span()),
            });
        }
        if let Some((initial, _)) = self.initial {
            self.states[..=initial].rotate_right(1);
        }
        Ok(Raw { variables: self.variables, nodes: self.states, inputs: self.inputs })
    }
}

/// Returns true if the variables and the ports of `element` are those of the model.
fn is_modal(element: &Element) -> bool {
    ["ModalModel", "ModalController", "FSMActor"].into_iter().any(|class| element.is_a(class))
}
