//! `pm` and `cmd package`: which apps there are, and how they come and go.

use std::io::Cursor;
use std::sync::Arc;

use super::activities::{LAUNCHER, main_class};
use super::dumpsys::short_name;
use super::io::Io;
use super::manifest::facts;
use super::shell::shown;
use super::{AndroidVersion, App, FIRST_UID, Phone, launchable};
use crate::device::Sim;
use crate::device::sim::apk::unpack_model;
use crate::device::sim::model::Model;
use crate::device::sim::read;
use crate::spec::Source;

/// How many apps there are at most, and installations under way.
const APPS_MAX: usize = 100;
const SESSIONS_MAX: usize = 20;

/// An installation under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    /// The files, of which one is to be an APK with a model.
    parts: Vec<Arc<[u8]>>,
}

/// Why an APK was not installed, as Android says it.
struct Refusal(String);

impl Phone {
    pub(super) fn install_system(&mut self) {
        for (at, package) in
            ["android", LAUNCHER.0, "com.android.settings", "com.android.systemui"].iter().enumerate()
        {
            self.apps.push(App {
                package: (*package).into(),
                version: self.version.release().into(),
                version_code: self.version.sdk(),
                uid: 1_000 + at as u32,
                sim: None,
                model: None,
                is_fresh: false,
                pid: None,
                is_of_system: true,
            });
        }
    }

    /// Installs the app of a model, in place of another of the same package.
    pub(super) fn install_model(&mut self, model: Arc<Model>, apk: Arc<[u8]>) {
        let mut sim = Sim::new(model.clone(), self.seed);
        if self.apps.get(self.current).is_some_and(|app| app.sim.is_some()) {
            let display = self.sim().display();
            sim.set_display(display);
        }
        let app = App {
            package: model.package.clone(),
            version: model.version.clone(),
            version_code: 1,
            uid: FIRST_UID + self.apps.len() as u32,
            sim: Some(sim),
            model: Some(model),
            is_fresh: true,
            pid: None,
            is_of_system: false,
        };
        self.put_app(app, apk);
    }

    fn put_app(&mut self, mut app: App, apk: Arc<[u8]>) {
        let path = apk_path(&app.package);
        self.files.install(&path, self.now_s(), apk);
        let Some(at) = self.apps.iter().position(|other| other.package == app.package) else {
            self.apps.push(app);
            return;
        };
        let is_current = at == self.current && self.apps[at].sim.is_some() && app.sim.is_some();
        let before = is_current.then(|| self.windows());
        if self.apps[at].uid != 0 {
            app.uid = self.apps[at].uid;
        }
        self.apps[at] = app;
        // The phone is held as it was, whatever runs on it.
        if let Some(before) = before {
            let now = self.windows();
            if now.orientation != before.orientation {
                let _ = self.act(Sim::turn);
            }
            if now.has_network != before.has_network {
                let _ = self.act(Sim::switch_network);
            }
            if !before.is_lit {
                self.light(false);
            }
        }
    }

    fn install(&mut self, apk: &[u8]) -> Result<(), Refusal> {
        let refuse = |code: &str, why: &str| Refusal(format!("{code}: {why}"));
        let text = unpack_model(Cursor::new(apk)).map_err(|error| {
            refuse("INSTALL_PARSE_FAILED_NOT_APK", &format!("Failed to parse base.apk: {error}"))
        })?;
        let is_room = self.apps.len() < APPS_MAX;
        let Some(text) = text else {
            let facts = facts(apk).ok_or_else(|| {
                refuse("INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION", "Failed to parse base.apk")
            })?;
            if let Some(at) = self.app(&facts.package)
                && (self.apps[at].sim.is_some() || self.apps[at].is_of_system)
            {
                let why = format!("Existing package {} signatures do not match newer version", facts.package);
                return Err(refuse("INSTALL_FAILED_UPDATE_INCOMPATIBLE", &why));
            }
            if !is_room {
                return Err(refuse("INSTALL_FAILED_INSUFFICIENT_STORAGE", "too many apps"));
            }
            let app = App {
                package: facts.package.into(),
                version: facts.version.into(),
                version_code: facts.version_code,
                uid: FIRST_UID + self.apps.len() as u32,
                sim: None,
                model: None,
                is_fresh: true,
                pid: None,
                is_of_system: false,
            };
            self.put_app(app, apk.into());
            return Ok(());
        };
        let model = read(&Source::new("base.apk", &text)).model;
        let model = model.ok_or_else(|| {
            refuse(
                "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED",
                "the app model in it has mistakes; `farlead model check` says which",
            )
        })?;
        if let Some(at) = self.app(&model.package).filter(|&at| self.apps[at].is_of_system) {
            let why = format!("Package {} is the system's", self.apps[at].package);
            return Err(refuse("INSTALL_FAILED_UPDATE_INCOMPATIBLE", &why));
        }
        if let Some(at) = self.app(&model.package).filter(|&at| self.is_the_same(at, &text)) {
            // What was stored outlives an update.
            self.stop(at);
            return Ok(());
        }
        if !is_room {
            return Err(refuse("INSTALL_FAILED_INSUFFICIENT_STORAGE", "too many apps"));
        }
        self.install_model(Arc::new(model), apk.into());
        Ok(())
    }

