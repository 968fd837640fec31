//! Explanations of the places where the grammar of models stopped: the mistake, and its mending.

use super::grammar::{Grammar, Rule};
use super::items::ItemKind;
use crate::gui::nearest;
use crate::text::{Diagnostic, Stop, clip, did_you_mean, is_rule, meant};

/// Words that start an effect.
const EFFECT_WORDS: [&str; 18] = [
    "let", "add", "remove", "clear", "open", "finish", "show", "close", "leave", "toast", "wait", "after",
    "chance", "if", "for", "keyboard", "crash", "anr",
];

/// Words that stand among widgets.
const NODE_WORDS: [&str; 9] = ["when", "for", "use", "let", "on", "own", "every", "content", "else"];

/// Words of attributes.
const ATTRIBUTE_WORDS: [&str; 18] = [
    "desc",
    "hint",
    "at",
    "tall",
    "wide",
    "across",
    "scrolls",
    "clickable",
    "longclickable",
    "checkable",
    "checked",
    "enabled",
    "disabled",
    "selected",
    "password",
    "edits",
    "solid",
    "when",
];

/// Operators of other languages and ours, with the longer before those that they start with.
const SIGNS_ELSEWHERE: [(&str, &str); 9] = [
    ("===", "=="),
    ("=>", ">="),
    ("=<", "<="),
    ("=", "=="),
    ("&", "&&"),
    ("|", "||"),
    ("~", "contains(text, part)"),
    ("^", "!="),
    ("??", "or"),
];

/// Operators of other languages that are words, and ours.
const WORDS_ELSEWHERE: [(&str, &str); 5] =
    [("and", "&&"), ("is", "=="), ("mod", "%"), ("equals", "=="), ("div", "/")];

const EFFECTS_HELP: &str = "effects are like `x = 1`, `open Main`, `toast \"Saved\"`, `save(note)`";
const BRACKETS_HELP: &str =
    "what an attribute takes stands in brackets if it is not one value: `when (a == b)`";
const WIDGETS_HELP: &str =
    "a widget is like `Button #save \"Save\" -> save(note)`; its class starts with a capital";

impl<'a> Stop<'a, Rule, Option<ItemKind>> {
    /// Returns the mistake at this place.
    pub(super) fn explain(&self) -> Diagnostic {
        let rest = self.rest();
        if self.expects(Rule::raw) {
            return self.in_text();
        }
        if rest.starts_with('#') {
            return self.here("`#` starts an id like `#save`").help("a comment has a blank after its `#`");
        }
        if rest.starts_with("//") || rest.starts_with("/*") {
            return self.here("this is no comment").help("a comment starts with `#` and a blank");
        }
        if rest.starts_with('\'') {
            return self.here("`'` means nothing here").help("a text stands in `\"...\"`");
        }
        // The most telling rule first: where an operator is due, much else is too.
        if self.expects(Rule::infix) {
            self.after_value()
        } else if self.expects(Rule::class) {
            self.among_widgets()
        } else if self.expects(Rule::package) {
            self.no_item()
        } else if self.expects(Rule::name) && !self.expects(Rule::leave) {
            self.no_name()
        } else if self.expects_value() {
            self.no_value()
        } else if self.expects(Rule::duration) {
            self.missing("a time").help("a time is like `300ms` or `2s`")
        } else if self.expects(Rule::assign) {
            self.no_effect()
        } else if self.expects(Rule::leave) || self.expects(Rule::effects) {
            self.missing("an effect").help(EFFECTS_HELP)
        } else if self.expects(Rule::turning) {
            self.in_head()
        } else if self.expected == [Rule::dot] {
            self.misplaced().help(BRACKETS_HELP)
        } else {
            self.no_sign().unwrap_or_else(|| self.no_item())
        }
    }

    fn expects_value(&self) -> bool {
        [Rule::chain, Rule::operand, Rule::simple, Rule::expression, Rule::coordinate, Rule::path]
            .into_iter()
            .any(|rule| self.expects(rule))
    }

    /// Returns the first sign after the word that could not be read.
    fn next(&self) -> Option<char> {
        self.rest()[self.word().len()..].trim_start().chars().next()
    }

