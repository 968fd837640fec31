//! UI Automator: a test class in Kotlin for androidx.test.uiautomator.
//!
//! The test runs in a process of its own, as Android ends the process of an app whose data is cleared. It asks the shell of
//! the device for the activity in front and for crashes; everything else it sees and does by itself.

use std::fmt::Write as _;

use super::commands::{Command, Expect, Script, Subject, Widget, swiped};
use super::locate::Locator;
use super::page::{Page, one_line, quoted_utf16};
use super::sight::{Range, flag, range, sign};
use super::{Exported, Quotes, code_of, has_word, java, used, write_head};
use crate::gui::{Comparison, Constant, Key, Op, Percent, Point, PressedKey};
use crate::test_case::TestCase;

const HOW: [&str; 3] = [
    "It belongs into the sources of a test module of its own (`com.android.test`), which runs in another process than",
    "the app, with androidx.test:runner, androidx.test.ext:junit and androidx.test.uiautomator:uiautomator 2.3 or later.",
    "Run it with `./gradlew connectedAndroidTest`, the app being installed.",
];

/// Characters of the name of a class.
const CLASS_CHARS_MAX: usize = 60;

/// The names that the code may use, and their imports.
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

/// Functions that the steps call, each after its name; packed.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.kt.deflated"));

pub(super) fn print(test: &TestCase) -> Exported {
    let script = Script::new(test, |one, two| one == two);
    let class = class_name(&test.oracle.name);
    // The steps are written first: imports and library have what they name.
    let mut body = Page::new("//");
    body.indent(4);
    script.remarks.iter().for_each(|remark| body.note(remark));
    write_class(&mut body, &script, &class);
    let (body, notes) = body.finish();
    let mut page = Page::new("//");
    write_head(&mut page, test, &HOW);
    page.line("");
    page.line("package farlead");
    page.line("");
    let library = used(LIBRARY, "//: ", &body, Quotes::Double);
    let code = code_of(&format!("{body}{library}"), Quotes::Double);
    for (name, path) in IMPORTS {
        // The last two stand before the class, outside of `code`.
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
    page.line(&format!("const val PACKAGE = {}", quoted(&script.package)));
    page.line("const val TIMEOUT_MS = 10_000L");
    if script.idles {
        page.comment("Longer than the display stays lit.");
        page.line("const val IDLE_MS = 70_000L");
    }
    page.indent(4);
    page.line("}");
    page.indent(0);
    page.line("}");
    Exported { text: page.finish().0, notes }
}

fn write_class(page: &mut Page, script: &Script<'_>, class: &str) {
    page.line("private val device = UiDevice.getInstance(InstrumentationRegistry.getInstrumentation())");
    if script.turns || script.switches_network {
        page.line("");
        page.line("@After");
        page.line("fun putBack() {");
        page.indent(8);
        if script.turns {
            page.line("device.setOrientationNatural()");
            page.line("device.unfreezeRotation()");
        }
        if script.switches_network {
            page.line("shell(\"cmd connectivity airplane-mode disable\")");
        }
        page.indent(4);
        page.line("}");
    }
    page.line("");
    page.line("@Test");
    page.line(&format!("fun {}() {{", method_name(class)));
    page.indent(8);
    if script.turns {
        page.line("device.setOrientationNatural()");
    }
    for (at, step) in script.steps.iter().enumerate() {
        if at > 0 || script.turns {
            page.line("");
        }
        page.step(&step.title);
        page.comment(&step.title);
        step.commands.iter().for_each(|command| act(page, command));
        page.line("device.waitForIdle()");
        step.expects.iter().for_each(|expect| check(page, &step.title, expect, &script.package));
    }
    page.indent(4);
    page.line("}");
}

fn act(page: &mut Page, command: &Command<'_>) {
    let line = match command {
        Command::ForgetCrashes => "shell(\"logcat -b crash -c\")".to_string(),
        Command::Wake => "device.wakeUp()".to_string(),
        Command::Launch(activity) => {
            activity.remark().iter().for_each(|remark| page.note(remark));
            format!("start({})", quoted(&activity.safe))
        }
        Command::Tap { on, at: None } => format!("{}.click()", widget(page, on)),
        Command::Tap { on, at: Some(at) } => format!("tap({}, {})", widget(page, on), point(*at)),
        Command::LongTap { on, at: None } => format!("{}.longClick()", widget(page, on)),
        Command::LongTap { on, at: Some(at) } => format!("longTap({}, {})", widget(page, on), point(*at)),
        Command::Fill { on, text } => format!("{}.text = {}", widget(page, on), quoted(text)),
        Command::Scroll { on, towards } => {
            format!("{}.scroll(Direction.{}, 0.8f)", widget(page, on), towards.name().to_uppercase())
        }
        Command::Swipe { on, towards } => swipe(page, on, swiped(*towards)),
        Command::Drag { on, from, to } => swipe(page, on, (*from, *to)),
        Command::Type(text) => format!("typeText({})", quoted(text)),
        Command::Press(key) => press(*key).to_string(),
        Command::Back => "goBack()".to_string(),
        Command::Turn { is_upright } => {
            let turn = if *is_upright { "Natural" } else { "Left" };
            format!("device.setOrientation{turn}()")
        }
        Command::SwitchNetwork { is_on } => {
            let verb = if *is_on { "disable" } else { "enable" };
            format!("shell(\"cmd connectivity airplane-mode {verb}\")")
        }
        Command::LeaveAndReturn { activity } => format!("pauseAndResume({})", quoted(activity)),
        Command::Idle => "idle()".to_string(),
        Command::Wait { ms } => format!("SystemClock.sleep({ms})"),
        Command::OnPage(command) => return page.note(command.refusal()),
        Command::Refuse(why) => return page.note(why),
    };
    page.line(&line);
}

fn swipe(page: &mut Page, on: &Widget<'_>, (from, to): (Point, Point)) -> String {
    format!("swipe({}, {}, {})", widget(page, on), point(from), point(to))
}

fn point(at: Point) -> String {
    format!("{}, {}", percent(at.x), percent(at.y))
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
        PressedKey::Escape => "device.pressKeyCode(KeyEvent.KEYCODE_ESCAPE)",
        PressedKey::Up => "device.pressDPadUp()",
        PressedKey::Down => "device.pressDPadDown()",
        PressedKey::Left => "device.pressDPadLeft()",
        PressedKey::Right => "device.pressDPadRight()",
    }
}

