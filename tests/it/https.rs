//! A WebDriver server behind encryption, as clouds of devices have it.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::browser::{has_chrome, served};
use crate::ci;
use crate::cli::{Ended, command_of, ended};
use crate::clients::python;
use crate::grid::CAPABILITIES;
use crate::project::Folder;

/// Passes requests on to the driver: its own port, that of the driver, and the files of the certificate and its key.
const PROXY: &str = r#"
import http.client, http.server, ssl, sys

class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        driver = http.client.HTTPConnection("127.0.0.1", int(sys.argv[2]))
        driver.request(self.command, self.path, body, {"Content-Type": "application/json"})
        answer = driver.getresponse()
        said = answer.read()
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_GET = do_POST = do_DELETE = pass_on

    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Proxy)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[3], sys.argv[4])
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
"#;

/// Time for the programs to listen.
const READY_WITHIN: Duration = Duration::from_secs(20);

/// A program that is ended when this is dropped.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Running {
        Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Makes a certificate for `localhost` that nobody has signed, and its key.
fn certify(certificate: &Path, key: &Path) {
    let files = ["-out".as_ref(), certificate.as_os_str(), "-keyout".as_ref(), key.as_os_str()];
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
        ])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .args(files)
        .output();
    assert!(made.is_ok_and(|made| made.status.success()), "openssl makes a certificate");
}

/// Looks at a page through the server at `device`, which only those trust who have its certificate.
fn look(device: &str, capabilities: &str, trusted: Option<&Path>) -> Ended {
    let page = format!("{}/widgets.html", served());
    let args = ["look", "--url", &page, "--device", device, "--capabilities", capabilities];
    // The program that the other tests run may be built without `https`.
    let mut look = command_of(Path::new(env!("CARGO_BIN_EXE_farlead")), &args);
    if let Some(certificate) = trusted {
        look.env("SSL_CERT_FILE", certificate);
    }
    ended(&mut look, "")
}

#[test]
fn a_server_behind_encryption_is_reached_if_its_certificate_is_trusted() {
    if !has_chrome() {
        return;
    }
    if !cfg!(feature = "https") {
        ci::skip("this farlead has no encryption: run the tests with `cargo test --features https`");
        return;
    }
    if ci::program("openssl").is_none() {
        ci::skip("openssl is missing: install the Debian package openssl");
        return;
    }
    let Some(python) = python(&[]) else { return };
    let folder = Folder::new("https");
    let (certificate, key) = (folder.path("cert.pem"), folder.path("key.pem"));
    certify(&certificate, &key);
    folder.write("proxy.py", PROXY);
    folder.write("chrome.json", CAPABILITIES);
    let capabilities = folder.path("chrome.json").display().to_string();
    let [port, driver_port] = [ci::free_port(), ci::free_port()];
    let _driver = Running::start(Command::new("chromedriver").arg(format!("--port={driver_port}")));
    let mut proxy = Command::new(python);
    proxy.arg(folder.path("proxy.py")).args([port, driver_port].map(|port| port.to_string()));
    let _proxy = Running::start(proxy.arg(&certificate).arg(key));
    let device = format!("https://anna:k3y@localhost:{port}");
    let begun = Instant::now();
    let seen = loop {
        let seen = look(&device, &capabilities, Some(&certificate));
        let is_late = begun.elapsed() > READY_WITHIN;
        if !seen.stderr.contains("refused") || is_late {
            break seen;
        }
        thread::sleep(Duration::from_millis(200));
    };
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert!(seen.stdout.contains("Plain"), "{}", seen.stdout);
    let doubted = look(&device, &capabilities, None);
    assert_eq!(doubted.code, 4, "{}", doubted.stderr);
    assert!(doubted.stderr.to_lowercase().contains("certificate"), "{}", doubted.stderr);
    assert!(![seen.stderr, seen.stdout, doubted.stderr].iter().any(|said| said.contains("k3y")));
}
