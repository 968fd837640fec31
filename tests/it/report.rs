//! Reports as others read them: JUnit XML by build servers' libraries, the page by a browser.

mod examples;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use farlead::event::Event;
use farlead::report::{Run, Wanted, github, html, json, junit, map_html, map_svg, markdown, text};
use farlead::spec::Style;
use serde_json::Value;

use crate::ci;

/// A report: its name, and the function that makes it.
type Report = (&'static str, fn(&Run) -> String);

const REPORTS: [Report; 6] = [
    ("xml", junit),
    ("md", markdown),
    ("txt", github),
    ("html", html),
    ("map.html", |run| map_html(run).unwrap_or_default()),
    ("map.svg", |run| map_svg(run).unwrap_or_default()),
];

/// Writes a file of this test's own.
fn written(name: &str, content: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    fs::create_dir_all(&folder).expect("a folder for tests");
    let path = folder.join(name);
    fs::write(&path, content).expect("a file for a test");
    path
}

/// Returns the output of a program; if it is not installed, reports that on stderr and returns `None`.
fn ended(mut command: Command, is_there: bool, package: &str) -> Option<Output> {
    if is_there && let Ok(output) = command.output() {
        return Some(output);
    }
    let program = command.get_program().display().to_string();
    ci::skip(&format!("{program} cannot be run as wanted; install {package}"));
    None
}

/// Returns the output of a Python program for the file, if a Python has the module; pip knows it by the
/// package's name.
fn python(program: &str, module: &str, package: &str, file: &Path) -> Option<String> {
    let python = std::env::var("FARLEAD_TEST_PYTHON").unwrap_or_else(|_| "python3".to_string());
    let imports = format!("import {module}");
    let is_there =
        Command::new(&python).args(["-c", &imports]).output().is_ok_and(|output| output.status.success());
    let mut command = Command::new(python);
    command.args(["-c", program]).arg(file);
    let wanted = format!("{package} by pip, and name its Python in FARLEAD_TEST_PYTHON");
    let output = ended(command, is_there, &wanted)?;
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(said)
}

/// Returns the examples by their names. They are made once, as some take real searches.
fn all_examples() -> Vec<(&'static str, Vec<Event>)> {
    static MADE: OnceLock<Vec<(&str, Vec<Event>)>> = OnceLock::new();
    let make = || {
        vec![
            ("chess", examples::chess()),
            ("notes", examples::notes()),
            ("replays", examples::replays()),
            ("explored", examples::explored()),
            ("hostile", examples::hostile()),
        ]
    };
    MADE.get_or_init(make).clone()
}

#[test]
fn the_same_events_give_the_same_bytes_after_a_way_through_a_file_too() {
    for (name, events) in all_examples() {
        if name == "hostile" {
            // JSON cannot hold a reward that is not a number.
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
    let (_, events) = all_examples().pop().expect("the hostile one");
    let run = examples::run(events);
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

/// Returns the counts of a headline, `3 specs in 1 file: 1 passed, 1 passed, with a crash, 1 not found`, by outcome.
fn headline_counts(text: &str) -> BTreeMap<String, u64> {
    let headline = text
        .split(['\n', '<'])
        .find(|line| line.contains(" in ") && line.contains(" file"))
        .expect("a headline");
    let counts = headline
        .split_once(": ")
        .filter(|_| !headline.starts_with("farlead"))
        .map_or_else(|| headline.splitn(3, ": ").nth(2).expect("counts"), |(_, counts)| counts);
    let mut by_outcome: BTreeMap<String, u64> = BTreeMap::new();
    let mut last = String::new();
    for part in counts.split(", ") {
        match part
            .split_once(' ')
            .and_then(|(count, words)| Some((count.replace(',', "").parse().ok()?, words)))
        {
            Some((count, words)) => {
                last = words.to_string();
                by_outcome.insert(last.clone(), count);
            }
            // The second half of `passed, with a crash`.
            None => {
                let count = by_outcome.remove(&last).expect("a first half");
                by_outcome.insert(format!("{last}, {part}"), count);
            }
        }
    }
    by_outcome
}

/// Returns the counts of outcomes as machines read them, in words.
fn in_words(outcomes: BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let words = |outcome: String| outcome.replace("passed_", "passed, ").replace('_', " ");
    outcomes.into_iter().map(|(outcome, count)| (words(outcome), count)).collect()
}

fn counted<'a>(outcomes: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    outcomes.into_iter().for_each(|outcome| *counts.entry(outcome.to_string()).or_insert(0) += 1);
    counts
}

#[test]
fn all_six_reports_of_a_run_give_the_same_outcomes_and_counts() {
    let wanted = Wanted { style: Style::Plain, quiet: false, verbose: false, is_here: false };
    for (name, events) in all_examples() {
        let run = examples::run(events);
        let terminal = text(&run, wanted);
        let counts = headline_counts(terminal.lines().last().expect("a last line"));
        assert!(!counts.is_empty(), "{name}");
        let is_hostile = name == "hostile";
        let markdown = markdown(&run);
        assert_eq!(headline_counts(&markdown), counts, "{name}: Markdown");
        let page = html(&run);
        let title = page.split("<title>").nth(1).expect("a title");
        assert_eq!(headline_counts(&title[..title.find('<').expect("an end")]), counts, "{name}: HTML");
        let rows = page
            .split("<tr data-spec=")
            .skip(1)
            .map(|row| row.split("data-outcome=\"").nth(1).expect("an outcome"));
        let rows = counted(rows.map(|row| row.split('"').next().expect("an outcome")));
        assert_eq!(in_words(rows), counts, "{name}: rows of the page");
        let xml = junit(&run);
        let outcomes = xml.split("<property name=\"outcome\" value=\"").skip(1);
        let outcomes = counted(outcomes.map(|rest| rest.split('"').next().expect("an outcome")));
        assert_eq!(in_words(outcomes), counts, "{name}: JUnit");
        let lines = json(&run);
        let summary: Value = serde_json::from_str(lines.lines().last().expect("a summary")).expect("JSON");
        let outcomes: BTreeMap<String, u64> =
            serde_json::from_value(summary["outcomes"].clone()).expect("counts");
        assert_eq!(in_words(outcomes), counts, "{name}: JSON");
        // Annotations are for specs that need attention; a title has the outcome at its end.
        let annotations = github(&run);
        let titles = annotations
            .lines()
            .filter_map(|line| line.split("::").nth(1)?.rsplit_once("%3A ").map(|(_, word)| word));
        let titles = counted(titles.collect::<Vec<_>>());
        let others: BTreeMap<String, u64> =
            counts.into_iter().filter(|(words, _)| words != "passed").collect();
        if !is_hostile {
            assert_eq!(
                titles
                    .into_iter()
                    .map(|(words, count)| (words.replace("%2C", ","), count))
                    .collect::<BTreeMap<_, _>>(),
                others,
                "{name}: GitHub"
            );
        }
    }
}

/// Collects the names of the fields of `value`, except those of a screen, which docs/formats.md describes.
fn add_fields(value: &Value, fields: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                fields.insert(name.clone());
                if name != "seen" {
                    add_fields(member, fields);
                }
            }
        }
        Value::Array(members) => members.iter().for_each(|member| add_fields(member, fields)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_event_and_every_field_is_described() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reports.md")).expect("a page");
    let mut fields = BTreeSet::new();
    let mut names = BTreeSet::new();
    for event in all_examples().into_iter().flat_map(|(_, events)| events) {
        let value = serde_json::to_value(&event).expect("an event as JSON");
        names.insert(value["event"].as_str().expect("a name").to_string());
        add_fields(&value, &mut fields);
    }
    assert_eq!(names.len(), 9, "{names:?}");
    for name in &names {
        assert!(page.contains(&format!("\n### `{name}`\n")), "docs/reports.md has no section `{name}`");
    }
    for field in &fields {
        assert!(page.contains(&format!("`{field}`")), "docs/reports.md does not describe `{field}`");
    }
    assert!(fields.len() > 50, "{fields:?}");
}

/// Reads the file with `junitparser` and prints one case per line.
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

/// Makes a page of the file with `junit2html`'s parser.
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
        let Some(cases) = python(JUNITPARSER, "junitparser", "junitparser", &file) else { return };
        let Some(suites) = python(JUNIT2HTML, "junit2htmlreport", "junit2html", &file) else { return };
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

/// Returns the values of this attribute on the page, in order.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let start = format!(" {attribute}=\"");
    page.split(&start).skip(1).map(|rest| rest.split('"').next().expect("a value")).collect()
}

/// Returns the pages of all examples, with their names: reports, and maps where an app was explored.
fn pages() -> Vec<(String, String)> {
    let pages = all_examples().into_iter().flat_map(|(name, events)| {
        let run = examples::run(events);
        let map = map_html(&run).map(|page| (format!("{name}, the map"), page));
        [(name.to_string(), html(&run))].into_iter().chain(map)
    });
    pages.collect()
}

#[test]
fn a_map_is_a_picture_with_a_card_for_each_kind_and_an_arrow_for_each_way() {
    for name in ["explored", "hostile"] {
        let (_, events) = all_examples().into_iter().find(|(known, _)| *known == name).expect("an example");
        let run = examples::run(events);
        let map = run.map().expect("a map");
        let picture = map_svg(&run).expect("a picture");
        let read = roxmltree::Document::parse(&picture).expect("well-formed XML");
        let with = |class: &str| {
            let is_it = |node: &roxmltree::Node<'_, '_>| {
                node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class))
            };
            read.descendants().filter(is_it).count()
        };
        assert_eq!(with("m-card"), map.kinds.len(), "{name}");
        assert_eq!(with("m-way"), map.ways.len(), "{name}");
        assert_eq!(with("m-crash"), map.kinds.iter().filter(|kind| kind.crash).count(), "{name}");
        let page = map_html(&run).expect("a page");
        assert_eq!(values(&page, "id").iter().filter(|id| id.starts_with("kind-")).count(), map.kinds.len());
        if name == "explored" {
            assert!(with("m-crash") == 1 && with("m-start") == 1, "{picture}");
        }
    }
}

