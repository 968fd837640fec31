//! Interactive shells: lines that come one after the other on one stream.
//!
//! On a terminal what is typed comes back and a prompt asks for more, as far as a line that is only typed, erased
//! and sent needs it; without one, lines are run and nothing else is said. Each line is a shell of its own: what one
//! sets, the next does not know, but for the status that `exit` gives back.

use super::held::Full;
use super::service::Voice;
use super::{Phone, stdin};

/// What a shell says when it waits on a terminal.
pub(super) const PROMPT: &[u8] = b"$ ";

/// The longest line; a terminal takes 4,096 bytes, a file more.
const LINE_MAX: usize = 65_536;

/// The status of a line that was given up.
const INTERRUPTED: u8 = 130;
/// The status of a shell that gave up.
const GAVE_UP: u8 = 1;

/// An interactive shell.
#[derive(Debug)]
pub(super) struct Session {
    is_terminal: bool,
    /// Whether both outputs go to one place.
    is_joined: bool,
    line: Vec<u8>,
    status: u8,
}

impl Session {
    /// Returns a shell that has run nothing.
    pub(super) fn new(is_terminal: bool, is_joined: bool) -> Session {
        Session { is_terminal, is_joined, line: Vec::new(), status: 0 }
    }

    /// Says what it says at the start.
    pub(super) fn greet(&self, voice: &mut Voice<'_>) -> Result<(), Full> {
        if self.is_terminal { voice.say(PROMPT) } else { Ok(()) }
    }

    /// Takes what was typed; returns the status if that ended it.
    pub(super) fn hear(
        &mut self,
        bytes: &[u8],
        phone: &mut dyn Phone,
        voice: &mut Voice<'_>,
    ) -> Result<Option<u8>, Full> {
        for &byte in bytes {
            let ended =
                if self.is_terminal { self.key(byte, phone, voice)? } else { self.byte(byte, phone, voice)? };
            if ended.is_some() {
                return Ok(ended);
            }
            if self.line.len() > LINE_MAX {
                voice.complain(b"/system/bin/sh: line too long\n")?;
                return Ok(Some(GAVE_UP));
            }
        }
        Ok(None)
    }

    /// Nothing more will be typed: runs what is left and returns the status.
    pub(super) fn end(&mut self, phone: &mut dyn Phone, voice: &mut Voice<'_>) -> Result<u8, Full> {
        let ended = self.run(phone, voice)?;
        Ok(ended.unwrap_or(self.status))
    }

    fn byte(&mut self, byte: u8, phone: &mut dyn Phone, voice: &mut Voice<'_>) -> Result<Option<u8>, Full> {
        if byte == b'\n' {
            return self.run(phone, voice);
        }
        self.line.push(byte);
        Ok(None)
    }

    /// A key on a terminal.
    fn key(&mut self, byte: u8, phone: &mut dyn Phone, voice: &mut Voice<'_>) -> Result<Option<u8>, Full> {
        match byte {
            b'\r' | b'\n' => {
                voice.say(b"\n")?;
                let ended = self.run(phone, voice)?;
                if ended.is_none() {
                    voice.say(PROMPT)?;
                }
                return Ok(ended);
            }
            // Ctrl-C and Ctrl-D.
            3 => {
                self.line.clear();
                self.status = INTERRUPTED;
                voice.say(b"^C\n")?;
                voice.say(PROMPT)?;
            }
            4 if self.line.is_empty() => {
                voice.say(b"\n")?;
                return Ok(Some(self.status));
            }
            // Backspace and delete; Ctrl-U erases all.
            8 | 127 => self.erase(voice)?,
            21 => {
                while !self.line.is_empty() {
                    self.erase(voice)?;
                }
            }
            byte if byte >= b' ' || byte == b'\t' => {
                self.line.push(byte);
                voice.say(&[byte])?;
            }
            _ => {}
        }
        Ok(None)
    }

    /// Takes the last character away, of however many bytes it is.
    fn erase(&mut self, voice: &mut Voice<'_>) -> Result<(), Full> {
        let Some(mut last) = self.line.pop() else { return Ok(()) };
        while last & 0b1100_0000 == 0b1000_0000 {
            let Some(before) = self.line.pop() else { break };
            last = before;
        }
        voice.say(b"\x08 \x08")
    }

    fn run(&mut self, phone: &mut dyn Phone, voice: &mut Voice<'_>) -> Result<Option<u8>, Full> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        if let Some(status) = stdin::exit_status(&line, self.status) {
            return Ok(Some(status));
        }
        if !line.trim().is_empty() {
            let ran = if self.is_joined { phone.shell_joined(&line, &[]) } else { phone.shell(&line, &[]) };
            voice.say(&ran.stdout)?;
            voice.complain(&ran.stderr)?;
            self.status = ran.code;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::super::held::{Budget, Held};
    use super::*;

    /// What a shell says to `typed`, and with what it ended.
    fn talk(is_terminal: bool, typed: &[u8]) -> (String, Option<u8>) {
        let mut out = Held::new(&Budget::new(1 << 20));
        let mut voice = Voice::new(&mut out, false, is_terminal);
        let mut session = Session::new(is_terminal, true);
        session.greet(&mut voice).expect("room");
        let ended = session.hear(typed, &mut Fake::default(), &mut voice).expect("room");
        (String::from_utf8(out.take(usize::MAX)).expect("text"), ended)
    }

    #[test]
    fn a_terminal_shows_what_is_typed_and_asks_for_more() {
        let (said, ended) = talk(true, b"echo hi\nexit\r");
        assert_eq!(said, "$ echo hi\r\nhi\r\n$ exit\r\n");
        assert_eq!(ended, Some(0));
    }

    #[test]
    fn without_a_terminal_only_answers_are_said() {
        assert_eq!(
            talk(false, b"echo hi\n\nfail 3\nexit\necho no\n"),
            ("hi\nout\nerr\n".to_string(), Some(3))
        );
    }

    #[test]
    fn what_was_typed_can_be_erased() {
        let (said, _) = talk(true, "xy\u{15}\u{7f}echo aß\u{7f}b\r".as_bytes());
        assert!(said.ends_with("\r\nab\r\n$ "), "{said:?}");
    }

    #[test]
    fn keys_end_a_line_and_the_shell() {
        assert_eq!(talk(true, &[b'x', 3, 27, 4]), ("$ x^C\r\n$ \r\n".to_string(), Some(130)));
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        assert_eq!(talk(false, &[b'x'; LINE_MAX + 1]).1, Some(GAVE_UP));
    }
}
