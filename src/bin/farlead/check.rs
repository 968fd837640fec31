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
    /// What actions were worth.
    labelings: Vec<(Labeling, [f64; 2])>,
    /// What was done and seen.
    experience: Experience,
    /// Whether what was known before is of an app that answers otherwise.
    is_outdated: bool,
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
        reasons: Vec<Option<&'a str>>,
        learned: Vec<Option<&'a str>>,
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

/// Told what is going on, for how many seconds already, and how much of the most it can take is done.
type Watch<'a> = &'a dyn Fn(&str, f64, f64);

fn check_one(
    args: &CheckArgs,
    app: &OpenedApp,
    task: &Task<'_>,
    interrupted: &AtomicBool,
    watch: Watch<'_>,
    tell: &dyn Fn(&str),
) -> Report {
    if let Some(why) = refusal(task) {
        return Report::error(why, Exit::Broken);
    }
    if interrupted.load(Ordering::Relaxed) {
        let why = "before it was begun: Ctrl-C".to_string();
        return Report { outcome: Outcome::GaveUp, ..Report::error(why, Exit::Interrupted) };
    }
    let found = if args.exhaustive {
        check_exhaustively(app, task, interrupted, watch)
    } else {
        check_by_search(app, task, interrupted, watch, tell)
    };
    found.unwrap_or_else(|error| {
        let exit = match &error {
            DeviceError::Model { .. } => Exit::Broken,
            DeviceError::Faulty { .. } => Exit::Environment,
        };
        Report::error(error.to_string(), exit)
    })
}

