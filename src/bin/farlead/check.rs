//! `farlead check`: finds the run that decides each spec, minimises, confirms and keeps it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use farlead::agent::PLANNER;
use farlead::event::{Outcome, SpecBegan, SpecEnded};
use farlead::experience::Experience;
use farlead::gui::UserAction;
use farlead::keep;
use farlead::learned::Learned;
use farlead::minimise;
use farlead::report::spec_json;
use farlead::search::{Plan, in_order, waves};
use farlead::setup;
use farlead::spec::{Expectation, Source, shown_path};
use farlead::test_case::{Provenance, TestCase};

use crate::agents::{AgentName, Entrant, EntrantParser};
use crate::app::{AppArgs, OpenedApp};
use crate::deciding::{Asked, Decided, Exhaustive, Task, decide, errors};
use crate::learned;
use crate::lint;
use crate::outputs::{Beginning, OutputArgs, Outputs, Stored, began, warn};
use crate::progress::{Progress, WallArgs, interruption, left};
use crate::project::Project;
use crate::searching::{Budget, SearchArgs, Shard};
use crate::secrets::Wanted;
use crate::set_up::{self, Chosen, SetUpArgs, SetUps};
use crate::sources::{self, Judged, Shell};
use crate::stdout::out;
use crate::{Exit, Usage};

/// Find the run of an app that satisfies each spec, or that it forbids.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app
  farlead check specs/chesswalk --app apps/chesswalk.app --only a --json
  farlead check specs/chesswalk/second_game.ltl --app apps/chesswalk.app --exhaustive
  farlead check specs/notes --apk notes.apk --device emulator-5554 --device emulator-5556
  farlead check specs/notes --apk notes.apk --u2 u2.jar       a faster look at a device
  farlead check specs/notes/palette.ltl --apk notes.apk --agent tree --seed 7

A run that is found is made short, tried again (--confirm) and kept as a test in
farlead-tests/<spec file>/<spec>.test.ltl; a test that is there already is not replaced without
--update. Checking such a file looks for its run again, by the formula that captures it.

With --json a line has an \"event\": diagnostic (as from lint), start (file, spec, device),
result (file, spec, outcome, exit, episodes, steps, length, found, confirmed, test, replay, seed,
actions, residuals, reasons, learned, why, advice) and at last summary. Outcomes: met, broken (what
must not be was found), gave_up, impossible, untested (nothing was found, and two or more atoms
never held), flaky (a run was found that does not do it each time), error.

Exit codes: 0 all as expected; 1 a spec not met; 2 command line; 3 a spec or model is missing
or has mistakes; 4 no device, or the disk; 5 a run is flaky; 6 a run has a crash that its spec does
not ask for; 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP (what was found is said).")]
pub struct CheckArgs {
    /// Spec files or stored tests, or folders with .ltl files in them
    #[arg(value_name = "SPEC", required = true)]
    specs: Vec<PathBuf>,
    #[command(flatten)]
    app: AppArgs,
    #[command(flatten)]
    set_up: SetUpArgs,
    /// Check this spec of each file alone
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Of all specs in their order, the i-th of n parts alone
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    shard: Option<Shard>,
    /// Who searches [default: planner]
    #[arg(long, value_parser = EntrantParser)]
    agent: Option<Entrant>,
    /// Try all actions and all outcomes of chance, shortest runs first (simulator alone): finds a
    /// shortest run, or proves that there is none
    #[arg(long)]
    exhaustive: bool,
    /// Leave out the attempt to try everything before the agent searches; it is made on a model,
    /// unless --agent names one, and ends after 20,000 simulated steps
    #[arg(long, conflicts_with = "exhaustive")]
    no_exhaustive: bool,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    wall: WallArgs,
    /// Start from what was learned of the app before, and keep what is learned now
    #[arg(long, value_name = "FILE", conflicts_with = "exhaustive")]
    learned: Option<PathBuf>,
    /// Tell the steps of each episode on stderr, and of each step why it was taken and what it taught
    #[arg(long, short)]
    verbose: bool,
    /// Keep runs as they are found
    #[arg(long)]
    no_minimize: bool,
    /// Try each run so often again
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    confirm: u32,
    /// Replace stored tests whose runs are others now
    #[arg(long)]
    update: bool,
    /// Write the run as it was found to a test file of its own too (of one spec; see --only)
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    outputs: OutputArgs,
}

