//! Prompts of the system: windows in front of an app that ask for a permission, offer to keep a password, or warn.
//!
//! A table knows each by its package and its button; [`Prompts`] puts a project's own before it. A prompt is known by
//! the ids of its buttons where it has any, because texts differ by language.

use std::sync::Arc;

use crate::gui::{Flags, Hierarchy, Widget};

/// A prompt of the system, and the reply to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Package of its nodes; none for any but the app's.
    pub package: Option<Arc<str>>,
    /// Words in one of its texts, or the title of its window; none for any.
    pub says: Option<Arc<str>>,
    /// The reply.
    pub reply: Reply,
}

/// Reply to a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Press the button with this id or text.
    Press(Arc<str>),
    /// Leave the prompt to the test.
    Leave,
}

/// The prompts that are answered: a project's own first, then those that farlead knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompts {
    own: Vec<Prompt>,
}

/// A button to press in a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Press {
    /// The point to tap.
    pub at: (i32, i32),
    /// The prompt and the button, for people.
    pub shown: String,
}

/// A prompt that farlead knows.
struct Known {
    packages: &'static [&'static str],
    /// Words in a text, or titles of windows, one of which is there; none if the package and the button are enough.
    says: &'static [&'static str],
    /// Ids or texts of buttons; the first that is there is pressed.
    press: &'static [&'static str],
    /// True if the buttons are known by texts, which the app behind may have on a button of its own.
    is_by_text: bool,
}

/// Prompts that farlead knows: permissions are granted, offers are put off, notices are confirmed.
const KNOWN: [Known; 4] = [
    Known {
        packages: &[
            "com.android.permissioncontroller",
            "com.google.android.permissioncontroller",
            // Up to Android 9.
            "com.android.packageinstaller",
            "com.google.android.packageinstaller",
        ],
        says: &[],
        // Android 10 asks for a location, and Android 14 for pictures, with several buttons that allow.
        press: &[
            "permission_allow_foreground_only_button",
            "permission_allow_all_button",
            "permission_allow_button",
            "permission_allow_always_button",
            "permission_allow_one_time_button",
            // Apps for Android 5 and older, whose permissions are shown all at once.
            "continue_button",
        ],
        is_by_text: false,
    },
    Known { packages: &["android"], says: &[], press: &["autofill_save_no"], is_by_text: false },
    Known {
        packages: &["android"],
        // Notices about apps for older phones, shown after the data of an app are cleared; that about pages of 16 KB is
        // shown at each start, and its window has no title of its own.
        says: &[
            "DeprecatedTargetSdkVersionDialog",
            "DeprecatedAbiDialog",
            "UnsupportedCompileSdkDialog",
            "UnsupportedDisplaySizeDialog",
            "built for an older version of Android",
            "compatible with the latest version of Android",
            "16 KB compatible",
            "page size compatible",
        ],
        press: &["button1"],
        is_by_text: false,
    },
    Known {
        packages: &["com.google.android.gms", "com.android.credentialmanager"],
        says: &[],
        press: &["Not now", "No thanks", "No, thanks", "None of the above", "Skip"],
        is_by_text: true,
    },
];

impl Prompts {
    /// Returns the prompts of a project, followed by those that farlead knows; the first that fits counts.
    pub fn new(own: Vec<Prompt>) -> Prompts {
        Prompts { own }
    }

