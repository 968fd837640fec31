//! A page in a browser as a device.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use super::bidi::Bidi;
use super::client::{Server, Session};
use super::driver::Driver;
use super::gestures::{click, down, keyboard, moved, pause, pressed, typed, up};
use super::page::{DIALOG_CANCEL, DIALOG_FIELD, DIALOG_OK, PageError, PageScreen, PageUrl, Reach};
use super::{Place, WebDriverError};
use crate::deflated;
use crate::device::{App, Capabilities, Device, DeviceError, Hand, Observation};
use crate::gui::{
    Action, Bounds, DeviceAction, Direction, Gesture, Pixels, PressedKey, Stroke, Target, TextForm, Touch,
};
use crate::spec::{ReadError, read_text};

/// The script that looks, packed.
const LOOK: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/look.js.deflated"));

/// The script that notes what cannot be seen afterwards, packed.
const HOOK: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/hook.js.deflated"));

/// The script that scrolls to an element `e` and returns where it is then.
const BRING: &str = include_str!("bring.js");

/// The script that gives a field `e` a value.
const SET: &str = include_str!("set.js");

/// The script that gets an option `e` ready to be chosen, and returns it.
const CHOOSE: &str = include_str!("choose.js");

/// Name of the notes within a page.
const NOTES: &str = "window[Symbol.for('farlead')]";

/// Width and height of a narrow window.
const NARROW: (u32, u32) = (390, 844);

/// Answer of the script that looks for a page behind another window, which draws no frames and answers no wheel.
const BEHIND: &str = "behind";

/// Answer of that script if the page has asked for another window.
const OPENS: &str = "opens";

/// Most pauses until such a window is there, and their time; a browser may refuse it.
const OPENS_PAUSES_MAX: u32 = 8;
const OPENS_PAUSE: Duration = Duration::from_millis(60);

/// Answer of that script while the page gives way to another one.
const LEAVES: &str = "leaves";

/// Most looks at a page that loads another meanwhile.
const LOOKS_MAX: u32 = 5;

/// Choices of how a browser is used.
#[derive(Clone, Debug)]
pub struct Options {
    /// Capabilities that take the place of the usual ones with the same names.
    pub capabilities: Value,
    /// Time that a page gets to come to rest.
    pub rest: Duration,
    /// Time in which the server answers.
    pub answer: Duration,
    /// Time for which a request may wait for a browser at the server.
    pub queue: Duration,
    /// Time within which a server that refuses is asked again.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            capabilities: json!({}),
            rest: Duration::from_secs(3),
            answer: Duration::from_secs(90),
            queue: Duration::from_secs(300),
            patience: Duration::from_secs(60),
        }
    }
}

impl Options {
    /// Returns the choices with the capabilities in the file at `path`, if there is one.
    pub fn with_capabilities(path: Option<&Path>) -> Result<Options, CapabilitiesError> {
        let Some(path) = path else { return Ok(Options::default()) };
        let text = read_text(path)?;
        let wrong = |why: String| CapabilitiesError::Form { path: path.display().to_string(), why };
        let capabilities: Value =
            serde_json::from_str(text.text()).map_err(|error| wrong(error.to_string()))?;
        if !capabilities.is_object() {
            return Err(wrong("capabilities are one JSON object".to_string()));
        }
        Ok(Options { capabilities, ..Options::default() })
    }
}

/// A file of capabilities that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CapabilitiesError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It has another form.
    #[error("{path}: {why}")]
    Form {
        /// The file.
        path: String,
        /// The mistake.
        why: String,
    },
}

/// Means by which a browser does what the requests of a session have no words for.
enum Means {
    /// Commands of Chrome's own protocol.
    Chrome,
    /// The socket of the session.
    Socket(Box<Bidi>),
    /// It has none that are known here.
    None,
}

/// A page in a browser.
pub struct Web {
    // The session ends before its driver does, as fields are dropped in this order.
    session: Session,
    _driver: Option<Driver>,
    app: App,
    origin: String,
    /// Origin with user and key, if the page has them.
    entry: String,
    /// User and key, as in `user:key`.
    secret: Option<String>,
    description: String,
    /// Name of the window that shows the page.
    window: String,
    means: Means,
    /// The script that looks, with the notes that it needs where none were taken before.
    look: String,
    rest: Duration,
    began: Instant,
    /// The latest look.
    now: Option<PageScreen>,
    /// True while a dialog of the browser is in front.
    has_dialog: bool,
    /// True if no window of this session is in front of the page, and it is still not to be seen, as under windows of others.
    stays_behind: bool,
    /// Window before it was made narrow.
    wide: Option<Value>,
}

