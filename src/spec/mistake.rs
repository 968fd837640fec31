//! What the grammar could not read, in words: what is wrong there, and what would be right.

use std::ops::Range;

use pest::Parser as _;
use pest::error::{Error, ErrorVariant, InputLocation};

use super::diagnostic::{Diagnostic, clip};
use super::grammar::{Grammar, Rule};
use super::items::{ITEM_WORDS, Item, ItemKind, is_word_char};
use crate::gui::{Key, nearest};

/// The operators that are words.
pub(super) const OPERATOR_WORDS: [&str; 16] = [
    "not",
    "and",
    "or",
    "implies",
    "iff",
    "then",
    "next",
    "until",
    "release",
    "eventually",
    "always",
    "previously",
    "once",
    "historically",
    "since",
    "weak",
];

/// The operators that are words or letters and stand between two operands.
const INFIX_WORDS: [&str; 14] =
    ["and", "or", "implies", "iff", "then", "until", "release", "since", "weak", "U", "R", "W", "M", "S"];

/// The operators that are words and stand before an operand.
const PREFIX_WORDS: [&str; 8] =
    ["not", "next", "eventually", "always", "previously", "once", "historically", "weak"];

/// The operators that are words or letters and take a bound.
const BOUNDED_WORDS: [&str; 17] = [
    "F",
    "G",
    "O",
    "H",
    "U",
    "𝒰",
    "R",
    "W",
    "M",
    "S",
    "eventually",
    "always",
    "once",
    "historically",
    "until",
    "release",
    "since",
];

/// The operators of other languages and ours, those that start alike from long to short.
const ELSEWHERE: [(&str, &str); 12] = [
    ("<==>", "<->"),
    ("<=>", "<->"),
    ("-->", "->"),
    ("==>", "->"),
    ("=>", "->"),
    ("⇒", "->"),
    ("⇔", "<->"),
    ("&&", "&"),
    ("||", "|"),
    ("/\\", "&"),
    ("\\/", "|"),
    ("∪", "U"),
];

/// The same for what stands before an operand.
const PREFIXES_ELSEWHERE: [(&str, &str); 3] = [("<>", "F"), ("[]", "G"), ("~", "!")];

/// The operators of comparisons in other languages and ours.
const RELATIONS_ELSEWHERE: [(&str, &str); 8] = [
    ("===", "="),
    ("==", "="),
    ("=~", "~"),
    ("~=", "~"),
    ("=>", ">="),
    ("=<", "<="),
    ("<>", "!="),
    ("~~", "~"),
];

/// Returns what is wrong with `item` of `text`, of which the grammar has said `error`.
pub(super) fn explain(error: &Error<Rule>, text: &str, item: &Item) -> Diagnostic {
    let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.clone(),
        ErrorVariant::CustomError { .. } => Vec::new(),
    };
    Mistake {
        file: text,
        text: &text[item.span.clone()],
        kind: item.kind,
        start: item.span.start,
        at,
        expected,
    }
    .explain()
}

struct Mistake<'a> {
    file: &'a str,
    /// The item.
    text: &'a str,
    kind: ItemKind,
    /// Where the item starts in the source.
    start: usize,
    /// The first byte of the item that could not be read.
    at: usize,
    /// The rules that could have gone on there.
    expected: Vec<Rule>,
}

