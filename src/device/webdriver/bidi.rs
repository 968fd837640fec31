//! WebDriver BiDi: a WebSocket beside a session, for what the requests of a session have no words for.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use serde_json::Value;
use tungstenite::protocol::{Message, Role, WebSocket, WebSocketConfig};

use super::WebDriverError;
use super::gestures::object;
use crate::device::said;

/// Time in which the browser takes a connection and answers a command.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// Most bytes of an answer, which is a name or two.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Most bytes of the head by which the browser opens the socket.
const HEAD_BYTES_MAX: usize = 8_000;

/// Sixteen bytes that the protocol asks for, so that no server of pages takes part by mistake.
const KEY: &str = "ZmFybGVhZCBhbmQgYmlkaQ==";

/// Most messages before the answer to a command: events that nobody has asked for.
const MESSAGES_MAX: u32 = 1_000;

/// The socket of a session.
pub(super) struct Bidi {
    socket: WebSocket<TcpStream>,
    at: String,
    /// Number of the last command.
    last: u64,
    /// The container of the latest window.
    container: Option<String>,
}

impl Bidi {
    /// Connects to the socket at `address`, which the session names.
    pub fn connect(address: &str) -> Result<Bidi, WebDriverError> {
        let failed = |why: String| WebDriverError::NoSocket { at: said(address), why };
        let place =
            address.strip_prefix("ws://").ok_or_else(|| failed("it does not begin with `ws://`".into()))?;
        let (host, path) = place.split_once('/').unwrap_or((place, ""));
        let stream = open(host, path).map_err(|error| failed(error.to_string()))?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(ANSWER_BYTES_MAX))
            .max_frame_size(Some(ANSWER_BYTES_MAX));
        let socket = WebSocket::from_raw_socket(stream, Role::Client, Some(config));
        Ok(Bidi { socket, at: said(address), last: 0, container: None })
    }

    /// Runs `script` in each page and frame from now on, before its own scripts.
    pub fn run_first(&mut self, script: &str) -> Result<(), WebDriverError> {
        let function = format!("() => {{\n{script}\n}}");
        self.ask("script.addPreloadScript", object(&[("functionDeclaration", function.into())])).map(drop)
    }

    /// Opens a window that knows nothing of any page, ends the one opened so before, and returns its name.
    pub fn fresh_window(&mut self) -> Result<String, WebDriverError> {
        let container = self.name("browser.createUserContext", object(&[]), "userContext")?;
        let wanted = object(&[("type", "tab".into()), ("userContext", container.as_str().into())]);
        let window = self.name("browsingContext.create", wanted, "context")?;
        if let Some(before) = self.container.replace(container) {
            self.ask("browser.removeUserContext", object(&[("userContext", before.into())]))?;
        }
        Ok(window)
    }

    /// Returns the name that stands at `key` in the answer to a command.
    fn name(&mut self, command: &str, parameters: Value, key: &str) -> Result<String, WebDriverError> {
        let answer = self.ask(command, parameters)?;
        let name = answer[key].as_str().ok_or_else(|| self.garbled(&answer.to_string()))?;
        Ok(name.to_string())
    }

    /// Returns the result of a command.
    fn ask(&mut self, command: &str, parameters: Value) -> Result<Value, WebDriverError> {
        self.last += 1;
        let asked = object(&[("id", self.last.into()), ("method", command.into()), ("params", parameters)]);
        let lost = |at: &str, error: tungstenite::Error| WebDriverError::Unreachable {
            at: at.into(),
            why: error.to_string(),
        };
        self.socket.send(Message::text(asked.to_string())).map_err(|error| lost(&self.at, error))?;
        for _ in 0..MESSAGES_MAX {
            let Message::Text(text) = self.socket.read().map_err(|error| lost(&self.at, error))? else {
                continue;
            };
            let Ok(mut answer) = serde_json::from_str::<Value>(&text) else {
                return Err(self.garbled(&text));
            };
            if answer["id"].as_u64() != Some(self.last) {
                continue;
            }
            return match answer["error"].as_str() {
                Some(error) => Err(WebDriverError::Failed {
                    at: self.at.clone(),
                    error: said(error),
                    message: said(answer["message"].as_str().unwrap_or_default()),
                }),
                None => Ok(answer["result"].take()),
            };
        }
        Err(self.garbled("no answer among its messages"))
    }

    fn garbled(&self, what: &str) -> WebDriverError {
        WebDriverError::Garbled { at: self.at.clone(), what: said(what) }
    }
}

