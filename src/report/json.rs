//! Results as JSON lines: one line at the start of a spec, one with its result, and one summary.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Run;
use super::words::kind;
use crate::event::{Coverage, Replayed, SpecBegan, SpecEnded, StepTaken};
use crate::rate::Rate;

/// A line of the output.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a line is written as soon as it is made")]
enum Line<'a> {
    Start {
        file: &'a str,
        spec: &'a str,
        device: &'a str,
    },
    Result {
        file: &'a str,
        spec: &'a str,
        outcome: &'a str,
        exit: u8,
        episodes: u32,
        steps: u64,
        length: Option<usize>,
        found: Option<usize>,
        confirmed: Option<Rate>,
        test: Option<&'a str>,
        replay: Option<&'a Replayed>,
        seed: u64,
        actions: Vec<ActionLine<'a>>,
        residuals: Vec<&'a str>,
        reasons: Vec<Option<&'a str>>,
        learned: Vec<Option<&'a str>>,
        violation: &'a [String],
        why: &'a str,
        advice: &'a [String],
    },
    Explored(&'a Coverage),
    Summary {
        files: usize,
        specs: usize,
        outcomes: BTreeMap<&'a str, usize>,
    },
}

/// An action in JSON.
#[derive(Serialize)]
struct ActionLine<'a> {
    #[serde(rename = "type")]
    action_type: &'a str,
    detail: &'a str,
    #[serde(rename = "objectID")]
    object_id: Option<&'a str>,
    bounds: Option<[i32; 4]>,
}

impl ActionLine<'_> {
    fn new(step: &StepTaken) -> ActionLine<'_> {
        let action = &step.action;
        ActionLine {
            action_type: &action.action_type,
            detail: &action.detail,
            object_id: action.object_id.as_deref(),
            bounds: action.bounds.map(|bounds| [bounds.left, bounds.top, bounds.right, bounds.bottom]),
        }
    }
}

/// Returns the lines of all of `run`.
pub fn json(run: &Run) -> String {
    let (device, seed) = run.began().map_or(("", 0), |began| (&*began.device, began.seed));
    let ended = || run.specs().iter().filter_map(|spec| Some((&spec.began, spec.ended.as_ref()?)));
    let lines: String = ended().map(|(began, ended)| spec_json(began, ended, device, seed)).collect();
    let explored = run.coverage().map(explored_json).unwrap_or_default();
    explored + &lines + &summary_json(run)
}

/// Returns the line of an app that was explored.
pub fn explored_json(coverage: &Coverage) -> String {
    line(&Line::Explored(coverage))
}

/// Returns the lines of a spec.
pub fn spec_json(began: &SpecBegan, ended: &SpecEnded, device: &str, seed: u64) -> String {
    let SpecBegan { file, name: spec, .. } = began;
    let run = &ended.run;
    let result = Line::Result {
        file,
        spec,
        outcome: ended.outcome.name(),
        exit: ended.exit,
        episodes: ended.episodes,
        steps: ended.steps,
        // A length of 0 would look like that of a run.
        length: (!run.is_empty()).then_some(run.len()),
        found: ended.found_steps,
        confirmed: ended.confirmed,
        test: ended.test.as_deref(),
        replay: ended.replay.as_ref(),
        seed,
        actions: run.iter().map(ActionLine::new).collect(),
        residuals: run.iter().map(|step| &*step.residual).collect(),
        reasons: run.iter().map(|step| step.why.as_deref()).collect(),
        learned: run.iter().map(|step| step.learned.as_deref()).collect(),
        violation: &ended.violation,
        why: &ended.why,
        advice: &ended.advice,
    };
    line(&Line::Start { file, spec, device }) + &line(&result)
}

/// Returns the last line: the number of specs, and of each outcome.
pub fn summary_json(run: &Run) -> String {
    let mut outcomes = BTreeMap::new();
    for spec in run.specs() {
        *outcomes.entry(kind(spec)).or_insert(0) += 1;
    }
    line(&Line::Summary { files: run.files().len(), specs: run.specs().len(), outcomes })
}

fn line(line: &Line<'_>) -> String {
    serde_json::to_string(line).expect("texts and numbers can be written") + "\n"
}
