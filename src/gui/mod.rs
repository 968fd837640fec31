//! Screens, actions, the atoms that hold of them, and the actions that a user declares.
//!
//! [`crate::spec`] reads how atoms and actions are spelled in a file; here they are values that are checked, compared,
//! and printed in one canonical way. The actions that a screen offers and the atoms that hold are worked out here alone,
//! so that all devices agree on them.

mod action;
mod action_record;
mod action_type;
mod amount;
mod around;
mod atom;
mod code;
mod constant;
mod element;
mod field;
mod habit;
mod hierarchy;
mod hint;
mod json;
mod label;
mod linked;
mod maestro;
mod naming;
mod nearest;
mod offer;
mod outline;
mod packed;
mod paste;
mod pattern;
mod picture;
mod quota;
mod rule;
mod sample;
mod screen;
mod scroll;
mod seek;
mod shortfall;
mod term;
mod text_form;
mod typed;
mod user_action;
mod words;

pub use action::{Action, Argument, Direction, Target};
pub use action_record::ActionRecord;
pub use action_type::{ActionType, DeviceAction, START_TYPE, Stroke, Touch};
pub use amount::{Amount, Numbered, ShownAmount};
pub use around::{Around, Nth, ToldBy};
pub use atom::{ActionTypes, Atom, Comparison, Key, Kind, Mistake, Op, Part};
pub(crate) use code::for_each_code;
pub(crate) use constant::opens_term;
pub use constant::{Constant, Number, regex};
pub use constant::{quote, quote_value};
pub use element::short_activity;
pub(crate) use element::{
    Element, element_class, is_button, is_option, is_radio, is_text_field, opens_list, short_class,
};
pub use field::{by_fit, misfits};
pub use habit::{Habit, habit};
pub use hierarchy::{DUMP_BYTES_MAX, DumpError, Hierarchy, Refusal};
pub use hint::Hints;
pub use label::{ActionTest, Labeller, Link, Reading, WidgetTest};
pub(crate) use nearest::nearest;
pub use offer::{BUILTIN_TEXTS, Capabilities, Repertoire, offers};
pub use outline::Outline;
pub use packed::PackedScreens;
pub use paste::{Pasted, atom_of_action, atom_of_widget, atoms_of_screen, atoms_of_widget};
pub use pattern::{Pattern, Relation};
pub use picture::{Picture, Pixels};
pub use quota::Quota;
pub use rule::{Rule, Rules};
pub(crate) use sample::samples_by_rules;
pub use screen::{
    Bounds, Context, Flags, Identity, Orientation, PageReport, Screen, WIDGETS_MAX, Widget, is_origin,
};
pub use seek::{Gap, Near, Sought, seek};
pub use shortfall::shortfall;
pub use term::Term;
pub(crate) use text_form::TextForm;
pub use typed::{Marker, TypedText, mark};
pub use user_action::{Gesture, Percent, Point, PressedKey, UserAction, WAIT_MS_MAX};
pub(crate) use words::words;
