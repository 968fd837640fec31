//! Appium's server on the phone, asked over HTTP as the driver asks it.

use farlead::emulator::adbd::Backend as _;
use farlead::emulator::phone::{AndroidVersion, Phone};
use farlead::gui::Hierarchy;
use farlead::rng::Seed;
use serde_json::{Value, json};

use super::{bundled, lamp, said};

const START: &str = "am instrument -w --no-window-animation -e disableAnalytics true \
                     io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner";

const ID: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A session with the server of a phone.
struct Client {
    phone: Phone,
    /// Path of the session.
    path: String,
}

/// Sends a request to the server; returns the status and the answer.
fn send(phone: &mut Phone, method: &str, path: &str, body: &str) -> (u16, Value) {
    let request = format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let answer = phone.tcp(6_790, request.as_bytes()).expect("a server that listens");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, serde_json::from_str(body).expect("JSON"))
}

impl Client {
    /// Opens a session on a phone with an app in front.
    fn new(mut phone: Phone, component: &str) -> Client {
        // It complains of an app that is in front already.
        phone.shell(&format!("am start -n {component}"), b"");
        said(&mut phone, START);
        assert!(phone.take_server().is_some());
        let body = json!({"capabilities": {"firstMatch": [{"platform": "LINUX"}], "alwaysMatch": {}}});
        let (status, answer) = send(&mut phone, "POST", "/session", &body.to_string());
        assert_eq!((status, answer["value"]["capabilities"]["platform"].as_str()), (200, Some("LINUX")));
        let path = format!("/session/{}", answer["sessionId"].as_str().expect("an id"));
        Client { phone, path }
    }

    fn lamp() -> Client {
        Client::new(lamp(AndroidVersion::default()), "org.lamp/.Main")
    }

    fn ask(&mut self, method: &str, rest: &str, body: Value) -> (u16, Value) {
        let path = format!("{}{rest}", self.path);
        let (status, mut answer) = send(&mut self.phone, method, &path, &body.to_string());
        (status, answer["value"].take())
    }

    #[track_caller]
    fn get(&mut self, rest: &str) -> Value {
        let (status, value) = self.ask("GET", rest, json!({}));
        assert_eq!(status, 200, "{rest}: {value}");
        value
    }

    #[track_caller]
    fn post(&mut self, rest: &str, body: Value) -> Value {
        let (status, value) = self.ask("POST", rest, body);
        assert_eq!(status, 200, "{rest}: {value}");
        value
    }

    #[track_caller]
    fn find(&mut self, strategy: &str, selector: &str) -> String {
        let found =
            self.post("/element", json!({"strategy": strategy, "selector": selector, "multiple": false}));
        found[ID].as_str().expect("an id").to_string()
    }

    /// Returns the bounds of all elements that a selector finds, which tell them apart.
    #[track_caller]
    fn all(&mut self, strategy: &str, selector: &str) -> Vec<String> {
        let found =
            self.post("/elements", json!({"strategy": strategy, "selector": selector, "multiple": true}));
        let ids: Vec<String> = found
            .as_array()
            .expect("a list")
            .iter()
            .map(|element| element[ID].as_str().expect("an id").to_string())
            .collect();
        ids.iter().map(|id| self.attribute(id, "bounds")).collect()
    }

    #[track_caller]
    fn attribute(&mut self, id: &str, name: &str) -> String {
        self.get(&format!("/element/{id}/attribute/{name}")).as_str().unwrap_or("null").to_string()
    }

    #[track_caller]
    fn text(&mut self, id: &str) -> String {
        self.get(&format!("/element/{id}/text")).as_str().expect("a text").to_string()
    }

    fn source(&mut self) -> String {
        self.get("/source").as_str().expect("a text").to_string()
    }

    /// Asserts that a selector finds the elements with these texts.
    #[track_caller]
    fn check(&mut self, strategy: &str, selector: &str, expected: &[&str]) {
        let found = self.post("/elements", json!({"strategy": strategy, "selector": selector}));
        let ids: Vec<String> = found
            .as_array()
            .expect("a list")
            .iter()
            .map(|element| element[ID].as_str().expect("an id").to_string())
            .collect();
        let texts: Vec<String> = ids.iter().map(|id| self.text(id)).collect();
        assert_eq!(texts, expected, "{selector}");
    }

