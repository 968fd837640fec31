//! Atoms: the brackets of a formula, each a statement about a step, checked and in one canonical form.
//!
//! Two spellings of an atom have one text, and that text is its name in
//! [`Formulas::atom`](crate::ltl::Formulas::atom).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::action_type::{ActionType, START_TYPE};
use super::constant::{Constant, Number, regex};
use super::nearest::nearest;
use super::pattern::Pattern;
use super::term::Term;

/// Property that a comparison looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are those of the language")]
pub enum Key {
    Package,
    Activity,
    Text,
    Desc,
    Id,
    ObjectId,
    Class,
    Tag,
    Role,
    Name,
    Checked,
    Enabled,
    Focused,
    Selected,
    Password,
    Scrollable,
    Screen,
    Orientation,
    Network,
    Crashed,
    Crash,
    Anr,
    Keyboard,
    Console,
    Status,
    ActionType,
    ActionDetail,
    ActionObjectId,
    ActionText,
}

/// Kind of thing that all keys of an atom are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The screen as a whole, one at each step.
    State,
    /// A visible widget, many at each step.
    Widget,
    /// The action, one at each step.
    Action,
}

/// Values that a key can have.
enum Domain {
    Flag,
    Words(&'static [&'static str]),
    /// One text.
    Text,
    /// One text, which may be a number.
    Quantity,
    /// Several names of one thing, a full one and short ones.
    Names,
    /// Any of several texts.
    Texts,
    ActionType,
}

impl Key {
    /// All keys, in the order in which an atom prints them.
    pub const ALL: [Key; 29] = [
        Key::Package,
        Key::Activity,
        Key::Text,
        Key::Desc,
        Key::Id,
        Key::ObjectId,
        Key::Class,
        Key::Tag,
        Key::Role,
        Key::Name,
        Key::Checked,
        Key::Enabled,
        Key::Focused,
        Key::Selected,
        Key::Password,
        Key::Scrollable,
        Key::Screen,
        Key::Orientation,
        Key::Network,
        Key::Crashed,
        Key::Crash,
        Key::Anr,
        Key::Keyboard,
        Key::Console,
        Key::Status,
        Key::ActionType,
        Key::ActionDetail,
        Key::ActionObjectId,
        Key::ActionText,
    ];

    /// Returns the key as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Key::Package => "package",
            Key::Activity => "activity",
            Key::Text => "text",
            Key::Desc => "desc",
            Key::Id => "id",
            Key::ObjectId => "objectID",
            Key::Class => "class",
            Key::Tag => "tag",
            Key::Role => "role",
            Key::Name => "name",
            Key::Checked => "checked",
            Key::Enabled => "enabled",
            Key::Focused => "focused",
            Key::Selected => "selected",
            Key::Password => "password",
            Key::Scrollable => "scrollable",
            Key::Screen => "screen",
            Key::Orientation => "orientation",
            Key::Network => "network",
            Key::Crashed => "crashed",
            Key::Crash => "crash",
            Key::Anr => "anr",
            Key::Keyboard => "keyboard",
            Key::Console => "console",
            Key::Status => "status",
            Key::ActionType => "actionType",
            Key::ActionDetail => "actionDetail",
            Key::ActionObjectId => "actionObjectID",
            Key::ActionText => "actionText",
        }
    }

    /// Returns the key written `name`, or the mistake in it.
    pub fn parse(name: &str) -> Result<Key, Mistake> {
        if let Some(&key) = Key::ALL.iter().find(|key| key.name() == name) {
            return Ok(key);
        }
        // Names that Android and other tools have for the same property.
        let elsewhere = match name {
            "resource-id" | "resourceId" | "resource_id" => Some("id"),
            "content-desc" | "contentDescription" | "content_desc" | "description" | "hint" => Some("desc"),
            "className" | "class_name" => Some("class"),
            _ => None,
        };
        let help = match elsewhere.or_else(|| nearest(name, Key::ALL.iter().map(|key| key.name()))) {
            Some(near) => format!("did you mean `{near}`?"),
            None if name == "count" => "a count is like `[count(text ~ Note) >= 2]`".to_string(),
            None => format!("known keys: {}", Key::ALL.map(Key::name).join(" ")),
        };
        Err(Mistake {
            code: "E-unknown-key",
            part: Part::Key,
            message: format!("there is no key `{name}`"),
            help,
        })
    }

    /// Returns the kind of thing that the key is about.
    pub fn kind(self) -> Kind {
        match self {
            Key::Package
            | Key::Activity
            | Key::Screen
            | Key::Orientation
            | Key::Network
            | Key::Crashed
            | Key::Crash
            | Key::Anr
            | Key::Keyboard
            | Key::Console
            | Key::Status => Kind::State,
            Key::Text
            | Key::Desc
            | Key::Id
            | Key::ObjectId
            | Key::Class
            | Key::Tag
            | Key::Role
            | Key::Name
            | Key::Checked
            | Key::Enabled
            | Key::Focused
            | Key::Selected
            | Key::Password
            | Key::Scrollable => Kind::Widget,
            Key::ActionType | Key::ActionDetail | Key::ActionObjectId | Key::ActionText => Kind::Action,
        }
    }

    /// Returns the only values that the key can have, if they are few words.
    pub fn words(self) -> Option<&'static [&'static str]> {
        match self.domain() {
            Domain::Flag => Some(&["true", "false"]),
            Domain::Words(words) => Some(words),
            Domain::Text | Domain::Quantity | Domain::Names | Domain::Texts | Domain::ActionType => None,
        }
    }

    fn domain(self) -> Domain {
        match self {
            Key::Checked
            | Key::Enabled
            | Key::Focused
            | Key::Selected
            | Key::Password
            | Key::Scrollable
            | Key::Crashed
            | Key::Anr
            | Key::Keyboard => Domain::Flag,
            Key::Screen | Key::Network => Domain::Words(&["on", "off"]),
            Key::Orientation => Domain::Words(&["portrait", "landscape"]),
            Key::Package
            | Key::ObjectId
            | Key::Tag
            | Key::Role
            | Key::Crash
            | Key::Console
            | Key::ActionObjectId => Domain::Text,
            Key::Text | Key::Desc | Key::Name | Key::Status | Key::ActionText => Domain::Quantity,
            Key::Activity | Key::Id | Key::Class => Domain::Names,
            Key::ActionDetail => Domain::Texts,
            Key::ActionType => Domain::ActionType,
        }
    }
}

/// Comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `~`: contains a text, or matches a regular expression somewhere.
    Contains,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Op {
    /// All operators.
    pub const ALL: [Op; 7] =
        [Op::Equal, Op::NotEqual, Op::Contains, Op::Less, Op::AtMost, Op::Greater, Op::AtLeast];

    /// Returns the operator as it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Op::Equal => "=",
            Op::NotEqual => "!=",
            Op::Contains => "~",
            Op::Less => "<",
            Op::AtMost => "<=",
            Op::Greater => ">",
            Op::AtLeast => ">=",
        }
    }

    /// Returns the operator written `sign`, in plain or mathematical signs.
    pub fn parse(sign: &str) -> Option<Op> {
        let plain = match sign {
            "∼" => "~",
            "≠" => "!=",
            "≤" => "<=",
            "≥" => ">=",
            _ => sign,
        };
        Op::ALL.into_iter().find(|op| op.sign() == plain)
    }

    /// Returns true if `left` compares with `number` in this way.
    pub fn holds(self, left: Number, number: Number) -> bool {
        match self {
            Op::Equal => left == number,
            Op::NotEqual => left != number,
            Op::Contains => false,
            Op::Less => left < number,
            Op::AtMost => left <= number,
            Op::Greater => left > number,
            Op::AtLeast => left >= number,
        }
    }

    fn is_order(self) -> bool {
        match self {
            Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => true,
            Op::Equal | Op::NotEqual | Op::Contains => false,
        }
    }
}

/// Action types that an atom may name.
#[derive(Clone, Copy, Debug)]
pub enum ActionTypes<'a> {
    /// Any type, as in a trace without its app.
    Any,
    /// The built-in types and these of the user's.
    Declared(&'a BTreeSet<String>),
}

/// `key op value`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Comparison {
    /// Property that is looked at.
    pub key: Key,
    /// Operator.
    pub op: Op,
    /// Right side of the comparison.
    pub value: Constant,
}

/// A mistake in an atom, and its place there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Stable name of the kind of mistake.
    pub code: &'static str,
    /// Part to underline.
    pub part: Part,
    /// Sentence that says the mistake.
    pub message: String,
    /// Sentence that says what to write in its place.
    pub help: String,
}

/// Part of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Part {
    Key,
    Op,
    Value,
    Whole,
}

impl Comparison {
    /// Returns the comparison with `values` in place of the name `kept`.
    pub(super) fn with_kept(&self, kept: &str, values: &Option<Vec<String>>) -> Comparison {
        let Constant::Term(term) = &self.value else { return self.clone() };
        let value = Constant::Term(term.with_kept(kept, values));
        let plain = value.known_text().and_then(|text| self.plain(text));
        Comparison { value: plain.unwrap_or(value), ..self.clone() }
    }

    /// Returns the value `text` as it is written, if the key has such values.
    fn plain(&self, text: &str) -> Option<Constant> {
        let value = Constant::Text(text.to_string());
        let value = Comparison::new(self.key, self.op, value, ActionTypes::Any).ok()?.value;
        // A flag standing alone is about the whole screen.
        matches!(value, Constant::Text(_) | Constant::Number(_)).then_some(value)
    }

    /// Returns the comparison, with its value read as the key wants it: `value` is a text or a regular expression, as it
    /// was written.
    pub fn new(key: Key, op: Op, value: Constant, types: ActionTypes<'_>) -> Result<Comparison, Mistake> {
        let name = key.name();
        let value = match (value, op) {
            (Constant::Text(text), _) if op.is_order() => {
                check_op(key, op, matches!(key.domain(), Domain::Quantity | Domain::Texts))?;
                Constant::Number(number(&text, op)?)
            }
            (Constant::Text(text), _) => match key.domain() {
                Domain::Flag => {
                    check_op(key, op, op != Op::Contains)?;
                    Constant::Flag(one_of(name, &text, &["true", "false"])? == "true")
                }
                Domain::Words(words) => {
                    check_op(key, op, op != Op::Contains)?;
                    Constant::Text(one_of(name, &text, words)?.to_string())
                }
                Domain::ActionType => {
                    check_action_type(op, &text, types)?;
                    Constant::Text(text)
                }
                Domain::Text if key == Key::Crash && ["true", "false"].contains(&&*text) => {
                    let help =
                        format!("write `crashed {} {text}`", if op == Op::NotEqual { "!=" } else { "=" });
                    return Err(wrong_value(
                        "`crash` names a crash, and `crashed` says that there is one".into(),
                        help,
                    ));
                }
                Domain::Text | Domain::Quantity | Domain::Names | Domain::Texts => Constant::Text(text),
            },
            (Constant::Regex(text), _) => {
                let takes_text = !matches!(key.domain(), Domain::Flag | Domain::Words(_));
                check_op(key, op, takes_text)?;
                check_regex(key, &text, types)?;
                Constant::Regex(text)
            }
            (Constant::Term(term), _) => {
                let fits = match key.domain() {
                    Domain::Flag | Domain::Words(_) => matches!(op, Op::Equal | Op::NotEqual),
                    Domain::Text | Domain::Names | Domain::ActionType => !op.is_order(),
                    Domain::Quantity | Domain::Texts => true,
                };
                check_op(key, op, fits)?;
                Constant::Term(term)
            }
            (value @ (Constant::Flag(_) | Constant::Number(_)), _) => value,
        };
        Ok(Comparison { key, op, value })
    }

    /// Returns the comparison that a widget is checked, or is not.
    pub(super) fn checked(is_checked: bool) -> Comparison {
        Comparison { key: Key::Checked, op: Op::Equal, value: Constant::Flag(is_checked) }
    }

