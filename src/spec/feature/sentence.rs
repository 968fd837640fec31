//! Sentences: the patterns that farlead knows, each with the formula that it becomes.
//!
//! A pattern is an example of itself: read as a sentence, it gives its formula. Words in quotes and the number 3 stand for
//! any.

use std::ops::Range;

use pest::Parser as _;

use super::super::formula::{STEP_MAX, TIME_MAX_MS};
use super::super::grammar::{Grammar, Rule};
use super::super::items::{ItemKind, bracket_end, items};
use crate::gui::{nearest, quote_value};
use crate::ltl::Unit;
use crate::text::{Diagnostic, Diagnostics, Span, clip, unescape};

/// Pattern of a sentence, with its formula.
#[derive(Clone, Copy, Debug)]
pub struct SentencePattern {
    /// Words of the sentence. Those with a `/` between them are alike, and those in round brackets may be left out.
    pub sentence: &'static str,
    /// Kind of the sentence.
    pub kind: SentenceKind,
    /// Formula that the sentence becomes; empty for the start of the app, which is step 0.
    pub formula: &'static str,
}

/// Kind of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentenceKind {
    /// The start of the app.
    Start,
    /// A state of the screen or the app.
    State,
    /// An action.
    Action,
}

impl SentenceKind {
    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            SentenceKind::Start => "start",
            SentenceKind::State => "state",
            SentenceKind::Action => "action",
        }
    }
}

const fn state(sentence: &'static str, formula: &'static str) -> SentencePattern {
    SentencePattern { sentence, kind: SentenceKind::State, formula }
}

const fn action(sentence: &'static str, formula: &'static str) -> SentencePattern {
    SentencePattern { sentence, kind: SentenceKind::Action, formula }
}

const fn start(sentence: &'static str, formula: &'static str) -> SentencePattern {
    SentencePattern { sentence, kind: SentenceKind::Start, formula }
}