    /// Returns the button to press, if a prompt that is not of `app` is in front; `window` is the title of its window.
    ///
    /// ```
    /// use farlead::device::android::prompt::Prompts;
    /// use farlead::gui::Hierarchy;
    ///
    /// let dump = r#"<hierarchy><node package="com.android.permissioncontroller" text="Allow Notes to take pictures?"
    ///     bounds="[0,0][90,40]"/><node package="com.android.permissioncontroller" text="Allow" enabled="true"
    ///     resource-id="com.android.permissioncontroller:id/permission_allow_button" bounds="[0,40][90,80]"/></hierarchy>"#;
    /// let seen = Hierarchy::read(dump.as_bytes())?;
    /// let press = Prompts::default().press(&seen, None, "org.notes").expect("a prompt");
    /// assert_eq!(press.at, (45, 60));
    /// # Ok::<(), farlead::gui::DumpError>(())
    /// ```
    pub fn press(&self, seen: &Hierarchy, window: Option<&str>, app: &str) -> Option<Press> {
        // An app that is such a program itself is tested, not answered.
        let packages: Vec<&str> =
            seen.packages.iter().map(|package| &**package).filter(|name| *name != app).collect();
        if packages.is_empty() {
            return None;
        }
        let is_of = |package: &str| packages.contains(&package);
        for prompt in &self.own {
            let fits = prompt.package.as_deref().is_none_or(is_of)
                && prompt.says.as_deref().is_none_or(|words| has(seen, window, words));
            match &prompt.reply {
                Reply::Leave if fits => return None,
                Reply::Press(button) if fits => {
                    if let Some(press) = press(seen, button) {
                        return Some(press);
                    }
                }
                Reply::Leave | Reply::Press(_) => {}
            }
        }
        let fitting = KNOWN.iter().filter(|known| {
            known.packages.iter().any(|package| is_of(package))
                && (!known.is_by_text || known.packages.contains(&&*seen.package))
                && (known.says.is_empty() || known.says.iter().any(|words| has(seen, window, words)))
        });
        fitting.flat_map(|known| known.press).find_map(|button| press(seen, button))
    }
}

/// Returns true if the window has this title, or a visible text these words.
fn has(seen: &Hierarchy, window: Option<&str>, words: &str) -> bool {
    let mut visible = seen.widgets.iter().filter(|widget| widget.is_visible());
    window == Some(words) || visible.any(|widget| widget.text.contains(words) || widget.desc.contains(words))
}