pub fn run(args: &CheckArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut project = Project::find()?;
    let texts = args.search.texts(&project)?;
    let files = sources::expand(&args.specs)?;
    let mut exit = Exit::Met;
    let mut judged = Vec::new();
    for path in &files {
        match sources::read(path, &project) {
            Ok(one) => judged.push(one),
            Err(mistake) => {
                // A file that cannot be read does not keep the others from being checked.
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
    // All mistakes are reported by now, and without a spec there is no need for an app.
    if exit != Exit::Met && judged.iter().all(|one| one.linted.file.specs.is_empty()) {
        return Ok(exit);
    }
    let set_ups = args.set_up.read(&project, shell)?;
    project.secrets = wanted(args, &project, &judged, &set_ups)?.read()?;
    let app = open(args, &project, &judged, shell)?;
    set_ups.check_app(&app.app())?;
    app.with_set_up(set_ups.all()).check_rules(&project)?;
    let read = |path| learned::read(path, &app.app(), shell);
    let learned = args.learned.as_deref().map(read).transpose()?.unwrap_or_default();
    let place = Checked { args, project: &project, app: &app, set_ups: &set_ups, judged: &judged };
    let mut tasks = tasks(&place, &texts, &learned)?;
    // Refused before anything runs, so that no search is lost over a wrong path.
    args.outputs.reports.refuse_to_overwrite(&files)?;
    if let Some(path) = &args.record {
        refuse_to_record(path, tasks.len())?;
    }
    if args.outputs.reports.json {
        say_unread(&judged, args.search.seed(&project).0)?;
    }
    if tasks.is_empty() && exit != Exit::Met {
        return Ok(exit);
    }
    // The new experience adds to the old, so that actions of other specs are not forgotten.
    let done = check_all(&place, &mut tasks, shell, Done { exit, learned })?;
    if let Some(path) = &args.learned {
        learned::write(path, &done.learned)?;
    }
    Ok(done.exit)
}

/// Returns the texts that may name secrets.
fn wanted(
    args: &CheckArgs,
    project: &Project,
    judged: &[Judged],
    set_ups: &SetUps,
) -> anyhow::Result<Wanted> {
    let mut wanted = args.search.wanted(project)?;
    set_ups.add_to(&mut wanted);
    for one in judged {
        match &one.test {
            Some(test) => wanted.add_test(&one.source, test),
            None => wanted.add_specs(&one.source, &one.linted.file.specs),
        }
    }
    Ok(wanted)
}

/// Opens the app of the command line, or the one that all stored tests were found on.
fn open(args: &CheckArgs, project: &Project, judged: &[Judged], shell: &Shell) -> anyhow::Result<OpenedApp> {
    let tests: Vec<&TestCase> = judged.iter().filter_map(|one| one.test.as_ref()).collect();
    match tests.first() {
        // Specs have no app of their own, so one among the files leaves the choice to flags and project.
        Some(first) if tests.len() == judged.len() => {
            let other = tests.iter().find(|test| test.provenance.app != first.provenance.app);
            if let Some(other) = other.filter(|_| !args.app.is_said()) {
                let message = format!(
                    "the tests are of two apps, `{}` and `{}`; check those of each by themselves, or say one with `--app`",
                    first.provenance.app.join(" "),
                    other.provenance.app.join(" ")
                );
                return Err(Usage::new(message).into());
            }
            args.app.open_for(first, project, shell)
        }
        Some(_) | None => args.app.open(project, shell),
    }
}

/// Refuses to record into a file that is there, or the runs of several specs.
fn refuse_to_record(path: &std::path::Path, specs: usize) -> anyhow::Result<()> {
    if specs > 1 {
        let message =
            format!("`--record` takes one run, and {specs} specs are checked; choose one with `--only`");
        return Err(Usage::new(message).into());
    }
    if path.exists() {
        return Err(Usage::new(format!("{} is there already; give another file", shown_path(path))).into());
    }
    Ok(())
}

/// Writes an error for each spec that could not be read, by the name that it starts with.
fn say_unread(judged: &[Judged], seed: u64) -> anyhow::Result<()> {
    let mut out = out();
    for one in judged.iter().filter(|one| has_mistakes_of_its_own(one)) {
        let file = one.source.name();
        for diagnostic in one.linted.diagnostics.iter() {
            let found = diagnostic.located(&one.source);
            writeln!(out, "{}", serde_json::to_string(&lint::diagnostic_event(&found))?)?;
        }
        let read: Vec<&str> = one.linted.file.specs.iter().map(|spec| &*spec.name).collect();
        for name in named_specs(&one.source).into_iter().filter(|name| !read.contains(name)) {
            let spec = SpecBegan { file: file.to_string(), name: name.to_string(), ..SpecBegan::default() };
            let ended = SpecEnded::new(Outcome::Error, "the spec has mistakes", Exit::Broken.code());
            let lines = spec_json(&spec, &ended, "", seed);
            // The spec never began, so its `start` line is left out.
            write!(out, "{}", lines.split_once('\n').map_or("", |(_, result)| result))?;
        }
    }
    Ok(())
}

/// Returns the names behind `possible`, `never` and `must` at the start of lines; that of the file if there is none.
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
        // Behind `possible` these words begin the budget of a spec without a name.
        let is_budget = ["within", "over"].contains(&&rest[..length])
            || &rest[..length] == "typed" && rest[length..].trim_start().starts_with("counts");
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

/// Returns true if a file has diagnostics to show: mistakes always, warnings unless the shell is quiet.
fn says_something(judged: &Judged, shell: &Shell) -> bool {
    let diagnostics = &judged.linted.diagnostics;
    diagnostics.errors() > 0 || (diagnostics.warnings() > 0 && !shell.quiet)
}

/// Returns true if a file has mistakes outside the specs that were read; those are errors of their own.
fn has_mistakes_of_its_own(judged: &Judged) -> bool {
    let of_specs: usize = judged.linted.judgements.iter().map(errors).sum();
    judged.linted.diagnostics.errors() > of_specs
}

/// Time on the device's clock that a guard may take, unless someone says otherwise.
const GUARD_MS: u64 = 30 * 60 * 1_000;

fn tasks<'a>(checked: &Checked<'a>, texts: &[String], learned: &Learned) -> anyhow::Result<Vec<Task<'a>>> {
    let Checked { args, project, app, set_ups, judged } = *checked;
    let by_project = || Entrant::plain(project.agent.unwrap_or(AgentName(&PLANNER)));
    let agent = args.agent.clone().unwrap_or_else(by_project);
    let mut base = args.search.plan(project, agent.agent, texts)?;
    agent.set(&mut base);
    base.kept = learned.kept(agent.agent);
    base.tells_steps = args.verbose;
    let mut tasks = Vec::new();
    let mut chosen: Vec<(&str, Chosen)> = Vec::new();
    for one in judged {
        let actions: Arc<[UserAction]> = one.linted.file.actions.clone().into();
        let captured = one.test.as_ref().and_then(|test| test.captured.as_ref());
        for (spec, judgement) in one.linted.file.specs.iter().zip(&one.linted.judgements) {
            // The captured formula is no spec of its own: the search for its oracle tries it first.
            if captured.is_some_and(|captured| captured.name == spec.name) {
                continue;
            }
            if args.only.as_ref().is_some_and(|only| *only != spec.name) {
                continue;
            }
            let Budget { steps_max, steps_limit, episodes_max } =
                args.search.budget(project, spec, judgement)?;
            let is_guard = spec.expectation != Expectation::Possible;
            // On a model time is virtual, and no reason to end.
            let guard_ms = (is_guard && !app.is_model()).then_some(GUARD_MS);
            let plan = Plan {
                steps_max,
                steps_limit,
                episodes_max,
                timeout_ms: base.timeout_ms.or(guard_ms),
                persists: is_guard,
                actions: actions.clone(),
                ..base.clone()
            };
            let file = one.source.name();
            let app = match &one.test {
                Some(test) => {
                    let set_up = set_ups.for_test(file.as_ref(), test);
                    let app = app.with_set_up(&set_up.tests);
                    chosen.push((file, set_up));
                    app
                }
                None => app.with_set_up(set_ups.for_spec(project, file.as_ref(), &spec.name)),
            };
            tasks.push(Task { file, spec, judgement, app, plan, captured });
        }
    }
    set_up::warn_of_differences(chosen.iter().map(|(file, set_up)| (*file, set_up)));
    let all = judged.iter().flat_map(|one| &one.linted.file.specs);
    let names: std::collections::BTreeSet<&str> = all.map(|spec| &*spec.name).collect();
    match &args.only {
        // Without any readable spec, the mistakes are already on stderr.
        Some(only) if tasks.is_empty() && !names.is_empty() => {
            let names: Vec<&str> = names.into_iter().collect();
            Err(Usage::new(format!("there is no spec `{only}`; there is `{}`", names.join("`, `"))).into())
        }
        // Shards come last, so that those of all machines add up to the specs that were chosen.
        Some(_) | None => Ok(match args.shard {
            Some(shard) => shard.of(tasks),
            None => tasks,
        }),
    }
}

/// State of a run over all specs.
struct Done {
    exit: Exit,
    /// Knowledge of the app.
    learned: Learned,
}

/// The parts that all specs of a run share.
struct Checked<'a> {
    args: &'a CheckArgs,
    project: &'a Project,
    app: &'a OpenedApp,
    set_ups: &'a SetUps,
    judged: &'a [Judged],
}

