//! Formulas in plain words, and the goals they set one after the other.
//!
//! The words are those of the normal form: two spellings of one formula have one explanation. A formula that is too long
//! to be read is shown as it is written.

use std::collections::VecDeque;

use crate::gui::{Atom, Comparison, Constant, Key, Op, Pattern, Relation, Term};
use crate::ltl::{Bound, Formula, Formulas, Node, Unit};

/// Largest number of atoms of a part that is put into words.
const ATOMS_MAX: u64 = 200;

/// Deepest indentation of a part that is put into words.
const INDENT_MAX: usize = 30;

/// Goal to reach, and the condition on the way there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubGoal {
    /// Parts of the formula that one step must meet, as they are written.
    pub reach: Vec<String>,
    /// Condition at every step before.
    pub meanwhile: Option<String>,
    /// True if the very next step must meet it.
    pub at_once: bool,
}

/// Returns `formula` in words, as lines with their indentation.
pub fn in_words(formulas: &Formulas, formula: Formula) -> Vec<(usize, String)> {
    let mut words = Words { formulas, lines: Vec::new() };
    words.say(0, "", formula);
    words.lines
}

/// Returns the goals on the way to a run that satisfies `formula`, as far as it sets them in a row.
pub fn sub_goals(formulas: &Formulas, formula: Formula) -> Vec<SubGoal> {
    let mut goals = Vec::new();
    let mut open = Some((formula, None, true));
    while let Some((formula, meanwhile, at_once)) = open.take() {
        let mut reach = Vec::new();
        let mut later = None;
        let mut parts: VecDeque<Formula> = conjuncts(formulas, formula).into();
        while let Some(part) = parts.pop_front() {
            match (formulas.node(part), part.is_negated()) {
                // With the value, the same step goes on.
                (Node::Keep(keep, f), false) if later.is_none() => {
                    reach.push(format!("keep {}", formulas.keep_text(keep)));
                    parts.extend(conjuncts(formulas, f));
                }
                // One goal goes on. A second one beside it is a part to be reached as a whole.
                (Node::Next(f), false) if later.is_none() => later = Some((f, None, true)),
                (Node::Until(_, left, right), false) if later.is_none() => {
                    let meanwhile = (left != Formula::TRUE).then(|| formulas.display(left).to_string());
                    later = Some((right, meanwhile, false));
                }
                _ => reach.push(formulas.display(part).to_string()),
            }
        }
        // A step that asks for nothing itself is no goal.
        let is_step_alone = reach.is_empty() && later.is_some();
        match later {
            // `X (a U b)`: the until itself is the goal, one step later.
            Some(next) if is_step_alone && meanwhile.is_none() => open = Some(next),
            later => {
                goals.push(SubGoal { reach, meanwhile, at_once });
                open = later;
            }
        }
    }
    goals
}

fn conjuncts(formulas: &Formulas, formula: Formula) -> Vec<Formula> {
    match formulas.node(formula) {
        Node::And(members) if !formula.is_negated() => formulas.members(members).to_vec(),
        Node::True
        | Node::Atom(_)
        | Node::And(_)
        | Node::Keep(..)
        | Node::Iff(..)
        | Node::Next(_)
        | Node::Until(..)
        | Node::StrongRelease(..)
        | Node::Previous(_)
        | Node::Since(..) => vec![formula],
    }
}

struct Words<'a> {
    formulas: &'a Formulas,
    lines: Vec<(usize, String)>,
}

