//! The line to a phone: shell commands and files, each with a time limit.
//!
//! A device needs only this much of adb, so tests can replace it; [`Client`](super::Client) is the line through
//! an adb server.

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

/// The answer to a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Standard output; with an old adb also standard error.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Exit status.
    pub code: u8,
}

/// The reason there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The command has not reached the device.
    #[error("it cannot be reached: {why}")]
    Unreached {
        /// The reason.
        why: String,
    },
    /// The command may have run, and its answer is not whole.
    #[error("the connection ended before the answer did{}", .why.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    Lost {
        /// Output up to then.
        stdout: Vec<u8>,
        /// The reason, if one is known.
        why: Option<String>,
    },
    /// The command may have run, and no answer came in time.
    #[error("no answer after {waited_ms} ms; is it still connected?")]
    Silent {
        /// Output up to then.
        stdout: Vec<u8>,
        /// Time waited.
        waited_ms: u64,
    },
    /// The answer is too long.
    #[error("the answer is longer than {bytes_max} bytes")]
    Long {
        /// The limit.
        bytes_max: usize,
    },
    /// The command is longer than adb accepts.
    #[error("the command has {bytes} bytes, and adb takes {bytes_max}")]
    Command {
        /// Its length.
        bytes: usize,
        /// The limit.
        bytes_max: usize,
    },
    /// The device refused a file.
    #[error("a file was not taken: {why}")]
    File {
        /// The reason.
        why: String,
    },
    /// A transcript cannot be written, or answers nothing else than what was asked when it was recorded.
    #[error("{why}")]
    Transcript {
        /// The reason.
        why: String,
    },
}

impl LineError {
    /// Returns the output that arrived before the error.
    pub fn partial(&self) -> &[u8] {
        match self {
            LineError::Lost { stdout, .. } | LineError::Silent { stdout, .. } => stdout,
            LineError::Unreached { .. }
            | LineError::Long { .. }
            | LineError::Command { .. }
            | LineError::File { .. }
            | LineError::Transcript { .. } => &[],
        }
    }

    /// Returns true if asking again may help.
    pub fn is_passing(&self) -> bool {
        match self {
            LineError::Unreached { .. } | LineError::Lost { .. } | LineError::Silent { .. } => true,
            LineError::Long { .. }
            | LineError::Command { .. }
            | LineError::File { .. }
            | LineError::Transcript { .. } => false,
        }
    }
}

impl<L: Line + ?Sized> Line for Box<L> {
    fn serial(&self) -> &str {
        (**self).serial()
    }

    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError> {
        (**self).shell(command, within)
    }

    fn push(&mut self, bytes: Arc<[u8]>, to: &str, within: Duration) -> Result<(), LineError> {
        (**self).push(bytes, to, within)
    }

    fn recover(&mut self, within: Duration) -> Result<(), LineError> {
        (**self).recover(within)
    }

    fn exec(&mut self, command: &str, within: Duration) -> Result<Vec<u8>, LineError> {
        (**self).exec(command, within)
    }

    fn another(&self) -> Option<Box<dyn Line>> {
        (**self).another()
    }

    fn stream(&mut self, command: &str) -> Result<Stream, LineError> {
        (**self).stream(command)
    }
}

/// Output of a command that runs on.
pub struct Stream {
    /// Its bytes, as they come.
    pub read: Box<dyn Read + Send>,
    /// Ends the command, and the output with it.
    pub end: Box<dyn FnOnce() + Send>,
}

/// A line to one device.
pub trait Line: Send {
    /// Returns the serial number of the device.
    fn serial(&self) -> &str;

    /// Runs a shell command on the device. An error contains the output up to then.
    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError>;

    /// Writes a file on the device.
    fn push(&mut self, bytes: Arc<[u8]>, to: &str, within: Duration) -> Result<(), LineError>;

    /// Waits after an error until the device can be reached again: the adb server may have ended, or the
    /// connection.
    fn recover(&mut self, within: Duration) -> Result<(), LineError>;

    /// Runs a command on the device and returns its output byte for byte, whole or not. A line that carries texts alone,
    /// as that of a transcript, returns nothing.
    fn exec(&mut self, _command: &str, _within: Duration) -> Result<Vec<u8>, LineError> {
        Ok(Vec::new())
    }

    /// Returns another line to the same device, to be used beside this one. Only a line with a device at its end has one.
    fn another(&self) -> Option<Box<dyn Line>> {
        None
    }

    /// Starts a command that runs on, and returns its output.
    fn stream(&mut self, _command: &str) -> Result<Stream, LineError> {
        Err(LineError::Unreached { why: "this line carries whole answers alone".to_string() })
    }
}
