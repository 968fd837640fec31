//! States of the page: tests that are mended, values that are remembered, commands that are watched, devices; and a picture of
//! each.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::pictures::looks_like;
use super::{Browser, ENTER, Studio, ask, notes_in};
use crate::adbd::Adb;
use crate::browser::has_chrome;
use crate::identity::Phone;
use crate::project::Folder;

/// Time without news after which the page is taken to be settled.
const SETTLING: Duration = Duration::from_millis(600);

/// Returns an app whose first button reads `first`, has this id, and leads to a form by way of `between`.
fn forms(first: &str, id: &str, between: &str) -> String {
    let news = "activity News .News {\n    TextView \"There is news\"\n    Button #on \"Continue\" -> open Form\n}\n";
    let news = if between == "News" { news } else { "" };
    format!(
        "app org.example \"Forms\" 1.0\nlaunch Main\n\
         activity Main .Main {{\n    TextView \"Welcome\"\n    Button {id} \"{first}\" -> open {between}\n    \
         Button #help \"Help\" -> open Help\n}}\n\
         activity Help .Help {{\n    TextView \"Help\"\n}}\n\
         {news}\
         activity Form .Form {{\n    own text = \"\"\n    EditText #field hint \"What?\" edits text\n    \
         Button #send \"Send\" -> open End\n}}\n\
         activity End .End {{\n    TextView \"Sent\"\n}}\n"
    )
}

/// Returns a folder with an app, a spec, and the test that was found for it.
fn with_test(name: &str) -> (Folder, &'static str) {
    let folder = Folder::new(name);
    folder.write("forms.app", &forms("Start", "#start", "Form"));
    folder.write(
        "sent.ltl",
        "possible \"sent\": F ([activity ~ Form] & X F ([actionType = text] & X F [text = Sent]))\n",
    );
    folder.done(0, &["check", "sent.ltl", "--app", "forms.app"]);
    (folder, "farlead-tests/sent/sent.test.ltl")
}

/// Returns a studio and its page with `test` before the step that has diverged, as the app has other names and a screen more.
fn diverged(folder: &Folder, test: &str) -> (Studio, Browser) {
    folder.write("forms.app", &forms("Begin", "#begin", "News"));
    folder.done(5, &["replay", test, "--app", "forms.app"]);
    let studio = Studio::start(folder, &["--app", "forms.app"], |_| {});
    let browser = Browser::open(&studio.url);
    browser.open_file(test);
    browser.click("walk");
    browser.wait("view.test && view.test.why");
    (studio, browser)
}

impl Browser {
    /// Clicks what the steps of the test meant, saves it, and waits until it is confirmed or not.
    #[track_caller]
    fn mend(&self) {
        self.press("Begin", 0);
        self.wait("view.test.next === 2 && view.test.why");
        // The app has a new screen in between, so a step comes before the next one.
        self.press("Continue", 2);
        self.choose("click");
        self.wait("!view.test.why");
        self.click("all-steps");
        self.wait("view.test.is_reached");
        self.click("mend");
        self.wait("document.getElementById('progress').textContent.startsWith('It ended')");
    }

    /// Opens a file in the editor.
    #[track_caller]
    fn open_file(&self, file: &str) {
        let choose = format!(
            "(() => {{ const file = document.getElementById('file'); file.value = {}; \
             file.dispatchEvent(new Event('change')); }})()",
            json!(file)
        );
        self.value(&choose);
        self.wait(&format!("opened.file === {} && !document.getElementById('check').disabled", json!(file)));
    }

    /// Clicks a button of the open menu by the beginning of its text.
    #[track_caller]
    fn choose(&self, text: &str) {
        self.wait("document.getElementById('menu').open");
        let button = self.element(&format!(
            "[...document.querySelectorAll('#menu button')].find((one) => one.textContent.startsWith({}))",
            json!(text)
        ));
        self.post(&format!("element/{button}/click"), &json!({}));
    }

