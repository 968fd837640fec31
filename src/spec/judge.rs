//! Judgement of specs without a device: can the spec be met, can it fail, is it what was meant.
//!
//! A spec that can only fail is an error. A spec that can only pass is a warning.

use std::collections::BTreeSet;

use crate::gui::{Atom, Comparison, Constant, Key, Op, TypedText, UserAction};
use crate::ltl::{
    Assumption, Automaton, Bound, Cube, Formula, Formulas, Labels, Node, Permanent, ResidualId, Share,
    TooManyResiduals, Unit,
};

use super::{Diagnostic, Diagnostics, Expectation, Parsed, Source, Spec, SpecFile, parse_given};

/// Step of a shortest witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessStep {
    /// Time since the step before; 0 if it does not matter.
    pub elapsed_ms: u32,
    /// The atoms that matter, with true for those that hold.
    pub labels: Vec<(String, bool)>,
}

/// Judgement of a spec, made without a device.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Mistakes, and formulas that do not say what they seem to.
    pub diagnostics: Vec<Diagnostic>,
    /// Length of a shortest trace that decides the spec, with the start: it satisfies the formula, or for `must` it
    /// violates the formula for good. `None` if there is none, or none was found.
    pub shortest: Option<u32>,
    /// Shortest trace that satisfies the formula and that labels of an app allow.
    pub witness: Option<Vec<WitnessStep>>,
    /// Work that the judgement took, see [`Automaton::work`].
    pub work: u64,
}

/// File of specs, read and judged.
#[derive(Clone, Debug)]
pub struct Linted {
    /// Items that can be read.
    pub file: SpecFile,
    /// Diagnostics of the file, in the order of its text.
    pub diagnostics: Diagnostics,
    /// Judgement of each spec of `file`.
    pub judgements: Vec<Judgement>,
}

/// Reads the specs of a file, and judges those that can be read.
///
/// ```
/// use farlead::spec::{Source, lint};
///
/// let linted = lint(&Source::new("never.ltl", "possible \"both\": [screen = on] & ![screen = on]"));
/// let found: Vec<&str> = linted.diagnostics.iter().map(|found| found.code).collect();
/// assert_eq!(found, ["E-unsatisfiable"]);
/// ```
pub fn lint(source: &Source) -> Linted {
    lint_given(source, &[])
}

/// Lints a file of a project in which every file has the actions `given`.
pub fn lint_given(source: &Source, given: &[UserAction]) -> Linted {
    let Parsed { file, mut diagnostics } = parse_given(source, given);
    let mut work = 0;
    let judgements: Vec<Judgement> = file
        .specs
        .iter()
        .map(|spec| {
            // Work is counted, not timed: the same file gets the same answer on every machine.
            if work > FILE_WORK_MAX {
                return unjudged(spec);
            }
            let judgement = judge(spec);
            work += judgement.work;
            judgement
        })
        .collect();
    for judgement in &judgements {
        judgement.diagnostics.iter().for_each(|diagnostic| diagnostics.add(diagnostic.clone()));
    }
    Linted { file, diagnostics: diagnostics.sorted(), judgements }
}

/// Work spent on the specs of a file before the rest is left unjudged: a second or two.
const FILE_WORK_MAX: u64 = 3_000_000;

/// Returns the judgement of a spec after the work for its file is spent.
fn unjudged(spec: &Spec) -> Judgement {
    let message = "this formula is not judged: those before it in the file took too long".to_owned();
    let help = "lint it in a file of its own".to_owned();
    let diagnostic = Diagnostic::warning("W-not-judged", spec.spans.formula.clone(), message).help(help);
    Judgement { diagnostics: vec![diagnostic], shortest: None, witness: None, work: 0 }
}

