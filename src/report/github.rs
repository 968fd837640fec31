//! Annotations that GitHub Actions reads from the output of a step: one line for each spec that did not pass, shown beside
//! its line in the file.

use std::fmt::Write as _;

use super::run::{Run, SpecReport, Standing};
use super::words::{self, ITEMS_MAX, LINE_MAX, line};

/// Length of a message, in characters; GitHub cuts longer ones.
const MESSAGE_MAX: usize = 4_000;

/// Returns an annotation for each spec of `run` that did not pass: an error, or a warning for one that is flaky.
///
/// Specs that passed have none.
pub fn github(run: &Run) -> String {
    let mut commands = String::new();
    for spec in run.specs() {
        let level = match spec.standing() {
            Standing::Passed => continue,
            Standing::Flaky => "warning",
            Standing::Failed | Standing::Error | Standing::CutShort => "error",
        };
        let title = format!("{}: {}", words::title(spec), words::outcome(spec));
        let _ = writeln!(
            commands,
            "::{level} file={},line={},title={}::{}",
            property(&spec.began.file),
            spec.began.line,
            property(&title),
            message(spec)
        );
    }
    if let Some(trouble) = words::trouble(run) {
        let _ = writeln!(commands, "::error title=farlead::{}", data(&trouble));
    }
    commands
}

fn message(spec: &SpecReport) -> String {
    let mut said = vec![words::why(spec, LINE_MAX)];
    if let Some(ended) = &spec.ended {
        said.extend(ended.replay.iter().flat_map(words::replayed));
        said.extend(words::violation(ended));
        said.extend(words::reached(ended));
        said.extend(
            ended.advice.iter().take(ITEMS_MAX).map(|advice| format!("help: {}", line(advice, LINE_MAX))),
        );
        said.extend(ended.test.iter().map(|test| words::command("replay", test)));
    }
    data(&words::lines(&said.join("\n"), MESSAGE_MAX))
}

/// Returns a message, escaped for GitHub.
fn data(text: &str) -> String {
    // The percent sign comes first, as the other escapes contain it.
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Returns the value of a property, escaped for GitHub.
fn property(text: &str) -> String {
    // GitHub ends the value of a property at these two signs.
    data(&line(text, LINE_MAX)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::run::tests::{began, end, run, spec};
    use super::*;
    use crate::event::{Event, Outcome};

    #[test]
    fn a_spec_that_did_not_pass_is_an_error_beside_its_line() {
        let events = [
            began(),
            spec(0, "a,b:c.ltl", "100%\n::error::x"),
            end(0, Outcome::NotFound, "50% of it:\nspent, all"),
            spec(1, "b.ltl", "fine"),
            end(1, Outcome::Passed, ""),
            spec(2, "b.ltl", "shaky"),
            end(2, Outcome::Flaky, "2 of 3"),
            Event::RunEnded { exit: 1 },
        ];
        let expected = "\
::error file=a%2Cb%3Ac.ltl,line=3,title=possible \"100%25 %3A%3Aerror%3A%3Ax\"%3A not found::50%25 of it: spent, all
::warning file=b.ltl,line=3,title=possible \"shaky\"%3A flaky::2 of 3
";
        assert_eq!(github(&run(events)), expected);
    }

    #[test]
    fn a_run_that_was_cut_short_is_an_error_and_one_that_passed_says_nothing() {
        let passed = [began(), spec(0, "a", "b"), end(0, Outcome::Passed, ""), Event::RunEnded { exit: 0 }];
        assert_eq!(github(&run(passed.clone())), "");
        assert!(
            github(&run(passed[..3].to_vec())).starts_with("::error title=farlead::the run was cut short")
        );
    }
}
