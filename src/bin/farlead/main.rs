//! The command line: arguments, colour and exit codes; the library does the work.

mod agents;
mod app;
mod baseline;
mod check;
mod compare;
mod completions;
mod covering;
mod deciding;
mod devices;
mod doctor;
mod explain;
mod explore;
mod export;
mod init;
mod learned;
mod lint;
mod log_in;
mod look;
mod lsp;
mod merge;
mod minimize;
mod model;
mod monitor;
mod news;
mod outputs;
mod policy;
mod progress;
mod project;
mod protocol;
mod replay;
mod report;
mod searching;
mod secrets;
mod set_up;
mod sim;
mod sources;
mod stdout;
mod studio;
mod training;
mod words;

use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use sources::{Colour, Shell};

/// Tests an Android app against temporal formulas: finds the run, shrinks it, proves it, keeps it
#[derive(Debug, Parser)]
#[command(name = "farlead", version, max_term_width = 100)]
#[command(after_help = "Examples:
  farlead doctor                            find what keeps farlead from using a phone
  farlead init --apk notes.apk              start a project: farlead.toml, specs, a workflow
  farlead studio --app apps/notes.app       click a spec together in the browser
  farlead look                              show the phone's screen as atoms to paste
  farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app
  farlead explore --app apps/shop.app       find crashes, and see what an app has
  farlead replay farlead-tests              replay every stored test
  farlead lint specs                        find the mistakes in all specs of a folder
  farlead explain specs/chesswalk/about.ltl put a spec into words

Exit codes: 0 all passed; 1 a spec failed, was not found or is untested, or a test failed; 2 command
line; 3 a spec, model, test or other file is missing or has mistakes; 4 no device, or a full disk;
5 a test diverged or is flaky; 6 a crash that no spec asks for; 70 a fault of farlead's own; 130
Ctrl-C, 143 SIGTERM, 129 SIGHUP.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Use of colours
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    color: Colour,
    /// Show results and mistakes only
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::CheckArgs),
    Explore(explore::ExploreArgs),
    Replay(replay::ReplayArgs),
    Minimize(minimize::MinimizeArgs),
    Export(export::ExportArgs),
    Report(report::ReportCommandArgs),
    Merge(merge::MergeArgs),
    Compare(compare::CompareArgs),
    Lint(lint::LintArgs),
    Look(look::LookArgs),
    Explain(explain::ExplainArgs),
    Monitor(monitor::MonitorArgs),
    Words(words::WordsArgs),
    Model(model::ModelArgs),
    Sim(sim::SimArgs),
    Studio(studio::StudioArgs),
    Devices(devices::DevicesArgs),
    Doctor(doctor::DoctorArgs),
    Init(init::InitArgs),
    Lsp(lsp::LspArgs),
    Completions(completions::CompletionsArgs),
}

/// Way in which a run of the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    /// Everything is as expected.
    Passed,
    /// A spec or a test failed, or no run was found.
    Failed,
    /// The command line makes no sense.
    Usage,
    /// A spec, a trace or another file is missing or broken.
    Broken,
    /// The machine did not let us.
    Environment,
    /// A run differs from one time to the next, or cannot be done again.
    Flaky,
    /// A run has a crash that no spec asked for.
    Crash,
    /// Our own fault.
    Fault,
    /// Ctrl-C was pressed, or another signal asked farlead to end.
    Interrupted,
}

const GRAVEST_FIRST: [Exit; 9] = [
    Exit::Fault,
    // An end that left specs undecided is graver than a decision against one.
    Exit::Interrupted,
    Exit::Environment,
    Exit::Broken,
    Exit::Usage,
    Exit::Flaky,
    Exit::Crash,
    Exit::Failed,
    Exit::Passed,
];

impl Exit {
    /// Returns the end that has this code.
    fn of_code(code: u8) -> Exit {
        GRAVEST_FIRST.into_iter().find(|exit| exit.code() == code).unwrap_or(Exit::Fault)
    }

    fn code(self) -> u8 {
        match self {
            Exit::Passed => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Broken => 3,
            Exit::Environment => 4,
            Exit::Flaky => 5,
            Exit::Crash => 6,
            Exit::Fault => 70,
            Exit::Interrupted => 130,
        }
    }

