//! Actions as values.
//!
//! [`offers`](super::offers) says which of them a screen offers.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::action_type::{ActionType, DeviceAction, START_TYPE, Stroke, TEXT_TYPE, Touch};
use super::atom::Atom;
use super::constant::quote;
use super::element::short_class;
use super::naming::BETWEEN;
use super::screen::{Bounds, Widget, is_default};
use super::user_action::{Gesture, UserAction};

/// A direction on the display.
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

    /// Returns the direction of most of the way between two places, each from the left and from the top.
    pub fn between(from: (i32, i32), to: (i32, i32)) -> Direction {
        let (right, down) = (i64::from(to.0) - i64::from(from.0), i64::from(to.1) - i64::from(from.1));
        match (right.abs() > down.abs(), right > 0, down > 0) {
            (true, true, _) => Direction::Right,
            (true, false, _) => Direction::Left,
            (false, _, true) => Direction::Down,
            (false, _, false) => Direction::Up,
        }
    }

    /// Returns the direction back.
    pub fn opposite(self) -> Direction {
        match self {
            Direction::Up => Direction::Down,
            Direction::Down => Direction::Up,
            Direction::Left => Direction::Right,
            Direction::Right => Direction::Left,
        }
    }

    /// Returns the direction as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::Left => "left",
            Direction::Right => "right",
        }
    }

    /// Returns a line through the middle of `bounds` in this direction, over four fifths of their length.
    pub fn across(self, bounds: Bounds) -> ((i32, i32), (i32, i32)) {
        let (x, y) = bounds.centre();
        // Four times a length of 32 bits may be longer.
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

/// The widget that an action is done on, as it was when the action was offered.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// Path in the tree, see [`Screen::object_id`](super::Screen::object_id).
    #[serde(rename = "objectID")]
    pub object_id: Arc<str>,
    /// Class in full.
    #[serde(default, skip_serializing_if = "is_default")]
    pub class: Arc<str>,
    /// Resource id in full; may be empty.
    #[serde(default, skip_serializing_if = "is_default")]
    pub id: Arc<str>,
    /// Text; may be empty.
    #[serde(default, skip_serializing_if = "is_default")]
    pub text: Arc<str>,
    /// Content description; may be empty.
    #[serde(default, skip_serializing_if = "is_default")]
    pub desc: Arc<str>,
    /// Words of those in it that take no actions themselves; may be empty.
    #[serde(default, skip_serializing_if = "is_default")]
    pub below: Arc<str>,
    /// Pixels of the display that it covered.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bounds: Bounds,
    /// True if its text may lack its end, and its names their quotes, as in the logs of APE.
    #[serde(skip)]
    pub is_cut: bool,
}

impl Target {
    /// Returns `widget`, which is at `object_id` and has the words `below` in it, as a target.
    pub fn new(widget: &Widget, object_id: &str, below: Arc<str>) -> Target {
        Target {
            object_id: object_id.into(),
            class: widget.class.clone(),
            id: widget.id.clone(),
            text: widget.text.clone(),
            desc: widget.desc.clone(),
            below,
            bounds: widget.bounds,
            is_cut: false,
        }
    }

    /// Returns the entry name of its id: `save` of `org.notes:id/save`.
    pub fn id_entry(&self) -> &str {
        self.id.rsplit('/').next().unwrap_or(&self.id)
    }

    /// Returns the words below it if these are one text and its only name.
    pub fn words_below(&self) -> Option<&str> {
        let is_named = [&self.id, &self.text, &self.desc].iter().any(|name| !name.is_empty());
        Some(&*self.below).filter(|words| !is_named && !words.is_empty() && !words.contains(BETWEEN))
    }

    /// Returns its text, its description and the entry name of its id. A widget that has none of them is called by the
    /// words below it, in place of its text.
    pub fn names(&self) -> [&str; 3] {
        let own = [&*self.text, &self.desc, self.id_entry()];
        if own.iter().all(|name| name.trim().is_empty()) && !self.below.is_empty() {
            return [&self.below, "", ""];
        }
        own
    }
}

/// One thing done to an app. Actions that carry the same share a variant; [`ActionType`] tells them apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Starts the app afresh, as after an installation, with this launchable activity in full.
    Reinitialise(Arc<str>),
    /// A touch in the middle of a widget.
    Touch(Touch, Target),
    /// Replaces the text of a field.
    Text {
        /// Field.
        on: Target,
        /// New text.
        text: Arc<str>,
    },
    /// A touch that moves across a widget.
    Stroke(Stroke, Target, Direction),
    /// An action on the device.
    Device(DeviceAction),
    /// An action that the user has declared.
    User {
        /// Its declaration.
        action: Arc<UserAction>,
        /// Widget that its gestures are done on.
        on: Target,
    },
}

