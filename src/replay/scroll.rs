//! Scrolls of a replay: they go on until the widget of the next step is in view.
//!
//! The same list may stand elsewhere than in the recorded run: the display is smaller, or there are more rows.

use std::sync::Arc;

use crate::device::DeviceError;
use crate::gui::{Action, Gap, Screen, Sought, Stroke, Target, seek};
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

/// Repeats the action `before` if it is a scroll, which has led to `screen`, until `seek` finds the widget of the next step,
/// and then goes back; returns the last result of `seek`. `sought` is its result on `screen`.
///
/// `act` does an action and returns the screen after it, or nothing if no more may be done.
pub(crate) fn scroll_on(
    mut screen: Arc<Screen>,
    before: &Action,
    mut sought: Sought,
    seek_next: impl Fn(&Screen) -> Sought,
    mut act: impl FnMut(Action) -> Result<Option<Arc<Screen>>, DeviceError>,
) -> Result<Sought, DeviceError> {
    let Some(ways) = there_and_back(before) else { return Ok(sought) };
    // The way back has the scrolls there once more.
    for (scroll, times_max) in ways.iter().zip([SCROLLS_MAX, 2 * SCROLLS_MAX]) {
        for _ in 0..times_max {
            if !may_come_into_view(&sought) {
                return Ok(sought);
            }
            // Another screen may have come up, without the list.
            let Sought::Found(again) = seek(&screen, scroll, None) else { break };
            let Some(after) = act(again)? else { return Ok(sought) };
            sought = seek_next(&after);
            // Rows alike differ in their bounds alone, which an identity leaves out.
            let is_at_end = after.widgets() == screen.widgets();
            screen = after;
            if is_at_end {
                break;
            }
        }
    }
    Ok(sought)
}

/// Returns true if going on with the action `before` may bring into view what `sought` lacks.
pub(crate) fn may_scroll_on(before: &Action, sought: &Sought) -> bool {
    there_and_back(before).is_some() && may_come_into_view(sought)
}

/// Returns true if a widget is out of view as far as the screen tells. Where several may be the one, a scroll could leave
/// a wrong one in view alone.
fn may_come_into_view(sought: &Sought) -> bool {
    match sought {
        Sought::Found(_) => false,
        Sought::Missing(near) => match near.as_ref().map(|near| &near.gap) {
            None | Some(Gap::Other | Gap::Beside(_)) => true,
            Some(Gap::TakesNone | Gap::Several) => false,
        },
    }
}

/// Returns a scroll and the scroll back, if the action is a scroll.
fn there_and_back(action: &Action) -> Option<[Action; 2]> {
    let Action::Stroke(Stroke::Scroll, on, towards) = action else { return None };
    // The words in a list are other ones after each scroll.
    let on = Target { below: Arc::default(), ..on.clone() };
    Some([*towards, towards.opposite()].map(|towards| Action::Stroke(Stroke::Scroll, on.clone(), towards)))
}
