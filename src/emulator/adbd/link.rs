//! One connection: packets in, packets out, and the streams between them.
//!
//! A link reads no socket and no clock. Each stream has one packet under way at a time; further output waits, and a host
//! that does not fetch it is not heard on that stream until it does. A stream whose service has ended is closed as soon
//! as its last packet has left, acknowledged or not, as phones do and hosts expect.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use super::auth::{Answer, Auth, Gate, KIND_TOKEN, TOKEN};
use super::backend::{Backend, Shared, WireFault};
use super::held::{Budget, Full, Held};
use super::packet::{self, Checksum, Command, Packet, VERSION, VERSION_CHECKED};
use super::reverse::Reverses;
use super::service::{self, Effect, Service};

/// Longest payload that a phone takes, and that an old phone takes.
const PAYLOAD_MAX: u32 = 1 << 20;
const PAYLOAD_MAX_OLD: u32 = 4_096;
/// Longest payload of a host that is not in yet: a key or a banner.
const PAYLOAD_MAX_BEFORE: usize = 4_096;
/// Number of streams of a connection at most.
const STREAMS_MAX: usize = 256;
/// Longest product name, in characters: a longer banner is too long for old hosts.
const PROPERTY_MAX: usize = 128;

/// Reason why a connection cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The checksum of a packet is wrong.
    #[error("the checksum of a packet is wrong")]
    Check,
    /// The host asked for encryption, which was not offered.
    #[error("the host starts encryption, which was not offered")]
    Encryption,
    /// The longest payload of the host is 0 bytes.
    #[error("the host takes packets of no length")]
    NoPayload,
}

/// Duration of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// The connection stays.
    Stays,
    /// The connection ends once its output is written.
    Ends,
    /// All connections end: the phone starts afresh.
    AllEnd,
    /// All connections end, and for a while there are no new ones.
    Offline,
}

#[derive(Debug)]
struct Stream {
    /// The host's number of the stream.
    remote: u32,
    service: Service,
    out: Held,
    /// True if a packet has left that the host has not acknowledged.
    is_under_way: bool,
    /// True if the host waits for its packet to be acknowledged.
    owes_okay: bool,
    /// True if the stream is closed twice, as [`WireFault::CloseTwice`] asks.
    closes_twice: bool,
}

/// Terms that the two ends have agreed.
#[derive(Clone, Copy, Debug)]
struct Terms {
    checksums: Checksum,
    /// Longest payload that the host takes.
    payload_max: usize,
}

/// The phone's end of a connection.
pub struct Link {
    phone: Shared,
    gate: Gate,
    budget: Arc<Budget>,
    features: &'static str,
    /// Terms of the host's greeting; the host may not be in yet.
    terms: Terms,
    is_online: bool,
    streams: BTreeMap<u32, Stream>,
    /// Listeners on the phone, which end with the connection.
    reverses: Reverses,
    last_id: u32,
    out: Vec<u8>,
    lasting: Lasting,
}

impl Link {
    /// Returns a new connection. The connections of a server share the phone, the user's consent to a key (`allowed`),
    /// and the budget for waiting bytes.
    pub fn new(phone: Shared, auth: Auth, allowed: Arc<AtomicBool>, budget: Arc<Budget>) -> Link {
        let features = phone.lock().unwrap_or_else(PoisonError::into_inner).features();
        Link {
            phone,
            gate: Gate::new(auth, allowed),
            budget,
            features,
            terms: Terms { checksums: Checksum::Included, payload_max: PAYLOAD_MAX_BEFORE },
            is_online: false,
            streams: BTreeMap::new(),
            reverses: Reverses::default(),
            last_id: 0,
            out: Vec::new(),
            lasting: Lasting::Stays,
        }
    }

    /// Returns true if the host is in.
    pub fn is_online(&self) -> bool {
        self.is_online
    }

    /// Returns the duration of the connection.
    pub fn lasting(&self) -> Lasting {
        self.lasting
    }

    /// Returns true if a stream may have output without new input; then [`Link::look`] fetches it.
    pub fn is_following(&self) -> bool {
        self.streams.values().any(|stream| stream.service.is_following())
    }

    /// Returns the longest payload that the host may send.
    pub fn payload_max(&self) -> usize {
        if self.is_online { self.own_payload_max() as usize } else { PAYLOAD_MAX_BEFORE }
    }

    /// Returns the delay of the last answer.
    pub fn take_lateness(&mut self) -> Duration {
        self.phone.lock().unwrap_or_else(PoisonError::into_inner).take_lateness()
    }

