//! `farlead replay`: replays the steps of stored tests.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use farlead::device::{Album, Pictured};
use farlead::event::{Outcome, ReplayVerdict, Replayed, Shard, SpecEnded};
use farlead::gui::Atom;
use farlead::rate::Rate;
use farlead::replay::{Player, Replay, other_crash, scrolled_on, violation};
use farlead::report::{self, to_type};
use farlead::rng::Seed;
use farlead::search::in_order_with_pauses;
use farlead::spec::{Expectation, Source, printable, shown_path};
use farlead::test_case::TestCase;
use farlead::trace::Trace;

use crate::app::{AppArgs, OpenedApp};
use crate::deciding::{Decided, of_typed_text};
use crate::lint::counted;
use crate::outputs::{Beginning, OutputArgs, Outputs, began, warn};
use crate::progress::{Progress, Ticks, WallArgs, interrupted_exit, interruption};
use crate::project::Project;
use crate::searching::threads;
use crate::secrets::SecretTexts;
use crate::set_up::{self, Chosen, SetUpArgs, SetUps};
use crate::sources::{self, Shell};
use crate::{Exit, Usage};

/// Replay the steps of stored tests.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead replay farlead-tests
  farlead replay farlead-tests/specs/notes/palette/b.test.ltl --times 20
  farlead replay farlead-tests --shard 1/4 --junit replay.xml

The test of a `possible` passes if its run comes again. The test of a `never` or `must` holds a run
that violates the spec: it passes if that run does not come again. A test diverges if a step cannot
be done; it is flaky if its run comes again only some of the times.

Exit codes: 0 all passed; 1 a test failed; 2 command line; 3 a test or an app is missing or has
mistakes; 4 no device, or the disk; 5 a test diverged or is flaky; 6 the app crashed, and the spec
does not speak of crashes; 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP.")]
pub struct ReplayArgs {
    /// Stored tests, folders with .test.ltl files in them, or action-history.log files of APE
    #[arg(value_name = "TEST", required = true)]
    tests: Vec<PathBuf>,
    /// Show all steps of each test, with rewards and residuals
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten, next_help_heading = "App")]
    app: AppArgs,
    #[command(flatten, next_help_heading = "App")]
    set_up: SetUpArgs,
    /// Replays of each test [default: 1, with --until-failure 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = "Replay")]
    times: Option<u32>,
    /// Replay each test until its run does not come again, at most `--times` times
    #[arg(long, help_heading = "Replay")]
    until_failure: bool,
    /// Further replays of a test whose run did not come again; if it then does, the test is flaky
    #[arg(long, value_name = "R", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1_000), help_heading = "Replay")]
    retries: u32,
    /// Replay part I of N of the tests, in the order of their names
    #[arg(long, value_name = "I/N", value_parser = Shard::parse, help_heading = "Replay")]
    shard: Option<Shard>,
    /// Replay only tests whose path or spec name contains this text
    #[arg(long, value_name = "TEXT", help_heading = "Replay")]
    filter: Option<String>,
    /// Begin no further test once one did not pass
    #[arg(long, help_heading = "Replay")]
    fail_fast: bool,
    /// Seed of all chance [default: that of each test]
    #[arg(long, value_name = "N", help_heading = "Replay")]
    seed: Option<u64>,
    /// Tests at a time; results are the same for any number [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = "Replay")]
    jobs: Option<u32>,
    #[command(flatten, next_help_heading = "Replay")]
    wall: WallArgs,
    #[command(flatten)]
    outputs: OutputArgs,
}

impl ReplayArgs {
    /// Returns true if `--filter` leaves the test in `file`.
    fn is_chosen(&self, file: &Path, test: &TestCase) -> bool {
        let name = file.display().to_string();
        self.filter.as_ref().is_none_or(|part| name.contains(part) || test.oracle.name.contains(part))
    }
}

/// Most replays with `--until-failure`: a test that passes that often will hardly fail soon.
const TIMES_UNTIL_FAILURE: u32 = 1_000;

/// A test to replay, and the app it runs on.
struct Stored {
    name: String,
    test: TestCase,
    app: Result<OpenedApp, (String, Exit)>,
    set_up: Chosen,
}