    fn is_the_same(&self, at: usize, text: &str) -> bool {
        self.apps[at].model.as_ref().is_some_and(|model| model.source.text() == text)
    }
}

/// Where the APK of a package is.
fn apk_path(package: &str) -> String {
    format!("/data/app/{package}-1/base.apk")
}

pub(super) fn pm(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let Some((command, rest)) = args.split_first() else {
        io.say("Package manager (package) commands:\n  list packages\n  path PACKAGE\n  install [PATH]\n  uninstall PACKAGE\n  clear PACKAGE");
        return 1;
    };
    let last = rest.iter().rfind(|word| !word.starts_with('-')).cloned().unwrap_or_default();
    match command.as_str() {
        "list" => list(phone, rest, io),
        "path" => match phone.app(&last) {
            Some(at) => said(io, &format!("package:{}", path_of(&phone.apps[at]))),
            None => 1,
        },
        "clear" => clear(phone, &last, io),
        "install" | "install-incremental" | "install-streaming" => install(phone, rest, io),
        "install-create" => create(phone, io),
        "install-write" => write(phone, rest, io),
        "install-commit" => commit(phone, &last, io),
        "install-abandon" => {
            let is_there = last.parse().is_ok_and(|number| phone.sessions.remove(&number).is_some());
            if is_there {
                said(io, "Success")
            } else {
                refused(io, "Failure [INSTALL_FAILED_INVALID_SESSION]")
            }
        }
        "uninstall" => uninstall(phone, &last, io),
        "dump" => dump(phone, &last, io),
        "resolve-activity" | "query-activities" => resolve(phone, command, rest, io),
        "grant"
        | "revoke"
        | "reset-permissions"
        | "trim-caches"
        | "set-install-location"
        | "bg-dexopt-job" => 0,
        "enable" | "disable" | "disable-user" => {
            said(io, &format!("Package {} new state: enabled", shown(&last)))
        }
        "get-install-location" => said(io, "0[auto]"),
        "get-max-users" => said(io, "Maximum supported users: 1"),
        "has-feature" => said(io, "false"),
        "is-user-a-monkey" => said(io, "false"),
        command => {
            io.complain(&format!("Unknown command: {}", shown(command)));
            255
        }
    }
}

fn said(io: &mut Io, line: &str) -> u8 {
    io.say(line);
    0
}

/// Says why not, on the stream where people read it, and fails.
fn refused(io: &mut Io, line: &str) -> u8 {
    io.say(line);
    1
}

fn path_of(app: &App) -> String {
    match app.is_of_system {
        true if &*app.package == "android" => "/system/framework/framework-res.apk".to_string(),
        true => format!("/system/app/{0}/{0}.apk", app.package),
        false => apk_path(&app.package),
    }
}