/// All patterns, in the order in which they are tried and shown.
pub const SENTENCES: &[SentencePattern] = &[
    start("the app is (freshly) started", ""),
    start(
        "the app is (freshly) started at \"ACTIVITY\"",
        "[actionType = reinitialise, actionDetail ~ \"ACTIVITY\"]",
    ),
    state("I am on/in/at (the) \"ACTIVITY\" (screen/page)", "[activity ~ \"ACTIVITY\"]"),
    state("I am not on/in/at (the) \"ACTIVITY\" (screen/page)", "![activity ~ \"ACTIVITY\"]"),
    state("I am in the package \"PACKAGE\"", "[package = \"PACKAGE\"]"),
    state("I see (the) (text) \"TEXT\"", "[text ~ \"TEXT\"]"),
    state("I do not see (the) (text) \"TEXT\"", "![text ~ \"TEXT\"]"),
    state("I see exactly \"TEXT\"", "[text = \"TEXT\"]"),
    state("I do not see exactly \"TEXT\"", "![text = \"TEXT\"]"),
    state("I see the icon/picture \"DESCRIPTION\"", "[desc ~ \"DESCRIPTION\"]"),
    state("I do not see the icon/picture \"DESCRIPTION\"", "![desc ~ \"DESCRIPTION\"]"),
    state("I see the widget \"ID\"", "[id = \"ID\"]"),
    state("I do not see the widget \"ID\"", "![id = \"ID\"]"),
    state("I see 3 (times) \"TEXT\"", "[count(text ~ \"TEXT\") = 3]"),
    state("I see at least 3 (times) \"TEXT\"", "[count(text ~ \"TEXT\") >= 3]"),
    state("I see at most 3 (times) \"TEXT\"", "[count(text ~ \"TEXT\") <= 3]"),
    state("I see more than 3 (times) \"TEXT\"", "[count(text ~ \"TEXT\") > 3]"),
    state("I see fewer/less than 3 (times) \"TEXT\"", "[count(text ~ \"TEXT\") < 3]"),
    state("I see more \"TEXT\" than before", "[count(text ~ \"TEXT\") > {prev count(text ~ \"TEXT\")}]"),
    state(
        "I see fewer/less \"TEXT\" than before",
        "[count(text ~ \"TEXT\") < {prev count(text ~ \"TEXT\")}]",
    ),
    state("I see as many \"TEXT\" as before", "[count(text ~ \"TEXT\") = {prev count(text ~ \"TEXT\")}]"),
    state("the field \"FIELD\" shows/contains \"TEXT\"", "[id ~ \"FIELD\", text ~ \"TEXT\"]"),
    state("the field \"FIELD\" has the focus", "[id ~ \"FIELD\", focused = true]"),
    state("\"TEXT\" is checked/on", "[text = \"TEXT\", checked = true]"),
    state("\"TEXT\" is unchecked/off", "[text = \"TEXT\", checked = false]"),
    state("\"TEXT\" is not checked", "[text = \"TEXT\", checked = false]"),
    state("\"TEXT\" is enabled", "[text = \"TEXT\", enabled = true]"),
    state("\"TEXT\" is disabled", "[text = \"TEXT\", enabled = false]"),
    state("\"TEXT\" is not enabled", "[text = \"TEXT\", enabled = false]"),
    state("\"TEXT\" is selected", "[text = \"TEXT\", selected = true]"),
    state("\"TEXT\" is not selected", "[text = \"TEXT\", selected = false]"),
    state("the keyboard is shown", "[keyboard = true]"),
    state("the keyboard is hidden", "[keyboard = false]"),
    state("the screen is on", "[screen = on]"),
    state("the screen is off", "[screen = off]"),
    state("the network is on", "[network = on]"),
    state("the network is off", "[network = off]"),
    state("the device is upright", "[orientation = portrait]"),
    state("the device is on its side", "[orientation = landscape]"),
    state("the app (has) crash/crashed", "[crashed = true]"),
    state("the app (has) crash/crashed at \"PLACE\"", "[crash ~ \"PLACE\"]"),
    state("the app hang/hangs", "[anr = true]"),
    state("the console shows/contains \"TEXT\"", "[console ~ \"TEXT\"]"),
    state("a request fails/failed", "[status >= 400]"),
    action(
        "I click/tap/press/choose/select (on) (the) \"NAME\"",
        "[actionType = click, actionDetail = \"NAME\"]",
    ),
    action(
        "I click/tap/press/choose/select (on) an/the entry with \"TEXT\"",
        "[actionType = click, actionDetail ~ \"TEXT\"]",
    ),
    action(
        "I long-click/long-press/hold (on) (the) \"NAME\"",
        "[actionType = longclick, actionDetail = \"NAME\"]",
    ),
    action("I double-click (on) (the) \"NAME\"", "[actionType = doubleclick, actionDetail = \"NAME\"]"),
    action("I hover over/on (the) \"NAME\"", "[actionType = hover, actionDetail = \"NAME\"]"),
    action(
        "I check \"NAME\"",
        "[actionType = click, actionDetail = \"NAME\"] & [text = \"NAME\", checked = true]",
    ),
    action(
        "I uncheck \"NAME\"",
        "[actionType = click, actionDetail = \"NAME\"] & [text = \"NAME\", checked = false]",
    ),
    action("I type/enter \"TEXT\"", "[actionType = text, actionText = \"TEXT\"]"),
    action(
        "I type/enter \"TEXT\" into/in (the) (field) \"FIELD\"",
        "[actionType = text, actionText = \"TEXT\"] & ([id ~ \"FIELD\", focused = true] | [desc ~ \"FIELD\", focused = true])",
    ),
    action(
        "I clear (the) (field) \"FIELD\"",
        "[actionType = text, actionText = \"\"] & ([id ~ \"FIELD\", focused = true] | [desc ~ \"FIELD\", focused = true])",
    ),
    action("I scroll", "[actionType = scroll]"),
    action("I scroll up", "[actionType = scroll, actionDetail = up]"),
    action("I scroll down", "[actionType = scroll, actionDetail = down]"),
    action("I scroll to \"TEXT\"", "[actionType = scroll] & [text ~ \"TEXT\"]"),
    action("I swipe", "[actionType = swipe]"),
    action("I swipe left", "[actionType = swipe, actionDetail = left]"),
    action("I swipe right", "[actionType = swipe, actionDetail = right]"),
    action("I swipe up", "[actionType = swipe, actionDetail = up]"),
    action("I swipe down", "[actionType = swipe, actionDetail = down]"),
    action("I press/hit (the) enter/return (key)", "[actionType = enter]"),
    action("I press/hit (the) escape/esc (key)", "[actionType = escape]"),
    action("I go/press back", "[actionType = back]"),
    action("I go forward", "[actionType = forward]"),
    action("I reload/refresh (the) (page)", "[actionType = reload]"),
    action("I resize (the) (window)", "[actionType = resize]"),
    action("I open the menu", "[actionType = menu]"),
    action("I rotate/turn the device", "[actionType = rotate]"),
    action("I leave the app and return", "[actionType = pauseresume]"),
    action("I switch/turn the network on", "[actionType = network] & [network = on]"),
    action("I switch/turn the network off", "[actionType = network] & [network = off]"),
    action("I wait", "[actionType = idle]"),
    action("I do (the) (action) \"ACTION\"", "[actionType = \"ACTION\"]"),
];

