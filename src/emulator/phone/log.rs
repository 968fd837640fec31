//! The system's log: buffers of entries.

use std::collections::VecDeque;
use std::sync::Arc;

use super::io::cut;

/// Number of entries of a buffer at most; the oldest go first.
const ENTRIES_MAX: usize = 2_000;

/// Longest message in bytes, as on Android.
const MESSAGE_MAX: usize = 4_000;

/// An entry of the log.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Time since the phone was switched on.
    pub at_ms: u64,
    pub pid: u32,
    /// `V`, `D`, `I`, `W`, `E` or `F`.
    pub level: char,
    pub tag: Arc<str>,
    /// Text; may have several lines.
    pub message: String,
}

/// A buffer of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Buffer {
    Main,
    System,
    Crash,
}

impl Buffer {
    pub fn name(self) -> &'static str {
        match self {
            Buffer::Main => "main",
            Buffer::System => "system",
            Buffer::Crash => "crash",
        }
    }
}

/// The log: entries of all buffers, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    /// Each with its number, from 1.
    entries: VecDeque<(u64, Buffer, Entry)>,
    written: u64,
    /// Number of the last entry that readers skip.
    skipped: u64,
}

impl Log {
    pub fn add(&mut self, buffer: Buffer, mut entry: Entry) {
        let length = cut(&entry.message, MESSAGE_MAX).len();
        entry.message.truncate(length);
        // Each buffer has a limit of its own, so that a flood in one leaves a crash in another.
        if self.entries.iter().filter(|(_, other, _)| *other == buffer).count() >= ENTRIES_MAX
            && let Some(oldest) = self.entries.iter().position(|(_, other, _)| *other == buffer)
        {
            self.entries.remove(oldest);
        }
        self.written += 1;
        self.entries.push_back((self.written, buffer, entry));
    }

    /// Has readers skip the entries up to this number.
    pub fn skip(&mut self, number: u64) {
        self.skipped = number;
    }

    /// Returns the entries that are skipped, and those that are not, each the oldest first.
    pub fn entries(&self) -> [impl Iterator<Item = (Buffer, &Entry)>; 2] {
        let told = |is_skipped: bool| {
            let entries = self.entries.iter();
            entries.filter(move |(number, ..)| (*number <= self.skipped) == is_skipped)
        };
        [true, false].map(|is_skipped| told(is_skipped).map(|(_, buffer, entry)| (*buffer, entry)))
    }

    /// Returns the number of entries ever written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Removes the entries of the buffers that `is_meant` names.
    pub fn clear(&mut self, is_meant: impl Fn(Buffer) -> bool) {
        self.entries.retain(|(_, buffer, _)| !is_meant(*buffer));
    }
}
