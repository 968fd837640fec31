//! Reads any bytes as requests of the sync protocol to a phone with files: memory is given back, and files stay
//! bounded.

#![no_main]

use std::sync::{Arc, LazyLock, Mutex};

use farlead::device::sim::read;
use farlead::emulator::adbd::link::Link;
use farlead::emulator::adbd::packet::{self, Checksum, Command, Reader};
use farlead::emulator::adbd::{Auth, Budget};
use farlead::emulator::phone::{AndroidVersion, Phone};
use farlead::rng::Seed;
use farlead::spec::Source;
use libfuzzer_sys::fuzz_target;

static PHONE: LazyLock<Phone> = LazyLock::new(|| {
    let text = "app a.b \"A\" 1\nlaunch Main\nactivity Main .Main { Button \"x\" }";
    let model = read(&Source::new("a.app", text)).model.expect("a model without mistakes");
    Phone::new(Arc::new(model), Seed(1), AndroidVersion::default())
});

fuzz_target!(|bytes: &[u8]| {
    let budget = Budget::new(1 << 20);
    let mut link = Link::new(Arc::new(Mutex::new(PHONE.clone())), Auth::Open, Arc::default(), budget.clone());
    let mut host = Host { link: &mut link, answers: Reader::new(1 << 20), phone_id: 0 };
    host.say(Command::Cnxn, b"host::");
    host.say(Command::Open, b"sync:");
    for piece in requests(bytes).chunks(bytes.first().map_or(64, |byte| usize::from(*byte) * 8 + 1)) {
        host.say(Command::Wrte, piece);
    }
    drop(link);
    assert_eq!(budget.used(), 0, "what was held is given back");
});

/// A host with one stream, which acknowledges everything it receives.
struct Host<'a> {
    link: &'a mut Link,
    answers: Reader,
    phone_id: u32,
}

impl Host<'_> {
    fn say(&mut self, command: Command, payload: &[u8]) {
        let args = match command {
            Command::Cnxn => [packet::VERSION, 1 << 18],
            Command::Open => [1, 0],
            _ => [1, self.phone_id],
        };
        let mut wire = Vec::new();
        packet::write(&mut wire, command, args, payload, Checksum::Included);
        let mut reader = Reader::new(1 << 20);
        reader.push(&wire);
        let packet = reader.next_packet().expect("a packet").expect("a whole one");
        if self.link.receive(&packet).is_err() {
            return;
        }
        self.answers.push(&self.link.take_output());
        while let Some(answer) = self.answers.next_packet().expect("answers are packets") {
            match answer.command {
                Command::Okay => self.phone_id = answer.arg0,
                Command::Wrte => self.say(Command::Okay, b""),
                _ => {}
            }
        }
    }
}

/// Turns the bytes into requests: each with a name, a stated length, and a body.
fn requests(mut bytes: &[u8]) -> Vec<u8> {
    const NAMES: [&[u8; 4]; 13] = [
        b"STAT", b"LIST", b"SEND", b"RECV", b"STA2", b"LST2", b"LIS2", b"DATA", b"DONE", b"QUIT", b"SND2",
        b"RCV2", b"nope",
    ];
    const PATHS: [&str; 8] = [
        "/sdcard/a",
        "/sdcard/a,33188",
        "/sdcard/../data/local/tmp/b,511",
        "/",
        "/sdcard",
        "/system/c,33188",
        "/sdcard/l,41471",
        "",
    ];
    let mut out = Vec::new();
    while let [name, kind, rest @ ..] = bytes {
        let (own, later) = rest.split_at(rest.len().min(usize::from(kind >> 3)));
        let path = PATHS[usize::from(kind & 7)].as_bytes();
        let body: &[u8] = if kind & 8 == 0 { path } else { own };
        let len = if name & 0x80 == 0 { body.len() as u32 } else { u32::from(*kind) << (name >> 3 & 15) };
        out.extend_from_slice(NAMES[usize::from(name & 0x7f) % NAMES.len()]);
        out.extend_from_slice(&len.to_le_bytes());
        if !matches!(&out[out.len() - 8..out.len() - 4], b"DONE" | b"QUIT") {
            out.extend_from_slice(body);
        }
        bytes = later;
    }
    out
}
