//! The line to a phone: commands of its shell and files, each with a bound on its time.
//!
//! What a device asks of adb is this little, so that tests can stand in for it; [`Client`](super::Client) is the line that
//! goes through a server of adb.

use std::sync::Arc;
use std::time::Duration;

/// What a command gave back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// What it printed; of an old adb also what it complained of.
    pub stdout: Vec<u8>,
    /// What it complained of.
    pub stderr: Vec<u8>,
    /// Its exit status.
    pub code: u8,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The command has not reached the device.
    #[error("it cannot be reached: {why}")]
    Unreached {
        /// What is said of it.
        why: String,
    },
    /// The command may have run, and its answer is not whole.
    #[error("the connection ended before the answer did{}", .why.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    Lost {
        /// What had arrived until then.
        stdout: Vec<u8>,
        /// What is said of it, if anything is.
        why: Option<String>,
    },
    /// The command may have run, and no answer came in time.
    #[error("no answer after {waited_ms} ms; is it still connected?")]
    Silent {
        /// What had arrived until then.
        stdout: Vec<u8>,
        /// How long was waited.
        waited_ms: u64,
    },
    /// The answer is longer than any that is read.
    #[error("the answer is longer than {bytes_max} bytes")]
    Long {
        /// How long it may be.
        bytes_max: usize,
    },
    /// The command is longer than adb takes.
    #[error("the command has {bytes} bytes, and adb takes {bytes_max}")]
    Command {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        bytes_max: usize,
    },
    /// The device refused a file.
    #[error("a file was not taken: {why}")]
    File {
        /// What is said of it.
        why: String,
    },
}

impl LineError {
    /// What had arrived of an answer that did not come whole.
    pub fn partial(&self) -> &[u8] {
        match self {
            LineError::Lost { stdout, .. } | LineError::Silent { stdout, .. } => stdout,
            LineError::Unreached { .. }
            | LineError::Long { .. }
            | LineError::Command { .. }
            | LineError::File { .. } => &[],
        }
    }

    /// Whether asking again may help.
    pub fn is_passing(&self) -> bool {
        match self {
            LineError::Unreached { .. } | LineError::Lost { .. } | LineError::Silent { .. } => true,
            LineError::Long { .. } | LineError::Command { .. } | LineError::File { .. } => false,
        }
    }
}

/// A line to one device.
pub trait Line: Send {
    /// The serial number of the device.
    fn serial(&self) -> &str;

    /// Runs a line of the device's shell; what had arrived when something went wrong is in the error.
    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError>;

    /// Writes a file on the device.
    fn push(&mut self, bytes: Arc<[u8]>, to: &str, within: Duration) -> Result<(), LineError>;

    /// Waits until the device can be reached again, after an error: the server of adb may have ended, or the
    /// connection.
    fn recover(&mut self, within: Duration) -> Result<(), LineError>;
}
