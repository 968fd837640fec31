//! UI Automator: a test class in Kotlin for androidx.test.uiautomator.
//!
//! The test runs in a process of its own, as clearing the app's data ends the app's. It asks the device's shell,
//! which a test may use, for the app in front and for crashes; it sees and does all else by itself.

use std::fmt::Write as _;

use super::commands::{Changes, Command, Device};
use super::locate::{Known, Locator};
use super::page::{Page, is_unseen, one_line};
use super::sight::{Range, flag, range};
use super::{
    Exported, activity, android_name, asks, code_of, does, has_word, java, note_the_whole, package, shown,
    used, write_head,
};
use crate::gui::{self, Action, Atom, Comparison, Constant, Direction, Key, Op, Percent, Point, PressedKey};
use crate::test_case::TestCase;

const HOW: [&str; 3] = [
    "It belongs into the sources of a test module of its own (`com.android.test`), which runs in another process than",
    "the app, with androidx.test:runner, androidx.test.ext:junit and androidx.test.uiautomator:uiautomator 2.3 or later.",
    "Run it with `./gradlew connectedAndroidTest`, the app being installed.",
];

/// Longest name of a class, before `Test`.
const CLASS_CHARS_MAX: usize = 60;

/// Names that the code may use, and their imports.
const IMPORTS: [(&str, &str); 16] = [
    ("SystemClock", "android.os.SystemClock"),
    ("KeyEvent", "android.view.KeyEvent"),
    ("AndroidJUnit4", "androidx.test.ext.junit.runners.AndroidJUnit4"),
    ("InstrumentationRegistry", "androidx.test.platform.app.InstrumentationRegistry"),
    ("By", "androidx.test.uiautomator.By"),
    ("BySelector", "androidx.test.uiautomator.BySelector"),
    ("Direction", "androidx.test.uiautomator.Direction"),
    ("UiDevice", "androidx.test.uiautomator.UiDevice"),
    ("UiObject2", "androidx.test.uiautomator.UiObject2"),
    ("Until", "androidx.test.uiautomator.Until"),
    ("BigDecimal", "java.math.BigDecimal"),
    ("Pattern", "java.util.regex.Pattern"),
    ("After", "org.junit.After"),
    ("assertTrue", "org.junit.Assert.assertTrue"),
    ("Test", "org.junit.Test"),
    ("RunWith", "org.junit.runner.RunWith"),
];

/// Functions that the steps call, each after its name.
const LIBRARY: &str = include_str!("library.kt");

pub(super) fn export(test: &TestCase) -> Exported {
    let class = class_name(&test.oracle.name);
    let mut body = Page::new("//");
    body.indent(4);
    note_the_whole(&mut body, test);
    let package = package(&mut body, test);
    write_class(&mut body, test, &class, &package);
    let (body, notes) = body.finish();
    let mut page = Page::new("//");
    write_head(&mut page, test, &HOW);
    page.line("");
    page.line("package farlead");
    page.line("");
    let library = used(LIBRARY, "//: ", &body, '"');
    let code = code_of(&format!("{body}{library}"), '"');
    for (name, path) in IMPORTS {
        if has_word(&code, name) || ["AndroidJUnit4", "RunWith"].contains(&name) {
            page.line(&format!("import {path}"));
        }
    }
    page.line("");
    page.line("@RunWith(AndroidJUnit4::class)");
    page.line(&format!("class {class} {{"));
    page.raw(&body);
    page.raw(&library);
    page.line("");
    page.indent(4);
    page.line("private companion object {");
    page.indent(8);
    page.line(&format!("const val PACKAGE = {}", quoted(&package)));
    page.line("const val TIMEOUT_MS = 10_000L");
    if does(test, &Action::IDLE) {
        page.comment("Longer than the display stays lit.");
        page.line("const val IDLE_MS = 70_000L");
    }
    page.indent(4);
    page.line("}");
    page.indent(0);
    page.line("}");
    Exported { text: page.finish().0, notes }
}

