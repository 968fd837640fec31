//! `farlead lsp`, driven as an editor drives it: messages go in, answers come out.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::cli::{command, ended, farlead};
use crate::project::Folder;

/// An editor's side: messages to send, in their order.
#[derive(Default)]
struct Client {
    sent: Vec<u8>,
    requests: u64,
}

/// All that the server sent, and its exit code.
struct Heard {
    messages: Vec<Value>,
    code: i32,
}

impl Client {
    /// Returns a client that has begun.
    fn begun() -> Client {
        let mut client = Client::default();
        client.request("initialize", json!({ "processId": null, "rootUri": null, "capabilities": {} }));
        client.notice("initialized", json!({}));
        client
    }

    fn raw(&mut self, bytes: impl AsRef<[u8]>) {
        self.sent.extend(bytes.as_ref());
    }

    fn message(&mut self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    }

    fn notice(&mut self, method: &str, params: Value) {
        self.message(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its number.
    fn request(&mut self, method: &str, params: Value) -> u64 {
        self.requests += 1;
        self.message(&json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params }));
        self.requests
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "farlead", "version": 1, "text": text });
        self.notice("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Asks about the place of `|` in `text`, which is the text of the file without it.
    fn ask(&mut self, method: &str, uri: &str, text: &str) -> u64 {
        let before = &text[..text.find('|').expect("a cursor")];
        let line = before.matches('\n').count();
        let character = before.rsplit('\n').next().expect("a line").encode_utf16().count();
        let position = json!({ "line": line, "character": character });
        self.request(method, json!({ "textDocument": { "uri": uri }, "position": position }))
    }

    /// Ends the session, and returns all that was heard.
    fn end(mut self) -> Heard {
        self.request("shutdown", Value::Null);
        self.notice("exit", Value::Null);
        self.hear()
    }

    fn hear(self) -> Heard {
        let mut child = command(&["lsp", "--stdio"]);
        let sent = String::from_utf8(self.sent).expect("text");
        let ended = ended(&mut child, &sent);
        assert_eq!(ended.stderr, "");
        let mut messages = Vec::new();
        let mut rest = ended.stdout.as_str();
        while !rest.is_empty() {
            let (head, after) = rest.split_once("\r\n\r\n").expect("a head");
            let length: usize =
                head.strip_prefix("Content-Length: ").expect("a length").parse().expect("a number");
            messages.push(serde_json::from_str(&after[..length]).expect("JSON"));
            rest = &after[length..];
        }
        Heard { messages, code: ended.code }
    }
}

impl Heard {
    /// Returns the answer to a request.
    fn answer(&self, id: u64) -> &Value {
        self.messages
            .iter()
            .find(|message| message["id"] == id)
            .unwrap_or_else(|| panic!("no answer to {id}"))
    }

    fn result(&self, id: u64) -> &Value {
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{answer}");
        &answer["result"]
    }

    /// Returns the mistakes that were published for a file, each time anew.
    fn published(&self, uri: &str) -> Vec<&Vec<Value>> {
        let is_about = |message: &&Value| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri
        };
        let found = self.messages.iter().filter(is_about);
        found.map(|message| message["params"]["diagnostics"].as_array().expect("a list")).collect()
    }

    fn labels(&self, id: u64) -> Vec<&str> {
        let items = self.result(id)["items"].as_array().expect("items");
        items.iter().map(|item| item["label"].as_str().expect("a label")).collect()
    }

    fn hover(&self, id: u64) -> &str {
        self.result(id)["contents"]["value"].as_str().unwrap_or_default()
    }
}

const URI: &str = "file:///nowhere/a.ltl";

const TEXT: &str = "\
let main = [activity ~ Main]
label paid
action unlock on [id ~ pattern]: swipe 20% 20% to 80% 80%

# A comment.
possible \"there and back\" within 6 steps:
    F (main & X ([activity ~ About] & X main))

never \"a crash\": F ([crashed = true] & !paid)
";

/// Returns `TEXT` with the cursor after the first `before`.
fn cursor(before: &str) -> String {
    let at = TEXT.find(before).expect(before) + before.len();
    format!("{}|{}", &TEXT[..at], &TEXT[at..])
}

