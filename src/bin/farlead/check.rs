//! `farlead check`: finds the run that decides each spec.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use clap::Args;
use farlead::device::{DeviceError, Notice};
use farlead::event::Event;
use farlead::gui::{Action, UserAction};
use farlead::search::{
    Exhausted, Finding, Outcome, Plan, Reach, Stop, exhaust, in_order, repertoire, search,
};
use farlead::spec::{Expectation, Judgement, Severity, Spec};
use farlead::trace::{Step, Trace};
use serde::Serialize;

use crate::agents::AgentName;
use crate::app::{AppArgs, OpenedApp};
use crate::learned::Learned;
use crate::lint::counted;
use crate::progress::{Progress, interruption, left};
use crate::project::Project;
use crate::searching::SearchArgs;
use crate::sources::{self, Judged, Shell};
use crate::{Exit, Mistake, Usage};

/// Of the actions that were never tried, so many are named.
const ACTIONS_SHOWN_MAX: usize = 5;

/// A residual is shown up to so many names.
const NAMES_SHOWN_MAX: usize = 400;

/// Find the run of an app that satisfies each spec, or that it forbids.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app
  farlead check specs/chesswalk --app apps/chesswalk.app --only a --json
  farlead check specs/chesswalk/stale_moves.ltl --app apps/chesswalk.app --set fixed=true --exhaustive
  farlead check specs/notes/palette.ltl --apk notes.apk --agent tree --seed 7

With --json a line has an \"event\": start (file, spec, device), result (file, spec, outcome,
episodes, steps, length, seed, actions, residuals, why) and at last summary. Outcomes: met, broken
(what must not be was found), gave_up, impossible, untested (nothing was found, and two or more atoms
never held), error.

Exit codes: 0 all as expected; 1 a spec not met; 2 command line; 3 a spec or model is missing or has
mistakes; 4 no device; 130 Ctrl-C (what was found is said).")]
pub struct CheckArgs {
    /// Spec files, or folders with .ltl files in them
    #[arg(value_name = "SPEC", required = true)]
    specs: Vec<PathBuf>,
    #[command(flatten)]
    app: AppArgs,
    /// Check this spec of each file alone
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Who searches [default: farlead]
    #[arg(long, value_enum)]
    agent: Option<AgentName>,
    /// Try all actions and all outcomes of chance, shortest runs first (simulator alone): finds a
    /// shortest run, or proves that there is none
    #[arg(long)]
    exhaustive: bool,
    #[command(flatten)]
    search: SearchArgs,
    /// Start from what was learned of actions before, and keep what is learned now
    #[arg(long, value_name = "FILE", conflicts_with = "exhaustive")]
    learned: Option<PathBuf>,
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

/// What is said of a spec.
struct Report {
    outcome: Outcome,
    why: String,
    episodes: u32,
    steps: u64,
    run: Option<Trace>,
    reach: Option<Reach>,
    advice: Vec<String>,
    exit: Exit,
    learned: Learned,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Start {
        file: &'a str,
        spec: &'a str,
        device: &'a str,
    },
    Result {
        file: &'a str,
        spec: &'a str,
        outcome: &'a str,
        episodes: u32,
        steps: u64,
        length: Option<usize>,
        seed: u64,
        actions: Vec<ActionLine<'a>>,
        residuals: Vec<&'a str>,
        why: &'a str,
    },
    Summary {
        files: usize,
        specs: usize,
        outcomes: std::collections::BTreeMap<&'a str, usize>,
    },
}

/// An action as JSON says it.
#[derive(Serialize)]
struct ActionLine<'a> {
    #[serde(rename = "type")]
    action_type: &'a str,
    detail: &'a str,
    #[serde(rename = "objectID")]
    object_id: Option<&'a str>,
    bounds: Option<[i32; 4]>,
}

