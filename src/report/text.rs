//! The output on a terminal: a line for each spec, its run below, and at the end the number of each outcome.

use std::fmt::Write as _;

use super::words::{
    self, command, confidence, counted, form, headline, replayed, shrunk, violation, word, wrong_step,
};
use super::{Run, coverage};
use crate::event::{Coverage, Reached, ReplayVerdict, SpecBegan, SpecEnded, StepTaken};
use crate::spec::{Style, printable};

/// Named actions, of those that were never tried.
const ACTIONS_SHOWN_MAX: usize = 5;

/// Characters shown of a residual.
const LETTERS_SHOWN_MAX: usize = 400;

/// Amount and style of the output.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Use of colours.
    pub style: Style,
    /// True if each spec has its line alone.
    pub quiet: bool,
    /// True if steps have their reward, residual and reason.
    pub verbose: bool,
    /// True if the paths of kept tests lead there from the current folder.
    pub is_here: bool,
}

/// Returns the output for all of `run`.
pub fn text(run: &Run, wanted: Wanted) -> String {
    let mut out = String::new();
    if let Some(began) = run.began().filter(|began| !wanted.quiet && !began.device.is_empty()) {
        let _ = writeln!(out, "device: {}", printable(&began.device));
    }
    if let Some(coverage) = run.coverage() {
        out += &explored_text(coverage, wanted);
    }
    for spec in run.specs() {
        if let Some(ended) = &spec.ended {
            out += &spec_text(&spec.began, ended, wanted);
        }
    }
    if !wanted.quiet {
        out += &summary_text(run, wanted);
    }
    out
}

/// Returns the output for an app that was explored.
pub fn explored_text(explored: &Coverage, wanted: Wanted) -> String {
    let mut all = coverage::sentences(explored).into_iter();
    let first = all.next().unwrap_or_default();
    let rest: String = all.filter(|_| !wanted.quiet).map(|one| format!("  {}\n", printable(&one))).collect();
    format!("{}\n{rest}", printable(&first))
}

/// Returns the output for one spec.
pub fn spec_text(began: &SpecBegan, ended: &SpecEnded, wanted: Wanted) -> String {
    let mut out = String::new();
    let name = word(ended);
    let painted = match wanted.style {
        Style::Plain => name.to_string(),
        Style::Colour => {
            let (colour, sign) = if ended.exit == 0 { (32, '\u{2713}') } else { (31, '\u{2717}') };
            format!("\u{1b}[1;{colour}m{sign} {name}\u{1b}[0m")
        }
    };
    let SpecBegan { file, line, name, expectation, .. } = began;
    let _ = writeln!(
        out,
        "{}:{line}: {} {name:?}: {painted}: {}",
        printable(file),
        form(began),
        printable(&ended.why)
    );
    if wanted.quiet {
        return out;
    }
    if wanted.verbose || is_news(ended) {
        for step in &began.scenario {
            let _ = writeln!(out, "  {}", printable(step));
        }
    }
    if ended.run.is_empty() {
        if let Some(reach) = &ended.reach {
            out += &reach_text(expectation == "possible", reach);
        }
    } else if wanted.verbose || is_news(ended) {
        out += &run_text(ended, wanted);
    }
    if wanted.verbose || is_news(ended) {
        for sentence in ended.replay.iter().flat_map(replayed).chain(violation(ended)) {
            let _ = writeln!(out, "  {}", printable(&sentence));
        }
    }
    if let Some(shrunk) = shrunk(ended) {
        let _ = writeln!(out, "  {shrunk}");
    }
    if let Some(test) = &ended.test {
        let _ = writeln!(out, "  kept in {}", printable(test));
    }
    for line in &ended.advice {
        let _ = writeln!(out, "  help: {}", printable(line));
    }
    out
}

/// Returns true if the steps of a run are news: those of a test that came again as it should are in its file.
fn is_news(ended: &SpecEnded) -> bool {
    ended.replay.is_none() || ended.exit != 0
}

/// Returns the last lines: the number of specs and of each outcome, and the command that replays the tests that were kept.
pub fn summary_text(run: &Run, wanted: Wanted) -> String {
    let mut out = headline(run) + "\n";
    let tests = run.specs().iter().filter_map(|spec| spec.ended.as_ref()?.test.as_deref());
    if wanted.is_here
        && let Some(path) = common(tests)
    {
        let _ = writeln!(out, "again: {}", command("replay", path));
    }
    out
}

/// Returns the path if there is one, else the innermost folder that has all of them.
fn common<'p>(mut paths: impl Iterator<Item = &'p str>) -> Option<&'p str> {
    let is_slash = |char| matches!(char, '/' | '\\');
    // A folder ends before a slash; a common beginning of two names is none.
    let ends = |text: &str, at: usize| {
        text.is_char_boundary(at) && (at == text.len() || text[at..].starts_with(is_slash))
    };
    let first = paths.next()?;
    let folder = paths.fold(first, |common, path| {
        let same = common.bytes().zip(path.bytes()).take_while(|(one, other)| one == other).count();
        let end = (0..=same).rev().find(|&at| ends(common, at) && ends(path, at));
        &common[..end.unwrap_or(0)]
    });
    Some(folder).filter(|folder| !folder.is_empty())
}

