//! The pages for users: what they paste is what the program prints, what they quote is in the files, their links lead
//! somewhere, and the index lists them all.
//!
//! - `<!-- output of: COMMAND -->` before a block: the block is what COMMAND writes to stdout, after all commands of the
//!   ```sh blocks above it, in a folder with copies of `specs` and `apps`;
//! - `<!-- file: PATH -->` before a block: the block is that file.
//!
//! `INSTA_UPDATE=always cargo test --test it pages::` writes both anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::{binary, command, ended};
use crate::project::Folder;

const FENCE: &str = "```";

#[test]
fn pasted_outputs_are_those_of_the_commands() {
    for page in pages() {
        let blocks = blocks(&page.text);
        if blocks.iter().any(|block| block.command().is_some()) {
            page.check(&blocks, &outputs(&page, &blocks));
        }
    }
}

#[test]
fn quoted_files_are_the_files() {
    for page in pages() {
        let blocks = blocks(&page.text);
        let content =
            |block: &Block<'_>| Some(fs::read_to_string(root().join(block.file()?)).expect("a file"));
        page.check(&blocks, &blocks.iter().map(content).collect::<Vec<_>>());
    }
}

#[test]
fn the_index_lists_every_page() {
    let index = links(&text_of("docs/README.md"));
    let linked: BTreeSet<&str> = index.iter().filter_map(|link| link.split('#').next()).collect();
    for page in pages() {
        if let Some(name) = page.path.strip_prefix("docs/")
            && name != "README.md"
        {
            assert!(linked.contains(name), "docs/README.md does not link {name}");
        }
    }
    assert!(
        links(&text_of("README.md")).iter().any(|link| link == "docs/README.md"),
        "README.md links no index"
    );
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    for page in pages() {
        for link in links(&page.text).iter().filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let here = root().join(&page.path);
            let target = if file.is_empty() { here } else { here.with_file_name("").join(file) };
            // A picture is no text, and has no headings.
            let bytes = fs::read(&target).unwrap_or_else(|error| panic!("{}: {link}: {error}", page.path));
            let text = String::from_utf8_lossy(&bytes);
            let is_there = heading.is_empty() || headings(&text).any(|found| found == heading);
            assert!(is_there, "{}: {link}: there is no such heading", page.path);
        }
    }
}

#[test]
fn every_spec_of_the_cookbook_ends_as_the_page_says() {
    let rows = recipes();
    let mut found = cookbook(&[]);
    for Recipe { spec, result, steps } in &rows {
        let ended = found.remove(spec).unwrap_or_else(|| panic!("no spec `{spec}` in specs/cookbook"));
        assert_eq!(ended["exit"], i32::from(result != "passed"), "{spec}: {ended}");
        // A spec that failed has a run, one whose run was not found has none.
        assert_eq!(result == "failed", ended["exit"] == 1 && !ended["length"].is_null(), "{spec}: {ended}");
        if result == "failed" {
            assert_eq!(*steps, actions(&ended), "{spec}");
        }
    }
    let unlisted: Vec<&String> = found.keys().collect();
    assert!(unlisted.is_empty(), "docs/cookbook.md has no row for {unlisted:?}");
}

#[test]
fn without_its_bugs_the_app_of_the_cookbook_passes_what_it_failed() {
    for Recipe { spec, .. } in recipes().iter().filter(|row| row.result == "failed") {
        let ended = cookbook(&["--set", "fixed=true", "--only", spec]);
        assert_eq!(ended[spec]["exit"], 0, "{spec}: {}", ended[spec]);
    }
}

/// A row of the cookbook's table.
struct Recipe {
    spec: String,
    /// `passed`, `failed` or `not found`.
    result: String,
    /// The actions of the run that shows a bug, after the start.
    steps: Vec<String>,
}

fn recipes() -> Vec<Recipe> {
    let page = text_of("docs/cookbook.md");
    let rows = page.lines().skip_while(|line| *line != "| In words | Spec | Result |").skip(2);
    let rows: Vec<Recipe> = rows
        .take_while(|line| line.starts_with('|'))
        .map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
            let [_, spec, result] = cells[..] else { panic!("{row}") };
            let (result, steps) = result.split_once(':').unwrap_or((result, ""));
            assert!(["passed", "failed", "not found"].contains(&result), "{row}");
            let steps = steps.split('`').skip(1).step_by(2).map(str::to_string).collect();
            Recipe { spec: spec.trim_matches('`').to_string(), result: result.to_string(), steps }
        })
        .collect();
    assert!(rows.len() >= 25, "{} recipes", rows.len());
    rows
}

/// Checks the specs of the cookbook, and returns the result of each by its name.
fn cookbook(flags: &[&str]) -> BTreeMap<String, Value> {
    let out = Folder::new(&format!("cookbook/{}", flags.join("-")));
    let out = out.path("");
    let mut args = vec!["check", ".", "--json", "--out", out.to_str().expect("a path in letters")];
    args.extend(flags);
    let ended = ended(command(&args).current_dir(root().join("specs/cookbook")), "");
    let events = ended.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("an event"));
    let results: BTreeMap<String, Value> = events
        .filter(|event| event["event"] == "result")
        .map(|event| (event["spec"].as_str().expect("a name").to_string(), event))
        .collect();
    assert!(!results.is_empty(), "{}", ended.stderr);
    results
}

/// Returns the actions of a found run after its start, as the table writes them.
fn actions(result: &Value) -> Vec<String> {
    let actions = result["actions"].as_array().expect("a run");
    let shown = |action: &Value| {
        let words =
            [&action["type"], &action["detail"]].map(|word| word.as_str().expect("a word").to_string());
        words.join(" ").trim_end().to_string()
    };
    actions.iter().skip(1).map(shown).collect()
}

