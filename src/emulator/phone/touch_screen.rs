//! `getevent` and `sendevent`: the touch screen from the shell, as the kernel knows it.
//!
//! Touches of `input` pass the kernel by, so `getevent` tells of none. Those of `sendevent` are touches by hand: all who read
//! hear of them, and the app or the keyboard gets them when the finger is lifted.

use super::input::{Key, press, touch};
use super::io::{Io, shown};
use super::kernel::{DEVICE, Event, Form, Lifted};
use super::system::Phone;
use crate::device::DeviceError;
use crate::device::sim::model::Display;

/// Rows of keys of the soft keyboard, from the top; the last is the space bar.
const KEYS: [&str; 4] = ["qwertyuiop", "asdfghjkl", "zxcvbnm", " "];

/// `getevent`: the touch screen, or its events.
pub(super) fn getevent(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (mut letters, mut path, mut count) = (String::new(), None, None);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.strip_prefix('-') {
            Some(flags) => {
                letters.push_str(flags);
                if flags.ends_with('c') {
                    count = words.next().and_then(|count| count.parse().ok());
                }
            }
            None => path = Some(word),
        }
    }
    if let Some(path) = path.filter(|path| *path != DEVICE && !path.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return io.complain(&format!("could not open {}, No such file or directory", shown(path)));
    }
    if letters.contains('h') {
        return io.complain("Usage: getevent [-t] [-n] [-s switchmask] [-S] [-v [mask]] [-d] [-p] [-i] [-l] [-q] [-c count] [-r] [device]");
    }
    let describes = letters.contains(['p', 'i']);
    if describes || path.is_none() && !letters.contains('q') {
        io.say(&format!("add device 1: {DEVICE}"));
        io.say("  name:     \"farlead_touch\"");
    }
    if !describes {
        // It reads on until its stream ends.
        phone.start_reader(Form {
            has_names: letters.contains('l'),
            has_times: letters.contains('t'),
            has_path: path.is_none(),
            count,
        });
        return 0;
    }
    describe(phone.display, letters.contains('l'), io);
    0
}

fn describe(Display { width, height, .. }: Display, has_names: bool, io: &mut Io) {
    let (x, y) = (width.saturating_sub(1), height.saturating_sub(1));
    let axes = [
        ("ABS_MT_SLOT", 0x2f, 9),
        ("ABS_MT_POSITION_X", 0x35, x),
        ("ABS_MT_POSITION_Y", 0x36, y),
        ("ABS_MT_TRACKING_ID", 0x39, 65_535),
        ("ABS_MT_PRESSURE", 0x3a, 255),
    ];
    let name = |name: &str, code: u32| if has_names { format!("{name:<20}") } else { format!("{code:04x}") };
    io.say("  events:");
    let keys = [("KEY_MENU", 0x8b), ("KEY_BACK", 0x9e), ("KEY_HOMEPAGE", 0xac), ("BTN_TOUCH", 0x14a)];
    io.say(&format!("    KEY (0001): {} ", keys.map(|(key, code)| name(key, code)).join("  ")));
    for (at, (axis, code, most)) in axes.into_iter().enumerate() {
        let start = if at == 0 { "    ABS (0003):" } else { "               " };
        let axis = name(axis, code);
        io.say(&format!("{start} {axis}  : value 0, min 0, max {most}, fuzz 0, flat 0, resolution 0"));
    }
    io.say("  input props:");
    io.say(if has_names { "    INPUT_PROP_DIRECT" } else { "    0001" });
}

/// `sendevent`: an event of the touch screen.
pub(super) fn sendevent(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let [path, kind, code, value] = args else {
        return io.complain("use: sendevent device type code value");
    };
    if path != DEVICE {
        return io.complain(&format!("could not open {}, No such file or directory", shown(path)));
    }
    // The real one takes whatever it cannot read for 0, and cuts what is too long.
    let number = |word: &String| word.parse::<i64>().unwrap_or(0);
    let event = Event { kind: number(kind) as u16, code: number(code) as u16, value: number(value) as i32 };
    let now_ms = phone.uptime_ms;
    phone.readers.tell(event, now_ms);
    let lifted = phone.hand.take(event, now_ms);
    let done = match (lifted, event.pressed()) {
        (Some(lifted), _) => lift(phone, lifted),
        (None, Some(key)) => press(phone, Key::Pressed(key), 1),
        (None, None) => Ok(()),
    };
    done.err().map_or(0, |error| io.complain(&error.to_string()))
}

/// Gives a touch by hand to what lies there.
fn lift(phone: &mut Phone, Lifted { from, to, ms }: Lifted) -> Result<(), DeviceError> {
    let (width, height) = phone.shown_size();
    let rotation = phone.rotation();
    let Display { width: panel_width, height: panel_height, .. } = phone.display;
    let (high_x, high_y) = (number(panel_width) - 1, number(panel_height) - 1);
    let shown = |(x, y): (i32, i32)| {
        let (x, y) = (x.clamp(0, high_x), y.clamp(0, high_y));
        let (x, y) = match rotation {
            1 => (y, high_x - x),
            2 => (high_x - x, high_y - y),
            3 => (high_y - y, x),
            _ => (x, y),
        };
        // `wm size` shows the same glass in other pixels.
        let (wide, tall) =
            if rotation % 2 == 1 { (panel_height, panel_width) } else { (panel_width, panel_height) };
        (number_of(x, width, wide), number_of(y, height, tall))
    };
    let (from, to) = (shown(from), shown(to));
    let windows = phone.windows();
    match key(from, (width, height)).filter(|_| windows.has_keyboard && windows.is_lit) {
        Some(letter) => phone.act(|sim| sim.type_text(&letter.to_string())),
        None => touch(phone, from, to, ms),
    }
}

