//! Files over the wire: the requests of a `sync:` stream, one after the other.
//!
//! The answer to a request leaves in one piece: a host that waits for the second of two packets waits 40 ms for it. An
//! upload is held until it is complete, so that a file is written whole or not at all.

use super::backend::{Backend, FileStat};
use super::held::{Full, Held};

/// Longest path of a request, by the protocol.
const PATH_MAX: usize = 1_024;
/// Longest piece of a file in either direction, by the protocol.
const DATA_MAX: usize = 65_536;
/// Output waiting to be fetched at which the next request waits too.
pub(super) const OUT_MAX: usize = 1 << 20;
/// Waiting bytes of requests at which no more are taken. A host may want its request acknowledged before it fetches the
/// answer, so this is not 0.
const BACKLOG_MAX: usize = 65_536;
/// Longest message of a failure, in characters.
const MESSAGE_MAX: usize = 1_000;
/// Type of a plain file, for a mode without a type.
const PLAIN_FILE: u32 = 0o100_000;
const TYPE_MASK: u32 = 0o170_000;
/// `ENOENT` on the wire.
const MISSING: u32 = 2;
/// User and group `shell`.
const SHELL_USER: u32 = 2_000;
/// Flag of an upload of version 2 that writes nothing.
const DRY_RUN: u32 = 0x8000_0000;

/// State of a stream.
#[derive(Debug)]
enum Doing {
    Listening,
    /// A request of version 2 that waits for its second part.
    Setup {
        path: String,
        is_send: bool,
    },
    Receiving(Upload),
}

#[derive(Debug)]
struct Upload {
    path: String,
    mode: u32,
    bytes: Held,
    /// Bytes of the present piece still to come.
    left: usize,
    /// Reason why the upload fails; the rest is read all the same, and dropped.
    failed: Option<String>,
    purpose: Purpose,
}

/// Purpose of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Write,
    /// Measures the line, as `adb push -n` does.
    DryRun,
}

/// Form of a file's facts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StatForm {
    /// Three numbers of 32 bits.
    Short,
    /// `stat_v2`.
    Long,
}

impl Upload {
    /// Drops the upload so far and notes the failure.
    fn fail(&mut self) {
        self.failed = Some("No space left on device".to_string());
        self.bytes.clear();
    }
}

/// A stream of requests.
#[derive(Debug)]
pub(super) struct Sync {
    input: Held,
    doing: Doing,
    /// True if the phone knows requests of version 2.
    is_new: bool,
    is_over: bool,
}

/// Result of a step: done, or waiting for more input.
#[derive(PartialEq, Eq)]
enum Step {
    Done,
    Waits,
}

impl Sync {
    /// Returns a new stream that queues its requests in `input`.
    pub(super) fn new(input: Held, is_new: bool) -> Sync {
        Sync { input, doing: Doing::Listening, is_new, is_over: false }
    }

    /// Takes input.
    pub(super) fn hear(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let Err(full) = self.input.add(bytes) else { return Ok(()) };
        // The upload gives its room back, and the host gets its answer at the end of the file.
        let Doing::Receiving(upload) = &mut self.doing else { return Err(full) };
        upload.fail();
        self.input.add(bytes)
    }

    /// Returns true if the host asked for the end, or broke the protocol.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Answers requests as long as `out` is fetched; returns true if there is room for more requests.
    pub(super) fn go_on(&mut self, phone: &mut dyn Backend, out: &mut Held) -> Result<bool, Full> {
        while !self.is_over {
            if out.len() >= OUT_MAX {
                return Ok(self.input.len() <= BACKLOG_MAX);
            }
            if self.step(phone, out)? == Step::Waits {
                break;
            }
        }
        Ok(true)
    }

    fn step(&mut self, phone: &mut dyn Backend, out: &mut Held) -> Result<Step, Full> {
        match std::mem::replace(&mut self.doing, Doing::Listening) {
            Doing::Listening => self.listen(phone, out),
            Doing::Setup { path, is_send } => self.set_up(path, is_send, phone, out),
            Doing::Receiving(upload) => self.receive(upload, phone, out),
        }
    }

