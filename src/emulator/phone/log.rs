//! The system's log: what is written there, and how `logcat` shows it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::io::{Io, cut};
use super::shell::shown;
use super::{EPOCH_S, Phone};

/// How many entries a buffer holds; the oldest go first.
const ENTRIES_MAX: usize = 2_000;

/// How long a message is at most: as on Android.
const MESSAGE_MAX: usize = 4_000;

/// Something that was written.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Since the phone was switched on.
    pub at_ms: u64,
    pub pid: u32,
    /// `V`, `D`, `I`, `W`, `E` or `F`.
    pub level: char,
    pub tag: Arc<str>,
    /// May have lines.
    pub message: String,
}

/// Where something is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Buffer {
    Main,
    System,
    Crash,
}

impl Buffer {
    fn name(self) -> &'static str {
        match self {
            Buffer::Main => "main",
            Buffer::System => "system",
            Buffer::Crash => "crash",
        }
    }
}

/// All that was written, by when.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    entries: VecDeque<(Buffer, Entry)>,
    written: u64,
}

impl Log {
    pub fn add(&mut self, buffer: Buffer, mut entry: Entry) {
        let length = cut(&entry.message, MESSAGE_MAX).len();
        entry.message.truncate(length);
        if self.entries.iter().filter(|(other, _)| *other == buffer).count() >= ENTRIES_MAX
            && let Some(oldest) = self.entries.iter().position(|(other, _)| *other == buffer)
        {
            self.entries.remove(oldest);
        }
        self.entries.push_back((buffer, entry));
        self.written += 1;
    }

    /// How many entries there ever were.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Forgets what is in some buffers.
    pub fn clear(&mut self, is_meant: impl Fn(Buffer) -> bool) {
        self.entries.retain(|(buffer, _)| !is_meant(*buffer));
    }
}

/// A stack trace as Android writes it: what is said first, and from where it was called with a tab before it.
pub(super) fn traced(trace: &str) -> String {
    let mut lines: Vec<String> = trace
        .lines()
        .map(|line| {
            let bare = line.trim_start();
            if bare.starts_with("at ") { format!("\t{bare}") } else { line.to_string() }
        })
        .collect();
    if lines.iter().all(|line| line.trim().is_empty()) {
        lines = vec!["java.lang.RuntimeException".to_string()];
    }
    if !lines.iter().any(|line| line.starts_with("\tat ")) {
        lines.push("\tat android.os.Handler.dispatchMessage(Handler.java:106)".to_string());
    }
    lines.join("\n")
}

/// A second of the calendar, in UTC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    seconds: u64,
    year: u64,
    month: u64,
    day: u64,
}

impl Moment {
    /// Returns the moment so many seconds after 1970 began.
    pub fn of(seconds: u64) -> Moment {
        // Days are counted from the first of March of the year 0, so that the leap day comes last.
        let days = seconds / 86_400 + 719_468;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = era * 400 + year_of_era + u64::from(month <= 2);
        Moment { seconds, year, month, day: of_year - (153 * shifted + 2) / 5 + 1 }
    }

    fn clock(self) -> (u64, u64, u64) {
        let second = self.seconds % 86_400;
        (second / 3_600, second / 60 % 60, second % 60)
    }

    /// As `ls -l` has it.
    pub fn date_and_minute(self) -> String {
        let (hour, minute, _) = self.clock();
        format!("{:04}-{:02}-{:02} {hour:02}:{minute:02}", self.year, self.month, self.day)
    }

    /// By the letters of `date`.
    pub fn formatted(self, format: &str, ms: u64) -> String {
        const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let (hour, minute, second) = self.clock();
        let mut made = String::new();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                made.push(letter);
                continue;
            }
            made.push_str(&match letters.next() {
                Some('s') => self.seconds.to_string(),
                Some('N') => format!("{:09}", ms * 1_000_000),
                Some('Y') => format!("{:04}", self.year),
                Some('m') => format!("{:02}", self.month),
                Some('d') => format!("{:02}", self.day),
                Some('e') => format!("{:2}", self.day),
                Some('H') => format!("{hour:02}"),
                Some('M') => format!("{minute:02}"),
                Some('S') => format!("{second:02}"),
                Some('F') => format!("{:04}-{:02}-{:02}", self.year, self.month, self.day),
                Some('T') => format!("{hour:02}:{minute:02}:{second:02}"),
                Some('Z') => "UTC".to_string(),
                Some('z') => "+0000".to_string(),
                Some('a') => DAYS[(self.seconds / 86_400 % 7) as usize].to_string(),
                Some('b') => MONTHS[(self.month - 1) as usize].to_string(),
                Some(other) => format!("%{other}"),
                None => "%".to_string(),
            });
        }
        made
    }
}

