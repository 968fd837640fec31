//! Answers of uiautomator2's server: JSON-RPC over HTTP, from the bytes of a connection.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Most bytes of an answer's head; the server's own has some 120.
const HEAD_BYTES_MAX: usize = 16 << 10;

/// Most bytes of an answer.
pub const ANSWER_BYTES_MAX: usize = 64 << 20;

/// Most characters of the server's words that a message repeats.
const SAID_CHARS_MAX: usize = 200;

/// The reason an answer has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RpcError {
    /// There is no answer.
    #[error("uiautomator2's server does not answer")]
    Silent,
    /// The answer is cut off.
    #[error("the answer of uiautomator2's server is cut off")]
    Truncated,
    /// The answer is too long.
    #[error("the answer of uiautomator2's server has {bytes} bytes, and at most {ANSWER_BYTES_MAX} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// The answer is not HTTP, or has an error status.
    #[error("uiautomator2's server says `{said}`")]
    Http {
        /// Its first line.
        said: String,
    },
    /// The body is not an answer to the question.
    #[error("what uiautomator2's server says is no answer: {why}")]
    Json {
        /// The mistake in it.
        why: String,
    },
    /// The server reports a failure.
    #[error("uiautomator2's server fails: {said}")]
    Failed {
        /// The server's message.
        said: String,
        /// True if the server does nothing more until it is restarted.
        is_over: bool,
    },
}

impl RpcError {
    /// Returns true if the server must be restarted before it answers again.
    pub fn is_over(&self) -> bool {
        match self {
            RpcError::Silent => true,
            RpcError::Failed { is_over, .. } => *is_over,
            RpcError::Truncated
            | RpcError::TooLong { .. }
            | RpcError::Http { .. }
            | RpcError::Json { .. } => false,
        }
    }
}

/// The JSON of an answer.
#[derive(Deserialize)]
struct Written<T> {
    result: Option<T>,
    error: Option<WrittenError>,
}

#[derive(Deserialize)]
struct WrittenError {
    #[serde(default)]
    message: String,
    data: Option<String>,
}

/// Returns the result in an answer.
///
/// ```
/// use farlead::device::android::rpc::result;
///
/// let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"result\":\"<x/>\"}";
/// assert_eq!(result::<String>(answer).as_deref(), Ok("<x/>"));
/// ```
pub fn result<T: DeserializeOwned>(answer: &[u8]) -> Result<T, RpcError> {
    let body = body(answer)?;
    let wrong = |why: String| RpcError::Json { why };
    let written: Written<T> = serde_json::from_slice(&body).map_err(|error| wrong(error.to_string()))?;
    match written {
        Written { error: Some(error), .. } => Err(failed(&error)),
        Written { result: Some(result), error: None } => Ok(result),
        Written { result: None, error: None } => Err(wrong("it has no result".to_string())),
    }
}

fn failed(error: &WrittenError) -> RpcError {
    let data = error.data.as_deref().unwrap_or_default();
    // These errors mean that the server has lost its connection to the system, which never comes back by
    // itself.
    let is_over = ["UiAutomation not connected", "DeadObjectException", "DeadSystem"]
        .iter()
        .any(|words| error.message.contains(words) || data.contains(words));
    let first = data.lines().next().unwrap_or_default();
    // The first line of the trace mostly repeats the message.
    let said = if first.contains(&error.message) || error.message.is_empty() {
        first.to_string()
    } else {
        format!("{} {first}", error.message)
    };
    RpcError::Failed { said: shown(&said), is_over }
}

/// Returns the body of an answer.
fn body(answer: &[u8]) -> Result<Cow<'_, [u8]>, RpcError> {
    if answer.iter().all(u8::is_ascii_whitespace) {
        return Err(RpcError::Silent);
    }
    if answer.len() > ANSWER_BYTES_MAX {
        return Err(RpcError::TooLong { bytes: answer.len() });
    }
    let first = answer.split(|&byte| byte == b'\r' || byte == b'\n').next().unwrap_or_default();
    let mut words = first.split(|&byte| byte == b' ');
    let (version, status) = (words.next().unwrap_or_default(), words.next());
    if !version.starts_with(b"HTTP/1.") || status != Some(b"200") {
        return Err(RpcError::Http { said: shown(&String::from_utf8_lossy(first)) });
    }
    // Bounded, as a broken answer may be 64 MB without an end of its head.
    let search = &answer[..answer.len().min(HEAD_BYTES_MAX)];
    let end = search.windows(4).position(|four| four == b"\r\n\r\n").ok_or(RpcError::Truncated)?;
    let (head, rest) = (String::from_utf8_lossy(&answer[..end]), &answer[end + 4..]);
    let header = |name: &str| {
        head.lines().filter_map(|line| line.split_once(':')).find_map(|(found, value)| {
            found.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_ascii_lowercase())
        })
    };
    // If both headers are there, HTTP ignores the length.
    if header("transfer-encoding").is_some_and(|value| value.ends_with("chunked")) {
        return chunks(rest).map(Cow::Owned);
    }
    match header("content-length").map(|value| value.parse::<usize>()) {
        Some(Ok(length)) => rest.get(..length).map(Cow::Borrowed).ok_or(RpcError::Truncated),
        Some(Err(_)) => Err(RpcError::Http { said: "a length that is no number".to_string() }),
        // Without a length, the body ends with the connection.
        None => Ok(Cow::Borrowed(rest)),
    }
}

