//! The wire of a phone: recorded conversations played again, the real adb, and hostile hosts.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use farlead::emulator::adbd::packet::{self, Checksum, Command as Word, Packet, Reader, VERSION};
use farlead::emulator::adbd::{Auth, Backend, FileStat, Ran, Server, Settings};
use farlead::emulator::phone::AndroidVersion;
use farlead::rng::Seed;
use farlead::spec::Source;

use crate::{ci, fixtures, shared};

/// The longest time for anything here; only something broken takes as long.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A phone of files and of scripted answers.
#[derive(Default)]
struct Scripted {
    answers: BTreeMap<String, Ran>,
    files: BTreeMap<String, (FileStat, Vec<u8>)>,
    is_old: bool,
    log: String,
    /// Number of letters of the log that commands do not read.
    skipped: usize,
}

fn said(stdout: impl Into<Vec<u8>>) -> Ran {
    Ran { stdout: stdout.into(), ..Ran::default() }
}

impl Backend for Scripted {
    fn product(&self) -> [String; 3] {
        ["sim", "Sim", "sim"].map(String::from)
    }

    fn features(&self) -> &'static str {
        if self.is_old {
            return "";
        }
        "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,apex,abb,fixed_push_symlink_timestamp,abb_exec,remount_shell"
    }

    fn shell(&mut self, line: &str, stdin: &[u8]) -> Ran {
        if let Some(answer) = self.answers.get(line) {
            return answer.clone();
        }
        match line.split_once(' ').unwrap_or((line, "")) {
            ("echo", text) => said(format!("{text}\n")),
            ("cat", _) => said(stdin),
            ("log", text) => {
                self.log.push_str(&format!("{text}\n"));
                Ran::default()
            }
            ("export", _) | ("logcat", _) => said(self.log.get(self.skipped..).unwrap_or(&self.log)),
            // Every possible byte, as a picture may contain them.
            ("screencap", _) => said((0..=255).collect::<Vec<u8>>().repeat(300)),
            ("fail", code) => {
                let code = code.parse().unwrap_or(1);
                Ran { stdout: b"out\n".to_vec(), stderr: b"err\n".to_vec(), code }
            }
            _ => {
                let stderr = format!("/system/bin/sh: {line}: inaccessible or not found\n").into_bytes();
                Ran { stderr, code: 127, ..Ran::default() }
            }
        }
    }

    fn abb(&mut self, arguments: &[&str], stdin: &[u8]) -> Ran {
        let name = format!("abb {}", arguments.join(" "));
        if let Some(answer) = self.answers.get(&name) {
            return answer.clone();
        }
        let size = arguments.iter().position(|word| *word == "-S").and_then(|at| arguments.get(at + 1));
        let is_whole = size.is_some_and(|size| *size == stdin.len().to_string());
        said(if is_whole { "Success\n" } else { "Failure [INSTALL_FAILED_INVALID_APK]\n" })
    }

    fn stat(&mut self, path: &str) -> Option<FileStat> {
        let folder = FileStat { mode: 0o040_755, size: 4_096, mtime: 0 };
        self.files
            .get(path)
            .map(|(stat, _)| *stat)
            .or_else(|| (!self.list(path).is_empty()).then_some(folder))
    }

    fn list(&mut self, path: &str) -> Vec<(String, FileStat)> {
        let inside = |(name, (stat, _)): (&String, &(FileStat, Vec<u8>))| {
            let name = name.strip_prefix(path.trim_end_matches('/'))?.strip_prefix('/')?;
            (!name.contains('/')).then(|| (name.to_string(), *stat))
        };
        self.files.iter().filter_map(inside).collect()
    }

    fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        self.files.get(path).map(|(_, bytes)| bytes.clone()).ok_or("No such file or directory".to_string())
    }

    fn write(&mut self, path: &str, _mode: u32, _mtime: u32, bytes: Vec<u8>) -> Result<(), String> {
        if path.starts_with("/system/") {
            return Err("couldn't create file: Read-only file system".to_string());
        }
        // The permissions and the time of all files in the recordings.
        let stat = FileStat { mode: 0o100_660, size: bytes.len() as u64, mtime: 1_700_000_000 };
        self.files.insert(path.to_string(), (stat, bytes));
        Ok(())
    }

    fn framebuffer(&mut self) -> (u32, u32, Vec<u8>) {
        (2, 1, vec![1, 2, 3, 255, 4, 5, 6, 255])
    }

    fn logged(&self) -> u64 {
        self.log.len() as u64
    }

    fn skip_log(&mut self, entries: u64) {
        self.skipped = usize::try_from(entries).expect("a short log");
    }

    fn reboot(&mut self) {
        self.log.clear();
    }

    fn tcp(&mut self, port: u16, request: &[u8]) -> Option<Vec<u8>> {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong".to_vec();
        (port == 9008).then(|| if request.is_empty() { Vec::new() } else { answer })
    }
}

