//! Brackets: from the pairs of the grammar to [`gui::Atom`].

use pest::Parser as _;
use pest::iterators::Pair;

use super::grammar::{Grammar, Rule};
use crate::gui::{
    ActionTypes, Atom, Comparison, Constant, Key, Kind, Mistake, Number, Op, Part, Pattern, Relation, Term,
    nearest, opens_term,
};
use crate::text::{Diagnostic, Span, clip, no_character, span, unquote};

/// Purpose of a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    /// Part of a formula.
    Formula,
    /// Widget that an action is done on.
    Widget,
}

/// Reader of brackets, with the mistakes it met.
pub(super) struct AtomReader<'a> {
    /// First byte of the parsed text in the source.
    pub offset: usize,
    pub types: ActionTypes<'a>,
    /// Widgets that a name stands for; none if it stands for none.
    pub widgets: &'a dyn Fn(&str) -> Option<Pattern>,
    /// Term of a kept name; none if the name keeps nothing here.
    pub kept: &'a dyn Fn(&str) -> Option<Term>,
    /// Names that keep something here.
    pub kept_names: Vec<&'a str>,
    /// Names that were read, with their places.
    pub names: Vec<(String, Span)>,
    pub mistakes: Vec<Diagnostic>,
}

/// Largest number of comparisons and places of a bracket, names written out.
const SIZE_MAX: usize = 100;

/// Largest number of kept names of a bracket.
const KEPT_MAX: usize = 3;

