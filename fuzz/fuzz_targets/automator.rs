//! Reads any bytes as requests to the uiautomator2 server: each gets an answer that is HTTP and JSON.

#![no_main]

use std::sync::LazyLock;

use farlead::emulator::adbd::Backend as _;
use farlead::emulator::phone::Phone;
use farlead_fuzz::phone_with;
use libfuzzer_sys::fuzz_target;

static PHONE: LazyLock<Phone> = LazyLock::new(|| {
    phone_with("echo x >/data/local/tmp/u; CLASSPATH=/data/local/tmp/u app_process / com.wetest.uia2.Main")
});

const METHODS: [&str; 24] = [
    "click",
    "longClick",
    "swipe",
    "drag",
    "dragTo",
    "swipePoints",
    "injectInputEvent",
    "scrollTo",
    "scrollToEnd",
    "scrollForward",
    "dumpWindowHierarchy",
    "deviceInfo",
    "pressKey",
    "pressKeyCode",
    "setText",
    "getText",
    "setClipboard",
    "pasteClipboard",
    "count",
    "objInfo",
    "objInfoOfAllInstances",
    "waitForExists",
    "waitUntilGone",
    "setOrientation",
];

fuzz_target!(|bytes: &[u8]| {
    let mut phone = PHONE.clone();
    for line in bytes.split(|byte| *byte == b'\n').take(8) {
        let Some((first, rest)) = line.split_first() else { continue };
        let body = match METHODS.get(usize::from(*first)) {
            Some(method) => {
                let params = String::from_utf8_lossy(rest);
                format!("{{\"id\":1,\"method\":\"{method}\",\"params\":[{params}]}}").into_bytes()
            }
            None => rest.to_vec(),
        };
        let request = [b"POST /jsonrpc/0 HTTP/1.1\r\n\r\n", &body[..]].concat();
        let Some(answer) = phone.tcp(9_008, &request) else { return };
        let answer = String::from_utf8(answer).expect("text");
        assert!(answer.starts_with("HTTP/1.1 ") && answer.contains("\r\n\r\n"));
    }
});