impl Web {
    /// Opens a browser at `place` for the page at `url`.
    pub fn open(place: &Place, url: &PageUrl, options: &Options) -> Result<Web, WebDriverError> {
        let (driver, address, mut capabilities) = match place {
            Place::Here(browser) => {
                let driver = Driver::start(*browser)?;
                let (address, folder) = (driver.address.clone(), driver.folder());
                let capabilities = browser.capabilities(folder);
                (Some(driver), address, capabilities)
            }
            Place::At(address) => (None, address.clone(), json!({})),
        };
        capabilities["unhandledPromptBehavior"] = json!("ignore");
        if let (Value::Object(known), Value::Object(own)) = (&mut capabilities, &options.capabilities) {
            known.extend(own.clone());
        }
        if capabilities["browserName"] == "firefox" && capabilities.get("webSocketUrl").is_none() {
            capabilities["webSocketUrl"] = json!(true);
        }
        // A hub keeps a request until it has a browser.
        let mut server = Server::new(&address, options.answer.max(options.queue));
        let secret = url.secret.as_ref().map(|secret| secret.as_written().to_string());
        if let Some(secret) = &secret {
            server.hide(secret);
        }
        // A browser that does not start here would not start later either.
        let patience = if driver.is_some() { Duration::ZERO } else { options.patience };
        let (mut session, has) = server.begin_within(&capabilities, patience)?;
        session.answer_within(options.answer);
        let word = |key: &str| has[key].as_str().unwrap_or_default().to_string();
        let (name, version) = (word("browserName"), word("browserVersion"));
        let major = version.split('.').next().unwrap_or_default();
        let at = match place {
            Place::Here(_) => String::new(),
            Place::At(_) => format!(" at {}", server.shown()),
        };
        let window = session.get("/window")?.as_str().unwrap_or_default().to_string();
        let is_chrome = name.contains("chrom") || name.eq_ignore_ascii_case("msedge");
        let hook = deflated::text(HOOK);
        let means = match has["webSocketUrl"].as_str() {
            _ if is_chrome => {
                let source = json!({ "source": hook });
                chrome(&session, "Page.addScriptToEvaluateOnNewDocument", source)?;
                // Files would go to the user's own folder. A browser without such a folder may refuse the command.
                match chrome(&session, "Browser.setDownloadBehavior", json!({ "behavior": "deny" })) {
                    Ok(_) | Err(WebDriverError::Failed { .. }) => Means::Chrome,
                    Err(error) => return Err(error),
                }
            }
            Some(address) => {
                let mut socket = Bidi::connect(address)?;
                socket.run_first(&hook)?;
                Means::Socket(socket.into())
            }
            None => Means::None,
        };
        let start: Arc<str> = url.place.as_str().into();
        let web = Web {
            session,
            _driver: driver,
            app: App {
                package: url.origin.as_str().into(),
                version: Arc::default(),
                launchable: vec![start],
                activities: Vec::new(),
            },
            origin: url.origin.clone(),
            entry: url.entry(),
            secret,
            description: format!("{name} {major}{at}").trim().to_string(),
            window,
            means,
            look: format!("{hook}\n{}", deflated::text(LOOK)),
            rest: options.rest,
            began: Instant::now(),
            now: None,
            has_dialog: false,
            stays_behind: false,
            wide: None,
        };
        let limits =
            json!({ "script": options.rest.as_millis() as u64 + 20_000, "pageLoad": 60_000, "implicit": 0 });
        web.session.post("/timeouts", &limits)?;
        Ok(web)
    }

    fn start_afresh(&mut self, activity: &str) -> Result<Observation, WebDriverError> {
        self.leave_dialog()?;
        if let Means::Socket(socket) = &mut self.means {
            // It has no cookies, no storage and no history, and the mouse is over nothing.
            self.window = socket.fresh_window()?;
            self.session.post("/window", &json!({ "handle": self.window }))?;
            self.close_others()?;
        } else {
            self.close_others()?;
            self.clear()?;
        }
        // A dialog that came up after the last look is gone by now, and refuses this no more.
        if let Some(wide) = self.wide.take() {
            self.session.post("/window/rect", &wide)?;
        }
        self.began = Instant::now();
        self.now = None;
        self.session.post("/url", &json!({ "url": format!("{}{activity}", self.entry) }))?;
        self.look_now()
    }