fn serve(phone: impl Backend + 'static, settings: Settings) -> Server {
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    Server::start(free, Arc::new(Mutex::new(phone)), settings).expect("a free port")
}

/// A host that speaks packets.
struct Host {
    socket: TcpStream,
    reader: Reader,
}

impl Host {
    fn new(server: &Server) -> Host {
        let socket = TcpStream::connect(server.address()).expect("a server that listens");
        socket.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        Host { socket, reader: Reader::new(1 << 20) }
    }

    fn online(server: &Server) -> Host {
        let mut host = Host::new(server);
        host.send(Word::Cnxn, [VERSION, 1 << 20], b"host::", Checksum::Included);
        assert_eq!(host.receive().expect("an answer").command, Word::Cnxn);
        host
    }

    fn send(&mut self, command: Word, args: [u32; 2], payload: &[u8], sum: Checksum) {
        let mut bytes = Vec::new();
        packet::write(&mut bytes, command, args, payload, sum);
        // If the phone has hung up, reading its answer shows it.
        let _ = self.socket.write_all(&bytes);
    }

    /// Returns the next packet, or `None` if the phone has hung up.
    fn receive(&mut self) -> Option<Packet> {
        let mut bytes = [0; 4_096];
        loop {
            if let Some(packet) = self.reader.next_packet().expect("packets") {
                return Some(packet);
            }
            match self.socket.read(&mut bytes) {
                Ok(0) => return None,
                Ok(len) => self.reader.push(&bytes[..len]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("no answer: {error}"),
            }
        }
    }
}

// Recorded conversations.

struct Recorded {
    is_host: bool,
    command: Word,
    args: [u32; 2],
    sum: Checksum,
    payload: Vec<u8>,
}

fn recorded(name: &str) -> Option<Vec<Recorded>> {
    let rows = shared::rows(&format!("android/adb_traces/{name}"))?;
    eprintln!("{name}: {} packets read", rows.len());
    Some(packets(&rows))
}

fn packets(rows: &[serde_json::Value]) -> Vec<Recorded> {
    let number = |row: &serde_json::Value, key: &str| {
        row[key].as_u64().and_then(|n| u32::try_from(n).ok()).expect("a number")
    };
    let packet = |row: &serde_json::Value| {
        let letters = row["cmd"].as_str().expect("a command").as_bytes();
        let mut payload = from_base64(row["data_b64"].as_str().expect("a payload"));
        // Long payloads were cut when they were recorded.
        payload.resize(number(row, "len") as usize, 0);
        Recorded {
            is_host: row["dir"] == "host>device",
            command: Word::from_number(u32::from_le_bytes(letters.try_into().expect("four letters"))),
            args: [number(row, "arg0"), number(row, "arg1")],
            sum: if number(row, "check") == 0 { Checksum::Omitted } else { Checksum::Included },
            payload,
        }
    };
    rows.iter().map(packet).collect()
}

fn from_base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = LETTERS.iter().position(|other| *other == letter).expect("base64");
        bits = (bits << 6 | u32::try_from(value).expect("six bits")) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held).to_le_bytes()[0]);
        }
    }
    bytes
}

/// The messages on a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Heard {
    bytes: Vec<u8>,
    okays: usize,
    is_closed: bool,
}

/// Returns the phone's messages, by the host's number of the stream.
fn heard(packets: &[Recorded]) -> BTreeMap<u32, Heard> {
    let mut streams: BTreeMap<u32, Heard> = BTreeMap::new();
    for packet in packets.iter().filter(|packet| !packet.is_host) {
        hear(streams.entry(packet.args[1]).or_default(), packet.command, &packet.payload);
    }
    streams
}

fn hear(stream: &mut Heard, command: Word, payload: &[u8]) {
    match command {
        Word::Wrte => stream.bytes.extend(payload),
        Word::Okay => stream.okays += 1,
        Word::Clse => stream.is_closed = true,
        _ => {}
    }
}

