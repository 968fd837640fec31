//! Amounts: the number or the words that an atom wants a text to have, and those that a screen shows in their place.

use super::atom::{Atom, Comparison, Key, Op};
use super::constant::{Constant, Digits};
use super::label::{Link, Reading};
use super::pattern::Pattern;
use super::screen::Screen;
use super::term::Term;
use super::typed::TypedText;

/// Most digits of a number.
const DIGITS_MAX: usize = 12;
/// Most words of a text that is compared word by word.
const WORDS_MAX: usize = 20;

/// Text, taken apart at its first number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Numbered<'a> {
    /// Text before the number.
    pub before: &'a str,
    /// Number without its point: 350 for `3.50`.
    pub number: i64,
    /// Digits after the point.
    pub places: usize,
    /// Text after the number.
    pub after: &'a str,
}

impl<'a> Numbered<'a> {
    /// Takes `text` apart; none if it has no number.
    ///
    /// ```
    /// use farlead::gui::Numbered;
    ///
    /// let price = Numbered::new("To pay: 3.50 in all").expect("a number");
    /// assert_eq!((price.before, price.number, price.places, price.after), ("To pay: ", 350, 2, " in all"));
    /// ```
    pub fn new(text: &'a str) -> Option<Numbered<'a>> {
        let Digits { range, places, is_negative } = Digits::first_in(text, &['.', ','])?;
        let digits = text[range.clone()].bytes().filter(u8::is_ascii_digit);
        if digits.clone().count() > DIGITS_MAX {
            return None;
        }
        let size = digits.fold(0, |size: i64, digit| 10 * size + i64::from(digit - b'0'));
        let before = &text[..range.start - usize::from(is_negative)];
        let number = if is_negative { -size } else { size };
        Some(Numbered { before, number, places, after: &text[range.end..] })
    }

    /// Returns true if the texts differ in the number at most.
    pub fn is_like(&self, other: &Numbered<'_>) -> bool {
        (self.before, self.places, self.after) == (other.before, other.places, other.after)
    }
}

/// Text that is wanted.
#[derive(Clone, Debug)]
enum Wanted {
    /// This text, which has a number.
    Numbered(String),
    /// This text, which has none: 1 where it is shown, and 0 where another one is in its place.
    Words {
        text: String,
        /// True if any other text that is read is in its place.
        is_single: bool,
    },
    /// Number within these bounds.
    Between(i64, i64),
}

/// Amount that a screen shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownAmount {
    /// Amount; of a row of numbers the least one.
    pub value: i64,
    /// Greatest number of a row less its least; 0 without a row.
    pub span: i64,
    /// True if an amount that is wanted is among those shown.
    pub is_wanted: bool,
}

/// Number or text that an atom wants.
#[derive(Clone, Debug)]
pub struct Amount {
    reading: Reading,
    wanted: Wanted,
}

impl Amount {
    /// Returns the amount of `atom`; none if it wants no certain number or text of a widget.
    pub fn of(atom: &Atom, typed: TypedText) -> Option<Amount> {
        let Pattern { comparisons, places } = match atom {
            Atom::Widget(all) => Pattern { comparisons: all.clone(), places: Vec::new() },
            Atom::Placed(pattern) => pattern.clone(),
            Atom::Compared { left, op, right: Constant::Number(number) } => {
                let is_read = |term: &Term| matches!(term, Term::Each(Key::Text, _));
                let is_number = match left {
                    Term::FirstNumber(of) => is_read(of),
                    left => is_read(left),
                };
                if !is_number || left.reads_more_than_the_screen() {
                    return None;
                }
                let number: i64 = number.to_string().parse().ok()?;
                let (least, most) = match op {
                    Op::Equal => (number, number),
                    Op::AtLeast => (number, i64::MAX),
                    Op::Greater => (number.saturating_add(1), i64::MAX),
                    Op::AtMost => (i64::MIN, number),
                    Op::Less => (i64::MIN, number.saturating_sub(1)),
                    Op::NotEqual | Op::Contains => return None,
                };
                return Some(Amount {
                    reading: Reading::new(left, typed),
                    wanted: Wanted::Between(least, most),
                });
            }
            Atom::Count { .. }
            | Atom::State(_)
            | Atom::Action(_)
            | Atom::Checked(_)
            | Atom::Compared { .. } => return None,
        };
        let is_text = |one: &Comparison| one.key == Key::Text && one.op == Op::Equal;
        let (texts, others): (Vec<Comparison>, Vec<Comparison>) = comparisons.into_iter().partition(is_text);
        let [Comparison { value: Constant::Text(text), .. }] = &texts[..] else { return None };
        let wanted = match Numbered::new(text) {
            Some(_) => Wanted::Numbered(text.clone()),
            None => Wanted::Words { text: text.clone(), is_single: !others.is_empty() || !places.is_empty() },
        };
        let others = Pattern { comparisons: others, places };
        let reading = Reading::new(&Term::Each(Key::Text, Box::new(others)), typed);
        Some(Amount { reading, wanted })
    }

