//! `farlead explore`: goes through the app without a formula, keeps the crashes, watches specs, and counts what was seen.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::{Args, ValueEnum};
use farlead::abstraction::Counts;
use farlead::agent::PLANNER;
use farlead::device::App;
use farlead::event::{Coverage, Lesson, Outcome, PathCounts, Reached, SpecBegan, StateCounts};
use farlead::experience::Experience;
use farlead::gui::{Atom, Repertoire, Screen, is_origin};
use farlead::learned::{Learned, LearnedApp};
use farlead::learned_model::{LearnedModel, Point};
use farlead::objective::Pays;
use farlead::policy::Policy;
use farlead::replay::capture_walk;
use farlead::rng::Seed;
use farlead::search::{
    Budget, Dictionary, EpisodeNews, ExploreNews, ExploreStop, Explored, Fault, Plan, Watched, explore,
    together,
};
use farlead::situation::{Learning, Paths};
use farlead::sorted;
use farlead::spec::{Expectation, Source, Spec, parse, printable, shown_path};
use farlead::statistics::area_under_curve;
use farlead::store::{self, Batch, Places};
use farlead::test_case::Provenance;
use farlead::trace::Trace;
use serde_json::json;

use crate::agents::{AbstractionName, AgentName, Entrant, EntrantParser};
use crate::app::{AppArgs, OpenedApp};
use crate::deciding::{Asked, Decided, Exhaustive, exit_of_error, failed, keep_run, of_typed_text};
use crate::lint::counted;
use crate::news::{News, NewsArgs, map_svg};
use crate::outputs::{Beginning, KeptArgs, OutputArgs, Outputs, Prepared, Stored, began, warn};
use crate::progress::{
    Progress, WallArgs, duration_ms, interrupted_by, interrupted_exit, interruption, left,
};
use crate::project::Project;
use crate::searching::texts;
use crate::set_up::{SetUpArgs, SetUps};
use crate::sources::{self, Judged, Shell};
use crate::training::{self, Training};
use crate::{Exit, Missing, Usage, learned, policy};

/// Name of the place of crashes in results, and the file that their specs would be in: their tests lie in a folder of their
/// own.
const CRASHES: &str = "crashes";
const CRASHES_FILE: &str = "crashes.ltl";

/// Most steps of an episode, unless someone says otherwise.
pub const STEPS_MAX: u32 = 30;

/// The same on a page: it is rarely left for good, and shows some of its faults only once much was done.
const STEPS_ON_PAGE_MAX: u32 = 100;

/// Place of a recorded walk's spec, which is in no file.
pub const WALK: &str = "explore --record";

/// Most steps of a walk, as many as a test may have.
const WALK_MAX: u32 = 10_000;

/// Actions that were never done, kept in results.
const NEVER_DONE_MAX: usize = 50;

/// Points of a curve that are kept.
const POINTS_MAX: usize = 1_000;

/// Explore an app: keep its crashes, watch specs, and show what was covered.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead explore --app apps/shop.app
  farlead explore specs --apk notes.apk --timeout 1h --html explored.html
  farlead explore --app apps/notes.app --from .farlead/runs/0003
  farlead check specs --app apps/notes.app --learned .farlead/runs/0003
  farlead explore --app apps/notes.app --agent random --budget 500 --record walk.test.ltl
  farlead explore --train --agent sac --policy my.policy --app apps/shop.app --app apps/wayfare.app
  farlead explore --agent sac --policy my.policy --app apps/notes.app

Each crash is shrunk, reproduced (--confirm) and kept as a test in farlead-tests/crashes/. Every spec is
watched in all episodes. On a phone, exploring buys, posts and deletes: rules in farlead.toml forbid
actions. docs/exploring.md has more.

