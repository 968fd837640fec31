//! The hand of a person on a device: gestures made on the device itself, told as they are made.
//!
//! Most devices have none. Reading a phone's touch screen is for [`super::android::touches`] and [`super::adb`]; the meaning of
//! a gesture for the app is for [`crate::studio`].

use super::DeviceError;

/// Place on the display: pixels from the left and from the top, as the display is turned.
pub type Place = (i32, i32);

/// Key of a device that a hand has pressed, or a gesture of the system that stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum HandKey {
    Back,
    Home,
    Menu,
}

/// One thing that a hand has done on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandGesture {
    /// A short touch. Two in a row are two, as no phone's screen offers a double click.
    Tap(Place),
    /// A touch that was held.
    Hold(Place),
    /// A touch that moved.
    Swipe {
        /// Place where it began.
        from: Place,
        /// Place where it ended.
        to: Place,
    },
    /// A key, or a gesture of the system in its place.
    Key(HandKey),
    /// A touch where the soft keyboard is shown. The touch itself may have brought it up.
    Typing(Place),
    /// A touch of the system's bar with its own keys.
    Bar,
    /// A touch of several fingers.
    Several,
}

/// News of a hand that is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandNews {
    /// It has done something.
    Did(HandGesture),
    /// It can be followed no longer, for this reason.
    Lost(String),
}

/// Receiver of news.
pub type Tell = Box<dyn FnMut(HandNews) + Send>;

/// A hand that can be followed.
pub trait Hand: Send {
    /// Tells of all that the hand does from now on, until the result is dropped.
    fn follow(self: Box<Self>, tell: Tell) -> Result<Following, DeviceError>;
}

/// A hand that is followed, as long as this lives.
pub struct Following(Option<Box<dyn FnOnce() + Send>>);

impl Following {
    /// Returns a following that `end` ends.
    pub fn new(end: impl FnOnce() + Send + 'static) -> Following {
        Following(Some(Box::new(end)))
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}
