//! Transcripts: what was asked of a phone and what it answered, in a file that takes the phone's place later.
//!
//! A line of the file is an [`Entry`] in JSON. A [`Recorder`] writes it while a phone is used. A [`Replayed`] line answers
//! from it: strictly, as long as the same is asked in the same order, or with the answer of the nearest question. Two things
//! differ from run to run and are left out: the mark of a run, and typed texts, which may be secret.

use std::collections::BTreeMap;
use std::fs::File;
use std::hash::Hasher as _;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHasher;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::line::{Answer, Line, LineError};
use super::server::shown;
use crate::device::secret::Secrets;
use crate::sorted;
use crate::spec::{ReadError, unreadable};
use crate::text::shown_path;

/// Format of the files.
const VERSION: u32 = 1;

/// Most bytes of a line: an answer of 80 MB, most of whose letters are escaped.
const LINE_BYTES_MAX: u64 = 512 << 20;

/// Most requests of a transcript that is searched for the nearest one; a strict replay has no such limit.
const REQUESTS_MAX: usize = 1_000_000;

/// Most numbers of a request that count for its distance from another one.
const NUMBERS_MAX: usize = 1_000;

/// The mark of a run as a transcript has it.
const MARK: &str = "farlead-MARK";

/// Start of the marks of runs, and the number of hexadecimal digits after it.
const MARK_START: &str = "farlead-";
const MARK_DIGITS: usize = 16;

/// Start of the moment from which on a log is asked for; a quote ends it.
const SINCE: &str = "-T '";

/// The command that types; the rest of its line is the text.
const TYPES: &str = "input text ";

/// A file to record to, and the secrets that it does not get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The file, which is not there yet.
    pub path: PathBuf,
    /// The secrets, if there are any.
    pub secrets: Option<Arc<Secrets>>,
}

/// The way to answer from a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Requests must be those of the transcript, in its order.
    Strict,
    /// A request gets the answer of the nearest one in the transcript.
    Nearest,
}

/// The first line of a transcript.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    transcript: u32,
    serial: String,
    /// Facts for a bug report, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    about: BTreeMap<String, String>,
}

/// A request to a phone, and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// Milliseconds since the start of the transcript.
    at_ms: u64,
    /// Milliseconds until the answer.
    took_ms: u64,
    #[serde(flatten)]
    asked: Asked,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    stdout: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    stderr: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    code: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Asked {
    /// A command of the shell.
    Shell(String),
    /// A file, by its path on the phone; its content is not kept.
    Push(String),
    /// A wait until the phone is back.
    Recover(String),
}

/// The error in place of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Failure {
    Unreached,
    Lost,
    Silent,
    Long,
    Command,
    File,
}

fn is_zero(code: &u8) -> bool {
    *code == 0
}

/// Reason why a transcript cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// The file cannot be written.
    #[error("cannot write the transcript {}: {why}", shown_path(path))]
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A line is none of a transcript.
    #[error("{}:{line}: no line of a transcript of version {VERSION}: {why}", shown_path(path))]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The reason.
        why: String,
    },
}

/// A line that records all that goes over another.
pub struct Recorder<L> {
    line: L,
    path: PathBuf,
    file: File,
    secrets: Option<Secrets>,
    begun: Instant,
}

impl<L: Line> Recorder<L> {
    /// Returns `line`, recorded from now on.
    pub fn new(line: L, recording: &Recording) -> Result<Recorder<L>, TranscriptError> {
        Recorder::about(line, recording, BTreeMap::new())
    }

    /// Returns `line`, recorded from now on below facts for a bug report.
    pub fn about(
        line: L,
        recording: &Recording,
        about: BTreeMap<String, String>,
    ) -> Result<Recorder<L>, TranscriptError> {
        let path = recording.path.clone();
        let failed = |error: std::io::Error| {
            let why = match error.kind() {
                ErrorKind::AlreadyExists => "it is there already; give another file".to_string(),
                _ => error.to_string(),
            };
            TranscriptError::Write { path: path.clone(), why }
        };
        // An older transcript may be all that is left of a phone's behaviour.
        let mut file = File::create_new(&path).map_err(failed)?;
        let secrets = recording.secrets.as_ref().map(|secrets| secrets.in_other_forms());
        let hidden =
            |text: String| secrets.as_ref().map_or(text.clone(), |known| known.hidden(&text).into_owned());
        let about = sorted::map(about.into_iter().map(|(name, text)| (name, hidden(text))));
        let head = Head { transcript: VERSION, serial: line.serial().to_string(), about };
        writeln!(file, "{}", json(&head)).map_err(failed)?;
        Ok(Recorder { line, path, file, secrets, begun: Instant::now() })
    }