fn list(phone: &Phone, args: &[String], io: &mut Io) -> u8 {
    match args.first().map_or("", String::as_str) {
        "packages" | "package" => {}
        "users" => return said(io, "Users:\n\tUserInfo{0:Owner:4c13} running"),
        "features" => {
            return said(io, "feature:android.hardware.touchscreen\nfeature:android.software.home_screen");
        }
        "instrumentation" | "libraries" | "permissions" | "permission-groups" => return 0,
        what => {
            io.complain(&format!("Error: unknown list type '{}'", shown(what)));
            return 255;
        }
    }
    let (mut letters, mut filter, mut with_code) = (String::new(), "", false);
    let mut rest = args[1..].iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--user" => _ = rest.next(),
            "--show-versioncode" => with_code = true,
            word if word.starts_with('-') => letters.push_str(&word[1..]),
            word => filter = word,
        }
    }
    let has = |letter: char| letters.contains(letter);
    for app in phone.apps.iter().filter(|app| app.uid != 0) {
        let hidden = if app.is_of_system { '3' } else { 's' };
        let is_meant = !has(hidden) && !has('d');
        if !is_meant || !app.package.contains(filter) {
            continue;
        }
        let path = if has('f') { format!("{}=", path_of(app)) } else { String::new() };
        let code = if with_code { format!(" versionCode:{}", app.version_code) } else { String::new() };
        let uid = if has('U') { format!(" uid:{}", app.uid) } else { String::new() };
        io.say(&format!("package:{path}{}{code}{uid}", app.package));
    }
    0
}

fn clear(phone: &mut Phone, package: &str, io: &mut Io) -> u8 {
    let Some(at) = phone.app(package) else { return refused(io, "Failed") };
    phone.stop(at);
    if let Some(sim) = &mut phone.apps[at].sim {
        sim.clear();
    }
    phone.apps[at].is_fresh = true;
    said(io, "Success")
}

fn install(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let (mut size, mut path) = (None, None);
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-S" => size = rest.next().and_then(|size| size.parse::<usize>().ok()),
            "-i" | "--user" | "--abi" | "--install-location" | "--originating-uri" | "--referrer" => {
                rest.next();
            }
            word if word.starts_with('-') && word != "-" => {}
            word => path = Some(word.to_string()),
        }
    }
    let apk: Arc<[u8]> = match (size, path) {
        (Some(size), _) => io.input.take(size).into(),
        (None, Some(path)) if path != "-" => match phone.files.read(&io.path(&path)) {
            Ok(bytes) => bytes,
            Err(_) => {
                io.complain(&format!("Error: Unable to open file: {}", shown(&path)));
                return refused(io, "Failure [INSTALL_FAILED_INVALID_URI]");
            }
        },
        _ => return refused(io, "Error: must either specify a package size or an APK file"),
    };
    answered(phone.install(&apk), io)
}

fn answered(done: Result<(), Refusal>, io: &mut Io) -> u8 {
    match done {
        Ok(()) => said(io, "Success"),
        Err(Refusal(why)) => {
            let why: String =
                why.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
            refused(io, &format!("Failure [{}]", super::io::cut(&why, 500)))
        }
    }
}

fn create(phone: &mut Phone, io: &mut Io) -> u8 {
    if phone.sessions.len() >= SESSIONS_MAX {
        return refused(io, "Error: too many sessions; end some of them with install-abandon");
    }
    let number = phone.next_session;
    phone.next_session += 1;
    phone.sessions.insert(number, Session::default());
    said(io, &format!("Success: created install session [{number}]"))
}

/// `install-write [-S BYTES] SESSION NAME [PATH|-]`
fn write(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let at = args.iter().position(|word| word == "-S");
    let size = at.and_then(|at| args.get(at + 1)).and_then(|size| size.parse::<usize>().ok());
    let words: Vec<&String> = args
        .iter()
        .enumerate()
        .filter(|(place, word)| {
            let is_size = at.is_some_and(|at| *place == at || *place == at + 1);
            !is_size && (!word.starts_with('-') || *word == "-")
        })
        .map(|(_, word)| word)
        .collect();
    let number = words.first().and_then(|number| number.parse().ok()).unwrap_or(0);
    if !phone.sessions.contains_key(&number) {
        return refused(io, "Error: java.lang.SecurityException: Caller has no access to session");
    }
    let bytes: Arc<[u8]> = match (size, words.get(2)) {
        (_, Some(path)) if *path != "-" => match phone.files.read(&io.path(path)) {
            Ok(bytes) => bytes,
            Err(error) => {
                return refused(io, &format!("Error: failed to open file: {}: {error}", shown(path)));
            }
        },
        (Some(size), _) => io.input.take(size).into(),
        (None, _) => io.input.rest().into(),
    };
    let held: usize = phone.sessions.values().flat_map(|session| &session.parts).map(|part| part.len()).sum();
    if held + bytes.len() > super::STDIN_MAX {
        return refused(io, "Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]");
    }
    let length = bytes.len();
    if let Some(session) = phone.sessions.get_mut(&number) {
        session.parts.push(bytes);
    }
    said(io, &format!("Success: streamed {length} bytes"))
}