/// Judges `spec` by its formula alone.
pub fn judge(spec: &Spec) -> Judgement {
    let automaton = Automaton::new(&spec.formulas, spec.formula);
    let mut judge = Judge { spec, automaton, diagnostics: Vec::new(), work: 0 };
    judge.judge_atoms();
    judge.judge_typed();
    judge.judge_times();
    judge.judge_labels_at_one_step();
    judge.judge_whole();
    let shortest = judge.judge_steps();
    let witness = judge.judge_as_an_app_would();
    let work = judge.automaton.work() + judge.work;
    Judgement { diagnostics: judge.diagnostics, shortest, witness, work }
}

/// Work spent on the parts of a `must` by themselves; further parts get no warning.
const PARTS_WORK_MAX: u64 = 1_000_000;

/// Most steps that are followed to find what a witness needs.
const STEPS_FOLLOWED_MAX: usize = 2_000;

/// Largest number of atoms that are compared in pairs: more than a person writes.
const ATOMS_COMPARED_MAX: usize = 200;

/// Warnings that say already why no app can satisfy a formula.
const EXCLUSION_CODES: [&str; 2] = ["W-contradictory-labels", "W-never-holds"];

struct Judge<'a> {
    spec: &'a Spec,
    automaton: Automaton,
    diagnostics: Vec<Diagnostic>,
    /// Work of judging parts by themselves.
    work: u64,
}

