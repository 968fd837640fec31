//! Programs that drive a browser on this machine.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::{Browser, WebDriverError};
use crate::device::running::Running;
use crate::device::said;

/// Time in which a driver says that it is ready.
const READY_WITHIN: Duration = Duration::from_secs(20);

/// Most bytes in the name of a folder for a browser, which puts a socket into it: its name may have 104 on some systems.
const FOLDER_BYTES_MAX: usize = 55;

/// Most starts of a driver: one that is to take any free port ends if another program takes that port first.
const STARTS_MAX: u32 = 5;

/// A driver that runs until this is dropped.
pub(super) struct Driver {
    // The browser ends before its files go, as fields are dropped in this order.
    _running: Running,
    folder: Option<Scratch>,
    /// Address that it listens at.
    pub address: String,
}

impl Driver {
    /// Starts the driver of `browser`.
    pub fn start(browser: Browser) -> Result<Driver, WebDriverError> {
        Driver::start_by(Command::new(browser.driver()).args(browser.free_ports()))
            .map_err(|why| WebDriverError::NoDriver { browser, why })
    }

    /// Returns the folder for the files of the browser, which is removed with this.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(|Scratch(path)| &**path)
    }

    /// Starts a driver by this command, again if it ends at once; an error is the reason why the last start failed.
    fn start_by(command: &mut Command) -> Result<Driver, String> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let folder = Scratch::new();
        if let Some(Scratch(folder)) = &folder {
            // By the names of Unix and of Windows.
            command.envs(["TMPDIR", "TEMP", "TMP"].map(|name| (name, folder)));
        }
        let mut starts = 0;
        let (running, port) = loop {
            let mut running = Running::start(command).map_err(|error| error.to_string())?;
            starts += 1;
            match first_words(&mut running) {
                FirstWords::Port(port) => break (running, port),
                FirstWords::Nothing => {
                    return Err(format!("it was not ready within {} s", READY_WITHIN.as_secs()));
                }
                FirstWords::End(last) if starts == STARTS_MAX => {
                    let last = if last.is_empty() { String::new() } else { format!(", saying `{last}`") };
                    return Err(format!("it ended before it was ready, at each of {starts} starts{last}"));
                }
                FirstWords::End(_) => {}
            }
        };
        Ok(Driver { _running: running, folder, address: format!("http://127.0.0.1:{port}") })
    }
}

/// First words of a driver that has been started.
enum FirstWords {
    /// The port that it listens at.
    Port(u16),
    /// It has ended without a port; its last line, which may be empty.
    End(String),
    /// No port within the time that it has.
    Nothing,
}

/// Waits until a driver says its port, or no more.
fn first_words(running: &mut Running) -> FirstWords {
    let output = running.0.stdout.take().expect("its output is piped");
    let (sender, heard) = mpsc::channel();
    // Read to its end, so that the driver never waits for a reader.
    thread::spawn(move || {
        let mut last = String::new();
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Some(port) = port(&line) {
                let _ = sender.send(FirstWords::Port(port));
            }
            last = line;
        }
        let _ = sender.send(FirstWords::End(said(&last)));
    });
    heard.recv_timeout(READY_WITHIN).unwrap_or(FirstWords::Nothing)
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

    /// Starts a driver whose port is taken at its first `failures` starts; returns its address, and the number of starts.
    #[cfg(unix)]
    fn start_after(failures: u32) -> (Result<String, String>, usize) {
        let Some(Scratch(folder)) = &Scratch::new() else { panic!("no folder") };
        let starts = folder.join("starts");
        let script = r#"
            echo start >> "$STARTS"
            echo "Starting ChromeDriver on port 0"
            if [ "$(grep -c start "$STARTS")" -le "$FAILURES" ]; then
                echo "IPv4 port not available. Exiting..."
                exit 1
            fi
            echo "ChromeDriver was started successfully on port 41297."
            exec sleep 60"#;
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("STARTS", &starts).env("FAILURES", failures.to_string());
        let address = Driver::start_by(&mut command).map(|driver| driver.address.clone());
        (address, fs::read_to_string(&starts).expect("it was started").lines().count())
    }

    #[cfg(unix)]
    #[test]
    fn a_driver_whose_port_was_taken_is_started_again() {
        let address = "http://127.0.0.1:41297".to_string();
        assert_eq!(start_after(0), (Ok(address.clone()), 1));
        assert_eq!(start_after(2), (Ok(address), 3));
    }

    #[cfg(unix)]
    #[test]
    fn a_driver_that_never_has_a_port_is_given_up() {
        let (address, starts) = start_after(u32::MAX);
        let why = address.expect_err("it has no port");
        let browser = Browser::Chrome;
        assert_eq!(
            WebDriverError::NoDriver { browser, why }.to_string(),
            "cannot start chromedriver, the driver of chrome: it ended before it was ready, at each of 5 starts, \
             saying `IPv4 port not available. Exiting...`; Debian and Ubuntu have it as `chromium-driver`"
        );
        assert_eq!(starts, 5);
    }
}