Exit codes: 0 no crash, and no spec failed; 1 a spec failed; 2 command line; 3 a spec or model is
missing or has mistakes; 4 no device, or the disk; 5 a crash or a violation is flaky; 6 a crash that
no spec asks for; 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP (farlead reports what it found).")]
pub struct ExploreArgs {
    /// Specs to watch: files, or folders of .ltl and .feature files
    #[arg(value_name = "SPEC")]
    specs: Vec<PathBuf>,
    #[command(flatten, next_help_heading = "App")]
    app: AppArgs,
    #[command(flatten, next_help_heading = "App")]
    set_up: SetUpArgs,
    /// Agent that explores: planner, farlead, tree, qlearning, sac, ddpg, td3, dino, dino2, ape, least, random,
    /// monkey, qbe, ares-random, ares-qlearning, ares-sac, ares-ddpg, ares-td3, fate-random, fate-qlearning,
    /// fate-sac, fate-ddpg or fate-td3 [default: planner]
    #[arg(long, value_parser = EntrantParser, help_heading = "Exploring", hide_possible_values = true)]
    agent: Option<Entrant>,
    /// Abstraction of screens: looks, places, ape or activity [default: places for the planner, ape for ape, else
    /// looks]
    #[arg(long, value_name = "A", value_enum, help_heading = "Exploring", hide_possible_values = true)]
    abstraction: Option<AbstractionName>,
    /// Most steps of the whole run
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u64).range(1..), help_heading = "Exploring")]
    budget: u64,
    /// Most steps of an episode, the start included [default: 30, on a page 100, and with --record all of
    /// them]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=100_000), help_heading = "Exploring")]
    steps: Option<u32>,
    /// Go on one walk, of a single episode, and write all of it to this file as a test
    #[arg(long, value_name = "FILE", help_heading = "Exploring")]
    record: Option<PathBuf>,
    /// Most time on the device's clock, like 90s, 20min or 2h
    #[arg(long, value_name = "TIME", value_parser = duration_ms, help_heading = "Exploring")]
    timeout: Option<u64>,
    /// End after N steps without anything new
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Exploring")]
    until_quiet: Option<u64>,
    /// Rewards of agents that learn from them
    #[arg(long, value_name = "R", value_enum, default_value_t = Reward::Novelty, help_heading = "Exploring")]
    reward: Reward,
    /// Seed of all chance [default: 1]
    #[arg(long, value_name = "N", help_heading = "Exploring")]
    seed: Option<u64>,
    /// Dictionary: farlead types each of its lines into fields
    #[arg(long, value_name = "FILE", help_heading = "Exploring")]
    texts: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Exploring")]
    wall: WallArgs,
    /// Go on where an earlier run stopped: its folder, or the model.json in it
    #[arg(long, value_name = "RUN", help_heading = "Exploring")]
    from: Option<PathBuf>,
    /// Start from what this file, or the folder of a run of explore, knows of the app, and add to it
    #[arg(long, value_name = "FILE", help_heading = "Exploring")]
    learned: Option<PathBuf>,
    /// Start with the networks of this file, which --train made on other apps; `shipped` is the one of ddpg that comes with
    /// farlead
    #[arg(long, value_name = "FILE", help_heading = "Exploring")]
    policy: Option<PathBuf>,
    /// Explore each --app in turn, and write what the agent learned to the file of --policy; nothing else is kept
    #[arg(long, requires = "policy", conflicts_with_all = ["specs", "record", "from", "learned"], help_heading = "Exploring")]
    train: bool,
    /// Show how networks learn: the loss of the critic, and the entropy of the policy
    #[arg(long, short, help_heading = "Output")]
    verbose: bool,
    #[command(flatten)]
    kept: KeptArgs,
    #[command(flatten, next_help_heading = "Reports")]
    news: NewsArgs,
    #[command(flatten)]
    outputs: OutputArgs,
}

/// Rewards of exploring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Reward {
    /// News of the whole run: an activity or a crash, less for a screen
    Novelty,
    /// Those of ARES: an activity that is new in the episode, or a crash
    Ares,
    /// Those of FATE: as ARES's, but staying costs nothing after the first move of an episode
    Fate,
    /// Those of DinoDroid: 5 for an event, a screen, an activity, a crash or a way between activities that is new, else -2
    Dino,
}