    /// Checks that the drawing of a hostile text is text, and that a drawing of anything but shapes and texts is no part of the page.
    #[track_caller]
    fn has_inert_drawings(&self) {
        let drawn = "document.getElementById('picture').shadowRoot";
        self.wait(&format!("{drawn}.querySelector('svg')"));
        let text = self.value(&format!("{drawn}.querySelector('svg').textContent"));
        assert!(text.as_str().is_some_and(|text| text.contains("</svg><script>ran = 1</script>")), "{text}");
        assert_eq!(self.value(&format!("{drawn}.querySelectorAll('script, img').length")), 0);
        assert_eq!(self.value("typeof ran"), "undefined");
        for (drawn, is_part) in [
            ("<rect x=\"1\"/>", true),
            ("<script>ran = 1</script>", false),
            ("<style>rect { fill: red }</style>", false),
            ("<image href=\"http://example.org/a.png\"/>", false),
            ("<foreignObject/>", false),
            ("<a/>", false),
            ("<rect onclick=\"ran = 1\"/>", false),
            ("<rect xmlns=\"http://www.w3.org/1999/xhtml\"/>", false),
            ("<rect", false),
        ] {
            let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><style/>{drawn}</svg>");
            self.value(&format!("keepDrawing({})", json!({ "number": 9_999, "svg": svg })));
            assert_eq!(self.value("drawing(9999) !== null"), is_part, "{svg}");
        }
    }

    /// Checks that the page looks like the reference of this name, with an element of it in view.
    #[track_caller]
    fn looks_like(&self, name: &str, in_view: &str) {
        // News and words come a little later than what they are about.
        for _ in 0..20 {
            let text = self.value("document.body.innerText");
            thread::sleep(SETTLING);
            if text == self.value("document.body.innerText") {
                break;
            }
        }
        self.value(&format!(
            "document.getElementById({}).scrollIntoView({{ block: 'center' }})",
            json!(in_view)
        ));
        // Pictures out of view come later.
        self.wait(
            "[...document.images].every((one) => { const { left, right } = one.getBoundingClientRect(); \
             return one.complete || right <= 0 || left >= innerWidth || left === right; })",
        );
        looks_like(name, &self.screenshot());
    }
}

#[test]
fn a_step_that_diverges_is_mended_by_a_click_and_the_test_is_confirmed_again() {
    if !has_chrome() {
        return;
    }
    let (folder, test) = with_test("studio-mend");
    let (_studio, browser) = diverged(&folder, test);
    assert!(
        browser.text("test-state").contains("the nearest widget is \"Begin\""),
        "{}",
        browser.text("test")
    );
    browser.looks_like("diverged", "app");
    browser.picture("studio-mend.png");
    browser.mend();
    assert_eq!(browser.text("progress"), "It ended: all passed.", "{}", browser.text("log"));
    assert_eq!(browser.text("command"), format!("farlead minimize {test} --update --app forms.app"));
    assert!(browser.text("results").contains("reproduced 3 of 3"), "{}", browser.text("results"));
    let kept = folder.read(test);
    assert!(kept.contains("text \"Begin\"") && !kept.contains("\"Start\""), "{kept}");
    assert!(kept.contains("confirmed 3 of 3\n"), "{kept}");
    folder.done(0, &["replay", test, "--app", "forms.app", "--times", "5"]);
    browser.click("leave-test");
    browser.wait("!view.test");
}

#[test]
fn a_mended_test_whose_run_does_not_come_again_is_kept_and_said_to_be_unconfirmed() {
    if !has_chrome() {
        return;
    }
    let (folder, test) = with_test("studio-unconfirmed");
    let (_studio, browser) = diverged(&folder, test);
    // The commands of the studio read the app anew, and its form has gone meanwhile.
    folder.write("forms.app", &forms("Begin", "#begin", "Help"));
    browser.mend();
    assert_eq!(
        browser.text("progress"),
        "It ended: not all passed (exit code 1).",
        "{}",
        browser.text("log")
    );
    assert!(browser.text("results").contains("not confirmed"), "{}", browser.text("results"));
    let said = format!("{test} has the run that you led, and it is not confirmed");
    assert!(browser.text("status").contains(&said), "{}", browser.text("status"));
    let kept = folder.read(test);
    assert!(kept.contains("text \"Begin\"") && kept.contains("confirmed 0 of 0\n"), "{kept}");
}

