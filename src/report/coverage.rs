//! Coverage of an explored app, in words.

use super::words::{counted, duration, grouped, len, line};
use crate::event::{Coverage, PathCounts, Reached, StateCounts, Unreached};
use crate::sorted;

/// Most names in a line.
const NAMES_MAX: usize = 5;

/// Returns a sentence about the whole, and one for each kind of thing that can be covered.
pub fn sentences(coverage: &Coverage) -> Vec<String> {
    let Coverage { agent, why, episodes, steps, earlier_steps, device_ms, done, .. } = coverage;
    let earlier = match earlier_steps {
        0 => String::new(),
        _ => format!("; {} in earlier runs", counted(*earlier_steps, "step")),
    };
    let mut all = vec![format!(
        "explored by {}: {} in {}, {} on the device{earlier}; {}",
        line(agent, 80),
        counted(*steps, "step"),
        counted(u64::from(*episodes), "episode"),
        duration(*device_ms),
        line(why, 200)
    )];
    all.push(activities(coverage));
    all.extend(unseen(coverage));
    all.push(format!(
        "screens: {}; transitions between them: {}",
        grouped(coverage.screens as u64),
        grouped(coverage.transitions as u64)
    ));
    let offered = done.saturating_add(coverage.never_done_count);
    let mut actions =
        format!("actions done: {} of {} offered", grouped(*done as u64), grouped(offered as u64));
    if !coverage.never_done.is_empty() {
        actions += &format!("; never done: {}", some(coverage.never_done.iter().map(String::as_str)));
    }
    all.push(actions);
    all.extend(never_done(coverage));
    if let Some(PathCounts { decided, arrived, missed }) = &coverage.paths {
        all.push(format!(
            "paths: {} decided on; {} ended where they should, {} elsewhere",
            grouped(*decided),
            grouped(*arrived),
            grouped(*missed)
        ));
    }
    if let Some(StateCounts { count, refined, coarsened }) = &coverage.states {
        all.push(format!(
            "states of the abstraction: {}; more was told apart {} times, and this taken back {} times",
            grouped(*count),
            grouped(*refined),
            grouped(*coarsened)
        ));
    }
    if let Some(half) = half_of_screens(coverage) {
        all.push(format!(
            "something new came up last at step {}; half of the screens were known at step {}",
            grouped(coverage.last_new),
            grouped(half)
        ));
    }
    all
}

/// Returns which activities were seen, of those that the app declares.
fn activities(coverage: &Coverage) -> String {
    let seen = len(&coverage.activities);
    match &coverage.unseen {
        None => format!("activities: {}; it is not known how many the app has", grouped(seen)),
        Some(unseen) => {
            let all = grouped(seen + len(unseen));
            let rest = if unseen.is_empty() {
                String::new()
            } else {
                format!("; never seen: {}", some(unseen.iter().map(|name| crate::gui::short_activity(name))))
            };
            format!("activities: {} of {all}{rest}", grouped(seen))
        }
    }
}

/// Returns for the first activities that were never seen why that is so, most likely; those with the same reason
/// together.
fn unseen(coverage: &Coverage) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in &coverage.unreached {
        let Some(activity) = &one.activity else { continue };
        let name = crate::gui::short_activity(activity);
        match reasons.iter_mut().find(|(because, _)| *because == one.because) {
            Some((_, names)) => names.push(name),
            None => reasons.push((&one.because, vec![name])),
        }
    }
    let said = |(because, names): (&str, Vec<&str>)| {
        format!("{}, most likely: {}", some(names.into_iter()), line(because, 300))
    };
    reasons.into_iter().take(NAMES_MAX).map(said).collect()
}

/// Returns why actions were never done, most likely, with their numbers.
fn never_done(coverage: &Coverage) -> Option<String> {
    let mut counts: Vec<(u64, &str)> =
        coverage.reasons.iter().map(|(reason, count)| (*count, &**reason)).collect();
    sorted::by_key(&mut counts, |&(count, reason)| (std::cmp::Reverse(count), reason));
    let said = counts.into_iter().map(|(count, reason)| {
        let why = match reason {
            "budget_short" => "for lack of steps",
            "last_steps" => "offered only at the last steps of episodes",
            "another_app" => "in another app",
            "permission" => "where the system asks for a permission",
            "crash_first" => "where the app has crashed",
            other => other,
        };
        format!("{} {}", grouped(count), line(why, 80))
    });
    let said: Vec<String> = said.take(NAMES_MAX).collect();
    (!said.is_empty())
        .then(|| format!("actions never done on any screen of their activity: {}", said.join(", ")))
}

/// Returns the first of what was never reached: what it is, where it is, and the likeliest reason.
pub fn gaps(coverage: &Coverage, most: usize) -> Vec<[String; 3]> {
    let gap = |one: &Unreached| {
        let what = one.activity.as_deref().or(one.action.as_deref()).unwrap_or_default();
        let on = one.on.as_deref().unwrap_or_default();
        [line(what, 160), line(on, 100), line(&one.because, 300)]
    };
    coverage.unreached.iter().take(most).map(gap).collect()
}

/// Returns how much a search without a run has explored, if an agent searched.
pub fn explored_for(reach: &Reached) -> Option<String> {
    let (quiet, episodes) = reach.quiet?;
    let news = match quiet {
        0 => "the last episode still met a new screen".to_string(),
        1 => format!("nothing new in the last of {}", counted(u64::from(episodes), "episode")),
        _ => format!(
            "nothing new in the last {} of {}",
            grouped(u64::from(quiet)),
            counted(u64::from(episodes), "episode")
        ),
    };
    Some(format!(
        "explored for it: {}; {} never tried; {news}",
        counted(reach.screens as u64, "screen"),
        counted(reach.never_tried_count as u64, "action")
    ))
}

/// Returns the first of `names`, joined by commas.
fn some<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let rest = if names.len() > NAMES_MAX { ", ..." } else { "" };
    names.take(NAMES_MAX).map(|name| line(name, 80)).collect::<Vec<_>>().join(", ") + rest
}

/// Returns the step at which half of the screens were known.
fn half_of_screens(coverage: &Coverage) -> Option<u64> {
    let half = coverage.screens.div_ceil(2) as u64;
    coverage.curve.iter().find(|[_, _, screens, _, _]| *screens >= half).map(|[steps, ..]| *steps)
}