    fn listen(&mut self, phone: &mut dyn Backend, out: &mut Held) -> Result<Step, Full> {
        // Some hosts end an upload with a time of eight bytes, whose upper half is 0 until 2106.
        if self.input.bytes().first_chunk() == Some(&[0; 4]) {
            self.input.skip(4);
            return Ok(Step::Done);
        }
        let Some((id, len)) = self.head() else { return Ok(Step::Waits) };
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        if len > PATH_MAX {
            return self.refuse("name too long", out);
        }
        if self.input.len() < 8 + len {
            return Ok(Step::Waits);
        }
        self.input.skip(8);
        let path = String::from_utf8_lossy(&self.input.take(len)).into_owned();
        self.answer(id, path, phone, out)
    }

    fn answer(
        &mut self,
        id: [u8; 4],
        path: String,
        phone: &mut dyn Backend,
        out: &mut Held,
    ) -> Result<Step, Full> {
        match (&id, self.is_new) {
            (b"STAT", _) => {
                // In the short form, zeros say that there is no file.
                let stat = phone.stat(&path).unwrap_or_default();
                out.add(&words(b"STAT", &[stat.mode, short(stat.size), stat.mtime]))?;
            }
            (b"STA2" | b"LST2", true) => out.add(&stat_long(&id, phone.stat(&path)))?,
            (b"LIST", _) => list(&path, StatForm::Short, phone, out)?,
            (b"LIS2", true) => list(&path, StatForm::Long, phone, out)?,
            (b"RECV", _) => send_file(&path, phone, out)?,
            (b"SEND", _) => return self.begin_upload(&path, out),
            (b"SND2", true) => self.doing = Doing::Setup { path, is_send: true },
            (b"RCV2", true) => self.doing = Doing::Setup { path, is_send: false },
            (b"QUIT", _) => self.is_over = true,
            _ => {
                return self.refuse(
                    &format!("unknown command {}", String::from_utf8_lossy(&id).escape_debug()),
                    out,
                );
            }
        }
        Ok(Step::Done)
    }

    fn begin_upload(&mut self, request: &str, out: &mut Held) -> Result<Step, Full> {
        let Some((path, mode)) = request.rsplit_once(',') else {
            return self.refuse("missing , in ID_SEND", out);
        };
        let Some(mode) = number(mode) else { return self.refuse("bad mode", out) };
        self.doing = Doing::Receiving(self.upload(path.to_string(), mode, Purpose::Write));
        Ok(Step::Done)
    }

    fn upload(&self, path: String, mode: u32, purpose: Purpose) -> Upload {
        // Some clients send the rights without a type.
        let kind = if mode & TYPE_MASK == 0 { PLAIN_FILE } else { mode & TYPE_MASK };
        // A phone gives group and others the rights of the owner.
        let owner = mode & 0o700;
        let mode = kind | (mode & 0o777) | owner >> 3 | owner >> 6;
        Upload { path, mode, bytes: Held::new(self.input.budget()), left: 0, failed: None, purpose }
    }

    /// Reads the second part of a request of version 2: a mode, if the host sends a file, and the flags of AOSP's
    /// `file_sync_protocol.h`.
    fn set_up(
        &mut self,
        path: String,
        is_send: bool,
        phone: &mut dyn Backend,
        out: &mut Held,
    ) -> Result<Step, Full> {
        let len = if is_send { 12 } else { 8 };
        if self.input.len() < len {
            self.doing = Doing::Setup { path, is_send };
            return Ok(Step::Waits);
        }
        let part = self.input.take(len);
        let fields: Vec<u32> =
            part.as_chunks::<4>().0.iter().map(|field| u32::from_le_bytes(*field)).collect();
        let flags = fields[fields.len() - 1];
        let id: &[u8; 4] = if is_send { b"SND2" } else { b"RCV2" };
        if part[..4] != *id {
            return self.refuse("a request of version 2 without its second part", out);
        }
        if flags & !DRY_RUN != 0 {
            return self.refuse("compression was not offered", out);
        }
        if is_send {
            let purpose = if flags & DRY_RUN == 0 { Purpose::Write } else { Purpose::DryRun };
            self.doing = Doing::Receiving(self.upload(path, fields[1], purpose));
        } else {
            send_file(&path, phone, out)?;
        }
        Ok(Step::Done)
    }