fn write_class(page: &mut Page, test: &TestCase, class: &str, package: &str) {
    let changes = Changes::of(test);
    page.line("private val device = UiDevice.getInstance(InstrumentationRegistry.getInstrumentation())");
    if changes.is_any() {
        page.line("");
        page.line("@After");
        page.line("fun putBack() {");
        page.indent(8);
        if changes.orientation {
            page.line("device.setOrientationNatural()");
            page.line("device.unfreezeRotation()");
        }
        if changes.network {
            page.line("shell(\"cmd connectivity airplane-mode disable\")");
        }
        page.indent(4);
        page.line("}");
    }
    page.line("");
    page.line("@Test");
    page.line(&format!("fun {}() {{", method_name(class)));
    page.indent(8);
    if changes.orientation {
        page.line("device.setOrientationNatural()");
    }
    let known = Known::new(test, |one, two| one == two);
    let mut device = Device::default();
    for (at, step) in test.steps.iter().enumerate() {
        if at > 0 || changes.orientation {
            page.line("");
        }
        let said = page.step(at, &step.action);
        page.comment(&said);
        if asks(&step.sees, Key::Crashed) {
            page.line("shell(\"logcat -b crash -c\")");
        }
        for command in device.commands(page, &step.action) {
            let line = line(page, command, &known);
            page.line(&line);
        }
        page.line("device.waitForIdle()");
        step.sees.iter().for_each(|(atom, holds)| check(page, &said, atom, *holds, package));
    }
    page.indent(4);
    page.line("}");
}

fn line(page: &mut Page, command: Command<'_>, known: &Known<'_>) -> String {
    let point = |at: Point| format!("{}, {}", percent(at.x), percent(at.y));
    match command {
        Command::Wake => "device.wakeUp()".to_string(),
        Command::Start { activity: name } => format!("start({})", quoted(&activity(page, name))),
        Command::Tap { on, at: None } => format!("{}.click()", widget(page, on, known)),
        Command::Tap { on, at: Some(at) } => format!("tap({}, {})", widget(page, on, known), point(at)),
        Command::LongTap { on, at: None } => format!("{}.longClick()", widget(page, on, known)),
        Command::LongTap { on, at: Some(at) } => {
            format!("longTap({}, {})", widget(page, on, known), point(at))
        }
        Command::Scroll { on, towards } => {
            let direction = towards.name().to_uppercase();
            format!("{}.scroll(Direction.{direction}, 0.8f)", widget(page, on, known))
        }
        Command::Swipe { on, towards } => {
            let (x, y) = match towards {
                Direction::Up => ("50.0", "10.0"),
                Direction::Down => ("50.0", "90.0"),
                Direction::Left => ("10.0", "50.0"),
                Direction::Right => ("90.0", "50.0"),
            };
            format!("swipe({}, 50.0, 50.0, {x}, {y})", widget(page, on, known))
        }
        Command::SwipeBetween { on, from, to } => {
            format!("swipe({}, {}, {})", widget(page, on, known), point(from), point(to))
        }
        Command::Replace { on, text } => format!("{}.text = {}", widget(page, on, known), quoted(text)),
        Command::Type { text } => format!("typeText({})", quoted(text)),
        Command::Back => press(PressedKey::Back).to_string(),
        Command::Press(key) => press(key).to_string(),
        Command::Turn { is_landscape } => {
            format!("device.setOrientation{}()", if is_landscape { "Left" } else { "Natural" })
        }
        Command::SwitchAirplaneMode { is_on } => {
            let verb = if is_on { "enable" } else { "disable" };
            format!("shell(\"cmd connectivity airplane-mode {verb}\")")
        }
        Command::PauseResume { activity } => format!("pauseAndResume({})", quoted(&android_name(activity))),
        Command::Idle => "idle()".to_string(),
        Command::Wait { ms } => format!("SystemClock.sleep({ms})"),
    }
}

fn press(key: PressedKey) -> &'static str {
    match key {
        PressedKey::Back => "device.pressBack()",
        PressedKey::Enter => "device.pressEnter()",
        PressedKey::Home => "device.pressHome()",
        PressedKey::Menu => "device.pressMenu()",
        PressedKey::Tab => "device.pressKeyCode(KeyEvent.KEYCODE_TAB)",
        PressedKey::Delete => "device.pressDelete()",
        PressedKey::Search => "device.pressSearch()",
    }
}