impl ActionLine<'_> {
    fn new(action: &Action) -> ActionLine<'_> {
        let target = action.target();
        ActionLine {
            action_type: action.type_name(),
            detail: action.detail(),
            object_id: target.map(|target| &*target.object_id),
            bounds: target.map(|target| {
                let bounds = target.bounds;
                [bounds.left, bounds.top, bounds.right, bounds.bottom]
            }),
        }
    }
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
    let mut learned = args.learned.as_deref().map(Learned::read).transpose()?.unwrap_or_default();
    let tasks = tasks(args, &project, &judged, &texts, &learned)?;
    if tasks.is_empty() && exit != Exit::Met {
        return Ok(exit);
    }
    let done = check_all(args, &app, &tasks, shell, exit)?;
    if let Some(path) = &args.learned {
        // What was known before stays, also of actions that were not met this time.
        learned.add(done.learned);
        write_learned(path, &learned)?;
    }
    Ok(done.exit)
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
        args.agent.or(project.agent).unwrap_or(AgentName::Farlead).kind(),
        texts,
    )?;
    base.learned = learned.labelings.clone();
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
    match &args.only {
        Some(only) if tasks.is_empty() => {
            let all = judged.iter().flat_map(|one| &one.linted.file.specs);
            let names: std::collections::BTreeSet<&str> = all.map(|spec| &*spec.name).collect();
            let names: Vec<&str> = names.into_iter().collect();
            Err(Usage::new(format!("there is no spec `{only}`; there is `{}`", names.join("`, `"))).into())
        }
        Some(_) | None => Ok(tasks),
    }
}

/// How a run over all specs went.
struct Done {
    exit: Exit,
    learned: Learned,
}

