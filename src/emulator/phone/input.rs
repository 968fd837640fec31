//! `input`: touches and keys from the shell.

use super::io::{Io, shown};
use super::system::Phone;
use super::version::AndroidVersion;
use crate::device::sim::Edit;
use crate::device::{DeviceError, Sim};
use crate::gui::PressedKey;

/// Shortest duration of a long touch: Android's own setting.
const LONG_TOUCH_MS: u64 = 500;

/// Longest way of a finger that still touches one point, in dp: Android's touch slop.
const SLOP_DP: u32 = 8;

/// Number of keys of one call at most.
const KEYS_MAX: usize = 10_000;

/// Longest text in characters: a longer one does not fit a command line of Android either.
const TEXT_MAX: usize = 100_000;

/// Effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Pressed(PressedKey),
    Letter(char),
    Edit(Edit),
    Power,
    WakeUp,
    Sleep,
    /// No visible effect.
    Other,
}

/// `input`: injects touches, texts and keys.
pub(super) fn input(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    const SOURCES: [&str; 11] = [
        "dpad",
        "keyboard",
        "mouse",
        "touchpad",
        "gamepad",
        "touchnavigation",
        "joystick",
        "touchscreen",
        "stylus",
        "trackball",
        "rotaryencoder",
    ];
    let mut words = args;
    if words.first().is_some_and(|word| SOURCES.contains(&word.as_str())) {
        words = &words[1..];
    }
    // There is one display.
    if words.first().is_some_and(|word| word == "-d") {
        words = words.get(2..).unwrap_or_default();
    }
    let Some((command, rest)) = words.split_first() else { return usage(io) };
    let done = match command.as_str() {
        "tap" => points::<2>(rest).map(|[x, y]| touch(phone, (x, y), (x, y), 0)),
        "swipe" | "draganddrop" => points::<4>(rest).map(|[x, y, to_x, to_y]| {
            let ms = rest.get(4).and_then(|ms| ms.parse().ok()).unwrap_or(300);
            touch(phone, (x, y), (to_x, to_y), ms)
        }),
        "motionevent" if phone.version >= AndroidVersion::V11 => motion(phone, rest),
        "text" => return text(phone, rest, io),
        "keyevent" => return keys(phone, rest, io),
        "keycombination" if phone.version >= AndroidVersion::V13 => combination(phone, rest),
        // Of a trackball, which no phone has any more.
        "press" | "roll" => Some(Ok(())),
        command => {
            io.complain(&format!("Error: Unknown command: {}", shown(command)));
            return usage(io);
        }
    };
    match done {
        None => {
            io.complain(&format!("Error: Invalid arguments for command: {}", shown(command)));
            usage(io)
        }
        Some(done) => failed(done, io),
    }
}

fn failed(done: Result<(), DeviceError>, io: &mut Io) -> u8 {
    done.err().map_or(0, |error| io.complain(&error.to_string()))
}

fn usage(io: &mut Io) -> u8 {
    io.complain(
        "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]\n\nThe commands and default sources are:\n      \
         text <string> (Default: touchscreen)\n      keyevent [--longpress] <key code number or name> ... (Default: keyboard)\n      \
         tap <x> <y> (Default: touchscreen)\n      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)\n      \
         draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)\n      press (Default: trackball)\n      \
         roll <dx> <dy> (Default: trackball)",
    );
    255
}

fn points<const N: usize>(words: &[String]) -> Option<[i32; N]> {
    let mut points = [0; N];
    for (point, word) in points.iter_mut().zip(words.get(..N)?) {
        let number: f32 = word.parse().ok()?;
        *point = if number.is_finite() { number.floor() as i32 } else { return None };
    }
    Some(points)
}

