//! Programs that drive a browser on this machine.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::{Browser, WebDriverError};
use crate::device::running::Running;

/// Time in which a driver says that it is ready.
const READY_WITHIN: Duration = Duration::from_secs(20);

/// Most bytes in the name of a folder for a browser, which puts a socket into it: its name may have 104 on some systems.
const FOLDER_BYTES_MAX: usize = 55;

/// A driver that runs until this is dropped.
pub(super) struct Driver {
    // The browser ends before its files go, as fields are dropped in this order.
    _running: Running,
    _folder: Option<Scratch>,
    /// Address that it listens at.
    pub address: String,
}

impl Driver {
    /// Starts the driver of `browser`.
    pub fn start(browser: Browser) -> Result<Driver, WebDriverError> {
        let program = browser.driver();
        let failed = |why: String| WebDriverError::NoDriver { browser, why };
        let mut command = Command::new(program);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let folder = Scratch::new();
        if let Some(Scratch(folder)) = &folder {
            // By the names of Unix and of Windows.
            command.envs(["TMPDIR", "TEMP", "TMP"].map(|name| (name, folder)));
        }
        let mut running = Running::start(&mut command).map_err(|error| failed(error.to_string()))?;
        let output = running.0.stdout.take().expect("its output is piped");
        let (said, heard) = mpsc::channel();
        // Read to its end, so that the driver never waits for a reader.
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some(port) = port(&line) {
                    let _ = said.send(port);
                }
            }
        });
        let port = heard.recv_timeout(READY_WITHIN).map_err(|_| {
            failed(match running.ended() {
                Some(status) => format!("it ended with {status}"),
                None => format!("it was not ready within {} s", READY_WITHIN.as_secs()),
            })
        })?;
        Ok(Driver { _running: running, _folder: folder, address: format!("http://127.0.0.1:{port}") })
    }
}

/// Folder for the profile of a browser, which is removed when this is dropped: drivers leave profiles behind.
struct Scratch(PathBuf);

impl Scratch {
    /// Makes a folder; none if the system's folder has too long a name or takes no files, and the driver uses that itself.
    fn new() -> Option<Scratch> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("farlead-{}-{number}", std::process::id()));
        let is_short = folder.as_os_str().len() <= FOLDER_BYTES_MAX;
        (is_short && fs::create_dir(&folder).is_ok()).then_some(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A browser that is just ending may still write, and nobody can receive an error here.
        for _ in 0..20 {
            if fs::remove_dir_all(&self.0).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Returns the port in a line by which a driver says that it is ready.
fn port(line: &str) -> Option<u16> {
    let (_, rest) =
        line.split_once("successfully on port ").or_else(|| line.split_once("Listening on 127.0.0.1:"))?;
    rest.trim_end_matches(|char: char| !char.is_ascii_digit()).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_of_a_driver_is_in_its_first_words() {
        for (line, expected) in [
            ("ChromeDriver was started successfully on port 41297.", Some(41297)),
            ("1764090000000\tgeckodriver\tINFO\tListening on 127.0.0.1:4444", Some(4444)),
            ("Starting ChromeDriver 156.0 (abc) on port 0", None),
            ("Listening on 127.0.0.1:99999", None),
        ] {
            assert_eq!(port(line), expected, "{line}");
        }
    }
}
