//! Looks at a phone behind Appium: the page source, and what else a screen consists of.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::error::ENDED;
use super::{Phone, PhoneError};
use crate::device::Observation;
use crate::device::android::focus::{Dialog, Focus};
use crate::device::android::glance::{Around, Glance, Looked};
use crate::device::android::notices::noted;
use crate::device::android::prompt::Press;
use crate::device::android::settle::{Keyboard, Settles};
use crate::device::webdriver::answers::MARK;
use crate::device::webdriver::gestures::object;
use crate::device::webdriver::{PhoneLog, WebDriverError};
use crate::gui::Hierarchy;

/// Package of the bars and of the lock screen, which belong to no activity.
const SYSTEM_UI: &str = "com.android.systemui";

/// Time for which a mark is waited for, and number of marks in a row that may be missed before no more are waited for.
const MARK_WITHIN: Duration = Duration::from_secs(2);
const MISSED_MAX: u32 = 3;

/// Pause between two questions for the log.
const ASK_EVERY: Duration = Duration::from_millis(5);

/// Time for which the log is waited for where it has no marks.
const UNMARKED: Duration = Duration::from_millis(100);

/// Longest log that is kept; an episode of crashes alone has less.
const LOG_BYTES_MAX: usize = 1 << 20;

/// The phone's log, as far as the session gives it.
#[derive(Debug, Default)]
pub(super) struct Log {
    arrived: PhoneLog,
    /// Number of marks that were set.
    set: u64,
    /// Number of marks in a row that did not arrive.
    missed: u32,
    /// True if the session gives no log.
    is_missing: bool,
}

impl Log {
    pub fn is_there(&self) -> bool {
        !self.is_missing
    }

    /// Forgets the lines that have arrived.
    pub fn forget(&mut self) {
        self.arrived.lines.clear();
    }

    fn has_marks(&self) -> bool {
        self.missed < MISSED_MAX
    }
}

impl Phone {
    /// Sets a mark in the log, and returns the answer to that: the rotation of the display.
    pub(super) fn mark(&mut self) -> Result<Value, PhoneError> {
        let rotation = self.session.get(MARK)?;
        self.log.set += 1;
        Ok(rotation)
    }

    /// Reads the lines of the log that were written before now.
    pub(super) fn read_log(&mut self) -> Result<(), PhoneError> {
        if self.log.is_missing {
            return Ok(());
        }
        if self.log.arrived.lines.len() > LOG_BYTES_MAX {
            self.log.forget();
            self.now.log_known = 0;
        }
        self.mark()?;
        let begun = Instant::now();
        let within = if self.log.has_marks() { MARK_WITHIN } else { UNMARKED };
        loop {
            match self.session.post("/se/log", &object(&[("type", "logcat".into())])) {
                Ok(answer) => self.log.arrived.read(&answer),
                Err(error) if is_lasting(&error) => return Err(error.into()),
                Err(_) => {
                    self.log.is_missing = true;
                    return Ok(());
                }
            }
            if self.log.arrived.marks >= self.log.set {
                self.log.missed = 0;
                return Ok(());
            }
            if begun.elapsed() > within {
                self.log.missed = self.log.missed.saturating_add(1);
                // A mark that arrives later must not count for the next.
                self.log.set = self.log.arrived.marks;
                return Ok(());
            }
            thread::sleep(ASK_EVERY);
        }
    }

    /// Returns the milliseconds on the phone's clock, or on this computer's if the phone's is not known.
    pub(super) fn clock_ms(&self) -> u64 {
        let by_phone = self.log.arrived.marked_ms.filter(|_| self.log.is_there() && self.log.has_marks());
        by_phone.unwrap_or_else(|| self.began.elapsed().as_millis() as u64)
    }

    /// Looks until the screen has settled.
    pub(super) fn look_until_settled(&mut self) -> Result<Looked, PhoneError> {
        let looks_max = self.options.looks_max.max(1);
        let is_virtual = self.facts.has_virtual_time;
        let mut last: Result<Glance, String> = Err("nothing was seen".to_string());
        let mut before = None;
        for look in 1..=looks_max {
            if look > 1 {
                thread::sleep(self.options.pause);
            }
            let glance = self.glance(&mut before)?;
            let has_settled = match (&last, &glance) {
                (Ok(before), Ok(now)) => self.movers.agree(before, now) || is_virtual,
                (Err(_), Ok(_)) => is_virtual,
                (Ok(_) | Err(_), Err(_)) => false,
            };
            last = glance;
            match last {
                // A screen that never settles is taken as it was last.
                Ok(glance) if has_settled || look == looks_max => return self.looked(glance),
                Ok(_) | Err(_) => {}
            }
        }
        let why = last.err().unwrap_or_default();
        Err(PhoneError::Screen { at: self.at.clone(), looks: looks_max, why })
    }

