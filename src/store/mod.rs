//! The store: files that are written whole or not at all, folders of runs, and the paths of stored tests.
//!
//! A process may be killed at any moment and a disk be full at any call; existing files stay as they were, byte
//! for byte. The content of a test is defined in [`crate::test_case`] and the events of a run in
//! [`crate::event`]; the shell decides whether to go on when nothing can be written.

pub mod disk;
mod file;
mod join;
mod order;
mod outcomes;
mod place;
mod read;
mod runs;

pub use file::{Batch, Staged, WriteError, write, write_on};
pub use join::{Joined, join};
pub use order::{BYTES_MAX, LINE_MAX, OrderError, WIDGETS_MAX};
pub use outcomes::Outcomes;
pub use place::{Places, TESTS_FOLDER, place};
pub use read::{Events, ReadError, read, read_from};
pub use runs::{EVENTS_FILE, KEEP, RunError, RunWriter, Runs, ScreenNumbers};
