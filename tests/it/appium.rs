//! Phones behind a real server of Appium with its UiAutomator2 driver: the same runs as in the simulator and through adb.
//!
//! The server drives simulated phones through the real adb. Without the packages of npm the tests are reported and skipped,
//! unless `CI` is `true`.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use farlead::device::adb::Reset;
use farlead::device::sim::apk::{Manifest, pack};
use farlead::device::sim::model::Model;
use farlead::device::webdriver::{self, PhoneApp, PhoneOptions};
use farlead::device::{Device as _, Observation};
use farlead::emulator::adbd;
use farlead::emulator::phone::{AndroidVersion, Phone};
use farlead::gui::{Repertoire, offers};
use farlead::rng::Seed;
use serde_json::json;

use crate::adb::Walk;
use crate::adbd::{Adb, wait_until};
use crate::ci;
use crate::cli::{Ended, command, ended};
use crate::clients::{APPIUM, npm_folder, sdk};
use crate::identity::{self, compare_at};
use crate::phone::{bundled, model_of};
use crate::project::Folder;
use crate::studio::{Studio, ask, heard};

/// A server of Appium, ended when this is dropped, and the adb server that it uses.
struct Appium {
    server: Child,
    address: String,
    adb: Adb,
}

impl Appium {
    fn start(name: &str) -> Option<Appium> {
        let folder = npm_folder(&APPIUM)?;
        let adb = Adb::start(name)?;
        let port = ci::free_port();
        let mut command = adb.for_program("node");
        command.arg(Path::new(&folder).join("node_modules/appium/index.js"));
        command.args(["--address", "127.0.0.1", "--port", &port.to_string(), "--log-level", "error"]);
        command.env("APPIUM_HOME", &folder).env("ANDROID_HOME", sdk(&adb));
        let server = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("node runs");
        wait_until("a server of Appium", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(Appium { server, address: format!("http://127.0.0.1:{port}"), adb })
    }

    /// Returns a phone with the app in a session of this server.
    fn open(&self, wired: &Wired, model: &Model, pause: Duration) -> webdriver::Phone {
        let app = PhoneApp { package: model.package.to_string(), ..PhoneApp::default() };
        let server =
            webdriver::Options { capabilities: self.capabilities(&wired.serial), ..Default::default() };
        let options = PhoneOptions { server, pause, ..PhoneOptions::default() };
        webdriver::Phone::open(&self.address, &app, options).expect("a phone")
    }

    fn capabilities(&self, serial: &str) -> serde_json::Value {
        json!({ "appium:udid": serial, "appium:adbPort": self.adb.port })
    }

    /// Writes a file with the capabilities that mean the phone of this serial number.
    fn file(&self, serial: &str) -> PathBuf {
        let file = self.adb.home.join(format!("{}.json", serial.replace(':', "-")));
        fs::write(&file, self.capabilities(serial).to_string()).expect("a file");
        file
    }

    /// Runs farlead with the phone of this serial number.
    fn farlead(&self, serial: &str, args: &[&str]) -> Ended {
        let file = self.file(serial);
        let mut command = command(args);
        command.args(["--device", &self.address, "--capabilities"]).arg(file);
        ended(&mut command, "")
    }
}

impl Drop for Appium {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A simulated phone that the adb server is connected to.
struct Wired {
    _server: adbd::Server,
    serial: String,
}

impl Wired {
    fn new(adb: &Adb, phone: Phone) -> Wired {
        let address = "127.0.0.1:0".parse().expect("an address");
        let phone = Arc::new(Mutex::new(phone));
        let server = adbd::Server::start(address, phone, adbd::Settings::default()).expect("a port");
        let serial = adb.connect(&server);
        Wired { _server: server, serial }
    }
}

#[test]
fn the_same_runs_look_the_same_through_appium() {
    let Some(appium) = Appium::start("appium-walk") else { return };
    for (model, version, seed) in [
        (bundled("notes.app"), AndroidVersion::V13, 7),
        (bundled("chesswalk.app"), AndroidVersion::V16, 1),
        (model_of(crate::phone::LAMP), AndroidVersion::V8, 3),
        (model_of(crate::phone::LAMP), AndroidVersion::V13, 4),
    ] {
        let texts = ["ab", "4 2", "", "it's 100%s", "na\u{ef}ve", "C:\\n"];
        let repertoire = Repertoire::new(texts, &[], true);
        let wired = Wired::new(&appium.adb, Phone::new(model.clone(), Seed(seed), version));
        let mut phone = appium.open(&wired, &model, Duration::ZERO);
        let repertoire = Repertoire { capabilities: phone.capabilities(), ..repertoire };
        let walk = Walk { version, repertoire, episodes: 2, steps: 25, ..Walk::new(model) };
        assert_eq!(walk.go(seed, &mut phone).1, [""; 0]);
    }
}

/// Specs of the lamp that take a text, a log, a rotation, a dialog of the system and a dark display.
const SPECS: &str = "possible \"a text is kept\" within 3 steps, 50 episodes:
    X ([actionType = text] & [actionDetail = milk] & F [text ~ kept: milk])
possible \"it crashes\" within 4 steps, 50 episodes: F [crashed = true]
possible \"it hangs on its side\" within 5 steps, 50 episodes: F ([orientation = landscape] & F [anr = true])
possible \"it sleeps\" within 4 steps, 50 episodes: F ([activity ~ Second] & F [screen = off])
";

#[test]
fn a_check_finds_the_same_tests_through_appium_as_through_adb() {
    let Some(appium) = Appium::start("appium-check") else { return };
    let (app, specs) = (appium.adb.home.join("lamp.app"), appium.adb.home.join("lamp.ltl"));
    fs::write(&app, crate::phone::LAMP).expect("a file");
    fs::write(&specs, SPECS).expect("a file");
    let [app, specs] = [&app, &specs].map(|path| path.to_str().expect("a path"));
    // The app is installed from its APK, by adb or by the driver.
    let other = appium.adb.home.join("other.app");
    fs::write(
        &other,
        "app org.other \"Other\" 1.0\nlaunch Main\nactivity Main .Main { TextView \"other\" }\n",
    )
    .expect("a file");
    let other = other.to_str().expect("a path");
    let phones = [(); 2].map(|()| identity::Phone::start(&appium.adb, other, &[]));
    let by_adb = compare_at(&appium.adb, (&[specs], app), "1", &phones[0].serial, &[]);
    let file = appium.file(&phones[1].serial);
    let more = ["--capabilities", file.to_str().expect("a path")];
    let by_appium = compare_at(&appium.adb, (&[specs], app), "1", &appium.address, &more);
    assert_eq!((by_adb, by_appium), (4, 4));
}

#[test]
fn an_app_keeps_what_it_has_stored_unless_it_is_cleared_or_installed_anew() {
    let Some(appium) = Appium::start("appium-reset") else { return };
    let model = model_of(crate::phone::LAMP);
    let apk = appium.adb.home.join("lamp.apk");
    fs::write(&apk, pack(&Manifest::of(&model), crate::phone::LAMP).expect("an apk")).expect("a file");
    for (reset, expected) in
        [(Reset::Restart, "kept: milk"), (Reset::Clear, "kept: nothing"), (Reset::Reinstall, "kept: nothing")]
    {
        let wired = Wired::new(&appium.adb, Phone::new(model.clone(), Seed(1), AndroidVersion::V13));
        let app = PhoneApp {
            package: model.package.to_string(),
            launchable: vec!["org.lamp.Main".to_string()],
            apks: vec![apk.clone()],
            ..PhoneApp::default()
        };
        let capabilities = appium.capabilities(&wired.serial);
        let server = webdriver::Options { capabilities, ..Default::default() };
        let options = PhoneOptions { server, reset, ..PhoneOptions::default() };
        let mut phone = webdriver::Phone::open(&appium.address, &app, options).expect("a phone");
        let mut seen = phone.reset("org.lamp.Main").expect("a screen");
        for name in ["text \"milk\"", "click \"keep\""] {
            let offered = offers(&seen.screen, &Repertoire::new(["milk"], &[], false));
            let action = offered.iter().find(|action| action.to_string().starts_with(name));
            seen = phone.act(action.expect("an offer")).expect("a screen");
        }
        let texts = |seen: &Observation| {
            let shown = seen.screen.widgets().iter().find(|widget| widget.text.starts_with("kept: "));
            shown.map(|widget| widget.text.to_string())
        };
        assert_eq!(texts(&seen).as_deref(), Some("kept: milk"));
        let again = phone.reset("org.lamp.Main").expect("a screen");
        assert_eq!(texts(&again).as_deref(), Some(expected), "{reset:?}");
        assert!(phone.picture().is_some());
        let refused = phone.reset("org.lamp.Other").expect_err("no such activity");
        assert!(!refused.is_lost() && refused.to_string().ends_with("there is `org.lamp.Main`"), "{refused}");
    }
}

#[test]
fn the_studio_leads_a_phone_behind_appium_and_gives_it_to_a_command() {
    let Some(appium) = Appium::start("appium-studio") else { return };
    let phone = identity::Phone::start(&appium.adb, "apps/notes.app", &[]);
    let capabilities = appium.file(&phone.serial);
    let folder = Folder::new("appium-studio");
    folder.write("menu.ltl", "possible \"menu\": F [id = fab_sketch]\n");
    let args =
        ["--package", "org.secuso.privacyfriendlynotes", "--device", &appium.address, "--capabilities"];
    let studio =
        Studio::start(&folder, &[&args[..], &[capabilities.to_str().expect("a path")]].concat(), |_| {});
    let mut socket = studio.socket();
    let view = ask(&mut socket, r#"{"id":1,"do":"view"}"#)["result"].clone();
    let offers = view["screen"]["offers"].as_array().expect("offers");
    let offer = offers.iter().position(|offer| offer["label"] == "click \"OKAY\"").expect("an offer");
    let act = json!({ "id": 2, "do": "act", "screen": view["screen"]["number"], "offer": offer });
    assert_eq!(ask(&mut socket, &act.to_string())["result"]["steps"].as_array().map(Vec::len), Some(2));
    // Nobody follows a hand through Appium, and the page is told so.
    let hello = ask(&mut socket, r#"{"id":3,"do":"hello","version":2}"#);
    assert_eq!(hello["result"]["follow"]["can"], false);
    ask(&mut socket, r#"{"id":4,"do":"check","file":"menu.ltl"}"#);
    let ended = heard(&mut socket, "ended");
    assert_eq!((&ended["code"], &ended["lost"]), (&json!(0), &json!(null)), "{ended}");
    let view = ask(&mut socket, r#"{"id":5,"do":"view"}"#)["result"].clone();
    assert_eq!((&view["is_away"], view["steps"].as_array().map(Vec::len)), (&json!(false), Some(2)));
}

#[test]
fn what_keeps_appium_from_a_phone_is_said() {
    let Some(mut appium) = Appium::start("appium-errors") else { return };
    let spec = "specs/chesswalk/sleep.ltl";
    let phone = identity::Phone::start(&appium.adb, "apps/chesswalk.app", &[]);
    let serial = phone.serial.clone();
    let looked = appium.farlead(&serial, &["look"]);
    assert_eq!((looked.code, &*looked.stderr), (0, ""));
    assert!(looked.stdout.starts_with("com.android.launcher2.Launcher: "), "{}", looked.stdout);
    let missing = appium.farlead(&serial, &["check", spec, "--package", "org.nosuch"]);
    assert_eq!((missing.code, &*missing.stdout), (4, ""));
    assert!(
        missing.stderr.contains("Unable to resolve the launchable activity of 'org.nosuch'"),
        "{}",
        missing.stderr
    );
    let healthy = ended(&mut command(&["doctor", "--device", &appium.address]), "");
    let expected = "ok       server: answers, version 3.8.0: The server is ready to accept new connections\n";
    assert_eq!((healthy.code, &*healthy.stdout), (0, expected));
    // Nothing is left on the phone but the driver's own apps, and nobody looks at its screen any more.
    let dumped = appium.adb.text(&["-s", &serial, "shell", "uiautomator dump"]);
    assert_eq!(dumped, "UI hierchary dumped to: /sdcard/window_dump.xml\n");
    let out = appium.adb.home.join("out");
    let mut check = command(&["check", "specs/chesswalk", "--package", "cz.hejl.chesswalk"]);
    check.args(["--device", &appium.address, "--capabilities"]).arg(appium.file(&serial));
    check.arg("--out").arg(&out).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = check.spawn().expect("farlead runs");
    let devices = out.join(".farlead/runs/0001/devices");
    wait_until("a first step", || fs::read_dir(&devices).is_ok_and(|mut found| found.next().is_some()));
    appium.server.kill().expect("a server");
    let lost = child.wait_with_output().expect("it ends");
    let said = [lost.stdout, lost.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert_eq!(lost.status.code(), Some(4), "{said}");
    assert!(said.contains(&format!("no answer from the WebDriver server at {}", appium.address)), "{said}");
    let gone = appium.farlead(&serial, &["look"]);
    assert_eq!((gone.code, &*gone.stdout), (4, ""));
    let doctor = ended(&mut command(&["doctor", "--device", &appium.address]), "");
    assert!(doctor.code == 4 && doctor.stdout.starts_with("error    server: no answer"), "{}", doctor.stdout);
}

#[test]
fn choices_of_adb_and_browsers_are_refused_for_a_phone_behind_appium() {
    let check = ["check", "specs/chesswalk/sleep.ltl", "--package", "cz.hejl.chesswalk"];
    let server = ["--device", "http://127.0.0.1:9"];
    for (more, expected) in [
        (
            [&server[..], &["--u2", "u2.jar"]].concat(),
            "`--u2` is for devices that adb reaches, and `--device http://127.0.0.1:9` is a server of Appium",
        ),
        (
            [&server[..], &["--record-adb", "a.jsonl"]].concat(),
            "`--record-adb` is for devices that adb reaches",
        ),
        (vec!["--device", "chrome"], "`--device chrome` is a browser, and shows pages"),
    ] {
        let refused = ended(&mut command(&[&check[..], &more].concat()), "");
        assert_eq!((refused.code, &*refused.stdout), (2, ""), "{}", refused.stderr);
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
}

#[test]
fn capabilities_are_refused_where_no_device_is_asked_for_any() {
    let check = ["check", "specs/chesswalk/sleep.ltl"];
    let (app, phone) = (["--app", "apps/chesswalk.app"], ["--package", "cz.hejl.chesswalk"]);
    for (args, device) in [
        ([&check[..], &app].concat(), "no `--device` names one"),
        ([&check[..], &app, &["--device", "sim"]].concat(), "`--device sim` is none"),
        ([&check[..], &phone, &["--device", "emulator-5554"]].concat(), "`--device emulator-5554` is none"),
        ([&check[..], &["--device", "exec:./device"]].concat(), "`--device exec:./device` is none"),
        ([&["look"][..], &app].concat(), "no `--device` names one"),
        (vec!["look", "--device", "emulator-5554"], "`--device emulator-5554` is none"),
    ] {
        let refused = ended(&mut command(&[&args[..], &["--capabilities", "none.json"]].concat()), "");
        assert_eq!((refused.code, &*refused.stdout), (2, ""), "{}", refused.stderr);
        let expected = format!(
            "`--capabilities none.json` is for a browser or a server of Appium, and {device}; leave it out, or name one, like \
             `--device http://127.0.0.1:4723`"
        );
        assert!(refused.stderr.contains(&expected), "{}", refused.stderr);
    }
}

#[test]
fn capabilities_of_the_project_are_left_out_where_the_command_line_names_another_device() {
    let folder = Folder::new("capabilities-of-project");
    folder.write(
        "farlead.toml",
        "package = \"org.example\"\ndevice = \"http://127.0.0.1:9\"\ncapabilities = \"none.json\"\n",
    );
    folder.write("a.ltl", "possible \"a\": F [activity ~ About]\n");
    let own = folder.run(&["check", "a.ltl"]);
    assert!(own.code == 3 && own.stderr.contains("cannot read none.json"), "{}", own.stderr);
    let app = format!("{}/apps/chesswalk.app", env!("CARGO_MANIFEST_DIR"));
    folder.done(0, &["check", "a.ltl", "--app", &app]);
}