    /// Calls `see` with the comparison, and with those of the widgets that its value is read from.
    pub(super) fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Comparison)) {
        see(self);
        if let Some(term) = self.value.term() {
            term.for_each(see);
        }
    }

    /// Returns true if a text equal to `value` would pass, as far as the text alone decides that.
    fn admits(&self, value: &Constant) -> bool {
        let text = match value {
            Constant::Text(text) => text.as_str(),
            Constant::Flag(true) => "true",
            Constant::Flag(false) => "false",
            // Two patterns are hard to compare, and a term may have any value, so nothing is ruled out.
            Constant::Regex(_) | Constant::Number(_) | Constant::Term(_) => return true,
        };
        match (&self.value, self.op) {
            (Constant::Term(_), _) => true,
            (own, Op::Equal) => own == value,
            (own, Op::NotEqual) => own != value,
            (Constant::Text(part), Op::Contains) => text.contains(part),
            (Constant::Regex(pattern), _) => regex(pattern).is_ok_and(|regex| regex.is_match(text)),
            (Constant::Number(number), op) => {
                Number::parse(text.trim()).is_some_and(|left| op.holds(left, *number))
            }
            (Constant::Flag(_) | Constant::Text(_), _) => true,
        }
    }
}

fn check_op(key: Key, op: Op, fits: bool) -> Result<(), Mistake> {
    if fits {
        return Ok(());
    }
    let instead = match key.domain() {
        Domain::Flag | Domain::Words(_) => "= !=",
        Domain::Text | Domain::Names | Domain::ActionType => "= != ~",
        Domain::Quantity | Domain::Texts => "= != ~ < <= > >=",
    };
    let help = if op.is_order() {
        format!(
            "numbers are compared in text, desc, actionText, actionDetail and count(...); `{}` takes {instead}",
            key.name()
        )
    } else {
        format!("`{}` takes {instead}", key.name())
    };
    let message = format!("`{}` does not fit `{}`", op.sign(), key.name());
    Err(Mistake { code: "E-operator", part: Part::Op, message, help })
}

fn wrong_value(message: String, help: String) -> Mistake {
    Mistake { code: "E-value", part: Part::Value, message, help }
}

fn number(text: &str, op: Op) -> Result<Number, Mistake> {
    Number::parse(text).ok_or_else(|| {
        let message = format!("`{}` compares with a number, and `{text}` is none", op.sign());
        wrong_value(
            message,
            "a number is like 5, -3 or 2.50, with at most 15 digits and 9 after the point".into(),
        )
    })
}

fn one_of<'a>(key: &str, text: &str, words: &[&'a str]) -> Result<&'a str, Mistake> {
    let found = words.iter().find(|&&word| word == text);
    found.copied().ok_or_else(|| {
        let help = match nearest(text, words.iter().copied()) {
            Some(near) => format!("did you mean `{near}`? `{key}` is {}", words.join(" or ")),
            None => format!("`{key}` is {}", words.join(" or ")),
        };
        wrong_value(format!("`{key}` cannot be `{text}`"), help)
    })
}

fn check_action_type(op: Op, text: &str, types: ActionTypes<'_>) -> Result<(), Mistake> {
    let ActionTypes::Declared(declared) = types else { return Ok(()) };
    let known = || known_types(declared);
    let (fits, message) = match op {
        Op::Contains => {
            (known().any(|word| word.contains(text)), format!("no action type contains `{text}`"))
        }
        Op::Equal | Op::NotEqual | Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => (
            ActionType::parse(text).is_some() || declared.contains(text),
            format!("there is no action type `{text}`"),
        ),
    };
    if fits { Ok(()) } else { Err(wrong_value(message, action_type_help(text, known()))) }
}

/// Returns the names of all action types, the built-in ones first.
fn known_types(declared: &BTreeSet<String>) -> impl Iterator<Item = &str> + Clone {
    // The names of the built-in types live forever; those of the user's do not.
    let builtin = ActionType::all().map(|known| -> &str { known.name() });
    builtin.chain(declared.iter().map(String::as_str))
}

fn action_type_help<'a>(text: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    // More than a screenful of names helps nobody.
    const SHOWN_MAX: usize = 20;
    let elsewhere = match text {
        "tap" => Some("click"),
        "longtap" | "long-click" | "long_click" => Some("longclick"),
        "type" | "input" => Some("text"),
        "reinitialize" | "restart" | "launch" => Some(START_TYPE),
        _ => None,
    };
    // A file may declare any number of actions, and each distance takes time.
    match elsewhere.or_else(|| nearest(text, known.clone().take(1000))) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            format!("known types: {}", known.take(SHOWN_MAX).collect::<Vec<_>>().join(" "))
        }
    }
}

fn check_regex(key: Key, text: &str, types: ActionTypes<'_>) -> Result<(), Mistake> {
    let pattern = regex(text).map_err(|error| {
        let reason = match &error {
            regex::Error::CompiledTooBig(_) => "it grows too large".to_string(),
            // The first lines draw the expression again; the last one has the reason.
            _ => error
                .to_string()
                .lines()
                .last()
                .map(|line| line.trim_start_matches("error: ").to_string())
                .unwrap_or_default(),
        };
        let mut mistake = wrong_value(
            format!("this regular expression cannot be read: {reason}"),
            "to look for the text itself, put it in quotes: `~ \"...\"`".into(),
        );
        mistake.code = "E-regex";
        mistake
    })?;
    match (key.domain(), types) {
        (Domain::ActionType, ActionTypes::Declared(declared)) => {
            let known = || known_types(declared);
            if known().any(|word| pattern.is_match(word)) {
                Ok(())
            } else {
                let message = format!("no action type matches `/{text}/`");
                Err(wrong_value(message, action_type_help(text, known())))
            }
        }
        _ => Ok(()),
    }
}