fn check_all(
    args: &CheckArgs,
    app: &OpenedApp,
    tasks: &[Task<'_>],
    shell: &Shell,
    exit: Exit,
) -> anyhow::Result<Done> {
    let device = app.describe();
    let interrupted = interruption();
    let progress = Progress::new(!shell.quiet);
    let finished = AtomicUsize::new(0);
    let mut out = BufWriter::new(io::stdout().lock());
    if !args.json && !shell.quiet {
        writeln!(out, "device: {device}")?;
        out.flush()?;
    }
    let mut done = Done { exit, learned: Learned::default() };
    let mut outcomes = std::collections::BTreeMap::new();
    let mut written = Ok(());
    let work = |number: usize| {
        let task = &tasks[number];
        let report = check_one(args, app, task, &interrupted, &|line: &str, seconds: f64, share: f64| {
            progress.say(|_| {
                let ready = finished.load(Ordering::Relaxed);
                let left = left(share, 1.0, seconds);
                format!("{ready}/{} specs, {:?}: {line}, at most {left} left", tasks.len(), task.spec.name)
            });
        });
        finished.fetch_add(1, Ordering::Relaxed);
        report
    };
    in_order(args.search.jobs(), tasks.len(), work, |number, report| {
        let task = &tasks[number];
        progress.clear();
        done.exit = done.exit.and(report.exit);
        *outcomes.entry(report.outcome.name()).or_insert(0) += 1;
        if written.is_ok() {
            written = if args.json {
                say_as_json(&mut out, task, &report, &device)
            } else {
                say(&mut out, task, &report, shell).map_err(Into::into)
            };
            written = std::mem::replace(&mut written, Ok(())).and_then(|()| Ok(out.flush()?));
        }
        done.learned.add(report.learned);
    });
    written?;
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

/// Told what is going on, for how many seconds already, and how much of the most it can take is done.
type Watch<'a> = &'a dyn Fn(&str, f64, f64);

fn check_one(
    args: &CheckArgs,
    app: &OpenedApp,
    task: &Task<'_>,
    interrupted: &AtomicBool,
    watch: Watch<'_>,
) -> Report {
    if errors(task.judgement) > 0 {
        return Report::error("the spec has mistakes, which are said above".to_string(), Exit::Broken);
    }
    if interrupted.load(Ordering::Relaxed) {
        let why = "it was not begun: Ctrl-C".to_string();
        return Report { outcome: Outcome::GaveUp, ..Report::error(why, Exit::Interrupted) };
    }
    let found = if args.exhaustive {
        check_exhaustively(app, task, interrupted, watch)
    } else {
        check_by_search(app, task, interrupted, watch)
    };
    found.unwrap_or_else(|error| {
        let exit = match &error {
            DeviceError::Model { .. } => Exit::Broken,
            DeviceError::Faulty { .. } => Exit::Environment,
        };
        Report::error(error.to_string(), exit)
    })
}

impl Report {
    fn error(why: String, exit: Exit) -> Report {
        Report {
            outcome: Outcome::Error,
            why,
            episodes: 0,
            steps: 0,
            run: None,
            reach: None,
            advice: Vec::new(),
            exit,
            learned: Learned::default(),
        }
    }
}

fn exit_of(outcome: Outcome, interrupted: bool) -> Exit {
    match outcome {
        Outcome::Met if !interrupted => Exit::Met,
        _ if interrupted => Exit::Interrupted,
        Outcome::Error => Exit::Broken,
        Outcome::Met
        | Outcome::Broken
        | Outcome::GaveUp
        | Outcome::Impossible
        | Outcome::Untested
        | Outcome::Flaky => Exit::NotMet,
    }
}

fn check_by_search(
    app: &OpenedApp,
    task: &Task<'_>,
    interrupted: &AtomicBool,
    watch: Watch<'_>,
) -> Result<Report, DeviceError> {
    let mut device = app.simulator(task.plan.seed);
    let begun = std::time::Instant::now();
    let episodes_max = task.plan.episodes_max;
    let finding = search(&mut device, task.spec, &task.plan, &mut |event| {
        let Event::EpisodeEnded { episode, steps, closest } = event;
        let seconds = begun.elapsed().as_secs_f64();
        let share = f64::from(*episode) / f64::from(episodes_max);
        // A line is made up only where it may be looked at: rarely.
        if episode % 16 == 1 {
            let closest = closest.map_or(String::new(), |steps| format!(", {steps} from the goal at best"));
            let rate = *steps as f64 / seconds.max(1e-6);
            watch(&format!("episode {episode}/{episodes_max}{closest}, {rate:.0} steps/s"), seconds, share);
        }
        !interrupted.load(Ordering::Relaxed)
    })?;
    Ok(judge_finding(task, finding))
}

fn judge_finding(task: &Task<'_>, finding: Finding) -> Report {
    let Finding { stop, episodes, steps, run, reach, learned, .. } = finding;
    let held: Vec<u64> = reach.held.iter().map(|(_, times)| *times).collect();
    let outcome = Outcome::of(task.spec.expectation, run.is_some(), false, &held);
    let spent = format!("{}, {}", counted(episodes as usize, "episode"), counted_steps(steps));
    let steps_max = task.plan.steps_max;
    let why = match (&run, stop) {
        (Some(run), _) => format!("after {spent}; a run of {}", counted(run.steps.len(), "step")),
        (None, Stop::Exhausted) => {
            format!(
                "after {spent}: no run of {steps_max} steps or fewer does, if the app always answers alike"
            )
        }
        (None, _) if reach.never_tried.is_empty() && reach.screens > 0 => {
            format!("after {spent}: every action on every screen met was tried")
        }
        (None, Stop::TimeSpent) => format!("after {spent}: the time is spent"),
        (None, Stop::Interrupted) => format!("after {spent}: Ctrl-C"),
        (None, Stop::EpisodesSpent | Stop::Found) => format!("after {spent}: the budget is spent"),
    };
    let advice = if run.is_none() { advice(task, stop, &reach) } else { Vec::new() };
    Report {
        outcome,
        why,
        episodes,
        steps,
        run,
        reach: Some(reach),
        advice,
        exit: exit_of(outcome, stop == Stop::Interrupted),
        learned: Learned { labelings: learned },
    }
}

/// What may help where nothing was found.
fn advice(task: &Task<'_>, stop: Stop, reach: &Reach) -> Vec<String> {
    let Plan { steps_max, episodes_max, .. } = task.plan;
    let mut advice = hints(reach);
    if task.spec.expectation != Expectation::Possible {
        return advice;
    }
    if stop == Stop::Exhausted {
        advice.push(format!("give runs more steps: `--steps {}`", steps_max.saturating_mul(2)));
    } else {
        advice.push(format!("try longer: `--episodes {}`", episodes_max.saturating_mul(10)));
        advice.push(format!("or with more steps: `--steps {}`", steps_max + steps_max.div_ceil(2)));
        advice.push("or try everything, on the simulator: `--exhaustive`".to_string());
    }
    advice
}

/// What the words seen say about atoms that never held.
fn hints(reach: &Reach) -> Vec<String> {
    reach.hints.iter().map(|(atom, hint)| format!("{atom} never held; {hint}")).collect()
}

fn counted_steps(steps: u64) -> String {
    if steps == 1 { "1 step".to_string() } else { format!("{steps} steps") }
}

fn check_exhaustively(
    app: &OpenedApp,
    task: &Task<'_>,
    interrupted: &AtomicBool,
    watch: Watch<'_>,
) -> Result<Report, DeviceError> {
    let mut simulator = app.simulator(task.plan.seed);
    let texts = task.plan.texts.iter().map(String::as_str);
    let offered = repertoire(task.spec, &task.plan.actions, texts);
    let begun = std::time::Instant::now();
    let steps_max = task.plan.steps_max;
    let exhausted = exhaust(&mut simulator, task.spec, offered, steps_max, &mut |depth, pairs| {
        let line = format!("runs of {depth} steps, {pairs} states");
        watch(&line, begun.elapsed().as_secs_f64(), f64::from(depth) / f64::from(steps_max));
        !interrupted.load(Ordering::Relaxed)
    })?;
    let Exhausted { run, is_too_large, is_interrupted, steps, reach } = exhausted;
    let held: Vec<u64> = reach.held.iter().map(|(_, times)| *times).collect();
    let is_proven = run.is_none() && !is_too_large && !is_interrupted;
    let outcome = Outcome::of(task.spec.expectation, run.is_some(), is_proven, &held);
    let spent = counted_steps(steps);
    let why = match &run {
        Some(run) => format!(
            "by trying everything, {spent}; no run is shorter than this of {}",
            counted(run.steps.len(), "step")
        ),
        None if is_proven => {
            format!("by trying everything, {spent}: no run of {steps_max} steps or fewer does")
        }
        None if is_interrupted => format!("after {spent}: Ctrl-C"),
        None => format!("after {spent}: there is too much to try"),
    };
    let mut advice = hints(&reach);
    if !is_proven && run.is_none() {
        advice.push(format!(
            "give runs fewer steps than {steps_max} with `--steps`, or search without `--exhaustive`"
        ));
    }
    Ok(Report {
        outcome,
        why,
        episodes: 0,
        steps,
        run,
        reach: Some(reach),
        advice,
        exit: exit_of(outcome, is_interrupted),
        learned: Learned::default(),
    })
}

fn say(out: &mut impl Write, task: &Task<'_>, report: &Report, shell: &Shell) -> io::Result<()> {
    let Task { file, spec, .. } = task;
    let outcome = report.outcome.name().replace('_', " ");
    let painted = sources::paint_outcome(shell.stdout, report.exit == Exit::Met, &outcome);
    let word = spec.expectation.word();
    writeln!(out, "{file}:{}: {word} {:?}: {painted} {}", spec.line, spec.name, report.why)?;
    if shell.quiet {
        return Ok(());
    }
    if let Some(run) = &report.run {
        for (number, step) in run.steps.iter().enumerate() {
            say_step(out, number, step)?;
        }
    } else if let Some(reach) = &report.reach {
        say_reach(out, task, reach)?;
        for line in &report.advice {
            writeln!(out, "  help: {line}")?;
        }
    }
    Ok(())
}

fn say_step(out: &mut impl Write, number: usize, step: &Step) -> io::Result<()> {
    writeln!(out, "  {number}. {}", step.action)?;
    for notice in &*step.observation.notices {
        let (what, text) = match notice {
            Notice::Toast(text) => ("a toast", text),
            Notice::Crash(text) => ("a crash", text),
            Notice::Anr(text) => ("does not respond", text),
        };
        writeln!(out, "     {what}: {}", text.lines().next().unwrap_or_default())?;
    }
    let residual: String = step.residual.chars().take(NAMES_SHOWN_MAX).collect();
    let cut = if residual.len() < step.residual.len() { " ..." } else { "" };
    writeln!(out, "     reward {:.3}, leaves {residual}{cut}", step.reward)
}

fn say_reach(out: &mut impl Write, task: &Task<'_>, reach: &Reach) -> io::Result<()> {
    if reach.starts_crashed > 0 {
        writeln!(out, "  the app crashed at its start, {} of {} times", reach.starts_crashed, reach.starts)?;
    }
    if task.spec.expectation == Expectation::Possible {
        if let Some((residual, distance)) = &reach.closest {
            let residual: String = residual.chars().take(NAMES_SHOWN_MAX).collect();
            let steps = counted(*distance as usize, "step");
            writeln!(out, "  closest: {residual}, {steps} from the goal at least")?;
        }
        let never: Vec<&str> =
            reach.held.iter().filter(|(_, times)| *times == 0).map(|(atom, _)| &**atom).collect();
        if !never.is_empty() {
            writeln!(out, "  never seen true: {}", never.join(" "))?;
        }
    } else {
        for (atom, times) in &reach.held {
            writeln!(
                out,
                "  {atom} held {}",
                if *times == 1 { "once".to_string() } else { format!("{times} times") }
            )?;
        }
    }
    if !reach.never_tried.is_empty() {
        let some: Vec<String> =
            reach.never_tried.iter().take(ACTIONS_SHOWN_MAX).map(ToString::to_string).collect();
        let more = if reach.never_tried.len() > some.len() { ", ..." } else { "" };
        let count = counted(reach.never_tried.len(), "action");
        let screens = counted(reach.screens, "screen");
        writeln!(out, "  never tried: {count} on {screens}: {}{more}", some.join(", "))?;
    }
    Ok(())
}

fn say_as_json(out: &mut impl Write, task: &Task<'_>, report: &Report, device: &str) -> anyhow::Result<()> {
    let (file, spec) = (task.file, &*task.spec.name);
    writeln!(out, "{}", serde_json::to_string(&Line::Start { file, spec, device })?)?;
    let steps = report.run.as_ref().map_or(&[][..], |run| &run.steps);
    let result = Line::Result {
        file,
        spec,
        outcome: report.outcome.name(),
        episodes: report.episodes,
        steps: report.steps,
        length: report.run.as_ref().map(|run| run.steps.len()),
        seed: task.plan.seed.0,
        actions: steps.iter().map(|step| ActionLine::new(&step.action)).collect(),
        residuals: steps.iter().map(|step| &*step.residual).collect(),
        why: &report.why,
    };
    writeln!(out, "{}", serde_json::to_string(&result)?)?;
    Ok(())
}

fn write_learned(path: &Path, learned: &Learned) -> anyhow::Result<()> {
    let text = learned.to_text()?;
    fs::write(path, text)
        .map_err(|error| Mistake::new(format!("cannot write {}: {error}", path.display())))?;
    Ok(())
}
