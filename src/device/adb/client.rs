//! The line through an adb server, using the crate `adb_client`.
//!
//! Only the crate's server device is used, and its gaps are filled here. It returns no exit status, so each
//! command prints its own behind a mark, which also shows that the answer is whole. It has no time limit, so
//! calls run on a thread of their own; a call that takes too long is left behind with its thread, and the line
//! continues with a new one.

use std::io::{self, Cursor, Write};
use std::net::{Shutdown, SocketAddrV4};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use adb_client::server_device::ADBServerDevice;
use adb_client::{ADBDeviceExt, RustADBError};

use super::line::{Answer, Line, LineError, Stream};
use super::server::{DeviceState, Server, shown};

/// Most bytes of an answer: more than any dump that is read.
const ANSWER_BYTES_MAX: usize = 80 << 20;

/// Most bytes of a command: adb sends the length as four hexadecimal digits, with a few words before the
/// command.
const COMMAND_BYTES_MAX: usize = 60_000;

/// Most calls left behind; each holds a thread and a connection.
const LEFT_BEHIND_MAX: usize = 200;

/// The mark before the exit status of a command.
const STATUS: &str = "farlead-status:";

/// Pause between two checks if the device is back.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A line to a device through an adb server.
pub struct Client {
    server: Server,
    serial: String,
    worker: Option<Worker>,
    /// Number of calls left behind that have not returned.
    left_behind: Arc<AtomicUsize>,
}

/// A thread that calls `adb_client`.
struct Worker {
    jobs: Sender<Job>,
    done: Receiver<Result<(), RustADBError>>,
}

enum Job {
    Shell { command: String, out: Sink, err: Sink },
    Push { bytes: Arc<[u8]>, to: String },
    Exec { command: String, out: Sink },
}

/// An answer in arrival, readable at any time.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Counted here, because `adb_client` sets no bound.
        if held.len() + bytes.len() > ANSWER_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the answer is too long"));
        }
        held.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A sink of a thread of `adb_client`, which drops it at the end of the answer: its call returns before.
struct Ending {
    out: Sink,
    _ended: Sender<()>,
}

impl Write for Ending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Client {
    /// Returns a line to the device `serial` of a running `server`; sends nothing yet.
    pub fn new(server: Server, serial: &str) -> Client {
        Client { server, serial: serial.to_string(), worker: None, left_behind: Arc::default() }
    }

    /// Runs a job within a time limit; returns `None` if it takes longer.
    fn call(&mut self, job: Job, within: Duration) -> Result<Option<Result<(), RustADBError>>, LineError> {
        let unreached = |why: String| LineError::Unreached { why };
        // A worker whose call overruns is not put back, so the next call gets a new one.
        let worker = match self.worker.take() {
            Some(worker) => worker,
            None => {
                let left = self.left_behind.load(Ordering::Relaxed);
                if left >= LEFT_BEHIND_MAX {
                    return Err(unreached(format!("{left} calls to it have never come back")));
                }
                Worker::start(self.serial.clone(), self.server.address(), self.left_behind.clone())
                    .map_err(|error| unreached(error.to_string()))?
            }
        };
        if worker.jobs.send(job).is_err() {
            return Err(unreached("the thread that speaks to adb has ended".to_string()));
        }
        match worker.done.recv_timeout(within) {
            Ok(done) => {
                self.worker = Some(worker);
                Ok(Some(done))
            }
            Err(RecvTimeoutError::Timeout) => {
                // The thread cannot be ended from here, so it is counted until its call returns.
                self.left_behind.fetch_add(1, Ordering::Relaxed);
                Ok(None)
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(LineError::Lost { stdout: Vec::new(), why: Some("adb_client gave up".to_string()) })
            }
        }
    }

