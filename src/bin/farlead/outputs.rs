//! Outputs of commands: results on stdout, the run folder, reports, stored tests.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use farlead::device::Album;
use farlead::event::{self, Coverage, Event, RunBegan, Shard, SpecBegan, StepTaken, Way};
use farlead::gui::Screen;
use farlead::keep;
use farlead::learned_model::Mapped;
use farlead::ltl::Automaton;
use farlead::minimise;
use farlead::report::{self, Run, Wanted};
use farlead::rng::Seed;
use farlead::spec::{Source, Spec, printable, shown_path};
use farlead::store::{self, Batch, Outcomes, RunWriter, Runs, ScreenNumbers, Staged, WriteError};
use farlead::test_case::{self, TestCase};
use farlead::trace::Trace;

use crate::app::OpenedApp;
use crate::deciding::Decided;
use crate::project::Project;
use crate::sources::{self, Shell};
use crate::stdout::{Out, out};
use crate::{Exit, Missing};

/// Most residuals of an automaton that is drawn.
const RESIDUALS_MAX: usize = 40;

/// The map of an explored app in the folder of its run, as a page and as a picture.
const MAP_PAGE: &str = "map.html";
const MAP_PICTURE: &str = "map.svg";

/// Place of what is kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reports")]
pub struct PlaceArgs {
    /// Folder of farlead-tests/ and .farlead/ [default: that of farlead.toml, else the current one]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl PlaceArgs {
    /// Returns the folder: the one that is named, else that of the project.
    pub fn folder<'a>(&'a self, project: &'a Project) -> &'a Path {
        self.out.as_ref().unwrap_or(&project.folder)
    }

    /// Returns true if that is the current folder, unless it is named.
    pub fn is_here(&self, project: &Project) -> bool {
        self.out.is_none() && [Path::new(""), Path::new(".")].contains(&&*project.folder)
    }
}

/// Reports, and where things are kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reports")]
pub struct OutputArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Draw screens from their widgets, and take no pictures of the device's display
    #[arg(long)]
    pub no_screenshots: bool,
    /// Runs to keep in .farlead/runs, this one included
    #[arg(long, value_name = "N", default_value_t = store::KEEP as u32, value_parser = clap::value_parser!(u32).range(1..))]
    pub keep: u32,
}

impl OutputArgs {
    /// Returns an album for pictures of the displays of attached devices, unless there are to be none.
    pub fn album(&self, project: &Project) -> Option<Album> {
        let is_refused = self.no_screenshots || project.screenshots == Some(false);
        (!is_refused).then(Album::default)
    }
}

/// Treatment of runs that are kept as tests.
#[derive(Debug, Args)]
#[command(next_help_heading = "Kept tests")]
pub struct KeptArgs {
    /// Keep runs as they are found, without shrinking them
    #[arg(long)]
    no_minimize: bool,
    /// Times to reproduce each run
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    confirm: u32,
    /// Replace stored tests whose runs have changed
    #[arg(long)]
    pub update: bool,
}

impl KeptArgs {
    /// Returns the treatment of runs on `app`, one device at a time.
    pub fn settings(
        &self,
        outputs: &OutputArgs,
        project: &Project,
        app: &OpenedApp,
        seed: Seed,
    ) -> keep::Settings {
        keep::Settings {
            minimise: (!self.no_minimize).then(minimise::Settings::default),
            confirm: self.confirm,
            seed,
            jobs: 1,
            keeps_found: false,
            slack: project.slack,
            rules: project.rules.clone(),
            album: outputs.album(project).filter(|_| app.is_on_devices()),
        }
    }
}

/// Reports that are written.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reports")]
pub struct ReportArgs {
    /// Write a report in JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write a report as one HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write a report in Markdown, for the summary of a build
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Write annotations for GitHub to stderr
    #[arg(long)]
    pub github: bool,
    /// Write results as JSON, one object a line
    #[arg(long)]
    pub json: bool,
}

impl ReportArgs {
    /// Writes the reports of `run` that are asked for.
    pub fn write(&self, run: &Run) -> Result<(), Missing> {
        type Report = fn(&Run) -> String;
        let files: [(&Option<PathBuf>, Report); 3] =
            [(&self.junit, report::junit), (&self.html, report::html), (&self.markdown, report::markdown)];
        for (path, make) in files {
            if let Some(path) = path {
                store::write(path, make(run).as_bytes()).map_err(|error| Missing::new(error.to_string()))?;
            }
        }
        if self.github {
            // A closed stderr leaves nobody to tell, so a failed write is no error.
            let _ = io::stderr().write_all(report::github(run).as_bytes());
        }
        Ok(())
    }

