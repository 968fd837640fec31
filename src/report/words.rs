//! Words and phrases that all reports share, and functions that make texts from outside fit to be printed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::num::NonZero;

use super::coverage::explored_for;
use super::run::{Run, SpecReport, Standing};
pub use crate::drawing::svg::grouped;
use crate::event::{Outcome, Reached, ReplayVerdict, Replayed, SpecBegan, SpecEnded};
use crate::rate::Rate;
use crate::sorted;
use crate::spec::printable;
use crate::trace::Notice;

/// Characters of a text that stands among others.
pub const LINE_MAX: usize = 400;

/// Characters of a text that stands alone: a formula, a stack trace.
pub const TEXT_MAX: usize = 8_000;

/// Items of one list that are shown, like advice or the notices of a step: nobody reads more.
pub const ITEMS_MAX: usize = 20;

/// Returns `text` as one line of at most `chars_max` characters, without control characters.
pub fn line(text: &str, chars_max: usize) -> String {
    let one_line: String = text
        .chars()
        // One more than is kept, from which `cut` sees that there is more.
        .take(chars_max + 1)
        .map(|char| if matches!(char, '\n' | '\r' | '\t') { ' ' } else { char })
        .collect();
    cut(&shown(&one_line), chars_max)
}

/// Returns at most `chars_max` characters of `text`, with its line breaks and without other control characters.
pub fn lines(text: &str, chars_max: usize) -> String {
    let start: String = text.chars().take(chars_max + 1).collect();
    let kept: Vec<String> = start.replace('\t', "    ").lines().map(shown).collect();
    cut(&kept.join("\n"), chars_max)
}

/// Returns `text` without control characters and without the two others that XML cannot hold.
fn shown(text: &str) -> String {
    printable(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_string(),
        Some((at, _)) => format!("{} …", text[..at].trim_end()),
    }
}

/// Returns printable `text`, escaped for the content and the quoted values of XML and HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(char),
        }
    }
    escaped
}

/// Returns `1 spec`, `2 specs`.
pub fn counted(count: impl Into<u64>, what: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {what}") } else { format!("{} {what}s", grouped(count)) }
}

/// Returns the length of a list, for [`counted`].
pub fn len<T>(list: &[T]) -> u64 {
    list.len() as u64
}

/// Returns milliseconds as seconds for machines: `12.345`.
pub fn seconds(ms: u128) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

/// Returns milliseconds for people.
pub fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        60_000..3_600_000 => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
        _ => format!("{} h {} min", grouped(ms / 3_600_000), ms % 3_600_000 / 60_000),
    }
}

/// Returns the outcome of a spec in a few words, the same in all reports.
pub fn outcome(spec: &SpecReport) -> &'static str {
    spec.ended.as_ref().map_or("cut short", word)
}

/// Returns the outcome of a spec that ended in a few words, the same in all reports.
pub fn word(ended: &SpecEnded) -> &'static str {
    match (ended.outcome, ended.exit) {
        (Outcome::Passed, 0) => "passed",
        // Exit code of the command line for a crash on the way.
        (Outcome::Passed, 6) => "passed, with a crash",
        // The device was lost, or the command interrupted, before the run was confirmed.
        (Outcome::Passed, _) => "passed, unconfirmed",
        (Outcome::Failed, _) => "failed",
        (Outcome::Diverged, _) => "diverged",
        (Outcome::NotFound, _) => "not found",
        (Outcome::Untested, _) => "untested",
        (Outcome::Flaky, _) => "flaky",
        (Outcome::Error, _) => "error",
    }
}

/// Returns the outcome of a spec for machines.
pub fn kind(spec: &SpecReport) -> &'static str {
    match &spec.ended {
        None => "cut_short",
        Some(ended) => match (ended.outcome, ended.exit) {
            // The spec passed, so without a kind of their own these would be lost among those that are fine.
            (Outcome::Passed, 6) => "passed_with_a_crash",
            (Outcome::Passed, 1..) => "passed_unconfirmed",
            (outcome, _) => outcome.name(),
        },
    }
}

