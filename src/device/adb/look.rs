//! A look: the questions to the phone, and the screen in its answer.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use rustc_hash::FxHasher;

use super::script::{Parts, Script};
use super::{Facts, Now, u2};
use crate::device::Notice;
use crate::device::android::focus::{Focus, focus};
use crate::device::android::log::{Kind, entries, identity, troubles};
use crate::device::android::prompt::{Press, Prompts};
use crate::device::android::{keyboard, power, rpc};
use crate::gui::{Context, Hierarchy, Screen, Widget};
use crate::sorted;

/// The result of a look.
pub(super) struct Looked {
    pub screen: Screen,
    /// The button to press, if a prompt of the system is in front.
    pub press: Option<Press>,
    /// The phone's clock.
    pub at_ms: u64,
    /// The new notices in the log.
    pub notices: Vec<Notice>,
    /// Number of notices in the log so far.
    pub log_len: usize,
}

/// A clear dump: the window in front did not change during it, and the dump shows that window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Glance {
    in_front: Focus,
    package: Arc<str>,
    hierarchy: Hierarchy,
}

impl Glance {
    /// Returns the places of the texts that differ, if nothing else does, and if none of them is on a widget that takes
    /// actions. The digits of a clock count as the same.
    pub fn moved_since(&self, before: &Glance) -> Option<BTreeSet<usize>> {
        let Glance { in_front, package, hierarchy } = before;
        let (one, two) = (&self.hierarchy, hierarchy);
        let is_same_window = self.in_front == *in_front && self.package == *package;
        if !is_same_window
            || (one.rotation, &one.packages) != (two.rotation, &two.packages)
            || one.widgets.len() != two.widgets.len()
        {
            return None;
        }
        let mut moved = BTreeSet::new();
        for (at, (one, two)) in one.widgets.iter().zip(&two.widgets).enumerate() {
            if one == two {
                continue;
            }
            // A text of another length takes another place.
            let Widget { text, desc, bounds, .. } = one.clone();
            if one.takes_actions() || (Widget { text, desc, bounds, ..two.clone() }) != *one {
                return None;
            }
            let is_clock = one.bounds == two.bounds
                && differ_in_digits(&one.text, &two.text)
                && differ_in_digits(&one.desc, &two.desc);
            if !is_clock {
                moved.insert(at);
            }
        }
        Some(moved)
    }

