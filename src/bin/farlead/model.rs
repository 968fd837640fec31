//! `farlead model`: checks app models without running them, draws, packs and converts them.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use farlead::device::sim::apk::{self, Manifest};
use farlead::device::sim::fate::{self, Options};
use farlead::device::sim::map::Map;
use farlead::device::sim::model::{Life, Model, Node, WindowKind};
use farlead::device::sim::{self, Read};
use farlead::learned_model::ModelDiff;
use farlead::report::{model_diff_html, model_diff_text};
use farlead::spec::{Diagnostics, Located, Source, printable, shown_path};
use farlead::store;
use serde::Serialize;

use crate::learned;
use crate::lint::counted;
use crate::sources::{self, Shell};
use crate::stdout::out;
use crate::{Exit, Missing, Mistake, Usage};

/// Most windows on a map: nobody could read a larger one.
const WINDOWS_MAX: usize = 200;

/// Check, draw, pack and convert app models, and compare learned ones.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead model check apps/notes.app                 mistakes, each with its place
  farlead model draw apps/notes.app --svg notes.svg  the map of its screens
  farlead model pack apps/notes.app                  notes.apk, for --apk
  farlead model convert bank.json                    a model of FATE in our language
  farlead model diff .farlead/runs/0003 new.json     what two versions of an app differ in

An app model says how an app looks and what it does; `docs/models.md` is its language.")]
pub struct ModelArgs {
    #[command(subcommand)]
    command: ModelCommand,
}

#[derive(Debug, Subcommand)]
enum ModelCommand {
    Check(CheckArgs),
    Draw(DrawArgs),
    Pack(PackArgs),
    Convert(ConvertArgs),
    Diff(DiffArgs),
}

