//! The embedded device: an app model, run with a virtual clock and by chance from a seed.

mod chance;
mod effects;
mod evaluate;
mod layout;
mod life;
mod memo;
pub mod model;
mod render;
mod simulator;
mod state;
mod touch;

pub use simulator::{Outcome, Sim, Snapshot};
