//! Samples: texts that fit a field of a page, by what the page says of the field, or the program that stands for one.
//!
//! A guess where the page gives no rule: the words of a field may be missing or in another language.

use std::sync::Arc;

use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};
use regex_syntax::parse;

use super::constant::regex;
use super::hint::words;
use super::offer::BUILTIN_TEXTS;
use super::screen::{Flags, Widget};
use super::text_form::TextForm;

/// Longest pattern that is read, and longest sample, in bytes.
const PATTERN_BYTES_MAX: usize = 1_000;
const SAMPLE_BYTES_MAX: usize = 500;

/// Texts for fields that are called by one of these words. The first that fits counts.
const CALLED: [(&str, &[&str]); 9] = [
    // The name on a card is no number of it.
    ("", &["holder", "owner", "name"]),
    ("name@example.com", &["email", "mail"]),
    ("https://example.com/", &["homepage", "link", "site", "url", "web", "website"]),
    ("123", &["csc", "cvc", "cvv"]),
    ("12/40", &["exp", "expiration", "expires", "expiry"]),
    ("4111111111111111", &["card", "cardnumber", "cc", "creditcard"]),
    ("12345", &["plz", "postal", "postalcode", "postcode", "zip", "zipcode"]),
    ("0301234567", &["cell", "fax", "mobile", "phone", "tel", "telephone"]),
    ("2000", &["jahr", "year"]),
];

/// Text for fields of which a word says that they are for numbers, and those words.
const NUMBER: (&str, &[&str]) = (BUILTIN_TEXTS[1], &["digits", "number", "numeric", "zahl"]);

/// Words before an example of what a field takes.
const EXAMPLES: [&str; 5] = [" like ", "e.g. ", "for example ", "such as ", "z. B. "];

/// Beginnings of the words for digits, and for letters, that stand behind their number.
const DIGITS: [&str; 5] = ["digit", "ziffer", "stellen", "chiffre", "dígito"];
const LETTERS: [&str; 7] = ["letter", "character", "char", "sign", "zeichen", "caract", "buchstabe"];

/// Names of the numbers from zero on.
const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// Most samples by what is said of a field, and most digits of a number in it.
const SAID_MAX: usize = 3;
const DIGITS_MAX: usize = 10;

/// Most levels of the tree that are around a field, most texts there, and most bytes of them all: what is larger says more than of
/// the field.
const AROUND_LEVELS: usize = 6;
const AROUND_TEXTS: usize = 6;
const AROUND_BYTES: usize = 300;

/// Text for a field that asks for more letters than this.
const SENTENCE: &str = BUILTIN_TEXTS[4];
const SHORT: usize = BUILTIN_TEXTS[0].len();

/// Text for a password: many pages ask for capital letters, small letters, digits and other signs.
const PASSWORD: &str = "Secret-123";

/// Parts of a date or a time in a placeholder like `DD/MM/YYYY`, and what stands for each in a sample.
const PARTS: [(&str, &str); 7] = [
    ("yyyy", "2040"),
    ("yy", "40"),
    ("mm", "10"),
    ("dd", "20"),
    ("hh", "20"),
    ("ss", "30"),
    ("jjjj", "2040"),
];

/// Most fields of a screen whose rules are read, and most lines of rules: a field has eight at most.
const FIELDS_MAX: usize = 200;
const RULES_MAX: usize = 8 * FIELDS_MAX;

/// Returns texts that fit the fields among `widgets`, each with the place of its field. A line of `rules` has the place of a field,
/// the name of a rule as in HTML, and its value; the lines of a field follow each other.
#[inline(never)]
pub(crate) fn samples_by_rules(widgets: &[Widget], rules: &str) -> Vec<(u32, Arc<str>)> {
    let parts = |line| {
        let (at, rule) = str::split_once(line, ' ')?;
        Some((at.parse::<u32>().ok()?, rule.split_once(' ').unwrap_or((rule, ""))))
    };
    let lines: Vec<_> = rules.lines().take(RULES_MAX).filter_map(parts).collect();
    let mut samples = Vec::new();
    for of_field in lines.chunk_by(|(at, _), (next, _)| at == next).take(FIELDS_MAX) {
        let at = of_field[0].0;
        let Some(field) = widgets.get(at as usize) else { continue };
        let mut rules = FieldRules { said: texts_around(widgets, at as usize), ..FieldRules::default() };
        of_field.iter().for_each(|(_, (name, value))| rules.set(name, value));
        samples.extend(rules.samples(field).into_iter().map(|sample| (at, sample)));
    }
    samples
}

