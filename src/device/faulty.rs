//! A device that fails on purpose, so that tests see how others take it.

use super::{App, Capabilities, Device, DeviceError, Observation};
use crate::gui::{Action, Pixels};

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

    fn step(&mut self) -> Result<(), DeviceError> {
        let step = self.step;
        // Counted in any case, so that only one step fails.
        self.step += 1;
        if step == self.fails_at { Err(DeviceError::Faulty { step }) } else { Ok(()) }
    }
}

impl<D: Device> Device for Faulty<D> {
    fn describe(&self) -> String {
        format!("{}, failing at step {}", self.inner.describe(), self.fails_at)
    }

    fn app(&self) -> &App {
        self.inner.app()
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        self.inner.look()
    }

    fn keep_keyboard(&mut self, keeps: bool) {
        self.inner.keep_keyboard(keeps);
    }

    fn picture(&mut self) -> Option<Pixels> {
        self.inner.picture()
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        self.step()?;
        self.inner.reset(activity)
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        self.step()?;
        self.inner.act(action)
    }
}
