//! Requests about the device: its facts, its keys, its clipboard and the way it is held.

use serde_json::{Value, json};

use super::super::super::base64::{base64, from_base64};
use super::super::super::input::{self, Key};
use super::super::super::io::cut;
use super::super::super::system::Phone;
use super::super::rpc::{self, CLIP_MAX};
use super::refusal::Refusal;
use super::{Answer, actions, text};

/// Meta states of Control: both, left, right.
const CONTROL: u64 = 0x7000;

/// Answers a request of a session.
pub(super) fn answer(phone: &mut Phone, method: &str, words: &[&str], body: &Value) -> Answer {
    let (width, height) = phone.shown_size();
    let size = json!({"width": width, "height": height});
    let dpi = phone.sim().display().dpi;
    Ok(match (method, words) {
        ("GET", ["window", _, "size"]) => size,
        ("GET", ["orientation"]) => json!(if width > height { "LANDSCAPE" } else { "PORTRAIT" }),
        ("POST", ["orientation"]) => {
            let turned = match text(body, "orientation")?.to_ascii_uppercase().as_str() {
                "LANDSCAPE" => width <= height,
                "PORTRAIT" => width > height,
                _ => return Err(Refusal::argument("`orientation` is LANDSCAPE or PORTRAIT")),
            };
            let rotation = phone.rotation();
            phone.lock_rotation(&(if turned { (rotation + 1) % 2 } else { rotation }).to_string());
            Value::Null
        }
        ("GET", ["rotation"]) => json!({"x": 0, "y": 0, "z": phone.rotation() * 90}),
        ("POST", ["rotation"]) => {
            let degrees = body.get("z").and_then(Value::as_u64).filter(|z| z % 90 == 0 && *z < 360);
            let degrees = degrees.ok_or_else(|| Refusal::argument("`z` is 0, 90, 180 or 270"))?;
            phone.lock_rotation(&(degrees / 90).to_string());
            Value::Null
        }
        ("GET", ["appium", "device", "info"]) => info(phone, (width, height), dpi),
        ("GET", ["appium", "device", "system_bars"]) => {
            // The model says where the app's window ends; the rest is the bar of the system.
            let window = phone.screen()?.widgets().first().map(|widget| widget.bounds).unwrap_or_default();
            let shown = i32::try_from(height).unwrap_or(i32::MAX);
            json!({"statusBar": window.top, "navigationBar": (shown - window.bottom).max(0)})
        }
        ("GET", ["appium", "device", "pixel_ratio"]) => json!(f64::from(dpi) / 160.0),
        ("GET", ["appium", "device", "display_density"]) => json!(dpi),
        // 2: the battery is charging.
        ("GET", ["appium", "device", "battery_info"]) => json!({"level": 1.0, "status": 2}),
        ("GET", ["appium", "device", "declared_orientation"]) => Value::Null,
        ("POST", ["appium", "device", "press_keycode" | "long_press_keycode"]) => {
            press(phone, body)?;
            Value::Null
        }
        // The simulator has no bar to pull down.
        ("POST", ["appium", "device", "open_notifications"]) | ("POST", ["appium", "reset_ax_cache"]) => {
            Value::Null
        }
        ("POST", ["appium", "device", "get_clipboard"]) => {
            let text = phone.clipboard.clone().unwrap_or_default();
            json!(String::from_utf8_lossy(&base64(text.as_bytes(), 0)))
        }
        ("POST", ["appium", "device", "set_clipboard"]) => {
            let bytes = from_base64(text(body, "content")?.as_bytes());
            phone.clipboard = Some(cut(&String::from_utf8_lossy(&bytes), CLIP_MAX).to_string());
            Value::Null
        }
        ("POST", ["appium", "gestures", name]) => {
            let unknown =
                || Err(Refusal::command(method, &format!("/session/:sessionId/appium/gestures/{name}")));
            return actions::gesture(phone, name, body).unwrap_or_else(unknown);
        }
        ("POST", ["gestures", "scroll_to"]) => return actions::scroll_to(phone, body),
        _ => return Err(Refusal::command(method, &format!("/session/:sessionId/{}", words.join("/")))),
    })
}

fn info(phone: &mut Phone, (width, height): (u32, u32), dpi: u32) -> Value {
    let [_, model, _] = phone.product();
    json!({
        "androidId": phone.settings.get("secure", "android_id"),
        "manufacturer": "farlead",
        "model": model,
        "brand": "farlead",
        "apiVersion": phone.version.sdk().to_string(),
        "platformVersion": phone.version.release_property(),
        "carrierName": "",
        "realDisplaySize": format!("{width}x{height}"),
        "displayDensity": dpi,
        "networks": [],
        "locale": "en_US",
        "timeZone": "UTC",
        "bluetooth": null,
    })
}

fn press(phone: &mut Phone, body: &Value) -> Answer {
    let code = body.get("keycode").and_then(|code| code.as_u64().or_else(|| code.as_str()?.parse().ok()));
    let code = code.ok_or_else(|| Refusal::argument("`keycode` is missing or no number"))?;
    let is_held = body.get("metastate").and_then(Value::as_u64).is_some_and(|state| state & CONTROL != 0);
    let key = input::key(&code.to_string());
    // With Control a letter is a command.
    if is_held && matches!(key, Key::Letter(_)) {
        return Ok(Value::Null);
    }
    rpc::press_code(phone, i32::try_from(code).unwrap_or(0))?;
    Ok(Value::Null)
}
