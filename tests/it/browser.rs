//! Pages in Chromium and in Firefox, by their own drivers: what is offered, what is done, and what a search finds.

use std::borrow::Cow;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use farlead::device::webdriver::{Browser, Options, PageUrl, Place, Web};
use farlead::device::{Capabilities, Device, Observation};
use farlead::gui::{Action, BUILTIN_TEXTS, Flags, Repertoire, Screen, Widget, offers};

use crate::ci;
use crate::cli::{Ended, command, ended, file, has_https};
use crate::programs::kept;
use crate::project::Folder;

/// Serves the pages of these tests; returns the address.
pub fn served() -> String {
    served_with(|body| body)
}

/// Serves the pages without their faults, whatever the address asks for; returns the address.
pub fn served_without_faults() -> String {
    served_with(|body| {
        let asked = "Number(new URLSearchParams(location.search).get('fault'))";
        String::from_utf8(body).expect("a page in UTF-8").replace(asked, "0").into_bytes()
    })
}

fn served_with(change: fn(Vec<u8>) -> Vec<u8>) -> String {
    serving(move |head| {
        let path = path(head).split('?').next().unwrap_or_default();
        let name = path.trim_start_matches('/');
        let body = fs::read(Path::new("tests/pages").join(name)).ok().filter(|_| !name.contains('/'));
        let status = if body.is_some() { "200 OK" } else { "404 Not Found" };
        let body = change(body.unwrap_or_default());
        Answer { status, more: "Content-Type: text/html; charset=utf-8", body: body.into() }
    })
}

/// Serves the same text for every request; returns the address.
fn answering(text: &'static str) -> String {
    serving(|_| Answer { status: "200 OK", more: "Content-Type: text/plain", body: text.as_bytes().into() })
}

/// Answer of a server.
struct Answer {
    status: &'static str,
    /// More lines of its head.
    more: &'static str,
    body: Cow<'static, [u8]>,
}

/// Answers each request by `answer`, which gets the lines of its head; returns the address.
fn serving(answer: impl Fn(&[String]) -> Answer + Clone + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let answer = answer.clone();
            thread::spawn(move || {
                let mut asked = BufReader::new(stream.try_clone().expect("a second handle"));
                let lines = asked.by_ref().lines().map_while(Result::ok);
                let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
                let length = head.iter().find_map(|line| {
                    line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
                });
                // All of the request is read, so that closing does not reset the connection.
                let _ = io::copy(&mut asked.take(length.unwrap_or(0)), &mut io::sink());
                let Answer { status, more, body } = answer(&head);
                let length = body.len();
                let head = format!("HTTP/1.1 {status}\r\n{more}\r\nContent-Length: {length}\r\n");
                let head = format!("{head}Connection: close\r\n\r\n");
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            });
        }
    });
    address
}

/// Returns the path that a request asks for.
fn path(head: &[String]) -> &str {
    head.first().and_then(|first| first.split(' ').nth(1)).unwrap_or_default()
}

/// A page whose parts, and the pages after it, come late.
const FIRST: &str = r#"<p id="said">first</p>
<a href="/second">Go</a>
<form action="/second" method="post"><button>Send</button></form>
<button onclick="add('script', { src: '/part.js' })">Script</button>
<button onclick="add('link', { rel: 'stylesheet', href: '/part.css' })">Style</button>
<button onclick="location = '/file'">File</button>
<button onclick="location = '/nothing'">Nothing</button>
<script>
  const say = text => { document.getElementById('said').textContent = text; };
  const add = (tag, more) => {
    const part = Object.assign(document.createElement(tag), more);
    part.onload = () => say(`${tag} there`);
    document.head.append(part);
  };
</script>"#;

/// Serves that page and what it asks for, each but the page itself after half a second; returns the address.
fn served_late() -> String {
    serving(|head| {
        let path = path(head);
        if path != "/" {
            thread::sleep(Duration::from_millis(500));
        }
        let (status, more, body) = match path {
            "/" => ("200 OK", "Content-Type: text/html", FIRST),
            "/second" => ("200 OK", "Content-Type: text/html", "<p id=said>second</p>"),
            "/part.js" => ("200 OK", "Content-Type: text/javascript", "say('part');"),
            "/part.css" => ("200 OK", "Content-Type: text/css", "p { margin: 1px }"),
            "/file" => ("200 OK", "Content-Disposition: attachment", "a file"),
            "/nothing" => ("204 No Content", "Content-Type: text/plain", ""),
            _ => ("404 Not Found", "Content-Type: text/plain", ""),
        };
        Answer { status, more, body: body.as_bytes().into() }
    })
}