fn check_all(
    checked: &Checked<'_>,
    tasks: &mut [Task<'_>],
    shell: &Shell,
    mut done: Done,
) -> anyhow::Result<Done> {
    let Checked { args, project, app, set_ups, .. } = *checked;
    let seed = args.search.seed(project);
    let app = app.with_set_up(set_ups.all());
    let beginning = Beginning { command: "check", app: Some(&app), seed, verbose: args.verbose };
    let mut outputs = Outputs::begin(&args.outputs, project, beginning, shell)?;
    let interrupted = interruption();
    args.wall.limit(&interrupted);
    let asked = Asked {
        exhaustive: match args {
            CheckArgs { exhaustive: true, .. } => Exhaustive::Alone,
            // Whoever names an agent wants to see that agent at work.
            CheckArgs { no_exhaustive: true, .. } | CheckArgs { agent: Some(_), .. } => Exhaustive::Never,
            _ if project.agent.is_some() => Exhaustive::Never,
            _ => Exhaustive::First,
        },
        keep: keep::Settings {
            minimise: (!args.no_minimize).then(minimise::Settings::default),
            confirm: args.confirm,
            seed,
            // Devices share the runs of one spec; simulators share specs, and each minimises alone.
            jobs: if app.is_on_devices() { app.jobs(args.search.jobs()) } else { 1 },
            keeps_found: args.record.is_some(),
            rules: project.rules.clone(),
        },
        interrupted: &interrupted,
    };
    let progress = Progress::new(!shell.quiet);
    let finished = AtomicUsize::new(0);
    // The closure below cannot return an error, so the first one waits here.
    let mut written = Ok(());
    // The experience of this run alone, in case that of the file proves out of date.
    let (mut fresh, mut is_outdated) = (Experience::new(), false);
    for wave in waves(tasks.len(), first_wave(args, tasks)) {
        // A spec knows the earlier waves and nothing of its own wave, so results do not depend on `--jobs`.
        let known = Arc::new(done.learned.experience.clone());
        // What is done behind one set-up is nothing that another makes possible.
        let whole = setup::kept(set_ups.all(), &mut Vec::new());
        let serves = |task: &Task<'_>| setup::kept(task.app.set_up(), &mut Vec::new()) == whole;
        let served = tasks[wave.clone()].iter_mut().filter(|task| serves(task));
        served.for_each(|task| task.plan.experience = known.clone());
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
            let decided = decide(&asked, task, &watch, &|text: &str| {
                progress.clear();
                // A closed stderr leaves nobody to tell, so a failed write is no error.
                let _ = io::stderr().write_all(text.as_bytes());
            });
            finished.fetch_add(1, Ordering::Relaxed);
            decided
        };
        in_order(app.jobs(args.search.jobs()), wave.len(), work, |number, mut decided| {
            let task = &tasks[wave.start + number];
            progress.clear();
            done.learned.add(task.plan.agent, &std::mem::take(&mut decided.kept));
            // With another set-up the same app starts on another screen, and would look non-deterministic.
            if serves(task) {
                done.learned.experience.merge(&decided.experience);
                fresh.merge(&decided.experience);
            }
            is_outdated |= decided.is_outdated;
            // Stored before the result is written, as that names the test.
            store(checked, &mut outputs, task, &mut decided);
            done.exit = done.exit.and(decided.exit());
            if written.is_ok() {
                let Plan { steps_max, episodes_max, .. } = task.plan;
                let agent = decided.agent(&task.plan);
                written = outputs.spec(began(task.file, task.spec, agent, steps_max, episodes_max), decided);
            }
        });
        if is_outdated && done.learned.experience.is_old() {
            warn("the app answers otherwise than when it was learned; what was done then is left out");
            done.learned.experience = fresh.clone();
        }
    }
    written?;
    done.exit = outputs.end(done.exit)?;
    Ok(done)
}

