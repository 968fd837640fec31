//! Attached devices: `devices`, `doctor` and `look` on a simulated phone behind the real adb.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::adbd::Adb;
use crate::cli::{Ended, command, ended, farlead};
use crate::identity::Phone;
use crate::project::Folder;

fn with(adb: &Adb, args: &[&str]) -> Ended {
    let mut command = command(args);
    adb.lend_to(&mut command);
    ended(&mut command, "")
}

#[test]
fn without_adb_one_message_says_what_to_do() {
    for args in
        [&["devices"][..], &["look"], &["check", "specs/chesswalk/about.ltl", "--package", "org.example"]]
    {
        let ended = farlead(args, "");
        assert_eq!((ended.code, ended.stdout.as_str()), (4, ""), "{}", ended.stderr);
        assert!(ended.stderr.contains("install Android's platform-tools"), "{}", ended.stderr);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
    }
    let doctor = farlead(&["doctor"], "");
    assert_eq!(doctor.code, 4);
    assert!(
        doctor.stdout.contains("warning  adb: ") && doctor.stdout.contains("error    adb server: "),
        "{}",
        doctor.stdout
    );
}

#[test]
fn devices_are_listed_and_looked_into() {
    let Some(adb) = Adb::start("attached") else { return };
    let none = with(&adb, &["devices"]);
    assert_eq!(none.code, 4);
    assert!(none.stdout.starts_with("no device is connected; "), "{}", none.stdout);
    let none = with(&adb, &["doctor"]);
    assert!(
        none.code == 4 && none.stdout.contains("error    devices: none is connected\n"),
        "{}",
        none.stdout
    );
    let phone = Phone::start(&adb, "apps/notes.app", &[]);
    let listed = with(&adb, &["devices"]);
    assert_eq!((listed.code, listed.stdout), (0, format!("{}  device  Farlead_Sim\n", phone.serial)));
    let listed = with(&adb, &["devices", "--json"]);
    let line: Value = serde_json::from_str(&listed.stdout).expect("a line of JSON");
    assert_eq!((&line["serial"], &line["state"]), (&Value::from(&*phone.serial), &Value::from("device")));
    let healthy = with(&adb, &["doctor", "--json"]);
    assert_eq!(healthy.code, 0, "{}", healthy.stdout);
    for line in healthy.stdout.lines() {
        let finding: Value = serde_json::from_str(line).expect("a line of JSON");
        assert_eq!(finding["state"], "ok", "{line}");
    }
    let other = with(&adb, &["doctor", "--device", "emulator-5554"]);
    assert!(other.code == 4 && other.stdout.contains("there is no `emulator-5554`"), "{}", other.stdout);
    let ill = Phone::start(&adb, "apps/notes.app", &["--faults", "null-root=1"]);
    let doctor = with(&adb, &["doctor", "--device", &ill.serial]);
    assert!(doctor.code == 4 && doctor.stdout.contains("its screen cannot be read"), "{}", doctor.stdout);
    let two = with(&adb, &["look"]);
    assert!(two.code == 4 && two.stderr.contains("2 devices are connected"), "{}", two.stderr);
}

