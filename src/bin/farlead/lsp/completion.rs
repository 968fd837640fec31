//! Completion: words of the language, names that the file declares, and names that the app shows.

use std::collections::BTreeSet;
use std::io;

use farlead::device;
use farlead::device::android;
use farlead::device::sim::apk;
use farlead::device::sim::model::{Datum, Expr, Model, Node, Widget};
use farlead::gui::{ActionType, Constant, Key, UserAction};
use farlead::spec::{self, ITEM_WORDS, OPERATOR_WORDS};
use serde::Deserialize;
use serde_json::{Value, json};

use super::document::{DeclarationKind, Document, is_word_char, marked};
use crate::project::Project;
use crate::sources;

/// Most values that are offered; an editor asks again as more is typed.
const VALUES_MAX: usize = 500;

/// File in the folder `.farlead` of a project that `farlead look --json` was written to.
const LOOK: &str = ".farlead/look.json";

/// Words that may follow in a formula or in the head of a spec, besides the operators of one word.
const OTHER_WORDS: [&str; 12] = [
    "weak next",
    "weak until",
    "true",
    "false",
    "within",
    "steps",
    "over",
    "episodes",
    "typed counts",
    "times to",
    "on",
    "keep",
];

/// Kinds of completion in the protocol.
const FUNCTION: u32 = 3;
const VARIABLE: u32 = 6;
const PROPERTY: u32 = 10;
const VALUE: u32 = 12;
const KEYWORD: u32 = 14;

/// Kind of text that may follow at a place.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A text or a comment: nothing that is known here.
    Nothing,
    /// The first word of a line.
    Line,
    Formula,
    Key,
    /// The value of a comparison; `start` is its first byte in the line.
    Value {
        key: String,
        start: usize,
    },
}

/// Returns the completions at `at`.
pub fn completions(document: &Document, at: usize) -> Value {
    let line = document.line_before(at);
    let (items, is_cut) = match place(line) {
        Place::Nothing => (Vec::new(), false),
        Place::Line => ([keywords(&ITEM_WORDS), formula(document)].concat(), false),
        Place::Formula => (formula(document), false),
        Place::Key => (Key::ALL.iter().map(|key| item(key.name(), PROPERTY)).collect(), false),
        Place::Value { key, start } => {
            let range = document.range(&(at - line.len() + start..at));
            let mut values = values(document, &key);
            let is_cut = values.len() > VALUES_MAX;
            values.truncate(VALUES_MAX);
            let offered = |value: String| {
                let written = written(&value);
                json!({
                    "label": value,
                    "kind": VALUE,
                    "filterText": written,
                    "textEdit": { "range": range, "newText": written },
                })
            };
            (values.into_iter().map(offered).collect(), is_cut)
        }
    };
    json!({ "isIncomplete": is_cut, "items": items })
}

fn item(label: &str, kind: u32) -> Value {
    json!({ "label": label, "kind": kind })
}

fn keywords(words: &[&str]) -> Vec<Value> {
    words.iter().map(|word| item(word, KEYWORD)).collect()
}

fn formula(document: &Document) -> Vec<Value> {
    let declared = document.declarations();
    let names = declared.iter().filter_map(|one| match one.kind {
        DeclarationKind::Let => Some(item(&one.name, VARIABLE)),
        DeclarationKind::Label => Some(item(&one.name, FUNCTION)),
        // Only the value of `actionType` names an action.
        DeclarationKind::Action => None,
    });
    // `weak` is half of an operator, and stands in the other list with its second half.
    let operators = OPERATOR_WORDS.into_iter().filter(|word| *word != "weak");
    let words: Vec<&str> = operators.chain(OTHER_WORDS).collect();
    names.chain(keywords(&words)).collect()
}

