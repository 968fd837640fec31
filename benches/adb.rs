//! Time that the simulated device needs for the requests of clients, over a socket, beside an echo of the same
//! bytes.
//!
//! `cargo bench --bench adb` prints a table in Markdown: the median of some rounds, in one process over the
//! loopback.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use farlead::device::sim::read;
use farlead::emulator::adbd::packet::{self, Checksum, Command, Packet, Reader, VERSION};
use farlead::emulator::adbd::{Server, Settings};
use farlead::emulator::phone::{AndroidVersion, Phone};
use farlead::rng::Seed;
use farlead::spec::Source;

const FILE_LEN: usize = 10_000_000;
const PAYLOAD_MAX: u32 = 1 << 20;
const STREAM: u32 = 1;

fn main() {
    // `cargo test --benches` only checks that it starts.
    let rounds = if std::env::args().any(|arg| arg == "--test") { 1 } else { 30 };
    let cores = thread::available_parallelism().map_or(0, usize::from);
    println!("{cores} cores\n\n| | device | bytes out, in | echo of the same |\n|---|---|---|---|");
    row("`echo hi`, a round trip", rounds * 10, 100, |host| host.shell("echo hi"));
    row("dump of 100 nodes", rounds, 100, |host| host.shell("uiautomator dump /dev/tty"));
    row("dump of 1,000 nodes", rounds, 1_000, |host| host.shell("uiautomator dump /dev/tty"));
    row("`screencap -p`", rounds, 100, |host| host.shell("screencap -p"));
    row("push of 10 MB", rounds.min(5), 100, Host::push);
    row("pull of 10 MB", rounds.min(5), 100, Host::pull);
    eight(rounds);
}

/// Returns a device with an app that shows `nodes` widgets.
fn device(nodes: usize) -> Server {
    // Ten in a row and small, so that the display has room for all.
    let widget = |at: usize| {
        let (left, top) = (at % 10 * 48, at / 10 * 8);
        format!(" TextView \"row {at}\" at {left},{top} {},{}", left + 48, top + 8)
    };
    let widgets: String = (0..nodes).map(widget).collect();
    let text =
        format!("app a.b \"A\" 1\ndisplay 480x800 240dpi\nlaunch Main\nactivity Main .Main {{{widgets} }}");
    let model = read(&Source::new("a.app", text)).model.expect("a model without mistakes");
    let mut phone = Phone::new(Arc::new(model), Seed(1), AndroidVersion::default());
    phone.shell("am start -n a.b/.Main", b"");
    phone.write("/sdcard/ten", 0o644, 0, &vec![7; FILE_LEN]).expect("room");
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    Server::start(free, Arc::new(Mutex::new(phone)), Settings::default()).expect("a free port")
}

/// Prints the time of `act` on a device, and the time to echo as many bytes.
fn row(name: &str, rounds: usize, nodes: usize, act: impl Fn(&mut Host)) {
    let server = device(nodes);
    let mut host = Host::new(server.address());
    // The first round warms up and is not counted.
    act(&mut host);
    (host.sent, host.heard) = (0, 0);
    let took = median(rounds, || act(&mut host));
    let (sent, heard) = (host.sent / rounds, host.heard / rounds);
    let echo = echo(rounds, sent, heard);
    println!("| {name} | {} | {sent}, {heard} | {} |", shown(took), shown(echo));
}

/// Measures eight clients at once, each with one round trip after another.
fn eight(rounds: usize) {
    let server = device(100);
    let address = server.address();
    let trips = rounds * 10;
    let begun = Instant::now();
    let clients: Vec<thread::JoinHandle<()>> = (0..8)
        .map(|_| {
            thread::spawn(move || {
                let mut host = Host::new(address);
                (0..trips).for_each(|_| host.shell("echo hi"));
            })
        })
        .collect();
    clients.into_iter().for_each(|client| client.join().expect("a client"));
    let each = begun.elapsed() / u32::try_from(trips * 8).expect("a count");
    println!("| `echo hi` of 8 clients at once, each of all | {} | | |", shown(each));
}