/// Returns true if Chromium's driver is there.
pub fn has_chrome() -> bool {
    has(Browser::Chrome)
}

/// Returns true if the browser's driver is there.
fn has(browser: Browser) -> bool {
    let is_there =
        Command::new(browser.driver()).arg("--version").output().is_ok_and(|out| out.status.success());
    if !is_there {
        let packages = match browser {
            Browser::Chrome => "the Debian packages chromium and chromium-driver",
            Browser::Firefox => {
                "the Debian package firefox-esr, and the driver by `cargo install geckodriver --locked`"
            }
        };
        ci::skip(&format!("{} is missing: install {packages}", browser.driver()));
    }
    is_there
}

/// Returns the browsers whose drivers are there.
pub fn browsers() -> impl Iterator<Item = Browser> {
    Browser::ALL.into_iter().filter(|browser| has(*browser))
}

/// Opens the page of these tests in one browser after the other, and does `work` with it.
fn in_each_browser(page: &str, work: fn(Web)) {
    in_each_browser_at(&format!("{}/{page}", served()), work);
}

/// Opens the page at `url` in one browser after the other, and does `work` with it.
fn in_each_browser_at(url: &str, work: fn(Web)) {
    for browser in browsers() {
        println!("in {}:", browser.name());
        let url = PageUrl::parse(url).expect("an address");
        work(Web::open(&Place::Here(browser), &url, &Options::default()).expect("a browser"));
    }
}

fn started(web: &mut Web) -> Observation {
    let start = web.app().launchable[0].clone();
    web.reset(&start).expect("the page")
}

fn offered(screen: &Screen) -> Vec<Action> {
    let repertoire = Repertoire::new(BUILTIN_TEXTS, &[], false);
    offers(screen, &Repertoire { capabilities: Capabilities::BROWSER, ..repertoire })
}

/// Returns the text of the widget with the id `said`.
fn said(screen: &Screen) -> String {
    let said = screen.widgets().iter().find(|widget| &*widget.id == "said");
    said.map_or(String::new(), |widget| widget.text.to_string())
}

fn action(screen: &Screen, start: &str) -> Action {
    let offered = offered(screen);
    let found = offered.iter().find(|action| action.to_string().starts_with(start));
    found.unwrap_or_else(|| panic!("there is no {start:?} among {offered:?}")).clone()
}

#[test]
fn what_takes_a_gesture_on_a_page_is_offered_and_reached() {
    in_each_browser("widgets.html", |mut web| {
        let first = started(&mut web).screen;
        for (act, expected) in [
            ("click \"Plain\"", "plain"),
            // An invisible check box over its label, and one for machines alone, for which its label stands.
            ("click \"Agree\"", "agreed true"),
            ("click \"Small print\"", "small true"),
            // Hidden until the mouse is over the menu.
            ("click \"Entry\"", "entry"),
            // The list listens for its rows, and the card for itself.
            ("click \"Second\"", "Second"),
            ("click \"Card", "card"),
            ("click \"Large\"", "Large put in"),
            ("swipe right on \"5\"", "volume "),
            ("text \"abc\" into \"A note\"", "note abc"),
            ("text \"abc\" into \"rich\"", "rich abc"),
            ("doubleclick \"Twice\"", "twice"),
            ("click \"In the shadow\"", "shadow"),
            ("click \"In a slot\"", "slotted"),
            // The document listens for it, as the selector in its listener says.
            ("click \"By name\"", "kind"),
            ("click \"Inner\"", "inner"),
            // Scrolled out of its list, and out of the window.
            ("click \"Deep\"", "deep"),
            ("click \"Below\"", "below"),
            ("click \"Later\"", "later"),
            ("click \"Fades\"", "faded"),
            ("click \"Wrapped\"", "wrapped"),
            ("click \"Shown\"", "shown true"),
        ] {
            let screen = started(&mut web).screen;
            assert_eq!(screen, first, "the page starts alike");
            let seen = web.act(&action(&screen, act)).expect("it is done").screen;
            assert!(said(&seen).starts_with(expected), "{act}: {:?}", said(&seen));
        }
        for text in ["Disabled", "Covered", "Elsewhere", "Mail", "Hidden", "Flat"] {
            let found = offered(&first).into_iter().find(|action| action.to_string().contains(text));
            assert_eq!(found, None, "{text} is offered");
        }
    });
}