/// Returns a percentage as a number of Kotlin.
fn percent(percent: Percent) -> String {
    let shown = percent.to_string();
    let number = shown.trim_end_matches('%');
    if number.contains('.') { number.to_string() } else { format!("{number}.0") }
}

/// Returns the code that finds the widget.
fn widget(page: &mut Page, on: &gui::Target, known: &Known<'_>) -> String {
    let locator = known.locate(on);
    if locator.is_nameless() {
        page.note("no name tells the widget apart, so it is found by its place in the tree and its class");
        return format!("widgetAt({}, {})", quoted(&on.object_id), quoted(&on.class));
    }
    let Locator { id, text, desc } = locator;
    let parts: Vec<String> = [("res", id), ("text", text), ("desc", desc)]
        .into_iter()
        .filter_map(|(method, name)| Some(format!("{method}({})", quoted(name?))))
        .collect();
    format!("widget(By.{})", parts.join("."))
}

fn check(page: &mut Page, said: &str, atom: &Atom, holds: bool, package: &str) {
    let what = quoted(&one_line(&format!("{said}: {}", shown(atom, holds)), 1_000));
    let assert = |page: &mut Page, code: &str| {
        page.line(&format!("assertHolds({what}) {{"));
        page.line(&format!("    {code}"));
        page.line("}");
    };
    let assert_holds = |page: &mut Page, code: String| {
        assert(page, &if holds { code } else { format!("!({code})") });
    };
    match atom {
        // The calls themselves say the action.
        Atom::Action(_) => {}
        Atom::State(all) => {
            let code: Vec<String> = all.iter().map(|comparison| state_code(page, comparison)).collect();
            if asks(&[(atom.clone(), holds)], Key::Crashed) && package.is_empty() {
                page.note("without a package it is not known whose crash is meant");
            }
            assert_holds(page, code.join(" && "));
        }
        Atom::Widget(all) => {
            if let Some(by) = selector(all) {
                return page.line(&format!("{}({what}, {by})", seen_or_gone(holds)));
            }
            if let Some(code) = all_of(page, atom, all, holds, !holds) {
                assert_holds(page, format!("widgets().any {{ {code} }}"));
            }
        }
        Atom::Count { of, op, number } => {
            if let Some(code) = all_of(page, atom, of, holds, true) {
                let count = format!("widgets().count {{ {code} }}");
                match range(*op, *number, holds) {
                    Some(range) => assert(page, &in_range(&count, range)),
                    None => assert_holds(page, format!("{count} {} {number}", sign(*op))),
                }
            }
        }
        Atom::Checked(true) => {
            page.line(&format!("{}({what}, By.checked(true))", seen_or_gone(holds)));
        }
        Atom::Checked(false) => {
            let code = "device.hasObject(By.checkable(true)) && !device.hasObject(By.checked(true))";
            assert_holds(page, code.to_string());
        }
    }
}

fn seen_or_gone(holds: bool) -> &'static str {
    if holds { "assertSeen" } else { "assertGone" }
}

fn in_range(count: &str, range: Range) -> String {
    match range {
        Range { at_least: Some(least), at_most: Some(most) } if least == most => {
            format!("{count} == {least}")
        }
        Range { at_least: Some(least), at_most: Some(most) } => format!("{count} in {least}..{most}"),
        Range { at_least: Some(least), at_most: None } => format!("{count} >= {least}"),
        Range { at_least: None, at_most: Some(most) } => format!("{count} <= {most}"),
        Range { at_least: None, at_most: None } => "true".to_string(),
    }
}

/// Returns the selector for all of these, if there is one: a selector has each key once, and takes no empty texts.
fn selector(all: &[Comparison]) -> Option<String> {
    let mut keys: Vec<Key> = Vec::new();
    let mut by = String::from("By");
    for comparison in all {
        if keys.contains(&comparison.key) {
            return None;
        }
        keys.push(comparison.key);
        let _ = write!(by, ".{}", criterion(comparison)?);
    }
    Some(by)
}