    /// Takes the bytes to be written.
    pub fn take_output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    /// Answers a packet.
    pub fn receive(&mut self, packet: &Packet) -> Result<(), LinkError> {
        // A host that comes back leaves the checksum of its first packet out, whatever was agreed upon before.
        let is_greeting = matches!(packet.command, Command::Cnxn | Command::Auth);
        let counts = self.is_online && self.terms.checksums == Checksum::Included && !is_greeting;
        if counts && !packet.is_checked() {
            return Err(LinkError::Check);
        }
        match packet.command {
            Command::Cnxn => self.connect(packet)?,
            Command::Auth if !self.is_online => {
                let answer = self.gate.show(packet.arg0, &packet.payload);
                self.admit(answer);
            }
            Command::Stls => return Err(LinkError::Encryption),
            Command::Open if self.is_online => self.open(packet),
            Command::Okay if self.is_online => self.acknowledged(packet),
            Command::Wrte if self.is_online => self.hear(packet),
            Command::Clse if self.is_online => self.hang_up(packet),
            // A phone ignores packets that it does not know, or that come before the host is in.
            Command::Auth
            | Command::Open
            | Command::Okay
            | Command::Wrte
            | Command::Clse
            | Command::Other(_) => {}
        }
        Ok(())
    }

    /// Fetches the new output of followed logs.
    pub fn look(&mut self) {
        let following = |(id, stream): (&u32, &Stream)| stream.service.is_following().then_some(*id);
        let ids: Vec<u32> = self.streams.iter().filter_map(following).collect();
        for id in ids {
            self.attend(id, |stream, phone| stream.service.look(phone, &mut stream.out));
        }
    }

    fn forget_streams(&mut self) {
        let streams = std::mem::take(&mut self.streams);
        if streams.is_empty() {
            return;
        }
        let mut phone = self.phone.lock().unwrap_or_else(PoisonError::into_inner);
        for mut stream in streams.into_values() {
            // A server ends with the stream that started it.
            stream.service.end_server(&mut *phone);
        }
    }

    fn is_old(&self) -> bool {
        self.features.is_empty()
    }

    fn own_payload_max(&self) -> u32 {
        if self.is_old() { PAYLOAD_MAX_OLD } else { PAYLOAD_MAX }
    }

    fn connect(&mut self, packet: &Packet) -> Result<(), LinkError> {
        if packet.arg1 == 0 {
            return Err(LinkError::NoPayload);
        }
        // A host that greets again has forgotten its streams.
        self.forget_streams();
        self.reverses = Reverses::default();
        self.is_online = false;
        let has_sums = self.is_old() || packet.arg0 < VERSION;
        self.terms = Terms {
            checksums: if has_sums { Checksum::Included } else { Checksum::Omitted },
            payload_max: self.own_payload_max().min(packet.arg1) as usize,
        };
        let answer = self.gate.knock();
        self.admit(answer);
        Ok(())
    }

    fn admit(&mut self, answer: Answer) {
        match answer {
            Answer::Welcome => {
                self.is_online = true;
                let version = if self.is_old() { VERSION_CHECKED } else { VERSION };
                let args = [version, self.own_payload_max()];
                let banner = self.banner();
                // The greeting has its checksum whatever the terms: the host reads it before it knows them.
                packet::write(&mut self.out, Command::Cnxn, args, banner.as_bytes(), Checksum::Included);
            }
            Answer::Token => {
                packet::write(&mut self.out, Command::Auth, [KIND_TOKEN, 0], &TOKEN, Checksum::Included);
            }
            Answer::Nothing => {}
        }
    }

    fn banner(&self) -> String {
        let [name, model, device] =
            self.phone.lock().unwrap_or_else(PoisonError::into_inner).product().map(|text| property(&text));
        let features = self.features;
        format!(
            "device::ro.product.name={name};ro.product.model={model};ro.product.device={device};features={features}"
        )
    }

    fn send(&mut self, command: Command, args: [u32; 2], payload: &[u8]) {
        packet::write(&mut self.out, command, args, payload, self.terms.checksums);
    }