#[test]
fn a_control_is_one_target_whatever_is_around_it() {
    in_each_browser("widgets.html", |mut web| {
        let screen = started(&mut web).screen;
        let clicks = |name: &str| {
            let is_it = |action: &&Action| action.to_string() == format!("click \"{name}\"");
            offered(&screen).iter().filter(is_it).count()
        };
        // A label, and a box that listens for its button.
        assert_eq!((clicks("Shown"), clicks("Wrapped")), (1, 1));
        let around =
            screen.widgets().iter().find(|widget| widget.class.ends_with(" around")).expect("the box");
        assert!(!around.flags.has(Flags::CLICKABLE), "the box is a target, too");
    });
}

#[test]
fn what_is_read_in_one_line_is_one_text() {
    in_each_browser("widgets.html", |mut web| {
        let screen = started(&mut web).screen;
        let text = |class: &str| {
            let is_it = |widget: &&Widget| widget.class.ends_with(&format!(" {class}"));
            screen.widgets().iter().find(is_it).map(|widget| widget.text.to_string())
        };
        for (class, expected) in
            [("count", "2 items left"), ("total", "3 rows"), ("rule", "Read the terms."), ("columns", "")]
        {
            assert_eq!(text(class).as_deref(), Some(expected), "{class}");
        }
    });
}

#[test]
fn a_field_for_dates_or_times_gets_some_and_keeps_them() {
    in_each_browser("widgets.html", |mut web| {
        let screen = started(&mut web).screen;
        for (role, early, late) in [("date", "2001-02-03", "2040-10-20"), ("time", "04:05", "20:30")] {
            let class = format!("input {role}");
            let is_for_field = |action: &Action| action.target().is_some_and(|on| *on.class == *class);
            let typed: Vec<Action> = offered(&screen)
                .into_iter()
                .filter(|action| action.typed().is_some() && is_for_field(action))
                .collect();
            let texts: Vec<&str> = typed.iter().filter_map(Action::typed).collect();
            assert_eq!(texts, ["", early, late], "other texts are none for the field");
            for (action, text) in typed.iter().zip(&texts).rev() {
                let seen = web.act(action).expect("it is done").screen;
                let field = seen.widgets().iter().find(|widget| *widget.class == *class).expect("the field");
                assert_eq!(*field.text, **text);
                assert_eq!(said(&seen), format!("{role} {text}").trim_end(), "the page hears of it");
            }
        }
    });
}

#[test]
fn a_field_gets_texts_that_the_browser_takes() {
    in_each_browser("widgets.html", |mut web| {
        let screen = started(&mut web).screen;
        let mut typed = Vec::new();
        for (at, sample) in screen.all_samples() {
            let field = &screen.widgets()[*at as usize];
            let is_it = |action: &&Action| {
                action.typed() == Some(sample) && action.target().is_some_and(|on| on.desc == field.desc)
            };
            let Some(action) = offered(&screen).iter().find(is_it).cloned() else {
                panic!("{sample} for {} is not offered", field.desc)
            };
            let seen = web.act(&action).expect("it is done").screen;
            // This one hears of nothing.
            if *field.desc != *"Secret" {
                assert_eq!(said(&seen), format!("{} takes it", field.desc), "{sample}");
            }
            typed.push(format!("{} {sample}", field.desc));
        }
        for expected in [
            "Plate AA-1111",
            "Site http://1",
            "Guests 3",
            "Guests 8",
            "Arrival 2030-01",
            "Until 01/11",
            "Key Secret-123Secret-123",
            "Write to name@example.com",
        ] {
            assert!(typed.iter().any(|typed| typed == expected), "{expected}: {typed:?}");
        }
        assert!(typed.iter().any(|typed| typed.starts_with("About a few words")), "{typed:?}");
    });
}

#[test]
fn a_page_of_an_old_framework_is_read() {
    in_each_browser("root.html", |mut web| {
        let screen = started(&mut web).screen;
        let twice = web.act(&action(&screen, "doubleclick \"Second\"")).expect("it is done").screen;
        assert_eq!(said(&twice), "twice Second");
        let once = Action::click(action(&screen, "doubleclick \"First\"").target().expect("a label").clone());
        assert_eq!(
            said(&web.act(&once).expect("it is done").screen),
            "found -1",
            "the page has its own functions"
        );
    });
}

