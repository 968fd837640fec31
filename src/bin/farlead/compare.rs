//! `farlead compare`: compares agents on the same specs with the same seeds.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args;
use farlead::gui::UserAction;
use farlead::rate::Rate;
use farlead::report::{Compared as ComparedPage, Mark, Panel, compared_html};
use farlead::rng::Seed;
use farlead::search::{Compared, Contender, Dictionary, Plan, Rounds, Tally, Task, compare, mean, median};
use farlead::spec::{Level, printable, shown_path};
use farlead::store;
use serde::Serialize;

use crate::agents::{Entrant, Entrants, EntrantsParser};
use crate::app::{AppArgs, OpenedApp};
use crate::baseline::{Against, Group, Measured, SEARCHES, Tests, Words, steps, tests};
use crate::covering;
use crate::deciding::failed;
use crate::explore::Reward;
use crate::lint::counted;
use crate::outputs::warn;
use crate::progress::{Progress, WallArgs, interrupted_exit, interruption, left};
use crate::project::Project;
use crate::searching::{Budget, SearchArgs, Switch};
use crate::set_up::SetUpArgs;
use crate::sources::{self, Judged, Shell};
use crate::stdout::out;
use crate::{Exit, Missing, Mistake, Usage};

/// Compare agents: how often they fail, and how many steps they take.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead compare specs/chesswalk --app apps/chesswalk.app --agents planner,farlead,random
  farlead compare specs/chesswalk --app apps/chesswalk.app --agents farlead --ablate --csv worth.csv
  farlead compare specs/chesswalk --app apps/chesswalk.app --agents 'farlead;qlearning:epsilon=.1,.3'
  farlead compare --app apps/notes.app --agents planner,random,least --runs 20 --html explored.html

Run n of each agent on each spec has the seed --seed + n - 1. In means, a run that fails counts
with the steps it took, and the mean has a mark (*). The rows `all a`, `all b`, `all c` put the
specs of a level together. Below them, each agent is tested against the first, spec by spec;
docs/checking.md says how to read the tests.

Exit codes: 0 compared; 2 command line; 3 a spec or model is missing or has mistakes; 4 no device, or
the disk; 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP (finished rows are written).")]
pub struct CompareArgs {
    /// Spec files, or folders of .ltl and .feature files; without any, the agents explore the app
    #[arg(value_name = "SPEC")]
    specs: Vec<PathBuf>,
    #[command(flatten, next_help_heading = "App")]
    pub app: AppArgs,
    /// Without specs, explore this model as well, may be repeated
    #[arg(long, value_name = "MODEL", conflicts_with = "specs", help_heading = "App")]
    pub also: Vec<PathBuf>,
    #[command(flatten, next_help_heading = "App")]
    set_up: SetUpArgs,
    /// Without specs, most steps of a run
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "specs", help_heading = "Comparison")]
    pub budget: u64,
    /// Without specs, rewards of agents that learn from them
    #[arg(long, value_name = "R", value_enum, default_value_t = Reward::Novelty, conflicts_with = "specs", help_heading = "Comparison")]
    pub reward: Reward,
    /// Compare only on the spec of this name, or scenarios with this tag
    #[arg(long, value_name = "NAME", help_heading = "Comparison")]
    only: Option<String>,
    /// Agents, some with settings, as in `planner;farlead:abstraction=places;qlearning:epsilon=.1,.3`
    #[arg(long, value_parser = EntrantsParser, default_value = "planner,farlead,tree,random", hide_possible_values = true, help_heading = "Comparison")]
    agents: Vec<Entrants>,
    /// Runs of each agent on each spec
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000), help_heading = "Comparison")]
    pub runs: u32,
    /// Also compare each agent with each improvement switched over, and with all of them off
    #[arg(long, help_heading = "Comparison")]
    pub ablate: bool,
    /// Agent that the tests compare all others with [default: the first]
    #[arg(long, value_name = "NAME", help_heading = "Comparison")]
    baseline: Option<String>,
    /// Test runs by Mann-Whitney, not as pairs with the same seed by Wilcoxon
    #[arg(long, help_heading = "Comparison")]
    pub unpaired: bool,
    #[command(flatten, next_help_heading = "Search")]
    pub search: SearchArgs,
    #[command(flatten, next_help_heading = "Search")]
    pub wall: WallArgs,
    /// Write the table to this file as CSV
    #[arg(long, value_name = "FILE", help_heading = "Comparison")]
    pub csv: Option<PathBuf>,
    /// Write a page with charts to this file: curves, box plots, a heat map of A12, failures
    #[arg(long, value_name = "FILE", help_heading = "Comparison")]
    pub html: Option<PathBuf>,
    /// Write JSON, one object for each row and each test
    #[arg(long, help_heading = "Comparison")]
    pub json: bool,
}