impl Reward {
    pub fn pays(self) -> Pays {
        match self {
            Reward::Novelty => Pays::Novelty,
            Reward::Ares => Pays::Ares,
            Reward::Fate => Pays::Fate,
            Reward::Dino => Pays::Dino,
        }
    }
}

pub fn run(args: &ExploreArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut project = Project::find()?;
    let texts = texts(args.texts.as_deref(), &project)?;
    let files = sources::expand(&args.specs)?;
    let mut judged: Vec<Judged> = Vec::new();
    for path in &files {
        let one = sources::read(path, &project)?;
        one.unless_mistaken(shell)?;
        judged.push(one);
    }
    let set_ups = args.set_up.read(&project, shell)?;
    let mut secrets = crate::secrets::SecretTexts::of(&project)?;
    if let Some(path) = &args.texts {
        secrets.add_dictionary(path)?;
    }
    set_ups.add_to(&mut secrets);
    for one in &judged {
        secrets.add_specs(&one.source, &one.linted.file.specs);
    }
    project.secrets = secrets.read()?;
    if args.train {
        let apps: anyhow::Result<Vec<OpenedApp>> =
            args.app.each().iter().map(|app| open(app, &set_ups, &project, shell)).collect();
        return train(args, &project, &apps?, texts, shell);
    }
    let app = open(&args.app, &set_ups, &project, shell)?;
    let read = |path| learned::read(path, &app.app(), shell);
    let learned = args.learned.as_deref().map(read).transpose()?;
    let read = |path| learned::read_model(path, &app.app(), shell);
    let (from, experience) = args.from.as_deref().map(read).transpose()?.unwrap_or_default();
    let policy =
        args.policy.as_deref().map(|path| policy::read(path, args.agent(&project).agent)).transpose()?;
    let known = Known { from, policy, learned: with_both(learned, experience, &app.app()) };
    args.outputs.reports.refuse_to_overwrite(&files)?;
    // Refused before the run, which may take hours.
    if let Some(path) = args.record.as_ref().filter(|path| path.exists()) {
        return Err(Usage::new(format!("{} is there already; give another file", shown_path(path))).into());
    }
    let specs: Vec<Given<'_>> = judged.iter().flat_map(Given::of).collect();
    let news = args.news.begin(files.iter().map(PathBuf::as_path))?;
    let place = Place { args, project: &project, app, specs: &specs, news };
    let exit = explore_all(&place, &place.app.dictionary(texts), known, shell)?;
    Ok(exit)
}

/// Opens an app to explore: set up, and within the rules of the project.
fn open(app: &AppArgs, set_ups: &SetUps, project: &Project, shell: &Shell) -> anyhow::Result<OpenedApp> {
    let app = app.open(project, shell)?;
    set_ups.check_app(&app.app())?;
    let app = app.with_set_up(set_ups.all());
    app.check_rules(project)?;
    if app.is_on_devices() && !project.rules.forbid_some() && !shell.quiet {
        warn(
            "exploring taps whatever the app offers: it may buy, post and delete; `never` rules in farlead.toml forbid actions",
        );
    }
    Ok(app)
}

/// Knowledge of earlier runs.
struct Known {
    from: LearnedModel,
    policy: Option<Policy>,
    learned: Learned,
}

/// Returns what the file of `--learned` and the run of `--from` know together of `app`.
fn with_both(learned: Option<Learned>, from: Learned, app: &App) -> Learned {
    let mut both = learned.unwrap_or_default();
    both.app = Some(LearnedApp { package: app.package.clone(), version: app.version.clone() });
    both.experience.merge(&from.experience);
    for (agent, kept) in &from.agents {
        match farlead::agent::find(agent) {
            Some(info) => both.add(info, kept),
            None => drop(both.agents.entry(agent.clone()).or_insert_with(|| kept.clone())),
        }
    }
    both
}

/// Spec that is watched, and the file that it is in.
struct Given<'a> {
    judged: &'a Judged,
    spec: &'a Spec,
}

