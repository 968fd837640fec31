//! Brackets: from the pairs of the grammar to [`gui::Atom`].

use pest::iterators::Pair;

use super::grammar::Rule;
use crate::gui::{ActionTypes, Atom, Comparison, Constant, Key, Mistake, Op, Part};
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
    pub mistakes: Vec<Diagnostic>,
}

impl AtomReader<'_> {
    /// Returns the atom of a bracket, `None` if it has mistakes.
    pub fn read(&mut self, atom: Pair<'_, Rule>, purpose: Purpose) -> Option<Atom> {
        let whole = span(&atom, self.offset);
        let inside = atom.into_inner().next().expect("a bracket has an inside");
        let made = match (inside.as_rule(), purpose) {
            (Rule::count, Purpose::Widget) => {
                let mistake = Diagnostic::error(
                    "E-mixed-atom",
                    whole.clone(),
                    "an action is done on one widget, and this counts them",
                )
                .help("leave out `count` and its comparison");
                self.mistakes.push(mistake);
                return None;
            }
            (Rule::count, Purpose::Formula) => {
                let mut parts = inside.into_inner().filter(|part| part.as_rule() != Rule::count_close);
                let mut part = || parts.next().expect("a count has three parts");
                let (of, relation, value) = (part(), part(), part());
                // All parts are read before one of them fails, for the mistakes in each.
                let of = self.comparisons(of);
                let (op_span, value_span) = (span(&relation, self.offset), span(&value, self.offset));
                let value = self.value(value);
                let made = Atom::count(of?, operator(&relation), &value?);
                return made.map_err(|mistake| self.mistake(mistake, whole, op_span, value_span)).ok();
            }
            (_, purpose) => {
                let comparisons = self.comparisons(inside)?;
                match purpose {
                    Purpose::Formula => Atom::new(comparisons),
                    Purpose::Widget => Atom::widget(comparisons),
                }
            }
        };
        made.map_err(|mistake| self.mistake(mistake, whole.clone(), whole.clone(), whole.clone())).ok()
    }

    fn mistake(&mut self, mistake: Mistake, whole: Span, op: Span, value: Span) {
        let span = match mistake.part {
            Part::Key | Part::Whole => whole,
            Part::Op => op,
            Part::Value => value,
        };
        self.mistakes.push(Diagnostic::error(mistake.code, span, mistake.message).help(mistake.help));
    }

    /// Returns all comparisons, `None` if one has a mistake.
    fn comparisons(&mut self, comparisons: Pair<'_, Rule>) -> Option<Vec<Comparison>> {
        // Every comparison is read, so that the mistakes of all are reported at once.
        let all: Vec<Option<Comparison>> = comparisons
            .into_inner()
            .filter(|part| part.as_rule() == Rule::comparison)
            .map(|comparison| self.comparison(comparison))
            .collect();
        all.into_iter().collect()
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
        match inside.as_rule() {
            Rule::regex => {
                let written = inside.as_str();
                // Without the slashes around it.
                Some(Constant::Regex(unescape_slashes(&written[1..written.len() - 1])))
            }
            Rule::quoted => match unquote(inside.as_str()) {
                Ok(text) => Some(Constant::Text(text)),
                Err(escape) => {
                    self.mistakes.push(no_character(&escape, whole));
                    None
                }
            },
            _ => {
                let text = inside.as_str().trim();
                // An atom whose `]` was forgotten takes the next atom into its value.
                if text.contains('[') {
                    let shown = clip(text);
                    let message = format!("the value goes on to the `]` and is `{shown}`");
                    self.mistakes.push(
                        Diagnostic::warning("W-bracket-in-value", whole, message)
                            .help("if that is meant, put it in quotes; if not, a `]` is missing in it"),
                    );
                }
                Some(Constant::Text(text.to_string()))
            }
        }
    }
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
        check_mistake(
            "[count(activity ~ a) > 1]",
            "E-mixed-atom",
            "[count(activity ~ a) > 1]",
            "text desc id",
        );
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