impl CompareArgs {
    fn entrants(&self) -> impl Iterator<Item = &Entrant> {
        self.agents.iter().flat_map(|entrants| &entrants.0)
    }

    /// Returns the way to compare `agents`.
    pub fn against<'a>(
        &self,
        agents: &'a [&'a str],
        seed: Seed,
        words: &'static Words,
    ) -> anyhow::Result<Against<'a>> {
        let baseline = self.baseline(agents)?;
        Ok(Against { agents, baseline, is_paired: !self.unpaired, seed, words })
    }

    /// Returns the place of the baseline among `agents`.
    fn baseline(&self, agents: &[&str]) -> anyhow::Result<usize> {
        let Some(name) = &self.baseline else { return Ok(0) };
        let place = agents.iter().position(|agent| agent == name);
        let all = || agents.iter().map(|agent| format!("`{agent}`")).collect::<Vec<_>>().join(", ");
        place.ok_or_else(|| {
            Usage::new(format!("the baseline `{name}` is none of the compared agents: {}", all())).into()
        })
    }
}

/// A row of the table.
#[derive(Serialize)]
struct Row {
    file: String,
    spec: String,
    agent: String,
    runs: usize,
    failures: u32,
    episodes_mean: f64,
    episodes_median: f64,
    episodes_max: u64,
    steps_mean: f64,
    steps_median: f64,
    steps_max: u64,
    found: u32,
    first_episode_share: f64,
    device_ms_mean: f64,
}

impl Row {
    fn new(file: &str, spec: &str, agent: &str, tally: &Tally) -> Row {
        let max = |numbers: &[u64]| numbers.iter().copied().max().unwrap_or(0);
        let runs = tally.steps.len();
        Row {
            // Names from files must not steer the terminal.
            file: printable(file),
            spec: printable(spec),
            agent: agent.to_string(),
            runs,
            failures: tally.failures(),
            episodes_mean: mean(&tally.episodes),
            episodes_median: median(&tally.episodes),
            episodes_max: max(&tally.episodes),
            steps_mean: mean(&tally.steps),
            steps_median: median(&tally.steps),
            steps_max: max(&tally.steps),
            found: runs as u32 - tally.failures(),
            first_episode_share: tally.found_at_once() as f64 / runs as f64,
            device_ms_mean: mean(&tally.device_ms),
        }
    }

    /// Returns the cells of the table, in which some means have a mark if `are_marked`.
    fn cells(&self, are_marked: bool) -> [String; COLUMNS] {
        let mark = match self.failures {
            0 if are_marked => " ",
            0 => "",
            _ => "*",
        };
        [
            self.file.clone(),
            self.spec.clone(),
            self.agent.clone(),
            self.runs.to_string(),
            self.found.to_string(),
            self.failures.to_string(),
            format!("{:.0}%", 100.0 * self.first_episode_share),
            format!("{:.1}{mark}", self.episodes_mean),
            format!("{:.1}", self.episodes_median),
            self.episodes_max.to_string(),
            format!("{:.1}{mark}", self.steps_mean),
            format!("{:.1}", self.steps_median),
            self.steps_max.to_string(),
        ]
    }
}

