//! The step before the grammar: a model is cut into items, brackets and quotes are matched, nesting is measured.
//!
//! Nothing here calls itself: text of any shape takes one pass.

use super::grammar::Rule;
use crate::gui::nearest;
use crate::text::{
    self, Diagnostic, Diagnostics, crossed, is_word_char, meant, no_item, too_deep, unclosed, unclosed_quote,
};

/// Deepest nesting of brackets, braces and quotes.
pub(super) const NESTING_MAX: usize = 64;

/// Kind of an item, by the word that starts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    App,
    Display,
    Param,
    Stored,
    Session,
    Launch,
    Activity,
    Dialog,
    Popup,
    Part,
    Def,
}

impl ItemKind {
    pub const ALL: [ItemKind; 11] = [
        ItemKind::App,
        ItemKind::Display,
        ItemKind::Param,
        ItemKind::Stored,
        ItemKind::Session,
        ItemKind::Launch,
        ItemKind::Activity,
        ItemKind::Dialog,
        ItemKind::Popup,
        ItemKind::Part,
        ItemKind::Def,
    ];

    /// Returns the word that starts an item of this kind.
    pub fn word(self) -> &'static str {
        match self {
            ItemKind::App => "app",
            ItemKind::Display => "display",
            ItemKind::Param => "param",
            ItemKind::Stored => "stored",
            ItemKind::Session => "session",
            ItemKind::Launch => "launch",
            ItemKind::Activity => "activity",
            ItemKind::Dialog => "dialog",
            ItemKind::Popup => "popup",
            ItemKind::Part => "part",
            ItemKind::Def => "def",
        }
    }

    /// Returns an example of an item of this kind.
    pub fn example(self) -> &'static str {
        match self {
            ItemKind::App => "app org.example.notes \"Notes\" 1.0",
            ItemKind::Display => "display 480x800 240dpi",
            ItemKind::Param => "param fixed = false",
            ItemKind::Stored => "stored notes = list(name), next = 1",
            ItemKind::Session => "session visits = 0",
            ItemKind::Launch => "launch Main",
            ItemKind::Activity => "activity Main .MainActivity { ... }",
            ItemKind::Dialog => "dialog Confirm (note) { ... }",
            ItemKind::Popup => "popup Menu { ... }",
            ItemKind::Part => "part row(title) { ... }",
            ItemKind::Def => "def save(note) { ... }",
        }
    }

    /// Returns the rule that reads an item of this kind.
    pub fn rule(self) -> Rule {
        match self {
            ItemKind::App => Rule::app_item,
            ItemKind::Display => Rule::display_item,
            ItemKind::Param | ItemKind::Stored | ItemKind::Session => Rule::variable_item,
            ItemKind::Launch => Rule::launch_item,
            ItemKind::Activity => Rule::activity_item,
            ItemKind::Dialog | ItemKind::Popup => Rule::dialog_item,
            ItemKind::Part => Rule::part_item,
            ItemKind::Def => Rule::def_item,
        }
    }

    fn has_braces(self) -> bool {
        match self {
            ItemKind::Activity | ItemKind::Dialog | ItemKind::Popup | ItemKind::Part | ItemKind::Def => true,
            ItemKind::App
            | ItemKind::Display
            | ItemKind::Param
            | ItemKind::Stored
            | ItemKind::Session
            | ItemKind::Launch => false,
        }
    }

    fn of(word: &str) -> Option<ItemKind> {
        ItemKind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Returns the kind whose word is nearest to `word`.
    fn meant(word: &str) -> Option<ItemKind> {
        let near = nearest(word, ItemKind::ALL.map(ItemKind::word))?;
        ItemKind::of(near)
    }
}

/// Part of a model that is read by itself. An item of unknown kind is reported.
pub(super) type Item = text::Item<Option<ItemKind>>;

/// Cuts `text` into its items, and marks those that the grammar must not be asked about.
pub(super) fn items(text: &str, diagnostics: &mut Diagnostics) -> Vec<Item> {
    let mut scanner = Scanner {
        text,
        at: 0,
        open: Vec::new(),
        deeper: 0,
        suspect: None,
        items: Vec::new(),
        is_complete: true,
        diagnostics,
    };
    scanner.scan();
    scanner.items
}

