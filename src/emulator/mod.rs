//! The emulator: an app model served to others as an Android phone.
//!
//! [`adbd`] is the wire, the device side of the adb protocol; [`phone`] answers what a shell, a file system and a display
//! of a version of Android answer, and runs the model on [`crate::device::sim`]. Nothing else in the library uses the
//! emulator: a device that is reached through adb cannot tell it from a phone.

pub mod adbd;
pub mod phone;
