//! adb: a script for any POSIX shell that needs nothing but adb, awk and sed.
//!
//! The script reads the tree of `uiautomator dump` with one awk program, which compares texts byte by byte. Values stand in
//! the script as in that tree, with XML entities for quotes and invisible characters, so that no text ends its quotes. The
//! shell of the device reads words once more, so each is quoted for it too.

use super::commands::{Activity, Command, Expect, Script, Subject, swiped};
use super::locate;
use super::page::{Page, is_unseen, one_line};
use super::{Exported, Quotes, used, write_head};
use crate::deflated;
use crate::device::android::typing::{has_key, pieces};
use crate::gui::{Comparison, Constant, Direction, Op, Percent, Point, PressedKey, Target};
use crate::test_case::TestCase;

const HOW: [&str; 3] = [
    "Run it with `sh FILE`, the app being installed; adb takes the device from ANDROID_SERIAL if there are several.",
    "It ends with 0 if all is as expected, and else says where it is not. FARLEAD_TRIES is how often it looks for a",
    "widget, or whether something holds, before it gives up (20), FARLEAD_IDLE_S how many seconds an idle takes (70).",
];

/// Functions that the steps call, each after its name; packed.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.sh.deflated"));

/// The awk program that reads the tree.
const READER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/reader.awk.deflated"));

pub(super) fn print(test: &TestCase) -> Exported {
    // `find_widget` gets all names of a widget, so the locators do not matter.
    let script = Script::new(test, |one, two| one == two);
    // The steps are written first: the library above them has what they call.
    let mut body = Page::new("#");
    script.remarks.iter().for_each(|remark| body.note(remark));
    let activity = script.launched();
    activity.and_then(Activity::remark).iter().for_each(|remark| body.note(remark));
    write_steps(&mut body, &script);
    let (body, notes) = body.finish();
    // Functions that no step calls are left out, so that people read a short script.
    let library = used(LIBRARY, "#: ", &body, Quotes::Shell);
    let mut page = Page::new("#");
    page.line("#!/bin/sh");
    write_head(&mut page, test, &HOW);
    page.line("");
    page.line(
        "# shellcheck disable=SC1003,SC2016,SC2088 # backslashes, dollars and tildes of texts mean nothing",
    );
    page.line("set -eu");
    page.line("");
    page.line(&format!("package={}", quote(&script.package)));
    if library.contains("$activity") {
        page.line(&format!("activity={}", quote(activity.map_or("", |activity| &activity.safe))));
    }
    page.line("tries_max=${FARLEAD_TRIES:-20}");
    page.line("here='the start'");
    page.raw(&library);
    if library.contains("$reader") {
        page.line("");
        page.line("reader='");
        page.raw(&deflated::text(READER));
        page.line("'");
    }
    page.line("");
    page.raw(&body);
    page.line("");
    page.line("printf 'all is as expected\\n'");
    Exported { text: page.finish().0, notes }
}

fn write_steps(page: &mut Page, script: &Script<'_>) {
    if script.turns || script.switches_network {
        set_device_up(page, script);
    }
    for step in &script.steps {
        page.line("");
        page.step(&step.title);
        page.line(&format!("step {}", quote(&step.title)));
        step.commands.iter().for_each(|command| act(page, command));
        step.expects.iter().for_each(|expect| check(page, expect));
    }
}

/// Writes code that makes the device upright and connected, now and when the script ends.
fn set_device_up(page: &mut Page, script: &Script<'_>) {
    if script.turns {
        // The user's own setting is put back at the end.
        page.line("sensor_was=$(device settings get system accelerometer_rotation)");
    }
    page.line("put_back() {");
    page.indent(4);
    // Each line goes on after a failure, as the rest has to be put back too.
    if script.turns {
        page.line("turn 0 || true");
        page.line("device settings put system accelerometer_rotation \"$sensor_was\" || true");
    }
    if script.switches_network {
        page.line("network disable || true");
    }
    page.indent(0);
    page.line("}");
    page.line("trap put_back EXIT");
    if script.turns {
        // With the sensor on, the device would turn the display back by itself.
        page.line("device settings put system accelerometer_rotation 0");
        page.line("turn 0");
    }
    if script.switches_network {
        page.line("network disable");
    }
}

fn act(page: &mut Page, command: &Command<'_>) {
    const MIDDLE: &str = "50000 50000";
    match command {
        Command::ForgetCrashes => page.line("forget_crashes"),
        Command::Wake => page.line("device input keyevent 224"),
        Command::Launch(_) => page.line("start"),
        Command::Tap { on, at } => {
            find(page, on.target);
            page.line(&format!("tap {}", at.map_or(MIDDLE.to_string(), point)));
        }
        Command::LongTap { on, at } => {
            find(page, on.target);
            page.line(&format!("long_tap {}", at.map_or(MIDDLE.to_string(), point)));
        }
        Command::Fill { on, text } => {
            find(page, on.target);
            // Keys go to the field that has the focus, so it is touched first.
            page.line(&format!("tap {MIDDLE}"));
            page.line("erase_text");
            type_text(page, text);
        }
        Command::Scroll { on, towards } => {
            find(page, on.target);
            // To show what lies below, the finger goes up.
            page.line(match towards {
                Direction::Up => "stroke 50000 10000 50000 90000",
                Direction::Down => "stroke 50000 90000 50000 10000",
                Direction::Left => "stroke 10000 50000 90000 50000",
                Direction::Right => "stroke 90000 50000 10000 50000",
            });
        }
        Command::Swipe { on, towards } => drag(page, "stroke", on.target, swiped(*towards)),
        // A swipe of the user's own may be meant to be quick.
        Command::Drag { on, from, to } => drag(page, "swipe", on.target, (*from, *to)),
        Command::Type(text) => type_text(page, text),
        Command::Press(key) => press(page, *key),
        Command::Back => page.line("go_back"),
        Command::Turn { is_upright } => page.line(if *is_upright { "turn 0" } else { "turn 1" }),
        // `network` passes the word on to the airplane mode.
        Command::SwitchNetwork { is_on } => {
            page.line(if *is_on { "network disable" } else { "network enable" });
        }
        Command::LeaveAndReturn { .. } => page.line("pause_and_resume"),
        Command::Idle => page.line("go_dark"),
        // POSIX has no parts of a second for `sleep`, so round up.
        Command::Wait { ms } => page.line(&format!("sleep {}", ms.div_ceil(1000))),
        Command::OnPage(command) => page.note(command.refusal()),
        Command::Refuse(why) => page.note(why),
    }
}