    /// Returns the least and the greatest amount that is wanted.
    pub fn bounds(&self) -> (i64, i64) {
        match &self.wanted {
            Wanted::Numbered(text) => {
                let number = Numbered::new(text).map_or(0, |numbered| numbered.number);
                (number, number)
            }
            Wanted::Words { .. } => (1, 1),
            Wanted::Between(least, most) => (*least, *most),
        }
    }

    /// Returns the amount that `screen` shows; none if it shows none, or different ones that are no row and of which none is
    /// wanted.
    pub fn shown(&self, screen: &Screen) -> Option<ShownAmount> {
        let texts = self.reading.values(Link { before: None, action: None, after: screen })?;
        let shown: Vec<i64> = texts.iter().filter_map(|text| self.amount(text)).collect();
        let (least, most) = self.bounds();
        let wanted = shown.iter().copied().find(|amount| (least..=most).contains(amount));
        let is_wanted = wanted.is_some();
        if self.may_be_in_rows() && is_row(&shown) {
            let (value, span) =
                (shown[0].min(shown[shown.len() - 1]), shown[0].abs_diff(shown[shown.len() - 1]));
            return Some(ShownAmount { value, span: span.try_into().ok()?, is_wanted });
        }
        let same = || shown.first().copied().filter(|first| shown.iter().all(|amount| amount == first));
        wanted.or_else(same).map(|value| ShownAmount { value, span: 0, is_wanted })
    }

    /// Returns true if numbers of such texts are the entries of a list and not the keys of a pad: there are words beside them.
    fn may_be_in_rows(&self) -> bool {
        match &self.wanted {
            Wanted::Numbered(text) => text.contains(char::is_alphabetic),
            Wanted::Words { .. } | Wanted::Between(..) => false,
        }
    }

    /// Returns the amount in a text; none if it has another meaning.
    fn amount(&self, text: &str) -> Option<i64> {
        match &self.wanted {
            Wanted::Numbered(wanted) => {
                let (wanted, shown) = (Numbered::new(wanted)?, Numbered::new(text)?);
                shown.is_like(&wanted).then_some(shown.number)
            }
            Wanted::Words { text: wanted, .. } if wanted == text => Some(1),
            Wanted::Words { text: wanted, is_single } => {
                (*is_single && !text.is_empty() || differs_in_one_word(wanted, text)).then_some(0)
            }
            Wanted::Between(..) => {
                let digits = text.bytes().filter(u8::is_ascii_digit).count();
                text.trim().parse().ok().filter(|_| digits <= DIGITS_MAX)
            }
        }
    }
}

/// Returns true if `numbers` are at least three that rise, or fall, by the same each time.
fn is_row(numbers: &[i64]) -> bool {
    let [first, second, _, ..] = numbers else { return false };
    let step = second - first;
    step != 0 && numbers.windows(2).all(|pair| pair[1] - pair[0] == step)
}

