//! The log: its lines in every format of `logcat`, and the crashes and hangs of apps in it.
//!
//! A crash is a block of lines from one process under one tag, with lines of others in between. Its stack is
//! identified by a number that stays the same when the app is rebuilt or runs at another address, so one fault
//! has one number. People and specs read its [`identity()`] instead.

mod block;
mod identity;
mod stack;

use std::sync::LazyLock;

use regex::{Captures, Regex};

pub use block::{Kind, Trouble, dropped, troubles};
pub use identity::{identity, of_trace};

/// A line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'t> {
    /// Time of writing, as printed; empty in formats without it.
    pub time: &'t str,
    /// The process that wrote it, if the format has it.
    pub pid: Option<u32>,
    /// `V`, `D`, `I`, `W`, `E` or `F`, if the format has it.
    pub level: Option<char>,
    /// The tag, if the format has it; may be empty.
    pub tag: Option<&'t str>,
    /// The message.
    pub message: &'t str,
}

/// A format of `logcat`.
struct Format {
    /// True if its lines begin with a date.
    has_date: bool,
    /// A pattern with the groups `time`, `pid`, `level`, `tag` and `message`, as far as the format has them.
    pattern: &'static str,
}

const DATE: &str = r"(?:[0-9]{4}-)?[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3,9}";

/// The formats, the most detailed first: a line of one may also match a later one.
const FORMATS: [Format; 6] = [
    // threadtime, at times with a time zone and a user
    Format {
        has_date: true,
        pattern: r"^(?<time>DATE)(?: +[+-][0-9]{4})? +(?:[a-zA-Z0-9_]+ +)?(?<pid>[0-9]+) +[0-9]+ (?<level>[VDIWEFA]) (?<tag>.*?) *: ?(?<message>.*)$",
    },
    // time
    Format {
        has_date: true,
        pattern: r"^(?<time>DATE) (?<level>[VDIWEFA])/(?<tag>.*?) *\( *(?<pid>[0-9]+)\): ?(?<message>.*)$",
    },
    // brief
    Format {
        has_date: false,
        pattern: r"^(?<level>[VDIWEFA])/(?<tag>.*?) *\( *(?<pid>[0-9]+)\): ?(?<message>.*)$",
    },
    // thread, which has no tag
    Format { has_date: false, pattern: r"^(?<level>[VDIWEFA])\( *(?<pid>[0-9]+): *[0-9]+\) (?<message>.*)$" },
    // process
    Format {
        has_date: false,
        pattern: r"^(?<level>[VDIWEFA])\( *(?<pid>[0-9]+)\) (?<message>.*?)  \((?<tag>[^()]*)\)$",
    },
    // tag
    Format { has_date: false, pattern: r"^(?<level>[VDIWEFA])/(?<tag>.*?) *: ?(?<message>.*)$" },
];

/// The pattern of the line above a message in the format `long`.
const HEAD: &str = r"^\[ (?<time>DATE) +(?<pid>[0-9]+): *[0-9]+ (?<level>[VDIWEFA])/(?<tag>.*?) *\]$";

static PATTERNS: LazyLock<Vec<(bool, Regex)>> =
    LazyLock::new(|| FORMATS.iter().map(|format| (format.has_date, made(format.pattern))).collect());
static HEAD_PATTERN: LazyLock<Regex> = LazyLock::new(|| made(HEAD));

fn made(pattern: &str) -> Regex {
    Regex::new(&pattern.replace("DATE", DATE)).expect("a pattern of ours")
}

/// Returns the lines of `log`, each in any format; a line in none of them is a message alone.
///
/// ```
/// use farlead::device::android::log::entries;
///
/// let log = "--------- beginning of main\n09-11 12:52:56.962   188   190 I auditd  : initialized";
/// let entry = entries(log).next().expect("a line");
/// assert_eq!((entry.pid, entry.level, entry.tag, entry.message), (Some(188), Some('I'), Some("auditd"), "initialized"));
/// ```
pub fn entries(log: &str) -> impl Iterator<Item = Entry<'_>> {
    let mut head: Option<Entry<'_>> = None;
    log.lines().filter_map(move |line| {
        if line.starts_with("--------- ") {
            // Another buffer begins, so the message before it has ended.
            head = None;
            return None;
        }
        if line.starts_with("[ ")
            && let Some(found) = HEAD_PATTERN.captures(line)
        {
            head = Some(entry(&found));
            return None;
        }
        if let Some(found) = captures(line) {
            // A long message may contain a line that looks like another format.
            if head.is_none() || found.name("time").is_some() {
                head = None;
                return Some(entry(&found));
            }
        }
        match &head {
            // Each message is followed by an empty line.
            Some(_) if line.is_empty() => None,
            Some(head) => Some(Entry { message: line, ..*head }),
            None => Some(Entry { time: "", pid: None, level: None, tag: None, message: line }),
        }
    })
}

