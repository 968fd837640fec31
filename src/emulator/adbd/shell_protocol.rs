//! The shell protocol: packets within a stream that keep a command's streams apart, in both directions.
//!
//! A stream of old has none: there the command's bytes are the stream's bytes. [`Form`] says which of the two a
//! service's stream is, and whether a terminal is at its other end.

use super::held::{Full, Held};

/// Longest piece of output in one packet of the shell protocol.
const PIECE_MAX: usize = 65_536;

const STDIN: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const EXIT: u8 = 3;
const CLOSE_STDIN: u8 = 4;

/// Form of a service's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub framing: Framing,
    pub screen: Screen,
}

/// Packets of the shell protocol, or bytes as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Bytes,
    Packets,
}

/// The other end of a shell's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Screen {
    None,
    Terminal,
}

impl Form {
    /// Bytes without a terminal, as `exec:` has it.
    pub const PLAIN: Form = Form { framing: Framing::Bytes, screen: Screen::None };

    /// Returns true if both outputs go to one place, in their order.
    pub fn joins_outputs(self) -> bool {
        self != Form { framing: Framing::Packets, screen: Screen::None }
    }
}

/// Writer of a service's output in the form of its stream.
pub(super) struct Voice<'a> {
    out: &'a mut Held,
    form: Form,
}

impl<'a> Voice<'a> {
    pub fn new(out: &'a mut Held, form: Form) -> Voice<'a> {
        Voice { out, form }
    }

    /// Writes to standard output.
    pub fn say(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.write(STDOUT, bytes)
    }

    /// Writes to standard error, if there is one.
    pub fn complain(&mut self, bytes: &[u8]) -> Result<(), Full> {
        // A terminal has one screen for both.
        let id = if self.form.screen == Screen::Terminal { STDOUT } else { STDERR };
        self.write(id, bytes)
    }

    /// Reports the exit status; a stream of bytes has no place for it.
    pub fn exit(&mut self, status: u8) -> Result<(), Full> {
        match self.form.framing {
            Framing::Packets => self.out.add(&[EXIT, 1, 0, 0, 0, status]),
            Framing::Bytes => Ok(()),
        }
    }

    fn write(&mut self, id: u8, bytes: &[u8]) -> Result<(), Full> {
        let on_terminal = (self.form.screen == Screen::Terminal).then(|| with_returns(bytes));
        let bytes = on_terminal.as_deref().unwrap_or(bytes);
        if self.form.framing == Framing::Bytes {
            return self.out.add(bytes);
        }
        for piece in bytes.chunks(PIECE_MAX) {
            let len = u32::try_from(piece.len()).expect("a piece is short");
            self.out.add(&[&[id][..], &len.to_le_bytes()].concat())?;
            self.out.add(piece)?;
        }
        Ok(())
    }
}

/// Returns `bytes` with a carriage return before each line feed: a terminal starts a line at the left only then.
fn with_returns(bytes: &[u8]) -> Vec<u8> {
    let returned =
        bytes.iter().flat_map(|byte| if *byte == b'\n' { &b"\r\n"[..] } else { std::slice::from_ref(byte) });
    returned.copied().collect()
}

/// Reader of the packets of the shell protocol, however they arrive.
#[derive(Debug, Default)]
pub(super) struct Packets {
    head: Vec<u8>,
    /// Bytes of the present packet still to come, once its head is complete.
    left: usize,
}

/// Meaning of the next bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    Input,
    End,
    Nothing,
}

impl Packets {
    const HEAD_LEN: usize = 5;

    /// Returns the next event and the number of bytes it takes; nothing if more must arrive first.
    pub fn next_event(&mut self, bytes: &[u8]) -> Option<(Event, usize)> {
        if self.head.len() < Packets::HEAD_LEN {
            if bytes.is_empty() {
                return None;
            }
            let len = bytes.len().min(Packets::HEAD_LEN - self.head.len());
            self.head.extend_from_slice(&bytes[..len]);
            if let [_, size @ ..] = &self.head[..]
                && let Some(size) = size.first_chunk()
            {
                // The head may arrive in pieces, so the length is known only when all of it is there.
                self.left = usize::try_from(u32::from_le_bytes(*size)).unwrap_or(usize::MAX);
            }
            return Some((Event::Nothing, len));
        }
        if self.left > 0 && bytes.is_empty() {
            return None;
        }
        // Input is passed on as it arrives: a packet that claims 4 GB needs no 4 GB here.
        let len = bytes.len().min(self.left);
        self.left -= len;
        let id = self.head[0];
        if self.left == 0 {
            self.head.clear();
        }
        match id {
            STDIN => Some((Event::Input, len)),
            // The end counts once its packet is complete, whatever content it claims.
            CLOSE_STDIN if self.left == 0 => Some((Event::End, len)),
            // The size of the window changes nothing, and an unknown packet is ignored.
            _ => Some((Event::Nothing, len)),
        }
    }
}