#[test]
fn a_wave_of_light_is_not_waited_for_and_no_part_of_the_screen() {
    in_each_browser("widgets.html", |mut web| {
        let screen = started(&mut web).screen;
        let plain = web.act(&action(&screen, "click \"Plain\"")).expect("it is done").screen;
        let waves = web.act(&action(&plain, "click \"Waves\"")).expect("it is done").screen;
        assert_eq!(said(&waves), "waves");
        assert_eq!(waves.widgets().len(), plain.widgets().len());
    });
}

#[test]
fn what_a_page_writes_and_what_servers_answer_belong_to_their_step() {
    in_each_browser("widgets.html", |mut web| {
        let told = |seen: &Screen| {
            (seen.console().map_or(String::new(), |console| console.to_string()), seen.status())
        };
        let first = started(&mut web).screen;
        assert_eq!(told(&first), (String::new(), Some(200)), "the page itself");
        for (act, console, status) in [
            ("click \"Writes\"", "error: no list {\"a\":1}\nwarning: TypeError: old\nlog: 2", None),
            ("click \"Loads\"", "", Some(404)),
            ("click \"Sends\"", "", Some(404)),
            ("click \"Pictures\"", "", Some(404)),
            ("click \"Plain\"", "", None),
        ] {
            let seen = web.act(&action(&first, act)).expect("it is done").screen;
            assert_eq!(told(&seen), (console.to_string(), status), "{act}");
        }
    });
}

#[test]
fn what_comes_late_is_waited_for() {
    in_each_browser_at(&served_late(), |mut web| {
        for (act, expected) in [
            ("click \"Go\"", "second"),
            ("click \"Send\"", "second"),
            ("click \"Script\"", "script there"),
            ("click \"Style\"", "link there"),
            // The page stays.
            ("click \"Nothing\"", "first"),
        ] {
            let screen = started(&mut web).screen;
            let seen = web.act(&action(&screen, act)).expect("it is done").screen;
            assert_eq!(said(&seen), expected, "{act}");
        }
    });
}

#[test]
fn a_file_that_a_page_gives_is_left_nowhere() {
    let url = served_late();
    for browser in browsers() {
        let folder = Folder::new(&format!("given-{}", browser.name()));
        folder.write(
            "file.ltl",
            "possible \"file\" within 2 steps: X ([actionDetail = File] & [text = first])\n",
        );
        let mut command = command(&["check", "file.ltl", "--url", &url, "--device", browser.name()]);
        command.args(["--no-minimize", "--confirm", "1"]);
        command.current_dir(folder.path("")).env("HOME", folder.path(""));
        let checked = ended(command.env("PATH", std::env::var_os("PATH").unwrap_or_default()), "");
        assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
        assert!(!folder.path("Downloads").exists(), "{} keeps the file", browser.name());
    }
}

#[test]
fn errors_and_dialogs_of_a_page_are_screens() {
    in_each_browser("widgets.html", |mut web| {
        for (act, expected) in [("click \"Fails\"", "TypeError"), ("click \"Rejects\"", "RangeError")] {
            let screen = started(&mut web).screen;
            let seen = web.act(&action(&screen, act)).expect("it is done").screen;
            assert!(seen.context().crashed, "{act}");
            let crash: Option<&Arc<str>> = seen.crash();
            assert!(crash.is_some_and(|crash| crash.contains(expected)), "{crash:?}");
            // The page goes on, and what it does next is no crash.
            let next = web.act(&action(&seen, "click \"Plain\"")).expect("it is done").screen;
            assert_eq!((next.context().crashed, &*said(&next)), (false, "plain"));
        }
        for (button, expected) in [("click \"OK\"", "sure"), ("click \"Cancel\"", "unsure")] {
            let screen = started(&mut web).screen;
            let dialog = web.act(&action(&screen, "click \"Asks\"")).expect("it is done").screen;
            assert!(dialog.widgets().iter().any(|widget| &*widget.text == "Are you sure?"));
            let seen = web.act(&action(&dialog, button)).expect("it is done").screen;
            assert_eq!(said(&seen), expected);
        }
        // A new window is closed, and the page is in front again: one behind another window answers no wheel.
        for opens in ["click \"Window\"", "click \"Popup\""] {
            let screen = started(&mut web).screen;
            let seen = web.act(&action(&screen, opens)).expect("it is done").screen;
            let scrolled = web.act(&action(&seen, "scroll down")).expect("it is done").screen;
            let top = |screen: &Screen| screen.widgets()[0].bounds.top;
            assert!(top(&scrolled) < top(&seen), "{opens}: the page does not scroll");
            let plain = web.act(&action(&scrolled, "click \"Plain\"")).expect("it is done").screen;
            assert_eq!(said(&plain), "plain");
        }
        assert_eq!(said(&started(&mut web).screen), "nothing");
        // A dialog that is still there does not keep the page from starting afresh.
        let screen = started(&mut web).screen;
        web.act(&action(&screen, "click \"Asks\"")).expect("it is done");
        assert_eq!(said(&started(&mut web).screen), "nothing");
    });
}