/// Returns the services of a recording, by the host's number of the stream.
fn services(packets: &[Recorded]) -> BTreeMap<u32, String> {
    let opens = packets.iter().filter(|packet| packet.command == Word::Open);
    let name =
        |packet: &Recorded| String::from_utf8_lossy(&packet.payload).trim_end_matches('\0').to_string();
    opens.map(|packet| (packet.args[0], name(packet))).collect()
}

/// Returns a phone that runs the commands of a recording as the recorded phone did.
fn phone_of(packets: &[Recorded]) -> Scripted {
    let heard = heard(packets);
    let mut phone =
        Scripted { is_old: packets.iter().any(|p| !p.is_host && p.args[1] == 4_096), ..Scripted::default() };
    for (stream, name) in services(packets) {
        let said_there = &heard[&stream].bytes;
        let (kind, line) = name.split_once(':').expect("a service");
        match kind.split(',').next() {
            Some("shell") if kind.contains("v2") => {
                phone.answers.insert(line.to_string(), ran_of(said_there))
            }
            Some("shell" | "exec") => phone.answers.insert(line.to_string(), said(said_there.clone())),
            Some("abb_exec") => {
                phone.answers.insert(format!("abb {}", line.replace('\0', " ")), said(said_there.clone()))
            }
            _ => None,
        };
    }
    phone
}

/// Decodes packets of the shell protocol.
fn ran_of(mut bytes: &[u8]) -> Ran {
    let mut ran = Ran::default();
    while let [id, a, b, c, d, rest @ ..] = bytes {
        let (piece, after) = rest.split_at(u32::from_le_bytes([*a, *b, *c, *d]) as usize);
        match id {
            1 => ran.stdout.extend(piece),
            2 => ran.stderr.extend(piece),
            _ => ran.code = piece[0],
        }
        bytes = after;
    }
    ran
}

/// Returns an answer without the parts that each phone chooses freely: numbers of devices, owners and times in
/// the long form of a file's metadata.
fn determined(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.starts_with(b"STA2") || bytes.starts_with(b"DNT2") {
        let is_missing = bytes[4] != 0;
        for at in (8..72).filter(|at| is_missing || !matches!(at, 24..28 | 40..48)) {
            bytes[at] = 0;
        }
    }
    bytes
}

/// Plays a conversation again with a phone that answers as the recorded one.
fn check_recording(name: &str, auth: Auth) {
    let Some(packets) = recorded(name) else { return };
    check_packets(name, &packets, auth);
}

fn check_packets(name: &str, packets: &[Recorded], auth: Auth) {
    let is_same = |service: &str, ours: &Heard, theirs: &Heard| {
        // The recorded phone agreed to this and then did nothing.
        service.starts_with("reverse:") || determined(ours.bytes.clone()) == determined(theirs.bytes.clone())
    };
    check_conversation(name, packets, phone_of(packets), auth, |banner| banner.to_string(), is_same);
}

/// Plays a conversation again with a simulated phone, which has other files and other apps than the recorded
/// one.
fn check_recording_on_an_app(name: &str, auth: Auth) {
    let Some(packets) = recorded(name) else { return };
    check_packets_on_an_app(name, &packets, auth);
}

fn check_packets_on_an_app(name: &str, packets: &[Recorded], auth: Auth) {
    let text = "app org.lamp \"Lamp\" 1.5\nlaunch Main\nactivity Main .Main { Button \"on\" }";
    let model = farlead::device::sim::read(&Source::new("lamp.app", text)).model.expect("no mistakes");
    let phone = farlead::emulator::phone::Phone::new(Arc::new(model), Seed(1), AndroidVersion::default());
    let is_old = packets.iter().any(|packet| !packet.is_host && packet.args[1] == 4_096);
    let phone = if is_old { phone.with_old_adb() } else { phone };
    // It has the same features, and another name.
    let features =
        |banner: &str| banner.split_once("features=").map_or(String::new(), |(_, names)| names.to_string());
    check_conversation(name, packets, phone, auth, features, is_same_on_an_app);
}

