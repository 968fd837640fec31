//! Devices of one kind that are lent to whoever has work for one.
//!
//! Each starts the app afresh for each run, so that it does not matter which one a run gets. One that is lost is
//! not lent again; who had it tells, and does the work again on another.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{App, Device, DeviceError, Observation};
use crate::gui::Action;

/// A device that threads may hand on.
pub type Shared = Box<dyn Device + Send>;

/// See the module.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    app: App,
    state: Mutex<State>,
    /// Told whenever a device comes back or is lost.
    changed: Condvar,
}

struct State {
    idle: Vec<Shared>,
    /// How many are idle or lent.
    alive: usize,
    /// What was said of the last that was lost.
    lost: String,
}

impl Pool {
    /// Returns what lends `devices`, which have the same app.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(devices: Vec<Shared>) -> Pool {
        let app = devices.first().expect("a pool has a device").app().clone();
        let alive = devices.len();
        let state = State { idle: devices, alive, lost: String::new() };
        Pool { inner: Arc::new(Inner { app, state: Mutex::new(state), changed: Condvar::new() }) }
    }

    /// The app on all of them.
    pub fn app(&self) -> &App {
        &self.inner.app
    }

    /// How many are left.
    pub fn alive(&self) -> usize {
        self.inner.state().alive
    }

    /// Lends a device until what is returned is dropped; waits until one is free. Where all are lost, it is one on
    /// which nothing can be done.
    pub fn lend(&self) -> Box<dyn Device> {
        let waiting = self.inner.state();
        let is_none = |state: &mut State| state.idle.is_empty() && state.alive > 0;
        let waited = self.inner.changed.wait_while(waiting, is_none);
        let device = waited.unwrap_or_else(PoisonError::into_inner).idle.pop();
        Box::new(Lent { inner: self.inner.clone(), device, is_lost: false })
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A device that goes back when this is dropped, unless it is lost.
struct Lent {
    inner: Arc<Inner>,
    device: Option<Shared>,
    is_lost: bool,
}

impl Lent {
    fn doing(
        &mut self,
        what: impl FnOnce(&mut dyn Device) -> Result<Observation, DeviceError>,
    ) -> Result<Observation, DeviceError> {
        let Some(device) = self.device.as_deref_mut().filter(|_| !self.is_lost) else {
            return Err(DeviceError::NoneLeft { why: self.inner.state().lost.clone() });
        };
        let done = what(device);
        if let Err(error) = &done
            && error.is_lost()
        {
            self.is_lost = true;
            self.inner.state().lost = error.to_string();
        }
        done
    }
}

impl Device for Lent {
    fn describe(&self) -> String {
        self.device.as_ref().map_or_else(|| "no device".to_string(), |device| device.describe())
    }

    fn app(&self) -> &App {
        &self.inner.app
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        self.doing(|device| device.reset(activity))
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        self.doing(|device| device.act(action))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(device) = self.device.take() else { return };
        let mut state = self.inner.state();
        if self.is_lost {
            state.alive -= 1;
        } else {
            state.idle.push(device);
        }
        drop(state);
        // Whoever waits may have to hear that nothing is left to wait for.
        self.inner.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::super::Faulty;
    use super::super::sim::{Sim, read};
    use super::*;
    use crate::rng::Seed;
    use crate::spec::Source;

    fn simulated() -> Sim {
        let text = "app org.example \"Example\" 1.0\nlaunch Main\nactivity Main .Main { Button \"Go\" }";
        let model = read(&Source::new("example.app", text)).model.expect("no mistakes");
        Sim::new(Arc::new(model), Seed(1))
    }

    fn start(device: &mut dyn Device) -> Result<Observation, DeviceError> {
        device.reset("org.example.Main")
    }

    #[test]
    fn a_device_is_lent_to_one_at_a_time() {
        let pool = Pool::new(vec![Box::new(simulated()), Box::new(simulated())]);
        let (one, other) = (pool.lend(), pool.lend());
        thread::scope(|scope| {
            let third = scope.spawn(|| start(&mut *pool.lend()).is_ok());
            drop(one);
            assert!(third.join().expect("no panic"));
        });
        drop(other);
        assert_eq!((pool.alive(), pool.inner.state().idle.len()), (2, 2));
    }

    #[test]
    fn a_device_that_is_lost_is_not_lent_again() {
        let faulty = Faulty::new(simulated(), 0);
        let pool = Pool::new(vec![Box::new(simulated()), Box::new(faulty)]);
        let mut first = pool.lend();
        assert!(start(&mut *first).is_err(), "the last is lent first");
        assert!(matches!(start(&mut *first), Err(DeviceError::NoneLeft { .. })));
        drop(first);
        for _ in 0..3 {
            assert!(start(&mut *pool.lend()).is_ok());
        }
        assert_eq!(pool.alive(), 1);
    }

    #[test]
    fn where_all_are_lost_nobody_waits() {
        let pool = Pool::new(vec![Box::new(Faulty::new(simulated(), 0))]);
        assert!(start(&mut *pool.lend()).is_err());
        let error = start(&mut *pool.lend()).expect_err("there is none");
        assert_eq!(error.to_string(), "no device is left: the device failed at step 0, as it was told to");
    }
}
