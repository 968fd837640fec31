//! Services that a host can open on a phone: shells, commands, files, the screen, ports, and requests that a user build
//! refuses.
//!
//! A service takes the input of its stream and writes its output into `out`; [`super::link`] decides when that leaves.
//! Commands end at once, as time on the phone is virtual. A followed log and a running server stay until the host hangs
//! up, a server also until it ends by itself.

use super::backend::{Backend, Ran};
use super::held::{Full, Held};
use super::http::Http;
use super::reverse::Reverses;
use super::session::Session;
use super::shell_protocol::{Event, Form, Framing, Packets, Screen, Voice};
use super::stdin::{self, Ending, Wanted};
use super::sync::{OUT_MAX, Sync};

/// Longest name of a service, its command line included: the longest argument that a phone's kernel takes.
const NAME_MAX: usize = 131_072;

/// Consequence for the connections once a service has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    /// This connection is dropped.
    DropThis,
    /// All connections are dropped: the phone starts afresh.
    DropAll,
}

#[derive(Debug)]
enum Kind {
    /// A service that has written all its output.
    Said,
    /// A command that waits for its input.
    Waiting {
        command: Command,
        wanted: Wanted,
        input: Held,
    },
    Session(Session),
    /// A log that is followed: the command, and the entries logged at the last look.
    Following {
        command: Command,
        seen: u64,
    },
    /// A server that runs until it ends, or the host hangs up.
    Serving,
    Sync(Sync),
    Http(Http),
}

#[derive(Debug)]
enum Command {
    Line(Held),
    /// The arguments, with a NUL between each two.
    Service(Held),
}

impl Command {
    fn run(&self, phone: &mut dyn Backend, stdin: &[u8], form: Form) -> Ran {
        match self {
            Command::Line(line) => {
                let line = String::from_utf8_lossy(line.bytes());
                if form.joins_outputs() {
                    phone.shell_joined(&line, stdin)
                } else {
                    phone.shell(&line, stdin)
                }
            }
            Command::Service(arguments) => {
                let arguments = String::from_utf8_lossy(arguments.bytes()).into_owned();
                phone.abb(&arguments.split('\0').collect::<Vec<&str>>(), stdin)
            }
        }
    }
}

/// An open service: the phone's end of a stream.
#[derive(Debug)]
pub(super) struct Service {
    kind: Kind,
    form: Form,
    packets: Packets,
    effect: Effect,
    /// The server that a command of this stream started; it ends with the stream.
    server: Option<u32>,
}

impl Service {
    /// Opens the service `name`, if there is one, and writes its first output.
    pub(super) fn open(
        name: &[u8],
        phone: &mut dyn Backend,
        out: &mut Held,
    ) -> Result<Option<Service>, Full> {
        // Most hosts end the name with a NUL, and one does not.
        let end = name.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        if end > NAME_MAX {
            return Ok(None);
        }
        let name = String::from_utf8_lossy(&name[..end]);
        let (kind, rest) = name.split_once(':').unwrap_or((&name, ""));
        let has_nul = name.contains('\0');
        let (kind, flags) = kind.split_once(',').unwrap_or((kind, ""));
        let is_new = !phone.features().is_empty();
        match kind {
            "abb" | "abb_exec" if is_new => {
                let framing = if kind == "abb" { Framing::Packets } else { Framing::Bytes };
                Service::service_command(rest, framing, phone, out).map(Some)
            }
            // Only the arguments of `abb` have NULs between them; elsewhere one would cut a path or a line short.
            _ if has_nul => Ok(None),
            "shell" => Service::shell(flags, rest, phone, out),
            "exec" => Service::command_or_session(rest, Form::PLAIN, phone, out).map(Some),
            "sync" => Ok(Some(Service::plain(Kind::Sync(Sync::new(Held::new(out.budget()), is_new))))),
            "tcp" => Ok(Service::port(rest, phone, out)),
            "framebuffer" => {
                out.add(&framebuffer(is_new, phone))?;
                Ok(Some(Service::plain(Kind::Said)))
            }
            "reboot" => {
                phone.reboot();
                Ok(Some(Service { effect: Effect::DropAll, ..Service::plain(Kind::Said) }))
            }
            "reconnect" => {
                out.add(b"done")?;
                Ok(Some(Service { effect: Effect::DropThis, ..Service::plain(Kind::Said) }))
            }
            _ => {
                let Some(answer) = answer_of_a_user_build(kind, rest) else { return Ok(None) };
                out.add(answer.as_bytes())?;
                Ok(Some(Service::plain(Kind::Said)))
            }
        }
    }