impl<'a> Given<'a> {
    fn of(judged: &'a Judged) -> impl Iterator<Item = Given<'a>> {
        judged.linted.file.specs.iter().map(move |spec| Given { judged, spec })
    }
}

/// Parts that all of the run shares.
struct Place<'a> {
    args: &'a ExploreArgs,
    project: &'a Project,
    app: OpenedApp,
    specs: &'a [Given<'a>],
    news: Option<News>,
}

impl ExploreArgs {
    /// Returns the agent.
    fn agent(&self, project: &Project) -> Entrant {
        self.agent.clone().unwrap_or_else(|| Entrant::plain(project.agent.unwrap_or(AgentName(&PLANNER))))
    }

    /// Gives a plan of `agent` the settings of the command line.
    fn set(&self, agent: &Entrant, plan: &mut Plan) -> anyhow::Result<()> {
        if let Some(AbstractionName(info)) = self.abstraction {
            plan.abstraction = info;
        }
        agent.set(plan)
    }
}

/// Trains a policy on these apps.
fn train(
    args: &ExploreArgs,
    project: &Project,
    apps: &[OpenedApp],
    texts: Option<Vec<String>>,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    let agent = args.agent(project);
    let mut plan = Plan {
        steps_max: args.steps.unwrap_or(STEPS_MAX),
        timeout_ms: args.timeout,
        seed: args.seed.or(project.seed).map(Seed).unwrap_or_default(),
        rules: project.rules.clone(),
        ..Plan::new(agent.agent)
    };
    args.set(&agent, &mut plan)?;
    let budget = Budget {
        steps_max: args.budget,
        until_quiet: args.until_quiet,
        is_walk: false,
        pays: args.reward.pays(),
        // The counts that are shown follow from the steps.
        keeps_steps: true,
        steers: false,
    };
    let path = args.policy.as_deref().expect("--train needs --policy");
    training::train(Training { apps, path, plan, texts, budget }, shell)
}

/// Returns how networks learn, behind other numbers of a line.
pub fn shown_learning(Learning { loss, entropy, .. }: Learning) -> String {
    let entropy = entropy.map_or_else(String::new, |entropy| format!(", entropy {entropy:.2}"));
    format!(", loss {loss:.3}{entropy}")
}

impl Place<'_> {
    /// Returns the most steps of an episode.
    fn steps_max(&self) -> u32 {
        let ExploreArgs { steps, budget, record, .. } = self.args;
        if record.is_some() {
            return steps.unwrap_or(u32::try_from(*budget).unwrap_or(u32::MAX)).min(WALK_MAX);
        }
        let is_page = is_origin(&self.app.app().package);
        steps.unwrap_or(if is_page { STEPS_ON_PAGE_MAX } else { STEPS_MAX })
    }

    fn seed(&self) -> Seed {
        self.args.seed.or(self.project.seed).map(Seed).unwrap_or_default()
    }
}