/// A bracket of a formula, its comparisons sorted and without repeats.
///
/// ```
/// use farlead::gui::{ActionTypes, Atom, Comparison, Constant, Key, Op};
///
/// let value = Constant::Text("Main".to_string());
/// let comparison = Comparison::new(Key::Activity, Op::Contains, value, ActionTypes::Any)?;
/// assert_eq!(Atom::new(vec![comparison])?.to_string(), "[activity ~ Main]");
/// # Ok::<(), farlead::gui::Mistake>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// One visible widget meets all of these.
    Widget(Vec<Comparison>),
    /// The number of visible widgets that meet all of some comparisons compares so.
    Count {
        /// Comparisons that each of them meets.
        of: Vec<Comparison>,
        /// Operator.
        op: Op,
        /// Number that the count is compared with.
        number: u64,
    },
    /// The screen as a whole meets all of these.
    State(Vec<Comparison>),
    /// The action meets all of these.
    Action(Vec<Comparison>),
    /// `[checked = ...]` standing alone: some visible widget is checked, or some are checkable and none is checked.
    Checked(bool),
    /// One visible widget is like this, and has other widgets around it.
    Placed(Pattern),
    /// A value that is read from the step compares so with another one.
    Compared {
        /// Left side: the values of several widgets, or their number.
        left: Term,
        /// Operator.
        op: Op,
        /// Right side.
        right: Constant,
    },
}

impl Atom {
    /// Returns the atom of these comparisons, at least one.
    pub fn new(mut comparisons: Vec<Comparison>) -> Result<Atom, Mistake> {
        // One order for each set: the text of an atom is its name in formulas.
        comparisons.sort();
        comparisons.dedup();
        let kind = comparisons[0].key.kind();
        if comparisons.iter().any(|other| other.key.kind() != kind) {
            return Err(mixed(&comparisons));
        }
        Ok(match (kind, &comparisons[..]) {
            (_, [Comparison { key: Key::Checked, op: Op::Equal, value: Constant::Flag(checked) }]) => {
                Atom::Checked(*checked)
            }
            (Kind::State, _) => Atom::State(comparisons),
            (Kind::Widget, _) => Atom::Widget(comparisons),
            (Kind::Action, _) => Atom::Action(comparisons),
        })
    }

    /// Returns the atom that the crash with this identity is shown.
    pub fn of_crash(identity: &str) -> Atom {
        let value = Constant::Text(identity.to_string());
        Atom::State(vec![Comparison { key: Key::Crash, op: Op::Equal, value }])
    }

    /// Returns the identity of the crash that the atom names, if it names one in full.
    pub fn crash(&self) -> Option<&str> {
        match self {
            Atom::State(all) => all.iter().find_map(|one| match (one.key, one.op, &one.value) {
                (Key::Crash, Op::Equal, Constant::Text(identity)) => Some(identity.as_str()),
                _ => None,
            }),
            Atom::Widget(_)
            | Atom::Count { .. }
            | Atom::Action(_)
            | Atom::Checked(_)
            | Atom::Placed(_)
            | Atom::Compared { .. } => None,
        }
    }

    /// Returns the atom that one visible widget is like `pattern`.
    pub fn placed(pattern: Pattern) -> Result<Atom, Mistake> {
        if pattern.places.is_empty() { Atom::new(pattern.comparisons) } else { Ok(Atom::Placed(pattern)) }
    }

    /// Returns the atom that the number of widgets of a pattern, or the values of a key of these widgets, compare so with
    /// `value`.
    pub fn compared(left: Term, op: Op, value: Constant, types: ActionTypes<'_>) -> Result<Atom, Mistake> {
        let right = match (&left, value) {
            (Term::Count(of), value @ (Constant::Text(_) | Constant::Regex(_))) => {
                let counted = Atom::count(of.comparisons.clone(), op, &value)?;
                let Atom::Count { number, .. } = counted else { unreachable!("a count was asked for") };
                if of.places.is_empty() {
                    return Ok(counted);
                }
                Constant::Number(Number::from(number))
            }
            (Term::Count(_), Constant::Term(_)) if op == Op::Contains => return Err(contains_in_count()),
            (Term::Each(key, _), value) => Comparison::new(*key, op, value, types)?.value,
            (_, value) => value,
        };
        Ok(Atom::Compared { left, op, right })
    }

    /// Returns the atom that one widget meets all of these, `checked` standing alone too.
    pub fn widget(mut comparisons: Vec<Comparison>) -> Result<Atom, Mistake> {
        comparisons.sort();
        comparisons.dedup();
        match comparisons.iter().find(|comparison| comparison.key.kind() != Kind::Widget) {
            None => Ok(Atom::Widget(comparisons)),
            Some(other) => Err(Mistake {
                code: "E-mixed-atom",
                part: Part::Whole,
                message: format!("only widgets are meant here, and `{}` is not asked of a widget", other.key.name()),
                help: "a widget is known by text desc id objectID class checked enabled focused selected password scrollable".into(),
            }),
        }
    }

