//! Playwright: a test of a page in TypeScript, for @playwright/test 1.51 and later.
//!
//! The address of the page may be another: `baseURL` is the origin of the test unless BASE_URL of the environment names one. A
//! dialog of the browser is answered by the step that opens it, as Playwright waits for the answer.

use super::commands::{Command, Expect, Script, Step, Subject, Widget, swiped};
use super::element::{CHECKABLE, CHECKED, Elements, condition, elements, locator};
use super::javascript::quoted;
use super::on_page::PageCommand;
use super::page::{Page, one_line};
use super::sight::{Range, flag, range};
use super::{Exported, Quotes, used, write_head};
use crate::gui::{
    Atom, Comparison, Constant, Direction, Key, Op, Percent, Point, PressedKey, Term, TextForm,
};
use crate::test_case::TestCase;
use crate::text::{HIDDEN, secret_of, variable_of, writable_address};

const HOW: [&str; 2] = [
    "Run it with `npx playwright test FILE` (@playwright/test 1.51 or later). BASE_URL in the environment names another server",
    "with the page.",
];

/// Sizes of the part of a window that shows the page: as farlead opens Chrome, and as it makes it narrow.
const WIDE: &str = "{ width: 1280, height: 757 }";
const NARROW: &str = "{ width: 390, height: 701 }";

/// Functions that the steps call, each after its name; packed.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.ts.deflated"));

const NOT_OF_A_PAGE: &str = "a page has no such action, so the step is left out";

pub(super) fn print(test: &TestCase) -> Exported {
    let script = Script::new(test, |one, two| one == two);
    // The steps are written first: the library below them has what they call.
    let mut body = Page::new("//");
    script.remarks.iter().for_each(|remark| body.note(remark));
    write_test(&mut body, test, &script);
    let (body, notes) = body.finish();
    let library = used(LIBRARY, "//: ", &body, Quotes::Single);
    let mut page = Page::new("//");
    let credentials = credentials(test);
    let how: Vec<&str> = HOW.into_iter().chain(credentials.iter().map(|needed| &*needed.how)).collect();
    write_head(&mut page, test, &how);
    page.line("");
    let types = ["Locator", "Page"].into_iter().filter(|name| library.contains(name));
    let types: String = types.map(|name| format!(", type {name}")).collect();
    page.line(&format!("import {{ test, expect{types} }} from '@playwright/test';"));
    page.line("");
    let origin = quoted(&test.provenance.package);
    page.line(&format!("test.use({{ baseURL: process.env.BASE_URL ?? {origin}, viewport: {WIDE} }});"));
    if let Some(Credentials { user, key, .. }) = credentials {
        page.line(&format!("test.use({{ httpCredentials: {{ username: {user}, password: {key} }} }});"));
    }
    page.line("");
    page.raw(&body);
    page.raw(&library);
    Exported { text: page.finish().0, notes }
}

/// User and key that a page asks for, as expressions, and a line on where they come from.
struct Credentials {
    user: String,
    key: String,
    how: String,
}

fn credentials(test: &TestCase) -> Option<Credentials> {
    let url = test.provenance.app.iter().skip_while(|word| *word != "--url").nth(1)?;
    let url = writable_address(url);
    // A stored test keeps no more than names of variables.
    let secret = secret_of(&url)?.replace(HIDDEN, "${PAGE_USER}:${PAGE_KEY}");
    let (user, key) = secret.split_once(':').unwrap_or((&secret, ""));
    let names: Vec<&str> = [user, key].into_iter().filter_map(variable_of).collect();
    let names = names.join(" and ");
    let how = format!("The page asks for a user and a key: set {names} in the environment.");
    Some(Credentials { user: of_address(user), key: of_address(key), how })
}

/// Returns the expression for a part of an address.
fn of_address(part: &str) -> String {
    match variable_of(part) {
        Some(name) => format!("process.env.{name} ?? ''"),
        None if part.contains('%') => format!("decodeURIComponent({})", quoted(part)),
        None => quoted(part),
    }
}