/// What `logcat` is asked for.
struct Asked {
    format: String,
    buffers: Vec<Buffer>,
    /// A tag and the least level that is shown of it; `*` is every other one.
    filters: Vec<(String, char)>,
    pid: Option<u32>,
    count: Option<usize>,
    since: Option<String>,
    pattern: Option<regex::Regex>,
    clears: bool,
    counts: bool,
    measures: bool,
}

const LEVELS: [char; 7] = ['V', 'D', 'I', 'W', 'E', 'F', 'S'];

pub(super) fn logcat(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let asked = match asked(args) {
        Ok(asked) => asked,
        Err(error) => return io.complain(&error),
    };
    if asked.clears {
        phone.log.clear(|buffer| asked.buffers.contains(&buffer));
        return 0;
    }
    if asked.measures {
        for buffer in &asked.buffers {
            io.say(&format!(
                "{}: ring buffer is 256 KiB (0 B consumed, 256 KiB readable), max entry is 5120 B, max payload is 4068 B",
                buffer.name()
            ));
        }
        return 0;
    }
    let chosen: Vec<&(Buffer, Entry)> =
        phone.log.entries.iter().filter(|(buffer, entry)| is_asked(&asked, *buffer, entry)).collect();
    let skipped = asked.count.map_or(0, |count| chosen.len().saturating_sub(count));
    if asked.counts {
        io.say(&(chosen.len() - skipped).to_string());
        return 0;
    }
    let mut begun = Vec::new();
    for (buffer, entry) in &chosen[skipped..] {
        if !begun.contains(buffer) {
            begun.push(*buffer);
            io.say(&format!("--------- beginning of {}", buffer.name()));
        }
        write_entry(entry, &asked.format, io);
    }
    0
}

fn asked(args: &[String]) -> Result<Asked, String> {
    let mut asked = Asked {
        format: "threadtime".to_string(),
        buffers: Vec::new(),
        filters: Vec::new(),
        pid: None,
        count: None,
        since: None,
        pattern: None,
        clears: false,
        counts: false,
        measures: false,
    };
    let mut is_silent = false;
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        let (option, joined) = match word.strip_prefix("--").and_then(|word| word.split_once('=')) {
            Some((option, value)) => (format!("--{option}"), Some(value.to_string())),
            None => match word.char_indices().nth(2) {
                Some((at, _)) if word.starts_with('-') && !word.starts_with("--") => {
                    (word[..at].to_string(), Some(word[at..].to_string()))
                }
                _ => (word.clone(), None),
            },
        };
        let mut value = || joined.clone().or_else(|| rest.next().cloned());
        match option.as_str() {
            "-d" | "-D" => {}
            "-c" | "--clear" => asked.clears = true,
            "-s" => {
                is_silent = true;
                asked.filters.extend(joined.iter().filter_map(|word| filter(word)));
            }
            "-S" => asked.counts = true,
            "-g" => asked.measures = true,
            "-b" | "--buffer" => asked.buffers.extend(buffers(&value().unwrap_or_default())?),
            "-v" | "--format" => {
                let format = value().unwrap_or_default();
                const FORMATS: [&str; 8] =
                    ["brief", "long", "process", "raw", "tag", "thread", "threadtime", "time"];
                if FORMATS.contains(&format.as_str()) {
                    asked.format = format;
                } else if !matches!(format.as_str(), "color" | "year" | "uid" | "printable" | "descriptive") {
                    return Err(format!("Invalid parameter \"{}\" to -v", shown(&format)));
                }
            }
            "-t" | "-T" => {
                let value = value().unwrap_or_default();
                match value.parse() {
                    Ok(count) => asked.count = Some(count),
                    Err(_) => asked.since = Some(value),
                }
            }
            "--pid" => asked.pid = value().and_then(|pid| pid.parse().ok()),
            "-e" | "--regex" => asked.pattern = value().and_then(|text| regex::Regex::new(&text).ok()),
            "-m" | "--max-count" | "-f" | "-r" | "-n" | "-G" | "-p" => drop(value()),
            word if word.starts_with('-') => {
                return Err(format!("logcat: Unrecognized Option {}", shown(word)));
            }
            word => match filter(word) {
                Some(filter) => asked.filters.push(filter),
                None => return Err(format!("Invalid filter expression '{}'", shown(word))),
            },
        }
    }
    if is_silent {
        asked.filters.push(("*".to_string(), 'S'));
    }
    if asked.buffers.is_empty() {
        asked.buffers = vec![Buffer::Main, Buffer::System, Buffer::Crash];
    }
    Ok(asked)
}

