//! The window in front: its package and activity, and a system dialog over it.
//!
//! Each version of Android reports it elsewhere: in lines for the window with the focus, the app with the
//! focus, the window that gets the typing, or the activity that runs; without any of these, in the list of
//! windows.

/// The window in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Focus {
    /// The package. Under a system dialog, the package of the app below.
    pub package: String,
    /// The full class name of the activity; empty if the window belongs to none.
    pub activity: String,
    /// The title of the window with the focus; `None` if no window has it at the moment.
    pub window: Option<String>,
    /// The system dialog that reports a crash or a hang, if there is one.
    pub dialog: Option<Dialog>,
}

/// A system dialog about an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialog {
    /// True if the app has crashed, false if it does not respond.
    pub is_crash: bool,
    /// The process concerned: a package, sometimes followed by `:` and more.
    pub process: String,
}

/// Returns what is in front, or `None` if the text does not say it, as between two windows.
///
/// The text is that of `dumpsys window`, of its parts `displays` or `windows`, of `dumpsys activity
/// activities`, or several of them together.
///
/// ```
/// use farlead::device::android::focus::focus;
///
/// let said = "  mCurrentFocus=Window{170c7e5 u0 org.notes/org.notes.Main}\n  mFocusedApp=ActivityRecord{fd5 u0 org.notes/.Main t6}";
/// let focus = focus(said).expect("something in front");
/// assert_eq!((&*focus.package, &*focus.activity), ("org.notes", "org.notes.Main"));
/// ```
pub fn focus(text: &str) -> Option<Focus> {
    let said = FocusLines::read(text);
    // Without a line for the focus, the window that gets the typing is the best sign.
    let title = said.windows.first().or(said.typed_in.first()).cloned();
    let dialog = title.as_deref().and_then(dialog);
    let is_system_bar = title.as_deref().is_some_and(|title| SYSTEM_UI.contains(&title));
    // The dump still names the app below, but a bar with the focus hides it.
    if let Some(title) = title.as_ref().filter(|_| is_system_bar) {
        return Some(Focus {
            package: SYSTEM_UI_PACKAGE.into(),
            activity: String::new(),
            window: Some(title.clone()),
            dialog,
        });
    }
    let of_window = title.as_deref().and_then(component);
    // With several displays, the app meant is the one whose window has the focus.
    let apps = || said.apps.iter().chain(&said.resumed);
    let fitting = of_window.as_ref().and_then(|(package, _)| apps().find(|app| app.0 == *package).cloned());
    // A window without a component in its title belongs to the app in front: a popup, a splash screen, a system
    // service.
    let (package, activity) =
        fitting.or(of_window).or_else(|| apps().next().cloned()).or_else(|| listed(text))?;
    Some(Focus { package, activity, window: title, dialog })
}

/// Titles of system windows that cover an app when they have the focus.
const SYSTEM_UI: [&str; 4] = ["NotificationShade", "StatusBar", "Keyguard", "Bouncer"];

const SYSTEM_UI_PACKAGE: &str = "com.android.systemui";

/// A package and a class.
type Component = (String, String);

/// The relevant lines of a text.
#[derive(Default)]
struct FocusLines {
    /// Titles of windows with the focus, one for each display.
    windows: Vec<String>,
    apps: Vec<Component>,
    /// Titles of windows that get the typing.
    typed_in: Vec<String>,
    resumed: Vec<Component>,
}

