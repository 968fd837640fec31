//! `farlead monitor`: follows a formula along a recorded trace, or along a log of APE.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::Args;
use farlead::gui::{Action, Atom, Context, Key, Labeller, Screen, TypedText};
use farlead::ltl::{Formula, Formulas, Labels, Monitor, Permanent, Progress, ResidualId};
use farlead::objective::KeptValues;
use farlead::spec::{self, Expectation, Names, Source, shown_path};
use farlead::test_case::{self, Entry};
use farlead::trace::{self, Lines, ShortLabel, ShortLabels};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::project::Project;
use crate::sources::{self, Shell};
use crate::stdout::out;
use crate::{Exit, Mistake, Usage};

/// Most atoms of a residual that is printed without an ellipsis.
const NAMES_MAX: usize = 1_000;

/// Most names of labels that are remembered; further ones are read anew each time.
const KNOWN_LABELS_MAX: usize = 10_000;

/// Most lines that are remembered with their labels, and their greatest length: 10 MB.
const KNOWN_LINES_MAX: usize = 10_000;
const KNOWN_LINE_MAX: usize = 1_000;

/// Most bytes of answers that are remembered.
const KNOWN_ANSWERS_MAX: usize = 16_000_000;

/// Bytes that are written at once.
const BUFFER: usize = 1 << 16;

/// Follow a formula along a recorded trace, step by step.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead monitor -e 'F about' --trace run.jsonl
  farlead monitor specs/chesswalk/about.ltl --only a --trace run.jsonl --json
  tail -f run.jsonl | farlead monitor -e 'G ![crashed = true]' --trace -
  farlead monitor -e 'F [actionType = back]' --trace action-history.log

