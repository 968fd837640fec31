//! Pictures of phones that somebody else drives.

use std::time::Duration;

use super::{Client, Line as _, PICTURE_WITHIN, SCREENCAP, Server};
use crate::device::android::display;
use crate::gui::{Picture, Pixels};

/// Time for a phone to say its size.
const SIZE_WITHIN: Duration = Duration::from_secs(5);

/// Returns the picture of the phone `serial` as it is now, over a connection of its own; nothing if it gives none.
pub fn glimpse(server: &Server, serial: &str) -> Option<Picture> {
    let mut client = Client::new(server.clone(), serial);
    let size = client.shell("wm size", SIZE_WITHIN).ok()?;
    let size = display::size(&String::from_utf8_lossy(&size.stdout))?;
    let png = client.exec(SCREENCAP, PICTURE_WITHIN).ok()?;
    Some(Pixels::read(&png, size)?.picture())
}