/// Returns what may follow after `line`.
fn place(line: &str) -> Place {
    let signs = marked(line);
    // The last characters are missing after the sign of a comment.
    if signs.last().map_or(0, |(at, char, _)| at + char.len_utf8()) < line.len() {
        return Place::Nothing;
    }
    let open = signs.iter().rposition(|(_, char, is_plain)| *is_plain && "[]".contains(*char));
    let Some(open) = open.filter(|&open| signs[open].1 == '[') else {
        return match signs.last() {
            Some((_, _, false)) => Place::Nothing,
            _ if line.trim_start().chars().all(is_word_char) => Place::Line,
            _ => Place::Formula,
        };
    };
    let inner = &signs[open + 1..];
    let comma = inner.iter().rposition(|(_, char, is_plain)| *is_plain && *char == ',');
    let part = &inner[comma.map_or(0, |comma| comma + 1)..];
    let is_operator = |char: char| "=~<>!≠≤≥∼".contains(char);
    let Some(operator) = part.iter().position(|(_, char, is_plain)| *is_plain && is_operator(*char)) else {
        let is_key =
            part.iter().all(|(_, char, _)| is_word_char(*char) || char.is_whitespace() || *char == '(');
        let is_bound = part.iter().any(|(_, char, _)| char.is_ascii_digit());
        return if is_key && !is_bound { Place::Key } else { Place::Nothing };
    };
    let key: String = part[..operator].iter().map(|(_, char, _)| *char).collect();
    let key = key.trim().trim_start_matches("count").trim_start_matches(['(', ' ']).trim().to_string();
    let value = part[operator..].iter().find(|(_, char, _)| !is_operator(*char) && !char.is_whitespace());
    if key.is_empty() || value.is_some_and(|(_, char, _)| *char == '/') {
        return Place::Nothing;
    }
    Place::Value { key, start: value.map_or(line.len(), |(at, ..)| *at) }
}

/// Returns the values that a key may have here.
fn values(document: &Document, key: &str) -> Vec<String> {
    let Some(key) = Key::ALL.into_iter().find(|known| known.name() == key) else { return Vec::new() };
    if let Some(words) = key.words() {
        return words.iter().map(|word| word.to_string()).collect();
    }
    match key {
        Key::ActionType => {
            let types = ActionType::all().map(|kind| kind.name().to_string());
            let own = document.declarations().into_iter().filter(|one| one.kind == DeclarationKind::Action);
            let given = document.project.actions.iter().map(|action: &UserAction| action.name.clone());
            types.chain(own.map(|one| one.name)).chain(given).collect()
        }
        Key::ActionDetail => {
            let shown = Shown::of(&document.project);
            [shown.texts, shown.descs, shown.ids].into_iter().flatten().collect()
        }
        key => {
            let mut shown = Shown::of(&document.project);
            shown.names_of(key).map(std::mem::take).into_iter().flatten().collect()
        }
    }
}

/// Returns a value as a spec writes it.
fn written(value: &str) -> String {
    let is_bare = value.trim() == value
        && !value.starts_with(['"', '/', '~', '∼', '=', '<', '>', '!', '≠', '≤', '≥'])
        && !value.contains([',', ']', ')', '(', '\\', '{'])
        && !value.chars().any(char::is_control)
        && !value.is_empty();
    if is_bare { value.to_string() } else { spec::quoted_value(value) }
}

/// Names that an app shows, each in its short form.
#[derive(Debug, Default)]
struct Shown {
    packages: BTreeSet<String>,
    activities: BTreeSet<String>,
    texts: BTreeSet<String>,
    descs: BTreeSet<String>,
    ids: BTreeSet<String>,
    classes: BTreeSet<String>,
    crashes: BTreeSet<String>,
}

/// The output of `farlead look --json`, as far as it is used here.
#[derive(Deserialize)]
struct Looked {
    #[serde(default)]
    labels: Vec<String>,
    #[serde(default)]
    actions: Vec<LookedAction>,
}

#[derive(Deserialize)]
struct LookedAction {
    detail: String,
}

impl Shown {
    /// Returns the names in the project's app, and in the screen that was saved last. An app or a screen that cannot be read
    /// adds nothing: it is no mistake of the file that is being written.
    fn of(project: &Project) -> Shown {
        let mut shown = Shown::default();
        if let Some(path) = project.app.as_ref().or(project.apk.as_ref()) {
            match device::load_model(path, &[]) {
                Ok(loaded) => shown.add_model(&loaded.model),
                Err(_) => {
                    let bytes = sources::read_bytes(path).unwrap_or_default();
                    if let Ok(manifest) = android::manifest::Manifest::read(io::Cursor::new(bytes)) {
                        shown.add_activities(manifest.activities.iter().chain(&manifest.launchable));
                    }
                }
            }
        }
        let saved = sources::read_text_bytes(&project.folder.join(LOOK)).unwrap_or_default();
        if let Ok(looked) = serde_json::from_slice::<Looked>(&saved) {
            shown.add_looked(&looked);
        }
        shown
    }

