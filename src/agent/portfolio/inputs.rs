//! Inputs: the fields, boxes, lists and other choices that a screen shows, and what stands beside them.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::gui::{Action, Element, Flags, Screen, TextForm, Touch, Widget, is_option, is_radio, opens_list};
use crate::situation::Scene;

/// Most choices of a page, and most entries of a choice.
const CHOICES_MAX: usize = 3;
pub const CHOSEN_MAX: usize = 6;
/// Most levels of the tree from a list that opens up to the target of the click that opens it, both counted.
const OPENER_LEVELS: usize = 5;

/// Field, box or choice of a screen.
pub struct Input<'s> {
    /// Its place in the tree; of a choice, that of its first entry.
    pub object_id: String,
    /// It itself.
    pub widget: &'s Widget,
    /// Texts that fit it by its page, the likeliest first.
    pub samples: Vec<&'s Arc<str>>,
    /// Places of its entries in the tree, if it is a choice, each with true if it is chosen.
    pub choices: Vec<(String, bool)>,
    /// Text that it shows, if a click on it opens a list.
    pub opener: Option<String>,
}

/// Returns the form of the dates or times that a field of a page is for.
pub fn time_form(field: &Widget) -> Option<TextForm> {
    TextForm::of(&field.class).filter(|form| form.is_in_parts())
}

/// Returns the visible fields and boxes of `screen`.
pub fn inputs(screen: &Screen) -> Vec<Input<'_>> {
    let (mut inputs, widgets) = (Vec::new(), screen.widgets());
    let radio_labels = radio_labels(screen);
    screen.for_each_object(|place, widget, object_id| {
        let is_box = is_box(widget) && !radio_labels.iter().any(|label| *label == *object_id);
        if widget.is_visible() && (is_field(widget) || is_box) {
            let samples = screen.samples(place).collect();
            let object_id = object_id.to_string();
            inputs.push(Input {
                object_id,
                widget: &widgets[place],
                samples,
                choices: Vec::new(),
                opener: None,
            });
        }
    });
    inputs
}

/// Returns true if a field shows `text`, as far as it can be seen: a password on a page is seen as dots.
pub fn shows(field: &Widget, text: &str) -> bool {
    let is_dots = field.flags.has(Flags::PASSWORD) && !text.is_empty() && Element::of(&field.class).is_some();
    if is_dots { field.text.chars().eq(text.chars().map(|_| '•')) } else { *field.text == *text }
}

/// Returns the places of the forms of a page, each before those in it.
pub fn forms(screen: &Screen) -> Vec<String> {
    places(screen, &|element| element.tag == "form")
}

/// Returns the places of the rows of lists and tables of a page.
pub fn rows(screen: &Screen) -> Vec<String> {
    places(screen, &|element| ["li", "tr"].contains(&element.tag) || element.role == Some("row"))
}

/// Returns the places in the tree of the elements of a page for which `is_it` holds.
fn places(screen: &Screen, is_it: &dyn Fn(Element<'_>) -> bool) -> Vec<String> {
    let mut places = Vec::new();
    screen.for_each_object(|_, widget, object_id| {
        if Element::of(&widget.class).is_some_and(is_it) {
            places.push(object_id.to_string());
        }
    });
    places
}

/// Returns the places among siblings that an object id joins.
pub fn place(object_id: &str) -> Vec<u32> {
    object_id.split(':').filter_map(|place| place.parse().ok()).collect()
}

/// Returns which of `places` a text at `object_id` stands beside: the one that shares most levels of the tree with it; of
/// several, the last one before it.
pub fn nearest(places: &[Vec<u32>], object_id: &str) -> Option<usize> {
    let text = place(object_id);
    let shared = |place: &Vec<u32>| place.iter().zip(&text).take_while(|(one, other)| one == other).count();
    let most = places.iter().map(shared).max()?;
    let close: Vec<usize> = (0..places.len()).filter(|&at| shared(&places[at]) == most).collect();
    let before = close.iter().copied().filter(|&at| places[at] < text).max_by_key(|&at| &places[at]);
    before.or((close.len() == 1).then(|| close[0]))
}

/// Returns true if the place `inner` in the tree is the place `outer`, or lies in it.
pub fn is_in(inner: &str, outer: &str) -> bool {
    inner == outer || is_within(inner, outer)
}

/// Returns the lists of a page that a click opens: the targets of clicks that are one, or have one close below them.
#[inline(never)]
pub fn openers<'s>(screen: &'s Screen, scene: &Scene) -> Vec<Input<'s>> {
    let clicks = scene.actions.iter().filter_map(|action| match action {
        Action::Touch(Touch::Click, on) => Some(&*on.object_id),
        _ => None,
    });
    let clicks: FxHashSet<&str> = clicks.collect();
    let mut places: Vec<String> = Vec::new();
    screen.for_each_object(|_, widget, object_id| {
        if !opens_list(&widget.class) {
            return;
        }
        let around = std::iter::successors(Some(object_id), |id| Some(id.rsplit_once(':')?.0));
        if let Some(target) = around.take(OPENER_LEVELS).find(|id| clicks.contains(id))
            && !places.iter().any(|known| is_in(target, known))
            && places.len() < CHOICES_MAX
        {
            places.push(target.to_string());
        }
    });
    let (mut openers, widgets): (Vec<Input<'_>>, _) = (Vec::new(), screen.widgets());
    screen.for_each_object(|place, widget, object_id| {
        if let Some(at) = places.iter().position(|at| at == object_id) {
            let object_id = places[at].clone();
            let (widget, opener) = (&widgets[place], Some(String::new()));
            openers.push(Input { object_id, widget, samples: Vec::new(), choices: Vec::new(), opener });
        }
        if let Some(last) = openers.last_mut()
            && is_in(object_id, &last.object_id)
            && widget.is_visible()
        {
            let shown = last.opener.get_or_insert_default();
            shown.push_str(&widget.text);
        }
    });
    openers
}

