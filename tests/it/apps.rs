//! The models in `apps/` against what is known of the two apps: screen by screen, and by the runs that are
//! known to satisfy the specs of `specs/`. Made-up apps keep the shape of their toolkit, and their specs find their bugs.

mod chesswalk;
mod notes;
mod shapes;
mod table3;

use std::path::Path;
use std::sync::Arc;

use farlead::device::sim::{self, Sim};
use farlead::device::{Device as _, Notice, Observation};
use farlead::gui::{
    Action, BUILTIN_TEXTS, Bounds, Direction, Flags, Repertoire, Screen, Stroke, Target, Touch, UserAction,
    Widget, offers,
};
use farlead::rng::Seed;
use farlead::spec::{Source, Style, parse};

/// A model on the simulator, used by the names of its widgets.
#[derive(Clone)]
struct Phone {
    sim: Sim,
    repertoire: Arc<Repertoire>,
    seen: Observation,
}

/// Starts the model `name` afresh with these parameters.
fn start(name: &str, set: &[(&str, &str)], user_actions: &[UserAction]) -> Phone {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("apps").join(name);
    let text = std::fs::read_to_string(path).expect("a readable model");
    let source = Source::new(name, text);
    let read = sim::read(&source);
    let mut model =
        read.model.unwrap_or_else(|| panic!("{}", read.diagnostics.render(&source, Style::Plain)));
    for (parameter, value) in set {
        model.set(parameter, value).expect("a parameter of the model");
    }
    let mut sim = Sim::new(Arc::new(model), Seed::default());
    let activity = sim.app().launchable[0].clone();
    let seen = sim.reset(&activity).expect("a first screen");
    Phone { sim, repertoire: Arc::new(Repertoire::new(BUILTIN_TEXTS, user_actions, false)), seen }
}

#[test]
fn every_model_is_read_without_a_word() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("apps");
    let mut read = 0;
    for entry in std::fs::read_dir(folder).expect("the models") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a readable model");
        let source = Source::new(path.display().to_string(), text);
        let diagnostics = sim::read(&source).diagnostics;
        assert!(diagnostics.iter().next().is_none(), "{}", diagnostics.render(&source, Style::Plain));
        read += 1;
    }
    assert_eq!(read, 6);
}

#[test]
fn whatever_is_done_the_models_go_on() {
    let ways: [&[(&str, &str)]; 3] = [
        &[],
        &[("fixed", "true"), ("sim.keyboard", "soft"), ("sim.crash", "5"), ("sim.lag", "700")],
        &[("sim.lose", "20"), ("sim.width", "1080"), ("sim.height", "1920"), ("sim.dpi", "420")],
    ];
    let board = user_actions("action chessmove on [id ~ ChessBoard]: tap 56% 80%, tap 56% 56%\n");
    let names = ["chesswalk.app", "notes.app", "tally.app", "wayfare.app"];
    for (name, set) in names.iter().flat_map(|name| ways.map(|set| (name, set))) {
        let mut phone = start(name, set, &board);
        let installed = Action::Reinitialise(phone.sim.app().launchable[0].clone());
        let mut rng = Seed(7).fork(name);
        for _ in 0..40 {
            phone.act(&installed);
            for _ in 0..100 {
                let offers = phone.offers();
                phone.act(&offers[rng.below(offers.len())]);
            }
        }
    }
}

/// Returns the actions that `text` declares.
fn user_actions(text: &str) -> Vec<UserAction> {
    parse(&Source::new("actions.ltl", text)).file.actions
}

impl Phone {
    fn screen(&self) -> &Screen {
        &self.seen.screen
    }

    fn offers(&self) -> Vec<Action> {
        offers(self.screen(), &self.repertoire)
    }

    fn act(&mut self, action: &Action) -> &mut Phone {
        self.seen = self.sim.act(action).expect("a screen");
        self
    }

    /// Does a step: an action without a target by its name, or a click on a widget by its name.
    #[track_caller]
    fn step(&mut self, step: &str) -> &mut Phone {
        match step {
            "back" => self.act(&Action::BACK),
            "menu" => self.act(&Action::MENU),
            "rotate" => self.act(&Action::ROTATE),
            "pauseresume" => self.act(&Action::PAUSE_RESUME),
            "idle" => self.act(&Action::IDLE),
            "chessmove" => self.user("chessmove"),
            _ => self.click(step),
        }
    }

    #[track_caller]
    fn steps(&mut self, steps: &[&str]) -> &mut Phone {
        for step in steps {
            self.step(step);
        }
        self
    }

    /// Clicks the first widget of this name, or the widget around it.
    #[track_caller]
    fn click(&mut self, name: &str) -> &mut Phone {
        let action = self.offered_around(|action| matches!(action, Action::Touch(Touch::Click, _)), name);
        self.act(&action)
    }

    #[track_caller]
    fn long_click(&mut self, name: &str) -> &mut Phone {
        let action = self.offered_around(|action| matches!(action, Action::Touch(Touch::LongClick, _)), name);
        self.act(&action)
    }

    #[track_caller]
    fn type_into(&mut self, name: &str, typed: &str) -> &mut Phone {
        let is_it = |action: &Action| matches!(action, Action::Text { on, text } if is_called(on, name) && **text == *BUILTIN_TEXTS[0]);
        let Action::Text { on, .. } = self.offered(is_it, name) else { unreachable!("a text was asked for") };
        self.act(&Action::Text { on, text: typed.into() })
    }

