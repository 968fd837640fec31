//! A device of one's own: screens offer the kinds of action that it has, and no others.

use std::collections::BTreeSet;
use std::sync::Arc;

use farlead::agent::RANDOM;
use farlead::device::{App, Capabilities, Device, DeviceError, Hand, Observation};
use farlead::gui::{Action, Bounds, Context, DeviceAction, Flags, Pixels, Screen, Widget};
use farlead::search::{Plan, search};
use farlead::spec::{Source, parse};

/// A page with one button, which remembers the types of action that were done on it.
struct Page {
    app: App,
    capabilities: Capabilities,
    done: BTreeSet<String>,
}

impl Page {
    fn new(capabilities: Capabilities) -> Page {
        let launchable = vec!["org.page.Main".into()];
        let app = App { package: "org.page".into(), version: "1".into(), launchable, activities: Vec::new() };
        Page { app, capabilities, done: BTreeSet::new() }
    }
}

impl Device for Page {
    fn describe(&self) -> String {
        "a page".to_string()
    }

    fn app(&self) -> &App {
        &self.app
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn look(&mut self) -> Result<Observation, DeviceError> {
        let button = Widget {
            text: "Go".into(),
            bounds: Bounds::new(0, 0, 10, 10),
            flags: Flags::CLICKABLE.set(Flags::ENABLED, true),
            ..Widget::default()
        };
        let screen = Screen::new("org.page", "org.page.Main", Context::default(), vec![button]);
        Ok(Observation { screen: Arc::new(screen), at_ms: 0, notices: Arc::new([]), picture: None })
    }

    fn keep_keyboard(&mut self, _: bool) {}

    fn picture(&mut self) -> Option<Pixels> {
        None
    }

    fn hand(&self) -> Option<Box<dyn Hand>> {
        None
    }

    fn reset(&mut self, _: &str) -> Result<Observation, DeviceError> {
        self.look()
    }

    fn act(&mut self, action: &Action) -> Result<Observation, DeviceError> {
        self.done.insert(action.type_name().to_string());
        self.look()
    }
}

/// Searches for an action of the type `menu` on a page that has the kinds `capabilities`; returns the types of all actions
/// that were done meanwhile.
fn done_on_a_page(capabilities: Capabilities) -> Vec<String> {
    let source = Source::new("menu.ltl", "possible \"menu\": F ([actionType = menu] & X [text = gone])");
    let file = parse(&source).file;
    let plan = Plan { steps_max: 5, episodes_max: 50, ..Plan::new(&RANDOM) };
    let mut page = Page::new(capabilities);
    search(&mut page, &file.specs[0], &plan, &mut |_| true).expect("a page does not fail");
    page.done.into_iter().collect()
}

#[test]
fn a_device_without_a_menu_key_is_not_asked_for_one() {
    assert_eq!(
        done_on_a_page(Capabilities::PHONE),
        ["back", "click", "idle", "menu", "pauseresume", "rotate"]
    );
    let few = [DeviceAction::Menu, DeviceAction::Rotate, DeviceAction::Idle]
        .into_iter()
        .fold(Capabilities::PHONE, Capabilities::without);
    assert_eq!(done_on_a_page(few), ["back", "click", "pauseresume"]);
}