#[test]
fn a_session_begins_with_what_it_can_do_and_ends_when_it_is_told() {
    let heard = Client::begun().end();
    let can = &heard.result(1)["capabilities"];
    for what in ["hoverProvider", "definitionProvider", "documentSymbolProvider"] {
        assert_eq!(can[what], true, "{can}");
    }
    assert_eq!(can["textDocumentSync"]["change"], 1);
    assert_eq!((heard.result(2), heard.code), (&Value::Null, 0));

    let mut without_shutdown = Client::begun();
    without_shutdown.notice("exit", Value::Null);
    assert_eq!(without_shutdown.hear().code, 1);
    assert_eq!(Client::begun().hear().code, 1);
    assert_eq!(Client::default().hear().code, 1);
}

#[test]
fn mistakes_are_those_of_lint() {
    let texts = [
        TEXT,
        "possible \"a\": F mian\nlet main = [activity ~ Main]\n",
        "possible \"😀ä\": F ([activity ~ 😀] & main &)\r\nnever: false\r\n",
        "possible \"a\": F a U b R c\npossible: F a & G !a\n",
        "",
        "farlead test 2\nfrom\n",
    ];
    for text in texts {
        let folder = Folder::new("lsp-lint");
        folder.write("a.ltl", text);
        let lint = farlead(&["lint", "--json", folder.path("a.ltl").to_str().expect("letters")], "");
        let expected: Vec<Value> = lint
            .stdout
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
            .filter(|event| event["event"] == "diagnostic")
            .map(|event| {
                let help = event["help"].as_str().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
                let severity = if event["severity"] == "error" { 1 } else { 2 };
                json!([
                    place(text, &event["line"], &event["column"]),
                    place(text, &event["end_line"], &event["end_column"]),
                    severity,
                    event["code"],
                    format!("{}{help}", event["message"].as_str().expect("a message")),
                ])
            })
            .collect();
        let uri = format!("file://{}", folder.path("a.ltl").display());
        let mut client = Client::begun();
        client.open(&uri, text);
        let heard = client.end();
        let published = heard.published(&uri);
        let found: Vec<Value> = published[0]
            .iter()
            .map(|one| {
                json!([
                    one["range"]["start"],
                    one["range"]["end"],
                    one["severity"],
                    one["code"],
                    one["message"]
                ])
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }
}

/// Returns a place of lint, which counts characters from 1, as the protocol counts: UTF-16 units from 0.
fn place(text: &str, line: &Value, column: &Value) -> Value {
    let (line, column) = (line.as_u64().expect("a line") - 1, column.as_u64().expect("a column") - 1);
    let units = text
        .split('\n')
        .nth(line as usize)
        .expect("a line")
        .chars()
        .take(column as usize)
        .map(char::len_utf16);
    json!({ "line": line, "character": units.sum::<usize>() })
}

#[test]
fn mistakes_follow_the_text_and_go_with_the_file() {
    let mut client = Client::begun();
    client.open(URI, "possible \"a\": F main\n");
    let document = json!({ "uri": URI, "version": 2 });
    let changes = json!([{ "text": "nonsense" }, { "text": TEXT }]);
    client.notice("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    client.notice("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    let after = client.ask("textDocument/hover", URI, &cursor("F (ma"));
    let heard = client.end();
    let counts: Vec<usize> = heard.published(URI).iter().map(|mistakes| mistakes.len()).collect();
    assert_eq!(counts, [1, 0, 0]);
    assert_eq!(heard.answer(after)["error"]["code"], -32_602);
}

#[test]
fn hover_explains_atoms_names_and_specs() {
    let mut client = Client::begun();
    client.open(URI, TEXT);
    let mut ask = |before| client.ask("textDocument/hover", URI, &cursor(before));
    let (atom, name, label, spec, nothing) =
        (ask("X ([activ"), ask("F (ma"), ask("!pa"), ask("possible \"the"), ask("# A c"));
    let heard = client.end();
    assert!(heard.hover(atom).contains("the activity in front contains `About`"), "{}", heard.hover(atom));
    assert!(heard.hover(name).contains("let main = [activity ~ Main]"), "{}", heard.hover(name));
    assert!(heard.hover(label).contains("label paid"), "{}", heard.hover(label));
    assert_eq!(heard.result(nothing), &Value::Null);

    let folder = Folder::new("lsp-explain");
    folder.write("a.ltl", TEXT);
    let explained = folder.done(0, &["explain", "a.ltl", "--only", "there and back"]).stdout;
    assert_eq!(heard.hover(spec), format!("```text\n{}\n```", explained.trim_end()));
}

#[test]
fn a_name_leads_to_its_declaration() {
    let mut client = Client::begun();
    client.open(URI, TEXT);
    let mut ask = |before| client.ask("textDocument/definition", URI, &cursor(before));
    let (main, paid, unknown) = (ask("F (ma"), ask("!pa"), ask("[activity ~ Abo"));
    let heard = client.end();
    let range = |line: u64, from: u64, to: u64| json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } });
    assert_eq!(heard.result(main), &json!({ "uri": URI, "range": range(0, 4, 8) }));
    assert_eq!(heard.result(paid), &json!({ "uri": URI, "range": range(1, 6, 10) }));
    assert_eq!(heard.result(unknown), &Value::Null);
}

