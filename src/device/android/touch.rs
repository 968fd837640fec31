//! Touches of a phone's display: how long they last, the way of a finger that ends slowly, and what a keyboard may cover.
//!
//! A list keeps the speed that the finger has at its end, and scrolls on to a place that depends on milliseconds. So the
//! finger comes to rest before it is lifted, and the list stops where the finger does.

use crate::gui::{Bounds, Orientation, Screen};

/// Pixel of the display.
pub(in crate::device) type Pixel = (i32, i32);

/// Duration of a long touch: twice as long as Android's own limit.
pub(in crate::device) const HOLD_MS: u32 = 1_000;

/// Duration of a swipe among the user's own gestures, that of `input` itself: it may be meant to be quick.
pub(in crate::device) const SWIPE_MS: u32 = 300;

/// Rest of the finger before it is lifted: five times as long as Android's limit, after which its speed counts as 0.
pub(in crate::device) const REST_MS: u64 = 200;

/// Duration of an idle.
pub(in crate::device) const IDLE_S: u32 = 20;

/// Duration of an idle with virtual time: longer than the default screen timeout of a minute.
pub(in crate::device) const VIRTUAL_IDLE_S: u32 = 70;

/// Places of the finger on its way, in thousandths, closer and closer together.
const WAY: [i64; 7] = [200, 450, 700, 880, 960, 990, 1_000];

/// Returns the places of a finger on its way from one pixel to another, closer and closer together.
pub(in crate::device) fn slowing(from: Pixel, to: Pixel) -> [Pixel; WAY.len()] {
    let part = |from: i32, to: i32, way: i64| {
        // Bounds are any 32-bit numbers, so the way between two takes 64 bits; it ends between them.
        (i64::from(from) + (i64::from(to) - i64::from(from)) * way / 1_000) as i32
    };
    WAY.map(|way| (part(from.0, to.0, way), part(from.1, to.1, way)))
}

/// Returns the part of a display of this size, as it is turned, that a keyboard covers at most.
pub(in crate::device) fn under_keyboard((width, height): (u32, u32)) -> Bounds {
    let pixels = |length: u32| i32::try_from(length).unwrap_or(i32::MAX);
    Bounds { left: 0, top: pixels(height / 5 * 3), right: pixels(width), bottom: pixels(height) }
}

/// Returns true if a touch of `bounds` may meet a keyboard on a display of this size: keyboards take two fifths of it at
/// most.
pub(in crate::device) fn may_be_under_keyboard(
    bounds: Bounds,
    (width, height): (u32, u32),
    screen: &Screen,
) -> bool {
    let height = match screen.context().orientation {
        Orientation::Portrait => width.max(height),
        Orientation::Landscape => width.min(height),
    };
    i64::from(bounds.centre().1) * 5 > i64::from(height) * 3
}