    /// Asserts the error to a request.
    #[track_caller]
    fn check_error(&mut self, method: &str, rest: &str, body: Value, expected: (u16, &str)) {
        let (status, value) = self.ask(method, rest, body);
        assert_eq!((status, value["error"].as_str()), (expected.0, Some(expected.1)), "{rest}: {value}");
        assert!(!value["message"].as_str().expect("a message").is_empty());
    }
}

const APPS: [&str; 5] = ["chesswalk.app", "notes.app", "shop.app", "tally.app", "wayfare.app"];

/// Visits screens of an app by clicks on random elements and by going back.
fn walk(app: &str, mut visit: impl FnMut(&mut Client)) {
    let mut phone = Phone::new(bundled(app), Seed(7), AndroidVersion::default());
    let packages = said(&mut phone, "pm list packages -3");
    let package = packages.trim().strip_prefix("package:").expect("an app").to_string();
    let resolved = said(&mut phone, &format!("cmd package resolve-activity --brief {package}"));
    let component = resolved.lines().last().expect("a component").to_string();
    let mut client = Client::new(phone, &component);
    let mut rng = Seed(11).fork("walk");
    for step in 0..40 {
        visit(&mut client);
        let found =
            client.post("/elements", json!({"strategy": "xpath", "selector": "//*[@clickable='true']"}));
        let found = found.as_array().expect("a list").clone();
        if step % 8 == 7 || found.is_empty() {
            client.post("/back", json!({}));
            client.phone.shell(&format!("am start -n {component}"), b"");
        } else {
            let id = found[rng.below(found.len())][ID].as_str().expect("an id").to_string();
            client.post(&format!("/element/{id}/click"), json!({}));
        }
    }
}

#[test]
fn a_source_read_back_has_the_widgets_of_the_dump_of_the_same_screen() {
    for app in APPS {
        let mut screens = 0;
        walk(app, |client| {
            let source = client.source();
            // Two programs cannot look at once, so the dump is that of a phone without the server.
            let mut phone = client.phone.clone();
            said(&mut phone, "am force-stop io.appium.uiautomator2.server");
            let dump = phone.shell("uiautomator dump /dev/tty", b"").stdout;
            let expected = Hierarchy::read(&dump).expect("a dump");
            assert_eq!(Hierarchy::read_saved(source.as_bytes()), Ok(expected), "{app}: {source}");
            screens += 1;
        });
        assert_eq!(screens, 40);
    }
}

#[test]
fn every_element_of_a_source_is_found_by_its_path_and_by_its_properties() {
    walk("notes.app", |client| {
        let source = client.source();
        let document = roxmltree::Document::parse(&source).expect("XML");
        let elements =
            || document.descendants().filter(|node| node.is_element() && !node.has_tag_name("hierarchy"));
        for element in elements() {
            let steps: Vec<String> = element
                .ancestors()
                .filter(roxmltree::Node::is_element)
                .map(|node| {
                    let name = node.tag_name().name();
                    let before =
                        node.prev_siblings().skip(1).filter(|other| other.has_tag_name(name)).count();
                    format!("/{name}[{}]", before + 1)
                })
                .collect();
            let path: String = steps.into_iter().rev().collect();
            let bounds = element.attribute("bounds").expect("bounds");
            assert_eq!(client.all("xpath", &path), [bounds], "{path}");
        }
        for name in ["resource-id", "text", "content-desc", "class", "clickable", "index"] {
            for value in
                elements().filter_map(|element| element.attribute(name)).filter(|value| !value.contains('"'))
            {
                let expected: Vec<&str> = elements()
                    .filter(|element| element.attribute(name) == Some(value))
                    .filter_map(|element| element.attribute("bounds"))
                    .collect();
                assert_eq!(
                    client.all("xpath", &format!("//*[@{name}=\"{value}\"]")),
                    expected,
                    "{name} {value}"
                );
            }
        }
    });
}

