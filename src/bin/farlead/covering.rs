//! `farlead compare` without specs: compares how much agents cover when they explore.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use farlead::report::{Compared, Mark, Panel, compared_html};
use farlead::rng::Seed;
use farlead::search::{Budget, Contender, Covered, Dictionary, Rounds, Venture, compare_exploring, mean};
use farlead::spec::printable;
use farlead::statistics::area_under_curve;
use farlead::store;
use serde::Serialize;

use crate::app::OpenedApp;
use crate::baseline::{EXPLORATIONS, Group, Measured, Tests, tests};
use crate::compare::{CompareArgs, MARKS, contenders, page_tables, quoted, write_lines};
use crate::deciding::failed;
use crate::explore::STEPS_MAX;
use crate::lint::counted;
use crate::progress::{Progress, interrupted_exit, interruption, left};
use crate::project::Project;
use crate::sources::{self, Shell};
use crate::stdout::out;
use crate::{Exit, Missing};

/// A row of the table: means over the runs of an agent on an app.
#[derive(Serialize)]
struct Row {
    app: String,
    agent: String,
    runs: usize,
    area_mean: f64,
    area_share: f64,
    activities_mean: f64,
    screens_mean: f64,
    done_mean: f64,
    transitions_mean: f64,
    crashes_mean: f64,
    device_ms_mean: f64,
}

const HEADINGS: [&str; 10] = [
    "app",
    "agent",
    "runs",
    "area",
    "share",
    "activities",
    "screens",
    "actions done",
    "transitions",
    "crashes",
];

impl Row {
    fn new(app: &str, agent: &str, runs: &[Covered], most: usize) -> Row {
        let mean_of = |number: &dyn Fn(&Covered) -> u64| mean(&runs.iter().map(number).collect::<Vec<_>>());
        let areas: Vec<f64> = runs.iter().map(area).collect();
        let area_mean = areas.iter().sum::<f64>() / areas.len().max(1) as f64;
        // All activities from the first step on would fill this area.
        let whole = mean_of(&|run| run.actions.saturating_sub(2)) * most as f64;
        Row {
            app: printable(app),
            agent: agent.to_string(),
            runs: runs.len(),
            area_mean,
            area_share: if whole > 0.0 { area_mean / whole } else { 0.0 },
            activities_mean: mean_of(&|run| run.last.activities as u64),
            screens_mean: mean_of(&|run| run.last.screens as u64),
            done_mean: mean_of(&|run| run.last.done as u64),
            transitions_mean: mean_of(&|run| run.last.transitions as u64),
            crashes_mean: mean_of(&|run| run.faults as u64),
            device_ms_mean: mean_of(&|run| run.device_ms),
        }
    }

    fn cells(&self) -> Vec<String> {
        let mut cells = vec![self.app.clone(), self.agent.clone(), self.runs.to_string()];
        cells.push(format!("{:.0}", self.area_mean));
        cells.push(format!("{:.1}%", 100.0 * self.area_share));
        let means = [
            self.activities_mean,
            self.screens_mean,
            self.done_mean,
            self.transitions_mean,
            self.crashes_mean,
        ];
        cells.extend(means.map(|mean| format!("{mean:.1}")));
        cells
    }
}

/// Returns the area under the curve of activities.
fn area(run: &Covered) -> f64 {
    area_under_curve(run.reached.iter().copied(), run.actions)
}

pub fn run(args: &CompareArgs, mut project: Project, shell: &Shell) -> anyhow::Result<Exit> {
    project.secrets = args.search.secret_texts(&project)?.read()?;
    let mut apps = vec![args.app.open(&project, shell)?];
    for model in &args.also {
        apps.push(args.app.open_model(model, &project, shell)?);
    }
    for app in &apps {
        app.check_rules(&project)?;
    }
    let models = args.also.iter().map(|path| path.as_path());
    for path in args.csv.iter().chain(&args.html) {
        sources::refuse_to_overwrite(path, models.clone())?;
    }
    let given = args.search.texts(&project)?;
    let steps_max = args.search.steps_given().unwrap_or(STEPS_MAX);
    let contenders: Vec<Contender> = contenders(args, &project, &Dictionary::default())?
        .into_iter()
        .map(|Contender { name, mut plan }| {
            plan.steps_max = steps_max;
            Contender { name, plan }
        })
        .collect();
    let agents: Vec<&str> = contenders.iter().map(|contender| &*contender.name).collect();
    let seed = args.search.seed(&project);
    let against = args.against(&agents, seed, &EXPLORATIONS)?;
    let interrupted = interruption();
    args.wall.limit(&interrupted);
    let progress = Progress::new(!shell.quiet);
    let begun = Instant::now();
    let devices: Vec<_> = apps.iter().map(|app| move |seed: Seed| app.device(seed)).collect();
    let ventures: Vec<Venture<'_>> = apps
        .iter()
        .zip(&devices)
        .map(|(app, device)| Venture { device, texts: app.dictionary(given.clone()) })
        .collect();
    let budget = Budget {
        steps_max: args.budget,
        until_quiet: None,
        is_walk: false,
        pays: args.reward.pays(),
        keeps_steps: true,
        steers: true,
    };
    // Of several apps all are models, which run anywhere; a single one may be on devices.
    let jobs = apps[0].jobs(args.search.jobs());
    let whole = compare_exploring(
        &ventures,
        &contenders,
        Rounds { runs: args.runs, seed, jobs },
        budget,
        &|| interrupted.load(Ordering::Relaxed),
        &mut |done, whole| {
            progress.say(|_| {
                let left = left(done as f64, whole as f64, begun.elapsed().as_secs_f64());
                format!("{done} of {whole} runs, {left} left")
            });
        },
    );
    progress.clear();
    let Some(runs) = whole.map_err(|error| failed(&error))? else { return Ok(interrupted_exit()) };
    let names: Vec<String> = apps.iter().map(|app| printable(&app.app().package)).collect();
    let (mut rows, mut groups) = (Vec::new(), Vec::new());
    for ((name, app), runs) in names.iter().zip(&apps).zip(&runs) {
        let seen = runs.iter().flatten().map(|run| run.last.activities).max().unwrap_or(0);
        let most = app.app().activities.len().max(seen);
        rows.extend(agents.iter().zip(runs).map(|(agent, runs)| Row::new(name, agent, runs, most)));
        let areas = runs.iter().map(|runs| runs.iter().map(area).collect()).collect();
        groups.push(Group { file: name.clone(), spec: String::new(), measured: Measured::Areas(areas) });
    }
    let tests = tests(&groups, &against);
    if let Some(path) = &args.csv {
        write_csv(path, &rows)?;
    }
    if let Some(path) = &args.html {
        let page = page(args, &apps, &agents, (&runs, &groups), &tests, write_table(&rows)?)?;
        store::write(path, compared_html(&page).as_bytes())
            .map_err(|error| Missing::new(error.to_string()))?;
    }
    let mut out = BufWriter::new(out());
    if args.json {
        for row in &rows {
            writeln!(out, "{}", serde_json::to_string(row)?)?;
        }
        tests.write_json(&mut out)?;
    } else {
        if !shell.quiet {
            let described: Vec<String> = apps.iter().map(OpenedApp::describe).collect();
            writeln!(out, "device: {}", described.join("; "))?;
        }
        out.write_all(&write_table(&rows)?)?;
        tests.write(&mut out, !shell.quiet)?;
    }
    out.flush()?;
    Ok(Exit::Passed)
}

