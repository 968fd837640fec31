//! uiautomator2's server: what its clients ask over HTTP and JSON-RPC, while `app_process` runs it.
//!
//! It looks through the same window as `uiautomator dump` and touches through the same pixels as `input`. As on a
//! real phone one program at a time may look, so a dump fails while the server runs. The file that is to hold the
//! server is only looked for and never run: what answers is this.

mod gestures;
mod http;
mod selector;

use serde_json::{Map, Value, json};

use super::base64::base64;
use super::io::Io;
use super::shell::shown;
use super::{Phone, dump, input, picture};
use crate::device::{DeviceError, Sim};
use crate::gui::{Flags, PressedKey};

use selector::Selector;

/// The class that is the server.
const CLASS: &str = "com.wetest.uia2.Main";

/// Where it listens if nothing else is said.
const PORT: u16 = 9_008;

/// How deep a hierarchy goes if nothing else is said.
const DEPTH_MAX: usize = 50;

/// How often a wait looks.
const LOOK_EVERY_MS: u64 = 1_000;

/// How long a wait is at most: ten minutes of virtual time.
const WAIT_MS_MAX: u64 = 600_000;

/// The longest text that a clip holds.
const CLIP_MAX: usize = 1 << 20;

/// The server, while it runs.
#[derive(Clone, Debug)]
pub(super) struct Automator {
    pub pid: u32,
    port: u16,
    toast: Option<String>,
}

impl Automator {
    /// Remembers what a toast said.
    pub fn hear_toast(&mut self, text: &str) {
        self.toast = Some(text.to_string());
    }
}

/// Why a call gives nothing.
enum Failure {
    /// There is no such method.
    Method,
    /// There is one, and it is called otherwise.
    Params,
    /// The method threw this, with what is said of it.
    Thrown(&'static str, String),
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Failure {
        Failure::Thrown("java.lang.RuntimeException", error.to_string())
    }
}

type Answer = Result<Value, Failure>;

/// `app_process`: starts the server, if that is what it is called for.
pub(super) fn app_process(phone: &mut Phone, class_path: Option<&str>, args: &[String], io: &mut Io) -> u8 {
    let class = args.iter().skip_while(|word| !word.starts_with('/')).nth(1);
    let Some(class) = class else {
        return io.complain(
            "Usage: app_process [java-options] cmd-dir start-class-name [options]\nError: no class name or \
             --zygote supplied.",
        );
    };
    let paths = class_path.unwrap_or_default().split(':');
    let is_there = paths.into_iter().any(|path| phone.stat(path).is_some_and(|stat| stat.size > 0));
    if class != CLASS || !is_there {
        let said = format!("java.lang.ClassNotFoundException: Didn't find class \"{}\"", shown(class));
        phone.note('E', "AndroidRuntime", &said);
        io.complain("Aborted");
        return 134;
    }
    io.say("[server] INFO: [UiAutomator2Server] Starting Server");
    if phone.automator.is_some() {
        return io.complain(&registered());
    }
    let port = args.iter().position(|word| word == "-p").and_then(|at| args.get(at + 1));
    let port = port.and_then(|port| port.parse().ok()).unwrap_or(PORT);
    let pid = phone.next_pid;
    phone.next_pid += 37;
    phone.automator = Some(Automator { pid, port, toast: None });
    phone.started_server = Some(pid);
    if !phone.windows().is_lit {
        phone.light(true);
    }
    io.say(&format!("[server] INFO: http server listening on *:{port}"));
    0
}

/// `nc`: asks a port of the phone itself; no other host can be reached.
pub(super) fn nc(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let [.., host, port] = args else { return io.complain("nc: Needs 2 arguments") };
    let is_own = ["127.0.0.1", "localhost", "::1"].contains(&host.as_str());
    let request = io.input.rest().to_vec();
    match port.parse().ok().filter(|_| is_own).and_then(|port| phone.tcp(port, &request)) {
        Some(answer) => {
            io.write(&answer);
            0
        }
        None => io.complain("nc: connect: Connection refused"),
    }
}

/// What is thrown where a second program wants to look.
pub(super) fn registered() -> String {
    "java.lang.IllegalStateException: UiAutomationService \
     android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5deffd5already registered!"
        .to_string()
}

impl Phone {
    /// Takes the server that the last command has started, if it did.
    pub(super) fn take_server(&mut self) -> Option<u32> {
        self.started_server.take()
    }

    /// Ends the server, if it is this one; returns whether it was.
    pub(super) fn end_server(&mut self, pid: u32) -> bool {
        let is_meant = self.automator.as_ref().is_some_and(|automator| automator.pid == pid);
        if is_meant {
            self.automator = None;
        }
        is_meant
    }