    fn receive(&mut self, mut upload: Upload, phone: &mut dyn Backend, out: &mut Held) -> Result<Step, Full> {
        if upload.left > 0 {
            let piece = self.input.take(upload.left);
            upload.left -= piece.len();
            // A failed upload is still read to its end, because the next request begins only there.
            if upload.failed.is_none() && upload.bytes.add(&piece).is_err() {
                upload.fail();
            }
            self.doing = Doing::Receiving(upload);
            return Ok(if piece.is_empty() { Step::Waits } else { Step::Done });
        }
        let Some((id, number)) = self.head() else {
            self.doing = Doing::Receiving(upload);
            return Ok(Step::Waits);
        };
        self.input.skip(8);
        match &id {
            b"DATA" => {
                upload.left = usize::try_from(number).unwrap_or(usize::MAX);
                if upload.left > DATA_MAX {
                    return self.refuse("oversize data message", out);
                }
                self.doing = Doing::Receiving(upload);
                Ok(Step::Done)
            }
            b"DONE" => {
                // Here the number is the time of the last write, and no length follows.
                out.add(&finish(upload, number, phone))?;
                Ok(Step::Done)
            }
            _ => self.refuse("invalid data message", out),
        }
    }

    /// Returns the next name and number, if they have arrived.
    fn head(&self) -> Option<([u8; 4], u32)> {
        let (fields, _) = self.input.bytes().first_chunk::<8>()?.as_chunks::<4>();
        Some((fields[0], u32::from_le_bytes(fields[1])))
    }

    /// Answers with a failure and ends the stream: the requests behind this one have no bounds.
    fn refuse(&mut self, message: &str, out: &mut Held) -> Result<Step, Full> {
        self.is_over = true;
        self.input.clear();
        out.add(&fail(message))?;
        Ok(Step::Done)
    }
}

fn finish(mut upload: Upload, mtime: u32, phone: &mut dyn Backend) -> Vec<u8> {
    let bytes = upload.bytes.take(usize::MAX);
    let written = match upload.failed {
        Some(message) => Err(message),
        None if upload.purpose == Purpose::DryRun => Ok(()),
        None => phone.write(&upload.path, upload.mode, mtime, bytes),
    };
    match written {
        Ok(()) => words(b"OKAY", &[0]),
        Err(message) => fail(&message),
    }
}

fn send_file(path: &str, phone: &mut dyn Backend, out: &mut Held) -> Result<(), Full> {
    let bytes = match phone.read(path) {
        Ok(bytes) => bytes,
        Err(message) => return out.add(&fail(&message)),
    };
    let mut answer = Vec::with_capacity(bytes.len() + bytes.len() / DATA_MAX * 8 + 16);
    for piece in bytes.chunks(DATA_MAX) {
        answer.extend(words(b"DATA", &[short(piece.len() as u64)]));
        answer.extend_from_slice(piece);
    }
    answer.extend(words(b"DONE", &[0]));
    // A file may have 256 MB; it need not be here twice while it is queued.
    drop(bytes);
    // The failure is short, so there is room for it where the file has none.
    out.add(&answer).or_else(|Full| out.add(&fail("Cannot allocate memory")))
}

fn list(path: &str, form: StatForm, phone: &mut dyn Backend, out: &mut Held) -> Result<(), Full> {
    let mut answer = Vec::new();
    for (name, stat) in phone.list(path) {
        match form {
            StatForm::Long => answer.extend(stat_long(b"DNT2", Some(stat))),
            StatForm::Short => {
                answer.extend(words(b"DENT", &[stat.mode, short(stat.size), stat.mtime]));
            }
        }
        answer.extend(short(name.len() as u64).to_le_bytes());
        answer.extend(name.as_bytes());
    }
    answer.extend(b"DONE");
    // The last entry has no name, and its numbers are 0.
    answer.resize(answer.len() + if form == StatForm::Long { 72 } else { 16 }, 0);
    out.add(&answer)
}