    /// Says no if a report would take the place of one of `inputs`.
    pub fn refuse_to_overwrite(&self, inputs: &[PathBuf]) -> Result<(), crate::Usage> {
        let paths: Vec<&PathBuf> = [&self.junit, &self.html, &self.markdown].into_iter().flatten().collect();
        for (at, path) in paths.iter().enumerate() {
            sources::refuse_to_overwrite(path, inputs.iter().map(PathBuf::as_path))?;
            if paths[..at].contains(path) {
                let message =
                    format!("{} cannot hold two reports; give each a file of its own", shown_path(path));
                return Err(crate::Usage::new(message));
            }
        }
        Ok(())
    }
}

/// All outputs of a run of a command, written as its events come up.
pub struct Outputs<'a> {
    args: &'a OutputArgs,
    wanted: Wanted,
    /// Files of the tests that this run has kept.
    kept: BTreeSet<PathBuf>,
    out: BufWriter<Out>,
    runs: Runs,
    writer: Option<RunWriter>,
    run: Run,
    screens: ScreenNumbers,
    specs: usize,
    device: String,
    seed: Seed,
    /// Exit code for failures with files.
    exit: Exit,
}

/// A run of a command, as it begins.
pub struct Beginning<'a> {
    pub command: &'a str,
    /// Part of a larger run that this one is, if it is one.
    pub shard: Option<Shard>,
    /// The app, if it is one for all specs.
    pub app: Option<&'a OpenedApp>,
    pub seed: Seed,
    pub verbose: bool,
}

/// Fate of a stored test whose run differs from the one to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    Stays,
    IsReplaced,
}

/// A test before it gets its place. Many threads prepare tests, and what takes time is done then.
pub struct Prepared {
    path: PathBuf,
    /// The path in messages.
    pub shown: String,
    pub test: TestCase,
    stored: Stored,
    fate: Fate,
}

/// Fate of a prepared test.
enum Fate {
    /// The file at its place is none that a test may replace, for this reason.
    Refused(String),
    /// The test is there already.
    Same,
    /// Another one is there and stays, with this warning.
    Differs(String),
    /// The test is written, beside its place.
    Written(Result<Staged<'static>, WriteError>),
}

impl Prepared {
    /// Prepares `test` for the file at `path`, called `shown` in messages.
    pub fn new(
        batch: &Batch<'static>,
        path: PathBuf,
        shown: String,
        test: TestCase,
        stored: Stored,
    ) -> Prepared {
        let fate = fate(batch, &path, &shown, &test, stored);
        Prepared { path, shown, test, stored, fate }
    }