    /// Returns the atom that compares the number of widgets that meet all of `of`.
    pub fn count(of: Vec<Comparison>, op: Op, value: &Constant) -> Result<Atom, Mistake> {
        // Only widgets are counted, so `checked` alone does not stand for the whole screen here.
        let Atom::Widget(of) = Atom::widget(of)? else { unreachable!("a widget atom was asked for") };
        // `~` looks into a text, and a count is a number.
        if op == Op::Contains {
            return Err(contains_in_count());
        }
        let number = match value {
            // Nine digits are more than any screen has widgets, and fit the integer.
            Constant::Text(text) if text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse().ok()
            }
            Constant::Text(_)
            | Constant::Regex(_)
            | Constant::Flag(_)
            | Constant::Number(_)
            | Constant::Term(_) => None,
        };
        match number {
            Some(number) => Ok(Atom::Count { of, op, number }),
            None => Err(wrong_value(
                "a count is compared with a whole number".into(),
                "it is like 0, 1 or 20".into(),
            )),
        }
    }

    /// Returns true if the atom compares `text` without speaking of the field: by its class, its id, or its focus.
    /// No text that the run has typed meets such an atom.
    pub fn reads_typed_text(&self) -> bool {
        match self {
            Atom::Widget(all) | Atom::Count { of: all, .. } => read_typed_text(all),
            Atom::Placed(pattern) => read_typed_text(&pattern.comparisons),
            Atom::Compared { .. } | Atom::State(_) | Atom::Action(_) | Atom::Checked(_) => false,
        }
    }

    /// Calls `see` with each comparison of the atom, those of other widgets and of terms included.
    pub fn for_each<'a>(&'a self, see: &mut dyn FnMut(&'a Comparison)) {
        match self {
            Atom::State(all) | Atom::Widget(all) | Atom::Action(all) | Atom::Count { of: all, .. } => {
                all.iter().for_each(|one| one.for_each(see));
            }
            Atom::Checked(_) => {}
            Atom::Placed(pattern) => pattern.for_each(see),
            Atom::Compared { left, right, .. } => {
                left.for_each(see);
                if let Some(term) = right.term() {
                    term.for_each(see);
                }
            }
        }
    }

    /// Returns all comparisons of the atom, those of other widgets and of terms included.
    pub fn comparisons(&self) -> Vec<&Comparison> {
        let mut all = Vec::new();
        self.for_each(&mut |one| all.push(one));
        all
    }

    /// Returns the atom with `values` in place of the name `kept`.
    pub fn with_kept(&self, kept: &str, values: &Option<Vec<String>>) -> Atom {
        let all_with = |all: &[Comparison]| all.iter().map(|one| one.with_kept(kept, values)).collect();
        match self {
            Atom::Widget(all) => Atom::Widget(all_with(all)),
            Atom::State(all) => Atom::State(all_with(all)),
            Atom::Action(all) => Atom::Action(all_with(all)),
            Atom::Count { of, op, number } => Atom::Count { of: all_with(of), op: *op, number: *number },
            Atom::Checked(checked) => Atom::Checked(*checked),
            Atom::Placed(pattern) => Atom::Placed(pattern.with_kept(kept, values)),
            Atom::Compared { left, op, right } => {
                let key = if let Term::Each(key, _) = left { *key } else { Key::Text };
                let right = Comparison { key, op: *op, value: right.clone() }.with_kept(kept, values).value;
                let number = |text: &str| Number::parse(text).filter(|number| number.to_string() == text);
                let right = match (left, &right) {
                    // A count is compared with a whole number as it is written.
                    (Term::Count(_), Constant::Text(text)) => match number(text) {
                        Some(number) if text.bytes().all(|byte| byte.is_ascii_digit()) && text.len() <= 9 => {
                            Constant::Number(number)
                        }
                        _ => Constant::Term(Term::Values(Some(vec![text.clone()]))),
                    },
                    _ => right,
                };
                Atom::Compared { left: left.with_kept(kept, values), op: *op, right }
            }
        }
    }

    /// Returns the kept names in the atom, each with the term whose value it keeps.
    pub fn kept(&self) -> BTreeMap<&str, &Term> {
        let mut kept = BTreeMap::new();
        let mut see = |name, term| _ = kept.insert(name, term);
        match self {
            Atom::State(all) | Atom::Widget(all) | Atom::Action(all) | Atom::Count { of: all, .. } => {
                let terms = all.iter().filter_map(|one| one.value.term());
                terms.for_each(|term| term.for_each_kept(&mut see));
            }
            Atom::Checked(_) => {}
            Atom::Placed(pattern) => pattern.for_each_kept(&mut see),
            Atom::Compared { left, right, .. } => {
                left.for_each_kept(&mut see);
                right.term().into_iter().for_each(|term| term.for_each_kept(&mut see));
            }
        }
        kept
    }

    /// Returns the keys that the atom looks at.
    pub fn keys(&self) -> BTreeSet<Key> {
        let mut keys: BTreeSet<Key> = self.comparisons().into_iter().map(|one| one.key).collect();
        let mut note = |term: &Term| term.for_each_key(&mut |key| _ = keys.insert(key));
        for one in self.comparisons() {
            one.value.term().into_iter().for_each(&mut note);
        }
        match self {
            Atom::Compared { left, right, .. } => {
                note(left);
                right.term().into_iter().for_each(note);
            }
            Atom::Checked(_) => _ = keys.insert(Key::Checked),
            Atom::Widget(_) | Atom::Count { .. } | Atom::State(_) | Atom::Action(_) | Atom::Placed(_) => {}
        }
        keys
    }

    /// Returns true if more than one widget, one screen or one action decides the atom.
    pub fn is_linked(&self) -> bool {
        matches!(self, Atom::Placed(_) | Atom::Compared { .. })
            || self.comparisons().iter().any(|one| one.value.term().is_some())
    }

    /// Returns true if the screen after a step does not decide the atom: it also looks at the step before, or compares the
    /// action with the screen.
    pub fn is_about_step(&self) -> bool {
        let has_term = self.comparisons().iter().any(|one| one.value.term().is_some());
        let reads_more = |value: &Constant| value.term().is_some_and(Term::reads_more_than_the_screen);
        match self {
            Atom::Action(_) => has_term,
            Atom::Compared { left, right, .. } => left.reads_more_than_the_screen() || reads_more(right),
            Atom::Widget(_) | Atom::Count { .. } | Atom::State(_) | Atom::Checked(_) | Atom::Placed(_) => {
                self.comparisons().iter().any(|one| reads_more(&one.value))
            }
        }
    }

    /// Returns true if the action alone decides the atom.
    pub fn is_action(&self) -> bool {
        match self {
            Atom::Action(all) => all.iter().all(|one| one.value.term().is_none()),
            Atom::Widget(_)
            | Atom::Count { .. }
            | Atom::State(_)
            | Atom::Checked(_)
            | Atom::Placed(_)
            | Atom::Compared { .. } => false,
        }
    }

    /// Returns true if the atom asks for more than the type of the action.
    pub fn is_action_detail(&self) -> bool {
        match self {
            Atom::Action(all) => all.iter().any(|comparison| comparison.key != Key::ActionType),
            Atom::Widget(_)
            | Atom::Count { .. }
            | Atom::State(_)
            | Atom::Checked(_)
            | Atom::Placed(_)
            | Atom::Compared { .. } => false,
        }
    }

    /// Returns true if the atom looks at `key`.
    pub fn mentions(&self, key: Key) -> bool {
        self.keys().contains(&key)
    }

    /// Returns true if it asks for crashes, any or one.
    pub fn mentions_crash(&self) -> bool {
        self.mentions(Key::Crashed) || self.mentions(Key::Crash)
    }

    /// Returns true if the atom is about actions of the type `name`, even to rule them out.
    pub fn mentions_action_type(&self, name: &str) -> bool {
        match self {
            Atom::Action(all) => {
                let value = Constant::Text(name.to_string());
                all.iter().filter(|comparison| comparison.key == Key::ActionType).any(|comparison| {
                    match comparison.op {
                        Op::NotEqual => comparison.value == value,
                        Op::Equal | Op::Contains | Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => {
                            comparison.admits(&value)
                        }
                    }
                })
            }
            Atom::Widget(_)
            | Atom::Count { .. }
            | Atom::State(_)
            | Atom::Checked(_)
            | Atom::Placed(_)
            | Atom::Compared { .. } => false,
        }
    }

    /// Returns the reason why the atom can never hold, if there is one.
    pub fn contradiction(&self) -> Option<String> {
        match self {
            Atom::Widget(all) | Atom::State(all) => clash(all),
            Atom::Action(all) => clash(all).or_else(|| clash_with_type(all)),
            Atom::Count { op: Op::Less, number: 0, .. } => Some("a count is never less than 0".into()),
            Atom::Count { of, op, number } => {
                // Nothing meets what cannot hold, so the count is 0.
                let none = Number::from(0);
                if op.holds(none, Number::from(*number)) { None } else { clash(of) }
            }
            Atom::Placed(pattern) => clash(&pattern.comparisons),
            Atom::Checked(_) | Atom::Compared { .. } => None,
        }
    }

    /// Returns true if the two surely cannot hold at the same step.
    ///
    /// A screen has many widgets, so two atoms about widgets never exclude each other; two counts of the same widgets
    /// may.
    pub fn excludes(&self, other: &Atom) -> bool {
        match (self, other) {
            (Atom::Checked(one), Atom::Checked(two)) => one != two,
            (Atom::State(one), Atom::State(two)) => clash(&[&one[..], two].concat()).is_some(),
            (Atom::Action(one), Atom::Action(two)) => {
                let both = [&one[..], two].concat();
                clash(&both).or_else(|| clash_with_type(&both)).is_some()
            }
            (
                Atom::Count { of: one_of, op: one_op, number: one },
                Atom::Count { of: two_of, op: two_op, number: two },
            ) => {
                // If any number fits both, then one at or next to those that they name, or 0.
                let near =
                    [*one, *two].into_iter().flat_map(|n| [n.saturating_sub(1), n, n.saturating_add(1)]);
                let holds =
                    |op: &Op, left: u64, right: u64| op.holds(Number::from(left), Number::from(right));
                one_of == two_of && !near.chain([0]).any(|n| holds(one_op, n, *one) && holds(two_op, n, *two))
            }
            (
                Atom::Widget(_)
                | Atom::Count { .. }
                | Atom::State(_)
                | Atom::Action(_)
                | Atom::Checked(_)
                | Atom::Placed(_)
                | Atom::Compared { .. },
                _,
            ) => false,
        }
    }

    /// Returns true if the atom can hold at step 0, whose action starts the app.
    pub fn fits_start(&self) -> bool {
        let start =
            Comparison { key: Key::ActionType, op: Op::Equal, value: Constant::Text(START_TYPE.to_string()) };
        self.contradiction().is_none() && !self.excludes(&Atom::Action(vec![start]))
    }

    /// Returns true if the atom can hold after step 0, where no action starts the app.
    pub fn fits_later(&self) -> bool {
        let not_start = Comparison {
            key: Key::ActionType,
            op: Op::NotEqual,
            value: Constant::Text(START_TYPE.to_string()),
        };
        self.contradiction().is_none() && !self.excludes(&Atom::Action(vec![not_start]))
    }
}

