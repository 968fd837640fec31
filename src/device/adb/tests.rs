//! Settling of screens, on a phone that shows what a test asks for.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Adb, Answer, Jar, Line, LineError, Options};
use crate::device::{Device as _, Notice};
use crate::gui::Action;

/// The focused window and the dump after a number of dumps; the first dump has number 1.
type Shown = fn(usize) -> (&'static str, String);

/// A phone that answers looks.
struct Fake {
    shown: Shown,
    /// The property that says if its time is virtual.
    time: &'static str,
    /// Number of dumps, and of shell commands that contained them.
    counts: Arc<Mutex<(usize, usize)>>,
    /// The taps, in order.
    taps: Arc<Mutex<Vec<String>>>,
}

/// Returns a dump as uiautomator2's server sends it; nothing for an empty dump.
fn served(dump: &str) -> String {
    let body = serde_json::json!({"jsonrpc": "2.0", "id": 1, "result": dump}).to_string();
    if dump.is_empty() { String::new() } else { format!("HTTP/1.1 200 OK\r\n\r\n{body}") }
}

impl Line for Fake {
    fn serial(&self) -> &str {
        "fake"
    }

    fn shell(&mut self, command: &str, _: Duration) -> Result<Answer, LineError> {
        let mut counts = self.counts.lock().expect("counts");
        let mut said = String::new();
        counts.1 += usize::from(command.contains("uiautomator dump") || command.contains("u2-dump"));
        for line in command.lines() {
            if let Some(name) = line.strip_prefix("echo; echo '").and_then(|rest| rest.strip_suffix('\'')) {
                said.push_str(&format!("\n{name}\n"));
            } else if line.contains("uiautomator dump") {
                counts.0 += 1;
            } else if line.contains("u2-dump") {
                counts.0 += 1;
                said.push_str(&served(&(self.shown)(counts.0).1));
            } else if line.starts_with("sha256sum ") {
                said.push_str("0\n");
            } else if line.contains("echo yes && break") {
                said.push_str("yes\n");
            } else if line.starts_with("cat ") && line.contains("dump.xml") {
                said.push_str(&(self.shown)(counts.0).1);
            } else if line.starts_with("dumpsys window") {
                // A title of its own is that of a window of the system.
                let title = match (self.shown)(counts.0).0 {
                    title if title.contains([' ', '/']) => title.to_string(),
                    activity => format!("org.lamp/org.lamp.{activity}"),
                };
                said.push_str(&format!("  mCurrentFocus=Window{{1 u0 {title}}}\n"));
            } else if let Some((_, tap)) = line.split_once("input tap ") {
                self.taps.lock().expect("taps").push(tap.to_string());
            } else if line == "getprop ro.farlead.time" {
                said.push_str(self.time);
            } else if line.ends_with("echo yes") {
                said.push_str("yes\n");
            }
        }
        Ok(Answer { stdout: said.into_bytes(), ..Answer::default() })
    }

    fn push(&mut self, _: Arc<[u8]>, _: &str, _: Duration) -> Result<(), LineError> {
        Ok(())
    }

    fn recover(&mut self, _: Duration) -> Result<(), LineError> {
        Ok(())
    }
}

/// Returns the screen seen in the end, or the error; and the number of dumps, and of shell commands.
fn look(shown: Shown, time: &'static str, u2: Option<Jar>) -> (String, usize, usize) {
    let counts = Arc::default();
    let fake = Fake { shown, time, counts: Arc::clone(&counts), taps: Arc::default() };
    let options = Options { u2, pause: Duration::ZERO, looks_max: 8, ..Options::default() };
    let mut adb = Adb::to_look(Box::new(fake), options).expect("a phone");
    let said = match adb.look() {
        Ok(seen) => format!("{} {}", seen.screen.activity(), seen.screen.widgets()[0].text),
        Err(error) => error.to_string(),
    };
    let (dumps, lines) = *counts.lock().expect("counts");
    (said, dumps, lines)
}

#[track_caller]
fn check(shown: Shown, expected: (&str, usize, usize)) {
    let (said, dumps, lines) = look(shown, "", None);
    assert_eq!((&*said, dumps, lines), expected);
}

/// Returns a dump of a button, whose text tells what it does.
fn tree(text: impl std::fmt::Display) -> String {
    format!(
        "<?xml version='1.0'?><hierarchy rotation=\"0\"><node text=\"{text}\" package=\"org.lamp\" clickable=\"true\"/>\
         </hierarchy>"
    )
}

/// Returns a dump of a text that does nothing.
fn label(text: impl std::fmt::Display) -> String {
    tree(text).replace(" clickable=\"true\"", "")
}

/// Returns a letter, so that texts differ in more than digits.
fn letter(number: usize) -> char {
    ('a'..='z').nth(number).expect("a few dumps")
}

#[test]
fn two_dumps_that_agree_are_enough_and_come_in_one_line() {
    check(|_| ("Main", tree("a")), ("org.lamp.Main a", 2, 1));
}

#[test]
fn where_nothing_moves_by_itself_one_dump_is_enough() {
    let (said, dumps, lines) = look(|_| ("Main", tree("a")), "virtual", None);
    assert_eq!((&*said, dumps, lines), ("org.lamp.Main a", 1, 1));
}

#[test]
fn dumps_that_disagree_are_followed_by_others_one_at_a_time() {
    check(|dump| ("Main", tree(if dump < 2 { "a" } else { "b" })), ("org.lamp.Main b", 3, 2));
    check(|dump| ("Main", tree(letter(dump.min(5)))), ("org.lamp.Main f", 6, 5));
}

#[test]
fn what_never_settles_is_taken_as_it_was_last() {
    check(|dump| ("Main", tree(letter(dump))), ("org.lamp.Main j", 9, 8));
}

#[test]
fn a_running_clock_has_settled() {
    check(|dump| ("Main", label(format!("12:0{dump}"))), ("org.lamp.Main 12:02", 2, 1));
    check(|dump| ("Main", tree(dump)), ("org.lamp.Main 9", 9, 8));
}

#[test]
fn a_text_that_moves_has_settled_once_it_is_known_to_move() {
    let shown: Shown = |dump| ("Main", label(letter(dump)));
    check(shown, ("org.lamp.Main d", 3, 2));
    let fake = Fake { shown, time: "", counts: Arc::default(), taps: Arc::default() };
    let counts = Arc::clone(&fake.counts);
    let options = Options { pause: Duration::ZERO, looks_max: 8, ..Options::default() };
    let mut adb = Adb::to_look(Box::new(fake), options).expect("a phone");
    for dumps in [3, 5, 7] {
        adb.look().expect("a screen");
        assert_eq!(counts.lock().expect("counts").0, dumps);
    }
}

#[test]
fn a_dump_that_fails_agrees_with_none() {
    let shown: Shown = |dump| ("Main", if dump == 2 { String::new() } else { tree("a") });
    check(shown, ("org.lamp.Main a", 4, 3));
}

#[test]
fn a_screen_is_another_where_the_focus_is() {
    check(|dump| (if dump < 2 { "Main" } else { "About" }, tree("a")), ("org.lamp.About a", 4, 3));
}

#[test]
fn what_was_clear_once_is_not_taken_for_what_could_not_be_seen_since() {
    let shown: Shown =
        |dump| ("Main", if dump < 7 { tree(letter(dump)) } else { "ERROR: null root node".into() });
    let said = "cannot read the screen of `fake`, 8 looks long: no window is in front: the device says `ERROR: null root \
                node`";
    check(shown, (said, 9, 8));
}

#[track_caller]
fn check_served(shown: Shown, expected: (&str, usize, usize)) {
    let (said, dumps, lines) = look(shown, "", Some(Jar::of_nothing()));
    assert_eq!((&*said, dumps, lines), expected);
}

#[test]
fn a_server_is_asked_in_place_of_a_dump_and_as_often() {
    check_served(|_| ("Main", tree("a")), ("org.lamp.Main a", 2, 1));
    check_served(|dump| ("Main", tree(letter(dump))), ("org.lamp.Main j", 9, 8));
}

#[test]
fn a_server_that_does_not_answer_is_started_again_and_not_for_ever() {
    check_served(
        |dump| ("Main", if dump < 3 { String::new() } else { tree("a") }),
        ("org.lamp.Main a", 4, 3),
    );
    let said = "`fake` does not run the server of u2.jar: uiautomator2's server does not answer; without --u2 it is looked at \
                by `uiautomator dump`";
    check_served(|_| ("Main", String::new()), (said, 4, 3));
}

/// Returns a tree of this many nodes, each inside the one before it.
fn chain(levels: usize) -> String {
    let (open, close) = ("<node text=\"a\" package=\"org.lamp\">".repeat(levels), "</node>".repeat(levels));
    format!("<hierarchy rotation=\"0\">{open}{close}</hierarchy>")
}

#[test]
fn a_tree_that_may_have_been_cut_is_not_taken_for_the_whole() {
    check_served(|_| ("Main", chain(200)), ("org.lamp.Main a", 2, 1));
    let said = "cannot read the screen of `fake`, 8 looks long: its tree is deeper than 200 levels, at which the server of \
                u2.jar ends";
    check_served(|_| ("Main", chain(201)), (said, 9, 8));
    let said = "cannot read the screen of `fake`, 8 looks long: no window is in front";
    check_served(|_| ("Main", chain(0)), (said, 9, 8));
}

/// Returns the screen after an action, its notices, and the taps.
fn act(shown: Shown) -> (String, Vec<String>, Vec<String>) {
    let taps: Arc<Mutex<Vec<String>>> = Arc::default();
    let fake = Fake { shown, time: "virtual", counts: Arc::default(), taps: Arc::clone(&taps) };
    let options = Options { pause: Duration::ZERO, ..Options::default() };
    let mut adb = Adb::to_look(Box::new(fake), options).expect("a phone");
    let seen = adb.act(&Action::BACK).expect("a step");
    let notices = seen.notices.iter().map(|notice| match notice {
        Notice::Prompt(text) => text.to_string(),
        other => panic!("{other:?}"),
    });
    let taps = taps.lock().expect("taps").clone();
    (format!("{} {}", seen.screen.package(), seen.screen.widgets()[0].text), notices.collect(), taps)
}

/// Returns a permission prompt.
fn permission(question: &str) -> String {
    let package = "com.android.permissioncontroller";
    format!(
        "<hierarchy rotation=\"0\"><node text=\"{question}\" package=\"{package}\" bounds=\"[0,0][80,40]\"/><node \
         text=\"Allow\" resource-id=\"{package}:id/permission_allow_button\" enabled=\"true\" package=\"{package}\" \
         bounds=\"[0,40][80,60]\"/></hierarchy>"
    )
}

const GRANT: &str = "com.android.permissioncontroller/com.android.permissioncontroller.Grant";

#[test]
fn prompts_of_the_system_are_answered_one_after_the_other() {
    let (screen, notices, taps) = act(|dump| match dump {
        0 | 1 => (GRANT, permission("Call?")),
        2 => (GRANT, permission("Write?")),
        _ => ("Main", tree("a")),
    });
    assert_eq!(screen, "org.lamp a");
    assert_eq!(notices, ["\"Call?\", answered with \"Allow\"", "\"Write?\", answered with \"Allow\""]);
    assert_eq!(taps, ["40 50", "40 50"]);
}

#[test]
fn a_prompt_that_stays_is_the_screen() {
    let (screen, notices, taps) = act(|_| (GRANT, permission("Call?")));
    assert_eq!(screen, "com.android.permissioncontroller Call?");
    assert_eq!((notices.len(), taps.len()), (1, 1));
    let (screen, notices, taps) =
        act(|dump| (GRANT, permission(if dump % 2 == 0 { "Call?" } else { "Write?" })));
    assert_eq!(screen, "com.android.permissioncontroller Write?");
    assert_eq!((notices.len(), taps.len()), (8, 8));
}

#[test]
fn a_look_answers_no_prompt() {
    check(|_| (GRANT, permission("Call?")), ("com.android.permissioncontroller.Grant Call?", 2, 1));
}

#[test]
fn a_dump_of_several_windows_is_of_the_one_in_front() {
    let shown: Shown = |_| {
        let nodes = "<node text=\"bar\" package=\"com.car\"/><node text=\"a\" package=\"org.lamp\"/>";
        ("Main", format!("<hierarchy rotation=\"0\">{nodes}</hierarchy>"))
    };
    check(shown, ("org.lamp.Main bar", 2, 1));
    let said = "cannot read the screen of `fake`, 8 looks long: `org.lamp` is in front, and the dump is of `com.car`";
    check(|_| ("Main", tree("a").replace("org.lamp", "com.car")), (said, 9, 8));
}