/// Part of an action besides its type and its widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument<'a> {
    /// Nothing.
    None,
    /// Activity that is started.
    Activity(&'a Arc<str>),
    /// Text that is typed.
    Text(&'a Arc<str>),
    /// Direction of a stroke.
    Towards(Direction),
    /// Declaration of a user's action, with its gestures.
    Own(&'a Arc<UserAction>),
}

impl Action {
    /// The key back.
    pub const BACK: Action = Action::Device(DeviceAction::Back);
    /// The key menu.
    pub const MENU: Action = Action::Device(DeviceAction::Menu);
    /// Turns the device, and back the next time.
    pub const ROTATE: Action = Action::Device(DeviceAction::Rotate);
    /// Connects the device to the network, or takes it off.
    pub const NETWORK: Action = Action::Device(DeviceAction::Network);
    /// Goes home, and back to the app.
    pub const PAUSE_RESUME: Action = Action::Device(DeviceAction::PauseResume);
    /// Waits for longer than the display stays lit.
    pub const IDLE: Action = Action::Device(DeviceAction::Idle);

    /// Returns a click on `on`.
    pub fn click(on: Target) -> Action {
        Action::Touch(Touch::Click, on)
    }

    /// Returns a wait of this many milliseconds, which touches nothing.
    pub fn wait(ms: u32) -> Action {
        let action = UserAction {
            name: "wait".to_string(),
            on: Atom::Widget(Vec::new()),
            gestures: vec![Gesture::Wait { ms }],
        };
        Action::User { action: Arc::new(action), on: Target::default() }
    }

    /// Returns its type; none for an action that the user has declared.
    pub fn builtin_type(&self) -> Option<ActionType> {
        match self {
            Action::Reinitialise(_) => Some(ActionType::Start),
            Action::Touch(touch, _) => Some(ActionType::Touch(*touch)),
            Action::Text { .. } => Some(ActionType::Text),
            Action::Stroke(stroke, ..) => Some(ActionType::Stroke(*stroke)),
            Action::Device(action) => Some(ActionType::Device(*action)),
            Action::User { .. } => None,
        }
    }

    /// Returns the name of its type, as `actionType` compares it.
    pub fn type_name(&self) -> &str {
        match self {
            Action::Reinitialise(_) => START_TYPE,
            Action::Touch(touch, _) => touch.name(),
            Action::Text { .. } => TEXT_TYPE,
            Action::Stroke(stroke, ..) => stroke.name(),
            Action::Device(action) => action.name(),
            Action::User { action, .. } => &action.name,
        }
    }

    /// Returns the widget it is done on.
    pub fn target(&self) -> Option<&Target> {
        match self {
            Action::Touch(_, on)
            | Action::Text { on, .. }
            | Action::Stroke(_, on, _)
            | Action::User { on, .. } => Some(on),
            Action::Reinitialise(_) | Action::Device(_) => None,
        }
    }

    /// Returns the part besides its type and its widget.
    pub fn argument(&self) -> Argument<'_> {
        match self {
            Action::Reinitialise(activity) => Argument::Activity(activity),
            Action::Text { text, .. } => Argument::Text(text),
            Action::Stroke(_, _, towards) => Argument::Towards(*towards),
            Action::User { action, .. } => Argument::Own(action),
            Action::Touch(..) | Action::Device(_) => Argument::None,
        }
    }

    /// Returns the text that is typed.
    pub fn typed(&self) -> Option<&str> {
        match self.argument() {
            Argument::Text(text) => Some(text),
            Argument::None | Argument::Activity(_) | Argument::Towards(_) | Argument::Own(_) => None,
        }
    }

    /// Returns the texts that `actionDetail` compares: an atom holds if it holds of any of them.
    pub fn details(&self) -> Vec<&str> {
        match self.argument() {
            Argument::Activity(text) | Argument::Text(text) => vec![text],
            Argument::Towards(towards) => vec![towards.name()],
            Argument::None | Argument::Own(_) => {
                // Only these have no argument, so the names of the widget are their details.
                let names = self.target().map(Target::names).into_iter().flatten();
                names.filter(|name| !name.is_empty()).collect()
            }
        }
    }

    /// Returns the first of [`Action::details`], the one that is printed; may be empty.
    pub fn detail(&self) -> &str {
        self.details().first().copied().unwrap_or_default()
    }
}

impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.type_name())?;
        match self.argument() {
            Argument::None => {}
            Argument::Activity(activity) => write!(out, " {activity}")?,
            Argument::Text(text) => write!(out, " {} into", quote(text))?,
            Argument::Towards(towards) => write!(out, " {} on", towards.name())?,
            Argument::Own(_) => write!(out, " on")?,
        }
        self.target().map_or(Ok(()), |on| write!(out, " {on}"))
    }
}

/// Printed by the first name that a person would use: text, description, words below, id, or class and path.
impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target { object_id, class, text, desc, below, .. } = self;
        // Blanks alone would be printed as an empty text.
        if !text.trim().is_empty() {
            write!(out, "{}", quote(text))
        } else if !desc.trim().is_empty() {
            write!(out, "{}", quote(desc))
        } else if !below.is_empty() {
            write!(out, "{}", quote(below))
        } else if !self.id.is_empty() {
            write!(out, "#{}", self.id_entry())
        } else {
            // The path tells it from others of its class.
            write!(out, "{} {object_id}", short_class(class))
        }
    }
}
