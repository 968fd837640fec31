//! Appium: a test for pytest in Python, with Appium's own client and its driver UiAutomator2.
//!
//! A widget of an action is found by the server; what must be seen is compared here, on the page source, where every attribute
//! of a widget is.

use super::commands::{Activity, Command, Expect, Script, Subject, Widget, swiped};
use super::javascript::is_read;
use super::locate::Locator;
use super::page::{Page, one_line, quoted_code_points as quoted, quoted_utf16};
use super::sight::{flag, sign};
use super::{Exported, Quotes, code_of, dashed, has_word, java, uiautomator, used, write_head};
use crate::gui::{Comparison, Constant, Direction, Key, Op, Percent, Point};
use crate::test_case::TestCase;

const HOW: [&str; 4] = [
    "Run it with `pytest FILE` (pytest, Appium-Python-Client 5 or later), the app being installed and an Appium server with its",
    "driver UiAutomator2 running. In the environment, APPIUM_URL names the server (http://127.0.0.1:4723), ANDROID_SERIAL the",
    "device if there are several, APPIUM_CAPABILITIES more capabilities as JSON, FARLEAD_TIMEOUT_S how long a check waits (10),",
    "FARLEAD_IDLE_S how long an idle takes (70).",
];

/// The names that the code may use, and the lines that import them.
const IMPORTS: [(&str, &str); 13] = [
    ("json", "import json"),
    ("os", "import os"),
    ("re", "import re"),
    ("time", "import time"),
    ("timedelta", "from datetime import timedelta"),
    ("Decimal", "from decimal import Decimal"),
    ("ElementTree", "from xml.etree import ElementTree"),
    ("", ""),
    ("pytest", "import pytest"),
    ("webdriver", "from appium import webdriver"),
    ("UiAutomator2Options", "from appium.options.android import UiAutomator2Options"),
    ("AppiumBy", "from appium.webdriver.common.appiumby import AppiumBy"),
    ("WebDriverException", "from selenium.common.exceptions import WebDriverException"),
];

/// Functions that the steps call, each after its name; packed.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.py.deflated"));

pub(super) fn print(test: &TestCase) -> Exported {
    let script = Script::new(test, |one, two| one == two);
    // The steps are written first: the library above them has what they call.
    let mut body = Page::new("#");
    script.remarks.iter().for_each(|remark| body.note(remark));
    script.launched().and_then(Activity::remark).iter().for_each(|remark| body.note(remark));
    write_test(&mut body, &script, &uiautomator::class_name(&test.oracle.name));
    let (body, notes) = body.finish();
    // pytest calls what puts the device back.
    let puts_back = script.turns || script.switches_network;
    let called = format!("driver {} {}\n{body}", if puts_back { "set_up" } else { "" }, put_back(&script));
    let library = used(LIBRARY, "#: ", &called, Quotes::Double);
    let mut page = Page::new("#");
    write_head(&mut page, test, &HOW);
    page.line("");
    let code = code_of(&format!("{body}{library}TIMEOUT_S = os"), Quotes::Double);
    for (name, line) in IMPORTS {
        if name.is_empty() || has_word(&code, name) {
            page.line(line);
        }
    }
    page.line("");
    page.line(&format!("PACKAGE = {}", quoted(&script.package)));
    page.line("TIMEOUT_S = float(os.environ.get(\"FARLEAD_TIMEOUT_S\", \"10\"))");
    if script.idles {
        page.comment("Longer than the display stays lit.");
        page.line("IDLE_S = float(os.environ.get(\"FARLEAD_IDLE_S\", \"70\"))");
    }
    page.raw(&library);
    if puts_back {
        page.line("");
        page.line("");
        page.line("def put_back(driver):");
        page.raw(&put_back(&script));
    }
    page.line("");
    page.line("");
    page.raw(&body);
    Exported { text: page.finish().0, notes }
}

/// Returns the lines that make the device upright and connected.
fn put_back(script: &Script<'_>) -> String {
    let turns = if script.turns { "    driver.orientation = \"PORTRAIT\"\n" } else { "" };
    let connects = if script.switches_network { "    switch_network(driver, True)\n" } else { "" };
    format!("{turns}{connects}")
}

fn write_test(page: &mut Page, script: &Script<'_>, class: &str) {
    let stem = class.strip_suffix("Test").unwrap_or(class);
    page.line(&format!("def test_{}(driver):", dashed(stem, '_')));
    page.indent(4);
    for (at, step) in script.steps.iter().enumerate() {
        if at > 0 {
            page.line("");
        }
        page.step(&step.title);
        page.comment(&step.title);
        step.commands.iter().for_each(|command| act(page, command));
        step.expects.iter().for_each(|expect| check(page, &step.title, expect));
    }
    if script.steps.iter().all(|step| step.commands.is_empty() && step.expects.is_empty()) {
        page.line("pass");
    }
    page.indent(0);
}