/// A page, with its path from the root.
struct Page {
    path: String,
    text: String,
}

impl Page {
    /// Checks that the blocks hold these texts, or writes the texts into the page.
    fn check(&self, blocks: &[Block<'_>], texts: &[Option<String>]) {
        let mut written = self.text.clone();
        // From the last to the first, so that places before stay.
        for (block, text) in blocks.iter().zip(texts).rev() {
            if let Some(text) = text {
                written.replace_range(block.start..block.start + block.text.len(), text);
            }
        }
        if written == self.text {
            return;
        }
        if std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always") {
            fs::write(root().join(&self.path), written).expect("a page");
            return;
        }
        for (block, text) in blocks.iter().zip(texts) {
            if let Some(text) = text {
                assert_eq!(block.text, text, "{}: {}", self.path, block.mark);
            }
        }
    }
}

/// A fenced block of a page.
struct Block<'a> {
    /// The word after the opening fence.
    language: &'a str,
    /// The comment on the line before, if there is one.
    mark: &'a str,
    text: &'a str,
    /// The place of `text` in the page.
    start: usize,
}

impl<'a> Block<'a> {
    fn command(&self) -> Option<&'a str> {
        self.marked("output of")
    }

    fn file(&self) -> Option<&'a str> {
        self.marked("file")
    }

    fn marked(&self, what: &str) -> Option<&'a str> {
        self.mark.strip_prefix("<!-- ")?.strip_prefix(what)?.strip_prefix(": ")?.strip_suffix(" -->")
    }
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let (mut at, mut before) = (0, "");
    let mut open: Option<Block<'_>> = None;
    for line in page.split_inclusive('\n') {
        if let Some(mut block) = open.take() {
            if line.trim_end() == FENCE {
                block.text = &page[block.start..at];
                blocks.push(block);
            } else {
                open = Some(block);
            }
        } else if let Some(language) = line.strip_prefix(FENCE) {
            open = Some(Block {
                language: language.trim(),
                mark: before.trim(),
                text: "",
                start: at + line.len(),
            });
        }
        at += line.len();
        before = line;
    }
    blocks
}

/// Runs the commands of a page, and returns the output that each block should show.
fn outputs(page: &Page, blocks: &[Block<'_>]) -> Vec<Option<String>> {
    let folder = Folder::new(&format!("pages/{}", page.path.replace('/', "-")));
    let out = Folder::new(&format!("pages/{}-outputs", page.path.replace('/', "-")));
    for below in ["specs", "apps"] {
        copy(&root().join(below), &folder.path(below));
    }
    fs::create_dir_all(folder.path("target")).expect("a folder");
    let mut script = SHELL.to_string();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (number, block) in blocks.iter().enumerate() {
        if block.language == "sh" {
            script.push_str(block.text);
            seen.extend(block.text.lines().map(run_by));
        }
        if let Some(command) = block.command() {
            // The outputs of commands that the page has run are there already.
            let line = match command.strip_prefix("farlead ").filter(|_| seen.contains(run_by(command))) {
                Some(args) => format!("shown {args} >\"$OUT/{number}\"\n"),
                None => format!("({command}) >\"$OUT/{number}\" || true\n"),
            };
            script.push_str(&line);
        }
    }
    let mut bash = std::process::Command::new("bash");
    bash.args(["-euo", "pipefail", "-c", &script]).current_dir(folder.path(""));
    bash.env("FARLEAD", binary()).env("OUT", out.path("")).env("ANDROID_ADB_SERVER_PORT", "1");
    let ended = ended(&mut bash, "");
    assert_eq!(ended.code, 0, "{}: {}{}", page.path, ended.stdout, ended.stderr);
    let output =
        |(number, block): (usize, &Block<'_>)| block.command().map(|_| out.read(&number.to_string()));
    blocks.iter().enumerate().map(output).collect()
}

/// Functions for the commands of pages: `farlead` keeps its output under its arguments, and `cargo` builds nothing.
const SHELL: &str = r#"
key() { local words="$*"; printf '%s' "$OUT/of ${words//\//_}"; }
farlead() { "$FARLEAD" "$@" | tee "$(key "$@")"; }
shown() { cat "$(key "$@")"; }
cargo() { if [ "$1" = run ]; then farlead "${@:3}"; fi; }
"#;

/// Returns the command of a line as the shell runs it.
fn run_by(line: &str) -> &str {
    let line = line.strip_suffix(" || true").unwrap_or(line);
    line.strip_prefix("cargo run -- ").or(line.strip_prefix("farlead ")).unwrap_or(line)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).expect("a copy");
        }
    }
}

/// Returns the targets of the links outside of blocks.
fn links(page: &str) -> Vec<String> {
    let mut is_block = false;
    let mut found = Vec::new();
    for line in page.lines() {
        is_block ^= line.starts_with(FENCE);
        if !is_block {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            found.extend(targets.map(str::to_string));
        }
    }
    found
}

/// Returns the headings of a page as links name them.
fn headings(page: &str) -> impl Iterator<Item = String> {
    let named = |line: &str| {
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|char| char.is_alphanumeric() || " -_".contains(*char));
        kept.map(|char| if char == ' ' { '-' } else { char }).collect()
    };
    page.lines().filter(|line| line.starts_with('#')).map(named)
}

/// Returns README.md and the pages in docs, in the order of their names.
fn pages() -> Vec<Page> {
    let entries = fs::read_dir(root().join("docs")).expect("docs");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("letters"));
    let mut paths: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    paths.push("README.md".to_string());
    paths.sort();
    paths.into_iter().map(|path| Page { text: text_of(&path), path }).collect()
}

fn text_of(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
