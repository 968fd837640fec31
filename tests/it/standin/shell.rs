//! The shell of the stand-in: a folder that plays the phone, and mksh in it.
//!
//! A tool of Android is a script that hands its words through a pipe to this process, and prints the answer. Four pipes
//! serve at a time, as the tools of a pipeline run side by side; a token says which pipe is free.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use farlead::device::adb::{Answer, Line, LineError};
use farlead::emulator::adbd::{Backend, FileStat, Ran};

use crate::ci;

/// Tools that are toybox's on a phone, too. Tools that could harm this computer are left out.
const OF_TOYBOX: &[&str] = &[
    "[",
    "base64",
    "basename",
    "cat",
    "chmod",
    "cmp",
    "cp",
    "cut",
    "dirname",
    "egrep",
    "env",
    "false",
    "fgrep",
    "find",
    "grep",
    "head",
    "id",
    "ls",
    "md5sum",
    "mkdir",
    "mv",
    "nohup",
    "od",
    "printenv",
    "printf",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "sha256sum",
    "sort",
    "stat",
    "tail",
    "tee",
    "timeout",
    "touch",
    "tr",
    "true",
    "uname",
    "uniq",
    "wc",
    "which",
    "xargs",
    "xxd",
];

/// Tools that [`Android`] answers. A phone's `sleep` is toybox's; time on the stand-in is its own.
const OF_ANDROID: &[&str] = &[
    "am",
    "app_process",
    "clock",
    "cmd",
    "content",
    "dumpsys",
    "getprop",
    "input",
    "logcat",
    "monkey",
    "pidof",
    "pm",
    "ps",
    "screencap",
    "service",
    "setprop",
    "settings",
    "sleep",
    "svc",
    "uiautomator",
    "wm",
];

/// Places of a phone that are below the stand-in's folder. All other paths are those of this computer.
const PLACES: [&str; 3] = ["/data/local/tmp", "/sdcard", "/proc/uptime"];

/// Names of the pipes.
const PIPES: [&str; 4] = ["a", "b", "c", "d"];

/// The tools of Android on a stand-in.
pub trait Android: Send {
    /// Returns `ro.product.name`, `ro.product.model` and `ro.product.device`.
    fn product(&self) -> [String; 3];

    /// Runs a tool, named by the first word. The files of the phone are below `root`. The tool `clock` prints the seconds
    /// since 1970.
    fn run(&mut self, words: &[String], root: &Path) -> Ran;

    /// Returns the text of `/proc/uptime`.
    fn uptime(&mut self) -> String;
}

/// A phone with a real shell. Its clones are the same phone.
#[derive(Clone)]
pub struct StandIn {
    phone: Arc<Phone>,
}

struct Phone {
    root: PathBuf,
    mksh: PathBuf,
    android: Arc<Mutex<dyn Android>>,
    /// Held open: a pipe that nobody has open forgets its bytes.
    _tokens: File,
}

/// Makes the pipes, and returns that of the tokens with a token for each of the others in it.
fn make_pipes(toybox: &Path, folder: &Path) -> File {
    let names = PIPES.iter().flat_map(|pipe| [format!("ask.{pipe}"), format!("say.{pipe}")]);
    let names = names.chain(["tokens".to_string()]);
    let mut command = Command::new(toybox);
    command.arg("mkfifo").args(names.map(|name| folder.join(name)));
    assert!(command.status().is_ok_and(|status| status.success()), "pipes");
    let mut tokens = OpenOptions::new().read(true).write(true).open(folder.join("tokens")).expect("a pipe");
    tokens.write_all(PIPES.concat().as_bytes()).expect("a pipe takes a few bytes");
    tokens
}