pub fn run(args: &ReplayArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let project = Project::find()?;
    let files = select(args)?;
    args.outputs.reports.refuse_to_overwrite(&files)?;
    let set_ups = args.set_up.read(&project, shell)?;
    let (tests, exit) = read(args, &files, &project, &set_ups, shell)?;
    let jobs = threads(args.jobs);
    set_up::warn_of_differences(tests.iter().map(|stored| (&*stored.name, &stored.set_up)));
    let interrupted = interruption();
    args.wall.limit(&interrupted);
    let has_failed = AtomicBool::new(false);
    let seed = args.seed.map_or_else(Seed::default, Seed);
    let common = common_app(&tests).map(|app| app.with_set_up(set_ups.all()));
    let beginning =
        Beginning { command: "replay", shard: args.shard, app: common.as_ref(), seed, verbose: args.verbose };
    let mut outputs = Outputs::begin(&args.outputs, &project, beginning, shell)?;
    let album = args.outputs.album(&project);
    let progress = Progress::new(!shell.quiet);
    let ticks = Ticks::default();
    let (mut exit, mut written, mut left_out) = (exit, Ok(()), 0);
    let work = |number: usize| {
        let stored = &tests[number];
        if interrupted.load(Ordering::Relaxed) || (args.fail_fast && has_failed.load(Ordering::Relaxed)) {
            return None;
        }
        progress.say(|_| format!("{}: {}", ticks.of(tests.len(), "tests"), printable(&stored.name)));
        let mut decided = replay(args, stored, album.as_ref(), &interrupted);
        ticks.add(decided.exit() == Exit::Passed);
        if decided.exit() != Exit::Passed {
            decided.ended.advice.extend(stored.set_up.advice.clone());
        }
        has_failed.fetch_or(decided.exit() != Exit::Passed, Ordering::Relaxed);
        let steps = stored.test.steps.len() as u32;
        let set_up = stored.app.as_ref().map_or_else(|_| Vec::new(), OpenedApp::set_up_actions);
        Some((began(&stored.name, &stored.test.oracle, "", steps, 0, set_up), decided))
    };
    // One after another, so that the tests before the first failure do not depend on `--jobs`.
    let jobs = if args.fail_fast { 1 } else { jobs_on(&tests, jobs) };
    in_order_with_pauses(jobs, tests.len(), work, |_, decided, is_pause| {
        progress.clear();
        let Some((began, decided)) = decided else {
            left_out += 1;
            return;
        };
        exit = exit.and(decided.exit());
        if written.is_ok() {
            written = outputs.spec(began, decided);
        }
        if is_pause {
            outputs.sync();
        }
    });
    written?;
    if left_out > 0 && !shell.quiet {
        let were = if left_out == 1 { "was" } else { "were" };
        writeln!(io::stderr(), "farlead: {} {were} not replayed", counted(left_out, "test"))?;
    }
    if interrupted.load(Ordering::Relaxed) {
        exit = exit.and(interrupted_exit());
    }
    outputs.end(exit)
}

/// Warns of a test of an older format that finds a widget by its place alone, where another may be by now.
fn warn_of_place(file: &Path, test: &TestCase) {
    if let Some(step) = test.step_by_place() {
        let file = shown_path(file);
        warn(&format!(
            "{file}: step {step} goes to a widget by its place alone; `farlead check {file} --update` keeps the words \
             beside it"
        ));
    }
}

/// Returns the files of the tests to replay, in the order of their names.
fn select(args: &ReplayArgs) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in &args.tests {
        let found = sources::expand(std::slice::from_ref(path))?;
        let is_test = |file: &PathBuf| file.to_string_lossy().ends_with(".test.ltl");
        // A folder may hold specs beside tests; a named file is always meant.
        files.extend(found.into_iter().filter(|file| !path.is_dir() || is_test(file)));
    }
    // A file may be named beside its folder.
    let mut met = BTreeSet::new();
    files.retain(|file| met.insert(file.clone()));
    if files.is_empty() {
        return Err(Usage::new(
            "there is no .test.ltl file in these folders; `farlead check` makes them".into(),
        )
        .into());
    }
    if let Some(shard) = args.shard {
        files = shard.take(files);
    }
    Ok(files)
}

