//! Activities, dialogs and popups.

use std::rc::Rc;
use std::sync::Arc;

use pest::iterators::Pair;

use super::super::model::{Event, Handler, Own, Turning, Window, WindowId, WindowKind};
use super::declare::WindowHead;
use super::grammar::Rule;
use super::items::ItemKind;
use super::scope::{Kind, Owner, Scope};
use super::{Reader, reach, span};
use crate::gui::Orientation;
use crate::text::{child, clip, did_you_mean, part};

/// Events of activities, and those that dialogs have too.
const EVENTS: [&str; 8] = ["create", "destroy", "back", "menu", "resume", "pause", "network", "result"];
const DIALOG_EVENTS: [&str; 4] = ["create", "destroy", "back", "menu"];

impl<'a> Reader<'a> {
    pub(super) fn windows(&mut self) -> Vec<Window> {
        let heads = self.declared.windows.clone();
        let windows = heads.iter().enumerate();
        windows.map(|(number, head)| self.window(number as WindowId, head)).collect()
    }

    fn window(&mut self, number: WindowId, head: &Rc<WindowHead<'a>>) -> Window {
        self.uses.enter(reach::Owner::Window(number));
        self.own_kinds = vec![Kind::Unknown; head.own.len()];
        let mut scope = Scope::new(head.offset, Owner::Window { number, own: head.parameters });
        let mut own = Vec::new();
        for (place, variable) in head.own.iter().enumerate() {
            let initial = variable.initial.clone().map(|initial| {
                // A variable knows those before it alone.
                scope.owner = Owner::Window { number, own: place as u32 };
                let value = self.expression(initial, &mut scope);
                self.own_kinds[place] = value.kind.of_variable();
                value.expr
            });
            own.push(Own { name: Arc::from(variable.name), is_kept: variable.is_kept, initial });
        }
        scope.owner = Owner::Window { number, own: head.own.len() as u32 };
        let kind = self.window_kind(head, &mut scope);
        let body = part(&head.pair, Rule::window_body);
        let mut handlers = Vec::new();
        for line in body.clone().into_inner() {
            match line.as_rule() {
                Rule::handler | Rule::every => handlers.extend(self.handler(&line, head, &mut scope)),
                _ => {}
            }
        }
        let nodes = match child(&head.pair, Rule::in_part) {
            Some(frame) => self.framed(&frame, &body, &mut scope),
            None => self.window_nodes(&body, &mut scope),
        };
        Window {
            name: Arc::from(head.name),
            kind,
            parameters: head.parameters,
            own,
            handlers,
            nodes,
            locals: scope.slots_max,
            span: head.span.clone(),
        }
    }

    /// Returns the kind of a window by the words before its braces.
    fn window_kind(&mut self, head: &WindowHead<'a>, scope: &mut Scope<'a>) -> WindowKind {
        let mut turning = None;
        let mut awake = None;
        let mut is_modal = false;
        let mut said: Vec<&str> = Vec::new();
        let is_activity = head.kind == ItemKind::Activity;
        for pair in head.pair.clone().into_inner() {
            let at = span(&pair, head.offset);
            let (key, fits_activity, fits_dialog) = match pair.as_rule() {
                Rule::turning => {
                    turning = Some(match pair.as_str() {
                        "portrait" => Turning::Fixed(Orientation::Portrait),
                        "landscape" => Turning::Fixed(Orientation::Landscape),
                        _ => Turning::Relaid,
                    });
                    ("portrait, landscape or relaid", true, false)
                }
                Rule::awake => {
                    // The display may stay on by the state alone, as with all that is seen.
                    scope.is_look = true;
                    awake = Some(match child(&pair, Rule::group) {
                        Some(group) => self.primary(group, scope).expr,
                        None => super::super::model::Expr::Value(super::super::model::Datum::Bool(true)),
                    });
                    scope.is_look = false;
                    ("awake", true, false)
                }
                Rule::modal => {
                    is_modal = true;
                    ("modal", false, true)
                }
                Rule::in_part => ("in", true, true),
                Rule::parameters => ("parameters", true, true),
                _ => continue,
            };
            if said.contains(&key) {
                let message = format!("`{}` has its {key} already", clip(head.name));
                self.mistake(scope, "E-duplicate", at, message, "leave one out");
            } else if !(if is_activity { fits_activity } else { fits_dialog }) {
                let word = pair.as_str().split(|char: char| !char.is_alphanumeric()).next().unwrap_or("");
                let (what, help) = match is_activity {
                    true => ("an activity", "only dialogs and popups are `modal`"),
                    false => ("no activity", "say it of the activity over which it opens"),
                };
                let message = format!("`{}` is {what}, and cannot be `{word}`", clip(head.name));
                self.mistake(scope, "E-place", at, message, help);
            }
            said.push(key);
        }
        match head.kind {
            ItemKind::Popup => WindowKind::Popup { is_modal },
            ItemKind::Dialog => WindowKind::Dialog { is_modal },
            _ => {
                let (package, class) = self.class(head, scope);
                let turning = turning.unwrap_or(Turning::Recreated);
                WindowKind::Activity { package, class, turning, awake }
            }
        }
    }

