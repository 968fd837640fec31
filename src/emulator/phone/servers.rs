//! The server that looks at the screen for its clients: uiautomator2's, or Appium's.
//!
//! This file holds their state alone; they are answered by `automator`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::gui::Widget;

/// The running server. As on a real phone, one program at a time may look at the screen.
#[derive(Clone, Debug)]
pub(super) struct Automator {
    pub pid: u32,
    pub port: u16,
    /// Text of the last toast.
    pub toast: Option<String>,
    pub server: Server,
}

impl Automator {
    /// The class that `app_process` runs.
    pub const CLASS: &str = "com.wetest.uia2.Main";

    /// Package of Appium's server, and name of its process.
    pub const APPIUM: &str = "io.appium.uiautomator2.server";

    /// The component that `am instrument` starts.
    pub const INSTRUMENTATION: &str =
        "io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner";

    /// Package of the app that helps Appium's driver; its activity starts a service and ends.
    pub const HELPER: &str = "io.appium.settings";

    /// Returns the process of the server: its user and its name.
    pub fn process(&self) -> (&'static str, &'static str) {
        match self.server {
            Server::Uiautomator2 => ("shell", "app_process"),
            Server::Appium(_) => ("u0_a90", Automator::APPIUM),
        }
    }
}

/// A server, with what it keeps between two requests.
#[derive(Clone, Debug)]
pub(super) enum Server {
    Uiautomator2,
    Appium(Box<Kept>),
}

/// State of Appium's server.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    pub session: Option<Session>,
    /// Number of sessions so far.
    pub sessions: u64,
    /// Settings that a client has changed.
    pub settings: BTreeMap<String, Value>,
    /// Found elements by their numbers.
    pub elements: BTreeMap<u64, Element>,
    /// Number of the last element.
    pub last: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Session {
    pub id: String,
    pub capabilities: Value,
}

/// An element that a client has found: a widget, and its place on its screen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Element {
    pub activity: Arc<str>,
    /// Position among the siblings, from the top node down to the widget.
    pub path: Vec<usize>,
    pub widget: Widget,
    /// Strategy and selector that find it again, if it was looked for alone.
    pub locator: Option<(String, String)>,
}
