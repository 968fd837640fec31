//! A page as the script in the browser describes it, and the screen that it is.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use crate::device::{Notice, said};
use crate::gui::{
    Bounds, Context, Flags, Orientation, PageReport, Screen, WIDGETS_MAX, Widget, element_class,
    samples_by_rules,
};
use crate::text::{HIDDEN, variable_of, without_what_may_be_secret};

/// Longest text of an element that is kept, in bytes; the script cuts texts before.
const TEXT_BYTES_MAX: usize = 20_000;

/// Longest side of a view, far more than any display has.
const SIDE_MAX: u32 = 100_000;

/// Most calls of an error's trace that identify it.
const CALLS_MAX: usize = 3;

/// Address of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageUrl {
    /// Scheme, host and port.
    pub origin: String,
    /// Path, query and hash, from the slash on.
    pub place: String,
    /// User and key, if the address has them.
    pub secret: Option<UserAndKey>,
}

/// User and key in the address of a page: `user:key`, or a key alone. Each may be the name of a variable of the environment, like
/// `${KEY}`.
#[derive(Clone, PartialEq, Eq)]
pub struct UserAndKey(String);

/// Without user and key: they must not reach any output.
impl fmt::Debug for UserAndKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(HIDDEN)
    }
}

impl UserAndKey {
    /// Returns true if `***` takes their place, as in a stored test.
    pub fn is_hidden(&self) -> bool {
        self.0 == HIDDEN
    }

    /// Returns them with the values of the variables that they name, or the name of the first that has none.
    pub fn revealed(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<UserAndKey, String> {
        let revealed = |part: &str| match variable_of(part) {
            Some(name) => {
                let value = variable(name).filter(|value| !value.is_empty());
                value.map(|value| percent_encoded(&value)).ok_or_else(|| name.to_string())
            }
            None => Ok(part.to_string()),
        };
        let parts: Result<Vec<String>, String> = self.0.splitn(2, ':').map(revealed).collect();
        Ok(UserAndKey(parts?.join(":")))
    }

    /// Returns them as an address has them.
    #[cfg(feature = "webdriver")]
    pub(super) fn as_written(&self) -> &str {
        &self.0
    }
}

/// Returns `text` as the user or the key of an address may have it.
fn percent_encoded(text: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(encoded).collect()
}

/// An answer of the script that is no page.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The script failed.
    #[error("the script in it failed: {0}")]
    Script(String),
    /// The answer has another form.
    #[error("the answer has another form: {0}")]
    Form(String),
    /// The address is none of a page.
    #[error("`{}` is no address of a page; one is like `http://localhost:8000/`", without_what_may_be_secret(.0))]
    Url(String),
}

/// A page, and where its gestures are done.
#[derive(Clone, Debug)]
pub struct PageScreen {
    /// The screen.
    pub screen: Arc<Screen>,
    /// Width and height of the view.
    pub size: (u32, u32),
    /// Errors that nothing caught since the look before.
    pub notices: Vec<Notice>,
    /// By widget: the way on which a gesture reaches it.
    pub(super) reaches: Vec<Reach>,
}

/// Way on which a gesture reaches a widget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// True if it has to be scrolled to.
    pub is_outside: bool,
    /// True if it is an entry of a select.
    pub is_option: bool,
    /// Place of the widget that the mouse has to be over first.
    pub over: Option<usize>,
}

/// The answer of the script.
#[derive(Deserialize)]
struct Form {
    href: String,
    size: (u32, u32),
    errors: Vec<(String, String)>,
    /// Lines of the console since the look before, and the largest status of an answer; 0 if there was none.
    said: Vec<String>,
    status: u16,
    online: bool,
    widgets: Vec<Row>,
    /// Rules of its fields, see [`samples_by_rules`].
    #[serde(default)]
    fields: String,
}

/// An element: depth, tag, role, classes, id, text, name, bounds, bits, and the place of the element to be over first.
#[derive(Deserialize)]
struct Row(u16, String, String, String, String, String, String, [f64; 4], u32, i64);

/// Bits of a row, as the script has them, and what they say of a widget.
const BITS: [(u32, Flags); 13] = [
    (1, Flags::CLICKABLE),
    (2, Flags::DOUBLE_CLICKABLE),
    (4, Flags::CHECKABLE),
    (8, Flags::CHECKED),
    (16, Flags::ENABLED),
    (32, Flags::FOCUSED),
    (64, Flags::SELECTED),
    (128, Flags::PASSWORD),
    (256, Flags::SCROLLABLE),
    (512, Flags::EDITABLE),
    (1024, Flags::HOVERABLE),
    (4096, Flags::SLIDES),
    (8192, Flags::SIDEWAYS),
];

