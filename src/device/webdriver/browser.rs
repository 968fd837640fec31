//! Browsers, and where they are.

#[cfg(feature = "webdriver")]
use std::path::Path;

#[cfg(feature = "webdriver")]
use serde_json::{Value, json};

/// Capabilities of Firefox: as those of Chrome, no page comes back from a cache with its state. Texts of earlier episodes are no
/// suggestions.
#[cfg(feature = "webdriver")]
const FIREFOX: &str = r#"{
    "browserName": "firefox",
    "moz:firefoxOptions": {
        "args": ["-headless", "--width=1280", "--height=900"],
        "prefs": {
            "general.smoothScroll": false,
            "browser.sessionhistory.max_total_viewers": 0,
            "browser.formfill.enable": false,
            "signon.rememberSignons": false
        }
    }
}"#;

/// A browser that is driven by a program on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Browser {
    Chrome,
    Firefox,
}

impl Browser {
    /// All of them.
    pub const ALL: [Browser; 2] = [Browser::Chrome, Browser::Firefox];

    /// Returns its name, as `--device` has it.
    pub fn name(self) -> &'static str {
        match self {
            Browser::Chrome => "chrome",
            Browser::Firefox => "firefox",
        }
    }

    /// Returns the name of its driver.
    pub fn driver(self) -> &'static str {
        match self {
            Browser::Chrome => "chromedriver",
            Browser::Firefox => "geckodriver",
        }
    }

    /// Returns the arguments by which its driver takes free ports.
    #[cfg(feature = "webdriver")]
    pub(super) fn free_ports(self) -> &'static [&'static str] {
        match self {
            Browser::Chrome => &["--port=0"],
            Browser::Firefox => &["--port=0", "--websocket-port=0"],
        }
    }

    /// Returns the way to get the driver.
    pub fn advice(self) -> &'static str {
        match self {
            Browser::Chrome => "Debian and Ubuntu have it as `chromium-driver`",
            Browser::Firefox => "`cargo install geckodriver --locked` builds it",
        }
    }

    /// Returns the capabilities of a session without a window; files that it loads go to `folder`.
    #[cfg(feature = "webdriver")]
    pub(super) fn capabilities(self, folder: Option<&Path>) -> Value {
        match self {
            Browser::Chrome => {
                let mut arguments = vec![
                    "--headless=new",
                    "--disable-dev-shm-usage",
                    "--no-first-run",
                    "--disable-smooth-scrolling",
                    "--window-size=1280,900",
                    "--force-device-scale-factor=1",
                    // A page that comes back from that cache keeps its state, and only sometimes comes from it.
                    "--disable-features=BackForwardCache",
                ];
                if is_root() {
                    // Chrome refuses to run as root with it.
                    arguments.push("--no-sandbox");
                }
                json!({ "browserName": "chrome", "goog:chromeOptions": { "args": arguments } })
            }
            Browser::Firefox => {
                let mut capabilities: Value = serde_json::from_str(FIREFOX).expect("it is JSON");
                if let Some(folder) = folder {
                    let preferences = &mut capabilities["moz:firefoxOptions"]["prefs"];
                    preferences["browser.download.folderList"] = 2.into();
                    preferences["browser.download.dir"] = folder.to_string_lossy().into();
                }
                capabilities
            }
        }
    }
}

/// Place of a browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// This machine, where its driver is started.
    Here(Browser),
    /// The WebDriver server at an address.
    At(String),
}

/// Returns true if this process belongs to root.
#[cfg(feature = "webdriver")]
fn is_root() -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
    }
    #[cfg(not(unix))]
    false
}
