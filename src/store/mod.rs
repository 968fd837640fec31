//! What is kept: files that are written whole or not at all, folders of runs, and where a stored test lies.
//!
//! A process may be killed at any moment and a disk be full at any call; what was there before stays as it was, byte for
//! byte. What is in a test is for [`crate::test_case`] to say, what happens in a run for [`crate::event`], and whether to go
//! on when nothing can be written for the shell.

pub mod disk;
mod file;
mod order;
mod place;
mod read;
mod runs;

pub use file::{WriteError, write, write_on};
pub use order::{BYTES_MAX, Fault, LINE_MAX, WIDGETS_MAX};
pub use place::{TESTS_FOLDER, place};
pub use read::{Events, ReadError, read, read_from};
pub use runs::{EVENTS_FILE, KEEP, RunError, RunWriter, Runs, ScreenNumbers};
