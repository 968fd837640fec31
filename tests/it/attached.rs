//! Attached devices: `devices`, `doctor` and `look` on a simulated phone behind the real adb.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use farlead::event::Event;
use farlead::gui::Flags;
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

/// An app that shows a password's letters in a label, and the password field itself.
const SAFE: &str = "\
app org.example.safe \"Safe\" 1.0
launch Main
stored secret = \"\"
activity Main .Main {
    own word = \"\"
    TextView (secret ? \"Your password is {secret}!\" : \"Please log in\")
    EditText #word hint \"Password\" edits word password
    Button #login \"Log in\" -> secret = word
    TextView \"No letters of it\"
}
";

/// The colours of a PNG, with its width.
fn colours(png: &[u8]) -> (Vec<[u8; 3]>, usize) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut bytes).expect("a picture");
    let width = reader.info().width as usize;
    (bytes.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(), width)
}

#[test]
fn a_page_has_pictures_of_the_display_on_which_passwords_and_secrets_are_black() {
    let Some(adb) = Adb::start("pictured") else { return };
    let folder = Folder::new("pictured");
    folder.write("safe.app", SAFE);
    let spec = "possible \"greeted\" within 4 steps: F [text = \"Your password is ${PASSWORD}!\"]\n";
    folder.write("safe.ltl", spec);
    let phone = Phone::start(&adb, folder.path("safe.app").to_str().expect("a path"), &[]);
    let rules = "[[rule]]\ntype = '${PASSWORD}'\ninto = '[id = word]'\n";
    folder.write("farlead.toml", rules);
    let with = |args: &[&str]| {
        let mut command = command(args);
        adb.lend_to(&mut command);
        let ended = ended(command.current_dir(folder.path("")).env("PASSWORD", "hunter2"), "");
        assert_eq!(ended.code, 0, "{}{}", ended.stdout, ended.stderr);
    };
    let pictures = |page: &str| folder.read(page).matches("data:image/png;base64,").count();
    let app = ["--package", "org.example.safe", "--device", &phone.serial];
    with(&[&["check", "safe.ltl", "--html", "check.html"], &app[..]].concat());
    let (mut screens, mut pictured) = (Vec::new(), 0);
    for line in folder.read(".farlead/runs/0001/events.jsonl").lines() {
        match serde_json::from_str(line).expect("an event") {
            Event::ScreenMet { seen, .. } => screens.push(seen),
            Event::ScreenPictured { screen, picture } => {
                pictured += 1;
                let (colours, width) = colours(picture.png());
                let height = colours.len() / width;
                let display = picture.display();
                let mut blacked = 0;
                for widget in screens[screen].widgets().iter().filter(|widget| !widget.text.is_empty()) {
                    // The middle line of the widget, well within its edges.
                    let y =
                        (widget.bounds.top + widget.bounds.bottom) as usize / 2 * height / display.1 as usize;
                    let at = |x: i32| x as usize * width / display.0 as usize;
                    let (left, right) = (at(widget.bounds.left), at(widget.bounds.right));
                    let is_black =
                        colours[y * width + left..y * width + right].iter().all(|pixel| *pixel == [0; 3]);
                    let is_secret = widget.flags.has(Flags::PASSWORD) || widget.text.contains("${");
                    assert_eq!(is_black, is_secret, "{:?} on screen {screen}", widget.text);
                    blacked += u32::from(is_black);
                }
                assert_eq!(
                    blacked > 0,
                    screens[screen].widgets().iter().any(|widget| widget.text.contains("${"))
                );
            }
            _ => {}
        }
    }
    // A dump hides what a password field holds, so the start and the step that types are one screen.
    assert_eq!((pictured, pictures("check.html")), (2, 2));
    with(&["report", ".farlead/runs/0001", "--html", "report.html"]);
    assert_eq!(pictures("report.html"), 2);
    let kept = "farlead-tests/safe/greeted.test.ltl";
    with(&["replay", kept, "--device", &phone.serial, "--html", "replay.html", "--times", "2"]);
    assert_eq!(pictures("replay.html"), 2);
    with(&["replay", kept, "--device", &phone.serial, "--html", "none.html", "--no-screenshots"]);
    assert_eq!(pictures("none.html"), 0);
    folder.write("farlead.toml", &format!("screenshots = false\n{rules}"));
    with(&["replay", kept, "--device", &phone.serial, "--html", "none.html"]);
    assert_eq!(pictures("none.html"), 0);
}
