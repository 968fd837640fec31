//! Classes of widgets: of Android's views, and of the elements of web pages; and the short names of activities.
//!
//! An element has a tag and a role where a view of Android has its class. `TAG ROLE CLASS..` takes that place everywhere, with
//! `-` for no role; no class of Android has a blank in it.

use super::text_form::TextForm;

/// Returns the class of an element.
pub(crate) fn element_class(tag: &str, role: &str, classes: &str) -> String {
    let word = |text: &str| text.split_whitespace().next().unwrap_or("-").to_string();
    let mut class = format!("{} {}", word(tag), word(role));
    for one in classes.split_whitespace() {
        class.push(' ');
        class.push_str(one);
    }
    class
}

/// An element's class, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element<'c> {
    /// Name of its tag in small letters.
    pub tag: &'c str,
    /// Role; none if it has none.
    pub role: Option<&'c str>,
    classes: &'c str,
}

impl<'c> Element<'c> {
    /// Returns the parts of `class`; none if it is the class of a view of Android.
    pub fn of(class: &'c str) -> Option<Element<'c>> {
        let (tag, rest) = class.split_once(' ')?;
        let (role, classes) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(Element { tag, role: Some(role).filter(|role| *role != "-"), classes })
    }

    /// Returns its classes, in their order.
    pub fn classes(self) -> impl Iterator<Item = &'c str> {
        self.classes.split(' ').filter(|class| !class.is_empty())
    }
}

/// Words in the classes of elements that tell a state, which comes and goes.
const STATES: [&str; 41] = [
    "active",
    "busy",
    "checked",
    "closed",
    "collapsed",
    "completed",
    "current",
    "dirty",
    "disabled",
    "done",
    "dragging",
    "editing",
    "empty",
    "enabled",
    "error",
    "expanded",
    "filled",
    "focus",
    "focused",
    "hidden",
    "hide",
    "hover",
    "hovered",
    "inactive",
    "invalid",
    "loaded",
    "loading",
    "open",
    "opened",
    "pressed",
    "pristine",
    "selected",
    "show",
    "shown",
    "touched",
    "unchecked",
    "unread",
    "untouched",
    "valid",
    "visible",
    "warning",
];

/// Starts of words that tell a state, or that a build makes up anew.
const STATE_STARTS: [&str; 7] = ["is-", "has-", "ng-", "css-", "sc-", "jsx-", "jss"];

/// Returns true if a word in the classes of an element is no lasting part of it.
fn is_state(word: &str) -> bool {
    STATES.contains(&word) || STATE_STARTS.iter().any(|start| word.starts_with(start)) || word.contains("--")
}

/// Returns true if both are the class of a view, or classes of an element that differ in words of state alone.
pub(crate) fn is_same_kind(one: &str, other: &str) -> bool {
    match (Element::of(one), Element::of(other)) {
        (Some(one), Some(other)) => {
            let is_lasting = |word: &&str| !is_state(word);
            (one.tag, one.role) == (other.tag, other.role)
                && one.classes().filter(is_lasting).eq(other.classes().filter(is_lasting))
        }
        (Some(_), None) | (None, Some(_)) => false,
        (None, None) => one == other,
    }
}

/// Returns the last part of a class, or the tag of an element: a short name for people.
pub(crate) fn short_class(class: &str) -> &str {
    match Element::of(class) {
        Some(element) => element.tag,
        None => class.rsplit('.').next().unwrap_or(class),
    }
}

/// Returns the last part of an activity; the path of a page is short enough.
pub fn short_activity(activity: &str) -> &str {
    if activity.starts_with('/') { activity } else { activity.rsplit('.').next().unwrap_or(activity) }
}

fn has_role(class: &str, roles: &[&str]) -> bool {
    Element::of(class).and_then(|element| element.role).is_some_and(|role| roles.contains(&role))
}

/// Returns true if a click on a widget of this class checks or unchecks it.
pub(crate) fn is_switch(class: &str) -> bool {
    ["CheckBox", "RadioButton", "Switch", "SwitchCompat", "ToggleButton", "CheckedTextView"]
        .iter()
        .any(|end| class.ends_with(end))
        || has_role(class, &["checkbox", "switch", "menuitemcheckbox"])
        || is_radio(class)
}

/// Returns true if a widget of this class is a choice among others.
pub(crate) fn is_radio(class: &str) -> bool {
    class.ends_with("RadioButton") || has_role(class, &["radio", "menuitemradio"])
}

/// Returns true if a widget of this class is a field to type in.
pub(crate) fn is_text_field(class: &str) -> bool {
    ["EditText", "AutoComplete"].iter().any(|name| class.contains(name))
        || has_role(class, &["textbox", "searchbox"])
        || Element::of(class).and_then(|element| element.role).and_then(TextForm::of_role).is_some()
}

/// Returns true if a widget of this class is a button.
pub(crate) fn is_button(class: &str) -> bool {
    class.ends_with("Button") || has_role(class, &["button"])
}

/// Returns true if a click on an element of this class opens a list of options. A `select` shows its options to everybody.
pub(crate) fn opens_list(class: &str) -> bool {
    Element::of(class).is_some_and(|element| element.tag != "select") && has_role(class, &["combobox"])
}

/// Returns true for an option of a list that opens. Some libraries say it in the classes alone, and to people who hear the page
/// elsewhere.
pub(crate) fn is_option(class: &str) -> bool {
    let says_so = |element: Element<'_>| {
        element.role == Some("option") || element.classes().any(|one| one.to_lowercase().contains("option"))
    };
    Element::of(class).is_some_and(|element| element.tag != "option" && says_so(element))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_put_together_and_taken_apart() {
        for (tag, role, classes) in [("li", "listitem", "a  b"), ("div", "", ""), ("x-y", "", "c")] {
            let class = element_class(tag, role, classes);
            let element = Element::of(&class).expect("an element");
            assert_eq!((element.tag, element.role.unwrap_or("")), (tag, role));
            assert!(element.classes().eq(classes.split_whitespace()));
            assert_eq!(short_class(&class), tag);
        }
        assert_eq!(Element::of("android.widget.Button"), None);
        assert_eq!((short_activity("org.a.Main"), short_activity("/a.html#/b")), ("Main", "/a.html#/b"));
        assert!(is_switch("input checkbox toggle") && !is_switch("li checkbox-row"));
        assert!(is_radio("input radio") && is_text_field("input textbox") && is_button("a button big"));
        assert_eq!(short_class("android.widget.Button"), "Button");
    }

    #[test]
    fn words_of_state_make_no_other_kind() {
        for (one, other, is_same) in [
            ("li listitem", "li listitem completed editing", true),
            ("div - card card--open", "div - card", true),
            ("div - css-1x2y row", "div - css-9z row", true),
            ("div - card", "div - row", false),
            ("div - card", "a - card", false),
            ("a link", "a button", false),
            ("android.widget.Button", "android.widget.Button", true),
            ("android.widget.Button", "android.widget.TextView", false),
            ("android.widget.Button", "button button", false),
        ] {
            assert_eq!(is_same_kind(one, other), is_same, "{one} and {other}");
        }
    }
}