/// Matches a line with the first format that fits. The first bytes rule out most lines quickly.
fn captures(line: &str) -> Option<Captures<'_>> {
    let has_date = match line.as_bytes() {
        [b'0'..=b'9', ..] => true,
        [b'V' | b'D' | b'I' | b'W' | b'E' | b'F' | b'A', b'/' | b'(', ..] => false,
        _ => return None,
    };
    let fitting = PATTERNS.iter().filter(|(of_format, _)| *of_format == has_date);
    fitting.map(|(_, pattern)| pattern).find_map(|pattern| pattern.captures(line))
}

fn entry<'t>(found: &Captures<'t>) -> Entry<'t> {
    let part = |name: &str| found.name(name).map(|part| part.as_str());
    Entry {
        time: part("time").unwrap_or_default(),
        pid: part("pid").and_then(|pid| pid.parse().ok()),
        level: part("level").and_then(|level| level.chars().next()),
        tag: part("tag"),
        message: part("message").unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, pid: Option<u32>, level: Option<char>, tag: Option<&str>, message: &str) {
        let found: Vec<Entry<'_>> = entries(line).collect();
        assert_eq!(found.len(), 1, "{line}: {found:?}");
        let Entry { pid: found_pid, level: found_level, tag: found_tag, message: found_message, .. } =
            found[0];
        assert_eq!((found_pid, found_level, found_tag, found_message), (pid, level, tag, message), "{line}");
    }

    #[test]
    fn a_line_is_read_in_every_format() {
        let (pid, level, tag) = (Some(188), Some('W'), Some("audit d"));
        check("09-11 12:52:56.962   188   187 W audit d : a: b", pid, level, tag, "a: b");
        check("2024-09-11 12:52:56.962000 +0200 shell   188   187 W audit d : a: b", pid, level, tag, "a: b");
        check("09-11 12:52:56.962 W/audit d (  188): a: b", pid, level, tag, "a: b");
        check("W/audit d (  188): a: b", pid, level, tag, "a: b");
        check("W(  188) a: b  (audit d)", pid, level, tag, "a: b");
        check("W(  188:  187) a: b", pid, level, None, "a: b");
        check("W/audit d : a: b", None, level, tag, "a: b");
        check("[ 09-11 12:52:56.962   188:  187 W/audit d ]\na: b\n\n", pid, level, tag, "a: b");
        check("nt logctl_get(): open", None, None, None, "nt logctl_get(): open");
    }

    #[test]
    fn odd_tags_and_empty_messages_are_read() {
        let of = |rest: &str| format!("02-06 11:22:50.508  1301  1507 I {rest}");
        check(&of("Comma,Tag: a"), Some(1301), Some('I'), Some("Comma,Tag"), "a");
        check(&of("p/Regexish(/: a: b"), Some(1301), Some('I'), Some("p/Regexish(/"), "a: b");
        check(&of(": blank tag"), Some(1301), Some('I'), Some(""), "blank tag");
        check(&of("BlankMessage:   "), Some(1301), Some('I'), Some("BlankMessage"), "  ");
        check(&of("BlankMessage:"), Some(1301), Some('I'), Some("BlankMessage"), "");
    }

    #[test]
    fn a_long_message_keeps_its_lines_and_its_head() {
        let log = "--------- beginning of crash\n[ 03-25 23:53:27.339   747:  990 E/AndroidRuntime ]\nFATAL EXCEPTION: main\nE/x: y\n\n[ 03-25 23:53:27.340   1:  1 I/b ]\nc\n";
        let found: Vec<(Option<u32>, &str)> = entries(log).map(|entry| (entry.pid, entry.message)).collect();
        assert_eq!(found, [(Some(747), "FATAL EXCEPTION: main"), (Some(747), "E/x: y"), (Some(1), "c")]);
    }
}