/// Words that stand before or after a sentence, or behind its subject, and change its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModifierPattern {
    /// Words.
    pub words: &'static str,
    /// Sentences that take it.
    pub of: &'static str,
    /// Meaning.
    pub meaning: &'static str,
}

/// All modifiers.
pub const MODIFIERS: &[ModifierPattern] = &[
    ModifierPattern { words: "immediately", of: "Then", meaning: "at the step of the last When" },
    ModifierPattern { words: "within 3 steps", of: "Then", meaning: "F[<=3], counted from the last When" },
    ModifierPattern { words: "within 3 seconds", of: "Then", meaning: "F[<=3s], counted from the last When" },
    ModifierPattern {
        words: "always",
        of: "Then",
        meaning: "in every run, at every step from the last When on",
    },
    ModifierPattern { words: "never", of: "Then", meaning: "in no run, at no step from the last When on" },
    ModifierPattern { words: "3 times", of: "actions", meaning: "the action is done 3 times" },
];

/// Time of a `Then`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    /// At some step from the last action on.
    Eventually,
    Immediately,
    /// Within this many of a unit.
    Within(u32, Unit),
    Always,
    Never,
}

/// Piece of a formula, with the places that it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub text: String,
    /// Sentence that it is from.
    pub whole: Span,
    /// Parts that stand in the sentence as they are: their ranges in the piece, and their first bytes in the source.
    pub same: Vec<(Range<usize>, usize)>,
}

/// Meaning of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    pub kind: SentenceKind,
    pub when: When,
    /// Times that the action is done.
    pub times: u32,
    pub piece: Piece,
}

/// Most times that a sentence repeats an action.
const TIMES_MAX: u32 = 100;

/// Word, quoted text or bracket of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Token {
    span: Range<usize>,
    is: TokenKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TokenKind {
    /// Word in small letters.
    Word(String),
    Quoted(String),
    Bracket,
}

impl Token {
    fn word(&self) -> Option<&str> {
        match &self.is {
            TokenKind::Word(word) => Some(word),
            TokenKind::Quoted(_) | TokenKind::Bracket => None,
        }
    }

    fn is(&self, word: &str) -> bool {
        self.word() == Some(word)
    }
}

/// Returns true if `text` is a sentence of a pattern.
pub(super) fn is_known(text: &str) -> bool {
    let mut unused = Diagnostics::default();
    read(text, &|span| span, true, &mut unused).is_some()
}

/// Returns the meaning of the sentence `text`, whose ranges are at `place` in the source. Brackets are read where they stand
/// as they are written, which `is_verbatim` says.
pub(super) fn read(
    text: &str,
    place: &dyn Fn(Span) -> Span,
    is_verbatim: bool,
    diagnostics: &mut Diagnostics,
) -> Option<Meaning> {
    let reader = Reader { text, place, is_verbatim };
    let mut mistakes = Vec::new();
    let meaning = reader.read(&mut mistakes);
    let has_mistakes = !mistakes.is_empty();
    for mistake in mistakes {
        diagnostics.error(|| Diagnostic { span: place(mistake.span.clone()), ..mistake });
    }
    meaning.filter(|_| !has_mistakes)
}

struct Reader<'a> {
    text: &'a str,
    place: &'a dyn Fn(Span) -> Span,
    is_verbatim: bool,
}

