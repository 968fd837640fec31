//! The flags of a search, and the plan they make.

use std::path::{Path, PathBuf};
use std::thread;

use clap::{Args, ValueEnum};
use farlead::agent::{AgentInfo, FarleadSettings, Settings};
use farlead::objective::Shaping;
use farlead::rng::Seed;
use farlead::search::{Dictionary, EPISODES_MAX, Plan};
use farlead::situation::Switches;
use farlead::spec::{Judgement, Spec, shown_path};

use crate::agents::AbstractionName;
use crate::progress::duration_ms;
use crate::project::{Project, TEXTS_MAX, Texts};
use crate::secrets::SecretTexts;
use crate::sources;
use crate::{Mistake, Usage};

/// More steps than any run is worth.
const STEPS_MAX: i64 = 100_000;

/// Steps that a run may have beyond the shortest one that the formula allows, unless someone sets the most.
const STEPS_TO_SPARE: u32 = 10;

/// Longest episodes that nobody asked for, in those by habit.
const GROWTH_MAX: u32 = 4;

/// Budget of a search, and its source of chance.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Seed of all chance [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Most episodes of a spec [default: of the spec, else 500]
    #[arg(long, value_name = "E", value_parser = clap::value_parser!(u32).range(1..))]
    episodes: Option<u32>,
    /// Most steps of an episode, the start included [default: of the spec, else 10 more than needed]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=STEPS_MAX))]
    steps: Option<u32>,
    /// Most time for a spec on the device's clock, like 90s, 20min or 2h
    #[arg(long, value_name = "TIME", value_parser = duration_ms)]
    timeout: Option<u64>,
    /// Dictionary: farlead types each of its lines into fields [default: that of the model, if it has one]
    #[arg(long, value_name = "FILE")]
    texts: Option<PathBuf>,
    /// Settings of the agent farlead: few-failures or few-steps
    #[arg(long, value_enum, help_heading = "Research", hide_possible_values = true, default_value_t = Setting::FewFailures)]
    setting: Setting,
    /// Abstraction of screens: looks, places, ape or activity [default: places for the planner, ape for ape, else
    /// looks]
    #[arg(long, value_name = "A", value_enum, help_heading = "Research", hide_possible_values = true)]
    abstraction: Option<AbstractionName>,
    /// Improvements to switch on; docs/checking.md lists them
    #[arg(
        long,
        value_name = "SWITCH",
        value_enum,
        value_delimiter = ',',
        help_heading = "Research",
        hide_possible_values = true
    )]
    with: Vec<Switch>,
    /// Improvements to switch off
    #[arg(
        long,
        value_name = "SWITCH",
        value_enum,
        value_delimiter = ',',
        help_heading = "Research",
        hide_possible_values = true
    )]
    without: Vec<Switch>,
    /// Specs or runs at a time; results are the same for any number [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
}

/// Parameters that the paper leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Setting {
    FewFailures,
    FewSteps,
}

/// Switches of the loop and of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Reward for a step that changes the residual
    Shaping,
    /// Reward for a step nearer to the goal, in place of shaping
    Distances,
    /// Leave out actions whose labels alone violate the formula
    Prediction,
    /// Prefer actions whose labels alone cannot violate it (needs prediction)
    SureActions,
    /// End an episode that can no longer reach the goal
    Restart,
    /// Values depend on the residual (farlead)
    Residual,
    /// Values depend on the tail, the last step before the screen (farlead)
    Tails,
    /// A new decision starts from the values of its action elsewhere (farlead)
    ActionLabels,
    /// Double Q-learning: two tables of values (farlead)
    DoubleQ,
    /// Eligibility traces: earlier decisions learn too (farlead)
    Traces,
    /// Knowledge of what actions do in most apps (planner)
    Habits,
    /// Words that a widget shares with the formula (planner)
    Names,
    /// Effects of an action on other screens of the activity (planner)
    Sharing,
    /// Actions that the formula names come before others (planner)
    Naming,
    /// Chances that remain if a step has another effect than hoped (planner)
    Survival,
}

impl Switch {
    /// Switches this on or off.
    pub fn set(self, plan: &mut Plan, on: bool) {
        let Plan { shaping, switches, settings, .. } = plan;
        let Switches { prediction, sure_actions, restart_hopeless } = switches;
        let Settings { farlead, planner, .. } = settings;
        match self {
            Switch::Shaping => *shaping = if on { Shaping::Atoms } else { Shaping::None },
            Switch::Distances => {
                *shaping = match (on, *shaping) {
                    (true, _) => Shaping::Distance,
                    // Distances stand in place of the rewards by atoms, which come back without them.
                    (false, Shaping::Distance) => Shaping::Atoms,
                    (false, other) => other,
                }
            }
            Switch::Prediction => *prediction = on,
            Switch::SureActions => *sure_actions = on,
            Switch::Restart => *restart_hopeless = on,
            Switch::Residual => farlead.residual = on,
            Switch::Tails => farlead.tail = usize::from(on),
            Switch::ActionLabels => farlead.action_labels = on,
            Switch::DoubleQ => farlead.double_q = on,
            Switch::Traces => farlead.traces = on,
            Switch::Habits => planner.habits = on,
            Switch::Names => planner.names = on,
            Switch::Sharing => planner.sharing = on,
            Switch::Naming => planner.naming = on,
            Switch::Survival => planner.survival = on,
        }
    }

