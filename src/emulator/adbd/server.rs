//! The listener: a thread for each connection, bounds on everything, and an end that leaves nothing behind.
//!
//! The sockets and the clock are here; packets are for [`super::link`]. A connection that does not send what it owes, or
//! does not read what it is sent, is closed when its time is up.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::auth::Auth;
use super::backend::Shared;
use super::held::Budget;
use super::link::{Lasting, Link};
use super::packet::Reader;

/// Time that a connection waits for bytes before it looks around: short if a log is followed.
const FOLLOW_EVERY: Duration = Duration::from_millis(50);
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Bytes read at once: a packet of a file and more than its headers.
const READ_LEN: usize = 128 * 1024;
/// Time that a phone stays offline if a fault takes it there.
const OFFLINE: Duration = Duration::from_secs(2);
/// Time that the end of a server waits for connections that are answering.
const END_WAIT: Duration = Duration::from_secs(5);
/// Pause after a connection that could not be accepted, as when no descriptors are left.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

/// Settings of a server.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Demand on a host that connects.
    pub auth: Auth,
    /// Number of connections at most; more are closed at once.
    pub connections_max: usize,
    /// Number of bytes that wait at most, over all connections: uploads, input of commands, answers nobody fetches.
    pub held_max: usize,
    /// Time for a host to get in.
    pub greeting: Duration,
    /// Time for a packet to arrive, and for a host to read one.
    pub stall: Duration,
    /// Time without any input.
    pub idle: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            auth: Auth::Open,
            connections_max: 64,
            held_max: 256 << 20,
            greeting: Duration::from_secs(10),
            stall: Duration::from_secs(30),
            // An adb server that idles overnight is in order; a lost connection comes back by itself.
            idle: Duration::from_secs(12 * 3_600),
        }
    }
}

/// Reason why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Nothing can listen on the address.
    #[error("cannot listen on {address}; is another program there?")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
}

/// A listening phone; dropping it ends the server.
pub struct Server {
    address: SocketAddr,
    inner: Arc<Inner>,
    acceptor: Option<JoinHandle<()>>,
}

struct Inner {
    /// Name of its threads, for a debugger.
    name: String,
    phone: Shared,
    settings: Settings,
    allowed: Arc<AtomicBool>,
    budget: Arc<Budget>,
    is_ending: AtomicBool,
    connections: Mutex<Connections>,
    /// Signal that a connection is gone.
    gone: Condvar,
}

#[derive(Default)]
struct Connections {
    last: u64,
    /// End of the time in which new connections are closed at once.
    none_until: Option<Instant>,
    open: BTreeMap<u64, Arc<TcpStream>>,
}

impl Server {
    /// Listens on `address` (port 0 takes a free one) and answers for `phone`.
    pub fn start(address: SocketAddr, phone: Shared, settings: Settings) -> Result<Server, ServerError> {
        let failed = |source| ServerError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let inner = Arc::new(Inner {
            name: format!("adbd :{}", address.port()),
            phone,
            settings,
            allowed: Arc::default(),
            budget: Budget::new(settings.held_max),
            is_ending: AtomicBool::new(false),
            connections: Mutex::default(),
            gone: Condvar::new(),
        });
        let accepting = inner.clone();
        let acceptor =
            thread::Builder::new().name(inner.name.clone()).spawn(move || accept(&listener, &accepting));
        Ok(Server { address, inner, acceptor: Some(acceptor.map_err(failed)?) })
    }

    /// Returns the address listened on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the number of connections.
    pub fn connections(&self) -> usize {
        self.inner.connections().open.len()
    }

    /// Returns the number of bytes that wait on all connections.
    pub fn held(&self) -> usize {
        self.inner.budget.used()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.inner.is_ending.store(true, Ordering::Relaxed);
        // The listener sleeps until someone connects. If nobody can reach it, the end of the program ends it.
        let is_awake = TcpStream::connect_timeout(&reachable(self.address), END_WAIT).is_ok();
        if let Some(acceptor) = self.acceptor.take().filter(|_| is_awake) {
            // An acceptor that panicked has reported that itself.
            let _ = acceptor.join();
        }
        self.inner.close_all();
        let open = self.inner.connections();
        // A connection that still answers after that ends with its answer.
        let _ =
            self.inner.gone.wait_timeout_while(open, END_WAIT, |connections| !connections.open.is_empty());
    }
}

