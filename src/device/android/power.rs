//! The state of the screen: lit or dark, locked or not.

use super::{flag, values};

/// Returns true if the screen is lit, from `dumpsys power`, `dumpsys display` or `dumpsys window policy`.
///
/// ```
/// use farlead::device::android::power::is_lit;
///
/// assert_eq!(is_lit("  mWakefulness=Awake\n"), Some(true));
/// assert_eq!(is_lit("Display Power: state=OFF\n"), Some(false));
/// ```
pub fn is_lit(text: &str) -> Option<bool> {
    // The most reliable names come first: from Android 13 on the line `Display Power` names an object.
    for name in ["mWakefulness", "getWakefulnessLocked()"] {
        for value in values(text, name) {
            match value {
                // A screen saver counts as lit, and a touch ends it.
                "Awake" | "Dreaming" => return Some(true),
                "Asleep" | "Dozing" => return Some(false),
                _ => {}
            }
        }
    }
    let display = text.lines().find_map(|line| line.trim().strip_prefix("Display Power: state="));
    let screen = values(text, "mScreenState").chain(values(text, "screenState"));
    let interactive = values(text, "interactiveState");
    for value in display.into_iter().chain(screen).chain(interactive) {
        match value.trim().trim_start_matches("SCREEN_STATE_").trim_start_matches("INTERACTIVE_STATE_") {
            "ON" | "AWAKE" => return Some(true),
            "OFF" | "SLEEP" | "DOZE" | "DOZE_SUSPEND" => return Some(false),
            _ => {}
        }
    }
    ["mHoldingDisplaySuspendBlocker", "mScreenOn", "mAwake", "mScreenOnFully"]
        .iter()
        .find_map(|name| flag(text, name))
}

/// Returns true if the screen is locked, from `dumpsys window` or its part `policy`.
pub fn is_locked(text: &str) -> Option<bool> {
    // Each version prints some of these names, and those that do not apply are false in it.
    let names = ["isKeyguardShowing", "mShowingLockscreen", "mDreamingLockscreen", "mInputRestricted"];
    let said: Vec<bool> =
        names.iter().flat_map(|name| values(text, name)).filter_map(|value| value.parse().ok()).collect();
    (!said.is_empty()).then(|| said.contains(&true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lit_is_said_otherwise_by_each_version() {
        for (text, expected) in [
            ("mScreenOn=true", Some(true)),
            ("mScreenOnEarly=true mScreenOnFully=false", Some(false)),
            ("mWakefulness=Dozing\nDisplay Power: state=DOZE", Some(false)),
            (
                "  mWakefulness=Awake\nDisplay Power: com.android.server.power.PowerManagerService$1@7afe15",
                Some(true),
            ),
            ("Display Power: state=OFF", Some(false)),
            ("  mHoldingWakeLockSuspendBlocker=false\n  mHoldingDisplaySuspendBlocker=true", Some(true)),
            ("    screenState=SCREEN_STATE_OFF", Some(false)),
            ("interactiveState=INTERACTIVE_STATE_AWAKE", Some(true)),
            ("  mScreenState=ON", Some(true)),
            ("Can't find service: power", None),
        ] {
            assert_eq!(is_lit(text), expected, "{text}");
        }
    }

    #[test]
    fn locked_is_what_any_of_the_names_says() {
        let policy = "mShowingLockscreen=false mDreamingLockscreen=true mInputRestricted=false";
        assert_eq!(is_locked(policy), Some(true));
        assert_eq!(is_locked(&policy.replace("true", "false")), Some(false));
        assert_eq!(is_locked("KeyguardServiceDelegate\n  isKeyguardShowing=true"), Some(true));
        assert_eq!(is_locked(""), None);
    }
}