pub fn farlead(args: &[&str]) -> Ended {
    let mut command = command(args);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    ended(&mut command, "")
}

#[test]
fn a_run_on_a_page_is_found_kept_and_done_again() {
    let url = format!("{}/todos.html", served());
    let spec = file(
        "page.ltl",
        "possible \"adds one\" within 6 steps: F [text = abc, in(class = todo-list)]
possible \"removes one\" within 8 steps: F ([class = todo-list, has(tag = li)] & X F [count(tag = li, in(class = todo-list)) = 0])
",
    );
    let spec = spec.display().to_string();
    for browser in browsers() {
        let device = browser.name();
        let out =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{device}-{}", std::process::id()));
        let out = out.display().to_string();
        let checked = farlead(&["check", &spec, "--url", &url, "--device", device, "--out", &out]);
        assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
        let kept = kept(Path::new(&out), "adds one.test.ltl");
        // The test knows its page, and Chrome opens it unless another browser is named.
        let again = farlead(&["replay", &kept, "--device", device, "--out", &out]);
        assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
        let again = farlead(&["replay", &kept, "--out", &out]);
        assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
        let faulty = format!("{url}?fault=3");
        let rules = "tests/pages/todos.ltl";
        let explored = farlead(&[
            "explore", rules, "--url", &faulty, "--device", device, "--budget", "60", "--out", &out,
        ]);
        assert_eq!(explored.code, 1, "{}{}", explored.stdout, explored.stderr);
        assert!(explored.stdout.contains("must \"03 the count stands out\": failed"), "{}", explored.stdout);
        let _ = fs::remove_dir_all(out);
    }
}

#[test]
fn a_guard_on_a_page_says_first_how_many_steps_it_may_take() {
    if !has_chrome() {
        return;
    }
    let url = format!("{}/todos.html", served());
    let rules = "never \"an error\": F [crashed = true]\nnever \"a boom\": F [text = Boom]\n";
    let folder = Folder::new("guards-on-a-page");
    folder.write("rules.ltl", rules);
    let path = folder.path("rules.ltl").display().to_string();
    let out = folder.path("").display().to_string();
    let check = ["check", &path, "--episodes", "2", "--steps", "3", "--out", &out];
    let on_page = [&check[..], &["--url", &url]].concat();
    let bounds = "on the device's clock; bound this with `--timeout 5min`, `--episodes 50` or `--steps 10`\n";
    for (more, said) in [
        (&["--only", "an error"][..], "\"an error\" takes at most 6 steps on this device, and at most 30min"),
        (&["--timeout", "90s"], "2 guards take at most 12 steps on this device, and each at most 90s"),
    ] {
        let checked = farlead(&[&on_page[..], more].concat());
        assert!(checked.stderr.contains(&format!("farlead: {said} {bounds}")), "{}", checked.stderr);
        assert!(!checked.stdout.contains("at most 30min"), "{}", checked.stdout);
    }
    // Steps of a model take no time.
    for more in [&["--url", &*url, "--quiet"][..], &["--app", "apps/chesswalk.app"]] {
        let checked = farlead(&[&check[..], more].concat());
        assert!(!checked.stderr.contains("at most"), "{}", checked.stderr);
    }
}

