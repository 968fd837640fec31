//! The shape of a scenario: its sentences as one formula.
//!
//! What is given comes at some step, at the start of the app or later. Each action comes at a later step; in between, the app
//! does not crash, and nothing is done that a later `When` names. What is expected comes from the last action's own step on.

use std::fmt::Write as _;

use super::document::StepKind;
use super::sentence::{Meaning, Piece, SentenceKind, When};
use crate::spec::Expectation;

/// Part of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Operators and brackets.
    Sign(String),
    Piece(Piece),
}

/// Step of a run that a scenario names.
struct Moment<'a> {
    /// What holds at the step, together.
    pieces: Vec<&'a Piece>,
    kind: StepKind,
    is_action: bool,
    /// True for the start of the app with an activity.
    is_start: bool,
}

/// Returns the formula of a scenario, and the expectation of its runs. `is_rule` says that it stands below a rule, where it
/// holds for every run.
pub(super) fn shape(steps: &[(StepKind, Meaning)], is_rule: bool) -> (Expectation, Vec<Part>) {
    let acts = steps.iter().rposition(|(kind, _)| *kind != StepKind::Then).map_or(0, |last| last + 1);
    let (acts, expected) = steps.split_at(acts);
    let starts = acts.first().is_some_and(|(_, meaning)| meaning.kind == SentenceKind::Start);
    let moments = moments(acts);
    let mut shape = Shape { parts: Vec::new(), sign: String::new(), closing: 0 };
    let has_guard = expected.iter().any(|(_, meaning)| matches!(meaning.when, When::Always | When::Never));
    let is_guard = has_guard || is_rule && !expected.is_empty();
    let is_within = expected.iter().any(|(_, meaning)| matches!(meaning.when, When::Within(..)));
    let expectation = match (is_guard, is_within) {
        (false, _) => Expectation::Possible,
        (true, false) => Expectation::Never,
        // Only a step that did not come in time violates it for good.
        (true, true) => Expectation::Must,
    };
    if expectation == Expectation::Must {
        shape.open("!(");
    }
    let is_alone = moments.is_empty();
    shape.moments(&moments, starts);
    if !expected.is_empty() {
        if !is_alone {
            shape.sign(" & ");
        }
        match expectation {
            Expectation::Possible => shape.expected(expected),
            Expectation::Never => shape.forbidden(expected, is_alone),
            Expectation::Must => {
                shape.open("!(");
                shape.required(expected, is_alone);
            }
        }
    } else if is_alone {
        // The start alone.
        shape.sign("true");
    }
    (expectation, shape.close())
}

/// Returns the moments that `steps` name. Several states that are given are one moment.
fn moments<'a>(steps: &'a [(StepKind, Meaning)]) -> Vec<Moment<'a>> {
    let mut moments: Vec<Moment<'a>> = Vec::new();
    for (kind, meaning) in steps {
        let is_action = meaning.kind == SentenceKind::Action;
        if meaning.kind == SentenceKind::Start {
            if !meaning.piece.text.is_empty() {
                moments.push(Moment {
                    pieces: vec![&meaning.piece],
                    kind: *kind,
                    is_action: true,
                    is_start: true,
                });
            }
            continue;
        }
        match moments.last_mut() {
            Some(last) if !is_action && !last.is_action && last.kind == *kind => {
                last.pieces.push(&meaning.piece)
            }
            _ => {
                let moment =
                    || Moment { pieces: vec![&meaning.piece], kind: *kind, is_action, is_start: false };
                moments.extend((0..meaning.times).map(|_| moment()));
            }
        }
    }
    moments
}

/// A formula that is being written.
struct Shape {
    parts: Vec<Part>,
    /// Signs since the last piece.
    sign: String,
    /// Brackets that are open.
    closing: usize,
}

impl Shape {
    fn sign(&mut self, text: &str) {
        self.sign.push_str(text);
    }

    /// Adds `text`, whose brackets stay open to the end.
    fn open(&mut self, text: &str) {
        self.closing += text.matches('(').count();
        self.sign.push_str(text);
    }

    fn piece(&mut self, piece: &Piece) {
        let sign = std::mem::take(&mut self.sign);
        if !sign.is_empty() {
            self.parts.push(Part::Sign(sign));
        }
        self.parts.push(Part::Piece(piece.clone()));
    }

    fn pieces(&mut self, pieces: &[&Piece]) {
        for (at, piece) in pieces.iter().enumerate() {
            if at > 0 {
                self.sign(" & ");
            }
            self.piece(piece);
        }
    }

