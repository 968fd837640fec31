//! `dumpsys`: the state of services, in the formats of the versions.
//!
//! A phone prints long texts. Here are the lines that readers look for, in the form and order of a phone: the focused
//! window, the activity on top, the rotation of the display, its light.

use std::sync::Arc;

use super::io::{Io, shown};
use super::names::{LAUNCHER, short_name};
use super::packages;
use super::servers::Automator;
use super::system::{App, Phone};
use super::touch_screen::keyboard_top;
use super::version::AndroidVersion;
use crate::device::sim::Windows;
use crate::device::sim::model::Display;

/// The activity in front, and the focused window.
struct Focus {
    package: Arc<str>,
    class: Arc<str>,
    /// Title of the window.
    window: String,
}

/// `dumpsys`: prints the state of one service.
pub(super) fn dumpsys(phone: &mut Phone, args: &[String], io: &mut Io) -> u8 {
    let mut words = args;
    if words.first().is_some_and(|word| word == "-t") {
        words = words.get(2..).unwrap_or_default();
    }
    // Drawn whatever the service, so that the chance of a run does not depend on which one a client reads.
    phone.faults.draw_focus();
    let first = words.get(1).map_or("", String::as_str);
    match words.first().map_or("", String::as_str) {
        "window" => window(phone, first, io),
        "activity" => activity(phone, first, words.get(2).map_or("", String::as_str), io),
        "power" => power(phone, io),
        "display" => display(phone, io),
        "input" => input(phone, io),
        "input_method" => input_method(phone, io),
        "package" => return packages::dump(phone, first, io),
        "battery" => io.say(
            "Current Battery Service state:\n  AC powered: false\n  USB powered: true\n  status: 2\n  health: 2\n  \
             present: true\n  level: 100\n  scale: 100\n  voltage: 5000\n  temperature: 250\n  technology: Li-ion",
        ),
        "wifi" => {
            let is_on = phone.settings.get("global", "wifi_on") == Some("1");
            io.say(if is_on { "Wi-Fi is enabled" } else { "Wi-Fi is disabled" });
        }
        "connectivity" => {
            let state = if phone.windows().has_network { "CONNECTED" } else { "DISCONNECTED" };
            io.say(&format!("NetworkAgentInfo{{network{{100}} ni{{WIFI {state}}}}}"));
        }
        "-l" | "" => io.say(
            "Currently running services:\n  activity\n  battery\n  connectivity\n  display\n  input\n  input_method\n  \
             package\n  power\n  wifi\n  window",
        ),
        name => {
            io.complain(&format!("Can't find service: {}", shown(name)));
        }
    }
    0
}

/// Returns a number for a named object, where Android prints its address in memory: a hash, so that it stays the same.
fn token(name: &str) -> String {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{:x}", (hash >> 20) & 0x0fff_ffff | 0x010_0000)
}

/// Returns a name without control characters, which would break the line.
fn in_line(name: &str) -> String {
    shown(name).chars().map(|letter| if letter.is_control() { '.' } else { letter }).collect()
}

fn focus(phone: &Phone) -> Focus {
    let windows = phone.windows();
    let own = phone.apps.get(phone.current).map_or_else(|| Arc::from(""), |app| app.package.clone());
    // A dialog of the system takes the focus from everything, and is named for the app it is about.
    if let Some((is_crash, class)) = &windows.system {
        let what = if *is_crash { "Application Error" } else { "Application Not Responding" };
        let (package, class) = match windows.activities.last() {
            Some((package, class)) => (package.clone(), class.clone()),
            None => (own.clone(), class.clone()),
        };
        return Focus { package, class, window: format!("{what}: {}", in_line(&own)) };
    }
    // A wrong focus shows the launcher in place of the app.
    let is_seen = windows.is_in_front && !phone.faults.is_focus_wrong();
    match windows.activities.last().filter(|_| is_seen) {
        Some((package, class)) => Focus {
            package: package.clone(),
            class: class.clone(),
            window: format!("{}/{}", in_line(package), in_line(class)),
        },
        None => Focus {
            package: LAUNCHER.0.into(),
            class: LAUNCHER.1.into(),
            window: format!("{}/{}", LAUNCHER.0, LAUNCHER.1),
        },
    }
}

