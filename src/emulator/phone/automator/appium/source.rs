//! The page source: the widgets in front as XML, each under a tag of its class, as Appium's server writes it.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::super::super::dump::{self, Tree, can_focus, escape};
use super::super::super::system::Phone;
use super::refusal::Refusal;
use super::{is_set, kept};
use crate::gui::{Flags, Screen, Widget};

/// Depth of the page, unless a client sets another.
const DEPTH_MAX: u64 = 70;

/// Attributes of the root, and of each other element, in the server's order.
const OF_ROOT: [&str; 5] = ["index", "class", "rotation", "width", "height"];
pub(super) const OF_NODE: [&str; 18] = [
    "index",
    "package",
    "class",
    "text",
    "content-desc",
    "resource-id",
    "checkable",
    "checked",
    "clickable",
    "enabled",
    "focusable",
    "focused",
    "long-clickable",
    "password",
    "scrollable",
    "selected",
    "bounds",
    "displayed",
];

/// The tree of a source: the root `hierarchy`, then the widgets, each before those in it.
pub(super) struct Page<'s> {
    screen: &'s Screen,
    pub nodes: Vec<PageNode>,
    rotation: u32,
    size: (u32, u32),
}

/// An element of a page.
pub(super) struct PageNode {
    /// Index among the widgets of the screen; none for the root.
    pub at: Option<usize>,
    /// Index of the element around it; the root names itself.
    pub parent: usize,
    /// Index behind the last element inside it.
    pub end: usize,
    depth: usize,
    /// Position among its siblings, those left out included.
    index: usize,
}

impl<'s> Page<'s> {
    /// Returns the page of a screen, as the settings of the session ask for it.
    pub fn new(phone: &mut Phone, screen: &'s Screen) -> Page<'s> {
        let compressed = is_set(phone, "ignoreUnimportantViews");
        let tree = if compressed { Tree::Compressed } else { Tree::Whole };
        let with_hidden = is_set(phone, "allowInvisibleElements");
        let depth_max = kept(phone).and_then(|kept| kept.settings.get("snapshotMaxDepth")?.as_u64());
        let depth_max = usize::try_from(depth_max.unwrap_or(DEPTH_MAX)).unwrap_or(usize::MAX);
        let root = PageNode { at: None, parent: 0, end: 0, depth: 0, index: 0 };
        let mut page =
            Page { screen, nodes: vec![root], rotation: phone.rotation(), size: phone.shown_size() };
        let mut widgets = screen.widgets().iter().enumerate();
        // The elements around the present one, and the depth below which everything is hidden.
        let (mut around, mut hidden) = (vec![0], None);
        for node in dump::nodes(screen, tree) {
            // A compressed tree leaves widgets out, and both are in the same order.
            let at = widgets.find(|(_, widget)| std::ptr::eq(*widget, node.widget)).map(|(at, _)| at);
            let depth = node.depth + 1;
            hidden = hidden.filter(|hidden| depth > *hidden);
            if hidden.is_some() || depth > depth_max {
                continue;
            }
            if !with_hidden && !node.widget.is_visible() {
                hidden = Some(depth);
                continue;
            }
            around.truncate(depth);
            let parent = around.last().copied().unwrap_or(0);
            around.push(page.nodes.len());
            page.nodes.push(PageNode { at, parent, end: 0, depth, index: node.index });
        }
        // From the back, so that the end of an element is known before that of the one around it.
        for at in (0..page.nodes.len()).rev() {
            let end = page.nodes[at].end.max(at + 1);
            page.nodes[at].end = end;
            let parent = page.nodes[at].parent;
            page.nodes[parent].end = page.nodes[parent].end.max(end);
        }
        page
    }

    /// Returns the name of an element's tag.
    pub fn tag(&self, at: usize) -> Cow<'s, str> {
        match self.nodes[at].at {
            None => Cow::Borrowed("hierarchy"),
            Some(at) => tag(&self.screen.widgets()[at].class),
        }
    }

