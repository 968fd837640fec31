//! Nodes: widgets and the forms among them, with parts put in their places.

use std::sync::Arc;

use pest::iterators::Pair;

use super::super::model::{Datum, Does, Effect, Expr, LocalId, Node, Scroll, Widget};
use super::declare::Head;
use super::grammar::{LINE_WHEN, Rule};
use super::reach;
use super::scope::{Kind, Owner, Scope};
use super::{DEPTH_MAX, Reader, span};
use crate::gui::Direction;
use crate::text::{Span, child, clip, did_you_mean, part, parts};

/// Nodes that `content` stands for.
#[derive(Clone, Copy)]
pub(super) enum Content<'s, 'a> {
    /// None: the place is in no part.
    Outside,
    /// Unknown: a part is read by itself.
    Open,
    /// Nodes put into the part, with the names known at their place.
    Given { pair: Option<&'s Pair<'a, Rule>>, scope: &'s Scope<'a>, outer: &'s Content<'s, 'a> },
}

/// Owner of the handlers among nodes.
enum Handlers<'w> {
    Widget(&'w mut Widget),
    /// A window: its handlers are read elsewhere.
    Window,
    Nobody,
}

/// Name for a value, and the nodes that know it.
struct Named {
    name: Option<(LocalId, Expr)>,
    nodes: Vec<Node>,
}

impl<'a> Reader<'a> {
    /// Reads each part by itself, for its mistakes.
    pub(super) fn check_parts(&mut self) {
        self.find_recursive();
        let parts = self.declared.parts.clone();
        let counted = (self.nodes, self.operands, self.scrolls);
        self.uses.enter(reach::Owner::Nobody);
        for part in &parts {
            let mut scope = Scope::new(part.offset, Owner::Part);
            scope.is_look = true;
            for &(name, _) in &part.parameters {
                scope.add(name, Kind::Unknown, false);
            }
            self.nodes_in(&part.body, &mut scope, &Content::Open, 1, Handlers::Nobody);
        }
        // Parts count where they are put in.
        (self.nodes, self.operands, self.scrolls) = counted;
    }

    /// Finds the parts that use themselves, and reports them.
    fn find_recursive(&mut self) {
        let parts = self.declared.parts.clone();
        let mut uses: Vec<Vec<(usize, Span)>> = Vec::new();
        for part in &parts {
            let used = part.body.clone().into_inner().flatten();
            let used = used.filter(|pair| pair.as_rule() == Rule::use_node).filter_map(|pair| {
                let name = child(&pair, Rule::name)?;
                let number = *self.declared.part_numbers.get(name.as_str())?;
                Some((number as usize, span(&name, part.offset)))
            });
            uses.push(used.collect());
        }
        // A part that uses only parts known to end is known to end. The others use themselves, directly or not.
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
        let mut unknown: Vec<usize> = uses.iter().map(Vec::len).collect();
        for (user, used) in uses.iter().enumerate() {
            for &(part, _) in used {
                users[part].push(user);
            }
        }
        let mut ending: Vec<usize> = (0..parts.len()).filter(|&part| unknown[part] == 0).collect();
        while let Some(part) = ending.pop() {
            for &user in &users[part] {
                unknown[user] -= 1;
                if unknown[user] == 0 {
                    ending.push(user);
                }
            }
        }
        for part in (0..parts.len()).filter(|&part| unknown[part] > 0) {
            self.declared.recursive.insert(part as u32);
        }
        // A part that none of these uses is in no circle.
        let is_recursive: Vec<bool> = unknown.iter().map(|&unknown| unknown > 0).collect();
        for (part, used) in uses.iter().enumerate().filter(|&(part, _)| is_recursive[part]) {
            if !users[part].iter().any(|&user| is_recursive[user]) {
                continue;
            }
            // One use in the circle is enough to report.
            if let Some((_, at)) = used.iter().find(|&&(used, _)| is_recursive[used]) {
                let message = format!("the part `{}` uses itself", clip(parts[part].name));
                let help = "a part has an end; show many alike with `for`";
                self.error("E-recursive", at.clone(), message, help);
            }
        }
    }

