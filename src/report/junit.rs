//! JUnit XML: a suite for each file of specs, a case for each spec, with its steps as the output.
//!
//! Build servers agree on this form: properties, then a failure or an error, then the output. Times come from the clock of
//! the device, so that the same run gives the same bytes.

use std::fmt::Write as _;

use super::run::{Run, SpecReport, Standing};
use super::words::{self, ITEMS_MAX, LINE_MAX, TEXT_MAX, escape, line, seconds};
use crate::event::{RunBegan, SpecBegan, SpecEnded, StepTaken};

/// Steps written of a run; further steps are counted.
const STEPS_MAX: usize = 1_000;

/// Returns `run` as JUnit XML.
pub fn junit(run: &Run) -> String {
    let began = run.began().cloned().unwrap_or_default();
    let all: Vec<&SpecReport> = run.specs().iter().collect();
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let trouble = words::trouble(run);
    let mut counts = Counts::of(&all);
    // The run itself counts as a case if it failed.
    counts.tests += usize::from(trouble.is_some());
    counts.errors += usize::from(trouble.is_some());
    let _ = writeln!(xml, "<testsuites name=\"farlead {}\"{counts}>", value(&began.command));
    for (file, numbers) in run.files() {
        let specs: Vec<&SpecReport> = numbers.iter().map(|&number| &run.specs()[number]).collect();
        write_suite(&mut xml, &began, file, &specs);
    }
    if let Some(trouble) = trouble {
        write_trouble(&mut xml, &began, &trouble);
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// Numbers of cases of each kind, printed as attributes.
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    device_ms: u128,
}

impl Counts {
    fn of(specs: &[&SpecReport]) -> Counts {
        let count = |is: fn(Standing) -> bool| specs.iter().filter(|spec| is(spec.standing())).count();
        let times = specs.iter().filter_map(|spec| spec.ended.as_ref()).map(|ended| ended.device_ms);
        Counts {
            tests: specs.len(),
            failures: count(|standing| matches!(standing, Standing::Failed | Standing::Flaky)),
            errors: count(|standing| matches!(standing, Standing::Error | Standing::CutShort)),
            // The times of a damaged file may be of any size, and their sum must not overflow.
            device_ms: times.map(u128::from).sum(),
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts { tests, failures, errors, device_ms } = self;
        let time = seconds(*device_ms);
        write!(out, " tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time}\"")
    }
}

fn write_suite(xml: &mut String, began: &RunBegan, file: &str, specs: &[&SpecReport]) {
    let _ = writeln!(
        xml,
        "  <testsuite name=\"{0}\" file=\"{0}\" package=\"{1}\"{2} skipped=\"0\">",
        value(file),
        value(&began.package),
        Counts::of(specs)
    );
    let seed = began.seed.to_string();
    let properties = [
        ("farlead", &*began.farlead),
        ("command", &began.command),
        ("device", &began.device),
        ("app", &began.package),
        ("version", &began.version),
        ("seed", &seed),
    ];
    write_properties(xml, 4, &properties);
    for spec in specs {
        write_case(xml, spec);
    }
    xml.push_str("  </testsuite>\n");
}

/// Writes a case for a run that did not end as it should, as some tools count cases alone.
fn write_trouble(xml: &mut String, began: &RunBegan, trouble: &str) {
    let trouble = value(trouble);
    let command = value(&began.command);
    let _ = write!(
        xml,
        "  <testsuite name=\"farlead\" tests=\"1\" failures=\"0\" errors=\"1\" time=\"0.000\" skipped=\"0\">
    <testcase name=\"{command}\" classname=\"farlead\" time=\"0.000\">
      <error type=\"run\" message=\"{trouble}\"/>
    </testcase>
  </testsuite>
"
    );
}

fn write_properties(xml: &mut String, indent: usize, properties: &[(&str, &str)]) {
    let indent = " ".repeat(indent);
    let _ = writeln!(xml, "{indent}<properties>");
    for (name, text) in properties.iter().filter(|(_, text)| !text.is_empty()) {
        let _ = writeln!(xml, "{indent}  <property name=\"{name}\" value=\"{}\"/>", value(text));
    }
    let _ = writeln!(xml, "{indent}</properties>");
}

fn write_case(xml: &mut String, spec: &SpecReport) {
    let began = &spec.began;
    let device_ms = spec.ended.as_ref().map_or(0, |ended| ended.device_ms);
    let _ = writeln!(
        xml,
        "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\" time=\"{}\">",
        value(&began.name),
        value(&class_name(&began.file)),
        value(&began.file),
        began.line,
        seconds(device_ms.into())
    );
    write_case_properties(xml, spec);
    write_fault(xml, spec);
    if let Some(ended) = spec.ended.as_ref().filter(|ended| !ended.run.is_empty()) {
        let said = scenario(began) + &steps(&ended.run);
        let _ = writeln!(xml, "      <system-out>{}</system-out>", escape(&said));
    }
    xml.push_str("    </testcase>\n");
}

fn write_case_properties(xml: &mut String, spec: &SpecReport) {
    let began = &spec.began;
    let mut properties = vec![
        ("agent", began.agent.clone()),
        ("expectation", began.expectation.clone()),
        ("formula", began.formula.clone()),
        ("steps_max", began.steps_max.to_string()),
        ("episodes_max", began.episodes_max.to_string()),
        ("outcome", words::kind(spec).to_string()),
    ];
    if let Some(ended) = &spec.ended {
        properties.extend([
            ("why", ended.why.clone()),
            ("exit", ended.exit.to_string()),
            ("episodes", ended.episodes.to_string()),
            ("steps", ended.steps.to_string()),
            ("length", if ended.run.is_empty() { String::new() } else { ended.run.len().to_string() }),
            ("found_length", ended.found_steps.map_or(String::new(), |steps| steps.to_string())),
            ("confirmed", ended.confirmed.map_or(String::new(), words::rate)),
            ("test", ended.test.clone().unwrap_or_default()),
            ("replay", ended.replay.as_ref().map_or(String::new(), |one| one.verdict.name().to_string())),
        ]);
    }
    let properties: Vec<(&str, &str)> = properties.iter().map(|(name, text)| (*name, &**text)).collect();
    write_properties(xml, 6, &properties);
}

fn write_fault(xml: &mut String, spec: &SpecReport) {
    let element = match spec.standing() {
        Standing::Passed => return,
        // In JUnit a failure says something about the app; after an error nothing is known of it.
        Standing::Failed | Standing::Flaky => "failure",
        Standing::Error | Standing::CutShort => "error",
    };
    let message = format!("{}: {}", words::outcome(spec), words::why(spec, LINE_MAX));
    let body = spec.ended.as_ref().map_or(String::new(), |ended| explained(spec, ended));
    let _ = writeln!(
        xml,
        "      <{element} type=\"{}\" message=\"{}\">{}</{element}>",
        words::kind(spec),
        value(&message),
        escape(&body)
    );
}

/// Returns the details of a failure: the spec, the reason, the replay, the progress, and advice.
fn explained(spec: &SpecReport, ended: &SpecEnded) -> String {
    let mut said = vec![
        format!("{}: {}", words::title(spec), words::outcome(spec)),
        words::why(spec, TEXT_MAX),
        format!("formula: {}", line(&spec.began.formula, TEXT_MAX)),
    ];
    let steps = spec.began.scenario.iter().take(STEPS_MAX);
    said.extend(steps.map(|step| format!("  {}", line(step, LINE_MAX))));
    said.extend(ended.replay.iter().flat_map(words::replayed));
    said.extend(words::violation(ended));
    said.extend(words::reached(ended));
    said.extend(
        ended.advice.iter().take(ITEMS_MAX).map(|advice| format!("help: {}", line(advice, LINE_MAX))),
    );
    if let Some(test) = &ended.test {
        said.push(words::command("replay", test));
    }
    said.join("\n")
}

/// Returns the scenario that a spec was written as, as text before the steps of its run.
fn scenario(began: &SpecBegan) -> String {
    if began.scenario.is_empty() {
        return String::new();
    }
    let steps = began.scenario.iter().take(STEPS_MAX);
    let steps: String = steps.map(|step| format!("  {}\n", line(step, LINE_MAX))).collect();
    format!("Scenario: {}\n{steps}\n", line(&began.name, LINE_MAX))
}

/// Returns the steps of a run as text.
fn steps(run: &[StepTaken]) -> String {
    let mut text = String::new();
    for (number, step) in run.iter().enumerate().take(STEPS_MAX) {
        let _ = writeln!(text, "{number}. {}", line(&step.action.shown, LINE_MAX));
        for notice in step.notices.iter().take(ITEMS_MAX) {
            let (what, notice) = words::notice(notice);
            let _ = writeln!(text, "   {what}: {}", words::first_line(notice, LINE_MAX));
        }
        if !step.labels.is_empty() {
            let _ = writeln!(text, "   holds: {}", line(&step.labels.join(" "), LINE_MAX));
        }
        let _ = writeln!(text, "   leaves: {}", line(&step.residual, LINE_MAX));
    }
    if run.len() > STEPS_MAX {
        let _ = writeln!(text, "and {} more", words::counted((run.len() - STEPS_MAX) as u64, "step"));
    }
    text
}

/// Returns the file as a dotted name, by which build servers group cases: `specs.notes.palette`.
fn class_name(file: &str) -> String {
    let stem = file.strip_suffix(".ltl").unwrap_or(file);
    // Files may come from Windows.
    let parts = stem.split(['/', '\\']).filter(|part| !part.is_empty() && *part != "." && *part != "..");
    parts.collect::<Vec<_>>().join(".")
}

/// Returns `text` as the value of an attribute.
fn value(text: &str) -> String {
    escape(&line(text, TEXT_MAX))
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::{began, end, run, spec};
    use super::*;
    use crate::event::ReplayVerdict;
    use crate::event::{Event, Outcome, Replayed};
    use crate::rate::Rate;

    fn all_outcomes() -> String {
        let outcomes = [
            Outcome::Passed,
            Outcome::Failed,
            Outcome::NotFound,
            Outcome::Diverged,
            Outcome::Untested,
            Outcome::Flaky,
            Outcome::Error,
        ];
        let mut events = vec![began()];
        for (number, outcome) in outcomes.into_iter().enumerate() {
            events.push(spec(number, "specs/notes/palette.ltl", outcome.name()));
            events.push(end(number, outcome, "so it is"));
        }
        events.push(spec(7, "specs/b.ltl", "open"));
        events.push(Event::RunEnded { exit: 1 });
        junit(&run(events))
    }

    #[test]
    fn each_outcome_is_what_build_servers_call_it() {
        let xml = all_outcomes();
        for part in [
            "<testsuites name=\"farlead check\" tests=\"8\" failures=\"5\" errors=\"2\" time=\"0.000\">",
            "<testsuite name=\"specs/b.ltl\" file=\"specs/b.ltl\" package=\"\" tests=\"1\" failures=\"0\" errors=\"1\"",
            "<testcase name=\"passed\" classname=\"specs.notes.palette\" file=\"specs/notes/palette.ltl\" line=\"3\"",
            "<failure type=\"failed\" message=\"failed: so it is\">",
            "<failure type=\"not_found\" message=\"not found: so it is\">",
            "<failure type=\"diverged\"",
            "<failure type=\"untested\"",
            "<failure type=\"flaky\"",
            "<error type=\"error\" message=\"error: so it is\">",
            "<error type=\"cut_short\" message=\"cut short: the run was cut short before it was known\">",
        ] {
            assert!(xml.contains(part), "{part}\n{xml}");
        }
    }

    #[test]
    fn how_a_replay_went_is_said_in_the_failure() {
        let mut ended = SpecEnded::new(Outcome::Diverged, "step 2 could not be done", 5);
        ended.replay = Some(Replayed {
            rate: Rate { passes: 0, runs: 3 },
            verdict: ReplayVerdict::Diverged,
            step: Some(2),
            expected: Some("a button <Save>".to_string()),
            actual: None,
            nearest: Some("a button \"Store\"".to_string()),
            nearest_at: None,
        });
        let xml = junit(&run([began(), spec(0, "a.ltl", "x"), Event::SpecEnded(Box::new(ended))]));
        for part in [
            "<failure type=\"diverged\"",
            "expected: a button &lt;Save&gt;",
            "nearest: a button &quot;Store&quot;",
            "<error type=\"run\" message=\"the run was cut short",
        ] {
            assert!(xml.contains(part), "{part}\n{xml}");
        }
    }
}