    /// Returns the names that a comparison by `key` is about, if an app shows any.
    fn names_of(&mut self, key: Key) -> Option<&mut BTreeSet<String>> {
        match key {
            Key::Package => Some(&mut self.packages),
            Key::Activity => Some(&mut self.activities),
            Key::Text => Some(&mut self.texts),
            Key::Desc => Some(&mut self.descs),
            Key::Id => Some(&mut self.ids),
            Key::Class => Some(&mut self.classes),
            Key::Crash => Some(&mut self.crashes),
            Key::ObjectId
            | Key::Tag
            | Key::Role
            | Key::Name
            | Key::Checked
            | Key::Enabled
            | Key::Focused
            | Key::Selected
            | Key::Password
            | Key::Scrollable
            | Key::Screen
            | Key::Orientation
            | Key::Network
            | Key::Crashed
            | Key::Anr
            | Key::Keyboard
            | Key::Console
            | Key::Status
            | Key::ActionType
            | Key::ActionDetail
            | Key::ActionObjectId
            | Key::ActionText => None,
        }
    }

    fn add_activities<'a>(&mut self, names: impl IntoIterator<Item = &'a String>) {
        self.activities.extend(names.into_iter().map(|name| last(name, '.')));
    }

    fn add_model(&mut self, model: &Model) {
        let manifest = apk::Manifest::of(model);
        self.packages.insert(manifest.package);
        self.add_activities(manifest.activities.iter().chain(&manifest.launchable));
        // The line of the model is no part of an identity.
        let calls = model.crash_sites.values().filter_map(|call| call.split('(').next());
        self.crashes.extend(calls.map(str::to_string));
        for window in &model.windows {
            // An explicit stack: no recursion over input.
            let mut rest: Vec<&Node> = window.nodes.iter().collect();
            while let Some(node) = rest.pop() {
                match node {
                    Node::Widget(widget) => {
                        self.add_widget(widget);
                        rest.extend(&widget.nodes);
                    }
                    Node::When { then, otherwise, .. } => rest.extend(then.iter().chain(otherwise)),
                    Node::For { body, .. } | Node::Let { body, .. } => rest.extend(body),
                }
            }
        }
    }

    fn add_widget(&mut self, widget: &Widget) {
        self.classes.insert(last(&widget.class, '.'));
        self.ids.insert(last(&widget.id, '/'));
        // What is worked out while the app runs has no text yet.
        let known = |text: &Option<Expr>| {
            let Some(Expr::Value(Datum::Text(text))) = text else { return None };
            Some(text.to_string())
        };
        self.texts.extend(known(&widget.text));
        self.texts.extend(known(&widget.hint));
        self.descs.extend(known(&widget.desc));
        for names in [&mut self.ids, &mut self.texts, &mut self.descs] {
            names.remove("");
        }
    }

    fn add_looked(&mut self, looked: &Looked) {
        for atom in looked.labels.iter().filter_map(|label| spec::read_atom(label)) {
            for comparison in atom.comparisons() {
                let Constant::Text(value) = &comparison.value else { continue };
                let is_class = [Key::Activity, Key::Class].contains(&comparison.key);
                let sign = if is_class { Some('.') } else { (comparison.key == Key::Id).then_some('/') };
                // The values of other keys have no short form.
                let short = sign.map_or_else(|| value.clone(), |sign| last(value, sign));
                if let Some(names) = self.names_of(comparison.key) {
                    names.insert(short);
                }
            }
        }
        let details = looked.actions.iter().map(|action| action.detail.clone());
        self.texts.extend(details.filter(|detail| !detail.is_empty()));
    }
}

/// Returns the part of a full name behind the last `sign`.
fn last(name: &str, sign: char) -> String {
    name.rsplit(sign).next().unwrap_or_default().to_string()
}