    /// Returns the error for a word or sign in a place that nothing gives a meaning to.
    fn misplaced(&self) -> Diagnostic {
        self.here(format!("`{}` cannot stand here", clip(self.found())))
    }

    /// Returns the error for `what`, which is due and missing.
    fn missing(&self, what: &str) -> Diagnostic {
        match (self.found(), self.previous()) {
            ("", "") => self.here(format!("{what} is missing")),
            ("", previous) => self.here(format!("{what} is missing after `{}`", clip(previous))),
            (found, _) => self.here(format!("{what} is missing before `{}`", clip(found))),
        }
    }

    fn in_text(&self) -> Diagnostic {
        let rest = self.rest();
        if rest.starts_with('}') {
            return self.here("a brace in a text is written twice").help("write `}}`");
        }
        // The backslash and the sign after it.
        let escape: String = rest.chars().take(2).collect();
        let message = format!("there is no `{}`", clip(&escape));
        let help = r#"a text knows `\"`, `\\`, `\n` and `\u{e9}`"#;
        self.error("E-escape", self.at..self.at + escape.len(), message).help(help)
    }

    /// Explains a place after a complete value, where an operator or its end is due.
    fn after_value(&self) -> Diagnostic {
        let rest = self.rest();
        let word = self.word();
        let elsewhere = match word {
            "" => SIGNS_ELSEWHERE.iter().find(|(theirs, _)| rest.starts_with(theirs)),
            word => WORDS_ELSEWHERE.iter().find(|(theirs, _)| *theirs == word),
        };
        // `add notes(name = x)`, as other languages name their arguments.
        if rest.starts_with('=') && !rest.starts_with("==") && self.expects(Rule::colon) {
            return self.here("a field and its value have a `:` between them").help("write `name: value`");
        }
        if let Some((theirs, ours)) = elsewhere {
            return self.elsewhere(self.at, theirs, ours);
        }
        if self.previous() == "not" {
            return self.elsewhere(self.before().len() - "not".len(), "not", "!");
        }
        // An effect after a complete one lacks its `;`.
        if self.expects(Rule::semicolon) && self.is_effect_ahead() {
            return self.no_semicolon();
        }
        if self.expects(Rule::class) {
            return self.among_widgets();
        }
        // Only declarations of variables end here or go on with a comma.
        if self.expects(Rule::EOI) && self.expects(Rule::comma) && !word.is_empty() {
            return self.missing("a `,`").help("several variables are parted by `,`");
        }
        if let Some(diagnostic) = self.no_sign() {
            return diagnostic;
        }
        self.here(format!("`{}` neither goes on with the value before it nor ends it", clip(self.found())))
            .help("operators are || && == != < <= > >= + - * / % or")
    }

    /// Returns true if an effect seems to follow.
    fn is_effect_ahead(&self) -> bool {
        let word = self.word();
        !word.is_empty()
            && (EFFECT_WORDS.contains(&word) && !NODE_WORDS.contains(&word)
                || matches!(self.next(), Some('=' | '+' | '-' | '(' | '.'))
                    && !word.starts_with(char::is_uppercase))
    }

    fn no_semicolon(&self) -> Diagnostic {
        let at = self.before().len();
        self.error("E-syntax", at..at, "a `;` is missing here")
            .help("effects that follow each other are parted by `;`")
    }

