//! What is kept: files that are written whole or not at all.
//!
//! A process may be killed at any moment and a disk be full at any call; what was there before stays as it was, byte for
//! byte. Whether to go on when nothing can be written is for the shell to say.

pub mod disk;
mod file;

pub use file::{WriteError, write, write_on};
