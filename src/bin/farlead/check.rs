//! `farlead check`: finds the run that decides each spec, minimises, confirms and keeps it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use farlead::agent::PLANNER;
use farlead::event::{Outcome, Shard, SpecBegan, SpecEnded};
use farlead::experience::Experience;
use farlead::gui::UserAction;
use farlead::keep;
use farlead::learned::Learned;
use farlead::report::spec_json;
use farlead::search::{Dictionary, Plan, Relay, in_order_with_pauses, waves};
use farlead::setup;
use farlead::sorted;
use farlead::spec::{Expectation, Source, is_feature, printable, scenario_names, shown_path};
use farlead::store::{Batch, Places};
use farlead::test_case::{Provenance, TestCase};

use crate::agents::{AgentName, Entrant, EntrantParser};
use crate::app::{AppArgs, OpenedApp};
use crate::deciding::{Asked, Decided, Exhaustive, Task, decide, errors};
use crate::learned;
use crate::lint;
use crate::news::{News, NewsArgs};
use crate::outputs::{Beginning, KeptArgs, OutputArgs, Outputs, Prepared, Stored, began, warn};
use crate::policy;
use crate::progress::{Progress, Ticks, WallArgs, interruption, left, shown_duration};
use crate::project::Project;
use crate::searching::{Budget, SearchArgs};
use crate::secrets::SecretTexts;
use crate::set_up::{self, Chosen, SetUpArgs, SetUps};
use crate::sources::{self, Judged, Shell};
use crate::stdout::out;
use crate::{Exit, Usage, say};

/// Search for the run that satisfies each spec, or that it forbids.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead check specs/chesswalk/about.ltl --app apps/chesswalk.app
  farlead check specs/notes --apk notes.apk --device emulator-5554 --device emulator-5556
  farlead check specs/chesswalk --app apps/chesswalk.app --only a --html report.html
  farlead check specs/chesswalk/second_game.ltl --app apps/chesswalk.app --exhaustive

farlead shrinks the run, reproduces it (--confirm) and keeps it as a test in farlead-tests/; it
replaces a stored test only with --update. docs/checking.md explains outcomes and --json.

Exit codes: 0 all passed; 1 failed, not found or untested; 2 command line; 3 a spec or model is
missing or has mistakes; 4 no device, or the disk; 5 flaky; 6 a crash that no spec asks for; 130
Ctrl-C, 143 SIGTERM, 129 SIGHUP (farlead reports what it found).")]
pub struct CheckArgs {
    /// Spec files, stored tests, or folders of .ltl and .feature files
    #[arg(value_name = "SPEC", required = true)]
    specs: Vec<PathBuf>,
    /// Show rewards, residuals and reasons; every episode on stderr
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten, next_help_heading = "App")]
    app: AppArgs,
    #[command(flatten, next_help_heading = "App")]
    set_up: SetUpArgs,
    /// Check only the spec of this name, or scenarios with this tag, like @smoke
    #[arg(long, value_name = "NAME", help_heading = "Search")]
    only: Option<String>,
    /// Check part I of N of all specs, in their order
    #[arg(long, value_name = "I/N", value_parser = Shard::parse, help_heading = "Search")]
    shard: Option<Shard>,
    /// Agent that searches: planner, farlead, tree, qlearning, sac, ddpg, td3, dino, dino2, ape, least, random,
    /// monkey, qbe, ares-random, ares-qlearning, ares-sac, ares-ddpg, ares-td3, fate-random, fate-qlearning,
    /// fate-sac, fate-ddpg or fate-td3 [default: planner]
    #[arg(long, value_parser = EntrantParser, help_heading = "Search", hide_possible_values = true)]
    agent: Option<Entrant>,
    /// Try everything (models only): find a shortest run, or prove that there is none
    #[arg(long, help_heading = "Search")]
    exhaustive: bool,
    /// Do not try everything for 20,000 simulated steps before the agent searches
    #[arg(long, conflicts_with = "exhaustive", help_heading = "Search")]
    no_exhaustive: bool,
    #[command(flatten, next_help_heading = "Search")]
    search: SearchArgs,
    #[command(flatten, next_help_heading = "Search")]
    wall: WallArgs,
    /// Start from what this file, or the folder of a run of explore, knows of the app, and add to it
    #[arg(long, value_name = "FILE", conflicts_with = "exhaustive", help_heading = "Search")]
    learned: Option<PathBuf>,
    /// Start with the networks of this file, which explore --train made on other apps; `shipped` is the one of ddpg that comes
    /// with farlead
    #[arg(long, value_name = "FILE", conflicts_with = "exhaustive", help_heading = "Search")]
    policy: Option<PathBuf>,
    #[command(flatten)]
    kept: KeptArgs,
    /// Also write the run as it was found to this test file (of one spec, see --only)
    #[arg(long, value_name = "FILE", help_heading = "Kept tests")]
    record: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Reports")]
    news: NewsArgs,
    #[command(flatten)]
    outputs: OutputArgs,
}