    /// Reads the page source and the window in front, or the reason that they show nothing; `before` is the activity that was
    /// in front last.
    fn glance(&mut self, before: &mut Option<String>) -> Result<Result<Glance, String>, PhoneError> {
        // With virtual time nothing changes in between.
        if before.is_none() && !self.facts.has_virtual_time {
            *before = self.activity()?;
        }
        let source = match self.session.get("/source") {
            Ok(source) => source,
            Err(error) if is_lasting(&error) => return Err(error.into()),
            Err(error) => return Ok(Err(error.message())),
        };
        let Some(activity) = self.activity()? else { return Ok(Err("no window has the focus".to_string())) };
        let was = before.replace(activity.clone());
        if let Some(was) = was.filter(|was| *was != activity && !self.facts.has_virtual_time) {
            return Ok(Err(format!("`{was}` gives way to `{activity}`")));
        }
        let hierarchy = match Hierarchy::read(source.as_str().unwrap_or_default().as_bytes()) {
            Ok(hierarchy) => hierarchy,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let package = self.package_of(&activity, &hierarchy)?;
        let in_front = focus(package, &activity, &hierarchy);
        Ok(Glance::new(in_front, hierarchy))
    }

    /// Returns the activity in front as the driver names it, if there is one.
    fn activity(&self) -> Result<Option<String>, PhoneError> {
        match self.session.get("/appium/device/current_activity") {
            Ok(activity) => Ok(activity.as_str().map(str::to_string)),
            Err(error) if is_lasting(&error) => Err(error.into()),
            // Between two windows none has the focus.
            Err(_) => Ok(None),
        }
    }

    /// Returns the package of the activity in front.
    fn package_of(&mut self, activity: &str, hierarchy: &Hierarchy) -> Result<String, PhoneError> {
        // Two apps may have an activity of the same name, but then the source is of the other package.
        if let Some((known, package)) = &self.now.in_front
            && known == activity
            && hierarchy.packages.iter().any(|seen| **seen == **package)
        {
            return Ok(package.clone());
        }
        let package = self.session.get("/appium/device/current_package")?;
        let package = package.as_str().unwrap_or_default().to_string();
        self.now.in_front = Some((activity.to_string(), package.clone()));
        Ok(package)
    }

    /// Reads what is around a glance, and returns the result of the look.
    fn looked(&mut self, glance: Glance) -> Result<Looked, PhoneError> {
        let has_keyboard = self.has_keyboard()?;
        let is_lit = match self.now.is_lit {
            Some(is_lit) => is_lit,
            None => {
                // An app under a lock is as good as dark.
                let is_lit = self.mobile("isLocked", &[])? != Value::Bool(true);
                self.now.is_lit = Some(is_lit);
                is_lit
            }
        };
        let package = self.app.package.clone();
        // Only the system's own screens switch a network.
        let known = self.now.has_network.filter(|_| *glance.package == *package);
        let has_network = match known {
            Some(has_network) => has_network,
            None => self.is_connected()?,
        };
        self.now.has_network = Some(has_network);
        self.read_log()?;
        let (width, height) = self.facts.size;
        let around = Around { is_lit, is_wide: width > height, has_network, has_keyboard };
        let (noted, log_len) = noted(&self.log.arrived.lines, &package, self.now.log_known);
        let press = self.options.prompts.press(&glance.hierarchy, None, &package);
        let screen = glance.into_screen(&around, &noted, &package, self.now.screen.as_deref());
        let notices = noted.into_iter().map(|noted| noted.notice).collect();
        Ok(Looked { screen, press, at_ms: self.clock_ms(), notices, log_len })
    }

    pub(super) fn has_keyboard(&self) -> Result<bool, PhoneError> {
        Ok(self.mobile("isKeyboardShown", &[])? == Value::Bool(true))
    }

    /// Returns true if the phone is connected, as far as its settings tell.
    pub(super) fn is_connected(&self) -> Result<bool, PhoneError> {
        let has = self.mobile("getConnectivity", &[])?;
        let is = |name: &str, state: bool| has[name] == Value::Bool(state);
        let has_none = is("wifi", false) && is("data", false);
        Ok(!is("airplaneMode", true) && !has_none)
    }

    /// Remembers a look and turns it into an observation.
    pub(super) fn remember(&mut self, looked: Looked) -> Observation {
        self.now.log_known = looked.log_len;
        looked.observed(&mut self.now.screen, self.now.started_ms)
    }
}

impl Settles for Phone {
    type Error = PhoneError;

