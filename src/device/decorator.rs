//! Devices made of others: each says what it changes, and the device inside does the rest.

use super::{App, Capabilities, Device, DeviceError, Hand, Observation};
use crate::gui::{Action, Pixels};

/// A request for a screen.
#[derive(Clone, Copy, Debug)]
pub enum Ask<'a> {
    /// [`Device::look`].
    Look,
    /// [`Device::reset`].
    Reset(&'a str),
    /// [`Device::act`].
    Act(&'a Action),
}

impl Ask<'_> {
    /// Asks `device`.
    pub fn of(self, device: &mut dyn Device) -> Result<Observation, DeviceError> {
        match self {
            Ask::Look => device.look(),
            Ask::Reset(activity) => device.reset(activity),
            Ask::Act(action) => device.act(action),
        }
    }
}

/// A device made of another.
///
/// [`Device`] has no defaults, so a new method of it is forwarded here, for all decorators, or nothing compiles.
pub trait Decorator {
    /// Returns the device inside.
    fn inner(&self) -> &dyn Device;

    /// Returns the device inside, to be asked for something.
    fn inner_mut(&mut self) -> &mut dyn Device;

    /// Changes [`Device::describe`].
    fn describe(&self) -> String {
        self.inner().describe()
    }

    /// Changes [`Device::app`].
    fn app(&self) -> &App {
        self.inner().app()
    }

    /// Changes [`Device::picture`].
    fn picture(&mut self) -> Option<Pixels> {
        self.inner_mut().picture()
    }

    /// Changes all that returns a screen.
    fn ask(&mut self, ask: Ask<'_>) -> Result<Observation, DeviceError> {
        ask.of(self.inner_mut())
    }
}

impl<D: Decorator> Device for D {
    fn describe(&self) -> String {
        Decorator::describe(self)
    }

    fn app(&self) -> &App {
        Decorator::app(self)
    }

    fn capabilities(&self) -> Capabilities {
        self.inner().capabilities()
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        self.ask(Ask::Look)
    }

    fn keep_keyboard(&mut self, keeps: bool) {
        self.inner_mut().keep_keyboard(keeps);
    }

    fn picture(&mut self) -> Option<Pixels> {
        Decorator::picture(self)
    }

    fn hand(&self) -> Option<Box<dyn Hand>> {
        self.inner().hand()
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        self.ask(Ask::Reset(activity))
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        self.ask(Ask::Act(action))
    }
}
