//! The adb server: finds and starts it, and lists its devices.
//!
//! The few requests are sent from here, not by `adb_client`: its list of devices fails as a whole on a single
//! line it does not know, and it starts a server with every call, only on the usual port.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::AdbError;

/// The usual port of a server.
const PORT: u16 = 5037;

/// Time limits for an answer, for a connection, and for `adb` to start a server.
const ANSWER: Duration = Duration::from_secs(10);
const CONNECT: Duration = Duration::from_secs(2);
const START: Duration = Duration::from_secs(20);

/// Pause between two checks if `adb` has finished.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The reason the adb server does not answer.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// An environment variable or a flag is no address.
    #[error("{name} is `{value}`, which is no address of an adb server: {why}")]
    Address {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: String,
        /// The mistake.
        why: &'static str,
    },
    /// There is no `adb`.
    #[error(
        "no adb server answers at {address}, and there is no `adb` to start one; install Android's platform-tools, or set \
         ANDROID_HOME"
    )]
    NoAdb {
        /// The address of the missing server.
        address: SocketAddrV4,
    },
    /// `adb` could not start a server.
    #[error("`adb start-server` failed for {address}: {why}; run it yourself to see more")]
    Start {
        /// The address of the missing server.
        address: SocketAddrV4,
        /// The reason.
        why: String,
    },
    /// The server cannot be reached.
    #[error("the adb server at {address} does not answer")]
    Silent {
        /// The address of the server.
        address: SocketAddrV4,
        /// The error of the system.
        source: io::Error,
    },
    /// The server refused a request.
    #[error("the adb server at {address} says: {said}")]
    Refused {
        /// The address of the server.
        address: SocketAddrV4,
        /// Its message.
        said: String,
    },
}

/// An adb server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    address: SocketAddrV4,
    /// Time limit for the whole answer to a request.
    answer: Duration,
}

/// The state of a device's connection to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceState {
    /// Ready for use.
    Device,
    /// Not answering.
    Offline,
    /// Connected, without its user's consent.
    Unauthorized,
    /// It is asking its user to allow this computer.
    Authorizing,
    /// On the way to being connected.
    Connecting,
    /// Closed to the user of this computer.
    NoPermissions,
    /// Another state, like `recovery`.
    Other(String),
}

impl fmt::Display for DeviceState {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            DeviceState::Device => "device",
            DeviceState::Offline => "offline",
            DeviceState::Unauthorized => "unauthorized",
            DeviceState::Authorizing => "authorizing",
            DeviceState::Connecting => "connecting",
            DeviceState::NoPermissions => "no permissions",
            DeviceState::Other(name) => name,
        })
    }
}

/// A device in the server's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Serial number, or address.
    pub serial: String,
    /// The state of its connection.
    pub state: DeviceState,
    /// Model, with `_` for spaces, if the server knows it.
    pub model: Option<String>,
}

impl Server {
    /// Returns the server at `address`.
    pub fn new(address: SocketAddrV4) -> Server {
        Server { address, answer: ANSWER }
    }

    /// Returns the same server, which must give each answer as a whole within `answer`.
    #[must_use]
    pub fn answering_within(self, answer: Duration) -> Server {
        Server { answer, ..self }
    }

