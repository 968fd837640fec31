//! The embedded device: an app model, run with a virtual clock and by chance from a seed.

pub mod apk;
pub mod map;
pub mod model;
mod read;

pub use read::{BYTES_MAX, Read, SetError, read};