fn write_test(page: &mut Page, test: &TestCase, script: &Script<'_>) {
    let name = quoted(&one_line(&test.oracle.name, 200));
    page.line(&format!("test({name}, async ({{ page }}) => {{"));
    page.indent(2);
    let forgets = |command: &Command<'_>| matches!(command, Command::ForgetCrashes);
    let sees_errors = script.steps.iter().any(|step| step.commands.iter().any(forgets));
    if sees_errors {
        page.line("const errors: Error[] = [];");
        page.line("page.on('pageerror', error => errors.push(error));");
    }
    for (at, step) in script.steps.iter().enumerate() {
        if at > 0 || sees_errors {
            page.line("");
        }
        page.step(&step.title);
        page.line(&format!("await test.step({}, async () => {{", quoted(&step.title)));
        page.indent(4);
        if let Some(answer) = step.dialog {
            let answer = match (answer.accepts, answer.text) {
                (true, Some(text)) => format!("accept({})", quoted(text)),
                (true, None) => "accept()".to_string(),
                (false, _) => "dismiss()".to_string(),
            };
            page.line("let message: string | undefined;");
            page.line("page.once('dialog', async dialog => {");
            page.line("  message = dialog.message();");
            page.line(&format!("  await dialog.{answer};"));
            page.line("});");
        }
        step.commands.iter().for_each(|command| act(page, command));
        if step.dialog.is_some() {
            page.line("await expect.poll(() => message, 'a dialog opens').toBeDefined();");
        }
        step.expects.iter().for_each(|expect| check(page, step, expect));
        page.indent(2);
        page.line("});");
    }
    page.indent(0);
    page.line("});");
}

fn act(page: &mut Page, command: &Command<'_>) {
    let line = match command {
        Command::ForgetCrashes => "errors.length = 0;".to_string(),
        Command::Launch(activity) => format!("await page.goto({});", quoted(&activity.name)),
        Command::Tap { on, at: None } => format!("await {}.click();", touched(page, on)),
        Command::Tap { on, at: Some(at) } => {
            format!("await tapAt({}, {});", locator(page, on), coordinates(*at))
        }
        Command::LongTap { on, at: None } => format!("await {}.click({{ delay: 800 }});", touched(page, on)),
        Command::LongTap { on, at: Some(at) } => {
            format!("await tapAt({}, {}, 800);", locator(page, on), coordinates(*at))
        }
        Command::Fill { on, text } => return fill(page, on, text),
        Command::Scroll { on, towards } => {
            let (right, down) = match towards {
                Direction::Up => (0, -1),
                Direction::Down => (0, 1),
                Direction::Left => (-1, 0),
                Direction::Right => (1, 0),
            };
            let on = locator(page, on);
            format!("await scroll(page, {on}, {right}, {down});")
        }
        Command::Swipe { on, towards } => drag(page, on, swiped(*towards)),
        Command::Drag { on, from, to } => drag(page, on, (*from, *to)),
        Command::Type(text) => format!("await page.keyboard.type({});", quoted(text)),
        Command::Press(PressedKey::Back) | Command::Back => "await goBack(page);".to_string(),
        Command::Press(key) => format!("await page.keyboard.press({});", quoted(key_name(*key))),
        Command::Wait { ms } => format!("await page.waitForTimeout({ms});"),
        Command::OnPage(command) => match command {
            PageCommand::DoubleClick(on) => format!("await {}.dblclick();", touched(page, on)),
            PageCommand::Hover(on) => format!("await {}.hover();", touched(page, on)),
            PageCommand::Choose(on) => choose(page, on),
            PageCommand::Forward => "await page.goForward();".to_string(),
            PageCommand::Reload => "await page.reload();".to_string(),
            PageCommand::Resize { is_narrow } => {
                format!("await page.setViewportSize({});", if *is_narrow { NARROW } else { WIDE })
            }
            PageCommand::Answered => return page.comment("The step that opens the dialog answers it."),
        },
        Command::Wake => return,
        Command::Turn { .. }
        | Command::SwitchNetwork { .. }
        | Command::LeaveAndReturn { .. }
        | Command::Idle => {
            return page.note(NOT_OF_A_PAGE);
        }
        Command::Refuse(why) => return page.note(why),
    };
    page.line(&line);
}

/// Returns the locator of the element of a touch. Only locators by texts find what is hidden, so that the mouse can reveal it.
fn touched(page: &mut Page, on: &Widget<'_>) -> String {
    let code = locator(page, on);
    let is_by_text = ["page.getByText(", "byText(", "byDesc("].iter().any(|start| code.starts_with(start));
    if is_by_text { format!("(await revealed({code}))") } else { code }
}

fn fill(page: &mut Page, on: &Widget<'_>, text: &str) {
    let field = locator(page, on);
    let is_refused = TextForm::of(&on.target.class).is_some_and(|form| !form.takes(text));
    // Keys send a line break as the key enter, and letters to a field for numbers, which `fill` refuses.
    if text.contains('\n') || is_refused {
        page.line(&format!("await {field}.clear();"));
        page.line(&format!("await {field}.pressSequentially({});", quoted(text)));
    } else {
        page.line(&format!("await {field}.fill({});", quoted(text)));
    }
}

