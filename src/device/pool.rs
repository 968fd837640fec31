//! Devices of any kinds that are lent to whoever has work for one.
//!
//! A pool has attached devices, which are as many as they are, and may have a [`Maker`], which makes a device anew for each
//! loan. All start the app afresh for each run, so it does not matter which one a run gets. A device that is lost is not
//! lent again; its borrower gets the error, and does the work again on another.

use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{App, Ask, Capabilities, Decorator, Device, DeviceError, Hand, Observation};
use crate::gui::{Action, Pixels};
use crate::rng::Seed;

/// A device that threads may hand on.
pub type BoxedDevice = Box<dyn Device + Send>;

/// Makes a device that takes all its chance from a seed.
pub type Maker = Arc<dyn Fn(Seed) -> BoxedDevice + Send + Sync>;

/// See the module.
#[derive(Clone)]
pub struct Pool {
    inner: Arc<Inner>,
}

struct Inner {
    app: App,
    description: String,
    roster: Mutex<Roster>,
    /// Notified whenever a device comes back or is lost.
    changed: Condvar,
}

/// The devices that can be lent.
struct Roster {
    idle: Vec<BoxedDevice>,
    /// Number of attached devices that are idle or lent.
    attached: usize,
    /// Maker of further devices, until one of those is lost.
    maker: Option<Maker>,
    /// Message about the device that was lost last.
    lost: String,
}

impl Pool {
    /// Returns a pool of `attached` devices and those of `maker`, all with the same app.
    ///
    /// # Panics
    ///
    /// If there is neither a device nor a maker.
    pub fn new(attached: Vec<BoxedDevice>, maker: Option<Maker>) -> Pool {
        // Made only to be asked for its app and its description.
        let made = maker.as_ref().map(|make| make(Seed::default()));
        let first = attached.first().or(made.as_ref()).expect("a pool has a device");
        let app = first.app().clone();
        let mut descriptions: Vec<String> =
            attached.iter().chain(&made).map(|device| device.describe()).collect();
        // Sessions at one place are described alike, and their number is no part of a result.
        descriptions.dedup();
        let description = if attached.is_empty() {
            // A device that is made for an app names the app itself.
            descriptions.join("; ")
        } else {
            // A page has no version.
            let version = if app.version.is_empty() { String::new() } else { format!(" {}", app.version) };
            format!("{}{version} on {}", app.package, descriptions.join("; "))
        };
        let roster = Roster { attached: attached.len(), idle: attached, maker, lost: String::new() };
        let inner = Inner { app, description, roster: Mutex::new(roster), changed: Condvar::new() };
        Pool { inner: Arc::new(inner) }
    }

    /// Returns the app on all of the devices.
    pub fn app(&self) -> &App {
        &self.inner.app
    }

    /// Describes the app and the devices there were at first, in a line for people.
    pub fn describe(&self) -> &str {
        &self.inner.description
    }

    /// Returns true if a device can still be lent, now or once it comes back.
    pub fn is_alive(&self) -> bool {
        let roster = self.inner.roster();
        roster.attached > 0 || roster.maker.is_some()
    }

    /// Returns true if some of the devices are attached, and not made for each loan.
    pub fn has_attached(&self) -> bool {
        self.inner.roster().attached > 0
    }

    /// Returns how many of `jobs` can go on at a time: one for each attached device, and all if further ones are made.
    pub fn jobs(&self, jobs: usize) -> usize {
        let roster = self.inner.roster();
        // At least one job goes on, so that somebody hears that all devices are lost.
        if roster.maker.is_some() { jobs } else { roster.attached.clamp(1, jobs.max(1)) }
    }

