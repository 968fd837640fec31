//! Declarations of a model: all items know them, whatever their order.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use pest::iterators::Pair;

use super::super::model::{Display, FieldId, Global, Initial, Life, OwnId, WindowId};
use super::grammar::{Grammar, Rule};
use super::items::{Item, ItemKind};
use super::scope::{Kind, Owner, Scope};
use super::{PARAMETERS_MAX, Reader, WINDOWS_MAX, set, span};
use crate::text::{Declarations, Span, child, clip, part, parts, too_many, words};

/// Name and place of a declaration.
pub(super) type Declaration<'a> = (&'a str, Span);

/// Names of the whole app.
#[derive(Default)]
pub(super) struct Declared<'a> {
    pub app: Option<App>,
    pub display: Option<Display>,
    pub globals: Vec<GlobalHead<'a>>,
    pub global_numbers: Declarations<&'a str, u32>,
    pub fields: Vec<Arc<str>>,
    pub field_numbers: BTreeMap<&'a str, FieldId>,
    pub windows: Vec<Rc<WindowHead<'a>>>,
    pub window_numbers: Declarations<&'a str, WindowId>,
    pub parts: Vec<Rc<Head<'a>>>,
    /// Parts that use themselves, directly or through other parts.
    pub recursive: BTreeSet<u32>,
    pub part_numbers: Declarations<&'a str, u32>,
    pub procedures: Vec<Rc<Head<'a>>>,
    pub procedure_numbers: Declarations<&'a str, u32>,
    pub launchable: Vec<WindowId>,
    launches: Vec<Declaration<'a>>,
    /// Names that items with mistakes may have declared.
    pub broken: BTreeSet<&'a str>,
    /// Places of the items that a model has once.
    only: Declarations<&'static str, ()>,
}

#[derive(Clone)]
pub(super) struct App {
    pub package: Arc<str>,
    pub label: Arc<str>,
    pub version: Arc<str>,
}

#[derive(Clone)]
pub(super) struct GlobalHead<'a> {
    pub name: &'a str,
    pub span: Span,
    pub life: Life,
    pub kind: Kind,
    /// Fields, if it is a list.
    pub list: Option<Vec<FieldId>>,
    initial: Option<Pair<'a, Rule>>,
    offset: usize,
}

pub(super) struct OwnHead<'a> {
    pub name: &'a str,
    pub span: Span,
    pub is_kept: bool,
    /// `None` for parameters.
    pub initial: Option<Pair<'a, Rule>>,
}

pub(super) struct WindowHead<'a> {
    pub name: &'a str,
    pub span: Span,
    pub kind: ItemKind,
    pub parameters: u32,
    pub own: Vec<OwnHead<'a>>,
    pub own_numbers: Declarations<&'a str, OwnId>,
    pub pair: Pair<'a, Rule>,
    pub offset: usize,
}

/// Head of a part or a `def`.
pub(super) struct Head<'a> {
    pub name: &'a str,
    pub span: Span,
    pub parameters: Vec<Declaration<'a>>,
    pub body: Pair<'a, Rule>,
    pub has_content: bool,
    pub offset: usize,
}

impl<'a> Reader<'a> {
    /// Parses all items and notes their declarations.
    pub(super) fn declare(&mut self, items: &[Item]) {
        for item in items {
            match self.parse(item) {
                Some(pair) => self.declare_item(item, pair),
                None => self.declare_broken(item),
            }
        }
        for window in self.declared.windows.clone() {
            for own in &window.own {
                // Checked here, as a variable of the app may be declared after the window.
                let global = self.declared.global_numbers.first(own.name);
                self.is_taken("the variable", own.name, own.span.clone(), global);
            }
        }
        // An item of unknown kind may be the one that seems to be missing.
        let has_broken = items.iter().any(|item| item.kind.is_none());
        if self.declared.only.first("app").is_none() && !has_broken {
            let help = format!("it starts with a line like `{}`", ItemKind::App.example());
            self.error("E-no-app", 0..0, "the model does not say what the app is", help);
        }
        let launches = std::mem::take(&mut self.declared.launches);
        if launches.is_empty() && !has_broken && !self.declared.broken.contains("launch") {
            let first = self.declared.windows.iter().find(|window| window.kind == ItemKind::Activity);
            let help = format!("add a line like `launch {}`", first.map_or("Main", |window| window.name));
            self.error("E-no-launch", 0..0, "the model does not say what the launcher starts", help);
        }
        // Only now, as windows may be declared after the `launch`.
        for (name, span) in launches {
            if let Some(window) = self.launchable(name, span.clone()) {
                if self.declared.launchable.contains(&window) {
                    self.error("E-duplicate", span, format!("`{name}` is launched already"), "leave it out");
                } else {
                    self.declared.launchable.push(window);
                }
            }
        }
    }

