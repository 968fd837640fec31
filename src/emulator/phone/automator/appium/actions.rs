//! W3C actions and the gestures of Appium: fingers and keys.
//!
//! A touch counts by its two ends and the time between them, as everywhere on this phone. Sources act one after the other,
//! so two fingers at once are two touches.

use serde_json::{Value, json};

use super::super::super::input::{self, Key};
use super::super::super::system::Phone;
use super::super::gestures::{self, LONG_MS};
use super::elements::{self, Place};
use super::refusal::Refusal;
use super::{Answer, ui_selector};
use crate::gui::Bounds;

/// Number of sources, and of actions of each, at most.
const SOURCES_MAX: usize = 10;
const ITEMS_MAX: usize = 1_000;

/// Longest sum of the pauses of a request: ten minutes of virtual time.
const PAUSE_MS_MAX: u64 = 600_000;

type Point = (i32, i32);

/// Performs the actions of all sources.
pub(super) fn perform(phone: &mut Phone, body: &Value) -> Answer {
    let sources = body.get("actions").and_then(Value::as_array);
    let sources = sources.filter(|sources| sources.len() <= SOURCES_MAX);
    let mut left_ms = PAUSE_MS_MAX;
    for source in sources.ok_or_else(|| Refusal::argument("`actions` is no list of 10 sources at most"))? {
        let items = source.get("actions").and_then(Value::as_array);
        let items = items.filter(|items| items.len() <= ITEMS_MAX);
        let items =
            items.ok_or_else(|| Refusal::argument("a source has no list of 1,000 actions at most"))?;
        match source.get("type").and_then(Value::as_str) {
            Some("pointer") => point(phone, items, &mut left_ms)?,
            Some("key") => type_keys(phone, items, &mut left_ms)?,
            Some("none") => {
                for item in items {
                    pause(phone, item, &mut left_ms)?;
                }
            }
            _ => return Err(Refusal::argument("the type of a source is `pointer`, `key` or `none`")),
        }
    }
    Ok(Value::Null)
}

