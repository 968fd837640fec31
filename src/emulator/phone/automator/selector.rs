//! Selectors of uiautomator2, and the nodes that they select.
//!
//! A selector is a conjunction of tests, with a chain of further selectors for children and siblings of its nodes.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value, json};

use super::super::dump::{self, Tree};
use super::super::system::Phone;
use super::failure::Failure;
use crate::gui::{Bounds, Flags, Screen, Widget};
use crate::sorted;

/// Longest chain of selectors.
const CHAIN_MAX: usize = 20;

/// Largest compiled pattern, in bytes.
const PATTERN_MAX: usize = 1 << 20;

/// Text of a node.
#[derive(Clone, Copy)]
enum Part {
    Text,
    Class,
    Description,
    Package,
    Id,
}

/// Comparison with a text.
enum Match {
    Is(String),
    /// Ignores case.
    Contains(String),
    /// Ignores case.
    Starts(String),
    Fits(Regex),
}

enum Test {
    Text(Part, Match),
    Flag(Flags, bool),
    Focusable(bool),
    /// Position among the siblings.
    Index(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Child,
    Sibling,
}

/// A selector.
pub(super) struct Selector {
    tests: Vec<Test>,
    /// Index among the nodes that pass the tests.
    instance: Option<usize>,
    chain: Vec<(Relation, Selector)>,
    /// Name in an error.
    name: String,
}

/// A selected node.
pub(super) struct Found {
    screen: Arc<Screen>,
    widget: Widget,
    child_count: usize,
}

impl Selector {
    /// Reads a selector as the client sends it; fields outside of its mask do not count.
    pub fn read(value: &Value) -> Result<Selector, Failure> {
        let fields = value.as_object().ok_or(Failure::Params)?;
        let mask = fields.get("mask").and_then(Value::as_u64).unwrap_or(0);
        let mut selector =
            Selector { tests: Vec::new(), instance: None, chain: Vec::new(), name: String::new() };
        let mut names = Vec::new();
        for (bit, field) in FIELDS.iter().enumerate() {
            if mask >> bit & 1 == 0 {
                continue;
            }
            let value = fields.get(*field).ok_or(Failure::Params)?;
            names.push(format!("{}={}", field.to_uppercase(), value.as_str().unwrap_or(&value.to_string())));
            match *field {
                "instance" => selector.instance = Some(whole(value)?),
                field => selector.tests.push(test(field, value)?),
            }
        }
        let list = |name: &str| fields.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let (relations, others) = (list("childOrSibling"), list("childOrSiblingSelector"));
        // The reader of JSON bounds the nesting, and this the length of each chain.
        if relations.len() > CHAIN_MAX {
            return Err(Failure::Params);
        }
        for (relation, other) in relations.iter().zip(others) {
            let relation = match relation.as_str().map(str::to_ascii_lowercase).as_deref() {
                Some("child") => Relation::Child,
                Some("sibling") => Relation::Sibling,
                _ => continue,
            };
            let other = Selector::read(other)?;
            // Android names a sibling by its parent, and clients show this name.
            let word = if relation == Relation::Child { "CHILD" } else { "PARENT" };
            names.push(format!("{word}={}", other.name));
            selector.chain.push((relation, other));
        }
        selector.name = format!("UiSelector[{}]", names.join(", "));
        Ok(selector)
    }

    /// Returns the fields of a selector as a client sends them, if there are fields of these names.
    pub fn fields(values: &[(&str, Value)]) -> Option<Value> {
        let mut fields = Map::new();
        let mut mask = 0_u64;
        for (name, value) in values {
            mask |= 1 << FIELDS.iter().position(|field| field == name)?;
            fields.insert(name.to_string(), value.clone());
        }
        fields.insert("mask".to_string(), json!(mask));
        Some(Value::Object(fields))
    }

    /// Returns the selector with these fields.
    pub fn of_fields(values: &[(&str, Value)]) -> Result<Selector, Failure> {
        Selector::read(&Selector::fields(values).ok_or(Failure::Params)?)
    }

    /// Returns the first selected node, if there is one.
    pub fn find(&self, phone: &mut Phone) -> Result<Option<Found>, Failure> {
        Ok(self.find_all(phone)?.into_iter().next())
    }

