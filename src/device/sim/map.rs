//! The map of an app model: the windows, and the widgets and events that lead from one to another.
//!
//! The map is read off the model without running it: effects behind a condition count as possible. Its picture is
//! drawn as SVG, and by Graphviz from [`Map::to_dot`].

mod svg;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;

use super::model::{
    Datum, Does, Each, Effect, Event, Expr, Model, Node, Operator, Widget, Window, WindowId, WindowKind,
};

use crate::sorted;

/// The windows of an app, and the arrows between them.
#[derive(Clone, Debug)]
pub struct Map {
    /// Name and version of the app.
    pub title: String,
    /// Package of the app.
    pub package: String,
    /// Windows, in the order of the model.
    pub windows: Vec<MapWindow>,
    /// Arrows, in the order of the model; at most one of each kind between two windows.
    pub arrows: Vec<Arrow>,
}

/// A window of a [`Map`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapWindow {
    /// Name in the model.
    pub name: String,
    /// Short class name of an activity; `dialog` or `popup` for others.
    pub about: String,
    /// True if it is a screen of its own; else it lies over one.
    pub is_activity: bool,
    /// True if it can be started from outside.
    pub is_launchable: bool,
    /// True if a launched window leads to it.
    pub is_reachable: bool,
}

/// The widgets and events that lead from one window to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Start, an index of [`Map::windows`].
    pub from: usize,
    /// End, an index of [`Map::windows`]; none if it depends on the way to the start.
    pub to: Option<usize>,
    /// True if it ends the window and leads back.
    pub is_end: bool,
    /// Texts, descriptions and ids of widgets, and events that lead there; at least one, each once.
    pub by: Vec<String>,
}

/// Characters shown of the text of a widget.
const LABEL_CHARS_MAX: usize = 40;

impl Map {
    /// Returns the map of `model`.
    pub fn of(model: &Model) -> Map {
        let leads = leads(model);
        let arrows = arrows(model, &leads);
        let reachable = reachable(model, &arrows);
        let windows = (0..)
            .zip(&model.windows)
            .map(|(id, window)| MapWindow {
                name: window.name.to_string(),
                about: about(window, model),
                is_activity: is_activity(window),
                is_launchable: model.launchable.contains(&id),
                is_reachable: reachable.contains(&(id as usize)),
            })
            .collect();
        Map {
            title: format!("{} {}", model.label, model.version),
            package: model.package.to_string(),
            windows,
            arrows,
        }
    }

    /// Returns the map in the language of Graphviz.
    pub fn to_dot(&self) -> String {
        let mut dot = String::new();
        let _ = writeln!(dot, "digraph {} {{", quoted(&self.package));
        let _ = writeln!(
            dot,
            "  rankdir=LR; label={}; labelloc=t; fontname=\"sans-serif\";",
            quoted(&self.title)
        );
        let _ = writeln!(dot, "  node [shape=box, fontname=\"sans-serif\"];");
        let _ = writeln!(dot, "  edge [fontname=\"sans-serif\", fontsize=10];");
        for (at, window) in self.windows.iter().enumerate() {
            let mut styles = Vec::new();
            if !window.is_activity {
                styles.push("rounded");
            }
            if window.is_launchable {
                styles.push("bold");
            }
            if !window.is_reachable {
                styles.push("dashed");
            }
            let label = quoted(&format!("{}\n{}", window.name, window.about));
            let _ = writeln!(dot, "  {at} [label={label}, style={}];", quoted(&styles.join(",")));
            if window.is_launchable {
                let _ = writeln!(dot, "  launch{at} [shape=point, width=0.12]; launch{at} -> {at};");
            }
        }
        for (at, arrow) in self.arrows.iter().enumerate() {
            let label = quoted(&arrow.by.join("\n"));
            // An end leads back, and must not turn the order of the columns around.
            let style = if arrow.is_end { ", style=dashed, color=gray40, constraint=false" } else { "" };
            match arrow.to {
                Some(to) => {
                    let _ = writeln!(dot, "  {} -> {to} [label={label}{style}];", arrow.from);
                }
                // A node of its own, as it leads back to any window before.
                None => {
                    let _ = writeln!(dot, "  back{at} [shape=plaintext, label=\"back\", fontsize=10];");
                    let _ = writeln!(
                        dot,
                        "  {} -> back{at} [label={label}, style=dashed, color=gray40];",
                        arrow.from
                    );
                }
            }
        }
        dot.push_str("}\n");
        dot
    }

