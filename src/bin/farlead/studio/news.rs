//! News of the command that runs, read as its file grows; see [`crate::news`].

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use serde_json::Value;

/// Most bytes that are read at a time: others have to be answered, too.
const PART_MAX: u64 = 4_000_000;
/// Longest line.
const LINE_MAX: usize = 16_000_000;
/// Most pictures of screens that are kept.
const SCREENS_MAX: usize = 1_000;
/// Most news that a page which joins later is told.
const SAID_MAX: usize = 1_000;

/// News of one command.
#[derive(Default)]
pub struct ReadNews {
    path: PathBuf,
    /// Bytes that were read.
    read: u64,
    /// Begin of a line whose end is not there yet.
    begun: Vec<u8>,
    screens: BTreeMap<usize, String>,
    map: Option<String>,
    said: VecDeque<Value>,
}

impl ReadNews {
    /// Returns the news that a command will write to `path`.
    pub fn new(path: PathBuf) -> ReadNews {
        ReadNews { path, ..ReadNews::default() }
    }

    /// Returns the news that have come since the last call; pictures are kept here.
    pub fn read(&mut self) -> Vec<Value> {
        let Some(part) = self.part() else { return Vec::new() };
        self.read += part.len() as u64;
        self.begun.extend(part);
        let Some(end) = self.begun.iter().rposition(|&byte| byte == b'\n') else {
            if self.begun.len() > LINE_MAX {
                self.begun.clear();
            }
            return Vec::new();
        };
        let rest = self.begun.split_off(end + 1);
        let whole = std::mem::replace(&mut self.begun, rest);
        let mut news = Vec::new();
        for line in whole.split(|&byte| byte == b'\n') {
            if let Ok(line) = serde_json::from_slice(line) {
                news.extend(self.take(line));
            }
        }
        news
    }

    fn part(&self) -> Option<Vec<u8>> {
        let mut file = File::open(&self.path).ok()?;
        file.seek(SeekFrom::Start(self.read)).ok()?;
        let mut part = Vec::new();
        file.take(PART_MAX).read_to_end(&mut part).ok()?;
        Some(part)
    }

    /// Keeps the picture of a line; returns what pages are told.
    fn take(&mut self, mut line: Value) -> Option<Value> {
        let svg = line.as_object_mut().and_then(|fields| fields.remove("svg"));
        let svg = svg.as_ref().and_then(Value::as_str).map(str::to_string);
        match line["news"].as_str() {
            Some("screen") => {
                let number = usize::try_from(line["number"].as_u64()?).ok()?;
                if self.screens.len() < SCREENS_MAX {
                    self.screens.insert(number, svg?);
                }
                return None;
            }
            Some("map") => self.map = Some(svg?),
            Some(_) | None => {}
        }
        if self.said.len() >= SAID_MAX {
            self.said.pop_front();
        }
        self.said.push_back(line.clone());
        Some(line)
    }

    /// Returns the picture of a screen.
    pub fn screen(&self, number: usize) -> Option<String> {
        self.screens.get(&number).cloned()
    }

    /// Returns the last map.
    pub fn map(&self) -> Option<String> {
        self.map.clone()
    }

    /// Returns the last news, for a page that joins now.
    pub fn said(&self) -> &VecDeque<Value> {
        &self.said
    }
}