fn commit(phone: &mut Phone, number: &str, io: &mut Io) -> u8 {
    let session = number.parse().ok().and_then(|number| phone.sessions.remove(&number));
    let Some(session) = session else {
        return refused(io, "Failure [INSTALL_FAILED_INVALID_SESSION]");
    };
    if session.parts.is_empty() {
        return refused(io, "Failure [INSTALL_FAILED_INVALID_APK: Session contains no APKs]");
    }
    // Of a split app the base carries the model; the others only have to be there.
    let base = session
        .parts
        .iter()
        .find(|part| matches!(unpack_model(Cursor::new(&part[..])), Ok(Some(_))))
        .unwrap_or(&session.parts[0])
        .clone();
    answered(phone.install(&base), io)
}

fn uninstall(phone: &mut Phone, package: &str, io: &mut Io) -> u8 {
    let Some(at) = phone.app(package).filter(|&at| !phone.apps[at].is_of_system) else {
        return refused(io, "Failure [DELETE_FAILED_INTERNAL_ERROR]");
    };
    phone.stop(at);
    phone.files.uninstall(&apk_path(package));
    if let Some(sim) = &mut phone.apps[at].sim {
        sim.clear();
    }
    // What runs the launcher stays, and nothing of the app is seen of it.
    phone.apps[at].uid = 0;
    said(io, "Success")
}

fn resolve(phone: &Phone, command: &str, args: &[String], io: &mut Io) -> u8 {
    let mut package = String::new();
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-c" | "-a" | "-d" | "-t" | "--user" => _ = rest.next(),
            word if word.starts_with('-') => {}
            word => package = word.to_string(),
        }
    }
    let Some(class) = main_class(phone, &package) else { return said(io, "No activity found") };
    let name = short_name(&package, &class);
    let facts = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true";
    if args.iter().any(|word| word == "--brief") || command == "query-activities" {
        return said(io, &format!("{facts}\n{name}"));
    }
    said(io, &format!("{facts}\n  ActivityInfo:\n    name={class}\n    packageName={package}"))
}

/// `dumpsys package PACKAGE`.
pub(super) fn dump(phone: &Phone, package: &str, io: &mut Io) -> u8 {
    let Some(at) = phone.app(package) else {
        return said(io, &format!("Unable to find package: {}", shown(package)));
    };
    let app = &phone.apps[at];
    io.say("Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:");
    for class in launchable(app) {
        io.say(&format!("        1f2e3d4 {} filter 5a6b7c8", short_name(package, &class)));
        io.say("          Action: \"android.intent.action.MAIN\"\n          Category: \"android.intent.category.LAUNCHER\"");
    }
    io.say(&format!("\nPackages:\n  Package [{package}] (1a2b3c4):"));
    io.say(&format!(
        "    userId={}\n    pkg=Package{{2b3c4d5 {package}}}\n    codePath={}",
        app.uid,
        path_of(app)
    ));
    io.say(&format!("    versionCode={} minSdk=17 targetSdk=34", app.version_code));
    io.say(&format!("    versionName={}", app.version));
    let moment = super::log::Moment::of(super::EPOCH_S).formatted("%Y-%m-%d %T", 0);
    io.say(&format!("    firstInstallTime={moment}\n    lastUpdateTime={moment}"));
    let flag = if app.is_of_system { "SYSTEM HAS_CODE" } else { "HAS_CODE ALLOW_CLEAR_USER_DATA" };
    io.say(&format!("    flags=[ {flag} ]\n    requested permissions:\n      android.permission.INTERNET"));
    io.say("    install permissions:\n      android.permission.INTERNET: granted=true");
    io.say("    User 0: ceDataInode=1 installed=true hidden=false suspended=false stopped=false enabled=0");
    if phone.version >= AndroidVersion::V16 {
        io.say("      installReason=0");
    }
    0
}
