//! `farlead export`: a stored test as code that a team can keep without farlead.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use farlead::export::{Target, export};
use farlead::spec::shown_path;
use farlead::store;
use farlead::test_case::TestSetUp;

use crate::outputs::warn;
use crate::project::{Project, SetUpFile};
use crate::sources::{self, Shell};
use crate::stdout::out;
use crate::{Exit, Missing, Usage};

/// Write a stored test as code for another tool.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead export farlead-tests/specs/notes/palette/b.test.ltl --to maestro
  farlead export b.test.ltl --to uiautomator -o PaletteTest.kt
  farlead export b.test.ltl --to adb -o palette.sh
  farlead export b.test.ltl --to appium -o test_palette.py
  farlead export farlead-tests/todos/adds.test.ltl --to playwright -o adds.spec.ts

What a format cannot express is said on stderr, and in a comment where it would stand. The set-up of a test is no part of what is
written.

Exit codes: 0 written; 2 command line; 3 the test is missing or has mistakes; 4 the disk.")]
pub struct ExportArgs {
    /// Stored test
    #[arg(value_name = "TEST")]
    test: PathBuf,
    /// Tool: maestro, uiautomator, adb, appium, or playwright for a page
    #[arg(long, value_name = "TOOL", value_parser = tool)]
    to: Target,
    /// Write to this file, in place of stdout
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    update: bool,
}

fn tool(name: &str) -> Result<Target, String> {
    let known: Vec<&str> = Target::ALL.iter().map(|target| target.name()).collect();
    Target::parse(name).ok_or_else(|| format!("there is {}", known.join(", ")))
}

pub fn run(args: &ExportArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let project = Project::find()?;
    let (_, test) = sources::read_test(&args.test, shell)?;
    let exported = export(&test, args.to).map_err(|error| Usage::new(error.to_string()))?;
    match &args.output {
        None => out().write_all(exported.text.as_bytes())?,
        Some(path) => {
            // The test itself must not be replaced by code, even with `--update`.
            sources::refuse_to_overwrite(path, [args.test.as_path()])?;
            if path.exists() && !args.update {
                let message = format!("{} is there already; `--update` replaces it", shown_path(path));
                return Err(Usage::new(message).into());
            }
            store::write(path, exported.text.as_bytes()).map_err(|error| Missing::new(error.to_string()))?;
        }
    }
    // After the code, where a terminal shows them last.
    for note in &exported.notes {
        warn(note);
    }
    warn_of_set_up(&args.test, &test.set_up, &project);
    Ok(Exit::Passed)
}

/// Warns that the code lacks the tests that set the app up before the one at `path`, which keeps `set_up`.
fn warn_of_set_up(path: &Path, set_up: &TestSetUp, project: &Project) {
    let (before, whose) = match set_up {
        TestSetUp::OfProject => (of_project(path, project), "as farlead.toml has it done"),
        TestSetUp::Own(runs) => {
            (runs.iter().map(|run| run.name.clone()).collect(), "as the test has it done")
        }
    };
    if !before.is_empty() {
        warn(&format!(
            "what is exported does not set the app up, {whose} by {}: export that too, and put its steps behind the start of \
             the app; or find a test that needs none with `farlead check --no-setup`",
            before.join(", ")
        ));
    }
}

/// Returns the set-up tests of `project` that come before the test at `path`.
fn of_project(path: &Path, project: &Project) -> Vec<String> {
    let is_same = |named: &SetUpFile| match (named.path.canonicalize(), path.canonicalize()) {
        (Ok(named), Ok(path)) => named == path,
        // A set-up test in farlead.toml may be missing; its path can be compared all the same.
        _ => named.path == *path,
    };
    // A set-up test itself needs only the set-up tests before it.
    let before = project.set_up.iter().take_while(|named| !is_same(named));
    before.map(|named| shown_path(&named.path)).collect()
}