fn choose(page: &mut Page, on: &Widget<'_>) -> String {
    let entry = quoted(&on.target.text);
    if on.shared.text.is_some() {
        page.note(
            "other elements of the page have the text of the entry, so the first select with it is taken",
        );
    }
    format!(
        "await page.locator('select').filter({{ has: page.getByText({entry}, {{ exact: true }}) }}).first()\
         .selectOption({{ label: {entry} }});"
    )
}

fn drag(page: &mut Page, on: &Widget<'_>, (from, to): (Point, Point)) -> String {
    format!("await drag(page, {}, [{}], [{}]);", locator(page, on), coordinates(from), coordinates(to))
}

/// Returns a point in parts of width and height.
fn coordinates(at: Point) -> String {
    let part = |percent: Percent| f64::from(percent.of(100_000)) / 100_000.0;
    format!("{}, {}", part(at.x), part(at.y))
}

fn key_name(key: PressedKey) -> &'static str {
    match key {
        PressedKey::Back | PressedKey::Escape | PressedKey::Menu => "Escape",
        PressedKey::Enter | PressedKey::Search => "Enter",
        PressedKey::Home => "Home",
        PressedKey::Tab => "Tab",
        PressedKey::Delete => "Backspace",
        PressedKey::Up => "ArrowUp",
        PressedKey::Down => "ArrowDown",
        PressedKey::Left => "ArrowLeft",
        PressedKey::Right => "ArrowRight",
    }
}

fn check(page: &mut Page, step: &Step<'_>, expect: &Expect<'_>) {
    if step.is_covered {
        return check_dialog(page, step, expect);
    }
    let what = quoted(&one_line(&expect.shown(), 1_000));
    match (expect.of, expect.atom) {
        (Subject::State(all), _) => check_state(page, expect, all, &what),
        (Subject::Checked(true), _) => {
            let checked = format!("page.locator({})", quoted(CHECKED));
            page.line(&seen(&checked, &what, expect.holds));
        }
        (Subject::Checked(false), _) => {
            let count = |selector: &str| format!("await page.locator({}).count()", quoted(selector));
            page.line(&format!(
                "await expect.poll(async () => {} > 0 && {} === 0, {what}).toBe({});",
                count(CHECKABLE),
                count(CHECKED),
                expect.holds
            ));
        }
        (Subject::Widget(all), _) => match elements(all, &[]) {
            Ok(found) => page.line(&any(&found, &what, expect.holds)),
            Err(part) => unsaid(page, expect, &part),
        },
        (Subject::Count { of, op, number }, _) => match elements(of, &[]) {
            Ok(found) => page.line(&counted(&found, &what, (op, number), expect.holds)),
            Err(part) => unsaid(page, expect, &part),
        },
        (Subject::Linked, Atom::Placed(pattern)) => match elements(&pattern.comparisons, &pattern.places) {
            Ok(found) => page.line(&any(&found, &what, expect.holds)),
            Err(part) => unsaid(page, expect, &part),
        },
        (Subject::Linked, Atom::Compared { left: Term::Count(of), op, right: Constant::Number(number) }) => {
            match (elements(&of.comparisons, &of.places), number.to_string().parse()) {
                (Ok(found), Ok(number)) => page.line(&counted(&found, &what, (*op, number), expect.holds)),
                (Ok(_), Err(_)) => page.note(&expect.unchecked()),
                (Err(part), _) => unsaid(page, expect, &part),
            }
        }
        (
            Subject::Linked,
            Atom::Compared { .. }
            | Atom::Widget(_)
            | Atom::Count { .. }
            | Atom::State(_)
            | Atom::Action(_)
            | Atom::Checked(_),
        ) => page.note(&expect.unchecked()),
    }
}

fn unsaid(page: &mut Page, expect: &Expect<'_>, part: &str) {
    page.note(&format!("no locator can say {part}, so {} is not checked", expect.shown()));
}

/// Writes the check of the message of a dialog, which is gone when the step ends.
fn check_dialog(page: &mut Page, step: &Step<'_>, expect: &Expect<'_>) {
    let condition = match expect.of {
        Subject::Widget([comparison @ Comparison { key: Key::Text, op: Op::Equal | Op::Contains, .. }]) => {
            condition(comparison, "(message ?? '')").filter(|_| step.dialog.is_some())
        }
        Subject::Widget(_)
        | Subject::State(_)
        | Subject::Count { .. }
        | Subject::Checked(_)
        | Subject::Linked => None,
    };
    match condition {
        Some(condition) => {
            let what = quoted(&one_line(&expect.shown(), 1_000));
            page.line(&format!("expect({condition}, {what}).toBe({});", expect.holds));
        }
        None => page.note(&format!(
            "a dialog of the browser is in front, of which the message alone is checked, so {} is not",
            expect.shown()
        )),
    }
}