/// Opens the socket at `path` of a host: the first words of HTTP, after which both sides speak in frames.
fn open(host: &str, path: &str) -> io::Result<TcpStream> {
    let odd = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_string());
    let place = host.to_socket_addrs()?.next().ok_or_else(|| odd("the host has no address"))?;
    let mut stream = TcpStream::connect_timeout(&place, ANSWER_WITHIN)?;
    stream.set_read_timeout(Some(ANSWER_WITHIN))?;
    stream.set_write_timeout(Some(ANSWER_WITHIN))?;
    stream.set_nodelay(true)?;
    let asked = format!(
        "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n\r\n"
    );
    stream.write_all(asked.as_bytes())?;
    // Byte by byte, as the first frame may come right after the head.
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() >= HEAD_BYTES_MAX {
            return Err(odd("its head has no end"));
        }
        stream.read_exact(&mut byte)?;
        head.extend(byte);
    }
    if !head.starts_with(b"HTTP/1.1 101 ") {
        let first = String::from_utf8_lossy(&head);
        return Err(odd(&said(first.lines().next().unwrap_or_default())));
    }
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    /// Returns what comes of the first command, if the browser sends these messages after it and goes.
    fn answered_by(messages: Vec<String>) -> Result<String, String> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("ws://{}/session/1", listener.local_addr().expect("an address"));
        let browser = thread::spawn(move || {
            let (stream, _) = listener.accept().expect("a connection");
            let mut socket = tungstenite::accept(stream).expect("a socket");
            let asked = socket.read().expect("a command").into_text().expect("a text").to_string();
            for message in messages {
                // Whoever has heard enough goes.
                let _ = socket.send(Message::text(message));
            }
            asked
        });
        let mut socket = Bidi::connect(&address).expect("a socket");
        let answer = socket.name("browser.createUserContext", object(&[]), "userContext");
        drop(socket);
        let asked = browser.join().expect("a command");
        assert_eq!(asked, r#"{"id":1,"method":"browser.createUserContext","params":{}}"#);
        answer.map_err(|error| error.to_string())
    }

    #[test]
    fn answers_are_found_among_events_and_odd_ones_are_errors() {
        let event = || r#"{"type":"event","method":"log.entryAdded","params":{}}"#.to_string();
        let answer = |text: &str| answered_by(vec![event(), text.to_string()]);
        let named = answer(r#"{"type":"success","id":1,"result":{"userContext":"a"}}"#);
        assert_eq!(named, Ok("a".to_string()));
        for (text, expected) in [
            (r#"{"type":"error","id":1,"error":"unknown command","message":"no"}"#, "unknown command: no"),
            (r#"{"id":1}"#, "answers oddly: null"),
            (r#"{"id":1,"result":{"userContext":5}}"#, r#"answers oddly: {"userContext":5}"#),
            ("oh", "answers oddly: oh"),
        ] {
            let error = answer(text).expect_err(text);
            assert!(error.contains(expected), "{error}");
        }
        let endless = answered_by((0..=MESSAGES_MAX).map(|_| event()).collect());
        assert!(endless.is_err_and(|error| error.contains("no answer among its messages")));
        assert!(answered_by(Vec::new()).is_err_and(|error| error.contains("no answer from")));
    }

    #[test]
    fn a_server_of_pages_opens_no_socket() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("ws://{}/", listener.local_addr().expect("an address"));
        for (head, expected) in [
            ("HTTP/1.1 404 Not Found\r\n\r\n".to_string(), "404 Not Found"),
            ("a".repeat(HEAD_BYTES_MAX + 1), "its head has no end"),
            (String::new(), "failed to fill"),
        ] {
            let listener = listener.try_clone().expect("a second handle");
            let server = thread::spawn(move || {
                let (mut stream, _) = listener.accept().expect("a connection");
                let mut asked = [0; 400];
                let _ = stream.read(&mut asked);
                // Whoever has heard enough goes.
                let _ = stream.write_all(head.as_bytes());
            });
            let Err(error) = Bidi::connect(&address) else { panic!("{expected}: it is opened") };
            assert!(error.to_string().contains(expected), "{error}");
            server.join().expect("it has answered");
        }
    }

    #[test]
    fn a_socket_that_cannot_be_reached_is_named_with_what_to_do() {
        for (address, expected) in [
            ("wss://localhost/session/1", "it does not begin with `ws://`"),
            ("ws://127.0.0.1:9/session/1", "refused"),
            ("ws://nowhere", "nowhere"),
        ] {
            let Err(error) = Bidi::connect(address) else { panic!("{address} is reached") };
            let error = error.to_string();
            assert!(error.contains(expected) && error.contains("`\"webSocketUrl\": false`"), "{error}");
        }
    }
}