fn explore_all(place: &Place<'_>, texts: &Dictionary, known: Known, shell: &Shell) -> anyhow::Result<Exit> {
    let Place { args, project, ref app, specs, ref news } = *place;
    let Known { from, policy, mut learned } = known;
    let earlier_steps = from.steps;
    let agent = args.agent(project);
    let mut plan = Plan {
        steps_max: place.steps_max(),
        timeout_ms: args.timeout,
        seed: place.seed(),
        texts: texts.clone(),
        rules: project.rules.clone(),
        kept: policy::start(learned.kept(agent.agent), policy.as_ref()),
        experience: Arc::new(std::mem::take(&mut learned.experience)),
        ..Plan::new(agent.agent)
    };
    args.set(&agent, &mut plan)?;
    let learned_by = from.abstraction.as_deref().map(|learned| &*learned.naming.abstraction);
    if let Some(name) = learned_by.filter(|name| *name != plan.abstraction.name && !shell.quiet) {
        warn(&format!(
            "that run used --abstraction {}, and this one uses {}: its states are learned anew",
            printable(name),
            plan.abstraction.name
        ));
    }
    let actions = |given: &Given<'_>| given.judged.linted.file.actions.clone();
    let declared: Vec<_> = specs.iter().map(actions).collect();
    let all = specs.iter().zip(&declared).map(|(given, actions)| (given.spec, &actions[..]));
    let repertoire = Repertoire { rules: project.rules.clone(), ..together(all, texts) };
    let app = app.for_specs(specs.iter().map(|given| given.spec));
    let beginning =
        Beginning { command: "explore", shard: None, app: Some(&app), seed: place.seed(), verbose: false };
    let mut outputs = Outputs::begin(&args.outputs, project, beginning, shell)?;
    let interrupted = interruption();
    args.wall.limit(&interrupted);
    let progress = Progress::new(!shell.quiet);
    let budget = Budget {
        steps_max: args.budget,
        until_quiet: args.until_quiet,
        is_walk: args.record.is_some(),
        pays: args.reward.pays(),
        keeps_steps: true,
        steers: true,
    };
    let watched: Vec<&Spec> = specs.iter().map(|given| given.spec).collect();
    let begun = Instant::now();
    let explored = {
        let mut device = app.device(place.seed());
        explore(&mut *device, &watched, repertoire, &plan, budget, from, &mut |told| {
            let ExploreNews { point, episodes, crashes, learning, ended } = *told;
            if let (Some(news), Some(ended)) = (news, ended) {
                tell(news, episodes, (point, crashes), ended);
            }
            progress.say(|_| {
                let learning = learning.filter(|_| args.verbose).map(shown_learning).unwrap_or_default();
                let left = left(point.steps as f64, args.budget as f64, begun.elapsed().as_secs_f64());
                format!(
                    "episode {}, step {} of {}: {} activities, {} screens, {crashes} crashes{learning}; {left} left",
                    episodes + 1,
                    point.steps,
                    args.budget,
                    point.activities,
                    point.screens
                )
            });
            !interrupted.load(Ordering::Relaxed)
        })
    };
    progress.clear();
    if let (Some(path), Some(walk)) = (&args.record, &explored.walk) {
        record(place, &app, &plan, (&explored, walk), path)?;
    }
    let mut covered = coverage(&explored, earlier_steps, plan.agent.name, budget);
    if let Some(path) = &args.record {
        covered.why += &format!("; the walk is in {}", shown_path(path));
    }
    outputs.explored(covered)?;
    let mut experience = Arc::unwrap_or_clone(plan.experience.clone());
    experience.merge(&explored.experience);
    learned.experience = experience;
    learned.add(plan.agent, &explored.kept);
    outputs.mapped(explored.model.map(), &screens_of(&explored.model, &learned.experience));
    outputs.write_beside(learned::MODEL_FILE, &explored.model.to_text());
    outputs.write_beside(learned::EXPERIENCE_FILE, &learned.to_text());
    let mut exit = match &explored.failure {
        Some(error) => {
            // A closed stderr leaves nobody to tell, so a failed write is no error.
            let _ = writeln!(io::stderr(), "farlead: {error}");
            exit_of_error(error)
        }
        None if explored.stop == ExploreStop::Interrupted => interrupted_exit(),
        None => Exit::Passed,
    };
    let batch = Batch::new();
    let keeping = Keeping {
        place,
        app: &app,
        plan: &plan,
        explored: &explored,
        batch: &batch,
        deciding: Asked {
            exhaustive: Exhaustive::Never,
            keep: args.kept.settings(&args.outputs, project, &app, place.seed()),
            interrupted: &interrupted,
            tells_steps: false,
            news: None,
        },
    };
    for fault in &explored.faults {
        let decided = keeping.fault(fault, &mut outputs)?;
        exit = exit.and(decided);
    }
    for (given, watched) in specs.iter().zip(&explored.watched) {
        let decided = keeping.watched(given, watched, &mut outputs)?;
        exit = exit.and(decided);
    }
    outputs.sync_tests(&batch);
    if let Some(path) = &args.learned {
        learned::write(path, &learned)?;
    }
    outputs.end(exit)
}

/// Tells of an episode for a program that looks on.
fn tell(news: &News, episodes: u32, (point, crashes): (Point, usize), ended: EpisodeNews<'_>) {
    let EpisodeNews { trace, model, experience } = ended;
    let Point { steps, activities, screens, done, transitions } = point;
    let counts = json!({
        "steps": steps,
        "activities": activities,
        "screens": screens,
        "done": done,
        "transitions": transitions,
        "crashes": crashes,
    });
    news.explored(episodes, counts, trace);
    news.mapped(|| map_svg(model, screens_of(model, experience)));
}

