//! A phone over adb behaves like the simulator: both give the same runs and the same observations.
//!
//! Most runs go straight to the simulated phone's shell, without an adb server; some go through a real one,
//! where `adb` is installed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use farlead::device::adb::{
    Adb, Answer, Client, Jar, Line, LineError, Options, Order, Recorder, Recording, Replayed, Reset, Server,
    Subject,
};
use farlead::device::sim::apk::{Manifest, pack};
use farlead::device::sim::model::Model;
use farlead::device::{App, Device, DeviceError, Notice, Observation, Secrets, Sim};
use farlead::emulator::adbd::{self, WireFault};
use farlead::emulator::phone::{AndroidVersion, Faults, Phone};
use farlead::gui::{Action, Bounds, Orientation, Repertoire, Target, Touch, offers};
use farlead::rng::{Rng, Seed};

use crate::phone::{bundled, model_of};
use crate::project::Folder;

/// The shell of a simulated phone, in place of a line to it.
#[derive(Clone)]
pub struct Direct {
    phone: Arc<Mutex<Phone>>,
}

impl Direct {
    pub fn new(phone: Phone) -> Direct {
        Direct { phone: Arc::new(Mutex::new(phone)) }
    }
}

impl Line for Direct {
    fn serial(&self) -> &str {
        "127.0.0.1:15555"
    }

    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError> {
        let mut phone = self.phone.lock().expect("a phone");
        let fault = adbd::Backend::wire_fault(&mut *phone);
        let lost = |stdout: Vec<u8>| LineError::Lost { stdout, why: None };
        match fault {
            Some(WireFault::DropBefore | WireFault::Offline) => return Err(lost(Vec::new())),
            Some(WireFault::DropAmid | WireFault::Stall | WireFault::CloseTwice) | None => {}
        }
        let ran = phone.shell(command, b"");
        match fault {
            Some(WireFault::DropAmid) => Err(lost(ran.stdout[..ran.stdout.len() / 2].to_vec())),
            Some(WireFault::Stall) => {
                Err(LineError::Silent { stdout: Vec::new(), waited_ms: within.as_millis() as u64 })
            }
            Some(WireFault::DropBefore | WireFault::Offline | WireFault::CloseTwice) | None => {
                Ok(Answer { stdout: ran.stdout, stderr: ran.stderr, code: ran.code })
            }
        }
    }

    fn push(&mut self, bytes: Arc<[u8]>, to: &str, _: Duration) -> Result<(), LineError> {
        let mut phone = self.phone.lock().expect("a phone");
        phone.write(to, 0o100_644, 0, &bytes).map_err(|error| LineError::File { why: error.to_string() })
    }

    fn recover(&mut self, _: Duration) -> Result<(), LineError> {
        Ok(())
    }
}

pub fn options() -> Options {
    Options { pause: Duration::ZERO, ..Options::default() }
}

/// A line that accepts everything and answers nothing.
struct Dead {
    /// The time that each question was given.
    asked: Arc<Mutex<Vec<Duration>>>,
}

impl Line for Dead {
    fn serial(&self) -> &str {
        "dead"
    }

    fn shell(&mut self, _: &str, within: Duration) -> Result<Answer, LineError> {
        self.asked.lock().expect("nobody has panicked").push(within);
        Err(LineError::Silent { stdout: Vec::new(), waited_ms: within.as_millis() as u64 })
    }

    fn push(&mut self, _: Arc<[u8]>, _: &str, within: Duration) -> Result<(), LineError> {
        Err(LineError::Silent { stdout: Vec::new(), waited_ms: within.as_millis() as u64 })
    }

    fn recover(&mut self, _: Duration) -> Result<(), LineError> {
        Ok(())
    }
}

#[test]
fn a_phone_that_accepts_and_says_nothing_is_named_after_its_first_question() {
    let asked = Arc::default();
    let line = Dead { asked: Arc::clone(&asked) };
    let opened = Adb::on(Box::new(line), &Subject::Package("org.example".into()), options());
    let said = opened.err().expect("nothing answers").to_string();
    assert!(said.starts_with("`dead`, asking what it is: no answer after "), "{said}");
    let asked = asked.lock().expect("nobody has panicked").clone();
    assert!(asked.iter().sum::<Duration>() <= Duration::from_secs(15), "{asked:?}");
}

pub fn package(model: &Model) -> Subject {
    Subject::Package(model.package.to_string())
}

/// Returns what tells observations apart, besides the time.
fn told(seen: &Observation) -> (String, Vec<Notice>) {
    let screen = serde_json::to_string(&*seen.screen).expect("a screen");
    (screen, seen.notices.iter().map(as_logged).collect())
}

/// Returns a notice as it is in the log of a phone: a hang has a reason.
fn as_logged(notice: &Notice) -> Notice {
    match notice {
        Notice::Anr(reason) if reason.is_empty() => Notice::Anr("Input dispatching timed out".into()),
        Notice::Toast(_) | Notice::Crash(_) | Notice::Anr(_) | Notice::Prompt(_) | Notice::Field(_) => {
            notice.clone()
        }
    }
}

/// The actions done on both devices, and the number of them.
pub struct Walk {
    pub model: Arc<Model>,
    pub version: AndroidVersion,
    pub repertoire: Repertoire,
    pub episodes: usize,
    pub steps: usize,
    pub keeps_keyboard: bool,
}

impl Walk {
    pub fn new(model: Arc<Model>) -> Walk {
        let repertoire = Repertoire::new(["ab", "4 2", "", "it's 100%s"], &[], true);
        Walk {
            model,
            version: AndroidVersion::default(),
            repertoire,
            episodes: 3,
            steps: 30,
            keeps_keyboard: false,
        }
    }

    /// Walks the same random ways on the simulator and on `adb`; an episode ends where `adb` reports that it
    /// cannot go on. Returns the number of steps, and the messages.
    pub fn go(&self, seed: u64, adb: &mut dyn Device) -> (usize, Vec<String>) {
        let (mut steps, mut said) = (0, Vec::new());
        let mut sim = Sim::new(self.model.clone(), Seed(seed));
        sim.keep_keyboard(self.keeps_keyboard);
        adb.keep_keyboard(self.keeps_keyboard);
        let mut chance = Seed(seed).fork("walk");
        // A phone tells which activities can be launched, and not which there are; a driver does not tell the version.
        let version = adb.app().version.clone();
        let known = App { activities: Vec::new(), version, ..sim.app().clone() };
        assert_eq!(*adb.app(), known);
        for episode in 0..self.episodes {
            let launchable = sim.app().launchable.clone();
            let activity = launchable[chance.below(launchable.len())].clone();
            let mut seen = sim.reset(&activity).expect("a first screen");
            let mut way = format!("seed {seed}, episode {episode}: start {activity}");
            let mut is_alike = |found: Result<Observation, DeviceError>, seen: &Observation, way: &str| {
                steps += 1;
                found.map(|found| compare(&found, seen, way)).map_err(|error| said.push(error.to_string()))
            };
            if is_alike(adb.reset(&activity), &seen, &way).is_err() {
                continue;
            }
            for _ in 0..self.steps {
                let action = chosen(&seen, &self.repertoire, &mut chance);
                way.push_str(&format!("\n{action}"));
                seen = sim.act(&action).expect("the model goes on");
                if is_alike(adb.act(&action), &seen, &way).is_err() {
                    break;
                }
            }
        }
        (steps, said)
    }