#[test]
fn the_server_runs_as_long_as_its_session_or_until_it_is_stopped() {
    let mut phone = lamp(AndroidVersion::default());
    assert_eq!(phone.tcp(6_790, b""), None);
    let listed = said(&mut phone, "pm list instrumentation");
    assert!(
        listed.contains("/androidx.test.runner.AndroidJUnitRunner (target=io.appium.uiautomator2.server)"),
        "{listed}"
    );
    said(&mut phone, START);
    let pid = phone.take_server().expect("a server");
    assert_eq!(said(&mut phone, "pidof io.appium.uiautomator2.server"), format!("{pid}\n"));
    assert_eq!(send(&mut phone, "GET", "/status", "").1["value"]["ready"], json!(true));
    assert_eq!(send(&mut phone, "GET", "/sessions", "").1["value"], json!([]));
    assert_eq!(phone.shell("uiautomator dump", b"").code, 137, "one program looks at a time");
    assert_eq!(phone.ended_server(pid), None);
    said(&mut phone, "am force-stop io.appium.uiautomator2.server.test");
    let last = phone.ended_server(pid).expect("an end");
    assert!(last.stdout.starts_with(b"INSTRUMENTATION_RESULT: shortMsg=Process crashed."));
    assert_eq!(phone.tcp(6_790, b""), None);
    let mut client = Client::new(phone, "org.lamp/.Main");
    let before = client.path.clone();
    assert_eq!(send(&mut client.phone, "GET", "/sessions", "").1["value"].as_array().map(Vec::len), Some(1));
    assert_eq!(client.ask("DELETE", "", json!({})), (200, Value::Null));
    assert_eq!(client.phone.tcp(6_790, b""), None);
    let again = Client::new(client.phone, "org.lamp/.Main");
    assert!(again.path.len() == before.len());
}

#[test]
fn elements_are_clicked_typed_into_and_read() {
    let mut client = Client::lamp();
    let switch = client.find("id", "switch");
    assert_eq!(client.find("id", "org.lamp:id/switch"), switch, "the same widget has the same id");
    assert_eq!(client.text(&switch), "on");
    client.post(&format!("/element/{switch}/click"), json!({}));
    assert_eq!(client.text(&switch), "off");
    let field = client.find("class name", "android.widget.EditText");
    client.post(&format!("/element/{field}/value"), json!({"text": "wörld", "replace": false}));
    client.post(&format!("/element/{field}/value"), json!({"text": "!", "replace": false}));
    assert_eq!(client.text(&field), "wörld!");
    assert_eq!(client.attribute(&field, "focused"), "true");
    assert_eq!(client.get("/element/active")[ID], json!(field));
    client.post("/keys", json!({"text": "new", "replace": true}));
    let keep = client.find("xpath", "//android.widget.Button[@text='keep']");
    client.post(&format!("/element/{keep}/click"), json!({}));
    client.check("-android uiautomator", "new UiSelector().textStartsWith(\"kept\")", &["kept: new"]);
    client.post(&format!("/element/{field}/clear"), json!({}));
    assert_ne!(client.text(&field), "new");
    client.check_error(
        "POST",
        &format!("/element/{keep}/value"),
        json!({"text": "x"}),
        (400, "invalid element state"),
    );
    let rect = client.get(&format!("/element/{keep}/rect"));
    let (x, y) = (rect["x"].as_i64().expect("x"), rect["y"].as_i64().expect("y"));
    let (width, height) = (rect["width"].as_i64().expect("width"), rect["height"].as_i64().expect("height"));
    assert_eq!(client.attribute(&keep, "bounds"), format!("[{x},{y}][{},{}]", x + width, y + height));
    assert_eq!(client.attribute(&keep, "className"), "android.widget.Button");
    assert_eq!(client.attribute(&keep, "content-desc"), "null");
    assert_eq!(client.get(&format!("/element/{keep}/displayed")), json!(true));
    let picture = client.get(&format!("/element/{keep}/screenshot"));
    assert!(picture.as_str().expect("a text").starts_with("iVBORw0KGgo"));
}