/// Reads the tests; those that cannot be read are reported, and the others are replayed all the same.
fn read(
    args: &ReplayArgs,
    files: &[PathBuf],
    project: &Project,
    set_ups: &SetUps,
    shell: &Shell,
) -> anyhow::Result<(Vec<Stored>, Exit)> {
    let mut exit = Exit::Passed;
    let mut read: Vec<(&PathBuf, TestCase)> = Vec::new();
    let mut texts = SecretTexts::of(project)?;
    set_ups.add_to(&mut texts);
    // On the thread that reads the test: no replay begins before all tests are read.
    let look = |source: &Source, test: &TestCase| SecretTexts::of_test(source, test);
    sources::read_tests(files, threads(args.jobs), shell, look, |number, test| {
        let file = &files[number];
        match test {
            Ok((test, _)) if !args.is_chosen(file, &test) => {}
            Ok((test, of_test)) => {
                texts.merge(of_test);
                // A log cannot be written anew.
                if !test.is_ape_log() {
                    warn_of_place(file, &test);
                }
                read.push((file, test));
            }
            Err(error) => {
                let message = error.to_string();
                // Mistakes in a test are on stderr already, and their error has no message.
                if !message.is_empty() {
                    writeln!(io::stderr(), "farlead: {message}")?;
                }
                exit = exit.and(Exit::Broken);
            }
        }
        Ok(())
    })?;
    let project = &Project { secrets: texts.read()?, ..project.clone() };
    let mut tests = Vec::new();
    // Opening an app reads files or prepares devices, so the tests of one app share it.
    let mut apps: BTreeMap<Vec<String>, Result<OpenedApp, (String, Exit)>> = BTreeMap::new();
    for (file, mut test) in read {
        let name = file.display().to_string();
        let app = match apps.get(&test.provenance.app) {
            Some(app) => app.clone(),
            None => {
                let app = match args.app.with_sessions(args.jobs).open_for(&test, project, shell) {
                    // A wrong app on the command line is wrong for all tests; one in a test, for that test alone.
                    Err(error) if args.app.is_said() || error.is::<Usage>() => return Err(error),
                    opened => opened.map_err(|error| (error.to_string(), crate::exit_of(&error))),
                };
                apps.insert(test.provenance.app.clone(), app.clone());
                app
            }
        };
        let set_up = set_ups.for_test(file, &test);
        let app = app.and_then(|app| {
            set_up.check_app(&app.app()).map_err(|mistake| (mistake.to_string(), Exit::Broken))?;
            Ok(app.with_set_up(&set_up.tests).for_specs([&test.oracle]))
        });
        if test.is_ape_log()
            && let Ok(app) = &app
        {
            test.start_with(&app.app().launchable);
        }
        tests.push(Stored { name, test, app, set_up });
    }
    if let Some(part) =
        args.filter.as_ref().filter(|_| tests.is_empty() && exit == Exit::Passed && !files.is_empty())
    {
        let message = format!("no test has {part:?} in its path or the name of its spec");
        return Err(Usage::new(message).into());
    }
    Ok((tests, exit))
}

/// Returns how many tests are replayed at a time: as many as there are devices, and one after another if those have
/// several apps in turn.
fn jobs_on(tests: &[Stored], jobs: usize) -> usize {
    let mut apps = tests.iter().filter_map(|stored| stored.app.as_ref().ok());
    match apps.find(|app| app.is_on_devices()) {
        Some(_) if common_app(tests).is_none() => 1,
        Some(app) => app.jobs(jobs),
        None => jobs,
    }
}

/// Returns the app, if all tests have the same.
fn common_app(tests: &[Stored]) -> Option<&OpenedApp> {
    let first = tests.first()?.app.as_ref().ok()?;
    // Set-up tests have less set-up than others, though the app is the same.
    let bare = |app: &OpenedApp| app.with_set_up(&[]).describe();
    let is_same = |stored: &Stored| stored.app.as_ref().is_ok_and(|app| bare(app) == bare(first));
    tests.iter().all(is_same).then_some(first)
}

/// Replays a test as often as is asked for.
fn replay(args: &ReplayArgs, stored: &Stored, album: Option<&Album>, interrupted: &AtomicBool) -> Decided {
    let app = match &stored.app {
        Ok(app) => app,
        Err((why, exit)) => return Decided::new(Outcome::Error, why.clone(), *exit),
    };
    // The names of widgets may fit another app by accident.
    let package = &stored.test.provenance.package;
    if *app.app().package != **package && !package.is_empty() {
        let why = format!("the test is of the app {package}, and this is {}", app.app().package);
        return Decided::new(Outcome::Error, why, Exit::Environment);
    }
    let seed = Seed(args.seed.unwrap_or(stored.test.provenance.seed));
    let mut player = Player::new(&stored.test.oracle);
    let mut once = |number: u32| {
        // Each replay has chance of its own; with the same chance it would repeat the first.
        let device = app.device(chance_of(seed, number));
        let mut device = Pictured::filling(device, album.filter(|_| app.is_on_devices()));
        player.replay(&mut *device, &stored.test.steps)
    };
    let times = args.times.unwrap_or(if args.until_failure { TIMES_UNTIL_FAILURE } else { 1 });
    let mut rate = Rate::default();
    let mut told: Option<(Replay, Trace)> = None;
    let (mut number, mut retries) = (0, 0);
    // One replay is done even after Ctrl-C, as a test that was begun has a result.
    while number < times.saturating_add(retries) && !(number > 0 && interrupted.load(Ordering::Relaxed)) {
        let (replay, trace) = match once(number) {
            Ok(done) => done,
            // A lost device leaves the pool, so the next try takes another one.
            Err(error) if error.is_lost() && app.has_another() => continue,
            Err(error) => return Decided::of_error(&error),
        };
        number += 1;
        let came_again = replay == Replay::Reproduced;
        rate.runs += 1;
        rate.passes += u32::from(came_again);
        // Reports show the first replay whose run did not come again, else the last one.
        if told.as_ref().is_none_or(|(known, _)| *known == Replay::Reproduced) {
            told = Some((replay, trace));
        }
        if !came_again && args.until_failure {
            break;
        }
        if !came_again && retries < args.retries {
            retries += 1;
        } else if came_again && retries > 0 && number >= times {
            // A retry whose run came again settles the outcome: the test is flaky.
            break;
        }
    }
    let (replay, trace) = told.expect("it was replayed once at least");
    judged(stored, rate, &replay, trace)
}

