//! The wait for a device: how long it has not answered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use farlead::device::{Ask, Decorator, Device, DeviceError, Observation};
use farlead::gui::Pixels;

/// Begin of the wait for a device, if somebody waits; clones share it.
#[derive(Clone, Default)]
pub struct Wait(Arc<Mutex<Option<Instant>>>);

impl Wait {
    /// Returns the time that the device has not answered.
    pub fn waited(&self) -> Option<Duration> {
        self.begin().map(|begin| begin.elapsed())
    }

    /// Does something that waits for the device.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        *self.begin() = Some(Instant::now());
        let done = work();
        *self.begin() = None;
        done
    }

    /// Returns `device`, whose answers are waited for.
    pub fn on(&self, device: Box<dyn Device>) -> Box<dyn Device> {
        Box::new(Awaited { device, wait: self.clone() })
    }

    fn begin(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Device whose answers are waited for.
struct Awaited {
    device: Box<dyn Device>,
    wait: Wait,
}

impl Decorator for Awaited {
    fn inner(&self) -> &dyn Device {
        &*self.device
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        &mut *self.device
    }

    fn picture(&mut self) -> Option<Pixels> {
        self.wait.during(|| self.device.picture())
    }

    fn ask(&mut self, ask: Ask<'_>) -> Result<Observation, DeviceError> {
        self.wait.during(|| ask.of(&mut *self.device))
    }
}
