//! Difference of two learned models in words.

use super::words::{counted, grouped, line};
use crate::learned_model::{Difference, Missed, ModelDiff, Side};

/// Items of a list in the terminal.
const SHOWN_MAX: usize = 40;

/// Names in a sentence.
const NAMES_MAX: usize = 3;

/// Most characters of a name or an action.
const CHARS_MAX: usize = 160;

/// Part of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Lost,
    Changed,
    Gained,
}

impl Part {
    pub const ALL: [Part; 3] = [Part::Lost, Part::Changed, Part::Gained];

    pub fn title(self) -> &'static str {
        match self {
            Part::Lost => "lost",
            Part::Changed => "leads elsewhere",
            Part::Gained => "gained",
        }
    }

    pub fn of(self, diff: &ModelDiff) -> &[Difference] {
        match self {
            Part::Lost => &diff.lost,
            Part::Changed => &diff.changed,
            Part::Gained => &diff.gained,
        }
    }
}

/// Returns the difference as text.
pub fn model_diff_text(diff: &ModelDiff) -> String {
    let mut text = format!("{}: {}\n", line(&diff.package, CHARS_MAX), versions(diff));
    for part in Part::ALL {
        let all = part.of(diff);
        if !all.is_empty() {
            text += &format!("{}: {}\n", part.title(), grouped(all.len() as u64));
        }
        for difference in all.iter().take(SHOWN_MAX) {
            let (what, more) = sentence(difference, part);
            text += &format!("  {what}{more}\n");
        }
        if all.len() > SHOWN_MAX {
            text += &format!("  and {} more\n", grouped((all.len() - SHOWN_MAX) as u64));
        }
    }
    if Part::ALL.iter().all(|part| part.of(diff).is_empty()) {
        text += "no difference was found\n";
    }
    if !diff.alike.is_empty() {
        text += &format!("matched by likeness: {}\n", counted(diff.alike.len() as u64, "screen"));
        for pair in diff.alike.iter().take(SHOWN_MAX) {
            let [old, new] = [&pair.old, &pair.new].map(|name| line(name, CHARS_MAX));
            text += &format!("  {old} is now {new}, with {} % of the actions in common\n", pair.percent);
        }
    }
    for (side, run) in [(&diff.old, "old"), (&diff.new, "new")] {
        if let Some(missed) = missed(&side.only) {
            text += &format!("only the {run} run came to {missed}\n");
        }
    }
    text
}

/// Returns both versions in words.
pub(super) fn versions(diff: &ModelDiff) -> String {
    let of = |side: &Side| {
        format!(
            "{} ({}, {})",
            line(&side.version, CHARS_MAX),
            counted(side.screens as u64, "screen"),
            counted(side.steps, "step")
        )
    };
    format!("{} -> {}", of(&diff.old), of(&diff.new))
}

/// Returns the things that one run came to and the other may have missed, if there are any.
pub(super) fn missed(only: &Missed) -> Option<String> {
    let list = |count: usize, what: &str, names: &[String]| {
        (count > 0).then(|| format!("{} ({})", counted(count as u64, what), some(names, count)))
    };
    let both = [list(only.screens, "screen", &only.names), list(only.actions, "action", &only.examples)];
    let both: Vec<String> = both.into_iter().flatten().collect();
    (!both.is_empty()).then(|| both.join(", "))
}

/// Returns the first of `count` names.
fn some(names: &[String], count: usize) -> String {
    let mut shown: Vec<String> = names.iter().take(NAMES_MAX).map(|name| line(name, CHARS_MAX)).collect();
    if count > shown.len() {
        shown.push("...".to_string());
    }
    shown.join("; ")
}

/// Returns what differs, and what there is to say of it.
pub(super) fn sentence(difference: &Difference, part: Part) -> (String, String) {
    let is_lost = part == Part::Lost;
    let others = |screens: usize| match screens.saturating_sub(1) {
        0 => String::new(),
        others => format!(" and {}", counted(others as u64, "other screen")),
    };
    match difference {
        Difference::Activity { activity } => {
            let more = if is_lost { "the app no longer declares it" } else { "the app declares it now" };
            (format!("activity {}", line(activity, CHARS_MAX)), format!(": {more}"))
        }
        Difference::Screen { screen, by, .. } => {
            let ways = some(by, by.len());
            let more = match (by.is_empty(), is_lost) {
                (true, _) => String::new(),
                (false, true) => format!(": nothing leads there that did: {ways}"),
                (false, false) => format!(": by {ways}"),
            };
            (format!("screen {}", line(screen, CHARS_MAX)), more)
        }
        Difference::Widget { widget, actions, screen, screens, .. } => (
            format!("{} {}", actions.join(", "), line(widget, CHARS_MAX)),
            format!(" on {}{}", line(screen, CHARS_MAX), others(*screens)),
        ),
        Difference::Way { action, screen, screens, old, new, .. } => (
            line(action, CHARS_MAX),
            format!(
                " on {}{}: to {}, and no longer to {}",
                line(screen, CHARS_MAX),
                others(*screens),
                some(new, new.len()),
                some(old, old.len())
            ),
        ),
    }
}