/// Returns true if the determined part of an answer is the same: all of it if the command alone decides it, the
/// status of commands, the first letters of other answers with a form.
fn is_same_on_an_app(service: &str, ours: &Heard, theirs: &Heard) -> bool {
    let (kind, line) = service.split_once(':').expect("a service");
    let status = |heard: &Heard| if kind.contains("v2") { ran_of(&heard.bytes).code } else { 0 };
    match line {
        "echo hi" => ours.bytes == theirs.bytes,
        // The recorded phone complained, which no other phone does.
        "false" => !kind.contains("v2") || (status(ours) != 0 && status(theirs) != 0),
        "uiautomator dump /dev/tty" => {
            let end = "UI hierchary dumped to: /dev/tty\n";
            let said = |heard: &Heard| {
                if kind.contains("v2") { ran_of(&heard.bytes).stdout } else { heard.bytes.clone() }
            };
            status(ours) == status(theirs)
                && [ours, theirs].iter().all(|heard| said(heard).ends_with(end.as_bytes()))
        }
        "screencap '-p'" => ours.bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
        // The known commands, and the description of an app, which was cut when recorded, are the phone's own.
        line if ["logcat", "package", "pm "].iter().any(|word| line.contains(word)) => true,
        _ if kind == "sync" => {
            ours.bytes.get(..4) == theirs.bytes.get(..4)
                && (ours.bytes.starts_with(b"DENT")
                    || ours.bytes.starts_with(b"DNT2")
                    || ours.bytes.len() == theirs.bytes.len())
        }
        _ => kind == "reverse" || ours.bytes == theirs.bytes,
    }
}

fn check_conversation(
    name: &str,
    packets: &[Recorded],
    phone: impl Backend + 'static,
    auth: Auth,
    of_banner: impl Fn(&str) -> String,
    is_same: impl Fn(&str, &Heard, &Heard) -> bool,
) {
    let server = serve(phone, Settings { auth, ..Settings::default() });
    let mut host = Host::new(&server);
    let mut streams: BTreeMap<u32, Heard> = BTreeMap::new();
    let mut ids: BTreeMap<u32, u32> = BTreeMap::new();
    for (at, packet) in packets.iter().enumerate() {
        if !packet.is_host {
            if matches!(packet.command, Word::Cnxn | Word::Auth) {
                let answer = host.receive().expect("an answer");
                assert_eq!((answer.command, answer.arg0), (packet.command, packet.args[0]), "{name}:{at}");
                // Each phone chooses how much it takes, and tokens are random.
                let [ours, theirs] =
                    [&answer.payload, &packet.payload].map(|said| String::from_utf8_lossy(said));
                assert!(
                    packet.command == Word::Auth || of_banner(&ours) == of_banner(&theirs),
                    "{name}:{at}"
                );
                assert!(packet.command != Word::Auth || ours.len() == theirs.len(), "{name}:{at}");
            }
            continue;
        }
        // Our phone's packets are acknowledged as they come, and there may be fewer of them.
        if packet.command == Word::Okay {
            continue;
        }
        let stream = packet.args[0];
        if packet.command == Word::Wrte || packet.command == Word::Clse {
            // Wait for all that the recorded phone had sent by then.
            let expected = heard(&packets[..at]).remove(&stream).unwrap_or_default();
            let is_enough = |streams: &BTreeMap<u32, Heard>| is_through(&streams[&stream], &expected);
            fetch(&mut host, &mut streams, &mut ids, is_enough);
        }
        let args = match packet.command {
            Word::Cnxn | Word::Auth | Word::Open => packet.args,
            _ => [stream, ids[&stream]],
        };
        host.send(packet.command, args, &packet.payload, packet.sum);
        if packet.command == Word::Open {
            fetch(&mut host, &mut streams, &mut ids, |streams| streams.contains_key(&stream));
        }
    }
    let services = services(packets);
    for (stream, expected) in heard(packets).into_iter().filter(|(stream, _)| services.contains_key(stream)) {
        let service = &services[&stream];
        fetch(&mut host, &mut streams, &mut ids, |streams| streams[&stream].is_closed);
        let ours = &streams[&stream];
        let shown = |heard: &Heard| {
            heard.bytes.iter().take(300).copied().collect::<Vec<u8>>().escape_ascii().to_string()
        };
        assert!(
            is_same(service, ours, &expected),
            "{name}: {service}\n{}\n{}",
            shown(ours),
            shown(&expected)
        );
    }
    if packets.iter().any(|packet| packet.payload.starts_with(b"reboot:")) {
        assert!(host.receive().is_none(), "{name}: a phone that starts afresh hangs up");
    }
}

fn is_through(stream: &Heard, expected: &Heard) -> bool {
    stream.is_closed || (stream.bytes.len() >= expected.bytes.len() && stream.okays >= expected.okays)
}