impl<'a> Mistake<'a> {
    fn explain(&self) -> Diagnostic {
        let expects = |rule| self.expected.contains(&rule);
        if expects(Rule::and) {
            self.no_operator()
        } else if expects(Rule::expression) || expects(Rule::constant) {
            self.no_operand()
        } else if expects(Rule::value) || expects(Rule::regex_text) {
            self.no_value()
        } else if expects(Rule::relation) {
            self.no_relation()
        } else if expects(Rule::key) {
            self.no_key()
        } else if expects(Rule::range) || expects(Rule::number) {
            self.no_bound()
        } else if expects(Rule::close) || expects(Rule::count_close) {
            if self.is_in_bound() { self.no_bound() } else { self.not_closed() }
        } else {
            match self.kind {
                ItemKind::Let => self.no_let(),
                ItemKind::Label => self.no_label(),
                ItemKind::Action => self.no_action(),
                ItemKind::Spec | ItemKind::Formula => self.no_head(),
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn before(&self) -> &'a str {
        self.text[..self.at].trim_end()
    }

    fn starts_with(&self, char: char) -> bool {
        self.rest().starts_with(char)
    }

    /// The word that could not be read, empty if there is none.
    fn word(&self) -> &'a str {
        let rest = self.rest();
        &rest[..rest.find(|char| !is_word_char(char)).unwrap_or(rest.len())]
    }

    /// The word before what could not be read, empty if there is none.
    fn word_before(&self) -> &'a str {
        let before = self.before();
        let start = before.rfind(|char| !is_word_char(char));
        &before[start.map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8))..]
    }

    /// What could not be read as a whole: a word, a sign, or nothing at the end.
    fn found(&self) -> &'a str {
        match (self.word(), self.rest().chars().next()) {
            ("", Some(sign)) => &self.rest()[..sign.len_utf8()],
            (word, _) => word,
        }
    }

    fn error(&self, code: &'static str, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, span.start + self.start..span.end + self.start, message)
    }

    fn here(&self, message: impl Into<String>) -> Diagnostic {
        self.error("E-syntax", self.at..self.at + self.found().len(), message)
    }

    /// An operand is complete, and what follows neither joins it to another nor ends it.
    fn no_operator(&self) -> Diagnostic {
        let rest = self.rest();
        if let Some(other) = self.other_operator().or_else(|| self.other_item_word()) {
            return other;
        }
        if let Some(diagnostic) = self.no_brackets() {
            return diagnostic;
        }
        let word = self.word();
        if word == "weak" && !self.rest()[word.len()..].trim_start().starts_with("next") {
            return self.here("after `weak` comes `next` or `until`");
        }
        if ITEM_WORDS.iter().any(|(known, _)| *known == word) {
            return self.here(format!("`{word}` starts an item, and only at the start of a line"));
        }
        if !word.is_empty() {
            return self.no_operator_before(word);
        }
        match rest.chars().next() {
            Some('[' | '(' | '!' | '¬' | '○' | '◇' | '□' | '⊤' | '⊥') => {
                self.slip_in_operator("").unwrap_or_else(|| self.missing_operator())
            }
            Some(',' | ';') => {
                let sign = &rest[..1];
                self.here(format!("`{sign}` joins no formulas"))
                    .help("write `&` for both at a step, `then` for one after the other")
            }
            Some(':') => self
                .here("a `:` stands after the head of a spec and after `next`, and nowhere else")
                .help("a head is like `possible \"NAME\" within 4 steps:`"),
            Some('"') => self.text_alone(),
            Some(sign) => self
                .here(format!("`{sign}` means nothing here"))
                .help("operators: ! & | -> <-> X N U R W M F G Y O H S then"),
            None => self.here("the item goes on").help("end it here"),
        }
    }

    fn missing_operator(&self) -> Diagnostic {
        let between = &self.text[self.before().len()..self.at];
        let help = if between.contains('\n') && self.kind != ItemKind::Spec {
            "put one in between, like `&`; a new spec starts with `possible`, `never` or `must`"
        } else {
            "put one in between, like `&`"
        };
        self.here("an operator is missing here").help(help)
    }

    fn no_operator_before(&self, word: &str) -> Diagnostic {
        let line = &self.text[self.text[..self.at].rfind('\n').map_or(0, |at| at + 1)..self.at];
        let item_words = ITEM_WORDS.map(|(word, _)| word);
        if line.trim().is_empty()
            && let Some(near) = nearest(word, item_words)
        {
            let message = format!("no item starts with `{}`", clip(word));
            return self
                .error("E-item", self.at..self.at + word.len(), message)
                .help(format!("did you mean `{near}`?"));
        }
        self.slip_in_operator(word).unwrap_or_else(|| self.missing_operator())
    }

    /// An operator misspelled, on either side of where one is missing: `after` is the word that follows.
    fn slip_in_operator(&self, after: &str) -> Option<Diagnostic> {
        let before = self.word_before();
        let start = self.before().len() - before.len();
        if let Some(spaced) = spaced(before) {
            let message = format!("there is no operator `{before}`");
            return Some(
                self.error("E-operator", start..start + before.len(), message)
                    .help(format!("write `{spaced}`")),
            );
        }
        let after = (self.at, after);
        // The slip may be in what was taken for the operand.
        let is_word = before.chars().count() > 2;
        let before = (start, if is_word { before } else { "" });
        let candidates: [((usize, &str), &[&'static str]); 4] =
            [(after, &INFIX_WORDS), (before, &PREFIX_WORDS), (before, &INFIX_WORDS), (after, &PREFIX_WORDS)];
        let ((at, word), near) = candidates.into_iter().find_map(|(place, words)| {
            let near = nearest(place.1, words.iter().copied())?;
            (!is_reserved(place.1) && !self.is_declared(place.1)).then_some((place, near))
        })?;
        let message = format!("there is no operator `{}`", clip(word));
        Some(self.error("E-operator", at..at + word.len(), message).help(format!("did you mean `{near}`?")))
    }

    /// Says whether a line of the file declares `word`.
    fn is_declared(&self, word: &str) -> bool {
        self.file.lines().any(|line| {
            let mut words =
                line.trim_start().split(|char| !is_word_char(char)).filter(|word| !word.is_empty());
            match words.next() {
                Some("let") => words.next() == Some(word),
                Some("label") => words.any(|declared| declared == word),
                _ => false,
            }
        })
    }

    /// An operator of another language.
    fn other_operator(&self) -> Option<Diagnostic> {
        self.elsewhere(self.at, &ELSEWHERE)
    }

    /// An operator of another language that stands before its operand.
    fn other_prefix(&self) -> Option<Diagnostic> {
        self.elsewhere(self.at, &PREFIXES_ELSEWHERE)
    }

    fn elsewhere(&self, at: usize, known: &[(&str, &str)]) -> Option<Diagnostic> {
        let (theirs, ours) = known.iter().find(|(theirs, _)| self.text[at..].starts_with(theirs))?;
        let span = at..at + theirs.len();
        Some(
            self.error("E-operator", span, format!("there is no operator `{theirs}`"))
                .help(format!("write `{ours}`")),
        )
    }

    /// The word before, which starts a line and is nearly an item word, before what an item goes on with.
    fn other_item_word(&self) -> Option<Diagnostic> {
        let word = self.word_before();
        let start = self.before().len() - word.len();
        let line = self.text[..start].rsplit('\n').next().unwrap_or("");
        let is_head = self.rest().starts_with(['"', ':']) || !self.word().is_empty();
        if !is_head || !line.trim().is_empty() || word.chars().count() < 3 {
            return None;
        }
        let near = nearest(word, ITEM_WORDS.map(|(word, _)| word))?;
        let message = format!("no item starts with `{}`", clip(word));
        Some(self.error("E-item", start..start + word.len(), message).help(format!("did you mean `{near}`?")))
    }

    /// A comparison that should stand in brackets.
    fn no_brackets(&self) -> Option<Diagnostic> {
        let rest = self.rest();
        let signs = ["!=", "<=", ">=", "==", "=", "~", "<", ">", "≠", "∼", "≤", "≥"];
        let sign = signs.into_iter().find(|sign| rest.starts_with(sign))?;
        let word = self.word_before();
        let after = rest[sign.len()..].trim_start();
        let value = after.split([' ', '\t', '\n', '\r', '&', '|', ')', ',', ']']).next().unwrap_or("");
        let sign = if sign == "==" { "=" } else { sign };
        let start = self.before().len() - word.len();
        let shown = format!("[{} {sign} {}]", clip(word), if value.is_empty() { "..." } else { value });
        let help = match Key::ALL.iter().any(|key| key.name() == word) || word.is_empty() {
            true => format!("write `{shown}`"),
            false => match nearest(word, Key::ALL.map(Key::name)) {
                Some(near) => {
                    format!("write `[{near} {sign} {}]`", if value.is_empty() { "..." } else { value })
                }
                None => format!("write `{shown}`, with a key like activity or text"),
            },
        };
        Some(
            self.error(
                "E-syntax",
                start..self.at + 1.max(rest.chars().next()?.len_utf8()),
                "a comparison stands in brackets",
            )
            .help(help),
        )
    }

    fn text_alone(&self) -> Diagnostic {
        self.here("a text stands for nothing by itself").help("compare with it: `[text = \"...\"]`")
    }

    /// An operand is due, and something else comes, or nothing.
    fn no_operand(&self) -> Diagnostic {
        let before = self.before();
        let word_before = self.word_before();
        let previous = if word_before.is_empty() {
            before.chars().next_back().map(|char| &before[before.len() - char.len_utf8()..])
        } else {
            Some(word_before)
        };
        let previous = match previous {
            Some(">") if before.ends_with("<->") => Some("<->"),
            Some(">") if before.ends_with("->") => Some("->"),
            previous => previous,
        };
        let word = self.word();
        let rest = self.rest();
        if rest.is_empty() {
            return match previous {
                Some("=") if self.kind == ItemKind::Let => self
                    .here("a formula is missing after `=`")
                    .help("a `let` is like `let main = [activity ~ Main]`"),
                Some(":") => self
                    .here("a formula is missing after `:`")
                    .help("a formula is like `F [activity ~ Main]`"),
                Some("weak") => self.here("after `weak` comes `next` or `until`"),
                Some("]") => self.here("a formula is missing after the bound"),
                Some(operator) => self
                    .here(format!("`{}` lacks what it is applied to", clip(operator)))
                    .help("an operand is a name, an atom like `[activity ~ Main]`, or a formula in brackets"),
                None => self.here("a formula is missing here"),
            };
        }
        let other = self.doubled_operator().or_else(|| self.other_prefix()).or_else(|| self.other_operator());
        if let Some(other) = other {
            return other;
        }
        match rest.chars().next() {
            Some(')') if before.ends_with('(') => self
                .error("E-syntax", before.len() - 1..self.at + 1, "there is nothing between these brackets")
                .help("put a formula in them, or leave them out"),
            Some('"') => self.text_alone(),
            Some(digit) if digit.is_ascii_digit() => {
                self.here("a formula does not start with a digit").help("names start with a letter")
            }
            _ if word == "weak" => self.here("after `weak` comes `next` or `until`"),
            _ if ITEM_WORDS.iter().any(|(known, _)| *known == word) => {
                self.here(format!("`{word}` starts an item, and only at the start of a line"))
            }
            _ if INFIX_WORDS.contains(&word) || "&|)-<→↔∧∨".contains(rest.chars().next().unwrap_or(' ')) =>
            {
                let sign =
                    ["<->", "->"].into_iter().find(|sign| rest.starts_with(sign)).unwrap_or(self.found());
                let after = match previous {
                    Some(previous) if previous != ":" && previous != "=" => {
                        format!(" after `{}`", clip(previous))
                    }
                    Some(_) | None => String::new(),
                };
                self.error(
                    "E-syntax",
                    self.at..self.at + sign.len(),
                    format!("an operand is missing before `{sign}`{after}"),
                )
                .help("an operand is a name, an atom like `[activity ~ Main]`, or a formula in brackets")
            }
            _ => self
                .here(format!("`{}` means nothing here", clip(self.found())))
                .help("an operand is a name, an atom like `[activity ~ Main]`, or a formula in brackets"),
        }
    }

    /// `&&` and `||`, whose first half is an operator.
    fn doubled_operator(&self) -> Option<Diagnostic> {
        let sign = self.rest().chars().next().filter(|sign| "&|".contains(*sign))?;
        let is_doubled = self.text[..self.at].ends_with(sign);
        is_doubled.then(|| {
            self.error("E-operator", self.at - 1..self.at + 1, format!("there is no operator `{sign}{sign}`"))
                .help(format!("write `{sign}`"))
        })
    }

    /// A bracket does not start with a key.
    fn no_key(&self) -> Diagnostic {
        let before = self.before();
        let keys = || format!("keys: {}", Key::ALL.map(Key::name).join(" "));
        let open = before.len().saturating_sub(1);
        if before.ends_with('[') && self.is_after_operator(open) {
            let starts_bound = self.rest().starts_with([']', '.', '-', ',']);
            if starts_bound && !self.is_empty_before_operand(open) {
                return self.no_bound();
            }
        }
        if self.is_empty_before_operand(open)
            && let Some(other) = self.elsewhere(open, &PREFIXES_ELSEWHERE)
        {
            return other;
        }
        match self.rest().chars().next() {
            Some(char) if char.is_ascii_digit() || "<>=≤≥".contains(char) => self.no_bound(),
            Some(']') if before.ends_with('[') => self
                .error("E-syntax", before.len() - 1..self.at + 1, "there is nothing between these brackets")
                .help("an atom is like `[activity ~ Main]`"),
            Some('"') => self.here("a key stands without quotes").help(keys()),
            _ => self.here(format!("a key is needed here, and not `{}`", clip(self.found()))).help(keys()),
        }
    }

    /// Says whether what opens at `open` follows an operator that takes a bound.
    fn is_after_operator(&self, open: usize) -> bool {
        let before = self.text[..open].trim_end();
        let word = &before[before
            .rfind(|char| !is_word_char(char))
            .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8))..];
        BOUNDED_WORDS.contains(&word) || before.ends_with(['◇', '□'])
    }

    /// Says whether `[]` opens at `open`, apart from what is before, and is put before an operand as
    /// other languages put it for `G`.
    fn is_empty_before_operand(&self, open: usize) -> bool {
        let is_apart = !self.text[..open].ends_with(is_word_char);
        let Some(after) = self.text[open..].strip_prefix("[]") else { return false };
        let after = if self.is_after_operator(open) { after } else { after.trim_start() };
        let word = &after[..after.find(|char| !is_word_char(char)).unwrap_or(after.len())];
        let starts_operand =
            !word.is_empty() && !INFIX_WORDS.contains(&word) || after.starts_with(['(', '[', '!', '<', '~']);
        is_apart && starts_operand
    }

    /// A key is not followed by an operator.
    fn no_relation(&self) -> Diagnostic {
        let key = self.word_before();
        let known = Key::ALL.iter().any(|known| known.name() == key);
        let rest = self.rest();
        if rest.starts_with("!~") || rest.starts_with("! ~") {
            let len = if rest.starts_with("!~") { 2 } else { 3 };
            return self
                .error("E-operator", self.at..self.at + len, "there is no operator `!~`")
                .help(format!("negate the bracket: `![{} ~ ...]`", clip(key)));
        }
        match rest.chars().next() {
            Some(']' | ',') if key == "count" => {
                self.here("a count says what is counted").help("it is like `[count(text ~ Note) >= 2]`")
            }
            Some(']' | ',') if self.before().ends_with(')') => {
                self.here("a count is compared with a number").help("it is like `[count(text ~ Note) >= 2]`")
            }
            Some(']' | ',') if known => {
                self.here(format!("`{key}` is compared with nothing")).help(match key {
                    "checked" | "enabled" | "focused" | "selected" | "password" | "scrollable"
                    | "crashed" | "anr" => {
                        format!("write `{key} = true`")
                    }
                    _ => format!("write `{key} = ...` or `{key} ~ ...`"),
                })
            }
            Some(']') if !key.is_empty() => self
                .here(format!("`{}` is no comparison", clip(key)))
                .help(format!("a declared name stands without brackets: `{}`", clip(key))),
            _ => {
                let after = if key.is_empty() { "count(...)" } else { key };
                self.here(format!("an operator is needed after `{}`", clip(after)))
                    .help("one of = != ~ < <= > >=")
            }
        }
    }

    /// An operator of a comparison is not followed by a value.
    fn no_value(&self) -> Diagnostic {
        let before = self.before();
        let rest = self.rest();
        let sign_start = before.trim_end_matches(|char| "=!~<>∼≤≥≠".contains(char)).len();
        let sign_end = self.at + rest.len() - rest.trim_start_matches(|char| "=!~<>".contains(char)).len();
        let sign = &self.text[sign_start..sign_end];
        if let Some((_, ours)) = RELATIONS_ELSEWHERE.into_iter().find(|&(theirs, _)| theirs == sign) {
            return self
                .error("E-operator", sign_start..sign_end, format!("there is no operator `{sign}`"))
                .help(format!("write `{ours}`"));
        }
        match rest.chars().next() {
            Some('"') => self.broken_escape(),
            Some('/') => self
                .here("an empty regular expression finds everything")
                .help("put something between the slashes, or the text in quotes"),
            Some(']' | ',' | ')') => {
                self.here("a value is missing here").help("an empty text is written `\"\"`")
            }
            _ => self.here("a value does not start like this").help("put it in quotes"),
        }
    }

    /// The first escape that is none in the text in quotes that starts here.
    fn broken_escape(&self) -> Diagnostic {
        let rest = self.rest();
        let mut at = 0;
        while let Some(found) = rest[at..].find('\\') {
            let escape = &rest[at + found + 1..];
            let len = match escape.chars().next() {
                Some('"' | '\\' | 'n') => 1,
                Some('u') if is_code(escape) => escape.find('}').map_or(1, |end| end + 1),
                other => {
                    let start = self.at + at + found;
                    let end = start + 1 + other.map_or(0, char::len_utf8);
                    return self
                        .error(
                            "E-escape",
                            start..end,
                            format!("there is no escape `{}`", &self.text[start..end]),
                        )
                        .help("escapes are `\\\"` `\\\\` `\\n` and `\\u{e4}`");
                }
            };
            at += found + 1 + len;
        }
        self.here("this text cannot be read").help("escapes are `\\\"` `\\\\` `\\n` and `\\u{e4}`")
    }

    /// Says whether the bracket that is open is one of those that follow operators.
    fn is_in_bound(&self) -> bool {
        let open = self.text[..self.at].rfind('[').unwrap_or(self.at);
        let inside = self.text[open..].trim_start_matches('[').trim_start();
        inside.starts_with(|char: char| char.is_ascii_digit() || "<>=≤≥".contains(char))
    }

    fn no_bound(&self) -> Diagnostic {
        let open = self.text[..self.at].rfind('[').unwrap_or(self.at);
        let end = self.text[open..].find(']').map_or(self.text.len(), |at| open + at + 1);
        let inside = self.text[open..end].trim_matches(['[', ']']).trim();
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let meant = if let Some(limit) = inside.strip_prefix('<').and_then(number) {
            limit.checked_sub(1).map(|last| format!("[<={last}]"))
        } else if let Some(limit) = inside.strip_prefix('>').and_then(number) {
            limit.checked_add(1).map(|first| format!("[>={first}]"))
        } else if let Some((from, to)) =
            inside.split_once([',', '-']).map(|(from, to)| (number(from), number(to)))
        {
            from.zip(to).map(|(from, to)| format!("[{from}..{to}]"))
        } else if let Some(to) = inside.strip_prefix("..").and_then(number) {
            Some(format!("[<={to}]"))
        } else if let Some(from) = inside.strip_suffix("..").and_then(number) {
            Some(format!("[>={from}]"))
        } else {
            number(inside).map(|step| format!("[={step}]"))
        };
        let help = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "a bound is like `[<=5]`, `[>=2]`, `[=3]` or `[2..5]`".to_string(),
        };
        self.error("E-bound", open..end, "this is no bound of an operator").help(help)
    }

    /// A bracket goes on after a value.
    fn not_closed(&self) -> Diagnostic {
        self.here("after a value comes `,` or `]`")
            .help("if this belongs to the value, put the whole value in quotes")
    }

    fn no_let(&self) -> Diagnostic {
        if self.expected.contains(&Rule::name) {
            return self.no_name("let main = [activity ~ Main]");
        }
        let name = self.word_before();
        let diagnostic = if self.rest().is_empty() {
            self.here("a `let` lacks `=` and a formula")
        } else {
            self.here(format!("after `{}` comes `=`", clip(name)))
        };
        diagnostic.help("a `let` is like `let main = [activity ~ Main]`")
    }

    fn no_label(&self) -> Diagnostic {
        if self.expected.contains(&Rule::name) {
            return self.no_name("label ready, done");
        }
        if self.starts_line() {
            return self.no_item();
        }
        self.here("a `,` is missing between labels").help("labels are declared like `label ready, done`")
    }

    /// Says whether what could not be read stands at the very start of a line.
    fn starts_line(&self) -> bool {
        !self.rest().is_empty() && self.text[..self.at].ends_with('\n')
    }

    /// What is above is complete, and a new line starts like no item.
    fn no_item(&self) -> Diagnostic {
        let message = format!("no item starts with `{}`", clip(self.found()));
        self.error("E-item", self.at..self.at + self.found().len(), message)
            .help("a spec starts with `possible`, `never` or `must`; a list goes on after a `,`")
    }

    fn no_name(&self, example: &str) -> Diagnostic {
        let found = self.found();
        let message = if found.is_empty() {
            "a name is missing here".to_string()
        } else if is_reserved(found) {
            format!("`{found}` is a word of the language and can be no name")
        } else {
            format!("`{}` can be no name", clip(found))
        };
        let code = if is_reserved(found) { "E-reserved" } else { "E-name" };
        self.error(code, self.at..self.at + found.len(), message).help(format!("it is like `{example}`"))
    }

    fn no_action(&self) -> Diagnostic {
        const EXAMPLE: &str = "action chessmove on [id ~ ChessBoard]: tap 56% 81%, tap 56% 56%";
        let expects = |rule| self.expected.contains(&rule);
        let found = clip(self.found());
        if expects(Rule::name) {
            return self.no_name(EXAMPLE);
        }
        let diagnostic = if expects(Rule::on_word) {
            self.here("after the name of an action comes `on` and a widget")
        } else if expects(Rule::atom) {
            self.here("after `on` comes the widget the action is done on, in brackets")
        } else if expects(Rule::colon) {
            self.here("a `:` is missing here")
        } else if expects(Rule::gesture) {
            let words = ["tap", "longtap", "swipe", "text", "key", "wait"];
            let help = match nearest(self.word(), words) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "gestures are tap, longtap, swipe, text, key and wait".to_string(),
            };
            let message = if found.is_empty() {
                "a gesture is missing here".into()
            } else {
                format!("`{found}` is no gesture")
            };
            return self.here(message).help(help);
        } else if expects(Rule::percent)
            || expects(Rule::decimal)
            || expects(Rule::percent_sign)
            || expects(Rule::point)
        {
            self.here("a place is two percentages, from the left and from the top")
        } else if expects(Rule::to_word) {
            return self
                .here("a swipe goes from one place `to` another")
                .help("it is like `swipe 50% 80% to 50% 20%`");
        } else if expects(Rule::duration) {
            return self.here("a wait has a time").help("it is like `wait 300ms` or `wait 2s`");
        } else if expects(Rule::quoted) {
            return self.here("the text to type stands in quotes").help("it is like `text \"hello\"`");
        } else if expects(Rule::word) {
            return self.here("a key has a name").help("keys are back enter home menu tab delete search");
        } else if self.starts_line() {
            return self.no_item();
        } else {
            self.here("a `,` is missing between gestures")
        };
        diagnostic.help(format!("an action is like `{EXAMPLE}`"))
    }

    fn no_head(&self) -> Diagnostic {
        const EXAMPLE: &str = "a head is like `possible \"NAME\" within 4 steps, 500 episodes:`";
        let expects = |rule| self.expected.contains(&rule);
        let word = self.word();
        let is_at_name = self.before().chars().all(is_word_char);
        if self.starts_with('"') && is_at_name {
            return self.broken_escape();
        }
        let previous = self.word_before();
        if expects(Rule::episodes_word) && ["step", "steps"].contains(&word) {
            let start = self.before().len() - previous.len();
            return self
                .error("E-syntax", start..self.at + word.len(), "steps are counted with `within`")
                .help(format!("write `within {} {word}`", clip(previous)));
        }
        let is_in_budget = ["within", "over"].contains(&previous)
            || previous.starts_with(|char: char| char.is_ascii_digit());
        let is_second_name = !word.is_empty()
            && !is_reserved(word)
            && !is_at_name
            && !is_in_budget
            && self.rest()[word.len()..].trim_start().starts_with(':');
        if self.starts_with('"') || is_second_name {
            return self
                .here("a spec has one name, right after its first word")
                .help("a name of several words stands in quotes, like `possible \"two words\":`");
        }
        let diagnostic = if expects(Rule::spec_name) && is_reserved(word) {
            self.error(
                "E-reserved",
                self.at..self.at + word.len(),
                format!("`{word}` is a word of the language; a `:` is missing before it"),
            )
        } else if expects(Rule::steps_word) {
            self.here("`within` counts `steps`")
        } else if expects(Rule::episodes_word) {
            self.here("after `over` and a number comes `episodes`")
        } else if expects(Rule::digits) {
            self.here("a number is missing here")
        } else {
            match nearest(word, ["within", "over"]) {
                Some(near) => {
                    return self
                        .here(format!("`{}` is no budget", clip(word)))
                        .help(format!("did you mean `{near}`?"));
                }
                None => self.here("a `:` is missing after the head of the spec"),
            }
        };
        diagnostic.help(EXAMPLE)
    }
}