    fn parse(&mut self, item: &Item) -> Option<Pair<'a, Rule>> {
        let kind = item.kind.filter(|_| item.is_sound)?;
        let parsed = item.parse::<Grammar, _>(kind.rule(), self.marked, self.source.text());
        parsed.map_err(|stop| self.diagnostics.error(|| stop.explain())).ok()
    }

    fn launchable(&mut self, name: &'a str, span: Span) -> Option<WindowId> {
        let Some(&window) = self.declared.window_numbers.get(name) else {
            self.unknown_window(name, span, false);
            return None;
        };
        if self.declared.windows[window as usize].kind == ItemKind::Activity {
            return Some(window);
        }
        let help = "launch the activity over which it opens";
        self.error(
            "E-launch",
            span,
            format!("`{name}` is no activity, and only these can be launched"),
            help,
        );
        None
    }

    /// Reports that no window has this name, unless a broken item may declare it.
    pub(super) fn unknown_window(&mut self, name: &str, span: Span, is_quiet: bool) {
        let is_said = is_quiet || self.declared.broken.contains(name);
        if is_said || self.is_enough("E-unknown-window", &span) {
            return;
        }
        let windows: Vec<&str> = self.declared.windows.iter().map(|window| window.name).collect();
        let help = self.near(name, windows.iter().copied(), |known| match known {
            [] => format!("declare it: `{}`", ItemKind::Activity.example()),
            known => format!("there are {}", known.join(", ")),
        });
        self.error("E-unknown-window", span, format!("there is no window `{}`", clip(name)), help);
    }

    /// Notes the names that an item with mistakes may declare.
    fn declare_broken(&mut self, item: &Item) {
        let text = &self.source.text()[item.span.clone()];
        let mut words = words(text);
        let Some(kind) = item.kind else {
            // The name stands after the first word, whatever that was meant to be.
            self.declared.broken.extend(words.nth(1));
            return;
        };
        self.declared.only.declare(kind.word(), item.span.clone(), ());
        match kind {
            // Any word may be the name of a variable: the mistake may hide which.
            ItemKind::Param | ItemKind::Stored | ItemKind::Session => {
                self.declared.broken.extend(words.skip(1));
            }
            ItemKind::Launch => {
                self.declared.broken.insert("launch");
            }
            ItemKind::App | ItemKind::Display => {}
            ItemKind::Activity | ItemKind::Dialog | ItemKind::Popup | ItemKind::Part | ItemKind::Def => {
                self.declared.broken.extend(words.nth(1));
            }
        }
    }

    fn declare_item(&mut self, item: &Item, pair: Pair<'a, Rule>) {
        let kind = item.kind.expect("an item that was parsed has a kind");
        let offset = item.span.start;
        match kind {
            ItemKind::App => self.declare_app(pair, offset),
            ItemKind::Display => self.declare_display(pair, offset),
            ItemKind::Param => self.declare_globals(pair, offset, Life::Param),
            ItemKind::Stored => self.declare_globals(pair, offset, Life::Stored),
            ItemKind::Session => self.declare_globals(pair, offset, Life::Session),
            ItemKind::Launch => {
                let names = parts(&pair, Rule::name);
                self.declared.launches.extend(names.map(|name| (name.as_str(), span(&name, offset))));
            }
            ItemKind::Activity | ItemKind::Dialog | ItemKind::Popup => {
                self.declare_window(pair, offset, kind);
            }
            ItemKind::Part => self.declare_part(pair, offset),
            ItemKind::Def => self.declare_procedure(pair, offset),
        }
    }

    /// Returns true for the first item of a kind that a model has once, and reports any other.
    fn is_only(&mut self, kind: ItemKind, at: Span) -> bool {
        let word = kind.word();
        // The word alone is underlined: the item may have many lines.
        let at = at.start..at.start + word.len();
        if let Some(first) = self.declared.only.first(word) {
            if self.is_enough("E-duplicate", &at) {
                return false;
            }
            let line = self.line(first.start);
            self.error(
                "E-duplicate",
                at,
                format!("`{word}` is said in line {line} already"),
                "leave one out",
            );
            return false;
        }
        self.declared.only.declare(word, at, ());
        true
    }

    fn declare_app(&mut self, pair: Pair<'a, Rule>, offset: usize) {
        if !self.is_only(ItemKind::App, span(&pair, offset)) {
            return;
        }
        let package = part(&pair, Rule::package);
        let version = part(&pair, Rule::version);
        let label = part(&pair, Rule::text);
        // The grammar lets its parts start with a digit, as those of classes may.
        let is_package = package.as_str().contains('.')
            && package.as_str().split('.').all(|word| word.starts_with(|char: char| !char.is_ascii_digit()));
        if !is_package {
            let message = format!("`{}` is no package", clip(package.as_str()));
            self.error("E-package", span(&package, offset), message, "a package is like `org.example.notes`");
        }
        let scope = Scope::new(offset, Owner::Start);
        let label_span = span(&label, offset);
        let label = self.literal(label, &scope).unwrap_or_else(|| {
            self.error("E-constant", label_span, "the name of an app has no values in it", "a brace is `{{`");
            Arc::from("")
        });
        let version = version.as_str().trim_matches('"');
        self.declared.app =
            Some(App { package: Arc::from(package.as_str()), label, version: Arc::from(version) });
    }

    fn declare_display(&mut self, pair: Pair<'a, Rule>, offset: usize) {
        if !self.is_only(ItemKind::Display, span(&pair, offset)) {
            return;
        }
        let size = part(&pair, Rule::size);
        let density = part(&pair, Rule::density);
        let (width, height) = size.as_str().split_once('x').expect("the grammar gives an x");
        let mut number = |text: &str, range: std::ops::RangeInclusive<u32>, pair: &Pair<'a, Rule>| {
            let known = text.parse().ok().filter(|number| range.contains(number));
            if known.is_none() {
                let (least, most) = (range.start(), range.end());
                let message = format!("`{}` is not from {least} to {most}", clip(text));
                self.error("E-display", span(pair, offset), message, "a display is like `480x800 240dpi`");
            }
            known
        };
        let width = number(width, set::PIXELS, &size);
        let height = number(height, set::PIXELS, &size);
        let dpi = number(density.as_str().trim_end_matches("dpi"), set::DPI, &density);
        if let (Some(width), Some(height), Some(dpi)) = (width, height, dpi) {
            self.declared.display = Some(Display { width, height, dpi });
        }
    }

    /// Returns true, and reports it, if a name is declared already.
    fn is_taken(&mut self, what: &str, name: &str, span: Span, first: Option<Span>) -> bool {
        let Some(first) = first else { return false };
        if self.is_enough("E-duplicate", &span) {
            return true;
        }
        let line = self.line(first.start);
        let message = format!("{what} `{}` is declared in line {line} already", clip(name));
        self.error("E-duplicate", span, message, "give one of them another name");
        true
    }

    fn declare_globals(&mut self, pair: Pair<'a, Rule>, offset: usize, life: Life) {
        for variable in parts(&pair, Rule::variable) {
            let name = part(&variable, Rule::name);
            let at = span(&name, offset);
            let first = self.declared.global_numbers.first(name.as_str());
            // The fields are read even if the name is taken: other items use them.
            let list = child(&variable, Rule::list).map(|list| self.declare_fields(list, offset, life));
            if self.is_taken("the variable", name.as_str(), at.clone(), first) {
                continue;
            }
            let number = self.declared.globals.len() as u32;
            self.declared.global_numbers.declare(name.as_str(), at.clone(), number);
            self.declared.globals.push(GlobalHead {
                name: name.as_str(),
                span: at,
                life,
                kind: Kind::Unknown,
                list,
                initial: child(&variable, Rule::expression),
                offset,
            });
        }
    }

    fn declare_fields(&mut self, list: Pair<'a, Rule>, offset: usize, life: Life) -> Vec<FieldId> {
        if life == Life::Param {
            self.error(
                "E-constant",
                span(&list, offset),
                "a parameter is one value, and no list",
                "declare a list with `stored` or `session`",
            );
        }
        let mut fields = Vec::new();
        for field in parts(&list, Rule::field) {
            let name = field.as_str();
            // A field of that name would hide the place of the record.
            if name == "index" {
                let help = "choose another name";
                self.error("E-reserved", span(&field, offset), "every record has an `index` already", help);
                continue;
            }
            let next = self.declared.fields.len() as FieldId;
            let number = *self.declared.field_numbers.entry(name).or_insert(next);
            if number == next {
                self.declared.fields.push(Arc::from(name));
            }
            if fields.contains(&number) {
                let message = format!("the field `{}` is declared twice", clip(name));
                self.error("E-duplicate", span(&field, offset), message, "leave one out");
                continue;
            }
            if fields.len() == PARAMETERS_MAX {
                let message = format!("a list may have {PARAMETERS_MAX} fields, and these are more");
                self.error("E-too-large", span(&field, offset), message, "keep values in several lists");
                break;
            }
            fields.push(number);
        }
        fields
    }

    /// Returns the parameters of a window, a part or a `def`.
    fn parameters(&mut self, pair: Pair<'a, Rule>, offset: usize) -> Vec<Declaration<'a>> {
        let mut parameters: Vec<Declaration<'a>> = Vec::new();
        for name in parts(&pair, Rule::name) {
            let at = span(&name, offset);
            if parameters.len() == PARAMETERS_MAX {
                let message = format!("there may be {PARAMETERS_MAX} parameters, and these are more");
                self.error("E-too-large", at, message, "keep values in variables");
                break;
            }
            let first = parameters.iter().find(|(known, _)| *known == name.as_str());
            let first = first.map(|(_, span)| span.clone());
            // Noted all the same: callers count their values by it.
            self.is_taken("the parameter", name.as_str(), at.clone(), first);
            parameters.push((name.as_str(), at));
        }
        parameters
    }

    fn declare_window(&mut self, pair: Pair<'a, Rule>, offset: usize, kind: ItemKind) {
        let name = part(&pair, Rule::name);
        let at = span(&name, offset);
        let first = self.declared.window_numbers.first(name.as_str());
        self.is_taken("the window", name.as_str(), at.clone(), first);
        if self.declared.windows.len() == WINDOWS_MAX {
            let mistake = too_many(at, "a model", WINDOWS_MAX, "windows");
            return self.report(mistake.help("split it into several models"));
        }
        let mut own: Vec<OwnHead<'a>> = Vec::new();
        let mut own_numbers: Declarations<&'a str, OwnId> = Declarations::default();
        if let Some(pair) = child(&pair, Rule::parameters) {
            for (name, span) in self.parameters(pair, offset) {
                own_numbers.declare(name, span.clone(), own.len() as OwnId);
                own.push(OwnHead { name, span, is_kept: true, initial: None });
            }
        }
        let parameters = own.len() as u32;
        let body = part(&pair, Rule::window_body);
        for line in parts(&body, Rule::own) {
            let is_kept = child(&line, Rule::kept).is_some();
            for variable in parts(&line, Rule::own_variable) {
                let name = part(&variable, Rule::name);
                let at = span(&name, offset);
                let first = own_numbers.first(name.as_str());
                if self.is_taken("the variable", name.as_str(), at.clone(), first) {
                    continue;
                }
                own_numbers.declare(name.as_str(), at.clone(), own.len() as OwnId);
                let initial = child(&variable, Rule::expression);
                own.push(OwnHead { name: name.as_str(), span: at, is_kept, initial });
            }
        }
        let name = name.as_str();
        // A second window of the name is read too, for the mistakes in it.
        let number = self.declared.windows.len() as WindowId;
        self.declared.window_numbers.declare(name, at.clone(), number);
        self.declared.windows.push(Rc::new(WindowHead {
            name,
            span: at,
            kind,
            parameters,
            own,
            own_numbers,
            pair,
            offset,
        }));
    }

    fn declare_part(&mut self, pair: Pair<'a, Rule>, offset: usize) {
        let first = self.declared.part_numbers.first(part(&pair, Rule::name).as_str());
        let head = self.head("the part", first, &pair, Rule::children, offset);
        let number = self.declared.parts.len() as u32;
        self.declared.part_numbers.declare(head.name, head.span.clone(), number);
        self.declared.parts.push(Rc::new(head));
    }

    fn declare_procedure(&mut self, pair: Pair<'a, Rule>, offset: usize) {
        let first = self.declared.procedure_numbers.first(part(&pair, Rule::name).as_str());
        let head = self.head("the def", first, &pair, Rule::block, offset);
        let number = self.declared.procedures.len() as u32;
        self.declared.procedure_numbers.declare(head.name, head.span.clone(), number);
        self.declared.procedures.push(Rc::new(head));
    }

    /// Reads the head of a part or a `def`. The name is taken if it is declared at `first`.
    fn head(
        &mut self,
        what: &str,
        first: Option<Span>,
        pair: &Pair<'a, Rule>,
        body: Rule,
        offset: usize,
    ) -> Head<'a> {
        let name = part(pair, Rule::name);
        let at = span(&name, offset);
        self.is_taken(what, name.as_str(), at.clone(), first);
        let parameters =
            child(pair, Rule::parameters).map_or(Vec::new(), |pair| self.parameters(pair, offset));
        let body = part(pair, body);
        let has_content = body.clone().into_inner().flatten().any(|pair| pair.as_rule() == Rule::content);
        Head { name: name.as_str(), span: at, parameters, body, has_content, offset }
    }

    /// Reads the initial values of the app's variables.
    pub(super) fn globals(&mut self) -> Vec<Global> {
        let heads = self.declared.globals.clone();
        let mut initials: Vec<Option<Initial>> = vec![None; heads.len()];
        // Parameters first: other variables may use them.
        for is_param in [true, false] {
            for (number, head) in heads.iter().enumerate() {
                if (head.life == Life::Param) == is_param {
                    let (initial, kind) = self.initial(head);
                    initials[number] = Some(initial);
                    self.declared.globals[number].kind = kind;
                }
            }
        }
        let global = |(head, initial): (GlobalHead<'a>, Option<Initial>)| Global {
            name: Arc::from(head.name),
            life: head.life,
            initial: initial.expect("each is a parameter or none"),
        };
        heads.into_iter().zip(initials).map(global).collect()
    }

    fn initial(&mut self, head: &GlobalHead<'a>) -> (Initial, Kind) {
        let Some(pair) = head.initial.clone() else {
            return (Initial::List(head.list.clone().unwrap_or_default()), Kind::Unknown);
        };
        let at = span(&pair, head.offset);
        let mut scope = Scope::new(head.offset, Owner::Start);
        let value = self.expression(pair, &mut scope);
        // `--set` takes a value of the same kind, which must be known.
        if head.life == Life::Param && !set::is_constant(&value.expr) {
            let help = "write `true`, `false`, a number or a text";
            self.error("E-constant", at, "the value of a parameter is said as it stands", help);
        }
        (Initial::Value(value.expr), value.kind.of_variable())
    }
}