impl Reader<'_> {
    fn read(&self, mistakes: &mut Vec<Diagnostic>) -> Option<Meaning> {
        let mut tokens = self.tokens(mistakes)?;
        let whole = 0..self.text.len();
        if tokens.is_empty() {
            let help = "a sentence is like `I click \"OK\"`; `farlead words` lists all";
            mistakes.push(Diagnostic::error("E-sentence", whole, "a sentence is missing here").help(help));
            return None;
        }
        let times = self.take_times(&mut tokens, mistakes)?;
        let (when, taken) = self.take_when(&mut tokens, mistakes)?;
        plain(&mut tokens);
        let found = SENTENCES.iter().find_map(|pattern| Some((pattern, matched(pattern.sentence, &tokens)?)));
        let (kind, piece) = match found {
            Some((pattern, values)) => (pattern.kind, self.piece(pattern.formula, &values, mistakes)?),
            None if self.is_formula(&tokens) => {
                (SentenceKind::State, self.formula(&tokens, taken.as_ref(), mistakes)?)
            }
            None => {
                mistakes.push(self.unknown(&tokens));
                return None;
            }
        };
        Some(Meaning { kind, when, times: times.unwrap_or(1), piece })
            .filter(|meaning| self.fits(meaning, times.is_some(), mistakes))
    }

    fn fits(&self, meaning: &Meaning, has_times: bool, mistakes: &mut Vec<Diagnostic>) -> bool {
        if has_times && meaning.kind != SentenceKind::Action {
            let help = "how often something is seen is said like `I see 3 times \"OK\"`";
            let message = "only an action is done several times";
            mistakes.push(Diagnostic::error("E-sentence", 0..self.text.len(), message).help(help));
            return false;
        }
        true
    }

    fn tokens(&self, mistakes: &mut Vec<Diagnostic>) -> Option<Vec<Token>> {
        let mut tokens: Vec<Token> = Vec::new();
        let mut at = 0;
        while let Some(char) = self.text[at..].chars().next() {
            let rest = &self.text[at..];
            if char.is_whitespace() || char == ',' {
                at += char.len_utf8();
                continue;
            }
            let closing = match char {
                '"' => Some('"'),
                '\'' => Some('\''),
                '“' => Some('”'),
                '«' => Some('»'),
                _ => None,
            };
            if let Some(closing) = closing {
                let inner = at + char.len_utf8();
                let Some(length) = closed_by(&self.text[inner..], closing) else {
                    let message = "this quote is never closed";
                    mistakes.push(
                        Diagnostic::error("E-quote", at..inner, message)
                            .help(format!("a value stands in quotes: `\"...\"`; close it with `{closing}`")),
                    );
                    return None;
                };
                let end = inner + length + closing.len_utf8();
                let value = if char == '"' {
                    unescaped(&self.text[inner..inner + length])
                } else {
                    self.text[inner..inner + length].to_string()
                };
                tokens.push(Token { span: at..end, is: TokenKind::Quoted(value) });
                at = end;
                continue;
            }
            if char == '[' {
                // An open bracket reaches to the end of the sentence, and is a mistake of its formula.
                let end = bracket_end(self.text, at).unwrap_or(self.text.len());
                tokens.push(Token { span: at..end, is: TokenKind::Bracket });
                at = end;
                continue;
            }
            let length = rest
                .find(|char: char| char.is_whitespace() || "\"[“«,".contains(char))
                .unwrap_or(rest.len())
                .max(char.len_utf8());
            push_word(&mut tokens, &rest[..length], at);
            at += length;
        }
        Some(tokens)
    }

    /// Takes `3 times` or `twice` from the end.
    fn take_times(&self, tokens: &mut Vec<Token>, mistakes: &mut Vec<Diagnostic>) -> Option<Option<u32>> {
        let count = tokens.len();
        let (first, number) = match &tokens[..] {
            [.., number, times] if times.is("times") || times.is("time") => (count - 2, number.word()),
            [.., twice] if twice.is("twice") => (count - 1, Some("2")),
            _ => return Some(None),
        };
        let Some(number) = number.filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())) else {
            return Some(None);
        };
        let span = tokens[first].span.start..tokens[count - 1].span.end;
        let Some(times) = number.parse().ok().filter(|times| (1..=TIMES_MAX).contains(times)) else {
            let message = format!("an action is done 1 to {TIMES_MAX} times");
            mistakes.push(Diagnostic::error("E-sentence", span, message));
            return None;
        };
        tokens.truncate(first);
        Some(Some(times))
    }

    /// Takes the words that say when a `Then` holds, and returns their place too.
    fn take_when(
        &self,
        tokens: &mut Vec<Token>,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<(When, Option<Range<usize>>)> {
        let mut when = None;
        let mut taken = None;
        let mut at = 0;
        while at < tokens.len() {
            let word = |at: usize| tokens.get(at).and_then(Token::word).unwrap_or("");
            let unit = UNITS.iter().find(|unit| unit.name == word(at + 2));
            let (found, length) = match (word(at), word(at + 1), word(at + 2), unit) {
                ("immediately", ..) => (When::Immediately, 1),
                ("at", "once", ..) => (When::Immediately, 2),
                ("always", ..) => (When::Always, 1),
                ("never", ..) => (When::Never, 1),
                ("must", "not", ..) => (When::Never, 2),
                // That an app does not crash at one step is no news.
                ("does" | "should" | "will", "not", "crash" | "hang", _) => (When::Never, 2),
                ("within", number, _, Some(unit)) => {
                    let spans = (&tokens[at + 1].span, &tokens[at + 2].span);
                    match within(number, unit, spans) {
                        Ok(found) => (found, 3),
                        Err(mistake) => {
                            mistakes.push(mistake);
                            return None;
                        }
                    }
                }
                _ => {
                    at += 1;
                    continue;
                }
            };
            let span = tokens[at].span.start..tokens[at + length - 1].span.end;
            if when.replace(found).is_some() {
                let message = "a sentence says once when it holds";
                mistakes.push(Diagnostic::error("E-sentence", span, message).help("leave one of them out"));
                return None;
            }
            taken = Some(span);
            tokens.drain(at..at + length);
        }
        Some((when.unwrap_or(When::Eventually), taken))
    }

    /// Returns true if the sentence is a formula of the language.
    fn is_formula(&self, tokens: &[Token]) -> bool {
        match tokens.first() {
            Some(Token { is: TokenKind::Bracket, .. }) => true,
            Some(Token { is: TokenKind::Word(word), .. }) => word.starts_with(['!', '(', '¬']),
            Some(Token { is: TokenKind::Quoted(_), .. }) | None => false,
        }
    }

    /// Returns the formula that the sentence is.
    fn formula(
        &self,
        tokens: &[Token],
        taken: Option<&Range<usize>>,
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Piece> {
        let (first, last) = (tokens.first()?, tokens.last()?);
        let at = first.span.start..last.span.end;
        if let Some(taken) = taken.filter(|taken| at.contains(&taken.start)) {
            let message = format!("`{}` stands before or after a formula", &self.text[taken.clone()]);
            mistakes.push(
                Diagnostic::error("E-sentence", taken.clone(), message)
                    .help("within it, write `G f` for always and `G !f` for never"),
            );
            return None;
        }
        let at = self.sound(at, mistakes)?;
        let mut piece = self.empty();
        let is_atom = tokens.len() == 1 && matches!(first.is, TokenKind::Bracket);
        piece.text.push_str(if is_atom { "" } else { "(" });
        self.push_same(&mut piece, at);
        piece.text.push_str(if is_atom { "" } else { ")" });
        Some(piece)
    }

    /// Returns the place of the formula at `at`, if the grammar takes it. What stands in its brackets is for later.
    fn sound(&self, at: Range<usize>, mistakes: &mut Vec<Diagnostic>) -> Option<Range<usize>> {
        let text = &self.text[at.clone()];
        let mut found = Diagnostics::default();
        let parts = items(text, &mut found);
        let moved = |mistake: Diagnostic| Diagnostic {
            span: mistake.span.start + at.start..mistake.span.end + at.start,
            ..mistake
        };
        if found.errors() > 0 {
            mistakes.extend(found.iter().cloned().map(moved));
            return None;
        }
        let [part] = &parts[..] else { return None };
        if part.kind != ItemKind::Formula {
            let message = "a sentence holds a formula, and no spec";
            mistakes.push(Diagnostic::error("E-item", at, message));
            return None;
        }
        match part.parse::<Grammar, _>(Rule::formula, text, text) {
            Ok(_) => Some(part.span.start + at.start..part.span.end + at.start),
            Err(stop) => {
                mistakes.push(moved(stop.explain()));
                None
            }
        }
    }

    fn empty(&self) -> Piece {
        Piece { text: String::new(), whole: (self.place)(0..self.text.len()), same: Vec::new() }
    }

    /// Adds the part of the sentence at `at` as it is.
    fn push_same(&self, piece: &mut Piece, at: Range<usize>) {
        let start = piece.text.len();
        piece.text.push_str(&self.text[at.clone()]);
        if self.is_verbatim {
            piece.same.push((start..piece.text.len(), (self.place)(at).start));
        }
    }

    /// Returns the formula of a pattern with the values of the sentence in the places of its own.
    fn piece(
        &self,
        formula: &str,
        values: &[(&str, &Token)],
        mistakes: &mut Vec<Diagnostic>,
    ) -> Option<Piece> {
        let mut piece = self.empty();
        let is_long = formula.contains(" & ");
        piece.text.push_str(if is_long { "(" } else { "" });
        let mut rest = formula;
        loop {
            let next = values
                .iter()
                .filter_map(|&(name, token)| Some((rest.find(&in_formula(name))?, name, token)))
                .min_by_key(|&(at, ..)| at);
            let Some((at, name, token)) = next else { break };
            match &token.is {
                TokenKind::Quoted(value) => {
                    piece.text.push_str(&rest[..at]);
                    piece.text.push_str(&quote_value(value));
                }
                TokenKind::Word(number) => {
                    piece.text.push_str(&rest[..at]);
                    // A count of many digits is no number of ours, and the grammar says so.
                    piece.text.push_str(&in_formula(name).replace(NUMBER, number));
                }
                TokenKind::Bracket => {
                    let inside = self.comparisons(token, mistakes)?;
                    // The comparison with the value gives way to those of the bracket.
                    let before = rest[..at].rfind(['[', '(', ',']).map_or(0, |at| at + 1);
                    piece.text.push_str(&rest[..before]);
                    if rest[..before].ends_with(',') {
                        piece.text.push(' ');
                    }
                    self.push_same(&mut piece, inside);
                }
            }
            rest = &rest[at + in_formula(name).len()..];
        }
        piece.text.push_str(rest);
        piece.text.push_str(if is_long { ")" } else { "" });
        Some(piece)
    }

    /// Returns the place of the comparisons in the bracket `token`.
    fn comparisons(&self, token: &Token, mistakes: &mut Vec<Diagnostic>) -> Option<Range<usize>> {
        let at = self.sound(token.span.clone(), mistakes)?;
        let text = &self.text[at.clone()];
        let is_atom = Grammar::parse(Rule::trace_label, text).is_ok();
        if !is_atom || !text.starts_with('[') {
            return None;
        }
        Some(at.start + 1..at.end - 1)
    }

    /// Returns the mistake of a sentence that no pattern has, with the nearest pattern.
    fn unknown(&self, tokens: &[Token]) -> Diagnostic {
        let nearest = SENTENCES.iter().map(|pattern| (distance(pattern.sentence, tokens), pattern));
        let (_, pattern) = nearest.min_by_key(|(distance, _)| *distance).expect("there are patterns");
        let known = SENTENCES.iter().map(|pattern| known_words(pattern.sentence, tokens)).max().unwrap_or(0);
        let stop = tokens.get(known).map_or(0..self.text.len(), |token| token.span.clone());
        // With most words wrong it is another sentence.
        let nothing_fits = distance(pattern.sentence, tokens) > tokens.len();
        let help = if nothing_fits {
            "`farlead words` lists the sentences; an atom like `[text = OK]` says anything else".to_string()
        } else {
            format!("did you mean `{}`? `farlead words` lists the sentences", shown(pattern.sentence))
        };
        Diagnostic::error("E-sentence", stop, "farlead does not know this sentence").help(help)
    }
}

/// Unit of a bound, as sentences name it.
struct NamedUnit {
    name: &'static str,
    unit: Unit,
    /// Number of the unit that one of this name is.
    scale: u32,
}

impl NamedUnit {
    const fn new(name: &'static str, unit: Unit, scale: u32) -> NamedUnit {
        NamedUnit { name, unit, scale }
    }
}

/// Units that sentences may name.
const UNITS: [NamedUnit; 9] = [
    NamedUnit::new("step", Unit::Step, 1),
    NamedUnit::new("steps", Unit::Step, 1),
    NamedUnit::new("second", Unit::Time, 1000),
    NamedUnit::new("seconds", Unit::Time, 1000),
    NamedUnit::new("s", Unit::Time, 1000),
    NamedUnit::new("ms", Unit::Time, 1),
    NamedUnit::new("milliseconds", Unit::Time, 1),
    NamedUnit::new("minute", Unit::Time, 60_000),
    NamedUnit::new("minutes", Unit::Time, 60_000),
];

/// Reads the bound of a `within`: its number and its unit, at these places.
fn within(number: &str, unit: &NamedUnit, (at, unit_at): (&Span, &Span)) -> Result<When, Diagnostic> {
    let (most, span, what, help) = match unit.unit {
        Unit::Step => {
            let what = format!("`{}` is no number of steps", clip(number));
            (STEP_MAX, at.clone(), what, "a number of steps is like `within 3 steps`")
        }
        Unit::Time | Unit::Rest => {
            let what = format!("`{} {}` is no time of up to an hour", clip(number), unit.name);
            (TIME_MAX_MS, at.start..unit_at.end, what, "a time is like `within 3 seconds`")
        }
    };
    let read = number.parse().ok().and_then(|number: u32| number.checked_mul(unit.scale));
    let read = read.filter(|&number| number <= most);
    read.map(|number| When::Within(number, unit.unit))
        .ok_or_else(|| Diagnostic::error("E-sentence", span, what).help(help))
}

/// Number of patterns, which stands for any.
const NUMBER: &str = "3";

/// Returns the sign of a value in a formula of a pattern. A number stands behind its relation.
fn in_formula(name: &str) -> String {
    if name == NUMBER { format!(" {NUMBER}]") } else { name.to_string() }
}

/// Returns the bytes of `text` before `closing`, which `\` may keep from closing.
fn closed_by(text: &str, closing: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, char) in text.char_indices() {
        if char == closing && !is_escaped {
            return Some(at);
        }
        is_escaped = char == '\\' && !is_escaped && closing == '"';
    }
    None
}

