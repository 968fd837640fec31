//! What is done before the grammar is asked: a file is cut into items, brackets and quotes are matched,
//! and operators and nesting counted, so that whatever comes later meets only what it can bear.
//!
//! Nothing here calls itself: text of any shape takes one pass.

use std::ops::Range;

use super::diagnostic::{Diagnostic, Diagnostics, clip};
use super::mistake::{OPERATOR_WORDS, is_reserved};
use crate::gui::nearest;

/// The longest file that is read, in bytes.
pub const BYTES_MAX: usize = 1_000_000;
/// The most operators a formula may have, `let`s and bounds of past operators written out.
pub const OPERATORS_MAX: u64 = 10_000;
/// The deepest nesting a formula may have, `let`s and bounds of past operators written out.
pub const NESTING_MAX: u64 = 500;

/// What an item declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    Let,
    Label,
    Action,
    Spec,
    /// What stands before the first item word.
    Formula,
}

/// The words that start an item.
pub(super) const ITEM_WORDS: [(&str, ItemKind); 6] = [
    ("let", ItemKind::Let),
    ("label", ItemKind::Label),
    ("action", ItemKind::Action),
    ("possible", ItemKind::Spec),
    ("never", ItemKind::Spec),
    ("must", ItemKind::Spec),
];

/// A part of a file that is judged by itself.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub kind: ItemKind,
    /// The word it starts with, or should, empty for a formula.
    pub word: &'static str,
    /// From its first to its last character that is neither blank nor in a comment.
    pub span: Range<usize>,
    /// Its brackets match and its size is bearable; if not, that has been said.
    pub is_sound: bool,
}

/// Cuts `text` into its items and says which of them the grammar must not be asked about.
pub(super) fn items(text: &str, diagnostics: &mut Diagnostics) -> Vec<Item> {
    let mut starts = vec![(0, "", ItemKind::Formula)];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let known = item_word(&line[indent..]);
        if let Some((word, kind)) = known.or_else(|| meant_item_word(line)) {
            starts.push((at + indent, word, kind));
        }
        at += line.len();
    }
    let ends: Vec<usize> = starts[1..].iter().map(|&(start, ..)| start).chain([text.len()]).collect();
    let mut items = Vec::new();
    for ((start, word, kind), end) in starts.into_iter().zip(ends) {
        let mut scan = Scan::new(text, start..end);
        let outcome = scan.run();
        // A comment or blank lines before the first item are no item.
        let Some(span) = scan.significant else { continue };
        let is_sound = outcome.is_ok();
        if let Err(mistake) = outcome {
            diagnostics.error(|| mistake);
        }
        items.push(Item { kind, word, span, is_sound });
    }
    items
}

/// The item word that `line` starts with.
fn item_word(line: &str) -> Option<(&'static str, ItemKind)> {
    let word = first_word(line);
    ITEM_WORDS.into_iter().find(|(known, _)| *known == word)
}

/// The item word that `line` starts with a slip of, if what follows shows that an item is meant: nothing
/// that a formula could go on with.
fn meant_item_word(line: &str) -> Option<(&'static str, ItemKind)> {
    let word = first_word(line);
    if word.len() < 2 || !word.bytes().all(|byte| byte.is_ascii_alphabetic()) || is_reserved(word) {
        return None;
    }
    let line = line.split('#').next().unwrap_or(line);
    let rest = line[word.len()..].trim();
    let second = first_word(rest);
    let after = rest[second.len()..].trim_start();
    let is_named = !second.is_empty() && !is_reserved(second);
    let looks_like = |kind| match kind {
        ItemKind::Let => is_named && after.starts_with('='),
        ItemKind::Label => is_named && (after.is_empty() || after.starts_with(',')),
        ItemKind::Action => is_named && !first_word(after).is_empty(),
        ItemKind::Spec => rest.starts_with(['"', ':']) || (is_named && rest.contains(':')),
        ItemKind::Formula => false,
    };
    let is_apart = line[word.len()..].starts_with(|char: char| char.is_whitespace() || "\":".contains(char));
    // Most lines end here: words are compared where there is reason to.
    if !is_apart || !ITEM_WORDS.into_iter().any(|(_, kind)| looks_like(kind)) {
        return None;
    }
    let meant = if word.eq_ignore_ascii_case("impossible") {
        // Nearer to `possible` in letters than in meaning.
        "never"
    } else {
        nearest(word, ITEM_WORDS.map(|(known, _)| known).into_iter().chain(OPERATOR_WORDS))?
    };
    ITEM_WORDS.into_iter().find(|&(known, kind)| known == meant && looks_like(kind))
}

