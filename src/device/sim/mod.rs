//! The embedded device: an app model, run with a virtual clock and by chance from a seed.

pub mod apk;
mod chance;
mod effects;
mod evaluate;
mod layout;
mod life;
pub mod map;
mod memo;
pub mod model;
mod render;
mod simulator;
mod state;
mod touch;

pub use simulator::{Outcome, Sim, Snapshot};