    fn go_directly(&self, seeds: std::ops::Range<u64>) {
        for seed in seeds {
            let phone = Phone::new(self.model.clone(), Seed(seed), self.version);
            let line = Box::new(Direct::new(phone));
            let mut adb = Adb::on(line, &package(&self.model), options()).expect("a phone");
            assert_eq!(self.go(seed, &mut adb).1, [""; 0]);
        }
    }
}

fn chosen(seen: &Observation, repertoire: &Repertoire, chance: &mut Rng) -> Action {
    let offered = offers(&seen.screen, repertoire);
    offered[chance.below(offered.len())].clone()
}

#[track_caller]
fn compare(found: &Observation, expected: &Observation, way: &str) {
    let (found, expected) = (told(found), told(expected));
    if found.0 != expected.0 {
        let parts = found.0.split('{').zip(expected.0.split('{'));
        let (one, other) = parts.into_iter().find(|(one, other)| one != other).unwrap_or_default();
        panic!("{one}\nin place of {other}\nafter {way}");
    }
    assert_eq!(found.1, expected.1, "after {way}");
}

#[test]
fn the_same_runs_look_the_same_by_adb_and_in_the_simulator() {
    Walk::new(bundled("notes.app")).go_directly(0..6);
    Walk::new(bundled("chesswalk.app")).go_directly(0..6);
}

#[test]
fn an_app_that_crashes_hangs_and_asks_looks_the_same() {
    Walk::new(model_of(crate::phone::LAMP)).go_directly(0..20);
}

/// An app with a crash at each place where an effect can stand, three of them without a message.
const FRAGILE: &str = r#"app org.fragile "Fragile" 1.0
launch Main
session n = 0
activity Main .Main {
    on resume: n += 1
    Button "one" -> crash "java.lang.IllegalStateException: row {n}"
    Button "two" -> { if n > 3 { crash "java.lang.IllegalStateException" } else { crash "java.lang.IllegalStateException" } }
    Button "three" -> fall()
    Button "four" -> show Ask
    Button "five" -> open Next
    Button "six" -> { crash "a.b.C: x\nat org.fragile.Main$3.run(Main.java:{n})\nat android.os.Looper.loop(L.java:1)\nCaused by: d.E\nat org.fragile.deep.In.lambda$x$4(In.java:2)" }
    use row
}
activity Next .deep.Next { on create: { if n == 5 { crash "" } } Button "seven" -> { crash "no disk"; crash "never" } use row }
dialog Ask { Button "eight" -> crash "no disk" }
part row { Button "nine" -> crash "no disk" }
def fall() { crash "NullPointerException" }
"#;