    /// Returns the map as a picture: an SVG file that needs no other file.
    pub fn to_svg(&self) -> String {
        svg::draw(self)
    }
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    // Graphviz has no escapes for control characters.
    format!("\"{}\"", escaped.replace(char::is_control, "\u{fffd}"))
}

fn is_activity(window: &Window) -> bool {
    matches!(window.kind, WindowKind::Activity { .. })
}

fn about(window: &Window, model: &Model) -> String {
    match &window.kind {
        WindowKind::Activity { package, class, .. } => {
            let short = class.strip_prefix(&**package).filter(|rest| rest.starts_with('.')).unwrap_or(class);
            if *package == model.package { short.to_string() } else { format!("{package}/{short}") }
        }
        WindowKind::Dialog { .. } => "dialog".to_string(),
        WindowKind::Popup { .. } => "popup".to_string(),
    }
}

/// A widget or an event that leads from a window.
struct Lead {
    from: WindowId,
    way: Way,
    by: String,
}

/// Effect of a lead on windows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// Opens or shows `window`: in place of the window it ends, or `afresh`, back at an earlier instance.
    To { window: WindowId, in_place: bool, afresh: bool },
    /// Closes its own dialog.
    Closes,
    /// Finishes its own activity, or the one below its dialog.
    Finishes,
}

fn leads(model: &Model) -> Vec<Lead> {
    let mut leads = Vec::new();
    for (id, window) in (0..).zip(&model.windows) {
        let mut reader = Reader { model, window, id, locals: Vec::new(), leads: &mut leads };
        for handler in &window.handlers {
            reader.add(&handler.effects, event(handler.event, model));
        }
        reader.nodes(&window.nodes);
    }
    leads
}

fn event(event: Event, model: &Model) -> String {
    match event {
        Event::Create => "on create".to_string(),
        Event::Resume => "on resume".to_string(),
        Event::Pause => "on pause".to_string(),
        Event::Destroy => "on destroy".to_string(),
        Event::Result(request) => format!("on result {}", model.requests[request as usize]),
        Event::Back => "on back".to_string(),
        Event::Menu => "on menu".to_string(),
        Event::Network => "on network".to_string(),
        Event::Every { ms } if ms % 1_000 == 0 => format!("every {}s", ms / 1_000),
        Event::Every { ms } => format!("every {ms}ms"),
    }
}

/// Reads a window, and keeps the texts of locals.
struct Reader<'a> {
    model: &'a Model,
    window: &'a Window,
    id: WindowId,
    locals: Vec<(u32, String)>,
    leads: &'a mut Vec<Lead>,
}

