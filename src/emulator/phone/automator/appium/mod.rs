//! Appium's UiAutomator2 server: WebDriver over HTTP, in the words and with the paths of the real server.
//!
//! The driver on the host turns most requests of its clients into these. Elements are found on the window in front, and
//! are touched through pixels; an element that is gone is found again by its locator, as the real server does. A client
//! waits on its own clock, on which no virtual time passes: so a search that finds nothing lets [`POLL_MS`] pass.

mod actions;
mod device;
mod elements;
mod refusal;
mod source;
mod ui_selector;
mod xpath;

use serde_json::{Value, json};

use super::super::base64::base64;
use super::super::io::shown;
use super::super::log::{Buffer, Entry};
use super::super::picture;
use super::super::servers::{Kept, Server, Session};
use super::super::system::Phone;
use super::http::{Request, said};
use super::{gestures, rpc};
use crate::emulator::adbd::Ran;
use crate::gui::{Flags, Screen, Widget};
use elements::Place;
use refusal::Refusal;
use source::Page;

/// Virtual time of a search that finds nothing: the pause between two searches of Appium's implicit wait.
const POLL_MS: u64 = 500;

/// Longest capabilities that are kept, in bytes.
const CAPABILITIES_MAX: usize = 1 << 16;

/// Largest number of settings that are kept.
const SETTINGS_MAX: usize = 100;

/// Version of the server whose answers these are.
const VERSION: &str = "10.6.6";

type Answer = Result<Value, Refusal>;

/// Answers a complete request.
pub(super) fn answer(phone: &mut Phone, request: &[u8]) -> Vec<u8> {
    let Request { method, path, body } = Request::read(request);
    note(phone, &method, &path);
    let session = kept(phone).and_then(|kept| kept.session.as_ref()).map(|session| session.id.clone());
    let (status, session, value) = match route(phone, &method, &path, body) {
        Ok(value) => {
            // A new session is named in its own answer.
            let new = kept(phone).and_then(|kept| kept.session.as_ref()).map(|session| session.id.clone());
            ("200 OK", new.or(session), value)
        }
        Err(Refusal { status, error, message }) => {
            (status, session, json!({"error": error, "message": message, "stacktrace": ""}))
        }
    };
    let answer = json!({"sessionId": session.unwrap_or("None".to_string()), "value": value});
    said(status, "application/json; charset=UTF-8", answer.to_string().as_bytes())
}

/// Notes a request in the log, as the real server does.
fn note(phone: &mut Phone, method: &str, path: &str) {
    let Some(pid) = phone.automator.as_ref().map(|automator| automator.pid) else { return };
    let message = format!("channel read: {} {}", shown(method), shown(path));
    let entry = Entry { at_ms: phone.uptime_ms, pid, level: 'I', tag: "appium".into(), message };
    phone.log.add(Buffer::Main, entry);
}

/// Returns the state of the server while it runs.
fn kept(phone: &mut Phone) -> Option<&mut Kept> {
    match &mut phone.automator.as_mut()?.server {
        Server::Appium(kept) => Some(kept),
        Server::Uiautomator2 => None,
    }
}

/// Returns true if the setting `name` is set to true.
fn is_set(phone: &mut Phone, name: &str) -> bool {
    kept(phone).and_then(|kept| kept.settings.get(name)).is_some_and(|value| *value == json!(true))
}

fn route(phone: &mut Phone, method: &str, path: &str, body: &[u8]) -> Answer {
    // Drivers before version 2 have this prefix.
    let path = path.strip_prefix("/wd/hub").unwrap_or(path);
    let words: Vec<&str> = path.split('/').filter(|word| !word.is_empty()).collect();
    match (method, &words[..]) {
        ("GET", ["status"]) => Ok(json!({
            "ready": true,
            "message": "UiAutomator2 Server is ready to accept commands",
            "build": {"version": VERSION, "versionCode": 220},
        })),
        ("GET", ["sessions"]) => {
            let session = kept(phone).and_then(|kept| kept.session.as_ref());
            Ok(session
                .map(|session| json!({"id": session.id, "capabilities": session.capabilities}))
                .into_iter()
                .collect())
        }
        ("POST", ["session"]) => start(phone, &read(body)?),
        (_, ["session", id, rest @ ..]) => {
            let session = kept(phone).and_then(|kept| kept.session.as_ref());
            if session.is_none_or(|session| session.id != **id) {
                return Err(Refusal::session());
            }
            in_session(phone, method, rest, &read(body)?)
        }
        _ => Err(Refusal::command(method, path)),
    }
}

