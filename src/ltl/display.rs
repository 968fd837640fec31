//! Formulas printed in the language they are written in.
//!
//! A printed formula reads back as the same formula. Brackets stand where they are needed, and around a
//! temporal prefix to the left of an until, which is easily misread.

use std::fmt;

use super::formula::{Bound, Formula, Formulas, Keep, Node};

/// Binding strength of an operator; a part that binds less tightly than its place asks gets brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Iff,
    Or,
    And,
    Until,
    Prefix,
    /// Names, constants and negated names: never misread before an until.
    Plain,
}

/// A formula ready for printing, see [`Formulas::display`].
#[derive(Clone, Copy, Debug)]
pub struct Display<'a> {
    formulas: &'a Formulas,
    formula: Formula,
    names_max: usize,
}

impl Formulas {
    /// Returns `formula` as it is written in a spec.
    pub fn display(&self, formula: Formula) -> Display<'_> {
        Display { formulas: self, formula, names_max: usize::MAX }
    }
}

impl Display<'_> {
    /// Returns the same formula, cut with an ellipsis after `names_max` atoms.
    pub fn shortened(self, names_max: usize) -> Self {
        Display { names_max, ..self }
    }
}

/// Most pieces of text in a shortened formula, per name it may have.
const PIECES_A_NAME: usize = 20;

/// A piece of text still to be written. A formula is taken apart only when its turn comes, so no depth of
/// nesting needs a deep call stack.
enum Piece {
    Text(&'static str),
    Bound(Bound),
    Keep(Keep),
    Formula(Formula, Level),
    /// The right side of an operator that needs no brackets around another of its kind.
    Chained(Formula, &'static str),
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = 0;
        // A formula with few names can still have many operators.
        let mut pieces_left = self.names_max.saturating_mul(PIECES_A_NAME);
        let mut pieces = vec![Piece::Formula(self.formula, Level::Iff)];
        while let Some(piece) = pieces.pop() {
            if pieces_left == 0 {
                return out.write_str("…");
            }
            pieces_left -= 1;
            match piece {
                Piece::Text(text) => out.write_str(text)?,
                Piece::Bound(bound) => write_bound(out, bound)?,
                Piece::Keep(keep) => write!(out, "keep {}: ", self.formulas.keep_text(keep))?,
                Piece::Formula(formula, least) => {
                    if let (Node::Atom(atom), negated) = (self.formulas.node(formula), formula.is_negated()) {
                        if names == self.names_max {
                            return out.write_str("…");
                        }
                        names += 1;
                        out.write_str(if negated { "!" } else { "" })?;
                        out.write_str(self.formulas.name(atom))?;
                        continue;
                    }
                    let start = pieces.len();
                    let level = self.take_apart(formula, &mut pieces);
                    if level < least {
                        pieces.insert(start, Piece::Text("("));
                        pieces.push(Piece::Text(")"));
                    }
                    // Pieces are popped from the end, and read from the start.
                    pieces[start..].reverse();
                }
                Piece::Chained(formula, operator) => {
                    let least = match self.formulas.node(formula) {
                        Node::Atom(_) => Level::Prefix,
                        _ if self.operator(formula) == Some(operator) => Level::Until,
                        _ => Level::Prefix,
                    };
                    pieces.push(Piece::Formula(formula, least));
                }
            }
        }
        Ok(())
    }
}

impl Display<'_> {
    /// Adds the pieces of `formula` in reading order and returns how tightly they hold together.
    fn take_apart(&self, formula: Formula, pieces: &mut Vec<Piece>) -> Level {
        let negated = formula.is_negated();
        let prefix = |pieces: &mut Vec<Piece>, operator, bound, f| {
            pieces.push(Piece::Text(operator));
            pieces.push(Piece::Bound(bound));
            pieces.push(Piece::Text(" "));
            pieces.push(Piece::Formula(f, Level::Prefix));
            Level::Prefix
        };
        match self.formulas.node(formula) {
            Node::True => {
                pieces.push(Piece::Text(if negated { "false" } else { "true" }));
                Level::Plain
            }
            Node::Atom(_) => unreachable!("an atom is written at once"),
            Node::And(members) => {
                let (level, between) = if negated { (Level::Or, " | ") } else { (Level::And, " & ") };
                for (at, &member) in self.formulas.members(members).iter().enumerate() {
                    if at > 0 {
                        pieces.push(Piece::Text(between));
                    }
                    // Sets are flattened: a member of the same level would be another operator, and gets
                    // brackets.
                    let least = if negated { Level::And } else { Level::Until };
                    pieces.push(Piece::Formula(member.negated_if(negated), least));
                }
                level
            }
            // It reaches to the end, so it is in brackets wherever more follows.
            Node::Keep(keep, f) => {
                pieces.push(Piece::Keep(keep));
                pieces.push(Piece::Formula(f.negated_if(negated), Level::Iff));
                Level::Iff
            }
            Node::Iff(a, b) => {
                if negated {
                    pieces.push(Piece::Text("!("));
                }
                pieces.push(Piece::Formula(a, Level::Or));
                pieces.push(Piece::Text(" <-> "));
                pieces.push(Piece::Formula(b, Level::Or));
                if negated {
                    pieces.push(Piece::Text(")"));
                }
                if negated { Level::Plain } else { Level::Iff }
            }
            Node::Next(f) => {
                prefix(pieces, if negated { "N" } else { "X" }, Bound::ANY, f.negated_if(negated))
            }
            Node::Until(bound, Formula::TRUE, f) => {
                prefix(pieces, if negated { "G" } else { "F" }, bound, f.negated_if(negated))
            }
            Node::Previous(f) => {
                pieces.push(Piece::Text(if negated { "!" } else { "" }));
                prefix(pieces, "Y", Bound::ANY, f)
            }
            Node::Since(Formula::TRUE, f) => {
                prefix(pieces, if negated { "H" } else { "O" }, Bound::ANY, f.negated_if(negated))
            }
            Node::Since(a, b) => {
                pieces.push(Piece::Text(if negated { "!(" } else { "" }));
                pieces.push(Piece::Formula(a, Level::Plain));
                pieces.push(Piece::Text(" S "));
                pieces.push(Piece::Chained(b, "S"));
                pieces.push(Piece::Text(if negated { ")" } else { "" }));
                if negated { Level::Plain } else { Level::Until }
            }
            Node::Until(bound, a, b) | Node::StrongRelease(bound, a, b) => {
                let operator = self.operator(formula).expect("a binary operator");
                pieces.push(Piece::Formula(a.negated_if(negated), Level::Plain));
                pieces.push(Piece::Text(" "));
                pieces.push(Piece::Text(operator));
                pieces.push(Piece::Bound(bound));
                pieces.push(Piece::Text(" "));
                pieces.push(Piece::Chained(b.negated_if(negated), operator));
                Level::Until
            }
        }
    }