    /// Returns the server named by the environment, with the same rules as `adb`: `ADB_SERVER_SOCKET`, else
    /// `ANDROID_ADB_SERVER_ADDRESS` and `ANDROID_ADB_SERVER_PORT`, else the usual address.
    ///
    /// `variable` looks up an environment variable.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Server, ServerError> {
        let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        if let Some(socket) = set("ADB_SERVER_SOCKET") {
            return Server::at("ADB_SERVER_SOCKET", &socket);
        }
        let port = match set("ANDROID_ADB_SERVER_PORT") {
            None => PORT,
            Some(value) => value.trim().parse().map_err(|_| ServerError::Address {
                name: "ANDROID_ADB_SERVER_PORT",
                value,
                why: "a port is a number up to 65535",
            })?,
        };
        match set("ANDROID_ADB_SERVER_ADDRESS") {
            None => Ok(Server::new(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))),
            Some(host) => resolved("ANDROID_ADB_SERVER_ADDRESS", &host, host.trim(), port),
        }
    }

    /// Returns the server that the environment names, started if it does not run.
    pub fn running(variable: impl Fn(&str) -> Option<String>) -> Result<Server, ServerError> {
        let server = Server::from_environment(variable)?;
        server.ensure_running()?;
        Ok(server)
    }

    /// Returns the server at `socket`, written as in `ADB_SERVER_SOCKET`: `tcp:5037`, `tcp:HOST:5037`. Messages
    /// call the source of the value `name`.
    pub fn at(name: &'static str, socket: &str) -> Result<Server, ServerError> {
        let wrong = |why| ServerError::Address { name, value: socket.to_string(), why };
        let rest = socket.trim();
        let rest = match rest.split_once(':') {
            Some(("tcp", rest)) => rest,
            Some(("local" | "localabstract" | "localfilesystem" | "vsock" | "unix", _)) => {
                return Err(wrong("only tcp:HOST:PORT can be reached"));
            }
            Some(_) | None => rest,
        };
        let (host, port) = rest.rsplit_once(':').unwrap_or(("127.0.0.1", rest));
        let port = port.parse().map_err(|_| wrong("write tcp:PORT or tcp:HOST:PORT"))?;
        resolved(name, socket, host, port)
    }

    /// Returns its address.
    pub fn address(&self) -> SocketAddrV4 {
        self.address
    }

    /// Starts the server if it does not run. `adb` does the starting, and only on this computer.
    pub fn ensure_running(&self) -> Result<(), ServerError> {
        let address = self.address;
        match connect(address) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::ConnectionRefused && address.ip().is_loopback() => {
                self.start()
            }
            Err(source) => Err(ServerError::Silent { address, source }),
        }
    }

    fn start(&self) -> Result<(), ServerError> {
        let address = self.address;
        let failed = |why: String| ServerError::Start { address, why };
        let mut started = None;
        for program in programs() {
            let mut command = Command::new(program);
            // The port is given, because `adb` may find another one in the environment.
            command.args(["-P", &address.port().to_string(), "start-server"]);
            // The server outlives the program that starts it, and would keep the program's output open.
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            match command.spawn() {
                Ok(child) => {
                    started = Some(child);
                    break;
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(failed(error.to_string())),
            }
        }
        let Some(mut child) = started else { return Err(ServerError::NoAdb { address }) };
        let begun = Instant::now();
        // `Child::wait` has no time limit.
        loop {
            match child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(()),
                Ok(Some(status)) => return Err(failed(status.to_string())),
                Ok(None) if begun.elapsed() < START => thread::sleep(LOOK_EVERY),
                Ok(None) => {
                    let _ = child.kill();
                    // Without this it would stay as a zombie.
                    let _ = child.wait();
                    return Err(failed(format!("it took longer than {} s", START.as_secs())));
                }
                Err(error) => return Err(failed(error.to_string())),
            }
        }
    }

    /// Returns the version of the server's protocol, the last number that `adb version` prints.
    pub fn version(&self) -> Result<u32, ServerError> {
        let said = self.ask("host:version")?;
        u32::from_str_radix(said.trim(), 16)
            .map_err(|_| ServerError::Refused { address: self.address, said: shown(&said) })
    }

    /// Returns the devices that the server knows, in its order.
    pub fn devices(&self) -> Result<Vec<Listed>, ServerError> {
        Ok(self.ask("host:devices-l")?.lines().filter_map(listed).collect())
    }

    /// Returns the device with this serial number, or without one the only device.
    pub fn choose(&self, serial: Option<&str>) -> Result<Listed, AdbError> {
        choose(self.devices()?, serial)
    }

    /// Connects the server to a device at `HOST:PORT`; returns the server's message.
    pub fn connect(&self, serial: &str) -> Result<String, ServerError> {
        // A dead connection that the server still remembers would prevent a new one.
        let _ = self.ask(&format!("host:disconnect:{serial}"));
        self.ask(&format!("host:connect:{serial}"))
    }

    /// Opens a service of a device; its bytes have no time limit.
    #[cfg(feature = "adb")]
    pub(super) fn open(&self, serial: &str, service: &str) -> Result<TcpStream, ServerError> {
        let address = self.address;
        let silent = |source| ServerError::Silent { address, source };
        let stream = connect(address).map_err(silent)?;
        let mut timed = Timed { stream, ends: Instant::now() + self.answer };
        for request in [format!("host:transport:{serial}"), service.to_string()] {
            timed.write_all(format!("{:04x}{request}", request.len()).as_bytes()).map_err(silent)?;
            let mut status = [0; 4];
            timed.read_exact(&mut status).map_err(silent)?;
            if &status != b"OKAY" {
                let said = counted(&mut timed).map_err(silent)?;
                return Err(ServerError::Refused { address, said: shown(&said) });
            }
        }
        let Timed { stream, .. } = timed;
        stream.set_read_timeout(None).map_err(silent)?;
        Ok(stream)
    }

    /// Sends a request and returns the text of the answer.
    fn ask(&self, request: &str) -> Result<String, ServerError> {
        let address = self.address;
        let silent = |source| ServerError::Silent { address, source };
        let stream = connect(address).map_err(silent)?;
        let mut stream = Timed { stream, ends: Instant::now() + self.answer };
        stream.write_all(format!("{:04x}{request}", request.len()).as_bytes()).map_err(silent)?;
        let mut status = [0; 4];
        stream.read_exact(&mut status).map_err(silent)?;
        let said = counted(&mut stream).map_err(silent)?;
        if &status == b"OKAY" { Ok(said) } else { Err(ServerError::Refused { address, said: shown(&said) }) }
    }
}