/// Returns the change of an outcome since the run before, if there is one: `newly failing`, `newly flaky`, `mended`.
pub fn change(spec: &SpecReport) -> Option<&'static str> {
    let was = spec.was.as_deref()?;
    match spec.standing() {
        Standing::Passed => Some("mended"),
        Standing::Flaky => Some("newly flaky"),
        Standing::Failed | Standing::Error if was == Outcome::Passed.name() => Some("newly failing"),
        Standing::Failed | Standing::Error | Standing::CutShort => None,
    }
}

/// Returns `since the last run: 1 newly failing, 2 mended`, if an outcome has changed.
pub fn changes(run: &Run) -> Option<String> {
    let count = |words| run.specs().iter().filter(|spec| change(spec) == Some(words)).count() as u64;
    let changed = ["newly failing", "newly flaky", "mended"].map(|words| (words, count(words)));
    let said: Vec<String> = changed
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(words, count)| format!("{} {words}", grouped(*count)))
        .collect();
    (!said.is_empty()).then(|| format!("since the last run: {}", said.join(", ")))
}

/// Returns the numbers of the specs, those that need attention first.
pub fn by_need(run: &Run) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..run.specs().len()).collect();
    sorted::by_key(&mut numbers, |&number| run.specs()[number].standing() == Standing::Passed);
    numbers
}

/// Returns the reason of the outcome.
pub fn why(spec: &SpecReport, chars_max: usize) -> String {
    match &spec.ended {
        Some(ended) => line(&ended.why, chars_max),
        None => "the run was cut short before it was known".to_string(),
    }
}

/// Returns `possible "name"`.
pub fn title(spec: &SpecReport) -> String {
    format!("{} \"{}\"", line(form(&spec.began), 20), line(&spec.began.name, 200))
}

/// Returns the word before the name of a spec: its expectation, or `scenario` if it was written as one.
pub fn form(began: &SpecBegan) -> &str {
    if began.scenario.is_empty() { &began.expectation } else { "scenario" }
}

/// Returns `5 specs in 2 files: 3 passed, 1 failed, 1 not found`.
pub fn headline(run: &Run) -> String {
    let counts: Vec<String> =
        counts(run).into_iter().map(|(words, count)| format!("{} {words}", grouped(count))).collect();
    let specs = counted(len(run.specs()), "spec");
    let files = counted(len(&run.files()), "file");
    if counts.is_empty() && run.coverage().is_some() {
        "no crash was found".to_string()
    } else if counts.is_empty() {
        "no specs".to_string()
    } else {
        format!("{specs} in {files}: {}", counts.join(", "))
    }
}

/// Returns the number of specs of each outcome, in the order in which reports name them.
pub fn counts(run: &Run) -> Vec<(&'static str, u64)> {
    const ORDER: [&str; 10] = [
        "passed",
        "passed, with a crash",
        "passed, unconfirmed",
        "failed",
        "diverged",
        "not found",
        "untested",
        "flaky",
        "error",
        "cut short",
    ];
    let count = |words| run.specs().iter().filter(|spec| outcome(spec) == words).count() as u64;
    ORDER.into_iter().map(|words| (words, count(words))).filter(|(_, count)| *count > 0).collect()
}

/// Returns the fault of the run itself, if it did not end as it should.
pub fn trouble(run: &Run) -> Option<String> {
    match run.exit() {
        None => Some("the run was cut short: there is no event of its end".to_string()),
        Some(130) => Some("the run was interrupted".to_string()),
        // Specs that did not pass explain their exit code by themselves.
        Some(code) if run.specs().iter().all(|spec| spec.standing() == Standing::Passed) && code != 0 => {
            Some(format!("the run ended with exit code {code}"))
        }
        Some(_) => None,
    }
}

/// Returns `3 of 3`, or of more runs `9 of 10 (95 % interval 60 to 98 %)`.
pub fn rate(rate: Rate) -> String {
    // The interval of fewer runs is too wide to tell anything.
    const RUNS_MIN: u32 = 5;
    let Rate { passes, runs } = rate;
    if runs < RUNS_MIN {
        return format!("{passes} of {runs}");
    }
    let (low, high) = rate.interval();
    format!("{passes} of {runs} (95 % interval {:.0} to {:.0} %)", low * 100.0, high * 100.0)
}

