//! Locators of elements of pages, in the code of Playwright: of the element of an action, and of the elements of an atom.
//!
//! A test id is best, then a role with a name, then a text, then a description; classes are the last resort. Where no name is
//! of one element alone, the one nearest to its old place counts. In an atom, what a locator cannot say of a text is a
//! condition on the texts of the elements.

use super::commands::Widget;
use super::javascript::{containing, quoted, regex, whole};
use super::locate::name;
use super::page::Page;
use super::sight::flag;
use crate::gui::{Comparison, Constant, Element, Key, Op, Pattern, Relation, Target, TextForm};

/// Roles that browsers name after the content of the element.
const NAMED_BY_CONTENT: [&str; 10] = [
    "button",
    "link",
    "checkbox",
    "radio",
    "switch",
    "tab",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "heading",
];

/// Roles of fields, whose text is their value and no name.
const FIELDS: [&str; 5] = ["textbox", "searchbox", "spinbutton", "slider", "combobox"];

/// Role that browsers give to fields for dates and times.
const ROLE_OF_DATES: &str = "textbox";

/// Roles that farlead sees in more elements than browsers do, with the tags of these.
const ROLES_OF_TAGS: [(&str, &str); 7] = [
    ("region", "section"),
    ("form", "form"),
    ("banner", "header"),
    ("contentinfo", "footer"),
    ("canvas", "canvas"),
    ("iframe", "iframe"),
    ("group", "fieldset, details"),
];

/// Selector of what is checked.
pub(super) const CHECKED: &str = ":is(input:checked, [aria-checked=\"true\"], [aria-pressed=\"true\"])";

/// Selector of what can be checked.
pub(super) const CHECKABLE: &str =
    ":is([type=\"checkbox\"], [type=\"radio\"], [aria-checked], [aria-pressed])";

/// Returns the locator of the element of an action.
pub(super) fn locator(page: &mut Page, on: &Widget<'_>) -> String {
    let Widget { target, shared, .. } = *on;
    let element = Element::of(&target.class);
    let seen_role = element.and_then(|element| element.role).unwrap_or_default();
    let role = if is_of_dates(seen_role) { ROLE_OF_DATES } else { seen_role };
    let is_field = FIELDS.contains(&role);
    let (id, text, desc) = (name(&target.id), name(&target.text).filter(|_| !is_field), name(&target.desc));
    let words = target.words_below().and_then(name).filter(|_| !is_field);
    let by_text = text.or(words).map(|text| of_text(target, text));
    // A browser names an element with a text and a description after one of them, whichever it is.
    let by_role = match (text, desc) {
        (Some(own), None) if NAMED_BY_CONTENT.contains(&role) => Some(of_role(role, own)),
        (None, Some(own)) if NAMED_BY_CONTENT.contains(&role) || role != "combobox" && is_field => {
            Some(of_role(role, own))
        }
        (Some(_), _) | (None, _) => None,
    };
    let by_desc = desc.map(|desc| format!("byDesc(page, {})", quoted(desc)));
    let candidates = [
        (id.map(|id| format!("byId(page, {})", quoted(id))), shared.id.is_none()),
        (by_role.clone().filter(|_| text.is_some()), shared.text.is_none()),
        (by_role.clone().filter(|_| text.is_none()), shared.desc.is_none()),
        (by_text.clone(), shared.text.is_none()),
        (by_desc.clone(), shared.desc.is_none()),
    ];
    let alone = candidates.iter().find(|(code, is_alone)| code.is_some() && *is_alone);
    if let Some((Some(code), _)) = alone {
        return code.clone();
    }
    // There is one of each in a page.
    if let Some("html" | "body") = element.map(|element| element.tag) {
        return format!(
            "page.locator({})",
            quoted(&element.map_or(String::new(), |element| tag(element.tag)))
        );
    }
    let (x, y) = target.bounds.centre();
    let any = by_role.or(by_text).or(by_desc).or(id.map(|id| format!("byId(page, {})", quoted(id))));
    let code = match any {
        Some(code) => {
            page.note(
                "other elements of the page have the same names, so the nearest to where it was is taken",
            );
            code
        }
        None => {
            page.note(
                "no name tells the element apart, so it is found by its tag, its classes and where it was",
            );
            format!("page.locator({})", quoted(&element.map_or("*".to_string(), of_classes)))
        }
    };
    format!("(await nearest({code}, {x}, {y}))")
}

