//! `farlead studio`: its page in Chromium, from an empty folder to a kept test; and who is let in.

mod pictures;
mod states;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest as _;
use tungstenite::{Message, WebSocket};

use crate::adbd::Adb;
use crate::browser::{has_chrome, served};
use crate::cli::{command, ended};
use crate::followed::tap_by_hand;
use crate::identity::Phone;
use crate::project::Folder;

/// Time for anything on the page to happen.
const PATIENCE: Duration = Duration::from_secs(180);

/// Most starts of chromedriver until one has a port.
const DRIVERS_MAX: u32 = 5;

/// Time for some steps of a command.
const SOME_STEPS: Duration = Duration::from_millis(1_500);

/// The program, with its page's address.
pub struct Studio {
    child: Child,
    url: String,
}

impl Studio {
    pub fn start(folder: &Folder, args: &[&str], with: impl FnOnce(&mut Command)) -> Studio {
        let mut command = command(&[&["studio", "--port", "0"], args].concat());
        command.current_dir(folder.path("")).stdin(Stdio::null()).stdout(Stdio::piped());
        with(&mut command);
        let mut child = command.spawn().expect("the studio starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let url = line.trim().strip_prefix("studio at ").expect("an address").to_string();
        Studio { child, url }
    }

    /// Returns `HOST:PORT`.
    fn host(&self) -> &str {
        self.url.strip_prefix("http://").and_then(|rest| rest.split('/').next()).expect("a host")
    }

    fn token(&self) -> &str {
        self.url.split_once("token=").expect("a token").1
    }

    /// Opens a socket, as a page does.
    pub fn socket(&self) -> WebSocket<TcpStream> {
        let url = format!("ws://{}/socket?token={}", self.host(), self.token());
        let stream = TcpStream::connect(self.host()).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        tungstenite::client(url.into_client_request().expect("a request"), stream).expect("a socket").0
    }

    /// Returns the status line and the body of the answer to a request with these headers.
    fn asked(&self, path: &str, host: &str, more: &str) -> (String, String) {
        let mut stream = TcpStream::connect(self.host()).expect("a connection");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n").expect("a request");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        (head.lines().next().unwrap_or_default().to_string(), body.to_string())
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        // As Ctrl-C does, so that devices and commands are put back.
        let _ = Command::new("/bin/kill").arg("-INT").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}

/// Sends a request and returns its answer; events that come in between are left out.
pub fn ask(socket: &mut WebSocket<TcpStream>, request: &str) -> Value {
    socket.send(Message::text(request)).expect("a request");
    answered(socket)
}

/// Returns the next answer.
fn answered(socket: &mut WebSocket<TcpStream>) -> Value {
    loop {
        if let Message::Text(text) = socket.read().expect("an answer") {
            let answer: Value = serde_json::from_str(&text).expect("JSON");
            if answer.get("event").is_none() {
                return answer;
            }
        }
    }
}

/// Returns the next error.
fn heard_error(socket: &mut WebSocket<TcpStream>) -> String {
    loop {
        if let Message::Text(text) = socket.read().expect("an error") {
            let message: Value = serde_json::from_str(&text).expect("JSON");
            if let Some(error) = message["error"].as_str() {
                return error.to_string();
            }
        }
    }
}

/// Returns the next event of this name.
pub fn heard(socket: &mut WebSocket<TcpStream>, wanted: &str) -> Value {
    loop {
        if let Message::Text(text) = socket.read().expect("an event") {
            let event: Value = serde_json::from_str(&text).expect("JSON");
            if event["event"] == wanted {
                return event;
            }
        }
    }
}

/// Starts chromedriver and returns its port; none if it ends before it says one.
fn driver() -> Option<(Child, u16)> {
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver");
    let mut lines = BufReader::new(driver.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let said = |line: String| line.split("on port ").nth(1)?.trim_end_matches('.').parse().ok();
    let Some(port) = lines.by_ref().filter_map(said).find(|&port| port > 0) else {
        let _ = driver.wait();
        return None;
    };
    // The pipe stays open, as the driver goes on writing to it.
    thread::spawn(move || lines.for_each(drop));
    Some((driver, port))
}

/// Returns an element as scripts and actions of WebDriver name it.
fn reference(element: &str) -> Value {
    json!({ "element-6066-11e4-a52e-4f735466cecf": element })
}

/// Keys, as WebDriver names them.
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const SHIFT: &str = "\u{e008}";
const DOWN: &str = "\u{e015}";
const LEFT: &str = "\u{e012}";
const F10: &str = "\u{e03a}";

/// A browser behind its driver.
struct Browser {
    driver: Child,
    session: String,
}

impl Browser {
    /// Opens a page and waits until it shows the run.
    fn open(url: &str) -> Browser {
        let browser = Browser::start();
        browser.post("url", &json!({ "url": url }));
        browser.wait_for_run();
        browser
    }

    /// Opens a page that hears that it is connected once somebody calls `letOpen()` on it.
    fn open_unconnected(url: &str) -> Browser {
        let browser = Browser::start();
        let source = "const listen = WebSocket.prototype.addEventListener; const open = new Promise((done) => (window.letOpen = done)); \
                      WebSocket.prototype.addEventListener = function (type, hear) { \
                      listen.call(this, type, type === 'open' ? () => open.then(hear) : hear); };";
        let params = json!({ "source": source });
        browser.post(
            "goog/cdp/execute",
            &json!({ "cmd": "Page.addScriptToEvaluateOnNewDocument", "params": params }),
        );
        browser.post("url", &json!({ "url": url }));
        browser
    }

    #[track_caller]
    fn wait_for_run(&self) {
        self.wait("document.documentElement.dataset.ready === 'true' && view && view.steps.length");
    }

    fn start() -> Browser {
        let (driver, port) = (0..DRIVERS_MAX).find_map(|_| driver()).expect("chromedriver says its port");
        let root = format!("http://127.0.0.1:{port}/session");
        let args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1360,1000"];
        let wanted = json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": { "args": args } } } });
        let session = sent(&root, &wanted)["sessionId"].as_str().expect("a session").to_string();
        Browser { driver, session: format!("{root}/{session}") }
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        sent(&format!("{}/{path}", self.session), body)
    }

    /// Returns the value of an expression on the page.
    fn value(&self, expression: &str) -> Value {
        self.post("execute/sync", &json!({ "script": format!("return {expression}"), "args": [] }))
    }

    fn text(&self, id: &str) -> String {
        let text = self.value(&format!("document.getElementById('{id}').textContent"));
        text.as_str().unwrap_or_default().to_string()
    }

    /// Waits until an expression is true.
    #[track_caller]
    fn wait(&self, expression: &str) {
        let began = Instant::now();
        while !self.value(&format!("Boolean({expression})")).as_bool().unwrap_or_default() {
            let status = self.value("document.body.innerText");
            assert!(began.elapsed() < PATIENCE, "{expression} never came; the page says {status}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn element(&self, expression: &str) -> String {
        let found = self.value(expression);
        let element = found.as_object().and_then(|fields| fields.values().next()).and_then(Value::as_str);
        element
            .unwrap_or_else(|| {
                panic!("no {expression}; the page has {}", self.value("document.body.innerText"))
            })
            .to_string()
    }

    fn click(&self, id: &str) {
        let element = self.element(&format!("document.getElementById('{id}')"));
        self.post(&format!("element/{element}/click"), &json!({}));
    }

    /// Presses a mouse button over a widget of the app, as a finger or a mouse does.
    fn press(&self, label: &str, button: u8) {
        let moved = self.pointed_at(label);
        let (down, up) = (
            json!({ "type": "pointerDown", "button": button }),
            json!({ "type": "pointerUp", "button": button }),
        );
        self.use_mouse(&[moved, down, up]);
    }

    /// Rests a finger on a widget of the app, for a second.
    fn press_long(&self, label: &str) {
        let moved = self.pointed_at(label);
        let rest = json!({ "type": "pause", "duration": 1_000 });
        let actions = [
            moved,
            json!({ "type": "pointerDown", "button": 0 }),
            rest,
            json!({ "type": "pointerUp", "button": 0 }),
        ];
        let finger = json!({ "type": "pointer", "id": "finger", "parameters": { "pointerType": "touch" }, "actions": actions });
        self.post("actions", &json!({ "actions": [finger] }));
    }

    /// Returns the action that moves a pointer to a widget of the app, which is in sight.
    fn pointed_at(&self, label: &str) -> Value {
        let all = "[...document.querySelectorAll('#widgets button')]";
        let element = self.element(&format!(
            "{all}.findLast((one) => one.getAttribute('aria-label').includes({}))",
            json!(label)
        ));
        let origin = reference(&element);
        self.post(
            "execute/sync",
            &json!({ "script": "arguments[0].scrollIntoView({block: 'center'})", "args": [origin] }),
        );
        json!({ "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin })
    }

    fn use_mouse(&self, actions: &[Value]) {
        let pointer = json!({ "type": "pointer", "id": "mouse", "actions": actions });
        self.post("actions", &json!({ "actions": [pointer] }));
    }

    /// Moves the mouse over the first line of a text area.
    fn move_over(&self, element: &str) {
        let origin = reference(element);
        let script = "const { width, height } = arguments[0].getBoundingClientRect(); return [60 - width / 2, 14 - height / 2]";
        let place = self.post("execute/sync", &json!({ "script": script, "args": [origin] }));
        let [x, y] = [0, 1].map(|at| place[at].as_f64().unwrap_or_default() as i64);
        self.use_mouse(&[json!({ "type": "pointerMove", "duration": 0, "x": x, "y": y, "origin": origin })]);
    }

    /// Clicks a widget of the app and waits for the step.
    #[track_caller]
    fn act(&self, label: &str) {
        let steps = self.value("view.steps.length").as_u64().unwrap_or_default();
        self.press(label, 0);
        self.wait(&format!("view.steps.length > {steps}"));
    }

    /// Opens the menu of a widget and chooses what is expected of one of its atoms.
    #[track_caller]
    fn expect(&self, label: &str, atom: &str, when: &str) {
        let expected = self.value("view.expected.length").as_u64().unwrap_or_default();
        self.press(label, 2);
        self.wait("document.getElementById('menu').open");
        self.value("document.querySelectorAll('#menu details').forEach((one) => (one.open = true))");
        let row = format!(
            "[...document.querySelectorAll('.atom')].find((one) => one.textContent.startsWith({}))",
            json!(atom)
        );
        let button = self.element(&format!(
            "[...({row}?.querySelectorAll('button') ?? [])].find((one) => one.textContent === '{when}')"
        ));
        self.post(&format!("element/{button}/click"), &json!({}));
        self.wait(&format!("view.expected.length > {expected}"));
    }

    /// Opens and closes the four forms of the spec; returns what each shows, and how many states of its automata are of now.
    fn forms(&self) -> Vec<Value> {
        self.value("document.getElementById('forms-part').open = true");
        self.wait("document.querySelectorAll('#forms h3').length === 4");
        let shown = "[...document.querySelectorAll('#forms h3')].map((title) => { \
                     const [text, judged, words, automata] = [...document.querySelectorAll('#forms > *')].slice([...title.parentElement.children].indexOf(title) + 1); \
                     const now = (image) => decodeURIComponent(image.src).split(' now\"').length - 1; \
                     return { title: title.textContent, text: text.textContent, judged: judged.textContent, \
                     words: words.querySelector('pre').textContent, now: [...automata.querySelectorAll('img')].map(now) }; })";
        let forms = self.value(shown).as_array().cloned().unwrap_or_default();
        self.value("document.getElementById('forms-part').open = false");
        forms
    }

    /// Presses keys one after the other.
    fn keys(&self, keys: &[&str]) {
        self.type_keys(keys.iter().flat_map(|key| [("keyDown", *key), ("keyUp", *key)]));
    }

    /// Presses keys together: the first is held while the next is pressed.
    fn chord(&self, keys: &[&str]) {
        let down = keys.iter().map(|key| ("keyDown", *key));
        self.type_keys(down.chain(keys.iter().rev().map(|key| ("keyUp", *key))));
    }

    fn type_keys<'a>(&self, events: impl Iterator<Item = (&'a str, &'a str)>) {
        let actions: Vec<Value> = events.map(|(kind, key)| json!({ "type": kind, "value": key })).collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("actions", &json!({ "actions": [keyboard] }));
    }

    /// Presses the Tab key until what has the focus is called `name`.
    #[track_caller]
    fn tab_to(&self, name: &str) {
        let focus = "label(document.activeElement).trim()";
        let mut passed = Vec::new();
        while passed.len() < 60 {
            self.keys(&[TAB]);
            let here = self.value(focus).as_str().unwrap_or_default().to_string();
            if here == name {
                return;
            }
            passed.push(here);
        }
        panic!("the Tab key goes to {passed:?}, and not to {name}");
    }

    /// Types into a field of the page in place of what is in it.
    fn fill(&self, id: &str, text: &str) {
        let element = self.element(&format!("document.getElementById('{id}')"));
        self.post(&format!("element/{element}/clear"), &json!({}));
        self.post(&format!("element/{element}/value"), &json!({ "text": text }));
    }

    /// Keeps a picture of the page for docs/studio.md, if somebody asks for new ones.
    fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("FARLEAD_TEST_PICTURES") else { return };
        fs::write(Path::new(&folder).join(name), self.screenshot()).expect("a file");
    }

    /// Returns a picture of the page, as PNG.
    fn screenshot(&self) -> Vec<u8> {
        let mut taken =
            ureq::get(&format!("{}/screenshot", self.session)).call().expect("a picture").into_body();
        let text = taken.with_config().limit(50_000_000).read_to_string().expect("text");
        let answer: Value = serde_json::from_str(&text).expect("JSON");
        STANDARD.decode(answer["value"].as_str().expect("a picture")).expect("base64")
    }

    /// Saves the draft under a name, checks it, and waits for the end.
    #[track_caller]
    fn keep(&self, name: &str) {
        self.fill("name", name);
        self.wait(&format!("document.getElementById('draft').textContent.includes({})", json!(name)));
        self.click("keep");
        self.wait("document.getElementById('progress').textContent.startsWith('It ended')");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = ureq::delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn sent(url: &str, body: &Value) -> Value {
    let config = ureq::Agent::config_builder().http_status_as_error(false).build();
    let answer = ureq::Agent::new_with_config(config).post(url).send(&body.to_string()).expect("an answer");
    let text = answer.into_body().read_to_string().expect("text");
    let answer: Value = serde_json::from_str(&text).expect("JSON");
    assert!(answer["value"].get("error").is_none(), "{url} {body}: {text}");
    answer["value"].clone()
}

fn notes() -> String {
    format!("{}/apps/notes.app", env!("CARGO_MANIFEST_DIR"))
}

/// Puts the model of the notes app into a folder; returns its name there. Pictures show it.
fn notes_in(folder: &Folder) -> &'static str {
    folder.write("apps/notes.app", &fs::read_to_string(notes()).expect("the model"));
    "apps/notes.app"
}

/// Replays a kept test with these arguments in the terminal, where it must hold.
#[track_caller]
fn holds_in_the_terminal(folder: &Folder, args: &[&str], with: impl FnOnce(&mut Command)) {
    let mut replay = command(&[&["replay"], args].concat());
    with(replay.current_dir(folder.path("")));
    let replayed = ended(&mut replay, "");
    assert_eq!(replayed.code, 0, "{}{}", replayed.stdout, replayed.stderr);
    assert!(replayed.stdout.contains("1 passed"), "{}{}", replayed.stdout, replayed.stderr);
}

#[test]
fn an_empty_folder_becomes_a_kept_test_with_clicks_alone() {
    if !has_chrome() {
        return;
    }
    let folder = Folder::new("studio-notes");
    let studio = Studio::start(&folder, &["--app", notes_in(&folder)], |_| {});
    let browser = Browser::open(&studio.url);
    for label in ["OKAY", "+, ImageButton", "fab_sketch"] {
        browser.act(label);
    }
    browser.picture("studio-screen.png");
    browser.act("colorSelector");
    // The palette lacks the last of its twenty colours.
    browser.expect("color, Button", "[count(id = color) = 19]", "now");
    browser.picture("studio-expected.png");
    let forms = browser.forms();
    for (form, [title, text, words]) in forms.iter().zip([
        ["any way there", "\n    F [count(id = color) = 19]\n", "at some step: [count(id = color) = 19]"],
        ["same types of actions", "F ([actionType = click] & [count", "the type of the action is `click`"],
        [
            "exactly these steps",
            "within 5 steps:\n    [actionType = reinitialise,",
            "there is a next step, and there:",
        ],
        ["Given, When, Then", "\n    And I click \"fab_sketch\"\n", "Given the app is freshly started"],
    ]) {
        assert_eq!(form["title"], title, "{form}");
        assert!(form["text"].as_str().is_some_and(|shown| shown.contains(text)), "{form}");
        assert!(form["words"].as_str().is_some_and(|shown| shown.contains(words)), "{form}");
        assert_eq!(form["judged"], "This run meets it at step 4.", "{form}");
        // One automaton, in which the run is at one place.
        assert_eq!(form["now"], json!([1]), "{form}");
    }
    assert_eq!(forms.len(), 4);
    browser.keep("palette");
    browser.value("document.getElementById('work').scrollIntoView({ block: 'end' })");
    browser.picture("studio-kept.png");
    assert_eq!(browser.text("progress"), "It ended: all passed.", "{}", browser.text("log"));
    let kept = "farlead-tests/specs/palette/palette.test.ltl";
    for said in ["steps to 5", "reproduced 3 of 3 times"] {
        assert!(browser.text("results").contains(said), "{}", browser.text("results"));
    }
    // The mouse over the spec in the editor shows its words.
    let text = browser.element("document.getElementById('text')");
    browser.value("document.getElementById('text').scrollIntoView({ block: 'center' })");
    browser.move_over(&text);
    browser.wait("document.getElementById('hover').textContent.includes('19')");
    // Stepping back keeps the run, until somebody deletes it.
    browser.value("openStep(1)");
    browser.click("step-back");
    browser.wait("view.branches.length === 1 && view.steps.length === 2");
    let forget = browser.element("document.querySelector('#branches button:last-child')");
    browser.post(&format!("element/{forget}/click"), &json!({}));
    browser.wait("view.branches.length === 0");
    holds_in_the_terminal(&folder, &[kept], |_| {});
}

#[test]
fn the_keyboard_alone_leads_to_a_kept_test_and_each_change_is_told() {
    if !has_chrome() {
        return;
    }
    let folder = Folder::new("studio-keyboard");
    let studio = Studio::start(&folder, &["--app", &notes()], |_| {});
    let browser = Browser::open(&studio.url);
    let told = |text: &str| {
        browser.wait(&format!("document.getElementById('told').textContent.startsWith({})", json!(text)));
    };
    browser.tab_to("OKAY, Button");
    browser.keys(&[ENTER]);
    told("Step 1: click \"OKAY\". Screen: MainActivity. New: Open navigation drawer, ");
    // The button is gone, and its screen has the focus.
    assert_eq!(browser.value("document.activeElement.id"), "app-title");
    browser.tab_to("Sort alphabetical, TextView");
    browser.chord(&[SHIFT, F10]);
    browser.wait("document.getElementById('menu').open");
    assert_eq!(browser.value("document.activeElement.textContent"), "click \"Sort alphabetical\"");
    let words = "document.activeElement.parentElement.getAttribute('aria-label')";
    browser.tab_to("now");
    assert_eq!(
        browser.value(words),
        "Expect: there is a visible widget of which the id is `action_sort_alphabetical`"
    );
    browser.keys(&[ENTER]);
    told("Expected, met: [id = action_sort_alphabetical].");
    assert_eq!(browser.value("label(document.activeElement)"), "Sort alphabetical, TextView");
    // The tree of widgets is one stop on the way, and arrows go through it.
    browser.tab_to("action_bar_root, FrameLayout");
    browser.keys(&[DOWN, DOWN]);
    assert_eq!(browser.value("document.activeElement.getAttribute('role')"), "treeitem");
    assert_ne!(browser.value("label(document.activeElement)"), "action_bar_root, FrameLayout");
    browser.tab_to("What holds on this screen");
    browser.tab_to("Save, check and keep a test");
    browser.keys(&[ENTER]);
    browser.wait("!document.getElementById('report').hidden");
    assert_eq!(browser.text("progress"), "It ended: all passed.", "{}", browser.text("log"));
}

#[test]
fn a_phone_is_given_to_the_command_and_taken_back() {
    if !has_chrome() {
        return;
    }
    let Some(adb) = Adb::start("studio") else { return };
    let phone = Phone::start(&adb, "apps/notes.app", &[]);
    let folder = Folder::new("studio-phone");
    let args = ["--package", "org.secuso.privacyfriendlynotes", "--device", &phone.serial];
    let studio = Studio::start(&folder, &args, |command| adb.lend_to(command));
    let browser = Browser::open(&studio.url);
    browser.click("follow");
    browser.wait("document.getElementById('follow').getAttribute('aria-pressed') === 'true'");
    // The first step is done by hand.
    let okay = "view.screen.widgets.find((one) => one.name === 'OKAY').bounds";
    let side = |at: usize| browser.value(&format!("{okay}[{at}]")).as_i64().expect("a pixel");
    tap_by_hand(&adb, &phone.serial, ((side(0) + side(2)) / 2, (side(1) + side(3)) / 2));
    browser.wait("view.steps.length === 2 && view.steps[1].action === 'click \"OKAY\"'");
    for label in ["+, ImageButton", "fab_sketch", "colorSelector"] {
        browser.act(label);
    }
    browser.expect("color, Button", "[count(id = color) = 19]", "now");
    browser.keep("palette");
    browser.wait("document.getElementById('follow').getAttribute('aria-pressed') === 'false'");
    assert_eq!(browser.text("progress"), "It ended: all passed.", "{}", browser.text("log"));
    // The run is there again, and goes on.
    browser.wait("!view.is_away && view.steps.length === 5");
    browser.act("color, Button");
    drop((browser, studio));
    let kept = "farlead-tests/specs/palette/palette.test.ltl";
    holds_in_the_terminal(&folder, &[&[kept], &args[..]].concat(), |command| adb.lend_to(command));
}

#[test]
fn capabilities_are_for_the_devices_that_take_them() {
    let Some(adb) = Adb::start("studio-capabilities") else { return };
    let phone = Phone::start(&adb, "apps/notes.app", &[]);
    let folder = Folder::new("studio-capabilities");
    folder.write("caps.json", r#"{"appium:noReset": true}"#);
    let devices =
        ["--device", &phone.serial, "--device", "http://127.0.0.1:9", "--capabilities", "caps.json"];
    let args = [&["--package", "org.secuso.privacyfriendlynotes"], &devices[..]].concat();
    // The first of the devices is driven, and it takes no capabilities.
    let studio = Studio::start(&folder, &args, |command| adb.lend_to(command));
    let view = ask(&mut studio.socket(), r#"{"id":1,"do":"view"}"#);
    assert_eq!(view["result"]["is_away"], false, "{view}");
}

#[test]
fn a_page_is_led_by_hand_and_its_run_kept() {
    if !has_chrome() {
        return;
    }
    let folder = Folder::new("studio-page");
    let url = format!("{}/todos.html", served());
    let with = |command: &mut Command| {
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
    };
    let studio = Studio::start(&folder, &["--url", &url], with);
    let browser = Browser::open(&studio.url);
    browser.press("new-todo", 0);
    browser.wait("document.getElementById('menu').open");
    let field = browser.element("document.querySelector('#menu-do input')");
    browser.post(&format!("element/{field}/value"), &json!({ "text": "milk\u{e007}" }));
    browser.wait("view.steps.length === 2");
    let key = browser
        .element("[...document.querySelectorAll('#keys button')].find((one) => one.textContent === 'enter')");
    browser.post(&format!("element/{key}/click"), &json!({}));
    browser.wait("view.steps.length === 3");
    browser.expect("milk", "[text = milk]", "now");
    browser.picture("studio-page.png");
    browser.keep("milk");
    assert_eq!(browser.text("progress"), "It ended: all passed.", "{}", browser.text("log"));
    drop((browser, studio));
    holds_in_the_terminal(&folder, &["farlead-tests/specs/milk/milk.test.ltl", "--url", &url], with);
}

#[test]
fn only_who_knows_the_token_is_let_in_and_from_no_other_site() {
    let folder = Folder::new("studio-door");
    let studio = Studio::start(&folder, &["--app", &notes()], |_| {});
    let page = format!("/?token={}", studio.token());
    let origin = "Origin: http://example.org\r\n";
    let (host, port) =
        (studio.host().to_string(), studio.host().split_once(':').expect("a port").1.to_string());
    for (path, host, more, status) in [
        (&*page, &*host, "", "200"),
        (&page, &format!("localhost:{port}"), "", "200"),
        ("/studio.js", &host, "", "200"),
        ("/", &host, "", "403"),
        ("/?token=0", &host, "", "403"),
        ("/picture/0", &host, "", "403"),
        ("/socket", &host, "", "403"),
        // A name that somebody else's server gives this machine.
        (&page, &format!("example.org:{port}"), "", "403"),
        (&page, &host, origin, "403"),
        (&format!("/../Cargo.toml?token={}", studio.token()), &host, "", "404"),
        (&format!("/picture/99?token={}", studio.token()), &host, "", "404"),
        (&format!("/socket?token={}", studio.token()), &host, "", "400"),
    ] {
        let (answer, body) = studio.asked(path, host, more);
        assert!(answer.contains(status), "{path} {host} {more}: {answer} {body}");
    }
    let (_, picture) = studio.asked(&format!("/picture/0?token={}", studio.token()), &host, "");
    assert!(picture.starts_with("<svg "), "{picture}");
    // Connections that ask for nothing give way to those that do, and pages that are open stay.
    let mut socket = studio.socket();
    let idle: Vec<TcpStream> = (0..150).map(|_| TcpStream::connect(&host).expect("a connection")).collect();
    assert!(studio.asked(&page, &host, "").0.contains("200"));
    assert_eq!((&idle[0]).read(&mut [0]).expect("an end"), 0);
    assert!(ask(&mut socket, r#"{"id":1,"do":"files"}"#)["result"]["files"].is_array());
}

#[test]
fn hostile_and_mistaken_messages_get_an_error() {
    let folder = Folder::new("studio-messages");
    folder.write("specs/mine.ltl", "F [text = a]\n");
    folder.write("secret.txt", "nobody's business\n");
    fs::write(folder.path("latin.ltl"), b"# caf\xe9\n").expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc", folder.path("out")).expect("a link");
    // A link may also lead to a file that is not there.
    let outside = Folder::new("studio-outside");
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path("made/new.ltl"), folder.path("new.ltl")).expect("a link");
    let studio = Studio::start(&folder, &["--app", &notes()], |_| {});
    let mut socket = studio.socket();
    for (request, error) in [
        ("nonsense", "this is no JSON"),
        ("[]", "this request cannot be read"),
        (r#"{"id":1}"#, "this request cannot be read"),
        (r#"{"id":1,"do":"fly"}"#, "unknown variant `fly`"),
        (r#"{"id":1,"do":"hello","version":99}"#, "this studio speaks version 2"),
        (r#"{"id":1,"do":"act","screen":0,"offer":0}"#, "the screen has changed meanwhile"),
        (r#"{"id":1,"do":"back-to","step":7}"#, "there is no step 7"),
        (r#"{"id":1,"do":"expect","step":0,"atom":"[text = "}"#, "is no atom"),
        (r#"{"id":1,"do":"open","file":"../Cargo.toml"}"#, "is no file that the studio may use"),
        (r#"{"id":1,"do":"open","file":"/etc/passwd"}"#, "is no file that the studio may use"),
        (r#"{"id":1,"do":"open","file":"secret.txt"}"#, "is no file that the studio may use"),
        (r#"{"id":1,"do":"save","file":"out/a.ltl","text":"","was":null}"#, "leads out of the project"),
        (r#"{"id":1,"do":"save","file":"new.ltl","text":"","was":null}"#, "leads out of the project"),
        (
            r#"{"id":1,"do":"save","file":".git/hooks/a.ltl","text":"","was":null}"#,
            "is no file that the studio may use",
        ),
        (r#"{"id":1,"do":"save","file":"specs/mine.ltl","text":"","was":null}"#, "is there already"),
        (
            r#"{"id":1,"do":"save","file":"specs/mine.ltl","text":"","was":"other"}"#,
            "has changed on disk meanwhile",
        ),
        (r#"{"id":1,"do":"save","file":"latin.ltl","text":"","was":null}"#, "UTF-8"),
        (r#"{"id":1,"do":"stop"}"#, "no command runs"),
        (r#"{"id":1,"do":"judge","text":"F ["}"#, "the specs have mistakes"),
    ] {
        let answer = ask(&mut socket, request);
        let said = answer["error"].as_str().unwrap_or_else(|| panic!("{request}: {answer}"));
        assert!(said.contains(error), "{request}: {said}");
    }
    assert_eq!(folder.read("specs/mine.ltl"), "F [text = a]\n");
    let saved = ask(
        &mut socket,
        r#"{"id":2,"do":"save","file":"specs/mine.ltl","text":"F [text = b]\n","was":"F [text = a]\n"}"#,
    );
    assert_eq!(saved, json!({ "id": 2, "result": {} }));
    assert_eq!(folder.read("specs/mine.ltl"), "F [text = b]\n");
    assert!(!outside.path("made").exists());
    // A file that becomes a link out of the project is gone.
    ask(&mut socket, r#"{"id":3,"do":"open","file":"specs/mine.ltl"}"#);
    outside.write("other.ltl", "# nobody's business\n");
    fs::remove_file(folder.path("specs/mine.ltl")).expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path("other.ltl"), folder.path("specs/mine.ltl")).expect("a link");
    assert_eq!(heard(&mut socket, "file")["text"], Value::Null);
    socket.send(Message::binary(vec![0xff, 0xfe])).expect("a request");
    assert!(heard_error(&mut socket).contains("this is no JSON"));
}

#[test]
fn what_is_in_the_editor_is_never_lost_unasked() {
    if !has_chrome() {
        return;
    }
    let folder = Folder::new("studio-editor");
    folder.write("a.ltl", "F [text = a]\n");
    folder.write("b.ltl", "F [text = b]\n");
    let studio = Studio::start(&folder, &["--app", &notes()], |_| {});
    let browser = Browser::open(&studio.url);
    let answer = |name: &str| {
        browser.wait("document.getElementById('question').open");
        let all = "[...document.querySelectorAll('#question-answers button')]";
        let button = browser.element(&format!("{all}.find((one) => one.textContent === '{name}')"));
        browser.post(&format!("element/{button}/click"), &json!({}));
        browser.wait("!document.getElementById('question').open");
    };
    browser.value("void openFile('a.ltl')");
    browser.wait("opened.file === 'a.ltl'");
    browser.fill("text", "F [txt = mine]");
    // A mistake is underlined where it is.
    browser.wait("document.querySelector('#marked .is-mistake')?.textContent === 'txt'");
    browser.value("void openFile('b.ltl')");
    answer("Stay here");
    assert_eq!(
        browser.value("[opened.file, at('text').value, at('file').value]"),
        json!(["a.ltl", "F [txt = mine]", "a.ltl"])
    );
    browser.fill("text", "F [text = mine]");
    browser.value("void openFile('b.ltl')");
    answer("Save them");
    browser.wait("opened.file === 'b.ltl' && at('text').value.includes('= b]')");
    assert_eq!(folder.read("a.ltl"), "F [text = mine]");
    // Somebody else writes the file meanwhile: both are there until the user says which stays.
    browser.fill("text", "F [text = mine]");
    folder.write("b.ltl", "F [text = theirs]\n");
    browser.wait("!document.getElementById('disk').hidden && document.getElementById('save').disabled");
    browser.click("check");
    browser.wait("document.getElementById('disk').contains(document.activeElement)");
    assert_eq!(folder.read("b.ltl"), "F [text = theirs]\n");
    let keep = browser.element("document.querySelector('#disk button:last-child')");
    browser.post(&format!("element/{keep}/click"), &json!({}));
    browser.wait("document.getElementById('disk').hidden");
    assert_eq!(folder.read("b.ltl"), "F [text = mine]");
    // A file that somebody else makes is listed.
    folder.write("made.ltl", "F [text = c]\n");
    browser.wait("[...document.getElementById('file').options].some((one) => one.value === 'made.ltl')");
}

#[test]
fn fingers_and_arrows_do_what_the_mouse_does() {
    if !has_chrome() {
        return;
    }
    let folder = Folder::new("studio-finger");
    let studio = Studio::start(&folder, &["--app", &notes()], |_| {});
    let browser = Browser::open(&studio.url);
    browser.act("OKAY");
    // A finger that rests on a widget opens its menu, and is no touch of the app.
    browser.press_long("+, ImageButton");
    browser.wait("document.getElementById('menu').open");
    assert_eq!(browser.value("view.steps.length"), 2);
    browser.click("menu-close");
    browser.act("+, ImageButton");
    browser.act("fab_sketch");
    // The text of a field can be typed at once.
    browser.press("Name, EditText", 0);
    browser.wait("document.getElementById('menu').open");
    browser.keys(&["M", "i", "l", "k", ENTER]);
    browser.wait("view.steps.length === 5 && view.steps[4].action.includes('\"Milk\"')");
    // The run is one stop of the Tab key.
    let last = browser.value("label(document.querySelector('#strip li:last-child button')).trim()");
    browser.tab_to(last.as_str().unwrap_or_default());
    browser.keys(&[LEFT, LEFT, ENTER]);
    browser.wait("document.getElementById('step-title').textContent.startsWith('Step 2: ')");
}

#[test]
fn a_file_that_somebody_else_changes_is_told_and_a_command_is_paused_and_stopped() {
    let folder = Folder::new("studio-files");
    folder.write("mine.ltl", "never within 50 steps, 1000000 episodes: F [text = nowhere]\n");
    let studio = Studio::start(&folder, &["--app", &notes()], |_| {});
    let mut socket = studio.socket();
    let opened = ask(&mut socket, r#"{"id":1,"do":"open","file":"mine.ltl"}"#);
    assert!(opened["result"]["text"].as_str().is_some_and(|text| text.starts_with("never")), "{opened}");
    folder.write("mine.ltl", "never within 50 steps, 2000000 episodes: F [text = nowhere]\n");
    assert!(heard(&mut socket, "file")["text"].as_str().is_some_and(|text| text.contains("2000000")));
    let answer = ask(&mut socket, r#"{"id":2,"do":"explore","files":["mine.ltl"],"budget":1000000000}"#);
    let typed = answer["result"]["command"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(typed, format!("farlead explore mine.ltl --budget 1000000000 --app {}", notes()));
    // By then it is at work, and takes signals.
    thread::sleep(SOME_STEPS);
    let hello = r#"{"id":5,"do":"hello","version":2}"#;
    let requests = [(r#"{"id":3,"do":"pause","rests":true}"#, true), (r#"{"id":4,"do":"stop"}"#, false)];
    for (request, rests) in requests {
        assert_eq!(ask(&mut socket, request)["result"], json!({}), "{request}");
        // A page that joins now knows of it.
        assert_eq!(ask(&mut studio.socket(), hello)["result"]["last"]["rests"], json!(rests));
    }
    let ended = heard(&mut socket, "ended");
    let last = ask(&mut studio.socket(), hello)["result"]["last"].take();
    assert_eq!((&last["command"], &last["ended"]), (&json!(typed), &ended));
    assert!(last["lines"].as_array().is_some_and(|lines| !lines.is_empty()), "{last}");
    // What was found up to the signal is reported.
    assert_eq!((&ended["code"], &ended["report"]), (&json!(130), &json!(true)), "{ended}");
}

#[test]
fn a_rule_that_is_clicked_stands_in_the_project_and_holds_at_once() {
    let folder = Folder::new("studio-rules");
    folder.write("farlead.toml", "seed = 3");
    let studio = Studio::start(&folder, &["--app", &notes()], |_| {});
    let mut socket = studio.socket();
    let offers = |socket: &mut WebSocket<TcpStream>| {
        let view = ask(socket, r#"{"id":1,"do":"view"}"#);
        let offers = view["result"]["screen"]["offers"].as_array().expect("offers").clone();
        offers.into_iter().filter_map(|offer| offer["atom"].as_str().map(str::to_string)).collect::<Vec<_>>()
    };
    let okay = "[actionType = click, actionDetail = OKAY]";
    assert!(offers(&mut socket).contains(&okay.to_string()), "{:?}", offers(&mut socket));
    let ruled = ask(&mut socket, &json!({ "id": 2, "do": "never", "atom": okay }).to_string());
    assert_eq!(ruled["result"], json!({}), "{ruled}");
    assert!(!offers(&mut socket).contains(&okay.to_string()));
    let forbidden = ask(&mut socket, r#"{"id":1,"do":"view"}"#)["result"]["screen"]["forbidden"].take();
    assert_eq!(forbidden.as_array().map(Vec::len), Some(1), "{forbidden}");
    let told =
        ["type", "label", "rule"].map(|key| forbidden[0][key].as_str().unwrap_or_default().to_string());
    assert_eq!(told, ["click", "click \"OKAY\"", okay]);
    let typed = json!({ "id": 3, "do": "type-here", "atom": "[id = name]", "text": "Ann's \"note\"" });
    assert_eq!(ask(&mut socket, &typed.to_string())["result"], json!({}));
    let written = "seed = 3\n\n[[rule]]\nnever = '[actionType = click, actionDetail = OKAY]'\n\n\
                   [[rule]]\ntype = \"Ann's \\\"note\\\"\"\ninto = '[id = name]'\n";
    assert_eq!(folder.read("farlead.toml"), written);
    // A rule with a mistake is refused, and the file is as before.
    let wrong = ask(&mut socket, r#"{"id":4,"do":"never","atom":"[text = a]"}"#);
    assert!(wrong["error"].as_str().is_some_and(|error| error.contains("farlead.toml:")), "{wrong}");
    assert_eq!(folder.read("farlead.toml"), written);
}

#[test]
fn a_device_that_does_not_answer_holds_up_its_own_requests_alone_and_one_that_is_lost_is_looked_for() {
    let folder = Folder::new("studio-lost");
    let button = |at: u32, text: &str| {
        format!(
            r#"{{"class":"Button","text":"{text}","bounds":[0,{},100,{}],"flags":["clickable","enabled"]}}"#,
            at * 50,
            at * 50 + 40
        )
    };
    let screen = format!(
        r#"{{"screen":{{"package":"org.example","activity":"Main","widgets":[{},{}]}}}}"#,
        button(0, "stall"),
        button(1, "leave")
    );
    let program = format!(
        "while read -r line; do case \"$line\" in *leave*) exit 3;; *stall*) while [ ! -e go ]; do /bin/sleep 0.1; done;; esac; echo '{screen}'; done\n"
    );
    folder.write("device.sh", &program);
    let studio = Studio::start(&folder, &["--device", "exec:/bin/sh device.sh"], |_| {});
    let mut socket = studio.socket();
    let view = ask(&mut socket, r#"{"id":1,"do":"view"}"#);
    let number = &view["result"]["screen"]["number"];
    folder.write("mine.ltl", "F [text = a]\n");
    let act = json!({ "id": 9, "do": "act", "screen": number, "offer": 0 });
    socket.send(Message::text(act.to_string())).expect("a request");
    assert_eq!(heard(&mut socket, "silent")["seconds"], 2);
    let opened = ask(&mut socket, r#"{"id":10,"do":"open","file":"mine.ltl"}"#);
    assert_eq!(opened["result"]["text"], "F [text = a]\n");
    let document = json!({ "uri": "studio:file.ltl", "text": "F [txt = a]" });
    let change = json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } });
    let edited = ask(&mut socket, &json!({ "id": 11, "do": "editor", "message": change }).to_string());
    let mistakes = edited["result"]["messages"][0]["params"]["diagnostics"].as_array().map(Vec::len);
    assert_eq!(mistakes, Some(1), "{edited}");
    let text = "possible \"stalled\": F [text = stall]\n";
    let judge = json!({ "id": 14, "do": "judge", "text": text, "file": "mine.ltl" });
    let judged = ask(&mut socket, &judge.to_string());
    assert_eq!((&judged["id"], &judged["result"]["specs"][0]["at"]), (&json!(14), &json!(0)), "{judged}");
    for form in ["a", "b", "c", "scenario"] {
        let drafted = ask(&mut socket, &json!({ "id": 15, "do": "draft", "form": form }).to_string());
        let text = drafted["result"]["text"].as_str().unwrap_or_else(|| panic!("{drafted}"));
        assert!(text.contains("my first spec"), "{text}");
    }
    let draw = json!({ "id": 16, "do": "draw", "text": text, "file": "mine.ltl" });
    let drawn = ask(&mut socket, &draw.to_string());
    assert!(drawn["result"]["drawings"][0].as_str().is_some_and(|svg| svg.starts_with("<svg ")), "{drawn}");
    assert_eq!(ask(&mut socket, r#"{"id":12,"do":"stop"}"#)["error"], "no command runs");
    // A page that is opened now has the run as it was.
    let hello = ask(&mut studio.socket(), r#"{"id":13,"do":"hello","version":2}"#);
    assert_eq!(hello["result"]["view"]["steps"].as_array().map(Vec::len), Some(1), "{hello}");
    let (_, picture) = studio.asked(&format!("/picture/0?token={}", studio.token()), studio.host(), "");
    assert!(picture.starts_with("<svg "), "{picture}");
    folder.write("go", "");
    assert_eq!(heard(&mut socket, "silent")["seconds"], Value::Null);
    let acted = answered(&mut socket);
    assert_eq!((&acted["id"], acted["result"]["steps"].as_array().map(Vec::len)), (&json!(9), Some(2)));
    let number = &acted["result"]["screen"]["number"];
    let lost = ask(&mut socket, &json!({ "id": 2, "do": "act", "screen": number, "offer": 1 }).to_string());
    assert!(
        lost["error"].as_str().is_some_and(|error| error.contains("ended with exit status: 3")),
        "{lost}"
    );
    assert_eq!(ask(&mut socket, r#"{"id":3,"do":"view"}"#)["result"]["is_away"], true);
    let again = ask(&mut socket, r#"{"id":4,"do":"start"}"#);
    assert_eq!(
        (&again["result"]["is_away"], again["result"]["steps"].as_array().map(Vec::len)),
        (&json!(false), Some(1))
    );
}
