//! Typed text: the fields of a screen that show what the run itself has typed.
//!
//! Text that a run types is no evidence of what the app does, so formulas read past it. [`mark`] says which fields show
//! such text. It needs the marked screen before the action, the action, and the screen after it, and no other memory: so
//! searches, replays and exhaustive searches mark alike, in any order.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::action::Action;
use super::screen::{Flags, Screen, Widget};
use super::user_action::Gesture;

/// Worth of typed text to the atoms of a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypedText {
    /// A field meets no comparison of `text` while it shows typed text, except in an atom that speaks of the field.
    #[default]
    IsNoEvidence,
    /// Typed text counts like any other.
    Counts,
}

/// Returns the places of the fields on `after` that show typed text: those that `action` has typed into, and those
/// that were marked on `before` and show the same text still.
///
/// The mark of a field ends when the field shows another text or is not on the screen. It ends with another activity
/// in front, with a dialog that hides the field, and with a display that shows nothing. Text that comes back later is
/// the app's, as the app has kept it.
pub fn mark(before: &Screen, action: &Action, after: &Screen) -> Vec<usize> {
    let (old, new) = (fields(before), fields(after));
    let is_same_window = before.activity() == after.activity() && before.package() == after.package();
    let typed = Typed::of(action);
    let place_before =
        |at: usize| is_same_window.then(|| same_field(after, &new, at, before, &old)).flatten();
    let was_typed = |was: Option<&Widget>| was.is_some_and(|was| was.flags.has(Flags::TYPED));
    let is_explained = |at: usize| {
        let was = place_before(at).map(|place| &before.widgets()[place]);
        typed.as_ref().is_some_and(|typed| typed.explains(was, was_typed(was), &after.widgets()[at]))
    };
    let target = match action {
        Action::Text { on, .. } => place_of(before, &on.object_id),
        // The gestures of a user's action may lead to any field.
        Action::User { .. }
        | Action::Reinitialise(_)
        | Action::Touch(..)
        | Action::Stroke(..)
        | Action::Device(_) => None,
    };
    let reached =
        new.iter().copied().find(|&at| target.is_some() && place_before(at) == target && is_explained(at));
    let is_reached = |at: usize| match (reached, action) {
        // The letters have come to their field, so any other field has its text from the app.
        (Some(field), _) => at == field,
        (None, Action::User { .. }) if place_before(at).is_some() => is_explained(at),
        // A tap may open a search field of its own, which takes the letters then.
        (None, _) => after.widgets()[at].flags.has(Flags::FOCUSED) && is_explained(at),
    };
    let is_marked = |&at: &usize| {
        let was = place_before(at).map(|place| &before.widgets()[place]);
        let stays = was_typed(was) && was.is_some_and(|was| was.text == after.widgets()[at].text);
        stays || is_reached(at)
    };
    new.iter().copied().filter(is_marked).collect()
}

/// Returns the place of the widget with this object id.
fn place_of(screen: &Screen, object_id: &str) -> Option<usize> {
    let mut found = None;
    screen.for_each_object(|at, _, id| {
        if id == object_id {
            found = Some(at);
        }
    });
    found
}

/// Returns the places of the fields of a screen.
fn fields(screen: &Screen) -> Vec<usize> {
    let all = screen.widgets().iter().enumerate();
    all.filter(|(_, widget)| widget.flags.has(Flags::EDITABLE)).map(|(at, _)| at).collect()
}

/// Returns the place on `other` of the field at `at`: the one with the same class and id that is as far down among its
/// like, where both screens have as many of them, else the one at the same object id.
fn same_field(screen: &Screen, all: &[usize], at: usize, other: &Screen, others: &[usize]) -> Option<usize> {
    let field = &screen.widgets()[at];
    let is_alike = |widget: &Widget| widget.class == field.class && widget.id == field.id;
    let alike = |screen: &Screen, all: &[usize]| -> Vec<usize> {
        all.iter().copied().filter(|&at| is_alike(&screen.widgets()[at])).collect()
    };
    let (here, there) = (alike(screen, all), alike(other, others));
    // A message that appears above a field moves its object id.
    if here.len() == there.len() {
        return here.iter().position(|&place| place == at).map(|number| there[number]);
    }
    let place = place_of(other, &screen.object_id(at))?;
    there.contains(&place).then_some(place)
}