pub fn run(args: &CheckArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut project = Project::find()?;
    let texts = args.search.texts(&project)?;
    let files = sources::expand(&args.specs)?;
    let mut exit = Exit::Passed;
    let mut judged = Vec::new();
    for read in sources::read_all(&files, &project, args.search.jobs()) {
        match read {
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
    if exit != Exit::Passed && judged.iter().all(|one| one.linted.file.specs.is_empty()) {
        return Ok(exit);
    }
    let set_ups = args.set_up.read(&project, shell)?;
    project.secrets = secret_texts(args, &project, &judged, &set_ups)?.read()?;
    let app = open(args, &project, &judged, shell)?;
    set_ups.check_app(&app.app())?;
    app.with_set_up(set_ups.all()).check_rules(&project)?;
    let read = |path| learned::read(path, &app.app(), shell);
    let learned = args.learned.as_deref().map(read).transpose()?.unwrap_or_default();
    let news = args.news.begin(files.iter().map(PathBuf::as_path))?;
    let place = Checked { args, project: &project, app: &app, set_ups: &set_ups, judged: &judged, news };
    let tasks = tasks(&place, &app.dictionary(texts), &learned)?;
    // Refused before anything runs, so that no search is lost over a wrong path.
    args.outputs.reports.refuse_to_overwrite(&files)?;
    if let Some(path) = &args.record {
        refuse_to_record(path, tasks.len())?;
    }
    if args.outputs.reports.json {
        say_unread(&judged, args.search.seed(&project).0)?;
    }
    if tasks.is_empty() && exit != Exit::Passed {
        return Ok(exit);
    }
    // The new experience adds to the old, so that actions of other specs are not forgotten.
    let done = check_all(&place, &tasks, shell, Done { exit, learned })?;
    if let Some(path) = &args.learned {
        learned::write(path, &done.learned)?;
    }
    Ok(done.exit)
}

/// Returns the texts that may name secrets.
fn secret_texts(
    args: &CheckArgs,
    project: &Project,
    judged: &[Judged],
    set_ups: &SetUps,
) -> anyhow::Result<SecretTexts> {
    let mut texts = args.search.secret_texts(project)?;
    set_ups.add_to(&mut texts);
    for one in judged {
        match &one.test {
            Some(test) => texts.add_test(&one.source, test),
            None => texts.add_specs(&one.source, &one.linted.file.specs),
        }
    }
    Ok(texts)
}

/// Opens the app of the command line, or the one that all stored tests were found on.
fn open(args: &CheckArgs, project: &Project, judged: &[Judged], shell: &Shell) -> anyhow::Result<OpenedApp> {
    let app = args.app.with_sessions(args.search.jobs_said());
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
            app.open_for(first, project, shell)
        }
        Some(_) | None => app.open(project, shell),
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
        for name in named_specs(&one.source).into_iter().filter(|name| !read.contains(&&**name)) {
            let spec = SpecBegan { file: file.to_string(), name, ..SpecBegan::default() };
            let ended = SpecEnded::new(Outcome::Error, "the spec has mistakes", Exit::Broken.code());
            let lines = spec_json(&spec, &ended, "", seed);
            // The spec never began, so its `start` line is left out.
            write!(out, "{}", lines.split_once('\n').map_or("", |(_, result)| result))?;
        }
    }
    Ok(())
}

