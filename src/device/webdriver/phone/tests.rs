//! A phone in real time, behind a server that answers what a test asks for.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Phone, PhoneApp, PhoneOptions};
use crate::device::Device as _;
use crate::device::webdriver::Options;
use crate::gui::{Action, DeviceAction};

/// An answer: its value, or the kind of its error.
type Answer = Result<Value, &'static str>;

/// Answers a request by its method, its path below the session, its body, and the number of times that it came before.
type Script = fn(&str, &str, &Value, usize) -> Option<Answer>;

/// A server that a script answers for, and all that it was asked.
struct Scripted {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    fn start(script: Script) -> Scripted {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let heard = asked.clone();
        thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let heard = heard.clone();
                thread::spawn(move || serve(socket, script, &heard));
            }
        });
        Scripted { address, asked }
    }

    fn open(&self) -> Result<Phone, super::PhoneError> {
        let app = PhoneApp { package: "org.lamp".to_string(), ..PhoneApp::default() };
        Phone::open(&self.address, &app, options())
    }

    fn count(&self, wanted: &str) -> usize {
        self.asked.lock().expect("requests").iter().filter(|asked| asked.starts_with(wanted)).count()
    }
}

fn options() -> PhoneOptions {
    let server = Options { patience: Duration::ZERO, ..Options::default() };
    PhoneOptions { server, pause: Duration::ZERO, looks_max: 4, ..PhoneOptions::default() }
}

fn serve(socket: TcpStream, script: Script, heard: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(socket.try_clone().expect("a socket"));
    let mut socket = socket;
    loop {
        let mut head = String::new();
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            if line == "\r\n" {
                break;
            }
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let mut words = head.split_whitespace();
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let path = path.strip_prefix("/session/1").unwrap_or(path);
        let mut all = heard.lock().expect("requests");
        let what = match body["script"].as_str() {
            Some(command) => format!("{method} {command}"),
            None => format!("{method} {path}"),
        };
        let before = all.iter().filter(|asked| **asked == what).count();
        let rotations = all.iter().filter(|asked| *asked == "GET /rotation").count();
        all.push(what.clone());
        drop(all);
        let answer = script(method, what.split_once(' ').map_or("", |(_, path)| path), &body, before);
        let (status, value) = match answer.unwrap_or_else(|| usual(&what, rotations)) {
            Ok(value) => (200, value),
            Err(error) => (500, json!({ "error": error, "message": "as the test asks for" })),
        };
        let text = json!({ "value": value }).to_string();
        let said = format!("HTTP/1.1 {status} OK\r\nContent-Length: {}\r\n\r\n{text}", text.len());
        if socket.write_all(said.as_bytes()).is_err() {
            return;
        }
    }
}

/// Returns the answer of a phone on which nothing happens; its log has a mark for each that was set.
fn usual(what: &str, rotations: usize) -> Answer {
    Ok(match what {
        "POST /session" => json!({ "sessionId": "1", "capabilities": {
            "deviceModel": "Pixel 7", "platformVersion": "13", "deviceApiLevel": 33, "deviceUDID": "192.168.1.5:5555",
            "deviceScreenSize": "1080x2400", "appActivity": "org.lamp/.Main", "deviceManufacturer": "Google",
        } }),
        "GET /rotation" => json!({ "x": 0, "y": 0, "z": 0 }),
        "POST /se/log" => {
            let mark = "01-01 00:00:01.000  1  1 I appium  : channel read: GET /session/1/rotation";
            // A mark twice is as good as once.
            (0..rotations).map(|_| json!({ "message": mark })).collect()
        }
        "GET /source" => json!(source("lamp")),
        "GET /appium/device/current_activity" => json!(".Main"),
        "GET /appium/device/current_package" => json!("org.lamp"),
        "POST mobile: getPermissions" => json!(["android.permission.CAMERA"]),
        "POST mobile: getConnectivity" => json!({ "wifi": true, "data": true, "airplaneMode": false }),
        "POST mobile: isKeyboardShown" | "POST mobile: isLocked" => json!(false),
        "POST mobile: startActivity" => json!("Status: ok\nComplete"),
        _ => Value::Null,
    })
}

fn source(text: &str) -> String {
    format!(
        "<?xml version='1.0'?><hierarchy rotation=\"0\"><android.widget.Button class=\"android.widget.Button\" \
         text=\"{text}\" package=\"org.lamp\" clickable=\"true\" bounds=\"[0,0][10,10]\"/></hierarchy>"
    )
}

