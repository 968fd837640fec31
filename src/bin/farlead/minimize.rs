//! `farlead minimize`: minimises the run of a stored test, for its spec or for any formula.

use std::cmp::Ordering;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic;

use clap::{Args, ValueEnum};
use farlead::event::StepTaken;
use farlead::gui::{UserAction, quote};
use farlead::keep::{self, keep};
use farlead::minimise::{self, Additions, Minimised, Schedule};
use farlead::replay::{Missing as Gone, Player, other_crash};
use farlead::report::{self, step_text};
use farlead::rng::Seed;
use farlead::spec::{Linted, Source, Spec, lint_given, shown_path};
use farlead::store;
use farlead::test_case::{Provenance, TestCase};

use crate::app::{AppArgs, OpenedApp};
use crate::deciding::failed;
use crate::explore::WALK;
use crate::lint::counted;
use crate::progress::{WallArgs, interrupted_exit, interruption};
use crate::project::Project;
use crate::searching::threads;
use crate::secrets::SecretTexts;
use crate::set_up::{self, SetUpArgs};
use crate::sources::{self, Shell};
use crate::stdout::out;
use crate::{Exit, Missing, Usage};

/// Shrink the run of a stored test.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead check spec.ltl --app notes.app --agent random --steps 500 --no-minimize
  farlead minimize farlead-tests/spec/spec.test.ltl
  farlead minimize raw.test.ltl -o short.test.ltl --schedule mdp --width 4
  farlead explore --app notes.app --agent random --budget 500 --record walk.test.ltl
  farlead minimize walk.test.ltl --for 'F [activity ~ Settings]' -o settings.test.ltl

Without -o or --update farlead shows the short run and writes nothing.

Exit codes: 0 done; 1 the run does not come again; 2 command line; 3 the test or the app is missing
or has mistakes; 4 no device, or the disk; 5 the run comes again too rarely; 130 Ctrl-C, 143
SIGTERM, 129 SIGHUP.")]
pub struct MinimizeArgs {
    /// Stored test, run recorded by `check --record` or `explore --record`, or action-history.log of APE
    #[arg(value_name = "TEST")]
    test: PathBuf,
    #[command(flatten, next_help_heading = "App")]
    app: AppArgs,
    #[command(flatten, next_help_heading = "App")]
    set_up: SetUpArgs,
    /// Shrink the run to what satisfies this formula, in place of the test's spec
    #[arg(long = "for", value_name = "FORMULA", conflicts_with = "update", help_heading = "Shrinking")]
    formula: Option<String>,
    /// Order in which devices try shortened runs
    #[arg(long, value_enum, default_value_t = ScheduleName::Heuristic, help_heading = "Shrinking")]
    schedule: ScheduleName,
    /// Runs tried in a round, as if on that many devices
    #[arg(long, value_name = "M", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Shrinking")]
    width: u32,
    /// Most tries of a shortened run
    #[arg(long, value_name = "NR", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000), help_heading = "Shrinking")]
    runs: u32,
    /// Tries of it that must succeed
    #[arg(long, value_name = "ST", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..=1_000), help_heading = "Shrinking")]
    passes: u32,
    /// Expected shares of tries that succeed, from 0 to 1 in even parts: their weights, with commas
    #[arg(long, value_name = "WEIGHTS", value_delimiter = ',', help_heading = "Shrinking")]
    prior: Vec<f64>,
    /// ND3MIN as published, without what farlead adds to it
    #[arg(long, help_heading = "Shrinking")]
    plain: bool,
    /// Times to reproduce the short run
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=1_000), help_heading = "Shrinking")]
    confirm: u32,
    /// Seed of all chance [default: that of the test]
    #[arg(long, value_name = "N", help_heading = "Shrinking")]
    seed: Option<u64>,
    /// Runs at a time; results are the same for any number [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = "Shrinking")]
    jobs: Option<u32>,
    #[command(flatten, next_help_heading = "Shrinking")]
    wall: WallArgs,
    /// Write the short run to this test file
    #[arg(long, short, value_name = "FILE", conflicts_with = "update", help_heading = "Shrinking")]
    output: Option<PathBuf>,
    /// Replace the test by the short run
    #[arg(long, help_heading = "Shrinking")]
    update: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ScheduleName {
    Heuristic,
    RoundRobin,
    Greedy,
    Mdp,
}