#[test]
fn a_report_of_doctor_takes_the_place_of_its_device() {
    let Some(adb) = Adb::start("reported") else { return };
    let folder = Folder::new("doctor-report");
    folder.write("farlead.toml", "texts = [\"${HINT}\"]\n");
    let path = folder.path("phone.jsonl");
    let (path, strict) = (path.to_str().expect("a path"), format!("replay:{}", path.display()));
    let in_folder = |args: &[&str]| {
        let mut command = command(args);
        adb.lend_to(&mut command);
        ended(command.current_dir(folder.path("")).env("HINT", "View Help"), "")
    };
    let report = ["doctor", "--report", path];
    let none = in_folder(&report);
    assert_eq!(none.code, 4);
    assert!(none.stdout.contains("error    report: there is none: no device was asked\n"), "{}", none.stdout);
    assert!(!Path::new(path).exists());
    let phone = Phone::start(&adb, "apps/notes.app", &[]);
    adb.text(&[
        "-s",
        &phone.serial,
        "shell",
        "am start -W -n org.secuso.privacyfriendlynotes/.SplashActivity",
    ]);
    let made = in_folder(&report);
    assert_eq!(made.code, 0, "{}{}", made.stdout, made.stderr);
    assert!(
        made.stdout.contains("ok       report: ") && made.stdout.contains("read it before you send it: "),
        "{}",
        made.stdout
    );
    let text = folder.read("phone.jsonl");
    let head: Value = serde_json::from_str(text.lines().next().expect("a head")).expect("JSON");
    assert_eq!(
        (&head["serial"], &head["about"]["farlead"]),
        (&phone.serial.as_str().into(), &env!("CARGO_PKG_VERSION").into())
    );
    assert!(head["about"]["system"].is_string() && head["about"]["adb server"].is_string(), "{head}");
    assert!(text.contains("uiautomator dump /dev/tty") && text.contains("dumpsys window"), "{text}");
    assert!(text.contains("OKAY") && text.contains("${HINT}") && !text.contains("View Help"), "{text}");
    let refused = in_folder(&report);
    assert!(
        refused.code == 3 && refused.stderr.contains("it is there already; give another file"),
        "{}",
        refused.stderr
    );
    let other = Phone::start(&adb, "apps/notes.app", &[]);
    let two = in_folder(&["doctor", "--report", "other.jsonl"]);
    assert!(
        two.code == 4 && two.stdout.contains("a report is of one device, and 2 are connected: "),
        "{}",
        two.stdout
    );
    drop((phone, other));
    // Without the device, nor adb.
    let findings = |stdout: &str, serial: &str| -> Vec<String> {
        // The time of the answer is another.
        let lines = stdout.lines().filter(|line| line.contains(serial)).map(|line| {
            line.split(", ").next().unwrap_or(line).split(" in ").next().unwrap_or(line).to_string()
        });
        lines.filter(|line| !line.contains("farlead look")).collect()
    };
    let again = farlead(&["doctor", "--device", &strict], "");
    let serial = head["serial"].as_str().expect("a text");
    assert_eq!(
        (again.code, findings(&again.stdout, serial)),
        (0, findings(&made.stdout, serial)),
        "{}",
        again.stderr
    );
    let nearest = format!("replay-nearest:{path}");
    let looked = farlead(&["look", "--device", &nearest], "");
    assert!(
        looked.code == 0 && looked.stdout.contains("actionDetail = OKAY"),
        "{}{}",
        looked.stdout,
        looked.stderr
    );
    let missing = farlead(&["doctor", "--device", "replay:none.jsonl"], "");
    assert!(missing.code == 3 && missing.stderr.contains("cannot read none.jsonl: "), "{}", missing.stderr);
}

#[test]
fn what_a_device_shows_is_looked_at_and_left_as_it_is() {
    let Some(adb) = Adb::start("looked") else { return };
    let phone = Phone::start(&adb, "apps/notes.app", &[]);
    let on_phone = |line: &str| adb.text(&["-s", &phone.serial, "shell", line]);
    on_phone("am start -W -n org.secuso.privacyfriendlynotes/.SplashActivity");
    let state =
        "dumpsys window | grep mFocusedApp; settings list system; settings list global; ls /data/local/tmp";
    let before = on_phone(state);
    let looked = with(&adb, &["look", "--json"]);
    assert_eq!(looked.code, 0, "{}", looked.stderr);
    let screen: Value = serde_json::from_str(&looked.stdout).expect("one JSON object");
    assert_eq!(screen["package"], "org.secuso.privacyfriendlynotes");
    assert_eq!(screen["activity"], "org.secuso.privacyfriendlynotes.MainActivity");
    let dumped = on_phone("uiautomator dump /dev/tty");
    assert_eq!(screen["widgets"], dumped.matches("<node ").count());
    let words = with(&adb, &["look", "--device", &phone.serial]);
    assert!(words.stdout.contains("\n  [actionType = click, actionDetail = OKAY]"), "{}", words.stdout);
    assert_eq!(on_phone(state), before);
}

#[test]
fn a_device_that_is_watched_is_told_of_whenever_it_changes() {
    let Some(adb) = Adb::start("watched") else { return };
    let phone = Phone::start(&adb, "apps/notes.app", &[]);
    let on_phone = |line: &str| adb.text(&["-s", &phone.serial, "shell", line]);
    let mut command = command(&["look", "--watch", "--json"]);
    adb.lend_to(&mut command);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || -> Value {
        let line = lines.next().expect("a line").expect("text");
        serde_json::from_str(&line).expect("a JSON object")
    };
    assert_eq!(next()["package"], "com.android.launcher");
    on_phone("am start -W -n org.secuso.privacyfriendlynotes/.SplashActivity");
    assert_eq!(next()["package"], "org.secuso.privacyfriendlynotes");
    on_phone("input keyevent 3");
    assert_eq!(next()["package"], "com.android.launcher");
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}
