//! Action records: actions as they are remembered, compared and written down.
//!
//! An [`Action`] is performed now, on a widget at some place; its record makes it the same action the next time. A user's
//! action is known by its name and its gestures, so that a record is read without the file that declares the action.

use std::fmt;
use std::sync::Arc;

use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize};

use super::action::{Action, Argument, Direction, Target};
use super::action_type::ActionType;
use super::constant::quote;
use super::screen::Bounds;
use super::user_action::UserAction;

/// An action as it is remembered: its type, its widget wherever that lies, and its argument.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ActionRecord(Form);

/// A record as it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    #[serde(rename = "type")]
    action_type: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on: Option<Target>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    towards: Option<Direction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    activity: Option<Arc<str>>,
    /// Gestures of a user's action: with other gestures, an action of the same name has another record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    does: Option<Arc<str>>,
}

impl ActionRecord {
    /// Returns the record of `action`.
    pub fn new(action: &Action) -> ActionRecord {
        let mut form = Form {
            action_type: action.type_name().into(),
            // Bounds change with every scroll; the path and the names of the widget stay.
            on: action.target().map(|on| Target { bounds: Bounds::default(), ..on.clone() }),
            text: None,
            towards: None,
            activity: None,
            does: None,
        };
        match action.argument() {
            Argument::None => {}
            Argument::Activity(activity) => form.activity = Some(activity.clone()),
            Argument::Text(text) => form.text = Some(text.clone()),
            Argument::Towards(towards) => form.towards = Some(towards),
            Argument::Own(own) => form.does = Some(does(own)),
        }
        ActionRecord(form)
    }

    /// Returns true if `action` has this record.
    pub fn is(&self, action: &Action) -> bool {
        let ActionRecord(Form { action_type, on, text, towards, activity, does: gestures }) = self;
        let is_on = match (on, action.target()) {
            (Some(on), Some(other)) => {
                let Target { object_id, class, id, text, desc, below, bounds: _, is_cut: _ } = other;
                // What tells most widgets apart comes first.
                on.object_id == *object_id
                    && on.text == *text
                    && on.id == *id
                    && on.class == *class
                    && on.desc == *desc
                    && on.below == *below
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        let has_argument = match action.argument() {
            // Types are compared below, so the record has no argument either.
            Argument::None => true,
            Argument::Activity(other) => activity.as_ref() == Some(other),
            Argument::Text(other) => text.as_ref() == Some(other),
            Argument::Towards(other) => *towards == Some(other),
            Argument::Own(own) => gestures.as_ref() == Some(&does(own)),
        };
        is_on && has_argument && **action_type == *action.type_name()
    }

    /// Returns the number of bytes of its texts.
    pub fn bytes(&self) -> usize {
        // Each part is named, so that a new one is not forgotten here.
        let ActionRecord(Form { action_type, on, text, towards: _, activity, does }) = self;
        let of_target = |on: &Target| {
            let parts = [&on.object_id, &on.class, &on.id, &on.text, &on.desc, &on.below];
            parts.iter().map(|part| part.len()).sum()
        };
        let len = |text: &Arc<str>| text.len();
        action_type.len()
            + on.as_ref().map_or(0, of_target)
            + text.as_ref().map_or(0, len)
            + activity.as_ref().map_or(0, len)
            + does.as_ref().map_or(0, len)
    }
}

/// Printed as the action is.
impl fmt::Display for ActionRecord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ActionRecord(Form { action_type, on, text, towards, activity, does }) = self;
        out.write_str(action_type)?;
        if let Some(text) = text {
            write!(out, " {} into", quote(text))?;
        }
        if let Some(towards) = towards {
            write!(out, " {} on", towards.name())?;
        }
        if let Some(activity) = activity {
            write!(out, " {activity}")?;
        }
        let by = if does.is_some() { " on" } else { "" };
        on.as_ref().map_or(Ok(()), |on| write!(out, "{by} {on}"))
    }
}

/// Returns the gestures of a user's action, as they are written in a spec.
fn does(own: &UserAction) -> Arc<str> {
    let gestures: Vec<String> = own.gestures.iter().map(ToString::to_string).collect();
    gestures.join(", ").into()
}