/// Returns the names of scenarios, or those behind `possible`, `never` and `must` at the start of lines; that of the file if
/// there is none.
fn named_specs(source: &Source) -> Vec<String> {
    if is_feature(source.name()) {
        return scenario_names(source);
    }
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
    let named = named.map(|name| if name.is_empty() { source.stem() } else { name });
    let mut names: Vec<String> = named.map(str::to_string).collect();
    if names.is_empty() {
        names.push(source.stem().to_string());
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

fn tasks<'a>(checked: &Checked<'a>, texts: &Dictionary, learned: &Learned) -> anyhow::Result<Vec<Task<'a>>> {
    let Checked { args, project, app, set_ups, judged, .. } = *checked;
    let by_project = || Entrant::plain(project.agent.unwrap_or(AgentName(&PLANNER)));
    let agent = args.agent.clone().unwrap_or_else(by_project);
    let mut base = args.search.plan(project, agent.agent, texts)?;
    let policy = args.policy.as_deref().map(|path| policy::read(path, agent.agent)).transpose()?;
    agent.set(&mut base)?;
    base.kept = policy::start(learned.kept(agent.agent), policy.as_ref());
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
            if args.only.as_ref().is_some_and(|only| !spec.is_called(only)) {
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
            let app = app.for_specs([spec]);
            tasks.push(Task { file, spec, judgement, app, plan, captured });
        }
    }
    set_up::warn_of_differences(chosen.iter().map(|(file, set_up)| (*file, set_up)));
    let all = judged.iter().flat_map(|one| &one.linted.file.specs);
    let names = sorted::set(all.map(|spec| &*spec.name));
    match &args.only {
        // Without any readable spec, the mistakes are already on stderr.
        Some(only) if tasks.is_empty() && !names.is_empty() => {
            let names: Vec<&str> = names.into_iter().collect();
            Err(Usage::new(format!("there is no spec `{only}`; there is `{}`", names.join("`, `"))).into())
        }
        // Shards come last, so that those of all machines add up to the specs that were chosen.
        Some(_) | None => Ok(match args.shard {
            Some(shard) => shard.take(tasks),
            None => tasks,
        }),
    }
}

/// Returns the most steps that the guards among `tasks` take where steps take time, and the way to fewer; none without such guards.
fn most_steps(tasks: &[Task<'_>]) -> Option<String> {
    let is_slow = |task: &&Task<'_>| task.spec.expectation != Expectation::Possible && !task.app.is_model();
    let guards: Vec<&Task<'_>> = tasks.iter().filter(is_slow).collect();
    let most = |plan: &Plan| u64::from(plan.episodes_max) * u64::from(plan.longest_steps());
    let steps: u64 = guards.iter().map(|task| most(&task.plan)).sum();
    let time = guards.iter().filter_map(|task| task.plan.timeout_ms).max();
    let (which, takes) = match &guards[..] {
        [] => return None,
        [one] => (format!("{:?}", printable(&one.spec.name)), "takes"),
        all => (format!("{} guards", all.len()), "take"),
    };
    let each = if guards.len() > 1 { "each " } else { "" };
    let time = time.map_or(String::new(), |ms| {
        format!(", and {each}at most {} on the device's clock", shown_duration(ms))
    });
    Some(format!(
        "{which} {takes} at most {steps} steps on this device{time}; bound this with `--timeout 5min`, `--episodes 50` or `--steps 10`"
    ))
}

/// Most tests that are written before it is their turn, of the 256 files that a process may open on some systems.
const STAGED_MAX: usize = 64;

/// State of a run over all specs.
struct Done {
    exit: Exit,
    /// Knowledge of the app.
    learned: Learned,
}

/// Knowledge of the app that a wave of specs hands to the next.
#[derive(Clone)]
struct Known {
    /// Experience of earlier runs and of this one.
    learned: Arc<Experience>,
    /// That of this run alone, as long as there is some of a file, which may prove out of date.
    fresh: Arc<Experience>,
    is_outdated: bool,
}

impl Known {
    /// Adds the experience of a spec, if it serves others, and true if the spec found the app to answer otherwise.
    fn add(&mut self, (experience, is_outdated): (Option<Experience>, bool)) {
        if let Some(experience) = experience {
            if self.learned.is_old() {
                Arc::make_mut(&mut self.fresh).merge(&experience);
            }
            Arc::make_mut(&mut self.learned).merge(&experience);
        }
        self.is_outdated |= is_outdated;
    }

    fn end_wave(&mut self) {
        if self.is_outdated && self.learned.is_old() {
            warn("the app answers otherwise than when it was learned; farlead starts to learn it anew");
            self.learned = self.fresh.clone();
        }
    }
}

/// The parts that all specs of a run share.
struct Checked<'a> {
    args: &'a CheckArgs,
    project: &'a Project,
    app: &'a OpenedApp,
    set_ups: &'a SetUps,
    judged: &'a [Judged],
    news: Option<News>,
}