/// Rules of a field, as its page says them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FieldRules {
    /// Type of the input, as the page says it.
    kind: String,
    /// Pattern that the whole text meets; empty if there is none, as with all that follow.
    pattern: String,
    /// Least and largest value.
    range: [String; 2],
    /// Text that is shown while the field is empty.
    placeholder: String,
    /// Words on what the browser may fill in.
    autocomplete: String,
    /// Fewest letters.
    shortest: usize,
    /// Most letters.
    longest: Option<usize>,
    /// Texts around the field: its label, what helps to fill it, and what is wrong with it.
    said: Vec<Arc<str>>,
}

impl FieldRules {
    /// Sets a rule by its name in HTML; any other name says nothing of texts.
    fn set(&mut self, name: &str, value: &str) {
        let text = match name {
            "minlength" => return self.shortest = value.parse().unwrap_or(0),
            "maxlength" => return self.longest = value.parse().ok(),
            "type" => &mut self.kind,
            "pattern" => &mut self.pattern,
            "min" => &mut self.range[0],
            "max" => &mut self.range[1],
            "placeholder" => &mut self.placeholder,
            "autocomplete" => &mut self.autocomplete,
            _ => return,
        };
        *text = value.to_string();
    }

    /// Returns texts that fit `field`, the likeliest first; none if it says nothing of them.
    #[inline(never)]
    fn samples(&self, field: &Widget) -> Vec<Arc<str>> {
        // A browser that does not know a type shows a field for any text.
        let known = TextForm::of(&field.class);
        if let Some(form) = known.or_else(|| TextForm::of_role(&self.kind)) {
            let [least, most] = &self.range;
            let ends = [least, most].into_iter().filter(|end| !end.is_empty() && form.takes(end));
            let mut samples: Vec<&str> = ends.map(|end| &**end).collect();
            if (!samples.is_empty() || known.is_none()) && form.is_in_parts() {
                // Times of one form are in the order of their letters.
                let is_within = |time: &&str| **time >= **least && (most.is_empty() || **time <= **most);
                samples.extend(form.samples().iter().copied().filter(is_within));
                samples.sort_unstable();
                samples.dedup();
            }
            let mut said = Vec::new();
            if form == TextForm::Number {
                if least.is_empty() && most.is_empty() {
                    said.push(self.called_sample(field).to_string());
                }
                said.extend(self.said_samples(field));
                said.retain(|sample| !sample.is_empty() && form.takes(sample));
            }
            return different(samples.into_iter().map(Arc::from).chain(said.into_iter().map(Arc::from)));
        }
        let pattern = self.is_patterned().then(|| regex(&format!("^(?:{})$", self.pattern)).ok()).flatten();
        let fitting = |sample: Option<String>| sample.filter(|sample| self.fits(sample, pattern.as_ref()));
        // Few letters where a pattern leaves their number open, or as many as the field asks for.
        let sample = fitting(self.pattern_sample(1))
            .or_else(|| fitting(self.pattern_sample(self.shortest)))
            .or_else(|| fitting(self.placeholder_sample()))
            .or_else(|| fitting(self.plain_sample(field)));
        let said = self.said_samples(field).into_iter().filter(|sample| self.fits(sample, pattern.as_ref()));
        different(sample.into_iter().chain(said).map(Arc::from))
    }

