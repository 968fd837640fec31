//! Programs that drive a browser on this machine.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::{Browser, WebDriverError};
use crate::device::running::Running;

/// Time in which a driver says that it is ready.
const READY_WITHIN: Duration = Duration::from_secs(20);

/// A driver that runs until this is dropped.
pub(super) struct Driver {
    _running: Running,
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
        Ok(Driver { _running: running, address: format!("http://127.0.0.1:{port}") })
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