/// Returns the clicks among `open` on options of a list that is open.
pub fn options(scene: &Scene, open: &[u16]) -> Vec<u16> {
    let is_it = |at: &u16| match &scene.actions[usize::from(*at)] {
        Action::Touch(Touch::Click, on) => is_option(&on.class),
        _ => false,
    };
    open.iter().copied().filter(is_it).collect()
}

/// Returns true if the place `inner` in the tree lies in the place `outer`.
pub fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with(':'))
}

/// Returns the places of labels that stand for a radio button which nobody sees, around it or right behind it.
fn radio_labels(screen: &Screen) -> Vec<String> {
    let (mut labels, mut last_label, mut last_radio) = (Vec::new(), String::new(), None);
    if !screen.is_page() {
        return labels;
    }
    screen.for_each_object(|_, widget, object_id| {
        let is_radio = is_radio(&widget.class) && !widget.is_visible();
        if is_radio && is_within(object_id, &last_label) {
            labels.push(last_label.clone());
        }
        let is_label = widget.is_visible() && is_box(widget) && is_element(widget, "label");
        if is_label && last_radio.as_deref() == Some(around(object_id)) {
            labels.push(object_id.to_string());
        }
        last_radio = is_radio.then(|| around(object_id).to_string());
        if is_label {
            last_label = object_id.to_string();
        }
    });
    labels
}

/// Returns the place of the element around that at `object_id`.
fn around(object_id: &str) -> &str {
    object_id.rsplit_once(':').map_or("", |(around, _)| around)
}

pub fn is_element(widget: &Widget, tag: &str) -> bool {
    Element::of(&widget.class).is_some_and(|element| element.tag == tag)
}