/// Joins the chunks of a body: each is its length in hexadecimal digits, then its bytes; the last one is empty.
fn chunks(bytes: &[u8]) -> Result<Vec<u8>, RpcError> {
    let mut whole = Vec::new();
    let mut rest = bytes;
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").ok_or(RpcError::Truncated)?;
        let line = String::from_utf8_lossy(&rest[..end]);
        // HTTP allows an extension after the length.
        let digits = line.split(';').next().unwrap_or_default().trim();
        let length = usize::from_str_radix(digits, 16)
            .map_err(|_| RpcError::Http { said: shown(&format!("a chunk of `{line}` bytes")) })?;
        rest = &rest[end + 2..];
        if length == 0 {
            return Ok(whole);
        }
        whole.extend_from_slice(rest.get(..length).ok_or(RpcError::Truncated)?);
        rest = rest[length..].strip_prefix(b"\r\n").ok_or(RpcError::Truncated)?;
    }
}

fn shown(said: &str) -> String {
    let letters = said.trim().chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    letters.take(SAID_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> String {
        format!(
            "HTTP/1.1 200 OK \r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    #[track_caller]
    fn check(answer: &str, expected: Result<&str, &str>) {
        let found = result::<String>(answer.as_bytes()).map_err(|error| error.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn a_result_is_read_whatever_is_behind_it() {
        let whole = answer(r#"{"jsonrpc":"2.0","id":1,"result":"<?xml \"1\"?>\u00e9\n日"}"#);
        check(&whole, Ok("<?xml \"1\"?>é\n日"));
        check(&format!("{whole}\nmore"), Ok("<?xml \"1\"?>é\n日"));
        assert_eq!(result::<bool>(answer(r#"{"result":true}"#).as_bytes()), Ok(true));
    }

    #[test]
    fn an_answer_ends_where_its_head_says() {
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        check(&format!("{chunked}b\r\n{{\"result\":\"\r\nA;x=1\r\nchunks\"}}  \r\n0\r\n\r\n"), Ok("chunks"));
        check("HTTP/1.0 200 OK\r\n\r\n{\"result\":\"to the end\"}", Ok("to the end"));
        let cut = Err("the answer of uiautomator2's server is cut off");
        for (head, body) in
            [(chunked, "b\r\n{\"res"), (chunked, "2\r\n{}0\r\n"), (chunked, ""), (chunked, "2\r\n{}")]
        {
            check(&format!("{head}{body}"), cut);
        }
        check("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", cut);
        check("HTTP/1.1 200 OK\r\nContent-Le", cut);
        let wrong = Err("uiautomator2's server says `a chunk of `-1` bytes`");
        check(&format!("{chunked}-1\r\n{{}}\r\n"), wrong);
        let endless = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n{{}}", "x".repeat(HEAD_BYTES_MAX));
        check(&endless, cut);
    }

    #[test]
    fn what_is_no_result_is_said() {
        check("\n", Err("uiautomator2's server does not answer"));
        check(
            "HTTP/1.1 404 Not Found\r\n\r\nNot Found!!!",
            Err("uiautomator2's server says `HTTP/1.1 404 Not Found`"),
        );
        check("nc: bad", Err("uiautomator2's server says `nc: bad`"));
        let no_answer = "what uiautomator2's server says is no answer: ";
        check(&answer("{}"), Err(&format!("{no_answer}it has no result")));
        let deep = format!("{{\"result\":{}", "[".repeat(100_000));
        let said = result::<String>(answer(&deep).as_bytes()).expect_err("no text").to_string();
        assert!(said.starts_with(no_answer), "{said}");
    }

    #[test]
    fn a_server_that_has_lost_its_connection_is_told_from_one_that_fails() {
        let failed = |message: &str, data: &str| {
            let body = format!(r#"{{"error":{{"code":-32001,"message":"{message}","data":"{data}"}}}}"#);
            result::<String>(answer(&body).as_bytes()).expect_err("a failure")
        };
        let error =
            failed("java.lang.StackOverflowError", "java.lang.StackOverflowError: deep\\n\\tat a.b(C)");
        assert_eq!(error.to_string(), "uiautomator2's server fails: java.lang.StackOverflowError: deep");
        assert!(!error.is_over() && !RpcError::Truncated.is_over());
        assert!(failed("java.lang.IllegalStateException", "UiAutomation not connected!").is_over());
        assert!(failed("android.os.DeadObjectException", "").is_over() && RpcError::Silent.is_over());
    }
}
