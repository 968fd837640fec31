//! The web server of the studio: a page, pictures, and one WebSocket for each page that is open.
//!
//! It listens on this machine alone and answers whoever knows the token of this start. Each connection has threads of its own;
//! what they read is handed on as [`Incoming`] events, in one row for all.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tungstenite::handshake::machine::TryParse as _;
use tungstenite::handshake::server::{Request, create_response, write_response};
use tungstenite::protocol::{Message, Role, WebSocket, WebSocketConfig};

use super::{Incoming, Wanted};

/// Longest head of a request, in bytes.
const HEAD_MAX: usize = 16_000;
/// Longest message of a page, in bytes: a spec file with all signs escaped.
const MESSAGE_MAX: usize = 8_000_000;
/// Most connections at a time: of more, the one that has waited longest for a request gives way.
const CONNECTIONS_MAX: usize = 64;
/// Messages that wait for a page; one that takes no more of them is gone.
const WAITING_MAX: usize = 10_000;
/// Time for a request to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

/// Server that listens.
pub struct Web {
    address: SocketAddr,
    token: String,
    incoming: Receiver<Incoming>,
    sender: Sender<Incoming>,
}

impl Web {
    /// Listens on a port of this machine; 0 takes a free one.
    pub fn listen(port: u16) -> io::Result<Web> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let (sender, incoming) = channel();
        let web = Web { address: listener.local_addr()?, token: token(), incoming, sender: sender.clone() };
        let shared = Arc::new(Shared {
            port: web.address.port(),
            token: web.token.clone(),
            sender: Mutex::new(sender),
            next: AtomicU64::new(0),
            connections: Mutex::default(),
        });
        thread::spawn(move || {
            for (number, stream) in (0..).zip(listener.incoming().filter_map(Result::ok)) {
                if shared.connections().admit(number, &stream) {
                    let shared = shared.clone();
                    thread::spawn(move || shared.accept(number, stream));
                }
            }
        });
        Ok(web)
    }

    /// Returns the address to open, with the token.
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.token)
    }

    /// Returns the events of all connections; it goes on to listen.
    pub fn into_incoming(self) -> Receiver<Incoming> {
        self.incoming
    }

    /// Returns the sender for events of others.
    pub fn sender(&self) -> Sender<Incoming> {
        self.sender.clone()
    }
}

/// Returns 128 bits that nobody can guess: the keys of these hashes come from the system.
fn token() -> String {
    let part = || {
        let mut hash = RandomState::new().build_hasher();
        hash.write_u8(0);
        format!("{:016x}", hash.finish())
    };
    part() + &part()
}

/// The part of the server that all connections share.
struct Shared {
    port: u16,
    token: String,
    sender: Mutex<Sender<Incoming>>,
    next: AtomicU64,
    connections: Mutex<Connections>,
}

/// Connections that are open.
#[derive(Default)]
struct Connections {
    open: usize,
    /// Those whose request has not arrived, the oldest first.
    waiting: BTreeMap<u64, TcpStream>,
}

impl Connections {
    /// Takes in a connection; where there are too many, the oldest that waits is closed. Returns false if none does.
    fn admit(&mut self, number: u64, stream: &TcpStream) -> bool {
        if self.open >= CONNECTIONS_MAX {
            let Some((_, oldest)) = self.waiting.pop_first() else { return false };
            // Its thread reads the end, and counts it no longer; a peer that is gone needs no end.
            let _ = oldest.shutdown(Shutdown::Both);
        }
        // One that cannot be closed from here waits until its time is over.
        self.waiting.extend(stream.try_clone().ok().map(|stream| (number, stream)));
        self.open += 1;
        true
    }
}

/// Answer to a request for a document.
struct Answer {
    status: &'static str,
    kind: &'static str,
    /// Policy for scripts and other parts.
    policy: &'static str,
    body: String,
}

const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                           connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PICTURE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";
/// A report brings its own script, which gets an origin of its own and so no way to the studio.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                             sandbox allow-scripts";

/// Returns a text of the page, which the build has packed.
macro_rules! packed {
    ($name:literal) => {
        farlead::deflated::text(include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".deflated")))
    };
}

impl Answer {
    fn page(kind: &'static str, body: &str) -> Answer {
        Answer { status: "200 OK", kind, policy: PAGE_POLICY, body: body.to_string() }
    }

    fn refused(status: &'static str, body: &str) -> Answer {
        Answer {
            status,
            kind: "text/plain; charset=utf-8",
            policy: PICTURE_POLICY,
            body: format!("{body}\n"),
        }
    }

    fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let Answer { status, kind, policy, body } = self;
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nContent-Security-Policy: {policy}\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store\r\n\
             Connection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())?;
        stream.flush()
    }
}

impl Shared {
    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(&self, number: u64, mut stream: TcpStream) {
        // A browser that goes away in the middle leaves nobody to tell.
        let _ = self.serve(number, &mut stream);
        let _ = stream.shutdown(Shutdown::Both);
        let mut connections = self.connections();
        connections.waiting.remove(&number);
        connections.open -= 1;
    }

    fn serve(&self, number: u64, stream: &mut TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let read = head(stream)?;
        self.connections().waiting.remove(&number);
        let (head, rest) = match read {
            Some(read) => read,
            None => return Answer::refused("400 Bad Request", "this is no request").write(stream),
        };
        if let Err(why) = self.check(&head) {
            return Answer::refused("403 Forbidden", why).write(stream);
        }
        if head.uri().path() == "/socket" {
            return self.talk(stream, &head, rest);
        }
        self.document(&head).write(stream)
    }