/// Moves a finger from one point to another in `ms` milliseconds.
pub(super) fn touch(phone: &mut Phone, from: (i32, i32), to: (i32, i32), ms: u64) -> Result<(), DeviceError> {
    // A dark display takes no touch.
    if !phone.windows().is_lit || !phone.is_current_installed() {
        return Ok(());
    }
    // A finger that hardly moves is a tap or a long tap, as on a phone.
    let slop = i64::from(SLOP_DP * phone.sim().display().dpi / 160);
    let moved = |from: i32, to: i32| (i64::from(to) - i64::from(from)).abs();
    if moved(from.0, to.0) > slop || moved(from.1, to.1) > slop {
        phone.act(|sim| sim.swipe(from, to))
    } else if ms >= LONG_TOUCH_MS {
        phone.act(|sim| sim.long_tap(from))
    } else {
        phone.act(|sim| sim.tap(from))
    }
}

fn motion(phone: &mut Phone, words: &[String]) -> Option<Result<(), DeviceError>> {
    let (what, rest) = words.split_first()?;
    let [x, y] = points::<2>(rest).or_else(|| (what == "CANCEL").then_some([0, 0]))?;
    match what.to_ascii_uppercase().as_str() {
        "DOWN" => phone.finger = Some((x, y)),
        // Only the points of down and up count: the simulator's swipe is a straight line.
        "MOVE" => {}
        "CANCEL" => phone.finger = None,
        "UP" => {
            let from = phone.finger.take()?;
            return Some(touch(phone, from, (x, y), 0));
        }
        _ => return None,
    }
    Some(Ok(()))
}

fn text(phone: &mut Phone, words: &[String], io: &mut Io) -> u8 {
    let is_new = phone.version >= AndroidVersion::V11;
    let Some(word) = words.first().filter(|_| is_new || words.len() == 1) else {
        io.complain("Error: Invalid arguments for command: text");
        return usage(io);
    };
    let typed = word.replace("%s", " ");
    // A phone's virtual keyboard has the keys of ASCII; for another letter it throws.
    if !typed.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        io.complain(if is_new {
            "Exception occurred while executing 'text':\njava.lang.NullPointerException: Attempt to get length of \
             null array\n\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:314)"
        } else {
            "java.lang.NullPointerException: Attempt to get length of null array\n\tat \
             com.android.commands.input.Input.sendText(Input.java:181)\n\tat \
             com.android.commands.input.Input.run(Input.java:66)"
        });
        return if is_new { 255 } else { 1 };
    }
    let typed: String = typed.chars().filter(|letter| !letter.is_ascii_control()).take(TEXT_MAX).collect();
    if typed.is_empty() || !phone.windows().is_lit {
        return 0;
    }
    failed(phone.act(|sim| sim.type_text(&typed)), io)
}

fn keys(phone: &mut Phone, words: &[String], io: &mut Io) -> u8 {
    let mut named: Vec<Key> = words
        .iter()
        .filter(|word| !word.starts_with("--") && word.as_str() != "-t")
        .take(KEYS_MAX)
        .map(|word| key(word))
        .collect();
    if named.is_empty() {
        io.complain("Error: Invalid arguments for command: keyevent");
        return usage(io);
    }
    let mut code = 0;
    named.reverse();
    // Deletes in a row are one action: a client clears a field with hundreds of them.
    while let Some(first) = named.pop() {
        let mut times = 1;
        let deletes = [Key::Pressed(PressedKey::Delete), Key::Edit(Edit::DeleteForward)];
        while named.last() == Some(&first) && deletes.contains(&first) {
            named.pop();
            times += 1;
        }
        code = failed(press(phone, first, times), io).max(code);
    }
    code
}

/// Presses keys at once: with Ctrl, A selects the text of a field. Nothing else is known to the apps of models.
fn combination(phone: &mut Phone, words: &[String]) -> Option<Result<(), DeviceError>> {
    const CTRL: [&str; 6] =
        ["113", "114", "CTRL_LEFT", "CTRL_RIGHT", "KEYCODE_CTRL_LEFT", "KEYCODE_CTRL_RIGHT"];
    let words: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let [held, pressed] = words[..] else { return (words.len() > 2).then_some(Ok(())) };
    let selects = CTRL.contains(&held.as_str()) && key(pressed) == Key::Letter('a');
    Some(if selects { press(phone, Key::Edit(Edit::SelectAll), 1) } else { Ok(()) })
}

