//! `farlead explain`: a spec in words, as sub-goals and as an automaton.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use farlead::gui::TypedText;
use farlead::ltl::{Automaton, Graph, GraphEdge, Permanent, ResidualId, Unit};
use farlead::spec::{self, Expectation, Judgement, Linted, ScenarioStep, Spec, WitnessStep, shown_path};

use crate::lint::counted;
use crate::project::Project;
use crate::sources::{self, Shell};
use crate::stdout::out;
use crate::{Exit, Usage};

/// Most states of an automaton that is worth drawing.
const STATES_MAX: usize = 500;

/// Most steps of a witness, and most goals, that are shown.
const STEPS_SHOWN_MAX: usize = 100;

/// Put a spec into words.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead explain specs/chesswalk/about.ltl
  farlead explain specs/chesswalk/about.ltl --only a --dot | dot -Tsvg > about.svg

Exit codes: 0 explained; 2 no such spec, or an automaton of more than 500 states for --dot;
3 the spec is missing or has mistakes.")]
pub struct ExplainArgs {
    /// Spec file
    #[arg(value_name = "SPEC")]
    spec: PathBuf,
    /// Explain only the spec of this name, or scenarios with this tag
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Write the automaton for Graphviz, in place of words
    #[arg(long)]
    dot: bool,
}

pub fn run(args: &ExplainArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let judged = sources::read(&args.spec, &Project::find()?)?;
    judged.unless_mistaken(shell)?;
    let Linted { file, judgements, .. } = &judged.linted;
    let mut out = BufWriter::new(out());
    let wanted: Vec<(&Spec, &Judgement)> = file
        .specs
        .iter()
        .zip(judgements)
        .filter(|(spec, _)| args.only.as_ref().is_none_or(|name| spec.is_called(name)))
        .collect();
    if wanted.is_empty() {
        return Err(Usage::new(no_such_spec(args, &file.specs)).into());
    }
    for (at, (spec, judgement)) in wanted.into_iter().enumerate() {
        if args.dot {
            write_dot(&mut out, spec)?;
            continue;
        }
        if at > 0 {
            writeln!(out)?;
        }
        explain(&mut out, spec, judgement)?;
    }
    out.flush()?;
    Ok(Exit::Passed)
}

fn no_such_spec(args: &ExplainArgs, specs: &[Spec]) -> String {
    let names: Vec<&str> = specs.iter().map(|spec| &*spec.name).collect();
    format!(
        "{} has no spec `{}`; it has `{}`",
        shown_path(&args.spec),
        args.only.as_deref().unwrap_or_default(),
        names.join("`, `")
    )
}

/// Writes what `spec` asks for, in words, as sub-goals, and with a shortest run.
pub fn explain(out: &mut impl Write, spec: &Spec, judgement: &Judgement) -> io::Result<()> {
    writeln!(out, "{} {:?}: {}", spec.expectation.word(), spec.name, promise(spec.expectation))?;
    writeln!(out, "  {}", spec.formulas.display(spec.formula))?;

    if spec.typed == TypedText::Counts {
        writeln!(out, "  Text that the run itself types counts like the app's.")?;
    }
    if spec.times_clause().is_some() {
        let quantum = Unit::Time.written(spec.formulas.quantum_ms());
        writeln!(out, "  Times of steps are rounded down to {quantum}.")?;
    }

    if let Some(scenario) = &spec.scenario {
        writeln!(out, "\nScenario")?;
        for ScenarioStep { text, means } in &scenario.steps {
            writeln!(out, "  {text}")?;
            if !means.is_empty() {
                writeln!(out, "      {means}")?;
            }
        }
    }

    writeln!(out, "\nIn words")?;
    writeln!(out, "  At the first step, the start of the app:")?;
    for (indent, line) in spec::in_words(&spec.formulas, spec.formula) {
        writeln!(out, "  {:indent$}{line}", "", indent = 2 * (indent + 1))?;
    }

    writeln!(out, "\nSub-goals")?;
    let goals = spec::sub_goals(&spec.formulas, spec.formula);
    for (number, goal) in goals.iter().take(STEPS_SHOWN_MAX).enumerate() {
        let reach = if goal.reach.is_empty() { "any step".to_owned() } else { goal.reach.join(" & ") };
        let when = if goal.at_once { "at that very step" } else { "some time" };
        let meanwhile = goal.meanwhile.as_ref().map(|held| format!(", meanwhile {held}")).unwrap_or_default();
        writeln!(out, "  {}. {reach} ({when}{meanwhile})", number + 1)?;
    }
    if goals.len() > STEPS_SHOWN_MAX {
        writeln!(out, "  and {} more", goals.len() - STEPS_SHOWN_MAX)?;
    }

    writeln!(out, "\nAtoms")?;
    for atom in spec.formulas.atoms(spec.formula) {
        let name = spec.formulas.name(atom);
        let meaning = spec.atoms.get(name).map_or_else(|| "a label of yours".to_owned(), spec::atom_in_words);
        writeln!(out, "  {name}: {meaning}")?;
    }

    writeln!(out, "\nLevel {}, {}", spec.level(), counted_states(spec))?;
    write_witness(out, spec, judgement)
}