    /// Writes an entry, asked at `begun`.
    fn note<T>(
        &mut self,
        begun: Instant,
        asked: Asked,
        answer: &Result<T, LineError>,
        said: Option<&Answer>,
    ) -> Result<(), LineError> {
        let error = answer.as_ref().err();
        let partial = error.map_or(&b""[..], LineError::partial);
        let stdout = said.map_or(partial, |said| &said.stdout);
        let asked = match asked {
            Asked::Shell(command) => Asked::Shell(self.sealed(&without_texts(&command))),
            Asked::Push(path) => Asked::Push(self.sealed(&path)),
            Asked::Recover(text) => Asked::Recover(text),
        };
        let entry = Entry {
            at_ms: begun.duration_since(self.begun).as_millis() as u64,
            took_ms: begun.elapsed().as_millis() as u64,
            asked,
            stdout: self.sealed(&String::from_utf8_lossy(stdout)),
            stderr: self
                .sealed(&said.map_or_else(Default::default, |said| String::from_utf8_lossy(&said.stderr))),
            code: said.map_or(0, |said| said.code),
            error: error.map(failure),
        };
        writeln!(self.file, "{}", json(&entry)).map_err(|error| LineError::Transcript {
            why: format!("cannot write the transcript {}: {error}", shown_path(&self.path)),
        })
    }

    /// Returns `text` without secrets and the mark of this run.
    fn sealed(&self, text: &str) -> String {
        let hidden = self.secrets.as_ref().map_or_else(|| text.into(), |secrets| secrets.hidden(text));
        with_mark(&hidden, MARK)
    }
}

impl<L: Line> Line for Recorder<L> {
    fn serial(&self) -> &str {
        self.line.serial()
    }

    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError> {
        let begun = Instant::now();
        let answer = self.line.shell(command, within);
        self.note(begun, Asked::Shell(command.to_string()), &answer, answer.as_ref().ok())?;
        answer
    }

    fn push(&mut self, bytes: Arc<[u8]>, to: &str, within: Duration) -> Result<(), LineError> {
        let begun = Instant::now();
        let done = self.line.push(bytes, to, within);
        self.note(begun, Asked::Push(to.to_string()), &done, None)?;
        done
    }

    fn recover(&mut self, within: Duration) -> Result<(), LineError> {
        let begun = Instant::now();
        let done = self.line.recover(within);
        self.note(begun, Asked::Recover(String::new()), &done, None)?;
        done
    }
}

/// A line that answers from a transcript.
pub struct Replayed {
    path: PathBuf,
    serial: String,
    // Read as it is asked for, because the transcript of a long search may be larger than the memory.
    file: BufReader<File>,
    /// Number of lines read, or of the line read last.
    lines: usize,
    /// All requests, if the nearest one answers.
    index: Option<Index>,
}

/// The requests of a transcript, and the place reached.
#[derive(Default)]
struct Index {
    requests: Vec<Request>,
    /// Number of the request that is expected next.
    next: usize,
}

/// A request, as far as it is compared.
struct Request {
    /// Place of its line in the file.
    offset: u64,
    /// Hash of its words, without what differs from run to run.
    words: u64,
    /// Hash of its words without all numbers.
    form: u64,
    /// Its numbers, in their order.
    numbers: Vec<u64>,
}

impl Request {
    fn new(asked: &Asked, offset: u64) -> Request {
        let words = lasting(&words(asked));
        let (form, numbers) = without_numbers(&words);
        Request { offset, words: hash(&words), form: hash(&form), numbers }
    }

    /// Returns the sum of the differences of its numbers from those of a request of the same form.
    fn distance(&self, other: &Request) -> u128 {
        let pairs = self.numbers.iter().zip(&other.numbers);
        pairs.map(|(one, other)| u128::from(one.abs_diff(*other))).sum()
    }
}

impl Index {
    /// Returns the place of the request that is nearest to `asked`: the same words, else the same words with other numbers.
    fn nearest(&self, asked: &Request) -> Option<usize> {
        let after = self.next..self.requests.len();
        // What comes next first, then what came last: the phone's state there is the likeliest.
        let places = || after.clone().chain((0..self.next).rev());
        let same = places().find(|&at| self.requests[at].words == asked.words);
        // Of several at the same distance, the first place counts.
        let kin = || {
            let kin = places().filter(|&at| self.requests[at].form == asked.form);
            kin.min_by_key(|&at| self.requests[at].distance(asked))
        };
        same.or_else(kin)
    }
}