impl FocusLines {
    fn read(text: &str) -> FocusLines {
        let mut said = FocusLines::default();
        let mut real_activity = None;
        for line in text.lines() {
            let line = line.trim();
            if let Some(window) = line.strip_prefix("mCurrentFocus=") {
                said.windows.extend(window_title(window));
            } else if let Some(app) = line.strip_prefix("mFocusedApp=") {
                said.apps.extend(record(app));
            } else if let Some((name, window)) = line.split_once(" in display# ") {
                // The first name is the window that gets the typing; the others are the window below the
                // keyboard.
                if matches!(
                    name,
                    "imeInputTarget" | "imeLayeringTarget" | "mInputMethodTarget" | "imeControlTarget"
                ) {
                    said.typed_in.extend(window_title(window));
                }
            } else if let Some(activity) = line.strip_prefix("realActivity=") {
                real_activity = named(activity);
            } else if line.starts_with("state=RESUMED") {
                said.resumed.extend(real_activity.take());
            } else {
                let names = [
                    "topResumedActivity=",
                    "mResumedActivity: ",
                    "ResumedActivity: ",
                    "Resumed: ",
                    "mFocusedActivity: ",
                ];
                let resumed = names.iter().find_map(|name| line.strip_prefix(name));
                said.resumed.extend(resumed.and_then(record));
            }
        }
        said
    }
}

/// Returns the title in `Window{hash u0 title}`, without the states that old versions append.
fn window_title(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Window{")?;
    let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
    let (_, rest) = inside.split_once(' ')?;
    let is_user = |word: &str| word.strip_prefix('u').is_some_and(|number| number.parse::<u32>().is_ok());
    let title = match rest.split_once(' ') {
        Some((user, title)) if is_user(user) => title,
        _ => rest,
    };
    let title = ["paused=", "type=", "EXITING"]
        .iter()
        .fold(title, |title, state| title.find(&format!(" {state}")).map_or(title, |at| &title[..at]));
    let title = title.trim();
    (!title.is_empty()).then(|| title.to_string())
}

/// Returns the component in `ActivityRecord{hash u0 package/.Class t6}`.
fn record(text: &str) -> Option<Component> {
    let (_, rest) = text.split_once("ActivityRecord{")?;
    // Android 12 and 13 close the brace before the number of the task.
    rest.split_whitespace().find_map(|word| named(word.trim_end_matches('}')))
}

/// Returns the component that a title consists of, if it does.
fn component(title: &str) -> Option<Component> {
    if title.contains(' ') { None } else { named(title) }
}

/// Returns the component named by `package/.Class` or `package/package.Class`.
fn named(text: &str) -> Option<Component> {
    let (package, class) = text.split_once('/')?;
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || "._$".contains(char))
    };
    if !is_name(package) || !is_name(class) {
        return None;
    }
    let class = if class.starts_with('.') { format!("{package}{class}") } else { class.to_string() };
    Some((package.to_string(), class))
}

fn dialog(title: &str) -> Option<Dialog> {
    let (what, process) = title.split_once(": ")?;
    let is_crash = match what {
        "Application Error" => true,
        "Application Not Responding" => false,
        _ => return None,
    };
    Some(Dialog { is_crash, process: process.trim().to_string() })
}