/// Receives packets until `is_enough`, and acknowledges them as a host does.
fn fetch(
    host: &mut Host,
    streams: &mut BTreeMap<u32, Heard>,
    ids: &mut BTreeMap<u32, u32>,
    is_enough: impl Fn(&BTreeMap<u32, Heard>) -> bool,
) {
    while !is_enough(streams) {
        let packet = host.receive().expect("a phone that answers");
        if packet.command == Word::Wrte {
            host.send(Word::Okay, [packet.arg1, packet.arg0], &[], Checksum::Omitted);
        }
        ids.insert(packet.arg1, packet.arg0);
        hear(streams.entry(packet.arg1).or_default(), packet.command, &packet.payload);
    }
}

#[test]
fn conversations_of_our_own_go_the_same_way_again() {
    for (name, auth) in [("talk", Auth::Open), ("talk_old", Auth::Open), ("talk_auth", Auth::Ask)] {
        let packets = packets(&fixtures::rows(&format!("android/adb/{name}.jsonl")));
        check_packets(name, &packets, auth);
        check_packets_on_an_app(name, &packets, auth);
    }
}

#[test]
fn a_recorded_conversation_goes_the_same_way_again() {
    check_recording("device_packets_adb-29.0.6.jsonl", Auth::Open);
}

#[test]
fn a_recorded_conversation_with_an_old_phone_goes_the_same_way_again() {
    check_recording("device_packets_adb-29.0.6-olddevice.jsonl", Auth::Open);
}

#[test]
fn a_recorded_conversation_with_a_phone_that_asks_goes_the_same_way_again() {
    check_recording("device_packets_adb-29.0.6-auth.jsonl", Auth::Ask);
}

#[test]
fn recorded_conversations_go_the_same_way_with_a_simulated_app() {
    check_recording_on_an_app("device_packets_adb-29.0.6.jsonl", Auth::Open);
    check_recording_on_an_app("device_packets_adb-29.0.6-olddevice.jsonl", Auth::Open);
    check_recording_on_an_app("device_packets_adb-29.0.6-auth.jsonl", Auth::Ask);
}

// Hostile hosts.

/// Waits until `is_so`, which must not take long.
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what} did not come about");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the number of the server's threads, and of the sockets at its port besides its listener.
#[cfg(target_os = "linux")]
fn left_behind(server: &Server) -> (usize, usize) {
    let name = format!("adbd :{}\n", server.address().port());
    let tasks = fs::read_dir("/proc/self/task").expect("threads");
    let names = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok());
    let threads = names.filter(|other| *other == name).count();
    let port = format!(":{:04X}", server.address().port());
    let table = fs::read_to_string("/proc/self/net/tcp").expect("sockets");
    let is_held = |line: &&str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // State 0A is a listener; a socket without an inode belongs to nobody any more.
        fields[1].ends_with(&port) && fields[3] != "0A" && fields[9] != "0"
    };
    (threads, table.lines().skip(1).filter(is_held).count())
}

#[test]
fn a_thousand_connections_leave_nothing_behind() {
    let server = serve(Scripted::default(), Settings::default());
    let mut greeting = Vec::new();
    packet::write(&mut greeting, Word::Cnxn, [VERSION, 4_096], b"host::", Checksum::Included);
    let mut open = greeting.clone();
    packet::write(&mut open, Word::Open, [1, 0], b"sync:", Checksum::Included);
    packet::write(&mut open, Word::Open, [2, 0], b"shell,v2,raw:cat", Checksum::Included);
    for number in 0..1_000 {
        let mut socket = TcpStream::connect(server.address()).expect("a server that listens");
        let said: &[u8] = match number % 5 {
            0 => b"",
            1 => &greeting[..7],
            2 => b"GET / HTTP/1.1\r\nHost: phone\r\n\r\n",
            3 => &greeting,
            _ => &open,
        };
        // A server that is full has hung up by now.
        let _ = socket.write_all(said);
    }
    wait_until("an end of all connections", || server.connections() == 0);
    assert_eq!(server.held(), 0);
    #[cfg(target_os = "linux")]
    wait_until("an end of all threads and sockets", || left_behind(&server) == (1, 0));
    Host::online(&server);
}

#[test]
fn what_is_no_packet_ends_the_connection() {
    let server = serve(Scripted::default(), Settings::default());
    let mut long = Vec::new();
    packet::write(&mut long, Word::Cnxn, [VERSION, 4_096], &[b'x'; 5_000], Checksum::Included);
    for garbage in [&[0; 24][..], b"GET / HTTP/1.1\r\nHost: phone\r\n\r\n", &long] {
        let mut host = Host::new(&server);
        let _ = host.socket.write_all(garbage);
        assert!(host.receive().is_none());
    }
}