/// Why a spec cannot be checked on an app at all.
fn refusal(task: &Task<'_>) -> Option<String> {
    if errors(task.judgement) > 0 {
        return Some("the spec has mistakes".to_string());
    }
    if let Some(label) = task.spec.labels().first() {
        return Some(format!(
            "no screen carries a label like `{label}`; say what is seen, as in `[text ~ {label}]`"
        ));
    }
    let known = |name: &str| {
        BUILTIN_ACTION_TYPES.contains(&name) || task.plan.actions.iter().any(|action| action.name == name)
    };
    let actions = task.spec.atoms.values().filter_map(|atom| match atom {
        Atom::Action(all) => Some(all),
        Atom::Widget(_) | Atom::Count { .. } | Atom::State(_) | Atom::Checked(_) => None,
    });
    actions.flatten().find_map(|comparison| match (comparison.key, &comparison.value) {
        (Key::ActionType, Value::Text(name)) if comparison.op == Op::Equal && !known(name) => {
            Some(format!("the action `{name}` has mistakes"))
        }
        _ => None,
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
            labelings: Vec::new(),
            experience: Experience::new(),
            is_outdated: false,
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
    tell: &dyn Fn(&str),
) -> Result<Report, DeviceError> {
    let mut device = app.simulator(task.plan.seed);
    let begun = std::time::Instant::now();
    let episodes_max = task.plan.episodes_max;
    let finding = search(&mut device, task.spec, &task.plan, &mut |event| {
        let is_stopped = interrupted.load(Ordering::Relaxed);
        let News::EpisodeEnded { episode, steps, closest, trace } = event else { return !is_stopped };
        if let Some(trace) = trace {
            tell(&told(task, *episode, trace));
        }
        let seconds = begun.elapsed().as_secs_f64();
        let share = f64::from(*episode) / f64::from(episodes_max);
        // A line is made up only where it may be looked at: rarely.
        if episode % 16 == 1 {
            let closest = closest.map_or(String::new(), |steps| format!(", {steps} from the goal at best"));
            let rate = *steps as f64 / seconds.max(1e-6);
            watch(&format!("episode {episode}/{episodes_max}{closest}, {rate:.0} steps/s"), seconds, share);
        }
        !is_stopped
    })?;
    Ok(judge_finding(task, finding))
}

/// The steps of an episode, and why each was taken.
fn told(task: &Task<'_>, episode: u32, trace: &Trace) -> String {
    let mut text = format!("{}, episode {episode}\n", printable(&task.spec.name));
    for (number, step) in trace.steps.iter().enumerate() {
        text += &format!("  {number}. {}\n", step.action);
        for line in [&step.why, &step.learned].into_iter().flatten() {
            text += &format!("     {line}\n");
        }
        text += &format!("     leaves {}\n", shortened(&step.residual));
    }
    text
}

fn judge_finding(task: &Task<'_>, finding: Finding) -> Report {
    let Finding { stop, episodes, steps, run, mut reach, learned, experience, is_outdated, .. } = finding;
    if stop == Stop::Exhausted {
        // What is left are the actions of last steps, and of ways that the formula rules out.
        reach.never_tried.clear();
    }
    let held: Vec<u64> = reach.held.iter().map(|(_, times)| *times).collect();
    // What was cut short says nothing good, whatever is expected.
    let outcome = match stop {
        Stop::Interrupted => Outcome::GaveUp,
        Stop::Found | Stop::Exhausted | Stop::EpisodesSpent | Stop::TimeSpent => {
            Outcome::of(task.spec.expectation, run.is_some(), false, &held)
        }
    };
    let spent = format!("{}, {}", counted(episodes as usize, "episode"), counted_steps(steps));
    let steps_max = task.plan.steps_max;
    let why = match (&run, stop) {
        (Some(run), _) => format!("after {spent}; a run of {}", counted(run.steps.len(), "step")),
        (None, Stop::Exhausted) => {
            format!(
                "after {spent}: no run of {} or fewer does, if the app always answers alike",
                counted(steps_max as usize, "step")
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
        labelings: learned,
        experience,
        is_outdated,
    }
}

/// What may help where nothing was found.
fn advice(task: &Task<'_>, stop: Stop, reach: &Reach) -> Vec<String> {
    let Plan { steps_max, episodes_max, .. } = task.plan;
    let mut advice = hints(reach);
    if task.spec.expectation != Expectation::Possible {
        return advice;
    }
    match stop {
        Stop::Exhausted => {
            advice.push(format!("give runs more steps: `--steps {}`", steps_max.saturating_mul(2)));
        }
        Stop::TimeSpent => advice.push("give it more time: `--timeout`".to_string()),
        Stop::EpisodesSpent => {
            advice.push(format!("try longer: `--episodes {}`", episodes_max.saturating_mul(10)));
            let more = steps_max.saturating_add(steps_max.div_ceil(2));
            advice.push(format!("or with more steps: `--steps {more}`"));
            advice.push("or try everything, on the simulator: `--exhaustive`".to_string());
        }
        Stop::Interrupted | Stop::Found => {}
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
    let Exhausted { run, is_too_large, is_interrupted, steps, mut reach } = exhausted;
    let held: Vec<u64> = reach.held.iter().map(|(_, times)| *times).collect();
    let is_proven = run.is_none() && !is_too_large && !is_interrupted;
    if is_proven {
        // What is left are the actions of last steps, which would be a step too many.
        reach.never_tried.clear();
    }
    let outcome = match run {
        None if is_interrupted => Outcome::GaveUp,
        _ => Outcome::of(task.spec.expectation, run.is_some(), is_proven, &held),
    };
    let spent = counted_steps(steps);
    let why = match &run {
        // An action whose outcomes were too many to follow may have hidden a shorter one.
        Some(run) if is_too_large => format!("after {spent}; a run of {}", counted(run.steps.len(), "step")),
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
        labelings: Vec::new(),
        experience: Experience::new(),
        is_outdated: false,
    })
}

fn say(
    out: &mut impl Write,
    task: &Task<'_>,
    report: &Report,
    shell: &Shell,
    verbose: bool,
) -> io::Result<()> {
    let Task { file, spec, .. } = task;
    let outcome = report.outcome.name().replace('_', " ");
    let painted = sources::paint_outcome(shell.stdout, report.exit == Exit::Met, &outcome);
    let word = spec.expectation.word();
    let colon = if report.outcome == Outcome::Error { ":" } else { "" };
    writeln!(out, "{file}:{}: {word} {:?}: {painted}{colon} {}", spec.line, spec.name, report.why)?;
    if shell.quiet {
        return Ok(());
    }
    if let Some(run) = &report.run {
        for (number, step) in run.steps.iter().enumerate() {
            say_step(out, number, step, verbose)?;
        }
    } else if let Some(reach) = &report.reach {
        say_reach(out, task, reach)?;
        for line in &report.advice {
            writeln!(out, "  help: {line}")?;
        }
    }
    Ok(())
}

fn say_step(out: &mut impl Write, number: usize, step: &Step, verbose: bool) -> io::Result<()> {
    writeln!(out, "  {number}. {}", step.action)?;
    for line in [&step.why, &step.learned].into_iter().flatten().filter(|_| verbose) {
        writeln!(out, "     {line}")?;
    }
    for notice in &*step.observation.notices {
        let (what, text) = match notice {
            Notice::Toast(text) => ("a toast", text),
            Notice::Crash(text) => ("a crash", text),
            Notice::Anr(text) => ("does not respond", text),
        };
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        writeln!(out, "     {what}: {}", printable(line))?;
    }
    writeln!(out, "     reward {:.3}, leaves {}", step.reward, shortened(&step.residual))
}

/// What is too long to be read at a glance is cut.
fn shortened(text: &str) -> String {
    let kept: String = text.chars().take(LETTERS_SHOWN_MAX).collect();
    if kept.len() < text.len() { kept + " ..." } else { kept }
}

fn say_reach(out: &mut impl Write, task: &Task<'_>, reach: &Reach) -> io::Result<()> {
    if reach.starts_crashed > 0 {
        writeln!(out, "  the app crashed at its start, {} of {} times", reach.starts_crashed, reach.starts)?;
    }
    if reach.surprises > 0 {
        let times = counted(reach.surprises as usize, "time");
        writeln!(out, "  the app did not always answer alike: {times} the same actions led elsewhere")?;
    }
    if task.spec.expectation == Expectation::Possible {
        if let Some((residual, distance)) = &reach.closest {
            let residual = shortened(residual);
            let steps = counted(*distance as usize, "step");
            writeln!(out, "  closest: {residual}, {steps} from the goal at least")?;
        }
        let never: Vec<&str> =
            reach.held.iter().filter(|(_, times)| *times == 0).map(|(atom, _)| &**atom).collect();
        if !never.is_empty() {
            writeln!(out, "  never seen true: {}", shortened(&never.join(" ")))?;
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
        reasons: steps.iter().map(|step| step.why.as_deref()).collect(),
        learned: steps.iter().map(|step| step.learned.as_deref()).collect(),
        why: &report.why,
    };
    writeln!(out, "{}", serde_json::to_string(&result)?)?;
    Ok(())
}