fn window_of(title: &str) -> String {
    format!("Window{{{} u0 {title}}}", token(title))
}

/// Returns an activity in the version's form, with the number of its task.
fn record(version: AndroidVersion, package: &str, class: &str, task: u32) -> String {
    let name = in_line(&short_name(package, class));
    // Android 12 and 13 close the bracket before the task.
    let bracket = if version == AndroidVersion::V13 { "}" } else { "" };
    format!("ActivityRecord{{{} u0 {name}{bracket} t{task}}}", token(&name))
}

fn task_of(package: &str) -> u32 {
    if package == LAUNCHER.0 { 2 } else { 12 }
}

fn focused_app(phone: &Phone, focus: &Focus) -> String {
    let record = record(phone.version, &focus.package, &focus.class, task_of(&focus.package));
    if phone.version >= AndroidVersion::V11 {
        return record;
    }
    format!("AppWindowToken{{{} token=Token{{{} {record}}}}}", token(&record), token(&focus.window))
}

fn window(phone: &mut Phone, part: &str, io: &mut Io) {
    match part {
        "windows" | "w" => all_windows(phone, io),
        "displays" | "d" => displays(phone, io),
        "policy" | "p" => policy(phone, io),
        _ => {
            policy(phone, io);
            io.say("");
            displays(phone, io);
            io.say("");
            all_windows(phone, io);
        }
    }
}

fn policy(phone: &mut Phone, io: &mut Io) {
    let rotation = phone.rotation();
    let windows = phone.windows();
    let (lit, screen) = if windows.is_lit { ("true", "ON") } else { ("false", "OFF") };
    io.say("WINDOW MANAGER POLICY STATE (dumpsys window policy)");
    io.say("    mSafeMode=false mSystemReady=true mSystemBooted=true");
    io.say(&format!("    mAwake={lit} screenState=SCREEN_STATE_{screen}"));
    io.say("    mShowingLockscreen=false mDreamingLockscreen=false mInputRestricted=false");
    if phone.version >= AndroidVersion::V16 {
        io.say("    KeyguardServiceDelegate\n      showing=false\n      isKeyguardShowing=false");
    }
    io.say(&format!("    mCurrentRotation=ROTATION_{} mUserRotation=ROTATION_0", rotation * 90));
    io.say(&format!(
        "    interactiveState=INTERACTIVE_STATE_{}",
        if windows.is_lit { "AWAKE" } else { "SLEEP" }
    ));
}

fn displays(phone: &mut Phone, io: &mut Io) {
    let Display { width, height, dpi } = phone.sim().display();
    // `init` is the display upright, `cur` as it is turned.
    let (now_width, now_height) = phone.shown_size();
    let rotation = phone.rotation();
    io.say("WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)");
    io.say("  Display: mDisplayId=0");
    io.say(&format!(
        "    init={width}x{height} {dpi}dpi cur={now_width}x{now_height} app={now_width}x{now_height} \
         rng={0}x{0}-{1}x{1}",
        width.min(height),
        width.max(height)
    ));
    io.say("    deferred=false mLayoutNeeded=false");
    if phone.version >= AndroidVersion::V10 {
        let focus = focus(phone);
        io.say(&format!("  mCurrentFocus={}", window_of(&focus.window)));
        io.say(&format!("  mFocusedApp={}", focused_app(phone, &focus)));
    }
    io.say(&format!("    mCurrentRotation=ROTATION_{}", rotation * 90));
}

