//! `pm` and `cmd package`: the installed apps, installation and removal.

use std::io::Cursor;
use std::sync::Arc;

use super::clock::{EPOCH_S, Moment};
use super::io::{Io, STDIN_MAX, cut, shown};
use super::names::short_name;
use super::servers::Automator;
use super::system::{App, Phone, Session, apk_path};
use super::version::AndroidVersion;
use crate::device::android::manifest::Facts;
use crate::device::sim::apk::unpack_model;
use crate::device::sim::read;
use crate::spec::Source;

/// Number of apps at most.
const APPS_MAX: usize = 100;

/// Number of installations under way at most.
const SESSIONS_MAX: usize = 20;

/// Android's reason why an APK was not installed.
struct Refusal(String);

impl Phone {
    fn install(&mut self, apk: &[u8]) -> Result<(), Refusal> {
        let refuse = |code: &str, why: &str| Refusal(format!("{code}: {why}"));
        let text = unpack_model(Cursor::new(apk)).map_err(|error| {
            refuse("INSTALL_PARSE_FAILED_NOT_APK", &format!("Failed to parse base.apk: {error}"))
        })?;
        // An APK of another app is listed after its installation, so that clients find it, and does nothing.
        let is_room = self.apps.len() < APPS_MAX;
        let Some(text) = text else {
            let facts = Facts::read(apk).ok_or_else(|| {
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
            self.install_empty(facts.package.into(), facts.version.into(), facts.version_code, apk.into());
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
            // Stored data outlives an update.
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

/// `pm`: the package manager.
pub(super) fn pm(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let Some((command, rest)) = args.split_first() else {
        io.say("Package manager (package) commands:\n  list packages\n  path PACKAGE\n  install [PATH]\n  uninstall PACKAGE\n  clear PACKAGE");
        return 1;
    };
    // The package is the last word, whatever options come before it.
    let last = rest.iter().rfind(|word| !word.starts_with('-')).cloned().unwrap_or_default();
    match command.as_str() {
        "list" => list(phone, rest, io),
        "path" => match phone.app(&last) {
            Some(at) => io.answer(&format!("package:{}", path_of(&phone.apps[at]))),
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
                io.answer("Success")
            } else {
                refused(io, "Failure [INSTALL_FAILED_INVALID_SESSION]")
            }
        }
        "uninstall" => uninstall(phone, &last, io),
        "dump" => dump(phone, &last, io),
        "resolve-activity" | "query-activities" => resolve(phone, command, rest, io),
        // Models have no permissions.
        "grant"
        | "revoke"
        | "reset-permissions"
        | "trim-caches"
        | "set-install-location"
        | "bg-dexopt-job" => 0,
        "enable" | "disable" | "disable-user" => {
            io.answer(&format!("Package {} new state: enabled", shown(&last)))
        }
        "get-install-location" => io.answer("0[auto]"),
        "get-max-users" => io.answer("Maximum supported users: 1"),
        "has-feature" => io.answer("false"),
        "is-user-a-monkey" => io.answer("false"),
        command => {
            io.complain(&format!("Unknown command: {}", shown(command)));
            255
        }
    }
}

/// Writes the reason of a failure to the output, where Android writes it, and returns the exit code of failure.
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
        "users" => return io.answer("Users:\n\tUserInfo{0:Owner:4c13} running"),
        "features" => {
            return io.answer("feature:android.hardware.touchscreen\nfeature:android.software.home_screen");
        }
        "instrumentation" => {
            let (name, target) = (Automator::INSTRUMENTATION, Automator::APPIUM);
            return io.answer(&format!("instrumentation:{name} (target={target})"));
        }
        "libraries" | "permissions" | "permission-groups" => return 0,
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
    // `-s` and `-3` choose one side, `-d` the disabled apps; no app is disabled here.
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
    // The next start is again a first one.
    phone.apps[at].is_fresh = true;
    io.answer("Success")
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
    // With a size the APK comes through the input, even if a path is given.
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
        Ok(()) => io.answer("Success"),
        Err(Refusal(why)) => {
            // The reason may quote an APK; a line break in it would look like another answer.
            let why: String =
                why.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
            refused(io, &format!("Failure [{}]", cut(&why, 500)))
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
    io.answer(&format!("Success: created install session [{number}]"))
}

/// `install-write [-S BYTES] SESSION NAME [PATH|-]`: adds a file to an installation.
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
    // All sessions together have the room of one upload.
    let held: usize = phone.sessions.values().flat_map(|session| &session.parts).map(|part| part.len()).sum();
    if held + bytes.len() > STDIN_MAX {
        return refused(io, "Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]");
    }
    // The answer counts what was read, and not what `-S` claims.
    let length = bytes.len();
    if let Some(session) = phone.sessions.get_mut(&number) {
        session.parts.push(bytes);
    }
    io.answer(&format!("Success: streamed {length} bytes"))
}

fn commit(phone: &mut Phone, number: &str, io: &mut Io) -> u8 {
    let session = number.parse().ok().and_then(|number| phone.sessions.remove(&number));
    let Some(session) = session else {
        return refused(io, "Failure [INSTALL_FAILED_INVALID_SESSION]");
    };
    if session.parts.is_empty() {
        return refused(io, "Failure [INSTALL_FAILED_INVALID_APK: Session contains no APKs]");
    }
    // The base of a split app carries the model; the other parts only have to be there.
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
    // The current app's simulator also runs the launcher, so it stays; without a user id nothing of the app shows.
    phone.apps[at].uid = 0;
    io.answer("Success")
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
    let Some(class) = phone.main_class(&package) else { return io.answer("No activity found") };
    // `--brief` prints the component alone behind a line that readers skip.
    let name = short_name(&package, &class);
    let facts = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true";
    if args.iter().any(|word| word == "--brief") || command == "query-activities" {
        return io.answer(&format!("{facts}\n{name}"));
    }
    io.answer(&format!("{facts}\n  ActivityInfo:\n    name={class}\n    packageName={package}"))
}

/// `dumpsys package PACKAGE`: the facts of an app.
pub(super) fn dump(phone: &Phone, package: &str, io: &mut Io) -> u8 {
    let Some(at) = phone.app(package) else {
        return io.answer(&format!("Unable to find package: {}", shown(package)));
    };
    let app = &phone.apps[at];
    io.say("Activity Resolver Table:\n  Non-Data Actions:\n      android.intent.action.MAIN:");
    for class in app.launchable() {
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
    let moment = Moment::of(EPOCH_S).formatted("%Y-%m-%d %T", 0);
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
