//! What the grammar could not read, in words: what is wrong there, and what would be right.

use std::ops::Range;

use pest::error::{Error, ErrorVariant, InputLocation};

use super::diagnostic::{Diagnostic, clip};
use super::grammar::Rule;
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

/// The operators of other languages and ours, those that start alike from long to short.
const ELSEWHERE: [(&str, &str); 11] = [
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
];

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
    Mistake { text: &text[item.span.clone()], kind: item.kind, start: item.span.start, at, expected }
        .explain()
}

struct Mistake<'a> {
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
        } else if expects(Rule::value) || expects(Rule::regex) {
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
        if ITEM_WORDS.iter().any(|(known, _)| *known == word) {
            return self.here(format!("`{word}` starts an item, and only at the start of a line"));
        }
        if !word.is_empty() {
            return self.no_operator_before(word);
        }
        match rest.chars().next() {
            Some('[' | '(' | '!' | '¬' | '○' | '◇' | '□' | '⊤' | '⊥') => self.missing_operator(),
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
        let before = self.word_before();
        if line.trim().is_empty()
            && let Some(near) = nearest(word, item_words)
        {
            let message = format!("no item starts with `{}`", clip(word));
            return self
                .error("E-item", self.at..self.at + word.len(), message)
                .help(format!("did you mean `{near}`?"));
        }
        if let Some(near) = nearest(word, INFIX_WORDS) {
            return self
                .error(
                    "E-operator",
                    self.at..self.at + word.len(),
                    format!("there is no operator `{}`", clip(word)),
                )
                .help(format!("did you mean `{near}`?"));
        }
        // The slip may be in what was taken for the operand.
        let is_word = before.chars().count() > 2;
        if let Some(near) = if is_word { nearest(before, PREFIX_WORDS) } else { None } {
            let start = self.before().len() - before.len();
            let message = format!("there is no operator `{}`", clip(before));
            return self
                .error("E-operator", start..start + before.len(), message)
                .help(format!("did you mean `{near}`?"));
        }
        self.missing_operator()
    }

    /// An operator of another language.
    fn other_operator(&self) -> Option<Diagnostic> {
        let (theirs, ours) = ELSEWHERE.into_iter().find(|(theirs, _)| self.rest().starts_with(theirs))?;
        let span = self.at..self.at + theirs.len();
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
        if let Some(other) = self.doubled_operator().or_else(|| self.other_operator()) {
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
        match self.rest().chars().next() {
            Some(char) if char.is_ascii_digit() || "<>=≤≥".contains(char) => self.no_bound(),
            Some(']') if before.ends_with('[') => self
                .error("E-syntax", before.len() - 1..self.at + 1, "there is nothing between these brackets")
                .help("an atom is like `[activity ~ Main]`"),
            Some('"') => self.here("a key stands without quotes").help(keys()),
            _ => self.here(format!("a key is needed here, and not `{}`", clip(self.found()))).help(keys()),
        }
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
        self.here("a `,` is missing between labels").help("labels are declared like `label ready, done`")
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
        } else {
            self.here("a `,` is missing between gestures")
        };
        diagnostic.help(format!("an action is like `{EXAMPLE}`"))
    }

    fn no_head(&self) -> Diagnostic {
        const EXAMPLE: &str = "a head is like `possible \"NAME\" within 4 steps, 500 episodes:`";
        let expects = |rule| self.expected.contains(&rule);
        let word = self.word();
        if self.starts_with('"') {
            return self.broken_escape();
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

fn is_reserved(word: &str) -> bool {
    OPERATOR_WORDS.contains(&word)
        || ITEM_WORDS.iter().any(|(known, _)| *known == word)
        || matches!(word, "true" | "false")
        || matches!(word, "X" | "N" | "U" | "𝒰" | "R" | "W" | "M" | "F" | "G" | "Y" | "O" | "H" | "S")
}

/// Says whether `escape` is `u{...}` with one to six hexadecimal digits.
fn is_code(escape: &str) -> bool {
    escape.strip_prefix("u{").and_then(|rest| rest.split_once('}')).is_some_and(|(digits, _)| {
        (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}