/// Returns the text that `written` stands for: escapes as in a formula, and any other backslash as it is.
fn unescaped(written: &str) -> String {
    let mut text = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let (length, char) = escape(rest).unwrap_or((1, '\\'));
        text.push(char);
        rest = &rest[length..];
    }
    text.push_str(rest);
    text
}

/// Returns the length of the escape that `text` starts with, and its character.
fn escape(text: &str) -> Option<(usize, char)> {
    let escape = Grammar::parse(Rule::escape, text).ok()?.as_str();
    Some((escape.len(), unescape(escape)?))
}

/// Adds a word, as two if it is one for two, without a full stop at the end of a sentence.
fn push_word(tokens: &mut Vec<Token>, written: &str, at: usize) {
    let word = written.to_lowercase().replace('’', "'");
    let word = match word.strip_suffix('.') {
        Some(before) if !before.is_empty() => before.to_string(),
        Some(_) => return,
        None => word,
    };
    let span = at..at + written.len();
    let (first, second) = match word.as_str() {
        "cannot" | "can't" => ("can", Some("not")),
        "won't" => ("will", Some("not")),
        "i'm" => ("i", Some("am")),
        word => word.strip_suffix("n't").map_or((word, None), |verb| (verb, Some("not"))),
    };
    for word in [Some(first), second].into_iter().flatten() {
        tokens.push(Token { span: span.clone(), is: TokenKind::Word(word.to_string()) });
    }
}

