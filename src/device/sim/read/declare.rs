//! What the items of a model declare: it is known in all of them, whatever their order.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use pest::Parser as _;
use pest::iterators::Pair;

use super::super::model::{Display, FieldId, Global, Initial, Life, OwnId, Place, WindowId};
use super::grammar::{Grammar, Rule};
use super::items::{Item, ItemKind, is_word_char};
use super::scope::{Kind, Owner, Scope};
use super::{PARAMETERS_MAX, Reader, WINDOWS_MAX, child, mistake, set, span};
use crate::spec::clip;

/// A name and where it was declared.
pub(super) type Declaration<'a> = (&'a str, Place);

/// Everything that has a name in the whole app.
#[derive(Default)]
pub(super) struct Declared<'a> {
    pub app: Option<App>,
    pub display: Option<Display>,
    pub globals: Vec<GlobalHead<'a>>,
    pub global_numbers: BTreeMap<&'a str, u32>,
    pub fields: Vec<Arc<str>>,
    pub field_numbers: BTreeMap<&'a str, FieldId>,
    pub windows: Vec<Rc<WindowHead<'a>>>,
    pub window_numbers: BTreeMap<&'a str, WindowId>,
    pub parts: Vec<Rc<PartHead<'a>>>,
    /// The parts that use themselves, or what does.
    pub recursive: BTreeSet<u32>,
    pub part_numbers: BTreeMap<&'a str, u32>,
    pub procedures: Vec<Rc<ProcedureHead<'a>>>,
    pub procedure_numbers: BTreeMap<&'a str, u32>,
    pub launchable: Vec<WindowId>,
    launches: Vec<Declaration<'a>>,
    /// The names that items with mistakes may have declared.
    pub broken: BTreeSet<&'a str>,
    /// Where the items of which there is one stand.
    only: BTreeMap<&'static str, Place>,
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
    pub span: Place,
    pub life: Life,
    pub kind: Kind,
    /// The fields, if it is a list.
    pub list: Option<Vec<FieldId>>,
    initial: Option<Pair<'a, Rule>>,
    offset: usize,
}

pub(super) struct OwnHead<'a> {
    pub name: &'a str,
    pub span: Place,
    pub is_kept: bool,
    /// Nothing for parameters.
    pub initial: Option<Pair<'a, Rule>>,
}

pub(super) struct WindowHead<'a> {
    pub name: &'a str,
    pub span: Place,
    pub kind: ItemKind,
    pub parameters: u32,
    pub own: Vec<OwnHead<'a>>,
    pub own_numbers: BTreeMap<&'a str, OwnId>,
    pub pair: Pair<'a, Rule>,
    pub offset: usize,
}

pub(super) struct PartHead<'a> {
    pub name: &'a str,
    pub span: Place,
    pub parameters: Vec<Declaration<'a>>,
    pub children: Pair<'a, Rule>,
    pub has_content: bool,
    pub offset: usize,
}

pub(super) struct ProcedureHead<'a> {
    pub name: &'a str,
    pub span: Place,
    pub parameters: Vec<Declaration<'a>>,
    pub block: Pair<'a, Rule>,
    pub offset: usize,
}

impl<'a> Reader<'a> {
    /// Parses all items and notes what they declare.
    pub(super) fn declare(&mut self, items: &[Item]) {
        for item in items {
            match self.parse(item) {
                Some(pair) => self.declare_item(item, pair),
                None => self.declare_broken(item),
            }
        }
        for window in self.declared.windows.clone() {
            for own in &window.own {
                let global = self.declared.global_numbers.get(own.name);
                let global = global.map(|&number| self.declared.globals[number as usize].span.clone());
                self.is_taken("the variable", own.name, own.span.clone(), global);
            }
        }
        let has_broken = items.iter().any(|item| item.kind.is_none());
        if !self.declared.only.contains_key("app") && !has_broken {
            let help = format!("it starts with a line like `{}`", ItemKind::App.example());
            self.error("E-no-app", 0..0, "the model does not say what the app is", help);
        }
        let launches = std::mem::take(&mut self.declared.launches);
        if launches.is_empty() && !has_broken && !self.declared.broken.contains("launch") {
            let first = self.declared.windows.iter().find(|window| window.kind == ItemKind::Activity);
            let help = format!("add a line like `launch {}`", first.map_or("Main", |window| window.name));
            self.error("E-no-launch", 0..0, "the model does not say what the launcher starts", help);
        }
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
        match Grammar::parse(kind.rule(), &self.marked[item.span.clone()]) {
            Ok(mut pairs) => pairs.next(),
            Err(error) => {
                let source = self.source;
                self.diagnostics.error(|| mistake::explain(&error, source.text(), item, kind));
                None
            }
        }
    }

