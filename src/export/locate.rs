//! Locators: the names by which an exported test finds the widget of an action.
//!
//! A resource id is best, then a text, then a description. A locator has more than one of them only if one alone would
//! also fit another widget of the screen, and an index only if all of them would. A widget without a locator is found by
//! its place in the tree.

use crate::gui::Target;
use crate::test_case::{Shared, TestCase, TestSetUp};

/// Characters of a name; a longer text is content.
const NAME_CHARS_MAX: usize = 200;

/// Returns true if a format takes two names for the same.
pub(super) type IsSame = fn(&str, &str) -> bool;

/// The names that tell a widget apart. If there are none, its class and place must do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Locator<'a> {
    pub id: Option<&'a str>,
    pub text: Option<&'a str>,
    pub desc: Option<&'a str>,
    /// Number from 0 among the widgets that all these names fit.
    pub index: Option<u32>,
}

impl Locator<'_> {
    pub fn is_nameless(&self) -> bool {
        *self == Locator::default()
    }

    fn fits(&self, widget: &Target, is_same: IsSame) -> bool {
        let fits = |name: Option<&str>, other: &str| name.is_none_or(|name| is_same(name, other));
        fits(self.id, &widget.id) && fits(self.text, &widget.text) && fits(self.desc, &widget.desc)
    }
}

/// The widgets of a test.
pub(super) struct Known<'a> {
    widgets: Vec<&'a Target>,
    is_same: IsSame,
    /// True if the steps say which names their widgets share with others of the screen.
    has_shared: bool,
}

impl<'a> Known<'a> {
    pub fn new(test: &'a TestCase, is_same: IsSame) -> Known<'a> {
        Known {
            widgets: test.steps.iter().filter_map(|step| step.action.target()).collect(),
            is_same,
            // A test of format 1 does not say it, and takes its set-up from farlead.toml.
            has_shared: test.set_up != TestSetUp::OfProject,
        }
    }

    /// Returns the best locator for a touch of `widget`, whose names are `shared` with others of its screen. A touch of the
    /// words in a widget is one of the widget.
    pub fn locate_touched<'b>(&self, widget: &'b Target, shared: Shared) -> Locator<'b> {
        let words = widget.words_below().and_then(name);
        match (self.locate(widget, shared), words) {
            (locator, Some(_)) if !locator.is_nameless() => locator,
            (_, Some(words)) => Locator {
                text: Some(words),
                index: shared.text.map(|nth| nth.number - 1),
                ..Locator::default()
            },
            (locator, None) => locator,
        }
    }

    /// Returns the best locator of `widget`, whose names are `shared` with others of its screen.
    pub fn locate<'b>(&self, widget: &'b Target, shared: Shared) -> Locator<'b> {
        let (id, text, desc) = (name(&widget.id), name(&widget.text), name(&widget.desc));
        let all = |parts: &[Option<&str>]| parts.iter().all(Option::is_some);
        let candidates = [
            // Rows of a list share the ids that Android itself defines.
            (id.is_some_and(|id| !id.starts_with("android:id/")), Locator { id, ..Locator::default() }),
            (all(&[id, text]), Locator { id, text, ..Locator::default() }),
            (all(&[id, desc]), Locator { id, desc, ..Locator::default() }),
            (all(&[id, text, desc]), Locator { id, text, desc, index: None }),
            (all(&[text]), Locator { text, ..Locator::default() }),
            (all(&[desc]), Locator { desc, ..Locator::default() }),
            (all(&[text, desc]), Locator { text, desc, ..Locator::default() }),
            (all(&[id]), Locator { id, ..Locator::default() }),
        ];
        let whole = Locator { id, text, desc, index: None };
        let is_unique = |locator: &Locator<'_>| {
            if !self.has_shared {
                return !self
                    .widgets
                    .iter()
                    .any(|other| is_another(widget, other) && locator.fits(other, self.is_same));
            }
            // One name of its own is enough, and so are all its names if no other widget has them all.
            let is_own = |name: Option<&str>, shared: Option<_>| name.is_some() && shared.is_none();
            is_own(locator.id, shared.id)
                || is_own(locator.text, shared.text)
                || is_own(locator.desc, shared.desc)
                || (*locator == whole && shared.all.is_none())
        };
        let best = candidates.into_iter().find(|(is_there, locator)| *is_there && is_unique(locator));
        match (best, shared.all) {
            (Some((_, locator)), _) => locator,
            // Only a widget with names is counted among those that have them.
            (None, Some(nth)) if self.has_shared && !whole.is_nameless() => {
                Locator { index: Some(nth.number - 1), ..whole }
            }
            (None, _) => Locator::default(),
        }
    }
}

/// Returns `text` if it is fit for a name.
pub(super) fn name(text: &str) -> Option<&str> {
    (!text.trim().is_empty() && text.chars().nth(NAME_CHARS_MAX).is_none()).then_some(text)
}

/// Returns true if the two are surely not one widget at two times, or its counterpart on two screens.
fn is_another(one: &Target, two: &Target) -> bool {
    let has_other_names = one.id != two.id || one.class != two.class;
    // A text may change from screen to screen, so it tells widgets apart only together with the place.
    let says_otherwise = (&one.text, &one.desc) != (&two.text, &two.desc) && one.object_id != two.object_id;
    has_other_names || says_otherwise || are_rows(&one.object_id, &two.object_id)
}