    /// Refuses requests of other sites, which a browser sends for them, and of whoever does not know the token.
    fn check(&self, head: &Request) -> Result<(), &'static str> {
        let text = |name: &str| head.headers().get(name).and_then(|value| value.to_str().ok());
        let own = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        if !text("host").is_some_and(|host| own.iter().any(|own| own == host)) {
            return Err("this is not the host that you asked for");
        }
        let is_own = |origin: &str| own.iter().any(|own| origin.strip_prefix("http://") == Some(&**own));
        if text("origin").is_some_and(|origin| !is_own(origin)) {
            return Err("another page may not use the studio");
        }
        let is_public = ["/studio.css", "/studio.js"].contains(&head.uri().path());
        let query = head.uri().query().unwrap_or_default();
        let token = query.split('&').find_map(|pair| pair.strip_prefix("token=")).unwrap_or_default();
        if is_public || is_same(token, &self.token) {
            Ok(())
        } else {
            Err("the token is missing or wrong; open the address that `farlead studio` has printed")
        }
    }

    fn document(&self, head: &Request) -> Answer {
        let path = head.uri().path();
        let wanted = match path {
            "/" => return Answer::page("text/html; charset=utf-8", &packed!("studio.html")),
            "/studio.js" => return Answer::page("text/javascript; charset=utf-8", &packed!("studio.js")),
            "/studio.css" => {
                let style = [farlead::report::COLOURS, &packed!("studio.css")].concat();
                return Answer::page("text/css; charset=utf-8", &style);
            }
            "/report.html" => Some(Wanted::Report),
            "/map.svg" => Some(Wanted::Map),
            path => {
                let number = |before: &str| path.strip_prefix(before).and_then(|number| number.parse().ok());
                number("/picture/")
                    .map(Wanted::Picture)
                    .or_else(|| number("/screen/").map(Wanted::Screen))
                    .or_else(|| path.strip_prefix("/device/").and_then(unescaped).map(Wanted::Device))
            }
        };
        let found = wanted.and_then(|wanted| {
            let (sender, answer) = channel();
            self.send(Incoming::Wanted(wanted.clone(), sender));
            answer.recv().ok().flatten().map(|body| (wanted, body))
        });
        match found {
            Some((Wanted::Picture(_) | Wanted::Screen(_) | Wanted::Map | Wanted::Device(_), body)) => {
                Answer { status: "200 OK", kind: "image/svg+xml", policy: PICTURE_POLICY, body }
            }
            Some((Wanted::Report, body)) => {
                Answer { status: "200 OK", kind: "text/html; charset=utf-8", policy: REPORT_POLICY, body }
            }
            None => Answer::refused("404 Not Found", "there is nothing here"),
        }
    }

    /// Talks with a page until it goes away.
    fn talk(&self, stream: &mut TcpStream, head: &Request, rest: Vec<u8>) -> io::Result<()> {
        let Ok(response) = create_response(head) else {
            return Answer::refused("400 Bad Request", "this is no WebSocket").write(stream);
        };
        write_response(&mut *stream, &response).map_err(io::Error::other)?;
        // A page says nothing for hours.
        stream.set_read_timeout(None)?;
        let config =
            WebSocketConfig::default().max_message_size(Some(MESSAGE_MAX)).max_frame_size(Some(MESSAGE_MAX));
        let line = Arc::new(Mutex::new(()));
        let half = || Ok::<_, io::Error>(Half { stream: stream.try_clone()?, line: line.clone() });
        let (reading, writing) = (half()?, half()?);
        let mut reader = WebSocket::from_partially_read(reading, rest, Role::Server, Some(config));
        let mut writer = WebSocket::from_raw_socket(writing, Role::Server, Some(config));
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, messages) = sync_channel::<String>(WAITING_MAX);
        self.send(Incoming::Joined(number, sender));
        thread::spawn(move || {
            for message in messages {
                if writer.send(Message::text(message)).is_err() {
                    break;
                }
            }
            // The host has let go of the page, or the page is gone: the reader is to end, too.
            let _ = writer.get_ref().stream.shutdown(Shutdown::Both);
        });
        while let Ok(message) = reader.read() {
            match message {
                Message::Text(text) => self.send(Incoming::Said(number, text.to_string())),
                Message::Close(_) => break,
                // Bytes get the answer that the same text would get.
                Message::Binary(bytes) => {
                    self.send(Incoming::Said(number, String::from_utf8_lossy(&bytes).into_owned()));
                }
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
        self.send(Incoming::Left(number));
        Ok(())
    }

    fn send(&self, event: Incoming) {
        // The other side ends with the program.
        let _ = self.sender.lock().unwrap_or_else(PoisonError::into_inner).send(event);
    }
}

/// Returns the text of a part of an address, in which `%` stands before two hexadecimal digits.
fn unescaped(part: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), part.bytes());
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Compares in a time that does not depend on the place of the first difference.
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

/// Reads the head of a request; returns it and what came after it.
fn head(stream: &mut TcpStream) -> io::Result<Option<(Request, Vec<u8>)>> {
    let mut read = Vec::new();
    let mut part = [0; 4_096];
    while read.len() < HEAD_MAX {
        let count = stream.read(&mut part)?;
        if count == 0 {
            return Ok(None);
        }
        read.extend_from_slice(&part[..count]);
        match Request::try_parse(&read) {
            Ok(Some((length, request))) => return Ok(Some((request, read.split_off(length)))),
            Ok(None) => {}
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// One of the two ends of a connection that write to it: each writes whole frames.
struct Half {
    stream: TcpStream,
    line: Arc<Mutex<()>>,
}

impl Read for Half {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl Write for Half {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        self.stream.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