    fn launchable(&mut self, name: &'a str, span: Place) -> Option<WindowId> {
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

    /// Says that there is no window of that name, unless one with mistakes may be.
    pub(super) fn unknown_window(&mut self, name: &str, span: Place, is_quiet: bool) {
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

    /// Notes the names that an item with mistakes would have declared.
    fn declare_broken(&mut self, item: &Item) {
        let text = &self.source.text()[item.span.clone()];
        let mut words = text.split(|char| !is_word_char(char)).filter(|word| !word.is_empty());
        let Some(kind) = item.kind else {
            self.declared.broken.extend(words.nth(1));
            return;
        };
        self.declared.only.entry(kind.word()).or_insert(item.span.clone());
        match kind {
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
                let names = pair.into_inner().filter(|pair| pair.as_rule() == Rule::name);
                self.declared.launches.extend(names.map(|name| (name.as_str(), span(&name, offset))));
            }
            ItemKind::Activity | ItemKind::Dialog | ItemKind::Popup => {
                self.declare_window(pair, offset, kind);
            }
            ItemKind::Part => self.declare_part(pair, offset),
            ItemKind::Def => self.declare_procedure(pair, offset),
        }
    }

    /// Says whether this is the first item of which there may be one.
    fn is_only(&mut self, kind: ItemKind, at: Place) -> bool {
        let word = kind.word();
        let at = at.start..at.start + word.len();
        if let Some(first) = self.declared.only.get(word) {
            let first = first.start;
            if self.is_enough("E-duplicate", &at) {
                return false;
            }
            let line = self.line(first);
            self.error(
                "E-duplicate",
                at,
                format!("`{word}` is said in line {line} already"),
                "leave one out",
            );
            return false;
        }
        self.declared.only.insert(word, at);
        true
    }

    fn declare_app(&mut self, pair: Pair<'a, Rule>, offset: usize) {
        let place = span(&pair, offset);
        if !self.is_only(ItemKind::App, place) {
            return;
        }
        let package = child(&pair, Rule::package).expect("the grammar gives a package");
        let version = child(&pair, Rule::version).expect("the grammar gives a version");
        let label = child(&pair, Rule::text).expect("the grammar gives a text");
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
        let place = span(&pair, offset);
        if !self.is_only(ItemKind::Display, place) {
            return;
        }
        let size = child(&pair, Rule::size).expect("the grammar gives a size");
        let density = child(&pair, Rule::density).expect("the grammar gives a density");
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

    /// Says that a name is taken, if it is.
    fn is_taken(&mut self, what: &str, name: &str, span: Place, first: Option<Place>) -> bool {
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
        for variable in pair.into_inner().filter(|pair| pair.as_rule() == Rule::variable) {
            let name = child(&variable, Rule::name).expect("the grammar gives a name");
            let at = span(&name, offset);
            let first = self.declared.global_numbers.get(name.as_str());
            let first = first.map(|&number| self.declared.globals[number as usize].span.clone());
            let list = child(&variable, Rule::list).map(|list| self.declare_fields(list, offset, life));
            if self.is_taken("the variable", name.as_str(), at.clone(), first) {
                continue;
            }
            let number = self.declared.globals.len() as u32;
            self.declared.global_numbers.insert(name.as_str(), number);
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
        for field in list.into_inner().filter(|pair| pair.as_rule() == Rule::field) {
            let name = field.as_str();
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

    /// The parameters of a window, a part or a `def`.
    fn parameters(&mut self, pair: Pair<'a, Rule>, offset: usize) -> Vec<Declaration<'a>> {
        let mut parameters: Vec<Declaration<'a>> = Vec::new();
        for name in pair.into_inner().filter(|pair| pair.as_rule() == Rule::name) {
            let at = span(&name, offset);
            if parameters.len() == PARAMETERS_MAX {
                let message = format!("there may be {PARAMETERS_MAX} parameters, and these are more");
                self.error("E-too-large", at, message, "keep values in variables");
                break;
            }
            let first = parameters.iter().find(|(known, _)| *known == name.as_str());
            let first = first.map(|(_, span)| span.clone());
            self.is_taken("the parameter", name.as_str(), at.clone(), first);
            parameters.push((name.as_str(), at));
        }
        parameters
    }

    fn declare_window(&mut self, pair: Pair<'a, Rule>, offset: usize, kind: ItemKind) {
        let name = child(&pair, Rule::name).expect("the grammar gives a name");
        let at = span(&name, offset);
        let first = self.declared.window_numbers.get(name.as_str());
        let first = first.map(|&number| self.declared.windows[number as usize].span.clone());
        let is_taken = self.is_taken("the window", name.as_str(), at.clone(), first);
        if self.declared.windows.len() == WINDOWS_MAX {
            let message = format!("a model may have {WINDOWS_MAX} windows, and this has more");
            self.error("E-too-large", at, message, "split it into several models");
            return;
        }
        let mut own: Vec<OwnHead<'a>> = Vec::new();
        let mut own_numbers: BTreeMap<&'a str, OwnId> = BTreeMap::new();
        if let Some(pair) = child(&pair, Rule::parameters) {
            for (name, span) in self.parameters(pair, offset) {
                own_numbers.insert(name, own.len() as OwnId);
                own.push(OwnHead { name, span, is_kept: true, initial: None });
            }
        }
        let parameters = own.len() as u32;
        let body = child(&pair, Rule::window_body).expect("the grammar gives a body");
        for line in body.into_inner().filter(|pair| pair.as_rule() == Rule::own) {
            let is_kept = child(&line, Rule::kept).is_some();
            for variable in line.into_inner().filter(|pair| pair.as_rule() == Rule::own_variable) {
                let name = child(&variable, Rule::name).expect("the grammar gives a name");
                let at = span(&name, offset);
                let first = own_numbers.get(name.as_str()).map(|&number| own[number as usize].span.clone());
                if self.is_taken("the variable", name.as_str(), at.clone(), first) {
                    continue;
                }
                own_numbers.insert(name.as_str(), own.len() as u32);
                let initial = child(&variable, Rule::expression);
                own.push(OwnHead { name: name.as_str(), span: at, is_kept, initial });
            }
        }
        let number = self.declared.windows.len() as WindowId;
        if !is_taken {
            self.declared.window_numbers.insert(name.as_str(), number);
        }
        let name = name.as_str();
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
        let name = child(&pair, Rule::name).expect("the grammar gives a name");
        let at = span(&name, offset);
        let first = self.declared.part_numbers.get(name.as_str());
        let first = first.map(|&number| self.declared.parts[number as usize].span.clone());
        let is_taken = self.is_taken("the part", name.as_str(), at.clone(), first);
        let parameters =
            child(&pair, Rule::parameters).map_or(Vec::new(), |pair| self.parameters(pair, offset));
        let children = child(&pair, Rule::children).expect("the grammar gives widgets");
        let has_content = children.clone().into_inner().flatten().any(|pair| pair.as_rule() == Rule::content);
        if !is_taken {
            self.declared.part_numbers.insert(name.as_str(), self.declared.parts.len() as u32);
        }
        let name = name.as_str();
        let part = PartHead { name, span: at, parameters, children, has_content, offset };
        self.declared.parts.push(Rc::new(part));
    }

    fn declare_procedure(&mut self, pair: Pair<'a, Rule>, offset: usize) {
        let name = child(&pair, Rule::name).expect("the grammar gives a name");
        let at = span(&name, offset);
        let first = self.declared.procedure_numbers.get(name.as_str());
        let first = first.map(|&number| self.declared.procedures[number as usize].span.clone());
        let is_taken = self.is_taken("the def", name.as_str(), at.clone(), first);
        let parameters =
            child(&pair, Rule::parameters).map_or(Vec::new(), |pair| self.parameters(pair, offset));
        let block = child(&pair, Rule::block).expect("the grammar gives effects");
        if !is_taken {
            self.declared.procedure_numbers.insert(name.as_str(), self.declared.procedures.len() as u32);
        }
        let name = name.as_str();
        self.declared.procedures.push(Rc::new(ProcedureHead { name, span: at, parameters, block, offset }));
    }

    /// Works out the first values of the app's variables.
    pub(super) fn globals(&mut self) -> Vec<Global> {
        let heads = self.declared.globals.clone();
        let mut initials: Vec<Option<Initial>> = vec![None; heads.len()];
        // Parameters first, as the others may speak of them.
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
        if head.life == Life::Param && !set::is_constant(&value.expr) {
            let help = "write `true`, `false`, a number or a text";
            self.error("E-constant", at, "the value of a parameter is said as it stands", help);
        }
        (Initial::Value(value.expr), value.kind.of_variable())
    }
}