impl MinimizeArgs {
    fn settings(&self) -> Result<minimise::Settings, Usage> {
        if self.passes > self.runs {
            let message = format!("`--passes {}` is more than `--runs {}`", self.passes, self.runs);
            return Err(Usage::new(message));
        }
        let is_weight = |weight: &f64| weight.is_finite() && *weight >= 0.0;
        let defaults = minimise::Settings::default();
        let prior = match &self.prior[..] {
            [] => defaults.prior.clone(),
            weights
                if weights.len() >= 2
                    && weights.iter().all(is_weight)
                    && weights.iter().sum::<f64>() > 0.0 =>
            {
                minimise::Prior::new(weights)
            }
            _ => {
                return Err(Usage::new(
                    "`--prior` is two weights or more, as in `--prior 6,1,3`".to_string(),
                ));
            }
        };
        Ok(minimise::Settings {
            schedule: match self.schedule {
                ScheduleName::Heuristic => Schedule::Heuristic,
                ScheduleName::RoundRobin => Schedule::RoundRobin,
                ScheduleName::Greedy => Schedule::Greedy,
                ScheduleName::Mdp => Schedule::Mdp,
            },
            width: self.width as usize,
            runs: self.runs,
            passes: self.passes,
            // A prior that someone gives is used as it is.
            learns_prior: self.prior.is_empty(),
            prior,
            additions: if self.plain { Additions::NONE } else { Additions::ALL },
            ..defaults
        })
    }

    /// Returns the spec that `--for` asks of the run of `test`, if it is given.
    fn asked(&self, test: &TestCase, project: &Project, shell: &Shell) -> anyhow::Result<Option<Spec>> {
        let Some(formula) = &self.formula else { return Ok(None) };
        let of_project = project.actions.iter().filter(|action| !test.actions.contains(action));
        let actions: Vec<UserAction> = test.actions.iter().chain(of_project).cloned().collect();
        let source = Source::new("--for", format!("possible {}: {formula}", quote(formula.trim())));
        let Linted { mut file, diagnostics, .. } = lint_given(&source, &actions);
        if diagnostics.errors() > 0 {
            return Err(sources::refuse(&source, &diagnostics, shell).into());
        }
        match (file.specs.pop(), file.specs.len()) {
            (Some(spec), 0) => Ok(Some(spec)),
            _ => Err(Usage::new("`--for` takes one formula".to_string()).into()),
        }
    }
}