#[test]
fn every_link_of_the_page_leads_somewhere_within_it() {
    for (name, page) in pages() {
        let ids = values(&page, "id");
        let known: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(known.len(), ids.len(), "{name} has an id twice");
        let uses = page.split("url(#").skip(1).map(|rest| rest.split(')').next().expect("a name"));
        for link in
            values(&page, "href").into_iter().map(|link| link.strip_prefix('#').unwrap_or(link)).chain(uses)
        {
            assert!(known.contains(link), "{name} links to {link}");
        }
        assert!(values(&page, "src").is_empty() && !page.contains("@import"), "{name} loads something");
    }
}

#[test]
fn every_element_of_the_page_is_closed_where_it_must_be() {
    for (name, page) in pages() {
        let mut open = Vec::new();
        let mut rest = &page[page.find("<html").expect("a page")..];
        while let Some(at) = rest.find('<') {
            rest = &rest[at + 1..];
            let end = rest.find('>').expect("an end of the tag");
            let tag = &rest[..end];
            let element = tag.trim_start_matches('/').split([' ', '/']).next().expect("a name");
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(element), "{name}: before {:.200}", rest);
            } else if !tag.ends_with('/') && !["meta", "input"].contains(&element) {
                open.push(element);
            }
            if ["style", "script"].contains(&tag) {
                rest = &rest[rest.find("</").expect("an end")..];
            }
        }
        assert!(open.is_empty(), "{name} leaves {open:?} open");
    }
}

