//! `farlead merge`: joins the runs of several machines into one.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use farlead::event::Event;
use farlead::report::{Run, Wanted, json, text};
use farlead::spec::shown_path;
use farlead::store::{self, Batch, Joined, Runs, TESTS_FOLDER};
use farlead::test_case;

use crate::outputs::{PlaceArgs, Prepared, ReportArgs, Stored, is_synced, warn};
use crate::project::Project;
use crate::report::events;
use crate::sources::{self, Shell};
use crate::stdout::out;
use crate::{Exit, Missing, Mistake};

/// Join the runs of several machines: one report, one exit code, all tests
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead merge shard-1 shard-2 shard-3 --junit all.xml --html all.html
  farlead merge shards/* --out .

Each DIR is a folder that --out or a project had on another machine: its latest run counts, and the
tests in its farlead-tests/ are copied. The folder of a single run will do too. The joined run is one
of .farlead/runs.

Exit codes: that of the runs together, as if one machine had done all; 4 if a shard is missing or a
run was cut short; 2 command line; 3 a run is missing or has mistakes.")]
pub struct MergeArgs {
    /// Folders that the machines wrote to, or folders of runs
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    reports: ReportArgs,
    /// Replace stored tests whose runs have changed
    #[arg(long, help_heading = "Kept tests")]
    update: bool,
    /// Runs to keep in .farlead/runs, this one included
    #[arg(long, value_name = "N", help_heading = "Reports", default_value_t = store::KEEP as u32, value_parser = clap::value_parser!(u32).range(1..))]
    keep: u32,
}

pub fn run(args: &MergeArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let project = Project::find()?;
    let folder = args.place.folder(&project);
    let paths: Vec<PathBuf> = args.folders.iter().map(|folder| latest(folder)).collect::<Result<_, _>>()?;
    args.reports.refuse_to_overwrite(&paths)?;
    let runs =
        paths.iter().map(|path| events(path)?.collect()).collect::<Result<Vec<Vec<Event>>, Mistake>>()?;
    let joined = store::join(runs);
    let mut exit = exit_of(&joined, &args.folders);
    exit = exit.and(copy_tests(args, folder)?);
    let run = record(joined.events, exit, folder, args.keep as usize)?;
    args.reports.write(&run)?;
    let wanted = Wanted {
        style: shell.stdout,
        quiet: shell.quiet,
        verbose: false,
        is_here: args.place.is_here(&project),
    };
    let result = if args.reports.json { json(&run) } else { text(&run, wanted) };
    out().write_all(result.as_bytes())?;
    Ok(exit)
}

/// Returns the path of the run in `folder`: its latest, unless it is the folder of a run itself.
fn latest(folder: &Path) -> Result<PathBuf, Mistake> {
    if folder.is_file() || folder.join(store::EVENTS_FILE).exists() {
        return Ok(folder.to_path_buf());
    }
    let runs = Runs::new(folder);
    let list =
        runs.list().map_err(|error| Mistake::new(format!("cannot read {}: {error}", shown_path(folder))))?;
    list.last().cloned().ok_or_else(|| {
        let what = "there is no run in it; name the folder that --out had, which has .farlead/runs";
        Mistake::new(format!("{}: {what}", shown_path(folder)))
    })
}

/// Returns the exit of all runs, and says what they lack.
fn exit_of(joined: &Joined, folders: &[PathBuf]) -> Exit {
    let mut exit = Exit::Passed;
    for (at, shard) in &joined.left_out {
        warn(&format!(
            "{}: another run of shard {shard} has more results, or comes later",
            shown_path(&folders[*at])
        ));
    }
    for shard in &joined.missing {
        warn(&format!("shard {shard} is missing, and so are its specs; name its folder too"));
        exit = exit.and(Exit::Environment);
    }
    if joined.lacks_coverage {
        warn(
            "several runs have explored, and their coverage cannot be added up; `farlead report` shows that of each",
        );
    }
    for code in &joined.exits {
        exit = exit.and(match code {
            Some(129 | 143) => Exit::Interrupted,
            Some(code) => Exit::of_code(*code),
            None => {
                warn("a run was cut short, and so are its results");
                Exit::Environment
            }
        });
    }
    exit
}

/// Copies the tests that the machines have kept to `folder`; none takes the place of another one unasked.
fn copy_tests(args: &MergeArgs, folder: &Path) -> anyhow::Result<Exit> {
    let stored = if args.update { Stored::IsReplaced } else { Stored::Stays };
    let batch = Batch::new();
    let mut is_kept = true;
    for from in &args.folders {
        let (tests, own) = (from.join(TESTS_FOLDER), folder.join(TESTS_FOLDER));
        // Those of the project itself are in their places.
        let is_own = tests.canonicalize().ok() == own.canonicalize().ok();
        if !tests.is_dir() || is_own {
            continue;
        }
        for file in sources::expand(std::slice::from_ref(&tests))? {
            let Ok(place) = file.strip_prefix(from) else { continue };
            let source = sources::read_text(&file)?;
            let Some(test) = test_case::read(&source).test else {
                warn(&format!("{} is no stored test, and is not copied", shown_path(&file)));
                continue;
            };
            let shown = place.display().to_string();
            is_kept &= Prepared::new(&batch, folder.join(place), shown, test, stored).put(&batch);
        }
    }
    let is_safe = is_synced(&batch);
    Ok(if is_kept && is_safe { Exit::Passed } else { Exit::Environment })
}

/// Writes `events` and the end as a run of the project in `folder`, and returns the run.
fn record(events: Vec<Event>, exit: Exit, folder: &Path, keep: usize) -> anyhow::Result<Run> {
    let mut writer = Runs::new(folder).begin(keep).map_err(|error| Missing::new(error.to_string()))?;
    let mut run = Run::new();
    for event in events.into_iter().chain([Event::RunEnded { exit: exit.code() }]) {
        writer.add(&event).map_err(|error| Missing::new(error.to_string()))?;
        run.take(event).map_err(|error| Mistake::new(error.to_string()))?;
    }
    Ok(run)
}