pub fn run(args: &MinimizeArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut project = Project::find()?;
    let how = args.settings()?;
    let (source, mut test) = sources::read_run(&args.test, shell)?;
    let asked = args.asked(&test, &project, shell)?;
    test.oracle = asked.unwrap_or(test.oracle);
    let set_ups = args.set_up.read(&project, shell)?;
    let chosen = set_ups.for_test(&args.test, &test);
    let mut texts = SecretTexts::of(&project)?;
    set_ups.add_to(&mut texts);
    texts.add_test(&source, &test);
    project.secrets = texts.read()?;
    let app = args.app.open_for(&test, &project, shell)?;
    chosen.check_app(&app.app())?;
    let app = app.with_set_up(&chosen.tests).for_specs([&test.oracle]);
    if test.is_ape_log() {
        let (package, of_log) = (app.app().package, &test.provenance.package);
        if *package != **of_log && !of_log.is_empty() {
            let message = format!("{} is of the app {of_log}, and this is {package}", shown_path(&args.test));
            return Err(Missing::new(message).into());
        }
        test.start_with(&app.app().launchable);
        // The log does not know how to run its app.
        test.provenance.app = args.app.to_type(&project);
        test.provenance.package = package.to_string();
    }
    set_up::warn_of_differences([(&*shown_path(&args.test), &chosen)]);
    // Refused before the runs, which take long.
    if let Some(path) = args.output.as_ref().filter(|path| path.exists()) {
        return Err(Usage::new(format!("{} is there already; give another file", shown_path(path))).into());
    }
    let jobs = app.jobs(threads(args.jobs));
    let interrupted = interruption();
    args.wall.limit(&interrupted);
    let goes_on = || !interrupted.load(atomic::Ordering::Relaxed);
    let seed = Seed(args.seed.unwrap_or(test.provenance.seed));
    let open = |seed: Seed| app.device(seed);
    let settings = keep::Settings {
        minimise: Some(how.clone()),
        confirm: args.confirm,
        seed,
        jobs,
        keeps_found: false,
        slack: project.slack,
        // Rules limit searches; a recorded run repeats as it is.
        rules: Arc::default(),
        album: None,
    };
    let mut player = Player::new(&test.oracle);
    let mut shortcoming = format!("does not do what {:?} asks for", test.oracle.name);
    // On an app that answers by chance, the run may not succeed at once.
    let original = (0..TRIES_MAX).find_map(|number| {
        let mut device = open(seed.derived(&format!("original {number}")));
        let actions = test.steps.iter().map(|step| &step.action);
        // Minimising passes over steps without their widget too, so this run starts from the same rule.
        match player.play(&mut *device, actions, Gone::Skip) {
            Ok(played) if !played.is_won => None,
            Ok(played) if other_crash(&test.steps, &played.trace).is_some() => {
                shortcoming = "ends in another crash than that of the test".to_string();
                None
            }
            Ok(played) => Some(Ok(played.trace)),
            Err(error) => Some(Err(error)),
        }
    });
    let original = match original {
        None => {
            writeln!(
                out(),
                "{}: the run {shortcoming}, {TRIES_MAX} times tried; `farlead replay` says where",
                shown_path(&args.test)
            )?;
            if args.formula.is_none() && (test.provenance.spec == WALK || test.is_ape_log()) {
                writeln!(out(), "  this is a walk; say what it is to come to with `--for FORMULA`")?;
            }
            if let Some(advice) = &chosen.advice {
                writeln!(out(), "  {advice}")?;
            }
            return Ok(Exit::Failed);
        }
        Some(Err(error)) => return Err(failed(&error)),
        Some(Ok(trace)) => trace,
    };
    let keeping = match keep(&open, &test.oracle, &original, &settings, &goes_on) {
        Err(error) => return Err(failed(&error)),
        Ok(keeping) => keeping,
    };
    say(args, &test, &keeping, &how)?;
    let mut actions = keeping.captured.actions.clone();
    let short = TestCase {
        set_up: app.kept_set_up(&mut actions),
        provenance: Provenance {
            farlead: env!("CARGO_PKG_VERSION").to_string(),
            // A test that was made short before keeps the length that the search found.
            found_steps: test.provenance.found_steps.max(test.steps.len()),
            confirmed: keeping.confirmed,
            // A formula of the command line is in no file.
            spec: args.formula.as_ref().map_or_else(|| test.provenance.spec.clone(), |_| "--for".to_string()),
            ..of_app(test.provenance.clone(), &app)
        },
        steps: keeping.captured.steps.clone(),
        captured: keeping.captured.formula.clone(),
        actions,
        oracle: test.oracle.clone(),
    };
    let to = args.output.as_ref().or(Some(&args.test).filter(|_| args.update));
    if let Some(path) = to {
        store::write(path, short.to_string().as_bytes()).map_err(|error| Missing::new(error.to_string()))?;
    }
    let rate = keeping.confirmed;
    let has_passed = keeping.minimised.as_ref().is_none_or(|minimised| minimised.has_original_passed);
    Ok(match () {
        () if keeping.is_interrupted => interrupted_exit(),
        () if !has_passed || (rate.runs > 0 && !rate.is_full()) => Exit::Flaky,
        () => Exit::Passed,
    })
}