impl Inner {
    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close_all(&self) {
        for socket in self.connections().open.values() {
            // An error says that the socket is closed already.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

/// Returns the address under which this machine reaches the listener.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    address
}

fn accept(listener: &TcpListener, inner: &Arc<Inner>) {
    loop {
        let accepted = listener.accept();
        if inner.is_ending.load(Ordering::Relaxed) {
            return;
        }
        match accepted {
            Ok((socket, _)) => welcome(socket, inner),
            Err(_) => thread::sleep(ACCEPT_AGAIN),
        }
    }
}

/// Gives a connection its thread, or closes it if there are too many.
fn welcome(socket: TcpStream, inner: &Arc<Inner>) {
    let socket = Arc::new(socket);
    let number = {
        let mut connections = inner.connections();
        let is_offline = connections.none_until.is_some_and(|until| Instant::now() < until);
        if is_offline || connections.open.len() >= inner.settings.connections_max {
            return;
        }
        connections.last += 1;
        let number = connections.last;
        connections.open.insert(number, socket.clone());
        number
    };
    let registration = Registration { inner: inner.clone(), number };
    // If the system has no thread left, dropping the closure closes the connection.
    let _ = thread::Builder::new().name(inner.name.clone()).spawn(move || {
        serve(&socket, &registration.inner);
        // In this order the descriptor is closed before anyone learns that the connection is gone.
        drop(socket);
        drop(registration);
    });
}

/// Entry of a connection among the open ones; dropping it removes the entry, even if its thread panics.
struct Registration {
    inner: Arc<Inner>,
    number: u64,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.inner.connections().open.remove(&self.number);
        self.inner.gone.notify_all();
    }
}

/// Moments since which a connection owes something.
struct Times {
    begun: Instant,
    heard: Instant,
    /// Start of the packet that is arriving.
    packet: Option<Instant>,
}

fn serve(mut socket: &TcpStream, inner: &Inner) {
    let settings = &inner.settings;
    // Without Nagle's delay: a host that waits for the second of two small packets would wait 40 ms.
    let is_set = socket.set_nodelay(true).and_then(|()| socket.set_write_timeout(Some(settings.stall)));
    if is_set.is_err() {
        return;
    }
    let mut link = Link::new(inner.phone.clone(), settings.auth, inner.allowed.clone(), inner.budget.clone());
    let mut reader = Reader::new(link.payload_max());
    let mut bytes = vec![0; READ_LEN];
    let now = Instant::now();
    let mut times = Times { begun: now, heard: now, packet: None };
    while !inner.is_ending.load(Ordering::Relaxed) {
        let wait = if link.is_following() { FOLLOW_EVERY } else { LOOK_EVERY.min(settings.greeting) };
        if socket.set_read_timeout(Some(wait)).is_err() {
            return;
        }
        // The timeout is what lets the loop see the end of the server, followed logs and late hosts.
        match socket.read(&mut bytes) {
            Ok(0) => return,
            Ok(len) => {
                times.heard = Instant::now();
                reader.push(&bytes[..len]);
                if !answer(socket, &mut reader, &mut link, &mut times) {
                    break;
                }
            }
            Err(error) if is_pause(error.kind()) => {}
            Err(_) => return,
        }
        link.look();
        if socket.write_all(&link.take_output()).is_err() || is_late(settings, &link, &times) {
            return;
        }
    }
    match link.lasting() {
        Lasting::Stays | Lasting::Ends => {}
        Lasting::AllEnd => inner.close_all(),
        Lasting::Offline => {
            inner.connections().none_until = Some(Instant::now() + OFFLINE);
            inner.close_all();
        }
    }
}

/// Answers the packets that have arrived; returns true if the connection goes on.
fn answer(mut socket: &TcpStream, reader: &mut Reader, link: &mut Link, times: &mut Times) -> bool {
    loop {
        let packet = match reader.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => break,
            // The bytes behind a broken packet have no bounds.
            Err(_) => return false,
        };
        times.packet = None;
        let is_received = link.receive(&packet).is_ok();
        let late = link.take_lateness();
        if !late.is_zero() {
            thread::sleep(late);
        }
        // The whole answer to a packet leaves in one piece.
        if socket.write_all(&link.take_output()).is_err() || !is_received || link.lasting() != Lasting::Stays
        {
            return false;
        }
        reader.set_payload_max(link.payload_max());
    }
    if reader.is_amid() {
        times.packet.get_or_insert(times.heard);
    }
    true
}

fn is_pause(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn is_late(settings: &Settings, link: &Link, times: &Times) -> bool {
    let is_past = |since: Instant, allowed: Duration| since.elapsed() > allowed;
    (!link.is_online() && is_past(times.begun, settings.greeting))
        || times.packet.is_some_and(|since| is_past(since, settings.stall))
        || is_past(times.heard, settings.idle)
}
