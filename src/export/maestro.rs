//! Maestro: a flow of commands in YAML, <https://docs.maestro.dev>.
//!
//! All texts are in double quotes, where YAML has an escape for everything. Texts and ids of Maestro are regular
//! expressions that match the whole in either case, and a text also matches a description. Maestro runs the content of
//! `${}` as JavaScript, so a typed text with `${` is written as a text of JavaScript.

use super::commands::{Command, Expect, Script, Subject, Widget};
use super::locate::Locator;
use super::page::{Page, escape_utf16, is_unseen, quoted_code_points};
use super::sight::{Range, flag, range};
use super::{Exported, java, write_head};
use crate::gui::{Comparison, Direction, Key, Op, Percent, Point, PressedKey, Target};
use crate::test_case::TestCase;

const HOW: [&str; 2] = [
    "Run it with `maestro test FILE`, the app being installed.",
    "Texts and ids are regular expressions; `(?-i)` keeps to upper and lower case where something is checked.",
];

/// Characters that Maestro erases if the flow gives no number.
const ERASED_CHARS: usize = 50;

/// Most characters that Maestro erases, by its documentation.
const ERASED_CHARS_MAX: usize = 100;

pub(super) fn print(test: &TestCase) -> Exported {
    // Maestro ignores case.
    let script = Script::new(test, |one, two| one.to_lowercase() == two.to_lowercase());
    let mut page = Page::new("#");
    write_head(&mut page, test, &HOW);
    script.remarks.iter().for_each(|remark| page.note(remark));
    page.line(&format!("appId: {}", quoted_code_points(&script.package)));
    // Maestro would run `${}` in a name too.
    page.line(&format!("name: {}", quoted_code_points(&test.oracle.name.replace("${", "$ {"))));
    if script.turns || script.switches_network {
        // Maestro runs this after a failure too, so the device is not left turned or disconnected.
        page.line("onFlowComplete:");
        page.indent(2);
        set_device_up(&mut page, &script);
        page.indent(0);
    }
    page.line("---");
    set_device_up(&mut page, &script);
    for step in &script.steps {
        page.line("");
        page.step(&step.title);
        page.comment(&step.title);
        step.commands.iter().for_each(|command| act(&mut page, command));
        step.expects.iter().for_each(|expect| check(&mut page, expect));
    }
    let (text, notes) = page.finish();
    Exported { text, notes }
}

fn set_device_up(page: &mut Page, script: &Script<'_>) {
    if script.turns {
        page.line("- setOrientation: PORTRAIT");
    }
    if script.switches_network {
        page.line("- setAirplaneMode: disabled");
    }
}

fn act(page: &mut Page, command: &Command<'_>) {
    match command {
        // Maestro sees no crashes, so no check asks for them.
        Command::ForgetCrashes => {}
        Command::Wake => page.line("- pressKey: Power"),
        Command::Launch(activity) => {
            activity.remark().iter().for_each(|remark| page.note(remark));
            page.note(&format!(
                "Maestro starts the activity that the launcher starts, whether that is `{}` or not",
                activity.safe
            ));
            page.line("- launchApp:");
            page.line("    clearState: true");
        }
        Command::Tap { on, at } => tap(page, "tapOn", on, *at),
        Command::LongTap { on, at } => tap(page, "longPressOn", on, *at),
        Command::Fill { on, text } => {
            tap(page, "tapOn", on, None);
            erase(page, &on.target.text);
            type_text(page, text);
            // Typing has brought it up, and it would take the next press of back.
            page.line("- hideKeyboard");
        }
        // To show what lies below, the finger goes up.
        Command::Scroll { on, towards } => swipe(page, on, towards.opposite()),
        Command::Swipe { on, towards } => swipe(page, on, *towards),
        Command::Drag { on, from, to } => {
            page.note("Maestro has no swipe between two points of a widget, so it goes between the pixels they were");
            write_swipe(page, pixel(on.target, *from), pixel(on.target, *to));
        }
        Command::Type(text) => type_text(page, text),
        Command::Press(key) => press(page, *key),
        Command::Back => page.line("- back"),
        Command::Turn { is_upright } => {
            let orientation = if *is_upright { "PORTRAIT" } else { "LANDSCAPE_LEFT" };
            page.line(&format!("- setOrientation: {orientation}"));
        }
        Command::SwitchNetwork { is_on } => {
            let mode = if *is_on { "disabled" } else { "enabled" };
            page.line(&format!("- setAirplaneMode: {mode}"));
        }
        // Unless told otherwise, Maestro stops the app and starts it afresh.
        Command::LeaveAndReturn { .. } => {
            page.line("- pressKey: Home");
            page.line("- launchApp:");
            page.line("    stopApp: false");
        }
        Command::Idle => {
            page.note("the display is put to sleep at once, and the time that passes until it goes dark does not pass");
            page.line("- pressKey: Lock");
        }
        Command::Wait { ms } => {
            page.note("Maestro waits until nothing moves, and for so long at most");
            page.line("- waitForAnimationToEnd:");
            page.line(&format!("    timeout: {ms}"));
        }
        Command::OnPage(command) => page.note(command.refusal()),
        Command::Refuse(why) => page.note(why),
    }
}

