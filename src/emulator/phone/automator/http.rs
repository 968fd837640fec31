//! HTTP of the server: the paths of its requests.

use super::super::picture;
use super::super::system::Phone;
use super::rpc;

/// Answers a complete request.
pub(super) fn answer(phone: &mut Phone, request: &[u8]) -> Vec<u8> {
    let end = request.windows(4).position(|four| four == b"\r\n\r\n");
    let (head, body) = end.map_or((request, &[][..]), |end| (&request[..end], &request[end + 4..]));
    let line = head.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let target = line.split(' ').nth(1).unwrap_or_default();
    // Queries and fragments change nothing here.
    let path = target.split(['?', '#']).next().unwrap_or_default();
    match path {
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
            phone.automator = None;
            said("200 OK", "text/html", b"Server stopped!!!")
        }
        _ => said("404 Not Found", "text/plain", b"Not Found!!!"),
    }
}

fn said(status: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: keep-alive\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}