impl Replayed {
    /// Opens the transcript at `path`, to answer what was asked in the same order.
    pub fn read(path: &Path) -> Result<Replayed, TranscriptError> {
        let unreadable = |error: std::io::Error| unreadable(path, error);
        // Reading a pipe could block for ever.
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(TranscriptError::Line {
                path: path.to_path_buf(),
                line: 1,
                why: "it is no file".to_string(),
            });
        }
        let file = BufReader::new(File::open(path).map_err(unreadable)?);
        let mut replayed =
            Replayed { path: path.to_path_buf(), serial: String::new(), file, lines: 0, index: None };
        let head: Head = replayed.line()?.ok_or_else(|| replayed.mistake("it is empty".to_string()))?;
        if head.transcript != VERSION {
            return Err(replayed.mistake(format!("its version is {}", head.transcript)));
        }
        replayed.serial = head.serial;
        Ok(replayed)
    }

    /// Opens the transcript at `path`, to answer in this order.
    pub fn in_order(path: &Path, order: Order) -> Result<Replayed, TranscriptError> {
        let mut replayed = Replayed::read(path)?;
        if order == Order::Nearest {
            replayed.index = Some(replayed.requests()?);
        }
        Ok(replayed)
    }

    /// Reads all requests, without their answers.
    fn requests(&mut self) -> Result<Index, TranscriptError> {
        let mut index = Index::default();
        loop {
            let offset = self.offset()?;
            let Some(entry) = self.line::<Entry>()? else { return Ok(index) };
            if index.requests.len() == REQUESTS_MAX {
                let why =
                    format!("it has more than {REQUESTS_MAX} requests; `replay:FILE` answers in their order");
                return Err(self.mistake(why));
            }
            index.requests.push(Request::new(&entry.asked, offset));
        }
    }

    fn offset(&mut self) -> Result<u64, TranscriptError> {
        Ok(self.file.stream_position().map_err(|error| unreadable(&self.path, error))?)
    }

    /// Reads the next line; `None` at the end.
    fn line<T: DeserializeOwned>(&mut self) -> Result<Option<T>, TranscriptError> {
        let mut line = Vec::new();
        self.lines += 1;
        let read = self.file.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
        match read.map_err(|error| unreadable(&self.path, error))? {
            0 => Ok(None),
            _ => serde_json::from_slice(&line).map(Some).map_err(|error| self.mistake(error.to_string())),
        }
    }

    /// Returns the mistake in the line read last.
    fn mistake(&self, why: String) -> TranscriptError {
        TranscriptError::Line { path: self.path.clone(), line: self.lines.max(1), why }
    }

    /// Returns the entry that answers `asked`.
    fn next(&mut self, asked: &Asked) -> Result<Entry, LineError> {
        let failed = |error: TranscriptError| LineError::Transcript { why: error.to_string() };
        let Some(index) = &mut self.index else {
            let entry = self.line().map_err(failed)?;
            return self.expected(asked, entry);
        };
        let request = Request::new(asked, 0);
        if let Some(at) = index.nearest(&request) {
            index.next = at + 1;
            let offset = index.requests[at].offset;
            return self.entry(at, offset).map_err(failed);
        }
        let path = shown_path(&self.path);
        let (next, last) = (index.next, index.requests.len().checked_sub(1));
        let why = match last.map(|last| last.min(next)) {
            None => format!("{path}: the transcript has no requests"),
            Some(at) => {
                let offset = index.requests[at].offset;
                let expected = self.entry(at, offset).map_err(failed)?;
                let (now, then) = difference(&lasting(&words(asked)), &lasting(&words(&expected.asked)));
                format!("{path}: nothing like `{now}` was ever asked; line {} asks `{then}`", self.lines)
            }
        };
        Err(LineError::Transcript { why })
    }

    /// Reads the entry of a request by its number and the place of its line.
    fn entry(&mut self, number: usize, offset: u64) -> Result<Entry, TranscriptError> {
        // The head is the first line.
        self.lines = number + 1;
        let sought = self.file.seek(SeekFrom::Start(offset));
        sought.map_err(|error| unreadable(&self.path, error))?;
        let entry: Option<Entry> = self.line()?;
        entry.ok_or_else(|| self.mistake("it was changed meanwhile".to_string()))
    }

    /// Returns the next entry of a strict replay, which must be that of `asked`.
    fn expected(&self, asked: &Asked, entry: Option<Entry>) -> Result<Entry, LineError> {
        let (path, line) = (shown_path(&self.path), self.lines);
        let why = match entry {
            Some(entry) if entry.asked == *asked => return Ok(entry),
            Some(entry) => {
                let (now, then) = difference(&words(asked), &words(&entry.asked));
                format!(
                    "{path}:{line}: the transcript is of another run: `{now}` is asked in place of `{then}`; \
                     `replay-nearest:FILE` answers with what is nearest"
                )
            }
            None => {
                format!("{path}: the transcript ends before the run, which asks `{}`", shown(&words(asked)))
            }
        };
        Err(LineError::Transcript { why })
    }
}