    /// Returns the names of the attributes that an element may have.
    pub fn names(&self, at: usize) -> &'static [&'static str] {
        if self.nodes[at].at.is_some() { &OF_NODE } else { &OF_ROOT }
    }

    /// Returns an attribute of an element, if it has it.
    pub fn attribute(&self, at: usize, name: &str) -> Option<Cow<'s, str>> {
        let node = &self.nodes[at];
        let Some(at) = node.at else {
            return Some(match name {
                "index" => Cow::Borrowed("0"),
                "class" => Cow::Borrowed("hierarchy"),
                "rotation" => Cow::Owned(self.rotation.to_string()),
                "width" => Cow::Owned(self.size.0.to_string()),
                "height" => Cow::Owned(self.size.1.to_string()),
                _ => return None,
            });
        };
        if name == "index" {
            return Some(Cow::Owned(node.index.to_string()));
        }
        attribute(self.screen, &self.screen.widgets()[at], name)
    }

    /// Returns the page as XML.
    pub fn to_xml(&self) -> String {
        let mut xml = String::from("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n");
        let mut open: Vec<usize> = Vec::new();
        // Without recursion, as all that grows with the input.
        for at in 0..self.nodes.len() {
            self.close(&mut xml, &mut open, at);
            let depth = self.nodes[at].depth;
            xml.push_str(&"  ".repeat(depth));
            xml.push('<');
            xml.push_str(&self.tag(at));
            for name in self.names(at) {
                if let Some(value) = self.attribute(at, name) {
                    xml.push_str(&format!(" {name}=\""));
                    escape(&mut xml, &value, '?');
                    xml.push('"');
                }
            }
            if self.nodes[at].end > at + 1 {
                xml.push_str(">\n");
                open.push(at);
            } else {
                xml.push_str(" />\n");
            }
        }
        self.close(&mut xml, &mut open, self.nodes.len());
        xml.truncate(xml.trim_end().len());
        xml
    }

    /// Closes the elements that end before `at`.
    fn close(&self, xml: &mut String, open: &mut Vec<usize>, at: usize) {
        while let Some(last) = open.pop_if(|last| self.nodes[*last].end <= at) {
            let (indent, tag) = ("  ".repeat(self.nodes[last].depth), self.tag(last));
            xml.push_str(&format!("{indent}</{tag}>\n"));
        }
    }
}

/// Returns the tag of a class: signs that no name in XML has become dots or lines.
fn tag(class: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let is_name = |text: &str| text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    if class.chars().all(is_plain) && is_name(class) && !class.contains("..") && !class.ends_with('.') {
        return Cow::Borrowed(class);
    }
    let parts: Vec<String> = class
        .split(['$', '@', '#', '&', '.'])
        .filter(|part| !part.is_empty())
        .map(|part| part.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect())
        .collect();
    let name = parts.join(".");
    match name.trim_matches('_') {
        "" => Cow::Borrowed("android.view.View"),
        _ if is_name(&name) => Cow::Owned(name),
        _ => Cow::Owned(format!("_{name}")),
    }
}

fn attribute<'s>(screen: &'s Screen, widget: &'s Widget, name: &str) -> Option<Cow<'s, str>> {
    let flag = |is_there: bool| Some(Cow::Borrowed(if is_there { "true" } else { "false" }));
    // Android has no description or id where it is empty, but a text.
    let unless_empty = |text: &'s str| (!text.is_empty()).then_some(Cow::Borrowed(text));
    let has = |wanted: Flags| flag(widget.flags.has(wanted));
    match name {
        "package" => Some(Cow::Borrowed(&**screen.package())),
        "class" => Some(Cow::Borrowed(&*widget.class)),
        "text" => Some(Cow::Borrowed(&*widget.text)),
        "content-desc" => unless_empty(&widget.desc),
        "resource-id" => unless_empty(&widget.id),
        "checkable" => has(Flags::CHECKABLE),
        "checked" => has(Flags::CHECKED),
        "clickable" => has(Flags::CLICKABLE),
        "enabled" => has(Flags::ENABLED),
        "focusable" => flag(can_focus(widget)),
        "focused" => has(Flags::FOCUSED),
        "long-clickable" => has(Flags::LONG_CLICKABLE),
        "password" => has(Flags::PASSWORD),
        "scrollable" => has(Flags::SCROLLABLE),
        "selected" => has(Flags::SELECTED),
        "bounds" => Some(Cow::Owned(widget.bounds.to_string())),
        "displayed" => flag(widget.is_visible()),
        _ => None,
    }
}

/// Returns an attribute of a widget by any of its names, or null.
pub(super) fn attribute_of(screen: &Screen, at: usize, name: &str) -> Result<Value, Refusal> {
    // Names that the server takes beside those of the source.
    const OTHERS: [(&str, &str); 5] = [
        ("classname", "class"),
        ("contentdescription", "content-desc"),
        ("longclickable", "long-clickable"),
        ("resourceid", "resource-id"),
        ("name", "text"),
    ];
    let wanted = name.to_ascii_lowercase();
    let wanted = OTHERS.iter().find(|(other, _)| *other == wanted).map_or(&*wanted, |(_, name)| *name);
    if wanted == "index" || !OF_NODE.contains(&wanted) {
        let known = OF_NODE[1..].join(",");
        let name = super::super::super::io::shown(name);
        return Err(Refusal::unknown(format!(
            "'{name}' attribute is unknown for the element. Only the following attributes are supported: [{known}]"
        )));
    }
    Ok(json!(attribute(screen, &screen.widgets()[at], wanted)))
}