    /// Lends a device until the loan is dropped: an idle one, else one that is made from `seed`, else the next that comes
    /// back. If all are lost, nothing can be done on the loan.
    pub fn lend(&self, seed: Seed) -> Box<dyn Device> {
        let waiting = self.inner.roster();
        // Without a device that can come back, the wait would never end.
        let must_wait =
            |roster: &mut Roster| roster.idle.is_empty() && roster.maker.is_none() && roster.attached > 0;
        let waited = self.inner.changed.wait_while(waiting, must_wait);
        let mut roster = waited.unwrap_or_else(PoisonError::into_inner);
        let (idle, maker) = (roster.idle.pop(), roster.maker.clone());
        // Making a device may take long, and others may come for theirs meanwhile.
        drop(roster);
        let (device, origin) = match (idle, maker) {
            (Some(device), _) => (device, Origin::Attached),
            (None, Some(make)) => (make(seed), Origin::Made),
            (None, None) => return Box::new(Absent(self.inner.clone())),
        };
        Box::new(Loan { inner: self.inner.clone(), device, origin, is_lost: false })
    }
}

impl Inner {
    fn roster(&self) -> MutexGuard<'_, Roster> {
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn nothing(&self) -> Result<Observation, DeviceError> {
        Err(DeviceError::NoneLeft { why: self.roster().lost.clone() })
    }
}

/// Origin of a device, which says where it goes after its loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Attached,
    Made,
}

/// A device that goes back to its pool when the loan is dropped, unless it is lost.
struct Loan {
    inner: Arc<Inner>,
    device: BoxedDevice,
    origin: Origin,
    is_lost: bool,
}

impl Decorator for Loan {
    fn inner(&self) -> &dyn Device {
        &*self.device
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        &mut *self.device
    }

    fn app(&self) -> &App {
        &self.inner.app
    }

    fn ask(&mut self, ask: Ask<'_>) -> Result<Observation, DeviceError> {
        if self.is_lost {
            return self.inner.nothing();
        }
        let answer = ask.of(&mut *self.device);
        if let Err(error) = &answer
            && error.is_lost()
        {
            self.is_lost = true;
            self.inner.roster().lost = error.to_string();
        }
        answer
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        let device = mem::replace(&mut self.device, Box::new(Absent(self.inner.clone())));
        let mut roster = self.inner.roster();
        match (self.origin, self.is_lost) {
            (Origin::Attached, false) => roster.idle.push(device),
            (Origin::Attached, true) => roster.attached -= 1,
            // The next one from the same seed would be lost at the same step, for ever.
            (Origin::Made, true) => roster.maker = None,
            (Origin::Made, false) => {}
        }
        // Released first, so that those who wake up can take it.
        drop(roster);
        // Whoever waits may have to hear that nothing is left to wait for.
        self.inner.changed.notify_all();
    }
}

/// The place of a device where none is left.
struct Absent(Arc<Inner>);

impl Device for Absent {
    fn describe(&self) -> String {
        "no device".to_string()
    }

    fn app(&self) -> &App {
        &self.0.app
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::PHONE
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        self.0.nothing()
    }

    fn keep_keyboard(&mut self, _: bool) {}

    fn picture(&mut self) -> Option<Pixels> {
        None
    }

    fn hand(&self) -> Option<Box<dyn Hand>> {
        None
    }

    fn reset(&mut self, _: &str) -> Result<Observation, DeviceError> {
        self.0.nothing()
    }