    #[track_caller]
    fn swipe(&mut self, name: &str, way: Direction) -> &mut Phone {
        let is_it = |action: &Action| matches!(action, Action::Stroke(Stroke::Swipe, on, towards) if is_called(on, name) && *towards == way);
        let action = self.offered(is_it, name);
        self.act(&action)
    }

    #[track_caller]
    fn user(&mut self, name: &str) -> &mut Phone {
        let action =
            self.offered(|action| matches!(action, Action::User { action, .. } if action.name == name), name);
        self.act(&action)
    }

    #[track_caller]
    fn offered(&self, is_it: impl Fn(&Action) -> bool, name: &str) -> Action {
        let offers = self.offers();
        let found = offers.iter().find(|action| is_it(action)).cloned();
        found.unwrap_or_else(|| panic!("`{name}` is not offered on\n{}", self.shown()))
    }

    /// Returns the action of this kind on the first widget called `name`, or on the innermost widget around it.
    #[track_caller]
    fn offered_around(&self, is_it: impl Fn(&Action) -> bool, name: &str) -> Action {
        let offers = self.offers();
        let on_it = |action: &&Action| is_it(action) && action.target().is_some_and(|on| is_called(on, name));
        if let Some(action) = offers.iter().find(on_it) {
            return action.clone();
        }
        let inner = self.object_id(name);
        let around = |action: &&Action| {
            is_it(action)
                && action.target().is_some_and(|on| inner.starts_with(&format!("{}:", on.object_id)))
        };
        let found = offers.iter().rfind(around).cloned();
        found.unwrap_or_else(|| panic!("`{name}` is not offered on\n{}", self.shown()))
    }

    /// Returns the texts of all widgets that have one.
    fn texts(&self) -> Vec<&str> {
        self.screen().widgets().iter().map(|widget| &*widget.text).filter(|text| !text.is_empty()).collect()
    }

    fn has_text(&self, text: &str) -> bool {
        self.texts().contains(&text)
    }

    #[track_caller]
    fn widget(&self, name: &str) -> &Widget {
        let found = self.screen().widgets().iter().find(|widget| names(widget).contains(&name));
        found.unwrap_or_else(|| panic!("no `{name}` on\n{}", self.shown()))
    }

    fn has(&self, name: &str) -> bool {
        self.screen().widgets().iter().any(|widget| names(widget).contains(&name))
    }

    /// Returns the class of the activity, without its package.
    fn activity(&self) -> &str {
        let activity = self.screen().activity();
        activity.rsplit('.').next().unwrap_or(activity)
    }

    fn toasts(&self) -> Vec<&str> {
        let mut toasts = Vec::new();
        for notice in self.seen.notices.iter() {
            match notice {
                Notice::Toast(text) => toasts.push(&**text),
                Notice::Crash(_) | Notice::Anr(_) | Notice::Prompt(_) | Notice::Field(_) => {}
            }
        }
        toasts
    }

    #[track_caller]
    fn check_activity(&self, expected: &str) -> &Phone {
        assert_eq!(self.activity(), expected, "on\n{}", self.shown());
        self
    }

    /// Checks the number of nodes in the tree, and of clicks, long clicks, fields and actions offered.
    #[track_caller]
    fn check_counts(
        &self,
        nodes: usize,
        clicks: usize,
        long_clicks: usize,
        fields: usize,
        all: usize,
    ) -> &Phone {
        let offers = self.offers();
        let count = |is_it: fn(&Action) -> bool| offers.iter().filter(|action| is_it(action)).count();
        let found = (
            self.screen().widgets().len(),
            count(|action| matches!(action, Action::Touch(Touch::Click, _))),
            count(|action| matches!(action, Action::Touch(Touch::LongClick, _))),
            count(|action| matches!(action, Action::Text { .. })) / BUILTIN_TEXTS.len(),
            offers.len(),
        );
        assert_eq!(found, (nodes, clicks, long_clicks, fields, all), "on\n{}", self.shown());
        self
    }

    #[track_caller]
    fn check_texts(&self, expected: &[&str]) -> &Phone {
        assert_eq!(self.texts(), expected, "on\n{}", self.shown());
        self
    }

    /// Returns the object id of the first widget of this name.
    #[track_caller]
    fn object_id(&self, name: &str) -> String {
        let mut found = None;
        self.screen().for_each_object(|_, widget, object_id| {
            if found.is_none() && names(widget).contains(&name) {
                found = Some(object_id.to_string());
            }
        });
        found.unwrap_or_else(|| panic!("no `{name}` on\n{}", self.shown()))
    }

    /// Returns the screen in readable form.
    fn shown(&self) -> String {
        let mut shown = format!("{} {:?}\n", self.screen().activity(), self.screen().context());
        self.screen().for_each_object(|_, widget, object_id| {
            let [text, desc, id] = names(widget);
            let class = widget.class.rsplit('.').next().unwrap_or_default();
            shown += &format!(
                "{object_id} {class} #{id} {text:?} {desc:?} {} {:?}\n",
                widget.bounds, widget.flags
            );
        });
        shown
    }
}

/// Checks the bounds of widgets by their names: left, top, right, bottom.
#[track_caller]
fn check_bounds(phone: &Phone, expected: &[(&str, [i32; 4])]) {
    for &(name, [left, top, right, bottom]) in expected {
        assert_eq!(phone.widget(name).bounds, Bounds::new(left, top, right, bottom), "{name}");
    }
}

fn names(widget: &Widget) -> [&str; 3] {
    [&widget.text, &widget.desc, widget.id_entry()]
}

fn is_called(target: &Target, name: &str) -> bool {
    target.names().contains(&name) || *target.object_id == *name
}
