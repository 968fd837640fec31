//! The step before the grammar: a file is cut into items, brackets and quotes are matched, operators and nesting are
//! counted. All later steps meet bounded items alone.
//!
//! Nothing here calls itself: text of any shape takes one pass.

use super::Expectation;
use super::mistake::{OPERATOR_WORDS, is_reserved};
use crate::gui::{nearest, opens_term};
use crate::text::{
    self, Diagnostic, Diagnostics, Span, clip, crossed, first_word, is_word_char, too_many, unclosed,
    unclosed_quote,
};

/// Largest number of operators in a formula, with `let`s and bounds of past operators written out.
pub const OPERATORS_MAX: u64 = 10_000;
/// Deepest nesting of a formula, with `let`s and bounds of past operators written out.
pub const NESTING_MAX: u64 = 500;

/// Deepest nesting of round brackets in an atom.
pub(super) const PLACES_MAX: u64 = 10;

/// Kind of an item, by the word that starts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    Let,
    Label,
    Action,
    Spec(Expectation),
    /// Formula before the first item word.
    Formula,
}

impl ItemKind {
    /// Returns the word that starts an item of this kind, empty for a formula.
    pub fn word(self) -> &'static str {
        match self {
            ItemKind::Let => "let",
            ItemKind::Label => "label",
            ItemKind::Action => "action",
            ItemKind::Spec(expectation) => expectation.word(),
            ItemKind::Formula => "",
        }
    }

    fn of(word: &str) -> Option<ItemKind> {
        ITEM_KINDS.into_iter().find(|kind| kind.word() == word)
    }
}

/// Kinds of items that start with a word.
const ITEM_KINDS: [ItemKind; 6] = [
    ItemKind::Let,
    ItemKind::Label,
    ItemKind::Action,
    ItemKind::Spec(Expectation::Possible),
    ItemKind::Spec(Expectation::Never),
    ItemKind::Spec(Expectation::Must),
];

/// Words that start an item.
pub const ITEM_WORDS: [&str; 6] = ["let", "label", "action", "possible", "never", "must"];

/// Part of a file that is judged by itself.
pub(super) type Item = text::Item<ItemKind>;

/// Cuts `text` into its items, and marks those that the grammar must not be asked about.
pub(super) fn items(text: &str, diagnostics: &mut Diagnostics) -> Vec<Item> {
    // Text before the first item word is a formula, if there is any.
    let mut starts = vec![(0, ItemKind::Formula)];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let known = ItemKind::of(first_word(&line[indent..]));
        if let Some(kind) = known.or_else(|| meant_kind(line)) {
            starts.push((at + indent, kind));
        }
        at += line.len();
    }
    let ends: Vec<usize> = starts[1..].iter().map(|&(start, _)| start).chain([text.len()]).collect();
    let mut items = Vec::new();
    for ((start, kind), end) in starts.into_iter().zip(ends) {
        let mut scan = Scan::new(text, start..end);
        let result = scan.run();
        // A comment or blank lines before the first item are no item.
        let Some(span) = scan.significant else { continue };
        let is_sound = result.is_ok();
        if let Err(mistake) = result {
            diagnostics.error(|| mistake);
        }
        items.push(Item { kind, span, is_sound });
    }
    items
}

/// Returns the end of the bracket that opens at `at` in `text`, which is one line.
pub(super) fn bracket_end(text: &str, at: usize) -> Option<usize> {
    let mut scan = Scan::new(text, at..text.len());
    scan.bracket().ok().map(|()| scan.at)
}

