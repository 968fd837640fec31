//! A phone for tests: files in a map, and a shell that knows a handful of words.

use std::collections::BTreeMap;

use super::backend::{Backend, FileStat, Ran, WireFault};

/// The fake phone.
#[derive(Debug, Default)]
pub(super) struct Fake {
    pub(super) files: BTreeMap<String, (FileStat, Vec<u8>)>,
    pub(super) is_old: bool,
    pub(super) log: String,
    /// Number of letters of the log that commands do not read.
    pub(super) skipped: usize,
    pub(super) reboots: u32,
    /// Faults to come, the last first.
    pub(super) faults: Vec<WireFault>,
    pub(super) ran: Vec<String>,
    /// Pid of the server that `serve` has started.
    pub(super) started: Option<u32>,
    /// Last output of that server, once it has ended.
    pub(super) ended: Option<Ran>,
}

fn said(stdout: impl Into<Vec<u8>>) -> Ran {
    Ran { stdout: stdout.into(), ..Ran::default() }
}

impl Backend for Fake {
    fn product(&self) -> [String; 3] {
        ["sim", "Sim", "sim"].map(String::from)
    }

    fn features(&self) -> &'static str {
        if self.is_old { "" } else { "shell_v2,cmd,stat_v2,ls_v2,abb,abb_exec" }
    }

    fn shell(&mut self, line: &str, stdin: &[u8]) -> Ran {
        self.ran.push(line.to_string());
        match line.split_once(' ').unwrap_or((line, "")) {
            ("echo", text) => said(format!("{text}\n")),
            ("cat", _) => said(stdin),
            ("logcat", _) => said(self.log.get(self.skipped..).unwrap_or(&self.log)),
            ("cmd" | "pm", _) => said(format!("Success {}\n", stdin.len())),
            ("fail", code) => {
                let code = code.parse().unwrap_or(1);
                Ran { stdout: b"out\n".to_vec(), stderr: b"err\n".to_vec(), code }
            }
            ("serve", _) => {
                self.started = Some(7);
                said("listening\n")
            }
            ("big", size) => said(vec![b'x'; size.parse().unwrap_or(0)]),
            _ => Ran::default(),
        }
    }

    fn abb(&mut self, arguments: &[&str], stdin: &[u8]) -> Ran {
        said(format!("{} {}\n", arguments.join("|"), stdin.len()))
    }

    fn stat(&mut self, path: &str) -> Option<FileStat> {
        self.files.get(path).map(|(stat, _)| *stat)
    }

    fn list(&mut self, path: &str) -> Vec<(String, FileStat)> {
        let inside = |(name, (stat, _)): (&String, &(FileStat, Vec<u8>))| {
            let (folder, name) = name.rsplit_once('/')?;
            (folder == path).then(|| (name.to_string(), *stat))
        };
        self.files.iter().filter_map(inside).collect()
    }

    fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        self.files.get(path).map(|(_, bytes)| bytes.clone()).ok_or("No such file or directory".to_string())
    }

    fn write(&mut self, path: &str, mode: u32, mtime: u32, bytes: Vec<u8>) -> Result<(), String> {
        if path.starts_with("/system") {
            return Err("Read-only file system".to_string());
        }
        let stat = FileStat { mode, size: bytes.len() as u64, mtime };
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

    fn wire_fault(&mut self) -> Option<WireFault> {
        self.faults.pop()
    }

    fn take_server(&mut self) -> Option<u32> {
        self.started.take()
    }

    fn ended_server(&mut self, pid: u32) -> Option<Ran> {
        assert_eq!(pid, 7);
        self.ended.take()
    }

    fn reboot(&mut self) {
        self.reboots += 1;
    }

    fn tcp(&mut self, port: u16, request: &[u8]) -> Option<Vec<u8>> {
        if port != 9008 {
            return None;
        }
        let ping = request.starts_with(b"GET /ping ");
        let body = if ping { b"pong" } else { b"what" };
        let answer = [&b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"[..], body].concat();
        Some(if request.is_empty() { Vec::new() } else { answer })
    }
}
