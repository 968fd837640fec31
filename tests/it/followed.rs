//! Touches made by hand on a phone that the studio follows: a simulated phone behind the real adb, touched as the kernel tells it.

use std::net::TcpStream;
use std::process::Stdio;

use serde_json::{Value, json};
use tungstenite::WebSocket;

use crate::adbd::Adb;
use crate::identity::Phone;
use crate::project::Folder;
use crate::studio::{Studio, ask, heard};

const DEVICE: &str = "/dev/input/event1";

/// Type, code and value.
type Event = (u16, u16, i64);

/// Sends events to the touch screen, with a rest before the last three, which lift the finger.
fn sends(adb: &Adb, serial: &str, events: &[Event], rest: &str) {
    let line = |(kind, code, value): &Event| format!("sendevent {DEVICE} {kind} {code} {value}\n");
    let (down, up) = events.split_at(events.len() - 3);
    let rest = [format!("sleep {rest}\n")];
    let script: String = down.iter().map(line).chain(rest).chain(up.iter().map(line)).collect();
    assert_eq!(adb.text(&["-s", serial, "shell", &script]), "");
}

/// Returns the events of a finger that moves from one place to another.
fn touch(from: (i64, i64), to: (i64, i64)) -> Vec<Event> {
    let place = |(x, y): (i64, i64)| [(3, 53, x), (3, 54, y), (0, 0, 0)];
    let up = [(3, 57, -1), (1, 330, 0), (0, 0, 0)];
    [&[(3, 57, 5), (1, 330, 1)][..], &place(from), &place(to), &up].concat()
}

/// Taps the display of the phone as a hand does.
pub fn tap_by_hand(adb: &Adb, serial: &str, at: (i64, i64)) {
    sends(adb, serial, &touch(at, at), "0.1");
}

/// A studio that follows, and the hand on the phone below it.
struct Hand<'a> {
    adb: &'a Adb,
    serial: String,
    socket: WebSocket<TcpStream>,
    /// The view that came last.
    view: Value,
}