/// Brings other ways to say the same into the form of patterns.
fn plain(tokens: &mut Vec<Token>) {
    let is = |tokens: &[Token], at: usize, words: &[&str]| {
        tokens.get(at).and_then(Token::word).is_some_and(|word| words.contains(&word))
    };
    // Whoever acts is `I`.
    if is(tokens, 0, &["the"]) && is(tokens, 1, &["user", "tester"]) {
        tokens.remove(0);
    }
    if is(tokens, 0, &["user", "we", "you", "he", "she", "they"]) {
        tokens[0].is = TokenKind::Word("i".to_string());
    }
    if is(tokens, 0, &["i"]) && is(tokens, 1, &["is", "are"]) {
        tokens[1].is = TokenKind::Word("am".to_string());
    }
    let Some(at) = (0..tokens.len()).find(|&at| is(tokens, at, &["should", "can", "will", "must"])) else {
        return;
    };
    let word = |word: &str| TokenKind::Word(word.to_string());
    let has_not = is(tokens, at + 1, &["not"]);
    if is(tokens, at + 1 + usize::from(has_not), &["be"]) {
        // `should not be checked` is `is not checked`; `I should be on` is `I am on`.
        tokens.remove(at + 1 + usize::from(has_not));
        let is_mine = at > 0 && tokens[at - 1].is("i");
        tokens[at].is = word(if is_mine { "am" } else { "is" });
    } else if has_not {
        let is_mine = at > 0 && tokens[at - 1].is("i");
        tokens[at].is = word(if is_mine { "do" } else { "does" });
    } else {
        tokens.remove(at);
    }
}