/// Writes the walk to `path`, as a test that the app does not crash on it.
fn record(
    place: &Place<'_>,
    app: &OpenedApp,
    plan: &Plan,
    (explored, walk): (&Explored, &Trace),
    path: &Path,
) -> anyhow::Result<()> {
    let spec = explored.faults.first().map_or_else(any_crash, spec_of);
    let decided = Decided::new(Outcome::Passed, String::new(), Exit::Passed);
    let to_type = place.args.app.to_type(place.project);
    let provenance = Provenance {
        episodes: explored.episodes,
        steps: explored.steps,
        found_steps: walk.steps.len(),
        ..decided.provenance(plan, app, to_type, WALK.to_string())
    };
    let test = app.test(&spec, &capture_walk(&spec, walk), provenance);
    store::write(path, test.to_string().as_bytes()).map_err(|error| Missing::new(error.to_string()))?;
    Ok(())
}

/// Returns a function that finds a screen of states of `model`, the first that the experience has.
fn screens_of<'a>(
    model: &'a LearnedModel,
    experience: &'a Experience,
) -> impl Fn(&[usize]) -> Option<Arc<Screen>> + use<'a> {
    let screens = sorted::map(experience.links().map(|link| (link.screen.identity(), link.screen)));
    move |states| {
        let mut identities = states.iter().map(|&state| model.states()[state].identity);
        identities.find_map(|identity| screens.get(&identity).map(|&screen| screen.clone()))
    }
}

/// Returns the course of the learning.
fn lessons(explored: &Explored, earlier_steps: u64) -> Vec<Lesson> {
    let lesson = |(steps, Learning { loss, entropy, .. }): &(u64, Learning)| Lesson {
        steps: earlier_steps + steps,
        loss: *loss,
        entropy: *entropy,
    };
    explored.learning.iter().map(lesson).collect()
}

/// Returns what was covered, for reports.
fn coverage(explored: &Explored, earlier_steps: u64, agent: &str, budget: Budget) -> Coverage {
    let model = &explored.model;
    let last = explored.last();
    let unseen = model.app.activities.iter().filter(|name| !model.activities.contains_key(&***name));
    let why = match explored.stop {
        ExploreStop::StepsSpent => "the steps are spent".to_string(),
        ExploreStop::WalkEnded => "the walk is over".to_string(),
        ExploreStop::Quiet => {
            format!("nothing new came up for {} steps", budget.until_quiet.unwrap_or_default())
        }
        ExploreStop::TimeSpent => "the time is spent".to_string(),
        ExploreStop::Exhausted => "nothing starts the app".to_string(),
        ExploreStop::Interrupted => interrupted_by().to_string(),
        ExploreStop::Failed => "the device failed".to_string(),
    };
    let (unreached, reasons) = model.unreached();
    let mut names = BTreeSet::new();
    let offers = (0..model.states().len()).flat_map(|state| model.offers(state));
    let never = offers.filter(|(_, times)| *times == 0).map(|(name, _)| name.to_string());
    let distinct = never.filter(|name| names.insert(name.clone()));
    let stride = model.curve.len().div_ceil(POINTS_MAX).max(1);
    Coverage {
        agent: agent.to_string(),
        why,
        episodes: model.episodes,
        steps: last.steps,
        earlier_steps,
        device_ms: model.device_ms,
        activities: model.activities.iter().map(|(name, step)| (name.to_string(), *step)).collect(),
        area_under_curve: area_under_curve(explored.reached.iter().copied(), explored.actions),
        unseen: (!model.app.activities.is_empty()).then(|| unseen.map(ToString::to_string).collect()),
        screens: last.screens,
        transitions: last.transitions,
        done: last.done,
        never_done_count: model.never_done(),
        never_done: distinct.take(NEVER_DONE_MAX).collect(),
        last_new: model.last_new,
        learning: lessons(explored, earlier_steps),
        paths: explored.paths.map(|Paths { decided, arrived, missed }| PathCounts {
            decided,
            arrived,
            missed,
        }),
        states: explored.counts.map(|Counts { states, refinements, coarsenings }| StateCounts {
            // Those of earlier runs too.
            count: model.abstraction.as_ref().map_or(states, |learned| learned.states.len()) as u64,
            refined: refinements as u64,
            coarsened: coarsenings as u64,
        }),
        unreached,
        reasons,
        curve: model
            .curve
            .iter()
            .enumerate()
            .filter(|(at, _)| at % stride == 0 || at + 1 == model.curve.len())
            .map(|(_, point)| point)
            .map(|point| {
                [
                    point.steps,
                    point.activities as u64,
                    point.screens as u64,
                    point.done as u64,
                    point.transitions as u64,
                ]
            })
            .collect(),
    }
}

