//! `farlead lint`: finds all mistakes in specs, without a device.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use farlead::gui::TypedText;
use farlead::ltl::QUANTUM_MS;
use farlead::spec::{Expectation, Judgement, Located, Spec, printable};
use serde::Serialize;

use crate::Exit;
use crate::project::Project;
use crate::sources::{self, Judged, Shell};
use crate::stdout::out;

/// Find mistakes in specs, and formulas that are surely not meant.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead lint specs/chesswalk/about.ltl
  farlead lint specs --strict        treat warnings as mistakes
  farlead lint specs --json          one JSON object a line

With --json a line has an \"event\": diagnostic (file, line, column, end_line, end_column, severity,
code, message, help), spec (name, expectation, level, atoms, shortest, within, episodes, and if the
head says so typed_counts and times_to_ms), unreadable, more, and at last summary. Of a file, the
first hundred mistakes and the first hundred warnings are said, and the others counted.

Exit codes: 0 no mistakes; 2 command line; 3 mistakes, or with --strict warnings.")]
pub struct LintArgs {
    /// Spec files, or folders of .ltl and .feature files
    #[arg(value_name = "SPEC", required = true)]
    specs: Vec<PathBuf>,
    /// Treat warnings as mistakes
    #[arg(long)]
    strict: bool,
    /// Write JSON, one object a line
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    Diagnostic {
        file: &'a str,
        line: usize,
        column: usize,
        end_line: usize,
        end_column: usize,
        severity: &'a str,
        code: &'a str,
        message: &'a str,
        help: Option<&'a str>,
    },
    Spec {
        file: &'a str,
        line: usize,
        name: &'a str,
        expectation: &'a str,
        level: String,
        atoms: u64,
        shortest: Option<u32>,
        within: Option<u32>,
        episodes: Option<u32>,
        #[serde(skip_serializing_if = "is_left_out")]
        typed_counts: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        times_to_ms: Option<u32>,
    },
    Unreadable {
        file: &'a str,
        message: String,
    },
    /// Number of diagnostics of a file beyond those that are shown.
    More {
        file: &'a str,
        diagnostics: usize,
    },
    Summary {
        files: usize,
        specs: usize,
        errors: usize,
        warnings: usize,
    },
}

pub fn run(args: &LintArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let project = Project::find()?;
    let files = sources::expand(&args.specs)?;
    let mut out = BufWriter::new(out());
    let (mut specs, mut errors, mut warnings) = (0, 0, 0);
    for path in &files {
        let judged = match sources::read(path, &project) {
            Ok(judged) => judged,
            Err(mistake) => {
                // A file that cannot be read does not keep the others from being judged.
                if args.json {
                    let file = path.display().to_string();
                    let event = Event::Unreadable { file: &file, message: mistake.to_string() };
                    writeln!(out, "{}", serde_json::to_string(&event)?)?;
                }
                // Both streams may go to one terminal, where the results so far come first.
                out.flush()?;
                writeln!(io::stderr(), "farlead: {mistake}")?;
                errors += 1;
                continue;
            }
        };
        specs += judged.linted.file.specs.len();
        errors += judged.linted.diagnostics.errors();
        warnings += judged.linted.diagnostics.warnings();
        if args.json { say_as_json(&mut out, &judged)? } else { say(&mut out, &judged, shell)? }
    }
    if args.json {
        let summary = Event::Summary { files: files.len(), specs, errors, warnings };
        writeln!(out, "{}", serde_json::to_string(&summary)?)?;
    } else if !shell.quiet {
        writeln!(
            out,
            "{} in {}: {}, {}",
            counted(specs, "spec"),
            counted(files.len(), "file"),
            counted(errors, "mistake"),
            counted(warnings, "warning")
        )?;
    }
    out.flush()?;
    let broken = errors > 0 || (args.strict && warnings > 0);
    Ok(if broken { Exit::Broken } else { Exit::Passed })
}

fn say(out: &mut impl Write, judged: &Judged, shell: &Shell) -> io::Result<()> {
    write!(out, "{}", judged.linted.diagnostics.render(&judged.source, shell.stdout))?;
    if shell.quiet {
        return Ok(());
    }
    for (spec, judgement) in judged.linted.file.specs.iter().zip(&judged.linted.judgements) {
        writeln!(out, "{}:{}: {}", printable(judged.source.name()), spec.line, in_one_line(spec, judgement))?;
    }
    Ok(())
}

fn in_one_line(spec: &Spec, judgement: &Judgement) -> String {
    let mut line = format!(
        "{} {:?}: level {}, {}",
        spec.expectation.word(),
        spec.name,
        spec.level(),
        counted_atoms(spec.formulas.atom_count(spec.formula))
    );
    if let Some(shortest) = judgement.shortest {
        let what = match spec.expectation {
            Expectation::Possible | Expectation::Never => "shortest witness",
            Expectation::Must => "shortest violation",
        };
        line += &format!(", {what} {}", counted(shortest as usize, "step"));
    }
    if let Some(steps_max) = spec.budget.steps_max {
        line += &format!(", within {}", counted(steps_max as usize, "step"));
    }
    if let Some(episodes_max) = spec.budget.episodes_max {
        line += &format!(", over {}", counted(episodes_max as usize, "episode"));
    }
    if spec.typed == TypedText::Counts {
        line += ", typed text counts";
    }
    if let Some(clause) = spec.times_clause() {
        line += &format!(", {clause}");
    }
    line
}

/// Returns true if the usual value is left out.
fn is_left_out(is_said: &bool) -> bool {
    !is_said
}

fn counted_atoms(count: u64) -> String {
    usize::try_from(count).map_or_else(|_| format!("{count} atoms"), |count| counted(count, "atom"))
}

/// Returns a number with its noun: `1 spec`, `2 specs`.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn say_as_json(out: &mut impl Write, judged: &Judged) -> anyhow::Result<()> {
    let file = judged.source.name();
    for diagnostic in judged.linted.diagnostics.iter() {
        let found = diagnostic.located(&judged.source);
        writeln!(out, "{}", serde_json::to_string(&diagnostic_event(&found))?)?;
    }
    let diagnostics = &judged.linted.diagnostics;
    // A file keeps a hundred diagnostics of each kind and counts all of them.
    let more = diagnostics.errors() + diagnostics.warnings() - diagnostics.iter().len();
    if more > 0 {
        writeln!(out, "{}", serde_json::to_string(&Event::More { file, diagnostics: more })?)?;
    }
    for (spec, judgement) in judged.linted.file.specs.iter().zip(&judged.linted.judgements) {
        let event = Event::Spec {
            file,
            line: spec.line,
            name: &spec.name,
            expectation: spec.expectation.word(),
            level: spec.level().to_string(),
            atoms: spec.formulas.atom_count(spec.formula),
            shortest: judgement.shortest,
            within: spec.budget.steps_max,
            episodes: spec.budget.episodes_max,
            typed_counts: spec.typed == TypedText::Counts,
            times_to_ms: Some(spec.formulas.quantum_ms()).filter(|&quantum_ms| quantum_ms != QUANTUM_MS),
        };
        writeln!(out, "{}", serde_json::to_string(&event)?)?;
    }
    Ok(())
}

pub fn diagnostic_event(found: &Located) -> Event<'_> {
    Event::Diagnostic {
        file: &found.file,
        line: found.start.line,
        column: found.start.column,
        end_line: found.end.line,
        end_column: found.end.column,
        severity: found.severity.name(),
        code: found.code,
        message: &found.message,
        help: found.help.as_deref(),
    }
}
