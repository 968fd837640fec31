//! Touches that a client of uiautomator2 asks for, by points and by what is there.

use serde_json::{Value, json};

use super::super::{Phone, input};
use super::selector::{Found, Selector};
use super::{Answer, Failure, Params};
use crate::gui::Bounds;

/// How long one step of a swipe takes.
const STEP_MS: u64 = 5;

/// How long a finger stays for a long click.
const LONG_MS: u64 = 800;

/// How often something is scrolled at most to come to its end, or to what is looked for: as often as Android does.
const SCROLLS_MAX: usize = 30;

type Point = (i32, i32);

pub(super) fn call(phone: &mut Phone, method: &str, params: Params<'_>) -> Answer {
    match method {
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
        "scrollForward" | "flingForward" => scroll(phone, params, true),
        "scrollBackward" | "flingBackward" => scroll(phone, params, false),
        "scrollToEnd" | "flingToEnd" => scroll_to_end(phone, params, true),
        "scrollToBeginning" | "flingToBeginning" => scroll_to_end(phone, params, false),
        "scrollTo" => scroll_to(phone, params),
        _ => Err(Failure::Method),
    }
}

fn steps_ms(steps: i32) -> u64 {
    u64::try_from(steps).unwrap_or(0) * STEP_MS
}

fn touch(phone: &mut Phone, from: Point, to: Point, ms: u64) -> Answer {
    if [from.0, from.1, to.0, to.1].iter().any(|place| *place < 0) {
        return Ok(json!(false));
    }
    input::touch(phone, from, to, ms)?;
    Ok(json!(true))
}

fn click(phone: &mut Phone, selector: &Selector, corner: Option<&str>, ms: u64) -> Answer {
    let bounds = selector.wanted(phone)?.bounds();
    // As far from the corner as Android goes.
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

/// A finger that goes along many points: where it comes down and where it leaves is what counts here.
fn swipe_points(phone: &mut Phone, params: Params<'_>) -> Answer {
    let points = params.0.first().and_then(Value::as_array).ok_or(Failure::Params)?;
    let numbers = Params(points);
    if points.len() < 4 {
        return Ok(json!(false));
    }
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
        2 => {}
        _ => return Ok(json!(false)),
    }
    Ok(json!(true))
}

/// Scrolls by most of what is seen; the answer is whether there is more.
fn scroll(phone: &mut Phone, params: Params<'_>, is_forward: bool) -> Answer {
    let (selector, is_upright) = (params.selector(0)?, params.flag(1)?);
    let found = selector.wanted(phone)?;
    Ok(json!(scroll_once(phone, &found, is_upright, is_forward)?))
}

fn scroll_once(
    phone: &mut Phone,
    found: &Found,
    is_upright: bool,
    is_forward: bool,
) -> Result<bool, Failure> {
    let before = phone.screen()?;
    let Bounds { left, top, right, bottom } = found.bounds();
    let middle = found.bounds().centre();
    // The outer tenths are left alone, as Android does.
    let (near, far) = if is_upright {
        let dead = (bottom - top) / 10;
        ((middle.0, top + dead), (middle.0, bottom - dead))
    } else {
        let dead = (right - left) / 10;
        ((left + dead, middle.1), (right - dead, middle.1))
    };
    let (from, to) = if is_forward { (far, near) } else { (near, far) };
    touch(phone, from, to, STEP_MS)?;
    Ok(phone.screen()?.widgets() != before.widgets())
}

fn scroll_to_end(phone: &mut Phone, params: Params<'_>, is_forward: bool) -> Answer {
    let (selector, is_upright) = (params.selector(0)?, params.flag(1)?);
    for _ in 0..SCROLLS_MAX {
        let found = selector.wanted(phone)?;
        if !scroll_once(phone, &found, is_upright, is_forward)? {
            return Ok(json!(true));
        }
    }
    Ok(json!(false))
}

/// Scrolls from the start until something is seen.
fn scroll_to(phone: &mut Phone, params: Params<'_>) -> Answer {
    let (selector, target) = (params.selector(0)?, params.selector(1)?);
    let is_upright = if params.len() > 2 { params.flag(2)? } else { true };
    for is_forward in [false, true] {
        for _ in 0..SCROLLS_MAX {
            if target.find(phone)?.is_some() {
                return Ok(json!(true));
            }
            let found = selector.wanted(phone)?;
            if !scroll_once(phone, &found, is_upright, is_forward)? {
                break;
            }
        }
    }
    Ok(json!(target.find(phone)?.is_some()))
}
