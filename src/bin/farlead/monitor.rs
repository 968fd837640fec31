//! `farlead monitor`: follows a formula along a recorded trace, or along a log of APE.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;
use farlead::gui::{Action, Atom, Context, Key, Labeller, Screen, TypedText};
use farlead::ltl::{Formula, Formulas, Monitor, Permanent, Progress};
use farlead::spec::{self, Expectation, Names, Source, shown_path};
use farlead::test_case::{self, Entry};
use farlead::trace;
use serde::Serialize;

use crate::project::Project;
use crate::sources::{self, Shell};
use crate::stdout::out;
use crate::{Exit, Mistake, Usage};

/// Most atoms of a residual that is printed without an ellipsis.
const NAMES_MAX: usize = 1_000;

/// Byte order mark, which some editors put before a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Most names of labels that are remembered; further ones are read anew each time.
const KNOWN_LABELS_MAX: usize = 10_000;

/// Follow a formula along a recorded trace, step by step.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead monitor -e 'F about' --trace run.jsonl
  farlead monitor specs/chesswalk/about.ltl --only a --trace run.jsonl --json
  tail -f run.jsonl | farlead monitor -e 'G ![crashed = true]' --trace -
  farlead monitor -e 'F [actionType = back]' --trace action-history.log

A line of the trace is a list of label names, [\"[activity ~ Main]\", \"about\"], or an object
that has one as \"labels\". With --json each step is answered by one line:
  {\"step\":0,\"satisfied\":false,\"permanent\":\"open\",\"reward\":0.33,\"atoms\":2,\"residual\":\"...\"}
satisfied: the trace up to here satisfies the formula; permanent: sat, unsat or open, whatever
comes; atoms: how many the residual has, which is what is left of the formula.

The action-history.log of APE is a trace too. It has actions and crashes and no screens, so it
answers atoms about actions and [crashed = ...]; a crash is a step of its own.

Exit codes: 0 the trace is as the spec expects: a `possible` is satisfied at the end, a `never`
at no step, a `must` not violated for good; 1 it is not; 2 command line; 3 the spec or the trace
is missing or has mistakes.")]
pub struct MonitorArgs {
    /// Spec file to follow
    #[arg(value_name = "SPEC", required_unless_present = "formula", conflicts_with = "formula")]
    spec: Option<PathBuf>,
    /// Formula in place of a file; any name in it is a label
    #[arg(short = 'e', long, value_name = "FORMULA")]
    formula: Option<String>,
    /// Recorded trace in JSON lines, or action-history.log of APE; `-` is standard input
    #[arg(long, value_name = "FILE")]
    trace: PathBuf,
    /// Follow the spec of this name
    #[arg(long, value_name = "NAME", conflicts_with = "formula")]
    only: Option<String>,
    /// Write JSON, one object a step
    #[arg(long)]
    json: bool,
}

/// A step as `--json` writes it.
#[derive(Serialize)]
struct Line<'a> {
    step: u64,
    satisfied: bool,
    permanent: &'a str,
    reward: f64,
    atoms: u64,
    residual: String,
}

pub fn run(args: &MonitorArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let Followed { mut monitor, expectation, atoms } = match (&args.spec, &args.formula) {
        (Some(path), _) => of_file(path, args.only.as_deref(), shell)?,
        (None, formula) => of_formula(formula.as_deref().unwrap_or_default(), shell)?,
    };
    let mut trace = open(&args.trace)?;
    let mut known = KnownLabels::default();
    let logged = Logged::new(atoms);
    let mut out = BufWriter::new(out());
    let mut line = Vec::new();
    let mut course = Course::default();
    let mut number = 0u64;
    loop {
        line.clear();
        number += 1;
        // In a pipe the next line may wait for this answer.
        if trace.buffer().is_empty() {
            out.flush()?;
        }
        // A file without line ends must not fill the memory, so the read is bounded.
        let read = trace.by_ref().take(trace::LINE_MAX as u64 + 2).read_until(b'\n', &mut line);
        let read =
            read.map_err(|error| Mistake::new(format!("cannot read {}: {error}", shown(&args.trace))))?;
        if read == 0 {
            break;
        }
        if number == 1 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        let text = line.trim_ascii();
        // An empty line is no step; editors leave one at the end.
        if text.is_empty() {
            continue;
        }
        let at_line = |what: String| Mistake::new(format!("{}:{number}: {what}", shown(&args.trace)));
        // A line of a trace begins with a bracket, and one of a log with its time.
        if text[0].is_ascii_digit() {
            let of_log = logged.steps(text).map_err(at_line)?;
            for names in of_log {
                let progress = monitor.step(names.iter().map(|name| &**name));
                let residual = monitor.residual().shortened(NAMES_MAX).to_string();
                say(&mut out, args.json, course.steps, &progress, residual)?;
                course.take(&progress);
            }
            continue;
        }
        let labels = trace::read_line(text).map_err(|error| at_line(error.to_string()))?;
        let names: Result<Vec<Rc<str>>, &String> =
            labels.iter().map(|label| known.name(label).ok_or(label)).collect();
        let names = names.map_err(|label| {
            at_line(format!(
                "`{label}` starts like an atom, and is none; an atom is like `[activity ~ Main]`"
            ))
        })?;
        let progress = monitor.step(names.iter().map(|name| &**name));
        let residual = monitor.residual().shortened(NAMES_MAX).to_string();
        say(&mut out, args.json, course.steps, &progress, residual)?;
        course.take(&progress);
    }
    if course.steps == 0 {
        return Err(Mistake::new(format!(
            "{}: a trace has at least one step, and this has none",
            shown(&args.trace)
        ))
        .into());
    }
    if !args.json && !shell.quiet {
        writeln!(out, "{}", course.summary(expectation))?;
    }
    out.flush()?;
    Ok(if course.is_as(expectation) { Exit::Passed } else { Exit::Failed })
}

/// Spec that is followed.
struct Followed {
    monitor: Monitor,
    expectation: Expectation,
    /// Names in its formula, each with the atom that it stands for; a label stands for none.
    atoms: Vec<(String, Option<Atom>)>,
}

impl Followed {
    fn new(
        (formulas, formula): (&Formulas, Formula),
        atoms: &BTreeMap<String, Atom>,
        expectation: Expectation,
    ) -> Followed {
        let names = formulas.atoms(formula).into_iter().map(|atom| formulas.name(atom).to_string());
        let atoms = names.map(|name| (name.clone(), atoms.get(&name).cloned())).collect();
        Followed { monitor: Monitor::new(formulas, formula), expectation, atoms }
    }
}

/// Returns the monitor of the spec that is asked for.
fn of_file(path: &Path, only: Option<&str>, shell: &Shell) -> anyhow::Result<Followed> {
    let file = sources::read_sound(path, &Project::find()?, shell)?;
    let names: Vec<&str> = file.specs.iter().map(|spec| &*spec.name).collect();
    let spec = match (only, &file.specs[..]) {
        (None, [one]) => one,
        (None, _) => {
            let names = names.join("`, `");
            return Err(Usage::new(format!(
                "{} has several specs; say which with `--only`: `{names}`",
                shown_path(path)
            ))
            .into());
        }
        (Some(name), specs) => {
            let found = specs.iter().find(|spec| *spec.name == *name);
            let names = names.join("`, `");
            found.ok_or_else(|| {
                Usage::new(format!("{} has no spec `{name}`; it has `{names}`", shown_path(path)))
            })?
        }
    };
    Ok(Followed::new((&spec.formulas, spec.formula), &spec.atoms, spec.expectation))
}

fn of_formula(text: &str, shell: &Shell) -> anyhow::Result<Followed> {
    let source = Source::new("-e", text);
    let parsed = spec::parse_formula(&source, Names::Any);
    match parsed.formula {
        Some(formula) => {
            if !shell.quiet {
                sources::warn(&source, &parsed.diagnostics, shell);
            }
            Ok(Followed::new((&parsed.formulas, formula), &parsed.atoms, Expectation::Possible))
        }
        None => Err(sources::refuse(&source, &parsed.diagnostics, shell).into()),
    }
}

fn open(path: &Path) -> anyhow::Result<BufReader<Box<dyn Read>>> {
    if path == Path::new("-") {
        return Ok(BufReader::new(Box::new(io::stdin())));
    }
    let file = File::open(path).map_err(|error| Mistake::new(spec::unreadable(path, error).to_string()))?;
    Ok(BufReader::new(Box::new(file)))
}

fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { shown_path(path) }
}