/// Returns the page as Chromium renders it, and Chromium's complaints.
fn dumped(page: &Path) -> Option<(String, Vec<String>)> {
    let program = std::env::var("CHROMIUM").unwrap_or_else(|_| "chromium".to_string());
    let profile = page.with_extension("profile");
    let mut command = Command::new(&program);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]);
    command.args([
        "--allow-file-access-from-files",
        "--enable-logging=stderr",
        "--dump-dom",
        "--hide-scrollbars",
    ]);
    command.arg("--virtual-time-budget=20000").arg(format!("--user-data-dir={}", profile.display()));
    command.arg(format!("file://{}", page.display()));
    let is_there =
        Command::new(&program).arg("--version").output().is_ok_and(|output| output.status.success());
    let output = ended(command, is_there, "the Debian package chromium, or name it in CHROMIUM")?;
    let _ = fs::remove_dir_all(&profile);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let complaints = String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .map(str::to_string)
        .collect();
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), complaints))
}

/// A page that shows another one in a frame, and reports its width against the frame and the effect of its
/// filter.
const OBSERVER: &str = r#"<!doctype html><pre id="said"></pre><script>
const widths = [360, 768, 1280];
const page = "PAGE";
let left = widths.length;
for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900;
  frame.onload = () => {
    const inner = frame.contentDocument;
    for (const part of inner.querySelectorAll("details")) part.open = true;
    const text = inner.getElementById("filter-text");
    const shown = () => inner.querySelectorAll("tr[data-spec]:not([hidden])").length
      + "/" + inner.querySelectorAll(".spec:not([hidden])").length;
    const all = shown();
    if (text) { text.value = "FILTER"; text.dispatchEvent(new Event("input", { bubbles: true })); }
    const some = shown();
    if (text) { text.value = ""; text.dispatchEvent(new Event("input", { bubbles: true })); }
    document.getElementById("said").textContent +=
      `width ${width} takes ${inner.documentElement.scrollWidth}, shown ${all} then ${some}\n`;
    if (--left === 0) document.title = "done";
  };
  frame.src = page;
  document.documentElement.append(frame);
}
</script>"#;