const COLUMNS: usize = 13;
const HEADINGS: [&str; COLUMNS] = [
    "file",
    "spec",
    "agent",
    "runs",
    "found",
    "failures",
    "first episode",
    "episodes mean",
    "median",
    "max",
    "steps mean",
    "median",
    "max",
];

pub fn run(args: &CompareArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut project = Project::find()?;
    if args.specs.is_empty() {
        return covering::run(args, project, shell);
    }
    let set_ups = args.set_up.read(&project, shell)?;
    let mut judged = Vec::new();
    for path in sources::expand(&args.specs)? {
        let one = sources::read(&path, &project)?;
        // A comparison over some of the specs would be taken for one over all.
        one.unless_mistaken(shell)?;
        judged.push(one);
    }
    let mut texts = args.search.secret_texts(&project)?;
    set_ups.add_to(&mut texts);
    judged.iter().for_each(|one| texts.add_specs(&one.source, &one.linted.file.specs));
    project.secrets = texts.read()?;
    let app = args.app.open(&project, shell)?;
    set_ups.check_app(&app.app())?;
    let specs = judged.iter().flat_map(|one| &one.linted.file.specs);
    let app = app.with_set_up(set_ups.all()).for_specs(specs);
    app.check_rules(&project)?;
    let texts = app.dictionary(args.search.texts(&project)?);
    let actions: Vec<Arc<[UserAction]>> =
        judged.iter().map(|one| one.linted.file.actions.clone().into()).collect();
    let (names, tasks) = tasks(args, &project, &app, &judged, &actions)?;
    let contenders = contenders(args, &project, &texts)?;
    let agents: Vec<&str> = contenders.iter().map(|contender| &*contender.name).collect();
    let seed = args.search.seed(&project);
    let against = args.against(&agents, seed, &SEARCHES)?;
    let interrupted = interruption();
    args.wall.limit(&interrupted);
    let progress = Progress::new(!shell.quiet);
    let begun = Instant::now();
    // Refused before the runs, which may take hours.
    for path in args.csv.iter().chain(&args.html) {
        sources::refuse_to_overwrite(path, judged.iter().map(|one| Path::new(one.source.name())))?;
    }
    let device = |seed: Seed| app.device(seed);
    let mut rows: Vec<Row> = Vec::new();
    // The closure below cannot return an error, so the first one waits here.
    let mut written = Ok(());
    let whole = compare(
        &tasks,
        &contenders,
        Rounds { runs: args.runs, seed, jobs: app.jobs(args.search.jobs()) },
        &device,
        &|| interrupted.load(Ordering::Relaxed),
        &mut |&Compared { done, whole, ended }| {
            progress.say(|_| {
                let left = left(done as f64, whole as f64, begun.elapsed().as_secs_f64());
                format!("{done} of {whole} runs, {left} left")
            });
            if let (Some((task, contender, tally)), true) = (ended, written.is_ok()) {
                let (file, spec) = names[task];
                rows.push(Row::new(file, spec, &contenders[contender].name, tally));
                progress.clear();
                written = write_row(args, &rows);
            }
        },
    );
    progress.clear();
    written?;
    let whole = whole.map_err(|error| failed(&error))?;
    // Rows with fewer runs than others could not be compared, so what was interrupted makes none.
    let exit = if whole.is_some() { Exit::Passed } else { interrupted_exit() };
    let first_sum = rows.len();
    let group = |((file, spec), tallies): (&(&str, &str), Vec<Tally>)| Group {
        file: printable(file),
        spec: printable(spec),
        measured: Measured::Searches(tallies),
    };
    let groups: Vec<Group> = names.iter().zip(whole.unwrap_or_default()).map(group).collect();
    rows.extend(sums(&tasks, &agents, &groups));
    let tests = tests(&groups, &against);
    let unmet = unmet(&groups);
    if let (Some(path), false) = (&args.csv, rows.is_empty()) {
        write_csv(path, &rows)?;
    }
    if let (Some(path), false) = (&args.html, groups.is_empty()) {
        let page = compared_html(&page(&app, &agents, args, seed, (&groups, &rows, &tests))?);
        store::write(path, page.as_bytes()).map_err(|error| Missing::new(error.to_string()))?;
    }
    let mut out = BufWriter::new(out());
    if args.json {
        for row in &rows[first_sum..] {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
        tests.write_json(&mut out)?;
    } else if !rows.is_empty() {
        if !shell.quiet {
            writeln!(out, "device: {}", app.describe())?;
        }
        write_table(&mut out, &rows)?;
        tests.write(&mut out, !shell.quiet)?;
        for line in unmet {
            writeln!(out, "{line}")?;
        }
    }
    out.flush()?;
    Ok(exit)
}

/// Writes the last of `rows` where a row can stand alone, so that a comparison that is killed loses no other.
fn write_row(args: &CompareArgs, rows: &[Row]) -> anyhow::Result<()> {
    if let Some(path) = &args.csv {
        write_csv(path, rows)?;
    }
    if let (true, Some(row)) = (args.json, rows.last()) {
        let mut out = out();
        writeln!(out, "{}", serde_json::to_string(row)?)?;
        out.flush()?;
    }
    Ok(())
}

type Names<'a> = Vec<(&'a str, &'a str)>;

fn tasks<'a>(
    args: &CompareArgs,
    project: &Project,
    app: &OpenedApp,
    judged: &'a [Judged],
    actions: &'a [Arc<[UserAction]>],
) -> anyhow::Result<(Names<'a>, Vec<Task<'a>>)> {
    let (mut names, mut tasks, mut strange) = (Vec::new(), Vec::new(), 0);
    let places = app.shown_places().unwrap_or_default();
    for (one, actions) in judged.iter().zip(actions) {
        for (spec, judgement) in one.linted.file.specs.iter().zip(&one.linted.judgements) {
            if args.only.as_ref().is_some_and(|only| !spec.is_called(only)) {
                continue;
            }
            let atoms = if places.is_empty() { Vec::new() } else { spec.strange_atoms(&places) };
            if !atoms.is_empty() {
                strange += 1;
                warn(&format!(
                    "{}: {:?} is left out, as this app never shows {}: is it a spec of another app?",
                    shown_path(Path::new(one.source.name())),
                    spec.name,
                    atoms.join(" or ")
                ));
                continue;
            }
            let Budget { steps_max, episodes_max, .. } = args.search.budget(project, spec, judgement)?;
            names.push((one.source.name(), &*spec.name));
            tasks.push(Task { spec, actions, steps_max, episodes_max });
        }
    }
    if tasks.is_empty() && strange > 0 {
        let package = &app.app().package;
        return Err(Mistake::new(format!("none of these specs can be about {package}")).into());
    }
    if tasks.is_empty() {
        let only = args.only.as_deref().unwrap_or_default();
        return Err(Usage::new(format!("there is no spec `{only}` in these files")).into());
    }
    Ok((names, tasks))
}

