//! The listener: a thread for each connection, a bound on everything, and an end that leaves nothing behind.
//!
//! This is where the sockets and the clock are; what is said on a connection is for [`super::link`]. A connection
//! that says nothing it should, or takes nothing it is told, is closed when its time is up.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::Shared;
use super::auth::Auth;
use super::held::Budget;
use super::link::{Lasting, Link};
use super::packet::Reader;

/// How long a connection waits for bytes before it looks around: at once for what is followed, else now and then.
const FOLLOW_EVERY: Duration = Duration::from_millis(50);
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How much is read at once: a packet of a file is as long and its headers longer.
const READ_LEN: usize = 128 * 1024;
/// How long a phone that went offline on purpose stays there.
const OFFLINE: Duration = Duration::from_secs(2);
/// How long the end waits for connections that are answering something.
const END_WAIT: Duration = Duration::from_secs(5);
/// How long it waits after it could not accept a connection, as when there are no descriptors left.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

/// How a server behaves.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What a host must show.
    pub auth: Auth,
    /// The most connections; more are closed at once.
    pub connections_max: usize,
    /// The most bytes that wait, over all connections: uploads, input of commands, answers nobody fetches.
    pub held_max: usize,
    /// How long a host may take to get in.
    pub greeting: Duration,
    /// How long a packet may take to arrive, and how long a host may take none.
    pub stall: Duration,
    /// How long nothing at all may be said.
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
            // A server of adb that sits there overnight is as it should be; what is lost comes back by itself.
            idle: Duration::from_secs(12 * 3_600),
        }
    }
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}; is another program there?")]
    Listen {
        /// Which address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
}

/// A phone that listens; it ends when this is dropped.
pub struct Server {
    address: SocketAddr,
    inner: Arc<Inner>,
    acceptor: Option<JoinHandle<()>>,
}

struct Inner {
    /// What its threads are called: whose they are can be seen in a debugger.
    name: String,
    phone: Shared,
    settings: Settings,
    allowed: Arc<AtomicBool>,
    budget: Arc<Budget>,
    is_ending: AtomicBool,
    connections: Mutex<Connections>,
    /// Told whenever a connection is gone.
    gone: Condvar,
}

#[derive(Default)]
struct Connections {
    last: u64,
    /// Until when new ones are closed at once.
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

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many connections there are.
    pub fn connections(&self) -> usize {
        self.inner.connections().open.len()
    }

    /// How many bytes wait on them.
    pub fn held(&self) -> usize {
        self.inner.budget.used()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.inner.is_ending.store(true, Ordering::Relaxed);
        // The listener sleeps until someone comes. Where it cannot be reached it is left to the end of the program.
        let is_awake = TcpStream::connect_timeout(&reachable(self.address), END_WAIT).is_ok();
        if let Some(acceptor) = self.acceptor.take().filter(|_| is_awake) {
            // It ends by itself; had it panicked, there would be nothing to add.
            let _ = acceptor.join();
        }
        self.inner.close_all();
        let open = self.inner.connections();
        // Whoever is still answering after that ends with its answer.
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
            // One that is closed already is what was wanted.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

/// The address under which a listener is reached from here.
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
    let place = Place { inner: inner.clone(), number };
    // Where no thread is to be had, the connection is closed with what was made for it.
    let _ = thread::Builder::new().name(inner.name.clone()).spawn(move || {
        serve(&socket, &place.inner);
        // In this order the descriptor is closed before anyone is told that the connection is gone.
        drop(socket);
        drop(place);
    });
}

/// A connection's place among the others; given back even if its thread panics.
struct Place {
    inner: Arc<Inner>,
    number: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.inner.connections().open.remove(&self.number);
        self.inner.gone.notify_all();
    }
}

/// Since when a connection owes something.
struct Times {
    begun: Instant,
    heard: Instant,
    /// When the packet that is arriving began to.
    packet: Option<Instant>,
}

fn serve(mut socket: &TcpStream, inner: &Inner) {
    let settings = &inner.settings;
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

/// Answers the packets that have arrived; returns whether the connection goes on.
fn answer(mut socket: &TcpStream, reader: &mut Reader, link: &mut Link, times: &mut Times) -> bool {
    loop {
        let packet = match reader.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => break,
            // Nothing that follows could be told apart.
            Err(_) => return false,
        };
        times.packet = None;
        let is_received = link.receive(&packet).is_ok();
        let late = link.take_lateness();
        if !late.is_zero() {
            thread::sleep(late);
        }
        // All that answers one packet leaves in one piece.
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