    /// Returns the operator of a formula that is written with an until or one of its kin in the middle.
    fn operator(&self, formula: Formula) -> Option<&'static str> {
        match self.formulas.node(formula) {
            Node::Until(_, Formula::TRUE, _) | Node::Since(Formula::TRUE, _) => None,
            Node::Until(..) => Some(if formula.is_negated() { "R" } else { "U" }),
            Node::StrongRelease(..) => Some(if formula.is_negated() { "W" } else { "M" }),
            Node::Since(..) => (!formula.is_negated()).then_some("S"),
            Node::True
            | Node::Atom(_)
            | Node::And(_)
            | Node::Keep(..)
            | Node::Iff(..)
            | Node::Next(_)
            | Node::Previous(_) => None,
        }
    }
}

fn write_bound(out: &mut fmt::Formatter<'_>, bound: Bound) -> fmt::Result {
    let written = |number: u32| bound.unit.written(number);
    match (bound, bound.from, bound.to) {
        (Bound::ANY, ..) => Ok(()),
        (_, from, Bound::NO_END) => write!(out, "[>={}]", written(from)),
        (_, 0, to) => write!(out, "[<={}]", written(to)),
        (_, from, to) => write!(out, "[{}..{}]", written(from), written(to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(build: impl FnOnce(&mut Formulas, [Formula; 3]) -> Formula, expected: &str) {
        let mut ltl = Formulas::new();
        let atoms = ["a", "b", "c"].map(|name| ltl.atom(name));
        let formula = build(&mut ltl, atoms);
        assert_eq!(ltl.display(formula).to_string(), expected);
    }

    #[test]
    fn brackets_stand_where_they_are_needed() {
        check(
            |l, [a, b, c]| {
                let or = l.or([b, c]);
                l.and([or, a])
            },
            "a & (b | c)",
        );
        check(
            |l, [a, b, c]| {
                let and = l.and([b, c]);
                l.or([and, a])
            },
            "a | b & c",
        );
        check(
            |l, [a, b, c]| {
                let u = l.until(Bound::ANY, b, c);
                l.until(Bound::ANY, a, u)
            },
            "a U b U c",
        );
        check(
            |l, [a, b, c]| {
                let u = l.until(Bound::ANY, a, b);
                l.until(Bound::ANY, u, c)
            },
            "(a U b) U c",
        );
        check(
            |l, [a, b, c]| {
                let r = l.release(Bound::ANY, b, c);
                l.until(Bound::ANY, a, r)
            },
            "a U (b R c)",
        );
        check(
            |l, [a, b, _]| {
                let x = l.next(a);
                l.until(Bound::ANY, x, b)
            },
            "(X a) U b",
        );
        check(
            |l, [a, b, _]| {
                let x = l.next(!a);
                l.until(Bound::ANY, !b, x)
            },
            "!b U X !a",
        );
        check(
            |l, [a, b, c]| {
                let i = l.iff(a, !b);
                l.and([i, c])
            },
            "c & !(a <-> b)",
        );
    }

    #[test]
    fn the_negation_of_an_operator_is_written_as_its_dual() {
        check(|l, [a, b, _]| !l.until(Bound::steps(2, 5), a, b), "!a R[2..5] !b");
        check(|l, [a, b, _]| l.weak_until(Bound::ANY, a, !b), "a W !b");
        check(|l, [a, ..]| !l.next(a), "N !a");
        check(|l, [a, ..]| l.always(Bound::steps(0, 3), a), "G[<=3] a");
        check(
            |l, [a, b, _]| {
                let s = l.since(a, b);
                !l.next(s)
            },
            "N !(a S b)",
        );
        check(
            |l, [a, ..]| {
                let h = l.historically(a);
                !l.previous(h)
            },
            "!Y H a",
        );
    }

    #[test]
    fn a_long_formula_can_be_shortened() {
        let mut ltl = Formulas::new();
        let (a, b) = (ltl.atom("a"), ltl.atom("b"));
        let u = ltl.until(Bound::ANY, a, b);
        assert_eq!(ltl.display(u).shortened(1).to_string(), "a U …");
        let deep = (0..1000).fold(a, |f, _| ltl.next(f));
        assert_eq!(ltl.display(deep).shortened(1).to_string(), "X X X X X …");
    }
}