/// Returns the spec that the crash `fault` never happens, by a name of its own.
fn spec_of(fault: &Fault) -> Spec {
    let not_responding = || never("the app does not respond", "[anr = true]");
    let anr = fault.is_anr.then(not_responding).flatten();
    anr.unwrap_or_else(|| never_again(&fault.identity))
}

/// Returns the spec that the crash of this identity does not come again; that of any crash without one.
pub fn never_again(identity: &str) -> Spec {
    let named = (!identity.is_empty()).then(|| never(identity, &Atom::of_crash(identity).to_string()));
    // An identity comes from outside; whatever it is, the crash is kept.
    named.flatten().unwrap_or_else(any_crash)
}

/// Returns the spec that the app never crashes.
pub fn any_crash() -> Spec {
    never("the app crashes", "[crashed = true]").expect("the name and the atom are farlead's own")
}

/// Returns the spec that `atom` never holds.
fn never(name: &str, atom: &str) -> Option<Spec> {
    parse(&Source::new(CRASHES, format!("never {name:?}: F {atom}"))).file.specs.pop()
}

/// Keeps what exploring has found.
struct Keeping<'a> {
    place: &'a Place<'a>,
    app: &'a OpenedApp,
    plan: &'a Plan,
    explored: &'a Explored,
    batch: &'a Batch<'static>,
    deciding: Asked<'a>,
}