/// Letters that an action types.
struct Typed {
    text: String,
    /// True if the action replaces all that the field has.
    is_whole: bool,
}

impl Typed {
    /// Returns the letters that `action` types; none if it changes no text of a field.
    fn of(action: &Action) -> Option<Typed> {
        match action {
            Action::Text { text, .. } => Some(Typed { text: text.to_string(), is_whole: true }),
            Action::User { action, .. } => {
                let pieces = action.gestures.iter().filter_map(|gesture| match gesture {
                    Gesture::Text(text) => Some(&**text),
                    // A key may delete letters that were typed before.
                    Gesture::Key(_) => Some(""),
                    Gesture::Tap(_) | Gesture::LongTap(_) | Gesture::Swipe { .. } | Gesture::Wait { .. } => {
                        None
                    }
                });
                let pieces: Vec<&str> = pieces.collect();
                (!pieces.is_empty()).then(|| Typed { text: pieces.concat(), is_whole: false })
            }
            Action::Reinitialise(_) | Action::Touch(..) | Action::Stroke(..) | Action::Device(_) => None,
        }
    }

    /// Returns true if typing makes a field that was like `was` show what `field` shows.
    fn explains(&self, was: Option<&Widget>, was_typed: bool, field: &Widget) -> bool {
        let before = was.map_or("", |was| &*was.text);
        let after = &*field.text;
        if self.is_whole && after == self.text {
            return true;
        }
        if before == after {
            return false;
        }
        // Dots stand for the letters, so their number alone can be compared.
        if field.flags.has(Flags::PASSWORD) && !self.text.is_empty() && !after.is_empty() {
            return true;
        }
        // A field may take the first letters alone, and a phone appends, or inserts where the cursor is.
        let part = changed(before, after);
        let is_typed = |part: &str| !part.is_empty() && self.text.contains(part);
        is_typed(after) || is_typed(part) || (part.is_empty() && was_typed)
    }
}

/// Returns the part of `after` between the letters at the start and at the end that it shares with `before`.
fn changed<'a>(before: &str, after: &'a str) -> &'a str {
    let shared = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
    };
    let start = shared(&mut before.chars().zip(after.chars()));
    let (before, after) = (&before[start..], &after[start..]);
    let end = shared(&mut before.chars().rev().zip(after.chars().rev()));
    &after[..after.len() - end]
}

/// Most widgets of the screens that a [`Marker`] keeps, some 40 MB.
const WIDGETS_KEPT_MAX: usize = 200_000;

/// Marks the screens of runs, and gives the same screen again for the same marks.
#[derive(Clone, Debug, Default)]
pub struct Marker {
    /// Marked screens by the address of the screen as the device gave it.
    marked: FxHashMap<usize, Kept>,
    /// Steps by the addresses of the screens before and after them.
    steps: FxHashMap<(usize, usize), Steps>,
    /// Widgets of all screens that are kept.
    weight: usize,
}

/// A screen as the device gave it, and the same with marks at some places.
#[derive(Clone, Debug)]
struct Kept {
    screen: Arc<Screen>,
    marked: Vec<(Vec<usize>, Arc<Screen>)>,
}

/// The object id of a field, and the text that is typed into it.
type Entry = (Arc<str>, Arc<str>);

/// The marked screens after the steps from one screen to another: by the field and its text for those that typed one.
#[derive(Clone, Debug)]
struct Steps {
    /// Kept so that no other screens can come to lie at their addresses.
    _screens: [Arc<Screen>; 2],
    results: Vec<(Option<Entry>, Arc<Screen>)>,
}