#[test]
fn the_specs_of_a_file_are_its_symbols() {
    let mut client = Client::begun();
    client.open(URI, TEXT);
    let symbols = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
    let heard = client.end();
    let found: Vec<(&str, &str, u64)> = heard
        .result(symbols)
        .as_array()
        .expect("symbols")
        .iter()
        .map(|symbol| {
            let text = |key: &str| symbol[key].as_str().expect("a text");
            (
                text("name"),
                text("detail"),
                symbol["selectionRange"]["start"]["line"].as_u64().expect("a line"),
            )
        })
        .collect();
    assert_eq!(found, [("there and back", "possible", 5), ("a crash", "never", 8)]);
}

#[test]
fn completion_offers_what_may_stand_at_a_place() {
    let folder = Folder::new("lsp-completion");
    let app = Path::new(env!("CARGO_MANIFEST_DIR")).join("apps/shop.app");
    fs::copy(app, folder.path("shop.app")).expect("a copy");
    folder.write("farlead.toml", "app = \"shop.app\"\n");
    folder.write(
        ".farlead/look.json",
        "{\"labels\":[\"[id = seen_before]\",\"[activity = Old]\"],\"actions\":[]}",
    );
    let uri = format!("file://{}", folder.path("specs/a b.ltl").display().to_string().replace(' ', "%20"));
    let cases: BTreeMap<&str, (&[&str], &[&str])> = BTreeMap::from([
        ("p|", (&["possible", "let", "main", "eventually"][..], &["activity"][..])),
        ("possible: F m|", (&["main", "paid", "until"], &["possible", "unlock"])),
        ("possible: F [|", (&["activity", "actionType", "checked"], &["main"])),
        ("possible: F [text = a, c|", (&["checked", "class"], &["main"])),
        ("possible: F [count(te|", (&["text"], &["main"])),
        ("possible: F [activity ~ |", (&["OrderActivity", "Old"], &["Add"])),
        ("possible: F [id = n|", (&["new_item", "seen_before"], &["OrderActivity"])),
        ("possible: F [text = \"T|", (&["Thank you"], &["new_item"])),
        ("possible: F [actionType = |", (&["click", "pauseresume", "unlock"], &["Thank you"])),
        ("possible: F [cra|", (&["crash", "crashed"], &["main"])),
        ("possible: F [crash ~ |", (&["org.example.shop.SearchActivity.crash"], &["true"])),
        ("possible: F [checked = |", (&["true", "false"], &["click"])),
        ("possible: F [orientation = |", (&["portrait", "landscape"], &["true"])),
        ("possible: F[<=|", (&[], &["activity", "main"])),
        ("# ma|", (&[], &["main", "possible"])),
        ("possible \"ma|", (&[], &["main"])),
    ]);
    let mut client = Client::begun();
    let mut asked = Vec::new();
    for line in cases.keys() {
        let text =
            format!("let main = [activity ~ Main]\nlabel paid\naction unlock on [id ~ p]: tap 1% 1%\n{line}");
        client.open(&uri, &text.replace('|', ""));
        asked.push(client.ask("textDocument/completion", &uri, &text));
    }
    let heard = client.end();
    for ((line, (offered, others)), id) in cases.iter().zip(asked) {
        let labels = heard.labels(id);
        for label in *offered {
            assert!(labels.contains(label), "{line}: no `{label}` in {labels:?}");
        }
        for label in *others {
            assert!(!labels.contains(label), "{line}: `{label}` in {labels:?}");
        }
    }
}

