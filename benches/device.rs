//! The cost of a step on a device, split into farlead, the way through adb, and the device.
//!
//! A simulated phone is reached through a real adb server, as with `farlead sim`; without `adb` nothing is
//! measured. Each line of the table gives means over the steps of random walks.

use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use farlead::device::adb::{Adb, Answer, Client, Line, LineError, Options, Server, Subject};
use farlead::device::sim::{self, model::Model};
use farlead::device::{Device, Observation};
use farlead::emulator::adbd::{self, FileStat, Ran};
use farlead::emulator::phone::{AndroidVersion, Phone};
use farlead::gui::{Action, BUILTIN_TEXTS, Repertoire, offers};
use farlead::rng::Seed;
use farlead::spec::Source;

/// Number of steps of a walk, and of each episode in it.
const STEPS: usize = 400;
const EPISODE: usize = 12;

fn main() {
    let Some(adb) = PrivateAdb::start() else {
        println!("there is no adb, so nothing is measured");
        return;
    };
    println!("| app | widgets | step ms | of it farlead | adb and the wire | the phone |");
    println!("|---|---|---|---|---|---|");
    for app in ["notes", "chesswalk"] {
        measure(&adb, app, &app_model(app));
    }
    for rows in [100, 1_000, 5_000] {
        measure(&adb, &format!("a list of {rows}"), &long_list(rows));
    }
}

fn app_model(name: &str) -> Arc<Model> {
    let path = format!("{}/apps/{name}.app", env!("CARGO_MANIFEST_DIR"));
    model(&std::fs::read_to_string(path).expect("a model"))
}

fn model(text: &str) -> Arc<Model> {
    Arc::new(sim::read(&Source::new("bench.app", text)).model.expect("a model without mistakes"))
}

/// Returns an app with one screen of `rows` widgets, on a display that shows them all.
fn long_list(rows: usize) -> Arc<Model> {
    // Rows one pixel high, and further columns where they reach the end of the display.
    let place =
        |row: usize| format!("{},{} {},{}", row / 700 * 50, row % 700, row / 700 * 50 + 50, row % 700 + 1);
    let list: String = (0..rows)
        .map(|row| format!("        TextView #row{row} \"Row {row}\" at {}\n", place(row)))
        .collect();
    let text = format!(
        "app org.example \"Example\" 1.0\nlaunch Main\nactivity Main .Main {{\n    FrameLayout {{\n{list}    }}\n    Button \"Go\"\n}}"
    );
    model(&text)
}

fn measure(adb: &PrivateAdb, name: &str, model: &Arc<Model>) {
    let on_phone = Arc::new(Mutex::new(Duration::ZERO));
    let phone = Timed {
        phone: Phone::new(model.clone(), Seed(1), AndroidVersion::default()),
        spent: on_phone.clone(),
    };
    let address = "127.0.0.1:0".parse().expect("an address");
    let server = adbd::Server::start(address, Arc::new(Mutex::new(phone)), adbd::Settings::default());
    let server = server.expect("a free port");
    let serial = server.address().to_string();
    adb.connect(&serial);
    let on_line = Arc::new(Mutex::new(Duration::ZERO));
    let line = TimedLine { line: Client::new(adb.server(), &serial), spent: on_line.clone() };
    let subject = Subject::Package(model.package.to_string());
    let mut device = Adb::on(Box::new(line), &subject, Options::default()).expect("a phone");
    // Connecting is not part of a step.
    for spent in [&on_phone, &on_line] {
        *spent.lock().unwrap_or_else(PoisonError::into_inner) = Duration::ZERO;
    }
    let begun = Instant::now();
    let widgets = walk(&mut device);
    let whole = begun.elapsed();
    let spent = |spent: &Mutex<Duration>| *spent.lock().unwrap_or_else(PoisonError::into_inner);
    let (line, phone) = (spent(&on_line), spent(&on_phone));
    let ms = |time: Duration| time.as_secs_f64() * 1000.0 / STEPS as f64;
    println!(
        "| {name} | {widgets} | {:.2} | {:.2} | {:.2} | {:.2} |",
        ms(whole),
        ms(whole.saturating_sub(line)),
        ms(line.saturating_sub(phone)),
        ms(phone)
    );
}