/// Returns true if the comparisons read `text` without speaking of the field: by its class, its id, or its focus.
pub(super) fn read_typed_text(all: &[Comparison]) -> bool {
    all.iter().any(|one| one.key == Key::Text) && !speak_of_field(all)
}

/// Returns true if the comparisons speak of a field.
pub(super) fn speak_of_field(all: &[Comparison]) -> bool {
    all.iter().any(|one| match (one.key, one.op, &one.value) {
        (Key::Class | Key::Id, Op::Equal | Op::Contains, _) => true,
        (Key::Focused, op, Constant::Flag(is_set)) => (op == Op::Equal) == *is_set,
        _ => false,
    })
}

fn contains_in_count() -> Mistake {
    Mistake {
        code: "E-operator",
        part: Part::Op,
        message: "`~` does not fit `count(...)`".into(),
        help: "a count takes = != < <= > >=".into(),
    }
}

fn mixed(comparisons: &[Comparison]) -> Mistake {
    let of_kind = |kind| -> Vec<Comparison> {
        comparisons.iter().filter(|comparison| comparison.key.kind() == kind).cloned().collect()
    };
    let parts: Vec<String> = [Kind::State, Kind::Widget, Kind::Action]
        .map(of_kind)
        .into_iter()
        .filter(|part| !part.is_empty())
        .map(|part| format!("[{}]", Joined(&part)))
        .collect();
    Mistake {
        code: "E-mixed-atom",
        part: Part::Whole,
        message: "one bracket is about one thing: the screen, a widget, or the action".into(),
        help: format!("write {}", parts.join(" & ")),
    }
}

/// Returns the reason why no single thing can meet all of these.
fn clash(all: &[Comparison]) -> Option<String> {
    // A bracket is short, so all pairs are compared.
    for (at, one) in all.iter().enumerate() {
        for two in &all[at + 1..] {
            // `clashes` looks at the pair from one side only.
            let is_clash = match one.key == two.key {
                true => clashes(one, two) || clashes(two, one),
                false => needs_crash(one) && rules_out_crash(two) || needs_crash(two) && rules_out_crash(one),
            };
            if is_clash {
                return Some(format!("`{one}` and `{two}` never hold together"));
            }
        }
    }
    None
}