#[test]
fn a_value_that_is_taken_makes_a_sound_bracket() {
    let folder = Folder::new("lsp-values");
    folder.write("shop.app", "app a.b \"A\" 1\nlaunch M\nactivity M .M { TextView \"Yes, delete\" TextView \"=x]\" TextView \"plain\" }\n");
    folder.write("farlead.toml", "app = \"shop.app\"\n");
    let uri = format!("file://{}", folder.path("a.ltl").display());
    let line = "possible: F [text = \"Ye|";
    let mut client = Client::begun();
    client.open(&uri, &line.replace('|', ""));
    let asked = client.ask("textDocument/completion", &uri, line);
    let heard = client.end();
    let items = heard.result(asked)["items"].as_array().expect("items").clone();
    assert_eq!(items.len(), 3);
    for item in items {
        let from = item["textEdit"]["range"]["start"]["character"].as_u64().expect("a place") as usize;
        let text = format!("{}{}]", &line[..from], item["textEdit"]["newText"].as_str().expect("a text"));
        folder.write("taken.ltl", &text);
        folder.done(0, &["lint", "taken.ltl"]);
    }
}

#[test]
fn actions_and_mistakes_of_the_project_count() {
    let folder = Folder::new("lsp-project");
    let uri = format!("file://{}", folder.path("a.ltl").display());
    let text = "possible \"a\": F X [actionType = shake]\n";
    let action = "[[action]]\nname = \"shake\"\non = '[id ~ phone]'\ndoes = 'tap 1% 1%'\n";
    let mut found = Vec::new();
    for toml in [action, "", "app = 5\n"] {
        folder.write("farlead.toml", toml);
        let mut client = Client::begun();
        client.open(&uri, text);
        let heard = client.end();
        let messages = heard.published(&uri)[0]
            .iter()
            .map(|one| one["message"].as_str().expect("a message").to_string());
        found.push(
            messages.filter(|message| message.contains("shake") || message.contains("farlead.toml")).count(),
        );
    }
    assert_eq!(found, [0, 1, 2]);
}

#[test]
fn whatever_is_sent_is_answered_or_left() {
    let codes = |send: &dyn Fn(&mut Client)| -> Vec<i64> {
        let mut client = Client::begun();
        send(&mut client);
        client.open(URI, TEXT);
        let heard = client.end();
        // The server still works.
        assert_eq!((heard.published(URI).len(), heard.code), (1, 0));
        heard.messages.iter().filter_map(|message| message["error"]["code"].as_i64()).collect()
    };
    let request = |method: &'static str, params: Value| {
        move |client: &mut Client| {
            client.request(method, params.clone());
        }
    };
    let nested = "[".repeat(100_000);
    let raw = |body: String| {
        move |client: &mut Client| client.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()))
    };
    assert_eq!(codes(&raw("{".to_string())), [-32_700]);
    assert_eq!(codes(&raw(nested)), [-32_700]);
    assert_eq!(codes(&raw("\u{fffd}".to_string())), [-32_700]);
    assert_eq!(codes(&raw("[]".to_string())), [-32_600]);
    assert_eq!(codes(&raw("5".to_string())), [-32_600]);
    assert_eq!(codes(&raw("{\"id\":7}".to_string())), [-32_600]);
    assert_eq!(codes(&raw("{\"id\":{},\"method\":\"textDocument/hover\"}".to_string())), [0_i64; 0]);
    assert_eq!(codes(&raw("{\"id\":7,\"result\":null}".to_string())), [0_i64; 0]);
    assert_eq!(codes(&raw(" ".repeat(17 << 20))), [-32_600]);
    assert_eq!(codes(&request("no/such", Value::Null)), [-32_601]);
    assert_eq!(codes(&request("initialize", json!({}))), [-32_600]);
    assert_eq!(codes(&request("textDocument/hover", json!([]))), [-32_602]);
    assert_eq!(
        codes(&request(
            "textDocument/hover",
            json!({ "textDocument": { "uri": URI }, "position": { "line": -1, "character": 0 } })
        )),
        [-32_602]
    );
    assert_eq!(codes(&|client| client.notice("no/such", json!(5))), [0_i64; 0]);
    assert_eq!(codes(&|client| client.notice("textDocument/didOpen", json!(5))), [0_i64; 0]);
    let ranged = json!({ "textDocument": { "uri": URI }, "contentChanges": [{ "text": "", "range": {} }] });
    assert_eq!(codes(&|client| client.notice("textDocument/didChange", ranged.clone())), [0_i64; 0]);
}