/// A connection with a deadline for all that is sent and read: a server that sends a byte now and then meets every limit
/// on single reads.
struct Timed {
    stream: TcpStream,
    ends: Instant,
}

impl Timed {
    /// Returns the time that is left, which is never zero, as a limit of zero would mean none.
    fn left(&self) -> io::Result<Duration> {
        let left = self.ends.saturating_duration_since(Instant::now());
        let late = || io::Error::new(ErrorKind::TimedOut, "the answer is not whole in time");
        (left > Duration::ZERO).then_some(left).ok_or_else(late)
    }
}

impl Read for Timed {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(self.left()?))?;
        self.stream.read(bytes)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(self.left()?))?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

fn connect(address: SocketAddrV4) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&SocketAddr::V4(address), CONNECT)?;
    // Requests are short, and each waits for its answer.
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Reads four hexadecimal digits and the number of bytes they give.
fn counted(stream: &mut impl Read) -> io::Result<String> {
    let mut digits = [0; 4];
    stream.read_exact(&mut digits)?;
    let digits = std::str::from_utf8(&digits).ok().and_then(|digits| usize::from_str_radix(digits, 16).ok());
    let length = digits.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "no length"))?;
    // Four digits bound the length to 64 KB.
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the words of a server or a device, fit for a line in a terminal.
pub(super) fn shown(said: &str) -> String {
    const CHARS_MAX: usize = 300;
    let line: String = said
        .trim()
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(CHARS_MAX)
        .collect();
    if line.is_empty() { "nothing".to_string() } else { line }
}