fn say(
    out: &mut impl Write,
    json: bool,
    step: u64,
    progress: &Progress,
    residual: String,
) -> anyhow::Result<()> {
    let permanent = match progress.permanent {
        Permanent::Satisfied => "sat",
        Permanent::Violated => "unsat",
        Permanent::Open => "open",
    };
    if json {
        let line = Line {
            step,
            satisfied: progress.satisfied,
            permanent,
            reward: progress.reward,
            atoms: progress.atom_count,
            residual,
        };
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)?;
        return Ok(());
    }
    let verdict = match (progress.permanent, progress.satisfied) {
        (Permanent::Satisfied, _) => "satisfied for good",
        (Permanent::Violated, _) => "violated for good",
        (Permanent::Open, true) => "satisfied so far",
        (Permanent::Open, false) => "open",
    };
    writeln!(out, "{step:>5}  {verdict:<18}  {:>6.3}  {residual}", progress.reward)?;
    Ok(())
}

/// Label names as a trace writes them, each with the name that formulas use.
#[derive(Default)]
struct KnownLabels(HashMap<String, Rc<str>>);

impl KnownLabels {
    fn name(&mut self, label: &str) -> Option<Rc<str>> {
        if let Some(known) = self.0.get(label) {
            return Some(Rc::clone(known));
        }
        // A trace of ever-new labels must not fill the memory.
        if self.0.len() >= KNOWN_LABELS_MAX {
            self.0.clear();
        }
        let name: Rc<str> = spec::read_label(label)?.into();
        self.0.insert(label.to_owned(), Rc::clone(&name));
        Some(name)
    }
}

