//! `adb reverse`: the ports of the phone behind which the host listens.
//!
//! Nothing on a simulated phone connects to a port by itself, so a listener is kept and listed, and no stream comes from it.

use std::collections::BTreeMap;

/// Number of listeners of a connection at most.
const LISTENERS_MAX: usize = 256;

/// Longest name of an end, in bytes.
const NAME_MAX: usize = 256;

/// First port that is given to a host that asks for any.
const FIRST_PORT: u16 = 40_001;

/// The listeners of a connection: the end on the phone, and the one on the host.
#[derive(Debug, Default)]
pub(super) struct Reverses(BTreeMap<String, String>);

impl Reverses {
    /// Answers a request in adb's form; `is_taken` returns true if something on the phone listens on a port.
    pub(super) fn answer(&mut self, request: &str, is_taken: impl FnMut(u16) -> bool) -> Vec<u8> {
        let (verb, rest) = request.split_once(':').unwrap_or((request, ""));
        let done = match verb {
            "list-forward" => return counted(&self.list()).into_bytes(),
            "forward" => self.forward(rest, is_taken),
            "killforward" => match self.0.remove(rest) {
                Some(_) => Ok(String::new()),
                None => Err(format!("listener '{}' not found", cut(rest))),
            },
            "killforward-all" => {
                self.0.clear();
                Ok(String::new())
            }
            _ => Err(format!("unknown request '{}'", cut(verb))),
        };
        match done {
            Ok(answer) => format!("OKAY{answer}"),
            Err(message) => format!("FAIL{}", counted(&message)),
        }
        .into_bytes()
    }

    fn list(&self) -> String {
        self.0.iter().map(|(phone, host)| format!("(reverse) {phone} {host}\n")).collect()
    }

    /// Adds a listener; returns the port as the host reads it, if the host asked for any.
    fn forward(&mut self, rest: &str, mut is_taken: impl FnMut(u16) -> bool) -> Result<String, String> {
        let only_new = rest.strip_prefix("norebind:");
        let Some((phone, host)) = only_new.unwrap_or(rest).split_once(';') else {
            return Err(format!("bad forward: {}", cut(rest)));
        };
        if phone.len() > NAME_MAX || host.len() > NAME_MAX || host.contains(';') {
            return Err("bad forward: the name of an end is too long".to_string());
        }
        let known = ["tcp:", "local:", "localabstract:", "localreserved:", "localfilesystem:"];
        let is_name = |name: &str, kinds: &[&str]| kinds.iter().any(|kind| name.starts_with(kind));
        if !is_name(phone, &known) {
            return Err(format!("unknown local portname '{}'", cut(phone)));
        }
        if !is_name(host, &known) && !is_name(host, &["dev:", "jdwp:"]) {
            return Err(format!("cannot forward to '{}'", cut(host)));
        }
        let Some(port) = phone.strip_prefix("tcp:") else { return self.add(phone, host, only_new.is_some()) };
        let port: u16 = port.parse().map_err(|_| format!("bad port number '{}'", cut(port)))?;
        if port > 0 {
            if is_taken(port) {
                return Err(format!("cannot bind listener: Address already in use: tcp:{port}"));
            }
            return self.add(phone, host, only_new.is_some());
        }
        let mut free = (FIRST_PORT..=u16::MAX).map(|port| (port, format!("tcp:{port}")));
        let (port, name) = free.find(|(_, name)| !self.0.contains_key(name)).ok_or("no port is free")?;
        self.add(&name, host, true)?;
        Ok(counted(&port.to_string()))
    }

    fn add(&mut self, phone: &str, host: &str, is_new: bool) -> Result<String, String> {
        let is_known = self.0.contains_key(phone);
        if is_known && is_new {
            return Err("cannot rebind existing socket".to_string());
        }
        if !is_known && self.0.len() >= LISTENERS_MAX {
            return Err("too many listeners".to_string());
        }
        self.0.insert(phone.to_string(), host.to_string());
        Ok(String::new())
    }
}

/// Returns a text behind its length, as adb sends it.
fn counted(text: &str) -> String {
    format!("{:04x}{text}", text.len())
}

/// Returns the start of a word for a message.
fn cut(word: &str) -> String {
    word.chars().take(NAME_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reverses: &mut Reverses, request: &str, expected: &str) {
        let answer = reverses.answer(request, |port| port == 6_790);
        assert_eq!(String::from_utf8(answer).expect("text"), expected, "{request}");
    }

    #[test]
    fn listeners_are_added_listed_and_removed() {
        let mut reverses = Reverses::default();
        check(&mut reverses, "list-forward", "0000");
        check(&mut reverses, "forward:tcp:7100;tcp:7101", "OKAY");
        check(&mut reverses, "forward:tcp:7100;tcp:7102", "OKAY");
        check(&mut reverses, "forward:norebind:tcp:7100;tcp:7103", "FAIL001dcannot rebind existing socket");
        check(&mut reverses, "forward:localabstract:a;tcp:1", "OKAY");
        check(&mut reverses, "forward:tcp:0;tcp:8000", "OKAY000540001");
        check(&mut reverses, "killforward:tcp:40001", "OKAY");
        let list = "(reverse) localabstract:a tcp:1\n(reverse) tcp:7100 tcp:7102\n";
        check(&mut reverses, "list-forward", &format!("{:04x}{list}", list.len()));
        check(&mut reverses, "killforward:tcp:7101", "FAIL001dlistener 'tcp:7101' not found");
        check(&mut reverses, "killforward-all", "OKAY");
        check(&mut reverses, "list-forward", "0000");
    }

    #[test]
    fn what_is_no_listener_is_refused() {
        for request in [
            "forward:tcp:7100",
            "forward:tcp:x;tcp:1",
            "forward:tcp:99999;tcp:1",
            "forward:tcp:6790;tcp:1",
            "forward:port:1;tcp:1",
            "forward:tcp:1;file:x",
            "forward:tcp:1;tcp:2;tcp:3",
            "other",
            "",
        ] {
            let answer = Reverses::default().answer(request, |port| port == 6_790);
            assert!(answer.starts_with(b"FAIL0"), "{request}");
        }
        let mut reverses = Reverses::default();
        for number in 0..LISTENERS_MAX {
            check(&mut reverses, &format!("forward:local:{number};tcp:1"), "OKAY");
        }
        check(&mut reverses, "forward:local:x;tcp:1", "FAIL0012too many listeners");
        assert!(reverses.answer(&"é".repeat(10_000), |_| false).len() < 1_000);
    }
}
