//! The wire of a phone: the device side of the adb protocol over TCP.
//!
//! A [`Server`] listens and gives each connection a [`link::Link`], which answers packets with packets; what a
//! command says, which files there are and what is on the screen is for the [`Phone`] behind it. Nothing here
//! knows apps. What comes in is bounded and never trusted: a host that breaks the protocol is closed.

pub mod auth;
mod held;
mod http;
pub mod link;
pub mod packet;
mod server;
mod service;
mod session;
mod stdin;
mod sync;

use std::time::Duration;

pub use auth::Auth;
pub use held::Budget;
pub use server::{Server, ServerError, Settings};

/// What a service gives back at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained of.
    pub stderr: Vec<u8>,
    /// Its exit status.
    pub code: u8,
}

/// What a phone knows of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStat {
    /// Type and rights, as `stat` has them: `0o100644` is a plain file.
    pub mode: u32,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written, in seconds since 1970.
    pub mtime: u32,
}

/// A phone behind the wire. Calls are serialised by the caller (a mutex), and come back at once: time on a
/// phone that is no real one is virtual.
pub trait Phone: Send {
    /// The device's banner properties: `ro.product.name`, `ro.product.model`, `ro.product.device`.
    fn product(&self) -> [String; 3];

    /// What it can do beyond the first protocol, names with commas between them. One that names nothing is old: it
    /// has no shell v2, no `cmd`, and short packets.
    fn features(&self) -> &'static str;

    /// Runs a command line of the shell with this standard input. A `logcat` that would follow prints what
    /// there is, and a server that would run on is started, and said by [`Phone::take_server`]: the wire keeps their
    /// streams open.
    fn shell(&mut self, line: &str, stdin: &[u8]) -> Ran;

    /// Runs a command line as [`Phone::shell`] does, for a stream that cannot tell the two outputs apart: all is in
    /// `stdout`, in its order.
    fn shell_joined(&mut self, line: &str, stdin: &[u8]) -> Ran {
        let Ran { mut stdout, stderr, code } = self.shell(line, stdin);
        stdout.extend(stderr);
        Ran { stdout, stderr: Vec::new(), code }
    }

    /// Runs a service's command, as `cmd` does, with its arguments as they are.
    fn abb(&mut self, arguments: &[&str], stdin: &[u8]) -> Ran;

    /// What is known of the file at `path`, if there is one.
    fn stat(&mut self, path: &str) -> Option<FileStat>;

    /// The names in the folder at `path`, each with what is known of it.
    fn list(&mut self, path: &str) -> Vec<(String, FileStat)>;

    /// What the file at `path` holds, or why it cannot be read.
    fn read(&mut self, path: &str) -> Result<Vec<u8>, String>;

    /// Writes a file and the folders above it, or says why it cannot. A link's `bytes` are where it leads.
    fn write(&mut self, path: &str, mode: u32, mtime: u32, bytes: Vec<u8>) -> Result<(), String>;

    /// The screen: width, height, and four bytes (red, green, blue, alpha) for each pixel.
    fn framebuffer(&mut self) -> (u32, u32, Vec<u8>);

    /// How many entries were ever logged: whoever follows the log looks again when there are more.
    fn logged(&self) -> u64;

    /// What goes wrong on the wire with a command that is about to run; asked once for each.
    fn wire_fault(&mut self) -> Option<WireFault> {
        None
    }

    /// For how long what was just done holds its answer up on the clock of the host; the next asks anew.
    fn take_lateness(&mut self) -> Duration {
        Duration::ZERO
    }

    /// Starts it afresh. The wire drops its connections.
    fn reboot(&mut self);

    /// The server that the command which just ran has started and that runs on, if it did: it ends with its stream.
    fn take_server(&mut self) -> Option<u32> {
        None
    }

    /// Ends a server, as its stream was closed.
    fn end_server(&mut self, _pid: u32) {}

    /// Answers an HTTP request to a TCP port of the phone, if something listens there. An empty request only
    /// asks whether anything does.
    fn tcp(&mut self, port: u16, request: &[u8]) -> Option<Vec<u8>>;
}

/// What goes wrong on the wire with a service that a host opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFault {
    /// The connection ends before anything was done.
    DropBefore,
    /// The connection ends when all is done and half of the answer is said.
    DropAmid,
    /// All is done, and no answer ever comes.
    Stall,
    /// All connections end, and for a while there are no new ones.
    Offline,
    /// The stream is closed twice.
    CloseTwice,
}

/// A phone as the connections share it.
pub type Shared = std::sync::Arc<std::sync::Mutex<dyn Phone>>;

#[cfg(test)]
mod fake;