/// Keeps the run of `decided` as a test, if it has a run that is no test yet.
fn store(checked: &Checked<'_>, outputs: &mut Outputs<'_>, task: &Task<'_>, decided: &mut Decided) {
    let Checked { args, judged, .. } = *checked;
    let Some(keeping) = &decided.keeping else {
        if let Some(path) = &args.record {
            warn(&format!("no run was found, so there is none to write to {}", shown_path(path)));
        }
        return;
    };
    let one = judged.iter().find(|one| one.source.name() == task.file);
    let stored = one.and_then(|one| one.test.as_ref());
    let mut actions = keeping.captured.actions.clone();
    let test = TestCase {
        set_up: task.app.kept_set_up(&mut actions),
        provenance: provenance(checked, task, decided, stored),
        steps: keeping.captured.steps.clone(),
        captured: keeping.captured.formula.clone(),
        oracle: task.spec.clone(),
        actions,
    };
    let path = std::path::Path::new(task.file);
    let old = if args.update { Stored::IsReplaced } else { Stored::Stays };
    decided.ended.test = match stored {
        // A stored test stays in its own file, wherever its spec would be kept.
        Some(_) => outputs.keep_at(path, task.file, &test, old).then(|| task.file.to_string()),
        None => {
            let specs = one.into_iter().flat_map(|one| &one.linted.file.specs);
            outputs.keep(&test, path, specs.map(|spec| &*spec.name), old)
        }
    };
    if let (Some(path), Some(found)) = (&args.record, &keeping.found) {
        let mut actions = found.actions.clone();
        let raw = TestCase {
            set_up: task.app.kept_set_up(&mut actions),
            steps: found.steps.clone(),
            captured: found.formula.clone(),
            actions,
            // The rate is of the short run; the run as found was never tried again.
            provenance: Provenance { confirmed: Default::default(), ..test.provenance },
            ..test
        };
        outputs.keep_at(path, &path.display().to_string(), &raw, Stored::Stays);
    }
}