impl Checked<'_> {
    /// Returns the folder that tests lie in.
    fn folder(&self) -> &std::path::Path {
        self.args.outputs.place.folder(self.project)
    }
}

fn check_all(
    checked: &Checked<'_>,
    tasks: &[Task<'_>],
    shell: &Shell,
    mut done: Done,
) -> anyhow::Result<Done> {
    let Checked { args, project, app, set_ups, .. } = *checked;
    let seed = args.search.seed(project);
    let app = app.with_set_up(set_ups.all());
    let beginning =
        Beginning { command: "check", shard: args.shard, app: Some(&app), seed, verbose: args.verbose };
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
            // Devices share the runs of one spec; simulators share specs, and each minimises alone.
            jobs: if app.is_on_devices() { app.jobs(args.search.jobs()) } else { 1 },
            keeps_found: args.record.is_some(),
            ..args.kept.settings(&args.outputs, project, &app, seed)
        },
        interrupted: &interrupted,
        tells_steps: args.verbose,
        news: checked.news.as_ref(),
    };
    if let Some(most) = most_steps(tasks).filter(|_| !shell.quiet) {
        say(&most);
    }
    let progress = Progress::new(!shell.quiet);
    let ticks = Ticks::default();
    // Specs whose tests are in their places.
    let settled = AtomicUsize::new(0);
    let (origin, batch) = (Origin::new(checked), Batch::new());
    // The closure below cannot return an error, so the first one waits here.
    let mut written = Ok(());
    // What is done behind one set-up is nothing that another makes possible.
    let whole = setup::kept(set_ups.all(), &mut Vec::new());
    let serves: Vec<bool> =
        tasks.iter().map(|task| setup::kept(task.app.set_up(), &mut Vec::new()) == whole).collect();
    let learned = Arc::new(std::mem::take(&mut done.learned.experience));
    let known = Known { learned, fresh: Arc::default(), is_outdated: false };
    let relay = Relay::new(known, waves(tasks.len(), first_wave(args, tasks)), Known::add, Known::end_wave);
    let work = |number: usize| {
        let mut task = tasks[number].clone();
        let leg = relay.begin(number);
        if serves[number] {
            task.plan.experience = leg.known.learned.clone();
        }
        let watch = |line: &str, seconds: f64, share: f64| {
            progress.say(|_| {
                let left = left(share, 1.0, seconds);
                let ticks = ticks.of(tasks.len(), "specs");
                format!("{ticks}, {:?}: {line}, at most {left} left", task.spec.name)
            });
        };
        let mut decided = decide(&asked, &task, &watch, &|text: &str| {
            progress.clear();
            // A closed stderr leaves nobody to tell, so a failed write is no error.
            let _ = io::stderr().write_all(text.as_bytes());
        });
        let experience = std::mem::take(&mut decided.experience);
        // Handed on before the test is written, so that the next wave does not wait for the disk. With another set-up the
        // same app starts on another screen, and would look non-deterministic.
        leg.end((serves[number].then_some(experience), decided.is_outdated));
        ticks.add(decided.exit() == Exit::Passed);
        let Plan { steps_max, episodes_max, .. } = task.plan;
        let agent = decided.agent(&task.plan);
        let set_up = task.app.set_up_actions();
        let began = began(task.file, task.spec, agent, steps_max, episodes_max, set_up);
        // A staged file stays open until its turn, and a process may open a few hundred files.
        let is_near = number < settled.load(Ordering::Relaxed) + STAGED_MAX;
        let prepared = is_near.then(|| prepare(checked, &origin, &batch, &task, &decided));
        (began, prepared, decided)
    };
    let jobs = app.jobs(args.search.jobs());
    in_order_with_pauses(jobs, tasks.len(), work, |number, (began, prepared, mut decided), is_pause| {
        let task = &tasks[number];
        progress.clear();
        done.learned.add(task.plan.agent, &std::mem::take(&mut decided.kept));
        // Stored before the result is written, as that names the test.
        let prepared = prepared.unwrap_or_else(|| prepare(checked, &origin, &batch, task, &decided));
        store(checked, &mut outputs, &batch, task, prepared, &mut decided);
        settled.store(number + 1, Ordering::Relaxed);
        done.exit = done.exit.and(decided.exit());
        if written.is_ok() {
            written = outputs.spec(began, decided);
        }
        if is_pause {
            outputs.sync();
            outputs.sync_tests(&batch);
        }
    });
    done.learned.experience = Arc::unwrap_or_clone(relay.into_known().learned);
    written?;
    outputs.sync_tests(&batch);
    done.exit = outputs.end(done.exit)?;
    Ok(done)
}

