//! A device that fails on purpose, so that tests see how others take it.

use super::{Ask, Decorator, Device, DeviceError, Observation};

/// A device that wraps another and fails at one step.
#[derive(Debug)]
pub struct Faulty<D> {
    inner: D,
    fails_at: usize,
    step: usize,
}

impl<D: Device> Faulty<D> {
    /// Wraps `inner`, which fails at the step `fails_at`, counted from 0 over all episodes. Looking is no step.
    pub fn new(inner: D, fails_at: usize) -> Faulty<D> {
        Faulty { inner, fails_at, step: 0 }
    }
}

impl<D: Device> Decorator for Faulty<D> {
    fn inner(&self) -> &dyn Device {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        &mut self.inner
    }

    fn describe(&self) -> String {
        format!("{}, failing at step {}", self.inner.describe(), self.fails_at)
    }

    fn ask(&mut self, ask: Ask<'_>) -> Result<Observation, DeviceError> {
        if !matches!(ask, Ask::Look) {
            let step = self.step;
            // Counted in any case, so that only one step fails.
            self.step += 1;
            if step == self.fails_at {
                return Err(DeviceError::Faulty { step });
            }
        }
        ask.of(&mut self.inner)
    }
}