impl AtomReader<'_> {
    /// Returns the atom of a bracket, `None` if it has mistakes.
    pub fn read(&mut self, atom: Pair<'_, Rule>, purpose: Purpose) -> Option<Atom> {
        let whole = span(&atom, self.offset);
        let inside = atom.into_inner().next().expect("a bracket has an inside");
        let made = match (inside.as_rule(), purpose) {
            (Rule::measured, Purpose::Widget) => {
                let mistake = Diagnostic::error(
                    "E-mixed-atom",
                    whole.clone(),
                    "an action is done on one widget, and this looks at several",
                )
                .help("leave out the term and its comparison");
                self.mistakes.push(mistake);
                return None;
            }
            (Rule::measured, Purpose::Formula) => {
                let mut parts = inside.into_inner();
                let mut part = || parts.next().expect("a measure has three parts");
                let (measure, relation, value) = (part(), part(), part());
                // All parts are read before one of them fails, for the mistakes in each.
                let left = self.measure(measure);
                let (op_span, value_span) = (span(&relation, self.offset), span(&value, self.offset));
                let value = self.value(value);
                let made = Atom::compared(left?, operator(&relation), value?, self.types);
                made.map_err(|mistake| self.mistake(mistake, whole.clone(), op_span, value_span)).ok()
            }
            (_, purpose) => {
                let (comparisons, places) = self.conditions(inside)?;
                let made = match purpose {
                    Purpose::Formula if places.is_empty() => Atom::new(comparisons),
                    Purpose::Formula => Pattern::new(comparisons, places).and_then(Atom::placed),
                    Purpose::Widget if places.is_empty() => Atom::widget(comparisons),
                    Purpose::Widget => Err(Mistake {
                        code: "E-mixed-atom",
                        part: Part::Whole,
                        message: "here one widget is told by itself, and this tells it by others".into(),
                        help: "leave out `in(...)`, `has(...)` and `beside(...)`".into(),
                    }),
                };
                made.map_err(|mistake| self.mistake(mistake, whole.clone(), whole.clone(), whole.clone()))
                    .ok()
            }
        }?;
        let size = made.comparisons().len();
        if purpose == Purpose::Widget && made.is_linked() {
            let mistake =
                Diagnostic::error("E-value", whole, "a value is read from a step, and here is none");
            self.mistakes.push(mistake.help("write the value itself"));
            return None;
        }
        if made.kept().len() > KEPT_MAX {
            let message = format!("a bracket may have {KEPT_MAX} different kept names");
            self.mistakes.push(Diagnostic::error("E-too-large", whole, message));
            return None;
        }
        if size > SIZE_MAX {
            let message = format!(
                "a bracket may have {SIZE_MAX} comparisons, its names written out, and this has {size}"
            );
            self.mistakes.push(Diagnostic::error("E-too-large", whole, message));
            return None;
        }
        Some(made)
    }

    fn mistake(&mut self, mistake: Mistake, whole: Span, op: Span, value: Span) {
        let span = match mistake.part {
            Part::Key | Part::Whole => whole,
            Part::Op => op,
            Part::Value => value,
        };
        self.mistakes.push(Diagnostic::error(mistake.code, span, mistake.message).help(mistake.help));
    }

    /// Returns the term of `count(...)` or `KEY(...)`.
    fn measure(&mut self, measure: Pair<'_, Rule>) -> Option<Term> {
        let whole = span(&measure, self.offset);
        let mut parts = measure.into_inner();
        let (key, widgets) = (parts.next().expect("a key"), parts.next().expect("widgets"));
        let key_span = span(&key, self.offset);
        let widgets = self.widgets(widgets);
        if key.as_str() == "count" {
            return Some(Term::Count(Box::new(widgets?)));
        }
        let key = match Key::parse(key.as_str()) {
            Ok(key) => key,
            Err(mistake) => {
                self.mistake(mistake, key_span.clone(), key_span.clone(), key_span);
                return None;
            }
        };
        if key.kind() != Kind::Widget {
            let message = format!("`{}` is not asked of a widget", key.name());
            let help = format!("write `{}` without the widgets behind it", key.name());
            self.mistakes.push(Diagnostic::error("E-mixed-atom", whole, message).help(help));
            return None;
        }
        Some(Term::Each(key, Box::new(widgets?)))
    }

    /// Returns the widgets between round brackets: conditions, or the name of a `let`.
    fn widgets(&mut self, widgets: Pair<'_, Rule>) -> Option<Pattern> {
        let whole = span(&widgets, self.offset);
        let inside = widgets.into_inner().next().expect("widgets are described");
        let pattern = match inside.as_rule() {
            Rule::name => {
                self.names.push((inside.as_str().to_string(), span(&inside, self.offset)));
                (self.widgets)(inside.as_str())?
            }
            _ => {
                let (comparisons, places) = self.conditions(inside)?;
                let made = Pattern::new(comparisons, places);
                made.map_err(|mistake| self.mistake(mistake, whole.clone(), whole.clone(), whole.clone()))
                    .ok()?
            }
        };
        // A name in a name in a name may stand for a great many.
        if pattern.size() > SIZE_MAX {
            let message =
                format!("widgets may be told by {SIZE_MAX} comparisons, and these are told by more");
            self.mistakes.push(Diagnostic::error("E-too-large", whole, message));
            return None;
        }
        Some(pattern)
    }

    /// Returns all comparisons and places, `None` if one has a mistake.
    #[expect(clippy::type_complexity, reason = "the two parts of a pattern")]
    fn conditions(
        &mut self,
        conditions: Pair<'_, Rule>,
    ) -> Option<(Vec<Comparison>, Vec<(Relation, Pattern)>)> {
        // Every condition is read, so that the mistakes of all are reported at once.
        let (mut comparisons, mut places) = (Vec::new(), Vec::new());
        for condition in conditions.into_inner() {
            match condition.as_rule() {
                Rule::comparison => comparisons.push(self.comparison(condition)),
                Rule::placed => {
                    let mut parts = condition.into_inner();
                    let relation = parts.next().map(|word| Relation::parse(word.as_str()));
                    let relation = relation.flatten().expect("the grammar knows the relations");
                    let widgets = self.widgets(parts.next().expect("a place has widgets"));
                    places.push(widgets.map(|pattern| (relation, pattern)));
                }
                _ => {}
            }
        }
        let comparisons: Option<Vec<Comparison>> = comparisons.into_iter().collect();
        let places: Option<Vec<(Relation, Pattern)>> = places.into_iter().collect();
        Some((comparisons?, places?))
    }

    fn comparison(&mut self, comparison: Pair<'_, Rule>) -> Option<Comparison> {
        let mut parts = comparison.into_inner();
        let mut part = || parts.next().expect("a comparison has three parts");
        let (key, relation, value) = (part(), part(), part());
        let key_span = span(&key, self.offset);
        let (op_span, value_span) = (span(&relation, self.offset), span(&value, self.offset));
        let op = operator(&relation);
        let value = self.value(value);
        let made = Key::parse(key.as_str())
            .and_then(|key| value.map(|value| Comparison::new(key, op, value, self.types)).transpose());
        made.unwrap_or_else(|mistake| {
            self.mistake(mistake, key_span, op_span, value_span);
            None
        })
    }

    fn value(&mut self, value: Pair<'_, Rule>) -> Option<Constant> {
        let whole = span(&value, self.offset);
        let inside = match value.as_rule() {
            Rule::regex => value,
            _ => value.into_inner().next().expect("a value has an inside"),
        };
        let written = inside.as_str();
        match inside.as_rule() {
            Rule::regex => {
                // Without the slashes around it.
                Some(Constant::Regex(unescape_slashes(&written[1..written.len() - 1])))
            }
            Rule::quoted_value => {
                let inner = &written[1..written.len() - 1];
                let unquoted = |piece: &str| unquote(&format!("\"{piece}\""));
                self.pieces(inner, whole.start + 1, whole, &unquoted)
            }
            _ => {
                let text = written.trim();
                // An atom whose `]` was forgotten takes the next atom into its value.
                if text.contains('[') {
                    let shown = clip(text);
                    let message = format!("the value goes on to the `]` and is `{shown}`");
                    self.mistakes.push(
                        Diagnostic::warning("W-bracket-in-value", whole.clone(), message)
                            .help("if that is meant, put it in quotes; if not, a `]` is missing in it"),
                    );
                }
                let start = whole.start + (written.len() - written.trim_start().len());
                let unescaped = |piece: &str| Ok(piece.replace("\\{", "{"));
                self.pieces(text, start, whole, &unescaped)
            }
        }
    }

    /// Returns the value that is written `text` at `start`: texts, which `unescape` reads, with terms between them.
    fn pieces(
        &mut self,
        text: &str,
        start: usize,
        whole: Span,
        unescape: &dyn Fn(&str) -> Result<String, String>,
    ) -> Option<Constant> {
        let mut parts: Vec<Option<Term>> = Vec::new();
        let mut has_term = false;
        for (range, is_term) in pieces(text) {
            let piece = &text[range.clone()];
            let part = if is_term {
                has_term = true;
                match piece.strip_prefix('{').and_then(|inside| inside.strip_suffix('}')) {
                    Some(inside) => self.term(inside, start + range.start + 1),
                    None => {
                        let place = start + range.start..start + range.end;
                        let mistake = Diagnostic::error("E-term", place, "a `}` is missing after this `{`");
                        self.mistakes.push(mistake.help("a brace itself is written `\\{`"));
                        None
                    }
                }
            } else {
                match unescape(piece) {
                    Ok(text) => Some(Term::Text(text)),
                    Err(escape) => {
                        self.mistakes.push(no_character(&escape, whole.clone()));
                        None
                    }
                }
            };
            parts.push(part);
        }
        let mut parts: Vec<Term> = parts.into_iter().collect::<Option<_>>()?;
        match (parts.len(), has_term) {
            (1, true) => parts.pop().map(Constant::Term),
            (_, true) => Some(Constant::Term(Term::Joined(parts))),
            (_, false) => match parts.pop() {
                Some(Term::Text(text)) => Some(Constant::Text(text)),
                _ => Some(Constant::Text(String::new())),
            },
        }
    }

    /// Returns the term that is written `text` at `start`.
    fn term(&mut self, text: &str, start: usize) -> Option<Term> {
        let mut pairs = match Grammar::parse(Rule::term, text) {
            Ok(pairs) => pairs,
            Err(_) => {
                let shown = clip(text.trim());
                let mistake = Diagnostic::error("E-term", start..start + text.len(), format!("`{shown}` is no term"))
                    .help(
                        "a term is like `count(text ~ Note)`, `text(id = title)`, `activity`, `number(text(id = left))`, \
                         `prev text(id = title)` or a sum of them; a brace itself is written `\\{`",
                    );
                self.mistakes.push(mistake);
                return None;
            }
        };
        let sum = pairs.next().and_then(|term| term.into_inner().next()).expect("a term has an inside");
        // The places of the parts count from the term.
        let offset = std::mem::replace(&mut self.offset, start);
        let term = self.sum(sum, false);
        self.offset = offset;
        term
    }

    fn sum(&mut self, sum: Pair<'_, Rule>, is_before: bool) -> Option<Term> {
        let mut parts = sum.into_inner();
        let mut left = self.part(parts.next().expect("a sum has a part"), is_before);
        while let (Some(sign), Some(part)) = (parts.next(), parts.next()) {
            let right = self.part(part, is_before);
            left = left.zip(right).map(|(left, right)| {
                let (left, right) = (Box::new(left), Box::new(right));
                if sign.as_str() == "+" { Term::Sum(left, right) } else { Term::Difference(left, right) }
            });
        }
        left
    }

    fn part(&mut self, part: Pair<'_, Rule>, is_before: bool) -> Option<Term> {
        let whole = span(&part, self.offset);
        let mut inner = part.into_inner().filter(|part| part.as_rule() != Rule::count_close);
        let first = inner.next().expect("a part has an inside");
        match first.as_rule() {
            Rule::before if is_before => {
                let mistake = Diagnostic::error("E-term", whole, "`prev` within `prev` is not known")
                    .help("a step looks back to the one before it, and no further");
                self.mistakes.push(mistake);
                None
            }
            Rule::before => {
                let of = self.part(inner.next().expect("`prev` has a term"), true)?;
                Some(Term::Before(Box::new(of)))
            }
            Rule::function => {
                let of = Box::new(self.sum(inner.next().expect("a function has a term"), is_before)?);
                Some(if first.as_str() == "trim" { Term::Trimmed(of) } else { Term::FirstNumber(of) })
            }
            Rule::sum => self.sum(first, is_before),
            Rule::nothing_word => Some(Term::Values(None)),
            Rule::list_word => {
                let texts = inner.filter(|part| part.as_rule() == Rule::quoted);
                let texts: Result<Vec<String>, String> = texts.map(|text| unquote(text.as_str())).collect();
                match texts {
                    Ok(texts) => Some(Term::Values(Some(texts))),
                    Err(escape) => {
                        self.mistakes.push(no_character(&escape, whole));
                        None
                    }
                }
            }
            Rule::amount => match Number::parse(first.as_str()) {
                Some(number) => Some(Term::Number(number)),
                None => {
                    let message = "a number has at most 15 digits and 9 after the point";
                    self.mistakes.push(Diagnostic::error("E-value", whole, message));
                    None
                }
            },
            Rule::measure => self.measure(first),
            _ => self.key(first.as_str(), whole, is_before),
        }
    }

    /// Returns the term of a pair `sum`.
    pub fn term_of(&mut self, sum: Pair<'_, Rule>) -> Option<Term> {
        let whole = span(&sum, self.offset);
        let term = self.sum(sum, false)?;
        if term.size() > SIZE_MAX {
            let message = format!("a term may have {SIZE_MAX} parts, its names written out");
            self.mistakes.push(Diagnostic::error("E-too-large", whole, message));
            return None;
        }
        Some(term)
    }

    /// Returns the term of a kept name, or of a key of the screen or the action.
    fn key(&mut self, word: &str, at: Span, is_before: bool) -> Option<Term> {
        if let Some(kept) = (self.kept)(word) {
            if !is_before {
                return Some(kept);
            }
            let mistake =
                Diagnostic::error("E-term", at, format!("`{word}` is kept, and was the same before"));
            self.mistakes
                .push(mistake.help(format!("leave `prev` out, or keep `prev` of a value as `{word}`")));
            return None;
        }
        let mistake = match Key::parse(word) {
            Ok(key) if key.kind() == Kind::Widget => {
                let message = format!("`{word}` is asked of widgets");
                Diagnostic::error("E-term", at, message).help(format!("say of which: `{word}(id = title)`"))
            }
            Ok(key) if key.kind() == Kind::Action && is_before => {
                Diagnostic::error("E-term", at, "`prev` reads the screen before, and no action")
                    .help("leave `prev` out, or read the screen")
            }
            Ok(key) => return Some(Term::Of(key)),
            Err(mistake) => self.unknown(word, at, mistake),
        };
        self.mistakes.push(mistake);
        None
    }

    /// Returns the mistake of a word that is no key, and may misspell a kept name.
    fn unknown(&self, word: &str, at: Span, mistake: Mistake) -> Diagnostic {
        if self.kept_names.is_empty() {
            return Diagnostic::error(mistake.code, at, mistake.message).help(mistake.help);
        }
        let help = match nearest(word, self.kept_names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("kept here: `{}`; {}", self.kept_names.join("`, `"), mistake.help),
        };
        Diagnostic::error(mistake.code, at, format!("`{word}` is neither kept here nor a key")).help(help)
    }
}

