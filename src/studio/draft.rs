//! Specs of a run that was led by hand, as text.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::message::{Form, When};
use super::remembered::Remembered;
use super::run::{Expected, LedStep};
use crate::gui::{
    Action, ActionTypes, Atom, Comparison, Constant, DeviceAction, Key, Op, Stroke, Touch, atom_of_action,
    quote, short_activity,
};
use crate::spec::Expectation;

/// Returns the spec `name` that a run of these steps meets, if it does what is `expected`, and one `never` for each thing
/// that must not happen. `values` are remembered for what is expected, and `exact` is the formula of the steps themselves.
pub(super) fn text(
    name: &str,
    form: Form,
    steps: &[Arc<LedStep>],
    (expected, values): (&[Expected], &[Remembered]),
    exact: Option<String>,
) -> String {
    let is_possible = expected.iter().any(|one| one.when != When::Never);
    let possible = match form {
        Form::A | Form::B => {
            format!("possible {}:\n    {}\n", quote(name), goals(form, steps, expected, values))
        }
        Form::C => exact.unwrap_or_else(|| {
            let lines: Vec<String> = (0..steps.len()).map(|at| exact_line(at, steps, expected)).collect();
            format!(
                "possible {} within {} steps:\n    {}\n",
                quote(name),
                lines.len(),
                lines.join(" then\n    ")
            )
        }),
        Form::Scenario => return scenario(name, steps, expected),
    };
    let prohibitions = prohibitions(name, expected);
    // Whoever expects only that something never happens wants nothing else.
    if is_possible || prohibitions.is_empty() {
        [vec![possible], prohibitions].concat().join("\n")
    } else {
        prohibitions.join("\n")
    }
}

/// Returns a `never` for each thing that must not happen.
fn prohibitions(name: &str, expected: &[Expected]) -> Vec<String> {
    let never = expected.iter().filter(|one| one.when == When::Never).enumerate();
    never
        .map(|(number, one)| {
            let name =
                if number == 0 { format!("{name}, never") } else { format!("{name}, never {}", number + 1) };
            format!("{} {}: F {}\n", Expectation::Never.word(), quote(&name), one.written())
        })
        .collect()
}

/// Returns what is expected of the step `at`, as parts of a conjunction.
fn parts(at: usize, expected: &[Expected]) -> Vec<String> {
    expected.iter().filter(|one| one.step == at).filter_map(part).collect()
}

/// Returns an expectation of a step as a part of a conjunction.
fn part(one: &Expected) -> Option<String> {
    match one.when {
        When::Now => Some(one.written()),
        When::FromNowOn => Some(format!("G {}", one.written())),
        When::Never => None,
    }
}

/// Goal of a formula: what is to hold at one step.
struct Goal {
    /// Parts that need no remembered value.
    plain: Vec<String>,
    /// Values that are remembered at the step.
    keeps: String,
    /// Parts that are compared with remembered values.
    compared: Vec<String>,
}

impl Goal {
    /// Returns the goal with what follows it.
    fn then(&self, rest: Option<&str>) -> String {
        let rest = rest.map(|rest| format!("X {rest}"));
        let tail: Vec<&str> = self.compared.iter().chain(&rest).map(String::as_str).collect();
        if self.keeps.is_empty() {
            let all: Vec<&str> = self.plain.iter().map(String::as_str).chain(tail).collect();
            return all.join(" & ");
        }
        // What is kept reaches to the end of the brackets.
        let kept = format!("{}{}", self.keeps, tail.join(" & "));
        self.plain.iter().map(String::as_str).chain([&*kept]).collect::<Vec<_>>().join(" & ")
    }
}

/// Returns the formula that reaches what is expected, one step after the other.
fn goals(form: Form, steps: &[Arc<LedStep>], expected: &[Expected], values: &[Remembered]) -> String {
    let mut goals: Vec<Goal> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let here = expected.iter().filter(|one| one.step == at);
        let (compared, plain): (Vec<&Expected>, Vec<&Expected>) =
            here.partition(|one| !one.atom.kept().is_empty());
        let parts = |all: Vec<&Expected>| all.into_iter().filter_map(part).collect::<Vec<String>>();
        let kept = values.iter().filter(|one| one.step == at);
        let mut goal = Goal {
            plain: parts(plain),
            keeps: kept.map(|one| format!("keep {} = {}: ", one.name, one.term)).collect(),
            compared: parts(compared),
        };
        let is_last = at + 1 == steps.len();
        let is_empty = goal.plain.is_empty() && goal.compared.is_empty();
        // A run without any expectation leads where it ended, and a value is remembered on its screen.
        if (is_empty && is_last && goals.is_empty()) || (goal.plain.is_empty() && !goal.keeps.is_empty()) {
            let activity = comparison(Key::Activity, short_activity(step.observation.screen.activity()));
            let atom = activity.and_then(|one| Atom::new(vec![one]).ok());
            goal.plain.extend(atom.map(|atom| atom.to_string()));
        }
        if goal.plain.is_empty() && goal.compared.is_empty() && goal.keeps.is_empty() {
            continue;
        }
        if form == Form::B {
            let of_type = comparison(Key::ActionType, step.action.type_name());
            let atom = of_type.and_then(|one| Atom::new(vec![one]).ok());
            goal.plain.splice(0..0, atom.map(|atom| atom.to_string()));
        }
        goals.push(goal);
    }
    let last = goals.pop().map_or_else(|| "true".to_string(), |last| last.then(None));
    let is_one = !last.contains(" & ") && !last.contains(": ");
    let last = if is_one { format!("F {last}") } else { format!("F ({last})") };
    goals.iter().rev().fold(last, |rest, goal| format!("F ({})", goal.then(Some(&rest))))
}

