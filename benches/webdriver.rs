//! farlead's own time for a step on a page, and a step in Chrome beside the bare requests.
//!
//! `cargo bench --bench webdriver` prints a table in Markdown: medians of some rounds in one run, in which the rows take
//! turns. The rows in Chrome are left out without `chromedriver`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use farlead::device::Device as _;
use farlead::device::webdriver::{Options, PageUrl, Place, Web};
use farlead::gui::{Action, Capabilities, Repertoire, Screen, offers};
use serde_json::{Value, json};

const HOOK: &str = include_str!("../src/device/webdriver/hook.js");
const LOOK: &str = include_str!("../src/device/webdriver/look.js");

/// A page with eight things to do, each with a check box, a text and a button that shows under the mouse.
const PAGE: &str = "<!doctype html><style>li button{display:none} li:hover button{display:inline}</style><h1>todos</h1><input>\
<ul id=l></ul><p><b>8</b> items left</p><script>for(let i=0;i<8;i++){const e=document.createElement('li');\
e.innerHTML='<div><input type=checkbox><label>thing '+i+'</label><button>x</button></div>';l.append(e)}</script>";

fn main() {
    // `cargo test --benches` only checks that it starts.
    let rounds = if std::env::args().any(|arg| arg == "--test") { 3 } else { 200 };
    let cores = thread::available_parallelism().map_or(0, usize::from);
    println!("{cores} cores\n\n| a step: the gestures and the look | ms |\n|---|---|");
    own(rounds);
    if let Some(driver) = Driver::start() {
        in_chrome(&driver.address, rounds.min(100));
    }
}

/// Prints the time of a step whose requests are answered at once, with a page of 79 widgets.
fn own(rounds: usize) {
    let server = served(|path, _| match path.rsplit('/').next() {
        Some("session") => json!({ "sessionId": "a", "capabilities": { "browserName": "page" } }).to_string(),
        Some("async") => look_of(79).to_string(),
        _ => "null".to_string(),
    });
    let mut web = opened(&server, "http://localhost/");
    let click = click(&web.look().expect("a page").screen);
    let times = (0..rounds).map(|_| timed(|| drop(web.act(&click).expect("an answer")))).collect();
    println!("| farlead's own time, 79 widgets | {:.2} |", median(times));
}

fn in_chrome(driver: &str, rounds: usize) {
    let pages = page_server();
    let mut web = opened(driver, &pages);
    let click = click(&web.look().expect("a page").screen);
    let bare = Bare::begin(driver, &pages);
    let (mut own, mut requests) = (Vec::new(), Vec::new());
    // They take turns, so that neither has the quieter machine.
    for _ in 0..rounds {
        own.push(timed(|| drop(web.act(&click).expect("an answer"))));
        requests.push(timed(|| bare.step()));
    }
    let (own, requests) = (median(own), median(requests));
    println!(
        "| farlead in Chrome | {own:.1} |\n| the bare requests in Chrome | {requests:.1} |\n\n{:.2} times the bare requests",
        own / requests
    );
}

fn opened(server: &str, page: &str) -> Web {
    let url = PageUrl::parse(page).expect("an address");
    let options = Options { capabilities: chrome(), ..Options::default() };
    Web::open(&Place::At(server.to_string()), &url, &options).expect("a session")
}

fn click(screen: &Screen) -> Action {
    let repertoire = Repertoire { capabilities: Capabilities::NONE, ..Repertoire::default() };
    offers(screen, &repertoire).into_iter().next().expect("something to click")
}

fn timed(act: impl FnOnce()) -> Duration {
    let began = Instant::now();
    act();
    began.elapsed()
}

/// Returns the median in milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1_000.0
}

/// Returns an answer of the script in the page with this many elements.
fn look_of(widgets: usize) -> Value {
    let row = |at: usize| {
        json!([
            usize::from(at > 0),
            "button",
            "button",
            "todo big",
            format!("id{at}"),
            format!("thing {at}"),
            "",
            [0, 20 * at, 300, 20 * at + 20],
            17,
            -1
        ])
    };
    json!({ "href": "http://localhost/", "size": [1280, 4_000], "errors": [], "said": [], "status": 200, "online": true,
        "widgets": (0..widgets).map(row).collect::<Vec<_>>() })
}

/// Returns the capabilities of a browser that also runs as root.
fn chrome() -> Value {
    let arguments = json!(["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"]);
    json!({ "browserName": "chrome", "goog:chromeOptions": { "args": arguments } })
}

/// A session that only sends requests.
struct Bare {
    agent: ureq::Agent,
    session: String,
}

impl Bare {
    fn begin(driver: &str, page: &str) -> Bare {
        let agent = ureq::Agent::new_with_defaults();
        let wanted = json!({ "capabilities": { "alwaysMatch": chrome() } });
        let mut bare = Bare { agent, session: format!("{driver}/session") };
        let begun = bare.post("", &wanted);
        bare.session = format!("{}/{}", bare.session, begun["sessionId"].as_str().expect("a session"));
        bare.post("/url", &json!({ "url": page }));
        bare
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let url = format!("{}{path}", self.session);
        let request = self.agent.post(&url).header("Content-Type", "application/json");
        let mut answer = request.send(body.to_string()).expect("an answer");
        let text = answer.body_mut().read_to_string().expect("a text");
        serde_json::from_str::<Value>(&text).expect("JSON")["value"].take()
    }

    fn step(&self) {
        let actions = json!([{ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": [
            { "type": "pointerMove", "x": 100, "y": 80, "duration": 0 },
            { "type": "pointerDown", "button": 0 }, { "type": "pointerUp", "button": 0 }] }]);
        self.post("/actions", &json!({ "actions": actions }));
        self.post(
            "/execute/async",
            &json!({ "script": format!("{HOOK}\n{LOOK}"), "args": [3_000, false, true, false] }),
        );
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.session).call();
    }
}

/// Chrome's driver, until this is dropped.
struct Driver {
    child: Child,
    address: String,
}

impl Driver {
    fn start() -> Option<Driver> {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let output = BufReader::new(child.stdout.take()?);
        let port = output.lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("successfully on port ")?;
            Some(port.trim_end_matches('.').to_string())
        })?;
        Some(Driver { child, address: format!("http://127.0.0.1:{port}") })
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn page_server() -> String {
    format!("{}/", listening(|stream| answer_all(stream, |_, _| ("text/html", PAGE.to_string()))))
}

/// Serves answers of WebDriver with these values.
fn served(value: fn(&str, &str) -> String) -> String {
    listening(move |stream| {
        answer_all(stream, |path, body| ("application/json", format!("{{\"value\":{}}}", value(path, body))));
    })
}

fn listening(serve: impl Fn(TcpStream) + Copy + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || serve(stream));
        }
    });
    address
}

/// Answers the requests of a connection, one after another.
fn answer_all(mut stream: TcpStream, answer: impl Fn(&str, &str) -> (&'static str, String)) {
    let _ = stream.set_nodelay(true);
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    loop {
        let (mut path, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if path.is_empty() {
                path = line.split(' ').nth(1).unwrap_or_default().to_string();
            } else if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        if reader.read_exact(&mut body).is_err() {
            return;
        }
        let (kind, text) = answer(&path, &String::from_utf8_lossy(&body));
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", text.len());
        if stream.write_all(format!("{head}{text}").as_bytes()).is_err() {
            return;
        }
    }
}