/// Most tries of a run: one that never does what it must in these does it too rarely.
const TRIES_MAX: u32 = 20;

fn of_app(provenance: Provenance, app: &OpenedApp) -> Provenance {
    Provenance { version: app.app().version.to_string(), device: app.describe(), ..provenance }
}

fn say(
    args: &MinimizeArgs,
    test: &TestCase,
    keeping: &keep::Keeping,
    how: &minimise::Settings,
) -> io::Result<()> {
    let mut out = out();
    let steps = keeping.run.steps.len();
    let from = counted(test.steps.len(), "step");
    // A run that comes again too rarely is not shortened, but chance may leave out steps of it.
    let is_shrunk = keeping.minimised.as_ref().is_none_or(|minimised| minimised.has_original_passed);
    let shrunk = match steps.cmp(&test.steps.len()) {
        Ordering::Less if is_shrunk => format!("shrunk from {from} to {steps}"),
        Ordering::Equal => format!("not shrunk: {from}"),
        Ordering::Less | Ordering::Greater => {
            format!("not shrunk: the {from} of the test came out as {steps} this time")
        }
    };
    writeln!(out, "{}: {shrunk}", shown_path(&args.test))?;
    for (number, step) in keeping.run.steps.iter().enumerate() {
        write!(out, "{}", step_text(number, &StepTaken::new(step, 0), false))?;
    }
    if let Some(minimised) = &keeping.minimised {
        for line in statements(minimised, how) {
            writeln!(out, "  {line}")?;
        }
    }
    let rate = keeping.confirmed;
    if rate.runs > 0 {
        writeln!(out, "  reproduced {}", report::rate(rate))?;
    }
    Ok(())
}

/// Returns statements about the short run, with their grounds.
fn statements(minimised: &Minimised, how: &minimise::Settings) -> Vec<String> {
    let mut lines = vec![format!(
        "{} in {}",
        counted(minimised.runs as usize, "run"),
        counted(minimised.rounds as usize, "round")
    )];
    if !minimised.has_original_passed {
        let rate = minimised.original;
        lines.push(format!(
            "the run itself came again {} of {} times, which is too rarely to shrink it; accept fewer with `--passes`",
            rate.passes, rate.runs
        ));
        return lines;
    }
    lines.push(if minimised.is_one_minimal {
        "1-minimal: it fails without any one of its steps".to_string()
    } else {
        "not known to be 1-minimal".to_string()
    });
    let rate = minimised.rate;
    if rate.runs > 0 {
        lines.push(format!("in fresh tries it came again {}", report::rate(rate)));
    }
    if let Some(bounds) = minimised.bounds(how) {
        // Cut and not rounded, as both are lower bounds.
        let percent = |share: f64| format!("{:.1} %", (share * 1_000.0).floor() / 10.0);
        lines.push(format!(
            "c / p1 / p2 of ND3MIN: {} of {} / {} that it comes again in {:.0} % of tries / {} that no step can be left out",
            rate.passes,
            rate.runs,
            percent(bounds.passes),
            100.0 * bounds.share,
            percent(bounds.is_minimal)
        ));
    }
    if minimised.has_varied {
        lines.push("the app does not always answer alike".to_string());
    }
    if let Some(beyond) = &minimised.beyond_mdp {
        lines.push(format!(
            "{} were left to the schedule `heuristic`: {} candidates, {} devices and {} runs are too many for `mdp`",
            counted(beyond.rounds as usize, "round"),
            beyond.candidates,
            beyond.width,
            beyond.runs
        ));
    }
    lines
}