pub fn contenders(
    args: &CompareArgs,
    project: &Project,
    texts: &Dictionary,
) -> anyhow::Result<Vec<Contender>> {
    let mut contenders = Vec::new();
    for agent in args.entrants() {
        let mut plan = args.search.plan(project, agent.agent, texts)?;
        agent.set(&mut plan)?;
        contenders.push(Contender { name: agent.name.clone(), plan: plan.clone() });
        if args.ablate {
            contenders.extend(ablated(&agent.name, &plan));
        }
    }
    Ok(contenders)
}

/// The same agent with each switch turned over, and with all of them off.
fn ablated(name: &str, plan: &Plan) -> Vec<Contender> {
    // These are of the loop, so every agent has them; its own follow.
    let mut switches =
        vec![Switch::Shaping, Switch::Distances, Switch::Prediction, Switch::SureActions, Switch::Restart];
    switches.extend(Switch::of_agent(plan.agent));
    let mut contenders = Vec::new();
    for &switch in &switches {
        for on in [false, true] {
            let mut other = plan.clone();
            switch.set(&mut other, on);
            let all = |plan: &Plan| (plan.shaping, plan.switches, plan.settings);
            // A switch that is at this position already makes no other contender.
            if all(&other) != all(plan) {
                let sign = if on { '+' } else { '-' };
                contenders.push(Contender { name: format!("{name} {sign}{}", switch.name()), plan: other });
            }
        }
    }
    let mut bare = plan.clone();
    switches.iter().for_each(|switch| switch.set(&mut bare, false));
    contenders.push(Contender { name: format!("{name} bare"), plan: bare });
    contenders
}