#[test]
fn fingers_and_keys_act_at_their_points() {
    let mut client = Client::lamp();
    let switch = client.find("id", "switch");
    let finger = |origin: Value| {
        let items = json!([
            {"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": origin},
            {"type": "pointerDown", "button": 0},
            {"type": "pause", "duration": 50},
            {"type": "pointerUp", "button": 0},
        ]);
        json!({"actions": [{"type": "pointer", "id": "finger", "actions": items}]})
    };
    client.post("/actions", finger(json!({ID: switch})));
    assert_eq!(client.text(&switch), "off");
    client.post("/appium/gestures/click", json!({"origin": {ID: switch}}));
    assert_eq!(client.text(&switch), "on");
    client.post("/actions", finger(json!("viewport")));
    let field = client.find("id", "field");
    client.post(&format!("/element/{field}/click"), json!({}));
    let keys: Vec<Value> = "hi\u{e003}o"
        .chars()
        .flat_map(|letter| {
            [json!({"type": "keyDown", "value": letter}), json!({"type": "keyUp", "value": letter})]
        })
        .collect();
    client.post("/actions", json!({"actions": [{"type": "key", "id": "keys", "actions": keys}]}));
    assert_eq!(client.text(&field), "ho");
    client.post("/appium/device/press_keycode", json!({"keycode": 29}));
    assert_eq!(client.text(&field), "hoa");
    client.post("/appium/device/press_keycode", json!({"keycode": 29, "metastate": 4_096}));
    assert_eq!(client.text(&field), "hoa", "with Control it is no letter");
}

#[test]
fn an_element_that_is_gone_is_stale_unless_its_locator_finds_it() {
    let mut client = Client::lamp();
    let next = client.find("xpath", "//*[@text='next']");
    let texts =
        client.post("/elements", json!({"strategy": "class name", "selector": "android.widget.TextView"}));
    let text = texts[0][ID].as_str().expect("an id").to_string();
    client.post(&format!("/element/{next}/click"), json!({}));
    client.check("xpath", "//*[starts-with(@text, 'second')]", &["second & <last> \"one\""]);
    client.check_error("GET", &format!("/element/{text}/text"), json!({}), (404, "stale element reference"));
    client.check_error("GET", &format!("/element/{next}/text"), json!({}), (404, "stale element reference"));
    client.post("/back", json!({}));
    assert_eq!(client.text(&next), "next");
    for id in ["", "x", "00000000-0000-0001-ffff-0000000000ff", "00000000-0000-0001-ffff-é"] {
        let (status, value) = client.ask("GET", &format!("/element/{id}/text"), json!({}));
        assert_eq!(status, 404, "{id}: {value}");
    }
}

#[test]
fn a_dialog_is_an_alert_if_its_buttons_are_the_systems() {
    let mut client = Client::lamp();
    client.check_error("GET", "/alert/text", json!({}), (404, "no such alert"));
    let crash = client.find("xpath", "//*[@text='crash']");
    client.post(&format!("/element/{crash}/click"), json!({}));
    assert!(client.get("/alert/text").as_str().expect("a text").contains("Lamp"));
    client.check_error("POST", "/alert/accept", json!({"buttonLabel": "none"}), (400, "invalid argument"));
    client.post("/alert/accept", json!({}));
    client.check_error("GET", "/alert/text", json!({}), (404, "no such alert"));
}

#[test]
fn expressions_of_xpath_mean_what_they_say() {
    let mut client = Client::lamp();
    for (selector, expected) in [
        ("//android.widget.Button[1]", &["on"][..]),
        ("(//android.widget.Button)[last()]", &["next"]),
        ("//*[@text='keep' or @text='next' and @clickable='true']", &["keep", "next"]),
        ("//*[@text='keep']/following-sibling::*[1]", &["kept: nothing"]),
        ("//*[@text='keep']/preceding-sibling::android.widget.Button", &["on"]),
        ("//*[@text='keep']/../*[position() < 2]", &["on"]),
        ("//*[contains(@text, 'ept:') and not(@clickable='true')]", &["kept: nothing"]),
        ("//*[matches(@TEXT, 'x')]", &[]),
        ("//*[matches(@text, '^(keep|ask)$')]", &["keep", "ask"]),
        ("//*[ends-with(@resource-id, 'switch')]", &["on"]),
        ("//*[lower-case(@text)='ask' or translate(@text,'ANG','ang')='hang']", &["hang", "ask"]),
        ("//*[string-length(@text) > 5]", &["kept: nothing"]),
        ("//*[@index mod 2 = 0 and self::android.widget.Button]/@text/..", &["on", "keep", "crash", "ask"]),
        ("//*[@text='ask'] | //*[@text='keep']", &["keep", "ask"]),
        ("//*[@text=concat('ke', substring('xepx', 2, 2))]", &["keep"]),
        ("//node()[@text = //*[@resource-id='org.lamp:id/switch']/@text]", &["on"]),
        ("//android.widget.Button[count(preceding-sibling::*) = -(-2)]", &["keep"]),
        ("/hierarchy//*[name()='android.widget.Button'][2]", &["keep"]),
        ("descendant::android.widget.EditText/@text", &[]),
        ("//text()", &[]),
    ] {
        client.check("xpath", selector, expected);
    }
    for selector in [
        "",
        "//",
        "//*[",
        "//*[@text=",
        "1 + 1",
        "count(//*)",
        "nosuch(1)",
        "//*[@a='b]",
        "//*]",
        "a::b",
        "//*[contains(@text)]",
        "$x",
        "//*[matches(@text, '(')]",
    ] {
        client.check_error(
            "POST",
            "/element",
            json!({"strategy": "xpath", "selector": selector}),
            (400, "invalid selector"),
        );
    }
}

