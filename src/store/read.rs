//! Reads the events of a run, during the run or long after.
//!
//! A killed process leaves whole lines and perhaps a torn last one, which counts as not written. An error
//! anywhere else is reported with its line.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::order::{LINE_MAX, Order, OrderError};
use super::runs::EVENTS_FILE;
use crate::event::{Event, FORMAT};
use crate::text::shown_path;

/// Most characters of a message, as it repeats text from the file.
const MESSAGE_CHARS_MAX: usize = 300;

/// The reason the events of a run cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file does not exist, or cannot be read.
    #[error("cannot read {}: {why}", shown_path(path))]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        why: io::Error,
    },
    /// The file has no whole line.
    #[error(
        "{}: there is no event in it; was the run ended before it began, or is this another file?",
        shown_path(path)
    )]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A line is no event, or not one that can come there.
    #[error("{}:{line}: {fault}", shown_path(path))]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault of the line.
        fault: OrderError,
    },
}

/// An iterator over events. The first is [`Event::RunBegan`]; after an error it ends.
#[derive(Debug)]
pub struct Events<R> {
    input: R,
    path: PathBuf,
    /// The last line read, from 1.
    line: usize,
    order: Order,
    first: Option<Event>,
    is_over: bool,
}

/// Returns the events of the run at `path`, either its folder or its file of events.
pub fn read(path: &Path) -> Result<Events<BufReader<File>>, ReadError> {
    let path = if path.is_dir() { path.join(EVENTS_FILE) } else { path.to_path_buf() };
    match open(&path) {
        Ok(file) => read_from(BufReader::new(file), &path),
        Err(why) => Err(ReadError::File { path, why }),
    }
}

fn open(path: &Path) -> io::Result<File> {
    // Opening a pipe would wait for a writer.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "this is neither the folder of a run nor a file",
        ));
    }
    File::open(path)
}

/// Returns the events in `input`; messages call it `path`.
///
/// ```
/// use std::path::Path;
///
/// let error = farlead::store::read_from(&b"[]\n"[..], Path::new("events.jsonl")).expect_err("no event");
/// assert!(error.to_string().starts_with("events.jsonl:1: "));
/// ```
pub fn read_from<R: BufRead>(input: R, path: &Path) -> Result<Events<R>, ReadError> {
    let mut events = Events {
        input,
        path: path.to_path_buf(),
        line: 0,
        order: Order::default(),
        first: None,
        is_over: false,
    };
    // Read at once, so that a file that holds no run is refused before anyone uses it.
    events.first = events.read_next()?;
    if events.first.is_none() {
        return Err(ReadError::Empty { path: events.path });
    }
    Ok(events)
}

impl<R: BufRead> Iterator for Events<R> {
    type Item = Result<Event, ReadError>;

