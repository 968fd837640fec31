//! HTTP of the servers, and the paths of uiautomator2's.

use std::borrow::Cow;

use super::super::picture;
use super::super::system::Phone;
use super::rpc;
use crate::emulator::adbd::Ran;

/// A complete request.
pub(super) struct Request<'r> {
    pub method: Cow<'r, str>,
    /// Path without query and fragment, which change nothing here.
    pub path: String,
    pub body: &'r [u8],
}

impl<'r> Request<'r> {
    pub fn read(request: &'r [u8]) -> Request<'r> {
        let end = request.windows(4).position(|four| four == b"\r\n\r\n");
        let (head, body) = end.map_or((request, &[][..]), |end| (&request[..end], &request[end + 4..]));
        let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let mut words = line.split(|byte| *byte == b' ');
        let method = String::from_utf8_lossy(words.next().unwrap_or_default());
        let target = String::from_utf8_lossy(words.next().unwrap_or_default());
        let path = target.split(['?', '#']).next().unwrap_or_default().to_string();
        Request { method, path, body }
    }
}

/// Answers a complete request to uiautomator2's server.
pub(super) fn answer(phone: &mut Phone, request: &[u8]) -> Vec<u8> {
    let Request { path, body, .. } = Request::read(request);
    match &*path {
        "/ping" => said("200 OK", "text/html", b"pong"),
        "/jsonrpc/0" if body.is_empty() => {
            said("500 Internal Server Error", "text/plain", b"Invalid http post data!")
        }
        "/jsonrpc/0" => {
            let answer = rpc::answer(phone, body).to_string();
            said("200 OK", "application/json", answer.as_bytes())
        }
        "/screenshot/0" => {
            let picture = phone.framebuffer();
            said("200 OK", "image/png", &picture::png(&picture))
        }
        "/stop" => {
            phone.stop_automator(Ran::default());
            said("200 OK", "text/html", b"Server stopped!!!")
        }
        _ => said("404 Not Found", "text/plain", b"Not Found!!!"),
    }
}

pub(super) fn said(status: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: keep-alive\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}