fn promise(expectation: Expectation) -> &'static str {
    match expectation {
        Expectation::Possible => "some run satisfies",
        Expectation::Never => "no run may satisfy",
        Expectation::Must => "no run may violate for good",
    }
}

fn counted_states(spec: &Spec) -> String {
    let clock = if spec.formulas.has_time(spec.formula) { ", with a clock" } else { "" };
    match Automaton::new(&spec.formulas, spec.formula).graph(STATES_MAX) {
        Some(graph) => format!("an automaton of {}{clock}", counted(graph.states.len(), "state")),
        None if spec.formulas.has_keep(spec.formula) => format!("an automaton of too many values{clock}"),
        None => format!("an automaton of more than {STATES_MAX} states{clock}"),
    }
}

fn write_witness(out: &mut impl Write, spec: &Spec, judgement: &Judgement) -> io::Result<()> {
    let Some(witness) = &judgement.witness else {
        return writeln!(
            out,
            "\nNo shortest witness: no run of an app satisfies the formula, or it is too large"
        );
    };
    writeln!(out, "\nA shortest witness, {}", counted(witness.len(), "step"))?;
    let mut automaton = Automaton::new(&spec.formulas, spec.formula);
    let mut state = ResidualId::START;
    for (step, WitnessStep { elapsed_ms, labels }) in witness.iter().enumerate() {
        if step == STEPS_SHOWN_MAX {
            return writeln!(out, "  and {} more", witness.len() - step);
        }
        let shown: Vec<String> = labels
            .iter()
            .map(|(name, holds)| if *holds { name.clone() } else { format!("!{name}") })
            .collect();
        let shown = if shown.is_empty() { "anything".to_owned() } else { shown.join(" & ") };
        let later = if *elapsed_ms == 0 {
            String::new()
        } else {
            format!("{} later: ", Unit::Time.written(*elapsed_ms))
        };
        // Each step is shown with the residual it leaves, which tells the purpose of the step.
        let held = labels.iter().filter(|(_, holds)| *holds).map(|(name, _)| &**name);
        let labels = automaton.labels(held).after(*elapsed_ms);
        state = automaton.step(state, &labels);
        writeln!(out, "  {step}. {later}{shown}")?;
        writeln!(out, "     leaves {}", automaton.residual(state).shortened(50))?;
    }
    Ok(())
}