fn tap(page: &mut Page, command: &str, on: &Widget<'_>, at: Option<Point>) {
    let Widget { target, locator, .. } = *on;
    if locator.is_nameless() {
        let (x, y) = at.map_or(target.bounds.centre(), |at| pixel(target, at));
        note_pixels(page);
        page.line(&format!("- {command}:"));
        page.line(&format!("    point: \"{x},{y}\""));
        return;
    }
    note_index(page, locator);
    page.line(&format!("- {command}:"));
    write_locator(page, locator, 4);
    if let Some(at) = at {
        let part = |percent: Percent| percent.of(100);
        if [at.x, at.y].into_iter().any(|percent| percent.of(100_000) % 1000 != 0) {
            page.note(&format!("Maestro knows whole percents alone, so {at} is rounded down"));
        }
        page.line(&format!("    point: \"{}%,{}%\"", part(at.x), part(at.y)));
    }
}

fn note_pixels(page: &mut Page) {
    page.note(
        "no name tells the widget apart and Maestro knows no classes, so it is the pixel that is touched",
    );
}

fn note_index(page: &mut Page, locator: Locator<'_>) {
    if let Some(index) = locator.index {
        page.note(&format!(
            "other widgets of the screen have the same names, so it is number {}, as Maestro counts from the top",
            index + 1
        ));
    }
}

fn write_locator(page: &mut Page, locator: Locator<'_>, columns: usize) {
    let Locator { id, text, desc, index } = locator;
    page.indent(columns);
    if let Some(id) = id {
        page.line(&format!("id: {}", quoted_code_points(&java::literal(id))));
    }
    // Maestro looks for `text` in texts and in descriptions.
    if let Some(name) = text.or(desc) {
        page.line(&format!("text: {}", quoted_code_points(&java::literal(name))));
    }
    if let Some(index) = index {
        page.line(&format!("index: {index}"));
    }
    page.indent(0);
}

fn erase(page: &mut Page, before: &str) {
    let chars = before.chars().count();
    if chars > ERASED_CHARS_MAX {
        page.note(&format!("Maestro erases {ERASED_CHARS_MAX} letters, and {chars} are there"));
    }
    if chars > ERASED_CHARS {
        page.line(&format!("- eraseText: {}", chars.min(ERASED_CHARS_MAX)));
    } else {
        page.line("- eraseText");
    }
}

fn type_text(page: &mut Page, text: &str) {
    if !text.is_ascii() {
        page.note("Maestro types no letters beyond ASCII on Android");
    }
    for (at, line) in text.split('\n').enumerate() {
        if at > 0 {
            page.line("- pressKey: Enter");
        }
        // Maestro drops a backslash before `${`, so the two are typed apart.
        let mut pieces = line.split("\\${");
        let mut piece = pieces.next().unwrap_or_default().to_string();
        for next in pieces {
            page.line(&format!("- inputText: {}", quoted_code_points(&evaluated(&format!("{piece}\\")))));
            piece = format!("${{{next}");
        }
        if !piece.is_empty() {
            page.line(&format!("- inputText: {}", quoted_code_points(&evaluated(&piece))));
        }
    }
}