    /// Removes what the page has stored, and leaves it.
    fn clear(&self) -> Result<(), WebDriverError> {
        // What belongs to the window, and not to the origin, is cleared by the page itself.
        let clear =
            "try { window.onbeforeunload = null; sessionStorage.clear(); localStorage.clear(); } catch {}";
        let clear = json!({ "script": clear, "args": [] });
        let cleared = self.session.post("/execute/sync", &clear);
        if cleared.as_ref().is_err_and(|error| error.is("unexpected alert open")) {
            // A dialog that came up after the last look.
            self.session.post("/alert/dismiss", &json!({}))?;
        } else {
            self.leave_alone(cleared)?;
        }
        self.session.post("/url", &json!({ "url": "about:blank" }))?;
        // The mouse would be over whatever the page shows there.
        self.session.gestures(vec![mouse(vec![moved(0, 0)])])?;
        if let Means::Chrome = self.means {
            if self.origin != "file://" {
                let all = json!({ "origin": self.origin, "storageTypes": "all" });
                chrome(&self.session, "Storage.clearDataForOrigin", all)?;
            }
        } else {
            self.session.post("/url", &json!({ "url": format!("{}/", self.entry) }))?;
            let cleared = self.session.post("/execute/sync", &clear);
            self.leave_alone(cleared)?;
            self.session.delete("/cookie")?;
        }
        Ok(())
    }

    /// Closes the windows that the page has opened, and returns true if there were any.
    fn close_others(&self) -> Result<bool, WebDriverError> {
        let windows = self.session.get("/window/handles")?;
        let windows: Vec<&str> = windows.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if windows.len() < 2 {
            return Ok(false);
        }
        for other in windows.into_iter().filter(|window| *window != self.window) {
            self.session.post("/window", &json!({ "handle": other }))?;
            self.session.delete("/window")?;
        }
        self.session.post("/window", &json!({ "handle": self.window })).map(|_| true)
    }