/// Returns the long form of a file's facts; zeros behind the error if there is no file.
fn stat_long(id: &[u8; 4], stat: Option<FileStat>) -> Vec<u8> {
    let mut answer = words(id, &[if stat.is_some() { 0 } else { MISSING }]);
    let Some(stat) = stat else {
        answer.resize(72, 0);
        return answer;
    };
    // Device and inode; no known host compares them.
    answer.extend([1u64.to_le_bytes(), 1u64.to_le_bytes()].concat());
    answer.extend([stat.mode, 1, SHELL_USER, SHELL_USER].map(u32::to_le_bytes).concat());
    let mtime = u64::from(stat.mtime);
    answer.extend([stat.size, mtime, mtime, mtime].map(u64::to_le_bytes).concat());
    answer
}

fn fail(message: &str) -> Vec<u8> {
    let message: String = message.chars().take(MESSAGE_MAX).collect();
    let mut answer = words(b"FAIL", &[short(message.len() as u64)]);
    answer.extend(message.as_bytes());
    answer
}

fn words(id: &[u8; 4], numbers: &[u32]) -> Vec<u8> {
    let mut answer = id.to_vec();
    answer.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    answer
}

/// Returns a size in 32 bits, and the largest number for larger sizes; old phones wrapped around there.
fn short(size: u64) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// Reads a mode as C does: octal behind a 0, as one client writes it, else decimal.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => u32::from_str_radix(octal, 8).ok(),
        _ => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::super::held::Budget;
    use super::*;

    fn request(id: &[u8; 4], text: &[u8]) -> Vec<u8> {
        let mut bytes = words(id, &[short(text.len() as u64)]);
        bytes.extend(text);
        bytes
    }

    fn stream(budget: usize) -> (Sync, Held) {
        let budget = Budget::new(budget);
        (Sync::new(Held::new(&budget), true), Held::new(&budget))
    }

    /// Returns the answer to `bytes`, the same for pieces of any size, and true if the stream is over.
    fn ask(phone: &mut Fake, bytes: &[u8]) -> (Vec<u8>, bool) {
        let mut answers = Vec::new();
        for piece in [1, 7, bytes.len()] {
            let (mut sync, mut out) = stream(1 << 20);
            for piece in bytes.chunks(piece) {
                sync.hear(piece).expect("room");
                sync.go_on(phone, &mut out).expect("room");
            }
            answers.push((out.take(usize::MAX), sync.is_over()));
        }
        assert_eq!(answers[0], answers[1]);
        assert_eq!(answers[0], answers[2]);
        answers.swap_remove(0)
    }

    fn pushed(path: &str, bytes: &[u8]) -> Vec<u8> {
        let mut all = request(b"SEND", format!("{path},33188").as_bytes());
        for piece in bytes.chunks(DATA_MAX) {
            all.extend(request(b"DATA", piece));
        }
        all.extend(words(b"DONE", &[1_700_000_000]));
        all
    }

    #[test]
    fn a_file_that_was_sent_is_there_and_comes_back() {
        let mut phone = Fake::default();
        let mut all = pushed("/sdcard/a,b", b"hello");
        all.extend(request(b"STAT", b"/sdcard/a,b"));
        all.extend(request(b"RECV", b"/sdcard/a,b"));
        all.extend(request(b"QUIT", b""));
        let mut expected = words(b"OKAY", &[0]);
        expected.extend(words(b"STAT", &[0o100_666, 5, 1_700_000_000]));
        expected.extend(request(b"DATA", b"hello"));
        expected.extend(words(b"DONE", &[0]));
        assert_eq!(ask(&mut phone, &all), (expected, true));
    }

    #[test]
    fn a_time_of_eight_bytes_does_no_harm() {
        let mut phone = Fake::default();
        let mut all = pushed("/f", b"x");
        all.extend([0; 4]);
        all.extend(request(b"STAT", b"/f"));
        let (answer, _) = ask(&mut phone, &all);
        assert_eq!(answer.len(), 8 + 16);
    }

    #[test]
    fn what_is_not_there_is_said_to_be_missing() {
        let mut phone = Fake::default();
        assert_eq!(ask(&mut phone, &request(b"STAT", b"/none")).0, words(b"STAT", &[0, 0, 0]));
        let (long, _) = ask(&mut phone, &request(b"LST2", b"/none"));
        assert_eq!((long.len(), long[4]), (72, 2));
        let (answer, is_over) = ask(&mut phone, &request(b"RECV", b"/none"));
        assert_eq!((&answer[..4], is_over), (&b"FAIL"[..], false));
    }

    #[test]
    fn a_folder_is_listed_in_both_forms() {
        let mut phone = Fake::default();
        phone.write("/d/f", 0o100_600, 5, vec![0; 3]).expect("a file");
        let mut expected = words(b"DENT", &[0o100_600, 3, 5, 1]);
        expected.extend(b"fDONE");
        expected.extend([0; 16]);
        assert_eq!(ask(&mut phone, &request(b"LIST", b"/d")).0, expected);
        assert_eq!(ask(&mut phone, &request(b"LIS2", b"/d")).0.len(), 72 + 4 + 1 + 4 + 72);
    }

    #[test]
    fn version_2_works_without_compression() {
        let mut phone = Fake::default();
        let mut all = request(b"SND2", b"/f,g");
        all.extend(words(b"SND2", &[0o100_644, 0]));
        all.extend(request(b"DATA", b"xy"));
        all.extend(words(b"DONE", &[1]));
        all.extend(request(b"RCV2", b"/f,g"));
        all.extend(words(b"RCV2", &[0]));
        let mut expected = words(b"OKAY", &[0]);
        expected.extend(request(b"DATA", b"xy"));
        expected.extend(words(b"DONE", &[0]));
        assert_eq!(ask(&mut phone, &all), (expected, false));

        let mut packed = request(b"RCV2", b"/f,g");
        packed.extend(words(b"RCV2", &[1]));
        assert!(ask(&mut phone, &packed).1);
    }

    #[test]
    fn what_cannot_be_understood_ends_the_stream() {
        let mut long_data = request(b"SEND", b"/f,33188");
        long_data.extend(words(b"DATA", &[70_000]));
        let mut no_data = request(b"SEND", b"/f,33188");
        no_data.extend(words(b"QUIT", &[0]));
        for bytes in [
            words(b"STAT", &[1_025]),
            words(b"\x1b[2J", &[0]),
            request(b"SEND", b"/no comma"),
            request(b"SEND", b"/f,mode"),
            long_data,
            no_data,
        ] {
            let (answer, is_over) = ask(&mut Fake::default(), &bytes);
            assert_eq!((&answer[..4], is_over), (&b"FAIL"[..], true), "{bytes:?}");
        }
    }

    #[test]
    fn an_upload_beyond_the_budget_is_refused_and_the_stream_goes_on() {
        let mut phone = Fake::default();
        let (mut sync, mut out) = stream(100_000);
        for piece in pushed("/f", &[7; 150_000]).chunks(1_000) {
            sync.hear(piece).expect("room");
            sync.go_on(&mut phone, &mut out).expect("room");
        }
        assert_eq!(&out.bytes()[8..], b"No space left on device");
        assert!(!sync.is_over() && phone.stat("/f").is_none());
        assert!(out.budget().used() < 100, "{}", out.budget().used());
    }

    #[test]
    fn requests_wait_while_nobody_fetches_the_answers() {
        let mut phone = Fake::default();
        phone.write("/f", 0o100_644, 0, vec![0; OUT_MAX]).expect("a file");
        let (mut sync, mut out) = stream(1 << 24);
        sync.hear(&[request(b"RECV", b"/f"), request(b"STAT", b"/f")].concat()).expect("room");
        assert_eq!(sync.go_on(&mut phone, &mut out), Ok(true));
        sync.hear(&request(b"STAT", b"/f").repeat(10_000)).expect("room");
        assert_eq!(sync.go_on(&mut phone, &mut out), Ok(false), "there is no room for more");
        out.clear();
        assert_eq!(sync.go_on(&mut phone, &mut out), Ok(true));
        assert_eq!(out.len(), 10_001 * 16);
    }
}