    /// Returns the first selected node, or throws.
    pub fn wanted(&self, phone: &mut Phone) -> Result<Found, Failure> {
        let missing =
            || Failure::Thrown("androidx.test.uiautomator.UiObjectNotFoundException", self.name.clone());
        self.find(phone)?.ok_or_else(missing)
    }

    /// Returns all selected nodes, from the top.
    pub fn find_all(&self, phone: &mut Phone) -> Result<Vec<Found>, Failure> {
        let screen = phone.screen()?;
        let nodes = dump::nodes(&screen, Tree::Whole);
        let found = self.places(&nodes, screen.package(), 0..nodes.len());
        let found = found.into_iter().map(|at| Found {
            screen: screen.clone(),
            widget: nodes[at].widget.clone(),
            child_count: nodes[inside(&nodes, at)]
                .iter()
                .filter(|node| node.depth == nodes[at].depth + 1)
                .count(),
        });
        Ok(found.collect())
    }

    /// Returns the places of the selected nodes among `nodes`, within `range`.
    pub fn places(&self, nodes: &[dump::Node<'_>], package: &str, range: Range<usize>) -> Vec<usize> {
        let mut found = self.among(nodes, package, std::iter::once(range));
        for (relation, other) in &self.chain {
            let ranges: Vec<Range<usize>> = match relation {
                Relation::Child => found.iter().map(|&at| inside(nodes, at)).collect(),
                Relation::Sibling => {
                    // A set: two nodes with one parent select its children once.
                    let parents: BTreeSet<usize> =
                        sorted::set(found.iter().filter_map(|&at| parent(nodes, at)));
                    parents.into_iter().map(|at| inside(nodes, at)).collect()
                }
            };
            found = other.among(nodes, package, ranges.into_iter());
        }
        found
    }

    /// Returns the nodes in these ranges that pass the tests, each once. The ranges are in order, an inner one behind
    /// its outer one.
    fn among(
        &self,
        nodes: &[dump::Node<'_>],
        package: &str,
        ranges: impl Iterator<Item = Range<usize>>,
    ) -> Vec<usize> {
        let mut found = Vec::new();
        let mut seen = 0;
        // A node before the end of an earlier range was found there, or failed.
        for range in ranges {
            found.extend(range.clone().filter(|&at| at >= seen && self.passes(&nodes[at], package)));
            seen = seen.max(range.end);
        }
        match self.instance {
            Some(instance) => found.get(instance).copied().into_iter().collect(),
            None => found,
        }
    }

    fn passes(&self, node: &dump::Node<'_>, package: &str) -> bool {
        let widget = node.widget;
        // Android finds visible nodes alone.
        widget.is_visible()
            && self.tests.iter().all(|test| match test {
                Test::Text(part, wanted) => wanted.fits(match part {
                    Part::Text => &widget.text,
                    Part::Class => &widget.class,
                    Part::Description => &widget.desc,
                    Part::Package => package,
                    Part::Id => &widget.id,
                }),
                Test::Flag(flag, is_there) => widget.flags.has(*flag) == *is_there,
                Test::Focusable(is_there) => dump::can_focus(widget) == *is_there,
                Test::Index(index) => node.index == *index,
            })
    }
}

impl Match {
    fn fits(&self, text: &str) -> bool {
        match self {
            Match::Is(wanted) => text == wanted,
            Match::Contains(wanted) => text.to_lowercase().contains(&wanted.to_lowercase()),
            Match::Starts(wanted) => text.to_lowercase().starts_with(&wanted.to_lowercase()),
            Match::Fits(pattern) => pattern.is_match(text),
        }
    }
}

/// Fields of a selector, in the order of their bits in its mask.
const FIELDS: [&str; 25] = [
    "text",
    "textContains",
    "textMatches",
    "textStartsWith",
    "className",
    "classNameMatches",
    "description",
    "descriptionContains",
    "descriptionMatches",
    "descriptionStartsWith",
    "checkable",
    "checked",
    "clickable",
    "longClickable",
    "scrollable",
    "enabled",
    "focusable",
    "focused",
    "selected",
    "packageName",
    "packageNameMatches",
    "resourceId",
    "resourceIdMatches",
    "index",
    "instance",
];

fn test(field: &str, value: &Value) -> Result<Test, Failure> {
    let flag =
        |flag: Flags| value.as_bool().map(|is_there| Test::Flag(flag, is_there)).ok_or(Failure::Params);
    match field {
        "checkable" => return flag(Flags::CHECKABLE),
        "checked" => return flag(Flags::CHECKED),
        "clickable" => return flag(Flags::CLICKABLE),
        "longClickable" => return flag(Flags::LONG_CLICKABLE),
        "scrollable" => return flag(Flags::SCROLLABLE),
        "enabled" => return flag(Flags::ENABLED),
        "focused" => return flag(Flags::FOCUSED),
        "selected" => return flag(Flags::SELECTED),
        "focusable" => return value.as_bool().map(Test::Focusable).ok_or(Failure::Params),
        "index" => return whole(value).map(Test::Index),
        _ => {}
    }
    let part = [
        ("text", Part::Text),
        ("className", Part::Class),
        ("description", Part::Description),
        ("packageName", Part::Package),
        ("resourceId", Part::Id),
    ];
    // `textContains`, `textMatches`: the text of a test stands at the start of its field.
    let (name, part) = part.into_iter().find(|(name, _)| field.starts_with(name)).ok_or(Failure::Params)?;
    let text = value.as_str().ok_or(Failure::Params)?;
    let wanted = match &field[name.len()..] {
        "" => Match::Is(text.to_string()),
        "Contains" => Match::Contains(text.to_string()),
        "StartsWith" => Match::Starts(text.to_string()),
        _ => Match::Fits(pattern(text)?),
    };
    Ok(Test::Text(part, wanted))
}

fn whole(value: &Value) -> Result<usize, Failure> {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).ok_or(Failure::Params)
}

/// Compiles a pattern that a whole text must fit.
fn pattern(text: &str) -> Result<Regex, Failure> {
    RegexBuilder::new(&format!(r"\A(?:{text})\z"))
        .size_limit(PATTERN_MAX)
        .build()
        .map_err(|error| Failure::Thrown("java.util.regex.PatternSyntaxException", error.to_string()))
}

/// Returns the range of the nodes inside another.
pub(super) fn inside(nodes: &[dump::Node<'_>], at: usize) -> Range<usize> {
    let rest = &nodes[at + 1..];
    let count = rest.iter().take_while(|node| node.depth > nodes[at].depth).count();
    at + 1..at + 1 + count
}

fn parent(nodes: &[dump::Node<'_>], at: usize) -> Option<usize> {
    nodes[..at].iter().rposition(|node| node.depth < nodes[at].depth)
}

impl Found {
    pub fn widget(&self) -> &Widget {
        &self.widget
    }

    pub fn bounds(&self) -> Bounds {
        self.widget.bounds
    }

    pub fn text(&self) -> &str {
        &self.widget.text
    }

    /// Returns the facts of the node for the client.
    pub fn info(&self) -> Value {
        let Widget { class, id, text, desc, bounds, flags, .. } = &self.widget;
        let bounds = json!({
            "bottom": bounds.bottom,
            "left": bounds.left,
            "right": bounds.right,
            "top": bounds.top,
        });
        json!({
            "bounds": bounds,
            "checkable": flags.has(Flags::CHECKABLE),
            "checked": flags.has(Flags::CHECKED),
            "childCount": self.child_count,
            "className": class,
            "clickable": flags.has(Flags::CLICKABLE),
            "contentDescription": desc,
            "enabled": flags.has(Flags::ENABLED),
            "focusable": dump::can_focus(&self.widget),
            "focused": flags.has(Flags::FOCUSED),
            "longClickable": flags.has(Flags::LONG_CLICKABLE),
            "packageName": self.screen.package(),
            "resourceName": id,
            "scrollable": flags.has(Flags::SCROLLABLE),
            "selected": flags.has(Flags::SELECTED),
            "text": text,
            "visibleBounds": bounds,
        })
    }
}