#[test]
fn expressions_of_ui_selectors_mean_what_they_say() {
    let mut client = Client::lamp();
    for (selector, expected) in [
        ("new UiSelector().text(\"keep\")", &["keep"][..]),
        ("UiSelector().textContains(\"KEE\");", &["keep"]),
        ("new UiSelector().className(\"android.widget.Button\").instance(1)", &["keep"]),
        ("new UiSelector().resourceIdMatches(\".*switch\").clickable(true)", &["on"]),
        ("new UiSelector().text(\"none\"); new UiSelector().text(\"ask\")", &["ask"]),
        (
            "new UiScrollable(new UiSelector().scrollable(true)).scrollIntoView(new UiSelector().text(\"ask\"))",
            &["ask"],
        ),
        (
            "new UiScrollable(new UiSelector().scrollable(true).instance(0)).setAsVerticalList().setMaxSearchSwipes(3).scrollTextIntoView(\"ask\")",
            &["ask"],
        ),
        ("new UiSelector().text(\"a\\\"b\")", &[]),
    ] {
        client.check("-android uiautomator", selector, expected);
    }
    let deep =
        format!("{}new UiSelector(){}", "new UiSelector().childSelector(".repeat(5_000), ")".repeat(5_000));
    for selector in [
        "",
        "x",
        "new UiSelector().nosuch(1)",
        "new UiSelector().text(",
        "new UiSelector().text(1.2.3)",
        "new File(\"x\")",
        "new UiSelector().textMatches(\"(\")",
        "new UiSelector().clickable(\"x\")",
        &deep,
    ] {
        client.check_error(
            "POST",
            "/element",
            json!({"strategy": "-android uiautomator", "selector": selector}),
            (400, "invalid selector"),
        );
    }
}

#[test]
fn the_device_is_described_turned_and_set() {
    let mut client = Client::lamp();
    assert_eq!(client.get("/appium/device/info")["apiVersion"], json!("33"));
    assert_eq!(client.get("/window/current/size")["width"], json!(1_080));
    assert_eq!(client.get("/orientation"), json!("PORTRAIT"));
    client.post("/orientation", json!({"orientation": "LANDSCAPE"}));
    assert_eq!(
        (client.get("/orientation"), client.get("/rotation")["z"].clone()),
        (json!("LANDSCAPE"), json!(90))
    );
    client.post("/orientation", json!({"orientation": "PORTRAIT"}));
    assert_eq!(client.get("/orientation"), json!("PORTRAIT"));
    client.post("/appium/device/set_clipboard", json!({"content": "aMOp", "contentType": "plaintext"}));
    assert_eq!(client.post("/appium/device/get_clipboard", json!({})), json!("aMOp"));
    let phone = Phone::new(bundled("notes.app"), Seed(1), AndroidVersion::default());
    let mut client = Client::new(phone, "org.secuso.privacyfriendlynotes/.SplashActivity");
    let before = client.source().matches("class=").count();
    client.post("/appium/settings", json!({"settings": {"ignoreUnimportantViews": true}}));
    assert_eq!(client.get("/appium/settings")["ignoreUnimportantViews"], json!(true));
    let compressed = client.source().matches("class=").count();
    client.post("/appium/settings", json!({"settings": {"snapshotMaxDepth": 1}}));
    let shallow = client.source().matches("class=").count();
    assert!(shallow < compressed && compressed < before, "{before} {compressed} {shallow}");
}

