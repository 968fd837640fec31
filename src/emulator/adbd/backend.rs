//! The phone behind the wire, as the wire sees it.
//!
//! [`Backend`] is all that the protocol asks of a phone; the rest of this file is the plain values it gives back. A test
//! writes a small one of its own.

use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Output and exit status of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Ran {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Exit status.
    pub code: u8,
}

/// Facts of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileStat {
    /// Type and rights, as `stat` has them: `0o100644` is a plain file.
    pub mode: u32,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last write, in seconds since 1970.
    pub mtime: u32,
}

/// A phone behind the wire. The caller serialises calls (a mutex), and calls return at once: time on a simulated
/// phone is virtual.
pub trait Backend: Send {
    /// Returns the banner's properties: `ro.product.name`, `ro.product.model`, `ro.product.device`.
    fn product(&self) -> [String; 3];

    /// Returns the features beyond the first protocol, separated by commas. A phone without features is old: it has
    /// no shell v2, no `cmd`, and short packets.
    fn features(&self) -> &'static str;

    /// Runs a command line of the shell with this standard input. A `logcat` that would follow prints the present
    /// log, and a server that would run on is started and reported by [`Backend::take_server`]: the wire keeps their
    /// streams open.
    fn shell(&mut self, line: &str, stdin: &[u8]) -> Ran;

    /// Runs a command line as [`Backend::shell`] does, for a stream that cannot tell the two outputs apart: all
    /// output is in `stdout`, in its order.
    fn shell_joined(&mut self, line: &str, stdin: &[u8]) -> Ran {
        let Ran { mut stdout, stderr, code } = self.shell(line, stdin);
        stdout.extend(stderr);
        Ran { stdout, stderr: Vec::new(), code }
    }

    /// Runs a command of a service, as `cmd` does, without a shell between.
    fn abb(&mut self, arguments: &[&str], stdin: &[u8]) -> Ran;

    /// Returns the facts of the file at `path`, if there is one.
    fn stat(&mut self, path: &str) -> Option<FileStat>;

    /// Returns the names in the folder at `path`, each with the facts of its file.
    fn list(&mut self, path: &str) -> Vec<(String, FileStat)>;

    /// Returns the bytes of the file at `path`, or the reason why it cannot be read.
    fn read(&mut self, path: &str) -> Result<Vec<u8>, String>;

    /// Writes a file and the folders above it, or returns the reason why it cannot. The `bytes` of a link are its
    /// target.
    fn write(&mut self, path: &str, mode: u32, mtime: u32, bytes: Vec<u8>) -> Result<(), String>;

    /// Returns the screen: width, height, and four bytes (red, green, blue, alpha) for each pixel.
    fn framebuffer(&mut self) -> (u32, u32, Vec<u8>);

    /// Returns the number of log entries ever written: a stream that follows the log reads it again when this grows.
    fn logged(&self) -> u64;

    /// Has commands read the log without the first `entries` ever written: a stream that follows the log has told those.
    fn skip_log(&mut self, _entries: u64) {}

    /// Draws the fault that strikes the command about to run; called once for each command.
    fn wire_fault(&mut self) -> Option<WireFault> {
        None
    }

    /// Returns the delay of the last answer on the host's clock; the next call starts from zero.
    fn take_lateness(&mut self) -> Duration {
        Duration::ZERO
    }

    /// Starts the phone afresh. The wire drops its connections.
    fn reboot(&mut self);

    /// Returns the running server that the last command started, if it started one: the server ends with its stream.
    fn take_server(&mut self) -> Option<u32> {
        None
    }

    /// Ends a server, as its stream was closed.
    fn end_server(&mut self, _pid: u32) {}

    /// Takes what a running server has printed since it was asked last.
    fn server_output(&mut self, _pid: u32) -> Vec<u8> {
        Vec::new()
    }

    /// Returns the last output and the status of a server that has ended; nothing while it runs.
    fn ended_server(&mut self, _pid: u32) -> Option<Ran> {
        None
    }

    /// Answers an HTTP request to a TCP port of the phone, if something listens there. An empty request only asks
    /// whether something does.
    fn tcp(&mut self, port: u16, request: &[u8]) -> Option<Vec<u8>>;
}

/// A fault of the wire with a service that a host opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFault {
    /// The connection ends before the command runs.
    DropBefore,
    /// The connection ends after the command has run and half of its answer is sent.
    DropAmid,
    /// The command runs, and its answer never comes.
    Stall,
    /// All connections end, and for a while there are no new ones.
    Offline,
    /// The stream is closed twice.
    CloseTwice,
}

/// A phone shared by its connections.
pub type Shared = Arc<Mutex<dyn Backend>>;
