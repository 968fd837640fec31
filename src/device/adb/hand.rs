//! The hand of a person on a phone: `getevent` read by a thread of its own, on a line beside the one that looks and acts.
//!
//! The phone is asked how its display is turned and what covers the app as soon as a finger comes down, so that the touch has
//! its meaning from the moment when it began. Closing the connection ends both `getevent` and the thread.

use std::io::Read;
use std::thread;
use std::time::Duration;

use super::line::{Line, Stream};
use super::script::{Mark, Script};
use super::{AdbError, Facts, LineError};
use crate::device::DeviceError;
use crate::device::android::touch::under_keyboard;
use crate::device::android::touches::{Follower, Panel, PanelKey, Told, Touched, Turned, panels};
use crate::device::android::{display, keyboard, window};
use crate::device::hand::{Following, Hand, HandGesture, HandKey, HandNews, Place, Tell};
use crate::gui::Bounds;

/// Lists the devices of input, with names where this `getevent` has them.
const PANELS: &str = "getevent -lp 2>/dev/null || getevent -p 2>/dev/null";

/// Prints all events of all devices, each with its time and its device.
const EVENTS: &str = "getevent -lt";

/// Most time for an answer while a hand is followed: a gesture waits for it.
const ANSWER: Duration = Duration::from_secs(10);

/// Shortest duration of a long touch: Android's own limit.
const HOLD_MS: u64 = 500;

/// Longest way of a finger that still touches one place, in dp: Android's touch slop.
const SLOP_DP: u32 = 8;

/// Width of the edges where the system's own gestures begin, in dp: Android's default.
const EDGE_DP: u32 = 24;

/// Value of the setting `navigation_mode` where gestures take the place of the bar with keys.
const BY_GESTURES: &str = "2";

/// Bytes of the stream that are read at once.
const READ_LEN: usize = 4_096;

/// A phone's hand that nobody follows yet.
pub(super) struct PhoneHand {
    line: Box<dyn Line>,
    facts: Facts,
}

impl PhoneHand {
    /// Returns the hand on the phone at the other end of `line`, which has these facts.
    pub fn new(line: Box<dyn Line>, facts: Facts) -> PhoneHand {
        PhoneHand { line, facts }
    }

    fn ask(&mut self, doing: &str, command: &str) -> Result<String, AdbError> {
        let answer = self.line.shell(command, ANSWER).map_err(|source| self.error(doing, source))?;
        Ok(String::from_utf8_lossy(&answer.stdout).into_owned())
    }

    fn error(&self, doing: &str, source: LineError) -> AdbError {
        AdbError::Line { serial: self.line.serial().to_string(), doing: doing.to_string(), source }
    }
}

impl Hand for PhoneHand {
    fn follow(mut self: Box<Self>, mut tell: Tell) -> Result<Following, DeviceError> {
        let panels = panels(&self.ask("looking for its touch screen", PANELS)?);
        if panels.is_empty() {
            return Err(AdbError::NoTouchScreen { serial: self.line.serial().to_string() }.into());
        }
        let mode = self.ask("asking how it goes back", "settings get secure navigation_mode")?;
        let name = format!("hand {}", self.line.serial());
        let mut watcher = Watcher {
            has_gestures: mode.trim() == BY_GESTURES,
            dpi: self.facts.dpi,
            size: self.facts.size,
            line: self.line,
            mark: Mark::new(),
            panels,
            cover: Cover {
                display: Turned { quarters: 0, size: self.facts.size },
                keyboard: None,
                bar: None,
            },
        };
        let begun = watcher.look_at_cover().and_then(|cover| {
            watcher.cover = cover;
            watcher.line.stream(EVENTS)
        });
        let Stream { mut read, end } = begun.map_err(|source| AdbError::Line {
            serial: watcher.line.serial().to_string(),
            doing: "following its touch screen".to_string(),
            source,
        })?;
        let spawned = thread::Builder::new().name(name).spawn(move || {
            let why = watcher.watch(&mut *read, &mut tell);
            tell(HandNews::Lost(why));
        });
        let following = Following::new(end);
        spawned.map(|_| following).map_err(|source| DeviceError::Lost { source: Box::new(source) })
    }
}