/// Bit of an element that has to be scrolled to.
const OUTSIDE: u32 = 2048;

impl PageUrl {
    /// Reads an address of the schemes `http`, `https` and `file`.
    pub fn parse(text: &str) -> Result<PageUrl, PageError> {
        let wrong = || PageError::Url(text.to_string());
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, place) = rest.split_at(end);
        let (secret, host) = match authority.rsplit_once('@') {
            Some((secret, host)) => (Some(UserAndKey(secret.to_string())), host),
            None => (None, authority),
        };
        let scheme = scheme.to_ascii_lowercase();
        let is_page = match &*scheme {
            "http" | "https" => is_host(host) && !text.contains(char::is_whitespace),
            "file" => secret.is_none() && host.is_empty() && place.len() > 1,
            _ => false,
        };
        if !is_page {
            return Err(wrong());
        }
        let place = if place.starts_with('/') { place.to_string() } else { format!("/{place}") };
        Ok(PageUrl { origin: format!("{scheme}://{}", host.to_ascii_lowercase()), place, secret })
    }

    /// Returns the origin with user and key, if it has them: where farlead goes to.
    #[cfg(feature = "webdriver")]
    pub(super) fn entry(&self) -> String {
        match (&self.secret, self.origin.split_once("://")) {
            (Some(secret), Some((scheme, host))) => format!("{scheme}://{}@{host}", secret.as_written()),
            (_, _) => self.origin.clone(),
        }
    }

    /// Returns the name of the place: its path and its hash.
    pub fn activity(&self) -> String {
        let (before, hash) = match self.place.split_once('#') {
            Some((before, hash)) => (before, format!("#{hash}")),
            None => (&*self.place, String::new()),
        };
        format!("{}{hash}", before.split('?').next().unwrap_or_default())
    }
}

impl PageScreen {
    /// Returns the part of the page that is seen.
    pub(super) fn view(&self) -> Bounds {
        Bounds::new(0, 0, self.size.0 as i32, self.size.1 as i32)
    }

    /// Reads the answer of the script.
    pub fn read(answer: Value) -> Result<PageScreen, PageError> {
        if let Some(failed) = answer["failed"].as_str() {
            return Err(PageError::Script(said(failed)));
        }
        let form: Form =
            serde_json::from_value(answer).map_err(|error| PageError::Form(said(&error.to_string())))?;
        let size = (form.size.0.min(SIDE_MAX), form.size.1.min(SIDE_MAX));
        let url = PageUrl::parse(&form.href).unwrap_or(PageUrl {
            origin: form.href,
            place: String::new(),
            secret: None,
        });
        let orientation = if size.0 > size.1 { Orientation::Landscape } else { Orientation::Portrait };
        let context = Context {
            orientation,
            network: form.online,
            crashed: !form.errors.is_empty(),
            ..Context::default()
        };
        let mut widgets = Vec::with_capacity(form.widgets.len().min(WIDGETS_MAX));
        let mut reaches = Vec::with_capacity(widgets.capacity());
        for row in form.widgets.into_iter().take(WIDGETS_MAX) {
            let Row(depth, tag, role, classes, id, text, name, bounds, bits, over) = row;
            let set = BITS.iter().filter(|(bit, _)| bits & bit != 0);
            let flags = set.fold(Flags::default(), |flags, (_, flag)| flags.set(*flag, true));
            // Only elements before this one can be around it.
            let over = usize::try_from(over).ok().filter(|over| *over < widgets.len());
            reaches.push(Reach { is_outside: bits & OUTSIDE != 0, is_option: tag == "option", over });
            let [left, top, right, bottom] = bounds.map(pixel);
            widgets.push(Widget {
                depth,
                class: element_class(&tag, &role, &classes).into(),
                id: cut(id),
                text: cut(text),
                desc: cut(name),
                bounds: Bounds::new(left, top, right, bottom),
                flags,
            });
        }
        let crash = form.errors.first().map(|(message, trace)| identity(message, trace).into());
        let notices = form.errors.into_iter().map(|(_, trace)| Notice::Crash(cut(trace))).collect();
        let samples = samples_by_rules(&widgets, &form.fields);
        let screen = Screen::new(url.origin.clone(), url.activity(), context, widgets).with_samples(samples);
        let console = (!form.said.is_empty()).then(|| cut(form.said.join("\n")));
        let report = PageReport::of(console, Some(form.status).filter(|status| *status != 0));
        let screen = Arc::new(screen.with_crash(crash).with_report(report));
        Ok(PageScreen { screen, size, notices, reaches })
    }