fn all_windows(phone: &mut Phone, io: &mut Io) {
    let (width, height) = phone.shown_size();
    let rotation = phone.rotation();
    let (windows, focus) = (phone.windows(), focus(phone));
    // From the top of the screen down, as Android lists them.
    let launcher = format!("{}/{}", LAUNCHER.0, LAUNCHER.1);
    let mut titles = vec!["NavigationBar0".to_string(), "StatusBar".to_string()];
    if windows.has_keyboard {
        titles.insert(0, "InputMethod".to_string());
    }
    // A dialog has a window of its own above its activity.
    if windows.has_dialog || windows.system.is_some() {
        titles.push(focus.window.clone());
    }
    let own = windows.activities.iter().rev();
    titles.extend(own.map(|(package, class)| format!("{}/{}", in_line(package), in_line(class))));
    titles.push(launcher);
    io.say("WINDOW MANAGER WINDOWS (dumpsys window windows)");
    for (at, title) in titles.iter().enumerate() {
        let is_visible = *title == focus.window || !title.contains('/');
        let frame = format!("frame=[0,0][{width},{height}]");
        io.say(&format!("  Window #{at} {}:", window_of(title)));
        io.say(
            "    mDisplayId=0 mSession=Session{c3abbd1 722:u0a10157} mClient=android.os.BinderProxy@7afe15",
        );
        io.say(&format!("    Requested w={width} h={height} mLayoutSeq=9"));
        io.say(&match phone.version >= AndroidVersion::V13 {
            true => {
                format!("    Frames: parent=[0,0][{width},{height}] display=[0,0][{width},{height}] {frame}")
            }
            false => format!("    mFrame=[0,0][{width},{height}] last=[0,0][{width},{height}]"),
        });
        if title == "InputMethod" {
            let top = keyboard_top(height);
            io.say(&format!("    touchable region=SkRegion((0,{top},{width},{height}))"));
        }
        io.say(&format!("    isOnScreen={is_visible}\n    isVisible={is_visible}"));
    }
    io.say("");
    let focused = window_of(&focus.window);
    // From Android 10 on the focus belongs to a display, and is in `dumpsys window displays` alone.
    match phone.version {
        AndroidVersion::V7 | AndroidVersion::V8 | AndroidVersion::V9 => {
            io.say(&format!("  mCurrentFocus={focused}"));
            io.say(&format!("  mFocusedApp={}", focused_app(phone, &focus)));
        }
        AndroidVersion::V10 => io.say("  mTopFocusedDisplayId=0"),
        AndroidVersion::V11 => {
            io.say("  mTopFocusedDisplayId=0");
            io.say(&format!("  mInputMethodTarget in display# 0 {focused}"));
        }
        AndroidVersion::V13 | AndroidVersion::V16 => {
            io.say("  mTopFocusedDisplayId=0");
            for target in ["imeLayeringTarget", "imeInputTarget", "imeControlTarget"] {
                io.say(&format!("  {target} in display# 0 {focused}"));
            }
        }
    }
    io.say(&format!("  mSystemBooted=true mDisplayEnabled=true\n  mRotation={rotation}"));
}

/// Returns the activities of the current app, the topmost first, each with true if it is resumed.
fn stack(windows: &Windows) -> Vec<(Arc<str>, Arc<str>, bool)> {
    let in_front = windows.is_in_front && windows.is_lit;
    let own = windows.activities.iter().rev().enumerate();
    own.map(|(at, (package, class))| (package.clone(), class.clone(), at == 0 && in_front)).collect()
}

fn activity(phone: &mut Phone, part: &str, of: &str, io: &mut Io) {
    match part {
        "activities" | "a" | "" => activities(phone, io),
        "top" => top(phone, io),
        "recents" => io.say("ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)"),
        "exit-info" => {
            io.say(&format!(
                "ACTIVITY MANAGER PROCESS EXIT INFO (dumpsys activity exit-info)\n  package: {}",
                in_line(of)
            ));
        }
        "processes" | "p" => {
            io.say("ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)");
            for app in phone.apps.iter().filter(|app| app.uid != 0) {
                if let Some(pid) = app.pid {
                    io.say(&format!(
                        "  *APP* UID {} ProcessRecord{{{} {pid}:{}/u0a{}}}",
                        app.uid,
                        token(&app.package),
                        app.package,
                        app.uid % 10_000
                    ));
                }
            }
        }
        "services" if of == Automator::HELPER && helper(phone).is_some_and(|app| app.pid.is_some()) => {
            let name = format!("{of}/.ForegroundService");
            io.say("ACTIVITY MANAGER SERVICES (dumpsys activity services)\n  User 0 active services:");
            io.say(&format!("  * ServiceRecord{{{} u0 {name}}}", token(&name)));
            io.say(&format!(
                "    packageName={of}\n    processName={of}\n    isForeground=true foregroundId=1"
            ));
        }
        "services" | "broadcasts" | "providers" | "intents" => {
            io.say(&format!(
                "ACTIVITY MANAGER {} (dumpsys activity {part})\n  (nothing)",
                part.to_uppercase()
            ));
        }
        part => io.say(&format!("Bad activity command, or no activities match: {}", in_line(part))),
    }
}