/// Reads a body as JSON; no body stands for an empty object.
fn read(body: &[u8]) -> Answer {
    if body.is_empty() {
        return Ok(json!({}));
    }
    // The reader bounds the nesting.
    let value = serde_json::from_slice(body).map_err(|error| Refusal::argument(error.to_string()))?;
    match value {
        Value::Object(_) => Ok(value),
        Value::Null => Ok(json!({})),
        _ => Err(Refusal::argument("the body is not an object in JSON")),
    }
}

/// Opens a session, in place of the one before.
fn start(phone: &mut Phone, body: &Value) -> Answer {
    let wanted = body.get("capabilities").ok_or_else(|| Refusal::argument("`capabilities` is missing"))?;
    let mut capabilities = serde_json::Map::new();
    for part in [wanted.pointer("/firstMatch/0"), wanted.get("alwaysMatch")] {
        capabilities.extend(part.and_then(Value::as_object).cloned().unwrap_or_default());
    }
    let capabilities = Value::Object(capabilities);
    if capabilities.to_string().len() > CAPABILITIES_MAX {
        return Err(Refusal::argument("the capabilities are too long"));
    }
    let seed = phone.seed.0;
    let Some(kept) = kept(phone) else { return Err(Refusal::session()) };
    kept.sessions += 1;
    // The same seed, the same bytes: an id needs no chance of its own.
    let id = format!(
        "{:08x}-{:04x}-4000-8000-{:012x}",
        seed >> 32,
        seed >> 16 & 0xffff,
        (seed & 0xffff) << 32 | kept.sessions
    );
    let answer = json!({"sessionId": id, "capabilities": capabilities});
    *kept = Kept { session: Some(Session { id, capabilities }), sessions: kept.sessions, ..Kept::default() };
    Ok(answer)
}

fn in_session(phone: &mut Phone, method: &str, words: &[&str], body: &Value) -> Answer {
    match (method, words) {
        ("GET", []) => Ok(json!({"lastScrollData": null})),
        ("DELETE", []) => {
            // The test that is the server passes, and its process ends.
            phone
                .stop_automator(Ran { stdout: b"\nTime: 1.0\n\nOK (1 test)\n\n".to_vec(), ..Ran::default() });
            Ok(Value::Null)
        }
        ("GET", ["source"]) => {
            let screen = phone.screen()?;
            // A source takes as long as a dump.
            phone.faults.slow_down();
            Ok(json!(Page::new(phone, &screen).to_xml()))
        }
        ("GET", ["screenshot"]) => Ok(png(&phone.framebuffer())),
        ("POST", ["element"]) => elements::find_one(phone, body),
        ("POST", ["elements"]) => elements::find_all(phone, body),
        ("GET" | "POST", ["element", "active"]) => active(phone),
        (_, ["element", id, rest @ ..]) => of_element(phone, method, id, rest, body),
        ("POST", ["actions"]) => actions::perform(phone, body),
        ("POST", ["back"]) => {
            rpc::press_code(phone, 4)?;
            Ok(Value::Null)
        }
        ("POST", ["keys"]) => {
            let screen = phone.screen()?;
            let active = focused(&screen).ok_or_else(Refusal::element)?;
            type_into(phone, None, &active, body)
        }
        (_, ["alert", what]) => alert(phone, method, what, body),
        ("GET", ["appium", "settings"]) => Ok(settings(phone)),
        ("POST", ["appium", "settings"]) => set(phone, body),
        _ => device::answer(phone, method, words, body),
    }
}

