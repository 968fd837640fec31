//! Quotas: how many widgets a screen has too few or too many for an atom about their number.

use super::atom::{Atom, Op};
use super::constant::Constant;
use super::label::{Link, Reading};
use super::pattern::Pattern;
use super::screen::Screen;
use super::term::Term;
use super::typed::TypedText;

/// Number of widgets that an atom wants.
#[derive(Clone, Debug)]
pub struct Quota {
    reading: Reading,
    op: Op,
    number: u64,
}

impl Quota {
    /// Returns the quota of `atom`; none if it wants no certain number.
    pub fn of(atom: &Atom, typed: TypedText) -> Option<Quota> {
        let (pattern, op, number) = match atom {
            Atom::Count { of, op, number } => {
                (Pattern { comparisons: of.clone(), places: Vec::new() }, *op, *number)
            }
            Atom::Compared { left: Term::Count(pattern), op, right: Constant::Number(number) } => {
                ((**pattern).clone(), *op, number.to_string().parse().ok()?)
            }
            Atom::Widget(_)
            | Atom::State(_)
            | Atom::Action(_)
            | Atom::Checked(_)
            | Atom::Placed(_)
            | Atom::Compared { .. } => return None,
        };
        let reading = Reading::new(&Term::Count(Box::new(pattern)), typed);
        (op != Op::NotEqual).then_some(Quota { reading, op, number })
    }

    /// Returns how many widgets must come or go on `screen` for the atom to hold.
    pub fn deviation(&self, screen: &Screen) -> u64 {
        let values = self.reading.values(Link { before: None, action: None, after: screen });
        let count = values.and_then(|values| values.first()?.parse().ok()).unwrap_or(0);
        match self.op {
            Op::Equal => self.number.abs_diff(count),
            Op::AtLeast => self.number.saturating_sub(count),
            Op::Greater => (self.number + 1).saturating_sub(count),
            Op::AtMost => count.saturating_sub(self.number),
            Op::Less => (count + 1).saturating_sub(self.number),
            Op::NotEqual | Op::Contains => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{ActionTypes, Bounds, Comparison, Context, Key, Relation, Widget};

    fn comparisons(key: Key, text: &str) -> Vec<Comparison> {
        let value = Constant::Text(text.to_string());
        vec![Comparison::new(key, Op::Equal, value, ActionTypes::Any).expect("a comparison")]
    }

    #[test]
    fn the_deviation_is_the_number_of_widgets_that_are_missing_or_too_many() {
        let bounds = Bounds::new(0, 0, 9, 9);
        let list = Widget { class: "ul list rows".into(), bounds, ..Widget::default() };
        let row = |text: &str| Widget {
            class: "li listitem".into(),
            text: text.into(),
            depth: 1,
            bounds,
            ..Widget::default()
        };
        let screen = Screen::new("p", "a", Context::default(), vec![list, row("a"), row("b"), row("a")]);
        let rows = Pattern {
            comparisons: comparisons(Key::Tag, "li"),
            places: vec![(
                Relation::In,
                Pattern { comparisons: comparisons(Key::Class, "rows"), places: Vec::new() },
            )],
        };
        for (op, number, expected) in [
            (Op::Equal, "5", Some(2)),
            (Op::Equal, "1", Some(2)),
            (Op::Equal, "3", Some(0)),
            (Op::AtLeast, "4", Some(1)),
            (Op::Greater, "3", Some(1)),
            (Op::Less, "3", Some(1)),
            (Op::AtMost, "0", Some(3)),
            (Op::AtMost, "4", Some(0)),
            (Op::NotEqual, "3", None),
        ] {
            let value = Constant::Text(number.to_string());
            let plain = Atom::count(rows.comparisons.clone(), op, &value).expect("an atom");
            let placed = Atom::compared(Term::Count(Box::new(rows.clone())), op, value, ActionTypes::Any);
            for atom in [plain, placed.expect("an atom")] {
                let quota = Quota::of(&atom, TypedText::Counts);
                assert_eq!(quota.map(|quota| quota.deviation(&screen)), expected, "{atom}");
            }
        }
        let other = Constant::Term(Term::Count(Box::new(rows.clone())));
        let of_term = Atom::compared(Term::Count(Box::new(rows)), Op::Equal, other, ActionTypes::Any);
        assert!(Quota::of(&of_term.expect("an atom"), TypedText::Counts).is_none());
        let widget = Atom::new(comparisons(Key::Text, "a")).expect("an atom");
        assert!(Quota::of(&widget, TypedText::Counts).is_none());
    }
}