    /// The words that the server was started with, if `path` is the file that says them of its process.
    pub(super) fn command_line(&self, path: &str) -> Option<Vec<u8>> {
        let pid: u32 = path.strip_prefix("/proc/")?.strip_suffix("/cmdline")?.parse().ok()?;
        let Automator { port, .. } = self.automator.as_ref().filter(|automator| automator.pid == pid)?;
        Some(format!("app_process\0/\0{CLASS}\0-p\0{port}\0").into_bytes())
    }

    /// Answers a request to a port, if the server listens there.
    pub(super) fn tcp(&mut self, port: u16, request: &[u8]) -> Option<Vec<u8>> {
        if self.automator.as_ref()?.port != port {
            return None;
        }
        if request.is_empty() {
            return Some(Vec::new());
        }
        Some(http::answer(self, request))
    }
}

/// Answers a JSON-RPC request.
fn answer(phone: &mut Phone, request: &[u8]) -> Value {
    let request: Value = match serde_json::from_slice(request) {
        Ok(request) => request,
        Err(_) => return failed(Value::Null, -32_700, "JSON parse error", Value::Null),
    };
    let id = request.get("id").filter(|id| id.is_number() || id.is_string()).cloned().unwrap_or_default();
    let Some(method) = request.get("method").and_then(Value::as_str) else {
        return failed(id, -32_600, "invalid request", Value::Null);
    };
    let params = match request.get("params") {
        None | Some(Value::Null) => &[][..],
        Some(Value::Array(params)) => params,
        // Of parameters by their names the server knows none.
        Some(Value::Object(params)) if params.is_empty() => &[][..],
        Some(_) => return failed(id, -32_602, "method parameters invalid", Value::Null),
    };
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

/// What a method is called with.
#[derive(Clone, Copy)]
struct Params<'a>(&'a [Value]);

impl Params<'_> {
    fn len(self) -> usize {
        self.0.len()
    }

    /// A number, without what stands behind its point.
    fn int(self, at: usize) -> Result<i32, Failure> {
        let number = self.0.get(at).and_then(Value::as_f64).ok_or(Failure::Params)?;
        Ok(number.clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i32)
    }

    fn point(self, at: usize) -> Result<(i32, i32), Failure> {
        Ok((self.int(at)?, self.int(at + 1)?))
    }

    fn flag(self, at: usize) -> Result<bool, Failure> {
        self.0.get(at).and_then(Value::as_bool).ok_or(Failure::Params)
    }

    /// A text, where null is none.
    fn text(self, at: usize) -> Result<Option<String>, Failure> {
        match self.0.get(at) {
            Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other @ (Value::Number(_) | Value::Bool(_))) => Ok(Some(other.to_string())),
            Some(Value::Array(_) | Value::Object(_)) | None => Err(Failure::Params),
        }
    }

    fn word(self, at: usize) -> Result<String, Failure> {
        self.text(at)?.ok_or(Failure::Params)
    }

    fn selector(self, at: usize) -> Result<Selector, Failure> {
        Selector::read(self.0.get(at).ok_or(Failure::Params)?)
    }

    fn has_selector(self) -> bool {
        self.0.first().is_some_and(Value::is_object)
    }

    fn wait_ms(self, at: usize) -> Result<u64, Failure> {
        Ok(u64::try_from(self.int(at)?).unwrap_or(0).min(WAIT_MS_MAX))
    }
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
        "wakeUp" => light(phone, true),
        "sleep" => light(phone, false),
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
            phone.clip = text.map(|text| super::io::cut(&text, CLIP_MAX).to_string());
            Ok(Value::Null)
        }
        "getClipboard" => Ok(json!(phone.clip)),
        "pasteClipboard" => paste(phone),
        "clearInputText" => clear_focused(phone),
        "waitForIdle" | "clearLastTraversedText" | "getLastTraversedText" => Ok(Value::Null),
        // No bars of the system can be pulled down, and no window comes up while nothing is done.
        "openNotification" | "openQuickSettings" | "waitForWindowUpdate" => Ok(json!(false)),
        "exist" => Ok(json!(params.selector(0)?.find(phone)?.is_some())),
        "count" => Ok(json!(params.selector(0)?.find_all(phone)?.len())),
        "objInfo" => Ok(params.selector(0)?.wanted(phone)?.info()),
        "objInfoOfAllInstances" => {
            let found = params.selector(0)?.find_all(phone)?;
            Ok(found.iter().map(selector::Found::info).collect())
        }
        "getText" => Ok(json!(params.selector(0)?.wanted(phone)?.text())),
        "setText" => set_text(phone, &params.selector(0)?, &params.text(1)?.unwrap_or_default()),
        "clearTextField" => set_text(phone, &params.selector(0)?, "").map(|_| Value::Null),
        "waitForExists" => wait(phone, &params.selector(0)?, params.wait_ms(1)?, true),
        "waitUntilGone" => wait(phone, &params.selector(0)?, params.wait_ms(1)?, false),
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
    let is_compressed = params.flag(0)?;
    let depth_max = if params.len() > 1 { params.int(1)? } else { DEPTH_MAX as i32 };
    let dumper = dump::Dumper::Server { depth_max: usize::try_from(depth_max).unwrap_or(0) };
    let (rotation, version) = (phone.rotation(), phone.version);
    let screen = phone.screen()?;
    phone.faults.slow_down();
    Ok(json!(dump::hierarchy(&screen, rotation, is_compressed, version, dumper)))
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
    let found = NAMES.iter().find(|(other, _)| *other == name);
    found.map_or(Ok(json!(false)), |(_, code)| press_code(phone, *code))
}

