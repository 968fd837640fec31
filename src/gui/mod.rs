//! What is seen and done on a screen, in the words of atoms, and the actions a user declares.
//!
//! How atoms and actions are spelled in a file is for [`crate::spec`] to read; here they are
//! values that are checked, compared, and printed in one canonical way.

mod atom;
mod nearest;
mod user_action;
mod value;

pub use atom::{
    ActionTypes, Atom, BUILTIN_ACTION_TYPES, Comparison, Key, Kind, Mistake, Op, Part, START_TYPE,
};
pub(crate) use nearest::nearest;
pub use user_action::{Gesture, Percent, Point, PressedKey, UserAction, WAIT_MS_MAX};
pub(crate) use value::quote;
pub use value::{Number, Value, regex};