/// Returns true if two places differ at one level of the tree alone, as for the same widget in two rows.
fn are_rows(one: &str, two: &str) -> bool {
    one.split(':').count() == two.split(':').count()
        && one.split(':').zip(two.split(':')).filter(|(one, two)| one != two).count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::Nth;

    fn widget(object_id: &str, id: &str, text: &str, desc: &str) -> Target {
        Target {
            object_id: object_id.into(),
            id: id.into(),
            text: text.into(),
            desc: desc.into(),
            ..Target::default()
        }
    }

    #[track_caller]
    fn check(of: &Target, others: &[Target], expected: [&str; 3]) {
        let widgets = others.iter().chain([of]).collect();
        let known = Known { widgets, is_same: |one, two| one == two, has_shared: false };
        let Locator { id, text, desc, index } = known.locate(of, Shared::default());
        assert_eq!([id, text, desc].map(Option::unwrap_or_default), expected);
        assert_eq!(index, None);
    }

    #[track_caller]
    fn check_shared(of: &Target, shared: Shared, expected: ([&str; 3], Option<u32>)) {
        // What other steps are done on says nothing of the screen of this one.
        let other = Target { object_id: "0:9".into(), ..of.clone() };
        let known = Known { widgets: vec![of, &other], is_same: |one, two| one == two, has_shared: true };
        let Locator { id, text, desc, index } = known.locate(of, shared);
        assert_eq!(([id, text, desc].map(Option::unwrap_or_default), index), expected);
    }

    #[test]
    fn a_name_that_is_alone_on_its_screen_is_enough_wherever_the_widget_is() {
        let nth = |number, of| Some(Nth { number, of });
        let row = widget("0:1:2", "a:id/row", "one", "");
        check_shared(&row, Shared::default(), (["a:id/row", "", ""], None));
        check_shared(&row, Shared { id: nth(3, 5), ..Shared::default() }, (["a:id/row", "one", ""], None));
        let text = Shared { id: nth(3, 5), text: nth(1, 2), ..Shared::default() };
        check_shared(&row, text, (["a:id/row", "one", ""], None));
        let all = Shared { all: nth(2, 2), ..text };
        check_shared(&row, all, (["a:id/row", "one", ""], Some(1)));
        let system = widget("0:1", "android:id/button1", "", "");
        check_shared(&system, Shared::default(), (["android:id/button1", "", ""], None));
        let saves = widget("0:1", "", "Save", "saves");
        let shared = Shared { text: nth(1, 3), ..Shared::default() };
        check_shared(&saves, shared, (["", "", "saves"], None));
        check_shared(
            &widget("0:1", "", "", ""),
            Shared { all: nth(1, 9), ..Shared::default() },
            (["", "", ""], None),
        );
    }

    #[test]
    fn words_in_a_nameless_widget_are_enough_to_touch_it() {
        let button = Target { below: "Save".into(), ..widget("0:1", "", "", "") };
        let known = Known { widgets: Vec::new(), is_same: |one, two| one == two, has_shared: true };
        let check = |of: &Target, shared: Shared, expected: (&str, Option<u32>)| {
            let Locator { id, text, desc, index } = known.locate_touched(of, shared);
            assert_eq!((id, text.unwrap_or_default(), desc, index), (None, expected.0, None, expected.1));
        };
        check(&button, Shared::default(), ("Save", None));
        let text = Some(Nth { number: 2, of: 3 });
        check(&button, Shared { text, ..Shared::default() }, ("Save", Some(1)));
        check(&Target { below: "Milk, 1 l".into(), ..button.clone() }, Shared::default(), ("", None));
        assert!(known.locate(&button, Shared::default()).is_nameless(), "no text is typed into words");
    }

    #[test]
    fn an_id_comes_first_and_then_a_text_and_a_description() {
        check(&widget("0:1", "a:id/b", "Save", "saves"), &[], ["a:id/b", "", ""]);
        check(&widget("0:1", "", "Save", "saves"), &[], ["", "Save", ""]);
        check(&widget("0:1", "", " ", "saves"), &[], ["", "", "saves"]);
        check(&widget("0:1", "", "", ""), &[], ["", "", ""]);
        check(&widget("0:1", "", &"long".repeat(100), ""), &[], ["", "", ""]);
    }

    #[test]
    fn what_rows_share_tells_none_of_them_apart() {
        let row = |at: &str, text: &str| widget(at, "a:id/row", text, "");
        check(&row("0:1:0", "one"), &[row("0:1:1", "two")], ["a:id/row", "one", ""]);
        check(&row("0:1:0", "one"), &[row("0:1:1", "one")], ["", "", ""]);
        check(&widget("0:1:0", "android:id/text1", "one", ""), &[], ["android:id/text1", "one", ""]);
        check(&widget("0:1", "", "one", "of all"), &[widget("0:2", "b", "one", "")], ["", "", "of all"]);
    }

    #[test]
    fn a_widget_that_changes_or_moves_to_another_screen_is_no_other() {
        let field = |text: &str| widget("0:3", "a:id/field", text, "");
        check(&field(""), &[field("abc")], ["a:id/field", "", ""]);
        check(
            &widget("0:3:1", "a:id/save", "Save", ""),
            &[widget("0:9", "a:id/save", "Save", "")],
            ["a:id/save", "", ""],
        );
    }
}
