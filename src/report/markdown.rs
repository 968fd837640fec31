//! Markdown for the summary of a build: all specs in a table, and the details of those that did not pass.

use std::fmt::Write as _;

use super::coverage;
use super::run::{Run, SpecReport, Standing};
use super::words::{self, ITEMS_MAX, LINE_MAX, TEXT_MAX, grouped, line};
use crate::event::{SpecEnded, StepTaken};

/// Size of a summary, as GitHub refuses one above 1 MiB; specs beyond are counted.
const BYTES_MAX: usize = 900_000;

/// Steps shown of a run; further steps are counted, as nobody reads hundreds of them in a summary.
const STEPS_MAX: usize = 60;

/// Most steps shown of a scenario.
const SCENARIO_MAX: usize = 100;

/// Returns `run` as Markdown.
pub fn markdown(run: &Run) -> String {
    let mut text = String::new();
    write_head(&mut text, run);
    write_table(&mut text, run);
    let mut left_out = 0;
    // Specs that need attention come first, so that a cut leaves out the others.
    let (fine, others): (Vec<&SpecReport>, Vec<&SpecReport>) =
        run.specs().iter().partition(|spec| spec.standing() == Standing::Passed);
    for spec in others.into_iter().chain(fine) {
        let section = section(spec);
        if text.len() + section.len() <= BYTES_MAX {
            text.push_str(&section);
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let _ = writeln!(text, "\nThe details of {} are left out.", words::counted(left_out as u64, "spec"));
    }
    text
}

fn write_head(text: &mut String, run: &Run) {
    let passed = run.specs().iter().filter(|spec| spec.standing() == Standing::Passed).count();
    let all = run.specs().len();
    let sign = if passed == all && words::trouble(run).is_none() { "✅" } else { "❌" };
    let _ = writeln!(text, "## {sign} farlead: {passed} of {} passed\n", words::counted(all as u64, "spec"));
    let _ = writeln!(text, "{}\n", words::headline(run));
    if let Some(changes) = words::changes(run) {
        let _ = writeln!(text, "**{changes}**\n");
    }
    if let Some(trouble) = words::trouble(run) {
        let _ = writeln!(text, "**{}**\n", escape(&trouble));
    }
    let Some(began) = run.began() else { return };
    let _ = writeln!(
        text,
        "App {} {} on {}, seed {}, farlead {}\n",
        code(&began.package),
        escape(&began.version),
        escape(&began.device),
        began.seed,
        escape(&began.farlead)
    );
    if let Some(explored) = run.coverage() {
        for sentence in coverage::sentences(explored) {
            let _ = writeln!(text, "- {}", escape(&sentence));
        }
        text.push('\n');
        let gaps = coverage::gaps(explored, ITEMS_MAX);
        if !gaps.is_empty() {
            text.push_str("| Never reached | On | Likeliest reason |\n|---|---|---|\n");
            for [what, on, because] in gaps {
                let _ = writeln!(text, "| {} | {} | {} |", code(&what), escape(&on), escape(&because));
            }
            text.push('\n');
        }
    }
}

fn write_table(text: &mut String, run: &Run) {
    if run.specs().is_empty() {
        return;
    }
    text.push_str("| Spec | Outcome | Length | Episodes | Steps | Test |\n");
    text.push_str("|---|---|--:|--:|--:|---|\n");
    for (at, spec) in run.specs().iter().enumerate() {
        // Half of the summary is for the details below the table.
        if text.len() > BYTES_MAX / 2 {
            let _ = writeln!(text, "| and {} more | | | | | |", run.specs().len() - at);
            break;
        }
        let place = format!("{}:{}", line(&spec.began.file, 200), spec.began.line);
        let number = |number: Option<u64>| number.map_or(String::new(), grouped);
        let ended = spec.ended.as_ref();
        let length = ended.map(|ended| ended.run.len() as u64).filter(|&length| length > 0);
        let test = ended.and_then(|ended| ended.test.as_deref());
        let _ = writeln!(
            text,
            "| {} {}<br>{} | {} {}{} | {} | {} | {} | {} |",
            escape(words::form(&spec.began)),
            code(&line(&spec.began.name, 200)),
            escape(&place),
            sign(spec.standing()),
            words::outcome(spec),
            words::change(spec).map_or(String::new(), |change| format!(", {change}")),
            number(length),
            number(ended.map(|ended| u64::from(ended.episodes))),
            number(ended.map(|ended| ended.steps)),
            test.map_or(String::new(), code)
        );
    }
}

fn sign(standing: Standing) -> &'static str {
    match standing {
        Standing::Passed => "✅",
        Standing::Failed => "❌",
        Standing::Flaky => "⚠️",
        Standing::Error => "🛑",
        Standing::CutShort => "✂️",
    }
}

/// Returns the section of one spec. A spec that passed has its steps alone.
fn section(spec: &SpecReport) -> String {
    let mut text = String::new();
    if spec.standing() != Standing::Passed {
        let _ = writeln!(
            text,
            "\n### {} {} {}: {}\n",
            sign(spec.standing()),
            escape(words::form(&spec.began)),
            code(&line(&spec.began.name, 200)),
            words::outcome(spec)
        );
        let _ = writeln!(text, "{}\n", escape(&words::why(spec, TEXT_MAX)));
        for step in spec.began.scenario.iter().take(SCENARIO_MAX) {
            let _ = writeln!(text, "- {}", escape(&line(step, 300)));
        }
        let _ = writeln!(text, "- formula: {}", code(&line(&spec.began.formula, TEXT_MAX)));
        if let Some(ended) = &spec.ended {
            write_explanation(&mut text, ended);
        }
    }
    if let Some(ended) = spec.ended.as_ref().filter(|ended| !ended.run.is_empty()) {
        write_steps(&mut text, spec, &ended.run);
    }
    text
}

