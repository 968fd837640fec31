//! Formulas in the manner of the paper's table, made from a walk that satisfies them.

use farlead::gui::{Action, Touch};

use super::walk::Step;
use super::{Family, chance};

/// A step with a visible result, and the blind steps before it.
struct Part<'a> {
    stays: Vec<&'a Step>,
    step: &'a Step,
}

/// Returns a formula for each level: *a* names the activities and signs seen, *b* also the types of the
/// actions, and *c* the actions themselves.
pub fn formulas(walk: &[Step], family: Family, number: u64) -> Vec<(char, String)> {
    let mut rng = chance(family, number, "formulas");
    let mut parts = Vec::new();
    let mut stays = Vec::new();
    for step in walk {
        if step.is_blind() {
            stays.push(step);
        } else {
            parts.push(Part { stays: std::mem::take(&mut stays), step });
        }
    }
    let is_straight = parts.iter().all(|part| part.stays.is_empty());
    let is_by_activities = parts.iter().all(|part| part.step.sign.is_none());
    let a = match rng.below(6) {
        0 if is_straight => nexts(parts.iter().map(|part| goal(part.step))),
        1 => eventually(parts.iter().map(|part| goal(part.step))),
        2 if is_by_activities => nested(&parts),
        _ => untils(parts.iter().map(|part| (activity(&part.step.from), goal(part.step)))),
    };
    let says_how_it_ends = rng.coin();
    let b = match rng.below(4) {
        0 => nexts(walk.iter().map(|step| format!("{} & {}", kind(&step.action), goal(step)))),
        1 => {
            eventually(parts.iter().map(|part| format!("{} & {}", kind(&part.step.action), goal(part.step))))
        }
        _ => untils(parts.iter().map(|part| {
            let mut left = activity(&part.step.from);
            // Like the paper's formulas, it demands clicks alone wherever no step contradicts that.
            if part.stays.iter().all(|step| matches!(step.action, Action::Touch(Touch::Click, _))) {
                left = format!("({left} & [actionType = click])");
            }
            let right = goal(part.step);
            (left, if says_how_it_ends { format!("{} & {right}", kind(&part.step.action)) } else { right })
        })),
    };
    let mut named: Vec<String> = walk.iter().map(|step| named(step, family)).collect();
    let last = &walk[walk.len() - 1];
    let way = rng.below(3);
    let end = named.last_mut().expect("a walk has steps");
    *end = if way == 0 { format!("({end}) U ({})", goal(last)) } else { format!("{end} & {}", goal(last)) };
    if way == 2 {
        // Also with the activity that each action leads to.
        for (label, step) in named.iter_mut().zip(walk).rev().skip(1) {
            *label += &format!(" & {}", activity(&step.to));
        }
    }
    vec![('a', a), ('b', b), ('c', nexts(named.into_iter()))]
}

fn activity(word: &str) -> String {
    format!("[activity ~ {word}]")
}

fn kind(action: &Action) -> String {
    format!("[actionType = {}]", action.type_name())
}

/// Returns the formula for the screen after a step.
fn goal(step: &Step) -> String {
    match &step.sign {
        Some(sign) if step.from == step.to => format!("[text = \"{sign}\"]"),
        Some(sign) => format!("{} & [text = \"{sign}\"]", activity(&step.to)),
        None => activity(&step.to),
    }
}

/// Returns the formula for the action of a step: by its name, or by its place if the name is missing or
/// changes.
fn named(step: &Step, family: Family) -> String {
    let kind = kind(&step.action);
    let changes =
        |name: &str| family == Family::Feed && (name.starts_with("Post") || name.starts_with("tsop"));
    match (step.action.detail(), step.action.target()) {
        ("", None) => kind,
        ("", Some(on)) => format!("{kind} & [actionObjectID = {}]", on.object_id),
        (name, Some(on)) if changes(name) => format!("{kind} & [actionObjectID = {}]", on.object_id),
        (name, _) => format!("{kind} & [actionDetail = \"{name}\"]"),
    }
}

/// Returns labels at consecutive steps: `X(f & X(g & X(h)))`.
fn nexts(labels: impl DoubleEndedIterator<Item = String>) -> String {
    labels.rev().fold(String::new(), |rest, label| match &*rest {
        "" => format!("X({label})"),
        rest => format!("X({label} & {rest})"),
    })
}

/// Returns labels in this order at any steps: `X F(f & X F(g))`.
fn eventually(labels: impl DoubleEndedIterator<Item = String>) -> String {
    labels.rev().fold(String::new(), |rest, label| match &*rest {
        "" => format!("X F({label})"),
        rest => format!("X F({label} & {rest})"),
    })
}

/// Returns labels in this order, with nothing else in between: `X(e U (f & X(f U g)))`.
fn untils(parts: impl DoubleEndedIterator<Item = (String, String)>) -> String {
    parts.rev().fold(String::new(), |rest, (left, right)| match &*rest {
        "" => format!("X({left} U ({right}))"),
        rest => format!("X({left} U ({right} & {rest}))"),
    })
}

/// Returns the same, nested to the left: `X(((e U f) U g) U h)`.
fn nested(parts: &[Part<'_>]) -> String {
    let first = activity(&parts[0].step.from);
    let chain = parts.iter().fold(first, |left, part| format!("({left} U {})", activity(&part.step.to)));
    format!("X{chain}")
}
