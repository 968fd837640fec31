//! The requests to each attached device, one line of JSON each, in the device's own folder beside the run's events.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use farlead::device::{Ask, BoxedDevice, Decorator, Device, DeviceError, Observation};
use serde::Serialize;

/// Most characters of a device's name in the name of its folder.
const NAME_MAX: usize = 80;

/// Size at which a protocol ends: the first steps tell what went wrong with all of them.
const BYTES_MAX: u64 = 16 << 20;

/// The protocols of all devices, written once there is a folder for them.
#[derive(Clone, Default)]
pub struct Protocols {
    folder: Arc<Mutex<Option<PathBuf>>>,
}

impl Protocols {
    /// Writes all protocols below `folder` from now on.
    pub fn write_to(&self, folder: &Path) {
        // A path is whole even if a thread panicked while it held the lock.
        *self.folder.lock().unwrap_or_else(PoisonError::into_inner) = Some(folder.to_path_buf());
    }

    /// Returns `device`, called `name`, with a protocol of what is done on it.
    pub fn of(&self, name: &str, device: BoxedDevice) -> Recorded {
        // A name like `127.0.0.1:5555` is no name of a folder on every system.
        let plain = |char: char| if char.is_ascii_alphanumeric() || ".-".contains(char) { char } else { '_' };
        let folder = name.chars().take(NAME_MAX).map(plain).collect();
        Recorded {
            inner: device,
            protocols: self.clone(),
            folder,
            begun: Instant::now(),
            file: None,
            bytes: 0,
        }
    }
}

/// A device with a protocol.
pub struct Recorded {
    inner: BoxedDevice,
    protocols: Protocols,
    folder: String,
    begun: Instant,
    file: Option<File>,
    bytes: u64,
}

/// A line of a protocol.
#[derive(Serialize)]
struct Line<'l> {
    /// Time since the device was opened, on this computer's clock.
    at_ms: u64,
    took_ms: u64,
    action: &'l str,
    #[serde(skip_serializing_if = "Option::is_none")]
    activity: Option<&'l str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    widgets: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Recorded {
    fn write(&mut self, line: &str) -> io::Result<()> {
        if self.file.is_none() {
            let folder = self.protocols.folder.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let Some(folder) = folder.map(|folder| folder.join("devices").join(&self.folder)) else {
                return Ok(());
            };
            // Made with the first line, so that a device without work leaves no folder.
            fs::create_dir_all(&folder)?;
            self.file = Some(OpenOptions::new().create(true).append(true).open(folder.join("steps.jsonl"))?);
        }
        let Some(file) = self.file.as_mut().filter(|_| self.bytes < BYTES_MAX) else { return Ok(()) };
        self.bytes += line.len() as u64 + 1;
        file.write_all(format!("{line}\n").as_bytes())
    }
}

impl Decorator for Recorded {
    fn inner(&self) -> &dyn Device {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        &mut *self.inner
    }

    fn ask(&mut self, ask: Ask<'_>) -> Result<Observation, DeviceError> {
        let action = match ask {
            Ask::Look => "look".to_string(),
            Ask::Reset(activity) => format!("reinitialise {activity}"),
            Ask::Act(action) => action.to_string(),
        };
        let at_ms = self.begun.elapsed().as_millis() as u64;
        let done = ask.of(&mut *self.inner);
        let took_ms = (self.begun.elapsed().as_millis() as u64).saturating_sub(at_ms);
        let screen = done.as_ref().ok().map(|seen| &seen.screen);
        let line = Line {
            at_ms,
            took_ms,
            action: &action,
            activity: screen.map(|screen| &**screen.activity()),
            widgets: screen.map(|screen| screen.widgets().len()),
            error: done.as_ref().err().map(ToString::to_string),
        };
        let text = serde_json::to_string(&line).expect("texts and numbers are JSON");
        // A full disk must not end the run: the protocol is only for diagnosis.
        let _ = self.write(&text);
        done
    }
}