fn median(rounds: usize, mut act: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let begun = Instant::now();
            act();
            begun.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn shown(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

/// Returns the time to send `sent` bytes and get `heard` bytes back, from a peer that ignores them.
fn echo(rounds: usize, sent: usize, heard: usize) -> Duration {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let server = thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("a client");
        socket.set_nodelay(true).expect("a socket");
        let (mut input, output) = (vec![0; sent], vec![0; heard]);
        while socket.read_exact(&mut input).is_ok() {
            if socket.write_all(&output).is_err() {
                return;
            }
        }
    });
    let mut socket = TcpStream::connect(address).expect("a server");
    socket.set_nodelay(true).expect("a socket");
    let (output, mut input) = (vec![0; sent], vec![0; heard]);
    let took = median(rounds, || {
        socket.write_all(&output).expect("a server");
        socket.read_exact(&mut input).expect("an answer");
    });
    drop(socket);
    server.join().expect("a server that ends");
    took
}

/// A host with one stream at a time.
struct Host {
    socket: TcpStream,
    reader: Reader,
    sent: usize,
    heard: usize,
}

impl Host {
    fn new(address: SocketAddr) -> Host {
        let socket = TcpStream::connect(address).expect("a device");
        socket.set_nodelay(true).expect("a socket");
        let mut host = Host { socket, reader: Reader::new(PAYLOAD_MAX as usize), sent: 0, heard: 0 };
        host.send(Command::Cnxn, [VERSION, PAYLOAD_MAX], b"host::");
        host.receive();
        host
    }

    fn send(&mut self, command: Command, args: [u32; 2], payload: &[u8]) {
        let mut bytes = Vec::new();
        packet::write(&mut bytes, command, args, payload, Checksum::Omitted);
        self.sent += bytes.len();
        self.socket.write_all(&bytes).expect("a device");
    }

    fn receive(&mut self) -> Packet {
        let mut bytes = [0; 65_536];
        loop {
            if let Some(packet) = self.reader.next_packet().expect("packets") {
                return packet;
            }
            let len = self.socket.read(&mut bytes).expect("a device");
            assert!(len > 0, "the device hung up");
            self.heard += len;
            self.reader.push(&bytes[..len]);
        }
    }

    fn open(&mut self, service: &str) -> u32 {
        self.send(Command::Open, [STREAM, 0], service.as_bytes());
        self.receive().arg0
    }

    /// Acknowledges payloads until `is_last` returns true for one, or the stream is closed.
    fn fetch(&mut self, id: u32, is_last: impl Fn(&[u8]) -> bool) {
        loop {
            let packet = self.receive();
            match packet.command {
                Command::Wrte => {
                    self.send(Command::Okay, [STREAM, id], &[]);
                    if is_last(&packet.payload) {
                        return;
                    }
                }
                Command::Clse => return,
                _ => {}
            }
        }
    }

    fn shell(&mut self, line: &str) {
        let id = self.open(&format!("shell,v2,raw:{line}\0"));
        self.fetch(id, |_| false);
    }

    fn close(&mut self, id: u32) {
        self.send(Command::Clse, [STREAM, id], &[]);
        while self.receive().command != Command::Clse {}
    }

    fn push(&mut self) {
        let id = self.open("sync:\0");
        let mut wire = b"SEND\x10\0\0\0/sdcard/up,33188".to_vec();
        for piece in vec![7; FILE_LEN].chunks(65_536) {
            wire.extend_from_slice(b"DATA");
            wire.extend_from_slice(&u32::try_from(piece.len()).expect("a short piece").to_le_bytes());
            wire.extend_from_slice(piece);
        }
        wire.extend_from_slice(b"DONE\0\0\0\0");
        for payload in wire.chunks(PAYLOAD_MAX as usize) {
            self.send(Command::Wrte, [STREAM, id], payload);
            while self.receive().command != Command::Okay {}
        }
        self.fetch(id, |payload| payload.starts_with(b"OKAY"));
        self.close(id);
    }

    fn pull(&mut self) {
        let id = self.open("sync:\0");
        self.send(Command::Wrte, [STREAM, id], b"RECV\x0b\0\0\0/sdcard/ten");
        self.fetch(id, |payload| payload.ends_with(b"DONE\0\0\0\0"));
        self.close(id);
    }
}