A line of the trace is a list of label names, [\"[activity ~ Main]\", \"about\"], or an object
that has one as \"labels\", and its time in milliseconds as \"at\" if the formula has a bound in
time: {\"at\": 1250, \"labels\": [..]}. With --json each step is answered by one line:
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

/// A step as `--json` writes it, behind its number.
#[derive(Serialize)]
struct Line<'a> {
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
    let mut known = KnownLines::default();
    let mut clock = Clock::default();
    let numbers = (0..).zip(&atoms).filter_map(|(number, (_, atom))| Some((number, atom.as_ref()?)));
    let numbers: Vec<(u32, &Atom)> = numbers.collect();
    let mut kept = KeptValues::new(monitor.automaton(), &numbers, TypedText::default());
    let keeps = kept.names().len() > 0;
    let logged = Logged::new(atoms);
    let mut out = BufWriter::with_capacity(BUFFER, out());
    let mut answers = Answers::new(args.json, shell.quiet);
    let mut course = Course::default();
    let mut number = 0u64;
    let mut given_up = 0u64;
    let mut take = |monitor: &mut Monitor, at_ms: Option<u64>, labels: Labels, out: &mut BufWriter<_>| {
        let from = monitor.state();
        let progress = match at_ms {
            Some(at_ms) => monitor.step_at(at_ms, labels),
            None => monitor.step_labels(&labels),
        };
        course.take(&progress);
        given_up += u64::from(progress.permanent == Permanent::Open && monitor.is_given_up());
        answers.say(out, monitor, from, &progress)
    };
    loop {
        number += 1;
        // In a pipe the next line may wait for this answer.
        if !trace.has_next() {
            out.flush()?;
        }
        let next = trace
            .next()
            .map_err(|error| Mistake::new(format!("cannot read {}: {error}", shown(&args.trace))))?;
        let Some(line) = next else { break };
        let text = line.text();
        // An empty line is no step; editors leave one at the end.
        if text.is_empty() {
            continue;
        }
        let at_line = |what: String| Mistake::new(format!("{}:{number}: {what}", shown(&args.trace)));
        // A line of a trace begins with a bracket, and one of a log with its time.
        if text[0].is_ascii_digit() {
            if keeps {
                let what = "the formula keeps values, and a log of APE has none";
                return Err(at_line(what.to_owned()).into());
            }
            if monitor.has_time() {
                let what = "the formula has a bound in time, and farlead reads no times from a log of APE";
                return Err(at_line(what.to_owned()).into());
            }
            for names in logged.steps(text).map_err(at_line)? {
                let labels = monitor.labels(names);
                take(&mut monitor, None, labels, &mut out)?;
            }
            continue;
        }
        let step = if keeps {
            known.step_that_keeps(text, &mut monitor, &mut kept)
        } else {
            known.step(line, &monitor)
        };
        let (at_ms, labels) = step.map_err(at_line)?;
        let at_ms = if monitor.has_time() { Some(clock.time(at_ms).map_err(at_line)?) } else { None };
        take(&mut monitor, at_ms, labels, &mut out)?;
    }
    if course.steps == 0 {
        return Err(Mistake::new(format!(
            "{}: a trace has at least one step, and this has none",
            shown(&args.trace)
        ))
        .into());
    }
    if args.json && shell.quiet {
        answers.say_last(&mut out, &monitor, course.steps - 1)?;
    } else if !args.json {
        writeln!(out, "{}", course.summary(expectation))?;
    }
    out.flush()?;
    if given_up > 0 {
        crate::outputs::warn(&format!(
            "the formula is too large to be judged: at {given_up} of {} steps the permanent verdict is open for this reason",
            course.steps
        ));
    }
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
            let found = specs.iter().find(|spec| spec.is_called(name));
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

fn open(path: &Path) -> anyhow::Result<Lines<Box<dyn Read + Send>>> {
    if path == Path::new("-") {
        return Ok(Lines::ahead(Box::new(io::stdin())));
    }
    let file = File::open(path).map_err(|error| Mistake::new(spec::unreadable(path, error).to_string()))?;
    Ok(Lines::ahead(Box::new(file)))
}

fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { shown_path(path) }
}

/// Answers to the steps, of which each is written once for all that are alike.
struct Answers {
    json: bool,
    /// True if only the last step is answered, and only in JSON: the summary says the rest.
    quiet: bool,
    last: Option<Progress>,
    /// Beginning of the next answer, up to the number of its step.
    head: Vec<u8>,
    /// By the states before and after a step: its answer behind its number.
    known: FxHashMap<(ResidualId, ResidualId), Box<str>>,
    known_bytes: usize,
    /// Renumberings of states that `known` is good for.
    renumberings: u32,
}

impl Answers {
    fn new(json: bool, quiet: bool) -> Answers {
        Answers {
            json,
            quiet,
            last: None,
            head: if json { b"{\"step\":0".to_vec() } else { b"    0".to_vec() },
            known: FxHashMap::default(),
            known_bytes: 0,
            renumberings: 0,
        }
    }

    /// Writes the answer to the last step, of this number, if the steps had none.
    fn say_last(&self, out: &mut impl Write, monitor: &Monitor, step: u64) -> io::Result<()> {
        let Some(progress) = &self.last else { return Ok(()) };
        write!(out, "{{\"step\":{step}{}", answer(self.json, monitor, progress)?)
    }

    /// Writes the answer to a step from the state `from` to the monitor's.
    fn say(
        &mut self,
        out: &mut impl Write,
        monitor: &Monitor,
        from: ResidualId,
        progress: &Progress,
    ) -> io::Result<()> {
        if self.quiet {
            self.last = Some(*progress);
            return Ok(());
        }
        out.write_all(&self.head)?;
        count_up(&mut self.head);
        // The step before may have met its states under other numbers.
        if self.renumberings != monitor.renumberings() {
            self.renumberings = monitor.renumberings();
            self.forget();
            return out.write_all(answer(self.json, monitor, progress)?.as_bytes());
        }
        if let Some(known) = self.known.get(&(from, monitor.state())) {
            return out.write_all(known.as_bytes());
        }
        let answer = answer(self.json, monitor, progress)?;
        out.write_all(answer.as_bytes())?;
        if self.known_bytes > KNOWN_ANSWERS_MAX {
            self.forget();
        }
        self.known_bytes += answer.len();
        self.known.insert((from, monitor.state()), answer.into());
        Ok(())
    }

    fn forget(&mut self) {
        self.known.clear();
        self.known_bytes = 0;
    }
}

/// Adds one to the decimal number at the end of `text`; it grows into blanks before it.
fn count_up(text: &mut Vec<u8>) {
    let nines = text.iter().rev().take_while(|&&byte| byte == b'9').count();
    let before = text.len() - nines;
    text[before..].fill(b'0');
    match before.checked_sub(1).map(|at| &mut text[at]) {
        Some(digit) if digit.is_ascii_digit() => *digit += 1,
        Some(blank) if *blank == b' ' => *blank = b'1',
        Some(_) | None => text.insert(before, b'1'),
    }
}

/// Returns the answer to a step behind the step's number.
fn answer(json: bool, monitor: &Monitor, progress: &Progress) -> io::Result<String> {
    let permanent = match progress.permanent {
        Permanent::Satisfied => "sat",
        Permanent::Violated => "unsat",
        Permanent::Open => "open",
    };
    let residual = monitor.residual().shortened(NAMES_MAX).to_string();
    if json {
        let line = Line {
            satisfied: progress.satisfied,
            permanent,
            reward: progress.reward,
            atoms: progress.atom_count,
            residual,
        };
        // The number comes first, so its comma takes the place of the bracket.
        let line = serde_json::to_string(&line)?;
        return Ok(format!(",{}\n", &line[1..]));
    }
    let verdict = match (progress.permanent, progress.satisfied) {
        (Permanent::Satisfied, _) => "satisfied for good",
        (Permanent::Violated, _) => "violated for good",
        (Permanent::Open, true) => "satisfied so far",
        (Permanent::Open, false) => "open",
    };
    Ok(format!("  {verdict:<18}  {:>6.3}  {residual}\n", progress.reward))
}

/// Lines of a trace with their labels: in most traces steps recur.
#[derive(Default)]
struct KnownLines {
    /// By line, without its time if that comes first.
    places: FxHashMap<Box<[u8]>, usize>,
    steps: Vec<(Option<u64>, Labels)>,
    /// Lines that were known since the first of `steps`.
    recurred: usize,
    /// True once fewer lines recurred than were new: from then on remembering them is given up.
    are_new: bool,
    names: KnownLabels,
}

impl KnownLines {
    /// Returns the time of a line and its labels, as `monitor` numbers them.
    fn step(&mut self, line: trace::Line, monitor: &Monitor) -> Result<(Option<u64>, Labels), String> {
        if self.are_new {
            return self.read(line, monitor);
        }
        // Times never recur, and the labels behind them do.
        let (at_ms, key) =
            line.cut_time().map_or((None, line.text()), |(at_ms, behind)| (Some(at_ms), behind));
        if let Some(&at) = self.places.get(key) {
            self.recurred += 1;
            let (known_ms, labels) = &self.steps[at];
            return Ok((at_ms.or(*known_ms), labels.clone()));
        }
        let step = self.read(line, monitor)?;
        if key.len() <= KNOWN_LINE_MAX {
            self.places.insert(key.into(), self.steps.len());
            self.steps.push(step.clone());
        }
        // A trace of ever-new lines must not fill the memory.
        if self.steps.len() == KNOWN_LINES_MAX {
            self.are_new = self.recurred < KNOWN_LINES_MAX;
            self.places.clear();
            self.steps.clear();
            self.recurred = 0;
        }
        Ok(step)
    }

    fn read(&mut self, line: trace::Line, monitor: &Monitor) -> Result<(Option<u64>, Labels), String> {
        // Bits in a register, while labels would be in memory.
        let (mut low, mut labels) = (0, Labels::default());
        let at_ms = line.read_plain(|label| {
            let Some(known) = self.names.get(label.short(), label.text()) else { return false };
            low |= known.low;
            if let Some(number) = known.high {
                labels.insert(number);
            }
            true
        });
        if let Some(at_ms) = at_ms {
            return Ok((at_ms, labels.union(&Labels::from_bits(low))));
        }
        let recorded = trace::read_line(line.text()).map_err(|error| error.to_string())?;
        let names = self.named(&recorded.labels, monitor)?;
        Ok((recorded.at_ms, monitor.labels(names.iter().map(|name| &**name))))
    }

    /// Returns the same for a formula that keeps values; which labels matter depends on the values so far.
    fn step_that_keeps(
        &mut self,
        line: &[u8],
        monitor: &mut Monitor,
        kept: &mut KeptValues,
    ) -> Result<(Option<u64>, Labels), String> {
        let mut recorded = trace::read_line(line).map_err(|error| error.to_string())?;
        let names = self.named(&recorded.labels, monitor)?;
        let values: Result<Vec<Option<Vec<String>>>, String> = kept
            .names()
            .map(|name| {
                recorded.kept.remove(name).ok_or_else(|| {
                    let form = format!(r#"{{"labels": [..], "keep": {{"{name}": "a text"}}}}"#);
                    format!("the formula keeps `{name}`, so each step needs its value there, as in `{form}`; `null` is no value")
                })
            })
            .collect();
        let binding = kept.bind_to(monitor.automaton(), &values?);
        Ok((recorded.at_ms, monitor.labels_with(names.iter().map(|name| &**name), binding)))
    }

    /// Returns the names that formulas have for `labels`.
    fn named(&mut self, labels: &[String], monitor: &Monitor) -> Result<Vec<Rc<str>>, String> {
        let names: Result<Vec<Rc<str>>, &String> =
            labels.iter().map(|label| self.names.name(label, monitor).ok_or(label)).collect();
        names.map_err(|label| {
            format!("`{label}` starts like an atom, and is none; an atom is like `[activity ~ Main]`")
        })
    }
}

/// Clock of a trace.
#[derive(Default)]
struct Clock {
    now_ms: u64,
}

impl Clock {
    /// Returns the time of a step, if it has one and does not go back.
    fn time(&mut self, at_ms: Option<u64>) -> Result<u64, String> {
        let Some(at_ms) = at_ms else {
            let form = r#"{"at": 1250, "labels": [..]}"#;
            return Err(format!(
                "the formula has a bound in time, so each step needs its time in milliseconds, as in `{form}`"
            ));
        };
        if at_ms < self.now_ms {
            return Err(format!("the time goes back from {} ms to {at_ms} ms", self.now_ms));
        }
        self.now_ms = at_ms;
        Ok(at_ms)
    }
}

/// Label names as a trace writes them.
#[derive(Default)]
struct KnownLabels {
    short: ShortLabels<KnownLabel>,
    long: FxHashMap<Box<[u8]>, KnownLabel>,
}

struct KnownLabel {
    /// Name that formulas use.
    name: Rc<str>,
    /// Bit of the atom of this name, if it is one of the first 64 of the formula.
    low: u64,
    /// Number of the atom, if it is a later one.
    high: Option<u32>,
}

impl KnownLabels {
    /// Returns what is known of a label, given its short form if it has one.
    #[inline]
    fn get(&self, short: Option<ShortLabel>, label: &[u8]) -> Option<&KnownLabel> {
        match short {
            Some(short) => self.short.get(short),
            None => self.long.get(label),
        }
    }

    fn name(&mut self, label: &str, monitor: &Monitor) -> Option<Rc<str>> {
        let short = ShortLabel::of(label.as_bytes());
        if let Some(known) = self.get(short, label.as_bytes()) {
            return Some(Rc::clone(&known.name));
        }
        // A trace of ever-new labels must not fill the memory.
        if self.short.len() + self.long.len() >= KNOWN_LABELS_MAX {
            self.short.clear();
            self.long.clear();
        }
        let name: Rc<str> = spec::read_label(label)?.into();
        let labels = monitor.labels([&*name]);
        let high = labels.iter().next().filter(|&number| number >= 64);
        let known = KnownLabel { name: Rc::clone(&name), low: labels.bits(), high };
        match short {
            Some(short) => self.short.insert(short, known),
            None => {
                self.long.insert(label.as_bytes().into(), known);
            }
        }
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