/// Places of a curve.
pub const MARKS: u64 = 60;

/// Returns the tables of a page with their headings, without those that are empty.
pub fn page_tables(runs: &[u8], tests: &Tests<'_>) -> io::Result<Vec<(String, String)>> {
    let mut tested = Vec::new();
    tests.write(&mut tested, true)?;
    let table = |(heading, bytes): (&str, &[u8])| {
        (heading.to_string(), String::from_utf8_lossy(bytes).trim().to_string())
    };
    let tables = [("Runs", runs), ("Tests", &tested)].map(table).into_iter();
    Ok(tables.filter(|(_, table)| !table.is_empty()).collect())
}

/// Returns the comparison as its page shows it.
fn page(
    app: &OpenedApp,
    agents: &[&str],
    args: &CompareArgs,
    seed: Seed,
    (groups, rows, tests): (&[Group], &[Row], &Tests<'_>),
) -> anyhow::Result<ComparedPage> {
    let panel = |(at, group): (usize, &Group)| {
        let most = group.tallies().iter().flat_map(|tally| &tally.steps).copied().max().unwrap_or(1);
        Panel {
            name: format!("{} {}", group.file, group.spec),
            curves: group.tallies().iter().map(|tally| found_by(tally, most)).collect(),
            samples: group.tallies().iter().map(steps).collect(),
            effects: (0..agents.len()).map(|agent| tests.effect(at, agent)).collect(),
        }
    };
    let mut table = Vec::new();
    write_table(&mut table, rows)?;
    let tables = page_tables(&table, tests)?;
    Ok(ComparedPage {
        title: format!("{} on {}", agents.join(", "), counted(groups.len(), "spec")),
        facts: vec![
            ("app".to_string(), app.describe()),
            ("runs of each agent on each spec".to_string(), args.runs.to_string()),
            ("first seed".to_string(), seed.0.to_string()),
            ("baseline".to_string(), agents[tests.baseline()].to_string()),
        ],
        agents: agents.iter().map(ToString::to_string).collect(),
        baseline: tests.baseline(),
        panels: groups.iter().enumerate().map(panel).collect(),
        unit: "steps".to_string(),
        axes: ("steps on the device".to_string(), "share of runs that have found it".to_string(), Some(1.0)),
        tables,
    })
}

/// Returns the share of runs that have found it over the steps up to `most`, with its 95 % interval.
fn found_by(tally: &Tally, most: u64) -> Vec<Mark> {
    let runs = tally.steps.len() as u32;
    let stride = most.div_ceil(MARKS).max(1);
    (0..=most.div_ceil(stride))
        .map(|at| {
            let steps = at * stride;
            let is_found = |(taken, failed): (&u64, &bool)| !failed && *taken <= steps;
            let passes = tally.steps.iter().zip(&tally.failed).filter(|&run| is_found(run)).count() as u32;
            let (low, high) = Rate { passes, runs }.interval();
            Mark { x: steps as f64, y: f64::from(passes) / f64::from(runs.max(1)), low, high }
        })
        .collect()
}

/// Most atoms named in a line.
const ATOMS_MAX: usize = 5;

/// Returns a line for each spec that no run met, with the atoms that never held: it may be a spec of another app.
fn unmet(groups: &[Group]) -> Vec<String> {
    let is_met = |group: &&Group| group.tallies().iter().any(|tally| tally.failed.contains(&false));
    let line = |group: &Group| {
        let mut held: BTreeMap<&str, u64> = BTreeMap::new();
        for (name, times) in group.tallies().iter().flat_map(|tally| &tally.held) {
            *held.entry(name.as_str()).or_default() += times;
        }
        let never: Vec<&str> = held.iter().filter(|(_, times)| **times == 0).map(|(name, _)| *name).collect();
        let more = if never.len() > ATOMS_MAX { ", ..." } else { "" };
        let Group { file, spec, .. } = group;
        let shown: Vec<String> = never.iter().take(ATOMS_MAX).map(|name| printable(name)).collect();
        let said = format!("{file} {spec}: no run met it, and {}{more} never held", shown.join(", "));
        (!never.is_empty()).then_some(said)
    };
    groups.iter().filter(|group| !is_met(group)).filter_map(line).collect()
}

/// Returns the rows that put the specs of a level together.
fn sums(tasks: &[Task<'_>], agents: &[&str], groups: &[Group]) -> Vec<Row> {
    let mut rows = Vec::new();
    for level in [Level::A, Level::B, Level::C] {
        let members = || tasks.iter().zip(groups).filter(|(task, _)| task.spec.level() == level);
        // The sum over a single spec would repeat its row.
        if members().count() < 2 {
            continue;
        }
        for (at, agent) in agents.iter().enumerate() {
            let mut whole = Tally::default();
            members().for_each(|(_, of_spec)| whole.add(&of_spec.tallies()[at]));
            rows.push(Row::new("all", &level.to_string(), agent, &whole));
        }
    }
    rows
}

fn write_table(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    let has_failures = rows.iter().any(|row| row.failures > 0);
    let mut lines: Vec<Vec<String>> = vec![HEADINGS.map(str::to_string).to_vec()];
    lines.extend(rows.iter().map(|row| row.cells(has_failures).to_vec()));
    write_lines(out, 3, &lines)?;
    if has_failures {
        writeln!(out, "* with failed runs, which count as long as they took: the true mean is larger")?;
    }
    Ok(())
}

/// Writes `lines` with columns of one width: the first `names` to the left, numbers to the right.
pub fn write_lines(out: &mut impl Write, names: usize, lines: &[Vec<String>]) -> io::Result<()> {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for line in lines {
        let mut text = String::new();
        for (column, (cell, &width)) in line.iter().zip(&widths).enumerate() {
            text += &if column < names { format!("{cell:width$}  ") } else { format!("{cell:>width$}  ") };
        }
        writeln!(out, "{}", text.trim_end())?;
    }
    Ok(())
}

/// Returns `text` as a cell of CSV.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn write_csv(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let mut text = String::from(
        "file,spec,agent,runs,failures,episodes_mean,episodes_median,episodes_max,steps_mean,steps_median,steps_max,\
         found,first_episode_share,device_ms_mean\n",
    );
    for row in rows {
        let Row { runs, failures, episodes_max, steps_max, found, .. } = row;
        // Means have all their digits here, as programs read this file.
        text += &format!(
            "{},{},{},{runs},{failures},{},{},{episodes_max},{},{},{steps_max},{found},{},{}\n",
            quoted(&row.file),
            quoted(&row.spec),
            quoted(&row.agent),
            row.episodes_mean,
            row.episodes_median,
            row.steps_mean,
            row.steps_median,
            row.first_episode_share,
            row.device_ms_mean,
        );
    }
    store::write(path, text.as_bytes()).map_err(|error| Missing::new(error.to_string()))?;
    Ok(())
}
