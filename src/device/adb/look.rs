//! A look: the questions to the phone, and the screen in its answer.

use super::script::{Parts, Script};
use super::{Facts, Now, u2};
use crate::device::android::focus::{Focus, focus};
use crate::device::android::glance::{Around, Glance, Looked};
use crate::device::android::notices::noted;
use crate::device::android::prompt::Prompts;
use crate::device::android::{keyboard, power, rpc};
use crate::gui::Hierarchy;

/// The reason a glance shows nothing, although the next one may.
#[derive(Debug)]
pub(super) struct Unclear {
    pub why: String,
    /// True if uiautomator2's server must be restarted first.
    pub is_server_over: bool,
}

impl Unclear {
    pub fn new(why: impl Into<String>) -> Unclear {
        Unclear { why: why.into(), is_server_over: false }
    }
}

/// Names of a glance's parts in the answer.
struct Names {
    before: &'static str,
    dump: &'static str,
    clock: &'static str,
    tree: &'static str,
    after: &'static str,
}

/// The glances of a look, in order.
const GLANCES: [Names; 2] = [
    Names { before: "front", dump: "dump", clock: "clock", tree: "tree", after: "front again" },
    Names {
        before: "front again",
        dump: "second dump",
        clock: "second clock",
        tree: "second tree",
        after: "front at last",
    },
];

/// From Android 10 on the displays report which window has the focus; before, the list of windows does.
const SDK_OF_DISPLAYS: u32 = 29;

/// Adds the commands of a look with one glance, or two in a row.
pub(super) fn add_look(
    script: &mut Script<'_>,
    folder: &str,
    facts: &Facts,
    log_since: &str,
    has_server: bool,
    glances: usize,
) {
    let windows = windows(facts.sdk);
    // A failed dump leaves the file of the one before, and even reports success.
    let file = format!("{folder}/dump.xml");
    script.part("front", &windows);
    for (at, names) in GLANCES.iter().enumerate().take(glances) {
        let (dump, tree) = if has_server {
            (u2::rest(folder, facts.has_virtual_time, at == 0), u2::tree(folder))
        } else {
            (format!("rm -f {file}; uiautomator dump {file} 2>&1"), format!("cat {file} 2>/dev/null"))
        };
        script
            .part(names.dump, &dump)
            .part(names.clock, CLOCK)
            .part(names.tree, &tree)
            .part(names.after, &windows);
    }
    script
        .part("power", "dumpsys power 2>/dev/null")
        .part("keyboard", KEYBOARD)
        .part("network", NETWORK)
        .part("log", &log(log_since));
}

/// Prints how long the phone has been on.
pub(super) const CLOCK: &str = "cat /proc/uptime 2>/dev/null";

/// Prints whether the keyboard is shown; the rest is long.
pub(super) const KEYBOARD: &str =
    "dumpsys input_method 2>/dev/null | grep -E 'mInputShown|mIsInputViewShown'";

/// Prints whether airplane mode is on, and which networks are enabled.
pub(super) const NETWORK: &str =
    "settings get global airplane_mode_on; settings get global wifi_on; settings get global mobile_data";

/// Returns the command that prints which window has the focus.
pub(super) fn windows(sdk: u32) -> String {
    let part = if sdk >= SDK_OF_DISPLAYS { "displays" } else { "windows" };
    format!("dumpsys window {part} 2>/dev/null")
}

/// Returns the command that prints crashes, hangs and toasts since a moment.
pub(super) fn log(since: &str) -> String {
    format!(
        "logcat -d -v threadtime -b crash -b system -T '{since}' AndroidRuntime:E DEBUG:F libc:F ActivityManager:I \
         Toast:I '*:S' 2>/dev/null"
    )
}

/// Returns the milliseconds on the phone's clock.
pub(super) fn clock_ms(text: &str) -> Option<u64> {
    let seconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then_some((seconds * 1000.0).round() as u64)
}

/// Returns true if the phone is connected, as far as its settings tell.
pub(super) fn has_network(text: &str) -> Option<bool> {
    let mut lines = text.lines().map(str::trim);
    let flies = lines.next().filter(|value| !value.is_empty())? == "1";
    // `2` means that wifi is on in spite of airplane mode.
    let wifi = lines.next().unwrap_or_default();
    let has_none = wifi == "0" && lines.next() == Some("0");
    Some(wifi == "2" || !(flies || has_none))
}