/// Returns `shrunk from 11 steps to 7; reproduced 3 of 3`, as far as either was tried.
pub fn shrunk(ended: &SpecEnded) -> Option<String> {
    let short = match ended.found_steps {
        Some(found) if found > ended.run.len() => {
            Some(format!("shrunk from {} to {}", counted(found as u64, "step"), ended.run.len()))
        }
        Some(_) | None => None,
    };
    let again =
        ended.confirmed.filter(|rate| rate.runs > 0).map(|again| format!("reproduced {}", rate(again)));
    let said: Vec<String> = short.into_iter().chain(again).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// Returns the step at which a run went wrong: of a violation the last, of a replay the one that differs.
pub fn wrong_step(ended: &SpecEnded) -> Option<usize> {
    match &ended.replay {
        Some(replay) if replay.verdict != ReplayVerdict::Reproduced => replay.step,
        _ if ended.violation.is_empty() => None,
        _ => ended.run.len().checked_sub(1),
    }
}

/// Returns the expectation of the step that went wrong in a replay, and the observation, one a line.
pub fn replayed(replayed: &Replayed) -> Vec<String> {
    let Replayed { expected, actual, nearest, .. } = replayed;
    let mut said = Vec::new();
    for (what, text) in [("expected", expected), ("actual", actual), ("nearest", nearest)] {
        if let Some(text) = text {
            said.push(format!("{what}: {}", line(text, LINE_MAX)));
        }
    }
    said
}

/// Returns the violation of a `never` or `must`, one sentence a line.
pub fn violation(ended: &SpecEnded) -> impl Iterator<Item = String> {
    ended.violation.iter().take(ITEMS_MAX).map(|sentence| line(sentence, LINE_MAX))
}

/// Returns the progress of a search that found no run, one sentence a line.
pub fn reached(ended: &SpecEnded) -> Vec<String> {
    // Nobody reads a longer list.
    const SHOWN_MAX: usize = 8;
    let mut said = Vec::new();
    // With a run at hand, nobody asks how near the search came.
    let Some(reach) = ended.reach.as_ref().filter(|_| ended.run.is_empty()) else { return said };
    if reach.starts_crashed > 0 {
        said.push(format!(
            "the app crashed at its start, {} of {} times",
            reach.starts_crashed, reach.starts
        ));
    }
    if reach.surprises > 0 {
        let times = counted(reach.surprises, "time");
        said.push(format!("the app did not always answer alike: {times} the same actions led elsewhere"));
    }
    if let Some((residual, distance)) = &reach.closest {
        let steps = counted(*distance, "step");
        said.push(format!("came closest with at least {steps} to go: {}", line(residual, LINE_MAX)));
    }
    let never: Vec<String> = unseen(reach).take(SHOWN_MAX).map(|(atom, _)| line(atom, LINE_MAX)).collect();
    if !never.is_empty() {
        said.push(format!("never seen true: {}{}", never.join(" "), rest(unseen_count(reach), never.len())));
    }
    // Of a `possible` nobody asks what was explored for it.
    said.extend(explored_for(reach).filter(|_| reach.tried_count > 0));
    said.extend(confidence(reach));
    if !reach.never_tried.is_empty() {
        let some: Vec<String> =
            distinct(&reach.never_tried).take(SHOWN_MAX).map(|action| line(action, 100)).collect();
        // The list may be cut, so the count comes apart from it.
        let count = reach.never_tried_count.max(reach.never_tried.len());
        let actions = counted(count as u64, "action");
        said.push(format!("never tried: {actions}: {}{}", some.join(", "), rest(count, some.len())));
    }
    said
}

/// Returns how rare a fault must be that the search of a `never` or `must` has missed; nothing if that is not known.
pub fn confidence(reach: &Reached) -> Option<String> {
    let times = NonZero::new(reach.tries_median)?;
    // A fault that shows in a share p of all tries stays away in n of them with the chance (1 - p)^n.
    let share = 1.0 - libm::pow(0.05, 1.0 / f64::from(times.get()));
    Some(format!(
        "tried {} of {}, half of them at least {}; a fault that shows by chance in more than {:.1} % of the tries of an \
         action would have been seen (95 % confidence)",
        reach.tried_count,
        counted(reach.tried_count.saturating_add(reach.never_tried_count) as u64, "action"),
        counted(u64::from(times.get()), "time"),
        share * 100.0
    ))
}

/// Returns each text once, as actions of many screens share a name.
pub fn distinct(texts: &[String]) -> impl Iterator<Item = &str> {
    let mut met = BTreeSet::new();
    texts.iter().map(|text| &**text).filter(move |text| met.insert(*text))
}

/// Returns the atoms that never held, each with the value that was seen in its place.
pub fn unseen(reach: &Reached) -> impl Iterator<Item = (&str, Option<&str>)> {
    let never = reach.held.iter().filter(|(_, times)| *times == 0);
    never.map(|(atom, _)| {
        let hint = reach.hints.iter().find(|(of, _)| of == atom).map(|(_, hint)| &**hint);
        (&**atom, hint)
    })
}

fn unseen_count(reach: &Reached) -> usize {
    reach.held.iter().filter(|(_, times)| *times == 0).count()
}

fn rest(count: usize, shown: usize) -> String {
    if count > shown { format!(", and {} more", grouped((count - shown) as u64)) } else { String::new() }
}

/// Returns the name of a notice, and its text.
pub fn notice(notice: &Notice) -> (&'static str, &str) {
    match notice {
        Notice::Toast(text) => ("a toast", text),
        Notice::Crash(text) => ("a crash", text),
        Notice::Anr(text) => ("does not respond", text),
        Notice::Prompt(text) => ("a prompt of the system", text),
        Notice::Field(text) => ("letters stay in the field", text),
    }
}

/// Returns the first line of a text that is not blank.
pub fn first_line(text: &str, chars_max: usize) -> String {
    line(text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default(), chars_max)
}

/// Returns the command line that does `command` with the test at `path`.
pub fn command(command: &str, path: &str) -> String {
    let path = line(path, TEXT_MAX);
    // A path that starts a flag is no plain word either.
    let path = if path.starts_with('-') { in_quotes(&path) } else { in_shell(&path) };
    let mut typed = String::new();
    // After `--` a path that looks like a flag is a path.
    let dashes = if path.starts_with("'-") { "-- " } else { "" };
    let _ = write!(typed, "farlead {command} {dashes}{path}");
    typed
}

/// Returns a word as one types it in a shell.
pub fn in_shell(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_./-+=:@%,".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_string() } else { in_quotes(word) }
}

fn in_quotes(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_or_breaks_a_reader_is_replaced_and_long_texts_are_cut() {
        assert_eq!(line("a\u{1b}[31m\u{202e}b\nc\u{ffff}\0", 99), "a\u{fffd}[31m\u{fffd}b c\u{fffd}\u{fffd}");
        assert_eq!(line(&"ä".repeat(9), 3), "äää …");
        assert_eq!(line("äää", 3), "äää");
        assert_eq!(lines("a\r\n\tb\u{7}", 99), "a\n    b\u{fffd}");
        assert_eq!(escape("<a b=\"'&'\">"), "&lt;a b=&quot;&#39;&amp;&#39;&quot;&gt;");
    }

    #[test]
    fn numbers_and_times_are_said_for_people() {
        assert_eq!((grouped(7), grouped(1_234_567)), ("7".to_string(), "1,234,567".to_string()));
        assert_eq!((counted(1u32, "step"), counted(0u32, "step")), ("1 step".into(), "0 steps".into()));
        let said = [999, 12_345, 61_000, 7_260_000].map(duration);
        assert_eq!(said, ["999 ms", "12.3 s", "1 min 1 s", "2 h 1 min"]);
        assert_eq!(seconds(12_045), "12.045");
    }

    #[test]
    fn what_is_to_be_typed_is_one_argument() {
        assert_eq!(command("replay", "a/b.test.ltl"), "farlead replay a/b.test.ltl");
        assert_eq!(command("replay", "it's; rm -rf"), r"farlead replay 'it'\''s; rm -rf'");
        assert_eq!(command("replay", "-x"), "farlead replay -- '-x'");
    }
}