/// The letters of `word` apart, if it is made of operators that stand before an operand and nothing else.
fn spaced(word: &str) -> Option<String> {
    let is_operators = word.len() > 1 && word.chars().all(|char| "XNFGYOH".contains(char));
    // A row of them is shown as far as anyone reads.
    let letters = || word.chars().take(20).map(String::from).collect::<Vec<_>>().join(" ");
    is_operators.then(letters)
}

/// Says whether `word` is a word of the language.
pub(super) fn is_reserved(word: &str) -> bool {
    Grammar::parse(Rule::reserved, word).is_ok_and(|pairs| pairs.as_str() == word)
}

/// Says whether `escape` is `u{...}` with one to six hexadecimal digits.
fn is_code(escape: &str) -> bool {
    escape.strip_prefix("u{").and_then(|rest| rest.split_once('}')).is_some_and(|(digits, _)| {
        (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use crate::spec::{Source, parse};

    /// The first mistake, the line and column it is at, what is underlined, and a part of the message or help.
    #[track_caller]
    fn check(text: &str, place: (usize, usize), underlined: &str, says: &str) {
        let source = Source::new("a.ltl", text);
        let parsed = parse(&source);
        let found: Vec<_> = parsed.diagnostics.iter().collect();
        let mistake = found.first().expect(text);
        assert_eq!(found.len(), 1, "{found:?}");
        let start = source.position(mistake.span.start);
        assert_eq!(
            ((start.line, start.column), &text[mistake.span.clone()]),
            (place, underlined),
            "{mistake:?}"
        );
        let said = format!("{}; {}", mistake.message, mistake.help.as_deref().unwrap_or_default());
        assert!(said.contains(says), "{said}");
    }

    #[test]
    fn a_missing_operand_is_reported_after_its_operator() {
        check("a U # more\n# to come\n", (1, 4), "", "`U` lacks what it is applied to");
        check("!", (1, 2), "", "`!` lacks");
        check("a <-> ", (1, 6), "", "`<->` lacks");
        check("a & then b", (1, 5), "then", "before `then` after `&`");
        check("(a & )", (1, 6), ")", "before `)`");
        check("& a", (1, 1), "&", "an operand is missing before `&`");
        check("F[<=5]", (1, 7), "", "missing after the bound");
        check("()", (1, 1), "()", "nothing between these brackets");
        check("weak a", (1, 1), "weak", "`next` or `until`");
        check("a weak b", (1, 3), "weak", "`next` or `until`");
        check("a weak next b", (1, 3), "weak", "an operator is missing here");
        check("2 U a", (1, 1), "2", "does not start with a digit");
        check("\"a\" U a", (1, 1), "\"", "[text = ");
    }

    #[test]
    fn a_missing_operator_is_reported_between_its_operands() {
        check("[text = a] [text = b]", (1, 12), "[", "put one in between, like `&`");
        check("(a) b", (1, 5), "b", "an operator is missing here");
        check("let a = [text = b]\nF a", (2, 1), "F", "a new spec starts with `possible`");
        check("a , b", (1, 3), ",", "`then` for one after the other");
        check("a : b", (1, 3), ":", "after the head of a spec and after `next`");
        check("a $ b", (1, 3), "$", "means nothing here");
    }

    #[test]
    fn operators_of_other_languages_are_known() {
        for (theirs, ours) in [
            ("=>", "->"),
            ("==>", "->"),
            ("-->", "->"),
            ("<=>", "<->"),
            ("⇒", "->"),
            ("&&", "&"),
            ("||", "|"),
            ("/\\", "&"),
            ("\\/", "|"),
        ] {
            check(&format!("a {theirs} b"), (1, 3), theirs, &format!("write `{ours}`"));
        }
        for (theirs, ours) in
            [("==", "="), ("=~", "~"), ("~=", "~"), ("=<", "<="), ("=>", ">="), ("<>", "!="), ("===", "=")]
        {
            check(&format!("[text {theirs} b]"), (1, 7), theirs, &format!("write `{ours}`"));
        }
        check("[text !~ b]", (1, 7), "!~", "`![text ~ ...]`");
    }

    #[test]
    fn a_slip_in_an_operator_word_finds_it() {
        check("a adn b", (1, 3), "adn", "did you mean `and`?");
        check("a AND b", (1, 3), "AND", "did you mean `and`?");
        check("a Until b", (1, 3), "Until", "did you mean `until`?");
        check("a u b", (1, 3), "u", "did you mean `U`?");
        check("alwys a", (1, 1), "alwys", "did you mean `always`?");
        check("b & evntually a", (1, 5), "evntually", "did you mean `eventually`?");
    }

    #[test]
    fn a_slip_in_an_operator_is_found_on_either_side_of_the_gap() {
        check("F mian | untill main", (1, 10), "untill", "did you mean `until`?");
        check("a & nto (b)", (1, 5), "nto", "did you mean `not`?");
        check("eventualy (a)", (1, 1), "eventualy", "did you mean `eventually`?");
        check("eventualy [text = a]", (1, 1), "eventualy", "did you mean `eventually`?");
        check("a andd b", (1, 3), "andd", "did you mean `and`?");
        check("a nto b", (1, 3), "nto", "did you mean `not`?");
        check("label nott\nmust: nott (b)", (2, 12), "(", "an operator is missing here");
        check("let untill = true\nmust: untill b", (2, 14), "b", "an operator is missing here");
    }

    #[test]
    fn operators_in_a_row_stand_apart() {
        for (joined, apart) in
            [("FF", "F F"), ("GF", "G F"), ("XX", "X X"), ("FG", "F G"), ("XNFGYOH", "X N F G Y O H")]
        {
            for operand in ["a", "(a)", "[text = a]", "!a"] {
                check(&format!("{joined} {operand}"), (1, 1), joined, &format!("write `{apart}`"));
            }
        }
    }

    #[test]
    fn prefixes_of_other_languages_are_known() {
        for (theirs, ours) in [("<>", "F"), ("[]", "G"), ("~", "!")] {
            for operand in ["a", " a", "(a)", "[text = a]"] {
                check(&format!("{theirs}{operand}"), (1, 1), theirs, &format!("write `{ours}`"));
                check(&format!("a & {theirs}{operand}"), (1, 5), theirs, &format!("write `{ours}`"));
            }
        }
        check("<>[]a", (1, 1), "<>", "write `F`");
        check("F []a", (1, 3), "[]", "write `G`");
        check("a ∪ b", (1, 3), "∪", "write `U`");
    }

    #[test]
    fn a_slip_in_an_item_word_finds_it() {
        check("possibel \"x\": true", (1, 1), "possibel", "did you mean `possible`?");
        check("nevr: true", (1, 1), "nevr", "did you mean `never`?");
        check("  nevr: a", (1, 3), "nevr", "did you mean `never`?");
        check("let a = [text = b]\nposible \"x\": a", (2, 1), "posible", "did you mean `possible`?");
        check("lable c\nnever: c", (1, 1), "lable", "did you mean `label`?");
        check("label a\nF a", (2, 1), "F", "no item starts with `F`; a spec starts with `possible`");
        check("action a on [id = b]: wait 1s\nF a", (2, 1), "F", "no item starts with `F`");
        check("label a let b = c\nnever: a", (1, 9), "let", "`,` is missing between labels");
        check("never: a never", (1, 10), "never", "only at the start of a line");
    }

    #[test]
    fn a_comparison_without_brackets_is_shown_with_them() {
        check("F activity = Main & a", (1, 3), "activity =", "write `[activity = Main]`");
        check("activty ~ Main", (1, 1), "activty ~", "write `[activity ~ Main]`");
        check("a != b", (1, 1), "a !", "`[a != b]`");
    }

    #[test]
    fn a_bracket_says_what_it_lacks() {
        check("[]", (1, 1), "[]", "an atom is like");
        check("[checked]", (1, 9), "]", "write `checked = true`");
        check("[text]", (1, 6), "]", "`text = ...`");
        check("[mian]", (1, 6), "]", "without brackets: `mian`");
        check("[text = ]", (1, 9), "]", "a value is missing");
        check("[text ~ //]", (1, 10), "/", "finds everything");
        check("[text contains a]", (1, 7), "contains", "an operator is needed after `text`");
        check("[text = \"a\" b]", (1, 13), "b", "put the whole value in quotes");
        check("[\"text\" = b]", (1, 2), "\"", "without quotes");
        check("[text = a, ]", (1, 12), "]", "a key is needed");
        check("[count = 2]", (1, 2), "count", "is like `[count(text ~ Note) >= 2]`");
        check("[count(text ~ a)]", (1, 17), "]", "compared with a number");
        check(r#"[text = "a\q"]"#, (1, 11), r"\q", "no escape");
        check(r#"[text = "a\u{}"]"#, (1, 11), r"\u", "no escape");
    }

    #[test]
    fn a_bound_that_is_none_gets_the_nearest_one() {
        check("F[<5] a", (1, 2), "[<5]", "`[<=4]`");
        check("F[>5] a", (1, 2), "[>5]", "`[>=6]`");
        check("F[5] a", (1, 2), "[5]", "`[=5]`");
        check("F[2,5] a", (1, 2), "[2,5]", "`[2..5]`");
        check("F[2..] a", (1, 2), "[2..]", "`[>=2]`");
        check("F[..5] a", (1, 2), "[..5]", "`[<=5]`");
        check("F[] a", (1, 2), "[]", "`[2..5]`");
        check("F [] a", (1, 3), "[]", "`[2..5]`");
        check("a U[] b", (1, 4), "[]", "`[2..5]`");
        check("F[<=] a", (1, 2), "[<=]", "`[2..5]`");
    }

    #[test]
    fn a_head_says_what_it_lacks() {
        check("possible \"a\" F b", (1, 14), "F", "a `:` is missing");
        check("possible \"a\":", (1, 14), "", "a formula is missing after `:`");
        check("possible", (1, 9), "", "a `:` is missing");
        check("possible next: a", (1, 10), "next", "a `:` is missing before it");
        check("never \"a\" withn 4 steps: b", (1, 11), "withn", "did you mean `within`?");
        check("possible q \"n\": F a", (1, 12), "\"", "a spec has one name");
        check("possible \"x\" \"y\": a", (1, 14), "\"", "a spec has one name");
        check("possible q n: F a", (1, 12), "n", "a spec has one name");
        check("possible 4 steps: a", (1, 10), "4 steps", "write `within 4 steps`");
        check("possible q within 4 stps: a", (1, 21), "stps", "counts `steps`");
        check("possible 4q: a", (1, 11), "q", "comes `episodes`");
        check("possible q over 4 steps: a", (1, 17), "4 steps", "write `within 4 steps`");
        check("never \"a\" within 4: b", (1, 19), ":", "counts `steps`");
        check("never \"a\" over 4: b", (1, 17), ":", "comes `episodes`");
        check("never \"a\" within steps: b", (1, 18), "steps", "a number is missing");
        check(r#"never "\q": b"#, (1, 8), r"\q", "no escape");
    }

    #[test]
    fn a_declaration_says_what_it_lacks() {
        check("let", (1, 4), "", "a name is missing");
        check("let a", (1, 6), "", "lacks `=`");
        check("let a: b", (1, 6), ":", "after `a` comes `=`");
        check("let a = ", (1, 8), "", "a formula is missing after `=`");
        check("let 1a = b", (1, 5), "1a", "can be no name");
        check("label", (1, 6), "", "a name is missing");
        check("label a,", (1, 9), "", "a name is missing");
        check("label a b", (1, 9), "b", "`,` is missing");
        check("action", (1, 7), "", "a name is missing");
        check("action a", (1, 9), "", "comes `on` and a widget");
        check("action a on b: tap 1% 2%", (1, 13), "b", "in brackets");
        check("action a on [id ~ x] tap 1% 2%", (1, 22), "tap", "a `:` is missing");
        check("action a on [id ~ x]:", (1, 22), "", "a gesture is missing");
        check("action a on [id ~ x]: tpa 1% 2%", (1, 23), "tpa", "did you mean `tap`?");
        check("action a on [id ~ x]: tap 1 2", (1, 29), "2", "two percentages");
        check("action a on [id ~ x]: tap 1%", (1, 29), "", "two percentages");
        check("action a on [id ~ x]: swipe 1% 2% 3% 4%", (1, 35), "3", "`to`");
        check("action a on [id ~ x]: tap 1% 2% tap 1% 2%", (1, 33), "tap", "`,` is missing");
        check("action a on [id ~ x]: key", (1, 26), "", "keys are back");
        check("action a on [id ~ x]: wait 3", (1, 28), "3", "`wait 300ms`");
        check("action a on [id ~ x]: text a", (1, 28), "a", "in quotes");
    }

    #[test]
    fn words_of_the_language_can_be_no_names() {
        for word in super::OPERATOR_WORDS {
            check(&format!("let {word} = [text = a]"), (1, 5), word, "is a word of the language");
        }
        for word in [
            "let", "label", "action", "possible", "never", "must", "true", "false", "X", "N", "U", "R", "W",
            "M",
        ] {
            check(&format!("label {word}"), (1, 7), word, "is a word of the language");
        }
        for word in ["F", "G", "Y", "O", "H", "S", "𝒰"] {
            check(&format!("action {word} on [id = a]: wait 1s"), (1, 8), word, "is a word of the language");
        }
    }
}
