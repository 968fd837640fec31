//! HTTP on a stream: the bounds of requests, whatever the pieces they arrive in.

use super::backend::Backend;
use super::held::{Full, Held};

/// Longest head of a request.
pub(super) const HEAD_MAX: usize = 65_536;

/// Longest body of a request.
const BODY_MAX: usize = 16 << 20;

/// A connection to a port of the phone.
#[derive(Debug)]
pub(super) struct Http {
    port: u16,
    input: Held,
    /// Number of bytes already searched for the end of a head.
    searched: usize,
    /// Length of the request at the front, once its head has arrived.
    len: Option<usize>,
}

/// The error that the input is no request that could be answered.
struct NoRequest;

impl Http {
    /// Returns a new connection to `port` that queues its input in `input`.
    pub(super) fn new(port: u16, input: Held) -> Http {
        Http { port, input, searched: 0, len: None }
    }

    /// Takes input and answers the complete requests; returns true if the connection stays open.
    pub(super) fn hear(
        &mut self,
        bytes: &[u8],
        phone: &mut dyn Backend,
        out: &mut Held,
    ) -> Result<bool, Full> {
        self.input.add(bytes)?;
        loop {
            let request = match self.next_request() {
                Ok(Some(request)) => request,
                Ok(None) => return Ok(true),
                Err(NoRequest) => return Ok(false),
            };
            let Some(answer) = phone.tcp(self.port, &request) else { return Ok(false) };
            out.add(&answer)?;
            // Either side may end the connection.
            if closes(&request) || closes(&answer) {
                return Ok(false);
            }
        }
    }

    fn next_request(&mut self) -> Result<Option<Vec<u8>>, NoRequest> {
        if self.len.is_none() {
            self.len = self.find_len()?;
        }
        let Some(len) = self.len.filter(|len| *len <= self.input.len()) else { return Ok(None) };
        // The next request begins behind this one, and nothing of it was searched.
        (self.searched, self.len) = (0, None);
        Ok(Some(self.input.take(len)))
    }

    /// Returns the length of the request at the front, once its head has arrived.
    fn find_len(&mut self) -> Result<Option<usize>, NoRequest> {
        let bytes = self.input.bytes();
        let Some(head_len) = head_len(bytes, self.searched) else {
            self.searched = bytes.len();
            return if bytes.len() > HEAD_MAX { Err(NoRequest) } else { Ok(None) };
        };
        let head = &bytes[..head_len];
        // Chunks have no length ahead, and no client of the server sends them.
        if field(head, "transfer-encoding").is_some() {
            return Err(NoRequest);
        }
        let body = field(head, "content-length").map_or(Ok(0), |len| len.parse()).map_err(|_| NoRequest)?;
        if body > BODY_MAX { Err(NoRequest) } else { Ok(Some(head_len + body)) }
    }
}

/// Returns the length of a message's head with the empty line that ends it; the line does not end before `searched`.
fn head_len(bytes: &[u8], searched: usize) -> Option<usize> {
    // The empty line may have begun in what was searched before.
    let from = searched.saturating_sub(3);
    let end = bytes[from..].windows(4).take(HEAD_MAX).position(|four| four == b"\r\n\r\n")?;
    Some(from + end + 4)
}

fn field(head: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    fields
        .find(|(other, _)| other.trim().eq_ignore_ascii_case(name))
        .map(|(_, value)| value.trim().to_string())
}

fn closes(message: &[u8]) -> bool {
    let head = head_len(message, 0).map(|len| &message[..len]);
    head.and_then(|head| field(head, "connection")).is_some_and(|value| value.eq_ignore_ascii_case("close"))
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::super::held::Budget;
    use super::*;

    /// Returns the answer to `asked`, the same for pieces of any size, and true if the connection stays open.
    fn ask(asked: &[u8]) -> (String, bool) {
        let mut answers = Vec::new();
        for piece in [1, 7, asked.len()] {
            let budget = Budget::new(1 << 20);
            let (mut http, mut out) = (Http::new(9008, Held::new(&budget)), Held::new(&budget));
            let mut pieces = asked.chunks(piece);
            let stays = pieces.all(|piece| http.hear(piece, &mut Fake::default(), &mut out).expect("room"));
            answers.push((String::from_utf8_lossy(&out.take(usize::MAX)).into_owned(), stays));
        }
        assert_eq!(answers[0], answers[1]);
        assert_eq!(answers[0], answers[2]);
        answers.swap_remove(0)
    }

    #[test]
    fn requests_are_answered_one_after_the_other() {
        let ping = b"GET /ping HTTP/1.1\r\n\r\n";
        let post = b"POST /jsonrpc/0 HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}";
        let (answer, stays) = ask(&[&ping[..], post, ping].concat());
        let bodies: Vec<&str> = answer.split("\r\n\r\n").map(|part| &part[..4]).collect();
        assert_eq!((&bodies[1..], stays), (&["pong", "what", "pong"][..], true));
    }

    #[test]
    fn a_request_can_end_the_connection() {
        let (answer, stays) = ask(b"GET /ping HTTP/1.1\r\nConnection: Close\r\n\r\n");
        assert!(answer.ends_with("pong") && !stays);
    }

    #[test]
    fn what_is_no_request_ends_the_connection() {
        for field in [
            "Content-Length: -1",
            "Content-Length: 16777217",
            "Content-Length: 18446744073709551615",
            "Transfer-Encoding: chunked",
        ] {
            let asked = format!("GET / HTTP/1.1\r\n{field}\r\n\r\n");
            assert_eq!(ask(asked.as_bytes()), (String::new(), false), "{field}");
        }
        assert!(!ask(&[b'x'; HEAD_MAX + 1]).1);
    }
}