#[test]
fn a_search_that_finds_nothing_lets_time_pass_for_those_who_poll() {
    let mut client = Client::lamp();
    let before = said(&mut client.phone, "cat /proc/uptime; uptime");
    client.check_error("POST", "/element", json!({"using": "id", "value": "none"}), (404, "no such element"));
    client.check("id", "none", &[]);
    assert_ne!(said(&mut client.phone, "cat /proc/uptime; uptime"), before);
}

#[test]
fn requests_that_are_none_get_errors_of_web_driver() {
    let mut client = Client::lamp();
    let phone = Phone::new(bundled("notes.app"), Seed(1), AndroidVersion::default());
    let mut notes = Client::new(phone, "org.secuso.privacyfriendlynotes/.SplashActivity");
    for (selector, expected) in [
        (
            "new UiSelector().resourceId(\"android:id/button1\").fromParent(new UiSelector().index(0))",
            "View Help",
        ),
        (
            "new UiSelector().resourceId(\"android:id/buttonPanel\").childSelector(new UiSelector().instance(1))",
            "OKAY",
        ),
    ] {
        notes.check("-android uiautomator", selector, &[expected]);
    }
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for body in ["{", "[]", "7", "\"x\"", &deep] {
        let path = format!("{}/element", client.path);
        let (status, answer) = send(&mut client.phone, "POST", &path, body);
        assert_eq!((status, answer["value"]["error"].as_str()), (400, Some("invalid argument")));
    }
    for (method, path) in [("GET", "/"), ("PUT", "/status"), ("GET", "/nosuch"), ("POST", "/session/")] {
        let (status, answer) = send(&mut client.phone, method, path, "{}");
        assert!(status == 404 || status == 400, "{method} {path}: {answer}");
    }
    let (status, answer) = send(&mut client.phone, "GET", "/session/other/source", "");
    assert_eq!((status, answer["value"]["error"].as_str()), (404, Some("invalid session id")));
    for (method, rest, body, expected) in [
        ("GET", "/nosuch", json!({}), (404, "unknown command")),
        ("DELETE", "/source", json!({}), (404, "unknown command")),
        ("POST", "/element", json!({}), (400, "invalid argument")),
        ("POST", "/element", json!({"using": "css", "value": "x"}), (400, "invalid selector")),
        (
            "POST",
            "/element",
            json!({"using": "xpath", "value": "x".repeat(20_000)}),
            (400, "invalid selector"),
        ),
        (
            "POST",
            "/element",
            json!({"using": "xpath", "value": format!("//*[{}1{}]", "(".repeat(8_000), ")".repeat(8_000))}),
            (400, "invalid selector"),
        ),
        (
            "POST",
            "/element",
            json!({"using": "xpath", "value": format!("//*[{}1]", "-".repeat(15_999))}),
            (404, "no such element"),
        ),
        (
            "POST",
            "/element",
            json!({"using": "xpath", "value": format!("//*[1{}]", " or 0".repeat(3_000))}),
            (200, ""),
        ),
        (
            "POST",
            "/element",
            json!({"using": "xpath", "value": "//*".repeat(200) + "[@x]"}),
            (404, "no such element"),
        ),
        ("POST", "/element", json!({"using": "id", "value": "x", "context": "y"}), (404, "no such element")),
        ("POST", "/actions", json!({"actions": 7}), (400, "invalid argument")),
        (
            "POST",
            "/actions",
            json!({"actions": [{"type": "pointer", "actions": [{"type": "pointerMove", "x": "a"}]}]}),
            (400, "invalid argument"),
        ),
        (
            "POST",
            "/actions",
            json!({"actions": [{"type": "wheel", "actions": []}]}),
            (400, "invalid argument"),
        ),
        ("POST", "/appium/settings", json!({"settings": {"x": [1]}}), (400, "invalid argument")),
        ("POST", "/appium/gestures/nosuch", json!({}), (404, "unknown command")),
        (
            "POST",
            "/appium/gestures/swipe",
            json!({"area": {"left": 1e300, "top": 0, "width": -1e300, "height": 1}, "direction": "x"}),
            (400, "invalid argument"),
        ),
        ("POST", "/appium/device/press_keycode", json!({"keycode": -1}), (400, "invalid argument")),
        ("POST", "/rotation", json!({"z": 45}), (400, "invalid argument")),
    ] {
        if expected.0 == 200 {
            client.post(rest, body);
        } else {
            client.check_error(method, rest, body, expected);
        }
    }
    assert!(client.source().contains("switch"), "the server is as before");
}