/// Returns the action of the step `at` and what is expected there.
fn exact_line(at: usize, steps: &[Arc<LedStep>], expected: &[Expected]) -> String {
    let action = atom_of_action(&steps[at].action).map(|atom| atom.to_string());
    let all: Vec<String> = action.into_iter().chain(parts(at, expected)).collect();
    if all.is_empty() { "true".to_string() } else { all.join(" & ") }
}

fn comparison(key: Key, text: &str) -> Option<Comparison> {
    let none = BTreeSet::new();
    let value = Constant::Text(text.to_string());
    Comparison::new(key, Op::Equal, value, ActionTypes::Declared(&none)).ok()
}

/// Returns the run in plain words: a scenario of what is expected at its steps, and one for each thing that is to hold always
/// or never, as such a sentence speaks of all runs.
fn scenario(name: &str, steps: &[Arc<LedStep>], expected: &[Expected]) -> String {
    let now: Vec<&Expected> = expected.iter().filter(|one| one.when == When::Now).collect();
    let last = now.iter().map(|one| one.step).max().unwrap_or(steps.len().saturating_sub(1));
    let mut lines = Lines::new(name);
    for (at, step) in steps.iter().enumerate().take(last + 1) {
        if at > 0 {
            lines.add("When", &action_sentence(step));
        }
        for one in now.iter().filter(|one| one.step == at) {
            // Only the last sentences may say when they hold.
            let sentence =
                if at == last && at > 0 { format!("immediately {}", sentence(one)) } else { sentence(one) };
            lines.add("Then", &sentence);
        }
    }
    if now.is_empty()
        && let Some(last) = steps.last()
    {
        let activity = last.observation.screen.activity();
        lines.add("Then", &format!("I am on {}", quote(short_activity(activity))));
    }
    let mut scenarios = Vec::new();
    let all_later = expected.iter().all(|one| one.when != When::Now) && !expected.is_empty();
    if !all_later {
        scenarios.push(lines.text);
    }
    for (number, one) in expected.iter().filter(|one| one.when != When::Now).enumerate() {
        let mut lines = Lines::new(&format!("{name}, rule {}", number + 1));
        if one.when == When::FromNowOn {
            steps.iter().skip(1).take(one.step).for_each(|step| lines.add("When", &action_sentence(step)));
            lines.add("Then", &format!("always {}", sentence(one)));
        } else {
            lines.add("Then", &format!("never {}", sentence(one)));
        }
        scenarios.push(lines.text);
    }
    format!("Feature: {name}\n{}", scenarios.join("\n"))
}

/// Lines of a scenario.
struct Lines {
    text: String,
    keyword: &'static str,
}

impl Lines {
    fn new(name: &str) -> Lines {
        let text = format!("  Scenario: {name}\n    Given the app is freshly started\n");
        Lines { text, keyword: "Given" }
    }

    fn add(&mut self, keyword: &'static str, sentence: &str) {
        let shown = if self.keyword == keyword { "And" } else { keyword };
        self.keyword = keyword;
        self.text += &format!("    {shown} {sentence}\n");
    }
}

/// Returns an expectation as a sentence.
fn sentence(one: &Expected) -> String {
    let Atom::Widget(all) = &one.atom else { return one.written() };
    let [Comparison { key, op, value: Constant::Text(text) }] = &all[..] else { return one.written() };
    if *key != Key::Text || ![Op::Equal, Op::Contains].contains(op) {
        return one.written();
    }
    let see = if one.holds { "I see" } else { "I do not see" };
    let exactly = if *op == Op::Equal { " exactly" } else { "" };
    format!("{see}{exactly} {}", quote(text))
}

/// Returns what was done at a step as a sentence.
fn action_sentence(step: &LedStep) -> String {
    let LedStep { action, observation, .. } = step;
    let detail = quote(action.detail());
    // Nothing names the widget, so the sentence says the type alone.
    let is_nameless =
        action.target().is_some() && action.detail().trim().is_empty() && action.typed().is_none();
    let by_type = || format!("I do {}", quote(action.type_name()));
    match action {
        Action::Touch(..) if is_nameless => by_type(),
        Action::Touch(Touch::Click, _) => format!("I click {detail}"),
        Action::Touch(Touch::LongClick, _) => format!("I long-click {detail}"),
        Action::Touch(Touch::DoubleClick, _) => format!("I double-click {detail}"),
        Action::Touch(Touch::Hover, _) => format!("I hover over {detail}"),
        Action::Text { .. } => format!("I type {detail}"),
        Action::Stroke(Stroke::Scroll, _, towards) => format!("I scroll {}", towards.name()),
        Action::Stroke(Stroke::Swipe, _, towards) => format!("I swipe {}", towards.name()),
        Action::Device(device) => match device {
            DeviceAction::Back => "I go back".to_string(),
            DeviceAction::Rotate => "I rotate the device".to_string(),
            DeviceAction::PauseResume => "I leave the app and return".to_string(),
            DeviceAction::Network => {
                let is_on = observation.screen.context().network;
                format!("I switch the network {}", if is_on { "on" } else { "off" })
            }
            DeviceAction::Menu
            | DeviceAction::Idle
            | DeviceAction::Enter
            | DeviceAction::Escape
            | DeviceAction::Forward
            | DeviceAction::Reload
            | DeviceAction::Resize => by_type(),
        },
        Action::Reinitialise(_) | Action::User { .. } => by_type(),
    }
}