impl Words<'_> {
    /// Says `formula` after `lead`, which names its steps.
    fn say(&mut self, indent: usize, lead: &str, formula: Formula) {
        if self.is_plain(formula) || self.formulas.atom_count(formula) > ATOMS_MAX || indent > INDENT_MAX {
            let text = self.formulas.display(formula).shortened(20).to_string();
            self.line(indent, format!("{lead}{text}"));
            return;
        }
        let negated = formula.is_negated();
        // Lines of an item of a list stand below its text, not below its dash.
        let below = if lead.is_empty() { indent } else { indent + 1 };
        match self.formulas.node(formula) {
            Node::True | Node::Atom(_) => unreachable!("said as it is written"),
            Node::And(members) if negated && self.premises(self.formulas.members(members)) > 0 => {
                let members = self.formulas.members(members).to_vec();
                let is_premise = |&member: &Formula| !member.is_negated() && self.is_plain(member);
                let (premises, conclusions): (Vec<Formula>, Vec<Formula>) =
                    members.into_iter().partition(is_premise);
                let shown: Vec<String> =
                    premises.iter().map(|&premise| self.formulas.display(premise).to_string()).collect();
                let condition = format!("{lead}if {}", shown.join(" & "));
                match conclusions[..] {
                    [conclusion] => self.part(indent, below, format!("{condition}, then"), !conclusion),
                    _ => {
                        self.line(indent, format!("{condition}, then at least one of these holds:"));
                        conclusions.into_iter().for_each(|conclusion| self.say(below + 1, "- ", !conclusion));
                    }
                }
            }
            Node::And(members) => {
                let which = if negated { "at least one of these holds:" } else { "all of these hold:" };
                self.line(indent, format!("{lead}{which}"));
                for member in self.formulas.members(members).to_vec() {
                    self.say(below + 1, "- ", negated_if(member, negated));
                }
            }
            Node::Iff(a, b) => {
                let which =
                    if negated { "just one of these holds:" } else { "both of these hold, or neither:" };
                self.line(indent, format!("{lead}{which}"));
                self.say(below + 1, "- ", a);
                self.say(below + 1, "- ", b);
            }
            Node::Keep(keep, f) => {
                let text = self.formulas.keep_text(keep);
                self.part(indent, below, format!("{lead}keep {text}, and with it"), negated_if(f, negated));
            }
            Node::Next(f) => {
                let next = if negated {
                    "if there is a next step, then there"
                } else {
                    "there is a next step, and there"
                };
                self.part(indent, below, format!("{lead}{next}"), negated_if(f, negated));
            }
            Node::Until(bound, Formula::TRUE, f) if negated => {
                self.part(
                    indent,
                    below,
                    format!("{lead}at every step{} that the run has", within(bound)),
                    !f,
                );
            }
            Node::Until(bound, Formula::TRUE, f) => {
                self.part(indent, below, format!("{lead}at some step{}", within(bound)), f);
            }
            // The negation is a release, which few people know by name.
            Node::Until(bound, a, b) if negated => {
                self.part(
                    indent,
                    below,
                    format!("{lead}at every step{} that the run has", within(bound)),
                    !b,
                );
                self.part(below, below, "up to and including a step, if one comes, at which".to_owned(), !a);
            }
            Node::Until(bound, a, b) => {
                self.part(indent, below, format!("{lead}at some step{}", within(bound)), b);
                self.part(below, below, "and at every step before it".to_owned(), a);
            }
            Node::StrongRelease(bound, a, b) if negated => {
                self.part(indent, below, format!("{lead}at every step that the run has"), !a);
                self.part(below, below, format!("or else until a step{} at which", within(bound)), !b);
            }
            Node::StrongRelease(bound, a, b) => {
                self.part(indent, below, format!("{lead}at every step{}", within(bound)), b);
                self.part(
                    below,
                    below,
                    "up to and including a step, which must come, at which".to_owned(),
                    a,
                );
            }
            Node::Previous(f) if negated => {
                self.part(indent, below, format!("{lead}this is the first step, or at the step before"), !f);
            }
            Node::Previous(f) => self.part(indent, below, format!("{lead}at the step before"), f),
            Node::Since(Formula::TRUE, f) if negated => {
                self.part(indent, below, format!("{lead}now and at every step before"), !f);
            }
            Node::Since(Formula::TRUE, f) => {
                self.part(indent, below, format!("{lead}now or at some step before"), f)
            }
            Node::Since(a, b) => {
                let not = if negated { "it is not so that " } else { "" };
                self.part(indent, below, format!("{lead}{not}now or at some step before"), b);
                self.part(below, below, "and at every step since".to_owned(), a);
            }
        }
    }

    /// Returns the number of premises of a disjunction, given by its negated members: `!a | b` reads as `a -> b`. There is
    /// none if nothing else would be left.
    fn premises(&self, members: &[Formula]) -> usize {
        let count = members.iter().filter(|member| !member.is_negated() && self.is_plain(**member)).count();
        if count < members.len() { count } else { 0 }
    }

    /// Says `lead` and `formula` on one line if it is short, else `formula` below it.
    fn part(&mut self, indent: usize, below: usize, lead: String, formula: Formula) {
        if self.is_plain(formula) {
            self.line(indent, format!("{lead}: {}", self.formulas.display(formula)));
        } else {
            self.line(indent, format!("{lead}:"));
            self.say(below + 1, "", formula);
        }
    }

    /// Returns true for an atom, or a few without time: their text is plain enough.
    fn is_plain(&self, formula: Formula) -> bool {
        let is_literal = |f: Formula| matches!(self.formulas.node(f), Node::Atom(_) | Node::True);
        match self.formulas.node(formula) {
            Node::And(members) => {
                let members = self.formulas.members(members);
                // A longer conjunction reads better as a list.
                members.len() <= 3 && members.iter().all(|&member| is_literal(member))
            }
            Node::True | Node::Atom(_) => true,
            Node::Keep(..)
            | Node::Iff(..)
            | Node::Next(_)
            | Node::Until(..)
            | Node::StrongRelease(..)
            | Node::Previous(_)
            | Node::Since(..) => false,
        }
    }

    fn line(&mut self, indent: usize, text: String) {
        self.lines.push((indent, text));
    }
}