    fn act(&mut self, _: &Action) -> Result<Observation, DeviceError> {
        self.0.nothing()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::super::Faulty;
    use super::super::sim::{Sim, read};
    use super::*;
    use crate::spec::Source;

    fn simulated(seed: Seed) -> Sim {
        let text = "app org.example \"Example\" 1.0\nlaunch Main\nactivity Main .Main { Button \"Go\" }";
        let model = read(&Source::new("example.app", text)).model.expect("no mistakes");
        Sim::new(Arc::new(model), seed)
    }

    /// A simulator that stands for an attached device.
    fn attached() -> BoxedDevice {
        Box::new(simulated(Seed(1)))
    }

    fn start(device: &mut dyn Device) -> Result<Observation, DeviceError> {
        device.reset("org.example.Main")
    }

    #[test]
    fn a_device_is_lent_to_one_at_a_time() {
        let pool = Pool::new(vec![attached(), attached()], None);
        let (one, other) = (pool.lend(Seed(1)), pool.lend(Seed(1)));
        thread::scope(|scope| {
            let third = scope.spawn(|| start(&mut *pool.lend(Seed(1))).is_ok());
            drop(one);
            assert!(third.join().expect("no panic"));
        });
        drop(other);
        assert_eq!((pool.jobs(9), pool.inner.roster().idle.len()), (2, 2));
    }

    #[test]
    fn a_device_that_is_lost_is_not_lent_again() {
        let faulty = Faulty::new(simulated(Seed(1)), 0);
        let pool = Pool::new(vec![attached(), Box::new(faulty)], None);
        let mut first = pool.lend(Seed(1));
        assert!(start(&mut *first).is_err(), "the last is lent first");
        assert!(matches!(start(&mut *first), Err(DeviceError::NoneLeft { .. })));
        drop(first);
        for _ in 0..3 {
            assert!(start(&mut *pool.lend(Seed(1))).is_ok());
        }
        assert_eq!(pool.jobs(9), 1);
    }

    #[test]
    fn where_all_are_lost_nobody_waits() {
        let pool = Pool::new(vec![Box::new(Faulty::new(simulated(Seed(1)), 0))], None);
        assert!(start(&mut *pool.lend(Seed(1))).is_err());
        let error = start(&mut *pool.lend(Seed(1))).expect_err("there is none");
        assert_eq!(error.to_string(), "no device is left: the device failed at step 0, as it was told to");
        assert!(!pool.is_alive());
    }

    /// A maker whose devices are told apart by their seeds.
    fn maker(fails_at: usize) -> Maker {
        Arc::new(move |seed| Box::new(Faulty::new(simulated(seed), fails_at)))
    }

    #[test]
    fn made_devices_are_as_many_as_there_are_jobs() {
        let pool = Pool::new(Vec::new(), Some(maker(usize::MAX)));
        let mut lent: Vec<Box<dyn Device>> = (0..9).map(|seed| pool.lend(Seed(seed))).collect();
        assert!(lent.iter_mut().all(|device| start(&mut **device).is_ok()));
        assert_eq!((pool.jobs(9), pool.has_attached()), (9, false));
        assert!(pool.describe().starts_with("simulator of Example 1.0 (example.app)"), "{}", pool.describe());
    }

    #[test]
    fn devices_of_two_kinds_share_the_work_and_one_that_is_lost_hands_on() {
        let faulty = Faulty::new(simulated(Seed(1)), 1);
        let pool = Pool::new(vec![Box::new(faulty)], Some(maker(usize::MAX)));
        assert_eq!((pool.jobs(9), pool.has_attached()), (9, true));
        let kind = |device: &dyn Device| device.describe().ends_with("failing at step 1");
        let (mut first, mut second) = (pool.lend(Seed(1)), pool.lend(Seed(2)));
        assert!(kind(&*first) && !kind(&*second), "the attached one is busy, so another is made");
        assert!(start(&mut *first).is_ok() && start(&mut *second).is_ok());
        let error = start(&mut *first).expect_err("it is lost");
        drop(first);
        assert!(error.is_lost() && pool.is_alive(), "the work can be done on another");
        let mut third = pool.lend(Seed(1));
        assert!(!kind(&*third) && start(&mut *third).is_ok());
        assert!(!pool.has_attached());
    }

    #[test]
    fn a_kind_whose_device_is_lost_is_made_no_more() {
        let pool = Pool::new(vec![attached()], Some(maker(0)));
        let busy = pool.lend(Seed(1));
        assert!(start(&mut *pool.lend(Seed(1))).is_err());
        drop(busy);
        for _ in 0..3 {
            assert!(start(&mut *pool.lend(Seed(1))).is_ok());
        }
        assert_eq!(pool.jobs(9), 1);
    }
}
