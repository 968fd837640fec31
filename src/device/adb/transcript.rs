//! Transcripts: what was asked of a phone and what it answered, in a file that takes the phone's place later.
//!
//! A line of the file is an [`Entry`] in JSON. A [`Recorder`] writes it while a phone is used, a [`Replayed`] line answers
//! from it, as long as the same is asked in the same order. Two things differ from run to run and are left out: the mark of
//! a run, and typed texts, which may be secret.

use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::line::{Answer, Line, LineError};
use super::server::shown;
use crate::device::secret::Secrets;
use crate::spec::{ReadError, unreadable};
use crate::text::shown_path;

/// Format of the files.
const VERSION: u32 = 1;

/// Most bytes of a line: an answer of 80 MB, most of whose letters are escaped.
const LINE_BYTES_MAX: u64 = 512 << 20;

/// The mark of a run as a transcript has it.
const MARK: &str = "farlead-MARK";

/// Start of the marks of runs, and the number of hexadecimal digits after it.
const MARK_START: &str = "farlead-";
const MARK_DIGITS: usize = 16;

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

/// The first line of a transcript.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    transcript: u32,
    serial: String,
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
        let head = Head { transcript: VERSION, serial: line.serial().to_string() };
        writeln!(file, "{}", json(&head)).map_err(failed)?;
        let secrets = recording.secrets.as_ref().map(|secrets| secrets.in_other_forms());
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
    /// Number of lines read.
    lines: usize,
}

impl Replayed {
    /// Opens the transcript at `path`.
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
        let mut replayed = Replayed { path: path.to_path_buf(), serial: String::new(), file, lines: 0 };
        let head: Head = replayed.line()?.ok_or_else(|| replayed.mistake("it is empty".to_string()))?;
        if head.transcript != VERSION {
            return Err(replayed.mistake(format!("its version is {}", head.transcript)));
        }
        replayed.serial = head.serial;
        Ok(replayed)
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

    /// Returns the entry that answers `asked`, which must be the next one.
    fn next(&mut self, asked: &Asked) -> Result<Entry, LineError> {
        let entry: Option<Entry> =
            self.line().map_err(|error| LineError::Transcript { why: error.to_string() })?;
        let (path, line) = (shown_path(&self.path), self.lines);
        let why = match entry {
            Some(entry) if entry.asked == *asked => return Ok(entry),
            Some(entry) => {
                let (now, then) = difference(&words(asked), &words(&entry.asked));
                format!(
                    "{path}:{line}: the transcript is of another run: `{now}` is asked in place of `{then}`"
                )
            }
            None => {
                format!("{path}: the transcript ends before the run, which asks `{}`", shown(&words(asked)))
            }
        };
        Err(LineError::Transcript { why })
    }
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
    fn marks_are_replaced_and_what_looks_like_them_is_not() {
        let text = "/tmp/farlead-0123456789abcdef/0 farlead-status:0 farlead-0123456789abcdef dump farlead-é";
        let replaced = with_mark(text, MARK);
        assert_eq!(replaced, "/tmp/farlead-MARK/0 farlead-status:0 farlead-MARK dump farlead-é");
        assert_eq!(mark(text), Some("farlead-0123456789abcdef"));
        assert_eq!(mark(&replaced), None);
    }
}