    /// Returns a service that answers a request for streams from the phone to the host.
    pub(super) fn reverse(
        request: &str,
        reverses: &mut Reverses,
        phone: &mut dyn Backend,
        out: &mut Held,
    ) -> Result<Service, Full> {
        out.add(&reverses.answer(request, |port| phone.tcp(port, &[]).is_some()))?;
        Ok(Service::plain(Kind::Said))
    }

    fn plain(kind: Kind) -> Service {
        Service { kind, form: Form::PLAIN, packets: Packets::default(), effect: Effect::None, server: None }
    }

    fn shell(
        flags: &str,
        line: &str,
        phone: &mut dyn Backend,
        out: &mut Held,
    ) -> Result<Option<Service>, Full> {
        let has = |wanted: &str| flags.split(',').any(|flag| flag == wanted);
        // A phone without features takes the flags for a part of an unknown service's name.
        if !flags.is_empty() && phone.features().is_empty() {
            return Ok(None);
        }
        let framing = if has("v2") { Framing::Packets } else { Framing::Bytes };
        // A shell without a command is for a person, unless the host asks for a raw one.
        let is_terminal = has("pty") || (line.is_empty() && !has("raw"));
        let screen = if is_terminal { Screen::Terminal } else { Screen::None };
        Service::command_or_session(line, Form { framing, screen }, phone, out).map(Some)
    }

    fn command_or_session(
        line: &str,
        form: Form,
        phone: &mut dyn Backend,
        out: &mut Held,
    ) -> Result<Service, Full> {
        let mut held = Held::new(out.budget());
        held.add(line.as_bytes())?;
        let mut service = Service { form, ..Service::plain(Kind::Said) };
        if line.is_empty() {
            let session = Session::new(form);
            session.greet(&mut service.voice(out))?;
            service.kind = Kind::Session(session);
            return Ok(service);
        }
        if stdin::is_reboot(line) {
            service.effect = Effect::DropAll;
        }
        service.start(Command::Line(held), stdin::wanted(line), phone, out)?;
        Ok(service)
    }

    fn service_command(
        arguments: &str,
        framing: Framing,
        phone: &mut dyn Backend,
        out: &mut Held,
    ) -> Result<Service, Full> {
        let mut held = Held::new(out.budget());
        held.add(arguments.as_bytes())?;
        let mut service = Service { form: Form { framing, ..Form::PLAIN }, ..Service::plain(Kind::Said) };
        let wanted = stdin::wanted_by_service(&arguments.split('\0').collect::<Vec<&str>>());
        service.start(Command::Service(held), wanted, phone, out)?;
        Ok(service)
    }

    fn port(rest: &str, phone: &mut dyn Backend, out: &Held) -> Option<Service> {
        let port = rest.parse().ok()?;
        // The empty request asks whether something listens there.
        phone.tcp(port, &[])?;
        Some(Service::plain(Kind::Http(Http::new(port, Held::new(out.budget())))))
    }

    /// Ends the output, and keeps the stream open until the host hangs up.
    pub(super) fn fall_silent(&mut self) {
        self.kind = Kind::Serving;
    }

    /// Returns true if the service has written its last output.
    pub(super) fn is_over(&self) -> bool {
        match &self.kind {
            Kind::Said => true,
            Kind::Sync(sync) => sync.is_over(),
            Kind::Waiting { .. }
            | Kind::Session(_)
            | Kind::Following { .. }
            | Kind::Serving
            | Kind::Http(_) => false,
        }
    }