fn is_of_dates(role: &str) -> bool {
    TextForm::of_role(role).is_some_and(TextForm::is_in_parts)
}

fn of_role(role: &str, name: &str) -> String {
    format!("page.getByRole({}, {{ name: {}, exact: true }})", quoted(role), quoted(name))
}

fn of_text(target: &Target, text: &str) -> String {
    // With more in it than its own text, its whole text is another.
    let is_part = !target.below.is_empty() && !text.contains(&*target.below) && text != &*target.below;
    if is_part {
        format!("byText(page, {})", quoted(text))
    } else {
        format!("page.getByText({}, {{ exact: true }})", quoted(text))
    }
}

/// Returns the selector of the elements with the tag and the classes of `element`.
fn of_classes(element: Element<'_>) -> String {
    let mut css = tag(element.tag);
    element.classes().for_each(|one| css.push_str(&class(one)));
    css
}

/// Returns the selector of a tag; any tag if its name needs escapes.
fn tag(name: &str) -> String {
    if is_plain(name) { name.to_string() } else { "*".to_string() }
}

fn class(name: &str) -> String {
    if is_plain(name) { format!(".{name}") } else { attribute("class", "~=", name) }
}

/// Returns true if CSS takes `name` as it is.
fn is_plain(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '-' || char == '_')
}

fn attribute(name: &str, op: &str, value: &str) -> String {
    let mut escaped = String::new();
    for char in value.chars() {
        match char {
            '"' | '\\' => escaped.extend(['\\', char]),
            _ if char.is_control() => escaped.push_str(&format!("\\{:x} ", u32::from(char))),
            _ => escaped.push(char),
        }
    }
    format!("[{name}{op}\"{escaped}\"]")
}

/// Elements of an atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Elements {
    /// Locator of all of them.
    pub code: String,
    /// Conditions on `text`, the text of one of them.
    pub conditions: Vec<String>,
    /// The text that one of them must have, if that is the only condition.
    pub equals: Option<String>,
}

/// Returns the elements like `pattern`, or what no locator can say of them.
pub(super) fn elements(
    comparisons: &[Comparison],
    places: &[(Relation, Pattern)],
) -> Result<Elements, String> {
    let mut parts = Parts::default();
    for comparison in comparisons {
        parts.add(comparison)?;
    }
    let mut scopes = Vec::new();
    let mut filters = String::new();
    for (relation, place) in places {
        match relation {
            Relation::In => scopes.push(inner(place)?),
            Relation::Has => filters
                .push_str(&format!(".filter({{ has: {}.filter({{ visible: true }}) }})", inner(place)?)),
            Relation::Beside => {
                let css = siblings(place)?;
                parts.css.push_str(&format!(":is({css} ~ *, :has(~ {css}))"));
            }
        }
    }
    let scope = scopes.first().map_or("page", String::as_str).to_string();
    let mut code = parts.locator(&scope);
    scopes.iter().skip(1).for_each(|scope| code.push_str(&format!(".and({scope}.locator('*'))")));
    code.push_str(&filters);
    Ok(Elements { code, conditions: parts.conditions, equals: parts.equals })
}

/// Returns the locator of elements around or in others, their texts included.
fn inner(place: &Pattern) -> Result<String, String> {
    let texts = place.comparisons.iter().filter(|comparison| comparison.key == Key::Text);
    let mut filters = String::new();
    for comparison in texts {
        let expression = match equal_text(comparison) {
            Some(text) => whole(text),
            None => expression(comparison).ok_or_else(|| shown(comparison))?,
        };
        filters.push_str(&format!(".filter({{ hasText: {expression} }})"));
    }
    let others: Vec<Comparison> =
        place.comparisons.iter().filter(|comparison| comparison.key != Key::Text).cloned().collect();
    Ok(format!("{}{filters}", elements(&others, &place.places)?.code))
}

/// Returns the selector of elements beside others.
fn siblings(place: &Pattern) -> Result<String, String> {
    let mut parts = Parts::default();
    for comparison in &place.comparisons {
        parts.add(comparison)?;
    }
    let is_selector =
        parts.role.is_none() && parts.ids.is_empty() && parts.names.is_empty() && parts.conditions.is_empty();
    if is_selector && place.places.is_empty() && parts.first.is_none() {
        Ok(parts.selector())
    } else {
        Err(format!("`beside({place})`"))
    }
}

