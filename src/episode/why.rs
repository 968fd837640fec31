//! Explanations of agents in words.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::situation::{Evidence, Habit, Reason, Rule, StepChange, Turn, TurnCause};

/// Returns the reason for a choice in words; `conditions` are the names of the objective's.
pub fn reason(reason: &Reason, conditions: &[Arc<str>]) -> String {
    let choice = choice(reason, conditions);
    let Some(Turn { member, cause }) = reason.turn else { return choice };
    let cause = match cause {
        TurnCause::First => "it has the first episodes".to_string(),
        TurnCause::Second => "it has every second one of the first episodes".to_string(),
        TurnCause::Wanted => "the app shows another number or text in place of a wanted one".to_string(),
        TurnCause::News(share) => format!("{:.0} % of its latest steps showed something new", share * 100.0),
        TurnCause::Again => "all was tried, so it does the likeliest runs again".to_string(),
    };
    format!("turn of {member}: {cause}; {choice}")
}

fn choice(reason: &Reason, conditions: &[Arc<str>]) -> String {
    let Reason { evidence, chance, choices, hinted, .. } = *reason;
    let times = |times: u32, what: &str| match times {
        1 => format!("{times} {what}"),
        _ => format!("{times} {what}s"),
    };
    let mut text = match evidence {
        Evidence::Wins => return "its labels alone reach the goal".to_string(),
        Evidence::Walked(1) => "known: done once after the same steps".to_string(),
        Evidence::Walked(times) => format!("known: done {times} times after the same steps"),
        Evidence::AlikeRuns(runs) => format!("known: done in {} that looked the same", times(runs, "run")),
        Evidence::OtherRuns(runs) => format!("known on this screen from {}", times(runs, "other run")),
        Evidence::OtherPlaces(places) => {
            format!("unknown here, known from {} of the activity", times(places, "other screen"))
        }
        Evidence::Habit(Habit::Back) => "unknown: it leads back in most apps".to_string(),
        Evidence::Habit(Habit::Becomes(_)) => "unknown: what it changes in most apps is known".to_string(),
        Evidence::Habit(Habit::Stays | Habit::MostlyStays | Habit::Any) => {
            "unknown: in most apps the screen stays as it is".to_string()
        }
        Evidence::Unknown => "unknown: it could lead anywhere".to_string(),
        Evidence::WayToRare => return "the way to something that was rarely seen".to_string(),
        Evidence::Swept => {
            return "goes to what was never done, or tries each text where a form refuses".to_string();
        }
        Evidence::Surveyed => {
            return "goes where a button that leads to ever other places was not clicked yet".to_string();
        }
        Evidence::Detoured => {
            return "repeats a way that ended in vain, with clicks on it that showed no effect".to_string();
        }
        Evidence::Form => return "fills a form, and then clicks a button".to_string(),
        Evidence::Pair => return "a step to two actions that were rarely done in this order".to_string(),
        Evidence::LeastTried => return format!("rarely done at what is seen here, one of {choices}"),
        Evidence::Repeated => {
            return "repeats the steps that have brought the number of widgets nearer".to_string();
        }
        Evidence::Counted => return "a step to the number or text that is wanted".to_string(),
        Evidence::Tested => {
            return "finds out whether an action changes a number or text that is wanted".to_string();
        }
        Evidence::Chance => return format!("any of {choices}"),
        Evidence::Rule(rule) => return by_rule(rule, choices),
        Evidence::Again => "all was tried: done again, to see whether the app answers alike".to_string(),
    };
    let hinted: Vec<&str> = (0_u32..)
        .zip(conditions)
        .take(64)
        .filter(|(n, _)| hinted >> n & 1 == 1)
        .map(|(_, atom)| &**atom)
        .collect();
    if let (Evidence::Unknown | Evidence::Habit(_) | Evidence::OtherPlaces(_), [first, ..]) =
        (evidence, &hinted[..])
    {
        let _ = write!(text, ", its name speaks of {first}");
    }
    let _ = match choices {
        1 => write!(text, "; the only choice, chance {chance:.3}"),
        _ => write!(text, "; best of {choices}, chance {chance:.3}"),
    };
    text
}

fn by_rule(rule: Rule, choices: usize) -> String {
    match rule {
        Rule::Path => "goes on along its path".to_string(),
        Rule::BackTo => "goes back to an activity that was hardly visited".to_string(),
        Rule::Loop => "goes on to explore what hangs together".to_string(),
        Rule::Open => format!("never done here, one of {choices}"),
        Rule::Forward => "begins a path to what was never done".to_string(),
        Rule::Activity => "begins a path to an activity that was hardly visited".to_string(),
        Rule::Backward => "goes back, as nothing else is new here".to_string(),
        Rule::Least => format!("done least here, one of {choices}"),
        Rule::Priority => format!("by its priority, one of {choices}"),
        Rule::Text => "types into the field that has the focus".to_string(),
        Rule::Fuzz => format!("any of {choices}"),
    }
}

/// Returns the news of a step in words.
pub fn change(change: StepChange) -> &'static str {
    match change {
        StepChange::NewScreen => "a screen never seen before",
        StepChange::NewWay => "a screen seen before, by a new way",
        StepChange::Stays => "nothing changes",
        StepChange::Details => "nothing changes but details that have not mattered so far",
        StepChange::AsKnown => "as it was known",
        StepChange::Otherwise => "not as before: the app does not always answer alike",
    }
}