/// Returns the steps of a run, the one that went wrong marked.
fn run_text(ended: &SpecEnded, wanted: Wanted) -> String {
    let mut out = String::new();
    let wrong = wrong_step(ended);
    for (number, step) in ended.run.iter().enumerate() {
        let text = step_text(number, step, wanted.verbose);
        if wrong == Some(number) {
            // The mark takes the place of the indent, so that steps stay in their column.
            out += &marked(text.trim_start_matches(' '), wanted.style);
        } else {
            out += &text;
        }
    }
    // A step that could not be done is not among those of the run.
    let missing = ended.replay.as_ref().filter(|replay| replay.verdict == ReplayVerdict::Diverged);
    if let Some((step, action)) = missing.and_then(|replay| Some((replay.step?, replay.expected.as_ref()?)))
        && step >= ended.run.len()
    {
        out += &marked(&format!("{step}. {}\n", shortened(&printable(action))), wanted.style);
    }
    out
}

fn marked(step: &str, style: Style) -> String {
    match style {
        Style::Plain => format!("> {step}"),
        Style::Colour => format!("\u{1b}[1;31m>\u{1b}[0m {step}"),
    }
}

/// Returns the output for one step.
pub fn step_text(number: usize, step: &StepTaken, verbose: bool) -> String {
    let mut out = format!("  {number}. {}\n", step.action.shown);
    for line in [&step.why, &step.learned].into_iter().flatten().filter(|_| verbose) {
        let _ = writeln!(out, "     {line}");
    }
    for notice in &step.notices {
        let (what, text) = words::notice(notice);
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let _ = writeln!(out, "     {what}: {}", printable(line));
    }
    if verbose {
        let _ = writeln!(out, "     reward {:.3}, leaves {}", step.reward, shortened(&step.residual));
    }
    out
}

/// Returns `text`, cut if it is too long to be read at a glance.
pub fn shortened(text: &str) -> String {
    let kept: String = text.chars().take(LETTERS_SHOWN_MAX).collect();
    if kept.len() < text.len() { kept + " ..." } else { kept }
}

fn reach_text(is_possible: bool, reach: &Reached) -> String {
    let mut out = String::new();
    if reach.starts_crashed > 0 {
        let _ = writeln!(
            out,
            "  the app crashed at its start, {} of {} times",
            reach.starts_crashed, reach.starts
        );
    }
    if reach.surprises > 0 {
        let times = counted(reach.surprises, "time");
        let _ =
            writeln!(out, "  the app did not always answer alike: {times} the same actions led elsewhere");
    }
    // For a `possible` people ask how near the search came; else, if the atoms were seen at all.
    if is_possible {
        if let Some((residual, distance)) = &reach.closest {
            let steps = counted(u64::from(*distance), "step");
            let _ = writeln!(out, "  came closest with at least {steps} to go: {}", shortened(residual));
        }
        let never: Vec<&str> =
            reach.held.iter().filter(|(_, times)| *times == 0).map(|(atom, _)| &**atom).collect();
        if !never.is_empty() {
            let _ = writeln!(out, "  never seen true: {}", shortened(&never.join(" ")));
        }
    } else {
        if let Some(explored) = coverage::explored_for(reach) {
            let _ = writeln!(out, "  {explored}");
        }
        for (atom, times) in &reach.held {
            let times = if *times == 1 { "once".to_string() } else { format!("{times} times") };
            let _ = writeln!(out, "  {atom} held {times}");
        }
    }
    if let Some(confidence) = confidence(reach) {
        let _ = writeln!(out, "  {confidence}");
    }
    if reach.never_tried_count > 0 {
        let some: Vec<&str> = reach.never_tried.iter().take(ACTIONS_SHOWN_MAX).map(String::as_str).collect();
        let more = if reach.never_tried_count > some.len() { ", ..." } else { "" };
        let count = counted(reach.never_tried_count as u64, "action");
        let screens = counted(reach.screens as u64, "screen");
        let _ = writeln!(out, "  never tried: {count} on {screens}: {}{more}", some.join(", "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_replayed_from_the_innermost_folder_that_has_all() {
        let common = |paths: &[&'static str]| common(paths.iter().copied());
        assert_eq!(common(&["t/a/b.test.ltl"]), Some("t/a/b.test.ltl"));
        assert_eq!(common(&["t/a/b.test.ltl", "t/a/c.test.ltl"]), Some("t/a"));
        assert_eq!(common(&["t/ab/x", "t/ac/x", "t/ab/y"]), Some("t"));
        assert_eq!(common(&["t/a", "t/a/b"]), Some("t/a"));
        assert_eq!(common(&["t/é1/a", "t/è1/a"]), Some("t"));
        assert_eq!(common(&["a", "b"]), None);
        assert_eq!(common(&[]), None);
    }
}
