//! Reads any bytes as requests to Appium's server: each gets an answer that is HTTP and JSON.

#![no_main]

use std::sync::LazyLock;

use farlead::emulator::adbd::Backend as _;
use farlead::emulator::phone::Phone;
use farlead_fuzz::phone_with;
use libfuzzer_sys::fuzz_target;

static PHONE: LazyLock<Phone> = LazyLock::new(|| {
    let mut phone = phone_with(
        "am instrument -w io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner",
    );
    let asked = b"POST /session HTTP/1.1\r\n\r\n{\"capabilities\":{}}";
    let answer = phone.tcp(6_790, asked).expect("a server that listens");
    assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
    let asked = "POST /session/ID/elements HTTP/1.1\r\n\r\n{\"using\":\"xpath\",\"value\":\"//*\"}";
    phone.tcp(6_790, asked.replace("ID", SESSION).as_bytes()).expect("a server that listens");
    phone
});

/// Id of the first session of the seed.
const SESSION: &str = "00000000-0000-4000-8000-000100000001";

/// Requests that need a body, each with what stands before and behind the bytes of the fuzzer.
const REQUESTS: [(&str, &str, &str); 10] = [
    ("element", "{\"using\":\"xpath\",\"value\":", "}"),
    ("elements", "{\"using\":\"xpath\",\"value\":\"", "\"}"),
    ("elements", "{\"using\":\"-android uiautomator\",\"value\":\"new UiSelector()", "\"}"),
    (
        "elements",
        "{\"context\":\"00000000-0000-0001-ffff-000000000002\",\"using\":\"xpath\",\"value\":\"",
        "\"}",
    ),
    ("actions", "{\"actions\":[{\"type\":\"pointer\",\"actions\":[", "]}]}"),
    ("actions", "{\"actions\":[{\"type\":\"key\",\"actions\":[", "]}]}"),
    ("element/00000000-0000-0001-ffff-000000000002/value", "{\"text\":\"", "\"}"),
    ("appium/settings", "{\"settings\":{", "}}"),
    ("appium/gestures/scroll", "{", "}"),
    ("appium/device/press_keycode", "{", "}"),
];

fuzz_target!(|bytes: &[u8]| {
    let mut phone = PHONE.clone();
    for line in bytes.split(|byte| *byte == b'\n').take(8) {
        let Some((first, rest)) = line.split_first() else { continue };
        let rest = String::from_utf8_lossy(rest);
        let request = match REQUESTS.get(usize::from(*first)) {
            Some((path, before, behind)) => {
                format!("POST /session/{SESSION}/{path} HTTP/1.1\r\n\r\n{before}{rest}{behind}")
            }
            // Method, path and body of any kind.
            None => {
                let (target, body) = rest.split_once('\t').unwrap_or((&rest, ""));
                let method = ["GET", "POST", "DELETE"][usize::from(*first) % 3];
                format!("{method} {} HTTP/1.1\r\n\r\n{body}", target.replace("ID", SESSION))
            }
        };
        let Some(answer) = phone.tcp(6_790, request.as_bytes()) else { return };
        let answer = String::from_utf8(answer).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(head.starts_with("HTTP/1.1 "));
        let answer: serde_json::Value = serde_json::from_str(body).expect("JSON");
        assert!(answer.get("value").is_some());
    }
});