fn buffers(names: &str) -> Result<Vec<Buffer>, String> {
    let mut all = Vec::new();
    for name in names.split(',') {
        match name {
            "main" => all.push(Buffer::Main),
            "system" => all.push(Buffer::System),
            "crash" => all.push(Buffer::Crash),
            "all" | "default" => all.extend([Buffer::Main, Buffer::System, Buffer::Crash]),
            "events" | "radio" | "kernel" | "security" | "stats" => {}
            name => return Err(format!("Unknown buffer '{}'", shown(name))),
        }
    }
    Ok(all)
}

fn filter(word: &str) -> Option<(String, char)> {
    let (tag, level) = word.rsplit_once(':').unwrap_or((word, if word == "*" { "D" } else { "V" }));
    let level = level.chars().next()?.to_ascii_uppercase();
    (!tag.is_empty() && LEVELS.contains(&level)).then(|| (tag.to_string(), level))
}

fn is_asked(asked: &Asked, buffer: Buffer, entry: &Entry) -> bool {
    let rank = |level: char| LEVELS.iter().position(|other| *other == level);
    let of_tag = asked.filters.iter().find(|(tag, _)| *tag == *entry.tag);
    let level = of_tag.or_else(|| asked.filters.iter().find(|(tag, _)| tag == "*")).map(|(_, level)| *level);
    // The same crash is in two buffers, and is said once.
    let is_again = buffer == Buffer::Main && &*entry.tag == "AndroidRuntime";
    asked.buffers.contains(&buffer)
        && !(is_again && asked.buffers.contains(&Buffer::Crash))
        && rank(entry.level) >= rank(level.unwrap_or('V'))
        && asked.pid.is_none_or(|pid| pid == entry.pid)
        && asked.pattern.as_ref().is_none_or(|pattern| pattern.is_match(&entry.message))
        && asked.since.as_deref().is_none_or(|since| is_since(entry, since))
}

/// Whether an entry is not from before a moment, which is given with or without a year, or in seconds.
fn is_since(entry: &Entry, since: &str) -> bool {
    if let Ok(seconds) = since.parse::<f64>() {
        return EPOCH_S as f64 + entry.at_ms as f64 / 1000.0 >= seconds;
    }
    let moment = Moment::of(EPOCH_S + entry.at_ms / 1000);
    let format = if since.starts_with("20") { "%Y-%m-%d %T" } else { "%m-%d %T" };
    format!("{}.{:03}", moment.formatted(format, 0), entry.at_ms % 1000).as_str() >= since
}

fn write_entry(entry: &Entry, format: &str, io: &mut Io) {
    let Entry { at_ms, pid, level, tag, message } = entry;
    let moment = Moment::of(EPOCH_S + at_ms / 1000);
    let time = format!("{}.{:03}", moment.formatted("%m-%d %T", 0), at_ms % 1000);
    if format == "long" {
        io.say(&format!("[ {time} {pid:>5}:{pid:>5} {level}/{tag:<8} ]\n{message}\n"));
        return;
    }
    for line in message.lines() {
        io.say(&match format {
            "brief" => format!("{level}/{tag:<8}({pid:>5}): {line}"),
            "process" => format!("{level}({pid:>5}) {line}  ({tag})"),
            "raw" => line.to_string(),
            "tag" => format!("{level}/{tag:<8}: {line}"),
            "thread" => format!("{level}({pid:>5}:{pid:>5}) {line}"),
            "time" => format!("{time} {level}/{tag:<8}({pid:>5}): {line}"),
            _ => format!("{time} {pid:>5} {pid:>5} {level} {tag:<8}: {line}"),
        });
    }
}

/// Writes to the log, as programs do.
pub(super) fn log(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (mut level, mut tag, mut words) = ('I', "log".to_string(), Vec::new());
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-p" => {
                let letter =
                    rest.next().and_then(|word| word.chars().next()).map(|it| it.to_ascii_uppercase());
                match letter.filter(|letter| LEVELS.contains(letter)) {
                    Some(letter) => level = letter,
                    None => return io.complain("log: bad -p"),
                }
            }
            "-t" => tag = rest.next().cloned().unwrap_or_default(),
            word => words.push(word.to_string()),
        }
    }
    let tag = shown(&tag).into();
    let entry = Entry { at_ms: phone.uptime_ms, pid: 5_000, level, tag, message: words.join(" ") };
    phone.log.add(Buffer::Main, entry);
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_its_date() {
        let shown = |seconds: u64| Moment::of(seconds).formatted("%a %F %T", 0);
        assert_eq!(shown(0), "Thu 1970-01-01 00:00:00");
        assert_eq!(shown(951_782_399), "Mon 2000-02-28 23:59:59");
        assert_eq!(shown(951_782_400), "Tue 2000-02-29 00:00:00");
        assert_eq!(shown(EPOCH_S), "Mon 2024-01-01 00:00:00");
    }
}