#[test]
fn a_value_is_remembered_with_a_click_and_its_spec_found() {
    if !has_chrome() {
        return;
    }
    let folder = Folder::new("studio-value");
    folder.write(
        "counter.app",
        "app org.example \"Counter\" 1.0\nlaunch Main\nactivity Main .Main {\n    own n = 3\n    \
         TextView #count \"{n}\"\n    Button #more \"More\" -> n = n + 2\n    \
         TextView \"</svg><script>ran = 1</script><img src=x onerror='ran = 1'>\"\n}\n",
    );
    let studio = Studio::start(&folder, &["--app", "counter.app"], |_| {});
    let browser = Browser::open(&studio.url);
    browser.has_inert_drawings();
    browser.press("3, TextView", 2);
    browser.choose("Remember");
    browser.wait("view.remembered.length === 1");
    browser.act("More");
    browser.expect("5, TextView", "[text(id = count) = {old_count + 2}]", "now");
    browser.keep("it counts");
    assert_eq!(browser.text("progress"), "It ended: all passed.", "{}", browser.text("log"));
    let spec = folder.read("specs/it_counts.ltl");
    assert!(
        spec.contains("keep old_count = text(id = count): X F [text(id = count) = {old_count + 2}]"),
        "{spec}"
    );
    // A click that a rule forbids is not done, and the menu says which rule that is.
    browser.press("More, Button", 2);
    browser.choose("Never do this");
    browser.wait("view.screen.forbidden.length === 1 && !document.getElementById('menu').open");
    browser.press("More, Button", 0);
    browser.wait("document.getElementById('menu').open");
    assert_eq!(
        browser.value(
            "document.getElementById(document.getElementById('menu').getAttribute('aria-describedby')).textContent"
        ),
        "A rule of farlead.toml forbids click \"More\": never [actionType = click, actionDetail = More]."
    );
    assert_eq!(browser.value("view.steps.length"), 2);
}

#[test]
fn a_key_that_a_rule_forbids_is_shown_and_says_which_rule_that_is() {
    if !has_chrome() {
        return;
    }
    let folder = Folder::new("studio-keys");
    folder.write("farlead.toml", "[[rule]]\nnever = '[actionType = back]'\n");
    let studio = Studio::start(&folder, &["--app", notes_in(&folder)], |_| {});
    let browser = Browser::open(&studio.url);
    let said = "A rule of farlead.toml forbids back: never [actionType = back].";
    // It is on the way of the Tab key, and its description says why it does nothing.
    browser.tab_to("back");
    assert_eq!(
        browser.value(
            "[document.activeElement.ariaDisabled, document.activeElement.title, at('status').textContent]"
        ),
        json!(["true", said, ""])
    );
    browser.keys(&[ENTER]);
    browser.wait("document.getElementById('status').textContent");
    assert_eq!(browser.text("status"), said);
    assert_eq!(browser.value("view.steps.length"), 1);
    let back =
        "[...document.querySelectorAll('#keys button')].filter((one) => one.textContent === 'back').length";
    assert_eq!(browser.value(back), 1);
    // The others do what they say.
    browser.tab_to("rotate");
    browser.keys(&[ENTER]);
    browser.wait("view.steps.length === 2");
}

#[test]
fn a_command_is_watched_while_it_runs_and_by_whoever_joins_later() {
    if !has_chrome() {
        return;
    }
    let folder = Folder::new("studio-watch");
    folder.write("far.ltl", "never \"far\": F [text = nowhere]\n");
    let studio = Studio::start(&folder, &["--app", notes_in(&folder)], |_| {});
    let browser = Browser::open(&studio.url);
    browser.open_file("far.ltl");
    browser.value("document.getElementById('budget').value = 1000000");
    browser.click("explore");
    browser.wait(
        "document.getElementById('command').textContent.startsWith('farlead explore far.ltl --budget')",
    );
    browser.value("['map', 'episodes-part'].forEach((id) => (document.getElementById(id).open = true))");
    browser.wait("document.querySelectorAll('#episodes .pictures img').length > 3");
    browser.wait("document.querySelectorAll('#curve polyline').length === 2");
    browser.wait("document.getElementById('map-picture').naturalWidth > 0");
    browser.wait("document.querySelector('#episodes .pictures img').naturalWidth > 0");
    browser.value("document.getElementById('work').scrollIntoView()");
    browser.picture("studio-watch.png");
    // A page that is opened now knows what went before.
    let late = Browser::open(&studio.url);
    late.value("document.getElementById('episodes-part').open = true");
    late.wait("job.episodes.length > 0 && document.querySelectorAll('#episodes li').length > 0");
    browser.click("stop");
    for page in [&late, &browser] {
        page.wait("document.getElementById('progress').textContent.startsWith('It ended')");
    }
    // Of many episodes some are shown, and more to whoever asks for them. Others like one that was found make them many.
    browser.value(
        "void [...Array(30).keys()].forEach((more) => takeNews({ ...job.episodes[0], episode: 1e6 + more }))",
    );
    let shown = "document.getElementById('episodes').children.length";
    browser.wait(&format!("{shown} === 20"));
    browser.click("more-episodes");
    browser.wait(&format!("{shown} === Math.min(40, job.episodes.length)"));
}