fn swipe(page: &mut Page, on: &Widget<'_>, finger: Direction) {
    let Widget { target: Target { bounds, .. }, locator, .. } = *on;
    if locator.is_nameless() {
        note_pixels(page);
        let (x, y) = bounds.centre();
        // Two fifths to either side, so that the finger stays on the widget.
        let (across, down) = (bounds.width() as i32 / 5 * 2, bounds.height() as i32 / 5 * 2);
        let to = |x: i32, y: i32| (x.max(0), y.max(0));
        let end = match finger {
            Direction::Up => to(x, y.saturating_sub(down)),
            Direction::Down => to(x, y.saturating_add(down)),
            Direction::Left => to(x.saturating_sub(across), y),
            Direction::Right => to(x.saturating_add(across), y),
        };
        write_swipe(page, to(x, y), end);
        return;
    }
    note_index(page, locator);
    page.line("- swipe:");
    page.line("    from:");
    write_locator(page, locator, 8);
    page.line(&format!("    direction: {}", finger.name().to_uppercase()));
}

fn write_swipe(page: &mut Page, from: (i32, i32), to: (i32, i32)) {
    page.line("- swipe:");
    page.line(&format!("    start: \"{},{}\"", from.0, from.1));
    page.line(&format!("    end: \"{},{}\"", to.0, to.1));
}

/// Returns the pixel at `at` of a widget, at its place in the found run.
fn pixel(on: &Target, at: Point) -> (i32, i32) {
    let place = |start: i32, offset: u32| start.saturating_add(offset as i32).max(0);
    (place(on.bounds.left, at.x.of(on.bounds.width())), place(on.bounds.top, at.y.of(on.bounds.height())))
}

fn press(page: &mut Page, key: PressedKey) {
    let name = match key {
        PressedKey::Back => "Back",
        PressedKey::Enter => "Enter",
        PressedKey::Home => "Home",
        // Maestro names this key after the remote control of a television; a phone takes it as well.
        PressedKey::Menu => "Remote Menu",
        PressedKey::Tab => {
            page.note("some versions of Maestro press the space bar for Tab");
            "Tab"
        }
        PressedKey::Delete => "Backspace",
        PressedKey::Search => return page.note("Maestro has no key to search, so it is not pressed"),
        PressedKey::Escape => return page.note("Maestro has no key escape, so it is not pressed"),
        PressedKey::Up => "Remote Dpad Up",
        PressedKey::Down => "Remote Dpad Down",
        PressedKey::Left => "Remote Dpad Left",
        PressedKey::Right => "Remote Dpad Right",
    };
    page.line(&format!("- pressKey: {name}"));
}

fn check(page: &mut Page, expect: &Expect<'_>) {
    let shown = expect.shown();
    match (expect.of, expect.holds) {
        (Subject::State(_), _) => {
            page.note(&format!("Maestro sees no more than widgets, so {shown} is not checked"));
        }
        (Subject::Widget(all), _) => check_widget(page, expect, all),
        (Subject::Count { of, op, number }, holds) => match range(op, number, holds) {
            Some(range) => check_count(page, expect, of, range),
            None => page.note(&format!("Maestro knows ranges alone, so {shown} is not checked")),
        },
        (Subject::Checked(true), holds) => assert(page, holds, &["checked: true".to_string()]),
        (Subject::Checked(false), true) => {
            page.note(&format!(
                "of {} it is checked that nothing is checked, and not that something could be",
                expect.atom
            ));
            assert(page, false, &["checked: true".to_string()]);
        }
        (Subject::Checked(false), false) => {
            page.note(&format!("Maestro has no `or`, so {shown} is not checked"));
        }
        (Subject::Linked, _) => page.note(&expect.unchecked()),
    }
}

fn check_widget(page: &mut Page, expect: &Expect<'_>, all: &[Comparison]) {
    let (lines, left_out) = selector(page, all);
    // With a part left out more widgets fit, and one of those may rightly be seen.
    if lines.is_empty() || (!expect.holds && !left_out.is_empty()) {
        let (what, shown) = (joined_by_and(&left_out), expect.shown());
        return page.note(&format!("Maestro cannot say {what}, so {shown} is not checked"));
    }
    if !left_out.is_empty() {
        page.note(&format!(
            "Maestro cannot say {}, so of {} the rest is checked",
            joined_by_and(&left_out),
            expect.atom
        ));
    }
    assert(page, expect.holds, &lines);
}