fn act(page: &mut Page, command: &Command<'_>) {
    let line = match command {
        Command::ForgetCrashes => "forget_crashes(driver)".to_string(),
        Command::Wake => "driver.press_keycode(224)".to_string(),
        Command::Launch(activity) => format!("start(driver, {})", quoted(&activity.safe)),
        Command::Tap { on, at: None } => format!("{}.click()", found(page, on)),
        Command::Tap { on, at: Some(at) } => format!("tap(driver, {}, {})", found(page, on), point(*at)),
        Command::LongTap { on, at: None } => format!("tap(driver, {}, ms=1000)", found(page, on)),
        Command::LongTap { on, at: Some(at) } => {
            format!("tap(driver, {}, {}, ms=1000)", found(page, on), point(*at))
        }
        Command::Fill { on, text } => format!("fill({}, {})", found(page, on), quoted(text)),
        // To show what lies below, the finger goes up, and slowly, so that the list does not go on by itself.
        Command::Scroll { on, towards } => {
            let (start, end) = match towards {
                Direction::Up => ("(50, 10)", "(50, 90)"),
                Direction::Down => ("(50, 90)", "(50, 10)"),
                Direction::Left => ("(10, 50)", "(90, 50)"),
                Direction::Right => ("(90, 50)", "(10, 50)"),
            };
            format!("swipe(driver, {}, {start}, {end}, 1500)", found(page, on))
        }
        Command::Swipe { on, towards } => {
            let (from, to) = swiped(*towards);
            format!("swipe(driver, {}, ({}), ({}), 1000)", found(page, on), point(from), point(to))
        }
        // A swipe of the user's own may be meant to be quick.
        Command::Drag { on, from, to } => {
            format!("swipe(driver, {}, ({}), ({}), 300)", found(page, on), point(*from), point(*to))
        }
        Command::Type(text) => format!("driver.switch_to.active_element.send_keys({})", quoted(text)),
        Command::Press(key) => format!("driver.press_keycode({})", key.code()),
        Command::Back => "go_back(driver)".to_string(),
        Command::Turn { is_upright } => {
            format!("driver.orientation = \"{}\"", if *is_upright { "PORTRAIT" } else { "LANDSCAPE" })
        }
        Command::SwitchNetwork { is_on } => format!("switch_network(driver, {})", python(*is_on)),
        Command::LeaveAndReturn { .. } => "leave_and_return(driver)".to_string(),
        Command::Idle => "idle(driver)".to_string(),
        Command::Wait { ms } => format!("time.sleep({})", f64::from(*ms) / 1000.0),
        Command::OnPage(command) => return page.note(command.refusal()),
        Command::Refuse(why) => return page.note(why),
    };
    page.line(&line);
}

fn python(flag: bool) -> &'static str {
    if flag { "True" } else { "False" }
}

fn point(at: Point) -> String {
    let percent = |percent: Percent| percent.to_string().trim_end_matches('%').to_string();
    format!("{}, {}", percent(at.x), percent(at.y))
}

/// Returns the code that finds the widget.
fn found(page: &mut Page, on: &Widget<'_>) -> String {
    let Widget { target, locator, .. } = *on;
    let by =
        |strategy: &str, value: &str| format!("driver.find_element(AppiumBy.{strategy}, {})", quoted(value));
    if locator.is_nameless() {
        page.note("no name tells the widget apart, so it is found by its place in the tree");
        let steps = target.object_id.split(':').filter_map(|step| step.parse::<u32>().ok());
        let path: String = steps.map(|step| format!("/*[{}]", u64::from(step) + 1)).collect();
        return by("XPATH", &format!("/hierarchy{path}"));
    }
    match locator {
        Locator { id: Some(id), text: None, desc: None, index: None } => by("ID", id),
        Locator { id: None, text: None, desc: Some(desc), index: None } => by("ACCESSIBILITY_ID", desc),
        Locator { id, text, desc, index } => {
            let mut selector = String::from("new UiSelector()");
            for (method, name) in [("resourceId", id), ("text", text), ("description", desc)] {
                if let Some(name) = name {
                    // The server reads the escapes of Java.
                    selector.push_str(&format!(".{method}({})", quoted_utf16(name, '"', "\"\\")));
                }
            }
            if let Some(index) = index {
                page.note(&format!(
                    "other widgets of the screen have the same names, so it is number {} in the tree",
                    index + 1
                ));
                selector.push_str(&format!(".instance({index})"));
            }
            by("ANDROID_UIAUTOMATOR", &selector)
        }
    }
}