    /// Reads the nodes in the braces of a window.
    pub(super) fn window_nodes(&mut self, body: &Pair<'a, Rule>, scope: &mut Scope<'a>) -> Vec<Node> {
        scope.is_look = true;
        let nodes = self.nodes_in(body, scope, &Content::Outside, 1, Handlers::Window);
        scope.is_look = false;
        nodes
    }

    /// Reads the nodes of a window that stands in a part.
    pub(super) fn framed(
        &mut self,
        frame: &Pair<'a, Rule>,
        body: &Pair<'a, Rule>,
        scope: &mut Scope<'a>,
    ) -> Vec<Node> {
        let mut nodes = Vec::new();
        scope.is_look = true;
        self.put_in(frame, Some(body), scope, &Content::Outside, 1, &mut nodes);
        scope.is_look = false;
        nodes
    }

    /// Reads the effects of a gesture on a widget, which are no part of its look.
    fn done(&mut self, effects: Pair<'a, Rule>, scope: &mut Scope<'a>) -> Arc<[Effect]> {
        // Effects may draw chance; the look of a screen may not.
        let is_look = std::mem::take(&mut scope.is_look);
        let effects = self.effects(effects, scope, 1);
        scope.is_look = is_look;
        effects
    }

    /// Reads the nodes in braces. Names that they declare end with them.
    fn nodes_in(
        &mut self,
        braces: &Pair<'a, Rule>,
        scope: &mut Scope<'a>,
        content: &Content<'_, 'a>,
        depth: usize,
        mut handlers: Handlers<'_>,
    ) -> Vec<Node> {
        let mark = scope.mark();
        let mut open = vec![Named { name: None, nodes: Vec::new() }];
        for pair in braces.clone().into_inner() {
            if matches!(pair.as_rule(), Rule::open_brace | Rule::close_brace | Rule::own | Rule::every) {
                continue;
            }
            self.count_node(&pair, scope);
            if self.is_full {
                break;
            }
            // Each `let` nests the nodes after it.
            let depth = depth + open.len();
            if depth > DEPTH_MAX {
                self.too_deep(span(&pair, scope.offset), scope);
                break;
            }
            match pair.as_rule() {
                Rule::let_node => {
                    let name = part(&pair, Rule::name);
                    let value = self.expression_in(&pair, scope);
                    let local = scope.add(name.as_str(), value.kind.of_variable(), false);
                    open.push(Named { name: Some((local, value.expr)), nodes: Vec::new() });
                }
                Rule::handler => match &mut handlers {
                    Handlers::Widget(widget) => {
                        let names = open.iter().filter_map(|named| named.name.as_ref());
                        let names: Vec<(LocalId, Expr)> = names.cloned().collect();
                        self.widget_handler(pair, &names, widget, scope);
                    }
                    Handlers::Window => {}
                    Handlers::Nobody => {
                        let event = part(&pair, Rule::event);
                        let help = "write it there, or `if` in its effects";
                        let message = "`on` stands directly in the braces of a widget or a window";
                        self.mistake(scope, "E-place", span(&event, scope.offset), message, help);
                    }
                },
                _ => {
                    let nodes = &mut open.last_mut().expect("the first is never taken").nodes;
                    self.node(pair, scope, content, depth, nodes);
                }
            }
        }
        scope.reset(mark);
        let mut body = Vec::new();
        // From the last `let` back: each name holds the nodes after it.
        while let Some(Named { name, mut nodes }) = open.pop() {
            nodes.append(&mut body);
            body = match name {
                Some((local, value)) => vec![Node::Let { local, value, body: nodes }],
                None => nodes,
            };
        }
        body
    }