fn shown(comparison: &Comparison) -> String {
    format!("`{comparison}`")
}

/// Returns the text that a comparison asks for as a whole.
fn equal_text(comparison: &Comparison) -> Option<&str> {
    match &comparison.value {
        Constant::Text(text) if comparison.op == Op::Equal => Some(text),
        Constant::Text(_)
        | Constant::Flag(_)
        | Constant::Regex(_)
        | Constant::Number(_)
        | Constant::Term(_) => None,
    }
}

/// Returns the expression of the texts with what a comparison asks for in them; none if there is none.
fn expression(comparison: &Comparison) -> Option<String> {
    match (comparison.op, &comparison.value) {
        (Op::Contains, Constant::Text(part)) => Some(containing(part)),
        (Op::Contains, Constant::Regex(inside)) => regex(inside),
        (
            _,
            Constant::Text(_)
            | Constant::Regex(_)
            | Constant::Flag(_)
            | Constant::Number(_)
            | Constant::Term(_),
        ) => None,
    }
}

/// Parts of a locator.
#[derive(Default)]
struct Parts {
    tag: Option<String>,
    /// Selector behind the tag.
    css: String,
    role: Option<String>,
    /// Arguments of `byId` besides the page.
    ids: Vec<String>,
    /// Arguments of `byDesc`, and of `byName`, as texts or expressions of JavaScript; true for names.
    names: Vec<(String, bool)>,
    /// The first text or expression of a text.
    first: Option<String>,
    conditions: Vec<String>,
    equals: Option<String>,
}

impl Parts {
    fn add(&mut self, comparison: &Comparison) -> Result<(), String> {
        let unsaid = || Err(shown(comparison));
        let Comparison { key, op, value } = comparison;
        let text = match value {
            Constant::Text(text) => Some(text),
            Constant::Flag(_) | Constant::Regex(_) | Constant::Number(_) | Constant::Term(_) => None,
        };
        match (key, op, text) {
            (Key::Tag, Op::Equal, Some(name)) if self.tag.is_none() && is_plain(name) => {
                self.tag = Some(tag(name))
            }
            (Key::Tag, Op::NotEqual, Some(name)) if is_plain(name) => {
                self.css.push_str(&format!(":not({name})"))
            }
            (Key::Class, Op::Equal, Some(name)) => self.css.push_str(&class(name)),
            (Key::Class, Op::NotEqual, Some(name)) => self.css.push_str(&format!(":not({})", class(name))),
            (Key::Class, Op::Contains, Some(part)) => self.css.push_str(&attribute("class", "*=", part)),
            (Key::Id, Op::Equal, Some(id)) => self.ids.push(quoted(id)),
            (Key::Id, Op::Contains, Some(part)) => self.ids.push(format!("{}, '*='", quoted(part))),
            (Key::Role, Op::Equal, Some(role)) if is_of_dates(role) => {
                self.css.push_str(&attribute("type", "=", role));
            }
            (Key::Role, Op::Equal, Some(role)) => match ROLES_OF_TAGS.iter().find(|(known, _)| known == role)
            {
                Some((_, tags)) => {
                    self.css
                        .push_str(&format!(":is({}, :is({tags}):not([role]))", attribute("role", "=", role)));
                }
                None if self.role.is_none() => self.role = Some(role.clone()),
                None => return unsaid(),
            },
            (Key::Name | Key::Desc, Op::Equal, Some(name)) => {
                self.names.push((quoted(name), *key == Key::Name))
            }
            (Key::Name | Key::Desc, Op::Contains, _) => match expression(comparison) {
                Some(expression) => self.names.push((expression, *key == Key::Name)),
                None => return unsaid(),
            },
            (Key::Text, ..) => return self.add_text(comparison),
            (Key::Checked, ..) => self.set(flag(comparison), CHECKED),
            (Key::Enabled, ..) => {
                let is_set = flag(comparison).map(|is_enabled| !is_enabled);
                self.set(is_set, ":is(:disabled, [aria-disabled=\"true\"], [aria-disabled=\"true\"] *, [inert], [inert] *)");
            }
            (Key::Focused, ..) => self.set(flag(comparison), ":focus"),
            (Key::Selected, ..) => self.set(
                flag(comparison),
                ":is(option:checked, [aria-selected=\"true\"], [aria-current]:not([aria-current=\"false\"]))",
            ),
            (Key::Password, ..) => self.set(flag(comparison), "[type=\"password\"]"),
            (
                Key::Tag
                | Key::Class
                | Key::Id
                | Key::Role
                | Key::Name
                | Key::Desc
                | Key::ObjectId
                | Key::Scrollable
                | Key::Package
                | Key::Activity
                | Key::Screen
                | Key::Orientation
                | Key::Network
                | Key::Crashed
                | Key::Crash
                | Key::Anr
                | Key::Keyboard
                | Key::Console
                | Key::Status
                | Key::ActionType
                | Key::ActionDetail
                | Key::ActionObjectId
                | Key::ActionText,
                ..,
            ) => return unsaid(),
        }
        Ok(())
    }

