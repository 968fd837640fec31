//! A command of farlead that the studio has started: the same program, as a user would type it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use farlead::device::writable_address;
use farlead::report::in_shell;
use serde_json::{Value, json};

use super::Incoming;

/// Longest line that is handed on, in bytes.
const LINE_MAX: u64 = 1_000_000;
/// Bytes of lines that are handed on together.
const LINES_BYTES: usize = 64_000;
/// Bytes of the last lines that are kept for pages that join later.
const SAID_BYTES: usize = 1_000_000;

/// Stream of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Results.
    Out,
    /// Progress and messages.
    Err,
}

impl Stream {
    /// Returns its name for the page.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Out => "out",
            Stream::Err => "err",
        }
    }
}

/// Change of a command.
pub enum Change {
    /// It wrote lines.
    Lines(Stream, String),
    /// It ended, with this exit code if no signal ended it.
    Ended(Option<i32>),
}

/// Command that runs.
pub struct Job {
    /// Arguments as one types them.
    pub shown: String,
    child: Arc<Mutex<Child>>,
}

impl Job {
    /// Starts this program with `args`, which a person would type as `shown`; what it does is sent as events.
    pub fn start(args: Vec<OsString>, shown: String, sender: &Sender<Incoming>) -> io::Result<Job> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(&args)
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let readers =
            [out.map(|out| read(Stream::Out, out, sender)), err.map(|err| read(Stream::Err, err, sender))];
        let (waited, sender) = (child.clone(), sender.clone());
        thread::spawn(move || {
            for reader in readers.into_iter().flatten() {
                // A reader that panicked has said so.
                let _ = reader.join();
            }
            // Both streams have ended, so the wait is short and nobody waits for the lock.
            let status = waited.lock().unwrap_or_else(PoisonError::into_inner).wait();
            let _ =
                sender.send(Incoming::Changed(Change::Ended(status.ok().and_then(|status| status.code()))));
        });
        Ok(Job { shown, child })
    }

    /// Asks the command to end, with what it has found.
    pub fn stop(&self) {
        self.signal(Order::Stop);
    }

    /// Lets the command rest, or go on.
    pub fn pause(&self, rests: bool) {
        self.signal(if rests { Order::Rest } else { Order::GoOn });
    }

    #[cfg(unix)]
    fn signal(&self, order: Order) {
        use rustix::process::{Pid, Signal, kill_process};
        let signals: &[Signal] = match order {
            // One that rests would not hear it.
            Order::Stop => &[Signal::INT, Signal::CONT],
            Order::Rest => &[Signal::STOP],
            Order::GoOn => &[Signal::CONT],
        };
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        for &signal in signals {
            // One that has ended needs no signal.
            let _ = kill_process(Pid::from_child(&child), signal);
        }
    }

    #[cfg(not(unix))]
    fn signal(&self, order: Order) {
        if order == Order::Stop {
            // One that has ended needs no signal.
            let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).kill();
        }
    }
}

/// Lines and end of the last command, for pages that join later.
pub struct Said {
    /// Command as one types it.
    command: String,
    /// True while it rests.
    pub rests: bool,
    /// Its last lines.
    lines: VecDeque<(Stream, String)>,
    bytes: usize,
    /// End of it, once it has come.
    pub ended: Option<Value>,
}

impl Said {
    /// Returns that of a command which begins.
    pub fn of(command: String) -> Said {
        Said { command, rests: false, lines: VecDeque::new(), bytes: 0, ended: None }
    }

    /// Adds lines, and drops the first ones where there are too many.
    pub fn add(&mut self, stream: Stream, text: &str) {
        self.bytes += text.len();
        self.lines.push_back((stream, text.to_string()));
        while self.bytes > SAID_BYTES {
            let Some((_, first)) = self.lines.pop_front() else { break };
            self.bytes -= first.len();
        }
    }

    /// Returns all of it as the protocol has it.
    pub fn shown(&self) -> Value {
        let Said { command, rests, lines, ended, .. } = self;
        let line = |(stream, text): &(Stream, String)| json!({ "stream": stream.name(), "text": text });
        let lines: Vec<Value> = lines.iter().map(line).collect();
        json!({ "command": command, "rests": rests, "lines": lines, "ended": ended })
    }
}

/// Returns a command of farlead as one types it in a shell.
pub fn shown(args: &[OsString]) -> String {
    let written = |arg: &OsString| in_shell(&writable_address(&arg.to_string_lossy())).to_string();
    args.iter().fold("farlead".to_string(), |all, arg| format!("{all} {}", written(arg)))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Stop,
    Rest,
    GoOn,
}

/// Reads lines until the end, and sends as many at a time as there are.
fn read(
    stream: Stream,
    from: impl Read + Send + 'static,
    sender: &Sender<Incoming>,
) -> thread::JoinHandle<()> {
    let sender = sender.clone();
    thread::spawn(move || {
        let mut from = BufReader::with_capacity(LINES_BYTES, from);
        let mut lines = Vec::new();
        loop {
            let count = from.by_ref().take(LINE_MAX).read_until(b'\n', &mut lines).unwrap_or(0);
            // A command may write faster than a page reads.
            let waits = count > 0 && !from.buffer().is_empty() && lines.len() < LINES_BYTES;
            if !waits && !lines.is_empty() {
                let text = String::from_utf8_lossy(&std::mem::take(&mut lines)).trim_end().to_string();
                if sender.send(Incoming::Changed(Change::Lines(stream, text))).is_err() {
                    return;
                }
            }
            if count == 0 {
                return;
            }
        }
    })
}
