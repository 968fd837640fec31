//! Reads any bytes as input from a host to a phone: packets, and their contents for shells and files.

#![no_main]

use std::sync::{Arc, Mutex};

use farlead::emulator::adbd::link::Link;
use farlead::emulator::adbd::packet::{self, Checksum, Command, Reader};
use farlead::emulator::adbd::{Auth, Backend, Budget, FileStat, Ran};
use libfuzzer_sys::fuzz_target;

/// A phone that does nothing, but gives every answer some content.
struct Still;

impl Backend for Still {
    fn product(&self) -> [String; 3] {
        ["a", "b", "c"].map(String::from)
    }

    fn features(&self) -> &'static str {
        "shell_v2,cmd,stat_v2,ls_v2,abb_exec"
    }

    fn shell(&mut self, line: &str, stdin: &[u8]) -> Ran {
        Ran { stdout: line.into(), stderr: stdin.to_vec(), code: 1 }
    }

    fn abb(&mut self, arguments: &[&str], stdin: &[u8]) -> Ran {
        Ran { stdout: arguments.concat().into(), stderr: stdin.to_vec(), code: 0 }
    }

    fn stat(&mut self, _: &str) -> Option<FileStat> {
        None
    }

    fn list(&mut self, path: &str) -> Vec<(String, FileStat)> {
        vec![(path.to_string(), FileStat::default())]
    }

    fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        if path.len() % 2 == 0 { Ok(vec![7; 200_000]) } else { Err(path.to_string()) }
    }

    fn write(&mut self, path: &str, _: u32, _: u32, bytes: Vec<u8>) -> Result<(), String> {
        if bytes.len() % 2 == 0 { Ok(()) } else { Err(path.to_string()) }
    }

    fn framebuffer(&mut self) -> (u32, u32, Vec<u8>) {
        (1, 1, vec![0; 4])
    }

    fn logged(&self) -> u64 {
        1
    }

    fn reboot(&mut self) {}

    fn tcp(&mut self, port: u16, request: &[u8]) -> Option<Vec<u8>> {
        (port != 1).then(|| request.to_vec())
    }
}

fuzz_target!(|bytes: &[u8]| {
    let budget = Budget::new(1 << 20);
    let auth = if bytes.first().is_some_and(|byte| byte % 2 == 0) { Auth::Open } else { Auth::Ask };
    let mut link = Link::new(Arc::new(Mutex::new(Still)), auth, Arc::default(), budget.clone());
    raw(bytes);
    sensible(bytes, &mut link);
    drop(link);
    assert_eq!(budget.used(), 0, "what was held is given back");
});

/// Reads the bytes unchanged, in pieces.
fn raw(bytes: &[u8]) {
    let mut reader = Reader::new(4_096);
    for piece in bytes.chunks(7) {
        reader.push(piece);
        loop {
            match reader.next_packet() {
                Ok(Some(packet)) => assert!(packet.payload.len() <= 4_096),
                Ok(None) => break,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    return;
                }
            }
        }
    }
}

/// Turns the bytes into commands with small numbers and short payloads, so that they refer to open streams.
fn sensible(bytes: &[u8], link: &mut Link) {
    let mut wire = Vec::new();
    let mut rest = bytes;
    packet::write(&mut wire, Command::Cnxn, [packet::VERSION, 64], b"host::", Checksum::Included);
    packet::write(&mut wire, Command::Auth, [3, 0], b"key", Checksum::Included);
    packet::write(&mut wire, Command::Open, [1, 0], b"sync:", Checksum::Included);
    while let [command, args, len, after @ ..] = rest {
        let commands =
            [Command::Open, Command::Okay, Command::Wrte, Command::Clse, Command::Cnxn, Command::Auth];
        let (payload, later) = after.split_at(after.len().min(usize::from(*len)));
        let command = commands[usize::from(*command) % commands.len()];
        let second = if command == Command::Open { 0 } else { u32::from(args >> 4) };
        packet::write(&mut wire, command, [u32::from(args & 15), second], payload, Checksum::Included);
        rest = later;
    }
    let mut reader = Reader::new(4_096);
    reader.push(&wire);
    let mut answers = Reader::new(4_096);
    while let Ok(Some(packet)) = reader.next_packet() {
        if link.receive(&packet).is_err() {
            return;
        }
        link.look();
        answers.push(&link.take_output());
        while let Some(answer) = answers.next_packet().expect("answers are packets") {
            assert!(answer.command != Command::Wrte || answer.payload.len() <= 64);
        }
    }
}