    /// Returns true if the server has the device ready. Reconnects a device that was connected by its address.
    fn is_back(&self) -> Result<bool, String> {
        let devices = self.server.devices().map_err(|error| error.to_string())?;
        match devices.iter().find(|listed| listed.serial == self.serial).map(|listed| &listed.state) {
            Some(DeviceState::Device) => Ok(true),
            // The server tries a lost address again only every ten seconds.
            None | Some(DeviceState::Offline) if super::is_address(&self.serial) => {
                self.server.connect(&self.serial).map_err(|error| error.to_string())?;
                let devices = self.server.devices().map_err(|error| error.to_string())?;
                Ok(devices
                    .iter()
                    .any(|listed| listed.serial == self.serial && listed.state == DeviceState::Device))
            }
            None => Err("adb does not list it any more".to_string()),
            Some(state) => Err(format!("adb says that it is `{state}`")),
        }
    }
}

impl Worker {
    fn start(serial: String, address: SocketAddrV4, left_behind: Arc<AtomicUsize>) -> io::Result<Worker> {
        let (jobs, taken) = channel::<Job>();
        let (report, done) = channel();
        thread::Builder::new().name(format!("adb {serial}")).spawn(move || {
            let mut device = ADBServerDevice::new(serial, Some(address));
            for job in taken {
                let result = match job {
                    Job::Shell { command, mut out, mut err } => {
                        device.shell_command(&command, Some(&mut out), Some(&mut err)).map(|_| ())
                    }
                    Job::Push { bytes, to } => device.push(Cursor::new(bytes), to),
                    Job::Exec { command, out } => {
                        let (ended, end) = channel();
                        let done =
                            device.exec(&command, &mut io::empty(), Box::new(Ending { out, _ended: ended }));
                        // Nothing is ever sent: this waits until the sender is dropped.
                        let _ = end.recv();
                        done
                    }
                };
                if report.send(result).is_err() {
                    // Nobody waits for it: this call was left behind, and has returned now.
                    left_behind.fetch_sub(1, Ordering::Relaxed);
                    return;
                }
            }
        })?;
        Ok(Worker { jobs, done })
    }
}

impl Line for Client {
    fn serial(&self) -> &str {
        &self.serial
    }

    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError> {
        let command = format!("{command}\necho {STATUS}$?");
        if command.len() > COMMAND_BYTES_MAX {
            return Err(LineError::Command { bytes: command.len(), bytes_max: COMMAND_BYTES_MAX });
        }
        let (out, err) = (Sink::default(), Sink::default());
        let result = self.call(Job::Shell { command, out: out.clone(), err: err.clone() }, within)?;
        let (mut stdout, stderr) = (out.take(), err.take());
        let Some(result) = result else {
            return Err(LineError::Silent { stdout, waited_ms: within.as_millis() as u64 });
        };
        // The status is proof that the answer is whole, even if the connection then ended with an error.
        if let Some(code) = take_status(&mut stdout) {
            return Ok(Answer { stdout, stderr, code });
        }
        Err(match result {
            Ok(()) => LineError::Lost { stdout, why: None },
            Err(error) => failed(&error, stdout),
        })
    }

    fn push(&mut self, bytes: Arc<[u8]>, to: &str, within: Duration) -> Result<(), LineError> {
        match self.call(Job::Push { bytes, to: to.to_string() }, within)? {
            Some(Ok(())) => Ok(()),
            Some(Err(RustADBError::ADBRequestFailed(why))) => Err(LineError::File { why: shown(&why) }),
            Some(Err(error)) => Err(failed(&error, Vec::new())),
            None => Err(LineError::Silent { stdout: Vec::new(), waited_ms: within.as_millis() as u64 }),
        }
    }

    fn exec(&mut self, command: &str, within: Duration) -> Result<Vec<u8>, LineError> {
        let out = Sink::default();
        let done = self.call(Job::Exec { command: command.to_string(), out: out.clone() }, within)?;
        let stdout = out.take();
        match done {
            Some(Ok(())) => Ok(stdout),
            Some(Err(error)) => Err(failed(&error, stdout)),
            None => Err(LineError::Silent { stdout, waited_ms: within.as_millis() as u64 }),
        }
    }

