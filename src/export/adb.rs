//! adb: a script for any POSIX shell that needs nothing but adb, awk and sed.
//!
//! One awk program reads the tree of `uiautomator dump` and compares texts byte by byte. The script has texts as that
//! tree has them, with XML entities for quotes and for invisible characters, so that no text ends its quotes. The
//! device's shell splits words once more, so each is quoted for it too.

use super::commands::{Changes, Command, Device};
use super::locate;
use super::page::{Page, is_unseen, one_line};
use super::{Exported, activity, asks, note_the_whole, package, shown, used, write_head};
use crate::device::android::typing::{has_key, pieces};
use crate::gui::{
    self, Argument, Atom, Comparison, Constant, Direction, Key, Op, Percent, Point, PressedKey,
};
use crate::test_case::TestCase;

const HOW: [&str; 3] = [
    "Run it with `sh FILE`, the app being installed; adb takes the device from ANDROID_SERIAL if there are several.",
    "It ends with 0 if all is as expected, and else says where it is not. FARLEAD_TRIES is how often it looks for a",
    "widget, or whether something holds, before it gives up (20), FARLEAD_IDLE_S how many seconds an idle takes (70).",
];

/// Functions that the steps call, each after its name.
const LIBRARY: &str = include_str!("library.sh");

/// Program that reads the tree.
const READER: &str = include_str!("reader.awk");

pub(super) fn export(test: &TestCase) -> Exported {
    let mut body = Page::new("#");
    note_the_whole(&mut body, test);
    let package = package(&mut body, test);
    let activity = test.steps.iter().find_map(|step| match step.action.argument() {
        Argument::Activity(name) => Some(activity(&mut body, name)),
        Argument::None | Argument::Text(_) | Argument::Towards(_) | Argument::Own(_) => None,
    });
    write_steps(&mut body, test);
    let (body, notes) = body.finish();
    let library = used(LIBRARY, "#: ", &body, '\'');
    let mut page = Page::new("#");
    page.line("#!/bin/sh");
    write_head(&mut page, test, &HOW);
    page.line("");
    page.line(
        "# shellcheck disable=SC1003,SC2016,SC2088 # backslashes, dollars and tildes of texts mean nothing",
    );
    page.line("set -eu");
    page.line("");
    page.line(&format!("package={}", quote(&package)));
    if library.contains("$activity") {
        page.line(&format!("activity={}", quote(&activity.unwrap_or_default())));
    }
    page.line("tries_max=${FARLEAD_TRIES:-20}");
    page.line("here='the start'");
    page.raw(&library);
    if library.contains("$reader") {
        page.line("");
        page.line("reader='");
        page.raw(READER);
        page.line("'");
    }
    page.line("");
    page.raw(&body);
    page.line("");
    page.line("printf 'all is as expected\\n'");
    Exported { text: page.finish().0, notes }
}

fn write_steps(page: &mut Page, test: &TestCase) {
    let changes = Changes::of(test);
    if changes.is_any() {
        set_device_up(page, changes);
    }
    let mut device = Device::default();
    for (at, step) in test.steps.iter().enumerate() {
        page.line("");
        let said = page.step(at, &step.action);
        page.line(&format!("step {}", quote(&said)));
        if asks(&step.sees, Key::Crashed) {
            page.line("forget_crashes");
        }
        let commands = device.commands(page, &step.action);
        commands.into_iter().for_each(|command| write(page, command));
        step.sees.iter().for_each(|(atom, holds)| check(page, atom, *holds));
    }
}

/// Writes commands that bring the device to the start of the test, and back when it ends.
fn set_device_up(page: &mut Page, changes: Changes) {
    if changes.orientation {
        page.line("sensor_was=$(device settings get system accelerometer_rotation)");
    }
    page.line("put_back() {");
    page.indent(4);
    if changes.orientation {
        page.line("turn 0 || true");
        page.line("device settings put system accelerometer_rotation \"$sensor_was\" || true");
    }
    if changes.network {
        page.line("network disable || true");
    }
    page.indent(0);
    page.line("}");
    page.line("trap put_back EXIT");
    if changes.orientation {
        page.line("device settings put system accelerometer_rotation 0");
        page.line("turn 0");
    }
    if changes.network {
        page.line("network disable");
    }
}