/// Returns the kind of item that `line` starts with a slip in its word, if a formula could not go on with the rest.
fn meant_kind(line: &str) -> Option<ItemKind> {
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
        ItemKind::Spec(_) => rest.starts_with(['"', ':']) || (is_named && rest.contains(':')),
        ItemKind::Formula => false,
    };
    let is_apart = line[word.len()..].starts_with(|char: char| char.is_whitespace() || "\":".contains(char));
    // Most lines end here: the comparison of words is slow.
    if !is_apart || !ITEM_KINDS.into_iter().any(looks_like) {
        return None;
    }
    let meant = if word.eq_ignore_ascii_case("impossible") {
        // In letters it is nearer to `possible`, in meaning to `never`.
        "never"
    } else {
        nearest(word, ITEM_WORDS.into_iter().chain(OPERATOR_WORDS))?
    };
    ItemKind::of(meant).filter(|&kind| looks_like(kind))
}

/// Open round bracket.
struct Open {
    at: usize,
    /// Levels until it is closed: its own, and those that `then` and `next:` add.
    levels: u64,
}

/// Pass over an item.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    significant: Option<Span>,
    open: Vec<Open>,
    nesting: u64,
    operators: u64,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, span: Span) -> Scan<'a> {
        Scan {
            text,
            at: span.start,
            end: span.end,
            significant: None,
            open: Vec::new(),
            nesting: 0,
            operators: 0,
        }
    }

    fn run(&mut self) -> Result<(), Diagnostic> {
        let result = self.walk();
        // After a mistake that ended the walk, the item still reaches to its last sign.
        while let Some(char) = self.peek() {
            match char {
                '#' => self.skip_line(),
                _ => self.advance(char),
            }
        }
        result?;
        match self.open.last() {
            Some(open) => Err(self.unclosed_to_the_end(open.at)),
            None => Ok(()),
        }
    }

    /// Returns the error for a `(` that the rest of the item leaves open. The `)` is missing at the end of the item, which
    /// may be lines away.
    fn unclosed_to_the_end(&self, at: usize) -> Diagnostic {
        let end = self.significant.as_ref().map_or(at, |seen| seen.end);
        if !self.text[at..end].contains('\n') {
            return unclosed(at, "(", ")");
        }
        let line = self.text[..at].matches('\n').count() + 1;
        Diagnostic::error("E-bracket", end..end, format!("the `(` in line {line} is never closed"))
            .help("close it with `)` here, or before")
    }

    fn walk(&mut self) -> Result<(), Diagnostic> {
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
                // `bracket` steps over a whole `[...]`, so that this `]` belongs to none.
                ']' => {
                    return Err(match self.open.last() {
                        Some(open) => crossed(open.at, "(", ']', ")"),
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
                // Also the end of `<->`, which is one operator.
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

    /// Steps over the next character, which is `char`.
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

    fn count(&mut self, start: usize) -> Result<(), Diagnostic> {
        // Stopping here keeps the grammar, which keeps all pairs, away from millions of operators.
        self.operators += 1;
        if self.operators > OPERATORS_MAX {
            return Err(too_many_operators(start..self.at));
        }
        Ok(())
    }

    /// Adds levels that end with the open bracket.
    fn nest(&mut self, levels: u64) -> Result<(), Diagnostic> {
        self.nesting += levels;
        if let Some(open) = self.open.last_mut() {
            open.levels += levels;
        }
        if self.nesting > NESTING_MAX {
            return Err(too_deep(self.at..self.at));
        }
        Ok(())
    }

    fn word(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        while let Some(char) = self.peek().filter(|&char| is_word_char(char)) {
            self.advance(char);
        }
        match &self.text[start..self.at] {
            // `a then b` stands for `a & X (b)`, two levels more.
            "then" => {
                self.count(start)?;
                self.nest(2)
            }
            "X" | "next" => {
                self.count(start)?;
                // `next:` nests all that follows in its group.
                if self.rest().trim_start().starts_with(':') { self.nest(1) } else { Ok(()) }
            }
            "not" | "and" | "or" | "implies" | "iff" | "until" | "release" | "eventually" | "always"
            | "previously" | "once" | "historically" | "since" | "N" | "U" | "𝒰" | "R" | "W" | "M" | "F"
            | "G" | "Y" | "O" | "H" | "S" => self.count(start),
            _ => Ok(()),
        }
    }

    /// Steps over a text in quotes.
    fn quoted(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        if self.is_closed_by('"') {
            return Ok(());
        }
        Err(unclosed_quote(start, "a line break in a text is `\\n`"))
    }

    /// Steps over `/.../`.
    fn regex(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        if self.is_closed_by('/') {
            return Ok(());
        }
        Err(Diagnostic::error("E-quote", start..start + 1, "this regular expression is never closed")
            .help("it ends with `/`; to look for a text that starts with a slash, write `~ \"/...\"`"))
    }

    /// Steps over `sign` and all up to the next one in the line. Returns true if there is one.
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
    fn bracket(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        self.advance('[');
        self.skip_blanks();
        // No key starts like this.
        if self.peek().is_some_and(|char| char.is_ascii_digit() || "<>=≤≥".contains(char)) {
            return self.bound(start);
        }
        // Values may hold signs that look like brackets, so that keys and values are told apart here already.
        let mut depth = 0;
        loop {
            // First the key and the operator.
            let operator = loop {
                let Some(char) = self.peek() else { return Err(unclosed(start, "[", "]")) };
                match char {
                    '[' | '&' | '|' | '#' => return Err(unclosed(start, "[", "]")),
                    '(' if depth == PLACES_MAX => return Err(too_deep_bracket(self.at)),
                    '(' => depth += 1,
                    ')' if depth > 0 => depth -= 1,
                    ')' => return Err(closed_wrongly(start)),
                    ']' if depth > 0 => return Err(unclosed_count(start)),
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
            // Then the sign after the value.
            let line_end = self.at + self.rest().find('\n').unwrap_or(self.rest().len());
            self.skip_blanks();
            match self.peek() {
                Some(',') => self.advance(','),
                // The next turn takes it, and what stands behind it.
                Some(')') if depth > 0 => {}
                Some(')') => return Err(closed_wrongly(start)),
                Some(']') if depth > 0 => return Err(unclosed_count(start)),
                Some(']') => {
                    self.advance(']');
                    return Ok(());
                }
                // The grammar finds the mistake between a value and its bracket in the same line.
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

    fn value(&mut self, open: usize, operator: char) -> Result<(), Diagnostic> {
        match self.peek() {
            Some('"') => self.quoted_value(),
            Some('/') if operator == '~' || operator == '∼' => self.regex(),
            Some(_) | None => {
                let start = self.at;
                while let Some(char) = self.peek().filter(|char| !",])\n\r".contains(*char)) {
                    match char {
                        '{' if opens_term(self.text, self.at) => self.braces()?,
                        '\\' if self.rest()[1..].starts_with('{') => {
                            self.advance(char);
                            self.advance('{');
                        }
                        _ => self.advance(char),
                    }
                }
                let value = &self.text[start..self.at];
                // `[text = f(x)]`: the value ends before the bracket that it opened itself.
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

    /// Steps over a value in quotes, with its terms.
    fn quoted_value(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        self.advance('"');
        while let Some(char) = self.peek().filter(|char| !"\n\r".contains(*char)) {
            match char {
                '{' if opens_term(self.text, self.at) => {
                    self.braces()?;
                    continue;
                }
                '\\' => {
                    self.advance(char);
                    if let Some(escaped) = self.peek().filter(|char| !"\n\r".contains(*char)) {
                        self.advance(escaped);
                        // The code of a character stands in braces that are no term's.
                        if escaped == 'u' && self.peek() == Some('{') {
                            self.advance('{');
                        }
                    }
                    continue;
                }
                _ => self.advance(char),
            }
            if char == '"' {
                return Ok(());
            }
        }
        Err(unclosed_quote(start, "a line break in a text is `\\n`"))
    }

    /// Steps over the term in `{...}`.
    fn braces(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        self.advance('{');
        let mut depth = 0;
        while let Some(char) = self.peek().filter(|char| !"\n\r".contains(*char)) {
            match char {
                '"' => {
                    self.quoted()?;
                    continue;
                }
                '(' if depth == PLACES_MAX => return Err(too_deep_bracket(self.at)),
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance(char);
            match char {
                '}' => return Ok(()),
                '~' | '∼' => {
                    while let Some(blank) = self.peek().filter(|char| " \t".contains(*char)) {
                        self.advance(blank);
                    }
                    if self.peek() == Some('/') {
                        self.regex()?;
                    }
                }
                _ => {}
            }
        }
        Err(Diagnostic::error("E-bracket", start..start + 1, "this `{` is never closed")
            .help("a term is like `{count(text ~ Note)}`; a brace itself is written `\\{`"))
    }

    /// Steps over the rest of a bound like `[<=5]`.
    fn bound(&mut self, start: usize) -> Result<(), Diagnostic> {
        while let Some(char) = self.peek().filter(|char| !"\n\r[(&|".contains(*char)) {
            self.advance(char);
            if char == ']' {
                return Ok(());
            }
        }
        Err(unclosed(start, "[", "]"))
    }
}

fn unclosed_count(at: usize) -> Diagnostic {
    Diagnostic::error("E-bracket", at..at + 1, "a `(` in this bracket is never closed")
        .help("a count is like `[count(text ~ Note) >= 2]`")
}

fn closed_wrongly(at: usize) -> Diagnostic {
    crossed(at, "[", ')', "]").help("close it with `]`; a value with `)` in it needs quotes")
}

fn too_deep_bracket(at: usize) -> Diagnostic {
    text::too_deep(at..at + 1, "a bracket", PLACES_MAX).help("name some of the widgets by a `let`")
}

/// Returns the error for a formula with too many operators.
pub(super) fn too_many_operators(span: Span) -> Diagnostic {
    too_many(span, "a formula", OPERATORS_MAX, "operators").help("split it into several specs")
}

/// Returns the error for a formula that is nested too deep.
pub(super) fn too_deep(span: Span) -> Diagnostic {
    text::too_deep(span, "a formula", NESTING_MAX)
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
        use Expectation::{Must, Never};
        use ItemKind::{Action, Formula, Label, Let, Spec};
        check(
            "# head\nlet a = b # more\n  & c\n\n  never: a\r\nlabel x\naction y\nletter",
            &[
                (Let, "let a = b # more\n  & c"),
                (Spec(Never), "never: a"),
                (Label, "label x"),
                (Action, "action y\nletter"),
            ],
        );
        check("\n F a # let\nmust: b", &[(Formula, "F a"), (Spec(Must), "must: b")]);
        check("", &[]);
        check(" # nothing\n\n", &[]);
    }

    #[test]
    fn a_slip_in_an_item_word_starts_an_item_where_a_formula_could_not_go_on() {
        use Expectation::{Must, Never, Possible};
        use ItemKind::{Action, Formula, Label, Let, Spec};
        check(
            "let a = b\nposible x: c\nLET d = e\nlabels f, g\nacton h on [id = i]: j\nnevr: k\nmsut \"l\": m",
            &[
                (Let, "let a = b"),
                (Spec(Possible), "posible x: c"),
                (Let, "LET d = e"),
                (Label, "labels f, g"),
                (Action, "acton h on [id = i]: j"),
                (Spec(Never), "nevr: k"),
                (Spec(Must), "msut \"l\": m"),
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
        use ItemKind::Let;
        const SPEC: ItemKind = ItemKind::Spec(Expectation::Never);
        check("let a = (b\nnever: c", &[(Let, "let a = (b"), (SPEC, "never: c")]);
        check("let a = [text = b\nnever: c", &[(Let, "let a = [text = b"), (SPEC, "never: c")]);
        check("let a = [text = \"b\nnever: c", &[(Let, "let a = [text = \"b"), (SPEC, "never: c")]);
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