    /// Returns true if the service may have output without new input.
    pub(super) fn is_following(&self) -> bool {
        match self.kind {
            Kind::Following { .. } => true,
            Kind::Serving => self.server.is_some(),
            Kind::Said | Kind::Waiting { .. } | Kind::Session(_) | Kind::Sync(_) | Kind::Http(_) => false,
        }
    }

    /// Returns the consequence for the connections once all output is sent.
    pub(super) fn effect(&self) -> Effect {
        self.effect
    }

    /// Takes input of the stream.
    pub(super) fn hear(&mut self, bytes: &[u8], phone: &mut dyn Backend, out: &mut Held) -> Result<(), Full> {
        if self.form.framing == Framing::Bytes {
            return self.input(bytes, phone, out);
        }
        let mut rest = bytes;
        while let Some((event, len)) = self.packets.next_event(rest) {
            match event {
                Event::Input => self.input(&rest[..len], phone, out)?,
                Event::End => self.end_of_input(phone, out)?,
                Event::Nothing => {}
            }
            rest = &rest[len..];
        }
        Ok(())
    }

    /// Continues waiting requests; returns true if there is room for more input.
    pub(super) fn go_on(&mut self, phone: &mut dyn Backend, out: &mut Held) -> Result<bool, Full> {
        match &mut self.kind {
            Kind::Sync(sync) => sync.go_on(phone, out),
            _ => Ok(true),
        }
    }

    /// Writes the new part of a followed log, or the end of a server.
    pub(super) fn look(&mut self, phone: &mut dyn Backend, out: &mut Held) -> Result<(), Full> {
        let form = self.form;
        if let (Kind::Serving, Some(server)) = (&self.kind, self.server) {
            // What it prints stays with the phone while the host does not read.
            if out.len() < OUT_MAX {
                let said = phone.server_output(server);
                self.voice(out).say(&said)?;
            }
            let Some(Ran { stdout, stderr, code }) = phone.ended_server(server) else { return Ok(()) };
            (self.kind, self.server) = (Kind::Said, None);
            let mut voice = self.voice(out);
            voice.say(&stdout)?;
            voice.complain(&stderr)?;
            return voice.exit(code);
        }
        let Kind::Following { command, seen } = &mut self.kind else { return Ok(()) };
        if out.len() >= OUT_MAX {
            return Ok(());
        }
        let logged = phone.logged();
        let told = std::mem::replace(seen, logged);
        if told == logged {
            return Ok(());
        }
        phone.skip_log(told);
        let stdout = command.run(phone, &[], form).stdout;
        phone.skip_log(0);
        Voice::new(out, form).say(&stdout)
    }

    /// Takes note that the host has hung up: a command that reads to the end has now read it.
    pub(super) fn hang_up(&mut self, phone: &mut dyn Backend) {
        if let Kind::Waiting { command, wanted: Wanted::All, input } = &self.kind {
            // `cat > file` on an `exec:` stream has no other way to end. Nobody reads its output.
            command.run(phone, input.bytes(), Form::PLAIN);
        }
        self.end_server(phone);
    }

    /// Ends the server that a command of this stream started.
    pub(super) fn end_server(&mut self, phone: &mut dyn Backend) {
        if let Some(server) = self.server.take() {
            phone.end_server(server);
        }
    }