#[test]
fn a_host_that_does_not_go_on_is_closed() {
    let short = Duration::from_millis(100);
    let settings = Settings { greeting: short, stall: short, ..Settings::default() };
    let server = serve(Scripted::default(), settings);
    let mut silent = Host::new(&server);
    assert!(silent.receive().is_none());
    let mut greeting = Vec::new();
    packet::write(&mut greeting, Word::Cnxn, [VERSION, 4_096], b"host::", Checksum::Included);
    let mut halfway = Host::new(&server);
    halfway.send(Word::Cnxn, [VERSION, 4_096], b"host::", Checksum::Included);
    assert!(halfway.receive().is_some());
    halfway.socket.write_all(&greeting[..10]).expect("a connection");
    assert!(halfway.receive().is_none());
}

#[test]
fn a_connection_too_many_is_closed_at_once() {
    let server = serve(Scripted::default(), Settings { connections_max: 2, ..Settings::default() });
    let _first = Host::online(&server);
    let second = Host::online(&server);
    assert!(Host::new(&server).receive().is_none());
    drop(second);
    wait_until("a free place", || server.connections() == 1);
    Host::online(&server);
}

#[test]
fn a_server_that_ends_hangs_up() {
    let server = serve(Scripted::default(), Settings::default());
    let address = server.address();
    let mut host = Host::online(&server);
    drop(server);
    assert!(host.receive().is_none());
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn uploads_that_never_end_stay_within_the_budget() {
    let server = serve(Scripted::default(), Settings { held_max: 1 << 20, ..Settings::default() });
    let mut host = Host::online(&server);
    host.send(Word::Open, [1, 0], b"sync:", Checksum::Omitted);
    let id = host.receive().expect("a stream").arg0;
    let mut piece = b"DATA\0\0\x01\0".to_vec();
    piece.resize(8 + 65_536, 7);
    host.send(Word::Wrte, [1, id], b"SEND\x08\0\0\0/f,33188", Checksum::Omitted);
    assert_eq!(host.receive().expect("an answer").command, Word::Okay);
    for _ in 0..100 {
        host.send(Word::Wrte, [1, id], &piece, Checksum::Omitted);
        assert_eq!(host.receive().expect("an answer").command, Word::Okay);
        assert!(server.held() <= 1 << 20);
    }
    host.send(Word::Wrte, [1, id], b"DONE\0\0\0\0", Checksum::Omitted);
    assert_eq!(host.receive().expect("an answer").command, Word::Okay);
    assert!(host.receive().expect("an answer").payload.starts_with(b"FAIL"));
}

// The real adb.

/// A real adb server on a port of its own, with a home of its own.
pub struct Adb {
    pub port: u16,
    pub home: PathBuf,
}

impl Adb {
    /// Starts the server, or reports that there is no adb; in CI there must be one.
    pub fn start(name: &str) -> Option<Adb> {
        if Command::new("adb").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            ci::skip("adb is not installed");
            return None;
        }
        let port = ci::free_port();
        let home = std::env::temp_dir().join(format!("farlead-adbd-{name}-{}", std::process::id()));
        fs::create_dir_all(&home).expect("a folder");
        let adb = Adb { port, home };
        adb.run(&["start-server"]);
        Some(adb)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.for_program("adb");
        command.args(arguments);
        command
    }

    /// Returns a program that uses this server and no other.
    pub fn for_program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        // Otherwise it would try every port that an emulator might have.
        command.env("ADB_EMU", "0").env("ANDROID_ADB_SERVER_PORT", self.port.to_string());
        command.env("HOME", &self.home).env_remove("ANDROID_SERIAL").stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("adb runs")
    }

    /// Returns the output, stdout and then stderr.
    pub fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    }

    /// Returns the output of a run with `stdin`, and its exit status.
    pub fn fed(&self, arguments: &[&str], stdin: &[u8]) -> (String, Option<i32>) {
        let mut command = self.command(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("adb runs");
        child.stdin.take().expect("a pipe").write_all(stdin).expect("adb reads");
        let output = child.wait_with_output().expect("adb ends");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    }

    /// Connects to `server` and returns its serial once it is a device.
    pub fn connect(&self, server: &Server) -> String {
        self.connect_to(&server.address().to_string())
    }

    /// Connects to the phone at `serial` and returns the serial once it is a device.
    pub fn connect_to(&self, serial: &str) -> String {
        wait_until("a device", || {
            self.run(&["connect", serial]);
            self.text(&["-s", serial, "get-state"]) == "device\n"
        });
        serial.to_string()
    }

    /// Makes `command` use this server.
    pub fn lend_to(&self, command: &mut Command) {
        command.env("ANDROID_ADB_SERVER_PORT", self.port.to_string()).env("HOME", &self.home);
        command.env_remove("ANDROID_SERIAL").env_remove("ADB_SERVER_SOCKET");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
    }
}