/// Returns the button with this id or text, if it can be pressed.
fn press(seen: &Hierarchy, button: &str) -> Option<Press> {
    let lower = button.to_lowercase();
    let is_named = |text: &str| !text.is_empty() && text.to_lowercase() == lower;
    let is_button = |widget: &&Widget| {
        let is_it = widget.id_entry() == button || is_named(&widget.text) || is_named(&widget.desc);
        is_it && widget.is_visible() && widget.flags.has(Flags::ENABLED)
    };
    let found = seen.widgets.iter().find(is_button)?;
    let question = seen.widgets.iter().find(|widget| widget.is_visible() && !widget.text.is_empty());
    let question = question.map(|widget| format!("{:?}", widget.text)).unwrap_or_default();
    let label = [&found.text, &found.desc].into_iter().find(|text| !text.is_empty());
    let label = label.map_or(button, |label| label);
    Some(Press { at: found.bounds.centre(), shown: format!("{question}, answered with {label:?}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a window of a question and buttons, each with an id and a text.
    fn window(package: &str, question: &str, buttons: &[(&str, &str)]) -> Hierarchy {
        let mut nodes = format!("<node package='{package}' text='{question}' bounds='[0,0][100,10]'/>");
        for (at, (id, text)) in buttons.iter().enumerate() {
            let (top, bottom) = (at * 10 + 10, at * 10 + 20);
            nodes += &format!(
                "<node package='{package}' resource-id='a:id/{id}' text='{text}' enabled='true' bounds='[0,{top}][100,{bottom}]'/>"
            );
        }
        Hierarchy::read(format!("<hierarchy>{nodes}</hierarchy>").as_bytes()).expect("a hierarchy")
    }

    #[track_caller]
    fn check(prompts: &Prompts, seen: &Hierarchy, title: Option<&str>, expected: Option<&str>) {
        let press = prompts.press(seen, title, "org.notes");
        assert_eq!(press.as_ref().map(|press| &*press.shown), expected);
    }

    fn own(package: Option<&str>, says: Option<&str>, reply: Reply) -> Prompts {
        Prompts::new(vec![Prompt { package: package.map(Arc::from), says: says.map(Arc::from), reply }])
    }

    #[test]
    fn permissions_are_granted_offers_are_put_off_and_notices_are_confirmed() {
        let known = Prompts::default();
        let deny = ("permission_deny_button", "Deny");
        let once = ("permission_allow_one_time_button", "Only this time");
        let usual = ("permission_allow_foreground_only_button", "While using the app");
        let location = window("com.google.android.permissioncontroller", "Where?", &[deny, once, usual]);
        check(&known, &location, None, Some(r#""Where?", answered with "While using the app""#));
        let old = window(
            "com.google.android.packageinstaller",
            "Call?",
            &[deny, ("permission_allow_button", "ALLOW")],
        );
        check(&known, &old, None, Some(r#""Call?", answered with "ALLOW""#));
        let save = window(
            "android",
            "Save password?",
            &[("autofill_save_yes", "Save"), ("autofill_save_no", "Nein")],
        );
        check(&known, &save, None, Some(r#""Save password?", answered with "Nein""#));
        let offer = window("com.google.android.gms", "Try it", &[("a", "Yes"), ("b", "NO THANKS")]);
        check(&known, &offer, None, Some(r#""Try it", answered with "NO THANKS""#));
        // A map of Play services in an app is no prompt, and the app's button is not pressed.
        let map = r#"<hierarchy><node package="org.notes" bounds="[0,0][9,9]"/><node package="com.google.android.gms"
            bounds="[0,0][9,9]"/><node package="org.notes" text="Skip" enabled="true" bounds="[0,0][9,9]"/></hierarchy>"#;
        check(&known, &Hierarchy::read(map.as_bytes()).expect("a hierarchy"), None, None);
        let words = "This app was built for an older version of Android and may not work";
        check(
            &known,
            &window("android", words, &[("button1", "OK")]),
            None,
            Some(&format!(r#""{words}", answered with "OK""#)),
        );
        let translated = window("android", "Diese App", &[("button1", "OK")]);
        check(
            &known,
            &translated,
            Some("DeprecatedTargetSdkVersionDialog"),
            Some(r#""Diese App", answered with "OK""#),
        );
    }

    #[test]
    fn other_windows_are_left_alone() {
        let known = Prompts::default();
        check(&known, &window("android", "Notes keeps stopping", &[("button1", "Close app")]), None, None);
        check(&known, &window("org.notes", "Not now", &[("permission_allow_button", "Not now")]), None, None);
        check(&known, &window("org.other", "Which?", &[("button1", "OK")]), None, None);
        let of_app = window("com.google.android.gms", "Which?", &[("a", "Not now")]);
        assert_eq!(known.press(&of_app, None, "com.google.android.gms"), None);
        // A button that does not take a tap is none.
        let mut hidden = window("com.google.android.gms", "Try it", &[("a", "Not now")]);
        hidden.widgets[1].flags = Flags::default();
        check(&known, &hidden, None, None);
    }

    #[test]
    fn what_a_project_says_comes_first() {
        let permission = window(
            "com.android.permissioncontroller",
            "Where?",
            &[("permission_allow_button", "Allow"), ("x", "Deny")],
        );
        let deny = own(Some("com.android.permissioncontroller"), None, Reply::Press("deny".into()));
        check(&deny, &permission, None, Some(r#""Where?", answered with "Deny""#));
        check(&own(None, None, Reply::Leave), &permission, None, None);
        let other = own(None, Some("Who"), Reply::Leave);
        check(&other, &permission, None, Some(r#""Where?", answered with "Allow""#));
        let vpn = window("com.android.vpndialogs", "Connect", &[("button1", "OK")]);
        check(
            &own(Some("com.android.vpndialogs"), Some("Connect"), Reply::Press("OK".into())),
            &vpn,
            None,
            Some(r#""Connect", answered with "OK""#),
        );
        check(&own(Some("com.android.vpndialogs"), None, Reply::Press("Later".into())), &vpn, None, None);
    }
}