    fn open(&mut self, packet: &Packet) {
        let remote = packet.arg0;
        // 0 stands for no stream, and a host cannot open one of ours.
        if remote == 0 || packet.arg1 != 0 {
            return;
        }
        let mut out = Held::new(&self.budget);
        let shared = self.phone.clone();
        let mut phone = shared.lock().unwrap_or_else(PoisonError::into_inner);
        // Only commands draw a fault: the chance of a run must not depend on how often a client asks for files.
        let fault = if service::runs_something(&packet.payload) { phone.wire_fault() } else { None };
        match fault {
            Some(WireFault::DropBefore) => return self.lasting = Lasting::Ends,
            Some(WireFault::Offline) => return self.lasting = Lasting::Offline,
            Some(WireFault::DropAmid | WireFault::Stall | WireFault::CloseTwice) | None => {}
        }
        let opened = match reverse_request(&packet.payload) {
            _ if self.streams.len() >= STREAMS_MAX => Ok(None),
            Some(request) => Service::reverse(request, &mut self.reverses, &mut *phone, &mut out).map(Some),
            None => Service::open(&packet.payload, &mut *phone, &mut out),
        };
        drop(phone);
        let Ok(Some(mut service)) = opened else {
            self.send(Command::Clse, [0, remote], &[]);
            return;
        };
        let id = self.next_id();
        // The host must know the number of the stream before its first packet.
        self.send(Command::Okay, [id, remote], &[]);
        if fault == Some(WireFault::Stall) {
            service.fall_silent();
            out.clear();
        }
        let closes_twice = fault == Some(WireFault::CloseTwice);
        let stream = Stream { remote, service, out, is_under_way: false, owes_okay: false, closes_twice };
        self.streams.insert(id, stream);
        let said = self.out.len();
        self.attend(id, |_, _| Ok(()));
        if fault == Some(WireFault::DropAmid) {
            // Half of this answer, and all of what was there before it.
            self.out.truncate(said + (self.out.len() - said) / 2);
            self.lasting = Lasting::Ends;
        }
    }

    /// Returns a number that no stream has; 0 stands for none in the protocol.
    fn next_id(&mut self) -> u32 {
        loop {
            self.last_id = self.last_id.wrapping_add(1);
            if self.last_id != 0 && !self.streams.contains_key(&self.last_id) {
                return self.last_id;
            }
        }
    }

    /// Returns the stream of a packet, if both of its numbers fit.
    fn stream_of(&self, packet: &Packet) -> Option<u32> {
        let stream = self.streams.get(&packet.arg1)?;
        (stream.remote == packet.arg0).then_some(packet.arg1)
    }

    fn acknowledged(&mut self, packet: &Packet) {
        let Some(id) = self.stream_of(packet) else { return };
        self.attend(id, |stream, _| {
            stream.is_under_way = false;
            Ok(())
        });
    }

    fn hear(&mut self, packet: &Packet) {
        let Some(id) = self.stream_of(packet) else { return };
        self.attend(id, |stream, phone| {
            // A host that does not wait for its packet to be acknowledged has broken the protocol.
            if std::mem::replace(&mut stream.owes_okay, true) {
                return Err(Full);
            }
            stream.service.hear(&packet.payload, phone, &mut stream.out)
        });
    }

    fn hang_up(&mut self, packet: &Packet) {
        let id = packet.arg1;
        // A host that never got to know our number for the stream says 0 for its own.
        let is_meant = |stream: &Stream| packet.arg0 == 0 || stream.remote == packet.arg0;
        if !self.streams.get(&id).is_some_and(is_meant) {
            return;
        }
        let Some(mut stream) = self.streams.remove(&id) else { return };
        stream.service.hang_up(&mut *self.phone.lock().unwrap_or_else(PoisonError::into_inner));
        self.send(Command::Clse, [id, stream.remote], &[]);
    }

    /// Applies `what` to a stream, and then continues the stream as far as it can go. A stream without room is closed.
    fn attend(&mut self, id: u32, what: impl FnOnce(&mut Stream, &mut dyn Backend) -> Result<(), Full>) {
        // Taken out, as answers need the link while the stream is at work; a stream that ends simply stays out.
        let Some(mut stream) = self.streams.remove(&id) else { return };
        let done = {
            let mut phone = self.phone.lock().unwrap_or_else(PoisonError::into_inner);
            what(&mut stream, &mut *phone).and_then(|()| stream.service.go_on(&mut *phone, &mut stream.out))
        };
        let Ok(has_room) = done else {
            stream.service.end_server(&mut *self.phone.lock().unwrap_or_else(PoisonError::into_inner));
            self.send(Command::Clse, [id, stream.remote], &[]);
            return;
        };
        // Without room the host has to wait, so it cannot fill the memory.
        if has_room && stream.owes_okay {
            stream.owes_okay = false;
            self.send(Command::Okay, [id, stream.remote], &[]);
        }
        if !stream.is_under_way && !stream.out.is_empty() {
            stream.is_under_way = true;
            let payload = stream.out.take(self.terms.payload_max);
            self.send(Command::Wrte, [id, stream.remote], &payload);
        }
        // Closed without waiting for the last acknowledgement, because some hosts wait for the end first.
        if stream.service.is_over() && stream.out.is_empty() {
            self.close(id, &stream);
        } else {
            self.streams.insert(id, stream);
        }
    }