/// Returns a percentage as a number of Kotlin.
fn percent(percent: Percent) -> String {
    let shown = percent.to_string();
    let number = shown.trim_end_matches('%');
    // Kotlin takes no whole number for a `Double`.
    if number.contains('.') { number.to_string() } else { format!("{number}.0") }
}

/// Returns the code that finds the widget.
fn widget(page: &mut Page, on: &Widget<'_>) -> String {
    let Widget { target, locator, .. } = *on;
    if locator.is_nameless() {
        page.note("no name tells the widget apart, so it is found by its place in the tree and its class");
        return format!("widgetAt({}, {})", quoted(&target.object_id), quoted(&target.class));
    }
    let Locator { id, text, desc, index } = locator;
    let parts: Vec<String> = [("res", id), ("text", text), ("desc", desc)]
        .into_iter()
        .filter_map(|(method, name)| Some(format!("{method}({})", quoted(name?))))
        .collect();
    let by = format!("By.{}", parts.join("."));
    match index {
        None => format!("widget({by})"),
        Some(index) => {
            page.note(&format!(
                "other widgets of the screen have the same names, so it is number {} in the tree",
                index + 1
            ));
            format!("widgetAmong({by}, {index})")
        }
    }
}

fn check(page: &mut Page, title: &str, expect: &Expect<'_>, package: &str) {
    let holds = expect.holds;
    let what = quoted(&one_line(&format!("{title}: {}", expect.shown()), 1_000));
    let assert = |page: &mut Page, code: &str| {
        page.line(&format!("assertHolds({what}) {{"));
        page.line(&format!("    {code}"));
        page.line("}");
    };
    let assert_holds = |page: &mut Page, code: String| {
        assert(page, &if holds { code } else { format!("!({code})") });
    };
    match expect.of {
        Subject::State(all) => {
            let code: Vec<String> = all.iter().map(|comparison| state_code(page, comparison)).collect();
            if all.iter().any(|comparison| comparison.key == Key::Crashed) && package.is_empty() {
                page.note("without a package it is not known whose crash is meant");
            }
            assert_holds(page, code.join(" && "));
        }
        Subject::Widget(all) => {
            // A selector is short and waits by itself; code over all widgets is for the rest.
            if let Some(by) = selector(all) {
                return page.line(&format!("{}({what}, {by})", seen_or_gone(holds)));
            }
            if let Some(code) = all_of(page, expect, all, !holds) {
                assert_holds(page, format!("widgets().any {{ {code} }}"));
            }
        }
        Subject::Count { of, op, number } => {
            if let Some(code) = all_of(page, expect, of, true) {
                let count = format!("widgets().count {{ {code} }}");
                match range(op, number, holds) {
                    Some(range) => assert(page, &in_range(&count, range)),
                    None => assert_holds(page, format!("{count} {} {number}", sign(op))),
                }
            }
        }
        Subject::Checked(true) => {
            page.line(&format!("{}({what}, By.checked(true))", seen_or_gone(holds)));
        }
        Subject::Checked(false) => {
            // On a screen without anything checkable neither value holds.
            let code = "device.hasObject(By.checkable(true)) && !device.hasObject(By.checked(true))";
            assert_holds(page, code.to_string());
        }
        Subject::Linked => page.note(&expect.unchecked()),
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

/// Returns the selector that says all comparisons, if there is one: it has each key once, and no empty texts.
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
        // `By` has no criterion for the other flags.
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
        // A full id; a short one has to match the end of any.
        (Key::Id, Op::Equal) if text.contains(":id/") => Some(format!("res({})", quoted(text))),
        (Key::Id, Op::Equal) => Some(matching("res", format!("(?s)(.*/)?{literal}"))),
        (Key::Id, Op::Contains) => Some(matching("res", format!("(?s).*{literal}.*"))),
        // Likewise a full class name.
        (Key::Class, Op::Equal) if text.contains('.') && !text.starts_with('.') => {
            Some(format!("clazz({})", quoted(text)))
        }
        (Key::Class, Op::Equal) => Some(matching("clazz", format!("(?s)(.*[.])?{literal}"))),
        (Key::Class, Op::Contains) => Some(matching("clazz", format!("(?s).*{literal}.*"))),
        _ => None,
    }
}