fn press_code(phone: &mut Phone, code: i32) -> Answer {
    input::press(phone, input::key(&code.to_string()), 1)?;
    Ok(json!(true))
}

fn light(phone: &mut Phone, is_lit: bool) -> Answer {
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
    super::settings::lock_rotation(phone, rotation);
    Ok(Value::Null)
}

fn freeze(phone: &mut Phone, is_frozen: bool) -> Answer {
    if is_frozen {
        let rotation = phone.rotation().to_string();
        super::settings::lock_rotation(phone, &rotation);
    } else {
        phone.set("system", "accelerometer_rotation", Some("1"));
    }
    Ok(Value::Null)
}

fn paste(phone: &mut Phone) -> Answer {
    let Some(text) = phone.clip.clone().filter(|text| !text.is_empty() && phone.windows().is_lit) else {
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

/// Puts a text in place of what is in a field, which is touched first; touching one that has the focus changes nothing.
fn set_text(phone: &mut Phone, selector: &Selector, text: &str) -> Answer {
    let found = selector.wanted(phone)?;
    if !found.is_editable() || !phone.windows().is_lit {
        return Ok(json!(false));
    }
    let (at, text) = (found.bounds().centre(), super::io::cut(text, CLIP_MAX).to_string());
    if !found.is_focused() {
        phone.act(|sim: &mut Sim| sim.replace_text(at, &text))?;
        return Ok(json!(true));
    }
    let letters = found.text().chars().count();
    phone.act(|sim| sim.press(PressedKey::Delete, u32::try_from(letters).unwrap_or(u32::MAX)))?;
    if !text.is_empty() {
        phone.act(|sim| sim.type_text(&text))?;
    }
    Ok(json!(true))
}

/// Lets time pass until something is there, or gone, or the time is over.
fn wait(phone: &mut Phone, selector: &Selector, limit_ms: u64, is_there: bool) -> Answer {
    let mut left_ms = limit_ms;
    loop {
        if selector.find(phone)?.is_some() == is_there {
            return Ok(json!(true));
        }
        if left_ms == 0 {
            return Ok(json!(false));
        }
        let step_ms = left_ms.min(LOOK_EVERY_MS);
        phone.sleep(step_ms)?;
        left_ms -= step_ms;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::device::sim::read;
    use crate::emulator::phone::AndroidVersion;
    use crate::rng::Seed;
    use crate::spec::Source;

    const APP: &str = "app org.lamp \"Lamp\" 1.5
launch Main
activity Main .Main {
    own lit = false
    own typed = \"\"
    Button #switch (lit ? \"off\" : \"on\") -> lit = !lit
    LinearLayout #row { TextView \"first\" TextView \"second\" }
    EditText #field edits typed hint \"name\"
    Button \"say\" -> toast \"said {typed}\"
}
";

    const START: &str = "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008";

    /// A phone with the app in front and the server at work.
    fn served() -> Phone {
        let model = read(&Source::new("lamp.app", APP)).model.expect("no mistakes");
        let mut phone = Phone::new(Arc::new(model), Seed(1), AndroidVersion::default());
        let ran = phone
            .shell(&format!("am start -n org.lamp/.Main; echo jar > /data/local/tmp/u2.jar; {START}"), b"");
        assert_eq!((ran.code, &*ran.stderr), (0, &b""[..]));
        phone
    }

    fn ask(phone: &mut Phone, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let request = format!("POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let answer = phone.tcp(9_008, request.as_bytes()).expect("a server that listens");
        let answer = String::from_utf8(answer).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        serde_json::from_str(body).expect("JSON")
    }

    #[track_caller]
    fn check(phone: &mut Phone, method: &str, params: Value, expected: Value) {
        assert_eq!(ask(phone, method, params)["result"], expected, "{method}");
    }

    fn by_text(text: &str) -> Value {
        json!({"mask": 1, "text": text, "childOrSibling": [], "childOrSiblingSelector": []})
    }

    fn by_id(id: &str) -> Value {
        json!({"mask": 0x200000, "resourceId": format!("org.lamp:id/{id}")})
    }

    #[test]
    fn a_server_answers_while_it_runs_alone() {
        let mut phone = served();
        let pid = phone.take_server().expect("a server");
        assert_eq!((phone.take_server(), phone.tcp(9_009, b"")), (None, None));
        let pong = phone.tcp(9_008, b"GET /ping?x HTTP/1.1\r\n\r\n").expect("an answer");
        assert!(pong.ends_with(b"\r\n\r\npong"));
        let other = phone.tcp(9_008, b"GET /other HTTP/1.1\r\n\r\n").expect("an answer");
        assert!(other.starts_with(b"HTTP/1.1 404 Not Found\r\n"));
        let second = phone.shell(START, b"");
        assert!(second.code == 1 && String::from_utf8_lossy(&second.stderr).contains("already registered!"));
        let dump = phone.shell("uiautomator dump", b"");
        assert_eq!((dump.code, &*dump.stderr), (137, &b"Killed\n"[..]));
        assert_eq!(phone.shell(&format!("kill {pid}"), b"").code, 0);
        assert_eq!((phone.tcp(9_008, b""), phone.shell("uiautomator dump", b"").code), (None, 0));
        for line in
            ["app_process", "app_process / com.wetest.uia2.Main", "CLASSPATH=/data/none app_process / x"]
        {
            assert_ne!(phone.shell(line, b"").code, 0, "{line}");
            assert_eq!(phone.take_server(), None);
        }
    }

    #[test]
    fn a_server_that_nobody_waits_for_outlives_its_stream_and_is_asked_from_the_shell() {
        let mut phone = served();
        let said = |phone: &mut Phone, line: &str| {
            let ran = phone.shell(line, b"");
            (String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned(), ran.code)
        };
        let pid = phone.take_server().expect("a server");
        phone.end_server(pid);
        let refused = ("nc: connect: Connection refused\n".to_string(), 1);
        assert_eq!(said(&mut phone, "echo GET /ping | nc 127.0.0.1 9008"), refused);
        let (pid, _) = said(&mut phone, &format!("{START} >/dev/null 2>&1 & echo $!"));
        assert_eq!(phone.take_server(), None);
        let (words, _) = said(&mut phone, &format!("cat /proc/{}/cmdline", pid.trim()));
        assert!(words.contains(CLASS), "{words}");
        phone.shell("echo 'GET /ping HTTP/1.1' > /sdcard/ping", b"");
        let (pong, code) = said(&mut phone, "timeout 5 nc 127.0.0.1 9008 </sdcard/ping");
        assert!(pong.ends_with("pong") && code == 0, "{pong}");
        assert_eq!(said(&mut phone, "nc example.org 9008 </sdcard/ping"), refused);
        assert_eq!(said(&mut phone, &format!("kill {pid}")), (String::new(), 0));
        assert_eq!(said(&mut phone, "nc 127.0.0.1 9008 </sdcard/ping"), refused);
        assert_eq!(said(&mut phone, "false & echo $?$!"), ("05001\n".to_string(), 0));
    }

    #[test]
    fn a_click_hits_what_is_under_the_point() {
        let mut phone = served();
        let bounds = ask(&mut phone, "objInfo", json!([by_text("on")]))["result"]["bounds"].clone();
        let middle = |low: &str, high: &str| {
            (bounds[low].as_f64().expect("a number") + bounds[high].as_f64().expect("a number")) / 2.0
        };
        let (x, y) = (middle("left", "right"), middle("top", "bottom"));
        check(&mut phone, "click", json!([x, y]), json!(true));
        check(&mut phone, "count", json!([by_text("off")]), json!(1));
        check(&mut phone, "click", json!([-1, y]), json!(false));
        check(&mut phone, "injectInputEvent", json!([0, x, y, 0]), json!(true));
        check(&mut phone, "count", json!([by_text("off")]), json!(1));
        check(&mut phone, "injectInputEvent", json!([1, x, y, 0]), json!(true));
        check(&mut phone, "exist", json!([by_text("on")]), json!(true));
    }

    #[test]
    fn fields_take_texts_that_no_key_types() {
        let mut phone = served();
        check(&mut phone, "setText", json!([by_id("field"), "日本"]), json!(true));
        check(&mut phone, "getText", json!([by_id("field")]), json!("日本"));
        check(&mut phone, "setClipboard", json!([null, "é"]), Value::Null);
        check(&mut phone, "pasteClipboard", json!([]), json!(true));
        check(&mut phone, "getText", json!([by_id("field")]), json!("日本é"));
        check(&mut phone, "clearInputText", json!([]), Value::Null);
        check(&mut phone, "setText", json!([by_text("first"), "x"]), json!(false));
        check(&mut phone, "setText", json!([by_id("field"), "a"]), json!(true));
        check(&mut phone, "click", json!([by_text("say")]), json!(true));
        check(&mut phone, "getLastToast", json!({}), json!("said a"));
    }

    #[test]
    fn selectors_mean_what_is_in_and_beside_others() {
        let mut phone = served();
        let chained = |first: Value, relation: &str, second: Value| {
            let mut first = first;
            first["childOrSibling"] = json!([relation]);
            first["childOrSiblingSelector"] = json!([second]);
            first
        };
        let inside = chained(by_id("row"), "child", by_text("second"));
        check(&mut phone, "exist", json!([inside]), json!(true));
        check(&mut phone, "exist", json!([chained(by_id("row"), "child", by_text("say"))]), json!(false));
        check(
            &mut phone,
            "exist",
            json!([chained(by_text("first"), "sibling", by_text("second"))]),
            json!(true),
        );
        let texts = json!({"mask": 0x10, "className": "android.widget.TextView"});
        check(&mut phone, "count", json!([texts]), json!(2));
        let second = json!({"mask": 0x1000010, "className": "android.widget.TextView", "instance": 1});
        check(&mut phone, "getText", json!([second]), json!("second"));
        let pattern = |pattern: &str| json!({"mask": 4, "textMatches": pattern});
        check(&mut phone, "count", json!([pattern("f.*|second")]), json!(2));
        check(&mut phone, "count", json!([pattern("firs")]), json!(0));
        check(&mut phone, "count", json!([{"mask": 2, "textContains": "SEC"}]), json!(1));
    }

    #[test]
    fn a_wait_lets_time_pass_and_no_more() {
        let mut phone = served();
        let before_ms = phone.uptime_ms;
        check(&mut phone, "waitForExists", json!([by_text("on"), 9_000]), json!(true));
        assert_eq!(phone.uptime_ms, before_ms);
        check(&mut phone, "waitForExists", json!([by_text("none"), 2_500]), json!(false));
        assert_eq!(phone.uptime_ms, before_ms + 2_500);
        check(&mut phone, "waitUntilGone", json!([by_text("none"), 2_500]), json!(true));
    }

    #[test]
    fn what_cannot_be_done_is_said_as_the_server_does() {
        let mut phone = served();
        let mut said = |method: &str, params: Value| {
            let error = ask(&mut phone, method, params)["error"].clone();
            (error["code"].as_i64().expect("a code"), error["message"].as_str().expect("words").to_string())
        };
        let missing = "androidx.test.uiautomator.UiObjectNotFoundException".to_string();
        assert_eq!(said("getText", json!([by_text("none")])), (-32_001, missing));
        let pattern = json!([{"mask": 4, "textMatches": "("}]);
        assert_eq!(said("count", pattern), (-32_001, "java.util.regex.PatternSyntaxException".to_string()));
        assert_eq!(said("nosuch", json!([])), (-32_601, "method not found".to_string()));
        for (method, params) in [
            ("click", json!(["x", 1])),
            ("click", json!([])),
            ("objInfo", json!([7])),
            ("objInfo", json!([{"mask": 1}])),
            ("deviceInfo", json!({"x": 1})),
        ] {
            assert_eq!(said(method, params), (-32_602, "method parameters invalid".to_string()), "{method}");
        }
        let mut answer = |body: &str| answer(&mut phone, body.as_bytes())["error"]["code"].clone();
        assert_eq!(answer("{"), json!(-32_700));
        assert_eq!(answer(&"[".repeat(100_000)), json!(-32_700));
        assert_eq!(answer("[]"), json!(-32_600));
    }

    #[test]
    fn a_hierarchy_stops_where_it_is_told_to() {
        let mut phone = served();
        let mut depth = |depth: i32| {
            let xml = ask(&mut phone, "dumpWindowHierarchy", json!([false, depth]))["result"].clone();
            xml.as_str().expect("a text").matches("<node").count()
        };
        assert!(depth(0) < depth(1) && depth(1) <= depth(50));
        assert_eq!(depth(-1), depth(0));
    }
}
