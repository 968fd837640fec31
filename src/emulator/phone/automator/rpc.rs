//! JSON-RPC: the methods of the server, by their names.

use serde_json::{Map, Value, json};

use super::super::base64::base64;
use super::super::io::cut;
use super::super::system::Phone;
use super::super::{dump, input, picture};
use super::failure::{Answer, Failure};
use super::gestures;
use super::params::Params;
use super::selector::{Found, Selector};
use crate::device::sim::Edit;
use crate::device::{DeviceError, Sim};
use crate::gui::{Flags, PressedKey, Widget};

/// Depth of a hierarchy, unless the client gives another.
const DEPTH_MAX: usize = 50;

/// Time between two looks of a wait.
const LOOK_EVERY_MS: u64 = 1_000;

/// Longest text of the clipboard, in bytes.
pub(super) const CLIP_MAX: usize = 1 << 20;

/// Answers a JSON-RPC request.
pub(super) fn answer(phone: &mut Phone, request: &[u8]) -> Value {
    let request: Value = match serde_json::from_slice(request) {
        Ok(request) => request,
        Err(_) => return failed(Value::Null, -32_700, "JSON parse error", Value::Null),
    };
    // An id of another type comes back as null.
    let id = request.get("id").filter(|id| id.is_number() || id.is_string()).cloned().unwrap_or_default();
    let Some(method) = request.get("method").and_then(Value::as_str) else {
        return failed(id, -32_600, "invalid request", Value::Null);
    };
    let params = match request.get("params") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(params)) => params,
        // The server has no named parameters.
        Some(Value::Object(params)) if params.is_empty() => &[][..],
        Some(_) => return failed(id, -32_602, "method parameters invalid", Value::Null),
    };
    // The codes are those of jsonrpc4j, which the real server answers with.
    match call(phone, method, Params(params)) {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(Failure::Method) => failed(id, -32_601, "method not found", Value::Null),
        Err(Failure::Params) => failed(id, -32_602, "method parameters invalid", Value::Null),
        Err(Failure::Thrown(class, data)) => failed(id, -32_001, class, Value::String(data)),
    }
}