/// Returns the activity and the text of the first screen, or the error; and the number of sources read.
fn look(script: Script) -> (String, usize) {
    let server = Scripted::start(script);
    let said = match server.open().expect("a phone").reset("org.lamp.Main") {
        Ok(seen) => format!("{} {}", seen.screen.activity(), seen.screen.widgets()[0].text),
        Err(error) => error.to_string(),
    };
    (said, server.count("GET /source"))
}

#[test]
fn a_screen_has_settled_once_two_sources_agree() {
    assert_eq!(look(|_, _, _, _| None), ("org.lamp.Main lamp".to_string(), 2));
    let moves: Script = |_, path, _, before| {
        (path == "/source").then(|| Ok(json!(source(if before < 1 { "off" } else { "on" }))))
    };
    assert_eq!(look(moves), ("org.lamp.Main on".to_string(), 3));
}

#[test]
fn an_activity_that_gives_way_to_another_is_not_looked_at() {
    let gives_way: Script = |_, path, _, before| {
        let activity = if before < 1 { ".Splash" } else { ".Main" };
        (path == "/appium/device/current_activity").then(|| Ok(json!(activity)))
    };
    assert_eq!(look(gives_way), ("org.lamp.Main lamp".to_string(), 3));
}

#[test]
fn a_screen_that_is_never_read_is_said_with_the_reason() {
    let (said, looks) = look(|_, path, _, _| (path == "/source").then_some(Err("unknown error")));
    assert!(said.contains("4 looks long: as the test asks for") && looks == 4, "{said}");
}

#[test]
fn permissions_that_clearing_revokes_are_granted_again() {
    // Granted are two at first, and after a clearing the one that needs no consent.
    let server = Scripted::start(|_, path, body, asked| match path {
        "mobile: getPermissions" if asked == 0 => Some(Ok(json!(["CAMERA", "INTERNET"]))),
        "mobile: getPermissions" => Some(Ok(json!(["INTERNET"]))),
        "mobile: changePermissions" if body["args"][0]["permissions"] != json!(["CAMERA"]) => {
            Some(Err("invalid argument"))
        }
        _ => None,
    });
    let mut phone = server.open().expect("a phone");
    for _ in 0..2 {
        phone.reset("org.lamp.Main").expect("a screen");
    }
    assert_eq!(server.count("POST mobile: changePermissions"), 2);
    assert_eq!(server.count("POST mobile: getPermissions"), 2);
}

#[test]
fn a_session_that_ends_loses_the_phone_and_a_command_that_is_missing_does_not() {
    let ended = Scripted::start(|_, path, _, _| (path == "/actions").then_some(Err("invalid session id")));
    let lacks = Scripted::start(|_, path, _, _| (path == "/rotation").then_some(Err("unknown method")));
    let mut phone = ended.open().expect("a phone");
    phone.reset("org.lamp.Main").expect("a screen");
    let lost = phone.tap((1, 1)).map_err(crate::device::DeviceError::from).expect_err("no session");
    assert!(lost.is_lost() && lost.to_string().contains("has ended the session"), "{lost}");
    drop(phone);
    assert_eq!(ended.count("DELETE "), 1);
    let refused = lacks.open().map(drop).map_err(crate::device::DeviceError::from).expect_err("no rotation");
    assert!(!refused.is_lost(), "{refused}");
}

#[test]
fn a_phone_is_connected_and_upright_again_in_the_end() {
    let server = Scripted::start(|_, path, _, _| {
        let facts = json!({ "deviceUDID": "8A1X", "deviceApiLevel": 33, "appActivity": "org.lamp/.Main" });
        (path == "/session").then(|| Ok(json!({ "sessionId": "1", "capabilities": facts })))
    });
    let mut phone = server.open().expect("a phone");
    phone.reset("org.lamp.Main").expect("a screen");
    for action in [Action::NETWORK, Action::ROTATE] {
        phone.act(&action).expect("a screen");
    }
    drop(phone);
    assert_eq!(server.count("POST mobile: setConnectivity"), 2);
    // Upright at the start, turned, and back.
    assert_eq!(server.count("POST /rotation"), 3);
}

#[test]
fn what_a_phone_cannot_do_is_not_offered() {
    let server = Scripted::start(|_, path, _, _| (path == "/se/log").then_some(Err("unknown error")));
    let mut phone = server.open().expect("a phone");
    phone.reset("org.lamp.Main").expect("a screen");
    // Its network is the way to it.
    assert!(!phone.capabilities().has(DeviceAction::Network));
    let error = phone.act(&Action::NETWORK).expect_err("no way back");
    assert_eq!(error.to_string(), "a phone behind Appium cannot do `network`");
    let [warning] = &phone.warnings()[..] else { panic!("one warning") };
    assert!(warning.contains("gives no log of the phone"), "{warning}");
}