fn png(picture: &picture::Framebuffer) -> Value {
    json!(String::from_utf8_lossy(&base64(&picture::png(picture), 0)))
}

/// Returns the text `name` of a request.
fn text(body: &Value, name: &str) -> Result<String, Refusal> {
    let text = body.get(name).and_then(Value::as_str).map(str::to_string);
    text.ok_or_else(|| Refusal::argument(format!("`{name}` is missing or no text")))
}

fn settings(phone: &mut Phone) -> Value {
    let mut all = json!({
        "actionAcknowledgmentTimeout": 3_000,
        "allowInvisibleElements": false,
        "enableMultiWindows": false,
        "enableNotificationListener": true,
        "ignoreUnimportantViews": false,
        "keyInjectionDelay": 0,
        "scrollAcknowledgmentTimeout": 200,
        "serverPort": 6_790,
        "snapshotMaxDepth": 70,
        "waitForIdleTimeout": 10_000,
        "waitForSelectorTimeout": 10_000,
    });
    let set = kept(phone).map(|kept| kept.settings.clone()).unwrap_or_default();
    if let Some(all) = all.as_object_mut() {
        all.extend(set);
    }
    all
}

/// Changes settings; those that have no effect here are kept too, as a client reads them back.
fn set(phone: &mut Phone, body: &Value) -> Answer {
    let new = body.get("settings").and_then(Value::as_object);
    let new = new.ok_or_else(|| Refusal::argument("`settings` is missing or no object"))?;
    let Some(kept) = kept(phone) else { return Err(Refusal::session()) };
    for (name, value) in new {
        let is_room = kept.settings.len() < SETTINGS_MAX || kept.settings.contains_key(name);
        if value.is_array() || value.is_object() || name.len() > 100 || !is_room {
            return Err(Refusal::argument(format!("`{}` is no setting", shown(name))));
        }
        kept.settings.insert(name.clone(), value.clone());
    }
    Ok(settings(phone))
}

fn focused(screen: &Screen) -> Option<Widget> {
    screen.widgets().iter().find(|widget| widget.flags.has(Flags::FOCUSED)).cloned()
}

fn active(phone: &mut Phone) -> Answer {
    let screen = phone.screen()?;
    let at = screen.widgets().iter().position(|widget| widget.flags.has(Flags::FOCUSED));
    Ok(elements::keep(phone, &screen, at.ok_or_else(Refusal::element)?, None))
}

/// Answers a request about one element.
fn of_element(phone: &mut Phone, method: &str, id: &str, words: &[&str], body: &Value) -> Answer {
    if let ("POST", ["element" | "elements"]) = (method, words) {
        let mut body = body.clone();
        body["context"] = json!(id);
        return match words {
            ["element"] => elements::find_one(phone, &body),
            _ => elements::find_all(phone, &body),
        };
    }
    let Place { screen, at } = elements::place(phone, id)?;
    let widget = &screen.widgets()[at];
    let bounds = widget.bounds;
    let (width, height) = (bounds.right - bounds.left, bounds.bottom - bounds.top);
    let attribute = |name: &str| source::attribute_of(&screen, at, name);
    match (method, words) {
        ("POST", ["click"]) => {
            let centre = bounds.centre();
            gestures::touch(phone, centre, centre, 0)?;
            Ok(Value::Null)
        }
        ("POST", ["value"]) => type_into(phone, Some(id), widget, body),
        ("POST", ["clear"]) => put(phone, widget, ""),
        ("GET", ["text"]) => Ok(json!(widget.text)),
        ("GET", ["name"]) => Ok(attribute("content-desc")?),
        ("GET", ["attribute", name]) => attribute(name),
        ("GET", [name @ ("displayed" | "enabled" | "selected")]) => {
            Ok(json!(attribute(name)? == json!("true")))
        }
        ("GET", ["rect"]) => Ok(json!({"x": bounds.left, "y": bounds.top, "width": width, "height": height})),
        ("GET", ["size"]) => Ok(json!({"width": width, "height": height})),
        ("GET", ["location"]) => Ok(json!({"x": bounds.left, "y": bounds.top})),
        ("GET", ["screenshot"]) => {
            let picture = phone.framebuffer().part(bounds);
            Ok(png(&picture.ok_or_else(|| Refusal::element_state("the element is not on the display"))?))
        }
        _ => Err(Refusal::command(method, &format!("/session/:sessionId/element/:id/{}", words.join("/")))),
    }
}