impl Drop for Adb {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
        let _ = fs::remove_dir_all(&self.home);
    }
}

#[test]
fn the_real_adb_connects_and_runs_commands() {
    let Some(adb) = Adb::start("commands") else { return };
    let server = serve(Scripted::default(), Settings::default());
    let serial = server.address().to_string();
    assert_eq!(adb.text(&["connect", &serial]), format!("connected to {serial}\n"));
    let devices = adb.text(&["devices", "-l"]);
    assert!(
        devices.contains(&serial) && devices.contains("device product:sim model:Sim device:sim"),
        "{devices}"
    );
    assert_eq!(adb.text(&["shell", "echo", "hi"]), "hi\n");
    let failed = adb.run(&["shell", "fail", "3"]);
    assert_eq!(
        (failed.status.code(), &failed.stdout[..], &failed.stderr[..]),
        (Some(3), &b"out\n"[..], &b"err\n"[..])
    );
    assert_eq!(adb.run(&["shell", "nosuch"]).status.code(), Some(127));
    assert_eq!(adb.text(&["shell", "-x", "fail", "3"]), "out\nerr\n");
    let bytes: Vec<u8> = (0..=255).collect::<Vec<u8>>().repeat(300);
    assert_eq!(adb.run(&["exec-out", "screencap", "-p"]).stdout, bytes);
    assert_eq!(adb.fed(&["shell", "cat"], b"from here"), ("from here".to_string(), Some(0)));
    assert_eq!(adb.fed(&["shell"], b"echo a\nfail 7\nexit\n"), ("a\nout\n".to_string(), Some(7)));
    assert_eq!(adb.text(&["root"]), "adbd cannot run as root in production builds\n");
    assert_eq!(adb.text(&["reverse", "--list"]).trim(), "");
    assert_eq!(adb.text(&["reverse", "tcp:7100", "tcp:7101"]), "");
    assert_eq!(adb.text(&["reverse", "--list"]).trim(), "(reverse) tcp:7100 tcp:7101");
    assert_eq!(adb.run(&["reverse", "--remove", "tcp:7100"]).status.code(), Some(0));
    assert_eq!(adb.text(&["reverse", "--list"]).trim(), "");
}

#[test]
fn the_real_adb_moves_files() {
    let Some(adb) = Adb::start("files") else { return };
    let server = serve(Scripted::default(), Settings::default());
    adb.connect(&server);
    let (from, to) = (adb.home.join("from.bin"), adb.home.join("to.bin"));
    let bytes: Vec<u8> =
        (0..10_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24).to_le_bytes()[0]).collect();
    fs::write(&from, &bytes).expect("a file");
    let (from, to) = (from.to_str().expect("a path"), to.to_str().expect("a path"));
    let pushed = adb.text(&["push", from, "/sdcard/Download/f.bin"]);
    assert!(pushed.contains("1 file pushed"), "{pushed}");
    let pulled = adb.text(&["pull", "/sdcard/Download/f.bin", to]);
    assert!(pulled.contains("1 file pulled"), "{pulled}");
    eprintln!("{pushed}{pulled}");
    assert!(fs::read(to).expect("a file") == bytes, "what comes back is what was sent");
    let listed = adb.text(&["ls", "/sdcard/Download"]);
    assert!(listed.ends_with("00989680 6553f100 f.bin\n"), "{listed}");
    let missing = adb.run(&["pull", "/sdcard/none", to]);
    assert!(missing.status.code() == Some(1), "{missing:?}");
    let refused = adb.text(&["push", from, "/system/f.bin"]);
    assert!(refused.contains("Read-only file system"), "{refused}");
    assert_eq!(server.held(), 0);
    let folder = adb.home.join("folder");
    fs::create_dir(&folder).expect("a folder");
    for name in ["a", "b", "c"] {
        fs::write(folder.join(name), name).expect("a file");
    }
    let many = adb.text(&["push", folder.to_str().expect("a path"), "/sdcard/folder"]);
    assert!(many.contains("3 files pushed"), "{many}");
    let back = adb.text(&["pull", "/sdcard/folder", adb.home.join("back").to_str().expect("a path")]);
    assert!(back.contains("3 files pulled"), "{back}");
    let apk = adb.home.join("a.apk");
    fs::write(&apk, &bytes[..3_000_000]).expect("a file");
    let installed = adb.text(&["install", "-r", "-g", apk.to_str().expect("a path")]);
    assert!(installed.contains("Success"), "{installed}");
}

