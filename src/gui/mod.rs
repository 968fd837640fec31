//! What is seen and done on a screen: screens, actions, the atoms that hold of them, and the actions
//! a user declares.
//!
//! How atoms and actions are spelled in a file is for [`crate::spec`] to read; here they are
//! values that are checked, compared, and printed in one canonical way. What actions a screen offers
//! and which atoms hold is worked out here alone, so that all devices agree on it.

mod action;
mod atom;
mod deed;
mod habit;
mod hierarchy;
mod hint;
mod json;
mod label;
mod nearest;
mod offer;
mod outline;
mod paste;
mod rule;
mod screen;
mod seek;
mod shortfall;
mod user_action;
mod value;

pub use action::{Action, Direction, Target};
pub use atom::{
    ActionTypes, Atom, BUILTIN_ACTION_TYPES, Comparison, Key, Kind, Mistake, Op, Part, START_TYPE,
};
pub use deed::Deed;
pub use habit::{Habit, habit};
pub use hierarchy::{DUMP_BYTES_MAX, DumpError, Hierarchy, Refusal};
pub use hint::Hints;
pub use label::{ActionTest, Labeller, WidgetTest};
pub(crate) use nearest::nearest;
pub use offer::{BUILTIN_TEXTS, Capabilities, Repertoire, offers};
pub use outline::Outline;
pub use paste::{atom_of_action, atoms_of_screen};
pub use rule::{Rule, Rules};
pub use screen::{Bounds, Context, Flags, Identity, Orientation, Screen, WIDGETS_MAX, Widget};
pub use seek::{Sought, seek};
pub use shortfall::shortfall;
pub use user_action::{Gesture, Percent, Point, PressedKey, UserAction, WAIT_MS_MAX};
pub(crate) use value::quote;
pub use value::{Number, Value, regex};
