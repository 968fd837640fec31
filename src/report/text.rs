//! The output on a terminal: a line for each spec, its run below, and at the end the number of each outcome.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::Run;
use super::words::{confidence, counted};
use crate::event::{Outcome, Reached, ReplayVerdict, Replayed, SpecBegan, SpecEnded, StepTaken};
use crate::rate::wilson;
use crate::spec::{Style, printable};
use crate::trace::Notice;

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
    /// True if steps say why they were taken.
    pub verbose: bool,
}

/// Returns the output for all of `run`.
pub fn text(run: &Run, wanted: Wanted) -> String {
    let mut out = String::new();
    if let Some(began) = run.began().filter(|began| !wanted.quiet && !began.device.is_empty()) {
        let _ = writeln!(out, "device: {}", printable(&began.device));
    }
    for spec in run.specs() {
        if let Some(ended) = &spec.ended {
            out += &spec_text(&spec.began, ended, wanted);
        }
    }
    if !wanted.quiet {
        out += &summary_text(
            run.specs().iter().filter_map(|spec| Some((&*spec.began.file, spec.ended.as_ref()?))),
        );
    }
    out
}

/// Returns the output for one spec.
pub fn spec_text(began: &SpecBegan, ended: &SpecEnded, wanted: Wanted) -> String {
    let mut out = String::new();
    let name = said(ended);
    let painted = match wanted.style {
        Style::Plain => name,
        Style::Colour => format!("\u{1b}[1;{}m{name}\u{1b}[0m", if ended.exit == 0 { 32 } else { 31 }),
    };
    // With these signs an outcome and its reason read as one sentence: `held, replayed once`.
    let sign = match &ended.replay {
        _ if ended.outcome == Outcome::Error => ":",
        Some(_) => ",",
        None => "",
    };
    let SpecBegan { file, line, name, expectation, .. } = began;
    let _ = writeln!(
        out,
        "{}:{line}: {expectation} {name:?}: {painted}{sign} {}",
        printable(file),
        printable(&ended.why)
    );
    if wanted.quiet {
        return out;
    }
    if ended.run.is_empty() {
        if let Some(reach) = &ended.reach {
            out += &reach_text(expectation == "possible", reach);
        }
    } else {
        for (number, step) in ended.run.iter().enumerate() {
            out += &step_text(number, step, wanted.verbose);
        }
    }
    if let Some(replay) = &ended.replay {
        out += &replay_text(replay);
    }
    if let Some(rate) = ended.confirmed.filter(|rate| rate.runs > 0) {
        let short = match ended.found_steps {
            Some(found) if found > ended.run.len() => {
                format!("made short from {} to {}; ", counted(found as u64, "step"), ended.run.len())
            }
            Some(_) | None => String::new(),
        };
        let _ = writeln!(out, "  {short}done again {} of {} times", rate.passes, rate.runs);
    }
    if let Some(test) = &ended.test {
        let _ = writeln!(out, "  kept in {}", printable(test));
    }
    for line in &ended.advice {
        let _ = writeln!(out, "  help: {}", printable(line));
    }
    out
}

/// Returns the outcome of a spec in a word or two; for a replay, its verdict.
fn said(ended: &SpecEnded) -> String {
    match (ended.outcome, ended.replay.as_ref().map(|replay| replay.verdict)) {
        // Replayed, a `never` or `must` has a verdict opposite to its outcome, and the outcome is the news.
        (Outcome::Met, Some(verdict @ ReplayVerdict::Held))
        | (Outcome::Broken, Some(verdict @ ReplayVerdict::Broke))
        | (Outcome::Broken | Outcome::Untested, Some(verdict @ ReplayVerdict::Diverged)) => {
            verdict.name().to_string()
        }
        (outcome, _) => outcome.name().replace('_', " "),
    }
}

/// Returns the last line: the number of specs, and of each outcome.
pub fn summary_text<'a>(specs: impl Iterator<Item = (&'a str, &'a SpecEnded)>) -> String {
    let (mut files, mut outcomes, mut all) = (BTreeSet::new(), BTreeMap::new(), 0_usize);
    for (file, ended) in specs {
        files.insert(file);
        *outcomes.entry(said(ended)).or_insert(0_u64) += 1;
        all += 1;
    }
    let counts: Vec<String> = outcomes.iter().map(|(name, count)| format!("{count} {name}")).collect();
    format!(
        "{} in {}: {}\n",
        counted(all as u64, "spec"),
        counted(files.len() as u64, "file"),
        counts.join(", ")
    )
}

/// Returns the output for one step.
pub fn step_text(number: usize, step: &StepTaken, verbose: bool) -> String {
    let mut out = format!("  {number}. {}\n", step.action.shown);
    for line in [&step.why, &step.learned].into_iter().flatten().filter(|_| verbose) {
        let _ = writeln!(out, "     {line}");
    }
    for notice in &step.notices {
        let (what, text) = match notice {
            Notice::Toast(text) => ("a toast", text),
            Notice::Crash(text) => ("a crash", text),
            Notice::Anr(text) => ("does not respond", text),
        };
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let _ = writeln!(out, "     {what}: {}", printable(line));
    }
    let _ = writeln!(out, "     reward {:.3}, leaves {}", step.reward, shortened(&step.residual));
    out
}

/// Returns `text`, cut if it is too long to be read at a glance.
pub fn shortened(text: &str) -> String {
    let kept: String = text.chars().take(LETTERS_SHOWN_MAX).collect();
    if kept.len() < text.len() { kept + " ..." } else { kept }
}

fn replay_text(replay: &Replayed) -> String {
    let mut out = String::new();
    let rate = replay.rate;
    // The interval of a single run is too wide to tell anything.
    if rate.runs > 1 {
        let (low, high) = wilson(rate.passes, rate.runs);
        let _ = writeln!(
            out,
            "  held {} of {} times: between {:.0} and {:.0} of 100, with 95 % confidence",
            rate.passes,
            rate.runs,
            low * 100.0,
            high * 100.0
        );
    }
    if replay.verdict != ReplayVerdict::Held {
        let step = replay.step.unwrap_or_default();
        let _ = writeln!(out, "  {} at step {step}", replay.verdict.name());
        for (what, text) in
            [("expected", &replay.expected), ("actual", &replay.actual), ("nearest", &replay.nearest)]
        {
            if let Some(text) = text {
                let _ = writeln!(out, "    {what}: {}", shortened(&printable(text)));
            }
        }
    }
    out
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
            let _ = writeln!(out, "  closest: {}, {steps} from the goal at least", shortened(residual));
        }
        let never: Vec<&str> =
            reach.held.iter().filter(|(_, times)| *times == 0).map(|(atom, _)| &**atom).collect();
        if !never.is_empty() {
            let _ = writeln!(out, "  never seen true: {}", shortened(&never.join(" ")));
        }
    } else {
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