impl<'a> Hand<'a> {
    fn new(adb: &'a Adb, phone: &Phone, studio: &Studio) -> Hand<'a> {
        let mut socket = studio.socket();
        let hello = ask(&mut socket, r#"{"id":1,"do":"hello","version":2}"#);
        assert_eq!(hello["result"]["follow"], json!({ "can": true, "on": false }));
        ask(&mut socket, r#"{"id":2,"do":"follow","on":true}"#);
        let view = ask(&mut socket, r#"{"id":3,"do":"view"}"#)["result"].clone();
        Hand { adb, serial: phone.serial.clone(), socket, view }
    }

    fn sends(&self, events: &[Event], rest: &str) {
        sends(self.adb, &self.serial, events, rest);
    }

    /// Moves a finger from one place to another, and rests before it is lifted.
    fn moves(&mut self, from: (i64, i64), to: (i64, i64), rest: &str) {
        self.sends(&touch(from, to), rest);
    }

    /// Waits until the view is so. A touch that is faster than the studio's look would be sought on a later screen.
    fn waits_until(&mut self, is_so: impl Fn(&Value) -> bool) {
        while !is_so(&self.view) {
            self.view = heard(&mut self.socket, "view")["view"].clone();
        }
    }

    /// Waits until the last step is this one.
    fn waits_for(&mut self, action: &str) {
        self.waits_until(|view| {
            let last = view["steps"].as_array().and_then(|steps| steps.last());
            last.is_some_and(|last| last["action"] == action)
        });
    }

    /// Returns the middle of the widget with the offer of this label.
    fn middle(&self, label: &str) -> (i64, i64) {
        let screen = &self.view["screen"];
        let offers = screen["offers"].as_array().expect("offers");
        let is_it = |offer: &Value| offer["label"].as_str().is_some_and(|one| one.starts_with(label));
        let number = offers.iter().position(is_it).unwrap_or_else(|| panic!("no {label} among {offers:?}"));
        let widgets = screen["widgets"].as_array().expect("widgets");
        let has_it =
            |widget: &&Value| widget["offers"].as_array().is_some_and(|all| all.contains(&json!(number)));
        let widget = widgets.iter().find(has_it).expect("a widget");
        let side = |at: usize| widget["bounds"][at].as_i64().expect("a pixel");
        ((side(0) + side(2)) / 2, (side(1) + side(3)) / 2)
    }

    fn taps(&mut self, label: &str) {
        let at = self.middle(label);
        self.moves(at, at, "0.1");
        self.waits_for(label);
    }

    fn steps(&self) -> Vec<&str> {
        let steps = self.view["steps"].as_array().expect("steps");
        steps.iter().skip(1).map(|step| step["action"].as_str().expect("an action")).collect()
    }
}

/// Keys of the simulated keyboard on a display of 480x800.
const M: (i64, i64) = (440, 680);
const I: (i64, i64) = (360, 520);
const L: (i64, i64) = (450, 600);
const K: (i64, i64) = (400, 600);

#[test]
fn touches_on_the_phone_become_a_run_that_its_draft_is_met_by() {
    let Some(adb) = Adb::start("followed") else { return };
    let phone = Phone::start(&adb, "apps/notes.app", &[]);
    let folder = Folder::new("studio-followed");
    let args = ["--package", "org.secuso.privacyfriendlynotes", "--device", &phone.serial];
    let studio = Studio::start(&folder, &args, |command| adb.lend_to(command));
    let mut hand = Hand::new(&adb, &phone, &studio);
    for label in ["click \"OKAY\"", "click \"+\"", "click #fab_text"] {
        hand.taps(label);
    }
    for key in [M, I, L, K] {
        hand.moves(key, key, "0.1");
    }
    hand.waits_for("text \"milk\" into \"Name\"");
    // The key back puts the keyboard away, which farlead does by itself.
    hand.sends(&[(1, 158, 1), (1, 158, 0), (0, 0, 0)], "0");
    hand.waits_until(|view| !view["screen"]["atoms"].to_string().contains("[keyboard = true]"));
    hand.taps("click \"Save\"");
    let row = hand.middle("longclick \"milk\"");
    hand.moves(row, row, "0.7");
    hand.waits_for("longclick \"milk\"");
    assert_eq!(
        hand.steps(),
        [
            "click \"OKAY\"",
            "click \"+\"",
            "click #fab_text",
            "text \"milk\" into \"Name\"",
            "click \"Save\"",
            "longclick \"milk\""
        ]
    );
    // A place where nothing can be done.
    hand.moves((2, 2), (2, 2), "0.1");
    let told = heard(&mut hand.socket, "touch");
    assert_eq!(told["why"], "The tap at 2, 2 is no step: no widget there offers it.");
    for form in ["a", "b", "c", "scenario"] {
        let draft = json!({ "id": 4, "do": "draft", "form": form });
        let text = ask(&mut hand.socket, &draft.to_string())["result"]["text"].clone();
        let file = if form == "scenario" { "by-hand.feature" } else { "by-hand.ltl" };
        let judge = json!({ "id": 5, "do": "judge", "file": file, "text": text });
        let judged = ask(&mut hand.socket, &judge.to_string());
        assert!(judged["result"]["specs"][0]["at"].is_u64(), "{text}: {judged}");
    }
    // farlead does the same again by itself.
    let again = ask(&mut hand.socket, r#"{"id":6,"do":"back-to","step":6}"#);
    assert_eq!(again["result"]["steps"].as_array().map(Vec::len), Some(7), "{again}");
    ask(&mut hand.socket, r#"{"id":7,"do":"follow","on":false}"#);
    let at = (240, 400);
    hand.moves(at, at, "0.1");
    let view = ask(&mut hand.socket, r#"{"id":8,"do":"view"}"#);
    assert_eq!(view["result"]["steps"].as_array().map(Vec::len), Some(7), "nobody follows any more");
}

#[test]
fn a_phone_that_is_lost_is_followed_no_longer() {
    let Some(adb) = Adb::start("followed-lost") else { return };
    let phone = Phone::start(&adb, "apps/notes.app", &[]);
    let folder = Folder::new("studio-followed-lost");
    let args = ["--package", "org.secuso.privacyfriendlynotes", "--device", &phone.serial];
    let studio = Studio::start(&folder, &args, |command| adb.lend_to(command));
    let mut hand = Hand::new(&adb, &phone, &studio);
    drop(phone);
    let told = heard(&mut hand.socket, "follow");
    let why = told["why"].as_str().unwrap_or_default();
    assert!(told["on"] == false && why.starts_with("touches are followed no longer: "), "{told}");
}

#[test]
fn a_device_without_a_hand_says_so() {
    let folder = Folder::new("studio-followed-not");
    let app = format!("{}/apps/notes.app", env!("CARGO_MANIFEST_DIR"));
    let studio = Studio::start(&folder, &["--app", &app], |command| {
        command.stderr(Stdio::null());
    });
    let mut socket = studio.socket();
    let hello = ask(&mut socket, r#"{"id":1,"do":"hello","version":2}"#);
    assert_eq!(hello["result"]["follow"], json!({ "can": false, "on": false }));
    let refused = ask(&mut socket, r#"{"id":2,"do":"follow","on":true}"#);
    assert_eq!(
        refused["error"],
        "touches can be followed on a phone that adb reaches, and on no other device"
    );
}