    /// Puts the test in its place; returns true if a test is there then, and else says why not.
    pub fn put(self, batch: &Batch<'static>) -> bool {
        match self.fate {
            Fate::Refused(why) => {
                warn(&why);
                false
            }
            Fate::Same => true,
            Fate::Differs(how) => {
                warn(&how);
                true
            }
            Fate::Written(staged) => match staged.and_then(|staged| batch.place(staged)) {
                Ok(()) => true,
                Err(error) => {
                    say_unwritten(&error);
                    false
                }
            },
        }
    }
}

fn fate(batch: &Batch<'static>, path: &Path, shown: &str, test: &TestCase, stored: Stored) -> Fate {
    let text = test.to_string();
    if path.exists() {
        let before = match sources::read_text(path) {
            Ok(before) => before,
            // Whatever it is, farlead has not written it.
            Err(error) => {
                return Fate::Refused(format!(
                    "{error}; farlead leaves that file as it is, and this test is not kept"
                ));
            }
        };
        let known = test_case::read(&before).test;
        if let Some(refusal) = refusal(shown, &before, known.as_ref(), test) {
            return Fate::Refused(refusal);
        }
        match (stored, &known) {
            (Stored::Stays, Some(known)) if known.is_same(test) => return Fate::Same,
            (Stored::Stays, _) => {
                // The origin differs from run to run, so it is left out of the difference.
                let old = known.map(|known| TestCase { provenance: test.provenance.clone(), ..known });
                let old = old.map_or_else(|| before.text().to_string(), |old| old.to_string());
                return Fate::Differs(format!(
                    "the run differs from the one kept in {shown}, which stays as it is; `--update` replaces it\n{}",
                    difference(&old, &text)
                ));
            }
            (Stored::IsReplaced, _) => {}
        }
    }
    Fate::Written(batch.stage(path, text.as_bytes()))
}

/// Sees to it that the tests of `batch` survive a loss of power; returns false, and says so, if it cannot.
pub fn is_synced(batch: &Batch<'static>) -> bool {
    batch.sync().inspect_err(say_unwritten).is_ok()
}

/// Writes to stderr that a file could not be written.
fn say_unwritten(error: &WriteError) {
    let _ = writeln!(io::stderr(), "farlead: {}", printable(&error.to_string()));
}

impl<'a> Outputs<'a> {
    /// Begins the outputs of a run.
    pub fn begin(
        args: &'a OutputArgs,
        project: &Project,
        beginning: Beginning<'_>,
        shell: &Shell,
    ) -> anyhow::Result<Outputs<'a>> {
        let Beginning { command, shard, app, seed, verbose } = beginning;
        let is_here = args.place.is_here(project);
        let device = app.map_or_else(String::new, OpenedApp::describe);
        let known = app.map(OpenedApp::app);
        let began = RunBegan {
            format: event::FORMAT,
            farlead: env!("CARGO_PKG_VERSION").to_string(),
            command: command.to_string(),
            device: device.clone(),
            package: known.as_ref().map_or_else(String::new, |app| app.package.to_string()),
            version: known.as_ref().map_or_else(String::new, |app| app.version.to_string()),
            seed: seed.0,
            shard,
        };
        let runs = Runs::new(args.place.folder(project));
        let writer = match runs.begin(args.keep as usize) {
            Ok(writer) => {
                if let Some(app) = app {
                    app.record_to(writer.folder());
                }
                Some(writer)
            }
            Err(error) => {
                // The results are worth having even if the run cannot be kept.
                warn(&format!("cannot record this run: {error}"));
                None
            }
        };
        let mut outputs = Outputs {
            args,
            wanted: Wanted { style: shell.stdout, quiet: shell.quiet, verbose, is_here },
            kept: BTreeSet::new(),
            out: BufWriter::new(out()),
            runs,
            writer,
            run: Run::new(),
            screens: ScreenNumbers::new(),
            specs: 0,
            device,
            seed,
            exit: Exit::Passed,
        };
        outputs.tell(Event::RunBegan(began));
        if !args.reports.json && !shell.quiet && !outputs.device.is_empty() {
            let line = format!("device: {}\n", printable(&outputs.device));
            outputs.write(&line)?;
        }
        Ok(outputs)
    }

    /// Writes `text` to stdout at once.
    pub fn write(&mut self, text: &str) -> anyhow::Result<()> {
        self.out.write_all(text.as_bytes())?;
        Ok(self.out.flush()?)
    }

    fn tell(&mut self, event: Event) {
        if let Some(writer) = &mut self.writer
            && let Err(error) = writer.add(&event)
        {
            // Events build on those before them, so after a missing one none is added.
            warn(&format!("cannot record this run any further: {error}"));
            self.writer = None;
        }
        self.run.take(event).expect("events are told in their order");
    }

    /// Returns the steps of `run` with the numbers of their screens.
    fn steps(&mut self, run: &Trace) -> Vec<StepTaken> {
        let mut steps = Vec::with_capacity(run.steps.len());
        for step in &run.steps {
            let screen = self.screen(&step.observation.screen);
            if let Some(picture) = &step.observation.picture
                && !self.run.pictures().contains_key(&screen)
            {
                self.tell(Event::ScreenPictured { screen, picture: picture.clone() });
            }
            steps.push(StepTaken::new(step, screen));
        }
        steps
    }

    fn screen(&mut self, screen: &Arc<Screen>) -> usize {
        let (number, met) = self.screens.number(screen);
        if let Some(met) = met {
            self.tell(met);
        }
        number
    }