fn resolved(name: &'static str, value: &str, host: &str, port: u16) -> Result<Server, ServerError> {
    let wrong = |why| ServerError::Address { name, value: value.to_string(), why };
    let found = (host, port).to_socket_addrs().map_err(|_| wrong("there is no such host"))?;
    // `adb_client` takes no other addresses.
    let found = found.into_iter().find_map(|address| match address.ip() {
        IpAddr::V4(ip) => Some(SocketAddrV4::new(ip, port)),
        IpAddr::V6(_) => None,
    });
    found.map(Server::new).ok_or_else(|| wrong("only hosts with an IPv4 address can be reached"))
}

/// Returns the possible paths of `adb`.
fn programs() -> Vec<PathBuf> {
    let name = format!("adb{}", std::env::consts::EXE_SUFFIX);
    // The `adb` of the path comes first: programs of two versions end each other's server.
    let mut programs = vec![PathBuf::from(&name)];
    for variable in ["ANDROID_HOME", "ANDROID_SDK_ROOT"] {
        if let Some(folder) = std::env::var_os(variable).filter(|folder| !folder.is_empty()) {
            programs.push(PathBuf::from(folder).join("platform-tools").join(&name));
        }
    }
    programs
}

/// Parses a line of the list.
fn listed(line: &str) -> Option<Listed> {
    // For a device without a serial number, adb writes this text, which contains spaces.
    let (serial, rest) = match line.strip_prefix("(no serial number)") {
        Some(rest) => ("(no serial number)", rest),
        None => line.split_once(char::is_whitespace)?,
    };
    let rest = rest.trim_start();
    if serial.is_empty() || rest.is_empty() {
        return None;
    }
    let word = rest.split_whitespace().next()?;
    let state = match word {
        // This state has two words, and a reason in brackets follows them.
        _ if rest.starts_with("no permissions") => DeviceState::NoPermissions,
        "device" => DeviceState::Device,
        "offline" => DeviceState::Offline,
        "unauthorized" => DeviceState::Unauthorized,
        "authorizing" => DeviceState::Authorizing,
        "connecting" => DeviceState::Connecting,
        other => DeviceState::Other(shown(other)),
    };
    let model = rest.split_whitespace().find_map(|word| word.strip_prefix("model:"));
    Some(Listed { serial: shown(serial), state, model: model.map(shown) })
}