    fn press(&mut self, press: &Press) -> Result<Looked, PhoneError> {
        self.tap(press.at)?;
        self.look_until_settled()
    }

    fn hide_keyboard(&mut self) -> Result<Looked, PhoneError> {
        self.put_keyboard_away()?;
        self.look_until_settled()
    }

    fn keyboard(&mut self) -> &mut Keyboard {
        &mut self.keyboard
    }

    fn observed(&mut self, looked: Looked) -> Observation {
        self.remember(looked)
    }
}

/// Returns true if the error will come again: the session has ended, or the server has gone.
fn is_lasting(error: &WebDriverError) -> bool {
    match error {
        WebDriverError::Failed { error, .. } => error == ENDED,
        WebDriverError::NoDriver { .. }
        | WebDriverError::Unreachable { .. }
        | WebDriverError::NoEncryption { .. }
        | WebDriverError::Garbled { .. }
        | WebDriverError::NoSession { .. }
        | WebDriverError::Page(_)
        | WebDriverError::NoSocket { .. }
        | WebDriverError::NoAction { .. } => true,
    }
}

/// Returns the window in front: that of an activity, or one of the system over it.
fn focus(package: String, activity: &str, hierarchy: &Hierarchy) -> Focus {
    let full = if activity.starts_with('.') { format!("{package}{activity}") } else { activity.to_string() };
    let is_of_system =
        !hierarchy.packages.is_empty() && !hierarchy.packages.iter().any(|seen| **seen == *package);
    if !is_of_system {
        return Focus { package, activity: full, window: None, dialog: None };
    }
    // As through adb, a bar is of no activity, and a dialog is of the activity below.
    let is_bar = &*hierarchy.package == SYSTEM_UI;
    Focus {
        dialog: dialog(hierarchy, &package),
        activity: if is_bar { String::new() } else { full },
        window: Some(String::new()),
        package,
    }
}

/// Returns what the log is asked for, in the words of `logcat`.
pub(super) fn filters() -> Vec<&'static str> {
    vec!["AndroidRuntime:E", "DEBUG:F", "libc:F", "ActivityManager:I", "Toast:I", "appium:I", "*:S"]
}

/// Returns the dialog of the system that a dump shows, if it reports that `process` has crashed or hangs.
fn dialog(seen: &Hierarchy, process: &str) -> Option<Dialog> {
    if &*seen.package != "android" {
        return None;
    }
    // The title of the window, by which adb knows it, is not to be had.
    let has = |ids: &[&str]| seen.widgets.iter().any(|widget| ids.contains(&widget.id_entry()));
    let says = |words: &[&str]| {
        seen.widgets.iter().any(|widget| words.iter().any(|words| widget.text.contains(words)))
    };
    let hangs = has(&["aerr_wait"]) || says(&["isn't responding", "isn\u{2019}t responding"]);
    let is_dialog = hangs
        || has(&["aerr_close", "aerr_restart", "aerr_app_info"])
        || says(&["has stopped", "keeps stopping"]);
    is_dialog.then(|| Dialog { is_crash: !hangs, process: process.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_dialog(package: &str, widget: &str, expected: Option<bool>) {
        let dump =
            format!("<hierarchy><android.widget.Button class='a' package='{package}' {widget}/></hierarchy>");
        let seen = Hierarchy::read(dump.as_bytes()).expect("a hierarchy");
        assert_eq!(dialog(&seen, "org.notes").map(|dialog| dialog.is_crash), expected);
    }

    #[test]
    fn a_dialog_about_a_crash_or_a_hang_is_known_without_the_title_of_its_window() {
        check_dialog("android", "resource-id='android:id/aerr_close'", Some(true));
        check_dialog("android", "resource-id='android:id/aerr_wait'", Some(false));
        check_dialog("android", "text='Notes keeps stopping'", Some(true));
        check_dialog("android", "text='Open with'", None);
        check_dialog("org.notes", "text='Notes has stopped'", None);
    }
}