impl Judge<'_> {
    fn judge_atoms(&mut self) {
        for (name, atom) in &self.spec.atoms {
            if let Some(reason) = atom.contradiction() {
                self.warn("W-never-holds", format!("{name} can never hold: {reason}"), None);
            }
            // `[text != OK]` holds on nearly every screen; most people mean `![text = OK]`.
            if let Atom::Widget(all) = atom
                && all.iter().all(|comparison| comparison.op == Op::NotEqual)
            {
                let opposite: Vec<String> = all.iter().map(opposite).collect();
                let message = format!("{name} holds as soon as any visible widget is another");
                let help = format!("that no widget is like that is written {}", opposite.join(" & "));
                self.warn("W-some-other-widget", message, Some(help));
            }
        }
    }

    /// Warns of a spec that asks for nothing but texts that a run can type, and of a clause that changes nothing.
    fn judge_typed(&mut self) {
        let spec = self.spec;
        if spec.typed == TypedText::IsNoEvidence {
            return;
        }
        // A search types the texts that its spec names, and those of no regular expression.
        let can_be_typed = |atom: &Atom| match atom {
            Atom::Widget(all) | Atom::Count { of: all, .. } => all.iter().any(|one| {
                one.key == Key::Text
                    && matches!((one.op, &one.value), (Op::Equal | Op::Contains, Constant::Text(_)))
            }),
            Atom::State(_) | Atom::Action(_) | Atom::Checked(_) | Atom::Placed(_) | Atom::Compared { .. } => {
                false
            }
        };
        let (message, help) = if !spec.atoms.values().any(Atom::reads_typed_text) {
            ("`typed counts` changes nothing here: no atom compares `text` alone", "leave it out")
        } else if spec.atoms.values().all(|atom| atom.reads_typed_text() && can_be_typed(atom)) {
            (
                "a run may meet this by typing these texts itself, as `typed counts` lets it",
                "leave the clause out, and only text of the app meets it",
            )
        } else {
            return;
        };
        // A clause that the text does not have has no place of its own.
        let place = spec.spans.typed.clone().unwrap_or_else(|| spec.spans.item.clone());
        self.diagnostics.push(Diagnostic::warning("W-typed-text", place, message).help(help));
    }

    /// Warns of bounds that are too short for the multiples that times are rounded to, and of a clause that changes nothing.
    fn judge_times(&mut self) {
        let spec = self.spec;
        let (times_ms, quantum_ms) = (spec.formulas.times_ms(spec.formula), spec.formulas.quantum_ms());
        let quantum = Unit::Time.written(quantum_ms);
        let shortest_ms = times_ms.iter().copied().filter(|&ms| ms > 0).min();
        let (message, help) = if let (true, Some(_)) = (times_ms.is_empty(), &spec.spans.times) {
            let message = format!("`times to {quantum}` changes nothing here: no bound is in seconds");
            (message, "leave it out".to_string())
        } else if let Some(shortest_ms) = shortest_ms.filter(|&ms| ms < quantum_ms) {
            let finer = if shortest_ms < 10 { "1ms" } else { "10ms" };
            let clause = match spec.scenario {
                Some(_) => format!("@times-to-{finer}"),
                None => format!("times to {finer}"),
            };
            let shortest = Unit::Time.written(shortest_ms);
            let message =
                format!("a bound of {shortest} is shorter than {quantum}, to which times are rounded down");
            (message, format!("write `{clause}` in the head of the spec, and times are rounded less"))
        } else {
            return;
        };
        let place = spec.spans.times.clone().unwrap_or_else(|| spec.spans.formula.clone());
        self.diagnostics.push(Diagnostic::warning("W-times", place, message).help(help));
    }

    /// Warns of atoms that one step must meet and that exclude each other.
    fn judge_labels_at_one_step(&mut self) {
        let spec = self.spec;
        for part in spec.formulas.parts(spec.formula) {
            let Node::And(members) = spec.formulas.node(part) else { continue };
            let atoms: Vec<(&str, &Atom)> = spec
                .formulas
                .members(members)
                .iter()
                .filter(|member| !member.is_negated())
                .filter_map(|&member| atom_of(spec, member))
                .take(ATOMS_COMPARED_MAX)
                .collect();
            let pairs = atoms
                .iter()
                .enumerate()
                .flat_map(|(at, one)| atoms[at + 1..].iter().map(move |two| (one, two)));
            let mut clashing = pairs.filter(|((_, atom), (_, other))| atom.excludes(other));
            // One pair is enough to see the mistake.
            if let Some(((name, _), (other_name, _))) = clashing.next() {
                let message =
                    format!("{name} and {other_name} are asked of one step, and never hold together");
                let help = "put `X` or an until between them, or `|` in place of `&`".to_owned();
                self.warn("W-contradictory-labels", message, Some(help));
            }
        }
    }

    /// Reports a spec that cannot be met, and one that cannot fail.
    fn judge_whole(&mut self) {
        let permanent = self.automaton.permanent(ResidualId::START);
        // An app may show any labels at its first step.
        let at_once = self.automaton.predict(ResidualId::START, &Default::default()).satisfied;
        match (self.spec.expectation, permanent) {
            (Expectation::Possible, Permanent::Violated) => self.refuse(
                "E-unsatisfiable",
                "no run can satisfy this formula".to_owned(),
                "take parts away until it can be met; mind that `Y` is false at the first step, and `X` at the last"
                    .to_owned(),
            ),
            (Expectation::Never, Permanent::Violated) => self.warn(
                "W-cannot-fail",
                "no run can satisfy this formula, so this `never` cannot fail".to_owned(),
                None,
            ),
            (Expectation::Never, _) if permanent == Permanent::Satisfied || at_once == Share::All => self
                .refuse(
                    "E-cannot-pass",
                    "every run satisfies this formula, so this `never` cannot pass".to_owned(),
                    "`never f` forbids runs that satisfy f; was `must` meant?".to_owned(),
                ),
            (Expectation::Must, Permanent::Violated) => self.refuse(
                "E-cannot-pass",
                "every run violates this formula, so this `must` cannot pass".to_owned(),
                "its parts contradict each other; was `never` meant?".to_owned(),
            ),
            (Expectation::Must, Permanent::Satisfied) => self.warn(
                "W-cannot-fail",
                "every run satisfies this formula, so this `must` cannot fail".to_owned(),
                None,
            ),
            (Expectation::Possible, _) if permanent == Permanent::Satisfied || at_once == Share::All => self
                .warn(
                    "W-true-at-start",
                    "every run satisfies this at its first step, so nothing is looked for".to_owned(),
                    Some(
                        "what must hold throughout is written `must`, and what comes later needs `X` or `F`"
                            .to_owned(),
                    ),
                ),
            (
                Expectation::Possible | Expectation::Never | Expectation::Must,
                Permanent::Open | Permanent::Satisfied,
            ) => {}
        }
        // A `must` that fails at once, or never, is reported above.
        if self.spec.expectation == Expectation::Must && permanent == Permanent::Open {
            self.judge_eventualities();
        }
    }

    /// Warns of parts of a `must` that no finite run violates for good.
    fn judge_eventualities(&mut self) {
        let spec = self.spec;
        let mut formulas = spec.formulas.clone();
        for part in parts_asked_for(&mut formulas, spec.formula) {
            if self.work > PARTS_WORK_MAX {
                return;
            }
            // A part that no finite run violates makes no run fail, whatever the others do.
            let mut automaton = Automaton::new(&formulas, part);
            let steps = automaton.steps_to_violation(ResidualId::START);
            self.work += automaton.work();
            if steps == Ok(None) {
                let text = formulas.display(part).shortened(20);
                let message = format!("no finite run violates `{text}`, so this `must` cannot fail by it");
                let help = "give what must come a bound, as in `F[<=5] ...`".to_owned();
                self.warn("W-unbounded-eventuality", message, Some(help));
            }
        }
    }

    /// Returns the fewest steps that decide the spec, and reports a budget below them.
    fn judge_steps(&mut self) -> Option<u32> {
        let (steps, what) = match self.spec.expectation {
            Expectation::Possible => (self.automaton.steps_to_satisfaction(ResidualId::START), "satisfies"),
            Expectation::Never => (self.automaton.steps_to_satisfaction(ResidualId::START), "satisfies"),
            Expectation::Must => (self.automaton.steps_to_violation(ResidualId::START), "violates"),
        };
        let is_given_up = steps.is_err() || self.automaton.is_given_up(ResidualId::START);
        if let Some(name) = growing(&self.spec.formulas, self.spec.formula) {
            let message = format!(
                "each step may keep another `{name}`, and what is asked of each of them can stay open: a long run has more and more to remember"
            );
            let help = "give what is asked of it a bound, as in `F[<=5] ...` or `G[<=5] ...`".to_owned();
            self.warn("W-keep-grows", message, Some(help));
        } else if is_given_up {
            let message = format!("this formula is too large to be judged: {TooManyResiduals}");
            self.warn("W-too-large", message, None);
        }
        let shortest = steps.ok()??;
        if let Some(steps_max) = self.spec.budget.steps_max
            && steps_max < shortest
        {
            let message =
                format!("no run of {steps_max} steps {what} this formula: the shortest has {shortest}");
            let help = format!("write `within {shortest} steps` or more; the start counts as one");
            // A budget that the text does not name has no place of its own.
            let place = self.spec.spans.steps.clone().unwrap_or_else(|| self.spec.spans.item.clone());
            let diagnostic = Diagnostic::error("E-too-few-steps", place, message);
            self.diagnostics.push(diagnostic.help(help));
        }
        Some(shortest)
    }

    /// Returns a shortest witness under the assumption that holds for all apps: some atoms exclude each other, and the
    /// first action is always the start.
    fn judge_as_an_app_would(&mut self) -> Option<Vec<WitnessStep>> {
        let mut formulas = self.spec.formulas.clone();
        let assumption = self.assumption(&mut formulas, true);
        match self.automaton.witness(&formulas, assumption) {
            Err(TooManyResiduals) => None,
            Ok(Some(mut steps)) => {
                self.leave_out_needless(&mut steps);
                let shown = steps.iter().map(|(elapsed_ms, cube)| WitnessStep {
                    elapsed_ms: *elapsed_ms,
                    labels: named(cube, &self.automaton),
                });
                Some(shown.collect())
            }
            Ok(None) => {
                // Without any assumption there is no trace either, which is reported already.
                let is_settled = self.automaton.permanent(ResidualId::START) == Permanent::Violated;
                if !is_settled && self.spec.expectation != Expectation::Must {
                    self.warn_of_no_app(formulas);
                }
                None
            }
        }
    }

    /// Leaves out the atoms that a step of a witness refuses only because atoms exclude each other.
    fn leave_out_needless(&mut self, steps: &mut [(u32, Cube)]) {
        let mut followed = 0;
        for step in 0..steps.len() {
            let refused: Vec<u32> =
                steps[step].1.iter().filter(|(_, holds)| !holds).map(|&(atom, _)| atom).collect();
            for atom in refused {
                followed += steps.len();
                if followed > STEPS_FOLLOWED_MAX {
                    return;
                }
                // The trace with the atom at this step: if it still satisfies the formula, the refusal says nothing.
                let mut labels: Vec<Labels> =
                    steps.iter().map(|(elapsed_ms, cube)| held(cube).after(*elapsed_ms)).collect();
                labels[step].insert(atom);
                let mut state = ResidualId::START;
                for labels in &labels {
                    state = self.automaton.step(state, labels);
                }
                if self.automaton.is_satisfied(state) {
                    steps[step].1.retain(|&(other, _)| other != atom);
                }
            }
        }
    }

    /// Warns of a formula that traces of labels can satisfy, and no run of an app.
    fn warn_of_no_app(&mut self, mut formulas: Formulas) {
        if self.diagnostics.iter().any(|found| EXCLUSION_CODES.contains(&found.code)) {
            return;
        }
        let ends = match self.spec.expectation {
            Expectation::Possible => "so it cannot be met",
            Expectation::Never | Expectation::Must => "so it cannot fail",
        };
        let of_start = self.assumption(&mut formulas, false);
        let at_start = Assumption { later: Formula::TRUE, ..of_start };
        let after_start = Assumption { first: Formula::TRUE, ..of_start };
        // One half of the assumption at a time shows which half rules the runs out.
        if self.automaton.witness(&formulas, at_start) == Ok(None) {
            let message = format!(
                "no run of an app satisfies this, {ends}: the first step is the start, whose action is `reinitialise`"
            );
            let help = "say from the step after on: `X (...)`, or `next: ...`".to_owned();
            self.warn("W-action-at-start", message, Some(help));
        } else if self.automaton.witness(&formulas, after_start) == Ok(None) {
            let message = format!(
                "no run of an app satisfies this, {ends}: `reinitialise` is the action of the first step alone"
            );
            self.warn("W-start-later", message, None);
        } else {
            let message =
                format!("no run of an app satisfies this, {ends}: it needs labels that exclude each other");
            self.warn("W-contradictory-labels", message, None);
        }
    }

    /// Returns the assumption on labels of any app: the start is the first action and no later one. With `exclusion`,
    /// atoms exclude each other too.
    fn assumption(&self, formulas: &mut Formulas, exclusion: bool) -> Assumption {
        let atoms: Vec<(Formula, &Atom)> =
            self.spec.atoms.iter().map(|(name, atom)| (formulas.atom(name), atom)).collect();
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for (at, &(formula, atom)) in atoms.iter().enumerate() {
            if !atom.fits_start() {
                first.push(!formula);
            }
            if !atom.fits_later() {
                later.push(!formula);
            }
            if !exclusion || atoms.len() > ATOMS_COMPARED_MAX {
                continue;
            }
            // An atom that never holds excludes itself.
            if atom.contradiction().is_some() {
                first.push(!formula);
                later.push(!formula);
            }
            for &(other_formula, other) in &atoms[at + 1..] {
                if atom.excludes(other) {
                    let not_both = !formulas.and([formula, other_formula]);
                    first.push(not_both);
                    later.push(not_both);
                }
            }
        }
        Assumption { first: formulas.and(first), later: formulas.and(later) }
    }

    fn warn(&mut self, code: &'static str, message: String, help: Option<String>) {
        let mut diagnostic = Diagnostic::warning(code, self.spec.spans.formula.clone(), message);
        if let Some(help) = help {
            diagnostic = diagnostic.help(help);
        }
        self.diagnostics.push(diagnostic);
    }

    fn refuse(&mut self, code: &'static str, message: String, help: String) {
        self.diagnostics.push(Diagnostic::error(code, self.spec.spans.formula.clone(), message).help(help));
    }
}