fn failed(id: Value, code: i32, message: &str, data: Value) -> Value {
    let mut error = Map::new();
    error.insert("code".to_string(), json!(code));
    error.insert("message".to_string(), json!(message));
    if !data.is_null() {
        error.insert("data".to_string(), data);
    }
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

fn call(phone: &mut Phone, method: &str, params: Params<'_>) -> Answer {
    match method {
        "ping" => Ok(json!("pong")),
        "deviceInfo" => Ok(device_info(phone)),
        "dumpWindowHierarchy" => hierarchy(phone, params),
        "takeScreenshot" => {
            let picture = phone.framebuffer();
            Ok(json!(String::from_utf8_lossy(&base64(&picture::png(&picture), 76))))
        }
        "pressKey" => press_named(phone, &params.word(0)?),
        "pressKeyCode" => press_code(phone, params.int(0)?),
        "wakeUp" => set_lit(phone, true),
        "sleep" => set_lit(phone, false),
        "isScreenOn" => Ok(json!(phone.windows().is_lit)),
        "setOrientation" => turn(phone, &params.word(0)?),
        "freezeRotation" => freeze(phone, params.flag(0)?),
        "getLastToast" => Ok(json!(phone.automator.as_ref().and_then(|automator| automator.toast.clone()))),
        "clearLastToast" => {
            phone.automator.iter_mut().for_each(|automator| automator.toast = None);
            Ok(Value::Null)
        }
        "setClipboard" => {
            let text = params.text(1)?;
            phone.clipboard = text.map(|text| cut(&text, CLIP_MAX).to_string());
            Ok(Value::Null)
        }
        "getClipboard" => Ok(json!(phone.clipboard)),
        "pasteClipboard" => paste(phone),
        "clearInputText" => clear_focused(phone),
        "waitForIdle" | "clearLastTraversedText" | "getLastTraversedText" => Ok(Value::Null),
        // The simulator has no bars to pull down, and no window opens without an action.
        "openNotification" | "openQuickSettings" | "waitForWindowUpdate" => Ok(json!(false)),
        "exist" => Ok(json!(params.selector(0)?.find(phone)?.is_some())),
        "count" => Ok(json!(params.selector(0)?.find_all(phone)?.len())),
        "objInfo" => Ok(params.selector(0)?.wanted(phone)?.info()),
        "objInfoOfAllInstances" => {
            let found = params.selector(0)?.find_all(phone)?;
            Ok(found.iter().map(Found::info).collect())
        }
        "getText" => Ok(json!(params.selector(0)?.wanted(phone)?.text())),
        "setText" => set_text(phone, &params.selector(0)?, &params.text(1)?.unwrap_or_default()),
        "clearTextField" => set_text(phone, &params.selector(0)?, "").map(|_| Value::Null),
        "waitForExists" => wait(phone, &params.selector(0)?, params.wait_ms(1)?, Until::There),
        "waitUntilGone" => wait(phone, &params.selector(0)?, params.wait_ms(1)?, Until::Gone),
        _ => gestures::call(phone, method, params),
    }
}

fn device_info(phone: &mut Phone) -> Value {
    let (width, height) = phone.shown_size();
    let rotation = phone.rotation();
    let package = phone.screen().map(|screen| screen.package().to_string()).unwrap_or_default();
    let dpi = phone.sim().display().dpi.max(1);
    let [name, ..] = phone.product();
    let dp = |pixels: u32| u64::from(pixels) * 160 / u64::from(dpi);
    json!({
        "currentPackageName": package,
        "displayHeight": height,
        "displayRotation": rotation,
        "displaySizeDpX": dp(width),
        "displaySizeDpY": dp(height),
        "displayWidth": width,
        "naturalOrientation": matches!(rotation, 0 | 2),
        "productName": name,
        "screenOn": phone.windows().is_lit,
        "sdkInt": phone.version.sdk(),
    })
}

fn hierarchy(phone: &mut Phone, params: Params<'_>) -> Answer {
    let tree = if params.flag(0)? { dump::Tree::Compressed } else { dump::Tree::Whole };
    let depth_max = if params.len() > 1 { params.int(1)? } else { DEPTH_MAX as i32 };
    let dumper = dump::Dumper::Server { depth_max: usize::try_from(depth_max).unwrap_or(0) };
    let (rotation, version) = (phone.rotation(), phone.version);
    let screen = phone.screen()?;
    // A dump by the server is as slow as one by the command.
    phone.faults.slow_down();
    Ok(json!(dump::hierarchy(&screen, rotation, tree, version, dumper)))
}

fn press_named(phone: &mut Phone, name: &str) -> Answer {
    const NAMES: [(&str, i32); 18] = [
        ("home", 3),
        ("back", 4),
        ("up", 19),
        ("down", 20),
        ("left", 21),
        ("right", 22),
        ("center", 23),
        ("volume_up", 24),
        ("volume_down", 25),
        ("power", 26),
        ("camera", 27),
        ("enter", 66),
        ("delete", 67),
        ("del", 67),
        ("menu", 82),
        ("search", 84),
        ("volume_mute", 164),
        ("recent", 187),
    ];
    let name = name.to_ascii_lowercase();
    // A known key without effect here is answered with true, an unknown name with false.
    let found = NAMES.iter().find(|(other, _)| *other == name);
    found.map_or(Ok(json!(false)), |(_, code)| press_code(phone, *code))
}

pub(super) fn press_code(phone: &mut Phone, code: i32) -> Answer {
    input::press(phone, input::key(&code.to_string()), 1)?;
    Ok(json!(true))
}

fn set_lit(phone: &mut Phone, is_lit: bool) -> Answer {
    // A second call must not count as a touch.
    if phone.windows().is_lit != is_lit {
        phone.act(|sim| sim.light(is_lit))?;
    }
    Ok(Value::Null)
}

fn turn(phone: &mut Phone, direction: &str) -> Answer {
    let rotation = match direction.to_ascii_lowercase().as_str() {
        "natural" | "n" => "0",
        "left" | "l" => "1",
        "right" | "r" => "3",
        _ => return Ok(Value::Null),
    };
    phone.lock_rotation(rotation);
    Ok(Value::Null)
}

fn freeze(phone: &mut Phone, is_frozen: bool) -> Answer {
    if is_frozen {
        let rotation = phone.rotation().to_string();
        phone.lock_rotation(&rotation);
    } else {
        phone.set("system", "accelerometer_rotation", Some("1"));
    }
    Ok(Value::Null)
}

fn paste(phone: &mut Phone) -> Answer {
    // A dark display takes no input.
    let Some(text) = phone.clipboard.clone().filter(|text| !text.is_empty() && phone.windows().is_lit) else {
        return Ok(json!(false));
    };
    phone.act(|sim| sim.type_text(&text))?;
    Ok(json!(true))
}

fn clear_focused(phone: &mut Phone) -> Answer {
    let screen = phone.screen()?;
    let is_meant = |flags: Flags| flags.has(Flags::EDITABLE) && flags.has(Flags::FOCUSED);
    let Some(field) = screen.widgets().iter().find(|widget| is_meant(widget.flags)) else {
        return Ok(Value::Null);
    };
    let at = field.bounds.centre();
    phone.act(|sim: &mut Sim| sim.replace_text(at, ""))?;
    Ok(Value::Null)
}

fn set_text(phone: &mut Phone, selector: &Selector, text: &str) -> Answer {
    let found = selector.wanted(phone)?;
    Ok(json!(replace_text(phone, found.widget(), text)?))
}

/// Replaces the text of a field, which is touched first unless it has the focus; returns true if it takes texts.
pub(super) fn replace_text(phone: &mut Phone, field: &Widget, text: &str) -> Result<bool, DeviceError> {
    if !field.flags.has(Flags::EDITABLE) || !phone.windows().is_lit {
        return Ok(false);
    }
    let (at, text) = (field.bounds.centre(), cut(text, CLIP_MAX).to_string());
    if !field.flags.has(Flags::FOCUSED) {
        phone.act(|sim: &mut Sim| sim.replace_text(at, &text))?;
        return Ok(true);
    }
    // A focused field needs no touch, which could be lost; and its caret may be anywhere in the text.
    phone.act(|sim| sim.edit(Edit::SelectAll, 1))?;
    if text.is_empty() {
        phone.act(|sim| sim.press(PressedKey::Delete, 1))?;
    } else {
        phone.act(|sim| sim.type_text(&text))?;
    }
    Ok(true)
}

/// Condition that ends a wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    There,
    Gone,
}

/// Lets time pass until an element is there, or gone, or the time is over.
fn wait(phone: &mut Phone, selector: &Selector, limit_ms: u64, until: Until) -> Answer {
    let mut left_ms = limit_ms;
    loop {
        let is_there = selector.find(phone)?.is_some();
        if is_there == (until == Until::There) {
            return Ok(json!(true));
        }
        if left_ms == 0 {
            return Ok(json!(false));
        }
        // In steps, so that an element brought by a timer ends the wait within a second.
        let step_ms = left_ms.min(LOOK_EVERY_MS);
        phone.sleep(step_ms)?;
        left_ms -= step_ms;
    }
}
