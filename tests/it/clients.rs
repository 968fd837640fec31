//! `farlead sim` used by programs that were not written here: adb, and clients from PyPI and npm.
//!
//! The scripts beside this file assert in each program's own language. A missing program is reported and
//! skipped, unless `CI` is `true`: then all must be there.

use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::adbd::{Adb, wait_until};
use crate::ci;
use crate::cli::binary;

/// The longest time for a script; only something broken takes as long.
const PATIENCE: Duration = Duration::from_secs(300);

const NOTES: &str = "org.secuso.privacyfriendlynotes";

/// The app that the packages of these tests contain.
const LAMP: &str = "app org.example.lamp \"Lamp\" 1.5
launch Main
activity Main .Main {
    own lit = false
    Button (lit ? \"off\" : \"on\") -> lit = !lit
}
";

/// A simulated device in a process of its own.
struct Simulated {
    child: Child,
    address: String,
}

impl Simulated {
    /// Serves an app on a free port.
    fn start(app: &Path, more: &[&str]) -> Simulated {
        let mut command = Command::new(binary());
        command.arg("sim").arg(app).args(["--listen", "127.0.0.1:0"]).args(more);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("farlead runs");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on ").expect("where it listens").to_string();
        Simulated { child, address }
    }

    fn notes(more: &[&str]) -> Simulated {
        Simulated::start(&bundled("notes.app"), more)
    }
}

impl Drop for Simulated {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn bundled(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("apps").join(name)
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/clients").join(name)
}

fn as_text(path: &Path) -> &str {
    path.to_str().expect("a path in letters")
}

/// Packs the lamp's model into an APK.
fn lamp_apk(home: &Path) -> PathBuf {
    let (model, apk) = (home.join("lamp.app"), home.join("lamp.apk"));
    fs::write(&model, LAMP).expect("a file");
    let mut pack = Command::new(binary());
    pack.args(["model", "pack"]).arg(&model).arg("-o").arg(&apk);
    let output = pack.output().expect("farlead runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    apk
}

/// Returns the file with the server from uiautomator2's Python package.
pub fn u2_jar() -> Option<PathBuf> {
    let python = python(&[("uiautomator2", "uiautomator2==3.7.1")])?;
    let script = "import uiautomator2, os; print(os.path.dirname(uiautomator2.__file__))";
    let output = Command::new(python).args(["-c", script]).output().expect("a Python");
    let folder = String::from_utf8(output.stdout).expect("a path");
    Some(Path::new(folder.trim()).join("assets/u2.jar"))
}

/// Returns a Python with these modules, given with their package names at PyPI.
pub fn python(modules: &[(&str, &str)]) -> Option<String> {
    let python = std::env::var("FARLEAD_TEST_PYTHON").unwrap_or_else(|_| "python3".to_string());
    for (module, package) in modules {
        let imported = Command::new(&python).args(["-c", &format!("import {module}")]).output();
        if !imported.is_ok_and(|output| output.status.success()) {
            ci::skip(&format!("install {package} by pip, and name its Python in FARLEAD_TEST_PYTHON"));
            return None;
        }
    }
    Some(python)
}

/// Runs a program to its end, which must come in time.
fn ended(mut command: Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a program");
    let stdout = all_of(child.stdout.take().expect("a pipe"));
    let stderr = all_of(child.stderr.take().expect("a pipe"));
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
        }
        thread::sleep(Duration::from_millis(10));
    };
    Output { status, stdout: stdout.join().expect("a reader"), stderr: stderr.join().expect("a reader") }
}

/// Reads to the end in a thread of its own.
fn all_of(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("a pipe that can be read");
        bytes
    })
}

/// Runs a script, which must print `ok` at its end.
#[track_caller]
fn check(command: Command) {
    let output = ended(command);
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.ends_with("ok\n"), "{said}\n{errors}");
}

/// Runs a Python script with a device that adb knows and an APK.
fn check_python(name: &str, modules: &[(&str, &str)], app: &str, more: &[&str]) {
    let Some(python) = python(modules) else { return };
    let Some(adb) = Adb::start(&name.replace('.', "-")) else { return };
    let device = Simulated::start(&bundled(app), more);
    let serial = adb.connect_to(&device.address);
    let mut command = adb.for_program(&python);
    command.arg(script(name)).arg(serial).arg(lamp_apk(&adb.home));
    check(command);
}