/// A page that shows a map in a frame, chooses a screen and searches, and reports what it sees.
const MAP_OBSERVER: &str = r#"<!doctype html><pre id="said"></pre><script>
const widths = [360, 768, 1280];
let left = widths.length;
for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900;
  frame.onload = () => {
    const inner = frame.contentDocument, view = frame.contentWindow;
    const count = (what) => inner.querySelectorAll(what).length;
    const shown = () => [...inner.querySelectorAll(".m-kind")].filter((one) => view.getComputedStyle(one).display !== "none");
    const first = shown().map((one) => one.id).join();
    const card = inner.querySelector("a.m-crash");
    card.dispatchEvent(new view.MouseEvent("click", { bubbles: true, cancelable: true }));
    const chosen = shown().map((one) => one.id).join() === "kind-" + card.dataset.kind;
    const path = count("a.m-path") > 1 && count(".m-way.m-path") === count("a.m-path") - 1;
    const before = inner.querySelector(".m-map").getAttribute("viewBox");
    inner.querySelector(".m-view").dispatchEvent(new view.KeyboardEvent("keydown", { key: "+" }));
    const grown = inner.querySelector(".m-map").getAttribute("viewBox") !== before;
    const find = inner.querySelector(".m-find");
    find.value = "search (crashed)"; find.dispatchEvent(new view.Event("input"));
    const found = count("a.m-card:not(.m-dim)");
    document.getElementById("said").textContent +=
      `width ${width} takes ${inner.documentElement.scrollWidth}, first ${first}, chosen ${chosen}, path ${path}, grown ${grown}, found ${found}\n`;
    if (--left === 0) document.title = "done";
  };
  frame.src = "PAGE#kind-2";
  document.documentElement.append(frame);
}
</script>"#;

#[test]
fn a_browser_moves_the_map_finds_a_screen_and_shows_the_path_to_it() {
    let (_, events) = all_examples().into_iter().find(|(name, _)| *name == "explored").expect("an example");
    let run = examples::run(events);
    let crashes = run.map().expect("a map").kinds.iter().filter(|kind| kind.crash).count();
    for (name, page) in [("map", map_html(&run).expect("a page")), ("map-in-report", html(&run))] {
        let page = written(&format!("{name}.html"), &page);
        let Some((_, complaints)) = dumped(&page) else { return };
        assert!(complaints.is_empty(), "{name}: {complaints:?}");
        let observer =
            written(&format!("{name}.observer.html"), &MAP_OBSERVER.replace("PAGE", &format!("{name}.html")));
        let Some((dom, complaints)) = dumped(&observer) else { return };
        assert!(complaints.is_empty(), "{name}: {complaints:?}");
        for width in [360, 768, 1280] {
            let said = format!(
                "width {width} takes {width}, first kind-2, chosen true, path true, grown true, found {crashes}"
            );
            assert!(dom.contains(&said), "{name}, {said}:\n{:.800}", dom);
        }
    }
}

#[test]
fn a_browser_shows_the_page_without_complaint_and_never_wider_than_itself() {
    for (name, events) in all_examples() {
        let page = written(&format!("{name}.shown.html"), &html(&examples::run(events)));
        let Some((dom, complaints)) = dumped(&page) else { return };
        assert!(dom.contains("class=\"spec ") && complaints.is_empty(), "{name}: {complaints:?}");
        let observer =
            OBSERVER.replace("PAGE", &format!("{name}.shown.html")).replace("FILTER", "guards never");
        let observer = written(&format!("{name}.observer.html"), &observer);
        let Some((dom, complaints)) = dumped(&observer) else { return };
        assert!(complaints.is_empty(), "{name}: {complaints:?}");
        for width in [360, 768, 1280] {
            let said = format!("width {width} takes {width}, shown ");
            assert!(dom.contains(&said), "{name} is wider than {width}:\n{:.600}", dom);
        }
        if name == "chess" {
            assert!(dom.contains("takes 360, shown 11/11 then 2/2"), "{:.600}", dom);
        }
    }
}