    /// Explains a place where a widget or an attribute is due.
    fn among_widgets(&self) -> Diagnostic {
        let (found, word) = (self.found(), self.word());
        let has_widget = self.expects(Rule::attribute);
        if self.expects(Rule::semicolon) && self.is_effect_ahead() {
            return self.no_semicolon();
        }
        let said = match word {
            "" => None,
            "if" => Some("write `when E { ... }` among widgets"),
            "else" => Some("an `else` follows the `}` of a `when` or an `if`"),
            "text" if has_widget => Some("the text of a widget stands by itself: `\"Save\"`, or `(E)`"),
            "id" if has_widget => Some("an id stands by itself: `#save`"),
            "click" | "onclick" | "onClick" => Some("what a click does stands after `->`"),
            "visible" | "hidden" | "gone" => Some("`when E` says when a widget is there"),
            "width" => Some("write `wide`"),
            "height" => Some("write `tall`"),
            "ms" | "s" if self.previous().ends_with(|char: char| char.is_ascii_digit()) => {
                Some("a time has no blank in it: `300ms`")
            }
            "content_desc" | "description" => Some("write `desc`"),
            word if EFFECT_WORDS.contains(&word) => Some("effects stand after `->` or `on EVENT:`"),
            _ => None,
        };
        if let Some(help) = said {
            return self.misplaced().help(help);
        }
        // `#note` in place of `# note` reads as an id, and the words after it as attributes.
        let line = self.text[..self.at].rsplit('\n').next().unwrap_or("").trim_start();
        if line.starts_with('#') && !line.contains(['"', '(']) {
            return self.misplaced().help("a comment has a blank after its `#`");
        }
        if word.is_empty() {
            return match found {
                ";" => self.here("`;` parts effects, and not widgets").help("leave it out"),
                "," => self.here("nothing parts widgets and attributes").help("leave it out"),
                "" => self.missing("a `}`").help("close the braces"),
                _ if has_widget && "=<>!&|+-*/%.(?".contains(found) => self.misplaced().help(BRACKETS_HELP),
                _ => self.misplaced().help(WIDGETS_HELP),
            };
        }
        // Attributes are known only after a class.
        let attributes = ATTRIBUTE_WORDS.iter().copied().filter(|_| has_widget);
        if let Some(near) = nearest(word, attributes.chain(NODE_WORDS)) {
            let mistake = match ATTRIBUTE_WORDS.contains(&near) {
                true => self.here(format!("there is no attribute `{}`", clip(word))),
                false => self.misplaced(),
            };
            return mistake.help(meant(near));
        }
        match self.next() {
            Some('(') => self.misplaced().help(format!(
                "a part is put in with `use {0}(...)`, a def is called after `->`",
                clip(word)
            )),
            Some('=' | '+' | '-') => self
                .here(format!("`{}` cannot be set among widgets", clip(word)))
                .help("effects stand after `->` or `on EVENT:`; a variable is declared with `own`"),
            _ => {
                self.here(format!("`{}` is neither a widget nor an attribute", clip(word))).help(WIDGETS_HELP)
            }
        }
    }

    fn no_name(&self) -> Diagnostic {
        let word = self.word();
        if is_reserved(word) {
            let message = format!("`{word}` is a word of the language, and no name");
            return self
                .error("E-reserved", self.at..self.at + word.len(), message)
                .help("choose another name");
        }
        if !word.is_empty() {
            return self
                .here(format!("`{}` can be no name", clip(word)))
                .help("names are letters, digits and `_`, and start with no digit");
        }
        let help = match self.previous() {
            "open" => "write `open Main`",
            "show" => "write `show Confirm(note)`",
            "use" => "write `use row(\"Title\")`",
            "edits" => "write `edits x`, with a variable or a field of a record",
            "own" => "write `own x = 0`",
            "for" => "write `for n in notes { ... }`",
            "in" => "write `in` and a list, or numbers like `0..9`",
            _ => return self.missing("a name").help(self.like()),
        };
        self.missing("a name").help(help)
    }

    fn no_value(&self) -> Diagnostic {
        let word = self.word();
        let help = "a value is a number, `true`, `false`, `none`, a `\"text\"`, a name, or more in brackets";
        if word.starts_with(|char: char| char.is_ascii_digit()) {
            let message = format!("`{}` is no number", clip(word));
            return self.here(message).help("numbers are whole and have no unit");
        }
        if is_reserved(word) {
            return self.here(format!("a value is missing before `{word}`")).help(help);
        }
        if self.rest().starts_with('=') {
            return self.misplaced().help("`==` compares, `=` sets");
        }
        self.missing("a value").help(help)
    }

