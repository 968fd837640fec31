//! Actions on a phone behind Appium, at the same pixels as through adb.

use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::{Phone, PhoneError, SDK_OF_AIRPLANE_MODE};
use crate::device::android::app::{FLAGS, LAUNCHER, MAIN, is_in_app};
use crate::device::android::touch::{
    HOLD_MS, IDLE_S, Pixel, REST_MS, SWIPE_MS, VIRTUAL_IDLE_S, may_be_under_keyboard, slowing,
};
use crate::device::webdriver::gestures::{click, down, keyboard, moved, moved_in, object, pause, typed, up};
use crate::gui::{Action, Bounds, DeviceAction, Gesture, PressedKey, Stroke, Target, Touch};

/// Android's number of the home key.
pub(super) const HOME: u32 = PressedKey::Home.code();

/// Time between two taps that are one double tap: Android takes from 40 to 300 ms for one.
const BETWEEN_TAPS_MS: u32 = 100;

/// Duration of each part of the way of a slowing finger.
const PART_MS: u32 = 40;

/// Key of an element's id.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The two letters that the driver takes for Enter at the end of a text.
const TAKEN_FOR_ENTER: &str = "\\n";

impl Phone {
    /// Does an action other than a start.
    pub(super) fn perform(&mut self, action: &Action) -> Result<(), PhoneError> {
        let screen = self.now.screen.clone();
        if self.now.is_lit == Some(false) && *action != Action::IDLE {
            self.wake()?;
        }
        // The action leaves the screen, and a keyboard would take the first press.
        let is_back = *action == Action::BACK;
        if let Some(screen) = screen.as_ref().filter(|screen| screen.context().keyboard) {
            let size = self.facts.size;
            let is_covered = action.target().is_some_and(|on| may_be_under_keyboard(on.bounds, size, screen));
            if is_back || is_covered {
                self.put_keyboard_away()?;
            }
        }
        match action {
            // Starts are done by `start_afresh`.
            Action::Reinitialise(_) => Ok(()),
            Action::Touch(Touch::Click, on) => self.tap(on.bounds.centre()),
            Action::Touch(Touch::LongClick, on) => self.hold(on.bounds.centre()),
            Action::Touch(Touch::DoubleClick, on) => self.tap_twice(on.bounds.centre()),
            Action::Text { on, text } => self.replace_text(on, text),
            Action::Stroke(Stroke::Scroll, on, towards) => {
                // To scroll towards a side, the finger moves to the opposite one.
                let (start, end) = towards.across(on.bounds);
                self.stroke(end, start)
            }
            Action::Stroke(Stroke::Swipe, on, towards) => {
                self.stroke(on.bounds.centre(), towards.across(on.bounds).1)
            }
            Action::Device(DeviceAction::Back) => self.press(PressedKey::Back.code()),
            Action::Device(DeviceAction::Menu) => self.press(PressedKey::Menu.code()),
            Action::Device(DeviceAction::Enter) => self.press(PressedKey::Enter.code()),
            Action::Device(DeviceAction::Escape) => self.press(PressedKey::Escape.code()),
            Action::Device(DeviceAction::Rotate) => {
                self.turn(if self.now.is_turned { 0 } else { 90 })?;
                self.now.is_turned ^= true;
                Ok(())
            }
            Action::Device(DeviceAction::Network) if self.kinds().has(DeviceAction::Network) => {
                self.connect(self.now.is_off_network)?;
                self.now.is_off_network ^= true;
                Ok(())
            }
            Action::Device(DeviceAction::PauseResume) => {
                // Outside the app there is nothing to pause, and a start would be another action.
                if screen.is_some_and(|screen| is_in_app(&screen, &self.home)) {
                    self.press(HOME)?;
                    let launched = self.now.launched.clone();
                    self.launch(&launched)?;
                }
                Ok(())
            }
            Action::Device(DeviceAction::Idle) => self.idle(),
            // A phone has neither a mouse nor a window, no key for these, and not always a network to switch.
            Action::Touch(Touch::Hover, _)
            | Action::Device(
                DeviceAction::Network | DeviceAction::Forward | DeviceAction::Reload | DeviceAction::Resize,
            ) => Err(PhoneError::NoAction { action: action.to_string() }),
            Action::User { action, on } => {
                action.gestures.iter().try_for_each(|gesture| self.do_gesture(gesture, on.bounds))
            }
        }
    }