    fn close(mut self) -> Vec<Part> {
        let closing = ")".repeat(self.closing);
        self.sign.push_str(&closing);
        self.parts.push(Part::Sign(self.sign));
        self.parts
    }

    /// Adds the moments one after the other; the first at the start of the app or later, with `starts` as it is said.
    fn moments(&mut self, moments: &[Moment<'_>], starts: bool) {
        for (at, moment) in moments.iter().enumerate() {
            let is_first = at == 0;
            if !is_first {
                self.sign(" & ");
            }
            match (moment.kind, moment.is_action) {
                // The moment of step 0.
                _ if moment.is_start => {}
                _ if is_first && !starts => self.open("F ("),
                (StepKind::Given, false) => self.open("F ("),
                (StepKind::Given, true) => self.open("X F ("),
                (StepKind::When | StepKind::Then, true) => {
                    self.sign("X ((");
                    self.meanwhile(&moments[at..], None);
                    self.sign(") U (");
                    self.closing += 2;
                }
                (StepKind::When | StepKind::Then, false) => {
                    // The state may come with the action before, which a later one may repeat.
                    let before = moments[..at].last().filter(|before| before.is_action);
                    self.sign("((");
                    self.meanwhile(&moments[at..], before);
                    self.sign(") U (");
                    self.closing += 2;
                }
            }
            self.pieces(&moment.pieces);
        }
    }

    /// Adds the condition on all steps before the first of `moments`.
    fn meanwhile(&mut self, moments: &[Moment<'_>], before: Option<&Moment<'_>>) {
        self.sign("![crashed = true]");
        let mut named: Vec<&str> = before.map(|before| &*before.pieces[0].text).into_iter().collect();
        for moment in moments
            .iter()
            .filter(|moment| moment.is_action && moment.kind == StepKind::When && !moment.is_start)
        {
            let piece = moment.pieces[0];
            if !named.contains(&&*piece.text) {
                named.push(&piece.text);
                self.sign(" & !");
                self.piece(piece);
            }
        }
    }

    /// Adds what some run shows.
    fn expected(&mut self, expected: &[(StepKind, Meaning)]) {
        let (same, others): (Vec<&Meaning>, Vec<&Meaning>) =
            expected.iter().map(|(_, meaning)| meaning).partition(|meaning| meaning.when == When::Eventually);
        let mut is_first = true;
        for meaning in others {
            self.joined(&mut is_first);
            match meaning.when {
                When::Within(number, unit) => {
                    let _ = write!(self.sign, "F[<={}] ", unit.written(number));
                }
                // The others are no part of a run that is looked for.
                When::Eventually | When::Immediately | When::Always | When::Never => {}
            }
            self.piece(&meaning.piece);
        }
        if !same.is_empty() {
            self.joined(&mut is_first);
            self.sign("F (");
            let pieces: Vec<&Piece> = same.iter().map(|meaning| &meaning.piece).collect();
            self.pieces(&pieces);
            self.sign(")");
        }
    }

    fn joined(&mut self, is_first: &mut bool) {
        if !std::mem::take(is_first) {
            self.sign(" & ");
        }
    }

    /// Adds what no run may show: the opposite of what every run has to.
    fn forbidden(&mut self, expected: &[(StepKind, Meaning)], is_alone: bool) {
        self.open("(");
        for (at, (_, meaning)) in expected.iter().enumerate() {
            if at > 0 {
                self.sign(" | ");
            }
            self.sign(match meaning.when {
                When::Always => "F !",
                When::Never => "F ",
                // Without anything before it, it is said of every step.
                When::Eventually if is_alone => "F !",
                When::Eventually | When::Immediately | When::Within(..) => "!",
            });
            self.piece(&meaning.piece);
        }
    }

    /// Adds what every run has to show.
    fn required(&mut self, expected: &[(StepKind, Meaning)], is_alone: bool) {
        for (at, (_, meaning)) in expected.iter().enumerate() {
            if at > 0 {
                self.sign(" & ");
            }
            match meaning.when {
                When::Always => self.sign("G "),
                When::Never => self.sign("G !"),
                When::Eventually if is_alone => self.sign("G "),
                When::Within(number, unit) => {
                    let _ = write!(self.sign, "F[<={}] ", unit.written(number));
                }
                When::Eventually | When::Immediately => {}
            }
            self.piece(&meaning.piece);
        }
    }
}
