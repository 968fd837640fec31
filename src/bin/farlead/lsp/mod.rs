//! `farlead lsp`: serves an editor over stdin and stdout, in the Language Server Protocol.
//!
//! One message is answered after the other. Whatever arrives gets an answer or none, as the protocol says, and ends the
//! server only where nobody knows any more where a message starts.

mod answers;
mod completion;
mod document;
mod wire;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};

use clap::Args;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::Exit;
use crate::stdout::out;
use document::Document;
use wire::Incoming;

/// Most files that are kept open: each holds its text and its judgement.
const DOCUMENTS_MAX: usize = 1_000;

/// Serve an editor: mistakes as you type, explanations, completion.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  farlead lsp          the command by which an editor starts it
  vim.lsp.start({ name = \"farlead\", cmd = { \"farlead\", \"lsp\" } })      in Neovim

It speaks the Language Server Protocol over stdin and stdout: the mistakes that `farlead lint`
finds, the words of `farlead explain` for the spec or atom under the cursor, completion, the way
to a `let`, and the specs of a file. Activities, ids and texts come from the app of the nearest
farlead.toml, and from .farlead/look.json beside it, if `farlead look --json` was written there.
docs/editors.md describes the settings of editors.

Exit codes: 0 the editor ended it; 1 the editor went away, or sent what is no message.")]
pub struct LspArgs {
    /// Use stdin and stdout: the default; some editors add this flag
    #[arg(long)]
    stdio: bool,
}

pub fn run(_args: &LspArgs) -> anyhow::Result<Exit> {
    let (mut input, mut out) = (io::stdin().lock(), out());
    let mut server = Server::default();
    loop {
        match wire::read(&mut input)? {
            Incoming::Message(message) => {
                let answer = server.answer(message);
                for message in answer {
                    wire::write(&mut out, &message)?;
                }
            }
            Incoming::Refused(fault) => wire::write(&mut out, &fault.answer(&Value::Null))?,
            Incoming::Lost(fault) => {
                wire::write(&mut out, &fault.answer(&Value::Null))?;
                return Ok(Exit::Failed);
            }
            Incoming::End => return Ok(Exit::Failed),
        }
        if server.state == State::Gone {
            out.flush()?;
            return Ok(if server.was_shut_down { Exit::Passed } else { Exit::Failed });
        }
    }
}

/// Reason why a request has no result.
#[derive(Debug)]
pub struct Fault {
    code: i32,
    message: String,
}

impl Fault {
    pub fn parse(message: String) -> Fault {
        Fault { code: -32_700, message }
    }

    pub fn invalid_request(message: String) -> Fault {
        Fault { code: -32_600, message }
    }

    fn no_method(method: &str) -> Fault {
        Fault { code: -32_601, message: format!("there is no method `{}`", method.escape_debug()) }
    }

    fn parameters(message: String) -> Fault {
        Fault { code: -32_602, message }
    }

    fn internal() -> Fault {
        Fault { code: -32_603, message: "this is a fault of farlead's own; please report it".to_string() }
    }

    fn not_initialised() -> Fault {
        Fault { code: -32_002, message: "the first request is `initialize`".to_string() }
    }

    fn answer(&self, id: &Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": self.code, "message": self.message } })
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    New,
    Ready,
    ShutDown,
    Gone,
}

/// Session of an editor, with its open files.
#[derive(Default)]
pub struct Server {
    state: State,
    was_shut_down: bool,
    /// Open files by their addresses.
    documents: BTreeMap<String, Document>,
}

#[derive(Deserialize)]
struct Opened {
    #[serde(rename = "textDocument")]
    document: OpenedDocument,
}

#[derive(Deserialize)]
struct OpenedDocument {
    uri: String,
    text: String,
    version: Option<i64>,
}

#[derive(Deserialize)]
struct Changed {
    #[serde(rename = "textDocument")]
    document: Named,
    #[serde(rename = "contentChanges")]
    changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    text: String,
    range: Option<Value>,
}

#[derive(Deserialize)]
struct About {
    #[serde(rename = "textDocument")]
    document: Named,
    position: Option<Place>,
}

#[derive(Deserialize)]
struct Named {
    uri: String,
    version: Option<i64>,
}

#[derive(Deserialize)]
struct Place {
    line: u64,
    character: u64,
}

impl Server {
    /// Returns a server that need not be asked to begin.
    pub fn ready() -> Server {
        Server { state: State::Ready, ..Server::default() }
    }

    /// Returns the messages that answer `message`.
    pub fn answer(&mut self, message: Value) -> Vec<Value> {
        let id = message.get("id").filter(|id| id.is_number() || id.is_string()).cloned();
        let Some(method) = message.get("method").and_then(Value::as_str).map(str::to_string) else {
            // The server asks for nothing, so an answer of the client is none to wait for.
            let is_answer = message.get("result").or(message.get("error")).is_some();
            let fault = Fault::invalid_request("a message has a `method`".to_string());
            return if is_answer { Vec::new() } else { vec![fault.answer(&id.unwrap_or_default())] };
        };
        let params = message.get("params").cloned().unwrap_or_default();
        // A fault in one answer must not take the editor's help away.
        let answered = panic::catch_unwind(AssertUnwindSafe(|| match &id {
            Some(id) => vec![match self.request(&method, params) {
                Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                Err(fault) => fault.answer(id),
            }],
            None => self.notice(&method, params).unwrap_or_else(|fault| vec![logged(&fault.message)]),
        }));
        answered.unwrap_or_else(|_| match &id {
            Some(id) => vec![Fault::internal().answer(id)],
            None => vec![logged(&Fault::internal().message)],
        })
    }

    fn request(&mut self, method: &str, params: Value) -> Result<Value, Fault> {
        match (self.state, method) {
            (State::New, "initialize") => {
                self.state = State::Ready;
                return Ok(capabilities());
            }
            (State::New, _) => return Err(Fault::not_initialised()),
            (State::Ready, "initialize") => {
                return Err(Fault::invalid_request("`initialize` comes once".to_string()));
            }
            (State::Ready, _) => {}
            (State::ShutDown | State::Gone, _) => {
                return Err(Fault::invalid_request("after `shutdown` comes `exit`".to_string()));
            }
        }
        if method == "shutdown" {
            (self.state, self.was_shut_down) = (State::ShutDown, true);
            return Ok(Value::Null);
        }
        let answer: fn(&Document, &str, usize) -> Value = match method {
            "textDocument/hover" => |document, _, at| answers::hover(document, at),
            "textDocument/definition" => answers::definition,
            "textDocument/completion" => |document, _, at| completion::completions(document, at),
            "textDocument/documentSymbol" => |document, _, _| answers::symbols(document).into(),
            method => return Err(Fault::no_method(method)),
        };
        let About { document: Named { uri, .. }, position } = read(params)?;
        let Some(document) = self.documents.get(&uri) else {
            return Err(Fault::parameters(format!("no file is open at `{}`", uri.escape_debug())));
        };
        let at = match position {
            Some(Place { line, character }) => document.offset(line, character),
            None if method == "textDocument/documentSymbol" => 0,
            None => return Err(Fault::parameters("the `position` is missing".to_string())),
        };
        Ok(answer(document, &uri, at))
    }

    /// Takes a message that has no answer, and returns those that follow from it.
    fn notice(&mut self, method: &str, params: Value) -> Result<Vec<Value>, Fault> {
        match (self.state, method) {
            (_, "exit") => self.state = State::Gone,
            (State::Ready, "textDocument/didOpen") => {
                let Opened { document: OpenedDocument { uri, text, version } } = read(params)?;
                if self.documents.len() >= DOCUMENTS_MAX && !self.documents.contains_key(&uri) {
                    return Err(Fault::invalid_request(format!("more than {DOCUMENTS_MAX} files are open")));
                }
                return Ok(vec![self.take(uri, text, version)]);
            }
            (State::Ready, "textDocument/didChange") => {
                let Changed { document: Named { uri, version }, changes } = read(params)?;
                if changes.iter().any(|change| change.range.is_some()) {
                    return Err(Fault::parameters("a change has the whole text of the file".to_string()));
                }
                if let (Some(change), true) = (changes.into_iter().last(), self.documents.contains_key(&uri))
                {
                    return Ok(vec![self.take(uri, change.text, version)]);
                }
            }
            (State::Ready, "textDocument/didClose") => {
                let About { document: Named { uri, .. }, .. } = read(params)?;
                self.documents.remove(&uri);
                return Ok(vec![published(&uri, None, Vec::new())]);
            }
            // All others are about what this server does not do.
            _ => {}
        }
        Ok(Vec::new())
    }

    /// Takes the text of an open file, and returns its mistakes.
    fn take(&mut self, uri: String, text: String, version: Option<i64>) -> Value {
        let document = Document::new(&uri, text);
        let published = published(&uri, version, answers::diagnostics(&document));
        self.documents.insert(uri, document);
        published
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Fault> {
    serde_json::from_value(params).map_err(|error| Fault::parameters(error.to_string()))
}

fn capabilities() -> Value {
    // Each change brings the whole text: files of specs are short.
    const FULL: u32 = 1;
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": FULL },
            "hoverProvider": true,
            "definitionProvider": true,
            "documentSymbolProvider": true,
            "completionProvider": { "triggerCharacters": ["[", ",", "=", "~", " "] },
        },
        "serverInfo": { "name": "farlead", "version": env!("CARGO_PKG_VERSION") },
    })
}

fn published(uri: &str, version: Option<i64>, diagnostics: Vec<Value>) -> Value {
    let mut params = json!({ "uri": uri, "diagnostics": diagnostics });
    if let Some(version) = version {
        params["version"] = version.into();
    }
    json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params })
}

/// Returns a message for the log of the editor.
fn logged(message: &str) -> Value {
    const ERROR: u32 = 1;
    let params = json!({ "type": ERROR, "message": message });
    json!({ "jsonrpc": "2.0", "method": "window/logMessage", "params": params })
}
