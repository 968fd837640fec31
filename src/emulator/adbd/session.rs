//! Interactive shells: lines that arrive one after the other on one stream.
//!
//! A terminal echoes its keys and prompts for the next line, as far as a line that is only typed, erased and sent needs
//! it. Without a terminal, lines run and print their output alone. Each line is a shell of its own: variables of one are
//! unknown to the next, but `exit` returns the status of the line before.

use super::backend::Backend;
use super::held::Full;
use super::shell_protocol::{Form, Screen, Voice};
use super::stdin;

/// Prompt of a shell on a terminal.
pub(super) const PROMPT: &[u8] = b"$ ";

/// Longest line; a terminal takes 4,096 bytes, a file more.
const LINE_MAX: usize = 65_536;

/// Status of a line ended by Ctrl-C.
const INTERRUPTED: u8 = 130;
/// Status of a shell whose line is too long.
const GAVE_UP: u8 = 1;

/// An interactive shell.
#[derive(Debug)]
pub(super) struct Session {
    form: Form,
    line: Vec<u8>,
    status: u8,
}

impl Session {
    /// Returns a shell that has run nothing.
    pub(super) fn new(form: Form) -> Session {
        Session { form, line: Vec::new(), status: 0 }
    }

    /// Writes the first prompt on a terminal.
    pub(super) fn greet(&self, voice: &mut Voice<'_>) -> Result<(), Full> {
        if self.is_terminal() { voice.say(PROMPT) } else { Ok(()) }
    }

    fn is_terminal(&self) -> bool {
        self.form.screen == Screen::Terminal
    }

    /// Takes typed bytes; returns the status if they ended the shell.
    pub(super) fn hear(
        &mut self,
        bytes: &[u8],
        phone: &mut dyn Backend,
        voice: &mut Voice<'_>,
    ) -> Result<Option<u8>, Full> {
        for &byte in bytes {
            let ended = if self.is_terminal() {
                self.key(byte, phone, voice)?
            } else {
                self.byte(byte, phone, voice)?
            };
            if ended.is_some() {
                return Ok(ended);
            }
            // A host may send without end and without a line feed.
            if self.line.len() > LINE_MAX {
                voice.complain(b"/system/bin/sh: line too long\n")?;
                return Ok(Some(GAVE_UP));
            }
        }
        Ok(None)
    }

    /// Ends the input: runs the unfinished line and returns the status.
    pub(super) fn end(&mut self, phone: &mut dyn Backend, voice: &mut Voice<'_>) -> Result<u8, Full> {
        let ended = self.run(phone, voice)?;
        Ok(ended.unwrap_or(self.status))
    }

    fn byte(&mut self, byte: u8, phone: &mut dyn Backend, voice: &mut Voice<'_>) -> Result<Option<u8>, Full> {
        if byte == b'\n' {
            return self.run(phone, voice);
        }
        self.line.push(byte);
        Ok(None)
    }

    /// Takes a key on a terminal.
    fn key(&mut self, byte: u8, phone: &mut dyn Backend, voice: &mut Voice<'_>) -> Result<Option<u8>, Full> {
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

    /// Removes the last character, with all bytes of its UTF-8.
    fn erase(&mut self, voice: &mut Voice<'_>) -> Result<(), Full> {
        let Some(mut last) = self.line.pop() else { return Ok(()) };
        while last & 0b1100_0000 == 0b1000_0000 {
            let Some(before) = self.line.pop() else { break };
            last = before;
        }
        // Back, over it with a blank, and back again: the terminal itself erases nothing.
        voice.say(b"\x08 \x08")
    }

    fn run(&mut self, phone: &mut dyn Backend, voice: &mut Voice<'_>) -> Result<Option<u8>, Full> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        // The phone's shell is new for each line, so it cannot know which status a bare `exit` means.
        if let Some(status) = stdin::exit_status(&line, self.status) {
            return Ok(Some(status));
        }
        if !line.trim().is_empty() {
            let ran = match self.form.joins_outputs() {
                true => phone.shell_joined(&line, &[]),
                false => phone.shell(&line, &[]),
            };
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

    const TERMINAL: Form = Form { screen: Screen::Terminal, ..Form::PLAIN };

    /// Returns the output of a shell to `typed`, and its status if it ended.
    fn talk(form: Form, typed: &[u8]) -> (String, Option<u8>) {
        let mut out = Held::new(&Budget::new(1 << 20));
        let mut voice = Voice::new(&mut out, form);
        let mut session = Session::new(form);
        session.greet(&mut voice).expect("room");
        let ended = session.hear(typed, &mut Fake::default(), &mut voice).expect("room");
        (String::from_utf8(out.take(usize::MAX)).expect("text"), ended)
    }

    #[test]
    fn a_terminal_shows_what_is_typed_and_asks_for_more() {
        let (said, ended) = talk(TERMINAL, b"echo hi\nexit\r");
        assert_eq!(said, "$ echo hi\r\nhi\r\n$ exit\r\n");
        assert_eq!(ended, Some(0));
    }

    #[test]
    fn without_a_terminal_only_answers_are_said() {
        assert_eq!(
            talk(Form::PLAIN, b"echo hi\n\nfail 3\nexit\necho no\n"),
            ("hi\nout\nerr\n".to_string(), Some(3))
        );
    }

    #[test]
    fn what_was_typed_can_be_erased() {
        let (said, _) = talk(TERMINAL, "xy\u{15}\u{7f}echo aß\u{7f}b\r".as_bytes());
        assert!(said.ends_with("\r\nab\r\n$ "), "{said:?}");
    }

    #[test]
    fn keys_end_a_line_and_the_shell() {
        assert_eq!(talk(TERMINAL, &[b'x', 3, 27, 4]), ("$ x^C\r\n$ \r\n".to_string(), Some(130)));
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        assert_eq!(talk(Form::PLAIN, &[b'x'; LINE_MAX + 1]).1, Some(GAVE_UP));
    }
}