impl StandIn {
    /// Returns a phone with these tools, or says that mksh or toybox is missing; in CI both must be there.
    pub fn new(android: Arc<Mutex<dyn Android>>) -> Option<StandIn> {
        let (Some(mksh), Some(toybox)) = (ci::program("mksh"), ci::program("toybox")) else {
            ci::skip("mksh or toybox is not installed");
            return None;
        };
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("farlead-standin-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let root = std::env::temp_dir().join(name);
        // The system reuses process numbers some day.
        let _ = fs::remove_dir_all(&root);
        for folder in ["bin", "data/local/tmp", "sdcard", "proc", "pipes"] {
            fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        let bin = root.join("bin");
        for name in OF_TOYBOX {
            symlink(&toybox, bin.join(name)).expect("a link");
        }
        symlink(&mksh, bin.join("sh")).expect("a link");
        let tokens = make_pipes(&toybox, &root.join("pipes"));
        let phone = Phone { root, mksh, android, _tokens: tokens };
        phone.make_tools(&toybox);
        let phone = Arc::new(phone);
        for pipe in PIPES {
            let (root, android) = (phone.root.clone(), phone.android.clone());
            thread::spawn(move || serve(&root, pipe, &android));
        }
        Some(StandIn { phone })
    }

    /// Ends the phone, although a connection may still hold it.
    pub fn end(&self) {
        self.phone.end();
    }

    /// Runs a command line as adb has a phone run it.
    pub fn said(&self, line: &str) -> String {
        let ran = self.phone.shell(line, b"", false);
        String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned()
    }
}

impl Phone {
    fn make_tools(&self, toybox: &Path) {
        let (mksh, pipes) = (self.mksh.display(), self.root.join("pipes"));
        let (pipes, tokens) = (pipes.display(), pipes.join("tokens"));
        let (toybox, tokens) = (toybox.display(), tokens.display());
        // The answer is opened before the token is given back, as the next one takes the place of its files.
        let ask = format!(
            "#!{mksh}\nread -rN1 pipe <{tokens}\nprint -rN -- \"${{0##*/}}\" \"$@\" >{pipes}/ask.$pipe\n\
             read -r code complains <{pipes}/say.$pipe\nexec 3<{pipes}/out.$pipe 4<{pipes}/err.$pipe\n\
             print -rn -- $pipe >{tokens}\n(( complains )) && {toybox} cat <&4 >&2\n\
             (( code )) || exec {toybox} cat <&3\n{toybox} cat <&3\nexit $code\n"
        );
        // The form is toybox's, the moment the phone's, whose time zone is UTC.
        let date = format!("#!{mksh}\nexec {toybox} date -u -d \"@$(clock)\" \"$@\"\n");
        let bin = self.root.join("bin");
        for (name, text) in OF_ANDROID.iter().map(|name| (name, &ask)).chain([(&"date", &date)]) {
            let path = bin.join(name);
            fs::write(&path, text).expect("a file");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script that runs");
        }
    }

    /// Returns `text` with the phone's places below the stand-in's folder.
    fn to_real(&self, text: &str) -> String {
        let root = self.root.display();
        PLACES.iter().fold(text.to_string(), |text, place| text.replace(place, &format!("{root}{place}")))
    }

    fn real(&self, path: &str) -> PathBuf {
        PathBuf::from(self.to_real(path))
    }

    fn shell(&self, line: &str, stdin: &[u8], is_joined: bool) -> Ran {
        note_uptime(&self.root, &mut *android(&self.android));
        // Without a line, adb hands the shell a script.
        let (line, stdin) = match line.trim().is_empty() {
            true => (String::from_utf8_lossy(stdin), &b""[..]),
            false => (line.into(), stdin),
        };
        let line = self.to_real(&line);
        let line = if is_joined { format!("exec 2>&1\n{line}") } else { line };
        let mut command = Command::new(&self.mksh);
        command.arg("-c").arg(line).current_dir(&self.root).env_clear();
        command.env("PATH", self.root.join("bin")).env("HOME", "/").env("USER", "shell");
        command.env("TMPDIR", self.real("/data/local/tmp")).env("EXTERNAL_STORAGE", self.real("/sdcard"));
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("mksh starts");
        let (mut to, stdin) = (child.stdin.take().expect("a pipe"), stdin.to_vec());
        // A command that reads nothing must not keep one that writes much waiting.
        let writer = thread::spawn(move || to.write_all(&stdin));
        let output = child.wait_with_output().expect("mksh ends");
        // A command need not read its input.
        let _ = writer.join().expect("a thread that does not panic");
        let code = output.status.code().or(output.status.signal().map(|signal| 128 + signal)).unwrap_or(255);
        let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| from_real(&self.root, &bytes));
        Ran { stdout, stderr, code: u8::try_from(code).unwrap_or(255) }
    }

    /// Removes the folder, without which each thread ends at its next turn.
    fn end(&self) {
        let _ = fs::remove_dir_all(self.root.join("bin"));
        for pipe in PIPES {
            let path = self.root.join("pipes").join(format!("ask.{pipe}"));
            // Opened both ways, as nobody may be there to read.
            if let Ok(mut ask) = OpenOptions::new().read(true).write(true).open(path) {
                let _ = ask.write_all(b"\0");
            }
        }
        let _ = fs::remove_dir_all(&self.root);
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let real = self.real(path);
        // A script that is pushed names the same places as a command line.
        let bytes = match std::str::from_utf8(bytes) {
            Ok(text) if path.ends_with(".sh") => self.to_real(text).into_bytes(),
            Ok(_) | Err(_) => bytes.to_vec(),
        };
        let parent = real.parent().ok_or("it has no folder")?;
        fs::create_dir_all(parent).and_then(|()| fs::write(&real, bytes)).map_err(|error| error.to_string())
    }
}

impl Drop for Phone {
    fn drop(&mut self) {
        self.end();
    }
}

fn android(android: &Mutex<dyn Android>) -> MutexGuard<'_, dyn Android + 'static> {
    android.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes the file that `cat` reads: the clock of this computer is another.
fn note_uptime(root: &Path, android: &mut dyn Android) {
    // After the end there is no folder for it.
    let _ = fs::write(root.join("proc/uptime"), android.uptime());
}

/// Returns `bytes` with the phone's places in place of those below `root`.
fn from_real(root: &Path, bytes: &[u8]) -> Vec<u8> {
    let root = root.as_os_str().as_encoded_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(root) {
            at += root.len();
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    out
}

/// Answers what the scripts of Android's tools ask through a pipe, until the phone is gone.
fn serve(root: &Path, pipe: &str, tools: &Mutex<dyn Android>) {
    let path = |name: &str| root.join("pipes").join(format!("{name}.{pipe}"));
    // Opening the pipe waits for a script, and reading it until the script has said all.
    while let Ok(asked) = fs::read(path("ask")) {
        if !root.join("bin").exists() {
            return;
        }
        let words: Vec<String> = asked
            .split_inclusive(|byte| *byte == 0)
            .map(|word| from_real(root, word.strip_suffix(b"\0").unwrap_or(word)))
            .map(|word| String::from_utf8_lossy(&word).into_owned())
            .collect();
        let ran = {
            let mut tools = android(tools);
            let ran = tools.run(&words, root);
            note_uptime(root, &mut *tools);
            ran
        };
        for (name, bytes) in [("out", &ran.stdout), ("err", &ran.stderr)] {
            // A new file each time: the last reader may still be at the old one.
            let new = path("new");
            let written = fs::write(&new, bytes).and_then(|()| fs::rename(&new, path(name)));
            if written.is_err() {
                return;
            }
        }
        let told = File::options().write(true).open(path("say"));
        let line = format!("{} {}\n", ran.code, u8::from(!ran.stderr.is_empty()));
        // A script that was killed does not read it.
        let _ = told.map(|mut told| told.write_all(line.as_bytes()));
    }
}

impl Line for StandIn {
    fn serial(&self) -> &str {
        "127.0.0.1:5555"
    }

    fn shell(&mut self, command: &str, _: Duration) -> Result<Answer, LineError> {
        let Ran { stdout, stderr, code } = self.phone.shell(command, b"", false);
        Ok(Answer { stdout, stderr, code })
    }

    fn push(&mut self, bytes: Arc<[u8]>, to: &str, _: Duration) -> Result<(), LineError> {
        self.phone.write(to, &bytes).map_err(|why| LineError::File { why })
    }

    fn recover(&mut self, _: Duration) -> Result<(), LineError> {
        Ok(())
    }
}

/// Returns the facts of a file.
fn facts(path: &Path) -> Option<FileStat> {
    let data = fs::metadata(path).ok()?;
    Some(FileStat { mode: data.mode(), size: data.size(), mtime: u32::try_from(data.mtime()).unwrap_or(0) })
}

impl Backend for StandIn {
    fn product(&self) -> [String; 3] {
        android(&self.phone.android).product()
    }

    fn features(&self) -> &'static str {
        "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,abb,abb_exec"
    }

    fn shell(&mut self, line: &str, stdin: &[u8]) -> Ran {
        self.phone.shell(line, stdin, false)
    }

    fn shell_joined(&mut self, line: &str, stdin: &[u8]) -> Ran {
        self.phone.shell(line, stdin, true)
    }

    fn abb(&mut self, arguments: &[&str], _: &[u8]) -> Ran {
        let words: Vec<String> =
            std::iter::once(&"cmd").chain(arguments).map(|word| word.to_string()).collect();
        android(&self.phone.android).run(&words, &self.phone.root)
    }

    fn stat(&mut self, path: &str) -> Option<FileStat> {
        facts(&self.phone.real(path))
    }

    fn list(&mut self, path: &str) -> Vec<(String, FileStat)> {
        let Ok(entries) = fs::read_dir(self.phone.real(path)) else { return Vec::new() };
        let name = |name: &OsStr| name.to_string_lossy().into_owned();
        let mut listed: Vec<(String, FileStat)> = entries
            .filter_map(|entry| entry.ok())
            .filter_map(|entry| Some((name(&entry.file_name()), facts(&entry.path())?)))
            .collect();
        listed.sort_by(|one, other| one.0.cmp(&other.0));
        listed
    }

    fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        fs::read(self.phone.real(path)).map_err(|error| error.to_string())
    }

    fn write(&mut self, path: &str, _: u32, _: u32, bytes: Vec<u8>) -> Result<(), String> {
        self.phone.write(path, &bytes)
    }

    fn framebuffer(&mut self) -> (u32, u32, Vec<u8>) {
        // Nobody here takes pictures of the stand-in.
        (1, 1, vec![0; 4])
    }

    fn logged(&self) -> u64 {
        0
    }

    fn reboot(&mut self) {}

    fn tcp(&mut self, _: u16, _: &[u8]) -> Option<Vec<u8>> {
        None
    }
}