fn criterion(comparison: &Comparison) -> Option<String> {
    let Comparison { key, op, value } = comparison;
    if let Some(is_set) = flag(comparison) {
        // A selector has no criterion for the other flags.
        let is_known =
            matches!(key, Key::Checked | Key::Enabled | Key::Focused | Key::Selected | Key::Scrollable);
        return is_known.then(|| format!("{}({is_set})", key.name()));
    }
    let Constant::Text(text) = value else { return None };
    if text.is_empty() {
        return None;
    }
    let matching = |method: &str, pattern: String| format!("{method}(Pattern.compile({}))", quoted(&pattern));
    let literal = java::literal(text);
    match (key, op) {
        (Key::Text, Op::Equal) => Some(format!("text({})", quoted(text))),
        (Key::Text, Op::Contains) => Some(format!("textContains({})", quoted(text))),
        (Key::Desc, Op::Equal) => Some(format!("desc({})", quoted(text))),
        (Key::Desc, Op::Contains) => Some(format!("descContains({})", quoted(text))),
        (Key::Id, Op::Equal) if text.contains(":id/") => Some(format!("res({})", quoted(text))),
        (Key::Id, Op::Equal) => Some(matching("res", format!("(?s)(.*/)?{literal}"))),
        (Key::Id, Op::Contains) => Some(matching("res", format!("(?s).*{literal}.*"))),
        (Key::Class, Op::Equal) if text.contains('.') && !text.starts_with('.') => {
            Some(format!("clazz({})", quoted(text)))
        }
        (Key::Class, Op::Equal) => Some(matching("clazz", format!("(?s)(.*[.])?{literal}"))),
        (Key::Class, Op::Contains) => Some(matching("clazz", format!("(?s).*{literal}.*"))),
        _ => None,
    }
}

/// Returns the code that checks `it` as far as Kotlin can, noting the rest; nothing if that is not enough.
fn all_of(page: &mut Page, atom: &Atom, all: &[Comparison], holds: bool, needs_all: bool) -> Option<String> {
    let (mut said, mut left_out) = (Vec::new(), Vec::new());
    for comparison in all {
        match widget_code(page, comparison) {
            Some(code) => said.push(code),
            None => left_out.push(format!("`{comparison}`")),
        }
    }
    if left_out.is_empty() {
        return Some(said.join(" && "));
    }
    let (shown, what) = (shown(atom, holds), left_out.join(" and "));
    if said.is_empty() || needs_all {
        page.note(&format!("UI Automator cannot say {what}, so {shown} is not checked"));
        return None;
    }
    page.note(&format!("UI Automator cannot say {what}, so of {shown} the rest is checked"));
    Some(said.join(" && "))
}

fn widget_code(page: &mut Page, comparison: &Comparison) -> Option<String> {
    let flag = |name: &str| Some(format!("{}it.{name}", if flag(comparison)? { "" } else { "!" }));
    match comparison.key {
        Key::Text => Some(text_code(page, comparison, "it.text.orEmpty()")),
        Key::Desc => Some(text_code(page, comparison, "it.contentDescription.orEmpty()")),
        Key::Id => Some(names_code(page, comparison, "names(it.resourceName, '/')")),
        Key::Class => Some(names_code(page, comparison, "names(it.className, '.')")),
        Key::Checked => flag("isChecked"),
        Key::Enabled => flag("isEnabled"),
        Key::Focused => flag("isFocused"),
        Key::Selected => flag("isSelected"),
        Key::Scrollable => flag("isScrollable"),
        Key::ObjectId
        | Key::Password
        | Key::Package
        | Key::Activity
        | Key::Screen
        | Key::Orientation
        | Key::Network
        | Key::Crashed
        | Key::Anr
        | Key::ActionType
        | Key::ActionDetail
        | Key::ActionObjectId
        | Key::ActionText => None,
    }
}