    /// Leaves out the error of a script that the page before refuses.
    fn leave_alone(&self, answer: Result<Value, WebDriverError>) -> Result<(), WebDriverError> {
        match answer {
            Err(error) if !error.is("javascript error") => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn leave_dialog(&mut self) -> Result<(), WebDriverError> {
        if std::mem::take(&mut self.has_dialog) {
            self.session.post("/alert/dismiss", &json!({}))?;
        }
        Ok(())
    }

    fn look_now(&mut self) -> Result<Observation, WebDriverError> {
        let rest = json!(self.rest.as_millis() as u64);
        let mut looks = 0;
        let seen = loop {
            looks += 1;
            // A script in this page never hears of the page after it; the drivers of other browsers end it then.
            let driver_waits = matches!(self.means, Means::Chrome);
            let asked =
                [rest.clone(), self.stays_behind.into(), driver_waits.into(), (looks >= LOOKS_MAX).into()];
            match self.session.script(&self.look, &asked) {
                Ok(answer) if answer == BEHIND => {
                    self.stays_behind = !self.close_others()?;
                }
                Ok(answer) if answer == OPENS => {
                    for _ in 0..OPENS_PAUSES_MAX {
                        if self.close_others()? {
                            break;
                        }
                        thread::sleep(OPENS_PAUSE);
                    }
                }
                Ok(answer) if answer == LEAVES => {}
                // The page was left while the script ran in it, as Firefox says that.
                Ok(Value::Null) if looks < LOOKS_MAX => {}
                Ok(answer) => {
                    let seen = PageScreen::read(self.without_secret(answer))?;
                    let is_left = &**seen.screen.package() == "about:blank" && self.now.is_some();
                    if !is_left || looks >= LOOKS_MAX {
                        break seen;
                    }
                    // Back from the first page leads nowhere.
                    self.session.post("/forward", &json!({}))?;
                }
                Err(error) if error.is("unexpected alert open") => {
                    self.has_dialog = true;
                    let message = self.session.get("/alert/text").ok();
                    let message = self.without_secret(message.unwrap_or_default());
                    break PageScreen::dialog(self.now.as_ref(), message.as_str().unwrap_or_default());
                }
                // As Chrome says it.
                Err(error) if error.is("javascript error") && looks < LOOKS_MAX => {}
                Err(error) => return Err(error),
            }
        };
        let at_ms = self.began.elapsed().as_millis() as u64;
        let observation = Observation {
            screen: seen.screen.clone(),
            at_ms,
            notices: seen.notices.clone().into(),
            picture: None,
        };
        self.now = Some(seen);
        Ok(observation)
    }

    /// Returns `answer` without user and key in the addresses that it has.
    fn without_secret(&self, answer: Value) -> Value {
        match &self.secret {
            Some(secret) => without(&format!("{secret}@"), answer),
            None => answer,
        }
    }

    fn perform(&mut self, action: &Action) -> Result<(), WebDriverError> {
        if self.has_dialog {
            return self.answer_dialog(action);
        }
        match action {
            Action::Reinitialise(_) => Ok(()),
            Action::Touch(touch, on) => {
                let spot = self.reach(on)?;
                if let (Touch::Click, Some(at)) = (touch, spot.option) {
                    return self.choose(at);
                }
                let mut gestures = vec![spot.moved()];
                match touch {
                    Touch::Click => gestures.extend(click()),
                    Touch::DoubleClick => gestures.extend(click().into_iter().chain(click())),
                    Touch::LongClick => gestures.extend([down(), pause(800), up()]),
                    Touch::Hover => {}
                }
                self.session.gestures(vec![mouse(gestures)])
            }
            Action::Text { on, text } => {
                let mut gestures = vec![self.reach(on)?.moved()];
                gestures.extend(click());
                let number =
                    self.number(on).filter(|_| TextForm::of(&on.class).is_some_and(TextForm::is_in_parts));
                self.session.gestures(vec![mouse(gestures)])?;
                match number {
                    Some(at) => self.set(at, text),
                    None => self.session.gestures(vec![keyboard(replaced(text))]),
                }
            }
            Action::Stroke(Stroke::Scroll, on, towards) => {
                let (bounds, number) = self.find(on);
                let view = self.now.as_ref().map_or(bounds, PageScreen::view);
                let bounds = bounds.intersection(view);
                let (start, end) = towards.across(bounds);
                if matches!(towards, Direction::Left | Direction::Right) {
                    return self.scroll_sideways(number, end.0 - start.0);
                }
                let (x, y) = bounds.centre();
                let wheel = json!({ "type": "scroll", "x": x.max(0), "y": y.max(0), "duration": 0,
                    "deltaX": end.0 - start.0, "deltaY": end.1 - start.1 });
                self.session.gestures(vec![json!({ "type": "wheel", "id": "wheel", "actions": [wheel] })])
            }
            Action::Stroke(Stroke::Swipe, on, towards) => {
                let spot = self.reach(on)?;
                let end = towards.across(spot.bounds).1;
                self.session.gestures(vec![mouse(vec![spot.moved(), down(), moved(end.0, end.1), up()])])
            }
            Action::Device(asked) => match asked {
                DeviceAction::Back => self.go("/back"),
                DeviceAction::Forward => self.go("/forward"),
                DeviceAction::Reload => self.go("/refresh"),
                DeviceAction::Resize => self.resize(),
                DeviceAction::Enter => self.session.gestures(vec![keyboard(pressed(key(PressedKey::Enter)))]),
                DeviceAction::Escape => {
                    self.session.gestures(vec![keyboard(pressed(key(PressedKey::Escape)))])
                }
                DeviceAction::Menu
                | DeviceAction::Rotate
                | DeviceAction::Network
                | DeviceAction::PauseResume
                | DeviceAction::Idle => Err(WebDriverError::NoAction { action: action.to_string() }),
            },
            Action::User { action, on } => {
                action.gestures.iter().try_for_each(|gesture| self.perform_gesture(gesture, on))
            }
        }
    }

    fn perform_gesture(&mut self, gesture: &Gesture, on: &Target) -> Result<(), WebDriverError> {
        let gestures = match gesture {
            Gesture::Tap(at) | Gesture::LongTap(at) => {
                let (x, y) = at.on(self.reach(on)?.bounds);
                let hold = if matches!(gesture, Gesture::LongTap(_)) { 800 } else { 0 };
                mouse(vec![moved(x, y), down(), pause(hold), up()])
            }
            Gesture::Swipe { from, to } => {
                let bounds = self.reach(on)?.bounds;
                let ((x, y), (to_x, to_y)) = (from.on(bounds), to.on(bounds));
                mouse(vec![moved(x, y), down(), moved(to_x, to_y), up()])
            }
            Gesture::Text(text) => keyboard(typed(text)),
            Gesture::Key(PressedKey::Back) => return self.go("/back"),
            Gesture::Key(named) => keyboard(pressed(key(*named))),
            Gesture::Wait { ms } => {
                thread::sleep(Duration::from_millis((*ms).into()));
                return Ok(());
            }
        };
        self.session.gestures(vec![gestures])
    }

    fn go(&self, path: &str) -> Result<(), WebDriverError> {
        self.session.post(path, &json!({})).map(drop)
    }

    fn resize(&mut self) -> Result<(), WebDriverError> {
        match self.wide.take() {
            Some(wide) => self.session.post("/window/rect", &wide)?,
            None => {
                self.wide = Some(self.session.get("/window/rect")?);
                let (width, height) = NARROW;
                self.session.post("/window/rect", &json!({ "width": width, "height": height }))?
            }
        };
        Ok(())
    }

    fn answer_dialog(&mut self, action: &Action) -> Result<(), WebDriverError> {
        let id = action.target().map_or("", |on| &*on.id);
        let answer = match (action, id) {
            (Action::Text { text, .. }, DIALOG_FIELD) => {
                self.session.post("/alert/text", &json!({ "text": text }))
            }
            (Action::Touch(..), DIALOG_OK) => self.session.post("/alert/accept", &json!({})),
            (Action::Touch(..), DIALOG_CANCEL) => self.session.post("/alert/dismiss", &json!({})),
            // A dialog takes everything else away from the page.
            _ => return Ok(()),
        };
        self.has_dialog = id == DIALOG_FIELD;
        match answer {
            // Only a prompt has a field.
            Err(error) if error.is("element not interactable") || error.is("unsupported operation") => Ok(()),
            other => other.map(drop),
        }
    }

    /// Returns the number of the widget in the latest look.
    fn number(&self, on: &Target) -> Option<usize> {
        let mut found = None;
        self.now.as_ref()?.screen.for_each_object(|at, _, object_id| {
            if object_id == &*on.object_id {
                found = Some(at);
            }
        });
        found
    }

    /// Returns the bounds of the widget, which it has in the latest look, and its number there.
    fn find(&self, on: &Target) -> (Bounds, Option<usize>) {
        let number = self.number(on);
        let widget = number.and_then(|at| self.now.as_ref()?.screen.widgets().get(at));
        (widget.map_or(on.bounds, |widget| widget.bounds), number)
    }

    /// Brings the widget into view, and the mouse to where it has to be before it is there at all.
    fn reach(&mut self, on: &Target) -> Result<Spot, WebDriverError> {
        let (bounds, number) = self.find(on);
        let Some((at, now)) = number.zip(self.now.as_ref()) else {
            return Ok(Spot { bounds, option: None });
        };
        let Reach { is_outside, is_option, over } = now.reaches[at];
        let (x, y) = bounds.centre();
        let is_inside = now.view().contains(x, y);
        if is_option || (is_inside && !is_outside && over.is_none()) {
            return Ok(Spot { bounds, option: is_option.then_some(at) });
        }
        if let Some(over) = over {
            let (x, y) = self.brought(over)?.centre();
            self.session.gestures(vec![mouse(vec![moved(x, y)])])?;
        }
        Ok(Spot { bounds: self.brought(at)?, option: None })
    }

    /// Scrolls to the element of the latest look, if it is out of view, and returns its bounds there.
    fn brought(&self, at: usize) -> Result<Bounds, WebDriverError> {
        let script = format!("const e = {NOTES}.nodes[arguments[0]];\n{BRING}");
        let answer = self.session.post("/execute/sync", &json!({ "script": script, "args": [at] }))?;
        let side = |at: usize| answer[at].as_i64().map(|side| side.clamp(-1_000_000, 1_000_000) as i32);
        let sides: Option<Vec<i32>> = (0..4).map(side).collect();
        match sides.as_deref() {
            Some(&[left, top, right, bottom]) => Ok(Bounds::new(left, top, right, bottom)),
            _ => Err(WebDriverError::Page(PageError::Form(answer.to_string()))),
        }
    }

    /// Scrolls without the wheel, which at the edge of a page goes back in its history.
    fn scroll_sideways(&self, at: Option<usize>, by: i32) -> Result<(), WebDriverError> {
        let Some(at) = at else { return Ok(()) };
        let script =
            format!("{NOTES}.nodes[arguments[0]].scrollBy({{ left: arguments[1], behavior: 'instant' }})");
        self.session.post("/execute/sync", &json!({ "script": script, "args": [at, by] })).map(drop)
    }

    /// Gives a field for dates or times its value, as keys write it in the order of the browser's country.
    fn set(&self, at: usize, text: &str) -> Result<(), WebDriverError> {
        let script = format!("const e = {NOTES}.nodes[arguments[0]];\n{SET}");
        self.session.post("/execute/sync", &json!({ "script": script, "args": [at, text] })).map(drop)
    }

    /// Chooses an entry of a select, which no mouse reaches.
    fn choose(&self, at: usize) -> Result<(), WebDriverError> {
        let script = format!("const {{ listen }} = {NOTES}, e = {NOTES}.nodes[arguments[0]];\n{CHOOSE}");
        let element = self.session.post("/execute/sync", &json!({ "script": script, "args": [at] }))?;
        let id = element.as_object().and_then(|all| all.values().next()).and_then(Value::as_str);
        let id = id.filter(|id| !id.contains('/')).ok_or_else(|| PageError::Form(element.to_string()))?;
        self.session.post(&format!("/element/{id}/click"), &json!({})).map(drop)
    }
}

/// Sends a command of Chrome's own protocol.
fn chrome(session: &Session, command: &str, parameters: Value) -> Result<Value, WebDriverError> {
    session.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
}

/// A widget that is reached.
struct Spot {
    bounds: Bounds,
    /// Its number in the latest look, if it is an entry of a select.
    option: Option<usize>,
}

impl Spot {
    /// Returns the way of the mouse to its middle.
    fn moved(&self) -> Value {
        let (x, y) = self.bounds.centre();
        moved(x, y)
    }
}

impl Device for Web {
    fn describe(&self) -> String {
        self.description.clone()
    }

    fn app(&self) -> &App {
        &self.app
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::BROWSER
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        if self.now.is_none() {
            let start = self.app.launchable[0].clone();
            return Ok(self.start_afresh(&start)?);
        }
        Ok(self.look_now()?)
    }

    fn keep_keyboard(&mut self, _: bool) {}

    fn picture(&mut self) -> Option<Pixels> {
        let now = self.now.as_ref().filter(|_| !self.has_dialog)?;
        let answer = self.session.get("/screenshot").ok()?;
        let png = BASE64.decode(answer.as_str()?).ok()?;
        Some(Pixels::read(&png, now.size)?.without_passwords(&now.screen))
    }

    fn hand(&self) -> Option<Box<dyn Hand>> {
        None
    }

    fn reset(&mut self, activity: &str) -> Result<Observation, DeviceError> {
        Ok(self.start_afresh(activity)?)
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        if let Action::Reinitialise(activity) = action {
            return Ok(self.start_afresh(activity)?);
        }
        match self.perform(action) {
            // A dialog took the place of the page meanwhile, and the look shows it.
            Err(error) if error.is("unexpected alert open") => {}
            other => other?,
        }
        Ok(self.look_now()?)
    }
}

/// Returns `answer` without `part` in its texts.
fn without(part: &str, answer: Value) -> Value {
    match answer {
        Value::String(text) => Value::String(text.replace(part, "")),
        Value::Array(all) => all.into_iter().map(|one| without(part, one)).collect(),
        Value::Object(all) => all.into_iter().map(|(key, one)| (key, without(part, one))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => answer,
    }
}

fn mouse(actions: Vec<Value>) -> Value {
    json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions })
}

/// Returns the presses that put `text` in the place of all letters of the field.
fn replaced(text: &str) -> Vec<Value> {
    const CONTROL: &str = "\u{e009}";
    const DELETE: char = '\u{e017}';
    let mut presses = vec![
        json!({ "type": "keyDown", "value": CONTROL }),
        json!({ "type": "keyDown", "value": "a" }),
        json!({ "type": "keyUp", "value": "a" }),
        json!({ "type": "keyUp", "value": CONTROL }),
    ];
    presses.extend(pressed(DELETE));
    presses.extend(typed(text));
    presses
}

/// Returns the number that WebDriver has for a key, as a character.
fn key(key: PressedKey) -> char {
    match key {
        PressedKey::Back | PressedKey::Escape | PressedKey::Menu => '\u{e00c}',
        PressedKey::Enter | PressedKey::Search => '\u{e007}',
        PressedKey::Home => '\u{e011}',
        PressedKey::Tab => '\u{e004}',
        PressedKey::Delete => '\u{e003}',
        PressedKey::Up => '\u{e013}',
        PressedKey::Down => '\u{e015}',
        PressedKey::Left => '\u{e012}',
        PressedKey::Right => '\u{e014}',
    }
}