fn number(pixels: u32) -> i32 {
    i32::try_from(pixels).unwrap_or(i32::MAX)
}

/// Returns a pixel of `of` as one of `pixels`.
fn number_of(at: i32, pixels: u32, of: u32) -> i32 {
    (i64::from(at) * i64::from(pixels) / i64::from(of.max(1))) as i32
}

/// Returns the pixel where the soft keyboard begins on a display of this height: it takes the lower two fifths.
pub(super) fn keyboard_top(height: u32) -> u32 {
    height / 5 * 3
}

/// Returns the letter of the key at a pixel.
fn key((x, y): (i32, i32), (width, height): (u32, u32)) -> Option<char> {
    let top = keyboard_top(height);
    let (x, below) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?.checked_sub(top)?);
    let part = |at: u32, length: u32, parts: usize| {
        usize::try_from(u64::from(at) * parts as u64 / u64::from(length.max(1))).unwrap_or(usize::MAX)
    };
    let row = KEYS.get(part(below, height - top, KEYS.len()))?;
    row.chars().nth(part(x, width, row.len()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::device::sim::read;
    use crate::emulator::phone::AndroidVersion;
    use crate::rng::Seed;
    use crate::spec::Source;

    const APP: &str = "app org.example \"Example\" 1.0\ndisplay 400x800 160dpi\nlaunch Main\nactivity Main .Main {\n    own last = \"none\"\n    \
                       own name = \"\"\n    TextView (last) at 0,0 400,100\n    \
                       Button \"Go\" at 0,100 200,200 -> last = \"click\" { on longclick: last = \"long\" }\n    \
                       FrameLayout at 0,300 400,400 { on swipe left: last = \"left\" }\n    EditText edits name at 0,200 400,300\n}\n";

    fn phone() -> Phone {
        let model = read(&Source::new("example.app", APP)).model.expect("no mistakes");
        let mut phone = Phone::new(Arc::new(model), Seed(1), AndroidVersion::default());
        phone.shell("am start -W -n org.example/.Main", b"");
        phone
    }

    /// Moves a finger by hand, and rests before it is lifted.
    fn moves(phone: &mut Phone, from: (i32, i32), to: (i32, i32), rest: &str) {
        let send = |kind: u16, code: u16, value: i32| format!("sendevent {DEVICE} {kind} {code} {value}\n");
        let place = |(x, y)| [send(3, 53, x), send(3, 54, y), send(0, 0, 0)].concat();
        let line = [
            send(3, 57, 1),
            send(1, 330, 1),
            place(from),
            place(to),
            format!("sleep {rest}\n"),
            send(3, 57, -1),
            send(1, 330, 0),
            send(0, 0, 0),
        ];
        let ran = phone.shell(&line.concat(), b"");
        assert_eq!((ran.code, String::from_utf8_lossy(&ran.stderr).into_owned()), (0, String::new()));
    }

    fn shows(phone: &mut Phone) -> String {
        let dump = phone.shell("uiautomator dump /dev/tty", b"").stdout;
        let dump = String::from_utf8_lossy(&dump).into_owned();
        dump.split("text=\"")
            .filter_map(|rest| rest.split('"').next())
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join(",")
    }

    #[test]
    fn a_touch_by_hand_is_a_click_a_long_click_or_a_swipe() {
        for (from, to, rest, expected) in [
            ((100, 150), (100, 150), "0.1", "click,Go"),
            ((100, 150), (104, 150), "0.6", "long,Go"),
            ((300, 350), (50, 350), "0.1", "left,Go"),
            ((300, 750), (300, 750), "0.1", "none,Go"),
        ] {
            let mut phone = phone();
            moves(&mut phone, from, to, rest);
            assert!(shows(&mut phone).ends_with(expected), "{expected}: {}", shows(&mut phone));
        }
    }

    #[test]
    fn a_touch_by_hand_turns_with_the_display() {
        let mut phone = phone();
        phone.shell("settings put system accelerometer_rotation 0; settings put system user_rotation 1", b"");
        // A turned display is 800 pixels wide and 400 high, and the button at 0,50 400,100.
        moves(&mut phone, (320, 100), (320, 100), "0.1");
        assert!(shows(&mut phone).contains("click"), "{}", shows(&mut phone));
    }

    #[test]
    fn keys_of_the_keyboard_type_while_it_is_shown() {
        let mut phone = phone();
        moves(&mut phone, (200, 250), (200, 250), "0.1");
        for (x, y) in [(10, 500), (10, 600), (200, 790)] {
            moves(&mut phone, (x, y), (x, y), "0.1");
        }
        assert!(shows(&mut phone).contains("qa "), "{}", shows(&mut phone));
        assert_eq!(key((10, 100), (400, 800)), None);
    }

    #[test]
    fn readers_hear_of_touches_until_they_end() {
        let mut phone = phone();
        let ran = phone.shell("getevent -lq", b"");
        assert!(ran.stdout.is_empty());
        let pid = phone.take_server().expect("a reader");
        assert!(phone.ended_server(pid).is_none());
        phone.shell("input tap 100 150", b"");
        assert!(phone.server_output(pid).is_empty(), "input passes the kernel by");
        moves(&mut phone, (100, 150), (100, 150), "0.1");
        let said = String::from_utf8(phone.server_output(pid)).expect("a text");
        assert_eq!(said.lines().count(), 11, "{said}");
        assert!(said.starts_with("/dev/input/event1: EV_ABS       ABS_MT_TRACKING_ID   00000001 "), "{said}");
        phone.end_server(pid);
        assert!(phone.ended_server(pid).is_some());
        for line in ["sendevent /dev/input/event9 3 53 1", "sendevent /dev/input/event1 3"] {
            assert_eq!(phone.shell(line, b"").code, 1, "{line}");
        }
    }
}