    /// Returns the screen of a dialog with this message, in front of the page before.
    pub(super) fn dialog(before: Option<&PageScreen>, message: &str) -> PageScreen {
        let (package, activity, context, size) = match before {
            Some(PageScreen { screen, size, .. }) => {
                (screen.package().clone(), screen.activity().clone(), screen.context(), *size)
            }
            None => (Arc::default(), Arc::default(), Context::default(), (1280, 900)),
        };
        let (width, height) = (size.0 as i32, size.1 as i32);
        let enabled = Flags::ENABLED;
        let widget = |depth, tag, role, id: &str, text: &str, row: i32, flags| Widget {
            depth,
            class: element_class(tag, role, "").into(),
            id: id.into(),
            text: cut(text.to_string()),
            desc: Arc::default(),
            bounds: Bounds::new(width / 4, height / 4 + row * 60, width * 3 / 4, height / 4 + (row + 1) * 60),
            flags,
        };
        let pressed = enabled.set(Flags::CLICKABLE, true);
        let widgets = vec![
            Widget {
                bounds: Bounds::new(width / 4, height / 4, width * 3 / 4, height / 4 + 240),
                ..widget(0, "dialog", "alertdialog", "", "", 0, enabled)
            },
            widget(1, "p", "", "", message, 0, enabled),
            widget(1, "input", "textbox", DIALOG_FIELD, "", 1, enabled.set(Flags::EDITABLE, true)),
            widget(1, "button", "button", DIALOG_OK, "OK", 2, pressed),
            widget(1, "button", "button", DIALOG_CANCEL, "Cancel", 3, pressed),
        ];
        let reaches = vec![Reach::default(); widgets.len()];
        let context = Context { crashed: false, ..context };
        PageScreen {
            screen: Arc::new(Screen::new(package, activity, context, widgets)),
            size,
            notices: Vec::new(),
            reaches,
        }
    }
}

/// Ids of the buttons and the field of a dialog of the browser.
pub(crate) const DIALOG_OK: &str = "dialog-ok";
pub(crate) const DIALOG_CANCEL: &str = "dialog-cancel";
pub(crate) const DIALOG_FIELD: &str = "dialog-field";

/// Returns true if `host` is a name with a port, if it has one. A slash in a key would leave a part of the key in place of the port.
fn is_host(host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        // An address of IPv6 has colons of its own, in brackets.
        Some((name, port)) if !port.ends_with(']') => (name, port),
        Some(_) | None => (host, ""),
    };
    !name.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the nearest pixel.
fn pixel(place: f64) -> i32 {
    // A number that is none becomes 0, and one out of range the nearest in range.
    place as i32
}