#[test]
fn each_place_of_a_model_that_crashes_has_an_identity_and_the_same_through_adb() {
    let model = model_of(FRAGILE);
    Walk { episodes: 10, ..Walk::new(model.clone()) }.go_directly(0..6);
    let mut sim = Sim::new(model, Seed(1));
    let mut met = std::collections::BTreeMap::new();
    let mut chance = Seed(1).fork("walk");
    for _ in 0..300 {
        let mut seen = sim.reset("org.fragile.Main").expect("a screen");
        for _ in 0..12 {
            let clicks = offers(&seen.screen, &Repertoire::default());
            let action = clicks[chance.below(clicks.len())].clone();
            let detail = action.detail().to_string();
            seen = sim.act(&action).expect("a screen");
            assert_eq!(seen.screen.crash().is_some(), seen.screen.context().crashed);
            if let Some(crash) = seen.screen.crash().filter(|_| !seen.notices.is_empty()) {
                met.entry(crash.to_string()).or_insert_with(std::collections::BTreeSet::new).insert(detail);
            }
        }
    }
    let found: Vec<(&str, Vec<&str>)> = met
        .iter()
        .map(|(crash, details)| (&**crash, details.iter().map(|detail| &**detail).collect()))
        .collect();
    let expected = [
        ("NullPointerException at org.fragile.Defs.fall", vec!["three"]),
        ("d.E at org.fragile.deep.In.lambda$x$", vec!["six"]),
        ("java.lang.IllegalStateException at org.fragile.Main.crash", vec!["one"]),
        ("java.lang.IllegalStateException at org.fragile.Main.crash-2", vec!["two"]),
        ("java.lang.IllegalStateException at org.fragile.Main.crash-3", vec!["two"]),
        ("java.lang.RuntimeException at org.fragile.deep.Next.crash", vec!["five"]),
        ("org.fragile.Ask.crash", vec!["eight"]),
        ("org.fragile.Parts.row", vec!["nine"]),
        ("org.fragile.deep.Next.crash-2", vec!["seven"]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn every_version_says_the_same_in_its_own_words() {
    for version in AndroidVersion::ALL {
        Walk { version, ..Walk::new(model_of(crate::phone::LAMP)) }.go_directly(0..2);
    }
}

/// Checks, with one fault a fifth of the time, that every observation is right or missing with a message.
fn go_with(faults: &str, seeds: std::ops::Range<u64>) -> (usize, Vec<String>) {
    let (mut steps, mut said) = (0, Vec::new());
    let walk = Walk { episodes: 4, ..Walk::new(model_of(crate::phone::LAMP)) };
    for seed in seeds {
        let chosen = Faults::parse(faults, Seed(seed)).expect("faults");
        let phone = Phone::new(walk.model.clone(), Seed(seed), walk.version).with_faults(chosen);
        match Adb::on(Box::new(Direct::new(phone)), &package(&walk.model), options()) {
            Err(error) => said.push(error.to_string()),
            Ok(mut adb) => {
                let (went, heard) = walk.go(seed, &mut adb);
                steps += went;
                said.extend(heard);
            }
        }
    }
    (steps, said)
}

#[test]
fn whatever_goes_wrong_what_is_seen_is_right_or_not_said_to_be_seen() {
    let names =
        ["drop", "stall", "offline", "no-idle", "null-root", "truncated", "wrong-focus", "double-close"];
    for name in names {
        let (steps, said) = go_with(&format!("{name}=20%"), 0..5);
        // Most faults are overcome: the action is asked for again, and done once.
        assert!(steps > 500 && said.len() <= 1, "{name}: {} of {steps}: {said:?}", said.len());
    }
    let (steps, said) = go_with("all=20%", 0..10);
    assert!(steps > 30 && !said.is_empty(), "{steps}");
    for line in said {
        let is_honest =
            ["cannot read the screen of", "ended in the middle of", "the connection ended", "no answer"];
        assert!(is_honest.iter().any(|part| line.contains(part)), "{line}");
    }
}

#[test]
fn what_was_changed_is_put_back() {
    let line = Direct::new(Phone::new(model_of(crate::phone::LAMP), Seed(1), AndroidVersion::V13));
    let said = |command: &str| {
        let ran = line.phone.lock().expect("a phone").shell(command, b"");
        String::from_utf8(ran.stdout).expect("a text")
    };
    said("settings delete global animator_duration_scale");
    let state =
        "settings list system; settings list global; ls /data/local/tmp; cmd connectivity airplane-mode";
    let before = said(state);
    let mut adb =
        Adb::on(Box::new(line.clone()), &package(&model_of(crate::phone::LAMP)), options()).expect("a phone");
    let activity = adb.app().launchable[0].clone();
    adb.reset(&activity).expect("a screen");
    for action in [Action::ROTATE, Action::NETWORK, Action::IDLE] {
        adb.act(&action).expect("a screen");
    }
    assert_ne!(said(state), before);
    adb.restore().expect("all is put back");
    assert_eq!(said(state), before);
    drop(adb);
    assert_eq!(said(state), before);
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_done() {
    let line = Direct::new(Phone::new(model_of(crate::phone::LAMP), Seed(1), AndroidVersion::V13));
    let mut adb =
        Adb::on(Box::new(line), &package(&model_of(crate::phone::LAMP)), options()).expect("a phone");
    let activity = adb.app().launchable[0].clone();
    let seen = adb.reset(&activity).expect("a screen");
    let typed = offers(&seen.screen, &Repertoire::new(["na\u{ef}ve"], &[], false));
    let typed = typed.iter().find(|action| matches!(action, Action::Text { .. })).expect("a field");
    let error = adb.act(typed).expect_err("no key types it");
    assert_eq!(
        error.to_string(),
        "`text \"na\u{ef}ve\" into \"name\"` cannot be done on `127.0.0.1:15555`: no key of a phone types \
         `\u{ef}` (U+00EF), and `input` presses keys; --u2 FILE has it put there otherwise"
    );
    assert!(!error.is_lost());
    assert_eq!(told(&adb.look().expect("a screen")), told(&seen));
    let error = adb.reset("org.lamp.Nowhere").expect_err("no such activity");
    assert_eq!(
        error.to_string(),
        "`127.0.0.1:15555` did not start `org.lamp.Nowhere`: there is `org.lamp.Main`"
    );
}

#[test]
fn an_app_that_is_not_there_is_named() {
    let line = Direct::new(Phone::new(model_of(crate::phone::LAMP), Seed(1), AndroidVersion::V13));
    let subject = |name: &str| Subject::Package(name.to_string());
    let said = |name: &str| match Adb::on(Box::new(line.clone()), &subject(name), options()) {
        Ok(_) => panic!("{name} is there"),
        Err(error) => error.to_string(),
    };
    assert!(
        said("org.absent").starts_with("`org.absent` is not installed on `127.0.0.1:15555`; give its APK")
    );
    assert!(said("com.android.settings").ends_with("has no activity that a launcher starts"));
    assert!(said("a b; reboot").starts_with("`a b; reboot` is not installed"));
}

const DICE: &str = r#"app org.dice "Dice" 2.0
launch Main, Other
activity Main .Main {
    own n = 0, ticks = 0, typed = "", again = ""
    every 700ms: ticks += 1
    Button "roll" -> n = random(1, 6)
    TextView "{n} {ticks} {again}"
    EditText #field edits typed { on text: again = typed }
    Button "say" -> toast "n is {n}"
    Button "maybe" -> chance { 20% { crash "java.lang.IllegalStateException: {n}" } 30% { toast "a"; n = 9 } else { n = 0 } }
    Button "later" -> after 3s { n += 100; toast "late" }
    Button "hang" -> chance { 50% { anr "" } }
}
activity Other .Other { Button "main" -> open Main }
"#;

/// Returns the model with other settings.
pub fn set(model: &Model, settings: &[(&str, &str)]) -> Arc<Model> {
    let mut model = model.clone();
    for (name, value) in settings {
        model.set(name, value).expect("a parameter");
    }
    Arc::new(model)
}

#[test]
fn chance_and_time_go_on_alike() {
    let mut walk = Walk { episodes: 5, ..Walk::new(model_of(DICE)) };
    walk.go_directly(0..10);
    let settings =
        [("sim.keyboard", "hard"), ("sim.lag", "300"), ("sim.width", "600"), ("sim.height", "800")];
    walk.model = set(&walk.model, &settings);
    walk.go_directly(10..20);
}

#[test]
fn a_keyboard_that_stays_looks_the_same() {
    for model in [model_of(DICE), model_of(crate::phone::LAMP), bundled("notes.app")] {
        Walk { keeps_keyboard: true, ..Walk::new(model) }.go_directly(0..6);
    }
}

#[test]
fn touches_and_keys_are_lost_alike_and_what_is_typed_with_them() {
    let often = [("sim.lose", "30")];
    for model in [model_of(DICE), model_of(crate::phone::LAMP), bundled("notes.app")] {
        Walk { episodes: 5, ..Walk::new(set(&model, &often)) }.go_directly(0..8);
    }
    let more = [("sim.lose", "30"), ("sim.crash", "10"), ("sim.keyboard", "hard"), ("sim.lag", "250")];
    Walk { episodes: 5, ..Walk::new(set(&model_of(DICE), &more)) }.go_directly(0..8);
    let always = Walk::new(set(&model_of(crate::phone::LAMP), &[("sim.lose", "100")]));
    always.go_directly(0..2);
}

#[test]
fn what_is_typed_behind_a_lost_touch_goes_nowhere() {
    let model = set(&model_of(crate::phone::LAMP), &[("sim.lose", "100")]);
    let mut phone = Phone::new(model, Seed(1), AndroidVersion::V13);
    phone.shell("am start -n org.lamp/.Main", b"");
    let mut typed = |line: &str| {
        phone.shell(line, b"");
        let dump = phone.shell("uiautomator dump /dev/tty", b"").stdout;
        String::from_utf8_lossy(&dump).contains("text=\"ab\"")
    };
    assert!(!typed("input tap 500 300; input keyevent 67 67; input text a; input text b"));
    // Without a touch, letters go to the focused field.
    assert!(typed("input text ab"));
}

const WIDE: &str = r#"app org.wide "Wide" 1.0
display 800x480 240dpi
launch Main
activity Main .Main {
    own made = 0
    on create: made += 1
    TextView "{portrait} {landscape} {made}"
    Button "upright" -> open Upright
    Button "lying" -> open Lying
    Button "relaid" -> open Relaid
    Button "ask" -> show Ask
    EditText #field at 600,100 790,200
}
activity Upright .Upright portrait { TextView "{portrait}" Button "back" -> finish }
activity Lying .Lying landscape { TextView "{portrait}" Button "back" -> finish }
activity Relaid .Relaid relaid { TextView "{portrait}" Button "back" -> finish }
dialog Ask { TextView "sure?" Button "yes" -> close }
"#;

#[test]
fn a_display_that_is_wider_than_high_looks_the_same() {
    let walk = Walk { episodes: 5, ..Walk::new(model_of(WIDE)) };
    walk.go_directly(0..10);
    for version in [AndroidVersion::V7, AndroidVersion::V16] {
        Walk { version, ..Walk::new(walk.model.clone()) }.go_directly(0..2);
    }
    let wide = [("sim.width", "1280"), ("sim.height", "800")];
    Walk::new(set(&bundled("notes.app"), &wide)).go_directly(0..4);
    let square = [("sim.width", "600"), ("sim.height", "600")];
    Walk::new(set(&walk.model, &square)).go_directly(0..4);
}

#[test]
fn a_display_that_is_made_wide_lies() {
    let line = Direct::new(Phone::new(model_of(WIDE), Seed(1), AndroidVersion::V13));
    let orientation = |size: &str| {
        line.phone.lock().expect("a phone").shell(&format!("wm size {size}"), b"");
        let mut adb = Adb::on(Box::new(line.clone()), &package(&model_of(WIDE)), options()).expect("a phone");
        let seen = adb.reset("org.wide.Main").expect("a screen");
        let said = seen.screen.widgets()[0].text.to_string();
        (said, seen.screen.context().orientation)
    };
    assert_eq!(orientation("480x800"), ("true false 1".to_string(), Orientation::Portrait));
    assert_eq!(orientation("1000x800"), ("false true 1".to_string(), Orientation::Landscape));
}

#[test]
fn time_and_chance_go_on_alike_within_the_users_own_actions() {
    let text = "action thrice on [class ~ Button]: tap 50% 50%, tap 50% 50%, wait 300ms, tap 10% 10%\n\
                action typing on [class ~ EditText]: tap 50% 50%, text \"a b\", tap 50% 50%, key delete, text \"c\"\n\
                action loose on [class ~ EditText]: text \"q\", key delete, key menu, key back\n\
                action dark on [class ~ EditText]: longtap 10% 90%, wait 61s, tap 50% 50%, text \"x\", key back\n\
                action home on [class ~ EditText]: wait 59s, wait 2s, key home, wait 70s, tap 50% 50%\n";
    let spec = farlead::spec::parse(&farlead::spec::Source::new("actions.ltl", text));
    let repertoire = Repertoire::new(["a"], &spec.file.actions, false);
    assert_eq!(spec.file.actions.len(), 5);
    let mut walk = Walk { repertoire, episodes: 5, ..Walk::new(model_of(DICE)) };
    walk.go_directly(0..6);
    walk.model = set(&walk.model, &[("sim.lose", "25"), ("sim.crash", "5"), ("sim.lag", "200")]);
    walk.go_directly(6..16);
}

#[test]
fn the_users_own_actions_are_done_alike() {
    let text = "action chessmove on [id ~ ChessBoard]: tap 56% 80%, tap 56% 56%\n\
                action long on [class ~ Button]: longtap 10% 90%, wait 2s, swipe 0% 0% 100% 100%\n\
                action typing on [class ~ EditText]: tap 50% 50%, text \"a b\", key delete, key back, key home\n";
    let spec = farlead::spec::parse(&farlead::spec::Source::new("actions.ltl", text));
    let actions: Vec<_> = spec.file.actions.clone();
    for name in ["chesswalk.app", "notes.app"] {
        let repertoire = Repertoire::new(["a"], &actions, false);
        Walk { repertoire, ..Walk::new(bundled(name)) }.go_directly(0..4);
    }
}

/// Packs a model into an APK.
fn packed(model: &Model, name: &str) -> PathBuf {
    let path = Folder::new(name).path("app.apk");
    let apk = pack(&Manifest::of(model), model.source.text()).expect("an APK");
    std::fs::write(&path, apk).expect("a file");
    path
}

#[test]
fn an_apk_is_installed_and_run_whichever_way_it_is_had_afresh() {
    let walk = Walk { episodes: 2, steps: 10, ..Walk::new(model_of(DICE)) };
    let path = packed(&walk.model, "adb-install");
    for (version, reset) in [
        (AndroidVersion::V13, Reset::Clear),
        (AndroidVersion::V7, Reset::Reinstall),
        (AndroidVersion::V16, Reset::Reinstall),
    ] {
        let line = Direct::new(Phone::new(model_of(crate::phone::LAMP), Seed(1), version));
        let options = Options { reset, ..options() };
        let mut adb =
            Adb::on(Box::new(line.clone()), &Subject::Apks(vec![path.clone()]), options).expect("a phone");
        let activity = adb.app().launchable[0].clone();
        assert_eq!((&*adb.app().package, &*activity), ("org.dice", "org.dice.Main"));
        // The APK says which activities there are; a phone alone does not.
        assert_eq!(adb.app().activities, ["org.dice.Main", "org.dice.Other"].map(Into::into));
        let seen = adb.reset(&activity).expect("a screen");
        assert_eq!(&*seen.screen.package().clone(), "org.dice");
        drop(adb);
        let left = line.phone.lock().expect("a phone").shell("ls /data/local/tmp", b"").stdout;
        assert_eq!(String::from_utf8_lossy(&left), "");
    }
}

#[test]
fn what_an_app_has_stored_outlives_a_restart_alone() {
    let model = model_of(
        "app org.keep \"Keep\" 1\nlaunch Main\nstored n = 0\nactivity Main .Main { Button \"{n}\" -> n += 1 }",
    );
    for (reset, expected) in [(Reset::Restart, "1"), (Reset::Clear, "0")] {
        let line = Box::new(Direct::new(Phone::new(model.clone(), Seed(1), AndroidVersion::V13)));
        let mut adb = Adb::on(line, &package(&model), Options { reset, ..options() }).expect("a phone");
        let seen = adb.reset("org.keep.Main").expect("a screen");
        adb.act(&offers(&seen.screen, &Repertoire::default())[0]).expect("a screen");
        let seen = adb.reset("org.keep.Main").expect("a screen");
        assert_eq!(&*seen.screen.widgets()[0].text, expected);
    }
    let line = Box::new(Direct::new(Phone::new(model.clone(), Seed(1), AndroidVersion::V13)));
    let error = Adb::on(line, &package(&model), Options { reset: Reset::Reinstall, ..options() }).err();
    assert!(error.expect("no APK").to_string().contains("there is no APK to install"));
}

#[test]
fn apks_in_parts_are_installed_in_one_session() {
    let path = packed(&model_of(DICE), "adb-session");
    let line = Direct::new(Phone::new(model_of(crate::phone::LAMP), Seed(1), AndroidVersion::V13));
    // The simulated phone takes any file beside the base.
    let subject = Subject::Apks(vec![path.clone(), path]);
    let mut adb = Adb::on(Box::new(line), &subject, options()).expect("a phone");
    assert_eq!(&**adb.reset("org.dice.Main").expect("a screen").screen.package(), "org.dice");
}

#[test]
fn what_is_no_apk_is_not_pushed() {
    let folder = Folder::new("adb-no-apk");
    folder.write("x.apk", "no zip");
    let line = Direct::new(Phone::new(model_of(crate::phone::LAMP), Seed(1), AndroidVersion::V13));
    let said = |path: &std::path::Path| {
        let subject = Subject::Apks(vec![path.to_path_buf()]);
        Adb::on(Box::new(line.clone()), &subject, options()).err().expect("no APK").to_string()
    };
    assert!(said(&folder.path("x.apk")).starts_with("cannot read "));
    assert!(said(&folder.path("none.apk")).contains("No such file"));
}

#[test]
fn a_run_that_was_killed_is_put_right_by_the_next() {
    let line = Direct::new(Phone::new(model_of(crate::phone::LAMP), Seed(1), AndroidVersion::V13));
    let state =
        "settings list system; settings list global; ls /data/local/tmp; cmd connectivity airplane-mode";
    let said = |command: &str| line.phone.lock().expect("a phone").shell(command, b"").stdout;
    let before = said(state);
    let open = || {
        Adb::on(Box::new(line.clone()), &package(&model_of(crate::phone::LAMP)), options()).expect("a phone")
    };
    let mut adb = open();
    adb.reset("org.lamp.Main").expect("a screen");
    adb.act(&Action::NETWORK).expect("a screen");
    // A killed process has no time to put anything back.
    std::mem::forget(adb);
    assert_ne!(said(state), before);
    drop(open());
    assert_eq!(said(state), before);
}

#[test]
fn long_texts_are_typed_whole() {
    let line = Direct::new(Phone::new(model_of(crate::phone::LAMP), Seed(1), AndroidVersion::V7));
    let mut adb =
        Adb::on(Box::new(line), &package(&model_of(crate::phone::LAMP)), options()).expect("a phone");
    let seen = adb.reset("org.lamp.Main").expect("a screen");
    let text = "all of \"it\" & 100%s 'quoted' $HOME `x` \\ <b> ".repeat(100);
    let typed = offers(&seen.screen, &Repertoire::new([text.as_str()], &[], false));
    let typed = typed.iter().find(|action| matches!(action, Action::Text { .. })).expect("a field");
    let seen = adb.act(typed).expect("a screen");
    assert!(seen.screen.widgets().iter().any(|widget| *widget.text == *text));
}

/// A field with a text of several lines, and one in which the app puts a sign whenever it is empty.
const FIELDS: &str = "\
app org.example.fields \"Fields\" 1.0
launch Main
activity Main .Main {
    own story = \"It was a dark and stormy night; the rain fell in torrents, except at occasional intervals, and so on\", price = \"$5\"
    EditText #story edits story
    EditText #price edits price { on text: price = price ? price : \"$\" }
}
";

#[test]
fn a_text_takes_the_place_of_all_lines_of_a_field_and_what_stays_is_noticed() {
    let model = model_of(FIELDS);
    for version in AndroidVersion::ALL {
        let phone = Phone::new(model.clone(), Seed(1), version);
        let mut adb = Adb::on(Box::new(Direct::new(phone)), &package(&model), options()).expect("a phone");
        let mut seen = adb.reset("org.example.fields.Main").expect("a start");
        let mut type_into = |id: &str, text: &str| {
            let mut typed = None;
            seen.screen.for_each_object(|_, widget, object_id| {
                if widget.id.ends_with(id) {
                    typed = Some(Action::Text {
                        on: Target::new(widget, object_id, "".into()),
                        text: text.into(),
                    });
                }
            });
            seen = adb.act(&typed.expect("a field")).expect("a step");
            let field = seen.screen.widgets().iter().find(|widget| widget.id.ends_with(id)).expect("a field");
            (field.text.to_string(), seen.notices.to_vec())
        };
        assert_eq!(type_into("story", "Once"), ("Once".to_string(), Vec::new()), "{version:?}");
        assert_eq!(
            type_into("price", "7"),
            ("$7".to_string(), vec![Notice::Field("$".into())]),
            "{version:?}"
        );
    }
}

#[test]
fn a_thousand_actions_leave_little_on_the_phone() {
    let line = Direct::new(Phone::new(model_of(crate::phone::LAMP), Seed(1), AndroidVersion::V13));
    let mut adb =
        Adb::on(Box::new(line.clone()), &package(&model_of(crate::phone::LAMP)), options()).expect("a phone");
    adb.reset("org.lamp.Main").expect("a screen");
    for _ in 0..1_600 {
        adb.act(&Action::MENU).expect("a screen");
    }
    let count = line.phone.lock().expect("a phone").shell("find /data/local/tmp | wc -l", b"").stdout;
    let count: usize = String::from_utf8_lossy(&count).trim().parse().expect("a number");
    assert!(count < 2_500, "{count}");
}

/// A simulated phone behind a real adb server.
struct Wired {
    /// Held, so that the phone goes on.
    _phone: adbd::Server,
    adb: crate::adbd::Adb,
    serial: String,
}

impl Wired {
    fn start(name: &str, phone: Phone) -> Option<Wired> {
        let adb = crate::adbd::Adb::start(name)?;
        let address = "127.0.0.1:0".parse().expect("an address");
        let shared = Arc::new(Mutex::new(phone));
        let server = adbd::Server::start(address, shared, adbd::Settings::default()).expect("a port");
        let serial = adb.connect(&server);
        Some(Wired { _phone: server, adb, serial })
    }

    fn server(&self) -> Server {
        Server::at("the test", &format!("tcp:127.0.0.1:{}", self.adb.port)).expect("an address")
    }

    fn open(&self, model: &Model, options: Options) -> Adb {
        Adb::open(&self.server(), &self.serial, &package(model), options).expect("a phone")
    }
}

#[test]
fn the_same_runs_look_the_same_through_the_real_adb() {
    for version in [AndroidVersion::V7, AndroidVersion::V13] {
        let walk = Walk { version, episodes: 2, ..Walk::new(bundled("notes.app")) };
        let phone = Phone::new(walk.model.clone(), Seed(7), version);
        let Some(wired) = Wired::start("walk", phone) else { return };
        let listed = wired.server().choose(None).expect("the only device");
        assert_eq!((&*listed.serial, listed.model.as_deref()), (&*wired.serial, Some("Farlead_Sim")));
        let mut adb = wired.open(&walk.model, options());
        let shown = format!("Farlead Sim, Android {} ({})", version.release_property(), wired.serial);
        assert_eq!(adb.describe(), shown);
        assert_eq!(walk.go(7, &mut adb).1, [""; 0]);
    }
}

/// A line to a simulated phone that hides that the phone's time is virtual.
struct InRealTime<L>(L);

impl<L: Line> Line for InRealTime<L> {
    fn serial(&self) -> &str {
        self.0.serial()
    }

    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError> {
        // An action and two looks go over the line as one command.
        assert!(!command.contains("mkdir /data/") || command.contains("second tree"), "{command}");
        // The simulator's display stays lit for a minute, whatever it is told.
        let mut answer = self.0.shell(&command.replace("\nsleep 20\n", "\nsleep 70\n"), within)?;
        if command.contains("getprop ro.farlead.time") {
            let said = String::from_utf8(answer.stdout).expect("a text");
            answer.stdout = said.replace("\nvirtual\n", "\n\n").into_bytes();
        }
        Ok(answer)
    }

    fn push(&mut self, bytes: Arc<[u8]>, to: &str, within: Duration) -> Result<(), LineError> {
        // A command too long for some phones would be pushed as a file first.
        assert!(!to.ends_with(".sh"), "{to}");
        self.0.push(bytes, to, within)
    }

    fn recover(&mut self, within: Duration) -> Result<(), LineError> {
        self.0.recover(within)
    }
}

#[test]
fn a_phone_in_real_time_is_looked_at_twice_and_looks_the_same_through_the_real_adb() {
    let walk = Walk::new(bundled("notes.app"));
    let Some(wired) = Wired::start("real-time", Phone::new(walk.model.clone(), Seed(7), walk.version)) else {
        return;
    };
    let line = InRealTime(Client::new(wired.server(), &wired.serial));
    let mut adb = Adb::on(Box::new(line), &package(&walk.model), options()).expect("a phone");
    assert_eq!(walk.go(7, &mut adb).1, [""; 0]);
}

#[test]
fn an_old_adb_says_as_much() {
    let walk = Walk { episodes: 1, ..Walk::new(model_of(crate::phone::LAMP)) };
    let phone = Phone::new(walk.model.clone(), Seed(3), AndroidVersion::V7).with_old_adb();
    let Some(wired) = Wired::start("old", phone) else { return };
    let mut adb = wired.open(&walk.model, options());
    assert_eq!(walk.go(3, &mut adb).1, [""; 0]);
}

#[test]
fn connections_that_drop_are_got_over_through_the_real_adb() {
    let walk = Walk { episodes: 2, steps: 15, ..Walk::new(model_of(crate::phone::LAMP)) };
    for faults in ["drop=20%", "stall=10%,double-close=20%", "offline=5%"] {
        let faults = Faults::parse(faults, Seed(5)).expect("faults");
        let phone = Phone::new(walk.model.clone(), Seed(5), walk.version).with_faults(faults);
        let Some(wired) = Wired::start("drop", phone) else { return };
        let options = Options { answer: Duration::from_secs(1), ..options() };
        let mut adb = wired.open(&walk.model, options);
        let (steps, said) = walk.go(5, &mut adb);
        assert!(steps >= 16 && said.len() <= 1, "{said:?}");
    }
}

#[test]
fn a_server_of_adb_that_was_ended_is_started_again() {
    let walk = Walk { episodes: 1, steps: 5, ..Walk::new(model_of(crate::phone::LAMP)) };
    let phone = Phone::new(walk.model.clone(), Seed(5), walk.version);
    let Some(wired) = Wired::start("restart", phone) else { return };
    let mut adb = wired.open(&walk.model, options());
    assert_eq!(walk.go(5, &mut adb).1, [""; 0]);
    wired.adb.run(&["kill-server"]);
    assert_eq!(walk.go(6, &mut adb).1, [""; 0]);
}

// Looks through uiautomator2's server.

/// Returns the usual options with the server, or `None` if its file is not available.
fn with_server() -> Option<Options> {
    let jar = Jar::read(&crate::clients::u2_jar()?).expect("a file that is known");
    assert_eq!(jar.version(), "0.4.1");
    Some(Options { u2: Some(jar), ..options() })
}

/// A line that ends the server before every third action.
struct Killing {
    line: Direct,
    done: usize,
}

impl Line for Killing {
    fn serial(&self) -> &str {
        self.line.serial()
    }

    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError> {
        // A server that ends in the dark is not restarted, as that would light the display.
        if command.contains("mkdir") && !command.contains("sleep 70") {
            self.done += 1;
            if self.done.is_multiple_of(3) {
                let kill = "kill $(cat /data/local/tmp/farlead-*/u2.pid)";
                self.line.phone.lock().expect("a phone").shell(kill, b"");
            }
        }
        self.line.shell(command, within)
    }

    fn push(&mut self, bytes: Arc<[u8]>, to: &str, within: Duration) -> Result<(), LineError> {
        self.line.push(bytes, to, within)
    }

    fn recover(&mut self, within: Duration) -> Result<(), LineError> {
        self.line.recover(within)
    }
}

#[test]
fn the_same_runs_look_the_same_through_the_server() {
    let Some(options) = with_server() else { return };
    for (model, version) in [
        (bundled("notes.app"), AndroidVersion::V13),
        (bundled("chesswalk.app"), AndroidVersion::V16),
        (model_of(crate::phone::LAMP), AndroidVersion::V8),
    ] {
        // Texts that keys can type, and texts that they cannot.
        let repertoire =
            Repertoire::new(["ab", "na\u{ef}ve", "\u{65e5}\u{672c} \u{1f600} \"%s\" \\"], &[], true);
        let walk = Walk { version, repertoire, ..Walk::new(model) };
        for seed in 0..3 {
            let phone = Phone::new(walk.model.clone(), Seed(seed), version);
            let line = Box::new(Direct::new(phone));
            let mut adb = Adb::on(line, &package(&walk.model), options.clone()).expect("a phone");
            assert_eq!(walk.go(seed, &mut adb).1, [""; 0]);
        }
        let line = InRealTime(Direct::new(Phone::new(walk.model.clone(), Seed(3), version)));
        let mut adb = Adb::on(Box::new(line), &package(&walk.model), options.clone()).expect("a phone");
        assert_eq!(walk.go(3, &mut adb).1, [""; 0]);
    }
}

#[test]
fn a_server_that_was_ended_is_started_again() {
    let Some(options) = with_server() else { return };
    let repertoire = Repertoire::new(["na\u{ef}ve"], &[], true);
    let walk = Walk { repertoire, ..Walk::new(bundled("notes.app")) };
    let line = Direct::new(Phone::new(walk.model.clone(), Seed(4), walk.version));
    let killing = Killing { line: line.clone(), done: 0 };
    let mut adb = Adb::on(Box::new(killing), &package(&walk.model), options).expect("a phone");
    let pid = || {
        let ran = line.phone.lock().expect("a phone").shell("cat /data/local/tmp/farlead-*/u2.pid", b"");
        String::from_utf8_lossy(&ran.stdout).trim().parse::<u32>().expect("a number")
    };
    let first = pid();
    assert_eq!(walk.go(4, &mut adb).1, [""; 0]);
    // Each server has a number of its own.
    assert!(pid() > first + 20, "{first} and {}", pid());
}

#[test]
fn a_server_is_ended_by_whoever_has_started_it_or_by_the_next() {
    let Some(options) = with_server() else { return };
    let model = model_of(crate::phone::LAMP);
    let line = Direct::new(Phone::new(model.clone(), Seed(1), AndroidVersion::V13));
    let said = |command: &str| {
        let ran = line.phone.lock().expect("a phone").shell(command, b"");
        String::from_utf8(ran.stdout).expect("a text")
    };
    let state = "settings list system; settings list global; ls /data/local/tmp; uiautomator dump 2>&1";
    let before = said(state);
    let open = || Adb::on(Box::new(line.clone()), &package(&model), options.clone()).expect("a phone");
    let mut adb = open();
    adb.reset("org.lamp.Main").expect("a screen");
    assert!(said("uiautomator dump 2>&1").contains("Killed"));
    adb.restore().expect("all is put back");
    said("am force-stop org.lamp");
    assert_eq!(said(state), before);
    drop(adb);
    // A killed process has no time to put anything back.
    std::mem::forget(open());
    assert_ne!(said(state), before);
    drop(open());
    assert_eq!(said(state), before);
}

#[test]
fn why_a_server_cannot_be_used_is_said() {
    let Some(options) = with_server() else { return };
    let model = model_of(crate::phone::LAMP);
    let said = |line: &Direct| {
        let opened = Adb::on(Box::new(line.clone()), &package(&model), options.clone());
        opened.err().expect("no server").to_string()
    };
    let old = Direct::new(Phone::new(model.clone(), Seed(1), AndroidVersion::V7));
    let expected = "`--u2` cannot be done on `127.0.0.1:15555`: it has no `nc` to ask the server with; Android 8 and later \
                    have it";
    assert_eq!(said(&old), expected);
    for port in [9_008, 9_009] {
        let taken = Direct::new(Phone::new(model.clone(), Seed(1), AndroidVersion::V13));
        let start = format!(
            "echo jar > /sdcard/u2.jar; CLASSPATH=/sdcard/u2.jar app_process / com.wetest.uia2.Main -p {port} &"
        );
        taken.phone.lock().expect("a phone").shell(&start, b"");
        assert!(said(&taken).starts_with("another program uses uiautomator on `127.0.0.1:15555`"));
        // It goes on as if nothing had happened.
        let ping = format!("echo 'GET /ping HTTP/1.1' | nc localhost {port}");
        let pong = taken.phone.lock().expect("a phone").shell(&ping, b"").stdout;
        assert!(pong.ends_with(b"pong"));
    }
}

#[test]
fn what_goes_wrong_on_the_line_is_got_over_with_a_server_too() {
    let Some(options) = with_server() else { return };
    let walk = Walk { episodes: 2, ..Walk::new(model_of(crate::phone::LAMP)) };
    for seed in 0..5 {
        let faults = Faults::parse("drop=10%,stall=5%,wrong-focus=10%", Seed(seed)).expect("faults");
        let phone = Phone::new(walk.model.clone(), Seed(seed), walk.version).with_faults(faults);
        let opened = Adb::on(Box::new(Direct::new(phone)), &package(&walk.model), options.clone());
        let (steps, said) = walk.go(seed, &mut opened.expect("a phone"));
        assert!(steps >= 30 && said.len() <= 1, "{steps}: {said:?}");
    }
}

/// A phone whose user in front has the number 10; commands are noted.
struct SecondUser {
    line: Direct,
    commands: Arc<Mutex<Vec<String>>>,
    /// Answers that the phone gives in place of its own.
    refuses: bool,
}

impl Line for SecondUser {
    fn serial(&self) -> &str {
        self.line.serial()
    }

    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError> {
        self.commands.lock().expect("commands").extend(command.lines().map(str::to_string));
        let mut command = command.replace("am get-current-user 2>/dev/null", "echo 10");
        if self.refuses {
            command = command
                .replace(" global window_animation_scale 0 2>&1", "; echo java.lang.SecurityException");
        }
        self.line.shell(&command, within)
    }

    fn push(&mut self, bytes: Arc<[u8]>, to: &str, within: Duration) -> Result<(), LineError> {
        self.line.push(bytes, to, within)
    }

    fn recover(&mut self, within: Duration) -> Result<(), LineError> {
        self.line.recover(within)
    }
}

#[test]
fn what_is_cleared_started_and_set_is_that_of_the_user_in_front() {
    let model = bundled("notes.app");
    let commands: Arc<Mutex<Vec<String>>> = Arc::default();
    let line = Direct::new(Phone::new(model.clone(), Seed(1), AndroidVersion::V13));
    let line = SecondUser { line, commands: Arc::clone(&commands), refuses: false };
    let mut adb = Adb::on(Box::new(line), &package(&model), options()).expect("a phone");
    assert_eq!(adb.warnings(), [] as [String; 0]);
    let activity = adb.app().launchable[0].clone();
    adb.reset(&activity).expect("a screen");
    for action in [Action::ROTATE, Action::PAUSE_RESUME, Action::IDLE] {
        adb.act(&action).expect("a screen");
    }
    drop(adb);
    let commands = commands.lock().expect("commands").clone();
    let of_user: Vec<&String> = commands
        .iter()
        .filter(|line| {
            ["am force-stop", "am start", "pm clear", "pm path", "settings put"]
                .iter()
                .any(|word| line.contains(word))
        })
        .collect();
    assert!(of_user.len() > 20, "{of_user:#?}");
    for line in of_user {
        assert!(line.contains(" --user 10 "), "{line}");
    }
}

#[test]
fn settings_that_a_phone_refuses_to_change_are_named_with_the_switch() {
    let model = bundled("notes.app");
    let line = Direct::new(Phone::new(model.clone(), Seed(1), AndroidVersion::V13));
    let line = SecondUser { line, commands: Arc::default(), refuses: true };
    let mut adb = Adb::on(Box::new(line), &package(&model), options()).expect("a phone");
    let warnings = adb.warnings();
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].starts_with("`127.0.0.1:15555` refuses to change `window_animation_scale`, so"),
        "{warnings:?}"
    );
    assert!(warnings[0].contains("USB debugging (Security settings)"), "{warnings:?}");
    let activity = adb.app().launchable[0].clone();
    adb.reset(&activity).expect("a screen");
}

#[test]
fn a_transcript_takes_the_place_of_its_phone() {
    let folder = Folder::new("transcripts");
    let model = bundled("notes.app");
    let recording = Recording { path: folder.path("notes.jsonl"), secrets: None };
    let walk = |line: Box<dyn Line>, seed: u64| -> Result<Vec<(String, Vec<Notice>)>, String> {
        let mut adb = Adb::on(line, &package(&model), options()).map_err(|error| error.to_string())?;
        let activity = adb.app().launchable[0].clone();
        let mut rng = Seed(seed).fork("transcript");
        let mut seen = adb.reset(&activity).map_err(|error| error.to_string())?;
        let mut all = vec![told(&seen)];
        for _ in 0..20 {
            let offered = offers(&seen.screen, &Repertoire::default());
            seen = adb.act(&offered[rng.below(offered.len())]).map_err(|error| error.to_string())?;
            all.push(told(&seen));
        }
        Ok(all)
    };
    let phone = Direct::new(Phone::new(model.clone(), Seed(1), AndroidVersion::V13));
    let recorded = walk(Box::new(Recorder::new(phone, &recording).expect("a file")), 5).expect("a walk");
    let again = Direct::new(Phone::new(model.clone(), Seed(1), AndroidVersion::V13));
    let refused = Recorder::new(again, &recording).err().expect("the file is there").to_string();
    assert!(refused.ends_with("notes.jsonl: it is there already; give another file"), "{refused}");
    let replayed = || Box::new(Replayed::read(&recording.path).expect("a transcript"));
    assert_eq!(walk(replayed(), 5), Ok(recorded));
    let other = walk(replayed(), 6).expect_err("another run");
    assert!(
        other.contains("notes.jsonl:") && other.contains("the transcript is of another run: `"),
        "{other}"
    );
    // A torn file ends before the run does.
    let whole = folder.read("notes.jsonl");
    let lines: Vec<&str> = whole.lines().collect();
    folder.write("notes.jsonl", &lines[..lines.len() / 2].join("\n"));
    let error = walk(replayed(), 5).expect_err("half a run");
    assert!(error.contains("the transcript ends before the run, which asks `"), "{error}");
    for (text, expected) in [
        ("", "notes.jsonl:1: no line of a transcript"),
        ("{\"transcript\":9,\"serial\":\"a\"}", "its version is 9"),
    ] {
        folder.write("notes.jsonl", text);
        let error = Replayed::read(&recording.path).err().expect("no transcript").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Opens the notes app on `line`, and does the actions that are named after the start: a click on the widget of that text or
/// id, `moved` the same 3 pixels beside, a turn of the display, or a text. Returns the screens.
fn screens_of(line: Box<dyn Line>, deeds: &[&str]) -> Result<Vec<(String, Vec<Notice>)>, String> {
    let model = bundled("notes.app");
    let mut adb = Adb::on(line, &package(&model), options()).map_err(|error| error.to_string())?;
    let activity = adb.app().launchable[0].clone();
    let mut seen = adb.reset(&activity).map_err(|error| error.to_string())?;
    let mut all = vec![told(&seen)];
    for deed in deeds {
        let offered = offers(&seen.screen, &Repertoire::new(["ab"], &[], false));
        let name = deed.trim_start_matches("moved ");
        let is_named = |on: &Target| &*on.text == name || on.id.ends_with(&format!("/{name}"));
        let click = offered.iter().find_map(|action| match action {
            Action::Touch(Touch::Click, on) if is_named(on) => Some(on.clone()),
            _ => None,
        });
        let action = match (*deed, click) {
            ("rotate", _) => Action::ROTATE,
            ("text", _) => {
                let text = offered.iter().find(|action| matches!(action, Action::Text { .. }));
                text.expect("a field").clone()
            }
            (deed, Some(mut on)) => {
                if deed != name {
                    let Bounds { left, top, right, bottom } = on.bounds;
                    on.bounds = Bounds::new(left + 3, top, right + 3, bottom);
                }
                Action::Touch(Touch::Click, on)
            }
            (deed, None) => panic!("no `{deed}`"),
        };
        seen = adb.act(&action).map_err(|error| error.to_string())?;
        all.push(told(&seen));
    }
    Ok(all)
}

#[test]
fn a_transcript_is_played_back_by_asking_for_the_nearest() {
    let folder = Folder::new("nearest-transcripts");
    let recording = Recording { path: folder.path("notes.jsonl"), secrets: None };
    let phone = Direct::new(Phone::new(bundled("notes.app"), Seed(1), AndroidVersion::V13));
    let recorder = Recorder::new(phone, &recording).expect("a file");
    let deeds = ["OKAY", "rotate", "rotate", "fab_expand_menu_button", "fab_text"];
    let recorded = screens_of(Box::new(recorder), &deeds).expect("a walk");
    let again = |order: Order, deeds: &[&str]| {
        let line = Replayed::in_order(&recording.path, order).expect("a transcript");
        screens_of(Box::new(line), deeds)
    };
    assert_eq!(again(Order::Nearest, &deeds), Ok(recorded.clone()));
    // Two steps are left out, and the way goes on behind them.
    let shorter = ["OKAY", "fab_expand_menu_button", "fab_text"];
    let expected = [0, 1, 4, 5].map(|at| recorded[at].clone());
    assert_eq!(again(Order::Nearest, &shorter), Ok(expected.to_vec()));
    let refused = again(Order::Strict, &shorter).expect_err("another run");
    assert!(refused.contains("the transcript is of another run: `"), "{refused}");
    assert!(refused.contains("`replay-nearest:FILE` answers with what is nearest"), "{refused}");
    // A tap beside the recorded one is answered as that one was.
    let beside = ["OKAY", "rotate", "rotate", "moved fab_expand_menu_button", "fab_text"];
    assert_eq!(again(Order::Nearest, &beside), Ok(recorded));
    assert!(again(Order::Strict, &beside).is_err());
    // The same is answered alike each time.
    let other = ["OKAY", "rotate", "moved fab_expand_menu_button"];
    assert_eq!(again(Order::Nearest, &other), again(Order::Nearest, &other));
    let typed = again(Order::Nearest, &[&deeds[..], &["text"]].concat()).expect_err("nothing was typed");
    assert!(
        typed.contains("notes.jsonl: nothing like `") && typed.contains("` was ever asked; line "),
        "{typed}"
    );
    let whole = folder.read("notes.jsonl");
    let head = whole.lines().next().expect("a head");
    for (text, expected) in [
        (head.to_string(), "the transcript has no requests"),
        (format!("{head}\nnonsense\n"), "notes.jsonl:2: no line of a transcript of version 1: expected "),
        (format!("{head}\n{{\"at_ms\":1,\"took_ms\":1}}\n"), "notes.jsonl:2: no line of a transcript"),
        (whole[..whole.len() / 2].to_string(), "no line of a transcript of version 1: EOF while parsing"),
        (whole.replacen("shell", "shout", 2), "notes.jsonl:2: no line of a transcript"),
    ] {
        folder.write("notes.jsonl", &text);
        let said = match Replayed::in_order(&recording.path, Order::Nearest) {
            Ok(line) => screens_of(Box::new(line), &deeds).expect_err("no transcript of the run"),
            Err(error) => error.to_string(),
        };
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn a_transcript_has_no_secret_and_no_typed_text() {
    let folder = Folder::new("secret-transcripts");
    let model = model_of(
        "app org.form \"Form\" 1\nlaunch Main\nactivity Main .Main { own name = \"\" EditText #name hint \"Name\" edits name }",
    );
    let value = "a<b&c \"d\"";
    let secrets = Secrets::new([("NAME".to_string(), Some(value.to_string()))]);
    let recording = Recording { path: folder.path("form.jsonl"), secrets: Some(Arc::new(secrets)) };
    let phone = Direct::new(Phone::new(model.clone(), Seed(1), AndroidVersion::V13));
    let line = Recorder::new(phone, &recording).expect("a file");
    let mut adb = Adb::on(Box::new(line), &package(&model), options()).expect("a phone");
    let seen = adb.reset("org.form.Main").expect("a screen");
    let texts = [value.into(), "typed by hand".into()];
    for text in texts {
        // The field is the only widget.
        let offered = offers(&seen.screen, &Repertoire::default());
        let field = offered.iter().find_map(|action| action.target().cloned());
        adb.act(&Action::Text { on: field.expect("a field"), text }).expect("a screen");
    }
    drop(adb);
    let lines: Vec<serde_json::Value> =
        folder.read("form.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (mut shown, mut typed) = (0, 0);
    for line in &lines {
        let of = |key: &str| line[key].as_str().unwrap_or_default().to_string();
        let (command, answer) = (of("shell"), of("stdout"));
        assert!(!command.contains("a<b") && !command.contains("typed%sby"), "{command}");
        assert!(!answer.contains("a&lt;b") && !answer.contains("a<b"), "{answer}");
        typed += usize::from(command.contains("input text …"));
        shown += usize::from(answer.contains("text=\"${NAME}\""));
    }
    assert!(typed == 2 && shown > 0, "{typed} typed, {shown} shown");
}
