//! Streams of a command, and the texts that fit into them.

use std::sync::Arc;

use super::files::resolved;

/// Longest output of a command in bytes; the rest is lost.
pub(super) const OUTPUT_MAX: usize = 16 << 20;

/// Longest input in bytes that the phone itself takes: an APK or a pushed file.
pub(super) const STDIN_MAX: usize = 256 << 20;

/// Input still to be read.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    bytes: Arc<[u8]>,
    at: usize,
}

impl Input {
    pub fn new(bytes: &[u8]) -> Input {
        Input { bytes: bytes.into(), at: 0 }
    }

    /// Takes all remaining bytes.
    pub fn rest(&mut self) -> &[u8] {
        let from = std::mem::replace(&mut self.at, self.bytes.len());
        &self.bytes[from..]
    }

    /// Takes `length` bytes, or all remaining ones.
    pub fn take(&mut self, length: usize) -> &[u8] {
        let from = self.at;
        self.at = from.saturating_add(length).min(self.bytes.len());
        &self.bytes[from..self.at]
    }
}

impl From<Arc<[u8]>> for Input {
    fn from(bytes: Arc<[u8]>) -> Input {
        Input { bytes, at: 0 }
    }
}

/// The streams of a command, and the folder it runs in.
#[derive(Debug)]
pub(super) struct Io {
    pub input: Input,
    pub out: Vec<u8>,
    pub err: Vec<u8>,
    /// True if both outputs go to one place: then all output is in `out`, in its order.
    pub is_joined: bool,
    /// Bytes read and written since the shell last charged them to the line.
    pub moved: usize,
    pub folder: String,
}

impl Io {
    pub fn new(input: Input, folder: String) -> Io {
        Io { input, out: Vec::new(), err: Vec::new(), is_joined: false, moved: 0, folder }
    }

    pub fn write(&mut self, bytes: &[u8]) {
        self.moved = self.moved.saturating_add(bytes.len());
        add(&mut self.out, bytes);
    }

    /// Writes a line to the output.
    pub fn say(&mut self, line: &str) {
        self.write(line.as_bytes());
        self.write(b"\n");
    }

    /// Writes a line to the output and returns the exit code of success.
    pub fn answer(&mut self, line: &str) -> u8 {
        self.say(line);
        0
    }

    /// Writes a line to the errors and returns the exit code of failure.
    pub fn complain(&mut self, line: &str) -> u8 {
        self.write_err(line.as_bytes());
        self.write_err(b"\n");
        1
    }

    /// Writes to the errors.
    pub fn write_err(&mut self, bytes: &[u8]) {
        self.moved = self.moved.saturating_add(bytes.len());
        add(if self.is_joined { &mut self.out } else { &mut self.err }, bytes);
    }

    /// Returns streams for another command in the same folder, with this input.
    pub fn inner(&self, input: Input) -> Io {
        Io { is_joined: self.is_joined, ..Io::new(input, self.folder.clone()) }
    }

    /// Returns the path that a word of the command line means.
    pub fn path(&self, word: &str) -> String {
        resolved(&self.folder, word)
    }
}

/// Appends bytes as far as [`OUTPUT_MAX`] has room.
pub(super) fn add(to: &mut Vec<u8>, bytes: &[u8]) {
    // Silently: a command has no way to stop, and its reader has 16 MB.
    let room = OUTPUT_MAX.saturating_sub(to.len());
    to.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

/// Returns the start of a text, at most `bytes_max` bytes.
pub(super) fn cut(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns a word as it may stand in a message: a host may send megabytes as one.
pub(super) fn shown(word: &str) -> &str {
    cut(word, 200)
}