fn state_code(page: &mut Page, comparison: &Comparison) -> String {
    let is = |code: &str, word: &str| match &comparison.value {
        Constant::Text(value) => {
            let is_wanted = (value == word) == (comparison.op == Op::Equal);
            format!("{}{code}", if is_wanted { "" } else { "!" })
        }
        Constant::Flag(_) | Constant::Regex(_) | Constant::Number(_) => code.to_string(),
    };
    let flagged = |code: &str| format!("{}{code}", if flag(comparison) == Some(false) { "!" } else { "" });
    match comparison.key {
        Key::Package => text_code(page, comparison, "front().substringBefore('/')"),
        Key::Activity => names_code(page, comparison, "activityNames()"),
        Key::Screen => is("device.isScreenOn", "on"),
        Key::Orientation => is("(device.displayWidth < device.displayHeight)", "portrait"),
        Key::Network => is("isOnNetwork()", "on"),
        Key::Crashed => flagged("hasCrashed()"),
        Key::Anr => flagged("isNotResponding()"),
        Key::Text
        | Key::Desc
        | Key::Id
        | Key::ObjectId
        | Key::Class
        | Key::Checked
        | Key::Enabled
        | Key::Focused
        | Key::Selected
        | Key::Password
        | Key::Scrollable
        | Key::ActionType
        | Key::ActionDetail
        | Key::ActionObjectId
        | Key::ActionText => unreachable!("an atom about the screen asks nothing of widgets and actions"),
    }
}

/// Returns the code of a comparison with the text that `code` gives.
fn text_code(page: &mut Page, comparison: &Comparison, code: &str) -> String {
    match (&comparison.value, comparison.op) {
        (Constant::Text(text), Op::NotEqual) => format!("{code} != {}", quoted(text)),
        (Constant::Text(text), Op::Contains) => format!("{} in {code}", quoted(text)),
        (Constant::Text(text), _) => format!("{code} == {}", quoted(text)),
        (Constant::Regex(regex), _) => {
            if !java::is_plain(regex) {
                page.note(&format!(
                    "`{comparison}` is read as a regular expression of Java, which may mean something else"
                ));
            }
            // On Android all classes know all scripts, and the flag for that on other systems is an error.
            format!("Regex({}).containsMatchIn({code})", quoted(regex))
        }
        (Constant::Number(number), op) => {
            format!("{code}.number()?.let {{ n -> n {} BigDecimal(\"{number}\") }} == true", sign(op))
        }
        (Constant::Flag(flag), _) => format!("{code} == \"{flag}\""),
    }
}

fn names_code(page: &mut Page, comparison: &Comparison, code: &str) -> String {
    // `!=` must hold of the long and the short form of a name.
    let any = if comparison.op == Op::NotEqual { "all" } else { "any" };
    format!("{code}.{any} {{ name -> {} }}", text_code(page, comparison, "name"))
}

fn sign(op: Op) -> &'static str {
    match op {
        Op::Equal | Op::Contains => "==",
        Op::NotEqual => "!=",
        Op::Less => "<",
        Op::AtMost => "<=",
        Op::Greater => ">",
        Op::AtLeast => ">=",
    }
}

/// Returns the name of the class that tests the spec called `name`.
pub(super) fn class_name(name: &str) -> String {
    let words = name.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut class = String::new();
    for word in words {
        class.push_str(&word[..1].to_ascii_uppercase());
        class.push_str(&word[1..]);
    }
    class.truncate(CLASS_CHARS_MAX);
    if !class.starts_with(|first: char| first.is_ascii_alphabetic()) {
        class.insert_str(0, "Spec");
    }
    class.push_str("Test");
    class
}

/// Returns `goToAboutRun` for `GoToAboutTest`; the ending keeps it from being a word of Kotlin.
fn method_name(class: &str) -> String {
    let stem = class.strip_suffix("Test").unwrap_or(class);
    let mut name = stem[..1].to_ascii_lowercase();
    name.push_str(&stem[1..]);
    format!("{name}Run")
}

/// Returns `text` as a text of Kotlin.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' | '$' => {
                quoted.push('\\');
                quoted.push(char);
            }
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ if is_unseen(char) => {
                let mut units = [0; 2];
                for unit in char.encode_utf16(&mut units) {
                    let _ = write!(quoted, "\\u{unit:04x}");
                }
            }
            _ => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}