    /// Returns texts by what is said of the field: its examples, its numbers, and texts of so many letters as it names.
    fn said_samples(&self, field: &Widget) -> Vec<String> {
        let mut samples = Vec::new();
        for said in &self.said {
            samples.extend(EXAMPLES.iter().filter_map(|before| {
                let (_, example) = said.split_once(before)?;
                let example = example.split([',', ';', ')', '(']).next()?.trim().trim_end_matches('.');
                is_example(example).then(|| example.to_string())
            }));
            let all: Vec<&str> = said.split_whitespace().map(|word| word.trim_matches(is_mark)).collect();
            for (at, word) in all.iter().enumerate() {
                let unit = all.get(at + 1).map(|unit| unit.to_lowercase()).unwrap_or_default();
                let is_in = |units: &[&str]| units.iter().any(|one| unit.starts_with(one));
                let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
                let number = word.parse().ok().filter(|_| is_number && word.len() <= DIGITS_MAX);
                // *One* is no number as a rule, unless letters are counted.
                let spelt = || NUMBERS.iter().position(|name| word.eq_ignore_ascii_case(name));
                let is_spelt = is_in(&DIGITS) || is_in(&LETTERS);
                let Some(number) = number.or_else(|| spelt().filter(|_| is_spelt)) else { continue };
                let letters = |text: &str| -> String {
                    let cut: String = cycled(text, number).chars().take(number).collect();
                    // A blank at the end may not count.
                    if let Some(shorter) = cut.strip_suffix(' ') { format!("{shorter}s") } else { cut }
                };
                samples.push(match () {
                    () if is_in(&DIGITS) => letters("0123456789"),
                    () if is_in(&LETTERS) && field.flags.has(Flags::PASSWORD) => letters(PASSWORD),
                    () if is_in(&LETTERS) => letters(SENTENCE),
                    () => word.to_string(),
                });
            }
        }
        samples.truncate(SAID_MAX);
        samples
    }

    /// Returns true if there is a pattern that is short enough to be read.
    fn is_patterned(&self) -> bool {
        !self.pattern.is_empty() && self.pattern.len() <= PATTERN_BYTES_MAX
    }

    /// Returns true if `sample` has the letters that the field takes, and meets `pattern`; a browser reads patterns that are not read
    /// here.
    fn fits(&self, sample: &str, pattern: Option<&Regex>) -> bool {
        let letters = sample.encode_utf16().count();
        let is_plain = !sample.contains(char::is_control);
        let is_of_length = sample.len() <= SAMPLE_BYTES_MAX
            && letters >= self.shortest
            && self.longest.is_none_or(|longest| letters <= longest);
        is_plain && is_of_length && pattern.is_none_or(|pattern| pattern.is_match(sample))
    }

    /// Returns a text that meets the pattern, see [`write`].
    fn pattern_sample(&self, often: usize) -> Option<String> {
        let pattern = self.is_patterned().then(|| parse(&self.pattern).ok()).flatten()?;
        let mut sample = String::new();
        write(&pattern, often, &mut sample)?;
        Some(sample).filter(|sample| !sample.is_empty())
    }

    /// Returns a text by what the field is called, or one that is long enough.
    fn plain_sample(&self, field: &Widget) -> Option<String> {
        let is_secret = field.flags.has(Flags::PASSWORD);
        let called = if is_secret { PASSWORD } else { self.called_sample(field) };
        match called {
            // All fields are offered shorter texts.
            "" => (self.shortest > SHORT).then(|| cycled(SENTENCE, self.shortest)),
            called => Some(cycled(called, self.shortest)),
        }
    }

    fn placeholder_sample(&self) -> Option<String> {
        let shown = self.placeholder.trim();
        let has_digits = shown.contains(|char: char| char.is_ascii_digit());
        if has_digits {
            // `e.g. AB-1234` is an example.
            let example =
                shown.rsplit_once("g. ").or(shown.rsplit_once(": ")).map_or(shown, |(_, example)| example);
            return Some(example.to_string()).filter(|example| is_example(example));
        }
        let mut sample = String::new();
        let mut rest = shown;
        while let Some(letter) = rest.chars().next() {
            let end = rest.find(|char: char| !char.is_alphabetic()).unwrap_or(rest.len());
            if end == 0 {
                sample.push(letter);
                rest = &rest[letter.len_utf8()..];
                continue;
            }
            let (word, after) = rest.split_at(end);
            let part = PARTS.iter().find(|(part, _)| word.eq_ignore_ascii_case(part))?;
            sample.push_str(part.1);
            rest = after;
        }
        (!sample.is_empty()).then_some(sample)
    }

    fn called_sample(&self, field: &Widget) -> &'static str {
        let said: Vec<&str> = self.said.iter().map(|said| &**said).collect();
        let sources: [&[&str]; 3] =
            [&[&self.kind, &self.autocomplete], &[field.id_entry(), &field.desc, &self.placeholder], &said];
        let of = |source: &[&str], all: &[(&'static str, &[&str])]| {
            let called: Vec<String> = source.iter().flat_map(|text| words(text)).collect();
            let is_called = |names: &[&str]| called.iter().any(|word| names.contains(&&**word));
            all.iter().find(|(_, names)| is_called(names)).map(|(sample, _)| *sample)
        };
        let found = sources.into_iter().find_map(|source| of(source, &CALLED));
        found.or_else(|| sources[1..].iter().find_map(|source| of(source, &[NUMBER]))).unwrap_or_default()
    }
}