impl Marker {
    /// Returns `after` as a run has it: with marks on the fields that show typed text. `before` is the marked screen
    /// before `action`; there is none before the app is started.
    #[inline]
    pub fn mark(&mut self, before: Option<&Arc<Screen>>, action: &Action, after: Arc<Screen>) -> Arc<Screen> {
        let can_type = matches!(action, Action::Text { .. } | Action::User { .. });
        match before {
            // Most runs type nothing, and their screens are as the device gave them.
            Some(before) if can_type || before.has_typed() => self.mark_step(before, action, after),
            Some(_) | None => after,
        }
    }

    fn mark_step(&mut self, before: &Arc<Screen>, action: &Action, after: Arc<Screen>) -> Arc<Screen> {
        let typed = match action {
            // A start may be followed by tests that set the app up: their device has marked what they typed.
            Action::Reinitialise(_) => return after,
            Action::User { .. } => return self.mark_anew(before, action, after),
            Action::Text { on, text } => Some((&on.object_id, text)),
            Action::Touch(..) | Action::Stroke(..) | Action::Device(_) => None,
        };
        let key = (Arc::as_ptr(before) as usize, Arc::as_ptr(&after) as usize);
        if let Some(Steps { results, .. }) = self.steps.get(&key) {
            let known =
                results.iter().find(|(known, _)| known.as_ref().map(|(on, text)| (on, text)) == typed);
            if let Some((_, marked)) = known {
                return marked.clone();
            }
        }
        self.make_room();
        let marked = self.mark_anew(before, action, after.clone());
        self.weight += 8 + before.weight() + after.weight();
        let none = || Steps { _screens: [before.clone(), after], results: Vec::new() };
        let typed = typed.map(|(on, text)| (on.clone(), text.clone()));
        self.steps.entry(key).or_insert_with(none).results.push((typed, marked.clone()));
        marked
    }

    /// Forgets all if too much is kept.
    fn make_room(&mut self) {
        if self.weight >= WIDGETS_KEPT_MAX {
            *self = Marker::default();
        }
    }

    #[cold]
    fn mark_anew(&mut self, before: &Screen, action: &Action, after: Arc<Screen>) -> Arc<Screen> {
        let places = mark(before, action, &after);
        self.marked(after, places)
    }