/// Returns a point in thousandths of a percent, as a shell computes with whole numbers.
fn point(at: Point) -> String {
    let thousandths = |percent: Percent| percent.of(100_000);
    format!("{} {}", thousandths(at.x), thousandths(at.y))
}

/// Writes a call of `stroke` or `swipe` on a widget.
fn drag(page: &mut Page, how: &str, on: &Target, (from, to): (Point, Point)) {
    find(page, on);
    page.line(&format!("{how} {} {}", point(from), point(to)));
}

/// Writes the search for a widget. Its first name must fit; the others tell apart widgets that share it.
fn find(page: &mut Page, on: &Target) {
    let names = [
        ("resource-id", locate::name(&on.id)),
        ("text", locate::name(&on.text)),
        ("content-desc", locate::name(&on.desc)),
        ("class", locate::name(&on.class)),
        ("objectID", locate::name(&on.object_id)),
    ];
    // Class and place are no names: other widgets may share them after a change.
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
        // `input text` ends at a line break.
        if at > 0 {
            press(page, PressedKey::Enter);
        }
        let line: String = line.chars().filter(|&char| has_key(char)).collect();
        // One call of `input` takes a short text.
        for piece in pieces(&line) {
            page.line(&format!("type_text {}", quote(&piece)));
        }
    }
}

fn check(page: &mut Page, expect: &Expect<'_>) {
    let check = match expect.of {
        Subject::State(all) => words(all).map(|words| format!("state_is {words}")),
        Subject::Widget(all) => words(all).map(|words| format!("widgets_are -ge 1 {words}")),
        Subject::Count { of, op, number } => {
            words(of).map(|words| format!("widgets_are {} {number} {words}", relation(op)))
        }
        Subject::Checked(is_checked) => Some(format!("checked_is {is_checked}")),
        Subject::Linked => return page.note(&expect.unchecked()),
    };
    let Some(check) = check else {
        let shown = expect.shown();
        return page.note(&format!("awk knows fewer regular expressions, so {shown} is not checked"));
    };
    let answer = if expect.holds { "yes" } else { "no" };
    let what = one_line(&expect.atom.to_string(), 1_000);
    page.line(&format!("expect {answer} {} {check}", quote(&what)));
}

fn relation(op: Op) -> &'static str {
    match op {
        // No spec asks what a count contains.
        Op::Equal | Op::Contains => "-eq",
        Op::NotEqual => "-ne",
        Op::Less => "-lt",
        Op::AtMost => "-le",
        Op::Greater => "-gt",
        Op::AtLeast => "-ge",
    }
}

/// Returns comparisons as three words each; none if awk cannot say one of them.
fn words(all: &[Comparison]) -> Option<String> {
    let words: Option<Vec<String>> = all
        .iter()
        .map(|Comparison { key, op, value }| {
            let key = match key.name() {
                // The tree has these under other names.
                "id" => "resource-id",
                "desc" => "content-desc",
                // The tree has none of these.
                "tag" | "role" | "name" => return None,
                name => name,
            };
            let (op, value) = match value {
                Constant::Flag(flag) => (op.sign(), flag.to_string()),
                Constant::Text(text) => (op.sign(), text.clone()),
                Constant::Number(number) => (op.sign(), number.to_string()),
                Constant::Regex(regex) => ("matches", extended(regex)?),
                // What is read from a step is not checked at all.
                Constant::Term(_) => return None,
            };
            Some(format!("{key} {} {}", quote(op), encoded(&value)))
        })
        .collect();
    Some(words?.join(" "))
}

/// Returns the extended regular expression that matches where `regex` does, if all of its parts have one.
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
                // Versions of awk differ in their meaning of an empty group.
                if chars.peek() == Some(&')') {
                    return None;
                }
                extended.push('(');
            }
            '.' => extended.push_str("[^\\n]"),
            '*' | '+' | '?' => {
                extended.push(char);
                // Whether there is a match does not depend on lazy or greedy.
                chars.next_if_eq(&'?');
                if chars.peek().is_some_and(|next| "*+?".contains(*next)) {
                    return None;
                }
            }
            // Some versions of awk have no counted repetition.
            '{' => return None,
            '|' if extended.is_empty() || extended.ends_with(['|', '(']) => return None,
            '|' if chars.peek().is_none_or(|next| "|)".contains(*next)) => return None,
            ']' | '}' | '/' => extended.extend(['\\', char]),
            // In a locale of bytes, a repetition would else take the last byte alone.
            _ if !char.is_ascii() => extended.push_str(&format!("({char})")),
            _ => extended.push(char),
        }
    }
    // Not every awk takes an empty expression; `^` matches everywhere too.
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

/// Returns a class, after its opening bracket.
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

/// Returns `text` as one word of a shell with the entities of XML, so that it has no line break and no quote of its own.
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