/// The word that `text` starts with, empty if there is none.
fn first_word(text: &str) -> &str {
    &text[..text.find(|char| !is_word_char(char)).unwrap_or(text.len())]
}

pub(super) fn is_word_char(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// An open round bracket.
struct Open {
    at: usize,
    /// Its own level and those that `then` and `next:` add until it is closed.
    levels: u64,
}

/// One pass over an item.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    significant: Option<Range<usize>>,
    open: Vec<Open>,
    nesting: u64,
    operators: u64,
}

/// The error for an item, made only if there is one.
type Outcome = Result<(), Diagnostic>;

impl<'a> Scan<'a> {
    fn new(text: &'a str, range: Range<usize>) -> Scan<'a> {
        Scan {
            text,
            at: range.start,
            end: range.end,
            significant: None,
            open: Vec::new(),
            nesting: 0,
            operators: 0,
        }
    }

    fn run(&mut self) -> Outcome {
        let outcome = self.walk();
        // Where a mistake cut the walk short, the item still reaches to its last sign.
        while let Some(char) = self.peek() {
            match char {
                '#' => self.skip_line(),
                _ => self.advance(char),
            }
        }
        outcome?;
        match self.open.last() {
            Some(open) => Err(self.unclosed_to_the_end(open.at)),
            None => Ok(()),
        }
    }

    /// The error for a `(` that the whole rest of the item leaves open: what is missing is missing at
    /// the item's end, which may be lines away.
    fn unclosed_to_the_end(&self, at: usize) -> Diagnostic {
        let end = self.significant.as_ref().map_or(at, |seen| seen.end);
        if !self.text[at..end].contains('\n') {
            return unclosed(at, "(", ")");
        }
        let line = self.text[..at].matches('\n').count() + 1;
        Diagnostic::error("E-bracket", end..end, format!("the `(` in line {line} is never closed"))
            .help("close it with `)` here, or before")
    }

    fn walk(&mut self) -> Outcome {
        while let Some(char) = self.peek() {
            let start = self.at;
            match char {
                '#' => self.skip_line(),
                '"' => self.quoted()?,
                '[' => self.bracket()?,
                '(' => {
                    self.advance(char);
                    self.open.push(Open { at: start, levels: 0 });
                    self.nest(1)?;
                }
                ')' => {
                    let Some(open) = self.open.pop() else {
                        return Err(Diagnostic::error(
                            "E-bracket",
                            start..start + 1,
                            "this `)` has no `(` before it",
                        )
                        .help("leave it out, or open the bracket where it should start"));
                    };
                    self.nesting -= open.levels;
                    self.advance(char);
                }
                ']' => {
                    return Err(match self.open.last() {
                        Some(open) => Diagnostic::error(
                            "E-bracket",
                            open.at..open.at + 1,
                            "this `(` meets a `]` where `)` is needed",
                        )
                        .help("close it with `)`"),
                        None => {
                            Diagnostic::error("E-bracket", start..start + 1, "this `]` has no `[` before it")
                                .help("an atom is like `[activity ~ Main]`")
                        }
                    });
                }
                '!' | '&' | '|' | '○' | '◇' | '□' | '¬' | '∧' | '∨' | '→' | '↔' => {
                    self.advance(char);
                    self.count(start)?;
                }
                '-' if self.rest().starts_with("->") => {
                    self.at += 1;
                    self.advance('>');
                    self.count(start)?;
                }
                _ if is_word_char(char) => self.word()?,
                _ => self.advance(char),
            }
        }
        Ok(())
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Steps over `char`, which is next.
    fn advance(&mut self, char: char) {
        let start = self.at;
        self.at += char.len_utf8();
        if !char.is_whitespace() {
            let first = self.significant.as_ref().map_or(start, |seen| seen.start);
            self.significant = Some(first..self.at);
        }
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    fn skip_blanks(&mut self) {
        while let Some(char) = self.peek().filter(|char| char.is_whitespace()) {
            self.advance(char);
        }
    }

    fn count(&mut self, start: usize) -> Outcome {
        self.operators += 1;
        if self.operators > OPERATORS_MAX {
            return Err(too_many_operators(start..self.at));
        }
        Ok(())
    }

    /// Adds levels until the bracket that is open is closed.
    fn nest(&mut self, levels: u64) -> Outcome {
        self.nesting += levels;
        if let Some(open) = self.open.last_mut() {
            open.levels += levels;
        }
        if self.nesting > NESTING_MAX {
            return Err(too_deep(self.at..self.at));
        }
        Ok(())
    }

    fn word(&mut self) -> Outcome {
        let start = self.at;
        while let Some(char) = self.peek().filter(|&char| is_word_char(char)) {
            self.advance(char);
        }
        match &self.text[start..self.at] {
            "then" => {
                self.count(start)?;
                self.nest(2)
            }
            "X" | "next" => {
                self.count(start)?;
                if self.rest().trim_start().starts_with(':') { self.nest(1) } else { Ok(()) }
            }
            "not" | "and" | "or" | "implies" | "iff" | "until" | "release" | "eventually" | "always"
            | "previously" | "once" | "historically" | "since" | "N" | "U" | "𝒰" | "R" | "W" | "M" | "F"
            | "G" | "Y" | "O" | "H" | "S" => self.count(start),
            _ => Ok(()),
        }
    }

    /// Steps over a text in quotes.
    fn quoted(&mut self) -> Outcome {
        let start = self.at;
        if self.is_closed_by('"') {
            return Ok(());
        }
        Err(Diagnostic::error("E-quote", start..start + 1, "this quote is never closed")
            .help("close it with `\"` in the same line; a line break in a text is `\\n`"))
    }

    /// Steps over `/.../`.
    fn regex(&mut self) -> Outcome {
        let start = self.at;
        if self.is_closed_by('/') {
            return Ok(());
        }
        Err(Diagnostic::error("E-quote", start..start + 1, "this regular expression is never closed")
            .help("it ends with `/`; to look for a text that starts with a slash, write `~ \"/...\"`"))
    }

    /// Steps over `sign` and all up to the next one in the line, and says whether there is one.
    fn is_closed_by(&mut self, sign: char) -> bool {
        self.advance(sign);
        let in_line = |char: &char| *char != '\n' && *char != '\r';
        while let Some(char) = self.peek().filter(in_line) {
            self.advance(char);
            if char == sign {
                return true;
            }
            if char == '\\'
                && let Some(escaped) = self.peek().filter(in_line)
            {
                self.advance(escaped);
            }
        }
        false
    }

    /// Steps over `[...]`, an atom or the bound of an operator.
    fn bracket(&mut self) -> Outcome {
        let start = self.at;
        self.advance('[');
        self.skip_blanks();
        if self.peek().is_some_and(|char| char.is_ascii_digit() || "<>=≤≥".contains(char)) {
            return self.bound(start);
        }
        let mut in_count = false;
        loop {
            // The key and the operator.
            let operator = loop {
                let Some(char) = self.peek() else { return Err(unclosed(start, "[", "]")) };
                match char {
                    '[' | '&' | '|' | '#' => return Err(unclosed(start, "[", "]")),
                    '(' => in_count = true,
                    ')' if in_count => in_count = false,
                    ')' => return Err(closed_wrongly(start)),
                    ']' if in_count => return Err(unclosed_count(start)),
                    ']' => {
                        self.advance(char);
                        return Ok(());
                    }
                    _ => {}
                }
                self.advance(char);
                if "=~<>∼≤≥≠".contains(char) {
                    break char;
                }
            };
            while let Some(char) = self.peek().filter(|&char| char == '=' || char == '~') {
                self.advance(char);
            }
            self.skip_blanks();
            self.value(start, operator)?;
            // What is after the value.
            let line_end = self.at + self.rest().find('\n').unwrap_or(self.rest().len());
            self.skip_blanks();
            match self.peek() {
                Some(',') => self.advance(','),
                Some(')') if in_count => {
                    self.advance(')');
                    in_count = false;
                }
                Some(')') => return Err(closed_wrongly(start)),
                Some(']') if in_count => return Err(unclosed_count(start)),
                Some(']') => {
                    self.advance(']');
                    return Ok(());
                }
                // The grammar says what is wrong between a value and its bracket in the same line.
                Some(_) if self.at < line_end => {
                    let Some(close) = self.text[self.at..line_end].find(']') else {
                        return Err(unclosed(start, "[", "]"));
                    };
                    self.at += close;
                    self.advance(']');
                    return Ok(());
                }
                Some(_) | None => return Err(unclosed(start, "[", "]")),
            }
        }
    }

    fn value(&mut self, open: usize, operator: char) -> Outcome {
        match self.peek() {
            Some('"') => self.quoted(),
            Some('/') if operator == '~' || operator == '∼' => self.regex(),
            Some(_) | None => {
                let start = self.at;
                while let Some(char) = self.peek().filter(|char| !",])\n\r".contains(*char)) {
                    self.advance(char);
                }
                let value = &self.text[start..self.at];
                if self.peek() == Some(')') && value.contains('(') && !self.text[open..start].contains('(') {
                    let shown = clip(value.trim());
                    return Err(Diagnostic::error(
                        "E-bracket",
                        self.at..self.at + 1,
                        "a value without quotes ends at `)`",
                    )
                    .help(format!("put it in quotes: `\"{shown})...\"`")));
                }
                Ok(())
            }
        }
    }

    /// Steps over the rest of `[<=5]` and its kin.
    fn bound(&mut self, start: usize) -> Outcome {
        while let Some(char) = self.peek().filter(|char| !"\n\r[(&|".contains(*char)) {
            self.advance(char);
            if char == ']' {
                return Ok(());
            }
        }
        Err(unclosed(start, "[", "]"))
    }
}

fn unclosed(at: usize, open: &str, close: &str) -> Diagnostic {
    Diagnostic::error("E-bracket", at..at + 1, format!("this `{open}` is never closed"))
        .help(format!("close it with `{close}`"))
}

fn unclosed_count(at: usize) -> Diagnostic {
    Diagnostic::error("E-bracket", at..at + 1, "the `(` of a count in this bracket is never closed")
        .help("a count is like `[count(text ~ Note) >= 2]`")
}

fn closed_wrongly(at: usize) -> Diagnostic {
    Diagnostic::error("E-bracket", at..at + 1, "this `[` meets a `)` where `]` is needed")
        .help("close it with `]`; a value with `)` in it needs quotes")
}

/// The error for a formula that goes on after its last bearable operator.
pub(super) fn too_many_operators(span: Range<usize>) -> Diagnostic {
    Diagnostic::error(
        "E-too-large",
        span,
        format!("a formula may have {OPERATORS_MAX} operators, and this has more"),
    )
    .help("split it into several specs")
}

/// The error for a formula that goes deeper than is bearable.
pub(super) fn too_deep(span: Range<usize>) -> Diagnostic {
    Diagnostic::error(
        "E-too-deep",
        span,
        format!("a formula may be nested {NESTING_MAX} deep, and this is deeper"),
    )
    .help("a `then` counts as two levels, as it is written out with brackets")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Source;

    #[track_caller]
    fn check(text: &str, expected: &[(ItemKind, &str)]) {
        let mut diagnostics = Diagnostics::default();
        let items = items(text, &mut diagnostics);
        let found: Vec<(ItemKind, &str)> =
            items.iter().map(|item| (item.kind, &text[item.span.clone()])).collect();
        assert_eq!(found, expected);
        assert_eq!(diagnostics.errors(), items.iter().filter(|item| !item.is_sound).count());
    }

    #[track_caller]
    fn check_mistake(text: &str, line: usize, column: usize, code: &str) {
        let mut diagnostics = Diagnostics::default();
        items(text, &mut diagnostics);
        let mistake = diagnostics.iter().next().expect(text);
        let place = Source::new("a.ltl", text).position(mistake.span.start);
        assert_eq!((place.line, place.column, mistake.code), (line, column, code), "{mistake:?}");
        assert_eq!(diagnostics.errors(), 1, "{text}");
    }

    fn check_fine(text: &str) {
        let mut diagnostics = Diagnostics::default();
        items(text, &mut diagnostics);
        assert_eq!(diagnostics.iter().next(), None, "{text}");
    }

    #[test]
    fn an_item_starts_at_a_line_with_an_item_word() {
        use ItemKind::{Action, Formula, Label, Let, Spec};
        check(
            "# head\nlet a = b # more\n  & c\n\n  never: a\r\nlabel x\naction y\nletter",
            &[
                (Let, "let a = b # more\n  & c"),
                (Spec, "never: a"),
                (Label, "label x"),
                (Action, "action y\nletter"),
            ],
        );
        check("\n F a # let\nmust: b", &[(Formula, "F a"), (Spec, "must: b")]);
        check("", &[]);
        check(" # nothing\n\n", &[]);
    }

    #[test]
    fn a_slip_in_an_item_word_starts_an_item_where_a_formula_could_not_go_on() {
        use ItemKind::{Action, Formula, Label, Let, Spec};
        check(
            "let a = b\nposible x: c\nLET d = e\nlabels f, g\nacton h on [id = i]: j\nnevr: k\nmsut \"l\": m",
            &[
                (Let, "let a = b"),
                (Spec, "posible x: c"),
                (Let, "LET d = e"),
                (Label, "labels f, g"),
                (Action, "acton h on [id = i]: j"),
                (Spec, "nevr: k"),
                (Spec, "msut \"l\": m"),
            ],
        );
        for text in [
            "a &\nmst",
            "a U\nmst until next: b",
            "a &\nmst untl b",
            "a &\n  posible x: c",
            "a |\nnevr & b # : c",
            "nto a: b",
        ] {
            check(text, &[(Formula, text.split(" #").next().expect(text))]);
        }
    }

    #[test]
    fn an_open_bracket_or_quote_ends_with_its_item() {
        use ItemKind::{Let, Spec};
        check("let a = (b\nnever: c", &[(Let, "let a = (b"), (Spec, "never: c")]);
        check("let a = [text = b\nnever: c", &[(Let, "let a = [text = b"), (Spec, "never: c")]);
        check("let a = [text = \"b\nnever: c", &[(Let, "let a = [text = \"b"), (Spec, "never: c")]);
    }

    #[test]
    fn what_is_missing_at_the_end_of_an_item_is_shown_there() {
        check_mistake("a & (b\n & c\n\n# the end\n", 2, 5, "E-bracket");
        check_mistake("a & (b & c", 1, 5, "E-bracket");
    }

    #[test]
    fn brackets_are_matched_and_the_opening_one_is_shown() {
        check_mistake("a &\n b)", 2, 3, "E-bracket");
        check_mistake("(a ]", 1, 1, "E-bracket");
        check_mistake("a ]", 1, 3, "E-bracket");
        check_mistake("([text = a)", 1, 2, "E-bracket");
        check_mistake("a & [text = b\n & c", 1, 5, "E-bracket");
        check_mistake("[text = b", 1, 1, "E-bracket");
        check_mistake("[text", 1, 1, "E-bracket");
        check_mistake("[a & b]", 1, 1, "E-bracket");
        check_mistake("F[<=5 a", 1, 2, "E-bracket");
        check_mistake("[count(text = a]", 1, 1, "E-bracket");
        check_mistake("[text = a (b)]", 1, 13, "E-bracket");
        check_mistake("[text = \"b]", 1, 9, "E-quote");
        check_mistake("[text ~ /b]", 1, 9, "E-quote");
        check_mistake("possible \"a: b", 1, 10, "E-quote");
    }

    #[test]
    fn what_stands_in_brackets_and_quotes_opens_nothing() {
        for text in [
            "[text = \"](\\\"[\"]",
            "[text ~ /\\/](\"/]",
            "[text = #1, desc = a]",
            "[text = a = b (c]",
            "[count(text ~ \")\", id = b) >= 2]",
            "[text = a,\n  desc = b]",
            "# ( [ \"\na # )",
            "possible \"# ( [\": a",
            "F[ <= 5 ] a",
        ] {
            check_fine(text);
        }
    }

    #[test]
    fn operators_are_counted_as_signs_and_as_words() {
        for (sign, count) in [
            ("!", 10_000),
            ("a U ", 10_000),
            ("X ", 10_000),
            ("a & ", 10_000),
            ("a -> ", 10_000),
            ("a <-> ", 10_000),
            ("not ", 10_000),
            ("weak next ", 10_000),
            ("○ ", 10_000),
        ] {
            check_fine(&format!("{}a", sign.repeat(count)));
            let mut diagnostics = Diagnostics::default();
            items(&format!("{}a", sign.repeat(count + 1)), &mut diagnostics);
            assert_eq!(diagnostics.iter().next().map(|mistake| mistake.code), Some("E-too-large"), "{sign}");
        }
    }

    #[test]
    fn nesting_is_counted_in_brackets_and_a_then_is_two() {
        for (open, close, count) in
            [("(", ")", 500), ("a then ", "", 250), ("next: ", "", 500), ("(a then ", ")", 166)]
        {
            check_fine(&format!("{}a{}", open.repeat(count), close.repeat(count)));
            let mut diagnostics = Diagnostics::default();
            items(&format!("{}a{}", open.repeat(count + 1), close.repeat(count + 1)), &mut diagnostics);
            assert_eq!(diagnostics.iter().next().map(|mistake| mistake.code), Some("E-too-deep"), "{open}");
        }
        check_fine(&"(a then b) & ".repeat(1000).trim_end_matches(" & ").replace("  ", " "));
    }
}