impl Keeping<'_> {
    /// Keeps a crash, and returns the exit code for it.
    fn fault(&self, fault: &Fault, outputs: &mut Outputs<'_>) -> anyhow::Result<Exit> {
        let spec = spec_of(fault);
        // A spec that asks for crashes judges them itself.
        let is_asked_for = self.place.specs.iter().any(|given| {
            let mut atoms = given.spec.atoms.values();
            given.spec.expectation != Expectation::Possible && atoms.any(Atom::mentions_crash)
        });
        let times = match fault.times {
            1 => "once".to_string(),
            times => format!("{times} times"),
        };
        let what = if fault.is_anr { "the app did not respond" } else { "the app crashed" };
        let again = if fault.is_known { " again" } else { "" };
        let why = format!("{what}{again} {times}, first at step {}", fault.first_step);
        let exit = if is_asked_for { Exit::Failed } else { Exit::Crash };
        let (path, shown) = self.test_place(CRASHES, &spec);
        if fault.is_known && path.is_file() {
            // The test of the earlier run stays as it is.
            let mut decided = Decided::new(Outcome::Failed, why, exit);
            decided.ended.test = Some(shown);
            outputs.spec(self.began(CRASHES, &spec), decided)?;
            return Ok(exit);
        }
        let decided = Decided { run: Some(fault.run.clone()), ..Decided::new(Outcome::Failed, why, exit) };
        self.keep(CRASHES, &spec, decided, outputs)
    }

    /// Says how a watched spec was decided, and keeps its run.
    fn watched(
        &self,
        given: &Given<'_>,
        watched: &Watched,
        outputs: &mut Outputs<'_>,
    ) -> anyhow::Result<Exit> {
        let (spec, file) = (given.spec, given.judged.source.name());
        let held: Vec<u64> = watched.held.iter().map(|(_, times)| *times).collect();
        let outcome = Outcome::of(spec.expectation, watched.run.is_some(), false, &held);
        let spent = counted(self.explored.steps as usize, "step");
        let why = match (&watched.run, spec.expectation) {
            (Some(_), Expectation::Possible) => format!("a run came up at step {}", watched.first_step),
            (Some(_), _) => format!("a run violates it, first at step {}", watched.first_step),
            (None, Expectation::Possible) => format!("no run in {spent} of exploring"),
            (None, _) => format!("no violation in {spent} of exploring"),
        };
        let why = match watched.closest.filter(|_| watched.run.is_none()) {
            Some(steps) => format!("{why}; it came within {} of one", counted(steps as usize, "step")),
            None => why,
        };
        let why = match watched.steered {
            0 => why,
            episodes => {
                format!("{why}; {} steered towards a violation", counted(episodes as usize, "episode"))
            }
        };
        let exit = match outcome {
            Outcome::Passed => Exit::Passed,
            _ => Exit::Failed,
        };
        let mut decided = Decided::new(outcome, why, exit);
        decided.ended.steps = self.explored.steps;
        decided.ended.episodes = self.explored.episodes;
        decided.ended.reach = Some(Reached {
            held: watched.held.clone(),
            screens: self.explored.last().screens,
            ..Reached::default()
        });
        match &watched.run {
            Some(run) => {
                decided.ended.why += of_typed_text(spec, run);
                decided.run = Some(run.clone());
                self.keep(file, spec, decided, outputs)
            }
            None => {
                outputs.spec(self.began(file, spec), decided)?;
                Ok(exit)
            }
        }
    }

    fn began(&self, file: &str, spec: &Spec) -> SpecBegan {
        let set_up = self.app.set_up_actions();
        began(file, spec, self.plan.agent.name, self.plan.steps_max, self.explored.episodes, set_up)
    }

    /// Returns the path of the test of a spec, and the same as it is shown.
    fn test_place(&self, file: &str, spec: &Spec) -> (PathBuf, String) {
        let Place { args, project, specs, .. } = *self.place;
        let path = Path::new(if file == CRASHES { CRASHES_FILE } else { file });
        let specs = specs.iter().filter(|given| given.judged.source.name() == file);
        // Each crash has a name of its own; a spec shares its file with others.
        let names = specs.map(|given| &*given.spec.name).chain([&*spec.name]);
        let place = Places::new(&project.folder, path, names).of(&spec.name);
        let folder = args.outputs.place.folder(project);
        (folder.join(&place), place.display().to_string())
    }

    /// Shrinks, reproduces and stores the run of `decided`, and returns the exit code for it.
    fn keep(
        &self,
        file: &str,
        spec: &Spec,
        mut decided: Decided,
        outputs: &mut Outputs<'_>,
    ) -> anyhow::Result<Exit> {
        let Place { args, project, .. } = *self.place;
        while let Err(error) = keep_run(&self.deciding, self.app, spec, &mut decided) {
            if !error.is_lost() {
                return Err(failed(&error));
            }
            // Another device goes on; without any, the run is kept as it was found.
            warn(&error.to_string());
        }
        let from = match file {
            CRASHES => CRASHES.to_string(),
            file => crate::app::from(&project.folder, Path::new(file)),
        };
        let provenance = Provenance {
            episodes: self.explored.episodes,
            steps: self.explored.steps,
            ..decided.provenance(self.plan, self.app, args.app.to_type(project), from)
        };
        let keeping = decided.keeping.as_ref().expect("a run was kept");
        let test = self.app.test(spec, &keeping.captured, provenance);
        let (path, shown) = self.test_place(file, spec);
        let old = if args.kept.update { Stored::IsReplaced } else { Stored::Stays };
        let prepared = Prepared::new(self.batch, path, shown.clone(), test, old);
        decided.ended.test = outputs.keep(self.batch, prepared).then_some(shown);
        let exit = decided.exit();
        outputs.spec(self.began(file, spec), decided)?;
        Ok(exit)
    }
}