/// Returns true if it holds only where a crash is shown.
fn needs_crash(one: &Comparison) -> bool {
    one.key == Key::Crash && one.op != Op::NotEqual
}

fn rules_out_crash(one: &Comparison) -> bool {
    one.key == Key::Crashed && one.value == Constant::Flag(one.op == Op::NotEqual)
}

/// Returns true if a class looks like one of a page.
fn is_of_page(comparison: &Comparison) -> bool {
    match &comparison.value {
        Constant::Text(class) => class.starts_with(char::is_lowercase) && !class.contains('.'),
        Constant::Flag(_) | Constant::Regex(_) | Constant::Number(_) | Constant::Term(_) => false,
    }
}

/// Returns true if `one`, an equality or a lower bound, rules out `two`.
fn clashes(one: &Comparison, two: &Comparison) -> bool {
    match (one.key.domain(), one.op, two.op) {
        // An element of a web page may have both classes; a class of Java begins with a capital letter.
        (_, Op::Equal, Op::Equal)
            if one.key == Key::Class && [one, two].iter().all(|one| is_of_page(one)) =>
        {
            false
        }
        // Full and short names may differ and still be of one thing, but not in their last parts.
        (Domain::Names, Op::Equal, Op::Equal) => match (&one.value, &two.value) {
            (Constant::Text(one), Constant::Text(two)) => last_part(one) != last_part(two),
            (
                Constant::Text(_)
                | Constant::Flag(_)
                | Constant::Regex(_)
                | Constant::Number(_)
                | Constant::Term(_),
                _,
            ) => false,
        },
        // The other comparison may be about another name of the same thing.
        (Domain::Names | Domain::Texts, Op::Equal, Op::NotEqual) => one.value == two.value,
        (Domain::Names | Domain::Texts, _, _) => false,
        // A value that is read from the step may be any.
        (_, _, _) if one.value.term().is_some() || two.value.term().is_some() => false,
        (_, Op::Equal, _) => !two.admits(&one.value),
        (_, Op::Greater | Op::AtLeast, Op::Less | Op::AtMost) => match (&one.value, &two.value) {
            (Constant::Number(low), Constant::Number(high)) => {
                low > high || (low == high && (one.op == Op::Greater || two.op == Op::Less))
            }
            (
                Constant::Number(_)
                | Constant::Text(_)
                | Constant::Flag(_)
                | Constant::Regex(_)
                | Constant::Term(_),
                _,
            ) => false,
        },
        (
            Domain::Flag | Domain::Words(_) | Domain::Text | Domain::Quantity | Domain::ActionType,
            Op::NotEqual | Op::Contains | Op::Less | Op::AtMost | Op::Greater | Op::AtLeast,
            _,
        ) => false,
    }
}

/// Returns the part that full and short forms of a name share: `Main` of `com.x.Main`, `.Main` and `com.x/.Main`.
fn last_part(name: &str) -> &str {
    name.rsplit(['.', '/', ':']).next().unwrap_or(name)
}

/// Returns the reason why no action of the type asked for can meet the other comparisons.
fn clash_with_type(all: &[Comparison]) -> Option<String> {
    let types =
        all.iter().filter(|comparison| (comparison.key, comparison.op) == (Key::ActionType, Op::Equal));
    for comparison in types {
        let Constant::Text(action_type) = &comparison.value else { continue };
        let builtin = ActionType::parse(action_type);
        // Actions on the device have neither a widget nor an argument.
        let has_detail = !matches!(builtin, Some(ActionType::Device(_)));
        let missing = |key| {
            (key == Key::ActionDetail && !has_detail)
                || (key == Key::ActionText && builtin != Some(ActionType::Text))
                || (key == Key::ActionObjectId && (!has_detail || builtin == Some(ActionType::Start)))
        };
        // A detail that is not there differs from every value.
        let asked = all.iter().find(|other| other.op != Op::NotEqual && missing(other.key));
        if let Some(other) = asked {
            return Some(format!("an action of type `{action_type}` has no {}", other.key.name()));
        }
    }
    None
}

impl fmt::Display for Comparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} ", self.key.name(), self.op.sign())?;
        self.value.write(out, self.op == Op::Contains)
    }
}

pub(super) struct Joined<'a>(pub &'a [Comparison]);