    /// Returns a number that screens of one shape share, whatever their texts.
    pub fn shape(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (&*self.in_front.activity, &*self.package).hash(&mut hasher);
        for widget in &self.hierarchy.widgets {
            (widget.depth, &*widget.class, &*widget.id, widget.flags).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Returns true if two texts are the same once each digit counts as any other.
fn differ_in_digits(one: &str, two: &str) -> bool {
    let digit = |letter: char| if letter.is_ascii_digit() { '0' } else { letter };
    one.chars().map(digit).eq(two.chars().map(digit))
}

/// Places of texts that move by themselves, by the shape of their screen.
#[derive(Debug, Default)]
pub(super) struct Movers {
    places: BTreeMap<u64, BTreeSet<usize>>,
}

/// Most shapes of screens whose moving texts are remembered.
const SHAPES_MAX: usize = 1_000;

impl Movers {
    /// Returns true if `now` shows what `before` did, but for texts that are known to move; others are known from now on.
    pub fn agree(&mut self, before: &Glance, now: &Glance) -> bool {
        let Some(moved) = now.moved_since(before) else { return false };
        if moved.is_empty() {
            return true;
        }
        if self.places.len() == SHAPES_MAX {
            self.places.clear();
        }
        let known = self.places.entry(now.shape()).or_default();
        let are_known = moved.is_subset(known);
        known.extend(moved);
        are_known
    }
}

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
const KEYBOARD: &str = "dumpsys input_method 2>/dev/null | grep -E 'mInputShown|mIsInputViewShown'";

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
    let package = package_of(&in_front, &hierarchy)?;
    Ok(Glance { in_front, package, hierarchy })
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
    let Glance { in_front, package: seen_package, hierarchy } = glance;
    let (noted, log_len) = noted(&parts.text("log"), package, now);
    let crash = noted.iter().rev().find_map(|noted| noted.crash.clone());
    let notices: Vec<Notice> = noted.into_iter().map(|noted| noted.notice).collect();
    let context = context(parts, &in_front, &hierarchy, package, facts, &notices, now);
    // A dialog stays for some steps, and its crash is noted at the first.
    let crash = crash.or_else(|| now.screen.as_ref()?.crash().cloned()).filter(|_| context.crashed);
    let clock = GLANCES.iter().rev().find(|names| parts.has(names.clock));
    let at_ms = clock.and_then(|names| clock_ms(&parts.text(names.clock))).unwrap_or(now.started_ms);
    let press = prompts.press(&hierarchy, in_front.window.as_deref(), package);
    let screen = hierarchy.into_screen(seen_package, in_front.activity.as_str(), context).with_crash(crash);
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

/// Returns the package of the screen; the dump must show the window in front.
fn package_of(in_front: &Focus, hierarchy: &Hierarchy) -> Result<Arc<str>, Unclear> {
    // A dump may start with another window, and parts of a window may be of other apps: dialogs of Play services, cars.
    let has_it = hierarchy.packages.iter().any(|package| **package == *in_front.package);
    if has_it || hierarchy.packages.is_empty() {
        return Ok(in_front.package.as_str().into());
    }
    // A window that is no activity, such as a system dialog, has no package in its title.
    match &in_front.window {
        Some(window) if !window.contains('/') => Ok(hierarchy.package.clone()),
        Some(_) | None => {
            let Focus { package, .. } = in_front;
            Err(Unclear::new(format!("`{package}` is in front, and the dump is of `{}`", hierarchy.package)))
        }
    }
}

fn context(
    parts: &Parts<'_>,
    in_front: &Focus,
    hierarchy: &Hierarchy,
    package: &str,
    facts: &Facts,
    notices: &[Notice],
    now: &Now,
) -> Context {
    // The bounds in a dump refer to the display as rotated by the stated angle from its natural orientation.
    let is_wide = facts.size.0 > facts.size.1;
    let turned = hierarchy.orientation();
    let known = now.screen.as_ref().map(|screen| screen.context()).unwrap_or_default();
    let is_own = |process: &str| process.split(':').next() == Some(package);
    let dialog = in_front.dialog.as_ref().filter(|dialog| is_own(&dialog.process));
    // Newer systems show no dialog after a crash.
    let has_crashed = notices.iter().any(|notice| matches!(notice, Notice::Crash(_)));
    Context {
        screen_on: power::is_lit(&parts.text("power")).unwrap_or(true),
        orientation: if is_wide { turned.turned() } else { turned },
        // A setting that cannot be read counts as unchanged.
        network: has_network(&parts.text("network")).unwrap_or(known.network),
        crashed: dialog.is_some_and(|dialog| dialog.is_crash) || has_crashed,
        anr: dialog.is_some_and(|dialog| !dialog.is_crash),
        keyboard: keyboard::is_shown(&parts.text("keyboard")) == Some(true),
    }
}

/// A notice in the log, and the identity of its crash.
struct Noted {
    notice: Notice,
    crash: Option<Arc<str>>,
}

/// Returns the notices that are new since the last look, and the number of all.
fn noted(log: &str, package: &str, now: &Now) -> (Vec<Noted>, usize) {
    let all = all_noted(log, package);
    let len = all.len();
    // The log may have lost its oldest lines meanwhile.
    let known = if now.log_known > len { 0 } else { now.log_known };
    (all.into_iter().skip(known).collect(), len)
}

/// Returns the number of notices about an app in a log.
pub(super) fn log_len(log: &str, package: &str) -> usize {
    all_noted(log, package).len()
}

fn all_noted(log: &str, package: &str) -> Vec<Noted> {
    let toasts = entries(log).filter(|entry| entry.tag == Some("Toast") && !is_of_vendor(entry.message));
    let toast = |text: &str| Noted { notice: Notice::Toast(text.into()), crash: None };
    let mut all: Vec<(String, Noted)> =
        toasts.map(|entry| (entry.time.to_string(), toast(entry.message))).collect();
    for trouble in troubles(log).into_iter().filter(|trouble| trouble.is_of(package)) {
        let crash = identity(&trouble, package).map(Into::into);
        let notice = match trouble.kind {
            Kind::Java | Kind::Native | Kind::Died => Notice::Crash(trouble.trace.into()),
            Kind::Anr => Notice::Anr(trouble.message.into()),
        };
        all.push((trouble.time, Noted { notice, crash }));
    }
    // The sort is stable: at the same time toasts come first, because a crashed app shows none.
    sorted::by(&mut all, |(one, _), (other, _)| one.cmp(other));
    all.into_iter().map(|(_, noted)| noted).collect()
}

/// Returns true if a line under the tag `Toast` is about a toast, not its text.
fn is_of_vendor(message: &str) -> bool {
    message.starts_with("show: ") || message.contains("caller =")
}