/// Returns the app that helps Appium's driver, if it is installed.
fn helper(phone: &Phone) -> Option<&App> {
    phone.apps.get(phone.app(Automator::HELPER)?)
}

fn activities(phone: &Phone, io: &mut Io) {
    let version = phone.version;
    let windows = phone.windows();
    let own = stack(&windows);
    let launcher: (Arc<str>, Arc<str>, bool) =
        (LAUNCHER.0.into(), LAUNCHER.1.into(), windows.is_lit && !own.iter().any(|one| one.2));
    // The task in front comes first.
    let mut tasks = vec![vec![launcher]];
    if !own.is_empty() {
        // Behind the launcher the task of the app stays.
        let place = if windows.is_in_front { 0 } else { 1 };
        tasks.insert(place, own);
    }
    io.say("ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)");
    io.say("Display #0 (activities from top to bottom):");
    let mut resumed = None;
    for task in &tasks {
        // A task is named for its root, the lowest activity.
        let Some((package, class, _)) = task.last() else { continue };
        let number = task_of(package);
        let name = in_line(&short_name(package, class));
        let intent = format!(
            "Intent {{ act=android.intent.action.MAIN cat=[android.intent.category.LAUNCHER] flg=0x10000000 cmp={name} }}"
        );
        let size = task.len();
        if version >= AndroidVersion::V11 {
            io.say(&format!("  * Task{{{} #{number} type=standard A=10100:{} U=0 visible=true mode=fullscreen sz={size}}}", token(&name), in_line(package)));
        } else {
            io.say(&format!("  Stack #{number}:\n    Task id #{number}\n    * TaskRecord{{{} #{number} A={} U=0 sz={size}}}", token(&name), in_line(package)));
        }
        let top =
            task.iter().find(|one| one.2).map(|(package, class, _)| record(version, package, class, number));
        if let Some(top) = &top {
            resumed = Some(top.clone());
            if version >= AndroidVersion::V13 {
                io.say(&format!("    topResumedActivity={top}"));
            }
        }
        for (at, (package, class, is_resumed)) in task.iter().enumerate() {
            let record = record(version, package, class, number);
            let state = if *is_resumed { "RESUMED" } else { "STOPPED" };
            // Since Android 13 two blanks stand here, which readers must survive.
            let gap = if version >= AndroidVersion::V13 { "  " } else { " " };
            io.say(&format!("    * Hist{gap}#{}: {record}", task.len() - 1 - at));
            io.say(&format!("        packageName={} processName={}", in_line(package), in_line(package)));
            io.say(&format!("        {intent}\n        state={state}"));
        }
        if let Some(top) = top {
            io.say(&match version {
                AndroidVersion::V13 | AndroidVersion::V16 => format!("    Resumed: {top}"),
                _ => format!("    mResumedActivity: {top}"),
            });
        }
    }
    // Below all tasks the version's line for the activity in front.
    if let Some(resumed) = resumed {
        io.say(&match version {
            AndroidVersion::V7 => format!("  mFocusedActivity: {resumed}"),
            AndroidVersion::V8 | AndroidVersion::V9 => format!("  mResumedActivity: {resumed}"),
            _ => format!("  ResumedActivity: {resumed}"),
        });
    }
}

