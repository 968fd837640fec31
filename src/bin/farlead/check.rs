//! `farlead check`: finds the run that decides each spec.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use clap::Args;
use farlead::device::{DeviceError, Notice};
use farlead::episode::Labeling;
use farlead::event::Outcome;
use farlead::experience::Experience;
use farlead::gui::{Action, Atom, BUILTIN_ACTION_TYPES, Key, Op, UserAction, Value};
use farlead::learned::Learned;
use farlead::search::{
    Exhausted, Finding, News, Plan, Reach, Stop, exhaust, in_order, repertoire, search, waves,
};
use farlead::spec::{Expectation, Judgement, Severity, Source, Spec, printable};
use farlead::trace::{Step, Trace};
use serde::Serialize;

use crate::agents::AgentName;
use crate::app::{AppArgs, OpenedApp};
use crate::learned;
use crate::lint::{self, counted};
use crate::progress::{Progress, interruption, left};
use crate::project::Project;
use crate::searching::SearchArgs;
use crate::sources::{self, Judged, Shell};
use crate::{Exit, Usage, is_closed_pipe};

/// Of the actions that were never tried, so many are named.
const ACTIONS_SHOWN_MAX: usize = 5;

/// A residual is shown up to so many letters.
const LETTERS_SHOWN_MAX: usize = 400;

/// Find the run of an app that satisfies each spec, or that it forbids.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app
  farlead check specs/chesswalk --app apps/chesswalk.app --only a --json
  farlead check specs/chesswalk/second_game.ltl --app apps/chesswalk.app --exhaustive
  farlead check specs/notes/palette.ltl --apk notes.apk --agent tree --seed 7

With --json a line has an \"event\": diagnostic (as from lint), start (file, spec, device),
result (file, spec, outcome, episodes, steps, length, seed, actions, residuals, reasons, learned,
why) and at last summary. Outcomes: met, broken (what must not be was found), gave_up, impossible, untested
(nothing was found, and two or more atoms never held), error.

Exit codes: 0 all as expected; 1 a spec not met; 2 command line; 3 a spec or model is missing
or has mistakes; 4 no device, or the disk; 130 Ctrl-C (what was found is said).")]
pub struct CheckArgs {
    /// Spec files, or folders with .ltl files in them
    #[arg(value_name = "SPEC", required = true)]
    specs: Vec<PathBuf>,
    #[command(flatten)]
    app: AppArgs,
    /// Check this spec of each file alone
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Who searches [default: planner]
    #[arg(long, value_enum)]
    agent: Option<AgentName>,
    /// Try all actions and all outcomes of chance, shortest runs first (simulator alone): finds a
    /// shortest run, or proves that there is none
    #[arg(long)]
    exhaustive: bool,
    #[command(flatten)]
    search: SearchArgs,
    /// Start from what was learned of the app before, and keep what is learned now
    #[arg(long, value_name = "FILE", conflicts_with = "exhaustive")]
    learned: Option<PathBuf>,
    /// Tell the steps of each episode on stderr, and of each step why it was taken and what it taught
    #[arg(long, short)]
    verbose: bool,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
}

/// A spec to check, or one that cannot be.
struct Task<'a> {
    file: &'a str,
    spec: &'a Spec,
    judgement: &'a Judgement,
    plan: Plan,
}

pub fn run(args: &CheckArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let project = Project::find()?;
    let app = args.app.open(&project, shell)?;
    let texts = args.search.texts(&project)?;
    let files = sources::expand(&args.specs)?;
    let mut exit = Exit::Met;
    let mut judged = Vec::new();
    for path in &files {
        match sources::read(path) {
            Ok(one) => judged.push(one),
            Err(mistake) => {
                // The others are checked all the same.
                writeln!(io::stderr(), "farlead: {mistake}")?;
                exit = exit.and(Exit::Broken);
            }
        }
    }
    for one in judged.iter().filter(|one| says_something(one, shell)) {
        sources::warn(&one.source, &one.linted.diagnostics, shell);
    }
    if judged.iter().any(has_mistakes_of_its_own) {
        exit = exit.and(Exit::Broken);
    }
    let read = |path| learned::read(path, &app.app(), shell);
    let learned = args.learned.as_deref().map(read).transpose()?.unwrap_or_default();
    let mut tasks = tasks(args, &project, &judged, &texts, &learned)?;
    if args.json {
        say_unread(&judged, args.search.seed(&project).0)?;
    }
    if tasks.is_empty() && exit != Exit::Met {
        return Ok(exit);
    }
    // What was known before stays, also of actions that are not met this time.
    let done = check_all(args, &app, &mut tasks, shell, Done { exit, learned })?;
    if let Some(path) = &args.learned {
        learned::write(path, &done.learned)?;
    }
    Ok(done.exit)
}