    /// Returns the switches that `agent` alone has.
    pub fn of_agent(agent: &AgentInfo) -> Vec<Switch> {
        agent.own_switches.iter().filter_map(|name| Switch::from_str(name, false).ok()).collect()
    }

    /// The switch as it is written.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
    }
}

impl SearchArgs {
    /// The seed.
    pub fn seed(&self, project: &Project) -> Seed {
        self.seed.or(project.seed).map(Seed).unwrap_or_default()
    }

    /// Returns the number of threads.
    pub fn jobs(&self) -> usize {
        threads(self.jobs)
    }

    /// Returns the number of specs or runs at a time, if the user says it.
    pub fn jobs_said(&self) -> Option<u32> {
        self.jobs
    }

    /// Returns the texts to type besides those of specs, if the user names any.
    pub fn texts(&self, project: &Project) -> anyhow::Result<Option<Vec<String>>> {
        texts(self.texts.as_deref(), project)
    }

    /// Returns the texts of farlead.toml and the dictionary that may name secrets.
    pub fn secret_texts(&self, project: &Project) -> anyhow::Result<SecretTexts> {
        let mut texts = SecretTexts::of(project)?;
        if let Some(path) = &self.texts {
            texts.add_dictionary(path)?;
        }
        Ok(texts)
    }

    /// Returns the plan of `agent` for specs that say nothing themselves.
    pub fn plan(
        &self,
        project: &Project,
        agent: &'static AgentInfo,
        texts: &Dictionary,
    ) -> Result<Plan, Usage> {
        if let Some(both) = self.with.iter().find(|switch| self.without.contains(switch)) {
            return Err(Usage::new(format!("`{}` is asked for with and without", both.name())));
        }
        let farlead = match self.setting {
            Setting::FewFailures => FarleadSettings::FEW_FAILURES,
            Setting::FewSteps => FarleadSettings::FEW_STEPS,
        };
        let base = Plan::new(agent);
        let mut plan = Plan {
            settings: Settings { farlead, ..base.settings },
            abstraction: self.abstraction.map_or(base.abstraction, |AbstractionName(info)| info),
            timeout_ms: self.timeout,
            seed: self.seed(project),
            texts: texts.clone(),
            rules: project.rules.clone(),
            ..base
        };
        self.with.iter().for_each(|switch| switch.set(&mut plan, true));
        self.without.iter().for_each(|switch| switch.set(&mut plan, false));
        Ok(plan)
    }

    /// Returns the most steps of an episode, if they are given.
    pub fn steps_given(&self) -> Option<u32> {
        self.steps
    }

    /// Returns the budget for `spec`: what is asked for here, else by the spec, else by the project, else by habit.
    pub fn budget(&self, project: &Project, spec: &Spec, judgement: &Judgement) -> Result<Budget, Usage> {
        let shortest = judgement.shortest.unwrap_or(1);
        // The project speaks of all specs, and a formula that takes more steps could never be reached.
        let of_project = project.steps.map(|steps| steps.max(shortest));
        let by_habit = shortest.saturating_add(STEPS_TO_SPARE);
        let steps_given = self.steps.or(spec.budget.steps_max).or(of_project);
        let steps_max = steps_given.unwrap_or(by_habit);
        let steps_limit = match steps_given {
            Some(_) => None,
            None => Some(by_habit.saturating_mul(GROWTH_MAX)),
        };
        if let Some(steps) = self.steps.filter(|&steps| steps < shortest) {
            let name = &spec.name;
            return Err(Usage::new(format!(
                "`--steps {steps}` is too few for {name:?}: its formula takes {shortest} steps at least, the start included"
            )));
        }
        let episodes = self.episodes.or(spec.budget.episodes_max).or(project.episodes);
        let episodes_max = episodes.unwrap_or(EPISODES_MAX);
        Ok(Budget { steps_max, steps_limit, episodes_max })
    }
}

/// Returns the texts of the dictionary at `path`, else those of `project`, if there are any.
pub fn texts(path: Option<&Path>, project: &Project) -> anyhow::Result<Option<Vec<String>>> {
    match (path, &project.texts) {
        (Some(path), _) => dictionary(path).map(Some),
        (None, Some(Texts::File(path))) => dictionary(path).map(Some),
        (None, Some(Texts::All(texts))) => Ok(Some(texts.clone())),
        (None, None) => Ok(None),
    }
}

/// Returns the number of threads: that of `--jobs`, else the number of cores.
pub fn threads(jobs: Option<u32>) -> usize {
    match jobs {
        Some(jobs) => jobs as usize,
        None => thread::available_parallelism().map_or(1, usize::from),
    }
}

/// Most steps and episodes of a search.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Most steps of an episode.
    pub steps_max: u32,
    /// Most steps that episodes may grow to, if nobody said how many there are.
    pub steps_limit: Option<u32>,
    /// Most episodes.
    pub episodes_max: u32,
}

fn dictionary(path: &Path) -> anyhow::Result<Vec<String>> {
    let source = sources::read_text(path)?;
    // The empty text is among the built-in ones.
    let words: Vec<String> =
        source.text().lines().filter(|line| !line.is_empty()).map(str::to_string).collect();
    if words.len() > TEXTS_MAX {
        let message = format!(
            "{} has {} lines; each is tried in every field, so {TEXTS_MAX} are the most",
            shown_path(path),
            words.len()
        );
        return Err(Mistake::new(message).into());
    }
    Ok(words)
}
