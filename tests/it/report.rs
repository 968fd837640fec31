//! Reports as others read them: build servers' libraries the JUnit XML, a browser the page.

mod examples;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use farlead::event::Event;
use farlead::report::{Run, github, html, junit, markdown};

/// Each report as it is called, and what makes it.
type Report = (&'static str, fn(&Run) -> String);

const REPORTS: [Report; 4] = [("xml", junit), ("md", markdown), ("txt", github), ("html", html)];

/// A file of this test's own.
fn written(name: &str, content: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    fs::create_dir_all(&folder).expect("a folder for tests");
    let path = folder.join(name);
    fs::write(&path, content).expect("a file for a test");
    path
}

/// What the program said, or nothing, said on stderr, where it is not installed.
fn ended(mut command: Command, is_there: bool, package: &str) -> Option<Output> {
    if is_there && let Ok(output) = command.output() {
        return Some(output);
    }
    let program = command.get_program().display().to_string();
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!is_ci, "{program} cannot be run as wanted; install {package}");
    eprintln!("skipped: {program} cannot be run as wanted; install {package}");
    None
}

/// What the Python program said of the file, if there is a Python that has these packages.
fn python(program: &str, packages: &[&str], file: &Path) -> Option<String> {
    let python = std::env::var("FARLEAD_TEST_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let imports = format!("import {}", packages.join(", "));
    let is_there =
        Command::new(&python).args(["-c", &imports]).output().is_ok_and(|output| output.status.success());
    let mut command = Command::new(python);
    command.args(["-c", program]).arg(file);
    let wanted = format!("{} by pip, and name its Python in FARLEAD_TEST_PYTHON", packages.join(" "));
    let output = ended(command, is_there, &wanted)?;
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(said)
}

fn all_examples() -> [(&'static str, Vec<Event>); 3] {
    [("chess", examples::chess()), ("notes", examples::notes()), ("hostile", examples::hostile())]
}

#[test]
fn the_same_events_give_the_same_bytes_after_a_way_through_a_file_too() {
    for (name, events) in all_examples() {
        if name == "hostile" {
            // No file of JSON holds a reward that is no number.
            continue;
        }
        let lines: Vec<String> =
            events.iter().map(|event| serde_json::to_string(event).expect("an event as JSON")).collect();
        let read = lines.iter().map(|line| serde_json::from_str(line).expect("an event"));
        let (first, second) = (examples::run(events.clone()), examples::run(read));
        for (ending, report) in REPORTS {
            let text = report(&first);
            assert!(text == report(&second), "{name}.{ending} differs");
            written(&format!("{name}.{ending}"), &text);
        }
    }
}

#[test]
fn nothing_that_comes_from_outside_steers_a_reader() {
    let run = examples::run(examples::hostile());
    for (ending, report) in REPORTS {
        let text = report(&run);
        written(&format!("hostile.{ending}"), &text);
        for char in text.chars() {
            let is_bad = (char.is_control() && char != '\n')
                || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}');
            assert!(!is_bad, "{char:?} is in {ending}");
        }
        assert!(text.len() < 2_000_000, "{ending} has {} bytes", text.len());
    }
    for line in github(&run).lines() {
        assert!(line.starts_with("::error ") || line.starts_with("::warning "), "{line}");
    }
}

/// Reads the file by `junitparser` and says what it found, a case a line.
const JUNITPARSER: &str = r#"
import sys
from junitparser.xunit2 import JUnitXml
xml = JUnitXml.fromfile(sys.argv[1])
counted = [0, 0, 0]
for suite in xml:
    assert suite.tests == len(list(suite)), suite.name
    for case in suite:
        kinds = [type(result).__name__ for result in case.result]
        counted[0] += 1
        counted[1] += kinds.count("Failure")
        counted[2] += kinds.count("Error")
        names = {p.name: p.value for p in case.properties()}
        steps = len([l for l in (case.system_out or "").splitlines() if l.startswith("   leaves: ")])
        print(suite.name, case.name, ",".join(kinds), steps, names.get("length", "-"), sep="\t")
assert counted == [xml.tests, xml.failures, xml.errors], counted
assert abs(sum(c.time for s in xml for c in s) - xml.time) < 1e-3 * max(1, xml.time)
"#;

/// Makes a page of the file by `junit2html`'s parser.
const JUNIT2HTML: &str = r#"
import sys
from junit2htmlreport.parser import Junit
report = Junit(filename=sys.argv[1])
html = report.html()
assert "<html" in html and len(report.suites) > 0
for suite in report.suites:
    print(suite.name, len(suite.all()), len(suite.failed()), sep="\t")
"#;

#[test]
fn junit_is_read_by_the_libraries_of_others() {
    for (name, events) in all_examples() {
        let run = examples::run(events);
        let file = written(&format!("{name}.read.xml"), &junit(&run));
        let Some(cases) = python(JUNITPARSER, &["junitparser"], &file) else { return };
        let Some(suites) = python(JUNIT2HTML, &["junit2htmlreport"], &file) else { return };
        if name == "chess" {
            let of = |case: &str| {
                let line = cases.lines().find(|line| line.contains(&format!("\t{case}\t")));
                line.unwrap_or_else(|| panic!("no {case}:\n{cases}")).split('\t').collect::<Vec<_>>()
            };
            assert_eq!(of("c"), ["specs/chesswalk/about.ltl", "c", "", "3", "3"]);
            assert_eq!(of("slip")[2], "Failure");
            assert_eq!(of("broken spec")[2], "Error");
            assert!(suites.contains("specs/guards.ltl\t4\t"), "{suites}");
        }
        let cases_max = run.specs().len() + 1;
        assert!((run.specs().len()..=cases_max).contains(&cases.lines().count()), "{cases}");
    }
}