/// Files as they are written in stored tests, and the places of these: worked out once for all specs.
struct Origin<'a> {
    /// Arguments that run the app again.
    app: Vec<String>,
    /// Spec files as they were typed.
    files: BTreeMap<&'a str, Described<'a>>,
}

/// A spec file.
struct Described<'a> {
    /// The test in it, if it is a stored one.
    stored: Option<&'a TestCase>,
    /// Path from the folder of the project.
    path: String,
    /// Places of the tests for its specs.
    places: Places,
}

impl<'a> Origin<'a> {
    fn new(checked: &Checked<'a>) -> Origin<'a> {
        let Checked { args, project, judged, .. } = *checked;
        let file = |one: &'a Judged| {
            let path = std::path::Path::new(one.source.name());
            let names = one.linted.file.specs.iter().map(|spec| &*spec.name);
            let places = Places::new(&project.folder, path, names);
            let from = crate::app::from(&project.folder, path);
            (one.source.name(), Described { stored: one.test.as_ref(), path: from, places })
        };
        // A file that is named twice is read twice, and the first of both counts.
        Origin { app: args.app.to_type(project), files: sorted::map(judged.iter().rev().map(file)) }
    }
}

/// Writes the run of `decided` beside the place of its test, if it has a run that is no test yet.
fn prepare(
    checked: &Checked<'_>,
    origin: &Origin<'_>,
    batch: &Batch<'static>,
    task: &Task<'_>,
    decided: &Decided,
) -> Option<Prepared> {
    let keeping = decided.keeping.as_ref()?;
    let Described { stored, path: spec_file, places } = &origin.files[task.file];
    let stored = *stored;
    let provenance = provenance(checked, origin, spec_file, task, decided, stored);
    let test = task.app.test(task.spec, &keeping.captured, provenance);
    let (path, shown) = match stored {
        // A stored test stays in its own file, wherever its spec would be kept.
        Some(_) => (PathBuf::from(task.file), task.file.to_string()),
        None => {
            let place = places.of(&test.oracle.name);
            (checked.folder().join(&place), place.display().to_string())
        }
    };
    let old = if checked.args.kept.update { Stored::IsReplaced } else { Stored::Stays };
    Some(Prepared::new(batch, path, shown, test, old))
}

/// Puts the test of `decided` in its place, if there is one.
fn store(
    checked: &Checked<'_>,
    outputs: &mut Outputs<'_>,
    batch: &Batch<'static>,
    task: &Task<'_>,
    prepared: Option<Prepared>,
    decided: &mut Decided,
) {
    let Checked { args, .. } = *checked;
    let (Some(keeping), Some(prepared)) = (&decided.keeping, prepared) else {
        if let Some(path) = &args.record {
            warn(&format!("no run was found, so there is none to write to {}", shown_path(path)));
        }
        return;
    };
    let provenance = prepared.test.provenance.clone();
    let shown = prepared.shown.clone();
    decided.ended.test = outputs.keep(batch, prepared).then_some(shown);
    if let (Some(path), Some(found)) = (&args.record, &keeping.found) {
        // The rate is of the short run; the run as found was never tried again.
        let provenance = Provenance { confirmed: Default::default(), ..provenance };
        let raw = task.app.test(task.spec, found, provenance);
        let shown = path.display().to_string();
        outputs.keep(batch, Prepared::new(batch, path.clone(), shown, raw, Stored::Stays));
    }
}

fn provenance(
    checked: &Checked<'_>,
    origin: &Origin<'_>,
    spec_file: &str,
    task: &Task<'_>,
    decided: &Decided,
    stored: Option<&TestCase>,
) -> Provenance {
    let app = match stored {
        Some(test) if !checked.args.app.is_said() => test.provenance.app.clone(),
        Some(_) | None => origin.app.clone(),
    };
    let spec = stored.map_or_else(|| spec_file.to_string(), |test| test.provenance.spec.clone());
    decided.provenance(&task.plan, &task.app, app, spec)
}

/// Returns the size of the first wave: all tasks, unless the experience of one serves the others.
fn first_wave(args: &CheckArgs, tasks: &[Task<'_>]) -> usize {
    let is_handed_on = tasks.iter().any(|task| task.plan.agent.needs.experience) && !args.exhaustive;
    if is_handed_on { 1 } else { tasks.len() }
}