fn choose(devices: Vec<Listed>, serial: Option<&str>) -> Result<Listed, AdbError> {
    let found = match serial {
        Some(serial) => match devices.iter().find(|listed| listed.serial == serial) {
            Some(found) => found.clone(),
            None => return Err(AdbError::Unknown { serial: serial.to_string(), others: devices }),
        },
        None => {
            let usable: Vec<&Listed> =
                devices.iter().filter(|listed| listed.state == DeviceState::Device).collect();
            match (&usable[..], &devices[..]) {
                // Devices that are not ready do not make the choice unclear.
                ([only], _) => Listed::clone(only),
                // Chosen even if it is not ready, so that the error names its state.
                ([], [only]) => only.clone(),
                ([], []) => return Err(AdbError::NoDevice),
                _ => return Err(AdbError::Several(devices)),
            }
        }
    };
    match &found.state {
        DeviceState::Device => Ok(found),
        state => Err(AdbError::Unusable { serial: found.serial.clone(), state: state.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(set: &[(&str, &str)]) -> Result<String, String> {
        let variable =
            |name: &str| set.iter().find(|(other, _)| *other == name).map(|(_, value)| value.to_string());
        match Server::from_environment(variable) {
            Ok(server) => Ok(server.address().to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_environment_names_the_server_as_it_does_for_adb() {
        assert_eq!(server(&[]), Ok("127.0.0.1:5037".into()));
        assert_eq!(server(&[("ANDROID_ADB_SERVER_PORT", "5040")]), Ok("127.0.0.1:5040".into()));
        let socket = [("ADB_SERVER_SOCKET", "tcp:127.0.0.2:99"), ("ANDROID_ADB_SERVER_PORT", "5040")];
        assert_eq!(server(&socket), Ok("127.0.0.2:99".into()));
        assert_eq!(server(&[("ADB_SERVER_SOCKET", "tcp:7")]), Ok("127.0.0.1:7".into()));
        for wrong in [
            ("ANDROID_ADB_SERVER_PORT", "x"),
            ("ADB_SERVER_SOCKET", "local:/tmp/adb"),
            ("ADB_SERVER_SOCKET", "tcp:[::1]:5037"),
        ] {
            let said = server(&[wrong]).expect_err("no address");
            assert!(said.starts_with(&format!("{} is `{}`", wrong.0, wrong.1)), "{said}");
        }
    }

    const LISTED: &str = "0123456789ABCDEF       no permissions (user in plugdev group; are your udev rules wrong?); see \
         [http://developer.android.com/tools/device.html] usb:1-2 transport_id:3\n\
         emulator-5554          device product:sdk model:Pixel_7 device:emu transport_id:1\n\
         127.0.0.1:15555        offline\n(no serial number)     unauthorized usb:1-3\nzz\trecovery\n\n";

    /// Returns a server that accepts one connection and answers by `answer`.
    fn fake(answer: impl FnOnce(TcpStream) + Send + 'static) -> Server {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let SocketAddr::V4(address) = listener.local_addr().expect("an address") else {
            panic!("an IPv4 address")
        };
        thread::spawn(move || answer(listener.accept().expect("a connection").0));
        Server::new(address).answering_within(Duration::from_millis(50))
    }

    #[track_caller]
    fn check_given_up(server: &Server) {
        match server.devices() {
            Err(ServerError::Silent { address, .. }) => assert_eq!(address, server.address()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_server_that_accepts_and_is_silent_is_given_up() {
        // The connection stays open until the other side ends it.
        check_given_up(&fake(|mut stream| drop(io::copy(&mut stream, &mut io::sink()))));
    }

    #[test]
    fn a_server_that_sends_a_byte_now_and_then_is_given_up_as_a_whole() {
        check_given_up(&fake(|mut stream| {
            // Each byte comes soon enough for a limit on single reads, and the list never ends.
            let _ = stream.write_all(b"OKAYffff");
            while stream.write_all(b"a").is_ok() {
                thread::sleep(Duration::from_millis(5));
            }
        }));
    }

    #[test]
    fn every_line_of_the_list_is_read_whatever_stands_in_another() {
        let found: Vec<String> = LISTED
            .lines()
            .filter_map(listed)
            .map(|Listed { serial, state, model }| format!("{serial} {state} {}", model.unwrap_or_default()))
            .collect();
        assert_eq!(
            found,
            [
                "0123456789ABCDEF no permissions ",
                "emulator-5554 device Pixel_7",
                "127.0.0.1:15555 offline ",
                "(no serial number) unauthorized ",
                "zz recovery "
            ]
        );
    }

    #[test]
    fn one_device_is_meant_or_it_is_said_why_not() {
        let all: Vec<Listed> = LISTED.lines().filter_map(listed).collect();
        let said = |devices: &[Listed], serial: Option<&str>| match choose(devices.to_vec(), serial) {
            Ok(found) => found.serial,
            Err(error) => error.to_string(),
        };
        assert_eq!(said(&all, None), "emulator-5554");
        assert!(said(&all, Some("127.0.0.1:15555")).starts_with("device `127.0.0.1:15555` is offline"));
        assert!(said(&all, Some("0123456789ABCDEF")).contains("udev rules"));
        assert!(said(&all[3..4], None).contains("allow USB debugging"));
        assert!(said(&[], None).starts_with("no device is connected"));
        assert!(said(&[], Some("10.0.0.2:5555")).ends_with("try `adb connect 10.0.0.2:5555`"));
        let twice = [all[1].clone(), Listed { serial: "b".into(), ..all[1].clone() }];
        assert_eq!(
            said(&twice, None),
            "2 devices are connected: emulator-5554, b; name one with --device or ANDROID_SERIAL"
        );
    }
}
