//! Requests to a WebDriver server, and its answers.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::WebDriverError;
use crate::device::said;
use crate::text::{HIDDEN, key_of, secret_of, without_secret};

/// Most bytes of an answer: a page of 5,000 widgets takes 2 MB, a picture of a large display 20 MB.
const ANSWER_BYTES_MAX: u64 = 64 << 20;

/// Time in which a server says how it is.
const STATUS_WITHIN: Duration = Duration::from_secs(10);

/// Status of a server, in its own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerStatus {
    /// True if it would begin a session now.
    pub is_ready: bool,
    /// Its version; empty if it names none.
    pub version: String,
    /// Its message; may be empty.
    pub message: String,
    /// Sessions that all nodes of a grid have at a time; none if it is no grid.
    pub slots: Option<usize>,
}

impl ServerStatus {
    /// Asks the server at `address` how it is.
    pub fn ask(address: &str) -> Result<ServerStatus, WebDriverError> {
        Ok(ServerStatus::read(&Server::new(address, STATUS_WITHIN).ask("GET", "/status", None)?))
    }

    fn read(answer: &Value) -> ServerStatus {
        let word = |value: &Value| said(value.as_str().unwrap_or_default());
        ServerStatus {
            is_ready: answer["ready"] == json!(true),
            version: word(&answer["build"]["version"]),
            message: word(&answer["message"]),
            slots: answer["nodes"].as_array().map(|nodes| nodes.iter().map(slots).sum()),
        }
    }
}

/// Returns the sessions that a node of a grid has at a time.
fn slots(node: &Value) -> usize {
    let slots = node["slots"].as_array().map_or(0, Vec::len);
    // A node may have a slot for each of several browsers, and fewer sessions.
    node["maxSessions"].as_u64().map_or(slots, |most| slots.min(usize::try_from(most).unwrap_or(slots)))
}

/// Returns the encryption of requests, which trusts whom the system trusts.
#[cfg(feature = "https")]
fn encryption() -> ureq::tls::TlsConfig {
    ureq::tls::TlsConfig::builder()
        .root_certs(ureq::tls::RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(std::sync::Arc::new(rustls::crypto::ring::default_provider()))
        .build()
}

/// The server of sessions at an address.
#[derive(Clone)]
pub(super) struct Server {
    agent: ureq::Agent,
    /// Address without a slash at its end, with user and key if it has them.
    address: String,
    /// Users and keys, each as in `user:key`, which no message has.
    secrets: Vec<String>,
}

/// A session, which ends when it is dropped.
pub(super) struct Session {
    server: Server,
    id: String,
}

impl Server {
    /// Returns the server at `address`, which gets `within` to answer.
    pub fn new(address: &str, within: Duration) -> Server {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(within))
            .timeout_connect(Some(Duration::from_secs(10)))
            .max_idle_connections_per_host(1);
        #[cfg(feature = "https")]
        let config = config.tls_config(encryption());
        let address = address.trim_end_matches('/').to_string();
        let secrets = secret_of(&address).map(str::to_string).into_iter().collect();
        Server { agent: config.build().into(), address, secrets }
    }

    /// Keeps this user and key of a page, as in `user:key`, out of messages.
    pub fn hide(&mut self, secret: &str) {
        self.secrets.push(secret.to_string());
    }

    /// Begins a session with these capabilities, as soon as one is to be had within `patience`; also returns those that it
    /// has.
    pub fn begin_within(
        &self,
        capabilities: &Value,
        patience: Duration,
    ) -> Result<(Session, Value), WebDriverError> {
        let began = Instant::now();
        let mut pause = Duration::from_millis(500);
        loop {
            let error = match self.begin(capabilities) {
                Ok(begun) => return Ok(begun),
                // A device that has just been given back may not be ready for the next.
                Err(error) if error.is("session not created") => error,
                Err(error) => return Err(error),
            };
            let waited = began.elapsed();
            if waited + pause > patience {
                let (at, wanted) = (self.shown(), self.redacted(&without_secrets(capabilities).to_string()));
                return Err(WebDriverError::NoSession { at, waited, wanted, why: error.to_string() });
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_secs(20));
        }
    }

    /// Begins a session with these capabilities; also returns those that it has.
    fn begin(&self, capabilities: &Value) -> Result<(Session, Value), WebDriverError> {
        let wanted = json!({ "capabilities": { "alwaysMatch": capabilities } });
        let answer = self.ask("POST", "/session", Some(&wanted))?;
        let id = answer["sessionId"].as_str().ok_or_else(|| self.garbled("a session without a name"))?;
        // The name becomes a part of addresses.
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
            return Err(self.garbled("a session with an odd name"));
        }
        let session = Session { server: self.clone(), id: id.to_string() };
        Ok((session, answer["capabilities"].clone()))
    }

    /// Returns the value in the answer to a request.
    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, WebDriverError> {
        if cfg!(not(feature = "https")) && self.address.starts_with("https:") {
            return Err(WebDriverError::NoEncryption { at: self.shown() });
        }
        let url = format!("{}{path}", self.address);
        let failed = |error: ureq::Error| WebDriverError::Unreachable {
            at: self.shown(),
            why: self.redacted(&error.to_string()),
        };
        let answer = match (method, body) {
            ("POST", body) => {
                let body = body.map_or_else(|| "{}".to_string(), Value::to_string);
                self.agent.post(&url).header("Content-Type", "application/json; charset=utf-8").send(body)
            }
            ("DELETE", _) => self.agent.delete(&url).call(),
            _ => self.agent.get(&url).call(),
        };
        let mut answer = answer.map_err(failed)?;
        let text = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).lossy_utf8(true).read_to_string();
        let text = text.map_err(failed)?;
        let Ok(mut answered) = serde_json::from_str::<Value>(&text) else {
            let status = answer.status().as_u16();
            return Err(self.garbled(&format!("status {status}: {}", said(&text))));
        };
        // An answer may be any JSON.
        let value = answered.get_mut("value").map_or(Value::Null, Value::take);
        match value["error"].as_str() {
            Some(error) => Err(WebDriverError::Failed {
                at: self.shown(),
                error: said(error),
                message: self.redacted(&said(value["message"].as_str().unwrap_or_default())),
            }),
            None => Ok(value),
        }
    }

    fn garbled(&self, what: &str) -> WebDriverError {
        WebDriverError::Garbled { at: self.shown(), what: self.redacted(what) }
    }

    /// Returns the address without its user and key.
    pub fn shown(&self) -> String {
        without_secret(&self.address)
    }

    /// Returns `text` without keys, which an error may repeat.
    fn redacted(&self, text: &str) -> String {
        let parts = self.secrets.iter().flat_map(|secret| [&**secret, key_of(secret)]);
        let parts = parts.filter(|part| !part.is_empty());
        parts.fold(text.to_string(), |text, part| text.replace(part, HIDDEN))
    }
}