    /// Explains a word in the place of an effect that does not go on as one.
    fn no_effect(&self) -> Diagnostic {
        let previous = self.previous();
        let at = self.before().len() - previous.len();
        let span = at..at + previous.len();
        let rest = self.rest();
        // The sign of an assignment is due after a name.
        if rest.starts_with("++") || rest.starts_with("--") {
            return self.elsewhere(self.at, &rest[..2], &format!("{}= 1", &rest[..1]));
        }
        if rest.starts_with("==") {
            return self.here("`==` compares").help("`=` sets");
        }
        if rest.starts_with(":=") {
            return self.elsewhere(self.at, ":=", "=");
        }
        if let Some(near) = nearest(previous, EFFECT_WORDS) {
            let message = format!("there is no effect `{}`", clip(previous));
            return self.error("E-effect", span, message).help(meant(near));
        }
        let message = format!("`{}` is no effect", clip(previous));
        let help = match previous.starts_with(char::is_uppercase) {
            true => {
                "after a `;` comes an effect; widgets stand in the braces of windows, parts and other widgets"
                    .to_string()
            }
            false => format!("`{0} = E` sets it, `{0}(...)` calls a def", clip(previous)),
        };
        self.error("E-effect", span, message).help(help)
    }

    /// Explains a place between the name of a window and its braces.
    fn in_head(&self) -> Diagnostic {
        let word = self.word();
        if word.is_empty() {
            let help = match self.kind {
                Some(ItemKind::Dialog | ItemKind::Popup) if self.rest().starts_with('.') => {
                    "dialogs have no class"
                }
                _ => self.example(),
            };
            return self.missing("a `{`").help(help);
        }
        let known = ["portrait", "landscape", "relaid", "awake", "modal", "in"];
        let help = did_you_mean(word, known, || {
            format!("after the name may come {}, parameters in brackets, and then braces", known.join(", "))
        });
        self.here(format!("`{}` says nothing of a window", clip(word))).help(help)
    }

    /// Explains a place where one certain sign is due; `None` anywhere else.
    fn no_sign(&self) -> Option<Diagnostic> {
        // `on every 2s`: the word was read as an event.
        if self.expects(Rule::event_name) && self.previous() == "every" {
            return Some(self.missing("a `:`").help("write `every 2s: effects` without `on`"));
        }
        let signs = [
            (Rule::in_word, "`in`", "write `for n in notes`, or `for i in 0..9`"),
            (Rule::share, "a share", "a `chance` is like `chance { 5% { ... } else { ... } }`"),
            (Rule::equals, "a `=`", "a variable has a first value: `x = 0`"),
            (Rule::event_name, "a `:`", "write `on EVENT: effects`, or `on EVENT when E: effects`"),
            (Rule::word, "an event", "events are like `create`, `back`, `longclick`"),
            (Rule::activity_class, "a class", "an activity is like `activity Main .MainActivity { ... }`"),
            (Rule::version, "a version", "the app is like `app org.example.notes \"Notes\" 1.0`"),
            (Rule::size, "a size", "a display is like `display 480x800 240dpi`"),
            (Rule::density, "a density", "a display is like `display 480x800 240dpi`"),
            (Rule::field, "a field", "a field is a name, as declared with its list"),
            (Rule::colon, "a `:`", "`on EVENT: effects`, `c ? a : b`, `add notes(name: E)` have one"),
            (Rule::close, "a `)`", "close the bracket, or part values by `,`"),
            (Rule::open_brace, "a `{`", "open the braces"),
            (Rule::semicolon, "a `;`", "effects that follow each other are parted by `;`"),
            (Rule::close_brace, "a `}`", "close the braces"),
            (Rule::comma, "a `,`", "bounds are like `at 0,0 480,800`"),
        ];
        // At the end of an item a comma is one of several ways to go on.
        let is_end = self.expects(Rule::EOI);
        let (_, what, help) =
            signs.into_iter().find(|&(rule, ..)| self.expects(rule) && !(is_end && rule == Rule::comma))?;
        Some(self.missing(what).help(help))
    }

    fn like(&self) -> String {
        format!("this item is like `{}`", self.example())
    }

    fn example(&self) -> &'static str {
        self.kind.expect("what was parsed has a kind").example()
    }

    fn no_item(&self) -> Diagnostic {
        let help = self.like();
        match self.found() {
            "" => self.here("the item ends too early").help(help),
            found if self.expects(Rule::EOI) && self.expects(Rule::comma) => {
                self.here(format!("a `,` is missing before `{}`", clip(found))).help(help)
            }
            _ => self.misplaced().help(help),
        }
    }
}

fn is_reserved(word: &str) -> bool {
    is_rule::<Grammar, _>(Rule::reserved, word)
}
