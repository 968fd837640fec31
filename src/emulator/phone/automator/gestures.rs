//! Gestures of uiautomator2, at points and on elements.

use serde_json::{Value, json};

use super::super::input;
use super::super::system::Phone;
use super::failure::{Answer, Failure};
use super::params::Params;
use super::selector::{Found, Selector};
use crate::gui::Bounds;

/// Duration of a step of a swipe.
const STEP_MS: u64 = 5;

/// Duration of a long click.
pub(super) const LONG_MS: u64 = 800;

/// Number of scrolls at most to reach an end or an element: as many as Android does.
const SCROLLS_MAX: usize = 30;

type Point = (i32, i32);

/// Direction of a scroll along the content.
#[derive(Clone, Copy)]
pub(super) enum Way {
    Forward,
    Backward,
}

#[derive(Clone, Copy)]
pub(super) enum Axis {
    Vertical,
    Horizontal,
}

impl Axis {
    /// Returns the axis by the client's flag.
    fn of(is_vertical: bool) -> Axis {
        if is_vertical { Axis::Vertical } else { Axis::Horizontal }
    }
}

/// Calls a method by its name.
pub(super) fn call(phone: &mut Phone, method: &str, params: Params<'_>) -> Answer {
    match method {
        // The method of this name takes an element or a point, and only the parameters tell which.
        "click" | "clickAndWaitForNewWindow" if params.has_selector() => {
            click(phone, &params.selector(0)?, params.text(1).ok().flatten().as_deref(), 0)
        }
        "longClick" if params.has_selector() => {
            click(phone, &params.selector(0)?, params.text(1).ok().flatten().as_deref(), LONG_MS)
        }
        "click" => {
            let ms = if params.len() > 2 { params.int(2)? } else { 0 };
            let at = params.point(0)?;
            touch(phone, at, at, u64::try_from(ms).unwrap_or(0))
        }
        "longClick" => {
            let at = params.point(0)?;
            touch(phone, at, at, LONG_MS)
        }
        "swipe" if params.has_selector() => swipe_in(phone, &params.selector(0)?, &params.word(1)?),
        "swipe" | "drag" => touch(phone, params.point(0)?, params.point(2)?, steps_ms(params.int(4)?)),
        "dragTo" => drag_to(phone, params),
        "swipePoints" => swipe_points(phone, params),
        "injectInputEvent" => finger(phone, params.int(0)?, params.point(1)?),
        "scrollForward" | "flingForward" => scroll(phone, params, Way::Forward),
        "scrollBackward" | "flingBackward" => scroll(phone, params, Way::Backward),
        "scrollToEnd" | "flingToEnd" => scroll_to_end(phone, params, Way::Forward),
        "scrollToBeginning" | "flingToBeginning" => scroll_to_end(phone, params, Way::Backward),
        "scrollTo" => scroll_to(phone, params),
        _ => Err(Failure::Method),
    }
}

fn steps_ms(steps: i32) -> u64 {
    u64::try_from(steps).unwrap_or(0) * STEP_MS
}

pub(super) fn touch(phone: &mut Phone, from: Point, to: Point, ms: u64) -> Answer {
    // The server refuses points outside of the display on this side alone.
    if [from.0, from.1, to.0, to.1].iter().any(|place| *place < 0) {
        return Ok(json!(false));
    }
    input::touch(phone, from, to, ms)?;
    Ok(json!(true))
}

fn click(phone: &mut Phone, selector: &Selector, corner: Option<&str>, ms: u64) -> Answer {
    let bounds = selector.wanted(phone)?.bounds();
    // Android keeps five pixels from the corner.
    let at = match corner {
        Some("tl" | "topleft") => (bounds.left + 5, bounds.top + 5),
        Some("br" | "bottomright") => (bounds.right - 5, bounds.bottom - 5),
        Some(_) | None => bounds.centre(),
    };
    touch(phone, at, at, ms)
}

fn swipe_in(phone: &mut Phone, selector: &Selector, direction: &str) -> Answer {
    let bounds = selector.wanted(phone)?.bounds();
    let middle = bounds.centre();
    let Bounds { left, top, right, bottom } = bounds;
    let (from, to) = match direction.to_ascii_lowercase().as_str() {
        "up" | "u" => ((middle.0, bottom - 5), (middle.0, top + 5)),
        "down" | "d" => ((middle.0, top + 5), (middle.0, bottom - 5)),
        "left" | "l" => ((right - 5, middle.1), (left + 5, middle.1)),
        "right" | "r" => ((left + 5, middle.1), (right - 5, middle.1)),
        _ => return Ok(json!(false)),
    };
    touch(phone, from, to, STEP_MS)
}

