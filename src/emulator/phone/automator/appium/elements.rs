//! Elements that a client has found, and how they are found again.
//!
//! A phone keeps the view behind an element; here an element is its widget and its place on the screen. It is found again
//! as long as a widget of its class and id is there, at its place or with its words; else by its locator.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::super::dump::{self, Tree};
use super::super::super::servers::Element;
use super::super::super::system::Phone;
use super::super::selector::{Selector, inside};
use super::refusal::Refusal;
use super::source::Page;
use super::{Answer, POLL_MS, kept, text, ui_selector, xpath};
use crate::gui::{Screen, Widget};

/// Number of elements at most; beyond it the oldest is forgotten, as by the real server.
const ELEMENTS_MAX: usize = 1_000;

/// Longest selector, in bytes.
const SELECTOR_MAX: usize = 16_384;

/// Field of an element's id in W3C's WebDriver.
const W3C: &str = "element-6066-11e4-a52e-4f735466cecf";

/// An element where it is now.
pub(super) struct Place {
    pub screen: Arc<Screen>,
    /// Index among the widgets of the screen.
    pub at: usize,
}

/// A search for elements.
struct Locator {
    strategy: String,
    selector: String,
    /// Id of the element that it lies in.
    context: Option<String>,
}

impl Locator {
    fn read(body: &Value) -> Result<Locator, Refusal> {
        // The driver's words, or W3C's.
        let word = |name: &str, other: &str| text(body, if body.get(name).is_some() { name } else { other });
        let (strategy, selector) = (word("strategy", "using")?, word("selector", "value")?);
        if selector.len() > SELECTOR_MAX {
            return Err(Refusal::selector("the selector is too long"));
        }
        let context = body.get("context").and_then(Value::as_str).filter(|id| !id.is_empty());
        Ok(Locator { strategy, selector, context: context.map(str::to_string) })
    }
}

/// Returns the first element that a locator finds.
pub(super) fn find_one(phone: &mut Phone, body: &Value) -> Answer {
    let locator = Locator::read(body)?;
    let (screen, found) = find(phone, &locator)?;
    let at = *found.first().ok_or_else(Refusal::element)?;
    let again = locator.context.is_none().then_some((locator.strategy, locator.selector));
    Ok(keep(phone, &screen, at, again))
}

/// Returns the elements that a locator finds.
pub(super) fn find_all(phone: &mut Phone, body: &Value) -> Answer {
    let locator = Locator::read(body)?;
    let (screen, found) = find(phone, &locator)?;
    Ok(found.into_iter().map(|at| keep(phone, &screen, at, None)).collect())
}

/// Looks for widgets; a search that finds nothing lets time pass.
fn find(phone: &mut Phone, locator: &Locator) -> Result<(Arc<Screen>, Vec<usize>), Refusal> {
    let context = match &locator.context {
        Some(id) => Some(place(phone, id)?.at),
        None => None,
    };
    let found = look(phone, &locator.strategy, &locator.selector, context)?;
    if found.is_empty() {
        phone.sleep(POLL_MS)?;
    }
    // A selector may scroll, so the screen is the one after the search.
    Ok((phone.screen()?, found))
}

/// Returns the indices of the widgets that a selector finds, all of them inside the `context`.
fn look(
    phone: &mut Phone,
    strategy: &str,
    selector: &str,
    context: Option<usize>,
) -> Result<Vec<usize>, Refusal> {
    let by = |field: &str, text: &str| Selector::of_fields(&[(field, json!(text))]);
    let selector = match strategy {
        "id" => {
            let id = if selector.contains(':') { selector.to_string() } else { full_id(phone, selector)? };
            by("resourceId", &id)?
        }
        "accessibility id" => by("description", selector)?,
        "class name" => by("className", selector)?,
        "-android uiautomator" => return ui_selector::find(phone, selector, context),
        "xpath" => {
            let screen = phone.screen()?;
            let page = Page::new(phone, &screen);
            return xpath::find(&page, selector, context);
        }
        other => {
            let other = super::super::super::io::shown(other);
            return Err(Refusal::selector(format!("Locator strategy '{other}' is not supported")));
        }
    };
    places(phone, &selector, context)
}

/// Returns the indices of the widgets that a selector of uiautomator selects, inside the `context`.
pub(super) fn places(
    phone: &mut Phone,
    selector: &Selector,
    context: Option<usize>,
) -> Result<Vec<usize>, Refusal> {
    let screen = phone.screen()?;
    // Nothing is dropped from a whole tree, so a place among its nodes is one among the widgets.
    let nodes = dump::nodes(&screen, Tree::Whole);
    let range = context.map_or(0..nodes.len(), |at| inside(&nodes, at));
    Ok(selector.places(&nodes, screen.package(), range))
}

/// Returns the id with the app's package before it, as the real server completes it.
fn full_id(phone: &mut Phone, id: &str) -> Result<String, Refusal> {
    let session = kept(phone).and_then(|kept| kept.session.as_ref());
    let package = session.and_then(|session| session.capabilities.get("appPackage")).and_then(Value::as_str);
    let package = match package {
        Some(package) => package.to_string(),
        None => phone.screen()?.package().to_string(),
    };
    Ok(format!("{package}:id/{id}"))
}