fn write_dot(out: &mut impl Write, spec: &Spec) -> anyhow::Result<()> {
    let mut automaton = Automaton::new(&spec.formulas, spec.formula);
    let Some(graph) = automaton.graph(STATES_MAX) else {
        let what = match spec.formulas.has_keep(spec.formula) {
            true => {
                "keeps too many values at a time, as when a later step may keep one each time".to_string()
            }
            false => format!("has more than {STATES_MAX} states"),
        };
        let message = format!("the automaton of `{}` {what}; nobody could read its picture", spec.name);
        return Err(Usage::new(message).into());
    };
    writeln!(out, "digraph {} {{", quoted(&spec.name))?;
    writeln!(out, "  rankdir=LR; node [shape=box, style=rounded, fontname=\"sans-serif\"];")?;
    writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=10];")?;
    // Most steps of most formulas violate them: their arrows would hide the others.
    let lost: Vec<bool> = graph
        .states
        .iter()
        .enumerate()
        // The start is drawn even if it is lost already, as a picture needs one node.
        .map(|(at, &state)| at > 0 && automaton.permanent(state) == Permanent::Violated)
        .collect();
    let lost_words = lost.contains(&true).then_some("a step without an arrow violates the formula for good");
    let notes: Vec<&str> = lost_words.into_iter().chain(automaton.has_time().then_some(OF_TIME)).collect();
    if !notes.is_empty() {
        writeln!(out, "  label={};", quoted(&notes.join("\n")))?;
    }
    for (at, &state) in graph.states.iter().enumerate().filter(|(at, _)| !lost[*at]) {
        let label = wrapped(&automaton.residual(state).shortened(30).to_string());
        // A double border: a trace that ends here satisfies the formula. None ends before its first step.
        let can_end = graph.edges.iter().any(|edge| edge.to == at);
        let border = if can_end && automaton.is_satisfied(state) { ", peripheries=2" } else { "" };
        let for_good = automaton.permanent(state) == Permanent::Satisfied;
        let colour = if for_good { ", color=darkgreen" } else { "" };
        writeln!(out, "  {at} [label={}{border}{colour}];", quoted(&label))?;
    }
    for arrow in arrows(&graph).filter(|arrow| !lost[arrow.from] && !lost[arrow.to]) {
        // The labels of an arrow may have too many cases to be written.
        let label = arrow.in_words(&automaton, "…", "\n", "\n");
        writeln!(out, "  {} -> {} [label={}];", arrow.from, arrow.to, quoted(&label))?;
    }
    writeln!(out, "}}")?;
    Ok(())
}

/// Meaning of the times in a picture.
const OF_TIME: &str = "states that differ by the time that is left are one, with the most that can be left; times are for that one";

/// An arrow of a drawn automaton: the steps between two states at the same times.
pub struct Arrow<'g> {
    /// Number of the state it leaves.
    pub from: usize,
    /// Number of the state it leads to.
    pub to: usize,
    /// One edge, or that of the steps with less time left and that of those after which time begins anew.
    edges: &'g [GraphEdge],
}

/// Returns the arrows of `graph`, in the order of its edges.
pub fn arrows(graph: &Graph) -> impl Iterator<Item = Arrow<'_>> {
    let is_one = |one: &GraphEdge, next: &GraphEdge| {
        (one.from, one.to, one.passed) == (next.from, next.to, next.passed)
    };
    let together = graph.edges.chunk_by(is_one);
    together.map(|edges| Arrow { from: edges[0].from, to: edges[0].to, edges })
}

impl Arrow<'_> {
    /// Returns the steps in words: the time that passes before them, where it matters, and their labels, with `or` between the
    /// cases, or `many` if they are too many, and `also` before the steps after which time begins anew.
    pub fn in_words(&self, automaton: &Automaton, many: &str, or: &str, also: &str) -> String {
        let mut words = String::new();
        for edge in self.edges {
            let labels = match &edge.cubes {
                None => many.to_owned(),
                Some(cubes) => {
                    cubes.iter().map(|cube| in_a_line(cube, automaton)).collect::<Vec<_>>().join(or)
                }
            };
            match (edge.begins_anew, edge.passed) {
                (true, _) if !words.is_empty() => words += &format!("{also}time begins anew by {labels}"),
                (true, Some(passed)) => words += &format!("{passed}, and time begins anew: {labels}"),
                (true, None) => words += &format!("at any time, and time begins anew: {labels}"),
                (false, Some(passed)) => words += &format!("{passed}: {labels}"),
                (false, None) => words += &labels,
            }
        }
        words
    }
}

/// Writes a set of labels in a line; `!` stands before those that do not hold.
fn in_a_line(cube: &[(u32, bool)], automaton: &Automaton) -> String {
    if cube.is_empty() {
        return "anything".to_owned();
    }
    let parts = cube.iter().map(|&(atom, holds)| {
        let name = automaton.atom_name(atom);
        if holds { name.to_owned() } else { format!("!{name}") }
    });
    parts.collect::<Vec<_>>().join(" & ")
}

/// Breaks `text` into lines of about thirty letters, so that a picture is no wider than it is high.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let is_first = lines.is_empty();
        if width > 30 {
            lines.push('\n');
            width = 0;
        } else if !is_first {
            lines.push(' ');
        }
        lines.push_str(word);
        width += word.chars().count() + 1;
    }
    lines
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
