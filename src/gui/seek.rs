//! Seeking: finds the widget of a recorded action on the present screen.
//!
//! A widget is identified by its id, its description, its text, the words below it, and the words beside it. An app may
//! have changed since the recording, so not all of them have to agree; but what told the widget from others has to: a
//! missing widget is better than a click on another one. A recording without surroundings falls back on class, path and
//! bounds.

use std::sync::Arc;

use super::action::{Action, Target};
use super::around::{Around, candidates, with_surroundings};
use super::element::{is_same_kind, is_text_field};
use super::naming::Naming;
use super::nearest::nearest;
use super::screen::Screen;

/// Result of a search for a recorded action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sought {
    /// The action, on the widget as it is now.
    Found(Action),
    /// The screen does not offer the action on that widget, or nobody knows on which.
    Missing(Option<Near>),
}

/// The widget with the most in common with one that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The widget.
    pub on: Target,
    /// Reason why it is not the recorded one.
    pub gap: Gap,
}

/// Reason why a widget is not the recorded one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gap {
    /// It has other names, or another place.
    Other,
    /// It is the one, and the action cannot be done on it now.
    TakesNone,
    /// It has the same names, and these words beside it.
    Beside(Arc<str>),
    /// Others have the same names and the same words beside them, and nothing tells it from those.
    Several,
}

/// Returns `action` as it can be done on `screen`. With the surroundings of its widget it is done there or nowhere;
/// without, it may be done on a widget at the same place.
pub fn seek(screen: &Screen, action: &Action, around: Option<&Around>) -> Sought {
    let Some(recorded) = action.target() else { return Sought::Found(action.clone()) };
    let mut found = candidates(screen, action);
    let at = match around {
        Some(around) => around.find(recorded, &with_surroundings(screen, &found)),
        None => choose(recorded, &found.iter().filter_map(Action::target).collect::<Vec<_>>()),
    };
    match at {
        Some(at) => Sought::Found(found.swap_remove(at)),
        None => Sought::Missing(near(screen, recorded, around, &found)),
    }
}

/// Returns the position in `all` of the recorded one.
fn choose(recorded: &Target, all: &[&Target]) -> Option<usize> {
    let mut left: Vec<usize> = (0..all.len()).collect();
    let has_id = !recorded.id.is_empty();
    let by_id: Vec<usize> = left.iter().copied().filter(|&at| has_id && all[at].id == recorded.id).collect();
    let is_named = recorded.names()[..2].iter().any(|name| !name.is_empty());
    match by_id.len() {
        // The only widget with the id is the one, even if its texts have changed.
        1 => return Some(by_id[0]),
        // The rows of a list share an id: their texts tell them apart.
        2.. => left = by_id,
        0 => {}
    }
    let by_desc = same(&left, all, recorded, |target| &target.desc)
        .or_else(|| uncut(&left, all, recorded, |target| &target.desc, usize::MAX));
    let described = by_desc.as_ref().unwrap_or(&left);
    let by_text = same(described, all, recorded, |target| &target.text)
        .or_else(|| uncut(described, all, recorded, |target| &target.text, CUT_UNITS));
    let by_below = same(&left, all, recorded, |target| &target.below);
    match by_text.or(by_desc).or(by_below) {
        Some(named) => left = named,
        // The text of a field changes as one types, its path does not.
        None if is_named && !is_text_field(&recorded.class) => return None,
        None => {
            left.retain(|&at| {
                all[at].object_id == recorded.object_id
                    && is_same_kind(&all[at].class, &recorded.class)
                    && (all[at].id.is_empty() || all[at].id == recorded.id)
            });
        }
    }
    // A new version may change classes and paths, so these only choose among those that are left.
    if left.iter().any(|&at| is_same_kind(&all[at].class, &recorded.class)) {
        left.retain(|&at| is_same_kind(&all[at].class, &recorded.class));
    }
    let by_class = same(&left, all, recorded, |target| &target.class).unwrap_or(left);
    let by_path = same(&by_class, all, recorded, |target| &target.object_id).unwrap_or(by_class);
    by_path.into_iter().min_by_key(|&at| distance(all[at], recorded))
}