    fn voice<'a>(&self, out: &'a mut Held) -> Voice<'a> {
        Voice::new(out, self.form)
    }

    fn start(
        &mut self,
        command: Command,
        wanted: Wanted,
        phone: &mut dyn Backend,
        out: &mut Held,
    ) -> Result<(), Full> {
        match wanted {
            Wanted::Nothing => self.run(command, &[], phone, out),
            // Refused before the first byte: the host need not send what cannot be held.
            Wanted::Exactly(len) if len > out.budget().bytes_max() as u64 => self.no_room(out),
            Wanted::Exactly(_) | Wanted::All => {
                self.kind = Kind::Waiting { command, wanted, input: Held::new(out.budget()) };
                Ok(())
            }
        }
    }

    fn run(
        &mut self,
        command: Command,
        stdin: &[u8],
        phone: &mut dyn Backend,
        out: &mut Held,
    ) -> Result<(), Full> {
        let ending = match &command {
            Command::Line(line) => stdin::ending(&String::from_utf8_lossy(line.bytes())),
            Command::Service(_) => Ending::Ends,
        };
        let ran = command.run(phone, stdin, self.form);
        self.server = phone.take_server();
        let mut voice = self.voice(out);
        voice.say(&ran.stdout)?;
        voice.complain(&ran.stderr)?;
        match ending {
            Ending::Follows if ran.code == 0 => {
                let seen = phone.logged();
                self.kind = Kind::Following { command, seen };
                Ok(())
            }
            Ending::Ends | Ending::Follows if self.server.is_some() => {
                self.kind = Kind::Serving;
                Ok(())
            }
            Ending::Ends | Ending::Follows => {
                self.kind = Kind::Said;
                self.voice(out).exit(ran.code)
            }
        }
    }

    fn input(&mut self, bytes: &[u8], phone: &mut dyn Backend, out: &mut Held) -> Result<(), Full> {
        let mut voice = Voice::new(out, self.form);
        match &mut self.kind {
            Kind::Session(session) => {
                let ended = session.hear(bytes, phone, &mut voice)?;
                self.server = phone.take_server().or(self.server);
                if let Some(status) = ended {
                    voice.exit(status)?;
                    self.kind = Kind::Said;
                    self.end_server(phone);
                }
                Ok(())
            }
            Kind::Sync(sync) => sync.hear(bytes),
            Kind::Http(http) => {
                if !http.hear(bytes, phone, out)? {
                    self.kind = Kind::Said;
                }
                Ok(())
            }
            Kind::Waiting { wanted, input, .. } => {
                let wanted = *wanted;
                let left = match wanted {
                    Wanted::Exactly(len) => usize::try_from(len).unwrap_or(usize::MAX) - input.len(),
                    Wanted::All | Wanted::Nothing => usize::MAX,
                };
                // The budget is shared by all streams: a failed upload is an answer here, and no end of the stream.
                if input.add(&bytes[..bytes.len().min(left)]).is_err() {
                    self.kind = Kind::Said;
                    return self.no_room(out);
                }
                if bytes.len() >= left { self.run_waiting(phone, out) } else { Ok(()) }
            }
            // A host may still send when its command has ended; a phone reads that and drops it.
            Kind::Said | Kind::Following { .. } | Kind::Serving => Ok(()),
        }
    }

    fn end_of_input(&mut self, phone: &mut dyn Backend, out: &mut Held) -> Result<(), Full> {
        let mut voice = Voice::new(out, self.form);
        if let Kind::Session(session) = &mut self.kind {
            let status = session.end(phone, &mut voice)?;
            self.kind = Kind::Said;
            voice.exit(status)?;
            self.server = phone.take_server().or(self.server);
            self.end_server(phone);
            return Ok(());
        }
        self.run_waiting(phone, out)
    }

    fn run_waiting(&mut self, phone: &mut dyn Backend, out: &mut Held) -> Result<(), Full> {
        match std::mem::replace(&mut self.kind, Kind::Said) {
            Kind::Waiting { command, input, .. } => self.run(command, input.bytes(), phone, out),
            other => {
                self.kind = other;
                Ok(())
            }
        }
    }

    fn no_room(&self, out: &mut Held) -> Result<(), Full> {
        let mut voice = self.voice(out);
        voice.say(b"Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]\n")?;
        voice.complain(b"No space left on device\n")?;
        voice.exit(1)
    }
}

/// Returns true if opening the service `name` runs a command.
pub(super) fn runs_something(name: &[u8]) -> bool {
    [&b"shell"[..], b"exec:", b"abb"].iter().any(|kind| name.starts_with(kind))
}