    fn do_gesture(&mut self, gesture: &Gesture, on: Bounds) -> Result<(), PhoneError> {
        match gesture {
            Gesture::Tap(at) => self.tap(at.on(on)),
            Gesture::LongTap(at) => self.hold(at.on(on)),
            Gesture::Swipe { from, to } => {
                let (from, to) = (from.on(on), to.on(on));
                self.touch(from, vec![down(), moved_in(to, SWIPE_MS), up()])
            }
            Gesture::Text(text) => self.type_keys(text),
            Gesture::Key(key) => self.press(key.code()),
            Gesture::Wait { ms } => self.wait(*ms),
        }
    }

    /// Starts an activity as the launcher does: a running one comes to the front unchanged. Returns what `am` says.
    pub(super) fn launch(&self, activity: &str) -> Result<String, PhoneError> {
        let intent = [
            ("wait", true.into()),
            ("action", MAIN.into()),
            ("categories", vec![LAUNCHER].into()),
            ("flags", FLAGS.into()),
            ("component", format!("{}/{activity}", self.app.package).into()),
        ];
        let said = self.mobile("startActivity", &intent)?;
        Ok(said.as_str().unwrap_or_default().to_string())
    }

    /// Does what a finger does once it is over a point.
    fn touch(&self, (x, y): Pixel, then: Vec<Value>) -> Result<(), PhoneError> {
        let actions: Vec<Value> = std::iter::once(moved(x, y)).chain(then).collect();
        let finger = object(&[
            ("type", "pointer".into()),
            ("id", "finger".into()),
            ("parameters", object(&[("pointerType", "touch".into())])),
            ("actions", actions.into()),
        ]);
        Ok(self.session.gestures(vec![finger])?)
    }

    pub(super) fn tap(&self, at: Pixel) -> Result<(), PhoneError> {
        self.touch(at, click())
    }

    fn hold(&self, at: Pixel) -> Result<(), PhoneError> {
        self.touch(at, vec![down(), pause(HOLD_MS), up()])
    }

    fn tap_twice(&self, at: Pixel) -> Result<(), PhoneError> {
        let between = pause(self.real_ms(BETWEEN_TAPS_MS));
        self.touch(at, click().into_iter().chain([between]).chain(click()).collect())
    }

    /// Moves a finger slowly from one pixel to another.
    fn stroke(&self, from: Pixel, to: Pixel) -> Result<(), PhoneError> {
        let part_ms = self.real_ms(PART_MS);
        let way = slowing(from, to).into_iter().map(|place| moved_in(place, part_ms));
        let rest = pause(self.real_ms(REST_MS as u32));
        self.touch(from, std::iter::once(down()).chain(way).chain([rest, up()]).collect())
    }

    /// Returns a time of a gesture. In virtual time it would only make the app's clock differ from that of the simulator.
    fn real_ms(&self, ms: u32) -> u32 {
        if self.facts.has_virtual_time { 0 } else { ms }
    }

    /// Presses a key, by Android's number of it.
    pub(super) fn press(&self, code: u32) -> Result<(), PhoneError> {
        self.mobile("pressKey", &[("keycode", code.into())]).map(drop)
    }

    /// Puts the keyboard away. The key would leave the screen if there were no keyboard.
    pub(super) fn put_keyboard_away(&mut self) -> Result<(), PhoneError> {
        if self.has_keyboard()? { self.press(PressedKey::Back.code()) } else { Ok(()) }
    }

    /// Lights the display, and dismisses a lock that asks for nothing.
    pub(super) fn wake(&mut self) -> Result<(), PhoneError> {
        if self.now.is_lit == Some(true) {
            return Ok(());
        }
        for _ in 0..self.options.looks_max.max(1) {
            self.mobile("unlock", &[])?;
            if self.mobile("isLocked", &[])? != Value::Bool(true) {
                self.now.is_lit = Some(true);
                return Ok(());
            }
            thread::sleep(self.options.pause);
        }
        Err(PhoneError::Locked { at: self.at.clone() })
    }