/// Returns the check that one of the elements is shown, or that none is.
fn any(found: &Elements, what: &str, holds: bool) -> String {
    let Elements { code, conditions, equals } = found;
    match (&conditions[..], equals) {
        ([], _) => seen(code, what, holds),
        ([_], Some(text)) => {
            let not = if holds { "" } else { ".not" };
            format!("await expect.poll(() => texts({code}), {what}){not}.toContain({text});")
        }
        (all, _) => format!(
            "await expect.poll(async () => (await texts({code})).some(text => {}), {what}).toBe({holds});",
            all.join(" && ")
        ),
    }
}

fn seen(code: &str, what: &str, holds: bool) -> String {
    let not = if holds { ".not" } else { "" };
    format!("await expect({code}.filter({{ visible: true }}), {what}){not}.toHaveCount(0);")
}

/// Returns the check of the number of elements that are shown.
fn counted(found: &Elements, what: &str, (op, number): (Op, u64), holds: bool) -> String {
    let Elements { code, conditions, .. } = found;
    let shown = format!("{code}.filter({{ visible: true }})");
    let matcher = match range(op, number, holds) {
        Some(Range { at_least: Some(least), at_most: Some(_) }) if conditions.is_empty() => {
            return format!("await expect({shown}, {what}).toHaveCount({least});");
        }
        Some(Range { at_least: Some(least), at_most: Some(_) }) => format!(".toBe({least})"),
        Some(Range { at_least: Some(least), at_most: None }) => format!(".toBeGreaterThanOrEqual({least})"),
        Some(Range { at_least: None, at_most: Some(most) }) => format!(".toBeLessThanOrEqual({most})"),
        // Fewer than none, or any number.
        Some(Range { at_least: None, at_most: None }) | None if op != Op::Equal && op != Op::NotEqual => {
            format!("{}.toBeLessThan(0)", if holds { "" } else { ".not" })
        }
        Some(Range { at_least: None, at_most: None }) | None => format!(".not.toBe({number})"),
    };
    let count = match &conditions[..] {
        [] => format!("{shown}.count()"),
        all => format!("(await texts({code})).filter(text => {}).length", all.join(" && ")),
    };
    let asynchronous = if conditions.is_empty() { "" } else { "async " };
    format!("await expect.poll({asynchronous}() => {count}, {what}){matcher};")
}

fn check_state(page: &mut Page, expect: &Expect<'_>, all: &[Comparison], what: &str) {
    let is_address = |comparison: &Comparison| matches!(comparison.key, Key::Package | Key::Activity);
    let url = if all.iter().all(is_address) { "url" } else { "new URL(page.url())" };
    let mut codes = Vec::new();
    for comparison in all {
        let is = |code: &str, word: &str| {
            let is_word = comparison.value == Constant::Text(word.to_string());
            Some(if is_word == (comparison.op == Op::Equal) {
                code.to_string()
            } else {
                format!("!({code})")
            })
        };
        let code = match comparison.key {
            Key::Package => condition(comparison, &format!("{url}.origin")),
            Key::Activity => condition(comparison, &format!("({url}.pathname + {url}.hash)")),
            Key::Crashed => {
                Some(format!("errors.length {} 0", if flag(comparison) == Some(false) { "===" } else { ">" }))
            }
            Key::Network => is("await page.evaluate(() => navigator.onLine)", "on"),
            Key::Orientation => is("await page.evaluate(() => innerWidth <= innerHeight)", "portrait"),
            Key::Screen
            | Key::Anr
            | Key::Keyboard
            | Key::Console
            | Key::Status
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
            | Key::ActionType
            | Key::ActionDetail
            | Key::ActionObjectId
            | Key::ActionText => None,
        };
        let Some(code) = code else {
            return page.note(&format!(
                "Playwright cannot say `{comparison}` of a page, so {} is not checked",
                expect.shown()
            ));
        };
        codes.push(code);
    }
    let code = codes.join(" && ");
    if url == "url" {
        let code = if expect.holds { code } else { format!("!({code})") };
        page.line(&format!("await expect(page, {what}).toHaveURL(url => {code});"));
    } else {
        page.line(&format!("await expect.poll(async () => {code}, {what}).toBe({});", expect.holds));
    }
}