/// Returns the answer of a user build to requests for developers; nothing if `kind` is no service.
fn answer_of_a_user_build(kind: &str, rest: &str) -> Option<String> {
    Some(match kind {
        "root" => "adbd cannot run as root in production builds\n".to_string(),
        "unroot" => "adbd not running as root\n".to_string(),
        "remount" => "Not running as root. Try \"adb root\" first.\n".to_string(),
        "disable-verity" | "enable-verity" => "verity cannot be disabled/enabled - USER build\n".to_string(),
        // There is only one wire, so it stays.
        "usb" => "restarting in USB mode\n".to_string(),
        "tcpip" => match rest.parse::<u16>() {
            Ok(port) if port > 0 => format!("restarting in TCP mode port: {port}\n"),
            _ => "invalid port\n".to_string(),
        },
        _ => return None,
    })
}

/// Returns the screen behind the header that describes its pixels.
fn framebuffer(is_new: bool, phone: &mut dyn Backend) -> Vec<u8> {
    let (width, height, pixels) = phone.framebuffer();
    let size = u32::try_from(pixels.len()).unwrap_or(u32::MAX);
    // Version 2 adds the colour space: sRGB, the only one that all hosts know.
    let mut head = if is_new { vec![2, 32, 1] } else { vec![1, 32] };
    // First bit and number of bits of red, blue, green and alpha.
    head.extend([size, width, height, 0, 8, 16, 8, 8, 8, 24, 8]);
    let mut answer: Vec<u8> = head.into_iter().flat_map(u32::to_le_bytes).collect();
    answer.extend(pixels);
    answer
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::super::held::Budget;
    use super::*;

    fn open(phone: &mut Fake, name: &str) -> Option<(Service, Held)> {
        let mut out = Held::new(&Budget::new(1 << 20));
        let service = Service::open(name.as_bytes(), phone, &mut out).expect("room")?;
        Some((service, out))
    }

    /// Returns the output of the service `name` to `heard`, and true if the service is over.
    fn said(name: &str, heard: &[u8]) -> (String, bool) {
        let mut phone = Fake::default();
        let (mut service, mut out) = open(&mut phone, name).expect("a service");
        for piece in heard.chunks(3) {
            service.hear(piece, &mut phone, &mut out).expect("room");
        }
        (String::from_utf8_lossy(&out.take(usize::MAX)).into_owned(), service.is_over())
    }

    fn check(name: &str, heard: &[u8], expected: &str) {
        assert_eq!(said(name, heard), (expected.to_string(), true), "{name:?}");
    }

    #[test]
    fn a_command_is_run_and_says_how_it_ended() {
        check("shell:fail 3\0", b"", "out\nerr\n");
        check("exec:echo hi", b"", "hi\n");
        check(
            "shell,v2,TERM=xterm,raw:fail 3",
            b"",
            "\x01\x04\0\0\0out\n\x02\x04\0\0\0err\n\x03\x01\0\0\0\x03",
        );
        check("shell,v2,TERM=xterm,pty:fail 3", b"", "\x01\x0a\0\0\0out\r\nerr\r\n\x03\x01\0\0\0\x03");
    }

    #[test]
    fn a_command_that_reads_gets_its_input() {
        check(
            "shell,v2,raw:cat",
            b"\0\x02\0\0\0hi\0\x01\0\0\0!\x04\0\0\0\0",
            "\x01\x03\0\0\0hi!\x03\x01\0\0\0\0",
        );
        check("exec:cmd package install -S 5", b"123456", "Success 5\n");
        check("abb_exec:package\0install\0-r\0-S\x004\0", b"1234", "package|install|-r|-S|4 4\n");
        check("abb:package\0list", b"", "\x01\x0f\0\0\0package|list 0\n\x03\x01\0\0\0\0");
        assert_eq!(said("exec:cat", b"hi"), (String::new(), false));
    }

    #[test]
    fn a_command_of_a_host_that_hung_up_has_read_all() {
        let mut phone = Fake::default();
        let (mut service, mut out) = open(&mut phone, "exec:cat > /sdcard/f").expect("a service");
        service.hear(b"hi", &mut phone, &mut out).expect("room");
        assert!(phone.ran.is_empty());
        service.hang_up(&mut phone);
        assert_eq!(phone.ran, ["cat > /sdcard/f"]);
    }

    #[test]
    fn an_app_that_is_too_large_is_refused_at_once() {
        let (answer, is_over) = said("exec:cmd package install -S 99999999", b"");
        assert!(answer.starts_with("Failure [INSTALL_FAILED_INSUFFICIENT_STORAGE]\n") && is_over, "{answer}");
    }

    #[test]
    fn a_script_on_standard_input_is_run_line_by_line() {
        let typed = b"\0\x0d\0\0\0echo a\nfail 4\x05\x04\0\0\x0080x2\x04\0\0\0\0";
        check(
            "shell,v2,TERM=xterm,raw:",
            typed,
            "\x01\x02\0\0\0a\n\x01\x04\0\0\0out\n\x02\x04\0\0\0err\n\x03\x01\0\0\0\x04",
        );
        assert_eq!(said("shell:", b"echo a\r").0, "$ echo a\r\na\r\n$ ");
    }

    #[test]
    fn a_log_that_is_followed_says_what_is_new() {
        let mut phone = Fake { log: "one\n".to_string(), ..Fake::default() };
        let (mut service, mut out) = open(&mut phone, "exec:logcat -v brief").expect("a service");
        assert!(service.is_following() && !service.is_over());
        assert_eq!(out.take(100), b"one\n");
        service.look(&mut phone, &mut out).expect("room");
        assert!(out.is_empty());
        phone.log.push_str("two\n");
        service.look(&mut phone, &mut out).expect("room");
        assert_eq!(out.take(100), b"two\n");
        check("exec:logcat -d", b"", "");
    }

    #[test]
    fn a_server_that_ends_by_itself_ends_its_stream() {
        let mut phone = Fake::default();
        let (mut service, mut out) = open(&mut phone, "shell,v2,raw:serve").expect("a service");
        out.take(100);
        service.look(&mut phone, &mut out).expect("room");
        assert!(out.is_empty() && service.is_following() && !service.is_over());
        phone.ended = Some(Ran { stdout: b"OK\n".to_vec(), stderr: Vec::new(), code: 3 });
        service.look(&mut phone, &mut out).expect("room");
        assert_eq!(out.take(100), b"\x01\x03\0\0\0OK\n\x03\x01\0\0\0\x03");
        assert!(!service.is_following() && service.is_over());
    }

    #[test]
    fn what_a_user_build_does_not_do_is_said() {
        check("root:", b"", "adbd cannot run as root in production builds\n");
        check("tcpip:0", b"", "invalid port\n");
    }

    #[test]
    fn what_is_not_there_is_not_opened() {
        for name in
            ["track-jdwp", "jdwp:3", "tcp:80", "tcp:x", "tcp:9008:host", "localabstract:x", "", "shell:a\0b"]
        {
            assert!(open(&mut Fake::default(), name).is_none(), "{name}");
        }
        assert!(open(&mut Fake::default(), &format!("shell:{}", "x".repeat(NAME_MAX))).is_none());
    }

    #[test]
    fn an_old_phone_knows_the_old_services_only() {
        let mut phone = Fake { is_old: true, ..Fake::default() };
        for (name, expected) in [
            ("shell,v2,raw:echo hi", false),
            ("abb_exec:package\0list", false),
            ("shell:echo hi", true),
            ("exec:echo", true),
        ] {
            assert_eq!(open(&mut phone, name).is_some(), expected, "{name}");
        }
    }

    #[test]
    fn the_screen_comes_with_its_form() {
        let mut phone = Fake::default();
        let (_, mut out) = open(&mut phone, "framebuffer:").expect("a service");
        let answer = out.take(1_000);
        assert_eq!((answer.len(), answer[0], answer[12]), (14 * 4 + 8, 2, 8));
        let (_, mut out) = open(&mut Fake { is_old: true, ..phone }, "framebuffer:").expect("a service");
        assert_eq!(out.take(1_000).len(), 13 * 4 + 8);
    }

    #[test]
    fn a_port_answers_until_it_is_told_to_close() {
        let ping = "GET /ping HTTP/1.1\r\n\r\n";
        let (answer, is_over) = said("tcp:9008", ping.as_bytes());
        assert!(answer.ends_with("pong") && !is_over, "{answer}");
        assert!(said("tcp:9008", ping.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").as_bytes()).1);
    }
}