impl Reader<'_> {
    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Widget(widget) => self.widget(widget),
                Node::When { then, otherwise, .. } => {
                    self.nodes(then);
                    self.nodes(otherwise);
                }
                Node::For { local, each, body } => {
                    let shown = match each {
                        Each::Numbers { .. } => "…".to_string(),
                        Each::Records(query) => {
                            format!("{{{}}}", self.model.globals[query.list as usize].name)
                        }
                    };
                    self.named(*local, shown, body);
                }
                Node::Let { local, value, body } => {
                    let shown = self.text(value).unwrap_or_default();
                    self.named(*local, shown, body);
                }
            }
        }
    }

    fn named(&mut self, local: u32, shown: String, body: &[Node]) {
        // A local is known in its body alone.
        self.locals.push((local, shown));
        self.nodes(body);
        self.locals.pop();
    }

    fn widget(&mut self, widget: &Widget) {
        let acts = [
            (widget.on_click.as_ref(), String::new()),
            (widget.on_longclick.as_ref(), " longclick".to_string()),
            (widget.on_tap.as_ref().map(|(_, _, effects)| effects), " tap".to_string()),
            (widget.on_text.as_ref(), " text".to_string()),
        ];
        let swipes = widget
            .on_swipe
            .iter()
            .map(|(direction, effects)| (Some(effects), format!(" swipe {}", direction.name())));
        for (effects, how) in acts.into_iter().chain(swipes) {
            if let Some(effects) = effects {
                let label = self.label(widget);
                self.add(effects, label + &how);
            }
        }
        self.nodes(&widget.nodes);
    }

    /// Returns the name of a widget: its text, description, text of a widget in it, id or class.
    fn label(&mut self, widget: &Widget) -> String {
        if let Some(text) = self.own_label(widget) {
            return text;
        }
        if let Some(text) = self.label_within(&widget.nodes) {
            return text;
        }
        if let Some(name) = short_id(widget) {
            return format!("#{name}");
        }
        widget.class.rsplit('.').next().unwrap_or(&widget.class).to_string()
    }

    fn own_label(&self, widget: &Widget) -> Option<String> {
        [&widget.text, &widget.desc, &widget.hint]
            .into_iter()
            .flatten()
            .filter_map(|text| self.text(text))
            // A lone sign like `⋮` names no widget.
            .find(|text| text.chars().any(char::is_alphanumeric))
            .map(|text| format!("“{}”", clip(&text)))
    }

    fn label_within(&mut self, nodes: &[Node]) -> Option<String> {
        for node in nodes {
            let found = match node {
                Node::Widget(widget) => match self.own_label(widget) {
                    Some(text) => Some(text),
                    None => self.label_within(&widget.nodes),
                },
                Node::When { then, otherwise, .. } => {
                    self.label_within(then).or_else(|| self.label_within(otherwise))
                }
                Node::For { local, body, .. } => {
                    // The rows differ, so the text of one would mislead.
                    self.locals.push((*local, "…".to_string()));
                    let found = self.label_within(body);
                    self.locals.pop();
                    found
                }
                Node::Let { local, value, body } => {
                    let shown = self.text(value).unwrap_or_default();
                    self.locals.push((*local, shown));
                    let found = self.label_within(body);
                    self.locals.pop();
                    found
                }
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Returns a text, as far as it is known without running the app; variables stand in braces.
    fn text(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Value(Datum::Text(text)) => Some(text.to_string()),
            Expr::Value(Datum::Int(number)) => Some(number.to_string()),
            Expr::Value(Datum::None | Datum::Bool(_) | Datum::Record(..)) => None,
            Expr::Text(parts) => {
                let shown = parts.iter().map(|part| self.text(part).unwrap_or_else(|| "…".to_string()));
                Some(shown.collect())
            }
            Expr::Local(local) => {
                self.locals.iter().rev().find(|(named, _)| named == local).map(|(_, shown)| shown.clone())
            }
            Expr::Global(global) => Some(format!("{{{}}}", self.model.globals[*global as usize].name)),
            Expr::Own(own) => Some(format!("{{{}}}", self.window.own[*own as usize].name)),
            Expr::Field(_, field) => Some(format!("{{{}}}", self.model.fields[*field as usize])),
            Expr::Choose(_, one, other) => match (self.text(one), self.text(other)) {
                (Some(one), Some(other)) if one != other => Some(format!("{one} / {other}")),
                (one, other) => one.or(other),
            },
            Expr::Binary(Operator::Else, one, other) => self.text(one).or_else(|| self.text(other)),
            _ => Some("…".to_string()),
        }
    }

    /// Adds the leads of `effects`, which `by` names.
    fn add(&mut self, effects: &[Effect], by: String) {
        // Procedures may call themselves; each is read once.
        let mut called = BTreeSet::new();
        let mut lists = VecDeque::from([effects]);
        while let Some(effects) = lists.pop_front() {
            let mut ways = Vec::new();
            for effect in effects {
                match &effect.does {
                    Does::Open { window, afresh, .. } => {
                        ways.push(Way::To { window: *window, in_place: false, afresh: *afresh });
                    }
                    Does::Show { window, .. } => {
                        ways.push(Way::To { window: *window, in_place: false, afresh: false });
                    }
                    Does::Finish { .. } => ways.push(Way::Finishes),
                    Does::Close if !is_activity(self.window) => ways.push(Way::Closes),
                    Does::After { effects, .. } | Does::For { effects, .. } => lists.push_back(effects),
                    Does::Chance { branches } => lists.extend(branches.iter().map(|(_, effects)| &**effects)),
                    Does::If { then, otherwise, .. } => lists.extend([&**then, &**otherwise]),
                    Does::Call { procedure, .. } if called.insert(*procedure) => {
                        lists.push_back(&self.model.procedures[*procedure as usize].effects);
                    }
                    Does::Close
                    | Does::Call { .. }
                    | Does::Set { .. }
                    | Does::Let { .. }
                    | Does::Add { .. }
                    | Does::Remove { .. }
                    | Does::Clear { .. }
                    | Does::Leave
                    | Does::Toast { .. }
                    | Does::Wait { .. }
                    | Does::Keyboard
                    | Does::Crash { .. }
                    | Does::Anr { .. } => {}
                }
            }
            // A window that ends and opens another leads to that, and not back.
            let leads_on = ways.iter().any(|way| matches!(way, Way::To { .. }));
            let ends = ways.iter().any(|way| !matches!(way, Way::To { .. }));
            for way in ways {
                let way = match way {
                    Way::To { window, afresh, .. } => Way::To { window, in_place: ends, afresh },
                    Way::Closes | Way::Finishes if leads_on => continue,
                    Way::Closes | Way::Finishes => way,
                };
                self.leads.push(Lead { from: self.id, way, by: by.clone() });
            }
        }
    }
}

fn short_id(widget: &Widget) -> Option<&str> {
    widget.id.rsplit('/').next().filter(|name| !name.is_empty())
}

/// Returns `text` on one line, cut after [`LABEL_CHARS_MAX`].
fn clip(text: &str) -> String {
    let words: Vec<&str> = text.split(|char: char| char.is_whitespace() || char.is_control()).collect();
    let line = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LABEL_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn arrows(model: &Model, leads: &[Lead]) -> Vec<Arrow> {
    let below = Below::of(model, leads);
    let mut arrows: Vec<Arrow> = Vec::new();
    let mut places = BTreeMap::new();
    for lead in leads {
        let (to, is_end) = match lead.way {
            Way::To { window, .. } => (Some(window), false),
            Way::Closes => (below.only(below.dialog(lead.from)), true),
            Way::Finishes => (below.only(below.activity(lead.from)), true),
        };
        // All widgets that lead to a window in the same way share an arrow.
        let place = *places.entry((lead.from, to, is_end)).or_insert_with(|| {
            let to = to.map(|to| to as usize);
            arrows.push(Arrow { from: lead.from as usize, to, is_end, by: Vec::new() });
            arrows.len() - 1
        });
        // A widget may lead there in several ways, and is named once.
        if !arrows[place].by.contains(&lead.by) {
            arrows[place].by.push(lead.by.clone());
        }
    }
    arrows
}

/// The windows that can lie below another.
struct Below<'a> {
    model: &'a Model,
    /// Leads that open each window.
    openers: Vec<Vec<&'a Lead>>,
}

impl<'a> Below<'a> {
    fn of(model: &'a Model, leads: &'a [Lead]) -> Below<'a> {
        let mut openers = vec![Vec::new(); model.windows.len()];
        for lead in leads {
            // `afresh` goes back to an earlier instance, below which the same windows lie as before.
            if let Way::To { window, afresh: false, .. } = lead.way {
                openers[window as usize].push(lead);
            }
        }
        Below { model, openers }
    }

    fn is_dialog(&self, window: WindowId) -> bool {
        !is_activity(&self.model.windows[window as usize])
    }

    /// Returns the windows that can show once the dialog is closed.
    fn dialog(&self, dialog: WindowId) -> BTreeSet<WindowId> {
        self.up(dialog, |lead| {
            matches!(lead.way, Way::To { in_place: true, .. }) && self.is_dialog(lead.from)
        })
    }

    /// Returns the windows that can show once the activity is finished, or the one below the dialog.
    fn activity(&self, window: WindowId) -> BTreeSet<WindowId> {
        let activities = if self.is_dialog(window) {
            self.up(window, |lead| self.is_dialog(lead.from))
        } else {
            [window].into()
        };
        let mut below = BTreeSet::new();
        for activity in activities {
            if self.model.launchable.contains(&activity) {
                // The launcher lies below, and perhaps others.
                return BTreeSet::new();
            }
            let is_gone =
                |lead: &Lead| self.is_dialog(lead.from) || matches!(lead.way, Way::To { in_place: true, .. });
            below.extend(self.up(activity, is_gone));
        }
        below
    }

    /// Returns the windows that open `window`; in place of one that is gone, those that opened it.
    fn up(&self, window: WindowId, is_gone: impl Fn(&Lead) -> bool) -> BTreeSet<WindowId> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut rest = vec![window];
        while let Some(window) = rest.pop() {
            for lead in &self.openers[window as usize] {
                if !is_gone(lead) {
                    found.insert(lead.from);
                } else if seen.insert(lead.from) {
                    rest.push(lead.from);
                }
            }
        }
        found
    }

    fn only(&self, windows: BTreeSet<WindowId>) -> Option<WindowId> {
        // An arrow has one end, so several windows are as good as none.
        windows.first().copied().filter(|_| windows.len() == 1)
    }
}