fn cut(mut text: String) -> Arc<str> {
    if text.len() > TEXT_BYTES_MAX {
        let end = (0..=TEXT_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
    }
    // They would steer a terminal, and nobody sees them on the page.
    let is_seen = |char: &char| !char.is_control() || matches!(char, '\t' | '\n' | '\r' | '\u{85}');
    if text.chars().all(|char| is_seen(&char)) {
        text.into()
    } else {
        text.chars().filter(is_seen).collect::<String>().into()
    }
}

/// Returns the identity of an error: its message without numbers, and its first calls without their lines.
fn identity(message: &str, trace: &str) -> String {
    let message: String = message.lines().next().unwrap_or_default().chars().take(200).collect();
    let without_numbers = message
        .split(|char: char| char.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("#");
    let calls = trace.lines().filter_map(call).take(CALLS_MAX);
    std::iter::once(without_numbers).chain(calls).collect::<Vec<_>>().join(" < ")
}

/// Returns the function of a line of a trace, as Chrome and Firefox write it: `    at f (http://a/b.js:1:2)`, `f@http://a/b.js:1:2`.
fn call(line: &str) -> Option<String> {
    let line = line.trim();
    let (function, place) = match line.strip_prefix("at ") {
        Some(rest) => match rest.rsplit_once(" (") {
            Some((function, place)) => (function, place.trim_end_matches(')')),
            None => ("", rest),
        },
        None => line.split_once('@')?,
    };
    let path = place.trim_end_matches(|char: char| char.is_ascii_digit() || char == ':');
    let file = path.rsplit('/').next().unwrap_or(path);
    let file = file.split(['?', '#']).next().unwrap_or(file);
    Some(if function.is_empty() { file.to_string() } else { format!("{function} ({file})") })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_address_has_an_origin_and_a_place() {
        for (text, origin, place, activity) in [
            ("http://localhost:8000", "http://localhost:8000", "/", "/"),
            ("HTTPS://Example.org/a/b?c=1#/d", "https://example.org", "/a/b?c=1#/d", "/a/b#/d"),
            ("http://a?b", "http://a", "/?b", "/"),
            ("file:///tmp/a.html", "file://", "/tmp/a.html", "/tmp/a.html"),
        ] {
            let url = PageUrl::parse(text).expect(text);
            assert_eq!((&*url.origin, &*url.place, &*url.activity()), (origin, place, activity));
        }
        for text in
            ["", "localhost:8000", "ftp://a/", "http:///a", "http://a b/", "file://host/a", "about:blank"]
        {
            assert!(PageUrl::parse(text).is_err(), "{text}");
        }
        for (text, is_page) in [("http://[::1]:80/", true), ("http://[::1]/", true), ("http://a:8o/", false)]
        {
            assert_eq!(PageUrl::parse(text).is_ok(), is_page, "{text}");
        }
    }

    #[test]
    fn a_user_and_a_key_are_no_part_of_the_origin_and_shown_nowhere() {
        let url = PageUrl::parse("http://anna:k3y@Host:80/a").expect("an address");
        assert_eq!((&*url.origin, &*url.place), ("http://host:80", "/a"));
        assert!(!format!("{url:?}").contains("k3y"));
        for wrong in ["http://anna:k3y@/", "http://anna:k3/y@host/", "anna:k3y@host", "ftp://anna:k3y@host/"]
        {
            let error = PageUrl::parse(wrong).expect_err(wrong).to_string();
            assert!(!error.contains("k3"), "{error}");
        }
    }

    #[test]
    fn a_user_and_a_key_may_be_names_of_variables() {
        let variable = |name: &str| match name {
            "KEY" => Some("k:3/y@é".to_string()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        let secret = |text: &str| {
            PageUrl::parse(&format!("http://{text}@a/")).expect(text).secret.expect("a user and a key")
        };
        for (text, revealed) in [
            ("anna:k3y", Ok("anna:k3y")),
            ("anna:${KEY}", Ok("anna:k%3A3%2Fy%40%C3%A9")),
            ("${KEY}", Ok("k%3A3%2Fy%40%C3%A9")),
            ("${USER}:${KEY}", Err("USER")),
            ("anna:${EMPTY}", Err("EMPTY")),
        ] {
            let found = secret(text).revealed(&variable);
            assert_eq!(found.map(|found| found.0), revealed.map(str::to_string).map_err(str::to_string));
        }
        assert!(secret("***").is_hidden() && !secret("a:***").is_hidden());
    }

    #[test]
    fn an_answer_becomes_a_screen() {
        let answer = json!({
            "href": "http://a/list#/done", "size": [400, 300], "online": true,
            "said": ["error: no list", "log: 2"], "status": 404,
            "errors": [["TypeError: 12 is no list", "TypeError: 12 is no list\n    at add (http://a/js/app.js?v=2:3:4)\n    at http://a/js/app.js:9:1"]],
            "widgets": [
                [0, "html", "", "", "", "", "", [0, 0, 400, 300], 16, -1],
                [1, "li", "listitem", "todo done", "", "Milk", "", [0, 0, 400, 20.4], 16, -1],
                [2, "button", "button", "destroy", "", "", "Delete", [0, 0, 400, 20], 2065, 1],
                [7, "option", "option", "", "", "b", "", [0, -1e300, 1e300, 20], 17, 9],
            ],
        });
        let page = PageScreen::read(answer).expect("a page");
        let screen = &page.screen;
        assert_eq!((&**screen.package(), &**screen.activity()), ("http://a", "/list#/done"));
        assert_eq!(screen.context().orientation, Orientation::Landscape);
        assert_eq!(
            screen.crash().map(|crash| &**crash),
            Some("TypeError: # is no list < add (app.js) < app.js")
        );
        let console = screen.console().map(|console| &**console);
        assert_eq!((console, screen.status()), (Some("error: no list\nlog: 2"), Some(404)));
        let [_, item, button, option] = screen.widgets() else { panic!("four widgets") };
        assert_eq!((&*item.class, &*item.text), ("li listitem todo done", "Milk"));
        assert!(button.flags.has(Flags::CLICKABLE) && &*button.desc == "Delete");
        assert_eq!(page.reaches[2], Reach { is_outside: true, is_option: false, over: Some(1) });
        assert_eq!(page.reaches[3], Reach { is_outside: false, is_option: true, over: None });
        assert_eq!((option.depth, option.bounds.top, option.bounds.right), (3, i32::MIN, i32::MAX));
    }

    #[test]
    fn an_odd_answer_is_an_error() {
        for answer in [json!(null), json!([]), json!({ "href": 1 }), json!({ "failed": "TypeError: a\n b" })]
        {
            assert!(PageScreen::read(answer).is_err());
        }
    }
}
