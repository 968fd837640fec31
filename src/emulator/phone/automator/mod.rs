//! The servers that look at the screen for their clients over HTTP: uiautomator2's in JSON-RPC, while `app_process` runs it,
//! and Appium's in the words of WebDriver, while `am instrument` runs it.
//!
//! A server looks through the same window as `uiautomator dump` and touches through the same pixels as `input`. As on
//! a real phone only one program at a time may look, so a dump fails while the server runs. The file that a client pushes
//! as the server must exist and is never run: this module answers in its place.

mod appium;
mod failure;
mod gestures;
mod http;
mod params;
mod rpc;
mod selector;

use super::dump;
use super::io::{Io, shown};
use super::servers::{Automator, Server};
use super::system::Phone;

/// Port of the server, unless the command line gives another.
const PORT: u16 = 9_008;

/// `app_process`: starts the server, if the command line names its class.
pub(super) fn app_process(phone: &mut Phone, class_path: Option<&str>, args: &[String], io: &mut Io) -> u8 {
    let class = args.iter().skip_while(|word| !word.starts_with('/')).nth(1);
    let Some(class) = class else {
        return io.complain(
            "Usage: app_process [java-options] cmd-dir start-class-name [options]\nError: no class name or \
             --zygote supplied.",
        );
    };
    let paths = class_path.unwrap_or_default().split(':');
    // An empty file would be an upload that failed.
    let is_there = paths.into_iter().any(|path| phone.stat(path).is_some_and(|stat| stat.size > 0));
    if class != Automator::CLASS || !is_there {
        let said = format!("java.lang.ClassNotFoundException: Didn't find class \"{}\"", shown(class));
        phone.note('E', "AndroidRuntime", &said);
        io.complain("Aborted");
        return 134;
    }
    io.say("[server] INFO: [UiAutomator2Server] Starting Server");
    if phone.automator.is_some() {
        return io.complain(&dump::registered());
    }
    let port = args.iter().position(|word| word == "-p").and_then(|at| args.get(at + 1));
    let port = port.and_then(|port| port.parse().ok()).unwrap_or(PORT);
    let pid = phone.take_pid();
    phone.automator = Some(Automator { pid, port, toast: None, server: Server::Uiautomator2 });
    phone.started_server = Some(pid);
    // The real server wakes the display when it starts.
    if !phone.windows().is_lit {
        phone.set_lit(true);
    }
    io.say(&format!("[server] INFO: http server listening on *:{port}"));
    0
}

/// `nc`: sends its input to a port of the phone itself; other hosts are out of reach.
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

impl Phone {
    /// Answers a request to a port, if the server listens there.
    pub(super) fn tcp(&mut self, port: u16, request: &[u8]) -> Option<Vec<u8>> {
        let automator = self.automator.as_ref().filter(|automator| automator.port == port)?;
        // The empty request only asks whether something listens.
        if request.is_empty() {
            return Some(Vec::new());
        }
        Some(match automator.server {
            Server::Uiautomator2 => http::answer(self, request),
            Server::Appium(_) => appium::answer(self, request),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::super::version::AndroidVersion;
    use super::rpc::answer;
    use super::*;
    use crate::device::sim::read;
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

    /// Returns a phone with the app in front and a running server.
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
        assert!(words.contains(Automator::CLASS), "{words}");
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