    /// Records how a spec was decided, and writes it.
    pub fn spec(&mut self, began: SpecBegan, mut decided: Decided) -> anyhow::Result<()> {
        let spec = self.specs;
        self.specs += 1;
        // Several specs may be decided at a time, so each begins in the events only once its result is there.
        self.tell(Event::SpecBegan(SpecBegan { spec, ..began.clone() }));
        for event in std::mem::take(&mut decided.episodes) {
            if let Event::EpisodeEnded { episode, steps, closest, .. } = event {
                self.tell(Event::EpisodeEnded { spec, episode, steps, closest });
            }
        }
        // Screens get their numbers here, in the order of specs, so that threads change none.
        let mut ended = decided.ended.clone();
        ended.spec = spec;
        if let Some(run) = &decided.run {
            ended.run = self.steps(run);
        }
        for (from, to, by, times) in std::mem::take(&mut decided.ways) {
            let (from, to) = (self.screen(&from), self.screen(&to));
            ended.map.push(Way { from, to, by, times });
        }
        let text = if self.args.reports.json {
            report::spec_json(&began, &ended, &self.device, self.seed.0)
        } else {
            report::spec_text(&began, &ended, self.wanted)
        };
        // Kept before it is shown, as stdout may fail.
        self.tell(Event::SpecEnded(Box::new(ended)));
        self.write(&text)
    }

    /// Records what exploring has seen, and writes it.
    pub fn explored(&mut self, coverage: Coverage) -> anyhow::Result<()> {
        let text = if self.args.reports.json {
            report::explored_json(&coverage)
        } else {
            report::explored_text(&coverage, self.wanted)
        };
        self.tell(Event::Explored(Box::new(coverage)));
        self.write(&text)
    }

    /// Records the map of an explored app; `screen_of` returns a screen of the states that it is given.
    pub fn mapped(&mut self, mapped: Mapped, screen_of: &dyn Fn(&[usize]) -> Option<Arc<Screen>>) {
        let map = mapped.with_screens(|states| screen_of(states).map(|screen| self.screen(&screen)));
        self.tell(Event::Mapped(Box::new(map)));
        for (name, drawn) in
            [(MAP_PAGE, report::map_html(&self.run)), (MAP_PICTURE, report::map_svg(&self.run))]
        {
            self.write_beside(name, &drawn.unwrap_or_default());
        }
    }

    /// Writes a file into the folder of the run, if there is one.
    pub fn write_beside(&self, name: &str, text: &str) {
        let Some(writer) = &self.writer else { return };
        if let Err(error) = store::write(&writer.folder().join(name), text.as_bytes()) {
            warn(&error.to_string());
        }
    }

    /// Puts the test of `prepared` in its place; returns true if a test is there then.
    pub fn keep(&mut self, batch: &Batch<'static>, mut prepared: Prepared) -> bool {
        // Another spec of this run may have got the same place after this test was prepared.
        if !self.kept.insert(prepared.path.clone()) {
            let Prepared { path, shown, test, stored, .. } = prepared;
            prepared = Prepared::new(batch, path, shown, test, stored);
        }
        let is_kept = prepared.put(batch);
        if !is_kept {
            self.exit = self.exit.and(Exit::Environment);
        }
        is_kept
    }

    /// Sees to it that the tests of `batch` survive a loss of power.
    pub fn sync_tests(&mut self, batch: &Batch<'static>) {
        if !is_synced(batch) {
            self.exit = self.exit.and(Exit::Environment);
        }
    }

    /// Sees to it that the results so far survive a loss of power.
    pub fn sync(&mut self) {
        if let Some(writer) = &mut self.writer
            && let Err(error) = writer.sync()
        {
            warn(&format!("cannot record this run any further: {error}"));
            self.writer = None;
        }
    }

    /// Compares the outcomes with those of the run before, and leaves them for the run after.
    fn compare(&mut self) {
        let Some(writer) = &self.writer else { return };
        let specs = self.run.specs().iter();
        let outcomes =
            Outcomes::new(specs.map(|spec| (&*spec.began.file, &*spec.began.name, report::kind(spec))));
        let command = &self.run.began().map_or(String::new(), |began| began.command.clone());
        let before = self.runs.outcomes_before(writer.folder(), command);
        if let Err(error) = outcomes.write(writer.folder(), command) {
            warn(&format!("the next run cannot be compared with this one: {error}"));
        }
        for (spec, was) in outcomes.changed_from(&before) {
            self.tell(Event::SpecChanged { spec, was });
        }
    }