/// Returns true if texts of at least two words each are equal but for one word.
fn differs_in_one_word(one: &str, other: &str) -> bool {
    let words = |text: &str| text.split_whitespace().count();
    let number = words(one);
    (2..=WORDS_MAX).contains(&number)
        && words(other) == number
        && one.split_whitespace().zip(other.split_whitespace()).filter(|(one, other)| one != other).count()
            == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::{ActionTypes, Bounds, Context, Number, Relation, Widget};

    fn comparisons(key: Key, text: &str) -> Vec<Comparison> {
        let value = Constant::Text(text.to_string());
        vec![Comparison::new(key, Op::Equal, value, ActionTypes::Any).expect("a comparison")]
    }

    fn text_is(text: &str) -> Atom {
        Atom::new(comparisons(Key::Text, text)).expect("an atom")
    }

    /// Returns a screen with these texts, in fields with the ids `one`, `two` and so on.
    fn screen(texts: &[&str]) -> Screen {
        let widget = |(id, text): (&&str, &&str)| Widget {
            id: (*id).into(),
            text: (*text).into(),
            bounds: Bounds::new(0, 0, 9, 9),
            ..Widget::default()
        };
        let widgets = ["one", "two", "three"].iter().zip(texts).map(widget).collect();
        Screen::new("p", "a", Context::default(), widgets)
    }

    fn shown_of(atom: &Atom, texts: &[&str]) -> Option<ShownAmount> {
        Amount::of(atom, TypedText::Counts).expect("an amount").shown(&screen(texts))
    }

    fn shown(atom: &Atom, texts: &[&str]) -> Option<i64> {
        shown_of(atom, texts).map(|shown| shown.value)
    }

    #[test]
    fn a_list_that_counts_its_entries_shows_the_first_and_how_far_it_goes() {
        let lesson = text_is("Lesson 67");
        let row = |value, span, is_wanted| Some(ShownAmount { value, span, is_wanted });
        assert_eq!(shown_of(&lesson, &["Lesson 51", "Lesson 52", "Lesson 53"]), row(51, 2, false));
        assert_eq!(shown_of(&lesson, &["Lesson 68", "Lesson 67", "Lesson 66"]), row(66, 2, true));
        assert_eq!(shown_of(&lesson, &["Lesson 1", "Lesson 2", "Lesson 4"]), None);
        assert_eq!(shown_of(&lesson, &["Lesson 2"]), row(2, 0, false));
        assert_eq!(shown_of(&text_is("67"), &["1", "2", "3"]), None, "keys of a pad");
    }

    #[test]
    fn a_text_is_taken_apart_at_its_first_number() {
        for (text, expected) in [
            ("Total: 21", Some(("Total: ", 21, 0, ""))),
            ("-3.50 EUR of 8", Some(("", -350, 2, " EUR of 8"))),
            ("COVID-19", Some(("COVID-", 19, 0, ""))),
            ("1,250 points", Some(("", 1250, 3, " points"))),
            ("7.", Some(("", 7, 0, "."))),
            ("none", None),
            ("", None),
            ("1234567890123", None),
            ("\u{e9}-5\u{e9}", Some(("\u{e9}-", 5, 0, "\u{e9}"))),
        ] {
            let numbered = Numbered::new(text);
            let found = numbered.map(|it| (it.before, it.number, it.places, it.after));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_wanted_number_is_read_where_a_text_differs_in_its_number_only() {
        let total = text_is("Total: 21");
        assert_eq!(Amount::of(&total, TypedText::Counts).expect("an amount").bounds(), (21, 21));
        assert_eq!(shown(&total, &["Items: 3", "Total: 7"]), Some(7));
        assert_eq!(shown(&total, &["Items: 3"]), None);
        assert_eq!(shown(&total, &["Total: 7", "Total: 8"]), None, "which one is not known");
        assert_eq!(shown(&total, &["Total: 7", "Total: 21"]), Some(21));
        assert_eq!(shown(&total, &["Total: 7", "Total: 7"]), Some(7));
    }

    #[test]
    fn wanted_words_are_one_where_they_are_shown_and_nought_where_others_are_in_their_place() {
        let guard = text_is("Guard is on");
        assert_eq!(shown(&guard, &["Guard is off"]), Some(0));
        assert_eq!(shown(&guard, &["Guard is on"]), Some(1));
        assert_eq!(shown(&guard, &["Guard is on", "Guard is off"]), Some(1));
        assert_eq!(shown(&guard, &["Saver is off"]), None, "two words differ");
        assert_eq!(shown(&text_is("on"), &["off"]), None, "a single word is in no certain place");
        let of_field = Pattern {
            comparisons: [comparisons(Key::Text, "on"), comparisons(Key::Id, "two")].concat(),
            places: Vec::new(),
        };
        let placed = Pattern {
            comparisons: comparisons(Key::Text, "on"),
            places: vec![(
                Relation::Beside,
                Pattern { comparisons: comparisons(Key::Id, "one"), places: Vec::new() },
            )],
        };
        let of_field = Atom::new(of_field.comparisons).expect("an atom");
        assert_eq!(shown(&of_field, &["on", "off"]), Some(0));
        assert_eq!(shown(&of_field, &["off", "on"]), Some(1));
        assert_eq!(shown(&of_field, &["on"]), None);
        assert!(Amount::of(&Atom::Placed(placed), TypedText::Counts).is_some());
    }

    #[test]
    fn a_term_is_wanted_within_bounds() {
        let of_two = Pattern { comparisons: comparisons(Key::Id, "two"), places: Vec::new() };
        let text = Term::Each(Key::Text, Box::new(of_two));
        for (op, bounds) in [
            (Op::Equal, Some((5, 5))),
            (Op::AtLeast, Some((5, i64::MAX))),
            (Op::Greater, Some((6, i64::MAX))),
            (Op::AtMost, Some((i64::MIN, 5))),
            (Op::Less, Some((i64::MIN, 4))),
            (Op::NotEqual, None),
        ] {
            for term in [text.clone(), Term::FirstNumber(Box::new(text.clone()))] {
                let value = Constant::Number(Number::parse("5").expect("a number"));
                let atom = Atom::compared(term, op, value, ActionTypes::Any).expect("an atom");
                let amount = Amount::of(&atom, TypedText::Counts);
                assert_eq!(amount.as_ref().map(Amount::bounds), bounds, "{atom}");
                let shown = amount.and_then(|amount| amount.shown(&screen(&["9", "3"])));
                assert_eq!(shown.map(|shown| shown.value), bounds.map(|_| 3), "{atom}");
            }
        }
        let number = Term::FirstNumber(Box::new(text));
        let value = Constant::Number(Number::parse("5").expect("a number"));
        let atom = Atom::compared(number, Op::Equal, value, ActionTypes::Any).expect("an atom");
        assert_eq!(shown(&atom, &["", "3 items left"]), Some(3));
        assert_eq!(shown(&atom, &["", "999999999999 items"]), Some(999_999_999_999));
        assert_eq!(shown(&atom, &["", "9223372036854775807 items"]), None, "too large to count with");
    }
}