    /// Returns the graver of two ends that came up in one run.
    fn and(self, other: Exit) -> Exit {
        GRAVEST_FIRST.into_iter().find(|exit| [self, other].contains(exit)).unwrap_or(self)
    }
}

/// A mistake in a file or spec of the user's: what, where, and what to do. The message is empty if stderr has it already.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Mistake {
    message: String,
}

impl Mistake {
    fn new(message: String) -> Mistake {
        Mistake { message }
    }
}

/// The lack of something that is no file of the user's: a device, a package on it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Missing {
    message: String,
}

impl Missing {
    fn new(message: String) -> Missing {
        Missing { message }
    }
}

/// A command line that asks for something that is not there.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Usage {
    message: String,
}

impl Usage {
    fn new(message: String) -> Usage {
        Usage { message }
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // The message about the command line is the output: if printing fails, the exit code remains.
            let _ = error.print();
            // `--help` and `--version` come as errors too, and are none.
            return ExitCode::from(if error.use_stderr() { Exit::Usage.code() } else { 0 });
        }
    };
    // A panic is a fault of farlead, with an exit code that scripts can tell from all others.
    let exit = panic::catch_unwind(|| run(&cli)).unwrap_or_else(|_| {
        eprintln!("farlead: this is a fault of farlead's own, not of yours; please report it");
        Exit::Fault
    });
    ExitCode::from(if exit == Exit::Interrupted { progress::interrupted_code() } else { exit.code() })
}

fn run(cli: &Cli) -> Exit {
    let shell = Shell::new(cli.color, cli.quiet);
    let ended = match &cli.command {
        Command::Check(args) => check::run(args, &shell),
        Command::Explore(args) => explore::run(args, &shell),
        Command::Replay(args) => replay::run(args, &shell),
        Command::Minimize(args) => minimize::run(args, &shell),
        Command::Export(args) => export::run(args, &shell),
        Command::Report(args) => report::run(args, &shell),
        Command::Merge(args) => merge::run(args, &shell),
        Command::Compare(args) => compare::run(args, &shell),
        Command::Lint(args) => lint::run(args, &shell),
        Command::Look(args) => look::run(args, &shell),
        Command::Explain(args) => explain::run(args, &shell),
        Command::Monitor(args) => monitor::run(args, &shell),
        Command::Words(args) => words::run(args),
        Command::Model(args) => model::run(args, &shell),
        Command::Sim(args) => sim::run(args, &shell),
        Command::Studio(args) => studio::run(args, &shell),
        Command::Devices(args) => devices::run(args, &shell),
        Command::Doctor(args) => doctor::run(args, &shell),
        Command::Init(args) => init::run(args, &shell),
        Command::Lsp(args) => lsp::run(args),
        Command::Completions(args) => completions::run(args),
    };
    match ended {
        Ok(exit) => exit,
        // Reading wraps its errors, so a bare I/O error came from writing.
        Err(error) if error.is::<io::Error>() || error.is::<serde_json::Error>() => {
            say(&format!("cannot write to standard output: {error}"));
            Exit::Environment
        }
        Err(error) => {
            let message = said_of(&error);
            if !message.is_empty() {
                say(&message);
            }
            exit_of(&error)
        }
    }
}

/// Returns what an error says, and its causes as far as it does not say them itself.
fn said_of(error: &anyhow::Error) -> String {
    error.chain().fold(String::new(), |said, cause| match cause.to_string() {
        cause if said.contains(&cause) => said,
        cause if said.is_empty() => cause,
        cause => format!("{said}: {cause}"),
    })
}

/// Returns the end of a command that failed.
fn exit_of(error: &anyhow::Error) -> Exit {
    match () {
        () if error.is::<Usage>() => Exit::Usage,
        () if error.is::<Missing>() => Exit::Environment,
        () => Exit::Broken,
    }
}

fn say(message: &str) {
    // A message may quote a file, which must not steer the terminal.
    let lines: Vec<String> = message.lines().map(farlead::spec::printable).collect();
    // A closed stderr leaves nobody to tell, so a failed write is no error.
    let _ = writeln!(io::stderr(), "farlead: {}", lines.join("\n"));
}