    /// Returns the package and the class of an activity.
    fn class(&mut self, head: &WindowHead<'a>, scope: &Scope<'a>) -> (Arc<str>, Arc<str>) {
        let app = self.declared.app.as_ref().map_or_else(|| Arc::from(""), |app| app.package.clone());
        let pair = part(&head.pair, Rule::activity_class);
        let written = pair.as_str();
        let (package, class) = match written.split_once('/') {
            Some((package, class)) => (Arc::from(package), class),
            None => (app, written),
        };
        if class.starts_with('.') {
            let class = Arc::from(format!("{package}{class}"));
            return (package, class);
        }
        // A class without a dot has no package; the app's would be a guess.
        if !class.contains('.') {
            let message = format!("`{}` is no class of an activity", clip(written));
            let help = "write `.MainActivity`, which is in the app's package, or a full name";
            self.mistake(scope, "E-class", span(&pair, head.offset), message, help);
        }
        (package, Arc::from(class))
    }

    fn handler(
        &mut self,
        pair: &Pair<'a, Rule>,
        head: &WindowHead<'a>,
        scope: &mut Scope<'a>,
    ) -> Option<Handler> {
        let event = match child(pair, Rule::event) {
            Some(event) => self.event(&event, head, scope),
            None => Some(Event::Every { ms: self.duration(pair, scope) }),
        };
        let condition = child(pair, Rule::when_clause).map(|clause| self.expression_in(&clause, scope).expr);
        // Effects of an unknown event are read too, for their mistakes.
        let effects = part(pair, Rule::effects);
        let effects = self.effects(effects, scope, 1);
        event.map(|event| Handler { event, condition, effects })
    }

    fn event(
        &mut self,
        pair: &Pair<'a, Rule>,
        head: &WindowHead<'a>,
        scope: &mut Scope<'a>,
    ) -> Option<Event> {
        let word = part(pair, Rule::word).as_str();
        let name = child(pair, Rule::event_name);
        let is_bare = name.is_none() && child(pair, Rule::parameters).is_none();
        let is_activity = head.kind == ItemKind::Activity;
        let event = match word {
            "create" => Some(Event::Create),
            "destroy" => Some(Event::Destroy),
            "back" => Some(Event::Back),
            "menu" => Some(Event::Menu),
            "resume" => Some(Event::Resume),
            "pause" => Some(Event::Pause),
            "network" => Some(Event::Network),
            "result" => name.as_ref().map(|name| {
                // Warned of at the end, if nothing asks for the result.
                self.uses.wait_for(name.as_str(), span(name, scope.offset));
                Event::Result(self.request(name.as_str()))
            }),
            _ => None,
        };
        let is_written_well = is_bare || word == "result" && child(pair, Rule::parameters).is_none();
        let is_valid = is_activity || DIALOG_EVENTS.contains(&word);
        if event.is_some() && is_written_well && is_valid {
            return event;
        }
        let help = match word {
            "longclick" | "tap" | "swipe" | "text" => "it stands in the braces of a widget".to_string(),
            "result" if is_activity => {
                "it is `on result NAME: ...`, where an activity was opened `for NAME`".to_string()
            }
            "every" => "write `every 2s: ...` without `on`".to_string(),
            _ if event.is_some() && !is_valid => {
                "a dialog or popup knows create, destroy, back, menu and every".to_string()
            }
            _ => did_you_mean(word, EVENTS, || format!("events are {}", EVENTS.join(", "))),
        };
        let what = if is_activity { "an activity" } else { "a dialog" };
        let message = format!("`{}` does not happen to {what}", clip(pair.as_str().trim()));
        self.mistake(scope, "E-event", span(pair, scope.offset), message, help);
        None
    }
}