/// Log of APE, read as a trace.
struct Logged {
    atoms: Vec<(String, Option<Atom>)>,
    labeller: Labeller,
}

impl Logged {
    fn new(atoms: Vec<(String, Option<Atom>)>) -> Logged {
        let known = (0..).zip(&atoms).filter_map(|(number, (_, atom))| Some((number, atom.as_ref()?)));
        let labeller = Labeller::new(known, TypedText::default());
        Logged { atoms, labeller }
    }

    /// Returns the names that hold at each step of a line.
    fn steps(&self, line: &[u8]) -> Result<Vec<Vec<&str>>, String> {
        if let Some((name, _)) = self.atoms.iter().find(|(_, atom)| !atom.as_ref().is_some_and(is_in_log)) {
            return Err(format!(
                "this is a log of APE, which has actions and crashes and no screens, so nobody knows where `{name}` holds; \
                 `farlead minimize LOG --for FORMULA` asks the app"
            ));
        }
        let line = std::str::from_utf8(line).map_err(|_| "this line is no text in UTF-8".to_string())?;
        let of_action = |action: Action| self.names(self.labeller.of_action(&action), false);
        Ok(match test_case::read_entry(line).map_err(|error| error.to_string())? {
            Entry::Start { activity, .. } => vec![of_action(Action::Reinitialise(activity.into()))],
            Entry::Steps(actions) => actions.into_iter().map(of_action).collect(),
            Entry::Crash(_) => vec![self.names(BTreeSet::new(), true)],
            Entry::Nothing { .. } => Vec::new(),
        })
    }

    /// Returns the names of the atoms with these numbers, and of those that hold on a screen of an app that has just crashed
    /// or not.
    fn names(&self, of_action: BTreeSet<u32>, crashed: bool) -> Vec<&str> {
        let context = Context { crashed, ..Context::default() };
        let screen = self.labeller.on_screen(&Screen::new("", "", context, Vec::new()));
        of_action.into_iter().chain(screen).map(|atom| &*self.atoms[atom as usize].0).collect()
    }
}

/// Returns true if a log of APE says where `atom` holds.
fn is_in_log(atom: &Atom) -> bool {
    match atom {
        Atom::Action(_) => true,
        Atom::State(all) => all.iter().all(|one| one.key == Key::Crashed),
        Atom::Widget(_) | Atom::Count { .. } | Atom::Checked(_) | Atom::Placed(_) | Atom::Compared { .. } => {
            false
        }
    }
}

/// Course of the formula along the trace so far.
#[derive(Default)]
struct Course {
    steps: u64,
    satisfied: bool,
    /// First step at which the formula was satisfied.
    satisfied_at: Option<u64>,
    /// Step from which on it is violated for good.
    violated_at: Option<u64>,
}

impl Course {
    fn take(&mut self, progress: &Progress) {
        self.satisfied = progress.satisfied;
        if progress.satisfied {
            self.satisfied_at.get_or_insert(self.steps);
        }
        if progress.permanent == Permanent::Violated {
            // Violated for good it stays so, and people ask for the first of these steps.
            self.violated_at.get_or_insert(self.steps);
        }
        self.steps += 1;
    }

    /// A `never` asks of every step that the run up to there does not satisfy the formula, a `must`
    /// that it is not violated for good.
    fn is_as(&self, expectation: Expectation) -> bool {
        match expectation {
            Expectation::Possible => self.satisfied,
            Expectation::Never => self.satisfied_at.is_none(),
            Expectation::Must => self.violated_at.is_none(),
        }
    }

    fn summary(&self, expectation: Expectation) -> String {
        let steps = if self.steps == 1 { "1 step".to_owned() } else { format!("{} steps", self.steps) };
        match expectation {
            Expectation::Possible if self.satisfied => format!("satisfied after {steps}"),
            Expectation::Possible => format!("not satisfied after {steps}"),
            Expectation::Never => match self.satisfied_at {
                None => format!("as it must be after {steps}: never satisfied"),
                Some(at) => format!("what must never be came at step {at}"),
            },
            Expectation::Must => match self.violated_at {
                None => format!("as it must be after {steps}: not violated"),
                Some(at) => format!("violated for good at step {at}"),
            },
        }
    }
}