    fn next(&mut self) -> Option<Result<Event, ReadError>> {
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        if self.is_over {
            return None;
        }
        let next = self.read_next().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

impl<R: BufRead> Events<R> {
    /// Returns the event of the next line, or `None` if there is no further line or only a torn one.
    fn read_next(&mut self) -> Result<Option<Event>, ReadError> {
        let mut text = Vec::new();
        let mut line = self.input.by_ref().take(LINE_MAX as u64 + 1);
        // Bounded, as a line without an end would fill the memory; one byte more than allowed shows that it is
        // too long.
        line.read_until(b'\n', &mut text).map_err(|why| ReadError::File { path: self.path.clone(), why })?;
        if text.is_empty() {
            return Ok(None);
        }
        self.line += 1;
        let event = match self.event(&text) {
            // A complete line ends in a line break, and a part of an event is never valid JSON.
            Err(OrderError::Unknown { .. }) if !text.ends_with(b"\n") => return Ok(None),
            event => event,
        };
        event.map(Some).map_err(|fault| ReadError::Line { path: self.path.clone(), line: self.line, fault })
    }

    fn event(&mut self, line: &[u8]) -> Result<Event, OrderError> {
        self.order.fits(line.len())?;
        if self.line == 1 {
            is_read_here(line)?;
        }
        let event = parse(line)?;
        self.order.admit(&event, line.len())?;
        Ok(event)
    }
}

/// The version on the first line. It is read before the rest, which may be unknown in later versions.
#[derive(Deserialize)]
struct Version {
    event: String,
    format: u32,
}

fn is_read_here(line: &[u8]) -> Result<(), OrderError> {
    match serde_json::from_slice(line) {
        Ok(Version { event, format: found }) if event == "run_began" && found > FORMAT => {
            Err(OrderError::Later { found })
        }
        // Other mistakes are reported when the whole line is parsed.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn parse(line: &[u8]) -> Result<Event, OrderError> {
    serde_json::from_slice(line).map_err(|error| {
        // The parser sees one line, so its line number is always 1; the reader reports the real one.
        let text = error.to_string().replace(" at line 1 column", " at column");
        let is_long = text.chars().nth(MESSAGE_CHARS_MAX).is_some();
        let mut message: String = text.chars().take(MESSAGE_CHARS_MAX).collect();
        if is_long {
            message.push('…');
        }
        OrderError::Unknown { message }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::event::{Outcome, ReplayVerdict};
    use crate::store::{WIDGETS_MAX, order};

    const BEGAN: &str = r#"{"event":"run_began","format":2,"farlead":"0.1.0","command":"check","device":"sim","package":"p","version":"1","seed":1}"#;
    const SCREEN: &str =
        r#"{"event":"screen_met","screen":0,"seen":{"package":"p","activity":"a","widgets":[]}}"#;
    const SPEC: &str = r#"{"event":"spec_began","spec":0,"file":"a.ltl","line":1,"name":"a","expectation":"possible","formula":"F x","agent":"","steps_max":1,"episodes_max":0,"automaton":null}"#;
    const EPISODE: &str = r#"{"event":"episode_ended","spec":0,"episode":1,"steps":2,"closest":null}"#;
    const DECIDED: &str = r#"{"event":"spec_ended","spec":0,"outcome":"passed","why":"","exit":0,"advice":[],"episodes":1,"steps":2,"device_ms":0,"run":[],"found_steps":null,"confirmed":null,"test":null,"replay":null,"reach":null,"map":[]}"#;
    const ENDED: &str = r#"{"event":"run_ended","exit":0}"#;
    const ALL: [&str; 6] = [BEGAN, SCREEN, SPEC, EPISODE, DECIDED, ENDED];

    fn file(lines: &[&str]) -> String {
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn events(bytes: &[u8]) -> Result<Vec<Event>, ReadError> {
        read_from(bytes, Path::new("e"))?.collect()
    }

    /// Checks that the line after `lines` is refused.
    #[track_caller]
    fn refused(lines: &[&str], line: &str, part: &str) {
        let error = events(file(&[lines, &[line]].concat()).as_bytes()).expect_err("this is to be refused");
        let message = error.to_string();
        let start = format!("e:{}: ", lines.len() + 1);
        assert!(message.starts_with(&start) && message.contains(part), "{message}");
    }

    #[test]
    fn what_was_written_is_read() {
        let read = events(file(&ALL).as_bytes()).expect("events");
        let written: Vec<String> =
            read.iter().map(|event| serde_json::to_string(event).expect("JSON")).collect();
        assert_eq!(written, ALL);
    }

    #[test]
    fn a_torn_last_line_counts_as_not_written() {
        let whole = file(&ALL);
        let starts: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at).collect();
        for end in 0..=whole.len() {
            let count = starts.iter().filter(|&&at| at <= end).count();
            match events(&whole.as_bytes()[..end]) {
                Ok(read) => assert_eq!(read.len(), count),
                Err(ReadError::Empty { .. }) => assert_eq!(count, 0),
                Err(error) => panic!("{error}"),
            }
        }
        let zeros = [file(&ALL[..3]).as_bytes(), &[0; 50]].concat();
        assert_eq!(events(&zeros).expect("events").len(), 3);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        refused(&[], "[]", "was this file written by farlead");
        refused(&[], "", "EOF");
        refused(&[], ENDED, "the first event is not `run_began`");
        refused(&[BEGAN], BEGAN, "the run begins a second time");
        refused(&[BEGAN, ENDED], SCREEN, "the run is over");
        refused(&[BEGAN], "", "EOF");
        refused(&[BEGAN], r#"{"event":"lunch"}"#, "unknown variant `lunch`");
        refused(&[BEGAN], &ENDED.replace("exit", "exot"), "exot");
        refused(&[BEGAN, SCREEN], SCREEN, "this is screen 0, and screen 1 is next");
        refused(&[BEGAN, SPEC], SPEC, "this is spec 0, and spec 1 is next");
        refused(&[BEGAN], EPISODE, "spec 0 has not begun");
        refused(&[BEGAN], DECIDED, "spec 0 has not begun");
        refused(&[BEGAN, SPEC, DECIDED], DECIDED, "spec 0 is decided a second time");
        let map = DECIDED.replace("\"map\":[]", r#""map":[{"from":0,"to":1,"by":"back"}]"#);
        refused(&[BEGAN, SCREEN, SPEC], &map, "there is no screen 1");
        let automaton = r#"{"residuals":[],"ways":[{"from":0,"to":0,"by":"x"}]}"#;
        refused(&[BEGAN], &SPEC.replace("null", automaton), "residual 0 to 0, and there are 0");
        refused(&[BEGAN], &"[".repeat(100_000), "was this file");
        refused(&[BEGAN], &SCREEN.replace("\"seen\":", &format!("\"seen\":{}", "[".repeat(10_000))), "limit");
    }

    #[test]
    fn a_later_version_is_refused_whatever_else_it_has() {
        let later = r#"{"event":"run_began","format":7,"new":[{}]}"#;
        refused(&[], later, "this is version 7");
        refused(&[], later, "reads version 4");
        refused(&[], &BEGAN.replace("\"seed\":1", "\"seeds\":[1]"), "unknown field `seeds`");
    }

    #[test]
    fn the_words_of_version_1_are_read_for_good() {
        let began = BEGAN.replace("\"format\":2", "\"format\":1");
        for (old, outcome) in [
            ("met", Outcome::Passed),
            ("broken", Outcome::Failed),
            ("impossible", Outcome::Failed),
            ("gave_up", Outcome::NotFound),
            ("untested", Outcome::Untested),
        ] {
            let decided = DECIDED.replace("passed", old);
            let read = events(file(&[&began, SPEC, &decided]).as_bytes()).expect("events");
            let Event::SpecEnded(ended) = &read[2] else { panic!("{read:?}") };
            assert_eq!(ended.outcome, outcome);
        }
        for (old, verdict) in [
            ("held", ReplayVerdict::Reproduced),
            ("broke", ReplayVerdict::NotReproduced),
            ("diverged", ReplayVerdict::Diverged),
        ] {
            let replay = format!(
                r#""replay":{{"rate":{{"passes":0,"runs":1}},"verdict":"{old}","step":null,"expected":null,"actual":null,"nearest":null}}"#
            );
            let decided = DECIDED.replace("\"replay\":null", &replay);
            let read = events(file(&[&began, SPEC, &decided]).as_bytes()).expect("events");
            let Event::SpecEnded(ended) = &read[2] else { panic!("{read:?}") };
            assert_eq!(ended.replay.as_ref().map(|replay| replay.verdict), Some(verdict));
        }
    }

    #[test]
    fn nothing_is_read_without_end() {
        refused(&[BEGAN], &"x".repeat(LINE_MAX + 1), "more than 16 MB");
        let error =
            events(file(&[BEGAN, &format!("{{\"event\":\"{}\"}}", "a".repeat(1_000_000))]).as_bytes());
        assert!(error.expect_err("no event").to_string().chars().count() < 500);
        let endless = io::Cursor::new(file(&[BEGAN])).chain(BufReader::new(io::repeat(b' ')));
        let last = read_from(endless, Path::new("e")).expect("a first line").last();
        assert!(last.expect("an end").expect_err("no event").to_string().contains("more than 16 MB"));
        let mut order = order::Order::default();
        order.admit(&serde_json::from_str(BEGAN).expect("an event"), 100).expect("a first event");
        let widgets = format!("[{}{{}}]", "{},".repeat(99_999));
        for screen in 0..=WIDGETS_MAX / 100_000 {
            let line = SCREEN.replace("[]", &widgets).replace(":0,", &format!(":{screen},"));
            let admitted = order.admit(&serde_json::from_str(&line).expect("an event"), line.len());
            assert_eq!(admitted.is_ok(), screen < WIDGETS_MAX / 100_000);
        }
    }

    #[test]
    fn after_an_error_there_is_nothing() {
        let text = file(&[BEGAN, "[]", ENDED]);
        let mut events = read_from(text.as_bytes(), Path::new("e")).expect("a first line");
        assert!(matches!(events.next(), Some(Ok(Event::RunBegan(_)))));
        assert!(matches!(events.next(), Some(Err(ReadError::Line { line: 2, .. }))));
        assert!(events.next().is_none());
    }

    proptest! {
        #[test]
        fn bytes_that_are_changed_anywhere_are_read_or_refused(
            at in 0..file(&ALL).len(),
            byte in any::<u8>(),
            cut in 0..8_usize,
        ) {
            let mut bytes = file(&ALL).into_bytes();
            bytes[at] = byte;
            let end = (at + cut).min(bytes.len());
            bytes.drain(at + 1..end.max(at + 1));
            if let Err(error) = events(&bytes) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}