    fn close(&mut self, id: u32, stream: &Stream) {
        for _ in 0..1 + usize::from(stream.closes_twice) {
            self.send(Command::Clse, [id, stream.remote], &[]);
        }
        match stream.service.effect() {
            Effect::None => {}
            Effect::DropThis => self.lasting = Lasting::Ends,
            Effect::DropAll => self.lasting = Lasting::AllEnd,
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.forget_streams();
    }
}

/// Returns the request in the name of a service, if it is one for streams from the phone to the host.
fn reverse_request(name: &[u8]) -> Option<&str> {
    let name = std::str::from_utf8(name).ok()?;
    name.trim_end_matches('\0').strip_prefix("reverse:").filter(|request| !request.contains('\0'))
}

/// Returns a product's name without the characters that would break a banner.
fn property(text: &str) -> String {
    let plain = |char: char| if char.is_control() || ";=,:".contains(char) { '_' } else { char };
    text.chars().take(PROPERTY_MAX).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::fake::Fake;
    use super::super::packet::{Reader, checksum};
    use super::*;

    fn link_to(phone: Fake, auth: Auth) -> Link {
        Link::new(Arc::new(Mutex::new(phone)), auth, Arc::default(), Budget::new(1 << 22))
    }

    fn packet(command: Command, arg0: u32, arg1: u32, payload: &[u8]) -> Packet {
        Packet { command, arg0, arg1, check: checksum(payload), payload: payload.to_vec() }
    }

    /// A link to `phone` whose host takes payloads of 16 bytes.
    fn online(phone: Fake) -> Link {
        let mut link = link_to(phone, Auth::Open);
        tell(&mut link, Command::Cnxn, VERSION, 16, b"host::");
        assert!(link.is_online());
        link
    }

    /// Returns the link's answer to a packet: commands, arguments and payloads.
    fn tell(link: &mut Link, command: Command, arg0: u32, arg1: u32, payload: &[u8]) -> Vec<String> {
        link.receive(&packet(command, arg0, arg1, payload)).expect("a packet as it should be");
        said(link)
    }

    fn said(link: &mut Link) -> Vec<String> {
        let mut reader = Reader::new(1 << 20);
        reader.push(&link.take_output());
        let packets = std::iter::from_fn(|| reader.next_packet().expect("packets"));
        packets
            .map(|p| format!("{:?} {} {} {}", p.command, p.arg0, p.arg1, p.payload.escape_ascii()))
            .collect()
    }

    #[test]
    fn a_host_is_told_what_the_phone_is() {
        let mut link = link_to(Fake::default(), Auth::Open);
        let answer = tell(&mut link, Command::Cnxn, VERSION, 1 << 20, b"host::features=cmd");
        let name = "device::ro.product.name=sim;ro.product.model=Sim;ro.product.device=sim";
        assert_eq!(
            answer,
            [format!("Cnxn {VERSION} 1048576 {name};features=shell_v2,cmd,stat_v2,ls_v2,abb,abb_exec")]
        );
        let mut old = link_to(Fake { is_old: true, ..Fake::default() }, Auth::Open);
        let answer = tell(&mut old, Command::Cnxn, VERSION, 1 << 20, b"host::features=cmd");
        assert_eq!(answer, [format!("Cnxn {VERSION_CHECKED} 4096 {name};features=")]);
    }

    #[test]
    fn a_phone_that_asks_lets_a_key_in() {
        let mut link = link_to(Fake::default(), Auth::Ask);
        assert!(tell(&mut link, Command::Cnxn, VERSION, 4_096, b"host::")[0].starts_with("Auth 1 0 "));
        assert!(tell(&mut link, Command::Open, 1, 0, b"shell:echo hi\0").is_empty());
        assert!(tell(&mut link, Command::Auth, 2, 0, &[1; 256])[0].starts_with("Auth 1 0 "));
        assert!(tell(&mut link, Command::Auth, 3, 0, b"key")[0].starts_with("Cnxn "));
        assert!(link.is_online());
    }

    #[test]
    fn a_command_is_answered_and_its_stream_closed() {
        let mut link = online(Fake::default());
        let expected = ["Okay 1 7 ", "Wrte 1 7 hi\\n", "Clse 1 7 "];
        assert_eq!(tell(&mut link, Command::Open, 7, 0, b"shell:echo hi\0"), expected);
        assert!(tell(&mut link, Command::Okay, 7, 1, b"").is_empty());
        assert!(tell(&mut link, Command::Clse, 7, 1, b"").is_empty());
        assert_eq!(link.budget.used(), 0);
    }

    #[test]
    fn one_packet_of_a_stream_is_under_way_at_a_time() {
        let mut link = online(Fake::default());
        let full = "x".repeat(16);
        let first = tell(&mut link, Command::Open, 7, 0, b"exec:big 40");
        assert_eq!(first, ["Okay 1 7 ".to_string(), format!("Wrte 1 7 {full}")]);
        assert_eq!(tell(&mut link, Command::Okay, 7, 1, b""), [format!("Wrte 1 7 {full}")]);
        assert_eq!(tell(&mut link, Command::Okay, 7, 1, b""), ["Wrte 1 7 xxxxxxxx", "Clse 1 7 "]);
    }

    #[test]
    fn a_service_that_is_not_there_is_refused() {
        let mut link = online(Fake::default());
        assert_eq!(tell(&mut link, Command::Open, 7, 0, b"track-jdwp\0"), ["Clse 0 7 "]);
        assert!(tell(&mut link, Command::Open, 0, 0, b"sync:\0").is_empty());
    }

    #[test]
    fn what_is_for_no_stream_is_passed_over() {
        let mut link = online(Fake::default());
        tell(&mut link, Command::Open, 7, 0, b"sync:\0");
        for (arg0, arg1) in [(7, 2), (8, 1), (0, 0)] {
            for command in [Command::Okay, Command::Wrte, Command::Clse] {
                let is_meant = command == Command::Clse && arg0 == 0 && arg1 == 1;
                assert!(is_meant || tell(&mut link, command, arg0, arg1, b"QUIT").is_empty());
            }
        }
        assert!(tell(&mut link, Command::Other(0x434e_5953), 1, 1, b"").is_empty());
        assert_eq!(tell(&mut link, Command::Clse, 0, 1, b""), ["Clse 1 7 "]);
    }

    #[test]
    fn a_stream_that_is_not_fetched_is_not_heard() {
        let mut link = online(Fake::default());
        link.phone.lock().expect("no panic").write("/f", 0, 0, vec![0; 1 << 20]).expect("a file");
        tell(&mut link, Command::Open, 7, 0, b"sync:");
        let request = b"RECV\x02\0\0\0/f";
        let answer = tell(&mut link, Command::Wrte, 7, 1, request);
        assert!(answer.len() == 2 && answer[0] == "Okay 1 7 ", "one request is acknowledged: {answer:?}");
        assert!(tell(&mut link, Command::Wrte, 7, 1, &request.repeat(10_000)).is_empty());
        assert_eq!(tell(&mut link, Command::Wrte, 7, 1, request), ["Clse 1 7 "], "no more may come");
        assert_eq!(link.budget.used(), 0);
    }

    #[test]
    fn streams_have_a_bound() {
        let mut link = online(Fake::default());
        for remote in 1..=256 {
            assert_eq!(tell(&mut link, Command::Open, remote, 0, b"sync:").len(), 1);
        }
        assert_eq!(tell(&mut link, Command::Open, 300, 0, b"sync:"), ["Clse 0 300 "]);
        tell(&mut link, Command::Clse, 1, 1, b"");
        assert_eq!(tell(&mut link, Command::Open, 300, 0, b"sync:"), ["Okay 257 300 "]);
    }

    #[test]
    fn a_host_that_greets_again_starts_afresh() {
        let mut link = online(Fake::default());
        tell(&mut link, Command::Open, 7, 0, b"sync:");
        let mut greeting = packet(Command::Cnxn, VERSION, 4_096, b"host::");
        greeting.check = 0;
        assert_eq!(link.receive(&greeting), Ok(()));
        assert!(link.is_online() && link.streams.is_empty());
    }

    #[test]
    fn checksums_count_where_an_end_is_old() {
        for (version, is_old, expected) in [
            (VERSION, false, Ok(())),
            (VERSION_CHECKED, false, Err(LinkError::Check)),
            (VERSION, true, Err(LinkError::Check)),
        ] {
            let mut link = link_to(Fake { is_old, ..Fake::default() }, Auth::Open);
            tell(&mut link, Command::Cnxn, version, 4_096, b"host::");
            let wrong = Packet { check: 0, ..packet(Command::Open, 7, 0, b"shell:echo hi") };
            assert_eq!(link.receive(&wrong), expected);
            if expected.is_err() {
                link.receive(&packet(Command::Open, 7, 0, b"shell:echo hi")).expect("a right checksum");
                let mut reader = Reader::new(100);
                reader.push(&link.take_output());
                let packets = std::iter::from_fn(|| reader.next_packet().expect("packets"));
                assert!(packets.map(|packet| packet.is_checked()).eq([true, true, true]));
            }
        }
    }

    #[test]
    fn encryption_and_packets_of_no_length_are_the_end() {
        let mut link = link_to(Fake::default(), Auth::Open);
        assert_eq!(link.receive(&packet(Command::Cnxn, VERSION, 0, b"host::")), Err(LinkError::NoPayload));
        assert_eq!(link.receive(&packet(Command::Stls, VERSION, 0, b"")), Err(LinkError::Encryption));
    }

    #[test]
    fn a_reboot_ends_all_connections() {
        for name in ["reboot:", "shell:reboot -p"] {
            let mut link = online(Fake::default());
            assert_eq!(tell(&mut link, Command::Open, 7, 0, name.as_bytes()), ["Okay 1 7 ", "Clse 1 7 "]);
            assert_eq!(link.lasting(), Lasting::AllEnd);
        }
        let mut link = online(Fake::default());
        tell(&mut link, Command::Open, 7, 0, b"reconnect");
        assert_eq!(link.lasting(), Lasting::Ends);
    }

    #[test]
    fn what_goes_wrong_on_purpose_goes_wrong() {
        let say = |fault: WireFault| {
            let mut link = online(Fake { faults: vec![fault], ..Fake::default() });
            let (sync, _) = (tell(&mut link, Command::Open, 6, 0, b"sync:"), ());
            assert_eq!(sync, ["Okay 1 6 "], "only what runs something goes wrong");
            link.receive(&packet(Command::Open, 7, 0, b"exec:echo hi")).expect("a packet");
            (link.take_output(), link.lasting(), link.budget.used())
        };
        let well = say(WireFault::CloseTwice);
        assert_eq!((well.1, well.2), (Lasting::Stays, 0));
        let len = well.0.len();
        assert_eq!(well.0[len - 48..len - 24], well.0[len - 24..], "closed twice");
        assert_eq!(say(WireFault::DropBefore), (Vec::new(), Lasting::Ends, 0));
        assert_eq!(say(WireFault::Offline), (Vec::new(), Lasting::Offline, 0));
        assert_eq!(say(WireFault::Stall), (well.0[..24].to_vec(), Lasting::Stays, 0));
        let (said, lasting, _) = say(WireFault::DropAmid);
        assert_eq!((&said[..], lasting), (&well.0[..24 + (len - 48) / 2], Lasting::Ends));
    }

    #[test]
    fn a_followed_log_is_looked_at() {
        let mut link = online(Fake { log: "a\n".to_string(), ..Fake::default() });
        tell(&mut link, Command::Open, 7, 0, b"exec:logcat -v brief");
        assert!(link.is_following());
        tell(&mut link, Command::Okay, 7, 1, b"");
        link.look();
        assert!(said(&mut link).is_empty());
    }

    #[test]
    fn listeners_for_the_host_end_with_its_connection() {
        let mut link = online(Fake::default());
        let ask = |link: &mut Link, request: &str| {
            let said = tell(link, Command::Open, 7, 0, format!("reverse:{request}\0").as_bytes()).join(" ");
            said.split(' ').nth(7).unwrap_or_default().to_string()
        };
        assert_eq!(ask(&mut link, "forward:tcp:9008;tcp:1").get(..4), Some("FAIL"), "a server is there");
        assert_eq!(ask(&mut link, "forward:tcp:1;tcp:2"), "OKAY");
        assert_eq!(ask(&mut link, "list-forward").get(..4), Some("0016"));
        tell(&mut link, Command::Cnxn, VERSION, 16, b"host::");
        assert_eq!(ask(&mut link, "list-forward"), "0000");
    }

    #[test]
    fn a_name_cannot_break_the_banner() {
        assert_eq!(property("a;b=c,\u{7}\nd: ß"), "a_b_c___d_ ß");
        assert_eq!(property(&"x".repeat(10_000)).len(), PROPERTY_MAX);
    }
}
