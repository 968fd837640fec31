//! `logcat` and `log`: the system's log, read and written from the shell.

use super::clock::{EPOCH_S, Moment};
use super::io::{Io, shown};
use super::log::{Buffer, Entry};
use super::system::Phone;

/// Options of a `logcat`.
struct Asked {
    format: String,
    buffers: Vec<Buffer>,
    /// Tags with the lowest level that is shown; `*` is every other tag.
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

/// `logcat`: the log, filtered and formatted.
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
    let [told, read] = phone.log.entries();
    let is_asked = |(buffer, entry): &(Buffer, &Entry)| is_asked(&asked, *buffer, entry);
    let chosen: Vec<(Buffer, &Entry)> = read.filter(is_asked).collect();
    let skipped = asked.count.map_or(0, |count| chosen.len().saturating_sub(count));
    if asked.counts {
        io.say(&(chosen.len() - skipped).to_string());
        return 0;
    }
    // Readers of several buffers tell them apart by a line before the first entry of each.
    let mut begun: Vec<Buffer> = told.filter(is_asked).map(|(buffer, _)| buffer).collect();
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
        // An option's value may stick to it: `--buffer=crash`, `-bcrash`.
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
                // Modifiers change nothing here.
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
    // `-s` silences all tags without a filter of their own, wherever it stands.
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
            // These exist on a phone; here they are empty.
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
    // A crash is in two buffers, and printed once.
    let is_again = buffer == Buffer::Main && &*entry.tag == "AndroidRuntime";
    asked.buffers.contains(&buffer)
        && !(is_again && asked.buffers.contains(&Buffer::Crash))
        && rank(entry.level) >= rank(level.unwrap_or('V'))
        && asked.pid.is_none_or(|pid| pid == entry.pid)
        && asked.pattern.as_ref().is_none_or(|pattern| pattern.is_match(&entry.message))
        && asked.since.as_deref().is_none_or(|since| is_since(entry, since))
}

/// Returns true if an entry is not older than a moment, given with or without a year, or in seconds.
fn is_since(entry: &Entry, since: &str) -> bool {
    if let Ok(seconds) = since.parse::<f64>() {
        return EPOCH_S as f64 + entry.at_ms as f64 / 1000.0 >= seconds;
    }
    let moment = Moment::of(EPOCH_S + entry.at_ms / 1000);
    // In a fixed format, times sort as text.
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
    // Every format but `long` repeats the head before each line of a message.
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

/// `log`: writes an entry, as programs do.
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