/// Returns the visible choices of a page: its lists, and its groups of radio buttons.
#[inline(never)]
pub fn choices(screen: &Screen) -> Vec<Input<'_>> {
    let (mut choices, widgets): (Vec<(String, Input<'_>)>, _) = (Vec::new(), screen.widgets());
    let labels = radio_labels(screen);
    screen.for_each_object(|place, widget, object_id| {
        let is_label = labels.iter().any(|label| *label == *object_id);
        let is_it = is_label || is_choice(widget);
        if !widget.is_visible() || !is_it || !widget.flags.has(Flags::ENABLED) {
            return;
        }
        // An entry stands in its list, and so do labels mostly; a radio button in an element of its own.
        let has_others = labels.iter().filter(|label| around(label) == around(object_id)).count() > 1;
        let levels = if is_radio(&widget.class) || is_label && !has_others { 2 } else { 1 };
        let around = (0..levels).fold(object_id, |id, _| around(id));
        // A name that several share is that of the group.
        let is_shared = widgets.iter().filter(|other| is_choice(other) && other.id == widget.id).count() > 1;
        let group = format!("{around} {}", if is_shared && !is_label { &widget.id } else { "" });
        let is_chosen = widget.flags.has(Flags::CHECKED) || widget.flags.has(Flags::SELECTED);
        let entry = (object_id.to_string(), is_chosen);
        let is_full = choices.len() >= CHOICES_MAX;
        match choices.iter_mut().find(|(known, _)| *known == group) {
            Some((_, choice)) if choice.choices.len() < CHOSEN_MAX => choice.choices.push(entry),
            Some(_) => {}
            None if is_full => {}
            None => {
                let object_id = object_id.to_string();
                let (widget, samples) = (&widgets[place], Vec::new());
                choices
                    .push((group, Input { object_id, widget, samples, choices: vec![entry], opener: None }));
            }
        }
    });
    let mut choices: Vec<Input<'_>> = choices.into_iter().map(|(_, choice)| choice).collect();
    choices.retain(|choice| choice.choices.len() > 1);
    for choice in choices.iter_mut().filter(|choice| is_element(choice.widget, "option")) {
        choice.choices.swap(0, 1);
    }
    choices
}

/// Returns true for an entry of a list on a page, and for a radio button.
pub fn is_choice(widget: &Widget) -> bool {
    is_radio(&widget.class) || is_element(widget, "option")
}

pub fn is_field(widget: &Widget) -> bool {
    widget.flags.has(Flags::EDITABLE)
}

/// Returns true for boxes and switches; a radio button is a choice among others.
pub fn is_box(widget: &Widget) -> bool {
    widget.flags.has(Flags::CHECKABLE) && !is_radio(&widget.class)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::gui::{Bounds, Context};

    /// Widgets of a page, each with its depth, its class, its text and its flags.
    pub fn screen(widgets: &[(u16, &str, &str, Flags)]) -> Screen {
        let widget = |&(depth, class, text, flags): &(u16, &str, &str, Flags)| Widget {
            depth,
            class: class.into(),
            text: text.into(),
            bounds: Bounds::new(0, 0, 9, 9),
            flags: flags.set(Flags::ENABLED, true),
            ..Widget::default()
        };
        Screen::new("http://p", "/", Context::default(), widgets.iter().map(widget).collect())
    }

    #[test]
    fn lists_and_groups_of_radio_buttons_are_choices() {
        let (click, chosen, none) = (Flags::CLICKABLE, Flags::SELECTED, Flags::default());
        let checked = click.set(Flags::CHECKED, true);
        let screen = screen(&[
            (0, "select combobox", "Choose", none),
            (1, "option option", "Choose", click.set(chosen, true)),
            (1, "option option", "Hall", click),
            (1, "option option", "Garden", click),
            (0, "fieldset group", "", none),
            (1, "label -", "Noon", none),
            (2, "input radio", "", click),
            (1, "label -", "Evening", none),
            (2, "input radio", "", checked),
            (0, "label -", "Alone", none),
            (1, "div -", "", none),
            (2, "input radio", "", click),
        ]);
        let choices = choices(&screen);
        let entries = |at: usize| {
            let entries = choices[at].choices.iter();
            entries.map(|(id, is_chosen)| (&**id, *is_chosen)).collect::<Vec<_>>()
        };
        assert_eq!(entries(0), [("0:1", false), ("0:0", true), ("0:2", false)], "the first says what to do");
        assert_eq!(entries(1), [("1:0:0", false), ("1:1:0", true)]);
        assert_eq!(choices.len(), 2, "one radio button is no choice");
        let checkable = click.set(Flags::CHECKABLE, true);
        let nobody_sees = |depth, class| (depth, class, "", none);
        let labels = [
            (0, "div radiogroup", "", none),
            (1, "label -", "Talk", checkable),
            nobody_sees(2, "input radio"),
            (1, "label -", "Class", checkable.set(Flags::CHECKED, true)),
            nobody_sees(2, "input radio"),
            (0, "div group", "", none),
            nobody_sees(1, "input radio"),
            (1, "label -", "Left", checkable),
            nobody_sees(1, "input radio"),
            (1, "label -", "Right", checkable),
            (0, "label -", "News", checkable),
        ];
        let screen = self::screen(&labels);
        let hidden: Vec<Widget> = screen
            .widgets()
            .iter()
            .map(|widget| {
                let bounds = if is_radio(&widget.class) { Bounds::default() } else { widget.bounds };
                Widget { bounds, ..widget.clone() }
            })
            .collect();
        let screen = Screen::new("http://p", "/", Context::default(), hidden);
        let groups: Vec<Vec<(String, bool)>> =
            self::choices(&screen).into_iter().map(|input| input.choices).collect();
        let entry = |id: &str, is_chosen| (id.to_string(), is_chosen);
        assert_eq!(
            groups,
            [[entry("0:0", false), entry("0:1", true)], [entry("1:1", false), entry("1:3", false)],]
        );
        let boxes: Vec<String> = inputs(&screen).into_iter().map(|input| input.object_id).collect();
        assert_eq!(boxes, ["2"], "a label of a radio button is no box");
    }

    #[test]
    fn a_text_stands_beside_the_blank_that_it_shares_most_levels_with_or_that_it_follows() {
        let nearest = |places: &[&str], text: &str| {
            super::nearest(&places.iter().map(|id| place(id)).collect::<Vec<_>>(), text)
        };
        let (apart, flat) = (["0:0:0", "0:1:0"], ["0:0", "0:2", "0:11"]);
        assert_eq!([nearest(&apart, "0:0:1"), nearest(&apart, "0:1:2:0")], [Some(0), Some(1)]);
        assert_eq!([nearest(&flat, "0:1"), nearest(&flat, "0:9")], [Some(0), Some(1)]);
        assert_eq!(nearest(&["0:1", "0:2"], "0:0"), None, "it is before all of them");
        assert_eq!(nearest(&["0:1"], "0:0"), Some(0));
    }
}
