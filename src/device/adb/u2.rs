//! uiautomator2's server on the phone: a faster look, with a file that the user provides.
//!
//! The server reads the same window as `uiautomator dump`, but it starts only once and does not wait for the
//! screen to rest as a dump does, so this module asks for the rest explicitly. The phone's own shell asks the
//! server, in the command that acts. The server runs as long as the device is open here; the phone has a note
//! of how to end it before it starts.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::changes::end_of_server;
use super::script::Script;
use super::server::shown;
use super::{Adb, AdbError};
use crate::device::sum::sha256;
use crate::text::shown_path;

/// Most bytes of the file; known files have 4 MB.
const JAR_BYTES_MAX: u64 = 32 << 20;

/// The port of the server.
const PORT: u16 = 9_008;

/// Most levels of a tree. Trees in the recordings have up to 21, and the server's default is 50; each level
/// takes some of its stack.
pub(super) const DEPTH_MAX: u16 = 200;

/// Longest time to wait for a moving screen before it is looked at anyway.
const REST_MS: u32 = 3_000;

/// Pause between two looks in real time, in seconds: by then the effects of an action have begun.
const BETWEEN_S: &str = "0.3";

/// The exit status of a missing command.
const NO_COMMAND: u32 = 127;

/// One word for each check that the server is ready, and that the one before it is gone; half a second apart.
const READY_ASKS: &str = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30";
const GONE_ASKS: &str = "1 2 3 4 5";

/// Files with requests, in the folder on the phone.
const PING: &str = "u2-ping";
const REST: &str = "u2-rest";
const DUMP: &str = "u2-dump";
const TEXT: &str = "u2-text";

/// The known files: the server's version, the package that contains it, and the SHA-256 of the file. Older ones
/// cannot tell which window is in front.
const KNOWN: [(&str, &str, &str); 2] = [
    ("0.4.1", "uiautomator2 3.7.1", "87c8ac9505970d42aa5922baa90114808fda6f47f9e5fbd4caa0f621c2c8d30d"),
    ("0.4.0", "uiautomator2 3.7.0", "0b74e83c55f443539a9f76f5ce023a51466b764b1100e4097a897053fdfc0eb6"),
];

/// A known file with uiautomator2's server, `u2.jar`.
#[derive(Clone, PartialEq, Eq)]
pub struct Jar {
    bytes: Arc<[u8]>,
    version: &'static str,
    sum: &'static str,
}

/// The reason a file is not used.
#[derive(Debug, thiserror::Error)]
pub enum JarError {
    /// The file cannot be read.
    #[error("cannot read {path}: {why}")]
    Unreadable {
        /// Path of the file.
        path: String,
        /// The reason.
        why: String,
    },
    /// The file is not a known one.
    #[error(
        "{path} is no u2.jar that is known here: its SHA-256 is {found}, and known are {}; take uiautomator2/assets/u2.jar out \
         of one of these packages of PyPI",
        Known
    )]
    Unknown {
        /// Path of the file.
        path: String,
        /// Its SHA-256.
        found: String,
    },
}

/// Prints the known files.
struct Known;