/// Returns the words of a request without what differs between two runs of the same steps: the numbers of tasks, and the
/// moment from which on a log is asked for.
fn lasting(words: &str) -> String {
    let is_task = |letter: char| letter.is_ascii_digit() || letter == '/';
    let mut out = String::with_capacity(words.len());
    let mut rest = words;
    while let Some(at) = [MARK, SINCE].iter().filter_map(|start| Some((rest.find(start)?, start.len()))).min()
    {
        let (before, after) = rest.split_at(at.0 + at.1);
        out.push_str(before);
        rest = match before.ends_with(MARK) {
            true => after.trim_start_matches(is_task),
            false => &after[after.find('\'').unwrap_or(after.len())..],
        };
    }
    out + rest
}

/// Returns `words` with a sign in the place of each number, and the numbers.
fn without_numbers(words: &str) -> (String, Vec<u64>) {
    let (mut form, mut numbers) = (String::with_capacity(words.len()), Vec::new());
    let mut number: Option<u64> = None;
    // A letter at the end closes the last number.
    for letter in words.chars().chain(['\0']) {
        match (letter.to_digit(10), number) {
            (Some(digit), before) => {
                let value = before.unwrap_or(0).saturating_mul(10).saturating_add(digit.into());
                number = Some(value);
                continue;
            }
            (None, Some(value)) => {
                form.push('#');
                if numbers.len() < NUMBERS_MAX {
                    numbers.push(value);
                }
                number = None;
            }
            (None, None) => {}
        }
        form.push(letter);
    }
    (form, numbers)
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

impl Line for Replayed {
    fn serial(&self) -> &str {
        &self.serial
    }

    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError> {
        let entry = self.next(&Asked::Shell(with_mark(&without_texts(command), MARK)))?;
        let mark = mark(command).unwrap_or(MARK);
        let bytes = |text: &str| text.replace(MARK, mark).into_bytes();
        match entry.error {
            None => {
                Ok(Answer { stdout: bytes(&entry.stdout), stderr: bytes(&entry.stderr), code: entry.code })
            }
            Some(failure) => Err(error(failure, bytes(&entry.stdout), within)),
        }
    }

    fn push(&mut self, _: Arc<[u8]>, to: &str, within: Duration) -> Result<(), LineError> {
        let entry = self.next(&Asked::Push(with_mark(to, MARK)))?;
        entry.error.map_or(Ok(()), |failure| Err(error(failure, Vec::new(), within)))
    }

    fn recover(&mut self, within: Duration) -> Result<(), LineError> {
        let entry = self.next(&Asked::Recover(String::new()))?;
        entry.error.map_or(Ok(()), |failure| Err(error(failure, Vec::new(), within)))
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers are JSON")
}

fn words(asked: &Asked) -> String {
    match asked {
        Asked::Shell(command) => command.clone(),
        Asked::Push(path) => format!("push {path}"),
        Asked::Recover(_) => "wait until it is back".to_string(),
    }
}

/// Returns the first lines in which two requests differ, for people.
fn difference(now: &str, then: &str) -> (String, String) {
    let mut lines = now.lines().zip(then.lines());
    match lines.find(|(one, other)| one != other) {
        Some((one, other)) => (shown(one), shown(other)),
        // One goes on where the other ends.
        None => (shown(now.lines().last().unwrap_or("")), shown(then.lines().last().unwrap_or(""))),
    }
}

fn failure(error: &LineError) -> Failure {
    match error {
        LineError::Unreached { .. } => Failure::Unreached,
        LineError::Lost { .. } => Failure::Lost,
        LineError::Silent { .. } => Failure::Silent,
        LineError::Long { .. } => Failure::Long,
        LineError::Command { .. } => Failure::Command,
        LineError::File { .. } | LineError::Transcript { .. } => Failure::File,
    }
}

fn error(failure: Failure, stdout: Vec<u8>, within: Duration) -> LineError {
    let why = "so the transcript says".to_string();
    match failure {
        Failure::Unreached => LineError::Unreached { why },
        Failure::Lost => LineError::Lost { stdout, why: Some(why) },
        Failure::Silent => LineError::Silent { stdout, waited_ms: within.as_millis() as u64 },
        Failure::Long => LineError::Long { bytes_max: stdout.len() },
        Failure::Command => LineError::Command { bytes: 0, bytes_max: 0 },
        Failure::File => LineError::File { why },
    }
}

/// Returns a command without the texts that it types: some are passwords, and none is needed to answer.
fn without_texts(command: &str) -> String {
    let cut = |line: &str| match line.find(TYPES) {
        Some(at) => format!("{}…", &line[..at + TYPES.len()]),
        None => line.to_string(),
    };
    command.lines().map(cut).collect::<Vec<_>>().join("\n")
}

/// Returns the first mark of a run in `text`.
fn mark(text: &str) -> Option<&str> {
    let mut starts = text.match_indices(MARK_START).map(|(at, _)| &text[at..]);
    starts.find_map(mark_at_start)
}

/// Returns the mark that `text` starts with.
fn mark_at_start(text: &str) -> Option<&str> {
    let mark = text.get(..MARK_START.len() + MARK_DIGITS)?;
    mark[MARK_START.len()..].bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(mark)
}

/// Returns `text` with `put` in the place of each mark of a run.
fn with_mark(text: &str, put: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(MARK_START) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, word) =
            mark_at_start(rest).map_or((MARK_START.len(), MARK_START), |mark| (mark.len(), put));
        out.push_str(word);
        rest = &rest[length..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_texts_are_cut_to_the_end_of_their_line() {
        let command = "{ input tap 1 2\ninput text 'hunter2 '\\''x'\ninput keyevent 66\n} 2>&1";
        assert_eq!(without_texts(command), "{ input tap 1 2\ninput text …\ninput keyevent 66\n} 2>&1");
    }

    #[test]
    fn what_differs_between_runs_of_the_same_steps_is_no_part_of_a_request() {
        let one = "mkdir /tmp/farlead-MARK/0/17 && input tap 5 60\nlogcat -T '11-23 10:00:01.000' x; rm farlead-MARK/0/17/done";
        let other = "mkdir /tmp/farlead-MARK/1/501 && input tap 5 60\nlogcat -T '01-02 00:00:00.000' x; rm farlead-MARK/1/501/done";
        assert_eq!(lasting(one), lasting(other));
        assert_eq!(
            lasting(one),
            "mkdir /tmp/farlead-MARK && input tap 5 60\nlogcat -T '' x; rm farlead-MARKdone"
        );
        assert_eq!(lasting("-T 'no end"), "-T '");
        let (form, numbers) = without_numbers("tap 5 -60 é99999999999999999999999");
        assert_eq!((form.as_str(), &numbers[..]), ("tap # -# é#\0", &[5, 60, u64::MAX][..]));
    }

    #[test]
    fn the_nearest_request_has_the_same_words_or_the_nearest_numbers() {
        let request = |text: &str| Request::new(&Asked::Shell(text.to_string()), 0);
        let texts = ["look", "tap 1 1", "look", "tap 9 9", "look", "tap 5 5", "wait 1"];
        let index = |next| Index { requests: texts.map(request).into(), next };
        for (next, asked, expected) in [
            (1, "look", Some(2)),
            (3, "look", Some(4)),
            // Nothing follows, so the last one before counts.
            (7, "look", Some(4)),
            (0, "tap 9 9", Some(3)),
            (4, "tap 1 1", Some(1)),
            (0, "tap 6 6", Some(5)),
            (0, "tap 2 0", Some(1)),
            (0, "wait 70", Some(6)),
            // A tie goes to what follows.
            (4, "tap 7 7", Some(5)),
            (0, "swipe 1 1", None),
        ] {
            assert_eq!(index(next).nearest(&request(asked)), expected, "{next}, {asked}");
        }
    }

    #[test]
    fn marks_are_replaced_and_what_looks_like_them_is_not() {
        let text = "/tmp/farlead-0123456789abcdef/0 farlead-status:0 farlead-0123456789abcdef dump farlead-é";
        let replaced = with_mark(text, MARK);
        assert_eq!(replaced, "/tmp/farlead-MARK/0 farlead-status:0 farlead-MARK dump farlead-é");
        assert_eq!(mark(text), Some("farlead-0123456789abcdef"));
        assert_eq!(mark(&replaced), None);
    }
}