impl Session {
    /// Gives the server this time for each further answer.
    pub fn answer_within(&mut self, within: Duration) {
        let secrets = std::mem::take(&mut self.server.secrets);
        self.server = Server { secrets, ..Server::new(&self.server.address, within) };
    }

    /// Returns the value at `path` below the session.
    pub fn get(&self, path: &str) -> Result<Value, WebDriverError> {
        self.server.ask("GET", &self.path(path), None)
    }

    /// Sends `body` to `path` below the session.
    pub fn post(&self, path: &str, body: &Value) -> Result<Value, WebDriverError> {
        self.server.ask("POST", &self.path(path), Some(body))
    }

    /// Ends what is at `path` below the session.
    pub fn delete(&self, path: &str) -> Result<Value, WebDriverError> {
        self.server.ask("DELETE", &self.path(path), None)
    }

    /// Runs a script that calls back when it is done, and returns its result.
    pub fn script(&self, script: &str, arguments: &[Value]) -> Result<Value, WebDriverError> {
        self.post("/execute/async", &json!({ "script": script, "args": arguments }))
    }

    /// Does gestures, see the specification of WebDriver.
    pub fn gestures(&self, sources: Vec<Value>) -> Result<(), WebDriverError> {
        self.post("/actions", &json!({ "actions": sources })).map(drop)
    }

    fn path(&self, path: &str) -> String {
        format!("/session/{}{path}", self.id)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Nobody can receive an error here, and a server that is gone has no session.
        let _ = self.server.ask("DELETE", &self.path(""), None);
    }
}

/// Returns capabilities without the users and keys that clouds have in them.
fn without_secrets(capabilities: &Value) -> Value {
    const SECRETS: [&str; 5] = ["key", "token", "secret", "password", "user"];
    let Value::Object(all) = capabilities else { return capabilities.clone() };
    let shown = |(name, value): (&String, &Value)| {
        let lower = name.to_lowercase();
        let is_secret = !value.is_object() && SECRETS.iter().any(|secret| lower.contains(secret));
        (name.clone(), if is_secret { json!("***") } else { without_secrets(value) })
    };
    Value::Object(all.iter().map(shown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_key_are_in_no_message() {
        let server = Server::new("https://anna:k3y@cloud.example/wd/hub/", Duration::from_secs(1));
        assert_eq!(server.shown(), "https://cloud.example/wd/hub");
        assert_eq!(server.redacted("no anna:k3y, no k3y"), "no ***, no ***");
        let mut open = Server::new("http://127.0.0.1:4444", Duration::from_secs(1));
        assert_eq!(
            (open.shown(), open.redacted("k3y")),
            ("http://127.0.0.1:4444".to_string(), "k3y".to_string())
        );
        // Those of a page.
        open.hide("anna:k3y");
        assert_eq!(open.redacted("http://anna:k3y@host/ wants k3y"), "http://***@host/ wants ***");
    }

    #[test]
    fn a_server_says_how_it_is() {
        let said = json!({ "ready": true, "message": "ready", "build": { "version": "3.8.0" } });
        let expected =
            ServerStatus { is_ready: true, version: "3.8.0".into(), message: "ready".into(), slots: None };
        assert_eq!(ServerStatus::read(&said), expected);
        let node = |most: u64| json!({ "maxSessions": most, "slots": [{}, {}, {}] });
        let grid = json!({ "ready": true, "nodes": [node(1), node(9), {}] });
        assert_eq!(ServerStatus::read(&grid).slots, Some(4));
        assert_eq!(ServerStatus::read(&json!([])), ServerStatus::default());
    }

    #[test]
    fn capabilities_are_shown_without_their_keys() {
        let own = json!({ "browserName": "chrome", "c:options": { "userName": "anna", "accessKey": "k3y", "os": "11" } });
        let shown = json!({ "browserName": "chrome", "c:options": { "userName": "***", "accessKey": "***", "os": "11" } });
        assert_eq!(without_secrets(&own), shown);
    }

    #[test]
    fn a_server_that_is_not_there_is_named() {
        // Nothing listens on the port of the discard service.
        let server = Server::new("http://anna:k3y@127.0.0.1:9", Duration::from_secs(2));
        let Err(error) = server.begin(&json!({})) else { panic!("a session begins") };
        let message = error.to_string();
        assert!(message.contains("http://127.0.0.1:9") && !message.contains("k3y"), "{message}");
    }
}
