//! What a command reads and writes.

use std::sync::Arc;

/// How many bytes commands write at most; what is beyond is lost.
pub(super) const OUTPUT_MAX: usize = 16 << 20;

/// What is still to be read.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    bytes: Arc<[u8]>,
    at: usize,
}

impl Input {
    pub fn new(bytes: &[u8]) -> Input {
        Input { bytes: bytes.into(), at: 0 }
    }

    /// Takes all that is left.
    pub fn rest(&mut self) -> &[u8] {
        let from = std::mem::replace(&mut self.at, self.bytes.len());
        &self.bytes[from..]
    }

    /// Takes so many bytes, or all that are left.
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
    /// Whether both go to one place: then all is in `out`, in its order.
    pub is_joined: bool,
    /// How many bytes were read and written, as far as nobody has counted them yet.
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

    /// Writes a line.
    pub fn say(&mut self, line: &str) {
        self.write(line.as_bytes());
        self.write(b"\n");
    }

    /// Complains in a line, and gives the exit code of what failed.
    pub fn complain(&mut self, line: &str) -> u8 {
        self.write_err(line.as_bytes());
        self.write_err(b"\n");
        1
    }

    /// Writes to where complaints go.
    pub fn write_err(&mut self, bytes: &[u8]) {
        self.moved = self.moved.saturating_add(bytes.len());
        add(if self.is_joined { &mut self.out } else { &mut self.err }, bytes);
    }

    /// The same streams for another command, with this input.
    pub fn inner(&self, input: Input) -> Io {
        Io { is_joined: self.is_joined, ..Io::new(input, self.folder.clone()) }
    }

    /// The path that a word means.
    pub fn path(&self, word: &str) -> String {
        super::files::resolved(&self.folder, word)
    }
}

/// Adds bytes as far as there is room for them.
pub(super) fn add(to: &mut Vec<u8>, bytes: &[u8]) {
    let room = OUTPUT_MAX.saturating_sub(to.len());
    to.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

/// The start of a text, at most so many bytes.
pub(super) fn cut(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