impl fmt::Display for Known {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (_, package, sum)) in KNOWN.iter().enumerate() {
            write!(out, "{}{sum} ({package})", if at > 0 { " and " } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Jar {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Jar({})", self.version)
    }
}

impl Jar {
    /// Reads the file at `path`.
    pub fn read(path: &Path) -> Result<Jar, JarError> {
        let failed = |why: String| JarError::Unreadable { path: shown_path(path), why };
        // Opening a pipe would wait for a writer.
        if !std::fs::metadata(path).map_err(|error| failed(error.to_string()))?.is_file() {
            return Err(failed("it is no file".to_string()));
        }
        let file = File::open(path).map_err(|error| failed(error.to_string()))?;
        let mut bytes = Vec::new();
        // One byte more than allowed shows that the file is too long.
        file.take(JAR_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
        if bytes.len() as u64 > JAR_BYTES_MAX {
            return Err(failed(format!("it has more than {} MB, and a u2.jar has 4", JAR_BYTES_MAX >> 20)));
        }
        let found = sha256(&bytes);
        match KNOWN.iter().find(|(.., sum)| *sum == found) {
            Some((version, _, sum)) => Ok(Jar { bytes: bytes.into(), version, sum }),
            None => Err(JarError::Unknown { path: shown_path(path), found }),
        }
    }

    /// Returns a file that no phone runs.
    #[cfg(test)]
    pub(super) fn of_nothing() -> Jar {
        Jar { bytes: Arc::default(), version: "", sum: "" }
    }

    /// Returns the version of the server in it.
    pub fn version(&self) -> &'static str {
        self.version
    }
}

impl Adb {
    /// Pushes the server to the phone and starts it, if it is used for looking.
    pub(super) fn set_up_server(&mut self) -> Result<(), AdbError> {
        let Some(Jar { bytes, sum, .. }) = self.options.u2.clone() else { return Ok(()) };
        let folder = self.folder();
        let jar = format!("{folder}/u2.jar");
        self.push("pushing u2.jar", &bytes, &jar)?;
        // As files on the phone, they keep later commands short and need no quoting.
        for (name, request) in [
            (PING, "GET /ping HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".to_string()),
            (REST, call("waitForIdle", json!([REST_MS]))),
            // All nodes, but only of the window in front.
            (DUMP, call("dumpWindowHierarchy", json!([false, DEPTH_MAX, true]))),
        ] {
            self.push(
                "pushing what is asked of u2.jar",
                &request.into_bytes().into(),
                &format!("{folder}/{name}"),
            )?;
        }
        let answer = self.ask("looking at u2.jar", &format!("sha256sum {jar} 2>/dev/null; wc -c <{jar}"))?;
        let said = String::from_utf8_lossy(&answer.stdout).into_owned();
        let words: Vec<&str> = said.split_whitespace().collect();
        let is_sum = |word: &&&str| word.len() == 64 && word.chars().all(|letter| letter.is_ascii_hexdigit());
        // Some phones cannot compute the sum; the length still shows whether the file was cut off.
        let has_arrived = match words.iter().find(is_sum) {
            Some(found) => *found == sum,
            None => words.last() == Some(&&*bytes.len().to_string()),
        };
        if !has_arrived {
            return Err(self.no_server(format!("u2.jar has not arrived whole: {}", shown(&said))));
        }
        self.start_server()
    }

    /// Starts the server, or restarts it.
    pub(super) fn start_server(&mut self) -> Result<(), AdbError> {
        let folder = self.folder();
        let mark = self.mark.clone();
        let ping = |within_s: u32| format!("timeout {within_s} nc 127.0.0.1 {PORT} <{folder}/{PING}");
        let log = format!("{folder}/u2.log");
        let mut script = Script::new(&mark);
        script
            // Only one program at a time may read the screen in this way, so the old server ends first.
            .part("end", &end_of_server(&folder))
            // A server that has just ended may still answer for a moment.
            .part(
                "before",
                &format!(
                    "for n in {GONE_ASKS}; do {} 2>/dev/null | grep -q pong || break; sleep 0.5; done\n{} \
                     2>&1\nstatus=$?\necho \"status $status\"",
                    ping(5),
                    ping(5)
                ),
            )
            .part(
                "ready",
                &format!(
                    "if [ $status != 0 ] && [ $status != {NO_COMMAND} ]; then\nCLASSPATH={folder}/u2.jar nohup app_process / \
                     com.wetest.uia2.Main -p {PORT} </dev/null >{log} 2>&1 &\necho $! >{folder}/u2.pid\nfor n in \
                     {READY_ASKS}; do {} 2>/dev/null | grep -q pong && echo yes && break; grep -q 'already registered' \
                     {log} && break; sleep 0.5; done\nfi",
                    ping(2)
                ),
            )
            .part("log", &format!("tail -n 20 {log} 2>/dev/null"));
        let answer = self.ask("starting u2.jar", &script.finish())?;
        let parts = mark.parts(&answer.stdout);
        let (before, log) = (parts.text("before"), parts.text("log"));
        let serial = self.serial().to_string();
        // The server of another program is left alone, because that program needs it.
        if before.contains("pong") || log.contains("already registered") {
            return Err(AdbError::Taken { serial });
        }
        if before.contains(&format!("status {NO_COMMAND}")) {
            return Err(AdbError::Impossible {
                serial,
                action: "--u2".to_string(),
                why: "it has no `nc` to ask the server with; Android 8 and later have it".to_string(),
            });
        }
        if parts.text("ready").contains("yes") {
            return Ok(());
        }
        let last = log.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Err(self.no_server(shown(last)))
    }

