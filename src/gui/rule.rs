//! Rules: actions that agents must never do to an app, and the texts that they type into certain fields.
//!
//! Rules restrict the actions that are offered. A kept run is replayed as it is.

use std::sync::Arc;

use super::action::Action;
use super::atom::Atom;
use super::label::{ActionTest, WidgetTest};
use super::screen::Widget;

/// A rule, as its user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Forbids actions: atoms about actions, each with true if it holds of them and false if it does not.
    Never(Vec<(Atom, bool)>),
    /// Restricts some fields to certain texts.
    Type {
        /// Text that may be typed.
        text: Arc<str>,
        /// Fields; always [`Atom::Widget`].
        into: Atom,
    },
}

/// Rules as tests.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    never: Vec<Never>,
    typed: Vec<(WidgetTest, Arc<str>)>,
}

/// Rule that forbids actions.
#[derive(Clone, Debug)]
struct Never {
    tests: Vec<(ActionTest, bool)>,
    written: Arc<str>,
}

impl Never {
    /// Returns none if an atom is about no action: without one of its tests the rule would forbid more than its user says.
    fn new(atoms: &[(Atom, bool)]) -> Option<Never> {
        let tests = atoms.iter().map(|(atom, holds)| Some((ActionTest::new(atom)?, *holds)));
        let written = atoms.iter().map(|(atom, holds)| format!("{}{atom}", if *holds { "" } else { "!" }));
        Some(Never {
            tests: tests.collect::<Option<Vec<_>>>()?,
            written: written.collect::<Vec<_>>().join(" & ").into(),
        })
    }

    fn forbids(&self, action: &Action) -> bool {
        self.tests.iter().all(|(test, holds)| test.holds(action) == *holds)
    }
}

impl Rules {
    /// Returns all of `rules` together. A rule that forbids by an atom about no action is left out.
    pub fn new(rules: &[Rule]) -> Rules {
        let mut all = Rules::default();
        for rule in rules {
            match rule {
                Rule::Never(atoms) => all.never.extend(Never::new(atoms)),
                Rule::Type { text, into } => {
                    all.typed.extend(WidgetTest::new(into).map(|into| (into, text.clone())));
                }
            }
        }
        all
    }

    /// Returns true if some actions are forbidden.
    pub fn forbid_some(&self) -> bool {
        !self.never.is_empty()
    }

    /// Returns true if `action` is forbidden.
    pub fn forbid(&self, action: &Action) -> bool {
        self.forbidding(action).is_some()
    }

    /// Returns the first rule that forbids `action`, as atoms.
    pub fn forbidding(&self, action: &Action) -> Option<&Arc<str>> {
        self.never.iter().find(|rule| rule.forbids(action)).map(|rule| &rule.written)
    }

    /// Returns the rules that forbid nothing.
    #[must_use]
    pub fn without_never(&self) -> Rules {
        Rules { never: Vec::new(), typed: self.typed.clone() }
    }

    /// Removes the forbidden ones from `actions`.
    pub fn leave_out(&self, actions: &mut Vec<Action>) {
        // Most runs have no such rule, and offers are made for each new screen.
        if self.forbid_some() {
            actions.retain(|action| !self.forbid(action));
        }
    }

    /// Returns true if `text` is that of some rule.
    pub fn say(&self, text: &str) -> bool {
        self.typed.iter().any(|(_, typed)| **typed == *text)
    }