/// Returns those of `left` that share a part with the recorded one; nothing if that is empty or no one shares it.
fn same<'a>(
    left: &[usize],
    all: &[&'a Target],
    recorded: &'a Target,
    part: impl Fn(&'a Target) -> &'a str,
) -> Option<Vec<usize>> {
    let sought = part(recorded);
    let found: Vec<usize> =
        left.iter().copied().filter(|&at| !sought.is_empty() && part(all[at]) == sought).collect();
    (!found.is_empty()).then_some(found)
}

/// Length at which APE cuts a text, in the units of Java.
const CUT_UNITS: usize = 8;

/// Returns those of `left` with a part that lacks its quotes in the recorded one, or its end from `units_max` units on;
/// nothing if there are none, or the recorded one is whole.
fn uncut<'a>(
    left: &[usize],
    all: &[&'a Target],
    recorded: &'a Target,
    part: impl Fn(&'a Target) -> &'a str,
    units_max: usize,
) -> Option<Vec<usize>> {
    let sought = part(recorded);
    if !recorded.is_cut || sought.is_empty() {
        return None;
    }
    let may_go_on = sought.encode_utf16().count() >= units_max;
    let is_same = |name: &str| {
        let bare = name.replace('"', "");
        bare == sought || (may_go_on && bare.starts_with(sought))
    };
    let found: Vec<usize> = left.iter().copied().filter(|&at| is_same(part(all[at]))).collect();
    (!found.is_empty()).then_some(found)
}

fn distance(one: &Target, other: &Target) -> u64 {
    let ((x, y), (x2, y2)) = (one.bounds.centre(), other.bounds.centre());
    u64::from(x.abs_diff(x2)) + u64::from(y.abs_diff(y2))
}

/// Returns the widget on `screen` with the most in common with the recorded one: a name, else its place, else a similar
/// name.
fn near(screen: &Screen, recorded: &Target, around: Option<&Around>, candidates: &[Action]) -> Option<Near> {
    let naming = Naming::new(screen);
    let mut best: Option<(u32, usize, Target)> = None;
    let mut named: Vec<(String, usize, Target)> = Vec::new();
    screen.for_each_object(|at, widget, object_id| {
        if !widget.is_visible() {
            return;
        }
        // Words in other widgets are their own texts.
        let below = if widget.takes_actions() { naming.below(at) } else { Arc::default() };
        let target = Target::new(widget, object_id, below);
        let score = likeness(&target, recorded);
        // Of equals, the first on the screen stays.
        if score > 0 && best.as_ref().is_none_or(|(most, ..)| score > *most) {
            best = Some((score, at, target.clone()));
        }
        let names = target.names().into_iter().filter(|name| !name.is_empty());
        named.extend(names.map(|name| (name.to_string(), at, target.clone())));
    });
    let best = best.map(|(_, at, target)| (at, target)).or_else(|| {
        let sought = recorded.names().into_iter().find(|name| !name.is_empty())?;
        let near = nearest(sought, named.iter().map(|(name, ..)| name.as_str()))?.to_string();
        named.into_iter().find(|(name, ..)| *name == near).map(|(_, at, target)| (at, target))
    });
    let (at, on) = best?;
    let offers = candidates.iter().filter_map(Action::target);
    let gap = if on.names() != recorded.names() {
        Gap::Other
    } else if offers.clone().all(|other| other.object_id != on.object_id) {
        Gap::TakesNone
    } else {
        match (around, naming.beside(at)) {
            (Some(around), beside) if beside != around.beside => Gap::Beside(beside),
            (Some(_), _) => Gap::Several,
            (None, _) => Gap::Other,
        }
    };
    Some(Near { on, gap })
}

/// Returns a score for how much both have in common; a name weighs more than any place.
fn likeness(target: &Target, recorded: &Target) -> u32 {
    let shared = |one: &str, other: &str, worth: u32| if !one.is_empty() && one == other { worth } else { 0 };
    let names = shared(&target.id, &recorded.id, 16)
        + shared(&target.desc, &recorded.desc, 12)
        + shared(&target.text, &recorded.text, 12)
        + shared(&target.below, &recorded.below, 12);
    // A place counts for the same class alone, because another widget may have moved there.
    let is_of_class = is_same_kind(&target.class, &recorded.class);
    let place = shared(&target.object_id, &recorded.object_id, 2)
        + if recorded.bounds.is_empty() || target.bounds != recorded.bounds { 0 } else { 3 };
    names + if is_of_class { place } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Bounds, Context, Direction, Flags, Stroke, Widget};

    fn button(id: &str, text: &str, top: i32) -> Widget {
        Widget {
            class: "android.widget.Button".into(),
            id: id.into(),
            text: text.into(),
            bounds: Bounds::new(0, top, 10, top + 10),
            flags: Flags::CLICKABLE.set(Flags::ENABLED, true),
            ..Widget::default()
        }
    }

    fn screen(widgets: Vec<Widget>) -> Screen {
        Screen::new("p", "p.A", Context::default(), widgets)
    }

    /// Returns the path of the widget that a click on the widget at `at` of one screen goes to on another.
    fn found(recorded: (Vec<Widget>, usize), now: Vec<Widget>) -> Result<String, Option<String>> {
        let before = screen(recorded.0);
        let below = Naming::new(&before).below(recorded.1);
        let target = Target::new(&before.widgets()[recorded.1], &before.object_id(recorded.1), below);
        match seek(&screen(now), &Action::click(target), None) {
            Sought::Found(action) => {
                Ok(action.target().map(|on| on.object_id.to_string()).unwrap_or_default())
            }
            Sought::Missing(near) => Err(near.map(|near| near.on.object_id.to_string())),
        }
    }

    #[test]
    fn an_id_is_enough_wherever_the_widget_is_and_whatever_it_says() {
        let now = vec![button("a", "x", 0), button("save", "Keep", 90)];
        assert_eq!(found((vec![button("save", "Save", 0)], 0), now), Ok("1".into()));
    }

    #[test]
    fn rows_with_one_id_are_told_apart_by_what_they_say() {
        let rows = |texts: [&str; 3]| -> Vec<Widget> {
            texts.into_iter().zip([0, 10, 20]).map(|(text, top)| button("row", text, top)).collect()
        };
        assert_eq!(found((rows(["a", "b", "c"]), 1), rows(["c", "a", "b"])), Ok("2".into()));
        assert_eq!(found((rows(["a", "b", "c"]), 1), rows(["c", "a", "d"])), Err(Some("1".into())));
        assert_eq!(found((rows(["", "", ""]), 1), rows(["", "", ""])), Ok("1".into()));
    }

    #[test]
    fn a_text_that_was_cut_is_found_by_its_start_unless_another_is_that_text() {
        let on = |text: &str| Target { text: text.into(), is_cut: true, ..Target::default() };
        let find =
            |recorded: &str, now: Vec<Widget>| match seek(&screen(now), &Action::click(on(recorded)), None) {
                Sought::Found(action) => action.target().map(|on| on.text.to_string()),
                Sought::Missing(_) => None,
            };
        let all = |texts: &[&str]| -> Vec<Widget> {
            texts.iter().zip(0..).map(|(text, row)| button("", text, row * 10)).collect()
        };
        assert_eq!(find("Settings", all(&["Settings and more", "Settings"])).as_deref(), Some("Settings"));
        assert_eq!(
            find("Settings", all(&["About", "Settings and more"])).as_deref(),
            Some("Settings and more")
        );
        assert_eq!(find("Say Hi", all(&["Say \"Hi\""])).as_deref(), Some("Say \"Hi\""));
        assert_eq!(find("Setting", all(&["Settings"])), None, "a text of seven characters was not cut");
        assert_eq!(find("", all(&["Settings"])), None);
    }

    #[test]
    fn a_name_that_is_gone_is_not_replaced_by_another() {
        let before = || vec![button("", "Save", 0)];
        assert_eq!(found((before(), 0), vec![button("", "Sale", 0)]), Err(Some("0".into())));
        assert_eq!(found((before(), 0), vec![button("x", "Save", 5)]), Ok("0".into()));
        assert_eq!(found((before(), 0), vec![]), Err(None));
    }

    #[test]
    fn of_two_that_are_alike_the_one_at_the_same_place_is_taken() {
        let before = vec![button("", "+", 0), button("", "+", 50)];
        assert_eq!(found((before.clone(), 1), before), Ok("1".into()));
        let nameless = || vec![button("", "", 0), button("", "", 50)];
        assert_eq!(found((nameless(), 1), nameless()), Ok("1".into()));
        assert_eq!(found((nameless(), 1), vec![button("", "", 0)]), Err(None));
    }

    #[test]
    fn words_of_state_do_not_hide_an_element() {
        let box_of = |class: &str| Widget { class: class.into(), ..button("", "", 0) };
        let before = || (vec![box_of("input checkbox toggle")], 0);
        assert_eq!(found(before(), vec![box_of("input checkbox toggle is-on checked")]), Ok("0".into()));
        assert_eq!(found(before(), vec![box_of("input checkbox other")]), Err(None));
        // Of two with the same name, the one that differs in its state alone is nearer.
        let link = |class: &str, top| Widget { class: class.into(), ..button("", "All", top) };
        let now = vec![link("a link tab", 0), link("a link filter selected", 50)];
        assert_eq!(found((vec![link("a link filter", 0)], 0), now), Ok("1".into()));
    }

    #[test]
    fn a_field_is_found_whatever_is_in_it() {
        let field = |text: &str| Widget {
            class: "android.widget.EditText".into(),
            flags: Flags::EDITABLE.set(Flags::ENABLED, true),
            ..button("", text, 0)
        };
        let before = screen(vec![field("Name")]);
        let on = Target::new(&before.widgets()[0], "0", Arc::default());
        let action = Action::Text { on, text: "abc".into() };
        assert!(matches!(seek(&screen(vec![field("Joe")]), &action, None), Sought::Found(_)));
    }

    #[test]
    fn a_scroll_is_done_on_its_list_in_a_direction_that_is_not_offered_any_more() {
        let list = Widget {
            class: "androidx.recyclerview.widget.RecyclerView".into(),
            flags: Flags::SCROLLABLE.set(Flags::ENABLED, true),
            ..button("rows", "", 0)
        };
        let row = |top| Widget { depth: 1, ..button("", "Row", top) };
        let now = screen(vec![list.clone(), row(0), row(10)]);
        for towards in Direction::ALL {
            let on = Target::new(&now.widgets()[0], "0", Arc::default());
            let action = Action::Stroke(Stroke::Scroll, on, towards);
            assert_eq!(seek(&now, &action, None), Sought::Found(action.clone()), "{towards:?}");
            let around = Around::of(&now, &action);
            assert_eq!(seek(&now, &action, around.as_ref()), Sought::Found(action), "{towards:?}");
        }
        let fixed = Widget { flags: Flags::ENABLED, ..list.clone() };
        let on = Target::new(&list, "0", Arc::default());
        let action = Action::Stroke(Stroke::Scroll, on, Direction::Down);
        assert!(matches!(seek(&screen(vec![fixed]), &action, None), Sought::Missing(_)));
    }

    #[test]
    fn what_is_there_and_takes_no_click_is_the_nearest() {
        let dead = Widget { flags: Flags::default(), ..button("save", "Save", 0) };
        assert_eq!(found((vec![button("save", "Save", 0)], 0), vec![dead]), Err(Some("0".into())));
    }
}