/// Returns the first visible window of an activity in the list of windows. On Android 10, only the list tells.
fn listed(text: &str) -> Option<Component> {
    let mut found: Option<Component> = None;
    for line in text.lines().map(str::trim) {
        if line.starts_with("Window #") && line.ends_with(':') {
            found = window_title(line).as_deref().and_then(component);
        } else if line.split_whitespace().any(|word| word == "isReadyForDisplay()=true")
            && let Some(component) = found.take()
            && component.0 != SYSTEM_UI_PACKAGE
        {
            return Some(component);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, &str)>) {
        let found = focus(text);
        let found = found.as_ref().map(|focus| (&*focus.package, &*focus.activity));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn each_version_says_it_in_its_own_way() {
        let notes = Some(("org.notes", "org.notes.Main"));
        for text in [
            // 4.1
            "mCurrentFocus=Window{4330b6c0 org.notes/org.notes.Main paused=false}\n\
             mFocusedApp=AppWindowToken{41 token=Token{42 ActivityRecord{43 org.notes/.Main}}}",
            "  mFocusedActivity: ActivityRecord{1e44eb8 u0 org.notes/.Main t653}",
            // 8
            "mCurrentFocus=Window{170c7e5 u0 org.notes/org.notes.Main}\n\
             mFocusedApp=AppWindowToken{2 token=Token{8 ActivityRecord{f u0 org.notes/.Main t6}}}",
            // 11 to 16
            "  mInputMethodTarget in display# 0 Window{a u0 org.notes/org.notes.Main}",
            "  imeLayeringTarget in display# 0 Window{a u0 org.notes/org.notes.Main}",
            "    topResumedActivity=ActivityRecord{1f72345 u0 org.notes/.Main} t12}",
            "    topResumedActivity=ActivityRecord{1f72345 u0 org.notes/.Main t12}",
            // MIUI
            "mCurrentFocus=Window{org.notes:6d67f78 u0 org.notes/org.notes.Main type=1   }",
        ] {
            check(text, notes);
        }
    }

    #[test]
    fn a_window_without_a_name_belongs_to_the_app_in_front() {
        let app = "mFocusedApp=ActivityRecord{c u0 org.notes/.Main t2}";
        for window in ["PopupWindow:3f2", "com.sony.dtv.sonysystemservice", "Splash Screen org.notes"] {
            check(
                &format!("mCurrentFocus=Window{{c52eaa8 u0 {window}}}\n{app}"),
                Some(("org.notes", "org.notes.Main")),
            );
        }
        let shade =
            focus(&format!("mCurrentFocus=Window{{c52eaa8 u0 NotificationShade}}\n{app}")).expect("a focus");
        assert_eq!((&*shade.package, &*shade.activity), ("com.android.systemui", ""));
    }

    #[test]
    fn of_several_displays_the_one_with_the_focus_is_meant() {
        let text = "mFocusedApp=ActivityRecord{1 u0 a.b/.One t9}\nmFocusedApp=ActivityRecord{2 u0 c.d/.Two t4}\n\
                    mCurrentFocus=null\nmCurrentFocus=Window{3 u0 c.d/c.d.Two}";
        check(text, Some(("c.d", "c.d.Two")));
    }

    #[test]
    fn a_dialog_of_the_system_is_told_with_its_process() {
        let app = "mFocusedApp=ActivityRecord{c u0 org.notes/.Main t2}";
        for (title, is_crash) in [("Application Error", true), ("Application Not Responding", false)] {
            let found = focus(&format!("mCurrentFocus=Window{{3 u0 {title}: org.notes:web}}\n{app}"))
                .expect("a focus");
            assert_eq!(found.dialog, Some(Dialog { is_crash, process: "org.notes:web".into() }));
            assert_eq!(found.activity, "org.notes.Main");
        }
    }

    #[test]
    fn between_two_windows_nothing_has_the_focus() {
        check("mCurrentFocus=null\nmFocusedApp=null", None);
        let found = focus("mCurrentFocus=null\nmFocusedApp=ActivityRecord{c u0 a.b/.C t2}").expect("an app");
        assert_eq!((&*found.package, found.window), ("a.b", None));
    }

    #[test]
    fn where_no_line_tells_the_list_of_windows_does() {
        let text = "  Window #0 Window{1 u0 StatusBar}:\n    isReadyForDisplay()=true\n  Window #1 Window{2 u0 a.b/a.b.Hidden}:\n    \
                    mHasSurface=false isReadyForDisplay()=false\n  Window #2 Window{3 u0 c.d/c.d.Seen}:\n    mHasSurface=true isReadyForDisplay()=true x";
        check(text, Some(("c.d", "c.d.Seen")));
    }

    #[test]
    fn garbage_has_no_focus() {
        for text in [
            "",
            "mCurrentFocus=",
            "mCurrentFocus=Window{",
            "mCurrentFocus=Window{a}",
            "mFocusedApp=ActivityRecord{",
            "Resumed: ActivityRecord{a u0 /x t}",
        ] {
            check(text, None);
        }
    }
}
