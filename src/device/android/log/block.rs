//! Crashes and hangs: finds their blocks of lines in the log and parses them.

use super::stack;
use super::{Entry, entries};

use crate::sorted;

/// The kind of a crash or hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An uncaught exception.
    Java,
    /// A signal that ended the process.
    Native,
    /// The app did not respond (ANR).
    Anr,
    /// The process of the app in front was gone, and the log gives no reason.
    Died,
}

/// An app's crash or hang as found in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Its kind.
    pub kind: Kind,
    /// The process: the package, sometimes followed by `:` and more. If only the thread is known, the last 15
    /// letters of the package. Empty if the log has neither.
    pub process: String,
    /// The number of the process, if the log has it.
    pub pid: Option<u32>,
    /// Time of writing, as printed in the log; may be empty.
    pub time: String,
    /// The class of the exception or the name of the signal; otherwise empty.
    pub exception: String,
    /// The full message; of a hang, the reason.
    pub message: String,
    /// The lines of the exception and its stack, as printed in the log.
    pub trace: String,
    /// A number that identifies the stack: the same for the same fault.
    pub stack: u64,
}

impl Trouble {
    /// Returns true if it concerns the app of this package.
    pub fn is_of(&self, package: &str) -> bool {
        // The system shortens thread names to this length, and keeps the end of the package.
        const THREAD_NAME_LEN: usize = 15;
        let name = self.process.split(':').next().unwrap_or_default();
        name == package || (self.process.len() == THREAD_NAME_LEN && package.ends_with(&self.process))
    }
}

/// Most crashes and hangs read from a log; of more, the first ones.
const TROUBLES_MAX: usize = 200;

/// Most lines of a block; an overflowing stack has about 1,000.
const LINES_MAX: usize = 5_000;

/// A block that still gets lines.
struct Block<'t> {
    head: Entry<'t>,
    kind: Kind,
    lines: Vec<&'t str>,
}