/// Says of the specs that could not be read that they were not: by the names they start with.
fn say_unread(judged: &[Judged], seed: u64) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    for one in judged.iter().filter(|one| has_mistakes_of_its_own(one)) {
        let file = one.source.name();
        for diagnostic in one.linted.diagnostics.iter() {
            let found = diagnostic.located(&one.source);
            writeln!(out, "{}", serde_json::to_string(&lint::diagnostic_event(&found))?)?;
        }
        let read: Vec<&str> = one.linted.file.specs.iter().map(|spec| &*spec.name).collect();
        for name in named_specs(&one.source).into_iter().filter(|name| !read.contains(name)) {
            let result = Line::Result {
                file,
                spec: name,
                outcome: Outcome::Error.name(),
                episodes: 0,
                steps: 0,
                length: None,
                seed,
                actions: Vec::new(),
                residuals: Vec::new(),
                reasons: Vec::new(),
                learned: Vec::new(),
                why: "the spec has mistakes",
            };
            writeln!(out, "{}", serde_json::to_string(&result)?)?;
        }
    }
    Ok(())
}

/// The names behind `possible`, `never` and `must` at the start of lines; that of the file where there is none.
fn named_specs(source: &Source) -> Vec<&str> {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let name = |line: &'_ str| -> Option<(usize, usize)> {
        let word = Expectation::ALL.map(Expectation::word).into_iter().find(|word| line.starts_with(word))?;
        let rest = line[word.len()..].trim_start();
        let start = line.len() - rest.len();
        if line[word.len()..].starts_with(is_part) {
            return None;
        }
        let length = match rest.strip_prefix('"') {
            Some(quoted) => return quoted.find('"').map(|length| (start + 1, length)),
            None => rest.find(|char| !is_part(char)).unwrap_or(rest.len()),
        };
        let is_budget = ["within", "over"].contains(&&rest[..length]);
        Some((start, if is_budget { 0 } else { length }))
    };
    let lines = source.text().lines().map(str::trim_start);
    let named = lines.filter_map(|line| name(line).map(|(start, length)| &line[start..start + length]));
    let mut names: Vec<&str> = named.map(|name| if name.is_empty() { source.stem() } else { name }).collect();
    if names.is_empty() {
        names.push(source.stem());
    }
    names
}

/// Whether the diagnostics of a file are to be shown: its mistakes always, warnings unless all is to be quiet.
fn says_something(judged: &Judged, shell: &Shell) -> bool {
    let diagnostics = &judged.linted.diagnostics;
    diagnostics.errors() > 0 || (diagnostics.warnings() > 0 && !shell.quiet)
}

/// Whether a file has mistakes outside the specs that were read, which are errors of their own.
fn has_mistakes_of_its_own(judged: &Judged) -> bool {
    let of_specs: usize = judged.linted.judgements.iter().map(errors).sum();
    judged.linted.diagnostics.errors() > of_specs
}

fn errors(judgement: &Judgement) -> usize {
    judgement.diagnostics.iter().filter(|found| found.severity == Severity::Error).count()
}

fn tasks<'a>(
    args: &CheckArgs,
    project: &Project,
    judged: &'a [Judged],
    texts: &[String],
    learned: &Learned,
) -> anyhow::Result<Vec<Task<'a>>> {
    let mut base = args.search.plan(
        project,
        args.agent.or(project.agent).unwrap_or(AgentName::Planner).kind(),
        texts,
    )?;
    base.learned = learned.labelings.iter().map(|(labeling, values)| (labeling.clone(), *values)).collect();
    base.tells_steps = args.verbose;
    let mut tasks = Vec::new();
    for one in judged {
        let actions: Arc<[UserAction]> = one.linted.file.actions.clone().into();
        for (spec, judgement) in one.linted.file.specs.iter().zip(&one.linted.judgements) {
            if args.only.as_ref().is_some_and(|only| *only != spec.name) {
                continue;
            }
            let (steps_max, episodes_max) = args.search.budget(project, spec, judgement)?;
            let plan = Plan { steps_max, episodes_max, actions: actions.clone(), ..base.clone() };
            tasks.push(Task { file: one.source.name(), spec, judgement, plan });
        }
    }
    let all = judged.iter().flat_map(|one| &one.linted.file.specs);
    let names: std::collections::BTreeSet<&str> = all.map(|spec| &*spec.name).collect();
    match &args.only {
        // Where no spec could be read at all, that has been said.
        Some(only) if tasks.is_empty() && !names.is_empty() => {
            let names: Vec<&str> = names.into_iter().collect();
            Err(Usage::new(format!("there is no spec `{only}`; there is `{}`", names.join("`, `"))).into())
        }
        Some(_) | None => Ok(tasks),
    }
}