fn provenance(
    checked: &Checked<'_>,
    task: &Task<'_>,
    decided: &Decided,
    stored: Option<&TestCase>,
) -> Provenance {
    let Checked { args, project, .. } = *checked;
    let known = task.app.app();
    let keeping = decided.keeping.as_ref();
    Provenance {
        farlead: env!("CARGO_PKG_VERSION").to_string(),
        package: known.package.to_string(),
        version: known.version.to_string(),
        app: match stored {
            Some(test) if !args.app.is_said() => test.provenance.app.clone(),
            Some(_) | None => args.app.to_type(project),
        },
        device: task.app.describe(),
        spec: stored.map_or_else(
            || crate::app::from(&project.folder, task.file.as_ref()),
            |test| test.provenance.spec.clone(),
        ),
        agent: decided.agent(&task.plan).to_string(),
        seed: task.plan.seed.0,
        episodes: decided.ended.episodes,
        steps: decided.ended.steps,
        found_steps: keeping.map_or(0, |keeping| keeping.found_steps),
        confirmed: keeping.map_or_else(Default::default, |keeping| keeping.confirmed),
    }
}

/// Returns the size of the first wave: all tasks, unless the experience of one serves the others.
fn first_wave(args: &CheckArgs, tasks: &[Task<'_>]) -> usize {
    let is_handed_on = tasks.iter().any(|task| task.plan.agent.needs.experience) && !args.exhaustive;
    if is_handed_on { 1 } else { tasks.len() }
}