fn negated_if(formula: Formula, negate: bool) -> Formula {
    if negate { !formula } else { formula }
}

fn within(bound: Bound) -> String {
    let counted = |number: u32| {
        let (number, unit) = match bound.unit {
            Unit::Step => (number, "step"),
            Unit::Time | Unit::Rest if number.is_multiple_of(1000) => (number / 1000, "second"),
            Unit::Time | Unit::Rest => (number, "millisecond"),
        };
        format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
    };
    match (bound, bound.from, bound.to) {
        (Bound::ANY, ..) => String::new(),
        (_, from, Bound::NO_END) => format!(" from {} on", counted(from)),
        (_, 0, to) => format!(" within {} from now", counted(to)),
        (_, from, to) if bound.unit == Unit::Step => format!(" from {from} to {} from now", counted(to)),
        (_, from, to) => format!(" from {} to {} from now", counted(from), counted(to)),
    }
}

/// Returns `atom` in words.
pub fn atom_in_words(atom: &Atom) -> String {
    match atom {
        Atom::Checked(true) => "some visible widget is checked".to_owned(),
        Atom::Checked(false) => {
            "there is something to check on the screen, and nothing is checked".to_owned()
        }
        Atom::State(all) => joined(all),
        Atom::Action(all) => joined(all),
        Atom::Widget(all) => format!("there is a visible widget of which {}", joined(all)),
        Atom::Count { of, op, number } => format!(
            "the number of visible widgets of which {} {} {number}",
            joined(of),
            relation(*op).trim_end()
        ),
        Atom::Placed(pattern) => format!("there is a visible widget {}", pattern_in_words(pattern)),
        Atom::Compared { left, op, right } => {
            format!("{} {}{}", term_in_words(left), relation(*op), value_in_words(right))
        }
    }
}

fn joined(all: &[Comparison]) -> String {
    all.iter().map(comparison_in_words).collect::<Vec<_>>().join(", and ")
}

fn comparison_in_words(comparison: &Comparison) -> String {
    let Comparison { key, op, value } = comparison;
    let (subject, predicate) = match key {
        Key::Package => ("the package", None),
        Key::Activity => ("the activity in front", None),
        Key::Text => ("the text", None),
        Key::Desc => ("the description", None),
        Key::Id => ("the id", None),
        Key::ObjectId => ("the place in the widget tree", None),
        Key::Class => ("the class", None),
        Key::Tag => ("the tag", None),
        Key::Role => ("the role", None),
        Key::Name => ("the name", None),
        Key::Screen => ("the screen", None),
        Key::Orientation => ("the orientation", None),
        Key::Network => ("the network", None),
        Key::ActionType => ("the type of the action", None),
        Key::ActionDetail => ("the text, description or id of what is acted on", None),
        Key::ActionObjectId => ("the place in the widget tree of what is acted on", None),
        Key::ActionText => ("the typed text", None),
        Key::Checked => ("it", Some("checked")),
        Key::Enabled => ("it", Some("enabled")),
        Key::Focused => ("it", Some("focused")),
        Key::Selected => ("it", Some("selected")),
        Key::Password => ("it", Some("a password field")),
        Key::Scrollable => ("it", Some("scrollable")),
        Key::Crashed => ("the app", Some("crashed")),
        Key::Crash => ("the crash", None),
        Key::Anr => ("the app", Some("hung")),
        Key::Keyboard => ("the keyboard", Some("shown")),
        Key::Console => ("the console", None),
        Key::Status => ("the status", None),
    };
    match (predicate, value) {
        (Some(predicate), Constant::Flag(flag)) => {
            // `checked != true` says that it is not checked.
            let is = *flag == (*op == Op::Equal);
            format!("{subject} is {}{predicate}", if is { "" } else { "not " })
        }
        (_, Constant::Regex(regex)) => format!("{subject} matches /{regex}/"),
        (_, Constant::Text(text)) => format!("{subject} {}`{}`", relation(*op), text.escape_debug()),
        (_, Constant::Number(number)) => format!("{subject} {}{number}", relation(*op)),
        (None, Constant::Flag(flag)) => format!("{subject} {}{flag}", relation(*op)),
        (Some(predicate), Constant::Term(term)) => {
            format!("{subject} being {predicate} {}{}", relation(*op), term_in_words(term))
        }
        (None, Constant::Term(term)) => format!("{subject} {}{}", relation(*op), term_in_words(term)),
    }
}