fn drag_to(phone: &mut Phone, params: Params<'_>) -> Answer {
    let from = params.selector(0)?.wanted(phone)?.bounds().centre();
    let to = match params.0.get(1) {
        Some(Value::Object(_)) => params.selector(1)?.wanted(phone)?.bounds().centre(),
        _ => params.point(1)?,
    };
    touch(phone, from, to, STEP_MS)
}

/// Swipes along many points; the simulator needs the first and the last alone.
fn swipe_points(phone: &mut Phone, params: Params<'_>) -> Answer {
    let points = params.0.first().and_then(Value::as_array).ok_or(Failure::Params)?;
    let numbers = Params(points);
    if points.len() < 4 {
        return Ok(json!(false));
    }
    // The steps are those of each part of the way.
    let steps = u64::try_from(params.int(1)?).unwrap_or(0);
    let ms = steps.saturating_mul(STEP_MS).saturating_mul(points.len() as u64 / 2);
    touch(phone, numbers.point(0)?, numbers.point(points.len() / 2 * 2 - 2)?, ms)
}

fn finger(phone: &mut Phone, action: i32, at: Point) -> Answer {
    match action {
        0 => phone.finger = Some(at),
        1 => {
            let Some(from) = phone.finger.take() else { return Ok(json!(false)) };
            return touch(phone, from, at, 0);
        }
        // A stroke has two ends here, so a move between them changes nothing.
        2 => {}
        _ => return Ok(json!(false)),
    }
    Ok(json!(true))
}

/// Scrolls by most of the visible part; answers true if the content moved.
fn scroll(phone: &mut Phone, params: Params<'_>, way: Way) -> Answer {
    let (selector, axis) = (params.selector(0)?, Axis::of(params.flag(1)?));
    let found = selector.wanted(phone)?;
    Ok(json!(scroll_once(phone, &found, axis, way)?))
}

pub(super) fn scroll_once(phone: &mut Phone, found: &Found, axis: Axis, way: Way) -> Result<bool, Failure> {
    let before = phone.screen()?;
    let Bounds { left, top, right, bottom } = found.bounds();
    let middle = found.bounds().centre();
    // Android leaves a tenth at both edges alone.
    let (near, far) = match axis {
        Axis::Vertical => {
            let dead = (bottom - top) / 10;
            ((middle.0, top + dead), (middle.0, bottom - dead))
        }
        Axis::Horizontal => {
            let dead = (right - left) / 10;
            ((left + dead, middle.1), (right - dead, middle.1))
        }
    };
    let (from, to) = match way {
        Way::Forward => (far, near),
        Way::Backward => (near, far),
    };
    touch(phone, from, to, STEP_MS)?;
    Ok(phone.screen()?.widgets() != before.widgets())
}

fn scroll_to_end(phone: &mut Phone, params: Params<'_>, way: Way) -> Answer {
    let (selector, axis) = (params.selector(0)?, Axis::of(params.flag(1)?));
    Ok(json!(scroll_far(phone, &selector, axis, way)?))
}

/// Scrolls until the content no longer moves; returns true if it came to its end.
pub(super) fn scroll_far(
    phone: &mut Phone,
    selector: &Selector,
    axis: Axis,
    way: Way,
) -> Result<bool, Failure> {
    for _ in 0..SCROLLS_MAX {
        let found = selector.wanted(phone)?;
        if !scroll_once(phone, &found, axis, way)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn scroll_to(phone: &mut Phone, params: Params<'_>) -> Answer {
    let (selector, target) = (params.selector(0)?, params.selector(1)?);
    let axis = Axis::of(if params.len() > 2 { params.flag(2)? } else { true });
    Ok(json!(scroll_until(phone, &selector, axis, &target)?))
}

/// Scrolls from the start until an element is visible; returns true if it is.
pub(super) fn scroll_until(
    phone: &mut Phone,
    selector: &Selector,
    axis: Axis,
    target: &Selector,
) -> Result<bool, Failure> {
    // First to the start, then through the content once.
    for way in [Way::Backward, Way::Forward] {
        for _ in 0..SCROLLS_MAX {
            if target.find(phone)?.is_some() {
                return Ok(true);
            }
            let found = selector.wanted(phone)?;
            if !scroll_once(phone, &found, axis, way)? {
                break;
            }
        }
    }
    Ok(target.find(phone)?.is_some())
}