/// Puts a text in the place of a field's own.
fn put(phone: &mut Phone, field: &Widget, text: &str) -> Answer {
    if rpc::replace_text(phone, field, text)? {
        return Ok(Value::Null);
    }
    let said = format!("Cannot set the element to '{text}'. Did you interact with the correct element?");
    Err(Refusal::element_state(said))
}

/// Types behind the text of a field, or in its place.
fn type_into(phone: &mut Phone, id: Option<&str>, field: &Widget, body: &Value) -> Answer {
    // Clients before W3C send their letters in a list.
    let text = match (body.get("text").and_then(Value::as_str), body.get("value")) {
        (Some(text), _) => text.to_string(),
        (None, Some(Value::Array(letters))) => letters.iter().filter_map(Value::as_str).collect(),
        (None, _) => return Err(Refusal::argument("`text` is missing or no text")),
    };
    let replaces = matches!(body.get("replace"), Some(Value::Bool(true)))
        || body.get("replace").and_then(Value::as_str) == Some("true");
    // The server takes the two letters `\n` at the end for Enter, too.
    let plain = text.strip_suffix("\\n").or_else(|| text.strip_suffix('\n'));
    let (text, submits) = (plain.unwrap_or(&text), plain.is_some());
    let mut field = field.clone();
    let mut before = field.text.to_string();
    if !before.is_empty() {
        put(phone, &field, "")?;
        let now = match id {
            Some(id) => {
                elements::place(phone, id).ok().map(|Place { screen, at }| screen.widgets()[at].clone())
            }
            None => phone.screen().ok().and_then(|screen| focused(&screen)),
        };
        field = now.unwrap_or(field);
        // What cannot be cleared was a hint.
        if *field.text == *before {
            before.clear();
        }
    }
    let text = if replaces { text.to_string() } else { before + text };
    put(phone, &field, &text)?;
    if submits {
        rpc::press_code(phone, 66)?;
    }
    Ok(Value::Null)
}

/// Reads or answers the dialog on the screen.
fn alert(phone: &mut Phone, method: &str, what: &str, body: &Value) -> Answer {
    let screen = phone.screen()?;
    let is_button = |widget: &&Widget| widget.id.starts_with("android:id/button") && widget.is_visible();
    let buttons: Vec<&Widget> = screen.widgets().iter().filter(is_button).collect();
    let named = |id: &str| buttons.iter().copied().find(|widget| *widget.id == *id);
    let (Some(first), Some(last)) = (buttons.first(), buttons.last()) else { return Err(Refusal::alert()) };
    let button = match (method, what) {
        ("GET", "text") => {
            let texts =
                screen.widgets().iter().filter(|widget| !is_button(widget) && !widget.text.is_empty());
            return Ok(json!(texts.map(|widget| &*widget.text).collect::<Vec<&str>>().join("\n")));
        }
        ("POST", "accept") => named("android:id/button1").unwrap_or(last),
        ("POST", "dismiss") => named("android:id/button2").unwrap_or(first),
        _ => return Err(Refusal::command(method, &format!("/session/:sessionId/alert/{what}"))),
    };
    let button = match body.get("buttonLabel").and_then(Value::as_str) {
        Some(label) => {
            let found = buttons.iter().copied().find(|widget| *widget.text == *label);
            found.ok_or_else(|| Refusal::argument(format!("the dialog has no button `{label}`")))?
        }
        None => button,
    };
    let centre = button.bounds.centre();
    gestures::touch(phone, centre, centre, 0)?;
    Ok(Value::Null)
}
