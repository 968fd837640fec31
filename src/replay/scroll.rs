//! Scrolls of a replay: they go on until the widget of the next step is in view.
//!
//! The same list may stand elsewhere than in the recorded run: the display is smaller, or there are more rows.

use std::sync::Arc;

use super::Recorded;
use crate::device::DeviceError;
use crate::gui::{Action, Direction, Screen, Sought, Stroke};
use crate::trace::Trace;

/// Most scrolls in the recorded direction, and beyond the first place back from it.
const SCROLLS_MAX: usize = 10;

/// Reason of a scroll that a replay adds.
pub(super) const SCROLLED_ON: &str = "the widget of the next step was not in view";

/// Returns the number of scrolls in the trace of a replay that its test does not have.
pub fn scrolled_on(trace: &Trace) -> usize {
    // A replay gives no other reason.
    trace.steps.iter().filter(|step| step.why.is_some()).count()
}

/// Repeats `scroll`, which has led to `screen`, until the widget of `wanted` is in view, and then goes back; returns
/// `wanted` on that widget if it comes into view.
///
/// `act` does an action and returns the screen after it, or nothing if no more may be done.
pub(super) fn scroll_on(
    mut screen: Arc<Screen>,
    scroll: Recorded<'_>,
    wanted: Recorded<'_>,
    mut act: impl FnMut(Action) -> Result<Option<Arc<Screen>>, DeviceError>,
) -> Result<Option<Action>, DeviceError> {
    let Some(back) = opposite(scroll.action) else { return Ok(None) };
    let back = Recorded { action: &back, ..scroll };
    // The way back has the scrolls there once more.
    for (scroll, times_max) in [(scroll, SCROLLS_MAX), (back, 2 * SCROLLS_MAX)] {
        for _ in 0..times_max {
            // Another screen may have come up, without the list.
            let Sought::Found(again) = scroll.seek(&screen) else { break };
            let Some(after) = act(again)? else { return Ok(None) };
            if let Sought::Found(action) = wanted.seek(&after) {
                return Ok(Some(action));
            }
            // Rows alike differ in their bounds alone, which an identity leaves out.
            let is_at_end = after.widgets() == screen.widgets();
            screen = after;
            if is_at_end {
                break;
            }
        }
    }
    Ok(None)
}

/// Returns the scroll of the same widget back, if the action is a scroll.
fn opposite(action: &Action) -> Option<Action> {
    let Action::Stroke(Stroke::Scroll, on, towards) = action else { return None };
    let back = match towards {
        Direction::Up => Direction::Down,
        Direction::Down => Direction::Up,
        Direction::Left => Direction::Right,
        Direction::Right => Direction::Left,
    };
    Some(Action::Stroke(Stroke::Scroll, on.clone(), back))
}