fn check(page: &mut Page, title: &str, expect: &Expect<'_>) {
    let code = match expect.of {
        Subject::State(all) => all_of(page, expect, all, state_code),
        Subject::Widget(all) => {
            all_of(page, expect, all, widget_code).map(|code| format!("any({code} for w in widgets(driver))"))
        }
        Subject::Count { of, op, number } => all_of(page, expect, of, widget_code)
            .map(|code| format!("sum({code} for w in widgets(driver)) {} {number}", sign(op))),
        Subject::Checked(true) => {
            Some("any(w[\"checked\"] == \"true\" for w in widgets(driver))".to_string())
        }
        Subject::Checked(false) => {
            // On a screen without anything checkable neither value holds.
            let checks = "[w[\"checked\"] for w in widgets(driver) if w[\"checkable\"] == \"true\"]";
            Some(format!("set({checks}) == {{\"false\"}}"))
        }
        Subject::Linked => return page.note(&expect.unchecked()),
    };
    if let Some(code) = code {
        // Only `and` binds less than `not`.
        let is_joined = matches!(expect.of, Subject::State([_, _, ..]));
        let code = match (expect.holds, is_joined) {
            (true, _) => code,
            (false, true) => format!("not ({code})"),
            (false, false) => format!("not {code}"),
        };
        let what = one_line(&format!("{title}: {}", expect.shown()), 1_000);
        page.line(&format!("assert eventually(lambda: {code}), {}", quoted(&what)));
    }
}

/// Returns the code of all comparisons, and notes a part that has none.
fn all_of(
    page: &mut Page,
    expect: &Expect<'_>,
    all: &[Comparison],
    code: fn(&Comparison) -> Option<String>,
) -> Option<String> {
    let mut codes = Vec::new();
    for comparison in all {
        match code(comparison) {
            Some(code) => codes.push(code),
            None => {
                let shown = expect.shown();
                page.note(&format!("Appium cannot say `{comparison}`, so {shown} is not checked"));
                return None;
            }
        }
        if let Constant::Regex(regex) = &comparison.value
            && !java::is_plain(regex)
        {
            page.note(&format!(
                "`{comparison}` is read as a regular expression of Python, which may mean something else"
            ));
        }
    }
    Some(if codes.is_empty() { "True".to_string() } else { codes.join(" and ") })
}

fn widget_code(comparison: &Comparison) -> Option<String> {
    let attribute = |name: &str| format!("w[\"{name}\"]");
    match comparison.key {
        Key::Text => text_code(comparison, &attribute("text")),
        Key::Desc => text_code(comparison, &attribute("content-desc")),
        Key::ObjectId => text_code(comparison, &attribute("place")),
        Key::Id => names_code(comparison, &format!("names({}, \"/\")", attribute("resource-id"))),
        Key::Class => names_code(comparison, &format!("names({}, \".\")", attribute("class"))),
        Key::Checked | Key::Enabled | Key::Focused | Key::Selected | Key::Password | Key::Scrollable => {
            let is_set = flag(comparison)?;
            Some(format!("{} == \"{is_set}\"", attribute(comparison.key.name())))
        }
        Key::Tag
        | Key::Role
        | Key::Name
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

fn state_code(comparison: &Comparison) -> Option<String> {
    let is = |code: &str, word: &str| match &comparison.value {
        Constant::Text(value) => {
            let is_wanted = (value == word) == (comparison.op == Op::Equal);
            Some(format!("{}{code}", if is_wanted { "" } else { "not " }))
        }
        Constant::Flag(_) | Constant::Regex(_) | Constant::Number(_) | Constant::Term(_) => None,
    };
    let flagged = |code: &str| Some(format!("{}{code}", if flag(comparison)? { "" } else { "not " }));
    match comparison.key {
        Key::Package => text_code(comparison, "driver.current_package"),
        Key::Activity => names_code(comparison, "activity_names(driver)"),
        Key::Orientation => is("driver.orientation == \"PORTRAIT\"", "portrait"),
        Key::Network => is("is_on_network(driver)", "on"),
        Key::Crashed => flagged("has_crashed(driver)"),
        Key::Keyboard => flagged("driver.is_keyboard_shown()"),
        Key::Screen
        | Key::Anr
        | Key::Crash
        | Key::Text
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
        | Key::Console
        | Key::Status
        | Key::ActionType
        | Key::ActionDetail
        | Key::ActionObjectId
        | Key::ActionText => None,
    }
}

/// Returns the code that compares the text that `code` returns; none if Python cannot read its regular expression.
fn text_code(comparison: &Comparison, code: &str) -> Option<String> {
    match (&comparison.value, comparison.op) {
        (Constant::Text(text), Op::NotEqual) => Some(format!("{code} != {}", quoted(text))),
        (Constant::Text(text), Op::Contains) => Some(format!("{} in {code}", quoted(text))),
        (Constant::Text(text), _) => Some(format!("{code} == {}", quoted(text))),
        (Constant::Regex(regex), _) => {
            is_read(regex).then(|| format!("bool(re.search({}, {code}))", quoted(regex)))
        }
        (Constant::Number(number), op) => {
            Some(format!("any(n {} Decimal(\"{number}\") for n in number({code}))", sign(op)))
        }
        (Constant::Flag(_) | Constant::Term(_), _) => None,
    }
}

fn names_code(comparison: &Comparison, code: &str) -> Option<String> {
    // A name differs only if its long and its short form do.
    let any = if comparison.op == Op::NotEqual { "all" } else { "any" };
    Some(format!("{any}({} for name in {code})", text_code(comparison, "name")?))
}