/// Returns the visible texts around the field at `at`: of the largest part of the page that has no other field, if it is small
/// enough. A page with one field is all around it, so only the part that holds the field counts then.
fn texts_around(widgets: &[Widget], at: usize) -> Vec<Arc<str>> {
    let is_field = |widget: &Widget| widget.flags.has(Flags::EDITABLE) && widget.is_visible();
    let is_alone = widgets.iter().filter(|widget| is_field(widget)).count() == 1;
    let (mut around, mut top) = (Vec::new(), at);
    for _ in 0..if is_alone { 1 } else { AROUND_LEVELS } {
        let Some(above) = widgets[..top].iter().rposition(|other| other.depth < widgets[top].depth) else {
            break;
        };
        let part = &widgets[above + 1..];
        let end = part.iter().position(|other| other.depth <= widgets[above].depth).unwrap_or(part.len());
        let part = &part[..end];
        let is_text = |widget: &&Widget| widget.is_visible() && !widget.text.is_empty() && !is_field(widget);
        let texts: Vec<Arc<str>> = part.iter().filter(is_text).map(|widget| widget.text.clone()).collect();
        let is_large =
            texts.len() > AROUND_TEXTS || texts.iter().map(|text| text.len()).sum::<usize>() > AROUND_BYTES;
        if is_large || part.iter().filter(|widget| is_field(widget)).count() != 1 {
            break;
        }
        (around, top) = (texts, above);
    }
    around
}

/// Returns true if each word of `text` is a part of an example, as in `AB 1234`: it has a digit, or capital letters alone.
fn is_example(text: &str) -> bool {
    let has_digit = |word: &str| word.contains(|char: char| char.is_ascii_digit());
    let is_capital = |word: &str| word.len() <= 3 && word.chars().all(char::is_uppercase);
    has_digit(text) && text.split(' ').all(|word| has_digit(word) || is_capital(word))
}

/// Returns `samples` in their order, each once.
fn different(samples: impl Iterator<Item = Arc<str>>) -> Vec<Arc<str>> {
    let mut found = Vec::new();
    for sample in samples {
        if !found.contains(&sample) {
            found.push(sample);
        }
    }
    found
}

fn is_mark(char: char) -> bool {
    !char.is_alphanumeric()
}

/// Returns `text`, as often as it takes to have so many letters.
fn cycled(text: &str, letters: usize) -> String {
    let times = letters.min(SAMPLE_BYTES_MAX).div_ceil(text.len()).max(1);
    text.repeat(times)
}

/// Writes a text that `pattern` matches, with `often` of what may come any number of times; none if it would be too long.
fn write(pattern: &Hir, often: usize, out: &mut String) -> Option<()> {
    if out.len() > SAMPLE_BYTES_MAX {
        return None;
    }
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => out.push(one_of(class)?),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let often = often.min(max.map_or(usize::MAX, |max| max as usize));
            // What comes once or not at all is left out.
            let often = if *max == Some(1) { 0 } else { often };
            for _ in 0..(*min as usize).max(often) {
                let before = out.len();
                write(sub, 1, out)?;
                if out.len() == before {
                    break;
                }
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, often, out)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, often, out))?,
        HirKind::Alternation(others) => write(others.first()?, often, out)?,
    }
    Some(())
}

