//! Forms of texts: what the fields of a page for numbers, dates and times take.
//!
//! A browser drops all other texts, whoever types them. Dates and times are in the form of `value` in HTML.

use std::str::FromStr;

use super::constant::Number;
use super::element::Element;

/// Form of the texts that a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextForm {
    /// `-1.5`
    Number,
    /// `2001-02-03`
    Date,
    /// `04:05`
    Time,
    /// `2001-02-03T04:05`
    DateTime,
    /// `2001-02`
    Month,
    /// `2001-W05`
    Week,
}

impl TextForm {
    /// Returns the form that a widget of this class takes; none if it is no field, or takes all texts.
    pub fn of(class: &str) -> Option<TextForm> {
        let Element { tag: "input", role, .. } = Element::of(class)? else { return None };
        TextForm::of_role(role?)
    }

    /// Returns the form that fields of this role, or of this type of input, take. For a date or a time, both are the same word.
    pub fn of_role(role: &str) -> Option<TextForm> {
        match role {
            "spinbutton" | "number" => Some(TextForm::Number),
            "date" => Some(TextForm::Date),
            "time" => Some(TextForm::Time),
            "datetime-local" => Some(TextForm::DateTime),
            "month" => Some(TextForm::Month),
            "week" => Some(TextForm::Week),
            _ => None,
        }
    }

    /// Returns true if a field of this form takes `text`; each takes the empty one.
    pub fn takes(self, text: &str) -> bool {
        text.is_empty()
            || match self {
                TextForm::Number => Number::parse(text).is_some(),
                TextForm::Date => is_date(text),
                TextForm::Time => is_time(text),
                TextForm::DateTime => {
                    text.split_once('T').is_some_and(|(date, time)| is_date(date) && is_time(time))
                }
                TextForm::Month => month(text).is_some(),
                TextForm::Week => is_week(text),
            }
    }

    /// Returns texts to offer where nobody asks for others: a time that has long passed, and one that is far away.
    pub fn samples(self) -> &'static [&'static str] {
        match self {
            TextForm::Number => &[],
            TextForm::Date => &["2001-02-03", "2040-10-20"],
            TextForm::Time => &["04:05", "20:30"],
            TextForm::DateTime => &["2001-02-03T04:05", "2040-10-20T20:30"],
            TextForm::Month => &["2001-02", "2040-10"],
            TextForm::Week => &["2001-W05", "2040-W42"],
        }
    }

    /// Returns true if a browser shows the text in parts, after the custom of its country, so that keys write another one.
    pub fn is_in_parts(self) -> bool {
        self != TextForm::Number
    }
}

/// Returns the number of exactly `digits` digits.
fn digits<N: FromStr>(text: &str, digits: usize) -> Option<N> {
    let is_it = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_it { text.parse().ok() } else { None }
}

/// Returns the year of four digits; there is no year 0.
fn year(text: &str) -> Option<u32> {
    digits(text, 4).filter(|&year| year > 0)
}

/// Returns year and month of `2001-02`.
fn month(text: &str) -> Option<(u32, u32)> {
    let (of, number) = text.split_once('-')?;
    Some((year(of)?, digits(number, 2).filter(|number| (1..=12).contains(number))?))
}

fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

fn is_date(text: &str) -> bool {
    let Some(((year, month), day)) =
        text.rsplit_once('-').and_then(|(of, day)| Some((month(of)?, digits::<u32>(day, 2)?)))
    else {
        return false;
    };
    let days = match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=days).contains(&day)
}

fn is_time(text: &str) -> bool {
    let mut parts = text.split(':');
    let mut next =
        |max: u32| parts.next().and_then(|part| digits(part, 2)).is_some_and(|number: u32| number <= max);
    next(23) && next(59) && parts.next().is_none()
}

/// Returns true for `2001-W05`. A year has a 53rd week if its first or its last day is a Thursday.
fn is_week(text: &str) -> bool {
    let Some((year, week)) =
        text.split_once("-W").and_then(|(of, week)| Some((year(of)?, digits::<u32>(week, 2)?)))
    else {
        return false;
    };
    // Weekday of the last day of a year, Sunday 0.
    let last_day = |year: u32| (year + year / 4 - year / 100 + year / 400) % 7;
    let is_long = last_day(year) == 4 || last_day(year - 1) == 3;
    (1..=52 + u32::from(is_long)).contains(&week)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_takes_its_own_samples_and_the_empty_text() {
        let all = [
            ("input spinbutton", TextForm::Number),
            ("input date due", TextForm::Date),
            ("input time", TextForm::Time),
            ("input datetime-local", TextForm::DateTime),
            ("input month", TextForm::Month),
            ("input week", TextForm::Week),
        ];
        for (class, form) in all {
            assert_eq!(TextForm::of(class), Some(form));
            assert!(form.takes("") && !form.takes("abc"), "{class}");
            for (_, other) in all {
                assert!(other.samples().iter().all(|text| form.takes(text) == (form == other)), "{class}");
            }
        }
        for class in ["input textbox", "time time", "div spinbutton", "android.widget.EditText"] {
            assert_eq!(TextForm::of(class), None, "{class}");
        }
    }

    #[test]
    fn a_day_or_a_week_that_is_none_is_not_taken() {
        for (form, text, is_taken) in [
            (TextForm::Date, "2000-02-29", true),
            (TextForm::Date, "1900-02-29", false),
            (TextForm::Date, "2001-04-31", false),
            (TextForm::Date, "2001-13-01", false),
            (TextForm::Date, "0000-01-01", false),
            (TextForm::Date, "01-02-2003", false),
            (TextForm::Date, "2001-2-03", false),
            (TextForm::Time, "23:59", true),
            (TextForm::Time, "24:00", false),
            (TextForm::Time, "1:00", false),
            (TextForm::Time, "+1:00", false),
            (TextForm::Month, "2001-00", false),
            // The years with 53 weeks around 2020.
            (TextForm::Week, "2015-W53", true),
            (TextForm::Week, "2016-W53", false),
            (TextForm::Week, "2020-W53", true),
            (TextForm::Week, "2021-W53", false),
            (TextForm::Week, "2026-W53", true),
            (TextForm::Week, "2001-W00", false),
        ] {
            assert_eq!(form.takes(text), is_taken, "{text}");
        }
    }
}