/// Keeps the widget at `at` as an element, and returns it as the client gets it.
pub(super) fn keep(
    phone: &mut Phone,
    screen: &Screen,
    at: usize,
    locator: Option<(String, String)>,
) -> Value {
    let widget = screen.widgets()[at].clone();
    let element = Element { activity: screen.activity().clone(), path: path(screen, at), widget, locator };
    let Some(kept) = kept(phone) else { return Value::Null };
    // The same widget keeps its id, so that a client can compare two elements.
    let is_same = |other: &Element| {
        other.activity == element.activity && other.path == element.path && other.widget == element.widget
    };
    let known = kept.elements.iter().find(|(_, other)| is_same(other)).map(|(number, _)| *number);
    let number = known.unwrap_or_else(|| {
        kept.last += 1;
        kept.last
    });
    if known.is_none() || element.locator.is_some() {
        kept.elements.insert(number, element);
    }
    while kept.elements.len() > ELEMENTS_MAX {
        kept.elements.pop_first();
    }
    let id = format!("00000000-0000-0001-ffff-{number:012x}");
    json!({W3C: id, "ELEMENT": id})
}

/// Returns the id of an element that a client gives, bare or in an object.
pub(super) fn id_of(element: &Value) -> Option<&str> {
    let id = element.get(W3C).or_else(|| element.get("ELEMENT")).unwrap_or(element);
    id.as_str()
}

/// Returns the place of the element with this id.
pub(super) fn place(phone: &mut Phone, id: &str) -> Result<Place, Refusal> {
    let number = id.strip_prefix("00000000-0000-0001-ffff-").and_then(|id| u64::from_str_radix(id, 16).ok());
    let screen = phone.screen()?;
    let Some(kept) = kept(phone) else { return Err(Refusal::session()) };
    let (number, element) = number
        .and_then(|number| Some((number, kept.elements.get_mut(&number)?)))
        .ok_or_else(Refusal::element)?;
    if let Some(at) = again(&screen, element) {
        // A list that scrolls moves its rows, so the place is the last one known.
        (element.path, element.widget) = (path(&screen, at), screen.widgets()[at].clone());
        return Ok(Place { screen, at });
    }
    let locator = element.locator.clone().ok_or_else(|| Refusal::stale(id))?;
    let found = look(phone, &locator.0, &locator.1, None).unwrap_or_default();
    let screen = phone.screen()?;
    let at = *found.first().ok_or_else(|| Refusal::stale(id))?;
    let widget = screen.widgets()[at].clone();
    let element = Element {
        activity: screen.activity().clone(),
        path: path(&screen, at),
        widget,
        locator: Some(locator),
    };
    if let Some(kept) = super::kept(phone) {
        kept.elements.insert(number, element);
    }
    Ok(Place { screen, at })
}

/// Returns the index of an element's widget on a screen, if it is there.
fn again(screen: &Screen, element: &Element) -> Option<usize> {
    if *screen.activity() != element.activity {
        return None;
    }
    let before = &element.widget;
    let is_alike = |widget: &Widget| widget.class == before.class && widget.id == before.id;
    let has_words = |widget: &Widget| widget.text == before.text && widget.desc == before.desc;
    let at = at_path(screen, &element.path).filter(|at| is_alike(&screen.widgets()[*at]));
    if at.is_some_and(|at| has_words(&screen.widgets()[at])) {
        return at;
    }
    // A row that a scroll or a new sibling has moved is known by its words, if no other row has them.
    let is_named = !before.text.is_empty() || !before.desc.is_empty();
    let mut named =
        screen.widgets().iter().enumerate().filter(|(_, other)| is_alike(other) && has_words(other));
    match (named.next(), named.next()) {
        (Some((moved, _)), None) if is_named => Some(moved),
        _ => at,
    }
}

/// Returns the positions among the siblings of a widget and of those around it, from the top.
fn path(screen: &Screen, at: usize) -> Vec<usize> {
    let widgets = screen.widgets();
    let mut path = Vec::new();
    let mut depth = widgets[at].depth;
    let mut position = 0;
    for widget in widgets[..at].iter().rev() {
        if widget.depth == depth {
            position += 1;
        } else if widget.depth < depth {
            path.push(position);
            (depth, position) = (widget.depth, 0);
        }
    }
    path.push(position);
    path.reverse();
    path
}

/// Returns the index of the widget at a path.
fn at_path(screen: &Screen, path: &[usize]) -> Option<usize> {
    let widgets = screen.widgets();
    // The children of a node have the depth of the first widget behind it.
    let (mut at, mut end) = (0, widgets.len());
    for (level, position) in path.iter().enumerate() {
        if level > 0 {
            let depth = widgets[at].depth;
            at += 1;
            end = at + widgets[at..end].iter().take_while(|widget| widget.depth > depth).count();
        }
        let depth = widgets.get(at).filter(|_| at < end)?.depth;
        let mut siblings = (at..end).filter(|other| widgets[*other].depth == depth);
        at = siblings.nth(*position)?;
    }
    Some(at)
}