fn check_count(page: &mut Page, expect: &Expect<'_>, of: &[Comparison], range: Range) {
    let (lines, left_out) = selector(page, of);
    // With a part left out more widgets would count.
    if lines.is_empty() || !left_out.is_empty() {
        let (what, shown) = (joined_by_and(&left_out), expect.shown());
        return page.note(&format!("Maestro cannot say {what}, so {shown} is not checked"));
    }
    let nth = |number: u64| {
        let mut lines = lines.clone();
        lines.push(format!("index: {number}"));
        lines
    };
    // There are at least `n` widgets if the one with index `n - 1` is there.
    match range.at_least {
        Some(0) | None => {}
        Some(at_least) => assert(page, true, &nth(at_least - 1)),
    }
    // There are at most `n` if the one with index `n` is missing.
    if let Some(at_most) = range.at_most {
        assert(page, false, &nth(at_most));
    }
}

fn assert(page: &mut Page, is_seen: bool, selector: &[String]) {
    page.line(if is_seen { "- assertVisible:" } else { "- assertNotVisible:" });
    page.indent(4);
    selector.iter().for_each(|line| page.line(line));
    page.indent(0);
}

/// Returns the lines of a selector, and the comparisons of `all` that no selector can say.
fn selector(page: &mut Page, all: &[Comparison]) -> (Vec<String>, Vec<String>) {
    let mut lines: Vec<(&str, String)> = Vec::new();
    let mut left_out = Vec::new();
    for comparison in all {
        match condition(page, comparison) {
            // A selector has each key once at most.
            Some((key, _)) if lines.iter().any(|(other, _)| *other == key) => {
                left_out.push(format!("`{comparison}` beside the rest"));
            }
            Some(line) => lines.push(line),
            None => left_out.push(format!("`{comparison}`")),
        }
    }
    (lines.into_iter().map(|(key, value)| format!("{key}: {value}")).collect(), left_out)
}

fn condition(page: &mut Page, comparison: &Comparison) -> Option<(&'static str, String)> {
    let Comparison { key, op, value } = comparison;
    let key = match key {
        Key::Text | Key::Desc => "text",
        // An id differs only if its long and its short form do, and Maestro compares with one of them.
        Key::Id if *op != Op::NotEqual => "id",
        Key::Checked | Key::Enabled | Key::Focused | Key::Selected => {
            return Some((key.name(), flag(comparison)?.to_string()));
        }
        Key::Id
        | Key::ObjectId
        | Key::Class
        | Key::Tag
        | Key::Role
        | Key::Name
        | Key::Password
        | Key::Scrollable
        | Key::Package
        | Key::Activity
        | Key::Screen
        | Key::Orientation
        | Key::Network
        | Key::Crashed
        | Key::Crash
        | Key::Anr
        | Key::Keyboard
        | Key::Console
        | Key::Status
        | Key::ActionType
        | Key::ActionDetail
        | Key::ActionObjectId
        | Key::ActionText => return None,
    };
    let pattern = java::pattern(*op, value)?;
    if !pattern.is_sure {
        page.note(&format!(
            "`{comparison}` is read as a regular expression of Java, which may mean something else"
        ));
    }
    Some((key, quoted_code_points(&unevaluated(&format!("(?-i){}", pattern.text)))))
}

fn joined_by_and(parts: &[String]) -> String {
    if parts.is_empty() { "what is asked".to_string() } else { parts.join(" and ") }
}

/// Returns the spelling of `text` that Maestro types as `text`: with `${` in it, a text of JavaScript.
fn evaluated(text: &str) -> String {
    if !text.contains("${") {
        return text.to_string();
    }
    let mut script = String::from("${'");
    for char in text.chars() {
        match char {
            // Maestro ends a script at the next bracket, even within quotes.
            '$' | '{' | '}' | '\'' | '\\' => escape_utf16(&mut script, char),
            _ if is_unseen(char) => escape_utf16(&mut script, char),
            _ => script.push(char),
        }
    }
    script.push_str("'}");
    script
}

/// Returns a regular expression without `${`, which Maestro would run; only users write such ones.
fn unevaluated(regex: &str) -> String {
    let mut safe = String::new();
    let (mut is_escaped, mut in_class) = (false, false);
    let mut chars = regex.chars().peekable();
    while let Some(char) = chars.next() {
        if char == '$' && chars.peek() == Some(&'{') {
            if is_escaped {
                safe.pop();
            }
            safe.push_str(if is_escaped || in_class { "\\x24" } else { "(?:$)" });
        } else {
            safe.push(char);
        }
        in_class = if is_escaped { in_class } else { char == '[' || (in_class && char != ']') };
        is_escaped = char == '\\' && !is_escaped;
    }
    safe
}