    /// Turns the display by this angle from its nature.
    pub(super) fn turn(&self, degrees: u32) -> Result<(), PhoneError> {
        Ok(self
            .session
            .post("/rotation", &object(&[("x", 0.into()), ("y", 0.into()), ("z", degrees.into())]))
            .map(drop)?)
    }

    /// Switches the phone's network on or off.
    pub(super) fn connect(&mut self, is_on: bool) -> Result<(), PhoneError> {
        self.now.has_network = None;
        let set = if self.facts.sdk >= SDK_OF_AIRPLANE_MODE {
            self.mobile("setConnectivity", &[("airplaneMode", (!is_on).into())])
        } else {
            self.mobile("setConnectivity", &[("wifi", is_on.into()), ("data", is_on.into())])
        };
        set.map(drop)
    }

    fn idle(&mut self) -> Result<(), PhoneError> {
        if self.facts.has_virtual_time {
            return self.wait(VIRTUAL_IDLE_S * 1_000);
        }
        self.wait(IDLE_S * 1_000)?;
        // The driver keeps the display lit, so the key takes the place of the time-out.
        self.mobile("lock", &[]).map(drop)
    }

    /// Lets time pass on the phone, which may go dark meanwhile.
    fn wait(&mut self, ms: u32) -> Result<(), PhoneError> {
        self.now.is_lit = None;
        if self.facts.has_virtual_time {
            let nothing = object(&[
                ("type", "none".into()),
                ("id", "wait".into()),
                ("actions", vec![pause(ms)].into()),
            ]);
            return Ok(self.session.gestures(vec![nothing])?);
        }
        thread::sleep(Duration::from_millis(ms.into()));
        Ok(())
    }

    /// Presses the keys that type a text into whatever takes them.
    fn type_keys(&self, text: &str) -> Result<(), PhoneError> {
        Ok(self.session.gestures(vec![keyboard(typed(text))])?)
    }

    /// Puts a text in the place of a field's own.
    fn replace_text(&mut self, on: &Target, text: &str) -> Result<(), PhoneError> {
        self.tap(on.bounds.centre())?;
        match self.session.get("/element/active") {
            Ok(element) => self.put(&element, text)?,
            // Without a field that has the focus, whatever takes keys gets them.
            Err(error) if error.is("no such element") => self.type_keys(text)?,
            Err(error) => return Err(error.into()),
        }
        if self.keyboard.is_kept { Ok(()) } else { self.put_keyboard_away() }
    }

    fn put(&self, element: &Value, text: &str) -> Result<(), PhoneError> {
        // The id becomes a part of an address.
        let id = element[ELEMENT].as_str().unwrap_or_default();
        let id = id.replace(['/', '?', '#'], "");
        self.session.post(&format!("/element/{id}/clear"), &object(&[]))?;
        let mut lines = text.split('\n');
        for piece in pieces(lines.next().unwrap_or_default()) {
            self.session.post(&format!("/element/{id}/value"), &object(&[("text", piece.into())]))?;
        }
        for line in lines {
            self.press(PressedKey::Enter.code())?;
            // The key may have moved the focus.
            self.type_keys(line)?;
        }
        Ok(())
    }
}

/// Returns the parts of a line that are typed one after the other, none of which the driver takes for more than letters.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let at = if line.ends_with(TAKEN_FOR_ENTER) { line.len() - 1 } else { line.len() };
    let (first, second) = line.split_at(at);
    [first, second].into_iter().filter(|piece| !piece.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_piece_of_a_text_is_taken_for_enter() {
        let found = |line: &'static str| pieces(line).collect::<Vec<_>>();
        assert_eq!(found(""), [""; 0]);
        assert_eq!(found("a\\nb"), ["a\\nb"]);
        assert_eq!(found("C:\\n"), ["C:\\", "n"]);
        assert_eq!(found("\\n"), ["\\", "n"]);
    }
}