    fn another(&self) -> Option<Box<dyn Line>> {
        Some(Box::new(Client::new(self.server.clone(), &self.serial)))
    }

    fn stream(&mut self, command: &str) -> Result<Stream, LineError> {
        // `adb_client` keeps its connections to itself, and this one is closed from another thread. Without the shell's own
        // protocol the phone gives the command a terminal, whose end ends the command.
        let unreached = |why: String| LineError::Unreached { why };
        let service = format!("shell:{command}");
        let stream =
            self.server.open(&self.serial, &service).map_err(|error| unreached(error.to_string()))?;
        let other = stream.try_clone().map_err(|error| unreached(error.to_string()))?;
        let end = Box::new(move || {
            // One that is closed already needs no end.
            let _ = other.shutdown(Shutdown::Both);
        });
        Ok(Stream { read: Box::new(stream), end })
    }

    fn recover(&mut self, within: Duration) -> Result<(), LineError> {
        let begun = Instant::now();
        loop {
            // The server comes first: without it every device looks lost.
            let why = match self.server.ensure_running().map_err(|error| error.to_string()) {
                Ok(()) => match self.is_back() {
                    Ok(true) => return Ok(()),
                    Ok(false) => "it does not answer".to_string(),
                    Err(why) => why,
                },
                Err(why) => why,
            };
            // Checked after a try, so that there is at least one.
            if begun.elapsed() >= within {
                return Err(LineError::Unreached { why });
            }
            thread::sleep(LOOK_EVERY);
        }
    }
}

/// Removes the exit status from the end of an answer and returns it; `None` if the answer does not end with
/// one.
fn take_status(stdout: &mut Vec<u8>) -> Option<u8> {
    let mark = STATUS.as_bytes();
    // Only the end is searched, because the answer may be long and may contain the mark itself.
    let tail = stdout.len().saturating_sub(mark.len() + 8);
    let at = tail + stdout[tail..].windows(mark.len()).rposition(|window| window == mark)?;
    let digits = std::str::from_utf8(&stdout[at + mark.len()..]).ok()?;
    // Without the line break, a digit may be missing.
    let code = digits.strip_suffix('\n')?.trim_end_matches('\r').parse().ok()?;
    stdout.truncate(at);
    Some(code)
}

fn failed(error: &RustADBError, stdout: Vec<u8>) -> LineError {
    let why = shown(&error.to_string());
    match error {
        RustADBError::IOError(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            LineError::Long { bytes_max: ANSWER_BYTES_MAX }
        }
        // There was no connection to the server, so nothing reached the device.
        RustADBError::IOError(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            LineError::Unreached { why }
        }
        // These messages come before the connection is handed over. The message that a service was closed is
        // not among them: it may concern one that has begun.
        RustADBError::ADBRequestFailed(said)
            if said.contains("not found") || said.contains("offline") || said.contains("unauthorized") =>
        {
            LineError::Unreached { why }
        }
        _ => LineError::Lost { stdout, why: Some(why) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stdout: &str, expected: Option<(&str, u8)>) {
        let mut bytes = stdout.as_bytes().to_vec();
        let code = take_status(&mut bytes);
        assert_eq!(code.map(|code| (String::from_utf8(bytes).expect("a text"), code)), {
            expected.map(|(rest, code)| (rest.to_string(), code))
        });
    }

    #[test]
    fn the_exit_status_comes_last_and_whole() {
        check("a\nfarlead-status:0\n", Some(("a\n", 0)));
        check("no newlinefarlead-status:127\r\n", Some(("no newline", 127)));
        check("farlead-status:1\nfarlead-status:2\n", Some(("farlead-status:1\n", 2)));
        check("farlead-status:12", None);
        check("farlead-status:1\nmore than a number", None);
        check("", None);
    }
}
