//! `farlead report`: makes the reports of a run from its folder.

use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use farlead::event::Event;
use farlead::report::{Run, Wanted, json, text};
use farlead::spec::{shown_path, unreadable};
use farlead::store;

use crate::outputs::{ReportArgs, warn};
use crate::sources::Shell;
use crate::stdout::out;
use crate::{Exit, Mistake};

/// Write the reports of a finished run again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead report .farlead/runs/0007
  farlead report .farlead/runs/0007 --html report.html --junit report.xml

Exit codes: 0 written, whatever the results of the run; 2 command line; 3 the run is missing or has
mistakes; 4 the disk.")]
pub struct ReportCommandArgs {
    /// Folder of a run, or its events.jsonl
    #[arg(value_name = "RUN")]
    run: PathBuf,
    #[command(flatten)]
    reports: ReportArgs,
    /// Show rewards, residuals and reasons
    #[arg(long, short)]
    verbose: bool,
}

pub fn run(args: &ReportCommandArgs, shell: &Shell) -> anyhow::Result<Exit> {
    args.reports.refuse_to_overwrite(std::slice::from_ref(&args.run))?;
    let broken = |why: &dyn Display| Mistake::new(format!("{}: {why}", shown_path(&args.run)));
    let mut run = Run::new();
    for event in events(&args.run)? {
        run.take(event?).map_err(|error| broken(&error))?;
    }
    if run.exit().is_none() {
        warn("the run was cut short, and so are its reports");
    }
    // The files come first, as stdout may be a pipe that somebody closes.
    args.reports.write(&run)?;
    let wanted = Wanted {
        style: shell.stdout,
        quiet: shell.quiet,
        verbose: args.verbose,
        // The tests of a run in another folder lie there too.
        is_here: args.run.starts_with(".farlead"),
    };
    let result = if args.reports.json { json(&run) } else { text(&run, wanted) };
    out().write_all(result.as_bytes())?;
    // The exit code is that of this command; the reports tell that of the run.
    Ok(Exit::Passed)
}

/// Returns the events of the run at `path`.
pub fn events(path: &Path) -> Result<impl Iterator<Item = Result<Event, Mistake>>, Mistake> {
    Ok(store::read(path).map_err(unread)?.map(|event| event.map_err(unread)))
}

fn unread(error: store::ReadError) -> Mistake {
    match error {
        store::ReadError::File { path, why } => Mistake::new(unreadable(&path, why).to_string()),
        error => Mistake::new(error.to_string()),
    }
}