fn write(page: &mut Page, command: Command<'_>) {
    match command {
        Command::Wake => page.line("device input keyevent 224"),
        Command::Start { activity: _ } => page.line("start"),
        Command::Tap { on, at } => {
            find(page, on);
            page.line(&format!("tap {}", point(at)));
        }
        Command::LongTap { on, at } => {
            find(page, on);
            page.line(&format!("long_tap {}", point(at)));
        }
        Command::Scroll { on, towards } => {
            find(page, on);
            // A finger that goes up shows the content below.
            page.line(match towards {
                Direction::Up => "swipe 50000 10000 50000 90000",
                Direction::Down => "swipe 50000 90000 50000 10000",
                Direction::Left => "swipe 10000 50000 90000 50000",
                Direction::Right => "swipe 90000 50000 10000 50000",
            });
        }
        Command::Swipe { on, towards } => {
            find(page, on);
            let end = match towards {
                Direction::Up => "50000 10000",
                Direction::Down => "50000 90000",
                Direction::Left => "10000 50000",
                Direction::Right => "90000 50000",
            };
            page.line(&format!("swipe {} {end}", point(None)));
        }
        Command::SwipeBetween { on, from, to } => {
            find(page, on);
            page.line(&format!("swipe {} {}", point(Some(from)), point(Some(to))));
        }
        Command::Replace { on, text } => {
            find(page, on);
            page.line(&format!("tap {}", point(None)));
            page.line("erase_text");
            type_text(page, text);
        }
        Command::Type { text } => type_text(page, text),
        Command::Back => press(page, PressedKey::Back),
        Command::Press(key) => press(page, key),
        Command::Turn { is_landscape } => page.line(if is_landscape { "turn 1" } else { "turn 0" }),
        Command::SwitchAirplaneMode { is_on } => {
            page.line(if is_on { "network enable" } else { "network disable" });
        }
        Command::PauseResume { activity: _ } => page.line("pause_and_resume"),
        Command::Idle => page.line("go_dark"),
        // Not every `sleep` takes fractions of a second.
        Command::Wait { ms } => page.line(&format!("sleep {}", ms.div_ceil(1000))),
    }
}

/// Returns a point of a widget in thousandths of a percent, its middle if none is named.
fn point(at: Option<Point>) -> String {
    let thousandths = |percent: Percent| percent.of(100_000);
    at.map_or("50000 50000".to_string(), |at| format!("{} {}", thousandths(at.x), thousandths(at.y)))
}

/// Writes the search for a widget. Its first name must fit, and the others where several widgets have that one.
fn find(page: &mut Page, on: &gui::Target) {
    let names = [
        ("resource-id", locate::name(&on.id)),
        ("text", locate::name(&on.text)),
        ("content-desc", locate::name(&on.desc)),
        ("class", locate::name(&on.class)),
        ("objectID", locate::name(&on.object_id)),
    ];
    if names[..3].iter().all(|(_, name)| name.is_none()) {
        page.note("no name tells the widget apart, so it is found by its class and its place in the tree");
    }
    let names: Vec<String> =
        names.iter().filter_map(|(key, name)| Some(format!("{key} = {}", encoded((*name)?)))).collect();
    page.line(&format!("find_widget {}", names.join(" ")));
}

fn press(page: &mut Page, key: PressedKey) {
    page.line(&format!("device input keyevent {}", key.code()));
}

fn type_text(page: &mut Page, text: &str) {
    if text.chars().any(|char| !has_key(char) && char != '\n') {
        page.note("`input` types ASCII letters alone, so the others are left out");
        page.line("printf 'some letters cannot be typed at %s\\n' \"$here\" >&2");
    }
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            press(page, PressedKey::Enter);
        }
        let line: String = line.chars().filter(|&char| has_key(char)).collect();
        for piece in pieces(&line) {
            page.line(&format!("type_text {}", quote(&piece)));
        }
    }
}

fn check(page: &mut Page, atom: &Atom, holds: bool) {
    let check = match atom {
        // The commands themselves say the action.
        Atom::Action(_) => return,
        Atom::State(all) => words(all).map(|words| format!("state_is {words}")),
        Atom::Widget(all) => words(all).map(|words| format!("widgets_are -ge 1 {words}")),
        Atom::Count { of, op, number } => {
            words(of).map(|words| format!("widgets_are {} {number} {words}", relation(*op)))
        }
        Atom::Checked(is_checked) => Some(format!("checked_is {is_checked}")),
    };
    let Some(check) = check else {
        let shown = shown(atom, holds);
        return page.note(&format!("awk knows fewer regular expressions, so {shown} is not checked"));
    };
    let (answer, what) = (if holds { "yes" } else { "no" }, one_line(&atom.to_string(), 1_000));
    page.line(&format!("expect {answer} {} {check}", quote(&what)));
}

fn relation(op: Op) -> &'static str {
    match op {
        // A count has no `~`; the spec refuses it.
        Op::Equal | Op::Contains => "-eq",
        Op::NotEqual => "-ne",
        Op::Less => "-lt",
        Op::AtMost => "-le",
        Op::Greater => "-gt",
        Op::AtLeast => "-ge",
    }
}