#[test]
fn the_real_adb_reaches_a_port_of_the_phone() {
    let Some(adb) = Adb::start("port") else { return };
    let server = serve(Scripted::default(), Settings::default());
    adb.connect(&server);
    let port: u16 = adb.text(&["forward", "tcp:0", "tcp:9008"]).trim().parse().expect("a port");
    let mut socket = TcpStream::connect(("127.0.0.1", port)).expect("a forwarded port");
    socket.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    for _ in 0..2 {
        socket.write_all(b"GET /ping HTTP/1.1\r\n\r\n").expect("a connection");
        let mut answer = [0; 42];
        socket.read_exact(&mut answer).expect("an answer");
        assert!(answer.ends_with(b"\r\n\r\npong"));
    }
    let _ = socket.shutdown(Shutdown::Both);
    let closed: u16 = adb.text(&["forward", "tcp:0", "tcp:80"]).trim().parse().expect("a port");
    let mut socket = TcpStream::connect(("127.0.0.1", closed)).expect("a forwarded port");
    assert_eq!(socket.read(&mut [0; 10]).expect("an end"), 0);
}

#[test]
fn the_real_adb_follows_a_log() {
    let Some(adb) = Adb::start("log") else { return };
    let server = serve(Scripted { log: "one\n".to_string(), ..Scripted::default() }, Settings::default());
    adb.connect(&server);
    let mut follower = adb.command(&["logcat"]).stdout(Stdio::piped()).spawn().expect("adb runs");
    let mut stdout = follower.stdout.take().expect("a pipe");
    let mut seen = [0; 4];
    stdout.read_exact(&mut seen).expect("what there is");
    adb.run(&["shell", "log", "two"]);
    let mut new = [0; 4];
    stdout.read_exact(&mut new).expect("what is new");
    assert_eq!((&seen, &new), (b"one\n", b"two\n"));
    follower.kill().expect("a child");
    follower.wait().expect("a child");
}

#[test]
fn the_real_adb_comes_back() {
    let Some(adb) = Adb::start("back") else { return };
    let server = serve(Scripted::default(), Settings::default());
    let serial = adb.connect(&server);
    adb.run(&["kill-server"]);
    wait_until("an end of the connection", || server.connections() == 0);
    adb.connect(&server);
    assert_eq!(adb.text(&["shell", "echo", "again"]), "again\n");
    adb.run(&["reboot"]);
    wait_until("an end of the connection", || server.connections() == 0);
    adb.run(&["disconnect", &serial]);
    adb.connect(&server);
    assert_eq!(adb.text(&["shell", "echo", "afresh"]), "afresh\n");
}

#[test]
fn the_real_adb_shows_its_key_to_a_phone_that_asks() {
    let Some(adb) = Adb::start("key") else { return };
    let server = serve(Scripted::default(), Settings { auth: Auth::Ask, ..Settings::default() });
    let serial = adb.connect(&server);
    assert_eq!(adb.text(&["shell", "echo", "in"]), "in\n");
    adb.run(&["disconnect", &serial]);
    assert_eq!(adb.text(&["connect", &serial]), format!("connected to {serial}\n"), "the key is known now");
}

#[test]
fn the_real_adb_speaks_to_an_old_phone() {
    let Some(adb) = Adb::start("old") else { return };
    let server = serve(Scripted { is_old: true, ..Scripted::default() }, Settings::default());
    adb.connect(&server);
    assert_eq!(adb.text(&["shell", "fail", "3"]), "out\nerr\n");
    let (from, to) = (adb.home.join("from"), adb.home.join("to"));
    fs::write(&from, vec![9; 100_000]).expect("a file");
    adb.run(&["push", from.to_str().expect("a path"), "/sdcard/f"]);
    adb.run(&["pull", "/sdcard/f", to.to_str().expect("a path")]);
    assert_eq!(fs::read(&to).expect("a file"), vec![9; 100_000]);
}