/// Returns a letter or a digit of `class`, or its first sign.
fn one_of(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let has = |wanted: &char| class.iter().any(|range| (range.start()..=range.end()).contains(wanted));
    ['1', 'a', 'A'].into_iter().find(has).or_else(|| class.iter().next().map(|range| range.start()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn field(called: &str) -> Widget {
        Widget { class: "input textbox".into(), desc: called.into(), ..Widget::default() }
    }

    fn samples(rules: &FieldRules, called: &str) -> Vec<String> {
        rules.samples(&field(called)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn rules_are_lines_of_fields() {
        let label = Widget {
            text: "18 or older".into(),
            bounds: crate::gui::Bounds::new(0, 0, 9, 9),
            ..Widget::default()
        };
        let widgets = [Widget::default(), Widget { depth: 1, ..label }, Widget { depth: 1, ..field("Age") }];
        let of = |rules: &str| {
            let samples = samples_by_rules(&widgets, rules);
            samples.iter().map(|(at, sample)| format!("{at} {sample}")).collect::<Vec<String>>().join(" | ")
        };
        assert_eq!(of("2 pattern [A-Z]{2} [0-9]\n2 minlength 4"), "2 AA 1");
        assert_eq!(of("2 type number\n2 min 18\n2 max 99"), "2 18 | 2 99");
        assert_eq!(of("1 placeholder MM/YY\n2 type email"), "1 10/40 | 2 name@example.com");
        assert_eq!(of("2 maxlength 3\n2 autocomplete postal-code"), "", "it would be cut");
        assert_eq!(of("2 maxlength x\n2 autocomplete postal-code"), "2 12345");
        assert_eq!(of("7 type email\n-1 type email\n2\n\n2 colour red\nno rule"), "");
    }

    #[test]
    fn a_pattern_is_met() {
        let sample = |pattern: &str, shortest| {
            let rules = FieldRules { pattern: pattern.into(), shortest, ..FieldRules::default() };
            samples(&rules, "").pop().unwrap_or_default()
        };
        assert_eq!(sample("[0-9]{5}", 0), "11111");
        assert_eq!(sample("[A-Z]{2}-[0-9]{4}", 0), "AA-1111");
        assert_eq!(sample("(0[1-9]|1[0-2])/[0-9]{2}", 0), "01/11");
        assert_eq!(sample(r"\d+", 4), "1111");
        assert_eq!(sample(r"(\+49)? ?[1-9]\d*", 0), "11");
        assert_eq!(sample("[a-z", 0), "", "it is no pattern");
        assert_eq!(sample("(x{900}){900}", 0), "", "it would be too long");
        assert_eq!(sample("(){4000000000}", 0), "");
        assert_eq!(sample("a{3}", 9), "", "no text is both");
    }

    #[test]
    fn what_is_said_of_a_field_gives_texts() {
        let of = |said: &str, flags: Flags| {
            let rules = FieldRules { said: vec![said.into()], ..FieldRules::default() };
            let field = Widget { flags, class: "input textbox".into(), ..Widget::default() };
            rules.samples(&field).iter().map(ToString::to_string).collect::<Vec<String>>()
        };
        let plain = Flags::default();
        assert_eq!(of("18 or older", plain), ["18"]);
        assert_eq!(of("From 1900 to 2010!", plain), ["1900", "2010"]);
        assert_eq!(of("The plate is like AB 1234.", plain), ["AB 1234", "1234"]);
        assert_eq!(of("Four of 3/20, 2x, or it is like this", plain), [""; 0]);
        assert_eq!(of("At least 3 characters", plain), ["a f"]);
        assert_eq!(of("Give two or more signs, or twelve digits", plain), ["42", "012345678901"]);
        assert_eq!(of("Two signs, no more than one", plain), ["as"]);
        assert_eq!(of("Es sind 5 Ziffern", plain), ["01234"]);
        assert_eq!(of("12 letters", Flags::PASSWORD), [PASSWORD, "Secret-123Se"]);
        assert_eq!(of("Not 99999999999 of them", plain), [""; 0]);
        let rules = FieldRules { said: vec!["1 to 8 letters, and 9".into()], ..FieldRules::default() };
        let number = Widget { class: "input spinbutton".into(), ..Widget::default() };
        assert_eq!(*rules.samples(&number), ["1".into(), "9".into()]);
        assert_eq!(of("This is no address of e-mail", plain), ["name@example.com"]);
        assert_eq!(of("It must be a number", plain), ["42"]);
    }

    #[test]
    fn the_texts_around_a_field_are_those_of_no_other_field() {
        let widget = |depth: u16, text: &str, flags| Widget {
            depth,
            text: text.into(),
            flags,
            bounds: crate::gui::Bounds::new(0, 0, 9, 9),
            ..Widget::default()
        };
        let plain = Flags::default();
        let form = [
            widget(0, "Insurance", plain),
            widget(1, "", plain),
            widget(2, "Age", plain),
            widget(2, "", plain),
            widget(3, "17", Flags::EDITABLE),
            widget(2, "18 or older", plain),
            widget(1, "", plain),
            widget(2, "City", plain),
            widget(2, "", Flags::EDITABLE),
        ];
        let texts = |widgets: &[Widget], at| texts_around(widgets, at).join("|");
        assert_eq!(texts(&form, 4), "Age|18 or older");
        assert_eq!(texts(&form, 8), "City");
        assert_eq!(texts(&form[..6], 4), "", "it is the only one, so the rest of the page is not around it");
        let many: Vec<Widget> = (0..9).map(|_| widget(1, "x", plain)).collect();
        let crowded = [&form[..1], &many, &form[8..], &form[6..]].concat();
        assert_eq!(texts(&crowded, 10), "");
    }

    #[test]
    fn a_range_gives_its_ends() {
        let rules = |least: &str, most: &str| FieldRules {
            range: [least.into(), most.into()],
            ..FieldRules::default()
        };
        let of = |class: &str, rules: FieldRules| {
            let field = Widget { class: class.into(), ..Widget::default() };
            rules.samples(&field).iter().map(ToString::to_string).collect::<Vec<String>>()
        };
        assert_eq!(of("input spinbutton", rules("1", "8")), ["1", "8"]);
        assert_eq!(of("input spinbutton", rules("", "ten")), [""; 0]);
        assert_eq!(of("input date", rules("2026-01-31", "")), ["2026-01-31", "2040-10-20"]);
        assert_eq!(of("input date", rules("", "2026-01-31")), ["2001-02-03", "2026-01-31"]);
        assert_eq!(of("input date", rules("", "")), [""; 0], "the form has its own");
        let unknown = FieldRules { kind: "month".into(), ..rules("2030-01", "") };
        assert_eq!(
            of("input textbox", unknown),
            ["2030-01", "2040-10"],
            "a browser without fields for months"
        );
    }

    #[test]
    fn a_field_gets_what_it_is_called() {
        let called = |called: &str| samples(&FieldRules::default(), called).pop().unwrap_or_default();
        assert_eq!(called("Your website"), "https://example.com/");
        assert_eq!(called("Mobile phone"), "0301234567");
        assert_eq!(called("ZIP code"), "12345");
        assert_eq!(called("Card number"), "4111111111111111");
        assert_eq!(called("Name on card"), "");
        assert_eq!(called("City"), "");
        // The page's own words say more than those that are shown.
        let rules = FieldRules { kind: "url".into(), ..FieldRules::default() };
        assert_eq!(samples(&rules, "Phone"), ["https://example.com/"]);
        let rules = FieldRules { autocomplete: "cc-exp".into(), ..FieldRules::default() };
        assert_eq!(samples(&rules, "Until"), ["12/40"]);
        let rules = FieldRules { shortest: 12, ..FieldRules::default() };
        let secret = Widget { flags: Flags::PASSWORD, ..field("Password") };
        assert_eq!(*rules.samples(&secret)[0], *"Secret-123Secret-123");
        let rules = FieldRules { shortest: 30, ..FieldRules::default() };
        assert!(samples(&rules, "Message")[0].len() >= 30);
        let rules = FieldRules { longest: Some(3), ..FieldRules::default() };
        assert_eq!(samples(&rules, "Phone"), [""; 0], "it would be cut");
    }

    #[test]
    fn a_placeholder_may_be_an_example() {
        let shown = |placeholder: &str| {
            let rules = FieldRules { placeholder: placeholder.into(), ..FieldRules::default() };
            samples(&rules, "").pop().unwrap_or_default()
        };
        assert_eq!(shown("MM/YY"), "10/40");
        assert_eq!(shown("dd.mm.yyyy"), "20.10.2040");
        assert_eq!(shown("e.g. AB-1234"), "AB-1234");
        assert_eq!(shown("Your first name"), "");
        assert_eq!(shown("at least 8 letters"), "");
    }

    proptest! {
        #[test]
        fn whatever_a_page_says_the_samples_fit(
            pattern in "[\\[\\](){}|?*+.^$a-c0-3,\\\\dws-]{0,16}", shortest in 0_usize..40, placeholder in "[a-yDM0-9 :/.]{0,12}",
        ) {
            let rules = FieldRules { pattern: pattern.clone(), shortest, placeholder, ..FieldRules::default() };
            for sample in rules.samples(&field("Phone")) {
                prop_assert!(sample.len() >= shortest);
                if let Ok(read) = regex(&format!("^(?:{pattern})$")) {
                    prop_assert!(pattern.is_empty() || read.is_match(&sample));
                }
            }
        }
    }
}