    fn set(&mut self, is_set: Option<bool>, selector: &str) {
        match is_set {
            Some(true) => self.css.push_str(selector),
            Some(false) => self.css.push_str(&format!(":not({selector})")),
            None => {}
        }
    }

    fn add_text(&mut self, comparison: &Comparison) -> Result<(), String> {
        let condition = condition(comparison, "text").ok_or_else(|| shown(comparison))?;
        let literal = equal_text(comparison).map(quoted);
        if self.conditions.is_empty() {
            self.first = literal.clone().or_else(|| expression(comparison));
            self.equals = literal;
        } else {
            self.equals = None;
        }
        self.conditions.push(condition);
        Ok(())
    }

    fn selector(&self) -> String {
        match &self.tag {
            Some(tag) => format!("{tag}{}", self.css),
            None if self.css.is_empty() => "*".to_string(),
            None => self.css.clone(),
        }
    }

    /// Returns the locator of these elements in `scope`. A text that stands alone goes into it.
    fn locator(&mut self, scope: &str) -> String {
        let css = self.selector();
        let mut names = self.names.iter();
        let mut codes: Vec<String> = Vec::new();
        if let Some(role) = &self.role {
            codes.push(match names.next() {
                Some((name, _)) if name.starts_with('\'') => {
                    format!("{scope}.getByRole({}, {{ name: {name}, exact: true }})", quoted(role))
                }
                Some((name, _)) => format!("{scope}.getByRole({}, {{ name: {name} }})", quoted(role)),
                None => format!("{scope}.getByRole({})", quoted(role)),
            });
        }
        codes.extend(self.ids.iter().map(|id| format!("byId({scope}, {id})")));
        for (name, is_name) in names {
            let desc = format!("byDesc({scope}, {name})");
            codes.push(if *is_name { format!("{desc}.or(byText({scope}, {name}))") } else { desc });
        }
        if css != "*" {
            codes.push(format!("{scope}.locator({})", quoted(&css)));
        }
        if codes.is_empty() {
            // Without anything else, no field is meant, so the text is one of the page.
            return match self.first.take().filter(|text| text != "''") {
                Some(text) if self.conditions.len() == 1 => {
                    self.conditions.clear();
                    format!("byText({scope}, {text})")
                }
                Some(_) | None => format!("{scope}.locator('*')"),
            };
        }
        let mut codes = codes.into_iter();
        let first = codes.next().unwrap_or_default();
        codes.fold(first, |code, other| format!("{code}.and({other})"))
    }
}

/// Returns the code that compares the text that `code` returns; none if JavaScript has no such expression.
pub(super) fn condition(comparison: &Comparison, code: &str) -> Option<String> {
    match (&comparison.value, comparison.op) {
        (Constant::Text(text), Op::NotEqual) => Some(format!("{code} !== {}", quoted(text))),
        (Constant::Text(text), Op::Contains) => Some(format!("{code}.includes({})", quoted(text))),
        (Constant::Text(text), _) => Some(format!("{code} === {}", quoted(text))),
        (Constant::Regex(inside), _) => Some(format!("{}.test({code})", regex(inside)?)),
        (Constant::Number(number), op) => Some(format!("numberIn({code}) {} {number}", sign(op))),
        (Constant::Flag(_) | Constant::Term(_), _) => None,
    }
}

/// Returns the operator as JavaScript writes it.
pub(super) fn sign(op: Op) -> &'static str {
    match op {
        Op::Equal | Op::Contains => "===",
        Op::NotEqual => "!==",
        Op::Less => "<",
        Op::AtMost => "<=",
        Op::Greater => ">",
        Op::AtLeast => ">=",
    }
}