fn top(phone: &Phone, io: &mut Io) {
    let windows = phone.windows();
    for (package, class) in &windows.activities {
        let pid = phone.apps.get(phone.current).and_then(|app| app.pid).unwrap_or(0);
        let name = in_line(&short_name(package, class));
        io.say(&format!(
            "TASK {} id=12 userId=0\n  ACTIVITY {name} {} pid={pid}",
            in_line(package),
            token(&name)
        ));
    }
    if !windows.is_in_front {
        let name = short_name(LAUNCHER.0, LAUNCHER.1);
        io.say(&format!("TASK {} id=2 userId=0\n  ACTIVITY {name} {} pid=2000", LAUNCHER.0, token(&name)));
    }
}

fn power(phone: &Phone, io: &mut Io) {
    let is_lit = phone.windows().is_lit;
    let state = if is_lit { "ON" } else { "OFF" };
    io.say("POWER MANAGER (dumpsys power)\n\nPower Manager State:");
    io.say(&format!("  mWakefulness={}", if is_lit { "Awake" } else { "Asleep" }));
    io.say("  mWakefulnessChanging=false\n  mIsPowered=true\n  mStayOn=false\n  mBootCompleted=true");
    io.say(&format!("  mHoldingWakeLockSuspendBlocker=false\n  mHoldingDisplaySuspendBlocker={is_lit}"));
    // Newer versions have no state in this line.
    if phone.version >= AndroidVersion::V13 {
        io.say("Display Power: com.android.server.power.PowerManagerService$1@7afe15");
    } else {
        io.say(&format!("Display Power: state={state}"));
    }
}

fn display(phone: &mut Phone, io: &mut Io) {
    let Display { dpi, .. } = phone.sim().display();
    let (width, height) = phone.shown_size();
    let rotation = phone.rotation();
    let state = if phone.windows().is_lit { "ON" } else { "OFF" };
    io.say("DISPLAY MANAGER (dumpsys display)");
    io.say(&format!(
        "  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, displayId=0, uniqueId='local:0', physicalPort=0, \
         orientation={rotation}, logicalFrame=Rect(0, 0 - {width}, {height}), physicalFrame=Rect(0, 0 - {width}, \
         {height}), deviceWidth={width}, deviceHeight={height}}}]"
    ));
    io.say(&format!("  mDefaultViewport=DisplayViewport{{valid=true, displayId=0, orientation={rotation}, logicalFrame=Rect(0, 0 - {width}, {height}), physicalFrame=Rect(0, 0 - {width}, {height}), deviceWidth={width}, deviceHeight={height}}}"));
    io.say(&format!("  mScreenState={state}\n  mState={state}"));
    io.say(&format!(
        "  mBaseDisplayInfo=DisplayInfo{{\"Built-in Screen\", displayId 0, real {width} x {height}, rotation {rotation}, \
         density {dpi} ({dpi}.0 x {dpi}.0) dpi, state {state}}}"
    ));
}

fn input(phone: &mut Phone, io: &mut Io) {
    let (width, height) = phone.shown_size();
    let rotation = phone.rotation();
    let is_turned = phone.windows().orientation != phone.sim().display().by_nature();
    io.say("INPUT MANAGER (dumpsys input)");
    io.say(&format!(
        "  Viewport INTERNAL: displayId=0, uniqueId=local:0, port=0, orientation={rotation}, \
         logicalFrame=[0, 0, {width}, {height}], isActive=[1]"
    ));
    // Readers compare this with the natural orientation, so a turned display must not report 0.
    let rotation = if is_turned { rotation.max(1) } else { rotation };
    io.say(&format!(
        "      SurfaceWidth: {width}px\n      SurfaceHeight: {height}px\n      SurfaceOrientation: {rotation}"
    ));
}

fn input_method(phone: &Phone, io: &mut Io) {
    let is_shown = phone.windows().has_keyboard;
    io.say("Current Input Method Manager state:");
    io.say("  mCurMethodId=com.android.inputmethod.latin/.LatinIME");
    io.say(&format!("  mShowRequested={is_shown} mShowExplicitlyRequested=false mInputShown={is_shown}"));
    io.say(&format!("  mIsInputViewShown={is_shown}"));
    io.say(&format!("  mCurFocusedWindow={}", window_of(&focus(phone).window)));
}