/// Returns the seed of the replay `number`, from 0.
pub fn chance_of(seed: Seed, number: u32) -> Seed {
    seed.derived(&format!("replay {number}"))
}

/// Judges replays by whether the run came again, and whether it should have.
fn judged(stored: &Stored, rate: Rate, replay: &Replay, trace: Trace) -> Decided {
    let is_wanted = stored.test.oracle.expectation == Expectation::Possible;
    let again = format!("reproduced {}", report::rate(rate));
    let (outcome, why, exit) = match replay {
        _ if 0 < rate.passes && rate.passes < rate.runs => (Outcome::Flaky, again, Exit::Flaky),
        Replay::Reproduced if is_wanted => (Outcome::Passed, again, Exit::Passed),
        Replay::Reproduced => (Outcome::Failed, format!("the violation came again; {again}"), Exit::Failed),
        Replay::NotReproduced { step, .. } if is_wanted => {
            (Outcome::Failed, format!("step {step} differs; {again}"), Exit::Failed)
        }
        Replay::NotReproduced { .. } => {
            (Outcome::Passed, format!("the violation did not come again; {again}"), Exit::Passed)
        }
        // Another way may still do what the spec says, so this exit code is not that of a failed spec.
        Replay::Diverged { step, .. } => {
            (Outcome::Diverged, format!("step {step} could not be done; {again}"), Exit::Flaky)
        }
    };
    let asks_for_crashes = stored.test.oracle.atoms.values().any(Atom::mentions_crash);
    let crashes = trace.steps.iter().any(|step| step.observation.screen.context().crashed);
    let exit = if crashes && !asks_for_crashes { exit.and(Exit::Crash) } else { exit };
    let more = match scrolled_on(&trace) {
        0 => String::new(),
        scrolls => format!("; {} more than recorded", counted(scrolls, "scroll")),
    };
    let other = other_crash(&stored.test.steps, &trace).filter(|_| *replay == Replay::Reproduced);
    let crash = if other.is_some() { "; another crash than that of the test" } else { "" };
    let why = why + &more + crash + of_typed_text(&stored.test.oracle, &trace);
    let mut decided = Decided::new(outcome, why, exit);
    let device_ms = trace.steps.last().map_or(0, |step| step.observation.at_ms);
    decided.ended = SpecEnded {
        steps: trace.steps.len() as u64,
        device_ms,
        replay: Some(replayed(rate, replay)),
        violation: match replay {
            Replay::Reproduced => violation(&stored.test.oracle, &trace).into_iter().chain(other).collect(),
            Replay::NotReproduced { .. } | Replay::Diverged { .. } => Vec::new(),
        },
        ..decided.ended
    };
    if matches!(replay, Replay::Diverged { .. }) {
        let check = to_type("check --update", &stored.name);
        decided.ended.advice.push(format!("look for another way to the same: `{check}`"));
    }
    Decided { run: Some(trace), ..decided }
}

fn replayed(rate: Rate, replay: &Replay) -> Replayed {
    let reproduced = Replayed {
        rate,
        verdict: ReplayVerdict::Reproduced,
        step: None,
        expected: None,
        actual: None,
        nearest: None,
        nearest_at: None,
    };
    match replay.clone() {
        Replay::Reproduced => reproduced,
        Replay::NotReproduced { step, expected, actual } => Replayed {
            verdict: ReplayVerdict::NotReproduced,
            step: Some(step),
            expected: Some(expected),
            actual: Some(actual),
            ..reproduced
        },
        Replay::Diverged { step, expected, actual, nearest, nearest_at } => Replayed {
            verdict: ReplayVerdict::Diverged,
            step: Some(step),
            expected: Some(expected),
            actual: Some(actual),
            nearest,
            nearest_at,
            ..reproduced
        },
    }
}