/// Part of a pattern.
struct PatternWord<'a> {
    text: &'a str,
    may_lack: bool,
}

fn words_of(pattern: &str) -> impl Iterator<Item = PatternWord<'_>> {
    pattern.split(' ').map(|word| match word.strip_prefix('(').and_then(|word| word.strip_suffix(')')) {
        Some(text) => PatternWord { text, may_lack: true },
        None => PatternWord { text: word, may_lack: false },
    })
}

impl PatternWord<'_> {
    fn is_value(&self) -> bool {
        self.text.starts_with('"')
    }

    fn fits(&self, token: &Token) -> bool {
        match &token.is {
            TokenKind::Quoted(_) | TokenKind::Bracket => self.is_value(),
            TokenKind::Word(word) if self.text == NUMBER => {
                !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
            }
            TokenKind::Word(word) => {
                !self.is_value() && self.text.split('/').any(|known| is_word(known, word))
            }
        }
    }
}

/// Returns true if `word` is the word `known` of a pattern, or its form for the third person.
fn is_word(known: &str, word: &str) -> bool {
    let known = known.as_bytes();
    let rest = match word.as_bytes() {
        word if word.len() >= known.len() && word[..known.len()].eq_ignore_ascii_case(known) => {
            &word[known.len()..]
        }
        _ => return false,
    };
    rest.is_empty() || (known.len() > 1 && (rest == b"s" || rest == b"es"))
}