#[test]
fn places_outside_of_the_text_are_its_ends() {
    let mut client = Client::begun();
    client.open(URI, "let ä = [text = \"😀\"]\r\nlabel b\rlabel c");
    let mut asked = Vec::new();
    for method in ["textDocument/hover", "textDocument/completion", "textDocument/definition"] {
        for line in [0, 1, 2, 3, u64::MAX] {
            for character in [0, 5, 17, 18, 19, 20, 1_000, u64::MAX] {
                let position = json!({ "line": line, "character": character });
                asked.push(
                    client.request(method, json!({ "textDocument": { "uri": URI }, "position": position })),
                );
            }
        }
    }
    let heard = client.end();
    for id in asked {
        heard.result(id);
    }
}

#[test]
fn any_text_is_served_at_any_place() {
    const PIECES: [&str; 30] = [
        "let a = ",
        "label b, ",
        "action c on ",
        "possible \"x\": ",
        "never",
        "must: ",
        "[",
        "]",
        "[text = ",
        "\"",
        "~ /",
        "#",
        "\n",
        "\r\n",
        "\r",
        "F ",
        "G[<=",
        "5] ",
        "a",
        "😀",
        "ä",
        " ",
        "&",
        "(",
        ")",
        "\\",
        "count(",
        ",",
        "farlead test 2\n",
        "app a.b \"c\" 1\n",
    ];
    // Numbers of a linear congruential generator: the same texts on every machine.
    let mut state = 7_u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let methods = ["hover", "completion", "definition", "documentSymbol"];
    for _ in 0..10 {
        let mut client = Client::begun();
        let mut asked = Vec::new();
        for _ in 0..20 {
            let text: String = (0..below(30)).map(|_| PIECES[below(PIECES.len())]).collect();
            client.open(URI, &text);
            for method in methods {
                let position = json!({ "line": below(4), "character": below(40) });
                let params = json!({ "textDocument": { "uri": URI }, "position": position });
                asked.push(client.request(&format!("textDocument/{method}"), params));
            }
        }
        let heard = client.end();
        assert_eq!((heard.published(URI).len(), heard.code), (20, 0));
        for id in asked {
            heard.result(id);
        }
    }
}

#[test]
fn before_its_beginning_and_after_its_end_a_session_answers_nothing() {
    let mut client = Client::default();
    let early = client.request("textDocument/hover", json!({}));
    client.request("initialize", json!({}));
    let shutdown = client.request("shutdown", Value::Null);
    let late = client.request("textDocument/hover", json!({}));
    client.notice("exit", Value::Null);
    let heard = client.hear();
    assert_eq!(heard.answer(early)["error"]["code"], -32_002);
    assert_eq!(heard.result(shutdown), &Value::Null);
    assert_eq!((&heard.answer(late)["error"]["code"], heard.code), (&json!(-32_600), 0));
}

#[test]
fn a_head_without_a_length_ends_the_session() {
    for head in ["Content-Type: a\r\n\r\n{}", "Content-Length: -1\r\n\r\n", "\r\n\r\n", &"a".repeat(5_000)] {
        let mut client = Client::begun();
        client.raw(head);
        client.request("shutdown", Value::Null);
        let heard = client.hear();
        let last = heard.messages.last().expect("an answer");
        assert_eq!((&last["error"]["code"], heard.code), (&json!(-32_700), 1), "{head}");
    }
}