fn write_table(rows: &[Row]) -> anyhow::Result<Vec<u8>> {
    let mut lines = vec![HEADINGS.map(str::to_string).to_vec()];
    lines.extend(rows.iter().map(Row::cells));
    let mut table = Vec::new();
    write_lines(&mut table, 2, &lines)?;
    writeln!(
        table,
        "area: under the curve of activities over steps; share: of all activities from the first step on"
    )?;
    Ok(table)
}

fn write_csv(path: &Path, rows: &[Row]) -> anyhow::Result<()> {
    let mut text = String::from(
        "app,agent,runs,area_mean,area_share,activities_mean,screens_mean,done_mean,transitions_mean,crashes_mean,device_ms_mean\n",
    );
    for row in rows {
        text += &format!(
            "{},{},{},{},{},{},{},{},{},{},{}\n",
            quoted(&row.app),
            quoted(&row.agent),
            row.runs,
            row.area_mean,
            row.area_share,
            row.activities_mean,
            row.screens_mean,
            row.done_mean,
            row.transitions_mean,
            row.crashes_mean,
            row.device_ms_mean,
        );
    }
    store::write(path, text.as_bytes()).map_err(|error| Missing::new(error.to_string()))?;
    Ok(())
}

/// Returns the comparison as its page shows it.
fn page(
    args: &CompareArgs,
    apps: &[OpenedApp],
    agents: &[&str],
    (runs, groups): (&[Vec<Vec<Covered>>], &[Group]),
    tests: &Tests<'_>,
    table: Vec<u8>,
) -> anyhow::Result<Compared> {
    let panel = |(at, (group, runs)): (usize, (&Group, &Vec<Vec<Covered>>))| Panel {
        name: group.file.clone(),
        curves: runs.iter().map(|runs| curve(runs)).collect(),
        samples: runs.iter().map(|runs| runs.iter().map(area).collect()).collect(),
        effects: (0..agents.len()).map(|agent| tests.effect(at, agent)).collect(),
    };
    let tables = page_tables(&table, tests)?;
    let described: Vec<String> = apps.iter().map(OpenedApp::describe).collect();
    Ok(Compared {
        title: format!("{} explore {}", agents.join(", "), counted(apps.len(), "app")),
        facts: vec![
            ("apps".to_string(), described.join("; ")),
            ("runs of each agent on each app".to_string(), args.runs.to_string()),
            ("steps of a run".to_string(), args.budget.to_string()),
            ("baseline".to_string(), agents[tests.baseline()].to_string()),
        ],
        agents: agents.iter().map(ToString::to_string).collect(),
        baseline: tests.baseline(),
        panels: groups.iter().zip(runs).enumerate().map(panel).collect(),
        unit: "area under the curve".to_string(),
        axes: ("actions".to_string(), "activities seen, with the standard error".to_string(), None),
        tables,
    })
}

/// Returns the mean number of activities over the actions of these runs, with its standard error.
fn curve(runs: &[Covered]) -> Vec<Mark> {
    let most = runs.iter().map(|run| run.actions).max().unwrap_or(0);
    let stride = most.div_ceil(MARKS).max(1);
    (0..=most.div_ceil(stride))
        .map(|at| {
            let actions = (at * stride).min(most);
            let seen =
                |run: &Covered| run.reached.iter().filter(|&&reached| reached <= actions).count() as f64;
            let counts: Vec<f64> = runs.iter().map(seen).collect();
            let number = counts.len().max(1) as f64;
            let y = counts.iter().sum::<f64>() / number;
            let spread = counts.iter().map(|count| (count - y) * (count - y)).sum::<f64>();
            let error = (spread / (number - 1.0).max(1.0) / number).sqrt();
            Mark { x: actions as f64, y, low: y - error, high: y + error }
        })
        .collect()
}
