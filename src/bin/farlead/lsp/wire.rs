//! Messages of the protocol: a head with `Content-Length`, then that many bytes of JSON.

use std::io::{self, BufRead, Read as _, Write};

use serde_json::Value;

use super::Fault;

/// Size of the largest message: a file of a megabyte, with each letter escaped.
const BODY_BYTES_MAX: u64 = 16 << 20;

/// Size of the longest head; clients send one or two short lines.
const HEAD_BYTES_MAX: u64 = 4 << 10;

/// Result of reading a message.
#[derive(Debug)]
pub enum Incoming {
    Message(Value),
    /// A message that is answered with a fault; the next one can be read.
    Refused(Fault),
    /// A head without a length, after which nobody knows where a message starts.
    Lost(Fault),
    /// The client has closed its end.
    End,
}

/// Reads the next message.
pub fn read(input: &mut impl BufRead) -> io::Result<Incoming> {
    let mut head = Vec::new();
    // The blank line is the end of the head.
    while !head.ends_with(b"\n\n") && !head.ends_with(b"\n\r\n") && head != b"\n" && head != b"\r\n" {
        let room = HEAD_BYTES_MAX - head.len() as u64;
        if input.by_ref().take(room).read_until(b'\n', &mut head)? == 0 {
            return Ok(if head.is_empty() {
                Incoming::End
            } else {
                lost("the head of a message has no end")
            });
        }
    }
    let Some(length) = length(&head) else {
        return Ok(lost("the head of a message has no `Content-Length`"));
    };
    if length > BODY_BYTES_MAX {
        io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        let message = format!("the message has {length} bytes, and {BODY_BYTES_MAX} are the most");
        return Ok(Incoming::Refused(Fault::invalid_request(message)));
    }
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(Incoming::End);
    }
    Ok(match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Refused(Fault::parse(error.to_string())),
    })
}

fn lost(message: &str) -> Incoming {
    Incoming::Lost(Fault::parse(message.to_string()))
}

fn length(head: &[u8]) -> Option<u64> {
    let head = std::str::from_utf8(head).ok()?;
    head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })
}

/// Writes a message.
pub fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}