/// Display when a finger came down, and the windows that cover the app.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cover {
    display: Turned,
    /// Pixels of the soft keyboard, while it is shown.
    keyboard: Option<Bounds>,
    /// Pixels of the bar with the system's keys.
    bar: Option<Bounds>,
}

/// The thread that reads what a hand does.
struct Watcher {
    line: Box<dyn Line>,
    mark: Mark,
    panels: Vec<Panel>,
    /// Width and height of the display, in its natural orientation.
    size: (u32, u32),
    dpi: u32,
    /// True if the system goes back by a gesture from the edge.
    has_gestures: bool,
    cover: Cover,
}

impl Watcher {
    /// Tells of what the hand does until the stream ends; returns the reason.
    fn watch(&mut self, read: &mut dyn Read, tell: &mut Tell) -> String {
        let mut follower = Follower::new(&self.panels);
        let mut bytes = [0; READ_LEN];
        loop {
            let len = match read.read(&mut bytes) {
                Ok(0) => return "the connection ended".to_string(),
                Ok(len) => len,
                Err(error) => return error.to_string(),
            };
            for told in follower.read(&bytes[..len]) {
                match told {
                    // A phone that is too busy to say so is as it was; one that is gone ends the stream.
                    Told::Down => self.cover = self.look_at_cover().unwrap_or(self.cover.clone()),
                    Told::Up(touched) => tell(HandNews::Did(self.gesture(&touched))),
                    Told::Pressed(key) => tell(HandNews::Did(HandGesture::Key(match key {
                        PanelKey::Back => HandKey::Back,
                        PanelKey::Home => HandKey::Home,
                        PanelKey::Menu => HandKey::Menu,
                    }))),
                }
            }
        }
    }

    /// Asks how the display is turned, and what covers the app.
    fn look_at_cover(&mut self) -> Result<Cover, LineError> {
        let script = Script::new(&self.mark)
            // From Android 12 on the surface of touches is not turned with the display any more; its viewport is.
            .part("display", "dumpsys input 2>/dev/null | grep Viewport")
            .part("keyboard", super::look::KEYBOARD)
            .part("windows", "dumpsys window windows 2>/dev/null")
            .finish();
        let answer = self.line.shell(&script, ANSWER)?;
        let parts = self.mark.parts(&answer.stdout);
        let quarters = display::rotation(&parts.text("display")).unwrap_or(0);
        let (width, height) = self.size;
        let size = if quarters % 2 == 1 { (height, width) } else { (width, height) };
        let windows = parts.text("windows");
        let is_shown = keyboard::is_shown(&parts.text("keyboard")) == Some(true);
        Ok(Cover {
            display: Turned { quarters, size },
            keyboard: is_shown.then(|| window::keyboard(&windows, size).unwrap_or(under_keyboard(size))),
            bar: window::bar(&windows, size).filter(|_| !self.has_gestures),
        })
    }

    /// Returns the meaning of a touch.
    fn gesture(&self, touched: &Touched) -> HandGesture {
        let Cover { display, keyboard, bar } = self.cover.clone();
        let Some(panel) = self.panels.get(touched.panel) else { return HandGesture::Several };
        let place = |point| panel.place(point, display);
        let (from, to) = (place(touched.from), place(touched.to));
        let is_on = |bounds: Option<Bounds>| bounds.is_some_and(|bounds| bounds.contains(from.0, from.1));
        // A quick typist has two fingers on the keys.
        if is_on(keyboard) {
            return HandGesture::Typing(from);
        }
        if touched.has_several {
            return HandGesture::Several;
        }
        let around = touched.around.map(place);
        let slop = self.pixels(SLOP_DP);
        let is_at_one_place =
            around.iter().all(|at| from.0.abs_diff(at.0) <= slop && from.1.abs_diff(at.1) <= slop);
        if is_on(bar) {
            HandGesture::Bar
        } else if is_at_one_place {
            if touched.ms >= HOLD_MS { HandGesture::Hold(from) } else { HandGesture::Tap(from) }
        } else {
            self.key_of(from, to).map_or(HandGesture::Swipe { from, to }, HandGesture::Key)
        }
    }