/// Returns the values of the sentence, each with its name in the pattern, if it is one of the pattern.
fn matched<'a>(pattern: &'static str, tokens: &'a [Token]) -> Option<Vec<(&'static str, &'a Token)>> {
    let mut values = Vec::new();
    let mut at = 0;
    for word in words_of(pattern) {
        match tokens.get(at) {
            Some(token) if word.fits(token) => {
                if word.is_value() || word.text == NUMBER {
                    values.push((word.text, token));
                }
                at += 1;
            }
            _ if word.may_lack => {}
            _ => return None,
        }
    }
    (at == tokens.len()).then_some(values)
}

/// Returns the number of tokens at the start that the pattern has too.
fn known_words(pattern: &'static str, tokens: &[Token]) -> usize {
    let mut at = 0;
    for word in words_of(pattern) {
        match tokens.get(at) {
            Some(token) if word.fits(token) => at += 1,
            _ if word.may_lack => {}
            _ => break,
        }
    }
    at
}

/// Returns the words to change, add or leave out to make the sentence one of the pattern, a misspelt word for half.
fn distance(pattern: &'static str, tokens: &[Token]) -> usize {
    let mut row: Vec<usize> = (0..=tokens.len()).map(|count| 2 * count).collect();
    for word in words_of(pattern) {
        let mut next = vec![row[0] + if word.may_lack { 0 } else { 2 }];
        for (at, token) in tokens.iter().enumerate() {
            let change = match token.word() {
                _ if word.fits(token) => 0,
                Some(written) if !word.is_value() && nearest(written, word.text.split('/')).is_some() => 1,
                // A value lost its quotes.
                Some(_) if word.is_value() => 1,
                _ => 3,
            };
            let lacking = row[at + 1] + if word.may_lack { 0 } else { 2 };
            next.push((row[at] + change).min(lacking).min(next[at] + 2));
        }
        row = next;
    }
    row[tokens.len()]
}

/// Returns a pattern as an example: the first of words that are alike, without those that may lack.
pub fn shown(pattern: &str) -> String {
    words_of(pattern)
        .filter(|word| !word.may_lack)
        .map(
            |word| if word.is_value() { word.text } else { word.text.split('/').next().unwrap_or(word.text) },
        )
        .collect::<Vec<_>>()
        .join(" ")
}