/// How a run over all specs went so far.
struct Done {
    exit: Exit,
    /// What is known of the app.
    learned: Learned,
}

fn check_all(
    args: &CheckArgs,
    app: &OpenedApp,
    tasks: &mut [Task<'_>],
    shell: &Shell,
    mut done: Done,
) -> anyhow::Result<Done> {
    let device = app.describe();
    let interrupted = interruption();
    let progress = Progress::new(!shell.quiet);
    let finished = AtomicUsize::new(0);
    let mut out = BufWriter::new(io::stdout().lock());
    if !args.json && !shell.quiet {
        writeln!(out, "device: {}", printable(&device))?;
        out.flush()?;
    }
    let mut outcomes = std::collections::BTreeMap::new();
    let mut written = Ok(());
    // What this run alone has seen.
    let (mut fresh, mut is_outdated) = (Experience::new(), false);
    for wave in waves(tasks.len(), first_wave(args, tasks)) {
        // What came of the waves before is known to all of this one, and nothing that comes up within it.
        let known = Arc::new(done.learned.experience.clone());
        tasks[wave.clone()].iter_mut().for_each(|task| task.plan.experience = known.clone());
        let tasks = &*tasks;
        let work = |number: usize| {
            let task = &tasks[wave.start + number];
            let watch = |line: &str, seconds: f64, share: f64| {
                progress.say(|_| {
                    let ready = finished.load(Ordering::Relaxed);
                    let left = left(share, 1.0, seconds);
                    format!(
                        "{ready}/{} specs, {:?}: {line}, at most {left} left",
                        tasks.len(),
                        task.spec.name
                    )
                });
            };
            let report = check_one(args, app, task, &interrupted, &watch, &|text: &str| {
                progress.clear();
                // Where stderr is closed there is nobody to tell.
                let _ = io::stderr().write_all(text.as_bytes());
            });
            finished.fetch_add(1, Ordering::Relaxed);
            report
        };
        in_order(args.search.jobs(), wave.len(), work, |number, report| {
            let task = &tasks[wave.start + number];
            progress.clear();
            done.exit = done.exit.and(report.exit);
            *outcomes.entry(report.outcome.name()).or_insert(0) += 1;
            if written.is_ok() {
                written = if args.json {
                    say_as_json(&mut out, task, &report, &device)
                } else {
                    say(&mut out, task, &report, shell, args.verbose).map_err(Into::into)
                };
                written = std::mem::replace(&mut written, Ok(())).and_then(|()| Ok(out.flush()?));
            }
            done.learned.add(report.labelings);
            done.learned.experience.merge(&report.experience);
            fresh.merge(&report.experience);
            is_outdated |= report.is_outdated;
        });
        if is_outdated && done.learned.experience.is_old() {
            // Where stderr is closed there is nobody to tell.
            let message =
                "the app answers otherwise than when it was learned; what was done then is left out";
            let _ = writeln!(io::stderr(), "farlead: warning: {message}");
            done.learned.experience = fresh.clone();
        }
    }
    if let Err(error) = written {
        // Whoever read the results has had enough of them; how it ended is still to be told.
        return if is_closed_pipe(&error) { Ok(done) } else { Err(error) };
    }
    let files: std::collections::BTreeSet<&str> = tasks.iter().map(|task| task.file).collect();
    if args.json {
        let summary = Line::Summary { files: files.len(), specs: tasks.len(), outcomes };
        writeln!(out, "{}", serde_json::to_string(&summary)?)?;
    } else if !shell.quiet {
        let counts: Vec<String> =
            outcomes.iter().map(|(name, count)| format!("{count} {}", name.replace('_', " "))).collect();
        let specs = counted(tasks.len(), "spec");
        writeln!(out, "{specs} in {}: {}", counted(files.len(), "file"), counts.join(", "))?;
    }
    out.flush()?;
    Ok(done)
}

/// How many tasks are done before what was found out is handed on: all, unless it serves the others.
fn first_wave(args: &CheckArgs, tasks: &[Task<'_>]) -> usize {
    let is_handed_on = tasks.iter().any(|task| task.plan.agent.recalls()) && !args.exhaustive;
    if is_handed_on { 1 } else { tasks.len() }
}