// The real adb.

#[test]
fn the_real_adb_uses_an_app_as_on_a_phone() {
    let Some(adb) = Adb::start("sim") else { return };
    let device = Simulated::notes(&[]);
    assert_eq!(adb.text(&["connect", &device.address]), format!("connected to {}\n", device.address));
    let devices = adb.text(&["devices", "-l"]);
    assert!(devices.contains("device product:farlead_sim model:Farlead_Sim device:sim"), "{devices}");
    assert_eq!(adb.run(&["shell", "exit 42"]).status.code(), Some(42));
    assert_eq!(adb.run(&["shell", "pm path org.nosuch"]).status.code(), Some(1));
    assert_eq!(adb.text(&["shell", "-x", "echo one; echo two >&2; echo three"]), "one\ntwo\nthree\n");
    assert_eq!(adb.fed(&["shell", "grep -c o"], b"one\ntwo\nsix\n"), ("2\n".to_string(), Some(0)));
    let typed = b"cd /sdcard\npwd\nx=1; echo $x\nexit 3\n";
    assert_eq!(adb.fed(&["shell"], typed), ("/\n1\n".to_string(), Some(3)), "a line is a shell of its own");
    let started = adb.text(&["shell", "am", "start", "-W", "-n", &format!("{NOTES}/.SplashActivity")]);
    assert!(started.contains("Status: ok\nLaunchState: COLD\n"), "{started}");
    let dumped = adb.text(&["exec-out", "uiautomator", "dump", "/dev/tty"]);
    assert!(dumped.starts_with("<?xml") && dumped.contains("text=\"OKAY\""), "{dumped}");
    let picture = adb.run(&["exec-out", "screencap", "-p"]).stdout;
    assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n") && picture.ends_with(b"IEND\xaeB`\x82"));
    adb.run(&["shell", "input", "tap", "345", "486"]);
    let dumped = adb.text(&["exec-out", "uiautomator", "dump", "/dev/tty"]);
    assert!(!dumped.contains("text=\"OKAY\"") && dumped.contains("content-desc=\"+\""), "{dumped}");
    let logged = adb.text(&["logcat", "-d", "-b", "all"]);
    assert!(logged.contains(&format!("Start proc 4000:{NOTES}/u0a")), "{logged}");
    assert!(!adb.text(&["logcat", "-c"]).contains("failed"));
    let refused = adb.run(&["bugreport", as_text(&adb.home.join("bugs.zip"))]);
    let said = String::from_utf8_lossy(&[refused.stdout, refused.stderr].concat()).into_owned();
    assert!(
        !refused.status.success() && said.contains("a simulated phone writes no reports of bugs"),
        "{said}"
    );
}

#[test]
fn the_real_adb_keeps_listeners_and_commands_that_run_on() {
    let Some(adb) = Adb::start("runs-on") else { return };
    let device = Simulated::notes(&[]);
    let serial = adb.connect_to(&device.address);
    assert_eq!(adb.text(&["reverse", "tcp:7100", "tcp:7101"]), "");
    assert_eq!(adb.text(&["reverse", "tcp:0", "tcp:7102"]), "40001\n");
    assert_eq!(
        adb.text(&["reverse", "--list"]).trim_end(),
        "(reverse) tcp:40001 tcp:7102\n(reverse) tcp:7100 tcp:7101"
    );
    assert!(adb.text(&["reverse", "--no-rebind", "tcp:7100", "tcp:7103"]).contains("cannot rebind"));
    assert_eq!(adb.text(&["reverse", "--remove", "tcp:7100"]), "");
    assert!(adb.text(&["reverse", "--remove", "tcp:7100"]).contains("'tcp:7100' not found"));
    assert_eq!(adb.text(&["reverse", "--remove-all"]), "");
    assert_eq!(adb.text(&["reverse", "--list"]).trim_end(), "");
    assert!(
        adb.text(&["shell", "getevent", "-pl"]).contains("ABS_MT_POSITION_X     : value 0, min 0, max 479")
    );
    assert_eq!(adb.text(&["shell", "ime", "list", "-s"]), "com.android.inputmethod.latin/.LatinIME\n");
    let listed = adb.text(&["shell", "pm", "list", "instrumentation"]);
    let target = listed.trim_end().strip_prefix("instrumentation:").and_then(|line| line.split(' ').next());
    let mut touches = adb.command(&["shell", "getevent"]).stdout(Stdio::null()).spawn().expect("adb runs");
    let mut tests = adb.command(&["shell", "am", "instrument", "-w", target.expect("one")]);
    let mut tests = tests.stdout(Stdio::piped()).spawn().expect("adb runs");
    let server = "io.appium.uiautomator2.server";
    wait_until("a server", || !adb.text(&["shell", "pidof", server]).is_empty());
    assert!(touches.try_wait().expect("a child").is_none() && tests.try_wait().expect("a child").is_none());
    adb.run(&["shell", "am", "force-stop", server]);
    let mut last = String::new();
    tests.stdout.take().expect("a pipe").read_to_string(&mut last).expect("text");
    assert!(last.contains("shortMsg=Process crashed.") && tests.wait().expect("a child").success(), "{last}");
    assert!(touches.try_wait().expect("a child").is_none(), "nobody touches the screen");
    touches.kill().expect("a child");
    touches.wait().expect("a child");
    // A host that is gone takes the server with it.
    let mut tests = adb.command(&["-s", &serial, "shell", "am", "instrument", "-w", target.expect("one")]);
    let mut tests = tests.stdout(Stdio::null()).spawn().expect("adb runs");
    wait_until("a server", || !adb.text(&["shell", "pidof", server]).is_empty());
    tests.kill().expect("a child");
    tests.wait().expect("a child");
    wait_until("no server", || adb.text(&["shell", "pidof", server]).is_empty());
}

#[test]
fn the_real_adb_moves_files_and_apps() {
    let Some(adb) = Adb::start("moves") else { return };
    let device = Simulated::notes(&[]);
    adb.connect_to(&device.address);
    let (from, to) = (adb.home.join("from"), adb.home.join("to"));
    let bytes: Vec<u8> =
        (0..10_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24).to_le_bytes()[0]).collect();
    fs::write(&from, &bytes).expect("a file");
    let pushed = adb.text(&["push", as_text(&from), "/sdcard/Download/ten million"]);
    assert!(pushed.contains("1 file pushed"), "{pushed}");
    let pulled = adb.text(&["pull", "/sdcard/Download/ten million", as_text(&to)]);
    assert!(pulled.contains("1 file pulled"), "{pulled}");
    assert!(fs::read(&to).expect("a file") == bytes, "what comes back is what was sent");
    let apk = lamp_apk(&adb.home);
    let listed = |adb: &Adb| adb.text(&["shell", "pm", "list", "packages", "-3"]);
    for way in [&["install", "-r", "-g", "-t"][..], &["install", "--no-streaming"], &["install-multiple"]] {
        let mut arguments = way.to_vec();
        arguments.push(as_text(&apk));
        let said = adb.text(&arguments);
        assert!(said.contains("Success"), "{way:?}: {said}");
        assert!(listed(&adb).contains("package:org.example.lamp\n"), "{way:?}");
        let started = adb.text(&["shell", "am start -W -n org.example.lamp/.Main; input tap 100 100"]);
        assert!(started.contains("Status: ok"), "{way:?}: {started}");
        assert_eq!(adb.text(&["uninstall", "org.example.lamp"]), "Success\n");
        assert!(!listed(&adb).contains("org.example.lamp"), "{way:?}");
    }
    let said = adb.text(&["install", as_text(&from.with_extension("apk"))]);
    assert!(said.contains("failed"), "{said}");
    let broken = from.with_extension("apk");
    fs::write(&broken, &bytes[..100_000]).expect("a file");
    let said = adb.text(&["install", as_text(&broken)]);
    assert!(said.contains("Failure [INSTALL_"), "{said}");
}

#[test]
fn the_real_adb_finds_a_device_again() {
    let Some(adb) = Adb::start("again") else { return };
    let device = Simulated::notes(&[]);
    let serial = adb.connect_to(&device.address);
    adb.run(&["shell", "echo kept > /sdcard/f"]);
    adb.run(&["kill-server"]);
    adb.connect_to(&serial);
    assert_eq!(adb.text(&["shell", "cat /sdcard/f"]), "kept\n");
    adb.run(&["reboot"]);
    adb.run(&["disconnect", &serial]);
    adb.connect_to(&serial);
    assert_eq!(adb.text(&["shell", "cat /sdcard/f; pidof org.secuso.privacyfriendlynotes"]), "kept\n");
}

// Clients from PyPI and npm.

const ADBUTILS: (&str, &str) = ("adbutils", "adbutils==2.12.0");
const LXML: (&str, &str) = ("lxml", "lxml");
const PILLOW: (&str, &str) = ("PIL", "pillow");

#[test]
fn adbutils_uses_a_device() {
    check_python("with_adbutils.py", &[ADBUTILS, LXML, PILLOW], "notes.app", &[]);
}

#[test]
fn uiautomator2_uses_a_device() {
    check_python("with_uiautomator2.py", &[("uiautomator2", "uiautomator2==3.7.1")], "notes.app", &[]);
}

#[test]
fn pure_python_adb_uses_a_device() {
    let ppadb = ("ppadb", "pure-python-adb==0.3.0.dev0");
    check_python("with_ppadb.py", &[ppadb, PILLOW], "notes.app", &[]);
}

#[test]
fn adb_shell_uses_a_device_without_an_adb_server() {
    let Some(python) = python(&[("adb_shell", "adb-shell==0.4.4")]) else { return };
    let home = std::env::temp_dir().join(format!("farlead-adb-shell-{}", std::process::id()));
    fs::create_dir_all(&home).expect("a folder");
    for (number, more) in [&[][..], &["--auth"], &["--old-adb"]].into_iter().enumerate() {
        let device = Simulated::notes(more);
        let mut command = Command::new(&python);
        command.arg(script("with_adb_shell.py")).arg(&device.address);
        command.arg(home.join(format!("key{number}")));
        check(command);
    }
    let _ = fs::remove_dir_all(&home);
}

/// Returns the folder with these packages of npm, given with their versions.
pub fn npm_folder(packages: &[&str]) -> Option<String> {
    let folder = std::env::var("FARLEAD_TEST_NPM").unwrap_or_default();
    let is_there = |package: &&str| {
        let name = package.rsplit_once('@').map_or(*package, |(name, _)| name);
        Path::new(&folder).join("node_modules").join(name).is_dir()
    };
    if folder.is_empty() || !packages.iter().all(is_there) {
        let wanted = packages.join(" and ");
        ci::skip(&format!("install {wanted} by npm, and name the folder in FARLEAD_TEST_NPM"));
        return None;
    }
    Some(folder)
}

#[test]
fn yume_chan_adb_uses_a_device_with_and_without_an_adb_server() {
    let Some(folder) = npm_folder(&["@yume-chan/adb@2.6.0", "@yume-chan/adb-server-node-tcp@2.5.2"]) else {
        return;
    };
    let Some(adb) = Adb::start("yume-chan") else { return };
    let device = Simulated::notes(&[]);
    let serial = adb.connect_to(&device.address);
    let mut command = adb.for_program("node");
    command.arg(script("with_yume_chan.mjs")).arg(serial).arg(folder);
    check(command);
}

/// Packages of Appium's server and of its driver for Android.
pub const APPIUM: [&str; 2] = ["appium@3.8.0", "appium-uiautomator2-driver@8.7.0"];

/// Makes a folder in which Appium's driver finds adb, as it looks for adb in an SDK alone.
#[cfg(unix)]
pub fn sdk(adb: &Adb) -> PathBuf {
    let tools = adb.home.join("sdk/platform-tools");
    fs::create_dir_all(&tools).expect("a folder");
    std::os::unix::fs::symlink(ci::program("adb").expect("adb is in the path"), tools.join("adb"))
        .expect("a link");
    adb.home.join("sdk")
}

#[test]
#[cfg(unix)]
fn appium_with_its_driver_uses_a_device() {
    let Some(folder) = npm_folder(&APPIUM) else { return };
    let Some(adb) = Adb::start("appium") else { return };
    let device = Simulated::notes(&[]);
    let serial = adb.connect_to(&device.address);
    let mut command = adb.for_program("node");
    command.arg(script("with_appium.mjs")).arg(serial).arg(folder).arg(sdk(&adb));
    check(command);
}

#[test]
fn every_dump_is_read_by_parsers_of_others_and_every_picture_by_a_viewer() {
    for (version, app) in
        [("7", "notes.app"), ("9", "chesswalk.app"), ("13", "notes.app"), ("16", "chesswalk.app")]
    {
        check_python("reads_all_screens.py", &[ADBUTILS, LXML, PILLOW], app, &["--android", version]);
    }
}

// Exported tests.

/// Returns the tests that farlead keeps of the bundled specs of an app, in their order.
pub fn stored_tests(app: &str, folder: &Path) -> Vec<PathBuf> {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(app);
    let mut check = Command::new(binary());
    check.arg("check").arg(specs).arg("--app").arg(bundled(&format!("{app}.app"))).arg("--out").arg(folder);
    let output = check.output().expect("farlead runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    tests_in(folder)
}

/// Returns the stored tests in a folder, in their order.
pub fn tests_in(folder: &Path) -> Vec<PathBuf> {
    let mut left = vec![folder.to_path_buf()];
    let mut tests = Vec::new();
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path);
            } else if as_text(&path).ends_with(".test.ltl") {
                tests.push(path);
            }
        }
    }
    tests.sort();
    tests
}

/// Runs a script for adb on a device; returns its exit code and its complaint.
pub fn run_script(adb: &Adb, serial: &str, test: &Path) -> (Option<i32>, String) {
    let file = test.with_extension("sh");
    if !file.exists() {
        let mut export = Command::new(binary());
        export.arg("export").arg(test).args(["--to", "adb", "-o"]).arg(&file);
        let output = export.output().expect("farlead runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let mut script = adb.for_program("sh");
    script.arg(&file).env("ANDROID_SERIAL", serial).env("FARLEAD_IDLE_S", "0").env("FARLEAD_TRIES", "2");
    let output = ended(script);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Returns true if a test turns the display off.
fn is_dark(test: &Path) -> bool {
    ["/sleep/", "/minute/"].iter().any(|name| as_text(test).contains(name))
}

/// Returns the step at which a test breaks on the app with its bugs corrected, as farlead itself reports it.
fn broken_step(app: &str, test: &Path) -> Option<String> {
    let mut replay = Command::new(binary());
    replay
        .arg("replay")
        .arg(test)
        .arg("--app")
        .arg(bundled(&format!("{app}.app")))
        .args(["--set", "fixed=true"]);
    let output = replay.output().expect("farlead runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.split_once("failed: step ").and_then(|(_, rest)| rest.split(' ').next()).map(str::to_string)
}

#[test]
fn exported_scripts_pass_on_their_app_and_fail_where_it_was_changed() {
    let Some(adb) = Adb::start("exports") else { return };
    let (mut passed, mut broken) = (0, 0);
    for app in ["chesswalk", "notes"] {
        let tests = stored_tests(app, &adb.home.join(app));
        let device = Simulated::start(&bundled(&format!("{app}.app")), &[]);
        let serial = adb.connect_to(&device.address);
        for test in &tests {
            assert_eq!(run_script(&adb, &serial, test), (Some(0), String::new()), "{}", test.display());
            passed += 1;
        }
        let changed = Simulated::start(&bundled(&format!("{app}.app")), &["--set", "fixed=true"]);
        let serial = adb.connect_to(&changed.address);
        // An idle presses the key that turns the display off, which works even if the app keeps it lit.
        for test in tests.iter().filter(|test| !is_dark(test)) {
            let (code, said) = run_script(&adb, &serial, test);
            match broken_step(app, test) {
                None => assert_eq!((code, &*said), (Some(0), ""), "{}", test.display()),
                Some(step) => {
                    let expected = format!("failed at step {step}, ");
                    assert!(code == Some(1) && said.starts_with(&expected), "{}: {said}", test.display());
                    broken += 1;
                }
            }
        }
    }
    assert_eq!((passed, broken), (33, 10));
}

/// A server of Appium in a process of its own.
#[cfg(unix)]
struct Appium {
    child: Child,
    url: String,
}

#[cfg(unix)]
impl Appium {
    /// Starts the server of the packages in `npm` on a free port.
    fn start(adb: &Adb, npm: &str) -> Appium {
        let port = ci::free_port().to_string();
        let mut command = adb.for_program("node");
        command.arg(Path::new(npm).join("node_modules/appium/index.js"));
        command
            .args(["--address", "127.0.0.1", "--port", &port])
            .env("APPIUM_HOME", npm)
            .env("ANDROID_HOME", sdk(adb));
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("node runs");
        let appium = Appium { child, url: format!("http://127.0.0.1:{port}") };
        wait_until("a server of Appium", || TcpStream::connect(format!("127.0.0.1:{port}")).is_ok());
        appium
    }
}

#[cfg(unix)]
impl Drop for Appium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[cfg(unix)]
fn exported_appium_tests_pass_on_their_app_and_fail_where_it_was_changed() {
    let Some(npm) = npm_folder(&["appium@3.8.0", "appium-uiautomator2-driver@8.7.0"]) else { return };
    let Some(python) = python(&[("appium", "Appium-Python-Client==6.0.9"), ("pytest", "pytest==9.2.0")])
    else {
        return;
    };
    let Some(adb) = Adb::start("appium-exports") else { return };
    let tests = stored_tests("notes", &adb.home.join("notes"));
    let mut expected = Vec::new();
    for (number, test) in tests.iter().enumerate() {
        let file = adb.home.join(format!("test_{number}.py"));
        let mut export = Command::new(binary());
        export.arg("export").arg(test).args(["--to", "appium", "-o"]).arg(&file);
        assert!(export.output().expect("farlead runs").status.success(), "{}", test.display());
        if let Some(step) = broken_step("notes", test) {
            expected.push((format!("test_{number}.py"), format!("step {step}, ")));
        }
    }
    assert!(expected.len() >= 2, "{expected:?}");
    let appium = Appium::start(&adb, &npm);
    let run = |device: &Simulated, files: &[&str]| {
        let mut command = adb.for_program(&python);
        command
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-rf", "--tb=no"])
            .args(files)
            .current_dir(&adb.home);
        let (adb_port, port) = (adb.port, ci::free_port());
        let capabilities = format!("{{\"appium:adbPort\": {adb_port}, \"appium:systemPort\": {port}}}");
        command
            .env("APPIUM_URL", &appium.url)
            .env("APPIUM_CAPABILITIES", capabilities)
            .env("FARLEAD_TIMEOUT_S", "2");
        command.env("ANDROID_SERIAL", adb.connect_to(&device.address)).env("COLUMNS", "1000");
        let output = ended(command);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let device = Simulated::notes(&[]);
    let (code, said) = run(&device, &[]);
    assert!(code == Some(0) && said.contains(&format!("{} passed", tests.len())), "{said}");
    let changed = Simulated::notes(&["--set", "fixed=true"]);
    let files: Vec<&str> = expected.iter().map(|(file, _)| &**file).collect();
    let (code, said) = run(&changed, &files);
    assert_eq!(code, Some(1), "{said}");
    for (file, step) in &expected {
        let line = said
            .lines()
            .find(|line| line.starts_with(&format!("FAILED {file}")))
            .unwrap_or_else(|| panic!("{file} passes: {said}"));
        // A widget that is missing has no step in its message.
        assert!(line.contains(step) || line.contains("NoSuchElement"), "{step}: {line}");
    }
}

// Hostile hosts.

/// Returns the number of files and threads of a process.
#[cfg(target_os = "linux")]
fn held_by(device: &Simulated) -> (usize, usize) {
    let count =
        |what: &str| fs::read_dir(format!("/proc/{}/{what}", device.child.id())).expect("a process").count();
    (count("fd"), count("task"))
}

#[test]
#[cfg(target_os = "linux")]
fn a_thousand_connections_leave_nothing_behind_in_the_process() {
    use farlead::emulator::adbd::packet::{self, Checksum, Command as Word};

    let device = Simulated::notes(&[]);
    let before = held_by(&device);
    let mut greeting = Vec::new();
    packet::write(&mut greeting, Word::Cnxn, [packet::VERSION, 4_096], b"host::", Checksum::Included);
    let mut open = greeting.clone();
    let services = [
        "sync:",
        "shell,v2,raw:cat",
        "shell:",
        "exec:logcat",
        "framebuffer:",
        "shell:app_process",
        "tcp:9008",
    ];
    for (number, service) in (1..).zip(services) {
        packet::write(&mut open, Word::Open, [number, 0], service.as_bytes(), Checksum::Included);
    }
    for number in 0..1_000 {
        let mut socket = TcpStream::connect(&device.address).expect("a device that listens");
        let said: &[u8] = match number % 4 {
            0 => b"",
            1 => &greeting[..7],
            2 => &greeting,
            _ => &open,
        };
        // A device that is full has hung up by now.
        let _ = socket.write_all(said);
    }
    wait_until("an end of all connections", || held_by(&device) == before);
}

#[test]
fn hostile_lines_end_soon_and_leave_the_device_as_it_was() {
    let Some(adb) = Adb::start("hostile") else { return };
    let device = Simulated::notes(&[]);
    adb.connect_to(&device.address);
    let deep = format!("{}echo in{}", "(".repeat(20_000), ")".repeat(20_000));
    let substituted = format!("echo {}{}", "$(echo ".repeat(5_000), ")".repeat(5_000));
    let lines = [
        "yes | head -n 3",
        "while true; do echo x; done",
        "until false; do :; done | cat",
        ":(){ :|:& };:",
        "f() { f | f; }; f",
        "for a in 1 2 3 4 5 6 7 8 9; do for b in 1 2 3 4 5 6 7 8 9; do for c in 1 2 3 4 5 6 7 8 9; do echo $a$b$c; done; done; done | wc -l",
        "x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done; echo ${x}",
        "ls /*/*/*/*/*/*/*/* /*/../*/../*/../* 2>/dev/null | wc -c",
        "cat /dev/zero | wc -c",
        "seq 1 100000000 | sort | uniq | wc -l",
        "sleep 99999999999",
        "timeout 1 sh -c 'while true; do sleep 1; done'",
        "eval eval eval eval eval eval eval eval eval eval eval eval echo deep",
        "printf '%s%s' $(seq 1 100000) | wc -c",
        "head -c 300000000 /dev/zero > /sdcard/large; while true; do cat /sdcard/large /sdcard/large > /sdcard/more; cp /sdcard/more /sdcard/large; done",
        "while true; do echo aaaaaaaaaaaaaaaaaaaaaaaa >> /sdcard/f; cat /sdcard/f /sdcard/f >> /sdcard/g; done",
        "while true; do screencap -p /sdcard/a.png; done",
        "while true; do cat /sdcard/g | md5sum; done",
        &deep,
        &substituted,
    ];
    for line in lines {
        let output = ended({
            let mut command = adb.command(&["shell", line]);
            command.stdin(Stdio::null());
            command
        });
        let shown: String = line.chars().take(60).collect();
        assert!(output.stdout.len() <= 64 << 20, "{shown}: {} bytes", output.stdout.len());
        assert_eq!(adb.text(&["shell", "echo still here"]), "still here\n", "{shown}");
    }
    let dumped = adb.text(&["exec-out", "uiautomator", "dump", "/dev/tty"]);
    assert!(dumped.contains("com.android.launcher"), "{dumped}");
    assert!(memory_mb(&device) < 1_500, "{} MB", memory_mb(&device));
}

/// Returns the peak memory of a process, or 0 if the system does not tell.
fn memory_mb(device: &Simulated) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", device.child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