fn reachable(model: &Model, arrows: &[Arrow]) -> BTreeSet<usize> {
    let mut reached: BTreeSet<usize> = sorted::set(model.launchable.iter().map(|&id| id as usize));
    let mut rest: Vec<usize> = reached.iter().copied().collect();
    while let Some(window) = rest.pop() {
        for arrow in arrows.iter().filter(|arrow| arrow.from == window) {
            rest.extend(arrow.to.filter(|&to| reached.insert(to)));
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::sim::read;
    use crate::spec::{Source, Style};

    fn map(text: &str) -> Map {
        let text = format!("app a.b \"A\" 1\nlaunch Main\n{text}");
        let source = Source::new("test.app", text);
        let read = read(&source);
        Map::of(&read.model.unwrap_or_else(|| panic!("{}", read.diagnostics.render(&source, Style::Plain))))
    }

    /// One line an arrow: `Main -> About: a, b`, with `-<` for an end and `?` for wherever one came from.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let map = map(text);
        let arrows: Vec<String> = map
            .arrows
            .iter()
            .map(|arrow| {
                let to = arrow.to.map_or("?", |to| &map.windows[to].name);
                let sign = if arrow.is_end { "-<" } else { "->" };
                format!("{} {sign} {to}: {}", map.windows[arrow.from].name, arrow.by.join(", "))
            })
            .collect();
        assert_eq!(arrows, expected);
    }

    #[test]
    fn arrows_say_by_what_widget_or_event() {
        check(
            r#"
            stored notes = list(name), many = 0
            part row(text) { LinearLayout -> open B { TextView (text) } }
            activity Main .Main {
                own shown = ""
                on menu: open B
                every 1500ms: open B
                Button "Text" desc "no" -> open B
                Button desc "More" -> open B
                Button #a.c:id/some -> open B
                View -> open B
                TextView "T" { on tap(x, y): open B on swipe left: open B on longclick: open B }
                use row("Inner")
                for n in notes { LinearLayout -> open B { ImageView #icon TextView "{n.name}: {many + 1} {many}" } }
                Button (shown != "" ? "One" : "Other") -> open B
                Button "a\nb  c\u{7}" -> open B
                Button "0123456789012345678901234567890123456789012345" -> open B
            }
            activity B .B {}
            "#,
            &["Main -> B: on menu, every 1500ms, “Text”, “More”, #some, View, “T” longclick, “T” tap, \
               “T” swipe left, “Inner”, “{name}: … {many}”, “One / Other”, “a b c”, \
               “0123456789012345678901234567890123456789…”"],
        );
    }

    #[test]
    fn all_that_can_be_done_is_drawn() {
        check(
            r#"
            param odd = false
            def go(x) { if x { open B } else { chance { 5% { open C } else { after 1s { go(!x) } } } } }
            activity Main .Main {
                when odd { Button "Go" -> go(odd) } else { Button "D" -> for i in 1..2 { show D } }
            }
            activity B .B {}
            activity C .C {}
            dialog D {}
            "#,
            &["Main -> B: “Go”", "Main -> C: “Go”", "Main -> D: “D”"],
        );
    }

    #[test]
    fn an_end_leads_to_what_lies_below_if_that_is_known() {
        check(
            r#"
            activity Main .Main { on create: open Home; finish }
            activity Home .Home { on menu: show Menu Button "E" -> open Editor }
            popup Menu { Button "Help" -> close; open Help Button "Close" -> close }
            activity Help .Help { Button "Up" -> open Home afresh Button "Done" -> finish Button "E" -> open Editor }
            activity Editor .Editor { Button "Save" -> finish Button "?" -> show Ask }
            dialog Ask { Button "Yes" -> close; show Sure Button "No" -> close }
            dialog Sure { Button "Yes" -> finish Button "No" -> close }
            "#,
            &[
                "Main -> Home: on create",
                "Home -> Menu: on menu",
                "Home -> Editor: “E”",
                "Menu -> Help: “Help”",
                "Menu -< Home: “Close”",
                "Help -> Home: “Up”",
                "Help -< Home: “Done”",
                "Help -> Editor: “E”",
                "Editor -< ?: “Save”",
                "Editor -> Ask: Button",
                "Ask -> Sure: “Yes”",
                "Ask -< Editor: “No”",
                "Sure -< ?: “Yes”",
                "Sure -< Editor: “No”",
            ],
        );
    }

    #[test]
    fn windows_say_what_they_are() {
        let map = map("activity Main .Main { Button \"A\" -> open Page } activity Page c.d/.Page {} \
                       dialog Ask {} activity Lost x.y.Lost {}");
        let said = |window: &MapWindow| {
            let word = |holds: bool, word: &'static str| if holds { word } else { "" };
            format!(
                "{} {} {}{}{}",
                window.name,
                window.about,
                word(window.is_activity, "A"),
                word(window.is_launchable, "L"),
                word(window.is_reachable, "R")
            )
        };
        let windows: Vec<String> = map.windows.iter().map(said).collect();
        assert_eq!(windows, ["Main .Main ALR", "Page c.d/.Page AR", "Ask dialog ", "Lost x.y.Lost A"]);
        assert_eq!(map.title, "A 1");
    }

    #[test]
    fn texts_of_the_app_are_quoted_for_graphviz() {
        let window = |name: &str| MapWindow {
            name: name.to_string(),
            about: "dialog".to_string(),
            is_activity: false,
            is_launchable: false,
            is_reachable: true,
        };
        let map = Map {
            title: "A \"b\" \\ \u{0}".to_string(),
            package: "a.b".to_string(),
            windows: vec![window("One"), window("Two")],
            arrows: vec![
                Arrow {
                    from: 0,
                    to: Some(1),
                    is_end: false,
                    by: vec!["“a\\\"b”".to_string(), "on menu".to_string()],
                },
                Arrow { from: 1, to: None, is_end: true, by: vec!["“OK”".to_string()] },
            ],
        };
        assert_eq!(
            map.to_dot(),
            r#"digraph "a.b" {
  rankdir=LR; label="A \"b\" \\ �"; labelloc=t; fontname="sans-serif";
  node [shape=box, fontname="sans-serif"];
  edge [fontname="sans-serif", fontsize=10];
  0 [label="One\ndialog", style="rounded"];
  1 [label="Two\ndialog", style="rounded"];
  0 -> 1 [label="“a\\\"b”\non menu"];
  back1 [shape=plaintext, label="back", fontsize=10];
  1 -> back1 [label="“OK”", style=dashed, color=gray40];
}
"#
        );
    }
}
