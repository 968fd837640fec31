//! What is done: actions as values.
//!
//! Which of them a screen offers is for [`offers`](super::offers) to say.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::atom::START_TYPE;
use super::json::is_default;
use super::screen::{Bounds, Widget};
use super::user_action::UserAction;
use super::value::quote;

/// A way on the display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

impl Direction {
    /// All directions.
    pub const ALL: [Direction; 4] = [Direction::Up, Direction::Down, Direction::Left, Direction::Right];

    /// The direction as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::Left => "left",
            Direction::Right => "right",
        }
    }

    /// A line through the middle of `bounds` in this direction, over four fifths of their length.
    pub fn across(self, bounds: Bounds) -> ((i32, i32), (i32, i32)) {
        let (x, y) = bounds.centre();
        let part = |length: u32| (u64::from(length) * 4 / 5) as i32;
        let (width, height) = (part(bounds.width()), part(bounds.height()));
        let ends = |middle: i32, length: i32| (middle - length / 2, middle - length / 2 + length);
        let ((left, right), (top, bottom)) = (ends(x, width), ends(y, height));
        match self {
            Direction::Up => ((x, bottom), (x, top)),
            Direction::Down => ((x, top), (x, bottom)),
            Direction::Left => ((right, y), (left, y)),
            Direction::Right => ((left, y), (right, y)),
        }
    }
}

/// The widget an action is done on, as it was when the action was offered.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Its place in the tree, see [`Screen::object_id`](super::Screen::object_id).
    #[serde(rename = "objectID")]
    pub object_id: Arc<str>,
    /// Its class in full.
    #[serde(default, skip_serializing_if = "is_default")]
    pub class: Arc<str>,
    /// Its resource id in full; may be empty.
    #[serde(default, skip_serializing_if = "is_default")]
    pub id: Arc<str>,
    /// Its text; may be empty.
    #[serde(default, skip_serializing_if = "is_default")]
    pub text: Arc<str>,
    /// Its content description; may be empty.
    #[serde(default, skip_serializing_if = "is_default")]
    pub desc: Arc<str>,
    /// Where it was seen.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bounds: Bounds,
}

impl Target {
    /// Returns `widget`, which is at `object_id`, as a target.
    pub fn new(widget: &Widget, object_id: &str) -> Target {
        Target {
            object_id: object_id.into(),
            class: widget.class.clone(),
            id: widget.id.clone(),
            text: widget.text.clone(),
            desc: widget.desc.clone(),
            bounds: widget.bounds,
        }
    }

    /// The entry name of its id: `save` of `org.notes:id/save`.
    pub fn id_entry(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or(&self.id)
    }

    /// Its text, its description and the entry name of its id.
    pub fn names(&self) -> [&str; 3] {
        [&self.text, &self.desc, self.id_entry()]
    }
}

/// Something that is done to an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Starts the app afresh, as after an installation, with this launchable activity in full.
    Reinitialise(Arc<str>),
    /// A short touch in the middle.
    Click(Target),
    /// A touch in the middle that is held.
    LongClick(Target),
    /// Puts `text` in place of what is in a field.
    Text {
        /// The field.
        on: Target,
        /// What it holds then.
        text: Arc<str>,
    },
    /// Shows what lies in this direction.
    Scroll {
        /// What is scrolled.
        on: Target,
        /// Where more is to be seen.
        towards: Direction,
    },
    /// A touch that moves across in this direction.
    Swipe {
        /// What is swiped.
        on: Target,
        /// Where the finger goes.
        towards: Direction,
    },
    /// The key back.
    Back,
    /// The key menu.
    Menu,
    /// Turns the device, and back the next time.
    Rotate,
    /// Connects the device to the network, or takes it off.
    Network,
    /// Home, and back to the app.
    PauseResume,
    /// Nothing, for longer than the display stays lit.
    Idle,
    /// An action of the user's own.
    User {
        /// What it is.
        action: Arc<UserAction>,
        /// Where it is done.
        on: Target,
    },
}

impl Action {
    /// Its type, as `actionType` compares it.
    pub fn type_name(&self) -> &str {
        match self {
            Action::Reinitialise(_) => START_TYPE,
            Action::Click(_) => "click",
            Action::LongClick(_) => "longclick",
            Action::Text { .. } => "text",
            Action::Scroll { .. } => "scroll",
            Action::Swipe { .. } => "swipe",
            Action::Back => "back",
            Action::Menu => "menu",
            Action::Rotate => "rotate",
            Action::Network => "network",
            Action::PauseResume => "pauseresume",
            Action::Idle => "idle",
            Action::User { action, .. } => &action.name,
        }
    }

    /// The widget it is done on.
    pub fn target(&self) -> Option<&Target> {
        match self {
            Action::Click(on)
            | Action::LongClick(on)
            | Action::Text { on, .. }
            | Action::Scroll { on, .. }
            | Action::Swipe { on, .. }
            | Action::User { on, .. } => Some(on),
            Action::Reinitialise(_)
            | Action::Back
            | Action::Menu
            | Action::Rotate
            | Action::Network
            | Action::PauseResume
            | Action::Idle => None,
        }
    }

    /// What is typed.
    pub fn typed(&self) -> Option<&str> {
        match self {
            Action::Text { text, .. } => Some(text),
            Action::Reinitialise(_)
            | Action::Click(_)
            | Action::LongClick(_)
            | Action::Scroll { .. }
            | Action::Swipe { .. }
            | Action::Back
            | Action::Menu
            | Action::Rotate
            | Action::Network
            | Action::PauseResume
            | Action::Idle
            | Action::User { .. } => None,
        }
    }

    /// What `actionDetail` compares: an atom holds if it does of any of these.
    pub fn details(&self) -> Vec<&str> {
        match self {
            Action::Reinitialise(activity) => vec![activity],
            Action::Text { text, .. } => vec![text],
            Action::Scroll { towards, .. } | Action::Swipe { towards, .. } => vec![towards.name()],
            Action::Click(on) | Action::LongClick(on) | Action::User { on, .. } => {
                on.names().into_iter().filter(|name| !name.is_empty()).collect()
            }
            Action::Back
            | Action::Menu
            | Action::Rotate
            | Action::Network
            | Action::PauseResume
            | Action::Idle => Vec::new(),
        }
    }

    /// The first of [`Action::details`], which is what is printed; may be empty.
    pub fn detail(&self) -> &str {
        self.details().first().copied().unwrap_or_default()
    }
}

impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.type_name())?;
        match self {
            Action::Reinitialise(activity) => write!(out, " {activity}"),
            Action::Text { on, text } => write!(out, " {} into {on}", quote(text)),
            Action::Scroll { on, towards } | Action::Swipe { on, towards } => {
                write!(out, " {} on {on}", towards.name())
            }
            Action::Click(on) | Action::LongClick(on) => write!(out, " {on}"),
            Action::User { on, .. } => write!(out, " on {on}"),
            Action::Back
            | Action::Menu
            | Action::Rotate
            | Action::Network
            | Action::PauseResume
            | Action::Idle => Ok(()),
        }
    }
}

/// Printed as people tell it from others: by its text, its description, its id, or its class and place.
impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target { object_id, class, text, desc, .. } = self;
        if !text.trim().is_empty() {
            write!(out, "{}", quote(text))
        } else if !desc.trim().is_empty() {
            write!(out, "{}", quote(desc))
        } else if !self.id.is_empty() {
            write!(out, "#{}", self.id_entry())
        } else {
            write!(out, "{} {object_id}", class.rsplit('.').next().unwrap_or(class))
        }
    }
}