/// Sign that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Bracket,
    Brace,
    Quote,
    /// `{` in a text.
    Hole,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    open: Vec<(Open, usize)>,
    /// Number of open signs beyond the bound, which are counted alone.
    deeper: usize,
    /// Sign that was closed at the margin while others were open. Most likely its own closing sign is missing.
    suspect: Option<(Open, usize)>,
    items: Vec<Item>,
    /// True after the braces of the item at hand: another item comes next.
    is_complete: bool,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Scanner<'a> {
    fn scan(&mut self) {
        while let Some(char) = self.rest().chars().next() {
            if self.open.last().is_some_and(|&(open, _)| open == Open::Quote) {
                self.in_text(char);
                continue;
            }
            match char {
                '#' if self.rest()[1..].chars().next().is_none_or(char::is_whitespace) => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                // A line break within a value in a text ends the text too.
                '\n' if self.is_in_text() => self.unclosed_text(),
                _ if char.is_whitespace() => self.at += char.len_utf8(),
                '(' => self.push(Open::Bracket),
                '{' => self.push(Open::Brace),
                '"' => self.push(Open::Quote),
                ')' | '}' => self.close(char),
                _ if is_token_char(char) => self.token(),
                _ => self.advance(char.len_utf8()),
            }
        }
        self.end_item();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Steps over bytes that belong to an item.
    fn advance(&mut self, bytes: usize) {
        self.in_item();
        self.at += bytes;
        if let Some(item) = self.items.last_mut() {
            item.span.end = self.at;
        }
    }

    /// Starts an item of unknown kind if the next sign belongs to none.
    fn in_item(&mut self) {
        if self.is_complete && self.open.is_empty() {
            self.start_item(None, self.at);
            let found = self.rest().chars().next().map_or(0, char::len_utf8);
            let span = self.at..self.at + found;
            self.diagnostics.error(|| no_item(span.clone(), &self.text[span]).help(item_words()));
        }
    }

    fn start_item(&mut self, kind: Option<ItemKind>, at: usize) {
        self.end_item();
        self.deeper = 0;
        self.is_complete = false;
        self.items.push(Item { kind, span: at..at, is_sound: kind.is_some() });
    }

    /// Reports a sign that the item at hand leaves open.
    fn end_item(&mut self) {
        // A brace that is not closed takes the one that closes the item. The first brace is left open then.
        let innermost = self.open.last().filter(|(open, _)| *open != Open::Brace);
        let suspect = self.suspect.take();
        let Some(&(open, at)) = innermost.or(suspect.as_ref()).or(self.open.first()) else { return };
        let (sign, close) = match open {
            Open::Bracket => ("(", ")"),
            Open::Brace | Open::Hole => ("{", "}"),
            Open::Quote => ("\"", "\""),
        };
        self.unsound(|| unclosed(at, sign, close));
        self.open.clear();
    }

    /// Reports the first mistake in the brackets of the item at hand.
    fn unsound(&mut self, make: impl FnOnce() -> Diagnostic) {
        match self.items.last_mut() {
            // Later mistakes mostly follow from the first one.
            Some(item) if !item.is_sound => {}
            Some(item) => {
                item.is_sound = false;
                self.diagnostics.error(make);
            }
            None => self.diagnostics.error(make),
        }
    }

    fn push(&mut self, open: Open) {
        let at = self.at;
        self.advance(1);
        // A quote is always kept: signs in a text must not count as brackets.
        if self.open.len() < NESTING_MAX || open == Open::Quote {
            self.open.push((open, at));
        } else {
            self.deeper += 1;
        }
        if self.open.len() > NESTING_MAX || self.deeper > 0 {
            self.unsound(|| {
                too_deep(at..at + 1, "brackets, braces and quotes", NESTING_MAX)
                    .help("move what is inside into a `part` or a `def`")
            });
        }
    }

    fn close(&mut self, char: char) {
        let at = self.at;
        if self.deeper > 0 {
            self.deeper -= 1;
            return self.advance(1);
        }
        let top = self.open.last().copied();
        let fits = match top {
            Some((Open::Bracket, _)) => char == ')',
            Some((Open::Brace | Open::Hole, _)) => char == '}',
            Some((Open::Quote, _)) | None => false,
        };
        if fits {
            // Braces at the margin close items, as everybody indents.
            let is_at_margin = self.text[..at].ends_with('\n');
            self.advance(1);
            self.open.pop();
            if is_at_margin && !self.open.is_empty() {
                self.suspect = self.suspect.or(top);
            }
        } else if let Some((open, open_at)) = top {
            let sign = if open == Open::Bracket { "(" } else { "{" };
            let close = if open == Open::Bracket { ")" } else { "}" };
            self.unsound(|| crossed(open_at, sign, char, close));
            self.advance(1);
            // The sign closes the next open one that fits.
            let fits = |open: Open| (open == Open::Bracket) == (char == ')');
            if let Some(place) = self.open.iter().rposition(|&(open, _)| fits(open)) {
                self.open.truncate(place);
            }
        } else {
            // It belongs to the item before: another item comes next in any case.
            let unsound = || {
                Diagnostic::error("E-bracket", at..at + 1, format!("this `{char}` closes nothing"))
                    .help("leave it out, or open it before")
            };
            self.unsound(unsound);
            self.at += 1;
            return;
        }
        if self.open.is_empty()
            && self.items.last().is_some_and(|item| item.kind.is_none_or(ItemKind::has_braces))
        {
            // After `}` the item is over; after `)` its braces are still to come.
            self.is_complete = char == '}';
        }
    }

    fn is_in_text(&self) -> bool {
        self.open.iter().any(|&(open, _)| open == Open::Quote)
    }

    /// Steps over the next part of a text.
    fn in_text(&mut self, char: char) {
        let rest = self.rest();
        match char {
            '"' => {
                self.advance(1);
                self.open.pop();
            }
            '\n' => self.unclosed_text(),
            '{' if !rest.starts_with("{{") => self.push(Open::Hole),
            '{' => self.advance(2),
            // The brace of `\u{e9}` opens no value.
            '\\' if rest.starts_with("\\u{") => {
                let line = rest.split('\n').next().unwrap_or(rest);
                self.advance(
                    line.find(['}', '"']).map_or(3, |end| end + usize::from(line[end..].starts_with('}'))),
                );
            }
            '\\' => {
                let escaped = rest[1..].chars().next().filter(|&char| char != '\n').map_or(0, char::len_utf8);
                self.advance(1 + escaped);
            }
            _ => self.advance(char.len_utf8()),
        }
    }

    /// Goes on after a line that ends in a text.
    fn unclosed_text(&mut self) {
        let Some(place) = self.open.iter().position(|&(open, _)| open == Open::Quote) else { return };
        let at = self.open[place].1;
        self.unsound(|| unclosed_quote(at, "a line break in a text is `\\n`, a brace `{{`"));
        // The line break ends the text, so that one forgotten quote spoils one item.
        self.open.truncate(place);
        self.at += 1;
    }

    /// Steps over a word, which may start an item.
    fn token(&mut self) {
        let rest = self.rest();
        let token = &rest[..rest.find(|char| !is_token_char(char)).unwrap_or(rest.len())];
        let is_at_margin = self.at == 0 || self.text[..self.at].ends_with('\n');
        let known = ItemKind::of(token);
        let at = self.at;
        if self.open.is_empty() {
            if let Some(kind) = known.filter(|_| !self.is_name_due()) {
                self.start_item(Some(kind), at);
            } else if self.is_complete || (is_at_margin && self.may_end_before(token)) {
                let kind = ItemKind::meant(token);
                self.start_item(kind, at);
                let help = kind.map_or_else(item_words, |kind| meant(kind.word()));
                self.diagnostics.error(|| no_item(at..at + token.len(), token).help(help));
            }
        } else if is_at_margin && known.is_some() && !self.is_in_text() {
            // Lines in braces are indented, and no name is an item word.
            self.start_item(known, at);
        }
        self.advance(token.len());
    }

    /// Returns true if a name is due in this line. An item word cannot be one, and is reported later.
    fn is_name_due(&self) -> bool {
        let Some(item) = self.items.last().filter(|_| !self.is_complete) else { return false };
        let so_far = &self.text[item.span.clone()];
        let is_same_line = !self.text[item.span.end..self.at].contains('\n');
        is_same_line && (so_far.ends_with(',') || item.kind.is_some_and(|kind| kind.word() == so_far))
    }

    /// Returns true if an item without braces can have ended before a line that starts with `token`.
    fn may_end_before(&self, token: &str) -> bool {
        let Some(item) = self.items.last() else { return true };
        let is_open_ended =
            self.text[item.span.clone()].ends_with([',', '=', '+', '-', '*', '/', '?', ':', '|', '&']);
        item.kind.is_some_and(|kind| !kind.has_braces()) && !is_open_ended && ItemKind::meant(token).is_some()
    }
}

/// Returns true if a word with signs in it, like `org.example`, may go on with `char`.
fn is_token_char(char: char) -> bool {
    is_word_char(char) || matches!(char, '.' | '$' | '/' | ':') || !char.is_ascii() && !char.is_whitespace()
}

fn item_words() -> String {
    format!("items start with {}", ItemKind::ALL.map(ItemKind::word).join(", "))
}