impl<'de> Deserialize<'de> for ActionRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ActionRecord, D::Error> {
        let mut form = Form::deserialize(deserializer)?;
        let asked: &[&str] = match ActionType::parse(&form.action_type) {
            Some(ActionType::Start) => &["activity"],
            Some(ActionType::Touch(_)) => &["on"],
            Some(ActionType::Text) => &["on", "text"],
            Some(ActionType::Stroke(_)) => &["on", "towards"],
            Some(ActionType::Device(_)) => &[],
            // Any other type is one that the user has declared.
            None => &["on", "does"],
        };
        let is_there = [
            ("on", form.on.is_some()),
            ("text", form.text.is_some()),
            ("towards", form.towards.is_some()),
            ("activity", form.activity.is_some()),
            ("does", form.does.is_some()),
        ];
        for (key, is_there) in is_there {
            // A key too many is a mistake as well: no action would have the record.
            if is_there != asked.contains(&key) {
                let has = if is_there { "has no" } else { "needs" };
                return Err(de::Error::custom(format_args!("a `{}` {has} `{key}`", form.action_type)));
            }
        }
        // A file may say bounds; with them, the same action would have two records.
        if let Some(on) = &mut form.on {
            on.bounds = Bounds::default();
        }
        Ok(ActionRecord(form))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{Atom, DeviceAction, Stroke, Touch, UserAction};

    fn target(text: &str) -> Target {
        let bounds = Bounds::new(0, 0, 9, 9);
        Target { object_id: "0:1".into(), text: text.into(), bounds, ..Target::default() }
    }

    /// Returns actions of each type, no two of them the same.
    fn actions() -> Vec<Action> {
        let user =
            UserAction { name: "chessmove".to_string(), on: Atom::Checked(true), gestures: Vec::new() };
        let mut actions = vec![
            Action::Reinitialise("a.Main".into()),
            Action::Reinitialise("a.Other".into()),
            Action::click(target("b")),
            Action::Text { on: target("a"), text: "x".into() },
            Action::Text { on: target("a"), text: "".into() },
            Action::User { action: Arc::new(user), on: target("a") },
        ];
        actions.extend(Touch::ALL.iter().map(|&touch| Action::Touch(touch, target("a"))));
        for &stroke in Stroke::ALL {
            actions.extend(Direction::ALL.map(|towards| Action::Stroke(stroke, target("a"), towards)));
        }
        actions.extend(DeviceAction::ALL.iter().map(|&action| Action::Device(action)));
        actions
    }

    #[test]
    fn a_record_is_of_its_action_and_no_other_written_or_not() {
        for (at, action) in actions().iter().enumerate() {
            let record = ActionRecord::new(action);
            let text = serde_json::to_string(&record).expect("a record is JSON");
            assert_eq!(serde_json::from_str::<ActionRecord>(&text).expect(&text), record);
            for (other_at, other) in actions().iter().enumerate() {
                assert_eq!(record.is(other), at == other_at, "{record:?} {other:?}");
                assert_eq!(record == ActionRecord::new(other), at == other_at, "{record:?} {other:?}");
            }
        }
    }

    #[test]
    fn where_a_widget_lies_makes_no_difference() {
        let moved = Target { bounds: Bounds::new(5, 5, 6, 6), ..target("a") };
        assert!(ActionRecord::new(&Action::click(target("a"))).is(&Action::click(moved.clone())));
        let text = r#"{"type":"click","on":{"objectID":"0:1","text":"a","bounds":[5,5,6,6]}}"#;
        assert_eq!(
            serde_json::from_str::<ActionRecord>(text).expect("a record"),
            ActionRecord::new(&Action::click(moved))
        );
    }

    #[test]
    fn a_record_says_what_it_takes_and_no_more() {
        for (text, part) in [
            (r#"{"type":"click"}"#, "a `click` needs `on`"),
            (r#"{"type":"back","text":"a"}"#, "a `back` has no `text`"),
            (r#"{"type":"text","on":{"objectID":"0"}}"#, "a `text` needs `text`"),
            (r#"{"type":"reinitialise"}"#, "a `reinitialise` needs `activity`"),
            (r#"{"type":"scroll","on":{"objectID":"0"},"towards":"in"}"#, "unknown variant `in`"),
            (r#"{"type":"zap"}"#, "a `zap` needs `on`"),
            (r#"{"type":"click","on":{}}"#, "missing field `objectID`"),
            (r#"{"kind":"click"}"#, "unknown field `kind`"),
        ] {
            let error = serde_json::from_str::<ActionRecord>(text).expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