    /// Pushes a request to put `text` in the focused field, and returns the command that sends it to the
    /// server.
    pub(super) fn push_text(&mut self, text: &str) -> Result<String, AdbError> {
        let folder = self.folder();
        // The mask has one bit for each field that is set, here for `focused`.
        let focused = json!({
            "mask": 0x2_0000, "focused": true, "childOrSibling": [], "childOrSiblingSelector": []
        });
        let request = call("setText", json!([focused, text]));
        // In a file, because a text may contain anything that a shell interprets.
        self.push("pushing a text", &request.into_bytes().into(), &format!("{folder}/{TEXT}"))?;
        Ok(asked(&folder, TEXT))
    }

    pub(super) fn no_server(&self, said: String) -> AdbError {
        AdbError::NoServer { serial: self.serial().to_string(), said }
    }
}

/// Returns the command that waits for the screen to rest before a look; with virtual time nothing moves by
/// itself.
pub(super) fn rest(folder: &str, has_virtual_time: bool, is_first: bool) -> String {
    if has_virtual_time {
        return ":".to_string();
    }
    let pause = if is_first { String::new() } else { format!("sleep {BETWEEN_S}; ") };
    format!("{pause}{} >/dev/null", asked(folder, REST))
}

/// Returns the command that asks for the tree.
pub(super) fn tree(folder: &str) -> String {
    asked(folder, DUMP)
}

fn asked(folder: &str, request: &str) -> String {
    // A server that hangs must not hold up the whole script.
    format!("timeout 30 nc 127.0.0.1 {PORT} <{folder}/{request} 2>/dev/null")
}

/// Returns the request for a method call, in ASCII: the server decodes other letters wrongly.
fn call(method: &str, params: Value) -> String {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let mut escaped = String::with_capacity(body.len());
    for letter in body.chars() {
        if letter.is_ascii() {
            escaped.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            escaped.push_str(&format!("\\u{unit:04x}"));
        }
    }
    // Compression is refused, because some compressed answers are never closed.
    format!(
        "POST /jsonrpc/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAccept-Encoding: \r\nContent-Type: \
         application/json\r\nContent-Length: {}\r\n\r\n{escaped}",
        escaped.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_ascii_and_as_long_as_it_says() {
        let request = call("setText", json!([{"focused": true}, "a\"é😀"]));
        let (head, body) = request.split_once("\r\n\r\n").expect("a head");
        assert!(
            request.is_ascii() && head.ends_with(&format!("Content-Length: {}", body.len())),
            "{request}"
        );
        assert!(body.contains("\"a\\\"\\u00e9\\ud83d\\ude00\""), "{body}");
        let read: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(read["params"][1], "a\"é😀");
    }

    #[test]
    fn a_file_that_is_not_known_is_not_used() {
        let folder = std::env::temp_dir().join(format!("farlead-u2-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("u2.jar");
        std::fs::write(&path, "no jar").expect("a file");
        let said = Jar::read(&path).expect_err("unknown").to_string();
        let sum = sha256(b"no jar");
        assert!(
            said.contains(&format!("its SHA-256 is {sum}, and known are 87c8"))
                && said.contains("8d30d (uiautomator2 3.7.1) and 0b74"),
            "{said}"
        );
        let missing = Jar::read(&folder.join("none")).expect_err("missing").to_string();
        assert!(missing.starts_with("cannot read ") && missing.contains("No such file"), "{missing}");
        assert!(Jar::read(&folder).expect_err("a folder").to_string().ends_with("it is no file"));
        let _ = std::fs::remove_dir_all(&folder);
    }
}