    /// Returns the key that a swipe from the edge takes the place of.
    fn key_of(&self, from: Place, to: Place) -> Option<HandKey> {
        let (width, height) = self.cover.display.size;
        let (width, height) = (i64::from(width), i64::from(height));
        let edge = i64::from(self.pixels(EDGE_DP));
        let (x, y) = (i64::from(from.0), i64::from(from.1));
        let (right, down) = (i64::from(to.0) - x, i64::from(to.1) - y);
        let is_flat = right.abs() > down.abs();
        let is_inwards = x < edge && right > 0 || x >= width - edge && right < 0;
        if !self.has_gestures {
            None
        } else if is_flat && is_inwards {
            Some(HandKey::Back)
        } else if !is_flat && y >= height - edge && down < 0 {
            Some(HandKey::Home)
        } else {
            None
        }
    }

    fn pixels(&self, dp: u32) -> u32 {
        // A dp is a pixel at 160 of them per inch.
        dp.saturating_mul(self.dpi.max(160)) / 160
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::device::adb::Answer;

    /// A phone with one touch screen of 1,000 x 2,000 steps, on which a script of events is made.
    struct Fake {
        mode: &'static str,
        keyboard: bool,
        orientation: u8,
        panels: &'static str,
        events: &'static str,
        ended: Arc<Mutex<bool>>,
    }

    const PANEL: &str = "add device 1: /dev/input/event1\n  events:\n    ABS (0003): ABS_MT_SLOT : value 0, min 0, max 9\n    \
                         ABS_MT_POSITION_X : value 0, min 0, max 999\n    ABS_MT_POSITION_Y : value 0, min 0, max 1999\n";

    impl Line for Fake {
        fn serial(&self) -> &str {
            "fake"
        }

        fn shell(&mut self, command: &str, _: Duration) -> Result<Answer, LineError> {
            let mut said = String::new();
            for line in command.lines() {
                if let Some(mark) = line.strip_prefix("echo; echo '").and_then(|rest| rest.strip_suffix('\''))
                {
                    said.push_str(&format!("\n{mark}\n"));
                } else if line.starts_with("getevent -lp") {
                    said.push_str(self.panels);
                } else if line.starts_with("settings get secure navigation_mode") {
                    said.push_str(self.mode);
                } else if line.starts_with("dumpsys input ") {
                    said.push_str(&format!(
                        "  Viewport INTERNAL: displayId=0, orientation={}, \n",
                        self.orientation
                    ));
                } else if line.starts_with("dumpsys input_method") {
                    said.push_str(&format!("  mInputShown={}\n", self.keyboard));
                } else if line.starts_with("dumpsys window windows") {
                    said.push_str(
                        "  Window #1 Window{1 u0 InputMethod}:\n    touchable region=SkRegion((0,300,500,1000))\n  \
                         Window #2 Window{2 u0 NavigationBar0}:\n    mFrame=[0,960][500,1000] last=[0,0][0,0]\n",
                    );
                }
            }
            Ok(Answer { stdout: said.into_bytes(), ..Answer::default() })
        }

        fn push(&mut self, _: Arc<[u8]>, _: &str, _: Duration) -> Result<(), LineError> {
            Ok(())
        }

        fn recover(&mut self, _: Duration) -> Result<(), LineError> {
            Ok(())
        }

        fn stream(&mut self, _: &str) -> Result<Stream, LineError> {
            let ended = self.ended.clone();
            let end = Box::new(move || *ended.lock().expect("a lock") = true);
            Ok(Stream { read: Box::new(self.events.as_bytes()), end })
        }
    }

    fn fake(events: &'static str) -> Fake {
        let ended = Arc::default();
        Fake { mode: "2\n", keyboard: false, orientation: 0, panels: PANEL, events, ended }
    }

    fn news(fake: Fake) -> Vec<HandNews> {
        let facts = Facts { size: (500, 1_000), dpi: 160, ..Facts::default() };
        let (sender, receiver) = channel();
        let tell = Box::new(move |news| sender.send(news).expect("a receiver"));
        let following = Box::new(PhoneHand::new(Box::new(fake), facts)).follow(tell).expect("a touch screen");
        let all = receiver.iter().collect();
        drop(following);
        all
    }

    #[track_caller]
    fn check(fake: Fake, expected: &[HandGesture]) {
        let mut wanted: Vec<HandNews> = expected.iter().copied().map(HandNews::Did).collect();
        wanted.push(HandNews::Lost("the connection ended".to_string()));
        assert_eq!(news(fake), wanted);
    }

    macro_rules! touch {
        ($from_x:literal $from_y:literal $to_x:literal $to_y:literal $until:literal) => {
            concat!(
                "[ 1.000000] /dev/input/event1: 0003 0039 00000001\n[ 1.000000] /dev/input/event1: 0003 0035 ",
                $from_x,
                "\n[ 1.000000] /dev/input/event1: 0003 0036 ",
                $from_y,
                "\n[ 1.000000] /dev/input/event1: 0000 0000 00000000\n[ 1.010000] /dev/input/event1: 0003 0035 ",
                $to_x,
                "\n[ 1.010000] /dev/input/event1: 0003 0036 ",
                $to_y,
                "\n[ 1.010000] /dev/input/event1: 0000 0000 00000000\n[ ",
                $until,
                "] /dev/input/event1: 0003 0039 ffffffff\n[ ",
                $until,
                "] /dev/input/event1: 0000 0000 00000000\n"
            )
        };
    }

    /// A tap at 100, 400 of the display.
    const TAP: &str = touch!("c8" "320" "cc" "320" "1.200000");
    const HOLD: &str = touch!("c8" "320" "cc" "320" "1.600000");
    const SWIPE: &str = touch!("c8" "640" "c8" "320" "1.200000");
    const FROM_THE_EDGE: &str = touch!("2" "320" "190" "340" "1.200000");
    const ON_THE_BAR: &str = touch!("c8" "7a0" "c8" "7a0" "1.100000");

    #[test]
    fn touches_are_told_in_pixels() {
        check(fake(TAP), &[HandGesture::Tap((100, 400))]);
        check(fake(HOLD), &[HandGesture::Hold((100, 400))]);
        check(fake(SWIPE), &[HandGesture::Swipe { from: (100, 800), to: (100, 400) }]);
        check(Fake { orientation: 1, ..fake(TAP) }, &[HandGesture::Tap((400, 399))]);
    }

    #[test]
    fn a_swipe_from_the_edge_goes_back_where_the_system_does() {
        check(fake(FROM_THE_EDGE), &[HandGesture::Key(HandKey::Back)]);
        let with_bar = Fake { mode: "0", ..fake(FROM_THE_EDGE) };
        check(with_bar, &[HandGesture::Swipe { from: (1, 400), to: (200, 416) }]);
    }

    #[test]
    fn the_keyboard_and_the_bar_are_no_parts_of_the_app() {
        check(Fake { keyboard: true, ..fake(TAP) }, &[HandGesture::Typing((100, 400))]);
        check(Fake { mode: "0", ..fake(ON_THE_BAR) }, &[HandGesture::Bar]);
        check(fake(ON_THE_BAR), &[HandGesture::Tap((100, 976))]);
    }

    #[test]
    fn the_stream_is_closed_when_nobody_follows_any_more() {
        let ended = Arc::new(Mutex::new(false));
        news(Fake { ended: ended.clone(), ..fake(TAP) });
        assert!(*ended.lock().expect("a lock"));
    }

    #[test]
    fn a_device_without_a_touch_screen_is_named() {
        let hand = PhoneHand::new(Box::new(Fake { panels: "", ..fake("") }), Facts::default());
        let error = Box::new(hand).follow(Box::new(|_| {})).err().expect("no touch screen");
        assert!(error.to_string().contains("`fake` has no touch screen"), "{error}");
    }
}