    /// Ends the run: writes the summary and the reports.
    pub fn end(mut self, exit: Exit) -> anyhow::Result<Exit> {
        let exit = exit.and(self.exit);
        self.compare();
        self.tell(Event::RunEnded { exit: exit.code() });
        let last = if self.args.reports.json {
            report::summary_json(&self.run)
        } else if self.wanted.quiet {
            String::new()
        } else {
            report::summary_text(&self.run, self.wanted)
        };
        self.write(&last)?;
        self.args.reports.write(&self.run)?;
        Ok(exit)
    }
}

/// Returns the event that work on `spec` begins.
pub fn began(
    file: &str,
    spec: &Spec,
    agent: &str,
    steps_max: u32,
    episodes_max: u32,
    set_up: Vec<String>,
) -> SpecBegan {
    SpecBegan {
        spec: 0,
        file: file.to_string(),
        line: spec.line,
        name: spec.name.clone(),
        expectation: spec.expectation.word().to_string(),
        formula: spec.formulas.display(spec.formula).to_string(),
        agent: agent.to_string(),
        steps_max,
        episodes_max,
        automaton: automaton(spec),
        set_up,
        scenario: spec.scenario.iter().flat_map(|one| &one.steps).map(|step| step.text.clone()).collect(),
    }
}

/// Returns the automaton of a spec, unless it is too large to be shown.
pub fn automaton(spec: &Spec) -> Option<event::Automaton> {
    let mut automaton = Automaton::new(&spec.formulas, spec.formula);
    let graph = automaton.graph(RESIDUALS_MAX)?;
    let residuals = graph.states.iter().map(|&state| event::Residual {
        text: automaton.residual(state).to_string(),
        satisfied: automaton.is_satisfied(state),
    });
    let ways = crate::explain::arrows(&graph).map(|arrow| Way {
        from: arrow.from,
        to: arrow.to,
        by: arrow.in_words(&automaton, "many", " or ", "; "),
        times: 0,
    });
    Some(event::Automaton { residuals: residuals.collect(), ways: ways.collect() })
}

/// Writes a warning to stderr.
pub fn warn(message: &str) {
    let lines: Vec<String> = message.lines().map(printable).collect();
    // A closed stderr leaves nobody to tell, so a failed write is no error.
    let _ = writeln!(io::stderr(), "farlead: warning: {}", lines.join("\n"));
}

/// Returns the reason why `test` cannot take the place of the file called `shown`, if there is one.
fn refusal(shown: &str, before: &Source, known: Option<&TestCase>, test: &TestCase) -> Option<String> {
    match known {
        // Spec files outside the project are known by their names alone, so two of them may share a place.
        Some(known) if known.provenance.spec != test.provenance.spec => Some(format!(
            "{shown} is a test of {}, and this one of {} is not kept; give another folder with `--out`",
            printable(&known.provenance.spec),
            printable(&test.provenance.spec)
        )),
        Some(_) => None,
        None if test_case::is_newer(before.text()) => Some(format!(
            "{shown} was written by a newer farlead and stays as it is; install that one, or give another folder with `--out`"
        )),
        None => None,
    }
}

/// Returns the lines that only one of two texts has, as `diff` marks them.
pub fn difference(before: &str, after: &str) -> String {
    // The table below grows with the product of both; nobody reads a longer difference.
    const LINES_MAX: usize = 2_000;
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.lines().take(LINES_MAX).collect(), after.lines().take(LINES_MAX).collect());
    // Lengths of the longest common subsequence from each pair of lines on.
    let width = new.len() + 1;
    let mut common = vec![0_u16; (old.len() + 1) * width];
    for one in (0..old.len()).rev() {
        for other in (0..new.len()).rev() {
            common[one * width + other] = if old[one] == new[other] {
                common[(one + 1) * width + other + 1] + 1
            } else {
                common[(one + 1) * width + other].max(common[one * width + other + 1])
            };
        }
    }
    let (mut one, mut other, mut text) = (0, 0, String::new());
    while one < old.len() || other < new.len() {
        if one < old.len() && other < new.len() && old[one] == new[other] {
            (one, other) = (one + 1, other + 1);
        } else if other == new.len()
            || (one < old.len() && common[(one + 1) * width + other] >= common[one * width + other + 1])
        {
            text += &format!("-{}\n", old[one]);
            one += 1;
        } else {
            text += &format!("+{}\n", new[other]);
            other += 1;
        }
    }
    text
}
