//! The embedded device: runs an app model with a virtual clock and with chance from a seed.

mod alike;
pub mod apk;
mod caret;
mod chance;
mod crash;
mod effects;
mod evaluate;
pub mod fate;
mod gestures;
mod hand;
mod layout;
mod life;
pub mod map;
mod memo;
pub mod model;
mod read;
mod render;
mod simulator;
mod state;
#[cfg(test)]
mod tests;
mod touch;

pub(crate) use caret::Edit;
pub(crate) use hand::Windows;
pub use read::{BYTES_MAX, Read, SetError, is_model, read};
pub(crate) use render::LAUNCHER;
pub use render::shown_places;
pub use simulator::{Sim, SimOutcome, Snapshot};