fn write_explanation(text: &mut String, ended: &SpecEnded) {
    let replayed = ended.replay.iter().flat_map(words::replayed);
    for said in replayed.chain(words::violation(ended)).chain(words::reached(ended)) {
        let _ = writeln!(text, "- {}", escape(&said));
    }
    for advice in ended.advice.iter().take(ITEMS_MAX) {
        let _ = writeln!(text, "- **help:** {}", with_code(&line(advice, LINE_MAX)));
    }
    if let Some(shrunk) = words::shrunk(ended) {
        let _ = writeln!(text, "- {shrunk}");
    }
    if let Some(test) = &ended.test {
        let _ = writeln!(text, "- again: {}", code(&words::command("replay", test)));
    }
}

fn write_steps(text: &mut String, spec: &SpecReport, run: &[StepTaken]) {
    let title = format!("{}: {}", words::title(spec), words::counted(run.len() as u64, "step"));
    let _ = writeln!(text, "\n<details><summary>{}</summary>\n", words::escape(&title));
    text.push_str("| | Action | Holds | Still asked for |\n|--:|---|---|---|\n");
    for (number, step) in run.iter().enumerate().take(STEPS_MAX) {
        let mut action = code(&line(&step.action.shown, LINE_MAX));
        for notice in step.notices.iter().take(ITEMS_MAX) {
            let (what, notice) = words::notice(notice);
            let _ = write!(action, "<br>{what}: {}", escape(&words::first_line(notice, LINE_MAX)));
        }
        let labels = if step.labels.is_empty() { String::new() } else { code(&step.labels.join(" ")) };
        let _ = writeln!(text, "| {number} | {action} | {labels} | {} |", code(&step.residual));
    }
    if run.len() > STEPS_MAX {
        let _ =
            writeln!(text, "| | and {} more | | |", words::counted((run.len() - STEPS_MAX) as u64, "step"));
    }
    text.push_str("\n</details>\n");
}

/// Returns `text` with all marks of Markdown and HTML escaped, and those that end a cell of a table.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for char in line(text, TEXT_MAX).chars() {
        // Names come from files of others, and a summary must take no link or HTML from them.
        if "\\`*_{}[]<>|~&$#!".contains(char) {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}

/// Returns `text`, escaped, with its parts between backticks as code.
fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without its partner is no code.
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let part = |(at, part): (usize, &&str)| if at.is_multiple_of(2) { escape(part) } else { code(part) };
    parts.iter().enumerate().map(part).collect()
}

/// Returns `text` as code, fenced by more backticks than it has in a row. A bar is escaped there too, as it ends a cell.
fn code(text: &str) -> String {
    let text = line(text, LINE_MAX).replace('|', "\\|");
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if text.trim().is_empty() {
        return String::new();
    }
    // Spaces keep a backtick at an end of the code apart from the fence.
    if text.starts_with('`') || text.ends_with('`') {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::{began, end, run, spec};
    use super::*;
    use crate::event::{Event, Outcome};

    #[test]
    fn the_headline_counts_and_the_table_names() {
        let text = markdown(&run([
            began(),
            spec(0, "a.ltl", "fine"),
            end(0, Outcome::Passed, "after 1 episode"),
            spec(1, "a.ltl", "lost"),
            end(1, Outcome::NotFound, "the budget is spent"),
            Event::RunEnded { exit: 1 },
        ]));
        for part in [
            "## ❌ farlead: 1 of 2 specs passed\n\n2 specs in 1 file: 1 passed, 1 not found\n",
            "| possible `fine`<br>a.ltl:3 | ✅ passed |  | 0 | 0 |  |",
            "### ❌ possible `lost`: not found\n\nthe budget is spent\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!text.contains("### ✅"), "{text}");
    }

    #[test]
    fn no_name_breaks_a_table_or_starts_a_mark() {
        let name = "a|b`c``d\n| x | <b>*y*_z_ [l](u) $m$";
        let mut hostile = spec(0, "f|<i>.ltl", name);
        if let Event::SpecBegan(began) = &mut hostile {
            began.expectation = "*|*".to_string();
        }
        let text = markdown(&run([began(), hostile, end(0, Outcome::Failed, "*why* | `not`")]));
        let row = text.lines().find(|line| line.contains(".ltl:3")).expect("a row");
        let bare = row.replace("\\|", "");
        assert_eq!(bare.matches('|').count(), 7, "{row}");
        assert!(row.contains("```a\\|b`c``d \\| x \\| <b>*y*_z_ [l](u) $m$```"), "{row}");
        assert!(row.contains(r"f\|\<i\>.ltl:3"), "{row}");
        assert!(text.contains(r"\*why\* \| \`not\`"), "{text}");
    }

    #[test]
    fn a_summary_stays_below_what_is_accepted() {
        let mut events = vec![began()];
        for number in 0..3_000 {
            events.push(spec(number, "a.ltl", &"x".repeat(300)));
            events.push(end(number, Outcome::NotFound, &"why ".repeat(500)));
        }
        let text = markdown(&run(events));
        assert!(text.len() < 1 << 20, "{}", text.len());
        assert!(text.contains("specs are left out."), "{}", &text[text.len() - 200..]);
    }
}
