//! Explanations of the places where the grammar of specs stopped: the mistake, and its mending.

use super::grammar::{Grammar, Rule};
use super::items::{ITEM_WORDS, ItemKind};
use crate::gui::{Key, nearest};
use crate::text::{
    Diagnostic, Stop, clip, did_you_mean, first_word, is_rule, is_word_char, last_word, meant, no_item, words,
};

/// Operators that are words.
pub const OPERATOR_WORDS: [&str; 16] = [
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

/// Words and letters that stand between two operands.
const INFIX_WORDS: [&str; 14] =
    ["and", "or", "implies", "iff", "then", "until", "release", "since", "weak", "U", "R", "W", "M", "S"];

/// Words that stand before an operand.
const PREFIX_WORDS: [&str; 8] =
    ["not", "next", "eventually", "always", "previously", "once", "historically", "weak"];

/// Words and letters that take a bound.
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

/// Operators of other languages and ours, with the longer before those that they start with.
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

/// Operators of other languages that stand before an operand, and ours.
const PREFIXES_ELSEWHERE: [(&str, &str); 3] = [("<>", "F"), ("[]", "G"), ("~", "!")];

/// Operators of comparisons in other languages, and ours.
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

const OPERAND_HELP: &str = "an operand is a name, an atom like `[activity ~ Main]`, or a formula in brackets";

impl<'a> Stop<'a, Rule, ItemKind> {
    /// Returns the mistake at this place.
    pub(super) fn explain(&self) -> Diagnostic {
        let expects = |rule| self.expects(rule);
        // The most telling rule first: where an operator is due, much else is too.
        if self.is_in_keep() {
            self.here("after `keep` come a name, `=`, a term and a `:`")
                .help("it is like `keep before = prev text(id = title): F [text = {before}]`")
        } else if expects(Rule::and) {
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
                ItemKind::Spec(_) | ItemKind::Formula => self.no_head(),
            }
        }
    }

    /// Returns true if a `keep NAME =` before the place has no `:` yet.
    fn is_in_keep(&self) -> bool {
        let before = self.before();
        let after = before.rmatch_indices("keep").find(|(at, _)| !before[..*at].ends_with(is_word_char));
        after.is_some_and(|(at, word)| {
            let rest = before[at + word.len()..].trim_start();
            let name = rest.trim_start_matches(is_word_char);
            name.len() < rest.len() && name.trim_start().starts_with('=') && !name.contains(':')
        })
    }

    fn starts_with(&self, char: char) -> bool {
        self.rest().starts_with(char)
    }

    /// Explains a place after a complete operand, where an operator or the end is due.
    fn no_operator(&self) -> Diagnostic {
        let rest = self.rest();
        // A known slip says more than "an operator is missing".
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
        if ITEM_WORDS.contains(&word) {
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
        // A line break before the second operand: a new spec may have been meant.
        let help = if between.contains('\n') && !matches!(self.kind, ItemKind::Spec(_)) {
            "put one in between, like `&`; a new spec starts with `possible`, `never` or `must`"
        } else {
            "put one in between, like `&`"
        };
        self.here("an operator is missing here").help(help)
    }

    fn no_operator_before(&self, word: &str) -> Diagnostic {
        let line = &self.text[self.text[..self.at].rfind('\n').map_or(0, |at| at + 1)..self.at];
        if line.trim().is_empty()
            && let Some(near) = nearest(word, ITEM_WORDS)
        {
            return self.no_item_at(self.at, word).help(meant(near));
        }
        self.slip_in_operator(word).unwrap_or_else(|| self.missing_operator())
    }

    /// Finds a misspelt operator on either side of the place where one is missing. `after` is the word that follows.
    fn slip_in_operator(&self, after: &str) -> Option<Diagnostic> {
        let before = self.word_before();
        let start = self.before().len() - before.len();
        if let Some(spaced) = spaced(before) {
            return Some(self.elsewhere(start, before, &spaced));
        }
        let after = (self.at, after);
        // The slip may be in the word that was read as the operand.
        // Short names are near to too many operators.
        let is_word = before.chars().count() > 2;
        let before = (start, if is_word { before } else { "" });
        // A word after an operand is an operator between two; then comes the word before it, which stands before one.
        let candidates: [((usize, &str), &[&'static str]); 4] =
            [(after, &INFIX_WORDS), (before, &PREFIX_WORDS), (before, &INFIX_WORDS), (after, &PREFIX_WORDS)];
        let ((at, word), near) = candidates.into_iter().find_map(|(place, words)| {
            let near = nearest(place.1, words.iter().copied())?;
            (!is_reserved(place.1) && !self.is_declared(place.1)).then_some((place, near))
        })?;
        let message = format!("there is no operator `{}`", clip(word));
        Some(self.error("E-operator", at..at + word.len(), message).help(meant(near)))
    }

    /// Returns true if a line of the file declares `word`.
    fn is_declared(&self, word: &str) -> bool {
        self.file.lines().any(|line| {
            let mut words = words(line.trim_start());
            match words.next() {
                Some("let") => words.next() == Some(word),
                Some("label") => words.any(|declared| declared == word),
                _ => false,
            }
        })
    }

    /// Finds an operator of another language.
    fn other_operator(&self) -> Option<Diagnostic> {
        self.known_elsewhere(self.at, &ELSEWHERE)
    }

    /// Finds an operator of another language that stands before its operand.
    fn other_prefix(&self) -> Option<Diagnostic> {
        self.known_elsewhere(self.at, &PREFIXES_ELSEWHERE)
    }

    fn known_elsewhere(&self, at: usize, known: &[(&str, &str)]) -> Option<Diagnostic> {
        let (theirs, ours) = known.iter().find(|(theirs, _)| self.text[at..].starts_with(theirs))?;
        Some(self.elsewhere(at, theirs, ours))
    }

    /// Finds a misspelt item word at the start of a line, before a sign or word that an item goes on with.
    fn other_item_word(&self) -> Option<Diagnostic> {
        let word = self.word_before();
        let start = self.before().len() - word.len();
        let line = self.text[..start].rsplit('\n').next().unwrap_or("");
        let is_head = self.rest().starts_with(['"', ':']) || !self.word().is_empty();
        // Two letters are near to too many words.
        if !is_head || !line.trim().is_empty() || word.chars().count() < 3 {
            return None;
        }
        let near = nearest(word, ITEM_WORDS)?;
        Some(self.no_item_at(start, word).help(meant(near)))
    }

    fn no_item_at(&self, at: usize, word: &str) -> Diagnostic {
        let at = at + self.start;
        no_item(at..at + word.len(), word)
    }

    /// Finds a comparison that should stand in brackets.
    fn no_brackets(&self) -> Option<Diagnostic> {
        let rest = self.rest();
        let signs = ["!=", "<=", ">=", "==", "=", "~", "<", ">", "≠", "∼", "≤", "≥"];
        let sign = signs.into_iter().find(|sign| rest.starts_with(sign))?;
        let word = self.word_before();
        let after = rest[sign.len()..].trim_start();
        // The value as it would be in brackets, up to the next operator.
        let value = after.split([' ', '\t', '\n', '\r', '&', '|', ')', ',', ']']).next().unwrap_or("");
        // The help is to be copied, so it shows our operator.
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

    /// Explains a place where an operand is due.
    fn no_operand(&self) -> Diagnostic {
        let before = self.before();
        let previous = match self.previous() {
            ">" if before.ends_with("<->") => "<->",
            ">" if before.ends_with("->") => "->",
            previous => previous,
        };
        let word = self.word();
        let rest = self.rest();
        if rest.is_empty() {
            return match previous {
                "=" if self.kind == ItemKind::Let => self
                    .here("a formula is missing after `=`")
                    .help("a `let` is like `let main = [activity ~ Main]`"),
                ":" => self
                    .here("a formula is missing after `:`")
                    .help("a formula is like `F [activity ~ Main]`"),
                "weak" => self.here("after `weak` comes `next` or `until`"),
                "]" => self.here("a formula is missing after the bound"),
                "" => self.here("a formula is missing here"),
                operator => {
                    self.here(format!("`{}` lacks what it is applied to", clip(operator))).help(OPERAND_HELP)
                }
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
            _ if ITEM_WORDS.contains(&word) => {
                self.here(format!("`{word}` starts an item, and only at the start of a line"))
            }
            _ if INFIX_WORDS.contains(&word) || "&|)-<→↔∧∨".contains(rest.chars().next().unwrap_or(' ')) =>
            {
                let sign =
                    ["<->", "->"].into_iter().find(|sign| rest.starts_with(sign)).unwrap_or(self.found());
                let after = match previous {
                    "" | ":" | "=" => String::new(),
                    previous => format!(" after `{}`", clip(previous)),
                };
                self.error(
                    "E-syntax",
                    self.at..self.at + sign.len(),
                    format!("an operand is missing before `{sign}`{after}"),
                )
                .help(OPERAND_HELP)
            }
            _ => self.here(format!("`{}` means nothing here", clip(self.found()))).help(OPERAND_HELP),
        }
    }

    /// Finds `&&` and `||`. Their first half was read as an operator.
    fn doubled_operator(&self) -> Option<Diagnostic> {
        let sign = self.rest().chars().next().filter(|sign| "&|".contains(*sign))?;
        let is_doubled = self.text[..self.at].ends_with(sign);
        is_doubled.then(|| {
            self.error("E-operator", self.at - 1..self.at + 1, format!("there is no operator `{sign}{sign}`"))
                .help(format!("write `{sign}`"))
        })
    }

    /// Explains a place where a key is due.
    fn no_key(&self) -> Diagnostic {
        let before = self.before();
        let keys = || format!("keys: {}", Key::ALL.map(Key::name).join(" "));
        let open = before.len().saturating_sub(1);
        if before.ends_with('[') && self.is_after_operator(open) {
            // `F[]` and the like: a bound was meant, and not a key.
            let starts_bound = self.rest().starts_with([']', '.', '-', ',']);
            if starts_bound && !self.is_empty_before_operand(open) {
                return self.no_bound();
            }
        }
        if self.is_empty_before_operand(open)
            && let Some(other) = self.known_elsewhere(open, &PREFIXES_ELSEWHERE)
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

    /// Returns true if the bracket at `open` follows an operator that takes a bound.
    fn is_after_operator(&self, open: usize) -> bool {
        let before = self.text[..open].trim_end();
        BOUNDED_WORDS.contains(&last_word(before)) || before.ends_with(['◇', '□'])
    }

    /// Returns true if a `[]` at `open` stands apart before an operand, as other languages write `G`.
    fn is_empty_before_operand(&self, open: usize) -> bool {
        let is_apart = !self.text[..open].ends_with(is_word_char);
        let Some(after) = self.text[open..].strip_prefix("[]") else { return false };
        // `F [] a` has a bound that is empty, `F []a` two operators.
        let after = if self.is_after_operator(open) { after } else { after.trim_start() };
        let word = first_word(after);
        let starts_operand =
            !word.is_empty() && !INFIX_WORDS.contains(&word) || after.starts_with(['(', '[', '!', '<', '~']);
        is_apart && starts_operand
    }

    /// Explains a place where the operator of a comparison is due.
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
                    | "crashed" | "anr" | "keyboard" => {
                        format!("write `{key} = true`")
                    }
                    _ => format!("write `{key} = ...` or `{key} ~ ...`"),
                })
            }
            // `[main]` for the name `main`.
            Some(']') if !key.is_empty() => self
                .here(format!("`{}` is no comparison", clip(key)))
                .help(format!("a declared name stands without brackets: `{}`", clip(key))),
            _ => {
                let after = clip(if key.is_empty() { "count(...)" } else { key });
                let help = match first_word(rest).to_lowercase().as_str() {
                    "contains" | "has" | "includes" | "like" => format!("write `{after} ~ ...`"),
                    "matches" => format!("write `{after} ~ /.../`"),
                    "equals" | "is" => format!("write `{after} = ...`"),
                    _ => "one of = != ~ < <= > >=".to_string(),
                };
                self.here(format!("an operator is needed after `{after}`")).help(help)
            }
        }
    }

    /// Explains a place where a value is due.
    fn no_value(&self) -> Diagnostic {
        let before = self.before();
        let rest = self.rest();
        // The grammar stopped within a sign of another language, like `==`.
        let sign_start = before.trim_end_matches(|char| "=!~<>∼≤≥≠".contains(char)).len();
        let sign_end = self.at + rest.len() - rest.trim_start_matches(|char| "=!~<>".contains(char)).len();
        let sign = &self.text[sign_start..sign_end];
        if let Some((_, ours)) = RELATIONS_ELSEWHERE.into_iter().find(|&(theirs, _)| theirs == sign) {
            return self.elsewhere(sign_start, sign, ours);
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

    /// Finds the first sequence in the text in quotes that is no escape.
    fn broken_escape(&self) -> Diagnostic {
        let rest = self.rest();
        let mut at = 0;
        while let Some(found) = rest[at..].find('\\') {
            let escape = &rest[at + found + 1..];
            let len = match escape.chars().next() {
                Some('"' | '\\' | 'n') => 1,
                // A code with too many digits is no escape either.
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

    /// Returns true if the open bracket looks like the bound of an operator.
    fn is_in_bound(&self) -> bool {
        let open = self.text[..self.at].rfind('[').unwrap_or(self.at);
        let inside = self.text[open..].trim_start_matches('[').trim_start();
        inside.starts_with(|char: char| char.is_ascii_digit() || "<>=≤≥".contains(char))
    }

    fn no_bound(&self) -> Diagnostic {
        let open = self.text[..self.at].rfind('[').unwrap_or(self.at);
        // The whole bracket is underlined, as any part of it may be wrong.
        let end = self.text[open..].find(']').map_or(self.text.len(), |at| open + at + 1);
        let inside = self.text[open..end].trim_matches(['[', ']']).trim();
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let near = if let Some(limit) = inside.strip_prefix('<').and_then(number) {
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
        let help = match near {
            Some(near) => meant(&near),
            None => "a bound is like `[<=5]`, `[>=2]`, `[=3]` or `[2..5]`".to_string(),
        };
        self.error("E-bound", open..end, "this is no bound of an operator").help(help)
    }

    /// Explains a place after a value, where a bracket goes on or ends.
    fn not_closed(&self) -> Diagnostic {
        self.here("after a value comes `,` or `]`")
            .help("if this belongs to the value, put the whole value in quotes")
    }

    fn no_let(&self) -> Diagnostic {
        if self.expects(Rule::name) {
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
        if self.expects(Rule::name) {
            return self.no_name("label ready, done");
        }
        if self.starts_line() {
            return self.no_item();
        }
        self.here("a `,` is missing between labels").help("labels are declared like `label ready, done`")
    }

    /// Returns true if the place is the very start of a line.
    fn starts_line(&self) -> bool {
        !self.rest().is_empty() && self.text[..self.at].ends_with('\n')
    }

    /// Explains a line that starts like no item, below a complete one.
    fn no_item(&self) -> Diagnostic {
        self.no_item_at(self.at, self.found())
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
        let expects = |rule| self.expects(rule);
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
            let help = did_you_mean(self.word(), words, || {
                "gestures are tap, longtap, swipe, text, key and wait".to_string()
            });
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
        const ROUNDING: &str = "`times to 10ms` rounds the times of steps down to tens of milliseconds";
        const CLAUSES: [&str; 4] = ["within", "over", "typed", "times"];
        let expects = |rule| self.expects(rule);
        let word = self.word();
        let is_at_name = self.before().chars().all(is_word_char);
        // The quotes are closed, or the item would not be sound: the grammar stopped at an escape in them.
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
        // A word in a budget is not taken for a second name.
        let is_in_budget = CLAUSES.contains(&previous)
            || previous == "to"
            || previous.starts_with(|char: char| char.is_ascii_digit());
        // `possible a b:` in place of `possible "a b":`.
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
        } else if previous == "typed" && (expects(Rule::counts_word) || nearest(word, ["counts"]).is_some()) {
            return self.here("after `typed` comes `counts`").help(
                "`typed counts` lets text that the run itself has typed meet the formula; without it, it does not",
            );
        } else if previous == "times" && (expects(Rule::to_word) || nearest(word, ["to"]).is_some()) {
            return self.here("after `times` comes `to`").help(ROUNDING);
        } else if expects(Rule::duration) {
            return self.here("after `times to` comes a time with its unit").help(ROUNDING);
        } else if expects(Rule::digits) {
            self.here("a number is missing here")
        } else {
            match nearest(word, CLAUSES) {
                Some(near) => {
                    return self.here(format!("`{}` is no clause of a head", clip(word))).help(meant(near));
                }
                None => self.here("a `:` is missing after the head of the spec"),
            }
        };
        diagnostic.help(EXAMPLE)
    }
}

/// Returns the letters of `word` apart, if each of them is an operator that stands before an operand.
fn spaced(word: &str) -> Option<String> {
    let is_operators = word.len() > 1 && word.chars().all(|char| "XNFGYOH".contains(char));
    // Nobody reads a longer row.
    let letters = || word.chars().take(20).map(String::from).collect::<Vec<_>>().join(" ");
    is_operators.then(letters)
}

/// Returns true if `word` is a word of the language.
pub(super) fn is_reserved(word: &str) -> bool {
    is_rule::<Grammar, _>(Rule::reserved, word)
}

/// Returns true if `escape` is `u{...}` with one to six hexadecimal digits.
fn is_code(escape: &str) -> bool {
    escape.strip_prefix("u{").and_then(|rest| rest.split_once('}')).is_some_and(|(digits, _)| {
        (1..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use crate::spec::{Source, parse};

    /// Checks the only mistake: its line and column, the underlined text, and a part of the message or help.
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
        check("[text contains a]", (1, 7), "contains", "write `text ~ ...`");
        check("[text is a]", (1, 7), "is", "write `text = ...`");
        check("[text before a]", (1, 7), "before", "an operator is needed after `text`");
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
        check("never \"a\" tped counts: b", (1, 11), "tped", "did you mean `typed`?");
        check("never \"a\" typed conts: b", (1, 17), "conts", "comes `counts`");
        check("never \"a\" typed: b", (1, 16), ":", "comes `counts`");
        check("never typed count: b", (1, 13), "count", "comes `counts`");
        check("never a 5 episodes, typed: b", (1, 26), ":", "comes `counts`");
        check("never a tims to 5ms: b", (1, 9), "tims", "did you mean `times`?");
        check("never a times too 5ms: b", (1, 15), "too", "comes `to`");
        check("never a times: b", (1, 14), ":", "comes `to`");
        check("never times too 5ms: b", (1, 13), "too", "comes `to`");
        check("never a times to 10: b", (1, 18), "10", "with its unit");
        check("never a times to b: b", (1, 18), "b", "with its unit");
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