    /// Returns the texts that rules allow for `widget`, which is at `object_id`: each once, in their order; empty if no
    /// rule is about it.
    pub fn texts(&self, widget: &Widget, object_id: &str) -> Vec<Arc<str>> {
        let mut texts: Vec<Arc<str>> = Vec::new();
        for (into, text) in &self.typed {
            if into.holds(widget, object_id) && !texts.contains(text) {
                texts.push(text.clone());
            }
        }
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{
        ActionTypes, Bounds, Comparison, Constant, Context, Flags, Key, Op, Repertoire, Screen, WidgetTest,
        offers,
    };

    fn atom(key: Key, op: Op, text: &str) -> Atom {
        let comparison = Comparison::new(key, op, Constant::Text(text.to_string()), ActionTypes::Any);
        Atom::new(vec![comparison.expect("a comparison")]).expect("an atom")
    }

    fn screen() -> Screen {
        let button = |text: &str| Widget {
            class: "android.widget.Button".into(),
            text: text.into(),
            flags: Flags::default().set(Flags::CLICKABLE, true).set(Flags::ENABLED, true),
            depth: 1,
            bounds: Bounds::new(0, 0, 10, 10),
            ..Widget::default()
        };
        let field = |id: &str| Widget {
            class: "android.widget.EditText".into(),
            id: id.into(),
            flags: Flags::default().set(Flags::EDITABLE, true).set(Flags::ENABLED, true),
            depth: 1,
            bounds: Bounds::new(0, 0, 10, 10),
            ..Widget::default()
        };
        let widgets = vec![
            Widget::default(),
            button("Save"),
            button("Log out"),
            field("p:id/mail"),
            field("p:id/name"),
        ];
        Screen::new("p", "p.A", Context::default(), widgets)
    }

    fn offered(rules: &[Rule]) -> Vec<String> {
        let repertoire = Repertoire {
            asked: vec!["asked".into()],
            rules: Rules::new(rules).into(),
            ..Repertoire::new(["asked", "abc"], &[], false)
        };
        offers(&screen(), &repertoire).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_forbidden_is_not_offered_and_all_else_is() {
        let log_out = Rule::Never(vec![
            (atom(Key::ActionType, Op::Equal, "click"), true),
            (atom(Key::ActionDetail, Op::Equal, "Log out"), true),
        ]);
        let all = offered(&[]);
        let left: Vec<String> = all.iter().filter(|action| *action != "click \"Log out\"").cloned().collect();
        assert_eq!(left.len() + 1, all.len());
        assert_eq!(offered(&[log_out]), left);
        let but_save = Rule::Never(vec![
            (atom(Key::ActionType, Op::Equal, "click"), true),
            (atom(Key::ActionDetail, Op::Equal, "Save"), false),
        ]);
        assert_eq!(offered(&[but_save]), left);
        let back = Rule::Never(vec![(atom(Key::ActionType, Op::Equal, "back"), true)]);
        assert!(!offered(&[back]).contains(&"back".to_string()));
    }

    #[test]
    fn a_field_with_a_rule_takes_its_texts_and_those_that_are_asked_for() {
        let mail = |text: &str| Rule::Type { text: text.into(), into: atom(Key::Id, Op::Equal, "mail") };
        let texts = |rules: &[Rule]| -> Vec<String> {
            offered(rules).into_iter().filter(|action| action.starts_with("text")).collect()
        };
        assert_eq!(
            texts(&[mail("a@b.c"), mail("asked"), mail("a@b.c")]),
            [
                "text \"a@b.c\" into #mail",
                "text \"asked\" into #mail",
                "text \"asked\" into #name",
                "text \"abc\" into #name"
            ]
        );
        assert_eq!(texts(&[]).len(), 4);
    }

    #[test]
    fn a_field_of_numbers_takes_no_other_text_unless_a_rule_says_so() {
        let texts = |class: &str, rules: &[Rule]| -> Vec<String> {
            let age = Widget {
                class: class.into(),
                id: "age".into(),
                flags: Flags::default().set(Flags::EDITABLE, true).set(Flags::ENABLED, true),
                bounds: Bounds::new(0, 0, 10, 10),
                ..Widget::default()
            };
            let screen = Screen::new("http://p", "/", Context::default(), vec![age]);
            let all = Repertoire::new(["abc", "-1.5", "", "1e"], &[], false);
            let repertoire = Repertoire { rules: Rules::new(rules).into(), ..all };
            let typed = offers(&screen, &repertoire).into_iter().filter_map(|action| {
                let Action::Text { text, .. } = action else { return None };
                Some(text.to_string())
            });
            typed.collect()
        };
        assert_eq!(texts("input spinbutton", &[]), ["-1.5", ""]);
        let rule = Rule::Type { text: "1e".into(), into: atom(Key::Id, Op::Equal, "age") };
        assert_eq!(texts("input spinbutton", &[rule]), ["1e"]);
        for class in ["input textbox", "div spinbutton", "android.widget.EditText"] {
            assert_eq!(texts(class, &[]).len(), 4, "{class}");
        }
    }

    #[test]
    fn a_field_takes_its_samples_too_unless_a_rule_says_so() {
        let texts = |rules: &[Rule]| -> Vec<String> {
            let repertoire =
                Repertoire { rules: Rules::new(rules).into(), ..Repertoire::new(["abc"], &[], false) };
            let screen = screen().with_samples(vec![(3, "a@b.c".into()), (4, "abc".into())]);
            let offers = offers(&screen, &repertoire).into_iter();
            offers.filter_map(|action| action.typed().map(|_| action.to_string())).collect()
        };
        let name = "text \"abc\" into #name";
        assert_eq!(texts(&[]), ["text \"abc\" into #mail", "text \"a@b.c\" into #mail", name]);
        let rule = Rule::Type { text: "x".into(), into: atom(Key::Id, Op::Equal, "mail") };
        assert_eq!(texts(&[rule]), ["text \"x\" into #mail", name]);
    }

    #[test]
    fn a_rule_about_something_else_says_nothing() {
        let on_screen = atom(Key::Activity, Op::Equal, "A");
        assert!(WidgetTest::new(&on_screen).is_none());
        let rules =
            [Rule::Never(vec![(on_screen.clone(), true)]), Rule::Type { text: "x".into(), into: on_screen }];
        assert_eq!(offered(&rules), offered(&[]));
    }
}