/// Parses the glances of a look, in order.
pub(super) fn glances(parts: &Parts<'_>, has_server: bool) -> Vec<Result<Glance, Unclear>> {
    // Without the last mark, the parts before it may be cut off.
    if !parts.has("end") {
        return vec![Err(Unclear::new("the answer is not whole"))];
    }
    GLANCES
        .iter()
        .filter(|names| parts.has(names.dump))
        .map(|names| glance(parts, names, has_server))
        .collect()
}

fn glance(parts: &Parts<'_>, names: &Names, has_server: bool) -> Result<Glance, Unclear> {
    let hierarchy = if has_server { hierarchy_of_server(parts, names)? } else { hierarchy(parts, names)? };
    let in_front = in_front(parts, names)?;
    Glance::new(in_front, hierarchy).map_err(Unclear::new)
}

/// Parses the rest of a look, whose last glance counts.
pub(super) fn looked(
    parts: &Parts<'_>,
    glance: Glance,
    package: &str,
    facts: &Facts,
    prompts: &Prompts,
    now: &Now,
) -> Looked {
    let (noted, log_len) = noted(&parts.text("log"), package, now.log_known);
    let before = now.screen.as_deref();
    let known = before.map(|screen| screen.context()).unwrap_or_default();
    let around = Around {
        is_lit: power::is_lit(&parts.text("power")).unwrap_or(true),
        is_wide: facts.size.0 > facts.size.1,
        // A setting that cannot be read counts as unchanged.
        has_network: has_network(&parts.text("network")).unwrap_or(known.network),
        has_keyboard: keyboard::is_shown(&parts.text("keyboard")) == Some(true),
    };
    let clock = GLANCES.iter().rev().find(|names| parts.has(names.clock));
    let at_ms = clock.and_then(|names| clock_ms(&parts.text(names.clock))).unwrap_or(now.started_ms);
    let press = prompts.press(&glance.hierarchy, glance.in_front.window.as_deref(), package);
    let screen = glance.into_screen(&around, &noted, package, before);
    let notices = noted.into_iter().map(|noted| noted.notice).collect();
    Looked { screen, press, at_ms, notices, log_len }
}

/// Parses the tree, or the phone's message in its place.
fn hierarchy(parts: &Parts<'_>, names: &Names) -> Result<Hierarchy, Unclear> {
    let tree = parts.bytes(names.tree);
    // If no file was written, the dump's own message gives the reason.
    let bytes = if tree.is_empty() { parts.bytes(names.dump) } else { tree };
    Hierarchy::read(bytes).map_err(|error| Unclear::new(error.to_string()))
}

/// Parses the tree in the answer of uiautomator2's server.
fn hierarchy_of_server(parts: &Parts<'_>, names: &Names) -> Result<Hierarchy, Unclear> {
    let dump = rpc::result::<String>(parts.bytes(names.tree))
        .map_err(|error| Unclear { why: error.to_string(), is_server_over: error.is_over() })?;
    let hierarchy = Hierarchy::read(dump.as_bytes()).map_err(|error| Unclear::new(error.to_string()))?;
    if hierarchy.widgets.is_empty() {
        return Err(Unclear::new("no window is in front"));
    }
    // The server cuts a deep tree without saying so.
    if hierarchy.widgets.iter().any(|widget| widget.depth >= u2::DEPTH_MAX) {
        let why =
            format!("its tree is deeper than {} levels, at which the server of u2.jar ends", u2::DEPTH_MAX);
        return Err(Unclear::new(why));
    }
    Ok(hierarchy)
}

/// Returns true if an answer shows that the display is dark.
pub(super) fn is_dark(parts: &Parts<'_>) -> bool {
    power::is_lit(&parts.text("power")) == Some(false)
}

/// Returns the window in front, which must be the same before and after the dump.
fn in_front(parts: &Parts<'_>, names: &Names) -> Result<Focus, Unclear> {
    let nothing = || Unclear::new("no window has the focus");
    let before = focus(&parts.text(names.before)).ok_or_else(nothing)?;
    let after = focus(&parts.text(names.after)).ok_or_else(nothing)?;
    if before != after {
        return Err(Unclear::new(format!("`{}` gives way to `{}`", before.activity, after.activity)));
    }
    Ok(after)
}