/// Returns the code for the comparisons of `it` that can be said, and notes the others; none if it needs those too.
fn all_of(page: &mut Page, expect: &Expect<'_>, all: &[Comparison], needs_all: bool) -> Option<String> {
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
    let (shown, what) = (expect.shown(), left_out.join(" and "));
    // With a part left out more widgets fit, so neither a count nor an absence can be checked.
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
        | Key::Tag
        | Key::Role
        | Key::Name
        | Key::Password
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
        | Key::ActionText => None,
    }
}

fn state_code(page: &mut Page, comparison: &Comparison) -> String {
    let is = |code: &str, word: &str| match &comparison.value {
        Constant::Text(value) => {
            let is_wanted = (value == word) == (comparison.op == Op::Equal);
            format!("{}{code}", if is_wanted { "" } else { "!" })
        }
        Constant::Flag(_) | Constant::Regex(_) | Constant::Number(_) | Constant::Term(_) => code.to_string(),
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
        Key::Keyboard => flagged("isKeyboardShown()"),
        Key::Text
        | Key::Desc
        | Key::Id
        | Key::ObjectId
        | Key::Class
        | Key::Tag
        | Key::Role
        | Key::Name
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
        Key::Crash => unreachable!("any crash is checked in the place of one"),
        Key::Console | Key::Status => unreachable!("what a page reports is not checked"),
    }
}

/// Returns the code that compares the text that `code` returns.
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
            // Classes cover Unicode on Android anyway, which does not know the flag `U`.
            format!("Regex({}).containsMatchIn({code})", quoted(regex))
        }
        (Constant::Number(number), op) => {
            format!("{code}.number()?.let {{ n -> n {} BigDecimal(\"{number}\") }} == true", sign(op))
        }
        (Constant::Flag(flag), _) => format!("{code} == \"{flag}\""),
        (Constant::Term(_), _) => unreachable!("what is read from a step is not checked"),
    }
}

fn names_code(page: &mut Page, comparison: &Comparison, code: &str) -> String {
    // A name differs only if its long and its short form do.
    let any = if comparison.op == Op::NotEqual { "all" } else { "any" };
    format!("{code}.{any} {{ name -> {} }}", text_code(page, comparison, "name"))
}

/// Returns the name of the class that tests the spec called `name`.
pub(super) fn class_name(name: &str) -> String {
    let words = name.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut class = String::new();
    for word in words {
        class.push_str(&word[..1].to_ascii_uppercase());
        class.push_str(&word[1..]);
    }
    // All characters are ASCII, so any byte is a boundary.
    class.truncate(CLASS_CHARS_MAX);
    if !class.starts_with(|first: char| first.is_ascii_alphabetic()) {
        class.insert_str(0, "Spec");
    }
    class.push_str("Test");
    class
}

/// Returns `goToAboutRun` for `GoToAboutTest`: with `Run`, it is never a keyword of Kotlin.
fn method_name(class: &str) -> String {
    let stem = class.strip_suffix("Test").unwrap_or(class);
    let mut name = stem[..1].to_ascii_lowercase();
    name.push_str(&stem[1..]);
    format!("{name}Run")
}

/// Returns `text` as a string of Kotlin.
fn quoted(text: &str) -> String {
    quoted_utf16(text, '"', "\"\\$")
}