/// Presses a key, `times` times.
pub(super) fn press(phone: &mut Phone, key: Key, times: u32) -> Result<(), DeviceError> {
    let is_lit = phone.windows().is_lit;
    match key {
        Key::Power => phone.act(|sim| sim.light(!is_lit)),
        Key::WakeUp => phone.act(|sim| sim.light(true)),
        Key::Sleep if is_lit => phone.act(|sim| sim.light(false)),
        // On a dark display, Home lights it and does no more.
        Key::Pressed(PressedKey::Home) if !is_lit => phone.act(|sim| sim.light(true)),
        Key::Letter(letter) if is_lit => phone.act(|sim| sim.type_text(&letter.to_string())),
        Key::Pressed(key) if is_lit => phone.act(|sim: &mut Sim| sim.press(key, times)),
        Key::Edit(key) if is_lit => phone.act(|sim| sim.edit(key, times)),
        Key::Sleep | Key::Letter(_) | Key::Pressed(_) | Key::Edit(_) | Key::Other => Ok(()),
    }
}

/// Returns the key of a number or a name.
pub(super) fn key(word: &str) -> Key {
    const NAMES: [(&str, u32); 18] = [
        ("HOME", 3),
        ("BACK", 4),
        ("POWER", 26),
        ("COMMA", 55),
        ("PERIOD", 56),
        ("TAB", 61),
        ("SPACE", 62),
        ("ENTER", 66),
        ("DEL", 67),
        ("MINUS", 69),
        ("AT", 77),
        ("MENU", 82),
        ("SEARCH", 84),
        ("FORWARD_DEL", 112),
        ("MOVE_END", 123),
        ("APP_SWITCH", 187),
        ("SLEEP", 223),
        ("WAKEUP", 224),
    ];
    let name = word.to_ascii_uppercase();
    let name = name.strip_prefix("KEYCODE_").unwrap_or(&name);
    let by_name = NAMES.iter().find(|(other, _)| *other == name).map(|(_, code)| *code);
    let code = word.parse().ok().or(by_name).or_else(|| match name.as_bytes() {
        [letter @ b'A'..=b'Z'] => Some(u32::from(letter - b'A') + 29),
        [digit @ b'0'..=b'9'] => Some(u32::from(digit - b'0') + 7),
        _ => None,
    });
    let letter = |first: u8, offset: u32| Key::Letter(char::from(first + offset as u8));
    match code {
        Some(3) => Key::Pressed(PressedKey::Home),
        Some(4) => Key::Pressed(PressedKey::Back),
        Some(code @ 7..=16) => letter(b'0', code - 7),
        Some(26) => Key::Power,
        Some(code @ 29..=54) => letter(b'a', code - 29),
        Some(55) => Key::Letter(','),
        Some(56) => Key::Letter('.'),
        Some(61) => Key::Pressed(PressedKey::Tab),
        Some(62) => Key::Letter(' '),
        Some(66) => Key::Pressed(PressedKey::Enter),
        Some(67) => Key::Pressed(PressedKey::Delete),
        Some(69) => Key::Letter('-'),
        Some(77) => Key::Letter('@'),
        Some(82) => Key::Pressed(PressedKey::Menu),
        Some(84) => Key::Pressed(PressedKey::Search),
        Some(112) => Key::Edit(Edit::DeleteForward),
        Some(123) => Key::Edit(Edit::LineEnd),
        Some(223) => Key::Sleep,
        Some(224) => Key::WakeUp,
        Some(_) | None => Key::Other,
    }
}