    fn node(
        &mut self,
        pair: Pair<'a, Rule>,
        scope: &mut Scope<'a>,
        content: &Content<'_, 'a>,
        depth: usize,
        nodes: &mut Vec<Node>,
    ) {
        match pair.as_rule() {
            Rule::when_node => self.when(pair, scope, content, depth, nodes),
            Rule::for_node => {
                let mark = scope.mark();
                let each = part(&pair, Rule::each);
                let each = self.each(&each, scope);
                let children = part(&pair, Rule::children);
                let body = self.nodes_in(&children, scope, content, depth, Handlers::Nobody);
                scope.reset(mark);
                if let Some((local, each)) = each {
                    nodes.push(Node::For { local, each, body });
                }
            }
            Rule::use_node => {
                let children = child(&pair, Rule::children);
                self.put_in(&pair, children.as_ref(), scope, content, depth, nodes);
            }
            Rule::content => self.content(&pair, scope, content, depth, nodes),
            _ => {
                let widget = self.widget(pair, scope, content, depth);
                nodes.push(Node::Widget(Arc::new(widget)));
            }
        }
    }

    fn when(
        &mut self,
        pair: Pair<'a, Rule>,
        scope: &mut Scope<'a>,
        content: &Content<'_, 'a>,
        depth: usize,
        nodes: &mut Vec<Node>,
    ) {
        let mut conditions = Vec::new();
        let mut branches = Vec::new();
        let at = span(&pair, scope.offset);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::expression => {
                    let condition = self.expression(part, scope);
                    conditions.push(condition.expr);
                }
                Rule::children => {
                    // Each `else` nests the branches after it.
                    let depth = depth + conditions.len();
                    if depth > DEPTH_MAX {
                        self.too_deep(at, scope);
                        return;
                    }
                    let branch = self.nodes_in(&part, scope, content, depth, Handlers::Nobody);
                    branches.push(branch);
                }
                _ => {}
            }
        }
        let mut otherwise = Vec::new();
        if branches.len() > conditions.len() {
            // One branch more than conditions: the last is the `else`.
            otherwise = branches.pop().expect("there are more than none");
        }
        while let (Some(condition), Some(then)) = (conditions.pop(), branches.pop()) {
            otherwise = vec![Node::When { condition, then, otherwise }];
        }
        nodes.append(&mut otherwise);
    }

    fn content(
        &mut self,
        pair: &Pair<'a, Rule>,
        scope: &mut Scope<'a>,
        content: &Content<'_, 'a>,
        depth: usize,
        nodes: &mut Vec<Node>,
    ) {
        match *content {
            Content::Outside => {
                let help = "it stands for what is put into a part, in `part NAME { ... }`";
                self.mistake(
                    scope,
                    "E-content",
                    span(pair, scope.offset),
                    "`content` stands in a part",
                    help,
                );
            }
            Content::Open | Content::Given { pair: None, .. } => {}
            Content::Given { pair: Some(given), scope: known, outer } => {
                // The nodes know the names at their own place, and take slots after those of the part.
                let mut inner = known.within(scope);
                let handlers = match given.as_rule() {
                    Rule::window_body => Handlers::Window,
                    _ => Handlers::Nobody,
                };
                let mut found = self.nodes_in(given, &mut inner, outer, depth, handlers);
                scope.leave(&inner);
                nodes.append(&mut found);
            }
        }
    }

    /// Puts in the part that a `use` or an `in` names.
    fn put_in(
        &mut self,
        pair: &Pair<'a, Rule>,
        given: Option<&Pair<'a, Rule>>,
        scope: &mut Scope<'a>,
        content: &Content<'_, 'a>,
        depth: usize,
        nodes: &mut Vec<Node>,
    ) {
        let name = part(pair, Rule::name);
        let at = span(&name, scope.offset);
        let part = self.part(&name, scope);
        let parameters = part.as_ref().map_or(0, |(_, part)| part.parameters.len() as u32);
        // At run time, some of the parameters have their values when the next value is evaluated: their slots are taken.
        let mark = scope.mark();
        scope.skip(parameters);
        let arguments = child(pair, Rule::arguments);
        let values = arguments.map_or(Vec::new(), |arguments| self.values(&arguments, scope));
        scope.reset(mark);
        if let Some((_, part)) = &part {
            let takes: Vec<&str> = part.parameters.iter().map(|&(name, _)| name).collect();
            self.count_fits(part.name, &takes, values.len(), &at, scope);
            if given.is_some() && !part.has_content {
                let message = format!("the part `{}` has no `content`", clip(part.name));
                let help = "write `content` in it where what is put in shall stand";
                self.mistake(scope, "E-content", at.clone(), message, help);
            }
        }
        // Read by itself, a part puts in no others: they are read by themselves too.
        let is_alone = matches!(content, Content::Open);
        let Some((_, part)) =
            part.filter(|(number, _)| !is_alone && !self.declared.recursive.contains(number))
        else {
            // The nodes to put in are read all the same, for their mistakes.
            if let Some(given) = given {
                let handlers = match given.as_rule() {
                    Rule::window_body => Handlers::Window,
                    _ => Handlers::Nobody,
                };
                self.nodes_in(given, scope, content, depth, handlers);
            }
            return;
        };
        let depth = depth + part.parameters.len();
        if depth > DEPTH_MAX {
            return self.too_deep(at, scope);
        }
        let mut inner = scope.of_part(part.offset);
        let slots: Vec<LocalId> =
            part.parameters.iter().map(|&(name, _)| inner.add(name, Kind::Unknown, false)).collect();
        let content = Content::Given { pair: given, scope: &scope.clone(), outer: content };
        let mut body = self.nodes_in(&part.body, &mut inner, &content, depth, Handlers::Nobody);
        scope.leave(&inner);
        for (local, value) in slots.into_iter().zip(values).rev() {
            body = vec![Node::Let { local, value, body }];
        }
        nodes.append(&mut body);
    }

    fn part(&mut self, name: &Pair<'a, Rule>, scope: &Scope<'a>) -> Option<(u32, std::rc::Rc<Head<'a>>)> {
        if let Some(&number) = self.declared.part_numbers.get(name.as_str()) {
            self.uses.part(number);
            return Some((number, self.declared.parts[number as usize].clone()));
        }
        let at = span(name, scope.offset);
        let is_said = scope.is_quiet || self.declared.broken.contains(name.as_str());
        if !is_said && !self.is_enough("E-unknown-part", &at) {
            let parts: Vec<&str> = self.declared.parts.iter().map(|part| part.name).collect();
            let help = self.near(name.as_str(), parts.iter().copied(), |known| match known {
                [] => "declare it: `part row(title) { ... }`".to_string(),
                known => format!("there are {}", known.join(", ")),
            });
            let message = format!("there is no part `{}`", clip(name.as_str()));
            self.error("E-unknown-part", at, message, help);
        }
        None
    }

    fn widget(
        &mut self,
        pair: Pair<'a, Rule>,
        scope: &mut Scope<'a>,
        content: &Content<'_, 'a>,
        depth: usize,
    ) -> Widget {
        let class = part(&pair, Rule::class);
        let mut widget = Widget {
            class: complete(class.as_str()),
            id: Arc::from(""),
            text: None,
            desc: None,
            hint: None,
            bounds: None,
            wide: None,
            tall: None,
            is_across: false,
            scroll: None,
            clickable: None,
            longclickable: None,
            checkable: None,
            checked: None,
            enabled: None,
            selected: None,
            password: None,
            edits: None,
            is_solid: false,
            condition: None,
            on_click: None,
            on_longclick: None,
            on_tap: None,
            on_swipe: Vec::new(),
            on_text: None,
            nodes: Vec::new(),
            span: span(&class, scope.offset),
        };
        let mut said: Vec<&str> = Vec::new();
        let mut children = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::attribute => {
                    let inner = part.into_inner().next().expect("the grammar gives an attribute");
                    self.attribute(inner, &mut widget, &mut said, scope);
                }
                Rule::children => children = Some(part),
                _ => {}
            }
        }
        if let Some(children) = children {
            let nodes = self.nodes_in(&children, scope, content, depth, Handlers::Widget(&mut widget));
            widget.nodes = nodes;
        }
        widget
    }

    fn attribute(
        &mut self,
        pair: Pair<'a, Rule>,
        widget: &mut Widget,
        said: &mut Vec<&'a str>,
        scope: &mut Scope<'a>,
    ) {
        let at = span(&pair, scope.offset);
        let word = match pair.as_rule() {
            Rule::id => "id",
            Rule::text | Rule::group => "text",
            Rule::click => "->",
            Rule::valued if pair.as_str().starts_with(LINE_WHEN) => "when",
            _ => pair.as_str().split(|char: char| !char.is_alphanumeric()).next().unwrap_or(""),
        };
        // `disabled` and `enabled` set the same attribute.
        let key = if word == "disabled" { "enabled" } else { word };
        if said.contains(&key) {
            let message = format!("the widget has its `{word}` already");
            let help = if word == "->" { "part effects by `;`" } else { "leave one out" };
            self.mistake(scope, "E-duplicate", at, message, help);
            return;
        }
        said.push(key);
        match pair.as_rule() {
            Rule::id => widget.id = self.id(&pair, scope),
            Rule::text | Rule::group => widget.text = Some(self.primary(pair, scope).expr),
            Rule::at => {
                let mut bounds = Vec::new();
                for coordinate in parts(&pair, Rule::coordinate) {
                    let inner = coordinate.into_inner().next().expect("the grammar gives a number");
                    let worked = self.primary(inner, scope);
                    self.expect_kind(&worked, Kind::Int, "`at` takes numbers", scope);
                    bounds.push(worked.expr);
                }
                let bounds: [Expr; 4] = bounds.try_into().expect("the grammar gives four");
                widget.bounds = Some(Box::new(bounds));
            }
            Rule::scrolls => {
                let is_sideways = child(&pair, Rule::sideways).is_some();
                widget.scroll = Some(Scroll { is_sideways, position: self.scrolls });
                self.scrolls += 1;
            }
            Rule::edits => {
                let path = part(&pair, Rule::path);
                widget.edits = self.variable(path, "edited", scope).map(|target| target.variable);
            }
            Rule::click => {
                let effects = part(&pair, Rule::effects);
                widget.on_click = Some(self.done(effects, scope));
            }
            Rule::plain => match word {
                "across" => widget.is_across = true,
                "solid" => widget.is_solid = true,
                _ => widget.enabled = Some(Expr::Value(Datum::Bool(false))),
            },
            Rule::flag => {
                let value = pair.into_inner().find(|pair| pair.as_rule() != Rule::flag_word);
                let value = value.map(|value| self.primary(value, scope).expr);
                let value = Some(value.unwrap_or(Expr::Value(Datum::Bool(true))));
                match word {
                    "clickable" => widget.clickable = value,
                    "longclickable" => widget.longclickable = value,
                    "checkable" => widget.checkable = value,
                    "selected" => widget.selected = value,
                    _ => widget.password = value,
                }
            }
            _ => {
                let simple = part(&pair, Rule::simple);
                let inner = simple.into_inner().next().expect("the grammar gives a value");
                let worked = self.primary(inner, scope);
                if matches!(word, "tall" | "wide") {
                    self.expect_kind(&worked, Kind::Int, &format!("`{word}` takes a number"), scope);
                    let value = Some(worked.expr);
                    match word {
                        "tall" => widget.tall = value,
                        _ => widget.wide = value,
                    }
                    return;
                }
                let value = Some(worked.expr);
                match word {
                    "desc" => widget.desc = value,
                    "hint" => widget.hint = value,
                    "checked" => widget.checked = value,
                    "enabled" => widget.enabled = value,
                    _ => widget.condition = value,
                }
            }
        }
    }

    fn id(&mut self, pair: &Pair<'a, Rule>, scope: &Scope<'a>) -> Arc<str> {
        let written = &pair.as_str()[1..];
        if let Some((package, rest)) = written.split_once(':') {
            let is_full = !package.is_empty()
                && rest.split_once('/').is_some_and(|(kind, name)| !kind.is_empty() && !name.is_empty());
            if !is_full {
                let message = format!("`#{}` is no id", clip(written));
                self.mistake(
                    scope,
                    "E-id",
                    span(pair, scope.offset),
                    message,
                    "an id is `#save` or `#android:id/list`",
                );
            }
            return Arc::from(written);
        }
        // Android writes ids in full: package, kind and name.
        let package = self.declared.app.as_ref().map_or("", |app| &app.package);
        // `#menu/save` names the kind of the resource itself.
        if written.contains('/') {
            return Arc::from(format!("{package}:{written}"));
        }
        Arc::from(format!("{package}:id/{written}"))
    }

    /// Reads a handler in the braces of a widget. The names in `known` stand before it.
    fn widget_handler(
        &mut self,
        pair: Pair<'a, Rule>,
        known: &[(LocalId, Expr)],
        widget: &mut Widget,
        scope: &mut Scope<'a>,
    ) {
        const EVENTS: [&str; 6] = ["longclick", "tap", "swipe left", "swipe right", "swipe up", "swipe down"];
        let event = part(&pair, Rule::event);
        let at = span(&event, scope.offset);
        let word = part(&event, Rule::word).as_str();
        let second = child(&event, Rule::event_name).map(|name| name.as_str());
        let parameters = child(&event, Rule::parameters);
        let parameters: Vec<&'a str> =
            parameters.iter().flat_map(|pair| parts(pair, Rule::name)).map(|name| name.as_str()).collect();
        if let Some(clause) = child(&pair, Rule::when_clause) {
            let help = "write `if E { ... }` in its effects";
            let message = "what is done on a widget has no `when`";
            self.mistake(scope, "E-event", span(&clause, scope.offset), message, help);
        }
        let direction = Direction::ALL.into_iter().find(|direction| Some(direction.name()) == second);
        let is_known = match word {
            "longclick" | "text" => second.is_none() && parameters.is_empty(),
            "tap" => second.is_none() && parameters.len() == 2,
            "swipe" => direction.is_some() && parameters.is_empty(),
            _ => false,
        };
        if !is_known {
            let written = event.as_str().trim();
            let help = match word {
                "tap" => "it is `on tap(x, y): ...`".to_string(),
                "swipe" => "it is `on swipe left: ...`, or right, up, down".to_string(),
                "click" => "write `-> effects` among the attributes".to_string(),
                _ => did_you_mean(word, EVENTS.into_iter().chain(["text"]), || {
                    "on a widget are longclick, tap(x, y), swipe left, right, up, down, and text".to_string()
                }),
            };
            let message = format!("`{}` does not happen to a widget", clip(written));
            self.mistake(scope, "E-event", at.clone(), message, help);
        }
        let mark = scope.mark();
        // The effects of an unknown event are read too, for their mistakes.
        let touched: Vec<LocalId> =
            parameters.into_iter().map(|name| scope.add(name, Kind::Int, false)).collect();
        let effects = part(&pair, Rule::effects);
        let whole = span(&pair, scope.offset);
        let effects = self.done(effects, scope);
        scope.reset(mark);
        if !is_known {
            return;
        }
        // The handler runs later, outside of the nodes: it starts with their names.
        let effects = match known {
            [] => effects,
            known => {
                let names = known.iter().cloned();
                let names = names
                    .map(|(local, value)| Effect { does: Does::Let { local, value }, span: whole.clone() });
                names.chain(effects.iter().cloned()).collect()
            }
        };
        let is_taken = match (word, direction) {
            ("longclick", _) => widget.on_longclick.replace(effects).is_some(),
            ("text", _) => widget.on_text.replace(effects).is_some(),
            ("tap", _) => widget.on_tap.replace((touched[0], touched[1], effects)).is_some(),
            (_, direction) => {
                let direction = direction.expect("a swipe is known by its direction");
                let is_taken = widget.on_swipe.iter().any(|&(known, _)| known == direction);
                widget.on_swipe.push((direction, effects));
                is_taken
            }
        };
        if is_taken {
            let message = format!("the widget has its `on {}` already", clip(event.as_str().trim()));
            self.mistake(scope, "E-duplicate", at, message, "part effects by `;`");
        }
    }
}

/// Returns a class in full.
fn complete(class: &str) -> Arc<str> {
    if class.contains('.') {
        return Arc::from(class);
    }
    let package = match class {
        "View" | "ViewGroup" | "ViewStub" | "SurfaceView" | "TextureView" => "android.view",
        "WebView" => "android.webkit",
        // Most classes of widgets are in this package.
        _ => "android.widget",
    };
    Arc::from(format!("{package}.{class}"))
}