/// Returns the parts that `formula` asks for at once: the members of a conjunction, also under `G`.
fn parts_asked_for(formulas: &mut Formulas, formula: Formula) -> Vec<Formula> {
    let mut parts = Vec::new();
    let mut open = vec![(formula, false)];
    while let Some((formula, always)) = open.pop() {
        match (formulas.node(formula), formula.is_negated()) {
            (Node::And(members), false) => {
                open.extend(formulas.members(members).iter().map(|&member| (member, always)));
            }
            (Node::Until(Bound::ANY, Formula::TRUE, f), true) => open.push((!f, true)),
            _ if always => parts.push(formulas.always(Bound::ANY, formula)),
            _ => parts.push(formula),
        }
    }
    // The stack gave the parts from last to first.
    parts.reverse();
    parts
}

/// Returns a name that `formula` keeps at every step, with something of it that may stay open without end.
fn growing(formulas: &Formulas, formula: Formula) -> Option<&str> {
    let mut open = vec![(formula, false, None)];
    let mut seen = BTreeSet::new();
    while let Some((formula, at_every_step, kept)) = open.pop() {
        if !formulas.has_keep(formula) && kept.is_none() || !seen.insert((formula, at_every_step, kept)) {
            continue;
        }
        let negate = formula.is_negated();
        let signed = |f: Formula| if negate { !f } else { f };
        let is_endless = |bound: Bound| bound.to == Bound::NO_END;
        if let (Some(name), Node::Until(bound, ..) | Node::StrongRelease(bound, ..)) =
            (kept, formulas.node(formula))
            && is_endless(bound)
            && formulas.names_kept(formula)
        {
            return Some(name);
        }
        match formulas.node(formula) {
            Node::True | Node::Atom(_) => {}
            Node::And(members) => {
                let members = formulas.members(members).iter();
                open.extend(members.map(|&f| (signed(f), at_every_step, kept)));
            }
            Node::Iff(a, b) => open.extend([(a, at_every_step, kept), (b, at_every_step, kept)]),
            Node::Keep(keep, f) => {
                let name = formulas.keep_text(keep).split(' ').next();
                open.push((signed(f), at_every_step, if at_every_step { name } else { kept }));
            }
            Node::Next(f) => open.push((signed(f), at_every_step, kept)),
            // The left side of an until, and the right one of a release, is asked for at every step.
            Node::Until(bound, a, b) => {
                open.push((signed(a), at_every_step || !negate && is_endless(bound), kept));
                open.push((signed(b), at_every_step || negate && is_endless(bound), kept));
            }
            Node::StrongRelease(bound, a, b) => {
                open.push((signed(a), at_every_step || negate && is_endless(bound), kept));
                open.push((signed(b), at_every_step || !negate && is_endless(bound), kept));
            }
            // What they say of later steps is beyond this.
            Node::Previous(_) | Node::Since(..) => {}
        }
    }
    None
}

/// Returns `![text = OK]` for `text != OK`.
fn opposite(comparison: &Comparison) -> String {
    let equal = Comparison { op: Op::Equal, ..comparison.clone() };
    format!("![{equal}]")
}

fn held(cube: &Cube) -> Labels {
    let mut labels = Labels::default();
    cube.iter().filter(|(_, holds)| *holds).for_each(|&(atom, _)| labels.insert(atom));
    labels
}

fn named(cube: &Cube, automaton: &Automaton) -> Vec<(String, bool)> {
    cube.iter().map(|&(atom, holds)| (automaton.atom_name(atom).to_string(), holds)).collect()
}

fn atom_of(spec: &Spec, formula: Formula) -> Option<(&str, &Atom)> {
    let Node::Atom(atom) = spec.formulas.node(formula) else { return None };
    let name = spec.formulas.name(atom);
    spec.atoms.get(name).map(|atom| (name, atom))
}