fn kind(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn ms(item: &Value) -> u64 {
    item.get("duration").and_then(Value::as_f64).unwrap_or(0.0).clamp(0.0, PAUSE_MS_MAX as f64) as u64
}

/// Lets the time of a pause pass, as far as the request has any left.
fn pause(phone: &mut Phone, item: &Value, left_ms: &mut u64) -> Result<(), Refusal> {
    let slept_ms = ms(item).min(*left_ms);
    *left_ms -= slept_ms;
    Ok(phone.sleep(slept_ms)?)
}

fn number(value: &Value, name: &str) -> Result<i32, Refusal> {
    let number = value.get(name).and_then(Value::as_f64);
    let number = number.ok_or_else(|| Refusal::argument(format!("`{name}` is missing or no number")))?;
    Ok(number.clamp(-1e6, 1e6).floor() as i32)
}

fn bounds_of(phone: &mut Phone, element: &Value) -> Result<Bounds, Refusal> {
    let id = elements::id_of(element).ok_or_else(|| Refusal::argument("the origin is no element"))?;
    let Place { screen, at } = elements::place(phone, id)?;
    Ok(screen.widgets()[at].bounds)
}

/// Moves one finger.
fn point(phone: &mut Phone, items: &[Value], left_ms: &mut u64) -> Result<(), Refusal> {
    let mut at: Point = (0, 0);
    // Start of the touch, and its time so far.
    let mut down: Option<(Point, u64)> = None;
    for item in items {
        match kind(item) {
            "pointerMove" => {
                let (x, y) = (number(item, "x")?, number(item, "y")?);
                let from = match item.get("origin") {
                    None | Some(Value::Null) => (0, 0),
                    Some(Value::String(origin)) if origin == "viewport" => (0, 0),
                    Some(Value::String(origin)) if origin == "pointer" => at,
                    Some(element) => bounds_of(phone, element)?.centre(),
                };
                at = (from.0.saturating_add(x), from.1.saturating_add(y));
                if let Some((_, touched_ms)) = &mut down {
                    *touched_ms += ms(item);
                }
            }
            "pointerDown" => down = Some((at, 0)),
            "pointerUp" => {
                if let Some((from, touched_ms)) = down.take() {
                    touch(phone, from, at, touched_ms)?;
                }
            }
            "pause" => match &mut down {
                Some((_, touched_ms)) => *touched_ms += ms(item),
                None => pause(phone, item, left_ms)?,
            },
            "pointerCancel" => down = None,
            _ => return Err(Refusal::argument("an action of a pointer is of no known type")),
        }
    }
    Ok(())
}

fn touch(phone: &mut Phone, from: Point, to: Point, ms: u64) -> Result<(), Refusal> {
    let done = gestures::touch(phone, from, to, ms)?;
    if done == json!(true) { Ok(()) } else { Err(Refusal::argument("the point is outside of the display")) }
}

/// Presses keys; those beyond letters are in a range of Unicode for private use.
fn type_keys(phone: &mut Phone, items: &[Value], left_ms: &mut u64) -> Result<(), Refusal> {
    let mut is_held = false;
    for item in items {
        let value = item.get("value").and_then(Value::as_str).and_then(|value| value.chars().next());
        match (kind(item), value) {
            ("keyDown" | "keyUp", Some('\u{e009}' | '\u{e00a}' | '\u{e03d}')) => {
                is_held = kind(item) == "keyDown"
            }
            ("keyDown", Some(letter)) => {
                let key = match letter {
                    '\u{e003}' => input::key("67"),
                    '\u{e004}' => input::key("61"),
                    '\u{e006}' | '\u{e007}' | '\n' => input::key("66"),
                    '\u{e00d}' => input::key("62"),
                    '\u{e000}'..='\u{f8ff}' => Key::Other,
                    // With Control a letter is a command.
                    _ if is_held => Key::Other,
                    letter => Key::Letter(letter),
                };
                input::press(phone, key, 1)?;
            }
            ("keyUp", Some(_)) => {}
            ("pause", _) => pause(phone, item, left_ms)?,
            _ => return Err(Refusal::argument("an action of a key is of no known type, or has no key")),
        }
    }
    Ok(())
}

/// Performs a gesture of Appium.
pub(super) fn gesture(phone: &mut Phone, name: &str, body: &Value) -> Option<Answer> {
    Some(match name {
        "click" => tap(phone, body, 0, 1),
        "double_click" => tap(phone, body, 0, 2),
        "long_click" => {
            let ms = body.get("duration").and_then(Value::as_f64).map_or(LONG_MS, |ms| ms.max(0.0) as u64);
            tap(phone, body, ms, 1)
        }
        "drag" => drag(phone, body),
        "swipe" => stroke(phone, body, false).map(|_| Value::Null),
        "fling" | "scroll" => stroke(phone, body, true),
        // With two fingers; no model zooms.
        "pinch_open" | "pinch_close" => Ok(Value::Null),
        _ => return None,
    })
}

/// Returns the point of a gesture: in the middle of its element, or at an offset from its corner or the display's.
fn place(phone: &mut Phone, body: &Value, offset: &str) -> Result<Point, Refusal> {
    let bounds = match body.get("origin") {
        None | Some(Value::Null) => None,
        Some(element) => Some(bounds_of(phone, element)?),
    };
    match (bounds, body.get(offset).filter(|point| !point.is_null())) {
        (Some(bounds), None) => Ok(bounds.centre()),
        (bounds, Some(point)) => {
            let corner = bounds.map_or((0, 0), |bounds| (bounds.left, bounds.top));
            let (x, y) = (number(point, "x")?, number(point, "y")?);
            Ok((corner.0.saturating_add(x), corner.1.saturating_add(y)))
        }
        (None, None) => Err(Refusal::argument("a gesture needs an element or a point")),
    }
}

fn tap(phone: &mut Phone, body: &Value, ms: u64, times: u32) -> Answer {
    let at = place(phone, body, "offset")?;
    for _ in 0..times {
        touch(phone, at, at, ms)?;
    }
    Ok(Value::Null)
}

fn drag(phone: &mut Phone, body: &Value) -> Answer {
    let from = place(phone, body, "start")?;
    let end = body.get("end").ok_or_else(|| Refusal::argument("`end` is missing"))?;
    let to = (number(end, "x")?, number(end, "y")?);
    touch(phone, from, to, LONG_MS)?;
    Ok(Value::Null)
}

/// Swipes over an area, or scrolls its content; answers true if that changed the screen.
fn stroke(phone: &mut Phone, body: &Value, is_scroll: bool) -> Answer {
    let area = match (body.get("origin").filter(|origin| !origin.is_null()), body.get("area")) {
        (Some(element), _) => bounds_of(phone, element)?,
        (None, Some(area)) => {
            let (left, top) = (number(area, "left")?, number(area, "top")?);
            let (right, bottom) = (left + number(area, "width")?, top + number(area, "height")?);
            Bounds { left, top, right, bottom }
        }
        (None, None) => return Err(Refusal::argument("a gesture needs an element or an area")),
    };
    let percent = body.get("percent").and_then(Value::as_f64).unwrap_or(1.0).clamp(0.0, 1.0);
    let (x, y) = area.centre();
    // A tenth at both edges is left alone, as by Android.
    let part = |length: i32| (f64::from(length) * 0.4 * percent) as i32;
    let (across, down) = (part(area.right - area.left), part(area.bottom - area.top));
    let direction = body.get("direction").and_then(Value::as_str).unwrap_or_default();
    let (from, to) = match direction {
        "up" => ((x, y + down), (x, y - down)),
        "down" => ((x, y - down), (x, y + down)),
        "left" => ((x + across, y), (x - across, y)),
        "right" => ((x - across, y), (x + across, y)),
        _ => return Err(Refusal::argument("`direction` is up, down, left or right")),
    };
    // Content scrolls down when the finger goes up.
    let (from, to) = if is_scroll { (to, from) } else { (from, to) };
    let before = phone.screen()?;
    touch(phone, from, to, 300)?;
    Ok(json!(phone.screen()?.widgets() != before.widgets()))
}

/// Scrolls until a locator finds an element.
pub(super) fn scroll_to(phone: &mut Phone, body: &Value) -> Answer {
    let word = |name: &str| body.pointer(&format!("/params/{name}")).and_then(Value::as_str);
    let (Some(strategy), Some(selector)) = (word("strategy"), word("selector")) else {
        return Err(Refusal::argument("`strategy` or `selector` is missing"));
    };
    ui_selector::scroll_to(phone, strategy, selector)?;
    Ok(Value::Null)
}