/// Walks at random for [`STEPS`] steps; returns the mean number of widgets on a screen.
fn walk(device: &mut Adb) -> usize {
    let repertoire = Repertoire::new(BUILTIN_TEXTS, &[], false);
    let start = device.app().launchable[0].clone();
    let mut chance = Seed(1).fork("walk");
    let (mut seen, mut widgets): (Option<Observation>, usize) = (None, 0);
    for step in 0..STEPS {
        let offered = seen.as_ref().map_or_else(Vec::new, |seen| offers(&seen.screen, &repertoire));
        let observed = if step % EPISODE == 0 || offered.is_empty() {
            device.reset(&start)
        } else {
            let action: &Action = &offered[chance.below(offered.len())];
            device.act(action)
        };
        let observed = observed.expect("a screen");
        widgets += observed.screen.widgets().len();
        seen = Some(observed);
    }
    widgets / STEPS
}

/// A line that measures its time.
struct TimedLine {
    line: Client,
    spent: Arc<Mutex<Duration>>,
}

impl Line for TimedLine {
    fn serial(&self) -> &str {
        self.line.serial()
    }

    fn shell(&mut self, command: &str, within: Duration) -> Result<Answer, LineError> {
        let begun = Instant::now();
        let answer = self.line.shell(command, within);
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += begun.elapsed();
        answer
    }

    fn push(&mut self, bytes: Arc<[u8]>, to: &str, within: Duration) -> Result<(), LineError> {
        self.line.push(bytes, to, within)
    }

    fn recover(&mut self, within: Duration) -> Result<(), LineError> {
        self.line.recover(within)
    }
}

/// A phone that measures its time.
struct Timed {
    phone: Phone,
    spent: Arc<Mutex<Duration>>,
}

impl adbd::Backend for Timed {
    fn product(&self) -> [String; 3] {
        self.phone.product()
    }

    fn features(&self) -> &'static str {
        adbd::Backend::features(&self.phone)
    }

    fn shell(&mut self, line: &str, stdin: &[u8]) -> Ran {
        let begun = Instant::now();
        let ran = self.phone.shell(line, stdin);
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += begun.elapsed();
        ran
    }

    fn abb(&mut self, arguments: &[&str], stdin: &[u8]) -> Ran {
        self.phone.abb(arguments, stdin)
    }

    fn stat(&mut self, path: &str) -> Option<FileStat> {
        adbd::Backend::stat(&mut self.phone, path)
    }

    fn list(&mut self, path: &str) -> Vec<(String, FileStat)> {
        adbd::Backend::list(&mut self.phone, path)
    }

    fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        adbd::Backend::read(&mut self.phone, path)
    }

    fn write(&mut self, path: &str, mode: u32, mtime: u32, bytes: Vec<u8>) -> Result<(), String> {
        adbd::Backend::write(&mut self.phone, path, mode, mtime, bytes)
    }

    fn framebuffer(&mut self) -> (u32, u32, Vec<u8>) {
        adbd::Backend::framebuffer(&mut self.phone)
    }

    fn logged(&self) -> u64 {
        adbd::Backend::logged(&self.phone)
    }

    fn reboot(&mut self) {
        self.phone.reboot();
    }

    fn tcp(&mut self, port: u16, request: &[u8]) -> Option<Vec<u8>> {
        adbd::Backend::tcp(&mut self.phone, port, request)
    }
}

/// An adb server on a port of its own, which ends when this is dropped.
struct PrivateAdb {
    port: u16,
}

impl PrivateAdb {
    fn start() -> Option<PrivateAdb> {
        let socket =
            TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port");
        let adb = PrivateAdb { port: socket.port() };
        adb.run(&["start-server"]).then_some(adb)
    }

    fn run(&self, arguments: &[&str]) -> bool {
        let mut command = Command::new("adb");
        command.args(arguments).env("ADB_EMU", "0").env("ANDROID_ADB_SERVER_PORT", self.port.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    fn connect(&self, serial: &str) {
        while !(self.run(&["connect", serial]) && self.run(&["-s", serial, "get-state"])) {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn server(&self) -> Server {
        Server::at("the bench", &format!("tcp:127.0.0.1:{}", self.port)).expect("an address")
    }
}

impl Drop for PrivateAdb {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}