/// Returns comparisons as three words each; nothing if awk cannot express one of them.
fn words(all: &[Comparison]) -> Option<String> {
    let words: Option<Vec<String>> = all
        .iter()
        .map(|Comparison { key, op, value }| {
            // Names of the attributes in the tree.
            let key = match key.name() {
                "id" => "resource-id",
                "desc" => "content-desc",
                name => name,
            };
            let (op, value) = match value {
                Constant::Flag(flag) => (op.sign(), flag.to_string()),
                Constant::Text(text) => (op.sign(), text.clone()),
                Constant::Number(number) => (op.sign(), number.to_string()),
                Constant::Regex(regex) => ("matches", extended(regex)?),
            };
            Some(format!("{key} {} {}", quote(op), encoded(&value)))
        })
        .collect();
    Some(words?.join(" "))
}

/// Returns the extended regular expression that matches as `regex` does, if each of its parts has one.
fn extended(regex: &str) -> Option<String> {
    let mut extended = String::new();
    let mut chars = regex.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' => extended.push_str(&escaped(chars.next()?)?),
            '[' => extended.push_str(&class(&mut chars)?),
            '(' => {
                if chars.next_if_eq(&'?').is_some() {
                    chars.next_if_eq(&':')?;
                }
                // Implementations of awk differ on empty groups.
                if chars.peek() == Some(&')') {
                    return None;
                }
                extended.push('(');
            }
            '.' => extended.push_str("[^\\n]"),
            '*' | '+' | '?' => {
                extended.push(char);
                // Greedy or not, the same texts match.
                chars.next_if_eq(&'?');
                if chars.peek().is_some_and(|next| "*+?".contains(*next)) {
                    return None;
                }
            }
            // Some versions of awk do not know counted repetition.
            '{' => return None,
            '|' if extended.is_empty() || extended.ends_with(['|', '(']) => return None,
            '|' if chars.peek().is_none_or(|next| "|)".contains(*next)) => return None,
            ']' | '}' | '/' => extended.extend(['\\', char]),
            // The group makes all bytes of the letter repeat.
            _ if !char.is_ascii() => extended.push_str(&format!("({char})")),
            _ => extended.push(char),
        }
    }
    // An expression that matches everywhere is not needed, and not every awk takes an empty one.
    if extended.is_empty() { Some("^".to_string()) } else { Some(extended) }
}

fn escaped(char: char) -> Option<String> {
    Some(match char {
        'd' => "[0-9]".to_string(),
        'w' => "[A-Za-z0-9_]".to_string(),
        's' => "[ \\t\\n\\r\\f\\v]".to_string(),
        'D' => "[^0-9]".to_string(),
        'W' => "[^A-Za-z0-9_]".to_string(),
        'S' => "[^ \\t\\n\\r\\f\\v]".to_string(),
        'n' | 'r' | 't' => format!("\\{char}"),
        _ if ".[]()*+?{}|^$\\/".contains(char) => format!("\\{char}"),
        _ if char.is_ascii_punctuation() => char.to_string(),
        _ => return None,
    })
}

/// Returns the class after its opening bracket.
fn class(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<String> {
    let mut class = String::from("[");
    class.extend(chars.next_if_eq(&'^'));
    if chars.peek() == Some(&']') {
        return None;
    }
    loop {
        let char = chars.next()?;
        let is_double = chars.peek() == Some(&char);
        match char {
            ']' => break,
            '[' => return None,
            '&' | '-' | '~' if is_double => return None,
            '\\' => match chars.next()? {
                'd' => class.push_str("0-9"),
                'w' => class.push_str("A-Za-z0-9_"),
                's' => class.push_str(" \\t\\n\\r\\f\\v"),
                escaped @ ('n' | 'r' | 't' | '\\' | ']') => class.extend(['\\', escaped]),
                // No spelling of these works in every awk.
                '-' | '[' | '^' => return None,
                escaped if escaped.is_ascii_punctuation() => class.push(escaped),
                _ => return None,
            },
            _ if !char.is_ascii() => return None,
            _ => class.push(char),
        }
    }
    class.push(']');
    Some(class)
}

/// Returns `text` as one word of a shell with XML entities, so that it has no line break and nothing ends its quotes.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for char in text.chars() {
        match char {
            '&' => encoded.push_str("&amp;"),
            '\'' => encoded.push_str("&apos;"),
            _ if is_unseen(char) => encoded.push_str(&format!("&#{};", u32::from(char))),
            _ => encoded.push(char),
        }
    }
    quote(&encoded)
}

/// Returns `text`, which has no invisible characters, as one word of a shell.
fn quote(text: &str) -> String {
    let is_bare = |char: char| char.is_ascii_alphanumeric() || "._-/:=".contains(char);
    if !text.is_empty() && text.chars().all(is_bare) {
        return text.to_string();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
