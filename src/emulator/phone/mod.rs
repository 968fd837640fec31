//! A phone as seen from a shell: the answers of adb's services, in the formats of an Android version.
//!
//! An app model runs on it in the simulator. Touches and keys reach the app through pixels and the focus, as a finger
//! does, and nothing else reaches it; looking changes nothing. Time is virtual: it passes by actions and by `sleep`,
//! whose answer is immediate. The transport of the bytes is for [`super::adbd`].
//!
//! The files stand in rows, and each uses the rows above it alone:
//!
//! | Row | Files |
//! |---|---|
//! | leaves | `io`, `files`, `names`, `clock`, `log`, `kernel`, `settings`, `servers`, `version`, `faults`, `syntax`, `arithmetic`, `base64`, `font` |
//! | state | `system`: the phone itself |
//! | commands | `activities`, `dump`, `input`, `logcat`, `packages`, `picture`, `settings_tools`, `tools`; then `text_tools`, `touch_screen`, `dumpsys`, `automator` |
//! | dispatch | `commands`: the table of all of them; `shell`: what runs a line; `wire`: what adb asks for |

mod activities;
mod arithmetic;
mod automator;
mod base64;
mod clock;
mod commands;
mod dump;
mod dumpsys;
mod faults;
mod files;
mod font;
mod input;
mod io;
mod kernel;
mod log;
mod logcat;
mod names;
mod packages;
mod picture;
mod servers;
mod settings;
mod settings_tools;
mod shell;
mod syntax;
mod system;
mod text_tools;
mod tools;
mod touch_screen;
mod version;
mod wire;

pub use super::adbd::Ran;
pub use faults::{Fault, Faults, FaultsError};
pub use files::{FileError, Stat};
pub use picture::Framebuffer;
pub use system::Phone;
pub use version::AndroidVersion;