/// `of which the text is "a", and that is below a widget of which ..`.
fn pattern_in_words(pattern: &Pattern) -> String {
    let own = (!pattern.comparisons.is_empty()).then(|| format!("of which {}", joined(&pattern.comparisons)));
    let places = pattern.places.iter().map(|(relation, place)| {
        let place = pattern_in_words(place);
        match relation {
            Relation::In => format!("that is below a widget {place}"),
            Relation::Has => format!("that has a widget below it {place}"),
            Relation::Beside => format!("that has a widget beside it {place}"),
        }
    });
    own.into_iter().chain(places).collect::<Vec<_>>().join(", and ")
}

fn value_in_words(value: &Constant) -> String {
    match value {
        Constant::Flag(flag) => flag.to_string(),
        Constant::Text(text) => format!("`{}`", text.escape_debug()),
        Constant::Regex(regex) => format!("/{regex}/"),
        Constant::Number(number) => number.to_string(),
        Constant::Term(term) => term_in_words(term),
    }
}

fn term_in_words(term: &Term) -> String {
    match term {
        Term::Each(key, of) => {
            format!("the list of `{}` of the visible widgets {}", key.name(), pattern_in_words(of))
        }
        Term::Count(of) => format!("the number of visible widgets {}", pattern_in_words(of)),
        Term::Of(key) => format!("the value of `{}`", key.name()),
        Term::Number(number) => number.to_string(),
        Term::Text(text) => format!("`{}`", text.escape_debug()),
        Term::Joined(all) => all.iter().map(term_in_words).collect::<Vec<_>>().join(" followed by "),
        Term::Sum(left, right) => format!("{} plus {}", term_in_words(left), term_in_words(right)),
        Term::Difference(left, right) => format!("{} minus {}", term_in_words(left), term_in_words(right)),
        Term::Trimmed(of) => format!("{} without blanks at its ends", term_in_words(of)),
        Term::FirstNumber(of) => format!("the first number in {}", term_in_words(of)),
        Term::Before(of) => format!("{} one step before", term_in_words(of)),
        Term::Kept(name, _) => format!("the kept `{name}`"),
        Term::Values(_) => term.to_string(),
    }
}

fn relation(op: Op) -> &'static str {
    match op {
        Op::Equal => "is ",
        Op::NotEqual => "is not ",
        Op::Contains => "contains ",
        Op::Less => "is less than ",
        Op::AtMost => "is at most ",
        Op::Greater => "is more than ",
        Op::AtLeast => "is at least ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lines that explain `formula`, made of the atoms a, b and c.
    fn said(formula: impl Fn(&mut Formulas, [Formula; 3]) -> Formula) -> Vec<String> {
        let mut ltl = Formulas::new();
        let atoms = ["a", "b", "c"].map(|name| ltl.atom(name));
        let formula = formula(&mut ltl, atoms);
        in_words(&ltl, formula).into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn one_of_a_unit_is_no_plural() {
        let bounds = [Bound::steps(0, 1), Bound::time(0, 1_000), Bound::time(1, 2_000), Bound::time(0, 1)];
        let expected = [
            "within 1 step from now",
            "within 1 second from now",
            "from 1 millisecond to 2 seconds from now",
            "within 1 millisecond from now",
        ];
        assert_eq!(bounds.map(within).each_ref().map(|text| text.trim()), expected);
    }

    #[test]
    fn a_disjunction_with_a_premise_reads_as_an_implication() {
        let reply = said(|ltl, [a, b, _]| {
            let answer = ltl.eventually(Bound::steps(0, 3), b);
            let implies = ltl.implies(a, answer);
            ltl.always(Bound::ANY, implies)
        });
        let expected =
            ["at every step that the run has:", "if a, then:", "at some step within 3 steps from now: b"];
        assert!(expected.iter().all(|line| reply.iter().any(|said| said.contains(line))), "{reply:?}");
        let both = said(|ltl, [a, b, c]| {
            let (answer, other) = (ltl.next(b), ltl.always(Bound::ANY, c));
            let either = ltl.or([answer, other]);
            ltl.implies(a, either)
        });
        assert!(
            both.iter().any(|said| said.ends_with("if a, then at least one of these holds:")),
            "{both:?}"
        );
        let neither = said(|ltl, [a, b, _]| {
            let (one, other) = (ltl.next(a), ltl.next(b));
            ltl.or([one, other])
        });
        assert!(neither.iter().any(|said| said.ends_with("at least one of these holds:")), "{neither:?}");
        assert!(!neither.iter().any(|said| said.contains("if ")), "{neither:?}");
    }
}