/// Cuts the inside of a value into texts and terms; terms have their braces.
fn pieces(text: &str) -> Vec<(Span, bool)> {
    let mut pieces = Vec::new();
    let (mut start, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("\\u{") {
            // The code of a character; its braces are no term's.
            at += 3;
        } else if let Some(escaped) = rest.strip_prefix('\\') {
            at += 1 + escaped.chars().next().map_or(0, char::len_utf8);
        } else if rest.starts_with('{') && opens_term(text, at) {
            let end = at + end_of_term(rest);
            if start < at {
                pieces.push((start..at, false));
            }
            pieces.push((at..end, true));
            (start, at) = (end, end);
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    if start < text.len() {
        pieces.push((start..text.len(), false));
    }
    pieces
}

/// Returns the length of the term at the start of `text`, its braces included.
fn end_of_term(text: &str) -> usize {
    let parsed = Grammar::parse(Rule::braced, text).ok().and_then(|mut pairs| pairs.next());
    parsed.map_or(text.len(), |pair| pair.as_str().len())
}

fn operator(relation: &Pair<'_, Rule>) -> Op {
    Op::parse(relation.as_str()).expect("the grammar knows the operators")
}

fn unescape_slashes(written: &str) -> String {
    let mut text = String::with_capacity(written.len());
    let mut chars = written.chars();
    while let Some(char) = chars.next() {
        match (char, chars.clone().next()) {
            // The slash follows in the next turn.
            ('\\', Some('/')) => {}
            // The other escapes are for the regular expression to read.
            ('\\', Some(escaped)) => {
                chars.next();
                text.extend([char, escaped]);
            }
            _ => text.push(char),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::gui::{Key, Op};
    use crate::spec::{Names, Source, Style, parse_formula, read_label};

    #[track_caller]
    fn check(text: &str, canonical: &str) {
        let source = Source::new("-e", text);
        let read = parse_formula(&source, Names::Any);
        let shown = read.diagnostics.render(&source, Style::Plain);
        assert_eq!(shown, "", "{text}");
        let formula = read.formula.expect("no mistakes");
        assert_eq!(read.formulas.display(formula).to_string(), canonical);
        assert!(read.atoms.contains_key(canonical));
        assert_eq!(read_label(text).as_deref(), Some(canonical));
        assert_eq!(read_label(canonical).as_deref(), Some(canonical));
    }

    #[track_caller]
    fn check_mistake(text: &str, code: &str, underlined: &str, help: &str) {
        let source = Source::new("-e", text);
        let read = parse_formula(&source, Names::Only(&Default::default()));
        assert!(read.formula.is_none() || code.starts_with('W'), "{text}");
        let mistake = read.diagnostics.iter().next().expect(text);
        assert_eq!((mistake.code, &text[mistake.span.clone()]), (code, underlined), "{mistake:?}");
        assert!(mistake.help.as_deref().unwrap_or_default().contains(help), "{mistake:?}");
    }

    #[test]
    fn two_spellings_of_an_atom_have_one_text() {
        check("[activity~Main]", "[activity ~ Main]");
        check("[ text = \"Wi-Fi\" , checked = true ]", "[text = Wi-Fi, checked = true]");
        check("[checked=true,\n  text=Wi-Fi,checked = true]", "[text = Wi-Fi, checked = true]");
        check("[count( text∼Note )≥2]", "[count(text ~ Note) >= 2]");
        check("[text ~ /a.*b/]", "[text ~ /a.*b/]");
        check("[text < 05.50]", "[text < 5.5]");
        check("[checked = \"true\"]", "[checked = true]");
    }

    #[test]
    fn terms_and_places_have_one_text() {
        check("[in( class=Row ),text=a]", "[text = a, in(class = Row)]");
        check(
            "[beside(text = b), has(text = a, in(id = list))]",
            "[has(text = a, in(id = list)), beside(text = b)]",
        );
        check("[count(in(class = Row)) >= 02]", "[count(in(class = Row)) >= 2]");
        check(
            "[count(text ~ a)={number( text(id = left) )}]",
            "[count(text ~ a) = {number(text(id = left))}]",
        );
        check(
            "[text(class = Row) = {prev text(class = Row)}]",
            "[text(class = Row) = {prev text(class = Row)}]",
        );
        check("[text = {count(class = Row) } items]", "[text = \"{count(class = Row)} items\"]");
        check(
            "[text = \"{count(text = \"a, b\")} \\{ } items\"]",
            "[text = \"{count(text = \"a, b\")} \\{ } items\"]",
        );
        check(
            "[count(class = Row) = {prev count(class = Row)+1}]",
            "[count(class = Row) = {prev count(class = Row) + 1}]",
        );
        check("[text = {1 - (2 - 3) - trim(desc(id = a))}]", "[text = {1 - (2 - 3) - trim(desc(id = a))}]");
        check("[text = {prev (count(text = a) + -1)}]", "[text = {prev (count(text = a) + -1)}]");
        check("[activity = {prev activity}]", "[activity = {prev activity}]");
        check("[actionText = {text(id = title)}]", "[actionText = {text(id = title)}]");
        check("[text = a\\{b]", "[text = \"a\\{b\"]");
        check("[text = \"\\u{e9}\"]", "[text = é]");
        check("[text = ${NAME} and \\${NAME}]", "[text = ${NAME} and \\${NAME}]");
        check("[text = ${count(text = a)}]", "[text = \"${count(text = a)}\"]");
        check("[text(id = a) ~ /x{2}/]", "[text(id = a) ~ /x{2}/]");
    }

    #[test]
    fn a_name_of_one_bracket_stands_for_its_widgets() {
        let text = "let row = [class = Row]\nlet box = [class = CheckBox, in(row)]\nlet on = [checked = true]\n\
                    possible: F ([count(box) = 2] & [text(on) = {prev text(row)}])";
        let source = Source::new("a.ltl", text);
        let parsed = crate::spec::parse(&source);
        assert_eq!(parsed.diagnostics.render(&source, Style::Plain), "");
        assert_eq!(
            parsed.file.specs[0].formulas.display(parsed.file.specs[0].formula).to_string(),
            "F ([count(class = CheckBox, in(class = Row)) = 2] & [text(checked = true) = {prev text(class = Row)}])"
        );
    }

    #[test]
    fn a_term_or_a_place_that_makes_no_sense_is_explained() {
        check_mistake("[text = {]", "E-bracket", "{", "a brace itself is written");
        check_mistake("[text = {count}]", "E-unknown-key", "count", "[count(text ~ Note) >= 2]");
        check_mistake("[text = {text}]", "E-term", "text", "`text(id = title)`");
        check_mistake("[text = {text(text = a) *}]", "E-term", "text(text = a) *", "a term is like");
        check_mistake("[text = {prev prev activity}]", "E-term", "prev activity", "no further");
        check_mistake("[text = {prev actionText}]", "E-term", "actionText", "leave `prev` out");
        check_mistake("[activity(text = a) = b]", "E-mixed-atom", "activity(text = a)", "`activity`");
        check_mistake("[text(mian) = a]", "E-unknown-name", "mian", "declare it");
        check_mistake("[count(text = a) ~ {count(text = b)}]", "E-operator", "~", "a count takes");
        check_mistake("[checked < {count(text = b)}]", "E-operator", "<", "takes = !=");
        check_mistake("[in(activity ~ a)]", "E-mixed-atom", "activity ~ a", "text desc id");
        let deep = format!("[{}text = a{}]", "in(".repeat(11), ")".repeat(11));
        check_mistake(&deep, "E-too-deep", "(", "by a `let`");
    }

    #[test]
    fn every_key_and_every_operator_is_read() {
        for key in Key::ALL {
            let value = ["x", "true", "on", "portrait", "click"].into_iter().find(|value| {
                let text = format!("[{} = {value}]", key.name());
                parse_formula(&Source::new("-e", text), Names::Only(&Default::default())).formula.is_some()
            });
            assert!(value.is_some(), "{}", key.name());
        }
        for op in Op::ALL {
            check(&format!("[text {} 5]", op.sign()), &format!("[text {} 5]", op.sign()));
        }
        for (sign, plain) in [("∼", "~"), ("≠", "!="), ("≤", "<="), ("≥", ">=")] {
            check(&format!("[text {sign} 5]"), &format!("[text {plain} 5]"));
        }
    }

    #[test]
    fn a_value_is_quoted_only_where_it_must_be() {
        check("[text = #1 a \"b\" & c]", "[text = #1 a \"b\" & c]");
        // Within the braces of a term, what would hide their end is quoted too.
        let term = r#"[text = {text(text = f/g, desc = "c}", id = "a\"b", class = "d ~ /e")}]"#;
        check(term, term);
        let term = r#"[text = {text(class = "Row\\u\{as(b) - 0}")}]"#;
        check(term, term);
        check("[text = \"a\"]", "[text = a]");
        check("[text = \"\"]", "[text = \"\"]");
        check("[text = \" a\"]", "[text = \" a\"]");
        check(r#"[text = "a,b\n\\\"\u{9}"]"#, r#"[text = "a,b\n\\\"\u{9}"]"#);
        check(r"[text = a\b]", r"[text = a\b]");
        check("[text = \"!= a\"]", "[text = \"!= a\"]");
        check("[text = !a]", "[text = !a]");
        check("[text ~ \"/a/\"]", "[text ~ \"/a/\"]");
        check("[text = /a/]", "[text = /a/]");
        check("[text = \"a[b\"]", "[text = \"a[b\"]");
    }

    #[test]
    fn a_regular_expression_may_hold_whatever_ends_other_values() {
        check(r##"[text ~ /a]b,c#"d\)/]"##, r##"[text ~ /a]b,c#"d\)/]"##);
        check(r"[text ~ /a\/b\\/]", r"[text ~ /a\/b\\/]");
    }

    #[test]
    fn only_checked_standing_alone_is_about_the_whole_screen() {
        for (text, is_screen) in
            [("[checked = true]", true), ("[checked != true]", false), ("[checked = true, text = a]", false)]
        {
            let read = parse_formula(&Source::new("-e", text), Names::Any);
            let atom = read.atoms.values().next().expect(text);
            assert_eq!(matches!(atom, crate::gui::Atom::Checked(_)), is_screen, "{text}");
        }
    }

    #[test]
    fn a_wrong_key_or_value_gets_the_nearest_right_one() {
        check_mistake("[activty = Main]", "E-unknown-key", "activty", "did you mean `activity`?");
        check_mistake("[resource-id = a]", "E-unknown-key", "resource-id", "did you mean `id`?");
        check_mistake("[zzz = a]", "E-unknown-key", "zzz", "known keys: package activity");
        check_mistake("[checked = tru]", "E-value", "tru", "did you mean `true`?");
        check_mistake("[screen = dark]", "E-value", "dark", "on or off");
        check_mistake("[orientation = landscap]", "E-value", "landscap", "`landscape`");
        check_mistake("[actionType = clik]", "E-value", "clik", "did you mean `click`?");
        check_mistake("[actionType = tap]", "E-value", "tap", "did you mean `click`?");
        check_mistake("[crash = true]", "E-value", "true", "write `crashed = true`");
        check_mistake("[crash != false]", "E-value", "false", "write `crashed != false`");
        check_mistake("[actionType ~ zz]", "E-value", "zz", "known types: reinitialise click");
        check_mistake("[actionType ~ /^z/]", "E-value", "/^z/", "known types");
        check_mistake("[text < abc]", "E-value", "abc", "a number is like");
        check_mistake("[count(text ~ a) > -1]", "E-value", "-1", "0, 1 or 20");
        check_mistake("[text ~ /(/]", "E-regex", "/(/", "in quotes");
        check_mistake(r"[text ~ /\w{1000}/]", "E-regex", r"/\w{1000}/", "in quotes");
        check_mistake(r#"[text = "\u{d800}"]"#, "E-escape", r#""\u{d800}""#, "characters go from");
    }

    #[test]
    fn an_operator_must_fit_its_key() {
        check_mistake("[checked ~ true]", "E-operator", "~", "takes = !=");
        check_mistake("[screen ~ o]", "E-operator", "~", "takes = !=");
        check_mistake("[crashed ~ /a/]", "E-operator", "~", "takes = !=");
        check_mistake("[crashed ~ tr]", "E-operator", "~", "`crashed` takes = !=");
        for (key, signs) in
            [("crashed", "= !="), ("screen", "= !="), ("id", "= != ~"), ("actionType", "= != ~")]
        {
            let text = format!("[{key} < 1]");
            let source = Source::new("-e", &*text);
            let read = parse_formula(&source, Names::Any);
            let help = read.diagnostics.iter().next().and_then(|mistake| mistake.help.clone());
            assert!(help.expect(key).ends_with(&format!("`{key}` takes {signs}")));
        }
        check_mistake("[id < 5]", "E-operator", "<", "text, desc, actionText, actionDetail");
        check_mistake("[count(text ~ a) ~ 5]", "E-operator", "~", "= != < <= > >=");
    }

    #[test]
    fn one_bracket_is_about_one_thing() {
        check_mistake(
            "[text ~ OK, activity ~ Main]",
            "E-mixed-atom",
            "[text ~ OK, activity ~ Main]",
            "write [activity ~ Main] & [text ~ OK]",
        );
        check_mistake("[count(activity ~ a) > 1]", "E-mixed-atom", "activity ~ a", "text desc id");
    }

    #[test]
    fn all_comparisons_of_a_bracket_are_looked_at() {
        let source = Source::new("-e", "[activty = a, checked = maybe]");
        assert_eq!(parse_formula(&source, Names::Any).diagnostics.errors(), 2);
    }

    #[test]
    fn a_bracket_within_a_value_is_doubted() {
        check_mistake("[text = a & [text = b]", "W-bracket-in-value", "a & [text = b", "in quotes");
    }
}