/// Serves a page to those alone who say this user and key; returns the address.
pub fn guarded(secret: &'static str) -> String {
    let page = "<button onclick=\"console.log(document.URL); this.textContent = 'In'\">Enter</button><p></p>\
                <script>document.querySelector('p').textContent = location.href</script>";
    serving(move |head| {
        let said = format!("Authorization: Basic {}", BASE64.encode(secret));
        let (status, more, body) = if head.iter().any(|line| line.eq_ignore_ascii_case(&said)) {
            ("200 OK", "Content-Type: text/html", page)
        } else {
            ("401 Unauthorized", "WWW-Authenticate: Basic realm=\"a\"", "")
        };
        Answer { status, more, body: body.as_bytes().into() }
    })
}

/// Returns the text of all files below `folder`.
fn all_text(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        text += &if path.is_dir() { all_text(&path) } else { fs::read_to_string(&path).unwrap_or_default() };
    }
    text
}

#[test]
fn a_user_and_a_key_in_the_address_of_a_page_are_sent_and_never_written() {
    if !has_chrome() {
        return;
    }
    let open = guarded("anna:k3y/@");
    let host = open.strip_prefix("http://").expect("an address");
    let folder = Folder::new("guarded");
    folder.write("in.ltl", "possible \"in\": F [text = In]\n");
    let run = |args: &[&str]| {
        let mut command = command(args);
        command.current_dir(folder.path("")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        ended(command.env("PAGE_KEY", "k3y/@"), "")
    };
    let test = "farlead-tests/in/in.test.ltl";
    let url = format!("http://anna:k3y%2F%40@{host}/");
    let checked = run(&["check", "in.ltl", "--url", &url, "--html", "report.html", "--verbose"]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    let kept = folder.read(test);
    assert!(kept.contains(&format!("app \"--url\" \"http://***@{host}/\"")), "{kept}");
    assert!(kept.contains(&format!("package \"{open}\"")), "{kept}");
    for text in [&checked.stdout, &checked.stderr, &all_text(&folder.path(""))] {
        assert!(!text.contains("k3y"), "{text}");
    }
    // The test alone does not know them.
    let without = run(&["replay", test]);
    assert_eq!(without.code, 3, "{}{}", without.stdout, without.stderr);
    assert!(
        without.stdout.contains("needs a user and a key, which stored tests do not keep"),
        "{}",
        without.stdout
    );
    // Nor does one that somebody has written them into, as commands write it anew.
    folder.write(test, &kept.replace("***", "anna:k3y%2F%40"));
    let written = run(&["replay", test]);
    assert!(written.code == 3 && !written.stdout.contains("k3y"), "{}", written.stdout);
    folder.write(test, &kept);
    assert_eq!(run(&["replay", test, "--url", &url]).code, 0);
    folder.write("farlead.toml", &format!("url = \"{url}\"\n"));
    assert_eq!(run(&["replay", test]).code, 0);
    // A test keeps the name of a variable.
    fs::remove_file(folder.path("farlead.toml")).expect("a file");
    let named = format!("http://anna:${{PAGE_KEY}}@{host}/");
    assert_eq!(run(&["check", "in.ltl", "--url", &named, "--update"]).code, 0);
    assert!(!folder.read(test).contains("k3y"));
    fs::remove_file(folder.path(test)).expect("a file");
    assert_eq!(run(&["check", "in.ltl", "--url", &named]).code, 0);
    assert!(folder.read(test).contains(&format!("\"{named}\"")), "{}", folder.read(test));
    assert_eq!(run(&["replay", test]).code, 0);
    let unset = ended(command(&["replay", test]).current_dir(folder.path("")), "");
    assert_eq!(unset.code, 3, "{}{}", unset.stdout, unset.stderr);
    assert!(unset.stdout.contains("the environment variable PAGE_KEY"), "{}", unset.stdout);
}

#[test]
fn scenarios_in_plain_words_are_found_on_a_page() {
    if !has_chrome() {
        return;
    }
    let url = format!("{}/todos.html", served());
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("feature-{}", std::process::id()));
    let folder = out.display().to_string();
    let checked = farlead(&["check", "tests/pages/todos.feature", "--url", &url, "--out", &folder]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    let test = fs::read_to_string(kept(&out, "an entry is added and edited.test.ltl")).expect("a test");
    for step in ["enter", "doubleclick"] {
        assert!(test.lines().any(|line| line.ends_with(step)), "{step}: {test}");
    }
    let _ = fs::remove_dir_all(out);
}

/// Pages with one of their faults that is soon found, if they have one.
const PAGES: &[(&str, Option<usize>)] = &[
    ("delegation", Some(1)),
    ("vdom", None),
    ("components", Some(1)),
    ("menus", Some(2)),
    ("forms", Some(2)),
    ("booking", Some(2)),
    ("routes", Some(2)),
    ("feed", None),
    ("canvas", None),
];

/// Steps within which that fault is found.
const FAULTY_STEPS: u32 = 60;

/// Steps in which a page without a fault shows that its rules raise no alarm.
const HEALTHY_STEPS: u32 = 20;

/// Returns the numbers of the rules of a page that fail within `steps`, and all that was said.
fn failing(origin: &str, page: &str, fault: usize, steps: u32) -> (Vec<String>, String) {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{page}-{fault}-{}", std::process::id()));
    let spec = format!("tests/pages/{page}.ltl");
    let url = format!("{origin}/{page}.html?fault={fault}");
    let explored = farlead(&[
        "explore",
        &spec,
        "--url",
        &url,
        "--budget",
        &steps.to_string(),
        "--seed",
        "1",
        "--no-minimize",
        "--confirm",
        "1",
        "--no-screenshots",
        "--out",
        &out.display().to_string(),
    ]);
    let _ = fs::remove_dir_all(out);
    let said = format!("{}{}", explored.stdout, explored.stderr);
    let failed = explored.stdout.lines().filter(|line| line.contains("\": failed"));
    let names = failed.filter_map(|line| line.split('"').nth(1).map(str::to_owned)).collect();
    assert!([0, 1, 5, 6].contains(&explored.code), "{said}");
    (names, said)
}

#[test]
fn every_page_does_what_its_rules_say() {
    if !has_chrome() {
        return;
    }
    let origin = served();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((page, fault)) = PAGES.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (failed, said) = failing(&origin, page, 0, HEALTHY_STEPS);
            assert!(failed.is_empty(), "{page} has no fault: {said}");
            if let Some(fault) = fault {
                let (failed, said) = failing(&origin, page, *fault, FAULTY_STEPS);
                let number = format!("0{fault} ");
                assert!(failed.iter().any(|name| name.starts_with(&number)), "{page}, fault {fault}: {said}");
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
}

#[test]
fn a_server_that_is_none_gets_a_message() {
    let page = "http://127.0.0.1:9/";
    let spec = file("none.ltl", "possible \"a\": F [text = a]\n").display().to_string();
    // Serves pages, and no sessions.
    let pages = served();
    let secret = pages.replace("http://", "http://anna:k3y@");
    let encrypted = if has_https() {
        "no answer from the WebDriver server at https://127.0.0.1:9"
    } else {
        "https://127.0.0.1:9 needs encryption, which this farlead is built without"
    };
    for (device, code, expected) in [
        (secret.as_str(), 4, "is no WebDriver server, or answers oddly: status 404"),
        ("http://anna:k3y@127.0.0.1:9", 4, "no answer from the WebDriver server at http://127.0.0.1:9"),
        ("https://anna:k3y@127.0.0.1:9", 4, encrypted),
        ("sim", 2, "a page is opened in a browser, and `--device sim` is none"),
    ] {
        let checked = farlead(&["check", &spec, "--url", page, "--device", device]);
        assert_eq!(checked.code, code, "{}", checked.stderr);
        assert!(checked.stderr.contains(expected), "{}", checked.stderr);
        assert!(!checked.stderr.contains("k3y") && !checked.stdout.contains("k3y"), "{}", checked.stderr);
    }
    // JSON that is no object is no answer either.
    let odd = answering("[5]");
    let checked = farlead(&["check", &spec, "--url", page, "--device", &odd]);
    assert_eq!(checked.code, 4, "{}", checked.stderr);
    assert!(checked.stderr.contains("a session without a name"), "{}", checked.stderr);
    let checked = farlead(&["check", &spec, "--url", "localhost:8000"]);
    assert_eq!(checked.code, 2, "{}", checked.stderr);
    assert!(checked.stderr.contains("`localhost:8000` is no address of a page"), "{}", checked.stderr);
    let checked = farlead(&["check", &spec, "--package", "org.example", "--device", "chrome"]);
    assert_eq!(checked.code, 2, "{}", checked.stderr);
    assert!(checked.stderr.contains("is a browser, and shows pages"), "{}", checked.stderr);
}