/// Find mistakes in app models, and screens that can never be seen.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead model check apps/notes.app
  farlead model check apps/*.app --strict   treat warnings as mistakes
  farlead model check apps/*.app --json     one JSON object a line

With --json a line has an \"event\": diagnostic (file, line, column, end_line, end_column, severity,
code, message, help), model (file, package, label, version, launchable, activities, dialogs, popups,
widgets, parameters), unreadable, more, and at last summary.

Exit codes: 0 no mistakes; 2 command line; 3 mistakes, or with --strict warnings.")]
struct CheckArgs {
    /// App models, or models of FATE
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<PathBuf>,
    /// Treat warnings as mistakes
    #[arg(long)]
    strict: bool,
    /// Write JSON, one object a line
    #[arg(long)]
    json: bool,
}

/// Draw the map of an app's screens and the actions between them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead model draw apps/notes.app --svg notes.svg
  farlead model draw apps/notes.app | dot -Tpng > notes.png

Without --svg and --dot the map goes to standard output in the language of Graphviz. A dash for FILE
means standard output too. Nothing is run: what stands behind a condition counts as possible. The key
back, which leaves most screens, is drawn where the model speaks of it.

Exit codes: 0 drawn; 2 command line, or a model of more than 200 windows; 3 the model is missing or
has mistakes; 4 the file could not be written.")]
struct DrawArgs {
    /// App model, or model of FATE
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Write an SVG picture
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the graph for Graphviz
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
}

/// Pack an app model into an APK, which Android's tools can read.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead model pack apps/notes.app                writes notes.apk
  farlead model pack apps/notes.app -o /tmp/n.apk
  aapt dump badging notes.apk                      package, version, label, activities

The APK says what the model says of package, version, label and activities, and carries the model;
there is no code in it, and no phone runs it. The same model gives the same bytes.

Exit codes: 0 packed; 2 command line, or the file exists and --force is missing;
3 the model is missing or has mistakes; 4 the file could not be written.")]
struct PackArgs {
    /// App model, or model of FATE
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// File to write [default: the model's name with .apk, in this folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite a file that was not made by `farlead model pack`
    #[arg(long)]
    force: bool,
}

/// Write a model of FATE in the language of app models.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead model convert bank.json              to standard output
  farlead model convert bank.py -o bank.app
  farlead model convert bank.xml --set fate.quirks=true

FILE is a dictionary of Python or JSON, or MoML, the XML of Ptolemy; docs/models.md says how it is read.
The app that is written behaves as the file itself does after --app; its dictionary is no part of it, so
give that with --texts.

Exit codes: 0 written; 2 command line, a file that is no model of FATE, or one to write that exists and
--force is missing; 3 the model is missing or has mistakes; 4 the file could not be written.")]
struct ConvertArgs {
    /// Model of FATE
    #[arg(value_name = "FILE")]
    model: PathBuf,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
    /// Parameter of models of FATE, like fate.quirks=true, may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// Compare what exploring has learned of two versions of an app.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead model diff old/model.json new/model.json
  farlead model diff .farlead/runs/0003 .farlead/runs/0007 --html diff.html
  farlead model diff release.json .farlead/runs/0007 --fail-on lost,changed

OLD and NEW are files that `farlead explore` calls model.json, or the folders of its runs. Lost is what
the new version no longer has: an activity that it does not declare, an action that a screen no longer
offers, a screen that nothing leads to any more. Changed is an action that leads elsewhere. What one run
has not seen, and may have missed, counts as none of these. docs/exploring.md has more.

Exit codes: 0 compared; 1 there is what --fail-on names; 2 command line; 3 a file is missing, has
mistakes, or is of another app; 4 a file could not be written.")]
struct DiffArgs {
    /// Learned model of the old version: a file, or the folder of a run of explore
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// Learned model of the new version
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Write a page of HTML
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write JSON; a dash means standard output, in place of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Exit with 1 if there is any of these: lost, changed, gained, with commas
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',', hide_possible_values = true)]
    fail_on: Vec<FailOn>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Lost,
    Changed,
    Gained,
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Event<'a> {
    Model {
        file: &'a str,
        package: &'a str,
        label: &'a str,
        version: &'a str,
        launchable: Vec<&'a str>,
        #[serde(flatten)]
        counts: Counts,
    },
    Unreadable {
        file: &'a str,
        message: String,
    },
    /// Number of diagnostics of a file beyond those that are shown.
    More {
        file: &'a str,
        diagnostics: usize,
    },
    Summary {
        files: usize,
        models: usize,
        errors: usize,
        warnings: usize,
    },
}

/// Numbers of a model's parts.
#[derive(Clone, Copy, Default, Serialize)]
struct Counts {
    activities: usize,
    dialogs: usize,
    popups: usize,
    widgets: usize,
    parameters: usize,
}

/// The text of a model, and the model that was read from it.
struct Text {
    source: Source,
    read: Read,
}

pub fn run(args: &ModelArgs, shell: &Shell) -> anyhow::Result<Exit> {
    match &args.command {
        ModelCommand::Check(args) => check(args, shell),
        ModelCommand::Draw(args) => draw(args, shell),
        ModelCommand::Pack(args) => pack(args, shell),
        ModelCommand::Convert(args) => convert(args, shell),
        ModelCommand::Diff(args) => diff(args, shell),
    }
}

fn check(args: &CheckArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(out());
    let (mut models, mut errors, mut warnings) = (0, 0, 0);
    for path in &args.models {
        let text = match read(path) {
            Ok(text) => text,
            Err(mistake) => {
                // A file that cannot be read does not keep the others from being checked.
                if args.json {
                    let file = path.display().to_string();
                    say_event(&mut out, &Event::Unreadable { file: &file, message: mistake.to_string() })?;
                }
                // Both streams may go to one terminal, where the results so far come first.
                out.flush()?;
                writeln!(io::stderr(), "farlead: {mistake}")?;
                errors += 1;
                continue;
            }
        };
        models += usize::from(text.read.model.is_some());
        errors += text.read.diagnostics.errors();
        warnings += text.read.diagnostics.warnings();
        if args.json { say_as_json(&mut out, &text)? } else { say(&mut out, &text, shell)? }
    }
    if args.json {
        say_event(&mut out, &Event::Summary { files: args.models.len(), models, errors, warnings })?;
    } else if !shell.quiet {
        writeln!(
            out,
            "{} in {}: {}, {}",
            counted(models, "model"),
            counted(args.models.len(), "file"),
            counted(errors, "mistake"),
            counted(warnings, "warning")
        )?;
    }
    out.flush()?;
    let broken = errors > 0 || (args.strict && warnings > 0);
    Ok(if broken { Exit::Broken } else { Exit::Passed })
}

fn say(out: &mut impl Write, text: &Text, shell: &Shell) -> io::Result<()> {
    write!(out, "{}", text.read.diagnostics.render(&text.source, shell.stdout))?;
    if let (Some(model), false) = (&text.read.model, shell.quiet) {
        let counts = Counts::of(model);
        writeln!(
            out,
            "{}: {}: {}, {}, {}, {}, {}",
            printable(text.source.name()),
            in_short(model),
            counted_activities(counts.activities),
            counted(counts.dialogs, "dialog"),
            counted(counts.popups, "popup"),
            counted(counts.widgets, "widget"),
            counted(counts.parameters, "parameter")
        )?;
    }
    Ok(())
}

/// Describes the app as its model's first item does.
fn in_short(model: &Model) -> String {
    format!("{} {:?} {}", model.package, model.label, model.version)
}

fn counted_activities(count: usize) -> String {
    if count == 1 { "1 activity".to_string() } else { format!("{count} activities") }
}

impl Counts {
    fn of(model: &Model) -> Counts {
        let parameters = model.globals.iter().filter(|global| global.life == Life::Param).count();
        let mut counts = Counts { parameters, ..Counts::default() };
        for window in &model.windows {
            match window.kind {
                WindowKind::Activity { .. } => counts.activities += 1,
                WindowKind::Dialog { .. } => counts.dialogs += 1,
                WindowKind::Popup { .. } => counts.popups += 1,
            }
            // An explicit stack: no recursion over input.
            let mut rest: Vec<&Node> = window.nodes.iter().collect();
            while let Some(node) = rest.pop() {
                match node {
                    Node::Widget(widget) => {
                        counts.widgets += 1;
                        rest.extend(&widget.nodes);
                    }
                    Node::When { then, otherwise, .. } => rest.extend(then.iter().chain(otherwise)),
                    Node::For { body, .. } | Node::Let { body, .. } => rest.extend(body),
                }
            }
        }
        counts
    }
}

fn say_as_json(out: &mut impl Write, text: &Text) -> anyhow::Result<()> {
    let file = text.source.name();
    let diagnostics = &text.read.diagnostics;
    for diagnostic in diagnostics.iter() {
        let found: Located = diagnostic.located(&text.source);
        writeln!(out, "{}", serde_json::to_string(&crate::lint::diagnostic_event(&found))?)?;
    }
    // A file keeps a hundred diagnostics of each kind and counts all of them.
    let more = diagnostics.errors() + diagnostics.warnings() - diagnostics.iter().len();
    if more > 0 {
        say_event(out, &Event::More { file, diagnostics: more })?;
    }
    if let Some(model) = &text.read.model {
        let launchable = model.launchable.iter().filter_map(|&id| match &model.windows[id as usize].kind {
            WindowKind::Activity { class, .. } => Some(&**class),
            WindowKind::Dialog { .. } | WindowKind::Popup { .. } => None,
        });
        let event = Event::Model {
            file,
            package: &model.package,
            label: &model.label,
            version: &model.version,
            launchable: launchable.collect(),
            counts: Counts::of(model),
        };
        say_event(out, &event)?;
    }
    Ok(())
}

fn say_event(out: &mut impl Write, event: &Event<'_>) -> anyhow::Result<()> {
    writeln!(out, "{}", serde_json::to_string(event)?)?;
    Ok(())
}

fn draw(args: &DrawArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let (_, model) = read_sound(&args.model, shell)?;
    if model.windows.len() > WINDOWS_MAX {
        return Err(Usage::new(format!(
            "{} has {} windows, more than {WINDOWS_MAX}; nobody could read its map",
            shown_path(&args.model),
            model.windows.len()
        ))
        .into());
    }
    for path in [&args.svg, &args.dot].into_iter().flatten() {
        sources::refuse_to_overwrite(path, [args.model.as_path()])?;
    }
    let map = Map::of(&model);
    let files = [(&args.svg, Map::to_svg as fn(&Map) -> String), (&args.dot, Map::to_dot)];
    for (path, write) in files {
        match path {
            Some(path) if path.as_os_str() != "-" => {
                store::write(path, write(&map).as_bytes())
                    .map_err(|error| Missing::new(error.to_string()))?;
            }
            Some(_) => print(&write(&map))?,
            None => {}
        }
    }
    if args.svg.is_none() && args.dot.is_none() {
        print(&map.to_dot())?;
    }
    Ok(Exit::Passed)
}

fn print(text: &str) -> io::Result<()> {
    let mut out = out();
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn pack(args: &PackArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let (source, model) = read_sound(&args.model, shell)?;
    // A model of FATE is packed as it is run.
    let text = model.source.text();
    let path = match &args.output {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("{}.apk", source.stem())),
    };
    if !args.force {
        refuse_other_file(&path)?;
    }
    let bytes = apk::pack(&Manifest::of(&model), text)
        .map_err(|error| Mistake::new(format!("cannot pack {}: {error}", shown_path(&args.model))))?;
    store::write(&path, &bytes).map_err(|error| Missing::new(error.to_string()))?;
    if !shell.quiet {
        print(&format!("{}: {}: {} bytes\n", shown_path(&path), in_short(&model), bytes.len()))?;
    }
    Ok(Exit::Passed)
}

fn convert(args: &ConvertArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut options = Options::default();
    for parameter in &args.set {
        let Some((name, value)) = parameter.split_once('=') else {
            let message =
                format!("`{parameter}` has no value; a parameter is set like `--set fate.quirks=true`");
            return Err(Usage::new(message).into());
        };
        options.set(name.trim(), value.trim()).map_err(|error| Usage::new(error.to_string()))?;
    }
    let source = sources::read_text(&args.model)?;
    if !fate::is_fate(source.text()) {
        let message = format!(
            "{} is no model of FATE, which is a dictionary of Python or JSON, or XML; `farlead model check` reads a model in \
             the language of app models",
            shown_path(&args.model)
        );
        return Err(Usage::new(message).into());
    }
    let (text, diagnostics) = fate::convert(&source, options);
    let Some(text) = text else { return Err(sources::refuse(&source, &diagnostics, shell).into()) };
    if !shell.quiet {
        sources::warn(&source, &diagnostics, shell);
    }
    let mut written = format!("# Written by `farlead model convert` from {}.\n", printable(source.stem()));
    written += "# FATE has no actions on the device itself: `--set sim.actions=screen`.\n";
    if options.quirks {
        written += "# A fresh start keeps all variables: `--set sim.reset=restart`.\n";
    }
    written += &text;
    match &args.output {
        Some(path) if path.as_os_str() != "-" => {
            sources::refuse_to_overwrite(path, [args.model.as_path()])?;
            if !args.force && path.exists() {
                let message = format!(
                    "{} is there already; --force overwrites it, -o names another file",
                    shown_path(path)
                );
                return Err(Usage::new(message).into());
            }
            store::write(path, written.as_bytes()).map_err(|error| Missing::new(error.to_string()))?;
        }
        Some(_) | None => print(&written)?,
    }
    Ok(Exit::Passed)
}

fn diff(args: &DiffArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let [old, new] = [&args.old, &args.new].map(|path| learned::read_model_alone(path));
    let (old, new) = (old?, new?);
    if old.app.package != new.app.package {
        let message = format!(
            "{} is a model of the app {}, and {} of {}; compare two versions of one app",
            shown_path(&args.old),
            old.app.package,
            shown_path(&args.new),
            new.app.package
        );
        return Err(Mistake::new(message).into());
    }
    let files = [&args.html, &args.json];
    for path in files.into_iter().flatten() {
        sources::refuse_to_overwrite(path, [args.old.as_path(), args.new.as_path()])?;
    }
    let diff = ModelDiff::new(&old, &new);
    let written =
        [args.html.as_ref().map(|_| model_diff_html(&diff)), args.json.as_ref().map(|_| json(&diff))];
    let mut is_said = shell.quiet;
    for (path, text) in files.into_iter().zip(written) {
        match (path, text) {
            (Some(path), Some(text)) if path.as_os_str() == "-" => {
                print(&text)?;
                is_said = true;
            }
            (Some(path), Some(text)) => {
                store::write(path, text.as_bytes()).map_err(|error| Missing::new(error.to_string()))?;
            }
            _ => {}
        }
    }
    if !is_said {
        print(&model_diff_text(&diff))?;
    }
    let has = |what: &FailOn| match what {
        FailOn::Lost => !diff.lost.is_empty(),
        FailOn::Changed => !diff.changed.is_empty(),
        FailOn::Gained => !diff.gained.is_empty(),
    };
    Ok(if args.fail_on.iter().any(has) { Exit::Failed } else { Exit::Passed })
}

fn json(diff: &ModelDiff) -> String {
    serde_json::to_string(diff).expect("texts and numbers are JSON") + "\n"
}

/// Refuses to overwrite a file that somebody else made.
fn refuse_other_file(path: &Path) -> Result<(), Usage> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Usage::new(format!("cannot look at {}: {error}", shown_path(path)))),
    };
    // A packed model can be packed again; any other file may be the only copy.
    match apk::unpack_model(BufReader::new(file)) {
        Ok(Some(_)) => Ok(()),
        Ok(None) | Err(_) => Err(Usage::new(format!(
            "{} is there already, and is no packed model; --force overwrites it, -o names another file",
            shown_path(path)
        ))),
    }
}

/// Reads the model at `path`, whatever mistakes it has.
fn read(path: &Path) -> Result<Text, Mistake> {
    let bytes = sources::read_text_bytes(path)?;
    Ok(match Source::from_bytes(path.display().to_string(), bytes) {
        Ok(source) => Text { read: sim::read(&source), source },
        Err(not_text) => {
            let diagnostics = Diagnostics::from(not_text.diagnostic);
            Text { source: not_text.source, read: Read { model: None, diagnostics } }
        }
    })
}

/// Reads the model at `path`; writes its mistakes to stderr, if it has any.
fn read_sound(path: &Path, shell: &Shell) -> Result<(Source, Model), Mistake> {
    let Text { source, read } = read(path)?;
    match read.model {
        Some(model) => Ok((source, model)),
        None => Err(sources::refuse(&source, &read.diagnostics, shell)),
    }
}