impl fmt::Display for Joined<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, comparison) in self.0.iter().enumerate() {
            out.write_str(if at > 0 { ", " } else { "" })?;
            comparison.fmt(out)?;
        }
        Ok(())
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Widget(all) | Atom::State(all) | Atom::Action(all) => write!(out, "[{}]", Joined(all)),
            Atom::Count { of, op, number } => write!(out, "[count({}) {} {number}]", Joined(of), op.sign()),
            Atom::Checked(checked) => write!(out, "[checked = {checked}]"),
            Atom::Placed(pattern) => write!(out, "[{pattern}]"),
            Atom::Compared { left, op, right } => {
                write!(out, "[{left} {} ", op.sign())?;
                right.write(out, *op == Op::Contains)?;
                out.write_str("]")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads brackets as these tests write them, with blanks and without quotes.
    fn atom(text: &str) -> Atom {
        let inside = &text[1..text.len() - 1];
        if let Some((of, rest)) = inside.strip_prefix("count(").and_then(|rest| rest.split_once(") ")) {
            let (op, number) = rest.split_once(' ').expect(text);
            let number = Constant::Text(number.to_string());
            return Atom::count(comparisons(of), Op::parse(op).expect(text), &number).expect(text);
        }
        Atom::new(comparisons(inside)).expect(text)
    }

    fn comparisons(text: &str) -> Vec<Comparison> {
        let comparison = |text: &str| {
            let (key, rest) = text.split_once(' ').expect(text);
            let (op, value) = rest.split_once(' ').expect(text);
            let value = match value.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
                Some(regex) => Constant::Regex(regex.to_string()),
                None => Constant::Text(value.to_string()),
            };
            let op = Op::parse(op).expect(text);
            Comparison::new(Key::parse(key).expect(text), op, value, ActionTypes::Any).expect(text)
        };
        text.split(", ").map(comparison).collect()
    }

    #[track_caller]
    fn check_contradiction(text: &str, expected: bool) {
        assert_eq!(
            atom(text).contradiction().is_some(),
            expected,
            "{text}: {:?}",
            atom(text).contradiction()
        );
    }

    #[track_caller]
    fn check_excludes(one: &str, two: &str, expected: bool) {
        assert_eq!(atom(one).excludes(&atom(two)), expected, "{one} {two}");
        assert_eq!(atom(two).excludes(&atom(one)), expected, "{two} {one}");
    }

    #[test]
    fn what_no_one_thing_can_meet_is_a_contradiction() {
        for text in [
            "[text = a, text = b]",
            "[checked = true, checked = false]",
            "[text = a, text != a]",
            "[text = abc, text ~ x]",
            "[text = abc, text ~ /^b/]",
            "[text = abc, text < 5]",
            "[text = 7, text < 5]",
            "[text > 5, text < 3]",
            "[text > 5, text <= 5]",
            "[screen = on, screen = off]",
            "[activity = .Main, activity = .About]",
            "[activity = .Main, activity != .Main]",
            "[class = away, class != away]",
            "[count(text = a) < 0]",
            "[count(text = a, text = b) >= 1]",
            "[actionType = back, actionDetail ~ x]",
            "[actionType = click, actionText ~ x]",
            "[actionType = idle, actionObjectID = 0:1]",
            "[actionType = click, actionType = back]",
            "[actionType = click, actionType ~ sw]",
        ] {
            check_contradiction(text, true);
        }
    }

    #[test]
    fn what_might_be_met_is_no_contradiction() {
        for text in [
            "[text ~ a, text ~ b]",
            "[text >= 5, text <= 5]",
            "[text = 7, text > 5]",
            "[activity = .Main, activity = com.x.Main]",
            "[activity = com.x/.Main, activity = Main]",
            "[id = ok, id ~ com.x]",
            "[class = guest, class = away]",
            "[actionDetail = a, actionDetail = b]",
            "[actionDetail > 5, actionDetail < 3]",
            "[actionType = chessmove, actionDetail ~ e4]",
            "[actionType = reinitialise, actionDetail ~ Main]",
            "[actionType = back, actionDetail != x]",
            "[count(text = a, text = b) = 0]",
            "[count(text = a, text = b) < 1]",
            "[checked = true]",
        ] {
            check_contradiction(text, false);
        }
    }

    #[test]
    fn atoms_about_the_one_screen_or_the_one_action_may_exclude_each_other() {
        for (one, two) in [
            ("[activity = .Main]", "[activity = .About]"),
            ("[package = a]", "[package = b]"),
            ("[screen = on]", "[screen = off]"),
            ("[crashed = true]", "[crashed = false]"),
            ("[crash ~ a]", "[crashed = false]"),
            ("[crash = a]", "[crashed != true]"),
            ("[crash = a]", "[crash = b]"),
            ("[orientation = portrait, network = on]", "[network = off]"),
            ("[actionType = click]", "[actionType = back]"),
            ("[actionType = back]", "[actionDetail ~ About]"),
            ("[checked = true]", "[checked = false]"),
            ("[count(text = a) = 1]", "[count(text = a) = 2]"),
            ("[count(text = a) >= 5]", "[count(text = a) = 2]"),
            ("[count(text = a) > 1]", "[count(text = a) < 2]"),
            ("[count(text = a) <= 0]", "[count(text = a) != 0]"),
        ] {
            check_excludes(one, two, true);
        }
    }

    #[test]
    fn what_may_hold_at_one_step_is_not_excluded() {
        for (one, two) in [
            ("[activity = .Main]", "[activity = com.x.Main]"),
            ("[activity ~ Main]", "[activity ~ About]"),
            ("[activity = .Main]", "[activity ~ About]"),
            ("[text = a]", "[text = b]"),
            ("[id = a]", "[id = b]"),
            ("[checked = true]", "[checked = false, text = a]"),
            ("[actionDetail = a]", "[actionDetail = b]"),
            ("[actionType = click]", "[actionDetail ~ About]"),
            ("[actionType = click]", "[screen = off]"),
            ("[count(text = a) = 1]", "[count(text = b) = 2]"),
            ("[count(text = a) >= 2]", "[count(text = a) <= 2]"),
            ("[count(text = a) > 1]", "[count(text = a) < 3]"),
            ("[count(text = a) != 0]", "[count(text = a) != 1]"),
            ("[count(text = a) >= 0]", "[count(text = a) = 0]"),
        ] {
            check_excludes(one, two, false);
        }
    }

    #[test]
    fn the_app_is_started_at_step_0_and_then_only() {
        for (text, start, later) in [
            ("[actionType = reinitialise]", true, false),
            ("[actionType = click]", false, true),
            ("[actionType != reinitialise]", false, true),
            ("[actionType ~ i]", true, true),
            ("[actionText ~ a]", false, true),
            ("[actionDetail ~ Main]", true, true),
            ("[activity ~ Main]", true, true),
            ("[screen = on, screen = off]", false, false),
        ] {
            assert_eq!((atom(text).fits_start(), atom(text).fits_later()), (start, later), "{text}");
        }
    }

    #[test]
    fn an_atom_knows_how_much_it_says_about_the_action() {
        for (text, is_action, is_detail) in [
            ("[text = a]", false, false),
            ("[actionType = click]", true, false),
            ("[actionType = click, actionDetail ~ a]", true, true),
        ] {
            assert_eq!(
                (atom(text).is_action(), atom(text).is_action_detail()),
                (is_action, is_detail),
                "{text}"
            );
        }
    }

    #[test]
    fn every_key_and_operator_is_found_by_its_name() {
        for key in Key::ALL {
            assert_eq!(Key::parse(key.name()), Ok(key));
        }
        for op in Op::ALL {
            assert_eq!(Op::parse(op.sign()), Some(op));
        }
        assert!(Key::ALL.is_sorted());
    }
}