#[test]
fn devices_are_listed_shown_and_picked_and_a_command_uses_several() {
    if !has_chrome() {
        return;
    }
    let Some(adb) = Adb::start("studio-devices") else { return };
    let phones = [(); 2].map(|()| Phone::start(&adb, "apps/notes.app", &[]));
    let folder = Folder::new("studio-devices");
    let package = "org.secuso.privacyfriendlynotes";
    let args = ["--package", package, "--device", &phones[0].serial];
    let studio = Studio::start(&folder, &args, |command| adb.lend_to(command));
    let browser = Browser::open(&studio.url);
    browser.act("OKAY");
    browser.click("devices-part");
    browser.wait("document.querySelectorAll('#devices li').length === 2");
    browser.wait("[...document.querySelectorAll('#devices img')].every((one) => one.naturalWidth > 0)");
    let choose = |serial: &str, kind: &str| {
        let input = browser.element(&format!(
            "[...document.querySelectorAll('#devices input[type={kind}]')].find((one) => one.value === {})",
            json!(serial)
        ));
        browser.post(&format!("element/{input}/click"), &json!({}));
    };
    choose(&phones[1].serial, "radio");
    // The run is done again on the other phone.
    browser.wait(&format!("view.device.includes({}) && view.steps.length === 2", json!(phones[1].serial)));
    // The list is shown again, and who uses the keyboard goes on from the choice.
    browser.wait(&format!(
        "document.querySelector('#devices li.is-driven input').value === {}",
        json!(phones[1].serial)
    ));
    assert_eq!(browser.value("document.activeElement.value"), phones[1].serial, "the focus stays");
    choose(&phones[0].serial, "checkbox");
    browser.wait("document.querySelectorAll('#devices input[type=checkbox]:checked').length === 2");
    browser.expect("+, ImageButton", "[desc = +]", "now");
    browser.keep("start");
    assert_eq!(browser.text("progress"), "It ended: all passed.", "{}", browser.text("log"));
    let typed = browser.text("command");
    assert!(phones.iter().all(|phone| typed.contains(&*phone.serial)), "{typed}");
    // Nobody makes the studio start a program as a device.
    let mut socket = studio.socket();
    let refused = ask(&mut socket, r#"{"id":1,"do":"drive","device":"exec:/bin/sh"}"#);
    assert!(refused["error"].as_str().is_some_and(|error| error.contains("is no device")), "{refused}");
}

#[test]
fn the_app_is_set_up_as_the_project_says() {
    let folder = Folder::new("studio-set-up");
    folder.write("forms.app", &forms("Start", "#start", "Form"));
    folder.write("form.ltl", "possible \"form\": F [activity ~ Form]\n");
    folder.done(0, &["check", "form.ltl", "--app", "forms.app"]);
    folder.write("farlead.toml", "setup = [\"farlead-tests/form/form.test.ltl\"]\n");
    let activity = |args: &[&str]| {
        let studio = Studio::start(&folder, &[&["--app", "forms.app"], args].concat(), |_| {});
        let view = ask(&mut studio.socket(), r#"{"id":1,"do":"view"}"#);
        view["result"]["screen"]["activity"].as_str().expect("an activity").to_string()
    };
    assert_eq!(activity(&[]), "org.example.Form");
    assert_eq!(activity(&["--no-setup"]), "org.example.Main");
}

#[test]
fn each_state_of_the_page_looks_as_it_did() {
    if !has_chrome() {
        return;
    }
    let (folder, _) = with_test("studio-looks");
    let long = "A button with a very long text, ".repeat(12);
    folder.write(
        "long.app",
        &format!(
            "app org.example \"Long\" 1.0\nlaunch Main\nactivity Main .Main {{\n    TextView \"{long}\"\n    \
             Button #go \"{long}\" -> open Main\n}}\n"
        ),
    );
    let studio = Studio::start(&folder, &["--app", "long.app"], |_| {});
    let browser = Browser::open_unconnected(&studio.url);
    browser.wait(
        "document.getElementById('status').textContent.startsWith('This page waits for `farlead studio`')",
    );
    browser.looks_like("loading", "app");
    browser.value("letOpen()");
    browser.wait_for_run();
    browser.wait("!document.getElementById('status').textContent");
    browser.act("Button");
    browser.looks_like("long-texts", "app");
    drop((browser, studio));

    folder.write("walk.app", &forms("Start", "#start", "Form"));
    folder.write("never.ltl", "never \"no form\": F [activity ~ Form]\n");
    let studio = Studio::start(&folder, &["--app", "walk.app"], |_| {});
    let mut socket = studio.socket();
    let mut number = ask(&mut socket, r#"{"id":1,"do":"view"}"#)["result"]["screen"]["number"].clone();
    for step in 0..59 {
        let act = json!({ "id": 2, "do": "act", "screen": number, "offer": step % 2 });
        number = ask(&mut socket, &act.to_string())["result"]["screen"]["number"].clone();
    }
    let browser = Browser::open(&studio.url);
    browser.wait("view.steps.length === 60");
    browser.looks_like("sixty-steps", "run");
    browser.click("start");
    browser.wait("view.steps.length === 1");
    browser.keep("first screen");
    browser.looks_like("found", "work");
    browser.open_file("never.ltl");
    browser.click("check");
    browser.wait("document.querySelector('#results .bad')");
    browser.wait("document.getElementById('progress').textContent.startsWith('It ended')");
    browser.looks_like("failed", "work");
    drop((browser, studio));

    // A device that takes its time, and then is gone.
    let screen = json!({ "screen": { "package": "org.example", "activity": "Main", "widgets": [
        { "class": "Button", "text": "slow", "bounds": [0, 0, 480, 80], "flags": ["clickable", "enabled"] },
        { "class": "Button", "text": "leave", "bounds": [0, 90, 480, 170], "flags": ["clickable", "enabled"] },
        { "class": "TextView", "text": "", "bounds": [0, 180, 480, 800], "flags": [] },
    ] } });
    // It goes on once somebody lets it.
    let program = format!(
        "while read -r line; do case \"$line\" in *leave*) exit 3;; *slow*) while [ ! -e go ]; do /bin/sleep 0.1; done;; esac; echo '{screen}'; done\n"
    );
    folder.write("device.sh", &program);
    let studio = Studio::start(&folder, &["--device", "exec:/bin/sh device.sh"], |_| {});
    let browser = Browser::open(&studio.url);
    browser.press("slow", 0);
    let late = Browser::open(&studio.url);
    // All pages say so, one that is opened now as well.
    for page in [&late, &browser] {
        page.wait(
            "document.getElementById('status').textContent.startsWith('The device has not answered for ')",
        );
    }
    browser.looks_like("busy", "app");
    // The editor goes on meanwhile.
    late.open_file("never.ltl");
    late.fill("text", "F [txt = a]");
    late.wait("document.querySelector('#marked .is-mistake')?.textContent === 'txt'");
    assert_eq!(late.value("view.steps.length"), 1);
    folder.write("go", "");
    browser.wait("view.steps.length === 2 && !document.getElementById('status').textContent");
    browser.press("leave", 0);
    browser.wait("view.is_away");
    browser.looks_like("no-device", "app");
    let said: Value = browser.value("document.getElementById('app-title').textContent");
    assert_eq!(said, "Screen: the device is lost; Start again looks for it");
}