/// Returns the crashes and hangs in `log`, in the order of their first lines. `log` is in any format of
/// `logcat`.
///
/// ```
/// use farlead::device::android::log::{Kind, troubles};
///
/// let log = "E/AndroidRuntime( 4711): FATAL EXCEPTION: main\n\
///            E/AndroidRuntime( 4711): Process: org.notes, PID: 4711\n\
///            E/AndroidRuntime( 4711): java.lang.IllegalStateException: no note\n\
///            E/AndroidRuntime( 4711): \tat org.notes.Main.onClick(Main.java:7)";
/// let found = troubles(log);
/// assert_eq!((found[0].kind, &*found[0].process, &*found[0].message), (Kind::Java, "org.notes", "no note"));
/// assert!(found[0].is_of("org.notes"));
/// ```
pub fn troubles(log: &str) -> Vec<Trouble> {
    let mut done: Vec<Block<'_>> = Vec::new();
    // The most recently opened block comes last.
    let mut open: Vec<Block<'_>> = Vec::new();
    let mut dead: Vec<(Entry<'_>, &str, u32)> = Vec::new();
    for entry in entries(log) {
        if let Some((process, pid)) = death(&entry) {
            dead.push((entry, process, pid));
            // Bounded like the troubles, however long the log is.
            dead.truncate(TROUBLES_MAX);
        } else if let Some(kind) = begins(&entry) {
            // A new head of the same process ends the block before it.
            let at = open.iter().position(|block| is_same(&block.head, &entry));
            done.extend(at.map(|at| open.remove(at)));
            if open.len() + done.len() < TROUBLES_MAX {
                open.push(Block { head: entry, kind, lines: vec![entry.message] });
            }
        } else if let Some(block) = open.iter_mut().rev().find(|block| is_same(&block.head, &entry))
            && block.lines.len() < LINES_MAX
        {
            block.lines.push(entry.message);
        }
    }
    done.append(&mut open);
    // All messages are slices of one text, so their addresses give the order of the lines.
    let start = |block: &Block<'_>| block.head.message.as_ptr() as usize;
    sorted::by_key(&mut done, start);
    let mut troubles: Vec<Trouble> = Vec::new();
    for trouble in done.iter().filter_map(Block::read) {
        // The same crash may be in several buffers of the log.
        let is_again = |other: &Trouble| {
            (other.kind, other.pid, other.stack) == (trouble.kind, trouble.pid, trouble.stack)
                && other.time == trouble.time
        };
        if !troubles.iter().any(is_again) {
            troubles.push(trouble);
        }
    }
    // After a signal the process itself prints one line, and then a helper process prints the details.
    let is_line = |trouble: &Trouble| trouble.trace == trouble.message;
    let is_native = |trouble: &&Trouble| trouble.kind == Kind::Native;
    let in_full: Vec<Option<u32>> =
        troubles.iter().filter(is_native).filter(|one| !is_line(one)).map(|one| one.pid).collect();
    troubles.retain(|one| one.kind != Kind::Native || !is_line(one) || !in_full.contains(&one.pid));
    with_deaths(troubles, &dead)
}

/// Completes `troubles` with deaths of processes: names their processes, and adds deaths that nothing else
/// explains.
fn with_deaths(mut troubles: Vec<Trouble>, dead: &[(Entry<'_>, &str, u32)]) -> Vec<Trouble> {
    for (entry, process, pid) in dead {
        let of_it: Vec<&mut Trouble> =
            troubles.iter_mut().filter(|trouble| trouble.pid == Some(*pid)).collect();
        // Processes in the background are killed all the time, to free memory; only one in front counts.
        if of_it.is_empty() && entry.message.ends_with("TOP") {
            troubles.push(Trouble {
                kind: Kind::Died,
                process: (*process).to_string(),
                pid: Some(*pid),
                time: entry.time.to_string(),
                exception: String::new(),
                message: entry.message.to_string(),
                trace: entry.message.to_string(),
                stack: stack::message("died"),
            });
            continue;
        }
        // A name with a dot is already a package, or the end of one.
        for trouble in of_it.into_iter().filter(|trouble| !trouble.process.contains('.')) {
            trouble.process = (*process).to_string();
        }
    }
    troubles
}

/// Returns true if two lines may belong to one block, as far as the format tells.
fn is_same(head: &Entry<'_>, entry: &Entry<'_>) -> bool {
    head.pid == entry.pid && head.tag == entry.tag && head.level == entry.level
}

fn begins(entry: &Entry<'_>) -> Option<Kind> {
    // One format has no tags, which leaves only the message to go by.
    let is_tag = |names: &[&str]| entry.tag.is_none_or(|tag| names.contains(&tag));
    let starts = |start: &str| entry.message.starts_with(start);
    if starts("FATAL EXCEPTION") || starts("*** FATAL EXCEPTION IN SYSTEM PROCESS") {
        return is_tag(&["AndroidRuntime"]).then_some(Kind::Java);
    }
    if starts("ANR in ") {
        return is_tag(&["ActivityManager", "WindowManager", "am"]).then_some(Kind::Anr);
    }
    let is_native =
        (starts("*** *** ***") && is_tag(&["DEBUG"])) || (starts("Fatal signal ") && is_tag(&["libc"]));
    is_native.then_some(Kind::Native)
}

/// Returns the process that is gone, and its number: `Process org.notes (pid 27387) has died: fore TOP`.
fn death<'t>(entry: &Entry<'t>) -> Option<(&'t str, u32)> {
    if entry.tag.is_some_and(|tag| tag != "ActivityManager") {
        return None;
    }
    let (process, rest) = entry.message.strip_prefix("Process ")?.split_once(" (pid ")?;
    let (pid, rest) = rest.split_once(')')?;
    rest.starts_with(" has died").then(|| Some((process, pid.parse().ok()?)))?
}

impl Block<'_> {
    fn read(&self) -> Option<Trouble> {
        let mut trouble = match self.kind {
            Kind::Java => java(&self.lines[1..]),
            Kind::Native => native(&self.lines)?,
            Kind::Anr => hang(&self.lines),
            Kind::Died => return None,
        };
        trouble.time = self.head.time.to_string();
        // The crashing process prints these lines itself, so their number is its own.
        if self.kind == Kind::Java && trouble.pid.is_none() {
            trouble.pid = self.head.pid;
        }
        Some(trouble)
    }
}

fn trouble(kind: Kind) -> Trouble {
    Trouble {
        kind,
        process: String::new(),
        pid: None,
        time: String::new(),
        exception: String::new(),
        message: String::new(),
        trace: String::new(),
        stack: 0,
    }
}

/// Parses the lines below `FATAL EXCEPTION`, or an entry of the drop box.
fn java(lines: &[&str]) -> Trouble {
    let mut found = trouble(Kind::Java);
    let mut lines = lines;
    while let Some((first, rest)) = lines.split_first() {
        if let Some(process) = first.strip_prefix("Process: ") {
            let (name, pid) = process.split_once(", PID: ").unwrap_or((process, ""));
            found.process = name.trim().to_string();
            found.pid = pid.trim().parse().ok();
        } else if let Some(pid) = first.strip_prefix("PID: ") {
            found.pid = pid.trim().parse().ok();
        } else {
            break;
        }
        lines = rest;
    }
    let is_call = |line: &&str| {
        let line = line.trim_start();
        ["at ", "Caused by: ", "Suppressed: ", "..."].iter().any(|start| line.starts_with(start))
    };
    let said_len = lines.iter().position(is_call).unwrap_or(lines.len());
    let said = lines[..said_len].join("\n");
    match stack::exception_class(said.lines().next().unwrap_or_default()) {
        Some(class) => {
            found.exception = class.to_string();
            found.message = said[class.len()..].trim_start_matches(':').trim().to_string();
        }
        None => found.message = said,
    }
    // Lines of the message are left out of the stack, even if they look like exceptions.
    let calls = lines[said_len..].iter().copied().filter(is_call);
    found.stack = stack::java(std::iter::once(found.exception.as_str()).chain(calls));
    found.trace = lines.join("\n").trim_end().to_string();
    found
}

/// Parses the lines below a line of asterisks, or an entry of the drop box, or the single line of `libc`.
fn native(lines: &[&str]) -> Option<Trouble> {
    let mut found = trouble(Kind::Native);
    if let Some(said) = lines.first().and_then(|line| line.strip_prefix("Fatal signal ")) {
        // `11 (SIGSEGV), code 1, fault addr 0x0 in tid 4220 (g.nativecrasher), pid 4220 (g.nativecrasher)`
        found.exception = in_brackets(said)?.to_string();
        let (_, process) = said.rsplit_once("pid ").or_else(|| said.rsplit_once("tid "))?;
        found.pid = process.split(' ').next().and_then(|pid| pid.parse().ok());
        found.process = in_brackets(process).unwrap_or_default().to_string();
        found.message = lines[0].to_string();
        found.trace = lines[0].to_string();
        found.stack = stack::message(&found.exception);
        return Some(found);
    }
    for line in lines.iter().map(|line| line.trim()) {
        // The first one counts, because other threads may follow with the same heading.
        if let Some((rest, _)) = line.split_once(" <<<")
            && let Some((ids, process)) = rest.split_once(">>> ")
            && found.process.is_empty()
        {
            found.process = process.to_string();
            found.pid = ids.strip_prefix("pid: ").and_then(|ids| ids.split(',').next()?.parse().ok());
        } else if let Some(signal) = line.strip_prefix("signal ").filter(|_| found.exception.is_empty()) {
            found.exception = in_brackets(signal).unwrap_or_default().to_string();
            found.message = line.to_string();
        } else if let Some(message) = line.strip_prefix("Abort message: ") {
            found.message = message.trim_matches(['\'', '"']).to_string();
        }
    }
    let is_call = |line: &str| line.trim_start().starts_with('#');
    let calls = lines.iter().copied().skip_while(|line| !is_call(line)).take_while(|line| is_call(line));
    let calls: Vec<&str> = calls.collect();
    // A line of asterisks may be all that is left in the log.
    if found.process.is_empty() && calls.is_empty() {
        return None;
    }
    // A wrong address and an abort in the same function are different faults.
    found.stack = stack::native(calls.iter().copied()).wrapping_add(stack::message(&found.exception));
    let said = [found.exception.as_str(), &found.message].join(": ");
    found.trace = std::iter::once(said.as_str()).chain(calls).collect::<Vec<_>>().join("\n");
    Some(found)
}

fn in_brackets(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('(')?;
    Some(rest.split_once(')')?.0)
}

/// Parses the lines from `ANR in` on.
fn hang(lines: &[&str]) -> Trouble {
    let mut found = trouble(Kind::Anr);
    let who = lines.first().and_then(|line| line.strip_prefix("ANR in ")).unwrap_or_default();
    found.process = who.split([' ', '(']).next().unwrap_or_default().to_string();
    for line in &lines[1..] {
        if let Some(pid) = line.strip_prefix("PID: ") {
            found.pid = pid.trim().parse().ok();
        } else if let Some(reason) = line.strip_prefix("Reason: ").filter(|_| found.message.is_empty()) {
            found.message = reason.trim().to_string();
        }
    }
    found.stack = stack::message(&found.message);
    found.trace = found.message.clone();
    found
}

/// Returns the crashes and hangs in the output of `dumpsys dropbox --print`.
pub fn dropped(text: &str) -> Vec<Trouble> {
    let items = text.split("========================================\n").skip(1).take(TROUBLES_MAX);
    items.filter_map(item).collect()
}

fn item(text: &str) -> Option<Trouble> {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let (first, fields) = head.split_once('\n').unwrap_or((head, ""));
    // `2025-10-24 14:11:11 data_app_anr (compressed text, 22175 bytes)`
    let mut words = first.splitn(4, ' ');
    let (day, clock, what) = (words.next()?, words.next()?, words.next()?);
    let field = |name: &str| fields.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let body: Vec<&str> = body.lines().take(LINES_MAX).collect();
    let mut found = match what.to_ascii_lowercase().rsplit('_').next()? {
        "crash" => java(&body),
        "anr" => {
            let reason = field("Subject: ").unwrap_or_default().to_string();
            Trouble {
                stack: stack::message(&reason),
                trace: reason.clone(),
                message: reason,
                ..trouble(Kind::Anr)
            }
        }
        "tombstone" => native(&body)?,
        _ => return None,
    };
    found.time = format!("{day} {clock}");
    found.process = field("Process: ").map_or(found.process, str::to_string);
    found.pid = field("PID: ").and_then(|pid| pid.parse().ok()).or(found.pid);
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRASH: [&str; 7] = [
        "FATAL EXCEPTION: Thread-2",
        "Process: org.notes:web, PID: 4711",
        "java.lang.IllegalStateException: two",
        "lines: of it",
        "\tat org.notes.Main.onClick(Main.java:7)",
        "Caused by: java.io.IOException",
        "\t... 11 more",
    ];

    #[track_caller]
    fn check(log: &str) {
        let found = troubles(log);
        assert_eq!(found.len(), 1, "{log}: {found:?}");
        let found = &found[0];
        assert_eq!(
            (found.kind, &*found.process, found.pid),
            (Kind::Java, "org.notes:web", Some(4711)),
            "{log}"
        );
        assert_eq!(found.exception, "java.lang.IllegalStateException", "{log}");
        assert_eq!(found.message, "two\nlines: of it", "{log}");
        assert_eq!(found.trace, CRASH[2..].join("\n"), "{log}");
        assert!(found.is_of("org.notes") && !found.is_of("org.notes.web"), "{log}");
    }

    fn in_format(line: impl Fn(&str) -> String) -> String {
        let other = "09-11 12:52:56.962   188   188 I lowmemorykiller: Using psi monitors\n";
        CRASH.iter().map(|message| line(message) + "\n" + other).collect()
    }

    #[test]
    fn a_crash_is_taken_out_of_the_lines_of_others_in_every_format() {
        check(&in_format(|message| format!("10-13 16:27:10.123  4711  4712 E AndroidRuntime: {message}")));
        check(&in_format(|message| format!("10-13 16:27:10.123 E/AndroidRuntime( 4711): {message}")));
        check(&in_format(|message| format!("E/AndroidRuntime( 4711): {message}")));
        check(&in_format(|message| format!("E/AndroidRuntime: {message}")));
        check(&in_format(|message| format!("E( 4711) {message}  (AndroidRuntime)")));
        check(&in_format(|message| format!("E( 4711: 4712) {message}")));
        check(&CRASH.join("\n"));
        check(&format!(
            "[ 10-13 16:27:10.123  4711: 4712 E/AndroidRuntime ]\n{}\n\n[ 10-13 16:27:10.124  1: 1 I/x ]\ny\n",
            CRASH.join("\n")
        ));
    }

    #[test]
    fn the_same_crash_in_two_buffers_is_one() {
        let log = in_format(|message| format!("10-13 16:27:10.123  4711  4712 E AndroidRuntime: {message}"));
        assert_eq!(
            troubles(&format!("--------- beginning of main\n{log}--------- beginning of crash\n{log}")).len(),
            1
        );
        let later = log.replace("16:27:10", "16:28:10");
        assert_eq!(troubles(&format!("{log}{later}")).len(), 2);
    }

    #[test]
    fn a_hang_has_its_reason() {
        let log = "10-16 10:00:00.100 100 101 E ActivityManager: ANR in org.notes (org.notes/.Main)\n\
                   10-16 10:00:00.150 100 101 I ActivityManager: PID: 1\n\
                   10-16 10:00:00.200 100 101 E ActivityManager: PID: 12345\n\
                   10-16 10:00:00.300 100 101 E ActivityManager: Reason: Input dispatching timed out";
        let found = troubles(log);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].kind, &*found[0].process, found[0].pid), (Kind::Anr, "org.notes", Some(12345)));
        assert_eq!(found[0].message, "Input dispatching timed out");
    }

    #[test]
    fn a_signal_is_told_of_once_and_by_the_better_teller() {
        let libc = "F libc    : Fatal signal 11 (SIGSEGV), code 1, fault addr 0x0 in tid 4222 (Render), pid 4220 (p.nativecrasher)";
        let debug = [
            "*** *** *** *** ***",
            "pid: 4220, tid: 4222, name: Render  >>> com.app.nativecrasher <<<",
            "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0",
            "Abort message: 'oh'",
            "backtrace:",
            "    #00 pc 00000611  /a/lib/x86/libcrasher.so (Java_crash+49)",
        ];
        let bare = format!("10-13 16:27:10.123  4220  4222 {libc}\n");
        let found = troubles(&bare);
        assert_eq!(
            (found[0].kind, &*found[0].exception, found[0].pid),
            (Kind::Native, "SIGSEGV", Some(4220))
        );
        assert!(found[0].is_of("com.app.nativecrasher") && !found[0].is_of("com.app.native"));
        let line = |line: &&str| format!("10-13 16:27:10.200  4250  4250 F DEBUG   : {line}\n");
        let whole: String = debug.iter().map(line).collect();
        assert_eq!(troubles(&format!("{whole}{bare}")), troubles(&format!("{bare}{whole}")));
        let found = troubles(&format!("{bare}{whole}"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (&*found[0].process, found[0].pid, &*found[0].message),
            ("com.app.nativecrasher", Some(4220), "oh")
        );
    }

    #[test]
    fn a_death_in_front_that_nothing_explains_is_told_of() {
        let died =
            "10-13 16:27:10.123  1  1 I ActivityManager: Process org.notes (pid 77) has died: fore TOP";
        let found = troubles(died);
        assert_eq!((found[0].kind, &*found[0].process, found[0].pid), (Kind::Died, "org.notes", Some(77)));
        assert!(troubles(&died.replace("fore TOP", "cch+5 CEM")).is_empty());
        let old =
            "E/AndroidRuntime(   77): FATAL EXCEPTION: main\nE/AndroidRuntime(   77): java.lang.Error\n";
        let found = troubles(&format!("{old}{died}"));
        assert_eq!((found.len(), found[0].kind, &*found[0].process), (1, Kind::Java, "org.notes"));
    }
}