    /// Returns `screen` with marks at `places`.
    pub fn marked(&mut self, screen: Arc<Screen>, places: Vec<usize>) -> Arc<Screen> {
        if places.is_empty() && !screen.has_typed() {
            return screen;
        }
        self.make_room();
        // The screen is kept, so that no other one can come to lie at the same address.
        let address = Arc::as_ptr(&screen) as usize;
        let kept = self.marked.entry(address).or_insert_with(|| Kept { screen, marked: Vec::new() });
        if let Some((_, marked)) = kept.marked.iter().find(|(at, _)| *at == places) {
            return marked.clone();
        }
        self.weight += 8 + 2 * kept.screen.weight();
        let marked = Arc::new(kept.screen.with_typed(&places));
        kept.marked.push((places, marked.clone()));
        marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{ActionTypes, Atom, Comparison, Constant, Context, Key, Op, Target, UserAction};

    fn widget(depth: u16, class: &str, id: &str, text: &str) -> Widget {
        let flags = Flags::default().set(Flags::EDITABLE, class == "EditText");
        Widget { depth, class: class.into(), id: id.into(), text: text.into(), flags, ..Widget::default() }
    }

    fn screen(activity: &str, widgets: &[(&str, &str, &str)]) -> Screen {
        let widgets = widgets.iter().map(|(class, id, text)| widget(0, class, id, text)).collect();
        Screen::new("a", activity, Context::default(), widgets)
    }

    fn typing(screen: &Screen, at: usize, text: &str) -> Action {
        let on = Target::new(&screen.widgets()[at], &screen.object_id(at), "".into());
        Action::Text { on, text: text.into() }
    }

    const EMPTY: [(&str, &str, &str); 2] = [("EditText", "name", ""), ("EditText", "mail", "x")];

    /// Checks the marks after typing "Hello" into the first field of [`EMPTY`].
    #[track_caller]
    fn check(after: &[(&str, &str, &str)], expected: &[usize]) {
        let before = screen("a.Main", &EMPTY);
        assert_eq!(mark(&before, &typing(&before, 0, "Hello"), &screen("a.Main", after)), expected);
    }

    /// Checks the marks after back, where the first field of the screen before shows the typed "Hello".
    #[track_caller]
    fn check_later(activity: &str, after: &[(&str, &str, &str)], expected: &[usize]) {
        let before =
            screen("a.Main", &[("EditText", "", "Hello"), ("EditText", "", "Hello")]).with_typed(&[0]);
        assert_eq!(mark(&before, &Action::BACK, &screen(activity, after)), expected);
    }

    #[test]
    fn a_field_is_marked_by_the_text_that_was_typed_into_it() {
        check(&[("EditText", "name", "Hello"), ("EditText", "mail", "x")], &[0]);
        check(&[("EditText", "name", "Hel"), ("EditText", "mail", "x")], &[0]);
        check(
            &[("TextView", "error", "Hello"), ("EditText", "name", "Hello"), ("EditText", "mail", "x")],
            &[1],
        );
    }

    #[test]
    fn what_typing_does_not_explain_is_the_apps() {
        check(&[("EditText", "name", "HELLO"), ("EditText", "mail", "x")], &[]);
        check(&[("EditText", "name", ""), ("EditText", "mail", "x")], &[]);
        check(&[("EditText", "name", ""), ("EditText", "mail", "Hello")], &[]);
        check(&[("TextView", "name", "Hello"), ("EditText", "mail", "x")], &[]);
    }

    #[test]
    fn a_mark_stays_until_the_text_changes_or_the_field_is_gone() {
        const FIELD: (&str, &str, &str) = ("EditText", "", "Hello");
        check_later("a.Main", &[FIELD, FIELD], &[0]);
        check_later("a.Main", &[("TextView", "", "!"), FIELD, FIELD], &[1]);
        check_later("a.Main", &[FIELD], &[0]);
        check_later("a.Main", &[("EditText", "", "Hello!"), FIELD], &[]);
        check_later("a.Main", &[("TextView", "", "Hello")], &[]);
        check_later("a.Other", &[FIELD, FIELD], &[]);
    }

    #[test]
    fn an_action_of_the_user_marks_what_its_letters_explain() {
        let gestures = vec![Gesture::Text("lo".into()), Gesture::Key(crate::gui::PressedKey::Delete)];
        let before = screen("a.Main", &[("EditText", "", "Hel"), ("EditText", "", "l")]).with_typed(&[1]);
        let on = Target::new(&before.widgets()[0], "0", "".into());
        let id = Comparison::new(Key::Id, Op::Equal, Constant::Text("a".into()), ActionTypes::Any);
        let atom = Atom::new(vec![id.expect("a comparison")]).expect("an atom");
        let own = UserAction { name: "own".into(), on: atom, gestures };
        let action = Action::User { action: Arc::new(own), on };
        for (one, other, expected) in [
            ("Hello", "l", &[0, 1][..]),
            ("Hell", "l", &[0, 1]),
            ("Hel", "", &[1]),
            ("He", "l", &[1]),
            ("Bye", "l", &[1]),
        ] {
            let after = screen("a.Main", &[("EditText", "", one), ("EditText", "", other)]);
            assert_eq!(mark(&before, &action, &after), expected, "{one:?} {other:?}");
        }
    }

    #[test]
    fn the_same_marks_on_the_same_screen_give_the_same_screen() {
        let before = Arc::new(screen("a.Main", &EMPTY));
        let after = Arc::new(screen("a.Main", &[("EditText", "name", "Hello"), ("EditText", "mail", "x")]));
        let action = typing(&before, 0, "Hello");
        let mut marker = Marker::default();
        let one = marker.mark(Some(&before), &action, after.clone());
        let other = marker.mark(Some(&one), &Action::BACK, after.clone());
        assert!(Arc::ptr_eq(&one, &other) && one.has_typed());
        assert_ne!(one.identity(), after.identity());
        assert!(Arc::ptr_eq(&marker.mark(Some(&before), &Action::BACK, after.clone()), &after));
    }
}
